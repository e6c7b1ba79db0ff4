//! The double's bus: who is at which address, and the board's own registers.

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::array::ArrayDouble;
use super::ccs::CcsDouble;
use super::duality::DualityDouble;
use crate::host_link::place;
use crate::system::SystemParams;
use crate::system::protocol::Status;
use crate::system::registers::*;

/// Faults that a test can give a double.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The array's adder forgets the carry into bit 3 of a sum.
    Adder,
    /// The cache compute system multiplies wrongly in odd lanes.
    Multiplier,
    /// Bit 5 of this byte of the array's memory is always 1.
    Memory(usize),
    /// An address line of the cache compute system's memory is stuck: words 64 bytes apart are the same.
    AddressLine,
    /// The lowest bit of the first byte that threads of the Duality Cache change is wrong.
    Store,
    /// Refused commands are told with another code.
    ErrorCode,
    /// It says that it is another design.
    Identity,
    /// It says that it has another configuration.
    Hash,
}

/// What is behind the bridge.
pub struct Bus {
    params: SystemParams,
    array: ArrayDouble,
    ccs: CcsDouble,
    duality: Option<DualityDouble>,
    /// The array's memory.
    memory: Vec<u8>,
    scratch: u32,
    led: u32,
    answered: u32,
    refused: u32,
    /// What is wrong with it.
    pub broken: Option<Broken>,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

impl Bus {
    /// After reset.
    pub fn new(params: &SystemParams, seed: u64) -> Bus {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bytes = |part: &str| {
            let mut bytes = vec![0; place::bytes(params, part) as usize];
            rng.fill_bytes(&mut bytes);
            bytes
        };
        let (memory, lines) = (bytes("array-memory"), bytes("ccs-memory"));
        let pages = bytes("duality-memory");
        let duality = params.duality.as_ref().map(|duality| DualityDouble::new(&duality.unit, pages, seed));
        Bus {
            params: params.clone(),
            array: ArrayDouble::new(&params.array, seed),
            ccs: CcsDouble::new(&params.ccs, lines),
            duality,
            memory,
            scratch: 0,
            led: 0,
            answered: 0,
            refused: 0,
            broken: None,
        }
    }

    /// A request begins.
    pub fn begin(&mut self) {
        self.array.begin();
        self.ccs.begin();
    }

    /// A request has ended.
    pub fn count(&mut self, status: Status) {
        let counter = if status == Status::Ok { &mut self.answered } else { &mut self.refused };
        *counter = counter.wrapping_add(1);
    }

    /// Which part an address is in, and where.
    fn part(&self, address: u32) -> Option<(&'static str, usize)> {
        let parts = place::PARTS.iter().map(|&(name, base, _)| (name, address.wrapping_sub(base)));
        let within = |&(name, offset): &(&str, u32)| u64::from(offset) < place::bytes(&self.params, name);
        parts.filter(within).map(|(name, offset)| (name, offset as usize)).next()
    }

    /// Reads a word; `None`: the bus refuses.
    pub fn read(&mut self, address: u32) -> Option<u32> {
        let (part, offset) = self.part(address)?;
        Some(match part {
            "board" => self.register(offset as u64),
            "array" => self.array.register(offset as u64),
            "array-memory" => word(&self.memory, offset),
            "ccs-memory" => word(&self.ccs.memory, self.line_address(offset)),
            "duality" => self.duality.as_ref()?.register(offset as u64),
            "duality-memory" => word(&self.duality.as_ref()?.memory, offset),
            _ => self.ccs.register(offset as u64),
        })
    }

    /// Writes a word.
    pub fn write(&mut self, address: u32, data: u32) -> Option<()> {
        let (part, offset) = self.part(address)?;
        match part {
            "board" => match offset as u64 {
                REG_SCRATCH => self.scratch = data,
                REG_LED => self.led = data & 0x1ff,
                _ => {}
            },
            "array" => self.array.set_register(offset as u64, data, &mut self.memory, self.broken),
            "array-memory" => self.memory[offset..offset + 4].copy_from_slice(&data.to_le_bytes()),
            "ccs-memory" => {
                let at = self.line_address(offset);
                self.ccs.memory[at..at + 4].copy_from_slice(&data.to_le_bytes());
            }
            "duality" => self.duality.as_mut()?.set_register(offset as u64, data, self.broken)?,
            "duality-memory" => {
                self.duality.as_mut()?.memory[offset..offset + 4].copy_from_slice(&data.to_le_bytes());
            }
            _ => self.ccs.set_register(offset as u64, data, self.broken),
        }
        if let Some(Broken::Memory(at)) = self.broken {
            self.memory[at] |= 1 << 5;
        }
        Some(())
    }

    fn line_address(&self, offset: usize) -> usize {
        if self.broken == Some(Broken::AddressLine) { offset & !64 } else { offset }
    }

    fn register(&self, offset: u64) -> u32 {
        match offset {
            REG_ID if self.broken == Some(Broken::Identity) => u32::from_le_bytes(*b"ELSE"),
            REG_HASH_LOW if self.broken == Some(Broken::Hash) => !(self.params.hash() as u32),
            REG_SCRATCH => self.scratch,
            REG_LED => self.led,
            REG_FRAMES_OK => self.answered,
            REG_FRAMES_REFUSED => self.refused,
            _ => {
                let register = REGISTERS.iter().find(|register| register.offset == offset);
                register.map_or(0, |register| reset_value(&self.params, register))
            }
        }
    }
}
