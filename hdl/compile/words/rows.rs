//! Names to rows and scalar registers: first fit, by the words at which somebody needs what a name holds.
//!
//! A name is needed by threads that run, and by those that wait: where a thread may wait in a block, all that lives at
//! its beginning is kept. Scratch rows are needed at one word. A result may have the rows of a source that is used for
//! the last time there, if the operation allows that both begin at the same row. Each array has rows of its own; a name
//! that several arrays have is at the same place in all.

use std::ops::Range;

use fixedbitset::FixedBitSet;

use bitline_units::duality::params::MASK_ROWS;

use super::Rule;
use super::code::{Class, Code, Name};
use super::encode::{Encoder, Places, windows};
use super::select::Select;
use super::spill::{self, Choice};
use crate::error::{Error, Result};
use crate::flow::liveness::{self, Effect};

/// Where everything is.
pub struct Allotment {
    places: Vec<u64>,
    arrays: Vec<u8>,
    masks: Vec<u64>,
    /// The first scratch row of each line; 0 where it has none.
    pub scratch: Vec<u64>,
    /// Rows that the kernel needs, those of masks included.
    pub rows: u64,
    /// Scalar registers that it needs.
    pub scalars: u64,
    /// Names that would best be kept elsewhere, if there are too few rows.
    pub spills: Vec<Choice>,
}

impl Places for Allotment {
    fn place(&self, name: Name) -> u64 {
        self.places[name]
    }

    fn arrays(&self, name: Name) -> u8 {
        self.arrays[name]
    }

    fn mask(&self, block: usize) -> u64 {
        self.masks[block]
    }
}

/// Something that needs rows at some lines.
struct Need {
    name: Option<Name>,
    /// In which arrays.
    arrays: u8,
    rows: u64,
    lines: FixedBitSet,
    /// The first of them, and the one behind the last.
    span: Range<usize>,
    /// Of scratch rows the names of their word.
    touched: Vec<Name>,
    /// Its first row, when it has one.
    at: Option<u64>,
}

/// A line at which a result may take the place of a source.
struct Last {
    line: usize,
    result: Name,
    source: Name,
}

/// At which lines each name is needed, and where results may take the place of sources.
pub struct Needed {
    /// Lines, for each name.
    pub lines: Vec<FixedBitSet>,
    lasts: Vec<Last>,
}

impl Allotment {
    /// Gives everything its place, as if there were rows without end.
    ///
    /// # Errors
    ///
    /// A word that breaks a rule wherever its rows are; that is the compiler's fault, and says so.
    pub fn of(
        select: &Select<'_>,
        encoder: &Encoder,
        arrays: u64,
        limit: u64,
        without: Option<Rule>,
    ) -> Result<Allotment> {
        let analysis = select.analysis;
        let mut masks = vec![0; analysis.graph.blocks.len()];
        let mut bottom = MASK_ROWS;
        for block in (0..masks.len()).filter(|block| analysis.masks.has_row(*block)) {
            masks[block] = bottom;
            bottom += 1;
        }
        let Needed { lines: needed, lasts } = needed(select, without);
        let mut scratch = Vec::new();
        for line in &select.lines {
            scratch.push(encoder.scratch(&line.code).map_err(|illegal| {
                let reason = format!("the word made of this is illegal: {illegal}");
                let place = crate::error::Place { line: line.line, column: 1 };
                Error::source(&select.module.origin, place, reason)
            })?);
        }
        let names = needed.len();
        let mut allotment = Allotment {
            places: vec![0; select.classes.len()],
            arrays: select.arrays.clone(),
            masks,
            scratch: vec![0; select.lines.len()],
            rows: 0,
            scalars: 0,
            spills: Vec::new(),
        };
        let mut needs: Vec<Need> = Vec::new();
        let mut registers: Vec<Need> = Vec::new();
        for (name, lines) in needed.into_iter().enumerate().filter(|(_, lines)| !lines.is_clear()) {
            let span = span(&lines);
            let need =
                |rows, arrays| Need { name: Some(name), arrays, rows, lines, span, touched: Vec::new(), at: None };
            match select.classes[name] {
                Class::Rows(rows) => needs.push(need(rows, select.arrays[name])),
                Class::Scalar => registers.push(need(1, 1)),
            }
        }
        for (line, rows) in scratch.iter().enumerate().filter(|(_, rows)| **rows > 0) {
            let mut lines = FixedBitSet::with_capacity(select.lines.len());
            lines.insert(line);
            let arrays = 1 << windows(&select.lines[line].code, &allotment).0;
            let own = &select.lines[line];
            let written = own.writes(&select.classes).map(|written| written.0);
            let touched = own.reads(&select.classes).into_iter().chain(written).collect();
            needs.push(Need { name: None, arrays, rows: *rows, lines, span: line..line + 1, touched, at: None });
        }
        // What begins first comes first; at the same line scratch rows are last.
        needs.sort_by_key(|need| (need.span.start, need.name.is_none()));
        registers.sort_by_key(|need| need.span.start);
        let mut lasts: Vec<Last> = lasts.into_iter().filter(|last| allowed(select, encoder, last)).collect();
        lasts.sort_by_key(|last| last.line);
        allotment.rows = place(&mut needs, bottom, &lasts, without == Some(Rule::Scratch));
        // Parameters are where the launch puts them.
        for (number, (_, name)) in select.parameters.iter().enumerate() {
            for register in registers.iter_mut().filter(|register| register.name == Some(*name)) {
                register.at = Some(number as u64);
            }
        }
        allotment.scalars = place(&mut registers, 0, &[], false).max(select.parameters.len() as u64);
        for need in needs.iter().chain(&registers) {
            let at = need.at.expect("everything has its place");
            match need.name {
                Some(name) => allotment.places[name] = at,
                None => need.lines.ones().for_each(|line| allotment.scratch[line] = at),
            }
        }
        if allotment.rows > limit {
            let mut needed = vec![FixedBitSet::new(); names];
            for need in needs.into_iter().chain(registers) {
                need.name.into_iter().for_each(|name| needed[name].clone_from(&need.lines));
            }
            allotment.spills = spill::choose(select, &needed, &scratch, arrays, limit.saturating_sub(bottom));
        }
        Ok(allotment)
    }
}

