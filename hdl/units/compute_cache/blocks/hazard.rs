//! Whether two instructions touch the same blocks, so that the later one must wait. Combinational.
//!
//! What counts of the earlier one is what it has not yet handed to the banks: a bank executes in the order in which it
//! is given commands. Two ranges overlap if either begins inside the other.

use crate::compute_cache::blocks::types::{BlockCount, BlockNumber};
use crate::kernel::prelude::*;

#[derive(LogicBlock, Default)]
pub struct CcHazard {
    pub writes: Signal<In, Bit>,             // The later instruction writes operand d.
    pub a: Signal<In, BlockNumber>,          // First block of its operand a.
    pub b: Signal<In, BlockNumber>,          // First block of its operand b, or its key.
    pub d: Signal<In, BlockNumber>,          // First block of its operand d.
    pub blocks: Signal<In, BlockCount>,      // Its blocks.
    pub busy: Signal<In, Bit>,               // An earlier one is under way.
    pub other_writes: Signal<In, Bit>,       // It writes operand d.
    pub other_a: Signal<In, BlockNumber>,    // Next block of its operand a.
    pub other_b: Signal<In, BlockNumber>,    // Next block of its operand b, or its key.
    pub other_read: Signal<In, BlockCount>,  // Blocks that it has to read.
    pub other_d: Signal<In, BlockNumber>,    // Next block of its operand d.
    pub other_write: Signal<In, BlockCount>, // Blocks that it has to write.
    pub wait: Signal<Out, Bit>,              // The later one must wait.
    mine: Signal<Local, BlockNumber>,
    reads: Signal<Local, BlockNumber>,
    write: Signal<Local, BlockNumber>,
    d_on_a: Signal<Local, Bit>,
    d_on_b: Signal<Local, Bit>,
    d_on_d: Signal<Local, Bit>,
    a_on_d: Signal<Local, Bit>,
    b_on_d: Signal<Local, Bit>,
}

impl Logic for CcHazard {
    #[hdl_gen]
    fn update(&mut self) {
        self.mine.next = bit_cast::<19, 12>(self.blocks.val());
        self.reads.next = bit_cast::<19, 12>(self.other_read.val());
        self.write.next = bit_cast::<19, 12>(self.other_write.val());
        self.d_on_a.next = ((self.d.val() - self.other_a.val()) < self.reads.val())
            | ((self.other_a.val() - self.d.val()) < self.mine.val());
        self.d_on_b.next = ((self.d.val() - self.other_b.val()) < self.reads.val())
            | ((self.other_b.val() - self.d.val()) < self.mine.val());
        self.d_on_d.next = ((self.d.val() - self.other_d.val()) < self.write.val())
            | ((self.other_d.val() - self.d.val()) < self.mine.val());
        self.a_on_d.next = ((self.a.val() - self.other_d.val()) < self.write.val())
            | ((self.other_d.val() - self.a.val()) < self.mine.val());
        self.b_on_d.next = ((self.b.val() - self.other_d.val()) < self.write.val())
            | ((self.other_d.val() - self.b.val()) < self.mine.val());
        self.wait.next = self.busy.val()
            & ((self.writes.val() & (self.d_on_a.val() | self.d_on_b.val() | self.d_on_d.val()))
                | (self.other_writes.val() & (self.a_on_d.val() | self.b_on_d.val())));
    }

    described!("cc_hazard", "Whether two instructions touch the same blocks.");
}
