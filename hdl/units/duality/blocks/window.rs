//! Issue window of one array: words wait here, become passes over rows and a command, and end in their order.
//!
//! ```text
//!  words ─▶ queue ─▶ shape ─┬▶ sequencer ─┐
//!                           └▶ row unit ──┴▶ micro-operations, for the member array of every bank
//! ```
//!
//! A compute word is up to five passes that prepare its sources in scratch rows, a command, and up to two passes that
//! choose its results. A word without passes is handed to the sequencer while the one before runs. Moves, and masks that
//! look at a row, are work of several windows: `meets` = 1 when the word is at the head and nothing runs; `go` = 1 begins
//! it, a cycle later in windows that receive. `tested` = 1 for a cycle gives the answer of a word that looks at a row.
//!
//! `ended` counts words that have ended, modulo 2^16. A word begins when those of the windows in its wait mask that came
//! before it have ended. `refused` stays 1 from a command that the sequencer has refused until `restart`, with the
//! number of its word; that does no more than its passes in scratch rows, and words behind it run.

use crate::array::blocks::bundles::MicroOperationSource;
use crate::array::blocks::sequencer::Sequencer;
use crate::array::blocks::types::RowAddress;
use crate::array::isa::microcode::Microcode;
use crate::array::params::Params;
use crate::duality::blocks::row_unit::DualityRowUnit;
use crate::duality::blocks::types::{ProgramWord, WindowEntry};
use crate::duality::blocks::word_shape::{DualityWordShape, SHAPE_CYCLES};
use crate::duality::isa::codes::{Kind, MaskOp};
use crate::duality::isa::entry::{COUNT_BITS, entry};
use crate::duality::isa::field as at;
use crate::duality::params::PC_BITS;
use crate::duality::params::{ACTIVE_ROW, LAUNCH_ROW, SLOTS};
use crate::duality::passes::{PASS_BITS, Pass};
use crate::kernel::prelude::*;
use crate::parts::queue::Queue;

numbers! {
    usize: AT_KIND = at::KIND.lsb, AT_SLOT = at::SLOT.lsb, AT_WAIT = at::WAIT.lsb, AT_WIDTH = at::WIDTH.lsb,
    AT_A = at::A.lsb, AT_B = at::B.lsb, AT_D = at::D.lsb, AT_E = at::E.lsb, AT_SIGN_A = at::SIGN_A.lsb, AT_SIGN_B = at::SIGN_B.lsb,
    AT_TARGETS = at::TARGETS.lsb, AT_MASK_OP = at::MASK_OP.lsb, AT_PREDICATE = at::PREDICATE.lsb,
    AT_SCALAR = entry::SCALAR_LSB, AT_PC = entry::PC_LSB, AT_BEFORE = entry::BEFORE_LSB, BEFORE_EACH = COUNT_BITS
}
numbers! {
    COMPUTE = Kind::Compute, MOVE = Kind::Move, MASK = Kind::Mask,
    OPEN = MaskOp::Open, ENTER = MaskOp::Enter, TAKEN = MaskOp::Taken, OTHER = MaskOp::Other, CLEAR = MaskOp::Clear,
    PASS_COPY = Pass::Copy, PASS_FILL = Pass::Fill, PASS_CONSTANT = Pass::Constant, PASS_CHOOSE = Pass::Choose,
    PASS_CHOOSE_OTHER = Pass::ChooseOther, PASS_SEND = Pass::Send, PASS_RECEIVE = Pass::Receive,
    PASS_SEND_TAG = Pass::SendTag, PASS_RECEIVE_TAG = Pass::ReceiveTag, PASS_TAKEN = Pass::Taken,
    PASS_OTHER = Pass::Other, PASS_JOIN = Pass::Join, PASS_TEST = Pass::Test,
    UNLESS = crate::duality::isa::codes::Predicate::Unless, LAUNCH_AT = LAUNCH_ROW, ACTIVE_AT = ACTIVE_ROW,
    WAIT_FOR_ANSWER = 1, WAIT_FOR_SHAPE = SHAPE_CYCLES - 2
}
const COUNT_SIGN: usize = COUNT_BITS - 1;
// What the window is at.
numbers! { READY = 0, SHAPE = 1, WORK = 2, RUNS = 3, COMMAND = 4, DRAIN = 5, MEET = 6, LATE = 7, ANSWER = 8 }
// Steps of a word: those of a compute word, then those of the others.
numbers! {
    ZEROS_A = 0, COPY_A = 1, MORE_A = 2, COPY_B = 3, MORE_B = 4, ISSUE = 5, CHOOSE_D = 6, CHOOSE_E = 7, SEND = 8,
    RECEIVE = 9, SEND_TAG = 10, RECEIVE_TAG = 11, MERGE = 12, LOCAL = 13, LEAVE = 14, LOOK = 15
}

