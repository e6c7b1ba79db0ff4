//! What need not be evaluated in every cycle.
//!
//! Most registers change seldom, and so do most values that are computed from them. *Sources* are leaves of which an
//! observation showed that they seldom change. A node that depends on sources only keeps its value while none of them
//! changes. Such nodes are put into groups that tend to be due in the same cycles; in each cycle the engine compares
//! the sources with their last values and evaluates the groups for which something is new.
//!
//! Only speed depends on the observation: whatever changes, its groups are evaluated.

use std::collections::HashMap;

use super::context::price;
use super::graph::{Graph, Id, Op, limbs};
use super::observe::{Cycles, WINDOW};

/// A source changes in at most this share of the cycles.
const SELDOM: u32 = WINDOW as u32 / 6;
/// Largest number of groups.
const MOST: usize = 32;
/// Time that looking whether a group is due takes, in operations on a limb.
const LOOK: f64 = 4.0;
/// Time that is lost when a processor guesses wrong whether a group is due.
const GUESS: f64 = 60.0;
/// A value in a group takes this much longer to evaluate than one that need not be kept.
const KEEP: f64 = 1.5;
/// The share of the cycles in which something changes in a region of the design without having done so in an
/// observation.
const UNSEEN: f64 = 1.0 / 1024.0;
/// Components of a path that name a region.
const DEPTH: usize = 2;
/// Time that comparing a word of a row takes.
const COMPARE: f64 = 1.0;
/// The share from which on a group pays.
pub(super) const GAIN: f64 = 0.5;
/// Groups that are tried with each other, in the order of how often they are due.
const NEAR: usize = 12;

/// A partition of what seldom changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Group of each node.
    pub of: Vec<Option<usize>>,
    /// Group of each update that copies a source.
    pub copy: Vec<Option<usize>>,
    /// Number of groups.
    pub count: usize,
    /// For each source: the groups that depend on it. 0 for all other nodes.
    pub sources: Vec<u64>,
}

impl Groups {
    /// Nothing may be left out.
    pub fn none(g: &Graph) -> Groups {
        let count = g.nodes.len();
        Groups { of: vec![None; count], copy: vec![None; g.updates.len()], count: 0, sources: vec![0; count] }
    }

    /// Groups for a design whose leaves changed in these cycles. A group must take no more than the share `gain` of
    /// the time that its members would in every cycle.
    pub fn new(g: &Graph, changes: &[Cycles], gain: f64) -> Groups {
        let calm_leaf = |leaf: usize| ones(&changes[leaf]) <= SELDOM;
        // The cycles in which each node is due; none for nodes that are busy.
        let mut due: Vec<Option<Cycles>> = Vec::with_capacity(g.nodes.len());
        for node in &g.nodes {
            let own = match node.op {
                // A register's new value counts from the next cycle on.
                Op::Leaf(leaf) => calm_leaf(leaf.0 as usize).then(|| later(&changes[leaf.0 as usize])),
                _ => node.args.iter().try_fold([0; WINDOW / 64], |all, a| Some(either(&all, &due[a.0 as usize]?))),
            };
            due.push(own);
        }
        let (needed, regions) = (needed(g), regions(g));
        let mut classes = Classes::default();
        let class_of: Vec<Option<usize>> = (0..g.nodes.len())
            .map(|index| {
                let calm = due[index].filter(|_| needed[index] && !g.nodes[index].args.is_empty())?;
                Some(classes.add((calm, regions[index]), f64::from(price(g, Id(index as u32)))))
            })
            .collect();
        let copies: Vec<Option<usize>> = (g.updates.iter())
            .map(|u| {
                let leaf = matches!(g.node(u.next).op, Op::Leaf(_));
                let calm = due[u.next.0 as usize].filter(|_| leaf)?;
                Some(classes.add((calm, regions[u.next.0 as usize]), 1.0))
            })
            .collect();
        let (group_of, count) = classes.merge(gain);
        let mut groups = Groups {
            of: class_of.into_iter().map(|class| group_of[class?]).collect(),
            copy: copies.into_iter().map(|class| group_of[class?]).collect(),
            count,
            sources: vec![0; g.nodes.len()],
        };
        groups.find_sources(g);
        groups
    }

