//! Compute Cache operations on lines of the cache ways, block by block.

mod check;
mod operands;
mod registers;
mod side;
mod unit;
mod walk;

pub use check::DualityLineCheck;
pub use side::DualityLineSide;
pub use unit::DualityLines;
