//! Queue whose oldest word is in a register: as [`crate::parts::queue`], cycle by cycle, for words of which much is
//! made in the cycle in which they are the oldest.
//!
//! What is pushed in cycle t is at the head in t + 1 at the earliest. `push_ready` = 1 while there is room;
//! `head_valid` = 1 while something waits; `head` means nothing else, nor does `second`, the word behind it, unless
//! `level` > 1. `coming` is what `head` will be, if something waits in the next cycle. Empty after reset. The
//! module's name has depth and width.

use crate::kernel::prelude::*;

/// Address bits: room for up to 64 words.
const ADDRESS: usize = 6;
/// Bits of their count.
const COUNT: usize = ADDRESS + 1;

hdl_block! {
    /// The queue; `T` is what it holds.
    pub HeadQueue<T: Packed> {
        In clock: Domain; /// Clock and reset.
        In push_valid: Bit; /// A word is offered.
        Out push_ready: Bit; /// It is taken if offered.
        In push_data: T; /// The word.
        Out head_valid: Bit; /// A word waits.
        Out head: T; /// The oldest word.
        Out second: T; /// The word behind it.
        Out coming: T; /// The oldest word of the next cycle.
        In pop: Bit; /// Removes the oldest word at the end of the cycle; only while one waits.
        Out level: Bits<7>; /// Words that wait.
    } inside {
        Child memory: AsyncRam<T, Bits<ADDRESS>>; // The words.
        Pipe oldest: T; // The oldest one, which the memory has, too.
        Register tail, front: Bits<ADDRESS>; // Where the next word goes. Where the oldest word is.
        Register count: Bits<7>; // Words that wait.
        Register some: Bit; // One does.
        Local push, ready, more, ones, zeros: Bit;
        Local counted: Bits<COUNT>;
        Local ahead: T;
        Value _depth: u64;
    }
}

impl<T: Packed> HeadQueue<T> {
    /// A queue of `depth` words: a power of two from 2 to 64.
    pub fn new(depth: usize) -> Self {
        HeadQueue { memory: AsyncRam::new(depth), _depth: depth as u64, ..Self::default() }
    }
}

impl<T: Packed> Logic for HeadQueue<T> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, memory);
        dff_setup!(self, clock, oldest, tail, front, count, some);
        self.ready.next = self.count.q.val() != self._depth;
        self.push_ready.next = self.ready.val();
        self.push.next = self.push_valid.val() & self.ready.val();
        self.memory.write_address.next = self.tail.q.val();
        self.memory.write_enable.next = self.push.val();
        self.memory.write_data.next = self.push_data.val();
        self.memory.read_address.next = self.front.q.val() + 1;
        self.head.next = self.oldest.q.val();
        self.second.next = self.memory.read_data.val();
        self.head_valid.next = self.some.q.val();
        self.level.next = self.count.q.val();
        // Behind the oldest word comes one that waits, or the one that is pushed.
        self.more.next = self.count.q.val() > 1;
        self.ahead.next = self.push_data.val();
        if self.more.val() {
            self.ahead.next = self.memory.read_data.val();
        }
        if self.pop.val() | !self.some.q.val() {
            self.oldest.d.next = self.ahead.val();
        }
        // The register keeps what it has by its enable; others want to know it, too.
        self.coming.next = self.ahead.val();
        if self.some.q.val() & !self.pop.val() {
            self.coming.next = self.oldest.q.val();
        }
        // A bit of the count turns over when all below it are 1, counting up, or 0, counting down: pushes and pops are
        // late, and an adder would come behind them.
        self.ones.next = true;
        self.zeros.next = true;
        self.counted.next = self.count.q.val();
        for k in 0..COUNT {
            if (self.push.val() & !self.pop.val() & self.ones.val())
                | (self.pop.val() & !self.push.val() & self.zeros.val())
            {
                self.counted.next = self.counted.val().replace_bit(k, !self.count.q.val().get_bit(k));
            }
            self.ones.next = self.ones.val() & self.count.q.val().get_bit(k);
            self.zeros.next = self.zeros.val() & !self.count.q.val().get_bit(k);
        }
        self.count.d.next = self.counted.val();
        if self.push.val() {
            self.tail.d.next = self.tail.q.val() + 1;
            self.some.d.next = true;
        } else if self.pop.val() {
            self.some.d.next = self.more.val();
        }
        if self.pop.val() {
            self.front.d.next = self.front.q.val() + 1;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("head_queue_{}x{}", self._depth, T::width()),
            "First-in, first-out buffer whose oldest word is in a register.",
            constants![COUNT; self._depth],
        )
    }
}
