//! Rows of `AndNor` columns that do what a row of `TwoPort` columns does: the first that are found, the fewest first.

use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::array::isa::and_nor::column::*;
use crate::array::isa::and_nor::flow::Facts;
use crate::array::isa::row::{Address, Row, row};
use crate::array::isa::uop::*;
use crate::array::params::Columns;

/// Which rows are raised, and to which columns the result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Ports {
    None,
    A,
    B,
    Both,
    /// One row is raised, and the other one takes the result where T = 1.
    AIntoB,
    BIntoA,
}

/// What has to become of a column: where places are possible, the tables of what is needed.
#[derive(Clone, Copy)]
struct Wanted {
    possible: Table,
    w: Option<Table>,
    latches: [Option<Table>; 4],
}

/// Everything that the rows found depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    turns: Vec<ColumnControl>,
    rows: [bool; 6],
    facts: Facts,
    /// T is kept complemented before the row, and behind it.
    complemented: [bool; 2],
}

type Found = Option<Vec<(Ports, ColumnControl)>>;

/// The rows that do the same as `row`, which is none of `AndNor` columns, where T is kept complemented before it and
/// behind it, or is not.
pub(super) fn replace(row: &Row, facts: Facts, complemented: [bool; 2]) -> Option<Vec<Row>> {
    static KNOWN: LazyLock<Mutex<HashMap<Key, Found>>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let same = row.a == row.b;
    let into = |address: Option<Address>| row.w.is_some() && row.w == address && !row.write_on_exit && !same;
    let into = [into(row.a), into(row.b)];
    let rows = [row.a.is_some(), row.b.is_some() && !same, row.w.is_some(), into[0], into[1], row.held_without_tag];
    let key = Key { turns: turns(row), rows, facts, complemented };
    let found = known().get(&key).cloned();
    let found = found.unwrap_or_else(|| {
        let found = Search::of(row, &key).run();
        known().insert(key, found.clone());
        found
    });
    found.map(|steps| {
        let last = steps.len() - 1;
        steps.into_iter().enumerate().map(|(at, step)| placed(row, step, at == last)).collect()
    })
}

/// A step as a row.
fn placed(from: &Row, (ports, column): (Ports, ColumnControl), last: bool) -> Row {
    let (a, b) = match ports {
        Ports::None => (None, None),
        Ports::A => (from.a, None),
        Ports::B => (None, from.b),
        Ports::Both if from.w == from.a && column.predicated => (from.b, from.a),
        Ports::Both | Ports::AIntoB => (from.a, from.b),
        Ports::BIntoA => (from.b, from.a),
    };
    let merge = matches!(ports, Ports::AIntoB | Ports::BIntoA);
    let base = if last { *from } else { row() };
    Row { a, b, merge, column, ..base }
}

struct Search {
    wanted: Wanted,
    /// What is wanted where something is complemented, by the same turns of x, y and w.
    turned: Vec<(ColumnControl, Wanted)>,
    original: ColumnControl,
    /// The latches at the beginning.
    before: Latches,
    /// T is not kept complemented.
    plain: bool,
    ports: Vec<Ports>,
    /// Whether the result may go to some columns only: it is written to row A or B.
    into: [bool; 2],
}

impl Search {
    fn of(row: &Row, key: &Key) -> Search {
        let sensed = two_port(row);
        let wanted = |control: &ColumnControl| {
            let (w, latches) = step(control, sensed, BEFORE);
            let needed = key.facts.needed;
            let mut latches = latches.all().map(Some);
            (0..4).filter(|&k| !needed[k]).for_each(|k| latches[k] = None);
            if key.complemented[1] {
                latches[1] = latches[1].map(|tag| !tag);
            }
            // Where P is 0 a product with T is held, since T is 0.
            let held = if row.held_without_tag { BEFORE.t & !BEFORE.d } else { 0 };
            Wanted { possible: key.facts.possible & !held, w: row.w.map(|_| w), latches }
        };
        let ports = match key.rows {
            [false, false, ..] => vec![Ports::None],
            [true, false, ..] => vec![Ports::A],
            [false, true, ..] => vec![Ports::B],
            [true, true, ..] => vec![Ports::Both, Ports::A, Ports::B],
        };
        let turned = key.turns[1..].iter().map(|control| (*control, wanted(control))).collect();
        let into = [key.rows[3], key.rows[4]];
        let before = Latches { t: if key.complemented[0] { !BEFORE.t } else { BEFORE.t }, ..BEFORE };
        let plain = key.complemented == [false; 2];
        Search { wanted: wanted(&row.column), turned, original: row.column, before, plain, ports, into }
    }

