//! Threads of a group: those that a word of memory chooses, one after the other, and those that get its result.
//!
//! `all` = 1 chooses all threads of the group that comes; `comes` = 1 those where `row` holds 1, or 0 with `unless`.
//! `takes_part` is the next one's; `turn` = 1 goes on to the one behind it. `given` = 1 says of the next thread whether
//! it gets a result (`gets`); when as many threads were told as a group has, `getting` has the first one's bit lowest.

use crate::kernel::prelude::*;

hdl_block! {
    /// The threads.
    pub DualityChosen {
        In clock: Domain; /// Clock and reset.
        In all: Bit; /// All threads are chosen.
        In comes: Bit; /// Or those of a row.
        In row: Row; /// The row.
        In unless: Bit; /// Those where it holds 0.
        In turn: Bit; /// A thread has had its turn.
        Out takes_part: Bit; /// The next one is chosen.
        In given: Bit; /// It is told whether a thread gets a result.
        In gets: Bit; /// It does.
        Out getting: Row; /// Threads that get one.
    } inside {
        Register to_come: Row; // Threads to come that are chosen, the next one lowest.
        Register which: Row; // Threads that get a result, the last one highest.
        Local ones: Row;
        Value _last: usize;
    }
}

impl DualityChosen {
    /// For groups of so many threads.
    pub fn new(columns: usize) -> Self {
        DualityChosen { _last: columns - 1, ..Self::default() }
    }
}

impl Logic for DualityChosen {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, to_come, which);
        self.ones.next = 0.into();
        self.ones.next = !self.ones.val();
        self.takes_part.next = self.to_come.q.val().get_bit(0);
        if self.turn.val() {
            self.to_come.d.next = self.to_come.q.val() >> 1;
        } else if self.all.val() {
            self.to_come.d.next = self.ones.val();
        } else if self.comes.val() {
            self.to_come.d.next = self.row.val();
            if self.unless.val() {
                self.to_come.d.next = !self.row.val();
            }
        }
        self.getting.next = self.which.q.val();
        if self.given.val() {
            self.which.d.next = (self.which.q.val() >> 1).replace_bit(self._last, self.gets.val());
        }
    }

    described! { "duality_chosen", "Threads that a word of memory chooses, and those that get its result."; ; _last }
}
