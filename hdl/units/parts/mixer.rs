//! Mixer: the next value of a pseudo-random sequence of 64 bits, by three shifts and exclusive ors (period 2^64 - 1; 0
//! stays 0).

use crate::kernel::prelude::*;

hdl_block! {
    /// The mixer.
    pub Mixer {
        In x: Word<64, 1>; /// A value.
        Out y: Word<64, 1>; /// The next one.
    } inside {
        Local first, second: Word<64, 1>;
    }
}

impl Logic for Mixer {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.next = self.x.val() ^ (self.x.val() << 13);
        self.second.next = self.first.val() ^ (self.first.val() >> 7);
        self.y.next = self.second.val() ^ (self.second.val() << 17);
    }

    described! { "mixer", "The next value of a pseudo-random sequence." }
}
