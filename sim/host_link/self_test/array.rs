//! Operations of the array: operands from memory into rows, the command, its results from rows to memory, against the
//! arithmetic model.

use std::collections::BTreeMap;

use rand::Rng;
use rand::seq::IndexedRandom;

use super::pool::Operands;
use super::{Outcome, Tester};
use crate::campaign::place::set_row;
use crate::campaign::random::{seconds, widths};
use crate::campaign::scoreboard::Scoreboard;
use crate::host_link::array::describe;
use crate::host_link::bits::{rows, unpack};
use crate::host_link::error::Result;
use crate::isa::format::FORMATS;
use crate::isa::operation::{Context, Operation, Role};
use crate::isa::row::Operand;
use crate::isa::transfer::{Transfer, element_bytes, widest};
use crate::isa::{Command, Opcode};
use crate::params::Params;
use crate::system::protocol::ARRAY_MEMORY_BASE;

/// Widths of the quick test, the best first, for the sets in turn.
const QUICK: [&[u8]; 2] = [&[8, 4, 3, 2, 1, 16], &[6, 8, 4, 2, 1, 16]];
/// Bytes of a result that the quick test looks at.
const WINDOW: usize = 16;
/// Rows that must not share with operands: the second source row of `select` stays where it is.
const SOURCES: [Operand; 3] = [Operand::A, Operand::B, Operand::E];

/// A command with its operands in rows.
#[derive(Clone, Debug)]
pub struct Planned {
    command: Command,
    operation: Operation,
    /// Where the tags go, if the operation says something about them.
    tag_row: Option<u16>,
}

/// Everything to run: every opcode of every set, at widths that fit, of floating point in the formats that do. What
/// does not fit is reported.
pub fn plan(t: &mut Tester) -> Vec<Planned> {
    let params = t.board.params.array.clone();
    let mut planned = Vec::new();
    let mut left_out = BTreeMap::<(String, String), Vec<&str>>::new();
    let formats = FORMATS.map(|format| format.n());
    for (number, &set) in params.sets.iter().enumerate() {
        let quick = QUICK[number % QUICK.len()].to_vec();
        let menu = if t.full() { widths(params.rows) } else { quick };
        for opcode in params.opcodes() {
            if matches!(opcode, Opcode::Load | Opcode::Store) {
                continue;
            }
            let operation = Operation::of(opcode, Context::of(&params, set));
            let mut found: Vec<Planned> = Vec::new();
            let menu = if operation.formats { &formats[..] } else { &menu };
            for &n in menu.iter().filter(|&&n| operation.check_width(n).is_ok()) {
                let forms = seconds(&operation, n).into_iter();
                let placed: Vec<Planned> = forms
                    .filter_map(|m| placed(&params, &operation, Command { set, second: m, ..Command::new(opcode, n) }))
                    .collect();
                if t.full() {
                    found.extend(placed);
                } else if let Some(one) = placed.choose(t.stimulus.rng()) {
                    found.push(one.clone());
                    break;
                }
            }
            if found.is_empty() {
                let lacks = operation.latches().iter().find(|&&latch| !params.has(latch));
                let why = lacks.map_or("too few rows for any of its widths".into(), |latch| {
                    format!("the columns lack latch {}", latch.name())
                });
                left_out.entry((opcode.mnemonic(), why)).or_default().push(set.name());
            }
            planned.extend(found);
        }
    }
    t.report.operations[1] = params.opcodes().len() - 2;
    let missing = |((name, why), sets): ((String, String), Vec<&str>)| format!("{name}.{}: {why}", sets.join("/"));
    t.report.left_out = left_out.into_iter().map(missing).collect();
    // Operands of one width stay in the rows for all operations.
    planned.sort_by_key(|p| (p.command.set, p.command.width));
    planned
}

/// The command with operands in rows: sources where the other operations of this width have them, else one after the
/// other.
fn placed(params: &Params, operation: &Operation, command: Command) -> Option<Planned> {
    let (n, m) = (i32::from(command.width), i32::from(command.second));
    let own = operation.opcode.is_custom() && operation.opcode.gives_tag();
    let tags = own || matches!(operation.opcode, Opcode::TagLoad | Opcode::Search) || gives_flag(operation.opcode);
    for spread in [true, false] {
        let mut command = command;
        let mut next = 0;
        let mut place = |command: &mut Command, operand: Operand, rows: u16| {
            set_row(command, operand, next);
            next += rows;
        };
        let extent = |operand: Operand| operation.extent_of(operand);
        for operand in SOURCES {
            let source = extent(operand).filter(|e| e.role == Role::Source);
            let rows = source.map_or(0, |e| e.rows.value(n, m).max(0) as u16);
            let room = if operand == Operand::E { 1 } else { command.width.into() };
            if source.is_some() || spread {
                place(&mut command, operand, if spread { rows.max(room) } else { rows });
            }
        }
        for extent in operation.extents.iter().filter(|e| e.role != Role::Source) {
            place(&mut command, extent.operand, extent.rows.value(n, m).max(0) as u16);
        }
        let tag_row = tags.then_some(next);
        let end = usize::from(next) + usize::from(tags);
        if end <= params.rows && command.check(params).is_ok() {
            return Some(Planned { command, operation: operation.clone(), tag_row });
        }
    }
    None
}

