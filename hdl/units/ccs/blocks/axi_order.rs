//! Order between reads and writes of the AXI4 adapter, whose channels know none: a read must see every write before it.
//!
//! ```text
//!  write, write_line ─▶ number of the last write for each group of lines ─┐
//!  ack               ─▶ number of the oldest write on the way ────────────┴─▶ waits
//! ```
//!
//! Writes have numbers modulo 256, of which 63 at most are on the way. Lines whose numbers agree in the low six bits
//! form a group; for each there is the number of its last write. `waits` = 1 in a cycle in which that of the group of
//! `read_line` is on the way, and may stay 1 for a read of a line that nobody writes; it falls when all writes before
//! are acknowledged at the latest. A write counts from the next cycle on. After reset no write is on the way.

use crate::ccs::blocks::types::describes;
use crate::kernel::prelude::*;

/// Groups of lines.
const GROUPS: usize = 64;

/// The order.
#[derive(LogicBlock, Default)]
pub struct CcsAxiOrder {
    pub(super) clock: Signal<In, Domain>,
    pub(super) write: Signal<In, Bit>,           // A line is written.
    pub(super) write_line: Signal<In, Bits<30>>, // Its number.
    pub(super) ack: Signal<In, Bit>,             // The oldest write on the way is acknowledged.
    pub(super) read_line: Signal<In, Bits<30>>,  // Number of a line to read.
    pub(super) waits: Signal<Out, Bit>,          // It must wait.
    next: Register<Bits<8>>,                     // Number of the next write.
    oldest: Register<Bits<8>>,                   // Number of the oldest write on the way.
    known: Register<Word<64, 1>>,                // Groups that have been written.
    last: AsyncRam<Bits<8>, Bits<30>>,           // Number of each group's last write.
    group: Signal<Local, Bits<6>>,
    one: Signal<Local, Word<64, 1>>,
}

impl CcsAxiOrder {
    /// The order.
    pub fn new() -> Self {
        CcsAxiOrder { last: AsyncRam::new(GROUPS), ..Self::default() }
    }
}

impl Logic for CcsAxiOrder {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, last);
        dff_setup!(self, clock, next, oldest, known);
        self.one.next = 1.into();
        self.last.write_address.next = self.write_line.val();
        self.last.write_enable.next = self.write.val();
        self.last.write_data.next = self.next.q.val();
        if self.write.val() {
            self.next.d.next = self.next.q.val() + 1;
            self.known.d.next = self.known.q.val() | (self.one.val() << bit_cast::<6, 30>(self.write_line.val()));
        }
        if self.ack.val() {
            self.oldest.d.next = self.oldest.q.val() + 1;
        }
        self.last.read_address.next = self.read_line.val();
        self.group.next = bit_cast::<6, 30>(self.read_line.val());
        self.waits.next = self.known.q.val().get_bit(self.group.val().index())
            & ((self.last.read_data.val() - self.oldest.q.val()) < (self.next.q.val() - self.oldest.q.val()));
    }

    describes!("ccs_axi_order", "Which reads wait for writes on the way.", []);
}
