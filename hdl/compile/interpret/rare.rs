//! Integer operations that few kernels have: carries, sums of products of parts, masks, the n-th bit that is set.
//!
//! Source: PTX ISA 8.7, "Extended-Precision Integer Arithmetic Instructions", and the pseudocode of each instruction.

use super::integer::{bits, number};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

/// A sum or difference with what `CC.CF` holds, and what is carried then: that of the operands as unsigned numbers. A
/// difference is a sum with the complement, so that it carries where nothing is borrowed, as on GPUs: the manual leaves
/// that open. `None` if the operation is not one of these.
pub(super) fn carried(opcode: Opcode, ty: Type, words: Words, operands: [u64; 3], carry: bool) -> Option<(u64, bool)> {
    let n = ty.bits();
    let [a, b, c] = operands.map(|bits| i128::from(bits & ty.mask()));
    let (carry, mask) = (i128::from(carry), i128::from(ty.mask()));
    let exact = match opcode {
        Opcode::Add => a + b,
        Opcode::Addc => a + b + carry,
        Opcode::Sub => a + (mask - b) + 1,
        Opcode::Subc => a + (mask - b) + carry,
        Opcode::Mad | Opcode::Madc => {
            // Of two unsigned numbers of 64 bits the product's sign is not right, but all its bits are.
            let product = number(ty, operands[0]).wrapping_mul(number(ty, operands[1]));
            let part = if words.has(Word::Hi) { product >> n } else { product };
            i128::from(bits(ty, part)) + c + if opcode == Opcode::Madc { carry } else { 0 }
        }
        _ => return None,
    };
    Some((bits(ty, exact), exact >> n != 0))
}

/// The part of a number that has `bits` bits, as its type has it.
fn part(ty: Type, whole: u64, index: u32, width: u32) -> i64 {
    let bits = whole >> (index * width) & ((1 << width) - 1);
    let sign = 1 << (width - 1);
    if ty.is_signed() { (bits ^ sign) as i64 - sign as i64 } else { bits as i64 }
}

/// `dp4a` and `dp2a`: products of bytes, or of halves and bytes, and `c`.
pub(super) fn products(opcode: Opcode, types: [Type; 2], words: Words, [a, b, c]: [u64; 3]) -> u64 {
    let (count, width) = if opcode == Opcode::Dp4a { (4, 8) } else { (2, 16) };
    let first = if words.has(Word::Hi) { 2 } else { 0 };
    let product = |index| part(types[0], a, index, width) * part(types[1], b, first + index, 8);
    let sum: i64 = (0..count).map(product).sum();
    (c as i64).wrapping_add(sum) as u64 & u64::from(u32::MAX)
}

/// `szext`: the lowest `b` bits of `a`, extended.
pub(super) fn extended(ty: Type, words: Words, a: u64, b: u64) -> u64 {
    let count = if words.has(Word::Wrap) { b & 31 } else { b.min(32) };
    (0..32).fold(0, |word, bit| {
        let from = if bit < count { bit } else { count.saturating_sub(1) };
        let there = bit < count || ty.is_signed() && count > 0;
        word | u64::from(there && a >> from & 1 == 1) << bit
    })
}

/// `bmsk`: `b` ones from bit `a` on.
pub(super) fn ones(words: Words, a: u64, b: u64) -> u64 {
    let (a, b) = if words.has(Word::Wrap) { (a & 31, b & 31) } else { (a, b) };
    (0..32).filter(|bit| (a..a.saturating_add(b)).contains(bit)).map(|bit| 1 << bit).sum()
}

