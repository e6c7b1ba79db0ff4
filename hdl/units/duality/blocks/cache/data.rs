//! Data of the cache ways: for each way a block RAM of 64 bits for each of the words of a line.
//!
//! ```text
//!  read_line ─▶ RAMs a way ─▶ chosen way ─▶ line ─▶ word ─▶ bytes of data ─▶┐
//!                 ▲                                                          ├─▶ written
//!                 └───────────────────────────────────────────  fill_data ─▶┘
//! ```
//!
//! `line` is, a cycle after `read_line`, that line of the way `chosen`, and `word` its word `at`, of which `at` names
//! the line too. With `store` bytes of the word are replaced, at the end of the cycle, in that way. A line that was
//! read in the cycle in which a word of it was stored has the new one for whoever names it with `at`. Without `store`
//! the word `fill_at` of the ways `fill` is written.
//!
//! In a design in which lines are written as a whole, `store_line` in place of `store` makes all words of the line
//! those of `new_words`. `was_words` are then, in the cycle behind a `store_line`, what it has stored.

use super::super::bundles::CacheLine;
use super::{LINES, LineNumber, WORDS_OF_LINES, WordNumber, lines_name};
use crate::duality::cache_params::{CacheParams, LINE_BITS, LINE_WORDS};
use crate::kernel::prelude::*;

const BYTES: usize = 8;
const LAST_BYTE: usize = BYTES - 1;
const WORDS: usize = LINE_WORDS;
const LAST_WORD: usize = WORDS - 1;
const ALL_WORDS: u64 = (1 << WORDS) - 1;

hdl_block! {
    /// The data.
    pub DualityCacheData {
        In clock: Domain; /// Clock and reset.
        In read_line: LineNumber; /// The line to read.
        In chosen: CacheWays; /// The way whose line was read.
        In at: WordNumber; /// A word of it.
        Out word: Word<64, 1>; /// It.
        Out line: CacheLine; /// Its line, the first word lowest.
        In store: Bit; /// Bytes of it are replaced.
        In data: Word<64, 1>; /// By these.
        In strobes: Bits<8>; /// Which ones.
        In fill: CacheWays; /// Ways in which a word is written instead.
        In fill_at: WordNumber; /// Which word.
        In fill_data: Word<64, 1>; /// What it becomes.
        Bus store_line: Array<Signal<In, Bit>, LINES>; /// All words are replaced.
        Bus new_words: Array<Signal<In, Word<64, 1>>, WORDS_OF_LINES>; /// By these.
        Bus was_words: Array<Signal<In, Word<64, 1>>, WORDS_OF_LINES>; /// Those of the cycle before.
    } inside {
        Child rams: Vec<Ram<Word<64, 1>, LineNumber>>; // The words: of a way those of its lines behind each other.
        Register stored: Bit; // A word was replaced in the cycle before.
        Pipe stored_at: WordNumber; // Which one.
        Pipe last: Word<64, 1>; // What it has become.
        Child stored_line: Array<Register<Bit>, LINES>; // All words were.
        Child words: [Signal<Local, Word<64, 1>>; WORDS];
        Local some, old, merged: Word<64, 1>;
        Local all: CacheLine;
        Local again: Bit;
        Local here, stored_here, written_here: Bits<WORDS>;
        Child bytes: [Signal<Local, Bits<8>>; BYTES];
        Local byte: Bits<8>;
        Local written_line: LineNumber;
        Local written_at: WordNumber;
        Local written: CacheWays;
        Local written_data: Word<64, 1>;
        Value _ways, _sets, _lines: usize;
    }
}

impl DualityCacheData {
    /// Data of a cache with these parameters.
    pub fn new(params: &CacheParams) -> Self {
        DualityCacheData {
            rams: (0..params.ways * WORDS).map(|_| Ram::new(params.sets, RamStyle::Block)).collect(),
            _ways: params.ways,
            _sets: params.sets,
            _lines: params.lines.into(),
            ..Self::default()
        }
    }
}

