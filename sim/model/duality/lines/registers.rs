//! Model of the registers of operations on lines, from their contract.

use bitline_units::duality::lines::{LINE_BUS, LineInstruction};
use bitline_units::duality::registers::*;

/// The registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// The instruction.
    pub instruction: LineInstruction,
    /// Its end is to interrupt.
    pub interrupts: bool,
    /// It is to be looked at; it is under way.
    pub fresh: bool,
    /// See `fresh`.
    pub runs: bool,
    /// One has ended.
    pub done: bool,
    /// The interrupt line.
    pub irq: bool,
    /// How the last one has ended, and what that is about.
    pub code: u8,
    /// See `code`.
    pub about: u32,
}

/// What their user does in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostInputs {
    /// The register of this number gets this value.
    pub write: Option<u32>,
    /// Which one.
    pub number: u8,
    /// Which one is read.
    pub read: u8,
    /// Some way serves, and none is flushed.
    pub ready: bool,
    /// What ports hold that mean nothing in this cycle.
    pub noise: u32,
}

/// What their user sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostOutputs {
    /// The register `number` may not be written.
    pub refuses: bool,
    /// What the register that is read holds, if there is one.
    pub value: Option<u32>,
    /// An instruction is under way.
    pub working: bool,
    /// One has ended that was to say so.
    pub irq: bool,
}

/// What they get in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegistersInputs {
    /// Their user.
    pub host: HostInputs,
    /// What is wrong with the instruction, and what with.
    pub code: u8,
    /// See `code`.
    pub about: u32,
    /// It has ended.
    pub ended: bool,
    /// A line could not be had, this one.
    pub failed: bool,
    /// See `failed`.
    pub fault: u32,
    /// Bits of its result.
    pub mask: u64,
}

/// What they show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegistersOutputs {
    /// To their user.
    pub host: HostOutputs,
    /// The instruction.
    pub instruction: LineInstruction,
    /// It begins.
    pub start: bool,
}

/// Where a register is, as words are numbered among those of lines.
fn at(offset: u64) -> u8 {
    (offset / 4 % 16) as u8
}

impl Registers {
    /// What a register holds, if there is one of this number.
    fn value(&self, number: u8, mask: u64) -> Option<u32> {
        let LineInstruction { op, grain, a, b, d, size } = self.instruction;
        let bit = |bit: bool, lsb: usize| u32::from(bit) << lsb;
        let operation = u32::from(op) << LINE_OPERATION_OPCODE_LSB | u32::from(grain) << LINE_OPERATION_GRAIN_LSB;
        let result = bit(self.fresh || self.runs, LINE_RESULT_BUSY_LSB) | bit(self.done, LINE_RESULT_DONE_LSB);
        let registers = [
            (REG_LINE_A, a),
            (REG_LINE_B, b),
            (REG_LINE_D, d),
            (REG_LINE_SIZE, size),
            (REG_LINE_OPERATION, operation | bit(self.interrupts, LINE_OPERATION_INTERRUPT_LSB)),
            (REG_LINE_RESULT, result | u32::from(self.code) << LINE_RESULT_CODE_LSB),
            (REG_LINE_MASK_LOW, mask as u32),
            (REG_LINE_MASK_HIGH, (mask >> 32) as u32),
            (REG_LINE_FAULT, self.about),
        ];
        registers.into_iter().find(|register| at(register.0) == number).map(|register| register.1)
    }

    /// What is shown in a cycle.
    pub fn shown(&self, inputs: &RegistersInputs) -> RegistersOutputs {
        let working = self.fresh || self.runs;
        let number = inputs.host.number;
        RegistersOutputs {
            host: HostOutputs {
                refuses: working && number != at(REG_LINE_RESULT)
                    || !inputs.host.ready && number == at(REG_LINE_OPERATION),
                value: self.value(inputs.host.read, inputs.mask),
                working,
                irq: self.irq,
            },
            instruction: self.instruction,
            start: self.fresh && inputs.code == 0,
        }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &RegistersInputs) -> RegistersOutputs {
        let shown = self.shown(inputs);
        self.irq = self.done && self.interrupts;
        let write = inputs.host.write.map(|value| (inputs.host.number, value));
        if write.is_some_and(|(number, value)| number == at(REG_LINE_RESULT) && value >> LINE_RESULT_DONE_LSB & 1 == 1)
        {
            self.done = false;
        }
        if self.fresh {
            (self.fresh, self.runs) = (false, inputs.code == 0);
            (self.code, self.about) = (inputs.code, inputs.about);
            self.done |= inputs.code != 0;
        } else if self.runs && inputs.ended {
            (self.runs, self.done) = (false, true);
            if inputs.failed {
                (self.code, self.about) = (LINE_BUS as u8, inputs.fault);
            }
        }
        match write {
            Some((number, value)) if number == at(REG_LINE_A) => self.instruction.a = value,
            Some((number, value)) if number == at(REG_LINE_B) => self.instruction.b = value,
            Some((number, value)) if number == at(REG_LINE_D) => self.instruction.d = value,
            Some((number, value)) if number == at(REG_LINE_SIZE) => self.instruction.size = value,
            Some((number, value)) if number == at(REG_LINE_OPERATION) => {
                self.instruction.op = (value >> LINE_OPERATION_OPCODE_LSB & 15) as u8;
                self.instruction.grain = (value >> LINE_OPERATION_GRAIN_LSB & 3) as u8;
                self.interrupts = value >> LINE_OPERATION_INTERRUPT_LSB & 1 == 1;
                (self.fresh, self.done) = (true, false);
                (self.code, self.about) = (0, 0);
            }
            _ => {}
        }
        shown
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        *self = Registers::default();
    }
}

state! {
    Registers(self) {
        at_a = self.instruction.a;
        at_b = self.instruction.b;
        at_d = self.instruction.d;
        bytes = self.instruction.size;
        opcode = self.instruction.op;
        granularity = self.instruction.grain;
        enable = self.interrupts;
        self => fresh, runs, done;
        line = self.irq;
        outcome = self.code;
        wrong = self.about;
    }

    HostInputs(self) {
        write = self.write.is_some();
        self => number, ready;
        read_number = self.read;
        data = self.write.unwrap_or(self.noise);
    }

    HostOutputs(self) {
        self => refuses, value, working, irq;
    }

    RegistersInputs(self) {
        bus host = self.host;
        self => code, about, ended, failed, fault, mask;
    }

    RegistersOutputs(self) {
        bus host = self.host;
        self.instruction => op, grain, a, b, d, size;
        self => start;
    }
}
