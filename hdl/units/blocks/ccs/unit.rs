//! The compute unit: lanes, their masks, the reduction tree.
//!
//! ```text
//!  t     step, first and last lane ─▶ masks
//!  t+1   a, b ─▶ lanes
//!  t+8   y, write ─▶ tree
//!  t+8+l+2   result                    l = log2 of the lanes
//! ```
//!
//! A step is a line of elements; there may be one in every cycle, and any number of cycles without. `control`, `flip` and `mask` must not
//! change from a command's first step until its last has left. The operands of a step in cycle t are at `a` and `b` in t + 1, `y` has its
//! results in t + 8, where `write` says which lanes of them to write; `y_valid` says that it was a step.
//! `step_first` and `step_last` bound a reduction, whose `result` is there, with `result_valid`, [`reduce_latency`](crate::ccs::control::reduce_latency) cycles
//! after its last step; the next may start a cycle after it. After reset nothing is under way.

use super::lane::CcsLane;
use super::masks::{CcsMasks, LANE_BITS};
use super::tree::CcsTree;
use crate::ccs::CcsGeometry;
use crate::ccs::control::{LANE_CONTROL_BITS, MAP_LATENCY, TREE, UNIT_CONTROL_BITS, reduce_latency};
use crate::error::Result;
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

/// Control word of the unit.
pub type UnitControl = Bits<UNIT_CONTROL_BITS>;

/// The unit.
#[derive(LogicBlock, Default)]
pub struct CcsUnit {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// What the lanes and the tree do.
    pub control: Signal<In, UnitControl>,
    /// What a reduction's result is combined with by exclusive or.
    pub flip: Signal<In, Bits<32>>,
    /// Stride mask: lanes that count in every step.
    pub mask: Vec<Signal<In, Bit>>,
    /// There is a step.
    pub step: Signal<In, Bit>,
    /// Its first lane that counts.
    pub step_low: Signal<In, Bits<LANE_BITS>>,
    /// Its last lane that counts.
    pub step_high: Signal<In, Bits<LANE_BITS>>,
    /// It is a reduction's first.
    pub step_first: Signal<In, Bit>,
    /// It is a reduction's last.
    pub step_last: Signal<In, Bit>,
    /// First operands of the step before.
    pub a: Vec<Signal<In, Bits<32>>>,
    /// Its second operands.
    pub b: Vec<Signal<In, Bits<32>>>,
    /// Results.
    pub y: Vec<Signal<Out, Bits<32>>>,
    /// Those to write.
    pub write: Vec<Signal<Out, Bit>>,
    /// They are a step's.
    pub y_valid: Signal<Out, Bit>,
    /// A reduction's result is there.
    pub result_valid: Signal<Out, Bit>,
    /// It.
    pub result: Signal<Out, Bits<32>>,
    /// The lanes.
    pub lanes: Vec<CcsLane>,
    /// Their masks.
    pub masks: CcsMasks,
    /// The tree.
    pub tree: CcsTree,
    /// Steps on their way through the lanes.
    pub steps: Vec<Register<Bit>>,
    /// First steps on their way to the accumulator.
    pub firsts: Vec<Register<Bit>>,
    /// Last steps on their way to the result.
    pub lasts: Vec<Register<Bit>>,
    _lanes: usize,
    _bits: usize,
    _steps: usize,
    _firsts: usize,
    _lasts: usize,
}

impl CcsUnit {
    /// A unit of this geometry.
    pub fn new(geometry: &CcsGeometry) -> Self {
        let (lanes, bits) = (geometry.lanes, geometry.element_bits);
        let registers = |count| (0..count).map(|_| Register::default()).collect::<Vec<_>>();
        // The last level's value is there two cycles before the result.
        let latency = reduce_latency(lanes);
        CcsUnit {
            mask: (0..lanes).map(|_| Signal::default()).collect(),
            a: (0..lanes).map(|_| Signal::default()).collect(),
            b: (0..lanes).map(|_| Signal::default()).collect(),
            y: (0..lanes).map(|_| Signal::default()).collect(),
            write: (0..lanes).map(|_| Signal::default()).collect(),
            lanes: (0..lanes).map(|_| CcsLane::new(bits)).collect(),
            masks: CcsMasks::new(lanes),
            tree: CcsTree::new(lanes, bits),
            steps: registers(MAP_LATENCY),
            firsts: registers(latency - 3),
            lasts: registers(latency),
            _lanes: lanes,
            _bits: bits,
            _steps: MAP_LATENCY - 1,
            _firsts: latency - 4,
            _lasts: latency - 1,
            ..Self::default()
        }
    }
}

impl Logic for CcsUnit {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, masks);
        clock!(self, clock, tree);
        self.masks.step.next = self.step.val();
        self.masks.low.next = self.step_low.val();
        self.masks.high.next = self.step_high.val();
        self.tree.operation.next = self.control.val().get_bits::<2>(TREE);
        self.tree.flip.next = self.flip.val();
        for k in 0..self._lanes {
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
        self.steps[0].clock.next = self.clock.val();
        self.steps[0].d.next = self.step.val();
        for i in 0..self._steps {
            self.steps[i + 1].clock.next = self.clock.val();
            self.steps[i + 1].d.next = self.steps[i].q.val();
        }
        self.y_valid.next = self.steps[self._steps].q.val();
        self.firsts[0].clock.next = self.clock.val();
        self.firsts[0].d.next = self.step.val() & self.step_first.val();
        for i in 0..self._firsts {
            self.firsts[i + 1].clock.next = self.clock.val();
            self.firsts[i + 1].d.next = self.firsts[i].q.val();
        }
        self.tree.clear.next = self.firsts[self._firsts].q.val();
        self.lasts[0].clock.next = self.clock.val();
        self.lasts[0].d.next = self.step.val() & self.step_last.val();
        for i in 0..self._lasts {
            self.lasts[i + 1].clock.next = self.clock.val();
            self.lasts[i + 1].d.next = self.lasts[i].q.val();
        }
        self.tree.take.next = self.lasts[self._lasts - 2].q.val();
        self.result_valid.next = self.lasts[self._lasts].q.val();
        self.result.next = self.tree.result.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let module = format!("ccs_unit_{}x{}", self._lanes, self._bits);
        describe(
            module,
            "Compute unit of a cache compute system: lanes, masks, reduction tree.",
            constants![TREE; self._lanes, self._steps, self._firsts, self._lasts],
        )
    }
}

/// The netlist of a compute unit.
///
/// # Errors
/// [`Error::Parameter`](crate::error::Error::Parameter) if the geometry breaks a rule; [`Error::Netlist`](crate::error::Error::Netlist) if a block does.
pub fn ccs_unit(geometry: &CcsGeometry) -> Result<Netlist> {
    geometry.check()?;
    let mut top = CcsUnit::new(geometry);
    top.connect_all();
    elaborate(&top)
}
