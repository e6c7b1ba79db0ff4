//! Commands that are queued behind each other: memory holds what they leave one after the other, whatever hangs
//! together among them; and the cycles from one to the next.

use rand::Rng;

use super::ccs::bench::{Bench, must_have, several, with_lines};
use bitline::ccs::registers::*;
use bitline::ccs::{COMMANDS, CcsError, CcsGeometry, Kind};
use bitline::sim::units::ccs::host::CcsHost;
use bitline::sim::units::ccs::launches::spoil;
use bitline::sim::units::ccs::machine::{CcsMachine, Launch};
use bitline::sim::units::ccs::reference::execute;

/// The word that starts a command.
fn word(launch: &Launch) -> u32 {
    let flags = u32::from(launch.unsigned) << COMMAND_UNSIGNED_LSB | u32::from(launch.store) << COMMAND_STORE_LSB;
    u32::from(launch.code) | flags | launch.length << LAUNCH_LENGTH_LSB
}

/// Writes what has changed since the command before, if there was one, and starts or queues.
fn give(bench: &mut Bench, launch: &Launch, before: Option<&Launch>) {
    let old = before.map(Launch::writes);
    for (i, (offset, value)) in launch.writes().into_iter().enumerate() {
        let same = old.as_ref().is_some_and(|old| old[i].1 == value);
        if !same && offset != REG_COMMAND && offset != REG_LENGTH {
            bench.set(offset, value);
        }
    }
    bench.set(if before.is_some() { REG_QUEUE } else { REG_LAUNCH }, word(launch));
}

/// A command, and others behind it that have much in common with it, so that results meet operands and writes are few.
fn batch(bench: &mut Bench) -> Vec<Launch> {
    let first = bench.launch();
    let mut all = vec![first];
    for _ in 0..bench.rng.random_range(0..6) {
        let last = *all.last().expect("one at least");
        let mut launch = bench.launch();
        if bench.rng.random_range(0..3) > 0 {
            launch = Launch { code: launch.code, unsigned: launch.unsigned, store: launch.store, ..last };
            if bench.rng.random() {
                launch.bases.swap(0, 2);
            }
            if bench.rng.random_range(0..4) == 0 {
                launch.constant = bench.rng.random();
            }
        }
        all.push(launch);
    }
    all
}

/// A batch runs, with the processor at work on registers or idle between commands.
fn round(bench: &mut Bench) {
    bench.random_pace();
    bench.traffic(4);
    let (mut launches, geometry) = (batch(bench), bench.geometry());
    if bench.rng.random_range(0..6) == 0 {
        let which = bench.rng.random_range(0..launches.len());
        spoil(&mut bench.rng, &geometry, &mut launches[which]);
    }
    // A length that the word has no room for can only be launched otherwise.
    launches.retain(|launch| launch.length < 1 << 24);
    let (mut lines, mut result, mut error) = (0, None, None);
    let mut expected = bench.memory.clone();
    for launch in launches.iter().take_while(|_| error.is_none()).collect::<Vec<_>>() {
        if error.is_some() {
            break;
        }
        let outcome = execute(&mut expected, &geometry, launch);
        lines += outcome.lines;
        error = outcome.error;
        result = outcome.result.filter(|_| error.is_none()).or(result);
    }
    let mut before = None;
    for launch in &launches {
        give(bench, launch, before);
        if bench.rng.random_range(0..4) == 0 {
            let cycles = bench.rng.random_range(0..40);
            bench.idle(cycles);
        }
        let status = bench.rng.random_range(0..4) == 0;
        if status {
            let queued = bench.get(REG_STATUS) >> STATUS_QUEUED_LSB & 1 == 1;
            bench.count_if(queued, "queued");
        }
        before = Some(launch);
    }
    if launches.is_empty() {
        return;
    }
    bench.ends_with(error, &format!("{launches:?}"));
    assert_eq!(bench.get(REG_COMPLETED), lines, "{launches:?}");
    if let Some(result) = result {
        assert_eq!(bench.get(REG_RESULT), result, "{launches:?}");
    }
    bench.memory = expected;
    bench.settle();
    assert!(bench.host.bytes() == bench.memory, "memory differs after {launches:?}");
    bench.count_if(error.is_some(), "a command with an error");
    bench.count_if(error.is_none() && launches.len() > 3, "more than three");
    let kinds: Vec<_> = launches.iter().filter_map(|l| COMMANDS.get(usize::from(l.code))).map(|c| c.kind).collect();
    for pair in kinds.windows(2) {
        bench.count(match pair {
            [Kind::Map, Kind::Map] => "map behind map",
            [Kind::Map, Kind::Reduce] => "reduction behind map",
            [Kind::Reduce, Kind::Map] => "map behind reduction",
            _ => "reduction behind reduction",
        });
    }
}

#[test]
fn queued_commands() {
    let mut benches = several(380);
    for bench in &mut benches {
        bench.rounds(40).for_each(|_| round(bench));
        bench.any_command_runs();
        bench.read_all();
    }
    let events = [
        "queued",
        "a command with an error",
        "more than three",
        "map behind map",
        "reduction behind map",
        "map behind reduction",
        "reduction behind reduction",
    ];
    must_have(&benches, 5, &events);
}

/// A soft reset takes what is queued with it.
#[test]
fn a_reset_drops_what_is_queued() {
    let mut bench = with_lines(4, 32, 4, 390);
    for _ in 0..40 {
        bench.random_pace();
        let launches = batch(&mut bench);
        let mut before = None;
        for launch in launches.iter().take(3).filter(|launch| launch.length < 1 << 24) {
            give(&mut bench, launch, before);
            before = Some(launch);
        }
        let cycles = bench.rng.random_range(0..20);
        bench.idle(cycles);
        bench.set(REG_CONTROL, 1 << CONTROL_SOFT_RESET_LSB);
        assert_eq!(bench.get(REG_WAIT), 0);
        assert_eq!(bench.get(REG_STATUS), 1);
        bench.memory = bench.host.bytes().to_vec();
        bench.any_command_runs();
    }
    bench.read_all();
}

/// After an error a queued command is dropped, and one that is launched is not.
#[test]
fn an_error_is_kept_for_who_waits() {
    let mut bench = with_lines(4, 32, 4, 391);
    let launch = bench.launch();
    bench.set(REG_LAUNCH, 63);
    assert_eq!(bench.get(REG_WAIT), CcsError::Command as u32);
    launch.writes().into_iter().for_each(|(offset, value)| bench.set(offset, value));
    bench.set(REG_QUEUE, word(&launch));
    assert_eq!(bench.get(REG_WAIT), CcsError::Command as u32);
    assert!(bench.host.bytes() == bench.memory, "a dropped command wrote something");
    bench.runs(&launch);
}

/// Cycles between commands of one line each that are queued one after the other, their lines left out.
fn apart(geometry: &CcsGeometry, name: &str) -> f64 {
    let code = COMMANDS.iter().find(|c| c.name == name).expect("a command").code;
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
            machine.set_register(start, word(&launch)).expect("answered");
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
    let geometry = CcsGeometry::preset("vc709").expect("named");
    for name in ["ADDVV", "RORVV", "INITC", "SUMV", "SSDVV", "MINV"] {
        let apart = apart(&geometry, name);
        println!("{name}: {apart:.1} cycles apart");
        assert!(apart <= 12.0, "{name}: {apart}");
    }
}
