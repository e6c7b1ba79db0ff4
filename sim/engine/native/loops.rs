//! Code for nodes with lanes: a loop over all lanes, in which nodes that follow each other are computed together, so
//! that what only they need stays in registers.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData as MemFlags, Value, types};

use super::scalar::ones;
use super::translate::Translator;
use super::vectors::kind;
use crate::graph::{Graph, Id, Op};

/// Lanes of a turn.
const TURN: u32 = 16;

/// How many lanes a node has, if a loop can compute it.
pub(crate) fn lanes(g: &Graph, id: Id) -> Option<u32> {
    let node = g.node(id);
    if let Some((_, bits)) = broadcast(g, id) {
        return Some(node.width / bits);
    }
    let Op::Each { op, of, to, .. } = &node.op else { return None };
    let (of, to) = (*of, *to);
    let possible = match **op {
        Op::And | Op::Or | Op::Xor | Op::AndNot | Op::Add | Op::Sub | Op::Build(_) | Op::Sext(_) => of == to,
        Op::Mul(None) => matches!((of, to), (32, 32) | (32, 64) | (64, 64)),
        Op::Eq | Op::Ne | Op::Lt(_) | Op::Le(_) => of == to || to == 8,
        Op::Mux | Op::Choose { .. } => of == to || of == 8,
        Op::Bits(_) => true,
        Op::Shl | Op::Shr => of == to && of > 8 && alike(g, node.args[1]),
        _ => false,
    };
    possible.then(|| node.width / to)
}

/// The value that all lanes of a node take, and the bits that a lane is kept in.
fn broadcast(g: &Graph, id: Id) -> Option<(Id, u32)> {
    let node = g.node(id);
    match &node.op {
        Op::Gather { bits, from } if node.args.len() == 1 && g.limbs(node.args[0]) == 1 => {
            from.iter().all(|&(_, lane)| lane == 0).then_some((node.args[0], *bits))
        }
        _ => None,
    }
}

/// Whether all lanes take the same value.
fn alike(g: &Graph, id: Id) -> bool {
    broadcast(g, id).is_some()
}

/// The nodes of a loop.
struct Body<'a> {
    g: &'a Graph,
    /// Bytes before the lanes of this turn, for lanes in 8, 32 and 64 bits.
    offsets: [Value; 3],
    /// Values that all lanes take, found before the loop; amounts of shifts are among them.
    shared: HashMap<Id, Value>,
    /// Nodes of the loop: their numbers.
    members: HashMap<Id, usize>,
    /// Vectors of this turn.
    known: HashMap<(Id, u32), Value>,
}

