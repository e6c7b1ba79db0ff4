//! Machines run commands, count cycles and refuse what is illegal.

use super::*;
use crate::engine::Lookup;
use crate::isa::Set;
use crate::isa::latch::{LATCHES, mask};
use crate::isa::uop::{ColumnControl, PredicateAction, Second, X};
use crate::model::compute_array::Issue;
use crate::params::{Latch, Memory, MemoryPort, Sensing};
use crate::vectors::{read_elements, write_elements};

fn params(memory: Memory) -> Params {
    Params {
        name: "machine".into(),
        rows: 64,
        columns: 8,
        sensing: Sensing::TwoPort,
        memory,
        latches: vec![Latch::Hold, Latch::Predicate],
        sets: vec![Set::Fast],
        command_fifo: 4,
        memory_port: MemoryPort::None,
        float: false,
        radix: 2,
        custom: Vec::new(),
        exception_flags: false,
        unpacked: false,
    }
}

#[test]
fn adds_and_counts() {
    for memory in Memory::ALL {
        let mut machine = Engine::Model.machine(&params(memory), 3).expect("parameters are legal");
        let (a, b) = ([1u128, 2, 3, 200, 255, 0, 7, 9], [1u128, 3, 5, 100, 255, 0, 8, 10]);
        let mut rows = MachineRows(machine.as_mut());
        write_elements(&mut rows, 0, 8, &a);
        write_elements(&mut rows, 8, 8, &b);
        let command = Command { b: 8, d: 16, ..Command::new(Opcode::AddCarry, 8) };
        let timing = machine.execute(command).expect("a legal command");
        let sums = read_elements(&MachineRows(machine.as_mut()), 16, 9);
        assert_eq!(sums, a.iter().zip(&b).map(|(a, b)| a + b).collect::<Vec<_>>());
        assert_eq!(timing.rtl_cycles, 9);
        assert!(timing.latency_cycles >= timing.rtl_cycles);
        assert!(machine.cycle() > timing.latency_cycles);
    }
}

#[test]
fn refusals_change_nothing() {
    let mut machine = Engine::Model.machine(&params(Memory::BlockRam), 5).expect("parameters are legal");
    let before: Vec<_> = (0..64).map(|row| machine.row(row)).collect();
    assert!(before.iter().flatten().any(|&w| w != 0), "rows are filled from the seed");
    for command in [
        Command { d: 60, ..Command::new(Opcode::Add, 8) },
        Command { set: Set::Baseline, d: 16, ..Command::new(Opcode::Add, 8) },
        Command::new(Opcode::Load, 8),
    ] {
        assert!(matches!(machine.execute(command), Err(Error::Command { .. })), "{command}");
    }
    assert_eq!(before, (0..64).map(|row| machine.row(row)).collect::<Vec<_>>());
    assert_eq!(machine.cycle(), 0);
}

#[test]
fn engines_have_names() {
    assert_eq!("model".parse::<Engine>().expect("a name"), Engine::Model);
    assert!("fast".parse::<Engine>().is_err());
}

/// Accesses of operations on 8 bits as their definitions have them: when a command starts, C and H take their first
/// values, and T if the operation is to leave another one.
#[test]
fn accesses_are_those_of_the_definitions() {
    let expected = [
        // Each bit: one row read, one written.
        (Opcode::Copy, Accesses { rows_read: 8, rows_written: 8, latch_updates: 2 }),
        // Each bit: a row of both operands, one of the sum, and its carry.
        (Opcode::Add, Accesses { rows_read: 16, rows_written: 8, latch_updates: 2 + 8 }),
        // Each bit: a row of both, and the tag, which the last one writes as the result.
        (Opcode::Eq, Accesses { rows_read: 16, rows_written: 1, latch_updates: 3 + 8 }),
        // Each bit: a row written.
        (Opcode::Zero, Accesses { rows_read: 0, rows_written: 8, latch_updates: 2 }),
    ];
    for memory in Memory::ALL {
        let mut machine = Engine::Model.machine(&params(memory), 3).expect("parameters are legal");
        for (opcode, accesses) in expected {
            let command = Command { b: 8, d: 16, ..Command::new(opcode, 8) };
            machine.execute(command).expect("a legal command");
            assert_eq!(machine.accesses(), Some(accesses), "{command} on {memory}");
        }
    }
    // All rows of the operand are raised once, in two cycles: those of the key's ones, and those of its zeros.
    let behavioural = Params { sensing: Sensing::AndNor, ..params(Memory::Behavioural) };
    let mut machine = Engine::Model.machine(&behavioural, 3).expect("parameters are legal");
    machine.execute(Command { key: 0b0110_1000, ..Command::new(Opcode::Search, 8) }).expect("a legal command");
    let accesses = machine.accesses().expect("they are counted");
    assert_eq!((accesses.rows_read, accesses.rows_written), (8, 0));
}

