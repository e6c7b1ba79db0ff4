//! What goes in and out of the cache compute system in a cycle.

use super::processor::CpuAccess;

/// Inputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreInputs {
    /// An access that the processor asks for.
    pub access: Option<CpuAccess>,
    /// Memory takes a request to read.
    pub read_ready: bool,
    /// A line from memory, and whether it comes with an error.
    pub reply: Option<(Vec<u32>, bool)>,
    /// A write is done, or has failed.
    pub ack: Option<bool>,
    /// With two read ports: memory takes a request on the second.
    pub more_ready: bool,
    /// A line there.
    pub more_reply: Option<(Vec<u32>, bool)>,
}

/// A write to memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreWrite {
    /// Line.
    pub line: u32,
    /// Lanes.
    pub lanes: Vec<bool>,
    /// Bytes of each word.
    pub bytes: u8,
    /// The word, if it is one.
    pub word: Option<u32>,
    /// The line, if it is one.
    pub data: Vec<u32>,
}

/// Outputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreOutputs {
    /// The access is taken.
    pub ready: bool,
    /// A word that was read, and whether it came with an error.
    pub reply: Option<(u32, bool)>,
    /// Interrupt line.
    pub irq: bool,
    /// A line is asked for.
    pub read: Option<u32>,
    /// A line that memory offers is taken.
    pub reply_ready: bool,
    /// A line or a word is written.
    pub write: Option<CoreWrite>,
    /// With two read ports: a line is asked for on the second.
    pub more_read: Option<u32>,
}

state! {
    CoreInputs(self, lanes: usize, two: bool) {
        let access = self.access.unwrap_or_default();
        cpu_valid = self.access.is_some();
        bus cpu {
            access => write, address;
            data = access.data.0;
            strobes = access.data.1;
        }
        read_ready = self.read_ready;
        reply_valid = self.reply.is_some();
        reply_error = self.reply.as_ref().is_some_and(|reply| reply.1);
        reply_data[] = (0..lanes).map(|lane| self.reply.as_ref().map(|reply| reply.0[lane]));
        ack_valid = self.ack.is_some();
        ack_error = self.ack == Some(true);
        if (two) {
            let more = self.more_reply.as_ref();
            more_read_0_ready = self.more_ready;
            more_reply_0_valid = more.is_some();
            more_reply_0_error = more.is_some_and(|reply| reply.1);
            more_reply_0_data[] = (0..lanes).map(|lane| more.map(|reply| reply.0[lane]));
        }
    }
}
