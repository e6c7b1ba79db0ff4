//! Multiplication of floating-point numbers, IEEE 754, on `TwoPort` columns as they are: all directions of rounding,
//! subnormal numbers kept or flushed.
//!
//! ```text
//!  a, b ─▶ special values, hidden bits ─▶ product of the significands ─▶ exponent ─▶ down, if that is negative
//!      ─▶ up, as far as the exponent allows ─▶ round ─▶ d
//! ```
//!
//! A pass adds the multiplicand and moves the sum down a row: a bit of the product's low half goes to d, the high half
//! stays in place. The product's exponent, taken at its top bit, is what it may be shifted up by, until a 1 is on top
//! or the exponent is used up, so that subnormal operands and subnormal results need nothing of their own. Where
//! it is negative, the product first goes down by the number of d's rows, and the exponent's low bits are then what is
//! left to go up. A stage shifts as stages of sums do, but only as many of the low rows follow as later stages can
//! still reach; what those give up is ORed into the sticky bit.
//!
//! The set `skip` leaves out the way down where no exponent is negative, and all stages of the way up but the last one
//! where no product has two zeros on top: what only subnormal operands and results need.
//!
//! The set `baseline` asks the same, and has a product of its own (`float_mul_baseline.rs`) in formats of 16 bits and
//! more; those of 8 bits, which no paper has, run the programs of `fast`.
//!
//! Rows of a program are in the order of the pieces below. T, C and H have the meanings that comments give them.

use crate::array::isa::format::E4M3;
use crate::array::isa::linear::{EXCESS, LOG2, Linear, M, N, Term, ceil_log2};
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::operation::{Condition, Context, Operation, Variant};
use crate::array::isa::program::{Count, Item, Program, each, each_of, once, outer};
use crate::array::isa::row::Operand::{A, B, D, S};
use crate::array::isa::row::{Address, OffsetAction, OuterAction, Report, Row, StrideAction, row};
use crate::array::isa::ucode::float_exceptions::signals;
use crate::array::isa::ucode::float_flushed::look;
use crate::array::isa::ucode::float_mul_and_nor::{self as and_nor, Passes};
use crate::array::isa::ucode::float_mul_baseline;
use crate::array::isa::ucode::float_mul_flushed::with_flushed;
use crate::array::isa::ucode::float_mul_radix_4::{Place, Shape, above, fetch, of_shapes, passes, product_cycles};
use crate::array::isa::ucode::float_mul_round::rounded;
use crate::array::isa::ucode::float_mul_rows::*;
use crate::array::isa::ucode::float_operation::{of_numbers, wanted};
use crate::array::isa::ucode::float_rows::{FRACTION, at, chain, linear, tag_out};
use crate::array::isa::uop::{HoldAction, Next, TagAction, X, Y};

/// Rows of the significand in the middle of a pass; also its passes between the first and the last.
const MIDDLE: Linear = linear(1, Term::None, -4);

/// d ← a · b.
pub(super) fn mul(cx: Context) -> Operation {
    let (skip, reports) = (cx.set == Set::Skip, cx.exception_flags);
    // The shorter programs for the mode that flushes report nothing.
    let finished = |mut operation: Operation| {
        operation.counted = reports.then_some(cx);
        if reports { operation } else { with_flushed(operation, cx) }
    };
    let program = |finite_only: bool, skip: bool, product: Vec<Item>| {
        let mut body = operands(finite_only, reports);
        body.extend(product);
        body.extend(sum_of_exponents(skip));
        body.extend(shift_down(skip));
        body.extend(if skip { one_up() } else { shift_up() });
        body.extend(rounded(finite_only, None, MIDDLE.into(), cx, reports));
        Program::new("fmul", body).i(1)
    };
    if cx.radix_4() {
        let cycles = if skip { skipping::<true> } else { cycles::<true> };
        let program = |shape| program(shape == Shape::Four, skip, product_radix_4(shape, false)).z(shape.z());
        return finished(of_shapes(Opcode::FMul, cycles, &[A, B], SCRATCH, program));
    }
    let cycles = if skip { skipping::<false> } else { cycles::<false> };
    // Partial products are asked for, and so are shifts.
    let papers = || {
        let program = program(false, true, float_mul_baseline::product(cx.two_port()));
        program.stride(float_mul_baseline::HIGH).z(float_mul_baseline::PASSES)
    };
    if !cx.two_port() {
        let program = |passes| {
            let product = program(passes == Passes::One, skip, and_nor::product(passes));
            product.stride(and_nor::STRIDE).z(and_nor::HIGH)
        };
        let of = |finite_only: bool| match finite_only {
            true => program(Passes::One),
            false if cx.papers() => papers(),
            false => program(Passes::Many),
        };
        let mut operation = of_numbers(Opcode::FMul, cycles, &[A, B], SCRATCH, of);
        let short = vec![Condition::Zero(and_nor::behind_first())];
        operation.variants.insert(0, Variant { when: short, program: program(Passes::None) });
        return if cx.papers() || reports { operation } else { with_flushed(operation, cx) };
    }
    let written = |finite_only: bool| program(finite_only, skip, product(false));
    if cx.papers() {
        let of = |finite_only| if finite_only { written(true) } else { papers() };
        let mut operation = of_numbers(Opcode::FMul, cycles, &[A, B], SCRATCH, of);
        let short = vec![Condition::Zero(and_nor::behind_first())];
        operation.variants.insert(0, Variant { when: short, program: written(false) });
        operation.counted = Some(cx);
        return operation;
    }
    finished(of_numbers(Opcode::FMul, cycles, &[A, B], SCRATCH, written))
}

