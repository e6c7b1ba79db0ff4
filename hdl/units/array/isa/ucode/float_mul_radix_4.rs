//! Products of significands with two multiplier bits a pass, on columns with a second adder.
//!
//! Passes are those of `mul_radix_4.rs`, but that the sum moves down two rows in each: the two lowest bits go to the
//! low rows, the others stay where they are. Row j adds to what the pass before has left in its row j + 2, the two top
//! rows to H. A significand has n − 2 bits, of which the hidden one is a flag: the pass before the last one fetches the
//! multiplier's, the top row of every pass reads the multiplicand's. Of an odd number of multiplier rows, the first one
//! is alone, and nothing else of such a program differs.

use crate::array::isa::format::{E4M3, E5M2};
use crate::array::isa::linear::{Linear, N};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Formula, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B};
use crate::array::isa::row::{Address, OffsetAction, Operand, OuterAction, Row, row};
use crate::array::isa::ucode::float_mul_rows::{Flag, flag};
use crate::array::isa::ucode::float_operation::operands;
use crate::array::isa::ucode::mul_radix_4;
use crate::array::isa::uop::{HoldAction, Next, PredicateAction, Second, TagAction, X, Y};

/// What a program is for, by the significand's bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Three, of E5M2: two passes with no rows between the lowest and the top ones.
    Three,
    /// Four, of E4M3: the same.
    Four,
    /// Any other even number.
    Even,
    /// Any other odd number.
    Odd,
}

impl Shape {
    /// Passes have rows between the two lowest and the two top ones, and there are passes in the middle.
    pub(super) fn long(self) -> bool {
        matches!(self, Shape::Even | Shape::Odd)
    }

    /// First value of Z: the rows between the two lowest and the two top ones, or n − 4, which others make of it.
    pub(super) fn z(self) -> Linear {
        N - if self.long() { 6 } else { 4 }
    }

    /// The first pass has one multiplier row.
    pub(super) fn odd(self) -> bool {
        matches!(self, Shape::Three | Shape::Odd)
    }
}

/// The product's cycles, from the first pass to the two rows above the last one but for these two, for formats of n.
pub(super) fn product_cycles(n: i64) -> i64 {
    let bits = n - 2;
    mul_radix_4::passes(bits) * bits - bits % 2
}

/// d ← of numbers of a format, with a program for each shape. E4M3 is the only format without infinities.
pub(super) fn of_shapes(
    opcode: Opcode,
    cycles: Formula,
    sources: &[Operand],
    scratch: Linear,
    program: impl Fn(Shape) -> Program,
) -> Operation {
    let of = |n: u8| [Condition::Zero(N - i16::from(n))];
    operands(Operation::new(opcode, cycles).formats(), sources, scratch)
        .variant(&of(E4M3.n()), program(Shape::Four))
        .variant(&of(E5M2.n()), program(Shape::Three))
        .variant(&[Condition::Even(N)], program(Shape::Even))
        .program(program(Shape::Odd))
}

/// Where the rows of a product lie.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Row J adds to this one.
    pub(super) from: Address,
    /// Row J is written here.
    pub(super) to: Address,
    /// The product's lowest bits, of which bit L − 1 is at L.
    pub(super) low: Address,
    /// What I does in the first row of the first pass.
    pub(super) i: OffsetAction,
    /// Columns note whether the multiplier, the multiplicand and the low rows have a 1.
    pub(super) gathers: bool,
}

/// The first cycle: multiplier rows go to T and P. The lowest row of a pass without T writes nothing.
pub(super) fn fetch(shape: Shape) -> Row {
    let two = row().b(A.row(0)).a(A.at(1)).tag(TagAction::Next).predicate(PredicateAction::A);
    let one = mul_radix_4::fetch_one().tag(TagAction::Zero).up();
    (if shape.odd() { one } else { two }).l(OuterAction::Up)
}

/// All passes. C is 0 before and after. In the end J is n − 2 and L n − 3; H and G are the two bits above the last pass.
pub(super) fn passes(shape: Shape, place: Place) -> Vec<Item> {
    let Place { to, low, .. } = place;
    let (first, rows) = (if shape.odd() { &[low, to][..] } else { &[low, low, to] }, [low, low, to]);
    // The last pass's lowest rows, and the lower one of its top two.
    let last = [to; 3];
    let (next, hidden) = (Some(A.l()), Some(flag(Flag::HIDDEN_A)));
    let pass = |first, rows: &[Address], second| pass(shape.long(), place, first, rows, second);
    match shape {
        Shape::Three => [pass(true, &[low], hidden), pass(false, &last[..2], None)].concat(),
        Shape::Four => [pass(true, first, hidden), pass(false, &last, None)].concat(),
        Shape::Even | Shape::Odd => {
            let mut items = pass(true, first, next);
            items.push(outer((N - 7).half(), pass(false, &rows, next)));
            items.extend(pass(false, &rows, hidden));
            items.extend(pass(false, &last, None));
            items
        }
    }
}

/// A pass. `rows` are where its lowest rows and the lower one of the top two are written. The top rows fetch the next
/// pass's multiplier rows, if there is one: row L, and the one that is `second`. J is 0 then.
fn pass(between: bool, place: Place, first: bool, rows: &[Address], second: Option<Address>) -> Vec<Item> {
    let add = |x: X| row().x(if first { X::Zero } else { x }).y(Y::TB);
    let i = |at: usize| if first && at == 0 { place.i } else { OffsetAction::Hold };
    let low = add(X::A).b(B.j()).carry_next(Next::Majority).second(Second::Pass).up();
    let low = if first { low } else { low.a(place.from) };
    let gathers = |row: Row, when: bool| if place.gathers && when { row.gather() } else { row };
    let next = add(X::H).b(B.j()).carry_next(Next::Majority).hold(HoldAction::Load).second(Second::Park).up();
    let top = add(X::H).b(flag(Flag::HIDDEN_B)).hold_next(Next::Majority).clear_carry().second(Second::Top);
    let (next, top) = match second {
        Some(p) => {
            (next.a(A.l()).l(OuterAction::Up), top.a(p).tag(TagAction::Next).predicate(PredicateAction::A).rewind())
        }
        None => (next, top.up()),
    };
    let (&at, lowest) = rows.split_last().expect("a pass has two top rows");
    let mut items = Vec::new();
    for (row, &to) in lowest.iter().enumerate() {
        // Of two low rows the upper one is where the next multiplier row is.
        let steps = to == place.low && rows[row + 1] == place.low;
        let low = gathers(low, to == place.low);
        items.push(once(if steps { low.l(OuterAction::Up) } else { low }.write(to).i(i(row))));
    }
    items.extend(between.then(|| each(Count::Triangle, low.write(place.to))));
    // The last pass has the hidden bit, which says nothing of the fraction.
    let next = gathers(next, second.is_some());
    items.extend([once(next.write(at).i(i(lowest.len()))), once(top.write(place.to))]);
    items
}

/// The two rows above the last pass.
pub(super) fn above(place: Place) -> [Row; 2] {
    let bit = row().x(X::H).write(place.to);
    [bit.hold(HoldAction::Load).second(Second::Park).up(), bit.hold(HoldAction::Zero).rewind()]
}
