//! Unsigned division, with a window that grows by one row a step.
//!
//! In step i the partial remainder has i bits: rows n−i … n−1 of the remainder's rows, with dividend row n−i as the new
//! lowest bit, so shifting is free. Columns whose divisor has a bit at or above i cannot subtract yet. Two forms:
//!
//! * `TwoPort`: non-restoring. T = the remainder is not negative, C starts a step as T, P = the divisor is below 2ⁱ.
//!   Where P = 0 operand y is forced to 1 and C stays 1, so the row keeps its bit. The quotient bit P·C is ¬(¬P ⊕ C).
//! * `AndNor`: restoring, on the divisor's complement: compare (i rows), then subtract where T = 1 (i rows).
//!
//! P (or its `AndNor` form) comes from a multi-row search on `Behavioural` memory; on block RAM the suffix NORs of the
//! divisor are prepared in n − 1 scratch rows.
//!
//! A zero divisor gives a quotient of all ones and the dividend as remainder, as in RISC-V.

use crate::array::isa::linear::{Linear, N};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D, E, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, Token, TriangleAction, row};
use crate::array::isa::uop::{Multi, Next, PredicateAction, TagAction, X, Y};

/// Rows that a division works on, as first rows: operand and offset.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    /// Dividend bits (read once each, from the top).
    pub dividend: Address,
    /// Divisor, or its complement for `AndNor`.
    pub divisor: Address,
    /// Partial remainder, n rows; the remainder in the end.
    pub remainder: Address,
    /// Quotient, if wanted.
    pub quotient: Option<Address>,
    /// Row i is the NOR of divisor rows i+1 and up (block RAM), or the divisor itself (multi-row search).
    pub active: Address,
}

/// An address with another index.
pub(super) fn indexed(base: Address, like: Address) -> Address {
    Address { index: like.index, ..base }
}

pub(super) fn write_if(row: Row, address: Option<Address>) -> Row {
    match address {
        Some(address) => row.write(address),
        None => row,
    }
}

/// d and e according to the operation.
pub(super) fn unsigned(opcode: Opcode, cx: Context) -> Operation {
    match (cx.set, cx.two_port()) {
        (Set::Baseline, _) => baseline(opcode, cx),
        (Set::Skip, true) => skip(opcode, cx),
        (_, true) => two_port(opcode, cx),
        (_, false) => crate::array::isa::ucode::div_and_nor::unsigned(opcode, cx),
    }
}

/// Result operands, and where quotient and remainder go. `scratch` rows follow the work rows in S.
fn results(op: Operation, scratch: Linear) -> (Operation, Option<Address>, Address, Linear) {
    let op = op.source(A, N).source(B, N);
    match op.opcode {
        Opcode::DivU => {
            let rows = Linear { n: scratch.n + 1, ..scratch };
            (op.result(D, N).scratch(rows), Some(D.row(0)), S.row(0), N)
        }
        Opcode::RemU => (with_scratch(op.result(D, N), scratch), None, D.row(0), Linear::constant(0)),
        _ => (with_scratch(op.result(D, N).result(E, N), scratch), Some(D.row(0)), E.row(0), Linear::constant(0)),
    }
}

fn with_scratch(op: Operation, scratch: Linear) -> Operation {
    if scratch == Linear::constant(0) { op } else { op.scratch(scratch) }
}

fn wants_remainder(opcode: Opcode) -> bool {
    !matches!(opcode, Opcode::DivU | Opcode::DivS)
}

fn two_port(opcode: Opcode, cx: Context) -> Operation {
    let search = cx.multi_row();
    let op = Operation::new(
        opcode,
        match (search, wants_remainder(opcode)) {
            (true, true) => |n, _| (n * n + 5 * n) / 2 + 1,
            (true, false) => |n, _| (n * n + 3 * n) / 2 + 1,
            (false, true) => |n, _| (n * n + 7 * n) / 2,
            (false, false) => |n, _| (n * n + 5 * n) / 2,
        },
    );
    let (op, quotient, remainder, after) = results(op, if search { Linear::constant(0) } else { N });
    let active = if search { B.row(0) } else { S.row(after) };
    let rows = Rows { dividend: A.row(0), divisor: B.row(0), remainder, quotient, active };
    let fix = wants_remainder(opcode).then(|| fix_remainder(rows, N.into()));
    let program = |steps: Vec<Item>| {
        let mut body = if search { vec![] } else { vec![suffix_nors(rows)] };
        body.push(once(load_active(rows, search)));
        body.extend(steps);
        body.extend(fix.clone());
        let program = Program::new("div", body).with_carry().i(N - 1).z(1);
        if search { program.key_ones(N - 1) } else { program }
    };
    let op = one_bit_two_port(op, quotient, wants_remainder(opcode).then_some(remainder));
    let steps = |which| core(rows, search, which);
    let op = op
        .variant(&[Condition::Zero(N - 2)], program(steps(Steps::Two)))
        .variant(&[Condition::Zero(N - 3)], program(steps(Steps::Three)))
        .program(program(steps(Steps::Many)));
    remainder_in_place(op)
}

