//! The graph that code is made from. Values are bit patterns in 64-bit limbs, zero above their width; signs live in the operations.
//! Equal nodes are one, and every node comes after its operands.

use std::collections::HashMap;

use num_bigint::BigUint;

use super::lower::{Lowered, lower};
use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{Binary, ExprId, ExprKind, NetId, Read, Unary};

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(pub u32);

/// A place whose value lasts for a cycle: an input, a register, or the word behind a clocked read port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Leaf(pub u32);

/// What a node computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    Const(Vec<u64>),
    Leaf(Leaf),
    And,
    Or,
    Xor,
    /// First and not second.
    AndNot,
    Add,
    Sub,
    /// Widths of the operands if they are signed.
    Mul(Option<(u32, u32)>),
    Eq,
    Ne,
    /// Width of the operands if they are signed.
    Lt(Option<u32>),
    Le(Option<u32>),
    /// Condition, then, else.
    Mux,
    Parity,
    /// Bits from a position up.
    Bits(u32),
    Shl,
    Shr,
    /// Bits of the first from the position in the second up.
    Select,
    /// First with the bit whose number is the third replaced by the second.
    SetBit,
    /// First with parts replaced by the following operands: position and width of each; later ones win.
    Build(Vec<(u32, u32)>),
    /// More limbs, filled with zeros.
    Zext,
    /// More bits, filled with the sign bit of an operand of this width.
    Sext(u32),
    /// A wide amount in one limb: all ones if it does not fit.
    Clamp,
    /// Whether a field of the first differs from the second, or is equal.
    Test {
        low: u32,
        width: u32,
        unequal: bool,
    },
    /// One of the operands after the first, as a field of the first says: the operand's number for each value of the field.
    Choose {
        low: u32,
        width: u32,
        numbers: Vec<u8>,
    },
    /// The number of the value that the operand has, among these; their count if it has none of them.
    Case(Vec<u64>),
    /// Of the operands after the first, the one whose number the first is; the others need not be computed.
    Switch,
    /// Function of up to five bits: bit i of the table is the result for the operands that the bits of i are.
    Table(u32),
    /// Word of a memory: address, and the count of writes if there are any.
    Word(usize),
    /// AND over selected words of a memory.
    AllOf(usize),
    /// NOR over selected words of a memory.
    NoneOf(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub op: Op,
    pub args: Vec<Id>,
    /// No bit from here up is ever 1.
    pub width: u32,
}

/// What a clock edge does to a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    pub leaf: Leaf,
    pub next: Id,
}

/// What a clock edge does to a memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    pub memory: usize,
    pub enable: Id,
    pub address: Id,
    pub data: Id,
    pub mask: Option<Id>,
}

/// A memory as it is stored: equal ones once.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    pub width: u32,
    pub depth: usize,
    pub contents: Option<Vec<Vec<u64>>>,
}

/// The design as a graph.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    /// Widths.
    pub leaves: Vec<u32>,
    pub updates: Vec<Update>,
    pub stores: Vec<Store>,
    pub storages: Vec<Storage>,
    /// Storage of each memory of the design.
    pub storage_of: Vec<usize>,
    /// Leaf of each register of the design.
    pub register_leaf: Vec<Leaf>,
    /// Leaf of each input.
    pub input_leaf: HashMap<NetId, Leaf>,
    /// Value of each net of the design.
    pub nets: Vec<Id>,
    /// Values that are needed although no clock edge needs them.
    pub watched: Vec<Id>,
    known: HashMap<Node, Id>,
}

