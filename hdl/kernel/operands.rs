//! Operands of expressions.

use super::netlist::{ExprId, ExprKind};

impl ExprKind {
    /// Operands.
    pub fn operands(&self) -> Vec<ExprId> {
        match *self {
            ExprKind::Const(_) | ExprKind::Net(_) => vec![],
            ExprKind::Unary(_, a) | ExprKind::Slice(a, _) | ExprKind::Extend(a) | ExprKind::Reinterpret(a) => vec![a],
            ExprKind::Binary(_, a, b) | ExprKind::Select(a, b) | ExprKind::Replace(a, b, _) => {
                vec![a, b]
            }
            ExprKind::Mux(a, b, c) | ExprKind::ReplaceBit(a, b, c) => vec![a, b, c],
        }
    }

    /// The same with other operands; none if one of them has none.
    pub fn mapped(&self, to: &mut impl FnMut(ExprId) -> Option<ExprId>) -> Option<ExprKind> {
        Some(match *self {
            ExprKind::Const(ref value) => ExprKind::Const(value.clone()),
            ExprKind::Net(net) => ExprKind::Net(net),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, to(a)?),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, to(a)?, to(b)?),
            ExprKind::Mux(c, a, b) => ExprKind::Mux(to(c)?, to(a)?, to(b)?),
            ExprKind::Slice(a, low) => ExprKind::Slice(to(a)?, low),
            ExprKind::Select(a, at) => ExprKind::Select(to(a)?, to(at)?),
            ExprKind::Replace(a, part, low) => ExprKind::Replace(to(a)?, to(part)?, low),
            ExprKind::ReplaceBit(a, bit, at) => ExprKind::ReplaceBit(to(a)?, to(bit)?, to(at)?),
            ExprKind::Extend(a) => ExprKind::Extend(to(a)?),
            ExprKind::Reinterpret(a) => ExprKind::Reinterpret(to(a)?),
        })
    }
}
