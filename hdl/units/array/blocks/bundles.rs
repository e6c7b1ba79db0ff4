//! Buses of the compute unit: its command port, its events, and what goes from stage to stage of the sequencer.
#![allow(missing_docs)] // The `join` that rust-hdl derives has no text.

use crate::array::blocks::column_peripheral::COLUMN_CONTROL;
use crate::array::blocks::loop_counters::FlaggedCount;
use crate::array::blocks::types::RowAddress;
use crate::array::isa::word::command::OPCODE_BITS;
use crate::array::isa::word::flow::TOKEN_BITS;
use crate::array::isa::word::setup::{TARGET_BITS, TO_BITS};
use crate::kernel::prelude::*;
use crate::{each_latch, each_second_latch};

/// The latches of every column: their registers follow from the table.
macro_rules! latch_bundle {
    ($({ #[$doc:meta] $name:ident $($row:tt)+ })+) => {
        bundle! {
            /// The latches of every column, at the end that takes them.
            pub LatchSink "LatchSource", LatchSource "LatchSink", registers LatchStage <W: RowWord> {
                $(In $name: W; #[$doc])+
            }
        }
    };
}
#[cfg(test)]
pub(crate) use latch_bundle;
each_second_latch!(each_latch latch_bundle);

bundle! {
    /// The command port, at the end that takes commands: a field a port.
    pub CommandSink "CommandSource", CommandSource "CommandSink" {
        In valid: Bit; /// A command is offered.
        Out ready: Bit; /// It is taken if offered.
        In op: Bits<OPCODE_BITS>; /// Opcode.
        In set: Bits<2>; /// Micro-program set.
        In width, second: Bits<7>; /// Widths n and m.
        In a, b: Bits<10>; /// First rows of the sources.
        In d, e: Bits<10>; /// First rows of the destination, and of the second one or the tag row.
        In s: Bits<10>; /// First scratch row.
        In key: Word<64, 1>; /// Search key or constant factor.
    }

    /// What becomes of commands, at the end that takes note of it.
    pub EventSink "EventSource", EventSource "EventSink" {
        In finished: Bit; /// A command's last row is issued.
        In refused: Bit; /// A command is refused.
        In code: Bits<4>; /// Why.
        In operand: Bits<3>; /// Which operand.
        In index: Bits<32>; /// Which command: pushes before it.
        In address: Word<64, 1>; /// Which address.
    }

    /// A refusal by command setup, for one cycle.
    pub RefusalSink "RefusalSource", RefusalSource "RefusalSink" {
        In refused: Bit; /// A command is refused.
        In refused_code: Bits<3>; /// Why.
        In refused_operand: Bits<3>; /// The operand it is about, or 0.
    }

    /// What a setup word writes, at the start registers.
    pub SetupWriteSink "SetupWriteSource", SetupWriteSource "SetupWriteSink" {
        In write: Bit; /// A start register is written.
        In to: Bits<TO_BITS>; /// Which one; with `complete`, the start flags.
        In count: FlaggedCount; /// The value as a count.
        In row: RowAddress; /// The value as a row.
        In is_zero, is_two: Bit; /// The value is 0; the count is 2.
        In complete: Bit; /// The command is complete, its first row known.
        In target: Bits<TARGET_BITS>; /// Address of the micro-program's first row.
    }

    /// What the loop counters of a command start from.
    pub StartCountsSink "StartCountsSource", StartCountsSource "StartCountsSink" {
        In x, y, z: FlaggedCount; /// The counters.
        In stride: FlaggedCount; /// The stride.
        In stride_two: Bit; /// Whether it is 2.
        In rest, rest_doubled: FlaggedCount; /// Width of the command less the stride, and less twice the stride.
    }

    /// What else a command starts from.
    pub StartFlagsSink "StartFlagsSource", StartFlagsSource "StartFlagsSink" {
        In min_width: Bits<7>; /// Smallest effective width.
        In stop: Bit; /// The command may stop early.
        In key: Word<64, 1>; /// Key.
        In i: RowAddress; /// I at the start.
        In carry: Bit; /// C starts at 1.
        In keep_tag: Bit; /// T keeps its value.
        In scan: Bit; /// The key scanner starts at once.
    }

    /// A token that comes back.
    pub ReturnSink "ReturnSource", ReturnSource "ReturnSink" {
        In token: Bits<TOKEN_BITS>; /// Token whose wired-OR is known in this cycle, or 0.
        In any: Bit; /// The wired-OR.
    }

    /// What a row's pass through its loops adds to its control word.
    pub PassSink "PassSource", PassSource "PassSink", registers PassStage {
        In exit: Bit; /// It leaves its inner loop.
        In rest_a: Bit; /// Its port A rests.
        In key_bits: Bits<2>; /// The key's two lowest bits.
        In first, last: Bit; /// First or last row of its command.
        In bank: Bit; /// Bank of base registers.
        In token: Bits<TOKEN_BITS>; /// Token.
        In keyed: Bit; /// Addressed by the key scanner.
        In at: Bits<7>; /// Key position or effective width.
        In carry: Bit; /// C starts at 1.
        In keep_tag: Bit; /// T keeps its value.
    }

    /// A row on its way to issue, but for its addresses.
    pub ActionSink "ActionSource", ActionSource "ActionSink", registers ActionStage {
        In valid: Bit; /// There is a row.
        In column: Bits<COLUMN_CONTROL>; /// What the columns do.
        In merge: Bit; /// Row B is read for the merge only.
        In multi: Bits<2>; /// Multi-row sensing.
        In multi_rows: Word<64, 1>; /// Its rows.
        In a_enable, b_enable: Bit; /// The port reads.
        In write_enable: Bit; /// A row is written.
        In load, store: Bit; /// From the load port, or to the store port.
        In token: Bits<TOKEN_BITS>; /// Token.
        In first, last: Bit; /// First or last row of its command.
        In carry: Bit; /// C starts at 1.
        In keep_tag: Bit; /// T keeps its value.
    }

    /// A row ready for the array.
    pub ReadyRowSink "ReadyRowSource", ReadyRowSource "ReadyRowSink", registers ReadyRowStage {
        In column: Bits<COLUMN_CONTROL>; /// What the columns do in it.
        In merge: Bit; /// Row B is read for the merge only.
        In multi: Bits<2>; /// Multi-row sensing.
        In multi_rows: Word<64, 1>; /// Its rows.
        In a_enable: Bit; /// Port A reads.
        In a: RowAddress; /// Row A.
        In b_enable: Bit; /// Port B reads.
        In b: RowAddress; /// Row B.
        In write_enable: Bit; /// A row is written.
        In write: RowAddress; /// Which one.
        In load, store: Bit; /// From the load port, or to the store port.
        In token: Bits<TOKEN_BITS>; /// Token.
        In first, last: Bit; /// First or last row of its command.
    }

    /// Micro-operations, at the array.
    pub MicroOperationSink "MicroOperationSource", MicroOperationSource "MicroOperationSink" {
        In column: Bits<COLUMN_CONTROL>; /// What the columns do; 0 does nothing.
        In merge: Bit; /// Row B is read for the merge only.
        In multi: Bits<2>; /// Multi-row sensing.
        In multi_rows: Word<64, 1>; /// Its rows.
        In a_enable: Bit; /// Port A reads.
        In a_row: RowAddress; /// Row A.
        In b_enable: Bit; /// Port B reads.
        In b_row: RowAddress; /// Row B.
        In write_enable: Bit; /// A row is written.
        In write_row: RowAddress; /// Which one.
        In load, store: Bit; /// The row written comes from the load port; row A goes to the store port.
    }

    /// The same at the array, whose ports have another order.
    pub ArraySink "MicroOperationSource", ArraySource "ArraySink" {
        In column: Bits<COLUMN_CONTROL>; /// What the columns do; 0 does nothing.
        In a_enable: Bit; /// Port A reads.
        In a_row: RowAddress; /// Row A.
        In b_enable: Bit; /// Port B reads.
        In b_row: RowAddress; /// Row B.
        In merge: Bit; /// Row B is read for the merge only: it takes no part in sensing.
        In multi: Bits<2>; /// Multi-row sensing on port A.
        In multi_rows: Word<64, 1>; /// Rows from row A up that it raises.
        In write_enable: Bit; /// A row is written.
        In write_row: RowAddress; /// Which one.
        In load, store: Bit; /// It comes from the load port; row A goes to the store port.
    }

    /// A design's state on lines of its own, at the end that looks at it.
    pub StatusSink "StatusSource", StatusSource "StatusSink" {
        In irq: Bit; /// Interrupt line, active high until its cause is cleared or disabled.
        In busy: Bit; /// A command waits or runs; as `status.busy`.
        In error: Bit; /// An error is recorded; as `status.error`.
    }
}
