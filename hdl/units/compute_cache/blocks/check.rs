//! Whether an instruction is legal, and which blocks it touches. Combinational.
//!
//! The rules, and their order, are those of [`crate::compute_cache::CacheInstruction::check`]. Operands that an
//! operation does not use are replaced by blocks that it does, so that neither the path nor hazards depend on them:
//! without b, b is a; without d, d is a; zero has d in all three places.

use crate::compute_cache::blocks::bundles::{VerdictSource, WorkSink};
use crate::compute_cache::blocks::types::{BlockCount, BlockNumber, RowOp};
use crate::compute_cache::{CACHE_OP_BITS, CacheError, CacheGeometry, CacheOp, LARGEST, RESULTS, control};
use crate::kernel::prelude::*;

const LEGAL: usize = control::LEGAL;
const A: usize = control::A;
const B: usize = control::B;
const KEY: usize = control::KEY;
const D: usize = control::D;
const MASK: usize = control::MASK;
const GRAIN: usize = control::GRAIN;
const CONTROL_BITS: usize = control::BITS;
const LARGEST_PLAIN: u64 = LARGEST as u64;
const LARGEST_MASK: u64 = RESULTS as u64 * 8;
const OPCODE: u64 = CacheError::Opcode as u64;
const GRANULARITY: u64 = CacheError::Granularity as u64;
const SIZE: u64 = CacheError::Size as u64;
const ALIGNMENT: u64 = CacheError::Alignment as u64;
const OUTSIDE: u64 = CacheError::Outside as u64;
const OVERLAP: u64 = CacheError::Overlap as u64;

hdl_block! {
    pub CcCheck {
        Bus work_: WorkSink; /// What an instruction says.
        Bus verdict_: VerdictSource; /// What is wrong with an instruction.
        Out block_a, block_b: BlockNumber; /// First block of operand a. First block of operand b, or the key.
        Out block_d: BlockNumber; /// First block of operand d.
        Out blocks: BlockCount; /// Blocks.
        Out two, keyed, write: Bit; /// It reads operand b, block by block. It searches for a key. It writes operand d.
        Out gives, near: Bit; /// It gives bits of the mask. Its operands do not share bitlines.
    } inside {
        Child opcodes: AsyncRom<Bits<CONTROL_BITS>, RowOp>; // What each opcode is.
        Local largest, own, second, destination, room: Bits<32>;
        Local too_large, second_used, second_outside, crosses_a, crosses_b: Bit;
        Local second_place: Bits<32>;
        Value _block_mask, _block_bits, _page_mask, _capacity, _last_block, _grains: u64;
    }
}

impl CcCheck {
    pub fn new(geometry: &CacheGeometry) -> Self {
        let table = (0..1 << CACHE_OP_BITS).map(|code| CacheOp::from_code(code).map_or(0, CacheOp::control).into());
        let block = geometry.block_bytes as u64;
        CcCheck {
            opcodes: AsyncRom::new(table.collect()),
            _block_mask: block - 1,
            _block_bits: block.ilog2().into(),
            _page_mask: geometry.page() as u64 - 1,
            _capacity: geometry.bytes() as u64,
            _last_block: geometry.bytes() as u64 - block,
            _grains: if block < 32 { 0 } else { 2 },
            ..Self::default()
        }
    }
}

