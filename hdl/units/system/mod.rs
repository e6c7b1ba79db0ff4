//! Board systems: what the FPGA of a board holds, as parameters with rules and presets.
//!
//! A system is a compute array with its memory, a cache compute system with its memory, if it is asked for a Duality
//! Cache with its memory, and the UART bridge in front of all of them.

pub mod blocks;
mod config;

use crate::array::params::{MemoryPort, Params};
use crate::array::presets;
use crate::ccs::{CcsGeometry, CcsMemory};
use crate::duality::DualityParams;
use crate::error::{Error, Result};
use crate::regmap::fnv1a;
use crate::system::protocol::{DEFAULT_BAUD, DEFAULT_TIMEOUT_BITS};

pub mod protocol;
pub mod registers;

/// Least cycles of a bit on the line: the receiver looks in the middle of one, two cycles late.
pub const MIN_CYCLES_A_BIT: u32 = 4;
/// Default clock of the design in MHz, that of the paper's system: the longest logic path, in the array's way to
/// memory, takes 5.2 ns before routing.
pub const DEFAULT_CLOCK_MHZ: u32 = 100;

/// Parameters of a board system.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemParams {
    /// Name in headers and messages.
    pub name: String,
    /// The compute array; its memory port is AXI4 with 64 bits of data.
    pub array: Params,
    /// Words of 8 bytes in the array's memory: a power of two from 512 to 2^20.
    pub array_memory_words: usize,
    /// The cache compute system; its memory is on the chip.
    pub ccs: CcsGeometry,
    /// Lines in its memory: a power of two from 16 to 2^20.
    pub ccs_memory_lines: usize,
    /// The Duality Cache, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duality: Option<SystemDuality>,
    /// Clock of the design in MHz: 10 to 400.
    pub clock_mhz: u32,
    /// Bits a second on the UART.
    pub baud: u32,
    /// Time-out within a frame, in bits on the line: a power of two from 64 to 2^24.
    pub timeout_bits: u32,
}

/// A Duality Cache in a board system.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemDuality {
    /// The unit; its memory is on the chip.
    pub unit: DualityParams,
    /// Words of 8 bytes in its memory: a power of two from 512 to 2^20.
    pub memory_words: usize,
}

