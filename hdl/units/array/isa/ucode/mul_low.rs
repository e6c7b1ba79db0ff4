//! Multiplication modulo 2ⁿ, by a constant, and the accumulating product.

use crate::array::isa::linear::{M, N};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D};
use crate::array::isa::row::{OffsetAction, OuterAction, Row, TriangleAction, row};
use crate::array::isa::ucode::{dot_radix_4, mul_radix_4};
use crate::array::isa::uop::{DelayAction, HoldAction, Next, TagAction, X, Y};

/// d (n rows) ← a · b modulo 2ⁿ: pass i is n − i rows long.
pub(super) fn mul_low(cx: Context) -> Operation {
    let formula = if cx.radix_4() { mul_radix_4::mul_low_cycles } else { |n, _| (n * n + n + 2) / 2 };
    let op = Operation::new(Opcode::MulLow, formula).source(A, N).source(B, N).result(D, N).all_apart();
    let one = row().a(A.row(0)).b(B.row(0)).x(X::A).y(Y::B).majority().write(D.row(0));
    let op = op.variant(&[Condition::Zero(N - 1)], Program::new("mul_low, one bit", vec![once(one)]));
    if cx.radix_4() {
        return mul_radix_4::mul_low(op);
    }
    if cx.two_port() { two_port(op) } else { and_nor(op) }
}

fn fetch(row: Row) -> Row {
    row.a(A.l()).tag(TagAction::A).l(OuterAction::Up)
}

/// The product's top bit never goes to memory before the end: H keeps its complement, which leaves a port free in each
/// pass's last cycle to fetch the next multiplier row.
fn two_port(op: Operation) -> Operation {
    let leave = |r: Row| fetch(r).hold_next(Next::NotSum).rewind().i(OffsetAction::Up).z(TriangleAction::Down);
    let first_top = leave(row().b(B.j()).y(Y::TB));
    let top = leave(row().b(B.j()).x(X::NotH).y(Y::TB)).clear_carry();
    let pass = row().a(D.k()).b(B.j()).x(X::A).y(Y::TB).carry_next(Next::Majority).write(D.k()).up();
    let program = |middle: Vec<Item>| {
        let mut body =
            vec![once(fetch(row())), each(N - 1, row().b(B.j()).y(Y::TB).write(D.j()).up()), once(first_top)];
        body.extend(middle);
        body.push(once(row().b(B.row(0)).x(X::NotH).y(Y::TB).write(D.row(N - 1))));
        Program::new("mul_low", body).z(N - 2)
    };
    op.variant(&[Condition::Zero(N - 2)], program(vec![]))
        .program(program(vec![outer(N - 2, vec![each(Count::Triangle, pass), once(top)])]))
}

fn and_nor(op: Operation) -> Operation {
    let both = row().a(B.j()).x(X::HD).y(Y::TB).carry_next(Next::Majority).delay(DelayAction::A).write(D.j());
    let tag = row().a(A.l().plus(2)).tag(TagAction::A).l(OuterAction::Up).clear_carry().z(TriangleAction::Down);
    let pass = row().a(B.j()).b(D.k()).x(X::A).y(Y::B).carry_next(Next::Majority).predicated().write(D.k());
    let program = |middle: Vec<Item>| {
        let mut body = vec![
            once(row().a(A.row(0)).tag(TagAction::A)),
            once(row().a(A.row(1)).hold(HoldAction::A)),
            each(N, both.up().rewind()),
        ];
        body.extend(middle);
        Program::new("mul_low", body).i(2).z(N - 2)
    };
    let passes = vec![once(tag), each(Count::Triangle, pass.up().rewind().i(OffsetAction::Up))];
    op.variant(&[Condition::Zero(N - 2)], program(vec![])).program(program(vec![outer(N - 2, passes)]))
}

/// d (2n rows) ← a · key: the product is cleared, then a is added once for every 1 of the key.
pub(super) fn mul_const() -> Operation {
    let enter = row().write(D.row(N.twice() - 1)).keyed().rewind();
    let add = row().a(A.j()).b(D.k()).x(X::A).y(Y::B).carry_next(Next::Majority).write(D.k()).up();
    let again = row().write(D.k()).keyed().clear_carry().rewind();
    let body =
        vec![each(N.twice() - 1, row().write(D.j()).up()), Item::WhileKey { enter, body: vec![each(N, add)], again }];
    Operation::new(Opcode::MulConst, |n, _| 2 * n + n * (n + 1))
        .source(A, N)
        .result(D, N.twice())
        .all_apart()
        .program(Program::new("mul_const", body).keep_tag().scan())
}

