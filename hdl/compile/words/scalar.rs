//! What the scalar unit does of PTX: 32-bit integers and predicates that are the same for all threads.

use bitline_units::duality::isa::codes::ScalarOp;

use super::code::{Code, Name, Value};
use super::select::{Home, Select};
use crate::error::Result;
use crate::ptx::ast::{Instruction, Kernel, Operand, Special};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Word};

/// Where generic addresses of the shared window begin.
pub const SHARED_WINDOW: u32 = bitline_units::duality::isa::codes::GENERIC_SHARED;

/// Whether the scalar unit can do an instruction, if all that it reads is the same for all threads.
pub fn can(kernel: &Kernel, it: &Instruction) -> bool {
    let same = |operand: &Operand| match operand {
        Operand::Special(special) => matches!(special, Special::Ntid(_) | Special::Nctaid(_)),
        Operand::Vector(_) | Operand::Pair(..) | Operand::Nothing | Operand::Label(_) => false,
        _ => true,
    };
    if !it.operands.iter().all(same) || it.types.is_empty() {
        return false;
    }
    // The type of the sources: of a comparison the last one.
    let bits = it.types[it.types.len() - 1].bits();
    let integer = bits == 32 && !it.ty().is_float();
    let plain = !it.words.has(Word::Sat) && !it.words.has(Word::Wide) && !it.words.has(Word::Hi);
    match it.opcode {
        Opcode::Mov | Opcode::Selp => matches!(bits, 1 | 32),
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not => matches!(bits, 1 | 32),
        Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Mad | Opcode::Neg | Opcode::Min | Opcode::Max => {
            integer && plain
        }
        Opcode::Shl | Opcode::Shr => integer,
        Opcode::Setp => bits == 32 && !it.types[it.types.len() - 1].is_float(),
        Opcode::Cvta => bits == 32 && matches!(it.space, Some(Space::Global | Space::Shared)),
        Opcode::Ld => bits == 32 && kernel.loaded(it).is_some_and(|offset| offset.is_multiple_of(4)),
        _ => false,
    }
}

