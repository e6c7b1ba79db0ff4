//! Crossbar of a control block: shuffles numbers of a bank's threads, and reduces them, beside the memory unit.
//!
//! ```text
//!  rows ─▶ numbers of threads ─▶ network ─┐
//!       ─▶ threads that take part         ├─▶ buffer of rows ─▶ rows of the result
//!       ─▶ row ─────▶ network, reduction ─┘        └──▶ row
//! ```
//!
//! `mine` = 1 while the word at the port is one of space `bank`; the crossbar takes it, asks for its steps, and has the
//! rows of all groups of threads one after the other: `group` and `slot` say which rows go by. Of a shuffle each thread
//! gets b of the thread that its address names within its segment, whether that one is chosen or not, and its own b if
//! the segment has no such place, or no thread is there. Of a reduction all threads of a segment get what becomes of b
//! of those that take part. Rows of the result are offered as the control block wants them: the first one with the
//! step, the next one in the cycle behind each `taken`; `places` has 1 for threads that take part and exist.
//!
//! A row of b that comes is shuffled at once by a network with as many outputs as threads, else, when all are there, in
//! so many cycles as the outputs go into the threads. Sums and bits together take no cycles but those of the rows; the
//! smallest and the largest number are looked for from the highest row on, two cycles a row.
//!
//! **In the memory unit.** While `mine` = 1 the memory unit's own sequence sees no word, and the step that is asked
//! for is the crossbar's, with trap 0. The word is taken in the first cycle in which it waits and none is done; its
//! first step is asked for from the next one on. While `busy` = 1, from then on to the cycle in which the step `End`
//! is taken, the memory unit is `working`, rows come from and go to the crossbar's group and slot, and none of them
//! enters the transpose unit or the room for spill rows, whatever the port shows without `valid`.
//!
//! Source: Duality Cache §3.3 (crossbar) for shuffles; reductions: ours.

use super::network::DualityCrossbarNetwork;
use super::numbers::DualityCrossbarNumbers;
use super::reduce::DualityCrossbarReduce;
use super::sequence::*;
use crate::duality::blocks::memory::places::*;
use crate::duality::blocks::types::ProgramWord;
use crate::duality::isa::codes::{MemoryOp, Source};
use crate::duality::params::DualityParams;
use crate::duality::passes::MEMORY_STEP_BITS;
use crate::kernel::prelude::*;

numbers! {
    SUM = MemoryOp::Add, AND = MemoryOp::And, OR = MemoryOp::Or, MIN_U = MemoryOp::MinU, MIN_S = MemoryOp::MinS,
    MAX_U = MemoryOp::MaxU, MAX_S = MemoryOp::MaxS, IMMEDIATE = Source::Immediate
}
/// Rows of a word at most.
const MOST_ROWS: usize = 64;

hdl_block! {
    /// The crossbar.
    pub DualityCrossbar {
        In clock: Domain; /// Clock and reset.
        In valid: Bit; /// A word of memory waits for its steps.
        In word: ProgramWord; /// The word.
        In scalar: Bits<32>; /// What the scalar register holds that it names.
        Out mine: Bit; /// It is the crossbar's.
        Out busy: Bit; /// The crossbar does a word.
        Out asked: Bits<MEMORY_STEP_BITS>; /// The step that is asked for.
        In groups: Bits<5>; /// Groups of threads.
        Out group: Bits<4>; /// The one whose rows are wanted, and offered.
        Out slot: Bits<2>; /// The array of its threads.
        In sent, taken: Bit; /// A row comes. One is taken.
        In row: Row; /// The row.
        Out offered: Row; /// A row of the result.
        Out places: Row; /// Threads that get it.
    } inside {
        Child sequence: DualityCrossbarSequence; // What is done.
        Child numbers: DualityCrossbarNumbers; // Threads that are named.
        Child network: DualityCrossbarNetwork; // Gives them their bits.
        Child reduce: DualityCrossbarReduce; // Makes one of many.
        Child buffer: Ram<Row, Bits<6>>; // Rows of data, and of the result.
        Child gathered: Vec<Register<Row>>; // Threads of the row that have their bits, the last ones highest.
        Register operation, segment: Bits<4>; // Of the word.
        Register predicate, address_slot, data_slot: Bits<2>;
        Register width, address_width: Bits<6>;
        Register by_row: Bit; // Its addresses are in rows.
        Register offset: Bits<32>; // What they are counted from.
        Register taking: Row; // Threads that take part.
        Register candidates: Row; // Those that may have the number that is looked for.
        Register held: Row; // The row that is worked on.
        Local turns, shuffles, least, most, signed, searches, flips: Bit;
        Local source: Bits<2>;
        Local here, ones, entering, turned, found, seen: Row;
        Local unused: ProgramWord;
        Local unused_picked: Row;
        Value _bits, _whole: usize;
        Value _step, _rest: u64;
    }
}

