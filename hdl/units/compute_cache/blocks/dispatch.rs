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
use crate::compute_cache::blocks::block_logic::GRAIN_BITS;
use crate::compute_cache::blocks::bundles::{NextSink, RefusalSource, WorkSink};
use crate::compute_cache::blocks::check::CcCheck;
use crate::compute_cache::blocks::hazard::CcHazard;
use crate::compute_cache::blocks::types::{BlockCount, BlockNumber, RowOp, Slot};
use crate::kernel::prelude::*;

#[derive(LogicBlock, Default)]
pub struct CcDispatch {
    pub clock: Signal<In, Domain>,
    pub offer_: NextSink,
    pub refuse: RefusalSource,
    pub wave_start: Signal<Out, Bit>,               // It starts on the in-place path.
    pub near_start: Signal<Out, Bit>,               // It starts on the near-place path.
    pub start_slot: Signal<Out, Slot>,              // Its place in the table.
    pub start_op: Signal<Out, RowOp>,               // What it does.
    pub start_grain: Signal<Out, Bits<GRAIN_BITS>>, // Granularity.
    pub start_two: Signal<Out, Bit>,                // It reads operand b.
    pub start_write: Signal<Out, Bit>,              // It writes operand d.
    pub start_gives: Signal<Out, Bit>,              // It gives bits of the mask.
    pub start_unkeyed: Signal<Out, Bit>,            // Its key is not in the key rows.
    pub start_a: Signal<Out, BlockNumber>,          // First block of operand a.
    pub start_b: Signal<Out, BlockNumber>,          // First block of operand b, or the key.
    pub start_d: Signal<Out, BlockNumber>,          // First block of operand d.
    pub start_blocks: Signal<Out, BlockCount>,      // Blocks.
    pub wave_ready: Signal<In, Bit>,                // The in-place path takes an instruction.
    pub wave_busy: Signal<In, Bit>,                 // Its instruction is under way.
    pub wave_writes: Signal<In, Bit>,               // Which writes operand d.
    pub wave_a: Signal<In, BlockNumber>,            // Next block of its operand a.
    pub wave_b: Signal<In, BlockNumber>,            // Next block of its operand b, or its key.
    pub wave_d: Signal<In, BlockNumber>,            // Next block of its operand d.
    pub wave_blocks: Signal<In, BlockCount>,        // Blocks that it has to hand out.
    pub key_written: Signal<In, Bit>,               // All key rows hold its key.
    pub near_ready: Signal<In, Bit>,                // The near-place path takes an instruction.
    pub near_busy: Signal<In, Bit>,                 // Its instruction is under way.
    pub near_writes: Signal<In, Bit>,               // Which writes operand d.
    pub near_a: Signal<In, BlockNumber>,            // Next block of its operand a.
    pub near_b: Signal<In, BlockNumber>,            // Next block of its operand b.
    pub near_read: Signal<In, BlockCount>,          // Blocks that it has to read.
    pub near_d: Signal<In, BlockNumber>,            // Next block of its operand d.
    pub near_blocks: Signal<In, BlockCount>,        // Blocks that it has to write.
    pub word_write: Signal<In, Bit>,                // A word is written.
    pub word_block: Signal<In, BlockNumber>,        // In this block.
    held: Register<Bit>,                            // An instruction is held.
    slot: Pipe<Slot>,                               // Its place in the table.
    op: Pipe<RowOp>,                                // What it does.
    grain: Pipe<Bits<GRAIN_BITS>>,                  // Granularity.
    code: Pipe<Bits<3>>,                            // Error code; 0 if it is legal.
    address: Pipe<Bits<32>>,                        // What the code is about.
    a: Pipe<BlockNumber>,                           // First block of operand a.
    b: Pipe<BlockNumber>,                           // First block of operand b, or the key.
    d: Pipe<BlockNumber>,                           // First block of operand d.
    blocks: Pipe<BlockCount>,                       // Blocks.
    two: Pipe<Bit>,                                 // It reads operand b.
    keyed: Pipe<Bit>,                               // It searches for a key.
    write: Pipe<Bit>,                               // It writes operand d.
    gives: Pipe<Bit>,                               // It gives bits of the mask.
    is_near: Pipe<Bit>,                             // It takes the near-place path.
    key_valid: Register<Bit>,                       // The key rows hold the block below.
    key_block: Pipe<BlockNumber>,                   // The key's block.
    check: CcCheck,                                 // Rules.
    wave_hazard: CcHazard,                          // Against the in-place path.
    near_hazard: CcHazard,                          // Against the near-place path.
    legal: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
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
