//! Writes that memory refuses, of lines that are in the cache: memory keeps what it had, the error is told, and a soft
//! reset empties the cache of what it may hold instead.

use rand::Rng;

use super::ccs::bench::{Bench, must_have, several};
use bitline::ccs::registers::*;
use bitline::ccs::{CcsCommand, CcsError};
use bitline::sim::units::ccs::machine::Launch;

const SOFT_RESET: u32 = 1 << CONTROL_SOFT_RESET_LSB;

/// Puts the line with the first of these addresses into an empty cache; memory refuses it from then on.
fn cached_line(bench: &mut Bench, address: u32) -> std::ops::Range<u32> {
    bench.random_pace();
    bench.set(REG_CONTROL, SOFT_RESET);
    bench.read(address);
    let line = address..address + bench.geometry().line_bytes() as u32;
    bench.host.set_faults(Some(line.clone()));
    line
}

/// Every word of the line, as the processor sees it, is what memory holds or what was refused; after a soft reset, all
/// is what memory holds.
fn is_forgotten(bench: &mut Bench, line: std::ops::Range<u32>, refused: impl Fn(u32) -> u32) {
    bench.host.set_faults(None);
    let mut differs = false;
    for address in line.step_by(4) {
        let (word, failed) = bench.host.read(address).unwrap_or_else(|e| panic!("{e}"));
        assert!(!failed);
        assert!([bench.word(address), refused(address)].contains(&word), "{word:#x} at {address:#x}");
        differs |= word != bench.word(address);
    }
    bench.count_if(differs, "the cache holds what memory has refused");
    bench.set(REG_CONTROL, SOFT_RESET);
    bench.read_all();
    bench.any_command_runs();
}

/// A command's line.
fn of_a_command(bench: &mut Bench) {
    let line = bench.geometry().line_bytes() as u32;
    let at = (41 + bench.rng.random_range(0..4)) * line;
    let fault = cached_line(bench, at);
    let code = CcsCommand::named("INITC").expect("a command").code;
    let lanes = bench.geometry().lanes as u32;
    let constant = bench.rng.random();
    let launch = Launch { constant, ..Launch::new(code, [0, 0, 40 * line], 8 * lanes) };
    let mut all = bench.memory.clone();
    bitline::sim::units::ccs::reference::execute(&mut all, &bench.geometry(), &launch);
    bench.start(&launch);
    bench.ends_with(Some(CcsError::Bus), "memory refuses a line");
    let lines = bench.get(REG_COMPLETED);
    let mut expected = bench.after_lines(&launch, lines);
    let kept = fault.start as usize..fault.end as usize;
    expected[kept.clone()].copy_from_slice(&bench.memory[kept]);
    bench.settle();
    assert!(bench.host.bytes() == expected, "memory does not hold {lines} lines");
    bench.memory = expected;
    bench.count("a command's line");
    is_forgotten(bench, fault, |address| {
        u32::from_le_bytes(all[address as usize..][..4].try_into().expect("four bytes"))
    });
}

/// The processor's word.
fn of_the_processor(bench: &mut Bench) {
    let line = bench.geometry().line_bytes() as u32;
    let at = bench.rng.random_range(0..60) * line;
    let fault = cached_line(bench, at);
    let written = at + bench.rng.random_range(0..line / 4) * 4;
    let data: u32 = bench.rng.random();
    bench.host.write(written, data, 15).unwrap_or_else(|e| panic!("{e}"));
    bench.settle();
    assert_eq!(bench.get(REG_STATUS), 3, "ready, with an error");
    assert_eq!(bench.get(REG_ERROR), CcsError::Bus as u32);
    assert!(bench.host.bytes() == bench.memory, "memory has changed");
    bench.count("the processor's word");
    let words = bench.memory.clone();
    is_forgotten(bench, fault, |address| match address == written {
        true => data,
        false => u32::from_le_bytes(words[address as usize..][..4].try_into().expect("four bytes")),
    });
}

#[test]
fn a_soft_reset_forgets_what_memory_has_refused() {
    let mut benches = several(420);
    for bench in &mut benches {
        bench.rounds(6).for_each(|_| of_a_command(bench));
        bench.rounds(6).for_each(|_| of_the_processor(bench));
    }
    let events = ["a command's line", "the processor's word", "the cache holds what memory has refused"];
    must_have(&benches, 5, &events);
}
