//! An instruction in the table: what it has still to read and to write, and what comes of its blocks.

use std::collections::VecDeque;

use bitline_units::compute_cache::{CacheFault, CacheGeometry, CacheInstruction, CacheOp, CachePlan, control};

/// An instruction in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As it came in.
    pub instruction: CacheInstruction,
    /// Its blocks, or why it is refused.
    pub plan: Result<CachePlan, CacheFault>,
    /// Blocks that are not done.
    pub(super) todo: Vec<bool>,
    /// Sources that the near-place path has read, and those of them that it has not used.
    pub(super) read: (usize, VecDeque<Vec<u64>>),
    /// Bits of the mask so far.
    pub(super) mask: u64,
    /// The key rows were written for it.
    pub keyed: bool,
    /// Its key, once banks compare with it.
    pub(super) key: Option<Vec<u64>>,
}

impl Entry {
    pub(super) fn new(instruction: CacheInstruction, geometry: &CacheGeometry) -> Entry {
        let plan = instruction.check(geometry);
        let todo = vec![true; plan.map_or(0, |plan| plan.blocks as usize)];
        Entry { instruction, plan, todo, read: (0, VecDeque::new()), mask: 0, keyed: false, key: None }
    }

    /// The plan of one that is on this path, and not done.
    pub(super) fn on(&self, near: bool) -> Option<CachePlan> {
        self.plan.ok().filter(|plan| plan.near == near && self.first().is_some())
    }

    /// The first block that is not done.
    pub(super) fn first(&self) -> Option<usize> {
        self.todo.iter().position(|&todo| todo)
    }

    /// Whether it has still to read blocks on the near-place path.
    pub(super) fn reads(&self, plan: &CachePlan) -> bool {
        self.read.0 < plan.blocks as usize * sources(plan)
    }

    /// Whether it has still to read, to write this block.
    pub(super) fn touches(&self, block: u32) -> [bool; 2] {
        let Ok(plan) = self.plan else { return [false; 2] };
        let at = |first: u32| Some(block.wrapping_sub(first) as usize).filter(|&at| at < self.todo.len());
        let todo = |first: u32| at(first).is_some_and(|at| self.todo[at]);
        let (sources, both) = (self.read.0, plan.op.has(control::B));
        let [a, b] = if both { [sources.div_ceil(2), sources / 2] } else { [sources, 0] };
        let reads = |first: u32, read: usize| todo(first) && at(first).is_some_and(|at| !plan.near || at >= read);
        let key = plan.op.has(control::KEY) && block == plan.b && self.key.is_none();
        let reads = plan.op.has(control::A) && reads(plan.a, a) || both && reads(plan.b, b) || key;
        [reads, plan.op.has(control::D) && todo(plan.d)]
    }

    /// A block operation is done; gives the block that comes of it.
    pub(super) fn done(&mut self, plan: &CachePlan, at: usize, [a, b]: [&[u64]; 2]) -> Vec<u64> {
        let (block, bits) = compute(plan.op, self.instruction.grain, a, b);
        let words = a.len();
        let each = if plan.op == CacheOp::Clmul { words >> self.instruction.grain } else { words };
        if plan.op.has(control::MASK) {
            self.mask |= u64::from(bits) << (at * each % 64);
        }
        self.todo[at] = false;
        block
    }
}

/// Blocks that the near-place path reads for one.
pub(super) fn sources(plan: &CachePlan) -> usize {
    1 + usize::from(plan.op.has(control::B))
}

/// What an operation makes of two blocks: a block, or a bit for each word.
fn compute(op: CacheOp, grain: u8, a: &[u64], b: &[u64]) -> (Vec<u64>, u8) {
    let both = |f: fn(u64, u64) -> u64| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect::<Vec<u64>>();
    let bits = |words: Vec<bool>| words.iter().enumerate().fold(0, |all, (i, &word)| all | u8::from(word) << i);
    match op {
        CacheOp::Copy => (a.to_vec(), 0),
        CacheOp::Zero => (vec![0; a.len()], 0),
        CacheOp::And => (both(|a, b| a & b), 0),
        CacheOp::Or => (both(|a, b| a | b), 0),
        CacheOp::Xor => (both(|a, b| a ^ b), 0),
        CacheOp::Not => (a.iter().map(|&a| !a).collect(), 0),
        CacheOp::Compare | CacheOp::Search => (vec![], bits(a.iter().zip(b).map(|(a, b)| a == b).collect())),
        CacheOp::Clmul => {
            let odd = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>() % 2 == 1;
            (vec![], bits(both(|a, b| a & b).chunks(1 << grain).map(odd).collect()))
        }
    }
}