impl Logic for DualityCacheData {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stored, stored_at, last);
        for j in 0..self._lines {
            dff_setup!(self, clock, stored_line[j]);
        }
        // The line was read while the store before was still being written.
        self.again.next = self.stored.q.val()
            & (self.stored_at.q.val().get_bits::<LINE_BITS>(3) == self.at.val().get_bits::<LINE_BITS>(3));
        self.here.next = 1.into();
        self.here.next = self.here.val() << self.at.val().get_bits::<3>(0);
        self.stored_here.next = 1.into();
        self.stored_here.next = self.stored_here.val() << self.stored_at.q.val().get_bits::<3>(0);
        self.old.next = 0.into();
        for k in 0..WORDS {
            self.some.next = 0.into();
            for i in 0..self._ways {
                if self.chosen.val().get_bit(i) {
                    self.some.next = self.some.val() | self.rams[WORDS * i + k].read_data.val();
                }
            }
            if self.again.val() & self.stored_here.val().get_bit(k) {
                self.some.next = self.last.q.val();
            }
            for j in 0..self._lines {
                if self.again.val() & self.stored_line[j].q.val() {
                    self.some.next = self.was_words[k].val();
                }
            }
            self.words[k].next = self.some.val();
            if self.here.val().get_bit(k) {
                self.old.next = self.some.val();
            }
        }
        self.all.next = 0.into();
        for k in 0..WORDS {
            self.some.next = self.words[LAST_WORD - k].val();
            self.all.next = (self.all.val() << 64) | bits_to::<CacheLine, Word<64, 1>>(self.some.val());
        }
        self.line.next = self.all.val();
        self.word.next = self.old.val();
        self.merged.next = 0.into();
        for b in 0..BYTES {
            self.bytes[b].next = self.old.val().get_bits::<8>(8 * b);
            if self.strobes.val().get_bit(b) {
                self.bytes[b].next = self.data.val().get_bits::<8>(8 * b);
            }
        }
        for b in 0..BYTES {
            self.byte.next = self.bytes[LAST_BYTE - b].val();
            self.merged.next = (self.merged.val() << 8) | bits_to::<Word<64, 1>, Bits<8>>(self.byte.val());
        }
        self.stored.d.next = self.store.val();
        for j in 0..self._lines {
            self.stored.d.next = self.store.val() | self.store_line[j].val();
            self.stored_line[j].d.next = self.store_line[j].val();
        }
        self.stored_at.d.next = self.at.val();
        self.last.d.next = self.merged.val();
        self.written.next = self.fill.val();
        self.written_at.next = self.fill_at.val();
        self.written_data.next = self.fill_data.val();
        if self.store.val() {
            self.written.next = self.chosen.val();
            self.written_at.next = self.at.val();
            self.written_data.next = self.merged.val();
        }
        self.written_here.next = 1.into();
        self.written_here.next = self.written_here.val() << self.written_at.val().get_bits::<3>(0);
        for j in 0..self._lines {
            if self.store_line[j].val() {
                self.written.next = self.chosen.val();
                self.written_at.next = self.at.val();
                self.written_here.next = ALL_WORDS.into();
            }
        }
        self.written_line.next = self.written_at.val().get_bits::<LINE_BITS>(3);
        for i in 0..self._ways {
            for k in 0..WORDS {
                self.rams[WORDS * i + k].clock.next = self.clock.val();
                self.rams[WORDS * i + k].read_address.next = self.read_line.val();
                self.rams[WORDS * i + k].read_enable.next = true;
                self.rams[WORDS * i + k].write_address.next = self.written_line.val();
                self.rams[WORDS * i + k].write_enable.next =
                    self.written.val().get_bit(i) & self.written_here.val().get_bit(k);
                self.rams[WORDS * i + k].write_data.next = self.written_data.val();
                for j in 0..self._lines {
                    if self.store_line[j].val() {
                        self.rams[WORDS * i + k].write_data.next = self.new_words[k].val();
                    }
                }
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("duality_cache_data_{}x{}{}", self._ways, self._sets, lines_name(self._lines)),
            "Data of the cache ways.",
            constants![BYTES, LAST_BYTE, WORDS, LAST_WORD, LINE_BITS, ALL_WORDS; self._ways, self._lines],
        )
    }
}
