//! `lop3`, `szext`, `bmsk`, `fns`, by logic, shifts and counts of bits.
//!
//! Source: PTX ISA 8.7, the pseudocode of each.

use super::super::steps::{Steps, number, read};
use crate::ptx::ast::Operand;
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word};

/// A value that may be known: all zeros, all ones.
enum Known {
    Zeros,
    Ones,
    Value(Operand),
}

impl Steps<'_> {
    /// Any function of three bits. With g for c = 0 and h for where c changes it, it is g ⊕ (h ∧ c).
    pub(super) fn logic_of_three(&mut self) {
        let like = self.like.clone();
        let [a, b, c] = [1, 2, 3].map(|index| like.operands[index].clone());
        let Operand::Immediate(table) = like.operands[4] else { unreachable!("the parser asks for a constant") };
        // A row of the table for each a and b: bits 2·(2a + b), and the next one for c = 1.
        let without = (0..4).fold(0, |rows, row| rows | (table >> (2 * row) & 1) << row);
        let changes = (0..4).fold(0, |rows, row| rows | ((table >> (2 * row) ^ table >> (2 * row + 1)) & 1) << row);
        let g = self.logic_of_two(without, &a, &b);
        let h = self.logic_of_two(changes, &a, &b);
        let with = match h {
            Known::Zeros => Known::Zeros,
            Known::Ones => Known::Value(c),
            Known::Value(h) => Known::Value(self.of(Opcode::And, &[], Type::B32, &[&h, &c])),
        };
        let value = match (g, with) {
            (Known::Value(g), Known::Value(with)) => self.of(Opcode::Xor, &[], Type::B32, &[&g, &with]),
            (Known::Ones, Known::Value(with)) => self.of(Opcode::Not, &[], Type::B32, &[&with]),
            (Known::Zeros, Known::Value(value)) | (Known::Value(value), _) => value,
            (Known::Zeros, _) => number(0),
            (Known::Ones, _) => number(u32::MAX),
        };
        let Operand::Pair(d, p) = like.operands[0] else { return self.finish(&value, Type::B32) };
        // The guard may be the predicate that is written: it is written last.
        let d = Operand::Register(d);
        self.push(Opcode::Mov, &[], Type::B32, vec![d.clone(), value], 1);
        let join = like.words.one_of(&[Word::And, Word::Or]).expect("the form says so");
        let operands = vec![Operand::Register(p), d, number(0), like.operands[5].clone()];
        self.push(Opcode::Setp, &[Word::Ne, join], Type::B32, operands, 1);
    }

    /// A function of two bits: bit 2a + b of its table.
    fn logic_of_two(&mut self, table: u64, a: &Operand, b: &Operand) -> Known {
        let ones = table.count_ones();
        match table {
            0 => return Known::Zeros,
            15 => return Known::Ones,
            0b1100 => return Known::Value(a.clone()),
            0b1010 => return Known::Value(b.clone()),
            _ => {}
        }
        let mut of = |opcode, sources: &[&Operand]| self.of(opcode, &[], Type::B32, sources);
        Known::Value(match (ones, table) {
            (_, 0b0011) => of(Opcode::Not, &[a]),
            (_, 0b0101) => of(Opcode::Not, &[b]),
            (2, 0b0110) => of(Opcode::Xor, &[a, b]),
            (2, _) => {
                let other = of(Opcode::Xor, &[a, b]);
                of(Opcode::Not, &[&other])
            }
            // One row holds, or one does not: both as they are there, or the opposite.
            _ => {
                let row = if ones == 1 { table } else { !table & 15 }.trailing_zeros();
                let a = if row & 2 == 0 { of(Opcode::Not, &[a]) } else { a.clone() };
                let b = if row & 1 == 0 { of(Opcode::Not, &[b]) } else { b.clone() };
                let all = of(Opcode::And, &[&a, &b]);
                if ones == 1 { all } else { of(Opcode::Not, &[&all]) }
            }
        })
    }

    /// What `wrap` makes of a number of bits; `clamp` leaves it, since shifts by more than 31 leave nothing.
    fn wrapped(&mut self, amount: &Operand) -> Operand {
        if self.like.words.has(Word::Wrap) { self.low(amount, 31) } else { amount.clone() }
    }

    /// `szext`: up until only the lowest bits are left, and down again.
    pub(super) fn extend(&mut self) {
        let (like, count) = (self.like.clone(), self.like.operands[2].clone());
        let count = self.wrapped(&count);
        let count = self.most(&count, 32);
        let unused = self.less(32, &count);
        let above = self.of(Opcode::Shl, &[], Type::B32, &[&like.operands[1], &unused]);
        let value = self.of(Opcode::Shr, &[], like.ty(), &[&above, &unused]);
        self.finish(&value, Type::B32);
    }

    /// `bmsk`: so many ones, and up.
    pub(super) fn ones(&mut self) {
        let [from, count] = [1, 2].map(|index| self.like.operands[index].clone());
        let (from, count) = (self.wrapped(&from), self.wrapped(&count));
        let ones = self.of(Opcode::Mov, &[], Type::B32, &[&number(u32::MAX)]);
        let above = self.of(Opcode::Shl, &[], Type::B32, &[&ones, &count]);
        let below = self.of(Opcode::Not, &[], Type::B32, &[&above]);
        let value = self.of(Opcode::Shl, &[], Type::B32, &[&below, &from]);
        self.finish(&value, Type::B32);
    }

    /// `fns`: of what is left from the base on, in which half is the bit? Downwards everything is turned around.
    pub(super) fn nth(&mut self) {
        let [mask, base, offset] = [1, 2, 3].map(|index| self.like.operands[index].clone());
        let down = self.of(Opcode::Setp, &[Word::Lt], Type::S32, &[&offset, &number(0)]);
        let down = read(&down);
        let choose = |steps: &mut Self, one: &Operand, other: &Operand, by: &Operand| {
            steps.of(Opcode::Selp, &[], Type::B32, &[one, other, by])
        };
        let turned = self.of(Opcode::Brev, &[], Type::B32, &[&mask]);
        let mask = choose(self, &turned, &mask, &down);
        let turned = self.of(Opcode::Sub, &[], Type::S32, &[&number(31), &base]);
        let from = choose(self, &turned, &base, &down);
        // From a base that is no bit nothing is left.
        let ones = self.of(Opcode::Mov, &[], Type::B32, &[&number(u32::MAX)]);
        let ones = self.of(Opcode::Shl, &[], Type::B32, &[&ones, &from]);
        let mut left = self.of(Opcode::And, &[], Type::B32, &[&mask, &ones]);
        let count = self.of(Opcode::Abs, &[], Type::S32, &[&offset]);
        let mut count = self.of(Opcode::Max, &[], Type::U32, &[&count, &number(1)]);
        let all = self.of(Opcode::Popc, &[], Type::B32, &[&left]);
        let found = self.of(Opcode::Setp, &[Word::Ge], Type::U32, &[&all, &count]);
        let mut place = self.of(Opcode::Mov, &[], Type::B32, &[&number(0)]);
        for half in [16, 8, 4, 2, 1] {
            let low = self.of(Opcode::And, &[], Type::B32, &[&left, &number((1 << half) - 1)]);
            let low = self.of(Opcode::Popc, &[], Type::B32, &[&low]);
            let above = self.of(Opcode::Setp, &[Word::Lt], Type::U32, &[&low, &count]);
            let above = read(&above);
            let fewer = self.of(Opcode::Sub, &[], Type::S32, &[&count, &low]);
            count = choose(self, &fewer, &count, &above);
            let upper = self.of(Opcode::Shr, &[], Type::U32, &[&left, &number(half)]);
            left = choose(self, &upper, &left, &above);
            let higher = self.of(Opcode::Add, &[], Type::S32, &[&place, &number(half)]);
            place = choose(self, &higher, &place, &above);
        }
        let turned = self.of(Opcode::Sub, &[], Type::S32, &[&number(31), &place]);
        let place = choose(self, &turned, &place, &down);
        // An offset of 0 asks for the base itself.
        let zero = self.of(Opcode::Setp, &[Word::Eq], Type::B32, &[&offset, &number(0)]);
        let other = self.of(Opcode::Setp, &[Word::Ne, Word::And], Type::B32, &[&place, &base, &read(&zero)]);
        let place = choose(self, &number(u32::MAX), &place, &read(&other));
        let value = choose(self, &place, &number(u32::MAX), &read(&found));
        self.finish(&value, Type::B32);
    }
}