/// Array of a named system, its memory's words, cache compute system, its memory's lines, Duality Cache, if there is
/// one, and its memory's words.
pub type Parts = (&'static str, usize, &'static str, usize, Option<(&'static str, usize)>);

/// Named systems: name, what it is, what it has.
pub const SYSTEM_PRESETS: [(&str, &str, Parts); 5] = [
    ("vc709", "512 x 256 array, 64 lanes of 32 bits, 128 KiB of memory each", ("default", 1 << 14, "vc709", 512, None)),
    ("small", "512 x 256 array, 16 lanes of 32 bits, 16 KiB of memory each", ("default", 1 << 11, "small", 256, None)),
    (
        "tiny",
        "32 x 8 array, 4 lanes of 32 bits, 4 KiB of memory each: for tests and quick looks",
        ("tiny", 512, "tiny", 256, None),
    ),
    (
        "duality",
        "small with a Duality Cache: a control block of 128 threads, and 1 MiB of memory",
        ("default", 1 << 11, "small", 256, Some(("small", 1 << 17))),
    ),
    (
        "duality-tiny",
        "tiny with a Duality Cache: a control block of 8 threads, and 64 KiB of memory",
        ("tiny", 512, "tiny", 256, Some(("tiny", 1 << 13))),
    ),
];

impl SystemDuality {
    /// A named Duality Cache with so many words of memory.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is none of this name.
    pub fn preset(name: &str, memory_words: usize) -> Result<SystemDuality> {
        Ok(SystemDuality { unit: DualityParams::preset(name)?, memory_words })
    }
}

impl SystemParams {
    /// The system of this name.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is none.
    pub fn preset(name: &str) -> Result<SystemParams> {
        let found = SYSTEM_PRESETS.iter().find(|preset| preset.0 == name);
        let Some(&(name, _, (array, array_memory_words, ccs, ccs_memory_lines, duality))) = found else {
            let names = SYSTEM_PRESETS.map(|preset| preset.0).join(", ");
            return Err(Error::parameter("preset", name, format!("must be one of {names} for a board")));
        };
        Ok(SystemParams {
            name: name.into(),
            array: Params { memory_port: MemoryPort::Axi64, ..presets::preset(array)? },
            array_memory_words,
            ccs: CcsGeometry::preset(ccs)?,
            ccs_memory_lines,
            duality: duality.map(|(preset, words)| SystemDuality::preset(preset, words)).transpose()?,
            clock_mhz: DEFAULT_CLOCK_MHZ,
            baud: DEFAULT_BAUD,
            timeout_bits: DEFAULT_TIMEOUT_BITS,
        })
    }

    /// Cycles of a bit on the line, rounded to the nearest.
    pub fn cycles_a_bit(&self) -> u32 {
        let clock = u64::from(self.clock_mhz) * 1_000_000;
        ((clock + u64::from(self.baud) / 2) / u64::from(self.baud.max(1))) as u32
    }

    /// log2 of the bytes in the array's memory.
    pub fn array_memory_bits(&self) -> usize {
        self.array_memory_words.max(1).ilog2() as usize + 3
    }

    /// log2 of the bytes in the cache compute system's memory.
    pub fn ccs_memory_bits(&self) -> usize {
        (self.ccs_memory_lines.max(1) * self.ccs.line_bytes().max(1)).ilog2() as usize
    }

    /// log2 of the bytes in the Duality Cache's memory, if there is one.
    pub fn duality_memory_bits(&self) -> Option<usize> {
        self.duality.as_ref().map(|duality| duality.memory_words.max(1).ilog2() as usize + 3)
    }

    /// Checks the rules.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the parameter, its value and the rule it breaks.
    pub fn check(&self) -> Result<()> {
        self.array.check()?;
        self.ccs.check()?;
        let between = |low: usize, high: usize, value: usize| value.is_power_of_two() && (low..=high).contains(&value);
        if self.array.memory_port != MemoryPort::Axi64 {
            let rule = "must be axi64 in a board system";
            return Err(Error::parameter("memory_port", self.array.memory_port.name(), rule));
        }
        if self.ccs.memory != CcsMemory::Line {
            let rule = "must be a line port in a board system";
            return Err(Error::parameter("memory", format!("{} bits", self.ccs.memory.bus_bits()), rule));
        }
        if !between(512, 1 << 20, self.array_memory_words) {
            let rule = "must be a power of two from 512 to 2^20";
            return Err(Error::parameter("array_memory_words", self.array_memory_words, rule));
        }
        if !between(16, 1 << 20, self.ccs_memory_lines) {
            let rule = "must be a power of two from 16 to 2^20";
            return Err(Error::parameter("ccs_memory_lines", self.ccs_memory_lines, rule));
        }
        if let Some(duality) = &self.duality {
            duality.unit.check()?;
            if !between(512, 1 << 20, duality.memory_words) {
                let rule = "must be a power of two from 512 to 2^20";
                return Err(Error::parameter("duality_memory_words", duality.memory_words, rule));
            }
        }
        if !(10..=400).contains(&self.clock_mhz) {
            return Err(Error::parameter("clock_mhz", self.clock_mhz, "must be from 10 to 400"));
        }
        let fastest = self.clock_mhz * 1_000_000 / MIN_CYCLES_A_BIT;
        if self.baud < 1200 || self.baud > fastest {
            let rule = format!("must be from 1200 to {fastest}, a quarter of the clock");
            return Err(Error::parameter("baud", self.baud, rule));
        }
        // The line's rate comes from whole cycles: receivers bear an error of 2 % on each side.
        let real = f64::from(self.clock_mhz) * 1e6 / f64::from(self.cycles_a_bit());
        let off = (real / f64::from(self.baud) - 1.0).abs();
        if off > 0.02 {
            let rule = format!(
                "must be within 2 % of {} MHz divided by a whole number; the nearest is {real:.0}",
                self.clock_mhz
            );
            return Err(Error::parameter("baud", self.baud, rule));
        }
        if !between(64, 1 << 24, self.timeout_bits as usize) {
            let rule = "must be a power of two from 64 to 2^24";
            return Err(Error::parameter("timeout_bits", self.timeout_bits, rule));
        }
        Ok(())
    }

    /// Identifies the configuration: 64-bit FNV-1a over the parameters as JSON. The board's registers hold it.
    pub fn hash(&self) -> u64 {
        let mut system = self.clone();
        system.array.latches.sort_unstable();
        system.array.sets.sort_unstable();
        if let Some(duality) = &mut system.duality {
            duality.unit.sets.sort_unstable();
        }
        fnv1a(&serde_json::to_vec(&system).expect("numbers and strings always serialise"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_keep_the_rules() {
        for (name, ..) in SYSTEM_PRESETS {
            let system = SystemParams::preset(name).unwrap();
            system.check().unwrap();
            assert_eq!(system.cycles_a_bit(), 33);
        }
        assert!(SystemParams::preset("big").unwrap_err().to_string().contains("preset = big"));
    }

    #[test]
    fn wrong_parameters_are_named() {
        let good = SystemParams::preset("tiny").unwrap();
        let wrong = [
            (SystemParams { baud: 100_000_000, ..good.clone() }, "baud = 100000000: must be from 1200 to 25000000"),
            (SystemParams { baud: 22_000_000, ..good.clone() }, "within 2 %"),
            (SystemParams { clock_mhz: 500, ..good.clone() }, "clock_mhz = 500"),
            (SystemParams { timeout_bits: 65, ..good.clone() }, "timeout_bits = 65"),
            (SystemParams { array_memory_words: 511, ..good.clone() }, "array_memory_words = 511"),
            (SystemParams { ccs_memory_lines: 8, ..good.clone() }, "ccs_memory_lines = 8"),
        ];
        for (system, part) in wrong {
            let message = system.check().unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        let duality = SystemDuality::preset("tiny", 1000).unwrap();
        let message = SystemParams { duality: Some(duality), ..good.clone() }.check().unwrap_err().to_string();
        assert!(message.starts_with("duality_memory_words = 1000: must be a power of two"), "{message}");
        let mut duality = SystemDuality::preset("tiny", 512).unwrap();
        let with = |duality: &SystemDuality| SystemParams { duality: Some(duality.clone()), ..good.clone() };
        assert_ne!(good.hash(), with(&duality).hash());
        duality.unit.banks = 5;
        assert!(with(&duality).check().unwrap_err().to_string().contains("banks = 5"));
        let mut port = good.clone();
        port.array.memory_port = MemoryPort::None;
        assert!(port.check().unwrap_err().to_string().contains("memory_port = none"));
        assert_ne!(good.hash(), SystemParams { baud: 1_000_000, ..good.clone() }.hash());
    }
}
