//! The directory of the setup ROM: where the commands of a set and an opcode begin.

use super::command;
use crate::array::isa::opcode::{Opcode, Set};

/// Opcodes that a page of the directory has room for.
pub const OPCODES: usize = 64;
/// Words of a page of the directory: one for each opcode and code of a set. The first page begins at setup address 0;
/// the second one, with larger opcodes, follows where there is floating point or a custom operation, and the third one
/// where there is floating point ([`directory`]).
pub const PAGE: usize = OPCODES << command::SET_BITS;
/// Setup address of commands whose opcode or set is unknown to every design: that of a set which does not exist.
pub const UNKNOWN_ENTRY: usize = OPCODES * Set::ALL.len();

/// Setup address of the word that an opcode's commands start at.
pub const fn entry(set: usize, opcode: usize) -> usize {
    opcode / OPCODES * PAGE + set * OPCODES + opcode % OPCODES
}

/// Words of the directory, of one to three pages. Behind it stand the words that refuse unknown opcodes and missing
/// latches.
pub const fn directory(pages: usize) -> usize {
    pages * PAGE
}

// Opcodes of the second page are those that the parameters `float` and `custom` bring, those of the third one come with
// `float`, or with `unpacked`, which is nothing without it; none is beyond it.
const _: () = {
    assert!(Opcode::CUSTOM[0] as usize >= OPCODES && (Opcode::CUSTOM[5] as usize) < 2 * OPCODES);
    let mut at = 0;
    while at < Opcode::ALL.len() {
        let opcode = Opcode::ALL[at];
        assert!((opcode as usize) < 3 * OPCODES && ((opcode as usize) < OPCODES || opcode.needs_float()));
        at += 1;
    }
};
