//! Which lanes count: those of the stride mask from a step's first lane to its last.

use crate::ccs::blocks::types::{NODES, Shape, describes};
use crate::kernel::prelude::*;

/// Bits of a lane's number.
pub const LANE_BITS: usize = 7;

/// For a step in cycle t, the lanes' masks in t + 2 and what to write in t + 8; 0 for cycles without a step.
#[derive(LogicBlock, Default)]
pub struct CcsMasks {
    pub(super) clock: Signal<In, Domain>,
    pub(super) step: Signal<In, Bit>,                 // There is a step.
    pub(super) low: Signal<In, Bits<LANE_BITS>>,      // Its first lane.
    pub(super) high: Signal<In, Bits<LANE_BITS>>,     // Its last lane.
    pub(super) stride: Array<Signal<In, Bit>, LANES>, // Lanes that count in every step.
    pub(super) idle: Array<Signal<Out, Bit>, LANES>,  // Lanes that do not count, cycle t + 2.
    pub(super) write: Array<Signal<Out, Bit>, LANES>, // Lanes with a result to write, cycle t + 8.
    from: Array<Register<Bit>, LANES>,                // The step's first lane is this one or before it.
    beyond: Array<Register<Bit>, NODES>,              // The step's last lane is after this one; not for the last.
    skips: Array<Register<Bit>, LANES>, // The lane does not count: as registers' resets are, when it is 1.
    later: Array<Register<Bit>, LANES>, // The same later: all lanes of a cycle, then all of the next.
    _g: Shape,
}

impl CcsMasks {
    /// The masks.
    pub fn new() -> Self {
        let Shape { lanes, delayed, .. } = Shape::default();
        CcsMasks {
            skips: Array::of((0..lanes).map(|_| Register::new(true))),
            later: Array::of((0..delayed).map(|_| Register::new(true))),
            ..Self::default()
        }
    }
}

impl Logic for CcsMasks {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, beyond, from, skips, later);
        for k in 0..self._g.last {
            self.from[k].d.next = self.step.val() & (self.low.val().index() <= k);
            self.beyond[k].d.next = self.high.val().index() > k;
            self.skips[k + 1].d.next = !(self.from[k + 1].q.val() & self.beyond[k].q.val() & self.stride[k + 1].val());
        }
        self.from[self._g.last].d.next = self.step.val();
        self.skips[0].d.next = !(self.from[0].q.val() & self.stride[0].val());
        for k in 0..self._g.lanes {
            self.idle[k].next = self.skips[k].q.val();
            self.later[k].d.next = self.skips[k].q.val();
            self.write[k].next = !self.later[self._g.kept + k].q.val();
        }
        for i in 0..self._g.kept {
            self.later[self._g.lanes + i].d.next = self.later[i].q.val();
        }
    }

    describes!(block: format!("ccs_masks_{}", block._g.lanes), "Which lanes of a compute unit count.", []);
}
