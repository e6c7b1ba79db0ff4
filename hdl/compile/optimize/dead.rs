//! Instructions whose results nobody reads, and that do nothing else, are left out; so are those that fed them.

use super::{pure, replaced};
use crate::ptx::ast::Kernel;

/// Leaves them out.
pub fn run(kernel: &mut Kernel) {
    let mut read = vec![false; kernel.registers.len()];
    let mut needed = vec![false; kernel.body.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (at, it) in kernel.body.iter().enumerate().filter(|(at, _)| !needed[*at]).collect::<Vec<_>>() {
            let wanted = !pure(it) || it.writes().iter().any(|register| read[register.0 as usize]);
            if wanted {
                (needed[at], changed) = (true, true);
                it.reads().iter().for_each(|register| read[register.0 as usize] = true);
            }
        }
    }
    replaced(kernel, |at, it| if needed[at] { vec![it] } else { Vec::new() });
}
