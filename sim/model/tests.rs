//! Every micro-program on the cycle model against the arithmetic model.

use super::compute_unit::ComputeUnit;
use crate::arith::Inputs;
use crate::vectors::{Case, Stimulus};
use bitline_units::array::isa::microcode::Microcode;
use bitline_units::array::isa::operation::{Context, Operation};
use bitline_units::array::isa::{Command, Opcode, Set};
use bitline_units::array::params::{Columns, Latch, Memory, MemoryPort, Params};

fn params(columns: Columns, memory: Memory) -> Params {
    let sensing = columns.sensing();
    Params {
        name: "all".into(),
        rows: 512,
        columns: 256,
        sensing,
        memory,
        latches: Latch::of(sensing),
        sets: Set::ALL.to_vec(),
        command_fifo: 8,
        memory_port: MemoryPort::None,
        float: true,
        radix: columns.radix(),
        custom: Vec::new(),
        exception_flags: false,
        unpacked: true,
    }
}

/// Legal second widths worth testing.
fn seconds(op: &Operation, n: u8) -> Vec<u8> {
    let Some((low, high)) = op.seconds(n) else {
        return vec![0];
    };
    let log = bitline_units::array::isa::linear::ceil_log2(n.into());
    let mut all = vec![low, low + 1, low + 2, low + 5, log, log - 1, log + 1, log + 3];
    all.retain(|m| (low..=high).contains(m) && (1..=64.max(low)).contains(m));
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|m| m as u8).collect()
}

/// Both memories with `BITLINE_DEEP=1`, else one: they differ in when they show a row.
pub(crate) fn memories(one: Memory) -> Vec<Memory> {
    if std::env::var_os("BITLINE_DEEP").is_some() { Memory::ALL.to_vec() } else { vec![one] }
}

/// A design for each kind of columns, with operands at random.
fn on_all_columns(seed: u64, mut test: impl FnMut(&Params, &mut ComputeUnit, &mut Stimulus)) {
    println!("seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    for (columns, one) in Columns::ALL.into_iter().zip([Memory::Behavioural, Memory::BlockRam].into_iter().cycle()) {
        for memory in memories(one) {
            let params = params(columns, memory);
            let mut unit = ComputeUnit::new(&params);
            let _: &Microcode = &unit.code;
            test(&params, &mut unit, &mut stimulus);
        }
    }
}

#[test]
fn every_operation_on_random_operands() {
    on_all_columns(1, |params, unit, stimulus| {
        for set in Set::ALL {
            for opcode in params.opcodes() {
                if matches!(opcode, Opcode::Load | Opcode::Store) {
                    continue;
                }
                let op = Operation::of(opcode, Context::of(params, set));
                for n in (op.widths.0..=op.widths.1).filter(|&n| op.check_width(n).is_ok()) {
                    for m in seconds(&op, n) {
                        one(unit, &op, Command { set, second: m, ..Command::new(opcode, n) }, stimulus);
                    }
                }
            }
        }
    });
}

/// Unpacked numbers: more operands than above.
#[test]
fn unpacked_numbers() {
    on_all_columns(2, |params, unit, stimulus| {
        for opcode in [Opcode::FUnpack, Opcode::FSum, Opcode::FPack] {
            let op = Operation::of(opcode, Context::of(params, Set::Fast));
            for format in op.own_formats() {
                for _ in 0..32 {
                    one(unit, &op, Command { second: format.m(), ..Command::new(opcode, format.n()) }, stimulus);
                }
            }
        }
    });
}

/// Roots by every number of steps: programs differ by half of it.
#[test]
fn roots_by_every_number_of_steps() {
    on_all_columns(3, |params, unit, stimulus| {
        let op = Operation::of(Opcode::CordicSqrt, Context::of(params, Set::Fast));
        for n in [16, 32] {
            let (low, high) = op.seconds(n).expect("it has steps");
            for m in low..=high {
                one(unit, &op, Command { second: m as u8, ..Command::new(Opcode::CordicSqrt, n) }, stimulus);
            }
        }
    });
}

/// Hyperbolic tangents of every number of 16 bits, each row of columns in a mode of its own.
#[test]
fn hyperbolic_tangents_of_every_short_number() {
    on_all_columns(4, |params, unit, stimulus| {
        if params.memory == Memory::BlockRam {
            return;
        }
        let op = Operation::of(Opcode::FTanh, Context::of(params, Set::Fast));
        for format in op.own_formats().filter(|format| format.bits() == 16) {
            for row in 0..256 {
                let inputs = (0..256).map(|column| Inputs { a: row << 8 | column, ..Inputs::default() }).collect();
                let command = Command { second: format.m(), ..Command::new(Opcode::FTanh, format.n()) };
                let command = Command { key: stimulus.value(64), ..command };
                on_inputs(unit, &op, command, inputs, stimulus);
            }
        }
    });
}

/// Fused products and sums in each set: more operands than above.
#[test]
fn fused_numbers() {
    on_all_columns(3, |params, unit, stimulus| {
        for set in Set::ALL {
            let op = Operation::of(Opcode::FFma, Context::of(params, set));
            for format in op.own_formats() {
                for _ in 0..32 {
                    let second = format.m();
                    one(unit, &op, Command { set, second, ..Command::new(Opcode::FFma, format.n()) }, stimulus);
                }
            }
        }
    });
}

fn one(unit: &mut ComputeUnit, op: &Operation, mut command: Command, stimulus: &mut Stimulus) {
    command.key = stimulus.value(64);
    let (n, m) = (command.width.into(), command.second.into());
    let inputs = (0..256).map(|_| stimulus.inputs(command.opcode, n, m, command.key)).collect();
    on_inputs(unit, op, command, inputs, stimulus);
}

fn on_inputs(
    unit: &mut ComputeUnit,
    op: &Operation,
    mut command: Command,
    inputs: Vec<Inputs>,
    stimulus: &mut Stimulus,
) {
    let end = Case::place(op, &mut command, 3);
    if end > 512 {
        return;
    }
    let case = Case { command, inputs };
    for limb in &mut unit.array.sram.bits {
        *limb = stimulus.value(64);
    }
    for (i, input) in case.inputs.iter().enumerate() {
        let bit = 1 << (i % 64);
        if input.tag { unit.array.column.t[i / 64] |= bit } else { unit.array.column.t[i / 64] &= !bit }
    }
    case.load(op, &mut unit.array.sram);
    let timing = unit.run(command).unwrap_or_else(|r| panic!("{command}: refused {r:?}"));
    let tags = unit.array.column.t.clone();
    case.compare(&unit.array.sram, &tags)
        .unwrap_or_else(|e| panic!("{:?} {:?}: {e}", unit.array.memory(), op.variants[0].program.name));
    let _ = timing;
}
