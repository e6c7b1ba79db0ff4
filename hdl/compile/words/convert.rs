//! Conversions: between integers, between floating-point formats, and between the two.
//!
//! The array rounds to integers as PTX does, and takes the nearest integer for what is beyond all. Of a NaN it makes 0,
//! PTX the top bit alone where 64 bits are on either side: then the row of that bit gets the NaN's predicate.

use bitline_units::array::isa::Opcode as Op;
use bitline_units::array::isa::format::{Mode, Rounding};
use bitline_units::duality::isa::codes::Predicate;

use super::code::{Code, Part, Second};
use super::fill::cut;
use super::float::{format, mode};
use super::select::{Home, Select};
use crate::error::Result;
use crate::ptx::types::{Type, Word};

/// The operation from integers to numbers of a type.
fn from_integer(to: Type, signed: bool) -> Op {
    match (to, signed) {
        (Type::F16, false) => Op::F16FromIntU,
        (Type::F16, true) => Op::F16FromIntS,
        (Type::F32, false) => Op::F32FromIntU,
        (Type::F32, true) => Op::F32FromIntS,
        (_, false) => Op::F64FromIntU,
        (_, true) => Op::F64FromIntS,
    }
}

/// The operation from numbers of a type to integers.
fn to_integer(from: Type, signed: bool) -> Op {
    match (from, signed) {
        (Type::F16, false) => Op::F16ToIntU,
        (Type::F16, true) => Op::F16ToIntS,
        (Type::F32, false) => Op::F32ToIntU,
        (Type::F32, true) => Op::F32ToIntS,
        (_, false) => Op::F64ToIntU,
        (_, true) => Op::F64ToIntS,
    }
}

/// The operation from numbers of a type to another format.
fn to_float(from: Type) -> Op {
    match from {
        Type::F16 => Op::F16ToFloat,
        Type::BF16 => Op::BF16ToFloat,
        Type::F32 => Op::F32ToFloat,
        _ => Op::F64ToFloat,
    }
}

