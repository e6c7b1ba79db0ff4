//! A 32-bit register that software writes byte by byte.
//!
//! In a cycle with `write` = 1, byte b takes bits 8b to 8b + 7 of `data` if bit b of `strobes` is 1; `value` shows it
//! from the next cycle on. 0 after reset.

use crate::kernel::prelude::*;

hdl_block! {
    /// The register.
    pub AxilWord {
        In clock: Domain; /// Clock and reset.
        In write: Bit; /// Writes.
        In strobes: Bits<4>; /// Which bytes.
        In data: Bits<32>; /// What.
        Out value: Bits<32>; /// The register's value.
    } inside {
        Child bytes: [Register<Bits<8>>; 4]; // Its bytes.
    }
}

impl Logic for AxilWord {
    #[hdl_gen]
    fn update(&mut self) {
        for b in 0..4 {
            self.bytes[b].clock.next = self.clock.val();
            self.bytes[b].d.next = self.bytes[b].q.val();
            if self.write.val() & self.strobes.val().get_bit(b) {
                self.bytes[b].d.next = self.data.val().get_bits::<8>(8 * b);
            }
        }
        self.value.next = bit_cast::<32, 8>(self.bytes[0].q.val())
            | (bit_cast::<32, 8>(self.bytes[1].q.val()) << 8)
            | (bit_cast::<32, 8>(self.bytes[2].q.val()) << 16)
            | (bit_cast::<32, 8>(self.bytes[3].q.val()) << 24);
    }

    described! { "axil_word", "A register that is written byte by byte." }
}
