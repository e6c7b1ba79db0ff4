//! Between which numbers integers of 32 bits are, by the launch, constants and elements of memory.

use super::range::{MEMORY, Range, SIGNED};
use crate::optimize::Sizes;
use crate::ptx::ast::{Axis, Instruction, Kernel, Operand, RegisterId, Special};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word};

/// What is known of a launch.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) sizes: Option<&'a Sizes>,
    /// Words of the parameter space.
    pub(super) numbers: &'a [(u64, u32)],
    /// Offsets of parameters of 64 bits that may be anything.
    pub(super) whole: &'a [u64],
}

/// All numbers of a type.
pub(super) fn all(ty: Type) -> Range {
    let half = 1_i128 << (ty.bits() - 1);
    if ty.is_signed() { Range::between(-half, half - 1) } else { Range::between(0, ty.mask().into()) }
}

/// Registers of 32 bits, as signed numbers; none if a register has not been written yet.
pub(super) type Read<'a> = dyn Fn(RegisterId) -> Option<Range> + 'a;

impl Known<'_> {
    /// An operand as a number of this type.
    pub(super) fn operand(self, read: &Read<'_>, operand: &Operand, ty: Type) -> Option<Range> {
        let range = match operand {
            Operand::Register(register) if ty.bits() >= 32 => read(*register)?,
            Operand::Immediate(bits) if ty.bits() == 32 && ty.is_signed() => {
                Range::number((*bits as u32 as i32).into())
            }
            Operand::Immediate(bits) if ty.bits() == 32 => Range::number((*bits as u32).into()),
            Operand::Immediate(bits) if ty.bits() == 64 => Range::number((*bits as i64).into()),
            Operand::Special(special) => self.special(*special),
            _ => all(ty),
        };
        // Of a register that is wider it takes the lower half.
        Some(if ty.bits() == 32 && !all(ty).holds(range) { all(ty) } else { range })
    }

    fn special(self, special: Special) -> Range {
        let below = |count: u32| Range::between(0, i128::from(count.max(1)) - 1);
        let block = |axis: Axis| self.sizes.map_or(1024, |sizes| sizes.block[axis as usize]);
        let grid = |axis: Axis| self.sizes.map_or(i32::MAX as u32, |sizes| sizes.grid[axis as usize]);
        match special {
            Special::Tid(axis) => below(block(axis)),
            Special::Ctaid(axis) => below(grid(axis)),
            Special::Ntid(axis) => Range::between(1, block(axis).into()),
            Special::Nctaid(axis) => Range::between(1, grid(axis).into()),
            Special::Lane => below(32),
            Special::Lanes(_) => SIGNED,
        }
    }

    /// What an instruction's result of 32 bits can be; none if an operand has not been written yet.
    pub(super) fn result(self, read: &Read<'_>, it: &Instruction) -> Option<Range> {
        let plain = ![Word::Hi, Word::Wide, Word::Sat, Word::Cc].iter().any(|word| it.words.has(*word));
        let Some(&ty) = it.types.first().filter(|ty| plain && !ty.is_float()) else { return Some(SIGNED) };
        if !matches!(it.operands.first(), Some(Operand::Register(_))) {
            return Some(SIGNED);
        }
        if it.opcode == Opcode::Ld && it.space == Some(Space::Param) {
            let offset = self.kernel.loaded(it).filter(|_| ty.bits() == 32);
            let known = self.numbers.iter().find(|(at, _)| Some(*at) == offset);
            return Some(known.map_or(SIGNED, |known| Range::number((known.1 as i32).into())));
        }
        if matches!(it.opcode, Opcode::Ld | Opcode::Ldu) && ty.bits() < 32 {
            return Some(all(ty));
        }
        if let (Opcode::Cvt, [to, from]) = (it.opcode, &it.types[..]) {
            // Of what has 64 bits the lower half is all, if that is no more.
            let same = to.bits() == 32 && !from.is_float();
            let from = if from.bits() == 64 { Type::S64 } else { *from };
            let range = if same { self.operand(read, &it.operands[1], from)? } else { SIGNED };
            return Some(if SIGNED.holds(range) { range } else { SIGNED });
        }
        if ty.bits() != 32 || matches!(it.operands.get(1), Some(Operand::Vector(_)) | None) {
            return Some(SIGNED);
        }
        let found = self.operation(read, it, ty)?;
        Some(if SIGNED.holds(found) { found } else { SIGNED })
    }

    fn operation(self, read: &Read<'_>, it: &Instruction, ty: Type) -> Option<Range> {
        let of = |index: usize| self.operand(read, &it.operands[index], Type::S32);
        let own = |index: usize| self.operand(read, &it.operands[index], ty);
        let number = |index: usize| match it.operands[index] {
            Operand::Immediate(bits) => Some(bits & ty.mask()),
            _ => None,
        };
        let positive = |range: Range| range.low >= 0;
        Some(match it.opcode {
            // Addresses of variables.
            Opcode::Mov if matches!(it.operands[1], Operand::Address(..)) => MEMORY,
            Opcode::Mov => of(1)?,
            Opcode::Add => of(1)?.plus(of(2)?),
            Opcode::Sub => of(1)?.minus(of(2)?),
            Opcode::Mul => of(1)?.times(of(2)?),
            Opcode::Mad => of(1)?.times(of(2)?).plus(of(3)?),
            Opcode::Shl => match number(2) {
                Some(by) if by < 32 => of(1)?.times(Range::number(1 << by)),
                _ => SIGNED,
            },
            Opcode::Shr => match number(2) {
                Some(by) if (1..32).contains(&by) => {
                    own(1).map(|range| Range::between(range.low >> by, range.high >> by))?
                }
                _ => SIGNED,
            },
            Opcode::And => {
                let both = [of(1)?, of(2)?];
                let high = both.into_iter().filter(|range| positive(*range)).map(|range| range.high).min();
                high.map_or(SIGNED, |high| Range::between(0, high))
            }
            Opcode::Or | Opcode::Xor => match [of(1)?, of(2)?] {
                [one, other] if positive(one) && positive(other) => {
                    let high = one.high.max(other.high);
                    Range::between(0, (1 << (128 - high.leading_zeros())) - 1)
                }
                _ => SIGNED,
            },
            Opcode::Min | Opcode::Max => {
                let [one, other] = [own(1)?, own(2)?];
                let low = it.opcode == Opcode::Min;
                let pick = |one: i128, other: i128| if low { one.min(other) } else { one.max(other) };
                Range::between(pick(one.low, other.low), pick(one.high, other.high))
            }
            Opcode::Selp => of(1)?.joined(of(2)?),
            Opcode::Div => match number(2) {
                Some(by) if (1..1 << 31).contains(&by) => {
                    own(1).map(|range| Range::between(range.low / i128::from(by), range.high / i128::from(by)))?
                }
                _ => SIGNED,
            },
            Opcode::Rem => match number(2) {
                Some(by) if (1..1 << 31).contains(&by) => {
                    let most = i128::from(by) - 1;
                    Range::between(if positive(own(1)?) { 0 } else { -most }, most)
                }
                _ => SIGNED,
            },
            Opcode::Popc | Opcode::Clz => Range::between(0, 32),
            _ => SIGNED,
        })
    }
}
