//! Every operand pair, packed into the columns: all tags, keys, amounts and accumulators of short elements, all pairs
//! of 8 bits. Fused multiplication and addition takes all pairs of factors, and to each in each mode a third number.

use rand::Rng;

use super::bench::{Bench, Work};
use super::place::set_row;
use super::scoreboard::exceptions;
use super::{Failure, Result};
use crate::engine::Engine;
use crate::external::tool::deep;
use crate::isa::assemble::assemble;
use crate::isa::format::Format;
use crate::isa::opcode::Conversion;
use crate::isa::operation::{Context, Operation, Role};
use crate::isa::program::Program;
use crate::isa::row::Operand;
use crate::isa::{Command, Opcode, word};
use crate::model::arith::Inputs;
use crate::vectors::Case;

/// Bits of a command's operands in one column, and how many of them are counted through; the rest is random.
struct Space {
    a: u32,
    b: u32,
    d: u32,
    e: u32,
    tag: u32,
    /// Bits of the key that mean something.
    key: u32,
}

/// Largest space that is counted through with its accumulator and its tags.
const ALL: u32 = 13;
/// Largest space that is counted through at all: operands of the library's user may have any number of rows.
const MOST: u32 = 20;

impl Space {
    fn of(command: &Command, operation: &Operation) -> Space {
        let rows = |operand: Operand, role: Role| {
            let extent = operation.extent_of(operand).filter(|e| e.role == role);
            extent.map_or(0, |e| e.rows.value(command.width.into(), command.second.into()) as u32)
        };
        let mut space = Space {
            a: rows(Operand::A, Role::Source),
            b: rows(Operand::B, Role::Source),
            d: rows(Operand::D, Role::Accumulator),
            e: rows(Operand::E, Role::Source),
            tag: 1,
            key: match command.opcode {
                Opcode::MulConst | Opcode::Search => command.width.into(),
                opcode if opcode.is_custom() && operation.takes_key() => command.width.into(),
                // Bits that steer rows.
                opcode if opcode.is_float() => {
                    operation.variants.iter().map(|variant| steering(&variant.program)).max().unwrap_or(0)
                }
                _ => 0,
            },
        };
        if space.columns() > ALL {
            space.d = 0;
        }
        if space.columns() > ALL {
            (space.tag, space.e) = (0, 0);
        }
        space
    }

    /// Bits counted through in columns.
    fn columns(&self) -> u32 {
        self.a + self.b + self.d + self.e + self.tag
    }
}

/// Bits by which a program moves the key down, row by row.
fn steering(program: &Program) -> u32 {
    program.rows().iter().map(|row| u32::from(row.key_shift)).sum()
}

/// Every operation of every set at widths up to 4.
///
/// # Errors
/// The first failure.
pub fn short<E: Engine>(bench: &mut Bench<E>) -> Result {
    up_to(bench, 4)
}

/// Every operation of every set at widths up to `widest`, which takes sixteen times as long for each bit more.
///
/// # Errors
/// The first failure.
pub fn up_to<E: Engine>(bench: &mut Bench<E>, widest: u8) -> Result {
    up_to_of(bench, widest, |_| true)
}

/// The same of the operations that `which` chooses.
///
/// # Errors
/// The first failure.
pub fn up_to_of<E: Engine>(bench: &mut Bench<E>, widest: u8, which: impl Fn(Opcode) -> bool) -> Result {
    each_program(bench, |bench, operation, shape| {
        if !which(shape.opcode) {
            return Ok(());
        }
        let (low, high) = operation.widths;
        // Formats have more bits than a short width.
        let high = if shape.opcode.source_format().is_some() { 0 } else { high };
        for n in (low..=high.min(widest)).filter(|&n| operation.check_width(n).is_ok()) {
            let n_i32 = i32::from(n);
            let seconds = match operation.second {
                None => vec![operation.seconds(n).map_or(0, |(least, _)| least as u8)],
                Some((least, _)) if least.value(n_i32, 0) > 1 => {
                    let least = least.value(n_i32, 0) as u8;
                    vec![least, least + 1, least + 3]
                }
                Some(_) => vec![1, 2, 3, 4, 5],
            };
            for second in seconds {
                for command in placements(bench, operation, Command { width: n, second, ..shape }) {
                    all(bench, operation, command)?;
                }
            }
        }
        Ok(())
    })
}