/// Comparisons, whose result is in a row and in the tags.
fn gives_flag(opcode: Opcode) -> bool {
    (Opcode::Eq.code()..=Opcode::GeS.code()).contains(&opcode.code())
}

/// What the test knows of the array.
struct State {
    operands: Operands,
    rows: Scoreboard,
    /// Rows that hold operands as they were loaded.
    fresh: Vec<bool>,
    /// Where the next result goes.
    next: usize,
}

/// A store of results, and what must come.
struct Expected {
    transfer: Transfer,
    elements: Vec<u64>,
    /// Byte offset in memory and words that are looked at.
    window: (usize, usize),
}

/// The part.
pub fn test(t: &mut Tester, planned: &[Planned]) -> Result<()> {
    let operands = Operands::new(t)?;
    let params = t.board.params.array.clone();
    let mut state = State {
        next: operands.bytes.len(),
        operands,
        rows: Scoreboard::unknown(&params),
        fresh: vec![false; params.rows],
    };
    for one in planned {
        let outcome = run(t, &mut state, one)?;
        if outcome.is_err() {
            // Nothing that came after may be blamed for it.
            state.fresh.fill(false);
            state.rows = Scoreboard::unknown(&params);
        }
        let command = &one.command;
        let form = format!("{} n={}", command.set, command.width);
        t.record("array", &command.opcode.mnemonic(), &form, params.columns as u64, outcome);
        t.step();
    }
    Ok(())
}

impl State {
    /// Loads rows from anywhere among the operands.
    fn fill(&mut self, t: &mut Tester, first: usize, count: usize) -> Result<()> {
        let params = t.board.params.array.clone();
        let mut row = first;
        while row < first + count {
            let width = (first + count - row).min(widest(&params));
            let load = self.operands.load(t.stimulus.rng(), width as u8, row as u16, params.columns);
            t.array.transfer(&mut t.board.session, &load)?;
            let loaded = rows(&self.operands.elements(&load), width, params.columns);
            for (bit, words) in loaded.into_iter().enumerate() {
                self.rows.set_row(row + bit, words);
            }
            self.fresh[row..row + width].fill(true);
            row += width;
        }
        Ok(())
    }

    /// The elements in rows, as far as they are known.
    fn elements(&self, first: usize, width: usize, columns: usize) -> Option<Vec<u64>> {
        let mut elements = vec![0; columns];
        for bit in 0..width {
            let words = self.rows.row(first + bit)?;
            elements.iter_mut().enumerate().for_each(|(k, e)| *e |= (words[k / 64] >> (k % 64) & 1) << bit);
        }
        Some(elements)
    }

    /// Stores rows that are known into memory.
    fn store(&mut self, t: &mut Tester, first: usize, width: usize) -> Result<Option<Expected>> {
        let params = t.board.params.array.clone();
        let Some(elements) = self.elements(first, width, params.columns) else { return Ok(None) };
        let step = usize::from(element_bytes(width as u8));
        let bytes = step * params.columns;
        if self.next + bytes + 4 > self.operands.end {
            self.next = self.operands.bytes.len();
        }
        let address = self.next + if t.full() { t.stimulus.rng().random_range(0..4) } else { 0 };
        self.next = (address + bytes + 3) & !3;
        let transfer = Transfer {
            store: true,
            width: width as u8,
            row: first as u16,
            count: params.columns as u16,
            address: address as u64,
            stride: 0,
        };
        t.array.transfer(&mut t.board.session, &transfer)?;
        let (low, high) = (address & !3, (address + bytes + 3) & !3);
        let window = if t.full() || high - low <= WINDOW {
            (low, (high - low) / 4)
        } else {
            (low + 4 * t.stimulus.rng().random_range(0..=(high - low - WINDOW) / 4), WINDOW / 4)
        };
        Ok(Some(Expected { transfer, elements, window }))
    }
}