    fn run(&self) -> Found {
        if let Some(control) = self.as_it_is() {
            return Some(vec![(self.ports[0], control)]);
        }
        if let Some(last) = self.last(self.before) {
            return Some(vec![last]);
        }
        let first = self.preparations(self.before, self.wanted.possible);
        let few = if self.plain { first.len() } else { FEW };
        for &(step, behind) in first.iter().take(few) {
            if let Some(last) = self.last(behind) {
                return Some(vec![step, last]);
            }
        }
        if !self.plain {
            return None;
        }
        for &(step, between) in &first {
            for (second, behind) in self.preparations(between, self.wanted.possible).into_iter().take(FEW) {
                if let Some(last) = self.last(behind) {
                    return Some(vec![step, second, last]);
                }
            }
        }
        None
    }

    /// The row's own codes, if they do here what they do there.
    fn as_it_is(&self) -> Option<ColumnControl> {
        let control = ColumnControl { gate: false, p: PredicateAction::Hold, ..self.original };
        let same = control == self.original && control.suits(Columns::AndNor);
        (same && self.does(&control, self.ports[0], self.before)).then_some(control)
    }

    /// One step that does all that is left.
    fn last(&self, before: Latches) -> Option<(Ports, ColumnControl)> {
        let mut all: Vec<(Ports, bool)> = self.ports.iter().map(|&ports| (ports, false)).collect();
        let merged = [Ports::BIntoA, Ports::AIntoB].into_iter().zip(self.into).filter(|&(_, into)| into);
        all.extend(merged.map(|(ports, _)| (ports, true)));
        if self.into.contains(&true) && self.ports.len() > 1 {
            all.push((Ports::Both, true));
        }
        for (ports, predicated) in all {
            let sensed = sensed(ports);
            let xs = XS.iter().map(|&code| (code, x(code, sensed, before)));
            let ys: Vec<(Y, Table)> = YS.iter().map(|&code| (code, y(code, sensed, before))).collect();
            let (kept, written) = (self.kept(ports), self.wanted.w);
            for (x_code, x) in xs {
                for &(y_code, y) in &ys {
                    let adder = Adder { sensed, x, y, before };
                    let (sum, majority) = (adder.sum(), adder.majority());
                    for (out, w) in OUTS.into_iter().zip([sum, majority, !sum, before.t & majority]) {
                        let row = if predicated { before.t & w | !before.t & kept } else { w };
                        if written.is_some_and(|want| (row ^ want) & self.wanted.possible != 0) {
                            continue;
                        }
                        let control = ColumnControl { x: x_code, y: y_code, out, predicated, ..Default::default() };
                        let found = self.actions(adder, w, control);
                        if let Some(control) = found.filter(|control| self.does(control, ports, before)) {
                            return Some((ports, control));
                        }
                    }
                }
            }
        }
        None
    }

    /// The codes of the latches, if there are any.
    fn actions(&self, adder: Adder, w: Table, control: ColumnControl) -> Option<ColumnControl> {
        let wanted = self.wanted;
        let is = |table: Table, want: Option<Table>| want.is_none_or(|want| (table ^ want) & wanted.possible == 0);
        let [c, t, h, d] = wanted.latches;
        let t = *TAGS.iter().find(|&&action| is(adder.tag(action, w), t))?;
        let d = *DelayAction::ALL.iter().find(|&&action| is(adder.delay(action, w), d))?;
        NEXTS.into_iter().find_map(|next| {
            let value = adder.next(next);
            let c = *CARRIES.iter().find(|&&action| is(adder.carry(action, value), c))?;
            let h = *HOLDS.iter().find(|&&action| is(adder.hold(action, w, value), h))?;
            let used = c == CarryAction::Load || h == HoldAction::Load;
            let next = if used { next } else { Next::default() };
            Some(ColumnControl { next, c, t, h, d, ..control })
        })
    }

    /// The row that keeps its bit where T = 0.
    fn kept(&self, ports: Ports) -> Table {
        match ports {
            Ports::AIntoB => B,
            Ports::BIntoA => A,
            _ if self.into[1] => B,
            _ => A,
        }
    }

