//! Plans a clock edge: what is computed where, and in which order registers and memories may be overwritten.
//!
//! Registers are updated in place: their next value is written as soon as nothing else needs the old one. Where
//! registers need each other's old values in a circle, one of them gets its next value by way of a temporary.

use std::collections::{HashMap, HashSet};

use super::action::{Action, in_place};
use super::context::{Condition, Contexts, ROOT};
use super::graph::{Graph, Id, Leaf, Op, limbs};
use super::groups::Groups;
use super::layout::Layout;
use crate::layout::Slot;

/// An action with what it must wait for.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub action: Action,
    pub context: usize,
    /// Tasks that come before.
    pub after: Vec<usize>,
    reads: Vec<Leaf>,
    /// Leaves that decide whether it is carried out.
    conditions: Vec<Leaf>,
    reads_memory: Option<usize>,
    writes: Option<Resource>,
    /// Whether it may overwrite what it reads.
    in_place: bool,
}

impl Task {
    /// A task without conditions, which waits for nothing.
    pub fn plain(action: Action) -> Task {
        Task {
            action,
            context: ROOT,
            after: vec![],
            reads: vec![],
            conditions: vec![],
            reads_memory: None,
            writes: None,
            in_place: true,
        }
    }

    /// What must not change before it.
    fn sources(&self) -> impl Iterator<Item = Resource> + '_ {
        let leaves = self.reads.iter().chain(&self.conditions).map(|&leaf| Resource::Leaf(leaf));
        leaves.chain(self.reads_memory.map(Resource::Memory))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Resource {
    Leaf(Leaf),
    Memory(usize),
}

/// The tasks of a clock edge and the place of every node.
pub(super) struct Plan {
    pub tasks: Vec<Task>,
    pub slots: Vec<Option<Slot>>,
    /// Nodes that are computed into the place of the multiplexer or register that they are for.
    pub inside: Vec<bool>,
    /// From here on, places are for a part of a cycle.
    pub first: Slot,
}

/// Plans.
pub(super) fn plan(g: &Graph, groups: &Groups, contexts: &Contexts, layout: &mut Layout) -> Plan {
    let mut deferred = HashSet::new();
    for id in (0..g.nodes.len() as u32).map(Id).filter(|id| contexts.of[id.0 as usize].is_some()) {
        layout.fixed(g, id);
    }
    let size = layout.size;
    loop {
        layout.size = size;
        let mut p = Planner {
            g,
            groups,
            contexts,
            look: None,
            layout: &mut *layout,
            deferred: &deferred,
            slots: vec![None; g.nodes.len()],
            inside: vec![false; g.nodes.len()],
            producer: vec![None; g.nodes.len()],
            tasks: vec![],
        };
        p.places();
        p.work();
        let more = p.conflicts();
        if more.is_empty() {
            p.order();
            return Plan { tasks: p.tasks, slots: p.slots, inside: p.inside, first: size as Slot };
        }
        deferred.extend(more);
    }
}

struct Planner<'a> {
    g: &'a Graph,
    groups: &'a Groups,
    contexts: &'a Contexts,
    /// The task that looks which groups are due.
    look: Option<usize>,
    layout: &'a mut Layout,
    /// Leaves that are not updated in place.
    deferred: &'a HashSet<Leaf>,
    slots: Vec<Option<Slot>>,
    /// Nodes that are computed into the place of the multiplexer or register that they are for.
    inside: Vec<bool>,
    /// The task after which a node's value is there.
    producer: Vec<Option<usize>>,
    tasks: Vec<Task>,
}

