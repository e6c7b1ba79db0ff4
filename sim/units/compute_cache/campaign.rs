//! A campaign on the compute cache: random instructions and word accesses with stalls and resets, in lock step with the
//! model; memory and results against plain operations on bytes.

use std::collections::{BTreeMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::campaign::{Failure, Result};
use crate::compute_cache::{CacheFault, CacheGeometry, CacheInstruction, CacheOp};
use crate::engine::Engine;
use crate::lockstep::Divergence;
use crate::lockstep::compute_cache::CacheLockstep;
use crate::model::cache_arith::execute;
use crate::model::compute_cache::{CacheInputs, WordAccess};

/// How often each thing happened.
pub type Coverage = BTreeMap<String, u64>;

/// A processor that offers instructions and word accesses and takes results, with pauses.
pub struct Host<E: Engine> {
    /// Hardware and model.
    pub unit: CacheLockstep<E>,
    rng: ChaCha8Rng,
    /// What the memory must hold once all that was taken is done.
    memory: Vec<u8>,
    /// One chance in this many to offer an instruction, to take a result, to offer a word, to take a word.
    pace: [u32; 4],
    instruction: Option<CacheInstruction>,
    word: Option<WordAccess>,
    results: VecDeque<(CacheInstruction, std::result::Result<u64, CacheFault>)>,
    reads: VecDeque<u64>,
    /// Instructions that were taken.
    pub instructions: u64,
    /// What has happened, and how often.
    pub coverage: Coverage,
}

impl<E: Engine> Host<E> {
    /// A compute cache out of reset, its memory filled from the seed, which makes all choices, too.
    ///
    /// # Panics
    /// If the engine runs another design.
    pub fn new(engine: E, geometry: &CacheGeometry, seed: u64) -> Host<E> {
        let unit = CacheLockstep::new(engine, geometry, seed);
        let memory = unit.model.rows.bits.iter().flat_map(|word| word.to_le_bytes()).collect();
        let coverage = ["waits for a hazard", "bank misses its wave", "key is still there", "both paths busy", "reset"]
            .map(|what| (what.to_string(), 0));
        Host {
            unit,
            rng: ChaCha8Rng::seed_from_u64(seed),
            memory,
            pace: [1; 4],
            instruction: None,
            word: None,
            results: VecDeque::new(),
            reads: VecDeque::new(),
            instructions: 0,
            coverage: coverage.into(),
        }
    }

    fn count(&mut self, what: impl Into<String>, happened: bool) {
        *self.coverage.entry(what.into()).or_default() += u64::from(happened);
    }

    fn geometry(&self) -> CacheGeometry {
        self.unit.model.geometry.clone()
    }

    fn chance(&mut self, what: usize) -> bool {
        self.rng.random_range(0..self.pace[what]) == 0
    }

    fn word_at(&mut self, address: u32) -> Option<&mut [u8]> {
        let at = address as usize & !7;
        self.memory.get_mut(at..at + 8)
    }

    /// Something to do: an address, most often near the operands of others.
    fn address(&mut self) -> u32 {
        let geometry = self.geometry();
        let hot = geometry.blocks().min(4 * geometry.places());
        let most = if self.rng.random_range(0..8) == 0 { geometry.blocks() } else { hot };
        let block = self.rng.random_range(0..most);
        (block * geometry.block_bytes) as u32
    }

    fn random_instruction(&mut self) -> CacheInstruction {
        let geometry = self.geometry();
        let block = geometry.block_bytes as u32;
        let op = CacheOp::ALL[self.rng.random_range(0..CacheOp::ALL.len())];
        let grain = self.rng.random_range(0..3);
        let most = (op.largest(grain) / block).min(geometry.blocks() as u32 / 2).max(1);
        let most = if self.rng.random_range(0..4) == 0 { most } else { most.min(2 * geometry.places() as u32) };
        let size = self.rng.random_range(1..=most) * block;
        let a = self.address();
        // Operands in the same place of a page, or anywhere.
        let page = geometry.page() as u32;
        let second = |this: &mut Self| match this.rng.random_range(0..4) {
            0 => this.address(),
            1 => a,
            _ => this.address() / page * page + a % page,
        };
        let (b, d) = (second(self), second(self));
        let b = if op == CacheOp::Search && self.rng.random() { 0 } else { b };
        let mut instruction =
            CacheInstruction { grain, tag: self.rng.random(), ..CacheInstruction::new(op, a, b, d, size) };
        // Now and then something is wrong.
        if self.rng.random_range(0..12) == 0 {
            let field = [&mut instruction.a, &mut instruction.b, &mut instruction.d, &mut instruction.size];
            let which = self.rng.random_range(0..6);
            match which {
                0..4 => {
                    let choices =
                        [0, self.rng.random(), geometry.bytes() as u32, u32::MAX, 1 << self.rng.random_range(0..32)];
                    *field.into_iter().nth(which).expect("four fields") = choices[self.rng.random_range(0..5)];
                }
                4 => instruction.op = self.rng.random_range(0..16),
                _ => instruction.grain = 3,
            }
        }
        instruction
    }

    fn random_word(&mut self) -> WordAccess {
        let address = if self.rng.random_range(0..16) == 0 { self.rng.random() } else { self.address() };
        let address = address.wrapping_add(self.rng.random_range(0..self.geometry().block_bytes as u32));
        WordAccess { write: self.rng.random(), address, data: self.rng.random(), strobes: self.rng.random() }
    }

    /// Cycle with what is on offer; an offer stays until it is taken.
    fn cycle(&mut self) -> Result {
        let (take_result, take_read) = (self.chance(1), self.chance(3));
        let inputs = CacheInputs { instruction: self.instruction, take_result, word: self.word, take_read };
        let kept = self.unit.model.kept;
        let outputs = self.unit.cycle(&inputs).map_err(|d| self.diverged(d))?;
        let seen = self.unit.model.seen.clone();
        self.count("bank misses its wave", seen.missed != 0);
        self.count("both paths busy", seen.waves && seen.near);
        self.count("key is still there", self.unit.model.kept > kept);
        self.count("waits for a hazard", seen.held && seen.held_near && seen.waves && !seen.near);
        // The word goes first: it was taken before the instruction can reach a bank.
        if let Some(word) = self.word.filter(|_| outputs.word_ready) {
            self.word = None;
            let old = self.word_at(word.address).map_or([0; 8], |bytes| bytes.try_into().expect("eight bytes"));
            if word.write {
                if let Some(bytes) = self.word_at(word.address) {
                    let new = word.data.to_le_bytes();
                    (0..8).filter(|i| word.strobes >> i & 1 == 1).for_each(|i| bytes[i] = new[i]);
                }
            } else {
                self.reads.push_back(u64::from_le_bytes(old));
            }
        }
        if let Some(instruction) = self.instruction.filter(|_| outputs.instruction_ready) {
            self.instruction = None;
            let geometry = self.geometry();
            let expected = execute(&mut self.memory, &geometry, &instruction);
            let name = match instruction.check(&geometry) {
                Ok(plan) => format!("{} {}", plan.op.name(), if plan.near { "near" } else { "in place" }),
                Err(fault) => fault.code.name().to_string(),
            };
            self.count(name, true);
            self.results.push_back((instruction, expected));
            self.instructions += 1;
        }
        if let Some(result) = outputs.result.filter(|_| take_result) {
            let Some((instruction, expected)) = self.results.pop_front() else {
                return self.wrong(format!("{result:?} belongs to no instruction"));
            };
            let actual = result.fault.map_or(Ok(result.mask), Err);
            if (result.tag, actual) != (instruction.tag, expected) {
                return self.wrong(format!("{instruction:?}: {result:?}, expected {expected:x?}"));
            }
        }
        if let Some(read) = outputs.read.filter(|_| take_read) {
            let expected = self.reads.pop_front();
            if Some(read) != expected {
                return self.wrong(format!("read {read:x}, expected {expected:x?}"));
            }
        }
        Ok(())
    }

    fn wrong(&self, what: String) -> Result {
        Err(Failure::Wrong(format!("cycle {}: {what}", self.unit.cycle_count())))
    }

    fn diverged(&self, divergence: Box<Divergence>) -> Failure {
        Failure::Diverged(divergence, format!("offered {:?} and {:?}", self.instruction, self.word))
    }

    fn settle(&mut self) -> Result {
        for _ in 0..1_000_000 {
            if self.instruction.is_none() && self.word.is_none() && self.results.is_empty() && self.reads.is_empty() {
                // Writes of words need two more cycles.
                (0..3).try_for_each(|_| self.cycle())?;
                self.unit.compare_memory().map_err(|d| self.diverged(d))?;
                let held: Vec<u8> = self.unit.model.rows.bits.iter().flat_map(|word| word.to_le_bytes()).collect();
                let differs = held.iter().zip(&self.memory).position(|(held, expected)| held != expected);
                return differs.map_or(Ok(()), |at| {
                    self.wrong(format!("byte {at:#x}: {:#x}, expected {:#x}", held[at], self.memory[at]))
                });
            }
            self.cycle()?;
        }
        self.wrong("something stays inside".into())
    }

    /// So many random instructions, most of them legal, with word accesses beside them and resets now and then.
    ///
    /// # Errors
    /// The first failure.
    pub fn random(&mut self, instructions: usize) -> Result {
        let mut left = instructions;
        while left > 0 {
            if self.rng.random_range(0..64) == 0 {
                let slow = [1, 1, 2, 8, 40];
                self.pace = std::array::from_fn(|_| slow[self.rng.random_range(0..slow.len())]);
            }
            if self.instruction.is_none() && self.chance(0) {
                self.instruction = Some(self.random_instruction());
                left -= 1;
            }
            if self.word.is_none() && self.chance(2) {
                self.word = Some(self.random_word());
            }
            self.cycle()?;
            if self.rng.random_range(0..2000) == 0 {
                self.settle()?;
                self.reset()?;
            }
        }
        self.settle()
    }

    /// A reset in the middle of everything: what is under way is lost, the unit is ready for the next instruction.
    fn reset(&mut self) -> Result {
        for _ in 0..self.rng.random_range(0..12) {
            self.instruction = Some(self.random_instruction());
            self.cycle()?;
        }
        self.unit.reset(&CacheInputs::default()).map_err(|d| self.diverged(d))?;
        self.count("reset", true);
        (self.instruction, self.word) = (None, None);
        self.results.clear();
        self.reads.clear();
        self.memory = self.unit.model.rows.bits.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(())
    }
}
