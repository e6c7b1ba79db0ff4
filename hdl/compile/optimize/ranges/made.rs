//! What registers of addresses are made of: a product, which may be none, and something else whose range is known. A
//! product that is no number of 32 bits with a sign makes no address then, so that a check of it tells.

use super::flow::Flow;
use super::integers::Read;
use super::nodes::Search;
use super::range::{Range, SIGNED, UNSIGNED, WHOLE};
use super::sources::written;
use super::{TELLING, TELLING_GENERIC, whole};
use crate::ptx::ast::{Instruction, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Word};

/// What may be added to a product, so that the sum is no address of memory unless the product has 32 bits and a sign,
/// and is one that memory tells of if it has.
const BESIDE: Range = Range::between(-(1 << 26), (1 << 31) - (1 << 17));
/// After so many rounds what still grows may be anything.
const ROUNDS: usize = 8;

/// How it is found out whether a product has more than 32 bits with a sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Check {
    /// The upper bits of a number of 32 bits that a product by 2 to this power loses, and the sign, are alike, or 0.
    Top { of: RegisterId, power: u32, signed: bool },
    /// A number of 32 bits is between two others.
    Between { of: RegisterId, range: Range },
}

/// What an instruction makes for addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Made {
    /// A number whose range is known, or one that nobody asks for but with all of its bits.
    #[default]
    Sure,
    /// A product with this check.
    Product(Check),
    /// A register and something whose range is known.
    From(RegisterId),
    /// One of two, each a register with a check, or something whose range is known.
    Either([Option<RegisterId>; 2]),
}

/// What is beside the product in a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rest {
    /// Nothing has been found yet.
    Open,
    /// All that it is: there is no product.
    Alone(Range),
    /// What is beside a product.
    Beside(Range),
    /// Several products, or something that is not known.
    Any,
}

impl Rest {
    fn joined(self, other: Rest) -> Rest {
        match (self, other) {
            (Rest::Open, other) | (other, Rest::Open) => other,
            (Rest::Alone(one), Rest::Alone(other)) => Rest::Alone(one.joined(other)),
            (Rest::Any, _) | (_, Rest::Any) => Rest::Any,
            (Rest::Alone(one) | Rest::Beside(one), Rest::Alone(other) | Rest::Beside(other)) => {
                Rest::Beside(one.joined(other))
            }
        }
    }

    pub(super) fn map(self, with: impl Fn(Range) -> Range) -> Rest {
        match self {
            Rest::Alone(range) => Rest::Alone(with(range)),
            Rest::Beside(range) => Rest::Beside(with(range)),
            other => other,
        }
    }

    /// Whether memory tells of a wrong address, or the check of its product does.
    pub(super) fn tells(self, generic: bool) -> bool {
        match self {
            Rest::Alone(range) => if generic { TELLING_GENERIC } else { TELLING }.holds(range),
            Rest::Beside(range) => !generic && BESIDE.holds(range),
            Rest::Open | Rest::Any => false,
        }
    }
}

