//! The double's Duality Cache: launches by the judge of its words, on what pages of memory hold.
//!
//! A launch ends before the write that has started it is answered, so that the unit is never busy, counts no cycles and
//! asks nothing of cache ways. A launch that the hardware would take although it cannot be, such as one of more threads
//! than fit, is refused; memory beyond the board's is there and forgotten.

use std::collections::HashMap;

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::codes::{Special, Trap};
use bitline_units::duality::isa::{Program, Word};
use bitline_units::duality::params::{MOST_INDEX, SCALARS, SLOTS};
use bitline_units::duality::registers::*;

use super::bus::Broken;
use crate::model::duality::{FlatMemory, Launch, Outcome, Stop, interpreter};
use crate::regmap::Access;
use crate::units::duality::figures::MOST_WORDS;
use crate::units::duality::launching::PAGE;

/// The unit.
pub struct DualityDouble {
    params: DualityParams,
    seed: u64,
    /// Its memory.
    pub memory: Vec<u8>,
    /// Registers that hold something else than after reset.
    held: HashMap<u64, u32>,
    parameters: [u32; SCALARS],
    specials: [u32; MOST_SPECIALS],
    pages: [u32; MOST_PAGES],
    refused: u32,
}

impl DualityDouble {
    /// After reset.
    pub fn new(params: &DualityParams, memory: Vec<u8>, seed: u64) -> DualityDouble {
        DualityDouble {
            params: params.clone(),
            seed,
            memory,
            held: HashMap::new(),
            parameters: [0; SCALARS],
            specials: [0; MOST_SPECIALS],
            pages: [0; MOST_PAGES],
            refused: 0,
        }
    }

    /// What a register reads.
    pub fn register(&self, offset: u64) -> u32 {
        match offset {
            REG_REFUSED => self.refused,
            REG_WAY_STATES => {
                let wanted = self.register(REG_WAY_MODES);
                (0..self.params.blocks).map(|k| (wanted >> k & 1) << (2 * k + 1)).sum()
            }
            _ => match self.held.get(&offset) {
                Some(&value) => value,
                None => {
                    let register = REGISTERS.iter().find(|register| register.offset == offset);
                    register.map_or(0, |register| reset_value(&self.params, register))
                }
            },
        }
    }

    /// Writes a register; `None`: it is refused.
    pub fn set_register(&mut self, offset: u64, data: u32, broken: Option<Broken>) -> Option<()> {
        let done = self.write(offset, data, broken);
        self.refused = self.refused.wrapping_add(done.is_none().into());
        done
    }

    fn write(&mut self, offset: u64, data: u32, broken: Option<Broken>) -> Option<()> {
        let at = |base: u64| (offset - base) as usize / 4;
        let bit = |lsb: usize| data >> lsb & 1 == 1;
        match offset {
            REG_COMMAND if bit(COMMAND_START_LSB) && (bit(COMMAND_ABORT_LSB) || bit(COMMAND_FLUSH_LSB)) => return None,
            REG_COMMAND if bit(COMMAND_START_LSB) => self.start(broken)?,
            // Nothing is under way, and nothing is in the ways.
            REG_COMMAND => {}
            REG_PUSH => return None,
            REG_INTERRUPT => {
                let left = self.register(REG_INTERRUPT) & !data;
                self.held.insert(REG_INTERRUPT, left);
            }
            REG_WAY_MODES => {
                let all = (1 << self.params.blocks) - 1;
                self.held.insert(REG_WAY_MODES, data & all);
            }
            PARAMETERS..SPECIALS => self.parameters[at(PARAMETERS)] = data,
            SPECIALS..PAGES if at(SPECIALS) < MOST_SPECIALS => self.specials[at(SPECIALS)] = data,
            PAGES.. => self.pages[at(PAGES)] = data,
            _ => {
                let held = REGISTERS.iter().find(|register| register.offset == offset);
                if held.is_some_and(|register| register.fields.iter().any(|f| f.access == Access::ReadWrite)) {
                    self.held.insert(offset, data & writable(offset) as u32);
                }
            }
        }
        Some(())
    }

