//! A kernel's blocks: straight code that ends in a jump, a branch, or at the one exit.
//!
//! A guarded instruction becomes a block of its own behind a branch on its guard, so that nothing after this knows
//! guards. Blocks that cannot be reached are left out, empty ones are passed over, a block with one way in from a block
//! with one way out is part of it.

use super::{Successors, reached, reversed};
use crate::error::{Error, Place, Result};
use crate::ptx::ast::{Kernel, Module, RegisterId};
use crate::ptx::table::Opcode;

/// Where a block leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nowhere: it is the exit.
    Exit,
    /// To one block.
    Jump(usize),
    /// To one of two blocks.
    Branch {
        /// The predicate.
        register: RegisterId,
        /// Where it holds.
        taken: usize,
        /// Where it does not.
        other: usize,
    },
}

/// Straight code.
#[derive(Clone, Debug)]
pub struct Block {
    /// Indices into the kernel's body.
    pub body: Vec<usize>,
    /// Where it leads.
    pub end: End,
    /// The instruction that makes its end, or its first one; for messages.
    pub place: Place,
}

/// The blocks of a kernel; the entry is 0, the exit the last, which is empty.
#[derive(Clone, Debug)]
pub struct Graph {
    /// All of them.
    pub blocks: Vec<Block>,
}

impl Graph {
    /// The blocks of a kernel.
    ///
    /// # Errors
    ///
    /// A loop that threads never leave, with its line.
    pub fn of(module: &Module, kernel: &Kernel) -> Result<Graph> {
        let mut graph = Graph { blocks: split(kernel) };
        let mut met = graph.clone();
        met.meet(kernel);
        met.simplify();
        if met.stuck().is_none() {
            return Ok(met);
        }
        // A trap may be the only way out of a loop.
        graph.simplify();
        let Some(stuck) = graph.stuck() else { return Ok(graph) };
        let reason = "from here no way leads to the end of the kernel: loops that never end have no words";
        Err(Error::source(&module.origin, graph.blocks[stuck].place, reason))
    }

    /// The last block from which no way leads to the exit.
    fn stuck(&self) -> Option<usize> {
        reached(&reversed(&self.successors()), [self.exit()], None).iter().rposition(|reached| !reached)
    }

    /// The number of the exit.
    pub fn exit(&self) -> usize {
        self.blocks.len() - 1
    }

    /// Successors of each block, each once.
    pub fn successors(&self) -> Successors {
        let of = |block: &Block| match block.end {
            End::Exit => Vec::new(),
            End::Jump(to) => vec![to],
            End::Branch { taken, other, .. } => vec![taken, other],
        };
        self.blocks.iter().map(of).collect()
    }

    fn retarget(&mut self, change: impl Fn(usize) -> usize) {
        for block in &mut self.blocks {
            block.end = match block.end {
                End::Exit => End::Exit,
                End::Jump(to) => End::Jump(change(to)),
                End::Branch { register, taken, other } => match (change(taken), change(other)) {
                    (taken, other) if taken == other => End::Jump(taken),
                    (taken, other) => End::Branch { register, taken, other },
                },
            };
        }
    }

    /// No thread comes out of a trap, so that one which ends its thread may lead anywhere: to where the others go, who
    /// are not the rest of a branch up to the exit then. Each branch to it has one of its own.
    fn meet(&mut self, kernel: &Kernel) {
        let passed: Vec<usize> = (0..self.blocks.len()).map(|block| self.behind(block)).collect();
        let old = self.exit();
        let ends = |to: usize| {
            let Block { body, end, .. } = &self.blocks[passed[to]];
            let traps = |at: &usize| kernel.body[*at].opcode == Opcode::Trap;
            matches!(end, End::Jump(to) if passed[*to] == old) && !body.is_empty() && body.iter().all(traps)
        };
        let mut found = Vec::new();
        for (block, code) in self.blocks.iter().enumerate() {
            let End::Branch { taken, other, .. } = code.end else { continue };
            match (ends(taken), ends(other)) {
                (true, false) => found.push((block, true, passed[taken], other)),
                (false, true) => found.push((block, false, passed[other], taken)),
                _ => {}
            }
        }
        let exit = self.blocks.pop().expect("it is the last");
        let new = old + found.len();
        let moved = |to: usize| if to == old { new } else { to };
        self.retarget(moved);
        for (block, side, trap, to) in found {
            let own = self.blocks.len();
            self.blocks.push(Block { end: End::Jump(moved(to)), ..self.blocks[trap].clone() });
            if let End::Branch { taken, other, .. } = &mut self.blocks[block].end {
                *(if side { taken } else { other }) = own;
            }
        }
        self.blocks.push(exit);
    }

