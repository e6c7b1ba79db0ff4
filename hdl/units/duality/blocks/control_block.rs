//! Control block: a way of the cache as a SIMT processor.
//!
//! ```text
//!            ┌─ scalar unit
//!  host ─▶ ring ─▶ dispatcher ─▶ 4 windows ─▶ micro-operations for all banks
//!                      ▲              ▲  ┌────────────┴─────────────┐
//!                      │              │  array 0   1   2   3  of bank 0   ◀─▶ rows between the arrays of a bank
//!                      └─ answers ────┴─ array 0   1   2   3  of bank 1   ◀─▶
//!                       (wired-OR)        …
//! ```
//!
//! A thread has four arrays of its bank, two or one (`arrays`), and as many windows are in use: window w drives arrays
//! w of all banks, and arrays w + 2 too if a thread has two, all of them if it has one. What an array sends goes to the
//! others of its thread a cycle later. `put` writes a scalar register while no program runs.
//!
//! A word of memory waits at the `memory_` ports, in program order among those of memory: the way to memory asks for
//! its steps one after the other ([`MemoryStep`]), takes the rows that are sent (`memory_sent`), and offers rows of the
//! result, the next one in the cycle behind each `memory_taken`; threads that `memory_where` leaves out keep their
//! rows. A step is taken in a cycle with `memory_valid` = 1. A word that ends with a trap stops the program before it;
//! words of memory behind it are not shown any more. While no program runs, `fill_slots` begins the same for rows that
//! come without a word. `stop` = 1 stops a program between its words, once the word of memory that has its steps has
//! ended; it is held until the program does not run.
//!
//! Source: Duality Cache §3.3. Ours: windows that run ahead, the scalar unit, rows a cycle between arrays of a bank.

use crate::array::blocks::bundles::ArraySink;
use crate::array::blocks::compute_array::ComputeArray;
use crate::array::blocks::types::RowAddress;
use crate::array::isa::microcode::Microcode;
use crate::duality::blocks::dispatcher::DualityDispatcher;
use crate::duality::blocks::instruction_ring::DualityInstructionRing;
use crate::duality::blocks::memory_turns::DualityMemoryTurns;
use crate::duality::blocks::scalar_unit::{DualityScalarUnit, ScalarNumber};
use crate::duality::blocks::types::{ProgramWord, WindowEntry};
use crate::duality::blocks::window::DualityWindow;
use crate::duality::blocks::word_check::DualityWordCheck;
use crate::duality::isa::codes::Source;
use crate::duality::isa::entry::entry;
use crate::duality::isa::field as at;
use crate::duality::params::PC_BITS;
use crate::duality::params::{DualityParams, SLOTS};
use crate::duality::passes::{MEMORY_STEP_BITS, MemoryStep};
use crate::kernel::prelude::*;

numbers! {
    usize: AT_OPERATION = at::SCALAR_OP.lsb, AT_D = at::SCALAR_D.lsb, AT_A = at::SCALAR_A.lsb, AT_B = at::SCALAR_B.lsb,
    AT_C = at::SCALAR_C.lsb, AT_SOURCE = at::SOURCE.lsb, AT_MODIFIER = at::MODIFIER.lsb,
    AT_IMMEDIATE = at::IMMEDIATE.lsb, AT_SLOT = at::SLOT.lsb,
    AT_DATA_SLOT = at::DATA_SLOT.lsb, AT_SCALAR = entry::SCALAR_LSB, AT_PC = entry::PC_LSB
}
numbers! {
    FOUR = 0, TWO = 1, MEMORY_END = MemoryStep::End, MEMORY_ADDRESS = MemoryStep::Address,
    AT_BEFORE = entry::BEFORE_LSB, INDEXED = Source::Indexed
}

