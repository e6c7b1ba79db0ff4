//! Register block: the compute unit's command port, status and identification behind AXI4-Lite.
//!
//! ```text
//!  s_axil ◀─▶ slave ─▶ write decode ─┬─▶ staged command ──▶ cmd_* ─▶ compute unit
//!               ▲                    ├─▶ push ─▶ cmd_valid            │
//!               │                    └─▶ control, interrupt           ▼
//!               └── word multiplexer ◀─── status, errors, counters ◀─ command log
//! ```
//!
//! What each register means is said in [`crate::array::registers`], once. When accesses take effect: see
//! [`crate::parts::axil_slave`]. `irq` is a register: it follows its cause by a cycle.
//!
//! A write to `push` sees `cmd_ready` when it takes effect. With room, `cmd_valid` = 1 in the next cycle, for that
//! cycle, in which the unit still has room because nothing else pushes. Without room the command is dropped, with error
//! code `overflow`.

use crate::array::blocks::bundles::{CommandSource, EventSink, StatusSource};
use crate::array::blocks::command_log::CommandLog;
use crate::array::blocks::exception_flags::{FLAGS as FLAG_BITS, RAISED, optional};
use crate::array::blocks::flag_register::FlagRegister;
use crate::array::params::Params;
use crate::array::registers::*;
use crate::kernel::prelude::*;
use crate::parts::axil_slave::AxilSlaveOf;
use crate::parts::axil_word::AxilWord;
use crate::parts::bundles::AxilSlavePort;

/// Bits of a register's number: its offset in words.
pub const NUMBER: usize = ADDRESS_BITS - 2;

/// The slave of the compute unit's register block.
pub type AxilSlave = AxilSlaveOf<ADDRESS_BITS, NUMBER>;

/// Registers that there is room for.
pub const NUMBERS: usize = 1 << NUMBER;

numbers! { usize:
    ID = number(REG_ID), VERSION = number(REG_VERSION), GEOMETRY = number(REG_GEOMETRY),
    FEATURES = number(REG_FEATURES), HASH_LOW = number(REG_HASH_LOW), HASH_HIGH = number(REG_HASH_HIGH),
    CONTROL = number(REG_CONTROL), STATUS = number(REG_STATUS), INTERRUPT = number(REG_INTERRUPT),
    ERROR = number(REG_ERROR), ERROR_INDEX = number(REG_ERROR_INDEX), ERROR_ADDRESS_LOW = number(REG_ERROR_ADDRESS_LOW),
    ERROR_ADDRESS_HIGH = number(REG_ERROR_ADDRESS_HIGH), COMPLETED = number(REG_COMPLETED),
    CYCLES_LOW = number(REG_CYCLES_LOW), CYCLES_HIGH = number(REG_CYCLES_HIGH), COMMAND = number(REG_COMMAND),
    PUSH = number(REG_PUSH), FLAGS = number(REG_FLAGS)
}

/// Staged registers; they follow each other from `command` on.
pub const STAGED: usize = PUSH - COMMAND;
numbers! { usize:
    AB = number(REG_COMMAND_AB) - COMMAND, DE = number(REG_COMMAND_DE) - COMMAND, S = number(REG_COMMAND_S) - COMMAND,
    KEY_LOW = number(REG_KEY_LOW) - COMMAND, KEY_HIGH = number(REG_KEY_HIGH) - COMMAND
}

const COMMAND_BITS: u64 = writable(REG_COMMAND);
const AB_BITS: u64 = writable(REG_COMMAND_AB);
const DE_BITS: u64 = writable(REG_COMMAND_DE);
const S_BITS: u64 = writable(REG_COMMAND_S);

numbers! {
    ENABLE_AT = CONTROL_ERROR_ENABLE_LSB, EMPTY_AT = STATUS_QUEUE_EMPTY_LSB, FULL_AT = STATUS_QUEUE_FULL_LSB,
    ERROR_AT = STATUS_ERROR_LSB, TAG_ANY_AT = STATUS_TAG_ANY_LSB, FREE_AT = STATUS_FREE_LSB,
    SEEN_AT = INTERRUPT_ERROR_LSB, OPERAND_AT = ERROR_OPERAND_LSB, MAGIC_WORD = MAGIC
}

const fn number(offset: u64) -> usize {
    offset as usize / 4
}

