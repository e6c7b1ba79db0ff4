//! What the columns hold whose cycles are counted.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::isa::Opcode;
use crate::isa::format::Format;
use crate::isa::operation::Context;
use crate::model::arith::Inputs;
use crate::vectors::Stimulus;

/// A kind of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Data {
    /// What lets nothing be skipped: the worst case.
    #[default]
    Worst,
    /// Normal floating-point numbers whose exponents are close, as those of applications are (Duality Cache, §3.1:
    /// their range is small): differences peak at 1, and every further one is half as frequent. Integers are uniform.
    Near,
    /// Uniform bits.
    Uniform,
}

impl Data {
    /// Every kind, by its name.
    pub const ALL: [(&'static str, Data); 3] =
        [("worst", Data::Worst), ("near", Data::Near), ("uniform", Data::Uniform)];

    /// Columns of the array: as few as there are where some hold the worst, those of a whole array otherwise, and where
    /// the worst is to have all that can be searched for.
    pub(super) fn columns(self, cx: Context, opcode: Opcode) -> usize {
        if self == Data::Worst && !(cx.papers() && opcode.is_float()) { 8 } else { 256 }
    }

    /// Operands of a column; of floating-point numbers in their format.
    pub(super) fn inputs(
        self,
        stimulus: &mut Stimulus,
        format: Option<Format>,
        opcode: Opcode,
        (n, m): (u32, u32),
        key: u64,
    ) -> Inputs {
        let given = stimulus.inputs(opcode, n, m, key);
        let mut random = ChaCha8Rng::seed_from_u64(stimulus.value(64));
        match (self, format) {
            (Data::Worst, _) => given,
            (Data::Near, Some(format)) => near(&mut random, format),
            _ => {
                let bits = format.map_or(n.min(64), |format| format.bits());
                let mut uniform = || random.random::<u64>() >> (64 - bits.clamp(1, 64));
                // Amounts, accumulators and tags stay what the operation takes.
                let b = if m == 0 || format.is_some() { uniform() } else { given.b };
                Inputs { a: uniform(), b, e: if format.is_some() { uniform() } else { given.e }, ..given }
            }
        }
    }
}

fn number(format: Format, sign: bool, exponent: u64, fraction: u64) -> u64 {
    (u64::from(sign) << format.exponent | exponent) << format.fraction | fraction
}

fn near(random: &mut ChaCha8Rng, format: Format) -> Inputs {
    let (bias, most) = ((1u64 << (format.exponent - 1)) - 1, (1u64 << format.exponent) - 2);
    let first = bias - 1 + random.random_range(0..3);
    let mut apart = || match random.random_range(0..4) {
        0 => 0,
        _ => 1 + u64::from(random.random::<u32>().trailing_zeros()),
    };
    let exponents = [0, apart(), apart()];
    let mut one = |apart: u64| {
        let exponent = if random.random() { first + apart } else { first.saturating_sub(apart) };
        let fraction = random.random::<u64>() & ((1 << format.fraction) - 1);
        number(format, random.random(), exponent.clamp(1, most), fraction)
    };
    let [a, b, e] = exponents.map(&mut one);
    Inputs { a, b, e, ..Inputs::default() }
}

/// Numbers that ask for everything: subnormal operands, a product and a quotient below the normal numbers, and sums
/// that cancel.
pub(super) fn awkward(format: Format) -> [Inputs; 7] {
    let bias = (1u64 << (format.exponent - 1)) - 1;
    let of = |exponent, fraction| number(format, false, exponent, fraction);
    let minus = |bits| bits | number(format, true, 0, 0);
    let (one, next, second) = (of(bias, 0), of(bias, 1), of(bias, 2));
    let (smallest, tiny) = (of(1, 0), of(0, 1));
    let large = of((1 << format.exponent) - 2, 0);
    let inputs = |a, b, e| Inputs { a, b, e, ..Inputs::default() };
    [
        inputs(tiny, one, one),
        inputs(one, tiny, one),
        inputs(smallest, smallest, smallest),
        inputs(smallest, large, smallest),
        inputs(next, minus(one), one),
        inputs(next, one, one),
        inputs(next, next, minus(second)),
    ]
}

/// Sums with every difference of exponents, differences with every number of zeros on top, and quotients and products
/// with a 1 in every place.
pub(super) fn every_shift(format: Format) -> Vec<Inputs> {
    let (n, bias) = (u64::from(format.n()), (1u64 << (format.exponent - 1)) - 1);
    let (most, full) = ((1u64 << format.exponent) - 2, (1u64 << format.fraction) - 1);
    let of = |exponent, fraction| number(format, false, exponent, fraction);
    let minus = |bits| bits | number(format, true, 0, 0);
    let inputs = |a, b| Inputs { a, b, ..Inputs::default() };
    let mut all = vec![inputs(of(bias, full), of(bias, 0)), inputs(of(bias, full), of(bias, full))];
    all.extend((0..=n).filter(|k| bias + k <= most).map(|k| inputs(of(bias + k, 0), of(bias, full))));
    // In sums and in differences, since either operation is one of them.
    for b in [of(bias, 0), minus(of(bias, 0))] {
        all.extend((0..format.fraction).map(|bit| inputs(of(bias, 1 << bit), b)));
    }
    for b in [of(bias - 1, full), minus(of(bias - 1, full))] {
        all.push(inputs(of(bias, 0), b));
    }
    all
}
