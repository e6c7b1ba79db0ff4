//! The board's own registers, described once, in the way of [`crate::regmap`]. They begin at
//! [`crate::system::protocol::BOARD_BASE`].

use crate::regmap::{Access, Field, Register, Reset, registers};
use crate::system::SystemParams;

/// Bits of a byte address inside the block.
pub const ADDRESS_BITS: usize = 6;
/// `BLBD` in ASCII, the first character in the lowest byte.
pub const MAGIC: u32 = u32::from_le_bytes(*b"BLBD");

const ZERO: Reset = Reset::Value(0);

registers! {
    /// Identification: tells that this is a bitline board system.
    REG_ID "id" @ 0x00 {
        /// `BLBD` in ASCII, the first character in the lowest byte.
        ID_MAGIC_LSB "magic" [0 +: 32] ReadOnly Reset::Value(MAGIC);
    }
    /// Version of the generator that wrote the design.
    REG_VERSION "version" @ 0x04 {
        /// Patch.
        VERSION_PATCH_LSB "patch" [0 +: 16] ReadOnly Reset::Design;
        /// Minor.
        VERSION_MINOR_LSB "minor" [16 +: 8] ReadOnly Reset::Design;
        /// Major.
        VERSION_MAJOR_LSB "major" [24 +: 8] ReadOnly Reset::Design;
    }
    /// Configuration hash, low half: 64-bit FNV-1a over the system's parameters as JSON.
    REG_HASH_LOW "hash_low" @ 0x08 {
        /// Bits 31 to 0.
        HASH_LOW_LSB "hash" [0 +: 32] ReadOnly Reset::Design;
    }
    /// Configuration hash, high half.
    REG_HASH_HIGH "hash_high" @ 0x0c {
        /// Bits 63 to 32.
        HASH_HIGH_LSB "hash" [0 +: 32] ReadOnly Reset::Design;
    }
    /// Clock of the design.
    REG_CLOCK "clock" @ 0x10 {
        /// Hertz.
        CLOCK_LSB "hertz" [0 +: 32] ReadOnly Reset::Design;
    }
    /// Rate of the UART.
    REG_BAUD "baud" @ 0x14 {
        /// Bits a second.
        BAUD_LSB "baud" [0 +: 32] ReadOnly Reset::Design;
    }
    /// Size of the memories, in powers of two.
    REG_MEMORY "memory" @ 0x18 {
        /// Bytes of the array's memory.
        MEMORY_ARRAY_LSB "array" [0 +: 8] ReadOnly Reset::Design;
        /// Bytes of the cache compute system's memory.
        MEMORY_CCS_LSB "ccs" [8 +: 8] ReadOnly Reset::Design;
        /// Bytes of the Duality Cache's memory; 0 if the system has no Duality Cache.
        MEMORY_DUALITY_LSB "duality" [16 +: 8] ReadOnly Reset::Design;
    }
    /// Scratch: holds what is written, for tests of the line.
    REG_SCRATCH "scratch" @ 0x1c {
        /// Any value.
        SCRATCH_LSB "value" [0 +: 32] ReadWrite ZERO;
    }
    /// LEDs.
    REG_LED "led" @ 0x20 {
        /// What they show while `override` is 1.
        LED_VALUE_LSB "value" [0 +: 8] ReadWrite ZERO;
        /// They show `value`.
        LED_OVERRIDE_LSB "override" [8 +: 1] ReadWrite ZERO;
    }
    /// Buttons and switches.
    REG_INPUTS "inputs" @ 0x24 {
        /// Push-buttons: up, left, down, right, centre.
        INPUTS_BUTTONS_LSB "buttons" [0 +: 5] ReadOnly ZERO;
        /// DIP switches.
        INPUTS_SWITCHES_LSB "switches" [8 +: 8] ReadOnly ZERO;
    }
    /// Requests answered with status `ok` since reset.
    REG_FRAMES_OK "frames_ok" @ 0x28 {
        /// Their number modulo 2^32, without the one that reads it.
        FRAMES_OK_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
    /// Requests answered with any other status since reset.
    REG_FRAMES_REFUSED "frames_refused" @ 0x2c {
        /// Their number modulo 2^32.
        FRAMES_REFUSED_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
    /// Bytes with a wrong stop bit since reset.
    REG_WRONG_BYTES "wrong_bytes" @ 0x30 {
        /// Their number modulo 2^32.
        WRONG_BYTES_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
}

/// What a register holds after reset in this system. For identification registers this is what they always read.
pub fn reset_value(system: &SystemParams, register: &Register) -> u32 {
    let value = |f: &Field| match f.reset {
        Reset::Value(value) => value,
        Reset::Design => design_value(system, register.name, f.name),
    };
    register.fields.iter().map(|f| value(f) << f.lsb).fold(0, |sum, bits| sum | bits)
}

/// The register of this name.
pub fn register(name: &str) -> Option<&'static Register> {
    REGISTERS.iter().find(|r| r.name == name)
}

fn design_value(system: &SystemParams, register: &str, field: &str) -> u32 {
    let version = |part: &str| part.parse::<u32>().expect("cargo checks the version");
    match (register, field) {
        ("version", "patch") => version(env!("CARGO_PKG_VERSION_PATCH")),
        ("version", "minor") => version(env!("CARGO_PKG_VERSION_MINOR")),
        ("version", "major") => version(env!("CARGO_PKG_VERSION_MAJOR")),
        ("hash_low", "hash") => system.hash() as u32,
        ("hash_high", "hash") => (system.hash() >> 32) as u32,
        ("clock", "hertz") => system.clock_mhz * 1_000_000,
        ("baud", "baud") => system.baud,
        ("memory", "array") => system.array_memory_bits() as u32,
        ("memory", "ccs") => system.ccs_memory_bits() as u32,
        ("memory", "duality") => system.duality_memory_bits().unwrap_or(0) as u32,
        _ => unreachable!("a test asks for every field"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regmap::writable_in;

    #[test]
    fn every_register_has_a_value_and_a_place() {
        let system = SystemParams::preset("tiny").expect("named");
        for register in REGISTERS {
            let value = reset_value(&system, register);
            assert!(register.offset < 1 << ADDRESS_BITS && register.offset % 4 == 0, "{}", register.name);
            assert_eq!(register.name == "id", value == MAGIC);
        }
        assert_eq!(reset_value(&system, register("clock").expect("named")), 100_000_000);
        assert_eq!(reset_value(&system, register("memory").expect("named")), 12 | 12 << 8);
        let with = SystemParams::preset("duality-tiny").expect("named");
        assert_eq!(reset_value(&with, register("memory").expect("named")), 12 | 12 << 8 | 16 << 16);
        assert_eq!(writable_in(REGISTERS, REG_LED), 0x1ff);
    }
}
