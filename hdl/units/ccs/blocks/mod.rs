//! The cache compute system: a map/reduce unit of many lanes tied to a cache, for a processor that programs it through
//! registers.
//!
//! Source: Vieira et al., Exploiting Compute Caches for Memory Bound Vector Operations. [`core`] says how the blocks
//! hang together.

pub mod axi_adapter;
pub mod axi_order;
pub mod axi_reader;
pub mod axi_writer;
pub mod axil_bridge;
pub mod bundles;
pub mod conflicts;
pub mod constant_row;
pub mod core;
pub mod fetch;
pub mod first_level;
pub mod flight;
pub mod generator;
pub mod halves;
pub mod lane;
pub mod launcher;
pub mod line_memory;
pub mod masks;
pub mod node;
pub mod on_chip;
pub mod processor;
pub mod registers;
pub mod requests;
pub mod scoreboard;
pub mod silence;
pub mod store;
pub mod tags;
pub mod top;
pub mod top_axi;
pub mod tree;
pub mod types;
pub mod unit;
pub mod waiting;
pub mod word_stage;
pub mod write_merge;
pub mod writer;

pub use first_level::CcsFirstLevel;
pub use halves::CcsHalves;
pub use lane::{CcsLane, LaneControl};
pub use masks::{CcsMasks, LANE_BITS};
pub use node::CcsNode;
pub use tree::CcsTree;
pub use unit::{CcsUnit, ccs_unit};

use types::Shape;

use crate::ccs::{CcsGeometry, CcsMemory};
use crate::error::{Error, Result};
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::{Bus, Strobe, Widths};
use rust_hdl_core::prelude::Block;

/// The netlist of a cache compute system without its memory.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if `geometry` breaks a rule; [`crate::error::Error::Netlist`] if a block does.
pub fn ccs(geometry: &CcsGeometry) -> Result<Netlist> {
    geometry.check()?;
    let _shape = Shape::hold(geometry);
    elaborated(core::Ccs::new(geometry))
}

/// The netlist of a cache compute system behind AXI4-Lite. Its memory is behind the port that the geometry names.
///
/// # Errors
/// As [`ccs`].
pub fn ccs_top(geometry: &CcsGeometry) -> Result<Netlist> {
    geometry.check()?;
    let _shape = Shape::hold(geometry);
    match geometry.memory {
        CcsMemory::Line => elaborated(top::CcsTop::new(geometry)),
        _ => {
            let _widths = Widths::keep().bus(geometry.memory.bus_bits());
            elaborated(top_axi::CcsAxiTop::<Bus, Strobe>::new(geometry))
        }
    }
}

/// The netlist of a cache compute system behind AXI4-Lite with `lines` lines of memory in block RAM, whatever memory
/// the geometry names.
///
/// # Errors
/// [`Error::Parameter`] if `lines` is no power of two from 2 to 2^30; else as [`ccs`].
pub fn ccs_on_chip(geometry: &CcsGeometry, lines: usize) -> Result<Netlist> {
    let geometry = CcsGeometry { memory: CcsMemory::Line, ..geometry.clone() };
    geometry.check()?;
    if !lines.is_power_of_two() || !(2..=1 << 30).contains(&lines) {
        return Err(Error::parameter("lines", lines, "must be a power of two from 2 to 2^30"));
    }
    elaborated(on_chip::CcsOnChip::new(&geometry, lines))
}

/// The netlist of the AXI4-Lite slave alone.
///
/// # Errors
/// [`Error::Netlist`] if it breaks a rule.
pub fn ccs_axil_bridge() -> Result<Netlist> {
    elaborated(axil_bridge::CcsAxilBridge::default())
}

/// The netlist of the merge of words and lines alone.
///
/// # Errors
/// As [`ccs`].
pub fn ccs_write_merge(geometry: &CcsGeometry) -> Result<Netlist> {
    geometry.check()?;
    let _shape = Shape::hold(geometry);
    elaborated(write_merge::CcsWriteMerge::default())
}

fn elaborated<T: Block>(mut top: T) -> Result<Netlist> {
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

    #[test]
    fn tops_elaborate_with_every_memory() {
        let small = CcsGeometry::preset("small").expect("named");
        for memory in CcsMemory::ALL {
            let netlist =
                ccs_top(&CcsGeometry { memory, ..small.clone() }).unwrap_or_else(|e| panic!("{memory:?}: {e}"));
            let top = if memory == CcsMemory::Line { "bl_ccs_top" } else { "bl_ccs_axi_top" };
            assert_eq!(netlist.top().name, top);
        }
        assert_eq!(ccs_on_chip(&small, 64).expect("legal").top().name, "bl_ccs_on_chip");
        assert!(ccs_on_chip(&small, 63).is_err());
    }
}
