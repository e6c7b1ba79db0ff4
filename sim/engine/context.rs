//! Which values are needed under which conditions.
//!
//! A context is a path of conditions. Each arm of a multiplexer opens one; a node lives in the deepest context that all
//! of its uses share. Contexts with much to skip become branches, the others are dissolved and their multiplexers
//! select between two values.

use std::collections::HashMap;

use super::graph::{Graph, Id, Op};
use super::groups::Groups;

/// The context without conditions.
pub(super) const ROOT: usize = 0;

/// What decides about a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Condition {
    /// A node's value.
    Node(Id),
    /// Whether a group is due.
    Group(usize),
}

/// A path of conditions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub parent: usize,
    pub condition: Condition,
    /// Number of the arm: 0 or 1, or a case.
    pub when: u32,
    depth: u32,
}

/// Contexts and what lives in them.
pub(super) struct Contexts {
    pub all: Vec<Context>,
    known: HashMap<(usize, Condition, u32), usize>,
    /// Context of each node; none if no clock edge needs it.
    pub of: Vec<Option<usize>>,
    /// How many operands, conditions and updates each node is.
    pub uses: Vec<u32>,
    /// The branch contexts that remain: each context's nearest.
    home: Vec<usize>,
    /// Context of each store.
    pub stores: Vec<usize>,
    /// Context of each update.
    updates: Vec<usize>,
}

/// What a context must hold to be worth a branch, in limb operations.
const WORTH: u32 = 6;
/// What a group must hold.
const WORTH_LOOKING: u32 = 2;

impl Contexts {
    /// Finds the contexts of a clock edge.
    pub fn new(g: &Graph, groups: &Groups) -> Contexts {
        let root = Context { parent: ROOT, condition: Condition::Group(0), when: 1, depth: 0 };
        let mut c = Contexts {
            all: vec![root],
            known: HashMap::new(),
            of: vec![None; g.nodes.len()],
            uses: vec![0; g.nodes.len()],
            home: vec![],
            stores: vec![],
            updates: vec![],
        };
        for (update, copy) in g.updates.iter().zip(&groups.copy) {
            let at = c.group(copy.or(groups.of[update.next.0 as usize]));
            c.updates.push(at);
            c.uses(update.next, at);
        }
        for store in &g.stores {
            let mut at = ROOT;
            for condition in [store.row, Some(store.enable)].into_iter().flatten() {
                c.uses(condition, at);
                if g.constant_of(condition).is_none() {
                    at = c.child(at, Condition::Node(condition), 1);
                }
            }
            c.stores.push(at);
            [Some(store.address), Some(store.data), store.mask].into_iter().flatten().for_each(|id| c.uses(id, at));
        }
        for index in (0..g.nodes.len()).rev() {
            let Some(mut at) = c.of[index] else { continue };
            let node = &g.nodes[index];
            // Whatever has a group is computed there, also for users under conditions of their own: it is seldom due.
            let group = groups.of[index].filter(|_| !c.grouped(at) || c.all[at].parent == ROOT);
            if group.is_some() {
                at = c.group(group);
            }
            c.of[index] = Some(at);
            match (&node.op, &node.args[..]) {
                (Op::Mux, &[condition, a, b]) => {
                    c.uses(condition, at);
                    for (arm, when) in [(a, 1), (b, 0)] {
                        let inside = c.child(at, Condition::Node(condition), when);
                        c.uses(arm, inside);
                    }
                }
                (_, args) => args.iter().for_each(|&a| c.uses(a, at)),
            }
        }
        c.dissolve(g);
        c
    }

    /// No contexts: everything is computed.
    pub fn none(g: &Graph) -> Contexts {
        let root = Context { parent: ROOT, condition: Condition::Group(0), when: 1, depth: 0 };
        Contexts {
            all: vec![root],
            known: HashMap::new(),
            of: vec![Some(ROOT); g.nodes.len()],
            uses: vec![0; g.nodes.len()],
            home: vec![ROOT],
            stores: vec![],
            updates: vec![],
        }
    }

    fn uses(&mut self, id: Id, at: usize) {
        let index = id.0 as usize;
        self.uses[index] += 1;
        self.of[index] = Some(self.of[index].map_or(at, |old| self.common(old, at)));
    }

    /// Whether a context lies in a group.
    fn grouped(&self, mut at: usize) -> bool {
        while at != ROOT && self.all[at].parent != ROOT {
            at = self.all[at].parent;
        }
        matches!(self.all[at].condition, Condition::Group(_)) && at != ROOT
    }

