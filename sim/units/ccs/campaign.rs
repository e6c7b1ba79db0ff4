//! A campaign on the cache compute system: random commands with the processor at work beside them, in lock step with
//! the model; memory and results against plain integers.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::launches::{random_launch, spoil};
use super::machine::{CcsMachine, Launch};
use super::reference::execute;
use crate::campaign::{Failure, Result};
use crate::ccs::registers;
use crate::ccs::{COMMANDS, CcsCommand, CcsError, CcsGeometry, Kind};
use crate::engine::Engine;
use crate::error::Error;

/// What is wrong, in words.
type Checked = std::result::Result<(), Error>;

fn wrong(reason: String) -> Checked {
    Err(Error::Tool { tool: "cache compute system".into(), reason })
}

fn equal(what: &str, actual: u32, expected: u32) -> Checked {
    if actual == expected { Ok(()) } else { wrong(format!("{what}: {actual:#x}, must be {expected:#x}")) }
}

/// How often each thing happened.
pub type Coverage = BTreeMap<String, u64>;

/// A processor that starts commands and works beside them.
pub struct Host<E: Engine> {
    /// The system.
    pub machine: CcsMachine<E>,
    rng: ChaCha8Rng,
    /// What memory must hold.
    memory: Vec<u8>,
    /// Commands that were started.
    pub commands: u64,
    /// What has happened, and how often.
    pub coverage: Coverage,
}

