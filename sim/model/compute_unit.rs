//! Model of the compute unit: command queue, sequencer and array.

use std::collections::VecDeque;

use super::command_setup::Refusal;
use super::compute_array::ComputeArray;
use super::sequencer::{Activity, Sequencer};
use crate::isa::Command;
use crate::isa::microcode::Microcode;
use crate::params::Params;

/// State of the unit, without its row ports.
#[derive(Clone, Debug)]
pub struct ComputeUnit {
    /// ROM contents.
    pub code: Microcode,
    /// Commands that wait.
    pub queue: VecDeque<Command>,
    /// Sequencer.
    pub sequencer: Sequencer,
    /// Array.
    pub array: ComputeArray,
    nothing: Vec<u64>,
}

/// Issue timing of a command, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// From the first to the last issue, stalls and waits included.
    pub issue: u64,
    /// From the first issue to the last write.
    pub latency: u64,
}

impl ComputeUnit {
    /// Idle, rows zero.
    pub fn new(params: &Params) -> ComputeUnit {
        ComputeUnit {
            code: Microcode::assemble(params),
            queue: VecDeque::new(),
            sequencer: Sequencer::new(params),
            array: ComputeArray::new(params),
            nothing: vec![0; params.columns.div_ceil(64)],
        }
    }

    /// One clock edge without row traffic.
    pub fn step(&mut self) -> Activity {
        let tag_any = self.array.tag_any;
        let activity = self.sequencer.step(&self.code, self.queue.front(), tag_any, false, false);
        if activity.accepted {
            self.queue.pop_front();
        }
        self.array.step(&activity.issue, &self.nothing);
        activity
    }

    /// Runs one command to its end.
    ///
    /// # Errors
    /// The hardware's refusal.
    pub fn run(&mut self, command: Command) -> Result<Timing, Refusal> {
        self.queue.push_back(command);
        let (mut cycle, mut first, mut last, mut write) = (0u64, None, 0, 0);
        while !(self.queue.is_empty() && self.sequencer.idle()) || cycle == 0 {
            let activity = self.step();
            if let Some(refusal) = activity.refusal {
                return Err(refusal);
            }
            if activity.issued {
                first.get_or_insert(cycle);
                last = cycle;
                if activity.issue.write.is_some() {
                    write = cycle;
                }
            }
            cycle += 1;
            assert!(cycle < 100_000, "{command} does not end");
        }
        let first = first.unwrap_or(0);
        let pipeline = Sequencer::tag_latency(self.array.memory()) as u64 - 2;
        Ok(Timing { issue: last + 1 - first, latency: (write + pipeline + 1).max(last + 1) - first })
    }
}
