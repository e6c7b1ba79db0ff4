//! Which rows hold something that the program has put there. After power-up memory holds anything, and so do scratch
//! rows after a command: whoever reads them gets noise, which looks like a result.

use super::steps::Place;
use crate::isa::Command;
use crate::isa::operation::{Operation, Role};
use crate::isa::row::Operand;

type Text<T> = std::result::Result<T, String>;

/// What a row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// What it held at power-up.
    Anything,
    /// Data or a result.
    Data,
    /// What the command in this line has left of its intermediate values.
    Rest(usize),
}

/// The rows of an array, at a point of the program. The first chunk decides: later ones begin with more rows written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    rows: Vec<Held>,
}

impl Written {
    /// After power-up.
    pub fn new(rows: usize) -> Written {
        Written { rows: vec![Held::Anything; rows] }
    }

    /// Data are put into rows.
    pub fn load(&mut self, place: Place) {
        self.rows[place.row..][..place.kind.width as usize].fill(Held::Data);
    }

    /// `name` is read.
    ///
    /// # Errors
    /// Which of its rows hold nothing that the program has put there.
    pub fn read(&self, name: &str, place: Place) -> Text<()> {
        let width = place.kind.width as usize;
        let found = self.noise(place.row, place.row + width);
        found.map_or(Ok(()), |rows| Err(format!("{rows}: load {name} before, or write it by a command")))
    }

    /// A command that [`Command::check`] has accepted runs; `name` says what the program calls an operand.
    ///
    /// # Errors
    /// As [`Written::read`], for the operands that it reads.
    pub fn execute(
        &mut self,
        line: usize,
        command: &Command,
        operation: &Operation,
        name: &dyn Fn(Operand) -> String,
    ) -> Text<()> {
        let ranges = command.ranges(operation);
        for &(operand, role, first, end) in &ranges {
            let (read, advice) = match role {
                Role::Source => (true, format!("load {} before, or write it by a command", name(operand))),
                Role::Accumulator => {
                    let name = name(operand);
                    (true, format!("the result is added to what {name} holds, so begin with `zero d={name}`"))
                }
                Role::Result | Role::Scratch => (false, String::new()),
            };
            if let Some(rows) = self.noise(first as usize, end as usize).filter(|_| read) {
                let opcode = command.opcode;
                return Err(format!("{opcode}: {} = {}: {rows}: {advice}", operand.name(), name(operand)));
            }
        }
        // Results last: a scratch row is no result.
        for scratch in [true, false] {
            for &(_, role, first, end) in ranges.iter().filter(|range| (range.1 == Role::Scratch) == scratch) {
                let held = match role {
                    Role::Scratch => Held::Rest(line),
                    Role::Result | Role::Accumulator => Held::Data,
                    Role::Source => continue,
                };
                self.rows[first as usize..end as usize].fill(held);
            }
        }
        Ok(())
    }

    /// The first stretch of rows without data, and what they hold.
    fn noise(&self, first: usize, end: usize) -> Option<String> {
        let from = first + self.rows[first..end].iter().position(|held| *held != Held::Data)?;
        let held = self.rows[from];
        let count = self.rows[from..end].iter().take_while(|other| **other == held).count();
        let rows =
            if count == 1 { format!("row {from} holds") } else { format!("rows {from} to {} hold", from + count - 1) };
        Some(match held {
            Held::Rest(line) => format!("{rows} intermediate values of the command in line {line}"),
            _ => format!("{rows} what was there at power-up, which can be anything"),
        })
    }
}
