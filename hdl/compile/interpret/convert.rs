//! Conversions and comparisons: `cvt`, `setp`, `set`, `slct`, `testp`.

use super::float::{NAN32, NAN64, Round, finish32, finish64, flush, narrow};
use super::integer::{bits, clamp, number};
use super::{bfloat, half};
use crate::ptx::types::{Class, Type, Word, Words};

/// `cvt.to.from` of these bits.
pub(super) fn convert(to: Type, from: Type, words: Words, value: u64) -> u64 {
    match (to.is_float(), from.is_float()) {
        (false, false) => {
            let number = number(from, value);
            bits(to, if words.has(Word::Sat) { clamp(to, number) } else { number })
        }
        (false, true) => to_integer(to, from, words, value),
        (true, false) => {
            let round = Round::of(words);
            let number = number(from, value);
            match to {
                // Whole numbers that binary64 does not have are beyond all of binary16.
                Type::F16 => half::from_f64(limit(number as f64, words), round),
                Type::F32 => finish32(integer_as_f32(number, round), words),
                _ => finish64(limit(integer_as_f64(number, round), words)),
            }
        }
        (true, true) => between_floats(to, from, words, value),
    }
}

/// A number of a floating-point type as binary64, which has all of them.
fn wide(from: Type, words: Words, value: u64) -> f64 {
    match from {
        Type::F16 => half::to_f64(value),
        Type::BF16 => bfloat::to_f64(value),
        Type::F32 => {
            let x = f32::from_bits(value as u32);
            f64::from(if words.has(Word::Ftz) { flush(x) } else { x })
        }
        _ => f64::from_bits(value),
    }
}

/// To an integral number, as the suffix says.
fn integral(x: f64, words: Words) -> f64 {
    match words.one_of(&[Word::Rni, Word::Rzi, Word::Rmi, Word::Rpi]) {
        Some(Word::Rni) => x.round_ties_even(),
        Some(Word::Rzi) => x.trunc(),
        Some(Word::Rmi) => x.floor(),
        Some(Word::Rpi) => x.ceil(),
        _ => x,
    }
}

/// Limited to the range of the type; a NaN gives 0, or the top bit where 64 bits are on either side.
fn to_integer(to: Type, from: Type, words: Words, value: u64) -> u64 {
    let x = integral(wide(from, words, value), words);
    if x.is_nan() {
        return if from == Type::F64 || to.bits() == 64 { 1 << (to.bits() - 1) } else { 0 };
    }
    bits(to, clamp(to, x as i128))
}

fn limit(x: f64, words: Words) -> f64 {
    match words.has(Word::Sat) {
        true if x.is_nan() || x <= 0.0 => 0.0,
        true => x.min(1.0),
        false => x,
    }
}

fn between_floats(to: Type, from: Type, words: Words, value: u64) -> u64 {
    let x = wide(from, words, value);
    if x.is_nan() && !words.has(Word::Sat) {
        return match to {
            Type::F16 => half::NAN,
            Type::BF16 => bfloat::NAN,
            Type::F32 => NAN32.into(),
            _ => NAN64,
        };
    }
    let x = integral(x, words);
    match to {
        Type::F16 => return bfloat::relu(words, 0x8000, half::from_f64(limit(x, words), Round::of(words))),
        Type::BF16 => return bfloat::relu(words, 0x8000, bfloat::from_f64(x, Round::of(words))),
        _ => {}
    }
    if to == Type::F64 {
        return finish64(limit(x, words));
    }
    finish32(if x.is_finite() { narrow(x, 0.0, Round::of(words)) } else { x as f32 }, words)
}

/// `near` moved to the side that `round` asks for; `order` compares the exact number with it.
fn directed<F>(
    near: F,
    round: Round,
    order: std::cmp::Ordering,
    negative: bool,
    up: fn(F) -> F,
    down: fn(F) -> F,
) -> F {
    use std::cmp::Ordering::{Greater, Less};
    match (round, order) {
        (Round::Up, Greater) => up(near),
        (Round::Down, Less) => down(near),
        (Round::Zero, Greater) if negative => up(near),
        (Round::Zero, Less) if !negative => down(near),
        _ => near,
    }
}

