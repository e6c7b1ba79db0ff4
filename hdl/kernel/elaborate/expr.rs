//! Types of expressions, as Rust derives them.

use num_bigint::{BigInt, BigUint};
use rust_hdl_core::ast::{VerilogExpression as Ast, VerilogOp, VerilogOpUnary};

use super::module::{Frame, Meaning};
use super::walk::literal;
use crate::error::Result;
use crate::netlist::{Binary, ExprId, Unary};

/// An expression before its context is known: literals have no width of their own.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Typed(ExprId),
    Integer(BigInt),
}

/// The type that an expression's context asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub width: u32,
    pub signed: bool,
}

impl Frame<'_> {
    /// The expression with the type of its context.
    pub(super) fn typed(&mut self, ast: &Ast, wanted: Wanted) -> Result<ExprId> {
        let value = self.value(ast, Some(wanted))?;
        self.give_type(value, wanted, ast)
    }

    /// The expression with its own type, which it must have.
    fn own_type(&mut self, ast: &Ast) -> Result<ExprId> {
        match self.value(ast, None)? {
            Value::Typed(id) => Ok(id),
            Value::Integer(value) => self.fail(ast_text(ast), format!("literal {value} has no width here")),
        }
    }

    fn give_type(&mut self, value: Value, wanted: Wanted, ast: &Ast) -> Result<ExprId> {
        match value {
            Value::Integer(value) => self.integer(&value, wanted, ast),
            Value::Typed(id) => {
                let (width, signed) = (self.build.width(id), self.build.signed(id));
                if width != wanted.width {
                    let rule = format!("has {width} bits where {} are needed", wanted.width);
                    return self.fail(ast_text(ast), rule);
                }
                if signed != wanted.signed {
                    return self.fail(ast_text(ast), "mixes signed and unsigned values".to_string());
                }
                Ok(id)
            }
        }
    }

    fn integer(&mut self, value: &BigInt, wanted: Wanted, ast: &Ast) -> Result<ExprId> {
        let modulus = BigInt::from(1) << wanted.width;
        let fits = if wanted.signed {
            let half: BigInt = &modulus >> 1;
            *value < half && *value >= -half
        } else {
            *value < modulus && *value >= BigInt::from(0)
        };
        if !fits {
            return self.fail(ast_text(ast), format!("literal {value} does not fit {} bits", wanted.width));
        }
        let pattern = ((value % &modulus) + &modulus) % &modulus;
        let pattern = pattern.to_biguint().expect("a residue is not negative");
        Ok(self.build.constant(pattern, wanted.width, wanted.signed))
    }

    /// The expression; `wanted` is what the context suggests to literals.
    fn value(&mut self, ast: &Ast, wanted: Option<Wanted>) -> Result<Value> {
        Ok(Value::Typed(match ast {
            Ast::Signal(name) => match self.meaning(name)? {
                Meaning::Integer(value) => return Ok(Value::Integer(value.into())),
                Meaning::Expr(id) => id,
            },
            Ast::Literal(text) => {
                let text = text.to_string();
                let Some((value, width)) = literal(&text) else {
                    return self.fail(text, "a literal that cannot be read".to_string());
                };
                if width != 1 {
                    return Ok(Value::Integer(value.into()));
                }
                self.build.constant(value, 1, false)
            }
            Ast::Paren(inner) => return self.value(inner, wanted),
            Ast::Cast(inner, width) => self.cast(inner, *width as u32)?,
            Ast::Unsigned(inner) => {
                let id = self.own_type(inner)?;
                self.build.reinterpret(id, false)
            }
            Ast::Signed(inner) => self.signed(inner, wanted)?,
            Ast::Unary(op, inner) => return self.unary(op, inner, wanted),
            Ast::Binary(lhs, op, rhs) => return self.binary(lhs, op, rhs, wanted),
            Ast::Index(base, at) => self.part(base, at, 1, ast)?,
            Ast::Slice(base, width, at) => {
                // A part of a signed value is signed.
                let id = self.part(base, at, *width as u32, ast)?;
                let base = self.own_type(base)?;
                self.build.reinterpret(id, self.build.signed(base))
            }
            Ast::IndexReplace(base, at, bit) => self.replaced(base, at, bit, wanted, ast)?,
        }))
    }

    fn cast(&mut self, inner: &Ast, width: u32) -> Result<ExprId> {
        match self.value(inner, None)? {
            Value::Integer(value) => self.integer(&value, Wanted { width, signed: false }, inner),
            Value::Typed(id) => {
                // `bit_cast` takes unsigned values; it truncates or extends with zeros.
                let id = self.build.reinterpret(id, false);
                Ok(self.build.resize(id, width))
            }
        }
    }

    /// `signed_cast` keeps the width; `signed_bit_cast` of a signed value takes the width of its context.
    fn signed(&mut self, inner: &Ast, wanted: Option<Wanted>) -> Result<ExprId> {
        let id = match (self.value(inner, None)?, wanted) {
            (Value::Typed(id), _) => id,
            (Value::Integer(value), Some(wanted)) => {
                return self.integer(&value, Wanted { signed: true, ..wanted }, inner);
            }
            (Value::Integer(value), None) => {
                return self.fail(ast_text(inner), format!("literal {value} has no width here"));
            }
        };
        if !self.build.signed(id) {
            return Ok(self.build.reinterpret(id, true));
        }
        match wanted {
            Some(wanted) => Ok(self.build.resize(id, wanted.width)),
            None => self.fail(
                ast_text(inner),
                "a signed_bit_cast takes its width from an assignment: assign it to a local signal first".into(),
            ),
        }
    }

    fn unary(&mut self, op: &VerilogOpUnary, inner: &Ast, wanted: Option<Wanted>) -> Result<Value> {
        let op = match op {
            VerilogOpUnary::Not => Unary::Not,
            VerilogOpUnary::Neg => Unary::Neg,
            VerilogOpUnary::All => Unary::All,
            VerilogOpUnary::Any => Unary::Any,
            VerilogOpUnary::Xor => Unary::Parity,
        };
        let keeps_width = matches!(op, Unary::Not | Unary::Neg);
        let id = match self.value(inner, if keeps_width { wanted } else { None })? {
            Value::Integer(value) if op == Unary::Neg => return Ok(Value::Integer(-value)),
            Value::Integer(value) => match wanted {
                Some(wanted) if keeps_width => self.integer(&value, wanted, inner)?,
                _ => {
                    return self.fail(ast_text(inner), format!("literal {value} has no width here"));
                }
            },
            Value::Typed(id) => id,
        };
        Ok(Value::Typed(self.build.unary(op, id)))
    }

    fn binary(&mut self, lhs: &Ast, op: &VerilogOp, rhs: &Ast, wanted: Option<Wanted>) -> Result<Value> {
        use VerilogOp as V;
        if matches!(op, V::Shl | V::Shr) {
            return self.shift(lhs, op, rhs, wanted);
        }
        // Operands have the width of the result, except in comparisons and products.
        let own_width = matches!(op, V::Eq | V::Ne | V::Lt | V::Le | V::Gt | V::Ge | V::Mul);
        let context = if own_width { None } else { wanted };
        let (a, b) = (self.value(lhs, context)?, self.value(rhs, context)?);
        let (a, b) = match (a, b) {
            (Value::Integer(a), Value::Integer(b)) => {
                return self.fold_integers(op, &a, &b, lhs, rhs);
            }
            (Value::Typed(a), Value::Integer(b)) => {
                let like = self.type_of(a);
                (a, self.integer(&b, like, rhs)?)
            }
            (Value::Integer(a), Value::Typed(b)) => {
                let like = self.type_of(b);
                (self.integer(&a, like, lhs)?, b)
            }
            (Value::Typed(a), Value::Typed(b)) => (a, b),
        };
        let (ta, tb) = (self.type_of(a), self.type_of(b));
        if matches!(op, V::Mul) {
            if ta.signed != tb.signed {
                return self.fail(ast_text(lhs), "mixes signed and unsigned values".to_string());
            }
            return Ok(Value::Typed(self.build.binary(Binary::Mul, a, b)));
        }
        // `Bits<N> + bool` is the one operator of rust-hdl on different widths.
        let b = if matches!(op, V::Add) && tb.width == 1 && ta.width > 1 && !tb.signed {
            let wide = self.build.resize(b, ta.width);
            self.build.reinterpret(wide, ta.signed)
        } else {
            b
        };
        let tb = self.type_of(b);
        if ta.width != tb.width || ta.signed != tb.signed {
            let sign = |t: Wanted| if t.signed { "signed" } else { "unsigned" };
            let rule = format!("operands of {op:?} have {} {} and {} {} bits", ta.width, sign(ta), tb.width, sign(tb));
            return self.fail(ast_text(lhs), rule);
        }
        let logical = matches!(op, V::LogicalAnd | V::LogicalOr);
        if logical && ta.width != 1 {
            return self.fail(ast_text(lhs), format!("{op:?} takes single bits, not {}", ta.width));
        }
        Ok(Value::Typed(match op {
            V::Add => self.build.binary(Binary::Add, a, b),
            V::Sub => self.build.binary(Binary::Sub, a, b),
            V::BitAnd | V::LogicalAnd => self.build.binary(Binary::And, a, b),
            V::BitOr | V::LogicalOr => self.build.binary(Binary::Or, a, b),
            V::BitXor => self.build.binary(Binary::Xor, a, b),
            V::Eq => self.build.binary(Binary::Eq, a, b),
            V::Ne => self.build.binary(Binary::Ne, a, b),
            V::Lt => self.build.binary(Binary::Lt, a, b),
            V::Le => self.build.binary(Binary::Le, a, b),
            V::Gt => self.build.binary(Binary::Lt, b, a),
            V::Ge => self.build.binary(Binary::Le, b, a),
            V::Mul | V::Shl | V::Shr => unreachable!("handled above"),
        }))
    }

    fn type_of(&self, id: ExprId) -> Wanted {
        Wanted { width: self.build.width(id), signed: self.build.signed(id) }
    }

    fn shift(&mut self, lhs: &Ast, op: &VerilogOp, rhs: &Ast, wanted: Option<Wanted>) -> Result<Value> {
        let amount = self.value(rhs, None)?;
        let id = match (self.value(lhs, wanted)?, &amount, wanted) {
            (Value::Typed(id), _, _) => id,
            (Value::Integer(value), Value::Integer(by), _) => {
                let by = usize::try_from(by).ok().filter(|&by| by < 4096);
                let Some(by) = by else {
                    return self.fail(ast_text(rhs), "a shift amount out of range".into());
                };
                return Ok(Value::Integer(if matches!(op, VerilogOp::Shl) { value << by } else { value >> by }));
            }
            (Value::Integer(value), _, Some(wanted)) => self.integer(&value, wanted, lhs)?,
            (Value::Integer(value), _, None) => {
                return self.fail(ast_text(lhs), format!("literal {value} has no width here"));
            }
        };
        if self.build.signed(id) {
            return self.fail(ast_text(lhs), "rust-hdl shifts unsigned values only".to_string());
        }
        let by = match amount {
            Value::Typed(by) => by,
            Value::Integer(by) => self.integer(&by, Wanted { width: 32, signed: false }, rhs)?,
        };
        if self.build.signed(by) {
            return self.fail(ast_text(rhs), "a shift amount is unsigned".to_string());
        }
        let op = if matches!(op, VerilogOp::Shl) { Binary::Shl } else { Binary::Shr };
        let width = self.build.width(id);
        if let Some(by) = self.build.value(by).map(|v| u32::try_from(v).unwrap_or(u32::MAX).min(width)) {
            return Ok(Value::Typed(self.shift_constant(op, id, by, width)));
        }
        Ok(Value::Typed(self.build.binary(op, id, by)))
    }

    fn shift_constant(&mut self, op: Binary, id: ExprId, by: u32, width: u32) -> ExprId {
        if by == 0 {
            return id;
        }
        let zero = self.build.constant(BigUint::default(), width, false);
        if by == width {
            return zero;
        }
        if op == Binary::Shl {
            let kept = self.build.slice(id, 0, width - by);
            self.build.replace(zero, kept, by)
        } else {
            let kept = self.build.slice(id, by, width - by);
            self.build.resize(kept, width)
        }
    }

    fn fold_integers(&mut self, op: &VerilogOp, a: &BigInt, b: &BigInt, lhs: &Ast, rhs: &Ast) -> Result<Value> {
        use VerilogOp as V;
        let truth = |this: &mut Self, b: bool| Ok(Value::Typed(this.build.bit(b)));
        match op {
            V::Add => Ok(Value::Integer(a + b)),
            V::Sub => Ok(Value::Integer(a - b)),
            V::Mul => Ok(Value::Integer(a * b)),
            V::BitAnd => Ok(Value::Integer(a & b)),
            V::BitOr => Ok(Value::Integer(a | b)),
            V::BitXor => Ok(Value::Integer(a ^ b)),
            V::Eq => truth(self, a == b),
            V::Ne => truth(self, a != b),
            V::Lt => truth(self, a < b),
            V::Le => truth(self, a <= b),
            V::Gt => truth(self, a > b),
            V::Ge => truth(self, a >= b),
            _ => self.fail(format!("{} {op:?} {}", ast_text(lhs), ast_text(rhs)), "has no meaning on integers".into()),
        }
    }

    fn part(&mut self, base: &Ast, at: &Ast, width: u32, whole: &Ast) -> Result<ExprId> {
        let id = self.own_type(base)?;
        let available = self.build.width(id);
        match self.value(at, None)? {
            Value::Integer(at) => {
                let low = u32::try_from(&at).ok().filter(|low| low + width <= available);
                match low {
                    Some(low) => Ok(self.build.slice(id, low, width)),
                    None => {
                        let rule = format!("bits {at} to {at}+{} of a value of {available} bits", width - 1);
                        self.fail(ast_text(whole), rule)
                    }
                }
            }
            Value::Typed(_) if width > available => {
                self.fail(ast_text(whole), format!("{width} bits of a value of {available} bits"))
            }
            Value::Typed(at) => Ok(self.build.select(id, at, width)),
        }
    }

    fn replaced(&mut self, base: &Ast, at: &Ast, bit: &Ast, wanted: Option<Wanted>, whole: &Ast) -> Result<ExprId> {
        let id = match (self.value(base, wanted)?, wanted) {
            (Value::Typed(id), _) => id,
            (Value::Integer(value), Some(wanted)) => self.integer(&value, wanted, base)?,
            (Value::Integer(value), None) => {
                return self.fail(ast_text(base), format!("literal {value} has no width here"));
            }
        };
        let bit = self.typed(bit, Wanted { width: 1, signed: false })?;
        let width = self.build.width(id);
        match self.value(at, None)? {
            Value::Integer(at) => match u32::try_from(&at).ok().filter(|&at| at < width) {
                Some(at) => Ok(self.build.replace(id, bit, at)),
                None => self.fail(ast_text(whole), format!("bit {at} of a value of {width} bits")),
            },
            Value::Typed(at) => Ok(self.build.replace_bit(id, bit, at)),
        }
    }
}

/// A short name of an expression for messages.
pub(super) fn ast_text(ast: &Ast) -> String {
    match ast {
        Ast::Signal(name) => name.trim_start_matches('.').replace('$', "."),
        Ast::Literal(literal) => literal.to_string(),
        Ast::Paren(inner) | Ast::Cast(inner, _) | Ast::Signed(inner) | Ast::Unsigned(inner) => ast_text(inner),
        Ast::Unary(op, inner) => format!("{op:?}({})", ast_text(inner)),
        Ast::Binary(a, op, b) => format!("{} {op:?} {}", ast_text(a), ast_text(b)),
        Ast::Index(base, at) => format!("{}[{}]", ast_text(base), ast_text(at)),
        Ast::Slice(base, width, at) => format!("{}[{} +: {width}]", ast_text(base), ast_text(at)),
        Ast::IndexReplace(base, at, _) => {
            format!("{}.replace_bit({})", ast_text(base), ast_text(at))
        }
    }
}
