//! Command index: which push brought the command that the compute unit has taken last.
//!
//! Indices wait in a queue beside the commands. `current` is that of the command taken last, from the cycle after it
//! was taken; refusals come at that time at the earliest. 0 after reset.

use crate::kernel::prelude::*;
use crate::parts::queue::Queue;

hdl_block! {
    /// The indices.
    pub CommandIndex {
        In clock: Domain; /// Clock and reset.
        In enter: Bit; /// A command enters the unit's queue, which has room.
        In index: Bits<32>; /// Its index.
        In accepted: Bit; /// The unit takes the oldest command.
        Out current: Bits<32>; /// Index of the command taken last.
    } inside {
        Child waiting: Queue<Bits<32>>; // Those of the queue.
        Register taken: Bits<32>; // That of the command taken last.
        Local unused_room, unused_head: Bit;
        Local unused_level: Bits<5>;
    }
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

    described! { "command_index", "Which push brought the command that the unit took last." }
}
