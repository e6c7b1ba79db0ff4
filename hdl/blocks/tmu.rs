//! The transpose memory unit: ordinary words in, bit slices out, and back.
//!
//! Source: Neural Cache (ISCA 2018), transpose memory unit of 8T cells; Duality Cache (ISCA 2019), §3.3. A tile is N words of M bits
//! that can be written and read by word and by slice (bit i of every word). Cells with two ports have no counterpart on an FPGA:
//! [`TileFlop`] is registers, [`TileRotated`] is N one-bit memories in which no word and no slice has two bits in one memory.
//!
//! A transfer takes `start_count` elements of `start_width` bits. With `start_store` = 0, elements come in, one a beat, in the low
//! bits; for every N of them, `start_width` slices go out, lowest bit first, bit k of a slice being element k's. With
//! `start_store` = 1 slices come in and elements go out, zeros above their width. The last N elements may be fewer: slices that go
//! out have zeros for those that are missing, slices that come in may hold anything there. `m_axis_tlast` marks the last beat.
//!
//! One tile fills while the other empties: with elements of N bits, a beat goes in and one comes out in every cycle. A transfer may
//! start as soon as the last beat of the one before has come in. `refused` = 1 for one cycle instead when the width is 0 or above M,
//! or the count 0; nothing else happens then.

mod params;
mod swap_stage;
mod tile_bank;
mod tile_flop;
mod tile_rotated;

pub use params::{TILE_BITS, TILE_WORDS, TILES, Tiles, TmuParams, transpose_unit};
pub use swap_stage::SwapStage;
pub use tile_bank::TileBank;
pub use tile_flop::TileFlop;
pub use tile_rotated::TileRotated;

use crate::kernel::prelude::*;

/// The unit.
#[derive(LogicBlock, Default)]
pub struct Tmu<W: RowWord, const I: usize> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A transfer is offered.
    pub start_valid: Signal<In, Bit>,
    /// It is taken, or refused, if offered.
    pub start_ready: Signal<Out, Bit>,
    /// Slices in, elements out.
    pub start_store: Signal<In, Bit>,
    /// Bits of an element.
    pub start_width: Signal<In, Bits<7>>,
    /// Elements.
    pub start_count: Signal<In, Bits<16>>,
    /// The transfer offered is not legal.
    pub refused: Signal<Out, Bit>,
    /// Something is under way.
    pub busy: Signal<Out, Bit>,
    /// A beat is offered.
    pub s_axis_tvalid: Signal<In, Bit>,
    /// It is taken if offered.
    pub s_axis_tready: Signal<Out, Bit>,
    /// An element, or a slice.
    pub s_axis_tdata: Signal<In, W>,
    /// A beat is there.
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// It is taken if there.
    pub m_axis_tready: Signal<In, Bit>,
    /// A slice, or an element.
    pub m_axis_tdata: Signal<Out, W>,
    /// The transfer's last.
    pub m_axis_tlast: Signal<Out, Bit>,
    /// A transfer comes in.
    pub filling: Register<Bit>,
    /// It stores.
    pub store: Register<Bit>,
    /// Its width.
    pub width: Register<Bits<7>>,
    /// Elements that are still to come, those of this tile included.
    pub left: Register<Bits<16>>,
    /// The tile that fills.
    pub in_tile: Register<Bit>,
    /// Number of the next beat in it.
    pub in_index: Register<Bits<I>>,
    /// A tile is full.
    pub full: Vec<Register<Bit>>,
    /// It leaves by word, not by slice.
    pub by_word: Vec<Register<Bit>>,
    /// Number of its last beat out.
    pub last_index: Vec<Register<Bits<I>>>,
    /// Bits of its beats that count.
    pub used: Vec<Register<Bits<9>>>,
    /// It is the last of its transfer.
    pub last: Vec<Register<Bit>>,
    /// The tile that empties.
    pub out_tile: Register<Bit>,
    /// Number of the next beat out of it.
    pub out_index: Register<Bits<I>>,
    /// A beat was read.
    pub out_valid: Register<Bit>,
    /// It is the last of its transfer.
    pub out_last: Register<Bit>,
    /// Its bits that count.
    pub out_used: Register<Bits<9>>,
    flop: Vec<TileFlop<W, I>>,
    rotated: Vec<TileRotated<W, I>>,
    legal: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    elements: Signal<Local, Bits<16>>,
    width_last: Signal<Local, Bits<I>>,
    element_last: Signal<Local, Bits<I>>,
    in_last: Signal<Local, Bits<I>>,
    in_full: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    out_full: Signal<Local, Bit>,
    out_by_word: Signal<Local, Bit>,
    out_last_index: Signal<Local, Bits<I>>,
    out_final: Signal<Local, Bit>,
    tile_used: Signal<Local, Bits<9>>,
    advance: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
    data: Signal<Local, W>,
    ones: Signal<Local, W>,
    _words: u64,
    _bits: u64,
    _flop: usize,
    _rotated: usize,
}

