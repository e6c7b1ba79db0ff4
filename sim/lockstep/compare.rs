//! Where the hardware keeps what the cycle model of a compute unit knows, and the comparison of the two.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::state;
use crate::engine::{Engine, Lookup};
use crate::isa::word::COUNTS;
use crate::kernel::flat::Flat;
use crate::model::command_queue::Waiting;
use crate::model::compute_unit::ComputeUnit;
use crate::params::{Memory, Params};

/// A register or memory word that is not what the model says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Instance path and signal.
    pub path: String,
    /// What the model says, lowest word first.
    pub expected: Vec<u64>,
    /// What the hardware holds.
    pub actual: Vec<u64>,
}

impl Difference {
    /// A difference.
    pub fn new(path: impl Into<String>, expected: &[u64], actual: impl AsRef<[u64]>) -> Difference {
        Difference { path: path.into(), expected: expected.to_vec(), actual: actual.as_ref().to_vec() }
    }
}

/// Registers in the order in which a visitor passes them.
#[derive(Clone, Debug)]
pub struct Registers {
    numbers: Vec<usize>,
    compared: Vec<bool>,
}

impl Registers {
    /// Finds the registers that `visit` names, below the instance path `prefix`, which is empty or ends in a dot.
    ///
    /// # Panics
    /// If the design lacks one.
    pub fn find(design: &Flat, prefix: &str, visit: impl FnOnce(&mut state::Visit<'_>)) -> Registers {
        let mut registers = Vec::new();
        visit(&mut |path, _| {
            let path = format!("{prefix}{path}");
            registers.push(design.find_register(&path).unwrap_or_else(|| panic!("the design has no register {path}")));
        });
        Registers { compared: vec![true; registers.len()], numbers: registers }
    }

    /// Their numbers.
    pub fn numbers(&self) -> &[usize] {
        &self.numbers
    }

    /// Leaves a register out of comparisons.
    pub fn ignore(&mut self, register: usize) {
        for (compared, _) in self.compared.iter_mut().zip(&self.numbers).filter(|(_, number)| **number == register) {
            *compared = false;
        }
    }

    /// Compares them with the values that `visit` gives.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare<E: Engine>(
        &self,
        engine: &E,
        visit: impl FnOnce(&mut state::Visit<'_>),
    ) -> Result<(), Box<Difference>> {
        let mut index = 0;
        let mut wrong = None;
        visit(&mut |_, expected| {
            let (register, compared) = (self.numbers[index], self.compared[index]);
            index += 1;
            let Some(expected) = expected.filter(|_| compared) else { return };
            let actual = engine.register(register);
            let same = match (&*actual, expected) {
                ([actual], [expected]) => actual == expected,
                (actual, expected) => actual == expected,
            };
            if !same && wrong.is_none() {
                let path = &engine.design().net(engine.design().registers[register].net).path;
                wrong = Some(Box::new(Difference::new(path, expected, actual)));
            }
        });
        wrong.map_or(Ok(()), Err)
    }
}

/// Memories of the hardware that memories of the model stand for.
#[derive(Clone, Debug)]
pub struct Memories {
    rows: [Option<usize>; 2],
    bases: [usize; 3],
    counts: [usize; 2],
    queue: usize,
    /// The model's queue at the last comparison.
    slots: Vec<Option<Waiting>>,
}

impl Memories {
    /// Finds them below the unit's instance path `prefix`, which is empty or ends in a dot.
    ///
    /// # Panics
    /// If the design lacks one.
    pub fn find(design: &Flat, params: &Params, prefix: &str) -> Memories {
        let memory = |path: &str| {
            let path = format!("{prefix}{path}");
            design.find_memory(&path).unwrap_or_else(|| panic!("the design has no memory {path}"))
        };
        Memories {
            rows: match params.memory {
                Memory::Behavioural => [Some(memory("array.sram_0.rows")), None],
                Memory::BlockRam => [Some(memory("array.block_ram_0.rows")), Some(memory("array.block_ram_0.mirror"))],
            },
            bases: ["a_bases", "b_bases", "write_bases"].map(|m| memory(&format!("sequencer.addresses.{m}"))),
            counts: ["x_counts", "y_counts"].map(|m| memory(&format!("sequencer.flow.counters.{m}"))),
            queue: memory("commands.memory"),
            slots: vec![],
        }
    }

    /// Their numbers.
    pub fn numbers(&self) -> Vec<usize> {
        let rows = self.rows().into_iter();
        rows.chain(self.bases).chain(self.counts).chain([self.queue]).collect()
    }

    /// Numbers of those that hold the array's rows.
    pub fn rows(&self) -> Vec<usize> {
        self.rows.into_iter().flatten().collect()
    }

