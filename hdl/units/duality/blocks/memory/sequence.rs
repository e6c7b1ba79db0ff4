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
//! A step is asked for until the control block takes it (`valid`); one whose rows become elements only while the
//! transpose unit takes their transfer, too (`start_ready`). What is asked for does not depend on `valid`, which is
//! late. Addresses that all threads have in rows are asked for in the cycle in which the word comes. A load reads the
//! last group as it is looked at, unless an address before was refused: that group has its result first. A result is
//! asked for when its values are there or settled, the end with the last row that is taken, or when the last store has
//! its answer. `rewinds` = 1 while nothing is done, too.

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
        Out asked: Bits<MEMORY_STEP_BITS>; /// What is asked of the control block.
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
        Local last, more, turn, begins, looks, reads, given, gives, stops: Bit;
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
        self.gives.next = false;
        self.stops.next = false;
        self.rewinds.next = (self.at.q.val() == SPILL_PLACED)
            | ((self.at.q.val() == LOOKED) & !self.at_once.q.val())
            | (self.at.q.val() == IDLE);
        self.begins.next = false;
        self.reads.next = false;
        self.asked.next = 0.into();
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
            if self.fill.val() {
                self.at.d.next = FILL.into();
            } else if self.valid.val() {
                self.takes_word.next = true;
                self.walks.next = true;
                self.why.d.next = 0.into();
                self.at.d.next = CHOOSE.into();
            }
        } else if self.at.q.val() == CHOOSE {
            if self.spills.val() {
                self.at.d.next = SPILL_LOOK.into();
                if self.beyond.val() {
                    self.why.d.next = TRAP_WINDOW.into();
                    self.at.d.next = END.into();
                }
            } else if !self.all.val() {
                self.asked.next = STEP_CHOOSER.into();
                if self.valid.val() {
                    self.at.d.next = CHOSEN.into();
                }
            }
        } else if self.at.q.val() == CHOSEN {
            if self.sent.val() {
                self.at.d.next = ADDRESS.into();
            }
        } else if self.at.q.val() == DIRECT {
            // Threads of the group before it may still wait for their hints: these are not read.
            self.begins.next = self.start_ready.val() & self.looked.val();
            if self.begins.val() {
                self.at_once.d.next = true;
                self.at.d.next = LOOK.into();
            }
        } else if self.at.q.val() == LOOK {
            self.turn.next = self.look_turn.val();
            if self.turn.val() & self.last.val() {
                self.at.d.next = LOOKED.into();
                if self.more.val() {
                    self.at.d.next = CHOOSE.into();
                    self.in_group.d.next = self.in_group.q.val() + 1;
                }
            }
        } else if self.at.q.val() == LOOKED {
            if self.looked.val() & (self.given.val() | !self.at_once.q.val()) {
                self.at_once.d.next = false;
                self.at.d.next = DATA.into();
                if self.at_once.q.val() {
                    self.at.d.next = RESULT.into();
                    self.gives.next = (self.why.q.val() == 0) & !self.failed.val();
                    self.without_last.d.next = true;
                    if !self.gives.val() {
                        self.at.d.next = FLUSH.into();
                        if self.failed.val() & (self.why.q.val() == 0) {
                            self.why.d.next = TRAP_BUS.into();
                        }
                    }
                } else {
                    self.in_group.d.next = 0.into();
                    if self.why.q.val() != 0 {
                        self.at.d.next = END.into();
                    }
                }
            }
        } else if (self.at.q.val() == SPILL_LOOK) | (self.at.q.val() == SPILL_PLACE) {
            if self.look_turn.val() & self.last_piece.val() {
                self.at.d.next = LOOKED.into();
                if self.at.q.val() == SPILL_PLACE {
                    self.at.d.next = SPILL_PLACED.into();
                }
            }
        } else if self.at.q.val() == SPILL_ROWS {
            if self.full.val() | !self.writes.val() {
                self.at.d.next = SPILL_PLACE.into();
            }
        } else if self.at.q.val() == SPILL_PLACED {
            if self.looked.val() {
                self.at.d.next = DO.into();
            }
        } else if (self.at.q.val() == DATA) & self.spills.val() {
            if self.writes.val() {
                self.asked.next = STEP_DATA.into();
            }
            if self.valid.val() | !self.writes.val() {
                self.begins_group.next = true;
                self.at.d.next = SPILL_ROWS.into();
            }
        } else if self.at.q.val() == DATA {
            self.begins.next = self.writes.val() & self.valid.val() & self.start_ready.val();
            if self.writes.val() & self.start_ready.val() {
                self.asked.next = STEP_DATA.into();
            }
            if self.begins.val() | !self.writes.val() {
                self.at.d.next = OPEN.into();
                if self.compares.val() {
                    self.at.d.next = KEEP.into();
                }
            }
        } else if self.at.q.val() == KEEP {
            self.turn.next = self.is_element.val();
            if self.turn.val() & self.last.val() {
                self.at.d.next = SECOND.into();
            }
        } else if self.at.q.val() == SECOND {
            self.begins.next = self.valid.val() & self.start_ready.val();
            if self.start_ready.val() {
                self.asked.next = STEP_SECOND.into();
            }
            if self.begins.val() {
                self.at.d.next = OPEN.into();
            }
        } else if self.at.q.val() == OPEN {
            self.begins.next = !self.stores.val() & self.start_ready.val();
            if self.begins.val() | self.stores.val() {
                self.at.d.next = DO.into();
            }
        } else if self.at.q.val() == DO {
            self.turn.next = self.do_turn.val();
            if self.turn.val() & self.last.val() {
                self.at.d.next = DONE.into();
            }
        } else if self.at.q.val() == DONE {
            if self.given.val() {
                self.at.d.next = RESULT.into();
                self.gives.next = !self.failed.val() & !self.stores.val() & !self.spills.val();
                if self.failed.val() {
                    self.why.d.next = TRAP_BUS.into();
                    self.at.d.next = FLUSH.into();
                } else if self.stores.val() {
                    self.at.d.next = END.into();
                    self.stops.next = !self.more.val();
                    if self.more.val() {
                        self.at.d.next = DATA.into();
                        self.in_group.d.next = self.in_group.q.val() + 1;
                    }
                }
            }
        } else if self.at.q.val() == RESULT {
            if self.offers.val() {
                self.asked.next = STEP_RESULT.into();
                if self.valid.val() {
                    self.at.d.next = TAKEN.into();
                }
            }
        } else if self.at.q.val() == TAKEN {
            if self.last_row.val() {
                self.at.d.next = END.into();
                self.stops.next = true;
                if self.without_last.q.val() & (bit_cast::<5, 4>(self.in_group.q.val()) == self.last_group.val()) {
                    // Behind the last group, which was the first to be done, come the others.
                    self.in_group.d.next = 0.into();
                    self.rewinds.next = true;
                    if self.last_group.val() != 0 {
                        self.stops.next = false;
                        self.at.d.next = DATA.into();
                    }
                } else if self.more.val() {
                    self.stops.next = false;
                    self.at.d.next = DATA.into();
                    self.in_group.d.next = self.in_group.q.val() + 1;
                }
            }
        } else if self.at.q.val() == FLUSH {
            if !self.tmu_busy.val() {
                self.at.d.next = END.into();
            }
        } else if self.at.q.val() == END {
            self.stops.next = true;
        } else if self.at.q.val() == FILL {
            self.in_group.d.next = 0.into();
            self.walks.next = true;
            self.at.d.next = FILL_OPEN.into();
            if !self.of_masks.q.val() & (!self.special_there.val() | (self.entry.q.val() == SPECIALS)) {
                self.walks.next = false;
                self.filled.next = true;
                self.at.d.next = IDLE.into();
            }
        } else if self.at.q.val() == FILL_OPEN {
            self.begins.next = self.start_ready.val();
            if self.begins.val() {
                self.at.d.next = FILL_WALK.into();
            }
        } else if self.at.q.val() == FILL_WALK {
            self.turn.next = self.takes.val();
            if self.turn.val() & self.last.val() {
                self.at.d.next = FILL_ASK.into();
            }
        } else if self.at.q.val() == FILL_ASK {
            if self.offers.val() {
                self.at.d.next = FILL_TAKEN.into();
            }
        } else if self.last_row.val() {
            if self.at.q.val() == FILL_TAKEN {
                self.at.d.next = FILL.into();
                if self.more.val() {
                    self.at.d.next = FILL_OPEN.into();
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
            if self.by_row.val() & self.start_ready.val() {
                self.asked.next = STEP_ADDRESS.into();
            }
            // Of the last group, which is the only one that has to be looked at, a load reads at once.
            self.reads.next =
                !self.writes.val() & !self.more.val() & ((self.why.q.val() == 0) | (self.at.q.val() == IDLE));
            if self.begins.val() | !self.by_row.val() {
                self.at.d.next = LOOK.into();
                if self.reads.val() {
                    self.at.d.next = DIRECT.into();
                }
            }
        }
        if self.gives.val() {
            self.asked.next = STEP_RESULT.into();
            if self.valid.val() {
                self.at.d.next = TAKEN.into();
            }
        }
        if self.stops.val() {
            self.asked.next = STEP_END.into();
            if self.valid.val() {
                // The next word may come in the next cycle.
                self.in_group.d.next = 0.into();
                self.without_last.d.next = false;
                self.at.d.next = IDLE.into();
            }
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
