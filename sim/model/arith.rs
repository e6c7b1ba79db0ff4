//! The arithmetic model: what each operation computes, in plain integers.
//!
//! It shares nothing with the hardware or the micro-programs but the opcodes: an error in both can only be the same
//! misreading of what an operation means, which the documentation of [`Opcode`] states.

use crate::cordic;
use crate::float::{self, Base, Choice, Function, Kind, Relation, Trigonometric};
pub use bitline_units::array::isa::element::{Inputs, Outputs};
use bitline_units::array::isa::{Opcode, custom};

fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// The two's-complement number with this bit pattern.
fn signed(value: u64, bits: u32) -> i128 {
    let value = i128::from(value);
    if value >> (bits - 1) & 1 == 1 { value - (1 << bits) } else { value }
}

/// Rows of a count of up to n: log2 n + 1 for a power of two n.
fn count_rows(n: u32) -> u32 {
    n.ilog2() + 1
}

/// Quotient and remainder as RISC-V defines them.
fn divide(op: Opcode, a: u64, b: u64, n: u32) -> (u128, u128) {
    if op.signed() {
        let (x, y) = (signed(a, n), signed(b, n));
        let (q, r) = if y == 0 { (-1, x) } else { (x / y, x % y) };
        (q as u128 & mask(n), r as u128 & mask(n))
    } else {
        let (q, r) = if b == 0 { (u64::MAX, a) } else { (a / b, a % b) };
        (u128::from(q) & mask(n), u128::from(r))
    }
}

