//! The arithmetic model of CORDIC: its recurrences in 64-bit integers, which tell every bit of a result, and what these
//! results are worth, against the library's functions.
//!
//! Numbers have n bits and n − 2 behind the point. A step i goes in a direction d = ±1; `s >> i` drops the bits shifted
//! out. What is left of an angle is kept as d times it, so that each step takes the angle's constant from it or from
//! its negative, modulo 2 to the power of its width: n − i behind step i. From a step on, known by n, the residue's
//! bits are the directions. Sources: Volder (1959), Walther (1971), Timmermann, Hahn and Hosticka (1989).

/// Bits of a residue, as a number with a sign.
fn wrapped(value: i64, bits: u32) -> i64 {
    value << (64 - bits) >> (64 - bits)
}

/// A real number with n − 2 bits behind the point, the nearest one.
fn fixed(value: f64, n: u32) -> i64 {
    (value * f64::from(n - 2).exp2()).round() as i64
}

/// Bits of a result.
fn pattern(value: i64, n: u32) -> u64 {
    value as u64 & ((1 << n) - 1)
}

/// Shifts of the first m hyperbolic steps: each once, but some twice.
fn hyperbolic_shifts(m: u32, twice: &[u32]) -> Vec<u32> {
    let shifts = (1..=m).flat_map(|i| if twice.contains(&i) { vec![i; 2] } else { vec![i] });
    shifts.take(m as usize).collect()
}

/// Logarithm of what such steps multiply by beside the exponentials of their angles: of as many as are told apart.
fn hyperbolic_gain(twice: &[u32]) -> f64 {
    hyperbolic_shifts(32, twice).into_iter().map(|i| 0.5 * (-(-2.0 * f64::from(i)).exp2()).ln_1p()).sum()
}

/// Shift without which sums of angles leave a gap (Walther), as far as directions come from sums.
const GAP: u32 = 4;
/// The same for factors 1 ± 2⁻ⁱ, which are not as far from 1 in both directions.
const FACTOR_GAPS: [u32; 3] = [2, 4, 7];

/// Shift of the first step whose direction is a bit of the residue: angles are as good as 2⁻ⁱ from there on.
fn first_by_bits(n: u32) -> u32 {
    if n == 16 { 6 } else { 10 }
}

/// Whether the step that shifts by i goes in the minus direction, by the residue that was kept in the direction
/// `before`: a residue in the upper half of its range is added to.
fn minus_by_bit(left: i64, n: u32, i: u32, before: bool) -> bool {
    let upper = left >> (n - 1 - i) & 1 == 1;
    upper == before
}

/// Sine and cosine.
pub fn sine_and_cosine(n: u32, m: u32, a: u64) -> [u64; 2] {
    let angle = |i: u32| fixed((-f64::from(i)).exp2().atan(), n);
    let gain: f64 = (0..30).map(|i| (1.0 + (-2.0 * f64::from(i)).exp2()).sqrt()).product();
    let mut left = wrapped(a as i64, n);
    let (mut minus, mut negative) = (left < 0, left < 0);
    let mut before = minus;
    let (mut x, mut y) = (0, 0);
    for i in 0..m {
        match i {
            0 => {}
            // Two steps turn (1/gain, 0). A complement serves as the negative.
            1 => {
                let (less, more) = (fixed(0.5 / gain, n), fixed(1.5 / gain, n));
                let (cosine, sine) = if minus == before { (less, more) } else { (more, less) };
                (x, y) = (cosine, if before { !sine } else { sine });
            }
            _ => {
                let (dx, dy) = (y >> i, x >> i);
                (x, y) = if minus { (x + dx, y - dy) } else { (x - dx, y + dy) };
                (x, y) = (wrapped(x, n), wrapped(y, n));
            }
        }
        if i + 1 == m {
            break;
        }
        // Of 16 bits all steps are sums.
        if n == 16 || i < first_by_bits(n) {
            left = wrapped(if negative { -left } else { left } - angle(i), n - i);
            negative = left < 0;
            before = minus;
            minus ^= negative;
        } else {
            minus = minus_by_bit(left, n, i + 1, before);
        }
    }
    [pattern(y, n), pattern(x, n)]
}

