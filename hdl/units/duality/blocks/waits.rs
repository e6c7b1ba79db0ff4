//! Waits of a window's oldest word: whether what it waits for has ended. Combinational.
//!
//! Words before it that it waits for have ended where the difference of their counts is not negative, modulo 2^16.

use crate::duality::blocks::types::WindowEntry;
use crate::duality::isa::entry::{COUNT_BITS, entry};
use crate::duality::isa::field as at;
use crate::duality::params::SLOTS;
use crate::kernel::prelude::*;

numbers! {
    usize: AT_WAIT = at::WAIT.lsb, AT_BEFORE = entry::BEFORE_LSB, BEFORE_EACH = COUNT_BITS,
    AT_MEMORY = entry::MEMORY_LSB
}
const COUNT_SIGN: usize = COUNT_BITS - 1;

hdl_block! {
    /// The waits.
    pub DualityWaits {
        In word: WindowEntry; /// The word, of which not every bit matters here.
        Bus ended: [Signal<In, Bits<COUNT_BITS>>; SLOTS]; /// Words that have ended, of each window.
        In memory_ended: Bits<COUNT_BITS>; /// Words of memory that have.
        Out some: Bit; /// It waits for something, which may have ended.
        Out late: Bit; /// Something that it waits for has not ended, if there is one.
    } inside {
        Local mask: Bits<5>;
        Local lag: Bits<COUNT_BITS>;
        Local unused: WindowEntry;
    }
}

impl Logic for DualityWaits {
    #[hdl_gen]
    fn update(&mut self) {
        self.unused.next = self.word.val();
        self.mask.next = self.word.val().get_bits::<5>(AT_WAIT);
        self.some.next = self.mask.val() != 0;
        self.late.next = false;
        self.lag.next = 0.into();
        for k in 0..SLOTS {
            self.lag.next = self.ended[k].val() - self.word.val().get_bits::<COUNT_BITS>(AT_BEFORE + BEFORE_EACH * k);
            if self.mask.val().get_bit(k) & self.lag.val().get_bit(COUNT_SIGN) {
                self.late.next = true;
            }
        }
        self.lag.next = self.memory_ended.val() - self.word.val().get_bits::<COUNT_BITS>(AT_MEMORY);
        if self.mask.val().get_bit(SLOTS) & self.lag.val().get_bit(COUNT_SIGN) {
            self.late.next = true;
        }
    }

    described! {
        "duality_waits", "Whether a window's oldest word may begin."; AT_WAIT, AT_BEFORE, BEFORE_EACH, AT_MEMORY,
        COUNT_SIGN, SLOTS
    }
}
