//! Registers of operations on lines: operands that are written, the instruction that is under way, its result.
//!
//! What each means is said in [`crate::duality::registers`]. `write` = 1 writes the register `number` at the end of the
//! cycle, and does not come with `refuses` = 1: that is 1, whether something is written or not, if the register may not
//! be, which holds for all but `line_result` while an instruction is under way (`working`), and for `line_operation`
//! unless the ways are `ready`. A register that cannot be written is as it was. `value` is what `read_number` holds.
//!
//! A write of `line_operation` begins an instruction, and clears `done`, code and what it is about. In the cycle behind
//! it `code` and `about` are looked at and noted: an illegal one ends with them, `done` is 1 from the next cycle on; a
//! legal one starts (`start` = 1 in this cycle), and ends with `ended`, behind which `done` is 1, and, if it has
//! `failed`, the code is that of a bus error and `fault` what it is about. `working` = 1 from the cycle in which the
//! code is looked at to that of the end. A write of `line_result` clears `done` in which its bit is 1, unless an
//! instruction ends in the same cycle. `irq` is a register: it is 1 in the cycle behind one in which `line_result.done`
//! is 1 and the instruction has asked for it. A reset makes all registers 0.

use crate::duality::blocks::bundles::LineHostSink;
use crate::duality::lines::LINE_BUS;
use crate::duality::registers::*;
use crate::kernel::prelude::*;
use crate::parts::cache_ops::{CACHE_OP_BITS, GRAIN_BITS, RowOp};

/// A register's number among those of lines: its word address, of which these bits suffice.
const fn number(offset: u64) -> u64 {
    offset / 4 % 16
}

numbers! {
    A = number(REG_LINE_A), B = number(REG_LINE_B), D = number(REG_LINE_D), SIZE = number(REG_LINE_SIZE),
    OPERATION = number(REG_LINE_OPERATION), RESULT = number(REG_LINE_RESULT), MASK_LOW = number(REG_LINE_MASK_LOW),
    MASK_HIGH = number(REG_LINE_MASK_HIGH), FAULT = number(REG_LINE_FAULT), BUS = LINE_BUS,
    GRAIN_AT = LINE_OPERATION_GRAIN_LSB, ENABLE_AT = LINE_OPERATION_INTERRUPT_LSB, DONE_AT = LINE_RESULT_DONE_LSB,
    CODE_AT = LINE_RESULT_CODE_LSB
}

hdl_block! {
    /// The registers.
    pub DualityLineRegisters {
        In clock: Domain; /// Clock and reset.
        Bus host: LineHostSink; /// Their user.
        Out op: RowOp; /// The instruction: what it computes.
        Out grain: Bits<GRAIN_BITS>; /// Granularity.
        Out a, b, d, size: Bits<32>; /// Operands, and bytes of each.
        In code: Bits<3>; /// What is wrong with it.
        In about: Bits<32>; /// What with.
        Out start: Bit; /// It begins.
        In ended, failed: Bit; /// It has ended. A line could not be had.
        In fault: Bits<32>; /// Which one.
        In mask: Word<64, 1>; /// Its bits.
    } inside {
        Register at_a, at_b, at_d, bytes: Bits<32>; // Operands.
        Register opcode: RowOp;
        Register granularity: Bits<GRAIN_BITS>;
        Register enable: Bit; // The end of the instruction is to interrupt.
        Register fresh, runs: Bit; // An instruction is to be looked at. One is under way.
        Register done, line: Bit; // One has ended. The interrupt line.
        Register outcome: Bits<3>; // How.
        Register wrong: Bits<32>; // What with.
        Local working: Bit;
        Local half: Bits<32>;
    }
}

