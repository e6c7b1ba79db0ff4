//! Commands: what enters the command port, and why one may be refused.

use std::fmt;
use std::sync::Arc;

use crate::array::isa::linear::{Linear, Term};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Context, Operation, Role};
use crate::array::isa::row::Operand;
use crate::array::params::{Memory, Params, Sensing};
use crate::error::{Error, Result};

/// A macro-operation with its operands. Rows that an operation does not use are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Command {
    /// What to compute.
    pub opcode: Opcode,
    /// Which micro-programs.
    pub set: Set,
    /// Width n of the elements in bits, 1 to 64.
    pub width: u8,
    /// Second width m (shift amount, accumulator), 0 to 127.
    pub second: u8,
    /// First row of the first source.
    pub a: u16,
    /// First row of the second source.
    pub b: u16,
    /// First row of the destination.
    pub d: u16,
    /// First row of the second destination, or the tag row.
    pub e: u16,
    /// First scratch row.
    pub s: u16,
    /// Search key or constant factor.
    pub key: u64,
}

/// Why the hardware refuses a command. 0 means no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ErrorCode {
    /// The opcode does not exist, or the micro-program set is not in this design.
    Opcode = 1,
    /// The operation needs a column latch that this design lacks.
    Latch = 2,
    /// The width n is 0, above 64, or not legal for the operation.
    Width = 3,
    /// The second width m is not legal for the operation.
    SecondWidth = 4,
    /// An operand reaches beyond the last row.
    Rows = 5,
    /// Two operands that must not share rows do.
    Overlap = 6,
    /// A command was pushed into a full queue (register port only).
    Overflow = 7,
    /// A transfer has no element, or more than the array has columns.
    Count = 8,
    /// A transfer leaves the address space.
    Address = 9,
    /// Memory answered SLVERR.
    Slave = 10,
    /// Memory answered DECERR: nothing is at the address.
    Decode = 11,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [ErrorCode; 11] = [
        ErrorCode::Opcode,
        ErrorCode::Latch,
        ErrorCode::Width,
        ErrorCode::SecondWidth,
        ErrorCode::Rows,
        ErrorCode::Overlap,
        ErrorCode::Overflow,
        ErrorCode::Count,
        ErrorCode::Address,
        ErrorCode::Slave,
        ErrorCode::Decode,
    ];

    /// Those that the compute unit's own setup finds.
    pub const OF_SETUP: [ErrorCode; 6] = [
        ErrorCode::Opcode,
        ErrorCode::Latch,
        ErrorCode::Width,
        ErrorCode::SecondWidth,
        ErrorCode::Rows,
        ErrorCode::Overlap,
    ];

    /// The encoding.
    pub const fn code(self) -> u64 {
        self as u64
    }

    /// The error with this encoding.
    pub fn from_code(code: u64) -> Option<ErrorCode> {
        ErrorCode::ALL.into_iter().find(|e| e.code() == code)
    }

    /// Name in headers and registers.
    pub fn name(self) -> &'static str {
        match self {
            ErrorCode::Opcode => "opcode",
            ErrorCode::Latch => "latch",
            ErrorCode::Width => "width",
            ErrorCode::SecondWidth => "second_width",
            ErrorCode::Rows => "rows",
            ErrorCode::Overlap => "overlap",
            ErrorCode::Overflow => "overflow",
            ErrorCode::Count => "count",
            ErrorCode::Address => "address",
            ErrorCode::Slave => "slave",
            ErrorCode::Decode => "decode",
        }
    }

    /// One line for documentation.
    pub fn description(self) -> &'static str {
        match self {
            ErrorCode::Opcode => "unknown opcode, or a micro-program set that is not in this design",
            ErrorCode::Latch => "the operation needs a column latch that this design lacks",
            ErrorCode::Width => "width 0, above 64, or not legal for the operation",
            ErrorCode::SecondWidth => "second width not legal for the operation",
            ErrorCode::Rows => "an operand reaches beyond the last row",
            ErrorCode::Overlap => "operands that must not share rows do",
            ErrorCode::Overflow => "a command was written while the queue was full",
            ErrorCode::Count => "a transfer has no element, or more than the array has columns",
            ErrorCode::Address => "a transfer leaves the address space",
            ErrorCode::Slave => "memory answered SLVERR",
            ErrorCode::Decode => "memory answered DECERR: nothing is at the address",
        }
    }
}

