//! Sequence of the memory unit: what it does in each cycle.
//!
//! ```text
//!  idle ─▶ choose ─▶ chosen ─▶ address ─▶ look ─▶ looked ─▶ data ─▶ (keep ─▶ second) ─▶ open ─▶ do ─▶ done
//!            ▲──────────── for each group ───┘                ▲─────── for each group ── taken ◀─ result ◀┘
//!  choose ─▶ spill look ─▶ looked ─▶ data ─▶ spill rows ─▶ spill place ─▶ placed ─▶ do
//!  idle ─▶ fill ─▶ open ─▶ walk ─▶ ask ─▶ taken ─▶ fill …     end ◀─ (flush) ◀─ when all is done, or refused
//! ```
//!
//! `state` says what is done, by the numbers of [`super::states`]; groups and their threads are counted here. Transfers
//! of the transpose unit and steps of the control block begin here, both in the same cycle where rows come.
//!
//! A step is asked for (`asks`) until the control block takes it (`valid`); one whose rows become elements only while
//! the transpose unit takes their transfer, too (`start_ready`). Which one it is follows from what is done; whether it
//! is asked for is late, and does not depend on `valid`, which is late as well. Addresses that all threads have in rows
//! are asked for in the cycle in which the word comes. A load reads the last group as it is looked at, unless an
//! address before was refused: that group has its result first. A result is asked for when its values are there or
//! settled, the end with the last row that is taken, or when the last store has its answer. `rewinds` = 1 while nothing
//! is done, too.

use crate::duality::blocks::memory::states::*;
use crate::duality::isa::codes::Trap;
use crate::duality::isa::program::MOST_SPECIALS;
use crate::duality::passes::{MEMORY_STEP_BITS, MemoryStep};
use crate::kernel::prelude::*;

const SPECIALS: u64 = MOST_SPECIALS as u64;
numbers! {
    STEP_CHOOSER = MemoryStep::Chooser, STEP_ADDRESS = MemoryStep::Address, STEP_DATA = MemoryStep::Data,
    STEP_SECOND = MemoryStep::Second, STEP_RESULT = MemoryStep::Result, STEP_END = MemoryStep::End,
    TRAP_BUS = Trap::Bus, TRAP_WINDOW = Trap::Window
}

hdl_block! {
    /// The sequence.
    pub DualityMemorySequence {
        In clock: Domain; /// Clock and reset.
        In groups: Bits<5>; /// Groups of threads.
        In columns: Bits<9>; /// Turns of a group: its threads, or pieces of spill rows.
        In fill: Bit; /// A wave begins.
        Out filled: Bit; /// Its rows are written.
        In valid: Bit; /// A word waits.
        In spills: Bit; /// It moves spill rows.
        In beyond: Bit; /// There are not as many spill rows.
        In last_piece: Bit; /// This piece of them is the last.
        In full: Bit; /// The rows to be written have come.
        In all: Bit; /// It chooses all threads.
        In by_row: Bit; /// Addresses are in rows.
        In writes: Bit; /// There are data.
        In stores: Bit; /// There is no result.
        In compares: Bit; /// There are second data.
        In sent: Bit; /// A row comes.
        In last_row: Bit; /// The last row of a result is taken.
        In start_ready: Bit; /// The transpose unit takes a transfer.
        In offers: Bit; /// It offers a beat.
        In is_element: Bit; /// It offers an element.
        In takes: Bit; /// It takes one.
        In tmu_busy: Bit; /// It has something.
        In look_turn: Bit; /// A thread's address goes to its translation.
        In looked: Bit; /// All are translated.
        In trap: Bits<8>; /// One is refused: why; else 0.
        In do_turn: Bit; /// A thread's turn ends.
        In done: Bit; /// No access is under way.
        In settles: Bit; /// All values of a read are given as soon as a result that is asked for now can be taken.
        In failed: Bit; /// One has failed.
        In special_there: Bit; /// There is such an entry of the list of special registers.
        Out state: Bits<STATE_BITS>; /// What is done.
        Out takes_word: Bit; /// The word is taken.
        Out walks: Bit; /// A walk over all threads begins.
        Out begins_group: Bit; /// Spill rows of the next group are asked for.
        Out rewinds: Bit; /// The next turn is that of thread 0, or of the first piece.
        Out direct: Bit; /// Addresses are read from as they are looked at.
        Out opens: Bit; /// A transfer begins.
        Out opens_store: Bit; /// It is one of rows to elements.
        Out asks: Bit; /// Something is asked of the control block.
        Out asked: Bits<MEMORY_STEP_BITS>; /// What that is.
        Out told: Bits<8>; /// The trap.
        Out group: Bits<4>; /// The group.
        Out column: Bits<9>; /// The thread in it.
        Out masks: Bit; /// Masks are filled.
        Out special: Bits<3>; /// Or this entry of the list.
    } inside {
        Register at: Bits<STATE_BITS>; // What is done.
        Register in_group: Bits<4>; // The group.
        Register in_column: Bits<9>; // The thread in it.
        Register why: Bits<8>; // The trap.
        Register at_once: Bit; // The group's addresses are read from as they are looked at.
        Register without_last: Bit; // The last group has its result.
        Register of_masks: Bit; // Masks are filled.
        Register entry: Bits<4>; // Or this entry of the list.
        Local last_group: Bits<5>;
        Local last, more, turn, begins, looks, starts, reads, given, can_give, can_stores, can_stop, stops, moves: Bit;
        Local fills, pieces, next_group, first_group, goes_back, goes_on: Bit;
        Local to: Bits<STATE_BITS>;
    }
}

