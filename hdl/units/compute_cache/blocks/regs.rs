//! The compute cache's register block and its memory window, behind AXI4-Lite.
//!
//! ```text
//!  s_axil ◀─▶ slave ─┬─▶ staged instruction, push ─▶ instr_*
//!               ▲    ├─▶ pop ─▶ result_ready
//!               │    └─▶ window ─▶ word_* ┐
//!               └── registers ◀─ result_*  │
//!                   └────────── read_* ◀───┘
//! ```
//!
//! What each register means is said in [`crate::compute_cache::registers`], once. Accesses take effect as
//! [`crate::parts::axil_slave`] says; those to the window when the word port takes them, which is after the
//! instructions that were pushed before and touch their block. A read of the window takes six cycles more than one of a
//! register. Of the window, what lies beyond the memory reads 0 and takes no write. `irq` is a register: it follows its
//! cause by a cycle.

use crate::compute_cache::blocks::bundles::{InstrSource, ProcessorSource, ResultSink};
use crate::compute_cache::registers::*;
use crate::compute_cache::{CACHE_OP_BITS, CacheGeometry};
use crate::kernel::prelude::*;
use crate::parts::axil_slave::AxilSlaveOf;
use crate::parts::axil_word::AxilWord;
use crate::parts::bundles::AxilSlavePort;
use crate::parts::cache_ops::GRAIN_BITS;

const NUMBER_BITS: usize = ADDRESS_BITS - 2; // Bits of a register's number.
const NUMBERS: usize = 32; // Registers that there is room for.
const FIRST_OUTSIDE: u64 = NUMBERS as u64;
const WINDOW_AT: usize = NUMBER_BITS - 1;
const WINDOW_MASK: u64 = WINDOW - 1;

const CONTROL: usize = number(REG_CONTROL);
const STATUS: usize = number(REG_STATUS);
const STAGED_A: usize = number(REG_A);
const PUSH: usize = number(REG_PUSH);
const RESULT: usize = number(REG_RESULT);
const MASK_LOW: usize = number(REG_MASK_LOW);
const MASK_HIGH: usize = number(REG_MASK_HIGH);
const FAULT: usize = number(REG_FAULT);
const POP: usize = number(REG_POP);
const DROPPED: usize = number(REG_DROPPED);
const CYCLES_LOW: usize = number(REG_CYCLES_LOW);
const CYCLES_HIGH: usize = number(REG_CYCLES_HIGH);

pub const CACHE_STAGED: usize = PUSH - STAGED_A; // Staged registers; they follow each other from `a` on.
const B: usize = number(REG_B) - STAGED_A;
const D: usize = number(REG_D) - STAGED_A;
const SIZE: usize = number(REG_SIZE) - STAGED_A;
const OPERATION: usize = number(REG_OPERATION) - STAGED_A;
const OPERATION_BITS: u64 = writable(REG_OPERATION);
const READY_AT: u64 = STATUS_READY_LSB as u64;
const RESULT_AT: u64 = STATUS_RESULT_LSB as u64;
const CODE_AT: u64 = RESULT_CODE_LSB as u64;
const TAG_AT: u64 = RESULT_TAG_LSB as u64;

const fn number(offset: u64) -> usize {
    offset as usize / 4
}

hdl_block! {
    pub CcRegs {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Out irq: Bit; /// Interrupt line, active high while its cause lasts.
        Bus instr: InstrSource; /// Instructions that come in.
        Bus result: ResultSink; /// Results of instructions.
        Bus processor_: ProcessorSource; /// Both of these.
        In busy: Bit; /// An instruction is in the table.
    } inside {
        Child slave: AxilSlaveOf<ADDRESS_BITS, NUMBER_BITS>; // Channels.
        Child staged: [AxilWord; CACHE_STAGED]; // Staged instruction.
        Register enable, line, reading: Bit; // Interrupt enable. Interrupt line. A read of the window is on its way.
        Register dropped, cycles_low: Bits<32>; // Pushes dropped. Busy cycles, low half.
        Register cycles_high, kept: Bits<32>; // Busy cycles, high half. The high half when the low one was last read.
        Local write, write_window, read_window: Bit;
        Local window_at: Bits<NUMBER_BITS>;
        Local half: Word<64, 1>;
        Child fixed: Vec<Constant<Bits<32>>>; // What registers hold after reset; identification registers always.
        Child words: [Signal<Local, Bits<32>>; NUMBERS];
        Local value: Bits<32>;
    }
}

