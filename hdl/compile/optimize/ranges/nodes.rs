//! What addresses are made of, between which numbers it is, and how an access finds out whether its address is one.

use super::flow::{Flow, Step};
use super::integers::{Known, Read, all};
use super::made::Made;
use super::range::{MEMORY, Range, SIGNED, WHOLE};
use super::sources::{flow, written};
use super::{MARGIN, MOST, TELLING, TELLING_GENERIC, WINDOWS, WINDOWS_END, base, whole};
use crate::ptx::ast::{Instruction, Operand, RegisterId, Symbol};
use crate::ptx::lower::Lower;
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word};

/// Where a kernel's own variables of shared and local memory are in their space.
const WINDOW: Range = Range::between(0, (1 << 20) - 1);

/// How it is found out at an access whether its address is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Last {
    /// By the check of the product that is in it.
    Product,
    /// Its upper half is 0.
    Upper,
}

/// Registers that addresses are made of.
pub(super) struct Nodes {
    /// Which they are.
    pub(super) flow: Vec<bool>,
    /// What instructions make that write them.
    pub(super) made: Vec<Made>,
    /// Accesses at which the address is looked at.
    pub(super) last: Vec<Option<Last>>,
    /// Instructions that are to be taken apart first.
    pub(super) apart: Vec<bool>,
    /// What is taken for granted of parameters: their offsets, and what they are.
    pub(super) parameters: Vec<(u64, Lower)>,
}

/// Those of a kernel, as far as it is known.
pub(super) struct Search<'a> {
    pub(super) known: Known<'a>,
    pub(super) flow: &'a [bool],
    /// What the text says of registers that are parameters.
    kinds: &'a [Lower],
    /// What a register can be behind an access at it.
    accessed: Range,
}

impl Nodes {
    pub(super) fn of(known: Known<'_>) -> Nodes {
        let kernel = known.kernel;
        let (flow, kinds) = flow(kernel);
        let spaces: Vec<_> = kernel.body.iter().filter(|it| base(kernel, it).is_some()).map(|it| it.space).collect();
        // Global memory begins so far from 0, windows of other spaces there.
        let low = if spaces.iter().all(|space| matches!(space, None | Some(Space::Global))) { 0 } else { -MARGIN };
        let end = if spaces.contains(&None) { WINDOWS_END } else { MOST.into() };
        let accessed = Range::between(low, end + MARGIN);
        let narrow = |ty: Type| ty.bits() == 32 && !ty.is_float();
        let asked = kernel.registers.iter().zip(&flow).map(|(register, flow)| *flow || narrow(register.ty)).collect();
        let mut ways = Flow::of(known, asked);
        let search = Search { known, flow: &flow, kinds: &kinds, accessed };
        ways.settle(&search);
        let (made, rests) = search.rests(&mut ways);
        let mut last = vec![None; kernel.body.len()];
        let mut apart = vec![false; kernel.body.len()];
        let mut parameters = Vec::new();
        ways.visit(&search, |at, it, read| {
            if let Some(register) = written(&flow, it) {
                if let Some((offset, kind)) = search.parameter(it, register) {
                    parameters.push((offset, kind));
                }
                apart[at] = it.opcode == Opcode::Mad && !TELLING.holds(search.range(it, register, read));
            }
            if let Some((register, offset)) = base(kernel, it).filter(|_| !search.tells(it, read)) {
                let rest = rests[register.0 as usize].map(|rest| rest.plus(Range::number(offset.into())));
                let product = rest.tells(it.space.is_none());
                // What is below a window may be in it with what is added.
                let far = i128::from(offset).abs() >= MARGIN || offset != 0 && it.space != Some(Space::Global);
                apart[at] = !product && far;
                last[at] = match product {
                    true => Some(Last::Product),
                    false => (!far).then_some(Last::Upper),
                };
            }
        });
        parameters.sort_unstable();
        parameters.dedup();
        Nodes { flow, made, last, apart, parameters }
    }
}

impl Step for Search<'_> {
    fn result(&self, it: &Instruction, register: RegisterId, read: &Read<'_>) -> Option<Range> {
        if self.flow[register.0 as usize] {
            return self.node(it, register, read);
        }
        self.known.result(read, it)
    }

    fn met(&self, block: usize, at: usize, read: &Read<'_>) -> Vec<(RegisterId, Range)> {
        let body = &self.known.kernel.body;
        let near = |base: &(RegisterId, i64)| i128::from(base.1).abs() < MARGIN;
        let Some((register, _)) = base(self.known.kernel, &body[at]).filter(near) else { return Vec::new() };
        let mut found = vec![(register, self.accessed)];
        // What is added to something known, if the sum has just been made.
        let Some(sum) = (block..at).rev().find(|at| body[*at].writes().contains(&register)) else { return found };
        let it = &body[sum];
        let whole = it.opcode == Opcode::Add && it.guard.is_none() && whole(it.types[0]);
        if !whole || !self.flow[register.0 as usize] {
            return found;
        }
        let terms: Vec<RegisterId> = it.operands[1..].iter().flat_map(Operand::registers).collect();
        if body[sum..at].iter().any(|it| it.writes().iter().any(|own| terms.contains(own))) {
            return found;
        }
        for (own, other) in [(1, 2), (2, 1)] {
            let Operand::Register(own) = it.operands[own] else { continue };
            let other = self.operand(read, &it.operands[other]).filter(|_| self.flow[own.0 as usize]);
            found.extend(other.map(|other| (own, self.accessed.minus(other))));
        }
        found
    }
}