/// The angle of (b, a), and its length times the gain.
pub fn angle_and_length(n: u32, m: u32, a: u64, b: u64) -> [u64; 2] {
    let (mut x, mut y) = (wrapped(b as i64, n), wrapped(a as i64, n));
    let (mut sum, mut minus) = (0, false);
    for i in 0..m {
        let below = y < 0;
        let (dx, dy) = (y >> i, x >> i);
        (x, y) = if below { (x - dx, y + dy) } else { (x + dx, y - dy) };
        (x, y) = (wrapped(x, n), wrapped(y, n));
        sum = wrapped(if minus == below { -sum } else { sum } - fixed((-f64::from(i)).exp2().atan(), n), n);
        minus = !below;
    }
    [pattern(if minus { -sum } else { sum }, n), pattern(x, n)]
}

/// e to the power of a. Steps whose directions are sums, of which one is taken twice; the last one of them again, and
/// those behind it, by bits.
pub fn exponential(n: u32, m: u32, a: u64) -> u64 {
    let first = first_by_bits(n);
    let sums = first + 1;
    let shifts = |all: u32| hyperbolic_shifts(sums, &[GAP]).into_iter().chain(first..).take(all as usize);
    let gain: f64 = shifts(33).map(|i| (1.0 - (-2.0 * f64::from(i)).exp2()).sqrt()).product();
    let mut left = wrapped(a as i64, n);
    let (mut minus, mut negative) = (left < 0, left < 0);
    let (mut e, mut before) = (0, minus);
    for (step, i) in (0..m).zip(shifts(m)) {
        if step > sums {
            minus = minus_by_bit(left, n, i, before);
        }
        e = if step == 0 {
            fixed(if minus { 0.5 } else { 1.5 } / gain, n) as u64
        } else {
            // Rounded, a half up.
            let shifted = (e >> (i - 1)).div_ceil(2);
            pattern(if minus { e.wrapping_sub(shifted) } else { e + shifted } as i64, n)
        };
        if step < sums {
            left = wrapped(if negative { -left } else { left } - fixed((-f64::from(i)).exp2().atanh(), n), n - i);
            negative = left < 0;
            before = minus;
            minus ^= negative;
        }
    }
    e
}

/// The natural logarithm of a, which has n − 1 bits behind the point. Half of the steps, two more; then what is left of
/// the product beside 1 is its logarithm.
pub fn logarithm(n: u32, m: u32, a: u64) -> u64 {
    let mut product = a;
    let mut sum = fixed(-hyperbolic_gain(&FACTOR_GAPS), n);
    let mut minus = false;
    for i in hyperbolic_shifts(m / 2 + 2, &FACTOR_GAPS) {
        let large = product >> (n - 1) == 1;
        let shifted = product >> i;
        product = pattern(if large { product - shifted } else { product + shifted } as i64, n);
        sum = wrapped(if large != minus { -sum } else { sum } - fixed((-f64::from(i)).exp2().atanh(), n), n);
        minus = large;
    }
    let rest = wrapped(product as i64 - (1 << (n - 1)), n) >> 1;
    pattern(if minus { -sum } else { sum } + rest, n)
}

