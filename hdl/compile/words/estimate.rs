//! Cycles of a wave, as the compiler takes it.

use bitline_units::duality::params::MASK_ROWS;

use super::code::Code;
use super::costs::{Clock, Costs};
use super::encode::{Places, encode};
use super::select::Select;

/// Times that the compiler takes a loop to run.
const TURNS: u64 = 8;

/// How often the compiler takes a block to run.
pub fn turns(select: &Select<'_>, block: usize) -> u64 {
    let depth = select.analysis.shape.loops.iter().filter(|one| one.inside[block]).count();
    TURNS.pow(depth.min(6) as u32)
}

/// Cycles of a wave, each block by itself.
pub fn estimate(select: &Select<'_>, places: &dyn Places, costs: &Costs, arrays: u64) -> u64 {
    let (mut sum, mut clock, mut at) = (0, Clock::default(), None);
    for line in &select.lines {
        if let Some(block) = at.replace(line.block).filter(|block| *block != line.block) {
            sum += clock.end() * turns(select, block);
            clock = Clock::default();
        }
        if !matches!(line.code, Code::Label(_)) {
            clock.push(costs, encode(&line.code, places, MASK_ROWS), arrays);
        }
    }
    sum + at.map_or(0, |block| clock.end() * turns(select, block))
}
