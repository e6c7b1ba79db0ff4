//! Command index: which push brought the command that the compute unit has taken last.
//!
//! Indices wait in a queue beside the commands. `current` is that of the command taken last, from the cycle after it was taken; refusals
//! come at that time at the earliest. 0 after reset.

use super::queue::Queue;
use crate::kernel::prelude::*;

/// The indices.
#[derive(LogicBlock, Default)]
pub struct CommandIndex {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A command enters the unit's queue, which has room.
    pub enter: Signal<In, Bit>,
    /// Its index.
    pub index: Signal<In, Bits<32>>,
    /// The unit takes the oldest command.
    pub accepted: Signal<In, Bit>,
    /// Index of the command taken last.
    pub current: Signal<Out, Bits<32>>,
    /// Those of the queue.
    pub waiting: Queue<Bits<32>>,
    /// That of the command taken last.
    pub taken: Register<Bits<32>>,
    unused_room: Signal<Local, Bit>,
    unused_head: Signal<Local, Bit>,
    unused_level: Signal<Local, Bits<5>>,
}

impl CommandIndex {
    /// Indices for a queue of `depth` commands.
    pub fn new(depth: usize) -> Self {
        CommandIndex { waiting: Queue::new(depth), ..Self::default() }
    }
}

impl Logic for CommandIndex {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, waiting);
        dff_setup!(self, clock, taken);
        self.waiting.push_valid.next = self.enter.val();
        self.waiting.push_data.next = self.index.val();
        self.waiting.pop.next = self.accepted.val();
        self.unused_room.next = self.waiting.push_ready.val();
        self.unused_head.next = self.waiting.head_valid.val();
        self.unused_level.next = self.waiting.level.val();
        if self.accepted.val() {
            self.taken.d.next = self.waiting.head.val();
        }
        self.current.next = self.taken.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("command_index", "Which push brought the command that the unit took last.", constants![])
    }
}
