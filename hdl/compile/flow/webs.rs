//! Values: a register's writes, joined where a use may see several of them. Registers of PTX are reused for things that
//! have nothing to do with each other; each of those is a value of its own, with rows and a uniformity of its own.

use std::collections::{HashMap, HashSet};

use fixedbitset::FixedBitSet;

use super::graph::{End, Graph};
use super::reversed;
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::Space;

/// The values of a kernel.
#[derive(Clone, Debug)]
pub struct Webs {
    /// The register of each value.
    pub registers: Vec<RegisterId>,
    /// Instructions that write it.
    pub writers: Vec<Vec<usize>>,
    /// Whether it may be read before it is written.
    pub undefined: Vec<bool>,
    reads: HashMap<(usize, RegisterId), usize>,
    writes: HashMap<(usize, RegisterId), usize>,
    /// The predicate that a block's branch looks at.
    pub conditions: Vec<Option<usize>>,
    /// Instructions that only give a value another name: uses of the one are uses of the other.
    pub passed: HashSet<usize>,
}

/// What a copy copies.
fn copied(it: &Instruction) -> Option<RegisterId> {
    let global = it.opcode == Opcode::Cvta && it.space == Some(Space::Global);
    match it.operands.as_slice() {
        [Operand::Register(_), Operand::Register(from)] if global || it.opcode == Opcode::Mov => Some(*from),
        _ => None,
    }
}

impl Webs {
    /// The value that an instruction reads as this register.
    pub fn read(&self, instruction: usize, register: RegisterId) -> usize {
        self.reads[&(instruction, register)]
    }

    /// Whether anything looks at a value.
    pub fn is_read(&self, value: usize) -> bool {
        self.reads.values().any(|other| *other == value) || self.conditions.contains(&Some(value))
    }

    /// Whether a value has one write, and every use sees it.
    pub fn single(&self, value: usize) -> bool {
        self.writers[value].len() == 1 && !self.undefined[value]
    }

    /// Copies of a value that is written once into one that is written once are the same value. `all`: also where a use
    /// may see other writes, which is wrong, and what tests must notice.
    pub fn pass_copies(&mut self, kernel: &Kernel, all: bool) {
        let mut stands: Vec<usize> = (0..self.registers.len()).collect();
        for value in 0..self.registers.len() {
            let Some(at) = self.writers[value].first().copied() else { continue };
            let Some(from) = copied(&kernel.body[at]) else { continue };
            let from = self.read(at, from);
            let bits = |value: usize| kernel.registers[self.registers[value].0 as usize].ty.bits();
            let sound = self.single(value) && self.single(from);
            if (sound || all && self.writers[value].len() == 1) && bits(value) == bits(from) && value != from {
                stands[value] = from;
                self.passed.insert(at);
            }
        }
        let last = |mut value: usize| {
            for _ in 0..stands.len() {
                value = stands[value];
            }
            value
        };
        self.reads.values_mut().for_each(|value| *value = last(*value));
        self.conditions.iter_mut().flatten().for_each(|value| *value = last(*value));
    }

    /// The value that an instruction writes as this register.
    pub fn written(&self, instruction: usize, register: RegisterId) -> usize {
        self.writes[&(instruction, register)]
    }

