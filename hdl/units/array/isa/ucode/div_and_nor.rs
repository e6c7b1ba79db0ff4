//! Division with `AndNor` sensing, unsigned and signed: restoring, on the divisor's complement, with the growing window
//! of [`crate::array::isa::ucode::div`]. A step fetches T = the divisor is below 2ⁱ (one row), compares (i rows; the
//! last one makes T and the quotient bit), and subtracts where T = 1 (i rows).
//!
//! The remainder is worked out in the dividend's rows when the command says so (the remainder's operand is the
//! dividend's); else the dividend is copied first, n cycles more.

use crate::array::isa::linear::{Linear, N};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Condition, Context, Formula, Operation};
use crate::array::isa::program::{Count, Item, Program, each, once, outer};
use crate::array::isa::row::Operand::{A, B, D, E, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Row, Token, TriangleAction, row};
use crate::array::isa::ucode::arith::sign_to_tag_and_carry;
use crate::array::isa::ucode::div::{indexed, write_if};
use crate::array::isa::uop::{HoldAction, Multi, Next, TagAction, X, Y};

/// One bit: quotient a + ¬b, remainder a · ¬b, signed or not.
pub(super) fn one_bit(op: Operation, opcode: Opcode) -> Operation {
    let (quotient, rest) = match opcode {
        Opcode::DivU | Opcode::DivS => (Some(D.row(0)), None),
        Opcode::RemU | Opcode::RemS => (None, Some(D.row(0))),
        _ => (Some(D.row(0)), Some(E.row(0))),
    };
    let pair = row().a(A.row(0)).b(S.row(0)).x(X::A).y(Y::B).majority();
    let mut body = vec![once(row().b(B.row(0)).y(Y::B).write(S.row(0))), once(write_if(pair, quotient).clear_carry())];
    body.extend(rest.map(|rest| once(pair.write(rest))));
    op.variant(&[Condition::Zero(N - 1)], Program::new("div, one bit", body).with_carry())
}

/// Where a division's rows are.
#[derive(Clone, Copy)]
struct Rows {
    remainder: Address,
    /// The divisor's complement.
    divisor: Address,
    quotient: Option<Address>,
    /// Row i is the AND of the complement's rows i+1 and up (block RAM).
    active: Option<Address>,
}

/// Steps that follow the first.
#[derive(Clone, Copy)]
enum Steps {
    Two,
    Many,
    Scanned,
}

impl Rows {
    /// T ← the divisor is below 2^(L+1).
    fn fetch_active(self) -> Row {
        let r = row().tag(TagAction::A).l(OuterAction::Up);
        match self.active {
            Some(active) => r.a(indexed(active, A.l())),
            None => {
                let base = indexed(self.divisor, A.l());
                r.a(Address { offset: base.offset + 1, ..base }).multi(Multi::And).key_shift(1)
            }
        }
    }

    /// Starts with C = 1, I = n − 1, L = 0, Z = 1.
    fn core(self, steps: Steps) -> Vec<Item> {
        let window = indexed(self.remainder, A.k());
        let divisor = indexed(self.divisor, A.j());
        let quotient = self.quotient.map(|q| indexed(q, A.i()));
        let both = row().a(divisor).b(window).x(X::A).y(Y::B).carry_next(Next::Majority);
        let compare = |count: Count| each(count, both.up());
        let decide = |masked: bool| {
            let r = write_if(both.majority(), quotient).carry_next(Next::One).tag(TagAction::W).rewind();
            if masked { r.t_majority() } else { r }
        };
        let subtract = both.predicated().write(window);
        let leave = |r: Row| r.carry_next(Next::One).rewind().i(OffsetAction::Down);
        let mut items = vec![once(self.fetch_active()), once(decide(true)), once(leave(subtract))];
        let repeats = match steps {
            Steps::Two => None,
            Steps::Many => Some(Count::from(N - 2)),
            Steps::Scanned => Some(Count::WidthLessTwo),
        };
        if let Some(repeats) = repeats {
            let step = vec![
                once(self.fetch_active()),
                compare(Count::Triangle),
                once(decide(true).z(TriangleAction::Up)),
                each(Count::Triangle, subtract.up()),
                once(leave(subtract)),
            ];
            items.push(outer(repeats, step));
        }
        // A scanned width is the dividends': a divisor may be longer, up to the last step.
        let scanned = matches!(steps, Steps::Scanned);
        let all = if scanned { Count::Width } else { N.into() };
        items.extend(scanned.then(|| once(self.fetch_active())));
        items.extend([compare(Count::Triangle), once(decide(scanned)), each(all, subtract.up().rewind())]);
        items
    }
}

