//! A board that has said who it is: its identity, held against what the tool was told.

use std::fmt;
use std::time::Duration;

use super::bits::{unpack, words};
use super::error::{LinkError, Result};
use super::place;
use super::session::{Session, Timing};
use super::transport::Transport;
use crate::system::protocol::BOARD_BASE;
use crate::system::registers::{
    MAGIC, MEMORY_CCS_LSB, MEMORY_DUALITY_LSB, REG_BAUD, REG_CLOCK, REG_HASH_HIGH, REG_HASH_LOW, REG_ID, REG_MEMORY,
    REG_VERSION,
};
use crate::system::{SYSTEM_PRESETS, SystemParams};

/// What a board says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Identity {
    /// Version of the generator: major, minor, patch.
    pub version: [u32; 3],
    /// Configuration hash; as text where programs read it, for it has more bits than their numbers.
    #[serde(serialize_with = "hexadecimal")]
    pub hash: u64,
    /// Clock of the design in Hz.
    pub clock_hz: u32,
    /// Bits a second on the UART.
    pub baud: u32,
    /// Bytes of the array's memory.
    pub array_memory_bytes: u64,
    /// Bytes of the cache compute system's memory.
    pub ccs_memory_bytes: u64,
    /// Bytes of the Duality Cache's memory, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duality_memory_bytes: Option<u64>,
}

fn hexadecimal<S: serde::Serializer>(hash: &u64, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_str(&format!("{hash:#018x}"))
}

impl Identity {
    /// Asks a board.
    ///
    /// # Errors
    /// Anything about the line; [`LinkError::NotABoard`] if what answers is none.
    pub fn of(session: &mut Session) -> Result<Identity> {
        let words = session.read(BOARD_BASE, 7)?;
        let at = |offset: u64| words[offset as usize / 4];
        if at(REG_ID) != MAGIC {
            return Err(LinkError::NotABoard { port: session.port(), id: at(REG_ID), expected: MAGIC });
        }
        let version = at(REG_VERSION);
        Ok(Identity {
            version: [version >> 24, version >> 16 & 0xff, version & 0xffff],
            hash: u64::from(at(REG_HASH_HIGH)) << 32 | u64::from(at(REG_HASH_LOW)),
            clock_hz: at(REG_CLOCK),
            baud: at(REG_BAUD),
            array_memory_bytes: 1 << (at(REG_MEMORY) & 63),
            ccs_memory_bytes: 1 << (at(REG_MEMORY) >> MEMORY_CCS_LSB & 63),
            duality_memory_bytes: match at(REG_MEMORY) >> MEMORY_DUALITY_LSB & 63 {
                0 => None,
                bits => Some(1 << bits),
            },
        })
    }

    /// Options that describe a board with this identity, if a preset fits.
    pub fn options(&self) -> Option<String> {
        let fits = |name: &&str| {
            let Ok(params) = SystemParams::preset(name) else { return false };
            let params = SystemParams { clock_mhz: self.clock_hz / 1_000_000, baud: self.baud, ..params };
            params.check().is_ok() && params.hash() == self.hash
        };
        let name = SYSTEM_PRESETS.iter().map(|preset| preset.0).find(fits)?;
        Some(format!("--preset {name} --clock {} --baud {}", self.clock_hz / 1_000_000, self.baud))
    }

    /// Holds it against what the tool was told.
    ///
    /// # Errors
    /// [`LinkError::Configuration`] if it is another board.
    pub fn check(&self, params: &SystemParams) -> Result<()> {
        if self.hash == params.hash() {
            return Ok(());
        }
        Err(LinkError::Configuration {
            board: self.hash,
            version: self.version_text(),
            tool: params.hash(),
            described: format!("preset {} at {} MHz and {} baud", params.name, params.clock_mhz, params.baud),
            options: self.options(),
        })
    }

    /// Its version as text.
    pub fn version_text(&self) -> String {
        let [major, minor, patch] = self.version;
        format!("{major}.{minor}.{patch}")
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "version             {}", self.version_text())?;
        writeln!(f, "configuration       {:#018x}", self.hash)?;
        writeln!(f, "clock               {} MHz", f64::from(self.clock_hz) / 1e6)?;
        writeln!(f, "line                {} baud", self.baud)?;
        writeln!(f, "array memory        {} bytes", self.array_memory_bytes)?;
        writeln!(f, "ccs memory          {} bytes", self.ccs_memory_bytes)?;
        self.duality_memory_bytes.map_or(Ok(()), |bytes| writeln!(f, "duality memory      {bytes} bytes"))
    }
}

/// A board of the tool's own configuration.
pub struct Board {
    /// The way to it.
    pub session: Session,
    /// What it is.
    pub params: SystemParams,
    /// What it says it is.
    pub identity: Identity,
}

impl Board {
    /// Asks who is there and holds it against `params`. `answer` is how long to wait for one.
    ///
    /// # Errors
    /// As [`Identity::of`]; [`LinkError::Configuration`] if it is another board.
    pub fn connect(transport: Box<dyn Transport>, params: &SystemParams, answer: Duration) -> Result<Board> {
        let mut session = Session::new(transport, Timing::of(params, answer));
        let identity = Identity::of(&mut session)?;
        identity.check(params)?;
        Ok(Board { session, params: params.clone(), identity })
    }

    /// Loads bytes into memory; of the last word only those that are there.
    ///
    /// # Errors
    /// Anything about the line; [`crate::error::Error::Parameter`] for bytes that are not there.
    pub fn load(&mut self, address: u32, bytes: &[u8], progress: &mut dyn FnMut(u64, u64)) -> Result<()> {
        place::check(&self.params, address, bytes.len().max(1) as u64)?;
        let (whole, rest) = bytes.split_at(bytes.len() & !3);
        for (i, block) in whole.chunks(BLOCK).enumerate() {
            self.session.write(address + (BLOCK * i) as u32, &words(block))?;
            progress((BLOCK * i + block.len()) as u64, bytes.len() as u64);
        }
        if !rest.is_empty() {
            let at = address + whole.len() as u32;
            let mut last = self.session.read_word(at)?.to_le_bytes();
            last[..rest.len()].copy_from_slice(rest);
            self.session.write(at, &[u32::from_le_bytes(last)])?;
            progress(bytes.len() as u64, bytes.len() as u64);
        }
        Ok(())
    }

    /// Reads bytes of memory.
    ///
    /// # Errors
    /// As [`Board::load`].
    pub fn store(&mut self, address: u32, count: usize, progress: &mut dyn FnMut(u64, u64)) -> Result<Vec<u8>> {
        place::check(&self.params, address, count as u64)?;
        let mut bytes = Vec::with_capacity(count.min(1 << 24) + 3);
        while bytes.len() < count {
            let block = (count - bytes.len()).min(BLOCK).div_ceil(4);
            bytes.extend(unpack(&self.session.read(address + bytes.len() as u32, block)?));
            progress(bytes.len().min(count) as u64, count as u64);
        }
        bytes.truncate(count);
        Ok(bytes)
    }
}

/// Bytes between two calls of a progress function.
const BLOCK: usize = 4096;
