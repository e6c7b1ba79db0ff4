//! Flag register: exceptions that have been raised since software cleared them, and those of the latest command alone.
//!
//! ```text
//!  raised ─▶ + ─▶ flags ─▶ value, low half
//!  write, data ─▶ · ¬data
//!  raised ─▶ + ─▶ last ─▶ value, high half
//!  a command starts ─▶ · 0
//! ```
//!
//! A flag raised in a cycle is in `value` from the next one on, and stays. A write clears the flags in the low half
//! that are 1 in `data`; one that is raised in the same cycle stays. Those in the high half are cleared when the next
//! floating-point command starts. All 0 after reset.

use crate::array::blocks::exception_flags::{FLAGS, RAISED};
use crate::kernel::prelude::*;

hdl_block! {
    /// The register.
    pub FlagRegister {
        In clock: Domain; /// Clock and reset.
        In raised: Bits<RAISED>; /// Flags raised in this cycle, and above them whether a command starts.
        In write: Bit; /// Software writes.
        In data: Bits<FLAGS>; /// Flags that it clears.
        Out value: Bits<32>; /// What a read gives.
    } inside {
        Register flags: Bits<FLAGS>; // Flags since they were cleared.
        Register last: Bits<FLAGS>; // Flags since a command started.
        Local now: Bits<FLAGS>;
        Local kept: Bits<FLAGS>;
    }
}

impl Logic for FlagRegister {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, flags, last);
        self.now.next = self.raised.val().get_bits::<FLAGS>(0);
        self.kept.next = self.flags.q.val();
        if self.write.val() {
            self.kept.next = self.flags.q.val() & !self.data.val();
        }
        self.flags.d.next = self.kept.val() | self.now.val();
        self.last.d.next = self.last.q.val() | self.now.val();
        if self.raised.val().get_bit(5) {
            self.last.d.next = 0.into();
        }
        self.value.next = bits_to::<Bits<32>, Bits<FLAGS>>(self.flags.q.val())
            | (bits_to::<Bits<32>, Bits<FLAGS>>(self.last.q.val()) << 16);
    }

    described! { "flag_register", "Exceptions raised since software cleared them, and those of the latest command." }
}