/// The same from registers of the hardware: what its ports have read and are to write, and the control word of its
/// columns.
#[test]
fn accesses_are_those_of_the_hardware() {
    for (sensing, radix) in [(Sensing::TwoPort, 2), (Sensing::AndNor, 2), (Sensing::TwoPort, 4)] {
        let params = Params { sensing, latches: Latch::of(sensing), radix, ..params(Memory::BlockRam) };
        let mut counted = UnitMachine::native(&params, 5).expect("parameters are legal");
        let mut watched = UnitMachine::native(&params, 5).expect("parameters are legal");
        let register = |machine: &UnitMachine<Lockstep<Native>>, path: &str| {
            let found = machine.unit.engine.design().find_register(path).unwrap_or_else(|| panic!("no {path}"));
            machine.unit.engine.register(found)[0]
        };
        for (opcode, second) in [(Opcode::Add, 0), (Opcode::MulU, 0), (Opcode::DivRemU, 0), (Opcode::Shl, 3)] {
            let (width, second, key) = (6, second, 0);
            let command = Command { second, key, b: 6, d: 12, e: 24, s: 32, ..Command::new(opcode, width) };
            counted.execute(command).unwrap_or_else(|e| panic!("{e}"));
            let mut found = Accesses::default();
            let mut inputs = Inputs { command: Some(command), ..Inputs::default() };
            loop {
                let outputs = watched.step(&inputs).expect("hardware and model agree");
                let idle = !outputs.busy && inputs.command.is_none();
                if outputs.command_ready {
                    inputs.command = None;
                }
                let ports = ["array.block_ram_0.a_read", "array.block_ram_0.b_read"];
                found.rows_read += ports.map(|path| register(&watched, path)).iter().sum::<u64>();
                found.rows_written += register(&watched, "array.write_enable_1");
                let control = register(&watched, "array.column_1");
                let acts = |entry: &&crate::isa::latch::Entry| {
                    entry.latch.is_none_or(|latch| params.uses(latch)) && control & mask(entry.field) != 0
                };
                found.latch_updates += LATCHES.iter().filter(acts).count() as u64;
                if idle {
                    break;
                }
            }
            let accesses = counted.accesses().expect("they are counted");
            println!("{command} with {sensing}, radix {radix}: {accesses:?}");
            assert!(found.rows_read > 0 && found.rows_written > 0, "{command}: {found:?}");
            let both = |of: Accesses| (of.rows_read, of.rows_written);
            assert_eq!(both(accesses), both(found), "{command} with {sensing}, radix {radix}");
            // The second adder's latches have no actions of their own.
            let more = accesses.latch_updates - found.latch_updates;
            assert!(if radix == 2 { more == 0 } else { more > 0 }, "{command} with {sensing}, radix {radix}: {more}");
        }
    }
}

/// What waits with a row that chooses, and what takes note of one that gathers, counts: six latches and U, or those
/// that the second adder's code names, on columns of radix 4 alone.
#[test]
fn latches_that_choose_and_gather_count() {
    let of = |column: ColumnControl, radix| {
        let latches = Latch::of(Sensing::TwoPort);
        let params = Params { sensing: Sensing::TwoPort, latches, radix, ..params(Memory::BlockRam) };
        Accesses::of(&Issue { column, ..Issue::default() }, &params).latch_updates
    };
    let chooses = ColumnControl { x: X::Choice, ..ColumnControl::default() };
    assert_eq!((of(chooses, 4), of(chooses, 2)), (6, 0));
    assert_eq!(of(ColumnControl { p: PredicateAction::A, ..chooses }, 4), 8, "P and U");
    let gathers = |second| ColumnControl { gathers: true, second, ..ColumnControl::default() };
    assert_eq!(of(ColumnControl { x: X::ReverseXorH, ..chooses }, 4), 7, "M, G, K, E, F, V and U");
    // All four; M, F and V; M, G, E and F; M, G, E, F and V; M and all four; the same and G; M, G, E, F and V.
    let pairs = [(Second::NotPass, 5), (Second::NotPark, 6), (Second::NotTop, 5)];
    let expected = [(Second::Off, 4), (Second::Pass, 3), (Second::Park, 4), (Second::Top, 5)].into_iter().chain(pairs);
    for (second, latches) in expected {
        assert_eq!(of(gathers(second), 4), latches, "{second:?}");
    }
}
