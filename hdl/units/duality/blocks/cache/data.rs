//! Data of the cache ways: a block RAM of words of 64 bits a way.
//!
//! ```text
//!  read_at ─▶ RAM a way ─▶ chosen way ─▶ word ─▶ bytes of data ─▶┐
//!               ▲                                                 ├─▶ written
//!               └──────────────────────────────────  fill_data ─▶┘
//! ```
//!
//! `word` is, a cycle after `read_at`, that word of the way `chosen`. With `store` bytes of it are replaced, at the end
//! of the cycle, in that way, and `at` must be what `read_at` was in the cycle before; a word that was read in the
//! cycle in which it was written is the new one for whoever names it as `at`. Without `store` the word `fill_at` of the
//! ways `fill` is written.

use super::WordNumber;
use crate::duality::cache_params::{CacheParams, LINE_WORDS};
use crate::kernel::prelude::*;

const BYTES: usize = 8;
const LAST_BYTE: usize = BYTES - 1;

hdl_block! {
    /// The data.
    pub DualityCacheData {
        In clock: Domain; /// Clock and reset.
        In read_at: WordNumber; /// The word to read.
        In chosen: CacheWays; /// The way whose word was read.
        In at: WordNumber; /// The word that was read.
        Out word: Word<64, 1>; /// It.
        In store: Bit; /// Bytes of it are replaced.
        In data: Word<64, 1>; /// By these.
        In strobes: Bits<8>; /// Which ones.
        In fill: CacheWays; /// Ways in which a word is written instead.
        In fill_at: WordNumber; /// Which word.
        In fill_data: Word<64, 1>; /// What it becomes.
    } inside {
        Child rams: Vec<Ram<Word<64, 1>, WordNumber>>; // The words.
        Register stored: Bit; // A word was replaced in the cycle before.
        Pipe stored_at: WordNumber; // Which one.
        Pipe last: Word<64, 1>; // What it has become.
        Local old, merged: Word<64, 1>;
        Child bytes: [Signal<Local, Bits<8>>; BYTES];
        Local byte: Bits<8>;
        Local written_at: WordNumber;
        Local written: CacheWays;
        Local written_data: Word<64, 1>;
        Value _ways, _words: usize;
    }
}

impl DualityCacheData {
    /// Data of a cache with these parameters.
    pub fn new(params: &CacheParams) -> Self {
        let _words = LINE_WORDS * params.sets;
        DualityCacheData {
            rams: (0..params.ways).map(|_| Ram::new(_words, RamStyle::Block)).collect(),
            _ways: params.ways,
            _words,
            ..Self::default()
        }
    }
}

impl Logic for DualityCacheData {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stored, stored_at, last);
        self.old.next = 0.into();
        for i in 0..self._ways {
            if self.chosen.val().get_bit(i) {
                self.old.next = self.old.val() | self.rams[i].read_data.val();
            }
        }
        // The word was read while the one before was still being written.
        if self.stored.q.val() & (self.stored_at.q.val() == self.at.val()) {
            self.old.next = self.last.q.val();
        }
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
        for i in 0..self._ways {
            self.rams[i].clock.next = self.clock.val();
            self.rams[i].read_address.next = self.read_at.val();
            self.rams[i].read_enable.next = true;
            self.rams[i].write_address.next = self.written_at.val();
            self.rams[i].write_enable.next = self.written.val().get_bit(i);
            self.rams[i].write_data.next = self.written_data.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("duality_cache_data_{}x{}", self._ways, self._words),
            "Data of the cache ways.",
            constants![BYTES, LAST_BYTE; self._ways, self._words],
        )
    }
}
