//! The near-place path: a logic unit beside the array, for operands that do not share bitlines.
//!
//! ```text
//!  read a ─▶ interconnect ─▶ register ┐
//!  read b ─▶ interconnect ────────────┴─▶ logic ─▶ interconnect ─▶ write d
//!                                           └────▶ bits of the mask
//! ```
//!
//! A block is read in the cycle after its request was granted and arrives in the cycle after that. Reads go on while earlier blocks
//! are on their way; a write asks for the interconnect in the cycle in which its block's last source arrives, before all other
//! requests, and is never refused. So the interconnect has no idle cycle: two cycles a block for copy, NOT, compare and multiply, three
//! for AND, OR and XOR.

use super::block_logic::{CcLogic, GRAIN_BITS};
use super::types::{BlockCount, BlockNumber, RowOp, Slot};
use crate::kernel::prelude::*;

/// The path.
#[derive(LogicBlock, Default)]
pub struct CcNear<W: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// An instruction starts; only while `ready`.
    pub start: Signal<In, Bit>,
    /// What it does.
    pub start_op: Signal<In, RowOp>,
    /// Granularity.
    pub start_grain: Signal<In, Bits<GRAIN_BITS>>,
    /// It reads operand b.
    pub start_two: Signal<In, Bit>,
    /// It writes operand d; else it gives bits of the mask.
    pub start_write: Signal<In, Bit>,
    /// Its place in the table.
    pub start_slot: Signal<In, Slot>,
    /// First block of operand a.
    pub start_a: Signal<In, BlockNumber>,
    /// First block of operand b.
    pub start_b: Signal<In, BlockNumber>,
    /// First block of operand d.
    pub start_d: Signal<In, BlockNumber>,
    /// Blocks.
    pub start_blocks: Signal<In, BlockCount>,
    /// An instruction may start.
    pub ready: Signal<Out, Bit>,
    /// A block is to be read.
    pub read_request: Signal<Out, Bit>,
    /// Which.
    pub read_block: Signal<Out, BlockNumber>,
    /// It completes its block operation's sources.
    pub read_last: Signal<Out, Bit>,
    /// It is being read.
    pub read_granted: Signal<In, Bit>,
    /// A first source arrives.
    pub first_arrives: Signal<In, Bit>,
    /// A block operation's last source arrives.
    pub last_arrives: Signal<In, Bit>,
    /// What arrives.
    pub arrived: Signal<In, W>,
    /// A block is written.
    pub write_request: Signal<Out, Bit>,
    /// Which.
    pub write_block: Signal<Out, BlockNumber>,
    /// What.
    pub write_data: Signal<Out, W>,
    /// Next block to read, operand a.
    pub block_a: Signal<Out, BlockNumber>,
    /// The same, operand b.
    pub block_b: Signal<Out, BlockNumber>,
    /// Blocks to read.
    pub blocks_read: Signal<Out, BlockCount>,
    /// Next block to write.
    pub block_d: Signal<Out, BlockNumber>,
    /// Blocks to write.
    pub blocks: Signal<Out, BlockCount>,
    /// What the instruction does.
    pub operation: Signal<Out, RowOp>,
    /// Its granularity.
    pub granularity: Signal<Out, Bits<GRAIN_BITS>>,
    /// An instruction is under way.
    pub busy: Signal<Out, Bit>,
    /// It writes.
    pub writes: Signal<Out, Bit>,
    /// A block operation is done.
    pub retire: Signal<Out, Bit>,
    /// Whose.
    pub retire_slot: Signal<Out, Slot>,
    /// Its bits of the mask.
    pub retire_mask: Signal<Out, Word<64, 1>>,
    /// An instruction is under way.
    pub active: Register<Bit>,
    /// What it does.
    pub op: Pipe<RowOp>,
    /// Granularity.
    pub grain: Pipe<Bits<GRAIN_BITS>>,
    /// It reads operand b.
    pub two: Pipe<Bit>,
    /// It writes.
    pub write: Pipe<Bit>,
    /// Its place in the table.
    pub slot: Pipe<Slot>,
    /// Next block to read, operand a.
    pub a: Pipe<BlockNumber>,
    /// The same, operand b.
    pub b: Pipe<BlockNumber>,
    /// Operand a is read; b comes next.
    pub second: Register<Bit>,
    /// Blocks to read.
    pub unread: Register<BlockCount>,
    /// Next block to write.
    pub d: Pipe<BlockNumber>,
    /// Blocks to write.
    pub left: Pipe<BlockCount>,
    /// First bit of the mask for the next block, in blocks.
    pub index: Pipe<Bits<6>>,
    /// First source.
    pub held: Pipe<W>,
    /// What is made of the sources.
    pub logic: CcLogic<W>,
    /// Bits of the mask for a block, as a power of two.
    pub scale: Signal<In, Bits<2>>,
    last_read: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    zero: Signal<Local, W>,
}

