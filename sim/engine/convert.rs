//! From a design's expressions to the graph.

use std::collections::HashMap;

use super::graph::{Graph, Id, Leaf, Op, Storage, Store, Update, all_ones, digits, limbs};
use super::lower::{Lowered, lower};
use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{Binary, ExprId, ExprKind, NetId, Read, Unary};

/// Makes the graph of a design. Only memories with the same number may become one.
pub(super) fn graph(flat: &Flat, apart: &[usize]) -> Graph {
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
    c.storages(apart);
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
    fn storages(&mut self, apart: &[usize]) {
        let mut known = HashMap::new();
        let memories = self.flat.memories.iter().zip(&self.lowered.memories).zip(apart);
        for ((memory, (_, write)), apart) in memories {
            let number = self.graph.storages.len();
            let mut storage = number;
            // Without writes and contents, only the test bench knows what is in it.
            if write.is_some() || memory.contents.is_some() {
                let key = (memory.width, memory.depth, memory.contents.clone(), write.clone(), apart);
                storage = *known.entry(key).or_insert(number);
            }
            if storage == number {
                let contents =
                    memory.contents.as_ref().map(|words| words.iter().map(|w| digits(w, memory.width)).collect());
                let name = memory.path.clone();
                self.graph.storages.push(Storage { name, width: memory.width, depth: memory.depth, contents });
            }
            self.graph.storage_of.push(storage);
        }
    }

    fn leaves(&mut self) {
        let flat = self.flat;
        for register in &flat.registers {
            let leaf = self.graph.new_leaf(flat.net(register.net).width, flat.net(register.net).path.clone());
            self.graph.register_leaf.push(leaf);
        }
        for (index, net) in flat.nets.iter().enumerate() {
            if net.driver == FlatDriver::Input {
                let leaf = self.graph.new_leaf(net.width, net.path.clone());
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
                    let name = || format!("{}.read{p}", flat.memories[m].path);
                    let leaf = *known.entry(key).or_insert_with(|| self.graph.new_leaf(width, name()));
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
                    row: None,
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
            let first = self.graph.storage_of.iter().position(|&of| of == storage).unwrap_or_default();
            let leaf = self.graph.new_leaf(64, format!("{}.writes", self.flat.memories[first].path));
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
        assert_eq!(self.graph.limbs(id), limbs(self.lowered.exprs[e.0 as usize].width));
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
