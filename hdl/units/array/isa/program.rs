//! How a micro-program is written: [rows](crate::array::isa::row) (one cycle each) and loops, as data.
//!
//! ```
//! use bitline_units::array::isa::assemble::assemble;
//! use bitline_units::array::isa::linear::N;
//! use bitline_units::array::isa::operation::Context;
//! use bitline_units::array::isa::program::{Program, each, once};
//! use bitline_units::array::isa::row::Operand::{A, B, D};
//! use bitline_units::array::isa::row::row;
//! use bitline_units::array::isa::uop::{Next, X, Y};
//!
//! // n times: raise rows A + J and B + J, add them and the carry, write the sum to row D + J, step J up.
//! let sum = each(N, row().a(A.j()).b(B.j()).x(X::A).y(Y::B).carry_next(Next::Majority).write(D.j()).up());
//! // Then the carry, as a row of its own.
//! let carry = once(row().write(D.j()));
//! let program = Program::new("addc", vec![sum, carry]).keep_tag();
//! // The assembler makes flow and control words of it, and counts: 8 + 1 cycles for elements of 8 bits.
//! assert_eq!(assemble(&program, Context::all()[0]).cycles(8, 0, 0), 9);
//! ```

use crate::array::isa::linear::Linear;
use crate::array::isa::row::Row;

/// How often a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Count {
    /// A linear expression of the widths; at least 1 wherever the program's guard lets it run.
    Linear(Linear),
    /// The triangular count Z.
    Triangle,
    /// n less the stride.
    StrideRest,
    /// The stride less one.
    StrideLessOne,
    /// The stride.
    Stride,
    /// Half of the stride.
    HalfStride,
    /// The effective width found by the scan.
    Width,
    /// That width less two (outer loops only).
    WidthLessTwo,
    /// That width less three (outer loops only).
    WidthLessThree,
}

impl From<Linear> for Count {
    fn from(linear: Linear) -> Count {
        Count::Linear(linear)
    }
}

impl From<i16> for Count {
    fn from(constant: i16) -> Count {
        Count::Linear(Linear::constant(constant))
    }
}

/// A piece of a micro-program.
#[derive(Clone, Debug)]
pub enum Item {
    /// Rows run in order, `count` times (inner loop; no loop inside).
    Each(Count, Vec<Row>),
    /// An outer loop.
    Outer(Count, Vec<Item>),
    /// One row.
    Once(Row),
    /// Visits the 1 bits of the key from bit 0 up: `enter`, then for each bit the body and `again`. Both rows wait for
    /// the scanner to find the next 1 bit, whose position they address by; without one, their port A rests and the loop
    /// is left.
    WhileKey {
        /// The row that opens the first pass.
        enter: Row,
        /// Every pass.
        body: Vec<Item>,
        /// The row that ends a pass and opens the next.
        again: Row,
    },
    /// The row runs; then, once the wired-OR of T after it is known, the body runs unless it is 0.
    IfAnyTag(Row, Vec<Item>),
}

/// An inner loop of one row.
pub fn each(count: impl Into<Count>, row: Row) -> Item {
    Item::Each(count.into(), vec![row])
}

/// An inner loop of several rows.
pub fn each_of(count: impl Into<Count>, rows: Vec<Row>) -> Item {
    Item::Each(count.into(), rows)
}

/// An outer loop.
pub fn outer(count: impl Into<Count>, body: Vec<Item>) -> Item {
    Item::Outer(count.into(), body)
}

/// One row.
pub fn once(row: Row) -> Item {
    Item::Once(row)
}

/// A micro-program: a table of rows with its loops and initial values.
#[derive(Clone, Debug)]
pub struct Program {
    /// For messages and listings.
    pub name: &'static str,
    /// The rows.
    pub body: Vec<Item>,
    /// C starts at 1 instead of 0. (H and D always start at 0.)
    pub carry: bool,
    /// T keeps its value instead of starting at 0.
    pub keep_tag: bool,
    /// First value of I.
    pub i: Linear,
    /// First value of Z.
    pub z: Linear,
    /// First value of the loop stride.
    pub stride: Linear,
    /// See [`Row::may_stop`].
    pub stop_if_zero: Linear,
    /// Smallest effective width that the loops can run with.
    pub min_width: Linear,
    /// The key starts as this many ones instead of the command's.
    pub key_ones: Option<Linear>,
    /// The key scanner starts with the command, not at the first keyed row.
    pub scan: bool,
}

impl Program {
    /// A program that starts with C = T = H = D = 0 and all indices 0.
    pub fn new(name: &'static str, body: Vec<Item>) -> Program {
        Program {
            name,
            body,
            carry: false,
            keep_tag: false,
            i: Linear::constant(0),
            z: Linear::constant(0),
            stride: Linear::constant(1),
            stop_if_zero: Linear::constant(1),
            min_width: Linear::constant(0),
            key_ones: None,
            scan: false,
        }
    }

    /// C starts at 1.
    #[must_use]
    pub fn with_carry(mut self) -> Program {
        self.carry = true;
        self
    }

    /// T keeps its value.
    #[must_use]
    pub fn keep_tag(mut self) -> Program {
        self.keep_tag = true;
        self
    }

    /// First value of I.
    #[must_use]
    pub fn i(mut self, i: impl Into<Linear>) -> Program {
        self.i = i.into();
        self
    }

    /// First value of Z.
    #[must_use]
    pub fn z(mut self, z: impl Into<Linear>) -> Program {
        self.z = z.into();
        self
    }

    /// First value of the loop stride (otherwise 1).
    #[must_use]
    pub fn stride(mut self, stride: impl Into<Linear>) -> Program {
        self.stride = stride.into();
        self
    }

    /// Condition of [`Row::may_stop`].
    #[must_use]
    pub fn stop_if_zero(mut self, value: impl Into<Linear>) -> Program {
        self.stop_if_zero = value.into();
        self
    }

    /// Smallest effective width.
    #[must_use]
    pub fn min_width(mut self, width: impl Into<Linear>) -> Program {
        self.min_width = width.into();
        self
    }

    /// The key starts as `count` ones.
    #[must_use]
    pub fn key_ones(mut self, count: impl Into<Linear>) -> Program {
        self.key_ones = Some(count.into());
        self
    }

    /// The key scanner starts at once.
    #[must_use]
    pub fn scan(mut self) -> Program {
        self.scan = true;
        self
    }

    /// Every row, in order, with loops left out.
    pub fn rows(&self) -> Vec<&Row> {
        fn walk<'a>(items: &'a [Item], into: &mut Vec<&'a Row>) {
            for item in items {
                match item {
                    Item::Each(_, rows) => into.extend(rows),
                    Item::Outer(_, body) => walk(body, into),
                    Item::Once(row) => into.push(row),
                    Item::WhileKey { enter, body, again } => {
                        into.push(enter);
                        walk(body, into);
                        into.push(again);
                    }
                    Item::IfAnyTag(row, body) => {
                        into.push(row);
                        walk(body, into);
                    }
                }
            }
        }
        let mut rows = Vec::new();
        walk(&self.body, &mut rows);
        rows
    }
}
