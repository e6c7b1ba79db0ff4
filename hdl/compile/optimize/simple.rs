//! Instructions that no word does become several that words do.
//!
//! | instruction | becomes | |
//! |---|---|---|
//! | `add.cc`, `addc`, `sub.cc`, `subc` | the same with the carry as a predicate | here |
//! | `mad.cc`, `madc` | a product, and a sum with carry | here |
//! | `lop3`, `szext`, `bmsk`, `fns` | logic, shifts, counts of bits | `bits.rs` |
//! | `bfe`, `bfi`, `bfind`, `shf`, `prmt`, `mul24`, `mad24`, saturated sums | shifts and logic | `fields.rs` |
//! | `testp`, `slct` of or by floating-point numbers | comparisons, and `selp` | `questions.rs` |
//! | instructions on `f16x2` and `bf16x2` | one for each half | `packed.rs` |
//! | functions of 16-bit floats | those of binary32, between conversions | `packed.rs` |
//! | atomic sums of 16-bit floats and of binary64, `atom.cas.b16`, `inc`, `dec` | a loop of `atom.cas` | `atomic.rs` |
//!
//! The carry is one register for the whole kernel, so that it lives on across jumps and calls as others do.

mod atomic;
mod bits;
mod fields;
mod packed;
mod questions;

use super::fresh;
use super::steps::{Steps, rewritten, set};
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word};

/// Whether it works with the carry.
fn carries(it: &Instruction) -> bool {
    match it.opcode {
        Opcode::Addc | Opcode::Subc | Opcode::Madc => true,
        Opcode::Add | Opcode::Sub | Opcode::Mad => it.words.has(Word::Cc),
        _ => false,
    }
}

/// Whether it is about 16-bit floats in a way that words are not, memory apart.
fn small(it: &Instruction) -> bool {
    let small = it.types.first().is_some_and(|ty| ty.is_float() && ty.bits() == 16);
    let packed = it.types.iter().any(|ty| ty.is_packed());
    match it.opcode {
        Opcode::Atom | Opcode::Red => false,
        Opcode::Ex2 | Opcode::Tanh => packed || small,
        _ => packed,
    }
}

/// Puts them there.
pub fn run(kernel: &mut Kernel) {
    let is = |it: &Instruction| {
        carries(it)
            || small(it)
            || atomic::is(it)
            || fields::is(it)
            || questions::is(it)
            || matches!(it.opcode, Opcode::Lop3 | Opcode::Szext | Opcode::Bmsk | Opcode::Fns)
    };
    let carry = kernel.body.iter().any(carries).then(|| fresh(kernel, Type::Pred));
    rewritten(kernel, None, is, |steps| match (steps.like.opcode, carry) {
        (Opcode::Lop3, _) => steps.logic_of_three(),
        (Opcode::Szext, _) => steps.extend(),
        (Opcode::Bmsk, _) => steps.ones(),
        (Opcode::Fns, _) => steps.nth(),
        (Opcode::Atom | Opcode::Red, _) => steps.atomic(),
        (Opcode::Testp, _) => steps.property(),
        (Opcode::Slct, _) => steps.by_sign(),
        _ if fields::is(&steps.like) => steps.field(),
        (_, Some(carry)) if carries(&steps.like) => steps.carried(carry),
        _ => steps.small(),
    });
}

impl Steps<'_> {
    /// A sum or difference with the carry in a register of its own.
    fn carried(&mut self, carry: RegisterId) {
        let like = self.like.clone();
        let (ty, mut sources) = (like.ty(), like.operands[1..].to_vec());
        let (opcode, reads) = match like.opcode {
            Opcode::Mad => (Opcode::Add, false),
            Opcode::Madc => (Opcode::Addc, true),
            other => (other, matches!(other, Opcode::Addc | Opcode::Subc)),
        };
        if sources.len() == 3 {
            let (half, part) = (if ty.bits() == 64 { Type::B64 } else { Type::B32 }, like.words.has(Word::Hi));
            let words = set(&[if part { Word::Hi } else { Word::Lo }]);
            let product = self.of_type(half, Opcode::Mul, words, &[ty], &[&sources[0], &sources[1]]);
            sources = vec![product, sources[2].clone()];
        }
        let mut result = like.operands[0].clone();
        let mut words = set(&[]);
        if let (true, Operand::Register(d)) = (like.words.has(Word::Cc), &result) {
            (result, words) = (Operand::Pair(*d, carry), words.with(Word::Cc));
        }
        // A difference takes away one more unless that is set.
        let negated = opcode == Opcode::Subc;
        let carried = reads.then_some(Operand::Predicate { register: carry, negated });
        let operands = std::iter::once(result).chain(sources).chain(carried).collect();
        self.push_with(opcode, words, &[ty], operands, 1);
    }
}
