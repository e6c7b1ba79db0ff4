//! What instructions without memory and jumps compute: operands fetched with their widths, then arithmetic.

use bitline_model::float::{
    Base, Trigonometric, exponential, hyperbolic_tangent, logarithm, reciprocal_root, trigonometric,
};

use super::float::{self, Operation, modelled, rounded32, rounded64};
use super::memory::{from_generic, resolve, to_generic};
use super::thread::{Block, Done, Thread};
use super::{convert, integer, packed, rare};
use crate::ptx::ast::{Instruction, Operand};
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
            // Of two numbers the first one goes to the high half.
            Opcode::Cvt if ty.is_packed() => {
                let each = |bits| convert::convert(ty.element(), it.types[1], it.words, bits);
                (ty, packed::joined([of(2, it.types[1])?, of(1, it.types[1])?].map(each)))
            }
            Opcode::Cvt => (ty, convert::convert(ty, it.types[1], it.words, of(1, it.types[1])?)),
            Opcode::Set => {
                let all = match ty.element() {
                    Type::F16 => 0x3c00,
                    Type::BF16 => 0x3f80,
                    Type::F32 => u64::from(1.0_f32.to_bits()),
                    _ if it.types[1].is_packed() => 0xffff,
                    other => other.mask(),
                };
                let found = self.compared(thread, it)?.map(|holds| if holds { all } else { 0 });
                (ty, if it.types[1].is_packed() { packed::joined(found) } else { found[0] })
            }
            Opcode::Dp4a | Opcode::Dp2a => {
                let operands = [of(1, Type::U32)?, of(2, Type::U32)?, of(3, Type::U32)?];
                (Type::U32, rare::products(it.opcode, [ty, it.types[1]], it.words, operands))
            }
            Opcode::Szext => (ty, rare::extended(ty, it.words, of(1, ty)?, of(2, Type::U32)?)),
            Opcode::Bmsk => (ty, rare::ones(it.words, of(1, ty)?, of(2, ty)?)),
            Opcode::Fns => (ty, rare::nth(of(1, ty)?, of(2, ty)?, of(3, ty)?)),
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
                let space = resolve(of(1, ty)?).0;
                // The window of parameters is one of global memory.
                let within = space == Space::Param && it.space == Some(Space::Global);
                (Type::Pred, u64::from(Some(space) == it.space || within))
            }
            // Counts have 32 bits, whatever they count in.
            Opcode::Popc | Opcode::Clz | Opcode::Bfind => {
                let count = integer::logic(it.opcode, ty, it.words, &[of(1, ty)?]);
                (Type::U32, count.unwrap_or(0))
            }
            _ if ty.is_float() || ty.is_packed() => (ty, self.float(thread, it)?),
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
        if ty.element().bits() == 16 {
            return packed::computed(it.opcode, ty, it.words, operands).ok_or_else(|| "not there".into());
        }
        let one = if ty == Type::F32 { u64::from(1.0_f32.to_bits()) } else { 1.0_f64.to_bits() };
        let rounded = |operation, operands| match ty {
            Type::F32 => rounded32(operation, it.words, operands),
            _ => rounded64(operation, it.words, operands),
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
            Opcode::Rsqrt if ty == Type::F64 => {
                let result = reciprocal_root(55, 11, 0, operands[0]).expect("binary64 has it");
                float::finish64(f64::from_bits(result))
            }
            Opcode::Rsqrt => modelled(|key, a| reciprocal_root(26, 8, key, a), it.words, operands[0]),
            Opcode::Sin | Opcode::Cos => {
                let which = if it.opcode == Opcode::Sin { Trigonometric::Sine } else { Trigonometric::Cosine };
                modelled(|key, a| trigonometric(which, 26, 8, key, a), it.words, operands[0])
            }
            Opcode::Lg2 => modelled(|key, a| logarithm(Base::Two, 26, 8, key, a), it.words, operands[0]),
            Opcode::Ex2 => modelled(|key, a| exponential(Base::Two, 26, 8, key, a), it.words, operands[0]),
            Opcode::Tanh => modelled(|key, a| hyperbolic_tangent(26, 8, key, a), it.words, operands[0]),
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

    /// What `setp` and `set` find, for each half of two numbers in one; else once.
    pub(super) fn compared(&self, thread: &Thread, it: &Instruction) -> Done<[bool; 2]> {
        let ty = it.types[it.types.len() - 1];
        let [a, b] = [self.value(thread, it, 1, ty)?, self.value(thread, it, 2, ty)?];
        let with = self.joined(thread, it)?;
        let of = |a, b| convert::join(it.words, convert::compare(ty.element(), it.words, a, b), with);
        if !ty.is_packed() {
            return Ok([of(a, b); 2]);
        }
        let [a, b] = [a, b].map(packed::halves);
        Ok([of(a[0], b[0]), of(a[1], b[1])])
    }

    /// Sums, differences and products with a carry.
    pub(super) fn carried(&self, thread: &mut Thread, it: &Instruction) -> Done<()> {
        let reads = matches!(it.opcode, Opcode::Addc | Opcode::Subc | Opcode::Madc);
        let carry = match thread.carry {
            Some(carry) => carry,
            None if reads => return Err("CC.CF is read before it is written".into()),
            None => false,
        };
        let of = |index| if index < it.operands.len() { self.value(thread, it, index, it.ty()) } else { Ok(0) };
        let found = rare::carried(it.opcode, it.ty(), it.words, [of(1)?, of(2)?, of(3)?], carry);
        let (value, carry) = found.ok_or("not there")?;
        if it.words.has(Word::Cc) {
            thread.carry = Some(carry);
        }
        self.result(thread, it, it.ty(), value);
        Ok(())
    }

    /// `lop3` with a predicate: whether the result is not 0, joined with another.
    pub(super) fn logic_joined(&self, thread: &mut Thread, it: &Instruction) -> Done<()> {
        let Operand::Pair(result, predicate) = it.operands[0] else { return Err("without a predicate".into()) };
        let of = |index| self.value(thread, it, index, Type::B32);
        let operands = [of(1)?, of(2)?, of(3)?, of(4)?];
        let value = integer::logic(it.opcode, it.ty(), it.words, &operands).ok_or("not there")?;
        let with = self.value(thread, it, 5, Type::Pred)? != 0;
        self.put(thread, result, value);
        self.put(thread, predicate, u64::from(convert::join(it.words, value != 0, Some(with))));
        Ok(())
    }
}
