//! Register block: the compute unit's command port, status and identification behind AXI4-Lite.
//!
//! ```text
//!  s_axil ◀─▶ slave ─▶ write decode ─┬─▶ staged command ──▶ cmd_* ─▶ compute unit
//!               ▲                    ├─▶ push ─▶ cmd_valid            │
//!               │                    └─▶ control, interrupt           ▼
//!               └── word multiplexer ◀─── status, errors, counters ◀─ command log
//! ```
//!
//! What each register means is said in [`crate::registers`], once. When accesses take effect: see [`super::axil_slave`]. `irq` is a
//! register: it follows its cause by a cycle.
//!
//! A write to `push` sees `cmd_ready` when it takes effect. With room, `cmd_valid` = 1 in the next cycle, for that cycle, in which
//! the unit still has room because nothing else pushes. Without room the command is dropped, with error code `overflow`.

use super::axil_slave::{AxilSlave, NUMBER};
use super::axil_word::AxilWord;
use super::command_log::CommandLog;
use crate::blocks::bundles::AxilSlavePort;
use crate::kernel::prelude::*;
use crate::kernel::reg::Register;
use crate::params::Params;
use crate::registers::*;

/// Registers that there is room for.
pub const NUMBERS: usize = 1 << NUMBER;

const ID: usize = number(REG_ID);
const VERSION: usize = number(REG_VERSION);
const GEOMETRY: usize = number(REG_GEOMETRY);
const FEATURES: usize = number(REG_FEATURES);
const HASH_LOW: usize = number(REG_HASH_LOW);
const HASH_HIGH: usize = number(REG_HASH_HIGH);
const CONTROL: usize = number(REG_CONTROL);
const STATUS: usize = number(REG_STATUS);
const INTERRUPT: usize = number(REG_INTERRUPT);
const ERROR: usize = number(REG_ERROR);
const ERROR_INDEX: usize = number(REG_ERROR_INDEX);
const ERROR_ADDRESS_LOW: usize = number(REG_ERROR_ADDRESS_LOW);
const ERROR_ADDRESS_HIGH: usize = number(REG_ERROR_ADDRESS_HIGH);
const COMPLETED: usize = number(REG_COMPLETED);
const CYCLES_LOW: usize = number(REG_CYCLES_LOW);
const CYCLES_HIGH: usize = number(REG_CYCLES_HIGH);
const COMMAND: usize = number(REG_COMMAND);
const PUSH: usize = number(REG_PUSH);

/// Staged registers; they follow each other from `command` on.
pub const STAGED: usize = PUSH - COMMAND;
const AB: usize = number(REG_COMMAND_AB) - COMMAND;
const DE: usize = number(REG_COMMAND_DE) - COMMAND;
const S: usize = number(REG_COMMAND_S) - COMMAND;
const KEY_LOW: usize = number(REG_KEY_LOW) - COMMAND;
const KEY_HIGH: usize = number(REG_KEY_HIGH) - COMMAND;

const COMMAND_BITS: u64 = writable(REG_COMMAND);
const AB_BITS: u64 = writable(REG_COMMAND_AB);
const DE_BITS: u64 = writable(REG_COMMAND_DE);
const S_BITS: u64 = writable(REG_COMMAND_S);

const ENABLE_AT: u64 = CONTROL_ERROR_ENABLE_LSB as u64;
const EMPTY_AT: u64 = STATUS_QUEUE_EMPTY_LSB as u64;
const FULL_AT: u64 = STATUS_QUEUE_FULL_LSB as u64;
const ERROR_AT: u64 = STATUS_ERROR_LSB as u64;
const TAG_ANY_AT: u64 = STATUS_TAG_ANY_LSB as u64;
const FREE_AT: u64 = STATUS_FREE_LSB as u64;
const SEEN_AT: u64 = INTERRUPT_ERROR_LSB as u64;
const OPERAND_AT: u64 = ERROR_OPERAND_LSB as u64;
const MAGIC_WORD: u64 = MAGIC as u64;

const fn number(offset: u64) -> usize {
    offset as usize / 4
}

