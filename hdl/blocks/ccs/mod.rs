//! The cache compute system's blocks.

mod lane;
mod masks;
mod node;
mod tree;
mod unit;

pub use lane::{CcsLane, LaneControl};
pub use masks::{CcsMasks, LANE_BITS};
pub use node::CcsNode;
pub use tree::CcsTree;
pub use unit::{CcsUnit, UnitControl, ccs_unit};
