//! Row storer: takes a row that leaves the array and sends its beats, lowest columns first.
//!
//! `ready` = 1 while there is room. `reserve` claims the room in the cycle in which the reading row is issued; `stored`
//! brings the row, on block RAM two cycles later. The last beat of a command's last row carries `m_axis_tlast`. Empty
//! after reset.

use crate::kernel::prelude::*;
use crate::parts::bundles::PacketSource;

hdl_block! {
    /// The storer; `B` is a beat.
    pub RowStorer<W: RowWord, B: Packed> {
        In clock: Domain; /// Clock and reset.
        Out ready: Bit; /// There is room for a row.
        In reserve, reserve_last: Bit; /// Claims the room. The row is the command's last.
        In stored: Bit; /// The row comes.
        In row: W; /// The row.
        Bus m_axis: PacketSource<B>; /// Beats, a packet a command.
    } inside {
        Register data: W; // Beats to come, the next one lowest.
        Register beats: Bits<4>; // Number of beats sent.
        Register busy, sending, last: Bit; // A row is claimed or here. A row is here. It is the command's last.
        Local end: Bit;
        Value _beat, _last: u64;
    }
}

impl<W: RowWord, B: Packed> RowStorer<W, B> {
    /// A storer.
    pub fn new() -> Self {
        let (row, beat) = (W::width() as u64, B::width() as u64);
        RowStorer { _beat: beat, _last: row / beat - 1, ..Self::default() }
    }
}

impl<W: RowWord, B: Packed> Logic for RowStorer<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, data, beats, busy, sending, last);
        self.end.next = self.beats.q.val() == self._last;
        self.ready.next = !self.busy.q.val();
        self.m_axis.tvalid.next = self.sending.q.val();
        self.m_axis.tdata.next = bits_to::<B, W>(self.data.q.val());
        self.m_axis.tlast.next = self.end.val() & self.last.q.val();
        if self.sending.q.val() & self.m_axis.tready.val() {
            self.data.d.next = self.data.q.val() >> self._beat;
            self.beats.d.next = self.beats.q.val() + 1;
            if self.end.val() {
                self.beats.d.next = 0.into();
                self.sending.d.next = false;
                self.busy.d.next = false;
            }
        }
        if self.reserve.val() {
            self.busy.d.next = true;
            self.last.d.next = self.reserve_last.val();
        }
        if self.stored.val() {
            self.data.d.next = self.row.val();
            self.sending.d.next = true;
        }
    }

    described! { "row_storer", "Rows to stream beats."; ; _beat, _last }
}