impl Select<'_> {
    /// `cvt`.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn convert(&mut self) -> Result<()> {
        let it = self.it();
        let (to, from) = (it.ty(), it.types[1]);
        match (to.is_float(), from.is_float()) {
            (false, false) => self.convert_integer(to, from),
            (true, false) => self.integer_to_number(to, from),
            (false, true) => self.number_to_integer(to, from),
            (true, true) => self.convert_number(to, from),
        }
    }

    /// Rows of an integer as narrow as its type; a register may be wider.
    fn narrowed(&mut self, from: Type) -> Result<Part> {
        let bits = u64::from(from.bits());
        Ok(match self.operand(1)? {
            Home::Rows(part) => cut(part, bits),
            other => self.in_rows(other, bits),
        })
    }

    /// The direction to integers that the suffix names, as a mode.
    fn integral(&self) -> u64 {
        let it = self.it();
        let rounding = match it.words.one_of(&[Word::Rzi, Word::Rmi, Word::Rpi]) {
            Some(Word::Rzi) => Rounding::TowardZero,
            Some(Word::Rmi) => Rounding::Down,
            Some(Word::Rpi) => Rounding::Up,
            _ => Rounding::NearestEven,
        };
        Mode { rounding, flush_operands: it.words.has(Word::Ftz), flush_results: false }.key()
    }

    /// One word of a conversion in all threads, in the format of its result or of none.
    fn converted(&mut self, opcode: Op, ty: Option<Type>, width: u64, modifier: u64, d: Part, a: Part) {
        let (format, predicate) = (ty.map_or(0, format), Predicate::All);
        self.word(Code::Compute {
            opcode,
            format,
            width,
            modifier,
            d,
            a: Some(a),
            b: Second::None,
            e: None,
            predicate,
        });
    }

    /// Rows of the result itself, where nothing else is to be done with it, or rows for a moment.
    fn direct(&mut self, rows: u64) -> Result<(Part, bool)> {
        let (d, predicate) = self.target()?;
        let own = predicate == Predicate::All && d.rows == rows;
        Ok((if own { d } else { self.rows(rows) }, own))
    }

    fn integer_to_number(&mut self, to: Type, from: Type) -> Result<()> {
        let a = self.narrowed(from)?;
        // What is narrower than its type has zeros above.
        let bits = u64::from(from.bits());
        let a = a.extended(from.is_signed() && a.rows == bits);
        let modifier = mode(self.it()) & !Mode { flush_operands: true, flush_results: true, ..Mode::default() }.key();
        let (d, own) = self.direct(to.bits().into())?;
        self.converted(from_integer(to, from.is_signed()), None, bits, modifier, d, a);
        if self.it().words.has(Word::Sat) {
            return self.limited(d, to);
        }
        if own { Ok(()) } else { self.extended(d) }
    }

    fn number_to_integer(&mut self, to: Type, from: Type) -> Result<()> {
        let (a, bits, modifier) = (self.number(1, from)?, u64::from(to.bits()), self.integral());
        let (d, own) = self.direct(bits)?;
        let top = from == Type::F64 || bits == 64;
        let nan = self.rows(1);
        if top {
            self.numbers(Op::FUnordered, from, 0, nan, a, Second::Rows(a));
        }
        self.converted(to_integer(from, to.is_signed()), None, bits, modifier, d, a);
        if top {
            let row = d.part(bits - 1, 1);
            self.compute(Op::Or, 1, row, Some(row), Second::Rows(nan));
        }
        if own { Ok(()) } else { self.extended(d.extended(to.is_signed())) }
    }

    fn convert_number(&mut self, to: Type, from: Type) -> Result<()> {
        let it = self.it();
        let a = self.number(1, from)?;
        let bits = u64::from(to.bits());
        let rounds = it.words.one_of(&[Word::Rni, Word::Rzi, Word::Rmi, Word::Rpi]).is_some();
        let (mut d, own) = self.direct(bits)?;
        if rounds {
            self.converted(Op::FRound, Some(to), bits, self.integral(), d, a);
        } else {
            // Whether a result is subnormal PTX asks of the rounded number, and the array of the exact one.
            // Subnormal numbers of binary16 are none of binary32, which alone `.ftz` is about.
            let flush_operands = from == Type::F16;
            let flush = Mode { flush_operands, flush_results: true, ..Mode::default() }.key();
            self.converted(to_float(from), Some(to), bits, mode(it) & !flush, d, a);
        }
        let narrows = it.words.has(Word::Ftz) && to == Type::F32 && from == Type::F64;
        if narrows {
            d = self.flushed(d);
        }
        if it.words.has(Word::Relu) {
            self.without_negative(d);
        }
        if it.words.has(Word::Sat) {
            return self.limited(d, to);
        }
        if own && !narrows { Ok(()) } else { self.extended(d) }
    }

    /// Writes a number that is limited to 0 … 1, a NaN as 0, to the result.
    ///
    /// # Errors
    ///
    /// An operand that is no result.
    pub fn limited(&mut self, x: Part, ty: Type) -> Result<()> {
        let bits = u64::from(ty.bits());
        let one = match ty {
            Type::F16 => 0x3c00,
            Type::F32 => 1.0_f32.to_bits().into(),
            _ => 1.0_f64.to_bits(),
        };
        let (zero, one) = (self.bound(0, bits), self.bound(one, bits));
        let (low, high) = (self.rows(bits), self.rows(bits));
        self.numbers(Op::FMax, ty, 0, low, x, zero);
        self.numbers(Op::FMin, ty, 0, high, low, one);
        self.extended(high)
    }

    /// A number of a format as a second source: immediates have at most 32 bits.
    fn bound(&mut self, number: u64, bits: u64) -> Second {
        if bits <= 32 {
            return Second::Number(bits, number, false);
        }
        Second::Rows(self.in_rows(Home::Number(number), bits))
    }

    /// Between integers.
    fn convert_integer(&mut self, to: Type, from: Type) -> Result<()> {
        let mut a = self.narrowed(from)?;
        // What is narrower than its type has zeros above.
        let mut signed = from.is_signed() && a.rows == u64::from(from.bits());
        if self.it().words.has(Word::Sat) {
            a = self.clamped(a.extended(signed), to, from);
            signed = from.is_signed();
        }
        let narrow = to.bits() <= from.bits();
        if narrow {
            let rows = a.rows.min(to.bits().into());
            return self.extended(a.part(0, rows).extended(to.is_signed() && rows == u64::from(to.bits())));
        }
        let (d, _) = self.target()?;
        if d.rows == u64::from(to.bits()) || signed == to.is_signed() || !signed {
            return self.extended(a.extended(signed));
        }
        let t = self.rows(to.bits().into());
        self.fill(t, Home::Rows(a.extended(signed)), Predicate::All);
        self.extended(t.extended(to.is_signed()))
    }

    /// An integer of all bits of its type, limited to the range of another one.
    fn clamped(&mut self, a: Part, to: Type, from: Type) -> Part {
        let (own, other) = (u64::from(from.bits()), u64::from(to.bits()));
        let mut x = self.rows(own);
        self.fill(x, Home::Rows(a), Predicate::All);
        let (most, least) = if from.is_signed() { (Op::MinS, Op::MaxS) } else { (Op::MinU, Op::MaxU) };
        // The greatest one has as many ones as the type has bits besides its sign.
        let ones = if to.is_signed() { other - 1 } else { other };
        if ones < own - u64::from(from.is_signed()) {
            let (bound, t) = (self.second(Home::Number(u64::MAX >> (64 - ones)), own), self.rows(own));
            self.compute(most, own, t, Some(x), bound);
            x = t;
        }
        let lowest = if to.is_signed() { u64::MAX << (other - 1) } else { 0 };
        if from.is_signed() && (!to.is_signed() || other < own) {
            let (bound, t) = (self.second(Home::Number(lowest), own), self.rows(own));
            self.compute(least, own, t, Some(x), bound);
            x = t;
        }
        x
    }
}