impl<W: RowWord> CcNear<W> {
    /// The path.
    pub fn new() -> Self {
        CcNear { logic: CcLogic::new(), ..Self::default() }
    }
}

impl<W: RowWord> Logic for CcNear<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, op, grain, two, write, slot, a, b, second, unread, d, left, index, held);
        // Reads.
        self.read_request.next = self.unread.q.val().any();
        self.read_block.next = self.a.q.val();
        if self.second.q.val() {
            self.read_block.next = self.b.q.val();
        }
        self.last_read.next = self.second.q.val() | !self.two.q.val();
        self.read_last.next = self.last_read.val();
        if self.read_granted.val() {
            self.second.d.next = !self.last_read.val();
            if self.last_read.val() {
                self.a.d.next = self.a.q.val() + 1;
                self.b.d.next = self.b.q.val() + 1;
                self.unread.d.next = self.unread.q.val() - 1;
            }
        }
        // Logic.
        if self.first_arrives.val() {
            self.held.d.next = self.arrived.val();
        }
        self.zero.next = 0.into();
        self.logic.op.next = self.op.q.val();
        self.logic.grain.next = self.grain.q.val();
        self.logic.a.next = self.arrived.val();
        if self.two.q.val() {
            self.logic.a.next = self.held.q.val();
        }
        self.logic.b.next = self.arrived.val();
        self.logic.data.next = self.zero.val();
        self.logic.mask.next = self.zero.val();
        // Writes and results.
        self.write_request.next = self.last_arrives.val() & self.write.q.val();
        self.write_block.next = self.d.q.val();
        self.write_data.next = self.logic.value.val();
        self.retire.next = self.last_arrives.val();
        self.retire_slot.next = self.slot.q.val();
        self.retire_mask.next = 0.into();
        if !self.write.q.val() {
            self.retire_mask.next =
                bits_to::<Word<64, 1>, Bits<8>>(self.logic.results.val()) << (self.index.q.val() << self.scale.val());
        }
        if self.last_arrives.val() {
            self.d.d.next = self.d.q.val() + 1;
            self.left.d.next = self.left.q.val() - 1;
            self.index.d.next = self.index.q.val() + 1;
        }
        self.last.next = self.last_arrives.val() & (self.left.q.val() == 1);
        if self.last.val() {
            self.active.d.next = false;
        }
        // Start.
        self.ready.next = !self.active.q.val() | self.last.val();
        if self.start.val() {
            self.active.d.next = true;
            self.op.d.next = self.start_op.val();
            self.grain.d.next = self.start_grain.val();
            self.two.d.next = self.start_two.val();
            self.write.d.next = self.start_write.val();
            self.slot.d.next = self.start_slot.val();
            self.a.d.next = self.start_a.val();
            self.b.d.next = self.start_b.val();
            self.d.d.next = self.start_d.val();
            self.unread.d.next = self.start_blocks.val();
            self.left.d.next = self.start_blocks.val();
            self.index.d.next = 0.into();
        }
        self.operation.next = self.op.q.val();
        self.granularity.next = self.grain.q.val();
        self.block_a.next = self.a.q.val();
        self.block_b.next = self.b.q.val();
        self.blocks_read.next = self.unread.q.val();
        self.block_d.next = self.d.q.val();
        self.blocks.next = self.left.q.val();
        self.busy.next = self.active.q.val();
        self.writes.next = self.write.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("cc_near", "The near-place path: reads, logic unit, write over the interconnect.", constants![])
    }
}
