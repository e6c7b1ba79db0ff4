//! Values that the outside asks for in most cycles: one piece of code for all of them, run once a cycle.

use super::action::{Action, kind};
use super::code::{Instr, Slot, Tables};
use super::emit::Emitter;
use super::fuse::fuse;
use super::graph::{Graph, Id, Op};
use super::layout::Layout;
use super::memory::Word;
use super::run::run;
use super::stream::Program;

/// How often a value is asked for before it is taken in.
const OFTEN: u32 = if cfg!(test) { 4 } else { 64 };

/// Code for the values that are asked for often.
#[derive(Default)]
pub(super) struct Probe {
    /// How often each node was asked for.
    asked: Vec<u32>,
    /// Nodes that are asked for often.
    wanted: Vec<Id>,
    /// How many of them the code computes; none without code.
    made: usize,
    /// Place of each node that the code computes.
    slots: Vec<Option<Slot>>,
    program: Program,
    tables: Tables,
    /// The cycle for which it was run.
    now: u64,
}

impl Probe {
    /// Places have changed: the code must be made anew.
    pub fn forget(&mut self) {
        (self.made, self.now) = (0, 0);
        self.slots.clear();
    }

    /// The place of a node's value in the cycle `now`, if the node is asked for often.
    pub fn find(&mut self, id: Id, now: u64, state: &mut [u64], words: &mut [u64]) -> Option<Slot> {
        let slot = (*self.slots.get(id.0 as usize)?)?;
        if self.now != now {
            run(&self.program, 0, 1, &self.tables, state, words);
            self.now = now;
        }
        Some(slot)
    }

    /// Counts a question that [`Probe::find`] did not answer.
    pub fn count(&mut self, id: Id, graph: &Graph) {
        self.asked.resize(graph.nodes.len(), 0);
        let asked = &mut self.asked[id.0 as usize];
        *asked += 1;
        if *asked == OFTEN {
            self.wanted.push(id);
        }
    }

    /// Whether code is to be made: what is asked for in a cycle is taken in together.
    pub fn stale(&self, now: u64) -> bool {
        self.made < self.wanted.len() && self.now != now
    }

    /// Makes the code. The state has to grow to the layout's new size.
    pub fn make(&mut self, graph: &Graph, layout: &mut Layout, memories: &[Word]) {
        let mut g = graph.clone();
        g.updates.clear();
        g.stores.clear();
        g.watched = self.wanted.clone();
        fuse(&mut g);
        let mut needed = vec![false; g.nodes.len()];
        g.watched.iter().for_each(|id| needed[id.0 as usize] = true);
        for index in (0..g.nodes.len()).rev() {
            if needed[index] {
                g.nodes[index].args.iter().for_each(|a| needed[a.0 as usize] = true);
            }
        }
        // Level by level, so that nodes of the same kind follow each other.
        let (mut levels, mut order) = (vec![0u32; g.nodes.len()], Vec::new());
        let mut slots: Vec<Option<Slot>> = vec![None; g.nodes.len()];
        for index in (0..g.nodes.len()).filter(|&i| needed[i]) {
            let id = Id(index as u32);
            slots[index] = layout.alone(&g, id);
            if slots[index].is_none() {
                slots[index] = Some(layout.reserve(g.limbs(id)));
                levels[index] = 1 + g.nodes[index].args.iter().map(|a| levels[a.0 as usize]).max().unwrap_or(0);
                order.push((levels[index], kind(&g, &Action::Compute(id)), id));
            }
        }
        order.sort_unstable();
        let mut emitter = Emitter::default();
        let slot = |id: Id| slots[id.0 as usize].expect("what is needed has a place");
        for (.., id) in order {
            match g.node(id).op {
                Op::Leaf(leaf) => emitter.lane(&g, layout, leaf, slot(id)),
                _ => emitter.node(&g, id, slot(id), slot),
            }
        }
        emitter.code.push(Instr::End);
        let Emitter { code, tables, .. } = emitter;
        self.program = Program::new(&code, &tables);
        self.tables = Tables { memories: memories.to_vec(), ..tables };
        self.slots = vec![None; graph.nodes.len()];
        for (&id, &watched) in self.wanted.iter().zip(&g.watched) {
            self.slots[id.0 as usize] = Some(slot(watched));
        }
        (self.made, self.now) = (self.wanted.len(), 0);
    }
}
