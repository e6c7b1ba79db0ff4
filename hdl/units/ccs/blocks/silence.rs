//! Listens to memory: how long it has said nothing, after a hard reset and while a soft reset waits for it.
//!
//! ```text
//!  reset ─▶ settling ─▶ 1024 cycles without an answer ─▶ open
//!  resetting ─▶ 1024 cycles without an answer ─▶ silent
//! ```
//!
//! A hard reset of the unit alone forgets what was asked of memory, so what memory says then is of before: while
//! `settling`, the core asks nothing and drops what arrives, until memory has said nothing for [`SILENCE`] cycles. Only
//! a line port has this: an AXI4 bus is reset with its masters, and so is memory that is part of the top. A soft reset
//! knows what it waits for; `silent` = 1 for a cycle when it has heard nothing for as long.

use crate::ccs::blocks::types::describes;
use crate::ccs::{SILENCE, SILENCE_BITS};
use crate::kernel::prelude::*;

const LAST: u64 = SILENCE - 1;

hdl_block! {
    /// The block.
    pub CcsSilence {
        In clock: Domain; /// Clock and reset.
        In answer: Bit; /// Memory offers a line, or acknowledges a write.
        In resetting: Bit; /// A soft reset is under way.
        Out settling: Bit; /// What arrives was asked for before a hard reset.
        Out silent: Bit; /// The soft reset need not wait any longer.
    } inside {
        Register unsettled: Bit; // A hard reset was, and memory may still answer what was asked before.
        Register heard: Bit; // Memory said something, a cycle ago.
        Register cycles: Bits<SILENCE_BITS>; // Cycles without an answer.
        Register spent: Bit; // There were enough of them for a soft reset.
        Local listens, enough: Bit;
    }
}

impl CcsSilence {
    /// The block of a system whose memory may go on when it is reset, or not.
    pub fn new(goes_on: bool) -> Self {
        CcsSilence { unsettled: Register::new(goes_on), ..Self::default() }
    }
}

impl Logic for CcsSilence {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, unsettled, heard, cycles, spent);
        self.heard.d.next = self.answer.val();
        self.listens.next = (self.unsettled.q.val() | self.resetting.val()) & !self.heard.q.val();
        self.enough.next = self.listens.val() & (self.cycles.q.val() == LAST);
        self.cycles.d.next = 0.into();
        if self.listens.val() {
            self.cycles.d.next = self.cycles.q.val() + 1;
        }
        if self.enough.val() {
            self.unsettled.d.next = false;
        }
        self.spent.d.next = self.enough.val() & !self.unsettled.q.val();
        self.settling.next = self.unsettled.q.val();
        self.silent.next = self.spent.q.val();
    }

    describes!("ccs_silence", "Hears when memory has said nothing for long.", [LAST, SILENCE_BITS]);
}
