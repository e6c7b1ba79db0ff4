//! Between table and paths: one instruction, checked, that waits for its path and for blocks that an earlier one still touches.
//!
//! ```text
//!  table ─▶ check ─▶ register ─┬─▶ refused: back to the table
//!                              ├─▶ in-place path ─┐ each waits for the other's
//!                              └─▶ near-place path┘ instruction where blocks collide
//! ```
//!
//! Instructions leave in order; those behind one that waits, wait too. On one path they follow each other without a gap. A search
//! starts with `start_unkeyed` = 1 unless the key rows hold the block at its key's address: that is remembered from one search to
//! the next, until something writes that block.

use super::block_logic::GRAIN_BITS;
use super::check::CcCheck;
use super::hazard::CcHazard;
use super::types::{BlockCount, BlockNumber, RowOp, Slot};
use crate::cache::CacheGeometry;
use crate::kernel::prelude::*;

/// The stage.
#[derive(LogicBlock, Default)]
pub struct CcDispatch {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// An instruction is offered.
    pub next_valid: Signal<In, Bit>,
    /// It is taken.
    pub next_take: Signal<Out, Bit>,
    /// Its place in the table.
    pub next_slot: Signal<In, Slot>,
    /// Opcode.
    pub next_op: Signal<In, RowOp>,
    /// Granularity.
    pub next_grain: Signal<In, Bits<GRAIN_BITS>>,
    /// Address of operand a.
    pub next_a: Signal<In, Bits<32>>,
    /// Address of operand b, or of the key.
    pub next_b: Signal<In, Bits<32>>,
    /// Address of operand d.
    pub next_d: Signal<In, Bits<32>>,
    /// Bytes.
    pub next_size: Signal<In, Bits<32>>,
    /// The instruction held is refused.
    pub refuse: Signal<Out, Bit>,
    /// Why.
    pub refuse_code: Signal<Out, Bits<3>>,
    /// What that is about.
    pub refuse_address: Signal<Out, Bits<32>>,
    /// It starts on the in-place path.
    pub wave_start: Signal<Out, Bit>,
    /// It starts on the near-place path.
    pub near_start: Signal<Out, Bit>,
    /// Its place in the table.
    pub start_slot: Signal<Out, Slot>,
    /// What it does.
    pub start_op: Signal<Out, RowOp>,
    /// Granularity.
    pub start_grain: Signal<Out, Bits<GRAIN_BITS>>,
    /// It reads operand b.
    pub start_two: Signal<Out, Bit>,
    /// It writes operand d.
    pub start_write: Signal<Out, Bit>,
    /// It gives bits of the mask.
    pub start_gives: Signal<Out, Bit>,
    /// Its key is not in the key rows.
    pub start_unkeyed: Signal<Out, Bit>,
    /// First block of operand a.
    pub start_a: Signal<Out, BlockNumber>,
    /// First block of operand b, or the key.
    pub start_b: Signal<Out, BlockNumber>,
    /// First block of operand d.
    pub start_d: Signal<Out, BlockNumber>,
    /// Blocks.
    pub start_blocks: Signal<Out, BlockCount>,
    /// The in-place path takes an instruction.
    pub wave_ready: Signal<In, Bit>,
    /// Its instruction is under way.
    pub wave_busy: Signal<In, Bit>,
    /// Which writes operand d.
    pub wave_writes: Signal<In, Bit>,
    /// Next block of its operand a.
    pub wave_a: Signal<In, BlockNumber>,
    /// Next block of its operand b, or its key.
    pub wave_b: Signal<In, BlockNumber>,
    /// Next block of its operand d.
    pub wave_d: Signal<In, BlockNumber>,
    /// Blocks that it has to hand out.
    pub wave_blocks: Signal<In, BlockCount>,
    /// All key rows hold its key.
    pub key_written: Signal<In, Bit>,
    /// The near-place path takes an instruction.
    pub near_ready: Signal<In, Bit>,
    /// Its instruction is under way.
    pub near_busy: Signal<In, Bit>,
    /// Which writes operand d.
    pub near_writes: Signal<In, Bit>,
    /// Next block of its operand a.
    pub near_a: Signal<In, BlockNumber>,
    /// Next block of its operand b.
    pub near_b: Signal<In, BlockNumber>,
    /// Blocks that it has to read.
    pub near_read: Signal<In, BlockCount>,
    /// Next block of its operand d.
    pub near_d: Signal<In, BlockNumber>,
    /// Blocks that it has to write.
    pub near_blocks: Signal<In, BlockCount>,
    /// A word is written.
    pub word_write: Signal<In, Bit>,
    /// In this block.
    pub word_block: Signal<In, BlockNumber>,
    /// An instruction is held.
    pub held: Register<Bit>,
    /// Its place in the table.
    pub slot: Pipe<Slot>,
    /// What it does.
    pub op: Pipe<RowOp>,
    /// Granularity.
    pub grain: Pipe<Bits<GRAIN_BITS>>,
    /// Error code; 0 if it is legal.
    pub code: Pipe<Bits<3>>,
    /// What the code is about.
    pub address: Pipe<Bits<32>>,
    /// First block of operand a.
    pub a: Pipe<BlockNumber>,
    /// First block of operand b, or the key.
    pub b: Pipe<BlockNumber>,
    /// First block of operand d.
    pub d: Pipe<BlockNumber>,
    /// Blocks.
    pub blocks: Pipe<BlockCount>,
    /// It reads operand b.
    pub two: Pipe<Bit>,
    /// It searches for a key.
    pub keyed: Pipe<Bit>,
    /// It writes operand d.
    pub write: Pipe<Bit>,
    /// It gives bits of the mask.
    pub gives: Pipe<Bit>,
    /// It takes the near-place path.
    pub is_near: Pipe<Bit>,
    /// The key rows hold the block below.
    pub key_valid: Register<Bit>,
    /// The key's block.
    pub key_block: Pipe<BlockNumber>,
    /// Rules.
    pub check: CcCheck,
    /// Against the in-place path.
    pub wave_hazard: CcHazard,
    /// Against the near-place path.
    pub near_hazard: CcHazard,
    legal: Signal<Local, Bit>,
    to_wave: Signal<Local, Bit>,
    to_near: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
}

