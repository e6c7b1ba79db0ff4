//! A control block with its memory unit: what runs a wave of threads, between whoever launches it and the cache ways.
//!
//! ```text
//!  host ─▶ words, scalars ─▶ control block ◀─ rows ─▶ memory unit ◀─▶ cache ways
//!        ─▶ launch ──────────────────────────────────────▲
//! ```
//!
//! A wave: `fill` = 1 for a cycle, with the wave's first CTA, writes masks and special registers into rows, until
//! `filled` = 1; `put` writes scalar registers; `start` = 1 for a cycle begins the program, whose words come at the
//! `write_` port; `finished` or `trapped` = 1 when it has ended. What the ports mean is with
//! [`DualityControlBlock`] and [`DualityMemoryUnit`].

use crate::array::isa::microcode::Microcode;
use crate::duality::blocks::bundles::{CacheLine, CacheSource, LaunchSink};
use crate::duality::blocks::control_block::DualityControlBlock;
use crate::duality::blocks::memory::{DualityMemoryUnit, PAGE_BITS};
use crate::duality::blocks::scalar_unit::ScalarNumber;
use crate::duality::blocks::types::{GridCount, ProgramWord};
use crate::duality::params::{DualityParams, PC_BITS, SLOTS};
use crate::kernel::prelude::*;

hdl_block! {
    /// The control block and its memory unit.
    pub DualityProcessor {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// A program begins.
        In stop: Bit; /// The program that runs, if one does, stops before the word that comes next.
        In lockstep: Bit; /// Words leave in bundles.
        In arrays: Bits<2>; /// Arrays of a thread: 0 four, 1 two, 2 one.
        In write_valid: Bit; /// A word is offered.
        Out write_ready: Bit; /// It is taken if offered.
        In write_data: ProgramWord; /// The word.
        Out doorbell: Bit; /// At most half of the ring is in use.
        Out pc, frontier, tail: Bits<PC_BITS>; /// Places in the program: next, oldest that is kept, written next.
        In put: Bit; /// A scalar register is written.
        In put_number: ScalarNumber; /// Which one.
        In put_value: Bits<32>; /// What it holds then.
        Out running, finished, trapped: Bit; /// A program runs; it has ended; it was stopped.
        Out code: Bits<8>; /// What it ends with, or why it was stopped.
        Out trap_pc: Bits<PC_BITS>; /// The word that it was stopped before.
        Out trap_slot: Bits<2>; /// Its slot.
        Out trap_thread: Bits<12>; /// The thread whose access was refused.
        Out trap_address: Bits<32>; /// What it has asked for.
        Out trap_names: Bits<2>; /// Bit 0: the thread is told, bit 1: the address.
        Bus launch: LaunchSink; /// The launch.
        In spill_base: Bits<32>; /// Where spill rows begin: a multiple of 64.
        In spill_rows: Bits<16>; /// How many there are.
        Out special_number: Bits<3>; /// An entry of the list of special registers.
        In special_word: Bits<32>; /// What it holds.
        In fill: Bit; /// A wave begins.
        In wave_x, wave_y, wave_z: GridCount; /// With it: its first CTA.
        Out filled: Bit; /// Its rows are written.
        In page_write: Bit; /// An entry of the page table is written.
        In page_number: Bits<PAGE_BITS>; /// Which one.
        In page_entry: Bits<32>; /// What it holds then.
        Out working: Bit; /// A word of memory is being done.
        Bus cache: CacheSource; /// To the cache ways.
        In answer_line: CacheLine; /// With an answer: the line of its word.
        Out lock: Bit; /// With a request: nobody else gets to its word until the next one.
    } inside {
        Child control: Boxed<DualityControlBlock<Row>>; // Words, windows, arrays.
        Child memory: Boxed<DualityMemoryUnit>; // Words of memory, and launches.
        Value _members: usize;
    }
}

impl DualityProcessor {
    /// For these parameters, with the micro-programs of the arrays.
    pub fn new(params: &DualityParams, code: &Microcode) -> Self {
        DualityProcessor {
            control: Boxed::new(|| DualityControlBlock::new(params, code)),
            memory: Boxed::new(|| DualityMemoryUnit::new(params)),
            _members: SLOTS * params.banks,
            ..Self::default()
        }
    }
}

impl Logic for DualityProcessor {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, control, memory);
        self.control.start.next = self.start.val();
        self.control.stop.next = self.stop.val();
        self.control.lockstep.next = self.lockstep.val();
        self.control.arrays.next = self.arrays.val();
        self.control.write_valid.next = self.write_valid.val();
        self.write_ready.next = self.control.write_ready.val();
        self.control.write_data.next = self.write_data.val();
        self.doorbell.next = self.control.doorbell.val();
        self.pc.next = self.control.pc.val();
        self.frontier.next = self.control.frontier.val();
        self.tail.next = self.control.tail.val();
        self.control.put.next = self.put.val();
        self.control.put_number.next = self.put_number.val();
        self.control.put_value.next = self.put_value.val();
        self.running.next = self.control.running.val();
        self.finished.next = self.control.finished.val();
        self.trapped.next = self.control.trapped.val();
        self.code.next = self.control.code.val();
        self.trap_pc.next = self.control.trap_pc.val();
        self.trap_slot.next = self.control.trap_slot.val();
        // Words of memory, and rows of a wave.
        self.memory.memory_valid.next = self.control.memory_valid.val();
        self.memory.memory_word.next = self.control.memory_word.val();
        self.memory.memory_scalar.next = self.control.memory_scalar.val();
        self.control.memory_asks.next = self.memory.memory_asks.val();
        self.control.memory_step.next = self.memory.memory_step.val();
        self.control.memory_trap.next = self.memory.memory_trap.val();
        self.memory.memory_sent.next = self.control.memory_sent.val();
        self.memory.memory_taken.next = self.control.memory_taken.val();
        for m in 0..self._members {
            self.memory.memory_rows[m].next = self.control.memory_rows[m].val();
            self.control.memory_data[m].next = self.memory.memory_data[m].val();
            self.control.memory_where[m].next = self.memory.memory_where[m].val();
        }
        self.control.fill_slots.next = self.memory.fill_slots.val();
        self.control.fill_row.next = self.memory.fill_row.val();
        self.control.fill_count.next = self.memory.fill_count.val();
        // The launch.
        self.memory.arrays.next = self.arrays.val();
        LaunchSink::link(&mut self.launch, &mut self.memory.launch);
        self.memory.spill_base.next = self.spill_base.val();
        self.memory.spill_rows.next = self.spill_rows.val();
        self.special_number.next = self.memory.special_number.val();
        self.memory.special_word.next = self.special_word.val();
        self.memory.fill.next = self.fill.val();
        self.memory.wave_x.next = self.wave_x.val();
        self.memory.wave_y.next = self.wave_y.val();
        self.memory.wave_z.next = self.wave_z.val();
        self.filled.next = self.memory.filled.val();
        self.memory.page_write.next = self.page_write.val();
        self.memory.page_number.next = self.page_number.val();
        self.memory.page_entry.next = self.page_entry.val();
        self.trap_thread.next = self.memory.trap_thread.val();
        self.trap_address.next = self.memory.trap_address.val();
        self.trap_names.next = self.memory.trap_names.val();
        self.working.next = self.memory.working.val();
        CacheSource::link(&mut self.cache, &mut self.memory.cache);
        self.memory.answer_line.next = self.answer_line.val();
        self.lock.next = self.memory.lock.val();
    }

    described! { "duality_processor", "A control block with its memory unit."; ; _members }
}
