//! One of the N memories of a rotated tile: a bit of every slice, or of every word that has bits in it.
//!
//! Bit c of word r lies in memory r ⊕ c, at address c. A word has its bits in different memories, and so has a slice.
//! Where the memory has the number b, word r finds its bit at address b ⊕ r, slice c finds its own at address c.

use crate::kernel::prelude::*;
use crate::parts::tmu::TILES;
use crate::parts::tmu::bundles::PlaceSink;

hdl_block! {
    /// A memory. The bit read comes a cycle after its index, and stays while nothing is read.
    pub TileBank {
        In clock: Domain; /// Clock.
        In number: TileIndex; /// Number of this memory.
        Bus read: PlaceSink; /// What is read.
        Out read_data: Bit; /// The bit.
        Bus write: PlaceSink; /// What is written.
        In write_data: Bit; /// The bit.
    } inside {
        Child bits: Ram<Bit, Bits<8>>; // The bits of both tiles.
        Local read_at, write_at: TileIndex;
        Local inside: Bit;
        Value _bits, _low: u64;
        Value _all: bool;
    }
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
        self.read_at.next = self.read.index.val();
        if !self.read.slice.val() {
            self.read_at.next = self.read.index.val() ^ self.number.val();
        }
        self.write_at.next = self.write.index.val();
        // Narrow words have no bits in the memories beyond theirs.
        self.inside.next = true;
        if !self.write.slice.val() {
            self.write_at.next = self.write.index.val() ^ self.number.val();
            self.inside.next = self._all | (bits_to::<Bits<10>, TileIndex>(self.write_at.val()) < self._bits);
        }
        self.bits.read_enable.next = self.read.enable.val();
        self.bits.read_address.next = bits_to::<Bits<8>, TileIndex>(self.read_at.val()) & self._low;
        if self.read.tile.val() {
            self.bits.read_address.next = (bits_to::<Bits<8>, TileIndex>(self.read_at.val()) & self._low) | self._bits;
        }
        self.read_data.next = self.bits.read_data.val();
        self.bits.write_enable.next = self.write.enable.val() & self.inside.val();
        self.bits.write_address.next = bits_to::<Bits<8>, TileIndex>(self.write_at.val()) & self._low;
        if self.write.tile.val() {
            self.bits.write_address.next =
                (bits_to::<Bits<8>, TileIndex>(self.write_at.val()) & self._low) | self._bits;
        }
        self.bits.write_data.next = self.write_data.val();
    }

    described! { "tile_bank", "A one-bit memory of a rotated tile."; ; _bits, _low, _all }
}