fn cycles<const RADIX_4: bool>(n: i64, m: i64) -> i64 {
    let stages = i64::from(ceil_log2(n as i32));
    let product = if RADIX_4 { product_cycles(n) - 1 } else { (n - 2) * (n - 2) };
    let shifts = 3 * n + stages * (n + 4) + 3 * (1 << stages);
    let special = if n == i64::from(E4M3.n()) { 2 * n + m - 8 } else { 0 };
    product + shifts + 2 * n + 7 * m + 48 + special
}

/// The most that the set `skip` takes.
fn skipping<const RADIX_4: bool>(n: i64, m: i64) -> i64 {
    cycles::<RADIX_4>(n, m) + 3 * i64::from(ceil_log2(n as i32)) + 2 * n + m + 12
}

/// Hidden bits, sign, special values.
fn operands(finite_only: bool, reports: bool) -> Vec<Item> {
    let (exponent_a, exponent_b) = fields();
    let exponents = row().a(exponent_a).b(exponent_b);
    let fractions = row().a(A.j()).b(B.j());
    let [finite_a, finite_b, counts_a, counts_b] = [0, 1, 2, 3].map(passing);
    let keep = |tag, hold| {
        let tag = tag_out(row()).write(tag).tag(TagAction::Zero);
        [once(tag), once(row().x(X::H).write(hold).hold(HoldAction::Zero))]
    };
    let mut items = vec![each(M, look(exponents.x(X::A).y(Y::B)).rewind())];
    items.extend(keep(flag(Flag::HIDDEN_A), flag(Flag::HIDDEN_B)));
    items.push(each(M, look(exponents.x(X::NotA).y(Y::NotB))));
    items.push(once(exponents.x(X::A).y(Y::B).write(flag(Flag::Sign)).rewind()));
    if finite_only {
        items.push(each(FRACTION, look(fractions.x(X::NotA).y(Y::NotB)).rewind()));
    }
    items.extend(keep(finite_a, finite_b));
    items.push(each(FRACTION, look(fractions.x(X::A).y(Y::B)).rewind()));
    let counts = |hidden: Flag, counts| row().a(flag(hidden)).b(counts).x(X::A).y(Y::B).majority().write(counts);
    let zero = row().a(counts_a).b(counts_b).x(X::NotA).y(Y::NotB).majority().write(flag(Flag::Zero));
    items.extend([
        once(row().a(finite_a).b(finite_b).x(X::A).y(Y::B).majority().write(flag(Flag::Numbers))),
        // C: subnormal operands count. Then the fractions that do, and the operands that are not zero.
        once(row().x(X::One).steer_x().carry_next(Next::NotSum)),
        once(tag_out(row()).majority().write(counts_a)),
        once(row().x(X::H).majority().write(counts_b).carry_next(Next::One)),
        once(counts(Flag::HIDDEN_A, counts_a)),
        once(counts(Flag::HIDDEN_B, counts_b)),
        once(zero.clear_carry()),
    ]);
    if !finite_only {
        // T, H: NaN, if this operand is not finite, for its fraction or because the other one is zero.
        if reports {
            items.extend(invalid_factors(exponent_a, exponent_b));
        }
        let or_zero = row().a(counts_b).b(counts_a).x(X::NotA).y(Y::NotB);
        items.extend([
            once(or_zero.tag(TagAction::Differ).hold(HoldAction::Differ)),
            once(row().a(finite_a).x(X::NotA).tag(TagAction::And)),
            once(row().b(finite_b).x(X::H).y(Y::NotB).hold_next(Next::Majority)),
            once(row().x(X::H).tag(TagAction::Differ)),
            once(tag_out(row()).write(flag(Flag::NotANumber))),
        ]);
    }
    items
}

