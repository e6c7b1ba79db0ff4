//! The quotient of significands by restoring division (Neural Cache, ISCA 2018; Duality Cache, ISCA 2019, §3.1.1 and
//! §3.1.2), in the set `baseline`: each pass compares twice the remainder with the divisor, and takes the divisor away
//! in the columns where that is not negative; where there are none, which is also so when all remainders are zero, it
//! is left out.
//!
//! Rows are those of the quotient that does not restore ([`float_div`](super::float_div)): a remainder is a row further
//! down in every pass, and the row that it leaves at its top takes the bit of the quotient.

use crate::array::isa::program::{Item, each, once, outer};
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::row::{Address, OffsetAction, Row, Token, row};
use crate::array::isa::ucode::float_quotient_rows::*;
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain};
use crate::array::isa::uop::{Next, TagAction, X, Y};

/// The row of the remainder's lowest bit.
pub(super) fn lowest(place: Place) -> Address {
    // Behind the quotient its leading 1 will be there.
    if place.long { place.hidden_row() } else { at(place.rest(S.j()), 0) }
}

/// The bits of the quotient behind its leading 1; the first remainder is there. T: bit of the quotient. I becomes
/// 3 − n; C is 1 behind it, as of a remainder that is not negative.
pub(super) fn bits(place: Place) -> Vec<Item> {
    let (here, by) = (place.remainder(S.k()), divisor(D.j()));
    let carries = |row: Row| row.carry_next(Next::Majority);
    // C: twice the remainder is not less. Its lowest bit is 0, and the divisor has no bit at its top row.
    let compares = carries(row().b(by).y(Y::NotB)).up();
    let top = carries(row().a(here).x(X::A).y(Y::NotB));
    let bit = row().write(here).tag(TagAction::W).carry_next(Next::One).rewind();
    // Where T is 0 the row stays, and C is 1.
    let takes = chain(row().b(by).y(Y::NotTB)).up();
    let begins = if place.long { lowest(place) } else { here };
    let taken = vec![once(takes.write(begins)), each(FRACTION, takes.write(here).a(here).x(X::A).rewind())];
    let mut pass = vec![
        once(row().majority().write(begins)),
        once(compares),
        each(FRACTION, compares.a(here).x(X::A)),
        once(top),
        Item::IfAnyTag(bit.token(Token::Branch), taken),
    ];
    // A majority of a row with itself does not depend on the carry.
    let copied = |from: Address| row().a(from).b(from).x(X::A).y(Y::B).majority();
    let (mut items, mut next) = (Vec::new(), row().carry_next(Next::One));
    if place.long {
        // What was the lowest bit is so no longer; J is 1 there.
        pass.insert(0, once(copied(begins).write(here).rewind()));
        items.push(once(copied(at(place.window(S.j()), 1)).write(begins)));
        next = next.up();
    }
    pass.push(once(next.i(OffsetAction::Down)));
    items.extend([once(next), outer(SIGNIFICAND, pass)]);
    items
}
