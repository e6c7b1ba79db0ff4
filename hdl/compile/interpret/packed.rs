//! Two 16-bit numbers in one: what is done to each. The first is in the low half.

use super::float::modelled;
use super::{bfloat, convert, half};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Words};
use bitline_model::float::{Base, exponential, hyperbolic_tangent};

/// The halves, the low one first.
pub(super) fn halves(bits: u64) -> [u64; 2] {
    [bits & 0xffff, bits >> 16 & 0xffff]
}

/// Two halves as one.
pub(super) fn joined([low, high]: [u64; 2]) -> u64 {
    low | high << 16
}

/// An operation on 16-bit numbers, one or two. None if there is no such.
pub(super) fn computed(opcode: Opcode, ty: Type, words: Words, operands: [u64; 3]) -> Option<u64> {
    let each = |operands: [u64; 3]| match (opcode, ty.element()) {
        (Opcode::Ex2 | Opcode::Tanh, element) => Some(function(opcode, element, words, operands[0])),
        (_, Type::F16) => half::computed(opcode, words, operands),
        _ => bfloat::computed(opcode, words, operands),
    };
    if !ty.is_packed() {
        return each(operands);
    }
    let [a, b, c] = operands.map(halves);
    Some(joined([each([a[0], b[0], c[0]])?, each([a[1], b[1], c[1]])?]))
}

/// A function by way of binary32, which has all numbers: PTX says only how far from it the result may be.
fn function(opcode: Opcode, element: Type, words: Words, bits: u64) -> u64 {
    let single = convert::convert(Type::F32, element, Words::default(), bits);
    let result = match opcode {
        Opcode::Ex2 => modelled(|key, a| exponential(Base::Two, 26, 8, key, a), words, single),
        _ => modelled(|key, a| hyperbolic_tangent(26, 8, key, a), words, single),
    };
    convert::convert(element, Type::F32, Words::default(), result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::types::Word;

    #[test]
    fn halves_are_computed_by_themselves() {
        let of = |opcode, ty, words, operands| computed(opcode, ty, words, operands).expect("it is there");
        let plain = Words::default();
        // 1 + 1 and −2 + 0.5, as binary16 and as bfloat16.
        assert_eq!(of(Opcode::Add, Type::F16x2, plain, [0xc000_3c00, 0x3800_3c00, 0]), 0xbe00_4000);
        assert_eq!(of(Opcode::Add, Type::BF16x2, plain, [0xc000_3f80, 0x3f00_3f80, 0]), 0xbfc0_4000);
        assert_eq!(of(Opcode::Neg, Type::F16x2, plain, [0x8000_3c00, 0, 0]), 0xbc00);
        let relu = plain.with(Word::Relu);
        assert_eq!(of(Opcode::Fma, Type::F16x2, relu, [0x3c00_3c00, 0xbc00_4000, 0]), 0x4000);
        assert_eq!(of(Opcode::Fma, Type::F16, relu, [0x3c00, 0x8000, 0]), 0);
        assert_eq!(computed(Opcode::Rcp, Type::F16x2, plain, [0; 3]), None);
    }

    /// As far from the function as PTX allows, over all numbers of binary16.
    #[test]
    fn functions_are_as_near_as_ptx_asks() {
        let (mut ex2, mut tanh) = (0.0_f64, 0.0_f64);
        for bits in (0..1 << 16_u64).step_by(7) {
            let x = half::to_f64(bits);
            if !x.is_finite() {
                continue;
            }
            let of = |opcode| half::to_f64(computed(opcode, Type::F16, Words::default(), [bits, 0, 0]).expect("there"));
            let exact = x.exp2();
            if (-14.0..15.99).contains(&x) {
                ex2 = ex2.max((of(Opcode::Ex2) / exact - 1.0).abs());
            }
            tanh = tanh.max((of(Opcode::Tanh) - x.tanh()).abs());
        }
        println!("2^{:.2} of the value, 2^{:.2}", ex2.log2(), tanh.log2());
        assert!(ex2 < (-9.9_f64).exp2() && tanh < (-10.987_f64).exp2());
        let special = [(0x7c00, 0x7c00, 0x3c00), (0xfc00, 0, 0xbc00), (0, 0x3c00, 0), (0x7e01, half::NAN, half::NAN)];
        for (x, ex2, tanh) in special {
            let of = |opcode| computed(opcode, Type::F16, Words::default(), [x, 0, 0]);
            assert_eq!((of(Opcode::Ex2), of(Opcode::Tanh)), (Some(ex2), Some(tanh)), "{x:#x}");
        }
        // Under `.ftz` subnormal results of bfloat16 are 0.
        let of = |words, x| computed(Opcode::Ex2, Type::BF16, words, [x, 0, 0]);
        assert_eq!(of(Words::default().with(Word::Ftz), 0xc2fe), Some(0));
        assert_eq!(of(Words::default().with(Word::Ftz), 0xc2fa), Some(0x0100));
    }
}
