//! What the cache compute system does with bad input: each error has its code, changes no memory beyond lines already
//! complete, whose number can be read, and leaves the system ready for the next command.

use rand::Rng;

use super::ccs::bench::{Bench, must_have, several};
use bitline::ccs::registers::*;
use bitline::ccs::{COMMANDS, CcsCommand, CcsError, Kind, Operands};
use bitline::sim::units::ccs::machine::Launch;

/// A command that has this.
fn any_command(bench: &mut Bench, has: impl Fn(&CcsCommand) -> bool) -> CcsCommand {
    let all: Vec<&CcsCommand> = COMMANDS.iter().filter(|command| has(command)).collect();
    *all[bench.rng.random_range(0..all.len())]
}

/// One run over several lines, vectors apart from each other; the last line may be a part.
fn long(bench: &mut Bench, command: &CcsCommand) -> Launch {
    let geometry = bench.geometry();
    let (element, line) = (geometry.element_bytes() as u32, geometry.line_bytes() as u32);
    let place = bench.rng.random_range(0..geometry.lanes as u32) * element;
    let bases = [0, 20 * line, 40 * line].map(|base| base + place);
    let length = bench.rng.random_range(8..16) * geometry.lanes as u32 + bench.rng.random_range(0..4);
    Launch { constant: bench.rng.random(), ..Launch::new(command.code, bases, length) }
}

/// What is wrong, a command that has it, and the error.
fn bad(bench: &mut Bench, kind: usize) -> (&'static str, Launch, CcsError) {
    let geometry = bench.geometry();
    let (element, line) = (geometry.element_bytes() as u32, geometry.line_bytes() as u32);
    let lanes = geometry.lanes as u8;
    let any = any_command(bench, |_| true);
    let mut launch = long(bench, &any);
    let map = |c: &CcsCommand| c.kind == Kind::Map && c.operands != Operands::C;
    let (what, error) = match kind {
        0 => {
            launch.length = 0;
            ("length 0", CcsError::Length)
        }
        1 => {
            launch.count = 0;
            ("count 0", CcsError::Length)
        }
        2 => {
            launch.code = bench.rng.random_range(COMMANDS.len() as u8..64);
            ("unsupported command", CcsError::Command)
        }
        3 => {
            launch.stride = [0, 3, 5, 6, 7, 12, 200][bench.rng.random_range(0..7)];
            ("stride not a power of two", CcsError::Stride)
        }
        4 => {
            launch.stride = [lanes, 128][bench.rng.random_range(0..2)];
            ("stride of a line and more", CcsError::Stride)
        }
        5 => {
            let command = any_command(bench, |c| c.operands == Operands::Vv);
            launch = long(bench, &command);
            launch.bases[1] ^= element;
            ("operands at different places", CcsError::Alignment)
        }
        6 => {
            let command = any_command(bench, map);
            launch = long(bench, &command);
            let move_by = bench.rng.random_range(1..line / element) * element;
            launch.bases[2] = launch.bases[2] / line * line + (launch.bases[2] + move_by) % line;
            ("result at another place", CcsError::Alignment)
        }
        7 if element > 1 => {
            let moved = bench.rng.random_range(1..element);
            launch.bases = launch.bases.map(|base| base + moved);
            ("parts of elements", CcsError::Alignment)
        }
        8 => {
            let command = any_command(bench, map);
            launch = Launch { count: 2, ..long(bench, &command) };
            launch.steps[0] = element;
            ("steps to different places", CcsError::Alignment)
        }
        9 => {
            launch.length = bench.rng.random_range(1 << 31..=u32::MAX);
            ("length past the address space", CcsError::Address)
        }
        10 => {
            let command = any_command(bench, |c| c.operands != Operands::C);
            launch = long(bench, &command);
            launch.bases = launch.bases.map(|base| (1 << 31) - 4 * line + base % line);
            ("start near the end of the address space", CcsError::Address)
        }
        11 => {
            let command = any_command(bench, |c| c.kind == Kind::Map);
            launch = long(bench, &command);
            launch.bases[2] |= 1 << 31;
            ("result beyond the address space", CcsError::Address)
        }
        12 => {
            let command = any_command(bench, |c| c.kind == Kind::Reduce);
            launch = Launch { store: true, ..long(bench, &command) };
            launch.bases[2] |= 1 << 31;
            ("reduction's result beyond the address space", CcsError::Address)
        }
        _ => {
            let command = any_command(bench, |c| c.operands != Operands::C);
            let store = bench.rng.random();
            launch = Launch { store, count: 3 + bench.rng.random_range(0..3), ..long(bench, &command) };
            launch.length = bench.rng.random_range(1..3) * u32::from(lanes);
            // From line 1 downwards: rows 0 and 1 are inside.
            launch.bases[0] = launch.bases[0] % line + line;
            launch.steps = [0u32.wrapping_sub(line); 3];
            ("a row beyond the address space", CcsError::Address)
        }
    };
    (what, launch, error)
}

