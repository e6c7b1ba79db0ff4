//! What the launcher keeps of a command: its word, its row's extent, its constant and its mask.

use super::registers::Registers;
use bitline_units::ccs::control::unit_control;
use bitline_units::ccs::registers::*;
use bitline_units::ccs::{CCS_CODE_BITS, CcsCommand, CcsGeometry, Flip, Kind, Operands};

/// What a command needs, copied from the registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// What it computes; nothing if no command has its code.
    pub command: Option<&'static CcsCommand>,
    /// Elements have no sign.
    pub unsigned: bool,
    /// Rules that are broken: code, length, stride; an error came before it.
    pub broken: [bool; 4],
    /// A reduction's results go to memory.
    pub store: bool,
    /// Elements of a row after the first.
    pub extent: u32,
    /// What is left of the stride.
    pub stride_left: u8,
    /// The constant row's words.
    pub constant: u32,
    /// What a reduction's result is combined with.
    pub flip: u32,
    /// Stride mask.
    pub mask: Vec<bool>,
}

impl Job {
    /// Whether a, b and r are vectors.
    pub fn vectors(&self) -> [bool; 3] {
        let Some(command) = self.command else { return [false; 3] };
        [command.operands != Operands::C, command.operands == Operands::Vv, command.kind == Kind::Map]
    }

    /// The second operand is the constant row.
    pub fn second_constant(&self) -> bool {
        let constant = |c: &CcsCommand| matches!(c.operands, Operands::Vc | Operands::C) || c.flip != Flip::None;
        self.command.is_some_and(constant)
    }

    /// Control word of the unit.
    pub fn control(&self) -> u64 {
        self.command.map_or(0, |command| unit_control(command, self.unsigned))
    }

    /// The command of this code and length, with the registers as they are; `late` if an error came before it.
    pub fn copy(geometry: &CcsGeometry, registers: &Registers, (code, length): (u32, u32), late: bool) -> Job {
        let command = CcsCommand::from_code((code & ((1 << CCS_CODE_BITS) - 1)) as u8);
        let unsigned = code >> COMMAND_UNSIGNED_LSB & 1 == 1;
        let reduces = command.is_none_or(|c| c.kind == Kind::Reduce);
        let mut job = Job { command, unsigned, mask: registers.mask(), ..Job::default() };
        job.store = code >> COMMAND_STORE_LSB & 1 == 1 && reduces;
        let count = registers.get(REG_COUNT);
        job.extent = length.wrapping_sub(1);
        job.stride_left = registers.get(REG_STRIDE) as u8;
        job.flip = command.map_or(0, |c| c.flip_word(geometry.element_bits, unsigned));
        let flips = command.is_some_and(|c| c.flip != Flip::None);
        let element = if flips { job.flip } else { registers.get(REG_CONSTANT) & geometry.ones() };
        job.constant = (0..32).step_by(geometry.element_bits).fold(0, |word, at| word | element << at);
        let stride = job.stride_left;
        job.broken = [
            command.is_none(),
            length == 0 || count == 0,
            !stride.is_power_of_two() || usize::from(stride) >= geometry.lanes,
            late,
        ];
        job
    }

    /// The ROM word: legal, a, b, map, constant, flips, the lowest and the highest of flip's bits, then the unit's
    /// control word.
    pub fn word(&self) -> u64 {
        let [a, b, map] = self.vectors();
        let flip = self.command.map_or(0, |command| command.flip_word(32, self.unsigned));
        let flips = self.command.is_some_and(|command| command.flip != Flip::None);
        let ends = [flip & 1 == 1, flip >> 31 == 1];
        self.control() << 8
            | number(&[self.command.is_some(), a, b, map, self.second_constant(), flips, ends[0], ends[1]])
    }
}

/// The bits of a number, the first lowest.
pub fn number(bits: &[bool]) -> u64 {
    bits.iter().rev().fold(0, |number, &bit| number << 1 | u64::from(bit))
}
