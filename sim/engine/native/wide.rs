//! Code for nodes of several limbs, or with operands of several limbs. Up to [`MOST`] limbs are computed in registers,
//! two in each; larger values are in memory.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData as MemFlags, Type, Value, types};

use super::scalar::ones;
use super::stored::MOST;
use super::translate::Translator;
use crate::graph::{Id, Op};

/// Words from which on a loop is shorter than code for each of them.
const LOOP: u32 = 32;
/// Words of a turn of such a loop.
const TURN: u32 = 8;

impl<'a, 'b> Translator<'a, 'b> {
    /// A limb of a value.
    pub(crate) fn limb(&mut self, id: Id, i: u32) -> Value {
        let g = self.edge.g;
        if g.limbs(id) == 1 {
            return self.full(id);
        }
        if let Some(&value) = self.scopes.iter().rev().find_map(|scope| scope.limbs.get(&(id, i))) {
            return value;
        }
        let pair = self.scopes.iter().rev().find_map(|scope| scope.pairs.get(&(id, i / 2)).copied());
        let value = match (g.constant_of(id), pair) {
            (Some(value), _) => self.number(value[i as usize]),
            (None, Some(pair)) => self.b.ins().extractlane(pair, (i % 2) as u8),
            (None, None) => self.load(types::I64, self.slot(id) + i),
        };
        self.scope().limbs.insert((id, i), value);
        value
    }

    /// Two limbs of a value, of which there are at least as many.
    pub(crate) fn pair(&mut self, id: Id, pair: u32) -> Value {
        if let Some(&value) = self.scopes.iter().rev().find_map(|scope| scope.pairs.get(&(id, pair))) {
            return value;
        }
        let limb = |t: &Self, i: u32| t.scopes.iter().rev().find_map(|scope| scope.limbs.get(&(id, i)).copied());
        let constant = self.edge.g.constant_of(id).is_some();
        let value = match (limb(self, 2 * pair), limb(self, 2 * pair + 1)) {
            (Some(low), Some(high)) if !constant => {
                let low = self.b.ins().scalar_to_vector(types::I64X2, low);
                self.b.ins().insertlane(low, high, 1)
            }
            _ => self.load(types::I64X2, self.slot(id) + 2 * pair),
        };
        self.scope().pairs.insert((id, pair), value);
        value
    }

    /// Writes a value that has been computed in registers, if it must be in memory.
    pub(crate) fn put(&mut self, id: Id) {
        if !self.stored[id.0 as usize] {
            return;
        }
        let (count, slot) = (self.edge.g.limbs(id) as u32, self.slot(id));
        for pair in 0..count / 2 {
            let scope = self.scopes.last().expect("code is in a branch");
            match scope.pairs.get(&(id, pair)).copied() {
                Some(value) => self.store(value, slot + 2 * pair),
                None => (2 * pair..2 * pair + 2).for_each(|i| {
                    let value = self.limb(id, i);
                    self.store(value, slot + i);
                }),
            }
        }
        if count % 2 == 1 {
            let value = self.limb(id, count - 1);
            self.store(value, slot + count - 1);
        }
    }

