//! `bfe` at places that are computed, `bfi`, `bfind`, `shf`, `prmt`, `mul24`, `mad24` and saturated sums, of products
//! too, by shifts and logic. Shifts by as many bits as a number has, or more, leave nothing.
//!
//! Source: PTX ISA 8.7, the pseudocode of each.

use super::super::steps::{Steps, number, read, set};
use crate::ptx::ast::{Instruction, Operand};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

const MODES: [Word; 6] = [Word::F4e, Word::B4e, Word::Rc8, Word::Ecl, Word::Ecr, Word::Rc16];

/// Whether it is one of these.
pub(super) fn is(it: &Instruction) -> bool {
    let known = |index: usize| matches!(it.operands[index], Operand::Immediate(_));
    match it.opcode {
        Opcode::Bfi | Opcode::Bfind | Opcode::Shf | Opcode::Mul24 | Opcode::Mad24 | Opcode::Prmt => true,
        Opcode::Bfe => !(known(2) && known(3)),
        Opcode::Mad | Opcode::Add | Opcode::Sub => it.words.has(Word::Sat) && it.ty() == Type::S32,
        _ => false,
    }
}

/// As many bits as the type has.
fn bits(ty: Type) -> Type {
    if ty.bits() == 64 { Type::B64 } else { Type::B32 }
}

/// The selectors of a mode, as the plain form has them.
fn selectors(words: Words, control: u64) -> u64 {
    match rows(words) {
        None => control & 0xffff,
        Some(rows) => rows >> (16 * (control & 3)) & 0xffff,
    }
}

/// Selectors of a mode, 16 bits for each control, the first one lowest.
fn rows(words: Words) -> Option<u64> {
    Some(match words.one_of(&MODES)? {
        Word::F4e => 0x6543_5432_4321_3210,
        Word::B4e => 0x0123_7012_6701_5670,
        Word::Rc8 => 0x3333_2222_1111_0000,
        Word::Ecl => 0x3333_3222_3211_3210,
        Word::Ecr => 0x3210_2210_1110_0000,
        _ => 0x3232_1010_3232_1010,
    })
}

