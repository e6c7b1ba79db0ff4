//! One of the N memories of a rotated tile: a bit of every slice, or of every word that has bits in it.
//!
//! Bit c of word r lies in memory r ⊕ c, at address c. A word has its bits in different memories, and so has a slice. Where the
//! memory has the number b, word r finds its bit at address b ⊕ r, slice c finds its own at address c.

use super::TILES;
use crate::kernel::prelude::*;

/// A memory. The bit read comes a cycle after its index, and stays while nothing is read.
#[derive(LogicBlock, Default)]
pub struct TileBank {
    /// Clock.
    pub clock: Signal<In, Domain>,
    /// Number of this memory.
    pub number: Signal<In, TileIndex>,
    /// Reads.
    pub read_enable: Signal<In, Bit>,
    /// A slice, not a word.
    pub read_slice: Signal<In, Bit>,
    /// Of the second tile.
    pub read_tile: Signal<In, Bit>,
    /// Number of the word or slice.
    pub read_index: Signal<In, TileIndex>,
    /// The bit.
    pub read_data: Signal<Out, Bit>,
    /// Writes.
    pub write_enable: Signal<In, Bit>,
    /// A slice, not a word.
    pub write_slice: Signal<In, Bit>,
    /// To the second tile.
    pub write_tile: Signal<In, Bit>,
    /// Number of the word or slice.
    pub write_index: Signal<In, TileIndex>,
    /// The bit.
    pub write_data: Signal<In, Bit>,
    /// The bits of both tiles.
    pub bits: Ram<Bit, Bits<8>>,
    read_at: Signal<Local, TileIndex>,
    write_at: Signal<Local, TileIndex>,
    inside: Signal<Local, Bit>,
    _bits: u64,
    _low: u64,
    _all: bool,
}

impl TileBank {
    /// For words of `bits` bits.
    pub fn new(bits: usize, style: RamStyle) -> Self {
        TileBank {
            bits: Ram::new(TILES * bits, style),
            _bits: bits as u64,
            _low: bits as u64 - 1,
            _all: bits == 1 << TileIndex::width(),
            ..Self::default()
        }
    }
}

impl Logic for TileBank {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bits);
        self.read_at.next = self.read_index.val();
        if !self.read_slice.val() {
            self.read_at.next = self.read_index.val() ^ self.number.val();
        }
        self.write_at.next = self.write_index.val();
        // Narrow words have no bits in the memories beyond theirs.
        self.inside.next = true;
        if !self.write_slice.val() {
            self.write_at.next = self.write_index.val() ^ self.number.val();
            self.inside.next = self._all | (bits_to::<Bits<10>, TileIndex>(self.write_at.val()) < self._bits);
        }
        self.bits.read_enable.next = self.read_enable.val();
        self.bits.read_address.next = bits_to::<Bits<8>, TileIndex>(self.read_at.val()) & self._low;
        if self.read_tile.val() {
            self.bits.read_address.next = (bits_to::<Bits<8>, TileIndex>(self.read_at.val()) & self._low) | self._bits;
        }
        self.read_data.next = self.bits.read_data.val();
        self.bits.write_enable.next = self.write_enable.val() & self.inside.val();
        self.bits.write_address.next = bits_to::<Bits<8>, TileIndex>(self.write_at.val()) & self._low;
        if self.write_tile.val() {
            self.bits.write_address.next =
                (bits_to::<Bits<8>, TileIndex>(self.write_at.val()) & self._low) | self._bits;
        }
        self.bits.write_data.next = self.write_data.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("tile_bank", "A one-bit memory of a rotated tile.", constants![; self._bits, self._low, self._all])
    }
}
