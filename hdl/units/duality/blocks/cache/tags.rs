//! Tags of the cache ways: a block RAM a way, a word a set.
//!
//! A word has a bit that says that the way holds a line or waits for one, a bit that says that it waits, and the line's
//! tag: its number without the bits of the set. `read_line` names a set whose words are at the outputs in the next
//! cycle: `valid` and `pending`; `hits` are the ways with the tag of `line`, whose set it must be, and `chosen_line` is
//! the line of the way `chosen` when `place` is a line of the set. In a cycle with ways in `write` these take the tag
//! of `write_line` and the two bits; a read in the same cycle gives what was there before. Memories are not reset:
//! whoever uses them writes all sets first.

use super::LineNumber;
use crate::duality::cache_params::CacheParams;
use crate::kernel::prelude::*;

hdl_block! {
    /// The tags.
    pub DualityCacheTags {
        In clock: Domain; /// Clock and reset.
        In read_line: LineNumber; /// A line of the set that is read.
        In line: LineNumber; /// A line that is looked for in the set that was read.
        Out hits: CacheWays; /// Ways that hold it, or wait for it.
        Out valid, pending: CacheWays; /// Ways of the set with a line. Those of them that wait for it.
        In chosen: CacheWays; /// A way.
        In place: LineNumber; /// A line of the set that was read.
        Out chosen_line: LineNumber; /// The line of the way.
        In write: CacheWays; /// Ways that are written.
        In write_line: LineNumber; /// The line.
        In write_valid, write_pending: Bit; /// It is there, or waited for. It is waited for.
    } inside {
        Child rams: Vec<Ram<CacheTag, LineNumber>>; // Bit 0: valid. Bit 1: pending. The tag above.
        Local word, written, tag, chosen_tag: CacheTag;
        Local unused_line: LineNumber;
        Value _ways: usize;
        Value _set_bits, _set_mask: u64;
    }
}

impl DualityCacheTags {
    /// Tags of a cache with these parameters.
    pub fn new(params: &CacheParams) -> Self {
        DualityCacheTags {
            rams: (0..params.ways).map(|_| Ram::new(params.sets, RamStyle::Block)).collect(),
            _ways: params.ways,
            _set_bits: params.set_bits() as u64,
            _set_mask: params.sets as u64 - 1,
            ..Self::default()
        }
    }
}

impl Logic for DualityCacheTags {
    #[hdl_gen]
    fn update(&mut self) {
        self.unused_line.next = self.line.val() ^ self.write_line.val();
        self.tag.next = bits_to::<CacheTag, LineNumber>(self.line.val() >> self._set_bits);
        self.written.next = (bits_to::<CacheTag, LineNumber>(self.write_line.val() >> self._set_bits) << 2)
            | (bits_to::<CacheTag, Bit>(self.write_pending.val()) << 1)
            | bits_to::<CacheTag, Bit>(self.write_valid.val());
        self.hits.next = 0.into();
        self.valid.next = 0.into();
        self.pending.next = 0.into();
        self.chosen_tag.next = 0.into();
        for i in 0..self._ways {
            self.rams[i].clock.next = self.clock.val();
            self.rams[i].read_address.next = self.read_line.val();
            self.rams[i].read_enable.next = true;
            self.rams[i].write_address.next = self.write_line.val();
            self.rams[i].write_enable.next = self.write.val().get_bit(i);
            self.rams[i].write_data.next = self.written.val();
            self.word.next = self.rams[i].read_data.val();
            self.valid.next = self.valid.val().replace_bit(i, self.word.val().get_bit(0));
            self.pending.next = self.pending.val().replace_bit(i, self.word.val().get_bit(1));
            self.word.next = self.word.val() >> 2;
            self.hits.next =
                self.hits.val().replace_bit(i, self.valid.val().get_bit(i) & (self.word.val() == self.tag.val()));
            if self.chosen.val().get_bit(i) {
                self.chosen_tag.next = self.chosen_tag.val() | self.word.val();
            }
        }
        self.chosen_line.next = (bits_to::<LineNumber, CacheTag>(self.chosen_tag.val()) << self._set_bits)
            | (self.place.val() & self._set_mask);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("duality_cache_tags_{}x{}", self._ways, self._set_mask + 1),
            "Tags of the cache ways.",
            constants![; self._ways, self._set_bits, self._set_mask],
        )
    }
}
