//! The registers of operations on lines of the cache ways.

use crate::parts::cache_ops::CACHE_OP_BITS;
use crate::regmap::{Access, Field, Register, Reset, registers};

const ZERO: Reset = Reset::Value(0);

registers! {
    /// Operations on lines of the cache ways: operand a. This register and those that follow are there if `cache.lines`
    /// is 1, else they read 0. They are written whole, and but for `line_result` refused while an operation is under
    /// way.
    REG_LINE_A "line_a" @ 0xdc {
        /// Physical byte address, a multiple of 64.
        LINE_A_ADDRESS_LSB "address" [0 +: 32] ReadWrite ZERO;
    }
    /// Operand b, or the key of a search, which is one line.
    REG_LINE_B "line_b" @ 0xe0 {
        /// Physical byte address, a multiple of 64.
        LINE_B_ADDRESS_LSB "address" [0 +: 32] ReadWrite ZERO;
    }
    /// Operand d, the result.
    REG_LINE_D "line_d" @ 0xe4 {
        /// Physical byte address, a multiple of 64: that of a source, or no line in common with it.
        LINE_D_ADDRESS_LSB "address" [0 +: 32] ReadWrite ZERO;
    }
    /// Size of an operand.
    REG_LINE_SIZE "line_size" @ 0xe8 {
        /// Bytes, a multiple of 64: up to 16 KiB, or as many as give 64 bits.
        LINE_SIZE_BYTES_LSB "bytes" [0 +: 32] ReadWrite ZERO;
    }
    /// The operation: a write begins it. Refused while the ways are flushed, and while no way serves as a cache. While
    /// it is under way a flush is refused.
    REG_LINE_OPERATION "line_operation" @ 0xec {
        /// Opcode: 1 copy, 2 zero, 3 AND, 4 OR, 5 XOR, 6 NOT, 7 compare, 8 search, 9 carry-less product.
        LINE_OPERATION_OPCODE_LSB "opcode" [0 +: CACHE_OP_BITS] ReadWrite ZERO;
        /// Granularity of a carry-less product: 0 for 64 bits, 1 for 128, 2 for 256.
        LINE_OPERATION_GRAIN_LSB "grain" [8 +: 2] ReadWrite ZERO;
        /// The interrupt line is raised while `line_result.done` is 1.
        LINE_OPERATION_INTERRUPT_LSB "interrupt" [16 +: 1] ReadWrite ZERO;
    }
    /// How the last operation has ended.
    REG_LINE_RESULT "line_result" @ 0xf0 {
        /// It is under way.
        LINE_RESULT_BUSY_LSB "busy" [0 +: 1] ReadOnly ZERO;
        /// It has ended; 0 from the beginning of the next on.
        LINE_RESULT_DONE_LSB "done" [1 +: 1] WriteOneToClear ZERO;
        /// 0 if it has done all, else why not: 1 no such opcode, 2 no such granularity, 3 a size that it does not take,
        /// 4 an operand that does not begin with a line, 5 one that goes beyond 4 GiB, 6 a destination that overlaps a
        /// source without being the same, 7 a line that could not be fetched: those before it are done.
        LINE_RESULT_CODE_LSB "code" [8 +: 3] ReadOnly ZERO;
    }
    /// Bits 31 to 0 of what a comparison, a search or a carry-less product gives: a bit for each word, the first
    /// lowest. Those of lines behind one that could not be fetched are 0.
    REG_LINE_MASK_LOW "line_mask_low" @ 0xf4 {
        /// The bits.
        LINE_MASK_LOW_LSB "mask" [0 +: 32] ReadOnly ZERO;
    }
    /// Bits 63 to 32.
    REG_LINE_MASK_HIGH "line_mask_high" @ 0xf8 {
        /// The bits.
        LINE_MASK_HIGH_LSB "mask" [0 +: 32] ReadOnly ZERO;
    }
    /// What the code is about: the size, the operand's address, the address of the line that could not be fetched.
    REG_LINE_FAULT "line_fault" @ 0xfc {
        /// It, or 0.
        LINE_FAULT_LSB "about" [0 +: 32] ReadOnly ZERO;
    }
}