fn integer_as_f32(number: i128, round: Round) -> f32 {
    let near = number as f32;
    directed(near, round, number.cmp(&(near as i128)), number < 0, f32::next_up, f32::next_down)
}

fn integer_as_f64(number: i128, round: Round) -> f64 {
    let near = number as f64;
    directed(near, round, number.cmp(&(near as i128)), number < 0, f64::next_up, f64::next_down)
}

/// All words that compare.
const COMPARISONS: [Word; 18] = [
    Word::Eq,
    Word::Ne,
    Word::Lt,
    Word::Le,
    Word::Gt,
    Word::Ge,
    Word::Lo,
    Word::Ls,
    Word::Hi,
    Word::Hs,
    Word::Equ,
    Word::Neu,
    Word::Ltu,
    Word::Leu,
    Word::Gtu,
    Word::Geu,
    Word::Num,
    Word::Nan,
];

/// Whether `a` and `b` compare as the suffix says.
pub(super) fn compare(ty: Type, words: Words, a: u64, b: u64) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let Some(word) = words.one_of(&COMPARISONS) else { return false };
    let [a, b] = if ty == Type::F16 { [a, b].map(|bits| half::flushed(bits, words)) } else { [a, b] };
    let order = if ty.class() == Class::Float {
        wide(ty, words, a).partial_cmp(&wide(ty, words, b))
    } else {
        Some(number(ty, a).cmp(&number(ty, b)))
    };
    match word {
        Word::Eq => order == Some(Equal),
        // Of floating-point numbers: different, and no NaN among them.
        Word::Ne => matches!(order, Some(Less | Greater)),
        Word::Lt | Word::Lo => order == Some(Less),
        Word::Le | Word::Ls => matches!(order, Some(Less | Equal)),
        Word::Gt | Word::Hi => order == Some(Greater),
        Word::Ge | Word::Hs => matches!(order, Some(Greater | Equal)),
        Word::Equ => matches!(order, None | Some(Equal)),
        Word::Neu => order != Some(Equal),
        Word::Ltu => matches!(order, None | Some(Less)),
        Word::Leu => order != Some(Greater),
        Word::Gtu => matches!(order, None | Some(Greater)),
        Word::Geu => order != Some(Less),
        Word::Num => order.is_some(),
        _ => order.is_none(),
    }
}

/// A comparison's result joined with a predicate, where the suffix asks for that.
pub(super) fn join(words: Words, compared: bool, with: Option<bool>) -> bool {
    match (with, words.one_of(&[Word::And, Word::Or, Word::Xor])) {
        (Some(with), Some(Word::And)) => compared && with,
        (Some(with), Some(Word::Or)) => compared || with,
        (Some(with), Some(_)) => compared != with,
        _ => compared,
    }
}

/// Whether `slct` takes its first operand: whether the third is 0 or above.
pub(super) fn at_least_zero(ty: Type, words: Words, value: u64) -> bool {
    if ty.is_float() { wide(ty, words, value) >= 0.0 } else { number(ty, value) >= 0 }
}

/// `testp`.
pub(super) fn property(ty: Type, words: Words, value: u64) -> bool {
    let x = wide(ty, Words::default(), value);
    // What is subnormal depends on the type.
    let subnormal = if ty == Type::F32 { f32::from_bits(value as u32).is_subnormal() } else { x.is_subnormal() };
    let asked = [Word::Finite, Word::Infinite, Word::Number, Word::NotANumber, Word::Normal, Word::Subnormal];
    match words.one_of(&asked) {
        Some(Word::Finite) => x.is_finite(),
        Some(Word::Infinite) => x.is_infinite(),
        Some(Word::Number) => !x.is_nan(),
        Some(Word::NotANumber) => x.is_nan(),
        // Zeros are called normal.
        Some(Word::Normal) => x.is_finite() && !subnormal,
        _ => subnormal,
    }
}
