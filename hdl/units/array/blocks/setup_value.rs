//! Setup value: the quantities of a command, and the pipeline that computes the value of each setup word from them.
//!
//! ```text
//!  word ─▶ partial sums ─▶ value, first rows and ends of the word's operands
//! ```
//!
//! A word takes three cycles with `step` = 1; `discard` = 1 in such a cycle drops all words on their way. The value is
//! operand's first row + constant + multiple of n + term, in two's complement, halved up to three times (rounding
//! down). The ends are read a cycle before the value is there: an end that a word writes two cycles later (when it
//! acts) is seen by the third word behind it.

use crate::array::isa::format::MODE_BITS;
use crate::array::isa::linear::Term;
use crate::array::isa::word::MODE_TERM;
use crate::array::isa::word::setup::{
    CONSTANT_BITS, CONSTANT_LSB, KIND_BITS, KIND_LSB, N_BITS, N_LSB, OPERAND_BITS, OPERAND_LSB, SHIFT_BITS, SHIFT_LSB,
    TARGET_BITS, TARGET_LSB, TERM_BITS, TERM_LSB, TEST_BITS, TEST_LSB, TO_BITS, TO_LSB, WIDTH,
};
use crate::kernel::prelude::*;

/// A setup word.
pub type SetupWord = Word<{ WIDTH }, 1>;

/// Bits of a value: two's complement.
pub const VALUE: usize = 12;
const VALUE_SIGN: usize = VALUE - 1;
/// Bits of a mode.
pub const MODE: usize = MODE_BITS as usize;
numbers! {
    TERM_M = Term::M, TERM_MINUS_M = Term::MinusM, TERM_STAGES = Term::Stages, TERM_EXCESS = Term::Excess,
    TERM_LOG2 = Term::Log2, TERM_MODE = MODE_TERM
}

hdl_block! {
    /// The value pipeline.
    pub SetupValue {
        In clock: Domain; /// Clock and reset.
        In load: Bit; /// A command comes in: takes its widths and rows, and drops all words.
        In load_n, load_m: Bits<7>; /// Width n. Second width m.
        In load_mode: Bits<MODE>; /// Low bits of the key.
        Bus load_first: [Signal<In, Bits<10>>; 5]; /// First rows of operands 1 to 5.
        In step: Bit; /// The pipeline moves.
        In discard: Bit; /// Words on their way are dropped.
        In enter: Bit; /// A word enters.
        In enter_word: SetupWord; /// The word.
        In end_write: Bit; /// An end is written.
        In end_operand: Bits<OPERAND_BITS>; /// Its operand.
        In end_value: Bits<11>; /// One past the operand's last row.
        Out width: Bits<7>; /// Width n.
        Out valid: Bit; /// A word is at the end.
        Out kind: Bits<KIND_BITS>; /// What the word does.
        Out operand: Bits<OPERAND_BITS>; /// Its operand.
        Out to: Bits<TO_BITS>; /// Its destination, second operand or error code.
        Out test: Bits<TEST_BITS>; /// Its test.
        Out target: Bits<TARGET_BITS>; /// Its target.
        Out value: Bits<VALUE>; /// Its value.
        Out first_row, second_row: Bits<10>; /// First row of its operand. First row of its second operand.
        Out first_end: Bits<11>; /// One past the last row of its operand.
        Out second_end: Bits<11>; /// One past the last row of its second operand.
    } inside {
        Register n: Bits<7>; // Width n.
        Register triple: Bits<9>; // 3n.
        Register minus_n: Bits<VALUE>; // −n.
        Register log2: Bits<3>; // ⌈log2 n⌉.
        Register m: Bits<7>; // Second width m.
        Register minus_m: Bits<VALUE>; // −m.
        Register stages: Bits<3>; // min(m, ⌈log2 n⌉).
        Register excess: Bits<7>; // m less the stages.
        Register mode: Bits<MODE>; // Low bits of the key.
        Child first: [Register<Bits<10>>; 5]; // First rows of operands 1 to 5.
        Child end: [Register<Bits<11>>; 5]; // One past their last rows.
        Register word_valid: Bit; // The word register holds a word.
        Register word: SetupWord; // The word.
        Register sums_valid: Bit; // The partial sums are of a word.
        Register sums_word: SetupWord; // The word.
        Register sums_base, sums_linear: Bits<VALUE>; // Operand's first row and constant. Multiple of n and term.
        Register act_valid: Bit; // The value is of a word.
        Register act_word: SetupWord; // The word.
        Register act_value: Bits<VALUE>; // Its value.
        Register act_first, act_second: Bits<10>; // First row of its operand. First row of its second operand.
        Register act_end: Bits<11>; // One past the last row of its operand.
        Register act_second_end: Bits<11>; // One past the last row of its second operand.
        Local row_operand, end_of, second: Bits<OPERAND_BITS>;
        Local row: Bits<10>;
        Local constant, multiple, term, sum, shifted: Bits<VALUE>;
        Local at_first, at_second: Bits<10>;
        Local end_first, end_second: Bits<11>;
        Local fill: Bits<VALUE>;
    }
}

