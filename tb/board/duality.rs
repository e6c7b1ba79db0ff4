//! A Duality Cache on a board, through the pins: identification, memory, and a launch whose threads read and write it.

use super::machine::{Board, Machine, alone, native, netlist};
use super::reference::Reference;
use super::system;
use super::with_duality;
use crate::lint::simulators;
use bitline::duality::isa::assemble::assemble;
use bitline::duality::registers::*;
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, deep, require};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::model::duality::Launch;
use bitline::sim::units::duality::launching::{Ended, Prepared, page_table};
use bitline::sim::units::duality::machine::Mode;
use bitline::system::protocol::{DUALITY_BASE, DUALITY_MEMORY_BASE};

/// Words of the memory: 4 KiB.
const WORDS: usize = 512;
/// Elements of the vectors; the last CTA has some threads too many.
const ELEMENTS: u32 = 13;
/// Where vectors and program are in memory, and the page of the address space that the memory is.
const PLACES: [u32; 3] = [0x100, 0x400, 0x840];
const CODE: u32 = 0xc00;
const PAGE: u32 = 0x1234;

fn register<B: Board>(machine: &mut Machine<B>, offset: u64) -> u32 {
    machine.word(DUALITY_BASE + offset as u32)
}

/// Registers read as the table says.
fn identification<B: Board>(machine: &mut Machine<B>) {
    let unit = machine.params.duality.clone().expect("it has one").unit;
    let read = machine.read(DUALITY_BASE, SPAN as usize / 4);
    for register in REGISTERS {
        assert_eq!(read[register.offset as usize / 4], reset_value(&unit, register), "{}", register.name);
    }
}

/// Adds vectors that lie in memory.
fn addition<B: Board>(machine: &mut Machine<B>, reference: &mut Reference) {
    let unit = machine.params.duality.clone().expect("it has one").unit;
    let text = include_str!("../../examples/duality/vecadd.dcs");
    let program = assemble(text, "vecadd.dcs", &unit).unwrap_or_else(|e| panic!("{e}"));
    let at = PLACES.map(|place| PAGE << 16 | place);
    let launch = Launch {
        grid: [ELEMENTS.div_ceil(4), 1, 1],
        block: [4, 1, 1],
        parameters: vec![at[0], at[1], at[2], ELEMENTS, 4],
        ..Launch::default()
    };
    let words: Vec<u32> = program.words.iter().flat_map(|word| (0..4).map(|i| (word.0 >> (32 * i)) as u32)).collect();
    machine.write(DUALITY_MEMORY_BASE + CODE, &words);
    let table = page_table([(PAGE, 0, true)]).expect("one page");
    for (part, entries) in table.chunks(64).enumerate() {
        machine.write(DUALITY_BASE + PAGES as u32 + 256 * part as u32, entries);
    }
    let (params, steps) = (&unit, [0; 2]);
    let prepared = Prepared {
        params,
        program: &program,
        launch: &launch,
        mode: Mode::Decoupled,
        host_fed: false,
        code: CODE,
        steps,
    };
    for (offset, value) in prepared.writes() {
        machine.write(DUALITY_BASE + offset as u32, &[value]);
    }
    machine.write(DUALITY_BASE + REG_WAY_MODES as u32, &[1]);
    machine.write(DUALITY_BASE + REG_COMMAND as u32, &[1 << COMMAND_START_LSB]);
    while register(machine, REG_STATUS) >> STATUS_BUSY_LSB & 1 == 1 {}
    let ended = machine.read(DUALITY_BASE + REG_RESULT as u32, 4);
    assert_eq!(Ended::of(ended.try_into().expect("four words")), Ended::Code(0));
    machine.write(DUALITY_BASE + REG_COMMAND as u32, &[1 << COMMAND_FLUSH_LSB]);
    while register(machine, REG_STATUS) >> STATUS_FLUSHING_LSB & 1 == 1 {}
    words.iter().zip((CODE..).step_by(4)).for_each(|(&word, at)| {
        reference.write(DUALITY_MEMORY_BASE + at, word).expect("memory");
    });
    for k in 0..ELEMENTS {
        let [a, b, sum] = PLACES.map(|place| DUALITY_MEMORY_BASE + place + 4 * k);
        let (a, b) = (reference.read(a).expect("memory"), reference.read(b).expect("memory"));
        reference.write(sum, a.wrapping_add(b)).expect("memory");
    }
    assert!(machine.memory(2) == reference.memories[2], "the Duality Cache's memory differs");
    assert!(register(machine, REG_WAVES) > 1 && register(machine, REG_CYCLES_LOW) > 100);
}

/// All of it, beside the other units.
fn everything<B: Board>(machine: &mut Machine<B>, reference: &mut Reference, seed: u64) {
    identification(machine);
    system::memories(machine, reference, seed);
    addition(machine, reference);
    system::array_command(machine, reference);
    system::ccs_commands(machine, reference);
    assert_eq!(machine.line.broken, 0);
}

#[test]
fn a_launch_through_the_pins() {
    let (params, seed) = (with_duality(WORDS), 41);
    println!("{params:?}, seed {seed}");
    let (mut machine, memories) = native(&params, seed);
    let mut reference = Reference::new(&params, memories);
    everything(&mut machine, &mut reference, seed);
    machine.board.compare_memory().unwrap_or_else(|divergence| panic!("{divergence}"));
    println!("{} cycles", machine.cycles);
}

/// The C++ takes a compiler a minute: `scripts/check-deep.sh` waits for that.
#[test]
fn a_launch_under_verilator_and_in_icarus() {
    let (params, seed) = (with_duality(WORDS), 42);
    if deep() && require("verilator").is_some() {
        let model = Verilated::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
        let (mut machine, memories) = alone(model, &params, seed);
        let mut reference = Reference::new(&params, memories);
        everything(&mut machine, &mut reference, seed);
    }
    if deep() && require("iverilog").is_some() {
        let model = Icarus::build(&netlist(&params), &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
        let (mut machine, memories) = alone(model, &params, seed);
        let mut reference = Reference::new(&params, memories);
        identification(&mut machine);
        addition(&mut machine, &mut reference);
    }
}

/// Those that are quick: yosys takes two minutes.
#[test]
fn simulators_are_quiet_about_a_board_with_it() {
    simulators(&netlist(&with_duality(WORDS))).unwrap_or_else(|e| panic!("{e}"));
}
