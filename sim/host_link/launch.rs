//! A command of the cache compute system, as users ask for one.

use super::ccs::Ended;
use crate::ccs::{CcsCommand, CcsGeometry, Kind, Operands};
use crate::units::ccs::machine::Launch;

/// What a user says about a command on vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Places of a, b and r, in bytes of the system's memory.
    pub bases: [u32; 3],
    /// Elements that count.
    pub length: u32,
    /// The constant.
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

/// How it has ended, for people.
pub fn describe(command: &CcsCommand, ended: &Ended) -> String {
    match ended.error {
        Some(error) => format!("{}: refused: {}: {}\n", command.name, error.name(), error.description().trim()),
        None if command.kind == Kind::Reduce => format!("{} = {} ({:#x})\n", command.name, ended.result, ended.result),
        None => format!("{}: {} lines written\n", command.name, ended.lines),
    }
}