/// The register block.
#[derive(LogicBlock, Default)]
pub struct AxilRegs {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Registers, as seen by their master.
    pub s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>,
    /// Interrupt line, active high until its cause is cleared or disabled.
    pub irq: Signal<Out, Bit>,
    /// A command waits or runs.
    pub busy: Signal<Out, Bit>,
    /// An error is recorded.
    pub error: Signal<Out, Bit>,
    /// A command enters the unit's queue.
    pub cmd_valid: Signal<Out, Bit>,
    /// The queue has room.
    pub cmd_ready: Signal<In, Bit>,
    /// Opcode.
    pub cmd_op: Signal<Out, Bits<OPCODE_BITS>>,
    /// Micro-program set.
    pub cmd_set: Signal<Out, Bits<SET_BITS>>,
    /// Width n.
    pub cmd_width: Signal<Out, Bits<WIDTH_BITS>>,
    /// Second width m.
    pub cmd_second: Signal<Out, Bits<WIDTH_BITS>>,
    /// First row of the first source.
    pub cmd_a: Signal<Out, Bits<ROW_BITS>>,
    /// First row of the second source.
    pub cmd_b: Signal<Out, Bits<ROW_BITS>>,
    /// First row of the destination.
    pub cmd_d: Signal<Out, Bits<ROW_BITS>>,
    /// First row of the second destination, or the tag row.
    pub cmd_e: Signal<Out, Bits<ROW_BITS>>,
    /// First scratch row.
    pub cmd_s: Signal<Out, Bits<ROW_BITS>>,
    /// Search key or constant factor.
    pub cmd_key: Signal<Out, Word<64, 1>>,
    /// Writes to `push` before it.
    pub cmd_index: Signal<Out, Bits<32>>,
    /// The unit is busy.
    pub unit_busy: Signal<In, Bit>,
    /// Commands in its queue.
    pub unit_level: Signal<In, Bits<5>>,
    /// It has issued a command's last row.
    pub unit_finished: Signal<In, Bit>,
    /// It refuses a command.
    pub unit_refused: Signal<In, Bit>,
    /// Why.
    pub unit_code: Signal<In, Bits<4>>,
    /// Which operand.
    pub unit_operand: Signal<In, Bits<3>>,
    /// Which command.
    pub unit_index: Signal<In, Bits<32>>,
    /// Which address.
    pub unit_address: Signal<In, Word<64, 1>>,
    /// Wired-OR of the tags.
    pub unit_tag_any: Signal<In, Bit>,
    /// Channels.
    pub slave: AxilSlave,
    /// Errors and counters.
    pub log: CommandLog,
    /// Staged command.
    pub staged: [AxilWord; STAGED],
    /// The staged command goes into the queue.
    pub push: Register<Bit>,
    /// Interrupt enable.
    pub done_enable: Register<Bit>,
    /// Interrupt enable.
    pub error_enable: Register<Bit>,
    /// The unit has turned idle.
    pub done: Register<Bit>,
    /// A command was refused or dropped.
    pub error_seen: Register<Bit>,
    /// Interrupt line.
    pub line: Register<Bit>,
    write: Signal<Local, Bit>,
    number: Signal<Local, Bits<NUMBER>>,
    data: Signal<Local, Bits<32>>,
    strobes: Signal<Local, Bits<4>>,
    select: Signal<Local, Bits<NUMBER>>,
    at_control: Signal<Local, Bit>,
    at_interrupt: Signal<Local, Bit>,
    at_push: Signal<Local, Bit>,
    depth: Signal<Local, Bits<5>>,
    words: [Signal<Local, Bits<32>>; NUMBERS],
    of_2: [Signal<Local, Bits<32>>; 16],
    of_4: [Signal<Local, Bits<32>>; 8],
    of_8: [Signal<Local, Bits<32>>; 4],
    of_16: [Signal<Local, Bits<32>>; 2],
    _version: u64,
    _geometry: u64,
    _features: u64,
    _hash_low: u64,
    _hash_high: u64,
    _depth: u64,
}

impl AxilRegs {
    /// The register block of the design that `params` describe.
    pub fn new(params: &Params) -> Self {
        let constant = |name: &str| register(name).map_or(0, |r| reset_value(params, r).into());
        AxilRegs {
            _version: constant("version"),
            _geometry: constant("geometry"),
            _features: constant("features"),
            _hash_low: constant("hash_low"),
            _hash_high: constant("hash_high"),
            _depth: params.command_fifo as u64,
            ..Self::default()
        }
    }
}

