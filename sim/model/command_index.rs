//! Model of the command index: which push brought the command that the unit has taken last.

/// State.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandIndex {
    /// Those of the queue; `None` was never written.
    pub slots: Vec<Option<u32>>,
    /// Where the next index goes, modulo 16.
    pub tail: u8,
    /// Where the oldest index is, modulo 16.
    pub front: u8,
    /// Indices that wait.
    pub count: u8,
    /// That of the command taken last.
    pub taken: u32,
}

impl CommandIndex {
    /// None, for a queue of `depth` commands.
    pub fn new(depth: usize) -> CommandIndex {
        CommandIndex { slots: vec![None; depth], ..CommandIndex::default() }
    }

    /// One clock edge: the index of a command that enters the queue, and whether the unit takes the oldest.
    ///
    /// # Panics
    /// If the unit takes a command that never entered.
    pub fn step(&mut self, enters: Option<u32>, accepted: bool) {
        let depth = self.slots.len();
        if accepted {
            self.taken = self.slots[usize::from(self.front) % depth].expect("only what has entered is taken");
            self.front = (self.front + 1) % 16;
        }
        if let Some(index) = enters {
            self.slots[usize::from(self.tail) % depth] = Some(index);
            self.tail = (self.tail + 1) % 16;
        }
        self.count = self.count + u8::from(enters.is_some()) - u8::from(accepted);
    }

    /// A clock edge with the reset on has passed: the memory keeps its words.
    pub fn reset(&mut self) {
        let slots = std::mem::take(&mut self.slots);
        *self = CommandIndex { slots, ..CommandIndex::default() };
    }
}
