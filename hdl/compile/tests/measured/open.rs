//! Where a GPU and this project may differ, and how far.

use bitline_compile::ptx::types::Type;

use super::operands::Kind;
use super::sweep::{Line, is_approximate};

/// What the manual of PTX leaves open, or says otherwise than the GPU does it.
pub fn is_left_open(line: &Line, [a, b, c]: [u64; 3]) -> bool {
    let name = line.name.as_str();
    let subnormal = (a & 0x7f80_0000) == 0;
    match line.kinds {
        // The remainder of a division by zero: the GPU has all ones.
        [_, Kind::Integer(bits), _] if name.starts_with("rem.") => b & u64::MAX >> (64 - bits) == 0,
        // Places and lengths have 8 bits; of 64-bit fields the GPU looks at more.
        _ if matches!(name, "bfe.u64" | "bfe.s64") => b > 255 || c > 255,
        _ if name == "bfi.b64" => c & 0xffff_ffff > 255 || c >> 32 > 255,
        // An offset that has no opposite.
        _ if name == "fns.b32" => c == 0x8000_0000,
        // The manual flushes subnormal numbers of binary32; the GPU rounds them away from zero.
        _ if name.contains(".ftz.") && name.ends_with(".f16.f32") && !name.contains("set") => subnormal,
        // A NaN in a sum of binary64 is one with other bits, which these lines turn around.
        [Kind::F64, ..] if name.contains("brev") => f64::from_bits(a).is_nan() || f64::from_bits(b).is_nan(),
        // The driver's compiler converts the result of a `set` to float that a guard leaves out, optimising or not.
        _ if name.contains("@%q1 set.gt.f32") => true,
        // Of functions of numbers far from zero the manual says nothing, nor of quotients by large ones.
        _ if name.starts_with("sin") || name.starts_with("cos") => f32::from_bits(a as u32).abs() > 6.2,
        _ if name.starts_with("div.approx") => f32::from_bits(b as u32).abs() > 85e36 || subnormal,
        _ => false,
    }
}

/// The bits of a NaN, which this project has its own of, as one.
fn same_nan(ty: Type, bits: u64) -> u64 {
    let of = |bits: u64, infinity: u64, sign: u64| if bits & (sign - 1) > infinity { sign - 1 } else { bits };
    match ty {
        Type::F16 => of(bits, 0x7c00, 0x8000),
        Type::BF16 => of(bits, 0x7f80, 0x8000),
        Type::F32 => of(bits, 0x7f80_0000, 1 << 31),
        Type::F64 => of(bits, 0x7ff << 52, 1 << 63),
        Type::F16x2 | Type::BF16x2 => same_nan(ty.element(), bits & 0xffff) | same_nan(ty.element(), bits >> 16) << 16,
        _ => bits,
    }
}

/// What a line's result is for that: those of memory have all their numbers in one.
fn same_nans(line: &Line, bits: u64) -> u64 {
    let each = |ty: Type| {
        let (width, mask) = (ty.bits(), ty.mask());
        (0..64 / width).map(|at| same_nan(ty, bits >> (width * at) & mask) << (width * at)).sum()
    };
    match (line.result, line.kinds[0]) {
        (Type::U64, Kind::F16 | Kind::F16x2) => each(Type::F16),
        (Type::U64, Kind::BF16 | Kind::BF16x2) => each(Type::BF16),
        (Type::U64, Kind::F32) => each(Type::F32),
        (Type::U64, Kind::F64) => same_nan(Type::F64, bits),
        (ty, _) => same_nan(ty, bits),
    }
}

/// A number's place among all of its format, so that neighbours are one apart.
fn place(ty: Type, bits: u64) -> i64 {
    let sign = 1 << (ty.bits() - 1);
    if bits & sign == 0 { bits as i64 } else { -((bits ^ sign) as i64) }
}

/// Whether two results are the same, or as near as the manual has it for both of them.
pub fn is_same(line: &Line, own: u64, theirs: u64) -> bool {
    let ty = line.result;
    let (own, theirs) = (same_nans(line, own), same_nans(line, theirs));
    if own == theirs || !is_approximate(line) {
        return own == theirs;
    }
    let number = |bits: u64| f64::from(f32::from_bits(bits as u32));
    let (x, y) = (number(own), number(theirs));
    let relative = |part: f64| (x - y).abs() <= part * y.abs();
    match ty {
        Type::F16x2 | Type::BF16x2 => {
            let near = |shift: u32| {
                let of = |bits: u64| place(ty.element(), bits >> shift & 0xffff);
                (of(own) - of(theirs)).abs() <= 1
            };
            near(0) && near(16)
        }
        Type::F16 | Type::BF16 | Type::F64 => (place(ty, own) - place(ty, theirs)).abs() <= 1,
        // 2^−20.9 absolute, twice, with as much again for what is rounded.
        _ if line.name.starts_with("sin") || line.name.starts_with("cos") => (x - y).abs() <= (-19.9_f64).exp2(),
        _ if line.name.starts_with("lg2") => (x - y).abs() <= (-21.5_f64).exp2() || relative((-21_f64).exp2()),
        _ if line.name.starts_with("tanh") => relative((-10_f64).exp2()),
        _ => (place(ty, own) - place(ty, theirs)).abs() <= 4,
    }
}

/// A product or sum under `.ftz` of which the array makes 0, since it is below the smallest normal number, and the GPU
/// that number, since rounding makes it of it.
pub fn is_just_below(line: &Line, own: u64, theirs: u64) -> bool {
    let (own, theirs) = (same_nans(line, own), same_nans(line, theirs));
    let (zero, least) = match line.result {
        Type::F16 => (0x8000, 0x400),
        Type::F32 => (1 << 31, 0x0080_0000),
        Type::F16x2 => {
            let half = Line { result: Type::F16, ..line.clone() };
            let each = |shift: u32| {
                let (own, theirs) = (own >> shift & 0xffff, theirs >> shift & 0xffff);
                own == theirs || is_just_below(&half, own, theirs)
            };
            return each(0) && each(16);
        }
        _ => return false,
    };
    line.name.contains(".ftz") && own & !zero == 0 && theirs & !zero == least && own & zero == theirs & zero
}