/// The result of `op` on one column, for widths `n` and `m` and the command's `key`.
pub fn evaluate(op: Opcode, n: u32, m: u32, key: u64, inputs: Inputs) -> Outputs {
    use Opcode as O;
    let Inputs { a, b, d, e, tag } = inputs;
    let (wa, wb) = (u128::from(a), u128::from(b));
    let (sa, sb) = if n > 0 { (signed(a, n), if b >> n.min(63) <= 1 { signed(b, n) } else { 0 }) } else { (0, 0) };
    let rows = |value: u128, rows: u32| Outputs { d: Some((value & mask(rows), rows)), ..Outputs::default() };
    let value = |value: u128| rows(value, n);
    let integer = |number: i128| rows(number as u128, n);
    // A floating-point number, whose top bit is its sign.
    let bits = (n + m).saturating_sub(2);
    let number = |bits_of: Option<u64>| Outputs { d: bits_of.map(|value| (value.into(), bits)), ..Outputs::default() };
    let sign = (1..=64).contains(&bits).then(|| 1u64 << (bits - 1));
    let flag = |bit: bool| Outputs { tag: Some(bit), ..rows(bit.into(), 1) };
    match op {
        O::Load | O::Store => Outputs::default(),
        O::Copy => value(wa),
        O::Zero => value(0),
        O::Set => value(u128::MAX),
        O::Not => value(!wa),
        O::And => value(wa & wb),
        O::Or => value(wa | wb),
        O::Xor => value(wa ^ wb),
        O::Nand => value(!(wa & wb)),
        O::Nor => value(!(wa | wb)),
        O::Xnor => value(!(wa ^ wb)),
        O::Fill => value(if a & 1 == 1 { u128::MAX } else { 0 }),
        O::TagLoad => Outputs { tag: Some(a & 1 == 1), ..Outputs::default() },
        O::TagStore => Outputs { tag: Some(tag), ..rows(tag.into(), 1) },
        O::Select => Outputs { tag: Some(e == 1), ..value(if e == 1 { wa } else { wb }) },
        O::Add => value(wa + wb),
        O::AddCarry => rows(wa + wb, n + 1),
        O::Sub => value(wa.wrapping_sub(wb)),
        O::Neg => value(0u128.wrapping_sub(wa)),
        O::Abs => integer(sa.abs()),
        O::Eq => flag(a == b),
        O::Ne => flag(a != b),
        O::LtU => flag(a < b),
        O::LtS => flag(sa < sb),
        O::LeU => flag(a <= b),
        O::LeS => flag(sa <= sb),
        O::GtU => flag(a > b),
        O::GtS => flag(sa > sb),
        O::GeU => flag(a >= b),
        O::GeS => flag(sa >= sb),
        O::MinU => value(wa.min(wb)),
        O::MinS => integer(sa.min(sb)),
        O::MaxU => value(wa.max(wb)),
        O::MaxS => integer(sa.max(sb)),
        O::MulU => rows(wa * wb, 2 * n),
        O::MulS => rows((sa * sb) as u128, 2 * n),
        O::MulLow => value(wa.wrapping_mul(wb)),
        O::MulConst => rows(wa * (u128::from(key) & mask(n)), 2 * n),
        O::DivU | O::DivS => value(divide(op, a, b, n).0),
        O::RemU | O::RemS => value(divide(op, a, b, n).1),
        O::DivRemU | O::DivRemS => {
            let (q, r) = divide(op, a, b, n);
            Outputs { e: Some((r, n)), ..value(q) }
        }
        O::Shl => value(if b >= u64::from(n) { 0 } else { wa << b }),
        O::Shr => value(if b >= u64::from(n) { 0 } else { wa >> b }),
        O::Sar => integer(sa >> b.min(127)),
        O::Rotl | O::Rotr => {
            let by = (b % u64::from(n)) as u32;
            let up = if op == O::Rotl { by } else { (n - by) % n };
            value(wa << up | wa >> ((n - up) % n))
        }
        O::Popcount => rows(a.count_ones().into(), count_rows(n)),
        O::Clz => rows((n - (64 - a.leading_zeros())).into(), count_rows(n)),
        O::Search => Outputs { tag: Some(wa == u128::from(key) & mask(n)), ..Outputs::default() },
        O::DotU => rows(d.wrapping_add(wa * wb), m),
        O::DotS => rows(d.wrapping_add((sa * sb) as u128), m),
        O::FMin | O::FMax | O::FMinimum | O::FMaximum => {
            let larger = matches!(op, O::FMax | O::FMaximum);
            let propagates = matches!(op, O::FMinimum | O::FMaximum);
            number(float::choose(Choice { larger, propagates }, n, m, a, b))
        }
        O::CordicSinCos => {
            let [sine, cosine] = cordic::sine_and_cosine(n, m, a);
            Outputs { e: Some((cosine.into(), n)), ..value(sine.into()) }
        }
        O::CordicAtan => {
            let [angle, length] = cordic::angle_and_length(n, m, a, b);
            Outputs { e: Some((length.into(), n)), ..value(angle.into()) }
        }
        O::CordicExp => value(cordic::exponential(n, m, a).into()),
        O::CordicLog => value(cordic::logarithm(n, m, a).into()),
        O::CordicSqrt => value(cordic::square_root(n, m, a).into()),
        O::FRound => number(float::integral(n, m, key, a)),
        O::FSqrt => number(float::square_root(n, m, key, a)),
        O::FExp2 => number(float::exponential(Base::Two, n, m, key, a)),
        O::FExp => number(float::exponential(Base::E, n, m, key, a)),
        O::FLog2 => number(float::logarithm(Base::Two, n, m, key, a)),
        O::FLog => number(float::logarithm(Base::E, n, m, key, a)),
        O::FSin => number(float::trigonometric(Trigonometric::Sine, n, m, key, a)),
        O::FCos => number(float::trigonometric(Trigonometric::Cosine, n, m, key, a)),
        O::FTan => number(float::trigonometric(Trigonometric::Tangent, n, m, key, a)),
        O::FTanh => number(float::hyperbolic_tangent(n, m, key, a)),
        O::FAtan => number(float::arctangent(n, m, key, a)),
        O::FRcp => number(float::reciprocal(n, m, key, a)),
        O::FRsqrt => number(float::reciprocal_root(n, m, key, a)),
        O::FFma => number(float::fused(n, m, key, [a, b, e])),
        O::FUnpack => unpacked(n, m, float::unpack(n, m, key, a)),
        O::FSum => unpacked(n, m, float::sum(n, m, a, b)),
        O::FPack => number(float::pack(n, m, key, a)),
        O::FClass => float::classify(n, m, a).map_or(Outputs::default(), |class| rows(class.into(), 10)),
        O::FNeg => number(sign.map(|sign| a ^ sign)),
        O::FAbs => number(sign.map(|sign| a & !sign)),
        O::FCopySign => number(sign.map(|sign| a & !sign | b & sign)),
        O::FEq | O::FLt | O::FLe | O::FUnordered => {
            let relation = match op {
                O::FEq => Relation::Equal,
                O::FLt => Relation::Less,
                O::FUnordered => Relation::Unordered,
                _ => Relation::LessOrEqual,
            };
            float::compare(relation, n, m, key, a, b).map_or(Outputs::default(), flag)
        }
        O::FAdd | O::FSub | O::FMul | O::FDiv => {
            let function = match op {
                O::FAdd => Function::Add,
                O::FSub => Function::Subtract,
                O::FDiv => Function::Divide,
                _ => Function::Multiply,
            };
            let result = float::evaluate(function, n, m, key, a, b);
            number(result)
        }
        _ if op.is_custom() => match custom::of(op) {
            Some(custom) => (custom.arithmetic)(n, m, key, inputs),
            None => Outputs::default(),
        },
        _ => match from_format(op) {
            Some(from) => number(float::convert(from, n, m, key, a)),
            None => conversion(op, n, key, a),
        },
    }
}

