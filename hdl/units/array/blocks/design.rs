//! Parameters ─▶ netlist: picks the block types for a geometry from the menu, builds the top block and elaborates it.

use crate::array::blocks::compute_top::ComputeTop;
use crate::array::blocks::compute_unit::ComputeUnit;
use crate::array::blocks::memory::stream_top::StreamTop;
use crate::array::blocks::memory::top::MemoryTop;
use crate::array::isa::microcode::Microcode;
use crate::array::params::{MemoryPort, Params};
use crate::error::Result;
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

/// Which block is the top of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Top {
    /// Command port and row streams.
    ComputeUnit,
    /// The same behind the AXI4-Lite register block, with the way to memory that the parameters name.
    Registers,
}

/// A design's netlist.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if `params` break a rule; [`crate::error::Error::Netlist`] if a block does.
pub fn design(params: &Params, top: Top) -> Result<Netlist> {
    params.check()?;
    design_with(params, top, &Microcode::assemble(params))
}

/// A design's netlist with other micro-programs than its own.
///
/// # Errors
/// As [`design`].
pub fn design_with(params: &Params, top: Top, code: &Microcode) -> Result<Netlist> {
    params.check()?;
    let streams = top == Top::ComputeUnit || params.memory_port == MemoryPort::None;
    let beat = if streams { params.columns.min(64) } else { params.columns };
    let bus = params.memory_port.bus_bits();
    let _widths = Widths::keep()
        .set::<Row>(params.columns)
        .set::<Beat>(beat)
        .bus(bus.max(8))
        .set::<TileIndex>(params.columns.ilog2() as usize);
    match top {
        Top::ComputeUnit => elaborated(ComputeUnit::<Row, Beat>::new(params, code)),
        Top::Registers => match params.memory_port {
            MemoryPort::None => elaborated(ComputeTop::<Row, Beat>::new(params, code)),
            MemoryPort::Stream => elaborated(StreamTop::<Row>::new(params, code)),
            _ => elaborated(MemoryTop::<Row, Bus, Strobe>::new(params, code)),
        },
    }
}

fn elaborated<T: Block>(mut top: T) -> Result<Netlist> {
    top.connect_all();
    elaborate(&top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::isa::Set;
    use crate::array::params::{Latch, Memory, MemoryPort, Sensing};

    #[test]
    fn every_way_to_memory_elaborates() {
        for memory_port in MemoryPort::ALL {
            for columns in [8, 256] {
                let params = Params { columns, memory_port, ..crate::array::presets::preset("tiny").expect("exists") };
                design(&params, Top::Registers).unwrap_or_else(|e| panic!("{memory_port:?}, {columns} columns: {e}"));
            }
        }
    }

    #[test]
    fn every_mode_elaborates() {
        for sensing in Sensing::ALL {
            for memory in Memory::ALL {
                let params = Params {
                    name: "test".into(),
                    rows: 32,
                    columns: 8,
                    sensing,
                    memory,
                    latches: Latch::ALL.to_vec(),
                    sets: Set::ALL.to_vec(),
                    command_fifo: 2,
                    memory_port: MemoryPort::None,
                    float: false,
                    radix: 2,
                    custom: Vec::new(),
                    exception_flags: false,
                    unpacked: false,
                };
                let netlist = design(&params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{sensing} {memory}: {e}"));
                assert_eq!(netlist.top().name, "bl_compute_unit");
            }
        }
    }
}