impl CcRegs {
    pub fn new(geometry: &CacheGeometry) -> Self {
        let fixed =
            |at: usize| REGISTERS.iter().find(|r| number(r.offset) == at).map_or(0, |r| reset_value(geometry, r));
        let fixed = (0..NUMBERS).map(|at| Constant::new(u64::from(fixed(at)).into())).collect();
        CcRegs { fixed, ..Self::default() }
    }
}

impl Logic for CcRegs {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, slave);
        dff_setup!(self, clock, enable, line, reading, dropped, cycles_low, cycles_high, kept);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.slave.s_axil);
        self.write_window.next = self.slave.write.val() & self.slave.write_number.val().get_bit(WINDOW_AT);
        self.read_window.next = self.slave.read.val() & self.slave.read_number.val().get_bit(WINDOW_AT);
        self.write.next = self.slave.write.val() & (self.slave.write_number.val() < FIRST_OUTSIDE);
        // Staged instruction.
        for i in 0..CACHE_STAGED {
            self.staged[i].clock.next = self.clock.val();
            self.staged[i].strobes.next = self.slave.write_strobes.val();
            self.staged[i].data.next = self.slave.write_data.val();
            self.staged[i].write.next = self.write.val() & (self.slave.write_number.val().index() == STAGED_A + i);
        }
        self.staged[OPERATION].data.next = self.slave.write_data.val() & OPERATION_BITS;
        self.instr.work_.a.next = self.staged[0].value.val();
        self.instr.work_.b.next = self.staged[B].value.val();
        self.instr.work_.d.next = self.staged[D].value.val();
        self.instr.work_.size.next = self.staged[SIZE].value.val();
        self.instr.work_.op.next = self.staged[OPERATION].value.val().get_bits::<CACHE_OP_BITS>(OPERATION_OPCODE_LSB);
        self.instr.work_.grain.next = self.staged[OPERATION].value.val().get_bits::<GRAIN_BITS>(OPERATION_GRAIN_LSB);
        self.instr.tag.next = self.staged[OPERATION].value.val().get_bits::<8>(OPERATION_TAG_LSB);
        self.instr.valid.next =
            self.write.val() & (self.slave.write_number.val().index() == PUSH) & self.slave.write_strobes.val().any();
        if self.instr.valid.val() & !self.instr.ready.val() {
            self.dropped.d.next = self.dropped.q.val() + 1;
        }
        self.result.ready.next =
            self.write.val() & (self.slave.write_number.val().index() == POP) & self.slave.write_strobes.val().any();
        // Window: writes before reads.
        self.processor_.word.write.next = self.write_window.val();
        self.processor_.word.valid.next = self.write_window.val() | (self.read_window.val() & !self.reading.q.val());
        self.window_at.next = self.slave.read_number.val();
        if self.write_window.val() {
            self.window_at.next = self.slave.write_number.val();
        }
        self.processor_.word.address.next = (bit_cast::<32, NUMBER_BITS>(self.window_at.val()) << 2) & WINDOW_MASK;
        self.processor_.word.data.next = bits_to::<Word<64, 1>, Bits<32>>(self.slave.write_data.val())
            | (bits_to::<Word<64, 1>, Bits<32>>(self.slave.write_data.val()) << 32);
        self.processor_.word.strobes.next = bit_cast::<8, 4>(self.slave.write_strobes.val());
        if self.slave.write_number.val().get_bit(0) {
            self.processor_.word.strobes.next = bit_cast::<8, 4>(self.slave.write_strobes.val()) << 4;
        }
        self.slave.write_ready.next = !self.write_window.val() | self.processor_.word.ready.val();
        if !self.write_window.val() & self.read_window.val() & !self.reading.q.val() & self.processor_.word.ready.val()
        {
            self.reading.d.next = true;
        }
        self.half.next = self.processor_.read.data.val();
        if self.slave.read_number.val().get_bit(0) {
            self.half.next = self.processor_.read.data.val() >> 32;
        }
        self.processor_.read.ready.next = self.reading.q.val();
        self.slave.read_ready.next =
            !self.read_window.val() | (self.reading.q.val() & self.processor_.read.valid.val());
        if self.reading.q.val() & self.processor_.read.valid.val() {
            self.reading.d.next = false;
        }
        // Other registers.
        if self.write.val()
            & (self.slave.write_number.val().index() == CONTROL)
            & self.slave.write_strobes.val().get_bit(0)
        {
            self.enable.d.next = self.slave.write_data.val().get_bit(CONTROL_RESULT_ENABLE_LSB);
        }
        self.line.d.next = self.enable.q.val() & self.result.valid.val();
        self.irq.next = self.line.q.val();
        if self.busy.val() {
            self.cycles_low.d.next = self.cycles_low.q.val() + 1;
            if self.cycles_low.q.val().all() {
                self.cycles_high.d.next = self.cycles_high.q.val() + 1;
            }
        }
        if self.slave.read.val() & (self.slave.read_number.val().index() == CYCLES_LOW) {
            self.kept.d.next = self.cycles_high.q.val();
        }
        // What reads give.
        for i in 0..NUMBERS {
            self.words[i].next = self.fixed[i].val();
        }
        self.words[CONTROL].next = bits_to::<Bits<32>, Bit>(self.enable.q.val());
        self.words[STATUS].next = bits_to::<Bits<32>, Bit>(self.busy.val())
            | (bits_to::<Bits<32>, Bit>(self.instr.ready.val()) << READY_AT)
            | (bits_to::<Bits<32>, Bit>(self.result.valid.val()) << RESULT_AT);
        for i in 0..CACHE_STAGED {
            self.words[STAGED_A + i].next = self.staged[i].value.val();
        }
        if self.result.valid.val() {
            self.words[RESULT].next = bits_to::<Bits<32>, Bit>(self.result.valid.val())
                | (bits_to::<Bits<32>, Bits<3>>(self.result.code.val()) << CODE_AT)
                | (bits_to::<Bits<32>, Bits<8>>(self.result.tag.val()) << TAG_AT);
            self.words[MASK_LOW].next = bits_to::<Bits<32>, Word<64, 1>>(self.result.mask.val());
            self.words[MASK_HIGH].next = bits_to::<Bits<32>, Word<64, 1>>(self.result.mask.val() >> 32);
            self.words[FAULT].next = self.result.address.val();
        }
        self.words[DROPPED].next = self.dropped.q.val();
        self.words[CYCLES_LOW].next = self.cycles_low.q.val();
        self.words[CYCLES_HIGH].next = self.kept.q.val();
        self.value.next = 0.into();
        for i in 0..NUMBERS {
            if self.slave.read_number.val().index() == i {
                self.value.next = self.words[i].val();
            }
        }
        self.slave.read_value.next = self.value.val();
        if self.read_window.val() {
            self.slave.read_value.next = bits_to::<Bits<32>, Word<64, 1>>(self.half.val());
        }
    }

    described!("cc_regs", "The compute cache's register block and memory window behind AXI4-Lite.";
        CONTROL, STATUS, STAGED_A, PUSH, RESULT, MASK_LOW, MASK_HIGH, FAULT, POP, DROPPED, CYCLES_LOW, CYCLES_HIGH,
        CACHE_STAGED, NUMBERS, FIRST_OUTSIDE, WINDOW_AT, WINDOW_MASK, B, D, SIZE, OPERATION, OPERATION_BITS, READY_AT,
        RESULT_AT, CODE_AT, TAG_AT, OPERATION_OPCODE_LSB, OPERATION_GRAIN_LSB, OPERATION_TAG_LSB,
        CONTROL_RESULT_ENABLE_LSB);
}
