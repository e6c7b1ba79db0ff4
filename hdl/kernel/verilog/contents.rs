//! What ROMs hold, as Verilog.

use std::fmt::Write as _;

use num_bigint::BigUint;

use super::text::constant;
use crate::netlist::Memory;

/// Statements of a block. For each of them yosys 0.23 goes through all others of its block: in one block, 8,000 words
/// of a ROM took it 46 s, in blocks of 64 they take one.
const BLOCK: usize = 64;

/// Blocks that fill a ROM with its words.
pub(super) fn print(memory: &Memory, words: &[BigUint], text: &mut String) {
    for (block, words) in words.chunks(BLOCK).enumerate() {
        let _ = writeln!(text, "\n  initial begin");
        for (at, word) in words.iter().enumerate() {
            let _ = writeln!(text, "    {}[{}] = {};", memory.name, block * BLOCK + at, constant(word, memory.width));
        }
        let _ = writeln!(text, "  end");
    }
}
