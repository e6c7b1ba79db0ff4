//! Model of the command log: what has become of the commands that software pushed.

use super::command_setup::Refusal;
use super::compute_unit::Outputs;
use crate::isa::command::ErrorCode;

/// A recorded error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Error code; 0 for none.
    pub code: u64,
    /// Operand, or 0.
    pub operand: u64,
    /// Pushes before the command.
    pub index: u32,
}

/// What software does in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Pushes a command.
    pub push: bool,
    /// Forgets the error.
    pub clear: bool,
    /// Reads the low half of the cycles.
    pub keep: bool,
}

/// State of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLog {
    /// First error.
    pub error: Recorded,
    /// Pushes.
    pub pushes: u32,
    /// Pushes before each command of the queue; `None` was never written.
    pub indices: Vec<Option<u32>>,
    /// Where the next index goes, modulo 16.
    pub tail: u8,
    /// Where the oldest index is, modulo 16.
    pub front: u8,
    /// Index of the command that the unit took last; `None` before the first.
    pub current: Option<u32>,
    /// The unit was busy a cycle ago.
    pub busy: bool,
    /// The unit was busy two cycles ago.
    pub was_busy: bool,
    /// A command finished a cycle ago.
    pub finished: bool,
    /// A command was refused a cycle ago.
    pub refusal: Option<Refusal>,
    /// Commands finished.
    pub completed: u32,
    /// Busy cycles.
    pub cycles: u64,
    /// High half of the cycles when the low one was read.
    pub kept: u32,
}

impl CommandLog {
    /// An empty log for a queue of `depth` commands.
    pub fn new(depth: usize) -> CommandLog {
        CommandLog { indices: vec![None; depth], ..CommandLog::default() }
    }

    /// The unit has turned from busy to idle.
    pub fn turned_idle(&self) -> bool {
        self.was_busy && !self.busy
    }

    /// What goes wrong in this cycle, the earlier command first.
    fn errors(&self, dropped: bool) -> Option<Recorded> {
        let refused = self.refusal.map(|r| Recorded {
            code: r.code,
            operand: r.operand,
            index: self.current.expect("only a command that was taken is refused"),
        });
        let overflow = Recorded { code: ErrorCode::Overflow.code(), operand: 0, index: self.pushes };
        refused.or(dropped.then_some(overflow))
    }

    /// One clock edge. `enters` tells that a pushed command enters the queue. Returns whether something went wrong.
    pub fn step(&mut self, access: Access, enters: bool, unit: &Outputs) -> bool {
        let errors = self.errors(access.push && !unit.command_ready);
        if access.clear {
            self.error = Recorded::default();
        }
        if let (Some(recorded), 0) = (errors, self.error.code) {
            self.error = recorded;
        }
        let depth = self.indices.len();
        if unit.activity.accepted {
            self.current = self.indices[usize::from(self.front) % depth];
            self.front = (self.front + 1) % 16;
        }
        if access.push && unit.command_ready {
            self.indices[usize::from(self.tail) % depth] = Some(self.pushes);
            self.tail = (self.tail + 1) % 16;
        }
        self.pushes = self.pushes.wrapping_add(access.push.into());
        if access.keep {
            self.kept = (self.cycles >> 32) as u32;
        }
        self.cycles = self.cycles.wrapping_add(self.busy.into());
        self.completed = self.completed.wrapping_add(self.finished.into());
        self.was_busy = self.busy;
        self.busy = unit.busy || enters;
        self.finished = unit.activity.last;
        self.refusal = unit.activity.refusal;
        errors.is_some()
    }
}
