//! Results on their way that a step's operands may be: which of them the step that is looked up and the one that is
//! held wait for.
//!
//! ```text
//!  places of the scoreboard ─▶ of the step looked up ─▶ of the step held ─▶ waits
//! ```
//!
//! A step waits for those results alone, not for all that is under way. A result is `going` in the cycle before it is
//! written to store and memory, and `gone` from the next cycle on. A step that finds all its lines in the cache may
//! leave in the cycle of the write, since the store is read a cycle later; one that asks memory for a line leaves, and
//! asks, a cycle after the write. `suspects` stay until the step moves: what it has found in the cache is of before the
//! write.

use crate::ccs::blocks::scoreboard::SAME;
use crate::ccs::blocks::types::{RESULTS, describes};
use crate::kernel::prelude::*;

hdl_block! {
    /// The block.
    pub CcsConflicts {
        In clock: Domain; /// Clock and reset.
        Bus same: Array<Signal<In, Bit>, SAME>; /// Results that may be the new step's a, by places; then its b.
        Bus vectors: Array<Signal<In, Bit>, 2>; /// a and b are vectors.
        Bus going: Array<Signal<In, Bit>, RESULTS>; /// The place whose result is written in the next cycle.
        Bus gone: Array<Signal<In, Bit>, RESULTS>; /// Places whose results are written in this cycle, or were before.
        In moves: Bit; /// A new step is looked up, and the one that was is held.
        In asks: Bit; /// The step that was looked up needs lines of memory.
        In held_asks: Bit; /// So does the one that is held.
        Bus suspects: Array<Signal<Out, Bit>, 2>; /// a, b of the step that was looked up may be results.
        Out waits: Bit; /// The step held waits for one.
    } inside {
        Child looked: Array<Pipe<Bit>, SAME>; // Places that the operands of the step looked up may be in.
        Child held: Array<Pipe<Bit>, RESULTS>; // Those that the one held waits for.
        Pipe waiting: Bit; // There is one.
        Child looked_left: Array<Signal<Local, Bit>, RESULTS>;
        Local new_waits, held_waits: Bit;
    }
}

impl Logic for CcsConflicts {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, looked, held, waiting);
        for i in 0..2 {
            self.suspects[i].next = false;
            for k in 0..RESULTS {
                if self.looked[RESULTS * i + k].q.val() {
                    self.suspects[i].next = true;
                }
            }
        }
        // Whether the step that comes would wait, and whether the one held goes on waiting: which of both is held then
        // is known last.
        self.new_waits.next = false;
        self.held_waits.next = false;
        for k in 0..RESULTS {
            self.looked_left[k].next =
                (self.looked[k].q.val() | self.looked[RESULTS + k].q.val()) & !self.gone[k].val();
            self.held[k].d.next = self.held[k].q.val() & !self.going[k].val();
            if self.looked_left[k].val() & (self.asks.val() | !self.going[k].val()) {
                self.new_waits.next = true;
            }
            if self.held[k].q.val() & (self.held_asks.val() | !self.going[k].val()) {
                self.held_waits.next = true;
            }
        }
        self.waiting.d.next = self.held_waits.val();
        if self.moves.val() {
            for i in 0..2 {
                for k in 0..RESULTS {
                    self.looked[RESULTS * i + k].d.next = self.same[RESULTS * i + k].val() & self.vectors[i].val();
                }
            }
            for k in 0..RESULTS {
                self.held[k].d.next = self.looked_left[k].val() & !self.going[k].val();
            }
            self.waiting.d.next = self.new_waits.val();
        }
        self.waits.next = self.waiting.q.val();
    }

    describes!("ccs_conflicts", "Results on their way that steps wait for.", [RESULTS]);
}
