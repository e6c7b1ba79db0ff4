//! Signed division with `TwoPort` sensing: magnitudes, the unsigned steps of [`crate::array::isa::ucode::div`], signs.
//! RISC-V semantics: rounding toward 0, the remainder has the dividend's sign; a zero divisor gives −1 and the
//! dividend.

use crate::array::isa::linear::{Linear, N};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Condition, Context, Formula, Operation};
use crate::array::isa::program::{Item, Program, each, once};
use crate::array::isa::row::Operand::{A, B, D, E, S};
use crate::array::isa::row::{Address, Row, row};
use crate::array::isa::ucode::div::{Rows, Steps, core, indexed, search_active};
use crate::array::isa::uop::{Multi, Next, PredicateAction, TagAction, X, Y};

/// d and e according to the operation.
pub(super) fn signed(opcode: Opcode, cx: Context) -> Operation {
    if !cx.two_port() {
        return crate::array::isa::ucode::div_and_nor::signed(opcode, cx);
    }
    let search = cx.multi_row();
    let formula: Formula = match (search, opcode) {
        (true, Opcode::DivS) => |n, _| (n * n + 9 * n) / 2 + 2,
        (true, Opcode::RemS) => |n, _| (n * n + 11 * n) / 2 + 1,
        (true, _) => |n, _| (n * n + 13 * n) / 2 + 2,
        (false, Opcode::DivS) => |n, _| (n * n + 11 * n) / 2 + 2,
        (false, Opcode::RemS) => |n, _| (n * n + 13 * n) / 2 + 1,
        (false, _) => |n, _| (n * n + 15 * n) / 2 + 2,
    };
    let op = Operation::new(opcode, formula).source(A, N).source(B, N).result(D, N);
    let (op, quotient, remainder, after) = match opcode {
        Opcode::DivS => (op, Some(D.row(0)), S.row(0), N),
        Opcode::RemS => (op, None, D.row(0), Linear::constant(0)),
        _ => (op.result(E, N), Some(D.row(0)), E.row(0), Linear::constant(0)),
    };
    // S: remainder (quotient alone), |b|, and on block RAM the suffix NORs of |b|, the one over all rows first.
    let blocks = if search { 1 } else { 2 };
    let op = op.scratch(Linear { n: after.n + blocks, ..after });
    let magnitude = S.row(after);
    let zero = S.row(Linear { n: after.n + 1, ..after });
    let active = if search { magnitude } else { Address { offset: zero.offset + 1, ..zero } };
    let rows = Rows { dividend: remainder, divisor: magnitude, remainder, quotient, active };
    let parts = Parts { rows, zero, search };
    let program = |steps: Steps| {
        let mut body = parts.magnitude_of_divisor(steps);
        body.extend(parts.magnitude_of_dividend(steps));
        body.extend(core(rows, search, steps));
        // The last step's idle port fetches the dividend's sign into P.
        if let Some(Item::Once(last)) = body.last_mut() {
            *last = last.a(A.row(N - 1)).predicate(PredicateAction::A);
        }
        if opcode == Opcode::DivS {
            body.push(once(parts.zero_flag(row().clear_carry())));
        } else {
            body.extend(parts.remainder_sign(quotient.is_some()));
        }
        body.extend(quotient.map(quotient_sign).into_iter().flatten());
        let program = Program::new("div signed", body).i(N - 1).z(1);
        if search { program.key_ones(N - 1) } else { program }
    };
    crate::array::isa::ucode::div::one_bit_two_port(op, quotient, (opcode != Opcode::DivS).then_some(remainder))
        .variant(&[Condition::Zero(N - 2)], program(Steps::Two))
        .variant(&[Condition::Zero(N - 3)], program(Steps::Three))
        .program(program(Steps::Many))
        .all_apart()
}

struct Parts {
    rows: Rows,
    /// Block RAM: the row that tells whether the divisor is 0.
    zero: Address,
    search: bool,
}

/// |from|, first row: the sign into T, bit 0 as it is.
fn magnitude_first(from: crate::array::isa::row::Operand, to: Address) -> Row {
    let r = row().a(from.row(N - 1)).b(from.row(0)).y(Y::B).carry_next(Next::AAndNotY).tag(TagAction::A);
    r.write(to).up()
}

fn magnitude_next(from: crate::array::isa::row::Operand, to: Address) -> Row {
    row().b(from.j()).y(Y::BXorT).carry_next(Next::Majority).write(indexed(to, A.j())).up()
}

