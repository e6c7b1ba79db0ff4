//! The same seeded stimulus on several implementations of one design, with every output compared in every cycle.

use std::fmt;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use bitline::error::Result;
use bitline::kernel::netlist::Netlist;
use bitline::sim::engine::Engine;
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, require};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::oracle::Ports;

/// An implementation of a design, with a name for messages.
pub struct Contestant<'a> {
    /// Name.
    pub name: &'static str,
    /// The implementation.
    pub ports: Box<dyn Ports + 'a>,
}

impl<'a> Contestant<'a> {
    /// A named implementation.
    pub fn new(name: &'static str, ports: impl Ports + 'a) -> Contestant<'a> {
        Contestant { name, ports: Box::new(ports) }
    }
}

/// A netlist under Verilator and Icarus, as far as they are installed.
///
/// # Errors
/// What building them reports.
pub fn external(netlist: &Netlist) -> Result<Vec<Contestant<'static>>> {
    let mut found = Vec::new();
    if require("verilator").is_some() {
        found.push(Contestant::new("Verilator", Verilated::build(netlist, &cache_folder())?));
    }
    if require("iverilog").is_some() {
        found.push(Contestant::new("Icarus", Icarus::build(netlist, &cache_folder())?));
    }
    Ok(found)
}

/// The first output on which two implementations differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Seed of the stimulus.
    pub seed: u64,
    /// Cycle, from 0 at the end of reset.
    pub cycle: u64,
    /// The output.
    pub output: String,
    /// Both implementations with their values.
    pub values: [(&'static str, Vec<u64>); 2],
    /// Inputs of that cycle.
    pub inputs: Vec<(String, Vec<u64>)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(a, x), (b, y)] = &self.values;
        let (x, y) = (hexadecimal(x), hexadecimal(y));
        write!(f, "seed {}, cycle {}, {}: {a} {x}, {b} {y}; inputs", self.seed, self.cycle, self.output)?;
        self.inputs.iter().try_for_each(|(name, value)| write!(f, " {name}={}", hexadecimal(value)))
    }
}

fn hexadecimal(limbs: &[u64]) -> String {
    let digits: String = limbs.iter().rev().map(|limb| format!("{limb:016x}")).collect();
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() { "0".into() } else { digits.into() }
}

/// A value for a port: anything, or one of the patterns on which arithmetic goes wrong first.
pub fn pattern(rng: &mut impl Rng, width: u32) -> Vec<u64> {
    let count = width.div_ceil(64) as usize;
    let mut limbs = vec![0; count];
    match rng.random_range(0..8) {
        0 => {}
        1 => limbs.fill(u64::MAX),
        2 => limbs[0] = rng.random_range(0..16),
        3 => {
            let bit = rng.random_range(0..width) as usize;
            limbs[bit / 64] = 1 << (bit % 64);
        }
        4 => {
            limbs.fill(u64::MAX);
            let bit = rng.random_range(0..width) as usize;
            limbs[bit / 64] &= !(1 << (bit % 64));
        }
        _ => limbs.fill_with(|| rng.random()),
    }
    if !width.is_multiple_of(64) {
        limbs[count - 1] &= (1 << (width % 64)) - 1;
    }
    limbs
}

