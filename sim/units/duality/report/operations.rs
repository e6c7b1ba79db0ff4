//! Figure 12: cycles of operations on operands that programs have, with the micro-programs of the papers, with those
//! that take the same for all data, and with those that skip what no column needs.
//!
//! While programs run, some words of each operation are written down with the operands of all threads; each is then
//! one command on the array's cycle model, with a column for each thread, and its result is held against the
//! arithmetic model.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::measure::SEED;
use crate::error::{Error, Result};
use crate::isa::operation::{Context, Operation};
use crate::isa::{Command, Opcode, Set};
use crate::machine::{Machine, MachineRows, ModelMachine};
use crate::model::arith::Inputs;
use crate::model::duality::watch::{Computed, Watch};
use crate::params::{Latch, Memory, MemoryPort, Params, Sensing};
use crate::vectors::Case;

/// Words of an operation that a program gives.
const MOST: usize = 4;

/// Operations of the paper's Figure 12, and products by constants, as which the compiler has some of its products.
const CLASSES: [(&str, &[Opcode]); 6] = [
    ("integer multiply", &[Opcode::MulU, Opcode::MulS, Opcode::MulLow]),
    ("integer multiply by a constant", &[Opcode::MulConst]),
    ("integer divide", &[Opcode::DivU, Opcode::DivS, Opcode::RemU, Opcode::RemS]),
    ("floating-point add", &[Opcode::FAdd, Opcode::FSub]),
    ("floating-point multiply", &[Opcode::FMul]),
    ("floating-point divide", &[Opcode::FDiv]),
];

fn class(op: Opcode) -> Option<usize> {
    CLASSES.iter().position(|class| class.1.contains(&op))
}

/// What computes the operation in a set: only products of all bits are there by the papers' algorithm, and skip.
fn in_set(op: Opcode, set: Set) -> Opcode {
    match op {
        Opcode::MulLow | Opcode::MulConst if set != Set::Fast => Opcode::MulU,
        op => op,
    }
}

/// Whether an operation has a micro-program of its own in a set: others take the fast one.
fn has(op: Opcode, set: Set) -> bool {
    let program = |of: Set| format!("{:?}", Operation::of(in_set(op, set), context(of)).variants);
    set == Set::Fast || program(set) != program(Set::Fast)
}

/// Words of an operation that were executed, and operands of some of them.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// The operation.
    pub computed: Computed,
    /// Words that were executed.
    pub count: u64,
    /// Operands of all threads of a control block, for each word.
    pub words: Vec<Vec<Inputs>>,
}

/// Writes operands down.
pub struct Recorder {
    wanted: bool,
    random: ChaCha8Rng,
    found: BTreeMap<(u64, u32, u32), Sampled>,
    /// Where operands go.
    at: Option<((u64, u32, u32), usize)>,
}

impl Recorder {
    /// For one program.
    pub fn new(wanted: bool) -> Recorder {
        Recorder { wanted, random: ChaCha8Rng::seed_from_u64(SEED), found: BTreeMap::new(), at: None }
    }

    /// What was found.
    pub fn sampled(self) -> Vec<Sampled> {
        self.found.into_values().collect()
    }
}

impl Watch for Recorder {
    fn computes(&mut self, computed: Computed) -> bool {
        if !self.wanted || class(computed.op).is_none() {
            return false;
        }
        let key = (computed.op.code(), computed.n, computed.m);
        let empty = || Sampled { computed, count: 0, words: vec![] };
        let sampled = self.found.entry(key).or_insert_with(empty);
        sampled.count += 1;
        // Each word of the program's run is among them with the same chance.
        let place = match sampled.words.len() {
            len if len < MOST => Some(len),
            _ => Some(self.random.random_range(0..sampled.count) as usize).filter(|&place| place < MOST),
        };
        let Some(place) = place else { return false };
        if place == sampled.words.len() {
            sampled.words.push(vec![]);
        } else {
            sampled.words[place].clear();
        }
        self.at = Some((key, place));
        true
    }