hdl_block! {
    /// The control block.
    pub DualityControlBlock<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// A program begins, while none runs: the ring is empty, the next word written is word 0.
        In stop: Bit; /// The program that runs, if one does, stops before the word that comes next.
        In lockstep: Bit; /// Words leave in bundles.
        In arrays: Bits<2>; /// Arrays of a thread: 0 four, 1 two, 2 one. Only changes while no program runs.
        In write_valid: Bit; /// The host offers a word.
        Out write_ready: Bit; /// It is taken if offered.
        In write_data: ProgramWord; /// The word.
        Out doorbell: Bit; /// At most half of the ring is in use.
        Out pc, frontier, tail: Bits<PC_BITS>;
            /// The word that comes next, the oldest that the ring keeps, the one that is written next.
        In put: Bit; /// A scalar register is written.
        In put_number: ScalarNumber; /// Which one.
        In put_value: Bits<32>; /// What it holds then.
        Out memory_valid: Bit; /// A word of memory waits for its steps.
        Out memory_word: ProgramWord; /// The word.
        Out memory_scalar: Bits<32>; /// What the scalar register holds that it names.
        In memory_asks: Bit; /// A step is asked for, while one waits.
        In memory_step: Bits<MEMORY_STEP_BITS>; /// Which one.
        In memory_trap: Bits<8>; /// With the step that ends it: why it was not done, or 0.
        Out memory_sent, memory_taken: Bit; /// A row is sent to memory in this cycle; one from there is written.
        Bus memory_rows: Array<Signal<Out, W>, LANES>; /// The row that each array sends.
        Bus memory_data, memory_where: Array<Signal<In, W>, LANES>; /// What each gets, and in which threads.
        In fill_slots: Bits<SLOTS>; /// Windows that get rows without a word, while no program runs.
        In fill_row: RowAddress; /// The first of these rows.
        In fill_count: Bits<8>; /// How many.
        Out running, finished, trapped: Bit; /// A program runs; it has ended; it was stopped.
        Out code: Bits<8>; /// What it ends with, or why it was stopped.
        Out trap_pc: Bits<PC_BITS>; /// The word that it was stopped before.
        Out trap_slot: Bits<2>; /// Its slot.
    } inside {
        Child ring: DualityInstructionRing; // Words.
        Child check: DualityWordCheck; // Whether a word may run, as it is written.
        Child dispatcher: DualityDispatcher; // Hands them out.
        Child scalars: DualityScalarUnit; // Values that all threads share.
        Child windows: Vec<Boxed<DualityWindow>>; // Issue windows.
        Child members: Vec<Boxed<ComputeArray<W>>>; // Arrays: four of bank 0, four of bank 1, and so on.
        Child sent: Vec<Register<W>>; // What each gets from another.
        Child turns: DualityMemoryTurns; // Words of memory that have not ended.
        Register stepped: Bit; // A word of memory has had a step, and not its last.
        Local word: ProgramWord;
        Local any, goes, meets, room, idle, tested, test_any, refused: Bits<SLOTS>;
        Child met: [Signal<Local, Bits<SLOTS>>; SLOTS]; // Windows whose oldest word takes rows from this one.
        Child sources: [Signal<Local, Bits<2>>; SLOTS]; // The array that each array of a bank gets rows from.
        Local having: Bits<SLOTS>; // Windows that have the step.
        Local memory_meets, sends, gets, held, slots: Bits<SLOTS>; // Windows: words of memory, and what they do.
        Local rows_to, rows_from: Bits<SLOTS>; // Arrays of a bank that send rows to memory, or get them.
        Local entry: WindowEntry;
        Local both, goes_on, ended: Bit;
        Local asked: Bits<MEMORY_STEP_BITS>;
        Local unused: Bits<SLOTS>;
        Local unused_entry: Word<80, 2>;
        Value _banks: usize;
    }
}