/// Limbs of a value with this many bits.
pub(super) fn limbs(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// Limbs of a constant, exactly as many as the width has.
pub(super) fn digits(value: &BigUint, width: u32) -> Vec<u64> {
    let mut digits = value.to_u64_digits();
    digits.resize(limbs(width), 0);
    digits
}

fn all_ones(width: u32) -> Vec<u64> {
    let mut ones = vec![u64::MAX; limbs(width)];
    if width % 64 != 0 {
        *ones.last_mut().expect("widths are at least 1") = (1 << (width % 64)) - 1;
    }
    ones
}

impl Graph {
    fn empty() -> Graph {
        Graph {
            nodes: vec![],
            leaves: vec![],
            updates: vec![],
            stores: vec![],
            storages: vec![],
            storage_of: vec![],
            register_leaf: vec![],
            input_leaf: HashMap::new(),
            nets: vec![],
            watched: vec![],
            known: HashMap::new(),
        }
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Limbs of a node's value.
    pub fn limbs(&self, id: Id) -> usize {
        limbs(self.node(id).width)
    }

    /// The value of a constant.
    pub fn constant_of(&self, id: Id) -> Option<&[u64]> {
        match &self.node(id).op {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    /// What clock edges and watchers need.
    pub fn roots(&self) -> Vec<Id> {
        let stores = self.stores.iter().flat_map(|s| [Some(s.enable), Some(s.address), Some(s.data), s.mask]);
        self.updates.iter().map(|u| u.next).chain(stores.flatten()).chain(self.watched.iter().copied()).collect()
    }

    /// Replaces what clock edges and watchers need.
    pub fn map_roots(&mut self, new: impl Fn(Id) -> Id) {
        self.updates.iter_mut().for_each(|u| u.next = new(u.next));
        self.watched.iter_mut().for_each(|id| *id = new(*id));
        for s in &mut self.stores {
            (s.enable, s.address, s.data) = (new(s.enable), new(s.address), new(s.data));
            s.mask = s.mask.map(&new);
        }
    }

    fn is_zero(&self, id: Id) -> bool {
        self.constant_of(id).is_some_and(|v| v.iter().all(|&limb| limb == 0))
    }

    pub fn push(&mut self, op: Op, args: Vec<Id>, width: u32) -> Id {
        let node = Node { op, args, width };
        if let Some(&id) = self.known.get(&node) {
            return id;
        }
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.known.insert(node, id);
        id
    }

    fn constant(&mut self, value: Vec<u64>, width: u32) -> Id {
        self.push(Op::Const(value), vec![], width)
    }

    fn zero(&mut self, width: u32) -> Id {
        self.constant(vec![0; limbs(width)], width)
    }

    fn leaf(&mut self, leaf: Leaf) -> Id {
        self.push(Op::Leaf(leaf), vec![], self.leaves[leaf.0 as usize])
    }

    fn new_leaf(&mut self, width: u32) -> Leaf {
        self.leaves.push(width);
        Leaf(self.leaves.len() as u32 - 1)
    }

    fn not(&mut self, a: Id, width: u32) -> Id {
        let ones = self.constant(all_ones(width), width);
        self.xor(a, ones, width)
    }

    /// The operand of a complement.
    fn complemented(&self, id: Id, width: u32) -> Option<Id> {
        let node = self.node(id);
        (node.op == Op::Xor && self.constant_of(node.args[1]) == Some(&all_ones(width))).then(|| node.args[0])
    }

    fn xor(&mut self, a: Id, b: Id, width: u32) -> Id {
        // Constants come second.
        let (a, b) = if self.constant_of(a).is_some() { (b, a) } else { (a, b) };
        self.push(Op::Xor, vec![a, b], width)
    }

    fn and(&mut self, a: Id, b: Id, width: u32) -> Id {
        if let Some(b) = self.complemented(b, width) {
            return self.push(Op::AndNot, vec![a, b], width);
        }
        if let Some(a) = self.complemented(a, width) {
            return self.push(Op::AndNot, vec![b, a], width);
        }
        let (a, b) = if self.constant_of(a).is_some() { (b, a) } else { (a, b) };
        if let Some(&[mask]) = self.constant_of(b) {
            // The low bits.
            if mask != 0 && mask & mask.wrapping_add(1) == 0 {
                return self.bits(a, 0, mask.count_ones());
            }
        }
        let width = self.node(a).width.min(self.node(b).width);
        self.push(Op::And, vec![a, b], width)
    }

    fn bits(&mut self, a: Id, low: u32, width: u32) -> Id {
        let old = self.node(a).width;
        if low >= old {
            return self.zero(width);
        }
        if low == 0 && width >= old && limbs(width) == limbs(old) {
            return a;
        }
        let (op, args) = (self.node(a).op.clone(), self.node(a).args.clone());
        if let Op::Bits(inner) = op {
            if low + width <= old {
                return self.bits(args[0], inner + low, width);
            }
        }
        let narrow = width.min(old - low);
        let width = if limbs(narrow) == limbs(width) { narrow } else { width };
        self.push(Op::Bits(low), vec![a], width)
    }

    fn extend(&mut self, a: Id, width: u32) -> Id {
        if self.limbs(a) == limbs(width) { a } else { self.push(Op::Zext, vec![a], width) }
    }

    fn mux(&mut self, c: Id, a: Id, b: Id, width: u32) -> Id {
        if a == b {
            return a;
        }
        if let Some(c) = self.complemented(c, 1) {
            return self.mux(c, b, a, width);
        }
        self.push(Op::Mux, vec![c, a, b], width)
    }

    /// One limb that is the value, or too much for any width.
    fn amount(&mut self, a: Id) -> Id {
        if self.limbs(a) == 1 { a } else { self.push(Op::Clamp, vec![a], 64) }
    }

    /// A memory address in one limb.
    fn address(&mut self, a: Id, storage: usize) -> Id {
        match self.storages[storage].depth.is_power_of_two() {
            true if self.limbs(a) > 1 => self.bits(a, 0, 64),
            true => a,
            false => self.amount(a),
        }
    }
}

/// Makes the graph of a design.
pub(super) fn graph(flat: &Flat) -> Graph {
    let lowered = lower(flat);
    let mut uses = vec![0u32; lowered.exprs.len()];
    for operand in lowered.exprs.iter().flat_map(|e| e.kind.operands()) {
        uses[operand.0 as usize] += 1;
    }
    let mut c = Convert {
        flat,
        lowered: &lowered,
        uses,
        graph: Graph::empty(),
        done: HashMap::new(),
        writes: HashMap::new(),
        ports: HashMap::new(),
    };
    c.storages();
    c.leaves();
    c.registers();
    c.memories();
    c.count();
    c.graph.nets = lowered.nets.iter().map(|&e| c.value(e)).collect();
    c.graph
}

struct Convert<'a> {
    flat: &'a Flat,
    lowered: &'a Lowered,
    uses: Vec<u32>,
    graph: Graph,
    done: HashMap<ExprId, Id>,
    /// Leaf that counts the writes of a memory.
    writes: HashMap<usize, Leaf>,
    /// Leaf behind each clocked read port.
    ports: HashMap<(usize, usize), Leaf>,
}

impl Convert<'_> {
    /// Memories with the same contents and the same writes are one: mirrored RAMs.
    fn storages(&mut self) {
        let mut known = HashMap::new();
        for (memory, (_, write)) in self.flat.memories.iter().zip(&self.lowered.memories) {
            let number = self.graph.storages.len();
            let mut storage = number;
            // Without writes and contents, only the test bench knows what is in it.
            if write.is_some() || memory.contents.is_some() {
                let key = (memory.width, memory.depth, memory.contents.clone(), write.clone());
                storage = *known.entry(key).or_insert(number);
            }
            if storage == number {
                let contents =
                    memory.contents.as_ref().map(|words| words.iter().map(|w| digits(w, memory.width)).collect());
                self.graph.storages.push(Storage { width: memory.width, depth: memory.depth, contents });
            }
            self.graph.storage_of.push(storage);
        }
    }

    fn leaves(&mut self) {
        let flat = self.flat;
        for register in &flat.registers {
            let leaf = self.graph.new_leaf(flat.net(register.net).width);
            self.graph.register_leaf.push(leaf);
        }
        for (index, net) in flat.nets.iter().enumerate() {
            if net.driver == FlatDriver::Input {
                let leaf = self.graph.new_leaf(net.width);
                self.graph.input_leaf.insert(NetId(index as u32), leaf);
            }
        }
        // Ports that read the same word in the same cycles are one.
        let mut known = HashMap::new();
        for (m, (reads, _)) in self.lowered.memories.iter().enumerate() {
            for (p, read) in reads.iter().enumerate() {
                if let Read::Clocked { .. } = read {
                    let key = (self.graph.storage_of[m], read.clone());
                    let width = flat.memories[m].width;
                    let leaf = *known.entry(key).or_insert_with(|| self.graph.new_leaf(width));
                    self.ports.insert((m, p), leaf);
                }
            }
        }
    }

    fn registers(&mut self) {
        for (index, &(next, enable)) in self.lowered.registers.iter().enumerate() {
            let leaf = self.graph.register_leaf[index];
            let next = self.value(next);
            self.update(leaf, next, enable);
        }
    }

    fn update(&mut self, leaf: Leaf, next: Id, enable: Option<ExprId>) {
        let next = match enable {
            Some(enable) => {
                let (enable, old) = (self.value(enable), self.graph.leaf(leaf));
                match self.graph.constant_of(enable) {
                    Some(&[0]) => old,
                    Some(_) => next,
                    None => self.graph.mux(enable, next, old, self.graph.leaves[leaf.0 as usize]),
                }
            }
            None => next,
        };
        self.graph.updates.push(Update { leaf, next });
    }

    fn memories(&mut self) {
        let lowered = self.lowered;
        let (mut written, mut read) = (vec![false; self.graph.storages.len()], Vec::new());
        for (m, (reads, write)) in lowered.memories.iter().enumerate() {
            let storage = self.graph.storage_of[m];
            for (p, port) in reads.iter().enumerate() {
                let Read::Clocked { address, enable } = *port else { continue };
                let leaf = self.ports[&(m, p)];
                if read.contains(&leaf) {
                    continue;
                }
                read.push(leaf);
                let address = self.value(address);
                let next = self.word(storage, address);
                self.update(leaf, next, Some(enable));
            }
            if let Some(write) = write.as_ref().filter(|_| !written[storage]) {
                written[storage] = true;
                let address = self.value(write.address);
                let store = Store {
                    memory: storage,
                    enable: self.value(write.enable),
                    address: self.graph.address(address, storage),
                    data: self.value(write.data),
                    mask: write.mask.map(|e| self.value(e)),
                };
                if !self.graph.is_zero(store.enable) {
                    self.graph.stores.push(store);
                }
            }
        }
    }

    fn word(&mut self, storage: usize, address: Id) -> Id {
        let address = self.graph.address(address, storage);
        let width = self.graph.storages[storage].width;
        let args = std::iter::once(address).chain(self.writes(storage)).collect();
        self.graph.push(Op::Word(storage), args, width)
    }

    /// The count of a memory's writes, if it is ever written: what is read from it depends on that.
    fn writes(&mut self, storage: usize) -> Option<Id> {
        let memories = self.graph.storage_of.iter().zip(&self.lowered.memories);
        memories.filter(|(of, _)| **of == storage).find(|(_, (_, write))| write.is_some())?;
        if !self.writes.contains_key(&storage) {
            let leaf = self.graph.new_leaf(64);
            self.writes.insert(storage, leaf);
        }
        Some(self.graph.leaf(self.writes[&storage]))
    }

    /// Counts the writes.
    fn count(&mut self) {
        for Store { memory, enable, .. } in self.graph.stores.clone() {
            if let Some(&leaf) = self.writes.get(&memory) {
                let old = self.graph.leaf(leaf);
                let next = self.graph.push(Op::Add, vec![old, enable], 64);
                self.graph.updates.push(Update { leaf, next });
            }
        }
    }

    fn net(&mut self, net: NetId) -> Id {
        match self.flat.net(net).driver {
            FlatDriver::Input => self.graph.leaf(self.graph.input_leaf[&net]),
            FlatDriver::Register(r) => self.graph.leaf(self.graph.register_leaf[r]),
            FlatDriver::Memory(m, p) => {
                let storage = self.graph.storage_of[m];
                let width = self.flat.memories[m].width;
                match self.lowered.memories[m].0[p] {
                    Read::Clocked { .. } => self.graph.leaf(self.ports[&(m, p)]),
                    Read::Now { address } => {
                        let address = self.value(address);
                        self.word(storage, address)
                    }
                    Read::And { select } => {
                        let select = self.value(select);
                        let args = std::iter::once(select).chain(self.writes(storage)).collect();
                        self.graph.push(Op::AllOf(storage), args, width)
                    }
                    Read::Nor { select } => {
                        let select = self.value(select);
                        let args = std::iter::once(select).chain(self.writes(storage)).collect();
                        self.graph.push(Op::NoneOf(storage), args, width)
                    }
                }
            }
            FlatDriver::Net(_) | FlatDriver::Expr(_) => unreachable!("lowered expressions refer to leaves only"),
        }
    }

    fn value(&mut self, e: ExprId) -> Id {
        if let Some(&id) = self.done.get(&e) {
            return id;
        }
        let id = self.convert(e);
        debug_assert_eq!(self.graph.limbs(id), limbs(self.lowered.exprs[e.0 as usize].width));
        self.done.insert(e, id);
        id
    }

    fn convert(&mut self, e: ExprId) -> Id {
        let lowered = self.lowered;
        let expr = &lowered.exprs[e.0 as usize];
        let of = |e: ExprId| &lowered.exprs[e.0 as usize];
        let width = expr.width;
        match expr.kind {
            ExprKind::Const(ref value) => self.graph.constant(digits(value, width), width),
            ExprKind::Net(net) => self.net(net),
            ExprKind::Unary(op, a) => self.unary(op, a),
            ExprKind::Binary(op, a, b) => self.binary(op, a, b, width),
            ExprKind::Mux(c, a, b) => {
                let (c, a, b) = (self.value(c), self.value(a), self.value(b));
                self.graph.mux(c, a, b, width)
            }
            ExprKind::Slice(a, low) => {
                let a = self.value(a);
                self.graph.bits(a, low, width)
            }
            ExprKind::Select(a, at) => {
                let (a, at) = (self.value(a), self.value(at));
                let at = self.graph.amount(at);
                self.graph.push(Op::Select, vec![a, at], width)
            }
            ExprKind::Replace(a, part, low) => self.replace(a, part, low, width),
            ExprKind::ReplaceBit(a, bit, at) => {
                let (a, bit, at) = (self.value(a), self.value(bit), self.value(at));
                let at = self.graph.amount(at);
                self.graph.push(Op::SetBit, vec![a, bit, at], width)
            }
            ExprKind::Extend(a) if of(a).signed => {
                let (old, a) = (of(a).width, self.value(a));
                // A value that is known to leave its sign bit 0 is not negative.
                if self.graph.node(a).width < old {
                    return self.graph.extend(a, width);
                }
                self.graph.push(Op::Sext(old), vec![a], width)
            }
            ExprKind::Extend(a) => {
                let a = self.value(a);
                self.graph.extend(a, width)
            }
            ExprKind::Reinterpret(a) => self.value(a),
        }
    }

    fn unary(&mut self, op: Unary, a: ExprId) -> Id {
        let width = self.lowered.exprs[a.0 as usize].width;
        let a = self.value(a);
        let g = &mut self.graph;
        match op {
            Unary::Not => g.not(a, width),
            Unary::Neg => {
                let zero = g.zero(width);
                g.push(Op::Sub, vec![zero, a], width)
            }
            Unary::Any if width == 1 => a,
            Unary::Any => {
                let zero = g.zero(width);
                g.push(Op::Ne, vec![a, zero], 1)
            }
            Unary::All => {
                let ones = g.constant(all_ones(width), width);
                g.push(Op::Eq, vec![a, ones], 1)
            }
            Unary::Parity => g.push(Op::Parity, vec![a], 1),
        }
    }

    fn binary(&mut self, op: Binary, x: ExprId, y: ExprId, width: u32) -> Id {
        let (ex, ey) = (&self.lowered.exprs[x.0 as usize], &self.lowered.exprs[y.0 as usize]);
        let signed = ex.signed.then_some(ex.width);
        let (a, b) = (self.value(x), self.value(y));
        let g = &mut self.graph;
        let op = match op {
            Binary::And => return g.and(a, b, width),
            Binary::Xor => return g.xor(a, b, width),
            Binary::Or => Op::Or,
            Binary::Add => Op::Add,
            Binary::Sub => Op::Sub,
            Binary::Mul => Op::Mul(ex.signed.then_some((ex.width, ey.width))),
            Binary::Eq => Op::Eq,
            Binary::Ne => Op::Ne,
            Binary::Lt => Op::Lt(signed),
            Binary::Le => Op::Le(signed),
            Binary::Shl | Binary::Shr => {
                let amount = g.amount(b);
                return g.push(if op == Binary::Shl { Op::Shl } else { Op::Shr }, vec![a, amount], width);
            }
        };
        g.push(op, vec![a, b], width)
    }

    /// Replacements of replacements that nothing else uses are one node.
    fn replace(&mut self, a: ExprId, part: ExprId, low: u32, width: u32) -> Id {
        let mut chain = vec![(part, low)];
        let mut base = a;
        while self.uses[base.0 as usize] == 1 {
            match self.lowered.exprs[base.0 as usize].kind {
                ExprKind::Replace(inner, part, low) => {
                    chain.push((part, low));
                    base = inner;
                }
                ExprKind::Reinterpret(inner) => base = inner,
                _ => break,
            }
        }
        chain.reverse();
        let mut args = vec![self.value(base)];
        let mut lows = Vec::new();
        for (part, low) in chain {
            args.push(self.value(part));
            // The whole field is replaced: its width is the expression's, not that of the bits known to matter.
            lows.push((low, self.lowered.exprs[part.0 as usize].width));
        }
        self.graph.push(Op::Build(lows), args, width)
    }
}