/// The remainder may take the dividend's rows: each is read just before it is written.
fn remainder_in_place(op: Operation) -> Operation {
    match op.opcode {
        Opcode::DivRemU => op.apart_or_same(A, E),
        Opcode::RemU => op.apart_or_same(A, D),
        _ => op,
    }
    .all_apart()
}

pub(super) fn one_bit_two_port(op: Operation, quotient: Option<Address>, remainder: Option<Address>) -> Operation {
    // Majority of a and ¬b with C = 1 is the quotient, with C = 0 the remainder, which may take the dividend's row.
    let both = row().a(A.row(0)).b(B.row(0)).x(X::A).y(Y::NotB).majority();
    let mut body: Vec<Item> = quotient.map(|q| once(both.write(q).clear_carry())).into_iter().collect();
    body.extend(remainder.map(|r| once(both.write(r))));
    let program = Program::new("div, one bit", body);
    let program = if quotient.is_some() { program.with_carry() } else { program };
    op.variant(&[Condition::Zero(N - 1)], program)
}

/// Block RAM: the suffix NORs of the divisor, from its top row down to row 1, into the active rows. Starts with C = 1.
fn suffix_nors(rows: Rows) -> Item {
    each(N - 1, suffix_nor(rows).rewind())
}

fn suffix_nor(rows: Rows) -> Row {
    let at = rows.active.offset;
    let write = S.j().plus(Linear { constant: at.constant - 2, n: at.n + 1, ..at });
    row().b(B.j().plus(N - 1)).y(Y::NotB).majority().carry_next(Next::Majority).write(write).down()
}

/// P for step 1; C = 1.
fn load_active(rows: Rows, search: bool) -> Row {
    let r = row().carry_next(Next::One);
    if search { search_active(r, rows, 1) } else { r.a(rows.active).predicate(PredicateAction::A) }
}

/// P ← NOR of divisor rows `from` + L and up, by a multi-row search whose key shortens by one each time.
pub(super) fn search_active(r: Row, rows: Rows, from: i16) -> Row {
    let base = indexed(rows.divisor, A.l());
    let offset = base.offset + from;
    r.a(Address { offset, ..base }).multi(Multi::Nor).predicate(PredicateAction::A).key_shift(1)
}

/// How many steps a program is unrolled for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    /// n = 2.
    Two,
    /// n = 3.
    Three,
    /// n ≥ 4.
    Many,
    /// The effective width found by the scan, at least 4.
    Scanned,
}

