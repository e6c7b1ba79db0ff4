//! Hardware of a control block. What is here is whole by itself; the control block is to come.

mod instruction_ring;

use crate::duality::params::DualityParams;
use crate::error::Result;
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

pub use instruction_ring::{MOST_INDEX, PC_BITS};

use instruction_ring::DualityInstructionRing;

/// The instruction ring of a design.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the parameters are not legal.
pub fn duality_instruction_ring(params: &DualityParams) -> Result<Netlist> {
    params.check()?;
    let mut top = DualityInstructionRing::new(params.ring);
    top.connect_all();
    elaborate(&top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duality::params::DUALITY_PRESETS;

    #[test]
    fn duality_presets_elaborate() {
        for (name, ..) in DUALITY_PRESETS {
            let params = DualityParams::preset(name).expect("it is there");
            let netlist = duality_instruction_ring(&params).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(netlist.top().name, format!("bl_duality_instruction_ring_{}", params.ring));
        }
    }
}
