//! The AXI4-Lite register block, described once: the hardware's decoder, the C header, the register map and SystemRDL
//! all come from [`REGISTERS`].
//!
//! Registers are 32 bits wide and little-endian; two of them hold a 64-bit value, the low half first. Reserved bits
//! read 0 and take no write; reads beyond the last register give 0. Offsets, and the lowest bit of every field, are
//! also plain constants, for use in the hardware's description.

use crate::array::isa::microcode::Microcode;
use crate::array::isa::{Set, latch};
use crate::array::params::{Latch, Memory, MemoryPort, Params, ROW_ADDRESS_BITS, Sensing};
use crate::regmap::{Access, Field, Register, Reset, fnv1a, registers, writable_in};

/// Bits of a byte address inside the block.
pub const ADDRESS_BITS: usize = 7;
/// `BTLN` in ASCII, the first character in the lowest byte.
pub const MAGIC: u32 = u32::from_le_bytes(*b"BTLN");
/// Bits of a row address in a command. Rows that cannot be written down do not exist in any design.
pub const ROW_BITS: usize = ROW_ADDRESS_BITS;
/// Bits of an opcode in a command.
pub const OPCODE_BITS: usize = crate::array::isa::word::command::OPCODE_BITS;
/// Bits of a set in a command.
pub const SET_BITS: usize = 2;
/// Bits of a width in a command.
pub const WIDTH_BITS: usize = 7;

const ZERO: Reset = Reset::Value(0);

/// Bits of `features` that tell of latches.
const LATCHES: &[Field] = &{
    let none = Field { name: "", lsb: 0, bits: 1, access: Access::ReadOnly, reset: Reset::Design, doc: "" };
    let mut fields = [none; latch::FEATURES.len()];
    let mut at = 0;
    while at < fields.len() {
        let (name, lsb, doc) = latch::FEATURES[at];
        fields[at] = Field { name, lsb, doc, ..none };
        at += 1;
    }
    fields
};

