//! What the parser hands on: a module with its kernels, names resolved and types checked.

use super::lower::Lower;
use super::table::Opcode;
use super::types::{Space, Type, Words};
use crate::error::Place;

/// A PTX file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// File name or description of the text, for messages.
    pub origin: String,
    /// `.version`: major, minor.
    pub version: (u32, u32),
    /// `.target`: the architecture and options.
    pub target: Vec<String>,
    /// `.address_size`: 32 or 64 bits.
    pub address_size: u32,
    /// Variables outside of kernels.
    pub variables: Vec<Variable>,
    /// The kernels, in the order of the file.
    pub kernels: Vec<Kernel>,
}

/// A variable in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it lies.
    pub space: Space,
    /// The type of an element.
    pub element: Type,
    /// Elements; 1 for a scalar, none for `extern` memory whose size the launch says.
    pub count: Option<u64>,
    /// Bytes of which its address is a multiple.
    pub align: u64,
    /// What it holds at first, in bytes; zeros from the end of this on.
    pub initial: Vec<u8>,
}

impl Variable {
    /// Its bytes; 0 where the launch says.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count.unwrap_or(0).saturating_mul(self.element.bytes())
    }
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The type of an element.
    pub ty: Type,
    /// Elements, for a structure.
    pub count: Option<u64>,
    /// Bytes of which its offset is a multiple.
    pub align: u64,
    /// Its offset in the parameter space, in bytes.
    pub offset: u64,
    /// For a pointer, the memory that it leads to, if the text says so.
    pub space: Option<Space>,
}

impl Parameter {
    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count.unwrap_or(1).saturating_mul(self.ty.bytes())
    }
}

/// A register, as an index into [`Kernel::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisterId(pub u32);

/// A declared register that the kernel uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// `%r1`
    pub name: String,
    /// Its declared type.
    pub ty: Type,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// What it is called with.
    pub parameters: Vec<Parameter>,
    /// Registers that it uses.
    pub registers: Vec<Register>,
    /// Variables of its own, shared and local.
    pub variables: Vec<Variable>,
    /// Limits on threads of a block: `.maxntid` and `.reqntid`.
    pub most_threads: Option<[u32; 3]>,
    /// Exact block, if asked for: `.reqntid`.
    pub exact_threads: Option<[u32; 3]>,
    /// Its instructions.
    pub body: Vec<Instruction>,
    /// Names of instructions: the index of the one that follows the label, or the body's length.
    pub labels: Vec<(String, usize)>,
    /// What parameters of 64 bits are taken for, of which addresses are made, by their offsets. A pass finds that; no
    /// text has it.
    pub lower: Vec<(u64, Lower)>,
    /// Where it begins.
    pub place: Place,
}

/// Threads of a warp: neighbours by their numbers in the block, x first.
pub const WARP: u32 = 32;

/// Shared variable of a kernel whose warps exchange values: a word for each thread. No text can name it.
pub const EXCHANGE: &str = "%warps";

/// Shared variable of a kernel whose threads have frames for local memory: the bytes of one. No text can name it.
pub const FRAMES: &str = "%frames";

impl Kernel {
    /// The offset of the parameter that an instruction loads, if it does and that is known.
    #[must_use]
    pub fn loaded(&self, it: &Instruction) -> Option<u64> {
        match (it.opcode, it.space, it.operands.get(1)) {
            (Opcode::Ld, Some(Space::Param), Some(Operand::Memory { base, offset })) => match base {
                Base::Symbol(Symbol::Parameter(index)) => {
                    Some(self.parameters[*index].offset.wrapping_add(*offset as u64))
                }
                Base::Absolute => Some(*offset as u64),
                _ => None,
            },
            _ => None,
        }
    }

    /// Bytes of a thread's frame in shared memory.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.variables.iter().find(|variable| variable.name == FRAMES).map_or(0, Variable::bytes)
    }

    /// The variable through which warps exchange values.
    #[must_use]
    pub fn exchange(&self) -> Option<Symbol> {
        self.variables.iter().position(|variable| variable.name == EXCHANGE).map(Symbol::Kernel)
    }
}

/// A coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// `.x`
    X,
    /// `.y`
    Y,
    /// `.z`
    Z,
}

/// A register that the launch sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// `%tid`: the thread's place in its block.
    Tid(Axis),
    /// `%ntid`: threads of a block.
    Ntid(Axis),
    /// `%ctaid`: the block's place in the grid.
    Ctaid(Axis),
    /// `%nctaid`: blocks of the grid.
    Nctaid(Axis),
    /// `%laneid`: the thread's place among the 32 of its warp.
    Lane,
    /// `%lanemask_lt` and its kin: a bit for each lane that is so to the thread's own.
    Lanes(Lanes),
}

/// Lanes of a warp by their place to a thread's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lanes {
    /// The thread's own.
    Own,
    /// Those below.
    Below,
    /// Those below, and its own.
    UpTo,
    /// Those above.
    Above,
    /// Those above, and its own.
    From,
}

impl Lanes {
    /// All, with what stands behind `%lanemask_`.
    pub(crate) const ALL: [(&str, Lanes); 5] =
        [("eq", Lanes::Own), ("lt", Lanes::Below), ("le", Lanes::UpTo), ("gt", Lanes::Above), ("ge", Lanes::From)];

