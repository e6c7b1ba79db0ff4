//! The double's cache compute system: commands by plain integers.

use super::bus::Broken;
use crate::ccs::registers::*;
use crate::ccs::{CcsCommand, CcsError, CcsGeometry, Kind, Operands};
use crate::model::ccs::registers::{RegisterInputs, Registers};
use crate::units::ccs::machine::Launch;
use crate::units::ccs::reference::execute;

/// The system.
pub struct CcsDouble {
    geometry: CcsGeometry,
    registers: Registers,
    error: Option<CcsError>,
    /// Its memory.
    pub memory: Vec<u8>,
    /// Starts in this request.
    burst: usize,
}

impl CcsDouble {
    /// After reset.
    pub fn new(geometry: &CcsGeometry, memory: Vec<u8>) -> CcsDouble {
        CcsDouble { geometry: geometry.clone(), registers: Registers::new(geometry), error: None, memory, burst: 0 }
    }

    /// A request begins.
    pub fn begin(&mut self) {
        self.burst = 0;
    }

    /// What a register reads.
    pub fn register(&mut self, offset: u64) -> u32 {
        self.registers.step(&RegisterInputs { read: Some(offset), ready: true, ..RegisterInputs::default() });
        self.registers.value(offset, 1 << STATUS_READY_LSB, self.error)
    }

    /// Writes a register.
    pub fn set_register(&mut self, offset: u64, data: u32, broken: Option<Broken>) {
        let write = Some((offset, data, 15));
        let (start, reset) = Registers::asks(write);
        self.registers.step(&RegisterInputs { write, ready: true, clear: reset, ..RegisterInputs::default() });
        if start {
            self.burst += 1;
            // Within a request the command before still runs, if it is long enough to be noticed.
            if self.burst > 1 && self.registers.get(REG_COUNT) > 16 {
                self.error = self.error.or(Some(CcsError::Busy));
            } else {
                self.run(broken);
            }
        }
        if reset {
            self.error = None;
        }
    }

    fn launch(&self) -> Launch {
        let get = |offset: u64| self.registers.get(offset);
        let command = get(REG_COMMAND);
        let mask = (0..4).fold(0, |mask, w| mask | u128::from(get(REG_MASK_0 + 4 * w)) << (32 * w));
        Launch {
            code: (command & 63) as u8,
            unsigned: command >> COMMAND_UNSIGNED_LSB & 1 == 1,
            store: command >> COMMAND_STORE_LSB & 1 == 1,
            bases: [get(REG_A), get(REG_B), get(REG_R)],
            length: get(REG_LENGTH),
            constant: get(REG_CONSTANT),
            stride: get(REG_STRIDE) as u8,
            mask,
            count: get(REG_COUNT),
            steps: [get(REG_STEP_A), get(REG_STEP_B), get(REG_STEP_R)],
        }
    }

    /// Whether it leaves the memory, although not the address space.
    fn leaves(&self, launch: &Launch) -> bool {
        let Some(command) = CcsCommand::from_code(launch.code) else { return false };
        let span = u64::from(launch.length.max(1) - 1) * u64::from(launch.stride) + 1;
        let used = [
            (command.operands != Operands::C, span),
            (command.operands == Operands::Vv, span),
            (command.kind == Kind::Map, span),
            (command.kind == Kind::Reduce && launch.store, 1),
        ];
        let end = self.memory.len() as u64;
        (0..launch.count.max(1)).any(|row| {
            used.iter().enumerate().any(|(i, &(used, elements))| {
                let base = launch.bases[i.min(2)].wrapping_add(launch.steps[i.min(2)].wrapping_mul(row));
                let last = u64::from(base) + elements * self.geometry.element_bytes() as u64;
                used && last > end && last <= 1 << 31
            })
        })
    }

    fn run(&mut self, broken: Option<Broken>) {
        let launch = self.launch();
        let outcome = if self.leaves(&launch) {
            crate::units::ccs::reference::Outcome { error: Some(CcsError::Bus), ..Default::default() }
        } else {
            execute(&mut self.memory, &self.geometry, &launch)
        };
        if broken == Some(Broken::Multiplier) && launch.code == 4 && outcome.error.is_none() {
            self.memory[launch.bases[2] as usize] ^= 1;
        }
        let wrong = outcome.error.filter(|_| broken == Some(Broken::ErrorCode)).map(|_| CcsError::Busy);
        self.error = wrong.or(outcome.error);
        self.registers.completed = outcome.lines;
        self.registers.result = outcome.result.unwrap_or(self.registers.result);
        self.registers.done = true;
    }
}