/// Result operands, remainder rows, and the first free scratch row.
fn results(op: Operation) -> (Operation, Option<Address>, Address, Linear) {
    let op = op.source(A, N).source(B, N).result(D, N);
    match op.opcode {
        Opcode::DivU | Opcode::DivS => (op, Some(D.row(0)), S.row(0), N),
        Opcode::RemU | Opcode::RemS => (op, None, D.row(0), Linear::constant(0)),
        _ => (op.result(E, N), Some(D.row(0)), E.row(0), Linear::constant(0)),
    }
}

/// The first `k`·n scratch rows.
fn work(after: Linear, k: i8) -> Linear {
    Linear { n: after.n + k, ..after }
}

/// Unsigned division.
pub(super) fn unsigned(opcode: Opcode, cx: Context) -> Operation {
    let skip = cx.set == Set::Skip;
    let search = cx.multi_row();
    let formula: Formula = match (skip, search, opcode) {
        (false, true, Opcode::DivU) => |n, _| n * n + 4 * n - 1,
        (false, true, _) => |n, _| n * n + 3 * n - 1,
        (false, false, Opcode::DivU) => |n, _| n * n + 5 * n - 2,
        (false, false, _) => |n, _| n * n + 4 * n - 2,
        (true, true, Opcode::DivU) => |n, _| n * n + 5 * n + 1,
        (true, true, _) => |n, _| n * n + 4 * n + 1,
        (true, false, Opcode::DivU) => |n, _| n * n + 6 * n + 2,
        (true, false, _) => |n, _| n * n + 5 * n + 2,
    };
    let op = Operation::new(opcode, formula);
    let op = if skip { op.widths(3, 64) } else { op };
    let (op, quotient, remainder, after) = results(op);
    let scratch = work(after, if search { 1 } else { 2 });
    let op = op.scratch(if skip && !search { scratch + 1 } else { scratch });
    let first_active = work(after, 1);
    // With the zero row of the skip set in front.
    let active = (!search).then(|| S.row(if skip { first_active + 1 } else { first_active }));
    let rows = Rows { remainder, divisor: S.row(after), quotient, active };
    let program = |copy: bool, steps: Steps| {
        // C is 1: sums come out complemented.
        let mut body = Vec::new();
        if !search && skip {
            // Behind the last suffix, the AND of nothing: where the scan finds the full width.
            body.push(once(row().write(S.row(work(first_active, 1)))));
        }
        if !search {
            body.extend(suffix_ands(first_active, skip, !matches!(steps, Steps::Two)));
        }
        let complement = row().b(B.j()).y(Y::B).write(indexed(rows.divisor, A.j()));
        body.push(each(N, complement.up().rewind()));
        if copy {
            body.push(each(N, row().a(A.j()).x(X::A).not_sum().write(indexed(remainder, A.j())).up().rewind()));
        }
        if skip {
            let zero =
                if search { row().a(B.row(0)).multi(Multi::Nor).key_shift(1) } else { row().a(S.row(first_active)) };
            body.push(once(zero.hold(HoldAction::A)));
            let scan = row().a(A.j().plus(N - 1)).tag(TagAction::A).token(Token::Width);
            let top = quotient.map(|q| Address { offset: N - 1, ..indexed(q, A.j()) });
            body.push(each(N, write_if(scan.x(X::H).not_sum(), top).down().rewind()));
        }
        let mut steps = rows.core(steps);
        if skip {
            if let Item::Once(first) = &mut steps[0] {
                *first = first.i(OffsetAction::Width);
            }
        }
        body.extend(steps);
        let program = Program::new("div", body).with_carry().i(N - 1).z(1).min_width(if skip { 3 } else { 0 });
        if search { program.key_ones(if skip { N } else { N - 1 }) } else { program }
    };
    let mut op = if skip { op } else { one_bit(op, opcode) };
    let in_place = match opcode {
        Opcode::DivRemU => Some(E),
        Opcode::RemU => Some(D),
        _ => None,
    };
    for copy in [false, true] {
        let when = match (copy, in_place) {
            (true, _) => vec![],
            (false, Some(remainder)) => vec![Condition::Same(A, remainder)],
            (false, None) => continue,
        };
        if skip {
            op = op.variant(&when, program(copy, Steps::Scanned));
        } else {
            let two = [when.clone(), vec![Condition::Zero(N - 2)]].concat();
            op = op.variant(&two, program(copy, Steps::Two)).variant(&when, program(copy, Steps::Many));
        }
    }
    match in_place {
        Some(remainder) => op.apart_or_same(A, remainder).all_apart(),
        None => op.all_apart(),
    }
}

