//! Dispatch: deals waves of CTAs to the control blocks that ask for one, and says how the launch of all of them ends.
//!
//! ```text
//!  begin ─▶ queue of CTAs ─▶ dealt ─▶ launch unit 0, 1 …
//!  abort ─▶ halt ─────────────────────▶    │
//!  busy, ended, outcome, code ◀── wants, busy, outcome, code of each
//! ```
//!
//! `begin` = 1 for a cycle, while `busy` = 0, starts a launch. In each cycle at most one control block of `ready` that
//! wants a wave gets one, the first of those behind the last one that got one; `wave_x`, `wave_y`, `wave_z` are its
//! first CTA. `started` = 1 of a control block says that the program of its wave begins; from the next cycle on its
//! entry of `wave` is the wave's number in the launch, from 1 on. `halt` = 1 ends the launch: with `abort`, and from
//! the cycle behind that on in which a control block tells of a trap. The launch ends (`ended` = 1 for a cycle) when
//! all launch units are idle. `outcome` is then 2 after a trap, else 3 if a program was stopped by the host or CTAs are
//! left, else 1; `block` is the control block of the trap, the first one in time and in number. `code` is the trap's
//! code, else `aborted` if a program was stopped by the host, else the first one that is not 0. `over` = 1
//! when no CTA is left.
//!
//! Source: Duality Cache §3.3: thread blocks are handed to control blocks as these become free.

use crate::duality::blocks::cta_queue::DualityCtaQueue;
use crate::duality::blocks::types::{GridCount, ThreadCount};
use crate::duality::isa::codes::Trap;
use crate::duality::params::{BLOCK_BITS, MOST_BLOCKS};
use crate::kernel::prelude::*;

// How a launch has ended.
numbers! { FINISHED = 1, TRAPPED = 2, ABORTED = 3, TRAP_ABORTED = Trap::Aborted }

hdl_block! {
    /// The dispatch.
    pub DualityDispatch {
        In clock: Domain; /// Clock and reset.
        In begin, abort: Bit; /// A launch begins. It is to end.
        In grid_x, grid_y, grid_z: GridCount; /// CTAs of the grid.
        In at_once: ThreadCount; /// CTAs of a wave.
        Bus ready: Array<Signal<In, Bit>, LANES>; /// Control blocks that may get waves.
        Bus wants, launching, started: Array<Signal<In, Bit>, LANES>; /// Of each: asks for a wave, is at work, starts.
        Bus outcomes: Array<Signal<In, Bits<2>>, LANES>; /// What has ended it: 2 a trap, 3 `halt`; else 0.
        Bus codes: Array<Signal<In, Bits<8>>, LANES>; /// Its code.
        Bus dealt: Array<Signal<Out, Bit>, LANES>; /// It gets a wave.
        Out deals: Bit; /// One of them does.
        Out wave_x, wave_y, wave_z: GridCount; /// The wave's first CTA.
        Out over, halt: Bit; /// No CTA is left. All are to end.
        Bus waves: Array<Signal<Out, Bits<32>>, LANES>; /// Of each: the wave that has begun last.
        Out busy, ended: Bit; /// A launch is under way. It ends.
        Out outcome: Bits<2>; /// How it has ended: 1 all waves have, 2 by a trap, 3 by `abort`; else 0.
        Out code: Bits<8>; /// What with.
        Out block: Bits<BLOCK_BITS>; /// The control block of the trap.
    } inside {
        Child queue: DualityCtaQueue; // CTAs.
        Register active: Bit; // A launch is under way.
        Register number: Bits<32>; // Waves that were dealt.
        Register turn: Bits<MOST_BLOCKS>; // Control blocks behind the last that got a wave.
        Child given: Vec<Register<Bits<32>>>; // The wave that each has got last.
        Child begun: Vec<Register<Bits<32>>>; // That it has begun.
        Register how: Bits<2>;
        Register result: Bits<8>;
        Register which: Bits<BLOCK_BITS>;
        Child names: Vec<Constant<Bits<BLOCK_BITS>>>; // Numbers of control blocks.
        Local asking, first, chosen: Bits<MOST_BLOCKS>;
        Local working, gets: Bit;
        Value _blocks: usize;
    }
}