/// Every operation whose cycles depend on the data, at widths up to 4, with one operand pair in all columns: what is
/// skipped is skipped for that pair alone.
///
/// # Errors
/// The first failure.
pub fn uniform<E: Engine>(bench: &mut Bench<E>) -> Result {
    each_program(bench, |bench, operation, shape| {
        let context = Context::of(bench.params(), shape.set);
        if !operation.variants.iter().any(|v| assemble(&v.program, context).data_dependent()) {
            return Ok(());
        }
        let (low, high) = operation.widths;
        for n in low..=high.min(4) {
            let second = operation.second.map_or(0, |(least, _)| least.value(n.into(), 0).max(2) as u8);
            for mut command in placements(bench, operation, Command { width: n, second, ..shape }) {
                let mut space = Space::of(&command, operation);
                (space.d, space.e, space.tag) = (0, 0, 0);
                if command.opcode.is_custom() && space.columns() > MOST {
                    continue;
                }
                for index in 0..1 << space.columns() {
                    command.key = bench.rng().random();
                    let columns = 0..bench.params().columns;
                    let inputs = columns.map(|_| operands(bench, &space, &command, index)).collect();
                    one(bench, operation, Case { command, inputs })?;
                }
            }
        }
        Ok(())
    })
}

/// Every operation of every set on 8-bit elements: all pairs, all values with all keys, both formats in all modes.
///
/// # Errors
/// The first failure.
pub fn bytes<E: Engine>(bench: &mut Bench<E>) -> Result {
    bytes_of(bench, |_| true)
}

/// Operations of floating-point numbers that do not round.
pub const EXACT: [Opcode; 12] = [
    Opcode::FEq,
    Opcode::FLt,
    Opcode::FLe,
    Opcode::FUnordered,
    Opcode::FMin,
    Opcode::FMax,
    Opcode::FMinimum,
    Opcode::FMaximum,
    Opcode::FNeg,
    Opcode::FAbs,
    Opcode::FCopySign,
    Opcode::FClass,
];

/// The same of the commands, of which operation and key count, that `which` chooses.
///
/// # Errors
/// The first failure.
pub fn bytes_of<E: Engine>(bench: &mut Bench<E>, which: impl Fn(&Command) -> bool) -> Result {
    each_program(bench, |bench, operation, shape| {
        if operation.formats {
            // Between formats: every number of 8 bits in every format.
            let given = shape.opcode.source_format();
            let small = |format: &Format| given.unwrap_or(*format).bits() == 8;
            for format in operation.own_formats().filter(small) {
                let command = Command { width: format.n(), second: format.m(), ..shape };
                for command in placements(bench, operation, command) {
                    all_of(bench, operation, command, &which)?;
                }
            }
            return Ok(());
        }
        if let Some(conversion) = shape.opcode.conversion() {
            let to_integer = matches!(conversion, Conversion::ToInteger(_));
            // Numbers of 8 bits to integers of all widths, integers of 8 bits to numbers of all formats.
            for width in [8, 16, 32, 64].into_iter().filter(|&width| to_integer || width == 8) {
                for command in placements(bench, operation, Command { width, ..shape }) {
                    if !to_integer || conversion.format().bits() == 8 {
                        all_of(bench, operation, command, &which)?;
                    }
                }
            }
            return Ok(());
        }
        if !(operation.widths.0..=operation.widths.1).contains(&8) {
            return Ok(());
        }
        let seconds = match operation.second {
            None => vec![0],
            Some((least, _)) if least.value(8, 0) > 1 => vec![least.value(8, 0) as u8],
            Some(_) => vec![3, 8],
        };
        for second in seconds {
            if let Some(&command) = placements(bench, operation, Command { width: 8, second, ..shape }).first() {
                all_of(bench, operation, command, &which)?;
            }
        }
        Ok(())
    })
}

/// Calls `f` for each operation of each set; a program that two sets share, once.
fn each_program<E: Engine>(
    bench: &mut Bench<E>,
    mut f: impl FnMut(&mut Bench<E>, &Operation, Command) -> Result,
) -> Result {
    for set in bench.params().sets.clone() {
        for opcode in bench.params().opcodes() {
            let setup = &bench.unit.model.code.setup;
            let entry = |set: crate::isa::Set| setup[word::entry(set as usize, opcode as usize)];
            let known = bench.params().sets.iter().take_while(|&&s| s != set).any(|&s| entry(s) == entry(set));
            let operation = bench.operation(opcode, set);
            let missing = operation.latches().iter().any(|&latch| !bench.params().has(latch));
            if !known && !missing && !matches!(opcode, Opcode::Load | Opcode::Store) {
                f(bench, &operation, Command { set, ..Command::new(opcode, 1) })?;
            }
        }
    }
    Ok(())
}

