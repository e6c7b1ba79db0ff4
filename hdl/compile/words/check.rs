//! Holds emitted words against the selection that they come from: every row that a word reads was written by a word
//! that the kernel's own order allows, whatever way the thread and the others have gone.
//!
//! The kernel's side knows blocks, names and the order of the text: which lines reach a read. The words' side knows
//! arrays and rows, and one thread that is at some block while the program is at some other: where it is not at the
//! program's block it waits, and what words do in all threads is rubbish in its rows. Moves and spill words take along
//! what rows hold. Scratch rows hold rubbish behind their word, and no word but those of masks writes mask rows.
//!
//! Waits need no more than this: all rows of a word are in arrays whose windows have it, windows keep the order of
//! words, and words of several windows meet. Were a value in another window without a move, its rows would be rubbish.

use std::collections::{HashMap, VecDeque};

use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::{Kind, MemoryOp, Predicate};
use bitline_units::duality::isa::compute::Operations;
use bitline_units::duality::isa::field::*;
use bitline_units::duality::params::{DualityParams, SLOTS};

use super::Analysis;
use super::code::{Code, Line, Name, Part, Row, Second, Start};
use super::select::Select;

/// What a row may hold, as a number of a list of sets.
type Held = usize;
/// A row of a value: the line that wrote it, and its number. [`RUBBISH`] stands for everything else.
type Token = (usize, u64);
const RUBBISH: Token = (usize::MAX, 0);

/// Sets of tokens, each once.
struct Sets {
    all: Vec<Vec<Token>>,
    known: HashMap<Vec<Token>, Held>,
    unions: HashMap<(Held, Held), Held>,
}

impl Sets {
    fn of(&mut self, mut tokens: Vec<Token>) -> Held {
        tokens.sort_unstable();
        tokens.dedup();
        if let Some(held) = self.known.get(&tokens) {
            return *held;
        }
        self.all.push(tokens.clone());
        self.known.insert(tokens, self.all.len() - 1);
        self.all.len() - 1
    }

    fn union(&mut self, one: Held, other: Held) -> Held {
        if one == other {
            return one;
        }
        if let Some(both) = self.unions.get(&(one, other)) {
            return *both;
        }
        let both = self.of([self.all[one].as_slice(), &self.all[other]].concat());
        self.unions.insert((one, other), both);
        both
    }

    /// Adds a state to another; tells whether that has changed.
    fn merge(&mut self, into: &mut Vec<Held>, from: &[Held]) -> bool {
        if into.is_empty() {
            *into = from.to_vec();
            return true;
        }
        let mut changed = false;
        for (into, from) in into.iter_mut().zip(from) {
            let both = self.union(*into, *from);
            changed |= std::mem::replace(into, both) != both;
        }
        changed
    }
}

/// What a word does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    A,
    B,
    E,
    S,
    Address,
    Result,
}

/// Operands of a line, by names.
fn named(code: &Code) -> Vec<(Role, Part)> {
    let mut found = Vec::new();
    let mut put = |role, part: Option<Part>| found.extend(part.map(|part| (role, part)));
    match code {
        Code::Compute { d, a, b, e, .. } => {
            put(Role::A, *a);
            put(Role::B, if let Second::Rows(part) = b { Some(*part) } else { None });
            put(Role::E, *e);
            put(Role::Result, Some(*d));
        }
        Code::Memory { d, b, s, start, .. } => {
            put(Role::Address, if let Start::Rows(part, ..) = start { Some(*part) } else { None });
            put(Role::B, *b);
            put(Role::S, *s);
            put(Role::Result, *d);
        }
        Code::Mask { a: Some(Row::Predicate(name)), .. } => put(Role::A, Some(Part::all(*name, 1))),
        _ => {}
    }
    found
}

/// Rows: array, first row, number.
type Rows = (u64, u64, u64);

/// Operands by rows, and scratch rows.
type Placed = (Vec<(Role, Rows)>, Option<Rows>);

/// Those of a word.
fn placed(word: Word, operations: &Operations) -> Result<Placed, String> {
    let (slot, width) = (word.get(SLOT), word.get(WIDTH) + 1);
    let mut found = Vec::new();
    let mut scratch = None;
    match word.kind().map_err(|illegal| illegal.to_string())? {
        Kind::Compute => {
            let shape = operations.shape(word).map_err(|illegal| illegal.to_string())?;
            let all = [
                (Role::A, shape.a.map(|a| a.0)),
                (Role::B, shape.b),
                (Role::E, shape.e),
                (Role::Result, Some(shape.d)),
            ];
            let own = all.into_iter().filter_map(|(role, rows)| rows.map(|rows| (role, (slot, rows.0, rows.1))));
            found.extend(own);
            scratch = (shape.scratch > 0).then(|| (slot, word.get(S), shape.scratch));
        }
        Kind::Memory => {
            let op = MemoryOp::from_code(word.get(MEMORY_OP)).ok_or("no operation")?;
            let data = |field| (word.get(DATA_SLOT), word.get(field), width);
            if word.address_in_rows() {
                found.push((Role::Address, (slot, word.get(A), word.get(WIDTH_A) + 1)));
            }
            found.extend((op != MemoryOp::Load || word.crosses()).then(|| (Role::B, data(B))));
            found.extend((op == MemoryOp::Compare).then(|| (Role::S, data(S))));
            found.extend((op != MemoryOp::Store).then(|| (Role::Result, data(D))));
        }
        Kind::Mask => found.push((Role::A, (slot, word.get(A), 1))),
        _ => {}
    }
    Ok((found, scratch))
}