/// A command that breaks a rule.
fn rule(bench: &mut Bench, kind: usize) {
    bench.random_pace();
    bench.traffic(4);
    let (what, launch, error) = bad(bench, kind);
    let expected = bench.outcome(&launch);
    assert_eq!(expected.error, Some(error), "{what}: {launch:?}");
    bench.count(what);
    bench.count_if(expected.lines > 0, "a rule that breaks after some lines");
    bench.runs(&launch);
    assert_eq!(bench.get(REG_ERROR), error as u32, "{what}");
    bench.any_command_runs();
}

#[test]
fn broken_rules() {
    let mut benches = several(350);
    for bench in &mut benches {
        let kinds = (0..14).filter(|&kind| kind != 7 || bench.geometry().element_bits > 8);
        kinds.collect::<Vec<_>>().into_iter().for_each(|kind| rule(bench, kind));
        bench.read_all();
    }
    let events = [
        "length 0",
        "count 0",
        "unsupported command",
        "stride not a power of two",
        "stride of a line and more",
        "operands at different places",
        "result at another place",
        "parts of elements",
        "steps to different places",
        "length past the address space",
        "start near the end of the address space",
        "result beyond the address space",
        "reduction's result beyond the address space",
        "a row beyond the address space",
        "a rule that breaks after some lines",
    ];
    must_have(&benches, 2, &events);
}

/// Starts that come while a command runs, with other registers than its own.
fn busy(bench: &mut Bench) {
    bench.host.set_pace(6, 3);
    let launch = bench.launch();
    // Long enough that all that follows comes while it runs.
    let length = launch.length.min(2 * bench.geometry().lanes as u32);
    let launch = Launch { count: 300, steps: [0; 3], stride: 1, mask: !0, length, ..launch };
    let outcome = bench.outcome(&launch);
    bench.start(&launch);
    let wait = bench.rng.random_range(0..30);
    bench.idle(wait);
    let other = bench.launch();
    let some = bench.rng.random_range(0..=other.writes().len());
    other.writes().into_iter().take(some).for_each(|(offset, value)| bench.set(offset, value));
    assert_eq!(bench.get(REG_STATUS) & 1, 0, "it runs");
    if bench.rng.random() {
        bench.set(REG_START, 1);
        bench.count("start while busy");
    } else {
        bench.set(REG_LAUNCH, u32::from(other.code) | other.length << LAUNCH_LENGTH_LSB);
        bench.count("launch while busy");
    }
    assert_eq!(bench.get(REG_STATUS), 2, "it still runs, with an error");
    assert_eq!(bench.get(REG_ERROR), CcsError::Busy as u32);
    bench.ends_with(Some(CcsError::Busy), "a start while busy");
    assert_eq!(bench.get(REG_COMPLETED), outcome.lines, "{launch:?}");
    if let Some(result) = outcome.result {
        assert_eq!(bench.get(REG_RESULT), result, "{launch:?}");
    }
    bench.memory = bench.after_lines(&launch, u32::MAX);
    bench.settle();
    assert!(bench.host.bytes() == bench.memory, "memory differs after {launch:?}");
    bench.any_command_runs();
}

#[test]
fn starts_while_busy() {
    let mut benches = several(360);
    for bench in &mut benches {
        bench.rounds(2).for_each(|_| busy(bench));
    }
    must_have(&benches, 2, &["start while busy", "launch while busy"]);
}

