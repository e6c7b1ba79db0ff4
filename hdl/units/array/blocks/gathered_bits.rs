//! Gathered bits: latches E, F, V and U of columns with radix 4 in rows that do not choose. They note while rows pass
//! what would take passes of its own: whether any bit was 1, or 0.
//!
//! ```text
//!  pass of a product ─▶ F: a 1 in the multiplicand; E: in the multiplier; V: in the product's low rows
//!  any other row     ─▶ E: a 1 on a; F: a 1 on b; U: a 0 on a; V: a 0 on b
//!  T, H              ◀─ what was gathered
//! ```
//!
//! F takes part in every row of a pass whose code is that of a pass, or of one that parks a bit; the others in rows
//! that *gather*: a bit of their own in the code of operand x. What they do is in the code of the second adder:
//!
//! | code | in rows that gather |
//! |---|---|
//! | off | E + a, F + b, U + ¬a, V + ¬b |
//! | pass | V + w |
//! | park | E + T + P + a |
//! | top | T, where it takes the next bit, takes U; H, where it loads, takes V; E, F and V become 0 |
//! | top, q complemented | T takes E, H takes F |
//! | z complemented | a row of a pass of two bits: T takes T + a, H takes U |
//! | the same, a bit waits | the lowest row of such a pass for a quotient: T the same, H takes next · ¬b |
//! | top, z complemented | the first row of such a pass for a root: T the same, H takes P |
//!
//! In a pass of two bits the remainder R becomes 4R less twice the divisor's multiple by P and once that by T, each of
//! which is the divisor (1) or its negative (0). E and F carry in 2R − b and in 2R + b, R being what is written, with V
//! for the bit of the row before: E takes the majority of V, ¬b and E, F that of V, b and F, V takes w. Behind the row
//! with the sign, whose complement P takes, the *next* bit is E where P is 1, else F. U takes U + b. The lowest row of
//! a quotient's pass is b in R, and begins with it: E takes ¬b, F 0, V b. The first row of a root's pass has two lower
//! ones behind it, both 1, and the next bit in the row that follows: E takes ¬next, F next, V 1.
//!
//! Where P takes a, it takes w instead in rows that gather by any of the last five codes but the very last. U takes
//! what P had if the code is that of a pass and the row chooses, or if it is that of a top row and the row gathers:
//! then it is the upper bit of the number by which rows choose. Wherever else P takes something, U becomes 0.
//!
//! One block serves all columns. Combinational: outputs follow in the same cycle.
//!
//! Sources: ours.

use crate::array::isa::uop::*;
use crate::kernel::prelude::*;

hdl_block! {
    /// The gathered bits of all columns.
    pub GatheredBits<W: RowWord> {
        In chooses: Bit; /// The row chooses.
        In gathers: Bit; /// It gathers.
        In takes: Bit; /// P takes a.
        In second: Bits<SECOND_BITS>; /// What the second adder does.
        In a, b, w: W; /// The sensed bits, and what goes back to the row.
        In predicate, tag: W; /// Latches P and T.
        In multiplier, multiplicand, rest, zero: W; /// Latches E, F, V and U.
        Out multiplier_next, multiplicand_next, rest_next, zero_next: W; /// What they take.
        Out gives: Bit; /// T, where it takes the next bit, and H, where it loads, take what was gathered:
        Out tag_next, hold_next: W; /// T and H then.
        Out signs: Bit; /// P, where it takes a, takes w.
    } inside {
        Local none, next: W;
    }
}

impl<W: RowWord> Logic for GatheredBits<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.multiplier_next.next = self.multiplier.val();
        self.multiplicand_next.next = self.multiplicand.val();
        self.rest_next.next = self.rest.val();
        self.zero_next.next = self.zero.val();
        if (self.second.val() == SECOND_PASS) | (self.second.val() == SECOND_PARK) {
            self.multiplicand_next.next = self.multiplicand.val() | self.b.val();
        }
        self.none.next = 0.into();
        self.next.next =
            (self.predicate.val() & self.multiplier.val()) | (!self.predicate.val() & self.multiplicand.val());
        self.gives.next = false;
        self.signs.next = false;
        self.tag_next.next = self.zero.val();
        self.hold_next.next = self.rest.val();
        if self.second.val() == SECOND_TOP_NOT_Q {
            self.tag_next.next = self.multiplier.val();
            self.hold_next.next = self.multiplicand.val();
        } else if self.second.val() != SECOND_TOP {
            self.tag_next.next = self.tag.val() | self.a.val();
            self.hold_next.next = self.zero.val();
            if self.second.val() == SECOND_NOT_PARK {
                self.hold_next.next = self.next.val() & !self.b.val();
            } else if self.second.val() == SECOND_NOT_TOP {
                self.hold_next.next = self.predicate.val();
            }
        }
        if self.gathers.val() {
            if self.second.val() == SECOND_OFF {
                self.multiplier_next.next = self.multiplier.val() | self.a.val();
                self.multiplicand_next.next = self.multiplicand.val() | self.b.val();
                self.zero_next.next = self.zero.val() | !self.a.val();
                self.rest_next.next = self.rest.val() | !self.b.val();
            } else if self.second.val() == SECOND_PASS {
                self.rest_next.next = self.rest.val() | self.w.val();
            } else if self.second.val() == SECOND_PARK {
                self.multiplier_next.next =
                    self.multiplier.val() | self.tag.val() | self.predicate.val() | self.a.val();
            } else if self.second.val() == SECOND_NOT_PASS {
                self.gives.next = true;
                self.signs.next = true;
                self.multiplier_next.next =
                    (self.rest.val() & !self.b.val()) | (self.multiplier.val() & (self.rest.val() | !self.b.val()));
                self.multiplicand_next.next =
                    (self.rest.val() & self.b.val()) | (self.multiplicand.val() & (self.rest.val() | self.b.val()));
                self.rest_next.next = self.w.val();
                self.zero_next.next = self.zero.val() | self.b.val();
            } else if self.second.val() == SECOND_NOT_PARK {
                self.gives.next = true;
                self.signs.next = true;
                self.multiplier_next.next = !self.b.val();
                self.multiplicand_next.next = 0.into();
                self.rest_next.next = self.b.val();
                self.zero_next.next = self.zero.val() | self.b.val();
            } else if self.second.val() == SECOND_NOT_TOP {
                self.gives.next = true;
                self.multiplier_next.next = !self.next.val();
                self.multiplicand_next.next = self.next.val();
                self.rest_next.next = !self.none.val();
            } else {
                self.gives.next = true;
                self.signs.next = true;
                if self.second.val() == SECOND_TOP {
                    self.multiplier_next.next = 0.into();
                    self.multiplicand_next.next = 0.into();
                    self.rest_next.next = 0.into();
                }
            }
        }
        if self.takes.val() {
            self.zero_next.next = 0.into();
            if (self.chooses.val() & (self.second.val() == SECOND_PASS))
                | (self.gathers.val() & (self.second.val() == SECOND_TOP))
            {
                self.zero_next.next = self.predicate.val();
            }
        }
    }

    described! {
        "gathered_bits", "What columns note while rows pass (radix 4); column k is bit k."; ; ; ;
        Second::CONSTANTS
    }
}