/// The lines that reach each operand of each line, by the order of the text; by line, role and row of the operand.
struct Reference(HashMap<(usize, Role, u64), Held>);

impl Reference {
    fn of(select: &Select<'_>, sets: &mut Sets) -> Reference {
        let (analysis, lines) = (select.analysis, &select.lines);
        // Rows of all names, one name behind the other.
        let mut first = Vec::new();
        let mut count = 0;
        for class in &select.classes {
            first.push(count);
            count += if let super::code::Class::Rows(rows) = class { *rows as usize } else { 0 };
        }
        let rubbish = sets.of(vec![RUBBISH]);
        let mut entry = vec![rubbish; count];
        for (_, name, rows) in &select.specials {
            (0..*rows).for_each(|row| entry[first[*name] + row as usize] = sets.of(vec![launched(*name, row)]));
        }
        let blocks = analysis.graph.blocks.len();
        let mut states = vec![Vec::new(); blocks];
        states[0] = entry;
        let mut found = HashMap::new();
        let mut work = VecDeque::from([0]);
        while let Some(block) = work.pop_front() {
            let mut state = states[block].clone();
            for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.block == block) {
                for (role, part) in named(&line.code) {
                    for row in 0..part.rows {
                        let held = &mut state[first[part.name] + (part.from + row) as usize];
                        if role != Role::Result {
                            found.insert((at, role, row), *held);
                            continue;
                        }
                        let own = sets.of(vec![(at, part.from + row)]);
                        *held = if chooses(&line.code) { sets.union(*held, own) } else { own };
                    }
                }
            }
            for to in &analysis.shape.successors[block] {
                if sets.merge(&mut states[*to], &state) {
                    work.push_back(*to);
                }
            }
        }
        Reference(found)
    }
}

fn launched(name: Name, row: u64) -> Token {
    (usize::MAX - 1 - name, row)
}

/// Whether only threads write that a row of their own chooses.
fn chooses(code: &Code) -> bool {
    matches!(code, Code::Compute { predicate: Predicate::Where | Predicate::Unless, .. })
}

/// A program with what it comes from.
pub struct Emitted<'a, 'k> {
    /// The selection, in the order of the text.
    pub select: &'a Select<'k>,
    /// Lines with their words, in the order of the program; labels have none.
    pub lines: Vec<(&'a Line, Word)>,
    /// What the launch writes.
    pub specials: Vec<(Name, Rows)>,
    /// Mask rows.
    pub masks: Vec<u64>,
}

/// Checks a program.
///
/// # Errors
///
/// The first word found that reads what it must not.
pub fn check(emitted: &Emitted<'_, '_>, params: &DualityParams) -> Result<(), String> {
    let operations = Operations::new(params);
    let (select, analysis) = (emitted.select, emitted.select.analysis);
    let mut sets = Sets { all: Vec::new(), known: HashMap::new(), unions: HashMap::new() };
    let reference = Reference::of(select, &mut sets);
    let mut walk = Walk { sets, rubbish: 0, reference, operations, rows: params.rows as u64, emitted };
    walk.rubbish = walk.sets.of(vec![RUBBISH]);
    let mut entry = vec![walk.rubbish; SLOTS * params.rows];
    for (name, (array, row, rows)) in &emitted.specials {
        for k in 0..*rows {
            let at = walk.at(*array, row + k);
            entry[at] = walk.sets.of(vec![launched(*name, k)]);
        }
    }
    // The program's block, and that of the thread.
    let mut states: HashMap<(usize, usize), Vec<Held>> = HashMap::from([((0, 0), entry)]);
    let mut spills: HashMap<(usize, usize), HashMap<u64, Held>> = HashMap::new();
    let mut work = VecDeque::from([(0, 0)]);
    while let Some((block, thread)) = work.pop_front() {
        let mut state = states[&(block, thread)].clone();
        let mut spilled = spills.get(&(block, thread)).cloned().unwrap_or_default();
        walk.block(block, block == thread, &mut state, &mut spilled)?;
        for next in followers(analysis, block, thread) {
            let into = states.entry(next).or_default();
            let mut changed = walk.sets.merge(into, &state);
            let into = spills.entry(next).or_default();
            for (slot, held) in &spilled {
                let old = into.get(slot).copied();
                let both = old.map_or(*held, |old| walk.sets.union(old, *held));
                changed |= old != Some(both);
                into.insert(*slot, both);
            }
            if changed {
                work.push_back(next);
            }
        }
    }
    Ok(())
}

/// Where program and thread go behind a block.
fn followers(analysis: &Analysis, block: usize, thread: usize) -> Vec<(usize, usize)> {
    let successors = &analysis.shape.successors[block];
    let varies = analysis.varies();
    let masked = &analysis.masks.masked;
    if !masked[block] && !varies[block] {
        return successors.iter().map(|to| (*to, *to)).collect();
    }
    let threads = if block == thread { successors.clone() } else { vec![thread] };
    let left = analysis.masks.leave(&analysis.graph, &analysis.shape, &varies, block);
    let all = left.iter().flat_map(|(to, waits)| {
        // A jump back is not taken where nobody waits for it: behind it nobody does.
        let there = move |thread: &&usize| waits[**thread] || **thread == analysis.graph.exit();
        threads.iter().filter(there).map(|thread| (*to, *thread))
    });
    // All threads meet in blocks that are not masked.
    all.filter(|(to, thread)| masked[*to] || to == thread).collect()
}

struct Walk<'a, 'k> {
    sets: Sets,
    rubbish: Held,
    reference: Reference,
    operations: Operations,
    rows: u64,
    emitted: &'a Emitted<'a, 'k>,
}

impl Walk<'_, '_> {
    fn at(&self, array: u64, row: u64) -> usize {
        (array * self.rows + row) as usize
    }

