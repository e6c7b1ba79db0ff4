//! Ways that are drained, and which ways serve.
//!
//! ```text
//!  drain ─▶ ways, next set ─▶ steps: whoever has the tags deals with that set ─▶ clean: the one behind it
//! ```
//!
//! Ways are taken in a cycle in which nothing is under way (`runs`, `empty`). From then on they serve no more, until
//! their bits in `enabled` have been 0 after they were drained. Sets follow each other from 0 on: `steps` = 1 asks for
//! the set `sweep`, and is answered by `clean` = 1 when it holds no line of `drains`. Between two sets requests go on
//! for some cycles if one waits (`asked`); `pauses` = 1 where none may be taken. When all sets are clean and `idle`
//! says that everything is written back, `drained` = 1 for a cycle. `restart` ends it; nothing is drained after reset.

use super::LineNumber;
use crate::duality::blocks::bundles::CacheDrainSink;
use crate::duality::cache_params::CacheParams;
use crate::kernel::prelude::*;

/// Cycles between two sets.
const BETWEEN: u64 = 8;

hdl_block! {
    /// The drain.
    pub DualityCacheDrain {
        In clock: Domain; /// Clock and reset.
        Bus drain: CacheDrainSink; /// Ways to be emptied.
        Out drained: Bit; /// They are empty.
        In restart: Bit; /// Everything is forgotten.
        In enabled: CacheWays; /// Ways that are a cache.
        Out serving: CacheWays; /// Those of them that a line may get.
        In runs, empty: Bit; /// Requests are served. None is under way.
        In asked: Bit; /// A request waits.
        Out pauses: Bit; /// It must.
        Out steps: Bit; /// A set is to be dealt with.
        Out sweep: LineNumber; /// A line of it.
        Out drains: CacheWays; /// The ways that are meant.
        In clean: Bit; /// It is done.
        In idle: Bit; /// Everything is written back.
    } inside {
        Register draining, swept: Bit; // Ways are drained. No line is left in them.
        Pipe ways: CacheWays; // These ways.
        Register gone: CacheWays; // Ways that were drained, or are, and may serve no more.
        Pipe next: LineNumber; // A line of their next set.
        Register rest: Bits<4>; // Cycles until it.
        Register done: Bit; // They are drained.
        Local ready, ends: Bit;
        Value _sets, _last_set: u64;
    }
}

impl DualityCacheDrain {
    /// For a cache with these parameters.
    pub fn new(params: &CacheParams) -> Self {
        let _sets = params.sets as u64;
        DualityCacheDrain { _sets, _last_set: _sets - 1, ..Self::default() }
    }
}

impl Logic for DualityCacheDrain {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, draining, swept, ways, gone, next, rest, done);
        self.ready.next = self.runs.val() & self.empty.val() & !self.draining.q.val() & !self.restart.val();
        self.drain.ready.next = self.ready.val();
        self.serving.next = self.enabled.val() & !self.gone.q.val();
        self.drains.next = self.ways.q.val();
        self.sweep.next = self.next.q.val();
        self.steps.next =
            self.runs.val() & self.empty.val() & self.draining.q.val() & !self.swept.q.val() & (self.rest.q.val() == 0);
        self.pauses.next = self.drain.valid.val();
        if self.draining.q.val() {
            self.pauses.next = self.swept.q.val() | (self.rest.q.val() == 0);
        }
        self.ends.next = self.runs.val() & self.empty.val() & self.swept.q.val() & self.idle.val();
        self.drained.next = self.done.q.val();
        self.done.d.next = self.ends.val();
        self.gone.d.next = self.gone.q.val() & self.enabled.val();
        if self.draining.q.val() {
            self.gone.d.next = (self.gone.q.val() & self.enabled.val()) | self.ways.q.val();
        }
        if self.rest.q.val() != 0 {
            self.rest.d.next = self.rest.q.val() - 1;
        }
        if self.clean.val() {
            self.next.d.next = self.next.q.val() + 1;
            self.swept.d.next = self.next.q.val() == self._last_set;
            if self.asked.val() {
                self.rest.d.next = BETWEEN.into();
            }
        }
        if self.ends.val() {
            self.draining.d.next = false;
            self.swept.d.next = false;
        }
        if self.drain.valid.val() & self.ready.val() {
            self.draining.d.next = true;
            self.ways.d.next = self.drain.ways.val();
            self.gone.d.next = (self.gone.q.val() & self.enabled.val()) | self.drain.ways.val();
            self.next.d.next = 0.into();
            self.rest.d.next = 0.into();
        }
        if self.restart.val() {
            self.draining.d.next = false;
            self.swept.d.next = false;
            self.gone.d.next = 0.into();
            self.done.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("duality_cache_drain_{}x{}", CacheWays::width(), self._sets),
            "Ways of the cache that are drained.",
            constants![BETWEEN; self._last_set],
        )
    }
}
