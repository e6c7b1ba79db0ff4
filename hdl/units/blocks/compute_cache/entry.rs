//! One place of the instruction table: an instruction from the cycle in which it came in until its result is taken.
//!
//! `waiting` = 1 until the check takes it. Block operations count down `left`; when none is left, or the instruction is refused, it is
//! `finished` from the next cycle on. `conflict` = 1 while a word access of the processor touches a block that the instruction may
//! still touch: a read, where it writes; a write, where it reads or writes. Before the check, operands are taken as they came.

use super::block_logic::GRAIN_BITS;
use super::types::{BlockCount, BlockNumber, RowOp};
use crate::cache::{CacheGeometry, CacheOp, control};
use crate::kernel::prelude::*;

/// Bits of a control word that say which operands there are, and their places among these.
const OPERANDS: usize = 4;
const A: usize = 0;
const B: usize = control::B - control::A;
const KEY: usize = control::KEY - control::A;
const D: usize = control::D - control::A;

/// The place.
#[derive(LogicBlock, Default)]
pub struct CcEntry {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// An instruction comes in.
    pub push: Signal<In, Bit>,
    /// Opcode.
    pub push_op: Signal<In, RowOp>,
    /// Granularity.
    pub push_grain: Signal<In, Bits<GRAIN_BITS>>,
    /// Address of operand a.
    pub push_a: Signal<In, Bits<32>>,
    /// Address of operand b, or of the key.
    pub push_b: Signal<In, Bits<32>>,
    /// Address of operand d.
    pub push_d: Signal<In, Bits<32>>,
    /// Bytes.
    pub push_size: Signal<In, Bits<32>>,
    /// Tag.
    pub push_tag: Signal<In, Bits<8>>,
    /// The check takes it.
    pub take: Signal<In, Bit>,
    /// It is refused.
    pub refuse: Signal<In, Bit>,
    /// Why.
    pub refuse_code: Signal<In, Bits<3>>,
    /// What that is about.
    pub refuse_address: Signal<In, Bits<32>>,
    /// Block operations are done.
    pub retire: Signal<In, Bit>,
    /// How many.
    pub retire_blocks: Signal<In, Bits<6>>,
    /// Their bits of the mask.
    pub retire_mask: Signal<In, Word<64, 1>>,
    /// The result is taken.
    pub pop: Signal<In, Bit>,
    /// Block of a word access.
    pub word_block: Signal<In, BlockNumber>,
    /// It writes.
    pub word_write: Signal<In, Bit>,
    /// It must wait.
    pub conflict: Signal<Out, Bit>,
    /// An instruction is here.
    pub is_valid: Signal<Out, Bit>,
    /// The check has not taken it.
    pub is_waiting: Signal<Out, Bit>,
    /// Its result is there.
    pub is_finished: Signal<Out, Bit>,
    /// Opcode.
    pub has_op: Signal<Out, RowOp>,
    /// Granularity.
    pub has_grain: Signal<Out, Bits<GRAIN_BITS>>,
    /// Address of operand a.
    pub has_a: Signal<Out, Bits<32>>,
    /// Address of operand b, or of the key.
    pub has_b: Signal<Out, Bits<32>>,
    /// Address of operand d.
    pub has_d: Signal<Out, Bits<32>>,
    /// Bytes.
    pub has_size: Signal<Out, Bits<32>>,
    /// Tag.
    pub has_tag: Signal<Out, Bits<8>>,
    /// Bits of the mask so far.
    pub has_mask: Signal<Out, Word<64, 1>>,
    /// Error code.
    pub has_code: Signal<Out, Bits<3>>,
    /// What it is about.
    pub has_fault: Signal<Out, Bits<32>>,
    /// An instruction is here.
    pub valid: Register<Bit>,
    /// The check has not taken it.
    pub waiting: Register<Bit>,
    /// Its result is there.
    pub finished: Register<Bit>,
    /// Opcode.
    pub op: Pipe<RowOp>,
    /// Granularity.
    pub grain: Pipe<Bits<GRAIN_BITS>>,
    /// Address of operand a.
    pub a: Pipe<Bits<32>>,
    /// Address of operand b, or of the key.
    pub b: Pipe<Bits<32>>,
    /// Address of operand d.
    pub d: Pipe<Bits<32>>,
    /// Bytes.
    pub size: Pipe<Bits<32>>,
    /// Tag.
    pub tag: Pipe<Bits<8>>,
    /// Blocks that are not done.
    pub left: Pipe<BlockCount>,
    /// Bits of the mask so far.
    pub mask: Pipe<Word<64, 1>>,
    /// Error code.
    pub code: Pipe<Bits<3>>,
    /// What it is about.
    pub fault: Pipe<Bits<32>>,
    /// Which operands each opcode has.
    pub opcodes: AsyncRom<Bits<OPERANDS>, RowOp>,
    control: Signal<Local, Bits<OPERANDS>>,
    blocks: Signal<Local, BlockNumber>,
    block_a: Signal<Local, BlockNumber>,
    block_b: Signal<Local, BlockNumber>,
    block_d: Signal<Local, BlockNumber>,
    in_a: Signal<Local, Bit>,
    in_b: Signal<Local, Bit>,
    in_d: Signal<Local, Bit>,
    _block_bits: u64,
}

