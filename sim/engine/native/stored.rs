//! Which values have to be in memory. The others live in the processor's registers, from the task that computes them to
//! the last one that needs them; that must lie in the same branch, or in branches inside it. A group that is not due
//! leaves what others need of it in memory, as they lie outside its branch.

use super::loops::lanes;
use super::tree::Item;
use crate::action::Action;
use crate::context::{Condition, Contexts};
use crate::graph::{Graph, Id, Op};
use crate::plan::Plan;

/// Limbs of a value that registers may hold.
pub(crate) const MOST: usize = 8;

/// Whether a node is computed by a function that finds its operands, and leaves its result, in memory.
pub(crate) fn called(g: &Graph, id: Id) -> bool {
    let node = g.node(id);
    let wide = g.limbs(id) > 1 || node.args.iter().any(|&a| g.limbs(a) > 1);
    let large = g.limbs(id) > MOST;
    match node.op {
        Op::AllOf(_) | Op::NoneOf(_) => true,
        Op::Each { .. } | Op::Gather { .. } => lanes(g, id).is_none(),
        Op::Mul(_) | Op::Lt(Some(_)) | Op::Le(Some(_)) | Op::Shl | Op::Shr | Op::Select | Op::SetBit => wide,
        Op::Sext(_) => wide,
        Op::Add | Op::Sub | Op::Bits(_) => large,
        _ => false,
    }
}

/// Tells which nodes have to be in memory.
pub(crate) fn stored(g: &Graph, plan: &Plan, contexts: &Contexts, parts: &[Vec<Item>]) -> Vec<bool> {
    let mut walk = Walk {
        g,
        plan,
        contexts,
        stored: plan.inside.clone(),
        made: vec![None; g.nodes.len()],
        path: vec![],
        branches: 0,
    };
    for index in 0..g.nodes.len() {
        let id = Id(index as u32);
        walk.stored[index] |= g.limbs(id) > MOST && lanes(g, id).is_none();
    }
    for part in parts {
        walk.inside(part);
    }
    walk.stored
}

struct Walk<'a> {
    g: &'a Graph,
    plan: &'a Plan,
    contexts: &'a Contexts,
    stored: Vec<bool>,
    /// The branches around the task that computes a node.
    made: Vec<Option<Vec<u32>>>,
    path: Vec<u32>,
    branches: u32,
}

impl Walk<'_> {
    fn inside(&mut self, items: &[Item]) {
        self.branches += 1;
        self.path.push(self.branches);
        for item in items {
            match item {
                Item::Task(task) => self.task(*task),
                Item::Loop(tasks) => self.turn(tasks),
                Item::Branch(condition, arms) => {
                    if let Condition::Node(id) = condition {
                        self.uses(*id);
                    }
                    arms.iter().for_each(|(_, items)| self.inside(items));
                }
            }
        }
        self.path.pop();
    }

    /// Nodes of a loop: what they need from outside, but for what all lanes share, is in memory, and so is what is
    /// needed after the loop.
    fn turn(&mut self, tasks: &[usize]) {
        self.branches += 1;
        let outside = self.path.clone();
        self.path.push(self.branches);
        for &task in tasks {
            let Action::Compute(id) = self.plan.tasks[task].action else { continue };
            for &arg in &self.g.node(id).args {
                let inside = self.made[arg.0 as usize].as_ref() == Some(&self.path);
                if self.g.limbs(arg) > 1 && !inside {
                    self.stored[arg.0 as usize] = true;
                } else {
                    self.uses(arg);
                }
            }
            self.made[id.0 as usize] = Some(self.path.clone());
        }
        self.path = outside;
    }

    fn uses(&mut self, id: Id) {
        let made = self.made[id.0 as usize].as_ref();
        if made.is_none_or(|made| !self.path.starts_with(made)) {
            self.stored[id.0 as usize] = true;
        }
    }

    fn task(&mut self, task: usize) {
        let g = self.g;
        match self.plan.tasks[task].action {
            Action::Compute(id) => {
                for &arg in &g.node(id).args {
                    self.uses(arg);
                    self.stored[arg.0 as usize] |= called(g, id);
                }
                self.stored[id.0 as usize] |= called(g, id);
                // What was computed before it is used in the same cycle; a multiplexer with branches has no such task.
                if self.contexts.arms(g, id).is_none() {
                    self.made[id.0 as usize] = Some(self.path.clone());
                }
            }
            Action::Move { id: Some(id), .. } => self.uses(id),
            Action::Store(index) => {
                let store = &g.stores[index];
                [Some(store.enable), Some(store.address), Some(store.data), store.mask, store.row]
                    .into_iter()
                    .flatten()
                    .for_each(|id| self.uses(id));
            }
            Action::Move { .. } | Action::Look | Action::Join => {}
        }
    }
}
