//! A cache compute system to run commands on, through its processor port: the hardware's netlist with the cycle model
//! beside it, compared after every cycle, and a simulated memory behind them.

use super::line_port::{LinePort, LineReply, LineRequest, LineWrite};
use crate::ccs::blocks::ccs;
use crate::ccs::registers::{self, BASE};
use crate::ccs::{CcsError, CcsGeometry};
use crate::engine::{Engine, Native, engine};
use crate::error::{Error, Result};
use crate::lockstep::Divergence;
use crate::lockstep::ccs::CcsLockstep;
use crate::model::ccs::core::{CoreInputs, CoreOutputs, Events};
use crate::model::ccs::processor::CpuAccess;

/// Cycles without an answer after which something is wrong with the hardware.
const PATIENCE: u64 = 100_000;

/// A command with everything that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Code of the command; need not exist.
    pub code: u8,
    /// Elements have no sign.
    pub unsigned: bool,
    /// A reduction's results go to memory.
    pub store: bool,
    /// Byte addresses of a, b and r.
    pub bases: [u32; 3],
    /// Elements that count.
    pub length: u32,
    /// The constant.
    pub constant: u32,
    /// Stride, in elements.
    pub stride: u8,
    /// Stride mask, lane 0 in bit 0.
    pub mask: u128,
    /// Rows.
    pub count: u32,
    /// From row to row, in bytes: a, b, r.
    pub steps: [u32; 3],
}

impl Launch {
    /// A command on contiguous vectors.
    pub fn new(code: u8, bases: [u32; 3], length: u32) -> Launch {
        Launch {
            code,
            unsigned: false,
            store: false,
            bases,
            length,
            constant: 0,
            stride: 1,
            mask: !0,
            count: 1,
            steps: [0; 3],
        }
    }

    /// Code and flags.
    fn command(&self) -> u32 {
        let flags = u32::from(self.unsigned) << registers::COMMAND_UNSIGNED_LSB
            | u32::from(self.store) << registers::COMMAND_STORE_LSB;
        u32::from(self.code) | flags
    }

    /// What starts it through `launch`, or queues it; of its length, which must have less, the lower 24 bits.
    pub fn word(&self) -> u32 {
        self.command() | self.length << registers::LAUNCH_LENGTH_LSB
    }

    /// Register writes that set it up, the start not included.
    pub fn writes(&self) -> Vec<(u64, u32)> {
        let mut writes = vec![
            (registers::REG_A, self.bases[0]),
            (registers::REG_B, self.bases[1]),
            (registers::REG_R, self.bases[2]),
            (registers::REG_COMMAND, self.command()),
            (registers::REG_LENGTH, self.length),
            (registers::REG_CONSTANT, self.constant),
            (registers::REG_STRIDE, self.stride.into()),
            (registers::REG_COUNT, self.count),
            (registers::REG_STEP_A, self.steps[0]),
            (registers::REG_STEP_B, self.steps[1]),
            (registers::REG_STEP_R, self.steps[2]),
        ];
        writes.extend((0..4).map(|w| (registers::REG_MASK_0 + 4 * w, (self.mask >> (32 * w)) as u32)));
        writes
    }
}

/// A processor's access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Byte address.
    pub address: u32,
    /// Data and strobes of a write.
    pub write: Option<(u32, u8)>,
}

/// What the processor sees in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// An access asked for is taken.
    pub ready: bool,
    /// A word that was read, and whether it came with an error.
    pub reply: Option<(u32, bool)>,
    /// Interrupt line.
    pub irq: bool,
}

/// The machine.
pub struct CcsMachine<E: Engine = Native> {
    /// Its geometry.
    pub geometry: CcsGeometry,
    /// Hardware and model.
    pub system: CcsLockstep<E>,
    /// Its memory.
    pub memory: LinePort,
    /// Cycles since reset.
    pub cycles: u64,
    /// The difference between hardware and model that ended the run, if one has.
    pub divergence: Option<Box<Divergence>>,
}

/// What the hardware asks of memory.
fn request(outputs: CoreOutputs) -> LineRequest {
    let write = outputs.write.map(|write| LineWrite {
        line: write.line,
        lanes: write.lanes,
        bytes: write.bytes,
        word: write.word,
        data: write.data,
    });
    LineRequest { read: outputs.read, reply_ready: outputs.reply_ready, write, more_read: outputs.more_read }
}

impl CcsMachine<Native> {
    /// A system on the native engine with so many bytes of memory.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the geometry breaks a rule.
    pub fn native(geometry: &CcsGeometry, size: usize, seed: u64) -> Result<CcsMachine<Native>> {
        Ok(CcsMachine::around(engine(&ccs(geometry)?), geometry, size, seed))
    }
}

