//! Accesses of a word of memory: reads, writes and atomic operations of threads, in their order.
//!
//! `note` writes the place of a thread: bits 31:0 where in memory, bit 32 that the thread takes part, bit 33 that it is
//! in the CTA's window, where sums keep subnormal numbers; elsewhere these are flushed, as on GPUs; bit 34 that it is
//! in the line of the thread before it, of those that take part. `first` = 1 goes to thread 0. While `active` = 1 the
//! threads follow each other: `goes` = 1 in a cycle that ends a thread's turn, of a thread that writes only if its data
//! are there (`data_valid`), which are taken then; `part` = 1 if it takes part. Reads and writes have a turn a cycle
//! while the cache ways answer; an atomic operation reads, and has written before the next thread's turn; `lock` = 1
//! with the read keeps others away from the word until it has. Unless the operation is a store, every thread gives a
//! value (`emits` = 1 for a cycle), which is 0 if it does not take part; in the order of threads, and at most 16 later
//! than its turn. `empty` = 1 when all values of threads that had their turn are given, and all answers are there; of
//! reads `settles` = 1 already in the cycle before the last one is given, if no turn comes any more.
//!
//! Threads that follow each other, but for those that take no part, and read the same line have one request, as far as
//! their places say so: the first one's answer brings the line (`answer_line`), and the others have no turn at the
//! cache ways. Those that write the same word have one, too, when a thread comes that does not, or none is left. What a
//! thread writes waits for a cycle, or more, before it is added to the word that is held.
//!
//! The line of the oldest thread under way is in use ([`DualityAnswers`]): the next one is wanted a cycle before, when
//! the thread behind it is the oldest next that has an answer of its own.
//!
//! With `direct` = 1 a read's place is `note_place` instead, whenever `offered` = 1, and not noted before: of loads
//! whose addresses are looked at for the first time. Whether it takes part is late then: where `offered_asks` = 1 the
//! turn ends as if it did. What an atomic operation leaves is computed in the
//! cycle behind the one in which its answer is taken, in which a sum of floating-point numbers begins.
//!
//! `keep` = 1 keeps the data as the first of two, at the thread's place in its group: compare and swap compares with
//! them, and writes those that are there at its turn. `hint` asks the cache ways for a line; not while `active` = 1 or
//! `empty` = 0.
//! `failed` stays 1 from an answer that says so until `first`; threads take no part then.

use crate::duality::blocks::bundles::{CacheLine, CacheSource};
use crate::duality::blocks::memory::answers::DualityAnswers;
use crate::duality::blocks::memory::atomic::DualityAtomic;
use crate::duality::blocks::memory::element::{DualityElement, MemoryWord};
use crate::duality::blocks::memory::float_add::DualityFloatAdd;
use crate::duality::blocks::memory::places::MOST_PIECES;
use crate::duality::blocks::memory::store_merge::DualityStoreMerge;
use crate::duality::cache_params::AT_BITS;
use crate::duality::isa::codes::MemoryOp;
use crate::duality::params::DualityParams;
use crate::kernel::prelude::*;
use crate::parts::head_queue::HeadQueue;

numbers! { LOAD = MemoryOp::Load, STORE = MemoryOp::Store, COMPARE = MemoryOp::Compare, F_ADD = MemoryOp::FAdd }
/// A thread's place in memory, whether it takes part, and whether that is in the CTA's window.
pub type Place = Word<35, 1>;
/// The bit that says that the thread takes part.
pub const TAKES_PART: usize = 32;
/// The bit that says that the place is in the window.
pub const IN_WINDOW: usize = 33;
/// The bit that says that the place is in the line of the thread before it.
pub const SAME_LINE: usize = 34;
/// Accesses under way.
const FLIGHT: usize = 16;
const LAST_PHASE: u64 = 3;
/// The bits of a thread under way that say that it takes part, and that it has an answer of its own.
const PART: usize = 7;
const FRESH: usize = 6;
/// A word that is written.
const STORED: u64 = 0xc0;

