//! Tags of the cache: which line a row holds.
//!
//! Direct-mapped: a line's row is the lower bits of its number, its tag the upper bits. Four look-ups in every cycle,
//! each with a copy of the tags in LUT RAM and combinational: three for a step of the compute unit, one for the
//! processor. `set` makes a line present from the next cycle on, `drop` takes it out, `clear` empties the cache.
//!
//! With two read ports the store's first copy, which a is read from, does not get what is written to a line of the
//! cache: `changes` says so of a row, `spoils` that the first copy's row of `line` is to be written with another one.
//! Such a line is not there for a, the first look-up, until it is set again. `evicts` takes the line of a row out,
//! whichever it is.

use crate::ccs::blocks::types::{FIRST_LINES, LINES, LineNumber, MORE, RowNumber, Shape, describes};
use crate::kernel::prelude::*;

/// Look-ups in a cycle.
pub const LOOKUPS: usize = 4;
/// Bits of a row's number in the cache.
pub const INDEX_BITS: usize = 5;

/// The tags.
#[derive(LogicBlock, Default)]
pub struct CcsTags {
    pub(super) clock: Signal<In, Domain>,
    pub(super) lines: Array<Signal<In, LineNumber>, LOOKUPS>, // Lines that are looked for.
    pub(super) hits: Array<Signal<Out, Bit>, LOOKUPS>,        // They are there.
    pub(super) set: Signal<In, Bit>,                          // A line is filled.
    pub(super) drop: Signal<In, Bit>,                         // A line is dropped, if it is there.
    pub(super) line: Signal<In, LineNumber>,                  // Which.
    pub(super) clear: Signal<In, Bit>,                        // No line is there any more.
    pub(super) changes: Array<Signal<In, Bit>, MORE>,         // A row of the second copy is written.
    pub(super) row: Array<Signal<In, RowNumber>, MORE>,       // Which.
    pub(super) evicts: Array<Signal<In, Bit>, MORE>,          // A row is to hold no line.
    pub(super) evicted: Array<Signal<In, RowNumber>, MORE>,   // Which.
    pub(super) spoils: Array<Signal<In, Bit>, MORE>,          // That of `line` in the first copy is to be.
    copies: [AsyncRam<LineNumber, Bits<INDEX_BITS>>; LOOKUPS], // Tags, once for each look-up.
    valid: Array<Register<Bit>, LINES>,                       // Rows that hold a line.
    first: Array<Register<Bit>, FIRST_LINES>,                 // Those of which the first copy does, too.
    lower: Array<Signal<Local, LineNumber>, LOOKUPS>,
    indices: Array<Signal<Local, Bits<INDEX_BITS>>, LOOKUPS>,
    found: Array<Signal<Local, Bit>, LOOKUPS>,
    alone: Array<Signal<Local, Bit>, MORE>,
    at: Signal<Local, Bits<INDEX_BITS>>,
    _g: Shape,
}

impl CcsTags {
    /// The tags.
    pub fn new() -> Self {
        let Shape { lines, .. } = Shape::default();
        CcsTags { copies: std::array::from_fn(|_| AsyncRam::new(lines)), ..Self::default() }
    }
}

impl Logic for CcsTags {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid);
        for i in 0..self._g.first_lines {
            self.first[i].clock.next = self.clock.val();
            self.first[i].d.next = self.first[i].q.val();
        }
        self.at.next = bit_cast::<INDEX_BITS, 30>(self.line.val() & self._g.index_mask);
        for i in 0..LOOKUPS {
            self.copies[i].clock.next = self.clock.val();
            self.lower[i].next = self.lines[i].val() & self._g.index_mask;
            self.indices[i].next = self.lower[i].val().get_bits::<INDEX_BITS>(0);
            self.copies[i].read_address.next = self.indices[i].val();
            self.copies[i].write_address.next = self.at.val();
            self.copies[i].write_enable.next = self.set.val();
            self.copies[i].write_data.next = self.line.val() >> self._g.index_bits;
            self.found[i].next = false;
            for k in 0..self._g.lines {
                if self.indices[i].val().index() == k {
                    self.found[i].next = self.valid[k].q.val();
                }
            }
            self.hits[i].next =
                self.found[i].val() & (self.copies[i].read_data.val() == (self.lines[i].val() >> self._g.index_bits));
        }
        for i in 0..self._g.more {
            self.alone[i].next = false;
            for k in 0..self._g.first_lines {
                if self.indices[i].val().index() == k {
                    self.alone[i].next = self.first[k].q.val();
                }
            }
            self.hits[i].next = self.hits[i].val() & self.alone[i].val();
        }
        for k in 0..self._g.lines {
            if self.at.val().index() == k {
                self.valid[k].d.next = (self.valid[k].q.val() & !self.drop.val()) | self.set.val();
            }
            for i in 0..self._g.more {
                if self.evicts[i].val() & (self.evicted[i].val().index() == k) {
                    self.valid[k].d.next = false;
                }
            }
            if self.clear.val() {
                self.valid[k].d.next = false;
            }
        }
        for k in 0..self._g.first_lines {
            if self.at.val().index() == k {
                self.first[k].d.next = (self.first[k].q.val() & !self.spoils[0].val()) | self.set.val();
            }
            if self.changes[0].val() & (self.row[0].val().index() == k) {
                self.first[k].d.next = false;
            }
        }
    }

    describes!(block: format!("ccs_tags_{}", block._g.lines), "Tags of the cache, with four look-ups.",
        [INDEX_BITS, LOOKUPS]);
}
