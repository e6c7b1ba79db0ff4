//! What a command's constant row holds, and what its result is combined with. Combinational.
//!
//! A command that flips (see [`Flip`](crate::ccs::Flip)) has its flip in the row in the constant's place.

use crate::ccs::blocks::types::{Shape, describes};
use crate::kernel::prelude::*;

hdl_block! {
    /// The block.
    pub CcsConstantRow {
        In flips: Bits<3>; /// Of its word: it flips; bits below the sign, and the sign, are 1 then.
        In constant: Bits<32>; /// The constant; bits above an element do not count.
        Out word: Bits<32>; /// The row's element, once for each element of a word.
        Out flip: Bits<32>; /// What a reduction's result is combined with.
    } inside {
        Local flip_value, element, pair: Bits<32>;
        Value _g: Shape;
    }
}

impl Logic for CcsConstantRow {
    #[hdl_gen]
    fn update(&mut self) {
        self.flip_value.next = 0.into();
        if self.flips.val().get_bit(1) {
            self.flip_value.next = self._g.below.into();
        }
        if self.flips.val().get_bit(2) {
            self.flip_value.next = self.flip_value.val() | self._g.sign_bit;
        }
        self.element.next = self.constant.val() & self._g.ones;
        if self.flips.val().get_bit(0) {
            self.element.next = self.flip_value.val();
        }
        self.pair.next = self.element.val();
        if self._g.byte {
            self.pair.next = self.element.val() | (self.element.val() << 8);
        }
        self.word.next = self.pair.val();
        if self._g.narrow {
            self.word.next = self.pair.val() | (self.pair.val() << 16);
        }
        self.flip.next = self.flip_value.val();
    }

    describes!(block: format!("ccs_constant_row_{}", block._g.bits),
        "What a command's constant row holds.", []);
}
