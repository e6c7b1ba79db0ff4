//! Buses between the blocks of a compute cache. Sinks take what the bus brings.
#![allow(missing_docs)] // The `join` that rust-hdl derives has no text.

use crate::compute_cache::blocks::types::{BlockNumber, RowOp, Slot};
use crate::kernel::prelude::*;
use crate::parts::cache_ops::GRAIN_BITS;

bundle! {
    /// What an instruction says; a part of other buses.
    pub WorkSink "WorkSource", WorkSource "WorkSink" {
        In op: RowOp, // Code of a `CacheOp`.
        In grain: Bits<GRAIN_BITS>, // Granularity of a carry-less product: 64 bits times 2 to this power.
        In a: Bits<32>, // Byte address of the first source.
        In b: Bits<32>, // Byte address of the second source, or of the key.
        In d: Bits<32>, // Byte address of the destination.
        In size: Bits<32>, // Bytes of an operand.
    }

    /// Instructions that come in.
    pub InstrSink "InstrSource", InstrSource "InstrSink" {
        In valid: Bit, // An instruction is offered.
        Out ready: Bit, // It is taken if offered.
        Part work_: WorkSink | WorkSource,
        In tag: Bits<8>, // Comes back with the result.
    }

    /// Results of instructions.
    pub ResultSink "ResultSource", ResultSource "ResultSink" {
        In valid: Bit, // A result is there.
        Out ready: Bit, // It is taken if there.
        In tag: Bits<8>, // The instruction's tag.
        In mask: Word<64, 1>, // A bit for each word, of the operations that give one; else 0.
        In code: Bits<3>, // Code of a `CacheError`; 0 if the instruction has run.
        In address: Bits<32>, // What the code is about; else 0.
    }

    /// The processor's accesses.
    pub WordSink "WordSource", WordSource "WordSink" {
        In valid: Bit, // A word is accessed.
        Out ready: Bit, // The access is taken.
        In write: Bit, // It writes.
        In address: Bits<32>, // Byte address.
        In data: Word<64, 1>, // What to write.
        In strobes: Bits<8>, // Which bytes.
    }

    /// Words that the processor reads.
    pub ReadSink "ReadSource", ReadSource "ReadSink" {
        In valid: Bit, // A word that was read is there.
        Out ready: Bit, // It is taken if there.
        In data: Word<64, 1>, // The word.
    }

    /// Both of these.
    pub ProcessorSink "ProcessorSource", ProcessorSource "ProcessorSink" {
        Part word: WordSink | WordSource,
        Part read: ReadSource | ReadSink,
    }

    /// An instruction on its way from the table to the check.
    pub NextSink "NextSource", NextSource "NextSink" {
        In next_valid: Bit, // An instruction is offered.
        Out next_take: Bit, // It is taken.
        In next_slot: Slot, // Its place in the table.
        Part next: WorkSink | WorkSource,
    }

    /// An instruction that comes into an entry.
    pub PushSink "PushSource", PushSource "PushSink" {
        In push: Bit, // It comes.
        Part work_: WorkSink | WorkSource,
        In tag: Bits<8>,
    }

    /// What an entry knows of its instruction.
    pub KnownSink "KnownSource", KnownSource "KnownSink" {
        Part work_: WorkSink | WorkSource,
        In tag: Bits<8>,
        In mask: Word<64, 1>, // Bits of the mask so far.
        In code: Bits<3>, // Error code.
        In fault: Bits<32>, // What it is about.
    }

    /// What is wrong with an instruction; a part of other buses.
    pub VerdictSink "VerdictSource", VerdictSource "VerdictSink" {
        In code: Bits<3>, // Error code; 0 if it is legal.
        In address: Bits<32>, // What the code is about.
    }

    /// A refusal: of the instruction held, or of that in an entry.
    pub RefusalSink "RefusalSource", RefusalSource "RefusalSink" {
        In refuse: Bit, // It is refused.
        Part verdict_: VerdictSink | VerdictSource,
    }

    /// A refusal of any instruction in the table.
    pub PlacedRefusalSink "PlacedRefusalSource", PlacedRefusalSource "PlacedRefusalSink" {
        In refuse: Bit, // An instruction is refused.
        In slot: Slot, // Which.
        Part verdict_: VerdictSink | VerdictSource,
    }

    /// Blocks that arrive at the near-place path.
    pub ArrivalSink "ArrivalSource", ArrivalSource "ArrivalSink" <W: RowWord> {
        In first_arrives: Bit, // A first source arrives.
        In last_arrives: Bit, // A block operation's last source arrives.
        In arrived: W, // What arrives.
    }

    /// What the in-place path has done.
    pub WaveDoneSink "WaveDoneSource", WaveDoneSource "WaveDoneSink" {
        In retire: Bit, // Results of a part of a wave are there.
        In slot: Slot, // Whose.
        In blocks: Bits<6>, // Blocks that are done with it.
    }

    /// What the near-place path has done.
    pub NearDoneSink "NearDoneSource", NearDoneSource "NearDoneSink" {
        In retire: Bit, // A block operation is done.
        In slot: Slot, // Whose.
        In mask: Word<64, 1>, // Its bits of the mask.
    }

    /// Accesses of the interconnect; `S` says which banks.
    pub AccessSink "AccessSource", AccessSource "AccessSink" <S: Packed> {
        In access: S, // Takes the access.
        In write: Bit, // It writes.
        In block: BlockNumber, // Its block's number without the bank.
    }
}
