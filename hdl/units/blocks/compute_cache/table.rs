//! The instruction table: a ring of instructions, from their coming in until their results are taken, in order.
//!
//! ```text
//!  instr ─▶ tail ┐          next ┐            head ┐
//!            ┌───▼───┬───────┬───▼───┬───────┬─────▼─┐
//!            │ entry │ entry │ entry │ entry │ entry │ ─▶ result
//!            └───────┴───────┴───┬───┴───────┴───────┘
//!                                └─▶ check
//! ```
//!
//! `instr_ready` = 1 while the entry at the tail is free. An instruction that came in in cycle t is offered to the check from t + 1 on.
//! Results come in the order of the instructions, whatever order they finish in.

use super::block_logic::GRAIN_BITS;
use super::entry::CcEntry;
use super::types::{BlockNumber, RowOp, Slot};
use crate::cache::CacheGeometry;
use crate::kernel::prelude::*;

/// The table.
#[derive(LogicBlock, Default)]
pub struct CcTable {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// An instruction is offered.
    pub instr_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub instr_ready: Signal<Out, Bit>,
    /// Opcode.
    pub instr_op: Signal<In, RowOp>,
    /// Granularity.
    pub instr_grain: Signal<In, Bits<GRAIN_BITS>>,
    /// Address of operand a.
    pub instr_a: Signal<In, Bits<32>>,
    /// Address of operand b, or of the key.
    pub instr_b: Signal<In, Bits<32>>,
    /// Address of operand d.
    pub instr_d: Signal<In, Bits<32>>,
    /// Bytes.
    pub instr_size: Signal<In, Bits<32>>,
    /// Tag.
    pub instr_tag: Signal<In, Bits<8>>,
    /// A result is there.
    pub result_valid: Signal<Out, Bit>,
    /// It is taken if there.
    pub result_ready: Signal<In, Bit>,
    /// The instruction's tag.
    pub result_tag: Signal<Out, Bits<8>>,
    /// A bit for each word.
    pub result_mask: Signal<Out, Word<64, 1>>,
    /// Error code.
    pub result_code: Signal<Out, Bits<3>>,
    /// What it is about.
    pub result_address: Signal<Out, Bits<32>>,
    /// An instruction waits for the check.
    pub next_valid: Signal<Out, Bit>,
    /// The check takes it.
    pub next_take: Signal<In, Bit>,
    /// Its place.
    pub next_slot: Signal<Out, Slot>,
    /// Opcode.
    pub next_op: Signal<Out, RowOp>,
    /// Granularity.
    pub next_grain: Signal<Out, Bits<GRAIN_BITS>>,
    /// Address of operand a.
    pub next_a: Signal<Out, Bits<32>>,
    /// Address of operand b, or of the key.
    pub next_b: Signal<Out, Bits<32>>,
    /// Address of operand d.
    pub next_d: Signal<Out, Bits<32>>,
    /// Bytes.
    pub next_size: Signal<Out, Bits<32>>,
    /// An instruction is refused.
    pub refuse: Signal<In, Bit>,
    /// Which.
    pub refuse_slot: Signal<In, Slot>,
    /// Why.
    pub refuse_code: Signal<In, Bits<3>>,
    /// What that is about.
    pub refuse_address: Signal<In, Bits<32>>,
    /// A part of a wave is done.
    pub wave_retire: Signal<In, Bit>,
    /// Whose.
    pub wave_slot: Signal<In, Slot>,
    /// Blocks that are done with it.
    pub wave_blocks: Signal<In, Bits<6>>,
    /// Its bits of the mask.
    pub wave_mask: Signal<In, Word<64, 1>>,
    /// A block of the near-place path is done.
    pub near_retire: Signal<In, Bit>,
    /// Whose.
    pub near_slot: Signal<In, Slot>,
    /// Its bits of the mask.
    pub near_mask: Signal<In, Word<64, 1>>,
    /// Block of a word access.
    pub word_block: Signal<In, BlockNumber>,
    /// It writes.
    pub word_write: Signal<In, Bit>,
    /// It must wait.
    pub word_conflict: Signal<Out, Bit>,
    /// An instruction is in the table.
    pub busy: Signal<Out, Bit>,
    /// Where the next instruction goes.
    pub tail: Register<Slot>,
    /// The next instruction to check.
    pub next: Register<Slot>,
    /// The oldest instruction.
    pub head: Register<Slot>,
    /// The entries.
    pub entries: Vec<CcEntry>,
    free: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    finished: Signal<Local, Bit>,
    pops: Signal<Local, Bit>,
    conflict: Signal<Local, Bit>,
    any: Signal<Local, Bit>,
    _entries: usize,
    _mask: u64,
}

