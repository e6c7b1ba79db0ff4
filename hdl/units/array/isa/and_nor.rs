//! Rows that are written for `TwoPort` columns, on `AndNor` columns: floating-point programs are tables for both.
//!
//! A row that raises two rows and asks for one of them alone becomes two or three rows: one or two bring a bit into a
//! latch whose value nobody needs any more, the last one does what the row did. What needs no more than A·B and A+B,
//! such as an addition, stays one row; so does a choice by T, where the destination is among the rows: there the write
//! goes to the columns with T = 1 only. Where that is where T would be 0, T is kept complemented for a while. Loops,
//! addresses, steps, tokens and the key stay with the last row, and so does what a row reports: there T is as it is.
//!
//! ```text
//!  program ─▶ flow: which values latches may have in front of a row, who needs them behind it
//!          ─▶ search: the first rows that do the same, tried on every value of A, B and the latches
//!          ─▶ choice of the places where T is kept complemented: the fewest cycles
//! ```
//!
//! Nothing here is a list of cases: what replaces a row follows from what the columns compute. Latch P, which `AndNor`
//! columns do not have, is D in them. Rows with codes that only `AndNor` has are written for it, and stay as they are.

mod column;
mod flow;
mod search;

use crate::array::isa::and_nor::column::is_native;
use crate::array::isa::and_nor::flow::{Facts, facts, needs, places_behind};
use crate::array::isa::and_nor::search::replace;
use crate::array::isa::format::F32;
use crate::array::isa::program::{Count, Item, Program};
use crate::array::isa::row::{Report, Row, row};
use crate::array::isa::uop::{ColumnControl, HoldAction, Next, TagAction, X, Y};

/// The program on `AndNor` columns; whether T is a result.
///
/// # Panics
/// If a row cannot be replaced: micro-programs are part of this crate, and a test makes all of them.
pub(crate) fn on_and_nor(program: &Program, gives_tag: bool) -> Program {
    let facts = facts(program, gives_tag || program.keep_tag);
    let rows = program.rows().into_iter().copied().collect();
    let mut lowering = Lowering { name: program.name, rows, facts, at: 0, failed: String::new() };
    let [plain, complemented] = lowering.items(&program.body, [Some(Way::default()), None]);
    let plain = better(plain, complemented.filter(|_| !gives_tag && !program.keep_tag));
    let body = plain.unwrap_or_else(|| panic!("{}: no rows for {}", program.name, lowering.failed)).items;
    Program { body, ..program.clone() }
}

/// Items so far, and the cycles that they take in binary32, about.
#[derive(Clone, Default)]
struct Way {
    items: Vec<Item>,
    cycles: u64,
}

impl Way {
    fn and(&self, items: impl IntoIterator<Item = Item>, cycles: u64) -> Way {
        let mut way = self.clone();
        way.items.extend(items);
        way.cycles += cycles;
        way
    }
}

/// The best ways to a place, with T as it is and complemented.
type Ways = [Option<Way>; 2];

fn better(one: Option<Way>, other: Option<Way>) -> Option<Way> {
    match (one, other) {
        (Some(a), Some(b)) => Some(if b.cycles < a.cycles { b } else { a }),
        (a, b) => a.or(b),
    }
}

struct Lowering {
    name: &'static str,
    rows: Vec<Row>,
    facts: Vec<Facts>,
    /// Rows that have been passed.
    at: usize,
    /// What no rows were found for, the last time.
    failed: String,
}

impl Lowering {
    fn items(&mut self, body: &[Item], mut ways: Ways) -> Ways {
        for item in body {
            let (first, facts) = (&self.rows[self.at], self.facts[self.at]);
            ways = turned(&ways, Facts { needed: needs(first, facts), ..facts });
            ways = match item {
                Item::Once(row) if self.holds(row) => self.held(&ways, Item::Once, row, 1),
                Item::Each(count, rows) if rows.len() == 1 && self.holds(&rows[0]) => {
                    self.held(&ways, |row| Item::Each(*count, vec![row]), &rows[0], times(*count))
                }
                Item::Once(row) => {
                    let facts = self.next();
                    through(&ways, |from, to| rows(row, facts, [from, to]).map(onces))
                }
                Item::Each(count, rows) => {
                    let (from, times) = (self.at, times(*count));
                    self.at += rows.len();
                    let facts = self.facts[from..self.at].to_vec();
                    through(&ways, |from, to| if from == to { pass(rows, &facts, from, *count, times) } else { None })
                }
                Item::Outer(count, body) => {
                    let (at, times) = (self.at, times(*count));
                    let mut around = |complemented: usize| {
                        self.at = at;
                        let mut start: Ways = [None, None];
                        start[complemented] = Some(Way::default());
                        self.items(body, start)[complemented].take()
                    };
                    let bodies = [around(0), around(1)];
                    self.at = at + rows_of(body);
                    through(&ways, |from, to| {
                        let way = bodies[from].as_ref().filter(|_| from == to)?;
                        Some((vec![Item::Outer(*count, way.items.clone())], way.cycles * times))
                    })
                }
                Item::IfAnyTag(row, body) => {
                    let facts = self.next();
                    let [asked, _] = through(&ways, |from, to| rows(row, facts, [from, to]).map(onces));
                    let at = self.at;
                    let [done, _] = self.items(body, [Some(Way::default()), None]);
                    self.at = at + rows_of(body);
                    let way = asked.zip(done).map(|(mut way, body)| {
                        let Some(Item::Once(last)) = way.items.pop() else { panic!("{}: no row asks", self.name) };
                        way.and([Item::IfAnyTag(last, body.items)], body.cycles)
                    });
                    [way, None]
                }
                Item::WhileKey { .. } => panic!("{}: no program for both sensings scans the key", self.name),
            };
            if ways.iter().all(Option::is_none) {
                self.failed = format!("{item:?}");
                return ways;
            }
        }
        if matches!(body.last(), Some(Item::IfAnyTag(..))) {
            return ways;
        }
        let (last, facts) = (&self.rows[self.at - 1], self.facts[self.at - 1]);
        turned(&ways, Facts { possible: places_behind(last, facts.possible), ..facts })
    }

