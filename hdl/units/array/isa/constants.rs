//! Constants of CORDIC, as the constant ROM holds them: a table for each function and width, or number format, in the
//! order in which a micro-program takes them.
//!
//! They are computed by sums and products of binary64 alone, which give the same bits everywhere, and rounded to n − 2
//! fraction bits, n ≤ 32. Angles are negative, as two's-complement numbers of 64 bits: residues have them subtracted.
//!
//! Sources: Volder, The CORDIC Trigonometric Computing Technique (1959); Walther, A unified algorithm for elementary
//! functions (1971), which has the steps that are taken twice; Duality Cache (ISCA 2019), §3.1.

use crate::array::isa::format::{BF16, F16, F32, Format};
use crate::array::isa::opcode::Opcode;

/// Bits of an address of the constant ROM.
pub const CONSTANT_ADDRESS_BITS: usize = 10;

/// Widths n that there are tables for, of fixed-point functions.
pub const WIDTHS: [u8; 2] = [16, 32];

/// 2/π: 192 bits behind the point, the first one on top.
const TWO_OVER_PI: [u64; 3] = [0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041];

/// What a table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// The angle of step 0, cosine and sine behind step 1 by whether it turns in another direction than step 0, further
    /// angles: arctangents of 2⁻ⁱ. Where it does not the sine is there, where it does the complement of that, both for
    /// step 1 of an angle above zero.
    Rotation,
    /// What e is behind the first step, by its direction, then hyperbolic arctangents of 2⁻ⁱ, i by [`Table::shift`], up
    /// to where directions are bits.
    Exponential,
    /// What the sum is behind the first step, by its direction, then the same, of further steps.
    Logarithm,
    /// Of 2ᵃ: 1 times powers of two, from m down, the steps' gain, base-2 arguments of the steps.
    Power,
    /// The same of eᵃ, with ln 2 in place of 1 and natural arguments.
    Natural,
    /// Of binary logarithms: the sum's first value, arguments of the steps, halves of powers of
    /// two, from 0 up, and what these are too much.
    BinaryLogarithm,
    /// The same of natural logarithms, with natural arguments and ln 2 times those powers.
    NaturalLogarithm,
    /// Of sines and cosines: what makes k of the exponent, bits of 2/π, the steps' gain, angles of
    /// the steps in quarter turns (`ucode/float_sincos.rs`).
    Turns,
    /// Of hyperbolic tangents: halves of the logarithms of 2 to the power of 16 (of binary32 alone), 8, 4, 2 and 1, and
    /// of 1 + 2⁻ⁱ, each of them twice (`ucode/float_tanh.rs`, `ucode/float_tanh_short.rs`).
    Hyperbolic,
    /// Of arctangents: those of 2⁻ⁱ, i from the number of steps down (`ucode/float_atan.rs`).
    Arctangent,
    /// Of square roots: what y begins with beside the operand, and what x does (`ucode/cordic_sqrt.rs`).
    Root,
}

impl Table {
    const FIXED: [Table; 3] = [Table::Rotation, Table::Exponential, Table::Logarithm];
    const FLOAT: [Table; 7] = [
        Table::Power,
        Table::Natural,
        Table::BinaryLogarithm,
        Table::NaturalLogarithm,
        Table::Turns,
        Table::Hyperbolic,
        Table::Arctangent,
    ];

    /// By how many bits step 1 and further ones shift. Some hyperbolic steps are taken twice, without which sums of
    /// angles would leave gaps: 4 and 13 (Walther), of fixed-point numbers 4 alone. Factors of a product that becomes 1
    /// come with the gain, which is not symmetrical: there it is 2, 4, 8 and 16, of fixed-point numbers 2, 4 and 7.
    pub fn shift(self, step: u32) -> u32 {
        let behind = |steps: &[u32]| steps.iter().filter(|&&last| step > last).count() as u32;
        match self {
            Table::Rotation => step - 1,
            Table::Turns | Table::Hyperbolic | Table::Arctangent => step,
            Table::Exponential | Table::Root => step - behind(&[4]),
            Table::Logarithm => step - behind(&[2, 5, 9]),
            Table::Power | Table::Natural => step - behind(&[4, 14]),
            Table::BinaryLogarithm | Table::NaturalLogarithm => step - behind(&[2, 5, 10, 19]),
        }
    }

