//! Rows that fused multiplication and addition works on with two windows, besides those of products, by name.
//!
//! ```text
//!  scratch: rows of products, 17 of them behind the high rows │ flags, 4 │ second window, 2n − 1
//!  d: bits of the difference of the exponents, then low rows, as of products
//! ```
//!
//! The first window is the high rows, of which the last one takes the carry, and the low rows from row m − 3 of d up:
//! the product has 2n − 4 bits, three rows guard it. Row j of the second window is next to row j of these.

use crate::array::isa::linear::{Linear, Term};
use crate::array::isa::program::{Item, each, once};
use crate::array::isa::row::Operand::{D, E, S};
use crate::array::isa::row::{Address, Row};
use crate::array::isa::ucode::float_mul_rows::{Flag, distance, flag, low_top, passing, top};
use crate::array::isa::ucode::float_rows::{FRACTION, at, linear};

/// Behind the high rows: stages of the widest format, bits of its exponent.
const DISTANCE_AND_EXPONENT: u8 = 17;
/// First row of the second window.
const WINDOW: i16 = 8 + DISTANCE_AND_EXPONENT as i16 + Extra::Upper as i16 + 1;
/// Scratch rows.
pub(super) const SCRATCH: Linear = linear(3, Term::None, WINDOW - 1);

/// Scratch rows of one bit a column besides the flags of products.
#[derive(Clone, Copy)]
pub(super) enum Extra {
    /// Hidden bit of c.
    HiddenC,
    /// c is not flushed.
    CountsC,
    /// Upper bit of the distance, worth a number's bits.
    Far,
    /// The exponent's bit above its rows.
    Upper,
}

/// Such a flag's row.
pub(super) fn extra(flag: Extra) -> Address {
    at(distance(S.j()), DISTANCE_AND_EXPONENT + flag as u8)
}

/// Where rows are that programs with one window and with two have in different places.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// c is a number.
    pub(super) finite: Address,
    /// Hidden bit of b.
    pub(super) hidden_b: Address,
    /// Hidden bit of c.
    pub(super) hidden_c: Address,
    /// c is not flushed, if a row says so.
    pub(super) counts_c: Option<Address>,
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

impl Places {
    /// Of two windows.
    pub(super) fn two_windows() -> Places {
        Places {
            finite: passing(0),
            hidden_b: flag(Flag::HIDDEN_B),
            hidden_c: extra(Extra::HiddenC),
            counts_c: Some(extra(Extra::CountsC)),
            subtract: subtract(),
            upper: extra(Extra::Upper),
            product: window(S.j()),
            difference: D.j(),
            patched: [1, 2, 5].map(passing),
        }
    }

    /// The row that finds the sign of the difference, which has a row where there is room.
    pub(super) fn top_of_difference(self, row: Row) -> Row {
        if self.counts_c.is_some() { row.write(self.difference) } else { row }
    }
}

/// c is kept where it is, and the product moves.
pub(super) fn keeps() -> Address {
    flag(Flag::Below)
}

/// The product and c have different signs; then: and both are numbers.
pub(super) fn subtract() -> Address {
    flag(Flag::Bounded)
}

/// The second window from its row 0 up.
pub(super) fn window(index: Address) -> Address {
    index.plus(linear(1, Term::None, WINDOW))
}

/// The second window from the row behind its last one.
pub(super) fn window_top(index: Address) -> Address {
    index.plus(linear(3, Term::None, WINDOW - 1))
}

/// The fraction of c, for the index −2 in its top row, as in the windows.
pub(super) fn fraction_top() -> Address {
    E.j().plus(linear(1, Term::None, -2))
}

/// Rows of d from m − 1 up.
pub(super) fn low_out() -> Address {
    D.l().plus(linear(0, Term::M, -1))
}

/// What a row does in n − 1 rows and then.
pub(super) fn all_but_one(row: Row, last: Row) -> Vec<Item> {
    vec![each(FRACTION, row), once(row), once(last)]
}

/// Both windows from their tops down: the first window's high rows but the carry's, then its low rows.
pub(super) fn down(of: impl Fn(Address) -> Row) -> Vec<Item> {
    let (high, low) = (of(top(S.j())).down(), of(low_top(D.j())).down());
    let mut items = all_but_one(high, high);
    items.push(once(low));
    items.extend(all_but_one(low, low.rewind()));
    items
}

/// Both windows from row 0 up, for indices that begin with 1 − 2n.
pub(super) fn up(of: impl Fn(Address) -> Row) -> Vec<Item> {
    let (low, high) = (of(low_top(D.j())).up(), of(top(S.j())).up());
    let mut items = vec![once(low)];
    items.extend(all_but_one(low, low));
    items.extend(all_but_one(high, high));
    items
}