hdl_block! {
    /// The accesses.
    pub DualityAccess {
        In clock: Domain; /// Clock and reset.
        In operation: Bits<4>; /// What is done; it counts from the next cycle on.
        In log_bytes: Bits<2>; /// log2 of an element's bytes; they count from the next cycle on.
        In extends: Bit; /// Values are extended with their sign.
        In last: Bits<6>; /// The highest bit of a thread's data; it counts from the next cycle on.
        In note: Bit; /// A place is noted.
        In note_thread: Bits<12>; /// Whose.
        In note_place: Place; /// The place.
        In hint: Bit; /// A line is asked for.
        In hint_place: Bits<32>; /// An address in it.
        Out hint_ready: Bit; /// It is taken if asked for.
        In first: Bit; /// Goes to thread 0.
        In active: Bit; /// Threads have their turns.
        In direct: Bit; /// Or those have whose places are offered.
        In offered: Bit; /// A place is.
        In offered_asks: Bit; /// Its thread asks for it, as far as is known: all that take part do.
        In column: Bits<9>; /// The thread's place in its group.
        In keep: Bit; /// Data are kept.
        In data_valid: Bit; /// Data are there.
        In data: MemoryWord; /// Data.
        Out goes: Bit; /// A turn ends.
        Out reads: Bit; /// The same of a read.
        Out part: Bit; /// The thread takes part.
        Out emits: Bit; /// A value is given.
        Out value: MemoryWord; /// The value.
        Out empty: Bit; /// Nothing is under way.
        Out settles: Bit; /// Of reads, while no thread has its turn: the last value is given in this cycle or the next.
        Out failed: Bit; /// A line could not be fetched.
        Bus cache: CacheSource; /// To the cache ways.
        In answer_line: CacheLine; /// With an answer: the line of its word.
        Out lock: Bit; /// With a request: nobody else gets to its word until the next one.
    } inside {
        Child places: Ram<Place, Bits<12>>; // What each thread asks for.
        Child operands: Ram<MemoryWord, Bits<9>>; // Data that are kept.
        // Threads under way: bit 7 one that takes part, bit 6 one with an answer of its own, and the byte in its line.
        Child order: HeadQueue<Bits<8>>;
        Child answers: DualityAnswers; // Lines that were read.
        Child merge: DualityStoreMerge; // Stores in the same word.
        Child element: DualityElement; // Elements in words.
        Child atomic: DualityAtomic; // Atomic operations.
        Child sums: DualityFloatAdd; // That of floating-point numbers.
        Register thread: Bits<12>; // The thread.
        Register phase: Bits<2>; // Of an atomic operation: read, answer, write, answer.
        Register old: MemoryWord; // What it has read.
        Register bad: Bit; // An answer has failed.
        Register near: Bit; // A thread's line was asked for.
        Register own_log_bytes: Bits<2>; // What data are.
        Register own_last: Bits<6>;
        Register writes, stores, one_by_one: Bit; // What is done.
        Register computes: Bit; // What an atomic operation leaves is computed.
        Register last_fresh: Bit; // The thread that came last has an answer of its own.
        Pipe above: MemoryWord; // Bits above those of a thread's data.
        Pipe byte_at: Bits<6>; // Of an atomic operation: the byte in its line, and its data.
        Pipe kept: MemoryWord;
        Pipe compared, result: MemoryWord; // What it compares with, and what it leaves.
        Register staged: Bit; // What a thread writes waits: where, and its data.
        Pipe staged_address: Bits<32>;
        Pipe staged_data: MemoryWord;
        Pipe staged_negative: Bit;
        Local ready, takes, turn, given, waits, fresh, shares, sends, sent: Bit;
        Local added, ones, unused_word: MemoryWord;
        Local place: Place;
        Local oldest: Bits<8>;
        Local coming: Bits<12>;
        Local coming_column: Bits<9>;
        Local left: Bits<5>;
        Local unused_level: Bits<2>;
        Local unused_order: Bits<8>;
        Local asks, joins, room, adding, wants: Bit;
    }
}

impl DualityAccess {
    /// For the threads of a design, or as many pieces of spill rows as a group has.
    pub fn of(params: &DualityParams) -> Self {
        DualityAccess::new(params.threads(1).max(MOST_PIECES), params.columns)
    }