impl Logic for AxilRegs {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, slave, log);
        dff_setup!(self, clock, push, done_enable, error_enable, done, error_seen, line);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.slave.s_axil);
        self.slave.write_ready.next = true;
        self.slave.read_ready.next = true;
        self.write.next = self.slave.write.val();
        self.number.next = self.slave.write_number.val();
        self.data.next = self.slave.write_data.val();
        self.strobes.next = self.slave.write_strobes.val();
        self.select.next = self.slave.read_number.val();
        // Staged command.
        for i in 0..STAGED {
            self.staged[i].clock.next = self.clock.val();
            self.staged[i].strobes.next = self.strobes.val();
            self.staged[i].data.next = self.data.val();
            self.staged[i].write.next = self.write.val() & (self.number.val().index() == COMMAND + i);
        }
        self.staged[0].data.next = self.data.val() & COMMAND_BITS;
        self.staged[AB].data.next = self.data.val() & AB_BITS;
        self.staged[DE].data.next = self.data.val() & DE_BITS;
        self.staged[S].data.next = self.data.val() & S_BITS;
        self.cmd_op.next = self.staged[0].value.val().get_bits::<OPCODE_BITS>(COMMAND_OPCODE_LSB);
        self.cmd_set.next = self.staged[0].value.val().get_bits::<SET_BITS>(COMMAND_SET_LSB);
        self.cmd_width.next = self.staged[0].value.val().get_bits::<WIDTH_BITS>(COMMAND_WIDTH_LSB);
        self.cmd_second.next = self.staged[0].value.val().get_bits::<WIDTH_BITS>(COMMAND_SECOND_LSB);
        self.cmd_a.next = self.staged[AB].value.val().get_bits::<ROW_BITS>(COMMAND_A_LSB);
        self.cmd_b.next = self.staged[AB].value.val().get_bits::<ROW_BITS>(COMMAND_B_LSB);
        self.cmd_d.next = self.staged[DE].value.val().get_bits::<ROW_BITS>(COMMAND_D_LSB);
        self.cmd_e.next = self.staged[DE].value.val().get_bits::<ROW_BITS>(COMMAND_E_LSB);
        self.cmd_s.next = self.staged[S].value.val().get_bits::<ROW_BITS>(COMMAND_S_LSB);
        self.cmd_key.next = bits_to::<Word<64, 1>, Bits<32>>(self.staged[KEY_LOW].value.val())
            | (bits_to::<Word<64, 1>, Bits<32>>(self.staged[KEY_HIGH].value.val()) << 32);
        // Other registers that take writes.
        self.at_control.next = self.write.val() & (self.number.val().index() == CONTROL);
        self.at_interrupt.next =
            self.write.val() & (self.number.val().index() == INTERRUPT) & self.strobes.val().get_bit(0);
        self.at_push.next = self.write.val() & (self.number.val().index() == PUSH) & self.strobes.val().any();
        if self.at_control.val() & self.strobes.val().get_bit(0) {
            self.done_enable.d.next = self.data.val().get_bit(CONTROL_DONE_ENABLE_LSB);
            self.error_enable.d.next = self.data.val().get_bit(CONTROL_ERROR_ENABLE_LSB);
        }
        self.log.clear.next =
            self.at_control.val() & self.strobes.val().get_bit(1) & self.data.val().get_bit(CONTROL_ERROR_CLEAR_LSB);
        self.log.push.next = self.at_push.val();
        self.log.room.next = self.cmd_ready.val();
        self.log.enters.next = self.push.q.val();
        self.push.d.next = self.at_push.val() & self.cmd_ready.val();
        self.cmd_valid.next = self.push.q.val();
        self.cmd_index.next = self.log.entering_index.val();
        // What happens in the unit; an event wins over a clear in the same cycle.
        self.log.unit_busy.next = self.unit_busy.val();
        self.log.unit_finished.next = self.unit_finished.val();
        self.log.unit_refused.next = self.unit_refused.val();
        self.log.unit_code.next = self.unit_code.val();
        self.log.unit_operand.next = self.unit_operand.val();
        self.log.unit_index.next = self.unit_index.val();
        self.log.unit_address.next = self.unit_address.val();
        self.log.keep.next = self.slave.read.val() & (self.select.val().index() == CYCLES_LOW);
        if self.at_interrupt.val() & self.data.val().get_bit(INTERRUPT_DONE_LSB) {
            self.done.d.next = false;
        }
        if self.log.turned_idle.val() {
            self.done.d.next = true;
        }
        if self.at_interrupt.val() & self.data.val().get_bit(INTERRUPT_ERROR_LSB) {
            self.error_seen.d.next = false;
        }
        if self.log.error.val() {
            self.error_seen.d.next = true;
        }
        self.line.d.next =
            (self.done.q.val() & self.done_enable.q.val()) | (self.error_seen.q.val() & self.error_enable.q.val());
        self.irq.next = self.line.q.val();
        self.busy.next = self.log.is_busy.val();
        self.error.next = self.log.error_code.val().any();
        // What reads give.
        for i in 0..NUMBERS {
            self.words[i].next = 0.into();
        }
        self.depth.next = self._depth.into();
        self.words[ID].next = MAGIC_WORD.into();
        self.words[VERSION].next = self._version.into();
        self.words[GEOMETRY].next = self._geometry.into();
        self.words[FEATURES].next = self._features.into();
        self.words[HASH_LOW].next = self._hash_low.into();
        self.words[HASH_HIGH].next = self._hash_high.into();
        self.words[CONTROL].next = bits_to::<Bits<32>, Bit>(self.done_enable.q.val())
            | (bits_to::<Bits<32>, Bit>(self.error_enable.q.val()) << ENABLE_AT);
        self.words[STATUS].next = bits_to::<Bits<32>, Bit>(self.log.is_busy.val())
            | (bits_to::<Bits<32>, Bit>(self.unit_level.val() == 0) << EMPTY_AT)
            | (bits_to::<Bits<32>, Bit>(!self.cmd_ready.val()) << FULL_AT)
            | (bits_to::<Bits<32>, Bit>(self.log.error_code.val().any()) << ERROR_AT)
            | (bits_to::<Bits<32>, Bit>(self.unit_tag_any.val()) << TAG_ANY_AT)
            | (bits_to::<Bits<32>, Bits<5>>(self.depth.val() - self.unit_level.val()) << FREE_AT);
        self.words[INTERRUPT].next = bits_to::<Bits<32>, Bit>(self.done.q.val())
            | (bits_to::<Bits<32>, Bit>(self.error_seen.q.val()) << SEEN_AT);
        self.words[ERROR].next = bits_to::<Bits<32>, Bits<4>>(self.log.error_code.val())
            | (bits_to::<Bits<32>, Bits<3>>(self.log.error_operand.val()) << OPERAND_AT);
        self.words[ERROR_INDEX].next = self.log.error_index.val();
        self.words[ERROR_ADDRESS_LOW].next = bits_to::<Bits<32>, Word<64, 1>>(self.log.error_address.val());
        self.words[ERROR_ADDRESS_HIGH].next = bits_to::<Bits<32>, Word<64, 1>>(self.log.error_address.val() >> 32);
        self.words[COMPLETED].next = self.log.completed.val();
        self.words[CYCLES_LOW].next = self.log.cycles_low.val();
        self.words[CYCLES_HIGH].next = self.log.cycles_high.val();
        for i in 0..STAGED {
            self.words[COMMAND + i].next = self.staged[i].value.val();
        }
        for i in 0..16 {
            self.of_2[i].next = self.words[2 * i].val();
            if self.select.val().get_bit(0) {
                self.of_2[i].next = self.words[2 * i + 1].val();
            }
        }
        for i in 0..8 {
            self.of_4[i].next = self.of_2[2 * i].val();
            if self.select.val().get_bit(1) {
                self.of_4[i].next = self.of_2[2 * i + 1].val();
            }
        }
        for i in 0..4 {
            self.of_8[i].next = self.of_4[2 * i].val();
            if self.select.val().get_bit(2) {
                self.of_8[i].next = self.of_4[2 * i + 1].val();
            }
        }
        for i in 0..2 {
            self.of_16[i].next = self.of_8[2 * i].val();
            if self.select.val().get_bit(3) {
                self.of_16[i].next = self.of_8[2 * i + 1].val();
            }
        }
        self.slave.read_value.next = self.of_16[0].val();
        if self.select.val().get_bit(4) {
            self.slave.read_value.next = self.of_16[1].val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "axil_regs",
            "Register block: command port, status and identification behind AXI4-Lite.",
            constants![
                ID, VERSION, GEOMETRY, FEATURES, HASH_LOW, HASH_HIGH, CONTROL, STATUS, INTERRUPT, ERROR, ERROR_INDEX, ERROR_ADDRESS_LOW, ERROR_ADDRESS_HIGH,
                COMPLETED, CYCLES_LOW, CYCLES_HIGH, COMMAND, PUSH, STAGED, NUMBERS, AB, DE, S, KEY_LOW, KEY_HIGH, COMMAND_BITS, AB_BITS,
                DE_BITS, S_BITS, ENABLE_AT, EMPTY_AT, FULL_AT, ERROR_AT, TAG_ANY_AT, FREE_AT, SEEN_AT, OPERAND_AT,
                MAGIC_WORD, COMMAND_OPCODE_LSB, COMMAND_SET_LSB, COMMAND_WIDTH_LSB,
                COMMAND_SECOND_LSB, COMMAND_A_LSB, COMMAND_B_LSB, COMMAND_D_LSB, COMMAND_E_LSB, COMMAND_S_LSB,
                CONTROL_DONE_ENABLE_LSB, CONTROL_ERROR_ENABLE_LSB, CONTROL_ERROR_CLEAR_LSB, INTERRUPT_DONE_LSB,
                INTERRUPT_ERROR_LSB;
                self._version, self._geometry, self._features, self._hash_low, self._hash_high, self._depth
            ],
        )
    }
}