    /// The table's words for width `n`: as many steps as there may be.
    fn words(self, n: u8) -> Vec<u64> {
        match self {
            Table::Power | Table::Natural => return self.exponential_words(n),
            Table::BinaryLogarithm | Table::NaturalLogarithm => return self.logarithm_words(n),
            Table::Turns => return turn_words(n),
            Table::Hyperbolic => return hyperbolic_words(n),
            Table::Arctangent => {
                let (steps, behind) = (arctangent_steps(n), u32::from(n) - 1 + arctangent_steps(n));
                // An angle is less than its tangent, and so is what is rounded.
                let most = |i: u32| ((1 << (behind - i)) - 1) << 1;
                return (1..=steps).rev().map(|i| above(arctangent(i, -1.0), behind).min(most(i))).collect();
            }
            Table::Rotation | Table::Exponential | Table::Logarithm | Table::Root => {}
        }
        let fixed = |value: f64| (value * (1u64 << (n - 2)) as f64).round() as i64 as u64;
        if self == Table::Root {
            let start = fixed(0.25 * exponential(-2.0 * self.log_gain(0)));
            return vec![start.wrapping_neg(), start];
        }
        let angle = |step: u32| {
            let i = self.shift(step);
            if self == Table::Rotation { arctangent(i, -1.0) } else { arctangent(i, 1.0) }
        };
        let angle = |step: u32| fixed(-angle(step));
        let first = u32::from(first_by_bits(n).unsigned_abs());
        let (words, angles) = match self {
            Table::Rotation => {
                let (most, least) = (fixed(1.5 / rotation_gain()), fixed(0.5 / rotation_gain()));
                (vec![angle(1), by_tag(n, least, most), by_tag(n, most, !least)], 2..=u32::from(n))
            }
            Table::Exponential => {
                let e = |times: f64| fixed(times * exponential(-self.log_gain(first)));
                (vec![by_tag(n, e(1.5), e(0.5))], 1..=first + 1)
            }
            // The logarithm: others have returned.
            _ => {
                let sum = fixed(-self.log_gain(0));
                let plus = |sum: u64| sum.wrapping_add(angle(1));
                (vec![by_tag(n, plus(sum), plus(sum.wrapping_neg()))], 2..=u32::from(n).div_ceil(2) + 2)
            }
        };
        words.into_iter().chain(angles.map(angle)).collect()
    }

    /// Steps of a function of a format with this width, in all: shifts up to `last`, some of them twice.
    fn steps(self, last: u32) -> u32 {
        (last..).take_while(|&step| self.shift(step) <= last).last().unwrap_or(last)
    }

    /// The words of an exponential function: n + 5 bits behind the point, of the gain one more.
    fn exponential_words(self, n: u8) -> Vec<u64> {
        let ln_2 = std::f64::consts::LN_2;
        let (unit, base) = if self == Table::Power { (1.0, ln_2) } else { (ln_2, 1.0) };
        let fixed = |value: f64| (value * (1u64 << (n + 5)) as f64).round() as i64 as u64;
        let units = (0..=exponent_bits(n)).rev().map(|j| fixed(-unit * f64::from(1 << j)));
        // Steps up to n, of which the last one leaves no argument.
        let last = u32::from(n);
        let gain = (1..=self.steps(last)).map(|step| 1.0 - power(2 * self.shift(step))).product::<f64>().sqrt();
        let arguments = (1..=self.steps(last - 1)).map(|step| fixed(-arctangent(self.shift(step), 1.0) / base));
        units.chain([fixed(2.0 / gain)]).chain(arguments).collect()
    }

    /// The words of a logarithm: n + 5 bits behind the point.
    fn logarithm_words(self, n: u8) -> Vec<u64> {
        let ln_2 = std::f64::consts::LN_2;
        let (unit, base) = if self == Table::BinaryLogarithm { (1.0, ln_2) } else { (ln_2, 1.0) };
        let fixed = |value: f64| (value * (1u64 << (n + 5)) as f64).round() as i64;
        let (steps, top) = (self.steps(u32::from(n) - 1), exponent_bits(n) - 1);
        let first: f64 = (1..=steps).map(|step| -half_logarithm(power(2 * self.shift(step)))).sum();
        let arguments = (1..=steps).map(|step| fixed(-arctangent(self.shift(step), 1.0) / base));
        let halves: Vec<i64> = (0..=top + 1).map(|j| fixed(unit * f64::from(1 << j) / 2.0)).collect();
        // The exponent of 1, with a bit more in front of it, is of ones but for its own top bit.
        let beside: i64 = (0..).zip(&halves).map(|(j, &half)| if j == top { -half } else { half }).sum();
        let words = [fixed(first / base)].into_iter().chain(arguments).chain(halves.iter().map(|half| -half));
        words.chain([-beside]).map(|word| word as u64).collect()
    }