    /// Goes through a block, where the thread runs or waits.
    fn block(
        &mut self,
        block: usize,
        runs: bool,
        state: &mut [Held],
        spilled: &mut HashMap<u64, Held>,
    ) -> Result<(), String> {
        let emitted = self.emitted;
        for (number, (line, word)) in emitted.lines.iter().enumerate().filter(|(_, line)| line.0.block == block) {
            let told = |what: String| format!("word {number} ({:?}): {what}", line.code);
            let (operands, scratch) = placed(*word, &self.operations).map_err(told)?;
            match line.origin {
                None => self.brings(&line.code, *word, state, spilled),
                Some(origin) => {
                    let code = &emitted.select.lines[origin].code;
                    let parts: HashMap<Role, Part> = named(code).into_iter().collect();
                    for (role, (array, row, rows)) in operands {
                        let Some(part) = parts.get(&role) else { continue };
                        for k in 0..rows.min(part.rows) {
                            let at = self.at(array, row + k);
                            if role != Role::Result {
                                self.read((origin, role, k), state[at], runs).map_err(told)?;
                            } else if !matches!(word.kind(), Ok(Kind::Mask)) && emitted.masks.contains(&(row + k)) {
                                return Err(told(format!("writes mask row {}", row + k)));
                            }
                        }
                        if role == Role::Result {
                            self.write(code, origin, *part, (array, row, rows), runs, state);
                        }
                    }
                }
            }
            if let Some((array, row, rows)) = scratch {
                for k in 0..rows {
                    let at = self.at(array, row + k);
                    if emitted.masks.contains(&(row + k)) {
                        return Err(told(format!("has mask row {} as scratch", row + k)));
                    }
                    state[at] = self.rubbish;
                }
            }
        }
        Ok(())
    }

    fn read(&self, place: (usize, Role, u64), held: Held, runs: bool) -> Result<(), String> {
        let Some(legal) = self.reference.0.get(&place).filter(|_| runs) else { return Ok(()) };
        let (held, legal) = (&self.sets.all[held], &self.sets.all[*legal]);
        match held.iter().find(|token| !legal.contains(token)) {
            None => Ok(()),
            Some(token) => {
                Err(format!("row {} of {:?} may hold {token:?}, and must be of {legal:?}", place.2, place.1))
            }
        }
    }

    fn write(&mut self, code: &Code, origin: usize, part: Part, rows: Rows, runs: bool, state: &mut [Held]) {
        let active = match code {
            Code::Compute { predicate, .. } | Code::Memory { predicate, .. } => *predicate == Predicate::Active,
            _ => false,
        };
        for k in 0..rows.2 {
            let at = self.at(rows.0, rows.1 + k);
            let own = match runs {
                true => self.sets.of(vec![(origin, part.from + k)]),
                false if active => continue,
                false => self.rubbish,
            };
            state[at] = if chooses(code) { self.sets.union(state[at], own) } else { own };
        }
    }

    /// Rows go elsewhere as they are.
    fn brings(&mut self, code: &Code, word: Word, state: &mut [Held], spilled: &mut HashMap<u64, Held>) {
        let rows = word.get(WIDTH) + 1;
        match code {
            Code::Move { .. } => {
                for k in 0..rows {
                    let held = state[self.at(word.get(SLOT), word.get(A) + k)];
                    for array in (0..SLOTS as u64).filter(|array| word.get(TARGETS) >> array & 1 == 1) {
                        let at = self.at(array, word.get(D) + k);
                        state[at] = held;
                    }
                }
            }
            Code::Spill { store, .. } => {
                for k in 0..rows {
                    let slot = word.get(IMMEDIATE) + k;
                    let row = word.get(if *store { B } else { D }) + k;
                    let at = self.at(word.get(DATA_SLOT), row);
                    if *store {
                        spilled.insert(slot, state[at]);
                    } else {
                        state[at] = spilled.get(&slot).copied().unwrap_or(self.rubbish);
                    }
                }
            }
            _ => {}
        }
    }
}
