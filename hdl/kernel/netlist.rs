//! The typed netlist: what emitters, checks and simulators read. Immutable once elaborated.
//!
//! A netlist is a list of modules, children before parents. A module has nets; each net has one driver: an input port,
//! an expression, a register, a memory's read port, or an instance's output. Expressions form a graph without cycles
//! inside each net; every node has a width and a sign, and means exactly what the Rust expression meant.

use std::fmt;

use num_bigint::BigUint;
use rust_hdl_core::ast;
use serde::{Deserialize, Serialize};

use super::arms::Arms;
use super::mem::RamStyle;

/// A net of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NetId(pub u32);

/// An expression of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// A module of a netlist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub u32);

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// Complement of every bit.
    Not,
    /// Two's-complement negative.
    Neg,
    /// 1 if any bit is 1.
    Any,
    /// 1 if all bits are 1.
    All,
    /// Parity.
    Parity,
}

/// Operators with two operands. Both have the same width except where stated; the result of a comparison has one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Bitwise AND.
    And,
    /// Bitwise OR.
    Or,
    /// Bitwise exclusive OR.
    Xor,
    /// Sum modulo 2^width.
    Add,
    /// Difference modulo 2^width.
    Sub,
    /// Product; the result is as wide as both operands together.
    Mul,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less, signed if the operands are.
    Lt,
    /// Less or equal, signed if the operands are.
    Le,
    /// Shift up, filling with 0; the amount may have any width. 0 from the operand's width on.
    Shl,
    /// Shift down, filling with 0; the amount may have any width. 0 from the operand's width on.
    Shr,
}

/// What an expression computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// A constant.
    Const(BigUint),
    /// A net's value.
    Net(NetId),
    /// One operand.
    Unary(Unary, ExprId),
    /// Two operands.
    Binary(Binary, ExprId, ExprId),
    /// Condition ? then : else.
    Mux(ExprId, ExprId, ExprId),
    /// Bits from a fixed position up.
    Slice(ExprId, u32),
    /// Bits from a variable position up; bits beyond the operand are 0.
    Select(ExprId, ExprId),
    /// First operand, with its bits from a fixed position up replaced by the second.
    Replace(ExprId, ExprId, u32),
    /// The same with a variable position; the second operand has one bit.
    ReplaceBit(ExprId, ExprId, ExprId),
    /// More bits: copies of the sign if the operand is signed, else zeros.
    Extend(ExprId),
    /// The same bits, read with the other sign.
    Reinterpret(ExprId),
}

/// An expression with its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Width in bits, at least 1.
    pub width: u32,
    /// Two's complement.
    pub signed: bool,
}

/// Direction of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
}

/// A port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Port {
    /// Direction.
    pub direction: Direction,
    /// The net behind it, which has its name and width.
    pub net: NetId,
}

/// Where a net's value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Driver {
    /// An input port.
    Input,
    /// An expression.
    Expr(ExprId),
    /// A register of this module.
    Register(usize),
    /// A read port of a memory of this module.
    Memory(usize, usize),
    /// An output of an instance: instance, port of its module.
    Instance(usize, usize),
}

/// A net.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Net {
    /// Name, unique in the module, legal in Verilog.
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// Two's complement.
    pub signed: bool,
    /// Where its value comes from.
    pub driver: Driver,
}

/// A register: at the clock's rising edge it takes the reset value while the reset is 1, else `next` if enabled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// The net with its value.
    pub net: NetId,
    /// Value during reset; without it, the register is not reset.
    pub reset: Option<BigUint>,
    /// Takes `next` only while this is 1.
    pub enable: Option<ExprId>,
    /// Next value.
    pub next: ExprId,
}

/// How a memory port reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Read {
    /// The word at an address, at once.
    Now {
        /// Address.
        address: ExprId,
    },
    /// The word at an address as it was before the edge, from the edge on; kept while not enabled.
    Clocked {
        /// Address.
        address: ExprId,
        /// Enable.
        enable: ExprId,
    },
    /// AND over the selected words, at once.
    And {
        /// One bit for each word.
        select: ExprId,
    },
    /// NOR over the selected words, at once.
    Nor {
        /// One bit for each word.
        select: ExprId,
    },
}

/// A memory's write port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// Address.
    pub address: ExprId,
    /// Enable.
    pub enable: ExprId,
    /// Bits that take the write; without it, all.
    pub mask: Option<ExprId>,
    /// Data.
    pub data: ExprId,
}

