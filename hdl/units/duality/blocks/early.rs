//! What a window does early of the next word that computes: its shape, and its command, which the sequencer sets up and
//! holds until the word's turn comes.
//!
//! A word is looked at from the cycle in which it is the next one (`asks`): the oldest, of which nothing is done yet
//! (`ready`), or behind another that does not compute (`ahead`). Six cycles later its shape is there: `shaped` = 1 from
//! the cycle before on. A word with a command (`commands`) offers it, unless it begins in that cycle or it is its turn,
//! and it is held from the cycle behind that in which it is accepted.
//!
//! `issues` = 1 while it is the command's turn: if it is held, `releases` = 1, and the sequencer goes on a cycle later;
//! else the window offers it. A command that is refused while it is held leaves nothing, and is offered again in its
//! turn. `ends` = 1 in the last cycle of the word, or of its turn.

use crate::duality::blocks::word_shape::SHAPE_CYCLES;
use crate::kernel::prelude::*;

numbers! { WAIT_FOR_SHAPE = SHAPE_CYCLES - 2 }
// What is done: nothing yet, the shape, the command is offered, is held; or the shape is there and no more to do.
numbers! { NOTHING = 0, SHAPES = 1, OFFERS = 2, HOLDS = 3, NEVER = 4 }

hdl_block! {
    /// What is done early.
    pub DualityEarly {
        In clock: Domain; /// Clock and reset.
        In asks: Bit; /// The next word is there, and computes.
        In ahead: Bit; /// Another one is before it.
        In ready: Bit; /// The window does nothing.
        In commands: Bit; /// The word has a command, once its shape is there.
        In begins: Bit; /// It begins.
        In issues: Bit; /// It is its command's turn.
        In ends: Bit; /// It ends, or its command's turn does.
        In accepts: Bit; /// The sequencer accepts a command.
        In refuses: Bit; /// It refuses one.
        Out shaped: Bit; /// The shape is there, in the next cycle.
        Out offers: Bit; /// The command is offered.
        Out held: Bit; /// It is held.
        Out releases: Bit; /// It goes on.
    } inside {
        Register state: Bits<3>; // What is done.
        Register timer: Bits<3>; // Cycles until the shape is there.
        Local here: Bit;
    }
}

impl Logic for DualityEarly {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, timer);
        self.here.next = (self.state.q.val() == SHAPES) & (self.timer.q.val() == 0);
        self.shaped.next = self.here.val() | (self.state.q.val() > SHAPES);
        self.offers.next = (self.state.q.val() == OFFERS) & !self.begins.val() & !self.issues.val();
        self.held.next = self.state.q.val() == HOLDS;
        self.releases.next = (self.state.q.val() == HOLDS) & self.issues.val() & !self.refuses.val();
        self.timer.d.next = self.timer.q.val() - 1;
        if self.state.q.val() == NOTHING {
            self.timer.d.next = WAIT_FOR_SHAPE.into();
            if self.asks.val() & (self.ahead.val() | self.ready.val()) {
                self.state.d.next = SHAPES.into();
            }
        } else if self.here.val() {
            self.state.d.next = NEVER.into();
            if self.commands.val() {
                self.state.d.next = OFFERS.into();
            }
        } else if self.offers.val() & self.accepts.val() {
            self.state.d.next = HOLDS.into();
        } else if (self.state.q.val() == HOLDS) & self.refuses.val() {
            self.state.d.next = NEVER.into();
        }
        if self.ends.val() | self.releases.val() {
            self.state.d.next = NOTHING.into();
        }
    }

    described! {
        "duality_early", "What a window does early of the next word that computes."; WAIT_FOR_SHAPE, NOTHING, SHAPES,
        OFFERS, HOLDS, NEVER
    }
}
