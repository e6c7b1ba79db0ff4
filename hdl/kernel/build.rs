//! Builds expressions: equal ones once, constants folded.

use std::collections::HashMap;

use num_bigint::BigUint;

use super::netlist::{Binary, Expr, ExprId, ExprKind, NetId, Unary};

/// Expressions of a module under construction.
#[derive(Debug, Default)]
pub struct Builder {
    /// The expressions; an [`ExprId`] is a position here.
    pub exprs: Vec<Expr>,
    known: HashMap<Expr, ExprId>,
}

/// 2^width − 1.
pub fn ones(width: u32) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

impl Builder {
    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// Bits of its value.
    pub fn width(&self, id: ExprId) -> u32 {
        self.expr(id).width
    }

    /// Whether its value has a sign.
    pub fn signed(&self, id: ExprId) -> bool {
        self.expr(id).signed
    }

    /// The value of a constant.
    pub fn value(&self, id: ExprId) -> Option<&BigUint> {
        match &self.expr(id).kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        }
    }

    fn intern(&mut self, kind: ExprKind, width: u32, signed: bool) -> ExprId {
        let expr = Expr { kind, width, signed };
        if let Some(&id) = self.known.get(&expr) {
            return id;
        }
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(expr.clone());
        self.known.insert(expr, id);
        id
    }

    /// A constant of this width; bits above it are dropped.
    pub fn constant(&mut self, value: BigUint, width: u32, signed: bool) -> ExprId {
        self.intern(ExprKind::Const(value & ones(width)), width, signed)
    }

    /// A constant bit.
    pub fn bit(&mut self, value: bool) -> ExprId {
        self.constant(u8::from(value).into(), 1, false)
    }

    /// The value of a net.
    pub fn net(&mut self, net: NetId, width: u32, signed: bool) -> ExprId {
        self.intern(ExprKind::Net(net), width, signed)
    }

    /// `op a`.
    pub fn unary(&mut self, op: Unary, a: ExprId) -> ExprId {
        let (width, signed) = match op {
            Unary::Not | Unary::Neg => (self.width(a), self.signed(a)),
            Unary::Any | Unary::All | Unary::Parity => (1, false),
        };
        let wa = self.width(a);
        if let Some(value) = self.value(a).cloned() {
            let folded = match op {
                Unary::Not => ones(wa) ^ value,
                Unary::Neg => (ones(wa) ^ value) + 1u8,
                Unary::Any => u8::from(value != BigUint::default()).into(),
                Unary::All => u8::from(value == ones(wa)).into(),
                Unary::Parity => (value.count_ones() % 2).into(),
            };
            return self.constant(folded, width, signed);
        }
        if let (Unary::Not, ExprKind::Unary(Unary::Not, inner)) = (op, &self.expr(a).kind) {
            return *inner;
        }
        if wa == 1 && matches!(op, Unary::Any | Unary::All | Unary::Parity) {
            return self.reinterpret(a, false);
        }
        self.intern(ExprKind::Unary(op, a), width, signed)
    }

    /// `a op b`; both have one width, products the sum of both.
    pub fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        use Binary as B;
        let (wa, wb, signed) = (self.width(a), self.width(b), self.signed(a));
        let (width, sign) = match op {
            B::Eq | B::Ne | B::Lt | B::Le => (1, false),
            B::Mul => (wa + wb, signed),
            _ => (wa, signed),
        };
        if let (Some(x), Some(y)) = (self.value(a).cloned(), self.value(b).cloned())
            && let Some(folded) = fold(op, &x, &y, wa, signed)
        {
            return self.constant(folded, width, sign);
        }
        let is = |this: &Builder, id: ExprId, value: &BigUint| this.value(id) == Some(value);
        let (zero, all) = (BigUint::default(), ones(wa));
        for (p, q) in [(a, b), (b, a)] {
            match op {
                B::And if is(self, p, &zero) => return p,
                B::And if is(self, p, &all) => return q,
                B::Or if is(self, p, &all) => return p,
                B::Or | B::Xor | B::Add if is(self, p, &zero) => return q,
                B::Xor if is(self, p, &all) => return self.unary(Unary::Not, q),
                _ => {}
            }
        }
        match op {
            B::Sub | B::Shl | B::Shr if is(self, b, &zero) => return a,
            B::And | B::Or if a == b => return a,
            B::Xor | B::Sub if a == b => return self.constant(zero, width, sign),
            B::Eq | B::Le if a == b => return self.bit(true),
            B::Ne | B::Lt if a == b => return self.bit(false),
            B::Eq if wa == 1 && is(self, b, &all) => return self.reinterpret(a, false),
            B::Eq if wa == 1 && is(self, b, &zero) => {
                let plain = self.reinterpret(a, false);
                return self.unary(Unary::Not, plain);
            }
            _ => {}
        }
        self.intern(ExprKind::Binary(op, a, b), width, sign)
    }

    /// `then` where `condition` is 1, else `otherwise`.
    pub fn mux(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let (width, signed) = (self.width(then), self.signed(then));
        if let Some(value) = self.value(condition) {
            return if *value == BigUint::default() { otherwise } else { then };
        }
        if then == otherwise {
            return then;
        }
        if let ExprKind::Unary(Unary::Not, inner) = self.expr(condition).kind {
            return self.mux(inner, otherwise, then);
        }
        // A nested choice on the same condition is already decided.
        let taken = |this: &Builder, id: ExprId, yes: bool| match this.expr(id).kind {
            ExprKind::Mux(c, t, e) if c == condition => {
                if yes {
                    t
                } else {
                    e
                }
            }
            _ => id,
        };
        let (then, otherwise) = (taken(self, then, true), taken(self, otherwise, false));
        if then == otherwise {
            return then;
        }
        if width == 1 && !signed {
            match (self.value(then).map(BigUint::count_ones), self.value(otherwise).map(BigUint::count_ones)) {
                (Some(1), Some(0)) => return condition,
                (Some(0), Some(1)) => return self.unary(Unary::Not, condition),
                _ => {}
            }
        }
        self.intern(ExprKind::Mux(condition, then, otherwise), width, signed)
    }

    /// Bits `low` … `low + width − 1`, unsigned.
    pub fn slice(&mut self, a: ExprId, low: u32, width: u32) -> ExprId {
        if low == 0 && width == self.width(a) {
            return self.reinterpret(a, false);
        }
        match self.expr(a).kind.clone() {
            ExprKind::Const(value) => self.constant(value >> low, width, false),
            ExprKind::Slice(inner, at) => self.slice(inner, at + low, width),
            ExprKind::Reinterpret(inner) => self.slice(inner, low, width),
            ExprKind::Unary(Unary::Not, inner) => {
                let inner = self.slice(inner, low, width);
                self.unary(Unary::Not, inner)
            }
            ExprKind::Binary(op @ (Binary::And | Binary::Or | Binary::Xor), x, y) => {
                let (x, y) = (self.slice(x, low, width), self.slice(y, low, width));
                self.binary(op, x, y)
            }
            // A sum without its highest bit has, most often, a use for that as well: it stays one adder.
            ExprKind::Binary(op @ (Binary::Add | Binary::Sub), x, y) if low == 0 && width + 1 < self.width(a) => {
                let (x, y) = (self.slice(x, 0, width), self.slice(y, 0, width));
                self.binary(op, x, y)
            }
            ExprKind::Replace(_, part, at) if low >= at && low + width <= at + self.width(part) => {
                self.slice(part, low - at, width)
            }
            ExprKind::Replace(inner, part, at) if low + width <= at || low >= at + self.width(part) => {
                self.slice(inner, low, width)
            }
            ExprKind::Extend(inner) if low + width <= self.width(inner) => self.slice(inner, low, width),
            ExprKind::Extend(inner) if low >= self.width(inner) && !self.signed(inner) => {
                self.constant(BigUint::default(), width, false)
            }
            _ => self.intern(ExprKind::Slice(a, low), width, false),
        }
    }

    /// Bits from a variable position up, unsigned.
    pub fn select(&mut self, a: ExprId, at: ExprId, width: u32) -> ExprId {
        if let Some(position) = self.value(at).and_then(|v| u32::try_from(v).ok())
            && position.checked_add(width).is_some_and(|end| end <= self.width(a))
        {
            return self.slice(a, position, width);
        }
        self.intern(ExprKind::Select(a, at), width, false)
    }

    /// `a` with `part` in the place of its bits from `low` on.
    pub fn replace(&mut self, a: ExprId, part: ExprId, low: u32) -> ExprId {
        let (width, signed) = (self.width(a), self.signed(a));
        if low == 0 && self.width(part) == width {
            return self.reinterpret(part, signed);
        }
        self.intern(ExprKind::Replace(a, part, low), width, signed)
    }

    /// `a` with its bit `at` replaced; a position beyond it changes nothing.
    pub fn replace_bit(&mut self, a: ExprId, bit: ExprId, at: ExprId) -> ExprId {
        let (width, signed) = (self.width(a), self.signed(a));
        if let Some(position) = self.value(at).and_then(|v| u32::try_from(v).ok()).filter(|&p| p < width) {
            return self.replace(a, bit, position);
        }
        self.intern(ExprKind::ReplaceBit(a, bit, at), width, signed)
    }

    /// The same bits, with or without a sign.
    pub fn reinterpret(&mut self, a: ExprId, signed: bool) -> ExprId {
        if self.signed(a) == signed {
            return a;
        }
        let width = self.width(a);
        match self.expr(a).kind.clone() {
            ExprKind::Const(value) => self.constant(value, width, signed),
            ExprKind::Reinterpret(inner) => self.reinterpret(inner, signed),
            _ => self.intern(ExprKind::Reinterpret(a), width, signed),
        }
    }

    /// The value with `width` bits: truncated, or extended by its own sign.
    pub fn resize(&mut self, a: ExprId, width: u32) -> ExprId {
        let (old, signed) = (self.width(a), self.signed(a));
        if width == old {
            return a;
        }
        if width < old {
            let low = self.slice(a, 0, width);
            return self.reinterpret(low, signed);
        }
        if let Some(value) = self.value(a).cloned() {
            let negative = signed && value.bit(u64::from(old) - 1);
            let value = if negative { value | (ones(width) ^ ones(old)) } else { value };
            return self.constant(value, width, signed);
        }
        self.intern(ExprKind::Extend(a), width, signed)
    }
}

fn fold(op: Binary, x: &BigUint, y: &BigUint, width: u32, signed: bool) -> Option<BigUint> {
    use Binary as B;
    let flip = BigUint::from(1u8) << (width - 1);
    let key = |v: &BigUint| if signed { v ^ &flip } else { v.clone() };
    let bit = |b: bool| BigUint::from(u8::from(b));
    let amount = u32::try_from(y).unwrap_or(u32::MAX).min(width);
    Some(match op {
        B::And => x & y,
        B::Or => x | y,
        B::Xor => x ^ y,
        B::Add => x + y,
        B::Sub => x + (ones(width) ^ y) + 1u8,
        B::Mul if signed => return None,
        B::Mul => x * y,
        B::Eq => bit(x == y),
        B::Ne => bit(x != y),
        B::Lt => bit(key(x) < key(y)),
        B::Le => bit(key(x) <= key(y)),
        B::Shl => x << amount,
        B::Shr => x >> amount,
    })
}