registers! {
    /// Identification: tells that this is a bitline compute unit.
    REG_ID "id" @ 0x00 {
        /// `BTLN` in ASCII, the first character in the lowest byte.
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
    /// Size of the array.
    REG_GEOMETRY "geometry" @ 0x08 {
        /// Number of rows.
        GEOMETRY_ROWS_LSB "rows" [0 +: 11] ReadOnly Reset::Design;
        /// log2 of the number of columns.
        GEOMETRY_LOG2_COLUMNS_LSB "log2_columns" [16 +: 4] ReadOnly Reset::Design;
    }
    /// What the array and its sequencer can do.
    REG_FEATURES "features" @ 0x0c with LATCHES {
        /// Sensing: 0 AND and NOR, 1 both bits of two rows.
        FEATURES_TWO_PORT_LSB "two_port" [0 +: 1] ReadOnly Reset::Design;
        /// Memory: 0 behavioural, 1 block RAM.
        FEATURES_BLOCK_RAM_LSB "block_ram" [1 +: 1] ReadOnly Reset::Design;
        /// Columns take two bits of a multiplier in a cycle: radix 4.
        FEATURES_RADIX_4_LSB "radix_4" [2 +: 1] ReadOnly Reset::Design;
        /// Floating-point operations report exceptions in `flags`.
        FEATURES_EXCEPTION_FLAGS_LSB "exception_flags" [3 +: 1] ReadOnly Reset::Design;
        /// Set `fast` is in the ROM.
        FEATURES_FAST_LSB "fast" [8 +: 1] ReadOnly Reset::Design;
        /// Set `skip` is in the ROM.
        FEATURES_SKIP_LSB "skip" [9 +: 1] ReadOnly Reset::Design;
        /// Set `baseline` is in the ROM.
        FEATURES_BASELINE_LSB "baseline" [10 +: 1] ReadOnly Reset::Design;
        /// Commands that the queue holds.
        FEATURES_QUEUE_DEPTH_LSB "queue_depth" [16 +: 5] ReadOnly Reset::Design;
        /// The way to memory: 0 none, 1 AXI4-Stream, 3 to 6 AXI4 with 8, 16, 32 or 64 bytes of data.
        FEATURES_MEMORY_PORT_LSB "memory_port" [24 +: 3] ReadOnly Reset::Design;
    }
    /// Configuration hash, low half: 64-bit FNV-1a over the parameters as JSON; the same as in the Verilog headers.
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
        /// Raises the interrupt line while `interrupt.error` is 1.
        CONTROL_ERROR_ENABLE_LSB "error_enable" [1 +: 1] ReadWrite ZERO;
        /// A 1 clears the registers `error` and `error_index`, so that the next refusal is recorded.
        CONTROL_ERROR_CLEAR_LSB "error_clear" [8 +: 1] WriteOnly ZERO;
    }
    /// Status.
    REG_STATUS "status" @ 0x1c {
        /// A command waits or runs, a result is still on its way to the rows, or a row of a `store` has not left yet.
        STATUS_BUSY_LSB "busy" [0 +: 1] ReadOnly ZERO;
        /// No command waits.
        STATUS_QUEUE_EMPTY_LSB "queue_empty" [1 +: 1] ReadOnly Reset::Value(1);
        /// A push would be dropped.
        STATUS_QUEUE_FULL_LSB "queue_full" [2 +: 1] ReadOnly ZERO;
        /// `error.code` is not 0.
        STATUS_ERROR_LSB "error" [3 +: 1] ReadOnly ZERO;
        /// The wired-OR of the tag latches: some column's T is 1. Settled while `busy` is 0.
        STATUS_TAG_ANY_LSB "tag_any" [4 +: 1] ReadOnly ZERO;
        /// Commands that may be pushed before the queue is full.
        STATUS_FREE_LSB "free" [8 +: 5] ReadOnly Reset::Design;
    }
    /// What has happened since it was last cleared.
    REG_INTERRUPT "interrupt" @ 0x20 {
        /// The unit has turned from busy to idle: every command pushed has ended.
        INTERRUPT_DONE_LSB "done" [0 +: 1] WriteOneToClear ZERO;
        /// A command was refused or dropped.
        INTERRUPT_ERROR_LSB "error" [1 +: 1] WriteOneToClear ZERO;
    }
    /// The first command in the order of pushes that was refused, dropped, or failed on the bus since
    /// `control.error_clear`. Commands after it run. While the unit is busy, an error of a command before it may take
    /// its place: it is final when `status.busy` is 0.
    REG_ERROR "error" @ 0x24 {
        /// Error code; 0 while none was refused.
        ERROR_CODE_LSB "code" [0 +: 4] ReadOnly ZERO;
        /// The operand it is about: 1 a, 2 b, 3 d, 4 e, 5 s; 0 where it is about none.
        ERROR_OPERAND_LSB "operand" [8 +: 3] ReadOnly ZERO;
    }
    /// Which command that was.
    REG_ERROR_INDEX "error_index" @ 0x28 {
        /// Writes to `push` since reset before the one that brought it, modulo 2^32.
        ERROR_INDEX_LSB "index" [0 +: 32] ReadOnly ZERO;
    }
    /// Commands that have run to their end since reset.
    REG_COMPLETED "completed" @ 0x2c {
        /// Their number modulo 2^32. Refused and dropped commands do not count; those that failed on the bus do. A load
        /// from memory counts when its rows are in the array or dropped, a store to memory when they have left it: wait
        /// for `status.busy` before reading what it writes.
        COMPLETED_LSB "count" [0 +: 32] ReadOnly ZERO;
    }
    /// Cycles in which the unit was busy since reset, low half. A read keeps the high half for the next read of
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
    /// Where in memory that was, low half: for a bus error of a load the address of the first element that it concerns,
    /// for one of a store that of the burst; for error `address` that of the first element; 0 for other errors.
    REG_ERROR_ADDRESS_LOW "error_address_low" @ 0x38 {
        /// Bits 31 to 0.
        ERROR_ADDRESS_LOW_LSB "address" [0 +: 32] ReadOnly ZERO;
    }
    /// Where in memory that was, high half.
    REG_ERROR_ADDRESS_HIGH "error_address_high" @ 0x3c {
        /// Bits 63 to 32.
        ERROR_ADDRESS_HIGH_LSB "address" [0 +: 32] ReadOnly ZERO;
    }
    /// Staged command: what to compute. Staged registers keep their values after a push.
    REG_COMMAND "command" @ 0x40 {
        /// Opcode.
        COMMAND_OPCODE_LSB "opcode" [0 +: OPCODE_BITS] ReadWrite ZERO;
        /// Micro-program set.
        COMMAND_SET_LSB "set" [8 +: SET_BITS] ReadWrite ZERO;
        /// Width n of the elements.
        COMMAND_WIDTH_LSB "width" [16 +: WIDTH_BITS] ReadWrite ZERO;
        /// Second width m.
        COMMAND_SECOND_LSB "second" [24 +: WIDTH_BITS] ReadWrite ZERO;
    }
    /// Staged command: sources.
    REG_COMMAND_AB "command_ab" @ 0x44 {
        /// First row of the first source.
        COMMAND_A_LSB "a" [0 +: ROW_BITS] ReadWrite ZERO;
        /// First row of the second source.
        COMMAND_B_LSB "b" [16 +: ROW_BITS] ReadWrite ZERO;
    }
    /// Staged command: destinations.
    REG_COMMAND_DE "command_de" @ 0x48 {
        /// First row of the destination.
        COMMAND_D_LSB "d" [0 +: ROW_BITS] ReadWrite ZERO;
        /// First row of the second destination, or the tag row.
        COMMAND_E_LSB "e" [16 +: ROW_BITS] ReadWrite ZERO;
    }
    /// Staged command: scratch.
    REG_COMMAND_S "command_s" @ 0x4c {
        /// First scratch row.
        COMMAND_S_LSB "s" [0 +: ROW_BITS] ReadWrite ZERO;
    }
    /// Staged command: search key or constant factor, low half.
    REG_KEY_LOW "key_low" @ 0x50 {
        /// Bits 31 to 0.
        KEY_LOW_LSB "key" [0 +: 32] ReadWrite ZERO;
    }
    /// Staged command: search key or constant factor, high half.
    REG_KEY_HIGH "key_high" @ 0x54 {
        /// Bits 63 to 32.
        KEY_HIGH_LSB "key" [0 +: 32] ReadWrite ZERO;
    }
    /// Push: a write of any value puts the staged command into the queue. If the queue is full the command is dropped
    /// with error code `overflow`.
    REG_PUSH "push" @ 0x58 {
        /// Ignored.
        PUSH_LSB "push" [0 +: 32] WriteOnly ZERO;
    }
    /// Exceptions that floating-point operations have raised in some column, since they were cleared. What commands
    /// have raised is here when `status.busy` is 0. 0 in designs without exception flags.
    REG_FLAGS "flags" @ 0x5c {
        /// An operand was a signalling NaN, or there is no result: infinity less infinity, zero times infinity.
        FLAGS_INVALID_LSB "invalid" [0 +: 1] WriteOneToClear ZERO;
        /// A number was divided by zero.
        FLAGS_DIVIDE_BY_ZERO_LSB "divide_by_zero" [1 +: 1] WriteOneToClear ZERO;
        /// A result was too large.
        FLAGS_OVERFLOW_LSB "overflow" [2 +: 1] WriteOneToClear ZERO;
        /// A result that was not zero, smaller than the smallest normal number before rounding, was not exact.
        FLAGS_UNDERFLOW_LSB "underflow" [3 +: 1] WriteOneToClear ZERO;
        /// A result was rounded or flushed.
        FLAGS_INEXACT_LSB "inexact" [4 +: 1] WriteOneToClear ZERO;
        /// The same five of the latest floating-point command alone, until the next one starts. All of it is here when
        /// `status.busy` is 0.
        FLAGS_LAST_LSB "last" [16 +: 5] ReadOnly ZERO;
    }
}