/// An unpacked number, of n + m + 10 rows.
fn unpacked(n: u32, m: u32, number: Option<u64>) -> Outputs {
    Outputs { d: number.map(|bits| (bits.into(), n + m + 10)), ..Outputs::default() }
}

/// The format of the operand of a conversion between formats.
fn from_format(op: Opcode) -> Option<Kind> {
    use Opcode as O;
    Some(match op {
        O::F32ToFloat => Kind::Single,
        O::F64ToFloat => Kind::Double,
        O::F16ToFloat => Kind::Half,
        O::BF16ToFloat => Kind::Brain,
        O::E5M2ToFloat => Kind::E5M2,
        O::E4M3ToFloat => Kind::E4M3,
        _ => return None,
    })
}

/// Whether a conversion goes to integers, and the numbers' format.
fn conversion_of(op: Opcode) -> (bool, Kind) {
    use Opcode as O;
    match op {
        O::F32ToIntU | O::F32ToIntS => (true, Kind::Single),
        O::F64ToIntU | O::F64ToIntS => (true, Kind::Double),
        O::F16ToIntU | O::F16ToIntS => (true, Kind::Half),
        O::BF16ToIntU | O::BF16ToIntS => (true, Kind::Brain),
        O::E5M2ToIntU | O::E5M2ToIntS => (true, Kind::E5M2),
        O::E4M3ToIntU | O::E4M3ToIntS => (true, Kind::E4M3),
        O::F32FromIntU | O::F32FromIntS => (false, Kind::Single),
        O::F64FromIntU | O::F64FromIntS => (false, Kind::Double),
        O::F16FromIntU | O::F16FromIntS => (false, Kind::Half),
        O::BF16FromIntU | O::BF16FromIntS => (false, Kind::Brain),
        O::E5M2FromIntU | O::E5M2FromIntS => (false, Kind::E5M2),
        _ => (false, Kind::E4M3),
    }
}

/// The result of a conversion from or to integers of `n` bits.
fn conversion(op: Opcode, n: u32, key: u64, a: u64) -> Outputs {
    let (to_integer, kind) = conversion_of(op);
    let (value, rows) = if to_integer {
        (float::to_integer(kind, op.signed(), n, key, a), n)
    } else {
        let value = if op.signed() { signed(a, n) } else { a.into() };
        float::from_integer(kind, key, value)
    };
    Outputs { d: Some((u128::from(value) & mask(rows), rows)), ..Outputs::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(op: Opcode, n: u32, a: u64, b: u64) -> Outputs {
        evaluate(op, n, 7, 0, Inputs { a, b, ..Inputs::default() })
    }

    /// Values worked out by hand or taken from the RISC-V M extension's table of special cases.
    #[test]
    fn special_cases() {
        assert_eq!(on(Opcode::DivU, 8, 7, 0).d, Some((0xff, 8)));
        assert_eq!(on(Opcode::RemU, 8, 7, 0).d, Some((7, 8)));
        assert_eq!(on(Opcode::DivS, 8, 0x80, 0xff).d, Some((0x80, 8)));
        assert_eq!(on(Opcode::RemS, 8, 0x80, 0xff).d, Some((0, 8)));
        assert_eq!(on(Opcode::DivS, 8, 0xf9, 2).d, Some((0xfd, 8)), "-7 / 2 = -3");
        assert_eq!(on(Opcode::RemS, 8, 0xf9, 2).d, Some((0xff, 8)), "-7 % 2 = -1");
        assert_eq!(on(Opcode::MulS, 4, 0xf, 0xf).d, Some((1, 8)));
        assert_eq!(on(Opcode::Abs, 8, 0x80, 0).d, Some((0x80, 8)));
        assert_eq!(on(Opcode::Sar, 8, 0x80, 127).d, Some((0xff, 8)));
        assert_eq!(on(Opcode::Shl, 8, 0xff, 8).d, Some((0, 8)));
        assert_eq!(on(Opcode::Rotl, 8, 0x81, 9).d, Some((0x03, 8)));
        assert_eq!(on(Opcode::Rotr, 8, 0x81, 9).d, Some((0xc0, 8)));
        assert_eq!(on(Opcode::Clz, 8, 0, 0).d, Some((8, 4)));
        assert_eq!(on(Opcode::Clz, 8, 1, 0).d, Some((7, 4)));
        assert_eq!(on(Opcode::LtS, 64, u64::MAX, 0).tag, Some(true));
    }
}
