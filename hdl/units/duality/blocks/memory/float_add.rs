//! Sum of two binary32 numbers, as IEEE 754 has it: to the nearest, ties to even; NaN is 7fc00000. Subnormal numbers
//! are kept, or with `flush` = 1 taken, and given, as zeros of their sign; `flush` stays while `busy` = 1.
//!
//! `start` = 1 for a cycle takes both; `busy` = 1 from the next cycle on until `result` holds the sum. A cycle each for
//! the distance of the exponents, alignment, sum and rounding, and one for each place that the sum is shifted up: 5 to
//! 30 in all. Few threads add at a time, so that size counts more here.

use crate::kernel::prelude::*;

// What is done.
numbers! { IDLE = 0, ALIGN = 1, SUM = 2, SHIFT = 3, ROUND = 4, APART = 5 }
numbers! { NAN = 0x7fc0_0000u32, INFINITY = 0x7f80_0000u32, ALL_ONES = 255, FAR = 31 }
/// A significand with its hidden bit, three bits behind it, and room for a carry.
type Significand = Bits<28>;

hdl_block! {
    /// The adder.
    pub DualityFloatAdd {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// A sum begins.
        In a, b: Bits<32>; /// The numbers.
        In flush: Bit; /// Subnormal numbers are zeros.
        Out busy: Bit; /// It is not there.
        Out result: Bits<32>; /// The sum.
    } inside {
        Register state: Bits<3>; // What is done.
        Register large, small: Bits<32>; // The number of the larger magnitude, and the other.
        Register exponent: Bits<9>; // That of the larger one.
        Register x, y: Significand; // Theirs, the smaller one aligned; then the sum in x.
        Register sum: Bits<32>; // The sum.
        Local swaps, special, same, up, sticky, either: Bit;
        Local top_large, top_small: Bits<8>;
        Local distance: Bits<8>;
        Pipe by: Bits<5>; // Places by which the smaller one is aligned.
        Local aligned, lost, ones: Significand;
        Local rounded: Bits<25>;
        Local scale: Bits<9>;
        Local first, second, magnitude: Bits<32>;
    }
}

