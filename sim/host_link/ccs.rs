//! The cache compute system over a session: commands and what they leave.

use super::error::{LinkError, Result};
use super::session::Session;
use crate::ccs::CcsError;
use crate::ccs::registers::*;
use crate::system::protocol::{CCS_BASE, Status};
use crate::units::ccs::machine::Launch;

/// Staged registers, from `a` to the last step.
const STAGED: usize = 16;
/// Registers from here to the last step need no start.
const SETTINGS: usize = at(REG_CONSTANT);
/// Register `launch`, which is no staged one.
const LAUNCH: usize = at(REG_LAUNCH);
/// Lengths that fit into `launch`.
const SHORT: u32 = 1 << 24;

const fn at(offset: u64) -> usize {
    ((offset - REG_A) / 4) as usize
}

fn register(offset: u64) -> u32 {
    CCS_BASE + offset as u32
}

/// How a command has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Its error.
    pub error: Option<CcsError>,
    /// Result lines written.
    pub lines: u32,
    /// The last reduction's result.
    pub result: u32,
}

/// The system's registers, with what is known of them.
#[derive(Clone, Debug, Default)]
pub struct CcsPort {
    staged: [Option<u32>; STAGED],
}

impl CcsPort {
    /// Writes what has changed, with the start in the same request as the operands.
    ///
    /// # Errors
    /// Anything about the line.
    pub fn start(&mut self, session: &mut Session, launch: &Launch) -> Result<()> {
        let mut words = [0; STAGED];
        for (offset, value) in launch.writes() {
            words[at(offset)] = value;
        }
        let changed: Vec<usize> = (SETTINGS..STAGED).filter(|&i| self.staged[i] != Some(words[i])).collect();
        if let (Some(&first), Some(&last)) = (changed.first(), changed.last()) {
            session.write(register(REG_A) + 4 * first as u32, &words[first..=last])?;
            (first..=last).for_each(|i| self.staged[i] = Some(words[i]));
        }
        let operands = LAUNCH;
        let first = (0..operands).find(|&i| self.staged[i] != Some(words[i])).unwrap_or(operands);
        if launch.length < SHORT {
            words[LAUNCH] = words[at(REG_COMMAND)] << LAUNCH_COMMAND_LSB | launch.length << LAUNCH_LENGTH_LSB;
            session.write_once(register(REG_A) + 4 * first as u32, &words[first..=LAUNCH], false)?;
        } else {
            session.write(register(REG_A), &words[..operands])?;
            session.write(register(REG_COMMAND), &words[at(REG_COMMAND)..SETTINGS])?;
            session.write_once(register(REG_START), &[0], false)?;
        }
        (first..operands).for_each(|i| self.staged[i] = Some(words[i]));
        Ok(())
    }

    /// Starts the staged command again while it runs, so that the second start is refused.
    ///
    /// # Errors
    /// Anything about the line.
    pub fn start_twice(&mut self, session: &mut Session, launch: &Launch) -> Result<()> {
        // The first start only stages everything.
        self.start(session, &Launch { count: 1, ..*launch })?;
        self.wait(session, 1)?;
        session.write(register(REG_COUNT), &[launch.count])?;
        self.staged[at(REG_COUNT)] = Some(launch.count);
        session.write_once(register(REG_START), &[0, 0], true)
    }

    /// Waits for the command's end: the system answers a read of `wait` when it has ended, the bridge gives up before
    /// if that takes long.
    ///
    /// # Errors
    /// Anything about the line; [`LinkError::Stuck`] after so many looks.
    pub fn wait(&mut self, session: &mut Session, looks: u32) -> Result<Ended> {
        for _ in 0..looks {
            match session.read(register(REG_WAIT), 4) {
                Ok(words) => {
                    let error = CcsError::from_code((words[1] & ((1 << crate::ccs::CCS_ERROR_BITS) - 1)) as u8);
                    return Ok(Ended { error, lines: words[2], result: words[3] });
                }
                Err(LinkError::Refused { status: Status::Slow, .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(LinkError::Stuck { what: "the cache compute system's command".into(), polls: looks })
    }

    /// Starts a command and waits for its end.
    ///
    /// # Errors
    /// As [`CcsPort::wait`].
    pub fn run(&mut self, session: &mut Session, launch: &Launch) -> Result<Ended> {
        self.start(session, launch)?;
        self.wait(session, LOOKS)
    }
}

/// Looks at a command before it counts as stuck; each may take as long as the bridge waits.
const LOOKS: u32 = 100;
