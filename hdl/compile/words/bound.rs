//! What no order of a kernel's words can beat, whatever arrays there are, if each piece has ended before the next
//! begins. Turns of a loop that overlap can.
//!
//! A piece of code without jumps takes at least as long as the longest chain of its words in which each needs a result
//! of the one before: if every array computed at the same time, moves took no time, and rows were for nothing. Words
//! are those that were selected, and none leaves its piece; memory takes no time here, since what is asked is how much
//! arrays can compute beside each other.

use super::Rule;
use super::code::{Code, Line, Row};
use super::costs::Costs;
use super::depend::Dependences;
use super::encode::{Anywhere, encode};
use super::estimate::turns;
use super::select::Select;
use super::sketch::pieces;

use bitline_units::duality::params::MASK_ROWS;

/// Cycles of a wave in which arrays compute, words of memory left out; each block as often as the compiler takes it to
/// run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// All words one after the other: what one array takes.
    pub serial: u64,
    /// The least that any number of arrays can take, piece by piece.
    pub least: u64,
}

impl Bound {
    /// That of selected words.
    pub(super) fn of(select: &Select<'_>, costs: &Costs) -> Bound {
        let lines = &select.lines;
        // Words of memory count nothing, and those that no window does.
        let cycles = |line: &Line| match &line.code {
            Code::Compute { .. }
            | Code::Mask { .. }
            | Code::Jump { on: Some(Row::Predicate(_) | Row::Mask(_)), .. } => {
                costs.word(encode(&line.code, &Anywhere(&[]), MASK_ROWS))
            }
            _ => 0,
        };
        let mut bound = Bound::default();
        let mut alone = vec![true; lines.len()];
        for piece in pieces(lines) {
            let own = &lines[piece.clone()];
            alone[piece].fill(false);
            let cycles: Vec<u64> = own.iter().map(cycles).collect();
            // A value that is written again could have other rows: only what a word needs counts.
            let graph = Dependences::of(own, &select.classes, Some(Rule::LaterWrites));
            let longest = graph.longest(&cycles).into_iter().max().unwrap_or(0);
            let turns = turns(select, own[0].block);
            bound.serial += turns * cycles.iter().sum::<u64>();
            bound.least += turns * longest;
        }
        for line in lines.iter().zip(alone).filter(|(_, alone)| *alone).map(|(line, _)| line) {
            bound.serial += turns(select, line.block) * cycles(line);
            bound.least += turns(select, line.block) * cycles(line);
        }
        bound
    }
}
