//! Which lanes count: those of the stride mask from a step's first lane to its last.

use crate::ccs::control::MAP_LATENCY;
use crate::kernel::prelude::*;

/// Bits of a lane's number.
pub const LANE_BITS: usize = 7;

/// Stages between the mask for the lanes and the one for their results.
const DELAYS: usize = MAP_LATENCY - 2;

/// For a step in cycle t, the lanes' masks in t + 2 and what to write in t + 8; 0 for cycles without a step.
#[derive(LogicBlock, Default)]
pub struct CcsMasks {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// There is a step.
    pub step: Signal<In, Bit>,
    /// Its first lane.
    pub low: Signal<In, Bits<LANE_BITS>>,
    /// Its last lane.
    pub high: Signal<In, Bits<LANE_BITS>>,
    /// Lanes that count in every step.
    pub stride: Vec<Signal<In, Bit>>,
    /// Lanes that do not count, cycle t + 2.
    pub idle: Vec<Signal<Out, Bit>>,
    /// Lanes with a result to write, cycle t + 8.
    pub write: Vec<Signal<Out, Bit>>,
    /// The step's first lane is this one or before it.
    pub from: Vec<Register<Bit>>,
    /// The step's last lane is after this one; not for the last.
    pub beyond: Vec<Register<Bit>>,
    /// The lane does not count: as registers' resets are, when it is 1.
    pub skips: Vec<Register<Bit>>,
    /// The same later: all lanes of a cycle, then all of the next.
    pub later: Vec<Register<Bit>>,
    _lanes: usize,
    _last: usize,
    _delayed: usize,
    _kept: usize,
}

impl CcsMasks {
    /// Masks of so many lanes.
    pub fn new(lanes: usize) -> Self {
        let registers = |count| (0..count).map(|_| Register::default()).collect::<Vec<_>>();
        CcsMasks {
            stride: (0..lanes).map(|_| Signal::default()).collect(),
            idle: (0..lanes).map(|_| Signal::default()).collect(),
            write: (0..lanes).map(|_| Signal::default()).collect(),
            from: registers(lanes),
            beyond: registers(lanes - 1),
            skips: (0..lanes).map(|_| Register::new(true)).collect(),
            later: (0..DELAYS * lanes).map(|_| Register::new(true)).collect(),
            _lanes: lanes,
            _last: lanes - 1,
            _delayed: DELAYS * lanes,
            _kept: (DELAYS - 1) * lanes,
            ..Self::default()
        }
    }
}

impl Logic for CcsMasks {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..self._last {
            self.from[k].d.next = self.step.val() & (self.low.val().index() <= k);
            self.beyond[k].clock.next = self.clock.val();
            self.beyond[k].d.next = self.high.val().index() > k;
            self.skips[k + 1].d.next = !(self.from[k + 1].q.val() & self.beyond[k].q.val() & self.stride[k + 1].val());
        }
        self.from[self._last].d.next = self.step.val();
        self.skips[0].d.next = !(self.from[0].q.val() & self.stride[0].val());
        for k in 0..self._lanes {
            self.from[k].clock.next = self.clock.val();
            self.skips[k].clock.next = self.clock.val();
            self.idle[k].next = self.skips[k].q.val();
            self.later[k].d.next = self.skips[k].q.val();
            self.write[k].next = !self.later[self._kept + k].q.val();
        }
        for i in 0..self._delayed {
            self.later[i].clock.next = self.clock.val();
        }
        for i in 0..self._kept {
            self.later[self._lanes + i].d.next = self.later[i].q.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let module = format!("ccs_masks_{}", self._lanes);
        describe(
            module,
            "Which lanes of a compute unit count.",
            constants![; self._lanes, self._last, self._delayed, self._kept],
        )
    }
}
