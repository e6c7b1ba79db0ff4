//! Tags of the cache: which line a row holds.
//!
//! Direct-mapped: a line's row is the lower bits of its number, its tag the upper bits. Four look-ups in every cycle, each with a copy
//! of the tags in LUT RAM and combinational: three for a step of the compute unit, one for the processor. `set` makes a line present
//! from the next cycle on, `drop` takes it out, `clear` empties the cache.

use super::types::LineNumber;
use crate::ccs::CcsGeometry;
use crate::kernel::prelude::*;

/// Look-ups in a cycle.
pub const LOOKUPS: usize = 4;
/// Bits of a row's number in the cache.
pub const INDEX_BITS: usize = 5;

/// The tags.
#[derive(LogicBlock, Default)]
pub struct CcsTags {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Lines that are looked for.
    pub lines: [Signal<In, LineNumber>; LOOKUPS],
    /// They are there.
    pub hits: [Signal<Out, Bit>; LOOKUPS],
    /// A line is filled.
    pub set: Signal<In, Bit>,
    /// A line is dropped, if it is there.
    pub drop: Signal<In, Bit>,
    /// Which.
    pub line: Signal<In, LineNumber>,
    /// No line is there any more.
    pub clear: Signal<In, Bit>,
    /// Tags, once for each look-up.
    pub copies: [AsyncRam<LineNumber, Bits<INDEX_BITS>>; LOOKUPS],
    /// Rows that hold a line.
    pub valid: Vec<Register<Bit>>,
    lower: [Signal<Local, LineNumber>; LOOKUPS],
    indices: [Signal<Local, Bits<INDEX_BITS>>; LOOKUPS],
    found: [Signal<Local, Bit>; LOOKUPS],
    at: Signal<Local, Bits<INDEX_BITS>>,
    _lines: usize,
    _index_bits: u64,
    _index_mask: u64,
}

impl CcsTags {
    /// The tags of this geometry.
    pub fn new(geometry: &CcsGeometry) -> Self {
        CcsTags {
            copies: std::array::from_fn(|_| AsyncRam::new(geometry.lines)),
            valid: (0..geometry.lines).map(|_| Register::default()).collect(),
            _lines: geometry.lines,
            _index_bits: geometry.lines.ilog2().into(),
            _index_mask: geometry.lines as u64 - 1,
            ..Self::default()
        }
    }
}

impl Logic for CcsTags {
    #[hdl_gen]
    fn update(&mut self) {
        self.at.next = bit_cast::<INDEX_BITS, 30>(self.line.val() & self._index_mask);
        for i in 0..LOOKUPS {
            self.copies[i].clock.next = self.clock.val();
            self.lower[i].next = self.lines[i].val() & self._index_mask;
            self.indices[i].next = self.lower[i].val().get_bits::<INDEX_BITS>(0);
            self.copies[i].read_address.next = self.indices[i].val();
            self.copies[i].write_address.next = self.at.val();
            self.copies[i].write_enable.next = self.set.val();
            self.copies[i].write_data.next = self.line.val() >> self._index_bits;
            self.found[i].next = false;
            for k in 0..self._lines {
                if self.indices[i].val().index() == k {
                    self.found[i].next = self.valid[k].q.val();
                }
            }
            self.hits[i].next =
                self.found[i].val() & (self.copies[i].read_data.val() == (self.lines[i].val() >> self._index_bits));
        }
        for k in 0..self._lines {
            self.valid[k].clock.next = self.clock.val();
            self.valid[k].d.next = self.valid[k].q.val();
            if self.at.val().index() == k {
                self.valid[k].d.next = (self.valid[k].q.val() & !self.drop.val()) | self.set.val();
            }
            if self.clear.val() {
                self.valid[k].d.next = false;
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("ccs_tags_{}", self._lines),
            "Tags of the cache, with four look-ups.",
            constants![INDEX_BITS, LOOKUPS; self._lines, self._index_bits, self._index_mask],
        )
    }
}
