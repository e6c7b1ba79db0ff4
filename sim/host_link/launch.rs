//! A command of the cache compute system, as users ask for one.

use super::ccs::Ended;
use super::error::LinkError;
use crate::ccs::{CcsCommand, CcsGeometry, Kind, Operands};
use crate::data::{ElementType, Number};
use crate::error::{Error, Result};
use crate::units::ccs::machine::Launch;

/// What a user says about a command on vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Places of a, b and r, in bytes of the system's memory.
    pub bases: [u32; 3],
    /// Elements that count.
    pub length: u32,
    /// The constant, as its bits.
    pub constant: u32,
    /// From an element to the next that counts.
    pub stride: u8,
    /// Elements have no sign.
    pub unsigned: bool,
    /// A reduction's result goes to memory.
    pub store: bool,
}

impl Asked {
    /// The command with everything that belongs to it: the stride mask is that of the stride and of the vectors' place
    /// in a line.
    pub fn launch(&self, command: &CcsCommand, geometry: &CcsGeometry) -> Launch {
        let first = if command.operands == Operands::C { self.bases[2] } else { self.bases[0] };
        let lead = first as usize / geometry.element_bytes() % geometry.lanes;
        let stride = usize::from(self.stride.max(1));
        let counts = |lane: &usize| (lane + stride * geometry.lanes - lead).is_multiple_of(stride);
        Launch {
            unsigned: self.unsigned,
            store: self.store && command.kind == Kind::Reduce,
            constant: self.constant,
            stride: self.stride,
            mask: (0..geometry.lanes).filter(counts).fold(0, |mask, lane| mask | 1 << lane),
            ..Launch::new(command.code, self.bases, self.length)
        }
    }
}

/// The bits of a constant, as many as an element has: below 0 in two's complement, unless elements have no sign.
///
/// # Errors
/// [`Error::Parameter`] if it is no number or does not fit.
pub fn constant(text: &str, geometry: &CcsGeometry, unsigned: bool) -> Result<u32> {
    let kind = |signed| ElementType { width: geometry.element_bits as u32, signed, format: None };
    let number = Number::parse(text).filter(|number| !(unsigned && number.negative));
    let bits = number.and_then(|number| kind(number.negative).encode(number));
    bits.map(|bits| bits as u32).ok_or_else(|| {
        let rule = if unsigned {
            format!("must be {}", kind(false))
        } else {
            format!("must be {}, or {}", kind(true), kind(false))
        };
        Error::parameter("constant", text, rule)
    })
}

impl Asked {
    /// Refuses what the hardware would refuse, or what would leave a memory of so many bytes, before anything is sent.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the rule.
    pub fn check(&self, command: &CcsCommand, geometry: &CcsGeometry, memory: u64) -> Result<()> {
        if self.length == 0 {
            return Err(Error::parameter("length", 0, "must be at least 1"));
        }
        let lanes = geometry.lanes;
        if !self.stride.is_power_of_two() || usize::from(self.stride) >= lanes {
            return Err(Error::parameter("stride", self.stride, format!("must be a power of two below {lanes}")));
        }
        let span = u64::from(self.length - 1) * u64::from(self.stride) + 1;
        let reduces = command.kind == Kind::Reduce;
        let used = [
            ("a", self.bases[0], command.operands != Operands::C, span),
            ("b", self.bases[1], command.operands == Operands::Vv, span),
            ("r", self.bases[2], !reduces, span),
            ("r", self.bases[2], reduces && self.store, 1),
        ];
        let (line, element) = (geometry.line_bytes() as u32, geometry.element_bytes() as u32);
        let mut first: Option<(&str, u32)> = None;
        for (name, base, _, elements) in used.into_iter().filter(|operand| operand.2) {
            let fail = |rule: String| Err(Error::parameter(name, format!("{base:#x}"), rule));
            if !base.is_multiple_of(element) {
                return fail(format!("must be a multiple of {element}, the bytes of an element"));
            }
            if u64::from(base) + elements * u64::from(element) > memory {
                return fail(format!("{elements} elements from here end beyond the memory, which has {memory} bytes"));
            }
            let (other, place) = *first.get_or_insert((name, base % line));
            if elements == span && base % line != place {
                return fail(format!("must begin at the same place of a line of {line} bytes as {other}"));
            }
        }
        Ok(())
    }
}