    /// Whether a row holds columns whose T may be 1, and nobody needs T or H behind it.
    fn holds(&self, row: &Row) -> bool {
        let like = |row: &Row| row.column.gate && row.column.x == X::Zero && row.column.y == Y::TB;
        let behind = (self.at..self.rows.len()).find(|&at| !like(&self.rows[at]));
        let needed = behind.is_some_and(|at| needs(&self.rows[at], self.facts[at])[1]);
        like(row) && !row.held_without_tag && !needed && !self.facts[self.at].needed[2]
    }

    /// Such a row, by T where P is 1, and by P, which is D.
    fn held(&mut self, ways: &Ways, item: impl Fn(Row) -> Item, row_of: &Row, times: u64) -> Ways {
        let _ = self.next();
        let first = row().hold_next(Next::One);
        // T and P, whatever C is.
        let second = row().x(X::HD).y(Y::TD).majority().tag(TagAction::And);
        let sum = ColumnControl { x: X::NotHD, gate: false, ..row_of.column };
        let items = || vec![Item::Once(first), Item::Once(second), item(Row { column: sum, ..*row_of })];
        through(ways, |from, _| (from == 0).then(|| (items(), 2 + times)))
    }

    fn next(&mut self) -> Facts {
        self.at += 1;
        self.facts[self.at - 1]
    }
}

/// The ways to the same place where T may become its complement, which takes a row if T is needed.
fn turned(ways: &Ways, facts: Facts) -> Ways {
    through(ways, |from, to| {
        if from == to || !facts.needed[1] {
            return Some((vec![], 0));
        }
        let rows = replace(&row(), facts, [from == 1, to == 1]);
        rows.filter(|rows| rows.len() == 1).map(onces)
    })
}

/// The best ways behind something that has items and cycles for T before and behind it.
fn through(ways: &Ways, of: impl Fn(usize, usize) -> Option<(Vec<Item>, u64)>) -> Ways {
    [0, 1].map(|to| {
        let by = |from: usize| {
            let way = ways[from].as_ref()?;
            of(from, to).map(|(items, cycles)| way.and(items, cycles))
        };
        better(by(0), by(1))
    })
}

fn onces(rows: Vec<Row>) -> (Vec<Item>, u64) {
    let cycles = rows.len() as u64;
    (rows.into_iter().map(Item::Once).collect(), cycles)
}

/// The rows of a loop, T being the same before and behind it.
fn pass(rows_of: &[Row], facts: &[Facts], complemented: usize, count: Count, times: u64) -> Option<(Vec<Item>, u64)> {
    let mut start: Ways = [None, None];
    start[complemented] = Some(Way::default());
    for (row, &facts) in rows_of.iter().zip(facts) {
        start = through(&start, |from, to| rows(row, facts, [from, to]).map(onces));
    }
    let way = start[complemented].take()?;
    let mut all: Vec<Row> =
        way.items.iter().map(|item| if let Item::Once(row) = item { *row } else { row() }).collect();
    let mut items = Vec::new();
    // What is the same in every pass comes once, in front of the loop.
    if let [first, second] = all[..] {
        if is_constant(&first) && second.column.h == HoldAction::Hold {
            items.push(Item::Once(all.remove(0)));
        }
    }
    let cycles = items.len() as u64 + all.len() as u64 * times;
    items.push(Item::Each(count, all));
    Some((items, cycles))
}