impl Select<'_> {
    fn put(&mut self, op: ScalarOp, d: Name, a: Option<Name>, b: Value) {
        self.emit(Code::Scalar { op, d, a, b, c: None });
    }

    /// A source of the scalar unit.
    fn value(&mut self, index: usize) -> Result<Value> {
        Ok(match self.operand(index)? {
            Home::Scalar(name) => Value::Register(name),
            Home::Number(bits) => Value::Number(bits as u32),
            Home::Rows(_) => unreachable!("the value is the same for all threads"),
        })
    }

    /// A source that must be a register.
    fn register(&mut self, index: usize) -> Result<Name> {
        Ok(match self.value(index)? {
            Value::Register(name) => name,
            number => {
                let name = self.scalar();
                self.put(ScalarOp::Set, name, None, number);
                name
            }
        })
    }

    /// An operation with the scalar result `d`. A source is read before `d` is written, since it may be the same.
    pub fn scalar_unit(&mut self, d: Name) -> Result<()> {
        let it = self.it();
        let signed = it.types[it.types.len() - 1].is_signed();
        let binary = match (it.opcode, signed) {
            (Opcode::Add, _) => Some(ScalarOp::Add),
            (Opcode::Sub, _) => Some(ScalarOp::Sub),
            (Opcode::Mul, _) => Some(ScalarOp::Mul),
            (Opcode::And, _) => Some(ScalarOp::And),
            (Opcode::Or, _) => Some(ScalarOp::Or),
            (Opcode::Xor, _) => Some(ScalarOp::Xor),
            (Opcode::Min, false) => Some(ScalarOp::MinU),
            (Opcode::Min, true) => Some(ScalarOp::MinS),
            (Opcode::Max, false) => Some(ScalarOp::MaxU),
            (Opcode::Max, true) => Some(ScalarOp::MaxS),
            (Opcode::Shl, _) => Some(ScalarOp::Shl),
            (Opcode::Shr, false) => Some(ScalarOp::Shr),
            (Opcode::Shr, true) => Some(ScalarOp::Sar),
            _ => None,
        };
        if let Some(op) = binary {
            let (a, b) = (self.register(1)?, self.value(2)?);
            self.put(op, d, Some(a), b);
            return Ok(());
        }
        match it.opcode {
            Opcode::Mov | Opcode::Ld => {
                let b = self.value(1)?;
                self.put(ScalarOp::Set, d, None, b);
            }
            Opcode::Cvta => {
                let (a, to) = (self.register(1)?, it.words.has(Word::To));
                let window = if it.space == Some(Space::Shared) { SHARED_WINDOW } else { 0 };
                let op = if to { ScalarOp::Sub } else { ScalarOp::Add };
                self.put(op, d, Some(a), Value::Number(window));
            }
            Opcode::Mad => {
                let (a, b, c) = (self.register(1)?, self.value(2)?, self.value(3)?);
                let product = self.scalar();
                self.put(ScalarOp::Mul, product, Some(a), b);
                self.put(ScalarOp::Add, d, Some(product), c);
            }
            Opcode::Not => {
                let a = self.register(1)?;
                let ones = if it.ty().bits() == 1 { 1 } else { u32::MAX };
                self.put(ScalarOp::Xor, d, Some(a), Value::Number(ones));
            }
            Opcode::Neg => {
                let (zero, b) = (self.scalar(), self.value(1)?);
                self.put(ScalarOp::Set, zero, None, Value::Number(0));
                self.put(ScalarOp::Sub, d, Some(zero), b);
            }
            Opcode::Selp => {
                let (a, b, c) = (self.register(1)?, self.value(2)?, self.register(3)?);
                self.emit(Code::Scalar { op: ScalarOp::Select, d, a: Some(a), b, c: Some(c) });
            }
            _ => self.compared(d)?,
        }
        Ok(())
    }

    /// `setp`.
    fn compared(&mut self, d: Name) -> Result<()> {
        let it = self.it();
        let signed = it.types[it.types.len() - 1].is_signed();
        let (relation, inverted) = Relation::of(it);
        let less = if signed { ScalarOp::LtS } else { ScalarOp::LtU };
        let result = self.scalar();
        match relation {
            Relation::Equal => {
                let (a, b) = (self.register(1)?, self.value(2)?);
                self.put(ScalarOp::Eq, result, Some(a), b);
            }
            Relation::Less => {
                let (a, b) = (self.register(1)?, self.value(2)?);
                self.put(less, result, Some(a), b);
            }
            Relation::Greater => {
                let (a, b) = (self.value(1)?, self.register(2)?);
                self.put(less, result, Some(b), a);
            }
        }
        if inverted {
            self.put(ScalarOp::Xor, result, Some(result), Value::Number(1));
        }
        if it.operands.len() > 3 {
            let op = match it.words.one_of(&[Word::And, Word::Or]) {
                Some(Word::And) => ScalarOp::And,
                Some(_) => ScalarOp::Or,
                None => ScalarOp::Xor,
            };
            let with = self.register(3)?;
            self.put(op, d, Some(with), Value::Register(result));
        } else {
            self.put(ScalarOp::Set, d, None, Value::Register(result));
        }
        Ok(())
    }
}

/// What integers are compared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// a = b
    Equal,
    /// a < b
    Less,
    /// a > b
    Greater,
}

impl Relation {
    /// That of an instruction, and whether the opposite is meant.
    pub fn of(it: &Instruction) -> (Relation, bool) {
        let all = [
            (Word::Eq, Relation::Equal, false),
            (Word::Ne, Relation::Equal, true),
            (Word::Lt, Relation::Less, false),
            (Word::Lo, Relation::Less, false),
            (Word::Ge, Relation::Less, true),
            (Word::Hs, Relation::Less, true),
            (Word::Gt, Relation::Greater, false),
            (Word::Hi, Relation::Greater, false),
        ];
        let found = all.into_iter().find(|(word, ..)| it.words.has(*word));
        found.map_or((Relation::Greater, true), |(_, relation, inverted)| (relation, inverted))
    }
}