/// How it has ended, for people: results with the sign that elements have.
///
/// # Errors
/// [`LinkError::Command`] if it was refused or has failed.
pub fn describe(command: &CcsCommand, ended: &Ended, geometry: &CcsGeometry, unsigned: bool) -> super::Result<String> {
    if let Some(error) = ended.error {
        let reason = format!("{}: {}", error.name(), error.description().trim());
        return Err(LinkError::Command { command: command.name.into(), code: error as u64, reason });
    }
    Ok(if command.kind == Kind::Reduce {
        let kind = ElementType { width: geometry.element_bits as u32, signed: !unsigned, format: None };
        let number = kind.decode(ended.result.into());
        format!("{} = {number} ({:#x})\n", command.name, ended.result)
    } else {
        format!("{}: {} lines written\n", command.name, ended.lines)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccs::{COMMANDS, CcsError};

    fn named(name: &str) -> &'static CcsCommand {
        COMMANDS.iter().find(|command| command.name == name).expect("a command")
    }

    #[test]
    fn signs() {
        let geometry = CcsGeometry::preset("tiny").expect("a preset");
        let bits = geometry.element_bits as u32;
        let ones = u32::MAX >> (32 - bits);
        assert_eq!(constant("-5", &geometry, false).expect("legal"), ones - 4);
        assert_eq!(constant("0x1f", &geometry, true).expect("legal"), 31);
        for (text, unsigned) in [("-5", true), ("0x1_0000_0000", false), ("five", false), ("-0xffffffff", false)] {
            let message = constant(text, &geometry, unsigned).expect_err(text).to_string();
            assert!(message.starts_with(&format!("constant = {text}: must be ")), "{message}");
        }
        let ended = Ended { error: None, lines: 0, result: ones - 4 };
        let said = |unsigned| describe(named("SUMV"), &ended, &geometry, unsigned).expect("it ran");
        assert_eq!(said(false), format!("SUMV = -5 ({:#x})\n", ones - 4));
        assert_eq!(said(true), format!("SUMV = {} ({:#x})\n", ones - 4, ones - 4));
        let ended = Ended { error: Some(CcsError::Bus), ..ended };
        let message = describe(named("ADDVV"), &ended, &geometry, false).expect_err("it failed").to_string();
        assert!(message.starts_with("ADDVV: refused with error 7 (bus: "), "{message}");
    }

    #[test]
    fn what_cannot_run_is_refused() {
        let geometry = CcsGeometry::preset("small").expect("a preset");
        let memory = 1024;
        let good = Asked { bases: [0, 256, 512], length: 16, stride: 1, ..Asked::default() };
        good.check(named("ADDVV"), &geometry, memory).expect("it fits");
        for (asked, name, wanted) in [
            (Asked { length: 0, ..good }, "ADDVV", "length = 0: must be at least 1"),
            (Asked { stride: 3, ..good }, "ADDVV", "stride = 3: must be a power of two below 16"),
            (Asked { bases: [0, 257, 512], ..good }, "ADDVV", "b = 0x101: must be a multiple of 4"),
            (Asked { bases: [0, 260, 512], ..good }, "ADDVV", "b = 0x104: must begin at the same place"),
            (Asked { bases: [0, 256, 1020], ..good }, "ADDVV", "r = 0x3fc: 16 elements from here end beyond"),
            (Asked { length: u32::MAX, ..good }, "SUMV", "a = 0x0: 4294967295 elements from here end beyond"),
            (Asked { bases: [0, 0, 1024], store: true, ..good }, "SUMV", "r = 0x400: 1 elements from here"),
        ] {
            let message = asked.check(named(name), &geometry, memory).expect_err(wanted).to_string();
            assert!(message.contains(wanted), "{message}");
        }
        // Operands that a command does not have are not looked at.
        Asked { bases: [0, 1, 3], ..good }.check(named("SUMV"), &geometry, memory).expect("a is right");
    }
}