    /// Whoever depends on a node depends on its sources.
    fn find_sources(&mut self, g: &Graph) {
        for (update, group) in g.updates.iter().zip(&self.copy) {
            self.sources[update.next.0 as usize] |= group.map_or(0, |group| 1 << group);
        }
        for index in (0..g.nodes.len()).rev() {
            let mask = self.sources[index] | self.of[index].map_or(0, |group| 1 << group);
            g.nodes[index].args.iter().for_each(|a| self.sources[a.0 as usize] |= mask);
            if !matches!(g.nodes[index].op, Op::Leaf(_)) {
                self.sources[index] = 0;
            }
        }
    }

    /// Time that a clock edge takes while leaves change in these cycles, in operations on a limb.
    pub fn time(&self, g: &Graph, changes: &[Cycles]) -> f64 {
        let none = [0; WINDOW / 64];
        let mut groups = vec![Class { due: none, regions: 0, weight: 0.0, members: vec![] }; self.count];
        let mut always = 0.0;
        let needed = needed(g);
        for index in (0..g.nodes.len()).filter(|&index| needed[index]) {
            match (&g.nodes[index].op, self.of[index]) {
                (Op::Leaf(leaf), _) => {
                    let due = later(&changes[leaf.0 as usize]);
                    let depending = (0..self.count).filter(|group| self.sources[index] >> group & 1 == 1);
                    depending.for_each(|group| groups[group].due = either(&groups[group].due, &due));
                }
                (_, Some(group)) => groups[group].weight += f64::from(price(g, Id(index as u32))),
                (_, None) => always += f64::from(price(g, Id(index as u32))),
            }
        }
        let shares: Vec<f64> = groups.iter().map(|group| f64::from(ones(&group.due)) / WINDOW as f64).collect();
        let mut compared = 0.0;
        for (update, copy) in g.updates.iter().zip(&self.copy).filter(|(u, _)| g.is_row(u.leaf)) {
            let after = copy.or(self.of[update.next.0 as usize]);
            let words = limbs(g.leaves[update.leaf.0 as usize]) as f64;
            compared += after.map_or(1.0, |group| shares[group]) * words * COMPARE;
        }
        always + compared + groups.iter().map(Class::cost).sum::<f64>()
    }

    /// Whether there is anything to look for.
    pub fn any(&self) -> bool {
        self.count > 0
    }
}

/// The regions of the design that each node depends on, a bit each: what is in different ones tends to be busy at
/// different times, whatever it does in an observation.
fn regions(g: &Graph) -> Vec<u64> {
    let mut known: HashMap<String, u32> = HashMap::new();
    let mut of_leaf = vec![0; g.leaves.len()];
    for (leaf, name) in g.names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let region: Vec<&str> = name.split('.').take(DEPTH).collect();
        let next = known.len() as u32;
        of_leaf[leaf] = 1 << (*known.entry(region.join(".")).or_insert(next) % u64::BITS);
    }
    for (leaf, part) in g.parts.iter().enumerate() {
        if let Some((row, _)) = part {
            of_leaf[row.0 as usize] |= of_leaf[leaf];
        }
    }
    let mut regions: Vec<u64> = Vec::with_capacity(g.nodes.len());
    for node in &g.nodes {
        regions.push(match node.op {
            Op::Leaf(leaf) => of_leaf[leaf.0 as usize],
            _ => node.args.iter().fold(0, |all, a| all | regions[a.0 as usize]),
        });
    }
    regions
}

/// Whether clock edges need each node.
fn needed(g: &Graph) -> Vec<bool> {
    let mut needed = vec![false; g.nodes.len()];
    g.roots().iter().for_each(|id| needed[id.0 as usize] = true);
    for index in (0..g.nodes.len()).rev() {
        if needed[index] {
            g.nodes[index].args.iter().for_each(|a| needed[a.0 as usize] = true);
        }
    }
    needed
}

fn ones(cycles: &Cycles) -> u32 {
    cycles.iter().map(|w| w.count_ones()).sum()
}

