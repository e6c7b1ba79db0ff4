//! A compute cache to run instructions on: the hardware's netlist with the cycle model beside it, compared after every
//! cycle.

use crate::compute_cache::blocks::compute_cache;
use crate::compute_cache::{CacheGeometry, CacheInstruction};
use crate::engine::{Engine, Native, engine};
use crate::error::{Error, Result};
use crate::lockstep::Divergence;
use crate::lockstep::compute_cache::CacheLockstep;
use crate::model::compute_cache::{CacheInputs, CacheOutputs, CacheResult, WordAccess};

/// Cycles without any progress after which something is wrong with the hardware.
const PATIENCE: u64 = 100_000;

/// What a stream of instructions gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheRun {
    /// Results, in the order of the instructions.
    pub results: Vec<CacheResult>,
    /// For each, the cycle in which it was taken, counted from 1 in the cycle in which the first instruction was.
    pub at: Vec<u64>,
}

impl CacheRun {
    /// From the cycle in which the first instruction was taken to that of the last result, both included.
    pub fn cycles(&self) -> u64 {
        self.at.last().copied().unwrap_or(0)
    }

    /// The results' masks.
    pub fn masks(&self) -> impl Iterator<Item = u64> + '_ {
        self.results.iter().map(|result| result.mask)
    }
}

/// A compute cache.
pub struct CacheMachine<E: Engine = Native> {
    unit: CacheLockstep<E>,
    /// Cycles that words took to go in.
    pub load_cycles: u64,
    /// Cycles that instructions took.
    pub run_cycles: u64,
}

impl CacheMachine<Native> {
    /// A compute cache on the native engine, its memory filled from the seed.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the geometry breaks a rule.
    pub fn native(geometry: &CacheGeometry, seed: u64) -> Result<CacheMachine<Native>> {
        Ok(CacheMachine::around(engine(&compute_cache(geometry)?), geometry, seed))
    }
}

fn differ(divergence: Box<Divergence>) -> Error {
    Error::Tool { tool: "lock step".into(), reason: divergence.to_string() }
}

impl<E: Engine> CacheMachine<E> {
    /// A compute cache on any engine.
    ///
    /// # Panics
    /// If the engine runs another design.
    pub fn around(engine: E, geometry: &CacheGeometry, seed: u64) -> CacheMachine<E> {
        CacheMachine { unit: CacheLockstep::new(engine, geometry, seed), load_cycles: 0, run_cycles: 0 }
    }

    /// Its geometry.
    pub fn geometry(&self) -> &CacheGeometry {
        &self.unit.model.geometry
    }

    fn cycle(&mut self, inputs: &CacheInputs) -> Result<CacheOutputs> {
        self.unit.cycle(inputs).map_err(differ)
    }

    fn inside(&self, address: u32, length: usize) -> Result<()> {
        let bytes = self.geometry().bytes();
        if address as usize + length > bytes {
            let rule = format!("{length} bytes from there do not fit a memory of {bytes}");
            return Err(Error::parameter("address", address, rule));
        }
        Ok(())
    }

    /// Writes bytes over the word port, as a processor does.
    ///
    /// # Errors
    /// [`Error::Parameter`] if they do not fit the memory; [`Error::Tool`] when hardware and model differ.
    pub fn write(&mut self, address: u32, bytes: &[u8]) -> Result<()> {
        self.inside(address, bytes.len())?;
        let (mut at, mut left) = (address, bytes);
        while !left.is_empty() {
            let first = at as usize % 8;
            let (now, rest) = left.split_at(left.len().min(8 - first));
            let mut word = [0; 8];
            word[first..first + now.len()].copy_from_slice(now);
            let strobes = (0xff >> (8 - now.len())) << first;
            let access = WordAccess { write: true, address: at, data: u64::from_le_bytes(word), strobes };
            let inputs = CacheInputs { word: Some(access), ..CacheInputs::default() };
            for waited in 0.. {
                self.load_cycles += 1;
                if self.cycle(&inputs)?.word_ready {
                    break;
                }
                self.stuck(waited)?;
            }
            (at, left) = (at + now.len() as u32, rest);
        }
        Ok(())
    }

    fn stuck(&self, waited: u64) -> Result<()> {
        let reason = format!("no progress for {waited} cycles");
        if waited > PATIENCE { Err(Error::Tool { tool: "compute cache".into(), reason }) } else { Ok(()) }
    }