/// Whether the operation allows the two to begin at the same row.
fn allowed(select: &Select<'_>, encoder: &Encoder, last: &Last) -> bool {
    let code = &select.lines[last.line].code;
    let Code::Compute { d, a, b, e, .. } = code else { return false };
    let whole = |name: Name| {
        let second = if let super::code::Second::Rows(part) = b { Some(part) } else { None };
        let parts = [a.as_ref(), e.as_ref(), second, Some(d)].into_iter().flatten();
        parts.filter(|part| part.name == name).all(|part| part.from == 0)
    };
    whole(last.source) && whole(last.result) && encoder.allows_together(code, last.source, last.result)
}

/// The first line of a set, and the one behind the last.
fn span(lines: &FixedBitSet) -> Range<usize> {
    let blocks = lines.as_slice();
    let last = blocks.iter().rposition(|block| *block != 0).unwrap_or(0);
    let end = (last + 1) * u32::BITS as usize - blocks.get(last).map_or(0, |block| block.leading_zeros() as usize);
    lines.ones().next().unwrap_or(0)..end
}

/// The first line at which both are needed, if there is one, and whether it is the only one.
fn common(own: &Need, other: &Need) -> Option<(usize, bool)> {
    let lines = own.span.start.max(other.span.start)..own.span.end.min(other.span.end);
    if lines.is_empty() {
        return None;
    }
    let bits = u32::BITS as usize;
    let blocks = lines.start / bits..(lines.end - 1) / bits + 1;
    let pairs = own.lines.as_slice()[blocks.clone()].iter().zip(&other.lines.as_slice()[blocks.clone()]);
    let mut both = blocks.zip(pairs.map(|(own, other)| own & other)).filter(|(_, both)| *both != 0);
    let (block, found) = both.next()?;
    let line = block * bits + found.trailing_zeros() as usize;
    Some((line, found.is_power_of_two() && both.next().is_none()))
}

