//! binary16 on the host: as binary64, which has all its numbers, and back in every direction of rounding.

use super::float::Round;

/// The NaN of binary16 results.
pub(super) const NAN: u64 = 0x7fff;

/// The code of infinity.
const INFINITY: u64 = 0x7c00;

/// The number with these bits.
pub(super) fn to_f64(bits: u64) -> f64 {
    let (exponent, fraction) = (bits >> 10 & 31, (bits & 1023) as f64);
    let magnitude = match exponent {
        0 => fraction * (-24_f64).exp2(),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * (exponent as f64 - 25.0).exp2(),
    };
    if bits >> 15 & 1 == 1 { -magnitude } else { magnitude }
}

/// The bits of a number, rounded.
pub(super) fn from_f64(x: f64, round: Round) -> u64 {
    if x.is_nan() {
        return NAN;
    }
    let (negative, magnitude) = (x.is_sign_negative(), x.abs());
    let sign = u64::from(negative) << 15;
    if magnitude.is_infinite() {
        return sign | INFINITY;
    }
    // Subnormal numbers have the exponent of the smallest normal ones.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let steps = magnitude * f64::from(10 - exponent).exp2();
    let away = matches!((round, negative), (Round::Up, false) | (Round::Down, true));
    let steps = match round {
        Round::Nearest => steps.round_ties_even(),
        _ if away => steps.ceil(),
        _ => steps.floor(),
    };
    // A carry out of the fraction is the next exponent. Above the largest number come infinity, or that number.
    let code = u64::from((exponent + 14) as u32) * 1024 + steps as u64;
    let code = match code < INFINITY {
        true => code,
        false if away || round == Round::Nearest => INFINITY,
        false => INFINITY - 1,
    };
    sign | code
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Round; 4] = [Round::Nearest, Round::Zero, Round::Down, Round::Up];

    /// Every number comes back in every direction, and what is between neighbours goes to the right one.
    #[test]
    fn all_numbers_and_what_is_between_them() {
        for bits in 0..1_u64 << 16 {
            let x = to_f64(bits);
            let same = if x.is_nan() { NAN } else { bits };
            assert!(ALL.iter().all(|&round| from_f64(x, round) == same), "{bits:#x}");
            if bits & 0x7fff >= INFINITY - 1 {
                continue;
            }
            let (negative, middle) = (bits >> 15 == 1, (x + to_f64(bits + 1)) / 2.0);
            let even = bits + (bits & 1);
            let inward = if negative { [even, bits, bits + 1, bits] } else { [even, bits, bits, bits + 1] };
            assert_eq!(ALL.map(|round| from_f64(middle, round)), inward, "{bits:#x}");
            let little = x + (to_f64(bits + 1) - x) / 16.0;
            assert_eq!(from_f64(little, Round::Nearest), bits, "{bits:#x}");
        }
        let beyond = [65519.0, 65520.0, -1e300, 1e-300];
        assert_eq!(beyond.map(|x| from_f64(x, Round::Nearest)), [0x7bff, 0x7c00, 0xfc00, 0]);
        assert_eq!(beyond.map(|x| from_f64(x, Round::Zero)), [0x7bff, 0x7bff, 0xfbff, 0]);
        assert_eq!(beyond.map(|x| from_f64(x, Round::Up)), [0x7c00, 0x7c00, 0xfbff, 1]);
    }
}
