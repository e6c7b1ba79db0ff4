//! Issue window of one array: words wait here, become passes over rows and a command, and end in their order.
//!
//! ```text
//!  words ─▶ queue ─▶ shape ─┬▶ sequencer ─┐
//!                           └▶ row unit ──┴▶ micro-operations, for the member array of every bank
//! ```
//!
//! A compute word is up to five passes that prepare its sources in scratch rows, a command, and up to two passes that
//! choose its results. A simple operation on an immediate or a scalar is a pass in place of a command. A word without
//! passes is handed to the sequencer while the one before runs. Others have their command set up early, and held until
//! its turn comes: while the word prepares sources, waits for words of other windows, or is behind a word that does not
//! compute ([`DualityEarly`]). Moves, and masks that look at a row, are work of
//! several windows: `meets` = 1 when the word is at the head and nothing runs; `go` = 1 begins it, a cycle later in
//! windows that receive. A word of memory is work of one or two: the way to memory asks for one step after the other,
//! while `memory_meets` = 1, and its pass starts at once. `fill` = 1 begins the same pass for rows that come without a
//! word, when a wave begins. `tested` = 1 for a cycle gives the answer of a word that looks at a row.
//!
//! `ended` counts words that have ended, modulo 2^16. A word with an empty wait mask begins as soon as it is the oldest
//! and nothing holds it; else from the cycle on behind the first in which it is the oldest and those of the windows in
//! its wait mask that came before it have ended. `refused` stays 1 from a command that the sequencer has refused, or an
//! operation that is a pass and whose rows are not there or overlap, until `restart`, with the number of its word; that
//! does no more than its passes in scratch rows, and words behind it run.

use crate::array::blocks::bundles::MicroOperationSource;
use crate::array::blocks::sequencer::Sequencer;
use crate::array::blocks::types::RowAddress;
use crate::array::isa::microcode::Microcode;
use crate::array::params::Params;
use crate::duality::blocks::bundles::ShapeSource;
use crate::duality::blocks::early::DualityEarly;
use crate::duality::blocks::refusals::DualityRefusals;
use crate::duality::blocks::row_unit::DualityRowUnit;
use crate::duality::blocks::step::*;
use crate::duality::blocks::types::{ProgramWord, WindowEntry};
use crate::duality::blocks::waits::DualityWaits;
use crate::duality::blocks::word_shape::DualityWordShape;
use crate::duality::isa::codes::{Kind, MaskOp};
use crate::duality::isa::entry::{COUNT_BITS, entry};
use crate::duality::isa::field as at;
use crate::duality::params::{PC_BITS, SLOTS};
use crate::duality::passes::{MEMORY_STEP_BITS, MemoryStep, Pass};
use crate::kernel::prelude::*;
use crate::parts::head_queue::HeadQueue;

