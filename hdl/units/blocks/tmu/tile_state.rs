//! What a tile is to become: set when it is full, kept until it is empty.

use crate::kernel::prelude::*;

/// State of a tile.
#[derive(LogicBlock, Default)]
pub struct TileState {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Its last beat comes in: it is full from the next cycle on, with this state.
    pub fill: Signal<In, Bit>,
    /// It leaves by word, not by slice.
    pub fill_by_word: Signal<In, Bit>,
    /// Number of its last beat out.
    pub fill_last_index: Signal<In, TileIndex>,
    /// Bits of its beats that count, less one.
    pub fill_last_bit: Signal<In, TileIndex>,
    /// It is the last of its transfer.
    pub fill_final: Signal<In, Bit>,
    /// Its last beat is read: it is empty from the next cycle on.
    pub free: Signal<In, Bit>,
    /// It waits to be emptied.
    pub full: Register<Bit>,
    /// It leaves by word.
    pub by_word: Register<Bit>,
    /// Number of its last beat.
    pub last_index: Register<TileIndex>,
    /// Bits of its beats that count, less one.
    pub last_bit: Register<TileIndex>,
    /// It is the last of its transfer.
    pub last: Register<Bit>,
    /// The registers' values.
    pub is_full: Signal<Out, Bit>,
    /// It leaves by word.
    pub leaves_by_word: Signal<Out, Bit>,
    /// Number of its last beat.
    pub beat: Signal<Out, TileIndex>,
    /// Bits that count, less one.
    pub bit: Signal<Out, TileIndex>,
    /// The last of its transfer.
    pub is_last: Signal<Out, Bit>,
}

impl Logic for TileState {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, full, by_word, last_index, last_bit, last);
        if self.fill.val() {
            self.full.d.next = true;
            self.by_word.d.next = self.fill_by_word.val();
            self.last_index.d.next = self.fill_last_index.val();
            self.last_bit.d.next = self.fill_last_bit.val();
            self.last.d.next = self.fill_final.val();
        }
        if self.free.val() {
            self.full.d.next = false;
        }
        self.is_full.next = self.full.q.val();
        self.leaves_by_word.next = self.by_word.q.val();
        self.beat.next = self.last_index.q.val();
        self.bit.next = self.last_bit.q.val();
        self.is_last.next = self.last.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("tile_state", "What a full tile is to become.", constants![])
    }
}
