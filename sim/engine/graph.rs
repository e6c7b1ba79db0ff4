//! The graph that code is made from. Values are bit patterns in 64-bit limbs, zero above their width; signs live in the
//! operations. Equal nodes are one, and every node comes after its operands.

use std::collections::HashMap;

use num_bigint::BigUint;

use crate::kernel::netlist::NetId;

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
    /// One of the operands after the first, as a field of the first says: the operand's number for each value of the
    /// field.
    Choose {
        low: u32,
        width: u32,
        numbers: Vec<u8>,
    },
    /// Word of a memory: address, and the count of writes if there are any.
    Word(usize),
    /// AND over selected words of a memory.
    AllOf(usize),
    /// NOR over selected words of a memory.
    NoneOf(usize),
    /// A node of one limb, for each lane of its operands.
    Each {
        op: Box<Op>,
        /// Bits of a lane.
        width: u32,
        /// Bits that a lane of the first operand is kept in. The others are as the result, except where all are as the
        /// first.
        of: u32,
        /// Bits that a lane is kept in.
        to: u32,
    },
    /// Lanes from anywhere, all of them kept in so many bits: operand and lane of each.
    Gather {
        bits: u32,
        from: Vec<(u32, u32)>,
    },
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
    /// Not 0 if any store of a row is enabled, this one among them.
    pub row: Option<Id>,
}

/// A memory as it is stored: equal ones once.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    /// Path of the first of them.
    pub name: String,
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
    /// Paths of leaves; empty where they have none.
    pub names: Vec<String>,
    /// The first leaf with lanes.
    pub rows: Option<Leaf>,
    /// Leaves that are lanes of others: which, and which lane.
    pub parts: Vec<Option<(Leaf, u32)>>,
    /// Bits that each lane of a leaf is kept in; 0 for leaves without lanes.
    pub lane_bits: Vec<u32>,
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

/// The constant that is 1 in every bit.
pub(super) fn all_ones(width: u32) -> Vec<u64> {
    let mut ones = vec![u64::MAX; limbs(width)];
    if !width.is_multiple_of(64) {
        *ones.last_mut().expect("widths are at least 1") = (1 << (width % 64)) - 1;
    }
    ones
}

impl Graph {
    pub fn empty() -> Graph {
        Graph {
            nodes: vec![],
            leaves: vec![],
            names: vec![],
            rows: None,
            parts: vec![],
            lane_bits: vec![],
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

    /// The same leaves and memories without nodes, and without what clock edges do.
    pub fn emptied(&self) -> Graph {
        Graph {
            leaves: self.leaves.clone(),
            names: self.names.clone(),
            parts: self.parts.clone(),
            lane_bits: self.lane_bits.clone(),
            storages: self.storages.clone(),
            storage_of: self.storage_of.clone(),
            register_leaf: self.register_leaf.clone(),
            input_leaf: self.input_leaf.clone(),
            ..Graph::empty()
        }
    }

    /// Whether a leaf has lanes.
    pub fn is_row(&self, leaf: Leaf) -> bool {
        // Rows come after all other leaves.
        self.rows.is_some_and(|first| leaf >= first)
    }

    /// The row that a leaf is a lane of, and where its bits are there.
    pub fn bits_in_row(&self, leaf: Leaf) -> Option<(Leaf, u32)> {
        self.parts[leaf.0 as usize].map(|(row, lane)| (row, lane * self.lane_bits[row.0 as usize]))
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
        let stores = self.stores.iter().flat_map(|s| [Some(s.enable), Some(s.address), Some(s.data), s.mask, s.row]);
        self.updates.iter().map(|u| u.next).chain(stores.flatten()).chain(self.watched.iter().copied()).collect()
    }

    pub fn is_zero(&self, id: Id) -> bool {
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

    pub fn constant(&mut self, value: Vec<u64>, width: u32) -> Id {
        self.push(Op::Const(value), vec![], width)
    }

    pub fn zero(&mut self, width: u32) -> Id {
        self.constant(vec![0; limbs(width)], width)
    }

    pub fn leaf(&mut self, leaf: Leaf) -> Id {
        self.push(Op::Leaf(leaf), vec![], self.leaves[leaf.0 as usize])
    }

    pub fn new_leaf(&mut self, width: u32, name: String) -> Leaf {
        self.leaves.push(width);
        self.names.push(name);
        self.parts.push(None);
        self.lane_bits.push(0);
        Leaf(self.leaves.len() as u32 - 1)
    }

    pub fn not(&mut self, a: Id, width: u32) -> Id {
        let ones = self.constant(all_ones(width), width);
        self.xor(a, ones, width)
    }

    /// The operand of a complement.
    fn complemented(&self, id: Id, width: u32) -> Option<Id> {
        let node = self.node(id);
        (node.op == Op::Xor && self.constant_of(node.args[1]) == Some(&all_ones(width))).then(|| node.args[0])
    }

    pub fn xor(&mut self, a: Id, b: Id, width: u32) -> Id {
        // Constants come second.
        let (a, b) = if self.constant_of(a).is_some() { (b, a) } else { (a, b) };
        self.push(Op::Xor, vec![a, b], width)
    }

    pub fn and(&mut self, a: Id, b: Id, width: u32) -> Id {
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

    pub fn bits(&mut self, a: Id, low: u32, width: u32) -> Id {
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

    pub fn extend(&mut self, a: Id, width: u32) -> Id {
        if self.limbs(a) == limbs(width) { a } else { self.push(Op::Zext, vec![a], width) }
    }

    pub fn mux(&mut self, c: Id, a: Id, b: Id, width: u32) -> Id {
        if a == b {
            return a;
        }
        if let Some(c) = self.complemented(c, 1) {
            return self.mux(c, b, a, width);
        }
        self.push(Op::Mux, vec![c, a, b], width)
    }

    /// One limb that is the value, or too much for any width.
    pub fn amount(&mut self, a: Id) -> Id {
        if self.limbs(a) == 1 { a } else { self.push(Op::Clamp, vec![a], 64) }
    }

    /// A memory address in one limb.
    pub fn address(&mut self, a: Id, storage: usize) -> Id {
        match self.storages[storage].depth.is_power_of_two() {
            true if self.limbs(a) > 1 => self.bits(a, 0, 64),
            true => a,
            false => self.amount(a),
        }
    }
}
