//! Operands at which instructions go wrong, by what an operand is: edges of its type, and others drawn from a seed.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What an operand is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Nothing reads it but predicates, which take bits of it.
    Nothing,
    /// An integer of so many bits.
    Integer(u32),
    /// How far to shift, where to begin, how many bits.
    Amount,
    /// Two of these.
    Amounts,
    F16,
    BF16,
    F16x2,
    BF16x2,
    F32,
    F64,
}

impl Kind {
    /// Bits of the operand.
    pub fn bits(self) -> u32 {
        match self {
            Kind::Integer(bits) => bits,
            Kind::F16 | Kind::BF16 => 16,
            Kind::Amount | Kind::F16x2 | Kind::BF16x2 | Kind::F32 => 32,
            Kind::Nothing | Kind::Amounts | Kind::F64 => 64,
        }
    }
}

/// Sign, and what is below it, of formats with so many bits of exponent and fraction.
fn special(exponent: u32, fraction: u32) -> Vec<u64> {
    let one = ((1_u64 << (exponent - 1)) - 1) << fraction;
    let infinity = ((1_u64 << exponent) - 1) << fraction;
    let least = 1_u64 << fraction;
    // Zero, the smallest and the largest subnormal number, the smallest normal ones, around 1, the largest number,
    // infinity, NaN that are quiet and signalling, with something in them.
    let mut all =
        vec![0, 1, 2, 3, least / 2, least - 1, least, least + 1, 2 * least, 2 * least - 1, one - 1, one, one + 1];
    all.extend([
        one + least,
        one + least / 2,
        one - least,
        infinity - 1,
        infinity - least,
        infinity - 2 * least + 1,
        infinity,
    ]);
    all.extend([infinity + 1, infinity + least / 2, infinity + least - 1, infinity + least / 2 + 5]);
    // What is as far from zero as the last bit of 1, and half of that.
    let last = one - u64::from(fraction) * least;
    all.extend([last, last - least, last - 2 * least, last - least + 1]);
    let sign = 1 << (exponent + fraction);
    all.iter().flat_map(|bits| [*bits, *bits | sign]).collect()
}

/// Numbers at the limits of conversions to integers, and halves between whole numbers.
fn limits() -> Vec<f64> {
    let mut all = vec![0.5, 1.5, 2.5, 3.5, 0.499_999_97, 0.75, 0.25, 1e-30, 3.0, 5.0, 10.0];
    for bits in [7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64] {
        let power = f64::from(bits).exp2();
        all.extend([power, power - 0.5, power + 0.5, power - 1.0, power + 1.0, power.next_down()]);
        all.push(f64::from((power as f32).next_down()));
    }
    all.iter().flat_map(|x| [*x, -*x]).collect()
}

/// What becomes a number of `narrow` digits by rounding: ties, and neighbours of ties.
fn ties(digits: i32, smallest: i32, largest: i32) -> Vec<f64> {
    let half = f64::from(-digits).exp2();
    let mut all = Vec::new();
    for x in [1.0 + half, 1.0 + 3.0 * half, 1.0 + half / 2.0, 1.0 + half * 1.5, 2.0 - half, 2.0 - half / 2.0] {
        all.extend([x, x.next_up(), x.next_down()]);
        // Where the result is subnormal, just below the smallest normal number, and beyond the largest.
        all.extend([x * f64::from(smallest).exp2(), x * f64::from(smallest - 1).exp2()]);
        all.extend([x * f64::from(smallest - digits).exp2(), x * f64::from(largest).exp2()]);
    }
    all.iter().flat_map(|x| [*x, -*x]).collect()
}

