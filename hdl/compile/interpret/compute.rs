//! What instructions without memory and jumps compute: operands fetched with their widths, then arithmetic.

use bitline_model::float::{Base, Trigonometric, exponential, logarithm, reciprocal_root, trigonometric};

use super::float::{self, Operation, modelled, rounded32, rounded64};
use super::memory::{from_generic, resolve, to_generic};
use super::thread::{Block, Done, Thread};
use super::{convert, half, integer};
use crate::ptx::ast::Instruction;
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word};

impl Block<'_> {
    /// What an instruction without memory and jumps computes, with the type of its result.
    pub(super) fn computed(&self, thread: &Thread, it: &Instruction) -> Done<(Type, u64)> {
        // `isspacep` has none.
        let ty = it.types.first().copied().unwrap_or(Type::Pred);
        let of = |index: usize, ty: Type| self.value(thread, it, index, ty);
        let sources = it.operands.len() - 1;
        Ok(match it.opcode {
            Opcode::Cvt => (ty, convert::convert(ty, it.types[1], it.words, of(1, it.types[1])?)),
            Opcode::Set => {
                let all = if ty.is_float() { u64::from(1.0_f32.to_bits()) } else { ty.mask() };
                (ty, if self.compared(thread, it)? { all } else { 0 })
            }
            Opcode::Selp => (ty, of(if of(3, Type::Pred)? != 0 { 1 } else { 2 }, ty)?),
            Opcode::Slct => {
                let first = convert::at_least_zero(it.types[1], it.words, of(3, it.types[1])?);
                (ty, of(if first { 1 } else { 2 }, ty)?)
            }
            Opcode::Testp => (Type::Pred, u64::from(convert::property(ty, it.words, of(1, ty)?))),
            Opcode::Copysign => {
                let top = 1 << (ty.bits() - 1);
                (ty, of(1, ty)? & top | of(2, ty)? & !top)
            }
            Opcode::Cvta => {
                let space = it.space.unwrap_or(Space::Global);
                let address = of(1, ty)?;
                let moved =
                    if it.words.has(Word::To) { from_generic(space, address) } else { to_generic(space, address) };
                (ty, moved & ty.mask())
            }
            Opcode::Isspacep => {
                let ty = if self.module.address_size == 64 { Type::U64 } else { Type::U32 };
                (Type::Pred, u64::from(Some(resolve(of(1, ty)?).0) == it.space))
            }
            // Counts have 32 bits, whatever they count in.
            Opcode::Popc | Opcode::Clz | Opcode::Bfind => {
                let count = integer::logic(it.opcode, ty, it.words, &[of(1, ty)?]);
                (Type::U32, count.unwrap_or(0))
            }
            _ if ty.is_float() => (ty, self.float(thread, it)?),
            // Positions, lengths and amounts of shifts have 32 bits.
            Opcode::Shl | Opcode::Shr | Opcode::Shf | Opcode::Bfe | Opcode::Bfi | Opcode::Lop3 => {
                let narrow = match it.opcode {
                    Opcode::Shl | Opcode::Shr | Opcode::Bfe => 2,
                    _ => 3,
                };
                let each = |index| of(index, if index < narrow { ty } else { Type::U32 });
                let operands = (1..=sources).map(each).collect::<Done<Vec<u64>>>()?;
                (ty, integer::logic(it.opcode, ty, it.words, &operands).ok_or("not there")?)
            }
            _ => {
                let wide = it.words.has(Word::Wide).then(|| ty.doubled()).flatten();
                let each = |index| of(index, if index == 3 { wide.unwrap_or(ty) } else { ty });
                let mut operands = (1..=sources).map(each).collect::<Done<Vec<u64>>>()?;
                let logic = integer::logic(it.opcode, ty, it.words, &operands);
                operands.resize(3, 0);
                let value = logic
                    .or_else(|| integer::arithmetic(it.opcode, ty, it.words, [operands[0], operands[1], operands[2]]));
                (wide.unwrap_or(ty), value.ok_or("not there")?)
            }
        })
    }

    /// Floating-point arithmetic.
    fn float(&self, thread: &Thread, it: &Instruction) -> Done<u64> {
        let ty = it.ty();
        let at = |index: usize| {
            if index < it.operands.len() { self.value(thread, it, index, ty) } else { Ok(0) }
        };
        let operands = [at(1)?, at(2)?, at(3)?];
        if ty == Type::F16 {
            return half::computed(it.opcode, it.words, operands).ok_or_else(|| "not there".into());
        }
        let one = if ty == Type::F32 { u64::from(1.0_f32.to_bits()) } else { 1.0_f64.to_bits() };
        let rounded = |operation, operands| match ty {
            Type::F32 => rounded32(operation, it.words, operands),
            _ => rounded64(operation, operands),
        };
        let single = |bits: u64| {
            let x = f32::from_bits(bits as u32);
            if it.words.has(Word::Ftz) { float::flush(x) } else { x }
        };
        Ok(match it.opcode {
            Opcode::Add => rounded(Operation::Add, operands),
            Opcode::Sub => rounded(Operation::Sub, operands),
            Opcode::Mul => rounded(Operation::Mul, operands),
            Opcode::Fma | Opcode::Mad => rounded(Operation::Fma, operands),
            Opcode::Div => rounded(Operation::Div, operands),
            Opcode::Rcp => rounded(Operation::Div, [one, operands[0], 0]),
            Opcode::Sqrt => rounded(Operation::Sqrt, operands),
            Opcode::Rsqrt => modelled(|key, a| reciprocal_root(26, 8, key, a), it.words, operands[0]),
            Opcode::Sin | Opcode::Cos => {
                let which = if it.opcode == Opcode::Sin { Trigonometric::Sine } else { Trigonometric::Cosine };
                modelled(|key, a| trigonometric(which, 26, 8, key, a), it.words, operands[0])
            }
            Opcode::Lg2 => modelled(|key, a| logarithm(Base::Two, 26, 8, key, a), it.words, operands[0]),
            Opcode::Ex2 => modelled(|key, a| exponential(Base::Two, 26, 8, key, a), it.words, operands[0]),
            Opcode::Tanh => float::tanh(operands[0]),
            // The sign is a bit, of NaN as well.
            Opcode::Abs if ty == Type::F32 => u64::from(single(operands[0]).abs().to_bits()),
            Opcode::Neg if ty == Type::F32 => u64::from((-single(operands[0])).to_bits()),
            Opcode::Abs => operands[0] & !(1 << 63),
            Opcode::Neg => operands[0] ^ 1 << 63,
            Opcode::Min | Opcode::Max if ty == Type::F32 => {
                let (a, b) = (single(operands[0]), single(operands[1]));
                float::finish32(float::extreme(a, b, it.opcode == Opcode::Max, f32::is_sign_negative), it.words)
            }
            Opcode::Min | Opcode::Max => {
                let [a, b, _] = operands.map(f64::from_bits);
                float::finish64(float::extreme(a, b, it.opcode == Opcode::Max, f64::is_sign_negative))
            }
            _ => return Err("not there".into()),
        })
    }

    /// The predicate that a comparison is joined with.
    pub(super) fn joined(&self, thread: &Thread, it: &Instruction) -> Done<Option<bool>> {
        if it.operands.len() < 4 {
            return Ok(None);
        }
        Ok(Some(self.value(thread, it, 3, Type::Pred)? != 0))
    }

    /// What `setp` and `set` find.
    pub(super) fn compared(&self, thread: &Thread, it: &Instruction) -> Done<bool> {
        let ty = it.types[it.types.len() - 1];
        let [a, b] = [self.value(thread, it, 1, ty)?, self.value(thread, it, 2, ty)?];
        Ok(convert::join(it.words, convert::compare(ty, it.words, a, b), self.joined(thread, it)?))
    }
}
