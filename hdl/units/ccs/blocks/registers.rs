//! The registers of a cache compute system.
//!
//! What each register means is said in [`crate::ccs::registers`], once. `write` and `read` last a cycle each; `value`
//! is the register of `number` in the same cycle. A write must reach all four bytes; others change nothing. `clear`
//! sets everything as after reset. `irq` is a register: it follows its cause by a cycle.

use crate::ccs::blocks::types::{Shape, describes};
use crate::ccs::registers::*;
use crate::ccs::{CCS_ERROR_BITS, CcsGeometry};
use crate::kernel::prelude::*;

/// Bits of a register's number.
pub const NUMBER_BITS: usize = 6;
/// Staged registers: from `a` to the last step.
const STAGED: usize = 16;
/// Numbers that there is a value for.
const NUMBERS: usize = 32;

/// The number of the register at an offset.
pub(super) const fn number(offset: u64) -> usize {
    offset as usize / 4
}

/// Registers' numbers; of staged ones, from the first of these on.
macro_rules! numbers {
    (from $first:ident: $($name:ident = $offset:ident,)+) => { $(const $name: usize = number($offset) - $first;)+ };
    ($($name:ident = $offset:ident,)+) => { $(const $name: usize = number($offset);)+ };
}

numbers! {
    ID = REG_ID, VERSION = REG_VERSION, GEOMETRY = REG_GEOMETRY, HASH_LOW = REG_HASH_LOW, HASH_HIGH = REG_HASH_HIGH,
    CONTROL = REG_CONTROL, STATUS = REG_STATUS, WAIT = REG_WAIT, ERROR = REG_ERROR, COMPLETED = REG_COMPLETED,
    RESULT = REG_RESULT, CYCLES_LOW = REG_CYCLES_LOW, CYCLES_HIGH = REG_CYCLES_HIGH, INTERRUPT = REG_INTERRUPT,
    QUEUE = REG_QUEUE, LAUNCH = REG_LAUNCH, FIRST = REG_A,
}

numbers! { from FIRST:
    A = REG_A, B = REG_B, R = REG_R, COMMAND = REG_COMMAND, LENGTH = REG_LENGTH, CONSTANT = REG_CONSTANT,
    STRIDE = REG_STRIDE, MASK = REG_MASK_0, COUNT = REG_COUNT, STEP_A = REG_STEP_A, STEP_B = REG_STEP_B,
    STEP_R = REG_STEP_R,
}

// What brings a command has an odd number, `start` an even one.
const _: () = assert!(QUEUE & 1 == 1 && LAUNCH & 1 == 1 && number(REG_START) & 1 == 0);

const COMMAND_NUMBER: usize = number(REG_COMMAND);
const STRIDE_NUMBER: usize = number(REG_STRIDE);
const COUNT_NUMBER: usize = number(REG_COUNT);
const BYTE: u64 = 0xff;
const STATUS_ERROR_AT: u64 = STATUS_ERROR_LSB as u64;
const STATUS_RESETTING_AT: u64 = STATUS_RESETTING_LSB as u64;
const STATUS_QUEUED_AT: u64 = STATUS_QUEUED_LSB as u64;
const LENGTH_AT: u64 = LAUNCH_LENGTH_LSB as u64;
const MAGIC_WORD: u64 = MAGIC as u64;

