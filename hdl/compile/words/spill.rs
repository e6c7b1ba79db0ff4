//! Names that find no rows: they are kept in another array of the thread that has room, or in memory, and brought to
//! rows around each word that names them.
//!
//! Rows move as they are, of all threads at once. So a word that writes only some threads, or a part of the rows, gets
//! the old rows first.

use std::cmp::Reverse;

use fixedbitset::FixedBitSet;

use bitline_units::duality::isa::codes::Predicate;

use super::code::{Class, Code, Line, Name, Part};
use super::costs::MOST_MOVED;
use super::encode::{Anywhere, windows};
use super::select::Select;

/// Fewest rows of a name that is worth it.
const LEAST: u64 = 8;
/// Where no more than so many rows lack, names are chosen one by one, each when it is known what the last one changes:
/// fewer are spilled then. In kernels with more lines than so many that takes too long.
const CLOSE: u64 = 128;
const SHORT: usize = 400;

/// A name, and where it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The name.
    pub name: Name,
    /// The array that has room for it; none if it goes to memory.
    pub array: Option<u64>,
}

/// Names to spill, as long as some line of an array has far more rows in use than there are, and one in any case: of
/// those that are held at the line with the most rows in use, and not used there, the one with the most words to each
/// use. `limit` is how many rows an array has, those of masks apart.
pub fn choose(select: &Select<'_>, needed: &[FixedBitSet], scratch: &[u64], arrays: u64, limit: u64) -> Vec<Choice> {
    let rows = |name: Name| if let Class::Rows(rows) = select.classes[name] { rows } else { 0 };
    let mut demand = vec![vec![0; scratch.len()]; arrays as usize];
    for (line, rows) in scratch.iter().enumerate().filter(|(_, rows)| **rows > 0) {
        demand[windows(&select.lines[line].code, &Anywhere(&select.arrays)).0 as usize][line] += rows;
    }
    for (name, lines) in needed.iter().enumerate() {
        for (array, demand) in demand.iter_mut().enumerate().filter(|(array, _)| select.arrays[name] >> array & 1 == 1)
        {
            debug_assert!(array < arrays as usize);
            lines.ones().for_each(|line| demand[line] += rows(name));
        }
    }
    let shape = &select.analysis.shape;
    let weight = |line: &Line| {
        let depth = shape.loops.iter().filter(|one| one.inside[line.block]).count();
        10_u64.pow(depth.min(6) as u32)
    };
    // At which lines each name is used, and how often that is.
    let mut used: Vec<Vec<usize>> = vec![Vec::new(); needed.len()];
    let mut uses = vec![0; needed.len()];
    for (at, line) in select.lines.iter().enumerate() {
        let written = line.writes(&select.classes).map(|written| written.0);
        for name in line.code.reads(&select.classes).into_iter().chain(written) {
            if used[name].last() != Some(&at) {
                used[name].push(at);
                uses[name] += weight(line);
            }
        }
    }
    let score = |name: &Name| needed[*name].count_ones(..) as u64 * rows(*name) * 1000 / uses[*name].max(1);
    let most = limit + if scratch.len() <= SHORT { CLOSE } else { 0 };
    let mut choices: Vec<Choice> = Vec::new();
    let mut left: Vec<Name> = (0..needed.len())
        .filter(|name| (LEAST..=MOST_MOVED).contains(&rows(*name)) && select.arrays[*name].is_power_of_two())
        .filter(|name| !select.spilled.contains(name) && !needed[*name].is_clear())
        .collect();
    loop {
        let mut order: Vec<(usize, usize)> =
            (0..arrays as usize).flat_map(|array| (0..scratch.len()).map(move |line| (array, line))).collect();
        order.retain(|(array, line)| choices.is_empty() || demand[*array][*line] > most);
        order.sort_by_key(|(array, line)| Reverse(demand[*array][*line]));
        let found = order.into_iter().find_map(|(array, line)| {
            let held = |name: &&Name| {
                needed[**name][line]
                    && u64::from(select.arrays[**name]) == 1 << array
                    && used[**name].binary_search(&line).is_err()
            };
            left.iter().filter(held).max_by_key(|name| score(name)).map(|name| (*name, array))
        });
        let Some((name, home)) = found else { return choices };
        let room = |array: &u64| {
            let most = needed[name].ones().map(|line| demand[*array as usize][line]).max().unwrap_or(0);
            select.arrays[name] >> array & 1 == 0 && most + rows(name) <= limit
        };
        let array = (0..arrays).filter(room).find(|_| !select.lent.contains(&name));
        for line in needed[name].ones() {
            if used[name].binary_search(&line).is_err() {
                demand[home][line] -= rows(name);
            }
            if let Some(array) = array {
                demand[array as usize][line] += rows(name);
            }
        }
        left.retain(|other| *other != name);
        choices.push(Choice { name, array });
    }
}

fn touches(code: &Code, name: Name, classes: &[Class]) -> bool {
    code.reads(classes).contains(&name) || code.writes(classes).is_some_and(|written| written.0 == name)
}

/// Keeps a name in another array, or in memory from spill row `slot` on.
pub fn apply(select: &mut Select<'_>, choice: Choice, slot: u64) {
    let Choice { name, array } = choice;
    let Class::Rows(rows) = select.classes[name] else { return };
    let home = select.arrays[name];
    let whole = Part::all(name, rows);
    let mut lines = Vec::new();
    let (block, line) = select.lines.first().map_or((0, 0), |first| (first.block, first.line));
    match array {
        // What the launch writes, it writes there.
        Some(array) => {
            select.arrays[name] = 1 << array;
            select.lent.push(name);
        }
        None => select.spilled.push(name),
    }
    if array.is_none() && select.specials.iter().any(|special| special.1 == name) {
        let code = Code::Spill { store: true, part: whole, slot };
        lines.push(Line { code, block, line, keeps: false, origin: None });
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
        let own_name = select.name(Class::Rows(rows));
        select.arrays[own_name] = home;
        select.spilled.push(own_name);
        own.code.rename(name, own_name);
        own.keeps |= first && written;
        let part = Part::all(own_name, rows);
        let (block, line) = (own.block, own.line);
        let bring = |store| {
            let code = match (array, store) {
                (None, store) => Code::Spill { store, part, slot },
                (Some(_), true) => Code::Move { from: part, to: whole },
                (Some(_), false) => Code::Move { from: whole, to: part },
            };
            Line { code, block, line, keeps: false, origin: None }
        };
        lines.extend(first.then(|| bring(false)));
        let after = written.then(|| bring(true));
        lines.push(own);
        lines.extend(after);
    }
    select.lines = lines;
}
