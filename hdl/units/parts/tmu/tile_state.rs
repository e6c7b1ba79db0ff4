//! What a tile is to become: set when it is full, kept until it is empty.

use crate::kernel::prelude::*;

hdl_block! {
    /// State of a tile.
    pub TileState {
        In clock: Domain; /// Clock and reset.
        In fill: Bit; /// Its last beat comes in: it is full from the next cycle on, with this state.
        In fill_by_word: Bit; /// It leaves by word, not by slice.
        In fill_last_index: TileIndex; /// Number of its last beat out.
        In fill_last_bit: TileIndex; /// Bits of its beats that count, less one.
        In fill_final: Bit; /// It is the last of its transfer.
        In free: Bit; /// Its last beat is read: it is empty from the next cycle on.
        Out is_full: Bit; /// The registers' values.
        Out leaves_by_word: Bit; /// It leaves by word.
        Out beat, bit: TileIndex; /// Number of its last beat. Bits that count, less one.
        Out is_last: Bit; /// The last of its transfer.
    } inside {
        Register full, by_word: Bit; // It waits to be emptied. It leaves by word.
        Register last_index, last_bit: TileIndex; // Number of its last beat. Bits of its beats that count, less one.
        Register last: Bit; // It is the last of its transfer.
    }
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

    described! { "tile_state", "What a full tile is to become." }
}