impl Logic for CcCheck {
    #[hdl_gen]
    fn update(&mut self) {
        self.opcodes.address.next = self.work_.op.val();
        self.two.next = self.opcodes.data.val().get_bit(B);
        self.keyed.next = self.opcodes.data.val().get_bit(KEY);
        self.write.next = self.opcodes.data.val().get_bit(D);
        self.gives.next = self.opcodes.data.val().get_bit(MASK);
        // Operands.
        self.own.next = self.work_.a.val();
        if !self.opcodes.data.val().get_bit(A) {
            self.own.next = self.work_.d.val();
        }
        self.second_used.next = self.opcodes.data.val().get_bit(B) | self.opcodes.data.val().get_bit(KEY);
        self.second.next = self.own.val();
        if self.second_used.val() {
            self.second.next = self.work_.b.val();
        }
        self.destination.next = self.own.val();
        if self.opcodes.data.val().get_bit(D) {
            self.destination.next = self.work_.d.val();
        }
        self.block_a.next = bit_cast::<19, 32>(self.own.val() >> self._block_bits);
        self.block_b.next = bit_cast::<19, 32>(self.second.val() >> self._block_bits);
        self.block_d.next = bit_cast::<19, 32>(self.destination.val() >> self._block_bits);
        self.blocks.next = bit_cast::<12, 32>(self.work_.size.val() >> self._block_bits);
        self.second_place.next = self.second.val();
        if self.opcodes.data.val().get_bit(KEY) {
            self.second_place.next = self.own.val();
        }
        self.near.next = (((self.own.val() ^ self.second_place.val()) | (self.own.val() ^ self.destination.val()))
            & self._page_mask)
            != 0;
        // Rules; the first that is broken counts.
        self.largest.next = LARGEST_PLAIN.into();
        if self.opcodes.data.val().get_bit(MASK) {
            self.largest.next = LARGEST_MASK.into();
            if self.opcodes.data.val().get_bit(GRAIN) {
                self.largest.next = self.largest.val() << self.work_.grain.val();
            }
        }
        self.room.next = bits_to::<Bits<32>, Bit>(false) + self._capacity - self.work_.size.val();
        self.too_large.next = self.work_.size.val() > self._capacity;
        self.second_outside.next = self.too_large.val() | (self.work_.b.val() > self.room.val());
        if self.opcodes.data.val().get_bit(KEY) {
            self.second_outside.next = self.work_.b.val() > self._last_block;
        }
        self.crosses_a.next = self.opcodes.data.val().get_bit(A)
            & (self.work_.a.val() != self.work_.d.val())
            & (((self.work_.a.val() - self.work_.d.val()) < self.work_.size.val())
                | ((self.work_.d.val() - self.work_.a.val()) < self.work_.size.val()));
        self.crosses_b.next = self.opcodes.data.val().get_bit(B)
            & (self.work_.b.val() != self.work_.d.val())
            & (((self.work_.b.val() - self.work_.d.val()) < self.work_.size.val())
                | ((self.work_.d.val() - self.work_.b.val()) < self.work_.size.val()));
        self.verdict_.code.next = 0.into();
        self.verdict_.address.next = 0.into();
        if self.opcodes.data.val().get_bit(D) {
            if self.crosses_a.val() | self.crosses_b.val() {
                self.verdict_.code.next = OVERLAP.into();
                self.verdict_.address.next = self.work_.d.val();
            }
            if self.too_large.val() | (self.work_.d.val() > self.room.val()) {
                self.verdict_.code.next = OUTSIDE.into();
                self.verdict_.address.next = self.work_.d.val();
            }
            if (self.work_.d.val() & self._block_mask) != 0 {
                self.verdict_.code.next = ALIGNMENT.into();
                self.verdict_.address.next = self.work_.d.val();
            }
        }
        if self.second_used.val() {
            if self.second_outside.val() {
                self.verdict_.code.next = OUTSIDE.into();
                self.verdict_.address.next = self.work_.b.val();
            }
            if (self.work_.b.val() & self._block_mask) != 0 {
                self.verdict_.code.next = ALIGNMENT.into();
                self.verdict_.address.next = self.work_.b.val();
            }
        }
        if self.opcodes.data.val().get_bit(A) {
            if self.too_large.val() | (self.work_.a.val() > self.room.val()) {
                self.verdict_.code.next = OUTSIDE.into();
                self.verdict_.address.next = self.work_.a.val();
            }
            if (self.work_.a.val() & self._block_mask) != 0 {
                self.verdict_.code.next = ALIGNMENT.into();
                self.verdict_.address.next = self.work_.a.val();
            }
        }
        if (self.work_.size.val() == 0)
            | ((self.work_.size.val() & self._block_mask) != 0)
            | (self.work_.size.val() > self.largest.val())
        {
            self.verdict_.code.next = SIZE.into();
            self.verdict_.address.next = self.work_.size.val();
        }
        if self.opcodes.data.val().get_bit(GRAIN) & (self.work_.grain.val() > self._grains) {
            self.verdict_.code.next = GRANULARITY.into();
            self.verdict_.address.next = 0.into();
        }
        if !self.opcodes.data.val().get_bit(LEGAL) {
            self.verdict_.code.next = OPCODE.into();
            self.verdict_.address.next = 0.into();
        }
    }

    described!("cc_check", "Whether an instruction is legal, and which blocks it touches.";
        LEGAL, A, B, KEY, D, MASK, GRAIN, LARGEST_PLAIN, LARGEST_MASK, OPCODE, GRANULARITY, SIZE, ALIGNMENT, OUTSIDE,
        OVERLAP; _block_mask, _block_bits, _page_mask, _capacity, _last_block, _grains);
}