fn either(a: &Cycles, b: &Cycles) -> Cycles {
    std::array::from_fn(|i| a[i] | b[i])
}

/// A cycle later.
fn later(cycles: &Cycles) -> Cycles {
    std::array::from_fn(|i| cycles[i] << 1 | if i > 0 { cycles[i - 1] >> 63 } else { 0 })
}

/// Nodes that are due in the same cycles.
#[derive(Debug, Default)]
struct Classes {
    known: HashMap<(Cycles, u64), usize>,
    all: Vec<Class>,
}

#[derive(Clone, Debug)]
struct Class {
    due: Cycles,
    regions: u64,
    weight: f64,
    members: Vec<usize>,
}

impl Class {
    fn cost(&self) -> f64 {
        cost(&self.due, self.regions, self.weight)
    }
}

/// Time that a class takes in a cycle.
fn cost(due: &Cycles, regions: u64, weight: f64) -> f64 {
    let share = f64::from(ones(due)) / WINDOW as f64 + UNSEEN * f64::from(regions.count_ones());
    LOOK + GUESS * share.min(1.0 - share) + KEEP * weight * share
}

impl Classes {
    fn add(&mut self, (due, regions): (Cycles, u64), weight: f64) -> usize {
        let Classes { known, all } = self;
        let class = *known.entry((due, regions)).or_insert_with(|| {
            all.push(Class { due, regions, weight: 0.0, members: vec![all.len()] });
            all.len() - 1
        });
        all[class].weight += weight;
        class
    }

    /// Merges classes while that saves time, or there are too many. Returns each class's group, if it is worth one, and
    /// the number of groups.
    fn merge(&self, gain: f64) -> (Vec<Option<usize>>, usize) {
        let mut groups = self.all.clone();
        // The rarest first, so that many classes that are hardly ever due fall together early.
        groups.sort_by_key(|class| ones(&class.due));
        let mut costs: Vec<f64> = groups.iter().map(Class::cost).collect();
        // For each group the one behind it, by how far, that it saves most to merge it with.
        let best = |groups: &[Class], costs: &[f64], a: usize| {
            let mut best: Option<(f64, usize)> = None;
            for b in a + 1..groups.len().min(a + NEAR) {
                let saved = costs[a] + costs[b] - cost_joined(&groups[a], &groups[b]);
                if best.is_none_or(|(most, _)| saved > most) {
                    best = Some((saved, b - a));
                }
            }
            best
        };
        let mut partners: Vec<Option<(f64, usize)>> = (0..groups.len()).map(|a| best(&groups, &costs, a)).collect();
        loop {
            let mut most: Option<(f64, usize, usize)> = None;
            for (a, partner) in partners.iter().enumerate() {
                if let Some((saved, apart)) = *partner
                    && most.is_none_or(|(most, ..)| saved > most)
                {
                    most = Some((saved, a, a + apart));
                }
            }
            let Some((_, a, b)) = most.filter(|&(saved, ..)| saved > 0.0 || groups.len() > MOST) else { break };
            groups[a] = joined(&groups[a], &groups[b]);
            costs[a] = groups[a].cost();
            groups.remove(b);
            costs.remove(b);
            partners.remove(b);
            // Those that see one of the two, or another group now that one is gone.
            for at in (a.saturating_sub(NEAR)..=a).chain(b.saturating_sub(NEAR).max(a + 1)..b) {
                partners[at] = best(&groups, &costs, at);
            }
        }
        groups.retain(|group| group.cost() < gain * group.weight);
        let mut of = vec![None; self.all.len()];
        for (number, group) in groups.iter().enumerate() {
            group.members.iter().for_each(|&class| of[class] = Some(number));
        }
        (of, groups.len())
    }
}

/// What both would cost together.
fn cost_joined(a: &Class, b: &Class) -> f64 {
    cost(&either(&a.due, &b.due), a.regions | b.regions, a.weight + b.weight)
}

fn joined(a: &Class, b: &Class) -> Class {
    let members = a.members.iter().chain(&b.members).copied().collect();
    let regions = a.regions | b.regions;
    Class { due: either(&a.due, &b.due), regions, weight: a.weight + b.weight, members }
}