hdl_block! {
    /// The register block.
    pub AxilRegs {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Bus status_: StatusSource; /// Interrupt and status.
        Bus cmd: CommandSource; /// Commands into the unit's queue.
        Out cmd_index: Bits<32>; /// Writes to `push` before it.
        In unit_busy: Bit; /// The unit is busy.
        In unit_level: Bits<5>; /// Commands in its queue.
        Bus unit: EventSink; /// What becomes of its commands.
        In unit_tag_any: Bit; /// Wired-OR of the tags.
        Bus raised: Vec<Signal<In, Bits<RAISED>>>; /// Exception flags raised in this cycle, if any.
    } inside {
        Child slave: AxilSlave; // Channels.
        Child flags: Vec<FlagRegister>; // Exceptions, if the design has flags.
        Child log: CommandLog; // Errors and counters.
        Child staged: [AxilWord; STAGED]; // Staged command.
        Register push: Bit; // The staged command goes into the queue.
        Register done_enable, error_enable, done: Bit; // Interrupts are enabled. The unit has turned idle.
        Register error_seen, line: Bit; // A command was refused or dropped. Interrupt line.
        Local write: Bit;
        Local number: Bits<NUMBER>;
        Local data: Bits<32>;
        Local strobes: Bits<4>;
        Local select: Bits<NUMBER>;
        Local at_control, at_interrupt, at_push: Bit;
        Local depth: Bits<5>;
        Child words: [Signal<Local, Bits<32>>; NUMBERS];
        Child of_2: [Signal<Local, Bits<32>>; 16];
        Child of_4: [Signal<Local, Bits<32>>; 8];
        Child of_8: [Signal<Local, Bits<32>>; 4];
        Child of_16: [Signal<Local, Bits<32>>; 2];
        Value _version, _geometry, _features, _hash_low, _hash_high, _depth: u64;
        Value _flags: usize;
    }
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
            raised: optional(params.exception_flags.into()),
            flags: optional(params.exception_flags.into()),
            _flags: params.exception_flags.into(),
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
        self.cmd.op.next = self.staged[0].value.val().get_bits::<OPCODE_BITS>(COMMAND_OPCODE_LSB);
        self.cmd.set.next = self.staged[0].value.val().get_bits::<SET_BITS>(COMMAND_SET_LSB);
        self.cmd.width.next = self.staged[0].value.val().get_bits::<WIDTH_BITS>(COMMAND_WIDTH_LSB);
        self.cmd.second.next = self.staged[0].value.val().get_bits::<WIDTH_BITS>(COMMAND_SECOND_LSB);
        self.cmd.a.next = self.staged[AB].value.val().get_bits::<ROW_BITS>(COMMAND_A_LSB);
        self.cmd.b.next = self.staged[AB].value.val().get_bits::<ROW_BITS>(COMMAND_B_LSB);
        self.cmd.d.next = self.staged[DE].value.val().get_bits::<ROW_BITS>(COMMAND_D_LSB);
        self.cmd.e.next = self.staged[DE].value.val().get_bits::<ROW_BITS>(COMMAND_E_LSB);
        self.cmd.s.next = self.staged[S].value.val().get_bits::<ROW_BITS>(COMMAND_S_LSB);
        self.cmd.key.next = bits_to::<Word<64, 1>, Bits<32>>(self.staged[KEY_LOW].value.val())
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
        self.log.room.next = self.cmd.ready.val();
        self.log.enters.next = self.push.q.val();
        self.push.d.next = self.at_push.val() & self.cmd.ready.val();
        self.cmd.valid.next = self.push.q.val();
        self.cmd_index.next = self.log.entering_index.val();
        // What happens in the unit; an event wins over a clear in the same cycle.
        self.log.unit_busy.next = self.unit_busy.val();
        EventSink::link(&mut self.unit, &mut self.log.unit);
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
        self.status_.irq.next = self.line.q.val();
        self.status_.busy.next = self.log.is_busy.val();
        self.status_.error.next = self.log.error_code.val().any();
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
            | (bits_to::<Bits<32>, Bit>(!self.cmd.ready.val()) << FULL_AT)
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
        for i in 0..self._flags {
            self.flags[i].clock.next = self.clock.val();
            self.flags[i].write.next =
                self.write.val() & (self.number.val().index() == FLAGS) & self.strobes.val().get_bit(0);
            self.flags[i].data.next = self.data.val().get_bits::<FLAG_BITS>(0);
            self.flags[i].raised.next = self.raised[i].val();
            self.words[FLAGS].next = self.flags[i].value.val();
        }
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

    described! {
        "axil_regs", "Register block: command port, status and identification behind AXI4-Lite.";
        ID, VERSION, GEOMETRY, FEATURES, HASH_LOW, HASH_HIGH, CONTROL, STATUS, INTERRUPT, ERROR, ERROR_INDEX,
        ERROR_ADDRESS_LOW, ERROR_ADDRESS_HIGH, COMPLETED, CYCLES_LOW, CYCLES_HIGH, COMMAND, PUSH, FLAGS, STAGED,
        NUMBERS, AB, DE, S, KEY_LOW, KEY_HIGH, COMMAND_BITS, AB_BITS, DE_BITS, S_BITS, ENABLE_AT, EMPTY_AT, FULL_AT,
        ERROR_AT, TAG_ANY_AT, FREE_AT, SEEN_AT, OPERAND_AT, MAGIC_WORD, COMMAND_OPCODE_LSB, COMMAND_SET_LSB,
        COMMAND_WIDTH_LSB, COMMAND_SECOND_LSB, COMMAND_A_LSB, COMMAND_B_LSB, COMMAND_D_LSB, COMMAND_E_LSB,
        COMMAND_S_LSB, CONTROL_DONE_ENABLE_LSB, CONTROL_ERROR_ENABLE_LSB, CONTROL_ERROR_CLEAR_LSB, INTERRUPT_DONE_LSB,
        INTERRUPT_ERROR_LSB; _version, _geometry,
        _features, _hash_low, _hash_high, _depth, _flags
    }
}
