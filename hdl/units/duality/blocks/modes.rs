//! Modes of the ways: which of them are a cache, which are control blocks, and how one becomes the other.
//!
//! ```text
//!  write_modes ─▶ cache ─▶ draining ─▶ accelerator ─▶ closing      ─▶ enabled, ready
//!                   ▲                                   │
//!                   └───────────────────────────────────┘
//!  flush ─▶ whose turn it is ─▶ drain ◀─▶ cache ways
//! ```
//!
//! Way k is that of control block k; ways behind them are a cache always. `states` has two bits for each control block:
//!
//! - **0, cache**: its way serves lines, if its bit in `ways` is 1 (`enabled`).
//! - **1, draining**: as soon as it is wanted as a control block. Its way serves until its turn comes.
//! - **2, accelerator**: its turn has ended, its way is empty and serves no more. It gets waves (`ready`) while it is
//!   wanted.
//! - **3, closing**: it is not wanted any more, and a wave may run. When it does not work (`works`), its way serves
//!   again; when it is wanted before, it gets waves again. If the write that closes it has its bit `abort`, `cut` = 1
//!   while it works, which ends the wave.
//!
//! A control block that waits for its turn and is not wanted any more goes back to *cache*. `changed` = 1 for a cycle
//! before a state that becomes 0 or 2.
//!
//! **Turns.** One at a time has one: a flush (`flush` = 1 for a cycle) first, then the lowest control block that
//! waits while some other way serves: a wave that runs is never left without a cache. From the next cycle on
//! `drain_ways` are offered until `drain_ready`, and the turn ends with `drained`. A control block has no turn if the
//! ways are not `used`, which they are once something was `asked` of them, until a flush has ended: then its way is
//! empty as it is. A flush is of all ways; `flushing` = 1 from the next cycle on until it ends with `flushed` = 1; in
//! the cycle behind that no way is enabled, which ways that were drained wait for before they serve again. `serves` = 1
//! while some way does that is not leaving.
//!
//! Everything written takes effect in the next cycle. All ways are a cache after reset.
//!
//! Source: Duality Cache §3.3: a control block is a way in accelerator mode. Ours: how a way changes.

use crate::duality::params::{DualityParams, MOST_BLOCKS};
use crate::duality::registers::{WAY_MODES_ABORT_LSB, WAY_MODES_ACCELERATOR_LSB, WAYS_ENABLED_LSB};
use crate::kernel::prelude::*;

/// Bits of [`WAYS_ENABLED_LSB`].
pub const WAYS_BITS: usize = 20;
/// Bits of the states of all control blocks.
pub const STATES_BITS: usize = 2 * MOST_BLOCKS;

numbers! { CACHE = 0, DRAINING = 1, ACCELERATOR = 2, CLOSING = 3 }
/// The bit of a state in which a way has left the cache.
const LEFT_BIT: usize = 1;
/// And that in which it is on its way to what it is wanted to be.
const MOVES_BIT: usize = 0;

