//! A lane of the compute unit: both levels of a command for one element.
//!
//! ```text
//!  t+1   a, b from the RAM
//!  t+2   a, b, addend            addend = a for sums and differences, else 0
//!  t+3   r, less, factor         r = addend + (function of a, b ⊕ addend) + carry; factor = b or a power of two
//!  t+4   low product             r · m in three parts of 17 bits, a stage each: three multipliers in a cascade;
//!  t+5   high · low, sum         m = factor, r, -1 or 0; to the first product b is added, or nothing
//!  t+6   low · high, sum         beside them the comparison and the choice of the result
//!  t+7   product, choice
//!  t+8   y
//! ```
//!
//! Source: Vieira et al., §II: levels L0 and L1. Shifts and rotations go through the multiplier: with an element's half
//! h, r · 2^(n mod h) has r shifted by n, give or take whole halves, in its 3h bits, and every half of the result is
//! one of three halves of the product, or the OR of two of them. A shift to the right by n is one to the left by the
//! element's bits less n, taken from a word further up. Whatever else a command does goes through the multiplier by 1.
//! The smaller and the greater of a and b are (a - b) · 1 + b or (a - b) · 0 + b: the multiplier's own adder adds b,
//! and the choice takes no logic of its own.
//!
//! `idle` counts in cycle t + 2; with 1, r is 0, and so is y unless the command compares, or chooses: then y may be
//! ones, or b, and only maps do that. Elements of fewer than 32 bits are in the low bits, with zeros above them in y,
//! and anything in a and b; their parts of the product above the first are 0. Of the registers only those that would
//! become shift registers are reset.

use crate::ccs::blocks::first_level::{CcsFirstLevel, FIRST_CONTROL_BITS};
use crate::ccs::blocks::halves::{CcsHalves, choice::*};
use crate::ccs::blocks::types::{Shape, describes};
use crate::ccs::control::place::*;
use crate::ccs::control::*;
use crate::kernel::prelude::*;

/// What lanes get of the unit's control word.
pub type LaneControl = Bits<LANE_CONTROL_BITS>;

/// Bits of a factor's low part.
const LOW_BITS: u64 = 17;
const LOW_ONES: u64 = (1 << LOW_BITS) - 1;

hdl_block! {
    /// A lane.
    pub CcsLane {
        In clock: Domain; /// Clock and reset.
        In control: LaneControl; /// What the unit does.
        In idle: Bit; /// The element does not count, cycle t + 2.
        In a, b: Bits<32>; /// First operand, cycle t + 1. Second operand.
        Out y: Bits<32>; /// Result, cycle t + 8.
    } inside {
        Pipe first, second: Bits<32>; // First operand. Second operand.
        Pipe addend: Bits<32>; // First operand of sums and differences, else 0.
        Pipe r: Word<33, 1>; // The first level's result, and above the element how a and b compare.
        Pipe factor: Bits<32>; // b, or a power of two.
        Pipe turned, still: Bit; // The shift is by half an element more. It is to the right by 0.
        Child added: Array<Pipe<Bits<32>>, 2>; // b where it is added to the product, else 0, and a cycle later.
        Pipe low_product: Integer<36>; // Low part by low part.
        Pipe high_r, low_m: Word<18, 1>; // High part of r. Low part of m.
        Child low_r: Array<Pipe<Word<18, 1>>, 2>; // Low part of r, and a cycle later.
        Child high_m: Array<Pipe<Word<18, 1>>, 2>; // High part of m, and a cycle later.
        Pipe middle_product, high_product: Word<31, 1>; // High part by low part. Low part by high part.
        Pipe sum_0: Word<48, 1>; // Sum of the first product.
        Pipe sum_1, sum_2: Word<31, 1>; // Of two, above the lowest 17 bits. Of three, above the lowest 17 bits.
        Child lowest: Array<Pipe<Word<17, 1>>, 2>; // The lowest 17 bits.
        Child negative: Array<Register<Bit>, 3>; // r is negative, and that matters.
        Child flag, none: Array<Register<Bit>, 3>; // Comparison's result, or turned. The shift is to the right by 0.
        Pipe choice: Bits<3>; // Choice of the result.
        Pipe result: Bits<32>; // Result.
        Child first_level: CcsFirstLevel; // Its first level.
        Child halves: CcsHalves; // The choice of its result.
        Local place: Bits<2>;
        Local amount, pairs, fours, all, exponent: Bits<5>;
        Local one, element: Bits<32>;
        Local less: Bit;
        Local m: Bits<32>;
        Local sign: Bit;
        Local r_low, r_high, m_low: Word<18, 1>;
        Local first_product, second_product, third_product: Integer<36>;
        Local sum_of_low: Integer<48>;
        Local product: Word<48, 1>;
        Value _g: Shape;
    }
}

