//! Products by constants: of powers of two a shift, of few powers of two shifts and sums, which take far fewer cycles
//! than a product. A factor is written with as few digits 1, 0 and −1 as there can be, and no two beside each other.

use bitline_units::array::isa::Opcode as Op;
use bitline_units::duality::isa::codes::Predicate;

use super::code::{Code, Part, Second};
use super::select::{Home, Select};

/// Cycles of a word besides one a row.
const EACH: u64 = 5;

/// Most rows by which a word shifts its source.
const MOST_SHIFT: u32 = 31;

/// Places and signs of the digits of a factor that are not 0, the lowest first.
fn digits(factor: u64, bits: u64) -> Vec<(u32, bool)> {
    let mask = u64::MAX >> (64 - bits);
    let (mut left, mut at, mut found) = (u128::from(factor & mask), 0, Vec::new());
    while left != 0 && u64::from(at) < bits {
        if left & 1 == 1 {
            let minus = left & 3 == 3;
            found.push((at, minus));
            left = if minus { left + 1 } else { left - 1 };
        }
        (left, at) = (left >> 1, at + 1);
    }
    found
}

impl Select<'_> {
    /// a · factor + what is added, of n bits, to rows `d`, if the factor is better taken apart; tells whether it is.
    pub fn multiple(&mut self, a: Part, factor: u64, n: u64, added: Option<Home>, d: Part) -> bool {
        let mut digits = digits(factor, n);
        // With nothing to add to, the first digit must be positive: sums first.
        digits.sort_by_key(|digit| digit.1);
        let fits = digits.iter().all(|digit| digit.0 <= MOST_SHIFT);
        // A negative digit takes a copy and a difference; what is shifted, rows of its own.
        let cycles =
            |&(place, minus): &(u32, bool)| (n + EACH) * (1 + u64::from(minus)) + if place == 0 { 0 } else { n + EACH };
        // Of a product the factor is filled into rows first.
        let product = n + EACH + self.encoder.product(n) + EACH;
        let faster = digits.iter().map(cycles).sum::<u64>() < product;
        if digits.is_empty() || !fits || !faster || digits[0].1 && added.is_none() {
            return false;
        }
        let (mut sum, last) = (added, digits.len() - 1);
        for (number, (place, minus)) in digits.into_iter().enumerate() {
            let t = if number == last { d } else { self.rows(n) };
            match sum {
                None => self.shifted(Op::Copy, n, t, a, place, Second::None),
                Some(sum) if minus => {
                    let (part, sum) = (self.rows(n), self.in_rows(sum, n));
                    self.shifted(Op::Copy, n, part, a, place, Second::None);
                    self.compute(Op::Sub, n, t, Some(sum), Second::Rows(part));
                }
                Some(sum) => {
                    let sum = self.second(sum, n);
                    self.shifted(Op::Add, n, t, a, place, sum);
                }
            }
            sum = Some(Home::Rows(t));
        }
        true
    }

    /// An operation whose first source is shifted up.
    fn shifted(&mut self, opcode: Op, width: u64, d: Part, a: Part, place: u32, b: Second) {
        let (modifier, predicate) = (place.into(), Predicate::All);
        self.word(Code::Compute { opcode, format: 0, width, modifier, d, a: Some(a), b, e: None, predicate });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_few_and_add_up() {
        for factor in (0..5000_u64).chain([u64::MAX, 1 << 63, 0xffff_ffff, 0x8000_0001]) {
            for bits in [32, 64] {
                let found = digits(factor, bits);
                let one =
                    |&(place, minus): &(u32, bool)| if minus { (1_u64 << place).wrapping_neg() } else { 1 << place };
                let sum = found.iter().map(one).fold(0, u64::wrapping_add);
                let mask = u64::MAX >> (64 - bits);
                assert_eq!(sum & mask, factor & mask, "{factor}: {found:?}");
                assert!(found.windows(2).all(|two| two[1].0 > two[0].0 + 1), "{factor}: {found:?}");
            }
        }
        assert_eq!(digits(7, 32), [(0, true), (3, false)]);
    }
}