hdl_block! {
    /// The modes.
    pub DualityModes {
        In clock: Domain; /// Clock and reset.
        In write_ways, write_modes: Bit; /// The register `ways` is written, or `way_modes`.
        In data: Bits<32>; /// What with.
        In flush: Bit; /// All ways are to be emptied.
        In asked: Bit; /// Something is asked of the ways.
        In works: Bits<MOST_BLOCKS>; /// Control blocks in which a wave is under way.
        Out ways: Bits<WAYS_BITS>; /// Ways in use.
        Out wanted: Bits<MOST_BLOCKS>; /// Control blocks that are wanted as such.
        Out states: Bits<STATES_BITS>; /// What each is.
        Out changed: Bit; /// One of them has changed.
        Out ready: Bits<MOST_BLOCKS>; /// Control blocks that may get a wave.
        Out cut: Bits<MOST_BLOCKS>; /// Control blocks whose wave is to end.
        Out enabled: Bits<WAYS_BITS>; /// Ways that serve as a cache.
        Out serves: Bit; /// There is one.
        Out drain_valid: Bit; /// Ways are to be emptied.
        Out drain_ways: Bits<WAYS_BITS>; /// These.
        In drain_ready, drained: Bit; /// They will be. They are.
        Out flushing, flushed: Bit; /// All ways are to be emptied. They are.
        Out used: Bit; /// The ways may not be empty.
    } inside {
        Register in_use: Bits<WAYS_BITS>;
        Register wants, cuts: Bits<MOST_BLOCKS>; // What is wanted. Waves that are not waited for.
        Child state: Vec<Register<Bits<2>>>;
        Register touched: Bit; // Something was asked of the ways.
        Register flush_waits, flush_turn: Bit; // A flush was asked for. It has the turn.
        Register turn: Bits<MOST_BLOCKS>; // Whose turn it is.
        Register taken: Bit; // The ways that are offered are being drained.
        Register closes: Bit; // A flush has ended: the ways are taken out of use for a cycle.
        Local left, may, first, open, arrives: Bits<MOST_BLOCKS>;
        Child later: Vec<Signal<Local, Bits<2>>>; // What each is in the next cycle.
        Local shown: Bits<STATES_BITS>;
        Local serving, others: Bits<WAYS_BITS>;
        Local free, ends, skips, ended: Bit;
        Local unused_data: Bits<32>;
        Value _blocks: usize;
        Value _all_ways, _all_blocks: u64;
    }
}

impl DualityModes {
    /// The modes of a design's ways.
    pub fn new(params: &DualityParams) -> Self {
        let _all_ways = (1u64 << params.cache_ways) - 1;
        DualityModes {
            in_use: Register::new(_all_ways.into()),
            state: (0..params.blocks).map(|_| Register::default()).collect(),
            later: (0..params.blocks).map(|_| Signal::default()).collect(),
            _blocks: params.blocks,
            _all_ways,
            _all_blocks: (1 << params.blocks) - 1,
            ..Self::default()
        }
    }
}