    /// Passes over empty blocks, joins those with one way between them, leaves out what cannot be reached.
    fn simplify(&mut self) {
        let passed: Vec<usize> = (0..self.blocks.len()).map(|block| self.behind(block)).collect();
        self.retarget(|to| passed[to]);
        loop {
            let successors = self.successors();
            let alive = reached(&successors, [0], None);
            let before = reversed(&successors);
            let ways_in = |block: usize| before[block].iter().filter(|from| alive[**from]).count();
            let joined = (0..self.blocks.len()).find_map(|block| match self.blocks[block].end {
                End::Jump(to) if alive[block] && to != 0 && to != block && to != self.exit() && ways_in(to) == 1 => {
                    Some((block, to))
                }
                _ => None,
            });
            let Some((block, to)) = joined else { break };
            let Block { body, end, place } = self.blocks[to].clone();
            let first = self.blocks[block].body.is_empty();
            self.blocks[block].body.extend(body);
            self.blocks[block].end = end;
            // The instruction that makes the end of both makes that of the one.
            if first || matches!(end, End::Branch { .. }) {
                self.blocks[block].place = place;
            }
        }
        let mut alive = reached(&self.successors(), [0], None);
        alive[self.exit()] = true;
        let mut numbers = vec![0; self.blocks.len()];
        let mut next = 0;
        for (block, alive) in alive.iter().enumerate() {
            numbers[block] = next;
            next += usize::from(*alive);
        }
        let mut keep = alive.iter();
        self.blocks.retain(|_| *keep.next().unwrap_or(&false));
        self.retarget(|to| numbers[to]);
    }

    /// The first block from here on that is not empty, or ends in a branch.
    fn behind(&self, mut block: usize) -> usize {
        for _ in 0..self.blocks.len() {
            match self.blocks[block].end {
                End::Jump(to) if self.blocks[block].body.is_empty() => block = to,
                _ => break,
            }
        }
        block
    }
}

