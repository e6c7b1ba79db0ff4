//! The one table of a word's fields: place, width, kinds of words that have it, meaning. Encoder, decoder,
//! disassembler, documents and hardware read it; widths come from the lists and parameters that the fields speak of.
//!
//! Kinds share bits: what an opcode is in a compute word is a condition in a jump. Bits that a kind does not use are 0.

use std::sync::OnceLock;

use super::codes::{Condition, Element, Kind, MaskOp, MemoryOp, Predicate, ScalarOp, Source, Space};
use crate::array::isa::code::bits;
use crate::array::isa::format::FORMATS;
use crate::array::isa::{Opcode, Set};
use crate::duality::params::{MOST_ROWS, SCALARS, SLOTS};

/// Bits of a word.
pub const WORD_BITS: usize = 128;

/// A field of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in messages and documents.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: usize,
    /// Number of bits.
    pub bits: usize,
    /// Kinds of words that have it.
    pub kinds: &'static [Kind],
    /// What it means.
    pub doc: &'static str,
}

impl Field {
    /// The bit behind its highest.
    #[inline]
    pub const fn end(&self) -> usize {
        self.lsb + self.bits
    }

    /// Its bits in a word.
    #[inline]
    pub const fn mask(&self) -> u128 {
        ((1 << self.bits) - 1) << self.lsb
    }

    /// Its value in a word.
    #[inline]
    pub const fn get(&self, word: u128) -> u64 {
        ((word & self.mask()) >> self.lsb) as u64
    }

    /// The largest value that it holds.
    #[inline]
    pub const fn most(&self) -> u64 {
        (1 << self.bits) - 1
    }

    /// Whether words of this kind have it.
    #[inline]
    pub fn is_of(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }
}

/// Bits that tell so many things apart.
const fn choices(count: usize) -> usize {
    bits(&[count as u64 - 1])
}

/// Bits of an opcode.
const OPCODE_BITS: usize = {
    let (mut at, mut most) = (0, 0);
    while at < Opcode::ALL.len() {
        let code = Opcode::ALL[at].code();
        // Words have neither unpacked numbers nor fixed-point functions, among which the largest codes are.
        let without = Opcode::ALL[at].is_unpacked() || Opcode::ALL[at].is_cordic();
        most = if code > most && !without { code } else { most };
        at += 1;
    }
    bits(&[most])
};

const ALL: &[Kind] = Kind::ALL;
const COMPUTE: &[Kind] = &[Kind::Compute];

/// Declares the fields, each with its constant, and the list of all.
macro_rules! fields {
    ($($name:ident $text:literal [$lsb:expr; $bits:expr] $kinds:expr, $doc:literal;)+) => {
        $(
            #[doc = $doc]
            pub const $name: Field = Field { name: $text, lsb: $lsb, bits: $bits, kinds: $kinds, doc: $doc };
        )+
        /// Every field.
        pub const FIELDS: &[Field] = &[$($name),+];
    };
}