impl Logic for SetupValue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, n, triple, minus_n, log2, m, minus_m, stages, excess, mode, word_valid, word);
        dff_setup!(self, clock, sums_valid, sums_word, sums_base, sums_linear, act_valid, act_word, act_value);
        dff_setup!(self, clock, act_first, act_second, act_end, act_second_end);
        for k in 0..5 {
            self.first[k].clock.next = self.clock.val();
            self.first[k].d.next = self.first[k].q.val();
            self.end[k].clock.next = self.clock.val();
            self.end[k].d.next = self.end[k].q.val();
        }
        // Quantities that follow from the widths; they are in place long before the first word asks for them.
        self.triple.d.next = bit_cast::<9, 7>(self.n.q.val()) + (bit_cast::<9, 7>(self.n.q.val()) << 1);
        self.minus_n.d.next = !bit_cast::<VALUE, 7>(self.n.q.val()) + 1;
        self.minus_m.d.next = !bit_cast::<VALUE, 7>(self.m.q.val()) + 1;
        if self.n.q.val() > 32 {
            self.log2.d.next = 6.into();
        } else if self.n.q.val() > 16 {
            self.log2.d.next = 5.into();
        } else if self.n.q.val() > 8 {
            self.log2.d.next = 4.into();
        } else if self.n.q.val() > 4 {
            self.log2.d.next = 3.into();
        } else if self.n.q.val() > 2 {
            self.log2.d.next = 2.into();
        } else if self.n.q.val() > 1 {
            self.log2.d.next = 1.into();
        } else {
            self.log2.d.next = 0.into();
        }
        self.stages.d.next = self.log2.q.val();
        if self.m.q.val() < bit_cast::<7, 3>(self.log2.q.val()) {
            self.stages.d.next = self.m.q.val().get_bits::<3>(0);
        }
        self.excess.d.next = self.m.q.val() - bit_cast::<7, 3>(self.stages.q.val());
        // Partial sums.
        self.row_operand.next = self.word.q.val().get_bits::<OPERAND_BITS>(OPERAND_LSB);
        self.row.next = 0.into();
        for k in 0..5 {
            if self.row_operand.val().index() == k + 1 {
                self.row.next = self.first[k].q.val();
            }
        }
        self.constant.next =
            bit_cast::<VALUE, CONSTANT_BITS>(self.word.q.val().get_bits::<CONSTANT_BITS>(CONSTANT_LSB));
        if self.constant.val().get_bit(7) {
            self.constant.next = self.constant.val() | 0xf00;
        }
        if self.word.q.val().get_bits::<N_BITS>(N_LSB) == 0 {
            self.multiple.next = 0.into();
        } else if self.word.q.val().get_bits::<N_BITS>(N_LSB) == 1 {
            self.multiple.next = bit_cast::<VALUE, 7>(self.n.q.val());
        } else if self.word.q.val().get_bits::<N_BITS>(N_LSB) == 2 {
            self.multiple.next = bit_cast::<VALUE, 7>(self.n.q.val()) << 1;
        } else if self.word.q.val().get_bits::<N_BITS>(N_LSB) == 3 {
            self.multiple.next = bit_cast::<VALUE, 9>(self.triple.q.val());
        } else if self.word.q.val().get_bits::<N_BITS>(N_LSB) == 7 {
            self.multiple.next = self.minus_n.q.val();
        } else {
            self.multiple.next = self.minus_n.q.val() << 1;
        }
        if self.word.q.val().get_bits::<TERM_BITS>(TERM_LSB) == TERM_M {
            self.term.next = bit_cast::<VALUE, 7>(self.m.q.val());
        } else if self.word.q.val().get_bits::<TERM_BITS>(TERM_LSB) == TERM_MINUS_M {
            self.term.next = self.minus_m.q.val();
        } else if self.word.q.val().get_bits::<TERM_BITS>(TERM_LSB) == TERM_STAGES {
            self.term.next = bit_cast::<VALUE, 3>(self.stages.q.val());
        } else if self.word.q.val().get_bits::<TERM_BITS>(TERM_LSB) == TERM_EXCESS {
            self.term.next = bit_cast::<VALUE, 7>(self.excess.q.val());
        } else if self.word.q.val().get_bits::<TERM_BITS>(TERM_LSB) == TERM_LOG2 {
            self.term.next = bit_cast::<VALUE, 3>(self.log2.q.val());
        } else if self.word.q.val().get_bits::<TERM_BITS>(TERM_LSB) == TERM_MODE {
            self.term.next = bit_cast::<VALUE, MODE>(self.mode.q.val());
        } else {
            self.term.next = 0.into();
        }
        // Value: the sum, halved up to three times, rounding down.
        self.sum.next = self.sums_base.q.val() + self.sums_linear.q.val();
        self.shifted.next = self.sum.val() >> self.sums_word.q.val().get_bits::<SHIFT_BITS>(SHIFT_LSB);
        self.fill.next = 0xfff.into();
        if self.sum.val().get_bit(VALUE_SIGN) {
            self.shifted.next =
                self.shifted.val() | !(self.fill.val() >> self.sums_word.q.val().get_bits::<SHIFT_BITS>(SHIFT_LSB));
        }
        self.end_of.next = self.sums_word.q.val().get_bits::<OPERAND_BITS>(OPERAND_LSB);
        self.second.next = self.sums_word.q.val().get_bits::<OPERAND_BITS>(TO_LSB);
        self.at_first.next = 0.into();
        self.at_second.next = 0.into();
        self.end_first.next = 0.into();
        self.end_second.next = 0.into();
        for k in 0..5 {
            if self.end_of.val().index() == k + 1 {
                self.at_first.next = self.first[k].q.val();
                self.end_first.next = self.end[k].q.val();
            }
            if self.second.val().index() == k + 1 {
                self.at_second.next = self.first[k].q.val();
                self.end_second.next = self.end[k].q.val();
            }
        }
        if self.step.val() {
            self.word_valid.d.next = self.enter.val() & !self.discard.val();
            self.word.d.next = self.enter_word.val();
            self.sums_valid.d.next = self.word_valid.q.val() & !self.discard.val();
            self.sums_word.d.next = self.word.q.val();
            self.sums_base.d.next = bit_cast::<VALUE, 10>(self.row.val()) + self.constant.val();
            self.sums_linear.d.next = self.multiple.val() + self.term.val();
            self.act_valid.d.next = self.sums_valid.q.val() & !self.discard.val();
            self.act_word.d.next = self.sums_word.q.val();
            self.act_value.d.next = self.shifted.val();
            self.act_first.d.next = self.at_first.val();
            self.act_second.d.next = self.at_second.val();
            self.act_end.d.next = self.end_first.val();
            self.act_second_end.d.next = self.end_second.val();
        }
        for k in 0..5 {
            if self.end_write.val() & (self.end_operand.val().index() == k + 1) {
                self.end[k].d.next = self.end_value.val();
            }
        }
        if self.load.val() {
            self.word_valid.d.next = false;
            self.sums_valid.d.next = false;
            self.act_valid.d.next = false;
            self.n.d.next = self.load_n.val();
            self.m.d.next = self.load_m.val();
            self.mode.d.next = self.load_mode.val();
            for k in 0..5 {
                self.first[k].d.next = self.load_first[k].val();
            }
        }
        self.width.next = self.n.q.val();
        self.valid.next = self.act_valid.q.val();
        self.kind.next = self.act_word.q.val().get_bits::<KIND_BITS>(KIND_LSB);
        self.operand.next = self.act_word.q.val().get_bits::<OPERAND_BITS>(OPERAND_LSB);
        self.to.next = self.act_word.q.val().get_bits::<TO_BITS>(TO_LSB);
        self.test.next = self.act_word.q.val().get_bits::<TEST_BITS>(TEST_LSB);
        self.target.next = self.act_word.q.val().get_bits::<TARGET_BITS>(TARGET_LSB);
        self.value.next = self.act_value.q.val();
        self.first_row.next = self.act_first.q.val();
        self.second_row.next = self.act_second.q.val();
        self.first_end.next = self.act_end.q.val();
        self.second_end.next = self.act_second_end.q.val();
    }

    described! {
        "setup_value", "Computes the value of each setup word from the command's widths and rows."; CONSTANT_LSB,
        KIND_LSB, N_LSB, OPERAND_LSB, SHIFT_LSB, TARGET_LSB, TERM_LSB, TEST_LSB, TO_LSB, TERM_M, TERM_MINUS_M,
        TERM_STAGES, TERM_EXCESS, TERM_LOG2, TERM_MODE, VALUE_SIGN
    }
}
