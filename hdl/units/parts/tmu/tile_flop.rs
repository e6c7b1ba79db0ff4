//! Two tiles in registers, written and read by word and by slice: what [`TileRotated`](crate::parts::tmu::TileRotated)
//! is compared with.
//!
//! What is read comes a cycle after its index and stays until the next read. Of a word, the bits beyond M are 0. A read
//! returns what was there before a write in the same cycle.

use crate::kernel::prelude::*;
use crate::parts::tmu::bundles::PlaceSink;
use crate::parts::tmu::{TILES, TmuParams};

hdl_block! {
    /// The tiles.
    pub TileFlop<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        Bus read__: PlaceSink; /// What is read.
        Out read_data: W; /// The word or slice.
        Bus write: PlaceSink; /// What is written.
        In write_data: W; /// The word or slice.
    } inside {
        Child slices: Vec<Pipe<W>>; // The slices of the first tile, then those of the second.
        Pipe read: W; // What was read last.
        Local first, line: Bits<8>;
        Local word: W;
        Value _bits: usize;
        Value _offset: u64;
        Value _slices: usize;
    }
}

impl<W: RowWord> TileFlop<W> {
    /// Tiles.
    pub fn new(params: &TmuParams) -> Self {
        TileFlop {
            slices: (0..TILES * params.bits).map(|_| Pipe::default()).collect(),
            _bits: params.bits,
            _offset: params.bits as u64,
            _slices: TILES * params.bits,
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for TileFlop<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, read);
        self.first.next = 0.into();
        if self.write.tile.val() {
            self.first.next = self._offset.into();
        }
        self.line.next = bits_to::<Bits<8>, TileIndex>(self.write.index.val()) + self.first.val();
        for c in 0..self._slices {
            self.slices[c].clock.next = self.clock.val();
            self.slices[c].d.next = self.slices[c].q.val();
        }
        for c in 0..self._bits {
            if self.write.enable.val() & !self.write.slice.val() {
                if self.write.tile.val() {
                    self.slices[self._bits + c].d.next = self.slices[self._bits + c]
                        .q
                        .val()
                        .replace_bit(self.write.index.val().index(), self.write_data.val().get_bit(c));
                } else {
                    self.slices[c].d.next = self.slices[c]
                        .q
                        .val()
                        .replace_bit(self.write.index.val().index(), self.write_data.val().get_bit(c));
                }
            }
        }
        for c in 0..self._slices {
            if self.write.enable.val() & self.write.slice.val() & (self.line.val().index() == c) {
                self.slices[c].d.next = self.write_data.val();
            }
        }
        self.word.next = 0.into();
        for c in 0..self._bits {
            if self.read__.slice.val() {
                if self.read__.index.val().index() == c {
                    self.word.next = self.slices[c].q.val();
                    if self.read__.tile.val() {
                        self.word.next = self.slices[self._bits + c].q.val();
                    }
                }
            } else if self.read__.tile.val() {
                self.word.next = self
                    .word
                    .val()
                    .replace_bit(c, self.slices[self._bits + c].q.val().get_bit(self.read__.index.val().index()));
            } else {
                self.word.next =
                    self.word.val().replace_bit(c, self.slices[c].q.val().get_bit(self.read__.index.val().index()));
            }
        }
        if self.read__.enable.val() {
            self.read.d.next = self.word.val();
        }
        self.read_data.next = self.read.q.val();
    }

    described! { "tile_flop", "Two tiles in registers, by word and by slice."; ; _bits, _offset, _slices }
}
