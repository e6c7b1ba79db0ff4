//! Random instructions on lines, mixed with loads, stores and atomic operations of other ports, through one arbiter and
//! the cache ways, against flat memory: ways are drained, disabled and enabled meanwhile, lines cannot be fetched.
//!
//! What is served in which order is seen at the ports; each request counts when it is answered. So an operation on a
//! line counts with its last answer, from what its lines hold then: whatever came between would be seen. The line unit
//! is compared with its model in every cycle.

pub mod alone;
mod bus;
pub mod figures;
mod judge;
mod parts;
mod unit;

use std::collections::VecDeque;

use bitline_units::duality::CacheParams;
use bitline_units::duality::lines::LineInstruction;
use bitline_units::duality::registers::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::Engine;
use crate::kernel::netlist::NetId;
use crate::lockstep::duality::Beside;
use crate::model::duality::lines::unit::LineUnit;
use bus::Bus;
use judge::Judge;
pub(super) use judge::{Flat, judged};
pub(super) use parts::some;
use parts::{Host, Open, Port, Request};
pub use parts::{LineCoverage, Nets};
pub(super) use unit::{begin, ended};

/// Cycles without an answer after which the side is taken for dead.
const DEAD: u64 = 30_000;

/// Whether a line can only be there if the other one is not.
fn evicts(params: &CacheParams, before: u32, address: u32) -> bool {
    let [before, address] = [before, address].map(|address| address as usize / 64);
    params.ways == 1 && before != address && before % params.sets == address % params.sets
}

