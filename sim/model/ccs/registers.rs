//! Model of the register block: staged registers, what a command leaves, cycles, interrupt.

use bitline_units::ccs::registers::*;
use bitline_units::ccs::{CcsError, CcsGeometry};

/// Staged registers: from `a` to the last step.
const STAGED: usize = 16;
/// Offsets that there is a value for are below.
const END: u64 = 0x80;

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterInputs {
    /// A register is written: its offset, the word and the bytes that count.
    pub write: Option<(u64, u32, u8)>,
    /// A register is read.
    pub read: Option<u64>,
    /// No command runs.
    pub ready: bool,
    /// A start was taken.
    pub taken: bool,
    /// A command has ended or was refused.
    pub ended: bool,
    /// A result line is written.
    pub line_written: bool,
    /// A reduction's result.
    pub result: Option<u32>,
    /// Everything as after reset.
    pub clear: bool,
}

/// The register block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    geometry: CcsGeometry,
    /// Staged registers, from `a` on.
    pub staged: [u32; STAGED],
    /// Interrupt enable.
    pub enable: bool,
    /// `interrupt.done`.
    pub done: bool,
    /// Interrupt line.
    pub line: bool,
    /// Result lines.
    pub completed: u32,
    /// Last reduction's result.
    pub result: u32,
    /// Busy cycles.
    pub cycles: u64,
    /// High half of the cycles when the low one was last read.
    pub kept: u32,
}

fn at(offset: u64) -> usize {
    ((offset - REG_A) / 4) as usize
}

impl Registers {
    /// After reset.
    pub fn new(geometry: &CcsGeometry) -> Registers {
        let mut staged = [0; STAGED];
        for register in REGISTERS.iter().filter(|r| (REG_A..END).contains(&r.offset)) {
            staged[at(register.offset)] = reset_value(geometry, register);
        }
        Registers {
            geometry: geometry.clone(),
            staged,
            enable: false,
            done: false,
            line: false,
            completed: 0,
            result: 0,
            cycles: 0,
            kept: 0,
        }
    }

    /// A staged register.
    pub fn get(&self, offset: u64) -> u32 {
        self.staged[at(offset)]
    }

    /// A bit for each lane.
    pub fn mask(&self) -> Vec<bool> {
        let word = |k: usize| self.staged[at(REG_MASK_0) + k / 32];
        (0..self.geometry.lanes).map(|k| word(k) >> (k % 32) & 1 == 1).collect()
    }

    /// What a read gives; `status` is the word of that register without its error bit.
    pub fn value(&self, offset: u64, status: u32, error: Option<CcsError>) -> u32 {
        let code = error.map_or(0, |error| error as u32);
        match offset {
            REG_CONTROL => u32::from(self.enable) << CONTROL_DONE_ENABLE_LSB,
            REG_STATUS => status | u32::from(error.is_some()) << STATUS_ERROR_LSB,
            REG_WAIT | REG_ERROR => code,
            REG_COMPLETED => self.completed,
            REG_RESULT => self.result,
            REG_CYCLES_LOW => self.cycles as u32,
            REG_CYCLES_HIGH => self.kept,
            REG_INTERRUPT => u32::from(self.done) << INTERRUPT_DONE_LSB,
            REG_LAUNCH => 0,
            REG_A..END => self.get(offset),
            _ => {
                let constant = REGISTERS.iter().find(|r| r.offset == offset && offset < REG_A);
                constant.map_or(0, |r| reset_value(&self.geometry, r))
            }
        }
    }

    /// Whether a write starts a command, and whether it asks for a soft reset. It must reach all four bytes.
    pub fn asks(write: Option<(u64, u32, u8)>) -> (bool, bool) {
        let Some((offset, data, 15)) = write else { return (false, false) };
        let start = [REG_START, REG_LAUNCH, REG_QUEUE].contains(&offset);
        (start, offset == REG_CONTROL && data >> CONTROL_SOFT_RESET_LSB & 1 == 1)
    }

    /// Command and length that a start finds: with `start` those of before, else the word that is written.
    pub fn started(&self, write: Option<(u64, u32, u8)>) -> (u32, u32) {
        match write {
            Some((REG_START, ..)) | None => (self.get(REG_COMMAND), self.get(REG_LENGTH)),
            Some((_, data, _)) => (data & 0xff, data >> LAUNCH_LENGTH_LSB),
        }
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &RegisterInputs) {
        self.line = self.enable && self.done;
        if inputs.read == Some(REG_CYCLES_LOW) {
            self.kept = (self.cycles >> 32) as u32;
        }
        if let Some((offset, data, 15)) = inputs.write {
            match offset {
                REG_CONTROL => self.enable = data >> CONTROL_DONE_ENABLE_LSB & 1 == 1,
                REG_INTERRUPT => self.done &= data >> INTERRUPT_DONE_LSB & 1 == 0,
                REG_LAUNCH | REG_QUEUE => {
                    self.staged[at(REG_COMMAND)] = data & 0xff;
                    self.staged[at(REG_LENGTH)] = data >> LAUNCH_LENGTH_LSB;
                }
                REG_A..END => self.staged[at(offset)] = held(offset, data),
                _ => {}
            }
        }
        self.done |= inputs.ended;
        self.completed = if inputs.taken { 0 } else { self.completed.wrapping_add(inputs.line_written.into()) };
        self.result = inputs.result.unwrap_or(self.result);
        self.cycles = self.cycles.wrapping_add((!inputs.ready).into());
        if inputs.clear {
            self.reset();
        }
    }

    /// Reset.
    pub fn reset(&mut self) {
        *self = Registers::new(&self.geometry);
    }
}

state! {
    Registers(self) {
        // Nothing is kept at the place of `launch`.
        let launch = (REG_LAUNCH - REG_A) as usize / 4;
        staged[number in (0..STAGED).filter(|&number| number != launch)] = self.staged[number];
        self => enable, done, line, completed, kept;
        rows = self.get(REG_COUNT) != 1;
        apart = self.get(REG_STRIDE) != 1;
        last_result = self.result;
        cycles_low = self.cycles & 0xffff_ffff;
        cycles_high = self.cycles >> 32;
    }
}
