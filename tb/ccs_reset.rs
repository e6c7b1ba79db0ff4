//! Soft reset of the cache compute system in any cycle of any command, with fast and slow memory: the bus comes to
//! rest, registers are as after reset, the cache is empty, and every line in memory is what it was, or all that the
//! command makes of it.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::ccs::bench::{Bench, LINES, must_have, several, with_bus, with_lines};
use bitline::ccs::blocks::ccs;
use bitline::ccs::registers::*;
use bitline::ccs::{COMMANDS, CcsError, CcsGeometry, CcsMemory, Kind, SILENCE};
use bitline::error::Result;
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::icarus::Icarus;
use bitline::sim::external::tool::{cache_folder, require, some_of};
use bitline::sim::external::verilator::Verilated;
use bitline::sim::units::ccs::launches::{random_launch, spoil, test_geometry, two_ports};
use bitline::sim::units::ccs::machine::{CcsMachine, Launch};
use bitline::sim::units::ccs::reference::execute;

const SOFT_RESET: u32 = 1 << CONTROL_SOFT_RESET_LSB;

/// Everything is as after reset; status is answered until it is, and may tell an error of a bad command until then.
fn clean(bench: &mut Bench, bad: bool) {
    let mut status = bench.get(REG_STATUS);
    while status & !(u32::from(bad) << STATUS_ERROR_LSB) == 1 << STATUS_RESETTING_LSB {
        bench.count("status in the reset");
        status = bench.get(REG_STATUS);
    }
    assert_eq!(status, 1);
    assert!(bench.host.settled(), "something is on the bus after the reset");
    assert!(!bench.host.irq());
    let geometry = bench.geometry();
    for register in REGISTERS {
        assert_eq!(bench.get(register.offset), reset_value(&geometry, register), "{}", register.name);
    }
}

/// Memory holds what a number of the command's result lines leave, and nothing else. Gives that number.
fn lines_written(bench: &mut Bench, launch: &Launch, what: &str) -> u32 {
    let most = bench.outcome(launch).lines;
    let bytes = bench.host.bytes().to_vec();
    let written = (0..=most).find(|&lines| bench.after_lines(launch, lines) == bytes);
    bench.memory = bytes;
    written.unwrap_or_else(|| panic!("{what}: memory holds part of a line, or a line out of order"))
}

/// Nothing is in the cache: what appears in memory behind its back is read.
fn empty_cache(bench: &mut Bench) {
    let addresses = [0; 4].map(|_| bench.address());
    for at in addresses.map(|address| address as usize) {
        let word: [u8; 4] = bench.rng.random();
        bench.host.bytes()[at..at + 4].copy_from_slice(&word);
        bench.memory[at..at + 4].copy_from_slice(&word);
    }
    addresses.into_iter().for_each(|address| bench.read(address));
}

/// A command, and a reset in some cycle of it.
fn round(bench: &mut Bench) {
    bench.random_pace();
    bench.traffic(6);
    let mut launch = bench.launch();
    let geometry = bench.geometry();
    if bench.rng.random_range(0..12) == 0 {
        spoil(&mut bench.rng, &geometry, &mut launch);
    }
    let outcome = bench.outcome(&launch);
    if bench.rng.random() {
        bench.set(REG_CONTROL, 1);
    }
    bench.start(&launch);
    let most = 8 + [2, 8, 40][bench.rng.random_range(0..3)] * u64::from(outcome.lines.max(launch.count.min(8)));
    let cycles = bench.rng.random_range(0..most);
    bench.idle(cycles);
    let outstanding = !bench.host.settled();
    bench.set(REG_CONTROL, SOFT_RESET);
    clean(bench, outcome.error.is_some());
    let what = format!("reset {cycles} cycles after the start of {launch:?}");
    let written = lines_written(bench, &launch, &what);
    let maps = COMMANDS.get(usize::from(launch.code)).is_some_and(|c| c.kind == Kind::Map);
    bench.count_if(outcome.error.is_some(), "bad command");
    bench.count_if(outcome.error.is_none() && !maps, "reduction");
    bench.count_if(outstanding, "bus at work");
    if outcome.lines > 2 {
        bench.count(match written {
            0 => "before the first line",
            lines if lines == outcome.lines => "after the last line",
            _ => "in the middle",
        });
    }
    empty_cache(bench);
    bench.any_command_runs();
}

