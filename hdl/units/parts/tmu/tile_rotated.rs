//! Two tiles in N one-bit memories, written and read by word and by slice.
//!
//! ```text
//!  write_data ─▶ permute by write_index ─▶ N memories ─▶ permute by read_index ─▶ read_data
//! ```
//!
//! Bit c of word r lies in memory r ⊕ c: see [`TileBank`]. Sending bit b to place b ⊕ k, where k is the number of the
//! word or slice, takes log2 N stages of exchanges. Rotating by sums instead, as 8T cells' skewed layouts are
//! described, would also need an adder for every memory's address; this needs none.
//!
//! What is read comes a cycle after its index and stays until the next read. Of a word, the bits beyond M are anything.
//! A read returns what was there before a write in the same cycle.

use crate::kernel::prelude::*;
use crate::parts::tmu::bundles::PlaceSink;
use crate::parts::tmu::{SwapStage, TileBank, TmuParams};

hdl_block! {
    /// The tiles.
    pub TileRotated<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        Bus read: PlaceSink; /// What is read.
        Out read_data: W; /// The word or slice.
        Bus write: PlaceSink; /// What is written.
        In write_data: W; /// The word or slice.
    } inside {
        Child banks: Vec<TileBank>; // The memories.
        Pipe last_read: TileIndex; // Number that was read last.
        Child numbers: Vec<Constant<TileIndex>>;
        Child enter, leave: Vec<SwapStage<W>>;
        Local entered, left: W;
        Value _words, _stages: usize;
    }
}

impl<W: RowWord> TileRotated<W> {
    /// Tiles.
    pub fn new(params: &TmuParams) -> Self {
        TileRotated {
            banks: (0..params.words).map(|_| TileBank::new(params.bits, params.style)).collect(),
            numbers: (0..params.words).map(|b| Constant::new((b as u64).into())).collect(),
            enter: (0..TileIndex::width()).map(|s| SwapStage::new(1 << s)).collect(),
            leave: (0..TileIndex::width()).map(|s| SwapStage::new(1 << s)).collect(),
            _words: params.words,
            _stages: TileIndex::width(),
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for TileRotated<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, last_read);
        if self.read.enable.val() {
            self.last_read.d.next = self.read.index.val();
        }
        for s in 0..self._stages {
            self.enter[s].swap.next = self.write.index.val().get_bit(s);
            self.leave[s].swap.next = self.last_read.q.val().get_bit(s);
            if s == 0 {
                self.enter[s].data.next = self.write_data.val();
                self.leave[s].data.next = self.left.val();
            } else {
                self.enter[s].data.next = self.enter[s - 1].swapped.val();
                self.leave[s].data.next = self.leave[s - 1].swapped.val();
            }
        }
        self.entered.next = self.enter[self._stages - 1].swapped.val();
        self.left.next = 0.into();
        for b in 0..self._words {
            self.banks[b].clock.next = self.clock.val();
            self.banks[b].number.next = self.numbers[b].val();
            PlaceSink::link(&mut self.read, &mut self.banks[b].read);
            PlaceSink::link(&mut self.write, &mut self.banks[b].write);
            self.banks[b].write_data.next = self.entered.val().get_bit(b);
            self.left.next = self.left.val().replace_bit(b, self.banks[b].read_data.val());
        }
        self.read_data.next = self.leave[self._stages - 1].swapped.val();
    }

    described! { "tile_rotated", "Two tiles in one-bit memories, by word and by slice."; ; _words, _stages }
}