impl Steps<'_> {
    pub(super) fn field(&mut self) {
        let like = self.like.clone();
        let ty = like.ty();
        let sources: Vec<Operand> = like.operands[1..].to_vec();
        let value = match like.opcode {
            Opcode::Bfe => self.extracted(ty, &sources),
            Opcode::Bfi => self.inserted(ty, &sources),
            Opcode::Bfind => self.highest(ty, &sources[0]),
            Opcode::Shf => self.funnel(&sources),
            Opcode::Prmt => self.permuted(&sources),
            Opcode::Mul24 | Opcode::Mad24 => self.product_of_24(ty, &sources),
            Opcode::Mad => {
                let product = self.of(Opcode::Mul, &[Word::Hi], ty, &[&sources[0], &sources[1]]);
                self.saturated(Opcode::Add, &product, &sources[2])
            }
            opcode => self.saturated(opcode, &sources[0], &sources[1]),
        };
        let result = if like.opcode == Opcode::Bfind { Type::B32 } else { bits(ty) };
        self.finish(&value, result);
    }

    fn plain(&mut self, opcode: Opcode, ty: Type, sources: &[&Operand]) -> Operand {
        self.of_type(bits(ty), opcode, set(&[]), &[ty], sources)
    }

    /// The lowest bits of a number.
    pub(super) fn low(&mut self, value: &Operand, mask: u32) -> Operand {
        match value {
            Operand::Immediate(value) => Operand::Immediate(value & u64::from(mask)),
            value => self.of(Opcode::And, &[], Type::B32, &[value, &number(mask)]),
        }
    }

    /// So many less a number.
    pub(super) fn less(&mut self, all: u32, value: &Operand) -> Operand {
        match value {
            Operand::Immediate(value) => number(all.wrapping_sub(*value as u32)),
            value => self.of(Opcode::Sub, &[], Type::S32, &[&number(all), value]),
        }
    }

    /// Not more than so much.
    pub(super) fn most(&mut self, value: &Operand, most: u32) -> Operand {
        match value {
            Operand::Immediate(value) => Operand::Immediate((*value).min(most.into())),
            value => self.of(Opcode::Min, &[], Type::U32, &[value, &number(most)]),
        }
    }

    /// Down, so that the lowest bit is the first; then up and down, which leaves the sign above the last one.
    fn extracted(&mut self, ty: Type, sources: &[Operand]) -> Operand {
        let (from, length) = (self.low(&sources[1], 255), self.low(&sources[2], 255));
        let down = self.plain(Opcode::Shr, ty, &[&sources[0], &from]);
        let length = self.most(&length, ty.bits());
        let above = self.less(ty.bits(), &length);
        let up = self.plain(Opcode::Shl, bits(ty), &[&down, &above]);
        self.plain(Opcode::Shr, ty, &[&up, &above])
    }

    fn inserted(&mut self, ty: Type, sources: &[Operand]) -> Operand {
        let bare = bits(ty);
        let (from, length) = (self.low(&sources[2], 255), self.low(&sources[3], 255));
        let ones = self.plain(Opcode::Mov, bare, &[&Operand::Immediate(ty.mask())]);
        let above = self.plain(Opcode::Shl, bare, &[&ones, &length]);
        let mask = self.plain(Opcode::Not, bare, &[&above]);
        let mask = self.plain(Opcode::Shl, bare, &[&mask, &from]);
        let value = self.plain(Opcode::Shl, bare, &[&sources[0], &from]);
        // Where the mask is, of b what differs from it changes.
        let differ = self.plain(Opcode::Xor, bare, &[&value, &sources[1]]);
        let change = self.plain(Opcode::And, bare, &[&differ, &mask]);
        self.plain(Opcode::Xor, bare, &[&change, &sources[1]])
    }

    fn highest(&mut self, ty: Type, value: &Operand) -> Operand {
        let bare = bits(ty);
        let mut seen = value.clone();
        if ty.is_signed() {
            let sign = self.plain(Opcode::Shr, ty, &[value, &number(ty.bits() - 1)]);
            seen = self.plain(Opcode::Xor, bare, &[value, &sign]);
        }
        let zeros = self.of(Opcode::Clz, &[], bare, &[&seen]);
        if !self.like.words.has(Word::ShiftAmount) {
            return self.of(Opcode::Sub, &[], Type::S32, &[&number(ty.bits() - 1), &zeros]);
        }
        let none = self.of(Opcode::Setp, &[Word::Eq], Type::B32, &[&zeros, &number(ty.bits())]);
        self.of(Opcode::Selp, &[], Type::B32, &[&number(u32::MAX), &zeros, &read(&none)])
    }

    fn funnel(&mut self, sources: &[Operand]) -> Operand {
        let amount = match self.like.words.has(Word::Wrap) {
            true => self.low(&sources[2], 31),
            false => self.most(&sources[2], 32),
        };
        let rest = self.less(32, &amount);
        let (up, down) = if self.like.words.has(Word::L) { (&amount, &rest) } else { (&rest, &amount) };
        let high = self.of(Opcode::Shl, &[], Type::B32, &[&sources[1], up]);
        let low = self.of(Opcode::Shr, &[], Type::U32, &[&sources[0], down]);
        self.of(Opcode::Or, &[], Type::B32, &[&high, &low])
    }

    fn permuted(&mut self, sources: &[Operand]) -> Operand {
        let bytes: Vec<Operand> = match sources[2] {
            Operand::Immediate(control) => {
                let selectors = selectors(self.like.words, control);
                (0..4).map(|place| self.byte(sources, (selectors >> (4 * place) & 15) as u32)).collect()
            }
            _ => {
                let both = Operand::Vector(vec![sources[0].clone(), sources[1].clone()]);
                let both = self.plain(Opcode::Mov, Type::B64, &[&both]);
                let selectors = match rows(self.like.words) {
                    None => sources[2].clone(),
                    Some(rows) => self.row(rows, &sources[2]),
                };
                (0..4).map(|place| self.chosen(&both, &selectors, place)).collect()
            }
        };
        let mut all = bytes[0].clone();
        for (byte, place) in bytes[1..].iter().zip(1..) {
            let up = self.of(Opcode::Shl, &[], Type::B32, &[byte, &number(8 * place)]);
            all = self.of(Opcode::Or, &[], Type::B32, &[&all, &up]);
        }
        all
    }

    /// The selectors of a mode where the control is computed.
    fn row(&mut self, rows: u64, control: &Operand) -> Operand {
        let rows = self.plain(Opcode::Mov, Type::B64, &[&Operand::Immediate(rows)]);
        let control = self.low(control, 3);
        let down = self.of(Opcode::Shl, &[], Type::B32, &[&control, &number(4)]);
        let row = self.plain(Opcode::Shr, Type::U64, &[&rows, &down]);
        self.of_type(Type::B32, Opcode::Cvt, set(&[]), &[Type::U32, Type::U64], &[&row])
    }

    /// A byte of two numbers, or its sign in all places.
    fn byte(&mut self, sources: &[Operand], selector: u32) -> Operand {
        let (source, from) = (&sources[(selector >> 2 & 1) as usize], 8 * (selector & 3));
        let (ty, from) = if selector & 8 == 0 { (Type::U32, from) } else { (Type::S32, from) };
        if ty == Type::U32 {
            let down = self.of(Opcode::Shr, &[], ty, &[source, &number(from)]);
            return self.of(Opcode::And, &[], Type::B32, &[&down, &number(255)]);
        }
        let up = self.of(Opcode::Shl, &[], Type::B32, &[source, &number(24 - from)]);
        let sign = self.of(Opcode::Shr, &[], ty, &[&up, &number(31)]);
        self.of(Opcode::And, &[], Type::B32, &[&sign, &number(255)])
    }

    /// The same where the selector is computed.
    fn chosen(&mut self, both: &Operand, control: &Operand, place: u32) -> Operand {
        let selector = self.of(Opcode::Shr, &[], Type::U32, &[control, &number(4 * place)]);
        let byte = self.of(Opcode::And, &[], Type::B32, &[&selector, &number(7)]);
        let from = self.of(Opcode::Shl, &[], Type::B32, &[&byte, &number(3)]);
        let down = self.plain(Opcode::Shr, Type::U64, &[both, &from]);
        let down = self.of_type(Type::B32, Opcode::Cvt, set(&[]), &[Type::U32, Type::U64], &[&down]);
        let byte = self.of(Opcode::And, &[], Type::B32, &[&down, &number(255)]);
        let up = self.of(Opcode::Shl, &[], Type::B32, &[&byte, &number(24)]);
        let sign = self.of(Opcode::Shr, &[], Type::S32, &[&up, &number(31)]);
        let sign = self.of(Opcode::And, &[], Type::B32, &[&sign, &number(255)]);
        let asked = self.of(Opcode::And, &[], Type::B32, &[&selector, &number(8)]);
        let asked = self.of(Opcode::Setp, &[Word::Ne], Type::B32, &[&asked, &number(0)]);
        self.of(Opcode::Selp, &[], Type::B32, &[&sign, &byte, &read(&asked)])
    }

    fn product_of_24(&mut self, ty: Type, sources: &[Operand]) -> Operand {
        let mut narrow = |value: &Operand| {
            let up = self.of(Opcode::Shl, &[], Type::B32, &[value, &number(8)]);
            self.of(Opcode::Shr, &[], ty, &[&up, &number(8)])
        };
        let (a, b) = (narrow(&sources[0]), narrow(&sources[1]));
        let product = if self.like.words.has(Word::Hi) {
            let wide = if ty.is_signed() { Type::S64 } else { Type::U64 };
            let all = self.of_type(Type::B64, Opcode::Mul, set(&[Word::Wide]), &[ty], &[&a, &b]);
            let upper = self.plain(Opcode::Shr, wide, &[&all, &number(16)]);
            self.of_type(Type::B32, Opcode::Cvt, set(&[]), &[Type::U32, Type::U64], &[&upper])
        } else {
            self.of(Opcode::Mul, &[Word::Lo], ty, &[&a, &b])
        };
        match sources.get(2) {
            Some(third) if self.like.words.has(Word::Sat) => self.saturated(Opcode::Add, &product, third),
            Some(third) => self.of(Opcode::Add, &[], ty, &[&product, third]),
            None => product,
        }
    }

    /// Where the sum has another sign than what says its true one, it is the number farthest from zero.
    fn saturated(&mut self, opcode: Opcode, a: &Operand, b: &Operand) -> Operand {
        let sum = self.of(opcode, &[], Type::S32, &[a, b]);
        let changed = self.of(Opcode::Xor, &[], Type::B32, &[a, &sum]);
        // Both summands against the sum; of a difference, both against each other.
        let other = if opcode == Opcode::Add { &sum } else { a };
        let apart = self.of(Opcode::Xor, &[], Type::B32, &[b, other]);
        let over = self.of(Opcode::And, &[], Type::B32, &[&changed, &apart]);
        let over = self.of(Opcode::Setp, &[Word::Lt], Type::S32, &[&over, &number(0)]);
        let sign = self.of(Opcode::Shr, &[], Type::S32, &[a, &number(31)]);
        let most = self.of(Opcode::Xor, &[], Type::B32, &[&sign, &number(0x7fff_ffff)]);
        self.of(Opcode::Selp, &[], Type::B32, &[&most, &sum, &read(&over)])
    }
}