    /// The bits, of a lane from 0 to 31.
    #[must_use]
    pub fn mask(self, lane: u32) -> u32 {
        let below = (1 << lane) - 1;
        match self {
            Lanes::Own => 1 << lane,
            Lanes::Below => below,
            Lanes::UpTo => below | 1 << lane,
            Lanes::Above => !below & !(1 << lane),
            Lanes::From => !below,
        }
    }
}

impl Special {
    /// As PTX has it.
    #[must_use]
    pub fn name(self) -> String {
        let (name, axis) = match self {
            Special::Tid(axis) => ("tid", axis),
            Special::Ntid(axis) => ("ntid", axis),
            Special::Ctaid(axis) => ("ctaid", axis),
            Special::Nctaid(axis) => ("nctaid", axis),
            Special::Lane => return "%laneid".into(),
            Special::Lanes(lanes) => {
                let name = Lanes::ALL.iter().find(|(_, other)| *other == lanes).map_or("", |(name, _)| name);
                return format!("%lanemask_{name}");
            }
        };
        format!("%{name}.{}", ["x", "y", "z"][axis as usize])
    }
}

/// A variable or parameter by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// Index into [`Module::variables`].
    Module(usize),
    /// Index into [`Kernel::variables`].
    Kernel(usize),
    /// Index into [`Kernel::parameters`].
    Parameter(usize),
}

/// Where an address begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A register of the module's address size.
    Register(RegisterId),
    /// The sum of two registers of 32 bits. No text has it: a pass leaves it to words of memory.
    Sum(RegisterId, RegisterId),
    /// A variable or parameter.
    Symbol(Symbol),
    /// A number.
    Absolute,
}

/// What an instruction works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Register(RegisterId),
    /// A predicate, perhaps its complement.
    Predicate {
        /// The register.
        register: RegisterId,
        /// Whether `!` stands before it.
        negated: bool,
    },
    /// `p|q`: a predicate and its complement's place; behind `shfl` the result and whether its source was in range.
    Pair(RegisterId, RegisterId),
    /// Bits of the operand's type.
    Immediate(u64),
    /// A register that the launch sets.
    Special(Special),
    /// The address of a variable, plus bytes.
    Address(Symbol, i64),
    /// `[base + offset]`
    Memory {
        /// Where it begins.
        base: Base,
        /// Bytes from there.
        offset: i64,
    },
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `_`: the result is not wanted.
    Nothing,
    /// An index into [`Kernel::labels`].
    Label(usize),
}

/// The predicate under which an instruction is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub register: RegisterId,
    /// Whether it must be false.
    pub negated: bool,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub opcode: Opcode,
    /// As written, with its suffix.
    pub spelling: String,
    /// Words of the suffix that are neither type nor space.
    pub words: Words,
    /// Types of the suffix, in order.
    pub types: Vec<Type>,
    /// The state space, where the suffix names one.
    pub space: Option<Space>,
    /// The predicate under which it is done.
    pub guard: Option<Guard>,
    /// Its operands, as written.
    pub operands: Vec<Operand>,
    /// How many of them are written; 0 or 1, a vector or a pair counting as one.
    pub results: usize,
    /// Where it stands.
    pub place: Place,
    /// File number and line of the source that it comes from, if `.loc` says so.
    pub source: Option<(u32, u32)>,
}

impl Operand {
    /// Registers of the operand, those of an address included.
    pub fn registers(&self) -> Vec<RegisterId> {
        match self {
            Operand::Register(register) | Operand::Predicate { register, .. } => vec![*register],
            Operand::Pair(first, second) => vec![*first, *second],
            Operand::Memory { base: Base::Register(register), .. } => vec![*register],
            Operand::Memory { base: Base::Sum(first, second), .. } => vec![*first, *second],
            Operand::Vector(parts) => parts.iter().flat_map(Operand::registers).collect(),
            _ => Vec::new(),
        }
    }
}

impl Instruction {
    /// The first type of the suffix.
    ///
    /// # Panics
    ///
    /// Where the instruction has none, such as a jump.
    #[must_use]
    pub fn ty(&self) -> Type {
        self.types[0]
    }

    /// Registers that it writes.
    pub fn writes(&self) -> Vec<RegisterId> {
        self.operands[..self.results].iter().flat_map(Operand::registers).collect()
    }

    /// Registers that it reads, its guard's first.
    pub fn reads(&self) -> Vec<RegisterId> {
        let guard = self.guard.iter().map(|guard| guard.register);
        guard.chain(self.operands[self.results..].iter().flat_map(Operand::registers)).collect()
    }

    /// Whether what stands behind it comes next in any case.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.target().is_none() && !self.ends()
    }

    /// Where it jumps to: an index into [`Kernel::labels`].
    #[must_use]
    pub fn target(&self) -> Option<usize> {
        match (self.opcode, self.operands.first()) {
            (Opcode::Bra, Some(Operand::Label(label))) => Some(*label),
            _ => None,
        }
    }

    /// Whether the thread ends here.
    #[must_use]
    pub fn ends(&self) -> bool {
        matches!(self.opcode, Opcode::Ret | Opcode::Exit)
    }
}

impl Module {
    /// The variable that a symbol of `kernel` names; none for parameters.
    #[must_use]
    pub fn variable<'m>(&'m self, kernel: &'m Kernel, symbol: Symbol) -> Option<&'m Variable> {
        match symbol {
            Symbol::Module(index) => self.variables.get(index),
            Symbol::Kernel(index) => kernel.variables.get(index),
            Symbol::Parameter(_) => None,
        }
    }
}
