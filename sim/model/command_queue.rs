//! Model of the command queue.

use super::queue::Queue;
use bitline_units::array::isa::Command;
use bitline_units::array::isa::word::{COMMAND, command};

/// A command as it waits: what came in over the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its fields.
    pub command: Command,
    /// Opcode as sent.
    pub opcode: u8,
    /// Set as sent.
    pub set: u8,
}

impl Waiting {
    /// The command, with its own opcode and set or with `codes`.
    pub fn new(command: &Command, codes: Option<(u8, u8)>) -> Waiting {
        let (opcode, set) = codes.unwrap_or((command.opcode as u8, command.set as u8));
        Waiting { command: *command, opcode, set }
    }
}

/// The queue.
pub type CommandQueue = Queue<Waiting>;

impl Waiting {
    /// The word in which the hardware keeps it.
    pub fn pack(&self) -> [u64; COMMAND.div_ceil(64)] {
        let c = &self.command;
        let mut bits = 0u128;
        command::OPCODE.set(&mut bits, self.opcode.into());
        command::SET.set(&mut bits, self.set.into());
        command::WIDTH_N.set(&mut bits, u64::from(c.width) & 0x7f);
        command::SECOND.set(&mut bits, u64::from(c.second) & 0x7f);
        let rows = [command::A, command::B, command::D, command::E, command::S].into_iter();
        rows.zip([c.a, c.b, c.d, c.e, c.s]).for_each(|(field, row)| field.set(&mut bits, u64::from(row) & 0x3ff));
        let key = u128::from(c.key);
        let low = bits | key << command::WIDTH;
        [low as u64, (low >> 64) as u64, (key >> (128 - command::WIDTH)) as u64]
    }
}