numbers! {
    usize: AT_KIND = at::KIND.lsb, AT_SLOT = at::SLOT.lsb, AT_TARGETS = at::TARGETS.lsb,
    AT_MASK_OP = at::MASK_OP.lsb, AT_SCALAR = entry::SCALAR_LSB, AT_PC = entry::PC_LSB
}
numbers! {
    COMPUTE = Kind::Compute, MOVE = Kind::Move, MEMORY = Kind::Memory, MASK = Kind::Mask, OPEN = MaskOp::Open,
    ENTER = MaskOp::Enter, TAKEN = MaskOp::Taken, OTHER = MaskOp::Other, CLEAR = MaskOp::Clear,
    MEMORY_END = MemoryStep::End, MERGE_PASS = Pass::Merge, WAIT_FOR_ANSWER = 2,
    RESULT = MEMORY_STEPS + MemoryStep::Result as u64
}
// What the window is at.
numbers! { READY = 0, WORK = 1, RUNS = 2, COMMAND = 3, DRAIN = 4, MEET = 5, LATE = 6, ANSWER = 7, FILL = 8 }

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
        In memory_count: Bits<COUNT_BITS>; /// Words of memory that have ended.
        Out memory_meets: Bit; /// A word of memory is the oldest, and nothing runs.
        In memory_step: Bits<MEMORY_STEP_BITS>; /// What is asked of words of memory.
        In memory_go: Bit; /// This one has that step.
        Out memory_sends, memory_gets: Bit; /// Rows are sent to memory. They come from there.
        Out memory_entry: WindowEntry; /// The word.
        In fill: Bit; /// Rows come without a word, while nothing waits or runs.
        In fill_row: RowAddress; /// The first of them.
        In fill_count: Bits<8>; /// How many.
        In tag_any: Bit; /// Wired-OR of the tags, a cycle late.
        Out tested, test_any: Bit; /// A row was looked at. It holds 1 in some thread.
        Out refused: Bit; /// A command was refused.
        Out refused_code: Bits<3>; /// Why.
        Out refused_pc: Bits<PC_BITS>; /// The number of its word.
        Out idle: Bit; /// Nothing waits or runs.
        Bus own_: MicroOperationSource; /// What the arrays do.
    } inside {
        Child words: HeadQueue<WindowEntry>; // Words that wait.
        Child waits: DualityWaits; // What the oldest one waits for.
        Child shape: DualityWordShape; // What the next word that computes asks.
        Child early: DualityEarly; // What is done early of it.
        Child sequencer: Boxed<Sequencer>; // Commands.
        Child rows: DualityRowUnit; // Passes.
        Child refusals: DualityRefusals; // What was refused first.
        Child steps: DualityStep; // The pass of a step.
        Register state: Bits<4>; // What is done.
        Register cleared: Bit; // What the oldest word waits for had ended in the cycle before.
        Register step: Bits<STEP_BITS>; // The step of the word.
        Register timer: Bits<3>; // Cycles until an answer is there.
        Register flying: Bits<2>; // Commands that the sequencer has.
        Register count: Bits<COUNT_BITS>; // Words that have ended.
        Register dropped: Bit; // The command of the word was refused.
        Local head, next: WindowEntry;
        Local kind, mask: Bits<3>;
        Local slot: Bits<2>;
        Local here: Bits<SLOTS>;
        Local ended_early: Bits<COUNT_BITS>;
        Register cursor: RowAddress; // Behind the rows of the last pass.
        Local memory, starts, sends, shared, free, own, last, counts, drops, lost, accepts, draining: Bit;
        Local computes, begins, ahead, asks, held: Bit;
        Local finish, passed, stops, given, waiting, sending, getting, unused_issued: Bit;
        Register sent_last, got_last: Bit; // Rows were sent to memory, or came from there, in the cycle before.
        Local unused_words: WindowEntry;
        Local unused_operand: Bits<3>;
    }
}

impl DualityWindow {
    /// A window with room for `depth` words, for arrays with these parameters and micro-programs.
    pub fn new(depth: usize, params: &Params, code: &Microcode) -> Self {
        DualityWindow {
            words: HeadQueue::new(depth),
            shape: DualityWordShape::new(params),
            sequencer: Boxed::new(|| Sequencer::that_holds(params, code)),
            rows: DualityRowUnit::new(),
            ..Self::default()
        }
    }
}

