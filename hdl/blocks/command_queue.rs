//! Command queue: a first-in, first-out buffer in LUT RAM between the command port and the sequencer.
//!
//! A command pushed in cycle t is at the head in t + 1 at the earliest. `push_ready` = 1 while there is room; `head_valid` = 1
//! while a command waits. Empty after reset.

use crate::kernel::prelude::*;

/// Address bits: room for up to 16 commands.
const ADDRESS: usize = 4;

/// The queue; `T` is what it holds.
#[derive(LogicBlock, Default)]
pub struct CommandQueue<T: Packed> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A command is offered.
    pub push_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub push_ready: Signal<Out, Bit>,
    /// The command.
    pub push_data: Signal<In, T>,
    /// A command waits.
    pub head_valid: Signal<Out, Bit>,
    /// The oldest command.
    pub head: Signal<Out, T>,
    /// Removes the oldest command at the end of the cycle; only while one waits.
    pub pop: Signal<In, Bit>,
    /// Commands that wait.
    pub level: Signal<Out, Bits<5>>,
    /// The commands.
    pub memory: AsyncRam<T, Bits<ADDRESS>>,
    /// Where the next command goes.
    pub tail: Register<Bits<ADDRESS>>,
    /// Where the oldest command is.
    pub front: Register<Bits<ADDRESS>>,
    /// Commands that wait.
    pub count: Register<Bits<5>>,
    push: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    _depth: u64,
}

impl<T: Packed> CommandQueue<T> {
    /// A queue of `depth` commands: 2, 4, 8 or 16.
    pub fn new(depth: usize) -> Self {
        CommandQueue { memory: AsyncRam::new(depth), _depth: depth as u64, ..Self::default() }
    }
}

impl<T: Packed> Logic for CommandQueue<T> {
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

    fn timing(&self) -> Vec<rust_hdl::core::timing::TimingInfo> {
        describe("command_queue", "Commands that wait for the sequencer.", constants![; self._depth])
    }
}