impl CcEntry {
    /// For this geometry.
    pub fn new(geometry: &CacheGeometry) -> Self {
        let operands = |op: CacheOp| op.control() >> control::A & ((1 << OPERANDS) - 1);
        let table = (0..1 << RowOp::BITS).map(|code| CacheOp::from_code(code).map_or(0, operands).into());
        CcEntry {
            opcodes: AsyncRom::new(table.collect()),
            _block_bits: geometry.block_bytes.ilog2().into(),
            ..Self::default()
        }
    }
}

impl Logic for CcEntry {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid, waiting, finished, op, grain, a, b, d, size, tag, left, mask, code, fault);
        if self.take.val() {
            self.waiting.d.next = false;
        }
        if self.refuse.val() {
            self.finished.d.next = true;
            self.code.d.next = self.refuse_code.val();
            self.fault.d.next = self.refuse_address.val();
        }
        if self.retire.val() {
            self.left.d.next = self.left.q.val() - bit_cast::<12, 6>(self.retire_blocks.val());
            self.mask.d.next = self.mask.q.val() | self.retire_mask.val();
            if self.left.q.val() == bit_cast::<12, 6>(self.retire_blocks.val()) {
                self.finished.d.next = true;
            }
        }
        if self.pop.val() {
            self.valid.d.next = false;
        }
        if self.push.val() {
            self.valid.d.next = true;
            self.waiting.d.next = true;
            self.finished.d.next = false;
            self.op.d.next = self.push_op.val();
            self.grain.d.next = self.push_grain.val();
            self.a.d.next = self.push_a.val();
            self.b.d.next = self.push_b.val();
            self.d.d.next = self.push_d.val();
            self.size.d.next = self.push_size.val();
            self.tag.d.next = self.push_tag.val();
            self.left.d.next = bit_cast::<12, 32>(self.push_size.val() >> self._block_bits);
            self.mask.d.next = 0.into();
            self.code.d.next = 0.into();
            self.fault.d.next = 0.into();
        }
        self.is_valid.next = self.valid.q.val();
        self.is_waiting.next = self.waiting.q.val();
        self.is_finished.next = self.valid.q.val() & self.finished.q.val();
        self.has_op.next = self.op.q.val();
        self.has_grain.next = self.grain.q.val();
        self.has_a.next = self.a.q.val();
        self.has_b.next = self.b.q.val();
        self.has_d.next = self.d.q.val();
        self.has_size.next = self.size.q.val();
        self.has_tag.next = self.tag.q.val();
        self.has_mask.next = self.mask.q.val();
        self.has_code.next = self.code.q.val();
        self.has_fault.next = self.fault.q.val();
        // Word accesses.
        self.opcodes.address.next = self.op.q.val();
        self.control.next = self.opcodes.data.val();
        self.blocks.next = bit_cast::<19, 32>(self.size.q.val() >> self._block_bits);
        self.block_a.next = bit_cast::<19, 32>(self.a.q.val() >> self._block_bits);
        self.block_b.next = bit_cast::<19, 32>(self.b.q.val() >> self._block_bits);
        self.block_d.next = bit_cast::<19, 32>(self.d.q.val() >> self._block_bits);
        self.in_a.next =
            self.control.val().get_bit(A) & ((self.word_block.val() - self.block_a.val()) < self.blocks.val());
        self.in_b.next = (self.control.val().get_bit(B)
            & ((self.word_block.val() - self.block_b.val()) < self.blocks.val()))
            | (self.control.val().get_bit(KEY) & (self.word_block.val() == self.block_b.val()));
        self.in_d.next =
            self.control.val().get_bit(D) & ((self.word_block.val() - self.block_d.val()) < self.blocks.val());
        self.conflict.next = self.valid.q.val()
            & !self.finished.q.val()
            & (self.in_d.val() | (self.word_write.val() & (self.in_a.val() | self.in_b.val())));
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("cc_entry", "One place of the instruction table.", constants![A, B, KEY, D; self._block_bits])
    }
}