hdl_block! {
    /// The register block.
    pub CcsRegisters {
        In clock: Domain; /// Clock and reset.
        In write, read: Bit; /// A register is written. A register is read: what reading changes is changed.
        In launching: Bit; /// All of one is written that starts a command.
        In number: Bits<NUMBER_BITS>; /// Which.
        In data: Bits<32>; /// What to write.
        In strobes: Bits<4>; /// Which bytes.
        Out value: Bits<32>; /// What the register holds.
        Out start, queues: Bit; /// A command starts. If it does, it is queued behind the one that runs.
        Out soft_reset: Bit; /// A soft reset is asked for.
        Out several, strided: Bit; /// There is more than one row. The stride is not 1.
        Out command: Bits<8>; /// Command and flags.
        Out next_command: Bits<8>; /// The same as a start in this cycle finds it.
        Out next_length: Bits<32>; /// The length, likewise.
        Out a, b, r, length: Bits<32>; /// Byte address of a. Byte address of b. Byte address of r. Elements.
        Out constant: Bits<32>; /// The constant.
        Out stride: Bits<8>; /// Stride.
        Bus mask: Array<Signal<Out, Bit>, LANES>; /// Stride mask, a bit for each lane.
        Out count, step_a, step_b, step_r: Bits<32>; /// Rows. Step of a. Step of b. Step of r.
        In ready, resetting: Bit; /// No command runs. A soft reset is under way.
        In queued: Bit; /// A command waits behind the one that runs.
        In error: Bits<CCS_ERROR_BITS>; /// Error code.
        In taken, ended: Bit; /// A start was taken. A command ends or is refused.
        In line_written, result_valid: Bit; /// A result line is written. A reduction's result is there.
        In result: Bits<32>; /// The result.
        In clear: Bit; /// Everything as after reset.
        Out irq: Bit; /// Interrupt line, active high.
    } inside {
        Child staged: Array<Register<Bits<32>>, STAGED>; // Staged registers.
        Register enable, done, line: Bit; // Interrupt enable. `interrupt.done`. Interrupt line.
        Register completed, last_result: Bits<32>; // Result lines. Last reduction's result.
        Register cycles_low, cycles_high: Bits<32>; // Busy cycles, low half. Busy cycles, high half.
        Register kept: Bits<32>; // The high half when the low one was last read.
        Register rows: Bit; // There is more than one row: known with `count`.
        Register apart: Bit; // The stride is not 1: known with `stride`.
        Child resets: Vec<Constant<Bits<32>>>;
        Local writes, launches: Bit;
        Local incoming: Bits<32>;
        Child words: Array<Signal<Local, Bits<32>>, NUMBERS>;
        Child halves: Array<Signal<Local, Bits<32>>, 16>;
        Child quarters: Array<Signal<Local, Bits<32>>, 8>;
        Child eighths: Array<Signal<Local, Bits<32>>, 4>;
        Child sixteenths: Array<Signal<Local, Bits<32>>, 2>;
        Value _version, _geometry, _hash_low, _hash_high: u64;
        Value _g: Shape;
    }
}

impl CcsRegisters {
    /// The register block of this geometry.
    pub fn new(geometry: &CcsGeometry) -> Self {
        let constant = |name: &str| register(name).map_or(0, |r| reset_value(geometry, r));
        let reset = |i: usize| {
            let found = REGISTERS.iter().find(|r| number(r.offset) == FIRST + i);
            Bits::from(u64::from(found.map_or(0, |r| reset_value(geometry, r))))
        };
        CcsRegisters {
            staged: Array::of((0..STAGED).map(|i| Register::new(reset(i)))),
            resets: (0..STAGED).map(|i| Constant::new(reset(i))).collect(),
            _version: constant("version").into(),
            _geometry: constant("geometry").into(),
            _hash_low: constant("hash_low").into(),
            _hash_high: constant("hash_high").into(),
            ..Self::default()
        }
    }
}

