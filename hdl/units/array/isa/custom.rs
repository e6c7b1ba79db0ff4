//! Operations of the library's user: described and registered in a program of one's own, without a change of this
//! library.
//!
//! A registered operation has one of six opcodes ([`Opcode::CUSTOM`]). It is in designs that name it (parameter
//! `custom`): in their ROMs, C header, documents, test vectors and campaigns, in `sim run` and `host`, as if it stood
//! in the library's own list. The hardware stays as it is.
//!
//! ```
//! use bitline_units::array::isa::custom::Custom;
//! use bitline_units::array::isa::element::Outputs;
//! use bitline_units::array::isa::linear::N;
//! use bitline_units::array::isa::operation::Operation;
//! use bitline_units::array::isa::program::{Program, each};
//! use bitline_units::array::isa::row::Operand::{A, D};
//! use bitline_units::array::isa::row::row;
//! use bitline_units::array::isa::uop::{Next, Y};
//! use bitline_units::array::isa::{Command, Opcode};
//! use bitline_units::array::params::Params;
//! use bitline_units::array::presets::preset;
//!
//! # fn main() -> bitline_units::error::Result<()> {
//! let increment = Custom {
//!     opcode: Opcode::Custom0,
//!     name: "increment",
//!     meaning: "d ← a + 1.",
//!     signed: false,
//!     // n times: raise row A + J, add the carry, which begins as 1, write the sum to row D + J, step J up.
//!     operation: |opcode, _| {
//!         let row = row().b(A.j()).y(Y::B).carry_next(Next::Majority).write(D.j()).up();
//!         let program = Program::new("increment", vec![each(N, row)]).with_carry().keep_tag();
//!         Some(Operation::new(opcode, |n, _| n).source(A, N).result(D, N).apart_or_same(A, D).program(program))
//!     },
//!     arithmetic: |n, _, _, inputs| {
//!         let sum = (u128::from(inputs.a) + 1) & ((1 << n) - 1);
//!         Outputs { d: Some((sum, n)), ..Outputs::default() }
//!     },
//! };
//! let increment = increment.register()?;
//! let params = Params { custom: vec![increment], ..preset("tiny")? };
//! params.check()?;
//! let command = Command { a: 0, d: 8, ..Command::new(increment, 8) };
//! assert_eq!(command.check(&params)?.cycles(8, 0), 8);
//! // A design that does not name it refuses it.
//! assert!(command.check(&preset("tiny")?).is_err());
//! # Ok(())
//! # }
//! ```

mod check;

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::array::isa::element::{Inputs, Outputs};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::transfer;
use crate::error::{Error, Result};

/// What an operation asks and does on some hardware; `None` where it has no micro-program for it.
pub type Describe = fn(Opcode, Context) -> Option<Operation>;
/// What an operation computes in a column, from its widths n and m, the key and what the column holds; in plain
/// integers, for it is what simulations, campaigns and test vectors check the hardware against.
pub type Arithmetic = fn(u32, u32, u64, Inputs) -> Outputs;

/// An operation of the library's user.
#[derive(Clone, Copy, Debug)]
pub struct Custom {
    /// Its opcode, one of [`Opcode::CUSTOM`]: part of the design, so chosen, not handed out.
    pub opcode: Opcode,
    /// Its name in program files, headers and documents: a letter, then letters, digits and _, all small.
    pub name: &'static str,
    /// What it computes, in a line; with `T ←` in it if T is a result.
    pub meaning: &'static str,
    /// Whether operands are two's-complement numbers.
    pub signed: bool,
    /// Its description on a kind of hardware.
    pub operation: Describe,
    /// What it computes.
    pub arithmetic: Arithmetic,
}

/// Longest name: as waves show it.
const NAME: usize = 15;

/// Words that statements of program files begin with, besides operations.
pub const STATEMENTS: [&str; 9] = ["design", "elements", "vector", "expect", "print", "sum", "min", "max", "count"];

