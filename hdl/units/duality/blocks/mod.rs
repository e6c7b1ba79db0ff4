//! Hardware of the Duality Cache.

mod arbiter;
mod bundles;
mod cache;
mod control_block;
mod counters;
mod crossbar;
mod cta_queue;
mod dispatch;
mod dispatcher;
mod early;
mod front;
mod host;
mod instruction_ring;
mod launch;
mod lines;
mod memory;
mod memory_step;
mod memory_turns;
mod modes;
mod processor;
mod refusals;
mod row_unit;
mod scalar_unit;
mod step;
mod tables;
pub(crate) mod top;
mod types;
mod waits;
mod window;
mod word_check;
mod word_shape;

use crate::array::isa::microcode::Microcode;
use crate::duality::cache_params::CacheParams;
use crate::duality::params::{DualityParams, MOST_BLOCKS, SLOTS};
use crate::error::{Error, Result};
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

use arbiter::DualityArbiter;
use cache::DualityCache;
use control_block::DualityControlBlock;
use crossbar::{DualityCrossbar, DualityCrossbarNetwork, DualityCrossbarNumbers, DualityCrossbarReduce};
use cta_queue::DualityCtaQueue;
use front::DualityFront;
use instruction_ring::DualityInstructionRing;
pub use lines::duality_line_parts;
use lines::{DualityLineCheck, DualityLineSide, DualityLines};
pub use memory::duality_memory_parts;
use memory::{DualityFloatAdd, DualityMemoryUnit, DualityThreads};
use modes::DualityModes;
use processor::DualityProcessor;
use row_unit::DualityRowUnit;
use scalar_unit::DualityScalarUnit;
use top::DualityTop;

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

/// A control block with its memory unit.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the parameters are not legal; [`crate::error::Error::Netlist`] if a block
/// breaks a rule.
pub fn duality_processor(params: &DualityParams, code: &Microcode) -> Result<Netlist> {
    params.check()?;
    let tile = DualityMemoryUnit::tile(params);
    let _widths = Widths::keep().set::<Row>(params.columns).set::<Beat>(tile).set::<TileIndex>(tile.ilog2() as usize);
    let _sizes = Sizes::set(&[SLOTS * params.banks]);
    let mut top = DualityProcessor::new(params, code);
    top.connect_all();
    elaborate(&top)
}

/// The memory unit of a design.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the parameters are not legal; [`crate::error::Error::Netlist`] if a block
/// breaks a rule.
pub fn duality_memory_unit(params: &DualityParams) -> Result<Netlist> {
    params.check()?;
    let tile = DualityMemoryUnit::tile(params);
    let _widths = Widths::keep().set::<Row>(params.columns).set::<Beat>(tile).set::<TileIndex>(tile.ilog2() as usize);
    let _sizes = Sizes::set(&[SLOTS * params.banks]);
    let mut top = DualityMemoryUnit::new(params);
    top.connect_all();
    elaborate(&top)
}

/// The crossbar of a design that has one.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the parameters are not legal, or have no crossbar;
/// [`crate::error::Error::Netlist`] if a block breaks a rule.
pub fn duality_crossbar(params: &DualityParams) -> Result<Netlist> {
    crossing(params, DualityCrossbar::new)
}

/// The network of its crossbar; errors are the same.
///
/// # Errors
/// As [`duality_crossbar`].
pub fn duality_crossbar_network(params: &DualityParams) -> Result<Netlist> {
    crossing(params, |params| DualityCrossbarNetwork::new(params.crossbar, params.columns))
}

/// The numbers of threads in its crossbar; errors are the same.
///
/// # Errors
/// As [`duality_crossbar`].
pub fn duality_crossbar_numbers(params: &DualityParams) -> Result<Netlist> {
    crossing(params, |params| DualityCrossbarNumbers::new(params.crossbar, params.columns))
}

/// The reduction of its crossbar; errors are the same.
///
/// # Errors
/// As [`duality_crossbar`].
pub fn duality_crossbar_reduce(params: &DualityParams) -> Result<Netlist> {
    crossing(params, |params| DualityCrossbarReduce::new(params.columns))
}

/// A block of the crossbar of a design.
fn crossing<B: Block>(params: &DualityParams, make: impl Fn(&DualityParams) -> B) -> Result<Netlist> {
    params.check()?;
    if params.crossbar == 0 {
        return Err(Error::parameter("crossbar", 0, "this design has none: must be the threads that it serves"));
    }
    let _widths = Widths::keep().set::<Row>(params.columns);
    let mut top = make(params);
    top.connect_all();
    elaborate(&top)
}