impl<E: Engine> CcsMachine<E> {
    /// A system on any engine, out of reset.
    ///
    /// # Panics
    /// If the engine runs another design.
    pub fn around(engine: E, geometry: &CcsGeometry, size: usize, seed: u64) -> CcsMachine<E> {
        CcsMachine {
            geometry: geometry.clone(),
            system: CcsLockstep::new(engine, geometry, seed),
            memory: LinePort::new(geometry, size, seed),
            cycles: 0,
            divergence: None,
        }
    }

    /// The same without the model, for speed: nothing is compared.
    #[must_use]
    pub fn unchecked(mut self) -> CcsMachine<E> {
        self.system.model = None;
        self
    }

    /// What the model has counted; zeros without one.
    pub fn events(&self) -> Events {
        self.system.model.as_ref().map(|model| model.events).unwrap_or_default()
    }

    /// One clock cycle, with what the processor asks for.
    ///
    /// # Errors
    /// [`Error::Tool`] when hardware and model differ.
    pub fn cycle(&mut self, access: Option<Access>) -> Result<Seen> {
        self.clock(access, false)
    }

    /// One clock cycle with the reset on. Memory keeps what has been written, and forgets what it was asked for.
    ///
    /// # Errors
    /// As [`CcsMachine::cycle`].
    pub fn reset(&mut self) -> Result<()> {
        self.clock(None, true)?;
        self.memory.reset();
        Ok(())
    }

    /// The same for the system alone: memory answers what it was asked for.
    ///
    /// # Errors
    /// As [`CcsMachine::cycle`].
    pub fn reset_alone(&mut self) -> Result<()> {
        self.clock(None, true).map(|_| ())
    }

    fn clock(&mut self, access: Option<Access>, reset: bool) -> Result<Seen> {
        let offer = self.memory.offer();
        let access = access.map(|access| CpuAccess {
            address: access.address,
            data: access.write.unwrap_or_default(),
            write: access.write.is_some(),
        });
        let LineReply { read_ready, reply, ack, more_ready, more_reply } = offer;
        let inputs = CoreInputs { access, read_ready, reply, ack, more_ready, more_reply };
        let outputs = self.system.cycle(&inputs, reset).map_err(|divergence| {
            let reason = divergence.to_string();
            self.divergence = Some(divergence);
            Error::Tool { tool: "lock step".into(), reason }
        })?;
        let seen = Seen { ready: outputs.ready, reply: outputs.reply, irq: outputs.irq };
        self.memory.tick(&request(outputs));
        self.cycles += 1;
        Ok(seen)
    }

    fn access(&mut self, access: Access) -> Result<Option<(u32, bool)>> {
        let mut taken = false;
        for _ in 0..PATIENCE {
            let seen = self.cycle((!taken).then_some(access))?;
            if taken && seen.reply.is_some() {
                return Ok(seen.reply);
            }
            taken |= seen.ready;
            if taken && access.write.is_some() {
                return Ok(None);
            }
        }
        Err(Error::Tool { tool: "cache compute system".into(), reason: format!("no answer to {access:?}") })
    }

    /// Writes a word, or bytes of it.
    ///
    /// # Errors
    /// [`Error::Tool`] if the hardware does not answer, or when hardware and model differ.
    pub fn write(&mut self, address: u32, data: u32, strobes: u8) -> Result<()> {
        self.access(Access { address, write: Some((data, strobes)) }).map(|_| ())
    }

    /// Reads a word; with whether memory has answered with an error.
    ///
    /// # Errors
    /// [`Error::Tool`] if the hardware does not answer, or when hardware and model differ.
    pub fn read(&mut self, address: u32) -> Result<(u32, bool)> {
        self.access(Access { address, write: None }).map(Option::unwrap_or_default)
    }

    /// Reads a register.
    ///
    /// # Errors
    /// As [`CcsMachine::read`].
    pub fn register(&mut self, offset: u64) -> Result<u32> {
        self.read((BASE + offset) as u32).map(|(value, _)| value)
    }

    /// Writes a register.
    ///
    /// # Errors
    /// As [`CcsMachine::write`].
    pub fn set_register(&mut self, offset: u64, value: u32) -> Result<()> {
        self.write((BASE + offset) as u32, value, 15)
    }

    /// Sets a command up, starts it and waits for its end.
    ///
    /// # Errors
    /// [`Error::Tool`] if the hardware does not answer, or when hardware and model differ.
    pub fn run(&mut self, launch: &Launch) -> Result<Option<CcsError>> {
        for (offset, value) in launch.writes() {
            self.set_register(offset, value)?;
        }
        self.set_register(registers::REG_START, 0)?;
        let code = self.register(registers::REG_WAIT)?;
        Ok(CcsError::from_code(code as u8))
    }
}
