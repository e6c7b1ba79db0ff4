//! Code for the values that a register usually has.
//!
//! What the hardware does in a cycle often hangs on one narrow register: the control word of a pipeline stage, the
//! address in a ROM. Most of what hangs on it folds away once its value is known. Where an observation shows that such
//! a register takes few values, a
//! *switch* on it chooses between copies of all that depends on it, one for each of these values, and the general form
//! for the rest.
//!
//! Only speed depends on the observation: the general form is right for every value.

use super::context::price;
use super::graph::{Graph, Id, Leaf, Node, Op, limbs};
use super::groups::Groups;
use super::simplify::Fold;

/// Values that a switch tells apart at most.
pub(super) const CASES: usize = 24;
/// Values in a smaller share of the cycles, in thousandths, are left to the general form.
const SELDOM: u32 = 5;
/// Switches of a design at most.
const SWITCHES: usize = 4;
/// Registers that are tried for each of them.
const TRIED: usize = 8;
/// Time that a switch must save in a cycle, in operations.
const WORTH: f64 = 12.0;
/// Time that a switch takes.
const COST: f64 = 6.0;
/// Nodes in all arms of a switch at most.
const SIZE: usize = 6000;

/// What a register was seen to hold: values, and in how many cycles.
pub(super) type Values = (Leaf, Vec<(u64, u32)>);

/// What depends on a register.
struct Region {
    node: Id,
    /// Nodes that depend on it, and nodes that only such ones need, in order.
    nodes: Vec<Id>,
    /// Nodes of which others need the value.
    outputs: Vec<Id>,
    cost: u32,
}

/// A design being specialised.
struct Work {
    graph: Graph,
    groups: Groups,
    /// Nodes in arms of switches.
    inside: Vec<bool>,
}

/// The graph with switches and its groups; nothing if none is worth it, `worth` telling how much that is.
pub(super) fn specialise(g: &Graph, groups: &Groups, values: &[Values], worth: Option<f64>) -> Option<(Graph, Groups)> {
    let mut work = Work { graph: g.clone(), groups: groups.clone(), inside: vec![false; g.nodes.len()] };
    work.sort();
    let mut left: Vec<&Values> = values.iter().collect();
    let mut switches = 0;
    while switches < SWITCHES {
        let mut tried: Vec<(Region, usize)> =
            left.iter().enumerate().filter_map(|(i, (leaf, _))| Some((work.region(*leaf)?, i))).collect();
        tried.sort_by_key(|(region, _)| std::cmp::Reverse(region.cost));
        tried.truncate(TRIED);
        let gains = tried.into_iter().map(|(region, i)| {
            let gain = work.gain(&region, &left[i].1);
            (gain, region, i)
        });
        let Some((gain, region, i)) = gains.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        if gain < worth.unwrap_or(WORTH) {
            break;
        }
        work.apply(&region, &left[i].1);
        left.remove(i);
        switches += 1;
    }
    (switches > 0).then_some((work.graph, work.groups))
}

/// The values that get arms of their own.
fn frequent(values: &[(u64, u32)]) -> Vec<(u64, u32)> {
    let total: u32 = values.iter().map(|v| v.1).sum();
    let mut kept: Vec<_> = values.iter().copied().filter(|v| v.1 * 1000 >= total * SELDOM).collect();
    kept.sort_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
    kept.truncate(CASES);
    kept
}

impl Work {
    /// Nodes that clock edges need, in order.
    fn sort(&mut self) {
        let g = &self.graph;
        let mut new: Vec<Option<Id>> = vec![None; g.nodes.len()];
        let mut order: Vec<usize> = Vec::new();
        let mut stack: Vec<(Id, bool)> = Vec::new();
        let sources = (0..g.nodes.len()).filter(|&i| self.groups.source[i].is_some());
        let roots = sources.map(|i| Id(i as u32)).chain(g.roots());
        for root in roots {
            stack.push((root, false));
            while let Some((id, ready)) = stack.pop() {
                let index = id.0 as usize;
                if new[index].is_some() {
                    continue;
                }
                if ready {
                    new[index] = Some(Id(order.len() as u32));
                    order.push(index);
                } else {
                    stack.push((id, true));
                    stack.extend(g.nodes[index].args.iter().rev().map(|&a| (a, false)));
                }
            }
        }
        let new = |id: Id| new[id.0 as usize].expect("what is needed has a place");
        let mut graph = self.graph.clone();
        graph.nodes = (order.iter())
            .map(|&index| {
                let node = &self.graph.nodes[index];
                Node { args: node.args.iter().map(|&a| new(a)).collect(), ..node.clone() }
            })
            .collect();
        graph.map_roots(new);
        self.graph = graph;
        let Groups { source, of, masks, .. } = &mut self.groups;
        *source = order.iter().map(|&i| source[i]).collect();
        *of = order.iter().map(|&i| of[i]).collect();
        *masks = order.iter().map(|&i| masks[i]).collect();
        self.inside = order.iter().map(|&i| self.inside[i]).collect();
    }

