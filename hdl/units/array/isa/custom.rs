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

use std::panic::catch_unwind;
use std::ptr::fn_addr_eq;
use std::sync::Mutex;

use crate::array::isa::assemble::assemble;
use crate::array::isa::element::{Inputs, Outputs};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Context, Operation, Role};
use crate::array::isa::row::Operand;
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

/// What is registered, in order.
static REGISTERED: Mutex<Vec<Custom>> = Mutex::new(Vec::new());

impl Custom {
    /// Makes the operation known to this process; once more is no error. Description and arithmetic are looked at on
    /// every kind of hardware and at every width first: rows, cycles, and how many bits are written.
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
        let transfers = transfer::OPCODES.map(|(name, ..)| name);
        if Opcode::ALL.iter().any(|other| other.name() == self.name) || transfers.contains(&self.name) {
            return refuse(&self.name, "an operation of the library has this name");
        }
        if self.meaning.is_empty() || self.meaning.contains('\n') {
            return refuse(&self.name, "meaning must be a line");
        }
        let checked = catch_unwind(|| Context::all().into_iter().try_for_each(|cx| self.check(cx)));
        let reason = match checked {
            Ok(checked) => checked.err(),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                text.or(panic.downcast_ref::<&str>().map(|text| text.to_string())).or(Some("panics".into()))
            }
        };
        if let Some(reason) = reason {
            return refuse(&self.name, &reason);
        }
        let mut all = REGISTERED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match all.iter().find(|other| other.opcode == self.opcode || other.name == self.name) {
            Some(other) if other.is(&self) => {}
            Some(other) => {
                let rule =
                    format!("another operation, {}, has this name or this opcode, {:?}", other.name, other.opcode);
                return refuse(&self.name, &rule);
            }
            None => all.push(self),
        }
        Ok(self.opcode)
    }

    /// Whether it is the very same.
    fn is(&self, other: &Custom) -> bool {
        (self.opcode, self.name, self.meaning, self.signed) == (other.opcode, other.name, other.meaning, other.signed)
            && fn_addr_eq(self.operation, other.operation)
            && fn_addr_eq(self.arithmetic, other.arithmetic)
    }

    /// What is wrong with the operation on some hardware, if it is there at all.
    fn check(&self, cx: Context) -> std::result::Result<(), String> {
        let Some(operation) = (self.operation)(self.opcode, cx) else { return Ok(()) };
        let (low, high) = operation.widths;
        if operation.opcode != self.opcode {
            return Err(format!("its description is that of {:?}, its opcode {:?}", operation.opcode, self.opcode));
        }
        if !(1..=high).contains(&low) || high > 64 {
            return Err(format!("widths = {low} to {high}: must be within 1 to 64"));
        }
        if operation.formats {
            return Err("formats: operations of floating-point numbers are those of the library".into());
        }
        let assembled: Vec<_> = operation.variants.iter().map(|v| assemble(&v.program, cx)).collect();
        assembled.iter().for_each(|assembled| drop(assembled.encode(0)));
        for n in (low..=high).filter(|&n| operation.check_width(n).is_ok()) {
            let (least, most) = operation.seconds(n).unwrap_or((0, 0));
            for m in least..=most {
                let at = || format!("n = {n}, m = {m}, {cx:?}");
                if !(0..=127).contains(&m) {
                    return Err(format!("{}: the second width must be 0 to 127", at()));
                }
                let (width, second) = (u32::from(n), m as u32);
                let Some(variant) = operation.variants.iter().position(|v| v.applies(width, second)) else {
                    return Err(format!("{}: no micro-program applies", at()));
                };
                let (taken, said) =
                    (assembled[variant].cycles(width, second, width) as i64, (operation.formula)(n.into(), m.into()));
                if n >= 4 && taken != said {
                    return Err(format!(
                        "{}: the micro-program takes {taken} cycles, its closed form says {said}",
                        at()
                    ));
                }
                self.check_results(&operation, width, second).map_err(|reason| format!("{}: {reason}", at()))?;
            }
        }
        Ok(())
    }

    /// Operands against what the arithmetic takes and gives.
    fn check_results(&self, operation: &Operation, n: u32, m: u32) -> std::result::Result<(), String> {
        for extent in &operation.extents {
            let rows = extent.rows.value(n as i32, m as i32);
            let most = if extent.role == Role::Source { 64 } else { 128 };
            if extent.role != Role::Scratch && !(1..=most).contains(&rows) {
                return Err(format!("{} has {rows} rows: must be 1 to {most}", extent.operand.name()));
            }
            let place = match (extent.role, extent.operand) {
                (Role::Scratch, _) => true,
                (Role::Source, operand) => operand != Operand::S,
                (Role::Result, operand) => matches!(operand, Operand::D | Operand::E),
                (Role::Accumulator, operand) => operand == Operand::D,
            };
            if !place {
                return Err(format!("{} cannot be a {:?}", extent.operand.name(), extent.role));
            }
        }
        let given = (self.arithmetic)(n, m, 0, Inputs::default());
        for (operand, result) in [(Operand::D, given.d), (Operand::E, given.e)] {
            let written = operation.extent_of(operand).filter(|extent| extent.role != Role::Source);
            let rows = written.map(|extent| extent.rows.value(n as i32, m as i32).max(0) as u32);
            if rows != result.map(|(_, rows)| rows) {
                let count = |rows: Option<u32>| rows.map_or("none".to_string(), |rows| rows.to_string());
                let (name, said) = (operand.name(), count(result.map(|(_, rows)| rows)));
                return Err(format!("rows written to {name}: {}, in the arithmetic {said}", count(rows)));
            }
        }
        if given.tag.is_some() != self.opcode_gives_tag() {
            return Err("T is a result of the arithmetic, or of the meaning (`T ←`), and not of both".into());
        }
        Ok(())
    }

    fn opcode_gives_tag(&self) -> bool {
        self.meaning.contains("T ←")
    }
}

/// The registered operation with this opcode.
pub fn of(opcode: Opcode) -> Option<Custom> {
    let all = REGISTERED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    all.iter().copied().find(|custom| custom.opcode == opcode)
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
