//! How the description of an operation is written.

use std::sync::OnceLock;

use super::{Condition, Disjoint, Extent, Formula, Operation, Role, Variant};
use crate::array::isa::format::FORMATS;
use crate::array::isa::linear::Linear;
use crate::array::isa::opcode::Opcode;
use crate::array::isa::program::Program;
use crate::array::isa::row::Operand;
use crate::array::isa::rows::Rows;

impl Operation {
    /// A bare description with widths 1 to 64, without operands and micro-program. How to go on is shown in
    /// [`crate::array::isa::custom`].
    pub fn new(opcode: Opcode, formula: Formula) -> Operation {
        Operation {
            opcode,
            widths: (1, 64),
            power_of_two: false,
            second: None,
            formats: false,
            extents: Vec::new(),
            disjoint: Vec::new(),
            largest: 64,
            variants: Vec::new(),
            formula,
            flushed: None,
            counted: None,
            needed: OnceLock::new(),
        }
    }

    /// Widths from `low` to `high`.
    #[must_use]
    pub fn widths(mut self, low: u8, high: u8) -> Operation {
        self.widths = (low, high);
        self
    }

    /// Widths are powers of two.
    #[must_use]
    pub fn powers_of_two(mut self) -> Operation {
        self.power_of_two = true;
        self
    }

    /// A second width m from `low` to `high`, at the width n.
    #[must_use]
    pub fn second(mut self, low: impl Into<Linear>, high: impl Into<Linear>) -> Operation {
        self.second = Some((low.into(), high.into()));
        self
    }

    /// Widths are those of formats.
    pub(crate) fn formats(mut self) -> Operation {
        let widths = || FORMATS.iter().map(|format| format.n());
        self.widths = (widths().min().expect("there are formats"), widths().max().expect("there are formats"));
        self.formats = true;
        self
    }

    /// An operand that is read and survives.
    ///
    /// # Panics
    /// As [`Operation::result`] and its kin: if the operand is there already.
    #[must_use]
    pub fn source(self, operand: Operand, rows: impl Into<Linear>) -> Operation {
        self.extent(operand, rows, Role::Source)
    }

    /// An operand that is written.
    #[must_use]
    pub fn result(self, operand: Operand, rows: impl Into<Linear>) -> Operation {
        self.extent(operand, rows, Role::Result)
    }

    /// An operand that is read, then written.
    #[must_use]
    pub fn accumulator(self, operand: Operand, rows: impl Into<Linear>) -> Operation {
        self.extent(operand, rows, Role::Accumulator)
    }

    /// Rows of s that hold nothing afterwards.
    #[must_use]
    pub fn scratch(self, rows: impl Into<Rows>) -> Operation {
        self.extent(Operand::S, rows, Role::Scratch)
    }

    fn extent(mut self, operand: Operand, rows: impl Into<Rows>, role: Role) -> Operation {
        assert!(self.extents.iter().all(|e| e.operand != operand), "operand {operand:?} twice");
        self.extents.push(Extent { operand, rows: rows.into(), role });
        self
    }

    /// Forbids the operands to share rows.
    #[must_use]
    pub fn apart(mut self, first: Operand, second: Operand) -> Operation {
        self.disjoint.push(Disjoint { first, second, same_start: false });
        self
    }

    /// Forbids the operands to share rows unless they start at the same one.
    #[must_use]
    pub fn apart_or_same(mut self, first: Operand, second: Operand) -> Operation {
        self.disjoint.push(Disjoint { first, second, same_start: true });
        self
    }

    /// Forbids every operand that is written to share rows with any other, except where a rule exists already.
    #[must_use]
    pub fn all_apart(mut self) -> Operation {
        for i in 0..self.extents.len() {
            for j in 0..i {
                let (p, q) = (self.extents[i], self.extents[j]);
                let ruled = self
                    .disjoint
                    .iter()
                    .any(|d| [(d.first, d.second), (d.second, d.first)].contains(&(p.operand, q.operand)));
                if !ruled && (p.role != Role::Source || q.role != Role::Source) {
                    self.disjoint.push(Disjoint { first: q.operand, second: p.operand, same_start: false });
                }
            }
        }
        self
    }

    /// A micro-program that runs where all conditions hold and none before it did.
    #[must_use]
    pub fn variant(mut self, when: &[Condition], program: Program) -> Operation {
        self.variants.push(Variant { when: when.to_vec(), program });
        self
    }

    /// A micro-program that runs where none before it did.
    #[must_use]
    pub fn program(self, program: Program) -> Operation {
        self.variant(&[], program)
    }
}
