//! Results on their way that a step's operands may be: which of them the step that is looked up and the one that is
//! held wait for.
//!
//! ```text
//!  places of the scoreboard ─▶ of the step looked up ─▶ of the step held ─▶ waits
//! ```
//!
//! A step waits for those results alone, not for all that is under way. `going` tells of a map's result in the cycle
//! before it is written, `gone` later: a step that finds all its lines in the cache may leave in the cycle of the
//! write, when the store is read a cycle later; one that asks memory for a line leaves, and asks, a cycle after the
//! write. Results of reductions are neither, since words may wait: who uses this block waits until nothing is on its
//! way. `suspects` stay until the step moves: what it has looked up in the cache is of before the write.

use crate::ccs::blocks::scoreboard::SAME;
use crate::ccs::blocks::types::{RESULTS, describes};
use crate::kernel::prelude::*;

hdl_block! {
    /// The block.
    pub CcsConflicts {
        In clock: Domain; /// Clock and reset.
        Bus same: Array<Signal<In, Bit>, SAME>; /// Places of results that may be the new step's a, then its b.
        Bus vectors: Array<Signal<In, Bit>, 2>; /// a and b are vectors.
        Bus going: Array<Signal<In, Bit>, RESULTS>; /// The place whose result a map writes in the next cycle.
        Bus gone: Array<Signal<In, Bit>, RESULTS>; /// Places whose results maps write in this cycle, or have written.
        In moves: Bit; /// A new step is looked up, and the one that was is held.
        In asks: Bit; /// The step that was looked up needs lines of memory.
        In held_asks: Bit; /// So does the one that is held.
        Bus suspects: Array<Signal<Out, Bit>, 2>; /// a, b of the step that was looked up may be results.
        Out waits: Bit; /// The step held waits for one.
    } inside {
        Child looked: Array<Pipe<Bit>, SAME>; // Places that the operands of the step looked up may be in.
        Child held: Array<Pipe<Bit>, RESULTS>; // Those that the one held waits for.
        Pipe some: Bit; // There is one.
        Child looked_left: Array<Signal<Local, Bit>, RESULTS>;
        Local moved, stays: Bit;
    }
}

impl Logic for CcsConflicts {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, looked, held, some);
        for i in 0..2 {
            self.suspects[i].next = false;
            for k in 0..RESULTS {
                if self.looked[RESULTS * i + k].q.val() {
                    self.suspects[i].next = true;
                }
            }
        }
        // With and without the one that goes: which of both counts, and whether steps move, is late.
        self.moved.next = false;
        self.stays.next = false;
        for k in 0..RESULTS {
            self.looked_left[k].next =
                (self.looked[k].q.val() | self.looked[RESULTS + k].q.val()) & !self.gone[k].val();
            self.held[k].d.next = self.held[k].q.val() & !self.going[k].val();
            if self.looked_left[k].val() & (self.asks.val() | !self.going[k].val()) {
                self.moved.next = true;
            }
            if self.held[k].q.val() & (self.held_asks.val() | !self.going[k].val()) {
                self.stays.next = true;
            }
        }
        self.some.d.next = self.stays.val();
        if self.moves.val() {
            for i in 0..2 {
                for k in 0..RESULTS {
                    self.looked[RESULTS * i + k].d.next = self.same[RESULTS * i + k].val() & self.vectors[i].val();
                }
            }
            for k in 0..RESULTS {
                self.held[k].d.next = self.looked_left[k].val() & !self.going[k].val();
            }
            self.some.d.next = self.moved.val();
        }
        self.waits.next = self.some.q.val();
    }

    describes!("ccs_conflicts", "Results on their way that steps wait for.", [RESULTS]);
}
