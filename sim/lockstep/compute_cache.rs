//! A compute cache and its model side by side.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Divergence;
use super::compare::Difference;
use crate::cache::CacheGeometry;
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::compute_cache::{CacheInputs, CacheOutputs, ComputeCache};

mod registers;

use registers::registers;

const INPUTS: [&str; 15] = [
    "instr_valid",
    "instr_op",
    "instr_grain",
    "instr_a",
    "instr_b",
    "instr_d",
    "instr_size",
    "instr_tag",
    "result_ready",
    "word_valid",
    "word_write",
    "word_address",
    "word_data",
    "word_strobes",
    "read_ready",
];
const OUTPUTS: [&str; 10] = [
    "instr_ready",
    "result_valid",
    "result_tag",
    "result_mask",
    "result_code",
    "result_address",
    "word_ready",
    "read_valid",
    "read_data",
    "busy",
];

/// A register: instances that repeat have a number.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Instance, `#` standing for the number.
    pub instance: &'static str,
    /// The number.
    pub number: usize,
    /// The register.
    pub register: &'static str,
}

impl Place {
    fn path(&self) -> String {
        format!("{}.{}", self.instance.replace('#', &self.number.to_string()), self.register)
    }
}

/// Gets a register and its value; nothing where it does not matter.
type Visit<'a> = dyn FnMut(Place, Option<&[u64]>) + 'a;

/// Hardware and model.
pub struct CacheLockstep<E: Engine> {
    seed: u64,
    cycle: u64,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: ComputeCache,
    inputs: [NetId; 15],
    outputs: [NetId; 10],
    registers: Vec<usize>,
    /// For each bank and sub-array: key row, rows on the first and second wordlines.
    sub_arrays: Vec<Vec<(usize, [usize; 2])>>,
}

impl<E: Engine> CacheLockstep<E> {
    /// Brings the hardware out of reset, both memories filled from the seed.
    ///
    /// # Panics
    /// If it is no compute cache of this geometry.
    pub fn new(mut engine: E, geometry: &CacheGeometry, seed: u64) -> CacheLockstep<E> {
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let (inputs, outputs) = (INPUTS.map(net), OUTPUTS.map(net));
        let mut model = ComputeCache::new(geometry);
        let register =
            |path: String| design.find_register(&path).unwrap_or_else(|| panic!("the design has no register {path}"));
        let mut found = vec![];
        registers(&model, &mut |place, _| found.push(register(place.path())));
        let memory =
            |path: String| design.find_memory(&path).unwrap_or_else(|| panic!("the design has no memory {path}"));
        let sub_arrays = (0..geometry.banks).map(|bank| {
            let sub_array = |sub| {
                let path = |name| format!("banks_{bank}.sub_arrays_{sub}.{name}");
                (register(path("key_row")), ["rows", "mirror"].map(|name| memory(path(name))))
            };
            (0..geometry.sub_arrays).map(sub_array).collect::<Vec<_>>()
        });
        let sub_arrays: Vec<Vec<(usize, [usize; 2])>> = sub_arrays.collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        model.rows.bits.fill_with(|| rng.random());
        for block in 0..geometry.blocks() as u32 {
            let (bank, sub, local) = place(geometry, block);
            for memory in sub_arrays[bank][sub].1 {
                engine.set_word(memory, local, model.rows.block(block));
            }
        }
        for &input in &inputs {
            engine.set_input(input, &[0]);
        }
        engine.tick(true);
        engine.forget_written();
        CacheLockstep { seed, cycle: 0, engine, model, inputs, outputs, registers: found, sub_arrays }
    }

    fn drive(&mut self, inputs: &CacheInputs) {
        let instruction = inputs.instruction.unwrap_or_default();
        let word = inputs.word.unwrap_or_default();
        let values = [
            inputs.instruction.is_some().into(),
            instruction.op.into(),
            instruction.grain.into(),
            instruction.a.into(),
            instruction.b.into(),
            instruction.d.into(),
            instruction.size.into(),
            instruction.tag.into(),
            inputs.take_result.into(),
            inputs.word.is_some().into(),
            word.write.into(),
            word.address.into(),
            word.data,
            word.strobes.into(),
            u64::from(inputs.take_read),
        ];
        for (net, value) in self.inputs.into_iter().zip(values) {
            self.engine.set_input(net, &[value]);
        }
    }