/// `fns`: from bit `base` on, upwards or downwards, the bit of `mask` that is the `offset`-th of those that are set.
/// All ones if there is none, or if `base` is no bit.
pub(super) fn nth(mask: u64, base: u64, offset: u64) -> u64 {
    let offset = offset as u32 as i32;
    let set = |bit: &u64| mask >> bit & 1 == 1;
    let none = u64::from(u32::MAX);
    if base > 31 {
        return none;
    }
    let count = offset.unsigned_abs().saturating_sub(1) as usize;
    let found = match offset {
        0 => Some(base).filter(set),
        1.. => (base..32).filter(set).nth(count),
        _ => (0..=base).rev().filter(set).nth(count),
    };
    found.unwrap_or(none)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(list: &[Word]) -> Words {
        list.iter().fold(Words::default(), |words, word| words.with(*word))
    }

    #[test]
    fn carries_are_those_of_unsigned_numbers() {
        let of = |opcode, ty, operands, carry| carried(opcode, ty, Words::default(), operands, carry);
        assert_eq!(of(Opcode::Add, Type::S32, [0xffff_ffff, 1, 0], true), Some((0, true)));
        assert_eq!(of(Opcode::Add, Type::S32, [0x7fff_ffff, 1, 0], false), Some((1 << 31, false)));
        assert_eq!(of(Opcode::Addc, Type::U64, [u64::MAX, u64::MAX, 0], true), Some((u64::MAX, true)));
        assert_eq!(of(Opcode::Sub, Type::U32, [3, 4, 0], true), Some((0xffff_ffff, false)));
        assert_eq!(of(Opcode::Sub, Type::U32, [4, 4, 0], false), Some((0, true)));
        assert_eq!(of(Opcode::Subc, Type::U64, [4, 4, 0], false), Some((u64::MAX, false)));
        assert_eq!(of(Opcode::Subc, Type::U64, [5, 4, 0], false), Some((0, true)));
        assert_eq!(of(Opcode::Subc, Type::U64, [5, 4, 0], true), Some((1, true)));
        let mad = |word, ty, operands| carried(Opcode::Mad, ty, with(&[word]), operands, true);
        assert_eq!(mad(Word::Hi, Type::U64, [u64::MAX, u64::MAX, 2]), Some((0, true)));
        assert_eq!(mad(Word::Hi, Type::S32, [0xffff_ffff, 1, 1]), Some((0, true)));
        assert_eq!(mad(Word::Lo, Type::U32, [0x1_0001, 0x1_0001, 0xfffd_ffff]), Some((0, true)));
        assert_eq!(of(Opcode::Min, Type::U32, [0; 3], false), None);
    }

    /// The pseudocode of the manual, with shifts as it has them.
    #[test]
    fn masks_and_extensions_are_those_of_the_manual() {
        let shl = |a: u32, b: u32| a.checked_shl(b).unwrap_or(0);
        for a in (0..70).chain([255, u32::MAX]) {
            for b in (0..70).chain([255, u32::MAX - 3]) {
                for (clamp, mode) in [(true, Word::Clamp), (false, Word::Wrap)] {
                    let (a1, b1) = (a & 31, b & 31);
                    let mut mask0 = shl(u32::MAX, a1);
                    let mut mask1 = shl(u32::MAX, a1 + b1);
                    let (position, width) = (clamp && a >= 32, clamp && b >= 32);
                    if position {
                        mask0 = 0;
                    }
                    if a1 + b1 >= 32 || position || width {
                        mask1 = 0;
                    }
                    let expected = u64::from(mask0 & !mask1);
                    assert_eq!(ones(with(&[mode]), a.into(), b.into()), expected, "{a} {b} {mode:?}");
                    for value in [0xdead_beef, 0x8000_0001, a.wrapping_mul(0x9e37_79b9)] {
                        for ty in [Type::U32, Type::S32] {
                            let too_large = b >= 32 && clamp;
                            let mask = if too_large { 0 } else { shl(u32::MAX, b1) };
                            let place = b1.wrapping_sub(1) & 31;
                            let sign = b1 != 0 && !too_large && ty == Type::S32 && value >> place & 1 == 1;
                            let expected = value & !mask | if sign { mask } else { 0 };
                            let found = extended(ty, with(&[mode]), value.into(), b.into());
                            assert_eq!(found, u64::from(expected), "{value:#x} {b} {mode:?} {ty:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn bits_are_counted_from_the_base() {
        let minus = |n: i32| u64::from(n as u32);
        assert_eq!((nth(0b1011_0000, 0, 1), nth(0b1011_0000, 4, 1), nth(0b1011_0000, 5, 2)), (4, 4, 7));
        assert_eq!((nth(0b1011_0000, 6, minus(-1)), nth(0b1011_0000, 7, minus(-3))), (5, 4));
        let none = u64::from(u32::MAX);
        assert_eq!(
            (nth(4, 2, 0), nth(4, 1, 0), nth(4, 2, 2), nth(4, 32, 1), nth(0, 0, 1)),
            (2, none, none, none, none)
        );
        assert_eq!((nth(none, 31, minus(-32)), nth(none, 31, minus(-33)), nth(none, 0, 1 << 31)), (0, none, none));
    }

    #[test]
    fn products_of_parts() {
        let (s, u) = (Type::S32, Type::U32);
        let of = |opcode, types, words: &[Word], operands| products(opcode, types, with(words), operands);
        assert_eq!(of(Opcode::Dp4a, [u, u], &[], [0xffff_ffff, 0xffff_ffff, 1]), 4 * 255 * 255 + 1);
        assert_eq!(of(Opcode::Dp4a, [s, u], &[], [0xffff_ffff, 0xffff_ffff, 0]), (-4_i32 * 255) as u32 as u64);
        assert_eq!(of(Opcode::Dp4a, [s, s], &[], [0x8080_8080, 0x8080_8080, 0]), 4 << 14);
        assert_eq!(of(Opcode::Dp4a, [u, s], &[], [1 << 24, 0x80 << 24, 5]), (-123_i32) as u32 as u64);
        assert_eq!(of(Opcode::Dp2a, [u, u], &[Word::Lo], [0xffff_0002, 0x0504_0301, 0]), 2 + 3 * 0xffff);
        assert_eq!(of(Opcode::Dp2a, [u, u], &[Word::Hi], [0xffff_0002, 0x0504_0301, 0]), 8 + 5 * 0xffff);
        assert_eq!(of(Opcode::Dp2a, [s, s], &[Word::Hi], [0x8000_8000, 0x8080_0000, 0]), 1 << 23);
    }
}
