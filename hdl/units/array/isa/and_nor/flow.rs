//! What is known in front of a row, and what is needed behind it, over all ways through a program.

use crate::array::isa::and_nor::column::{A, B, BEFORE, Latches, Table, and_nor, is_native, step, turns, two_port};
use crate::array::isa::assemble::{Word, words};
use crate::array::isa::program::Program;
use crate::array::isa::row::{Report, Row, Token};
use crate::array::isa::word::Kind;

/// About a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Facts {
    /// Places of the truth tables that can come up, by the latches' values.
    pub possible: Table,
    /// Whether C, T, H and D are needed behind it.
    pub needed: [bool; 4],
}

/// The facts of every row, in the order of [`Program::rows`]. T may be needed behind the last one.
pub(super) fn facts(program: &Program, gives_tag: bool) -> Vec<Facts> {
    let words = words(program);
    let next: Vec<Vec<usize>> = (0..words.len()).map(|at| following(&words, at)).collect();
    let mut all = vec![Facts { possible: 0, needed: [false; 4] }; words.len()];
    // Forward: which values latches may have.
    let start = [program.carry.into(), 0, 0, 0].map(|value: u64| Some(value == 1));
    let start = [start[0], if program.keep_tag { None } else { start[1] }, start[2], start[3]];
    all[0].possible = BEFORE.all().into_iter().zip(start).fold(!0, |places, (latch, value)| match value {
        Some(true) => places & latch,
        Some(false) => places & !latch,
        None => places,
    });
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        let behind = places_behind(&words[at].row, all[at].possible);
        for &to in &next[at] {
            if all[to].possible | behind != all[to].possible {
                all[to].possible |= behind;
                waiting.push(to);
            }
        }
    }
    // Backward: which ones matter.
    loop {
        let before = all.clone();
        for at in (0..words.len()).rev() {
            let row = &words[at].row;
            let last = gives_tag && (words[at].end || row.may_stop);
            let mut needed = [false, last || row.token != Token::None || row.report != Report::None, false, false];
            for &to in &next[at] {
                let of_next = needs(&words[to].row, all[to]);
                needed = [0, 1, 2, 3].map(|k| needed[k] || of_next[k]);
            }
            all[at].needed = needed;
        }
        if all == before {
            break;
        }
    }
    // What nobody needs any more may have been used for something else.
    for (word, facts) in words.iter().zip(&mut all) {
        for (k, needed) in needs(&word.row, *facts).into_iter().enumerate() {
            if !needed {
                let (latch, shift) = (BEFORE.all()[k], 4 << k);
                facts.possible |= (facts.possible & !latch) << shift | (facts.possible & latch) >> shift;
            }
        }
    }
    all
}

/// Where a row may lead.
fn following(words: &[Word], at: usize) -> Vec<usize> {
    let word = &words[at];
    let mut to = Vec::new();
    if matches!(word.kind, Kind::Inner | Kind::InnerOuter) {
        to.push(at - usize::from(word.back));
    }
    if matches!(word.kind, Kind::Outer | Kind::InnerOuter | Kind::AnySkip) {
        to.push(word.target);
    }
    if !word.end {
        to.push(at + 1);
    }
    to
}

/// Sensed bits, on the columns that a row is written for.
fn sensed(row: &Row) -> (Table, Table) {
    if is_native(row) { and_nor(row.a.map(|_| A), row.b.filter(|_| !row.merge).map(|_| B)) } else { two_port(row) }
}

pub(super) fn places_behind(row: &Row, possible: Table) -> Table {
    let (mut places, sensed) = (0, sensed(row));
    for control in turns(row) {
        let behind = step(&control, sensed, BEFORE).1;
        for combination in 0..16 {
            let of = |latches: Latches| {
                let bits = latches.all().into_iter().enumerate();
                bits.fold(!0, |p, (k, bit)| p & if combination >> k & 1 == 1 { bit } else { !bit })
            };
            if of(behind) & possible != 0 {
                places |= of(BEFORE);
            }
        }
    }
    places
}

/// Which latches a row needs, for what it writes and for what is needed behind it; also those that have one value only
/// in front of it, since it relies on that.
pub(super) fn needs(row: &Row, facts: Facts) -> [bool; 4] {
    let sensed = sensed(row);
    let mut needs = [false; 4];
    // Writes to some columns look at T; native rows may have port A at rest.
    needs[1] = row.column.predicated;
    for control in turns(row) {
        let (w, behind) = step(&control, sensed, BEFORE);
        let mut outputs = vec![];
        outputs.extend(row.w.map(|_| w));
        outputs
            .extend(behind.all().into_iter().zip(facts.needed).filter(|&(_, needed)| needed).map(|(table, _)| table));
        for (k, latch) in BEFORE.all().into_iter().enumerate() {
            let shift = 4 << k;
            let depends = |table: Table| (table ^ table >> shift) & !latch != 0;
            needs[k] |= outputs.iter().any(|&table| depends(table));
        }
    }
    needs
}