#[test]
fn reset_at_any_cycle() {
    let mut benches = several(310);
    for bench in &mut benches {
        bench.rounds(20).for_each(|_| round(bench));
        bench.read_all();
    }
    let events = [
        "bad command",
        "reduction",
        "bus at work",
        "before the first line",
        "in the middle",
        "after the last line",
        "status in the reset",
    ];
    must_have(&benches, 5, &events);
}

/// A map of several lines over a slow bus, with a reset in every cycle, one after the other.
#[test]
fn reset_at_every_cycle() {
    let mut bench = with_bus(8, 32, 4, CcsMemory::Axi128, 330);
    bench.host.set_pace(5, 2);
    let add = COMMANDS.iter().find(|c| c.name == "ADDVV").expect("a command").code;
    let line = bench.geometry().line_bytes() as u32;
    let launch = Launch::new(add, [4, 10 * line + 4, 20 * line + 4], 30);
    let mut counts = [0; 6];
    for cycles in 0..160 {
        bench.start(&launch);
        bench.idle(cycles);
        bench.set(REG_CONTROL, SOFT_RESET);
        clean(&mut bench, false);
        counts[lines_written(&mut bench, &launch, &format!("reset after {cycles} cycles")) as usize] += 1;
        let at = (20 * line) as usize;
        let new: Vec<u8> = (0..5 * line).map(|_| bench.rng.random()).collect();
        bench.host.bytes()[at..][..new.len()].copy_from_slice(&new);
        bench.memory[at..][..new.len()].copy_from_slice(&new);
    }
    bench.runs(&launch);
    println!("resets by result lines written: {counts:?}");
    assert!(counts[..5].iter().all(|&count| count > 0), "{counts:?}");
}

/// Without a command, and beside a write that is on its way.
#[test]
fn reset_of_an_idle_system() {
    for bench in &mut several(340) {
        for _ in bench.rounds(6) {
            bench.random_pace();
            bench.traffic(8);
            bench.set(REG_CONTROL, SOFT_RESET);
            clean(bench, false);
            assert!(bench.host.bytes() == bench.memory, "a write is lost");
            empty_cache(bench);
        }
        bench.any_command_runs();
    }
}

/// Memory that says nothing for long while a soft reset waits: status is answered, the reset gives up, and what comes
/// late is nobody's.
#[test]
fn soft_reset_of_a_system_whose_memory_is_silent() {
    let mut benches =
        vec![with_lines(4, 32, 4, 350), with_lines(8, 16, 2, 351), with_bus(4, 32, 4, CcsMemory::Line, 352)];
    for bench in &mut benches {
        for _ in bench.rounds(8) {
            bench.host.set_pace(1, 1);
            bench.traffic(6);
            bench.settle();
            let launch = bench.launch();
            let late = [SILENCE / 2, 2 * SILENCE, 3 * SILENCE][bench.rng.random_range(0..3)];
            bench.host.set_pace(late, 1);
            bench.start(&launch);
            let cycles = bench.rng.random_range(0..60);
            bench.idle(cycles);
            bench.set(REG_CONTROL, SOFT_RESET);
            // Until the reset has come, the command may have asked for lines: in the cycles of the first answer, too.
            let mut owed = !bench.host.settled();
            let mut asked = 0;
            while bench.get(REG_STATUS) >> STATUS_RESETTING_LSB & 1 == 1 {
                owed |= asked == 0 && !bench.host.settled();
                asked += 1;
            }
            let code = bench.get(REG_WAIT);
            bench.count_if(asked > 100, "status answered for long");
            let silent = CcsError::from_code(code as u8) == Some(CcsError::Silent);
            assert!(silent || code == 0, "code {code}");
            assert!(!silent || owed && late > SILENCE, "given up after {cycles} cycles of {launch:?}");
            bench.count(if silent { "given up" } else { "waited for" });
            bench.host.set_pace(1, 1);
            if silent {
                let ready = 1 << STATUS_READY_LSB | 1 << STATUS_ERROR_LSB;
                assert_eq!(bench.get(REG_STATUS), ready, "as after any soft reset");
                bench.count_if(!bench.host.settled(), "answers after it");
            }
            // Writes that memory was asked for are there, whenever it says so.
            bench.memory = bench.host.bytes().to_vec();
            bench.any_command_runs();
            empty_cache(bench);
            bench.any_command_runs();
        }
        bench.read_all();
    }
    must_have(&benches, 3, &["status answered for long", "given up", "waited for", "answers after it"]);
}

