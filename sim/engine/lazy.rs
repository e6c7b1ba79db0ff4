//! Values that only the outside asks for: each node's code for itself, run when it is needed, once a cycle.

use super::code::{Instr, Slot, Tables};
use super::emit::Emitter;
use super::graph::{Graph, Id, Op};
use super::layout::Layout;
use super::memory::Word;
use super::run::run;
use super::stream::Program;

/// Code of each node for itself.
pub(super) struct Lazy {
    program: Program,
    tables: Tables,
    /// Place of each node.
    slots: Vec<Slot>,
    /// Where each node's code begins; none for leaves and constants.
    starts: Vec<Option<u32>>,
    /// The cycle for which each node was evaluated.
    stamps: Vec<u64>,
    stack: Vec<Id>,
}

impl Lazy {
    pub fn new(graph: &Graph, layout: &mut Layout, memories: &[Word]) -> Lazy {
        let mut emitter = Emitter::default();
        let (mut slots, mut starts) = (Vec::new(), Vec::new());
        for index in 0..graph.nodes.len() {
            let id = Id(index as u32);
            if let Some(slot) = layout.alone(graph, id) {
                slots.push(slot);
                starts.push(None);
                continue;
            }
            let slot = layout.reserve(graph.limbs(id));
            slots.push(slot);
            starts.push(Some(emitter.code.len() as u32));
            match graph.node(id).op {
                Op::Leaf(leaf) => emitter.lane(graph, layout, leaf, slot),
                _ => emitter.node(graph, id, slot, |arg| slots[arg.0 as usize]),
            }
            emitter.code.push(Instr::End);
        }
        emitter.tables.memories = memories.to_vec();
        let Emitter { code, tables, .. } = emitter;
        let program = Program::new(&code, &tables);
        for start in starts.iter_mut().flatten() {
            *start = program.starts[*start as usize];
        }
        Lazy { program, tables, slots, starts, stamps: vec![0; graph.nodes.len()], stack: vec![] }
    }

    /// Where a node's value is.
    pub fn slot(&self, id: Id) -> usize {
        self.slots[id.0 as usize] as usize
    }

    /// Evaluates a node for the cycle `now`.
    pub fn evaluate(&mut self, graph: &Graph, id: Id, now: u64, state: &mut [u64], words: &mut [u64]) {
        self.stack.push(id);
        while let Some(&id) = self.stack.last() {
            let index = id.0 as usize;
            if self.stamps[index] == now {
                self.stack.pop();
                continue;
            }
            let waiting = self.stack.len();
            for &arg in &graph.nodes[index].args {
                let arg_index = arg.0 as usize;
                if self.starts[arg_index].is_some() && self.stamps[arg_index] != now {
                    self.stack.push(arg);
                }
            }
            if self.stack.len() == waiting {
                if let Some(start) = self.starts[index] {
                    run(&self.program, start, 1, &self.tables, state, words);
                }
                self.stamps[index] = now;
                self.stack.pop();
            }
        }
    }
}