/// The steps of the non-restoring division. Starts with C = 1, I = n − 1, L = 0, Z = 1; ends with C = 0 and T = the
/// remainder is negative; after a scan, with C = the remainder is not negative, and T = 0.
pub(super) fn core(rows: Rows, search: bool, steps: Steps) -> Vec<Item> {
    let new_bit = indexed(rows.dividend, A.k());
    let window = indexed(rows.remainder, A.k());
    let divisor = indexed(rows.divisor, A.j());
    let quotient = rows.quotient.map(|q| indexed(q, A.i()));
    let step = |gated: bool, source: Address, y: Y| {
        let r = row().a(source).b(divisor).x(X::A).y(y).carry_next(Next::Majority).write(window);
        if gated { r.gate() } else { r }
    };
    let leave = |r: Row| r.tag(TagAction::Zero).rewind().l(OuterAction::Up);
    let next_quotient_bit = || {
        let r = write_if(row().y(Y::Zero).gate(), quotient).tag(TagAction::Differ).i(OffsetAction::Down);
        once(if search {
            search_active(r, rows, 1)
        } else {
            r.a(indexed(rows.active, A.l())).predicate(PredicateAction::A)
        })
    };
    // ¬(T · 0) is a 1 on y, so that T becomes ¬C: the remainder is negative.
    let last_quotient_bit =
        || once(write_if(row().x(X::One).y(Y::NotTB), quotient).tag(TagAction::Differ).clear_carry());
    let first = step(true, new_bit, Y::NotB);
    let mut items = vec![once(leave(first)), next_quotient_bit()];
    if steps != Steps::Two {
        items.extend([once(step(true, new_bit, Y::BXorT).up()), once(leave(step(true, window, Y::BXorT)))]);
        items.push(next_quotient_bit());
    }
    let long_step = |gated: bool, count: Option<Count>| {
        let head = step(gated, new_bit, Y::BXorT).up().z(TriangleAction::Up);
        let middle = count.map(|count| each(count, step(gated, window, Y::BXorT).up()));
        let mut items = vec![once(head)];
        items.extend(middle);
        items.push(once(leave(step(gated, window, Y::BXorT))));
        items
    };
    let repeats = match steps {
        Steps::Two | Steps::Three => None,
        Steps::Many => Some(Count::from(N - 3)),
        Steps::Scanned => Some(Count::WidthLessThree),
    };
    if let Some(repeats) = repeats {
        let mut body = long_step(true, Some(Count::Triangle));
        body.push(next_quotient_bit());
        items.push(outer(repeats, body));
    }
    // A scanned width is the dividends': a divisor may be longer, up to the last step.
    let scanned = steps == Steps::Scanned;
    items.extend(long_step(scanned, (steps != Steps::Two).then_some(Count::Triangle)));
    if !scanned {
        items.push(last_quotient_bit());
    } else if let Some(quotient) = quotient {
        items.push(once(row().y(Y::Zero).gate().write(quotient)));
    }
    items
}

/// Adds the divisor back where the remainder is negative.
fn fix_remainder(rows: Rows, count: Count) -> Item {
    let window = indexed(rows.remainder, A.j());
    let divisor = indexed(rows.divisor, A.j());
    each(count, row().a(window).b(divisor).x(X::A).y(Y::TB).carry_next(Next::Majority).write(window).up())
}

/// The paper's bound (1.5n²+5.5n) met the plain way: a remainder of 2n rows, in each of n steps a comparison over n
/// rows and a predicated subtraction over the i rows that can change.
fn baseline(opcode: Opcode, cx: Context) -> Operation {
    let two_port = cx.two_port();
    let op = Operation::new(
        opcode,
        match (two_port, wants_remainder(opcode)) {
            (true, true) => |n, _| (3 * n * n + 9 * n) / 2 - 1,
            (true, false) => |n, _| (3 * n * n + 7 * n) / 2 - 1,
            (false, true) => |n, _| (3 * n * n + 11 * n) / 2 - 1,
            (false, false) => |n, _| (3 * n * n + 9 * n) / 2 - 1,
        },
    );
    let op = op.source(A, N).source(B, N).result(D, N);
    let op = if opcode == Opcode::DivRemU { op.result(E, N) } else { op };
    // S: dividend and its zero extension (2n − 1 rows), then the divisor's complement (AndNor, n rows).
    let extended = N.twice() - 1;
    let op = op.scratch(if two_port { extended } else { Linear { n: 3, ..extended } });
    let complement = S.j().plus(extended);
    let window = S.k();
    // C is 1 throughout the preparation: sums come out complemented.
    let mut body = vec![
        each(N, row().a(A.j()).x(X::A).not_sum().write(S.j()).up().rewind()),
        each(N - 1, row().x(X::One).write(S.j().plus(N)).up().rewind()),
    ];
    if !two_port {
        body.push(each(N, row().b(B.j()).y(Y::B).write(complement).up().rewind()));
    }
    let quotient = (opcode != Opcode::RemU).then_some(D.i());
    let bit = once(write_if(row(), quotient).tag(TagAction::W).carry_next(Next::One));
    let leave = |r: Row| r.up().rewind().i(OffsetAction::Down).z(TriangleAction::Up);
    if two_port {
        // The predicated subtraction leaves C = 1 everywhere, as the next comparison needs it.
        let both = row().a(window).b(B.j()).x(X::A).carry_next(Next::Majority);
        let compare = each(N, both.y(Y::NotB).up().rewind());
        let subtract = each(Count::Triangle, leave(both.y(Y::NotTB).write(window)));
        body.push(outer(N, vec![compare, bit, subtract]));
    } else {
        // The first comparison ignores the carry left behind: the OR of a row pair is its own majority.
        let both = row().a(complement).b(window).y(Y::B).carry_next(Next::Majority);
        let compare = each(N - 1, both.x(X::A).up().rewind());
        let subtract = each(Count::Triangle, leave(both.x(X::A).predicated().write(window)));
        body.push(outer(N, vec![once(both.x(X::B).up()), compare, bit, subtract]));
    }
    let out = match opcode {
        Opcode::DivRemU => Some(E.j()),
        Opcode::RemU => Some(D.j()),
        _ => None,
    };
    // A row's majority with itself does not depend on the carry.
    body.extend(out.map(|out| each(N, row().a(S.j()).b(S.j()).x(X::A).y(Y::B).majority().write(out).up())));
    let op = match (two_port, opcode) {
        (true, Opcode::DivU) => one_bit_two_port(op, Some(D.row(0)), None),
        (true, Opcode::RemU) => one_bit_two_port(op, None, Some(D.row(0))),
        (true, _) => one_bit_two_port(op, Some(D.row(0)), Some(E.row(0))),
        (false, _) => crate::array::isa::ucode::div_and_nor::one_bit(op, opcode),
    };
    op.program(Program::new("div baseline", body).with_carry().i(N - 1).z(1)).all_apart()
}

