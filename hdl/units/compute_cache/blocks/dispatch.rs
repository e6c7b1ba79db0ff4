//! Between table and paths: one instruction, checked, that waits for its path and for blocks that an earlier one still
//! touches.
//!
//! ```text
//!  table ─▶ check ─▶ register ─┬─▶ refused: back to the table
//!                              ├─▶ in-place path ─┐ each waits for the other's
//!                              └─▶ near-place path┘ instruction where blocks collide
//! ```
//!
//! Instructions leave in order; those behind one that waits, wait too. On one path they follow each other without a
//! gap. A search starts with `start_unkeyed` = 1 unless the key rows hold the block at its key's address: that is
//! remembered from one search to the next, until something writes that block.

use crate::compute_cache::CacheGeometry;
use crate::compute_cache::blocks::bundles::{NextSink, RefusalSource, WorkSink};
use crate::compute_cache::blocks::check::CcCheck;
use crate::compute_cache::blocks::hazard::CcHazard;
use crate::compute_cache::blocks::types::{BlockCount, BlockNumber, RowOp, Slot};
use crate::kernel::prelude::*;
use crate::parts::cache_ops::GRAIN_BITS;

hdl_block! {
    pub CcDispatch {
        In clock: Domain; /// Clock and reset.
        Bus offer_: NextSink; /// An instruction on its way from the table to the check.
        Bus refuse: RefusalSource; /// A refusal.
        Out wave_start, near_start: Bit; /// It starts on the in-place path. It starts on the near-place path.
        Out start_slot: Slot; /// Its place in the table.
        Out start_op: RowOp; /// What it does.
        Out start_grain: Bits<GRAIN_BITS>; /// Granularity.
        Out start_two, start_write: Bit; /// It reads operand b. It writes operand d.
        Out start_gives, start_unkeyed: Bit; /// It gives bits of the mask. Its key is not in the key rows.
        Out start_a, start_b: BlockNumber; /// First block of operand a. First block of operand b, or the key.
        Out start_d: BlockNumber; /// First block of operand d.
        Out start_blocks: BlockCount; /// Blocks.
        In wave_ready, wave_busy: Bit; /// The in-place path takes an instruction. Its instruction is under way.
        In wave_writes: Bit; /// Which writes operand d.
        In wave_a, wave_b: BlockNumber; /// Next block of its operand a. Next block of its operand b, or its key.
        In wave_d: BlockNumber; /// Next block of its operand d.
        In wave_blocks: BlockCount; /// Blocks that it has to hand out.
        In key_written, near_ready: Bit; /// All key rows hold its key. The near-place path takes an instruction.
        In near_busy, near_writes: Bit; /// Its instruction is under way. Which writes operand d.
        In near_a, near_b: BlockNumber; /// Next block of its operand a. Next block of its operand b.
        In near_read: BlockCount; /// Blocks that it has to read.
        In near_d: BlockNumber; /// Next block of its operand d.
        In near_blocks: BlockCount; /// Blocks that it has to write.
        In word_write: Bit; /// A word is written.
        In word_block: BlockNumber; /// In this block.
    } inside {
        Register held: Bit; // An instruction is held.
        Pipe slot: Slot; // Its place in the table.
        Pipe op: RowOp; // What it does.
        Pipe grain: Bits<GRAIN_BITS>; // Granularity.
        Pipe code: Bits<3>; // Error code; 0 if it is legal.
        Pipe address: Bits<32>; // What the code is about.
        Pipe a, b: BlockNumber; // First block of operand a. First block of operand b, or the key.
        Pipe d: BlockNumber; // First block of operand d.
        Pipe blocks: BlockCount; // Blocks.
        Pipe two, keyed, write: Bit; // It reads operand b. It searches for a key. It writes operand d.
        Pipe gives, is_near: Bit; // It gives bits of the mask. It takes the near-place path.
        Register key_valid: Bit; // The key rows hold the block below.
        Pipe key_block: BlockNumber; // The key's block.
        Child check: CcCheck; // Rules.
        Child wave_hazard, near_hazard: CcHazard; // Against the in-place path. Against the near-place path.
        Local legal, leaves: Bit;
    }
}

impl CcDispatch {
    pub fn new(geometry: &CacheGeometry) -> Self {
        CcDispatch { check: CcCheck::new(geometry), ..Self::default() }
    }
}

