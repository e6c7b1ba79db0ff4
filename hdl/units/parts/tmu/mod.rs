//! The transpose memory unit: ordinary words in, bit slices out, and back.
//!
//! Source: Neural Cache (ISCA 2018), transpose memory unit of 8T cells; Duality Cache (ISCA 2019), §3.3. A tile is N
//! words of M bits that can be written and read by word and by slice (bit i of every word). Cells with two ports have
//! no counterpart on an FPGA: [`TileFlop`] is registers, [`TileRotated`] is N one-bit memories in which no word and no
//! slice has two bits in one memory.
//!
//! A transfer takes `start_count` elements of `start_width` bits. With `start_store` = 0, elements come in, one a beat,
//! in the low bits; for every N of them, `start_width` slices go out, lowest bit first, bit k of a slice being element
//! k's. With `start_store` = 1 slices come in and elements go out, zeros above their width. The last N elements may be
//! fewer: slices that go out have zeros for those that are missing, slices that come in may hold anything there.
//! `m_axis_tlast` marks the last beat.
//!
//! One tile fills while the other empties: with elements of N bits, a beat goes in and one comes out in every cycle. A
//! transfer may start as soon as the last beat of the one before has come in. `refused` = 1 for one cycle instead when
//! the width is 0 or above M, or the count 0; nothing else happens then.

mod bundles;
mod params;
mod swap_stage;
mod tile_bank;
mod tile_flop;
mod tile_rotated;
mod tile_state;

pub use params::{TILE_BITS, TILE_WORDS, TILES, Tiles, TmuParams, transpose_unit};
pub use swap_stage::SwapStage;
pub use tile_bank::TileBank;
pub use tile_flop::TileFlop;
pub use tile_rotated::TileRotated;
pub use tile_state::TileState;

use crate::kernel::prelude::*;
use crate::parts::bundles::{PacketSource, StreamSink};

hdl_block! {
    /// The unit.
    pub Tmu<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        In start_valid: Bit; /// A transfer is offered.
        Out start_ready: Bit; /// It is taken, or refused, if offered.
        In start_store: Bit; /// Slices in, elements out.
        In start_width: Bits<7>; /// Bits of an element.
        In start_count: Bits<16>; /// Elements.
        Out refused: Bit; /// The transfer offered is not legal.
        Out busy: Bit; /// Something is under way.
        Bus s_axis: StreamSink<W>; /// Elements, or slices.
        Bus m_axis: PacketSource<W>; /// Slices, or elements, a packet a transfer.
        Out m_axis_is_element: Bit; /// It is an element.
    } inside {
        Register filling, store: Bit; // A transfer comes in. It stores.
        Register last_bit: TileIndex; // Its width less one.
        Register rest: Bits<16>; // Elements that are still to come, those of this tile included, less one.
        Register in_tile: Bits<1>; // The tile that fills.
        Register in_index: TileIndex; // Number of the next beat in it.
        Register out_tile: Bits<1>; // The tile that empties.
        Register out_index: TileIndex; // Number of the next beat out of it.
        Register out_valid, out_last: Bit; // A beat was read. It is the last of its transfer.
        Register out_element: Bit; // It is an element.
        Pipe out_mask: W; // Its bits that count.
        Child tiles: Vec<TileState>; // The tiles' state.
        Child flop: Vec<TileFlop<W>>;
        Child rotated: Vec<TileRotated<W>>;
        Local legal, more: Bit;
        Local last_element, in_last: TileIndex;
        Local in_full, take, complete, full, by_word: Bit;
        Local last_index, mask_bit: TileIndex;
        Local final_tile, advance, read, done: Bit;
        Local data, ones: W;
        Value _words, _last, _tiles, _bits: u64;
        Value _flop, _rotated: usize;
    }
}