/// Numbers of a type that few kernels compute with.
pub fn edges(kind: Kind) -> Vec<u64> {
    let pairs = |exponent, fraction| -> Vec<u64> {
        let each = special(exponent, fraction);
        let other = |at: usize| each[(at * 11 + 3) % each.len()];
        (0..each.len()).map(|at| each[at] | other(at) << 16).collect()
    };
    let mut all = match kind {
        Kind::Nothing => vec![0, 1, 0x200, 0x201, 0x3ff],
        Kind::Integer(bits) => {
            let (most, half) = (u64::MAX >> (64 - bits), 1_u64 << (bits / 2));
            let top = 1_u64 << (bits - 1);
            let mut all = vec![0, 1, 2, 3, 5, 7, most, most - 1, most - 2, top, top - 1, top + 1, top - 2];
            all.extend([half, half - 1, half + 1, half / 2, half / 2 - 1, most / 3, most / 3 * 2, 31, 32, 33, 127]);
            all.extend([128, 255, 256, 0x8080_8080 & most, 0x7f7f_7f7f & most, 0x3210 & most, 0xba98_7654 & most]);
            if bits == 32 {
                all.extend([0xffff_8000, 0xffff_7fff, 0xffff_ff80, 0xffff_ff7f, 0x0100_0001, 0x0100_0003, 0x00ff_ffff]);
            }
            if bits == 64 {
                all.extend([1 << 31, (1 << 31) - 1, u64::MAX << 31, (u64::MAX << 31) - 1, (1 << 24) + 1]);
                all.extend([(1 << 53) + 1, (1 << 53) + 3, (1 << 54) + 2, u64::MAX << 10, u64::MAX - 0x3ff]);
                all.extend([u64::MAX - 0x400, (1 << 40) - 1, (1 << 62) + (1 << 38), (1 << 62) + (1 << 38) + 1]);
            }
            all
        }
        Kind::Amount => {
            let mut all = vec![0, 1, 2, 5, 8, 15, 16, 17, 24, 30, 31, 32, 33, 47, 48, 62, 63, 64, 65, 95, 127, 128];
            all.extend([255, 256, 257, 1 << 16, 1 << 31, (1 << 31) - 1, 0xffff_ffff, 0xffff_fffe, 0xffff_fffd]);
            all.extend([0xffff_fff8, 0xffff_ff00, 0x8000_0020]);
            all
        }
        Kind::Amounts => {
            let each = edges(Kind::Amount);
            each.iter().flat_map(|low| each.iter().map(move |high| low | high << 32)).collect()
        }
        Kind::F16 => special(5, 10),
        Kind::BF16 => special(8, 7),
        Kind::F16x2 => pairs(5, 10),
        Kind::BF16x2 => pairs(8, 7),
        Kind::F32 => {
            let mut all = special(8, 23);
            let numbers = limits().into_iter().chain(ties(11, -14, 15)).chain(ties(8, -126, 127));
            all.extend(numbers.map(|x| u64::from((x as f32).to_bits())));
            all
        }
        Kind::F64 => {
            let mut all = special(11, 52);
            let numbers = limits().into_iter().chain(ties(24, -126, 127)).chain(ties(11, -14, 15));
            all.extend(numbers.map(f64::to_bits));
            all
        }
    };
    let mut seen = std::collections::HashSet::new();
    all.retain(|bits| seen.insert(*bits));
    all
}

/// How a format lies in its bits: of exponent, and of fraction.
fn format(kind: Kind) -> Option<(u32, u32)> {
    Some(match kind {
        Kind::F16 | Kind::F16x2 => (5, 10),
        Kind::BF16 | Kind::BF16x2 => (8, 7),
        Kind::F32 => (8, 23),
        Kind::F64 => (11, 52),
        _ => return None,
    })
}

/// A number like many, or any bits.
fn any(kind: Kind, random: &mut ChaCha8Rng) -> u64 {
    let bits: u64 = random.random();
    match kind {
        Kind::Nothing => bits,
        Kind::Integer(width) => (bits & u64::MAX >> (64 - width)) >> random.random_range(0..width),
        Kind::Amount => random.random_range(0..72),
        Kind::Amounts => random.random_range(0..72) | random.random_range(0..40) << 32,
        _ => bits,
    }
}

/// One number of a format near another one's size, or so that their product is near the smallest normal number.
fn beside(kind: Kind, other: u64, product: bool, random: &mut ChaCha8Rng) -> u64 {
    let Some((exponent, fraction)) = format(kind) else { return other ^ 1 << random.random_range(0..6) };
    let most = (1_u64 << exponent) - 2;
    let own = other >> fraction & ((1 << exponent) - 1);
    let bias = (1_u64 << (exponent - 1)) - 1;
    let near = if product { bias.wrapping_sub(own).wrapping_add(1) as i64 } else { own as i64 };
    let size = (near + random.random_range(-2..=2)).clamp(0, most as i64) as u64;
    let digits = random.random::<u64>() & ((1 << fraction) - 1);
    // Often few digits, so that sums and products are ties.
    let digits = if random.random_bool(0.5) { digits & !0 << (fraction * 2 / 3) } else { digits };
    let sign = random.random_range(0..2_u64) << (exponent + fraction);
    sign | size << fraction | digits
}

