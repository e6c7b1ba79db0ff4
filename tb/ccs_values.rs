//! Registers of the cache compute system with values that have more bits than they count, and errors that follow each
//! other in one command.

use super::ccs::bench::{Bench, several};
use bitline::ccs::registers::*;
use bitline::ccs::{CcsCommand, CcsError};
use bitline::sim::units::ccs::machine::Launch;

/// One run over twelve lines, vectors apart from each other.
fn long(bench: &Bench) -> Launch {
    let (line, lanes) = (bench.geometry().line_bytes() as u32, bench.geometry().lanes as u32);
    let code = CcsCommand::named("ADDVV").expect("a command").code;
    Launch::new(code, [0, 20 * line, 40 * line], 12 * lanes)
}

#[test]
fn values_with_more_bits_are_refused() {
    for mut bench in several(400) {
        let legal = long(&bench);
        for (register, value, error) in [
            (REG_STRIDE, 0x101, CcsError::Stride),
            (REG_STRIDE, 1 << 8, CcsError::Stride),
            (REG_STRIDE, 0x8000_0001, CcsError::Stride),
            (REG_COMMAND, u32::from(legal.code) + 0x100, CcsError::Command),
            (REG_COMMAND, u32::from(legal.code) | 1 << 31, CcsError::Command),
        ] {
            legal.writes().into_iter().for_each(|(offset, value)| bench.set(offset, value));
            bench.set(register, value);
            assert_eq!(bench.get(register), 0xff, "{value:#x} in {register:#x}");
            bench.set(REG_START, 0);
            bench.ends_with(Some(error), &format!("{value:#x} in {register:#x}"));
            assert_eq!(bench.get(REG_COMPLETED), 0);
            bench.settle();
            assert!(bench.host.bytes() == bench.memory, "{value:#x} in {register:#x}: memory has changed");
            bench.runs(&legal);
        }
    }
}

/// What ends a command is told, even after a start that came too early.
#[test]
fn an_error_after_an_early_start_is_told() {
    for mut bench in several(410) {
        let line = bench.geometry().line_bytes() as u32;
        bench.set(REG_CONTROL, 1 << CONTROL_SOFT_RESET_LSB);
        bench.host.set_pace(20, 5);
        let launch = long(&bench);
        bench.host.set_faults(Some(9 * line..10 * line));
        bench.start(&launch);
        bench.set(REG_START, 0);
        assert_eq!(bench.get(REG_ERROR), CcsError::Busy as u32);
        bench.ends_with(Some(CcsError::Bus), "a start while busy, then a fault");
        let lines = bench.get(REG_COMPLETED);
        bench.memory = bench.after_lines(&launch, lines);
        bench.host.set_faults(None);
        bench.settle();
        assert!(bench.host.bytes() == bench.memory, "memory does not hold {lines} lines");
        bench.runs(&launch);
    }
}
