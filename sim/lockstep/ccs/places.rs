//! Where the hardware keeps what the cycle model of the system knows, and the comparison of the two.

use std::collections::HashMap;

use super::registers::{registers, waiting_word};
use crate::engine::{Engine, Lookup};
use crate::kernel::flat::Flat;
use crate::lockstep::compare::Difference;
use crate::model::ccs::core::Core;
use crate::model::ccs::scoreboard::RESULTS;
use crate::model::ccs::waiting::WAITING;

/// Copies of the tags.
const LOOKUPS: usize = 4;

/// Registers and memories of the system, alone or inside of a top.
#[derive(Clone, Debug)]
pub struct CorePlaces {
    prefix: String,
    registers: Vec<usize>,
    store: [Vec<usize>; 2],
    tags: [usize; LOOKUPS],
    waiting: usize,
    results: [usize; 2],
}

/// Registers and memories of a design that are not among these. Contents of ROMs cannot change.
pub fn unseen<'a>(design: &'a Flat, registers: &[usize], memories: &[usize]) -> Vec<&'a str> {
    let left = (0..design.registers.len()).filter(|register| !registers.contains(register));
    let left = left.map(|register| design.net(design.registers[register].net).path.as_str());
    let others = design.memories.iter().enumerate();
    let others = others.filter(|(number, memory)| memory.contents.is_none() && !memories.contains(number));
    left.chain(others.map(|(_, memory)| memory.path.as_str())).collect()
}

impl CorePlaces {
    /// Finds them below the instance path `prefix`, which is empty or ends in a dot.
    ///
    /// # Panics
    /// If the design lacks one.
    pub fn find(design: &Flat, model: &Core, prefix: &str) -> CorePlaces {
        let memory = |path: String| {
            let path = format!("{prefix}{path}");
            design.find_memory(&path).unwrap_or_else(|| panic!("the design has no memory {path}"))
        };
        let lanes = 0..model.geometry.lanes;
        let store =
            ["first", "second"].map(|name| lanes.clone().map(|k| memory(format!("store.{name}_{k}"))).collect());
        let numbers = design.registers.iter().enumerate().map(|(i, r)| (design.net(r.net).path.as_str(), i));
        let numbers: HashMap<&str, usize> = numbers.collect();
        let (mut found, mut missing) = (vec![], vec![]);
        registers(model, &mut |path, _| {
            let path = format!("{prefix}{path}");
            found.extend(numbers.get(&path[..]));
            if !numbers.contains_key(&path[..]) {
                missing.push(path);
            }
        });
        assert!(missing.is_empty(), "the design has no registers {missing:?}");
        CorePlaces {
            prefix: prefix.into(),
            registers: found,
            store,
            tags: std::array::from_fn(|i| memory(format!("tags.copies_{i}"))),
            waiting: memory("fetch.waiting.ring".into()),
            results: ["lines", "places"].map(|name| memory(format!("scoreboard.{name}"))),
        }
    }

    /// Registers and memories that are compared.
    pub fn seen(&self) -> (Vec<usize>, Vec<usize>) {
        let memories = self.store.iter().flatten().chain(&self.tags).chain([&self.waiting]).chain(&self.results);
        (self.registers.clone(), memories.copied().collect())
    }

    /// Zeros in the store.
    pub fn clear<E: Engine>(&self, engine: &mut E) {
        for &lane in self.store.iter().flatten() {
            (0..engine.design().memories[lane].depth).for_each(|row| engine.set_word(lane, row, &[0]));
        }
    }

    /// Gives every register the model's value.
    pub fn settle<E: Engine>(&self, engine: &mut E, model: &Core) {
        let mut numbers = self.registers.iter();
        registers(model, &mut |_, value| {
            let number = *numbers.next().expect("as many as were found");
            engine.set_register(number, &[value.unwrap_or(0)]);
        });
    }

    /// Compares everything.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare<E: Engine>(&self, engine: &E, model: &Core) -> Result<(), Box<Difference>> {
        self.compare_registers(engine, model)?;
        self.compare_memories(engine, model)
    }

    fn compare_registers<E: Engine>(&self, engine: &E, model: &Core) -> Result<(), Box<Difference>> {
        let mut numbers = self.registers.iter();
        let mut wrong = None;
        registers(model, &mut |path, expected| {
            let number = *numbers.next().expect("as many as were found");
            let (Some(expected), None) = (expected, &wrong) else { return };
            let actual = engine.register(number);
            if actual != [expected] {
                wrong = Some(Box::new(Difference::new(format!("{}{path}", self.prefix), &[expected], actual)));
            }
        });
        wrong.map_or(Ok(()), Err)
    }

    /// Rows of the store that were written, and what rings and tags hold.
    fn compare_memories<E: Engine>(&self, engine: &E, model: &Core) -> Result<(), Box<Difference>> {
        let word = |memory: usize, at: usize, expected: u64| {
            let actual = engine.memory(memory)[at];
            if actual == expected {
                return Ok(());
            }
            let path = format!("{}[{at}]", engine.design().memories[memory].path);
            Err(Box::new(Difference::new(path, &[expected], [actual])))
        };
        for (k, lane) in model.store.lanes.iter().enumerate() {
            for memory in self.store.iter().map(|copy| copy[k]) {
                let changed = engine.written(memory).is_none_or(|words| words.iter().any(|&word| word != 0));
                if changed || model.written.is_some() {
                    lane.iter().enumerate().try_for_each(|(row, &value)| word(memory, row, value.into()))?;
                }
            }
        }
        let lines = model.tags.rows.len() as u32;
        for (row, line) in model.tags.rows.iter().enumerate() {
            let Some(line) = line else { continue };
            self.tags.iter().try_for_each(|&copy| word(copy, row, (line / lines).into()))?;
        }
        for (i, step) in model.fetch.waiting.queue.iter().enumerate() {
            word(self.waiting, (model.fetch.waiting.front + i) % WAITING, waiting_word(step))?;
        }
        // The last one is written a cycle after it has come.
        let written =
            model.scoreboard.queue.len() - usize::from(model.scoreboard.came && !model.scoreboard.queue.is_empty());
        for (i, result) in model.scoreboard.queue.iter().take(written).enumerate() {
            let at = (model.scoreboard.front + i) % RESULTS;
            word(self.results[0], at, result.line.into())?;
            word(self.results[1], at, u64::from(result.place) | u64::from(result.hit) << 7)?;
        }
        Ok(())
    }
}
