//! Stream ends: what a reader and a writer are to the memory path where elements come and go by streams.
//!
//! A load's beats pass while its elements are counted; a store is at work until its last beat has left. Idle after reset.

use super::types::Count;
use crate::kernel::prelude::*;

/// The ends.
#[derive(LogicBlock, Default)]
pub struct StreamEnds {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A load starts.
    pub read_valid: Signal<In, Bit>,
    /// It can.
    pub read_ready: Signal<Out, Bit>,
    /// Its elements.
    pub read_count: Signal<In, Count>,
    /// A beat is offered.
    pub s_axis_tvalid: Signal<In, Bit>,
    /// It is taken if offered.
    pub s_axis_tready: Signal<Out, Bit>,
    /// It is an element of the load.
    pub word_valid: Signal<Out, Bit>,
    /// The element is taken.
    pub word_ready: Signal<In, Bit>,
    /// It is the load's last.
    pub word_last: Signal<Out, Bit>,
    /// A store starts.
    pub write: Signal<In, Bit>,
    /// The last beat of a store leaves.
    pub out_last: Signal<In, Bit>,
    /// A store is under way.
    pub write_busy: Signal<Out, Bit>,
    /// A load is under way.
    pub reading: Register<Bit>,
    /// Elements after the next.
    pub count: Pipe<Count>,
    /// A store is under way.
    pub writing: Register<Bit>,
    last: Signal<Local, Bit>,
}

impl Logic for StreamEnds {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, reading, count, writing);
        self.last.next = self.count.q.val() == 0;
        self.read_ready.next = !self.reading.q.val();
        self.word_valid.next = self.reading.q.val() & self.s_axis_tvalid.val();
        self.s_axis_tready.next = self.reading.q.val() & self.word_ready.val();
        self.word_last.next = self.last.val();
        if self.reading.q.val() & self.s_axis_tvalid.val() & self.word_ready.val() {
            self.count.d.next = self.count.q.val() - 1;
            self.reading.d.next = !self.last.val();
        }
        if self.read_valid.val() & !self.reading.q.val() {
            self.reading.d.next = true;
            self.count.d.next = self.read_count.val() - 1;
        }
        self.write_busy.next = self.writing.q.val();
        if self.out_last.val() {
            self.writing.d.next = false;
        }
        if self.write.val() {
            self.writing.d.next = true;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("stream_ends", "Counts the elements of streams.", constants![])
    }
}