/// Memory answers with an error in the middle of a command: of which operand the line is, says `operand`.
fn bus(bench: &mut Bench, operand: usize) {
    bench.random_pace();
    // The cache holds none of the lines.
    bench.set(REG_CONTROL, 1 << CONTROL_SOFT_RESET_LSB);
    let store = bench.rng.random();
    let command = any_command(bench, |c| match operand {
        0 => c.operands != Operands::C,
        1 => c.operands == Operands::Vv,
        _ => c.kind == Kind::Map || store,
    });
    let mut launch = Launch { store, ..long(bench, &command) };
    let geometry = bench.geometry();
    let line = geometry.line_bytes() as u32;
    if bench.rng.random() {
        launch.count = 3;
        launch.steps = [3 * line, 2 * line, 4 * line].map(|step| step * bench.rng.random_range(0..2));
        launch.length = bench.rng.random_range(1..3) * geometry.lanes as u32;
    }
    let outcome = bench.outcome(&launch);
    let elements = if operand == 2 && command.kind == Kind::Reduce { 1 } else { launch.length };
    let row = bench.rng.random_range(0..launch.count);
    let element = bench.rng.random_range(0..elements) * geometry.element_bytes() as u32;
    let fault = (launch.bases[operand] + launch.steps[operand] * row + element) / line * line;
    bench.host.set_faults(Some(fault..fault + line));
    bench.start(&launch);
    let what = format!("fault at {fault:#x}: {launch:?}");
    bench.ends_with(Some(CcsError::Bus), &what);
    let lines = bench.get(REG_COMPLETED);
    let mut expected = bench.after_lines(&launch, lines);
    let at = fault as usize;
    expected[at..at + line as usize].copy_from_slice(&bench.memory[at..at + line as usize]);
    bench.settle();
    assert!(bench.host.bytes() == expected, "{what}: memory does not hold {lines} lines");
    assert!(lines <= outcome.lines);
    bench.memory = expected;
    let map = command.kind == Kind::Map;
    bench.count(["a of memory fails", "b of memory fails", "r of memory fails"][operand]);
    bench.count_if(lines > 0 && lines < outcome.lines, "memory fails in the middle");
    bench.count_if(!map && operand < 2, "memory fails under a reduction");
    bench.count_if(launch.count > 1, "memory fails in a row of several");
    // Reads of the line are answered with an error as long as it fails.
    if operand < 2 {
        let answer = bench.host.read(fault).unwrap_or_else(|e| panic!("{e}"));
        assert!(answer.1, "{what}");
        assert_eq!(bench.get(REG_ERROR), CcsError::Bus as u32, "still the command's");
    }
    bench.host.set_faults(None);
    bench.read(fault);
    bench.runs(&launch);
    bench.any_command_runs();
}

#[test]
fn memory_fails_in_the_middle() {
    let mut benches = several(370);
    for bench in &mut benches {
        for operand in [0, 1, 2, 2] {
            bench.rounds(3).for_each(|_| bus(bench, operand));
        }
        bench.read_all();
    }
    let events = [
        "a of memory fails",
        "b of memory fails",
        "r of memory fails",
        "memory fails in the middle",
        "memory fails under a reduction",
        "memory fails in a row of several",
    ];
    must_have(&benches, 5, &events);
}

/// A word of the processor that memory cannot write: with no command the error stays until the next start.
fn posted(bench: &mut Bench) {
    let line = bench.geometry().line_bytes() as u32;
    let fault = bench.rng.random_range(0..8) * line;
    bench.host.set_faults(Some(fault..fault + line));
    // Its line is not in the cache.
    bench.set(REG_CONTROL, 1 << CONTROL_SOFT_RESET_LSB | 1);
    let [data, offset]: [u32; 2] = bench.rng.random();
    bench.host.write(fault + offset % line / 4 * 4, data, 15).unwrap_or_else(|e| panic!("{e}"));
    bench.settle();
    assert_eq!(bench.get(REG_STATUS), 3, "ready, with an error");
    assert_eq!(bench.get(REG_ERROR), CcsError::Bus as u32);
    assert_eq!(bench.get(REG_WAIT), CcsError::Bus as u32);
    assert_eq!(bench.get(REG_INTERRUPT), 0, "no command has ended");
    // Words that memory takes do not change it.
    bench.write(8 * line, data, 15);
    bench.settle();
    assert_eq!(bench.get(REG_ERROR), CcsError::Bus as u32);
    bench.host.set_faults(None);
    if bench.rng.random() {
        bench.count("a word fails, then a start");
    } else {
        bench.count("a word fails, then a reset");
        bench.set(REG_CONTROL, 1 << CONTROL_SOFT_RESET_LSB);
        assert_eq!(bench.get(REG_STATUS), 1);
    }
    bench.any_command_runs();
    bench.read(fault);
}

