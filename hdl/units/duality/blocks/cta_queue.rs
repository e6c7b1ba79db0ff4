//! Queue of CTAs: where the next wave begins, for whichever control block takes it.
//!
//! ```text
//!  restart ─▶ CTA 0 ─▶ valid: x, y, z ─▶ take ─▶ on by `at_once` CTAs, one a cycle ─▶ valid, or over
//! ```
//!
//! `restart` = 1 begins with CTA 0. While `valid` = 1 the next wave begins with the CTA shown, and `take` = 1 takes it;
//! then `valid` = 0 for as many cycles as a wave has CTAs. `over` = 1 when no CTA is left. While neither is 1 it is not
//! known yet. CTAs follow each other as in CUDA, x first. Counts are at least 1 and stay from `restart` on.
//!
//! Source: Duality Cache §3.3, where thread blocks are handed to control blocks; ours: counters in place of dividers.

use crate::duality::blocks::types::{GridCount, ThreadCount};
use crate::kernel::prelude::*;

hdl_block! {
    /// The queue.
    pub DualityCtaQueue {
        In clock: Domain; /// Clock and reset.
        In grid_x, grid_y, grid_z: GridCount; /// CTAs of the grid.
        In at_once: ThreadCount; /// CTAs of a wave.
        In restart: Bit; /// A launch begins.
        In take: Bit; /// The next wave is taken.
        Out valid: Bit; /// There is one.
        Out over: Bit; /// There is none.
        Out x, y, z: GridCount; /// Its first CTA.
    } inside {
        Register at_x, at_y, at_z: GridCount; // The CTA.
        Register steps: ThreadCount; // CTAs to go.
        Register none: Bit; // There is no such CTA.
        Local row_ends, plane_ends, ends: Bit;
    }
}

impl Logic for DualityCtaQueue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at_x, at_y, at_z, steps, none);
        self.x.next = self.at_x.q.val();
        self.y.next = self.at_y.q.val();
        self.z.next = self.at_z.q.val();
        self.valid.next = (self.steps.q.val() == 0) & !self.none.q.val();
        self.over.next = (self.steps.q.val() == 0) & self.none.q.val();
        self.row_ends.next = (self.at_x.q.val() + 1) == self.grid_x.val();
        self.plane_ends.next = self.row_ends.val() & ((self.at_y.q.val() + 1) == self.grid_y.val());
        self.ends.next = self.plane_ends.val() & ((self.at_z.q.val() + 1) == self.grid_z.val());
        if self.steps.q.val() != 0 {
            self.steps.d.next = self.steps.q.val() - 1;
            self.at_x.d.next = self.at_x.q.val() + 1;
            if self.row_ends.val() {
                self.at_x.d.next = 0.into();
                self.at_y.d.next = self.at_y.q.val() + 1;
            }
            if self.plane_ends.val() {
                self.at_y.d.next = 0.into();
                self.at_z.d.next = self.at_z.q.val() + 1;
            }
            if self.ends.val() {
                self.none.d.next = true;
                self.steps.d.next = 0.into();
            }
        } else if self.take.val() {
            self.steps.d.next = self.at_once.val();
        }
        if self.restart.val() {
            self.at_x.d.next = 0.into();
            self.at_y.d.next = 0.into();
            self.at_z.d.next = 0.into();
            self.steps.d.next = 0.into();
            self.none.d.next = false;
        }
    }

    described!("duality_cta_queue", "Where the next wave of CTAs begins.");
}
