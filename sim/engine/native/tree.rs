//! A planned clock edge as a tree: tasks in their order, and branches around those that live in a context.

use super::loops::lanes;
use crate::action::Action;
use crate::context::{Condition, Contexts, ROOT};
use crate::graph::Graph;
use crate::plan::Plan;

/// A step of a clock edge.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// A task of the plan.
    Task(usize),
    /// Tasks that compute nodes with as many lanes, in one loop.
    Loop(Vec<usize>),
    /// A branch: at most one arm is carried out, the one whose number the condition has.
    Branch(Condition, Vec<(u32, Vec<Item>)>),
}

/// The tree for tasks in this order.
pub(crate) fn tree(g: &Graph, plan: &Plan, contexts: &Contexts, order: &[usize]) -> Vec<Item> {
    let work = order.iter().copied().filter(|&task| !matches!(plan.tasks[task].action, Action::Join)).collect();
    Builder { g, plan, contexts, order: work, at: 0 }.level(ROOT)
}

struct Builder<'a> {
    g: &'a Graph,
    plan: &'a Plan,
    contexts: &'a Contexts,
    order: Vec<usize>,
    at: usize,
}

impl Builder<'_> {
    fn lanes(&self, task: usize) -> Option<u32> {
        match self.plan.tasks[task].action {
            Action::Compute(id) => lanes(self.g, id),
            _ => None,
        }
    }

    /// The steps from here on that are inside a context.
    fn level(&mut self, context: usize) -> Vec<Item> {
        let mut items: Vec<Item> = vec![];
        while let Some(&task) = self.order.get(self.at) {
            let own = self.plan.tasks[task].context;
            if own == context {
                self.at += 1;
                let lanes = self.lanes(task);
                match items.last_mut() {
                    Some(Item::Loop(tasks)) if lanes.is_some() && lanes == self.lanes(tasks[0]) => tasks.push(task),
                    _ if lanes.is_some() => items.push(Item::Loop(vec![task])),
                    _ => items.push(Item::Task(task)),
                }
                continue;
            }
            if self.contexts.common(context, own) != context {
                break;
            }
            let mut child = own;
            while self.contexts.all[child].parent != context {
                child = self.contexts.all[child].parent;
            }
            let inside = self.level(child);
            let (condition, when) = (self.contexts.all[child].condition, self.contexts.all[child].when);
            match items.last_mut() {
                // The other arm of the branch before.
                Some(Item::Branch(other, arms))
                    if *other == condition && arms.iter().all(|(number, _)| *number != when) =>
                {
                    arms.push((when, inside));
                }
                _ => items.push(Item::Branch(condition, vec![(when, inside)])),
            }
        }
        items
    }
}

/// Tasks in some steps.
pub(crate) fn count(items: &[Item]) -> usize {
    let of = |item: &Item| match item {
        Item::Task(_) => 1,
        Item::Loop(tasks) => tasks.len(),
        Item::Branch(_, arms) => 1 + arms.iter().map(|(_, items)| count(items)).sum::<usize>(),
    };
    items.iter().map(of).sum()
}

/// Steps in parts of at most so many tasks: a compiler takes more than twice as long for twice as much in one function.
/// A larger branch becomes several with the same condition, as branches do that other tasks interrupt.
pub(crate) fn parts(items: Vec<Item>, most: usize) -> Vec<Vec<Item>> {
    let (mut parts, mut size) = (vec![vec![]], 0);
    let mut add = |item: Item, own: usize| {
        if size > 0 && size + own > most {
            parts.push(vec![]);
            size = 0;
        }
        size += own;
        parts.last_mut().expect("there is one").push(item);
    };
    for item in items {
        let own = count(std::slice::from_ref(&item));
        match item {
            Item::Branch(condition, arms) if own > most => {
                for (when, inside) in arms {
                    for part in self::parts(inside, most) {
                        let own = 1 + count(&part);
                        add(Item::Branch(condition, vec![(when, part)]), own);
                    }
                }
            }
            item => add(item, own),
        }
    }
    parts
}
