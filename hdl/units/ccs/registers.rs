//! The cache compute system's registers, described once, in the way of [`crate::regmap`].
//!
//! A processor's accesses go to memory through the cache, and from [`BASE`] on to these registers.

use crate::ccs::{CCS_CODE_BITS, CCS_ERROR_BITS, CcsGeometry};
use crate::regmap::{Access, Field, Register, Reset, fnv1a, registers, writable_in};

/// Bits of a byte address.
pub const ADDRESS_BITS: usize = 32;
/// Byte address of the first register; what is below is memory. Registers repeat every [`SPAN`] bytes.
pub const BASE: u64 = 1 << 31;
/// Bytes that the registers take.
pub const SPAN: u64 = 256;
/// `BCCS` in ASCII, the first character in the lowest byte.
pub const MAGIC: u32 = u32::from_le_bytes(*b"BCCS");

const ZERO: Reset = Reset::Value(0);

registers! {
    /// Identification: tells that this is a bitline cache compute system.
    REG_ID "id" @ 0x00 {
        /// `BCCS` in ASCII, the first character in the lowest byte.
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
        /// Lanes, which is elements of a line.
        GEOMETRY_LANES_LSB "lanes" [0 +: 4] ReadOnly Reset::Design;
        /// Bits of an element.
        GEOMETRY_ELEMENT_LSB "element" [4 +: 4] ReadOnly Reset::Design;
        /// Lines of the cache.
        GEOMETRY_LINES_LSB "lines" [8 +: 4] ReadOnly Reset::Design;
        /// Bits of the memory's bus; 0 for a port as wide as a line.
        GEOMETRY_BUS_LSB "bus" [12 +: 4] ReadOnly Reset::Design;
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
        /// Raises the interrupt line while `interrupt.done` is 1.
        CONTROL_DONE_ENABLE_LSB "done_enable" [0 +: 1] ReadWrite ZERO;
        /// Soft reset: a 1 ends the command that runs once what it has asked of memory is there, without another line
        /// written, and then empties the cache and sets every register as after reset. If memory says nothing for 1024
        /// cycles it waits no longer, and `error` is `silent`.
        CONTROL_SOFT_RESET_LSB "soft_reset" [8 +: 1] WriteOnly ZERO;
    }
    /// Status: always answered, also while a soft reset waits for memory.
    REG_STATUS "status" @ 0x1c {
        /// No command runs, and no soft reset: a start would be taken.
        STATUS_READY_LSB "ready" [0 +: 1] ReadOnly Reset::Value(1);
        /// `error.code` is not 0.
        STATUS_ERROR_LSB "error" [1 +: 1] ReadOnly ZERO;
        /// A soft reset is under way: it waits until all that was asked of memory is there, or memory has said nothing
        /// for 1024 cycles. Reads of registers are answered, `wait` at the end of it; everything else waits.
        STATUS_RESETTING_LSB "resetting" [2 +: 1] ReadOnly ZERO;
        /// A command waits behind the one that runs: writes of `a` and what follows it wait until it has been taken.
        STATUS_QUEUED_LSB "queued" [3 +: 1] ReadOnly ZERO;
    }
    /// The same as `error`, but a read is answered only when no command runs any more: a processor that waits here
    /// polls nothing.
    REG_WAIT "wait" @ 0x20 {
        /// Error code.
        WAIT_CODE_LSB "code" [0 +: CCS_ERROR_BITS] ReadOnly ZERO;
    }
    /// What was wrong: first error since the last start that was taken, or since a soft reset. A posted write of the
    /// processor that fails while no command runs sets `bus` and nothing else: the system stays ready, there is no
    /// interrupt, and the next start clears it. One that fails while a command runs ends it. Of commands that are
    /// queued it is that of the first in their order: while they run, one of memory, which is of a command further in
    /// front, may still come in the place of a rule's.
    REG_ERROR "error" @ 0x24 {
        /// Error code; 0 for none.
        ERROR_CODE_LSB "code" [0 +: CCS_ERROR_BITS] ReadOnly ZERO;
    }
    /// Result lines that have been handed to memory since the last start that was taken, by the command and those
    /// queued behind it, results of reductions included; with error `bus` one that memory has failed to write is among
    /// them.
    REG_COMPLETED "completed" @ 0x28 {
        /// Their number.
        COMPLETED_LINES_LSB "lines" [0 +: 32] ReadOnly ZERO;
    }
    /// The last reduction's result, of its last row.
    REG_RESULT "result" @ 0x2c {
        /// An element, zeros above.
        RESULT_VALUE_LSB "value" [0 +: 32] ReadOnly ZERO;
    }
    /// Cycles in which a command ran since reset, low half. A read keeps the high half for the next read of
    /// `cycles_high`.
    REG_CYCLES_LOW "cycles_low" @ 0x30 {
        /// Bits 31 to 0.
        CYCLES_LOW_LSB "cycles" [0 +: 32] ReadOnly ZERO;
    }
    /// The high half as it was when `cycles_low` was last read.
    REG_CYCLES_HIGH "cycles_high" @ 0x34 {
        /// Bits 63 to 32.
        CYCLES_HIGH_LSB "cycles" [0 +: 32] ReadOnly ZERO;
    }
    /// What has happened since it was last cleared.
    REG_INTERRUPT "interrupt" @ 0x38 {
        /// A command has ended, or was refused, and none runs or is queued any more.
        INTERRUPT_DONE_LSB "done" [0 +: 1] WriteOneToClear ZERO;
    }
    /// Byte address of vector a. This and what follows may be written while a command runs: it has taken what it needs.
    REG_A "a" @ 0x40 {
        /// Address.
        A_ADDRESS_LSB "address" [0 +: 32] ReadWrite ZERO;
    }
    /// Byte address of vector b.
    REG_B "b" @ 0x44 {
        /// Address.
        B_ADDRESS_LSB "address" [0 +: 32] ReadWrite ZERO;
    }
    /// Byte address of the result: a vector for maps, an element for reductions that store it.
    REG_R "r" @ 0x48 {
        /// Address.
        R_ADDRESS_LSB "address" [0 +: 32] ReadWrite ZERO;
    }
    /// Sets `command` and `length` and starts, in one write; the write must reach all four bytes.
    REG_LAUNCH "launch" @ 0x4c {
        /// What goes to `command`.
        LAUNCH_COMMAND_LSB "command" [0 +: 8] WriteOnly ZERO;
        /// What goes to `length`.
        LAUNCH_LENGTH_LSB "length" [8 +: 24] WriteOnly ZERO;
    }
    /// What to compute.
    REG_COMMAND "command" @ 0x50 {
        /// Code of the command. A value of more than 8 bits reads back as 255, which is no command.
        COMMAND_CODE_LSB "code" [0 +: CCS_CODE_BITS] ReadWrite ZERO;
        /// Elements have no sign: for comparisons, least, greatest and distances.
        COMMAND_UNSIGNED_LSB "unsigned" [6 +: 1] ReadWrite ZERO;
        /// A reduction's results go to memory, too, one element at `r` for each row.
        COMMAND_STORE_LSB "store" [7 +: 1] ReadWrite ZERO;
    }
    /// Length of the vectors.
    REG_LENGTH "length" @ 0x54 {
        /// In elements; with a stride only those that count.
        LENGTH_ELEMENTS_LSB "elements" [0 +: 32] ReadWrite ZERO;
    }
    /// The constant.
    REG_CONSTANT "constant" @ 0x58 {
        /// An element; bits above it do not count.
        CONSTANT_VALUE_LSB "value" [0 +: 32] ReadWrite ZERO;
    }
    /// From one element that counts to the next.
    REG_STRIDE "stride" @ 0x5c {
        /// In elements: a power of two smaller than a line. A greater value than 255 reads back as 255.
        STRIDE_ELEMENTS_LSB "elements" [0 +: 8] ReadWrite Reset::Value(1);
    }
    /// Stride mask, lanes 0 to 31: a 1 for every lane that counts. Software sets it to match the stride and the
    /// vectors' place in a line.
    REG_MASK_0 "mask_0" @ 0x60 {
        /// Bit k for lane k.
        MASK_0_LANES_LSB "lanes" [0 +: 32] ReadWrite Reset::Value(u32::MAX);
    }
    /// Stride mask, lanes 32 to 63.
    REG_MASK_1 "mask_1" @ 0x64 {
        /// Bit k for lane 32 + k.
        MASK_1_LANES_LSB "lanes" [0 +: 32] ReadWrite Reset::Value(u32::MAX);
    }
    /// Stride mask, lanes 64 to 95.
    REG_MASK_2 "mask_2" @ 0x68 {
        /// Bit k for lane 64 + k.
        MASK_2_LANES_LSB "lanes" [0 +: 32] ReadWrite Reset::Value(u32::MAX);
    }
    /// Stride mask, lanes 96 to 127.
    REG_MASK_3 "mask_3" @ 0x6c {
        /// Bit k for lane 96 + k.
        MASK_3_LANES_LSB "lanes" [0 +: 32] ReadWrite Reset::Value(u32::MAX);
    }
    /// The outer loop: how often the command runs, each time a row further.
    REG_COUNT "count" @ 0x70 {
        /// Rows.
        COUNT_ROWS_LSB "rows" [0 +: 32] ReadWrite Reset::Value(1);
    }
    /// From a row's vector a to the next row's, in bytes; 0 for always the same.
    REG_STEP_A "step_a" @ 0x74 {
        /// A signed number.
        STEP_A_BYTES_LSB "bytes" [0 +: 32] ReadWrite ZERO;
    }
    /// The same for b.
    REG_STEP_B "step_b" @ 0x78 {
        /// A signed number.
        STEP_B_BYTES_LSB "bytes" [0 +: 32] ReadWrite ZERO;
    }
    /// The same for r.
    REG_STEP_R "step_r" @ 0x7c {
        /// A signed number.
        STEP_R_BYTES_LSB "bytes" [0 +: 32] ReadWrite ZERO;
    }
    /// Start: a write of any value starts the command.
    REG_START "start" @ 0x80 {
        /// Ignored.
        START_LSB "start" [0 +: 32] WriteOnly ZERO;
    }
    /// As `launch`, but behind the command that runs: taken when that has brought all its steps on their way, so that
    /// one begins where the other ends; at once if none runs. While it waits (`status.queued`), further writes of `a`
    /// and of what follows it wait, and all that the processor asks for behind them. It clears neither `error` nor
    /// `completed`: with an error other than `busy` it is dropped, and so is what waits when one comes. So begin with
    /// `launch`, go on with `queue`, and read `wait` in the end, which is answered when all have ended: memory,
    /// `result` and `error` are then as if the commands had run one after the other, up to the first with an error.
    REG_QUEUE "queue" @ 0x84 {
        /// What goes to `command`.
        QUEUE_COMMAND_LSB "command" [0 +: 8] WriteOnly ZERO;
        /// What goes to `length`.
        QUEUE_LENGTH_LSB "length" [8 +: 24] WriteOnly ZERO;
    }
}

