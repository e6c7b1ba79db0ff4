//! The cache compute system's blocks.

mod first_level;
mod halves;
mod lane;
mod masks;
mod node;
mod tree;
mod unit;

pub use first_level::CcsFirstLevel;
pub use halves::CcsHalves;
pub use lane::{CcsLane, LaneControl};
pub use masks::{CcsMasks, LANE_BITS};
pub use node::CcsNode;
pub use tree::CcsTree;
pub use unit::{CcsUnit, UnitControl, ccs_unit};