/// The register block of a design with its launch unit.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the parameters are not legal; [`crate::error::Error::Netlist`] if a block
/// breaks a rule.
pub fn duality_front(params: &DualityParams) -> Result<Netlist> {
    params.check()?;
    let _sizes = Sizes::set(&[params.blocks, params.line_operations.into()]);
    let mut top = DualityFront::new(params);
    top.connect_all();
    elaborate(&top)
}

/// The cache ways of a slice.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the parameters are not legal; [`crate::error::Error::Netlist`] if a block
/// breaks a rule.
pub fn duality_cache(params: &CacheParams) -> Result<Netlist> {
    params.check()?;
    let widths = Widths::keep().set::<CacheWays>(params.ways);
    let _widths = widths.set::<CacheTag>(params.tag_bits() + 2).set::<CacheOrder>(params.leaves() - 1);
    let _sizes = cache::sizes(params);
    let mut top = DualityCache::new(params);
    top.connect_all();
    elaborate(&top)
}

/// The whole unit: a control block beside cache ways, behind registers.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the parameters are not legal; [`crate::error::Error::Netlist`] if a block
/// breaks a rule.
pub fn duality_top(params: &DualityParams, code: &Microcode) -> Result<Netlist> {
    params.check()?;
    let _widths = widths(params);
    let mut top = DualityTop::new(params, code);
    top.connect_all();
    elaborate(&top)
}

/// Widths of words in the whole unit.
pub(crate) fn widths(params: &DualityParams) -> Widths {
    let (tile, cache) = (DualityMemoryUnit::tile(params), params.cache());
    let widths = Widths::keep().set::<Row>(params.columns).set::<Beat>(tile);
    let widths = widths.set::<TileIndex>(tile.ilog2() as usize).set::<CacheWays>(cache.ways);
    let widths = widths.set::<CacheTag>(cache.tag_bits() + 2).set::<CacheOrder>(cache.leaves() - 1);
    port_widths(widths, params.line_operations)
}

/// Widths of words at an arbiter of so many ports. One without operations on lines has room for those of most blocks.
fn port_widths(widths: Widths, lines: bool) -> Widths {
    widths.set::<CachePorts>(2 * MOST_BLOCKS + 1 + usize::from(lines))
}

/// The unit of operations on lines.
///
/// # Errors
/// [`crate::error::Error::Netlist`] if a block breaks a rule.
pub fn duality_lines() -> Result<Netlist> {
    let mut top = DualityLines::new();
    top.connect_all();
    elaborate(&top)
}

/// The check of instructions on lines.
///
/// # Errors
/// [`crate::error::Error::Netlist`] if the block breaks a rule.
pub fn duality_line_check() -> Result<Netlist> {
    let mut top = DualityLineCheck::new();
    top.connect_all();
    elaborate(&top)
}

/// Cache ways with an arbiter of so many ports, and operations on lines besides.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the parameters are not legal; [`crate::error::Error::Netlist`] if a block
/// breaks a rule.
pub fn duality_line_side(params: &CacheParams, ports: usize) -> Result<Netlist> {
    params.check()?;
    let widths = Widths::keep().set::<CacheWays>(params.ways);
    let widths = widths.set::<CacheTag>(params.tag_bits() + 2).set::<CacheOrder>(params.leaves() - 1);
    let _widths = port_widths(widths, true);
    let _sizes = Sizes::set(&[ports]);
    let mut top = DualityLineSide::new(&CacheParams { lines: true, ..*params }, ports);
    top.connect_all();
    elaborate(&top)
}

/// The arbiter of the cache ways, for so many ports of memory units, launch units and a processor, and, with `lines`,
/// as the last one of operations on lines.
///
/// # Errors
/// [`crate::error::Error::Netlist`] if the block breaks a rule.
pub fn duality_arbiter(ports: usize, lines: bool) -> Result<Netlist> {
    let _widths = port_widths(Widths::keep(), lines);
    let _sizes = Sizes::set(&[ports]);
    let mut top = DualityArbiter::new(ports, lines);
    top.connect_all();
    elaborate(&top)
}