/// Drives all with the same inputs and compares them with the first. Reset is given for two cycles at the start, and
/// sometimes later.
///
/// # Errors
/// The first difference.
pub fn agree(contestants: &mut [Contestant<'_>], seed: u64, cycles: u64) -> std::result::Result<(), Box<Difference>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (inputs, outputs) = (contestants[0].ports.inputs(), contestants[0].ports.outputs());
    for c in contestants.iter() {
        assert_eq!((c.ports.inputs(), c.ports.outputs()), (inputs.clone(), outputs.clone()), "ports of {}", c.name);
    }
    let mut values: Vec<(String, Vec<u64>)> = Vec::new();
    for step in 0..cycles + 2 {
        let reset = step < 2 || rng.random_range(0..64) == 0;
        for (index, input) in inputs.iter().enumerate() {
            let value = pattern(&mut rng, input.width);
            // Some inputs hold still, as real ones do.
            if step == 0 {
                values.push((input.name.clone(), value));
            } else if rng.random_range(0..4) > 0 {
                values[index].1 = value;
            }
        }
        let mut first = Vec::new();
        for (place, c) in contestants.iter_mut().enumerate() {
            values.iter().for_each(|(name, value)| c.ports.drive(name, value));
            // Before reset, registers hold what they like.
            if step >= 2 {
                let seen = c.ports.look();
                if place == 0 {
                    first = seen;
                } else if let Some(at) = (0..outputs.len()).find(|&at| seen[at] != first[at]) {
                    return Err(Box::new(Difference {
                        seed,
                        cycle: step - 2,
                        output: outputs[at].name.clone(),
                        values: [
                            (contestants[0].name, first.swap_remove(at)),
                            (contestants[place].name, seen[at].clone()),
                        ],
                        inputs: values,
                    }));
                }
            }
        }
        contestants.iter_mut().for_each(|c| c.ports.edge(reset));
    }
    Ok(())
}

/// Fills every register and every memory but ROMs from a seed, so that nothing can rest on power-up contents. Memories
/// of one shape get the same contents: engines may keep mirrored ones as one.
pub fn fill(engine: &mut dyn Engine, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let design = engine.design();
    let registers: Vec<u32> = design.registers.iter().map(|r| design.net(r.net).width).collect();
    let memories: Vec<_> = design.memories.iter().map(|m| (m.width, m.depth, m.contents.is_none())).collect();
    for (register, width) in registers.into_iter().enumerate() {
        engine.set_register(register, &pattern(&mut rng, width));
    }
    for (memory, (width, depth, writable)) in memories.into_iter().enumerate() {
        if writable {
            let mut rng = ChaCha8Rng::seed_from_u64(seed ^ (u64::from(width) << 32) ^ depth as u64);
            (0..depth).for_each(|word| engine.set_word(memory, word, &pattern(&mut rng, width)));
        }
    }
}

/// Fills all engines with the same state, drives them with the same inputs and compares outputs, registers and memories
/// in every cycle with those of the first.
///
/// # Errors
/// What differs first, in words.
pub fn agree_on_state(
    engines: &mut [(&'static str, &mut dyn Engine)],
    seed: u64,
    cycles: u64,
) -> std::result::Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    engines.iter_mut().for_each(|(_, engine)| fill(*engine, seed));
    let first = engines[0].0;
    let design = engines[0].1.design().clone();
    for cycle in 0..cycles {
        let reset = cycle < 2 || rng.random_range(0..256) == 0;
        for &input in &design.inputs {
            let value = pattern(&mut rng, design.net(input).width);
            engines.iter_mut().for_each(|(_, engine)| engine.set_input(input, &value));
        }
        let mut expected: Vec<Vec<u64>> = Vec::new();
        for (place, (name, engine)) in engines.iter_mut().enumerate() {
            let mut seen: Vec<(&str, Vec<u64>)> =
                design.outputs.iter().map(|&net| (design.net(net).path.as_str(), engine.value(net))).collect();
            engine.tick(reset);
            let registers = design.registers.iter().enumerate();
            seen.extend(registers.map(|(at, r)| (design.net(r.net).path.as_str(), engine.register(at).to_vec())));
            let memories = design.memories.iter().enumerate();
            seen.extend(memories.map(|(at, m)| (m.path.as_str(), engine.memory(at).to_vec())));
            if place == 0 {
                expected = seen.into_iter().map(|(_, value)| value).collect();
                continue;
            }
            for ((path, value), expected) in seen.iter().zip(&expected) {
                if let Some(limb) = (0..value.len()).find(|&at| value[at] != expected[at]) {
                    return Err(format!(
                        "seed {seed}, cycle {cycle}, {path}, limb {limb}: {first} {:x}, {name} {:x}",
                        expected[limb], value[limb]
                    ));
                }
            }
        }
    }
    Ok(())
}
