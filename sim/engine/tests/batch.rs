//! Batches of random designs: each set is as a run of its own, and state that sets share never differs unnoticed.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::design::{Design, text};
use super::maker::{Step, digits, make, value};
use crate::batch::{Batch, Divergence, MOST_SETS, Sharing};
use crate::convert::graph;
use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{Binary, NetId};
use crate::{Engine, Native, Reference};

/// What became of a comparison.
#[derive(Debug, Default)]
struct Seen {
    diverged: usize,
    whole: usize,
    data: usize,
}

/// Puts some state into an instance `core`.
fn with_core(flat: &mut Flat, rng: &mut impl Rng) {
    let share = [0.0, 0.3, 0.7][rng.random_range(0..3)];
    for register in flat.registers.clone() {
        if rng.random_bool(share) {
            let path = &mut flat.nets[register.net.0 as usize].path;
            *path = format!("core.{path}");
        }
    }
    for memory in &mut flat.memories {
        if rng.random_bool(share / 2.0) {
            memory.path = format!("core.{}", memory.path);
        }
    }
    let net = flat.nets.len();
    flat.nets.push(flat.nets[0].clone());
    flat.nets[net].path = "core.alias".into();
    flat.nets[net].driver = FlatDriver::Net(NetId(0));
}

/// Values that are for one set alone, or for all of them alike.
fn values(rng: &mut ChaCha8Rng, width: u32, sets: usize, apart: bool) -> Vec<Vec<u64>> {
    let one = digits(&value(rng, width), width);
    let few = rng.random_range(0..3) != 0;
    let other =
        |_| if !apart || few && rng.random_range(0..8) != 0 { one.clone() } else { digits(&value(rng, width), width) };
    (0..sets).map(other).collect()
}