impl Logic for DualityLineRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at_a, at_b, at_d, bytes, opcode, granularity, enable, fresh, runs, done, line);
        dff_setup!(self, clock, outcome, wrong);
        self.working.next = self.fresh.q.val() | self.runs.q.val();
        self.host.working.next = self.working.val();
        self.host.refuses.next = ((self.host.number.val() != RESULT) & self.working.val())
            | ((self.host.number.val() == OPERATION) & !self.host.ready.val());
        // The instruction.
        self.op.next = self.opcode.q.val();
        self.grain.next = self.granularity.q.val();
        self.a.next = self.at_a.q.val();
        self.b.next = self.at_b.q.val();
        self.d.next = self.at_d.q.val();
        self.size.next = self.bytes.q.val();
        self.start.next = self.fresh.q.val() & (self.code.val() == 0);
        // What ends in the cycle of such a write is told all the same.
        if self.host.write.val()
            & (self.host.number.val() == RESULT)
            & self.host.data.val().get_bit(LINE_RESULT_DONE_LSB)
        {
            self.done.d.next = false;
        }
        if self.fresh.q.val() {
            self.fresh.d.next = false;
            self.runs.d.next = self.code.val() == 0;
            self.outcome.d.next = self.code.val();
            self.wrong.d.next = self.about.val();
            if self.code.val() != 0 {
                self.done.d.next = true;
            }
        }
        if self.runs.q.val() & self.ended.val() {
            self.runs.d.next = false;
            self.done.d.next = true;
            if self.failed.val() {
                self.outcome.d.next = BUS.into();
                self.wrong.d.next = self.fault.val();
            }
        }
        // Writes.
        if self.host.write.val() {
            if self.host.number.val() == A {
                self.at_a.d.next = self.host.data.val();
            } else if self.host.number.val() == B {
                self.at_b.d.next = self.host.data.val();
            } else if self.host.number.val() == D {
                self.at_d.d.next = self.host.data.val();
            } else if self.host.number.val() == SIZE {
                self.bytes.d.next = self.host.data.val();
            } else if self.host.number.val() == OPERATION {
                self.opcode.d.next = self.host.data.val().get_bits::<CACHE_OP_BITS>(LINE_OPERATION_OPCODE_LSB);
                self.granularity.d.next = self.host.data.val().get_bits::<GRAIN_BITS>(LINE_OPERATION_GRAIN_LSB);
                self.enable.d.next = self.host.data.val().get_bit(LINE_OPERATION_INTERRUPT_LSB);
                self.fresh.d.next = true;
                self.done.d.next = false;
                self.outcome.d.next = 0.into();
                self.wrong.d.next = 0.into();
            }
        }
        self.line.d.next = self.done.q.val() & self.enable.q.val();
        self.host.irq.next = self.line.q.val();
        // Reads.
        self.half.next = bits_to::<Bits<32>, Word<64, 1>>(self.mask.val() >> 32);
        self.host.value.next = self.wrong.q.val();
        if self.host.read_number.val() == A {
            self.host.value.next = self.at_a.q.val();
        } else if self.host.read_number.val() == B {
            self.host.value.next = self.at_b.q.val();
        } else if self.host.read_number.val() == D {
            self.host.value.next = self.at_d.q.val();
        } else if self.host.read_number.val() == SIZE {
            self.host.value.next = self.bytes.q.val();
        } else if self.host.read_number.val() == OPERATION {
            self.host.value.next = bits_to::<Bits<32>, RowOp>(self.opcode.q.val())
                | (bits_to::<Bits<32>, Bits<GRAIN_BITS>>(self.granularity.q.val()) << GRAIN_AT)
                | (bits_to::<Bits<32>, Bit>(self.enable.q.val()) << ENABLE_AT);
        } else if self.host.read_number.val() == RESULT {
            self.host.value.next = bits_to::<Bits<32>, Bit>(self.working.val())
                | (bits_to::<Bits<32>, Bit>(self.done.q.val()) << DONE_AT)
                | (bits_to::<Bits<32>, Bits<3>>(self.outcome.q.val()) << CODE_AT);
        } else if self.host.read_number.val() == MASK_LOW {
            self.host.value.next = bits_to::<Bits<32>, Word<64, 1>>(self.mask.val());
        } else if self.host.read_number.val() == MASK_HIGH {
            self.host.value.next = self.half.val();
        }
    }

    described! {
        "duality_line_registers", "Registers of operations on lines."; A, B, D, SIZE, OPERATION, RESULT, MASK_LOW,
        MASK_HIGH, FAULT, BUS, GRAIN_AT, ENABLE_AT, DONE_AT, CODE_AT, CACHE_OP_BITS, LINE_OPERATION_OPCODE_LSB,
        LINE_OPERATION_GRAIN_LSB, LINE_OPERATION_INTERRUPT_LSB, LINE_RESULT_DONE_LSB
    }
}