impl Logic for DualityModes {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, in_use, wants, cuts, touched, flush_waits, flush_turn, turn, taken, closes);
        self.unused_data.next = self.data.val();
        // Which ways serve.
        self.left.next = 0.into();
        for k in 0..self._blocks {
            dff_setup!(self, clock, state[k]);
            self.left.next = self.left.val().replace_bit(k, self.state[k].q.val().get_bit(LEFT_BIT));
        }
        self.serving.next = self.in_use.q.val() & !bits_to::<Bits<WAYS_BITS>, Bits<MOST_BLOCKS>>(self.left.val());
        self.serves.next = self.serving.val().any();
        self.enabled.next = self.serving.val();
        if self.closes.q.val() {
            self.enabled.next = 0.into();
        }
        // Whose turn is next.
        self.may.next = 0.into();
        for k in 0..self._blocks {
            self.others.next = self.serving.val().replace_bit(k, false);
            self.may.next = self.may.val().replace_bit(
                k,
                (self.state[k].q.val() == DRAINING) & self.wants.q.val().get_bit(k) & self.others.val().any(),
            );
        }
        self.first.next = self.may.val() & (!self.may.val() + 1);
        self.free.next = (self.turn.q.val() == 0) & !self.flush_turn.q.val();
        self.skips.next = self.free.val() & !self.flush_waits.q.val() & !self.touched.q.val();
        if self.free.val() {
            if self.flush_waits.q.val() {
                self.flush_turn.d.next = true;
            } else if self.touched.q.val() {
                self.turn.d.next = self.first.val();
            }
        }
        // The turn.
        self.drain_valid.next = !self.free.val() & !self.taken.q.val();
        self.drain_ways.next = bits_to::<Bits<WAYS_BITS>, Bits<MOST_BLOCKS>>(self.turn.q.val());
        if self.flush_turn.q.val() {
            self.drain_ways.next = self._all_ways.into();
        }
        if self.drain_valid.val() & self.drain_ready.val() {
            self.taken.d.next = true;
        }
        self.ends.next = self.taken.q.val() & self.drained.val();
        self.ended.next = self.ends.val() & self.flush_turn.q.val();
        if self.ends.val() {
            self.taken.d.next = false;
            self.turn.d.next = 0.into();
            self.flush_turn.d.next = false;
        }
        if self.asked.val() {
            self.touched.d.next = true;
        }
        if self.flush.val() {
            self.flush_waits.d.next = true;
        }
        if self.ended.val() {
            self.flush_waits.d.next = false;
            self.touched.d.next = false;
        }
        self.closes.d.next = self.ended.val();
        self.flushing.next = self.flush_waits.q.val();
        self.flushed.next = self.ended.val();
        self.used.next = self.touched.q.val();
        // What each control block is.
        self.shown.next = 0.into();
        self.open.next = 0.into();
        self.arrives.next = 0.into();
        for k in 0..self._blocks {
            self.shown.next = self.shown.val().replace_bit(2 * k, self.state[k].q.val().get_bit(0));
            self.shown.next = self.shown.val().replace_bit(2 * k + 1, self.state[k].q.val().get_bit(LEFT_BIT));
            self.open.next = self.open.val().replace_bit(k, self.state[k].q.val() == ACCELERATOR);
            self.later[k].next = self.state[k].q.val();
            if self.state[k].q.val() == CACHE {
                if self.wants.q.val().get_bit(k) {
                    self.later[k].next = DRAINING.into();
                }
            } else if self.state[k].q.val() == DRAINING {
                if (self.ends.val() & self.turn.q.val().get_bit(k)) | (self.skips.val() & self.first.val().get_bit(k)) {
                    self.later[k].next = ACCELERATOR.into();
                } else if !self.wants.q.val().get_bit(k) & !self.turn.q.val().get_bit(k) {
                    self.later[k].next = CACHE.into();
                }
            } else if self.state[k].q.val() == ACCELERATOR {
                if !self.wants.q.val().get_bit(k) {
                    self.later[k].next = CLOSING.into();
                }
            } else if self.wants.q.val().get_bit(k) {
                self.later[k].next = ACCELERATOR.into();
            } else if !self.works.val().get_bit(k) {
                self.later[k].next = CACHE.into();
            }
            self.state[k].d.next = self.later[k].val();
            self.arrives.next = self.arrives.val().replace_bit(
                k,
                (self.later[k].val() != self.state[k].q.val()) & !self.later[k].val().get_bit(MOVES_BIT),
            );
        }
        self.changed.next = self.arrives.val().any();
        self.states.next = self.shown.val();
        self.ready.next = self.open.val() & self.wants.q.val();
        // What is written.
        self.cut.next = self.cuts.q.val() & self.works.val();
        self.cuts.d.next = self.cuts.q.val() & self.left.val();
        if self.write_modes.val() {
            self.wants.d.next = self.data.val().get_bits::<MOST_BLOCKS>(WAY_MODES_ACCELERATOR_LSB) & self._all_blocks;
            self.cuts.d.next = ((self.cuts.q.val() & self.left.val())
                | (self.data.val().get_bits::<MOST_BLOCKS>(WAY_MODES_ABORT_LSB) & self._all_blocks))
                & !self.data.val().get_bits::<MOST_BLOCKS>(WAY_MODES_ACCELERATOR_LSB);
        }
        if self.write_ways.val() {
            self.in_use.d.next = self.data.val().get_bits::<WAYS_BITS>(WAYS_ENABLED_LSB) & self._all_ways;
        }
        self.ways.next = self.in_use.q.val();
        self.wanted.next = self.wants.q.val();
    }

    described! {
        "duality_modes", "Which ways are a cache, which are control blocks, and how one becomes the other.";
        CACHE, DRAINING, ACCELERATOR, CLOSING, LEFT_BIT, MOVES_BIT, WAY_MODES_ABORT_LSB, WAY_MODES_ACCELERATOR_LSB,
        WAYS_ENABLED_LSB; _blocks, _all_ways, _all_blocks
    }
}
