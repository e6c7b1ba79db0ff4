//! Code for nodes whose value and operands have one limb each.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::translate::Translator;
use crate::graph::{Id, Op};

/// Ones in the lowest bits.
pub(crate) fn ones(width: u32) -> u64 {
    u64::MAX >> (64 - width.min(64))
}

impl Translator<'_, '_> {
    /// The value of such a node: a byte if it is a truth value that was just found, else a word.
    pub(crate) fn scalar(&mut self, id: Id) -> Value {
        let g = self.edge.g;
        let node = g.node(id);
        let args = &node.args[..];
        match node.op {
            Op::And | Op::Or | Op::Xor | Op::AndNot => return self.logic(&node.op, args[0], args[1]),
            Op::Mux => {
                let condition = self.single(args[0]);
                let (a, b) = self.alike(args[1], args[2]);
                return self.b.ins().select(condition, a, b);
            }
            Op::Build(ref parts) => return self.built(args[0], &args[1..], parts, 0, node.width),
            _ => {}
        }
        let a = self.full(args[0]);
        match node.op {
            Op::Parity => {
                let count = self.b.ins().popcnt(a);
                return self.b.ins().band_imm_s(count, 1);
            }
            Op::Bits(low) => {
                let moved = if low == 0 { a } else { self.b.ins().ushr_imm_s(a, i64::from(low)) };
                let all = low + node.width >= g.node(args[0]).width;
                return if all { moved } else { self.cut(moved, node.width) };
            }
            Op::Zext | Op::Clamp => return a,
            Op::Sext(old) => {
                let value = self.signed(a, old);
                return self.cut(value, node.width);
            }
            _ => {}
        }
        let b = self.full(args[1]);
        let compare = |t: &mut Self, code: IntCC| t.b.ins().icmp(code, a, b);
        let value = match node.op {
            Op::Add => self.b.ins().iadd(a, b),
            Op::Sub => self.b.ins().isub(a, b),
            Op::Mul(None) => self.b.ins().imul(a, b),
            Op::Mul(Some((i, j))) => {
                let (a, b) = (self.signed(a, i), self.signed(b, j));
                self.b.ins().imul(a, b)
            }
            Op::Eq => return compare(self, IntCC::Equal),
            Op::Ne => return compare(self, IntCC::NotEqual),
            Op::Lt(None) => return compare(self, IntCC::UnsignedLessThan),
            Op::Le(None) => return compare(self, IntCC::UnsignedLessThanOrEqual),
            Op::Lt(Some(width)) | Op::Le(Some(width)) => {
                let (a, b) = (self.signed(a, width), self.signed(b, width));
                let less = matches!(node.op, Op::Lt(_));
                let code = if less { IntCC::SignedLessThan } else { IntCC::SignedLessThanOrEqual };
                return self.b.ins().icmp(code, a, b);
            }
            Op::Shl | Op::Shr | Op::Select => {
                let moved = if node.op == Op::Shl { self.b.ins().ishl(a, b) } else { self.b.ins().ushr(a, b) };
                // The processor counts amounts modulo 64.
                if g.node(args[1]).width > 6 {
                    let inside = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, b, 64);
                    let zero = self.number(0);
                    self.b.ins().select(inside, moved, zero)
                } else {
                    moved
                }
            }
            Op::SetBit => {
                let at = self.full(args[2]);
                let one = self.number(1);
                let (hole, bit) = (self.b.ins().ishl(one, at), self.b.ins().ishl(b, at));
                let rest = self.b.ins().band_not(a, hole);
                let new = self.b.ins().bor(rest, bit);
                let inside = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, at, i64::from(node.width));
                return self.b.ins().select(inside, new, a);
            }
            _ => unreachable!("{:?} is not for single limbs", node.op),
        };
        self.cut(value, node.width)
    }

    /// Both as bytes, or both as words.
    fn alike(&mut self, a: Id, b: Id) -> (Value, Value) {
        let (x, y) = (self.single(a), self.single(b));
        let kind = |t: &Self, v: Value| t.b.func.dfg.value_type(v);
        match (kind(self, x) == types::I8, kind(self, y) == types::I8) {
            (true, false) if matches!(self.edge.g.constant_of(b), Some([0 | 1])) => {
                let value = self.edge.g.constant_of(b).map_or(0, |v| v[0]);
                (x, self.b.ins().iconst(types::I8, value as i64))
            }
            (true, true) | (false, false) => (x, y),
            // The lowest byte of a word costs nothing, a byte as a word does.
            (true, false) if self.edge.g.node(b).width == 1 => (x, self.b.ins().ireduce(types::I8, y)),
            (false, true) if self.edge.g.node(a).width == 1 => (self.b.ins().ireduce(types::I8, x), y),
            _ => (self.full(a), self.full(b)),
        }
    }

    fn logic(&mut self, op: &Op, a: Id, b: Id) -> Value {
        let (x, y) = self.alike(a, b);
        match op {
            Op::And => self.b.ins().band(x, y),
            Op::Or => self.b.ins().bor(x, y),
            Op::Xor => self.b.ins().bxor(x, y),
            _ => self.b.ins().band_not(x, y),
        }
    }

    /// The integer that a pattern of so many bits stands for.
    pub(crate) fn signed(&mut self, value: Value, width: u32) -> Value {
        match width {
            64.. => value,
            8 | 16 | 32 => {
                let kind = types::Type::int(width as u16).expect("a type of this width");
                let low = self.b.ins().ireduce(kind, value);
                self.b.ins().sextend(types::I64, low)
            }
            _ => {
                let up = self.b.ins().ishl_imm_s(value, i64::from(64 - width));
                self.b.ins().sshr_imm_s(up, i64::from(64 - width))
            }
        }
    }
}