impl Parts {
    /// |b|, and on block RAM its suffix NORs down to row 1. The carry of |b|'s top row is the complement of its top bit:
    /// that is the first suffix NOR, written while the rows that the next one reads are still on their way. Ends with
    /// C = 0.
    fn magnitude_of_divisor(&self, steps: Steps) -> Vec<Item> {
        let to = self.rows.divisor;
        let mut items = vec![once(magnitude_first(B, to))];
        if steps != Steps::Two {
            items.push(each(N - 2, magnitude_next(B, to)));
        }
        let last = magnitude_next(B, to).rewind();
        if self.search {
            items.push(once(last.clear_carry()));
            return items;
        }
        items.push(once(last.carry_next(Next::NotSum)));
        let at = |constant: i16| {
            let offset = Linear { n: self.zero.offset.n + 1, constant, ..self.zero.offset };
            Address { offset, ..indexed(self.zero, A.j()) }
        };
        let from = Linear { n: to.offset.n + 1, constant: -2, ..to.offset };
        let nor = row().b(Address { offset: from, ..indexed(to, A.j()) }).y(Y::NotB).majority();
        let nor = nor.carry_next(Next::Majority).write(at(-2)).down();
        let top = row().write(at(-1));
        match steps {
            Steps::Two => items.push(once(top.clear_carry())),
            Steps::Three => items.extend([once(top), once(nor.clear_carry().rewind())]),
            _ => items.extend([once(top), each(N - 3, nor), once(nor.clear_carry().rewind())]),
        }
        items
    }

    /// |a| into the remainder's rows; P for step 1 comes along; on block RAM, the suffix NOR over all rows follows, in
    /// time that the first step would spend waiting. Starts with C = 0 and ends with C = 1.
    fn magnitude_of_dividend(&self, steps: Steps) -> Vec<Item> {
        let to = self.rows.remainder;
        let mut items = vec![once(magnitude_first(A, to))];
        if steps != Steps::Two {
            items.push(each(N - 2, magnitude_next(A, to)));
        }
        let last = magnitude_next(A, to).carry_next(Next::One).rewind();
        if self.search {
            items.push(once(search_active(last, self.rows, 1)));
        } else {
            items.push(once(last.a(self.rows.active).predicate(PredicateAction::A)));
            // P · ¬b is the complement of b + ¬P, and C is 1.
            items.push(once(row().b(self.rows.divisor).y(Y::B).gate().write(self.zero)));
        }
        items
    }

    /// T ← the divisor is 0.
    fn zero_flag(&self, r: Row) -> Row {
        let r = r.tag(TagAction::A);
        // The key has run out: all its n bits are zeros.
        if self.search { r.a(self.rows.divisor).multi(Multi::NorOfZeros) } else { r.a(self.zero) }
    }

    /// Adds the divisor back where the remainder is negative, then complements it where the dividend is (P = 1). Ends
    /// with T = the divisor is 0 and C = 0, if `then_quotient`.
    fn remainder_sign(&self, then_quotient: bool) -> Vec<Item> {
        let window = indexed(self.rows.remainder, A.j());
        let divisor = indexed(self.rows.divisor, A.j());
        let fix = row().a(window).b(divisor).x(X::A).y(Y::TB).carry_next(Next::Majority).write(window).up();
        // T and C take ¬P; a complemented carry goes with the complemented sign.
        let sign = row().x(X::One).y(Y::Zero).gate().not_sum().carry_next(Next::Majority).tag(TagAction::W);
        let negate = row().b(window).x(X::One).y(Y::BXorT).not_sum().carry_next(Next::Majority).write(window).up();
        let last = negate.rewind();
        vec![
            each(N - 1, fix),
            once(fix.clear_carry().rewind()),
            once(sign),
            each(N - 1, negate),
            once(if then_quotient { self.zero_flag(last.clear_carry()) } else { last }),
        ]
    }
}

/// Complements the quotient where the signs differ and the divisor is not 0 (T = the divisor is 0, C = 0).
fn quotient_sign(quotient: Address) -> [Item; 2] {
    // a ⊕ (T ? a : b) is the sign; T and C take its complement.
    let sign = row().a(A.row(N - 1)).b(B.row(N - 1)).x(X::A).y(Y::TSelect).not_sum();
    let sign = sign.carry_next(Next::NotSum).tag(TagAction::W);
    let window = indexed(quotient, A.j());
    let negate = row().b(window).x(X::One).y(Y::BXorT).not_sum().carry_next(Next::Majority).write(window).up();
    [once(sign), each(N, negate)]
}
