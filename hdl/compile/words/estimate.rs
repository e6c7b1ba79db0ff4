//! Cycles of a wave, as the compiler takes it.

use std::ops::Range;

use bitline_units::duality::isa::Word;
use bitline_units::duality::params::MASK_ROWS;

use super::code::Code;
use super::costs::{Clock, Costs};
use super::encode::{Places, encode};
use super::select::Select;

/// Times that the compiler takes a loop to run.
const TURNS: u64 = 8;
/// Loops in each other whose turns it looks at; those further inside all take as long as their first one.
const LOOKED_AT: usize = 3;

/// How often the compiler takes a block to run.
pub fn turns(select: &Select<'_>, block: usize) -> u64 {
    let depth = select.analysis.shape.loops.iter().filter(|one| one.inside[block]).count();
    TURNS.pow(depth.min(6) as u32)
}

/// Cycles of a wave that executes every word, and every loop so often. Windows go on from a block to the next as they
/// do in hardware. A loop's second turn meets what the first has left in the windows; later ones take as long as it.
pub fn estimate(select: &Select<'_>, places: &dyn Places, costs: &Costs, arrays: u64) -> u64 {
    let lines = select.lines.iter().filter(|line| !matches!(line.code, Code::Label(_)));
    let (blocks, words): (Vec<usize>, Vec<Word>) =
        lines.map(|line| (line.block, encode(&line.code, places, MASK_ROWS))).unzip();
    let loops = select.analysis.shape.loops.iter().filter_map(|one| {
        let first = blocks.iter().position(|block| one.inside[*block])?;
        Some(first..blocks.iter().rposition(|block| one.inside[*block])? + 1)
    });
    let mut loops: Vec<Range<usize>> = loops.collect();
    // Outer ones first.
    loops.sort_by_key(|range| (range.start, usize::MAX - range.end));
    let mut run = Run { words: &words, loops: &loops, costs, arrays, clock: Clock::default(), later: 0 };
    run.words(0..words.len(), 0, 0);
    run.time()
}

/// A wave on its way.
struct Run<'a> {
    words: &'a [Word],
    loops: &'a [Range<usize>],
    costs: &'a Costs,
    arrays: u64,
    clock: Clock,
    /// Cycles of turns that were counted and not run.
    later: u64,
}

impl Run<'_> {
    fn time(&self) -> u64 {
        self.clock.end() + self.later
    }

    /// Executes words, and the loops in them from one of these on, inside so many others.
    fn words(&mut self, range: Range<usize>, mut next: usize, depth: usize) {
        let mut at = range.start;
        while at < range.end {
            while self.loops.get(next).is_some_and(|one| one.start < at) {
                next += 1;
            }
            match self.loops.get(next).filter(|one| one.start == at && one.end <= range.end).cloned() {
                Some(body) => {
                    next += 1;
                    at = body.end;
                    self.turns(body, next, depth);
                }
                None => {
                    self.clock.push(self.costs, self.words[at], self.arrays);
                    at += 1;
                }
            }
        }
    }

    fn turns(&mut self, body: Range<usize>, next: usize, depth: usize) {
        let begin = self.time();
        self.words(body.clone(), next, depth + 1);
        let first = self.time() - begin;
        if depth >= LOOKED_AT {
            self.later += first * (TURNS - 1);
            return;
        }
        self.words(body, next, depth + 1);
        self.later += (self.time() - begin - first) * (TURNS - 2);
    }
}