impl Logic for DualityWindow {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, words, shape, early, sequencer, rows, refusals);
        dff_setup!(self, clock, state, step, timer, flying, count, dropped);
        dff_setup!(self, clock, cursor, sent_last, got_last, cleared);
        self.words.push_valid.next = self.push_valid.val();
        self.push_ready.next = self.words.push_ready.val();
        self.words.push_data.next = self.push_entry.val();
        self.head.next = self.words.head.val();
        self.kind.next = self.head.val().get_bits::<3>(AT_KIND);
        // The next word that computes: the oldest one, or the one behind it.
        self.computes.next = self.kind.val() == COMPUTE;
        self.ahead.next = self.words.head_valid.val() & !self.computes.val();
        self.next.next = self.words.head.val();
        self.asks.next = self.words.head_valid.val();
        if self.ahead.val() {
            self.next.next = self.words.second.val();
            self.asks.next = (self.words.level.val() > 1) & (self.words.second.val().get_bits::<3>(AT_KIND) == COMPUTE);
        }
        self.shape.there.next = self.asks.val();
        self.shape.word.next = bits_to::<ProgramWord, WindowEntry>(self.next.val());
        self.shape.scalar.next = self.next.val().get_bits::<32>(AT_SCALAR);
        self.slot.next = self.head.val().get_bits::<2>(AT_SLOT);
        self.mask.next = self.head.val().get_bits::<3>(AT_MASK_OP);
        self.here.next = 1.into();
        self.here.next = self.here.val() << self.number.val();
        self.own.next = self.slot.val() == self.number.val();
        self.waits.word.next = self.head.val();
        self.waits.memory_ended.next = self.memory_count.val();
        for k in 0..SLOTS {
            self.waits.ended[k].next = self.other_ended[k].val();
        }
        self.starts.next = self.words.head_valid.val() & (!self.waits.some.val() | self.cleared.q.val());
        self.cleared.d.next = self.words.head_valid.val() & !self.waits.late.val() & !self.words.pop.val();
        self.memory.next = self.kind.val() == MEMORY;
        self.memory_entry.next = self.head.val();
        self.waiting.next =
            self.memory.val() & ((self.state.q.val() == MEET) | ((self.state.q.val() == READY) & self.starts.val()));
        self.memory_meets.next = self.waiting.val() & self.free.val();
        // Arrays of block RAM have the last row a cycle after the pass.
        self.sending.next = (self.state.q.val() == RUNS) & self.memory.val();
        self.getting.next = (self.sending.val() & (self.step.q.val() == RESULT)) | (self.state.q.val() == FILL);
        self.sent_last.d.next = self.sending.val();
        self.got_last.d.next = self.getting.val();
        self.memory_sends.next = self.sending.val() | self.sent_last.q.val();
        self.memory_gets.next = self.getting.val() | self.got_last.q.val();
        self.shared.next = (self.kind.val() == MOVE)
            | self.memory.val()
            | ((self.kind.val() == MASK) & ((self.mask.val() == TAKEN) | (self.mask.val() == OTHER)));
        self.sends.next = self.shared.val() & self.own.val();
        self.meets.next = (self.state.q.val() == MEET) & !self.memory.val() & self.free.val();
        self.meet_source.next = self.slot.val();
        self.meet_targets.next = self.head.val().get_bits::<SLOTS>(AT_TARGETS);
        if self.kind.val() == MASK {
            self.meet_targets.next = self.in_use.val() & !self.here.val();
        }
        // The pass of this step.
        self.steps.word.next = bits_to::<ProgramWord, WindowEntry>(self.head.val());
        self.steps.step.next = self.step.q.val();
        self.given.next = self.memory_go.val() & (self.memory_step.val() != MEMORY_END);
        self.steps.memory.next = self.memory.val();
        self.steps.asked.next = self.memory_step.val();
        self.steps.cursor.next = self.cursor.q.val();
        ShapeSource::join(&mut self.shape.own_, &mut self.steps.shape);
        // Passes and commands.
        self.held.next = self.early.held.val();
        self.free.next = !self.sequencer.busy.val()
            & (self.flying.q.val() == bits_to::<Bits<2>, Bit>(self.held.val()))
            & !self.rows.busy.val();
        self.begins.next =
            (self.state.q.val() == READY) & self.starts.val() & self.computes.val() & self.early.shaped.val();
        self.early.asks.next = self.asks.val();
        self.early.ahead.next = self.ahead.val();
        self.early.ready.next = self.state.q.val() == READY;
        self.early.commands.next = self.shape.own_.direct.val() == 0;
        self.early.begins.next = self.begins.val();
        self.early.issues.next = self.state.q.val() == COMMAND;
        self.early.accepts.next = self.sequencer.accept.val();
        self.early.refuses.next = self.sequencer.refusal_.refused.val();
        self.stops.next = (self.state.q.val() == WORK)
            & (self.kind.val() == COMPUTE)
            & (self.step.q.val() == DIRECT)
            & self.free.val()
            & (self.shape.own_.wrong.val() != 0);
        // A step of a word of memory begins when it is asked for, which is when nothing runs.
        self.rows.start.next = self.given.val()
            | ((self.state.q.val() == WORK) & !self.steps.nothing.val() & self.free.val() & !self.stops.val());
        self.rows.pass.next = self.steps.rows_pass.val();
        self.rows.count.next = self.steps.rows_count.val();
        self.rows.given.next = self.steps.rows_given.val();
        self.rows.from.next = self.steps.rows_from.val();
        self.rows.to.next = self.steps.rows_to.val();
        self.rows.extra.next = self.steps.extra.val();
        self.rows.value.next = self.steps.value.val();
        if self.fill.val() {
            self.rows.start.next = true;
            self.rows.pass.next = MERGE_PASS.into();
            self.rows.count.next = self.fill_count.val();
            self.rows.given.next = self.fill_count.val();
            self.rows.to.next = self.fill_row.val();
        }
        self.sequencer.command_valid.next =
            ((self.state.q.val() == COMMAND) & !self.held.val()) | self.early.offers.val();
        self.sequencer.hold[0].next = self.held.val();
        self.sequencer.command.next = self.shape.command.val();
        self.sequencer.load_ready.next = true;
        self.sequencer.store_ready.next = true;
        self.sequencer.tag_any.next = self.tag_any.val();
        self.accepts.next = (self.sequencer.accept.val() & !self.early.offers.val()) | self.early.releases.val();
        self.last.next = self.sequencer.last.val();
        self.unused_issued.next = self.sequencer.issued.val() ^ self.sequencer.first.val();
        self.unused_words.next = self.words.coming.val();
        self.unused_operand.next = self.sequencer.refusal_.refused_operand.val();
        self.drops.next = self.sequencer.refusal_.refused.val();
        self.draining.next = self.state.q.val() == DRAIN;
        // What is done.
        self.finish.next = false;
        self.passed.next = false;
        if self.state.q.val() == READY {
            self.dropped.d.next = false;
            self.step.d.next = LOOK.into();
            if self.fill.val() {
                self.state.d.next = FILL.into();
            } else if self.begins.val() {
                self.state.d.next = WORK.into();
                if self.shape.own_.prepares_a.val() {
                    self.step.d.next = ZEROS_A.into();
                } else if self.shape.own_.direct.val() != 0 {
                    self.step.d.next = DIRECT.into();
                } else if self.shape.own_.prepares_b.val() {
                    self.step.d.next = COPY_B.into();
                } else {
                    self.state.d.next = COMMAND.into();
                }
            } else if self.starts.val() & !self.computes.val() {
                self.state.d.next = WORK.into();
                if self.shared.val() {
                    self.state.d.next = MEET.into();
                } else if self.kind.val() == MASK {
                    self.step.d.next = MERGE.into();
                    if (self.mask.val() == OPEN) | (self.mask.val() == ENTER) | (self.mask.val() == CLEAR) {
                        self.step.d.next = LOCAL.into();
                    }
                }
            }
        } else if self.state.q.val() == WORK {
            self.finish.next = self.stops.val();
            if self.steps.nothing.val() {
                self.passed.next = true;
            } else if self.free.val() {
                self.state.d.next = RUNS.into();
            }
        } else if self.state.q.val() == RUNS {
            self.passed.next = self.rows.ends.val();
        } else if self.state.q.val() == COMMAND {
            if self.accepts.val() {
                self.state.d.next = READY.into();
                if self.shape.own_.chooses.val() {
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
            if !self.memory.val() & self.go.val() {
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
        } else if self.state.q.val() == FILL {
            if self.rows.ends.val() {
                self.state.d.next = READY.into();
            }
        } else {
            self.timer.d.next = self.timer.q.val() - 1;
            self.finish.next = self.timer.q.val() == 0;
        }
        if self.given.val() {
            self.state.d.next = RUNS.into();
            self.step.d.next = bit_cast::<STEP_BITS, MEMORY_STEP_BITS>(self.memory_step.val()) | MEMORY_STEPS;
        }
        if self.memory_go.val() & (self.memory_step.val() == MEMORY_END) {
            self.finish.next = true;
        }
        if self.passed.val() {
            self.cursor.d.next = self.steps.behind.val();
            self.state.d.next = WORK.into();
            self.step.d.next = self.steps.after.val();
            if self.memory.val() {
                self.state.d.next = MEET.into();
            } else if self.steps.ends.val() {
                self.finish.next = true;
            } else if self.step.q.val() == LOOK {
                self.state.d.next = ANSWER.into();
                self.timer.d.next = WAIT_FOR_ANSWER.into();
            } else if self.steps.after.val() == ISSUE {
                self.state.d.next = COMMAND.into();
            }
        }
        if self.finish.val() {
            self.state.d.next = READY.into();
        }
        self.tested.next = (self.state.q.val() == ANSWER) & (self.timer.q.val() == 0);
        self.test_any.next = self.tag_any.val();
        self.words.pop.next = self.finish.val() | (self.accepts.val() & !self.shape.own_.chooses.val());
        self.early.ends.next = (self.finish.val() & self.computes.val()) | self.accepts.val();
        // Words that end. A command whose result is chosen is the last that the sequencer has; `finish` is known late.
        self.counts.next = self.last.val() & !(self.draining.val() & (self.flying.q.val() == 1));
        self.lost.next = self.drops.val() & !self.draining.val() & !self.held.val();
        self.ended_early.next = self.count.q.val()
            + bits_to::<Bits<COUNT_BITS>, Bit>(self.counts.val())
            + bits_to::<Bits<COUNT_BITS>, Bit>(self.lost.val());
        self.count.d.next = self.ended_early.val();
        if self.finish.val() {
            self.count.d.next = self.ended_early.val() + 1;
        }
        self.flying.d.next = self.flying.q.val() + bits_to::<Bits<2>, Bit>(self.sequencer.accept.val())
            - bits_to::<Bits<2>, Bit>(self.last.val())
            - bits_to::<Bits<2>, Bit>(self.drops.val());
        self.ended.next = self.count.q.val();
        self.idle.next = !self.words.head_valid.val() & (self.flying.q.val() == 0) & !self.sequencer.busy.val();
        // Refusals.
        if self.drops.val() & self.draining.val() {
            self.dropped.d.next = true;
        }
        self.refusals.restart.next = self.restart.val();
        self.refusals.accepts.next = self.sequencer.accept.val();
        self.refusals.accepted_pc.next = self.next.val().get_bits::<PC_BITS>(AT_PC);
        self.refusals.drops.next = self.drops.val() & !self.held.val();
        self.refusals.drop_code.next = self.sequencer.refusal_.refused_code.val();
        self.refusals.stops.next = self.stops.val();
        self.refusals.stop_code.next = self.shape.own_.wrong.val();
        self.refusals.stop_pc.next = self.head.val().get_bits::<PC_BITS>(AT_PC);
        self.refused.next = self.refusals.refused.val();
        self.refused_code.next = self.refusals.code.val();
        self.refused_pc.next = self.refusals.pc.val();
        // The row unit has the arrays while a pass runs, and the sequencer otherwise.
        MicroOperationSource::link(&mut self.own_, &mut self.sequencer.own_);
        if self.rows.busy.val() {
            MicroOperationSource::link(&mut self.own_, &mut self.rows.own_);
        }
    }

    described! {
        "duality_window", "Issue window of one array: words become passes over rows and commands."; AT_KIND, AT_SLOT,
        AT_TARGETS, AT_MASK_OP, AT_SCALAR, AT_PC, COMPUTE, MOVE, MEMORY, MASK, OPEN, ENTER, TAKEN, OTHER, CLEAR,
        MEMORY_END, WAIT_FOR_ANSWER, RESULT, READY, WORK, RUNS, COMMAND, DRAIN, MEET, LATE, ANSWER, ZEROS_A, COPY_B,
        DIRECT, ISSUE, CHOOSE_D, SEND, RECEIVE, SEND_TAG, RECEIVE_TAG, MERGE, LOCAL, LOOK, MEMORY_STEPS, SLOTS, FILL,
        MERGE_PASS
    }
}