/// Block RAM: row k−1 (or k, with a row for k = 0 in front) of the active rows ← AND of the complemented divisor's rows
/// k and up. Starts and ends with C = 1.
fn suffix_ands(first: Linear, with_zero: bool, long: bool) -> Vec<Item> {
    let write = S.j().plus(Linear { constant: first.constant - 2 + i16::from(with_zero), n: first.n + 1, ..first });
    let and = row().b(B.j().plus(N - 1)).y(Y::NotB).majority().carry_next(Next::Majority).write(write).down();
    let last = once(and.carry_next(Next::One).rewind());
    match (with_zero, long) {
        (true, _) => vec![each(N - 1, and), last],
        (false, true) => vec![each(N - 2, and), last],
        (false, false) => vec![last],
    }
}

/// Signed division: magnitudes, the unsigned steps, signs.
pub(super) fn signed(opcode: Opcode, cx: Context) -> Operation {
    let search = cx.multi_row();
    let formula: Formula = match (search, opcode) {
        (true, Opcode::DivS) => |n, _| n * n + 5 * n + 3,
        (true, Opcode::RemS) => |n, _| n * n + 5 * n + 2,
        (true, _) => |n, _| n * n + 6 * n + 4,
        (false, Opcode::DivS) => |n, _| n * n + 6 * n + 3,
        (false, Opcode::RemS) => |n, _| n * n + 6 * n + 2,
        (false, _) => |n, _| n * n + 7 * n + 4,
    };
    let (op, quotient, remainder, after) = results(Operation::new(opcode, formula));
    let op = op.scratch(work(after, if search { 1 } else { 2 }));
    let zero = work(after, 1);
    let divisor = S.row(after);
    let rows = Rows { remainder, divisor, quotient, active: (!search).then(|| S.row(zero + 1)) };
    let conditional_negate = |from: Address, to: Address| {
        row().b(indexed(from, A.j())).y(Y::BXorT).carry_next(Next::Majority).write(indexed(to, A.j())).up().rewind()
    };
    let program = |steps: Steps| {
        let mut body = vec![
            sign_to_tag_and_carry(B),
            each(N, conditional_negate(B.row(0), divisor).not_sum()),
            sign_to_tag_and_carry(A),
        ];
        let last = conditional_negate(A.row(0), remainder);
        body.extend([each(N - 1, Row { j_zero: false, ..last }), once(last.carry_next(Next::One))]);
        if !search {
            body.extend(suffix_ands_of(divisor, zero, matches!(steps, Steps::Two)));
        }
        body.extend(rows.core(steps));
        if let Some(quotient) = quotient {
            body.push(once(row().a(A.row(N - 1)).b(B.row(N - 1)).tag(TagAction::Xor).clear_carry()));
            // The quotient's sign, unless the divisor is 0. The key has run out: all its n bits are zeros.
            let is_zero = if search { row().a(B.row(0)).multi(Multi::NorOfZeros) } else { row().a(S.row(zero)) };
            let keep = is_zero.x(X::NotA).y(Y::One).not_sum().tag(TagAction::And).carry_next(Next::TMajority);
            body.extend([once(keep), each(N, conditional_negate(quotient, quotient))]);
        }
        if opcode != Opcode::DivS {
            body.extend([sign_to_tag_and_carry(A), each(N, conditional_negate(remainder, remainder))]);
        }
        let program = Program::new("div signed", body).i(N - 1).z(1);
        if search { program.key_ones(N - 1) } else { program }
    };
    one_bit(op, opcode)
        .variant(&[Condition::Zero(N - 2)], program(Steps::Two))
        .program(program(Steps::Many))
        .all_apart()
}

/// As `suffix_ands` with a row for k = 0, on rows that already hold the complement. Does not ask for C.
fn suffix_ands_of(divisor: Address, first: Linear, two: bool) -> Vec<Item> {
    let from = Address { offset: Linear { n: divisor.offset.n + 1, constant: -1, ..divisor.offset }, ..A.j() };
    let from = Address { operand: divisor.operand, ..from };
    let write = S.j().plus(Linear { n: first.n + 1, constant: -1, ..first });
    let and = row().a(from).y(Y::B).majority().carry_next(Next::Majority).write(write).down();
    let last = once(and.carry_next(Next::One).rewind());
    let mut items = vec![once(and.x(X::A))];
    if !two {
        items.push(each(N - 2, and));
    }
    items.push(last);
    items
}