impl Translator<'_, '_> {
    /// A loop for nodes with as many lanes.
    pub(super) fn lanes(&mut self, ids: &[Id]) {
        let g = self.edge.g;
        let count = lanes(g, ids[0]).expect("nodes of a loop have lanes");
        let mut shared = HashMap::new();
        for &id in ids {
            if let Some((value, _)) = broadcast(g, id) {
                shared.insert(id, self.full(value));
            }
        }
        // Amounts that were found earlier: a turn may leave something else in their place for the turns behind it.
        for &id in ids {
            if let Op::Each { op, of, .. } = &g.node(id).op
                && matches!(**op, Op::Shl | Op::Shr)
                && let amount = g.node(id).args[1]
                && !shared.contains_key(&amount)
            {
                let word = self.load(types::I64, self.slot(amount));
                shared.insert(amount, self.cut(word, *of));
            }
        }
        let turns = count.div_ceil(TURN);
        let (head, end) = (self.b.create_block(), self.b.create_block());
        let turn = self.b.append_block_param(head, types::I64);
        let zero = self.number(0);
        self.b.ins().jump(head, &[zero.into()]);
        self.b.switch_to_block(head);
        let offsets = [8, 32, 64].map(|bits: i64| self.b.ins().imul_imm_s(turn, bits / 8 * i64::from(TURN)));
        let members = ids.iter().enumerate().map(|(number, &id)| (id, number)).collect();
        let mut body = Body { g, offsets, shared, members, known: HashMap::new() };
        for (number, &id) in ids.iter().enumerate().filter(|(_, id)| self.stored[id.0 as usize]) {
            // Whatever still needs what is there now.
            let slot = self.slot(id);
            for &other in &ids[..number] {
                if g.node(other).args.iter().any(|&a| g.limbs(a) > 1 && self.slot(a) == slot) {
                    self.vectors(&mut body, other);
                }
            }
            let (bits, vectors) = self.vectors(&mut body, id);
            for (value, i) in vectors.into_iter().zip(0..) {
                let address = self.place(&body, id, bits);
                self.b.ins().store(MemFlags::new().with_notrap(), value, address, 16 * i);
            }
        }
        let next = self.b.ins().iadd_imm_s(turn, 1);
        let more = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, next, i64::from(turns));
        self.b.ins().brif(more, head, &[next.into()], end, &[]);
        self.b.seal_block(head);
        self.b.switch_to_block(end);
        self.b.seal_block(end);
    }

    /// All vectors of a node in this turn.
    fn vectors(&mut self, body: &mut Body, id: Id) -> (u32, Vec<Value>) {
        let bits = match body.g.node(id).op {
            Op::Each { to, .. } => to,
            Op::Gather { bits, .. } => bits,
            _ => unreachable!("a loop has nodes with lanes"),
        };
        (bits, (0..bits / 8).map(|i| self.vector(body, id, bits, i)).collect())
    }

    /// The address of a value's lanes.
    fn place(&mut self, body: &Body, id: Id, bits: u32) -> Value {
        let offset = body.offsets[match bits {
            8 => 0,
            32 => 1,
            _ => 2,
        }];
        let first = self.address(self.slot(id));
        self.b.ins().iadd(first, offset)
    }

    /// A vector of a value whose lanes are kept in so many bits.
    fn vector(&mut self, body: &mut Body, id: Id, bits: u32, i: u32) -> Value {
        if let Some(&value) = body.known.get(&(id, i)) {
            return value;
        }
        let value = match (&body.g.node(id).op, body.members.contains_key(&id)) {
            (Op::Each { .. }, true) => self.each(body, id, i),
            (Op::Gather { .. }, true) => {
                let shared = self.narrowed(body.shared[&id], bits);
                self.b.ins().splat(kind(bits), shared)
            }
            (Op::Const(value), _) if uniform(value, bits) => self.same(bits, value[0] & ones(bits)),
            _ => {
                let address = self.place(body, id, bits);
                self.b.ins().load(kind(bits), MemFlags::new().with_notrap(), address, 16 * i as i32)
            }
        };
        body.known.insert((id, i), value);
        value
    }

    /// A vector of a node of the loop.
    fn each(&mut self, body: &mut Body, id: Id, i: u32) -> Value {
        let node = body.g.node(id);
        let Op::Each { op, width, of, to } = &node.op else { unreachable!("a node with lanes") };
        let (args, width, of, to) = (&node.args[..], *width, *of, *to);
        match **op {
            Op::And | Op::Or | Op::Xor | Op::AndNot | Op::Add | Op::Sub => {
                let (a, b) = (self.vector(body, args[0], of, i), self.vector(body, args[1], of, i));
                let value = match **op {
                    Op::And => return self.b.ins().band(a, b),
                    Op::Or => return self.b.ins().bor(a, b),
                    Op::Xor => return self.b.ins().bxor(a, b),
                    Op::AndNot => return self.b.ins().band_not(a, b),
                    Op::Add => self.b.ins().iadd(a, b),
                    _ => self.b.ins().isub(a, b),
                };
                self.masked(value, to, width)
            }
            Op::Mul(_) => {
                let mut operand = |t: &mut Self, arg: Id| t.resized(of, to, i, &mut |t, k| t.vector(body, arg, of, k));
                let (a, b) = (operand(self, args[0]), operand(self, args[1]));
                let value = self.b.ins().imul(a, b);
                self.masked(value, to, width)
            }
            Op::Eq | Op::Ne | Op::Lt(_) | Op::Le(_) => {
                let holds = self.truth(of, to, i, &mut |t, k| {
                    let (a, b) = (t.vector(body, args[0], of, k), t.vector(body, args[1], of, k));
                    match **op {
                        Op::Eq => t.b.ins().icmp(IntCC::Equal, a, b),
                        Op::Ne => t.b.ins().icmp(IntCC::NotEqual, a, b),
                        Op::Lt(sign) => t.below(of, sign, false, a, b),
                        Op::Le(sign) => t.below(of, sign, true, a, b),
                        _ => unreachable!("a comparison"),
                    }
                });
                self.masked(holds, to, 1)
            }
            Op::Mux => {
                let zero = self.same(of, 0);
                let mask = self.truth(of, to, i, &mut |t, k| {
                    let condition = t.vector(body, args[0], of, k);
                    t.b.ins().icmp(IntCC::NotEqual, condition, zero)
                });
                let (a, b) = (self.vector(body, args[1], to, i), self.vector(body, args[2], to, i));
                self.b.ins().bitselect(mask, a, b)
            }
            Op::Choose { low, width: field, ref numbers } => {
                let mut value = self.vector(body, args[1], to, i);
                for (number, &arg) in args.iter().enumerate().skip(2) {
                    let Some(own) = numbers.iter().position(|&n| usize::from(n) == number) else { continue };
                    let own = self.same(of, own as u64);
                    let mask = self.truth(of, to, i, &mut |t, k| {
                        let selector = t.vector(body, args[0], of, k);
                        let selector = t.field(selector, of, low, field);
                        t.b.ins().icmp(IntCC::Equal, selector, own)
                    });
                    let other = self.vector(body, arg, to, i);
                    value = self.b.ins().bitselect(mask, other, value);
                }
                value
            }
            Op::Bits(low) => {
                // Numbers are cut before they get less room, and after they got more.
                let cut = to < of;
                let value = self.resized(of, to, i, &mut |t, k| {
                    let value = t.vector(body, args[0], of, k);
                    if cut { t.field(value, of, low, width) } else { value }
                });
                if cut { value } else { self.field(value, to, low, width) }
            }
            Op::Sext(old) => {
                // A sign bit is extended by turning it into a borrow.
                let (value, sign) = (self.vector(body, args[0], of, i), self.same(of, 1 << (old - 1)));
                let turned = self.b.ins().bxor(value, sign);
                let value = self.b.ins().isub(turned, sign);
                self.masked(value, to, width)
            }
            Op::Shl | Op::Shr => {
                let (amount, value) = (body.shared[&args[1]], self.vector(body, args[0], of, i));
                let shift = |t: &mut Self| match **op {
                    Op::Shl => t.b.ins().ishl(value, amount),
                    _ => t.b.ins().ushr(value, amount),
                };
                let moved = shift(self);
                // Amounts count modulo the bits of a lane.
                let limit = self.number(of.into());
                let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, amount, limit);
                let inside = self.b.ins().uextend(types::I64, inside);
                let inside = self.b.ins().ineg(inside);
                let inside = self.b.ins().splat(types::I64X2, inside);
                let inside = self.as_kind(inside, kind(to));
                let value = self.b.ins().band(moved, inside);
                self.masked(value, to, width)
            }
            Op::Build(ref parts) => {
                let mut value = self.vector(body, args[0], of, i);
                for (&(low, width), &part) in parts.iter().zip(&args[1..]) {
                    let part = self.vector(body, part, of, i);
                    let part = self.masked(part, of, width);
                    let field = self.same(of, ones(width) << low);
                    let part = match low {
                        0 => part,
                        _ if of == 8 => {
                            let pairs = self.as_kind(part, types::I16X8);
                            let by = self.b.ins().iconst(types::I32, i64::from(low));
                            let pairs = self.b.ins().ishl(pairs, by);
                            let bytes = self.as_kind(pairs, types::I8X16);
                            self.b.ins().band(bytes, field)
                        }
                        _ => {
                            let by = self.b.ins().iconst(types::I32, i64::from(low));
                            self.b.ins().ishl(part, by)
                        }
                    };
                    value = self.b.ins().bitselect(field, part, value);
                }
                value
            }
            _ => unreachable!("loops have no such nodes"),
        }
    }
}

/// Whether all lanes of a constant are the same.
fn uniform(value: &[u64], bits: u32) -> bool {
    let first = value[0] & ones(bits);
    let word = (0..64 / bits).fold(0, |word, k| word | first << (k * bits));
    value.iter().all(|&limb| limb == word)
}
