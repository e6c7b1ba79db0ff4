//! Model of the register block: what software sees, and the command port.

use super::axil_slave::{Answer, AxilSlave, Offer, Write};
use super::command_log::{Access, CommandLog, Events};
use super::compute_unit::Inputs;
use super::flag_register::FlagRegister;
use bitline_units::array::isa::{Command, Opcode};
use bitline_units::array::params::Params;
use bitline_units::array::registers::*;
use bitline_units::regmap::{Field, Register};

/// A staged word: the hardware keeps its bytes.
struct StagedWord(u32);

/// Staged registers, in the order of their offsets.
pub const STAGED: [u64; 6] = [REG_COMMAND, REG_COMMAND_AB, REG_COMMAND_DE, REG_COMMAND_S, REG_KEY_LOW, REG_KEY_HIGH];

/// State of the block.
#[derive(Clone, Debug)]
pub struct AxilRegs {
    depth: u32,
    constants: Vec<(u64, u32)>,
    /// Channels.
    pub slave: AxilSlave,
    /// Errors and counters.
    pub log: CommandLog,
    /// Staged command.
    pub staged: [u32; 6],
    /// The staged command goes into the queue.
    pub push: bool,
    /// Interrupt enable of `done`.
    pub done_enable: bool,
    /// Interrupt enable of `error`.
    pub error_enable: bool,
    /// The unit has turned idle.
    pub done: bool,
    /// A command was refused or dropped.
    pub error_seen: bool,
    /// Interrupt line.
    pub line: bool,
    /// Exceptions raised; `None` if the design has no flags.
    pub flags: Option<FlagRegister>,
}

fn bit(value: u32, lsb: usize) -> bool {
    value >> lsb & 1 == 1
}

impl AxilRegs {
    /// After reset.
    pub fn new(params: &Params) -> AxilRegs {
        let constant = |r: &&Register| r.fields.iter().all(|f| f.access == bitline_units::regmap::Access::ReadOnly);
        let constants = REGISTERS.iter().take_while(|r| r.offset < REG_CONTROL).filter(constant);
        AxilRegs {
            depth: params.command_fifo as u32,
            constants: constants.map(|r| (r.offset, reset_value(params, r))).collect(),
            slave: AxilSlave::new(ADDRESS_BITS),
            log: CommandLog::default(),
            staged: [0; 6],
            push: false,
            done_enable: false,
            error_enable: false,
            done: false,
            error_seen: false,
            line: false,
            flags: params.exception_flags.then(FlagRegister::default),
        }
    }

    /// A reset has passed. What has none keeps what it holds.
    pub fn reset(&mut self, params: &Params) {
        let entering = self.log.entering;
        *self = AxilRegs::new(params);
        self.log.entering = entering;
    }

    /// What the block shows to software.
    pub fn answer(&self) -> Answer {
        self.slave.answer()
    }

    /// What it puts into the unit's command port.
    pub fn command(&self) -> Inputs {
        if !self.push {
            return Inputs::default();
        }
        let field = |register: usize, lsb: usize, bits: usize| self.staged[register] >> lsb & ((1 << bits) - 1);
        let row = |register: usize, lsb: usize| field(register, lsb, ROW_BITS) as u16;
        let command = Command {
            width: field(0, COMMAND_WIDTH_LSB, WIDTH_BITS) as u8,
            second: field(0, COMMAND_SECOND_LSB, WIDTH_BITS) as u8,
            a: row(1, COMMAND_A_LSB),
            b: row(1, COMMAND_B_LSB),
            d: row(2, COMMAND_D_LSB),
            e: row(2, COMMAND_E_LSB),
            s: row(3, COMMAND_S_LSB),
            key: u64::from(self.staged[5]) << 32 | u64::from(self.staged[4]),
            // Any code may be pushed, so the codes go beside the command.
            ..Command::new(Opcode::Load, 0)
        };
        let codes = (field(0, COMMAND_OPCODE_LSB, OPCODE_BITS) as u8, field(0, COMMAND_SET_LSB, SET_BITS) as u8);
        Inputs { command: Some(command), codes: Some(codes), ..Inputs::default() }
    }

