//! Hardware of a control block. What is behind its port to memory is to come.

mod bundles;
mod control_block;
mod dispatcher;
mod instruction_ring;
mod row_unit;
mod scalar_unit;
mod step;
mod types;
mod window;
mod word_check;
mod word_shape;

use crate::array::isa::microcode::Microcode;
use crate::duality::params::{DualityParams, SLOTS};
use crate::error::Result;
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

use control_block::DualityControlBlock;
use instruction_ring::DualityInstructionRing;
use row_unit::DualityRowUnit;
use scalar_unit::DualityScalarUnit;

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

/// A control block of a design, with the micro-programs of its arrays.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the parameters are not legal; [`crate::error::Error::Netlist`] if a block
/// breaks a rule.
pub fn duality_control_block(params: &DualityParams, code: &Microcode) -> Result<Netlist> {
    params.check()?;
    let _widths = Widths::keep().set::<Row>(params.columns);
    let _sizes = Sizes::set(&[SLOTS * params.banks]);
    let mut top = DualityControlBlock::<Row>::new(params, code);
    top.connect_all();
    elaborate(&top)
}

/// The scalar unit.
///
/// # Errors
/// [`crate::error::Error::Netlist`] if the block breaks a rule.
pub fn duality_scalar_unit() -> Result<Netlist> {
    let mut top = DualityScalarUnit::new();
    top.connect_all();
    elaborate(&top)
}

/// The row unit of a window.
///
/// # Errors
/// [`crate::error::Error::Netlist`] if the block breaks a rule.
pub fn duality_row_unit() -> Result<Netlist> {
    let mut top = DualityRowUnit::new();
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
            let code = Microcode::assemble(&params.array());
            let netlist = duality_control_block(&params, &code).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(netlist.top().name, "bl_duality_control_block");
        }
        for (netlist, name) in [(duality_scalar_unit(), "scalar_unit"), (duality_row_unit(), "row_unit")] {
            let netlist = netlist.unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(netlist.top().name, format!("bl_duality_{name}"));
        }
    }
}