/// The bits of a register that keep what is written to them. 0 where there is no register.
pub const fn writable(offset: u64) -> u64 {
    writable_in(REGISTERS, offset)
}

/// Every field that is constant in a design, as `(register, field, value)`, in the order of the table.
pub fn identification(params: &Params) -> Vec<(&'static str, &'static str, u32)> {
    let fields = REGISTERS.iter().flat_map(|r| r.fields.iter().map(move |f| (r.name, f)));
    let constant = fields.filter(|(_, f)| f.reset == Reset::Design);
    constant.map(|(register, f)| (register, f.name, design_value(params, register, f.name))).collect()
}

/// What a register holds after reset in the design of `params`. For identification registers this is what they always
/// read.
pub fn reset_value(params: &Params, register: &Register) -> u32 {
    let value = |f: &Field| match f.reset {
        Reset::Value(value) => value,
        Reset::Design => design_value(params, register.name, f.name),
    };
    register.fields.iter().map(|f| value(f) << f.lsb).fold(0, |sum, bits| sum | bits)
}

/// The register of this name, for checks and tests.
pub fn register(name: &str) -> Option<&'static Register> {
    REGISTERS.iter().find(|r| r.name == name)
}

fn design_value(params: &Params, register: &str, field: &str) -> u32 {
    let version = |part: &str| part.parse::<u32>().expect("cargo checks the version");
    let hash = configuration_hash(params);
    match (register, field) {
        ("version", "patch") => version(env!("CARGO_PKG_VERSION_PATCH")),
        ("version", "minor") => version(env!("CARGO_PKG_VERSION_MINOR")),
        ("version", "major") => version(env!("CARGO_PKG_VERSION_MAJOR")),
        ("geometry", "rows") => params.rows as u32,
        ("geometry", "log2_columns") => params.columns.ilog2(),
        ("features", "two_port") => (params.sensing == Sensing::TwoPort).into(),
        ("features", "block_ram") => (params.memory == Memory::BlockRam).into(),
        ("features", "radix_4") => (params.radix == 4).into(),
        ("features", "exception_flags") => params.exception_flags.into(),
        ("features", "fast") => params.sets.contains(&Set::Fast).into(),
        ("features", "skip") => params.sets.contains(&Set::Skip).into(),
        ("features", "baseline") => params.sets.contains(&Set::Baseline).into(),
        ("features", "queue_depth") | ("status", "free") => params.command_fifo as u32,
        ("features", "memory_port") => match params.memory_port {
            MemoryPort::None => 0,
            MemoryPort::Stream => 1,
            axi => axi.bus_bits().ilog2() - 3,
        },
        ("hash_low", "hash") => hash as u32,
        ("hash_high", "hash") => (hash >> 32) as u32,
        ("features", latch) if let Some(&latch) = Latch::ALL.iter().find(|l| l.name() == latch) => {
            params.has(latch).into()
        }
        _ => unreachable!("a test asks for every field"),
    }
}

/// Identifies a configuration: FNV-1a over the parameters as JSON, latches and sets in their own order; behind them the
/// words of operations of the library's user, of which a name says too little.
pub fn configuration_hash(params: &Params) -> u64 {
    let mut params = params.clone();
    params.latches.sort_unstable();
    params.sets.sort_unstable();
    params.custom.sort_unstable();
    let mut text = serde_json::to_vec(&params).expect("numbers and strings always serialise");
    if !params.custom.is_empty() {
        let code = Microcode::assemble_only(&params, &params.custom);
        let words = [code.flow, code.control, code.setup].concat();
        text.extend(words.into_iter().flat_map(u128::to_le_bytes));
    }
    fnv1a(&text)
}

#[cfg(test)]
mod tests;
