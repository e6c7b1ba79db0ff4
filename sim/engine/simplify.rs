//! Nodes of which some operands are known.

use std::collections::HashMap;

use super::code::{Instr, Slot};
use super::emit::Emitter;
use super::graph::{Graph, Id, Node, Op, limbs};
use super::lanes::each::padded;
use super::run::run;
use super::stream::Program;

/// Adds nodes to a graph that are equal to none that were there before.
pub(super) struct Fold<'a> {
    pub graph: &'a mut Graph,
    known: HashMap<Node, Id>,
}

/// A table whose result is its input of this number.
fn variable(input: usize) -> u32 {
    (0..32).fold(0, |table, i| table | (i >> input & 1) << i)
}

impl Fold<'_> {
    pub fn new(graph: &mut Graph) -> Fold<'_> {
        Fold { graph, known: HashMap::new() }
    }

    fn push(&mut self, node: Node) -> Id {
        let Fold { graph, known } = self;
        *known.entry(node).or_insert_with_key(|node| {
            graph.nodes.push(node.clone());
            Id(graph.nodes.len() as u32 - 1)
        })
    }

    pub fn constant(&mut self, value: Vec<u64>, width: u32) -> Id {
        self.push(Node { op: Op::Const(value), args: vec![], width })
    }

    /// The node, or a simpler one.
    pub fn node(&mut self, node: Node) -> Id {
        let simple = self.simple(&node);
        match simple.filter(|&id| self.graph.limbs(id) == limbs(node.width)) {
            Some(id) => id,
            None => self.push(node),
        }
    }

    fn zero(&self, id: Id) -> bool {
        self.graph.constant_of(id).is_some_and(|value| value.iter().all(|&limb| limb == 0))
    }

    /// Whether a constant is 1 in all bits that the other operand can have.
    fn ones(&self, id: Id, other: Id) -> bool {
        let width = self.graph.node(other).width;
        let wanted = |i: usize| u64::MAX >> (64 - (width - 64 * i as u32).min(64));
        let all = |value: &[u64]| (0..limbs(width)).all(|i| value.get(i).is_some_and(|v| v & wanted(i) == wanted(i)));
        self.graph.constant_of(id).is_some_and(all)
    }

    fn simple(&mut self, node: &Node) -> Option<Id> {
        let args = &node.args[..];
        if !args.is_empty() && args.iter().all(|&a| self.graph.constant_of(a).is_some()) {
            let value = self.evaluate(node)?;
            return Some(self.constant(value, node.width));
        }
        match (&node.op, args) {
            (Op::Mux, &[c, a, b]) => match self.graph.constant_of(c) {
                Some(c) => Some(if c[0] == 0 { b } else { a }),
                None => (a == b).then_some(a),
            },
            (Op::Choose { low, width, numbers }, _) => {
                let field = self.graph.constant_of(args[0])?;
                let number = field[*low as usize / 64] >> (low % 64) & (u64::MAX >> (64 - width));
                Some(args[usize::from(numbers[number as usize])])
            }
            (Op::And, &[a, b]) if self.zero(a) || self.ones(b, a) => Some(a),
            (Op::And, &[a, b]) if self.zero(b) || self.ones(a, b) => Some(b),
            (Op::Or | Op::Xor, &[a, b]) if self.zero(a) => Some(b),
            (Op::Or | Op::Xor | Op::AndNot | Op::Add | Op::Sub, &[a, b]) if self.zero(b) => Some(a),
            (Op::Add, &[a, b]) if self.zero(a) => Some(b),
            (Op::AndNot, &[a, b]) if self.zero(a) || a == b => {
                Some(self.constant(vec![0; limbs(node.width)], node.width))
            }
            (Op::Table(table), _) => self.table(*table, args),
            _ => None,
        }
    }

    /// A table with fewer inputs.
    fn table(&mut self, table: u32, args: &[Id]) -> Option<Id> {
        let value = |i: usize| self.graph.constant_of(args[i]).map(|v| v[0] as u32);
        // Known inputs take their values, others keep theirs.
        let fixed = (0..32u32).fold(0, |fixed, i| {
            let at = (0..args.len()).fold(0, |at, k| at | value(k).unwrap_or(i >> k & 1) << k);
            fixed | (table >> at & 1) << i
        });
        let matters = |k: usize| {
            let flipped = (0..32u32).fold(0, |flipped, i| flipped | (fixed >> (i ^ 1 << k) & 1) << i);
            flipped != fixed
        };
        let kept: Vec<usize> = (0..args.len()).filter(|&k| matters(k)).collect();
        if kept.is_empty() {
            return Some(self.constant(vec![u64::from(fixed & 1)], 1));
        }
        if kept.len() == args.len() {
            return None;
        }
        let table = (0..32u32).fold(0, |table, i| {
            let at = kept.iter().enumerate().fold(0, |at, (new, &old)| at | (i >> new & 1) << old);
            table | (fixed >> at & 1) << i
        });
        if kept.len() == 1 && table == variable(0) {
            return Some(args[kept[0]]);
        }
        let args = kept.iter().map(|&k| args[k]).collect();
        Some(self.push(Node { op: Op::Table(table), args, width: 1 }))
    }

    /// The value of a node whose operands are constants; none if it reads a memory that may change.
    fn evaluate(&mut self, node: &Node) -> Option<Vec<u64>> {
        let value = |id: &Id| self.graph.constant_of(*id).unwrap_or_default().to_vec();
        match node.op {
            Op::AllOf(_) | Op::NoneOf(_) | Op::Switch | Op::Case(_) => return None,
            Op::Word(m) => {
                let storage = &self.graph.storages[m];
                let contents = storage.contents.as_ref()?;
                let address = value(&node.args[0])[0];
                let address =
                    if storage.depth.is_power_of_two() { address & (storage.depth as u64 - 1) } else { address };
                let zero = vec![0; limbs(storage.width)];
                return Some(match usize::try_from(address) {
                    Ok(address) if address < storage.depth => contents.get(address).cloned().unwrap_or(zero),
                    _ => zero,
                });
            }
            _ => {}
        }
        let mut state: Vec<u64> = Vec::new();
        let mut slots: HashMap<Id, Slot> = HashMap::new();
        for id in &node.args {
            slots.insert(*id, state.len() as Slot);
            state.extend(value(id));
            state.resize(slots[id] as usize + padded(self.graph.limbs(*id)), 0);
        }
        let d = state.len();
        state.resize(d + padded(limbs(node.width)), 0);
        let id = Id(self.graph.nodes.len() as u32);
        self.graph.nodes.push(node.clone());
        let mut emitter = Emitter::default();
        emitter.node(self.graph, id, d as Slot, |id| slots[&id]);
        self.graph.nodes.pop();
        emitter.code.push(Instr::End);
        let Emitter { code, tables, .. } = emitter;
        run(&Program::once(&code, &tables), 0, 1, &tables, &mut state, &mut []);
        state.truncate(d + limbs(node.width));
        let mut value = state.split_off(d);
        // Loops take more lanes than there are.
        if let (Some(last), 1..) = (value.last_mut(), node.width % 64) {
            *last &= u64::MAX >> (64 - node.width % 64);
        }
        Some(value)
    }
}
