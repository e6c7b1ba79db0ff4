//! What need not be evaluated in every cycle.
//!
//! Most registers change seldom, and so do many values that are computed from busy ones: a counter runs, whether it is
//! at its end does not. *Sources* are leaves and nodes of which an observation showed that they seldom change. A node
//! that depends on sources only keeps its value while none of them changes. Such nodes are put into groups that tend to
//! be due in the same cycles; in each cycle the engine compares the sources with their last values and evaluates the
//! groups for which something is new.
//!
//! Sources that are nodes must be up to date before they are compared, and may depend on groups: groups come in stages,
//! and a source feeds groups of later stages than those that it depends on.
//!
//! Only speed depends on the observation: whatever changes, its groups are evaluated.

use std::collections::HashMap;

use super::graph::{Graph, Id, Node, Op};
use super::observe::{Cycles, WINDOW};

/// Stages, the one of the leaves included.
pub(super) const STAGES: usize = 5;
/// A source changes in at most this share of the cycles.
const SELDOM: u32 = WINDOW as u32 / 6;
/// Largest number of groups.
const MOST: usize = 60;
/// Time that looking whether a group is due takes, in operations.
const LOOK: f64 = 2.0;

/// A partition of what seldom changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Stage that a node feeds as a source.
    pub source: Vec<Option<usize>>,
    /// Group of each node.
    pub of: Vec<Option<usize>>,
    /// Group of each update that copies a source.
    pub copy: Vec<Option<usize>>,
    /// Stage of each group.
    pub stages: Vec<usize>,
    /// For each source: the groups that depend on it.
    pub masks: Vec<u64>,
}

/// How a node stands to the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Changes too often. Depends on groups up to a stage.
    Busy { stage: Option<usize> },
    /// Depends on sources only; of the groups that it may be in.
    Calm { stage: usize },
}

impl Groups {
    /// Nothing may be left out.
    pub fn none(g: &Graph) -> Groups {
        let count = g.nodes.len();
        Groups {
            source: vec![None; count],
            of: vec![None; count],
            copy: vec![None; g.updates.len()],
            stages: vec![],
            masks: vec![0; count],
        }
    }

    /// Groups for a design whose nodes changed in these cycles; none for nodes that are not used.
    pub fn new(g: &Graph, changes: &[Option<Cycles>]) -> Groups {
        let seldom: Vec<bool> = changes.iter().map(|c| c.as_ref().is_some_and(|c| ones(c) <= SELDOM)).collect();
        let mut groups = Groups::none(g);
        // To compare a row in every cycle takes longer than what depends on it.
        let row = |node: &Node| matches!(node.op, Op::Leaf(leaf) if g.is_row(leaf));
        let mut candidates: Vec<bool> = seldom.iter().zip(&g.nodes).map(|(&s, node)| s && !row(node)).collect();
        let mut kinds = groups.classify(g, changes, &candidates);
        for _ in 0..3 {
            // Sources that nothing calm depends on only make stages.
            let mut useful = vec![false; g.nodes.len()];
            for (index, node) in g.nodes.iter().enumerate() {
                if matches!(kinds[index], Kind::Calm { .. }) && groups.source[index].is_none() {
                    node.args.iter().for_each(|a| useful[a.0 as usize] = true);
                }
            }
            g.updates.iter().for_each(|u| useful[u.next.0 as usize] = true);
            candidates = candidates.iter().zip(&useful).map(|(&c, &u)| c && u).collect();
            kinds = groups.classify(g, changes, &candidates);
        }
        groups.gather(g, changes, &kinds);
        groups
    }