/// Runs a command and compares what it leaves.
fn run(t: &mut Tester, state: &mut State, one: &Planned) -> Result<Outcome> {
    let Planned { mut command, operation, tag_row } = one.clone();
    let reads = |role: Role| matches!(role, Role::Source | Role::Accumulator);
    let ranges: Vec<(Role, usize, usize)> =
        command.ranges(&operation).into_iter().map(|r| (r.1, r.2 as usize, (r.3 - r.2) as usize)).collect();
    for &(_, first, count) in ranges.iter().filter(|r| reads(r.0)) {
        if t.full() || !state.fresh[first..first + count].iter().all(|&fresh| fresh) {
            state.fill(t, first, count)?;
        }
    }
    if command.opcode == Opcode::TagStore {
        // The tags come from a row.
        let row = state.fresh.iter().position(|&fresh| fresh).unwrap_or(usize::from(command.d ^ 1));
        if !state.fresh[row] {
            state.fill(t, row, 1)?;
        }
        push(t, state, &Command { set: command.set, a: row as u16, ..Command::new(Opcode::TagLoad, 1) })?;
    }
    command.key = key(t, state, &command);
    push(t, state, &command)?;
    if let Some(row) = tag_row {
        push(t, state, &Command { set: command.set, d: row, ..Command::new(Opcode::TagStore, 1) })?;
    }
    // Rows with results, neighbours together.
    let mut wanted: Vec<(usize, usize)> = ranges
        .iter()
        .filter(|r| matches!(r.0, Role::Result | Role::Accumulator) || t.full() && r.0 == Role::Source)
        .map(|r| (r.1, r.2))
        .collect();
    wanted.extend(tag_row.map(|row| (usize::from(row), 1)));
    wanted.sort_unstable();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (first, count) in wanted {
        match runs.last_mut() {
            Some(last) if last.0 + last.1 >= first => last.1 = last.1.max(first + count - last.0),
            _ => runs.push((first, count)),
        }
    }
    let most = widest(&t.board.params.array);
    let mut expected = Vec::new();
    for (first, count) in runs {
        for row in (first..first + count).step_by(most) {
            expected.extend(state.store(t, row, most.min(first + count - row))?);
        }
    }
    if let Some(fault) = t.array.finish(&mut t.board.session)? {
        return Ok(Err(format!("{command}: refused with {}", describe(fault.code))));
    }
    for e in &expected {
        if let Err(what) = compare(t, e)? {
            return Ok(Err(format!("{command}: {what}")));
        }
    }
    Ok(Ok(()))
}

/// Pushes an operation and notes what it does.
fn push(t: &mut Tester, state: &mut State, command: &Command) -> Result<()> {
    let operation = Operation::of(command.opcode, Context::of(&t.board.params.array, command.set));
    t.array.push(&mut t.board.session, command, command.opcode as u8)?;
    state.rows.apply(command);
    for (_, role, first, end) in command.ranges(&operation) {
        if role != Role::Source {
            state.fresh[first as usize..end as usize].fill(false);
        }
    }
    Ok(())
}

/// A key: any, or for a search often one that is there.
fn key(t: &mut Tester, state: &State, command: &Command) -> u64 {
    let known = state.elements(command.a.into(), command.width.into(), t.board.params.array.columns);
    match (command.opcode, known) {
        (Opcode::Search, Some(elements)) if t.stimulus.rng().random_range(0..4) > 0 => {
            elements.choose(t.stimulus.rng()).copied().unwrap_or(0)
        }
        (Opcode::Search | Opcode::MulConst, _) => t.stimulus.value(64),
        (opcode, _) if opcode.is_custom() => t.stimulus.value(64),
        _ => 0,
    }
}

/// Reads a result back.
fn compare(t: &mut Tester, e: &Expected) -> Result<Outcome> {
    let (from, count) = e.window;
    let seen = unpack(&t.board.session.read(ARRAY_MEMORY_BASE + from as u32, count)?);
    let step = usize::from(element_bytes(e.transfer.width));
    let begin = e.transfer.address as usize;
    for (i, &byte) in seen.iter().enumerate() {
        let Some(offset) = (from + i).checked_sub(begin) else { continue };
        let Some(element) = e.elements.get(offset / step) else { break };
        let wanted = element.to_le_bytes()[offset % step];
        if byte != wanted {
            let (column, row) = (offset / step, usize::from(e.transfer.row) + 8 * (offset % step));
            return Ok(super::same(&format!("column {column}, from row {row} on: byte"), byte, wanted));
        }
    }
    Ok(Ok(()))
}
