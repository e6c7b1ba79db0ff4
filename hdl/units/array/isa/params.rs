//! Parameters of a design, checked once. Presets are in `bitline_units::array::presets`.

use std::fmt;

use serde::{Deserialize, Serialize};

pub use crate::array::isa::latch::Latch;
use crate::array::isa::microcode::{MAX_DEPTH, Microcode};
use crate::array::isa::operation::Context;
use crate::array::isa::{Opcode, Set, custom};
use crate::error::{Error, Result};

/// How the columns see the rows raised (Neural Cache, Fig. 1; Duality Cache §2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sensing {
    /// The papers' 6T cell: AND on the bitline, NOR on its complement, over all rows raised.
    AndNor,
    /// Block RAM with two read ports: the bits of both rows.
    TwoPort,
}

/// What holds the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// Any set of wordlines at once; read, compute and write in one cycle. For simulation and ASIC macros.
    Behavioural,
    /// Two mirrored simple-dual-port block RAMs, pipelined: read, latch, compute and write.
    BlockRam,
}

impl Sensing {
    /// Both modes.
    pub const ALL: [Sensing; 2] = [Sensing::AndNor, Sensing::TwoPort];
    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Sensing::AndNor => "and_nor",
            Sensing::TwoPort => "two_port",
        }
    }
}

impl Memory {
    /// Both kinds.
    pub const ALL: [Memory; 2] = [Memory::Behavioural, Memory::BlockRam];
    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Memory::Behavioural => "behavioural",
            Memory::BlockRam => "block_ram",
        }
    }
}

impl fmt::Display for Sensing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What the columns are: how they sense, and how many bits of a multiplier they take in a cycle. Codes of the control
/// word that not all columns know ask for one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Columns {
    /// `and_nor` sensing.
    AndNor,
    /// `two_port` sensing.
    TwoPort,
    /// The same with a second adder: two bits of a multiplier a cycle.
    Radix4,
}

impl From<Sensing> for Columns {
    /// Those with radix 2.
    fn from(sensing: Sensing) -> Columns {
        Columns::new(sensing, 2)
    }
}

impl Columns {
    /// Every kind.
    pub const ALL: [Columns; 3] = [Columns::AndNor, Columns::TwoPort, Columns::Radix4];

    /// Those with this sensing and radix.
    pub fn new(sensing: Sensing, radix: u8) -> Columns {
        match (sensing, radix) {
            (Sensing::AndNor, _) => Columns::AndNor,
            (Sensing::TwoPort, 4) => Columns::Radix4,
            (Sensing::TwoPort, _) => Columns::TwoPort,
        }
    }

    /// How they sense.
    pub fn sensing(self) -> Sensing {
        if self == Columns::AndNor { Sensing::AndNor } else { Sensing::TwoPort }
    }

    /// Multiplier bits that they take in a cycle, as a power of two.
    pub fn radix(self) -> u8 {
        if self == Columns::Radix4 { 4 } else { 2 }
    }

    /// Whether they can do what is asked of such columns: a second adder takes nothing away.
    #[inline]
    pub fn meet(self, asked: Columns) -> bool {
        self == asked || (self, asked) == (Columns::Radix4, Columns::TwoPort)
    }
}

/// How elements come from memory and go there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryPort {
    /// Not at all: rows come and go over the row streams.
    #[default]
    None,
    /// An AXI4 master with 64 bits of data.
    Axi64,
    /// An AXI4 master with 128 bits of data.
    Axi128,
    /// An AXI4 master with 256 bits of data.
    Axi256,
    /// An AXI4 master with 512 bits of data.
    Axi512,
    /// AXI4-Stream, an element a beat: for FIFOs.
    Stream,
}

impl MemoryPort {
    /// Every kind.
    pub const ALL: [MemoryPort; 6] = [
        MemoryPort::None,
        MemoryPort::Axi64,
        MemoryPort::Axi128,
        MemoryPort::Axi256,
        MemoryPort::Axi512,
        MemoryPort::Stream,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            MemoryPort::None => "none",
            MemoryPort::Axi64 => "axi64",
            MemoryPort::Axi128 => "axi128",
            MemoryPort::Axi256 => "axi256",
            MemoryPort::Axi512 => "axi512",
            MemoryPort::Stream => "stream",
        }
    }

    /// Bits of data of the AXI4 master; 0 without one.
    pub fn bus_bits(self) -> usize {
        match self {
            MemoryPort::None | MemoryPort::Stream => 0,
            MemoryPort::Axi64 => 64,
            MemoryPort::Axi128 => 128,
            MemoryPort::Axi256 => 256,
            MemoryPort::Axi512 => 512,
        }
    }

    fn is_none(&self) -> bool {
        *self == MemoryPort::None
    }
}

