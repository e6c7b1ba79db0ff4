//! The ports of the compute cache, what goes in and comes out in a cycle; and what the model follows inside.

use bitline_units::compute_cache::{CacheFault, CacheInstruction};

/// A processor's access to a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordAccess {
    /// It writes.
    pub write: bool,
    /// Byte address.
    pub address: u32,
    /// What to write.
    pub data: u64,
    /// Which bytes.
    pub strobes: u8,
}

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheInputs {
    /// An instruction offered.
    pub instruction: Option<CacheInstruction>,
    /// A result is taken if there.
    pub take_result: bool,
    /// A word access offered.
    pub word: Option<WordAccess>,
    /// A word that was read is taken if there.
    pub take_read: bool,
}

/// An instruction's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheResult {
    /// Its tag.
    pub tag: u8,
    /// A bit for each word.
    pub mask: u64,
    /// Why it was refused, if it was.
    pub fault: Option<CacheFault>,
}

/// Outputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheOutputs {
    /// An instruction is taken if offered.
    pub instruction_ready: bool,
    /// A result is there.
    pub result: Option<CacheResult>,
    /// The word access offered is taken.
    pub word_ready: bool,
    /// A word that was read is there.
    pub read: Option<u64>,
    /// An instruction is in the table.
    pub busy: bool,
}

seen! {
    /// What a bank executes.
    BankSeen {
        /// Something.
        active: bool = "active";
        /// What.
        op: u8 = "op";
        /// Granularity.
        grain: u8 = "grain";
        /// Sub-array.
        sub: u32 = "sub";
        /// Its block that is read.
        a: u32 = "a";
        /// The second one.
        b: u32 = "b";
        /// The block that is written.
        d: u32 = "d";
        /// One is.
        write: bool = "write";
        /// Bits of the mask come of it.
        gives: bool = "gives";
    }

    /// What the paths and the ports do.
    PathsSeen {
        /// What a block goes out for.
        purpose: u8 = "bus.sent";
        /// Banks that have missed their part of a wave.
        missed: u32 = "waves.missed";
        /// An instruction is on the in-place path.
        waves: bool = "waves.active";
        /// And on the near-place path.
        near: bool = "near_path.active";
        /// One waits for its path.
        held: bool = "dispatch.held";
        /// The near-place path.
        held_near: bool = "dispatch.is_near";
        /// A word access is taken.
        word_ready: bool = "word_ready";
        /// A result is there.
        result: bool = "result_valid";
        /// A word that was read is there.
        read: bool = "read_valid";
    }
}

state! {
    CacheInputs(self) {
        instr_valid = self.instruction.is_some();
        bus instr {
            self.instruction.unwrap_or_default() => op, grain, a, b, d, size, tag;
        }
        result_ready = self.take_result;
        word_valid = self.word.is_some();
        bus word {
            self.word.unwrap_or_default() => write, address, data, strobes;
        }
        read_ready = self.take_read;
    }

    CacheOutputs(self, asked: bool) {
        instr_ready = self.instruction_ready;
        result_valid = self.result.is_some();
        bus result {
            when (let Some(result) = self.result) {
                result => tag, mask;
                code = result.fault.map_or(0, |fault| fault.code as u64);
                address = result.fault.map_or(0, |fault| fault.address);
            }
        }
        // Whether a word is taken matters when one is offered.
        word_ready = asked.then_some(self.word_ready);
        read_valid = self.read.is_some();
        read_data = self.read;
        self => busy;
    }
}
