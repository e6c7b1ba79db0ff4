//! Row loader: collects the beats of a row, lowest columns first, and offers the row to the array.
//!
//! `s_axis_tready` = 1 until the row is complete; then `row_valid` = 1 until the array takes it with `taken`, in the cycle in which
//! it is written. One row in flight at a time. Empty after reset.

use crate::kernel::prelude::*;

/// The loader; `B` is a beat.
#[derive(LogicBlock, Default)]
pub struct RowLoader<W: RowWord, B: Packed> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A beat is offered.
    pub s_axis_tvalid: Signal<In, Bit>,
    /// It is taken if offered.
    pub s_axis_tready: Signal<Out, Bit>,
    /// The beat.
    pub s_axis_tdata: Signal<In, B>,
    /// A row waits.
    pub row_valid: Signal<Out, Bit>,
    /// The row.
    pub row: Signal<Out, W>,
    /// The row is written in this cycle.
    pub taken: Signal<In, Bit>,
    /// Beats so far.
    pub data: Register<W>,
    /// Number of beats so far.
    pub beats: Register<Bits<4>>,
    /// The row is complete.
    pub full: Register<Bit>,
    _beat: u64,
    _rest: u64,
    _last: u64,
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
        self.s_axis_tready.next = !self.full.q.val();
        if self.s_axis_tvalid.val() & !self.full.q.val() {
            self.data.d.next =
                (self.data.q.val() >> self._beat) | (bits_to::<W, B>(self.s_axis_tdata.val()) << self._rest);
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

    fn timing(&self) -> Vec<TimingInfo> {
        describe("row_loader", "Stream beats to rows.", constants![; self._beat, self._rest, self._last])
    }
}
