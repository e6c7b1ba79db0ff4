//! Values that the outside asks for in most cycles: one piece of code for all of them, run once a cycle.

use crate::action::Action;
use crate::context::Contexts;
use crate::graph::{Graph, Id, Op};
use crate::groups::Groups;
use crate::layout::{Layout, Slot};
use crate::memory::Word;
use crate::native::code::Code;
use crate::native::translate::{Edge, translate};
use crate::native::tree::Item;
use crate::plan::{Plan, Task};

/// How often a value is asked for before it is taken in.
pub(super) const OFTEN: u32 = if cfg!(test) { 4 } else { 64 };

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
    code: Option<Code>,
    /// The cycle for which it was run.
    now: u64,
    /// How often the code was made.
    pub makes: u64,
}

impl Probe {
    /// Places have changed: the code must be made anew.
    pub fn forget(&mut self) {
        (self.made, self.now) = (0, 0);
        self.slots.clear();
    }

    /// The place of a node's value in the cycle `now`, if the node is asked for often.
    pub fn find(&mut self, id: Id, now: u64, state: &mut [u64], words: &mut [u64]) -> Option<Slot> {
        let slot = self.slot(id)?;
        self.run(now, state, words);
        Some(slot)
    }

    /// The same, where its value is after [`Probe::run`].
    pub fn slot(&self, id: Id) -> Option<Slot> {
        *self.slots.get(id.0 as usize)?
    }

    /// Computes everything that is asked for often, unless that was done in the cycle `now`.
    pub fn run(&mut self, now: u64, state: &mut [u64], words: &mut [u64]) {
        if self.now != now
            && let Some(code) = &self.code
        {
            code.run(1, state, words);
            self.now = now;
        }
    }

    /// From now on, this one is asked for often.
    pub fn want(&mut self, id: Id, graph: &Graph) {
        self.asked.resize(graph.nodes.len(), 0);
        let asked = &mut self.asked[id.0 as usize];
        if *asked < OFTEN {
            *asked = OFTEN;
            self.wanted.push(id);
        }
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
    ///
    /// # Errors
    /// What the compiler says.
    pub fn make(&mut self, g: &Graph, layout: &mut Layout, memories: &[Word], words: usize) -> Result<(), String> {
        let mut needed = vec![false; g.nodes.len()];
        self.wanted.iter().for_each(|id| needed[id.0 as usize] = true);
        for index in (0..g.nodes.len()).rev() {
            if needed[index] {
                g.nodes[index].args.iter().for_each(|a| needed[a.0 as usize] = true);
            }
        }
        let (mut tasks, mut slots) = (vec![], vec![None; g.nodes.len()]);
        for index in (0..g.nodes.len()).filter(|&i| needed[i]) {
            let id = Id(index as u32);
            // A lane that shares its word with others gets a word of its own.
            let shared = matches!(g.node(id).op, Op::Leaf(leaf) if !layout.is_alone(leaf));
            slots[index] = layout.fixed(g, id).filter(|_| !shared).or_else(|| {
                tasks.push(Task::plain(Action::Compute(id)));
                Some(layout.reserve_value(g.limbs(id)))
            });
        }
        let mut inside = vec![false; g.nodes.len()];
        self.wanted.iter().for_each(|id| inside[id.0 as usize] = true);
        let items = (0..tasks.len()).map(Item::Task).collect();
        let plan = Plan { tasks, slots, inside, first: 0 };
        let (groups, contexts) = (Groups::none(g), Contexts::none(g));
        let edge = Edge { g, plan: &plan, contexts: &contexts, groups: &groups, layout, memories };
        self.code = Some(translate(edge, items, (layout.size, words))?);
        self.slots = vec![None; g.nodes.len()];
        let computed = |id: &&Id| !matches!(g.node(**id).op, Op::Leaf(_) | Op::Const(_));
        for id in self.wanted.iter().filter(computed) {
            self.slots[id.0 as usize] = plan.slots[id.0 as usize];
        }
        (self.made, self.now) = (self.wanted.len(), 0);
        self.makes += 1;
        Ok(())
    }
}
