//! Step of a word in a window: which pass over which rows it is, and which step follows. Combinational.
//!
//! The steps of a compute word follow each other from 0 on; those of words of memory are asked for one by one, and
//! nothing but the pass depends on what is asked. That is the word's pass whether it has its step in this cycle or not.

use crate::array::blocks::types::RowAddress;
use crate::duality::blocks::bundles::ShapeSink;
use crate::duality::blocks::memory_step::DualityMemoryStep;
use crate::duality::blocks::types::ProgramWord;
use crate::duality::isa::codes::{MaskOp, Predicate};
use crate::duality::isa::field as at;
use crate::duality::params::{ACTIVE_ROW, LAUNCH_ROW};
use crate::duality::passes::{MEMORY_STEP_BITS, PASS_BITS, Pass};
use crate::kernel::prelude::*;

/// Bits of a step's number.
pub const STEP_BITS: usize = 5;
/// Steps: rows of a that are 0, its own, those by which it is extended; rows of b, and those by which it is extended;
/// the command; results that are chosen.
pub const ZEROS_A: u64 = 0;
const COPY_A: u64 = 1;
const MORE_A: u64 = 2;
/// See [`ZEROS_A`].
pub const COPY_B: u64 = 3;
const MORE_B: u64 = 4;
/// See [`ZEROS_A`].
pub const ISSUE: u64 = 5;
/// See [`ZEROS_A`].
pub const CHOOSE_D: u64 = 6;
const CHOOSE_E: u64 = 7;
/// Rows that move, at the sender and at a receiver.
pub const SEND: u64 = 8;
/// See [`SEND`].
pub const RECEIVE: u64 = 9;
/// A row that masks need, at the sender and at a receiver.
pub const SEND_TAG: u64 = 10;
/// See [`SEND_TAG`].
pub const RECEIVE_TAG: u64 = 11;
/// What masks do with it, or without.
pub const MERGE: u64 = 12;
/// Masks without rows of other arrays, and what `enter` leaves behind.
pub const LOCAL: u64 = 13;
const LEAVE: u64 = 14;
/// A look at a row.
pub const LOOK: u64 = 15;
/// Steps of words of memory: this, and the code of what is asked for.
pub const MEMORY_STEPS: u64 = 16;
/// An operation that is a pass; no step of memory has the code 0.
pub const DIRECT: u64 = MEMORY_STEPS;

numbers! {
    usize: AT_WIDTH = at::WIDTH.lsb, AT_A = at::A.lsb, AT_B = at::B.lsb, AT_D = at::D.lsb, AT_E = at::E.lsb,
    AT_SIGN_A = at::SIGN_A.lsb, AT_SIGN_B = at::SIGN_B.lsb, AT_MASK_OP = at::MASK_OP.lsb,
    AT_PREDICATE = at::PREDICATE.lsb
}
numbers! {
    OPEN = MaskOp::Open, ENTER = MaskOp::Enter, TAKEN = MaskOp::Taken, OTHER = MaskOp::Other, CLEAR = MaskOp::Clear,
    PASS_COPY = Pass::Copy, PASS_FILL = Pass::Fill, PASS_CONSTANT = Pass::Constant, PASS_CHOOSE = Pass::Choose,
    PASS_CHOOSE_OTHER = Pass::ChooseOther, PASS_SEND = Pass::Send, PASS_RECEIVE = Pass::Receive,
    PASS_SEND_TAG = Pass::SendTag, PASS_RECEIVE_TAG = Pass::ReceiveTag, PASS_TAKEN = Pass::Taken,
    PASS_OTHER = Pass::Other, PASS_JOIN = Pass::Join, PASS_TEST = Pass::Test,
    UNLESS = Predicate::Unless, LAUNCH_AT = LAUNCH_ROW, ACTIVE_AT = ACTIVE_ROW
}

