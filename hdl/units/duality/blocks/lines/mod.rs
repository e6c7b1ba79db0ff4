//! Compute Cache operations on lines of the cache ways, block by block.

mod check;
mod operands;
mod registers;
mod side;
mod unit;
mod walk;

use crate::duality::blocks::memory::alone;
use crate::error::Result;
use crate::kernel::netlist::Netlist;

pub use check::DualityLineCheck;
pub use side::DualityLineSide;
pub use unit::DualityLines;

/// The blocks of the line unit, each alone, by their files' names.
///
/// # Errors
/// [`crate::error::Error::Netlist`] if a block breaks a rule.
pub fn duality_line_parts() -> Result<Vec<(&'static str, Netlist)>> {
    Ok(vec![
        ("check", alone(DualityLineCheck::new())?),
        ("operands", alone(operands::DualityLineOperands::new())?),
        ("registers", alone(registers::DualityLineRegisters::default())?),
        ("walk", alone(walk::DualityLineWalk::default())?),
    ])
}
