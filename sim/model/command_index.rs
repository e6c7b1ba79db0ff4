//! Model of the command index: which push brought the command that the unit has taken last.

use super::queue::Queue;

/// State.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandIndex {
    /// Those of the queue.
    pub waiting: Queue<u32>,
    /// That of the command taken last.
    pub taken: u32,
}

impl CommandIndex {
    /// None, for a queue of `depth` commands.
    pub fn new(depth: usize) -> CommandIndex {
        CommandIndex { waiting: Queue::new(depth), taken: 0 }
    }

    /// One clock edge: the index of a command that enters the queue, and whether the unit takes the oldest.
    ///
    /// # Panics
    /// If the unit takes a command that never entered.
    pub fn step(&mut self, enters: Option<u32>, accepted: bool) {
        if accepted {
            self.taken = *self.waiting.head().expect("only what has entered is taken");
        }
        self.waiting.step(enters, accepted);
    }

    /// A clock edge with the reset on has passed: the memory keeps its words.
    pub fn reset(&mut self) {
        self.taken = 0;
        self.waiting.reset();
    }
}

state! {
    CommandIndex(self) {
        self => taken;
        in waiting = self.waiting, (|&index| [index.into()]);
    }
}
