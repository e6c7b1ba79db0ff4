//! The compute cache's AXI4-Lite address space, described once, in the way of [`crate::regmap`]: registers from 0, the
//! memory from [`WINDOW`] on.

use crate::compute_cache::{CACHE_OP_BITS, CacheGeometry};
use crate::regmap::{Access, Field, Register, Reset, fnv1a, registers, writable_in};

/// Bits of a byte address.
pub const ADDRESS_BITS: usize = 25;
/// Byte address of the memory.
pub const WINDOW: u64 = 1 << (ADDRESS_BITS - 1);
/// `BTCC` in ASCII, the first character in the lowest byte.
pub const MAGIC: u32 = u32::from_le_bytes(*b"BTCC");

const ZERO: Reset = Reset::Value(0);

registers! {
    /// Identification: tells that this is a bitline compute cache.
    REG_ID "id" @ 0x00 {
        /// `BTCC` in ASCII, the first character in the lowest byte.
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
    /// Geometry, in powers of two.
    REG_GEOMETRY "geometry" @ 0x08 {
        /// Bytes of a block.
        GEOMETRY_BLOCK_LSB "block" [0 +: 4] ReadOnly Reset::Design;
        /// Banks.
        GEOMETRY_BANKS_LSB "banks" [4 +: 4] ReadOnly Reset::Design;
        /// Sub-arrays of a bank.
        GEOMETRY_SUB_ARRAYS_LSB "sub_arrays" [8 +: 4] ReadOnly Reset::Design;
        /// Block partitions of a sub-array.
        GEOMETRY_PARTITIONS_LSB "partitions" [12 +: 4] ReadOnly Reset::Design;
        /// Rows of a sub-array.
        GEOMETRY_ROWS_LSB "rows" [16 +: 4] ReadOnly Reset::Design;
        /// Block operations that may start in a cycle.
        GEOMETRY_ISSUE_LSB "issue" [20 +: 4] ReadOnly Reset::Design;
        /// Instructions that the table holds.
        GEOMETRY_INSTRUCTIONS_LSB "instructions" [24 +: 4] ReadOnly Reset::Design;
    }
    /// Size of the memory.
    REG_CAPACITY "capacity" @ 0x0c {
        /// In bytes.
        CAPACITY_BYTES_LSB "bytes" [0 +: 32] ReadOnly Reset::Design;
    }
    /// Configuration hash, low half: 64-bit FNV-1a over the geometry as JSON; the same as in the Verilog headers.
    REG_HASH_LOW "hash_low" @ 0x10 {
        /// Bits 31 to 0.
        HASH_LOW_LSB "hash" [0 +: 32] ReadOnly Reset::Design;
    }
    /// Configuration hash, high half.
    REG_HASH_HIGH "hash_high" @ 0x14 {
        /// Bits 63 to 32.
        HASH_HIGH_LSB "hash" [0 +: 32] ReadOnly Reset::Design;
    }
    /// Control.
    REG_CONTROL "control" @ 0x18 {
        /// Raises the interrupt line while a result waits.
        CONTROL_RESULT_ENABLE_LSB "result_enable" [0 +: 1] ReadWrite ZERO;
    }
    /// Status.
    REG_STATUS "status" @ 0x1c {
        /// An instruction is in the table, or its result waits.
        STATUS_BUSY_LSB "busy" [0 +: 1] ReadOnly ZERO;
        /// A push would be taken.
        STATUS_READY_LSB "ready" [1 +: 1] ReadOnly Reset::Value(1);
        /// A result waits: the same as `result.valid`.
        STATUS_RESULT_LSB "result" [2 +: 1] ReadOnly ZERO;
    }
    /// Staged instruction: byte address of operand a in the memory. Staged registers keep their values after a push.
    REG_A "a" @ 0x20 {
        /// Address.
        A_ADDRESS_LSB "address" [0 +: 32] ReadWrite ZERO;
    }
    /// Staged instruction: byte address of operand b, or of the key.
    REG_B "b" @ 0x24 {
        /// Address.
        B_ADDRESS_LSB "address" [0 +: 32] ReadWrite ZERO;
    }
    /// Staged instruction: byte address of operand d.
    REG_D "d" @ 0x28 {
        /// Address.
        D_ADDRESS_LSB "address" [0 +: 32] ReadWrite ZERO;
    }
    /// Staged instruction: bytes of an operand.
    REG_SIZE "size" @ 0x2c {
        /// Bytes.
        SIZE_BYTES_LSB "bytes" [0 +: 32] ReadWrite ZERO;
    }
    /// Staged instruction: what to compute.
    REG_OPERATION "operation" @ 0x30 {
        /// Opcode.
        OPERATION_OPCODE_LSB "opcode" [0 +: CACHE_OP_BITS] ReadWrite ZERO;
        /// Granularity of a carry-less product: 0 for 64 bits, 1 for 128, 2 for 256.
        OPERATION_GRAIN_LSB "grain" [8 +: 2] ReadWrite ZERO;
        /// Comes back with the result.
        OPERATION_TAG_LSB "tag" [16 +: 8] ReadWrite ZERO;
    }
    /// Push: a write of any value puts the staged instruction into the table. If the table is full it is dropped and
    /// counted.
    REG_PUSH "push" @ 0x34 {
        /// Ignored.
        PUSH_LSB "push" [0 +: 32] WriteOnly ZERO;
    }
    /// The oldest result. Results come in the order of the instructions.
    REG_RESULT "result" @ 0x38 {
        /// A result waits; the other result registers are its.
        RESULT_VALID_LSB "valid" [0 +: 1] ReadOnly ZERO;
        /// Error code; 0 if the instruction has run.
        RESULT_CODE_LSB "code" [8 +: 3] ReadOnly ZERO;
        /// The instruction's tag.
        RESULT_TAG_LSB "tag" [16 +: 8] ReadOnly ZERO;
    }
    /// The oldest result's mask, low half: a bit for each word.
    REG_MASK_LOW "mask_low" @ 0x3c {
        /// Bits 31 to 0.
        MASK_LOW_LSB "mask" [0 +: 32] ReadOnly ZERO;
    }
    /// The oldest result's mask, high half.
    REG_MASK_HIGH "mask_high" @ 0x40 {
        /// Bits 63 to 32.
        MASK_HIGH_LSB "mask" [0 +: 32] ReadOnly ZERO;
    }
    /// What the oldest result's error code is about; 0 if there is none.
    REG_FAULT "fault" @ 0x44 {
        /// Byte address, or for code `size` the size.
        FAULT_ADDRESS_LSB "address" [0 +: 32] ReadOnly ZERO;
    }
    /// Pop: a write of any value takes the oldest result away, if there is one.
    REG_POP "pop" @ 0x48 {
        /// Ignored.
        POP_LSB "pop" [0 +: 32] WriteOnly ZERO;
    }
    /// Pushes that were dropped since reset because the table was full.
    REG_DROPPED "dropped" @ 0x4c {
        /// Their number modulo 2^32.
        DROPPED_COUNT_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
    /// Cycles since reset in which an instruction was in the table, low half. A read keeps the high half for the next
    /// read of `cycles_high`.
    REG_CYCLES_LOW "cycles_low" @ 0x50 {
        /// Bits 31 to 0.
        CYCLES_LOW_LSB "cycles" [0 +: 32] ReadOnly ZERO;
    }
    /// The high half as it was when `cycles_low` was last read.
    REG_CYCLES_HIGH "cycles_high" @ 0x54 {
        /// Bits 63 to 32.
        CYCLES_HIGH_LSB "cycles" [0 +: 32] ReadOnly ZERO;
    }
}

/// The bits of a register that keep what is written to them. 0 where there is no register.
pub const fn writable(offset: u64) -> u64 {
    writable_in(REGISTERS, offset)
}

/// The register of this name.
pub fn register(name: &str) -> Option<&'static Register> {
    REGISTERS.iter().find(|r| r.name == name)
}

/// What a register holds after reset in the design of this geometry.
pub fn reset_value(geometry: &CacheGeometry, register: &Register) -> u32 {
    let value = |f: &Field| match f.reset {
        Reset::Value(value) => value,
        Reset::Design => design_value(geometry, register.name, f.name),
    };
    register.fields.iter().map(|f| value(f) << f.lsb).fold(0, |sum, bits| sum | bits)
}

fn design_value(geometry: &CacheGeometry, register: &str, field: &str) -> u32 {
    let version = |part: &str| part.parse::<u32>().expect("cargo checks the version");
    let hash = configuration_hash(geometry);
    match (register, field) {
        ("version", "patch") => version(env!("CARGO_PKG_VERSION_PATCH")),
        ("version", "minor") => version(env!("CARGO_PKG_VERSION_MINOR")),
        ("version", "major") => version(env!("CARGO_PKG_VERSION_MAJOR")),
        ("geometry", "block") => geometry.block_bytes.ilog2(),
        ("geometry", "banks") => geometry.banks.ilog2(),
        ("geometry", "sub_arrays") => geometry.sub_arrays.ilog2(),
        ("geometry", "partitions") => geometry.partitions.ilog2(),
        ("geometry", "rows") => geometry.rows.ilog2(),
        ("geometry", "issue") => geometry.issue.ilog2(),
        ("geometry", "instructions") => geometry.instructions.ilog2(),
        ("capacity", "bytes") => geometry.bytes() as u32,
        ("hash_low", "hash") => hash as u32,
        ("hash_high", "hash") => (hash >> 32) as u32,
        _ => unreachable!("a test asks for every field"),
    }
}

/// Identifies a geometry: FNV-1a over it as JSON.
pub fn configuration_hash(geometry: &CacheGeometry) -> u64 {
    fnv1a(&serde_json::to_vec(geometry).expect("numbers and strings always serialise"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute_cache::{CACHE_PRESETS, CacheError, CacheOp};

    #[test]
    fn fields_hold_every_value_that_may_occur() {
        for (name, ..) in CACHE_PRESETS {
            let geometry = CacheGeometry::preset(name).expect("named");
            for r in REGISTERS {
                for f in r.fields.iter().filter(|f| f.reset == Reset::Design) {
                    assert_eq!(
                        u64::from(design_value(&geometry, r.name, f.name)) >> f.bits,
                        0,
                        "{name}: {}.{}",
                        r.name,
                        f.name
                    );
                }
            }
        }
        let bits =
            |r: &str, f: &str| register(r).and_then(|r| r.fields.iter().find(|x| x.name == f)).expect("named").bits;
        assert!(CacheOp::ALL.iter().all(|&op| op as usize >> bits("operation", "opcode") == 0));
        assert!(CacheError::ALL.iter().all(|&e| e as usize >> bits("result", "code") == 0));
        assert!(super::super::MOST_BLOCKS as u64 * 64 <= WINDOW, "the memory fits its window");
    }
}
