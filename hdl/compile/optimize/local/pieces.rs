//! The registers that a variable becomes, and what stands in place of accesses to it.

use std::collections::{BTreeSet, HashMap};

use super::accesses::{Access, Accesses};
use super::{fresh, piece, register_type};
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Class, Type, Words};

/// The widest piece.
const WIDEST: u64 = 8;

/// Pieces of all variables that become registers.
pub struct Pieces {
    /// Variable, first byte and length of everything that is accessed.
    accessed: BTreeSet<(usize, u64, u64)>,
    /// The same of what is written.
    written: BTreeSet<(usize, u64, u64)>,
    registers: HashMap<(usize, u64), RegisterId>,
}

/// A piece: its first byte in the variable, its length, and its register; none if nobody writes it.
type Piece = (u64, u64, Option<RegisterId>);

/// Whether one of these begins in some bytes of a variable, with at most so many.
fn within(all: &BTreeSet<(usize, u64, u64)>, variable: usize, first: u64, bytes: u64, most: u64) -> bool {
    all.range((variable, first, 0)..(variable, first + bytes, 0)).any(|(_, _, size)| *size <= most)
}

impl Pieces {
    pub fn of(accesses: &Accesses) -> Pieces {
        let elements = |access: Access| {
            (0..access.count).map(move |index| (access.variable, access.offset + index * access.size, access.size))
        };
        let accessed = accesses.all().flat_map(elements).collect();
        let written = accesses.all().filter(|access| access.store).flat_map(elements).collect();
        Pieces { accessed, written, registers: HashMap::new() }
    }

    /// The pieces of an element, from the lowest.
    fn cut(&mut self, kernel: &mut Kernel, variable: usize, first: u64, bytes: u64, found: &mut Vec<Piece>) {
        if within(&self.accessed, variable, first, bytes, bytes - 1) {
            self.cut(kernel, variable, first, bytes / 2, found);
            self.cut(kernel, variable, first + bytes / 2, bytes / 2, found);
            return;
        }
        // What covers it may be wider, and begins at a multiple of its own length.
        let covers = |size: u64| self.written.contains(&(variable, first / size * size, size));
        let written = (0..=WIDEST.trailing_zeros()).any(|log| covers(1 << log) && 1 << log >= bytes);
        let register =
            written.then(|| *self.registers.entry((variable, first)).or_insert_with(|| piece(kernel, bytes)));
        found.push((first, bytes, register));
    }

    /// What stands in place of an access.
    pub fn steps(&mut self, kernel: &mut Kernel, like: &Instruction, access: Access) -> Vec<Instruction> {
        let value = &like.operands[usize::from(access.store)];
        let values = match value {
            Operand::Vector(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let mut steps = Steps { kernel, like, steps: Vec::new() };
        for (index, value) in (0..).zip(values) {
            let first = access.offset + index * access.size;
            let mut pieces = Vec::new();
            self.cut(steps.kernel, access.variable, first, access.size, &mut pieces);
            if access.store {
                steps.store(&pieces, value);
            } else if let Operand::Register(register) = value {
                steps.load(&pieces, register);
            }
        }
        steps.steps
    }
}

/// Instructions in place of one.
struct Steps<'s> {
    kernel: &'s mut Kernel,
    like: &'s Instruction,
    steps: Vec<Instruction>,
}

/// The integer type without sign of so many bits.
fn unsigned(bits: u32) -> Type {
    match bits {
        8 => Type::U8,
        16 => Type::U16,
        32 => Type::U32,
        _ => Type::U64,
    }
}

fn number(value: u64) -> Operand {
    Operand::Immediate(value)
}

impl Steps<'_> {
    fn push(&mut self, opcode: Opcode, types: &[Type], operands: Vec<Operand>) {
        let (words, types) = (Words::default(), types.to_vec());
        let like = self.like.clone();
        self.steps.push(Instruction { opcode, words, types, space: None, operands, results: 1, ..like });
    }