    /// The context of a group, or none.
    fn group(&mut self, group: Option<usize>) -> usize {
        group.map_or(ROOT, |group| self.child(ROOT, Condition::Group(group), 1))
    }

    fn child(&mut self, parent: usize, condition: Condition, when: u32) -> usize {
        let depth = self.all[parent].depth + 1;
        let Contexts { all, known, .. } = self;
        *known.entry((parent, condition, when)).or_insert_with(|| {
            all.push(Context { parent, condition, when, depth });
            all.len() - 1
        })
    }

    /// The deepest context around both.
    pub fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if self.all[a].depth >= self.all[b].depth { a = self.all[a].parent } else { b = self.all[b].parent }
        }
        a
    }

    /// Keeps the contexts that are worth a branch.
    fn dissolve(&mut self, g: &Graph) {
        let mut cost = vec![0u32; self.all.len()];
        for (index, at) in self.of.iter().enumerate() {
            if let Some(at) = *at {
                cost[at] += price(g, Id(index as u32));
            }
        }
        for &at in &self.stores {
            cost[at] += 1;
        }
        let mut kept = vec![false; self.all.len()];
        kept[ROOT] = true;
        for index in (1..self.all.len()).rev() {
            let Context { parent, condition, when, .. } = self.all[index];
            let other = self.known.get(&(parent, condition, 1 - when)).copied();
            // The older of the two decides: by then, all that is inside is counted.
            if other.is_some_and(|other| other < index) {
                continue;
            }
            let total = cost[index] + other.map_or(0, |other| cost[other]);
            cost[parent] += total;
            let keep = total >= if matches!(condition, Condition::Group(_)) { WORTH_LOOKING } else { WORTH };
            kept[index] = keep;
            other.into_iter().for_each(|other| kept[other] = keep);
        }
        // Contexts that differ in dissolved ones only are one.
        let mut known = HashMap::new();
        self.home = vec![ROOT];
        for index in 1..self.all.len() {
            let Context { parent, condition, when, .. } = self.all[index];
            let parent = self.home[parent];
            let home = if kept[index] { *known.entry((parent, condition, when)).or_insert(index) } else { parent };
            self.home.push(home);
            self.all[index].parent = parent;
            self.all[index].depth = self.all[parent].depth + 1;
        }
    }

    /// The branch of an update.
    pub fn update(&self, index: usize) -> usize {
        self.home[self.updates[index]]
    }

    /// The branch around a context.
    pub fn home(&self, at: usize) -> usize {
        self.home[at]
    }

    /// The branch in which a node is computed.
    pub fn home_of(&self, id: Id) -> usize {
        self.home[self.of[id.0 as usize].expect("the node is used")]
    }

    /// The branches of the arms of a multiplexer, if it has any.
    pub fn arms(&self, g: &Graph, id: Id) -> Option<[usize; 2]> {
        let node = g.node(id);
        if node.op != Op::Mux {
            return None;
        }
        let at = self.of[id.0 as usize]?;
        let arm = |when| self.known.get(&(at, Condition::Node(node.args[0]), when)).map(|&context| self.home[context]);
        let arms = [arm(1)?, arm(0)?];
        (arms[0] != self.home[at]).then_some(arms)
    }

    /// Whether of two branches only one can be taken.
    pub fn exclusive(&self, mut a: usize, mut b: usize) -> bool {
        loop {
            if a == b {
                return false;
            }
            let (x, y) = (&self.all[a], &self.all[b]);
            if x.parent == y.parent && x.condition == y.condition && x.when != y.when {
                return true;
            }
            if x.depth >= y.depth { a = x.parent } else { b = y.parent }
        }
    }

    /// The conditions of a branch, innermost first.
    pub fn path(&self, mut at: usize) -> impl Iterator<Item = Condition> + '_ {
        std::iter::from_fn(move || {
            let context = self.all[at];
            (at != ROOT).then(|| {
                at = context.parent;
                context.condition
            })
        })
    }
}

/// Time that a node takes, in operations on one limb.
pub(super) fn price(g: &Graph, id: Id) -> u32 {
    let node = g.node(id);
    let limbs = node.args.iter().map(|&a| g.limbs(a)).max().unwrap_or(1).max(g.limbs(id)) as u32;
    match node.op {
        Op::Const(_) | Op::Leaf(_) => 0,
        Op::AllOf(_) | Op::NoneOf(_) => 16,
        Op::Each { .. } | Op::Gather { .. } => 2 + limbs / 4,
        _ if limbs > 1 => 1 + limbs * 2,
        _ => 1,
    }
}
