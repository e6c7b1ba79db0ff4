//! Selection: instructions one by one to words with names in place of rows.

use std::collections::HashMap;

use bitline_units::array::isa::Opcode as Op;
use bitline_units::duality::isa::codes::{Predicate, ScalarOp, Special as Launched};

use super::code::{Class, Code, Line, Name, Part, Second, Value};
use super::encode::Encoder;
use super::memory::Addresses;
use super::run::Parameter;
use super::{Analysis, Rule};
use crate::error::{Error, Result};
use crate::optimize::Sizes;
use crate::ptx::ast::{Instruction, Kernel, Module, Operand, RegisterId, Special};
use crate::ptx::table::Opcode;
use crate::ptx::types::Type;

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In rows.
    Rows(Part),
    /// In a scalar register.
    Scalar(Name),
    /// It is this number.
    Number(u64),
}

/// A kernel that becomes words.
#[derive(Clone)]
pub struct Select<'k> {
    pub(super) module: &'k Module,
    pub(super) kernel: &'k Kernel,
    pub(super) analysis: &'k Analysis,
    pub(super) addresses: &'k Addresses,
    pub(super) encoder: &'k Encoder,
    pub(super) without: Option<Rule>,
    /// Sizes of all launches, if they are known.
    pub(super) sizes: Option<Sizes>,
    /// What stands behind each name.
    pub(super) classes: Vec<Class>,
    /// The arrays of the thread in which its rows are, at the same place in each: bit k for array k.
    pub(super) arrays: Vec<u8>,
    /// The words.
    pub(super) lines: Vec<Line>,
    /// What the launch puts into scalar registers, from 0 on, and their names.
    pub(super) parameters: Vec<(Parameter, Name)>,
    /// What it puts into rows.
    pub(super) specials: Vec<(Launched, Name, u64)>,
    /// Names that are kept in memory, and those that stand for them at single words.
    pub(super) spilled: Vec<Name>,
    /// Names that are kept in another array than that of the words that name them.
    pub(super) lent: Vec<Name>,
    /// Rows of values, if some need fewer than their types have bits.
    pub(super) widths: Vec<u64>,
    /// Values that are numbers in this launch.
    pub(super) numbers: Vec<Option<u64>>,
    homes: Vec<Option<Home>>,
    moved: HashMap<Special, Home>,
    /// The block at work.
    pub(super) block: usize,
    /// The instruction at work.
    at: usize,
    pub(super) line: u32,
}