/// A hard reset of the system alone while memory answers: it drops what was asked for before. Gives the reads and
/// writes that memory owed.
fn reset_alone<E: Engine>(machine: &mut CcsMachine<E>, rng: &mut ChaCha8Rng) -> Result<[usize; 2]> {
    machine.memory.latency = rng.random_range(1..SILENCE / 2);
    let (geometry, size) = (machine.geometry.clone(), machine.memory.bytes.len() as u32);
    let launch = random_launch(rng, &geometry, size);
    for (offset, value) in launch.writes() {
        machine.set_register(offset, value)?;
    }
    for _ in 0..rng.random_range(0..3) {
        machine.write(rng.random_range(0..size) & !3, rng.random(), 15)?;
    }
    machine.set_register(REG_START, 0)?;
    (0..rng.random_range(0..40)).try_for_each(|_| machine.cycle(None).map(|_| ()))?;
    let owed = machine.memory.outstanding();
    machine.reset_alone()?;
    assert_eq!(machine.register(REG_STATUS)?, 1);
    machine.memory.latency = 1;
    // The first read waits until memory has said all that it owed.
    for _ in 0..4 {
        let address = rng.random_range(0..size) & !3;
        let word = machine.memory.bytes[address as usize..][..4].try_into().expect("four bytes");
        assert_eq!(machine.read(address)?, (u32::from_le_bytes(word), false), "{address:#x}");
    }
    let command = random_launch(rng, &geometry, size);
    let mut expected = machine.memory.bytes.clone();
    let outcome = execute(&mut expected, &geometry, &command);
    assert_eq!(machine.run(&command)?, outcome.error);
    assert!(machine.memory.bytes == expected, "memory differs after {command:?}");
    Ok(owed)
}

fn alone<E: Engine>(engine: E, geometry: &CcsGeometry, rounds: usize, seed: u64) -> [usize; 2] {
    println!("{geometry:?}, seed {seed}");
    let mut machine = CcsMachine::around(engine, geometry, LINES * geometry.line_bytes(), seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    machine.memory.bytes.fill_with(|| rng.random());
    let mut all = [0; 2];
    for _ in 0..rounds {
        let owed = reset_alone(&mut machine, &mut rng).unwrap_or_else(|e| panic!("{e}"));
        all = [0, 1].map(|i| all[i] + owed[i]);
    }
    all
}

#[test]
fn hard_reset_of_the_system_alone() {
    let mut owed = [0; 2];
    let one = [(4, 32, 4), (8, 16, 2), (16, 8, 8)].map(|(lanes, bits, lines)| test_geometry(lanes, bits, lines));
    for (i, geometry) in one.iter().chain([&two_ports(4, 32, 4)]).enumerate() {
        let here = alone(engine(&ccs(geometry).expect("legal")), geometry, some_of(12, 2), 360 + i as u64);
        owed = [0, 1].map(|i| owed[i] + here[i]);
    }
    println!("reads and writes on their way at resets: {owed:?}");
    assert!(owed.iter().all(|&count| count > 5), "{owed:?}");
    let geometry = test_geometry(4, 32, 4);
    let netlist = ccs(&geometry).expect("legal");
    if require("verilator").is_some() {
        let model = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
        alone(model, &geometry, some_of(12, 2), 370);
    }
    if require("iverilog").is_some() {
        let model = Icarus::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
        alone(model, &geometry, some_of(2, 2), 371);
    }
}