    /// Looks at bytes, without taking time.
    ///
    /// # Errors
    /// [`Error::Parameter`] if they are not in the memory; [`Error::Tool`] when hardware and model differ.
    pub fn read(&mut self, address: u32, length: usize) -> Result<Vec<u8>> {
        self.inside(address, length)?;
        // The last word written is still on its way.
        (0..2).try_for_each(|_| self.cycle(&CacheInputs::default()).map(|_| ()))?;
        let words = &self.unit.model.rows.bits;
        Ok((address as usize..address as usize + length).map(|at| words[at / 8].to_le_bytes()[at % 8]).collect())
    }

    /// Offers instructions as fast as they are taken, and takes results as they come. Tags become the instructions'
    /// numbers modulo 256.
    ///
    /// # Errors
    /// [`Error::Tool`] when hardware and model differ.
    pub fn run(&mut self, instructions: &[CacheInstruction]) -> Result<CacheRun> {
        let mut run = CacheRun::default();
        let (mut offered, mut cycle, mut waited) = (0, 0, 0);
        while run.results.len() < instructions.len() {
            let tagged = |(i, next): (usize, &CacheInstruction)| CacheInstruction { tag: i as u8, ..*next };
            let instruction = instructions.iter().enumerate().nth(offered).map(tagged);
            let inputs = CacheInputs { instruction, take_result: true, ..CacheInputs::default() };
            let outputs = self.cycle(&inputs)?;
            let taken = instruction.is_some() && outputs.instruction_ready;
            cycle += u64::from(taken || offered > 0);
            offered += usize::from(taken);
            waited = if taken || outputs.result.is_some() { 0 } else { waited + 1 };
            self.stuck(waited)?;
            if let Some(result) = outputs.result {
                run.results.push(result);
                run.at.push(cycle);
            }
        }
        self.run_cycles += run.cycles();
        Ok(run)
    }

    /// The same for instructions that must be legal.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the first that is refused; [`Error::Tool`] when hardware and model differ.
    pub fn run_legal(&mut self, instructions: &[CacheInstruction]) -> Result<CacheRun> {
        let run = self.run(instructions)?;
        for (instruction, result) in instructions.iter().zip(&run.results) {
            if let Some(fault) = result.fault {
                let value = format!("{instruction:?}");
                let rule = format!("{} ({:#x}): {}", fault.code.name(), fault.address, fault.code.description());
                return Err(Error::parameter("instruction", value, rule));
            }
        }
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute_cache::{CacheError, CacheFault, CacheOp};

    #[test]
    fn words_go_in_and_instructions_run() {
        let geometry = CacheGeometry::preset("l1").expect("named");
        let mut machine = CacheMachine::native(&geometry, 1).expect("legal");
        let text: Vec<u8> = (0..200).map(|i| i as u8 ^ 0x5a).collect();
        machine.write(3, &text).expect("fits");
        assert_eq!(machine.read(3, 200).expect("inside"), text);
        machine.write(512, &[0xff; 64]).expect("fits");
        let xor = CacheInstruction::new(CacheOp::Xor, 64, 512, 1024, 64);
        let run = machine.run_legal(&[xor]).expect("legal");
        let inverted: Vec<u8> = text[61..125].iter().map(|byte| !byte).collect();
        assert_eq!(machine.read(1024, 64).expect("inside"), inverted);
        assert_eq!(run.results[0].mask, 0);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let geometry = CacheGeometry::preset("tiny").expect("named");
        let mut machine = CacheMachine::native(&geometry, 1).expect("legal");
        assert!(machine.write(250, &[0; 7]).is_err());
        assert!(machine.read(257, 0).is_err());
        let zero = CacheInstruction::new(CacheOp::Zero, 0, 0, 256, 8);
        let run = machine.run(&[zero, CacheInstruction { d: 0, ..zero }]).expect("model and hardware agree");
        let fault = CacheFault { code: CacheError::Outside, address: 256 };
        assert_eq!(run.results.iter().map(|r| r.fault).collect::<Vec<_>>(), [Some(fault), None]);
        let error = machine.run_legal(&[zero]).expect_err("outside").to_string();
        assert!(error.contains("outside (0x100)"), "{error}");
    }
}
