//! Performance counters of a launch: cycles, waves, and what the memory side did.
//!
//! `clear` = 1 makes all of them 0. Cycles count while `busy` = 1, in 64 bits; the others what their input is 1 in, in
//! 32 bits, which wrap. A count shows a cycle from the next one on.

use crate::kernel::prelude::*;

/// Counters of 32 bits, in the order of their registers.
pub const EVENTS: usize = 6;

hdl_block! {
    /// The counters.
    pub DualityCounters {
        In clock: Domain; /// Clock and reset.
        In clear: Bit; /// A launch begins.
        In busy: Bit; /// It is under way.
        In events: Bits<EVENTS>; /// What is counted, lowest bit first.
        Out low, high: Bits<32>; /// Cycles.
        Bus counts: [Signal<Out, Bits<32>>; EVENTS]; /// The others.
    } inside {
        Register cycles_low, cycles_high: Bits<32>;
        Child count: [Register<Bits<32>>; EVENTS];
    }
}

impl Logic for DualityCounters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cycles_low, cycles_high);
        self.low.next = self.cycles_low.q.val();
        self.high.next = self.cycles_high.q.val();
        if self.busy.val() {
            self.cycles_low.d.next = self.cycles_low.q.val() + 1;
            if self.cycles_low.q.val().all() {
                self.cycles_high.d.next = self.cycles_high.q.val() + 1;
            }
        }
        if self.clear.val() {
            self.cycles_low.d.next = 0.into();
            self.cycles_high.d.next = 0.into();
        }
        for k in 0..EVENTS {
            dff_setup!(self, clock, count[k]);
            self.counts[k].next = self.count[k].q.val();
            if self.events.val().get_bit(k) {
                self.count[k].d.next = self.count[k].q.val() + 1;
            }
            if self.clear.val() {
                self.count[k].d.next = 0.into();
            }
        }
    }

    described!("duality_counters", "Performance counters of a launch."; EVENTS);
}
