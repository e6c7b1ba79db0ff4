//! Model of the check of instructions on lines, from its contract.

use bitline_units::duality::lines::LineInstruction;
use bitline_units::parts::cache_ops::{CacheOp, control};

use crate::state::{Path, Walk};

/// What an operation does with operands that are lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineKind {
    /// Operand a is read.
    pub a: bool,
    /// Operand b is, line by line.
    pub b: bool,
    /// Operand b is a line to which all others are compared.
    pub key: bool,
    /// Operand d is written.
    pub d: bool,
    /// It gives a bit for each word.
    pub gives: bool,
}

impl LineKind {
    /// What the operation with this code does; nothing if there is none.
    pub fn of(code: u8) -> LineKind {
        let op = CacheOp::from_code(code);
        let has = |bit| op.is_some_and(|op| op.has(bit));
        LineKind {
            a: has(control::A),
            b: has(control::B),
            key: has(control::KEY),
            d: has(control::D),
            gives: has(control::MASK),
        }
    }
}

/// The check: it keeps nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Check;

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckOutputs {
    /// What the operation does with its operands.
    pub kind: LineKind,
    /// Its words have a granularity.
    pub has_grain: bool,
    /// Lines of each operand, of a legal instruction.
    pub lines: Option<u16>,
    /// What is wrong, or 0, and what with.
    pub code: u8,
    /// See `code`.
    pub about: u32,
}

impl Check {
    /// What is shown of an instruction.
    pub fn step(&mut self, CheckInputs(instruction): &CheckInputs) -> CheckOutputs {
        let checked = instruction.check();
        let (code, about) = checked.map_or_else(|(code, about)| (code as u8, about), |_| (0, 0));
        CheckOutputs {
            kind: LineKind::of(instruction.op),
            has_grain: CacheOp::from_code(instruction.op).is_some_and(|op| op.has(control::GRAIN)),
            lines: checked.ok().map(|(_, lines)| lines as u16),
            code,
            about,
        }
    }

    /// Nothing is kept.
    pub fn reset(&mut self) {}

    /// No register stands for anything.
    pub fn state<W: Walk>(&self, _at: &Path<'_>, to: W) -> W {
        to
    }
}

/// An instruction, as the check gets it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckInputs(pub LineInstruction);

state! {
    LineKind(self) {
        self => a, b, key, d, gives;
    }

    CheckInputs(self) {
        self.0 => op, grain, a, b, d, size;
    }

    CheckOutputs(self) {
        bus kind = self.kind;
        self => has_grain, lines, code, about;
    }
}
