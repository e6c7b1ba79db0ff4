//! Two tiles in registers, written and read by word and by slice: what [`TileRotated`](super::TileRotated) is compared with.
//!
//! What is read comes a cycle after its index and stays until the next read. Of a word, the bits beyond M are 0. A read returns what
//! was there before a write in the same cycle.

use super::{TILES, TmuParams};
use crate::kernel::prelude::*;

/// The tiles.
#[derive(LogicBlock, Default)]
pub struct TileFlop<W: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Reads.
    pub read_enable: Signal<In, Bit>,
    /// A slice, not a word.
    pub read_slice: Signal<In, Bit>,
    /// Of the second tile.
    pub read_tile: Signal<In, Bit>,
    /// Number of the word or slice.
    pub read_index: Signal<In, TileIndex>,
    /// The word or slice.
    pub read_data: Signal<Out, W>,
    /// Writes.
    pub write_enable: Signal<In, Bit>,
    /// A slice, not a word.
    pub write_slice: Signal<In, Bit>,
    /// To the second tile.
    pub write_tile: Signal<In, Bit>,
    /// Number of the word or slice.
    pub write_index: Signal<In, TileIndex>,
    /// The word or slice.
    pub write_data: Signal<In, W>,
    /// The slices of the first tile, then those of the second.
    pub slices: Vec<Pipe<W>>,
    /// What was read last.
    pub read: Pipe<W>,
    first: Signal<Local, Bits<8>>,
    line: Signal<Local, Bits<8>>,
    word: Signal<Local, W>,
    _bits: usize,
    _offset: u64,
    _slices: usize,
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
        if self.write_tile.val() {
            self.first.next = self._offset.into();
        }
        self.line.next = bits_to::<Bits<8>, TileIndex>(self.write_index.val()) + self.first.val();
        for c in 0..self._slices {
            self.slices[c].clock.next = self.clock.val();
            self.slices[c].d.next = self.slices[c].q.val();
        }
        for c in 0..self._bits {
            if self.write_enable.val() & !self.write_slice.val() {
                if self.write_tile.val() {
                    self.slices[self._bits + c].d.next = self.slices[self._bits + c]
                        .q
                        .val()
                        .replace_bit(self.write_index.val().index(), self.write_data.val().get_bit(c));
                } else {
                    self.slices[c].d.next = self.slices[c]
                        .q
                        .val()
                        .replace_bit(self.write_index.val().index(), self.write_data.val().get_bit(c));
                }
            }
        }
        for c in 0..self._slices {
            if self.write_enable.val() & self.write_slice.val() & (self.line.val().index() == c) {
                self.slices[c].d.next = self.write_data.val();
            }
        }
        self.word.next = 0.into();
        for c in 0..self._bits {
            if self.read_slice.val() {
                if self.read_index.val().index() == c {
                    self.word.next = self.slices[c].q.val();
                    if self.read_tile.val() {
                        self.word.next = self.slices[self._bits + c].q.val();
                    }
                }
            } else if self.read_tile.val() {
                self.word.next = self
                    .word
                    .val()
                    .replace_bit(c, self.slices[self._bits + c].q.val().get_bit(self.read_index.val().index()));
            } else {
                self.word.next =
                    self.word.val().replace_bit(c, self.slices[c].q.val().get_bit(self.read_index.val().index()));
            }
        }
        if self.read_enable.val() {
            self.read.d.next = self.word.val();
        }
        self.read_data.next = self.read.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "tile_flop",
            "Two tiles in registers, by word and by slice.",
            constants![; self._bits, self._offset, self._slices],
        )
    }
}