impl DualityDispatch {
    /// For so many control blocks, which [`LANES`] stands for.
    pub fn new(blocks: usize) -> Self {
        let registers = || (0..blocks).map(|_| Register::default()).collect();
        let names = (0..blocks as u64).map(|k| Constant::new(k.into())).collect();
        DualityDispatch { given: registers(), begun: registers(), names, _blocks: blocks, ..Self::default() }
    }
}

impl Logic for DualityDispatch {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, queue);
        dff_setup!(self, clock, active, number, turn, how, result, which);
        self.queue.grid_x.next = self.grid_x.val();
        self.queue.grid_y.next = self.grid_y.val();
        self.queue.grid_z.next = self.grid_z.val();
        self.queue.at_once.next = self.at_once.val();
        self.queue.restart.next = self.begin.val();
        self.wave_x.next = self.queue.x.val();
        self.wave_y.next = self.queue.y.val();
        self.wave_z.next = self.queue.z.val();
        self.over.next = self.queue.over.val();
        self.halt.next = self.abort.val() | (self.how.q.val() != 0);
        // Who gets the next wave: the lowest of those behind the last one, or of all.
        self.asking.next = 0.into();
        self.working.next = false;
        for k in 0..self._blocks {
            self.asking.next = self.asking.val().replace_bit(k, self.wants[k].val() & self.ready[k].val());
            self.working.next = self.working.val() | self.launching[k].val();
        }
        self.first.next = self.asking.val();
        if (self.asking.val() & self.turn.q.val()).any() {
            self.first.next = self.asking.val() & self.turn.q.val();
        }
        self.gets.next = self.queue.valid.val() & self.asking.val().any() & !self.halt.val();
        self.chosen.next = 0.into();
        if self.gets.val() {
            self.chosen.next = self.first.val() & (!self.first.val() + 1);
            self.turn.d.next = !(self.chosen.val() | (self.chosen.val() - 1));
            self.number.d.next = self.number.q.val() + 1;
        }
        self.deals.next = self.gets.val();
        self.queue.take.next = self.gets.val();
        for k in 0..self._blocks {
            dff_setup!(self, clock, given[k], begun[k]);
            self.dealt[k].next = self.chosen.val().get_bit(k);
            self.waves[k].next = self.begun[k].q.val();
            if self.chosen.val().get_bit(k) {
                self.given[k].d.next = self.number.q.val() + 1;
            }
            if self.started[k].val() {
                self.begun[k].d.next = self.given[k].q.val();
            }
            if self.begin.val() {
                self.begun[k].d.next = 0.into();
            }
        }
        // How it ends. Of several in a cycle the lowest counts, which comes last here.
        if self.how.q.val() != TRAPPED {
            for i in 0..self._blocks {
                if (self.result.q.val() == 0) & (self.codes[self._blocks - 1 - i].val() != 0) {
                    self.result.d.next = self.codes[self._blocks - 1 - i].val();
                }
            }
            for i in 0..self._blocks {
                if self.outcomes[self._blocks - 1 - i].val() == ABORTED {
                    self.how.d.next = ABORTED.into();
                    if self.codes[self._blocks - 1 - i].val() == TRAP_ABORTED {
                        self.result.d.next = TRAP_ABORTED.into();
                    }
                }
            }
            for i in 0..self._blocks {
                if self.outcomes[self._blocks - 1 - i].val() == TRAPPED {
                    self.how.d.next = TRAPPED.into();
                    self.result.d.next = self.codes[self._blocks - 1 - i].val();
                    self.which.d.next = self.names[self._blocks - 1 - i].val();
                }
            }
        }
        self.busy.next = self.active.q.val();
        self.outcome.next = self.how.q.val();
        self.code.next = self.result.q.val();
        self.block.next = self.which.q.val();
        self.ended.next = false;
        if self.active.q.val() & !self.working.val() & (self.queue.valid.val() | self.queue.over.val()) {
            self.ended.next = true;
            self.active.d.next = false;
            if self.how.q.val() == 0 {
                self.how.d.next = FINISHED.into();
                if self.queue.valid.val() {
                    self.how.d.next = ABORTED.into();
                }
            }
        }
        if self.begin.val() {
            self.active.d.next = true;
            self.number.d.next = 0.into();
            self.how.d.next = 0.into();
            self.result.d.next = 0.into();
            self.which.d.next = 0.into();
        }
    }

    described! {
        "duality_dispatch", "Deals waves of CTAs to control blocks, and says how their launch ends."; FINISHED, TRAPPED,
        ABORTED, TRAP_ABORTED; _blocks
    }
}
