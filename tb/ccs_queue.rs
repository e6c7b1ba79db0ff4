//! Commands that are queued behind each other: memory holds what they leave one after the other, whatever hangs
//! together among them; and the cycles from one to the next.

use rand::Rng;

use super::ccs::bench::{Bench, must_have, several, with_lines};
use bitline::ccs::registers::*;
use bitline::ccs::{CcsCommand, CcsError, CcsGeometry};
use bitline::sim::units::ccs::host::CcsHost;
use bitline::sim::units::ccs::machine::{CcsMachine, Launch};
use bitline::sim::units::ccs::queued::Queued;

/// Commands of campaigns that CI runs on each native machine.
const ROUNDS: usize = 40;

#[test]
fn queued_commands() {
    let mut benches = several(380);
    for bench in &mut benches {
        let mut campaign = Queued::new(bench.rng.random());
        for _ in bench.rounds(ROUNDS) {
            campaign.round(&mut *bench.host).unwrap_or_else(|e| panic!("{e}"));
        }
        bench.coverage = campaign.coverage;
        bench.memory = bench.host.bytes().to_vec();
        bench.any_command_runs();
        bench.read_all();
    }
    let events = [
        "queued",
        "read beside",
        "write beside",
        "a command that is wrong",
        "more than three",
        "memory fails",
        "a reset in the middle",
        "a reset with one queued",
        "map behind map",
        "reduction behind map",
        "map behind reduction",
        "reduction behind reduction",
    ];
    must_have(&benches, 5, &events);
}

/// A map of several lines, each vector apart from the others.
fn map(bench: &Bench, lines: u32) -> Launch {
    let (line, lanes) = (bench.geometry().line_bytes() as u32, bench.geometry().lanes as u32);
    let add = CcsCommand::named("ADDVV").expect("a command").code;
    Launch::new(add, [0, 20 * line, 40 * line], lines * lanes)
}

/// Starts a command.
fn launch(bench: &mut Bench, launch: &Launch) {
    launch.writes().into_iter().for_each(|(offset, value)| bench.set(offset, value));
    bench.set(REG_LAUNCH, launch.word());
}

/// Writes what another command needs that the one before did not, and queues it.
fn queue(bench: &mut Bench, before: &Launch, launch: &Launch) {
    for (old, (offset, value)) in before.writes().into_iter().zip(launch.writes()) {
        if offset != REG_COMMAND && offset != REG_LENGTH && old.1 != value {
            bench.set(offset, value);
        }
    }
    bench.set(REG_QUEUE, launch.word());
}

/// What is wrong with a command behind one whose result memory cannot write is told only without that; what comes
/// behind both is dropped.
#[test]
fn errors_are_told_in_order() {
    let mut told = [0; 2];
    for bench in &mut several(400) {
        for round in bench.rounds(24) {
            bench.random_pace();
            let line = bench.geometry().line_bytes() as u32;
            let first = map(bench, 1 + round as u32 % 3);
            let (second, error) = if round % 2 == 0 {
                (Launch { stride: 3, ..first }, CcsError::Stride)
            } else {
                (
                    Launch { bases: first.bases.map(|base| base | 0x7fff_0000), length: 1 << 23, ..first },
                    CcsError::Address,
                )
            };
            let third = Launch { bases: [0, 20 * line, 50 * line], ..first };
            let fails = round % 4 < 2;
            // The last line of the first command's result.
            let at = first.bases[2] + round as u32 % 3 * line;
            bench.host.set_faults(fails.then_some(at..at + line));
            launch(bench, &first);
            queue(bench, &first, &second);
            let idle = bench.rng.random_range(0..20);
            bench.idle(idle);
            queue(bench, &second, &third);
            let code = CcsError::from_code(bench.get(REG_WAIT) as u8);
            assert_eq!(code, Some(if fails { CcsError::Bus } else { error }), "{first:?}, {second:?}");
            told[usize::from(fails)] += 1;
            let lines = bench.get(REG_COMPLETED);
            let mut expected = bench.after_lines(&first, lines);
            if fails {
                expected[at as usize..][..line as usize].copy_from_slice(&bench.memory[at as usize..][..line as usize]);
            } else {
                assert_eq!(lines, bench.outcome(&first).lines);
            }
            bench.memory = expected;
            bench.settle();
            assert!(bench.host.bytes() == bench.memory, "memory differs after {first:?}");
            bench.host.set_faults(None);
            bench.set(REG_CONTROL, 1 << CONTROL_SOFT_RESET_LSB);
            assert_eq!(bench.get(REG_WAIT), 0);
        }
        bench.any_command_runs();
    }
    println!("{told:?}");
    assert!(told.iter().all(|&count| count > 20), "{told:?}");
}