/// The square root of a, which has n − 2 bits behind the point. The vector (a + c, a − c) becomes one without a second
/// component, as long as the root of the difference of squares, 4·a·c, but for the gain; half of the steps, and one.
pub fn square_root(n: u32, m: u32, a: u64) -> u64 {
    let start = fixed(0.25 * (-2.0 * hyperbolic_gain(&[GAP])).exp(), n);
    let mut x = pattern(a as i64 + start, n);
    let mut y = wrapped(a as i64 - start, n);
    for i in hyperbolic_shifts(m / 2 + 1, &[GAP]) {
        let (dx, dy) = (y >> i, (x >> i) as i64);
        let minus = y >= 0;
        x = pattern(if minus { x as i64 - dx } else { x as i64 + dx }, n);
        y = wrapped(if minus { y - dy } else { y + dy }, n);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest difference to a function, in units of 2⁻ⁿ⁺², over `count` arguments from `low` to `high`.
    fn worst(n: u32, low: f64, high: f64, behind: u32, results: impl Fn(u64) -> Vec<(i64, f64)>) -> f64 {
        let unit = f64::from(behind).exp2();
        let count = 40_000;
        let mut worst: f64 = 0.0;
        for k in 0..=count {
            let a = ((low + (high - low) * f64::from(k) / f64::from(count)) * unit).round();
            let a = a.clamp((low * unit).ceil(), (high * unit).floor());
            for (is, wanted) in results(a as i64 as u64 & ((1 << n) - 1)) {
                worst = worst.max((is as f64 - wanted * f64::from(n - 2).exp2()).abs());
            }
        }
        worst
    }

    fn real(a: u64, n: u32, behind: u32) -> f64 {
        wrapped(a as i64, n) as f64 / f64::from(behind).exp2()
    }

    /// Errors against the library's functions, for widths and numbers of steps: what `docs/array.md` says.
    #[test]
    fn errors_are_as_documented() {
        // Width, steps; largest errors of sine and cosine, exponential function, logarithm, angle and square root, as
        // negative powers of two.
        for (n, m, bounds) in [
            (16, 16, [10.6, 10.9, 11.9, 11.5, 11.4]),
            (32, 17, [15.9, 13.4, 14.5, 15.9, 15.9]),
            (32, 24, [22.8, 20.4, 22.3, 22.8, 23.4]),
            (32, 32, [26.1, 26.3, 26.9, 26.7, 26.4]),
        ] {
            let both = |a: u64| {
                let [sine, cosine] = sine_and_cosine(n, m, a);
                let angle = real(a, n, n - 2);
                vec![(wrapped(sine as i64, n), angle.sin()), (wrapped(cosine as i64, n), angle.cos())]
            };
            let log = |a: u64| {
                let wanted = (a as f64 / f64::from(n - 1).exp2()).ln();
                vec![(wrapped(logarithm(n, m, a) as i64, n), wanted)]
            };
            let root = |a: u64| {
                let wanted = (a as f64 / f64::from(n - 2).exp2()).sqrt();
                vec![(wrapped(square_root(n, m, a) as i64, n), wanted)]
            };
            // Vectors of length 1.2, in all directions of two quadrants.
            let turned = |a: u64| {
                let angle = real(a, n, n - 2);
                let (y, x) = (fixed(1.2 * angle.sin(), n), fixed(1.2 * angle.cos(), n));
                let [is, _] = angle_and_length(n, m, y as u64, x as u64);
                vec![(wrapped(is as i64, n), (y as f64).atan2(x as f64))]
            };
            let right = std::f64::consts::FRAC_PI_2;
            let errors = [
                worst(n, -right, right, n - 2, both),
                worst(n, -1.1, 1.1, n - 2, |a| vec![(exponential(n, m, a) as i64, real(a, n, n - 2).exp())]),
                worst(n, 0.5, 1.999_9, n - 1, log),
                worst(n, -1.57, 1.57, n - 2, turned),
                worst(n, 0.04, 2.359_9, n - 2, root),
            ];
            let powers = errors.map(|error| f64::from(n - 2) - error.log2());
            println!("n = {n}, m = {m}: errors 2^-{powers:.1?}, {errors:.1?} units");
            assert!(powers.iter().zip(bounds).all(|(power, bound)| *power >= bound), "{powers:?}");
        }
    }

    #[test]
    fn edges() {
        let one = 1u64 << 30;
        let near = |value: u64, wanted: f64, n: u32| (real(value, n, 30) - wanted).abs() < 1e-7;
        assert!(near(sine_and_cosine(32, 32, 0)[0], 0.0, 32) && near(sine_and_cosine(32, 32, 0)[1], 1.0, 32));
        assert!(near(exponential(32, 32, one), std::f64::consts::E, 33), "{:x}", exponential(32, 32, one));
        assert!(near(logarithm(32, 32, one << 1), 0.0, 32));
        assert!(near(square_root(32, 32, one), 1.0, 33) && near(square_root(32, 32, one / 4), 0.5, 33));
        let [angle, length] = angle_and_length(32, 32, one / 2, one / 2);
        assert!(near(angle, std::f64::consts::FRAC_PI_4, 32) && near(length, 1.646_760_258 * 0.5f64.sqrt(), 32));
    }
}