/// Zero times infinity, and factors that signal, whose quiet bits have the index −1 in these rows. T, H: a 1 in the
/// fraction, of a, of b, before and behind it. J is 0, and so is C.
pub(super) fn invalid_factors(below_a: Address, below_b: Address) -> Vec<Item> {
    let [finite_a, finite_b, counts_a, counts_b, fraction_a, fraction_b] = [0, 1, 2, 3, 4, 5].map(passing);
    let not_finite = |finite: Address, other_counts: Address| {
        once(row().a(finite).b(other_counts).x(X::NotA).y(Y::NotB).majority().tag(TagAction::W))
    };
    let invalid = |fraction: Address| once(row().a(fraction).x(X::NotA).tag(TagAction::And).report(Report::Invalid));
    let mut items = vec![
        once(tag_out(row()).write(fraction_a)),
        once(row().x(X::H).write(fraction_b).down()),
        not_finite(finite_a, counts_b),
        invalid(fraction_a),
        not_finite(finite_b, counts_a),
        invalid(fraction_b),
    ];
    items.extend(signals(finite_a, below_a, fraction_a).map(once));
    items.extend(signals(finite_b, below_b, fraction_b).map(once));
    items.push(once(row().a(fraction_a).tag(TagAction::A).up()));
    items
}

/// The product of the significands. T: bit of a; H: the pass's carry, the top row of what the next one adds to. Of one
/// that is `flushed` C is the top bit in the end, and nothing is written below it.
pub(super) fn product(flushed: bool) -> Vec<Item> {
    let (to, from) = (high_from_one(S.j()), high_from_one(S.k()));
    let hidden = flag(Flag::HIDDEN_B);
    let first = row().b(B.j()).y(Y::TB).up();
    let adds = chain(first.x(X::A));
    let middle = each(MIDDLE, adds.a(from).write(to));
    let last = row().b(hidden).y(Y::TB).write(to).rewind();
    let carries = last.x(X::H).hold_next(Next::Majority).clear_carry();
    let fetching = |row: Row| once(row.a(A.l()).tag(TagAction::A).l(OuterAction::Up));
    let out = low_from_m(D.l());
    let mut items = vec![
        fetching(row().hold(HoldAction::Zero)),
        once(first.write(out)),
        each(MIDDLE, first.write(to)),
        fetching(last),
        outer(MIDDLE, vec![once(adds.a(high(2)).write(out)), middle.clone(), fetching(carries.a_unless_done())]),
        once(row().a(flag(Flag::HIDDEN_A)).tag(TagAction::A).l(OuterAction::Down)),
        once(adds.a(high(2)).write(high(1))),
        middle,
        once(carries),
    ];
    let top = row().x(X::H).write(top_bit()).hold(HoldAction::Zero);
    // The last of the low bits is the high rows' lowest.
    let lowest = once(row().a(out).x(X::A).write(high(0)).l(OuterAction::Up));
    if flushed {
        items.extend([lowest, once(to_carry(top))]);
    } else {
        items.extend([once(top), lowest]);
        items.extend(rows_below());
    }
    items
}

/// The same row, whose x goes to C as well.
pub(super) fn to_carry(row: Row) -> Row {
    row.y(Y::NotB).majority().carry_next(Next::Majority)
}

/// The same with two bits of a in a pass, in T and P. The last pass leaves its lowest bits in the high rows.
pub(super) fn product_radix_4(shape: Shape, flushed: bool) -> Vec<Item> {
    let (from, to) = (high_from_one(S.k()), high_from(S.j(), 0));
    let (low, i) = (low_from_m(D.l()), OffsetAction::Hold);
    let place = Place { from, to, low, i, gathers: flushed };
    let [next, top] = above(place);
    let mut items = vec![once(fetch(shape))];
    items.extend(passes(shape, place));
    items.push(once(next.l(OuterAction::Up)));
    if flushed {
        items.push(once(to_carry(top)));
    } else {
        items.push(once(top));
        items.extend(rows_below());
    }
    items
}