/// A word that fails around a start: the error is the command's, or it comes before and goes. Lines stay whole.
fn posted_at_a_start(bench: &mut Bench, cycles: u64) {
    let line = bench.geometry().line_bytes() as u32;
    bench.host.set_pace(1 + cycles, 1);
    let command = any_command(bench, |c| c.kind == Kind::Map && c.operands == Operands::Vv);
    let launch = long(bench, &command);
    launch.writes().into_iter().for_each(|(offset, value)| bench.set(offset, value));
    bench.settle();
    bench.host.set_faults(Some(62 * line..63 * line));
    bench.host.write(62 * line, 1, 15).unwrap_or_else(|e| panic!("{e}"));
    let wait = bench.rng.random_range(0..2) * cycles;
    bench.idle(wait);
    bench.set(REG_START, 0);
    let code = bench.get(REG_WAIT);
    let lines = bench.get(REG_COMPLETED);
    let outcome = bench.outcome(&launch);
    match CcsError::from_code(code as u8) {
        None => assert_eq!(lines, outcome.lines, "{cycles}: it has run"),
        Some(error) => {
            assert_eq!(error, CcsError::Bus);
            assert!(lines < outcome.lines, "{cycles}: it has ended early");
        }
    }
    bench.count(if code == 0 { "a word fails before a start" } else { "a word fails after a start" });
    bench.memory = bench.after_lines(&launch, lines);
    bench.settle();
    assert!(bench.host.bytes() == bench.memory, "memory differs after {launch:?}");
    bench.host.set_faults(None);
    bench.any_command_runs();
}

#[test]
fn posted_words_that_fail() {
    let mut benches = several(380);
    for bench in &mut benches {
        bench.rounds(6).for_each(|_| posted(bench));
        bench.rounds(14).for_each(|cycles| posted_at_a_start(bench, cycles as u64));
    }
    let events = [
        "a word fails, then a start",
        "a word fails, then a reset",
        "a word fails before a start",
        "a word fails after a start",
    ];
    must_have(&benches, 5, &events);
}

/// `interrupt.done` comes with the end of a command, refused ones included; the line follows it while it is enabled.
#[test]
fn interrupts() {
    let mut benches = several(390);
    for bench in &mut benches {
        for round in 0..4 {
            bench.random_pace();
            let refused = round % 4 == 3;
            let mut launch = bench.launch();
            launch.length = if refused { 0 } else { launch.length };
            let enabled = round % 2 == 1;
            bench.set(REG_CONTROL, enabled.into());
            assert_eq!((bench.get(REG_INTERRUPT), bench.host.irq()), (0, false));
            bench.start(&launch);
            let mut waited = 0;
            while enabled && !bench.host.irq() {
                bench.idle(1);
                waited += 1;
                assert!(waited < 20_000, "no interrupt");
            }
            if enabled {
                assert_eq!(bench.get(REG_STATUS) & 1, 1, "it has ended");
                bench.count(if refused { "interrupt for a refused command" } else { "interrupt" });
            } else {
                bench.get(REG_WAIT);
                bench.idle(4);
                assert!(!bench.host.irq(), "not enabled");
            }
            bench.memory = bench.after_lines(&launch, u32::MAX);
            bench.settle();
            assert_eq!(bench.get(REG_INTERRUPT), 1);
            if !enabled {
                bench.set(REG_CONTROL, 1);
                bench.idle(4);
                assert!(bench.host.irq(), "enabled when it is there");
                bench.count("interrupt that is enabled late");
            }
            // What is not a 1 clears nothing.
            bench.set(REG_INTERRUPT, 0);
            bench.idle(4);
            assert!(bench.host.irq());
            bench.set(REG_INTERRUPT, 1);
            bench.idle(4);
            assert_eq!((bench.get(REG_INTERRUPT), bench.host.irq()), (0, false));
        }
        bench.read_all();
    }
    must_have(&benches, 2, &["interrupt", "interrupt for a refused command", "interrupt that is enabled late"]);
}
