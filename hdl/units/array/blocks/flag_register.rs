//! Flag register: exceptions that have been raised since software cleared them.
//!
//! ```text
//!  raised ─▶ + ─▶ flags ─▶ value
//!  write, data ─▶ · ¬data
//! ```
//!
//! A flag raised in a cycle is in `value` from the next one on, and stays. A write clears the flags that are 1 in
//! `data`; one that is raised in the same cycle stays. All 0 after reset.

use crate::array::blocks::exception_flags::FLAGS;
use crate::kernel::prelude::*;

hdl_block! {
    /// The register.
    pub FlagRegister {
        In clock: Domain; /// Clock and reset.
        In raised: Bits<FLAGS>; /// Flags raised in this cycle.
        In write: Bit; /// Software writes.
        In data: Bits<FLAGS>; /// Flags that it clears.
        Out value: Bits<32>; /// What a read gives.
    } inside {
        Register flags: Bits<FLAGS>; // Flags since they were cleared.
        Local kept: Bits<FLAGS>;
    }
}

impl Logic for FlagRegister {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, flags);
        self.kept.next = self.flags.q.val();
        if self.write.val() {
            self.kept.next = self.flags.q.val() & !self.data.val();
        }
        self.flags.d.next = self.kept.val() | self.raised.val();
        self.value.next = bits_to::<Bits<32>, Bits<FLAGS>>(self.flags.q.val());
    }

    described! { "flag_register", "Exceptions raised since software cleared them." }
}
