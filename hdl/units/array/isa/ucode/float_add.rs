//! Addition and subtraction of floating-point numbers, IEEE 754, on `TwoPort` columns as they are: all directions of
//! rounding, subnormal numbers kept or flushed. Where rows made of these for `AndNor` columns
//! ([`and_nor`](crate::array::isa::and_nor)) would want a latch that is taken, there are others for them.
//!
//! ```text
//!  |a|, |b| ─▶ smaller in the window, larger in d ─▶ align ─▶ add or subtract ─▶ normalise ─▶ round ─▶ d
//! ```
//!
//! The *window* holds the significand: row 0 and 1 are guard bits, then come the fraction, the hidden bit in row n − 1
//! and the carry in row n. Bits that leave it at its low end are ORed into the sticky bit, which is in H while it
//! grows. Distances of the alignment are bits of the exponents' difference, of which the upper ones set all lower ones.
//! The normalisation goes down from the largest stride; a stage shifts if the rows on top are 0 and the exponent allows
//! it. It does as long as what the upper bits of the exponent are worth has not been used (H), and else if its bit of
//! that stride is 1; so subnormal results need nothing of their own. The exponent's field is what is left of the
//! exponent, plus the bit in front of the fraction: that bit and the rounding's carry enter one addition.
//!
//! The set `baseline` aligns and normalises by searches (`float_add_baseline.rs`), but for the format without
//! infinities.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::E4M3;
use crate::array::isa::linear::{EXCESS, LOG2, M, N, Term, ceil_log2};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Condition, Context, Operation};
use crate::array::isa::program::{Count, Item, Program, each, each_of, once, outer};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Report, Row, StrideAction, row};
use crate::array::isa::ucode::float_add_baseline;
use crate::array::isa::ucode::float_add_flushed::with_flushed;
use crate::array::isa::ucode::float_add_flushed_and_nor;
use crate::array::isa::ucode::float_add_round::rounded;
use crate::array::isa::ucode::float_add_two_bits;
use crate::array::isa::ucode::float_exceptions::signalling;
use crate::array::isa::ucode::float_operation::wanted;
use crate::array::isa::ucode::float_rows::*;
use crate::array::isa::uop::{DelayAction, HoldAction, Next, TagAction, X, Y};

/// a + b or a − b.
pub(super) fn add(opcode: Opcode, cx: Context) -> Operation {
    let (skip, two_port) = (cx.set == Set::Skip, cx.two_port());
    let (subtract, reports) = (opcode == Opcode::FSub, cx.exception_flags);
    let given = signs(if subtract { Y::NotB } else { Y::B });
    let program = |finite_only: bool| {
        // Formats without infinities are none of the papers'.
        let baseline = cx.papers() && !finite_only;
        let signals = if reports && !finite_only { signalling(B) } else { vec![] };
        let (mut body, first) =
            if baseline { float_add_baseline::begins(signals, signs(Y::B)) } else { (signals, given) };
        body.extend(larger_and_smaller(first, finite_only, two_port));
        body.extend(distance(finite_only, reports));
        body.extend(if baseline { float_add_baseline::align() } else { align() });
        body.extend(sum(two_port, !baseline));
        body.extend(if baseline {
            float_add_baseline::normalise(two_port, reports)
        } else {
            normalise(skip, two_port)
        });
        body.extend(rounded(finite_only, cx));
        let name = if subtract { "fsub" } else { "fadd" };
        let program = Program::new(name, body).i(2).z(LOG2 - 2);
        if baseline && subtract { program.with_carry() } else { program }
    };
    let bits = linear(1, Term::M, -2);
    let mut operation = Operation::new(opcode, if skip { skipping } else { cycles })
        .formats()
        .source(A, bits)
        .source(B, bits)
        .result(D, bits)
        .scratch(linear(1, Term::M, FLAGS + 1))
        .apart_or_same(A, D)
        .apart_or_same(B, D)
        .all_apart()
        .variant(&[Condition::Zero(N - i16::from(E4M3.n()))], program(true))
        .program(program(false));
    if reports || cx.papers() {
        // The shorter programs for the mode that flushes report nothing, and are no algorithm of the papers.
        operation.counted = Some(cx);
        return operation;
    }
    let name = if subtract { "fsub, flushed" } else { "fadd, flushed" };
    if !two_port {
        return float_add_flushed_and_nor::with_flushed(operation, name, subtract);
    }
    if !cx.radix_4() {
        return float_add_two_bits::with_flushed(operation, name, subtract);
    }
    with_flushed(operation, name, subtract)
}

fn cycles(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let special = if n == i64::from(E4M3.n()) { n + m + 2 } else { 0 };
    7 * m + 4 * n + stages * (2 * n + 2) + (2 << stages) + 42 + special
}

