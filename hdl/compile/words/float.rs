//! Floating point, and all comparisons.

use bitline_units::array::isa::Opcode as Op;
use bitline_units::array::isa::format::{FORMATS, Mode, Rounding};
use bitline_units::duality::isa::codes::Predicate;

use super::code::{Code, Part, Second};
use super::scalar::Relation;
use super::select::{Home, Select};
use crate::error::Result;
use crate::ptx::ast::{Instruction, Operand};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word};

/// The number that words have for a type's format.
pub(super) fn format(ty: Type) -> u64 {
    let name = match ty {
        Type::F16 => "f16",
        Type::BF16 => "bf16",
        Type::F64 => "f64",
        _ => "f32",
    };
    FORMATS.iter().position(|format| format.name == name).map_or(0, |at| at as u64 + 1)
}

/// Rounding and flushing of an instruction.
pub(super) fn mode(it: &Instruction) -> u64 {
    let rounding = match it.words.one_of(&[Word::Rz, Word::Rm, Word::Rp]) {
        Some(Word::Rz) => Rounding::TowardZero,
        Some(Word::Rm) => Rounding::Down,
        Some(Word::Rp) => Rounding::Up,
        _ => Rounding::NearestEven,
    };
    let flush = it.words.has(Word::Ftz);
    Mode { rounding, flush_operands: flush, flush_results: flush }.key()
}

