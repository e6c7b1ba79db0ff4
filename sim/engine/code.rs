//! Instructions.

use super::lanes::each::Each;
use super::memory::Word;
use super::records::{AdderRecord, After, Cases, LookRecord, Record, TableRecord, WideMuxRecord};
use super::wide::Rare;

/// Number of a word of the state.
pub(super) type Slot = u32;

/// An instruction. `d` is the result, `a`, `b`, `c` are operands, `n` a number of limbs, `k` leading zeros of the
/// result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instr {
    End,
    Jump {
        to: u32,
    },
    JumpIf {
        c: Slot,
        to: u32,
    },
    JumpUnless {
        c: Slot,
        to: u32,
    },
    /// Goes where the table of targets says at the number in `c`, which is below `n`.
    Switch {
        c: Slot,
        from: u32,
        n: u32,
    },
    /// To `end` if none of the groups in the mask is due, else to `to` if `group` is not: what is there skips other
    /// groups.
    JumpUnlessDue {
        group: u8,
        to: u32,
        mask: u64,
        end: u32,
    },
    /// Compares words with what they were; groups in the masks of the words that differ are due. The first one of a
    /// cycle also forgets the groups that were, and compares what is compared only after them.
    Look {
        from: u32,
        n: u32,
        first: bool,
    },
    // One limb.
    And {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Or {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Xor {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    AndNot {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Mul {
        d: Slot,
        a: Slot,
        b: Slot,
        k: u8,
    },
    /// `i`, `j`: leading zeros of the operands.
    MulSigned {
        d: Slot,
        a: Slot,
        b: Slot,
        i: u8,
        j: u8,
        k: u8,
    },
    Lt {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Le {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    LtSigned {
        d: Slot,
        a: Slot,
        b: Slot,
        k: u8,
    },
    LeSigned {
        d: Slot,
        a: Slot,
        b: Slot,
        k: u8,
    },
    Parity {
        d: Slot,
        a: Slot,
    },
    /// Bits that lie in two limbs; `low` is not 0.
    Across {
        d: Slot,
        a: Slot,
        low: u8,
        k: u8,
    },
    Shl {
        d: Slot,
        a: Slot,
        b: Slot,
        k: u8,
    },
    Shr {
        d: Slot,
        a: Slot,
        b: Slot,
        k: u8,
    },
    /// First with bits from `low` up replaced by those of the second.
    Insert {
        d: Slot,
        a: Slot,
        b: Slot,
        low: u8,
        k: u8,
    },
    SetBit {
        d: Slot,
        a: Slot,
        b: Slot,
        at: Slot,
        k: u8,
    },
    /// `j`: leading zeros of the operand.
    Sext {
        d: Slot,
        a: Slot,
        j: u8,
        k: u8,
    },
    Store {
        c: Slot,
        a: Slot,
        b: Slot,
        m: u16,
    },
    // Several limbs.
    CopyN {
        d: Slot,
        a: Slot,
        n: u16,
    },
    AndN {
        d: Slot,
        a: Slot,
        b: Slot,
        n: u16,
    },
    OrN {
        d: Slot,
        a: Slot,
        b: Slot,
        n: u16,
    },
    XorN {
        d: Slot,
        a: Slot,
        b: Slot,
        n: u16,
    },
    AndNotN {
        d: Slot,
        a: Slot,
        b: Slot,
        n: u16,
    },
    /// The value whose place stands in the table of places, from `from` up, at the number that is in `a` from `low` up.
    ChooseN {
        d: Slot,
        a: Slot,
        from: u32,
        low: u8,
        k: u8,
        n: u16,
    },
    StoreN {
        c: Slot,
        a: Slot,
        b: Slot,
        m: u16,
    },
    /// Only where the mask is 1.
    StoreMasked {
        c: Slot,
        a: Slot,
        b: Slot,
        mask: Slot,
        m: u16,
    },
    Rare {
        at: u32,
    },
    /// The number of a value in a table of cases.
    Case {
        d: Slot,
        a: Slot,
        at: u32,
    },
    // `n` records one after the other.
    /// `d` ← `a`.
    Copies {
        from: u32,
        n: u32,
    },
    /// `d` ← bits of `a` from `low` up.
    Fields {
        from: u32,
        n: u32,
    },
    /// `d` ← whether bits of `a` from `low` up equal `b`, or differ if `flag` is set.
    Tests {
        from: u32,
        n: u32,
    },
    /// `d` ← `c` ? `a` : `b`.
    Muxes {
        from: u32,
        n: u32,
    },
    /// `d` ← `a` + `b`, or − `b` if `flag` is set.
    Sums {
        from: u32,
        n: u32,
    },
    /// `d` ← word `a` of memory `b`.
    Words {
        from: u32,
        n: u32,
    },
    /// The same with several limbs.
    WideWords {
        from: u32,
        n: u32,
    },
    /// `d` ← what is at the place that stands in the table of places, from `b` up, at the number that is in `a` from
    /// `low` up.
    Choices {
        from: u32,
        n: u32,
    },
    /// `d` ← the bit of `low` at the number that the bits `a`, `b` and `c` are.
    Tables3 {
        from: u32,
        n: u32,
    },
    // Records of their own tables.
    WideMuxes {
        from: u32,
        n: u32,
    },
    Tables5 {
        from: u32,
        n: u32,
    },
    Adder {
        at: u32,
    },
}

/// What code refers to.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    pub rare: Vec<Rare>,
    pub lanes: Vec<Each>,
    pub memories: Vec<Word>,
    pub masks: Vec<u64>,
    pub looks: Vec<LookRecord>,
    pub after: After,
    pub cases: Vec<Cases>,
    pub targets: Vec<u32>,
    pub records: Vec<Record>,
    pub wide_muxes: Vec<WideMuxRecord>,
    pub adders: Vec<AdderRecord>,
    pub places: Vec<Slot>,
    pub tables5: Vec<TableRecord>,
}