    /// One clock cycle of both; everything is compared, of the rows those that are written.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(&mut self, inputs: &CacheInputs) -> Result<CacheOutputs, Box<Divergence>> {
        self.drive(inputs);
        let outputs = self.model.step(inputs);
        self.compare_outputs(&outputs, inputs).map_err(|d| self.diverged(*d))?;
        self.engine.tick(false);
        self.cycle += 1;
        self.compare_registers().map_err(|d| self.diverged(*d))?;
        self.compare_rows(false).map_err(|d| self.diverged(*d))?;
        Ok(outputs)
    }

    /// One clock cycle of both with the reset on.
    ///
    /// # Errors
    /// The first difference.
    pub fn reset(&mut self, inputs: &CacheInputs) -> Result<(), Box<Divergence>> {
        self.drive(inputs);
        self.model.step(inputs);
        self.model.reset();
        self.engine.tick(true);
        self.cycle += 1;
        self.compare_registers().map_err(|d| self.diverged(*d))?;
        self.compare_rows(false).map_err(|d| self.diverged(*d))
    }

    /// Cycles since the reset.
    pub fn cycle_count(&self) -> u64 {
        self.cycle
    }

    /// Registers that no comparison looks at.
    pub fn unseen(&self) -> Vec<String> {
        let design = self.engine.design();
        let key_rows = self.sub_arrays.iter().flatten().map(|(key_row, _)| *key_row);
        let seen: std::collections::HashSet<usize> = self.registers.iter().copied().chain(key_rows).collect();
        let unseen = (0..design.registers.len()).filter(|register| !seen.contains(register));
        unseen.map(|register| design.net(design.registers[register].net).path.clone()).collect()
    }

    /// Compares all rows and key rows.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare_memory(&mut self) -> Result<(), Box<Divergence>> {
        self.compare_rows(true).map_err(|d| self.diverged(*d))
    }

    /// Puts a block into both memories.
    pub fn set_block(&mut self, block: u32, words: &[u64]) {
        let (bank, sub, local) = place(&self.model.geometry, block);
        for memory in self.sub_arrays[bank][sub].1 {
            self.engine.set_word(memory, local, words);
        }
        self.model.rows.write(block, words);
        self.model.rows.written.clear();
    }

    fn diverged(&self, difference: Difference) -> Box<Divergence> {
        let Difference { path, expected, actual } = difference;
        Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
    }

    fn compare_outputs(&mut self, outputs: &CacheOutputs, inputs: &CacheInputs) -> Result<(), Box<Difference>> {
        let result = outputs.result;
        let fault = |value: fn(crate::cache::CacheFault) -> u64| result.map(|r| r.fault.map_or(0, value));
        let values = [
            Some(outputs.instruction_ready.into()),
            Some(result.is_some().into()),
            result.map(|r| r.tag.into()),
            result.map(|r| r.mask),
            fault(|f| f.code as u64),
            fault(|f| f.address.into()),
            inputs.word.map(|_| outputs.word_ready.into()),
            Some(outputs.read.is_some().into()),
            outputs.read,
            Some(outputs.busy.into()),
        ];
        for ((path, net), expected) in OUTPUTS.iter().zip(self.outputs).zip(values) {
            let Some(expected) = expected else { continue };
            let actual = self.engine.low(net);
            if actual != expected {
                return Err(Box::new(Difference::new(*path, &[expected], [actual])));
            }
        }
        Ok(())
    }

    fn compare_registers(&self) -> Result<(), Box<Difference>> {
        let (mut index, mut wrong) = (0, None);
        registers(&self.model, &mut |place, expected| {
            let register = self.registers[index];
            index += 1;
            let Some(expected) = expected.filter(|_| wrong.is_none()) else { return };
            let actual = self.engine.register(register);
            if actual != expected {
                wrong = Some(Box::new(Difference::new(place.path(), expected, actual)));
            }
        });
        for (bank, sub_arrays) in self.sub_arrays.iter().enumerate() {
            for (sub, (key_row, _)) in sub_arrays.iter().enumerate() {
                let Some(expected) = self.model.banks[bank].keys[sub].as_ref() else { continue };
                let actual = self.engine.register(*key_row);
                if actual != expected && wrong.is_none() {
                    let path = format!("banks_{bank}.sub_arrays_{sub}.key_row");
                    wrong = Some(Box::new(Difference::new(path, expected, actual)));
                }
            }
        }
        wrong.map_or(Ok(()), Err)
    }

    /// All rows, or those that either side has written.
    fn compare_rows(&mut self, whole: bool) -> Result<(), Box<Difference>> {
        let geometry = self.model.geometry.clone();
        let mut blocks: Vec<u32> = std::mem::take(&mut self.model.rows.written);
        if whole {
            blocks = (0..geometry.blocks() as u32).collect();
        } else {
            for (bank, sub_arrays) in self.sub_arrays.iter().enumerate() {
                for (sub, (_, memories)) in sub_arrays.iter().enumerate() {
                    let Some(written) = self.engine.written(memories[0]) else { continue };
                    for (limb, bits) in written.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                        let locals = (0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| 64 * limb + bit);
                        let block = |local| ((local * geometry.sub_arrays + sub) * geometry.banks + bank) as u32;
                        blocks.extend(locals.filter(|&l| l < geometry.rows * geometry.partitions).map(block));
                    }
                }
            }
        }
        self.engine.forget_written();
        for block in blocks {
            let (bank, sub, local) = place(&geometry, block);
            let expected = self.model.rows.block(block);
            for memory in self.sub_arrays[bank][sub].1 {
                let actual = &self.engine.memory(memory)[local * geometry.words()..][..geometry.words()];
                if actual != expected {
                    let path = format!("{}[{local}]", self.engine.design().memories[memory].path);
                    return Err(Box::new(Difference::new(path, expected, actual)));
                }
            }
        }
        Ok(())
    }
}

/// Where a block is: bank, sub-array, number in it.
fn place(geometry: &CacheGeometry, block: u32) -> (usize, usize, usize) {
    let (bank, own) = (block as usize % geometry.banks, block as usize / geometry.banks);
    (bank, own % geometry.sub_arrays, own / geometry.sub_arrays)
}