/// Nothing is below the product. C is 1 in the end.
fn rows_below() -> [Item; 2] {
    let last = row().write(D.j()).rewind().carry_next(Next::One);
    [each(M, row().write(D.j()).up()), once(last.l(OuterAction::Up))]
}

/// The exponent at the product's top bit; of a negative one the low bits, and 0 if it is far too small. Of zeros it has
/// no upper bits: they go down, and the low ones do not bring them up again. L becomes the scratch row of the
/// distance's top bit, I and the stride what the first stage shifts by.
fn sum_of_exponents(skip: bool) -> Vec<Item> {
    let (exponent_a, exponent_b) = fields();
    let to = exponent(S.j());
    let next = |row: Row| row.l(OuterAction::Up);
    let sum = |row: Row| chain(row.x(X::A).y(Y::B)).write(to).up();
    let fields = sum(row().a(exponent_a).b(exponent_b));
    let patch = |operand, hidden: Flag| row().a(lowest(operand)).b(flag(hidden)).x(X::A).y(Y::NotB).majority();
    let top = || row().b(to);
    let in_range = row().b(flag(Flag::Numbers)).x(X::H).y(Y::B).majority();
    let masked = row().b(to).y(Y::TB).write(to).up();
    let mut items = vec![
        // Exponents of subnormal numbers are 1.
        once(next(patch(A, Flag::HIDDEN_A).write(passing(0)))),
        once(next(patch(B, Flag::HIDDEN_B).write(passing(1)))),
        once(next(row().x(X::One).majority().tag(TagAction::W))),
        // The bias is one less than the top bit's weight: C is that 1, and the top bit is complemented.
        once(next(sum(row().a(passing(0)).b(passing(1))))),
        outer(LOG2 - 1, vec![once(next(fields.i(OffsetAction::Double).stride(StrideAction::Double)))]),
        // T: all ones in the upper bits.
        each(EXCESS, fields.tag(TagAction::And).flip_out()),
        once(next(row().down())),
        // H: neither negative nor more than m bits. Then: not more than m bits.
        once(next(row().a(to).x(X::A).hold_next(Next::NotSum).clear_carry())),
        once(next(top().x(X::NotH).y(Y::B).majority().write(flag(Flag::Below)).carry_next(Next::One))),
        once(next(top().x(X::H).y(Y::B).hold_next(Next::Majority).clear_carry().rewind())),
        once(next(in_range.write(flag(Flag::InRange)).hold(HoldAction::Zero))),
        once(row().a(flag(Flag::Below)).x(X::NotA).tag(TagAction::Differ)),
    ];
    let no_zero = row().a(flag(Flag::Zero)).x(X::NotA).tag(TagAction::And);
    // Zeros that stay have an exponent of 0.
    items.extend(skip.then(|| once(no_zero)));
    items.extend([
        each(LOG2, masked),
        once(row().a(flag(Flag::Below)).x(X::NotA).tag(TagAction::W)),
        once(no_zero),
        each(EXCESS, masked.hold(HoldAction::Differ).rewind()),
        once(row().x(X::H).write(flag(Flag::LARGE)).hold(HoldAction::Zero)),
    ]);
    items
}

/// Negative exponents: high row j becomes low row j − 1. T: there, and where an operand is zero. H: sticky.
fn shift_down(skip: bool) -> Vec<Item> {
    let high_rows = high_from_one(S.j());
    let leaves = |row: Row| row.x(X::B).y(Y::TB);
    let moves = row().a(high_rows).b(D.j()).y(Y::TSelect).write(D.j()).up().rewind();
    let low = low_from_m(D.j());
    let below = row().a(flag(Flag::Below)).b(flag(Flag::Zero)).x(X::A).y(Y::NotB).majority().tag(TagAction::W);
    let last = row().x(X::H).write(flag(Flag::STICKY)).hold(HoldAction::Zero).tag(TagAction::Zero);
    // T has them all, but where it is asked who goes down zeros are not: they come behind that.
    let (first, last) = if skip {
        (row().a(flag(Flag::Zero)).x(X::A).tag(TagAction::Differ), last)
    } else {
        (tag_out(row().x(X::One)).tag(TagAction::W), last.carry_next(Next::One))
    };
    let rows = vec![
        once(first),
        each(FRACTION, leaves(row().b(low)).write(low).hold(HoldAction::Differ).up().rewind()),
        once(leaves(row().b(high(0))).write(high(0)).hold(HoldAction::Differ)),
        each(N - 1, moves),
        each(N - 1, leaves(row().b(high_rows)).write(high_rows).up().rewind()),
        once(last),
    ];
    wanted(skip, below, rows)
}