/// What is registered, in order.
fn all() -> MutexGuard<'static, Vec<Custom>> {
    static REGISTERED: Mutex<Vec<Custom>> = Mutex::new(Vec::new());
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Custom {
    /// Makes the operation known to this process; once more is no error. Description and arithmetic are looked at on
    /// every kind of hardware and at every width first: that micro-programs and setup words can be written, that from 4
    /// bits on the first micro-program of a width takes the cycles of the closed form, and that as many bits are
    /// written as the arithmetic gives for zeros. What it computes is for campaigns to find out.
    ///
    /// # Errors
    /// [`Error::Parameter`] that names the operation, and the rule that it breaks: opcode or name taken or illegal; a
    /// description that cannot be assembled, or panics; cycles that are not those of its closed form; results of other
    /// widths than the arithmetic says.
    pub fn register(self) -> Result<Opcode> {
        let refuse = |value: &dyn std::fmt::Display, rule: &str| Err(Error::parameter("custom", value, rule));
        if !self.opcode.is_custom() {
            return refuse(&self.opcode, "the opcode of a custom operation must be Custom0 to Custom5");
        }
        let first = self.name.starts_with(|c: char| c.is_ascii_lowercase());
        if !first || !self.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
            return refuse(&format!("{:?}", self.name), "a name is a letter, then letters, digits and _, all small");
        }
        if self.name.len() > NAME {
            return refuse(&self.name, &format!("a name has at most {NAME} letters"));
        }
        let transfers = transfer::OPCODES.map(|(name, ..)| name.to_string());
        // Headers have `lt.s` as `lt_s`.
        let names = Opcode::ALL.iter().flat_map(|other| [other.name().into(), other.mnemonic().replace('.', "_")]);
        if names.chain(transfers).any(|name| name == self.name) {
            return refuse(&self.name, "an operation of the library has this name");
        }
        if STATEMENTS.contains(&self.name) {
            return refuse(&self.name, "a statement of program files has this name");
        }
        if self.meaning.is_empty() || self.meaning.contains('\n') {
            return refuse(&self.name, "meaning must be a line");
        }
        if let Err(reason) = check::everywhere(&self) {
            return refuse(&self.name, &reason);
        }
        loop {
            // Descriptions are compared while nothing is locked: they may ask for names.
            let known = all().clone();
            match known.iter().find(|other| other.opcode == self.opcode || other.name == self.name) {
                Some(other) if other.is(&self) => return Ok(self.opcode),
                Some(other) => {
                    let (name, opcode) = (other.name, other.opcode);
                    let rule = format!("another operation, {name}, has this name or this opcode, {opcode:?}");
                    return refuse(&self.name, &rule);
                }
                None => {}
            }
            let mut all = all();
            if all.len() == known.len() {
                all.push(self);
                return Ok(self.opcode);
            }
        }
    }

    /// Whether it is the same: by what is said of it, and by the words that hardware has for it. Two functions cannot
    /// be compared, since the compiler may write one twice.
    fn is(&self, other: &Custom) -> bool {
        (self.opcode, self.name, self.meaning, self.signed) == (other.opcode, other.name, other.meaning, other.signed)
            && Context::all().into_iter().all(|cx| check::words(self, cx) == check::words(other, cx))
    }
}

/// The registered operation with this opcode.
pub fn of(opcode: Opcode) -> Option<Custom> {
    all().iter().copied().find(|custom| custom.opcode == opcode)
}

/// Opcodes of all that are registered, in the order of the encoding.
pub fn registered() -> Vec<Opcode> {
    Opcode::CUSTOM.into_iter().filter(|&opcode| of(opcode).is_some()).collect()
}

/// The registered operation of this name.
///
/// # Errors
/// [`Error::Parameter`] with those that there are.
pub fn named(name: &str) -> Result<Opcode> {
    let all = registered();
    all.iter().copied().find(|opcode| opcode.name() == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|opcode| opcode.name()).collect();
        let list = if names.is_empty() { "registers none".into() } else { format!("registers {}", names.join(", ")) };
        Error::parameter("custom", name, format!("must be an operation that this program registers: it {list}"))
    })
}

/// The names of operations in place of their opcodes.
pub(crate) mod names {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Opcode, named};

    pub fn serialize<S: Serializer>(opcodes: &[Opcode], to: S) -> Result<S::Ok, S::Error> {
        opcodes.iter().map(|opcode| opcode.name()).collect::<Vec<_>>().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Opcode>, D::Error> {
        let names = Vec::<String>::deserialize(from)?;
        names.iter().map(|name| named(name).map_err(serde::de::Error::custom)).collect()
    }
}
