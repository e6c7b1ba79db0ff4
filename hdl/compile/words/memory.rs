//! Loads, stores, atomic operations, and where variables lie.

use bitline_units::array::isa::Opcode as Op;
use bitline_units::duality::isa::codes::{Element, MemoryOp, Predicate, ScalarOp, Space as Window};

use super::code::{Code, Part, Second, Start, Value};
use super::fill::cut;
use super::select::{Home, Select};
use crate::error::Result;
use crate::ptx::ast::{Base, Operand, Symbol};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word};

/// Where variables are: addresses in global memory of those there and of constants, in the window of those in shared
/// memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// Those of the module's variables.
    pub module: Vec<u64>,
    /// Those of the kernel's.
    pub kernel: Vec<u64>,
    /// Those of its parameters; none if they are not in memory.
    pub parameters: Vec<u64>,
    /// That of the frames of local memory, in the window behind everything else.
    pub frames: u64,
}

impl Addresses {
    /// The address of a variable or parameter.
    pub(super) fn of(&self, symbol: Symbol) -> u64 {
        match symbol {
            Symbol::Module(index) => self.module[index],
            // The frames are the one variable that a pass has added.
            Symbol::Kernel(index) => self.kernel.get(index).copied().unwrap_or(self.frames),
            Symbol::Parameter(index) => self.parameters.get(index).copied().unwrap_or(0),
        }
    }
}

/// The parts of an operand.
fn parts(operand: &Operand) -> Vec<&Operand> {
    match operand {
        Operand::Vector(parts) => parts.iter().collect(),
        other => vec![other],
    }
}

/// Of 64-bit pointers the low half.
fn low(part: Part) -> Part {
    cut(part, 32)
}

fn element(ty: Type) -> Element {
    match ty.bits() {
        8 => Element::B8,
        16 => Element::B16,
        32 => Element::B32,
        _ => Element::B64,
    }
}

