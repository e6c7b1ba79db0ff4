//! Names that find no rows: they are kept in memory, and brought to rows around each word that names them.
//!
//! Spill rows move as they are, of all threads at once. So a word that writes only some threads, or a part of the rows,
//! gets the old rows first.

use fixedbitset::FixedBitSet;

use bitline_units::duality::isa::codes::Predicate;

use super::code::{Class, Code, Line, Name, Part, Row, Second, Start};
use super::select::Select;

/// Fewest rows of a name that is worth it.
const LEAST: u64 = 8;

/// The name to spill next: of those that are held at the line with the most rows in use, and not used there, the one
/// with the most words to each use.
pub fn choose(select: &Select<'_>, needed: &[FixedBitSet], scratch: &[u64]) -> Option<Name> {
    let rows = |name: Name| if let Class::Rows(rows) = select.classes[name] { rows } else { 0 };
    let mut demand: Vec<u64> = scratch.to_vec();
    for (name, lines) in needed.iter().enumerate() {
        lines.ones().for_each(|line| demand[line] += rows(name));
    }
    let shape = &select.analysis.shape;
    let weight = |line: &Line| {
        let depth = shape.loops.iter().filter(|one| one.inside[line.block]).count();
        10_u64.pow(depth.min(6) as u32)
    };
    let mut order: Vec<usize> = (0..demand.len()).collect();
    order.sort_by_key(|line| std::cmp::Reverse(demand[*line]));
    let uses = |name: Name| {
        let own = select.lines.iter().filter(|line| touches(&line.code, name, &select.classes));
        own.map(weight).sum::<u64>().max(1)
    };
    order.into_iter().find_map(|line| {
        let held = |name: &Name| {
            needed[*name][line]
                && rows(*name) >= LEAST
                && !select.spilled.contains(name)
                && !touches(&select.lines[line].code, *name, &select.classes)
        };
        let score = |name: &Name| needed[*name].count_ones(..) as u64 * rows(*name) * 1000 / uses(*name);
        (0..needed.len()).filter(held).max_by_key(score)
    })
}

fn touches(code: &Code, name: Name, classes: &[Class]) -> bool {
    code.reads(classes).contains(&name) || code.writes(classes).is_some_and(|written| written.0 == name)
}

/// Keeps a name in memory from spill row `slot` on.
pub fn apply(select: &mut Select<'_>, name: Name, slot: u64) {
    let Class::Rows(rows) = select.classes[name] else { return };
    select.spilled.push(name);
    let mut lines = Vec::new();
    let (block, line) = select.lines.first().map_or((0, 0), |first| (first.block, first.line));
    if select.specials.iter().any(|special| special.1 == name) {
        // The launch has written it to rows.
        let part = Part::all(name, rows);
        lines.push(Line { code: Code::Spill { store: true, part, slot }, block, line, keeps: false });
    }
    for mut own in std::mem::take(&mut select.lines) {
        if !touches(&own.code, name, &select.classes) {
            lines.push(own);
            continue;
        }
        let written = own.code.writes(&select.classes).is_some_and(|written| written.0 == name);
        let part_of_threads = match &own.code {
            Code::Compute { predicate, .. } | Code::Memory { predicate, .. } => *predicate != Predicate::All,
            _ => false,
        };
        let first = own.code.reads(&select.classes).contains(&name) || written && part_of_threads;
        select.classes.push(Class::Rows(rows));
        let own_name = select.classes.len() - 1;
        select.spilled.push(own_name);
        rename(&mut own.code, name, own_name);
        own.keeps |= first && written;
        let part = Part::all(own_name, rows);
        let spill =
            |store| Line { code: Code::Spill { store, part, slot }, block: own.block, line: own.line, keeps: false };
        lines.extend(first.then(|| spill(false)));
        let after = written.then(|| spill(true));
        lines.push(own);
        lines.extend(after);
    }
    select.lines = lines;
}

fn rename(code: &mut Code, from: Name, to: Name) {
    let change = |name: &mut Name| {
        if *name == from {
            *name = to;
        }
    };
    let in_second = |b: &mut Second| match b {
        Second::Rows(part) => change(&mut part.name),
        Second::Scalar(name, _) => change(name),
        Second::None | Second::Number(..) => {}
    };
    match code {
        Code::Compute { d, a, b, e, .. } => {
            change(&mut d.name);
            [a, e].into_iter().flatten().for_each(|part| change(&mut part.name));
            in_second(b);
        }
        Code::Memory { d, b, s, start, .. } => {
            [d, b, s].into_iter().flatten().for_each(|part| change(&mut part.name));
            if let Start::Rows(part) = start {
                change(&mut part.name);
            }
        }
        Code::Mask { a: Some(Row::Predicate(name)), .. } | Code::Jump { on: Some(Row::Predicate(name)), .. } => {
            change(name);
        }
        _ => {}
    }
}