/// A RAM or ROM.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    /// Name, unique among the module's nets and memories.
    pub name: String,
    /// Bits of a word.
    pub width: u32,
    /// Number of words. If it is a power of two, addresses count modulo it; else words beyond read as 0 and writes to
    /// them are lost.
    pub depth: usize,
    /// What synthesis should make of it.
    pub style: RamStyle,
    /// Contents of a ROM.
    pub contents: Option<Vec<BigUint>>,
    /// Read ports.
    pub reads: Vec<(NetId, Read)>,
    /// Write port; none for a ROM.
    pub write: Option<Write>,
}

/// An instance of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instance {
    /// Name, unique in the module.
    pub name: String,
    /// Which module.
    pub module: ModuleId,
    /// The net at each of its ports, in order.
    pub connections: Vec<NetId>,
}

/// A module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Module {
    /// Name with the prefix `bl_`.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// Ports besides clock and reset.
    pub ports: Vec<Port>,
    /// Nets.
    pub nets: Vec<Net>,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Registers.
    pub registers: Vec<Register>,
    /// Memories.
    pub memories: Vec<Memory>,
    /// Instances.
    pub instances: Vec<Instance>,
    /// Whether it or anything inside uses the clock.
    pub clocked: bool,
    /// Whether it or anything inside uses the reset.
    pub resettable: bool,
}

/// A design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Netlist {
    /// Modules, children before parents; the last one is the top.
    pub modules: Vec<Module>,
    /// Arms of each module's conditions; empty if they are not known.
    pub arms: Vec<Arms>,
}

impl Netlist {
    /// The top module.
    pub fn top(&self) -> &Module {
        self.modules.last().expect("a netlist has a top module")
    }

    /// A module.
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }
}

impl Module {
    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// A net.
    pub fn net(&self, id: NetId) -> &Net {
        &self.nets[id.0 as usize]
    }

    /// Every expression that is used directly: driver of a net, operand of a register or memory.
    pub fn roots(&self) -> Vec<ExprId> {
        let mut roots: Vec<ExprId> = Vec::new();
        roots.extend(self.nets.iter().filter_map(|n| match n.driver {
            Driver::Expr(e) => Some(e),
            _ => None,
        }));
        for register in &self.registers {
            roots.extend(register.enable);
            roots.push(register.next);
        }
        for memory in &self.memories {
            for (_, read) in &memory.reads {
                match *read {
                    Read::Now { address } => roots.push(address),
                    Read::Clocked { address, enable } => roots.extend([address, enable]),
                    Read::And { select } | Read::Nor { select } => roots.push(select),
                }
            }
            if let Some(w) = &memory.write {
                roots.extend([w.address, w.enable, w.data]);
                roots.extend(w.mask);
            }
        }
        roots
    }
}

/// A block that the elaborator knows by itself. Travels through rust-hdl as custom Verilog text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Primitive {
    /// `d` to `q`.
    Register {
        /// Hexadecimal.
        reset: Option<String>,
    },
    /// A register for each signal of a bundle, `d` to `q`.
    Stage {
        /// To 0.
        reset: bool,
    },
    /// One write, one clocked read.
    Ram {
        /// Words.
        depth: usize,
        /// Style.
        style: RamStyle,
    },
    /// One write, one combinational read.
    AsyncRam {
        /// Words.
        depth: usize,
    },
    /// Any set of rows at once.
    SearchRam {
        /// Words.
        depth: usize,
    },
    /// Constant words.
    Rom {
        /// Hexadecimal.
        words: Vec<String>,
        /// Clocked read.
        synchronous: bool,
    },
}

const MARK: &str = "bitline.primitive ";

impl Primitive {
    /// As the answer of `Logic::hdl`.
    pub(crate) fn to_hdl(&self) -> ast::Verilog {
        let text = serde_json::to_string(self).expect("strings and numbers always serialise");
        ast::Verilog::Custom(format!("{MARK}{text}"))
    }

    /// Reads it back; `None` if the text is not ours.
    pub(crate) fn from_hdl(text: &str) -> Option<Primitive> {
        let text = text.strip_prefix(MARK)?;
        Some(serde_json::from_str(text).expect("written by `to_hdl`"))
    }
}

impl fmt::Display for NetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}
