//! Sequence of the crossbar: what it does in each cycle.
//!
//! ```text
//!  idle ─▶ launch ─▶ (address ─▶ numbers ─▶ settle ─▶ (check) ─▶ exclude) ─▶ (choose) ─▶ data ─▶ rows ─┐
//!            ▲────────────────── for each group of threads ── taken ◀─ result ◀─ (read ─▶ shown ─▶ work) ┘
//! ```
//!
//! Steps of the control block are asked for here, and rows are counted: `place` is the row of the buffer. A shuffle
//! has numbers first. Rows of data come one a cycle, and what is made of each is written to the buffer 0, 1 or 2 cycles
//! later: at once if there is work to do when all are there, a cycle later of a shuffle, two of a reduction. That work
//! is, of a shuffle that serves some threads at a time, as many turns for each row as it takes, and of a search for the
//! smallest or largest number two cycles a row, from the highest row on. `shown` is the cycle in which the row to work
//! on is shown, or the first of them, and `work` that of a turn, or of a row's result. Turns tell, too, which threads
//! name one that there is: `check`.

use crate::duality::passes::{MEMORY_STEP_BITS, MemoryStep};
use crate::kernel::prelude::*;

numbers! {
    STEP_LAUNCH = MemoryStep::Launch, STEP_CHOOSER = MemoryStep::Chooser, STEP_ADDRESS = MemoryStep::Address,
    STEP_DATA = MemoryStep::Data, STEP_RESULT = MemoryStep::Result, STEP_END = MemoryStep::End
}
numbers! { CHOOSE = 3, ADDRESS = 5, RESULT = 13 }
const END: u64 = 15;
/// Nothing is done.
pub const IDLE: u64 = 0;
const LAUNCH: u64 = 1;
/// The row of threads that exist comes.
pub const LAUNCHED: u64 = 2;
/// The row that chooses threads comes.
pub const CHOSEN: u64 = 4;
/// Rows of addresses come.
pub const NUMBERS: u64 = 6;
/// They are all there.
pub const SETTLE: u64 = 7;
/// Rows of data are asked for, and come.
pub const DATA: u64 = 8;
/// See [`DATA`].
pub const ROWS: u64 = 9;
/// The row of threads that exist turns, and is told to those that name one of them.
pub const CHECK: u64 = 16;
/// See [`CHECK`].
pub const EXCLUDE: u64 = 17;
const READ: u64 = 10;
/// A row of the buffer is there, and work is done on it.
pub const SHOWN: u64 = 11;
/// See [`SHOWN`].
pub const WORK: u64 = 12;
/// Rows of the result are taken.
pub const TAKEN: u64 = 14;
/// Bits of a state.
pub const STATE_BITS: usize = 5;

hdl_block! {
    /// The sequence.
    pub DualityCrossbarSequence {
        In clock: Domain; /// Clock and reset.
        In starts: Bit; /// A word waits that the crossbar does.
        In valid: Bit; /// The control block takes a step if one is asked for.
        In groups: Bits<5>; /// Groups of threads.
        In all: Bit; /// The word chooses all threads.
        In shuffles: Bit; /// It is a shuffle.
        In by_row: Bit; /// Addresses are in rows.
        In searches: Bit; /// It looks for the smallest or the largest number.
        In address_rows, rows: Bits<7>; /// Rows of addresses, and of data.
        In segment: Bits<4>; /// log2 of the threads of a segment.
        In sent, taken: Bit; /// A row comes. One of the result is taken.
        Out state: Bits<STATE_BITS>; /// What is done.
        Out asked: Bits<MEMORY_STEP_BITS>; /// The step that is asked for.
        Out group: Bits<4>; /// The group.
        Out put: Bit; /// A bit of all addresses is there.
        Out empty: Bit; /// It is none of a row: 0.
        Out holds: Bit; /// What a row of data becomes is looked for in this cycle.
        Out writes: Bit; /// A row of the buffer is written.
        Out place: Bits<6>; /// Which one.
        Out reads: Bits<6>; /// The row of the buffer that is shown in the next cycle.
        Out top: Bit; /// The row that is shown is the highest.
        Out turned: Bit; /// The last turn of a row.
    } inside {
        Register at: Bits<STATE_BITS>; // What is done.
        Register in_group: Bits<4>; // The group.
        Register come: Bits<7>; // Rows of addresses that have come, or of the buffer that are done.
        Register turns: Bits<8>; // Turns of the row that are done.
        Register held, reduced: Bit; // A row has come a cycle before, or two.
        Local entered, next, last: Bits<7>;
        Local goes: Bit;
        Value _serial: bool;
        Value _turns: u64;
    }
}

impl DualityCrossbarSequence {
    /// For a network that takes so many turns for a row.
    pub fn new(turns: usize) -> Self {
        DualityCrossbarSequence { _serial: turns > 1, _turns: turns as u64 - 1, ..Self::default() }
    }
}