impl<W: RowWord> DualityControlBlock<W> {
    /// The control block that `params` describe, with the micro-programs of its arrays.
    pub fn new(params: &DualityParams, code: &Microcode) -> Self {
        let array = params.array();
        let window = |_| Boxed::new(|| DualityWindow::new(params.window, &array, code));
        let members = SLOTS * params.banks;
        DualityControlBlock {
            ring: DualityInstructionRing::new(params.ring),
            check: DualityWordCheck::new(params, &array),
            scalars: DualityScalarUnit::new(),
            windows: (0..SLOTS).map(window).collect(),
            members: (0..members).map(|_| Boxed::new(|| ComputeArray::new(&array))).collect(),
            sent: (0..members).map(|_| Register::default()).collect(),
            turns: DualityMemoryTurns::new(params.window),
            _banks: params.banks,
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for DualityControlBlock<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ring, dispatcher, scalars, turns);
        dff_setup!(self, clock, stepped);
        // The ring and the dispatcher.
        self.ring.restart.next = self.start.val();
        self.ring.write_valid.next = self.write_valid.val();
        self.write_ready.next = self.ring.write_ready.val();
        self.ring.write_data.next = self.write_data.val();
        // What is wrong with a word is kept beside it: there is no time to find out when it comes.
        self.check.word.next = self.write_data.val();
        self.check.windows.next = self.dispatcher.in_use.val();
        self.check.pc.next = self.ring.tail.val();
        self.ring.write_trap.next = self.check.trap.val();
        self.dispatcher.fetch_refused.next = self.ring.fetch_refused.val();
        self.dispatcher.fetch_trap.next = self.ring.fetch_trap.val();
        self.ring.step.next = self.dispatcher.step.val();
        self.ring.to.next = self.dispatcher.to.val();
        self.ring.away.next = self.dispatcher.away.val();
        self.ring.open.next = self.dispatcher.open.val();
        self.ring.behind.next = self.dispatcher.behind.val();
        self.doorbell.next = self.ring.doorbell.val();
        self.pc.next = self.ring.pc.val();
        self.frontier.next = self.ring.frontier.val();
        self.tail.next = self.ring.tail.val();
        self.word.next = self.ring.fetch_data.val();
        self.dispatcher.start.next = self.start.val();
        self.dispatcher.lockstep.next = self.lockstep.val();
        self.dispatcher.arrays.next = self.arrays.val();
        self.dispatcher.fetch_valid.next = self.ring.fetch_valid.val();
        self.dispatcher.fetch_data.next = self.word.val();
        self.dispatcher.pc.next = self.ring.pc.val();
        self.dispatcher.frontier.next = self.ring.frontier.val();
        self.running.next = self.dispatcher.running.val();
        self.finished.next = self.dispatcher.finished.val();
        self.trapped.next = self.dispatcher.trapped.val();
        self.code.next = self.dispatcher.code.val();
        self.trap_pc.next = self.dispatcher.trap_pc.val();
        self.trap_slot.next = self.dispatcher.trap_slot.val();
        // Scalars.
        self.scalars.put.next = self.put.val();
        self.scalars.put_number.next = self.put_number.val();
        self.scalars.put_value.next = self.put_value.val();
        self.scalars.start.next = self.dispatcher.scalar_start.val();
        self.scalars.operation.next = self.word.val().get_bits::<5>(AT_OPERATION);
        self.scalars.d.next = self.word.val().get_bits::<5>(AT_D);
        self.scalars.a.next = self.word.val().get_bits::<5>(AT_A);
        if self.word.val().get_bits::<2>(AT_SOURCE) == INDEXED {
            self.scalars.a.next = self.word.val().get_bits::<5>(AT_MODIFIER);
        }
        self.scalars.b.next = self.word.val().get_bits::<5>(AT_B);
        self.scalars.c.next = self.word.val().get_bits::<5>(AT_C);
        self.scalars.by_value.next = self.dispatcher.by_value.val();
        self.scalars.immediate.next = self.word.val().get_bits::<32>(AT_IMMEDIATE);
        self.dispatcher.scalar_busy.next = self.scalars.busy.val();
        self.dispatcher.value_a.next = self.scalars.value_a.val();
        self.dispatcher.value_b.next = self.scalars.value_b.val();
        self.dispatcher.zero_a.next = self.scalars.zero_a.val();
        // Windows.
        self.windows[0].number.next = 0.into();
        self.windows[1].number.next = 1.into();
        self.windows[2].number.next = 2.into();
        self.windows[3].number.next = 3.into();
        self.room.next = 0.into();
        self.idle.next = 0.into();
        self.meets.next = 0.into();
        self.tested.next = 0.into();
        self.test_any.next = 0.into();
        self.refused.next = 0.into();
        self.memory_meets.next = 0.into();
        self.sends.next = 0.into();
        self.gets.next = 0.into();
        for k in 0..SLOTS {
            self.windows[k].clock.next = self.clock.val();
            self.windows[k].restart.next = self.start.val();
            self.windows[k].push_valid.next = self.dispatcher.push.val().get_bit(k);
            self.windows[k].push_entry.next = self.dispatcher.entry.val();
            self.windows[k].in_use.next = self.dispatcher.in_use.val();
            self.windows[k].go.next = self.goes.val().get_bit(k);
            self.windows[k].fill.next = self.fill_slots.val().get_bit(k);
            self.windows[k].fill_row.next = self.fill_row.val();
            self.windows[k].fill_count.next = self.fill_count.val();
            self.room.next = self.room.val().replace_bit(k, self.windows[k].push_ready.val());
            self.idle.next = self.idle.val().replace_bit(k, self.windows[k].idle.val());
            self.meets.next = self.meets.val().replace_bit(k, self.windows[k].meets.val());
            self.tested.next = self.tested.val().replace_bit(k, self.windows[k].tested.val());
            self.test_any.next = self.test_any.val().replace_bit(k, self.windows[k].test_any.val());
            self.refused.next = self.refused.val().replace_bit(k, self.windows[k].refused.val());
            self.dispatcher.ended[k].next = self.windows[k].ended.val();
            self.dispatcher.refused_code[k].next = self.windows[k].refused_code.val();
            self.dispatcher.refused_pc[k].next = self.windows[k].refused_pc.val();
            self.windows[k].memory_count.next = self.dispatcher.memory_count.val();
            self.memory_meets.next = self.memory_meets.val().replace_bit(k, self.windows[k].memory_meets.val());
            self.sends.next = self.sends.val().replace_bit(k, self.windows[k].memory_sends.val());
            self.gets.next = self.gets.val().replace_bit(k, self.windows[k].memory_gets.val());
        }
        for k in 0..SLOTS {
            for j in 0..SLOTS {
                self.windows[k].other_ended[j].next = self.windows[j].ended.val();
            }
        }
        self.dispatcher.room.next = self.room.val();
        self.dispatcher.idle.next = self.idle.val();
        self.dispatcher.tested.next = self.tested.val();
        self.dispatcher.test_any.next = self.test_any.val();
        self.dispatcher.refused.next = self.refused.val();
        // A word of several windows begins when it is the oldest in all of them.
        self.goes.next = 0.into();
        for k in 0..SLOTS {
            self.met[k].next = 0.into();
            for j in 0..SLOTS {
                if self.windows[j].meets.val() & (self.windows[j].meet_source.val().index() == k) {
                    self.met[k].next = self.met[k].val().replace_bit(j, true);
                }
            }
            if self.met[k].val().get_bit(k) & ((self.windows[k].meet_targets.val() & !self.met[k].val()) == 0) {
                self.goes.next = self.goes.val() | self.windows[k].meet_targets.val();
                self.goes.next = self.goes.val().replace_bit(k, true);
            }
        }
        // A word of memory has its steps when it is its turn, and it is the oldest in the windows of its rows.
        // Words of memory end in their order, so that the oldest one of these windows is the one whose turn it is.
        self.turns.comes.next = self.dispatcher.to_memory.val();
        self.turns.new_slot.next = self.word.val().get_bits::<2>(AT_SLOT);
        self.turns.new_data_slot.next = self.word.val().get_bits::<2>(AT_DATA_SLOT);
        self.turns.ends.next = self.ended.val();
        self.slots.next = self.turns.slots.val();
        self.held.next = self.turns.held.val();
        self.entry.next = self.windows[0].memory_entry.val();
        if self.turns.slot.val() == 1 {
            self.entry.next = self.windows[1].memory_entry.val();
        } else if self.turns.slot.val() == 2 {
            self.entry.next = self.windows[2].memory_entry.val();
        } else if self.turns.slot.val() == 3 {
            self.entry.next = self.windows[3].memory_entry.val();
        }
        self.memory_word.next = bits_to::<ProgramWord, WindowEntry>(self.entry.val());
        self.memory_scalar.next = self.entry.val().get_bits::<32>(AT_SCALAR);
        self.unused_entry.next = bits_to::<Word<80, 2>, WindowEntry>(self.entry.val() >> AT_BEFORE);
        self.both.next =
            self.turns.waits.val() & (((self.slots.val() | self.held.val()) & !self.memory_meets.val()) == 0);
        self.memory_valid.next = self.both.val() & !self.dispatcher.memory_bad.val();
        // What a step is can be told before it is known whether the word can have one.
        self.asked.next = self.memory_step.val();
        if self.dispatcher.memory_bad.val() {
            self.asked.next = MEMORY_END.into();
        }
        self.goes_on.next = self.both.val() & (self.memory_asks.val() | self.dispatcher.memory_bad.val());
        self.ended.next = self.goes_on.val() & (self.asked.val() == MEMORY_END);
        self.dispatcher.memory_end.next = self.ended.val();
        // Not while a word of memory has its steps, or its rows pass.
        if self.goes_on.val() {
            self.stepped.d.next = !self.ended.val();
        }
        self.dispatcher.stop.next = self.stop.val() & ((!self.both.val() & !self.stepped.q.val()) | self.ended.val());
        self.dispatcher.memory_trap.next = self.memory_trap.val();
        self.dispatcher.memory_pc.next = self.entry.val().get_bits::<PC_BITS>(AT_PC);
        self.dispatcher.memory_slot.next = self.turns.slot.val();
        self.having.next = self.held.val();
        if self.asked.val() == MEMORY_END {
            self.having.next = self.slots.val() | self.held.val();
        } else if self.asked.val() == MEMORY_ADDRESS {
            self.having.next = self.slots.val();
        }
        for k in 0..SLOTS {
            self.windows[k].memory_step.next = self.asked.val();
            self.windows[k].memory_go.next = self.goes_on.val() & self.having.val().get_bit(k);
        }
        self.rows_to.next = self.sends.val();
        self.rows_from.next = self.gets.val();
        if self.arrays.val() != FOUR {
            self.rows_to.next = self.sends.val() | (self.sends.val() << 2);
            self.rows_from.next = self.gets.val() | (self.gets.val() << 2);
            if self.arrays.val() != TWO {
                self.rows_to.next = 15.into();
                self.rows_from.next = 0.into();
                if self.gets.val().get_bit(0) {
                    self.rows_from.next = 15.into();
                }
                if !self.sends.val().get_bit(0) {
                    self.rows_to.next = 0.into();
                }
            }
        }
        self.memory_sent.next = false;
        self.memory_taken.next = false;
        for j in 0..SLOTS {
            if self.rows_to.val().get_bit(j) & self.members[j].stored.val() {
                self.memory_sent.next = true;
            }
            if self.rows_from.val().get_bit(j) & self.members[j].loaded.val() {
                self.memory_taken.next = true;
            }
        }
        // Which array of a bank gets rows from which.
        self.sources[0].next = self.windows[0].meet_source.val();
        self.sources[1].next = self.windows[1].meet_source.val();
        self.sources[2].next = self.windows[2].meet_source.val();
        self.sources[3].next = self.windows[3].meet_source.val();
        if self.arrays.val() != FOUR {
            self.sources[2].next = self.windows[0].meet_source.val() | 2;
            self.sources[3].next = self.windows[1].meet_source.val() | 2;
        }
        self.any.next = 0.into();
        self.unused.next = 0.into();
        for b in 0..self._banks {
            for j in 0..SLOTS {
                self.members[SLOTS * b + j].clock.next = self.clock.val();
                dff_setup!(self, clock, sent[SLOTS * b + j]);
                self.memory_rows[SLOTS * b + j].next = self.members[SLOTS * b + j].store_row.val();
                self.members[SLOTS * b + j].load_row.next = self.sent[SLOTS * b + j].q.val();
                if self.rows_from.val().get_bit(j) {
                    self.members[SLOTS * b + j].load_row.next = (self.memory_data[SLOTS * b + j].val()
                        & self.memory_where[SLOTS * b + j].val())
                        | (self.members[SLOTS * b + j].store_row.val() & !self.memory_where[SLOTS * b + j].val());
                }
                self.sent[SLOTS * b + j].d.next = self.members[SLOTS * b].store_row.val();
                if self.sources[j].val() == 1 {
                    self.sent[SLOTS * b + j].d.next = self.members[SLOTS * b + 1].store_row.val();
                } else if self.sources[j].val() == 2 {
                    self.sent[SLOTS * b + j].d.next = self.members[SLOTS * b + 2].store_row.val();
                } else if self.sources[j].val() == 3 {
                    self.sent[SLOTS * b + j].d.next = self.members[SLOTS * b + 3].store_row.val();
                }
                if self.members[SLOTS * b + j].tag_any.val() {
                    self.any.next = self.any.val().replace_bit(j, true);
                }
                if self.members[SLOTS * b + j].loaded.val() ^ self.members[SLOTS * b + j].stored.val() {
                    self.unused.next = self.unused.val().replace_bit(j, true);
                }
                ArraySink::join(&mut self.members[SLOTS * b + j].own_, &mut self.windows[j].own_);
            }
            if self.arrays.val() != FOUR {
                ArraySink::join(&mut self.members[SLOTS * b + 2].own_, &mut self.windows[0].own_);
                ArraySink::join(&mut self.members[SLOTS * b + 3].own_, &mut self.windows[1].own_);
                if self.arrays.val() != TWO {
                    ArraySink::join(&mut self.members[SLOTS * b + 1].own_, &mut self.windows[0].own_);
                    ArraySink::join(&mut self.members[SLOTS * b + 3].own_, &mut self.windows[0].own_);
                }
            }
        }
        for k in 0..SLOTS {
            self.windows[k].tag_any.next = self.any.val().get_bit(k);
        }
        if self.arrays.val() != FOUR {
            self.windows[0].tag_any.next = self.any.val().get_bit(0) | self.any.val().get_bit(2);
            self.windows[1].tag_any.next = self.any.val().get_bit(1) | self.any.val().get_bit(3);
            if self.arrays.val() != TWO {
                self.windows[0].tag_any.next = self.any.val() != 0;
            }
        }
    }

    described! {
        "duality_control_block", "A way of the cache as a SIMT processor."; AT_OPERATION, AT_D, AT_A, AT_B, AT_C,
        AT_SOURCE, AT_MODIFIER, INDEXED, AT_IMMEDIATE, AT_SLOT, AT_DATA_SLOT, AT_SCALAR, AT_PC, AT_BEFORE, FOUR, TWO,
        MEMORY_END, MEMORY_ADDRESS, SLOTS; _banks
    }
}
