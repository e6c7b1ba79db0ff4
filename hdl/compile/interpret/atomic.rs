//! What an atomic operation leaves in memory.

use super::float::{finish32, finish64, flush};
use super::integer::number;
use super::packed;
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

/// What replaces `old`. Sums of binary32 numbers in global memory flush subnormal numbers, those in shared memory do
/// not.
pub(super) fn changed(ty: Type, words: Words, global: bool, old: u64, [value, second]: [u64; 2]) -> u64 {
    let asked =
        [Word::Add, Word::Min, Word::Max, Word::And, Word::Or, Word::Xor, Word::Exch, Word::Cas, Word::Inc, Word::Dec];
    let (a, b) = (number(ty, old), number(ty, value));
    let new = match words.one_of(&asked) {
        Some(Word::Add) if ty == Type::F32 => {
            let flushed = Words::default().with(Word::Ftz);
            let [x, y] = [old, value].map(|bits| f32::from_bits(bits as u32));
            if global { finish32(flush(x) + flush(y), flushed) } else { finish32(x + y, Words::default()) }
        }
        Some(Word::Add) if ty.element().bits() == 16 && ty != Type::B16 => {
            packed::computed(Opcode::Add, ty, Words::default(), [old, value, 0]).unwrap_or(old)
        }
        Some(Word::Add) if ty == Type::F64 => finish64(f64::from_bits(old) + f64::from_bits(value)),
        Some(Word::Add) => old.wrapping_add(value),
        Some(Word::Min) => {
            if b < a {
                value
            } else {
                old
            }
        }
        Some(Word::Max) => {
            if b > a {
                value
            } else {
                old
            }
        }
        Some(Word::And) => old & value,
        Some(Word::Or) => old | value,
        Some(Word::Xor) => old ^ value,
        Some(Word::Cas) => {
            if old == value {
                second
            } else {
                old
            }
        }
        Some(Word::Inc) => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        Some(Word::Dec) => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
        _ => value,
    };
    new & ty.mask()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_on_edges() {
        let of = |word, ty, old, value| changed(ty, Words::default().with(word), true, old, [value, 9]);
        assert_eq!(of(Word::Add, Type::U32, 0xffff_ffff, 2), 1);
        assert_eq!(of(Word::Min, Type::S32, 0xffff_ffff, 2), 0xffff_ffff);
        assert_eq!(of(Word::Min, Type::U32, 0xffff_ffff, 2), 2);
        assert_eq!(of(Word::Max, Type::S64, u64::MAX, 3), 3);
        assert_eq!(of(Word::And, Type::B32, 12, 10), 8);
        assert_eq!(of(Word::Or, Type::B32, 12, 10), 14);
        assert_eq!(of(Word::Xor, Type::B64, 12, 10), 6);
        assert_eq!(of(Word::Exch, Type::B32, 12, 10), 10);
        assert_eq!((of(Word::Cas, Type::B32, 5, 5), of(Word::Cas, Type::B32, 5, 6)), (9, 5));
        assert_eq!((of(Word::Inc, Type::U32, 4, 5), of(Word::Inc, Type::U32, 5, 5)), (5, 0));
        assert_eq!(
            (of(Word::Dec, Type::U32, 0, 5), of(Word::Dec, Type::U32, 6, 5), of(Word::Dec, Type::U32, 3, 5)),
            (5, 5, 2)
        );
        let tiny = u64::from(f32::from_bits(3).to_bits());
        assert_eq!(of(Word::Add, Type::F32, tiny, tiny), 0);
        assert_eq!(changed(Type::F32, Words::default().with(Word::Add), false, tiny, [tiny, 0]), 6);
        // Of 16-bit numbers subnormal ones are kept.
        assert_eq!(of(Word::Add, Type::F16x2, 0x0003_3c00, 0x0002_3c00), 0x0005_4000);
        assert_eq!(of(Word::Add, Type::BF16, 0x3f80, 0x3f80), 0x4000);
    }
}