/// The rows instead of one, with T complemented before and behind them or not.
fn rows(row: &Row, facts: Facts, complemented: [usize; 2]) -> Option<Vec<Row>> {
    // Where nobody needs T, it is both.
    let complemented = [complemented[0] == 1 && needs(row, facts)[1], complemented[1] == 1 && facts.needed[1]];
    // What a row reports is T as it is.
    if row.report != Report::None && complemented[1] {
        return None;
    }
    let held = row.column.t == TagAction::Hold && facts.needed[1];
    if held && complemented[0] != complemented[1] {
        return None;
    }
    if !is_native(row) {
        return replace(row, facts, complemented);
    }
    // A row of `AndNor` columns takes T as it is, and leaves it as it is.
    let reads = needs(
        row,
        Facts { needed: [facts.needed[0], !held && facts.needed[1], facts.needed[2], facts.needed[3]], ..facts },
    )[1];
    let fits = !(reads && complemented[0]) && (held || !complemented[1]);
    fits.then(|| vec![*row])
}

/// Whether a row does nothing but make H a constant.
fn is_constant(of: &Row) -> bool {
    let c = of.column;
    let takes = c.h == HoldAction::Load && c.next == Next::One || c.h == HoldAction::Zero;
    let idle = ColumnControl { h: HoldAction::Hold, next: Next::default(), ..c } == row().column;
    takes && idle && of.a.is_none() && of.b.is_none() && of.w.is_none()
}

/// How many rows there are.
fn rows_of(body: &[Item]) -> usize {
    let of = |item: &Item| match item {
        Item::Once(_) => 1,
        Item::Each(_, rows) => rows.len(),
        Item::Outer(_, body) => rows_of(body),
        Item::IfAnyTag(_, body) => 1 + rows_of(body),
        Item::WhileKey { body, .. } => 2 + rows_of(body),
    };
    body.iter().map(of).sum()
}

/// How often a loop runs in binary32, about.
fn times(count: Count) -> u64 {
    match count {
        Count::Linear(linear) => linear.value(F32.n().into(), F32.m().into()).max(1) as u64,
        Count::StrideRest | Count::Width | Count::WidthLessTwo | Count::WidthLessThree => 20,
        Count::Triangle => 12,
        Count::Stride | Count::StrideLessOne | Count::HalfStride => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::isa::linear::N;
    use crate::array::isa::program::{each, once};
    use crate::array::isa::row::Operand::{A, B, D};
    use crate::array::isa::uop::WriteBack;

    fn made(body: Vec<Item>) -> Vec<Row> {
        on_and_nor(&Program::new("test", body), false).rows().into_iter().copied().collect()
    }

    fn both() -> Row {
        row().a(A.j()).b(B.j()).x(X::A).carry_next(Next::Majority).write(D.j()).up()
    }

    #[test]
    fn what_adds_stays_as_it_is() {
        let rows = made(vec![each(N, both().y(Y::B))]);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].column, both().y(Y::B).column);
    }

    #[test]
    fn a_difference_holds_one_of_the_rows() {
        let rows = made(vec![each(N, both().y(Y::NotB))]);
        let [first, second] = rows[..] else { panic!("{rows:?}") };
        assert!(first.a.is_some() != first.b.is_some() && first.w.is_none() && first.column.h == HoldAction::A);
        assert!(second.w == Some(D.j()) && second.column.c == both().column.c && second.column.h == HoldAction::Hold);
    }

    #[test]
    fn a_latch_that_is_needed_stays() {
        // H is written behind A · ¬B, so that another latch has to do.
        let rows = made(vec![
            once(row().b(B.j()).y(Y::B).hold(HoldAction::Differ)),
            once(row().a(A.j()).b(B.j()).x(X::A).y(Y::NotB).majority().write(D.j()).clear_carry()),
            once(row().x(X::H).write(D.j().plus(N))),
        ]);
        let writes = rows.iter().position(|row| row.w == Some(D.j())).expect("it is written");
        assert!(writes > 1 && rows[1..=writes].iter().all(|row| row.column.h == HoldAction::Hold), "{rows:?}");
    }

    #[test]
    fn a_choice_is_written_to_some_columns() {
        let fetch = once(row().a(A.at(0)).tag(TagAction::A));
        let moves = row().y(Y::TSelect).write(D.j()).up();
        let rows = made(vec![fetch.clone(), each(N, moves.a(A.j()).b(D.j()))]);
        assert!(rows.len() == 2 && rows[1].merge && rows[1].column.predicated, "{rows:?}");
        // Where T = 0 it is T's complement, which is fetched in its place.
        let rows = made(vec![fetch, each(N, moves.a(D.j()).b(A.j()))]);
        assert!(rows.len() == 2 && rows[1].merge && rows[1].column.predicated, "{rows:?}");
        assert_eq!(rows[0].column.t, TagAction::W, "{rows:?}");
    }

    #[test]
    fn what_may_come_up_is_relied_on() {
        // C is 1, so that the majority of a row's bit and 0 is that bit.
        let rows = made(vec![once(row().carry_next(Next::One)), once(row().a(A.j()).x(X::A).majority().write(D.j()))]);
        assert!(rows.len() == 2 && rows[1].column.out == WriteBack::Majority, "{rows:?}");
    }
}
