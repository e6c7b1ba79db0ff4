//! The double's compute array: commands by the arithmetic model, transfers byte by byte.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bus::Broken;
use crate::array::registers::*;
use crate::campaign::scoreboard::Scoreboard;
use crate::error::Error;
use crate::isa::command::ErrorCode;
use crate::isa::transfer::{Transfer, element_bytes};
use crate::isa::{Command, Opcode, Set};
use crate::model::axil_regs::{AxilRegs, STAGED};
use crate::model::command_log::{Events, Recorded};
use crate::params::Params;

/// The array.
pub struct ArrayDouble {
    params: Params,
    registers: AxilRegs,
    rows: Scoreboard,
    rng: ChaCha8Rng,
    /// Pushes in this request.
    burst: usize,
}

impl ArrayDouble {
    /// After reset, rows filled from the seed.
    pub fn new(params: &Params, seed: u64) -> ArrayDouble {
        let mut array = ArrayDouble {
            params: params.clone(),
            registers: AxilRegs::new(params),
            rows: Scoreboard::unknown(params),
            rng: ChaCha8Rng::seed_from_u64(seed ^ 0xa44a),
            burst: 0,
        };
        array.settle();
        array
    }

    /// A request begins.
    pub fn begin(&mut self) {
        self.burst = 0;
    }

    fn random_row(&mut self) -> Vec<u64> {
        let columns = self.params.columns;
        let mut words: Vec<u64> = (0..columns.div_ceil(64)).map(|_| self.rng.random()).collect();
        if !columns.is_multiple_of(64) {
            *words.last_mut().expect("a row has words") &= (1 << (columns % 64)) - 1;
        }
        words
    }

    /// What no rule tells holds anything.
    fn settle(&mut self) {
        for row in 0..self.params.rows {
            if self.rows.row(row).is_none() {
                let words = self.random_row();
                self.rows.set_row(row, words);
            }
        }
        if self.rows.tags().is_none() {
            let words = self.random_row();
            self.rows.set_tags(Some(words));
        }
    }

    /// What a register reads.
    pub fn register(&mut self, offset: u64) -> u32 {
        let tag_any = self.rows.tags().is_some_and(|tags| tags.iter().any(|&word| word != 0));
        if offset == REG_CYCLES_LOW {
            self.registers.log.kept = (self.registers.log.cycles >> 32) as u32;
        }
        self.registers.value(offset, &Events { tag_any, ..Events::default() })
    }

    /// Writes a register.
    pub fn set_register(&mut self, offset: u64, data: u32, memory: &mut [u8], broken: Option<Broken>) {
        if let Some(index) = STAGED.iter().position(|&staged| staged == offset) {
            self.registers.staged[index] = data & writable(offset) as u32;
        } else if offset == REG_CONTROL && data >> CONTROL_ERROR_CLEAR_LSB & 1 == 1 {
            self.registers.log.error = Recorded::default();
        } else if offset == REG_PUSH {
            self.push(memory, broken);
        }
    }

    fn push(&mut self, memory: &mut [u8], broken: Option<Broken>) {
        let index = self.registers.log.pushes;
        self.registers.log.pushes = index.wrapping_add(1);
        self.burst += 1;
        // What runs, what waits behind it, and the queue.
        let room = self.burst <= self.params.command_fifo + 2;
        let result = if room { self.run(memory, broken) } else { Err((ErrorCode::Overflow, 0)) };
        let log = &mut self.registers.log;
        match result {
            Ok(()) => log.completed = log.completed.wrapping_add(1),
            Err((code, address)) if log.error.code == 0 => {
                let wrong = u64::from(broken == Some(Broken::ErrorCode));
                log.error = Recorded { code: code.code() ^ wrong, operand: 0, index, address };
            }
            Err(_) => {}
        }
    }

    fn run(&mut self, memory: &mut [u8], broken: Option<Broken>) -> Result<(), (ErrorCode, u64)> {
        self.registers.push = true;
        let inputs = self.registers.command();
        self.registers.push = false;
        let (Some(command), Some((opcode, set))) = (inputs.command, inputs.codes) else { return Ok(()) };
        if let Some(transfer) = Transfer::of(&command, opcode) {
            return self.transfer(&transfer, memory);
        }
        let (opcode, set) = (Opcode::from_code(opcode.into()), Set::ALL.into_iter().find(|s| *s as u8 == set));
        let (Some(opcode), Some(set)) = (opcode, set) else { return Err((ErrorCode::Opcode, 0)) };
        if matches!(opcode, Opcode::Load | Opcode::Store) {
            return Err((ErrorCode::Opcode, 0));
        }
        let command = Command { opcode, set, ..command };
        command.check(&self.params).map_err(|error| match error {
            Error::Command { code, .. } => (ErrorCode::from_code(code.into()).unwrap_or(ErrorCode::Opcode), 0),
            _ => (ErrorCode::Opcode, 0),
        })?;
        self.rows.apply(&command);
        if broken == Some(Broken::Adder) && opcode == Opcode::Add && command.width > 3 {
            let row = usize::from(command.d) + 3;
            let words = self.rows.row(row).unwrap_or_default().iter().map(|word| !word).collect();
            self.rows.set_row(row, words);
        }
        self.settle();
        Ok(())
    }

    fn transfer(&mut self, transfer: &Transfer, memory: &mut [u8]) -> Result<(), (ErrorCode, u64)> {
        if let Some((code, _)) = transfer.fault(&self.params) {
            return Err((code, if code == ErrorCode::Address { transfer.address } else { 0 }));
        }
        let bytes = usize::from(element_bytes(transfer.width));
        if transfer.range().is_none_or(|(_, last)| last >= memory.len() as u64) {
            return Err((ErrorCode::Decode, transfer.address));
        }
        let limbs = self.params.columns.div_ceil(64);
        let at = |k: usize| (transfer.address as i64 + k as i64 * transfer.step()) as usize;
        let count = usize::from(transfer.count);
        for bit in 0..usize::from(transfer.width) {
            let row = usize::from(transfer.row) + bit;
            if !transfer.store {
                let mut words = vec![0; limbs];
                for k in 0..count {
                    words[k / 64] |= u64::from(memory[at(k) + bit / 8] >> (bit % 8) & 1) << (k % 64);
                }
                self.rows.set_row(row, words);
            }
        }
        if transfer.store {
            for k in 0..count {
                let bits = (0..usize::from(transfer.width)).map(|bit| {
                    let words = self.rows.row(usize::from(transfer.row) + bit).expect("rows are settled");
                    (words[k / 64] >> (k % 64) & 1) << bit
                });
                let value: u64 = bits.fold(0, |value, bit| value | bit);
                memory[at(k)..at(k) + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
            }
        }
        Ok(())
    }
}
