//! Memories: one write port and one read port each, except where stated. Contents at power-up are undefined; ROMs are
//! constant.
//!
//! With a power-of-two depth an address counts modulo the depth; otherwise words beyond the depth read 0 and take no
//! write. Block RAM with two reads is two mirrored [`Ram`]s.

use rust_hdl_core::ast;
use rust_hdl_core::prelude::*;

use super::netlist::Primitive;
use super::packed::Packed;
use super::reg::{Domain, Edge, hex};

/// What synthesis should make of a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum RamStyle {
    /// Whatever the tool chooses.
    #[default]
    Auto,
    /// Block RAM.
    Block,
    /// LUT RAM.
    Distributed,
}

/// Word at an address; addresses beyond the depth read 0.
fn word<A: Packed, D: Packed>(words: &[D], address: A) -> D {
    words.get(index(address, words.len())).copied().unwrap_or_default()
}

/// Word number of an address: with a power-of-two depth its lower bits, else the whole.
fn index<A: Packed>(address: A, depth: usize) -> usize {
    let mut limb = [0];
    address.limbs_into(&mut limb);
    if depth.is_power_of_two() { limb[0] as usize & (depth - 1) } else { limb[0] as usize }
}

/// Synchronous RAM: a read at the edge returns what the word held before it, also when the same word is written (read
/// first). While `read_enable` is 0 the data stay.
#[derive(LogicBlock)]
pub struct Ram<D: Packed, A: Packed> {
    /// Clock; the reset is not used.
    pub clock: Signal<In, Domain>,
    /// Word to read.
    pub read_address: Signal<In, A>,
    /// Reads at the edge.
    pub read_enable: Signal<In, Bit>,
    /// The word read, from the edge on.
    pub read_data: Signal<Out, D>,
    /// Word to write.
    pub write_address: Signal<In, A>,
    /// Writes at the edge.
    pub write_enable: Signal<In, Bit>,
    /// What to write.
    pub write_data: Signal<In, D>,
    _words: Vec<D>,
    _style: RamStyle,
    _edge: Edge,
}

impl<D: Packed, A: Packed> Ram<D, A> {
    /// A RAM of `depth` words.
    pub fn new(depth: usize, style: RamStyle) -> Self {
        assert!(depth > 0 && depth <= 1 << A::width(), "{depth} words with {} address bits", A::width());
        Ram {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_enable: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_enable: Signal::default(),
            write_data: Signal::default(),
            _words: vec![D::default(); depth],
            _style: style,
            _edge: Edge::default(),
        }
    }
}

/// One word: a placeholder until the block's constructor makes the real one.
impl<D: Packed, A: Packed> Default for Ram<D, A> {
    fn default() -> Self {
        Ram::new(1, RamStyle::Auto)
    }
}

