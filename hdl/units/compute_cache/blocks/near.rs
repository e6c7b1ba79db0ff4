//! The near-place path: a logic unit beside the array, for operands that do not share bitlines.
//!
//! ```text
//!  read a ─▶ interconnect ─▶ register ┐
//!  read b ─▶ interconnect ────────────┴─▶ logic ─▶ interconnect ─▶ write d
//!                                           └────▶ bits of the mask
//! ```
//!
//! A block is read in the cycle after its request was granted and arrives in the cycle after that. Reads go on while
//! earlier blocks are on their way; a write asks for the interconnect in the cycle in which its block's last source
//! arrives, before all other requests, and is never refused. So the interconnect has no idle cycle: two cycles a block
//! for copy, NOT, compare and multiply, three for AND, OR and XOR.

use crate::compute_cache::blocks::bundles::{ArrivalSink, NearDoneSource};
use crate::compute_cache::blocks::types::{BlockCount, BlockNumber, RowOp, Slot};
use crate::kernel::prelude::*;
use crate::parts::cache_ops::{CcLogic, GRAIN_BITS};

#[derive(LogicBlock, Default)]
pub struct CcNear<W: RowWord> {
    pub clock: Signal<In, Domain>,
    pub start: Signal<In, Bit>,      // An instruction starts; only while `ready`.
    pub start_op: Signal<In, RowOp>, // What it does.
    pub start_grain: Signal<In, Bits<GRAIN_BITS>>, // Granularity.
    pub start_two: Signal<In, Bit>,  // It reads operand b.
    pub start_write: Signal<In, Bit>, // It writes operand d; else it gives bits of the mask.
    pub start_slot: Signal<In, Slot>, // Its place in the table.
    pub start_a: Signal<In, BlockNumber>, // First block of operand a.
    pub start_b: Signal<In, BlockNumber>, // First block of operand b.
    pub start_d: Signal<In, BlockNumber>, // First block of operand d.
    pub start_blocks: Signal<In, BlockCount>, // Blocks.
    pub ready: Signal<Out, Bit>,     // An instruction may start.
    pub read_request: Signal<Out, Bit>, // A block is to be read.
    pub read_block: Signal<Out, BlockNumber>, // Which.
    pub read_last: Signal<Out, Bit>, // It completes its block operation's sources.
    pub read_granted: Signal<In, Bit>, // It is being read.
    pub arrival_: ArrivalSink<W>,
    pub write_request: Signal<Out, Bit>,            // A block is written.
    pub write_block: Signal<Out, BlockNumber>,      // Which.
    pub write_data: Signal<Out, W>,                 // What.
    pub block_a: Signal<Out, BlockNumber>,          // Next block to read, operand a.
    pub block_b: Signal<Out, BlockNumber>,          // The same, operand b.
    pub blocks_read: Signal<Out, BlockCount>,       // Blocks to read.
    pub block_d: Signal<Out, BlockNumber>,          // Next block to write.
    pub blocks: Signal<Out, BlockCount>,            // Blocks to write.
    pub operation: Signal<Out, RowOp>,              // What the instruction does.
    pub granularity: Signal<Out, Bits<GRAIN_BITS>>, // Its granularity.
    pub busy: Signal<Out, Bit>,                     // An instruction is under way.
    pub writes: Signal<Out, Bit>,                   // It writes.
    pub retire: NearDoneSource,
    active: Register<Bit>,          // An instruction is under way.
    op: Pipe<RowOp>,                // What it does.
    grain: Pipe<Bits<GRAIN_BITS>>,  // Granularity.
    two: Pipe<Bit>,                 // It reads operand b.
    write: Pipe<Bit>,               // It writes.
    slot: Pipe<Slot>,               // Its place in the table.
    a: Pipe<BlockNumber>,           // Next block to read, operand a.
    b: Pipe<BlockNumber>,           // The same, operand b.
    second: Register<Bit>,          // Operand a is read; b comes next.
    unread: Register<BlockCount>,   // Blocks to read.
    d: Pipe<BlockNumber>,           // Next block to write.
    left: Pipe<BlockCount>,         // Blocks to write.
    index: Pipe<Bits<6>>,           // First bit of the mask for the next block, in blocks.
    held: Pipe<W>,                  // First source.
    logic: CcLogic<W>,              // What is made of the sources.
    pub scale: Signal<In, Bits<2>>, // Bits of the mask for a block, as a power of two.
    last: Signal<Local, Bit>,
}

impl<W: RowWord> CcNear<W> {
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
        self.read_last.next = self.second.q.val() | !self.two.q.val();
        if self.read_granted.val() {
            self.second.d.next = !self.read_last.val();
            if self.read_last.val() {
                self.a.d.next = self.a.q.val() + 1;
                self.b.d.next = self.b.q.val() + 1;
                self.unread.d.next = self.unread.q.val() - 1;
            }
        }
        // Logic.
        if self.arrival_.first_arrives.val() {
            self.held.d.next = self.arrival_.arrived.val();
        }
        self.logic.op.next = self.op.q.val();
        self.logic.grain.next = self.grain.q.val();
        self.logic.a.next = self.arrival_.arrived.val();
        if self.two.q.val() {
            self.logic.a.next = self.held.q.val();
        }
        self.logic.b.next = self.arrival_.arrived.val();
        self.logic.masked_.data.next = 0.into();
        self.logic.masked_.mask.next = 0.into();
        // Writes and results.
        self.write_request.next = self.arrival_.last_arrives.val() & self.write.q.val();
        self.write_block.next = self.d.q.val();
        self.write_data.next = self.logic.value.val();
        self.retire.retire.next = self.arrival_.last_arrives.val();
        self.retire.slot.next = self.slot.q.val();
        self.retire.mask.next = 0.into();
        if !self.write.q.val() {
            self.retire.mask.next =
                bits_to::<Word<64, 1>, Bits<8>>(self.logic.results.val()) << (self.index.q.val() << self.scale.val());
        }
        if self.arrival_.last_arrives.val() {
            self.d.d.next = self.d.q.val() + 1;
            self.left.d.next = self.left.q.val() - 1;
            self.index.d.next = self.index.q.val() + 1;
        }
        self.last.next = self.arrival_.last_arrives.val() & (self.left.q.val() == 1);
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

    described!("cc_near", "The near-place path: reads, logic unit, write over the interconnect.");
}