impl CcDispatch {
    /// The stage of this geometry.
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
        self.check.op.next = self.next_op.val();
        self.check.grain.next = self.next_grain.val();
        self.check.a.next = self.next_a.val();
        self.check.b.next = self.next_b.val();
        self.check.d.next = self.next_d.val();
        self.check.size.next = self.next_size.val();
        self.takes.next = self.next_valid.val() & (!self.held.q.val() | self.leaves.val());
        self.next_take.next = self.takes.val();
        if self.leaves.val() {
            self.held.d.next = false;
        }
        if self.takes.val() {
            self.held.d.next = true;
            self.slot.d.next = self.next_slot.val();
            self.op.d.next = self.next_op.val();
            self.grain.d.next = self.next_grain.val();
            self.code.d.next = self.check.code.val();
            self.address.d.next = self.check.address.val();
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
        self.refused.next = self.held.q.val() & !self.legal.val();
        self.to_wave.next = self.held.q.val()
            & self.legal.val()
            & !self.is_near.q.val()
            & self.wave_ready.val()
            & !self.near_hazard.wait.val();
        self.to_near.next = self.held.q.val()
            & self.legal.val()
            & self.is_near.q.val()
            & self.near_ready.val()
            & !self.wave_hazard.wait.val();
        self.leaves.next = self.refused.val() | self.to_wave.val() | self.to_near.val();
        self.refuse.next = self.refused.val();
        self.refuse_code.next = self.code.q.val();
        self.refuse_address.next = self.address.q.val();
        self.wave_start.next = self.to_wave.val();
        self.near_start.next = self.to_near.val();
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
        if self.to_wave.val() & self.keyed.q.val() & (self.key_block.q.val() != self.b.q.val()) {
            self.key_valid.d.next = false;
            self.key_block.d.next = self.b.q.val();
        }
        if (self.to_wave.val() | self.to_near.val())
            & self.write.q.val()
            & ((self.key_block.q.val() - self.d.q.val()) < bit_cast::<19, 12>(self.blocks.q.val()))
        {
            self.key_valid.d.next = false;
        }
        if self.word_write.val() & (self.key_block.q.val() == self.word_block.val()) {
            self.key_valid.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("cc_dispatch", "One checked instruction that waits for its path.", constants![])
    }
}
