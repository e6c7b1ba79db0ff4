//! How many rows operations use beside their operands.

use super::{float::*, kinds::*};
use bitline_units::array::isa::{Command, Opcode, Set};
use bitline_units::array::params::{Memory, Params};

/// Scratch rows.
pub(super) fn scratch(command: &Command, params: &Params) -> u32 {
    let (op, set, n) = (command.opcode, command.set, u32::from(command.width));
    let block_ram = params.memory == Memory::BlockRam;
    // The remainder is worked out in rows of its own unless it is asked for.
    let remainder = if matches!(op, Opcode::DivU | Opcode::DivS) { n } else { 0 };
    if op == Opcode::Sub && set == Set::Baseline {
        // The complement of b.
        n
    } else if is_rotation(op) || matches!(op, Opcode::Popcount | Opcode::Clz) {
        // The second of two buffers; sums of the tree; halves of the halves.
        n
    } else if is_unsigned_division(op) && set == Set::Baseline {
        // The dividend with n − 1 zeros above it; without TwoPort the divisor's complement too.
        (if two_port(params) { 2 * n } else { 3 * n }).saturating_sub(1)
    } else if is_unsigned_division(op) {
        let complement = if two_port(params) { 0 } else { n };
        // Where no search of many rows tells it: from which row on the divisor is 0, and whether it is 0 altogether.
        let zeros = if block_ram { n + u32::from(set == Set::Skip) } else { 0 };
        complement + remainder + zeros
    } else if is_signed_division(op) {
        // The divisor's magnitude.
        n + remainder + if block_ram { n } else { 0 }
    } else if let Some((_, exponent)) = to_integer(op) {
        // How far the significand goes down: an exponent, and as many bits as tell the integer's rows apart. What is
        // true and false of the columns.
        exponent + log2(n) + 9
    } else if let Some((fraction, exponent)) = from_integer(op) {
        // The integer on its way up, of which the result's rows take all of 64 bits or, of binary32's, half of those;
        // an exponent, which may be too large for its format; how rounding goes.
        let integer = match fraction {
            52 => 0,
            23 if n == 64 => 32,
            23 => 0,
            _ => n,
        };
        integer + exponent.max(8) + 3
    } else if let Some(from) = from_format(op) {
        between_formats(from)
    } else if matches!(op, Opcode::FUnordered | Opcode::FClass) {
        // What is true and false of the operands, as of a choice; kinds of numbers.
        8
    } else if op == Opcode::FRound {
        // Which bits are behind the point, an exponent, what is true and false of the columns.
        n + u32::from(command.second) + 9
    } else if is_float_order(op) {
        // What is true and false of the operands.
        9
    } else if is_float_choice(op) {
        // The same without what tells zeros.
        8
    } else if op == Opcode::FMul {
        // The product's upper half with a row to spare on either side, six bits of a distance, an exponent, what is
        // true and false of the columns. The lower half is in d.
        n + 6 + u32::from(command.second) + 8
    } else if op == Opcode::FFma {
        // As of a product, which is added to the third operand in the same rows.
        n + 6 + u32::from(command.second) + 8
    } else if op == Opcode::FSqrt && n >= 26 {
        // The root is in d. What is true and false of the columns, six stages; the remainder goes down by two rows in
        // each of n − 2 passes, while its top goes down by one, and in the last one has n + 1 rows. Behind two thirds
        // of them, in the pass before which it has as many rows as passes have been and one, it goes above itself.
        let (passes, again) = (n - 2, (n - 2) * 2 / 3);
        3 + 4 + 6 + 1 + 2 * (passes - again) + again + 2
    } else if matches!(op, Opcode::FDiv | Opcode::FSqrt | Opcode::FRcp | Opcode::FRsqrt) {
        // The remainder goes down through as many rows as it has; what is true and false of the columns. The quotient
        // takes rows that it leaves, and the divisor is in d. The root is in d, and six stages have rows; where it is
        // divided by, it has a bit more, which the remainder goes down by, too.
        2 * n
            + match op {
                // In long formats the remainder, whose lowest bit is the divisor's and has no row, comes down over what
                // is true and false, with nothing below it.
                Opcode::FDiv | Opcode::FRcp | Opcode::FRsqrt if n >= 26 => return 2 * n - 4,
                Opcode::FDiv | Opcode::FRcp => 7,
                Opcode::FSqrt => 12,
                _ => 14,
            }
    } else if is_function(op) {
        function_scratch(op, n, command.second.into())
    } else if op == Opcode::CordicSinCos {
        // A second place for the sine, what is left of the angle but its sign, directions.
        2 * n + 1
    } else if op == Opcode::CordicAtan {
        // Two places of a vector's y, whose x is in e; directions.
        2 * n + 2
    } else if op == Opcode::CordicExp {
        // What is left of the exponent behind the first step but its sign, directions.
        n
    } else if op == Opcode::CordicLog {
        // The product of the factors, directions.
        n + 2
    } else if op == Opcode::CordicSqrt {
        // Two places of a vector's y, whose x is in d; its direction is y's sign.
        2 * n
    } else if op == Opcode::FUnpack {
        // What is true and false of the number.
        4
    } else if op == Opcode::FSum {
        // A significand, the difference of the exponents, which of them is larger.
        (n + 6) + u32::from(command.second) + 1
    } else if op == Opcode::FPack {
        // A significand, a distance, what is true and false of the number; the exponent is in d.
        (n + 6) + 5 + 10
    } else if is_float_sum(op) {
        // The significand with its carry, the difference of the exponents, what is true and false of the operands.
        (n + 1) + u32::from(command.second) + 13
    } else {
        0
    }
}
