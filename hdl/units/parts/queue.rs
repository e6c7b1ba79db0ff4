//! Queue: a first-in, first-out buffer in LUT RAM, such as that between the command port and the sequencer.
//!
//! What is pushed in cycle t is at the head in t + 1 at the earliest. `push_ready` = 1 while there is room;
//! `head_valid` = 1 while something waits. Empty after reset. The module's name has depth and width.

use crate::kernel::prelude::*;

/// Address bits: room for up to 16 words.
const ADDRESS: usize = 4;

hdl_block! {
    /// The queue; `T` is what it holds.
    pub Queue<T: Packed> {
        In clock: Domain; /// Clock and reset.
        In push_valid: Bit; /// A word is offered.
        Out push_ready: Bit; /// It is taken if offered.
        In push_data: T; /// The word.
        Out head_valid: Bit; /// A word waits.
        Out head: T; /// The oldest word.
        In pop: Bit; /// Removes the oldest word at the end of the cycle; only while one waits.
        Out level: Bits<5>; /// Words that wait.
    } inside {
        Child memory: AsyncRam<T, Bits<ADDRESS>>; // The words.
        Register tail, front: Bits<ADDRESS>; // Where the next word goes. Where the oldest word is.
        Register count: Bits<5>; // Words that wait.
        Local push, ready: Bit;
        Value _depth: u64;
    }
}

impl<T: Packed> Queue<T> {
    /// A queue of `depth` words: 2, 4, 8 or 16.
    pub fn new(depth: usize) -> Self {
        Queue { memory: AsyncRam::new(depth), _depth: depth as u64, ..Self::default() }
    }
}

impl<T: Packed> Logic for Queue<T> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, memory);
        dff_setup!(self, clock, tail, front, count);
        self.ready.next = self.count.q.val() != self._depth;
        self.push_ready.next = self.ready.val();
        self.push.next = self.push_valid.val() & self.ready.val();
        self.memory.write_address.next = self.tail.q.val();
        self.memory.write_enable.next = self.push.val();
        self.memory.write_data.next = self.push_data.val();
        self.memory.read_address.next = self.front.q.val();
        self.head.next = self.memory.read_data.val();
        self.head_valid.next = self.count.q.val() != 0;
        self.level.next = self.count.q.val();
        if self.push.val() {
            self.tail.d.next = self.tail.q.val() + 1;
            if !self.pop.val() {
                self.count.d.next = self.count.q.val() + 1;
            }
        } else if self.pop.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
        if self.pop.val() {
            self.front.d.next = self.front.q.val() + 1;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("queue_{}x{}", self._depth, T::width()),
            "First-in, first-out buffer in LUT RAM.",
            constants![; self._depth],
        )
    }
}