impl DualityCrossbar {
    /// That of a control block with these parameters, if it has one.
    pub fn of(params: &DualityParams) -> Vec<Boxed<Self>> {
        (0..usize::from(params.crossbar > 0)).map(|_| Boxed::new(|| Self::new(params))).collect()
    }

    /// For a control block with these parameters, which has one.
    pub fn new(params: &DualityParams) -> Self {
        let (step, columns) = (params.crossbar, params.columns);
        let serial = usize::from(step < columns);
        DualityCrossbar {
            sequence: DualityCrossbarSequence::new(columns / step),
            numbers: DualityCrossbarNumbers::new(step, columns),
            network: DualityCrossbarNetwork::new(step, columns),
            reduce: DualityCrossbarReduce::new(columns),
            buffer: Ram::new(MOST_ROWS, RamStyle::Block),
            gathered: (0..serial).map(|_| Register::default()).collect(),
            _bits: columns.ilog2() as usize,
            _whole: 1 - serial,
            _step: step as u64,
            _rest: (columns - step) as u64,
            ..Self::default()
        }
    }
}

impl Logic for DualityCrossbar {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, sequence, numbers, reduce, buffer);
        dff_setup!(self, clock, operation, segment, predicate, address_slot, data_slot, width, address_width, by_row);
        dff_setup!(self, clock, offset, taking, candidates, held);
        self.ones.next = 0.into();
        self.ones.next = !self.ones.val();
        // What the word is.
        self.unused.next = self.word.val();
        self.mine.next = self.valid.val() & (self.word.val().get_bits::<3>(AT_SPACE) == BANK);
        self.busy.next = self.sequence.state.val() != IDLE;
        self.source.next = self.word.val().get_bits::<2>(AT_SOURCE);
        if self.sequence.state.val() == IDLE {
            self.operation.d.next = self.word.val().get_bits::<4>(AT_OPERATION);
            self.segment.d.next = self.word.val().get_bits::<4>(AT_SEGMENT);
            self.predicate.d.next = self.word.val().get_bits::<2>(AT_PREDICATE);
            self.address_slot.d.next = self.word.val().get_bits::<2>(AT_SLOT);
            self.data_slot.d.next = self.word.val().get_bits::<2>(AT_DATA_SLOT);
            self.width.d.next = self.word.val().get_bits::<6>(AT_WIDTH);
            self.address_width.d.next = self.word.val().get_bits::<6>(AT_WIDTH_A);
            self.by_row.d.next = (self.source.val() == BY_ROW) | (self.source.val() == INDEXED);
            self.offset.d.next = self.word.val().get_bits::<32>(AT_IMMEDIATE);
            if (self.source.val() != BY_ROW) & (self.source.val() != IMMEDIATE) {
                self.offset.d.next = self.word.val().get_bits::<32>(AT_IMMEDIATE) + self.scalar.val();
            }
        }
        self.shuffles.next = self.operation.q.val() == LOAD;
        self.least.next = (self.operation.q.val() == MIN_U) | (self.operation.q.val() == MIN_S);
        self.most.next = (self.operation.q.val() == MAX_U) | (self.operation.q.val() == MAX_S);
        self.signed.next = (self.operation.q.val() == MIN_S) | (self.operation.q.val() == MAX_S);
        self.searches.next = self.least.val() | self.most.val();
        // The sequence.
        self.sequence.starts.next = self.mine.val();
        self.sequence.valid.next = self.valid.val();
        self.sequence.groups.next = self.groups.val();
        self.sequence.all.next = self.predicate.q.val() == ALL;
        self.sequence.shuffles.next = self.shuffles.val();
        self.sequence.by_row.next = self.by_row.q.val();
        self.sequence.searches.next = self.searches.val();
        self.sequence.address_rows.next = bit_cast::<7, 6>(self.address_width.q.val()) + 1;
        self.sequence.rows.next = bit_cast::<7, 6>(self.width.q.val()) + 1;
        self.sequence.segment.next = self.segment.q.val();
        self.sequence.sent.next = self.sent.val();
        self.sequence.taken.next = self.taken.val();
        self.asked.next = self.sequence.asked.val();
        self.group.next = self.sequence.group.val();
        self.slot.next = self.data_slot.q.val();
        if self.sequence.state.val() == NUMBERS {
            self.slot.next = self.address_slot.q.val();
        }
        // Threads that take part.
        if self.sent.val() {
            if self.sequence.state.val() == LAUNCHED {
                self.taking.d.next = self.row.val();
            } else if self.sequence.state.val() == CHOSEN {
                self.taking.d.next = self.taking.q.val() & self.row.val();
                if self.predicate.q.val() == UNLESS {
                    self.taking.d.next = self.taking.q.val() & !self.row.val();
                }
            }
        }
        // Threads that are named, and whether they are there.
        self.turns.next =
            (self.sequence.state.val() == CHECK) | ((self.sequence.state.val() == WORK) & self.shuffles.val());
        self.numbers.opens.next = self.sequence.state.val() == LAUNCHED;
        self.numbers.offset.next = self.offset.q.val();
        self.numbers.segment.next = self.segment.q.val();
        self.numbers.put.next = self.sequence.put.val();
        self.numbers.row.next = self.row.val();
        if self.sequence.empty.val() {
            self.numbers.row.next = 0.into();
        }
        self.numbers.settle.next = self.sequence.state.val() == SETTLE;
        self.numbers.exclude.next = self.sequence.state.val() == EXCLUDE;
        self.numbers.absent.next = !self.found.val();
        self.numbers.turn.next = self.turns.val();
        self.network.row.next = self.held.q.val();
        for j in 0..self._bits {
            self.network.numbers[j].next = self.numbers.numbers[j].val();
        }
        // A row of a reduction is as if threads that take no part had what changes nothing.
        self.entering.next = self.row.val();
        if !self.shuffles.val() {
            self.entering.next = self.row.val() & self.taking.q.val();
            if self.operation.q.val() == AND {
                self.entering.next = self.row.val() | !self.taking.q.val();
            }
        }
        self.held.d.next = self.entering.val();
        if self.sequence.state.val() == SETTLE {
            self.held.d.next = self.taking.q.val();
        } else if self.sequence.state.val() == CHECK {
            self.held.d.next = self.held.q.val();
        } else if (self.sequence.state.val() == SHOWN) | (self.sequence.state.val() == WORK) {
            self.held.d.next = self.held.q.val();
            if (self.sequence.state.val() == SHOWN) | self.sequence.turned.val() {
                self.held.d.next = self.buffer.read_data.val();
            }
        }
        // The number that is looked for: if some candidate has the wanted bit, those that do not are none any more. Of
        // signed numbers the sign counts the other way.
        self.flips.next = self.least.val() ^ (self.signed.val() & self.sequence.top.val());
        self.seen.next = self.buffer.read_data.val();
        if self.flips.val() {
            self.seen.next = !self.buffer.read_data.val();
        }
        if self.sequence.state.val() == DATA {
            self.candidates.d.next = self.taking.q.val();
        } else if self.sequence.state.val() == WORK {
            self.candidates.d.next = self.candidates.q.val() & (self.seen.val() | !self.reduce.result.val());
        }
        self.reduce.segment.next = self.segment.q.val();
        self.reduce.sums.next = self.operation.q.val() == SUM;
        self.reduce.ors.next = (self.operation.q.val() == OR) | self.searches.val();
        self.reduce.ands.next = self.operation.q.val() == AND;
        self.reduce.opens.next = self.sequence.state.val() == DATA;
        self.reduce.put.next = self.sequence.holds.val();
        self.reduce.row.next = self.held.q.val();
        if self.searches.val() {
            self.reduce.row.next = self.candidates.q.val() & self.seen.val();
        }
        // Rows that are there, and those of the result.
        self.here.next = self.reduce.result.val();
        if self.searches.val() & self.flips.val() {
            self.here.next = !self.reduce.result.val();
        }
        self.turned.next = self.network.picked.val();
        self.found.next = self.network.picked.val();
        self.unused_picked.next = self.network.picked.val();
        for i in 0..(1 - self._whole) {
            dff_setup!(self, clock, gathered[i]);
            self.turned.next = (self.gathered[i].q.val() >> self._step) | (self.network.picked.val() << self._rest);
            self.found.next = self.gathered[i].q.val();
            if self.turns.val() {
                self.gathered[i].d.next = self.turned.val();
            }
        }
        if self.shuffles.val() {
            self.here.next = self.turned.val();
        }
        self.buffer.write_data.next = self.here.val();
        if self.sequence.state.val() == ROWS {
            if self.searches.val() {
                self.buffer.write_data.next = self.row.val();
            }
            for _i in 0..(1 - self._whole) {
                if self.shuffles.val() {
                    self.buffer.write_data.next = self.row.val();
                }
            }
        }
        self.buffer.write_enable.next = self.sequence.writes.val();
        self.buffer.write_address.next = self.sequence.place.val();
        self.buffer.read_enable.next = true;
        self.buffer.read_address.next = self.sequence.reads.val();
        self.offered.next = self.buffer.read_data.val();
        self.places.next = self.taking.q.val();
    }

    described! {
        "duality_crossbar", "Shuffles numbers of a bank's threads, and reduces them."; AT_SLOT, AT_WIDTH, AT_WIDTH_A,
        AT_OPERATION, AT_SPACE, AT_DATA_SLOT, AT_SOURCE, AT_PREDICATE, AT_IMMEDIATE, AT_SEGMENT, LOAD, SUM, AND, OR,
        MIN_U, MIN_S, MAX_U, MAX_S, BY_ROW, IMMEDIATE, INDEXED, ALL, UNLESS, BANK, IDLE, LAUNCHED, CHOSEN, NUMBERS,
        SETTLE, CHECK, EXCLUDE, DATA, ROWS, SHOWN, WORK; _bits, _whole, _step, _rest
    }
}