/// The most that the set `skip` takes.
fn skipping(n: i64, m: i64) -> i64 {
    cycles(n, m) + 3 * i64::from(ceil_log2(n as i32)) + 5
}

/// Whether magnitudes are subtracted, by the operands' signs; y is that of b, or its complement.
fn signs(y: Y) -> Row {
    row().a(A.j().plus(SIGN)).b(B.j().plus(SIGN)).x(X::A).y(y).write(flag(Flag::Subtract))
}

/// The smaller magnitude goes to the window and the rows of the difference, the larger one to d, where either operand
/// may be, its exponent complemented. H: a is the larger one.
fn larger_and_smaller(subtract: Row, finite_only: bool, two_port: bool) -> Vec<Item> {
    let (a, b) = (A.j().plus(SIGN), B.j().plus(SIGN));
    let smaller = |to: Address| -> Vec<Row> {
        if two_port {
            let row = row().a(a).b(b).x(X::HSelect).y(Y::TSelect).majority().hold(HoldAction::Differ);
            return vec![row.tag(TagAction::Differ).write(to).down()];
        }
        let second = row().b(b).x(X::DSelect).y(Y::THSelect).majority().tag(TagAction::Differ);
        vec![row().a(a).hold(HoldAction::A), second.delay(DelayAction::Differ).write(to).down()]
    };
    let rewound = |mut rows: Vec<Row>| {
        let last = rows.pop().expect("there are rows");
        [rows, vec![last.rewind()]].concat()
    };
    // D has what H has with the other sensing, of which H is 1 then.
    let (is_a, is_not_a) = if two_port { (X::H, X::NotH) } else { (X::HD, X::NotHD) };
    // The exponent lies two rows above the place that the fraction's rows would give it: I is 2.
    let to = linear(1, Term::M, FLAGS - 1);
    let larger = |of: &dyn Fn(Row) -> Row| -> Vec<Row> {
        if two_port {
            return vec![of(row().a(B.j()).b(A.j()).x(X::HSelect).write(D.j()).up())];
        }
        vec![row().a(B.j()).hold(HoldAction::A), of(row().b(A.j()).x(X::DSelect).write(D.j()).up())]
    };
    let mut items = vec![
        once(subtract),
        once(row().a(a).x(X::A).write(flag(Flag::Sign)).down()),
        each_of(M, smaller(S.k().plus(to))),
        each_of(FRACTION, rewound(smaller(S.j().plus(to)))),
    ];
    items.extend((!two_port).then(|| once(row().hold_next(Next::One))));
    items.extend([
        once(row().x(is_a).y(Y::Differ).not_sum().write(flag(Flag::Equal))),
        once(row().b(flag(Flag::Subtract)).x(is_not_a).y(Y::B).majority().tag(TagAction::W)),
        once(tag_out(row().a(flag(Flag::Sign)).x(X::A)).write(flag(Flag::Sign)).tag(TagAction::Zero)),
    ]);
    if finite_only {
        // T: all ones, which is NaN if the exponent has them, too; then: a 0.
        items.push(once(row().x(X::One).tag(TagAction::W)));
        items.push(each_of(FRACTION, larger(&|row| row.tag(TagAction::And))));
        items.push(once(tag_out(row().x(X::One)).tag(TagAction::W)));
    } else {
        // T: a 1 in the fraction; then: a 0 in the exponent.
        items.push(each_of(FRACTION, larger(&|row| row.tag(TagAction::Differ))));
        let zero = row().x(X::One).y(Y::Differ).write(flag(Flag::NotANumber));
        items.push(once(zero.tag(TagAction::Zero)));
    }
    items.push(each_of(M, larger(&|row| row.not_sum().tag(TagAction::Differ).rewind())));
    let finite = tag_out(row()).write(flag(Flag::Finite));
    items.push(once(finite.tag(TagAction::Zero).hold(HoldAction::Zero)));
    items
}

