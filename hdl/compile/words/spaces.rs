//! Which space a generic address is in: `isspacep`.
//!
//! The window of shared memory ends with the frames of local memory, and constants are a piece of global memory, as
//! are parameters, which count as global: each space is what lies between two addresses. (One behind the last variable
//! of a space may be in the next, and of 64-bit addresses the upper half is not looked at.)

use std::ops::Range;

use bitline_units::array::isa::Opcode as Op;
use bitline_units::duality::isa::codes::Predicate;

use super::code::{Part, Second};
use super::scalar::SHARED_WINDOW;
use super::select::{Home, Select};
use crate::error::Result;
use crate::ptx::types::Space;

impl Select<'_> {
    /// The constants of the module, wherever global memory has them.
    fn constants(&self) -> Range<u32> {
        let variables = self.module.variables.iter().zip(&self.addresses.module);
        let own = variables.filter(|(variable, _)| variable.space == Space::Const);
        let ends = own.map(|(variable, from)| (*from as u32, (from + variable.bytes()) as u32));
        ends.reduce(|all, own| (all.0.min(own.0), all.1.max(own.1))).map_or(0..0, |(from, to)| from..to)
    }

    /// The parameters of the kernel, if they are in memory.
    fn parameters(&self) -> Range<u32> {
        let addresses = &self.addresses.parameters;
        let (Some(from), Some(last)) = (addresses.first(), self.kernel.parameters.last()) else { return 0..0 };
        *from as u32..(from + last.offset + last.bytes()) as u32
    }

    /// Whether an address is at or behind a number.
    fn behind(&mut self, address: Part, from: u32) -> Part {
        let (t, from) = (self.rows(1), self.second(Home::Number(from.into()), 32));
        self.compute(Op::GeU, 32, t, Some(address), from);
        t
    }

    /// Whether it is at or behind the first, and not the second.
    fn between(&mut self, address: Part, range: Range<u32>) -> Part {
        let [from, to] = [range.start, range.end].map(|at| self.behind(address, at));
        let before = self.opposite_of(to);
        let t = self.rows(1);
        self.compute(Op::And, 1, t, Some(from), Second::Rows(before));
        t
    }

    fn opposite_of(&mut self, row: Part) -> Part {
        let t = self.rows(1);
        self.compute(Op::Not, 1, t, Some(row), Second::None);
        t
    }

    /// `isspacep`, of the lower 32 bits of an address.
    ///
    /// # Errors
    ///
    /// An operand that no words have, with its line.
    pub fn is_in_space(&mut self) -> Result<()> {
        let home = self.operand(1)?;
        let address = self.in_rows(home, 32);
        let (constants, parameters, has_frames) = (self.constants(), self.parameters(), self.kernel.frame() > 0);
        let frames = SHARED_WINDOW + self.addresses.frames as u32;
        let found = match self.it().space {
            Some(Space::Shared) if has_frames => self.between(address, SHARED_WINDOW..frames),
            Some(Space::Shared) => self.behind(address, SHARED_WINDOW),
            Some(Space::Local) if has_frames => self.behind(address, frames),
            Some(Space::Param) if !parameters.is_empty() => self.between(address, parameters),
            Some(Space::Const) if !constants.is_empty() => self.between(address, constants),
            Some(Space::Global) => {
                let mut elsewhere = self.behind(address, SHARED_WINDOW);
                if !constants.is_empty() {
                    let (window, own) = (elsewhere, self.between(address, constants));
                    elsewhere = self.rows(1);
                    self.compute(Op::Or, 1, elsewhere, Some(window), Second::Rows(own));
                }
                self.opposite_of(elsewhere)
            }
            _ => {
                let none = self.rows(1);
                self.fill(none, Home::Number(0), Predicate::All);
                none
            }
        };
        self.extended(found)
    }
}
