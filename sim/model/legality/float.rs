//! Kinds of floating-point operations, and their formats.

use bitline_units::array::isa::Opcode;

pub(super) fn is_float_sum(op: Opcode) -> bool {
    matches!(op, Opcode::FAdd | Opcode::FSub)
}

pub(super) fn is_float_order(op: Opcode) -> bool {
    matches!(op, Opcode::FEq | Opcode::FLt | Opcode::FLe | Opcode::FUnordered)
}

pub(super) fn is_float_choice(op: Opcode) -> bool {
    matches!(op, Opcode::FMin | Opcode::FMax | Opcode::FMinimum | Opcode::FMaximum)
}

pub(super) fn is_float_sign(op: Opcode) -> bool {
    matches!(op, Opcode::FNeg | Opcode::FAbs | Opcode::FCopySign)
}

/// Functions of binary32, binary16 and bfloat16 numbers.
pub(super) fn is_function(op: Opcode) -> bool {
    matches!(op, Opcode::FExp2 | Opcode::FExp | Opcode::FLog2 | Opcode::FLog | Opcode::FSin | Opcode::FCos)
        || matches!(op, Opcode::FTan | Opcode::FTanh | Opcode::FAtan)
}

/// Scratch rows of such a function.
pub(super) fn function_scratch(op: Opcode, n: u32, m: u32) -> u32 {
    if matches!(op, Opcode::FLog2 | Opcode::FLog) {
        // What is true and false of the columns, the mode; the significand, with n + 7 bits behind the point; the sum,
        // with a sign, m + 2 bits in front of it and n + 5 behind it. Distances and the exponent are in d.
        (3 + 4 + 2 + 3) + (1 + n + 7) + (1 + m + 2 + n + 5)
    } else if op == Opcode::FTanh && n != 26 {
        // What is true and false of the columns, the mode, a distance; what is left of the operand, with three bits in
        // front of the point; the numerator and a row above it; a power of two.
        let behind = if n == 13 { 22 } else { 16 };
        (3 + 4 + 3) + 2 + 4 + (3 + behind) + (2 + behind) + (1 + behind)
    } else if op == Opcode::FTanh {
        // What is true and false of the columns, the mode, a distance; what is left of the operand, with 38 bits behind
        // the point, of which 25 stay beside a product of 21; the denominator, the numerator and a row above it.
        (3 + 4 + 3) + 2 + 4 + (25 + 21) + (2 + 38) + (2 + 38)
    } else if op == Opcode::FAtan {
        // What is true and false of the columns, the mode, a distance; two places of a vector's component, with two
        // bits in front of the point and n + 11 behind it; the other one, which the angle takes two rows further up.
        // Vectors of shorter formats have fewer bits.
        (3 + 4 + 2) + 2 + 5 + 3 * (n + 11) + 7
    } else if matches!(op, Opcode::FSin | Opcode::FCos | Opcode::FTan) {
        // What is true and false of the columns, the mode, an exponent; two components of a vector; the angle, with two
        // bits in front of the point and n + 9 behind it. One number for all formats: others than binary32 have a
        // third place of n + 6 bits for a component.
        (3 + 4 + 5) + 2 + 8 + n + 75
    } else {
        // What is true and false of the columns, a distance, the mode, the exponent; the significand, with two bits in
        // front of the point and n + 6 behind it; the residue, with a sign, m + 2 bits in front of it and n + 5 behind
        // it. One number for all formats: others than binary32 have the mode and the exponent behind the significand.
        2 * n + (8 + 5 + 3 + 10) + (2 + 6) + (1 + 10 + 5) + 1
    }
}

/// Whether widths are those of a format.
pub(super) fn has_format(op: Opcode) -> bool {
    is_float_sum(op)
        || is_float_order(op)
        || is_float_choice(op)
        || is_float_sign(op)
        || matches!(op, Opcode::FMul | Opcode::FFma | Opcode::FDiv | Opcode::FSqrt | Opcode::FClass | Opcode::FRound)
        || matches!(op, Opcode::FRcp | Opcode::FRsqrt)
        || is_function(op)
        || op.is_unpacked()
        || from_format(op).is_some()
}

