//! Multiplication n × n → 2n: partial products added row by row.
//!
//! A pass adds multiplier row i (held in T) times the multiplicand to product rows i … i+n−1. The pass's last sum bit
//! and carry stay in the column: H keeps the carry of weight i+n, so that no cycle is spent on carry rows. Signed
//! products use the Baugh–Wooley form: partial-product bits in the sign row or sign column (not both) are complemented,
//! and 1 is added at weights n and 2n−1.

use crate::array::isa::linear::N;
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, each_of, once, outer};
use crate::array::isa::row::Operand::{A, B, D};
use crate::array::isa::row::{OffsetAction, OuterAction, Row, Token, row};
use crate::array::isa::ucode::mul_radix_4;
use crate::array::isa::uop::{DelayAction, HoldAction, Next, TagAction, X, Y};

/// d (2n rows) ← a · b.
pub(super) fn mul(opcode: Opcode, cx: Context) -> Operation {
    let signed = opcode.signed();
    let op = |formula| Operation::new(opcode, formula).source(A, N).source(B, N).result(D, N.twice());
    let op = match (cx.set, signed, cx.two_port()) {
        (Set::Baseline, false, _) => baseline(op(|n, _| n * n + 3 * n - 2), cx),
        (Set::Baseline, true, true) => baseline_signed_two_port(op(|n, _| n * n + 5 * n), cx),
        (Set::Baseline, true, false) => short_signed_and_nor(op(|n, _| n * n + 2 * n), &[]),
        (Set::Skip, false, _) => skip(op(|n, _| n * n + 3 * n + 1), cx),
        (_, _, true) if cx.radix_4() => mul_radix_4::mul(op(mul_radix_4::mul_cycles), signed),
        (_, false, true) => two_port(op(|n, _| n * n + 2)),
        (_, true, true) => two_port_signed(op(|n, _| n * n + 2)),
        (_, false, false) => and_nor(op(|n, _| n * n + 1)),
        (_, true, false) => and_nor_signed(op(|n, _| n * n + n)),
    };
    op.all_apart()
}

/// One bit times one bit, both signed or both unsigned: the product is a·b in two bits.
pub(super) fn one_bit(op: Operation) -> Operation {
    let product = row().a(A.row(0)).b(B.row(0)).x(X::A).y(Y::B).majority().write(D.row(0));
    op.variant(
        &[Condition::Zero(N - 1)],
        Program::new("mul, one bit", vec![once(product), once(row().write(D.row(1)))]),
    )
}

fn fetch_tag() -> Row {
    row().a(A.l()).tag(TagAction::A).l(OuterAction::Up)
}

/// Leaves a pass: J rewinds, the product window moves up.
fn next_pass(row: Row) -> Row {
    row.rewind().i(OffsetAction::Up)
}

/// The sign column or sum bit that ends a pass: H + partial product + carry; H keeps the carry out.
fn top(y: Y) -> Row {
    next_pass(row().b(B.j()).x(X::H).y(y).hold_next(Next::Majority).clear_carry().write(D.k()))
}

/// `top` with the next multiplier row fetched through the idle port.
fn top_and_fetch(y: Y) -> Row {
    top(y).a(A.l()).tag(TagAction::A).l(OuterAction::Up)
}

fn two_port_pass(y: Y) -> Item {
    each(N - 1, row().a(D.k()).b(B.j()).x(X::A).y(y).carry_next(Next::Majority).write(D.k()).up())
}

fn two_port_first(y: Y) -> Item {
    each(N - 1, row().b(B.j()).y(y).write(D.j()).up())
}

fn two_port(op: Operation) -> Operation {
    one_bit(op).program(two_port_program())
}

/// The unsigned product of two bits or more.
pub(super) fn two_port_program() -> Program {
    let first_top = next_pass(row().b(B.j()).y(Y::TB).write(D.j()));
    let first_top = first_top.a(A.l()).tag(TagAction::A).l(OuterAction::Up);
    Program::new(
        "mul",
        vec![
            once(fetch_tag()),
            two_port_first(Y::TB),
            once(first_top),
            outer(N - 1, vec![two_port_pass(Y::TB), once(top_and_fetch(Y::TB).a_unless_done())]),
            once(row().x(X::H).write(D.i().plus(N - 1))),
        ],
    )
}

