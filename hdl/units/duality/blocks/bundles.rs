//! Buses inside of a window, and those of the cache ways.
#![allow(missing_docs)] // The `join` that rust-hdl derives has no text.

use crate::array::blocks::types::RowAddress;
use crate::duality::blocks::cache::WordNumber;
use crate::duality::blocks::types::{GridCount, ThreadCount};
use crate::duality::passes::PASS_BITS;
use crate::kernel::prelude::*;

bundle! {
    /// What a compute word asks of its array beside the command, at the end that does it.
    pub ShapeSink "ShapeSource", ShapeSource "ShapeSink" {
        In prepares_a, prepares_b, chooses: Bit; /// A source goes to scratch rows first; a result is chosen behind.
        In zeros_a: Bits<8>; /// Rows of a that are 0 because it is shifted.
        In own_a, more_a: Bits<8>; /// Rows of a, and those by which it is extended.
        In own_b, more_b: Bits<8>; /// Rows or bits of b, and those by which it is extended.
        In rows_d, rows_e: Bits<8>; /// Rows of the results that are chosen.
        In place_a, place_b, place_d, place_e: RowAddress; /// Where they are meanwhile.
        In value: Bits<32>; /// The immediate or the scalar register.
        In negative: Bit; /// It is extended with ones.
        In by_row: Bit; /// b is in rows.
        In direct: Bits<PASS_BITS>; /// The pass that the operation is, if it takes no command; else 0.
        In key: Word<64, 1>; /// The immediate or the scalar register as wide as the operation.
        In operand_a, operand_d: RowAddress; /// Rows of the operation's first source and of its result.
        In wrong: Bits<3>; /// Why an operation that is a pass is refused, or 0.
        In chooser: RowAddress; /// The row that chooses.
    }
}

/// A line of a cache way, its first word lowest.
pub type CacheLine = Word<512, 8>;

bundle! {
    /// Requests to the cache ways, at their end. A request that is no hint has an answer; answers come in order.
    pub CacheSink "CacheSource", CacheSource "CacheSink" {
        In valid: Bit; /// A request is offered.
        Out ready: Bit; /// It is taken if offered.
        In address: Bits<32>; /// A byte's; the word that holds it is meant.
        In write: Bit; /// The word is written.
        In hint: Bit; /// Its line is fetched, if it is not there; no answer comes.
        In data: Word<64, 1>; /// What is written.
        In strobes: Bits<8>; /// Bytes of it.
        Out answer: Bit; /// An answer comes, which cannot wait.
        Out answer_data: Word<64, 1>; /// The word before the request.
        Out answer_failed: Bit; /// Its line could not be fetched, nothing was written.
    }
}

bundle! {
    /// What waves are made of, at the end that fills them. Nothing changes while a launch is under way.
    pub WavesSink "WavesSource", WavesSource "WavesSink" {
        In arrays: Bits<2>; /// Arrays of a thread: 0 four, 1 two, 2 one.
        In block_x, block_y, block_z: Bits<13>; /// Threads of a CTA.
        In grid_x, grid_y, grid_z: Bits<21>; /// CTAs.
        In at_once: Bits<13>; /// CTAs that are in a control block at the same time.
        In shared_bytes: Bits<32>; /// Bytes of a CTA's shared window.
        In spill_rows: Bits<16>; /// Spill rows.
        In page_write: Bit; /// A DC-page is written.
        In page_number: Bits<8>; /// Which entry of the table.
        In page_entry: Bits<32>; /// Bit 31 if it is mapped, 30 if it is written, high bits of its number, where it is.
    }
}

bundle! {
    /// A launch: threads and CTAs, and where their windows are. Counts are at least 1; all stays while waves run.
    pub LaunchSink "LaunchSource", LaunchSource "LaunchSink" {
        In block_x, block_y, block_z: ThreadCount; /// Threads of a CTA.
        In grid_x, grid_y, grid_z: GridCount; /// CTAs of the grid.
        In at_once: ThreadCount; /// CTAs of a wave.
        In shared_base, shared_bytes: Bits<32>; /// Where shared windows begin, and bytes of each.
    }
}

bundle! {
    /// What an operation does with operands that are lines.
    pub LineKindSink "LineKindSource", LineKindSource "LineKindSink" {
        In a, b: Bit; /// Operand a is read. Operand b is, line by line.
        In key: Bit; /// Operand b is a line to which all others are compared.
        In d: Bit; /// Operand d is written.
        In gives: Bit; /// It gives a bit for each word.
    }

    /// Registers of operations on lines, at their end.
    pub LineHostSink "LineHostSource", LineHostSource "LineHostSink" {
        In write: Bit; /// A register is written.
        In number, read_number: Bits<4>; /// Which one. Which one is read.
        In data: Bits<32>; /// What it gets.
        In ready: Bit; /// Some way serves, and none is flushed.
        Out refuses: Bit; /// The register `number` may not be written.
        Out value: Bits<32>; /// What the one that is read holds.
        Out working: Bit; /// An instruction is under way.
        Out irq: Bit; /// One has ended that was to say so.
    }

    /// Ways that are to be emptied, at the cache's end.
    pub CacheDrainSink "CacheDrainSource", CacheDrainSource "CacheDrainSink" {
        In valid: Bit; /// Ways are to be emptied.
        Out ready: Bit; /// They will be.
        In ways: CacheWays; /// Which ones.
    }

    /// A line that is written as a whole, at the cache's end: of which request, and what it becomes. A request for it
    /// is one for a word that is written, and what `line` and `drop` say of it counts when its turn has come, which is
    /// behind the answers of all before it.
    pub LineStoreSink "LineStoreSource", LineStoreSource "LineStoreSink" {
        In whole: Bit; /// With a request: its line is written as a whole, and not fetched.
        In line: CacheLine; /// What the line becomes.
        In drop: Bit; /// Nothing is written: the request has failed.
    }

    /// A request on its way through the cache.
    pub CacheStageSink "CacheStageSource", CacheStageSource "CacheStageSink", pipes CacheStage {
        In at: WordNumber; /// The word.
        In write: Bit; /// It is written.
        In hint: Bit; /// Only its line is meant.
        In data: Word<64, 1>; /// What is written.
        In strobes: Bits<8>; /// Bytes of it.
    }
}