    /// The logarithm of what all hyperbolic steps multiply by beside the exponentials of their angles, if the step with
    /// shift `again` is taken once more than by [`Table::shift`].
    fn log_gain(self, again: u32) -> f64 {
        let shifts = (1..=32).map(|step| self.shift(step)).chain((again > 0).then_some(again));
        shifts.map(|shift| half_logarithm(power(2 * shift))).sum()
    }

    /// Address of its first word for a format.
    ///
    /// # Panics
    /// If there is no table for the format.
    pub fn of(self, format: Format) -> u16 {
        self.address(format.n())
    }

    /// Address of its first word for width `n`.
    ///
    /// # Panics
    /// If there is no table for the width.
    pub fn address(self, n: u8) -> u16 {
        let tables = tables();
        let place = tables.iter().position(|&table| table == (self, n)).expect("a width that has tables");
        tables[..place].iter().map(|(table, n)| table.words(*n).len() as u16).sum()
    }
}

fn tables() -> Vec<(Table, u8)> {
    let fixed = Table::FIXED.iter().flat_map(|&table| WIDTHS.map(|n| (table, n)));
    let float = [F32, F16, BF16].into_iter().flat_map(|format| Table::FLOAT.map(|table| (table, format.n())));
    let roots = WIDTHS.map(|n| (Table::Root, n));
    fixed.chain(float).chain(roots).collect()
}

/// Bits of the exponent in the format with this width.
fn exponent_bits(n: u8) -> u8 {
    [F32, F16, BF16].into_iter().find(|format| format.n() == n).map_or(0, Format::m)
}

impl Opcode {
    /// Whether it works on fixed-point numbers by CORDIC, with these constants.
    pub const fn is_cordic(self) -> bool {
        use Opcode::{CordicAtan, CordicExp, CordicLog, CordicSinCos, CordicSqrt};
        matches!(self, CordicSinCos | CordicExp | CordicLog | CordicAtan | CordicSqrt)
    }

    /// Whether it is a function of numbers of binary32, binary16 and bfloat16.
    pub const fn is_function(self) -> bool {
        self as u8 >= Opcode::FExp2 as u8 && self as u8 <= Opcode::FAtan as u8
    }

    /// Whether only designs with the parameter `float` have it.
    pub const fn needs_float(self) -> bool {
        self.is_float() || self.is_cordic()
    }
}

/// The words of the constant ROM.
pub fn rom() -> Vec<u64> {
    let words: Vec<u64> = tables().iter().flat_map(|(table, n)| table.words(*n)).collect();
    assert!(words.len() <= 1 << CONSTANT_ADDRESS_BITS, "{} constants", words.len());
    words
}

/// The words of sines and cosines. Of 2/π there are 2n + 40 bits for each 32 values of k, from the lowest one up, half
/// of them a word and from its bit 1 on. The gain has n + 5 bits behind the point; angles have n + 9, in quarter turns.
fn turn_words(n: u8) -> Vec<u64> {
    let bit = |at: i32| if at < 1 { 0 } else { TWO_OVER_PI[(at - 1) as usize / 64] >> (63 - (at - 1) % 64) & 1 };
    let (width, bits, bias) = (i32::from(n), i32::from(exponent_bits(n)), (1 << (exponent_bits(n) - 1)) - 1);
    let (least, rows) = (i32::from(first_turn(n)), width + 20);
    let half = |last: i32| (0..rows).map(|row| bit(last - row) << (row + 1)).sum::<u64>();
    let last = 31 + least - bias + width + 9;
    let windows = if bits < 8 { 1 } else { 5 };
    let parts = (0..windows).flat_map(|window| [last, last - rows].map(|last| half(32 * window + last)));
    let gain = (1..=u32::from(n)).map(|step| 1.0 + power(2 * step)).product::<f64>().sqrt();
    let fixed = |value: f64, behind: u8| (value * (1u64 << behind) as f64).round() as i64 as u64;
    let angles = (1..n).map(|i| fixed(-arctangent(i.into(), -1.0) * std::f64::consts::FRAC_2_PI, n + 9));
    let negative = ((1 << bits) - least) as u64 & ((1 << bits) - 1);
    [negative].into_iter().chain(parts).chain([fixed(1.0 / gain, n + 5)]).chain(angles).collect()
}

/// The exponent of which k is 0 in the format with this width: numbers of a lower one are no part of a turn. Short
/// exponents are k.
pub(super) fn first_turn(n: u8) -> u8 {
    if exponent_bits(n) < 8 { 0 } else { 103 }
}