/// So many triples: edges against edges first, where there is room for half of them, and then others.
pub fn triples(kinds: [Kind; 3], count: usize) -> Vec<[u64; 3]> {
    let seed = kinds.iter().fold(7_u64, |seed, kind| {
        let own = match kind {
            Kind::Integer(bits) => u64::from(*bits),
            other => edges(*other).len() as u64 + 1000,
        };
        seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(own)
    });
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let all = kinds.map(edges);
    let [first, second, third] = [all[0].len(), all[1].len(), all[2].len()];
    let read = kinds.iter().filter(|kind| **kind != Kind::Nothing).count();
    let mut found: Vec<[u64; 3]> = Vec::new();
    let pick = |at: [usize; 3]| [0, 1, 2].map(|index| all[index][at[index] % all[index].len()]);
    match read {
        0 | 1 => (0..first.min(count)).for_each(|at| found.push(pick([at, at * 7, at * 3]))),
        2 if first * second <= count * 3 / 4 => {
            (0..first * second).for_each(|at| found.push(pick([at / second, at % second, at * 3])));
        }
        _ => (0..count * 5 / 8).for_each(|_| {
            let at = [first, second, third].map(|length| random.random_range(0..length));
            found.push(pick(at));
        }),
    }
    // Results just below the smallest normal number, of which rounding makes that number, or not.
    if let (Some((exponent, fraction)), true) = (format(kinds[0]), kinds[0] == kinds[1]) {
        let (one, least) = (((1_u64 << (exponent - 1)) - 1) << fraction, 1_u64 << fraction);
        let (half, twice, sign) = (one - least, one + least, 1_u64 << (exponent + fraction));
        let pairs = [
            (one - 1, least),
            (one - 2, least),
            (2 * least - 1, half),
            (2 * least - 1, twice),
            (2 * least - 3, half),
            (2 * least - 1, one),
            (least - 1, one + 1),
            (least, one + 1),
            (one + 1, least - 1),
            (half + 1, 2 * least - 1),
            (2 * least, half - 1),
        ];
        for (at, (a, b)) in pairs.into_iter().chain(pairs.map(|(a, b)| (b, a))).enumerate() {
            for (c, signs) in [(0, 0), (1, 2), (1 | sign, 1), (2 * least, 3), ((2 * least) | sign, 1)] {
                let third = if kinds[2] == kinds[0] { c } else { all[2][at % third] };
                found.push([a | (sign * (signs & 1)), b | (sign * (signs >> 1)), third]);
            }
        }
    }
    // The same with digits beyond the format's, of which rounding makes all digits of the smallest normal number.
    if let (Some((exponent, fraction)), true) = (format(kinds[0]), kinds[0] == kinds[1]) {
        let (one, least) = (((1_u64 << (exponent - 1)) - 1) << fraction, 1_u64 << fraction);
        let sign = 1_u64 << (exponent + fraction);
        for k in fraction / 2..fraction / 2 + 5 {
            let (below, above) = (one - (2 << (fraction - k)), least + (1 << (fraction - k)));
            for (a, b) in [(below, above), (above, below), (below | sign, above), (above | sign, below | sign)] {
                found.push([a, b, if kinds[2] == kinds[0] { sign } else { all[2][(k as usize) % third] }]);
            }
        }
        if kinds[2] == kinds[0] {
            for digits in fraction - 1..fraction + 4 {
                let part = one - (u64::from(digits) << fraction);
                for (b, c) in [(part | sign, least), (part, least | sign), (part | sign, least | sign)] {
                    found.extend([[2 * least, b, c], [b, 2 * least, c], [2 * least + 1, b, c]]);
                }
            }
        }
    }
    found.truncate(count);
    while found.len() < count {
        let mut three = kinds.map(|kind| any(kind, &mut random));
        match found.len() % 4 {
            0 => {}
            1 => {
                let index = random.random_range(0..3);
                three[index] = all[index][random.random_range(0..all[index].len())];
            }
            which => {
                three[1] =
                    if kinds[1] == kinds[0] { beside(kinds[1], three[0], which == 3, &mut random) } else { three[1] };
                // Near the first one, or near a product around 1.
                let near = random.random_bool(0.5);
                let one = format(kinds[2]).map_or(1, |(exponent, fraction)| ((1 << (exponent - 1)) - 1) << fraction);
                let to = if near && kinds[2] == kinds[0] { three[0] } else { one };
                if kinds[2] != Kind::Nothing && !matches!(kinds[2], Kind::Amount | Kind::Amounts) {
                    three[2] = beside(kinds[2], to, false, &mut random);
                }
            }
        }
        found.push([0, 1, 2].map(|index| three[index] & u64::MAX >> (64 - kinds[index].bits())));
    }
    found
}
