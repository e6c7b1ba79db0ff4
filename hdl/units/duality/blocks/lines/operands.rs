//! Operands of an instruction on lines, and what is made of them.
//!
//! ```text
//!  answer_line ─┬─▶ kept ─▶ a ┐
//!               └──────▶ b ───┴─▶ logic ─▶ line
//!                                   └────▶ bits ─▶ mask
//! ```
//!
//! With `keeps` the line of the answer is kept at the end of the cycle: the first operand of two (`two`), or the key.
//! `line` is what an operation that writes makes of it and the line of the last answer, or of this alone if there are
//! not two. With `gives` a bit for each word of the line, as the operation says, is added at the end of the cycle to
//! `mask`, at the place of line `number`: words have 64 bits, or, if there is a granularity (`has_grain`), 64 bits
//! times 2 to its power. `start` makes all of `mask` 0; it does not come together with `gives`.
//!
//! A reset makes `mask` 0, too; what is kept stays.

use crate::duality::blocks::bundles::CacheLine;
use crate::kernel::prelude::*;
use crate::parts::cache_ops::{CcLogic, GRAIN_BITS, RowOp};

/// log2 of the words of 64 bits in a line.
const LOG_WORDS: u64 = 3;

hdl_block! {
    /// The operands.
    pub DualityLineOperands {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// An instruction begins.
        In op: RowOp; /// What it computes.
        In grain: Bits<GRAIN_BITS>; /// Granularity, if it has one.
        In has_grain, two: Bit; /// It has one. It has two operands.
        In answer_line: CacheLine; /// The line of the last answer.
        In keeps, gives: Bit; /// It is kept. It completes the operands of a line.
        In number: Bits<6>; /// Which one.
        Out line: CacheLine; /// What is made of them.
        Out mask: Word<64, 1>; /// A bit for each word.
    } inside {
        Pipe kept: CacheLine; // First operand, or key.
        Register bits: Word<64, 1>; // The mask so far.
        Child logic: CcLogic<CacheLine>;
        Local scale: Bits<2>;
    }
}

impl DualityLineOperands {
    /// The operands.
    pub fn new() -> Self {
        DualityLineOperands { logic: CcLogic::new(), ..Self::default() }
    }
}

impl Logic for DualityLineOperands {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept, bits);
        if self.keeps.val() {
            self.kept.d.next = self.answer_line.val();
        }
        self.logic.op.next = self.op.val();
        self.logic.grain.next = self.grain.val();
        self.logic.a.next = self.answer_line.val();
        if self.two.val() {
            self.logic.a.next = self.kept.q.val();
        }
        self.logic.b.next = self.answer_line.val();
        self.logic.masked_.data.next = 0.into();
        self.logic.masked_.mask.next = 0.into();
        self.line.next = self.logic.value.val();
        self.scale.next = LOG_WORDS.into();
        if self.has_grain.val() {
            self.scale.next = self.scale.val() - self.grain.val();
        }
        if self.gives.val() {
            self.bits.d.next = self.bits.q.val()
                | (bits_to::<Word<64, 1>, Bits<8>>(self.logic.results.val())
                    << (self.number.val() << self.scale.val()));
        }
        if self.start.val() {
            self.bits.d.next = 0.into();
        }
        self.mask.next = self.bits.q.val();
    }

    described! { "duality_line_operands", "Operands of an instruction on lines, and what is made of them."; LOG_WORDS }
}