impl Logic for DualityFloatAdd {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, large, small, exponent, x, y, sum, by);
        self.busy.next = self.state.q.val() != IDLE;
        self.result.next = self.sum.q.val();
        self.ones.next = 0.into();
        self.ones.next = !self.ones.val();
        self.swaps.next = self.a.val().get_bits::<31>(0) < self.b.val().get_bits::<31>(0);
        self.first.next = self.a.val();
        self.second.next = self.b.val();
        if self.swaps.val() {
            self.first.next = self.b.val();
            self.second.next = self.a.val();
        }
        self.top_large.next = self.large.q.val().get_bits::<8>(23);
        self.top_small.next = self.small.q.val().get_bits::<8>(23);
        self.same.next = self.large.q.val().get_bit(31) == self.small.q.val().get_bit(31);
        // A subnormal number has the exponent of the smallest normal one, and no hidden bit.
        self.distance.next = self.top_large.val() - self.top_small.val();
        if (self.top_small.val() == 0) & (self.top_large.val() != 0) {
            self.distance.next = self.top_large.val() - 1;
        }
        self.by.d.next = self.distance.val().get_bits::<5>(0);
        if self.distance.val() > FAR {
            self.by.d.next = FAR.into();
        }
        self.aligned.next = self.y.q.val() >> self.by.q.val();
        self.lost.next = self.y.q.val() & !(self.ones.val() << self.by.q.val());
        self.sticky.next = self.lost.val() != 0;
        self.special.next = self.top_large.val() == ALL_ONES;
        self.either.next = self.x.q.val().get_bit(0) | self.x.q.val().get_bit(1);
        // Behind the last place: the half, and whether anything is behind it.
        self.up.next = self.x.q.val().get_bit(2) & (self.either.val() | self.x.q.val().get_bit(3));
        self.rounded.next = self.x.q.val().get_bits::<25>(3) + bits_to::<Bits<25>, Bit>(self.up.val());
        self.scale.next = self.exponent.q.val();
        if self.rounded.val().get_bit(24) {
            self.scale.next = self.exponent.q.val() + 1;
        }
        if !self.rounded.val().get_bit(24) & !self.rounded.val().get_bit(23) {
            self.scale.next = 0.into();
        }
        self.magnitude.next =
            (bit_cast::<32, 9>(self.scale.val()) << 23) | bit_cast::<32, 23>(self.rounded.val().get_bits::<23>(0));
        if self.scale.val() >= ALL_ONES {
            self.magnitude.next = INFINITY.into();
        }
        if self.flush.val() & (self.scale.val() == 0) {
            self.magnitude.next = 0.into();
        }
        if self.state.q.val() == IDLE {
            if self.start.val() {
                self.large.d.next = self.first.val();
                self.small.d.next = self.second.val();
                // With the exponent 0 a number is subnormal, or zero.
                self.x.d.next = bit_cast::<28, 23>(self.first.val().get_bits::<23>(0)) << 3;
                if self.flush.val() {
                    self.x.d.next = 0.into();
                }
                if self.first.val().get_bits::<8>(23) != 0 {
                    self.x.d.next = (bit_cast::<28, 23>(self.first.val().get_bits::<23>(0)) << 3).replace_bit(26, true);
                }
                self.y.d.next = bit_cast::<28, 23>(self.second.val().get_bits::<23>(0)) << 3;
                if self.flush.val() {
                    self.y.d.next = 0.into();
                }
                if self.second.val().get_bits::<8>(23) != 0 {
                    self.y.d.next =
                        (bit_cast::<28, 23>(self.second.val().get_bits::<23>(0)) << 3).replace_bit(26, true);
                }
                self.state.d.next = APART.into();
            }
        } else if self.state.q.val() == APART {
            self.state.d.next = ALIGN.into();
        } else if self.state.q.val() == ALIGN {
            self.y.d.next = self.aligned.val();
            if self.sticky.val() {
                self.y.d.next = self.aligned.val().replace_bit(0, true);
            }
            self.exponent.d.next = bit_cast::<9, 8>(self.top_large.val());
            if self.top_large.val() == 0 {
                self.exponent.d.next = 1.into();
            }
            self.state.d.next = SUM.into();
            if self.special.val() {
                self.state.d.next = IDLE.into();
                self.sum.d.next = self.large.q.val();
                if (self.large.q.val().get_bits::<23>(0) != 0)
                    | ((self.top_small.val() == ALL_ONES)
                        & ((self.small.q.val().get_bits::<23>(0) != 0) | !self.same.val()))
                {
                    self.sum.d.next = NAN.into();
                }
            }
        } else if self.state.q.val() == SUM {
            self.x.d.next = self.x.q.val() - self.y.q.val();
            if self.same.val() {
                self.x.d.next = self.x.q.val() + self.y.q.val();
            }
            self.state.d.next = SHIFT.into();
        } else if self.state.q.val() == SHIFT {
            self.state.d.next = ROUND.into();
            if self.x.q.val().get_bit(27) {
                self.x.d.next = (self.x.q.val() >> 1).replace_bit(0, self.either.val());
                self.exponent.d.next = self.exponent.q.val() + 1;
            } else if !self.x.q.val().get_bit(26) & (self.exponent.q.val() != 1) & (self.x.q.val() != 0) {
                self.x.d.next = self.x.q.val() << 1;
                self.exponent.d.next = self.exponent.q.val() - 1;
                self.state.d.next = SHIFT.into();
            }
        } else {
            self.state.d.next = IDLE.into();
            self.sum.d.next = self.magnitude.val();
            if self.large.q.val().get_bit(31) & ((self.x.q.val() != 0) | self.same.val()) {
                self.sum.d.next = self.magnitude.val().replace_bit(31, true);
            }
        }
    }

    described! {
        "duality_float_add", "Sum of two binary32 numbers.";
        IDLE, ALIGN, SUM, SHIFT, ROUND, APART, NAN, INFINITY, ALL_ONES, FAR
    }
}