hdl_block! {
    /// The window.
    pub DualityWindow {
        In clock: Domain; /// Clock and reset.
        In number: Bits<2>; /// The slot whose window it is.
        In restart: Bit; /// Forgets a refusal.
        In push_valid: Bit; /// A word comes.
        Out push_ready: Bit; /// There is room for it.
        In push_entry: WindowEntry; /// The word.
        Bus other_ended: [Signal<In, Bits<COUNT_BITS>>; SLOTS]; /// Words that have ended, of each window.
        Out ended: Bits<COUNT_BITS>; /// Words that have ended here.
        In in_use: Bits<SLOTS>; /// Windows that the launch uses.
        Out meets: Bit; /// A word of several windows can begin.
        Out meet_source: Bits<2>; /// The window whose rows the others get.
        Out meet_targets: Bits<SLOTS>; /// Those others.
        In go: Bit; /// It begins.
        In tag_any: Bit; /// Wired-OR of the tags, a cycle late.
        Out tested, test_any: Bit; /// A row was looked at. It holds 1 in some thread.
        Out refused: Bit; /// A command was refused.
        Out refused_code: Bits<3>; /// Why.
        Out refused_pc: Bits<PC_BITS>; /// The number of its word.
        Out idle: Bit; /// Nothing waits or runs.
        Bus own_: MicroOperationSource; /// What the arrays do.
    } inside {
        Child words: Queue<WindowEntry>; // Words that wait.
        Child shape: DualityWordShape; // What the oldest one asks.
        Child sequencer: Boxed<Sequencer>; // Commands.
        Child rows: DualityRowUnit; // Passes.
        Register state, step: Bits<4>; // What is done. The step of the word.
        Register timer: Bits<3>; // Cycles until the shape, or an answer, is there.
        Register flying: Bits<2>; // Commands that the sequencer has.
        Register count: Bits<COUNT_BITS>; // Words that have ended.
        Register dropped: Bit; // The command of the word was refused.
        Register bad: Bit; // A command was refused: why, and whose.
        Register bad_code: Bits<3>;
        Register bad_pc, command_pc: Bits<PC_BITS>; // Also the number of the command's word that came last.
        Local head: WindowEntry;
        Local kind: Bits<3>;
        Local slot: Bits<2>;
        Local mask: Bits<3>;
        Local waits: Bits<5>;
        Local here: Bits<SLOTS>;
        Local lag: Bits<COUNT_BITS>;
        Register cursor: RowAddress; // Behind the rows of the last pass.
        Local late, starts, sends, shared, free, own, ends, last, counts, drops, lost, accepts, draining: Bit;
        Local finish, passed, unused_issued: Bit;
        Local unused_level: Bits<5>;
        Local unused_operand: Bits<3>;
        Local pass: Bits<PASS_BITS>;
        Local rows_of_pass: Bits<8>;
        Local row_a, row_b, row_d: RowAddress;
        Local from, to, extra: RowAddress;
        Local value, zeros: Word<64, 1>;
        Local after: Bits<4>;
    }
}