/// Whether the command before has ended when the next one is queued makes no difference: `completed` goes on, a start
/// that came too early stays told, and the interrupt comes when nothing runs any more.
#[test]
fn a_queued_command_finds_nothing_that_runs() {
    let mut bench = with_lines(4, 32, 4, 392);
    let command = map(&bench, 5);
    launch(&mut bench, &command);
    assert_eq!(bench.get(REG_WAIT), 0);
    queue(&mut bench, &command, &command);
    assert_eq!((bench.get(REG_WAIT), bench.get(REG_COMPLETED)), (0, 10));
    launch(&mut bench, &command);
    assert_eq!((bench.get(REG_WAIT), bench.get(REG_COMPLETED)), (0, 5));
    bench.set(REG_INTERRUPT, 1);
    launch(&mut bench, &command);
    queue(&mut bench, &command, &command);
    bench.set(REG_START, 0);
    assert_eq!(bench.get(REG_INTERRUPT), 0, "one of them runs");
    queue(&mut bench, &command, &command);
    assert_eq!(bench.get(REG_WAIT), CcsError::Busy as u32);
    assert_eq!((bench.get(REG_INTERRUPT), bench.get(REG_COMPLETED)), (1, 15));
    queue(&mut bench, &command, &command);
    assert_eq!((bench.get(REG_WAIT), bench.get(REG_COMPLETED)), (CcsError::Busy as u32, 20));
}

/// Reductions of a line each that store their results one in every cycle, and behind them a map that goes ahead of the
/// tree: none of the results is lost when the unit goes over to it.
#[test]
fn results_in_every_cycle_before_a_map() {
    let mut benches = several(410);
    for bench in &mut benches {
        let (line, lanes) = (bench.geometry().line_bytes() as u32, bench.geometry().lanes as u32);
        let element = bench.geometry().element_bytes() as u32;
        for round in bench.rounds(12) {
            let name = ["SUMV", "MINV", "XORV"][round % 3];
            let code = CcsCommand::named(name).expect("a command").code;
            // The line that all rows reduce is in the cache.
            bench.read(0);
            let rows = Launch {
                store: true,
                count: 8 + 8 * round as u32,
                steps: [0, 0, element],
                ..Launch::new(code, [0, 0, 40 * line], lanes)
            };
            let set = CcsCommand::named(["INITC", "ADDVC"][round % 2]).expect("a command").code;
            let map = Launch { constant: 7 + round as u32, ..Launch::new(set, [0, 0, 10 * line], lanes) };
            launch(bench, &rows);
            queue(bench, &rows, &map);
            bench.ends_with(None, name);
            for launch in [&rows, &map] {
                bench.memory = bench.after_lines(launch, u32::MAX);
            }
            bench.settle();
            assert!(bench.host.bytes() == bench.memory, "memory differs after {rows:?} and {map:?}");
        }
    }
}

/// After an error a queued command is dropped, and one that is launched is not.
#[test]
fn an_error_is_kept_for_who_waits() {
    let mut bench = with_lines(4, 32, 4, 391);
    let command = bench.launch();
    bench.set(REG_LAUNCH, 63);
    assert_eq!(bench.get(REG_WAIT), CcsError::Command as u32);
    bench.set(REG_INTERRUPT, 1);
    queue(&mut bench, &Launch::new(63, [1; 3], 0), &command);
    assert_eq!(bench.get(REG_WAIT), CcsError::Command as u32);
    assert_eq!(bench.get(REG_INTERRUPT), 1, "what is dropped ends, too");
    assert!(bench.host.bytes() == bench.memory, "a dropped command wrote something");
    bench.runs(&command);
}

/// Cycles between commands of one line each that are queued one after the other, their lines left out.
fn apart(geometry: &CcsGeometry, name: &str) -> f64 {
    let code = CcsCommand::named(name).expect("a command").code;
    let mut machine = CcsMachine::native(geometry, 64 * geometry.line_bytes(), 5).expect("legal");
    machine.memory.bytes.fill(7);
    let line = geometry.line_bytes() as u32;
    let mut cycles = |count: u32| {
        for base in [0, 17 * line, 34 * line] {
            machine.read(base).expect("answered");
        }
        let launch = Launch::new(code, [0, 17 * line, 34 * line], geometry.lanes as u32);
        launch.writes().into_iter().for_each(|(o, v)| machine.set_register(o, v).expect("answered"));
        let before = machine.register(REG_CYCLES_LOW).expect("answered");
        for number in 0..count {
            // As a processor does it: three addresses, and what starts.
            for (offset, value) in [(REG_A, 0), (REG_B, 17 * line), (REG_R, 34 * line)] {
                machine.set_register(offset, value).expect("answered");
            }
            let start = if number == 0 { REG_LAUNCH } else { REG_QUEUE };
            machine.set_register(start, launch.word()).expect("answered");
        }
        assert_eq!(CcsHost::register(&mut machine, REG_WAIT).expect("answered"), 0);
        machine.register(REG_CYCLES_LOW).expect("answered") - before
    };
    let (few, many) = (cycles(4), cycles(36));
    f64::from(many - few) / 32.0 - 1.0
}

/// At most twelve cycles lie between queued commands, beside their lines, of whatever kind.
#[test]
fn queued_commands_are_close() {
    for read_ports in [1, 2] {
        let geometry = CcsGeometry { read_ports, ..CcsGeometry::preset("vc709").expect("named") };
        for name in ["ADDVV", "RORVV", "INITC", "SUMV", "SSDVV", "MINV"] {
            let apart = apart(&geometry, name);
            println!("{name}, {read_ports} ports: {apart:.1} cycles apart");
            assert!(apart <= 12.0, "{name}: {apart}");
        }
    }
}