    /// The program and the launch that registers describe, if they may be.
    fn launch(&self) -> Option<(Program, Launch)> {
        let get = |offset: u64| self.register(offset);
        let three = |first: u64| [0, 4, 8].map(|at| get(first + at));
        let arrays = match get(REG_MODE) >> MODE_ARRAYS_LSB & 3 {
            3 => return None,
            log => SLOTS >> log,
        };
        let count = get(REG_WORDS) as usize;
        let counts = get(REG_COUNTS);
        let (parameters, specials) = (counts >> COUNTS_PARAMETERS_LSB & 0x3f, counts >> COUNTS_SPECIALS_LSB & 0xf);
        let zero = three(REG_BLOCK_X).contains(&0) || three(REG_GRID_X).contains(&0) || get(REG_AT_ONCE) == 0;
        let nobody = get(REG_WAY_MODES) == 0 || get(REG_WAYS) == 0;
        let fed = get(REG_MODE) >> MODE_HOST_FED_LSB & 1 == 1;
        let few = (1..=MOST_INDEX as usize).contains(&count);
        let listed = parameters as usize <= SCALARS && specials as usize <= MOST_SPECIALS;
        if zero || nobody || fed || !few || !listed {
            return None;
        }
        let code = get(REG_CODE) as usize;
        let bytes = self.memory.get(code..code + 16 * count)?;
        let word = |bytes: &[u8]| Word(u128::from_le_bytes(bytes.try_into().expect("sixteen bytes")));
        let special = |&word: &u32| {
            let bits = |lsb: u32, count: u32| u64::from(word >> lsb & ((1 << count) - 1));
            Some((Special::from_code(bits(0, 8))?, bits(8, 2), bits(16, 9), bits(25, 6) + 1))
        };
        let program = Program {
            name: "program".into(),
            arrays,
            specials: self.specials[..specials as usize].iter().map(special).collect::<Option<_>>()?,
            words: bytes.chunks_exact(16).map(word).collect(),
            lines: vec![0; count],
        };
        let launch = Launch {
            grid: three(REG_GRID_X),
            block: three(REG_BLOCK_X),
            parameters: self.parameters[..parameters as usize].to_vec(),
            shared_bytes: get(REG_SHARED_BYTES),
            shared_base: get(REG_SHARED_BASE),
            spill_base: get(REG_SPILL_BASE),
            spill_rows: get(REG_SPILL_ROWS),
        };
        Some((program, launch))
    }

    /// Pages that are mapped: page, where it begins in memory, whether it is written.
    fn mapped(&self) -> Vec<(u32, usize, bool)> {
        let entries = self.pages.iter().enumerate().filter(|(_, entry)| *entry >> 31 == 1);
        let page = |(at, entry): (usize, &u32)| {
            let number = (entry >> 16 & 0xff) << MOST_PAGES.ilog2() | at as u32;
            (number, (entry & 0xffff) as usize * PAGE as usize, entry >> 30 & 1 == 1)
        };
        entries.map(page).collect()
    }

    fn start(&mut self, broken: Option<Broken>) -> Option<()> {
        let (program, launch) = self.launch()?;
        let mapped = self.mapped();
        let mut memory = FlatMemory::default();
        for &(page, from, writable) in &mapped {
            memory.map(page * PAGE, PAGE, writable);
            let bytes = self.memory.iter().skip(from).take(PAGE as usize);
            (page * PAGE..).zip(bytes).for_each(|(at, &byte)| memory.write(at, 1, byte.into()));
        }
        let before = memory.clone();
        let ended = interpreter::run(&self.params, &program, &launch, &mut memory, self.seed, MOST_WORDS).ok()?;
        // Several pages may be one of memory: only what has changed comes there.
        let mut turned = broken == Some(Broken::Store);
        for &(page, from, _) in &mapped {
            for at in 0..PAGE {
                let byte = memory.read(page * PAGE + at, 1);
                if byte == before.read(page * PAGE + at, 1) {
                    continue;
                }
                if let Some(place) = self.memory.get_mut(from + at as usize) {
                    *place = byte as u8 ^ u8::from(std::mem::take(&mut turned));
                }
            }
        }
        self.ends(ended);
        Some(())
    }

    /// What registers show of a launch's end.
    fn ends(&mut self, ended: Result<Outcome, Stop>) {
        let mut result = [0; 4];
        let mut waves = 0;
        match ended {
            Ok(outcome) => {
                result[0] = 1 << RESULT_OUTCOME_LSB | (outcome.code as u32) << RESULT_CODE_LSB;
                waves = outcome.waves as u32;
            }
            Err(Stop { trap: None, .. }) => {
                result[0] = 3 << RESULT_OUTCOME_LSB | (Trap::Aborted.code() as u32) << RESULT_CODE_LSB;
            }
            Err(Stop { trap: Some(trap), pc, thread, address }) => {
                result[0] = 2 << RESULT_OUTCOME_LSB
                    | (trap.code() as u32) << RESULT_CODE_LSB
                    | u32::from(thread.is_some()) << RESULT_THREAD_LSB
                    | u32::from(address.is_some()) << RESULT_ADDRESS_LSB;
                result[1..].copy_from_slice(&[pc as u32, thread.unwrap_or(0) as u32, address.unwrap_or(0)]);
            }
        }
        self.held.extend((REG_RESULT..).step_by(4).zip(result));
        self.held.insert(REG_WAVES, waves);
        let interrupts = self.register(REG_INTERRUPT) | 1 << INTERRUPT_DONE_LSB;
        self.held.insert(REG_INTERRUPT, interrupts);
    }
}
