//! A cache compute system to run commands on, through its processor port, with a simulated memory behind it.

use super::line_port::{LinePort, LineRequest, LineWrite};
use crate::blocks::ccs::ccs;
use crate::ccs::registers::{self, BASE};
use crate::ccs::{CcsError, CcsGeometry};
use crate::error::{Error, Result};
use crate::kernel::netlist::NetId;
use crate::sim::engine::{Bytecode, Engine, Lookup, engine};

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
        let rest = Launch {
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
        };
        rest
    }

    /// Register writes that set it up, the start not included.
    pub fn writes(&self) -> Vec<(u64, u32)> {
        let flags = u32::from(self.unsigned) << registers::COMMAND_UNSIGNED_LSB
            | u32::from(self.store) << registers::COMMAND_STORE_LSB;
        let mut writes = vec![
            (registers::REG_A, self.bases[0]),
            (registers::REG_B, self.bases[1]),
            (registers::REG_R, self.bases[2]),
            (registers::REG_COMMAND, u32::from(self.code) | flags),
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

struct Nets {
    cpu: [NetId; 5],
    cpu_out: [NetId; 4],
    memory: [NetId; 5],
    reply_data: Vec<NetId>,
    memory_out: [NetId; 8],
    write_lanes: Vec<NetId>,
    write_data: Vec<NetId>,
    irq: NetId,
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
pub struct CcsMachine<E: Engine = Bytecode> {
    /// Its geometry.
    pub geometry: CcsGeometry,
    /// The hardware.
    pub engine: E,
    /// Its memory.
    pub memory: LinePort,
    /// Cycles since reset.
    pub cycles: u64,
    nets: Nets,
}

impl CcsMachine<Bytecode> {
    /// A system on the native engine with so many bytes of memory.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the geometry breaks a rule.
    pub fn native(geometry: &CcsGeometry, size: usize, seed: u64) -> Result<CcsMachine<Bytecode>> {
        Ok(CcsMachine::around(engine(&ccs(geometry)?), geometry, size, seed))
    }
}

impl<E: Engine> CcsMachine<E> {
    /// A system on any engine, out of reset.
    ///
    /// # Panics
    /// If the engine runs another design.
    pub fn around(mut engine: E, geometry: &CcsGeometry, size: usize, seed: u64) -> CcsMachine<E> {
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let lanes = |name: &str| (0..geometry.lanes).map(|k| net(&format!("{name}_{k}"))).collect::<Vec<_>>();
        let nets = Nets {
            cpu: ["cpu_valid", "cpu_write", "cpu_address", "cpu_data", "cpu_strobes"].map(net),
            cpu_out: ["cpu_ready", "cpu_reply", "cpu_reply_data", "cpu_reply_error"].map(net),
            memory: ["read_ready", "reply_valid", "reply_error", "ack_valid", "ack_error"].map(net),
            reply_data: lanes("reply_data"),
            memory_out: [
                "read_valid",
                "read_line",
                "reply_ready",
                "write_valid",
                "write_line",
                "write_bytes",
                "write_word",
                "write_value",
            ]
            .map(net),
            write_lanes: lanes("write_lanes"),
            write_data: lanes("write_data"),
            irq: net("irq"),
        };
        for &input in nets.cpu.iter().chain(&nets.memory).chain(&nets.reply_data) {
            engine.set_input(input, &[0]);
        }
        engine.tick(true);
        CcsMachine { geometry: geometry.clone(), engine, memory: LinePort::new(geometry, size, seed), cycles: 0, nets }
    }

    /// One clock cycle, with what the processor asks for.
    pub fn cycle(&mut self, access: Option<Access>) -> Seen {
        let (data, strobes) = access.and_then(|a| a.write).unwrap_or_default();
        let cpu = [
            access.is_some().into(),
            access.is_some_and(|a| a.write.is_some()).into(),
            access.map_or(0, |a| a.address).into(),
            data.into(),
            strobes.into(),
        ];
        let offer = self.memory.offer();
        let memory = [
            offer.read_ready,
            offer.reply.is_some(),
            offer.reply.as_ref().is_some_and(|r| r.1),
            offer.ack.is_some(),
            offer.ack == Some(true),
        ];
        for (net, value) in self.nets.cpu.into_iter().zip(cpu) {
            self.engine.set_input(net, &[value]);
        }
        for (net, value) in self.nets.memory.into_iter().zip(memory) {
            self.engine.set_input(net, &[value.into()]);
        }
        if let Some((data, _)) = &offer.reply {
            for (net, &value) in self.nets.reply_data.iter().zip(data) {
                self.engine.set_input(*net, &[value.into()]);
            }
        }
        let request = self.request();
        let [ready, reply, reply_data, reply_error] = self.nets.cpu_out.map(|net| self.engine.low(net));
        let irq = self.engine.low(self.nets.irq) == 1;
        self.engine.tick(false);
        self.memory.tick(&request);
        self.cycles += 1;
        Seen { ready: ready == 1, reply: (reply == 1).then_some((reply_data as u32, reply_error == 1)), irq }
    }

    /// What the hardware asks of memory in this cycle.
    fn request(&mut self) -> LineRequest {
        let [read, line, reply_ready, write, write_line, bytes, word, value] =
            self.nets.memory_out.map(|net| self.engine.low(net));
        let write = (write == 1).then(|| LineWrite {
            line: write_line as u32,
            lanes: self.nets.write_lanes.iter().map(|&net| self.engine.low(net) == 1).collect(),
            bytes: bytes as u8,
            word: (word == 1).then_some(value as u32),
            data: self.nets.write_data.iter().map(|&net| self.engine.low(net) as u32).collect(),
        });
        LineRequest { read: (read == 1).then_some(line as u32), reply_ready: reply_ready == 1, write }
    }

    fn access(&mut self, access: Access) -> Result<Option<(u32, bool)>> {
        let mut taken = false;
        for _ in 0..PATIENCE {
            let seen = self.cycle((!taken).then_some(access));
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
    /// [`Error::Tool`] if the hardware does not answer.
    pub fn write(&mut self, address: u32, data: u32, strobes: u8) -> Result<()> {
        self.access(Access { address, write: Some((data, strobes)) }).map(|_| ())
    }

    /// Reads a word; with whether memory has answered with an error.
    ///
    /// # Errors
    /// [`Error::Tool`] if the hardware does not answer.
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
    /// [`Error::Tool`] if the hardware does not answer.
    pub fn run(&mut self, launch: &Launch) -> Result<Option<CcsError>> {
        for (offset, value) in launch.writes() {
            self.set_register(offset, value)?;
        }
        self.set_register(registers::REG_START, 0)?;
        let code = self.register(registers::REG_WAIT)?;
        Ok(CcsError::from_code(code as u8))
    }
}
