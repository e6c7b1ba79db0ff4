//! What floating-point operations of the set `skip` ask of their columns: rows that no column wants are left out. What
//! a column wants is said here of its operands, as the operations' contracts have it, and not of micro-programs; a test
//! holds the cycles of commands to it. Where an operation has micro-programs for one mode alone, those ask nothing.

use bitline_units::array::isa::Opcode;

use crate::arith::Inputs;

/// A number of a format with `fraction` bits of fraction and `exponent` bits of exponent.
#[derive(Clone, Copy)]
struct Number {
    /// The field, which is 0 of zeros and subnormal numbers.
    field: i64,
    /// Its exponent as it counts, at least 1.
    exponent: i64,
    /// Fraction and the bit in front of it.
    significand: u128,
    /// Neither infinite nor NaN.
    finite: bool,
    /// Not zero, nor flushed to zero.
    counts: bool,
}

/// A format, and whether subnormal operands are flushed.
#[derive(Clone, Copy)]
struct Kind {
    fraction: u32,
    exponent: u32,
    flushes: bool,
}

impl Kind {
    fn number(self, bits: u64) -> Number {
        let (ones, full) = ((1u64 << self.exponent) - 1, (1u64 << self.fraction) - 1);
        let (field, fraction) = (bits >> self.fraction & ones, bits & full);
        // E4M3 has no infinities: numbers go on where the exponent is all ones.
        let all = field == ones && ((self.fraction, self.exponent) != (3, 4) || fraction == full);
        Number {
            field: field as i64,
            exponent: field.max(1) as i64,
            significand: u128::from(fraction | u64::from(field != 0) << self.fraction),
            finite: !all,
            counts: field != 0 || fraction != 0 && !self.flushes,
        }
    }

    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Its exponent and significand with a 1 in front.
    fn normal(self, number: Number) -> (i64, u128) {
        let missing = (128 - self.fraction - 1).abs_diff(number.significand.leading_zeros().min(127));
        if number.significand == 0 {
            (1, 0)
        } else {
            (number.exponent - i64::from(missing), number.significand << missing)
        }
    }
}

/// A sum of numbers without rounding: whether the difference of magnitudes begins below the larger one's first bit, and
/// is not 0.
fn cancels(kind: Kind, a: Number, b: Number) -> bool {
    let (large, small) = if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
    let same = (a.exponent, a.significand) == (b.exponent, b.significand);
    if large.field == 0 || !large.finite || same || kind.flushes && small.field == 0 {
        return false;
    }
    let gap = (large.exponent - small.exponent) as u32;
    if gap > 60 {
        return large.significand == 1 << kind.fraction && small.significand != 0;
    }
    (large.significand << gap) - small.significand < 1 << (kind.fraction + gap)
}

/// Whether the sum of a product and a number has its first bit so far below the larger one's that it goes up by all of
/// a number's bits. What is no number asks for nothing, and so does every number of E5M2.
fn far(kind: Kind, inputs: &Inputs) -> bool {
    let [a, b, c] = [inputs.a, inputs.b, inputs.e].map(|bits| kind.number(bits));
    let sign = |bits: u64| bits >> (kind.fraction + kind.exponent) & 1 == 1;
    let (zero, numbers) = (!a.counts || !b.counts, a.finite && b.finite);
    // That of the product's first bit, if it is 2 or more.
    let exponent = a.exponent + b.exponent - kind.bias() + 1;
    // Whether the third operand keeps its place, and the product moves.
    let keeps = numbers && (exponent <= c.exponent || zero || !c.finite);
    let apart = if keeps { c.exponent - exponent } else { exponent - c.exponent };
    // Both in eighths of the product's last bit; what lies further below is one sticky bit.
    let product = if keeps && zero { 0 } else { a.significand * b.significand } << 3;
    let addend = if c.counts { c.significand << (kind.fraction + 4) } else { 0 };
    let (stays, moves) = if keeps { (addend, product) } else { (product, addend) };
    let by = if (0..128).contains(&apart) { apart as u32 } else { 127 };
    let moved = moves >> by;
    let rest = moved << by != moves;
    let subtract = numbers && c.finite && sign(inputs.a) ^ sign(inputs.b) ^ sign(inputs.e);
    // What lies below is taken away from a difference, unless the other operand has turned out to be the larger one.
    let sum = match (subtract, stays > moved) {
        (false, _) => stays + moved,
        (true, true) => stays - moved - u128::from(rest),
        (true, false) => moved - stays,
    };
    if !numbers || !c.finite {
        return false;
    }
    let (larger, stages) = (if keeps { c.exponent } else { exponent }, 32 - (kind.fraction + 2).leading_zeros());
    // A number's bits less than the product's two in front of the point, and what is behind it.
    (sum != 0 || rest) && sum < 1 << (kind.fraction + 5 - kind.exponent) && larger >= 1 << stages
}

/// What a column wants, a bit for each question of an operation in the set `skip`; n, m and key are the command's.
pub fn wants(opcode: Opcode, n: u32, m: u32, key: u64, inputs: &Inputs) -> u8 {
    let kind = Kind { fraction: n - 3, exponent: m, flushes: key & 1 == 1 };
    let (a, b) = (kind.number(inputs.a), kind.number(inputs.b));
    let subnormal = |number: Number| number.field == 0 && number.counts;
    let bits = |all: [bool; 3]| all.iter().enumerate().map(|(at, bit)| u8::from(*bit) << at).sum();
    let sign = |bits: u64| bits >> (kind.fraction + m) & 1 == 1;
    match opcode {
        Opcode::FAdd | Opcode::FSub => {
            let subtract = sign(inputs.a) ^ sign(inputs.b) ^ (opcode == Opcode::FSub);
            bits([subtract && cancels(kind, a, b), false, false])
        }
        Opcode::FMul => {
            let zero = !a.counts || !b.counts;
            let below = a.exponent + b.exponent < kind.bias();
            let small = a.significand * b.significand < 1 << (2 * kind.fraction);
            bits([below && !zero, (below || small) && !zero, false])
        }
        Opcode::FDiv => {
            let zero = !a.counts || !b.finite;
            let ((up_a, of_a), (up_b, of_b)) = (kind.normal(a), kind.normal(b));
            let quotient = up_a - up_b + kind.bias() - i64::from(of_a < of_b);
            let down = quotient <= 0 && b.significand != 0;
            bits([subnormal(b), a.field == 0 && !zero, down && !zero])
        }
        Opcode::FRcp => {
            let (up, of) = kind.normal(a);
            let quotient = 2 * kind.bias() - up - i64::from(!of.is_power_of_two());
            bits([subnormal(a), quotient <= 0 && a.finite && a.significand != 0, false])
        }
        Opcode::FSqrt | Opcode::FRsqrt => bits([subnormal(a), false, false]),
        Opcode::FFma => bits([far(kind, inputs), false, false]),
        _ => 0,
    }
}

/// The answers of a command's questions, from what any of its columns wants.
pub fn answers(opcode: Opcode, wanted: u8) -> u8 {
    // The last stage of a product has rows of its own where the others have been left out.
    if opcode == Opcode::FMul { wanted & 3 | u8::from(wanted & 2 == 0) << 2 } else { wanted }
}

/// Whether an operation asks at all.
pub fn asks(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(opcode, O::FAdd | O::FSub | O::FMul | O::FDiv | O::FRcp | O::FSqrt | O::FRsqrt | O::FFma)
}
