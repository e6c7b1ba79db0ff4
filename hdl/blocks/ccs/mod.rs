//! The cache compute system: a map/reduce unit of many lanes tied to a cache, for a processor that programs it through registers.
//!
//! Source: Vieira et al., Exploiting Compute Caches for Memory Bound Vector Operations. [`core`] says how the blocks hang together.

pub mod axi_adapter;
pub mod axi_order;
pub mod axi_reader;
pub mod axi_writer;
pub mod core;
pub mod fetch;
pub mod first_level;
pub mod generator;
pub mod halves;
pub mod lane;
pub mod launcher;
pub mod line_memory;
pub mod masks;
pub mod node;
pub mod processor;
pub mod registers;
pub mod scoreboard;
pub mod store;
pub mod tags;
pub mod tree;
pub mod types;
pub mod unit;
pub mod writer;

pub use first_level::CcsFirstLevel;
pub use halves::CcsHalves;
pub use lane::{CcsLane, LaneControl};
pub use masks::{CcsMasks, LANE_BITS};
pub use node::CcsNode;
pub use tree::CcsTree;
pub use unit::{CcsUnit, ccs_unit};

use crate::ccs::CcsGeometry;
use crate::error::Result;
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use rust_hdl::prelude::Block;

/// The netlist of a cache compute system without its memory.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if `geometry` breaks a rule; [`crate::error::Error::Netlist`] if a block does.
pub fn ccs(geometry: &CcsGeometry) -> Result<Netlist> {
    geometry.check()?;
    let mut top = core::Ccs::new(geometry);
    top.connect_all();
    elaborate(&top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccs::CCS_PRESETS;

    #[test]
    fn presets_elaborate() {
        for (name, ..) in CCS_PRESETS {
            let geometry = CcsGeometry::preset(name).expect("named");
            let netlist = ccs(&geometry).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(netlist.top().name, "bl_ccs");
        }
    }
}