/// The difference of the exponents, all ones in its low bits if it is larger; the exponent that normalisation may use
/// up; what is NaN, what cancels, what is flushed.
fn distance(finite_only: bool, reports: bool) -> Vec<Item> {
    let exponent = exponent(D.j());
    let difference = S.j().plus(DIFFERENCE);
    let both = row().a(exponent).b(difference).x(X::NotA);
    let mut items = vec![
        // T, H: the hidden bits of the larger and the smaller one. Where only the larger one has it, the smaller one's
        // exponent is one more than its field says, and C starts as 0.
        each(M, both.y(Y::B).tag(TagAction::Differ).hold(HoldAction::Differ).up().rewind()),
        once(tag_out(row().x(X::H)).carry_next(Next::NotSum)),
        each(M, chain(both.y(Y::NotB)).write(difference).up().rewind()),
        once(row().x(X::H).not_sum().write(hidden_row()).clear_carry()),
        once(tag_out(row()).write(flag(Flag::Hidden)).tag(TagAction::Zero)),
        // H: equal magnitudes are subtracted. T: NaN, if the larger one is infinite, too.
        once(row().a(flag(Flag::Subtract)).b(flag(Flag::Equal)).x(X::A).y(Y::B).hold_next(Next::Majority)),
    ];
    let infinite = row().a(flag(Flag::Finite)).x(X::NotA);
    if reports && !finite_only {
        // Infinity less infinity.
        items.extend([
            once(row().x(X::H).tag(TagAction::W)),
            once(row().a(flag(Flag::NotANumber)).x(X::A).tag(TagAction::And)),
            once(infinite.tag(TagAction::And).report(Report::Invalid)),
            once(row().tag(TagAction::Zero)),
        ]);
    }
    if finite_only {
        items.push(once(infinite.tag(TagAction::W)));
    } else {
        items.push(once(row().x(X::H).tag(TagAction::Differ)));
        items.push(once(row().a(flag(Flag::NotANumber)).x(X::NotA).tag(TagAction::Differ)));
        items.push(once(infinite.tag(TagAction::And)));
    }
    let equal = row().a(flag(Flag::Finite)).b(flag(Flag::Equal)).x(X::A).y(Y::B).majority().write(flag(Flag::Equal));
    let counted = row().a(lowest()).b(flag(Flag::Hidden)).x(X::A).y(Y::B).majority().write(lowest());
    // A flushed operand is shifted out like one that is far away. T: far away. H: the larger exponent is more than its
    // low bits.
    let flushed = row().x(X::One).steer_x().b(hidden_row()).y(Y::NotB).majority();
    let upper = row().a(S.k().plus(linear(1, Term::M, FLAGS - 1))).b(D.j().plus(SIGN)).x(X::A).y(Y::NotB);
    items.extend([
        once(tag_out(row()).write(flag(Flag::NotANumber))),
        // Numbers of the same magnitude. Then the exponent as it counts: 1 for 0.
        once(equal.tag(TagAction::Zero).hold(HoldAction::Zero)),
        once(counted),
        once(flushed.write(flag(Flag::Flushed)).tag(TagAction::W).down()),
        each(EXCESS, upper.tag(TagAction::Differ).hold(HoldAction::Differ).down().rewind()),
        once(row().x(X::H).write(flag(Flag::Large)).hold(HoldAction::Zero)),
        once(row().write(low(0)).carry_next(Next::One).i(OffsetAction::Halve)),
        each(LOG2, tag_out(row().a(difference).x(X::A)).majority().write(difference).up().rewind()),
    ]);
    items
}

/// T: the next stage of the alignment shifts.
fn fetch(row: Row) -> Row {
    row.a(S.l().plus(DIFFERENCE)).tag(TagAction::A).l(OuterAction::Up)
}

/// Shifts the window down, strides 1, 2, 4, …; H: sticky. The last row of a stage fetches what the next one does, and
/// behind the last one something that nobody takes. Before the first one row 0 is 0, and row 1 would be.
fn align() -> Vec<Item> {
    let (here, far) = (window(S.j()), window(S.k()));
    let leaves = row().b(here).y(Y::TB).hold(HoldAction::Differ).up().rewind();
    let moves = row().a(far).b(here).y(Y::TSelect).write(here).up();
    let fill = row().b(here).x(X::B).y(Y::TB).write(here).up();
    let last = once(fetch(fill).rewind().i(OffsetAction::Double));
    let stage = vec![
        each(Count::Stride, leaves),
        each(Count::StrideRest, moves),
        each(Count::StrideLessOne, fill.stride(StrideAction::Double)),
        last.clone(),
    ];
    let first = once(row().b(far).y(Y::TB).write(here).up());
    let fetched = once(fetch(row()).clear_carry().up());
    vec![fetched, first, each(FRACTION, moves.stride(StrideAction::Double)), last, outer(LOG2 - 1, stage)]
}