/// Shifts up, strides …, 4, 2, 1, until the top bit is 1 or the exponent is used up. The rows of the distance take what
/// it was shifted by. C is 1, so that the majority of x and 0, or y and 0, is x or y. H: sticky.
pub(super) fn shift_up() -> Vec<Item> {
    let mut items = stage(true, S.l());
    items.push(outer(LOG2 - 1, stage(false, S.l())));
    items
}

/// The same, but if no product has two zeros on top only the last stage, by 1. C is 0 before.
fn one_up() -> Vec<Item> {
    let zero = |bit: Address| row().a(bit).x(X::NotA);
    let test = zero(flag(Flag::Zero)).tag(TagAction::And).carry_next(Next::One);
    let mut all = vec![once(row().tag(TagAction::Zero))];
    all.extend(shift_up());
    // T becomes 1 in all columns, since C is.
    all.push(once(row().tag(TagAction::W)));
    let collect = |from: Address| row().b(from).y(Y::B).majority().hold(HoldAction::Differ).up();
    let large = row().b(flag(Flag::LARGE)).x(X::H).y(Y::B).majority().write(flag(Flag::LARGE));
    // What stages would use up: what the exponent's upper bits are worth, and all low rows but two.
    let mut last = vec![
        once(row().up()),
        each(LOG2 - 1, collect(exponent(S.j())).rewind()),
        once(large.hold(HoldAction::Zero)),
        each(MIDDLE, collect(D.j())),
        each(EXCESS, collect(D.j())),
        each(LOG2 - 1, collect(D.j()).rewind()),
        outer(LOG2, vec![once(row().i(OffsetAction::Halve).stride(StrideAction::Halve))]),
        once(row().i(OffsetAction::Up).stride(StrideAction::Up)),
    ];
    last.extend(stage(false, passing(0)));
    let mut items = vec![
        each(LOG2, row().write(distance(S.j())).up().rewind()),
        once(zero(top_bit()).tag(TagAction::W).down()),
        once(zero(top(S.j())).tag(TagAction::And).rewind()),
    ];
    items.extend(wanted(true, test, all));
    // T: 1 if nobody had stages.
    items.extend(wanted(true, tag_out(row()).tag(TagAction::W), last));
    items
}

/// A stage; whether it shifted becomes the distance's bit in row `bit`, which is at L, or the lowest one.
fn stage(first: bool, bit: Address) -> Vec<Item> {
    let chosen = |to, from| row().a(to).b(from).y(Y::TSelect).majority().write(to).down();
    let (source, to) = (top(S.j()), top(S.k()));
    let (low_source, low_to) = (low_top(D.j()), low_top(D.k()));
    let by_l = bit == S.l();
    let exponent = if by_l { exponent_of_stage() } else { at(exponent(S.j()), 0) };
    let limit = || row().a(flag(Flag::LARGE)).b(exponent).majority();
    let given_up = row().b(low_source).y(Y::TB).majority().hold(HoldAction::Differ);
    let follows = chosen(low_to, low_source);
    let leave = |row: Row| row.rewind().i(OffsetAction::Halve).stride(StrideAction::Halve);
    let next = if by_l { OuterAction::Down } else { OuterAction::Hold };
    let mut items = if first { vec![] } else { vec![once(row().tag(TagAction::Zero))] };
    items.extend([
        // T: a 1 in the rows on top; then: stays, because of that or because the exponent does not allow it.
        each(Count::Stride, row().a(source).x(X::A).majority().tag(TagAction::Differ).down()),
        once(limit().x(X::NotA).y(Y::B).tag(TagAction::Differ)),
        // Where it stays and the exponent has this bit, no later stage shifts as far as the bit is worth.
        once(limit().x(X::A).y(Y::TB).write(flag(Flag::LARGE))),
        once(tag_out(row()).write(bit).l(next)),
        each(Count::StrideRest, chosen(to, source)),
        each(Count::Stride, chosen(to, low_source)),
    ]);
    if first {
        // There is a row less than twice the stride.
        items.push(each_of(Count::StrideLessOne, vec![given_up, follows]));
        items.push(once(leave(row().b(low_to).y(Y::TB).majority().write(low_to))));
    } else {
        items.push(each_of(Count::Stride, vec![given_up, leave(follows)]));
    }
    items
}
