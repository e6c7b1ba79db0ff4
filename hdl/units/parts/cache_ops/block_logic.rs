//! What the sense amplifiers of two raised wordlines give, and what is made of it beside the sub-array. Combinational.
//!
//! ```text
//!        bitline            complement
//!   AND ◀───┤  a, b raised  ├───▶ NOR         OR = ¬NOR   XOR = ¬(AND ∨ NOR)   NOT a = NOR of a with itself
//!           │               │
//!           └──▶ value ─────┘ back onto the bitlines
//!        XOR ─▶ wired-NOR of 64 columns ─▶ equal            AND ─▶ XOR-reduction tree ─▶ parity
//! ```
//!
//! Copy is the AND of a row with itself, driven back in the same cycle: the last value read is the value to write, so
//! that nothing latches it. Zero drives a reset data latch and reads nothing. `merge` is an ordinary write: the bytes
//! under `mask`.
//!
//! The same logic stands beside the array as the near-place unit. `results` holds a bit for each word of the
//! operation's width, from bit 0 up, 0 above them.

use super::CACHE_OP_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::MaskedSink;
use row_op::*;

/// Bits of a granularity: 64 bits times 2 to this power.
pub const GRAIN_BITS: usize = 2;
/// What a sub-array does in a cycle: the code of a [`super::CacheOp`], or one of [`row_op`]'s own.
pub type RowOp = Bits<CACHE_OP_BITS>;
/// Row operations.
pub mod row_op {
    use crate::parts::cache_ops::CacheOp;

    /// The row goes out over the interconnect.
    pub const ROW_READ: u64 = 10;
    /// Bytes that come over the interconnect are written.
    pub const ROW_MERGE: u64 = 11;
    /// The key is written to the key row.
    pub const ROW_KEY: u64 = 12;

    /// As its operation.
    pub const ROW_ZERO: u64 = CacheOp::Zero as u64;
    /// As its operation.
    pub const ROW_OR: u64 = CacheOp::Or as u64;
    /// As its operation.
    pub const ROW_XOR: u64 = CacheOp::Xor as u64;
    /// As its operation.
    pub const ROW_NOT: u64 = CacheOp::Not as u64;
    /// As its operation.
    pub const ROW_SEARCH: u64 = CacheOp::Search as u64;
    /// As its operation.
    pub const ROW_CLMUL: u64 = CacheOp::Clmul as u64;
}

const GRAIN_128: u64 = 1;
const GRAIN_256: u64 = 2;

hdl_block! {
    /// The logic.
    pub CcLogic<W: RowWord> {
        In op: RowOp; /// What to do.
        In grain: Bits<GRAIN_BITS>; /// Granularity of a carry-less product.
        In a, b: W; /// First row raised. Second row raised; the first again if only one is.
        Bus masked_: MaskedSink<W>; /// An ordinary write.
        Out value: W; /// What goes back onto the bitlines.
        Out results: Bits<8>; /// A bit for each word.
    } inside {
        Local both, neither, differ, differ_rest, both_rest: W;
        Local equal, of_64, of_128, of_256: Bits<8>;
        Value _words: u64;
    }
}

impl<W: RowWord> CcLogic<W> {
    /// For words of this width.
    pub fn new() -> Self {
        CcLogic { _words: W::width() as u64 / 64, ..Self::default() }
    }
}

impl<W: RowWord> Logic for CcLogic<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.both.next = self.a.val() & self.b.val();
        self.neither.next = !(self.a.val() | self.b.val());
        self.differ.next = !(self.both.val() | self.neither.val());
        self.value.next = self.both.val();
        if self.op.val() == ROW_ZERO {
            self.value.next = 0.into();
        }
        if self.op.val() == ROW_OR {
            self.value.next = !self.neither.val();
        }
        if self.op.val() == ROW_XOR {
            self.value.next = self.differ.val();
        }
        if self.op.val() == ROW_NOT {
            self.value.next = self.neither.val();
        }
        if self.op.val() == ROW_MERGE {
            self.value.next =
                (self.a.val() & !self.masked_.mask.val()) | (self.masked_.data.val() & self.masked_.mask.val());
        }
        self.equal.next = 0.into();
        self.of_64.next = 0.into();
        self.differ_rest.next = self.differ.val();
        self.both_rest.next = self.both.val();
        for i in 0..self._words {
            self.equal.next = self.equal.val()
                | (bits_to::<Bits<8>, Bit>(!bits_to::<Word<64, 1>, W>(self.differ_rest.val()).any()) << i);
            self.of_64.next = self.of_64.val()
                | (bits_to::<Bits<8>, Bit>(bits_to::<Word<64, 1>, W>(self.both_rest.val()).xor()) << i);
            self.differ_rest.next = self.differ_rest.val() >> 64;
            self.both_rest.next = self.both_rest.val() >> 64;
        }
        self.of_128.next = self.of_64.val() ^ (self.of_64.val() >> 1);
        self.of_256.next = self.of_128.val() ^ (self.of_128.val() >> 2);
        self.results.next = self.equal.val();
        if self.op.val() == ROW_CLMUL {
            self.results.next = self.of_64.val();
            if self.grain.val() == GRAIN_128 {
                self.results.next = bits_to::<Bits<8>, Bit>(self.of_128.val().get_bit(0))
                    | (bits_to::<Bits<8>, Bit>(self.of_128.val().get_bit(2)) << 1)
                    | (bits_to::<Bits<8>, Bit>(self.of_128.val().get_bit(4)) << 2)
                    | (bits_to::<Bits<8>, Bit>(self.of_128.val().get_bit(6)) << 3);
            }
            if self.grain.val() == GRAIN_256 {
                self.results.next = bits_to::<Bits<8>, Bit>(self.of_256.val().get_bit(0))
                    | (bits_to::<Bits<8>, Bit>(self.of_256.val().get_bit(4)) << 1);
            }
        }
    }

    described!("cc_logic", "What the sense amplifiers of two rows give: AND, NOR, and what is made of them.";
        ROW_ZERO, ROW_OR, ROW_XOR, ROW_NOT, ROW_MERGE, ROW_CLMUL, GRAIN_128, GRAIN_256; _words);
}