    /// Whether a step does all that is wanted, complemented or not.
    fn does(&self, control: &ColumnControl, ports: Ports, before: Latches) -> bool {
        let turn = |of: &ColumnControl| -> Option<ColumnControl> {
            let code = |one: u64, other: u64, own: u64| own ^ one ^ other;
            let x = X::from_code(code(of.x.code(), self.original.x.code(), control.x.code()))?;
            XS.contains(&x).then_some(ColumnControl {
                x,
                y: Y::from_code(code(of.y.code(), self.original.y.code(), control.y.code()))?,
                out: match (of.out == self.original.out, control.out) {
                    (true, out) => out,
                    (false, WriteBack::Sum) => WriteBack::NotSum,
                    (false, WriteBack::NotSum) => WriteBack::Sum,
                    (false, out) => out,
                },
                ..*control
            })
        };
        let fits = |control: &ColumnControl, wanted: &Wanted| {
            let (w, behind) = step(control, sensed(ports), before);
            let w = if control.predicated { before.t & w | !before.t & self.kept(ports) } else { w };
            let is = |table: Table, want: Option<Table>| want.is_none_or(|want| (table ^ want) & wanted.possible == 0);
            is(w, wanted.w) && behind.all().into_iter().zip(wanted.latches).all(|(table, want)| is(table, want))
        };
        fits(control, &self.wanted)
            && self.turned.iter().all(|(of, wanted)| turn(of).is_some_and(|control| fits(&control, wanted)))
    }

    /// Steps that change one latch and nothing else, simple ones first, with what the latches are behind them.
    fn preparations(&self, before: Latches, possible: Table) -> Vec<((Ports, ColumnControl), Latches)> {
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        let masked = |l: Latches| l.all().map(|table| table & possible);
        seen.insert(masked(before));
        let mut add = |ports: Ports, control: ColumnControl| {
            let behind = step(&control, sensed(ports), before).1;
            if seen.insert(masked(behind)) {
                all.push(((ports, control), behind));
            }
        };
        let idle = row().column;
        let carry = ColumnControl { c: CarryAction::Load, next: Next::AAndNotY, ..idle };
        add(Ports::None, ColumnControl { h: HoldAction::Load, next: Next::One, ..idle });
        let ports: Vec<Ports> = self.ports.iter().copied().filter(|&p| p != Ports::Both).collect();
        for &ports in &ports {
            add(ports, ColumnControl { h: HoldAction::A, ..idle });
            add(ports, ColumnControl { d: DelayAction::A, ..idle });
            add(ports, carry);
            add(ports, ColumnControl { t: TagAction::A, ..idle });
        }
        for &ports in [Ports::None].iter().chain(&self.ports) {
            for x in [X::Zero, X::A, X::NotA, X::One, X::H, X::NotH] {
                for y in [Y::Zero, Y::B, Y::NotB, Y::One, Y::TB, Y::NotTB, Y::BXorT, Y::Differ] {
                    for out in OUTS {
                        let c = ColumnControl { x, y, out, ..Default::default() };
                        TAGS.iter().for_each(|&t| add(ports, ColumnControl { t, ..c }));
                        HOLDS[..4].iter().for_each(|&h| add(ports, ColumnControl { h, ..c }));
                        DelayAction::ALL.iter().for_each(|&d| add(ports, ColumnControl { d, ..c }));
                    }
                    for next in NEXTS {
                        add(ports, ColumnControl { x, y, next, c: CarryAction::Load, ..Default::default() });
                        add(ports, ColumnControl { x, y, next, h: HoldAction::Load, ..Default::default() });
                    }
                }
            }
        }
        all
    }
}

/// Operands of `AndNor` columns.
static XS: LazyLock<Vec<X>> =
    LazyLock::new(|| X::ALL.iter().copied().filter(|x| x.columns().is_none_or(|c| c == Columns::AndNor)).collect());
static YS: LazyLock<Vec<Y>> =
    LazyLock::new(|| Y::ALL.iter().copied().filter(|y| y.columns().is_none_or(|c| c == Columns::AndNor)).collect());
/// How many steps are tried where others might do.
const FEW: usize = 30;
const OUTS: [WriteBack; 4] = [WriteBack::Sum, WriteBack::Majority, WriteBack::NotSum, WriteBack::TMajority];
const NEXTS: [Next; 5] = [Next::Majority, Next::One, Next::NotSum, Next::AAndNotY, Next::TMajority];
const CARRIES: [CarryAction; 3] = [CarryAction::Hold, CarryAction::Zero, CarryAction::Load];
const HOLDS: [HoldAction; 5] =
    [HoldAction::Hold, HoldAction::Zero, HoldAction::Load, HoldAction::Differ, HoldAction::A];
const TAGS: [TagAction; 7] =
    [TagAction::Hold, TagAction::Zero, TagAction::W, TagAction::Differ, TagAction::A, TagAction::And, TagAction::Xor];

/// Sensed bits.
fn sensed(ports: Ports) -> (Table, Table) {
    match ports {
        Ports::None => and_nor(None, None),
        Ports::A | Ports::AIntoB => and_nor(Some(A), None),
        Ports::B | Ports::BIntoA => and_nor(None, Some(B)),
        Ports::Both => and_nor(Some(A), Some(B)),
    }
}