    fn inputs(&mut self, inputs: Inputs) {
        let Some((key, place)) = self.at else { return };
        if let Some(sampled) = self.found.get_mut(&key) {
            sampled.words[place].push(inputs);
        }
    }
}

/// Cycles of an operation, in the mean over words of programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// The operation.
    pub operation: &'static str,
    /// Words that programs executed, of all widths.
    pub executed: u64,
    /// Words that were measured.
    pub measured: u64,
    /// Mean cycles by the papers' algorithms, where the array has them.
    pub baseline: Option<f64>,
    /// Mean cycles of the micro-programs that are the same for all data.
    pub fast: f64,
    /// Mean cycles of those that skip what no column needs, if there are such.
    pub skip: Option<f64>,
}

/// Measures what was written down, each operation by how often it was executed.
///
/// # Errors
/// [`Error::Tool`] for a result that is not the arithmetic model's.
pub fn latencies(sampled: &[&Sampled]) -> Result<Vec<Latency>> {
    let mut found = vec![];
    for (number, (operation, _)) in CLASSES.iter().enumerate() {
        let own: Vec<_> = sampled.iter().filter(|one| class(one.computed.op) == Some(number)).collect();
        let executed: u64 = own.iter().map(|one| one.count).sum();
        if executed == 0 {
            continue;
        }
        let mean = |set: Set| -> Result<Option<f64>> {
            let mut sum = 0.0;
            for one in &own {
                if !has(one.computed.op, set) {
                    return Ok(None);
                }
                // Those of `fast` take the same for all data, but for the constant.
                let skips = set != Set::Fast || one.computed.op == Opcode::MulConst;
                let words = &one.words[..if skips { one.words.len() } else { 1 }];
                let cycles = words.iter().map(|word| cycles(one.computed, word, set)).sum::<Result<u64>>()?;
                sum += cycles as f64 * one.count as f64 / words.len() as f64;
            }
            Ok(Some(sum / executed as f64))
        };
        let measured = own.iter().map(|one| one.words.len() as u64).sum();
        let (baseline, fast, skip) = (mean(Set::Baseline)?, mean(Set::Fast)?, mean(Set::Skip)?);
        found.push(Latency { operation, executed, measured, baseline, fast: fast.unwrap_or(0.0), skip });
    }
    Ok(found)
}

fn context(set: Set) -> Context {
    Context { sensing: SENSING, memory: MEMORY, set, radix: 2, exception_flags: false }
}

/// Cycles of an operation on these operands, a column each.
fn cycles(computed: Computed, inputs: &[Inputs], set: Set) -> Result<u64> {
    let op = in_set(computed.op, set);
    let operation = Operation::of(op, context(set));
    let mut command = Command { set, second: computed.m as u8, ..Command::new(op, computed.n as u8) };
    if op == Opcode::MulConst {
        command.key = inputs.first().map_or(0, |inputs| inputs.b);
    }
    Case::place(&operation, &mut command, 0);
    let mut machine = ModelMachine::new(&array(inputs.len()));
    let case = Case { command, inputs: inputs.to_vec() };
    case.load(&operation, &mut MachineRows(&mut machine));
    let timing = machine.execute(command)?;
    let tags = machine.tags();
    let right = case.compare(&MachineRows(&mut machine), &tags);
    right.map_err(|reason| Error::Tool { tool: "operations of programs".into(), reason })?;
    Ok(timing.rtl_cycles)
}

/// What arrays of a control block are made of.
const SENSING: Sensing = Sensing::TwoPort;
const MEMORY: Memory = Memory::BlockRam;

/// An array like those of a control block, with all sets, and a column for each thread.
fn array(columns: usize) -> Params {
    Params {
        name: "operations".into(),
        rows: 1024,
        columns,
        sensing: SENSING,
        memory: MEMORY,
        latches: Latch::of(SENSING),
        sets: Set::ALL.to_vec(),
        command_fifo: 4,
        memory_port: MemoryPort::None,
        float: true,
        radix: 2,
        custom: Vec::new(),
        exception_flags: false,
        unpacked: false,
    }
}