    /// What a read of a register gives.
    pub fn value(&self, offset: u64, unit: &Events) -> u32 {
        let bit = |value: bool, lsb: usize| u32::from(value) << lsb;
        match offset {
            REG_CONTROL => {
                bit(self.done_enable, CONTROL_DONE_ENABLE_LSB) | bit(self.error_enable, CONTROL_ERROR_ENABLE_LSB)
            }
            REG_STATUS => {
                let level = u32::from(unit.level);
                bit(self.log.busy, STATUS_BUSY_LSB)
                    | bit(level == 0, STATUS_QUEUE_EMPTY_LSB)
                    | bit(level == self.depth, STATUS_QUEUE_FULL_LSB)
                    | bit(self.log.error.code != 0, STATUS_ERROR_LSB)
                    | bit(unit.tag_any, STATUS_TAG_ANY_LSB)
                    | (self.depth - level) << STATUS_FREE_LSB
            }
            REG_INTERRUPT => bit(self.done, INTERRUPT_DONE_LSB) | bit(self.error_seen, INTERRUPT_ERROR_LSB),
            REG_ERROR => {
                (self.log.error.code as u32) << ERROR_CODE_LSB | (self.log.error.operand as u32) << ERROR_OPERAND_LSB
            }
            REG_FLAGS => self.flags.unwrap_or_default().value(),
            REG_ERROR_INDEX => self.log.error.index,
            REG_ERROR_ADDRESS_LOW => self.log.error.address as u32,
            REG_ERROR_ADDRESS_HIGH => (self.log.error.address >> 32) as u32,
            REG_COMPLETED => self.log.completed,
            REG_CYCLES_LOW => self.log.cycles as u32,
            REG_CYCLES_HIGH => self.log.kept,
            _ => {
                let staged = STAGED.iter().position(|&s| s == offset).map(|i| self.staged[i]);
                let constant = || self.constants.iter().find(|c| c.0 == offset).map(|c| c.1);
                staged.or_else(constant).unwrap_or(0)
            }
        }
    }

    /// One clock edge. `unit` is what the compute unit shows in this cycle.
    pub fn step(&mut self, offer: &Offer, unit: &Events) {
        let write = self.slave.write();
        let read = self.slave.read().map(|number| u64::from(number) * 4);
        let value = read.map_or(0, |offset| self.value(offset, unit));
        let at = |offset: u64, strobe: u8| {
            write.filter(|w| u64::from(w.number) * 4 == offset && w.strobes & strobe != 0).map(|w| w.data)
        };
        let push = at(REG_PUSH, 15).is_some();
        let clear = at(REG_CONTROL, 2).is_some_and(|data| bit(data, CONTROL_ERROR_CLEAR_LSB));
        let clears = at(REG_INTERRUPT, 1).unwrap_or(0);
        let turned_idle = self.log.turned_idle();
        self.line = (self.done && self.done_enable) || (self.error_seen && self.error_enable);
        let access = Access { push, clear, keep: read == Some(REG_CYCLES_LOW) };
        let wrong = self.log.step(access, self.push, unit);
        self.done = turned_idle || (self.done && !bit(clears, INTERRUPT_DONE_LSB));
        self.error_seen = wrong || (self.error_seen && !bit(clears, INTERRUPT_ERROR_LSB));
        if let Some(data) = at(REG_CONTROL, 1) {
            self.done_enable = bit(data, CONTROL_DONE_ENABLE_LSB);
            self.error_enable = bit(data, CONTROL_ERROR_ENABLE_LSB);
        }
        if let Some(flags) = &mut self.flags {
            flags.step(unit.raised, at(REG_FLAGS, 1).map_or(0, |data| data as u8 & 0x1f));
        }
        if let Some(write) = write {
            self.stage(write);
        }
        self.push = push && unit.ready;
        self.slave.step(offer, true, Some(value));
    }

    fn stage(&mut self, write: Write) {
        let Some(index) = STAGED.iter().position(|&s| s == u64::from(write.number) * 4) else {
            return;
        };
        let bytes = (0..4).filter(|b| write.strobes >> b & 1 == 1).map(|b| 0xff << (8 * b)).fold(0, |a, b| a | b);
        let fields = register_at(STAGED[index]).map_or(0, |r| r.fields.iter().map(Field::mask).sum());
        let mask: u32 = bytes & fields;
        self.staged[index] = (self.staged[index] & !mask) | (write.data & mask);
    }
}

fn register_at(offset: u64) -> Option<&'static Register> {
    REGISTERS.iter().find(|r| r.offset == offset)
}

state! {
    AxilRegs(self) {
        in slave = self.slave;
        in staged[] = self.staged.map(StagedWord);
        self => push, done_enable, error_enable, done, error_seen, line;
        in log = self.log;
        if (self.flags.is_some()) {
            in flags_0 = self.flags.unwrap_or_default();
        }
    }

    StagedWord(self) {
        bytes[] = self.0.to_le_bytes();
    }
}
