//! Fused multiplication and addition, as `rustc_apfloat` does it, with what that library leaves open, and with what it
//! does wrong where there are no infinities.

use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, Round};

use super::{Mode, flush, mirror};

/// a · b + c of three numbers, rounded once, given as for [`evaluate`](super::evaluate).
pub fn fused(n: u32, m: u32, key: u64, operands: [u64; 3]) -> Option<u64> {
    let mode = Mode::of(key);
    Some(match (n, m) {
        (26, 8) => of::<Single>(mode, operands, 0x7fc0_0000),
        (55, 11) => of::<Double>(mode, operands, 0x7ff8_0000_0000_0000),
        (13, 5) => of::<Half>(mode, operands, 0x7e00),
        (10, 8) => of::<BFloat>(mode, operands, 0x7fc0),
        (5, 5) => of::<Float8E5M2>(mode, operands, 0x7e),
        (6, 4) => of::<Float8E4M3FN>(mode, operands, 0x7f),
        _ => return None,
    })
}

/// Whether the result is below the smallest normal number is judged before it is rounded, as of products.
fn of<F: Float>(mode: Mode, operands: [u64; 3], nan: u64) -> u64 {
    let [a, b, c] = operands.map(|bits| flush(F::from_bits(bits.into()), mode.flush_operands));
    let product = |round: Round| a.mul_add_r(b, c, round).value;
    // Without infinities the library takes no notice of the sign when it decides what becomes of numbers that are too
    // large: negative results are those of positive ones in a mirror. The sign does not depend on the rounding but for
    // exact zeros, which are not too large.
    let negative = F::INFINITY.is_nan() && product(Round::TowardZero).is_negative();
    let to = |round: Round| if negative { -(-a).mul_add_r(b, -c, mirror(round)).value } else { product(round) };
    let result = to(mode.round);
    if result.is_nan() {
        return nan;
    }
    let small = to(Round::TowardZero);
    let small = small.is_denormal() || small.is_zero();
    let result = if mode.flush_results && small { F::ZERO.copy_sign(result) } else { result };
    result.to_bits() as u64
}
