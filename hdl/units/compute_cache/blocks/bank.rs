//! A bank: sub-arrays behind one command bus, so that one of them starts a row operation in a cycle.
//!
//! ```text
//!  wave ─┐
//!        ├─▶ command register ─▶ sub-arrays ─┬─▶ result register ─▶ shifted to its place in the mask
//!  bus  ─┘                                   └─▶ sensed (over the interconnect)
//! ```
//!
//! A command taken at the end of cycle t is executed in t + 1: rows are written at its end, `sensed` is valid in it,
//! and `mask` in t + 2. A block of a wave goes to the bank that its number names: the wave's first block to bank
//! `start`, the next to the next; the bank works out its own rows from the first block's.

use crate::compute_cache::CacheGeometry;
use crate::compute_cache::blocks::bundles::AccessSink;
use crate::compute_cache::blocks::sub_array::CcSubArray;
use crate::compute_cache::blocks::types::{BankNumber, BlockNumber, LocalNumber, RowOp, row_op::*};
use crate::kernel::prelude::*;
use crate::parts::bundles::MaskedSink;
use crate::parts::cache_ops::GRAIN_BITS;

hdl_block! {
    pub CcBank<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        In number: BankNumber; /// Number of this bank.
        In issue: Bit; /// Takes its block of the wave.
        In wave_op: RowOp; /// What the wave does.
        In wave_grain: Bits<GRAIN_BITS>; /// Granularity.
        In wave_write, wave_gives: Bit; /// It writes. It gives bits of the mask.
        In wave_start: BankNumber; /// Bank of its first block.
        In wave_index: Bits<6>; /// Number of the first block in the instruction.
        In wave_scale: Bits<2>; /// Bits of the mask for a block, as a power of two.
        In wave_a, wave_b: BlockNumber; /// First block's number without its bank, operand a. The same, operand b.
        In wave_d: BlockNumber; /// The same, operand d.
        Bus access: AccessSink<Bit>; /// Accesses of the interconnect.
        Bus masked_: MaskedSink<W>; /// An ordinary write.
        In key: W; /// What key rows take.
        Out sensed: W; /// The block read, in the cycle after `access`; else 0.
        Out results: Word<64, 1>; /// The block's bits of the mask; else 0.
    } inside {
        Register active: Bit; // A row operation is under way.
        Pipe op: RowOp; // What it does.
        Pipe grain: Bits<GRAIN_BITS>; // Granularity.
        Pipe write, gives: Bit; // It writes. It gives bits of the mask.
        Pipe sub: Bits<4>; // In which sub-array.
        Pipe a, b, d: LocalNumber; // First row. Second row. Row to write.
        Pipe place: Bits<6>; // First bit of the mask.
        Register given: Bit; // Bits of the mask are there.
        Pipe bits: Bits<8>; // The bits.
        Pipe at: Bits<6>; // Where they go.
        Child sub_arrays: Vec<CcSubArray<W>>; // The sub-arrays.
        Local carry: BlockNumber;
        Local offset: BankNumber;
        Local taken_a, taken_b, taken_d: BlockNumber;
        Local results_or: Bits<8>;
        Value _bank_mask, _sub_bits, _sub_mask: u64;
        Value _sub_arrays: usize;
    }
}

impl<W: RowWord> CcBank<W> {
    pub fn new(geometry: &CacheGeometry) -> Self {
        let blocks = geometry.rows * geometry.partitions;
        CcBank {
            sub_arrays: (0..geometry.sub_arrays).map(|_| CcSubArray::new(blocks)).collect(),
            _bank_mask: geometry.banks as u64 - 1,
            _sub_bits: geometry.sub_arrays.ilog2().into(),
            _sub_mask: geometry.sub_arrays as u64 - 1,
            _sub_arrays: geometry.sub_arrays,
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for CcBank<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, op, grain, write, gives, sub, a, b, d, place, given, bits, at);
        // Command.
        self.active.d.next = self.issue.val() | self.access.access.val();
        self.carry.next = bits_to::<BlockNumber, Bit>(self.number.val() < self.wave_start.val());
        self.offset.next = (self.number.val() - self.wave_start.val()) & self._bank_mask;
        self.taken_a.next = self.wave_a.val() + self.carry.val();
        self.taken_b.next = self.wave_b.val() + self.carry.val();
        self.taken_d.next = self.wave_d.val() + self.carry.val();
        if self.issue.val() {
            self.op.d.next = self.wave_op.val();
            self.write.d.next = self.wave_write.val();
            self.gives.d.next = self.wave_gives.val();
        }
        if self.access.access.val() {
            self.taken_a.next = self.access.block.val();
            self.taken_b.next = self.access.block.val();
            self.taken_d.next = self.access.block.val();
            self.op.d.next = ROW_READ.into();
            if self.access.write.val() {
                self.op.d.next = ROW_MERGE.into();
            }
            self.write.d.next = self.access.write.val();
            self.gives.d.next = false;
        }
        if self.issue.val() | self.access.access.val() {
            self.grain.d.next = self.wave_grain.val();
            self.sub.d.next = bit_cast::<4, 19>(self.taken_a.val() & self._sub_mask);
            self.a.d.next = bit_cast::<13, 19>(self.taken_a.val() >> self._sub_bits);
            self.b.d.next = bit_cast::<13, 19>(self.taken_b.val() >> self._sub_bits);
            self.d.d.next = bit_cast::<13, 19>(self.taken_d.val() >> self._sub_bits);
            self.place.d.next = (self.wave_index.val() + bit_cast::<6, 5>(self.offset.val())) << self.wave_scale.val();
        }
        // Execution.
        self.sensed.next = 0.into();
        self.results_or.next = 0.into();
        for s in 0..self._sub_arrays {
            self.sub_arrays[s].clock.next = self.clock.val();
            self.sub_arrays[s].enable.next = self.active.q.val() & (self.sub.q.val().index() == s);
            self.sub_arrays[s].load_key.next = self.active.q.val() & (self.op.q.val() == ROW_KEY);
            self.sub_arrays[s].use_key.next = self.op.q.val() == ROW_SEARCH;
            self.sub_arrays[s].op.next = self.op.q.val();
            self.sub_arrays[s].grain.next = self.grain.q.val();
            self.sub_arrays[s].write.next = self.write.q.val();
            self.sub_arrays[s].a_row.next = self.a.q.val();
            self.sub_arrays[s].b_row.next = self.b.q.val();
            self.sub_arrays[s].d_row.next = self.d.q.val();
            MaskedSink::<W>::link(&mut self.masked_, &mut self.sub_arrays[s].masked_);
            self.sub_arrays[s].key.next = self.key.val();
            self.sensed.next = self.sensed.val() | self.sub_arrays[s].sensed.val();
            self.results_or.next = self.results_or.val() | self.sub_arrays[s].results.val();
        }
        // Result.
        self.given.d.next = self.active.q.val() & self.gives.q.val();
        if self.active.q.val() & self.gives.q.val() {
            self.bits.d.next = self.results_or.val();
            self.at.d.next = self.place.q.val();
        }
        self.results.next = 0.into();
        if self.given.q.val() {
            self.results.next = bits_to::<Word<64, 1>, Bits<8>>(self.bits.q.val()) << self.at.q.val();
        }
    }

    described!("cc_bank", "Sub-arrays behind one command bus.";
        ROW_READ, ROW_MERGE, ROW_KEY, ROW_SEARCH; _bank_mask, _sub_bits, _sub_mask, _sub_arrays);
}
