//! Model of the command queue.

use bitline_units::isa::Command;

/// A command as it waits: what came in over the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its fields.
    pub command: Command,
    /// Opcode as sent.
    pub opcode: u8,
    /// Set as sent.
    pub set: u8,
}

impl Waiting {
    /// The command, with its own opcode and set or with `codes`.
    pub fn new(command: &Command, codes: Option<(u8, u8)>) -> Waiting {
        let (opcode, set) = codes.unwrap_or((command.opcode as u8, command.set as u8));
        Waiting { command: *command, opcode, set }
    }
}

/// State of the queue. Slots keep what was last written to them.
#[derive(Clone, Debug)]
pub struct CommandQueue {
    /// Slots; `None` was never written.
    pub slots: Vec<Option<Waiting>>,
    /// Where the next command goes, modulo 16.
    pub tail: u8,
    /// Where the oldest command is, modulo 16.
    pub front: u8,
    /// Commands that wait.
    pub count: u8,
}

impl CommandQueue {
    /// An empty queue for `depth` commands.
    pub fn new(depth: usize) -> CommandQueue {
        CommandQueue { slots: vec![None; depth], tail: 0, front: 0, count: 0 }
    }

    /// The oldest command.
    pub fn head(&self) -> Option<&Waiting> {
        let slot = usize::from(self.front) % self.slots.len();
        if self.count == 0 { None } else { self.slots[slot].as_ref() }
    }

    /// Whether a command offered in this cycle is taken.
    pub fn ready(&self) -> bool {
        usize::from(self.count) < self.slots.len()
    }

    /// One clock edge.
    pub fn step(&mut self, push: Option<&Waiting>, pop: bool) {
        let push = push.filter(|_| self.ready());
        if let Some(command) = push {
            let slot = usize::from(self.tail) % self.slots.len();
            self.slots[slot] = Some(*command);
            self.tail = (self.tail + 1) % 16;
        }
        if pop {
            self.front = (self.front + 1) % 16;
        }
        self.count = self.count + u8::from(push.is_some()) - u8::from(pop);
    }
}
