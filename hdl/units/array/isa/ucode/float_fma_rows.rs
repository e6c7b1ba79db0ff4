//! Rows that fused multiplication and addition works on, besides those of products, by name.
//!
//! ```text
//!  d: hidden bit of c │ another sign │ hidden bit of b │ … │ row m: the product's lowest bit │ …
//!  scratch: rows of products. High row 1 has bit 0 of what the product is added to, the flag below high row 0 bit −2.
//! ```
//!
//! Flags have other uses than in products for a while: HIDDEN_A, when it is not needed any more, says that c lost bits,
//! and the row for rounding away from zero is the exponent's bit above its rows.

use crate::array::isa::linear::{Linear, Term};
use crate::array::isa::program::{Item, each, once};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, Row};
use crate::array::isa::ucode::float_mul_rows::{FLAGS, Flag, flag, high_from_one, passing, top_bit};
use crate::array::isa::ucode::float_rows::{FRACTION, linear};

/// What programs differ by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Formats without infinities, whose exponents have four bits.
    E4M3,
    /// No bit of what goes down by a number's bits stays in the window.
    E5M2,
    /// Half of a number's bits is more than a fraction has.
    Bf16,
    /// All others.
    Other,
}

impl Kind {
    /// The product and c have different signs, until their magnitude is there.
    pub(super) fn subtract(self) -> Address {
        // With four bits of an exponent d has too few rows below the product, and the distance has rows to spare.
        if self == Kind::E4M3 { passing(3) } else { D.at(1) }
    }

    /// Hidden bit of b, from where c is in its rows.
    pub(super) fn hidden_b(self) -> Address {
        if self == Kind::E4M3 { passing(4) } else { D.at(2) }
    }

    /// By how many rows half of a number's bits is more than a fraction has: as many of those that c moves to have
    /// nothing above them in the first stage.
    pub(super) fn beyond(self) -> usize {
        match self {
            Kind::E4M3 | Kind::Bf16 => 1,
            Kind::E5M2 => 2,
            Kind::Other => 0,
        }
    }

    /// What the first part works on.
    pub(super) fn places(self) -> Places {
        Places {
            finite: passing(5),
            hidden_b: flag(Flag::Bounded),
            hidden_c: D.at(0),
            subtract: self.subtract(),
            upper: flag(Flag::Away),
            product: acc(S.j()),
            difference: low(D.j()),
            patched: [passing(if self == Kind::E4M3 { 2 } else { 3 }), passing(4), flag(Flag::Away)],
        }
    }
}

/// Where rows are that programs have in different places.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// c is a number.
    pub(super) finite: Address,
    /// Hidden bit of b.
    pub(super) hidden_b: Address,
    /// Hidden bit of c.
    pub(super) hidden_c: Address,
    /// The product and c have different signs.
    pub(super) subtract: Address,
    /// The exponent's bit above its rows.
    pub(super) upper: Address,
    /// From the lowest bit of the product's exponent up.
    pub(super) product: Address,
    /// From the lowest bit of the difference of the exponents up.
    pub(super) difference: Address,
    /// Lowest bits of the exponents of a, b and c, of subnormal numbers 1.
    pub(super) patched: [Address; 3],
}

/// c is kept where it is, and the product moves.
pub(super) fn keeps() -> Address {
    flag(Flag::Below)
}

/// First stride: half of a number's bits.
pub(super) const STRIDE: Linear = Linear { n: 1, term: Term::M, constant: -2, shift: 1 };

/// High rows from two below the product up that c comes to where it goes down by a number's bits.
pub(super) const ROWS_ABOVE: Linear = linear(1, Term::MinusM, -1);

/// c goes down by a number's bits before anything else.
pub(super) fn far() -> Address {
    top_bit()
}

/// c lost a bit, while the product is added.
pub(super) fn lost_of_c() -> Address {
    top_bit()
}

/// The same behind the product.
pub(super) fn lost() -> Address {
    flag(Flag::HIDDEN_A)
}

/// Two rows below the lowest bit of what the product is added to.
pub(super) fn guard() -> Address {
    flag(Flag::Bounded)
}

/// All bits of c above its rows.
pub(super) fn above_c() -> Address {
    flag(Flag::Bounded)
}

/// High rows from two below what the product is added to up.
pub(super) fn from_guard(index: Address) -> Address {
    index.plus(Flag::Bounded as i16)
}

/// High rows by the bit of what the product is added to.
pub(super) fn acc(index: Address) -> Address {
    high_from_one(index)
}

/// Low rows by the bit of c and 2, from bit n − 2 up, while it goes down.
pub(super) fn above(index: Address) -> Address {
    index.plus(linear(-1, Term::M, 1))
}

/// Low rows from three below the product's lowest bit up.
pub(super) fn low(index: Address) -> Address {
    index.plus(linear(0, Term::M, -3))
}

/// High rows, for an index that goes on from these.
pub(super) fn over(index: Address) -> Address {
    index.plus(linear(-1, Term::None, FLAGS))
}

/// Bits of a by the index of the low row that the pass before reads.
pub(super) fn multiplier(index: Address) -> Address {
    index.plus(-3)
}

/// The same with two bits in a pass, which reads a bit of c beside each.
pub(super) fn multiplier_of_two(index: Address) -> Address {
    index.plus(-2)
}

/// What a row does in n − 1 rows and then.
pub(super) fn all_but_one(row: Row, last: Row) -> Vec<Item> {
    vec![each(FRACTION, row), once(row), once(last)]
}
