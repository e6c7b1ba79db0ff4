//! How long commands of an array take: each is given once to the cycle model of the sequencer, alone and behind itself.

use std::collections::HashMap;

use bitline_units::array::isa::Command;
use bitline_units::array::isa::microcode::Microcode;
use bitline_units::duality::isa::compute::Operations;
use bitline_units::duality::params::DualityParams;

use crate::command_queue::Waiting;
use crate::sequencer::Sequencer;

/// Most cycles of a command.
const MOST: u64 = 1 << 20;

/// What a command takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Cycles from the one in which an idle sequencer takes it to its last row, that one included.
    pub alone: u64,
    /// Cycles behind the last row of a command that has run meanwhile, to its own.
    pub behind: u64,
    /// Cycles from the one in which it is taken to the one in which the next can be.
    pub setup: u64,
    /// Cycles from its last row to the first in which the sequencer is idle.
    pub settles: u64,
}

/// Costs of the commands that were asked for.
pub struct Commands {
    /// Operations of the design.
    pub operations: Operations,
    code: Microcode,
    known: HashMap<(Command, u8), Cost>,
}

impl Commands {
    /// Those of a design.
    pub fn new(params: &DualityParams) -> Commands {
        let operations = Operations::new(params);
        let code = Microcode::assemble(operations.array());
        Commands { operations, code, known: HashMap::new() }
    }

    /// What a command takes whose questions have these answers, the first in the lowest bit: what is asked of the
    /// wired-OR of the tags.
    pub fn cost(&mut self, command: &Command, answers: u8) -> Cost {
        if let Some(&cost) = self.known.get(&(*command, answers)) {
            return cost;
        }
        let cost = self.measured(&Waiting::new(command, None), answers);
        self.known.insert((*command, answers), cost);
        cost
    }

    fn measured(&self, waiting: &Waiting, answers: u8) -> Cost {
        let mut sequencer = Sequencer::new(self.operations.array());
        // Of what has not been looked at everything is wanted.
        let known = (answers != u8::MAX).then_some(answers);
        let (mut taken, mut ends, mut left) = (vec![], vec![], known);
        for cycle in 0..MOST {
            let offered = (taken.len() < 2).then_some(waiting);
            let asks = sequencer.asks();
            let any = left.is_none_or(|left| left & 1 == 1);
            let activity = sequencer.step(&self.code, offered, any, [true, true], false);
            left = left.map(|left| left >> u8::from(asks));
            if activity.accepted {
                taken.push(cycle);
            }
            if activity.last || activity.refusal.is_some() {
                ends.push(cycle);
                left = known;
            }
            if ends.len() == 2 && sequencer.idle() {
                let setup = taken[1] - taken[0];
                let settles = cycle + 1 - ends[1];
                return Cost { alone: ends[0] - taken[0] + 1, behind: ends[1] - ends[0], setup, settles };
            }
        }
        unreachable!("a command of a legal word ends within {MOST} cycles")
    }
}