impl<E: Engine> Host<E> {
    /// A system out of reset with 64 lines of memory behind it; the seed fills them and makes all choices.
    ///
    /// # Panics
    /// If the engine runs another design.
    pub fn new(engine: E, geometry: &CcsGeometry, seed: u64) -> Host<E> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let size = geometry.line_bytes() * 64;
        let mut machine = CcsMachine::around(engine, geometry, size, seed);
        machine.memory.bytes.fill_with(|| rng.random());
        let memory = machine.memory.bytes.clone();
        Host { machine, rng, memory, commands: 0, coverage: Coverage::new() }
    }

    fn count(&mut self, what: impl Into<String>) {
        *self.coverage.entry(what.into()).or_default() += 1;
    }

    fn word(&self, address: u32) -> u32 {
        let at = address as usize & !3;
        u32::from_le_bytes(self.memory[at..at + 4].try_into().expect("four bytes"))
    }

    fn compare(&mut self) -> Checked {
        // Writes that are posted.
        (0..64).try_for_each(|_| self.machine.cycle(None).map(drop))?;
        let (held, expected) = (&self.machine.memory.bytes, &self.memory);
        match (0..expected.len()).find(|&i| expected[i] != held[i]) {
            Some(at) => wrong(format!("byte {at:#x}: {:#x}, must be {:#x}", held[at], expected[at])),
            None => Ok(()),
        }
    }

    /// One command, with reads of words that it does not write beside it; writes beside a command are in `ccs_beside`.
    fn command(&mut self, launch: &Launch) -> Checked {
        let outcome = execute(&mut self.memory, &self.machine.geometry, launch);
        let name = COMMANDS.get(usize::from(launch.code)).map_or("none", |c| c.name);
        self.count(outcome.error.map_or(name, CcsError::name));
        for (offset, value) in launch.writes() {
            self.machine.set_register(offset, value)?;
        }
        self.machine.set_register(registers::REG_START, 0)?;
        // Words that the command does not write hold what they did.
        let element = self.machine.geometry.element_bytes() as u32;
        let map = COMMANDS.get(usize::from(launch.code)).is_some_and(|c| c.kind == Kind::Map);
        let span =
            if map { (launch.length.wrapping_sub(1)).wrapping_mul(launch.stride.into()).wrapping_add(1) } else { 1 };
        let rows = |row: u32| launch.bases[2].wrapping_add(launch.steps[2].wrapping_mul(row));
        let writes = |address: u32| {
            (0..launch.count).any(|row| rows(row) < address + 4 && address < rows(row) + span.wrapping_mul(element))
        };
        for _ in 0..self.rng.random_range(0..6) {
            self.pause()?;
            let address = self.rng.random_range(0..self.memory.len() as u32) & !3;
            if outcome.error.is_none_or(|e| e == CcsError::Address) && writes(address) {
                continue;
            }
            self.read(address)?;
            self.count("read beside a command");
        }
        self.pause()?;
        let error = CcsError::from_code(self.machine.register(registers::REG_WAIT)? as u8);
        if error != outcome.error {
            return wrong(format!("ends with {error:?}, must with {:?}", outcome.error));
        }
        if let Some(result) = outcome.result.filter(|_| outcome.error.is_none()) {
            equal("result", self.machine.register(registers::REG_RESULT)?, result)?;
        }
        let lines = self.machine.register(registers::REG_COMPLETED)?;
        if outcome.error.is_none_or(|e| e == CcsError::Address) {
            equal("lines written", lines, outcome.lines)?;
        }
        self.commands += 1;
        Ok(())
    }

    /// Reads a word, which must be there and hold what memory does.
    fn read(&mut self, address: u32) -> Checked {
        let (value, failed) = self.machine.read(address)?;
        if failed {
            return wrong(format!("word {address:#x}: memory has failed"));
        }
        equal(&format!("word {address:#x}"), value, self.word(address))
    }

    /// Now and then, cycles in which the processor wants nothing: it comes at other moments then.
    fn pause(&mut self) -> Checked {
        if self.rng.random_range(0..4) == 0 {
            for _ in 0..self.rng.random_range(1..16) {
                self.machine.cycle(None)?;
            }
        }
        Ok(())
    }

    /// The processor alone: reads and writes of words and bytes.
    fn traffic(&mut self) -> Checked {
        for _ in 0..self.rng.random_range(0..12) {
            self.pause()?;
            let address = self.rng.random_range(0..self.memory.len() as u32) & !3;
            if self.rng.random() {
                let (data, strobes): (u32, u8) =
                    (self.rng.random(), [15, 15, 3, 12, 1, 8, 6, 0][self.rng.random_range(0..8)]);
                self.machine.write(address, data, strobes)?;
                for i in (0..4).filter(|i| strobes >> i & 1 == 1) {
                    self.memory[address as usize + i] = data.to_le_bytes()[i];
                }
                self.count("write");
            } else {
                self.read(address)?;
                self.count("read");
            }
        }
        Ok(())
    }

    fn interrupted(&mut self) -> Checked {
        let sum = CcsCommand::named("SUMV").expect("a command").code;
        for (offset, value) in Launch::new(sum, [0; 3], 64).writes() {
            self.machine.set_register(offset, value)?;
        }
        self.machine.set_register(registers::REG_START, 0)?;
        for _ in 0..self.rng.random_range(0..20) {
            self.machine.cycle(None)?;
        }
        self.machine.reset()?;
        equal("status behind the reset", self.machine.register(registers::REG_STATUS)?, 1)?;
        equal("length behind the reset", self.machine.register(registers::REG_LENGTH)?, 0)
    }

    /// The reset in the middle of a command that writes nothing.
    ///
    /// # Errors
    /// The first failure.
    pub fn reset(&mut self) -> Result {
        let ended = self.interrupted();
        self.told(ended, "reset")
    }

    /// So many random commands, some of them wrong, with the processor at work before, beside and behind them.
    ///
    /// # Errors
    /// The first failure.
    pub fn random(&mut self, commands: usize) -> Result {
        for number in 0..commands {
            if self.rng.random_range(0..8) == 0 {
                self.machine.memory.pace = [1, 1, 2, 5][self.rng.random_range(0..4)];
                self.machine.memory.latency = [1, 1, 3, 20][self.rng.random_range(0..4)];
            }
            let (geometry, size) = (self.machine.geometry.clone(), self.memory.len() as u32);
            let mut launch = random_launch(&mut self.rng, &geometry, size);
            if self.rng.random_range(0..6) == 0 {
                spoil(&mut self.rng, &geometry, &mut launch);
            }
            let ended = self.one(&launch);
            self.told(ended, &format!("command {number}, {launch:?}"))?;
        }
        Ok(())
    }

    fn one(&mut self, launch: &Launch) -> Checked {
        self.traffic()?;
        self.command(launch)?;
        self.traffic()?;
        self.compare()
    }

    /// What went wrong, with the difference between hardware and model if it was one.
    fn told(&mut self, ended: Checked, during: &str) -> Result {
        ended.map_err(|wrong| match self.machine.divergence.take() {
            Some(divergence) => Failure::Diverged(divergence, during.into()),
            None => Failure::Wrong(format!("cycle {}: {wrong}; {during}", self.machine.cycles)),
        })
    }
}
