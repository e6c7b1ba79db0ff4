//! Row loader: collects the beats of a row, lowest columns first, and offers the row to the array.
//!
//! `s_axis_tready` = 1 until the row is complete; then `row_valid` = 1 until the array takes it with `taken`, in the
//! cycle in which it is written. One row in flight at a time. Empty after reset.

use crate::kernel::prelude::*;
use crate::parts::bundles::StreamSink;

hdl_block! {
    /// The loader; `B` is a beat.
    pub RowLoader<W: RowWord, B: Packed> {
        In clock: Domain; /// Clock and reset.
        Bus s_axis: StreamSink<B>; /// Beats.
        Out row_valid: Bit; /// A row waits.
        Out row: W; /// The row.
        In taken: Bit; /// The row is written in this cycle.
    } inside {
        Register data: W; // Beats so far.
        Register beats: Bits<4>; // Number of beats so far.
        Register full: Bit; // The row is complete.
        Value _beat, _rest, _last: u64;
    }
}

impl<W: RowWord, B: Packed> RowLoader<W, B> {
    /// A loader.
    pub fn new() -> Self {
        let (row, beat) = (W::width() as u64, B::width() as u64);
        RowLoader { _beat: beat, _rest: row - beat, _last: row / beat - 1, ..Self::default() }
    }
}

impl<W: RowWord, B: Packed> Logic for RowLoader<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, data, beats, full);
        self.s_axis.tready.next = !self.full.q.val();
        if self.s_axis.tvalid.val() & !self.full.q.val() {
            self.data.d.next =
                (self.data.q.val() >> self._beat) | (bits_to::<W, B>(self.s_axis.tdata.val()) << self._rest);
            self.beats.d.next = self.beats.q.val() + 1;
            if self.beats.q.val() == self._last {
                self.beats.d.next = 0.into();
                self.full.d.next = true;
            }
        }
        if self.taken.val() {
            self.full.d.next = false;
        }
        self.row_valid.next = self.full.q.val();
        self.row.next = self.data.q.val();
    }

    described! { "row_loader", "Stream beats to rows."; ; _beat, _rest, _last }
}
