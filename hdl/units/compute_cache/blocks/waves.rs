//! The in-place path: cuts an instruction into waves of block operations, one in each bank at most.
//!
//! ```text
//!  start ─▶ operands, blocks left ─▶ wave: banks start, start + 1, … ─▶ banks that the interconnect leaves free
//!               ▲                                  │
//!               └────────── next wave ◀────────────┴─ the rest of them in the next cycle
//! ```
//!
//! Neighbouring blocks lie in neighbouring banks, so that a wave is a number of blocks in a row. A bank that takes an
//! access of the interconnect in this cycle misses its part of the wave and takes it in the next one; the next wave
//! begins when all have theirs. While nobody can want the interconnect (`quiet`), an instruction may start in the cycle
//! of the last wave of the one before: waves follow each other without a gap. Otherwise there is a gap of a cycle, so
//! that starting does not hang on who gets the interconnect.
//!
//! A search first needs its key in the key rows. Unless it is there (`start_keyed`), its block is read over the
//! interconnect (`key_request`), and one more wave writes the key rows of all banks: four cycles in all.
//!
//! Blocks that a wave gives to the banks in cycle t are executed in t + 1 and reported by `retire` in t + 2, together
//! with the banks' results; `retire_blocks` counts a wave with its last part.

use crate::compute_cache::CacheGeometry;
use crate::compute_cache::blocks::bundles::WaveDoneSource;
use crate::compute_cache::blocks::types::{BankNumber, BankSet, BlockCount, BlockNumber, RowOp, Slot, row_op::*};
use crate::kernel::prelude::*;
use crate::parts::cache_ops::GRAIN_BITS;

// Phases of an instruction.
const RUN: u64 = 0;
const KEY_READ: u64 = 1;
const KEY_WAIT: u64 = 2;
const KEY_WRITE: u64 = 3;

hdl_block! {
    pub CcWaves {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// An instruction starts; only while `ready`.
        In start_op: RowOp; /// What it does.
        In start_grain: Bits<GRAIN_BITS>; /// Granularity.
        In start_write, start_gives: Bit; /// It writes operand d. It gives bits of the mask.
        In start_unkeyed: Bit; /// Its key is not in the key rows yet.
        In start_slot: Slot; /// Its place in the table.
        In start_a, start_b: BlockNumber; /// First block of operand a. First block of operand b, or the key.
        In start_d: BlockNumber; /// First block of operand d.
        In start_blocks: BlockCount; /// Blocks.
        Out ready: Bit; /// An instruction may start.
        In quiet: Bit; /// The interconnect is not used in this cycle, whatever comes.
        In taken: BankSet; /// Banks that take an access of the interconnect in this cycle.
        Out key_request: Bit; /// The key is to be read.
        In key_granted, key_arrives: Bit; /// It is being read. It is in the key register from the next cycle on.
        Out key_written: Bit; /// It is in all key rows when this cycle's part has been executed.
        Out issue: BankSet; /// Banks that take a block operation.
        Out wave_op: RowOp; /// What they do.
        Out wave_write, wave_gives: Bit; /// They write. They give bits of the mask.
        Out wave_grain: Bits<GRAIN_BITS>; /// Granularity.
        Out wave_start: BankNumber; /// Bank of the first block.
        Out wave_index: Bits<6>; /// Its number in the instruction.
        Out block_a, block_b: BlockNumber; /// Its number in operand a. Its number in operand b, or the key.
        Out block_d: BlockNumber; /// Its number in operand d.
        Out blocks: BlockCount; /// Blocks that have not all gone to the banks.
        Out busy, writes: Bit; /// An instruction is under way. It writes operand d.
        Out waits: Bit; /// Banks have missed their part of a wave.
        Bus retire: WaveDoneSource; /// What the in-place path has done.
    } inside {
        Register active: Bit; // An instruction is under way.
        Register phase: Bits<2>; // What it waits for.
        Pipe op: RowOp; // What it does.
        Pipe grain: Bits<GRAIN_BITS>; // Granularity.
        Pipe write, gives: Bit; // It writes. It gives bits of the mask.
        Pipe slot: Slot; // Its place in the table.
        Pipe a, b, d: BlockNumber; // First block of the wave, operand a. The same, operand b. The same, operand d.
        Pipe left: BlockCount; // Blocks left, those of the wave included.
        Pipe index: Bits<6>; // Number of the wave's first block.
        Register missed: BankSet; // Banks that have missed their part of the wave; none while the wave is new.
        Register sent: Bit; // A part is executed.
        Pipe sent_slot: Slot; // Whose.
        Pipe sent_blocks: Bits<6>; // Blocks that are done with it.
        Register done: Bit; // A part has been executed.
        Pipe done_slot: Slot; // Whose.
        Pipe done_blocks: Bits<6>; // Blocks that are done with it.
        Local now: BlockCount;
        Local ones, members: Word<64, 1>;
        Local new, todo, rest: BankSet;
        Local complete, last: Bit;
        Value _issue, _banks, _all, _bank_mask: u64;
    }
}

impl CcWaves {
    pub fn new(geometry: &CacheGeometry) -> Self {
        CcWaves {
            _issue: geometry.issue as u64,
            _banks: geometry.banks as u64,
            _all: (1 << geometry.banks) - 1,
            _bank_mask: geometry.banks as u64 - 1,
            ..Self::default()
        }
    }
}

