//! Queue: a first-in, first-out buffer in LUT RAM, such as that between the command port and the sequencer.
//!
//! What is pushed in cycle t is at the head in t + 1 at the earliest. `push_ready` = 1 while there is room; `head_valid` = 1
//! while something waits. Empty after reset. The module's name has depth and width.

use crate::kernel::prelude::*;

/// Address bits: room for up to 16 words.
const ADDRESS: usize = 4;

/// The queue; `T` is what it holds.
#[derive(LogicBlock, Default)]
pub struct Queue<T: Packed> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A word is offered.
    pub push_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub push_ready: Signal<Out, Bit>,
    /// The word.
    pub push_data: Signal<In, T>,
    /// A word waits.
    pub head_valid: Signal<Out, Bit>,
    /// The oldest word.
    pub head: Signal<Out, T>,
    /// Removes the oldest word at the end of the cycle; only while one waits.
    pub pop: Signal<In, Bit>,
    /// Words that wait.
    pub level: Signal<Out, Bits<5>>,
    /// The words.
    pub memory: AsyncRam<T, Bits<ADDRESS>>,
    /// Where the next word goes.
    pub tail: Register<Bits<ADDRESS>>,
    /// Where the oldest word is.
    pub front: Register<Bits<ADDRESS>>,
    /// Words that wait.
    pub count: Register<Bits<5>>,
    push: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    _depth: u64,
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