/// Blocks as the text has them.
fn split(kernel: &Kernel) -> Vec<Block> {
    let count = kernel.body.len();
    let mut starts = vec![false; count + 1];
    kernel.labels.iter().for_each(|label| starts[label.1] = true);
    for (at, it) in kernel.body.iter().enumerate() {
        let ends = it.target().is_some() || it.ends();
        if ends || it.guard.is_some() {
            starts[at + 1] = true;
            // The block that a guard leads to holds nothing but its instruction.
            starts[at] |= !ends;
        }
    }
    starts[0] = true;
    // The number of the block that begins at an instruction. A guarded one has two: its test, and itself.
    let mut number = vec![0; count + 1];
    // The kernel begins in a block to which nothing leads back, where there is nothing else in it, too.
    let back = kernel.body.iter().filter_map(|it| it.target()).any(|label| kernel.labels[label].1 == 0);
    let mut blocks = usize::from(back);
    for at in 0..count {
        if starts[at] && at > 0 {
            blocks += 1;
        }
        number[at] = blocks;
        let it = &kernel.body[at];
        if it.guard.is_some() && it.target().is_none() && !it.ends() {
            blocks += 1;
        }
    }
    let exit = if count == 0 { 0 } else { blocks + 1 };
    number[count] = exit;
    let mut found: Vec<Block> = Vec::new();
    found.extend(back.then(|| Block { body: Vec::new(), end: End::Jump(1), place: kernel.body[0].place }));
    for (at, it) in kernel.body.iter().enumerate() {
        let next = number[at + 1];
        if found.len() <= number[at] {
            found.push(Block { body: Vec::new(), end: End::Jump(next), place: it.place });
        }
        let to = match it.target() {
            Some(label) => Some(number[kernel.labels[label].1]),
            None if it.ends() => Some(exit),
            None => None,
        };
        let branch = |register, negated, taken, other| {
            let (taken, other) = if negated { (other, taken) } else { (taken, other) };
            if taken == other { End::Jump(taken) } else { End::Branch { register, taken, other } }
        };
        let own = found.len();
        let last = found.last_mut().expect("a block is open");
        match (it.guard, to) {
            (None, None) => {
                last.body.push(at);
                last.end = End::Jump(next);
            }
            (None, Some(to)) => last.end = End::Jump(to),
            (Some(guard), Some(to)) => {
                last.end = branch(guard.register, guard.negated, to, next);
                last.place = it.place;
            }
            (Some(guard), None) => {
                last.end = branch(guard.register, guard.negated, own, next);
                found.push(Block { body: vec![at], end: End::Jump(next), place: it.place });
            }
        }
    }
    found.push(Block { body: Vec::new(), end: End::Exit, place: kernel.place });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(body: &str) -> Result<Graph> {
        let text = format!(
            ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k()\n{{ .reg .pred %p<4>; \
             .reg .b32 %r<4>;\n{body}\n}}"
        );
        let module = crate::ptx::parse("k.ptx", &text).expect("PTX");
        Graph::of(&module, &module.kernels[0])
    }

    fn ends(body: &str) -> Vec<(usize, End)> {
        graph(body).expect("blocks").blocks.iter().map(|block| (block.body.len(), block.end)).collect()
    }

    #[test]
    fn guards_become_branches() {
        let p = |taken, other| End::Branch { register: RegisterId(0), taken, other };
        let found = ends("mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\nadd.s32 %r2, %r1, 1;\nret;");
        assert_eq!(found.len(), 4);
        let End::Branch { taken, other, .. } = found[0].1 else { panic!("{found:?}") };
        assert_eq!((found[0].0, taken, other), (1, 1, 2));
        assert_eq!(found[1..], [(1, End::Jump(2)), (1, End::Jump(3)), (0, End::Exit)]);
        // A negated guard changes the sides.
        let found = ends("@!%p1 ret;\nmov.u32 %r1, 1;\nret;");
        assert_eq!(found, [(0, p(1, 2)), (1, End::Jump(2)), (0, End::Exit)]);
    }

    #[test]
    fn empty_and_dead_blocks_go() {
        let found =
            ends("bra A;\nB:\nmov.u32 %r1, 2;\nret;\nA:\nbra C;\nC:\nmov.u32 %r1, 3;\n@%p1 bra D;\nbra D;\nD:\nret;");
        assert_eq!(found, [(1, End::Jump(1)), (0, End::Exit)]);
        assert_eq!(ends(""), [(0, End::Exit)]);
        assert_eq!(ends("mov.u32 %r1, 1;"), [(1, End::Jump(1)), (0, End::Exit)]);
    }

    /// Two branches to one trap: each has its own, behind which it goes on.
    #[test]
    fn traps_lead_where_the_others_go() {
        let body = "@%p1 bra T;\nmov.u32 %r1, 1;\n@!%p2 bra U;\nbra T;\nU:\nmov.u32 %r1, 2;\nret;\nT:\ntrap;\nexit;";
        let graph = graph(body).expect("blocks");
        let branches: Vec<(usize, usize)> = (graph.blocks.iter())
            .filter_map(|block| match block.end {
                End::Branch { taken, other, .. } => Some((taken, other)),
                _ => None,
            })
            .collect();
        assert_eq!((branches.len(), graph.blocks.len()), (2, 6));
        for (taken, other) in branches {
            let trap = [taken, other].into_iter().find(|to| graph.blocks[*to].body == [6]).expect("one traps");
            assert_eq!(graph.blocks[trap].end, End::Jump(taken + other - trap));
        }
    }

    #[test]
    fn loops_without_an_end_are_refused() {
        let trap = "A:\nadd.s32 %r1, %r1, 1;\n@%p1 bra T;\nbra A;\nT:\ntrap;\nexit;";
        assert_eq!(graph(trap).expect("it may end").blocks.len(), 4);
        let error = graph("mov.u32 %r1, 1;\nA:\nadd.s32 %r1, %r1, 1;\nbra A;").expect_err("it never ends").to_string();
        assert!(error.starts_with("k.ptx, line 8, column 1: from here no way"), "{error}");
    }
}
