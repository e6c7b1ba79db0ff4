//! The compute unit: lanes, their masks, the reduction tree.
//!
//! ```text
//!  t     step, first and last lane ─▶ masks
//!  t+1   a, b ─▶ lanes
//!  t+8   y, write ─▶ tree
//!  t+8+l+2   result                    l = log2 of the lanes
//! ```
//!
//! A step is a line of elements; there may be one in every cycle, and any number of cycles without. `control`, `flip`
//! and `mask` must not change from a command's first step until its last has left. The operands of a step in cycle t
//! are at `a` and `b` in t + 1, `y` has its results in t + 8, where `write` says which lanes of them to write;
//! `y_valid` says that it was a step. `step_first` and `step_last` bound a reduction, whose `result` is there, with
//! `result_valid`, [`reduce_latency`](crate::ccs::control::reduce_latency) cycles after its last step; the next may
//! start a cycle after it. After reset nothing is under way.

use crate::ccs::CcsGeometry;
use crate::ccs::blocks::masks::{CcsMasks, LANE_BITS};
use crate::ccs::blocks::types::{FIRSTS, LATENCY, Shape, describes};
use crate::ccs::blocks::{elaborated, lane::CcsLane, tree::CcsTree};
use crate::ccs::control::{LANE_CONTROL_BITS, MAP_LATENCY, TREE, UNIT_CONTROL_BITS};
use crate::error::Result;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

/// Control word of the unit.
pub type UnitControl = Bits<UNIT_CONTROL_BITS>;

hdl_block! {
    /// The unit.
    pub CcsUnit {
        In clock: Domain; /// Clock and reset.
        In control: UnitControl; /// What the lanes and the tree do.
        In flip: Bits<32>; /// What a reduction's result is combined with by exclusive or.
        Bus mask: Array<Signal<In, Bit>, LANES>; /// Stride mask: lanes that count in every step.
        In step: Bit; /// There is a step.
        In step_low, step_high: Bits<LANE_BITS>; /// Its first lane that counts. Its last lane that counts.
        In step_first, step_last: Bit; /// It is a reduction's first. It is a reduction's last.
        Bus a, b: Array<Signal<In, Bits<32>>, LANES>; /// First operands of the step before. Its second operands.
        Bus y: Array<Signal<Out, Bits<32>>, LANES>; /// Results.
        Bus write: Array<Signal<Out, Bit>, LANES>; /// Those to write.
        Out y_valid, y_soon: Bit; /// They are a step's. Those of the next cycle are.
        Out result_valid: Bit; /// A reduction's result is there.
        Out result: Bits<32>; /// It.
    } inside {
        Child lanes: Array<CcsLane, LANES>; // The lanes.
        Child masks: CcsMasks; // Their masks.
        Child tree: CcsTree; // The tree.
        Child steps: Array<Register<Bit>, MAP_LATENCY>; // Steps on their way through the lanes.
        Child firsts: Array<Register<Bit>, FIRSTS>; // First steps on their way to the accumulator.
        Child lasts: Array<Register<Bit>, LATENCY>; // Last steps on their way to the result.
        Value _g: Shape;
    }
}

impl CcsUnit {
    /// The unit of the geometry that holds.
    pub fn new() -> Self {
        CcsUnit { masks: CcsMasks::new(), ..Self::default() }
    }
}

impl Logic for CcsUnit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, steps, firsts, lasts);
        clock!(self, clock, masks, tree);
        self.masks.step.next = self.step.val();
        self.masks.low.next = self.step_low.val();
        self.masks.high.next = self.step_high.val();
        self.tree.operation.next = self.control.val().get_bits::<2>(TREE);
        self.tree.flip.next = self.flip.val();
        for k in 0..self._g.lanes {
            self.masks.stride[k].next = self.mask[k].val();
            self.write[k].next = self.masks.write[k].val();
            self.lanes[k].clock.next = self.clock.val();
            self.lanes[k].control.next = bit_cast::<LANE_CONTROL_BITS, UNIT_CONTROL_BITS>(self.control.val());
            self.lanes[k].idle.next = self.masks.idle[k].val();
            self.lanes[k].a.next = self.a[k].val();
            self.lanes[k].b.next = self.b[k].val();
            self.y[k].next = self.lanes[k].y.val();
            self.tree.y[k].next = self.lanes[k].y.val();
        }
        // Steps on their way.
        self.steps[0].d.next = self.step.val();
        for i in 1..MAP_LATENCY {
            self.steps[i].d.next = self.steps[i - 1].q.val();
        }
        self.y_valid.next = self.steps[MAP_LATENCY - 1].q.val();
        self.y_soon.next = self.steps[MAP_LATENCY - 2].q.val();
        self.firsts[0].d.next = self.step.val() & self.step_first.val();
        for i in 1..self._g.firsts {
            self.firsts[i].d.next = self.firsts[i - 1].q.val();
        }
        self.tree.clear.next = self.firsts[self._g.firsts - 1].q.val();
        self.lasts[0].d.next = self.step.val() & self.step_last.val();
        for i in 1..self._g.latency {
            self.lasts[i].d.next = self.lasts[i - 1].q.val();
        }
        self.tree.take.next = self.lasts[self._g.latency - 3].q.val();
        self.result_valid.next = self.lasts[self._g.latency - 1].q.val();
        self.result.next = self.tree.result.val();
    }

    describes!(block: format!("ccs_unit_{}x{}", block._g.lanes, block._g.bits),
        "Compute unit of a cache compute system: lanes, masks, reduction tree.", [TREE, MAP_LATENCY]);
}

/// The netlist of a compute unit.
///
/// # Errors
/// [`Error::Parameter`](crate::error::Error::Parameter) if the geometry breaks a rule;
/// [`Error::Netlist`](crate::error::Error::Netlist) if a block does.
pub fn ccs_unit(geometry: &CcsGeometry) -> Result<Netlist> {
    geometry.check()?;
    let _shape = Shape::hold(geometry);
    elaborated(CcsUnit::new())
}
