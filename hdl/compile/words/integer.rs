//! Integers, logic, shifts.

use bitline_units::array::isa::Opcode as Op;
use bitline_units::duality::isa::codes::Predicate;

use super::code::{Code, Part, Second};
use super::costs::MOST_MOVED;
use super::fill::cut;
use super::select::{Home, Select};
use crate::error::Result;
use crate::ptx::ast::Operand;
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word};

impl Select<'_> {
    /// Rows of the operand `index`, extended as its type says.
    pub(super) fn source(&mut self, index: usize, ty: Type) -> Result<Part> {
        let home = self.operand(index)?;
        let part = self.in_rows(home, ty.bits().into());
        Ok(part)
    }

    /// The operand `index` as a second source.
    pub(super) fn other(&mut self, index: usize, ty: Type) -> Result<Second> {
        let home = self.operand(index)?;
        Ok(self.second(home, ty.bits().into()))
    }

    /// The rows of the result, and in which threads they are written.
    pub(super) fn target(&mut self) -> Result<(Part, Predicate)> {
        match self.it().operands[0] {
            Operand::Register(register) => Ok(self.result(register)),
            _ => self.refuse("such a result"),
        }
    }

    /// Which operands come first and second where their order does not matter: rows before what would have to be
    /// brought there.
    pub(super) fn ordered(&mut self) -> Result<(usize, usize)> {
        let first = matches!(self.operand(1)?, Home::Rows(_));
        Ok(if first || !matches!(self.operand(2)?, Home::Rows(_)) { (1, 2) } else { (2, 1) })
    }

    /// An operation whose result has its type's width.
    fn plain(&mut self, opcode: Op, binary: bool) -> Result<()> {
        let ty = self.it().ty();
        let commutes =
            matches!(opcode, Op::Add | Op::And | Op::Or | Op::Xor | Op::MinU | Op::MinS | Op::MaxU | Op::MaxS);
        let (first, second) = if commutes { self.ordered()? } else { (1, 2) };
        let a = self.source(first, ty)?;
        let b = if binary { self.other(second, ty)? } else { Second::None };
        let (d, predicate) = self.target()?;
        self.compute_all(opcode, ty.bits().into(), d, a, b, predicate);
        Ok(())
    }

    fn compute_all(&mut self, opcode: Op, width: u64, d: Part, a: Part, b: Second, predicate: Predicate) {
        self.compute_where(opcode, width, d, Some(a), b, None, predicate);
    }

    /// Integers and logic.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn integer(&mut self) -> Result<()> {
        let it = self.it();
        let ty = it.types.first().copied().unwrap_or(Type::Pred);
        let pick = |unsigned: Op, signed: Op| if ty.is_signed() { signed } else { unsigned };
        match it.opcode {
            Opcode::Mov => self.moved(),
            Opcode::Cvta => self.address(),
            Opcode::Add | Opcode::Sub if it.words.has(Word::Cc) => self.carried(ty),
            Opcode::Addc | Opcode::Subc => self.carried(ty),
            Opcode::Dp4a | Opcode::Dp2a => self.products(),
            Opcode::Brev => self.reversed(ty),
            Opcode::Add => self.plain(Op::Add, true),
            Opcode::Sub => self.plain(Op::Sub, true),
            Opcode::And => self.plain(Op::And, true),
            Opcode::Or => self.plain(Op::Or, true),
            Opcode::Xor => self.plain(Op::Xor, true),
            Opcode::Not => self.plain(Op::Not, false),
            Opcode::Neg => self.plain(Op::Neg, false),
            Opcode::Abs => self.plain(Op::Abs, false),
            Opcode::Min => self.plain(pick(Op::MinU, Op::MinS), true),
            Opcode::Max => self.plain(pick(Op::MaxU, Op::MaxS), true),
            Opcode::Div => self.plain(pick(Op::DivU, Op::DivS), true),
            Opcode::Rem => self.plain(pick(Op::RemU, Op::RemS), true),
            Opcode::Mul | Opcode::Mad => self.product(ty),
            Opcode::Sad => self.distance(ty),
            Opcode::Shl | Opcode::Shr => self.shift(ty),
            Opcode::Selp => self.choose(ty),
            Opcode::Slct => self.choose_by_sign(ty),
            Opcode::Cvt => self.convert(),
            Opcode::Popc => self.count(Op::Popcount, ty),
            Opcode::Clz => self.count(Op::Clz, ty),
            Opcode::Cnot => {
                let (a, zero) = (self.source(1, ty)?, self.rows(1));
                let width = ty.bits().into();
                let none = self.second(Home::Number(0), width);
                self.compute(Op::Eq, width, zero, Some(a), none);
                self.extended(zero)
            }
            Opcode::Bfe => self.extract(ty),
            _ => self.refuse("no operation of the array does it"),
        }
    }

    /// Writes rows to the result, extended as they say.
    pub(super) fn extended(&mut self, from: Part) -> Result<()> {
        let (d, predicate) = self.target()?;
        self.fill(d, Home::Rows(from), predicate);
        Ok(())
    }

    /// `mov`, whole or in parts.
    fn moved(&mut self) -> Result<()> {
        let it = self.it();
        match (&it.operands[0], &it.operands[1]) {
            (Operand::Vector(parts), _) => {
                let bits = u64::from(it.ty().bits()) / parts.len() as u64;
                let whole = self.source(1, it.ty())?;
                for (index, part) in parts.iter().enumerate() {
                    if let Operand::Register(register) = part {
                        let (d, predicate) = self.result(*register);
                        // A narrow value has zeros above.
                        let (from, all) = (bits * index as u64, whole.rows);
                        let own = (from < all).then(|| whole.part(from, bits.min(all - from)));
                        self.fill(d, own.map_or(Home::Number(0), Home::Rows), predicate);
                    }
                }
                Ok(())
            }
            (Operand::Register(_), Operand::Vector(parts)) => {
                let (d, predicate) = self.target()?;
                let bits = d.rows / parts.len() as u64;
                for (index, part) in parts.iter().enumerate() {
                    let home = self.operand_of(part)?;
                    self.fill(d.part(bits * index as u64, bits), home, predicate);
                }
                Ok(())
            }
            _ => {
                let home = self.operand(1)?;
                let (d, predicate) = self.target()?;
                self.fill(d, home, predicate);
                Ok(())
            }
        }
    }

    /// `cvta`.
    fn address(&mut self) -> Result<()> {
        let it = self.it();
        let window = match it.space {
            Some(Space::Global | Space::Const) => 0,
            Some(Space::Shared) => super::scalar::SHARED_WINDOW,
            _ => return self.refuse("local memory without a variable in it"),
        };
        let bits = u64::from(it.ty().bits());
        let a = self.source(1, it.ty())?;
        let (d, predicate) = self.target()?;
        let b = self.second(Home::Number(window.into()), bits);
        let op = if it.words.has(Word::To) { Op::Sub } else { Op::Add };
        self.compute_all(op, bits, d, a, b, predicate);
        Ok(())
    }

    /// `mul` and `mad`: the lower half, the upper one, or both.
    fn product(&mut self, ty: Type) -> Result<()> {
        let it = self.it();
        let n = u64::from(ty.bits());
        let (first, second) = self.ordered()?;
        let a = self.source(first, ty)?;
        let full = if ty.is_signed() { Op::MulS } else { Op::MulU };
        let add = it.opcode == Opcode::Mad;
        let wide = it.words.has(Word::Wide);
        let width = if wide { 2 * n } else { n };
        if let (Home::Number(one), Home::Number(other), true) =
            (self.operand(1)?, self.operand(2)?, add && !wide && !it.words.has(Word::Hi))
        {
            let (number, added) = (one.wrapping_mul(other) & ty.mask(), self.operand(3)?);
            let (d, predicate) = self.target()?;
            if number == 0 {
                self.fill(d, added, predicate);
            } else {
                let (a, b) = (self.in_rows(added, n), self.second(Home::Number(number), n));
                self.compute_all(Op::Add, n, d, a, b, predicate);
            }
            return Ok(());
        }
        if let (Home::Number(factor), false) = (self.operand(second)?, it.words.has(Word::Hi)) {
            let added = if add { Some(self.operand(3)?) } else { None };
            let (d, predicate) = self.target()?;
            let width = width.min(d.rows);
            let t = if predicate == Predicate::All { d } else { self.rows(width) };
            // Twice as wide, both factors are extended as their type says; rows that are fewer hold no sign.
            let negative = wide && ty.is_signed() && factor >> (n - 1) & 1 == 1;
            let factor = if negative { factor | !ty.mask() } else { factor & ty.mask() };
            let a = if wide && a.rows == n { a.extended(ty.is_signed()) } else { a };
            let a = cut(a, width);
            if self.multiple(a, factor, width, added, t) {
                return if t == d { Ok(()) } else { self.extended(t) };
            }
        }
        let b = self.other(second, ty)?;
        let result = if wide && !add {
            let (d, predicate) = self.target()?;
            self.compute_all(full, n, d, a, b, predicate);
            return Ok(());
        } else if wide {
            let t = self.rows(2 * n);
            self.compute(full, n, t, Some(a), b);
            t
        } else if it.words.has(Word::Hi) {
            let t = self.rows(2 * n);
            self.compute(full, n, t, Some(a), b);
            if 2 * n > MOST_MOVED { self.copied(t.part(n, n)) } else { t.part(n, n) }
        } else if !add {
            let (d, predicate) = self.target()?;
            self.compute_all(Op::MulLow, n, d, a, b, predicate);
            return Ok(());
        } else {
            let wanted = self.target()?.0.rows;
            let t = self.rows(n.min(wanted));
            self.compute(Op::MulLow, n, t, Some(a), b);
            t
        };
        if !add {
            return self.extended(result);
        }
        let home = self.operand(3)?;
        let c = self.second(home, width);
        let (d, predicate) = self.target()?;
        self.compute_all(Op::Add, width, d, result, c, predicate);
        Ok(())
    }

    /// Rows of their own with what these hold.
    fn copied(&mut self, from: Part) -> Part {
        let t = self.rows(from.rows);
        self.fill(t, Home::Rows(from), Predicate::All);
        t
    }

    /// `sad`: |a − b| + c.
    fn distance(&mut self, ty: Type) -> Result<()> {
        let n = u64::from(ty.bits());
        let (a, b, c) = (self.source(1, ty)?, self.other(2, ty)?, self.other(3, ty)?);
        let (most, least) = if ty.is_signed() { (Op::MaxS, Op::MinS) } else { (Op::MaxU, Op::MinU) };
        let (high, low, apart) = (self.rows(n), self.rows(n), self.rows(n));
        self.compute(most, n, high, Some(a), b);
        self.compute(least, n, low, Some(a), b);
        self.compute(Op::Sub, n, apart, Some(high), Second::Rows(low));
        let (d, predicate) = self.target()?;
        self.compute_all(Op::Add, n, d, apart, c, predicate);
        Ok(())
    }

    /// Shifts. By a number they are copies of other rows.
    fn shift(&mut self, ty: Type) -> Result<()> {
        let n = u64::from(ty.bits());
        let left = self.it().opcode == Opcode::Shl;
        let a = self.source(1, ty)?;
        let amount = self.operand(2)?;
        if let Home::Number(amount) = amount {
            let amount = amount & u64::from(u32::MAX);
            let (d, predicate) = self.target()?;
            return match (left, amount) {
                (_, 0) => {
                    self.fill(d, Home::Rows(a), predicate);
                    Ok(())
                }
                // A narrow result has no rows that far up: nothing is shifted that is not 0.
                (true, _) if amount >= d.rows => {
                    self.fill(d, Home::Number(0), predicate);
                    Ok(())
                }
                (true, 1..32) if amount < n => {
                    let (a, b) = (Some(cut(a, d.rows)), Second::None);
                    let (opcode, width, modifier) = (Op::Copy, d.rows, amount);
                    self.word(Code::Compute { opcode, format: 0, width, modifier, d, a, b, e: None, predicate });
                    Ok(())
                }
                (true, _) if amount < n => {
                    let t = self.rows(n);
                    self.fill(t, Home::Number(0), Predicate::All);
                    self.fill(t.part(amount, n - amount), Home::Rows(a), Predicate::All);
                    self.fill(d, Home::Rows(t), predicate);
                    Ok(())
                }
                (false, _) if amount < a.rows => {
                    // Narrow sources are extended with zeros.
                    let signed = ty.is_signed() && a.rows == n;
                    let part = a.part(amount, a.rows - amount).extended(signed);
                    self.fill(d, Home::Rows(part), predicate);
                    Ok(())
                }
                (false, _) if ty.is_signed() && a.rows == n => {
                    self.fill(d, Home::Rows(a.part(n - 1, 1).extended(true)), predicate);
                    Ok(())
                }
                _ => {
                    self.fill(d, Home::Number(0), predicate);
                    Ok(())
                }
            };
        }
        // No more than the width: of larger amounts the array would see the low bits.
        let (b, limited) = (self.in_rows(amount, 32), self.rows(32));
        self.compute(Op::MinU, 32, limited, Some(b), Second::Number(32, n, false));
        let op = match (left, ty.is_signed()) {
            (true, _) => Op::Shl,
            (false, true) => Op::Sar,
            (false, false) => Op::Shr,
        };
        let (d, predicate) = self.target()?;
        let bits = u64::from(n.ilog2()) + 1;
        self.compute_all(op, n, d, a, Second::Rows(limited.part(0, bits)), predicate);
        Ok(())
    }

    /// `selp`. A predicate as a number, 1 or all ones where it holds and else 0, is a copy of its row.
    fn choose(&mut self, ty: Type) -> Result<()> {
        let (condition, ones) = (self.operand(3)?, ty.mask());
        if let (Home::Rows(row), Home::Number(a), Home::Number(b)) = (condition, self.operand(1)?, self.operand(2)?)
            && b & ones == 0
            && (a & ones == 1 || a & ones == ones)
        {
            return self.extended(row.extended(a & ones != 1));
        }
        self.chosen(ty, condition)
    }

    /// The first operand where a predicate holds, else the second.
    fn chosen(&mut self, ty: Type, condition: Home) -> Result<()> {
        let n = u64::from(ty.bits());
        let e = self.in_rows(condition, 1);
        let (a, b) = (self.source(1, ty)?, self.other(2, ty)?);
        let (d, predicate) = self.target()?;
        if predicate == Predicate::All {
            self.compute_where(Op::Select, n, d, Some(a), b, Some(e), predicate);
            return Ok(());
        }
        let t = self.rows(d.rows);
        self.compute_where(Op::Select, n, t, Some(a), b, Some(e), Predicate::All);
        self.fill(d, Home::Rows(t), predicate);
        Ok(())
    }

    /// `slct`, by the sign of an integer.
    fn choose_by_sign(&mut self, ty: Type) -> Result<()> {
        let (c, positive) = (self.source(3, Type::S32)?, self.rows(1));
        let c = if c.rows < 32 { Home::Number(1) } else { Home::Rows(c) };
        match c {
            Home::Rows(c) => self.compute(Op::Not, 1, positive, Some(c.part(31, 1)), Second::None),
            home => self.fill(positive, home, Predicate::All),
        }
        self.chosen(ty, Home::Rows(positive))
    }

    /// Counts of bits.
    fn count(&mut self, opcode: Op, ty: Type) -> Result<()> {
        let n = u64::from(ty.bits());
        let (a, count) = (self.source(1, ty)?, self.rows(u64::from(n.ilog2()) + 1));
        self.compute(opcode, n, count, Some(a), Second::None);
        self.extended(count)
    }

    /// `bfe` with numbers for place and length.
    fn extract(&mut self, ty: Type) -> Result<()> {
        let n = u64::from(ty.bits());
        let a = self.source(1, ty)?;
        let (Home::Number(from), Home::Number(length)) = (self.operand(2)?, self.operand(3)?) else {
            return self.refuse("place and length that are computed; shift instead");
        };
        let (from, length) = (from & 255, length & 255);
        let (d, predicate) = self.target()?;
        let narrow = a.rows < n;
        let rows = length.min(a.rows.saturating_sub(from));
        if length == 0 || rows == 0 && (narrow || !ty.is_signed()) {
            self.fill(d, Home::Number(0), predicate);
        } else if rows == 0 {
            self.fill(d, Home::Rows(a.part(n - 1, 1).extended(true)), predicate);
        } else {
            let whole = rows == length || !narrow;
            self.fill(d, Home::Rows(a.part(from, rows).extended(ty.is_signed() && whole)), predicate);
        }
        Ok(())
    }
}
