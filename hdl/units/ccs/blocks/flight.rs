//! Counts what is in the compute unit: steps in the lanes, rows of a reduction in the lanes and in the tree.
//!
//! `flying` = 1 from the cycle of a step's `issue` to the one in which its results leave, which is `retire` for a map;
//! for a reduction's row, `result_valid` of it.

use crate::ccs::blocks::types::describes;
use crate::kernel::prelude::*;

hdl_block! {
    /// The block.
    pub CcsFlight {
        In clock: Domain; /// Clock and reset.
        In issue, ends: Bit; /// A step goes to the unit. A reduction's row ends with it.
        In retire, result_valid: Bit; /// A step leaves the lanes. A reduction's result leaves the tree.
        Out flying, stepping: Bit; /// Something is in the unit. A step is in the lanes.
        Out reducing: Bit; /// A reduction's row is in lanes or tree.
    } inside {
        Register steps: Bits<5>; // Steps in the lanes.
        Register reductions: Bits<6>; // Rows of a reduction in the lanes and in the tree.
        Local reduces: Bit;
    }
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
        self.stepping.next = self.issue.val() | self.steps.q.val().any();
        self.reducing.next = self.reductions.q.val().any();
        self.flying.next = self.issue.val() | self.steps.q.val().any() | self.reductions.q.val().any();
    }

    describes!("ccs_flight", "Counts what is in the compute unit.", []);
}
