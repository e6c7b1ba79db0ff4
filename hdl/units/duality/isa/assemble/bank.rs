//! Statements of the crossbar: shuffles and reductions.

use super::{Assembler, Reader, address, listed};
use crate::duality::isa::assemble::options::Options;
use crate::duality::isa::codes::{Kind, MemoryOp, Space};
use crate::duality::isa::field::*;
use crate::duality::isa::source::{Placed, Token, placed};
use crate::duality::isa::word::Word;

/// What names of reductions begin with among those of memory.
const ATOMIC: &str = "atom.";

/// The name of a reduction in texts.
pub fn reduction(op: MemoryOp) -> &'static str {
    op.name().strip_prefix(ATOMIC).unwrap_or(op.name())
}

/// `shuffle d [address] b` or `reduce.OP d b`.
pub(super) fn bank(
    assembler: &Assembler<'_>,
    verb: Token<'_>,
    reader: &mut Reader<'_, '_>,
    options: &mut Options<'_>,
) -> Placed<Word> {
    let op = match verb.text.split_once('.') {
        None if verb.text == "shuffle" => MemoryOp::Load,
        Some(("reduce", name)) => {
            let all = || MemoryOp::ALL.iter().copied().filter(|op| op.reduces());
            listed(verb, name, |name| all().find(|&op| reduction(op) == name), all().map(reduction))?
        }
        _ => return Err((verb.column, format!("{:?}: must be shuffle, or reduce with a name behind", verb.text))),
    };
    let (token, d) = reader.plain("rows of the result")?;
    let slot = placed(token, d.slot())?;
    let mut word = Word::new(Kind::Memory).with(MEMORY_OP, op.code()).with(SPACE, Space::Bank.code());
    word = word.with(D, d.row).with(WIDTH, d.rows - 1).with(DATA_SLOT, slot).with(SLOT, slot);
    if op == MemoryOp::Load {
        word = address(reader, word, false)?;
    }
    let (token, b) = reader.plain("rows of data")?;
    if (placed(token, b.slot())?, b.rows) != (slot, d.rows) {
        let rule = "all data are in one array, and have as many rows";
        return Err((token.column, format!("{:?}: {rule}", token.text)));
    }
    let threads = options.segment(assembler.params.columns as u64)?;
    options.predicate(word.with(B, b.row).with(S, threads.ilog2().into()), 1 << slot)
}
