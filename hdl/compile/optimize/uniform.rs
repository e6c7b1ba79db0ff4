//! Which registers are the same for all threads, as far as the text says.

use crate::ptx::ast::{Kernel, Operand};
use crate::ptx::table::Opcode as O;
use crate::ptx::types::Space;

/// Registers of 32 bits whose values are the same for all threads that come by, as far as they follow from what is.
pub(super) fn uniform(kernel: &Kernel) -> Vec<bool> {
    let mut found: Vec<bool> = kernel.registers.iter().map(|register| register.ty.bits() == 32).collect();
    loop {
        let before = found.clone();
        for it in &kernel.body {
            let of = |operand: &Operand| match operand {
                Operand::Register(register) => before[register.0 as usize],
                Operand::Immediate(_) | Operand::Address(..) => true,
                _ => false,
            };
            let sources = &it.operands[it.results..];
            let same = it.guard.is_none()
                && match it.opcode {
                    O::Ld => it.space == Some(Space::Param),
                    O::Mov | O::Cvta | O::Add | O::Sub | O::Mul | O::Mad | O::Shl | O::Shr => sources.iter().all(of),
                    O::Neg | O::Not | O::And | O::Or | O::Xor | O::Min | O::Max => sources.iter().all(of),
                    _ => false,
                };
            it.writes().iter().filter(|_| !same).for_each(|register| found[register.0 as usize] = false);
        }
        if found == before {
            return found;
        }
    }
}
