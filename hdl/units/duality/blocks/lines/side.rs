//! Cache ways with an arbiter and a line unit, and nothing else: what of a slice with operations on lines there is
//! beside its control blocks and registers. Campaigns have it to themselves, with any ports in place of those.
//!
//! ```text
//!  host ◀─▶ lines ──┐
//!  ports ───────────┴─▶ arbiter ─▶ cache ways ◀─▶ m_axi
//! ```
//!
//! Timing is that of the blocks inside.

use crate::duality::blocks::arbiter::DualityArbiter;
use crate::duality::blocks::bundles::{CacheDrainSink, CacheSink, CacheSource, LineHostSink};
use crate::duality::blocks::cache::{DualityCache, sizes};
use crate::duality::blocks::lines::unit::DualityLines;
use crate::duality::cache_params::CacheParams;
use crate::kernel::prelude::*;
use crate::parts::bundles::AxiMasterPort;

hdl_block! {
    /// The side.
    pub DualityLineSide {
        In clock: Domain; /// Clock and reset.
        Bus ports: Array<CacheSink, LANES>; /// Requests of others.
        Bus locks: Array<Signal<In, Bit>, LANES>; /// They lock their word.
        Bus host: LineHostSink; /// Registers of the line unit.
        In enabled: CacheWays; /// Ways that are a cache.
        Bus drain: CacheDrainSink; /// Ways to be emptied.
        Out drained: Bit; /// They are empty.
        Out taken, taken_hint, taken_write: Bit; /// A request of the line unit is taken. It is a hint. It writes.
        Out taken_address: Bits<32>; /// Its address.
        Out answered, answered_failed: Bit; /// It gets an answer. The answer has failed.
        In clear_failed: Bit; /// Clears `write_failed`.
        Out write_failed: Bit; /// A line could not be written back.
        Out hit, miss, merged, written_back: Bit; /// What the ways do.
        Bus m_axi: AxiMasterPort<Bits<32>, Word<64, 1>, Bits<8>>; /// Memory.
    } inside {
        Child arbiter: DualityArbiter; // Who asks the ways.
        Child cache: Boxed<DualityCache>; // Cache ways.
        Child lines: DualityLines; // Operations on lines.
        Value _ports: usize;
    }
}

impl DualityLineSide {
    /// For cache ways with these parameters and so many other ports, which [`LANES`] stands for.
    pub fn new(params: &CacheParams, ports: usize) -> Self {
        let arbiter = {
            let _sizes = Sizes::set(&[ports + 1]);
            DualityArbiter::new(ports + 1, true)
        };
        let cache = || {
            let _sizes = sizes(params);
            DualityCache::new(params)
        };
        let cache = Boxed::new(cache);
        DualityLineSide { arbiter, cache, lines: DualityLines::new(), _ports: ports, ..Self::default() }
    }
}

impl Logic for DualityLineSide {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, arbiter, cache, lines);
        for k in 0..self._ports {
            CacheSink::link(&mut self.ports[k], &mut self.arbiter.ports[k]);
            self.arbiter.locks[k].next = self.locks[k].val();
        }
        LineHostSink::link(&mut self.host, &mut self.lines.host);
        CacheSource::join(&mut self.lines.cache, &mut self.arbiter.ports[self._ports]);
        self.arbiter.locks[self._ports].next = self.lines.lock.val();
        self.cache.stores[0].whole.next = self.lines.store.whole.val() & self.arbiter.ports[self._ports].ready.val();
        self.cache.stores[0].line.next = self.lines.store.line.val();
        self.cache.stores[0].drop.next = self.lines.store.drop.val();
        self.taken.next = self.lines.cache.valid.val() & self.arbiter.ports[self._ports].ready.val();
        self.taken_hint.next = self.lines.cache.hint.val();
        self.taken_write.next = self.lines.cache.write.val();
        self.taken_address.next = self.lines.cache.address.val();
        self.answered.next = self.arbiter.ports[self._ports].answer.val();
        self.answered_failed.next = self.arbiter.ports[self._ports].answer_failed.val();
        self.lines.answer_line.next = self.cache.answer_line.val();
        self.lines.missed.next = self.cache.miss.val();
        CacheSource::join(&mut self.arbiter.ways, &mut self.cache.port);
        self.cache.enabled.next = self.enabled.val();
        CacheDrainSink::link(&mut self.drain, &mut self.cache.drain);
        self.drained.next = self.cache.drained.val();
        self.cache.restart.next = false;
        self.cache.clear_failed.next = self.clear_failed.val();
        self.write_failed.next = self.cache.write_failed.val();
        self.hit.next = self.cache.hit.val();
        self.miss.next = self.cache.miss.val();
        self.merged.next = self.cache.merged.val();
        self.written_back.next = self.cache.written_back.val();
        AxiMasterPort::<Bits<32>, Word<64, 1>, Bits<8>>::link(&mut self.m_axi, &mut self.cache.m_axi);
    }

    described!("duality_line_side", "Cache ways with operations on lines."; ; _ports);
}
