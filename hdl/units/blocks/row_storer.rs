//! Row storer: takes a row that leaves the array and sends its beats, lowest columns first.
//!
//! `ready` = 1 while there is room. `reserve` claims the room in the cycle in which the reading row is issued; `stored` brings the
//! row, on block RAM two cycles later. The last beat of a command's last row carries `m_axis_tlast`. Empty after reset.

use crate::kernel::prelude::*;

/// The storer; `B` is a beat.
#[derive(LogicBlock, Default)]
pub struct RowStorer<W: RowWord, B: Packed> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// There is room for a row.
    pub ready: Signal<Out, Bit>,
    /// Claims the room.
    pub reserve: Signal<In, Bit>,
    /// The row is the command's last.
    pub reserve_last: Signal<In, Bit>,
    /// The row comes.
    pub stored: Signal<In, Bit>,
    /// The row.
    pub row: Signal<In, W>,
    /// A beat is offered.
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_axis_tready: Signal<In, Bit>,
    /// The beat.
    pub m_axis_tdata: Signal<Out, B>,
    /// It is the command's last.
    pub m_axis_tlast: Signal<Out, Bit>,
    /// Beats to come, the next one lowest.
    pub data: Register<W>,
    /// Number of beats sent.
    pub beats: Register<Bits<4>>,
    /// A row is claimed or here.
    pub busy: Register<Bit>,
    /// A row is here.
    pub sending: Register<Bit>,
    /// It is the command's last.
    pub last: Register<Bit>,
    end: Signal<Local, Bit>,
    _beat: u64,
    _last: u64,
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
        self.m_axis_tvalid.next = self.sending.q.val();
        self.m_axis_tdata.next = bits_to::<B, W>(self.data.q.val());
        self.m_axis_tlast.next = self.end.val() & self.last.q.val();
        if self.sending.q.val() & self.m_axis_tready.val() {
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

    fn timing(&self) -> Vec<TimingInfo> {
        describe("row_storer", "Rows to stream beats.", constants![; self._beat, self._last])
    }
}