    /// Finds sources and what depends on them only.
    fn classify(&mut self, g: &Graph, changes: &[Option<Cycles>], candidates: &[bool]) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = Vec::with_capacity(g.nodes.len());
        for (index, node) in g.nodes.iter().enumerate() {
            self.source[index] = None;
            let mut busy = match node.op {
                Op::Leaf(_) => !candidates[index],
                _ => changes[index].is_none() && !matches!(node.op, Op::Const(_)),
            };
            let mut stage = None;
            for &arg in &node.args {
                stage = stage.max(match kinds[arg.0 as usize] {
                    Kind::Busy { stage } => {
                        busy = true;
                        stage
                    }
                    Kind::Calm { stage } => Some(stage),
                });
            }
            let feeds = stage.map_or(1, |s| s + 1);
            kinds.push(if !busy {
                if matches!(node.op, Op::Leaf(_)) {
                    self.source[index] = Some(0);
                }
                Kind::Calm { stage: stage.unwrap_or(0) }
            } else if candidates[index] && g.limbs(Id(index as u32)) == 1 && feeds < STAGES && !node.args.is_empty() {
                self.source[index] = Some(feeds);
                Kind::Calm { stage: feeds }
            } else {
                Kind::Busy { stage }
            });
        }
        kinds
    }

    /// Makes groups of what is due together.
    fn gather(&mut self, g: &Graph, changes: &[Option<Cycles>], kinds: &[Kind]) {
        // The cycles in which each node is due.
        let mut due: Vec<Cycles> = Vec::with_capacity(g.nodes.len());
        for (index, node) in g.nodes.iter().enumerate() {
            due.push(match (self.source[index], changes[index]) {
                // A register's new value counts from the next cycle on.
                (Some(0), Some(c)) => later(&c),
                (Some(_), Some(c)) => c,
                _ => node.args.iter().fold([0; WINDOW / 64], |all, a| either(&all, &due[a.0 as usize])),
            });
        }
        let calm = |index: usize| match kinds[index] {
            Kind::Calm { stage } if changes[index].is_some() => Some(stage),
            _ => None,
        };
        let mut classes = Classes::default();
        let mut node_class = vec![None; g.nodes.len()];
        for index in (0..g.nodes.len()).filter(|&i| self.source[i].is_none() && !g.nodes[i].args.is_empty()) {
            node_class[index] = calm(index).map(|stage| classes.add(stage, due[index], 1.0));
        }
        let copies: Vec<Option<usize>> = (g.updates.iter())
            .map(|u| {
                let index = u.next.0 as usize;
                let stage = calm(index).filter(|_| self.source[index].is_some())?;
                Some(classes.add(stage, due[index], 0.7))
            })
            .collect();
        let (group_of, stages) = classes.merge();
        self.stages = stages;
        self.of = node_class.into_iter().map(|class| class.and_then(|c| group_of[c])).collect();
        self.copy = copies.into_iter().map(|class| class.and_then(|c| group_of[c])).collect();
        // Whoever depends on a node depends on its sources.
        self.masks = vec![0; g.nodes.len()];
        for (update, group) in g.updates.iter().zip(&self.copy) {
            self.masks[update.next.0 as usize] |= group.map_or(0, |group| 1 << group);
        }
        for index in (0..g.nodes.len()).rev() {
            self.masks[index] |= self.of[index].map_or(0, |group| 1 << group);
            let mask = self.masks[index];
            if self.source[index].is_none_or(|stage| stage == 0) {
                g.nodes[index].args.iter().for_each(|a| self.masks[a.0 as usize] |= mask);
            }
        }
    }

    /// Whether there is anything to look for.
    pub fn any(&self) -> bool {
        !self.stages.is_empty()
    }
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
    known: HashMap<(usize, Cycles), usize>,
    all: Vec<Class>,
}

#[derive(Clone, Debug)]
struct Class {
    stage: usize,
    due: Cycles,
    weight: f64,
    members: Vec<usize>,
}

impl Class {
    /// Time a cycle.
    fn cost(&self) -> f64 {
        LOOK + self.weight * f64::from(ones(&self.due)) / WINDOW as f64
    }
}

impl Classes {
    fn add(&mut self, stage: usize, due: Cycles, weight: f64) -> usize {
        let Classes { known, all } = self;
        let class = *known.entry((stage, due)).or_insert_with(|| {
            all.push(Class { stage, due, weight: 0.0, members: vec![all.len()] });
            all.len() - 1
        });
        all[class].weight += weight;
        class
    }

    /// Merges classes while that saves time, or there are too many. Returns each class's group and each group's stage.
    fn merge(&self) -> (Vec<Option<usize>>, Vec<usize>) {
        let mut groups = self.all.clone();
        // The rarest first, so that many classes that are hardly ever due fall together early.
        groups.sort_by_key(|class| (class.stage, ones(&class.due)));
        loop {
            let mut best: Option<(f64, usize, usize)> = None;
            for a in 0..groups.len() {
                for b in a + 1..groups.len().min(a + 40) {
                    if groups[a].stage != groups[b].stage {
                        break;
                    }
                    let saved = groups[a].cost() + groups[b].cost() - joined(&groups[a], &groups[b]).cost();
                    if best.is_none_or(|(most, ..)| saved > most) {
                        best = Some((saved, a, b));
                    }
                }
            }
            match best {
                Some((saved, a, b)) if saved > 0.0 || groups.len() > MOST => {
                    groups[a] = joined(&groups[a], &groups[b]);
                    groups.remove(b);
                }
                _ => break,
            }
        }
        groups.truncate(MOST);
        let mut of = vec![None; self.all.len()];
        for (number, group) in groups.iter().enumerate() {
            group.members.iter().for_each(|&class| of[class] = Some(number));
        }
        (of, groups.iter().map(|g| g.stage).collect())
    }
}

fn joined(a: &Class, b: &Class) -> Class {
    let members = a.members.iter().chain(&b.members).copied().collect();
    Class { stage: a.stage, due: either(&a.due, &b.due), weight: a.weight + b.weight, members }
}
