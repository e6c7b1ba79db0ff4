//! The instructions of a planned clock edge: tasks in order, in the branches of their contexts.

use super::action::Action;
use super::code::Instr;
use super::code::Slot;
use super::context::{Condition, Context, Contexts, ROOT};
use super::emit::Emitter;
use super::graph::{Graph, Id, Op, limbs};
use super::layout::Layout;
use super::plan::Plan;
use super::records::LookRecord;

/// A target that is not known yet.
const OPEN: u32 = u32::MAX;

/// A branch being written.
struct Open {
    context: usize,
    /// The jump over it, unless it is the second arm.
    skip: Option<usize>,
    /// Jumps from the ends of its earlier arms.
    ends: Vec<usize>,
    /// Of a switch: the targets of its arms.
    targets: Option<std::ops::Range<usize>>,
}

impl Emitter {
    /// Looks which groups are due.
    fn look(&mut self, layout: &Layout, number: usize) {
        // What is always compared comes first.
        let (from, mut n) = (self.tables.looks.len() as u32, 0);
        for sources in layout.stages[number].iter().filter(|sources| !sources.masks.is_empty()) {
            let masks = self.tables.masks.len() as u32;
            self.tables.masks.extend(&sources.masks);
            let (a, seen, words) = (sources.first, sources.seen, sources.masks.len() as u32);
            let record = self.tables.looks.len() as u32;
            self.tables.looks.push(LookRecord { a, seen, masks, n: words });
            match sources.after {
                Some(group) => {
                    self.tables.after.groups |= 1 << group;
                    self.tables.after.looks[group] = record;
                }
                None => n += 1,
            }
        }
        if number == 0 || n > 0 {
            self.push(Instr::Look { from, n, first: number == 0 });
        }
    }

    /// A clock edge: tasks in this order.
    pub fn edge(&mut self, g: &Graph, plan: &Plan, contexts: &Contexts, layout: &Layout, order: &[usize], one: Slot) {
        let mut open: Vec<Open> = Vec::new();
        self.readers = readers(g, plan, layout.size);
        for &index in order {
            let task = &plan.tasks[index];
            if matches!(task.action, Action::Join) {
                continue;
            }
            self.enter(g, contexts, &mut open, task.context, plan);
            let slot = |id: Id| plan.slots[id.0 as usize].expect("every node in use has a place");
            match task.action {
                Action::Compute(id) => self.node(g, id, slot(id), slot),
                Action::Move { from, to, limbs } => self.copy(to, from, limbs),
                Action::Store(index) => {
                    let store = &g.stores[index];
                    let c = if task.context == ROOT { slot(store.enable) } else { one };
                    let (a, b, m) = (slot(store.address), slot(store.data), store.memory as u16);
                    self.push(match store.mask {
                        Some(mask) => Instr::StoreMasked { c, a, b, mask: slot(mask), m },
                        None if limbs(g.storages[store.memory].width) == 1 => Instr::Store { c, a, b, m },
                        None => Instr::StoreN { c, a, b, m },
                    });
                }
                Action::Look(stage) => self.look(layout, stage),
                Action::Join => {}
            }
        }
        self.enter(g, contexts, &mut open, ROOT, plan);
        self.push(Instr::End);
        self.thread();
        self.chain();
    }

    /// Jumps to jumps go where those lead.
    fn thread(&mut self) {
        // They lead forwards only.
        for at in (0..self.code.len()).rev() {
            let end = |to: u32| match self.code[to as usize] {
                Instr::Jump { to } => to,
                _ => to,
            };
            self.code[at] = match self.code[at] {
                Instr::Jump { to } => Instr::Jump { to: end(to) },
                Instr::JumpIf { c, to } => Instr::JumpIf { c, to: end(to) },
                Instr::JumpUnless { c, to } => Instr::JumpUnless { c, to: end(to) },
                other => other,
            };
        }
    }

    /// Groups that follow each other are skipped together if none is due.
    fn chain(&mut self) {
        for at in (0..self.code.len()).rev() {
            let Instr::JumpUnlessDue { group, to, .. } = self.code[at] else { continue };
            let (mut all, mut last) = (1u64 << group, to);
            if let Instr::JumpUnlessDue { mask, end, .. } = self.code[to as usize] {
                all |= mask;
                last = end;
            }
            self.code[at] = Instr::JumpUnlessDue { group, to, mask: all, end: last };
        }
    }

