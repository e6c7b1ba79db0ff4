//! The quotient of significands by restoring division (Neural Cache, ISCA 2018; Duality Cache, ISCA 2019, §3.1.1 and
//! §3.1.2), in the set `baseline`: each pass compares twice the remainder with the divisor, and takes the divisor away
//! in the columns where that is not negative; where there are none, which is also so when all remainders are zero, it
//! is left out.
//!
//! Rows are those of the quotient that does not restore ([`float_div`](super::float_div)): a remainder is a row further
//! down in every pass, and the row that it leaves at its top takes the bit of the quotient.

use crate::array::isa::program::{Item, each, once, outer};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{OffsetAction, Row, Token, row};
use crate::array::isa::ucode::float_quotient_rows::*;
use crate::array::isa::ucode::float_rows::{FRACTION, chain};
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// The bits of the quotient behind its leading 1; the first remainder is there. T: bit of the quotient. I becomes
/// 3 − n; C is 1 behind it, as of a remainder that is not negative.
pub(super) fn bits() -> Vec<Item> {
    let (here, by) = (remainder(S.k()), divisor(D.j()));
    let carries = |row: Row| row.carry_next(Next::Majority);
    // C: twice the remainder is not less. Its lowest bit is 0, and the divisor has no bit at its top row.
    let compares = carries(row().b(by).y(Y::NotB)).up();
    let top = carries(row().a(here).x(X::A).y(Y::NotB));
    let bit = row().write(here).tag(TagAction::W).carry_next(Next::One).rewind();
    // Where T is 0 the row stays, and C is 1.
    let takes = chain(row().b(by).y(Y::NotTB)).write(here).up();
    let taken = vec![once(takes), each(FRACTION, takes.a(here).x(X::A).rewind())];
    let pass = vec![
        once(row().majority().write(here)),
        once(compares),
        each(FRACTION, compares.a(here).x(X::A)),
        once(top),
        Item::IfAnyTag(bit.token(Token::Branch), taken),
        once(row().i(OffsetAction::Down).carry_next(Next::One)),
    ];
    vec![once(row().carry_next(Next::One)), outer(SIGNIFICAND, pass)]
}
