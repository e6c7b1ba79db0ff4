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
//! `instr_ready` = 1 while the entry at the tail is free. An instruction that came in in cycle t is offered to the
//! check from t + 1 on. Results come in the order of the instructions, whatever order they finish in.

use crate::compute_cache::CacheGeometry;
use crate::compute_cache::blocks::bundles::*;
use crate::compute_cache::blocks::entry::CcEntry;
use crate::compute_cache::blocks::types::{BlockNumber, Slot};
use crate::kernel::prelude::*;

hdl_block! {
    pub CcTable {
        In clock: Domain; /// Clock and reset.
        Bus instr: InstrSink; /// Instructions that come in.
        Bus result: ResultSource; /// Results of instructions.
        Bus offer_: NextSource; /// An instruction on its way from the table to the check.
        Bus refuse: PlacedRefusalSink; /// A refusal of any instruction in the table.
        Bus wave: WaveDoneSink; /// What the in-place path has done.
        In wave_mask: Word<64, 1>; /// Its bits of the mask.
        Bus near: NearDoneSink; /// What the near-place path has done.
        In word_block: BlockNumber; /// Block of a word access.
        In word_write: Bit; /// It writes.
        Out word_conflict, busy: Bit; /// It must wait. An instruction is in the table.
    } inside {
        Register tail, next: Slot; // Where the next instruction goes. The next instruction to check.
        Register head: Slot; // The oldest instruction.
        Child entries: Vec<CcEntry>; // The entries.
        Local pops: Bit;
        Value _entries: usize;
        Value _mask: u64;
    }
}

impl CcTable {
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
        self.instr.ready.next = false;
        self.offer_.next_valid.next = false;
        self.result.valid.next = false;
        self.word_conflict.next = false;
        self.busy.next = false;
        self.result.tag.next = 0.into();
        self.result.mask.next = 0.into();
        self.result.code.next = 0.into();
        self.result.address.next = 0.into();
        self.offer_.next.op.next = 0.into();
        self.offer_.next.grain.next = 0.into();
        self.offer_.next.a.next = 0.into();
        self.offer_.next.b.next = 0.into();
        self.offer_.next.d.next = 0.into();
        self.offer_.next.size.next = 0.into();
        for i in 0..self._entries {
            if self.tail.q.val().index() == i {
                self.instr.ready.next = !self.entries[i].is_valid.val();
            }
            if self.next.q.val().index() == i {
                self.offer_.next_valid.next = self.entries[i].is_waiting.val();
                WorkSource::link(&mut self.offer_.next, &mut self.entries[i].has.work_);
            }
            if self.head.q.val().index() == i {
                self.result.valid.next = self.entries[i].is_finished.val();
                self.result.tag.next = self.entries[i].has.tag.val();
                self.result.mask.next = self.entries[i].has.mask.val();
                self.result.code.next = self.entries[i].has.code.val();
                self.result.address.next = self.entries[i].has.fault.val();
            }
            self.word_conflict.next = self.word_conflict.val() | self.entries[i].conflict.val();
            self.busy.next = self.busy.val() | self.entries[i].is_valid.val();
        }
        self.offer_.next_slot.next = self.next.q.val();
        self.pops.next = self.result.valid.val() & self.result.ready.val();
        if self.instr.valid.val() & self.instr.ready.val() {
            self.tail.d.next = (self.tail.q.val() + 1) & self._mask;
        }
        if self.offer_.next_take.val() {
            self.next.d.next = (self.next.q.val() + 1) & self._mask;
        }
        if self.pops.val() {
            self.head.d.next = (self.head.q.val() + 1) & self._mask;
        }
        for i in 0..self._entries {
            self.entries[i].clock.next = self.clock.val();
            self.entries[i].push.push.next =
                self.instr.valid.val() & self.instr.ready.val() & (self.tail.q.val().index() == i);
            WorkSink::link(&mut self.instr.work_, &mut self.entries[i].push.work_);
            self.entries[i].push.tag.next = self.instr.tag.val();
            self.entries[i].take.next = self.offer_.next_take.val() & (self.next.q.val().index() == i);
            self.entries[i].refuse.refuse.next = self.refuse.refuse.val() & (self.refuse.slot.val().index() == i);
            VerdictSink::link(&mut self.refuse.verdict_, &mut self.entries[i].refuse.verdict_);
            self.entries[i].retire.next = false;
            self.entries[i].retire_blocks.next = self.wave.blocks.val();
            self.entries[i].retire_mask.next = self.wave_mask.val();
            if self.wave.retire.val() & (self.wave.slot.val().index() == i) {
                self.entries[i].retire.next = true;
            }
            if self.near.retire.val() & (self.near.slot.val().index() == i) {
                self.entries[i].retire.next = true;
                self.entries[i].retire_blocks.next = 1.into();
                self.entries[i].retire_mask.next = self.near.mask.val();
            }
            self.entries[i].pop.next = self.pops.val() & (self.head.q.val().index() == i);
            self.entries[i].word_block.next = self.word_block.val();
            self.entries[i].word_write.next = self.word_write.val();
        }
    }

    described!("cc_table", "The instruction table.";; _entries, _mask);
}
