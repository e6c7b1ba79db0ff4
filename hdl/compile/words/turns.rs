//! How far counters of loops count: a value that one instruction adds a number to, at the end of a loop that goes on as
//! long as a comparison of the sum with a number says so.
//!
//! Whoever leaves the loop comes back to the instruction only past another write of the value, so that before each sum
//! it is what such a write has given, or a sum with which the loop has gone on.

use super::divergence::Analysis;
use crate::flow::graph::End;
use crate::flow::reached;
use crate::ptx::ast::{Kernel, Operand};
use crate::ptx::table::Opcode;
use crate::ptx::types::Word;

/// A value that is counted up.
pub struct Counter {
    /// What the instruction adds.
    by: u64,
    /// The other writes of the value.
    pub begins: Vec<usize>,
    /// Sums go on that are below this number, or are not this number.
    end: u64,
    below: bool,
    /// The comparison has signs.
    signed: bool,
}

impl Counter {
    /// The counter whose sum is the instruction `at`, with these values known to be numbers.
    pub fn of(kernel: &Kernel, analysis: &Analysis, numbers: &[Option<u64>], at: usize) -> Option<Counter> {
        let Analysis { graph, webs, .. } = analysis;
        let it = &kernel.body[at];
        let [Operand::Register(sum), Operand::Register(from), Operand::Immediate(by)] = it.operands[..] else {
            return None;
        };
        let value = webs.written(at, sum);
        if it.opcode != Opcode::Add || by == 0 || by >> 16 != 0 || webs.read(at, from) != value {
            return None;
        }
        let begins: Vec<usize> = webs.writers[value].iter().copied().filter(|write| *write != at).collect();
        let block = graph.blocks.iter().position(|block| block.body.contains(&at))?;
        let End::Branch { taken, other, .. } = graph.blocks[block].end else { return None };
        // The comparison behind the sum.
        let condition = webs.conditions[block]?;
        let [test] = webs.writers[condition][..] else { return None };
        let body = &graph.blocks[block].body;
        let place = |wanted: usize| body.iter().position(|at| *at == wanted);
        if place(test)? < place(at)? {
            return None;
        }
        let it = &kernel.body[test];
        let ty = *it.types.first().filter(|ty| it.types.len() == 1 && !ty.is_float() && ty.bits() == 32)?;
        let [Operand::Register(_), Operand::Register(compared), end] = &it.operands[..] else { return None };
        if it.opcode != Opcode::Setp || webs.read(test, *compared) != value {
            return None;
        }
        let end = match end {
            Operand::Immediate(bits) => bits & ty.mask(),
            Operand::Register(register) => numbers[webs.read(test, *register)]? & ty.mask(),
            _ => return None,
        };
        let word = it.words.one_of(&[Word::Ne, Word::Eq, Word::Lt, Word::Lo, Word::Ge, Word::Hs])?;
        let out = if matches!(word, Word::Ne | Word::Lt | Word::Lo) { other } else { taken };
        let signed = ty.is_signed() && !matches!(word, Word::Lo | Word::Hs);
        // From the way out the sum is reached past another write alone.
        let begun: Vec<bool> =
            graph.blocks.iter().map(|block| begins.iter().any(|write| block.body.contains(write))).collect();
        let open = graph.successors().into_iter().zip(&begun).map(|(to, begun)| if *begun { vec![] } else { to });
        if begun[block] || out == block || reached(&open.collect(), [out], None)[block] {
            return None;
        }
        let below = !matches!(word, Word::Ne | Word::Eq);
        Some(Counter { by, begins, end, below, signed })
    }

    /// What the sum is at most, if the other writes give so much at most.
    pub fn most(&self, begin: u64) -> Option<u64> {
        // As numbers without a sign, all of which the comparison must see as such.
        if self.signed && (self.end | begin) >> 31 != 0 {
            return None;
        }
        let before = match self.below {
            true => begin.max(self.end.saturating_sub(1)),
            false if self.by == 1 && begin < self.end => self.end - 1,
            false => return None,
        };
        Some(before + self.by).filter(|most| most >> if self.signed { 31 } else { 32 } == 0)
    }
}