impl CcTable {
    /// The table of this geometry.
    pub fn new(geometry: &CacheGeometry) -> Self {
        CcTable {
            entries: (0..geometry.instructions).map(|_| CcEntry::new(geometry)).collect(),
            _entries: geometry.instructions,
            _mask: geometry.instructions as u64 - 1,
            ..Self::default()
        }
    }
}

impl Logic for CcTable {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, tail, next, head);
        self.free.next = false;
        self.ready.next = false;
        self.finished.next = false;
        self.conflict.next = false;
        self.any.next = false;
        self.result_tag.next = 0.into();
        self.result_mask.next = 0.into();
        self.result_code.next = 0.into();
        self.result_address.next = 0.into();
        self.next_op.next = 0.into();
        self.next_grain.next = 0.into();
        self.next_a.next = 0.into();
        self.next_b.next = 0.into();
        self.next_d.next = 0.into();
        self.next_size.next = 0.into();
        for i in 0..self._entries {
            if self.tail.q.val().index() == i {
                self.free.next = !self.entries[i].is_valid.val();
            }
            if self.next.q.val().index() == i {
                self.ready.next = self.entries[i].is_waiting.val();
                self.next_op.next = self.entries[i].has_op.val();
                self.next_grain.next = self.entries[i].has_grain.val();
                self.next_a.next = self.entries[i].has_a.val();
                self.next_b.next = self.entries[i].has_b.val();
                self.next_d.next = self.entries[i].has_d.val();
                self.next_size.next = self.entries[i].has_size.val();
            }
            if self.head.q.val().index() == i {
                self.finished.next = self.entries[i].is_finished.val();
                self.result_tag.next = self.entries[i].has_tag.val();
                self.result_mask.next = self.entries[i].has_mask.val();
                self.result_code.next = self.entries[i].has_code.val();
                self.result_address.next = self.entries[i].has_fault.val();
            }
            self.conflict.next = self.conflict.val() | self.entries[i].conflict.val();
            self.any.next = self.any.val() | self.entries[i].is_valid.val();
        }
        self.instr_ready.next = self.free.val();
        self.result_valid.next = self.finished.val();
        self.next_valid.next = self.ready.val();
        self.next_slot.next = self.next.q.val();
        self.word_conflict.next = self.conflict.val();
        self.busy.next = self.any.val();
        self.pops.next = self.finished.val() & self.result_ready.val();
        if self.instr_valid.val() & self.free.val() {
            self.tail.d.next = (self.tail.q.val() + 1) & self._mask;
        }
        if self.next_take.val() {
            self.next.d.next = (self.next.q.val() + 1) & self._mask;
        }
        if self.pops.val() {
            self.head.d.next = (self.head.q.val() + 1) & self._mask;
        }
        for i in 0..self._entries {
            self.entries[i].clock.next = self.clock.val();
            self.entries[i].push.next = self.instr_valid.val() & self.free.val() & (self.tail.q.val().index() == i);
            self.entries[i].push_op.next = self.instr_op.val();
            self.entries[i].push_grain.next = self.instr_grain.val();
            self.entries[i].push_a.next = self.instr_a.val();
            self.entries[i].push_b.next = self.instr_b.val();
            self.entries[i].push_d.next = self.instr_d.val();
            self.entries[i].push_size.next = self.instr_size.val();
            self.entries[i].push_tag.next = self.instr_tag.val();
            self.entries[i].take.next = self.next_take.val() & (self.next.q.val().index() == i);
            self.entries[i].refuse.next = self.refuse.val() & (self.refuse_slot.val().index() == i);
            self.entries[i].refuse_code.next = self.refuse_code.val();
            self.entries[i].refuse_address.next = self.refuse_address.val();
            self.entries[i].retire.next = false;
            self.entries[i].retire_blocks.next = self.wave_blocks.val();
            self.entries[i].retire_mask.next = self.wave_mask.val();
            if self.wave_retire.val() & (self.wave_slot.val().index() == i) {
                self.entries[i].retire.next = true;
            }
            if self.near_retire.val() & (self.near_slot.val().index() == i) {
                self.entries[i].retire.next = true;
                self.entries[i].retire_blocks.next = 1.into();
                self.entries[i].retire_mask.next = self.near_mask.val();
            }
            self.entries[i].pop.next = self.pops.val() & (self.head.q.val().index() == i);
            self.entries[i].word_block.next = self.word_block.val();
            self.entries[i].word_write.next = self.word_write.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("cc_table", "The instruction table.", constants![; self._entries, self._mask])
    }
}