impl Logic for CcsRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, enable, done, line, completed, last_result, cycles_low, cycles_high);
        dff_setup!(self, clock, kept, rows, apart, staged);
        self.writes.next = self.write.val() & self.strobes.val().all();
        // Among those that start something `start` is the one with an even number: it brings no command.
        self.launches.next = self.launching.val() & self.number.val().get_bit(0);
        self.start.next = self.launching.val();
        self.queues.next = self.number.val().index() == QUEUE;
        self.soft_reset.next = self.writes.val()
            & (self.number.val().index() == CONTROL)
            & self.data.val().get_bit(CONTROL_SOFT_RESET_LSB);
        // Staged registers.
        self.incoming.next = self.data.val();
        if (self.number.val().index() == COMMAND_NUMBER) | (self.number.val().index() == STRIDE_NUMBER) {
            self.incoming.next = self.data.val() & BYTE;
            // What has more bits is no code and no stride, and must not become one.
            if (self.data.val() >> 8).any() {
                self.incoming.next = BYTE.into();
            }
        }
        for i in 0..STAGED {
            if self.writes.val() & (self.number.val().index() == FIRST + i) {
                self.staged[i].d.next = self.incoming.val();
            }
        }
        if self.launches.val() {
            self.staged[COMMAND].d.next = self.data.val() & BYTE;
            self.staged[LENGTH].d.next = self.data.val() >> LENGTH_AT;
        }
        if self.writes.val() & (self.number.val().index() == COUNT_NUMBER) {
            self.rows.d.next = self.data.val() != 1;
        }
        if self.writes.val() & (self.number.val().index() == STRIDE_NUMBER) {
            self.apart.d.next = self.data.val() != 1;
        }
        if self.clear.val() {
            self.rows.d.next = false;
            self.apart.d.next = false;
        }
        self.several.next = self.rows.q.val();
        self.strided.next = self.apart.q.val();
        self.next_command.next = self.data.val().get_bits::<8>(0);
        self.next_length.next = self.data.val() >> LENGTH_AT;
        if !self.number.val().get_bit(0) {
            self.next_command.next = self.staged[COMMAND].q.val().get_bits::<8>(0);
            self.next_length.next = self.staged[LENGTH].q.val();
        }
        for i in 0..STAGED {
            if self.clear.val() {
                self.staged[i].d.next = self.resets[i].val();
            }
        }
        self.command.next = self.staged[COMMAND].q.val().get_bits::<8>(0);
        self.a.next = self.staged[A].q.val();
        self.b.next = self.staged[B].q.val();
        self.r.next = self.staged[R].q.val();
        self.length.next = self.staged[LENGTH].q.val();
        self.constant.next = self.staged[CONSTANT].q.val();
        self.stride.next = self.staged[STRIDE].q.val().get_bits::<8>(0);
        self.count.next = self.staged[COUNT].q.val();
        self.step_a.next = self.staged[STEP_A].q.val();
        self.step_b.next = self.staged[STEP_B].q.val();
        self.step_r.next = self.staged[STEP_R].q.val();
        for w in 0..self._g.mask_words {
            for k in 0..self._g.word_lanes {
                self.mask[32 * w + k].next = self.staged[MASK + w].q.val().get_bit(k);
            }
        }
        // What happens.
        if self.writes.val() & (self.number.val().index() == CONTROL) {
            self.enable.d.next = self.data.val().get_bit(CONTROL_DONE_ENABLE_LSB);
        }
        if self.writes.val() & (self.number.val().index() == INTERRUPT) & self.data.val().get_bit(INTERRUPT_DONE_LSB) {
            self.done.d.next = false;
        }
        if self.ended.val() {
            self.done.d.next = true;
        }
        self.line.d.next = self.enable.q.val() & self.done.q.val();
        self.irq.next = self.line.q.val();
        if self.line_written.val() {
            self.completed.d.next = self.completed.q.val() + 1;
        }
        if self.taken.val() {
            self.completed.d.next = 0.into();
        }
        if self.result_valid.val() {
            self.last_result.d.next = self.result.val();
        }
        if !self.ready.val() {
            self.cycles_low.d.next = self.cycles_low.q.val() + 1;
            if self.cycles_low.q.val().all() {
                self.cycles_high.d.next = self.cycles_high.q.val() + 1;
            }
        }
        if self.read.val() & (self.number.val().index() == CYCLES_LOW) {
            self.kept.d.next = self.cycles_high.q.val();
        }
        if self.clear.val() {
            self.enable.d.next = false;
            self.done.d.next = false;
            self.line.d.next = false;
            self.completed.d.next = 0.into();
            self.last_result.d.next = 0.into();
            self.cycles_low.d.next = 0.into();
            self.cycles_high.d.next = 0.into();
            self.kept.d.next = 0.into();
        }
        // What reads give.
        for i in 0..NUMBERS {
            self.words[i].next = 0.into();
        }
        self.words[ID].next = MAGIC_WORD.into();
        self.words[VERSION].next = self._version.into();
        self.words[GEOMETRY].next = self._geometry.into();
        self.words[HASH_LOW].next = self._hash_low.into();
        self.words[HASH_HIGH].next = self._hash_high.into();
        self.words[CONTROL].next = bits_to::<Bits<32>, Bit>(self.enable.q.val());
        self.words[STATUS].next = bits_to::<Bits<32>, Bit>(self.ready.val() & !self.resetting.val())
            | (bits_to::<Bits<32>, Bit>(self.error.val().any()) << STATUS_ERROR_AT)
            | (bits_to::<Bits<32>, Bit>(self.resetting.val()) << STATUS_RESETTING_AT)
            | (bits_to::<Bits<32>, Bit>(self.queued.val()) << STATUS_QUEUED_AT);
        self.words[WAIT].next = bit_cast::<32, CCS_ERROR_BITS>(self.error.val());
        self.words[ERROR].next = bit_cast::<32, CCS_ERROR_BITS>(self.error.val());
        self.words[COMPLETED].next = self.completed.q.val();
        self.words[RESULT].next = self.last_result.q.val();
        self.words[CYCLES_LOW].next = self.cycles_low.q.val();
        self.words[CYCLES_HIGH].next = self.kept.q.val();
        self.words[INTERRUPT].next = bits_to::<Bits<32>, Bit>(self.done.q.val());
        for i in 0..STAGED {
            self.words[FIRST + i].next = self.staged[i].q.val();
        }
        self.words[LAUNCH].next = 0.into();
        // One of them, by a tree that looks at a bit of the number in each level.
        for i in 0..16 {
            self.halves[i].next = self.words[2 * i].val();
            if self.number.val().get_bit(0) {
                self.halves[i].next = self.words[2 * i + 1].val();
            }
        }
        for i in 0..8 {
            self.quarters[i].next = self.halves[2 * i].val();
            if self.number.val().get_bit(1) {
                self.quarters[i].next = self.halves[2 * i + 1].val();
            }
        }
        for i in 0..4 {
            self.eighths[i].next = self.quarters[2 * i].val();
            if self.number.val().get_bit(2) {
                self.eighths[i].next = self.quarters[2 * i + 1].val();
            }
        }
        for i in 0..2 {
            self.sixteenths[i].next = self.eighths[2 * i].val();
            if self.number.val().get_bit(3) {
                self.sixteenths[i].next = self.eighths[2 * i + 1].val();
            }
        }
        self.value.next = self.sixteenths[0].val();
        if self.number.val().get_bit(4) {
            self.value.next = self.sixteenths[1].val();
        }
        if self.number.val().get_bit(5) {
            self.value.next = 0.into();
        }
    }

    describes!(block: "ccs_registers", "Register block of the cache compute system.",
        [A, B, R, COMMAND, LENGTH, CONSTANT, STRIDE, MASK, COUNT, STEP_A, STEP_B, STEP_R, FIRST, STAGED, NUMBERS,
        LAUNCH, CONTROL, COMMAND_NUMBER, STRIDE_NUMBER, BYTE, LENGTH_AT, INTERRUPT, CYCLES_LOW, CYCLES_HIGH,
        ID, VERSION, GEOMETRY, HASH_LOW, HASH_HIGH, STATUS, WAIT, ERROR, COMPLETED, RESULT, MAGIC_WORD,
        STATUS_ERROR_AT, STATUS_RESETTING_AT, STATUS_QUEUED_AT, QUEUE, COUNT_NUMBER, CONTROL_SOFT_RESET_LSB,
        CONTROL_DONE_ENABLE_LSB, INTERRUPT_DONE_LSB, CCS_ERROR_BITS;
        block._version, block._geometry, block._hash_low, block._hash_high]);
}