/// Runs a batch beside a reference for each set.
fn compare<E: Engine>(flat: &Flat, sets: usize, seed: u64, engine: impl FnOnce(Flat, &[usize]) -> E, seen: &mut Seen) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let inputs = flat.inputs.iter().map(|&net| flat.net(net).path.as_str());
    let registers = flat.registers.iter().map(|r| flat.net(r.net).path.as_str());
    let memories = flat.memories.iter().filter(|m| m.contents.is_none()).map(|m| m.path.as_str());
    let mut data: Vec<&str> = (inputs.map(|path| (path, 0.4)))
        .chain(registers.chain(memories).map(|path| (path, 0.1)))
        .filter(|(path, share)| !path.starts_with("core.") && rng.random_bool(*share))
        .map(|(path, _)| path)
        .collect();
    // A mirror holds what its memory holds, whether it was made as one or has come to be written alike.
    let storages = graph(flat, &vec![0; flat.memories.len()]).storage_of;
    let path = |m: usize| flat.memories[m].path.as_str();
    let of_data: Vec<usize> = (0..storages.len()).filter(|&m| data.contains(&path(m))).map(|m| storages[m]).collect();
    let mirrors = (0..storages.len()).filter(|&m| of_data.contains(&storages[m])).map(path);
    let mirrors: Vec<&str> = mirrors.filter(|path| !path.starts_with("core.") && !data.contains(path)).collect();
    data.extend(mirrors);
    let sharing = Sharing { sets, data: &data, shared: &["core"] };
    let mut batch = Batch::on(flat.clone(), sharing, engine).expect("data and instances are there");
    let mut references: Vec<Reference> = (0..sets).map(|_| Reference::new(flat.clone())).collect();
    let own = |path: &str| data.contains(&path);
    for (m, memory) in flat.memories.iter().enumerate().filter(|(_, m)| m.contents.is_none()) {
        for word in 0..memory.depth {
            // The same in all memories: mirrors begin equal.
            let mut rng = ChaCha8Rng::seed_from_u64(seed ^ word as u64);
            let mut next = || digits(&value(&mut rng, memory.width), memory.width);
            let first = next();
            for (set, reference) in references.iter_mut().enumerate() {
                let value = if set > 0 && own(&memory.path) { next() } else { first.clone() };
                batch.set_word(set, m, word, &value);
                reference.set_word(m, word, &value);
            }
        }
    }
    let tell = |cycle: usize, what: &str| format!("seed {seed}, cycle {cycle}, {what}, data {data:?}\n{}", text(flat));
    for cycle in 0..24 {
        for &input in &flat.inputs {
            let net = flat.net(input);
            let values = values(&mut rng, net.width, sets, own(&net.path));
            for (set, value) in values.iter().enumerate() {
                if set > 0 && !own(&net.path) {
                    batch.set_input(input, value);
                } else {
                    batch.set_input_of(set, input, value);
                }
                references[set].set_input(input, value);
            }
        }
        for (register, of) in flat.registers.iter().enumerate() {
            let net = flat.net(of.net);
            if rng.random_range(0..16) == 0 {
                for (set, value) in values(&mut rng, net.width, sets, own(&net.path)).iter().enumerate() {
                    batch.set_register(set, register, value);
                    references[set].set_register(register, value);
                }
            }
        }
        for index in 0..flat.nets.len() {
            let net = NetId(index as u32);
            for (set, reference) in references.iter_mut().enumerate().filter(|_| rng.random_range(0..3) != 0) {
                let found = batch.value(set, net).unwrap_or_else(|d| panic!("{}", tell(cycle, &d.to_string())));
                let expected = reference.value(net);
                seen.data += usize::from(expected != batch.value(0, net).expect("as before"));
                assert_eq!(found, expected, "{}", tell(cycle, &format!("set {set}, {}", flat.net(net).path)));
            }
        }
        let reset = rng.random_range(0..12) == 0;
        references.iter_mut().for_each(|reference| reference.tick(reset));
        let shared = |register: &usize| flat.net(flat.registers[*register].net).path.starts_with("core.");
        let same =
            |register: usize| references.iter().all(|r| *r.register(register) == *references[0].register(register));
        let mut alike = (0..flat.registers.len()).filter(shared).all(same);
        for (m, _) in flat.memories.iter().enumerate().filter(|(_, m)| m.path.starts_with("core.")) {
            alike &= references.iter().all(|r| r.memory(m) == references[0].memory(m));
        }
        if let Err(divergence) = batch.tick(reset) {
            let Divergence { ports, sets: parted, cycle: at } = &divergence;
            assert_eq!(*at, cycle as u64, "{}", tell(cycle, "told late"));
            assert!(!ports.is_empty() && parted.iter().all(|set| (1..sets).contains(set)) && !parted.is_empty());
            // A memory may be read or written elsewhere and have the same words there; resets hide what registers take.
            let only_registers = flat.memories.iter().all(|m| !m.path.starts_with("core."));
            assert!(!alike || reset || !only_registers, "{}", tell(cycle, "nothing differs"));
            for set in parted.iter().filter(|_| only_registers && !reset) {
                let differs = |r| *references[*set].register(r) != *references[0].register(r);
                assert!((0..flat.registers.len()).filter(shared).any(differs), "{}", tell(cycle, "another set"));
            }
            assert_eq!(batch.value(0, NetId(0)), Err(divergence.clone()));
            assert_eq!(batch.tick(true), Err(divergence));
            seen.diverged += 1;
            return;
        }
        assert!(alike, "{}", tell(cycle, "shared state differs"));
        for (set, reference) in references.iter().enumerate() {
            for index in 0..flat.registers.len() {
                let found = batch.register(set, index).expect("nothing has diverged");
                assert_eq!(
                    found,
                    *reference.register(index),
                    "{}",
                    tell(cycle, &format!("set {set}, register {index}"))
                );
            }
            for (m, memory) in flat.memories.iter().enumerate() {
                let found: Vec<u64> =
                    (0..memory.depth).flat_map(|w| batch.word(set, m, w).expect("as above")).collect();
                assert_eq!(found, reference.memory(m), "{}", tell(cycle, &format!("set {set}, memory {m}")));
            }
        }
    }
    seen.whole += 1;
}