impl Logic for CcWaves {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, phase, op, grain, write, gives, slot, a, b, d, left, index, missed);
        dff_setup!(self, clock, sent, sent_slot, sent_blocks, done, done_slot, done_blocks);
        // Banks of the wave: a run of ones, turned by the first one's bank.
        self.now.next = self.left.q.val();
        if self.left.q.val() > self._issue {
            self.now.next = self._issue.into();
        }
        self.wave_start.next = bit_cast::<5, 19>(self.a.q.val()) & self._bank_mask;
        self.ones.next = 0.into();
        self.members.next = (!(!self.ones.val() << bit_cast::<6, 12>(self.now.val()))) << self.wave_start.val();
        self.new.next =
            bits_to::<BankSet, Word<64, 1>>(self.members.val() | (self.members.val() >> self._banks)) & self._all;
        if self.phase.q.val() == KEY_WRITE {
            self.new.next = self._all.into();
        }
        if (self.phase.q.val() == KEY_READ) | (self.phase.q.val() == KEY_WAIT) | !self.active.q.val() {
            self.new.next = 0.into();
        }
        self.todo.next = self.new.val();
        if self.missed.q.val().any() {
            self.todo.next = self.missed.q.val();
        }
        self.issue.next = self.todo.val() & !self.taken.val();
        self.rest.next = self.todo.val() & self.taken.val();
        self.missed.d.next = self.rest.val();
        self.complete.next = self.todo.val().any() & !self.rest.val().any();
        // Keys.
        self.key_request.next = self.active.q.val() & (self.phase.q.val() == KEY_READ);
        self.key_written.next = self.complete.val() & (self.phase.q.val() == KEY_WRITE);
        if self.key_granted.val() {
            self.phase.d.next = KEY_WAIT.into();
        }
        if self.key_arrives.val() {
            self.phase.d.next = KEY_WRITE.into();
        }
        // From wave to wave.
        self.last.next = self.complete.val() & (self.phase.q.val() == RUN) & (self.left.q.val() == self.now.val());
        if self.complete.val() {
            self.phase.d.next = RUN.into();
            if self.phase.q.val() == RUN {
                self.a.d.next = self.a.q.val() + bit_cast::<19, 12>(self.now.val());
                self.b.d.next = self.b.q.val() + bit_cast::<19, 12>(self.now.val());
                self.d.d.next = self.d.q.val() + bit_cast::<19, 12>(self.now.val());
                self.left.d.next = self.left.q.val() - self.now.val();
                self.index.d.next = self.index.q.val() + bit_cast::<6, 12>(self.now.val());
            }
        }
        if self.last.val() {
            self.active.d.next = false;
        }
        self.ready.next = !self.active.q.val()
            | (self.quiet.val() & (self.phase.q.val() == RUN) & (self.left.q.val() <= self._issue));
        if self.start.val() {
            self.active.d.next = true;
            if self.start_unkeyed.val() {
                self.phase.d.next = KEY_READ.into();
            }
            self.op.d.next = self.start_op.val();
            self.grain.d.next = self.start_grain.val();
            self.write.d.next = self.start_write.val();
            self.gives.d.next = self.start_gives.val();
            self.slot.d.next = self.start_slot.val();
            self.a.d.next = self.start_a.val();
            self.b.d.next = self.start_b.val();
            self.d.d.next = self.start_d.val();
            self.left.d.next = self.start_blocks.val();
            self.index.d.next = 0.into();
        }
        // To the banks.
        self.wave_op.next = self.op.q.val();
        self.wave_write.next = self.write.q.val();
        self.wave_gives.next = self.gives.q.val();
        if self.phase.q.val() == KEY_WRITE {
            self.wave_op.next = ROW_KEY.into();
            self.wave_write.next = false;
            self.wave_gives.next = false;
        }
        self.wave_grain.next = self.grain.q.val();
        self.wave_index.next = self.index.q.val();
        self.block_a.next = self.a.q.val();
        self.block_b.next = self.b.q.val();
        self.block_d.next = self.d.q.val();
        self.blocks.next = self.left.q.val();
        self.busy.next = self.active.q.val();
        self.writes.next = self.write.q.val();
        self.waits.next = self.missed.q.val().any();
        // To the table.
        self.sent.d.next = self.todo.val().any() & (self.phase.q.val() == RUN);
        self.sent_slot.d.next = self.slot.q.val();
        self.sent_blocks.d.next = 0.into();
        if self.complete.val() {
            self.sent_blocks.d.next = bit_cast::<6, 12>(self.now.val());
        }
        self.done.d.next = self.sent.q.val();
        self.done_slot.d.next = self.sent_slot.q.val();
        self.done_blocks.d.next = self.sent_blocks.q.val();
        self.retire.retire.next = self.done.q.val();
        self.retire.slot.next = self.done_slot.q.val();
        self.retire.blocks.next = self.done_blocks.q.val();
    }

    described!("cc_waves", "The in-place path: block operations, one in each bank at most.";
        RUN, KEY_READ, KEY_WAIT, KEY_WRITE, ROW_KEY; _issue, _banks, _all, _bank_mask);
}