impl<'k> Select<'k> {
    /// Nothing selected yet.
    pub fn new(
        module: &'k Module,
        kernel: &'k Kernel,
        analysis: &'k Analysis,
        addresses: &'k Addresses,
        encoder: &'k Encoder,
        without: Option<Rule>,
    ) -> Select<'k> {
        Select {
            module,
            kernel,
            analysis,
            addresses,
            encoder,
            without,
            sizes: None,
            classes: Vec::new(),
            arrays: Vec::new(),
            lines: Vec::new(),
            parameters: Vec::new(),
            specials: Vec::new(),
            spilled: Vec::new(),
            lent: Vec::new(),
            widths: Vec::new(),
            numbers: Vec::new(),
            homes: vec![None; analysis.webs.registers.len()],
            moved: HashMap::new(),
            block: 0,
            at: 0,
            line: kernel.place.line,
        }
    }

    /// The instruction at work.
    pub fn it(&self) -> &'k Instruction {
        &self.kernel.body[self.at]
    }

    /// The index of the instruction at work.
    pub fn at(&self) -> usize {
        self.at
    }

    /// An error at the instruction at work.
    pub fn refuse<T>(&self, reason: &str) -> Result<T> {
        let it = self.it();
        let reason = format!("`{}` has no words yet: {reason}", it.spelling);
        Err(Error::source(&self.module.origin, it.place, reason))
    }

    /// Appends a word.
    pub fn emit(&mut self, code: Code) {
        let origin = Some(self.lines.len());
        self.lines.push(Line { code, block: self.block, line: self.line, keeps: false, origin });
    }

    /// Turns to a block, and the line of its words.
    pub fn turn(&mut self, block: usize, line: u32) {
        (self.block, self.line) = (block, line);
    }

    pub(super) fn name(&mut self, class: Class) -> Name {
        self.classes.push(class);
        self.arrays.push(1);
        self.classes.len() - 1
    }

    /// Rows for a moment.
    pub fn rows(&mut self, rows: u64) -> Part {
        Part::all(self.name(Class::Rows(rows)), rows)
    }

    /// A scalar register for a moment.
    pub fn scalar(&mut self) -> Name {
        self.name(Class::Scalar)
    }

    /// The scalar register of something that the launch knows.
    pub fn parameter(&mut self, what: Parameter) -> Name {
        if let Some((_, name)) = self.parameters.iter().find(|one| one.0 == what) {
            return *name;
        }
        let name = self.scalar();
        self.parameters.push((what, name));
        name
    }

    /// The rows of a register that the launch sets for each thread, or the scalar register of one that is the same.
    pub fn special(&mut self, special: Special) -> Home {
        if let Some(home) = self.moved.get(&special) {
            return *home;
        }
        // A block has at most 1,024 threads, a grid at most 2^20 blocks a side; there may be fewer.
        let sizes = self.sizes.unwrap_or(Sizes { grid: [1 << 20; 3], block: [1 << 10; 3] });
        let rows = |size: u32| u64::from(size.max(2).next_power_of_two().ilog2());
        let (launched, rows) = match special {
            Special::Tid(axis) => {
                ([Launched::TidX, Launched::TidY, Launched::TidZ][axis as usize], rows(sizes.block[axis as usize]))
            }
            Special::Ctaid(axis) => {
                ([Launched::CtaX, Launched::CtaY, Launched::CtaZ][axis as usize], rows(sizes.grid[axis as usize]))
            }
            Special::Ntid(axis) => return Home::Scalar(self.parameter(Parameter::Block(axis as usize))),
            Special::Nctaid(axis) => return Home::Scalar(self.parameter(Parameter::Grid(axis as usize))),
            Special::Lane | Special::Lanes(_) => unreachable!("`optimize::warps` has made it of the thread's number"),
        };
        let part = self.rows(rows);
        self.specials.push((launched, part.name, rows));
        self.moved.insert(special, Home::Rows(part));
        Home::Rows(part)
    }

    /// Where a value is; it gets a place when it is first asked for.
    pub fn home(&mut self, value: usize) -> Home {
        if let Some(home) = self.homes[value] {
            return home;
        }
        let bits = self.kernel.registers[self.analysis.webs.registers[value].0 as usize].ty.bits();
        let home = match self.known(value) {
            Some(home) => home,
            None if self.analysis.scalar[value] => Home::Scalar(self.scalar()),
            None => Home::Rows(self.rows(self.widths.get(value).copied().unwrap_or(bits.into()))),
        };
        self.homes[value] = Some(home);
        home
    }

    /// A place that a value has without any word: it is written once, and what is written is there already.
    fn known(&mut self, value: usize) -> Option<Home> {
        if let Some(Some(number)) = self.numbers.get(value) {
            return Some(Home::Number(*number));
        }
        let webs = &self.analysis.webs;
        if !webs.single(value) {
            return None;
        }
        let it = &self.kernel.body[webs.writers[value][0]];
        match (it.opcode, it.operands.as_slice()) {
            (Opcode::Mov, [Operand::Register(_), Operand::Special(special)]) => Some(self.special(*special)),
            (Opcode::Mov, [Operand::Register(_), Operand::Immediate(bits)]) => {
                Some(Home::Number(bits & it.ty().mask()))
            }
            (Opcode::Mov, [Operand::Register(_), Operand::Address(symbol, offset)]) => {
                Some(Home::Number(self.addresses.of(*symbol).wrapping_add(*offset as u64) & it.ty().mask()))
            }
            (Opcode::Ld, [Operand::Register(_), _]) if it.ty().bits() == 32 => {
                let offset = self.kernel.loaded(it).filter(|offset| offset.is_multiple_of(4))?;
                let register = self.kernel.registers[webs.registers[value].0 as usize].ty;
                (register.bits() == 32).then(|| Home::Scalar(self.parameter(Parameter::Word(offset))))
            }
            _ => None,
        }
    }

    /// Where the operand `index` of the instruction at work is.
    ///
    /// # Errors
    ///
    /// An operand that has no value here.
    pub fn operand(&mut self, index: usize) -> Result<Home> {
        let operand = &self.it().operands[index];
        self.operand_of(operand)
    }

    /// Where an operand of the instruction at work is.
    ///
    /// # Errors
    ///
    /// As [`Select::operand`].
    pub fn operand_of(&mut self, operand: &Operand) -> Result<Home> {
        Ok(match operand {
            Operand::Register(register) => self.read(*register),
            Operand::Predicate { register, negated: false } => self.read(*register),
            Operand::Predicate { register, negated: true } => self.opposite(*register),
            Operand::Immediate(bits) => Home::Number(*bits),
            Operand::Special(special) => self.special(*special),
            Operand::Address(symbol, offset) => Home::Number(self.addresses.of(*symbol).wrapping_add(*offset as u64)),
            Operand::Memory { .. } => match self.kernel.loaded(self.it()) {
                Some(offset) => Home::Scalar(self.parameter(Parameter::Word(offset & !3))),
                None => return self.refuse("its address is no value"),
            },
            _ => return self.refuse("such an operand"),
        })
    }

    /// Where the instruction at work finds a register.
    pub fn read(&mut self, register: RegisterId) -> Home {
        self.home(self.analysis.webs.read(self.at, register))
    }

    fn opposite(&mut self, register: RegisterId) -> Home {
        match self.read(register) {
            Home::Number(bit) => Home::Number(bit ^ 1),
            Home::Scalar(name) => {
                let d = self.scalar();
                self.emit(Code::Scalar { op: ScalarOp::Xor, d, a: Some(name), b: Value::Number(1), c: None });
                Home::Scalar(d)
            }
            Home::Rows(part) => {
                let d = self.rows(1);
                self.compute(Op::Not, 1, d, Some(part), Second::None);
                Home::Rows(d)
            }
        }
    }

    /// The rows of the instruction's result, and in which threads it is written.
    pub fn result(&mut self, register: RegisterId) -> (Part, Predicate) {
        let value = self.analysis.webs.written(self.at, register);
        let Home::Rows(part) = self.home(value) else { unreachable!("scalar results are the scalar unit's") };
        let masked = self.analysis.awaited(self.block, value) && self.without != Some(Rule::MaskedWrites);
        (part, if masked { Predicate::Active } else { Predicate::All })
    }

    /// In which threads memory is accessed.
    pub fn active(&self) -> Predicate {
        let masked = self.analysis.masks.masked[self.block] && self.without != Some(Rule::MaskedAccesses);
        if masked { Predicate::Active } else { Predicate::All }
    }

    /// Of values in scalar registers the one that the most words are between, and could be in rows.
    pub fn longest(&self, analysis: &Analysis) -> Option<usize> {
        let span = |value: &usize| {
            let Some(Home::Scalar(name)) = self.homes[*value] else { return None };
            let own = |line: &Line| {
                line.reads(&self.classes).contains(&name)
                    || line.writes(&self.classes).is_some_and(|written| written.0 == name)
            };
            let first = self.lines.iter().position(own)?;
            Some((self.lines.iter().rposition(own)? - first, *value))
        };
        let own = analysis.scalars().into_iter().filter(|value| !self.is_parameter(*value));
        own.filter_map(|value| span(&value)).max().map(|longest| longest.1)
    }

    fn is_parameter(&self, value: usize) -> bool {
        matches!(self.homes[value], Some(Home::Scalar(name)) if self.parameters.iter().any(|one| one.1 == name))
    }

    /// Selects words for an instruction.
    ///
    /// # Errors
    ///
    /// An instruction that has none, with its line.
    pub fn instruction(&mut self, at: usize) -> Result<()> {
        let it = &self.kernel.body[at];
        (self.at, self.line) = (at, it.place.line);
        let webs = &self.analysis.webs;
        if webs.passed.contains(&at) {
            return Ok(());
        }
        if let Some(Operand::Register(register)) = it.operands.first().filter(|_| it.results > 0) {
            let value = webs.written(at, *register);
            if self.known(value).is_some() {
                return Ok(());
            }
            if self.analysis.scalar[value] {
                let Home::Scalar(name) = self.home(value) else { unreachable!("it is a scalar") };
                return self.scalar_unit(name);
            }
        }
        match it.opcode {
            Opcode::Bar | Opcode::Barrier => self.barrier(),
            Opcode::Membar | Opcode::Fence => Ok(()),
            Opcode::Ld | Opcode::Ldu => self.load(),
            Opcode::St => self.store(),
            Opcode::Atom | Opcode::Red => self.atomic(),
            Opcode::Shfl => self.shuffle(),
            Opcode::Redux | Opcode::Vote => self.reduce(),
            Opcode::Setp | Opcode::Set => self.compare(),
            Opcode::Isspacep => self.is_in_space(),
            Opcode::Trap => {
                self.trap();
                Ok(())
            }
            _ if it.types.first().is_some_and(|ty| ty.is_float()) || it.types.contains(&Type::F32) => self.float(),
            _ => self.integer(),
        }
    }
}
