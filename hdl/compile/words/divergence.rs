//! Which values are the same for all threads, and stay so.
//!
//! A value is a scalar register if all its writes can be done by the scalar unit on such values, and none of them would
//! have to be masked: a scalar register is written for everybody, so that nobody may wait with another value of it.
//! Where values vary branches do, where branches vary blocks are masked, and in masked blocks threads wait: this goes
//! round until nothing changes. What depends on nothing but parameters and the size of the launch may be written at any
//! time, since it is always the same.

use fixedbitset::FixedBitSet;

use super::masks::{Masks, Shape};
use super::{Rule, scalar};
use crate::error::{Error, Place, Result};
use crate::flow::graph::Graph;
use crate::flow::liveness::{self, Effect};
use crate::flow::webs::Webs;
use crate::ptx::ast::{Kernel, Module};

/// What is known of a kernel before words are chosen.
#[derive(Clone, Debug)]
pub struct Analysis {
    pub(super) graph: Graph,
    pub(super) webs: Webs,
    pub(super) shape: Shape,
    pub(super) masks: Masks,
    /// Values that are scalar registers.
    pub(super) scalar: Vec<bool>,
    /// Values that threads need at the beginning of blocks.
    pub(super) live: Vec<FixedBitSet>,
}

impl Analysis {
    /// That of a kernel. Values in `rows` are no scalar registers, whatever they could be.
    ///
    /// # Errors
    ///
    /// Control flow that words do not have, and a register that nothing has written where it is read, with the line.
    pub fn of(module: &Module, kernel: &Kernel, rows: &[usize], without: Option<Rule>) -> Result<Analysis> {
        let graph = Graph::of(module, kernel)?;
        let mut webs = Webs::of(kernel, &graph);
        written(module, kernel, &graph, &webs)?;
        webs.pass_copies(kernel, without == Some(Rule::Copies));
        let shape = Shape::of(module, &graph)?;
        let live = live(kernel, &graph, &webs, &shape);
        let count = webs.registers.len();
        let can = |value: usize| {
            let bits = kernel.registers[webs.registers[value].0 as usize].ty.bits();
            let writers = &webs.writers[value];
            !rows.contains(&value)
                && matches!(bits, 1 | 32)
                && !writers.is_empty()
                && writers.iter().all(|at| scalar::can(kernel, &kernel.body[*at]))
        };
        let mut scalar: Vec<bool> = (0..count).map(can).collect();
        let constant = constants(kernel, &webs, &scalar);
        loop {
            let varies: Vec<bool> =
                webs.conditions.iter().map(|condition| condition.is_some_and(|value| !scalar[value])).collect();
            let masks = Masks::of(&graph, &shape, &varies, without);
            let mut changed = false;
            for (block, code) in graph.blocks.iter().enumerate() {
                for at in &code.body {
                    let reads = sources(kernel, &webs, *at);
                    let same = reads.iter().all(|value| scalar[*value]);
                    for register in kernel.body[*at].writes() {
                        let value = webs.written(*at, register);
                        let alone = without == Some(Rule::ScalarWrites)
                            || constant[value]
                            || !awaited(&masks, &live, block, value);
                        if scalar[value] && !(same && alone) {
                            (scalar[value], changed) = (false, true);
                        }
                    }
                }
            }
            if !changed {
                return Ok(Analysis { graph, webs, shape, masks, scalar, live });
            }
        }
    }

    /// Whether a write of a value in a block must be masked: another thread may wait with a value of its own.
    pub(super) fn awaited(&self, block: usize, value: usize) -> bool {
        awaited(&self.masks, &self.live, block, value)
    }

    /// Blocks at whose end threads may go different ways.
    pub(super) fn varies(&self) -> Vec<bool> {
        self.webs.conditions.iter().map(|condition| condition.is_some_and(|value| !self.scalar[value])).collect()
    }

    /// The values that are scalar registers.
    pub(super) fn scalars(&self) -> Vec<usize> {
        (0..self.scalar.len()).filter(|value| self.scalar[*value]).collect()
    }
}

/// Refuses reads of what nothing can have written, by instructions and by branches: rows hold anything at power-up.
fn written(module: &Module, kernel: &Kernel, graph: &Graph, webs: &Webs) -> Result<()> {
    let refuse = |value: usize, place: Place, reader: String| {
        let name = &kernel.registers[webs.registers[value].0 as usize].name;
        Err(Error::source(&module.origin, place, format!("{reader}{name} is read before it is written")))
    };
    let unwritten = |value: &usize| webs.writers[*value].is_empty();
    for (block, condition) in graph.blocks.iter().zip(&webs.conditions) {
        for at in block.body.iter().copied() {
            if let Some(value) = sources(kernel, webs, at).into_iter().find(unwritten) {
                let it = &kernel.body[at];
                return refuse(value, it.place, format!("`{}`: ", it.spelling));
            }
        }
        if let Some(value) = condition.filter(unwritten) {
            return refuse(value, block.place, String::new());
        }
    }
    Ok(())
}

fn awaited(masks: &Masks, live: &[FixedBitSet], block: usize, value: usize) -> bool {
    masks.masked[block] && masks.waits[block].ones().any(|other| live[other][value])
}

/// The values that an instruction reads.
pub fn sources(kernel: &Kernel, webs: &Webs, at: usize) -> Vec<usize> {
    let it = &kernel.body[at];
    let registers = it.operands[it.results..].iter().flat_map(|operand| operand.registers());
    registers.map(|register| webs.read(at, register)).collect()
}

/// Values that are the same at any time: written once, from such values.
fn constants(kernel: &Kernel, webs: &Webs, scalar: &[bool]) -> Vec<bool> {
    let mut constant = vec![false; scalar.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for value in (0..scalar.len()).filter(|value| scalar[*value] && webs.single(*value)) {
            let at = webs.writers[value][0];
            let all = sources(kernel, webs, at).iter().all(|source| constant[*source]);
            changed |= all && !std::mem::replace(&mut constant[value], all);
        }
    }
    constant
}

/// Values that threads need at the beginning of blocks.
fn live(kernel: &Kernel, graph: &Graph, webs: &Webs, shape: &Shape) -> Vec<FixedBitSet> {
    let count = webs.registers.len();
    let effect = |block: usize| {
        let mut effect = Effect { reads: FixedBitSet::with_capacity(count), writes: FixedBitSet::with_capacity(count) };
        for at in graph.blocks[block].body.iter().filter(|at| !webs.passed.contains(at)) {
            for value in sources(kernel, webs, *at) {
                effect.reads.set(value, effect.reads[value] || !effect.writes[value]);
            }
            for register in kernel.body[*at].writes() {
                effect.writes.insert(webs.written(*at, register));
            }
        }
        if let Some(value) = webs.conditions[block] {
            effect.reads.set(value, effect.reads[value] || !effect.writes[value]);
        }
        effect
    };
    let effects: Vec<Effect> = (0..graph.blocks.len()).map(effect).collect();
    liveness::live_in(&shape.successors, &effects, count)
}