    /// Those of a kernel.
    pub fn of(kernel: &Kernel, graph: &Graph) -> Webs {
        let registers = kernel.registers.len();
        // Writes by number: first one for each register, which stands for none, then those of instructions.
        let mut sites: Vec<(Option<usize>, RegisterId)> =
            (0..registers).map(|r| (None, RegisterId(r as u32))).collect();
        for at in graph.blocks.iter().flat_map(|block| &block.body) {
            sites.extend(kernel.body[*at].writes().into_iter().map(|register| (Some(*at), register)));
        }
        let of_register: Vec<FixedBitSet> = (0..registers)
            .map(|register| sites.iter().enumerate().filter(|s| s.1.1.0 as usize == register).map(|s| s.0).collect())
            .map(|mut set: FixedBitSet| {
                set.grow(sites.len());
                set
            })
            .collect();
        let number: HashMap<(usize, RegisterId), usize> =
            sites.iter().enumerate().filter_map(|(n, (at, register))| Some((((*at)?, *register), n))).collect();
        let pass = |reaching: &mut FixedBitSet, at: usize| {
            for register in kernel.body[at].writes() {
                reaching.difference_with(&of_register[register.0 as usize]);
                reaching.insert(number[&(at, register)]);
            }
        };
        let before = reversed(&graph.successors());
        let mut entry: FixedBitSet = (0..registers).collect();
        entry.grow(sites.len());
        let mut out = vec![FixedBitSet::with_capacity(sites.len()); graph.blocks.len()];
        let into = |out: &[FixedBitSet], block: usize| {
            let mut reaching = FixedBitSet::with_capacity(sites.len());
            if block == 0 {
                reaching.union_with(&entry);
            }
            before[block].iter().for_each(|from| reaching.union_with(&out[*from]));
            reaching
        };
        let mut changed = true;
        while changed {
            changed = false;
            for block in 0..graph.blocks.len() {
                let mut reaching = into(&out, block);
                graph.blocks[block].body.iter().for_each(|at| pass(&mut reaching, *at));
                if reaching != out[block] {
                    (out[block], changed) = (reaching, true);
                }
            }
        }
        // Writes that a use may see are one value.
        let mut parent: Vec<usize> = (0..sites.len()).collect();
        let mut uses = Vec::new();
        let mut tests = vec![None; graph.blocks.len()];
        for (block, code) in graph.blocks.iter().enumerate() {
            let mut reaching = into(&out, block);
            let mut see = |reaching: &FixedBitSet, register: RegisterId| {
                let mut seen = reaching.intersection(&of_register[register.0 as usize]);
                let first = seen.next().unwrap_or(register.0 as usize);
                for other in seen {
                    let (a, b) = (root(&mut parent, first), root(&mut parent, other));
                    parent[a.max(b)] = a.min(b);
                }
                first
            };
            for at in &code.body {
                for register in kernel.body[*at].operands[kernel.body[*at].results..].iter().flat_map(|o| o.registers())
                {
                    uses.push(((*at, register), see(&reaching, register)));
                }
                pass(&mut reaching, *at);
            }
            if let End::Branch { register, .. } = code.end {
                tests[block] = Some(see(&reaching, register));
            }
        }
        let mut webs = Webs {
            registers: Vec::new(),
            writers: Vec::new(),
            undefined: Vec::new(),
            reads: HashMap::new(),
            writes: HashMap::new(),
            conditions: Vec::new(),
            passed: HashSet::new(),
        };
        let mut values = HashMap::new();
        let mut value = |webs: &mut Webs, site: usize, parent: &mut Vec<usize>| {
            let root = root(parent, site);
            *values.entry(root).or_insert_with(|| {
                webs.registers.push(sites[root].1);
                webs.writers.push(Vec::new());
                // The lowest number stands for all: that of no write, if that is among them.
                webs.undefined.push(sites[root].0.is_none());
                webs.registers.len() - 1
            })
        };
        for (site, (at, register)) in sites.iter().enumerate() {
            if let Some(at) = at {
                let found = value(&mut webs, site, &mut parent);
                webs.writers[found].push(*at);
                webs.writes.insert((*at, *register), found);
            }
        }
        for (key, site) in uses {
            let found = value(&mut webs, site, &mut parent);
            webs.reads.insert(key, found);
        }
        webs.conditions = tests.into_iter().map(|test| Some(value(&mut webs, test?, &mut parent))).collect();
        webs
    }
}

fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_join_writes() {
        let text = ".version 4.2 .target sm_50 .address_size 32 .visible .entry k() {
            .reg .pred %p<3>; .reg .b32 %r<4>;
            mov.u32 %r1, %tid.x; add.s32 %r2, %r1, 1; setp.eq.s32 %p1, %r2, 1;
            mov.u32 %r1, 5; @%p1 bra A; mov.u32 %r1, 6;
            A: add.s32 %r2, %r1, %r3; ret; }";
        let module = crate::ptx::parse("k.ptx", text).expect("PTX");
        let kernel = &module.kernels[0];
        let graph = Graph::of(&module, kernel).expect("blocks");
        let webs = Webs::of(kernel, &graph);
        let register = |name: &str| {
            RegisterId(kernel.registers.iter().position(|register| register.name == name).expect("there") as u32)
        };
        let r1 = register("%r1");
        assert_ne!(webs.written(0, r1), webs.written(3, r1));
        assert_eq!(webs.written(3, r1), webs.written(5, r1));
        assert_eq!((webs.read(1, r1), webs.read(6, r1)), (webs.written(0, r1), webs.written(3, r1)));
        assert_ne!(webs.written(1, register("%r2")), webs.written(6, register("%r2")));
        let r3 = webs.read(6, register("%r3"));
        assert!(webs.undefined[r3] && !webs.undefined[webs.written(0, r1)] && webs.writers[r3].is_empty());
        assert_eq!(webs.conditions[0], Some(webs.written(2, register("%p1"))));
    }
}