/// d (m rows) ← d + a · b modulo 2ᵐ. A pass ends one row above the multiplicand, where the carry and H (the carry of
/// the pass before) meet the accumulator; H finally runs up to row m − 1. Signed: Baugh–Wooley, with 2ⁿ entering as H =
/// 1 and −2²ⁿ⁻¹ added over the accumulator's upper rows.
pub(super) fn dot(opcode: Opcode, cx: Context) -> Operation {
    let signed = opcode.signed();
    let formula = match (signed, cx.two_port()) {
        _ if cx.radix_4() => dot_radix_4::cycles(signed),
        (false, true) => |n, m| n * n + n + 1 + (m - 2 * n) + i64::from(m > 2 * n),
        (true, true) => |n, m| n * n + n + 2 + 2 * (m - 2 * n),
        (false, false) => |n, m| n * n + 2 * n + (m - 2 * n),
        (true, false) => |n, m| n * n + 4 * n + 2 * (m - 2 * n),
    };
    let op = Operation::new(opcode, formula)
        .widths(1, 63)
        .second(N.twice(), 127)
        .source(A, N)
        .source(B, N)
        .accumulator(D, M)
        .apart(A, D)
        .apart(B, D);
    let high = N.twice().below_m();
    let ripple = each(
        high,
        row()
            .b(D.j().plus(N.twice()))
            .x(X::H)
            .y(Y::B)
            .hold_next(Next::Majority)
            .write(D.j().plus(N.twice()))
            .up()
            .rewind(),
    );
    // −2²ⁿ⁻¹ comes first: all ones added to rows 2n−1 … m−1.
    let borrow = each(high + 1, {
        let r = row().b(D.j().plus(N.twice() - 1)).x(X::One).y(Y::B).carry_next(Next::Majority);
        r.write(D.j().plus(N.twice() - 1)).up().rewind()
    });
    if cx.radix_4() {
        return dot_radix_4::dot(op, signed.then_some(borrow));
    }
    let name = if signed { "dot signed" } else { "dot" };
    let body = if cx.two_port() { two_port_dot(signed) } else { and_nor_dot(signed) };
    let program = |mut items: Vec<Item>, ripple: Option<Item>| {
        if let Some(ripple) = ripple {
            // A pass leads back to a loop of n: the row between lets it lead on to a loop of m − 2n.
            if cx.two_port() && !signed {
                items.push(once(row()));
            }
            items.push(ripple);
        }
        if signed {
            items.insert(0, borrow.clone());
        }
        Program::new(name, items)
    };
    let mut op = op;
    for (when, passes) in body {
        let at_2n = [when.clone(), vec![Condition::Zero(high)]].concat();
        op = op.variant(&at_2n, program(passes.clone(), None)).variant(&when, program(passes, Some(ripple.clone())));
    }
    op
}

type Bodies = Vec<(Vec<Condition>, Vec<Item>)>;

fn two_port_dot(signed: bool) -> Bodies {
    let pass = |y| row().a(D.k()).b(B.j()).x(X::A).y(y).carry_next(Next::Majority).write(D.k()).up();
    let end = row().b(D.k()).x(X::H).y(Y::B).hold_next(Next::Majority).clear_carry().write(D.k());
    let end = end.rewind().i(OffsetAction::Up);
    let fetching = fetch(end);
    if !signed {
        let passes = outer(N, vec![each(N, pass(Y::TB)), once(fetching.a_unless_done())]);
        return vec![(vec![], vec![once(fetch(row())), passes])];
    }
    let first = fetch(row()).hold_next(Next::One).clear_carry();
    // The sign column's product is complemented in all passes but the last, where the others are.
    let sign_column = |y: Y| each(N, pass(y).flip_y());
    let last = vec![sign_column(Y::NotTB), once(end)];
    let middle = outer(N - 1, vec![sign_column(Y::TB), once(fetching)]);
    let all = [vec![once(first), middle], last.clone()].concat();
    vec![(vec![Condition::Zero(N - 1)], [vec![once(first)], last].concat()), (vec![], all)]
}

fn and_nor_dot(signed: bool) -> Bodies {
    let add = row().a(B.j()).b(D.k()).x(X::A).y(Y::B).carry_next(Next::TMajority).predicated().write(D.k()).up();
    let end = row().b(D.k()).x(X::H).y(Y::B).hold_next(Next::Majority).clear_carry().write(D.k());
    let end = once(end.rewind().i(OffsetAction::Up));
    let tag = once(fetch(row()));
    if !signed {
        return vec![(vec![], vec![outer(N, vec![tag, each(N, add), end])])];
    }
    // Two cycles a bit where a complemented product is added: D takes the multiplicand's bit.
    let take = row().a(B.j()).delay(DelayAction::A);
    let add_product = |y| row().a(D.k()).x(X::A).y(y).carry_next(Next::Majority).write(D.k()).up();
    let complemented = crate::array::isa::program::each_of(N - 1, vec![take, add_product(Y::NotTD)]);
    let sign = |y| vec![once(take), once(add_product(y))];
    let first = once(fetch(row()).hold_next(Next::One).clear_carry());
    let last = |head: Item| [vec![head, complemented.clone()], sign(Y::TD), vec![end.clone()]].concat();
    let pass = |head: Item| [vec![head, each(N - 1, add)], sign(Y::NotTD), vec![end.clone()]].concat();
    let one = [vec![first.clone()], sign(Y::TD), vec![end.clone()]].concat();
    let two = [pass(first.clone()), last(tag.clone())].concat();
    let mut all = pass(first);
    all.push(outer(N - 2, pass(tag.clone())));
    all.extend(last(tag));
    vec![(vec![Condition::Zero(N - 1)], one), (vec![Condition::Zero(N - 2)], two), (vec![], all)]
}