    /// An operation on `ty` with a result of its own.
    fn of(&mut self, opcode: Opcode, ty: Type, sources: [Operand; 2]) -> Operand {
        let d = Operand::Register(fresh(self.kernel, ty));
        let operands = std::iter::once(d.clone()).chain(sources).collect();
        self.push(opcode, &[ty], operands);
        d
    }

    fn ty(&self, register: RegisterId) -> Type {
        self.kernel.registers[register.0 as usize].ty
    }

    /// The lower bits of a register, in another one: moved, or converted where that one is narrower or wider.
    fn moved(&mut self, to: RegisterId, from: Operand, taken: Type) {
        let own = self.ty(to);
        let taken = if taken.is_signed() { taken } else { unsigned(taken.bits()) };
        match &from {
            Operand::Register(register) if self.ty(*register).bits() != own.bits() || taken.bits() < own.bits() => {
                let wide = if taken.is_signed() { signed(own.bits()) } else { unsigned(own.bits()) };
                self.push(Opcode::Cvt, &[wide, taken], vec![Operand::Register(to), from]);
            }
            _ => self.push(Opcode::Mov, &[bits(own.bits())], vec![Operand::Register(to), from]),
        }
    }

    fn store(&mut self, pieces: &[Piece], value: Operand) {
        let ty = self.like.ty();
        let mut value = value;
        if let Operand::Special(_) = value {
            let copy = fresh(self.kernel, Type::B32);
            self.push(Opcode::Mov, &[Type::U32], vec![Operand::Register(copy), value]);
            value = Operand::Register(copy);
        }
        if let (Operand::Register(register), true) = (&value, pieces.len() > 1) {
            // Bits of a floating-point number are shifted as those of an integer.
            let own = self.ty(*register);
            if own.class() == Class::Float {
                let copy = fresh(self.kernel, bits(own.bits()));
                self.push(Opcode::Mov, &[bits(own.bits())], vec![Operand::Register(copy), value]);
                value = Operand::Register(copy);
            }
        }
        let begin = pieces[0].0;
        for (first, bytes, register) in pieces {
            let Some(register) = *register else { continue };
            let shift = 8 * (first - begin);
            let part = match &value {
                Operand::Immediate(all) => number((all & ty.mask()) >> shift & unsigned(8 * *bytes as u32).mask()),
                Operand::Register(from) if shift > 0 => {
                    let own = unsigned(self.ty(*from).bits());
                    self.of(Opcode::Shr, own, [value.clone(), number(shift)])
                }
                other => other.clone(),
            };
            // What lies above a byte in its register is nobody's.
            let taken = unsigned(register_type(*bytes).bits());
            self.moved(register, part, taken);
        }
    }

    fn load(&mut self, pieces: &[Piece], to: RegisterId) {
        let ty = self.like.ty();
        if let [(_, _, register)] = pieces {
            match register {
                Some(register) => self.moved(to, Operand::Register(*register), ty),
                None => self.moved(to, number(0), ty),
            }
            return;
        }
        let whole = ty.bits().max(16);
        let mut all = number(0);
        for (first, bytes, register) in pieces {
            let Some(register) = *register else { continue };
            let part = fresh(self.kernel, unsigned(whole));
            self.moved(part, Operand::Register(register), unsigned(8 * *bytes as u32));
            let mut part = Operand::Register(part);
            if *first > pieces[0].0 {
                part = self.of(Opcode::Shl, bits(whole), [part, number(8 * (first - pieces[0].0))]);
            }
            all = match all {
                Operand::Immediate(_) => part,
                other => self.of(Opcode::Or, bits(whole), [other, part]),
            };
        }
        self.moved(to, all, ty);
    }
}

/// Bits of so many.
fn bits(bits: u32) -> Type {
    match bits {
        16 => Type::B16,
        32 => Type::B32,
        _ => Type::B64,
    }
}

/// The integer type with sign of so many bits.
fn signed(bits: u32) -> Type {
    match bits {
        16 => Type::S16,
        32 => Type::S32,
        _ => Type::S64,
    }
}
