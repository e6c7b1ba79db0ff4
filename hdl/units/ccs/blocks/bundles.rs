//! Buses between the blocks of a cache compute system.
#![allow(missing_docs)] // The `join` that rust-hdl derives has no text.

use crate::ccs::blocks::types::{LaneNumber, LineNumber, RowNumber};
use crate::kernel::prelude::*;

bundle! {
    /// The processor's accesses, one at a time, at the end that answers.
    pub CpuSlave "CpuMaster", CpuMaster "CpuSlave" {
        /** An access is asked for. */ In valid: Bit,
        /** It is taken. */ Out ready: Bit,
        /** It writes. */ In write: Bit,
        /** Byte address; of a word, its lowest two bits do not count. */ In address: Bits<32>,
        /** What to write. */ In data: Bits<32>,
        /** Which bytes. */ In strobes: Bits<4>,
        /** What was read is there, for a cycle. */ Out reply: Bit,
        /** The word. */ Out reply_data: Bits<32>,
        /** Memory has answered with an error. */ Out reply_error: Bit,
    }

    /// Lines that are asked for, at the end that gives them.
    pub ReadSlave "ReadMaster", ReadMaster "ReadSlave" {
        /** A line is asked for. */ In valid: Bit,
        /** It is taken if asked for. */ Out ready: Bit,
        /** Number of the line. */ In line: LineNumber,
    }

    /// Lines that were asked for, at the end that takes them.
    pub ReplySink "ReplySource", ReplySource "ReplySink" {
        /** A line is there. */ In valid: Bit,
        /** It is taken if there. */ Out ready: Bit,
        /** The line, an element in the low bits of each. */ In data: [Bits<32>; LANES],
        /** Memory has answered with an error. */ In error: Bit,
    }

    /// Lines and words that are written, at the end that takes them, which it always does.
    pub WriteSink "WriteSource", WriteSource "WriteSink" {
        /** A line or a word is written. */ In valid: Bit,
        /** Number of the line. */ In line: LineNumber,
        /** Which lanes. */ In lanes: [Bit; LANES],
        /** Which bytes of each 32-bit word. */ In bytes: Bits<4>,
        /** `value` is written, in the lanes of its word; else `data`. */ In word: Bit,
        /** A word. */ In value: Bits<32>,
        /** A line, zeros above the elements. */ In data: [Bits<32>; LANES],
    }

    /// Lines that are written, at the end that takes them; of words, all lanes have a copy.
    pub LineWriteSink "LineWriteSource", LineWriteSource "LineWriteSink" {
        /** A line is written, or a word of it. */ In valid: Bit,
        /** Number of the line. */ In line: LineNumber,
        /** Which lanes. */ In lanes: [Bit; LANES],
        /** Which bytes of each 32-bit word. */ In bytes: Bits<4>,
        /** What is written, zeros above the elements. */ In data: [Bits<32>; LANES],
    }

    /// Lines for a row of the store, at the store.
    pub StoreLineSink "StoreLineSource", StoreLineSource "StoreLineSink" {
        /** A line comes. */ In valid: Bit,
        /** Its row. */ In row: RowNumber,
        /** It. */ In data: [Bits<32>; LANES],
    }

    /// Acknowledgements of writes, in order, at the end that waits for them.
    pub AckSink "AckSource", AckSource "AckSink" {
        /** The oldest write is done. */ In valid: Bit,
        /** With an error. */ In error: Bit,
    }

    /// Steps of a command, at the end that takes them.
    pub StepSink "StepSource", StepSource "StepSink" {
        /** A step is there. */ In valid: Bit,
        /** It is taken. */ Out take: Bit,
        /** Its lines of a, b and r. */ In lines: [LineNumber; 3],
        /** First lane. */ In low: LaneNumber,
        /** Last lane. */ In high: LaneNumber,
        /** First step of its row. */ In first: Bit,
        /** Last step of its row. */ In last: Bit,
    }

    /// The first result line on its way, at the end that writes it.
    pub HeadSink "HeadSource", HeadSource "HeadSink" {
        /** Its number. */ In line: LineNumber,
        /** It is in the cache. */ In hit: Bit,
        /** A reduction's place in it, in elements. */ In place: LaneNumber,
    }
}
