//! Counts what is in the compute unit: steps in the lanes, rows of a reduction in the lanes and in the tree.
//!
//! `flying` = 1 from the cycle of a step's `issue` to the one in which its results leave, which is `retire` for a map;
//! for a reduction's row, `result_valid` of it.

use crate::ccs::blocks::types::describes;
use crate::kernel::prelude::*;

/// The block.
#[derive(LogicBlock, Default)]
pub struct CcsFlight {
    pub(super) clock: Signal<In, Domain>,
    pub(super) issue: Signal<In, Bit>,        // A step goes to the unit.
    pub(super) ends: Signal<In, Bit>,         // A reduction's row ends with it.
    pub(super) retire: Signal<In, Bit>,       // A step leaves the lanes.
    pub(super) result_valid: Signal<In, Bit>, // A reduction's result leaves the tree.
    pub(super) flying: Signal<Out, Bit>,      // Something is in the unit.
    steps: Register<Bits<5>>,                 // Steps in the lanes.
    reductions: Register<Bits<6>>,            // Rows of a reduction in the lanes and in the tree.
    reduces: Signal<Local, Bit>,
}

impl Logic for CcsFlight {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, steps, reductions);
        self.reduces.next = self.issue.val() & self.ends.val();
        if self.issue.val() & !self.retire.val() {
            self.steps.d.next = self.steps.q.val() + 1;
        }
        if self.retire.val() & !self.issue.val() {
            self.steps.d.next = self.steps.q.val() - 1;
        }
        if self.reduces.val() & !self.result_valid.val() {
            self.reductions.d.next = self.reductions.q.val() + 1;
        }
        if self.result_valid.val() & !self.reduces.val() {
            self.reductions.d.next = self.reductions.q.val() - 1;
        }
        self.flying.next = self.issue.val() | self.steps.q.val().any() | self.reductions.q.val().any();
    }

    describes!("ccs_flight", "Counts what is in the compute unit.", []);
}