/// The command with its operands one after the other, and once for each pair that may start at the same row.
fn placements<E: Engine>(bench: &mut Bench<E>, operation: &Operation, mut command: Command) -> Vec<Command> {
    let legal = |bench: &Bench<E>, command: &Command| command.check(bench.params()).is_ok();
    let from = bench.rng().random_range(0..3);
    Case::place(operation, &mut command, from);
    let shared = operation.disjoint.iter().filter(|rule| rule.same_start).map(|rule| {
        let mut shared = command;
        set_row(&mut shared, rule.second, command.row(rule.first));
        shared
    });
    let all: Vec<Command> = std::iter::once(command).chain(shared).collect();
    all.into_iter().filter(|command| legal(bench, command)).collect()
}

/// All operands of one command, as many at a time as there are columns.
fn all<E: Engine>(bench: &mut Bench<E>, operation: &Operation, command: Command) -> Result {
    all_of(bench, operation, command, &|_| true)
}

/// The same with the keys that `which` chooses. Columns are alike and do the same whatever is in them, so that the
/// first operands of each key are compared with the model in every cycle; with those behind them outputs alone are, and
/// all registers and rows once the hardware rests. With `BITLINE_DEEP=1` all are compared in every cycle.
fn all_of<E: Engine>(
    bench: &mut Bench<E>,
    operation: &Operation,
    mut command: Command,
    which: &dyn Fn(&Command) -> bool,
) -> Result {
    let space = Space::of(&command, operation);
    if command.opcode.is_custom() && space.columns() + space.key > MOST {
        return Ok(());
    }
    let columns = bench.params().columns as u64;
    let total = 1u64 << space.columns();
    // The upper bits of a key do not count.
    let above = bench.rng().random::<u64>().checked_shl(space.key.max(1)).unwrap_or(0);
    for key in 0..1u64 << space.key {
        command.key = if space.key > 0 { key | above } else { bench.rng().random() };
        let mut at = if which(&command) { 0 } else { total };
        while at < total {
            let inputs = (at..at + columns).map(|index| operands(bench, &space, &command, index % total)).collect();
            bench.unit.compare_every_cycle(at == 0 || deep());
            one(bench, operation, Case { command, inputs })?;
            at += columns;
        }
        bench.unit.compare_every_cycle(true);
    }
    Ok(())
}

/// The operands with this number.
fn operands<E: Engine>(bench: &mut Bench<E>, space: &Space, command: &Command, mut index: u64) -> Inputs {
    let mut take = |bits: u32| {
        let value = index & ((1 << bits) - 1);
        index >>= bits;
        value
    };
    let mut inputs = Inputs { a: take(space.a), b: take(space.b), d: take(space.d).into(), ..Inputs::default() };
    (inputs.e, inputs.tag) = (take(space.e), take(space.tag) == 1);
    if space.d == 0 {
        inputs.d = bench.rng().random::<u128>() & ((1 << command.second.min(127)) - 1);
    }
    if space.tag == 0 {
        (inputs.e, inputs.tag) = (bench.rng().random::<bool>().into(), bench.rng().random());
    }
    if command.opcode == Opcode::FFma {
        inputs.e = bench.stimulus.third(command.width.into(), command.second.into(), inputs);
    }
    inputs
}

/// One command, on these inputs.
pub(super) fn one<E: Engine>(bench: &mut Bench<E>, operation: &Operation, case: Case) -> Result {
    let mut tags = vec![0u64; bench.limbs()];
    for (column, input) in case.inputs.iter().enumerate() {
        tags[column / 64] |= u64::from(input.tag) << (column % 64);
    }
    bench.unit.set_tags(&tags);
    case.load(operation, &mut bench.unit);
    let mut work = Work::default();
    work.run(case.command);
    bench.run(work)?;
    let compared = bench.unit.compare_memory();
    compared.map_err(|d| Failure::Diverged(d, format!("command: {}", case.command)))?;
    if case.command.opcode.is_float() && bench.params().exception_flags {
        let wanted = exceptions(&case.command, &case.inputs);
        bench.compare_raised(&[wanted]).map_err(|e| Failure::Wrong(format!("{e}; {}", case.command)))?;
    }
    case.compare(&bench.unit, &bench.unit.model.array.column.t).map_err(Failure::Wrong)
}
