//! Two tiles in N one-bit memories, written and read by word and by slice.
//!
//! ```text
//!  write_data ─▶ permute by write_index ─▶ N memories ─▶ permute by read_index ─▶ read_data
//! ```
//!
//! Bit c of word r lies in memory r ⊕ c: see [`TileBank`]. Sending bit b to place b ⊕ k, where k is the number of the word or slice,
//! takes log2 N stages of exchanges. Rotating by sums instead, as 8T cells' skewed layouts are described, would also need an adder
//! for every memory's address; this needs none.
//!
//! What is read comes a cycle after its index and stays until the next read. Of a word, the bits beyond M are anything. A read
//! returns what was there before a write in the same cycle.

use super::{SwapStage, TileBank, TmuParams};
use crate::kernel::prelude::*;

/// The tiles.
#[derive(LogicBlock, Default)]
pub struct TileRotated<W: RowWord> {
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
    /// The memories.
    pub banks: Vec<TileBank>,
    /// Number that was read last.
    pub last_read: Pipe<TileIndex>,
    numbers: Vec<Constant<TileIndex>>,
    enter: Vec<SwapStage<W>>,
    leave: Vec<SwapStage<W>>,
    entered: Signal<Local, W>,
    left: Signal<Local, W>,
    _words: usize,
    _stages: usize,
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
        if self.read_enable.val() {
            self.last_read.d.next = self.read_index.val();
        }
        for s in 0..self._stages {
            self.enter[s].swap.next = self.write_index.val().get_bit(s);
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
            self.banks[b].read_enable.next = self.read_enable.val();
            self.banks[b].read_slice.next = self.read_slice.val();
            self.banks[b].read_tile.next = self.read_tile.val();
            self.banks[b].read_index.next = self.read_index.val();
            self.banks[b].write_enable.next = self.write_enable.val();
            self.banks[b].write_slice.next = self.write_slice.val();
            self.banks[b].write_tile.next = self.write_tile.val();
            self.banks[b].write_index.next = self.write_index.val();
            self.banks[b].write_data.next = self.entered.val().get_bit(b);
            self.left.next = self.left.val().replace_bit(b, self.banks[b].read_data.val());
        }
        self.read_data.next = self.leave[self._stages - 1].swapped.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "tile_rotated",
            "Two tiles in one-bit memories, by word and by slice.",
            constants![; self._words, self._stages],
        )
    }
}