impl Logic for DualityCrossbarSequence {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, in_group, come, turns, held, reduced);
        self.state.next = self.at.q.val();
        self.group.next = self.in_group.q.val();
        self.place.next = self.come.q.val().get_bits::<6>(0);
        self.reads.next = self.come.q.val().get_bits::<6>(0);
        self.last.next = self.rows.val() - 1;
        self.next.next = self.come.q.val() + 1;
        self.top.next = self.come.q.val() == self.last.val();
        self.turned.next = self.turns.q.val() == self._turns;
        self.entered.next = 0.into();
        if self.by_row.val() {
            self.entered.next = self.address_rows.val();
        }
        self.asked.next = 0.into();
        self.put.next = false;
        self.empty.next = false;
        self.writes.next = false;
        self.holds.next = false;
        self.goes.next = false;
        self.held.d.next = false;
        self.reduced.d.next = self.held.q.val();
        if self.at.q.val() == IDLE {
            self.in_group.d.next = 0.into();
            if self.starts.val() {
                self.at.d.next = LAUNCH.into();
            }
        } else if self.at.q.val() == LAUNCH {
            self.asked.next = STEP_LAUNCH.into();
            if self.valid.val() {
                self.at.d.next = LAUNCHED.into();
            }
        } else if self.at.q.val() == LAUNCHED {
            self.come.d.next = 0.into();
            if self.sent.val() {
                self.goes.next = !self.shuffles.val();
                self.at.d.next = ADDRESS.into();
            }
        } else if self.at.q.val() == CHOOSE {
            self.asked.next = STEP_CHOOSER.into();
            if self.valid.val() {
                self.at.d.next = CHOSEN.into();
            }
        } else if self.at.q.val() == CHOSEN {
            if self.sent.val() {
                self.at.d.next = DATA.into();
            }
        } else if self.at.q.val() == ADDRESS {
            if self.by_row.val() {
                self.asked.next = STEP_ADDRESS.into();
            }
            if self.valid.val() | !self.by_row.val() {
                self.at.d.next = NUMBERS.into();
            }
        } else if self.at.q.val() == NUMBERS {
            if self.come.q.val() < self.entered.val() {
                self.put.next = self.sent.val();
            } else if self.come.q.val() < bit_cast::<7, 4>(self.segment.val()) {
                self.put.next = true;
                self.empty.next = true;
            } else {
                self.at.d.next = SETTLE.into();
            }
            if self.put.val() {
                self.come.d.next = self.next.val();
            }
        } else if self.at.q.val() == SETTLE {
            self.turns.d.next = 0.into();
            self.at.d.next = EXCLUDE.into();
            if self._serial {
                self.at.d.next = CHECK.into();
            }
        } else if self.at.q.val() == CHECK {
            self.turns.d.next = self.turns.q.val() + 1;
            if self.turned.val() {
                self.at.d.next = EXCLUDE.into();
            }
        } else if self.at.q.val() == EXCLUDE {
            self.goes.next = true;
        } else if self.at.q.val() == DATA {
            self.asked.next = STEP_DATA.into();
            self.come.d.next = 0.into();
            if self.valid.val() {
                self.at.d.next = ROWS.into();
            }
        } else if self.at.q.val() == ROWS {
            self.held.d.next = self.sent.val();
            self.holds.next = self.held.q.val();
            self.writes.next = self.reduced.q.val();
            if self.searches.val() {
                self.writes.next = self.sent.val();
            }
            if self.shuffles.val() {
                self.writes.next = self.held.q.val();
                if self._serial {
                    self.writes.next = self.sent.val();
                }
            }
            if self.writes.val() {
                self.come.d.next = self.next.val();
            }
            if self.come.q.val() == self.rows.val() {
                self.come.d.next = 0.into();
                self.at.d.next = RESULT.into();
                if self._serial & self.shuffles.val() {
                    self.at.d.next = READ.into();
                }
                if self.searches.val() {
                    self.come.d.next = self.last.val();
                    self.at.d.next = READ.into();
                }
            }
        } else if self.at.q.val() == READ {
            self.turns.d.next = 0.into();
            self.at.d.next = SHOWN.into();
        } else if self.at.q.val() == SHOWN {
            self.at.d.next = WORK.into();
        } else if self.at.q.val() == WORK {
            if self.searches.val() {
                self.writes.next = true;
                self.come.d.next = self.come.q.val() - 1;
                self.reads.next = self.place.val() - 1;
                self.at.d.next = SHOWN.into();
                if self.come.q.val() == 0 {
                    self.come.d.next = 0.into();
                    self.at.d.next = RESULT.into();
                }
            } else {
                // The row behind is shown when the turns of this one are done.
                self.reads.next = self.place.val() + 1;
                self.turns.d.next = self.turns.q.val() + 1;
                if self.turned.val() {
                    self.writes.next = true;
                    self.turns.d.next = 0.into();
                    self.come.d.next = self.next.val();
                    if self.top.val() {
                        self.come.d.next = 0.into();
                        self.at.d.next = RESULT.into();
                    }
                }
            }
        } else if self.at.q.val() == RESULT {
            self.asked.next = STEP_RESULT.into();
            if self.valid.val() {
                self.at.d.next = TAKEN.into();
            }
        } else if self.at.q.val() == TAKEN {
            if self.taken.val() {
                self.come.d.next = self.next.val();
                self.reads.next = self.place.val() + 1;
                if self.top.val() {
                    self.at.d.next = END.into();
                    if (bit_cast::<5, 4>(self.in_group.q.val()) + 1) != self.groups.val() {
                        self.at.d.next = LAUNCH.into();
                        self.in_group.d.next = self.in_group.q.val() + 1;
                    }
                }
            }
        } else {
            self.asked.next = STEP_END.into();
            if self.valid.val() {
                self.at.d.next = IDLE.into();
            }
        }
        // Threads are chosen, if not all are, and data come.
        if self.goes.val() {
            self.at.d.next = CHOOSE.into();
            if self.all.val() {
                self.at.d.next = DATA.into();
            }
        }
    }

    described! {
        "duality_crossbar_sequence", "What the crossbar does in each cycle."; IDLE, LAUNCH, LAUNCHED, CHOOSE, CHOSEN,
        ADDRESS, NUMBERS, SETTLE, CHECK, EXCLUDE, DATA, ROWS, READ, SHOWN, WORK, RESULT, TAKEN, END, STEP_LAUNCH,
        STEP_CHOOSER, STEP_ADDRESS, STEP_DATA, STEP_RESULT, STEP_END; _serial, _turns
    }
}
