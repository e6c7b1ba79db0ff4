//! Dispatcher: takes words from the instruction ring in program order, hands those of arrays to the issue windows, and
//! does the others itself: scalar operations, jumps, loops and the end.
//!
//! `start` = 1 begins a program with its word 0. A word of an array leaves in a cycle in which its windows have room,
//! and of its wait mask those bits go with it for which something that came before it has not ended; another word waits
//! until the windows in its wait mask have ended what came before it. With `lockstep` = 1, words leave in bundles: a
//! compute word that waits for nothing joins a bundle whose windows do not hold it, and any other word waits until all
//! windows have ended everything (the paper's blocking words); else windows run as far ahead as they can.
//!
//! A word that may not run stops the program before it: nothing behind it leaves, everything before it ends, then
//! `trapped` = 1 with code, number and slot until the next start. What a sequencer refuses is known late: words behind
//! it may have run in other windows. `stop` = 1 does the same to a program that runs, whatever its next word is, with
//! code `aborted`; words of memory that have not begun are not done. `finished` = 1 from the end of a program to the
//! next start. Neither is set after reset.

use crate::array::isa::command::ErrorCode;
use crate::duality::blocks::types::{ProgramWord, WindowEntry};
use crate::duality::isa::codes::{Condition, Kind, Source, Trap};
use crate::duality::isa::entry::{COUNT_BITS, entry};
use crate::duality::isa::field as at;
use crate::duality::params::PC_BITS;
use crate::duality::params::SLOTS;
use crate::kernel::prelude::*;

numbers! {
    usize:
    AT_KIND = at::KIND.lsb, AT_SLOT = at::SLOT.lsb, AT_WAIT = at::WAIT.lsb, AT_SOURCE = at::SOURCE.lsb, AT_IMMEDIATE =
    at::IMMEDIATE.lsb, AT_TARGETS = at::TARGETS.lsb, AT_DATA_SLOT = at::DATA_SLOT.lsb, AT_WAIT_MEMORY = at::WAIT.lsb +
    SLOTS, AT_CONDITION = at::CONDITION.lsb, AT_CODE = at::CODE.lsb
}
numbers! {
    COMPUTE = Kind::Compute, MOVE = Kind::Move, MEMORY = Kind::Memory, SCALAR = Kind::Scalar, MASK = Kind::Mask, JUMP =
    Kind::Jump, END = Kind::End, BY_IMMEDIATE = Source::Immediate, BY_SCALAR = Source::Scalar,
    INDEXED = Source::Indexed, ALWAYS =
    Condition::Always, ZERO = Condition::Zero, NOT_ZERO = Condition::NotZero, ANY = Condition::Any, LOOP =
    Condition::Loop, TRAP_MISSING = Trap::Missing, TRAP_WIDTH = Trap::Width, TRAP_ROWS = Trap::Rows, TRAP_OVERLAP =
    Trap::Overlap, TRAP_ABORTED = Trap::Aborted, TRAP_TARGET = Trap::Target,
    REFUSED_OPCODE = ErrorCode::Opcode, REFUSED_ROWS = ErrorCode::Rows,
    REFUSED_OVERLAP = ErrorCode::Overlap, TO_SCALAR = entry::SCALAR_LSB, TO_PC = entry::PC_LSB,
    TO_BEFORE = entry::BEFORE_LSB, TO_MEMORY = entry::MEMORY_LSB, BEFORE_1 = entry::BEFORE_LSB + COUNT_BITS,
    BEFORE_2 = entry::BEFORE_LSB + 2 * COUNT_BITS, BEFORE_3 = entry::BEFORE_LSB + 3 * COUNT_BITS, FOUR = 0, TWO = 1
}
const LAST_SLOT: usize = SLOTS - 1;
numbers! { STOPPED = 0, RUNS = 1, LOOKS = 2, CLOSING = 3, TRAPPED = 4, FINISHED = 5 }