impl Logic for DualityMemorySequence {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, in_group, in_column, why, of_masks, entry, at_once, without_last);
        self.state.next = self.at.q.val();
        self.group.next = self.in_group.q.val();
        self.column.next = self.in_column.q.val();
        self.told.next = self.why.q.val();
        self.masks.next = self.of_masks.q.val();
        self.special.next = self.entry.q.val().get_bits::<3>(0);
        self.last_group.next = self.groups.val();
        if self.without_last.q.val() {
            self.last_group.next = self.groups.val() - 1;
        }
        self.more.next = (bit_cast::<5, 4>(self.in_group.q.val()) + 1) != self.last_group.val();
        self.direct.next = self.at_once.q.val();
        self.last.next = (self.in_column.q.val() + 1) == self.columns.val();
        // Addresses are next where the row that chooses threads has come, or there is none.
        self.looks.next = self.at.q.val().get_bit(ADDRESS)
            | (self.at.q.val().get_bit(CHOOSE) & self.all.val() & !self.spills.val())
            | (!self.at.q.val().get_bit(BUSY)
                & !self.fill.val()
                & self.all.val()
                & self.by_row.val()
                & !self.spills.val());
        self.opens_store.next = self.looks.val() | self.at.q.val().get_bit(DATA) | self.at.q.val().get_bit(SECOND);
        // All values are given, or will be when the first row of the result is wanted, if that is asked for now.
        self.given.next = self.done.val() | (self.settles.val() & !self.spills.val());
        self.can_give.next = !self.failed.val()
            & ((self.at.q.val().get_bit(LOOKED) & self.looked.val() & self.at_once.q.val() & (self.why.q.val() == 0))
                | (self.at.q.val().get_bit(DONE) & !self.stores.val() & !self.spills.val()));
        self.can_stores.next = !self.failed.val() & self.at.q.val().get_bit(DONE) & self.stores.val();
        self.can_stop.next = self.can_stores.val() & !self.more.val();
        self.pieces.next = self.at.q.val().get_bit(SPILL_LOOK) | self.at.q.val().get_bit(SPILL_PLACE);
        self.rewinds.next = self.at.q.val().get_bit(SPILL_PLACED)
            | (self.at.q.val().get_bit(LOOKED) & !self.at_once.q.val())
            | !self.at.q.val().get_bit(BUSY);
        self.starts.next = self.looks.val() & self.start_ready.val();
        // Of the last group, which is the only one that has to be looked at, a load reads at once.
        self.reads.next =
            !self.writes.val() & !self.more.val() & ((self.why.q.val() == 0) | !self.at.q.val().get_bit(BUSY));
        // Behind the last group, which was the first to be done, come the others.
        self.goes_back.next =
            self.without_last.q.val() & (bit_cast::<5, 4>(self.in_group.q.val()) == self.last_group.val());
        self.goes_on.next = self.more.val();
        if self.goes_back.val() {
            self.goes_on.next = self.last_group.val() != 0;
        }
        self.fills.next = self.at.q.val().get_bit(FILL)
            & (self.of_masks.q.val() | (self.special_there.val() & (self.entry.q.val() != SPECIALS)));
        self.filled.next = self.at.q.val().get_bit(FILL) & !self.fills.val();
        self.takes_word.next = !self.at.q.val().get_bit(BUSY) & self.valid.val() & !self.fill.val();
        self.walks.next = self.takes_word.val() | self.fills.val();
        self.begins_group.next =
            self.at.q.val().get_bit(DATA) & self.spills.val() & (self.valid.val() | !self.writes.val());
        // Of all states one is true: what each has to say is joined, and none waits for others.
        self.turn.next = (self.at.q.val().get_bit(LOOK) & self.look_turn.val())
            | (self.at.q.val().get_bit(KEEP) & self.is_element.val())
            | (self.at.q.val().get_bit(DO) & self.do_turn.val())
            | (self.at.q.val().get_bit(FILL_WALK) & self.takes.val());
        // Threads of the group before a direct one may still wait for their hints: these are not read.
        self.begins.next = self.start_ready.val()
            & ((self.valid.val()
                & ((self.looks.val() & self.by_row.val())
                    | (self.at.q.val().get_bit(DATA) & self.writes.val() & !self.spills.val())
                    | self.at.q.val().get_bit(SECOND)))
                | (self.at.q.val().get_bit(DIRECT) & self.looked.val())
                | (self.at.q.val().get_bit(OPEN) & !self.stores.val())
                | self.at.q.val().get_bit(FILL_OPEN));
        self.stops.next =
            self.at.q.val().get_bit(END) | (self.at.q.val().get_bit(TAKEN) & self.last_row.val() & !self.goes_on.val());
        self.asks.next = self.stops.val()
            | (self.given.val() & (self.can_give.val() | self.can_stop.val()))
            | (self.starts.val() & self.by_row.val())
            | (self.at.q.val().get_bit(CHOOSE) & !self.spills.val() & !self.all.val())
            | (self.at.q.val().get_bit(DATA) & self.writes.val() & (self.spills.val() | self.start_ready.val()))
            | (self.at.q.val().get_bit(SECOND) & self.start_ready.val())
            | (self.at.q.val().get_bit(RESULT) & self.offers.val());
        // Whether it is another state in the next cycle is late, and which one is not.
        self.moves.next = self.begins.val()
            | (self.turn.val() & self.last.val())
            | (!self.at.q.val().get_bit(BUSY) & (self.fill.val() | self.valid.val()))
            | (self.at.q.val().get_bit(CHOOSE) & (self.spills.val() | (!self.all.val() & self.valid.val())))
            | (self.at.q.val().get_bit(CHOSEN) & self.sent.val())
            | (self.looks.val() & self.at.q.val().get_bit(BUSY) & !self.by_row.val())
            | (self.at.q.val().get_bit(LOOKED) & self.looked.val() & (self.given.val() | !self.at_once.q.val()))
            | (self.pieces.val() & self.look_turn.val() & self.last_piece.val())
            | (self.at.q.val().get_bit(SPILL_ROWS) & (self.full.val() | !self.writes.val()))
            | (self.at.q.val().get_bit(SPILL_PLACED) & self.looked.val())
            | (self.at.q.val().get_bit(DATA) & ((self.valid.val() & self.spills.val()) | !self.writes.val()))
            | (self.at.q.val().get_bit(OPEN) & self.stores.val())
            | (self.at.q.val().get_bit(DONE) & self.given.val())
            | (self.at.q.val().get_bit(RESULT) & self.offers.val() & self.valid.val())
            | ((self.at.q.val().get_bit(TAKEN) | self.at.q.val().get_bit(FILL_TAKEN)) & self.last_row.val())
            | (self.at.q.val().get_bit(FLUSH) & !self.tmu_busy.val())
            | self.at.q.val().get_bit(FILL)
            | (self.at.q.val().get_bit(FILL_ASK) & self.offers.val());
        self.next_group.next = self.more.val()
            & ((self.at.q.val().get_bit(LOOK) & self.look_turn.val() & self.last.val())
                | (self.can_stores.val() & self.given.val())
                | (self.at.q.val().get_bit(TAKEN) & self.last_row.val() & !self.goes_back.val())
                | (self.at.q.val().get_bit(FILL_TAKEN) & self.last_row.val()));
        self.first_group.next = self.at.q.val().get_bit(FILL)
            | (self.at.q.val().get_bit(LOOKED) & self.looked.val() & !self.at_once.q.val())
            | (self.at.q.val().get_bit(TAKEN) & self.last_row.val() & self.goes_back.val());
        if self.at.q.val().get_bit(TAKEN) {
            self.rewinds.next = self.last_row.val() & self.goes_back.val();
        }
        // The step.
        self.asked.next = STEP_END.into();
        if self.looks.val() {
            self.asked.next = self.asked.val() & STEP_ADDRESS;
        }
        if self.at.q.val().get_bit(CHOOSE) & !self.looks.val() {
            self.asked.next = self.asked.val() & STEP_CHOOSER;
        }
        if self.at.q.val().get_bit(DATA) {
            self.asked.next = self.asked.val() & STEP_DATA;
        }
        if self.at.q.val().get_bit(SECOND) {
            self.asked.next = self.asked.val() & STEP_SECOND;
        }
        if self.at.q.val().get_bit(LOOKED)
            | self.at.q.val().get_bit(RESULT)
            | (self.at.q.val().get_bit(DONE) & !self.stores.val())
        {
            self.asked.next = self.asked.val() & STEP_RESULT;
        }
        // The next state.
        self.to.next = 0.into();
        if !self.at.q.val().get_bit(BUSY) {
            if self.fill.val() {
                self.to.next = TO_FILL.into();
            } else if !self.starts.val() {
                self.to.next = TO_CHOOSE.into();
            }
        }
        if self.looks.val() & (self.start_ready.val() | self.at.q.val().get_bit(BUSY)) {
            self.to.next = TO_LOOK.into();
            if self.reads.val() {
                self.to.next = TO_DIRECT.into();
            }
        }
        if self.at.q.val().get_bit(CHOOSE) & !self.looks.val() {
            self.to.next = TO_CHOSEN.into();
            if self.spills.val() {
                self.to.next = TO_SPILL_LOOK.into();
                if self.beyond.val() {
                    self.to.next = TO_END.into();
                }
            }
        }
        if self.at.q.val().get_bit(CHOSEN) {
            self.to.next = self.to.val() | TO_ADDRESS;
        }
        if self.at.q.val().get_bit(DIRECT) {
            self.to.next = self.to.val() | TO_LOOK;
        }
        if self.at.q.val().get_bit(LOOK) & self.more.val() {
            self.to.next = self.to.val() | TO_CHOOSE;
        }
        if (self.at.q.val().get_bit(LOOK) & !self.more.val()) | self.at.q.val().get_bit(SPILL_LOOK) {
            self.to.next = self.to.val() | TO_LOOKED;
        }
        if self.at.q.val().get_bit(SPILL_PLACE) {
            self.to.next = self.to.val() | TO_SPILL_PLACED;
        }
        if self.at.q.val().get_bit(SPILL_ROWS) {
            self.to.next = self.to.val() | TO_SPILL_PLACE;
        }
        if self.at.q.val().get_bit(DATA) {
            if self.spills.val() {
                self.to.next = self.to.val() | TO_SPILL_ROWS;
            } else if self.compares.val() {
                self.to.next = self.to.val() | TO_KEEP;
            } else {
                self.to.next = self.to.val() | TO_OPEN;
            }
        }
        if self.at.q.val().get_bit(KEEP) {
            self.to.next = self.to.val() | TO_SECOND;
        }
        if self.at.q.val().get_bit(SECOND) {
            self.to.next = self.to.val() | TO_OPEN;
        }
        if self.at.q.val().get_bit(OPEN) | self.at.q.val().get_bit(SPILL_PLACED) {
            self.to.next = self.to.val() | TO_DO;
        }
        if self.at.q.val().get_bit(DO) {
            self.to.next = self.to.val() | TO_DONE;
        }
        // A result that can be given is taken as it is asked for, or waits; it goes away if an access has failed.
        if self.can_give.val() | (self.at.q.val().get_bit(DONE) & self.spills.val() & !self.stores.val()) {
            self.to.next = TO_RESULT.into();
            if self.valid.val() & self.can_give.val() {
                self.to.next = TO_TAKEN.into();
            }
        }
        if (self.at.q.val().get_bit(LOOKED) & self.at_once.q.val() & !self.can_give.val())
            | (self.at.q.val().get_bit(DONE) & self.failed.val())
        {
            self.to.next = TO_FLUSH.into();
        }
        if self.at.q.val().get_bit(RESULT) {
            self.to.next = self.to.val() | TO_TAKEN;
        }
        if (self.at.q.val().get_bit(TAKEN) & self.goes_on.val())
            | (self.can_stores.val() & self.more.val())
            | (self.at.q.val().get_bit(LOOKED) & !self.at_once.q.val() & (self.why.q.val() == 0))
        {
            self.to.next = self.to.val() | TO_DATA;
        }
        if (self.at.q.val().get_bit(TAKEN) & !self.goes_on.val())
            | self.can_stop.val()
            | (self.at.q.val().get_bit(LOOKED) & !self.at_once.q.val() & (self.why.q.val() != 0))
            | self.at.q.val().get_bit(FLUSH)
        {
            self.to.next = self.to.val() | TO_END;
        }
        if self.fills.val() | (self.at.q.val().get_bit(FILL_TAKEN) & self.more.val()) {
            self.to.next = self.to.val() | TO_FILL_OPEN;
        }
        if self.at.q.val().get_bit(FILL_OPEN) {
            self.to.next = self.to.val() | TO_FILL_WALK;
        }
        if self.at.q.val().get_bit(FILL_WALK) {
            self.to.next = self.to.val() | TO_FILL_ASK;
        }
        if self.at.q.val().get_bit(FILL_ASK) {
            self.to.next = self.to.val() | TO_FILL_TAKEN;
        }
        if self.at.q.val().get_bit(FILL_TAKEN) & !self.more.val() {
            self.to.next = self.to.val() | TO_FILL;
        }
        if self.moves.val() {
            self.at.d.next = self.to.val();
        }
        if (self.stops.val() | (self.given.val() & self.can_stop.val())) & self.valid.val() {
            // The next word may come in the next cycle.
            self.at.d.next = 0.into();
            self.without_last.d.next = false;
        }
        // What is kept.
        if self.at.q.val().get_bit(DIRECT) & self.begins.val() {
            self.at_once.d.next = true;
        }
        if (self.trap.val() != 0) & (self.why.q.val() == 0) {
            self.why.d.next = self.trap.val();
        }
        if self.takes_word.val() {
            self.why.d.next = 0.into();
        }
        if self.at.q.val().get_bit(CHOOSE) & self.spills.val() & self.beyond.val() {
            self.why.d.next = TRAP_WINDOW.into();
        }
        if self.at.q.val().get_bit(LOOKED) & self.at_once.q.val() & self.looked.val() & self.given.val() {
            self.at_once.d.next = false;
            self.without_last.d.next = true;
            if self.failed.val() & (self.why.q.val() == 0) {
                self.why.d.next = TRAP_BUS.into();
            }
        }
        if self.at.q.val().get_bit(DONE) & self.failed.val() & self.given.val() {
            self.why.d.next = TRAP_BUS.into();
        }
        if self.next_group.val() {
            self.in_group.d.next = self.in_group.q.val() + 1;
        }
        if self.first_group.val() | ((self.stops.val() | (self.given.val() & self.can_stop.val())) & self.valid.val()) {
            self.in_group.d.next = 0.into();
        }
        if self.at.q.val().get_bit(FILL_TAKEN) & self.last_row.val() & !self.more.val() {
            self.of_masks.d.next = false;
            if !self.of_masks.q.val() {
                self.entry.d.next = self.entry.q.val() + 1;
            }
        }
        if !self.at.q.val().get_bit(BUSY) {
            self.entry.d.next = 0.into();
            self.of_masks.d.next = true;
        }
        // A thread has had its turn.
        if self.turn.val() {
            self.in_column.d.next = self.in_column.q.val() + 1;
            if self.last.val() {
                self.in_column.d.next = 0.into();
            }
        }
        if !self.at.q.val().get_bit(BUSY) {
            self.in_column.d.next = 0.into();
        }
        self.opens.next = self.begins.val();
    }

    described! {
        "duality_memory_sequence", "What the memory unit does in each cycle."; BUSY, CHOOSE, CHOSEN, ADDRESS, LOOK,
        LOOKED, DATA, KEEP, SECOND, OPEN, DO, DONE, RESULT, TAKEN, FLUSH, END, FILL, FILL_OPEN, FILL_WALK, FILL_ASK,
        FILL_TAKEN, SPILL_LOOK, DIRECT, SPILL_ROWS, SPILL_PLACE, SPILL_PLACED, TO_CHOOSE, TO_CHOSEN, TO_ADDRESS,
        TO_LOOK, TO_LOOKED, TO_DATA, TO_KEEP, TO_SECOND, TO_OPEN, TO_DO, TO_DONE, TO_RESULT, TO_TAKEN, TO_FLUSH,
        TO_END, TO_FILL, TO_FILL_OPEN, TO_FILL_WALK, TO_FILL_ASK, TO_FILL_TAKEN, TO_SPILL_LOOK, TO_DIRECT,
        TO_SPILL_ROWS, TO_SPILL_PLACE, TO_SPILL_PLACED, TRAP_WINDOW, SPECIALS, STEP_CHOOSER, STEP_ADDRESS, STEP_DATA,
        STEP_SECOND, STEP_RESULT, STEP_END, TRAP_BUS
    }
}