/// Number of columns a design may have.
pub const COLUMNS: [usize; 7] = [8, 16, 32, 64, 128, 256, 512];
/// Bits of a row address, in every design: memories take the low bits that they need.
pub const ROW_ADDRESS_BITS: usize = 10;

/// Parameters of a compute array and its sequencer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Name of the design in headers and the manifest.
    pub name: String,
    /// Wordlines; 8 to 1024.
    pub rows: usize,
    /// Bitline pairs, one element each; one of [`COLUMNS`].
    pub columns: usize,
    /// Sensing mode.
    pub sensing: Sensing,
    /// Memory kind.
    pub memory: Memory,
    /// Column latches besides C and T.
    pub latches: Vec<Latch>,
    /// Micro-program sets in the ROM.
    pub sets: Vec<Set>,
    /// Commands that wait in front of the sequencer; 2, 4, 8 or 16.
    pub command_fifo: usize,
    /// The way to memory. Designs without one are known by the same hash as ever.
    #[serde(default, skip_serializing_if = "MemoryPort::is_none")]
    pub memory_port: MemoryPort,
    /// Floating-point operations are in the ROM. Designs without them are known by the same hash as ever.
    #[serde(default, skip_serializing_if = "is_false")]
    pub float: bool,
    /// Multiplier bits that a column takes in a cycle, as a power of two: 2, or 4 with a second adder in every column.
    /// Designs with radix 2 are known by the same hash as ever.
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub radix: u8,
    /// Operations of the library's user that are in the ROM, by name; registered in this process
    /// ([`crate::array::isa::custom`]). Designs without one are known by the same hash as ever.
    #[serde(default, with = "custom::names", skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<Opcode>,
    /// Floating-point operations but functions report exceptions: micro-programs have rows for it, and the register
    /// `flags` keeps what they report. Designs without are known by the same hash as ever.
    #[serde(default, skip_serializing_if = "is_false")]
    pub exception_flags: bool,
    /// Operations on unpacked floating-point numbers, whose sums are neither normalised nor rounded, are in the ROM.
    /// Designs without are known by the same hash as ever.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unpacked: bool,
}

/// The radix of designs that do not say.
pub fn two() -> u8 {
    2
}