hdl_block! {
    /// The dispatcher.
    pub DualityDispatcher {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// A program begins; only while none runs.
        In stop: Bit; /// The program that runs stops before the word that comes next.
        In lockstep: Bit; /// Words leave in bundles.
        In arrays: Bits<2>; /// Arrays of a thread: 0 four, 1 two, 2 one.
        Out in_use: Bits<SLOTS>; /// Windows that such threads have.
        In fetch_valid: Bit; /// A word is there.
        In fetch_data: ProgramWord; /// The word.
        In fetch_refused: Bit; /// It may not run, as was known when it was written.
        In fetch_trap: Bits<8>; /// Why, or 0.
        In pc, frontier: Bits<PC_BITS>; /// Its number. The oldest word that the ring keeps.
        Out step: Bit; /// It is done, or has left.
        Out to: Bits<PC_BITS>; /// The number of the word that comes next.
        Out away: Bit; /// A jump leads there.
        Out open: Bit; /// It begins a loop.
        Out behind: Bits<PC_BITS>; /// The first word behind the loop.
        Out scalar_start: Bit; /// The scalar unit begins.
        Out by_value: Bit; /// Its second source is the immediate.
        In scalar_busy: Bit; /// It runs.
        In value_a, value_b: Bits<32>; /// What its registers hold that the word names as a and b.
        In zero_a: Bit; /// That of a is 0.
        Out push: Bits<SLOTS>; /// The windows that get the word.
        Out entry: WindowEntry; /// The word with what they need to know.
        Out to_memory: Bit; /// It is one of memory.
        In room: Bits<SLOTS>; /// Windows that have room.
        Bus ended: [Signal<In, Bits<COUNT_BITS>>; SLOTS]; /// Words that have ended in each.
        In idle: Bits<SLOTS>; /// Windows in which nothing waits or runs.
        In memory_end: Bit; /// A word of memory ends.
        In memory_trap: Bits<8>; /// Why it was not done, or 0.
        In memory_pc: Bits<PC_BITS>; /// Its number.
        In memory_slot: Bits<2>; /// Its slot.
        Out memory_count: Bits<COUNT_BITS>; /// Words of memory that have ended.
        Out memory_bad: Bit; /// One was not done: those behind it end without a look at them.
        In tested, test_any: Bits<SLOTS>; /// Windows that have looked at a row. It holds 1 in some thread.
        In refused: Bits<SLOTS>; /// Windows whose sequencer has refused a command.
        Bus refused_code: [Signal<In, Bits<3>>; SLOTS]; /// Why.
        Bus refused_pc: [Signal<In, Bits<PC_BITS>>; SLOTS]; /// The number of its word.
        Out running, finished, trapped: Bit; /// A program runs; it has ended; it was stopped.
        Out code: Bits<8>; /// What it ends with, or why it was stopped.
        Out trap_pc: Bits<PC_BITS>; /// The word that it was stopped before.
        Out trap_slot: Bits<2>; /// Its slot.
    } inside {
        Register state: Bits<3>; // What is done.
        Child issued: [Register<Bits<COUNT_BITS>>; SLOTS]; // Words that each window has got.
        Register memory_issued, memory_ended: Bits<COUNT_BITS>; // Words of memory that have left; that have ended.
        Register fault: Bits<8>; // Why one was not done, and which.
        Register fault_pc: Bits<PC_BITS>;
        Register fault_slot: Bits<2>;
        Register used: Bits<SLOTS>; // Windows of the bundle.
        Register bundle: Bit; // A bundle can be joined.
        Register result: Bits<8>; // What the program has ended with.
        Register stopped_at: Bits<PC_BITS>; // The word that may not run.
        Register stopped_slot: Bits<2>;
        Local word: ProgramWord;
        Local kind, operation: Bits<3>;
        Local slot: Bits<2>;
        Local data_slots: Bits<SLOTS>;
        Local windows, waits, targets, slots, pending, bound: Bits<SLOTS>;
        Local target, following: Bits<PC_BITS>;
        Local broken, to_array, quiet, joins, allowed, scalar, stale, takes, leaves, jumps, late, tests: Bit;
        Local given_up, refuses: Bit;
        Local sent: ProgramWord;
        Local value: Bits<32>;
        Child numbers: [Signal<Local, Bits<2>>; SLOTS]; // Numbers of the windows.
    }
}