impl Logic for CcDispatch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, slot, op, grain, code, address, a, b, d, blocks);
        dff_setup!(self, clock, two, keyed, write, gives, is_near, key_valid, key_block);
        // Check.
        WorkSink::link(&mut self.offer_.next, &mut self.check.work_);
        self.offer_.next_take.next = self.offer_.next_valid.val() & (!self.held.q.val() | self.leaves.val());
        if self.leaves.val() {
            self.held.d.next = false;
        }
        if self.offer_.next_take.val() {
            self.held.d.next = true;
            self.slot.d.next = self.offer_.next_slot.val();
            self.op.d.next = self.offer_.next.op.val();
            self.grain.d.next = self.offer_.next.grain.val();
            self.code.d.next = self.check.verdict_.code.val();
            self.address.d.next = self.check.verdict_.address.val();
            self.a.d.next = self.check.block_a.val();
            self.b.d.next = self.check.block_b.val();
            self.d.d.next = self.check.block_d.val();
            self.blocks.d.next = self.check.blocks.val();
            self.two.d.next = self.check.two.val();
            self.keyed.d.next = self.check.keyed.val();
            self.write.d.next = self.check.write.val();
            self.gives.d.next = self.check.gives.val();
            self.is_near.d.next = self.check.near.val();
        }
        // Hazards.
        self.wave_hazard.writes.next = self.write.q.val();
        self.wave_hazard.a.next = self.a.q.val();
        self.wave_hazard.b.next = self.b.q.val();
        self.wave_hazard.d.next = self.d.q.val();
        self.wave_hazard.blocks.next = self.blocks.q.val();
        self.wave_hazard.busy.next = self.wave_busy.val();
        self.wave_hazard.other_writes.next = self.wave_writes.val();
        self.wave_hazard.other_a.next = self.wave_a.val();
        self.wave_hazard.other_b.next = self.wave_b.val();
        self.wave_hazard.other_read.next = self.wave_blocks.val();
        self.wave_hazard.other_d.next = self.wave_d.val();
        self.wave_hazard.other_write.next = self.wave_blocks.val();
        self.near_hazard.writes.next = self.write.q.val();
        self.near_hazard.a.next = self.a.q.val();
        self.near_hazard.b.next = self.b.q.val();
        self.near_hazard.d.next = self.d.q.val();
        self.near_hazard.blocks.next = self.blocks.q.val();
        self.near_hazard.busy.next = self.near_busy.val();
        self.near_hazard.other_writes.next = self.near_writes.val();
        self.near_hazard.other_a.next = self.near_a.val();
        self.near_hazard.other_b.next = self.near_b.val();
        self.near_hazard.other_read.next = self.near_read.val();
        self.near_hazard.other_d.next = self.near_d.val();
        self.near_hazard.other_write.next = self.near_blocks.val();
        // Out.
        self.legal.next = self.code.q.val() == 0;
        self.refuse.refuse.next = self.held.q.val() & !self.legal.val();
        self.wave_start.next = self.held.q.val()
            & self.legal.val()
            & !self.is_near.q.val()
            & self.wave_ready.val()
            & !self.near_hazard.wait.val();
        self.near_start.next = self.held.q.val()
            & self.legal.val()
            & self.is_near.q.val()
            & self.near_ready.val()
            & !self.wave_hazard.wait.val();
        self.leaves.next = self.refuse.refuse.val() | self.wave_start.val() | self.near_start.val();
        self.refuse.verdict_.code.next = self.code.q.val();
        self.refuse.verdict_.address.next = self.address.q.val();
        self.start_slot.next = self.slot.q.val();
        self.start_op.next = self.op.q.val();
        self.start_grain.next = self.grain.q.val();
        self.start_two.next = self.two.q.val();
        self.start_write.next = self.write.q.val();
        self.start_gives.next = self.gives.q.val();
        self.start_a.next = self.a.q.val();
        self.start_b.next = self.b.q.val();
        self.start_d.next = self.d.q.val();
        self.start_blocks.next = self.blocks.q.val();
        // The key in the key rows.
        self.start_unkeyed.next =
            self.keyed.q.val() & !(self.key_valid.q.val() & (self.key_block.q.val() == self.b.q.val()));
        if self.key_written.val() {
            self.key_valid.d.next = true;
        }
        if self.wave_start.val() & self.keyed.q.val() & (self.key_block.q.val() != self.b.q.val()) {
            self.key_valid.d.next = false;
            self.key_block.d.next = self.b.q.val();
        }
        if (self.wave_start.val() | self.near_start.val())
            & self.write.q.val()
            & ((self.key_block.q.val() - self.d.q.val()) < bit_cast::<19, 12>(self.blocks.q.val()))
        {
            self.key_valid.d.next = false;
        }
        if self.word_write.val() & (self.key_block.q.val() == self.word_block.val()) {
            self.key_valid.d.next = false;
        }
    }

    described!("cc_dispatch", "One checked instruction that waits for its path.");
}
