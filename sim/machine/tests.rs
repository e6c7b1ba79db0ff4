//! Machines run commands, count cycles and refuse what is illegal.

use super::*;
use crate::isa::Set;
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