fields! {
    KIND "kind" [0; Kind::WIDTH] ALL, "what the word is";
    SLOT "slot" [KIND.end(); choices(SLOTS)] &[Kind::Compute, Kind::Move, Kind::Memory, Kind::Mask, Kind::Jump],
        "the array: that computes, that rows leave, that holds addresses, or the predicate or row that is looked at";
    WAIT "wait" [SLOT.end(); SLOTS + 1] ALL,
        "what must have ended everything before this word: windows 0 to 3, memory port (m)";

    OPCODE "opcode" [WAIT.end(); OPCODE_BITS] COMPUTE, "the array's operation";
    SET "set" [OPCODE.end(); choices(Set::ALL.len())] COMPUTE, "micro-program set";
    FORMAT "format" [SET.end(); choices(FORMATS.len() + 1)] COMPUTE,
        "0: integers; else the format of floating-point numbers, 1 being the first of the table";
    WIDTH "width" [FORMAT.end(); 6] &[Kind::Compute, Kind::Move, Kind::Memory],
        "bits that the operation works on, rows that move, rows of the data; less 1";
    WIDTH_A "width_a" [WIDTH.end(); 6] &[Kind::Compute, Kind::Memory], "rows of a, of an address; less 1";
    WIDTH_B "width_b" [WIDTH_A.end(); 6] COMPUTE, "rows of b, or bits of immediate or scalar that count; less 1";
    SCALE "scale" [WIDTH_A.end(); 2] &[Kind::Memory], "rows by which an address that is in rows is shifted up";
    SIGN_A "sign_a" [WIDTH_B.end(); 1] COMPUTE, "a is extended with its sign, else with zeros";
    SIGN_B "sign_b" [SIGN_A.end(); 1] COMPUTE, "b is extended with its sign, else with zeros";
    D "d" [SIGN_B.end(); choices(MOST_ROWS)] &[Kind::Compute, Kind::Move, Kind::Memory, Kind::Mask],
        "first row of the result, or the mask row that is written";
    A "a" [D.end(); choices(MOST_ROWS)] &[Kind::Compute, Kind::Move, Kind::Memory, Kind::Mask, Kind::Jump],
        "first row of the first source or of the address (or the scalar register that holds it); row looked at; of a \
        jump on a scalar its register";
    B "b" [A.end(); choices(MOST_ROWS)] &[Kind::Compute, Kind::Memory],
        "first row of the second source (or the scalar register that holds it), or of data for memory";
    S "s" [B.end(); choices(MOST_ROWS)] &[Kind::Compute, Kind::Memory],
        "first scratch row; of a compare and swap the first row of what is written; of a word of the crossbar log2 of \
        the threads of a segment";
    E "e" [S.end(); choices(MOST_ROWS)] &[Kind::Compute, Kind::Memory],
        "first row of the second result or the third source, or the row of a selection or predicate";
    MODIFIER "modifier" [E.end(); 5] &[Kind::Compute, Kind::Memory],
        "integers: rows by which a is shifted up; floating point: rounding and flushing; of an address that is a sum \
        the scalar register";
    SOURCE "source" [MODIFIER.end(); Source::WIDTH] &[Kind::Compute, Kind::Memory, Kind::Scalar],
        "where b comes from, of memory words the address";
    PREDICATE "predicate" [SOURCE.end(); Predicate::WIDTH] &[Kind::Compute, Kind::Memory], "threads that take part";
    IMMEDIATE "immediate" [PREDICATE.end(); 32] &[Kind::Compute, Kind::Memory, Kind::Scalar],
        "b, the accumulator's width of a dot product, the offset of an address (signed), or the first spill row";

    TARGETS "targets" [WAIT.end(); SLOTS] &[Kind::Move], "arrays that the rows go to";
    MEMORY_OP "operation" [WAIT.end(); MemoryOp::WIDTH] &[Kind::Memory], "what is done";
    SPACE "space" [MEMORY_OP.end(); Space::WIDTH] &[Kind::Memory], "what the address counts in";
    ELEMENT "element" [SPACE.end(); Element::WIDTH] &[Kind::Memory], "bits in memory, as a power of two of bytes";
    EXTEND "extend" [ELEMENT.end(); 1] &[Kind::Memory], "data are extended with their sign, else with zeros";
    DATA_SLOT "data_slot" [EXTEND.end(); choices(SLOTS)] &[Kind::Memory], "the array of the data";
    SCALAR_OP "operation" [WAIT.end(); ScalarOp::WIDTH] &[Kind::Scalar], "what is computed";
    SCALAR_D "d" [D.lsb; choices(SCALARS)] &[Kind::Scalar], "the register that is written";
    SCALAR_A "a" [A.lsb; choices(SCALARS)] &[Kind::Scalar], "the first source";
    SCALAR_B "b" [B.lsb; choices(SCALARS)] &[Kind::Scalar], "the second source";
    SCALAR_C "c" [S.lsb; choices(SCALARS)] &[Kind::Scalar], "what a selection looks at";
    MASK_OP "operation" [WAIT.end(); MaskOp::WIDTH] &[Kind::Mask], "what is done";
    CONDITION "condition" [WAIT.end(); Condition::WIDTH] &[Kind::Jump], "when it is taken";
    TARGET "target" [IMMEDIATE.lsb; 32] &[Kind::Jump],
        "number of the word that comes next, counted from the program's first; its place in the ring is the low bits";
    CODE "code" [IMMEDIATE.lsb; 8] &[Kind::End], "what the host is told";
}

/// The bits that words of a kind may use. Added up once: who reads a word asks.
#[inline]
pub fn used(kind: Kind) -> u128 {
    static USED: OnceLock<Vec<u128>> = OnceLock::new();
    let of = |kind: &Kind| FIELDS.iter().filter(|field| field.is_of(*kind)).fold(0, |bits, field| bits | field.mask());
    // Kinds are listed by their codes.
    USED.get_or_init(|| Kind::ALL.iter().map(of).collect())[kind.code() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_kind_are_apart_and_all_fit() {
        assert_eq!(IMMEDIATE.end(), WORD_BITS, "four words of 32 bits, none to spare");
        assert_eq!(IMMEDIATE.lsb % 32, 0, "hosts write the immediate as a word");
        assert!(Kind::ALL.iter().enumerate().all(|(at, kind)| kind.code() as usize == at), "`used` counts on it");
        for &kind in Kind::ALL {
            let own: Vec<&Field> = FIELDS.iter().filter(|field| field.is_of(kind)).collect();
            for (at, field) in own.iter().enumerate() {
                assert!(field.end() <= WORD_BITS && field.bits > 0, "{kind}: {}", field.name);
                for other in &own[..at] {
                    assert_eq!(field.mask() & other.mask(), 0, "{kind}: {} and {}", field.name, other.name);
                    assert_ne!(field.name, other.name, "{kind}");
                }
            }
        }
    }

    /// Layouts that program files depend on.
    #[test]
    fn places() {
        let places = [SLOT, WAIT, OPCODE, WIDTH, D, A, B, S, E, SOURCE, PREDICATE].map(|field| (field.lsb, field.bits));
        let expected =
            [(3, 2), (5, 5), (10, 7), (22, 6), (42, 9), (51, 9), (60, 9), (69, 9), (78, 9), (92, 2), (94, 2)];
        assert_eq!(places, expected);
    }
}