/// First fit, of needs in the order of their first lines; the row behind the highest.
fn place(needs: &mut [Need], bottom: u64, lasts: &[Last], careless: bool) -> u64 {
    let mut top = bottom;
    // Those that have rows, as long as they may be needed: what comes begins no earlier.
    let mut placed: Vec<usize> = (0..needs.len()).filter(|other| needs[*other].at.is_some()).collect();
    for at in 0..needs.len() {
        let own = &needs[at];
        if let Some(given) = own.at {
            top = top.max(given + own.rows);
            continue;
        }
        placed.retain(|other| needs[*other].span.end > own.span.start);
        // What is there already at the same time; and what is, but may begin at the same row.
        let mut taken: Vec<(u64, u64)> = Vec::new();
        let mut shared: Vec<(u64, u64)> = Vec::new();
        for other in placed.iter().map(|other| &needs[*other]).filter(|other| other.arrays & own.arrays != 0) {
            let Some((line, alone)) = common(own, other) else { continue };
            if careless && own.name.is_none() && !own.touched.contains(&other.name.unwrap_or(usize::MAX)) {
                continue;
            }
            let range = (other.at.unwrap_or(0), other.rows);
            let pair = |last: &Last| {
                let names = (own.name, other.name);
                [(Some(last.result), Some(last.source)), (Some(last.source), Some(last.result))].contains(&names)
            };
            let first = lasts.partition_point(|last| last.line < line);
            let may = alone && lasts[first..].iter().take_while(|last| last.line == line).any(pair);
            if may { shared.push(range) } else { taken.push(range) }
        }
        let free = |from: u64| {
            let apart = |range: &(u64, u64)| from + own.rows <= range.0 || range.0 + range.1 <= from;
            taken.iter().all(apart) && shared.iter().all(|range| range.0 == from || apart(range))
        };
        let ends = taken.iter().chain(&shared).map(|range| range.0 + range.1);
        let mut candidates: Vec<u64> = ends.chain(shared.iter().map(|range| range.0)).chain([bottom]).collect();
        candidates.sort_unstable();
        let found = candidates.into_iter().find(|from| *from >= bottom && free(*from)).expect("rows without end");
        top = top.max(found + own.rows);
        needs[at].at = Some(found);
        placed.push(at);
    }
    top
}

/// At which lines each name is needed, and where results may take the place of sources.
pub fn needed(select: &Select<'_>, without: Option<Rule>) -> Needed {
    let (analysis, classes, lines) = (select.analysis, &select.classes, &select.lines);
    let (count, blocks) = (classes.len(), analysis.graph.blocks.len());
    let none = || FixedBitSet::with_capacity(count);
    let mut effects: Vec<Effect> = (0..blocks).map(|_| Effect { reads: none(), writes: none() }).collect();
    for line in lines {
        let effect = &mut effects[line.block];
        for name in line.reads(classes) {
            effect.reads.set(name, effect.reads[name] || !effect.writes[name]);
        }
        if let Some((name, true)) = line.writes(classes) {
            effect.writes.insert(name);
        }
    }
    let mut successors = analysis.shape.successors.clone();
    if without == Some(Rule::LoopValues) {
        let place = &analysis.shape.place;
        successors.iter_mut().enumerate().for_each(|(from, to)| to.retain(|to| place[*to] > place[from]));
    }
    let live = liveness::live_in(&successors, &effects, count);
    let waiting = |block: usize| {
        let mut kept = none();
        if without != Some(Rule::WaitingValues) {
            analysis.masks.waits[block].ones().for_each(|other| kept.union_with(&live[other]));
        }
        kept
    };
    let mut found = vec![FixedBitSet::with_capacity(lines.len()); count];
    let mut lasts = Vec::new();
    for block in 0..blocks {
        let kept = waiting(block);
        let mut after = liveness::live_out(&successors, &live, block, count);
        for at in (0..lines.len()).rev().filter(|at| lines[*at].block == block) {
            let (reads, written) = (lines[at].reads(classes), lines[at].writes(classes));
            let mut before = after.clone();
            if let Some((name, true)) = written {
                before.set(name, false);
            }
            before.extend(reads.iter().copied());
            for name in before.ones().chain(after.ones()).chain(kept.ones()).chain(written.map(|written| written.0)) {
                found[name].insert(at);
            }
            if let Some((result, true)) = written.filter(|written| !before[written.0] && !kept[written.0]) {
                let last = |source: &&Name| (!after[**source] || without == Some(Rule::LastUses)) && !kept[**source];
                let sources = reads.iter().filter(last).filter(|source| classes[**source] != Class::Scalar);
                lasts.extend(sources.map(|source| Last { line: at, result, source: *source }));
            }
            after = before;
        }
    }
    Needed { lines: found, lasts }
}