impl Command {
    /// A command of the fast set with all rows 0.
    pub fn new(opcode: Opcode, width: u8) -> Command {
        Command { opcode, set: Set::Fast, width, second: 0, a: 0, b: 0, d: 0, e: 0, s: 0, key: 0 }
    }

    /// Its fields as the signals of a unit's command port have them, besides `cmd_valid` and `cmd_ready`.
    pub fn signals(&self) -> [(&'static str, u64); 10] {
        [
            ("cmd_op", self.opcode.code()),
            ("cmd_set", self.set as u64),
            ("cmd_width", self.width.into()),
            ("cmd_second", self.second.into()),
            ("cmd_a", self.a.into()),
            ("cmd_b", self.b.into()),
            ("cmd_d", self.d.into()),
            ("cmd_e", self.e.into()),
            ("cmd_s", self.s.into()),
            ("cmd_key", self.key),
        ]
    }

    /// First row of an operand.
    pub fn row(&self, operand: Operand) -> u16 {
        match operand {
            Operand::A => self.a,
            Operand::B => self.b,
            Operand::D => self.d,
            Operand::E => self.e,
            Operand::S => self.s,
        }
    }

    /// First and one-past-last row of every operand of the operation.
    #[inline]
    pub fn ranges(&self, operation: &Operation) -> Vec<(Operand, Role, u32, u32)> {
        let (n, m) = (self.width.into(), self.second.into());
        let ends = operation.extents.iter().map(|e| {
            let first = u32::from(self.row(e.operand));
            (e.operand, e.role, first, first + e.rows.value(n, m).max(0) as u32)
        });
        ends.collect()
    }

    /// Checks the command as the hardware will: same rules, same order.
    ///
    /// # Errors
    /// [`Error::Command`] with the hardware's code and the names and values behind it.
    #[inline]
    pub fn check(&self, params: &Params) -> Result<Arc<Operation>> {
        let n = self.width;
        if !(1..=64).contains(&n) {
            return self.refused(ErrorCode::Width, format!("width = {n}: must be 1 to 64"));
        }
        self.known(params)?;
        let operation = Operation::of(self.opcode, Context::of(params, self.set));
        self.fits(&operation, params)?;
        Ok(operation)
    }

    /// Whether the design has the command's set and operation.
    ///
    /// # Errors
    /// As [`Command::check`].
    #[inline]
    pub fn known(&self, params: &Params) -> Result<()> {
        if !params.sets.contains(&self.set) {
            return self.refused(ErrorCode::Opcode, format!("set {} is not in design {}", self.set, params.name));
        }
        if !params.knows(self.opcode) {
            let reason = if self.opcode.is_custom() {
                format!("design {} does not have it (custom = [\"{}\"] adds it)", params.name, self.opcode)
            } else if self.opcode.is_unpacked() && params.float {
                format!("design {} has no unpacked numbers (unpacked = true adds them)", params.name)
            } else {
                format!("design {} has no floating point (float = true adds it)", params.name)
            };
            return self.refused(ErrorCode::Opcode, reason);
        }
        Ok(())
    }

    /// Checks the command against the description of its operation: all of [`Command::check`] that the description
    /// decides.
    ///
    /// # Errors
    /// As [`Command::check`].
    #[inline]
    pub fn fits(&self, operation: &Operation, params: &Params) -> Result<()> {
        let refuse = |code, reason| self.refused(code, reason);
        let n = i32::from(self.width);
        if let Some(latch) = operation.latches().iter().find(|&&l| !params.has(l)) {
            return refuse(ErrorCode::Latch, format!("needs latch {latch:?}, which design {} lacks", params.name));
        }
        let (low, high) = operation.widths;
        let m = i32::from(self.second);
        if !(low..=high).contains(&self.width) {
            return refuse(ErrorCode::Width, operation.width_rule(self.width));
        }
        if operation.formats {
            let Some((wanted, _)) = operation.seconds(self.width) else {
                return refuse(ErrorCode::Width, operation.width_rule(self.width));
            };
            if m != wanted {
                let reason = format!("second width = {m}: must be {wanted}, the format's exponent bits, n = {n}");
                return refuse(ErrorCode::SecondWidth, reason);
            }
        }
        if let Some((low, high)) = operation.second {
            if m < low.value(n, m) || m > high.value(n, m) {
                return refuse(ErrorCode::SecondWidth, format!("second width = {m}: must be {low} to {high}, n = {n}"));
            }
        }
        let ranges = self.ranges(operation);
        for &(operand, _, first, end) in &ranges {
            if end as usize > params.rows {
                let reason = format!(
                    "{} = rows {first} to {}: the array has {} rows",
                    operand.name(),
                    end.saturating_sub(1),
                    params.rows
                );
                return refuse(ErrorCode::Rows, reason);
            }
        }
        let range = |operand| ranges.iter().find(|r| r.0 == operand).map(|r| (r.2, r.3));
        for rule in &operation.disjoint {
            let (Some(p), Some(q)) = (range(rule.first), range(rule.second)) else {
                continue;
            };
            let apart = p.1 <= q.0 || q.1 <= p.0 || (rule.same_start && p.0 == q.0);
            if !apart {
                let (first, second) = (rule.first.name(), rule.second.name());
                let but = if rule.same_start { " unless they start at the same row" } else { "" };
                return refuse(
                    ErrorCode::Overlap,
                    format!(
                        "{first} = rows {} to {} and {second} = rows {} to {} must not overlap{but}",
                        p.0,
                        p.1.saturating_sub(1),
                        q.0,
                        q.1.saturating_sub(1)
                    ),
                );
            }
        }
        // The hardware notices last that it has no micro-program for such a width.
        if operation.power_of_two && !self.width.is_power_of_two() {
            return refuse(ErrorCode::Width, operation.width_rule(self.width));
        }
        Ok(())
    }

    fn refused<T>(&self, code: ErrorCode, reason: String) -> Result<T> {
        Err(Error::Command { command: self.to_string(), code: code as u8, reason })
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} n={} m={}", self.opcode, self.set, self.width, self.second)?;
        for operand in Operand::ALL {
            write!(f, " {}={}", operand.name(), self.row(operand))?;
        }
        write!(f, " key={:#x}", self.key)
    }
}

impl Context {
    /// The hardware that `params` describes, with the micro-programs of `set`.
    pub fn of(params: &Params, set: Set) -> Context {
        Context {
            sensing: params.sensing,
            memory: params.memory,
            set,
            radix: params.radix,
            exception_flags: params.exception_flags,
        }
    }

    /// Every combination of sensing, memory, radix and set.
    pub fn all() -> Vec<Context> {
        let mut all = Vec::new();
        for sensing in Sensing::ALL {
            for memory in Memory::ALL {
                let radices: &[u8] = if sensing == Sensing::TwoPort { &[2, 4] } else { &[2] };
                for &radix in radices {
                    all.extend(Set::ALL.map(|set| Context { sensing, memory, set, radix, exception_flags: false }));
                }
            }
        }
        all
    }
}

impl Operation {
    /// The terms that its expressions use besides n, for documentation.
    pub fn uses_second_width(&self) -> bool {
        let uses = |l: &Linear| l.term == Term::M || l.term == Term::MinusM;
        self.has_second() || self.extents.iter().filter_map(|e| e.rows.linear()).any(|linear| uses(&linear))
    }
}
