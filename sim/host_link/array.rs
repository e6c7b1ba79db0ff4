//! The compute array over a session: commands, transfers between its memory and rows, errors.

use super::error::{LinkError, Result};
use super::session::Session;
use crate::array::registers::*;
use crate::isa::Command;
use crate::isa::command::ErrorCode;
use crate::isa::transfer::Transfer;
use crate::system::protocol::{ARRAY_BASE, MAX_WORDS};
use crate::units::array::memory::host::Fault;

/// Looks at the status register before a command counts as stuck. No operation takes as long as a look.
const LOOKS: u32 = 10_000;
/// Registers of a staged command.
const STAGED: usize = 6;

/// What the registers of a staged command hold, from `command` on.
pub fn staged_words(command: &Command, opcode: u8) -> [u32; STAGED] {
    let row = |row: u16, lsb: usize| u32::from(row & ((1 << ROW_BITS) - 1)) << lsb;
    let width = |width: u8, lsb: usize| u32::from(width & ((1 << WIDTH_BITS) - 1)) << lsb;
    [
        u32::from(opcode) << COMMAND_OPCODE_LSB
            | (command.set as u32) << COMMAND_SET_LSB
            | width(command.width, COMMAND_WIDTH_LSB)
            | width(command.second, COMMAND_SECOND_LSB),
        row(command.a, COMMAND_A_LSB) | row(command.b, COMMAND_B_LSB),
        row(command.d, COMMAND_D_LSB) | row(command.e, COMMAND_E_LSB),
        row(command.s, COMMAND_S_LSB),
        command.key as u32,
        (command.key >> 32) as u32,
    ]
}

/// The array's registers, with what is known of them.
#[derive(Clone, Debug, Default)]
pub struct ArrayPort {
    staged: [Option<u32>; STAGED],
    /// Commands that fit into the queue for sure.
    free: u32,
}

fn register(offset: u64) -> u32 {
    ARRAY_BASE + offset as u32
}

impl ArrayPort {
    /// Pushes a command as soon as the queue has room.
    ///
    /// # Errors
    /// Anything about the line; [`LinkError::Stuck`].
    pub fn push(&mut self, session: &mut Session, command: &Command, opcode: u8) -> Result<()> {
        let mut looks = 0;
        while self.free == 0 {
            if looks == LOOKS {
                return Err(LinkError::Stuck { what: format!("what is before {command}"), polls: looks });
            }
            self.look(session)?;
            looks += 1;
        }
        let words = staged_words(command, opcode);
        // What has changed, up to `push`, in one request.
        let first = words.iter().zip(&self.staged).take_while(|(word, known)| Some(**word) == **known).count();
        let burst: Vec<u32> = words[first..].iter().copied().chain([0]).collect();
        // Until the reply is there, nothing is known.
        self.staged = [None; STAGED];
        session.write_once(register(REG_COMMAND) + 4 * first as u32, &burst, false)?;
        self.staged = words.map(Some);
        self.free -= 1;
        Ok(())
    }

    /// Pushes the command again and again, faster than it runs.
    ///
    /// # Errors
    /// Anything about the line.
    pub fn flood(&mut self, session: &mut Session, command: &Command, opcode: u8, times: usize) -> Result<()> {
        self.push(session, command, opcode)?;
        self.free = 0;
        session.write_once(register(REG_PUSH), &vec![0; times.clamp(2, MAX_WORDS) - 1], true)
    }

    /// Pushes a transfer.
    ///
    /// # Errors
    /// As [`ArrayPort::push`].
    pub fn transfer(&mut self, session: &mut Session, transfer: &Transfer) -> Result<()> {
        self.push(session, &transfer.command(), transfer.opcode())
    }

    /// Reads the status register.
    fn look(&mut self, session: &mut Session) -> Result<u32> {
        let status = session.read_word(register(REG_STATUS))?;
        self.free = status >> STATUS_FREE_LSB & 31;
        Ok(status)
    }

    /// Waits until all commands have ended; gives the first error since this was last asked, and clears it.
    ///
    /// # Errors
    /// Anything about the line; [`LinkError::Stuck`].
    pub fn finish(&mut self, session: &mut Session) -> Result<Option<Fault>> {
        for _ in 0..LOOKS {
            let status = self.look(session)?;
            if status >> STATUS_BUSY_LSB & 1 == 1 {
                continue;
            }
            if status >> STATUS_ERROR_LSB & 1 == 0 {
                return Ok(None);
            }
            let words = session.read(register(REG_ERROR), 7)?;
            let at = |offset: u64| words[((offset - REG_ERROR) / 4) as usize];
            session.write(register(REG_CONTROL), &[1 << CONTROL_ERROR_CLEAR_LSB])?;
            return Ok(Some(Fault {
                code: u64::from(at(REG_ERROR) >> ERROR_CODE_LSB & 15),
                operand: u64::from(at(REG_ERROR) >> ERROR_OPERAND_LSB & 7),
                index: at(REG_ERROR_INDEX),
                address: u64::from(at(REG_ERROR_ADDRESS_HIGH)) << 32 | u64::from(at(REG_ERROR_ADDRESS_LOW)),
            }));
        }
        Err(LinkError::Stuck { what: "the array's last command".into(), polls: LOOKS })
    }

    /// The same, where no error is expected of `command`.
    ///
    /// # Errors
    /// As [`ArrayPort::finish`]; [`LinkError::Command`] if something was refused.
    pub fn succeed(&mut self, session: &mut Session, command: &dyn std::fmt::Display) -> Result<()> {
        match self.finish(session)? {
            None => Ok(()),
            Some(fault) => {
                Err(LinkError::Command { command: command.to_string(), code: fault.code, reason: describe(fault.code) })
            }
        }
    }

    /// Cycles in which the unit was busy, since reset.
    ///
    /// # Errors
    /// Anything about the line.
    pub fn busy_cycles(&mut self, session: &mut Session) -> Result<u64> {
        let words = session.read(register(REG_CYCLES_LOW), 2)?;
        Ok(u64::from(words[1]) << 32 | u64::from(words[0]))
    }
}

/// What an error code means.
pub fn describe(code: u64) -> String {
    ErrorCode::from_code(code).map_or("no such error".into(), |code| format!("{}: {}", code.name(), code.description()))
}