hdl_block! {
    /// The step.
    pub DualityStep {
        In word: ProgramWord; /// The word, of which not every bit matters here.
        In step: Bits<STEP_BITS>; /// The step.
        In cursor: RowAddress; /// Behind the rows of the last pass.
        Bus shape: ShapeSink; /// What the word asks, if it computes.
        In memory: Bit; /// The word is one of memory.
        In asked: Bits<MEMORY_STEP_BITS>; /// The step that is asked for, if it is.
        Out nothing: Bit; /// There is nothing to do.
        Out behind: RowAddress; /// Behind the last row of the pass.
        Out rows_pass: Bits<PASS_BITS>; /// The pass.
        Out rows_count: Bits<8>; /// Its rows.
        Out rows_given: Bits<8>; /// Those of the source that it reads.
        Out rows_from, rows_to, extra: RowAddress; /// Its first rows, and the row that stays.
        Out value: Word<64, 1>; /// The value of a constant.
        Out after: Bits<STEP_BITS>; /// The step that follows.
        Out ends: Bit; /// None does: the word ends.
    } inside {
        Child accesses: DualityMemoryStep; // A step of a word of memory.
        Local pass: Bits<PASS_BITS>;
        Local count: Bits<8>;
        Local from, to: RowAddress;
        Local mask: Bits<3>;
        Local width: Bits<8>;
        Local row_a, row_b, row_d: RowAddress;
        Local zeros: Word<64, 1>;
        Local unused: ProgramWord;
        Local some, unused_shape: Bit;
    }
}