/// Runs so many instructions; with `trouble` lines cannot be fetched, and ways change.
///
/// # Panics
/// If an answer, a result or memory is not what flat memory has, or the line unit is not as its model.
pub fn run<E: Engine>(
    mut engine: E,
    params: &CacheParams,
    ports: usize,
    seed: u64,
    instructions: u64,
    trouble: bool,
) -> LineCoverage {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let nets = Nets::of(&engine);
    let mut covered = LineCoverage::default();
    let lines = (3 * params.ways * params.sets).max(16) as u32;
    let base = if rng.random() { 0 } else { 0u32.wrapping_sub(64 * lines) };
    let mut bus = Bus::new(1);
    for word in 0..8 * lines {
        // Few values, so that words are equal now and then.
        let value = if rng.random() { rng.random_range(0..2) } else { rng.random() };
        bus.memory.0.insert(base / 8 + word, value);
    }
    let mut flat = bus.memory.clone();
    let all = u32::MAX >> (32 - params.ways);
    let (mut enabled, mut empty, mut drain, mut draining) = (all, 0, 0u32, None);
    let mut all_ports = vec![Port::default(); ports];
    let mut open: VecDeque<Open> = VecDeque::new();
    let (mut host, mut judge): (Host, Option<Judge>) = (Host::Writes(0), None);
    let mut instruction = some(&mut rng, base, lines);
    let (mut ended, mut quiet, mut now) = (0, 0, 0u64);
    let mut flushing = false;
    let inputs: Vec<NetId> = engine.design().inputs.clone();
    inputs.into_iter().for_each(|net| engine.set_input(net, &[0]));
    engine.tick(true);
    let mut beside = Beside::new(&mut engine, LineUnit::default(), "lines", seed);
    loop {
        let told = |what: &str| format!("seed {seed}, cycle {now}: {what}");
        let last = ended == instructions;
        if rng.random_range(0..300) == 0 {
            bus.latency = [0, 3, 12, 40][rng.random_range(0..4)];
            bus.pace = [1, 1, 2, 4][rng.random_range(0..4)];
        }
        if trouble && rng.random_range(0..500) == 0 {
            let some = |_| (base / 64 + rng.random_range(0..lines), ());
            bus.broken = (0..if last { 0 } else { 3 }).map(some).collect();
        }
        if last {
            bus.broken.clear();
        }
        // Ways change what they are.
        if trouble && !last && draining.is_none() && drain == 0 && rng.random_range(0..300) == 0 {
            drain = if rng.random_range(0..4) == 0 { all } else { rng.random::<u32>() & all };
        }
        if draining.is_none() && drain == 0 && (last || rng.random_range(0..20) == 0) {
            (enabled, empty) = if empty != 0 { (enabled & !empty, 0) } else { (all, 0) };
        }
        if last && !flushing && draining.is_none() && drain == 0 && enabled == all && open.is_empty() {
            if all_ports.iter().all(|port| port.offer.is_none() && port.then.is_none()) {
                (drain, flushing) = (all, true);
            }
        }
        // Other ports.
        for port in &mut all_ports {
            if port.offer.is_some() || port.waits || rng.random_range(0..4) > 0 {
                continue;
            }
            port.offer = port.then.take();
            if port.offer.is_none() && !last {
                // Where the instruction is, more often than not.
                let LineInstruction { a, b, d, size, .. } = instruction;
                let from = [a, b, d, base][rng.random_range(0..4)].wrapping_sub(base);
                let near = from.wrapping_add(rng.random_range(0..size.clamp(64, 1024))) % (64 * lines);
                let kind = rng.random_range(0..6);
                let lock = kind == 0;
                let (write, hint) = (kind == 1 || kind == 2, kind == 3);
                let (address, strobes) = (base + near, if rng.random() { 255 } else { rng.random() });
                let data = if rng.random() { rng.random_range(0..2) } else { rng.random() };
                let request = Request { address, write, hint, lock, data, strobes };
                port.then = lock.then_some(Request { write: true, lock: false, strobes: 255, ..request });
                port.offer = Some(request);
            }
        }
        bus.drive(&mut engine, &nets, &mut rng, now);
        let mut set = |name: &str, value: u64| engine.set_input(nets.at(name), &[value]);
        for (k, port) in all_ports.iter().enumerate() {
            let offer = port.offer.unwrap_or_default();
            for (name, value) in [
                ("valid", port.offer.is_some().into()),
                ("address", offer.address.into()),
                ("write", offer.write.into()),
                ("hint", offer.hint.into()),
                ("data", offer.data),
                ("strobes", offer.strobes.into()),
            ] {
                set(&format!("ports_{k}_{name}"), value);
            }
            set(&format!("locks_{k}"), offer.lock.into());
        }
        set("enabled", enabled.into());
        set("drain_valid", (drain != 0).into());
        set("drain_ways", drain.into());
        // The host: a register a cycle; what it may not write it tries now and then.
        let ready = rng.random_range(0..4) > 0;
        set("host_ready", ready.into());
        let LineInstruction { op, grain, a, b, d, size } = instruction;
        let operation = u64::from(op) << LINE_OPERATION_OPCODE_LSB | u64::from(grain) << LINE_OPERATION_GRAIN_LSB;
        let writes = [
            (REG_LINE_A, a.into()),
            (REG_LINE_B, b.into()),
            (REG_LINE_D, d.into()),
            (REG_LINE_SIZE, size.into()),
            (REG_LINE_OPERATION, operation),
        ];
        let number = |offset: u64| offset / 4 % 16;
        set("host_read_number", number(REG_LINE_RESULT));
        let result = engine.low(nets.at("host_value"));
        let working = result >> LINE_RESULT_BUSY_LSB & 1 == 1;
        let next = match host {
            Host::Writes(at) if !last => Some(writes[at]),
            Host::Waits if working && rng.random_range(0..16) == 0 => {
                Some((writes[rng.random_range(0..5)].0, rng.random()))
            }
            _ => None,
        };
        let (offset, data) = next.unwrap_or((REG_LINE_RESULT, 0));
        let mut set = |name: &str, value: u64| engine.set_input(nets.at(name), &[value]);
        set("host_number", number(offset));
        set("host_data", data);
        set("host_write", 0);
        let refuses = engine.low(nets.at("host_refuses")) == 1;
        if next.is_some() {
            let begins = offset == REG_LINE_OPERATION;
            assert_eq!(refuses, working || begins && !ready, "{}", told("a write is refused"));
            covered.refused[usize::from(!working)] += u64::from(refuses);
            engine.set_input(nets.at("host_write"), &[(!refuses).into()]);
        }
        match host {
            Host::Writes(at) if next.is_some() && !refuses => {
                host = if at + 1 < writes.len() { Host::Writes(at + 1) } else { Host::Waits };
                if host == Host::Waits {
                    judge = match Judge::new(instruction) {
                        Ok(judge) => Some(judge),
                        Err(expected) => {
                            // Told two cycles later, with nothing asked for.
                            covered.ended[expected.0 as usize] += 1;
                            None
                        }
                    };
                    quiet = 0;
                }
            }
            Host::Waits if result >> LINE_RESULT_DONE_LSB & 1 == 1 => {
                let mut read = |offset: u64| {
                    engine.set_input(nets.at("host_read_number"), &[number(offset)]);
                    engine.low(nets.at("host_value"))
                };
                let code = result >> LINE_RESULT_CODE_LSB & 7;
                let mask = read(REG_LINE_MASK_LOW) | read(REG_LINE_MASK_HIGH) << 32;
                let shown = (code, read(REG_LINE_FAULT) as u32);
                let expected = judge.as_ref().map_or_else(
                    || Judge::new(instruction).expect_err("it was illegal"),
                    |judge| {
                        assert!(judge.over(), "{}", told("it ends before all is done"));
                        assert_eq!(mask, judge.mask, "{}", told(&format!("the mask of {instruction:x?}")));
                        judge.ended
                    },
                );
                assert_eq!(shown, expected, "{}", told(&format!("the end of {instruction:x?}")));
                if judge.take().is_some() {
                    covered.ended[code as usize] += 1;
                    covered.done[usize::from(op)] += 1;
                    covered.in_place += u64::from(matches!(op, 1..=6) && (d == a || d == b));
                }
                ended += 1;
                instruction = some(&mut rng, base, lines);
                host = Host::Writes(0);
            }
            _ => {}
        }
        // What is answered: one request, the oldest.
        let mut get = |name: &str| engine.low(nets.at(name));
        let of_line = get("answered") == 1;
        let mut answers: Vec<Option<usize>> = of_line.then_some(None).into_iter().collect();
        answers.extend((0..ports).filter(|k| get(&format!("ports_{k}_answer")) == 1).map(Some));
        assert!(answers.len() <= 1, "{}", told("one answer at a time"));
        for answer in answers {
            quiet = 0;
            match (open.pop_front(), answer) {
                (Some(Open::Line), None) => {
                    let failed = get("answered_failed") == 1;
                    let judge = judge.as_mut().unwrap_or_else(|| panic!("{}", told("nothing is under way")));
                    judge.answer(&mut flat, failed).unwrap_or_else(|e| panic!("{}", told(e)));
                    covered.drained[1] += u64::from(draining.is_some());
                }
                (Some(Open::Port(who, request)), Some(k)) if who == k => {
                    let failed = get(&format!("ports_{k}_answer_failed")) == 1;
                    let (word, old) = (request.address / 8, flat.word(request.address / 8));
                    assert!(!failed || trouble, "{}", told("a request fails"));
                    if !failed {
                        assert_eq!(get(&format!("ports_{k}_answer_data")), old, "{}", told("the word that is read"));
                    }
                    if request.write && !failed {
                        let mask = (0..8).filter(|b| request.strobes >> b & 1 == 1).fold(0, |m, b| m | 0xff << (8 * b));
                        flat.0.insert(word, old & !mask | request.data & mask);
                    }
                    let port = &mut all_ports[k];
                    if request.lock {
                        port.waits = false;
                        let more = |then| Request { data: old.wrapping_add(1), ..then };
                        port.then = port.then.take().filter(|_| !failed).map(more);
                    }
                    if judge.is_some() {
                        let kind = if failed { 3 } else { usize::from(request.write) + 2 * usize::from(request.lock) };
                        covered.others[kind] += 1;
                    }
                }
                other => panic!("{}", told(&format!("an answer to {:?}, due is {:?}", other.1, other.0))),
            }
        }
        // What is taken.
        if get("taken") == 1 {
            if get("taken_hint") == 1 {
                covered.hints += 1;
            } else {
                let (address, writes) = (get("taken_address") as u32, get("taken_write") == 1);
                let judge = judge.as_mut().unwrap_or_else(|| panic!("{}", told("nothing is under way")));
                covered.evicted += u64::from(judge.before().is_some_and(|before| evicts(params, before, address)));
                assert!(judge.takes(address, writes), "{}", told(&format!("request {} at {address:x}", judge.asked())));
                open.push_back(Open::Line);
            }
        }
        for (k, port) in all_ports.iter_mut().enumerate() {
            if get(&format!("ports_{k}_ready")) == 1 {
                let request = port.offer.take().expect("it was offered");
                if !request.hint {
                    open.push_back(Open::Port(k, request));
                    port.waits = request.lock;
                }
            }
        }
        if get("drained") == 1 {
            empty |= draining.take().expect("something is drained");
            covered.drained[0] += 1;
            if flushing {
                assert!(bus.memory.0 == flat.0, "{}", told("memory differs"));
                return covered;
            }
        }
        if drain != 0 && get("drain_ready") == 1 {
            (draining, drain) = (Some(drain), 0);
        }
        bus.after(&mut engine, &nets, now);
        quiet += 1;
        assert!(quiet < DEAD || open.is_empty() && judge.is_none() && !flushing, "{}", told("nothing happens"));
        beside.cycle(&mut engine, |engine| engine.tick(false)).unwrap_or_else(|d| panic!("{d}"));
        now += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use crate::external::tool::some_of;
    use bitline_units::duality::blocks::{duality_line_check, duality_line_side};

    /// Ways, sets, entries, other ports.
    const SHAPES: [[usize; 4]; 4] = [[1, 4, 16, 1], [2, 4, 16, 2], [4, 8, 32, 3], [3, 16, 16, 2]];

    #[test]
    fn duality_lines_are_memory_natively() {
        for trouble in [false, true] {
            let mut sum = LineCoverage::default();
            for ([ways, sets, mshr, ports], seed) in SHAPES.into_iter().zip(if trouble { 11.. } else { 1.. }) {
                let params = CacheParams { ways, sets, mshr, lines: true };
                println!("{params:?}, {ports} ports, trouble {trouble}: seed {seed}");
                let netlist = duality_line_side(&params, ports).unwrap_or_else(|e| panic!("{e}"));
                let covered = run(engine(&netlist), &params, ports, seed, some_of(600, 2) as u64, trouble);
                println!("{covered:?}");
                let add = |to: &mut [u64], from: &[u64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
                add(&mut sum.ended, &covered.ended);
                add(&mut sum.done, &covered.done);
                add(&mut sum.refused, &covered.refused);
                add(&mut sum.others, &covered.others);
                add(&mut sum.drained, &covered.drained);
                (sum.hints, sum.in_place) = (sum.hints + covered.hints, sum.in_place + covered.in_place);
                sum.evicted += covered.evicted;
            }
            let mut counts = [&sum.ended[..7], &sum.done[1..], &sum.refused, &sum.others[..3], &[sum.hints]].concat();
            counts.extend([sum.in_place, sum.evicted]);
            counts.extend(
                trouble.then_some([sum.ended[7], sum.others[3], sum.drained[0], sum.drained[1]]).iter().flatten(),
            );
            assert!(counts.iter().all(|&count| count > 0), "{sum:?}");
        }
    }

    /// Legal and illegal instructions, of which a rule may be broken by a byte.
    #[test]
    fn duality_line_checks_are_the_rules() {
        let mut engine = engine(&duality_line_check().expect("legal"));
        let nets = Nets::of(&engine);
        let seed = 5;
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut codes = [0; 8];
        for _ in 0..200_000 {
            let near = rng.random_range(0..4) == 0;
            let base = if near { 0u32.wrapping_sub(64 * 32) } else { 64 * rng.random_range(0..1000) };
            let made = some(&mut rng, base, 32);
            for (name, value) in [
                ("op", made.op.into()),
                ("grain", made.grain.into()),
                ("a", made.a.into()),
                ("b", made.b.into()),
                ("d", made.d.into()),
                ("size", u64::from(made.size)),
            ] {
                engine.set_input(nets.at(name), &[value]);
            }
            let shown = (engine.low(nets.at("code")), engine.low(nets.at("about")) as u32);
            let expected = Judge::new(made).err().unwrap_or((0, 0));
            assert_eq!(shown, expected, "{made:x?}");
            let rules = made.check().err().map_or((0, 0), |(code, about)| (code as u64, about));
            assert_eq!(rules, expected, "{made:x?}");
            codes[shown.0 as usize] += 1;
        }
        println!("{codes:?}");
        assert!(codes[..7].iter().all(|&count| count > 100), "{codes:?}");
    }
}