impl Select<'_> {
    /// An operation on numbers of a type, in all threads.
    pub(super) fn numbers(&mut self, opcode: Op, ty: Type, modifier: u64, d: Part, a: Part, b: Second) {
        let (format, width, predicate) = (format(ty), ty.bits().into(), Predicate::All);
        self.word(Code::Compute { opcode, format, width, modifier, d, a: Some(a), b, e: None, predicate });
    }

    /// Floating point without comparisons.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn float(&mut self) -> Result<()> {
        let it = self.it();
        let ty = it.ty();
        if it.opcode == Opcode::Cvt {
            return self.convert();
        }
        let opcode = match it.opcode {
            Opcode::Mov | Opcode::Selp => return self.integer(),
            Opcode::Add => Op::FAdd,
            Opcode::Sub => Op::FSub,
            Opcode::Mul => Op::FMul,
            // Rounded to nearest they are better than what approximations promise.
            Opcode::Div => Op::FDiv,
            Opcode::Sqrt => Op::FSqrt,
            Opcode::Rcp => Op::FRcp,
            Opcode::Rsqrt => Op::FRsqrt,
            Opcode::Ex2 => Op::FExp2,
            Opcode::Lg2 => Op::FLog2,
            Opcode::Sin => Op::FSin,
            Opcode::Cos => Op::FCos,
            Opcode::Tanh => Op::FTanh,
            Opcode::Min => Op::FMin,
            Opcode::Max => Op::FMax,
            Opcode::Neg => Op::FNeg,
            Opcode::Abs => Op::FAbs,
            Opcode::Copysign => Op::FCopySign,
            Opcode::Fma | Opcode::Mad => return self.fused(ty),
            _ => return self.refuse("the array has no such operation"),
        };
        // The array takes the magnitude first.
        let (mut first, mut second) = if opcode == Op::FCopySign { (2, 1) } else { (1, 2) };
        let computed = matches!(opcode, Op::FSqrt | Op::FRcp | Op::FRsqrt) || opcode.is_function();
        let binary = !computed && !matches!(opcode, Op::FNeg | Op::FAbs);
        let rounds = computed || matches!(opcode, Op::FAdd | Op::FSub | Op::FMul | Op::FDiv);
        // What stands in no rows is better the second source.
        if matches!(opcode, Op::FAdd | Op::FMul) && !matches!(self.operand(first)?, Home::Rows(_)) {
            (first, second) = (second, first);
        }
        let flushed = it.words.has(Word::Ftz) && !rounds;
        let mut a = self.number(first, ty)?;
        let mut b = if binary { self.second_number(second, ty)? } else { Second::None };
        if flushed {
            a = self.flushed(a);
            if binary {
                let part = self.number(second, ty)?;
                b = Second::Rows(self.flushed(part));
            }
        }
        let modifier = if rounds { mode(it) } else { 0 };
        if it.words.has(Word::Sat) {
            let t = self.rows(ty.bits().into());
            self.numbers(opcode, ty, modifier, t, a, b);
            return self.finished(t, ty);
        }
        let (d, predicate) = self.target()?;
        let (format, width) = (format(ty), ty.bits().into());
        self.word(Code::Compute { opcode, format, width, modifier, d, a: Some(a), b, e: None, predicate });
        Ok(())
    }

    /// Writes a rounded number to the result, limited.
    fn finished(&mut self, t: Part, ty: Type) -> Result<()> {
        if self.it().words.has(Word::Relu) {
            self.without_negative(t);
        }
        if self.it().words.has(Word::Sat) { self.limited(t, ty) } else { self.extended(t) }
    }

    /// 0 in place of numbers with a sign; a NaN that is computed has none.
    pub(super) fn without_negative(&mut self, t: Part) {
        let sign = self.rows(1);
        self.fill(sign, Home::Rows(t.part(t.rows - 1, 1)), Predicate::All);
        self.compute_where(Op::Zero, t.rows, t, None, Second::None, Some(sign), Predicate::Where);
    }

    /// `fma`, whose third source is in rows.
    fn fused(&mut self, ty: Type) -> Result<()> {
        let modifier = mode(self.it());
        // What stands in no rows is better the second source.
        let (first, second) = if matches!(self.operand(1)?, Home::Rows(_)) { (1, 2) } else { (2, 1) };
        let (a, b, c) = (self.number(first, ty)?, self.second_number(second, ty)?, self.number(3, ty)?);
        let (opcode, format, width) = (Op::FFma, format(ty), ty.bits().into());
        let words = self.it().words;
        let more = words.has(Word::Sat) || words.has(Word::Relu);
        let (d, predicate) = if more { (self.rows(width), Predicate::All) } else { self.target()? };
        self.word(Code::Compute { opcode, format, width, modifier, d, a: Some(a), b, e: Some(c), predicate });
        if more { self.finished(d, ty) } else { Ok(()) }
    }

    /// Rows of a number, all of them.
    pub(super) fn number(&mut self, index: usize, ty: Type) -> Result<Part> {
        let (part, bits) = (self.source(index, ty)?, u64::from(ty.bits()));
        if part.rows == bits {
            return Ok(part);
        }
        let t = self.rows(bits);
        self.fill(t, Home::Rows(part), Predicate::All);
        Ok(t)
    }

    fn second_number(&mut self, index: usize, ty: Type) -> Result<Second> {
        Ok(match self.operand(index)? {
            Home::Rows(_) => Second::Rows(self.number(index, ty)?),
            home if ty.bits() > 32 => Second::Rows(self.in_rows(home, ty.bits().into())),
            home => self.second(home, ty.bits().into()),
        })
    }

    /// A copy of a binary32 or binary16 number, 0 with its sign if it is subnormal.
    pub(super) fn flushed(&mut self, from: Part) -> Part {
        let (exponent, fraction) = if from.rows == 16 { (5, 10) } else { (8, 23) };
        let (t, small) = (self.rows(from.rows), self.rows(1));
        self.fill(t, Home::Rows(from), Predicate::All);
        self.compute(Op::Eq, exponent, small, Some(t.part(fraction, exponent)), Second::Number(exponent, 0, false));
        self.compute_where(Op::Zero, fraction, t.part(0, fraction), None, Second::None, Some(small), Predicate::Where);
        t
    }

    /// `setp` and `set`.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn compare(&mut self) -> Result<()> {
        let it = self.it();
        let ty = it.types[it.types.len() - 1];
        let mut result = self.rows(1);
        // Without more to do the comparison writes its result itself.
        if let (Opcode::Setp, 3, Operand::Register(register)) = (it.opcode, it.operands.len(), &it.operands[0]) {
            let (d, predicate) = self.result(*register);
            if predicate == Predicate::All {
                return if ty.is_float() { self.compare_numbers(ty, d) } else { self.compare_integers(ty, d) };
            }
        }
        if ty.is_float() {
            self.compare_numbers(ty, result)?
        } else {
            self.compare_integers(ty, result)?
        }
        if it.opcode == Opcode::Set {
            if it.operands.len() > 3 {
                result = self.joined(result)?;
            }
            // The ones of 1.0 are all in one piece.
            let (from, ones) = match it.ty() {
                Type::F16 => (10, 4),
                Type::BF16 => (7, 7),
                Type::F32 => (23, 7),
                _ => return self.extended(result.extended(true)),
            };
            let t = self.rows(it.ty().bits().into());
            self.fill(t, Home::Number(0), Predicate::All);
            self.fill(t.part(from, ones), Home::Rows(result.extended(true)), Predicate::All);
            return self.extended(t);
        }
        let pair = match it.operands[0] {
            Operand::Register(first) => (first, None),
            Operand::Pair(first, second) => (first, Some(second)),
            _ => return self.refuse("such a result"),
        };
        // The second predicate has the opposite, joined with the same.
        let mut other = self.rows(1);
        if pair.1.is_some() {
            self.compute(Op::Not, 1, other, Some(result), Second::None);
        }
        if it.operands.len() > 3 {
            result = self.joined(result)?;
            other = if pair.1.is_some() { self.joined(other)? } else { other };
        }
        for (register, row) in [(Some(pair.0), result), (pair.1, other)] {
            let Some(register) = register else { continue };
            let value = self.analysis.webs.written(self.at(), register);
            if !matches!(self.home(value), Home::Rows(_)) {
                return self.refuse("two results");
            }
            let (d, predicate) = self.result(register);
            self.fill(d, Home::Rows(row), predicate);
        }
        Ok(())
    }

    /// A comparison joined with a predicate.
    fn joined(&mut self, row: Part) -> Result<Part> {
        let op = match self.it().words.one_of(&[Word::And, Word::Or]) {
            Some(Word::And) => Op::And,
            Some(_) => Op::Or,
            None => Op::Xor,
        };
        let with = self.operand(3)?;
        let (with, t) = (self.second(with, 1), self.rows(1));
        self.compute(op, 1, t, Some(row), with);
        Ok(t)
    }

    fn compare_integers(&mut self, ty: Type, d: Part) -> Result<()> {
        let (relation, inverted) = Relation::of(self.it());
        let (relation, signed) = (relation, ty.is_signed());
        let op = match (relation, inverted, signed) {
            (Relation::Equal, false, _) => Op::Eq,
            (Relation::Equal, true, _) => Op::Ne,
            (Relation::Less, false, false) => Op::LtU,
            (Relation::Less, false, true) => Op::LtS,
            (Relation::Less, true, false) => Op::GeU,
            (Relation::Less, true, true) => Op::GeS,
            (Relation::Greater, false, false) => Op::GtU,
            (Relation::Greater, false, true) => Op::GtS,
            (Relation::Greater, true, false) => Op::LeU,
            (Relation::Greater, true, true) => Op::LeS,
        };
        let (a, b) = (self.source(1, ty)?, self.other(2, ty)?);
        // Numbers that are narrower than their type are not negative, and few rows tell them apart.
        let bits = u64::from(ty.bits());
        let narrow = match b {
            Second::Rows(part) if !part.signed => Some(part.rows),
            Second::Number(_, number, false) => Some(u64::from(64 - number.leading_zeros())),
            _ => None,
        };
        if let Some(rows) = narrow.filter(|rows| !a.signed && (*rows).max(a.rows) < bits) {
            let rows = rows.max(a.rows);
            let op = match op {
                Op::LtS => Op::LtU,
                Op::LeS => Op::LeU,
                Op::GtS => Op::GtU,
                Op::GeS => Op::GeU,
                other => other,
            };
            let b = if let Second::Number(_, number, _) = b { Second::Number(rows, number, false) } else { b };
            self.compute(op, rows, d, Some(a), b);
            return Ok(());
        }
        self.compute(op, bits, d, Some(a), b);
        Ok(())
    }

    fn compare_numbers(&mut self, ty: Type, d: Part) -> Result<()> {
        let it = self.it();
        let all = [
            // Relation, operands exchanged, the opposite meant.
            (Word::Eq, Op::FEq, false, false),
            (Word::Lt, Op::FLt, false, false),
            (Word::Le, Op::FLe, false, false),
            (Word::Gt, Op::FLt, true, false),
            (Word::Ge, Op::FLe, true, false),
            (Word::Neu, Op::FEq, false, true),
            (Word::Ltu, Op::FLe, true, true),
            (Word::Leu, Op::FLt, true, true),
            (Word::Gtu, Op::FLe, false, true),
            (Word::Geu, Op::FLt, false, true),
            (Word::Nan, Op::FUnordered, false, false),
            (Word::Num, Op::FUnordered, false, true),
            // Equal, and unordered or not, by a second comparison.
            (Word::Ne, Op::FEq, false, true),
            (Word::Equ, Op::FEq, false, false),
        ];
        let found = all.into_iter().find(|(word, ..)| it.words.has(*word));
        let (word, op, exchanged, inverted) = found.unwrap_or((Word::Eq, Op::FEq, false, false));
        let (first, second) = if exchanged { (2, 1) } else { (1, 2) };
        let (a, b) = (self.number(first, ty)?, self.second_number(second, ty)?);
        let mode = Mode { flush_operands: it.words.has(Word::Ftz), ..Mode::default() }.key();
        let t = self.rows(1);
        self.numbers(op, ty, mode, t, a, b);
        let t = if inverted {
            let opposite = self.rows(1);
            self.compute(Op::Not, 1, opposite, Some(t), Second::None);
            opposite
        } else {
            t
        };
        if !matches!(word, Word::Ne | Word::Equ) {
            self.compute(Op::Copy, 1, d, Some(t), Second::None);
            return Ok(());
        }
        let unordered = self.rows(1);
        self.numbers(Op::FUnordered, ty, mode, unordered, a, b);
        if word == Word::Equ {
            self.compute(Op::Or, 1, d, Some(t), Second::Rows(unordered));
        } else {
            let ordered = self.rows(1);
            self.compute(Op::Not, 1, ordered, Some(unordered), Second::None);
            self.compute(Op::And, 1, d, Some(t), Second::Rows(ordered));
        }
        Ok(())
    }
}