    /// What depends on a register, as far as it is evaluated in every cycle and lies in no switch yet.
    fn region(&self, leaf: Leaf) -> Option<Region> {
        let g = &self.graph;
        let node = Id(g.nodes.iter().position(|n| n.op == Op::Leaf(leaf))? as u32);
        let count = g.nodes.len();
        let free = |i: usize| {
            let fixed = matches!(g.nodes[i].op, Op::Leaf(_) | Op::Const(_) | Op::Switch | Op::Case(_));
            !fixed && !self.inside[i] && self.groups.of[i].is_none()
        };
        let mut depends = vec![false; count];
        for index in 0..count {
            let on = |a: &Id| *a == node || depends[a.0 as usize];
            depends[index] = free(index) && g.nodes[index].args.iter().any(on);
        }
        let mut shared = vec![false; count];
        g.roots().iter().for_each(|id| shared[id.0 as usize] = true);
        let mut member = vec![false; count];
        for index in (0..count).rev() {
            let source = self.groups.source[index].is_some();
            shared[index] |= source;
            member[index] = depends[index] || free(index) && !shared[index];
            if !member[index] {
                g.nodes[index].args.iter().for_each(|a| shared[a.0 as usize] = true);
            }
        }
        let ids = |pick: &dyn Fn(usize) -> bool| -> Vec<Id> {
            (0..count).filter(|&i| pick(i)).map(|i| Id(i as u32)).collect()
        };
        let nodes = ids(&|i| member[i]);
        let outputs = ids(&|i| depends[i] && shared[i]);
        let cost = nodes.iter().map(|&id| price(g, id)).sum();
        (!outputs.is_empty()).then_some(Region { node, nodes, outputs, cost })
    }

    /// Copies a region for a value of its register. Returns its outputs.
    fn arm(&mut self, region: &Region, value: u64) -> Vec<Id> {
        let width = self.graph.node(region.node).width;
        let mut fold = Fold::new(&mut self.graph);
        let constant = fold.constant(vec![value], width);
        let mut new: Vec<Option<Id>> = vec![None; region.nodes.last().map_or(0, |id| id.0 as usize + 1)];
        for &id in &region.nodes {
            let Node { op, args, width } = fold.graph.node(id).clone();
            let arg = |a: Id| match new.get(a.0 as usize) {
                _ if a == region.node => constant,
                Some(&Some(new)) => new,
                _ => a,
            };
            let args = args.into_iter().map(arg).collect();
            new[id.0 as usize] = Some(fold.node(Node { op, args, width }));
        }
        region.outputs.iter().map(|id| new[id.0 as usize].expect("outputs are members")).collect()
    }

    /// Time that the nodes above a number take, as far as these outputs need them.
    fn cost(&self, outputs: &[Id], first: usize) -> (u32, usize) {
        let mut seen = vec![false; self.graph.nodes.len()];
        let (mut cost, mut count) = (0, 0);
        let mut stack = outputs.to_vec();
        while let Some(id) = stack.pop() {
            if (id.0 as usize) < first || std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            (cost, count) = (cost + price(&self.graph, id), count + 1);
            stack.extend(&self.graph.node(id).args);
        }
        (cost, count)
    }

    /// Time that a switch saves in a cycle.
    fn gain(&mut self, region: &Region, values: &[(u64, u32)]) -> f64 {
        let first = self.graph.nodes.len();
        let total: u32 = values.iter().map(|v| v.1).sum();
        let (mut gain, mut size) = (-COST, region.nodes.len());
        for (value, count) in frequent(values) {
            let outputs = self.arm(region, value);
            let (cost, count_nodes) = self.cost(&outputs, first);
            size += count_nodes;
            gain += (f64::from(region.cost) - f64::from(cost)) * f64::from(count) / f64::from(total);
            self.graph.nodes.truncate(first);
        }
        if size > SIZE { f64::MIN } else { gain }
    }

    fn apply(&mut self, region: &Region, values: &[(u64, u32)]) {
        let values: Vec<u64> = frequent(values).into_iter().map(|(value, _)| value).collect();
        let old = self.graph.nodes.len();
        let case_width = 32;
        self.graph.nodes.push(Node { op: Op::Case(values.clone()), args: vec![region.node], width: case_width });
        let case = Id(old as u32);
        let arms: Vec<Vec<Id>> = values.iter().map(|&value| self.arm(region, value)).collect();
        let first_switch = self.graph.nodes.len();
        let mut moved: Vec<Id> = (0..old as u32).map(Id).collect();
        for (i, &output) in region.outputs.iter().enumerate() {
            let width = self.graph.node(output).width;
            let args = std::iter::once(case).chain(arms.iter().map(|arm| arm[i])).chain([output]).collect();
            moved[output.0 as usize] = Id(self.graph.nodes.len() as u32);
            self.graph.nodes.push(Node { op: Op::Switch, args, width });
        }
        // Whatever is not in the switch takes its results.
        let mut member = vec![false; old];
        region.nodes.iter().for_each(|id| member[id.0 as usize] = true);
        for index in (0..old).filter(|&i| !member[i]) {
            self.graph.nodes[index].args.iter_mut().for_each(|a| *a = moved[a.0 as usize]);
        }
        self.graph.map_roots(|id| moved[id.0 as usize]);
        let count = self.graph.nodes.len();
        let Groups { source, of, masks, .. } = &mut self.groups;
        source.resize(count, None);
        of.resize(count, None);
        masks.resize(count, 0);
        for &output in &region.outputs {
            let (from, to) = (output.0 as usize, moved[output.0 as usize].0 as usize);
            source[to] = source[from].take();
            masks[to] = std::mem::take(&mut masks[from]);
        }
        self.inside.resize(count, false);
        region.nodes.iter().for_each(|id| self.inside[id.0 as usize] = true);
        (old + 1..first_switch).for_each(|i| self.inside[i] = true);
        self.sort();
    }
}

/// Whether the values of a register are worth counting.
pub(super) fn countable(g: &Graph, leaf: Leaf) -> bool {
    let width = g.leaves[leaf.0 as usize];
    // Nothing depends on a lane alone.
    width >= 3 && limbs(width) == 1 && g.parts[leaf.0 as usize].is_none()
}