impl DualityWindow {
    /// A window with room for `depth` words, for arrays with these parameters and micro-programs.
    pub fn new(depth: usize, params: &Params, code: &Microcode) -> Self {
        DualityWindow {
            words: Queue::new(depth),
            shape: DualityWordShape::new(params),
            sequencer: Boxed::new(|| Sequencer::new(params, code)),
            rows: DualityRowUnit::new(),
            ..Self::default()
        }
    }
}

impl Logic for DualityWindow {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, words, shape, sequencer, rows);
        dff_setup!(self, clock, state, step, timer, flying, count, dropped, bad, bad_code, bad_pc, command_pc);
        dff_setup!(self, clock, cursor);
        self.zeros.next = 0.into();
        self.words.push_valid.next = self.push_valid.val();
        self.push_ready.next = self.words.push_ready.val();
        self.words.push_data.next = self.push_entry.val();
        self.head.next = self.words.head.val();
        self.shape.word.next = bits_to::<ProgramWord, WindowEntry>(self.words.head.val());
        self.shape.scalar.next = self.words.head.val().get_bits::<32>(AT_SCALAR);
        self.kind.next = self.head.val().get_bits::<3>(AT_KIND);
        self.slot.next = self.head.val().get_bits::<2>(AT_SLOT);
        self.mask.next = self.head.val().get_bits::<3>(AT_MASK_OP);
        self.waits.next = self.head.val().get_bits::<5>(AT_WAIT);
        self.here.next = 1.into();
        self.here.next = self.here.val() << self.number.val();
        self.own.next = self.slot.val() == self.number.val();
        // Words before it that it waits for have ended where the difference is not negative.
        self.late.next = false;
        self.lag.next = 0.into();
        for k in 0..SLOTS {
            self.lag.next =
                self.other_ended[k].val() - self.head.val().get_bits::<COUNT_BITS>(AT_BEFORE + BEFORE_EACH * k);
            if self.waits.val().get_bit(k) & self.lag.val().get_bit(COUNT_SIGN) {
                self.late.next = true;
            }
        }
        self.starts.next = self.words.head_valid.val() & !self.late.val();
        self.shared.next = (self.kind.val() == MOVE)
            | ((self.kind.val() == MASK) & ((self.mask.val() == TAKEN) | (self.mask.val() == OTHER)));
        self.sends.next = self.shared.val() & self.own.val();
        self.meets.next = (self.state.q.val() == MEET) & self.free.val();
        self.meet_source.next = self.slot.val();
        self.meet_targets.next = self.head.val().get_bits::<SLOTS>(AT_TARGETS);
        if self.kind.val() == MASK {
            self.meet_targets.next = self.in_use.val() & !self.here.val();
        }
        // The pass of this step.
        self.row_a.next = bit_cast::<10, 9>(self.head.val().get_bits::<9>(AT_A));
        self.row_b.next = bit_cast::<10, 9>(self.head.val().get_bits::<9>(AT_B));
        self.row_d.next = bit_cast::<10, 9>(self.head.val().get_bits::<9>(AT_D));
        self.pass.next = PASS_CONSTANT.into();
        self.rows_of_pass.next = 1.into();
        self.from.next = self.row_a.val();
        self.to.next = self.cursor.q.val();
        self.extra.next = ACTIVE_AT.into();
        self.value.next = 0.into();
        self.after.next = self.step.q.val() + 1;
        self.ends.next = false;
        if self.step.q.val() == ZEROS_A {
            self.rows_of_pass.next = self.shape.zeros_a.val();
            self.to.next = self.shape.place_a.val();
        } else if self.step.q.val() == COPY_A {
            self.pass.next = PASS_COPY.into();
            self.rows_of_pass.next = self.shape.own_a.val();
        } else if self.step.q.val() == MORE_A {
            self.rows_of_pass.next = self.shape.more_a.val();
            self.extra.next = self.row_a.val() + bit_cast::<10, 8>(self.shape.own_a.val()) - 1;
            if self.head.val().get_bit(AT_SIGN_A) {
                self.pass.next = PASS_FILL.into();
            }
            if !self.shape.prepares_b.val() {
                self.after.next = ISSUE.into();
            }
        } else if self.step.q.val() == COPY_B {
            self.rows_of_pass.next = self.shape.own_b.val();
            self.from.next = self.row_b.val();
            self.to.next = self.shape.place_b.val();
            self.value.next = bits_to::<Word<64, 1>, Bits<32>>(self.shape.value.val());
            if self.shape.by_row.val() {
                self.pass.next = PASS_COPY.into();
                self.value.next = 0.into();
            }
        } else if self.step.q.val() == MORE_B {
            self.rows_of_pass.next = self.shape.more_b.val();
            self.extra.next = self.row_b.val() + bit_cast::<10, 8>(self.shape.own_b.val()) - 1;
            if self.shape.by_row.val() {
                if self.head.val().get_bit(AT_SIGN_B) {
                    self.pass.next = PASS_FILL.into();
                }
            } else if self.shape.negative.val() {
                self.value.next = !self.zeros.val();
            }
        } else if self.step.q.val() == CHOOSE_D {
            self.pass.next = PASS_CHOOSE.into();
            self.rows_of_pass.next = self.shape.rows_d.val();
            self.from.next = self.shape.place_d.val();
            self.to.next = self.row_d.val();
            self.extra.next = self.shape.chooser.val();
            if self.head.val().get_bits::<2>(AT_PREDICATE) == UNLESS {
                self.pass.next = PASS_CHOOSE_OTHER.into();
            }
        } else if self.step.q.val() == CHOOSE_E {
            self.pass.next = PASS_CHOOSE.into();
            self.rows_of_pass.next = self.shape.rows_e.val();
            self.from.next = self.shape.place_e.val();
            self.to.next = bit_cast::<10, 9>(self.head.val().get_bits::<9>(AT_E));
            self.ends.next = true;
        } else if self.step.q.val() == SEND {
            self.pass.next = PASS_SEND.into();
            self.rows_of_pass.next = bit_cast::<8, 6>(self.head.val().get_bits::<6>(AT_WIDTH)) + 1;
            self.ends.next = true;
        } else if self.step.q.val() == RECEIVE {
            self.pass.next = PASS_RECEIVE.into();
            self.rows_of_pass.next = bit_cast::<8, 6>(self.head.val().get_bits::<6>(AT_WIDTH)) + 1;
            self.to.next = self.row_d.val();
            self.ends.next = true;
        } else if self.step.q.val() == SEND_TAG {
            self.pass.next = PASS_SEND_TAG.into();
            self.after.next = MERGE.into();
        } else if self.step.q.val() == RECEIVE_TAG {
            self.pass.next = PASS_RECEIVE_TAG.into();
            self.after.next = MERGE.into();
        } else if self.step.q.val() == MERGE {
            self.pass.next = PASS_JOIN.into();
            if self.mask.val() == TAKEN {
                self.pass.next = PASS_TAKEN.into();
            } else if self.mask.val() == OTHER {
                self.pass.next = PASS_OTHER.into();
            }
            self.to.next = self.row_d.val();
            self.ends.next = true;
        } else if self.step.q.val() == LOCAL {
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
        } else if self.step.q.val() == LEAVE {
            self.to.next = self.row_a.val();
            self.ends.next = true;
        } else {
            self.pass.next = PASS_TEST.into();
            self.extra.next = LAUNCH_AT.into();
        }
        // Passes and commands.
        self.free.next = !self.sequencer.busy.val() & (self.flying.q.val() == 0) & !self.rows.busy.val();
        self.rows.start.next = (self.state.q.val() == WORK) & (self.rows_of_pass.val() != 0) & self.free.val();
        self.rows.pass.next = self.pass.val();
        self.rows.count.next = self.rows_of_pass.val();
        self.rows.from.next = self.from.val();
        self.rows.to.next = self.to.val();
        self.rows.extra.next = self.extra.val();
        self.rows.value.next = self.value.val();
        self.sequencer.command_valid.next = self.state.q.val() == COMMAND;
        self.sequencer.command.next = self.shape.command.val();
        self.sequencer.load_ready.next = true;
        self.sequencer.store_ready.next = true;
        self.sequencer.tag_any.next = self.tag_any.val();
        self.accepts.next = self.sequencer.accept.val();
        self.last.next = self.sequencer.last.val();
        self.unused_issued.next = self.sequencer.issued.val() ^ self.sequencer.first.val();
        self.unused_level.next = self.words.level.val();
        self.unused_operand.next = self.sequencer.refusal_.refused_operand.val();
        self.drops.next = self.sequencer.refusal_.refused.val();
        self.draining.next = self.state.q.val() == DRAIN;
        // What is done.
        self.finish.next = false;
        self.passed.next = false;
        if self.state.q.val() == READY {
            self.timer.d.next = WAIT_FOR_SHAPE.into();
            self.dropped.d.next = false;
            self.step.d.next = LOOK.into();
            if self.starts.val() {
                self.state.d.next = WORK.into();
                if self.kind.val() == COMPUTE {
                    self.state.d.next = SHAPE.into();
                } else if self.shared.val() {
                    self.state.d.next = MEET.into();
                } else if self.kind.val() == MASK {
                    self.step.d.next = MERGE.into();
                    if (self.mask.val() == OPEN) | (self.mask.val() == ENTER) | (self.mask.val() == CLEAR) {
                        self.step.d.next = LOCAL.into();
                    }
                }
            }
        } else if self.state.q.val() == SHAPE {
            self.timer.d.next = self.timer.q.val() - 1;
            if self.timer.q.val() == 0 {
                self.state.d.next = COMMAND.into();
                if self.shape.prepares_a.val() {
                    self.state.d.next = WORK.into();
                    self.step.d.next = ZEROS_A.into();
                } else if self.shape.prepares_b.val() {
                    self.state.d.next = WORK.into();
                    self.step.d.next = COPY_B.into();
                }
            }
        } else if self.state.q.val() == WORK {
            if self.rows_of_pass.val() == 0 {
                self.passed.next = true;
            } else if self.free.val() {
                self.state.d.next = RUNS.into();
            }
        } else if self.state.q.val() == RUNS {
            self.passed.next = !self.rows.busy.val();
        } else if self.state.q.val() == COMMAND {
            if self.accepts.val() {
                self.state.d.next = READY.into();
                if self.shape.chooses.val() {
                    self.state.d.next = DRAIN.into();
                }
            }
        } else if self.state.q.val() == DRAIN {
            if self.free.val() {
                self.state.d.next = WORK.into();
                self.step.d.next = CHOOSE_D.into();
                self.finish.next = self.dropped.q.val();
            }
        } else if self.state.q.val() == MEET {
            if self.go.val() {
                self.state.d.next = LATE.into();
                self.step.d.next = RECEIVE.into();
                if self.kind.val() == MASK {
                    self.step.d.next = RECEIVE_TAG.into();
                }
                if self.sends.val() {
                    self.state.d.next = WORK.into();
                    self.step.d.next = SEND.into();
                    if self.kind.val() == MASK {
                        self.step.d.next = SEND_TAG.into();
                    }
                }
            }
        } else if self.state.q.val() == LATE {
            self.state.d.next = WORK.into();
        } else {
            self.timer.d.next = self.timer.q.val() - 1;
            self.finish.next = self.timer.q.val() == 0;
        }
        if self.passed.val() {
            self.cursor.d.next = self.to.val() + bit_cast::<10, 8>(self.rows_of_pass.val());
            self.state.d.next = WORK.into();
            self.step.d.next = self.after.val();
            if self.ends.val() {
                self.finish.next = true;
            } else if self.step.q.val() == LOOK {
                self.state.d.next = ANSWER.into();
                self.timer.d.next = WAIT_FOR_ANSWER.into();
            } else if self.after.val() == ISSUE {
                self.state.d.next = COMMAND.into();
            }
        }
        if self.finish.val() {
            self.state.d.next = READY.into();
        }
        self.tested.next = self.finish.val() & (self.state.q.val() == ANSWER);
        self.test_any.next = self.tag_any.val();
        self.words.pop.next = self.finish.val() | (self.accepts.val() & !self.shape.chooses.val());
        // Words that end: those that the sequencer has alone, and the others. A command whose result is chosen is the
        // last that the sequencer has.
        self.counts.next = self.last.val() & !(self.draining.val() & (self.flying.q.val() == 1));
        self.lost.next = self.drops.val() & !self.draining.val();
        self.count.d.next = self.count.q.val()
            + bits_to::<Bits<COUNT_BITS>, Bit>(self.counts.val())
            + bits_to::<Bits<COUNT_BITS>, Bit>(self.lost.val())
            + bits_to::<Bits<COUNT_BITS>, Bit>(self.finish.val());
        self.flying.d.next = self.flying.q.val() + bits_to::<Bits<2>, Bit>(self.accepts.val())
            - bits_to::<Bits<2>, Bit>(self.last.val())
            - bits_to::<Bits<2>, Bit>(self.drops.val());
        self.ended.next = self.count.q.val();
        self.idle.next = !self.words.head_valid.val() & (self.flying.q.val() == 0) & !self.sequencer.busy.val();
        // Refusals.
        if self.accepts.val() {
            self.command_pc.d.next = self.head.val().get_bits::<PC_BITS>(AT_PC);
        }
        if self.restart.val() {
            self.bad.d.next = false;
        }
        if self.drops.val() {
            if self.draining.val() {
                self.dropped.d.next = true;
            }
            if !self.bad.q.val() {
                self.bad.d.next = true;
                self.bad_code.d.next = self.sequencer.refusal_.refused_code.val();
                self.bad_pc.d.next = self.command_pc.q.val();
            }
        }
        self.refused.next = self.bad.q.val();
        self.refused_code.next = self.bad_code.q.val();
        self.refused_pc.next = self.bad_pc.q.val();
        // The row unit has the arrays while a pass runs, and the sequencer otherwise.
        MicroOperationSource::link(&mut self.own_, &mut self.sequencer.own_);
        if self.rows.busy.val() {
            MicroOperationSource::link(&mut self.own_, &mut self.rows.own_);
        }
    }

    described! {
        "duality_window", "Issue window of one array: words become passes over rows and commands."; AT_KIND, AT_SLOT,
        AT_WAIT, AT_WIDTH, AT_A, AT_B, AT_D, AT_E, AT_SIGN_A, AT_SIGN_B, AT_TARGETS, AT_MASK_OP, AT_PREDICATE, AT_SCALAR, AT_PC,
        AT_BEFORE, BEFORE_EACH, COMPUTE, MOVE, MASK, OPEN, ENTER, TAKEN, OTHER, CLEAR, PASS_COPY, PASS_FILL,
        PASS_CONSTANT, PASS_CHOOSE, PASS_CHOOSE_OTHER, PASS_SEND, PASS_RECEIVE, PASS_SEND_TAG, PASS_RECEIVE_TAG,
        PASS_TAKEN, PASS_OTHER, PASS_JOIN, PASS_TEST, UNLESS, LAUNCH_AT, ACTIVE_AT, WAIT_FOR_ANSWER, WAIT_FOR_SHAPE,
        READY, SHAPE, WORK, RUNS, COMMAND, DRAIN, MEET, LATE, ANSWER, ZEROS_A, COPY_A, MORE_A, COPY_B, MORE_B, ISSUE,
        CHOOSE_D, CHOOSE_E, SEND, RECEIVE, SEND_TAG, RECEIVE_TAG, MERGE, LOCAL, LEAVE, LOOK, COUNT_SIGN
    }
}