impl<D: Packed, A: Packed> Logic for Ram<D, A> {
    fn update(&mut self) {
        if self._edge.rising(self.clock.val()) {
            if self.read_enable.val() {
                self.read_data.next = word(&self._words, self.read_address.val());
            }
            let address = index(self.write_address.val(), self._words.len());
            if self.write_enable.val() && address < self._words.len() {
                self._words[address] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> ast::Verilog {
        Primitive::Ram { depth: self._words.len(), style: self._style }.to_hdl()
    }
}

/// RAM with a combinational read (LUT RAM).
#[derive(LogicBlock)]
pub struct AsyncRam<D: Packed, A: Packed> {
    /// Clock of the write port; the reset is not used.
    pub clock: Signal<In, Domain>,
    /// Word to read.
    pub read_address: Signal<In, A>,
    /// The word, at once.
    pub read_data: Signal<Out, D>,
    /// Word to write.
    pub write_address: Signal<In, A>,
    /// Writes at the edge.
    pub write_enable: Signal<In, Bit>,
    /// What to write.
    pub write_data: Signal<In, D>,
    _words: Vec<D>,
    _edge: Edge,
}

impl<D: Packed, A: Packed> AsyncRam<D, A> {
    /// A RAM of `depth` words.
    pub fn new(depth: usize) -> Self {
        assert!(depth > 0 && depth <= 1 << A::width(), "{depth} words with {} address bits", A::width());
        AsyncRam {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_enable: Signal::default(),
            write_data: Signal::default(),
            _words: vec![D::default(); depth],
            _edge: Edge::default(),
        }
    }
}

/// One word: a placeholder until the block's constructor makes the real one.
impl<D: Packed, A: Packed> Default for AsyncRam<D, A> {
    fn default() -> Self {
        AsyncRam::new(1)
    }
}

impl<D: Packed, A: Packed> Logic for AsyncRam<D, A> {
    fn update(&mut self) {
        let address = index(self.write_address.val(), self._words.len());
        if self._edge.rising(self.clock.val()) && self.write_enable.val() && address < self._words.len() {
            self._words[address] = self.write_data.val();
        }
        self.read_data.next = word(&self._words, self.read_address.val());
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> ast::Verilog {
        Primitive::AsyncRam { depth: self._words.len() }.to_hdl()
    }
}

/// Rows that can be raised in any number: two addressed reads, the AND and the NOR over a set of rows, and a write that
/// reaches the selected bits only. All reads are combinational. For simulation and ASIC macros.
#[derive(LogicBlock)]
pub struct SearchRam<D: Packed, A: Packed, S: Packed> {
    /// Clock of the write port; the reset is not used.
    pub clock: Signal<In, Domain>,
    /// Row to read on port A.
    pub a_address: Signal<In, A>,
    /// The row.
    pub a_data: Signal<Out, D>,
    /// Row to read on port B.
    pub b_address: Signal<In, A>,
    /// The row.
    pub b_data: Signal<Out, D>,
    /// One bit for each row: the rows raised together.
    pub select: Signal<In, S>,
    /// Their AND; all ones for none.
    pub and_data: Signal<Out, D>,
    /// Their NOR; all ones for none.
    pub nor_data: Signal<Out, D>,
    /// Row to write.
    pub write_address: Signal<In, A>,
    /// Writes at the edge.
    pub write_enable: Signal<In, Bit>,
    /// Bits that take the write.
    pub write_mask: Signal<In, D>,
    /// What to write.
    pub write_data: Signal<In, D>,
    _rows: Vec<D>,
    _edge: Edge,
}

impl<D: Packed, A: Packed, S: Packed> SearchRam<D, A, S> {
    /// `depth` rows, at most as many as `S` has bits.
    pub fn new(depth: usize) -> Self {
        assert!(
            depth > 0 && depth <= 1 << A::width() && depth <= S::width(),
            "{depth} rows, {} select bits",
            S::width()
        );
        SearchRam {
            clock: Signal::default(),
            a_address: Signal::default(),
            a_data: Signal::default(),
            b_address: Signal::default(),
            b_data: Signal::default(),
            select: Signal::default(),
            and_data: Signal::default(),
            nor_data: Signal::default(),
            write_address: Signal::default(),
            write_enable: Signal::default(),
            write_mask: Signal::default(),
            write_data: Signal::default(),
            _rows: vec![D::default(); depth],
            _edge: Edge::default(),
        }
    }
}

fn limbs<D: Packed>(value: &D) -> Vec<u64> {
    let mut limbs = vec![0; D::width().div_ceil(64)];
    value.limbs_into(&mut limbs);
    limbs
}

/// One word: a placeholder until the block's constructor makes the real one.
impl<D: Packed, A: Packed, S: Packed> Default for SearchRam<D, A, S> {
    fn default() -> Self {
        SearchRam::new(1)
    }
}

impl<D: Packed, A: Packed, S: Packed> Logic for SearchRam<D, A, S> {
    fn update(&mut self) {
        let address = index(self.write_address.val(), self._rows.len());
        if self._edge.rising(self.clock.val()) && self.write_enable.val() && address < self._rows.len() {
            let (new, mask) = (limbs(&self.write_data.val()), limbs(&self.write_mask.val()));
            let old = limbs(&self._rows[address]);
            let merged: Vec<u64> = (0..old.len()).map(|i| (old[i] & !mask[i]) | (new[i] & mask[i])).collect();
            self._rows[address] = D::from_packed(&merged);
        }
        self.a_data.next = word(&self._rows, self.a_address.val());
        self.b_data.next = word(&self._rows, self.b_address.val());
        let select = limbs(&self.select.val());
        let (mut and, mut or) = (vec![u64::MAX; D::width().div_ceil(64)], vec![0; D::width().div_ceil(64)]);
        for row in (0..self._rows.len()).filter(|row| select[row / 64] >> (row % 64) & 1 == 1) {
            for (i, limb) in limbs(&self._rows[row]).into_iter().enumerate() {
                and[i] &= limb;
                or[i] |= limb;
            }
        }
        self.and_data.next = D::from_packed(&and);
        self.nor_data.next = D::from_packed(&or.iter().map(|limb| !limb).collect::<Vec<_>>());
    }

    fn connect(&mut self) {
        self.a_data.connect();
        self.b_data.connect();
        self.and_data.connect();
        self.nor_data.connect();
    }

    fn hdl(&self) -> ast::Verilog {
        Primitive::SearchRam { depth: self._rows.len() }.to_hdl()
    }
}

/// Synchronous ROM. While `enable` is 0 the data stay.
#[derive(LogicBlock)]
pub struct Rom<D: Packed, A: Packed> {
    /// Clock; the reset is not used.
    pub clock: Signal<In, Domain>,
    /// Word to read.
    pub address: Signal<In, A>,
    /// Reads at the edge.
    pub enable: Signal<In, Bit>,
    /// The word, from the edge on.
    pub data: Signal<Out, D>,
    _words: Vec<D>,
    _edge: Edge,
}

impl<D: Packed, A: Packed> Rom<D, A> {
    /// A ROM with these contents, filled with zeros to a power of two.
    pub fn new(mut words: Vec<D>) -> Self {
        assert!(
            !words.is_empty() && words.len() <= 1 << A::width(),
            "{} words, {} address bits",
            words.len(),
            A::width()
        );
        words.resize(words.len().next_power_of_two(), D::default());
        Rom {
            clock: Signal::default(),
            address: Signal::default(),
            enable: Signal::default(),
            data: Signal::default(),
            _words: words,
            _edge: Edge::default(),
        }
    }
}

/// One word: a placeholder until the block's constructor makes the real one.
impl<D: Packed, A: Packed> Default for Rom<D, A> {
    fn default() -> Self {
        Rom::new(vec![D::default()])
    }
}

impl<D: Packed, A: Packed> Logic for Rom<D, A> {
    fn update(&mut self) {
        if self._edge.rising(self.clock.val()) && self.enable.val() {
            self.data.next = word(&self._words, self.address.val());
        }
    }

    fn connect(&mut self) {
        self.data.connect();
    }

    fn hdl(&self) -> ast::Verilog {
        Primitive::Rom { words: self._words.iter().map(hex).collect(), synchronous: true }.to_hdl()
    }
}

/// ROM with a combinational read.
#[derive(LogicBlock)]
pub struct AsyncRom<D: Packed, A: Packed> {
    /// Word to read.
    pub address: Signal<In, A>,
    /// The word, at once.
    pub data: Signal<Out, D>,
    _words: Vec<D>,
}

impl<D: Packed, A: Packed> AsyncRom<D, A> {
    /// A ROM with these contents, filled with zeros to a power of two.
    pub fn new(mut words: Vec<D>) -> Self {
        assert!(
            !words.is_empty() && words.len() <= 1 << A::width(),
            "{} words, {} address bits",
            words.len(),
            A::width()
        );
        words.resize(words.len().next_power_of_two(), D::default());
        AsyncRom { address: Signal::default(), data: Signal::default(), _words: words }
    }
}

/// One word: a placeholder until the block's constructor makes the real one.
impl<D: Packed, A: Packed> Default for AsyncRom<D, A> {
    fn default() -> Self {
        AsyncRom::new(vec![D::default()])
    }
}

impl<D: Packed, A: Packed> Logic for AsyncRom<D, A> {
    fn update(&mut self) {
        self.data.next = word(&self._words, self.address.val());
    }

    fn connect(&mut self) {
        self.data.connect();
    }

    fn hdl(&self) -> ast::Verilog {
        Primitive::Rom { words: self._words.iter().map(hex).collect(), synchronous: false }.to_hdl()
    }
}