impl Select<'_> {
    /// Space and address of the operand `index`.
    fn place(&mut self, index: usize) -> Result<(Window, Start, u32)> {
        let it = self.it();
        let space = match it.space {
            None => Window::Generic,
            Some(Space::Global) => Window::Global,
            Some(Space::Shared) => Window::Shared,
            Some(Space::Const) => Window::Const,
            Some(_) => return self.refuse("local memory without a variable in it"),
        };
        let Operand::Memory { base, offset } = &it.operands[index] else { return self.refuse("such an address") };
        let offset = *offset as u32;
        let (start, offset) = match base {
            Base::Absolute => (Start::Zero, offset),
            Base::Symbol(symbol) => (Start::Zero, (self.addresses.of(*symbol) as u32).wrapping_add(offset)),
            Base::Register(register) => match self.read(*register) {
                Home::Rows(part) => (Start::Rows(low(part), 0, None), offset),
                Home::Scalar(name) => (Start::Scalar(name), offset),
                Home::Number(number) => (Start::Zero, (number as u32).wrapping_add(offset)),
            },
            Base::Sum(first, second) => {
                let (first, second) = (self.read(*first), self.read(*second));
                self.added(first, second, offset)
            }
        };
        Ok((space, start, offset))
    }

    /// An address that two registers add up to.
    fn added(&mut self, first: Home, second: Home, offset: u32) -> (Start, u32) {
        use Home::{Number, Rows, Scalar};
        let plus = |number: u64| offset.wrapping_add(number as u32);
        match (first, second) {
            (Rows(part), Scalar(name)) | (Scalar(name), Rows(part)) => (Start::Rows(low(part), 0, Some(name)), offset),
            (Rows(part), Number(number)) | (Number(number), Rows(part)) => {
                (Start::Rows(low(part), 0, None), plus(number))
            }
            (Scalar(name), Number(number)) | (Number(number), Scalar(name)) => (Start::Scalar(name), plus(number)),
            (Number(one), Number(other)) => (Start::Zero, plus(one.wrapping_add(other))),
            (Scalar(one), Scalar(other)) => {
                let d = self.scalar();
                self.emit(Code::Scalar { op: ScalarOp::Add, d, a: Some(one), b: Value::Register(other), c: None });
                (Start::Scalar(d), offset)
            }
            (Rows(one), Rows(other)) => {
                let d = self.rows(32);
                self.compute(Op::Add, 32, d, Some(low(one)), Second::Rows(low(other)));
                (Start::Rows(d, 0, None), offset)
            }
        }
    }

    /// `ld`, from memory or of a parameter that has not 32 bits.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn load(&mut self) -> Result<()> {
        let it = self.it();
        let ty = it.ty();
        if it.space == Some(Space::Param) {
            return self.load_parameter(ty);
        }
        let (space, start, offset) = self.place(1)?;
        let mut at = offset;
        for part in parts(&it.operands[0]) {
            if let Operand::Register(register) = part {
                let predicate = self.active();
                let (d, _) = self.result(*register);
                let own = matches!(start, Start::Rows(from, ..) if from.name == d.name);
                if own && matches!(it.operands[0], Operand::Vector(_)) {
                    return self.refuse("a vector whose part holds the address");
                }
                let (element, signed) = (element(ty), ty.is_signed());
                self.emit(Code::Memory {
                    op: MemoryOp::Load,
                    space,
                    element,
                    signed,
                    d: Some(d),
                    b: None,
                    s: None,
                    start,
                    offset: at,
                    predicate,
                });
            }
            at = at.wrapping_add(ty.bytes() as u32);
        }
        Ok(())
    }

    fn load_parameter(&mut self, ty: Type) -> Result<()> {
        let it = self.it();
        let Some(offset) = self.kernel.loaded(it) else { return self.refuse("such an address") };
        let mut at = offset;
        for part in parts(&it.operands[0]) {
            if let Operand::Register(register) = part {
                let (d, predicate) = self.result(*register);
                let bits = u64::from(ty.bits());
                if !at.is_multiple_of(ty.bytes()) {
                    return self.refuse("a parameter that is not aligned");
                }
                let words = self.rows(bits.max(32));
                for word in 0..bits.div_ceil(32) {
                    let name = self.parameter(super::run::Parameter::Word((at & !3) + 4 * word));
                    self.fill(words.part(32 * word, 32), Home::Scalar(name), Predicate::All);
                }
                let from = words.part(8 * (at & 3), bits).extended(ty.is_signed());
                self.fill(d, Home::Rows(from), predicate);
            }
            at += ty.bytes();
        }
        Ok(())
    }

    /// `st`.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn store(&mut self) -> Result<()> {
        let it = self.it();
        let ty = it.ty();
        let (space, start, offset) = self.place(0)?;
        let mut at = offset;
        for part in parts(&it.operands[1]) {
            let home = self.operand_of(part)?;
            let b = self.in_rows(home, ty.bits().into());
            let (element, predicate) = (element(ty), self.active());
            self.emit(Code::Memory {
                op: MemoryOp::Store,
                space,
                element,
                signed: false,
                d: None,
                b: Some(Part { signed: false, ..b }),
                s: None,
                start,
                offset: at,
                predicate,
            });
            at = at.wrapping_add(ty.bytes() as u32);
        }
        Ok(())
    }

    /// `atom` and `red`.
    ///
    /// # Errors
    ///
    /// What no words do, with its line.
    pub fn atomic(&mut self) -> Result<()> {
        let it = self.it();
        let ty = it.ty();
        let pick = |unsigned, signed| if ty.is_signed() { signed } else { unsigned };
        let words = [Word::Add, Word::Min, Word::Max, Word::And, Word::Or, Word::Xor, Word::Exch, Word::Cas];
        let op = match it.words.one_of(&words) {
            _ if ty.is_float() => MemoryOp::FAdd,
            Some(Word::Add) => MemoryOp::Add,
            Some(Word::Min) => pick(MemoryOp::MinU, MemoryOp::MinS),
            Some(Word::Max) => pick(MemoryOp::MaxU, MemoryOp::MaxS),
            Some(Word::And) => MemoryOp::And,
            Some(Word::Or) => MemoryOp::Or,
            Some(Word::Xor) => MemoryOp::Xor,
            Some(Word::Exch) => MemoryOp::Exchange,
            Some(Word::Cas) => MemoryOp::Compare,
            _ => return self.refuse("the memory side does not do it; use add, min, max or cas"),
        };
        let address = it.results;
        let (space, start, offset) = self.place(address)?;
        let bits = u64::from(ty.bits());
        let b = self.whole(address + 1, ty)?;
        let s = if op == MemoryOp::Compare { Some(self.whole(address + 2, ty)?) } else { None };
        let d = match it.operands.first().filter(|_| it.opcode == Opcode::Atom) {
            Some(Operand::Register(register)) => self.result(*register).0,
            _ => self.rows(bits),
        };
        let predicate = self.active();
        self.emit(Code::Memory {
            op,
            space,
            element: element(ty),
            signed: false,
            d: Some(d),
            b: Some(b),
            s,
            start,
            offset,
            predicate,
        });
        Ok(())
    }

    /// All rows of an operand.
    fn whole(&mut self, index: usize, ty: Type) -> Result<Part> {
        let (part, bits) = (self.source(index, ty)?, u64::from(ty.bits()));
        if part.rows == bits {
            return Ok(part);
        }
        let t = self.rows(bits);
        self.fill(t, Home::Rows(part), Predicate::All);
        Ok(t)
    }
}