/// The larger significand plus or minus the window; a sticky bit borrows. T: subtraction. The guard bits are
/// `in_a_loop` where the program has a count left for it.
fn sum(two_port: bool, in_a_loop: bool) -> Vec<Item> {
    let here = window(S.j());
    let term = |row: Row| chain(row.y(Y::BXorT));
    let mut items = vec![
        once(row().a(flag(Flag::Subtract)).tag(TagAction::A)),
        once(row().b(flag(Flag::Flushed)).x(X::H).y(Y::NotB).hold_next(Next::Majority)),
    ];
    // With `AndNor` sensing the significands need H.
    items.extend((!two_port).then(|| once(row().x(X::H).write(flag(Flag::Sticky)))));
    items.push(once(chain(tag_out(row().x(X::NotH)))));
    let guard = term(row().b(here)).write(here).up();
    items.extend(if in_a_loop { vec![each(2, guard)] } else { vec![once(guard), once(guard)] });
    items.extend([
        each(FRACTION, term(row().a(D.j().plus(-2)).b(here).x(X::A)).write(here).up().rewind()),
        once(term(row().a(flag(Flag::Hidden)).b(hidden_row()).x(X::A)).write(hidden_row())),
        once(tag_out(row()).write(carry_row()).carry_next(Next::One)),
    ]);
    items
}

/// Shifts the window up, strides …, 4, 2, 1, until its row n is 1 or the exponent is used up. The rows of the
/// difference take the complement of the distance. H: the exponent is larger than all that is left to shift. C is 1, so
/// that the majority of x and 0, or y and 0, is x or y. The set `skip` has only the last stage where no sum has two
/// zeros on top that it might lose.
fn normalise(skip: bool, two_port: bool) -> Vec<Item> {
    let by_l = (D.l().plus(linear(1, Term::None, -5)), top(S.l()));
    let keep = row().a(flag(Flag::Large)).x(X::H).majority().hold_next(Next::AAndNotY);
    let keep = if two_port { keep.write(flag(Flag::Sticky)) } else { keep };
    let keep = keep.i(OffsetAction::Halve).stride(StrideAction::Halve);
    let last = stage((lowest(), killed()), true);
    if !skip {
        return [vec![once(keep), outer(LOG2 - 1, stage(by_l, false))], last].concat();
    }
    let mut items = vec![once(keep.clear_carry())];
    let (subtract, equal) = (flag(Flag::Subtract), flag(Flag::Equal));
    // Neither what has no exponent to use up, nor what is no number, nor what cancels.
    let zeros = row().a(carry_row()).b(hidden_row()).x(X::NotA).y(Y::NotB).majority().tag(TagAction::W);
    let moves = row().a(flag(Flag::Hidden)).b(flag(Flag::Finite)).x(X::A).y(Y::B).majority().tag(TagAction::And);
    let test = row().a(subtract).b(equal).x(X::NotA).y(Y::NotB).majority().tag(TagAction::And);
    let no_distance = row().x(X::One).write(S.j().plus(DIFFERENCE)).up().rewind();
    let stages = vec![outer(LOG2 - 1, stage(by_l, false)), once(row().tag(TagAction::W))];
    items.extend([each(LOG2, no_distance), once(zeros), once(moves.carry_next(Next::One))]);
    items.extend(wanted(true, test, stages));
    items.extend([
        // T: 1 if nobody had those stages. What the exponent's upper bits are worth has not been used.
        once(tag_out(row()).tag(TagAction::W).up()),
        each(LOG2 - 1, stays(exponent(D.j())).up().rewind()),
        outer(LOG2, vec![once(row().i(OffsetAction::Halve).stride(StrideAction::Halve))]),
        once(row().i(OffsetAction::Up).stride(StrideAction::Up)),
    ]);
    items.extend(last);
    items
}

/// w: a column stays, because T is 1 or because the exponent does not allow it to shift as far as this bit of it is
/// worth. H: else no later stage shifts as far as that. The bit is complemented.
fn stays(bit: Address) -> Row {
    tag_out(row().a(bit).x(X::HSelect)).majority().hold(HoldAction::Differ)
}

/// A stage, by the exponent's bit of its stride, with the row that takes the complemented bit of the distance. The last
/// one looks at a single row.
fn stage((bit, distance): (Address, Address), last: bool) -> Vec<Item> {
    let top = |index: Address| index.plus(linear(1, Term::None, FLAGS));
    let (source, to) = (top(S.j()), top(S.k()));
    let moves = row().a(to).b(source).y(Y::TSelect).majority().write(to).down();
    let fill = row().b(to).y(Y::TB).majority().write(to).down().rewind();
    // T: a 1 in the rows on top.
    let look = row().a(source).x(X::A).majority().down();
    let mut items = vec![once(look.tag(TagAction::A))];
    items.extend((!last).then(|| each(Count::StrideLessOne, look.tag(TagAction::Differ))));
    items.extend([
        once(stays(bit).tag(TagAction::Differ).write(distance).l(OuterAction::Down)),
        each(Count::StrideRest, moves),
        once(moves),
        each(Count::Stride, fill.i(OffsetAction::Halve).stride(StrideAction::Halve)),
    ]);
    items
}