impl Logic for DualityStep {
    #[hdl_gen]
    fn update(&mut self) {
        self.zeros.next = 0.into();
        // The window, the shape and others look at what no step needs.
        self.unused.next = self.word.val();
        self.unused_shape.next = self.shape.wrong.val() != 0;
        self.mask.next = self.word.val().get_bits::<3>(AT_MASK_OP);
        self.width.next = bit_cast::<8, 6>(self.word.val().get_bits::<6>(AT_WIDTH)) + 1;
        self.row_a.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_A));
        self.row_b.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_B));
        self.row_d.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_D));
        self.pass.next = PASS_CONSTANT.into();
        self.count.next = 1.into();
        self.some.next = true;
        self.from.next = self.row_a.val();
        self.to.next = self.cursor.val();
        self.extra.next = ACTIVE_AT.into();
        self.value.next = 0.into();
        self.after.next = self.step.val() + 1;
        self.ends.next = false;
        if self.step.val() == ZEROS_A {
            self.count.next = self.shape.zeros_a.val();
            self.some.next = self.shape.zeros_a.val() != 0;
            self.to.next = self.shape.place_a.val();
        } else if self.step.val() == COPY_A {
            self.pass.next = PASS_COPY.into();
            self.count.next = self.shape.own_a.val();
            self.some.next = self.shape.own_a.val() != 0;
        } else if self.step.val() == MORE_A {
            self.count.next = self.shape.more_a.val();
            self.some.next = self.shape.more_a.val() != 0;
            self.extra.next = self.row_a.val() + bit_cast::<10, 8>(self.shape.own_a.val()) - 1;
            if self.word.val().get_bit(AT_SIGN_A) {
                self.pass.next = PASS_FILL.into();
            }
            if self.shape.direct.val() != 0 {
                self.after.next = DIRECT.into();
            } else if !self.shape.prepares_b.val() {
                self.after.next = ISSUE.into();
            }
        } else if self.step.val() == COPY_B {
            self.count.next = self.shape.own_b.val();
            self.some.next = self.shape.own_b.val() != 0;
            self.from.next = self.row_b.val();
            self.to.next = self.shape.place_b.val();
            self.value.next = bits_to::<Word<64, 1>, Bits<32>>(self.shape.value.val());
            if self.shape.by_row.val() {
                self.pass.next = PASS_COPY.into();
                self.value.next = 0.into();
            }
        } else if self.step.val() == MORE_B {
            self.count.next = self.shape.more_b.val();
            self.some.next = self.shape.more_b.val() != 0;
            self.extra.next = self.row_b.val() + bit_cast::<10, 8>(self.shape.own_b.val()) - 1;
            if self.shape.by_row.val() {
                if self.word.val().get_bit(AT_SIGN_B) {
                    self.pass.next = PASS_FILL.into();
                }
            } else if self.shape.negative.val() {
                self.value.next = !self.zeros.val();
            }
        } else if self.step.val() == DIRECT {
            // A comparison writes in its last row: that is its result's.
            self.pass.next = self.shape.direct.val();
            self.count.next = self.width.val();
            self.from.next = self.shape.operand_a.val();
            self.to.next = self.shape.operand_d.val() + bit_cast::<10, 8>(self.shape.rows_d.val())
                - bit_cast::<10, 8>(self.width.val());
            self.value.next = self.shape.key.val();
            self.after.next = CHOOSE_D.into();
            self.ends.next = !self.shape.chooses.val();
        } else if self.step.val() == CHOOSE_D {
            self.pass.next = PASS_CHOOSE.into();
            self.count.next = self.shape.rows_d.val();
            self.some.next = self.shape.rows_d.val() != 0;
            self.from.next = self.shape.place_d.val();
            self.to.next = self.row_d.val();
            self.extra.next = self.shape.chooser.val();
            if self.word.val().get_bits::<2>(AT_PREDICATE) == UNLESS {
                self.pass.next = PASS_CHOOSE_OTHER.into();
            }
        } else if self.step.val() == CHOOSE_E {
            self.pass.next = PASS_CHOOSE.into();
            self.count.next = self.shape.rows_e.val();
            self.some.next = self.shape.rows_e.val() != 0;
            self.from.next = self.shape.place_e.val();
            self.to.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_E));
            self.ends.next = true;
        } else if self.step.val() == SEND {
            self.pass.next = PASS_SEND.into();
            self.count.next = self.width.val();
            self.ends.next = true;
        } else if self.step.val() == RECEIVE {
            self.pass.next = PASS_RECEIVE.into();
            self.count.next = self.width.val();
            self.to.next = self.row_d.val();
            self.ends.next = true;
        } else if self.step.val() == SEND_TAG {
            self.pass.next = PASS_SEND_TAG.into();
            self.after.next = MERGE.into();
        } else if self.step.val() == RECEIVE_TAG {
            self.pass.next = PASS_RECEIVE_TAG.into();
            self.after.next = MERGE.into();
        } else if self.step.val() == MERGE {
            self.pass.next = PASS_JOIN.into();
            if self.mask.val() == TAKEN {
                self.pass.next = PASS_TAKEN.into();
            } else if self.mask.val() == OTHER {
                self.pass.next = PASS_OTHER.into();
            }
            self.to.next = self.row_d.val();
            self.ends.next = true;
        } else if self.step.val() == LOCAL {
            self.to.next = ACTIVE_AT.into();
            if self.mask.val() == CLEAR {
                self.to.next = self.row_d.val();
            } else {
                self.pass.next = PASS_COPY.into();
                if self.mask.val() == OPEN {
                    self.from.next = LAUNCH_AT.into();
                }
            }
            self.ends.next = self.mask.val() != ENTER;
        } else if self.step.val() == LEAVE {
            self.to.next = self.row_a.val();
            self.ends.next = true;
        } else if self.step.val() == LOOK {
            self.pass.next = PASS_TEST.into();
            self.extra.next = LAUNCH_AT.into();
        }
        // Others have a row at least.
        self.nothing.next = !self.some.val();
        self.behind.next = self.to.val() + bit_cast::<10, 8>(self.count.val());
        // What goes to the row unit alone may be a step of a word of memory.
        self.accesses.word.next = self.word.val();
        self.accesses.asked.next = self.asked.val();
        self.rows_pass.next = self.pass.val();
        self.rows_count.next = self.count.val();
        self.rows_given.next = self.count.val();
        self.rows_from.next = self.from.val();
        self.rows_to.next = self.to.val();
        if (self.step.val() == DIRECT) & !self.shape.prepares_a.val() {
            self.rows_given.next = self.shape.own_a.val();
        }
        if self.memory.val() {
            self.rows_pass.next = self.accesses.pass.val();
            self.rows_count.next = self.accesses.count.val();
            self.rows_given.next = self.accesses.count.val();
            self.rows_from.next = self.accesses.from.val();
            self.rows_to.next = self.accesses.to.val();
        }
    }

    described! {
        "duality_step", "Which pass over which rows a step of a word is."; AT_WIDTH, AT_A, AT_B, AT_D, AT_E, AT_SIGN_A,
        AT_SIGN_B, AT_MASK_OP, AT_PREDICATE, OPEN, ENTER, TAKEN, OTHER, CLEAR, PASS_COPY, PASS_FILL, PASS_CONSTANT,
        PASS_CHOOSE, PASS_CHOOSE_OTHER, PASS_SEND, PASS_RECEIVE, PASS_SEND_TAG, PASS_RECEIVE_TAG, PASS_TAKEN,
        PASS_OTHER, PASS_JOIN, PASS_TEST, UNLESS, LAUNCH_AT, ACTIVE_AT, ZEROS_A, COPY_A, MORE_A, COPY_B, MORE_B, DIRECT,
        ISSUE, CHOOSE_D, CHOOSE_E, SEND, RECEIVE, SEND_TAG, RECEIVE_TAG, MERGE, LOCAL, LEAVE, LOOK
    }
}
