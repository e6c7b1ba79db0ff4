//! What a board is for: registers, memories, commands.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::machine::{Board, Machine, native};
use super::reference::{MEMORIES, Reference};
use super::tiny;
use bitline::array::registers::*;
use bitline::ccs::CcsCommand;
use bitline::ccs::registers as ccs;
use bitline::isa::transfer::Transfer;
use bitline::isa::{Command, Opcode};
use bitline::sim::units::ccs::machine::Launch;
use bitline::sim::units::ccs::reference::execute;
use bitline::system::protocol::*;
use bitline::system::registers as board;

/// Reads with a repeated address until a register has none of these bits.
fn wait<B: Board>(machine: &mut Machine<B>, address: u32, bits: u32, value: u32) {
    let reply = (0..50).map(|_| machine.request(Operation::Read, true, address, 16, &[]));
    let done = |reply: &Reply| reply.words.last().is_some_and(|word| word & bits == value);
    assert!({ reply }.any(|reply| done(&reply)), "{address:#x} does not become {value:#x}");
}

/// Stages and pushes a command of the array: one request.
fn push<B: Board>(machine: &mut Machine<B>, command: &Command, opcode: u8) {
    let pair = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
    let first = u32::from(opcode)
        | (command.set as u32) << COMMAND_SET_LSB
        | u32::from(command.width) << COMMAND_WIDTH_LSB
        | u32::from(command.second) << COMMAND_SECOND_LSB;
    let words = [
        first,
        pair(command.a, command.b),
        pair(command.d, command.e),
        command.s.into(),
        command.key as u32,
        (command.key >> 32) as u32,
        1,
    ];
    machine.write(ARRAY_BASE + REG_COMMAND as u32, &words);
}

/// All registers read as the tables say; those that hold what is written do.
pub fn identification<B: Board>(machine: &mut Machine<B>) {
    let params = machine.params.clone();
    let read = machine.read(BOARD_BASE, 16);
    for register in board::REGISTERS {
        let value = match register.offset {
            board::REG_INPUTS => u32::from(machine.button) | u32::from(machine.dip) << board::INPUTS_SWITCHES_LSB,
            _ => board::reset_value(&params, register),
        };
        assert_eq!(read[register.offset as usize / 4], value, "{}", register.name);
    }
    assert_eq!(machine.word(BOARD_BASE + board::REG_FRAMES_OK as u32), 1);
    let read = machine.read(ARRAY_BASE, 32);
    for register in REGISTERS {
        assert_eq!(read[register.offset as usize / 4], reset_value(&params.array, register), "{}", register.name);
    }
    let read = machine.read(CCS_BASE, 64);
    for register in ccs::REGISTERS {
        assert_eq!(read[register.offset as usize / 4], ccs::reset_value(&params.ccs, register), "{}", register.name);
    }
    machine.write(BOARD_BASE + board::REG_SCRATCH as u32, &[0x1234_5678]);
    machine.write(BOARD_BASE + board::REG_LED as u32, &[0xffff_ffa5]);
    assert_eq!(machine.word(BOARD_BASE + board::REG_SCRATCH as u32), 0x1234_5678);
    assert_eq!(machine.word(BOARD_BASE + board::REG_LED as u32), 0x1a5);
    assert_eq!(machine.led, 0xa5);
    machine.write(BOARD_BASE + board::REG_LED as u32, &[0]);
    machine.run(8);
    // A request is under way, and the last one went well.
    assert_eq!(machine.led & 0xfe, 0b110);
}

/// Memories keep what is written, and give what was in them.
pub fn memories<B: Board>(machine: &mut Machine<B>, reference: &mut Reference, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let sizes: Vec<usize> = reference.memories.iter().map(Vec::len).collect();
    for (base, size) in MEMORIES.into_iter().zip(sizes) {
        for count in [1, 3, 64] {
            let words: Vec<u32> = (0..count).map(|_| rng.random()).collect();
            let address = base + 4 * rng.random_range(0..=(size / 4 - count) as u32);
            machine.write(address, &words);
            words.iter().zip((address..).step_by(4)).for_each(|(&word, at)| reference.write(at, word).expect("memory"));
            let from = base + 4 * rng.random_range(0..=(size / 4 - 80) as u32);
            let expected: Vec<u32> = (0..80).map(|i| reference.read(from + 4 * i).expect("memory")).collect();
            assert_eq!(machine.read(from, 80), expected);
        }
        // The last word is there, the one after it is not.
        assert_eq!(Some(machine.word(base + size as u32 - 4)), reference.read(base + size as u32 - 4));
        let reply = machine.request(Operation::Read, false, base + size as u32 - 8, 4, &[]);
        assert_eq!((reply.status, reply.count, reply.words.len()), (Status::Bus, 2, 2));
    }
    (0..reference.memories.len()).for_each(|at| assert!(machine.memory(at) == reference.memories[at], "memory {at}"));
}

