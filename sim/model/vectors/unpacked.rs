//! Unpacked floating-point numbers for tests.

use rand::Rng;

use super::Stimulus;
use crate::arith::Inputs;
use crate::float;

impl Stimulus {
    /// Two unpacked numbers: such of numbers, sums of a few of them, or any bits; of two often the same exponents, or
    /// close ones, and significands that cancel.
    pub(super) fn unpacked(&mut self, n: u32, m: u32) -> Inputs {
        let (rows, exponent) = (n + m + 10, n + 6);
        let (numbers, others) = (self.numbers(n, m), self.numbers(n, m));
        let of = |number: u64| float::unpack(n, m, 0, number).unwrap_or(0);
        let add = |a: u64, b: u64| float::sum(n, m, a, b).unwrap_or(0);
        let [mut a, mut b] = [of(numbers.a), of(numbers.b)];
        if self.rng.random() {
            a = add(a, of(others.a));
            b = add(of(others.b), b);
        }
        // Carries reach the sign after some of these.
        for _ in 0..if self.rng.random_range(0..4) == 0 { 4 } else { 0 } {
            a = add(a, a);
        }
        let field = ((1u64 << m.min(32)) - 1) << exponent;
        match self.rng.random_range(0..12) {
            0 => a = self.value(rows.min(64)),
            1 => b = self.value(rows.min(64)),
            2 => b = b & !field | a & field,
            3 => a ^= self.value(exponent),
            // Exponents at the ends of the range, for packing.
            4 => a = a & !field | (self.rng.random_range(0..=u64::from(n) + 8) << exponent) & field,
            5 => a = (a | field) ^ (self.rng.random_range(0..8) << exponent) & field,
            // No more flags than those of signs.
            6 => a &= !(3 << (rows - 2)),
            _ => {}
        }
        Inputs { a, b, ..Inputs::default() }
    }
}
