//! From a graph of single limbs to one with lanes.

use std::collections::{HashMap, HashSet};

use super::super::graph::{Graph, Id, Leaf, Node, Op, Store, Update, limbs};
use super::choice::choice;
use super::each::OPERANDS;
use super::element::element_bits;
use super::rows::kind;

/// Makes the graph that has these rows. Fewer lanes than `fewest` are not worth an operation of their own.
pub(super) fn convert(g: &Graph, rows: &[Vec<Leaf>], stores: &[Vec<usize>], fewest: usize) -> Graph {
    let mut new = g.emptied();
    let wholes: Vec<Leaf> = rows
        .iter()
        .map(|row| {
            let bits = element_bits(g.leaves[row[0].0 as usize], row.len());
            let whole = new.new_leaf(bits * row.len() as u32, String::new());
            new.lane_bits[whole.0 as usize] = bits;
            row.iter().zip(0..).for_each(|(leaf, lane)| new.parts[leaf.0 as usize] = Some((whole, lane)));
            whole
        })
        .collect();
    new.rows = wholes.first().copied();
    let next: HashMap<Leaf, Id> = g.updates.iter().map(|u| (u.leaf, u.next)).collect();
    let mut c = Convert {
        old: g,
        new,
        fewest,
        scalars: HashMap::new(),
        tuples: HashMap::new(),
        member: HashMap::new(),
        active: HashSet::new(),
        halves: HashMap::new(),
    };
    for (row, &leaf) in rows.iter().zip(&wholes) {
        let Some(ids) = row.iter().map(|leaf| next.get(leaf).copied()).collect::<Option<Vec<Id>>>() else { continue };
        let next = c.tuple(&ids);
        let next = c.fitted(next, ids.len(), c.new.lane_bits[leaf.0 as usize]);
        c.new.updates.push(Update { leaf, next });
    }
    for update in g.updates.iter().filter(|u| c.new.parts[u.leaf.0 as usize].is_none()).collect::<Vec<_>>() {
        let next = c.scalar(update.next);
        c.new.updates.push(Update { leaf: update.leaf, next });
    }
    // What goes into memories of a row is computed side by side where it can be, and taken from there one by one.
    let mut any = vec![None; g.stores.len()];
    for row in stores {
        let [enable, _, _] = [|s: &Store| s.enable, |s: &Store| s.address, |s: &Store| s.data].map(|of| {
            let ids: Vec<Id> = row.iter().map(|&store| of(&g.stores[store])).collect();
            ids.iter().all(|&id| g.limbs(id) == 1).then(|| c.tuple(&ids))
        });
        let Some(enable) = enable else { continue };
        let one = match enable {
            Side::Same(id) => id,
            Side::Lanes(all, _) => {
                let zero = c.new.zero(c.new.node(all).width);
                c.new.push(Op::Ne, vec![all, zero], 1)
            }
        };
        row.iter().for_each(|&store| any[store] = Some(one));
    }
    for (store, row) in g.stores.iter().zip(any) {
        let mut store = Store { row, ..*store };
        (store.enable, store.address, store.data) =
            (c.scalar(store.enable), c.scalar(store.address), c.scalar(store.data));
        store.mask = store.mask.map(|mask| c.scalar(mask));
        c.new.stores.push(store);
    }
    c.new.watched = g.watched.iter().map(|&id| c.scalar(id)).collect();
    c.new
}

/// A new node that stands for nodes side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    /// It is the same for all of them.
    Same(Id),
    /// It has lanes, and each is kept in so many bits.
    Lanes(Id, u32),
}

pub(super) struct Convert<'a> {
    old: &'a Graph,
    pub new: Graph,
    fewest: usize,
    /// New node of each node for itself.
    scalars: HashMap<Id, Id>,
    /// New node of nodes side by side.
    tuples: HashMap<Vec<Id>, Side>,
    /// New node with lanes, and the lane, of nodes that were computed side by side.
    member: HashMap<Id, (Side, u32)>,
    /// Nodes whose operands are being converted.
    active: HashSet<Id>,
    /// The lower halves of new nodes, where they can be had.
    pub halves: HashMap<Id, Option<Id>>,
}