/// Loads two vectors, adds them, stores the sum.
pub fn array_command<B: Board>(machine: &mut Machine<B>, reference: &mut Reference) {
    let count = machine.params.array.columns as u16;
    let (sources, target) = ([0x100u32, 0x200], 0x301u32);
    for (row, &address) in [0, 8].into_iter().zip(&sources) {
        let load = Transfer { store: false, width: 8, row, count, address: address.into(), stride: 0 };
        push(machine, &load.command(), load.opcode());
    }
    push(machine, &Command { a: 0, b: 8, d: 16, ..Command::new(Opcode::Add, 8) }, Opcode::Add.code() as u8);
    let store = Transfer { store: true, width: 8, row: 16, count, address: target.into(), stride: 3 };
    push(machine, &store.command(), store.opcode());
    wait(machine, ARRAY_BASE + REG_STATUS as u32, 1, 0);
    let memory = &mut reference.memories[0];
    for k in 0..usize::from(count) {
        let [a, b] = sources.map(|source| memory[source as usize + k]);
        memory[target as usize + 3 * k] = a.wrapping_add(b);
    }
    assert_eq!(machine.word(ARRAY_BASE + REG_COMPLETED as u32), 4);
    assert_eq!(machine.word(ARRAY_BASE + REG_ERROR as u32), 0);
    assert!(machine.memory(0) == reference.memories[0], "the array's memory differs");
}

/// A transfer that leaves the memory ends with DECERR, and changes nothing.
pub fn array_fault<B: Board>(machine: &mut Machine<B>, reference: &Reference) {
    let beyond = reference.memories[0].len() as u64;
    let store = Transfer { store: true, width: 8, row: 0, count: 8, address: beyond, stride: 0 };
    push(machine, &store.command(), store.opcode());
    wait(machine, ARRAY_BASE + REG_STATUS as u32, 1, 0);
    let error = machine.read(ARRAY_BASE + REG_ERROR as u32, 2);
    assert_eq!(error[0], bitline::isa::command::ErrorCode::Decode as u32);
    assert_eq!(machine.word(ARRAY_BASE + REG_ERROR_ADDRESS_LOW as u32), beyond as u32);
    machine.write(ARRAY_BASE + REG_CONTROL as u32, &[1 << CONTROL_ERROR_CLEAR_LSB]);
    assert_eq!(machine.word(ARRAY_BASE + REG_ERROR as u32), 0);
    assert!(machine.memory(0) == reference.memories[0], "the array's memory differs");
}

/// Adds vectors, and reduces one.
pub fn ccs_commands<B: Board>(machine: &mut Machine<B>, reference: &mut Reference) {
    for (name, length) in [("ADDVV", 23), ("SUMV", 40)] {
        let Some(command) = CcsCommand::named(name) else { panic!("there is no command {name}") };
        let launch = Launch::new(command.code, [0x40, 0x200, 0x800], length);
        for (offset, value) in launch.writes() {
            machine.write(CCS_BASE + offset as u32, &[value]);
        }
        machine.write(CCS_BASE + ccs::REG_START as u32, &[0]);
        wait(machine, CCS_BASE + ccs::REG_STATUS as u32, 1, 1);
        let geometry = machine.params.ccs.clone();
        let outcome = execute(&mut reference.memories[1], &geometry, &launch);
        assert_eq!(machine.word(CCS_BASE + ccs::REG_WAIT as u32), 0);
        assert_eq!(outcome.error, None);
        assert_eq!(machine.word(CCS_BASE + ccs::REG_COMPLETED as u32), outcome.lines);
        if name == "SUMV" {
            assert_eq!(Some(machine.word(CCS_BASE + ccs::REG_RESULT as u32)), outcome.result);
        }
        machine.run(400);
        assert!(machine.memory(1) == reference.memories[1], "memory differs after {name}");
    }
}

/// All of it.
pub fn everything<B: Board>(machine: &mut Machine<B>, reference: &mut Reference, seed: u64) {
    (machine.button, machine.dip) = (0b1_0110, 0xc3);
    identification(machine);
    memories(machine, reference, seed);
    array_command(machine, reference);
    array_fault(machine, reference);
    ccs_commands(machine, reference);
    assert_eq!(machine.line.broken, 0);
}

#[test]
fn commands_through_the_pins() {
    let (params, seed) = (tiny(), 1);
    println!("{params:?}, seed {seed}");
    let (mut machine, memories) = native(&params, seed);
    let mut reference = Reference::new(&params, memories);
    everything(&mut machine, &mut reference, seed);
    machine.board.compare_memory().unwrap_or_else(|divergence| panic!("{divergence}"));
    println!("{} cycles", machine.cycles);
}
