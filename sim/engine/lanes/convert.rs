//! From a graph of single limbs to one with lanes.

use std::collections::{HashMap, HashSet};

use super::super::graph::{Graph, Id, Leaf, Node, Op, Update, limbs};
use super::rows::kind;

/// Makes the graph that has these rows. Fewer lanes than `fewest` are not worth an operation of their own.
pub(super) fn convert(g: &Graph, rows: &[Vec<Leaf>], fewest: usize) -> Graph {
    let mut new = g.emptied();
    let wholes: Vec<Leaf> = rows
        .iter()
        .map(|row| {
            let whole = new.new_leaf(64 * row.len() as u32, String::new());
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
    };
    for (row, &leaf) in rows.iter().zip(&wholes) {
        let Some(ids) = row.iter().map(|leaf| next.get(leaf).copied()).collect::<Option<Vec<Id>>>() else { continue };
        let next = c.wide(&ids);
        c.new.updates.push(Update { leaf, next });
    }
    for update in g.updates.iter().filter(|u| c.new.parts[u.leaf.0 as usize].is_none()).collect::<Vec<_>>() {
        let next = c.scalar(update.next);
        c.new.updates.push(Update { leaf: update.leaf, next });
    }
    for store in &g.stores {
        let mut store = *store;
        (store.enable, store.address, store.data) =
            (c.scalar(store.enable), c.scalar(store.address), c.scalar(store.data));
        store.mask = store.mask.map(|mask| c.scalar(mask));
        c.new.stores.push(store);
    }
    c.new.watched = g.watched.iter().map(|&id| c.scalar(id)).collect();
    c.new
}

struct Convert<'a> {
    old: &'a Graph,
    new: Graph,
    fewest: usize,
    /// New node of each node for itself.
    scalars: HashMap<Id, Id>,
    /// New node of nodes side by side.
    tuples: HashMap<Vec<Id>, Id>,
    /// New node and lane of nodes that were computed side by side.
    member: HashMap<Id, (Id, u32)>,
    /// Nodes whose operands are being converted.
    active: HashSet<Id>,
}