    /// For so many threads, in groups of so many.
    fn new(threads: usize, columns: usize) -> Self {
        DualityAccess {
            places: Ram::new(threads, RamStyle::Block),
            operands: Ram::new(columns, RamStyle::Block),
            order: HeadQueue::new(FLIGHT),
            answers: DualityAnswers::new(),
            ..Self::default()
        }
    }
}

impl Logic for DualityAccess {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, places, operands, order, answers, sums, merge);
        dff_setup!(self, clock, thread, phase, old, bad, near, computes, last_fresh, byte_at, kept, compared);
        dff_setup!(self, clock, staged, staged_address, staged_data, result, own_log_bytes, own_last, writes, stores);
        dff_setup!(self, clock, staged_negative, one_by_one, above);
        self.writes.d.next = self.operation.val() != LOAD;
        self.stores.d.next = self.operation.val() == STORE;
        self.one_by_one.d.next = (self.operation.val() != LOAD) & (self.operation.val() != STORE);
        self.place.next = self.places.read_data.val();
        self.ready.next = self.active.val() & (!self.writes.q.val() | self.data_valid.val());
        if self.direct.val() {
            self.place.next = self.note_place.val();
            self.ready.next = self.offered.val();
        }
        self.takes.next = self.place.val().get_bit(TAKES_PART) & !self.bad.q.val();
        // With places that are noted both are the same; whether a place that is offered takes part is late.
        self.asks.next = self.takes.val();
        if self.direct.val() {
            self.asks.next = self.offered_asks.val() & !self.bad.q.val();
        }
        self.part.next = self.takes.val();
        self.oldest.next = self.order.head.val();
        self.fresh.next = self.oldest.val().get_bit(FRESH);
        self.left.next = self.order.level.val().get_bits::<5>(0);
        self.unused_order.next = self.order.second.val() ^ self.order.coming.val();
        self.unused_level.next = self.order.level.val().get_bits::<2>(5);
        self.shares.next = !self.writes.q.val() & self.near.q.val() & self.place.val().get_bit(SAME_LINE);
        // Elements.
        self.own_log_bytes.d.next = self.log_bytes.val();
        self.own_last.d.next = self.last.val();
        self.ones.next = 0.into();
        self.ones.next = !self.ones.val();
        self.above.d.next = (self.ones.val() << 1) << self.last.val();
        self.element.log_bytes.next = self.own_log_bytes.q.val();
        self.element.signed.next = self.extends.val();
        self.element.negative.next = self.staged_negative.q.val();
        self.element.above.next = self.above.q.val();
        self.element.value.next = self.staged_data.q.val();
        self.element.to.next = self.staged_address.q.val().get_bits::<3>(0);
        self.element.from.next = self.oldest.val().get_bits::<3>(0);
        self.answers.from.next = self.order.coming.val().get_bits::<3>(3);
        self.atomic.operation.next = self.operation.val();
        self.atomic.wide.next = self.own_log_bytes.q.val().get_bit(0);
        self.atomic.old.next = self.old.q.val();
        // An atomic operation writes two cycles behind its turn's first, or more: what it has is known by then.
        if self.one_by_one.q.val() & self.ready.val() & self.asks.val() {
            self.byte_at.d.next = self.place.val().get_bits::<6>(0);
            self.kept.d.next = self.data.val();
        }
        self.atomic.b.next = self.kept.q.val();
        if self.operation.val() == COMPARE {
            self.atomic.b.next = self.compared.q.val();
        }
        self.atomic.s.next = self.kept.q.val();
        self.element.stored.next = self.element.extended.val();
        self.added.next = bits_to::<MemoryWord, Bits<32>>(self.sums.result.val());
        self.sums.a.next = self.old.q.val().get_bits::<32>(0);
        self.sums.b.next = self.kept.q.val().get_bits::<32>(0);
        self.sums.flush.next = !self.places.read_data.val().get_bit(IN_WINDOW);
        self.sums.start.next = self.computes.q.val() & (self.operation.val() == F_ADD);
        self.computes.d.next = false;
        self.result.d.next = self.atomic.result.val();
        self.compared.d.next = self.operands.read_data.val();
        if self.one_by_one.q.val() {
            self.element.from.next = self.byte_at.q.val().get_bits::<3>(0);
            self.answers.from.next = self.byte_at.q.val().get_bits::<3>(3);
            self.element.to.next = self.byte_at.q.val().get_bits::<3>(0);
            self.element.stored.next = self.result.q.val();
            if self.operation.val() == F_ADD {
                self.element.stored.next = self.added.val();
            }
        }
        self.element.word.next = self.answers.word.val();
        // A word is written when a thread comes that does not share it.
        self.merge.number.next = self.staged_address.q.val().get_bits::<AT_BITS>(3);
        self.merge.data.next = self.element.data.val();
        self.merge.strobes.next = self.element.strobes.val();
        self.merge.drop.next = self.bad.q.val();
        self.sends.next = self.merge.held.val()
            & self.order.push_ready.val()
            & !self.bad.q.val()
            & ((self.staged.q.val() & !self.merge.fits.val()) | (!self.staged.q.val() & !self.active.val()));
        self.sent.next = self.sends.val() & self.cache.ready.val();
        self.joins.next = self.staged.q.val() & !self.bad.q.val() & (self.merge.fits.val() | self.sent.val());
        self.room.next = !self.staged.q.val() | self.joins.val();
        self.merge.sent.next = self.sent.val();
        // Requests.
        self.waits.next = self.phase.q.val().get_bit(0);
        self.adding.next = self.computes.q.val() | self.sums.busy.val();
        self.cache.hint.next = self.hint.val();
        self.hint_ready.next = self.cache.ready.val();
        self.cache.write.next = self.stores.q.val();
        self.cache.valid.next =
            self.hint.val() | (self.ready.val() & self.takes.val() & !self.shares.val() & self.order.push_ready.val());
        if self.one_by_one.q.val() {
            self.cache.write.next = self.phase.q.val() != 0;
            self.cache.valid.next =
                self.hint.val() | (self.ready.val() & self.asks.val() & !self.waits.val() & !self.adding.val());
        }
        self.lock.next = self.one_by_one.q.val() & (self.phase.q.val() == 0) & !self.hint.val();
        self.cache.address.next = self.place.val().get_bits::<32>(0);
        if self.stores.q.val() {
            self.cache.valid.next = self.hint.val() | self.sends.val();
            self.cache.address.next = bits_to::<Bits<32>, Bits<AT_BITS>>(self.merge.held_number.val()) << 3;
        }
        if self.hint.val() {
            self.cache.address.next = self.hint_place.val();
            self.cache.write.next = false;
        }
        self.cache.data.next = self.element.data.val();
        self.cache.strobes.next = self.element.strobes.val();
        if self.stores.q.val() {
            self.cache.data.next = self.merge.held_data.val();
            self.cache.strobes.next = self.merge.held_strobes.val();
        }
        // Answers, and the values of threads.
        self.given.next = self.order.head_valid.val() & (!self.fresh.val() | self.answers.there.val());
        self.order.pop.next = self.given.val();
        self.answers.comes.next = self.cache.answer.val();
        self.answers.new_line.next = self.answer_line.val();
        self.wants.next = self.one_by_one.q.val() | self.order.head_valid.val();
        if self.given.val() {
            self.wants.next = (self.left.val() > 1) & self.order.second.val().get_bit(FRESH);
        }
        self.answers.wants.next = self.wants.val();
        self.emits.next = self.given.val() & !self.stores.q.val();
        self.value.next = 0.into();
        if self.oldest.val().get_bit(PART) {
            self.value.next = self.element.read.val();
        }
        // Turns.
        self.turn.next = self.ready.val()
            & self.order.push_ready.val()
            & (!self.asks.val() | self.shares.val() | self.cache.ready.val());
        self.reads.next = self.turn.val();
        self.order.push_valid.next = self.turn.val();
        if self.turn.val() & self.takes.val() {
            self.near.d.next = !self.writes.q.val();
        }
        if !self.active.val() & !self.direct.val() {
            self.near.d.next = false;
        }
        if self.stores.q.val() {
            self.turn.next = self.ready.val() & (!self.asks.val() | self.room.val());
            self.order.push_valid.next = self.sent.val();
        }
        self.merge.put.next = self.joins.val();
        if self.room.val() {
            self.staged_address.d.next = self.place.val().get_bits::<32>(0);
            self.staged_data.d.next = self.data.val();
            self.staged_negative.d.next = self.extends.val() & self.data.val().get_bit(self.own_last.q.val().index());
        }
        if self.joins.val() | self.bad.q.val() {
            self.staged.d.next = false;
        }
        if self.stores.q.val() & self.turn.val() & self.asks.val() {
            self.staged.d.next = true;
        }
        if self.one_by_one.q.val() {
            self.order.push_valid.next = false;
            self.turn.next = self.ready.val() & !self.asks.val();
            self.value.next = self.old.q.val();
            if !self.asks.val() {
                self.value.next = 0.into();
            }
            if self.ready.val() & self.asks.val() {
                if self.waits.val() {
                    if self.answers.there.val() {
                        self.phase.d.next = self.phase.q.val() + 1;
                        self.turn.next = self.phase.q.val() == LAST_PHASE;
                        if self.phase.q.val() == 1 {
                            self.old.d.next = self.element.read.val();
                            self.computes.d.next = true;
                        }
                    }
                } else if self.cache.ready.val() & !self.adding.val() {
                    self.phase.d.next = self.phase.q.val() + 1;
                }
            }
            self.emits.next = self.turn.val();
        }
        self.goes.next = self.turn.val();
        self.order.push_data.next = bit_cast::<8, 6>(self.place.val().get_bits::<6>(0))
            .replace_bit(PART, self.takes.val())
            .replace_bit(FRESH, self.takes.val() & !self.shares.val());
        if self.stores.q.val() {
            self.order.push_data.next = STORED.into();
        }
        self.empty.next = !self.order.head_valid.val() & !self.merge.held.val() & !self.staged.q.val();
        // No thread is left behind this cycle, or one that needs no answer, or has it.
        if self.order.push_valid.val() {
            self.last_fresh.d.next = self.order.push_data.val().get_bit(FRESH);
        }
        self.settles.next = !self.writes.q.val()
            & !self.ready.val()
            & ((self.left.val() == 0)
                | ((self.left.val() == 1) & (self.given.val() | self.cache.answer.val()))
                | ((self.left.val() == 2)
                    & self.given.val()
                    & (!self.last_fresh.q.val() | self.answers.more.val() | self.cache.answer.val())))
            & !(self.cache.answer.val() & self.cache.answer_failed.val());
        if self.cache.answer.val() & self.cache.answer_failed.val() {
            self.bad.d.next = true;
        }
        self.failed.next = self.bad.q.val();
        self.unused_word.next = self.cache.answer_data.val();
        // Memories are read for the thread that has its turn in the next cycle.
        self.coming.next = self.thread.q.val();
        self.coming_column.next = self.column.val();
        if self.turn.val() {
            self.coming.next = self.thread.q.val() + 1;
            self.coming_column.next = self.column.val() + 1;
        }
        if self.first.val() {
            self.coming.next = 0.into();
            self.bad.d.next = false;
            self.phase.d.next = 0.into();
        }
        self.thread.d.next = self.coming.val();
        self.places.read_enable.next = true;
        self.places.read_address.next = self.coming.val();
        self.places.write_enable.next = self.note.val();
        self.places.write_address.next = self.note_thread.val();
        self.places.write_data.next = self.note_place.val();
        self.operands.read_enable.next = true;
        self.operands.read_address.next = self.coming_column.val();
        self.operands.write_enable.next = self.keep.val() & self.data_valid.val();
        self.operands.write_address.next = self.column.val();
        self.operands.write_data.next = self.data.val();
    }

    described! {
        "duality_access", "Reads, writes and atomic operations of threads, in their order."; LOAD, STORE, COMPARE,
        F_ADD, TAKES_PART, IN_WINDOW, SAME_LINE, LAST_PHASE, AT_BITS, PART, FRESH, STORED
    }
}
