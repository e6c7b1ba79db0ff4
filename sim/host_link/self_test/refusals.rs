//! Commands that must be refused: each error code, and nothing changed.

use rand::Rng;

use super::ccs::Memory;
use super::pool::Operands;
use super::{Outcome, Tester};
use crate::ccs::{COMMANDS, CcsError, Kind};
use crate::error::Error;
use crate::host_link::array::describe;
use crate::host_link::bits::{rows, unpack};
use crate::host_link::error::Result;
use crate::isa::command::ErrorCode;
use crate::isa::operation::{Context, Operation};
use crate::isa::transfer::{LOAD_MEMORY, Transfer};
use crate::isa::{Command, Opcode, Set};
use crate::params::Params;
use crate::system::protocol::ARRAY_MEMORY_BASE;
use crate::units::ccs::machine::Launch;

/// A command with the opcode that is sent, and the codes with which it may be refused.
struct Wrong {
    what: &'static str,
    command: Command,
    opcode: u8,
    codes: Vec<ErrorCode>,
}

/// What the encoder says.
fn predicted(params: &Params, command: &Command) -> Option<ErrorCode> {
    match command.check(params) {
        Err(Error::Command { code, .. }) => ErrorCode::from_code(code.into()),
        _ => None,
    }
}

/// Commands that break each rule that this design has.
fn wrong_commands(params: &Params, memory_bytes: u64) -> Vec<Wrong> {
    let set = params.sets.first().copied().unwrap_or_default();
    let of = |opcode: Opcode, width: u8| Command { set, b: 4, d: 8, ..Command::new(opcode, width) };
    let rows = params.rows as u16;
    let mut wrong = Vec::new();
    let mut operation = |what: &'static str, command: Command| {
        let codes: Vec<ErrorCode> = predicted(params, &command).into_iter().collect();
        if !codes.is_empty() {
            wrong.push(Wrong { what, opcode: command.opcode as u8, command, codes });
        }
    };
    operation("width 0", of(Opcode::Add, 0));
    operation("width 65", of(Opcode::Add, 65));
    operation("width no power of two", of(Opcode::Popcount, 3));
    operation("second width 0", of(Opcode::Shl, 4));
    operation("rows beyond the end", Command { d: rows - 2, ..of(Opcode::Add, 4) });
    operation("result over an operand", Command { a: 0, b: 4, d: 2, ..of(Opcode::MulU, 4) });
    if let Some(&other) = Set::ALL.iter().find(|s| !params.sets.contains(s)) {
        operation("set that is not there", Command { set: other, ..of(Opcode::Add, 4) });
    }
    let latch = |&opcode: &Opcode| {
        let operation = Operation::of(opcode, Context::of(params, set));
        operation.latches().iter().any(|&latch| !params.has(latch))
    };
    if let Some(opcode) = params.opcodes().into_iter().find(latch) {
        operation("latch that is not there", of(opcode, 8));
    }
    let unknown = (0..LOAD_MEMORY).find(|&code| Opcode::from_code(code.into()).is_none());
    if let Some(opcode) = unknown {
        wrong.push(Wrong {
            what: "unknown opcode",
            command: of(Opcode::Add, 4),
            opcode,
            codes: vec![ErrorCode::Opcode],
        });
    }
    let transfer = Transfer { store: false, width: 4, row: 0, count: 1, address: 0, stride: 0 };
    let mut moves = |what: &'static str, transfer: Transfer, codes: &[ErrorCode]| {
        wrong.push(Wrong { what, command: transfer.command(), opcode: transfer.opcode(), codes: codes.to_vec() });
    };
    moves("no element", Transfer { count: 0, ..transfer }, &[ErrorCode::Count]);
    moves("more elements than columns", Transfer { count: params.columns as u16 + 1, ..transfer }, &[ErrorCode::Count]);
    moves("beyond the address space", Transfer { address: u64::MAX, count: 2, ..transfer }, &[ErrorCode::Address]);
    moves("rows beyond the end (load)", Transfer { row: rows - 1, ..transfer }, &[ErrorCode::Rows]);
    let outside = Transfer { address: memory_bytes, ..transfer };
    moves("load from nowhere", outside, &[ErrorCode::Decode, ErrorCode::Slave]);
    moves("store to nowhere", Transfer { store: true, ..outside }, &[ErrorCode::Decode, ErrorCode::Slave]);
    wrong
}

/// The array's part.
pub fn array(t: &mut Tester) -> Result<()> {
    let params = t.board.params.array.clone();
    let operands = Operands::new(t)?;
    // Rows that all of the commands would write.
    let width = params.columns.min(16).min(params.rows);
    let mut load = operands.load(t.stimulus.rng(), width.min(8) as u8, 0, params.columns);
    let mut known = Vec::new();
    for row in (0..width).step_by(8) {
        load.row = row as u16;
        t.array.transfer(&mut t.board.session, &load)?;
        known.extend(rows(&operands.elements(&load), load.width.into(), params.columns));
    }
    let (mut index, mut pushes) = (None, known.len().div_ceil(8) as u32);
    let before = t.array.finish(&mut t.board.session)?;
    t.record("array errors", "none before", "", 1, before.map_or(Ok(()), |fault| Err(describe(fault.code))));
    for wrong in wrong_commands(&params, operands.end as u64) {
        t.array.push(&mut t.board.session, &wrong.command, wrong.opcode)?;
        let fault = t.array.finish(&mut t.board.session)?;
        let outcome: Outcome = match fault {
            Some(fault) if wrong.codes.iter().any(|code| code.code() == fault.code) => {
                // Pushes before the command: counted from the first that was refused.
                let base = *index.get_or_insert(fault.index.wrapping_sub(pushes));
                super::same("error_index", fault.index, base.wrapping_add(pushes))
            }
            other => Err(format!("ends with {other:?}, must be refused with {:?}", wrong.codes)),
        };
        pushes += 1;
        let code = fault.map_or("", |fault| ErrorCode::from_code(fault.code).map_or("", ErrorCode::name));
        t.record("array errors", wrong.what, code, 1, outcome.map_err(|what| format!("{}: {what}", wrong.command)));
    }
    // Faster than they run: some do not fit into the queue.
    let slow = Command {
        set: params.sets.first().copied().unwrap_or_default(),
        a: 0,
        d: width as u16,
        ..Command::new(Opcode::Copy, 8)
    };
    t.array.flood(&mut t.board.session, &slow, Opcode::Copy as u8, 128)?;
    let fault = t.array.finish(&mut t.board.session)?;
    let outcome = match fault {
        Some(fault) if fault.code == ErrorCode::Overflow.code() => Ok(()),
        other => Err(format!("128 commands in one request end with {other:?}, must be refused with overflow")),
    };
    t.record("array errors", "queue full", "overflow", 1, outcome);
    kept(t, &operands, &known)
}