    /// Leaves and enters branches.
    fn enter(&mut self, g: &Graph, contexts: &Contexts, open: &mut Vec<Open>, target: usize, plan: &Plan) {
        let mut path = Vec::new();
        let mut at = target;
        while at != ROOT {
            path.push(at);
            at = contexts.all[at].parent;
        }
        path.reverse();
        let same = open.iter().zip(&path).take_while(|(o, p)| o.context == **p).count();
        while open.len() > same + 1 {
            self.close(open);
        }
        let mut next = same;
        if open.len() == same + 1 {
            let (a, b) = (contexts.all[open[same].context], path.get(same).map(|&p| contexts.all[p]));
            let sibling = b.is_some_and(|b| a.condition == b.condition && a.when != b.when);
            let arm = b.map_or(0, |b| b.when);
            if sibling
                && open[same].targets.as_ref().is_some_and(|t| self.tables.targets[t.start + arm as usize] == OPEN)
            {
                open[same].context = path[same];
                open[same].ends.push(self.code.len());
                self.push(Instr::Jump { to: 0 });
                let first = open[same].targets.as_ref().map_or(0, |targets| targets.start);
                self.target(first + arm as usize);
                next += 1;
            } else if sibling && open[same].skip.is_some() {
                let region = &mut open[same];
                region.context = path[same];
                region.ends.push(self.code.len());
                self.push(Instr::Jump { to: 0 });
                let here = self.code.len();
                if let Some(skip) = open[same].skip.take() {
                    self.patch(skip, here);
                }
                next += 1;
            } else {
                self.close(open);
            }
        }
        for &context in &path[next..] {
            let Context { condition, when, .. } = contexts.all[context];
            if let Condition::Node(case) = condition
                && let Op::Case(values) = &g.node(case).op
            {
                let first = self.tables.targets.len();
                self.tables.targets.resize(first + values.len() + 1, OPEN);
                let targets = Some(first..first + values.len() + 1);
                open.push(Open { context, skip: None, ends: vec![], targets });
                let c = plan.slots[case.0 as usize].expect("conditions have places");
                self.push(Instr::Switch { c, from: first as u32, n: values.len() as u32 + 1 });
                self.target(first + when as usize);
                continue;
            }
            open.push(Open { context, skip: Some(self.code.len()), ends: vec![], targets: None });
            let to = 0;
            self.push(match contexts.all[context] {
                Context { condition: Condition::Group(group), .. } => {
                    Instr::JumpUnlessDue { group: group as u8, to, mask: 0, end: 0 }
                }
                Context { condition: Condition::Node(id), when, .. } => {
                    let c = plan.slots[id.0 as usize].expect("conditions have places");
                    if when == 1 { Instr::JumpUnless { c, to } } else { Instr::JumpIf { c, to } }
                }
            });
        }
    }

    fn close(&mut self, open: &mut Vec<Open>) {
        let Some(region) = open.pop() else { return };
        let here = self.code.len();
        for at in region.targets.into_iter().flatten().filter(|&at| self.tables.targets[at] == OPEN).collect::<Vec<_>>()
        {
            self.target(at);
        }
        region.skip.into_iter().chain(region.ends).for_each(|at| self.patch(at, here));
    }

    /// A target of a switch is here.
    fn target(&mut self, at: usize) {
        self.barrier = self.code.len();
        self.tables.targets[at] = self.code.len() as u32;
    }

    fn patch(&mut self, at: usize, target: usize) {
        self.barrier = self.barrier.max(target);
        match &mut self.code[at] {
            Instr::Jump { to }
            | Instr::JumpIf { to, .. }
            | Instr::JumpUnless { to, .. }
            | Instr::JumpUnlessDue { to, .. } => *to = target as u32,
            other => unreachable!("{other:?} does not jump"),
        }
    }
}

/// How often the value at each place is read.
fn readers(g: &Graph, plan: &Plan, size: usize) -> Vec<u32> {
    let mut readers = vec![0; size];
    let used = (0..g.nodes.len()).filter(|&i| plan.slots[i].is_some());
    let read = used.flat_map(|i| &g.nodes[i].args).copied().chain(g.roots());
    read.filter_map(|id| plan.slots[id.0 as usize]).for_each(|slot| readers[slot as usize] += 1);
    readers
}
