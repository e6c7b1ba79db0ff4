//! Parameters ─▶ netlist: picks the block types for a geometry from the menu, builds the top block and elaborates it.

use super::compute_top::ComputeTop;
use super::compute_unit::ComputeUnit;
use super::top_vc709::TopVc709;
use crate::error::Result;
use crate::isa::microcode::Microcode;
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;
use crate::params::Params;

/// Which block is the top of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Top {
    /// Command port and row streams.
    ComputeUnit,
    /// The same behind the AXI4-Lite register block.
    Registers,
    /// The same for the VC709 board.
    Vc709,
}

/// A design's netlist.
///
/// # Errors
/// [`crate::Error::Parameter`] if `params` break a rule; [`crate::Error::Netlist`] if a block does.
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
    let build = match params.columns {
        8 => with_columns::<Word<8, 1>, Word<8, 1>>,
        16 => with_columns::<Word<16, 1>, Word<16, 1>>,
        32 => with_columns::<Word<32, 1>, Word<32, 1>>,
        64 => with_columns::<Word<64, 1>, Word<64, 1>>,
        128 => with_columns::<Word<128, 2>, Word<64, 1>>,
        256 => with_columns::<Word<256, 4>, Word<64, 1>>,
        _ => with_columns::<Word<512, 8>, Word<64, 1>>,
    };
    build(params, top, code)
}

fn with_columns<W: RowWord, B: Packed>(params: &Params, top: Top, code: &Microcode) -> Result<Netlist> {
    match top {
        Top::ComputeUnit => elaborated(ComputeUnit::<W, B>::new(params, code)),
        Top::Registers => elaborated(ComputeTop::<W, B>::new(params, code)),
        Top::Vc709 => elaborated(TopVc709::<W, B>::new(params, code)),
    }
}

fn elaborated<T: Block>(mut top: T) -> Result<Netlist> {
    top.connect_all();
    elaborate(&top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Set;
    use crate::params::{Latch, Memory, Sensing};

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
                    latches: vec![Latch::Hold, Latch::Predicate, Latch::Delay],
                    sets: Set::ALL.to_vec(),
                    command_fifo: 2,
                };
                let netlist = design(&params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{sensing} {memory}: {e}"));
                assert_eq!(netlist.top().name, "bl_compute_unit");
            }
        }
    }
}
