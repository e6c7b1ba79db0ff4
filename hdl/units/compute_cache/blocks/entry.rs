//! One place of the instruction table: an instruction from the cycle in which it came in until its result is taken.
//!
//! `waiting` = 1 until the check takes it. Block operations count down `left`; when none is left, or the instruction is
//! refused, it is `finished` from the next cycle on. `conflict` = 1 while a word access of the processor touches a
//! block that the instruction may still touch: a read, where it writes; a write, where it reads or writes. Before the
//! check, operands are taken as they came.

use crate::compute_cache::blocks::bundles::{KnownSource, PushSink, RefusalSink};
use crate::compute_cache::blocks::types::{BlockCount, BlockNumber, RowOp};
use crate::compute_cache::{CACHE_OP_BITS, CacheGeometry, CacheOp, control};
use crate::kernel::prelude::*;
use crate::parts::cache_ops::GRAIN_BITS;

// Bits of a control word that say which operands there are, and their places among these.
const OPERANDS: usize = 4;
const A: usize = 0;
const B: usize = control::B - control::A;
const KEY: usize = control::KEY - control::A;
const D: usize = control::D - control::A;

hdl_block! {
    pub CcEntry {
        In clock: Domain; /// Clock and reset.
        Bus push: PushSink; /// An instruction that comes into an entry.
        In take: Bit; /// The check takes it.
        Bus refuse: RefusalSink; /// A refusal.
        In retire: Bit; /// Block operations are done.
        In retire_blocks: Bits<6>; /// How many.
        In retire_mask: Word<64, 1>; /// Their bits of the mask.
        In pop: Bit; /// The result is taken.
        In word_block: BlockNumber; /// Block of a word access.
        In word_write: Bit; /// It writes.
        Out conflict, is_valid, is_waiting: Bit; /// It must wait. An instruction is here. The check has not taken it.
        Out is_finished: Bit; /// Its result is there.
        Bus has: KnownSource; /// What an entry knows of its instruction.
    } inside {
        Register valid, waiting: Bit; // An instruction is here. The check has not taken it.
        Register finished: Bit; // Its result is there.
        Pipe op: RowOp; // Opcode.
        Pipe grain: Bits<GRAIN_BITS>; // Granularity.
        Pipe a, b, d: Bits<32>; // Address of operand a. Address of operand b, or of the key. Address of operand d.
        Pipe size: Bits<32>; // Bytes.
        Pipe tag: Bits<8>; // Tag.
        Pipe left: BlockCount; // Blocks that are not done.
        Pipe mask: Word<64, 1>; // Bits of the mask so far.
        Pipe code: Bits<3>; // Error code.
        Pipe fault: Bits<32>; // What it is about.
        Child opcodes: AsyncRom<Bits<OPERANDS>, RowOp>; // Which operands each opcode has.
        Local blocks, block_a, block_b, block_d: BlockNumber;
        Local in_a, in_b, in_d: Bit;
        Value _block_bits: u64;
    }
}

impl CcEntry {
    pub fn new(geometry: &CacheGeometry) -> Self {
        let operands = |op: CacheOp| op.control() >> control::A & ((1 << OPERANDS) - 1);
        let table = (0..1 << CACHE_OP_BITS).map(|code| CacheOp::from_code(code).map_or(0, operands).into());
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
        if self.refuse.refuse.val() {
            self.finished.d.next = true;
            self.code.d.next = self.refuse.verdict_.code.val();
            self.fault.d.next = self.refuse.verdict_.address.val();
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
        if self.push.push.val() {
            self.valid.d.next = true;
            self.waiting.d.next = true;
            self.finished.d.next = false;
            self.op.d.next = self.push.work_.op.val();
            self.grain.d.next = self.push.work_.grain.val();
            self.a.d.next = self.push.work_.a.val();
            self.b.d.next = self.push.work_.b.val();
            self.d.d.next = self.push.work_.d.val();
            self.size.d.next = self.push.work_.size.val();
            self.tag.d.next = self.push.tag.val();
            self.left.d.next = bit_cast::<12, 32>(self.push.work_.size.val() >> self._block_bits);
            self.mask.d.next = 0.into();
            self.code.d.next = 0.into();
            self.fault.d.next = 0.into();
        }
        self.is_valid.next = self.valid.q.val();
        self.is_waiting.next = self.waiting.q.val();
        self.is_finished.next = self.valid.q.val() & self.finished.q.val();
        self.has.work_.op.next = self.op.q.val();
        self.has.work_.grain.next = self.grain.q.val();
        self.has.work_.a.next = self.a.q.val();
        self.has.work_.b.next = self.b.q.val();
        self.has.work_.d.next = self.d.q.val();
        self.has.work_.size.next = self.size.q.val();
        self.has.tag.next = self.tag.q.val();
        self.has.mask.next = self.mask.q.val();
        self.has.code.next = self.code.q.val();
        self.has.fault.next = self.fault.q.val();
        // Word accesses.
        self.opcodes.address.next = self.op.q.val();
        self.blocks.next = bit_cast::<19, 32>(self.size.q.val() >> self._block_bits);
        self.block_a.next = bit_cast::<19, 32>(self.a.q.val() >> self._block_bits);
        self.block_b.next = bit_cast::<19, 32>(self.b.q.val() >> self._block_bits);
        self.block_d.next = bit_cast::<19, 32>(self.d.q.val() >> self._block_bits);
        self.in_a.next =
            self.opcodes.data.val().get_bit(A) & ((self.word_block.val() - self.block_a.val()) < self.blocks.val());
        self.in_b.next = (self.opcodes.data.val().get_bit(B)
            & ((self.word_block.val() - self.block_b.val()) < self.blocks.val()))
            | (self.opcodes.data.val().get_bit(KEY) & (self.word_block.val() == self.block_b.val()));
        self.in_d.next =
            self.opcodes.data.val().get_bit(D) & ((self.word_block.val() - self.block_d.val()) < self.blocks.val());
        self.conflict.next = self.valid.q.val()
            & !self.finished.q.val()
            & (self.in_d.val() | (self.word_write.val() & (self.in_a.val() | self.in_b.val())));
    }

    described!("cc_entry", "One place of the instruction table."; A, B, KEY, D; _block_bits);
}