impl<W: RowWord> Tmu<W> {
    /// A unit.
    pub fn new(params: &TmuParams) -> Self {
        let (flop, rotated) = (usize::from(params.tiles == Tiles::Flop), usize::from(params.tiles == Tiles::Rotated));
        Tmu {
            tiles: (0..TILES).map(|_| TileState::default()).collect(),
            flop: (0..flop).map(|_| TileFlop::new(params)).collect(),
            rotated: (0..rotated).map(|_| TileRotated::new(params)).collect(),
            _words: params.words as u64,
            _last: params.words as u64 - 1,
            _tiles: 0xffff & !(params.words as u64 - 1),
            _bits: params.bits as u64,
            _flop: flop,
            _rotated: rotated,
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for Tmu<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, filling, store, last_bit, rest, in_tile, in_index);
        dff_setup!(self, clock, out_tile, out_index, out_valid, out_last, out_element, out_mask);
        // What comes in.
        self.legal.next = (self.start_width.val() != 0)
            & (bit_cast::<8, 7>(self.start_width.val()) <= self._bits)
            & (self.start_count.val() != 0);
        self.start_ready.next = !self.filling.q.val();
        self.refused.next = self.start_valid.val() & !self.filling.q.val() & !self.legal.val();
        if self.start_valid.val() & !self.filling.q.val() & self.legal.val() {
            self.filling.d.next = true;
            self.store.d.next = self.start_store.val();
            self.last_bit.d.next = bits_to::<TileIndex, Bits<7>>(self.start_width.val() - 1);
            self.rest.d.next = self.start_count.val() - 1;
        }
        self.more.next = (self.rest.q.val() & self._tiles) != 0;
        self.last_element.next = bits_to::<TileIndex, Bits<16>>(self.rest.q.val());
        if self.more.val() {
            self.last_element.next = self._last.into();
        }
        self.in_last.next = self.last_element.val();
        if self.store.q.val() {
            self.in_last.next = self.last_bit.q.val();
        }
        self.in_full.next = false;
        self.full.next = false;
        self.by_word.next = false;
        self.last_index.next = 0.into();
        self.mask_bit.next = 0.into();
        self.final_tile.next = false;
        for t in 0..2 {
            if self.in_tile.q.val().index() == t {
                self.in_full.next = self.tiles[t].is_full.val();
            }
            if self.out_tile.q.val().index() == t {
                self.full.next = self.tiles[t].is_full.val();
                self.by_word.next = self.tiles[t].leaves_by_word.val();
                self.last_index.next = self.tiles[t].beat.val();
                self.mask_bit.next = self.tiles[t].bit.val();
                self.final_tile.next = self.tiles[t].is_last.val();
            }
        }
        self.s_axis.tready.next = self.filling.q.val() & !self.in_full.val();
        self.take.next = self.s_axis.tvalid.val() & self.filling.q.val() & !self.in_full.val();
        self.complete.next = self.take.val() & (self.in_index.q.val() == self.in_last.val());
        if self.take.val() {
            self.in_index.d.next = self.in_index.q.val() + 1;
        }
        if self.complete.val() {
            self.in_index.d.next = 0.into();
            self.in_tile.d.next = self.in_tile.q.val() + 1;
            self.rest.d.next = self.rest.q.val() - self._words;
            self.filling.d.next = self.more.val();
        }
        // What goes out.
        self.advance.next = self.m_axis.tready.val() | !self.out_valid.q.val();
        self.read.next = self.advance.val() & self.full.val();
        self.done.next = self.read.val() & (self.out_index.q.val() == self.last_index.val());
        if self.advance.val() {
            self.out_valid.d.next = self.full.val();
        }
        self.ones.next = 0.into();
        if self.read.val() {
            self.out_mask.d.next = !((!self.ones.val() << 1) << bits_to::<Bits<9>, TileIndex>(self.mask_bit.val()));
            self.out_last.d.next = self.done.val() & self.final_tile.val();
            self.out_element.d.next = self.by_word.val();
            self.out_index.d.next = self.out_index.q.val() + 1;
        }
        if self.done.val() {
            self.out_index.d.next = 0.into();
            self.out_tile.d.next = self.out_tile.q.val() + 1;
        }
        for t in 0..2 {
            self.tiles[t].clock.next = self.clock.val();
            self.tiles[t].fill.next = self.complete.val() & (self.in_tile.q.val().index() == t);
            self.tiles[t].fill_by_word.next = self.store.q.val();
            self.tiles[t].fill_last_index.next = self.last_bit.q.val();
            self.tiles[t].fill_last_bit.next = self.last_element.val();
            if self.store.q.val() {
                self.tiles[t].fill_last_index.next = self.last_element.val();
                self.tiles[t].fill_last_bit.next = self.last_bit.q.val();
            }
            self.tiles[t].fill_final.next = !self.more.val();
            self.tiles[t].free.next = self.done.val() & (self.out_tile.q.val().index() == t);
        }
        self.data.next = 0.into();
        for i in 0..self._flop {
            self.flop[i].clock.next = self.clock.val();
            self.flop[i].read__.enable.next = self.read.val();
            self.flop[i].read__.slice.next = !self.by_word.val();
            self.flop[i].read__.tile.next = self.out_tile.q.val().get_bit(0);
            self.flop[i].read__.index.next = self.out_index.q.val();
            self.flop[i].write.enable.next = self.take.val();
            self.flop[i].write.slice.next = self.store.q.val();
            self.flop[i].write.tile.next = self.in_tile.q.val().get_bit(0);
            self.flop[i].write.index.next = self.in_index.q.val();
            self.flop[i].write_data.next = self.s_axis.tdata.val();
            self.data.next = self.flop[i].read_data.val();
        }
        for i in 0..self._rotated {
            self.rotated[i].clock.next = self.clock.val();
            self.rotated[i].read.enable.next = self.read.val();
            self.rotated[i].read.slice.next = !self.by_word.val();
            self.rotated[i].read.tile.next = self.out_tile.q.val().get_bit(0);
            self.rotated[i].read.index.next = self.out_index.q.val();
            self.rotated[i].write.enable.next = self.take.val();
            self.rotated[i].write.slice.next = self.store.q.val();
            self.rotated[i].write.tile.next = self.in_tile.q.val().get_bit(0);
            self.rotated[i].write.index.next = self.in_index.q.val();
            self.rotated[i].write_data.next = self.s_axis.tdata.val();
            self.data.next = self.rotated[i].read_data.val();
        }
        self.m_axis.tdata.next = self.data.val() & self.out_mask.q.val();
        self.m_axis.tvalid.next = self.out_valid.q.val();
        self.m_axis.tlast.next = self.out_last.q.val();
        self.m_axis_is_element.next = self.out_element.q.val();
        self.busy.next =
            self.filling.q.val() | self.tiles[0].is_full.val() | self.tiles[1].is_full.val() | self.out_valid.q.val();
    }

    described! {
        "tmu", "Transpose memory unit: elements in, bit slices out, and back."; ; _words, _last, _tiles, _bits, _flop,
        _rotated
    }
}