impl Planner<'_> {
    /// Whether a node may be computed into the place of its user.
    fn movable(&self, id: Id) -> bool {
        !matches!(self.g.node(id).op, Op::Leaf(_) | Op::Const(_)) && self.contexts.uses[id.0 as usize] == 1
    }

    fn places(&mut self) {
        for (index, update) in self.g.updates.iter().enumerate() {
            let (next, home) = (update.next, self.contexts.update(index));
            if self.movable(next) && self.contexts.home_of(next) == home && !self.deferred.contains(&update.leaf) {
                (self.slots[next.0 as usize], self.inside[next.0 as usize]) =
                    (Some(self.layout.leaf(update.leaf)), true);
            }
        }
        for index in (0..self.g.nodes.len()).rev().filter(|&i| self.contexts.of[i].is_some()) {
            let id = Id(index as u32);
            let slot = match (self.slots[index], self.layout.fixed(self.g, id)) {
                (Some(slot), _) | (None, Some(slot)) => slot,
                (None, None) => self.layout.reserve_value(self.g.limbs(id)),
            };
            self.slots[index] = Some(slot);
            if let Some(arms) = self.contexts.arms(self.g, id) {
                for (&arm, inside) in self.g.node(id).args[1..].iter().zip(arms) {
                    if self.movable(arm) && self.contexts.home_of(arm) == inside {
                        (self.slots[arm.0 as usize], self.inside[arm.0 as usize]) = (Some(slot), true);
                    }
                }
            }
        }
    }

    fn slot(&self, id: Id) -> Slot {
        self.slots[id.0 as usize].expect("every node in use has a place")
    }

    fn task(&mut self, action: Action, context: usize, operands: &[Id]) -> usize {
        let leaf = |id: Id| match self.g.node(id).op {
            Op::Leaf(leaf) => Some(leaf),
            _ => None,
        };
        let conditions = self.contexts.path(context).filter_map(|c| match c {
            Condition::Node(id) => leaf(id),
            Condition::Group(_) => None,
        });
        let task = Task {
            action,
            context,
            after: operands.iter().filter_map(|id| self.producer[id.0 as usize]).collect(),
            reads: operands.iter().filter_map(|&id| leaf(id)).collect(),
            conditions: conditions.collect(),
            reads_memory: None,
            writes: None,
            in_place: true,
        };
        self.tasks.push(task);
        self.tasks.len() - 1
    }

    fn work(&mut self) {
        let owner: HashMap<Slot, Leaf> =
            (0..self.g.leaves.len()).map(|i| (self.layout.leaf(Leaf(i as u32)), Leaf(i as u32))).collect();
        let owner = |slot: Slot| owner.get(&slot).map(|&leaf| Resource::Leaf(leaf));
        for index in (0..self.g.nodes.len()).filter(|&i| self.contexts.of[i].is_some()) {
            let id = Id(index as u32);
            let node = self.g.node(id);
            if matches!(node.op, Op::Leaf(_) | Op::Const(_)) {
                continue;
            }
            let slot = self.slot(id);
            let context = self.contexts.home_of(id);
            self.producer[index] = Some(match self.contexts.arms(self.g, id) {
                Some(arms) => {
                    let mut after = Vec::new();
                    for (&arm, inside) in node.args[1..].iter().zip(arms) {
                        if self.inside[arm.0 as usize] {
                            after.extend(self.producer[arm.0 as usize]);
                        } else if self.slot(arm) != slot {
                            let (from, limbs) = (self.slot(arm), self.g.limbs(id));
                            let action = Action::Move { id: Some(arm), from, to: slot, limbs };
                            let copy = self.task(action, inside, &[arm]);
                            self.tasks[copy].writes = owner(slot);
                            after.push(copy);
                        }
                    }
                    let join = self.task(Action::Join, context, &[]);
                    self.tasks[join].conditions.clear();
                    self.tasks[join].after.extend(after);
                    join
                }
                None => {
                    let task = self.task(Action::Compute(id), context, &node.args);
                    self.tasks[task].writes = owner(slot);
                    self.tasks[task].in_place = in_place(self.g, id);
                    if let Op::Word(m) | Op::AllOf(m) | Op::NoneOf(m) = node.op {
                        self.tasks[task].reads_memory = Some(m);
                    }
                    task
                }
            });
        }
        for (index, update) in self.g.updates.iter().enumerate() {
            let context = self.contexts.update(index);
            let (to, limbs) = (self.layout.leaf(update.leaf), self.g.limbs(update.next));
            let mut from = self.slot(update.next);
            if self.inside[update.next.0 as usize] || from == to {
                continue;
            }
            let mut source = vec![update.next];
            let mut id = Some(update.next);
            let mut after = None;
            if self.deferred.contains(&update.leaf) && matches!(self.g.node(update.next).op, Op::Leaf(_)) {
                let safe = self.layout.reserve(limbs);
                after = Some(self.task(Action::Move { id, from, to: safe, limbs }, context, &source));
                (id, from, source) = (None, safe, vec![]);
            }
            let task = self.task(Action::Move { id, from, to, limbs }, context, &source);
            self.tasks[task].after.extend(after);
            self.tasks[task].writes = Some(Resource::Leaf(update.leaf));
        }
        if self.groups.any() {
            let nodes = (0..self.g.nodes.len()).filter(|&i| self.groups.sources[i] != 0);
            let sources: Vec<Id> = nodes.map(|i| Id(i as u32)).collect();
            self.look = Some(self.task(Action::Look, ROOT, &sources));
        }
        for (index, store) in self.g.stores.iter().enumerate() {
            let context = self.contexts.home(self.contexts.stores[index]);
            let mut operands = vec![store.enable, store.address, store.data];
            operands.extend(store.mask);
            operands.extend(store.row);
            let task = self.task(Action::Store(index), context, &operands);
            self.tasks[task].writes = Some(Resource::Memory(store.memory));
        }
    }

    /// Leaves that cannot be updated in place.
    fn conflicts(&self) -> Vec<Leaf> {
        let mut edges: HashMap<Resource, Vec<Resource>> = HashMap::new();
        let mut defer = Vec::new();
        for task in &self.tasks {
            let Some(target) = task.writes else { continue };
            for source in task.sources() {
                if source != target {
                    edges.entry(target).or_default().push(source);
                }
            }
            if let Resource::Leaf(leaf) = target {
                // A condition must not change while branches on it may follow.
                if task.conditions.contains(&leaf) || !task.in_place && task.reads.contains(&leaf) {
                    defer.push(leaf);
                }
            }
        }
        // A group is one branch if what it overwrites need not wait for other branches.
        let branch = |task: &Task| self.contexts.path(task.context).last();
        let mut overwritten: HashMap<Leaf, Condition> = HashMap::new();
        for task in &self.tasks {
            if let (Some(Resource::Leaf(leaf)), Some(group @ Condition::Group(_))) = (task.writes, branch(task)) {
                if limbs(self.g.leaves[leaf.0 as usize]) == 1 {
                    overwritten.insert(leaf, group);
                }
            }
        }
        for task in &self.tasks {
            let Some(branch) = branch(task) else { continue };
            defer.extend(task.reads.iter().filter(|leaf| overwritten.get(leaf).is_some_and(|&group| group != branch)));
        }
        let mut search = Search { edges: &edges, state: HashMap::new(), defer };
        let mut starts: Vec<Resource> = edges.keys().copied().collect();
        starts.sort_unstable();
        starts.into_iter().for_each(|r| search.visit(r));
        search.defer.retain(|leaf| !self.deferred.contains(leaf));
        search.defer
    }

    /// What reads a leaf or memory comes before what overwrites it.
    fn order(&mut self) {
        for task in &mut self.tasks {
            // Conditions may have been made after what they decide about.
            task.after.extend(self.contexts.path(task.context).filter_map(|c| match c {
                Condition::Node(id) => self.producer[id.0 as usize],
                Condition::Group(_) => self.look,
            }));
        }
        let mut writers: HashMap<Resource, Vec<usize>> = HashMap::new();
        for (index, task) in self.tasks.iter().enumerate() {
            if let Some(target) = task.writes {
                writers.entry(target).or_default().push(index);
            }
        }
        for index in 0..self.tasks.len() {
            let own = self.tasks[index].writes;
            let reads: Vec<Resource> = self.tasks[index].sources().filter(|&r| Some(r) != own).collect();
            for &writer in reads.iter().filter_map(|r| writers.get(r)).flatten() {
                if !self.contexts.exclusive(self.tasks[writer].context, self.tasks[index].context) {
                    self.tasks[writer].after.push(index);
                }
            }
        }
        for task in &mut self.tasks {
            task.after.sort_unstable();
            task.after.dedup();
        }
    }
}

/// Finds circles among resources.
struct Search<'a> {
    edges: &'a HashMap<Resource, Vec<Resource>>,
    /// `true` while on the way.
    state: HashMap<Resource, bool>,
    defer: Vec<Leaf>,
}

impl Search<'_> {
    fn visit(&mut self, from: Resource) {
        if self.state.contains_key(&from) {
            return;
        }
        self.state.insert(from, true);
        for &to in self.edges.get(&from).map_or(&[][..], Vec::as_slice) {
            match (self.state.get(&to), to, from) {
                // Only memory reads lead to memories: of the two, one is a leaf.
                (Some(true), Resource::Leaf(leaf), _) | (Some(true), _, Resource::Leaf(leaf)) => self.defer.push(leaf),
                (None, ..) => self.visit(to),
                _ => {}
            }
        }
        self.state.insert(from, false);
    }
}