impl Convert<'_> {
    /// A node for itself.
    fn scalar(&mut self, id: Id) -> Id {
        if let Some(&new) = self.scalars.get(&id) {
            return new;
        }
        let Node { op, args, width } = self.old.node(id).clone();
        let new = match self.lane(id) {
            Some((wide, lane)) => self.new.push(Op::Bits(64 * lane), vec![wide], width),
            None => {
                let args = args.into_iter().map(|a| self.scalar(a)).collect();
                self.new.push(op, args, width)
            }
        };
        self.scalars.insert(id, new);
        new
    }

    /// The node and lane where a value is.
    fn lane(&mut self, id: Id) -> Option<(Id, u32)> {
        match self.old.node(id).op {
            Op::Leaf(leaf) => self.new.parts[leaf.0 as usize].map(|(whole, lane)| (self.new.leaf(whole), lane)),
            _ => self.member.get(&id).copied(),
        }
    }

    /// Nodes side by side, also if they are all the same.
    fn wide(&mut self, ids: &[Id]) -> Id {
        let new = self.tuple(ids);
        self.filled(new, ids.len())
    }

    /// A value in all lanes.
    fn filled(&mut self, id: Id, lanes: usize) -> Id {
        if self.new.limbs(id) > 1 {
            return id;
        }
        match self.new.constant_of(id) {
            Some(value) => {
                let value = vec![value[0]; lanes];
                self.new.constant(value, 64 * lanes as u32)
            }
            None => self.new.push(Op::Gather(vec![(0, 0); lanes]), vec![id], 64 * lanes as u32),
        }
    }

    /// Nodes of one limb side by side; one limb if they are all the same.
    fn tuple(&mut self, ids: &[Id]) -> Id {
        if ids.iter().all(|&id| id == ids[0]) {
            return self.scalar(ids[0]);
        }
        if let Some(&new) = self.tuples.get(ids) {
            return new;
        }
        let new = self.make(ids);
        self.tuples.insert(ids.to_vec(), new);
        new
    }

    fn make(&mut self, ids: &[Id]) -> Id {
        let constants: Option<Vec<u64>> =
            ids.iter().map(|&id| self.old.constant_of(id).map(|value| value[0])).collect();
        if let Some(value) = constants {
            return self.new.constant(value, 64 * ids.len() as u32);
        }
        let mut lanes: Vec<Option<(Id, u32)>> = ids.iter().map(|&id| self.lane(id)).collect();
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
                let wide = self.tuple(&part);
                let one = self.new.limbs(wide) == 1;
                class.iter().zip(0..).for_each(|(&at, lane)| lanes[at] = Some((wide, if one { 0 } else { lane })));
            } else {
                class.iter().for_each(|&at| lanes[at] = Some((self.scalar(ids[at]), 0)));
            }
        }
        self.gather(&lanes.into_iter().flatten().collect::<Vec<_>>())
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
    fn each(&mut self, ids: &[Id]) -> Id {
        let Node { op, args, width } = self.old.node(ids[0]).clone();
        let lanes = ids.len() as u32;
        let either = match op {
            Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul(None) | Op::Eq | Op::Ne => true,
            Op::Mul(Some((i, j))) => i == j,
            _ => false,
        };
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
        self.active.extend(ids);
        let mut new: Vec<Id> = (0..args.len())
            .map(|k| {
                let column: Vec<Id> = columns.iter().map(|own| own[k]).collect();
                self.tuple(&column)
            })
            .collect();
        ids.iter().for_each(|id| _ = self.active.remove(id));
        if new.iter().all(|&id| self.new.limbs(id) == 1) {
            return self.scalar(ids[0]);
        }
        let wide = if op == Op::Mux && self.new.limbs(new[0]) == 1 {
            new[1..].iter_mut().for_each(|id| *id = self.filled(*id, ids.len()));
            self.new.mux(new[0], new[1], new[2], 64 * lanes)
        } else {
            let (op, new) = self.bit(op, new);
            self.new.push(Op::Each { op: Box::new(op), width, from }, new, 64 * lanes)
        };
        for (&id, lane) in ids.iter().zip(0..) {
            self.member.entry(id).or_insert((wide, lane));
        }
        wide
    }

    /// Whether one bit, which a mask leaves, is 1: that is a field.
    fn bit(&self, op: Op, args: Vec<Id>) -> (Op, Vec<Id>) {
        let mask = |id: Id| match &self.new.node(id).op {
            Op::Each { op, .. } if **op == Op::And => self.new.constant_of(self.new.node(id).args[1]),
            _ => None,
        };
        match (&op, &args[..], args.first().and_then(|&a| mask(a))) {
            (Op::Ne, &[a, zero], Some(&[mask])) if self.new.is_zero(zero) && mask.is_power_of_two() => {
                (Op::Bits(mask.trailing_zeros()), vec![self.new.node(a).args[0]])
            }
            _ => (op, args),
        }
    }

    /// Lanes from these nodes and limbs.
    fn gather(&mut self, from: &[(Id, u32)]) -> Id {
        let whole = from.iter().zip(0..).all(|(&(id, limb), lane)| id == from[0].0 && limb == lane);
        if whole && self.new.limbs(from[0].0) == from.len() {
            return from[0].0;
        }
        let (mut args, mut numbers) = (Vec::new(), HashMap::new());
        let lanes = from.iter().map(|&(id, limb)| {
            let number = *numbers.entry(id).or_insert_with(|| {
                args.push(id);
                args.len() as u32 - 1
            });
            (number, limb)
        });
        let lanes = lanes.collect();
        self.new.push(Op::Gather(lanes), args, 64 * from.len() as u32)
    }
}
