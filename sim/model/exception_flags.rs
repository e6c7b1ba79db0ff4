//! Model of the exception flags on their way: what a row reports goes with it through the sequencer's stages, and comes
//! back when the wired-OR of the tags behind it is known.

use super::sequencer::Sequencer;
use bitline_units::array::params::{Memory, Params};

/// The code of a floating-point command's first row.
pub const START: u8 = 6;
/// What it raises.
pub const STARTED: u8 = 1 << (START - 1);

/// State of the block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExceptionFlags {
    /// Code of the row in the ROM's stage; `None` if there is no row.
    pub fetched: Option<u8>,
    /// Codes of the rows behind it, up to the one at issue.
    pub stages: [u8; 4],
    /// Codes between issue and the wired-OR, the latest issued first.
    pub tokens: [u8; 4],
}

impl ExceptionFlags {
    /// Flags raised in this cycle: bit k is that of code k + 1. The last code is that of a command's first row, and
    /// comes whatever tags are.
    pub fn raised(&self, memory: Memory, tag_any: bool) -> u8 {
        match self.tokens[Sequencer::tag_latency(memory) - 1] {
            code if code == START || code > 0 && tag_any => 1 << (code - 1),
            _ => 0,
        }
    }

    /// One clock edge. `fetched` is the code of the row that flow control hands on, `advance` whether rows move, and
    /// `issued` whether the one at issue leaves. Gives the code of that row.
    pub fn step(&mut self, fetched: Option<u8>, advance: bool, issued: bool) -> u8 {
        let leaves = if issued { self.stages[3] } else { 0 };
        let [latest, second, third, _] = self.tokens;
        self.tokens = [leaves, latest, second, third];
        if advance {
            let [first, second, third, _] = self.stages;
            self.stages = [self.fetched.unwrap_or(0), first, second, third];
            self.fetched = fetched;
        }
        leaves
    }
}

#[cfg(test)]
mod tests;

state! {
    ExceptionFlags(self, params: &Params) {
        fetched = self.fetched.is_some();
        stages[] = self.stages;
        tokens[] = &self.tokens[..Sequencer::tag_latency(params.memory)];
    }
}
