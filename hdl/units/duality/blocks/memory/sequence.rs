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
use crate::duality::passes::{MEMORY_STEP_BITS, MemoryStep};
use crate::kernel::prelude::*;

const SPECIALS: u64 = 8;
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
        Local last, more, turn, begins, looks, reads, given, can_give, can_stop, stops, moves, goes_back, goes_on: Bit;
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
        self.looks.next =
            (self.at.q.val() == ADDRESS) | ((self.at.q.val() == CHOOSE) & self.all.val() & !self.spills.val());
        if (self.at.q.val() == IDLE) & !self.fill.val() {
            self.looks.next = self.all.val() & self.by_row.val() & !self.spills.val();
        }
        self.opens_store.next = self.looks.val() | (self.at.q.val() == DATA) | (self.at.q.val() == SECOND);
        // All values are given, or will be when the first row of the result is wanted, if that is asked for now.
        self.given.next = self.done.val() | (self.settles.val() & !self.spills.val());
        self.can_give.next = !self.failed.val()
            & (((self.at.q.val() == LOOKED) & self.looked.val() & self.at_once.q.val() & (self.why.q.val() == 0))
                | ((self.at.q.val() == DONE) & !self.stores.val() & !self.spills.val()));
        self.can_stop.next = !self.failed.val() & (self.at.q.val() == DONE) & self.stores.val() & !self.more.val();
        self.stops.next = self.can_stop.val() & self.given.val();
        self.rewinds.next = (self.at.q.val() == SPILL_PLACED)
            | ((self.at.q.val() == LOOKED) & !self.at_once.q.val())
            | (self.at.q.val() == IDLE);
        self.begins.next = false;
        self.reads.next = false;
        self.asked.next = STEP_END.into();
        self.asks.next = false;
        // What is done next, and whether it is in the next cycle, which is late.
        self.to.next = IDLE.into();
        self.moves.next = false;
        self.goes_back.next = false;
        self.goes_on.next = false;
        self.filled.next = false;
        self.takes_word.next = false;
        self.walks.next = false;
        self.begins_group.next = false;
        self.turn.next = false;
        if (self.trap.val() != 0) & (self.why.q.val() == 0) {
            self.why.d.next = self.trap.val();
        }
        if self.at.q.val() == IDLE {
            self.in_column.d.next = 0.into();
            self.entry.d.next = 0.into();
            self.of_masks.d.next = true;
            self.to.next = CHOOSE.into();
            self.moves.next = self.fill.val() | self.valid.val();
            if self.fill.val() {
                self.to.next = FILL.into();
            } else if self.valid.val() {
                self.takes_word.next = true;
                self.walks.next = true;
                self.why.d.next = 0.into();
            }
        } else if self.at.q.val() == CHOOSE {
            self.to.next = CHOSEN.into();
            self.asked.next = STEP_CHOOSER.into();
            self.asks.next = !self.spills.val();
            self.moves.next = self.spills.val() | self.valid.val();
            if self.spills.val() {
                self.to.next = SPILL_LOOK.into();
                if self.beyond.val() {
                    self.why.d.next = TRAP_WINDOW.into();
                    self.to.next = END.into();
                }
            }
        } else if self.at.q.val() == CHOSEN {
            self.to.next = ADDRESS.into();
            self.moves.next = self.sent.val();
        } else if self.at.q.val() == DIRECT {
            // Threads of the group before it may still wait for their hints: these are not read.
            self.begins.next = self.start_ready.val() & self.looked.val();
            self.to.next = LOOK.into();
            self.moves.next = self.begins.val();
            if self.begins.val() {
                self.at_once.d.next = true;
            }
        } else if self.at.q.val() == LOOK {
            self.turn.next = self.look_turn.val();
            self.to.next = LOOKED.into();
            self.moves.next = self.turn.val() & self.last.val();
            if self.more.val() {
                self.to.next = CHOOSE.into();
                if self.moves.val() {
                    self.in_group.d.next = self.in_group.q.val() + 1;
                }
            }
        } else if self.at.q.val() == LOOKED {
            self.asked.next = STEP_RESULT.into();
            self.moves.next = self.looked.val() & (self.given.val() | !self.at_once.q.val());
            self.to.next = DATA.into();
            if self.at_once.q.val() {
                self.to.next = RESULT.into();
                if !self.can_give.val() {
                    self.to.next = FLUSH.into();
                } else if self.valid.val() {
                    self.to.next = TAKEN.into();
                }
            } else if self.why.q.val() != 0 {
                self.to.next = END.into();
            }
            if self.moves.val() {
                self.at_once.d.next = false;
                if self.at_once.q.val() {
                    self.without_last.d.next = true;
                    if self.failed.val() & (self.why.q.val() == 0) {
                        self.why.d.next = TRAP_BUS.into();
                    }
                } else {
                    self.in_group.d.next = 0.into();
                }
            }
        } else if (self.at.q.val() == SPILL_LOOK) | (self.at.q.val() == SPILL_PLACE) {
            self.moves.next = self.look_turn.val() & self.last_piece.val();
            self.to.next = LOOKED.into();
            if self.at.q.val() == SPILL_PLACE {
                self.to.next = SPILL_PLACED.into();
            }
        } else if self.at.q.val() == SPILL_ROWS {
            self.to.next = SPILL_PLACE.into();
            self.moves.next = self.full.val() | !self.writes.val();
        } else if self.at.q.val() == SPILL_PLACED {
            self.to.next = DO.into();
            self.moves.next = self.looked.val();
        } else if (self.at.q.val() == DATA) & self.spills.val() {
            self.asked.next = STEP_DATA.into();
            self.asks.next = self.writes.val();
            self.to.next = SPILL_ROWS.into();
            self.moves.next = self.valid.val() | !self.writes.val();
            self.begins_group.next = self.moves.val();
        } else if self.at.q.val() == DATA {
            self.begins.next = self.writes.val() & self.valid.val() & self.start_ready.val();
            self.asked.next = STEP_DATA.into();
            self.asks.next = self.writes.val() & self.start_ready.val();
            self.moves.next = self.begins.val() | !self.writes.val();
            self.to.next = OPEN.into();
            if self.compares.val() {
                self.to.next = KEEP.into();
            }
        } else if self.at.q.val() == KEEP {
            self.turn.next = self.is_element.val();
            self.to.next = SECOND.into();
            self.moves.next = self.turn.val() & self.last.val();
        } else if self.at.q.val() == SECOND {
            self.begins.next = self.valid.val() & self.start_ready.val();
            self.asked.next = STEP_SECOND.into();
            self.asks.next = self.start_ready.val();
            self.to.next = OPEN.into();
            self.moves.next = self.begins.val();
        } else if self.at.q.val() == OPEN {
            self.begins.next = !self.stores.val() & self.start_ready.val();
            self.to.next = DO.into();
            self.moves.next = self.begins.val() | self.stores.val();
        } else if self.at.q.val() == DO {
            self.turn.next = self.do_turn.val();
            self.to.next = DONE.into();
            self.moves.next = self.turn.val() & self.last.val();
        } else if self.at.q.val() == DONE {
            self.moves.next = self.given.val();
            self.to.next = RESULT.into();
            if self.failed.val() {
                self.to.next = FLUSH.into();
                if self.given.val() {
                    self.why.d.next = TRAP_BUS.into();
                }
            } else if self.stores.val() {
                self.to.next = END.into();
                if self.more.val() {
                    self.to.next = DATA.into();
                    if self.given.val() {
                        self.in_group.d.next = self.in_group.q.val() + 1;
                    }
                }
            } else if self.can_give.val() & self.valid.val() {
                self.to.next = TAKEN.into();
            }
            if !self.stores.val() {
                self.asked.next = STEP_RESULT.into();
            }
        } else if self.at.q.val() == RESULT {
            self.asked.next = STEP_RESULT.into();
            self.asks.next = self.offers.val();
            self.to.next = TAKEN.into();
            self.moves.next = self.offers.val() & self.valid.val();
        } else if self.at.q.val() == TAKEN {
            self.moves.next = self.last_row.val();
            self.to.next = END.into();
            self.goes_back.next =
                self.without_last.q.val() & (bit_cast::<5, 4>(self.in_group.q.val()) == self.last_group.val());
            if self.goes_back.val() {
                // Behind the last group, which was the first to be done, come the others.
                self.goes_on.next = self.last_group.val() != 0;
            } else {
                self.goes_on.next = self.more.val();
            }
            self.stops.next = self.last_row.val() & !self.goes_on.val();
            if self.goes_on.val() {
                self.to.next = DATA.into();
            }
            if self.last_row.val() {
                if self.goes_back.val() {
                    self.in_group.d.next = 0.into();
                    self.rewinds.next = true;
                } else if self.more.val() {
                    self.in_group.d.next = self.in_group.q.val() + 1;
                }
            }
        } else if self.at.q.val() == FLUSH {
            self.to.next = END.into();
            self.moves.next = !self.tmu_busy.val();
        } else if self.at.q.val() == END {
            self.stops.next = true;
        } else if self.at.q.val() == FILL {
            self.in_group.d.next = 0.into();
            self.walks.next = true;
            self.moves.next = true;
            self.to.next = FILL_OPEN.into();
            if !self.of_masks.q.val() & (!self.special_there.val() | (self.entry.q.val() == SPECIALS)) {
                self.walks.next = false;
                self.filled.next = true;
                self.to.next = IDLE.into();
            }
        } else if self.at.q.val() == FILL_OPEN {
            self.begins.next = self.start_ready.val();
            self.to.next = FILL_WALK.into();
            self.moves.next = self.begins.val();
        } else if self.at.q.val() == FILL_WALK {
            self.turn.next = self.takes.val();
            self.to.next = FILL_ASK.into();
            self.moves.next = self.turn.val() & self.last.val();
        } else if self.at.q.val() == FILL_ASK {
            self.to.next = FILL_TAKEN.into();
            self.moves.next = self.offers.val();
        } else if self.at.q.val() == FILL_TAKEN {
            self.moves.next = self.last_row.val();
            self.to.next = FILL.into();
            if self.more.val() {
                self.to.next = FILL_OPEN.into();
            }
            if self.last_row.val() {
                if self.more.val() {
                    self.in_group.d.next = self.in_group.q.val() + 1;
                } else if self.of_masks.q.val() {
                    self.of_masks.d.next = false;
                } else {
                    self.entry.d.next = self.entry.q.val() + 1;
                }
            }
        }
        if self.looks.val() {
            self.begins.next = self.by_row.val() & self.valid.val() & self.start_ready.val();
            self.asked.next = STEP_ADDRESS.into();
            self.asks.next = self.by_row.val() & self.start_ready.val();
            // Of the last group, which is the only one that has to be looked at, a load reads at once.
            self.reads.next =
                !self.writes.val() & !self.more.val() & ((self.why.q.val() == 0) | (self.at.q.val() == IDLE));
            if self.begins.val() | !self.by_row.val() {
                self.moves.next = true;
                self.to.next = LOOK.into();
                if self.reads.val() {
                    self.to.next = DIRECT.into();
                }
            } else {
                self.moves.next = (self.at.q.val() == IDLE) & self.valid.val();
            }
        }
        if self.moves.val() {
            self.at.d.next = self.to.val();
        }
        if self.stops.val() | (self.given.val() & (self.can_give.val() | self.can_stop.val())) {
            self.asks.next = true;
        }
        if self.stops.val() & self.valid.val() {
            // The next word may come in the next cycle.
            self.in_group.d.next = 0.into();
            self.without_last.d.next = false;
            self.at.d.next = IDLE.into();
        }
        // A thread has had its turn.
        if self.turn.val() {
            self.in_column.d.next = self.in_column.q.val() + 1;
            if self.last.val() {
                self.in_column.d.next = 0.into();
            }
        }
        self.opens.next = self.begins.val();
    }

    described! {
        "duality_memory_sequence", "What the memory unit does in each cycle."; IDLE, CHOOSE, CHOSEN, ADDRESS, LOOK,
        LOOKED, DATA, KEEP, SECOND, OPEN, DO, DONE, RESULT, TAKEN, FLUSH, END, FILL, FILL_OPEN, FILL_WALK, FILL_ASK,
        FILL_TAKEN, SPILL_LOOK, DIRECT, SPILL_ROWS, SPILL_PLACE, SPILL_PLACED, TRAP_WINDOW, SPECIALS, STEP_CHOOSER,
        STEP_ADDRESS, STEP_DATA, STEP_SECOND, STEP_RESULT, STEP_END, TRAP_BUS
    }
}