/// Fraction and exponent bits of the numbers that are converted to another format.
pub(super) fn from_format(op: Opcode) -> Option<(u32, u32)> {
    use Opcode as O;
    Some(match op {
        O::F32ToFloat => (23, 8),
        O::F64ToFloat => (52, 11),
        O::F16ToFloat => (10, 5),
        O::BF16ToFloat => (7, 8),
        O::E5M2ToFloat => (2, 5),
        O::E4M3ToFloat => (3, 4),
        _ => return None,
    })
}

/// Scratch rows of such a conversion: what the format takes that takes most.
pub(super) fn between_formats((fraction, exponent): (u32, u32)) -> u32 {
    let rows = FORMATS.iter().map(|&(to_fraction, to_exponent)| {
        let stages = fraction.ilog2() + 1;
        if to_exponent < exponent {
            // The significand with two bits behind it, an exponent, what is true and false of the columns.
            8 + (to_fraction + 3) + to_exponent
        } else if to_exponent > exponent && to_fraction < fraction {
            // How far the number goes up, the significand with as many zeros as it may take in.
            8 + stages + (1 << (stages - 1)) + fraction + 1
        } else if to_exponent > exponent {
            8 + stages
        } else {
            7
        }
    });
    rows.max().unwrap_or(0)
}

/// Fraction and exponent bits of the numbers that are converted to integers of n bits.
pub(super) fn to_integer(op: Opcode) -> Option<(u32, u32)> {
    use Opcode as O;
    Some(match op {
        O::F32ToIntU | O::F32ToIntS => (23, 8),
        O::F64ToIntU | O::F64ToIntS => (52, 11),
        O::F16ToIntU | O::F16ToIntS => (10, 5),
        O::BF16ToIntU | O::BF16ToIntS => (7, 8),
        O::E5M2ToIntU | O::E5M2ToIntS => (2, 5),
        O::E4M3ToIntU | O::E4M3ToIntS => (3, 4),
        _ => return None,
    })
}

/// The same of numbers that integers are converted to.
pub(super) fn from_integer(op: Opcode) -> Option<(u32, u32)> {
    use Opcode as O;
    Some(match op {
        O::F32FromIntU | O::F32FromIntS => (23, 8),
        O::F64FromIntU | O::F64FromIntS => (52, 11),
        O::F16FromIntU | O::F16FromIntS => (10, 5),
        O::BF16FromIntU | O::BF16FromIntS => (7, 8),
        O::E5M2FromIntU | O::E5M2FromIntS => (2, 5),
        O::E4M3FromIntU | O::E4M3FromIntS => (3, 4),
        _ => return None,
    })
}

pub(super) fn is_conversion(op: Opcode) -> bool {
    to_integer(op).is_some() || from_integer(op).is_some()
}

pub(super) fn is_float(op: Opcode) -> bool {
    has_format(op) || is_conversion(op)
}

/// Rows of a number: sign, exponent and fraction.
pub(super) fn number(n: u32, m: u32) -> u32 {
    (1 + m + n).saturating_sub(3)
}

/// Rows of an unpacked number: of the significand, with three bits behind the fraction, four above the hidden bit and
/// the sign; of the exponent; of four flags.
pub(super) fn unpacked(n: u32, m: u32) -> u32 {
    (n + 6) + m + 4
}

/// Fraction and exponent bits of the formats of floating-point numbers.
const FORMATS: [(u32, u32); 6] = [(2, 5), (3, 4), (7, 8), (10, 5), (23, 8), (52, 11)];

/// Exponent bits of the format whose fraction, with the hidden bit and two more behind it, has n rows.
pub(super) fn exponent(n: u32) -> Option<u32> {
    FORMATS.iter().find(|(fraction, _)| fraction + 3 == n).map(|&(_, exponent)| exponent)
}