fn two_port_signed(op: Operation) -> Operation {
    // Pass 0's sign column is complemented and H starts at 1: the constant of weight n.
    let first_top = next_pass(row().b(B.j()).y(Y::NotTB).hold_next(Next::One).write(D.j()));
    let first_top = first_top.a(A.l()).tag(TagAction::A).l(OuterAction::Up);
    let program = |middle: Vec<Item>| {
        let mut body = vec![once(fetch_tag()), two_port_first(Y::TB), once(first_top)];
        body.extend(middle);
        body.extend([two_port_pass(Y::NotTB), once(top(Y::TB)), once(row().x(X::NotH).write(D.i().plus(N - 1)))]);
        Program::new("mul signed", body)
    };
    let middle = outer(N - 2, vec![two_port_pass(Y::TB), once(top_and_fetch(Y::NotTB))]);
    one_bit(op).variant(&[Condition::Zero(N - 2)], program(vec![])).program(program(vec![middle]))
}

/// `AndNor` pass: both rows raised, the sum written where T = 1; the carry is 0 where T = 0.
fn and_nor_pass() -> Item {
    let add = row().a(B.j()).b(D.k()).x(X::A).y(Y::B).carry_next(Next::TMajority);
    each(N - 1, add.predicated().write(D.k()).up())
}

/// Multiplier rows 0 (T) and 1 (H) in one pass of single reads: D delays the multiplicand by one row.
fn and_nor_first_two(flip: bool) -> [Item; 3] {
    let both = row().a(B.j()).x(X::HD).y(Y::TB).carry_next(Next::Majority).delay(DelayAction::A).write(D.j()).up();
    [
        once(row().a(A.row(0)).tag(TagAction::A)),
        once(row().a(A.row(1)).hold(HoldAction::A)),
        each(N, if flip { both.flip_y() } else { both }),
    ]
}

/// Ends the first pass and fetches multiplier row 2.
fn and_nor_flush(x: X, y: Y) -> Row {
    row().x(x).y(y).hold_next(Next::Majority).clear_carry().rewind().write(D.j())
}

fn and_nor(op: Operation) -> Operation {
    let flush = and_nor_flush(X::HD, Y::Zero);
    let fetching = flush.a(A.row(2)).tag(TagAction::A);
    let program = |middle: Vec<Item>| {
        let mut body: Vec<Item> = and_nor_first_two(false).into();
        body.extend(middle);
        body.push(once(row().x(X::H).write(D.row(N.twice() - 1))));
        Program::new("mul", body).i(2)
    };
    let third = vec![once(fetching), and_nor_pass(), once(top(Y::TB))];
    let mut all = third.clone();
    let tag = row().a(A.l().plus(3)).tag(TagAction::A).l(OuterAction::Up);
    all.push(outer(N - 3, vec![once(tag), and_nor_pass(), once(top(Y::TB))]));
    one_bit(op)
        .variant(&[Condition::Zero(N - 2)], program(vec![once(flush)]))
        .variant(&[Condition::Zero(N - 3)], program(third))
        .program(program(all))
}

/// The sign row's pass: two cycles a bit, since both bits are needed. D takes the multiplicand's bit.
fn and_nor_sign_pass() -> Vec<Item> {
    let add = row().a(D.k()).x(X::A).y(Y::NotTD).carry_next(Next::Majority).write(D.k()).up();
    vec![
        each_of(N - 1, vec![row().a(B.j()).delay(DelayAction::A), add]),
        once(top(Y::TB)),
        once(row().x(X::NotH).write(D.row(N.twice() - 1))),
    ]
}

fn and_nor_signed(op: Operation) -> Operation {
    let mut body: Vec<Item> = and_nor_first_two(true).into();
    body.push(once(and_nor_flush(X::NotHD, Y::One).a(A.row(2)).tag(TagAction::A)));
    body.extend([and_nor_pass(), once(top(Y::NotTB))]);
    let tag = row().a(A.l().plus(3)).tag(TagAction::A).l(OuterAction::Up);
    let four = [body.clone(), vec![once(tag)], and_nor_sign_pass()].concat();
    body.push(outer(N - 4, vec![once(tag), and_nor_pass(), once(top(Y::NotTB))]));
    body.push(once(tag));
    body.extend(and_nor_sign_pass());
    short_signed_and_nor(op, &[Condition::AtLeastZero(N.negated() + 3)])
        .variant(&[Condition::Zero(N - 4)], Program::new("mul signed, 4 bits", four).i(2))
        .program(Program::new("mul signed", body).i(2))
}

