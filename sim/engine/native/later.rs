//! Values that are computed where they are needed, and not where their task stands. A compiler moves operations to
//! their users by itself, but no loads: what is read early occupies a register, or a place on the stack, until then.
//!
//! A value waits until somebody needs it, or until one of the words from which it would be computed is overwritten. One
//! that only some branches need is computed there.

use std::collections::HashMap;

use super::stored::called;
use super::translate::Translator;
use super::tree::Item;
use crate::action::Action;
use crate::graph::Id;
use crate::lanes::each::padded;
use crate::layout::Slot;

/// Longest chain of values that wait for each other.
const DEEPEST: u32 = 64;

/// Values of a branch that wait.
#[derive(Default)]
pub(super) struct Later {
    /// The length of the chain that ends with each.
    depth: HashMap<Id, u32>,
    /// Values that are computed from a word.
    readers: HashMap<Slot, Vec<Id>>,
}

impl Translator<'_, '_> {
    /// Whether a value waits.
    pub(super) fn waits(&self, id: Id) -> bool {
        self.waiting(id).is_some()
    }

    fn waiting(&self, id: Id) -> Option<u32> {
        self.scopes.iter().rev().find_map(|scope| scope.later.depth.get(&id).copied())
    }

    fn at_hand(&self, id: Id) -> bool {
        self.scopes.iter().any(|scope| scope.single.contains_key(&id))
    }

    /// Lets a value of one limb wait, if it may: nobody looks for it in memory.
    pub(super) fn postpone(&mut self, id: Id) -> bool {
        let g = self.edge.g;
        if self.stored[id.0 as usize] {
            return false;
        }
        let (mut depth, mut slots) = (1, vec![]);
        for &arg in g.node(id).args.iter().filter(|&&arg| g.constant_of(arg).is_none()) {
            match self.waiting(arg) {
                _ if self.at_hand(arg) => {}
                Some(below) => depth = depth.max(below + 1),
                None => slots.push(self.slot(arg)),
            }
        }
        if depth > DEEPEST {
            return false;
        }
        let later = &mut self.scope().later;
        later.depth.insert(id, depth);
        slots.into_iter().for_each(|slot| later.readers.entry(slot).or_default().push(id));
        true
    }

    /// Computes what waits and would be computed from words that these steps overwrite.
    pub(super) fn before(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Task(task) => self.before_task(*task),
                Item::Loop(tasks) => tasks.iter().for_each(|&task| self.before_task(task)),
                Item::Branch(_, arms) => arms.iter().for_each(|(_, items)| self.before(items)),
            }
        }
    }

    /// The same for a task.
    pub(super) fn before_task(&mut self, task: usize) {
        let g = self.edge.g;
        let (first, count) = match self.edge.plan.tasks[task].action {
            Action::Compute(id) if self.stored[id.0 as usize] || called(g, id) => (self.slot(id), g.limbs(id)),
            Action::Move { to, limbs, .. } => (to, limbs),
            _ => return,
        };
        for slot in first..first + padded(count) as Slot {
            for scope in 0..self.scopes.len() {
                for id in self.scopes[scope].later.readers.remove(&slot).unwrap_or_default() {
                    self.single(id);
                }
            }
        }
    }
}