/// Whether a radix is that of designs that do not say, which stands in no hash.
pub fn is_two(value: &u8) -> bool {
    *value == 2
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Params {
    /// Refuses parameters that no design can have.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the first rule broken.
    pub fn check(&self) -> Result<()> {
        let legal_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if self.name.is_empty() || self.name.len() > 32 || !self.name.chars().all(legal_name) {
            return Err(Error::parameter("name", &self.name, "1 to 32 characters a-z, 0-9 and _"));
        }
        if !COLUMNS.contains(&self.columns) {
            return Err(Error::parameter("columns", self.columns, format!("must be one of {COLUMNS:?}")));
        }
        if !(8..=1 << ROW_ADDRESS_BITS).contains(&self.rows) {
            return Err(Error::parameter("rows", self.rows, "must be 8 to 1024"));
        }
        if self.memory == Memory::BlockRam && !self.rows.is_power_of_two() {
            return Err(Error::parameter("rows", self.rows, "must be a power of two with block_ram memory"));
        }
        let mut latches = self.latches.clone();
        latches.sort_unstable();
        latches.dedup();
        if latches.len() != self.latches.len() {
            return Err(Error::parameter("latches", format!("{:?}", self.latches), "each latch at most once"));
        }
        if self.sets.is_empty() {
            return Err(Error::parameter("sets", "[]", "at least one micro-program set"));
        }
        let mut sets = self.sets.clone();
        sets.sort_unstable();
        sets.dedup();
        if sets.len() != self.sets.len() {
            return Err(Error::parameter("sets", format!("{:?}", self.sets), "each set at most once"));
        }
        if ![2, 4].contains(&self.radix) {
            return Err(Error::parameter("radix", self.radix, "must be 2 or 4"));
        }
        if self.radix == 4 && self.sensing != Sensing::TwoPort {
            // A second partial product in a cycle takes the multiplicand's bit beside the product's.
            return Err(Error::parameter(
                "radix",
                4,
                "needs two_port sensing: columns see a row's bit beside another's",
            ));
        }
        if let Some(other) = self.latches.iter().find(|latch| self.radix == 4 && !latch.suits(self.sensing)) {
            let rule = format!("with radix = 4 the second adder has the place of {} in the control word", other.name());
            return Err(Error::parameter("latches", other.name(), rule));
        }
        if self.exception_flags && !self.float {
            return Err(Error::parameter("exception_flags", true, "needs float = true: operations that report"));
        }
        if self.unpacked && !self.float {
            return Err(Error::parameter("unpacked", true, "needs float = true: numbers that are unpacked"));
        }
        if ![2, 4, 8, 16].contains(&self.command_fifo) {
            return Err(Error::parameter("command_fifo", self.command_fifo, "must be 2, 4, 8 or 16"));
        }
        self.check_custom()
    }

    /// Each operation of the library's user is there once, is registered, and has programs for this hardware.
    fn check_custom(&self) -> Result<()> {
        for (at, &opcode) in self.custom.iter().enumerate() {
            let name = opcode.name();
            if self.custom[..at].contains(&opcode) {
                return Err(Error::parameter("custom", name, "each operation at most once"));
            }
            let Some(custom) = custom::of(opcode) else {
                return Err(Error::parameter("custom", format!("{opcode:?}"), "no such operation is registered"));
            };
            for &set in &self.sets {
                let cx = Context::of(self, set);
                let Some(operation) = (custom.operation)(opcode, cx) else {
                    let (sensing, memory, radix) = (self.sensing, self.memory, self.radix);
                    let rule = format!(
                        "has no micro-program for {sensing} sensing on {memory} memory, radix {radix}, set {set}"
                    );
                    return Err(Error::parameter("custom", name, rule));
                };
                if let Some(latch) = operation.latches().iter().find(|&&latch| !self.has(latch)) {
                    return Err(Error::parameter("custom", name, format!("needs the latch {}", latch.name())));
                }
            }
        }
        let [rows, words] = if self.custom.is_empty() { [0, 0] } else { Microcode::depths(self) };
        if rows.max(words) > MAX_DEPTH {
            let names: Vec<&str> = self.custom.iter().map(|opcode| opcode.name()).collect();
            let rule =
                format!("{rows} micro-program rows and {words} setup words: must be at most {MAX_DEPTH} of each");
            return Err(Error::parameter("custom", names.join(", "), rule));
        }
        Ok(())
    }

    /// The operations that a design with these parameters knows, if it has their latches.
    pub fn opcodes(&self) -> Vec<Opcode> {
        let all = Opcode::ALL.iter().chain(&self.custom).copied();
        all.filter(|&opcode| self.knows(opcode)).collect()
    }

    /// Whether a design with these parameters knows an operation.
    pub fn knows(&self, opcode: Opcode) -> bool {
        match opcode {
            opcode if opcode.is_custom() => self.custom.contains(&opcode),
            opcode if opcode.is_unpacked() => self.unpacked,
            opcode => self.float || !opcode.needs_float(),
        }
    }

    /// Pages of the setup ROM's directory, by the largest opcodes: 1 to 3.
    pub fn pages(&self) -> usize {
        if self.float {
            3
        } else if !self.custom.is_empty() {
            2
        } else {
            1
        }
    }

    /// Whether the column has a latch.
    #[inline]
    pub fn has(&self, latch: Latch) -> bool {
        self.latches.contains(&latch)
    }

    /// Whether the column has a latch and its sensing has a use for it.
    #[inline]
    pub fn uses(&self, latch: Latch) -> bool {
        self.has(latch) && latch.suits(self.sensing)
    }

    /// What the columns are.
    #[inline]
    pub fn kind(&self) -> Columns {
        Columns::new(self.sensing, self.radix)
    }

    /// Bits of a beat on the row streams: a row's width, at most 64.
    pub fn beat_bits(&self) -> usize {
        self.columns.min(64)
    }
}