    /// Carries something out for all of so many words: two at a time, and one if their number is odd. It gets the type
    /// and the number of bytes before them.
    pub(crate) fn over_words(&mut self, count: u32, f: &mut dyn FnMut(&mut Self, Type, Value)) {
        let mut from = 0;
        if count >= LOOP {
            let turns = count / TURN;
            let (head, end) = (self.b.create_block(), self.b.create_block());
            let at = self.b.append_block_param(head, types::I64);
            let zero = self.number(0);
            self.b.ins().jump(head, &[zero.into()]);
            self.b.switch_to_block(head);
            for pair in 0..TURN / 2 {
                let own = self.b.ins().iadd_imm_s(at, 16 * i64::from(pair));
                f(self, types::I64X2, own);
            }
            let next = self.b.ins().iadd_imm_s(at, 8 * i64::from(TURN));
            let more = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, next, 8 * i64::from(TURN * turns));
            self.b.ins().brif(more, head, &[next.into()], end, &[]);
            self.b.seal_block(head);
            self.b.switch_to_block(end);
            self.b.seal_block(end);
            from = TURN * turns;
        }
        while from + 2 <= count {
            let at = self.number(8 * u64::from(from));
            f(self, types::I64X2, at);
            from += 2;
        }
        if from < count {
            let at = self.number(8 * u64::from(from));
            f(self, types::I64, at);
        }
    }

    /// Computes such a node.
    pub(crate) fn wide(&mut self, id: Id) {
        let g = self.edge.g;
        let node = g.node(id);
        let args = &node.args[..];
        let (count, from) = (g.limbs(id) as u32, g.limbs(args[0]) as u32);
        match node.op {
            Op::And | Op::Or | Op::Xor | Op::AndNot | Op::Mux if count as usize > MOST => self.large(id),
            Op::And | Op::Or | Op::Xor | Op::AndNot | Op::Mux => self.small(id),
            Op::Eq | Op::Ne => {
                let value = self.equal(args[0], args[1], node.op == Op::Eq);
                self.keep(id, value);
            }
            Op::Lt(_) | Op::Le(_) => {
                let (a, b) = if matches!(node.op, Op::Lt(_)) { (args[0], args[1]) } else { (args[1], args[0]) };
                let less = self.less(a, b, from);
                // a ≤ b unless b < a.
                let value = match node.op {
                    Op::Lt(_) => less,
                    _ => self.b.ins().bxor_imm_s(less, 1),
                };
                self.keep(id, value);
            }
            Op::Parity => {
                let mut all = self.limb(args[0], 0);
                for i in 1..from {
                    let limb = self.limb(args[0], i);
                    all = self.b.ins().bxor(all, limb);
                }
                let ones = self.b.ins().popcnt(all);
                let value = self.b.ins().band_imm_s(ones, 1);
                self.keep(id, value);
            }
            Op::Clamp => {
                let mut high = self.limb(args[0], 1);
                for i in 2..from {
                    let limb = self.limb(args[0], i);
                    high = self.b.ins().bor(high, limb);
                }
                let (low, most) = (self.limb(args[0], 0), self.number(u64::MAX));
                let value = self.b.ins().select(high, most, low);
                self.keep(id, value);
            }
            Op::Bits(low) => {
                // Behind the last lane there may be anything.
                let old = if g.rows.is_some() { u32::MAX } else { g.node(args[0]).width };
                let (source, width) = (args[0], node.width);
                self.by_limbs(id, &mut |t, i| {
                    let (low, width) = (low + 64 * i, (width - 64 * i).min(64));
                    let value = t.limb_at(source, low, width);
                    if low + width >= old { value } else { t.cut(value, width) }
                });
            }
            Op::Zext => {
                let source = args[0];
                self.by_limbs(id, &mut |t, i| if i < from { t.limb(source, i) } else { t.number(0) });
            }
            Op::Add | Op::Sub => {
                let (a, b, subtract, width) = (args[0], args[1], node.op == Op::Sub, node.width);
                let mut carry: Option<Value> = None;
                self.by_limbs(id, &mut |t, i| {
                    let (x, y) = (t.limb(a, i), t.limb(b, i));
                    let (sum, next) = t.sum(x, y, carry, subtract);
                    carry = Some(next);
                    t.cut(sum, (width - 64 * i).min(64))
                });
            }
            Op::Build(ref parts) => {
                let width = node.width;
                self.by_limbs(id, &mut |t, i| t.built(args[0], &args[1..], parts, i, (width - 64 * i).min(64)));
            }
            _ => unreachable!("{:?} is called", node.op),
        }
    }

    /// Computes a node limb by limb.
    fn by_limbs(&mut self, id: Id, f: &mut dyn FnMut(&mut Self, u32) -> Value) {
        let count = self.edge.g.limbs(id) as u32;
        if count == 1 {
            let value = f(self, 0);
            return self.keep(id, value);
        }
        let values: Vec<Value> = (0..count)
            .map(|i| {
                let value = f(self, i);
                if count as usize > MOST {
                    self.store(value, self.slot(id) + i);
                }
                value
            })
            .collect();
        if count as usize <= MOST {
            for (value, i) in values.into_iter().zip(0..) {
                self.scope().limbs.insert((id, i), value);
            }
            self.put(id);
        }
    }

    /// Logic of values in registers.
    fn small(&mut self, id: Id) {
        let g = self.edge.g;
        let node = g.node(id);
        let count = g.limbs(id) as u32;
        let condition = (node.op == Op::Mux).then(|| self.single(node.args[0]));
        let operands = if condition.is_some() { &node.args[1..] } else { &node.args[..] };
        let (a, b) = (operands[0], operands[1]);
        let mask = condition.filter(|_| count > 1).map(|condition| {
            let word = self.widened(condition);
            let word = self.b.ins().ineg(word);
            self.b.ins().splat(types::I64X2, word)
        });
        for pair in 0..count / 2 {
            let (x, y) = (self.pair(a, pair), self.pair(b, pair));
            let value = self.logical(&node.op, mask, x, y);
            self.scope().pairs.insert((id, pair), value);
        }
        if count % 2 == 1 {
            let (x, y) = (self.limb(a, count - 1), self.limb(b, count - 1));
            let value = match condition {
                Some(condition) => self.b.ins().select(condition, x, y),
                None => self.logical(&node.op, None, x, y),
            };
            self.scope().limbs.insert((id, count - 1), value);
        }
        self.put(id);
    }

    fn logical(&mut self, op: &Op, mask: Option<Value>, x: Value, y: Value) -> Value {
        match (op, mask) {
            (Op::And, _) => self.b.ins().band(x, y),
            (Op::Or, _) => self.b.ins().bor(x, y),
            (Op::Xor, _) => self.b.ins().bxor(x, y),
            (Op::AndNot, _) => self.b.ins().band_not(x, y),
            (_, Some(mask)) => self.b.ins().bitselect(mask, x, y),
            (_, None) => unreachable!("a multiplexer has a mask"),
        }
    }

    /// Logic of values in memory.
    fn large(&mut self, id: Id) {
        let g = self.edge.g;
        let node = g.node(id);
        let flags = MemFlags::new().with_notrap();
        let to = self.address(self.slot(id));
        if node.op == Op::Mux {
            let condition = self.single(node.args[0]);
            let (a, b) = (self.address(self.slot(node.args[1])), self.address(self.slot(node.args[2])));
            let from = self.b.ins().select(condition, a, b);
            return self.copy_words(from, to, g.limbs(id) as u32);
        }
        let (a, b) = (self.address(self.slot(node.args[0])), self.address(self.slot(node.args[1])));
        self.over_words(g.limbs(id) as u32, &mut |t, kind, at| {
            let [x, y, d] = [a, b, to].map(|address| t.b.ins().iadd(address, at));
            let (x, y) = (t.b.ins().load(kind, flags, x, 0), t.b.ins().load(kind, flags, y, 0));
            let value = t.logical(&node.op, None, x, y);
            t.b.ins().store(flags, value, d, 0);
        });
    }

    /// Whether two values are equal, or differ.
    fn equal(&mut self, a: Id, b: Id, equal: bool) -> Value {
        let count = self.edge.g.limbs(a) as u32;
        let zero = self.edge.g.is_zero(b);
        let mut differ: Option<Value> = None;
        for i in 0..count {
            let mut value = self.limb(a, i);
            if !zero {
                let other = self.limb(b, i);
                value = self.b.ins().bxor(value, other);
            }
            differ = Some(match differ {
                Some(all) => self.b.ins().bor(all, value),
                None => value,
            });
        }
        let code = if equal { IntCC::Equal } else { IntCC::NotEqual };
        self.b.ins().icmp_imm_s(code, differ.expect("values have limbs"), 0)
    }

    /// Whether one value is less than another, as a byte: whether their difference borrows.
    fn less(&mut self, a: Id, b: Id, count: u32) -> Value {
        let mut less: Option<Value> = None;
        for i in 0..count {
            let (x, y) = (self.limb(a, i), self.limb(b, i));
            let below = self.b.ins().icmp(IntCC::UnsignedLessThan, x, y);
            less = Some(match less {
                Some(lower) => {
                    let same = self.b.ins().icmp(IntCC::Equal, x, y);
                    self.b.ins().select(same, lower, below)
                }
                None => below,
            });
        }
        less.expect("values have limbs")
    }

    /// A limb of a sum or difference, and what it carries or borrows.
    fn sum(&mut self, x: Value, y: Value, carry: Option<Value>, subtract: bool) -> (Value, Value) {
        let plain = if subtract { self.b.ins().isub(x, y) } else { self.b.ins().iadd(x, y) };
        let over = match subtract {
            true => self.b.ins().icmp(IntCC::UnsignedLessThan, x, y),
            false => self.b.ins().icmp(IntCC::UnsignedLessThan, plain, x),
        };
        let Some(carry) = carry else { return (plain, over) };
        let carried = self.b.ins().uextend(types::I64, carry);
        let all = if subtract { self.b.ins().isub(plain, carried) } else { self.b.ins().iadd(plain, carried) };
        let more = match subtract {
            true => self.b.ins().icmp(IntCC::UnsignedLessThan, plain, carried),
            false => self.b.ins().icmp(IntCC::UnsignedLessThan, all, plain),
        };
        (all, self.b.ins().bor(over, more))
    }

    /// Up to 64 bits from a position up; what lies above them may be anything of the value.
    fn limb_at(&mut self, id: Id, low: u32, width: u32) -> Value {
        let count = self.edge.g.limbs(id) as u32;
        let (i, bit) = (low / 64, low % 64);
        if i >= count {
            return self.number(0);
        }
        let value = self.limb(id, i);
        if bit == 0 {
            return value;
        }
        let value = self.b.ins().ushr_imm_s(value, i64::from(bit));
        if bit + width <= 64 || i + 1 >= count {
            return value;
        }
        let next = self.limb(id, i + 1);
        let next = self.b.ins().ishl_imm_s(next, i64::from(64 - bit));
        self.b.ins().bor(value, next)
    }

    /// A limb, which has so many bits, of a value with parts replaced.
    pub(super) fn built(&mut self, base: Id, args: &[Id], parts: &[(u32, u32)], i: u32, width: u32) -> Value {
        let (first, end) = (64 * i, 64 * (i + 1));
        let (mut later, mut value): (u64, Option<Value>) = (0, None);
        for (&(low, size), &part) in parts.iter().zip(args).rev() {
            if low >= end || low + size <= first {
                continue;
            }
            // The bits of the part that are in this limb, and where they begin.
            let (skip, at) = (first.saturating_sub(low), low.saturating_sub(first));
            let own = (size - skip).min(64 - at);
            let field = ones(own) << at;
            let visible = field & !later;
            later |= field;
            if visible == 0 {
                continue;
            }
            let mut bits = self.limb_at(part, skip, own);
            if at + own < 64 && self.edge.g.node(part).width > skip + own {
                bits = self.cut(bits, own);
            }
            if at > 0 {
                bits = self.b.ins().ishl_imm_s(bits, i64::from(at));
            }
            if visible != field {
                bits = self.b.ins().band_imm_s(bits, visible as i64);
            }
            value = Some(match value {
                Some(value) => self.b.ins().bor(value, bits),
                None => bits,
            });
        }
        if later & ones(width) == ones(width) {
            return value.expect("all bits come from somewhere");
        }
        let mut rest = self.limb(base, i);
        if later != 0 {
            rest = self.b.ins().band_imm_s(rest, !later as i64);
        }
        match value {
            Some(value) => self.b.ins().bor(value, rest),
            None => rest,
        }
    }
}
