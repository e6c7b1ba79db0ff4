//! Puts a lane's result together from halves of the product. Combinational.
//!
//! With P the product of 3h bits, h half an element, in halves P0, P1, P2, lowest first:
//!
//! ```text
//!  choice   lower half, LEFT or RIGHT   ROTATE or COMPARE     upper half, LEFT or ROTATE   RIGHT or COMPARE
//!  0        P0                          P0 or P2              P1                           P1
//!  1        P1                          P1                    P0 or P2                     P2
//!  2        P2                          0                     -                            0
//!  3        0                           ones                  P0                           ones
//! ```
//!
//! A bit of the result is a function of three bits of the product, two of the choice and one of the place: one LUT.

use crate::ccs::blocks::types::{Shape, describes};
use crate::kernel::prelude::*;

/// Choices: two bits for the lower half; the upper half's are the same but for the lowest bit, which is the third.
pub mod choice {
    /// The product's low end.
    pub const STAY: u64 = 0;
    /// Half an element further up.
    pub const BY_HALF: u64 = 0b101;
    /// An element further up, and zeros.
    pub const FILL: u64 = 0b010;
    /// The same with ones.
    pub const FILL_ONES: u64 = 0b110;
    /// Half an element further down, or ones.
    pub const ALL: u64 = 0b111;
}

hdl_block! {
    /// The choice.
    pub CcsHalves {
        In product: Word<48, 1>; /// Product; what is above its three halves does not count.
        In place: Bits<2>; /// Field PLACE of the control word.
        In choice: Bits<3>; /// Choice.
        Out value: Bits<32>; /// Result.
    } inside {
        Local straight, crossed, over: Bits<32>;
        Local low_choice, high_choice: Bits<2>;
        Local lower, upper: Bits<32>;
        Value _g: Shape;
    }
}

impl Logic for CcsHalves {
    #[hdl_gen]
    fn update(&mut self) {
        self.straight.next = bits_to::<Bits<32>, Word<48, 1>>(self.product.val()) & self._g.ones;
        self.crossed.next =
            (self.straight.val() >> self._g.half) | ((self.straight.val() << self._g.half) & self._g.ones);
        self.over.next = bits_to::<Bits<32>, Word<48, 1>>(self.product.val() >> self._g.bits) & self._g.lower;
        // Either half has two sets of choices, of which the place names one.
        self.low_choice.next = bit_cast::<2, 3>(self.choice.val());
        self.lower.next = self.straight.val();
        if self.low_choice.val() == 1 {
            self.lower.next = self.crossed.val();
        }
        if self.low_choice.val() == 2 {
            self.lower.next = self.over.val();
        }
        if self.low_choice.val() == 3 {
            self.lower.next = 0.into();
        }
        if self.place.val().get_bit(1) {
            self.lower.next = self.straight.val() | self.over.val();
            if self.low_choice.val() == 1 {
                self.lower.next = self.crossed.val();
            }
            if self.low_choice.val() == 2 {
                self.lower.next = 0.into();
            }
            if self.low_choice.val() == 3 {
                self.lower.next = self._g.lower.into();
            }
        }
        self.high_choice.next = self.choice.val().get_bits::<2>(1);
        self.upper.next = self.straight.val();
        if self.high_choice.val() == 2 {
            self.upper.next = self.crossed.val() | (self.over.val() << self._g.half);
        }
        if self.high_choice.val() == 3 {
            self.upper.next = self.crossed.val();
        }
        if self.place.val().get_bit(0) {
            self.upper.next = self.straight.val();
            if self.high_choice.val() == 2 {
                self.upper.next = self.over.val() << self._g.half;
            }
            if self.high_choice.val() == 1 {
                self.upper.next = 0.into();
            }
            if self.high_choice.val() == 3 {
                self.upper.next = self._g.upper.into();
            }
        }
        self.value.next = (self.lower.val() & self._g.lower) | (self.upper.val() & self._g.upper);
    }

    describes!(block: format!("ccs_halves_{}", block._g.bits),
        "Puts a compute unit's result together from halves of the product.", []);
}
