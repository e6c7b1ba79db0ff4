//! Every operand pair, packed into the columns: all tags, keys, amounts and accumulators of short elements, all pairs of 8 bits.

use rand::Rng;

use super::bench::Bench;
use super::{Failure, Result};
use crate::isa::operation::{Operation, Role};
use crate::isa::program::Operand;
use crate::isa::word::OPCODES;
use crate::isa::{Command, Opcode};
use crate::sim::engine::Engine;
use crate::sim::lockstep::Stop;
use crate::sim::model::arith::Inputs;
use crate::sim::vectors::Case;

/// Bits of a command's operands in one column, and how many of them are counted through; the rest is random.
struct Space {
    a: u32,
    b: u32,
    d: u32,
    e: u32,
    tag: u32,
    /// Bits of the key.
    key: u32,
}

/// Largest space that is counted through with its accumulator and its tags.
const ALL: u32 = 13;

impl Space {
    fn of(command: &Command, operation: &Operation) -> Space {
        let rows = |operand: Operand, role: Role| {
            let extent = operation.extent_of(operand).filter(|e| e.role == role);
            extent.map_or(0, |e| e.rows.value(command.width.into(), command.second.into()) as u32)
        };
        let keyed = matches!(command.opcode, Opcode::MulConst | Opcode::Search);
        let mut space = Space {
            a: rows(Operand::A, Role::Source),
            b: rows(Operand::B, Role::Source),
            d: rows(Operand::D, Role::Accumulator),
            e: rows(Operand::E, Role::Source),
            tag: 1,
            key: if keyed { command.width.into() } else { 0 },
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

/// Every operation of every set at widths up to 4.
///
/// # Errors
/// The first failure.
pub fn short<E: Engine>(bench: &mut Bench<E>) -> Result {
    each_program(bench, |bench, operation, shape| {
        let (low, high) = operation.widths;
        for n in low..=high.min(4) {
            let n_i32 = i32::from(n);
            let seconds = match operation.second {
                None => vec![0],
                Some((least, _)) if least.value(n_i32, 0) > 1 => {
                    let least = least.value(n_i32, 0) as u8;
                    vec![least, least + 1, least + 3]
                }
                Some(_) => vec![1, 2, 3, 4, 5],
            };
            for second in seconds {
                all(bench, operation, Command { width: n, second, ..shape })?;
            }
        }
        Ok(())
    })
}

/// Every operation of every set on 8-bit elements: all pairs, all values with all keys.
///
/// # Errors
/// The first failure.
pub fn bytes<E: Engine>(bench: &mut Bench<E>) -> Result {
    each_program(bench, |bench, operation, shape| {
        if !(operation.widths.0..=operation.widths.1).contains(&8) {
            return Ok(());
        }
        let seconds = match operation.second {
            None => vec![0],
            Some((least, _)) if least.value(8, 0) > 1 => vec![least.value(8, 0) as u8],
            Some(_) => vec![3, 8],
        };
        seconds.into_iter().try_for_each(|second| all(bench, operation, Command { width: 8, second, ..shape }))
    })
}

/// Calls `f` for each operation of each set; a program that two sets share, once.
fn each_program<E: Engine>(
    bench: &mut Bench<E>,
    mut f: impl FnMut(&mut Bench<E>, &Operation, Command) -> Result,
) -> Result {
    for set in bench.params().sets.clone() {
        for &opcode in Opcode::ALL {
            let setup = &bench.unit.model.code.setup;
            let entry = |set: crate::isa::Set| setup[set as usize * OPCODES + opcode as usize];
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

/// All operands of one command, as many at a time as there are columns.
fn all<E: Engine>(bench: &mut Bench<E>, operation: &Operation, mut command: Command) -> Result {
    if operation.power_of_two && !command.width.is_power_of_two() {
        return Ok(());
    }
    let from = bench.rng().random_range(0..3);
    if usize::from(Case::place(operation, &mut command, from)) > bench.params().rows {
        return Ok(());
    }
    let space = Space::of(&command, operation);
    let columns = bench.params().columns as u64;
    let total = 1u64 << space.columns();
    // The upper bits of a key do not count.
    let above = if command.width < 64 { bench.rng().random::<u64>() << command.width } else { 0 };
    for key in 0..1u64 << space.key {
        command.key = if space.key > 0 { key | above } else { bench.rng().random() };
        let mut at = 0;
        while at < total {
            let inputs = (at..at + columns).map(|index| operands(bench, &space, &command, index % total)).collect();
            one(bench, operation, Case { command, inputs })?;
            at += columns;
        }
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
    (inputs.e, inputs.tag) = (take(space.e) == 1, take(space.tag) == 1);
    if space.d == 0 {
        inputs.d = bench.rng().random::<u128>() & ((1 << command.second.min(127)) - 1);
    }
    if space.tag == 0 {
        (inputs.e, inputs.tag) = (bench.rng().random(), bench.rng().random());
    }
    inputs
}

fn one<E: Engine>(bench: &mut Bench<E>, operation: &Operation, case: Case) -> Result {
    let mut tags = vec![0u64; bench.limbs()];
    for (column, input) in case.inputs.iter().enumerate() {
        tags[column / 64] |= u64::from(input.tag) << (column % 64);
    }
    bench.unit.set_tags(&tags);
    case.load(operation, &mut bench.unit);
    bench.commands += 1;
    match bench.unit.run(case.command) {
        Ok(_) => {}
        Err(Stop::Refused(refusal)) => return Err(Failure::Wrong(format!("{}: refused, {refusal:?}", case.command))),
        Err(Stop::Diverged(d)) => return Err(Failure::Diverged(d, case.command.to_string())),
    }
    case.compare(&bench.unit, &bench.unit.model.array.column.t).map_err(Failure::Wrong)
}