impl Convert<'_> {
    /// A node for itself.
    fn scalar(&mut self, id: Id) -> Id {
        if let Some(&new) = self.scalars.get(&id) {
            return new;
        }
        let Node { op, args, width } = self.old.node(id).clone();
        let new = match self.lane(id) {
            Some((Side::Lanes(all, bits), lane)) => self.new.push(Op::Bits(bits * lane), vec![all], width),
            _ => {
                let args = args.into_iter().map(|a| self.scalar(a)).collect();
                self.new.push(op, args, width)
            }
        };
        self.scalars.insert(id, new);
        new
    }

    /// Where a value is among lanes.
    fn lane(&mut self, id: Id) -> Option<(Side, u32)> {
        match self.old.node(id).op {
            Op::Leaf(leaf) => self.new.parts[leaf.0 as usize].map(|(whole, lane)| {
                let bits = self.new.lane_bits[whole.0 as usize];
                (Side::Lanes(self.new.leaf(whole), bits), lane)
            }),
            _ => self.member.get(&id).copied(),
        }
    }

    /// Nodes of one limb side by side.
    fn tuple(&mut self, ids: &[Id]) -> Side {
        if ids.iter().all(|&id| id == ids[0]) {
            return Side::Same(self.scalar(ids[0]));
        }
        if let Some(&new) = self.tuples.get(ids) {
            return new;
        }
        let new = self.make(ids);
        self.tuples.insert(ids.to_vec(), new);
        new
    }

    fn make(&mut self, ids: &[Id]) -> Side {
        let width = ids.iter().map(|&id| self.old.node(id).width).max().unwrap_or(1);
        let bits = element_bits(width, ids.len());
        let constants: Option<Vec<u64>> =
            ids.iter().map(|&id| self.old.constant_of(id).map(|value| value[0])).collect();
        if let Some(values) = constants {
            return Side::Lanes(self.constant(&values, bits), bits);
        }
        let mut lanes: Vec<Option<(Side, u32)>> = ids.iter().map(|&id| self.lane(id)).collect();
        let active = |c: &Self, ids: &[Id]| ids.iter().any(|id| c.active.contains(id));
        if lanes.iter().all(Option::is_none) && ids.iter().all(|&id| self.same(id, ids[0])) && !active(self, ids) {
            return self.each(ids);
        }
        // What is alike among the rest is computed side by side, the remainder one by one.
        let mut classes: Vec<Vec<usize>> = vec![];
        for at in (0..ids.len()).filter(|&at| lanes[at].is_none()) {
            match classes.iter_mut().find(|class| self.same(ids[class[0]], ids[at])) {
                Some(class) => class.push(at),
                None => classes.push(vec![at]),
            }
        }
        for class in classes {
            let part: Vec<Id> = class.iter().map(|&at| ids[at]).collect();
            if part.len() >= self.fewest && part.len() < ids.len() && !active(self, &part) {
                let side = self.tuple(&part);
                class.iter().zip(0..).for_each(|(&at, lane)| lanes[at] = Some((side, lane)));
            } else {
                class.iter().for_each(|&at| lanes[at] = Some((Side::Same(self.scalar(ids[at])), 0)));
            }
        }
        self.gather(&lanes.into_iter().flatten().collect::<Vec<_>>(), bits)
    }

    /// Whether two nodes do the same with their operands, which are single limbs.
    fn same(&self, a: Id, b: Id) -> bool {
        let (x, y) = (self.old.node(a), self.old.node(b));
        let logic = matches!(x.op, Op::And | Op::Or | Op::Xor | Op::AndNot | Op::Mux | Op::Parity);
        let sums = matches!(x.op, Op::Add | Op::Sub | Op::Mul(_) | Op::Eq | Op::Ne | Op::Lt(_) | Op::Le(_));
        let fields = matches!(x.op, Op::Bits(_) | Op::Select | Op::SetBit | Op::Build(_) | Op::Zext | Op::Sext(_));
        let known = logic || sums || fields || matches!(x.op, Op::Shl | Op::Shr);
        let single = |node: &Node| limbs(node.width) == 1 && node.args.iter().all(|&a| self.old.limbs(a) == 1);
        known && x.op == y.op && x.width == y.width && x.args.len() == y.args.len() && single(x) && single(y)
    }

    /// What two operands have in common if they stand in the same place of two lanes.
    fn class(&self, id: Id) -> (u64, u32, Option<Leaf>) {
        let node = self.old.node(id);
        let whole = match node.op {
            Op::Leaf(leaf) => self.new.parts[leaf.0 as usize].map_or(Some(leaf), |(whole, _)| Some(whole)),
            _ => None,
        };
        (kind(&node.op), node.width, whole)
    }

    /// Nodes that do the same.
    fn each(&mut self, ids: &[Id]) -> Side {
        let Node { op, args, width } = self.old.node(ids[0]).clone();
        let either = match op {
            Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul(None) | Op::Eq | Op::Ne => true,
            Op::Mul(Some((i, j))) => i == j,
            _ => false,
        };
        if op == Op::Mux
            && let Some(side) = self.choice(ids)
        {
            return side;
        }
        let classes: Vec<_> = args.iter().map(|&a| self.class(a)).collect();
        let operands = |this: &Self, id: Id| {
            let mut own = this.old.node(id).args.clone();
            // Operands in the other order.
            let swapped = |c: &Self| c.class(own[0]) == classes[1] && c.class(own[1]) == classes[0];
            if either && this.class(own[0]) != classes[0] && swapped(this) {
                own.swap(0, 1);
            }
            own
        };
        let columns: Vec<Vec<Id>> = ids.iter().map(|&id| operands(self, id)).collect();
        let from = columns.iter().flatten().map(|&a| self.old.node(a).width).max().unwrap_or(width);
        let new = self.columns(ids, &columns);
        if new.iter().all(|side| matches!(side, Side::Same(_))) {
            return Side::Same(self.scalar(ids[0]));
        }
        let side = self.computed(op, new, ids.len(), width, from);
        self.remember(ids, side);
        side
    }

    /// Operands of nodes, those in the same place side by side.
    fn columns(&mut self, ids: &[Id], operands: &[Vec<Id>]) -> Vec<Side> {
        self.active.extend(ids);
        let new = (0..operands[0].len())
            .map(|k| {
                let column: Vec<Id> = operands.iter().map(|own| own[k]).collect();
                self.tuple(&column)
            })
            .collect();
        ids.iter().for_each(|id| _ = self.active.remove(id));
        new
    }

    fn remember(&mut self, ids: &[Id], side: Side) {
        for (&id, lane) in ids.iter().zip(0..) {
            self.member.entry(id).or_insert((side, lane));
        }
    }

    /// Chains of multiplexers, if a field of a narrow value with lanes chooses among few.
    fn choice(&mut self, ids: &[Id]) -> Option<Side> {
        let (op, args) = choice(self.old, ids[0].0 as usize)?;
        let Op::Choose { low, width, mut numbers } = op.clone() else { return None };
        let bits = element_bits(self.old.node(ids[0]).width, ids.len());
        let of = element_bits(1, ids.len());
        let narrow = |c: &Self, id: Id| c.old.limbs(id) == 1 && element_bits(c.old.node(id).width, ids.len()) == of;
        if args.len() > OPERANDS || !narrow(self, args[0]) {
            return None;
        }
        let mut operands = vec![args];
        for id in &ids[1..] {
            let (other, args) = choice(self.old, id.0 as usize)?;
            (other == op && args.len() == operands[0].len() && narrow(self, args[0])).then(|| operands.push(args))?;
        }
        // What most values choose comes first; each of the others must be for one value.
        let count = |number: u8| numbers.iter().filter(|&&n| n == number).count();
        let most = (1..operands[0].len() as u8).max_by_key(|&number| count(number))?;
        if (1..operands[0].len() as u8).any(|number| number != most && count(number) != 1) {
            return None;
        }
        operands.iter_mut().for_each(|own| own.swap(1, most.into()));
        for number in &mut numbers {
            *number = if *number == most {
                1
            } else if *number == 1 {
                most
            } else {
                *number
            };
        }
        if operands.iter().all(|own| own[0] == operands[0][0]) {
            return None;
        }
        let new = self.columns(ids, &operands);
        let place = |i: usize| if i == 0 { of } else { bits };
        let args: Vec<Id> =
            new.into_iter().enumerate().map(|(i, side)| self.fitted(side, ids.len(), place(i))).collect();
        let (op, width) = (Box::new(Op::Choose { low, width, numbers }), self.old.node(ids[0]).width);
        let all = self.new.push(Op::Each { op, width, of, to: bits }, args, bits * ids.len() as u32);
        let side = Side::Lanes(all, bits);
        self.remember(ids, side);
        Some(side)
    }

    /// Lanes from these nodes and lanes.
    fn gather(&mut self, from: &[(Side, u32)], bits: u32) -> Side {
        let whole = from.iter().zip(0..).all(|(&(side, at), lane)| side == from[0].0 && at == lane);
        if whole
            && let Side::Lanes(all, own) = from[0].0
            && self.count(all, own) == from.len()
        {
            return from[0].0;
        }
        // Few lanes are kept in words, and so are those that they come among.
        let few = |side: Side| matches!(side, Side::Lanes(id, own) if element_bits(1, self.count(id, own)) == 64);
        let own = if from.iter().any(|&(side, _)| few(side)) { 64 } else { bits };
        let (mut args, mut numbers) = (Vec::new(), HashMap::new());
        let mut lanes = vec![];
        for &(side, at) in from {
            let (id, at) = match side {
                Side::Same(id) => (id, 0),
                Side::Lanes(id, old) => (self.fitted(side, self.count(id, old), own), at),
            };
            let number = *numbers.entry(id).or_insert_with(|| {
                args.push(id);
                args.len() as u32 - 1
            });
            lanes.push((number, at));
        }
        let all = self.new.push(Op::Gather { bits: own, from: lanes }, args, own * from.len() as u32);
        Side::Lanes(self.fitted(Side::Lanes(all, own), from.len(), bits), bits)
    }

    /// Lanes of a node that keeps each in so many bits.
    fn count(&self, id: Id, bits: u32) -> usize {
        (self.new.node(id).width / bits) as usize
    }
}
