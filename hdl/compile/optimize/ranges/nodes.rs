//! What addresses are made of, between which numbers it is, and where that has to be looked at.

use super::flow::{Flow, Step};
use super::integers::{Known, Read};
use super::range::{MEMORY, Range, SIGNED, UNSIGNED, WHOLE};
use super::sources::{copies, final_ones, flow, sources, written};
use super::{MARGIN, MOST, TELLING, TELLING_GENERIC, WINDOWS, WINDOWS_END, base, whole};
use crate::ptx::ast::{Instruction, Operand, RegisterId, Symbol};
use crate::ptx::lower::Lower;
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word};

/// Where a kernel's own variables of shared and local memory are in their space.
const WINDOW: Range = Range::between(0, (1 << 20) - 1);

/// How it is found out whether a result is what its lower half says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Check {
    /// The upper bits of a number of 32 bits that a product by 2 to this power loses, and the sign, are alike, or 0.
    Top { of: RegisterId, power: u32, signed: bool },
    /// A number of 32 bits is between two others.
    Between { of: RegisterId, range: Range },
    /// A sum, or difference, does not carry: of two numbers with signs, or of an address and one with a sign, which
    /// stands behind it.
    Sum { first: Operand, second: Operand, minus: bool, signed: bool },
}

/// How it is found out at an access whether its address is one, where nothing that it is made of says so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Last {
    /// It is not negative.
    Sign,
    /// Its upper half is 0.
    Upper,
}

/// Registers that addresses are made of.
pub(super) struct Nodes {
    /// Which they are.
    pub(super) flow: Vec<bool>,
    /// Instructions that give all 64 bits, whatever their operands' checks say.
    pub(super) whole: Vec<bool>,
    /// Checks of instructions that write them.
    pub(super) checks: Vec<Option<Check>>,
    /// Checks of accesses.
    pub(super) last: Vec<Option<Last>>,
    /// Instructions that are to be taken apart first.
    pub(super) apart: Vec<bool>,
    /// Parameters of which the lower half is taken: their offsets, and what they are.
    pub(super) parameters: Vec<(u64, Lower)>,
}

/// Those of a kernel, as far as it is known.
struct Search<'a> {
    known: Known<'a>,
    flow: &'a [bool],
    /// What registers are in the addresses that are made of them.
    kinds: &'a [Lower],
    /// Registers that are not negative where all is right.
    final_ones: Vec<bool>,
    /// What a register can be behind an access at it.
    accessed: Range,
    /// Registers whose range has to be that of a lower half, so that a sum can tell by its carry.
    strict: Vec<bool>,
}

/// What a result can be behind its check, that check, and registers that have to be strict for a better one.
struct Node {
    range: Range,
    check: Option<Check>,
    wanted: Vec<RegisterId>,
}

impl Node {
    fn sure(range: Range) -> Node {
        Node { range, check: None, wanted: Vec::new() }
    }

    fn checked(range: Range, check: Check) -> Node {
        Node { range, check: Some(check), wanted: Vec::new() }
    }

    fn whole() -> Node {
        Node::sure(WHOLE)
    }

    /// In a range, for sure or by a check.
    fn within(range: Range, limit: Range, check: Option<Check>) -> Node {
        match check {
            _ if limit.holds(range) => Node::sure(range),
            Some(check) => Node::checked(limit, check),
            None => Node::whole(),
        }
    }
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
        let strict = vec![false; kernel.registers.len()];
        let narrow = |ty: Type| ty.bits() == 32 && !ty.is_float();
        let asked = kernel.registers.iter().zip(&flow).map(|(register, flow)| *flow || narrow(register.ty)).collect();
        let mut ways = Flow::of(known, asked);
        let final_ones = final_ones(kernel, &flow);
        let mut search = Search { known, flow: &flow, kinds: &kinds, final_ones, accessed, strict };
        loop {
            ways.settle(&search);
            let wanted = search.wanted(&mut ways);
            if wanted.iter().all(|register| search.strict[register.0 as usize]) {
                break;
            }
            wanted.iter().for_each(|register| search.strict[register.0 as usize] = true);
        }
        let mut checks = vec![None; kernel.body.len()];
        let mut whole = vec![false; kernel.body.len()];
        let mut last = vec![None; kernel.body.len()];
        let mut apart = vec![false; kernel.body.len()];
        let mut parameters = Vec::new();
        ways.visit(&search, |at, it, read| {
            if let Some(register) = written(&flow, it) {
                if let (Some(offset), Opcode::Ld) = (kernel.loaded(it), it.opcode) {
                    parameters.push((offset, kinds[register.0 as usize]));
                }
                let node = search.node(it, register, read);
                whole[at] = node.as_ref().is_some_and(|node| node.range == WHOLE);
                apart[at] = whole[at] && it.opcode == Opcode::Mad;
                checks[at] = node.and_then(|node| node.check);
            }
            if let Some((register, offset)) = base(kernel, it).filter(|_| !search.tells(it, read)) {
                let far = i128::from(offset).abs() >= MARGIN;
                let signed = read(register).is_some_and(|own| SIGNED.holds(own));
                apart[at] |= far;
                last[at] = (!far).then_some(if signed { Last::Sign } else { Last::Upper });
            }
        });
        parameters.sort_unstable();
        parameters.dedup();
        Nodes { flow, whole, checks, last, apart, parameters }
    }
}

