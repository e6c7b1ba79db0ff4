//! Model of the command log: what has become of the commands that software pushed.

use bitline_units::array::isa::command::ErrorCode;

/// A recorded error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Error code; 0 for none.
    pub code: u64,
    /// Operand, or 0.
    pub operand: u64,
    /// Pushes before the command.
    pub index: u32,
    /// Where in memory, or 0.
    pub address: u64,
}

/// What the register block sees of the unit in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// A command is taken if offered.
    pub ready: bool,
    /// Something waits or runs.
    pub busy: bool,
    /// Commands that wait.
    pub level: u8,
    /// Wired-OR of the tags.
    pub tag_any: bool,
    /// A command has ended.
    pub finished: bool,
    /// Exception flags raised in this cycle.
    pub raised: u8,
    /// A command is refused.
    pub refused: Option<Recorded>,
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
    /// First error in the order of pushes.
    pub error: Recorded,
    /// Pushes.
    pub pushes: u32,
    /// Pushes before the command that enters the queue; `None` before the first.
    pub entering: Option<u32>,
    /// The unit was busy a cycle ago.
    pub busy: bool,
    /// The unit was busy two cycles ago.
    pub was_busy: bool,
    /// A command finished a cycle ago.
    pub finished: bool,
    /// A command was refused a cycle ago.
    pub refusal: Option<Recorded>,
    /// Commands finished.
    pub completed: u32,
    /// Busy cycles.
    pub cycles: u64,
    /// High half of the cycles when the low one was read.
    pub kept: u32,
}

impl CommandLog {
    /// The unit has turned from busy to idle.
    pub fn turned_idle(&self) -> bool {
        self.was_busy && !self.busy
    }

    /// What goes wrong in this cycle, the earlier command first.
    fn errors(&self, dropped: bool) -> Option<Recorded> {
        let overflow = Recorded { code: ErrorCode::Overflow.code(), operand: 0, index: self.pushes, address: 0 };
        self.refusal.or(dropped.then_some(overflow))
    }

    /// One clock edge. `enters` tells that a pushed command enters the queue. Returns whether something went wrong.
    pub fn step(&mut self, access: Access, enters: bool, unit: &Events) -> bool {
        let errors = self.errors(access.push && !unit.ready);
        if access.clear {
            self.error = Recorded::default();
        }
        // One that was pushed earlier takes the place of a later one.
        let before = |recorded: &Recorded| (recorded.index.wrapping_sub(self.error.index) as i32) < 0;
        if let Some(recorded) = errors.filter(|error| self.error.code == 0 || before(error)) {
            self.error = recorded;
        }
        if access.push {
            self.entering = Some(self.pushes);
        }
        self.pushes = self.pushes.wrapping_add(access.push.into());
        if access.keep {
            self.kept = (self.cycles >> 32) as u32;
        }
        self.cycles = self.cycles.wrapping_add(self.busy.into());
        self.completed = self.completed.wrapping_add(self.finished.into());
        self.was_busy = self.busy;
        self.busy = unit.busy || enters;
        self.finished = unit.finished;
        self.refusal = unit.refused;
        errors.is_some()
    }
}

state! {
    Recorded(self) {
        self => code, operand, index, address;
    }

    CommandLog(self) {
        with self.error;
        self => pushes, entering, busy, was_busy, finished, kept;
        refused = self.refusal.is_some();
        bus refused {
            when (let Some(refusal) = self.refusal) {
                refusal => code, operand, index, address;
            }
        }
        count = self.completed;
        low = self.cycles & 0xffff_ffff;
        low_full = self.cycles as u32 == u32::MAX;
        high = self.cycles >> 32;
    }
}