/// Shift of the first step of a fixed-point number of n bits whose direction is a bit of what is left of its angle; it
/// is even. Arctangents of 2⁻ⁱ and their sums differ from 2⁻ⁱ by less than a third of 8⁻ⁱ from there on.
pub(super) const fn first_by_bits(n: u8) -> i16 {
    (n as i16 + 8) / 4
}

/// Steps of arctangents in the format with this width: a smaller number is its arctangent.
pub(super) fn arctangent_steps(n: u8) -> u32 {
    match n {
        26 => 12,
        13 => 6,
        _ => 4,
    }
}

/// Of hyperbolic tangents in the format with this width: bits behind the point, and factors 1 + 2⁻ⁱ that comparisons
/// tell.
pub(super) fn hyperbolic(n: u8) -> (u32, u32) {
    match n {
        26 => (38, 12),
        13 => (22, 8),
        _ => (16, 6),
    }
}

/// The words of hyperbolic tangents, from bit 1 up.
fn hyperbolic_words(n: u8) -> Vec<u64> {
    let (behind, factors) = hyperbolic(n);
    let powers = (0..if n == F32.n() { 5 } else { 4 }).rev();
    let powers = powers.map(|j| f64::from(1 << j) * std::f64::consts::LN_2 / 2.0);
    let factors = (1..=factors).map(|i| half_logarithm(-power(i)));
    powers.chain(factors).flat_map(|x| [above(-x, behind); 2]).collect()
}

/// A number from bit 1 up, with so many bits behind the point.
fn above(x: f64, behind: u32) -> u64 {
    ((x * (1u64 << behind) as f64).round() as i64 as u64) << 1
}

/// Bits of two constants in turn, from bit 0 up: that where T = 0, and in which ones the other differs.
fn by_tag(n: u8, clear: u64, set: u64) -> u64 {
    let bits = (0..n).map(|bit| (clear >> bit & 1) << (2 * bit) | ((clear ^ set) >> bit & 1) << (2 * bit + 1));
    bits.sum()
}

/// arctan 2⁻ⁱ with `sign` −1, artanh 2⁻ⁱ with 1 (i > 0), by the power series.
fn arctangent(i: u32, sign: f64) -> f64 {
    if i == 0 {
        return std::f64::consts::FRAC_PI_4;
    }
    let x = power(i);
    let (mut sum, mut term, mut odd) = (0.0, x, 1.0);
    while term.abs() > 1e-20 {
        sum += term / odd;
        term *= sign * x * x;
        odd += 2.0;
    }
    sum
}

/// Half the logarithm of 1 − y, by the power series.
fn half_logarithm(y: f64) -> f64 {
    let terms = (1..60).scan(1.0, |power, k| {
        *power *= y;
        Some(*power / f64::from(k))
    });
    -0.5 * terms.sum::<f64>()
}

/// 2⁻ⁱ.
fn power(i: u32) -> f64 {
    1.0 / (1u64 << i) as f64
}

/// What all rotations together lengthen a vector by.
fn rotation_gain() -> f64 {
    (0..30).map(|i| 1.0 + power(2 * i)).product::<f64>().sqrt()
}

/// The exponential function by its power series.
fn exponential(x: f64) -> f64 {
    let terms = (1..40).scan(1.0, |term, k| {
        *term *= x / f64::from(k);
        Some(*term)
    });
    1.0 + terms.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_library() {
        for i in 1..32 {
            let x = power(i);
            assert!((arctangent(i, -1.0) - x.atan()).abs() < 1e-15 && (arctangent(i, 1.0) - x.atanh()).abs() < 1e-15);
        }
        for (table, again) in [(Table::Exponential, 0), (Table::Exponential, 10), (Table::Logarithm, 0)] {
            let gain: f64 = (1..=32).map(|step| (1.0 - power(2 * table.shift(step))).sqrt()).product();
            let gain = if again > 0 { gain * (1.0 - power(2 * again)).sqrt() } else { gain };
            assert!((table.log_gain(again) - gain.ln()).abs() < 1e-14, "{table:?}");
            assert!((exponential(table.log_gain(again)) - gain).abs() < 1e-14, "{table:?}");
        }
        assert_eq!(TWO_OVER_PI[0] as f64 / f64::from(64).exp2(), std::f64::consts::FRAC_2_PI);
        assert!((rotation_gain() - 1.646_760_258_121_065_6).abs() < 1e-15);
    }

    #[test]
    fn every_table_is_where_its_address_says() {
        let rom = rom();
        for (table, n) in tables() {
            let words = table.words(n);
            let at = usize::from(table.address(n));
            assert_eq!(rom[at..at + words.len()], words[..], "{table:?} {n}");
        }
    }
}