impl Search<'_> {
    /// Whether memory tells of an access whose address is wrong.
    fn tells(&self, it: &Instruction, read: &Read<'_>) -> bool {
        let Some((register, offset)) = base(self.known.kernel, it) else { return true };
        let telling = if it.space.is_none() { TELLING_GENERIC } else { TELLING };
        let Some(own) = read(register) else { return true };
        // Global memory begins so far from 0, windows of other spaces there.
        let near = i128::from(offset).abs() < MARGIN && it.space == Some(Space::Global);
        telling.holds(if near { own } else { own.plus(Range::number(offset.into())) })
    }

    /// A part of an address, or a register that is none.
    pub(super) fn operand(&self, read: &Read<'_>, operand: &Operand) -> Option<Range> {
        match operand {
            Operand::Address(Symbol::Kernel(variable), offset) => {
                let own = matches!(self.known.kernel.variables[*variable].space, Space::Shared | Space::Local);
                let range = if own { WINDOW } else { MEMORY };
                Some(range.plus(Range::number((*offset).into())))
            }
            Operand::Address(_, offset) => Some(MEMORY.plus(Range::number((*offset).into()))),
            Operand::Register(_) | Operand::Immediate(_) => self.known.operand(read, operand, Type::S64),
            _ => Some(WHOLE),
        }
    }

    /// A factor of a product, or what is shifted.
    pub(super) fn factor(&self, it: &Instruction, index: usize, read: &Read<'_>) -> Option<Range> {
        if it.words.has(Word::Wide) {
            return self.known.operand(read, &it.operands[index], it.types[0]);
        }
        self.operand(read, &it.operands[index])
    }

    /// What is taken for granted of the parameter of 64 bits that an instruction loads: its offset, and what it is.
    fn parameter(&self, it: &Instruction, register: RegisterId) -> Option<(u64, Lower)> {
        let offset = self.known.kernel.loaded(it).filter(|_| whole(it.types[0]))?;
        (!self.known.whole.contains(&offset)).then(|| (offset, self.kinds[register.0 as usize]))
    }

    /// What an instruction gives; none if an operand has no range yet.
    fn node(&self, it: &Instruction, register: RegisterId, read: &Read<'_>) -> Option<Range> {
        let found = self.number(it, register, read)?;
        // Beyond, numbers with and without a sign are no longer the same.
        let most = 1 << 62;
        Some(if Range::between(-most, most).holds(found) { found } else { WHOLE })
    }

    pub(super) fn range(&self, it: &Instruction, register: RegisterId, read: &Read<'_>) -> Range {
        self.node(it, register, read).unwrap_or(WHOLE)
    }

    fn number(&self, it: &Instruction, register: RegisterId, read: &Read<'_>) -> Option<Range> {
        let of = |index: usize| self.operand(read, &it.operands[index]);
        let plain = ![Word::Hi, Word::Sat, Word::Cc].iter().any(|word| it.words.has(*word));
        let Some(&ty) = it.types.first().filter(|ty| plain && !ty.is_float()) else { return Some(WHOLE) };
        let wide = it.words.has(Word::Wide);
        Some(match it.opcode {
            Opcode::Ld | Opcode::Ldu if matches!(it.operands[0], Operand::Vector(_)) => WHOLE,
            Opcode::Ld | Opcode::Ldu if whole(ty) => match self.parameter(it, register) {
                Some((_, Lower::Pointer)) => MEMORY,
                Some((_, Lower::Number)) => SIGNED,
                None => WHOLE,
            },
            // A register may be wider than what it gets.
            Opcode::Ld | Opcode::Ldu if ty.bits() == 32 => {
                let offset = self.known.kernel.loaded(it);
                let known = self.known.numbers.iter().find(|number| Some(number.0) == offset);
                known.map_or(all(ty), |known| {
                    Range::number(if ty.is_signed() { (known.1 as i32).into() } else { known.1.into() })
                })
            }
            Opcode::Ld | Opcode::Ldu if ty.bits() < 32 => all(ty),
            Opcode::Mov if !matches!(it.operands[1], Operand::Vector(_)) => of(1)?,
            Opcode::Selp => of(1)?.joined(of(2)?),
            // To a generic address the beginning of the window is added; constants are a piece of global memory.
            Opcode::Cvta if matches!(it.space, Some(Space::Global | Space::Const)) => of(1)?,
            Opcode::Cvta if it.words.has(Word::To) => of(1)?.minus(Range::number(WINDOWS)),
            Opcode::Cvta => of(1)?.plus(Range::number(WINDOWS)),
            Opcode::Cvt if whole(ty) => match it.types.get(1) {
                Some(from) if whole(*from) => of(1)?,
                Some(from) if from.bits() <= 32 && !from.is_float() => {
                    self.known.operand(read, &it.operands[1], *from)?
                }
                _ => WHOLE,
            },
            Opcode::And if whole(ty) => match it.operands[2] {
                Operand::Immediate(bits) if (bits as i64) < 0 => {
                    let range = of(1)?;
                    Range::between(range.low - i128::from(!bits), range.high)
                }
                Operand::Immediate(bits) => Range::between(0, bits.into()),
                _ => WHOLE,
            },
            Opcode::Shl if whole(ty) => match &it.operands[2] {
                Operand::Immediate(by) if *by < 63 => of(1)?.times(Range::number(1 << by)),
                _ => WHOLE,
            },
            Opcode::Mul | Opcode::Mad if wide != whole(ty) => {
                let product = self.factor(it, 1, read)?.times(self.factor(it, 2, read)?);
                if it.opcode == Opcode::Mad { product.plus(of(3)?) } else { product }
            }
            Opcode::Add if whole(ty) => of(1)?.plus(of(2)?),
            Opcode::Sub if whole(ty) => of(1)?.minus(of(2)?),
            _ => WHOLE,
        })
    }
}
