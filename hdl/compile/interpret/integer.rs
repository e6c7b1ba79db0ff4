//! Integers of 16, 32 and 64 bits, in 128.
//!
//! Values are bits in the low end of a word. Division by zero, which PTX leaves open, gives all ones, and the remainder
//! is the dividend: what a divider that subtracts bit by bit gives, and what GPUs give.

use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

/// The number that the bits stand for.
pub(super) fn number(ty: Type, bits: u64) -> i128 {
    let bits = bits & ty.mask();
    if ty.is_signed() {
        let shift = 64 - ty.bits();
        i128::from(((bits << shift) as i64) >> shift)
    } else {
        i128::from(bits)
    }
}

/// The nearest number that the type has.
pub(super) fn clamp(ty: Type, number: i128) -> i128 {
    let all = i128::from(ty.mask());
    if ty.is_signed() { number.clamp(-(all / 2) - 1, all / 2) } else { number.clamp(0, all) }
}

/// Bits of a number.
pub(super) fn bits(ty: Type, number: i128) -> u64 {
    number as u64 & ty.mask()
}

/// Arithmetic of one type; `None` if the operation is not one of these.
pub(super) fn arithmetic(opcode: Opcode, ty: Type, words: Words, [a, b, c]: [u64; 3]) -> Option<u64> {
    let n = ty.bits();
    let [x, y, z] = [a, b, c].map(|bits| number(ty, bits));
    // Of a product: the lower half, the upper one, or both; the third operand of a wide one has twice the width. Two
    // unsigned numbers of 64 bits have a product of 128, whose bits are right though its sign is not.
    let part = |product: i128| if words.has(Word::Hi) { product >> n } else { product };
    let result = match opcode {
        Opcode::Add if words.has(Word::Sat) => clamp(ty, x + y),
        Opcode::Sub if words.has(Word::Sat) => clamp(ty, x - y),
        Opcode::Add => x + y,
        Opcode::Sub => x - y,
        Opcode::Mul | Opcode::Mad if words.has(Word::Wide) => {
            let wide = ty.doubled()?;
            let third = if opcode == Opcode::Mad { number(wide, c) } else { 0 };
            return Some(bits(wide, x * y + third));
        }
        Opcode::Mul => part(x.wrapping_mul(y)),
        Opcode::Mad if words.has(Word::Sat) => clamp(ty, part(x * y) + z),
        Opcode::Mad => part(x.wrapping_mul(y)).wrapping_add(z),
        Opcode::Mul24 | Opcode::Mad24 => {
            let low = |x: i128| if ty.is_signed() { (x << 104) >> 104 } else { x & 0xff_ffff };
            let product = low(x) * low(y);
            let product = if words.has(Word::Hi) { product >> 16 } else { product };
            // Without the saturation the low 32 bits are all there is.
            let product = number(ty, product as u64);
            match opcode {
                Opcode::Mul24 => product,
                _ if words.has(Word::Sat) => clamp(ty, product + z),
                _ => product + z,
            }
        }
        Opcode::Sad => (x - y).abs() + z,
        Opcode::Div if y == 0 => -1,
        Opcode::Div => x / y,
        Opcode::Rem if y == 0 => x,
        Opcode::Rem => x % y,
        Opcode::Abs => x.abs(),
        Opcode::Neg => -x,
        Opcode::Min => x.min(y),
        Opcode::Max => x.max(y),
        _ => return None,
    };
    Some(bits(ty, result))
}

/// Logic, shifts and the counting of bits; `None` if the operation is not one of these.
pub(super) fn logic(opcode: Opcode, ty: Type, words: Words, operands: &[u64]) -> Option<u64> {
    let n = u64::from(ty.bits());
    let at = |index: usize| operands.get(index).copied().unwrap_or(0);
    let (a, b) = (at(0), at(1));
    let result = match opcode {
        Opcode::And => a & b,
        Opcode::Or => a | b,
        Opcode::Xor => a ^ b,
        Opcode::Not => !a,
        Opcode::Cnot => u64::from(a == 0),
        Opcode::Lop3 => (0..32).fold(0, |word, bit| {
            let index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (at(2) >> bit & 1);
            word | (at(3) >> index & 1) << bit
        }),
        Opcode::Shl => {
            if b >= n {
                0
            } else {
                a << b
            }
        }
        Opcode::Shr => bits(ty, number(ty, a) >> b.min(n)),
        Opcode::Shf => {
            let amount = if words.has(Word::Wrap) { at(2) & 31 } else { at(2).min(32) };
            let both = b << 32 | a;
            if words.has(Word::L) { (u128::from(both) << amount >> 32) as u64 } else { both >> amount }
        }
        Opcode::Popc => u64::from(a.count_ones()),
        Opcode::Clz => n - (64 - u64::from(a.leading_zeros())),
        Opcode::Brev => a.reverse_bits() >> (64 - n),
        Opcode::Bfind => {
            // Of a negative number the highest zero.
            let seen = if number(ty, a) < 0 { !a & ty.mask() } else { a };
            let place = 63_u64.wrapping_sub(u64::from(seen.leading_zeros()));
            return Some(match (seen, words.has(Word::ShiftAmount)) {
                (0, _) => u64::from(u32::MAX),
                (_, true) => n - 1 - place,
                (_, false) => place,
            });
        }
        Opcode::Bfe => {
            let (from, length) = (b & 255, at(2) & 255);
            let sign = if ty.is_signed() && length > 0 { a >> (from + length - 1).min(n - 1) & 1 } else { 0 };
            (0..n).fold(0, |word, bit| {
                let inside = bit < length && from + bit < n;
                word | (if inside { a >> (from + bit) & 1 } else { sign }) << bit
            })
        }
        Opcode::Bfi => {
            let (from, length) = (at(2) & 255, at(3) & 255);
            (0..n).fold(b, |word, bit| {
                let inside = bit >= from && bit - from < length;
                if inside { word & !(1 << bit) | (a >> (bit - from) & 1) << bit } else { word }
            })
        }
        Opcode::Prmt => permute(words, a, b, at(2)),
        _ => return None,
    };
    Some(result & ty.mask())
}

/// Four of the eight bytes of `b:a`.
fn permute(words: Words, a: u64, b: u64, control: u64) -> u64 {
    let both = b << 32 | a;
    let by_table = |rows: [[u64; 4]; 4]| rows[(control & 3) as usize];
    let k = control & 3;
    // The byte of the result's highest byte first.
    let choice = match words.one_of(&[Word::F4e, Word::B4e, Word::Rc8, Word::Ecl, Word::Ecr, Word::Rc16]) {
        Some(Word::F4e) => [k + 3, k + 2, k + 1, k],
        Some(Word::B4e) => [(k + 5) & 7, (k + 6) & 7, (k + 7) & 7, k],
        Some(Word::Rc8) => [k; 4],
        Some(Word::Ecl) => by_table([[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]]),
        Some(Word::Ecr) => by_table([[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]]),
        Some(_) => by_table([[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]]),
        None => {
            return (0..4).fold(0, |word, place| {
                let selector = control >> (4 * place);
                let byte = both >> (8 * (selector & 7)) & 255;
                // The top bit of a selector asks for the byte's sign in all places.
                let byte = if selector & 8 == 0 { byte } else { (byte >> 7) * 255 };
                word | byte << (8 * place)
            });
        }
    };
    choice.iter().fold(0, |word, byte| word << 8 | (both >> (8 * byte) & 255))
}