/// The adder of binary32 numbers that atomic operations have.
///
/// # Errors
/// [`crate::error::Error::Netlist`] if the block breaks a rule.
pub fn duality_float_add() -> Result<Netlist> {
    let mut top = DualityFloatAdd::default();
    top.connect_all();
    elaborate(&top)
}

/// The modes of a design's ways.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if the parameters are not legal; [`crate::error::Error::Netlist`] if the block
/// breaks a rule.
pub fn duality_modes(params: &DualityParams) -> Result<Netlist> {
    params.check()?;
    let mut top = DualityModes::new(params);
    top.connect_all();
    elaborate(&top)
}

/// The queue of CTAs.
///
/// # Errors
/// [`crate::error::Error::Netlist`] if the block breaks a rule.
pub fn duality_cta_queue() -> Result<Netlist> {
    let mut top = DualityCtaQueue::default();
    top.connect_all();
    elaborate(&top)
}

/// The walk over the threads of a wave.
///
/// # Errors
/// [`crate::error::Error::Netlist`] if the block breaks a rule.
pub fn duality_threads() -> Result<Netlist> {
    let mut top = DualityThreads::default();
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
            let netlist = duality_memory_unit(&params).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(netlist.top().name, "bl_duality_memory_unit");
            let netlist = duality_processor(&params, &code).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(netlist.top().name, "bl_duality_processor");
            let netlist = duality_front(&params).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(netlist.top().name, "bl_duality_front");
            let netlist = duality_modes(&params).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(netlist.top().name, "bl_duality_modes");
            for line_operations in [false, true] {
                let params = DualityParams { line_operations, ..params.clone() };
                let netlist = duality_top(&params, &code).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(netlist.top().name, "bl_duality_top");
                let lines = netlist.modules.iter().any(|module| module.name == "bl_duality_lines");
                assert_eq!(lines, line_operations, "{name}");
            }
        }
        for (netlist, name) in [
            (duality_scalar_unit(), "scalar_unit"),
            (duality_row_unit(), "row_unit"),
            (duality_lines(), "lines"),
            (duality_line_check(), "line_check"),
            (duality_line_side(&CacheParams { ways: 2, sets: 4, mshr: 16, lines: true }, 2), "line_side"),
            (duality_arbiter(3, false), "arbiter_3"),
            (duality_arbiter(9, false), "arbiter_9"),
            (duality_arbiter(10, true), "arbiter_10_lines"),
        ] {
            let netlist = netlist.unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(netlist.top().name, format!("bl_duality_{name}"));
        }
    }

    #[test]
    fn duality_crossbars_elaborate() {
        for (name, columns, crossbar) in
            [("tiny", 8, 8), ("tiny", 8, 1), ("small", 64, 4), ("cb", 256, 256), ("cb", 256, 8)]
        {
            let params = DualityParams { crossbar, ..DualityParams::preset(name).expect("it is there") };
            let netlist = duality_crossbar(&params).unwrap_or_else(|e| panic!("{columns}, {crossbar}: {e}"));
            assert_eq!(netlist.top().name, "bl_duality_crossbar");
            for part in [duality_crossbar_network, duality_crossbar_numbers, duality_crossbar_reduce] {
                part(&params).unwrap_or_else(|e| panic!("{columns}, {crossbar}: {e}"));
            }
            let netlist = duality_memory_unit(&params).unwrap_or_else(|e| panic!("{columns}, {crossbar}: {e}"));
            assert!(netlist.modules.iter().any(|module| module.name == "bl_duality_crossbar"));
        }
        let none = DualityParams::preset("tiny").expect("it is there");
        let message = duality_crossbar(&none).expect_err("it has none").to_string();
        assert_eq!(message, "crossbar = 0: this design has none: must be the threads that it serves");
    }

    #[test]
    fn duality_caches_elaborate() {
        let shapes = [(1, 4, 16), (2, 256, 16), (3, 16, 32), (4, 256, 64), (20, 4096, 16)];
        for ((ways, sets, mshr), lines) in shapes.into_iter().flat_map(|shape| [(shape, false), (shape, true)]) {
            let params = CacheParams { ways, sets, mshr, lines };
            let netlist = duality_cache(&params).unwrap_or_else(|e| panic!("{params:?}: {e}"));
            let end = if lines { "_lines" } else { "" };
            assert_eq!(netlist.top().name, format!("bl_duality_cache_{ways}x{sets}_{mshr}{end}"));
        }
    }
}