/// Random designs with random data and random shared state.
#[test]
fn every_set_is_as_a_run_of_its_own() {
    let config = ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() };
    let step = || (any::<u8>(), any::<u16>(), any::<u16>(), any::<u16>(), any::<u16>());
    let steps = |size| prop::collection::vec(step(), size);
    let designs = (steps(1..10), steps(0..40), steps(1..10), any::<u64>());
    let seen = std::cell::RefCell::new(Seen::default());
    let compared = TestRunner::new(config).run(&designs, |(heads, steps, ends, seed): (Vec<Step>, _, _, u64)| {
        let mut flat = make(&heads, &steps, &ends);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        with_core(&mut flat, &mut rng);
        let sets = [1, 2, 3, 5, 9, 17][rng.random_range(0..6)];
        if seed % 4 == 0 {
            compare(&flat, sets, seed, |wide, _| Reference::new(wide), &mut seen.borrow_mut());
        } else {
            compare(&flat, sets, seed, Native::apart, &mut seen.borrow_mut());
        }
        Ok(())
    });
    compared.unwrap_or_else(|e| panic!("{e}"));
    let seen = seen.into_inner();
    assert!(seen.diverged > 5 && seen.whole > 50 && seen.data > 300, "{seen:?}");
}

/// A counter that a tag holds back while another bit of control looks at it.
fn counter() -> Flat {
    let mut d = Design::default();
    d.input(1);
    let (_, looks) = d.input(1);
    let port = d.net("port", 1, FlatDriver::Net(NetId(0)));
    d.flat.nets[port.0 as usize].path = "core.tag".into();
    let (count, value) = d.register(8, Some(0));
    let net = d.flat.registers[count].net;
    d.flat.nets[net.0 as usize].path = "core.count".into();
    let inside = d.read(port, false);
    let (one, holds) = (d.constant(1u8, 8), d.binary(Binary::And, inside, looks));
    let next = d.binary(Binary::Add, value, one);
    let next = d.mux(holds, value, next);
    d.set(count, next);
    d.flat
}

#[test]
fn only_what_control_looks_at_is_divergence() {
    let flat = counter();
    let [tag, looks] = [flat.inputs[0], flat.inputs[1]];
    let data = [flat.net(tag).path.as_str()];
    let mut batch = Batch::new(flat.clone(), Sharing { sets: 70, data: &data, shared: &["core"] }).expect("a batch");
    assert_eq!(batch.sets(), 70);
    batch.set_input_of(65, tag, &[1]);
    batch.run(100).expect("nobody looks");
    batch.set_input(looks, &[1]);
    let divergence = batch.run(3).expect_err("data decide");
    let expected = Divergence { ports: vec!["core.tag".into()], sets: vec![65], cycle: 100 };
    assert_eq!(divergence, expected);
    let text = "core.tag: in cycle 100, data of set 65 lead control elsewhere than those of set 0";
    assert_eq!(divergence.to_string(), text);
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let flat = counter();
    let tell = |sets, data: &[&str], shared: &[&str]| {
        let made = Batch::on(flat.clone(), Sharing { sets, data, shared }, |wide, _| Reference::new(wide));
        made.err().expect("it is refused").to_string()
    };
    assert_eq!(tell(0, &[], &[]), format!("sets = 0: must be 1 … {MOST_SETS}"));
    assert_eq!(tell(2, &[], &["cor"]), "shared = cor: must be the path of an instance");
    assert_eq!(tell(2, &["x"], &["core"]), "data = x: must be an input, a register or a memory");
    assert_eq!(tell(2, &["core.count"], &["core"]), "data = core.count: is inside of an instance that is shared");
}
