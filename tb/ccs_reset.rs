//! Soft reset of the cache compute system in any cycle of any command, with fast and slow memory: the bus comes to
//! rest, registers are as after reset, the cache is empty, and every line in memory is what it was, or all that the
//! command makes of it.

use rand::Rng;

use super::ccs::bench::{Bench, must_have, several, with_bus};
use bitline::ccs::registers::{CONTROL_SOFT_RESET_LSB, REG_CONTROL, REG_STATUS, REGISTERS, reset_value};
use bitline::ccs::{COMMANDS, CcsMemory, Kind};
use bitline::sim::units::ccs::launches::spoil;
use bitline::sim::units::ccs::machine::Launch;

const SOFT_RESET: u32 = 1 << CONTROL_SOFT_RESET_LSB;

/// Everything is as after reset.
fn clean(bench: &mut Bench) {
    assert_eq!(bench.get(REG_STATUS), 1);
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
    clean(bench);
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
    let events =
        ["bad command", "reduction", "bus at work", "before the first line", "in the middle", "after the last line"];
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
        clean(&mut bench);
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
            clean(bench);
            assert!(bench.host.bytes() == bench.memory, "a write is lost");
            empty_cache(bench);
        }
        bench.any_command_runs();
    }
}
