//! Stream ends: what a reader and a writer are to the memory path where elements come and go by streams.
//!
//! A load's beats pass while its elements are counted; a store is at work until its last beat has left. Idle after
//! reset.

use crate::array::blocks::memory::types::Count;
use crate::kernel::prelude::*;

hdl_block! {
    /// The ends.
    pub StreamEnds {
        In clock: Domain; /// Clock and reset.
        In read_valid: Bit; /// A load starts.
        Out read_ready: Bit; /// It can.
        In read_count: Count; /// Its elements.
        In s_axis_tvalid: Bit; /// A beat is offered.
        Out s_axis_tready: Bit; /// It is taken if offered.
        Out word_valid: Bit; /// It is an element of the load.
        In word_ready: Bit; /// The element is taken.
        Out word_last: Bit; /// It is the load's last.
        In write: Bit; /// A store starts.
        In out_last: Bit; /// The last beat of a store leaves.
        Out write_busy: Bit; /// A store is under way.
    } inside {
        Register reading: Bit; // A load is under way.
        Pipe count: Count; // Elements after the next.
        Register writing: Bit; // A store is under way.
        Local last: Bit;
    }
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

    described! { "stream_ends", "Counts the elements of streams." }
}
