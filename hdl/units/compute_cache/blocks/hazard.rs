//! Whether two instructions touch the same blocks, so that the later one must wait. Combinational.
//!
//! What counts of the earlier one is what it has not yet handed to the banks: a bank executes in the order in which it
//! is given commands. Two ranges overlap if either begins inside the other.

use crate::compute_cache::blocks::types::{BlockCount, BlockNumber};
use crate::kernel::prelude::*;

hdl_block! {
    pub CcHazard {
        In writes: Bit; /// The later instruction writes operand d.
        In a, b: BlockNumber; /// First block of its operand a. First block of its operand b, or its key.
        In d: BlockNumber; /// First block of its operand d.
        In blocks: BlockCount; /// Its blocks.
        In busy, other_writes: Bit; /// An earlier one is under way. It writes operand d.
        In other_a, other_b: BlockNumber; /// Next block of its operand a. Next block of its operand b, or its key.
        In other_read: BlockCount; /// Blocks that it has to read.
        In other_d: BlockNumber; /// Next block of its operand d.
        In other_write: BlockCount; /// Blocks that it has to write.
        Out wait: Bit; /// The later one must wait.
    } inside {
        Local mine, reads, write: BlockNumber;
        Local d_on_a, d_on_b, d_on_d, a_on_d, b_on_d: Bit;
    }
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