/// Signed multiplication without the double first pass: multiplier row 0 alone, then row by row.
fn short_signed_and_nor(op: Operation, when: &[Condition]) -> Operation {
    let program = |middle: Vec<Item>| {
        let first_top = next_pass(row().b(B.j()).y(Y::NotTB).hold_next(Next::One).write(D.j()));
        let mut body = vec![once(fetch_tag()), two_port_first(Y::TB), once(first_top)];
        body.extend(middle);
        body.push(once(fetch_tag()));
        body.extend(and_nor_sign_pass());
        Program::new("mul signed, row by row", body)
    };
    let middle = outer(N - 2, vec![once(fetch_tag()), and_nor_pass(), once(top(Y::NotTB))]);
    let two = [when, &[Condition::Zero(N - 2)]].concat();
    one_bit(op).variant(&two, program(vec![])).variant(when, program(vec![middle]))
}

/// Neural Cache's predicated partial products (paper: n²+3n−2): the first product by AND, zeros above it, then for each
/// multiplier row a tag fetch, n predicated additions and the carry row.
fn baseline_body(cx: Context) -> (Vec<Item>, Item) {
    let first = row().a(A.row(0)).b(B.j()).x(X::A).y(Y::B).majority().write(D.j()).up().rewind();
    let zero = row().write(D.j().plus(N)).up().rewind();
    let carry = row().write(D.k()).clear_carry().rewind().i(OffsetAction::Up);
    let pass = if cx.two_port() {
        let add = row().a(D.k()).b(B.j()).x(X::A).y(Y::TB).carry_next(Next::Majority).write(D.k()).up();
        vec![once(baseline_tag()), each(N, add), once(carry)]
    } else {
        let add = row().a(B.j()).b(D.k()).x(X::A).y(Y::B).carry_next(Next::Majority).predicated().write(D.k()).up();
        vec![once(baseline_tag()), each(N, add), once(carry.merge(D.k()).predicated())]
    };
    (vec![each(N, first), each(N, zero)], outer(N - 1, pass))
}

fn baseline_tag() -> Row {
    row().a(A.l().plus(1)).tag(TagAction::A).l(OuterAction::Up)
}

fn baseline(op: Operation, cx: Context) -> Operation {
    let (mut body, passes) = baseline_body(cx);
    body.push(passes);
    one_bit(op).program(Program::new("mul baseline", body).i(1))
}

/// The unsigned product, less 2ⁿ·b where a is negative and 2ⁿ·a where b is: two predicated subtractions (paper: n²+5n).
fn baseline_signed_two_port(op: Operation, cx: Context) -> Operation {
    let (mut body, passes) = baseline_body(cx);
    body.push(passes);
    for (sign, other) in [(A, B), (B, A)] {
        let high = D.j().plus(N);
        let subtract = row().a(high).b(other.j()).x(X::A).y(Y::NotTB).carry_next(Next::Majority).write(high);
        body.push(once(row().a(sign.row(N - 1)).tag(TagAction::A).carry_next(Next::One)));
        body.push(each(N, subtract.up().rewind()));
    }
    one_bit(op).program(Program::new("mul baseline signed", body).i(1))
}

/// Scans b for its effective width and a for its non-zero rows while it clears the product, then runs a pass only for
/// multiplier rows that hold a 1 in some column, and only as wide as the multiplicands are.
fn skip(op: Operation, cx: Context) -> Operation {
    let scan_b = row().a(B.j().plus(N - 1)).tag(TagAction::A).token(Token::Width).write(D.j().plus(N - 1));
    let scan_a = row().a(A.j().plus(N - 1)).tag(TagAction::A).token(Token::Key).write(D.j().plus(N.twice() - 1));
    let enter = row().a(A.l()).tag(TagAction::A).keyed();
    let add = if cx.two_port() {
        row().a(D.k()).b(B.j()).x(X::A).y(Y::TB).carry_next(Next::Majority)
    } else {
        row().a(B.j()).b(D.k()).x(X::A).y(Y::B).carry_next(Next::TMajority).predicated()
    };
    let again = row().a(A.l()).tag(TagAction::A).keyed().write(D.k()).clear_carry().rewind();
    let body = vec![
        each(N, scan_b.down().rewind()),
        each(N, scan_a.down().rewind()),
        Item::WhileKey { enter, body: vec![each(Count::Width, add.write(D.k()).up())], again },
    ];
    // The scan shifts the key in; what the command's key field holds must be out of the way.
    op.program(Program::new("mul skip", body).min_width(1).key_ones(0))
}
