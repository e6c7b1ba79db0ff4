//! Order between the reads and writes of a cache, whose channels know none: no fetch of a line overtakes the line's own
//! write-back.
//!
//! Write-backs are numbered modulo 128, and at most 64 of them are without an answer: those from `oldest` on, before
//! `newest`. Lines whose numbers agree in the low six bits are a group; for each group the number of its last
//! write-back is kept. `waits` = 1 while that of the group of `read_line` is without an answer; it may be 1 for a line
//! that is not written, but never once all are answered. A write-back that is noted counts from the next cycle on.

use super::LineNumber;
use crate::kernel::prelude::*;

/// Groups of lines.
const GROUPS: usize = 64;

hdl_block! {
    /// The order.
    pub DualityCacheOrder {
        In clock: Domain; /// Clock and reset.
        In newest, oldest: Bits<7>; /// Number of the next write-back. Number of the first without an answer.
        In note: Bit; /// A line is written back.
        In note_line: LineNumber; /// Which.
        In read_line: LineNumber; /// A line that is to be fetched.
        Out waits: Bit; /// Not yet.
    } inside {
        Child last: AsyncRam<Bits<7>, Bits<6>>; // Number of each group's last write-back.
        Register known: Word<64, 1>; // Groups that have one.
        Local one: Word<64, 1>;
        Local group, read_group: Bits<6>;
        Local unused_line: Bits<20>;
    }
}

impl DualityCacheOrder {
    /// The order.
    pub fn new() -> Self {
        DualityCacheOrder { last: AsyncRam::new(GROUPS), ..Self::default() }
    }
}

impl Logic for DualityCacheOrder {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, last);
        dff_setup!(self, clock, known);
        self.group.next = self.note_line.val().get_bits::<6>(0);
        self.read_group.next = self.read_line.val().get_bits::<6>(0);
        self.unused_line.next = self.note_line.val().get_bits::<20>(6) ^ self.read_line.val().get_bits::<20>(6);
        self.one.next = 1.into();
        self.last.write_address.next = self.group.val();
        self.last.write_enable.next = self.note.val();
        self.last.write_data.next = self.newest.val();
        if self.note.val() {
            self.known.d.next = self.known.q.val() | (self.one.val() << self.group.val());
        }
        self.last.read_address.next = self.read_group.val();
        self.waits.next = self.known.q.val().get_bit(self.read_group.val().index())
            & ((self.last.read_data.val() - self.oldest.val()) < (self.newest.val() - self.oldest.val()));
    }

    described! { "duality_cache_order", "Which fetches wait for write-backs." }
}