/// The rows are as before.
fn kept(t: &mut Tester, operands: &Operands, known: &[Vec<u64>]) -> Result<()> {
    let columns = t.board.params.array.columns;
    let to = operands.bytes.len();
    for (first, rows) in known.chunks(8).enumerate() {
        let (row, width) = ((8 * first) as u16, rows.len() as u8);
        let store = Transfer { store: true, width, row, count: columns as u16, address: to as u64, stride: 0 };
        t.array.transfer(&mut t.board.session, &store)?;
        let fault = t.array.finish(&mut t.board.session)?;
        let window = if t.full() { columns } else { columns.min(16) };
        let seen = unpack(&t.board.session.read(ARRAY_MEMORY_BASE + to as u32, window.div_ceil(4))?);
        let column = |k: usize| (0..rows.len()).fold(0, |v, bit| v | (rows[bit][k / 64] >> (k % 64) & 1) << bit) as u8;
        let wrong = (0..window).find(|&k| seen[k] != column(k));
        let outcome = match (fault, wrong) {
            (Some(fault), _) => Err(describe(fault.code)),
            (_, Some(k)) => super::same(&format!("rows {row} on, column {k}"), seen[k], column(k)),
            _ => Ok(()),
        };
        t.record("array errors", "nothing changed", "", window as u64, outcome);
    }
    Ok(())
}

/// The cache compute system's part.
pub fn ccs(t: &mut Tester, mut memory: Memory) -> Result<()> {
    let geometry = t.board.params.ccs.clone();
    let (line, element) = (geometry.line_bytes() as u32, geometry.element_bytes() as u32);
    let r = memory.results() as u32;
    let lanes = geometry.lanes as u32;
    let add = COMMANDS.iter().find(|c| c.name == "ADDVV").map_or(0, |c| c.code);
    let sum = COMMANDS.iter().find(|c| c.kind == Kind::Reduce).map_or(0, |c| c.code);
    let good = Launch::new(add, [0, line, r], lanes);
    let size = (t.board.params.ccs_memory_lines * geometry.line_bytes()) as u32;
    let unknown = t.stimulus.rng().random_range(COMMANDS.len() as u8..64);
    let mut cases = vec![
        ("unknown command", Launch { code: unknown, ..good }, CcsError::Command),
        ("length 0", Launch { length: 0, ..good }, CcsError::Length),
        ("no row", Launch { count: 0, ..good }, CcsError::Length),
        ("stride no power of two", Launch { stride: 3, ..good }, CcsError::Stride),
        ("stride of a line", Launch { stride: lanes as u8, ..good }, CcsError::Stride),
        ("stride 0", Launch { stride: 0, ..good }, CcsError::Stride),
        ("vectors at other places of a line", Launch { bases: [0, line + element, r], ..good }, CcsError::Alignment),
        ("steps that move them apart", Launch { count: 2, steps: [element, 0, 0], ..good }, CcsError::Alignment),
        (
            "beyond the address space",
            Launch { bases: [(1 << 31) - line, line, r], length: 2 * lanes, ..good },
            CcsError::Address,
        ),
        ("beyond the memory", Launch { bases: [size, line, r], ..good }, CcsError::Bus),
    ];
    if element > 1 {
        cases.push(("address of no element", Launch { bases: [1, line, r], ..good }, CcsError::Alignment));
    }
    for (what, launch, code) in cases {
        let ended = t.ccs.run(&mut t.board.session, &launch)?;
        let outcome = if ended.error == Some(code) {
            Ok(())
        } else {
            Err(format!("{launch:?}: ends with {:?}, must be refused with {}", ended.error, code.name()))
        };
        t.record("ccs errors", what, code.name(), 1, outcome);
    }
    // A start while another command runs: that one goes on to its end.
    let busy = Launch { count: 4096, ..Launch::new(sum, [0, 0, 0], 2 * lanes) };
    t.ccs.start_twice(&mut t.board.session, &busy)?;
    let ended = t.ccs.wait(&mut t.board.session, 100)?;
    let wanted = crate::units::ccs::reference::execute(&mut memory.image, &geometry, &Launch { count: 1, ..busy });
    let outcome = if ended.error == Some(CcsError::Busy) {
        super::same("result of the command that ran", ended.result, wanted.result.unwrap_or(0))
    } else {
        Err(format!("ends with {:?}, must be {}", ended.error, CcsError::Busy.name()))
    };
    t.record("ccs errors", "start while a command runs", CcsError::Busy.name(), 1, outcome);
    let kept = memory.compare(t)?;
    t.record("ccs errors", "nothing changed", "", 1, kept);
    Ok(())
}