/// The bits of a register that keep what is written to them. 0 where there is no register.
pub const fn writable(offset: u64) -> u64 {
    writable_in(REGISTERS, offset)
}

/// What a register that can be written holds after a value was written. A code or stride of more than 8 bits is held as
/// 255, which is refused.
pub fn held(offset: u64, value: u32) -> u32 {
    match offset {
        REG_COMMAND | REG_STRIDE => value.min(0xff),
        _ => value & writable(offset) as u32,
    }
}

/// The register of this name.
pub fn register(name: &str) -> Option<&'static Register> {
    REGISTERS.iter().find(|r| r.name == name)
}

/// What a register holds after reset. For identification registers this is what they always read.
pub fn reset_value(geometry: &CcsGeometry, register: &Register) -> u32 {
    let value = |f: &Field| match f.reset {
        Reset::Value(value) => value,
        Reset::Design => design_value(geometry, register.name, f.name),
    };
    register.fields.iter().map(|f| value(f) << f.lsb).fold(0, |sum, bits| sum | bits)
}

fn design_value(geometry: &CcsGeometry, register: &str, field: &str) -> u32 {
    let version = |part: &str| part.parse::<u32>().expect("cargo checks the version");
    let hash = configuration_hash(geometry);
    match (register, field) {
        ("version", "patch") => version(env!("CARGO_PKG_VERSION_PATCH")),
        ("version", "minor") => version(env!("CARGO_PKG_VERSION_MINOR")),
        ("version", "major") => version(env!("CARGO_PKG_VERSION_MAJOR")),
        ("geometry", "lanes") => geometry.lanes.ilog2(),
        ("geometry", "element") => geometry.element_bits.ilog2(),
        ("geometry", "lines") => geometry.lines.ilog2(),
        ("geometry", "bus") => geometry.memory.bus_bits().max(1).ilog2(),
        ("hash_low", "hash") => hash as u32,
        ("hash_high", "hash") => (hash >> 32) as u32,
        _ => unreachable!("a test asks for every field"),
    }
}

/// Identifies a configuration: FNV-1a over the geometry as JSON.
pub fn configuration_hash(geometry: &CcsGeometry) -> u64 {
    fnv1a(&serde_json::to_vec(geometry).expect("numbers and strings always serialise"))
}