impl Step for Search<'_> {
    fn result(&self, it: &Instruction, register: RegisterId, read: &Read<'_>) -> Option<Range> {
        if self.flow[register.0 as usize] {
            return self.node(it, register, read).map(|node| node.range);
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
    /// Registers that have to be strict: those at which accesses may be elsewhere than memory tells, and of which sums
    /// are that cannot tell by their carry.
    fn wanted(&self, ways: &mut Flow<'_>) -> Vec<RegisterId> {
        let mut found = Vec::new();
        ways.visit(self, |_, it, read| {
            if !self.tells(it, read) {
                found.extend(base(self.known.kernel, it).map(|base| base.0));
            }
            let Some(register) = written(self.flow, it) else { return };
            if copies(it) && self.strict[register.0 as usize] {
                found.extend(sources(self.known.kernel, it));
            }
            found.extend(self.node(it, register, read).map(|node| node.wanted).unwrap_or_default());
        });
        found
    }

    /// Whether memory tells of an access whose address is wrong.
    fn tells(&self, it: &Instruction, read: &Read<'_>) -> bool {
        let Some((register, offset)) = base(self.known.kernel, it) else { return true };
        let telling = if it.space.is_none() { TELLING_GENERIC } else { TELLING };
        let Some(own) = read(register) else { return true };
        let near = i128::from(offset).abs() < MARGIN;
        telling.holds(if near { own } else { own.plus(Range::number(offset.into())) })
    }

    /// A part of an address, or a register that is none.
    fn operand(&self, read: &Read<'_>, operand: &Operand) -> Option<Range> {
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

    /// What an instruction gives; none if an operand has no range yet.
    fn node(&self, it: &Instruction, register: RegisterId, read: &Read<'_>) -> Option<Node> {
        let of = |index: usize| self.operand(read, &it.operands[index]);
        let own = |index: usize| match it.operands[index] {
            Operand::Register(register) => Some(register),
            _ => None,
        };
        let plain = ![Word::Hi, Word::Sat, Word::Cc].iter().any(|word| it.words.has(*word));
        let Some(&ty) = it.types.first().filter(|ty| plain && !ty.is_float()) else { return Some(Node::whole()) };
        let wide = it.words.has(Word::Wide);
        let factor = |index: usize| {
            if wide { self.known.operand(read, &it.operands[index], ty) } else { of(index) }
        };
        Some(match it.opcode {
            Opcode::Ld if self.known.kernel.loaded(it).is_some() => {
                let pointer = self.kinds[register.0 as usize] == Lower::Pointer;
                Node::sure(if pointer { MEMORY } else { SIGNED })
            }
            Opcode::Mov if !matches!(it.operands[1], Operand::Vector(_)) => Node::sure(of(1)?),
            Opcode::Selp => Node::sure(of(1)?.joined(of(2)?)),
            // To a generic address the beginning of the window is added; constants are a piece of global memory.
            Opcode::Cvta if it.space == Some(Space::Global) => Node::sure(of(1)?),
            Opcode::Cvta if it.space == Some(Space::Const) => Node::sure(of(1)?),
            Opcode::Cvta => {
                let window = Range::number(WINDOWS);
                let (from, to) = (WINDOW, WINDOW.plus(window));
                match it.words.has(Word::To) {
                    true if to.holds(of(1)?) => Node::sure(of(1)?.minus(window)),
                    false if from.holds(of(1)?) => Node::sure(of(1)?.plus(window)),
                    _ => Node::whole(),
                }
            }
            Opcode::Cvt if whole(ty) => match it.types.get(1) {
                Some(from) if whole(*from) => Node::sure(of(1)?),
                Some(from) if from.bits() <= 32 && !from.is_float() => {
                    let top = |of| Check::Top { of, power: 0, signed: from.is_signed() };
                    Node::within(self.known.operand(read, &it.operands[1], *from)?, SIGNED, own(1).map(top))
                }
                _ => Node::whole(),
            },
            Opcode::And if whole(ty) => match it.operands[2] {
                Operand::Immediate(bits) if (bits as i64) < 0 => {
                    let range = of(1)?;
                    Node::sure(Range::between(range.low - i128::from(!bits), range.high))
                }
                Operand::Immediate(bits) => Node::within(Range::between(0, bits.into()), TELLING, None),
                _ => Node::whole(),
            },
            Opcode::Shl if whole(ty) => match (&it.operands[2], own(1)) {
                (Operand::Immediate(by), Some(own)) if *by < 31 => {
                    let top = Check::Top { of: own, power: *by as u32, signed: true };
                    let range = of(1)?;
                    Node::within(range.times(Range::number(1 << by)), SIGNED, SIGNED.holds(range).then_some(top))
                }
                _ => Node::whole(),
            },
            Opcode::Mul | Opcode::Mad if wide != whole(ty) => {
                let (one, other) = (factor(1)?, factor(2)?);
                if it.opcode == Opcode::Mad {
                    return Some(Node::within(one.times(other).plus(of(3)?), TELLING, None));
                }
                let check = match (own(1), &it.operands[2]) {
                    (Some(own), Operand::Immediate(_)) if wide || SIGNED.holds(one) => {
                        multiple(own, other.low, !wide || ty.is_signed())
                    }
                    _ => None,
                };
                Node::within(one.times(other), SIGNED, check)
            }
            Opcode::Add | Opcode::Sub if whole(ty) => self.sum(it, register, [of(1)?, of(2)?]),
            _ => Node::whole(),
        })
    }

    fn sum(&self, it: &Instruction, register: RegisterId, [first, second]: [Range; 2]) -> Node {
        let minus = it.opcode == Opcode::Sub;
        let sum = if minus { first.minus(second) } else { first.plus(second) };
        let fits = if self.strict[register.0 as usize] {
            UNSIGNED.holds(sum) || SIGNED.holds(sum)
        } else {
            TELLING.holds(sum)
        };
        if fits {
            return Node::sure(sum);
        }
        let checked = |first: usize, second: usize, signed: bool| {
            let [first, second] = [first, second].map(|index| it.operands[index].clone());
            let limit = if signed { SIGNED } else { UNSIGNED };
            let range = sum.within(limit.low, limit.high).unwrap_or(limit);
            Node::checked(range, Check::Sum { first, second, minus, signed })
        };
        // Generic addresses may be in windows. Others are numbers with signs, unless they are addresses themselves.
        let signed = |range: Range| SIGNED.holds(range);
        let last = self.final_ones[register.0 as usize];
        let address = |range: Range| UNSIGNED.holds(range) && (last || !signed(range));
        if address(first) && signed(second) {
            return checked(1, 2, false);
        }
        if address(second) && signed(first) && !minus {
            return checked(2, 1, false);
        }
        if signed(first) && signed(second) {
            return checked(1, 2, true);
        }
        // What has 64 bits leaves as many. Of others registers may be looked at before.
        let unclear = |range: Range| !UNSIGNED.holds(range) && !signed(range);
        let known = TELLING.holds(first) && TELLING.holds(second);
        let terms = [(1, first), (2, second)].into_iter().filter(|one| known && unclear(one.1));
        let strict = terms.filter_map(|(index, _)| match it.operands[index] {
            Operand::Register(register) if self.flow[register.0 as usize] => Some(register),
            _ => None,
        });
        Node { wanted: strict.collect(), ..Node::whole() }
    }
}

/// The check of a product by a number.
fn multiple(of: RegisterId, by: i128, signed: bool) -> Option<Check> {
    if by > 0 && by.count_ones() == 1 && by < SIGNED.high {
        return Some(Check::Top { of, power: by.trailing_zeros(), signed });
    }
    let most = |limit: i128| limit / by.abs();
    let range = Range::between(if signed { -most(SIGNED.high) } else { 0 }, most(SIGNED.high));
    (by != 0).then_some(Check::Between { of, range })
}