    /// Puts the same random words into the memories of both sides.
    pub fn fill<E: Engine>(&self, engine: &mut E, model: &mut ComputeUnit, params: &Params, seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let top = if params.columns.is_multiple_of(64) { u64::MAX } else { (1 << (params.columns % 64)) - 1 };
        for row in 0..params.rows {
            let mut words: Vec<u64> = (0..params.columns.div_ceil(64)).map(|_| rng.random()).collect();
            *words.last_mut().expect("a row has words") &= top;
            model.array.sram.write(row, &words, None);
            for memory in self.rows.into_iter().flatten() {
                engine.set_word(memory, row, &words);
            }
        }
        for (word, base) in model.sequencer.setup.bases.iter_mut().flatten().enumerate() {
            *base = rng.random::<u16>() & 0x3ff;
            for memory in self.bases {
                engine.set_word(memory, word, &[(*base).into()]);
            }
        }
        for (word, count) in model.sequencer.setup.counts.iter_mut().flatten().enumerate() {
            *count = rng.random::<u8>() & 0x7f;
            for memory in self.counts {
                engine.set_word(memory, word, &[state::flagged(*count)]);
            }
        }
    }

    /// Compares them with the model's: of the rows, those that either side has written since the last comparison, or all of them if
    /// `whole`, or if the engine does not know.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare<E: Engine>(
        &mut self,
        engine: &mut E,
        model: &mut ComputeUnit,
        whole: bool,
    ) -> Result<(), Box<Difference>> {
        self.compare_rows(engine, model, whole)?;
        let setup = &model.sequencer.setup;
        compare_small(engine, &self.bases, setup.bases.as_flattened())?;
        let counts = setup.counts.as_flattened();
        let counts: [u64; 2 * COUNTS] = std::array::from_fn(|count| state::flagged(counts[count]));
        compare_small(engine, &self.counts, &counts)?;
        let slots = &model.queue.slots;
        let quiet = engine.written(self.queue).is_some_and(|written| written.iter().all(|&words| words == 0));
        if whole || !quiet || *slots != self.slots {
            compare_words(engine, self.queue, slots.iter().map(|slot| slot.as_ref().map(state::pack_command)))?;
            self.slots.clone_from(slots);
        }
        engine.forget_written();
        model.array.sram.written.fill(0);
        Ok(())
    }

    fn compare_rows<E: Engine>(&self, engine: &E, model: &ComputeUnit, whole: bool) -> Result<(), Box<Difference>> {
        let sram = &model.array.sram;
        let limbs = sram.columns().div_ceil(64);
        for memory in self.rows.into_iter().flatten() {
            let (expected, actual) = (&sram.bits[..], engine.memory(memory));
            let same = match engine.written(memory).filter(|_| !whole) {
                None => expected == actual,
                Some(written) => {
                    let rows =
                        written.iter().zip(&sram.written).enumerate().flat_map(|(i, (a, b))| ones(64 * i, a | b));
                    rows.into_iter().all(|row| {
                        let words = row * limbs..(row + 1) * limbs;
                        expected[words.clone()] == actual[words]
                    })
                }
            };
            if !same {
                compare_words(engine, memory, expected.chunks(limbs).map(Some))?;
            }
        }
        Ok(())
    }
}

/// Numbers of the bits that are 1, the lowest one's being `first`.
fn ones(first: usize, mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(first + bit)
    })
}

/// Compares memories of narrow words with the model's words, which are the same for all of them.
fn compare_small<E: Engine, W: Copy + Into<u64>>(
    engine: &E,
    memories: &[usize],
    words: &[W],
) -> Result<(), Box<Difference>> {
    let mut last: Option<&[u64]> = None;
    for &memory in memories {
        let actual = engine.memory(memory);
        // Engines may keep memories with the same writes once.
        if last.is_some_and(|last| std::ptr::eq(last, actual)) {
            continue;
        }
        last = Some(actual);
        if words.iter().zip(actual).fold(0, |wrong, (&word, actual)| wrong | (word.into() ^ actual)) != 0 {
            compare_words(engine, memory, words.iter().map(|&word| Some([word.into()])))?;
        }
    }
    Ok(())
}

/// Compares the words of a memory with the model's; `None` is a word that does not matter.
///
/// # Errors
/// The first difference.
pub fn compare_words<E: Engine, W: AsRef<[u64]>>(
    engine: &E,
    memory: usize,
    words: impl Iterator<Item = Option<W>>,
) -> Result<(), Box<Difference>> {
    let limbs = engine.design().memories[memory].width.div_ceil(64) as usize;
    for (word, (expected, actual)) in words.zip(engine.memory(memory).chunks(limbs)).enumerate() {
        let Some(expected) = expected else { continue };
        if expected.as_ref() != actual {
            let path = format!("{}[{word}]", engine.design().memories[memory].path);
            return Err(Box::new(Difference::new(path, expected.as_ref(), actual)));
        }
    }
    Ok(())
}
