//! Threads of a wave: walks over the threads of a control block in order, and says of each where it is in its CTA and
//! where the CTA is in the grid.
//!
//! CTAs fill the threads one behind the other, `at_once` of them in a wave unless the grid ends before. `wave` = 1
//! makes `wave_x`, `wave_y`, `wave_z` the wave's first CTA; from the next cycle on `first` = 1 goes to thread 0 of the
//! wave, and `step` = 1 to the next thread. Coordinates follow each other as in CUDA, x first. Behind the wave's last
//! thread the walk stays where the next CTA's first thread would be. Counts are at least 1; they have come a
//! cycle before the first `step`, and stay while waves run.
//!
//! Source: Duality Cache §3.3, a bank a thread block; ours: several CTAs in a control block, and walks of counters in
//! place of dividers.

use crate::duality::blocks::bundles::LaunchSink;
use crate::duality::blocks::types::{GRID_BITS, GridCount, THREAD_BITS, ThreadCount};
use crate::duality::isa::codes::Special;
use crate::kernel::prelude::*;

numbers! {
    TID_Y = Special::TidY, TID_Z = Special::TidZ, CTA_X = Special::CtaX, CTA_Y = Special::CtaY, CTA_Z = Special::CtaZ,
    THREAD = Special::Thread
}

hdl_block! {
    /// The walk.
    pub DualityThreads {
        In clock: Domain; /// Clock and reset.
        Bus launch: LaunchSink; /// The launch.
        In wave: Bit; /// A wave begins.
        In wave_x, wave_y, wave_z: GridCount; /// Its first CTA.
        In first: Bit; /// Goes to thread 0.
        In step: Bit; /// Goes to the next thread.
        Out there: Bit; /// There is such a thread.
        Out number: Bits<12>; /// Its number in the control block.
        In special: Bits<3>; /// A special register.
        Out value: GridCount; /// What it holds.
        Out window: Bits<32>; /// Where its CTA's shared window begins.
    } inside {
        Register thread: Bits<12>; // The thread's number.
        Register x, y, z: ThreadCount; // Its place in the CTA.
        Register slot: ThreadCount; // CTAs before its own.
        Register at_x, at_y, at_z: GridCount; // Its CTA.
        Register from_x, from_y, from_z: GridCount; // The wave's first CTA.
        Register base: Bits<32>; // Where the window begins.
        Register over: Bit; // No CTA is left.
        Pipe last_x, last_y, last_z: ThreadCount; // The last place in a CTA.
        Pipe last_at_x, last_at_y, last_at_z: GridCount; // The last CTA of the grid.
        Local ends_x, ends_y, ends, row_ends, plane_ends: Bit;
        Local here: Bit;
    }
}

impl Logic for DualityThreads {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, thread, x, y, z, slot, at_x, at_y, at_z, from_x, from_y, from_z, base, over);
        dff_setup!(self, clock, last_x, last_y, last_z, last_at_x, last_at_y, last_at_z);
        self.last_x.d.next = self.launch.block_x.val() - 1;
        self.last_y.d.next = self.launch.block_y.val() - 1;
        self.last_z.d.next = self.launch.block_z.val() - 1;
        self.last_at_x.d.next = self.launch.grid_x.val() - 1;
        self.last_at_y.d.next = self.launch.grid_y.val() - 1;
        self.last_at_z.d.next = self.launch.grid_z.val() - 1;
        self.here.next = !self.over.q.val() & (self.slot.q.val() != self.launch.at_once.val());
        self.there.next = self.here.val();
        self.number.next = self.thread.q.val();
        self.value.next = bit_cast::<GRID_BITS, THREAD_BITS>(self.x.q.val());
        if self.special.val() == TID_Y {
            self.value.next = bit_cast::<GRID_BITS, THREAD_BITS>(self.y.q.val());
        } else if self.special.val() == TID_Z {
            self.value.next = bit_cast::<GRID_BITS, THREAD_BITS>(self.z.q.val());
        } else if self.special.val() == CTA_X {
            self.value.next = self.at_x.q.val();
        } else if self.special.val() == CTA_Y {
            self.value.next = self.at_y.q.val();
        } else if self.special.val() == CTA_Z {
            self.value.next = self.at_z.q.val();
        } else if self.special.val() == THREAD {
            self.value.next = bit_cast::<GRID_BITS, 12>(self.thread.q.val());
        }
        self.window.next = self.base.q.val();
        self.ends_x.next = self.x.q.val() == self.last_x.q.val();
        self.ends_y.next = self.ends_x.val() & (self.y.q.val() == self.last_y.q.val());
        self.ends.next = self.ends_y.val() & (self.z.q.val() == self.last_z.q.val());
        self.row_ends.next = self.at_x.q.val() == self.last_at_x.q.val();
        self.plane_ends.next = self.row_ends.val() & (self.at_y.q.val() == self.last_at_y.q.val());
        if self.step.val() {
            self.thread.d.next = self.thread.q.val() + 1;
            if self.here.val() {
                self.x.d.next = self.x.q.val() + 1;
                if self.ends_x.val() {
                    self.x.d.next = 0.into();
                    self.y.d.next = self.y.q.val() + 1;
                }
                if self.ends_y.val() {
                    self.y.d.next = 0.into();
                    self.z.d.next = self.z.q.val() + 1;
                }
                if self.ends.val() {
                    self.z.d.next = 0.into();
                    self.slot.d.next = self.slot.q.val() + 1;
                    self.base.d.next = self.base.q.val() + self.launch.shared_bytes.val();
                    self.at_x.d.next = self.at_x.q.val() + 1;
                    if self.row_ends.val() {
                        self.at_x.d.next = 0.into();
                        self.at_y.d.next = self.at_y.q.val() + 1;
                    }
                    if self.plane_ends.val() {
                        self.at_y.d.next = 0.into();
                        self.at_z.d.next = self.at_z.q.val() + 1;
                        self.over.d.next = self.at_z.q.val() == self.last_at_z.q.val();
                    }
                }
            }
        }
        if self.first.val() {
            self.thread.d.next = 0.into();
            self.x.d.next = 0.into();
            self.y.d.next = 0.into();
            self.z.d.next = 0.into();
            self.slot.d.next = 0.into();
            self.base.d.next = self.launch.shared_base.val();
            self.over.d.next = false;
            self.at_x.d.next = self.from_x.q.val();
            self.at_y.d.next = self.from_y.q.val();
            self.at_z.d.next = self.from_z.q.val();
        }
        if self.wave.val() {
            self.from_x.d.next = self.wave_x.val();
            self.from_y.d.next = self.wave_y.val();
            self.from_z.d.next = self.wave_z.val();
        }
    }

    described! {
        "duality_threads", "Walks over the threads of a wave."; GRID_BITS, THREAD_BITS, TID_Y, TID_Z, CTA_X, CTA_Y,
        CTA_Z, THREAD
    }
}