impl Search<'_> {
    /// What instructions make, and what is beside the products in registers.
    pub(super) fn rests(&self, ways: &mut Flow<'_>) -> (Vec<Made>, Vec<Rest>) {
        let mut rests = vec![Rest::Open; self.flow.len()];
        for round in 0.. {
            let mut made = vec![Made::default(); self.known.kernel.body.len()];
            let before = rests.clone();
            // A register that is written otherwise than as one result may be anything.
            ways.visit(self, |at, it, read| {
                let Some(register) = written(self.flow, it) else {
                    it.writes().into_iter().for_each(|register| rests[register.0 as usize] = Rest::Any);
                    return;
                };
                let own = &mut rests[register.0 as usize];
                let (found, rest) = self.made(it, register, read, &before);
                let joined = own.joined(rest);
                *own = if joined != *own && round > ROUNDS { Rest::Any } else { joined };
                made[at] = found;
            });
            if rests == before {
                return (made, rests);
            }
        }
        unreachable!("each register grows a few times")
    }

    /// What an instruction makes, and what is beside the product in it.
    fn made(&self, it: &Instruction, register: RegisterId, read: &Read<'_>, rests: &[Rest]) -> (Made, Rest) {
        let exact = self.range(it, register, read);
        let sure = (Made::Sure, if exact == WHOLE { Rest::Any } else { Rest::Alone(exact) });
        // A product by a check stays as it is, for what may be added.
        let of = |index: usize| match &it.operands[index] {
            Operand::Register(one) if self.flow[one.0 as usize] => {
                let exact = read(*one).filter(|range| BESIDE.holds(*range));
                exact.map_or((Some(*one), rests[one.0 as usize]), |range| (None, Rest::Alone(range)))
            }
            other => (None, self.operand(read, other).map_or(Rest::Any, Rest::Alone)),
        };
        let from = |index: usize, with: &dyn Fn(Range) -> Range| {
            let (one, rest) = of(index);
            (one.map_or(Made::Sure, Made::From), rest.map(with))
        };
        if BESIDE.holds(exact) {
            return sure;
        }
        let product = |by: i128, signed: bool| {
            let Operand::Register(own) = it.operands[1] else { return sure };
            let check = multiple(own, by, signed).filter(|_| !SIGNED.holds(exact));
            check.map_or(sure, |check| (Made::Product(check), Rest::Beside(Range::number(0))))
        };
        // Of a register of 64 bits the lower half tells if it is no more than that.
        let signed = |index: usize| {
            let own = self.operand(read, &it.operands[index])?;
            if SIGNED.holds(own) { Some(true) } else { UNSIGNED.holds(own).then_some(false) }
        };
        match (it.opcode, it.types.first().copied()) {
            (Opcode::Mov, Some(_)) if matches!(it.operands[1], Operand::Register(_)) => from(1, &|rest| rest),
            (Opcode::Cvta, _) if matches!(it.space, Some(Space::Global | Space::Const)) => from(1, &|rest| rest),
            (Opcode::Selp, Some(ty)) if whole(ty) => {
                let [(one, first), (other, second)] = [of(1), of(2)];
                (Made::Either([one, other]), first.joined(second))
            }
            (Opcode::Cvt, Some(ty)) if whole(ty) && !it.words.has(Word::Sat) => match it.types.get(1) {
                Some(own) if whole(*own) => from(1, &|rest| rest),
                Some(own) if own.bits() <= 32 && !own.is_float() => product(1, own.is_signed()),
                _ => sure,
            },
            (Opcode::And, Some(ty)) if whole(ty) => match it.operands[2] {
                Operand::Immediate(bits) if (bits as i64) < 0 => {
                    from(1, &|rest| Range::between(rest.low - i128::from(!bits), rest.high))
                }
                _ => sure,
            },
            (Opcode::Shl, Some(ty)) if whole(ty) => match (&it.operands[2], signed(1)) {
                (Operand::Immediate(by), Some(signed)) if *by < 31 => product(1 << by, signed),
                _ => sure,
            },
            (Opcode::Mul, Some(ty)) if !it.words.has(Word::Hi) && it.words.has(Word::Wide) != whole(ty) => {
                let own = if it.words.has(Word::Wide) { Some(ty.is_signed()) } else { signed(1) };
                match (own, self.factor(it, 2, read)) {
                    (Some(signed), Some(by)) if by.low == by.high => product(by.low, signed),
                    _ => sure,
                }
            }
            (Opcode::Add | Opcode::Sub, Some(ty)) if whole(ty) && !it.words.has(Word::Cc) => {
                let [(one, first), (other, second)] = [of(1), of(2)];
                match (it.opcode, one, other, first, second) {
                    (Opcode::Add, Some(one), None, rest, Rest::Alone(range))
                    | (Opcode::Add, None, Some(one), Rest::Alone(range), rest) => {
                        (Made::From(one), rest.map(|rest| rest.plus(range)))
                    }
                    (_, Some(one), None, rest, Rest::Alone(range)) => {
                        (Made::From(one), rest.map(|rest| rest.minus(range)))
                    }
                    (_, _, _, Rest::Open, _) | (_, _, _, _, Rest::Open) => (Made::Sure, Rest::Open),
                    _ => sure,
                }
            }
            _ => sure,
        }
    }
}

/// The check of a product by a number, if 64 bits have all of it: of a larger one they may be a small number again.
fn multiple(of: RegisterId, by: i128, signed: bool) -> Option<Check> {
    if by.abs() > SIGNED.high {
        return None;
    }
    if by > 0 && by.count_ones() == 1 {
        return Some(Check::Top { of, power: by.trailing_zeros(), signed });
    }
    let most = SIGNED.high.checked_div(by.abs())?;
    Some(Check::Between { of, range: Range::between(if signed { -most } else { 0 }, most) })
}
