//! What a program is started with, what its run did, and why it stopped.

use std::fmt;

use bitline_units::duality::isa::Kind;
use bitline_units::duality::isa::codes::Trap;
use bitline_units::duality::params::{DualityParams, SCALARS};
use bitline_units::error::{Error, Result as Checked};

/// What a program is started with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// CTAs in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a CTA in x, y and z.
    pub block: [u32; 3],
    /// What scalar registers from 0 on hold at the beginning; the others hold 0.
    pub parameters: Vec<u32>,
    /// Bytes of a CTA's shared window.
    pub shared_bytes: u32,
    /// Where the windows lie in memory, one behind the other.
    pub shared_base: u32,
    /// Where spill rows lie in memory, a multiple of 64: a bit for each thread, one row behind the other.
    pub spill_base: u32,
    /// How many there are.
    pub spill_rows: u32,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Words that were executed, by kind, in the order of [`Kind::ALL`].
    pub words: [u64; Kind::ALL.len()],
    /// Accesses of single threads to memory.
    pub accesses: u64,
    /// Times that the control block was filled with CTAs.
    pub waves: u64,
    /// Threads in all.
    pub threads: u64,
    /// The code with which the program ended: the first that is not 0.
    pub code: u64,
    /// Mask rows in which a thread was left at the end of a wave. In a program that meets all its threads again there
    /// is none.
    pub left: Vec<u64>,
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why; nothing if the number of words was limited, and reached.
    pub trap: Option<Trap>,
    /// The word, which has done nothing.
    pub pc: usize,
    /// The first thread that it concerns.
    pub thread: Option<usize>,
    /// The address that this thread has asked for.
    pub address: Option<u32>,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.trap {
            Some(trap) => write!(f, "word {}: trap {trap} ({})", self.pc, trap.code())?,
            None => write!(f, "word {}: as many words as were allowed have been executed", self.pc)?,
        }
        self.thread.map_or(Ok(()), |thread| write!(f, ", thread {thread}"))?;
        self.address.map_or(Ok(()), |address| write!(f, ", address {address:#x}"))
    }
}

impl Launch {
    /// Threads of a CTA.
    pub fn cta(&self) -> u64 {
        self.block.iter().map(|&count| u64::from(count)).product()
    }

    /// CTAs of the grid.
    pub fn ctas(&self) -> u64 {
        self.grid.iter().map(|&count| u64::from(count)).product()
    }

    /// Refuses what a control block cannot be started with.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self, params: &DualityParams, arrays: usize) -> Checked<()> {
        let threads = params.threads(arrays) as u64;
        let ctas = self.ctas();
        if !(1..=threads).contains(&self.cta()) {
            let each = if arrays > 1 { format!(" of {arrays} arrays each") } else { String::new() };
            let rule = format!("must be 1 to {threads} threads{each}");
            return Err(Error::parameter("block", format!("{:?}", self.block), rule));
        }
        if !(1..=1 << 32).contains(&ctas) || self.grid.iter().any(|&count| count > 1 << 20) {
            return Err(Error::parameter("grid", format!("{:?}", self.grid), "must be 1 to 2^32 CTAs, 2^20 a side"));
        }
        if self.parameters.len() > SCALARS {
            return Err(Error::parameter("parameters", self.parameters.len(), format!("must be 0 to {SCALARS}")));
        }
        let windows = threads / self.cta() * u64::from(self.shared_bytes) + u64::from(self.shared_base);
        if windows > 1 << 32 || !self.shared_base.is_multiple_of(64) || !self.shared_bytes.is_multiple_of(64) {
            let rule = "windows begin at multiples of 64 bytes and end below 2^32";
            return Err(Error::parameter("shared_base", self.shared_base, rule));
        }
        if !self.spill_base.is_multiple_of(64) || self.spill_rows > u16::MAX.into() {
            let rule = "spill rows begin at a multiple of 64 bytes, and are 65535 at most";
            return Err(Error::parameter("spill_base", self.spill_base, format!("{rule}: {}", self.spill_rows)));
        }
        Ok(())
    }
}
