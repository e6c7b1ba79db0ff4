//! Sums and differences with carry, and sums of products of parts.
//!
//! A sum with carry is an operation of the array, whose last row is the carry; a carry that comes in is one row that is
//! added. Of 64 bits it would have more rows than go from array to array: there a comparison says what is carried, as
//! it does of differences, which carry where nothing is borrowed.

use bitline_units::array::isa::Opcode as Op;
use bitline_units::duality::isa::codes::Predicate;

use super::code::{Part, Second};
use super::costs::MOST_MOVED;
use super::select::{Home, Select};
use crate::error::Result;
use crate::ptx::ast::{Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word};

impl Select<'_> {
    /// `add.cc`, `addc`, `sub.cc`, `subc`, behind [`crate::optimize`]: the carry is a predicate, of which `subc` reads
    /// the opposite.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn carried(&mut self, ty: Type) -> Result<()> {
        let it = self.it();
        let n = u64::from(ty.bits());
        let carry_in = match it.opcode {
            Opcode::Addc | Opcode::Subc => {
                let carry = self.operand(3)?;
                Some(self.second(carry, 1))
            }
            _ => None,
        };
        let adds = matches!(it.opcode, Opcode::Add | Opcode::Addc);
        let (first, second) = if adds { self.ordered()? } else { (1, 2) };
        let (a, b) = (self.source(first, ty)?, self.other(second, ty)?);
        let (d, cc) = match it.operands[0] {
            // Of a carry that nobody looks at there is no word.
            Operand::Pair(d, cc) if self.analysis.webs.is_read(self.analysis.webs.written(self.at(), cc)) => {
                (d, Some(cc))
            }
            Operand::Pair(d, _) | Operand::Register(d) => (d, None),
            _ => return self.refuse("such a result"),
        };
        let step = if adds { Self::sum } else { Self::difference };
        let (mut value, mut carry) = step(self, n, a, b, cc.is_some());
        if let Some(carry_in) = carry_in {
            let (with, more) = step(self, n, value, carry_in, cc.is_some());
            // Not both sums carry, since the first one leaves all ones no longer; nor do both differences borrow.
            if let (Some(carry), Some(more)) = (carry, more) {
                self.compute(if adds { Op::Or } else { Op::And }, 1, more, Some(more), Second::Rows(carry));
            }
            (value, carry) = (with, more);
        }
        self.put_rows(d, value)?;
        match (cc, carry) {
            (Some(cc), Some(carry)) => self.put_rows(cc, carry),
            _ => Ok(()),
        }
    }

    /// A sum of n bits, and its carry, if that is wanted.
    fn sum(&mut self, n: u64, a: Part, b: Second, carries: bool) -> (Part, Option<Part>) {
        if carries && n < MOST_MOVED {
            let t = self.rows(n + 1);
            self.compute(Op::AddCarry, n, t, Some(a), b);
            return (t.part(0, n), Some(t.part(n, 1)));
        }
        let t = self.rows(n);
        self.compute(Op::Add, n, t, Some(a), b);
        let carry = carries.then(|| self.rows(1));
        carry.iter().for_each(|carry| self.compute(Op::LtU, n, *carry, Some(t), Second::Rows(a)));
        (t, carry)
    }

    /// A difference of n bits, and whether nothing is borrowed, if that is wanted.
    fn difference(&mut self, n: u64, a: Part, b: Second, carries: bool) -> (Part, Option<Part>) {
        let (t, whole) = (self.rows(n), carries.then(|| self.rows(1)));
        whole.iter().for_each(|whole| self.compute(Op::GeU, n, *whole, Some(a), b));
        self.compute(Op::Sub, n, t, Some(a), b);
        (t, whole)
    }

    /// Writes rows to a register.
    fn put_rows(&mut self, register: RegisterId, from: Part) -> Result<()> {
        let value = self.analysis.webs.written(self.at(), register);
        if !matches!(self.home(value), Home::Rows(_)) {
            return self.refuse("two results");
        }
        let (d, predicate) = self.result(register);
        self.fill(d, Home::Rows(from), predicate);
        Ok(())
    }

    /// `dp4a` and `dp2a`: products of bytes, or of halves and bytes, added one after the other.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn products(&mut self) -> Result<()> {
        let it = self.it();
        let (count, width) = if it.opcode == Opcode::Dp4a { (4, 8) } else { (2, 16) };
        let skipped = if it.words.has(Word::Hi) { 2 } else { 0 };
        let signed = [0, 1].map(|index| it.types[index].is_signed());
        // Numbers with a sign and without one are both there in one bit more.
        let (op, bits) = match signed {
            [false, false] => (Op::MulU, width),
            [true, true] => (Op::MulS, width),
            _ => (Op::MulS, width + 1),
        };
        let (a, b, mut sum) = (self.number(1, Type::U32)?, self.number(2, Type::U32)?, self.other(3, Type::U32)?);
        let (d, predicate) = self.target()?;
        for index in 0..count {
            let (product, t) = (self.rows(2 * bits), self.rows(32));
            let a = a.part(width * index, width).extended(signed[0]);
            let b = b.part(8 * (skipped + index), 8).extended(signed[1]);
            self.compute(op, bits, product, Some(a), Second::Rows(b));
            let product = product.part(0, 32.min(2 * bits)).extended(op == Op::MulS);
            let last = index == count - 1 && predicate == Predicate::All;
            let to = if last { d } else { t };
            self.compute(Op::Add, 32, to, Some(product), sum);
            sum = Second::Rows(to);
        }
        match (predicate, sum) {
            (Predicate::All, _) => Ok(()),
            (_, Second::Rows(sum)) => self.extended(sum),
            _ => self.refuse("no products"),
        }
    }

    /// `brev`: each row to its place.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn reversed(&mut self, ty: Type) -> Result<()> {
        let (a, n) = (self.number(1, ty)?, u64::from(ty.bits()));
        let t = self.rows(n);
        for row in 0..n {
            self.fill(t.part(row, 1), Home::Rows(a.part(n - 1 - row, 1)), Predicate::All);
        }
        self.extended(t)
    }
}