/// As the fast program, on as many bits as the largest dividend has. While the dividend's rows are scanned from the
/// top, the quotient's rows take 1 where the divisor is 0; the remainder's rows are cleared.
fn skip(opcode: Opcode, cx: Context) -> Operation {
    let search = cx.multi_row();
    let worst: crate::array::isa::operation::Formula = match (search, opcode) {
        (true, Opcode::DivRemU) => |n, _| (n * n + 9 * n) / 2 + 3,
        (true, Opcode::RemU) => |n, _| (n * n + 7 * n) / 2 + 2,
        (true, _) => |n, _| (n * n + 5 * n) / 2 + 2,
        (false, Opcode::DivRemU) => |n, _| (n * n + 11 * n) / 2 + 3,
        (false, Opcode::RemU) => |n, _| (n * n + 9 * n) / 2 + 2,
        (false, _) => |n, _| (n * n + 7 * n) / 2 + 2,
    };
    let op = Operation::new(opcode, worst).widths(4, 64);
    let (op, quotient, remainder, after) = results(op, if search { Linear::constant(0) } else { N + 1 });
    let (active, zero) = if search { (B.row(0), B.row(0)) } else { (S.row(after + 1), S.row(after)) };
    let rows = Rows { dividend: A.row(0), divisor: B.row(0), remainder, quotient, active };
    let from_top = |address: Address| Address { offset: N - 1, ..indexed(address, A.j()) };
    // C is 1: sums come out complemented.
    let scan = row().a(A.j().plus(N - 1)).tag(TagAction::A).token(Token::Width).down().rewind();
    let clear = |address: Address| row().x(X::One).write(indexed(address, A.j())).up().rewind();
    let mut body = if search {
        vec![once(row().a(zero).multi(Multi::Nor).predicate(PredicateAction::A).key_shift(1))]
    } else {
        let last = suffix_nor(rows).carry_next(Next::One).rewind();
        // Behind the last suffix, the NOR of nothing: where the scan finds the full width.
        let ones = row().write(S.row(Linear { n: after.n + 1, ..after }));
        vec![once(ones), each(N - 1, suffix_nor(rows)), once(last)]
    };
    body.push(each(
        N,
        match quotient {
            Some(q) if search => scan.x(X::One).y(Y::Zero).gate().not_sum().write(from_top(q)),
            Some(q) => scan.b(zero).y(Y::B).not_sum().write(from_top(q)),
            None => scan.x(X::One).write(from_top(remainder)),
        },
    ));
    if opcode == Opcode::DivRemU {
        body.push(each(N, clear(remainder)));
    }
    body.push(once(load_active(rows, search).tag(TagAction::Zero).i(OffsetAction::Width)));
    body.extend(core(rows, search, Steps::Scanned));
    if wants_remainder(opcode) {
        body.push(once(row().x(X::One).tag(TagAction::W).clear_carry()));
        body.push(fix_remainder(rows, Count::Width));
    }
    let program = Program::new("div skip", body).with_carry().z(1).min_width(4);
    let program = if search { program.key_ones(N) } else { program };
    op.program(program).all_apart()
}