impl<W: RowWord, const I: usize> Tmu<W, I> {
    /// A unit.
    pub fn new(params: &TmuParams) -> Self {
        let (flop, rotated) = (usize::from(params.tiles == Tiles::Flop), usize::from(params.tiles == Tiles::Rotated));
        Tmu {
            full: (0..2).map(|_| Register::default()).collect(),
            by_word: (0..2).map(|_| Register::default()).collect(),
            last_index: (0..2).map(|_| Register::default()).collect(),
            used: (0..2).map(|_| Register::default()).collect(),
            last: (0..2).map(|_| Register::default()).collect(),
            flop: (0..flop).map(|_| TileFlop::new(params)).collect(),
            rotated: (0..rotated).map(|_| TileRotated::new(params)).collect(),
            _words: params.words as u64,
            _bits: params.bits as u64,
            _flop: flop,
            _rotated: rotated,
            ..Self::default()
        }
    }
}

impl<W: RowWord, const I: usize> Logic for Tmu<W, I> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, filling, store, width, left, in_tile, in_index, out_tile, out_index, out_valid, out_last,
            out_used
        );
        for t in 0..2 {
            self.full[t].clock.next = self.clock.val();
            self.full[t].d.next = self.full[t].q.val();
            self.by_word[t].clock.next = self.clock.val();
            self.by_word[t].d.next = self.by_word[t].q.val();
            self.last_index[t].clock.next = self.clock.val();
            self.last_index[t].d.next = self.last_index[t].q.val();
            self.used[t].clock.next = self.clock.val();
            self.used[t].d.next = self.used[t].q.val();
            self.last[t].clock.next = self.clock.val();
            self.last[t].d.next = self.last[t].q.val();
        }
        // What comes in.
        self.legal.next = (self.start_width.val() != 0)
            & (bit_cast::<8, 7>(self.start_width.val()) <= self._bits)
            & (self.start_count.val() != 0);
        self.start_ready.next = !self.filling.q.val();
        self.refused.next = self.start_valid.val() & !self.filling.q.val() & !self.legal.val();
        if self.start_valid.val() & !self.filling.q.val() & self.legal.val() {
            self.filling.d.next = true;
            self.store.d.next = self.start_store.val();
            self.width.d.next = self.start_width.val();
            self.left.d.next = self.start_count.val();
        }
        self.more.next = self.left.q.val() > self._words;
        self.elements.next = self.left.q.val();
        if self.more.val() {
            self.elements.next = self._words.into();
        }
        self.width_last.next = bit_cast::<I, 7>(self.width.q.val() - 1);
        self.element_last.next = bit_cast::<I, 16>(self.elements.val() - 1);
        self.in_last.next = self.element_last.val();
        if self.store.q.val() {
            self.in_last.next = self.width_last.val();
        }
        self.in_full.next = self.full[0].q.val();
        if self.in_tile.q.val() {
            self.in_full.next = self.full[1].q.val();
        }
        self.s_axis_tready.next = self.filling.q.val() & !self.in_full.val();
        self.take.next = self.s_axis_tvalid.val() & self.filling.q.val() & !self.in_full.val();
        // What goes out.
        self.advance.next = self.m_axis_tready.val() | !self.out_valid.q.val();
        self.out_full.next = self.full[0].q.val();
        self.out_by_word.next = self.by_word[0].q.val();
        self.out_last_index.next = self.last_index[0].q.val();
        self.out_final.next = self.last[0].q.val();
        self.tile_used.next = self.used[0].q.val();
        if self.out_tile.q.val() {
            self.out_full.next = self.full[1].q.val();
            self.out_by_word.next = self.by_word[1].q.val();
            self.out_last_index.next = self.last_index[1].q.val();
            self.out_final.next = self.last[1].q.val();
            self.tile_used.next = self.used[1].q.val();
        }
        self.read.next = self.advance.val() & self.out_full.val();
        if self.advance.val() {
            self.out_valid.d.next = self.out_full.val();
        }
        if self.read.val() {
            self.out_used.d.next = self.tile_used.val();
            self.out_last.d.next = false;
            self.out_index.d.next = self.out_index.q.val() + 1;
            if self.out_index.q.val() == self.out_last_index.val() {
                self.out_last.d.next = self.out_final.val();
                self.out_index.d.next = 0.into();
                self.out_tile.d.next = !self.out_tile.q.val();
                if self.out_tile.q.val() {
                    self.full[1].d.next = false;
                } else {
                    self.full[0].d.next = false;
                }
            }
        }
        if self.take.val() {
            self.in_index.d.next = self.in_index.q.val() + 1;
            if self.in_index.q.val() == self.in_last.val() {
                self.in_index.d.next = 0.into();
                self.in_tile.d.next = !self.in_tile.q.val();
                self.left.d.next = self.left.q.val() - self._words;
                self.filling.d.next = self.more.val();
                if self.in_tile.q.val() {
                    self.full[1].d.next = true;
                    self.by_word[1].d.next = self.store.q.val();
                    self.last[1].d.next = !self.more.val();
                    self.last_index[1].d.next = self.width_last.val();
                    self.used[1].d.next = bit_cast::<9, 16>(self.elements.val());
                    if self.store.q.val() {
                        self.last_index[1].d.next = self.element_last.val();
                        self.used[1].d.next = bit_cast::<9, 7>(self.width.q.val());
                    }
                } else {
                    self.full[0].d.next = true;
                    self.by_word[0].d.next = self.store.q.val();
                    self.last[0].d.next = !self.more.val();
                    self.last_index[0].d.next = self.width_last.val();
                    self.used[0].d.next = bit_cast::<9, 16>(self.elements.val());
                    if self.store.q.val() {
                        self.last_index[0].d.next = self.element_last.val();
                        self.used[0].d.next = bit_cast::<9, 7>(self.width.q.val());
                    }
                }
            }
        }
        self.data.next = 0.into();
        for i in 0..self._flop {
            self.flop[i].clock.next = self.clock.val();
            self.flop[i].read_enable.next = self.read.val();
            self.flop[i].read_slice.next = !self.out_by_word.val();
            self.flop[i].read_tile.next = self.out_tile.q.val();
            self.flop[i].read_index.next = self.out_index.q.val();
            self.flop[i].write_enable.next = self.take.val();
            self.flop[i].write_slice.next = self.store.q.val();
            self.flop[i].write_tile.next = self.in_tile.q.val();
            self.flop[i].write_index.next = self.in_index.q.val();
            self.flop[i].write_data.next = self.s_axis_tdata.val();
            self.data.next = self.flop[i].read_data.val();
        }
        for i in 0..self._rotated {
            self.rotated[i].clock.next = self.clock.val();
            self.rotated[i].read_enable.next = self.read.val();
            self.rotated[i].read_slice.next = !self.out_by_word.val();
            self.rotated[i].read_tile.next = self.out_tile.q.val();
            self.rotated[i].read_index.next = self.out_index.q.val();
            self.rotated[i].write_enable.next = self.take.val();
            self.rotated[i].write_slice.next = self.store.q.val();
            self.rotated[i].write_tile.next = self.in_tile.q.val();
            self.rotated[i].write_index.next = self.in_index.q.val();
            self.rotated[i].write_data.next = self.s_axis_tdata.val();
            self.data.next = self.rotated[i].read_data.val();
        }
        self.ones.next = 0.into();
        self.ones.next = !self.ones.val() << self.out_used.q.val();
        self.m_axis_tdata.next = self.data.val() & !self.ones.val();
        self.m_axis_tvalid.next = self.out_valid.q.val();
        self.m_axis_tlast.next = self.out_last.q.val();
        self.busy.next = self.filling.q.val() | self.full[0].q.val() | self.full[1].q.val() | self.out_valid.q.val();
    }

    fn timing(&self) -> Vec<rust_hdl::core::timing::TimingInfo> {
        describe(
            "tmu",
            "Transpose memory unit: elements in, bit slices out, and back.",
            constants![; self._words, self._bits, self._flop, self._rotated],
        )
    }
}