impl Logic for CcsLane {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, second, addend, r, factor, turned, still, low_product, high_r);
        dff_setup!(self, clock, low_m, middle_product, high_product, sum_0, sum_1, sum_2, choice);
        dff_setup!(self, clock, result, added, low_r, high_m, lowest, negative, flag, none);
        self.one.next = 1.into();
        self.place.next = self.control.val().get_bits::<2>(PLACE);
        // t + 1: operands.
        self.first.d.next = self.a.val() & self._g.ones;
        self.second.d.next = self.b.val() & self._g.ones;
        self.addend.d.next = self.a.val() & self._g.ones;
        if !self.control.val().get_bit(ADD_A) {
            self.addend.d.next = 0.into();
        }
        // t + 2: first level.
        self.first_level.control.next = bit_cast::<FIRST_CONTROL_BITS, LANE_CONTROL_BITS>(self.control.val());
        self.first_level.a.next = self.first.q.val();
        self.first_level.b.next = self.second.q.val();
        self.first_level.addend.next = self.addend.q.val();
        self.r.d.next = self.first_level.sum.val();
        if self.idle.val() {
            self.r.d.next = 0.into();
        }
        // The second factor.
        self.amount.next = bits_to::<Bits<5>, Bits<32>>(self.second.q.val()) & self._g.sign;
        if !self.control.val().get_bit(SHIFT) {
            self.amount.next = 0.into();
        }
        self.still.d.next = !self.amount.val().any();
        self.pairs.next = self.amount.val() | (self.amount.val() << 1);
        self.fours.next = self.pairs.val() | (self.pairs.val() << 2);
        self.all.next = (self.fours.val() | (self.fours.val() << 4)) << 1;
        self.exponent.next = self.amount.val();
        if self.control.val().get_bit(BACKWARD) {
            self.exponent.next = self.amount.val() ^ (self.all.val() & self._g.sign);
        }
        self.turned.d.next = (self.exponent.val() & self._g.half).any();
        self.factor.d.next = self.one.val() << (self.exponent.val() & self._g.half_mask);
        if self.control.val().get_bit(MULTIPLY) {
            self.factor.d.next = self.second.q.val();
        }
        self.added[0].d.next = 0.into();
        if self.control.val().get_bit(CHOOSE) {
            self.added[0].d.next = self.second.q.val();
        }
        // t + 3: the multiplier's operands.
        self.element.next = bits_to::<Bits<32>, Word<33, 1>>(self.r.q.val()) & self._g.ones;
        self.less.next = (self.r.q.val() & self._g.carry.into()).any();
        self.m.next = self.factor.q.val();
        if self.control.val().get_bit(DISTANCE) & self.less.val() {
            self.m.next = self._g.ones.into();
        }
        if self.control.val().get_bit(CHOOSE) & !(self.control.val().get_bit(DISTANCE) ^ self.less.val()) {
            self.m.next = 0.into();
        }
        if self.control.val().get_bit(SQUARE) {
            self.m.next = self.element.val();
        }
        self.sign.next = self.control.val().get_bit(SIGNED_FACTOR) & (self.element.val() >> self._g.sign).get_bit(0);
        self.r_low.next = bits_to::<Word<18, 1>, Bits<32>>(self.element.val() & LOW_ONES);
        self.r_high.next = bits_to::<Word<18, 1>, Bits<32>>(self.element.val() >> LOW_BITS);
        if self.sign.val() {
            self.r_low.next = bits_to::<Word<18, 1>, Bits<32>>(self.element.val() & LOW_ONES) | self._g.low_sign.into();
            self.r_high.next =
                bits_to::<Word<18, 1>, Bits<32>>(self.element.val() >> LOW_BITS) | self._g.high_sign.into();
        }
        self.m_low.next = bits_to::<Word<18, 1>, Bits<32>>(self.m.val() & LOW_ONES);
        self.first_product.next = signed_cast_word(self.r_low.val()) * signed_cast_word(self.m_low.val());
        self.low_product.d.next = self.first_product.val();
        self.high_r.d.next = self.r_high.val();
        self.low_m.d.next = bits_to::<Word<18, 1>, Bits<32>>(self.m.val() & LOW_ONES);
        self.low_r[0].d.next = bits_to::<Word<18, 1>, Bits<32>>(self.element.val() & LOW_ONES);
        self.high_m[0].d.next = bits_to::<Word<18, 1>, Bits<32>>((self.m.val() & self._g.ones) >> LOW_BITS);
        self.negative[0].d.next = self.sign.val();
        self.flag[0].d.next = self.turned.q.val();
        if self.place.val() == COMPARE {
            self.flag[0].d.next = self.less.val() ^ self.control.val().get_bit(OPPOSITE);
        }
        self.none[0].d.next = self.still.q.val();
        self.added[1].d.next = 0.into();
        if self.control.val().get_bit(CHOOSE) {
            self.added[1].d.next = self.added[0].q.val();
        }
        // t + 4.
        self.low_r[1].d.next = self.low_r[0].q.val();
        self.high_m[1].d.next = self.high_m[0].q.val();
        self.second_product.next = signed_cast_word(self.high_r.q.val()) * signed_cast_word(self.low_m.q.val());
        self.middle_product.d.next =
            bits_to::<Word<31, 1>, Word<36, 1>>(unsigned_cast_integer(self.second_product.val()));
        self.sum_of_low.next = signed_bit_cast_integer(self.low_product.q.val());
        self.sum_0.d.next =
            unsigned_cast_integer(self.sum_of_low.val()) + bits_to::<Word<48, 1>, Bits<32>>(self.added[1].q.val());
        self.negative[1].d.next = self.negative[0].q.val();
        self.none[1].d.next = self.none[0].q.val();
        self.flag[1].d.next = self.flag[0].q.val();
        // t + 5.
        self.third_product.next = signed_cast_word(self.low_r[1].q.val()) * signed_cast_word(self.high_m[1].q.val());
        self.high_product.d.next = bits_to::<Word<31, 1>, Word<36, 1>>(unsigned_cast_integer(self.third_product.val()));
        self.sum_1.d.next =
            self.middle_product.q.val() + bits_to::<Word<31, 1>, Word<48, 1>>(self.sum_0.q.val() >> LOW_BITS);
        self.lowest[0].d.next = bits_to::<Word<17, 1>, Word<48, 1>>(self.sum_0.q.val());
        self.negative[2].d.next = self.negative[1].q.val();
        self.none[2].d.next = self.none[1].q.val();
        self.flag[2].d.next = self.flag[1].q.val();
        // t + 6: where the result's halves come from.
        self.sum_2.d.next = self.high_product.q.val() + self.sum_1.q.val();
        self.lowest[1].d.next = self.lowest[0].q.val();
        self.choice.d.next = STAY.into();
        if (self.place.val() == LEFT) & self.flag[2].q.val() {
            self.choice.d.next = ALL.into();
        }
        if (self.place.val() == RIGHT) & !self.none[2].q.val() {
            self.choice.d.next = FILL.into();
            if self.negative[2].q.val() {
                self.choice.d.next = FILL_ONES.into();
            }
            if self.flag[2].q.val() {
                self.choice.d.next = BY_HALF.into();
            }
        }
        if (self.place.val() == ROTATE) & self.flag[2].q.val() {
            self.choice.d.next = BY_HALF.into();
        }
        if self.place.val() == COMPARE {
            self.choice.d.next = FILL.into();
            if self.flag[2].q.val() {
                self.choice.d.next = ALL.into();
            }
        }
        // t + 7: the result.
        self.product.next = (bits_to::<Word<48, 1>, Word<31, 1>>(self.sum_2.q.val()) << LOW_BITS)
            | bits_to::<Word<48, 1>, Word<17, 1>>(self.lowest[1].q.val());
        self.halves.product.next = self.product.val();
        self.halves.place.next = self.place.val();
        self.halves.choice.next = self.choice.q.val();
        self.result.d.next = self.halves.value.val();
        self.y.next = self.result.q.val();
    }

    describes!(block: format!("ccs_lane_{}", block._g.bits),
        "Lane of a compute unit: adder and logic, multiplier with shifts, comparison.",
        [ADD_A, MULTIPLY, SHIFT, BACKWARD, SQUARE, DISTANCE, SIGNED_FACTOR, PLACE, OPPOSITE, CHOOSE, LEFT, RIGHT,
        ROTATE, COMPARE, STAY, BY_HALF, FILL, FILL_ONES, ALL, LOW_BITS, LOW_ONES]);
}