impl Logic for DualityDispatcher {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, used, bundle, result, stopped_at, stopped_slot);
        dff_setup!(self, clock, memory_issued, memory_ended, fault, fault_pc, fault_slot);
        for k in 0..SLOTS {
            dff_setup!(self, clock, issued[k]);
        }
        self.numbers[0].next = 0.into();
        self.numbers[1].next = 1.into();
        self.numbers[2].next = 2.into();
        self.numbers[3].next = 3.into();
        self.windows.next = 1.into();
        if self.arrays.val() == FOUR {
            self.windows.next = 15.into();
        } else if self.arrays.val() == TWO {
            self.windows.next = 3.into();
        }
        self.in_use.next = self.windows.val();
        self.word.next = self.fetch_data.val();
        self.kind.next = self.word.val().get_bits::<3>(AT_KIND);
        self.slot.next = self.word.val().get_bits::<2>(AT_SLOT);
        self.waits.next = self.word.val().get_bits::<SLOTS>(AT_WAIT);
        self.operation.next = self.word.val().get_bits::<3>(AT_CONDITION);
        self.targets.next = self.word.val().get_bits::<SLOTS>(AT_TARGETS);
        self.target.next = self.word.val().get_bits::<PC_BITS>(AT_IMMEDIATE);
        self.following.next = self.pc.val() + 1;
        // Where the word goes, and what has not ended.
        self.data_slots.next = 1.into();
        self.data_slots.next = self.data_slots.val() << self.word.val().get_bits::<2>(AT_DATA_SLOT);
        self.slots.next = 1.into();
        self.slots.next = self.slots.val() << self.slot.val();
        self.pending.next = 0.into();
        for k in 0..SLOTS {
            if self.issued[k].q.val() != self.ended[k].val() {
                self.pending.next = self.pending.val().replace_bit(k, true);
            }
        }
        self.quiet.next = (self.pending.val() == 0) & (self.idle.val() == 15);
        self.tests.next = (self.kind.val() == JUMP) & (self.operation.val() >= ANY) & (self.operation.val() < LOOP);
        self.bound.next = 0.into();
        if (self.kind.val() == COMPUTE) | self.tests.val() {
            self.bound.next = self.slots.val();
        } else if self.kind.val() == MOVE {
            self.bound.next = self.slots.val() | self.targets.val();
        } else if self.kind.val() == MEMORY {
            self.bound.next = self.slots.val() | self.data_slots.val();
        } else if self.kind.val() == MASK {
            self.bound.next = self.windows.val();
        }
        self.to_array.next = self.bound.val() != 0;
        // A jump to words that the ring does not keep any more may not run, either.
        self.refuses.next = self.fetch_refused.val()
            | ((self.kind.val() == JUMP) & (self.operation.val() < LOOP) & (self.target.val() < self.frontier.val()));
        // Whether it leaves.
        self.joins.next = self.bundle.q.val()
            & (self.kind.val() == COMPUTE)
            & (self.waits.val() == 0)
            & ((self.used.q.val() & self.slots.val()) == 0);
        self.allowed.next = !self.lockstep.val() | self.quiet.val() | self.joins.val();
        self.scalar.next = (self.kind.val() == SCALAR)
            | ((self.kind.val() == JUMP) & ((self.operation.val() == ZERO) | (self.operation.val() == NOT_ZERO)))
            | (((self.kind.val() == COMPUTE) | (self.kind.val() == MEMORY))
                & (self.word.val().get_bits::<2>(AT_SOURCE) == BY_SCALAR))
            | ((self.kind.val() == MEMORY) & (self.word.val().get_bits::<2>(AT_SOURCE) == INDEXED));
        self.stale.next = self.scalar.val() & self.scalar_busy.val();
        self.late.next = ((self.pending.val() & self.waits.val()) != 0)
            | (self.word.val().get_bit(AT_WAIT_MEMORY) & (self.memory_issued.q.val() != self.memory_ended.q.val()));
        if self.to_array.val() {
            self.late.next = (self.bound.val() & !self.room.val()) != 0;
        } else if self.kind.val() == END {
            self.late.next = !self.quiet.val();
        }
        self.broken.next = (self.refused.val() != 0) | (self.fault.q.val() != 0);
        self.takes.next = (self.state.q.val() == RUNS) & self.fetch_valid.val() & !self.broken.val();
        self.leaves.next =
            self.takes.val() & !self.refuses.val() & self.allowed.val() & !self.stale.val() & !self.late.val();
        self.push.next = 0.into();
        if self.leaves.val() {
            self.push.next = self.bound.val();
        }
        self.value.next = self.value_b.val();
        self.to_memory.next = false;
        if self.kind.val() == MEMORY {
            self.value.next = self.value_a.val();
            if self.leaves.val() {
                self.to_memory.next = true;
                self.memory_issued.d.next = self.memory_issued.q.val() + 1;
            }
        }
        // Of what it waits for, windows hear what has not ended.
        self.sent.next = self.word.val();
        for k in 0..SLOTS {
            if !self.pending.val().get_bit(k) {
                self.sent.next = self.sent.val().replace_bit(AT_WAIT + k, false);
            }
        }
        if self.memory_issued.q.val() == self.memory_ended.q.val() {
            self.sent.next = self.sent.val().replace_bit(AT_WAIT_MEMORY, false);
        }
        self.entry.next = bits_to::<WindowEntry, ProgramWord>(self.sent.val())
            | (bits_to::<WindowEntry, Bits<32>>(self.value.val()) << TO_SCALAR)
            | (bits_to::<WindowEntry, Bits<PC_BITS>>(self.pc.val()) << TO_PC)
            | (bits_to::<WindowEntry, Bits<COUNT_BITS>>(self.issued[0].q.val()) << TO_BEFORE)
            | (bits_to::<WindowEntry, Bits<COUNT_BITS>>(self.issued[1].q.val()) << BEFORE_1)
            | (bits_to::<WindowEntry, Bits<COUNT_BITS>>(self.issued[2].q.val()) << BEFORE_2)
            | (bits_to::<WindowEntry, Bits<COUNT_BITS>>(self.issued[3].q.val()) << BEFORE_3)
            | (bits_to::<WindowEntry, Bits<COUNT_BITS>>(self.memory_issued.q.val()) << TO_MEMORY);
        for k in 0..SLOTS {
            if self.push.val().get_bit(k) {
                self.issued[k].d.next = self.issued[k].q.val() + 1;
            }
        }
        if self.leaves.val() {
            self.bundle.d.next = self.kind.val() == COMPUTE;
            self.used.d.next = self.slots.val();
            if self.joins.val() & !self.quiet.val() {
                self.used.d.next = self.used.q.val() | self.slots.val();
            }
        }
        self.scalar_start.next = self.leaves.val() & (self.kind.val() == SCALAR);
        self.by_value.next = self.word.val().get_bits::<2>(AT_SOURCE) == BY_IMMEDIATE;
        // Where the program goes on.
        self.jumps.next = (self.operation.val() == ALWAYS)
            | ((self.operation.val() == ZERO) & self.zero_a.val())
            | ((self.operation.val() == NOT_ZERO) & !self.zero_a.val());
        self.step.next = self.leaves.val() & !self.tests.val() & (self.kind.val() != END);
        self.to.next = self.following.val();
        self.away.next = (self.kind.val() == JUMP) & self.jumps.val();
        if (self.kind.val() == JUMP) & self.jumps.val() {
            self.to.next = self.target.val();
        }
        if (self.state.q.val() == LOOKS) & (self.tested.val() != 0) {
            self.step.next = true;
            self.state.d.next = RUNS.into();
            if ((self.tested.val() & self.test_any.val()) != 0) == (self.operation.val() == ANY) {
                self.to.next = self.target.val();
                self.away.next = true;
            }
        }
        self.open.next = (self.kind.val() == JUMP) & (self.operation.val() == LOOP);
        self.behind.next = self.target.val();
        // What is done.
        if self.leaves.val() {
            if self.tests.val() {
                self.state.d.next = LOOKS.into();
            } else if self.kind.val() == END {
                self.state.d.next = FINISHED.into();
                self.result.d.next = self.word.val().get_bits::<8>(AT_CODE);
            }
        }
        if self.state.q.val() == RUNS {
            if self.broken.val() {
                self.state.d.next = CLOSING.into();
            } else if self.takes.val() & self.refuses.val() {
                self.state.d.next = CLOSING.into();
                self.result.d.next = TRAP_TARGET.into();
                if self.fetch_refused.val() {
                    self.result.d.next = self.fetch_trap.val();
                }
                self.stopped_at.d.next = self.pc.val();
                self.stopped_slot.d.next = self.slot.val();
            }
        }
        if (self.state.q.val() == CLOSING) & self.quiet.val() {
            self.state.d.next = TRAPPED.into();
            // A word of memory that was not done, or a command that was refused, came before.
            if self.fault.q.val() != 0 {
                self.result.d.next = self.fault.q.val();
                self.stopped_at.d.next = self.fault_pc.q.val();
                self.stopped_slot.d.next = self.fault_slot.q.val();
            }
            for k in 0..SLOTS {
                if self.refused.val().get_bit(LAST_SLOT - k) {
                    self.stopped_at.d.next = self.refused_pc[LAST_SLOT - k].val();
                    self.stopped_slot.d.next = self.numbers[LAST_SLOT - k].val();
                    self.result.d.next = TRAP_WIDTH.into();
                    if self.refused_code[LAST_SLOT - k].val() == REFUSED_OPCODE {
                        self.result.d.next = TRAP_MISSING.into();
                    } else if self.refused_code[LAST_SLOT - k].val() == REFUSED_ROWS {
                        self.result.d.next = TRAP_ROWS.into();
                    } else if self.refused_code[LAST_SLOT - k].val() == REFUSED_OVERLAP {
                        self.result.d.next = TRAP_OVERLAP.into();
                    }
                }
            }
        }
        if self.memory_end.val() {
            self.memory_ended.d.next = self.memory_ended.q.val() + 1;
            if self.fault.q.val() == 0 {
                self.fault.d.next = self.memory_trap.val();
                self.fault_pc.d.next = self.memory_pc.val();
                self.fault_slot.d.next = self.memory_slot.val();
            }
        }
        self.given_up.next = self.stop.val()
            & (self.fault.q.val() == 0)
            & ((self.state.q.val() == RUNS) | (self.state.q.val() == LOOKS))
            & (!self.memory_end.val() | (self.memory_trap.val() == 0));
        if self.given_up.val() {
            self.fault.d.next = TRAP_ABORTED.into();
            self.fault_pc.d.next = self.pc.val();
            if self.step.val() {
                self.fault_pc.d.next = self.to.val();
            }
            self.fault_slot.d.next = 0.into();
        }
        self.memory_count.next = self.memory_ended.q.val();
        self.memory_bad.next = self.fault.q.val() != 0;
        if self.start.val() {
            self.fault.d.next = 0.into();
            self.state.d.next = RUNS.into();
            self.bundle.d.next = false;
        }
        self.running.next =
            (self.state.q.val() != STOPPED) & (self.state.q.val() != TRAPPED) & (self.state.q.val() != FINISHED);
        self.finished.next = self.state.q.val() == FINISHED;
        self.trapped.next = self.state.q.val() == TRAPPED;
        self.code.next = self.result.q.val();
        self.trap_pc.next = self.stopped_at.q.val();
        self.trap_slot.next = self.stopped_slot.q.val();
    }

    described! {
        "duality_dispatcher", "Takes words in program order, hands them to windows, does scalar words and jumps.";
        AT_KIND, AT_SLOT, AT_WAIT, AT_SOURCE, AT_IMMEDIATE, AT_TARGETS, AT_DATA_SLOT, AT_WAIT_MEMORY, AT_CONDITION,
        AT_CODE, COMPUTE, MOVE, MEMORY, SCALAR, MASK, JUMP, END, BY_IMMEDIATE, BY_SCALAR, INDEXED, ALWAYS, ZERO,
        NOT_ZERO, ANY,
        LOOP, TRAP_MISSING, TRAP_WIDTH, TRAP_ROWS, TRAP_OVERLAP, TRAP_ABORTED, TRAP_TARGET,
        REFUSED_OPCODE, REFUSED_ROWS,
        REFUSED_OVERLAP, TO_SCALAR, TO_PC, TO_BEFORE, TO_MEMORY, BEFORE_1, BEFORE_2, BEFORE_3, FOUR, TWO, STOPPED,
        RUNS, LOOKS, CLOSING, TRAPPED, FINISHED, LAST_SLOT, SLOTS
    }
}
