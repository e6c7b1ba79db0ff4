//! Random requests of several ports through the arbiter of the cache ways, to a memory that answers in order: every
//! answer goes to whom asked, in order; a word that a port has locked is nobody else's until the port's next request;
//! every port gets its turn; what a port takes back is not asked for. What the last port locks is everything, if it is
//! that of operations on lines, and it waits for any lock.

use std::collections::{HashMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;

/// What happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArbiterCoverage {
    /// Requests taken: reads, writes, hints, and pairs of a read that locks and what comes behind it.
    pub taken: [u64; 4],
    /// Answers that have failed, and those of them that have ended a lock.
    pub failed: [u64; 2],
    /// Offers that were taken back.
    pub withdrawn: u64,
    /// Cycles in which a port waited for a word that another has locked.
    pub waited: u64,
    /// Most requests of others that were taken while a port waited, without a lock in its way.
    pub passed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Request {
    word: u32,
    write: bool,
    hint: bool,
    lock: bool,
    data: u64,
}

#[derive(Clone, Debug, Default)]
struct Port {
    /// What is offered.
    offer: Option<Request>,
    /// What comes next if this is an atomic operation.
    then: Option<Request>,
    /// Answers that are due: the word, and whether they fail.
    due: VecDeque<(u64, bool)>,
    /// It waits for the answer before it goes on.
    waits: bool,
    passed: u64,
}

const INPUTS: &str = "valid address write hint data strobes";
const OUTPUTS: &str = "ready answer answer_data answer_failed";

/// Runs so many cycles; with `lines` the last port is that of operations on lines.
///
/// # Panics
/// If the arbiter does something else than its contract says.
pub fn run<E: Engine>(mut engine: E, ports: usize, lines: bool, seed: u64, cycles: u64) -> ArbiterCoverage {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut nets: HashMap<String, NetId> = HashMap::new();
    let mut names: Vec<String> = (0..ports).map(|k| format!("locks_{k}")).collect();
    for signal in INPUTS.split(' ').chain(OUTPUTS.split(' ')) {
        names.extend((0..ports).map(|k| format!("ports_{k}_{signal}")).chain([format!("ways_{signal}")]));
    }
    for name in names {
        let net = engine.design().find_net(&name).unwrap_or_else(|| panic!("an arbiter has no {name}"));
        nets.insert(name, net);
    }
    let mut covered = ArbiterCoverage::default();
    let mut all = vec![Port::default(); ports];
    let mut memory: HashMap<u32, u64> = HashMap::new();
    // Answers of the ways: whose, when, the word, whether it fails.
    let mut answers: VecDeque<(usize, u64, u64, bool)> = VecDeque::new();
    let mut locked: Option<(usize, u32)> = None;
    // Whether a lock is in the way of a port's request.
    let closed = |locked: Option<(usize, u32)>, k: usize, request: &Request| {
        let all = |who: usize| lines && (who + 1 == ports || k + 1 == ports);
        locked.is_some_and(|(who, word)| who != k && (request.lock || word == request.word || all(who)))
    };
    let idle: Vec<NetId> = engine.design().inputs.clone();
    idle.into_iter().for_each(|net| engine.set_input(net, &[0]));
    engine.tick(true);
    for now in 0..cycles {
        for (k, port) in all.iter_mut().enumerate() {
            let whole = locked.is_some_and(|(who, _)| who == k);
            if port.offer.is_some_and(|offer| !offer.lock) && !whole && rng.random_range(0..16) == 0 {
                // As memory units do it when an answer has failed.
                (port.offer, port.passed) = (None, 0);
                covered.withdrawn += 1;
            } else if port.offer.is_none() && !port.waits && rng.random_range(0..3) > 0 {
                port.offer = port.then.take().or_else(|| {
                    let word = rng.random_range(0..4);
                    let kind = rng.random_range(0..6);
                    // As memory units do it: nothing is under way before an atomic operation.
                    let lock = kind == 0 && port.due.is_empty();
                    let (write, hint) = (kind == 1, kind == 2);
                    port.then = lock.then_some(Request { word, write: true, hint: false, lock: false, data: 0 });
                    Some(Request { word, write, hint, lock, data: rng.random() })
                });
            }
        }
        let answer = answers.front().copied().filter(|answer| answer.1 <= now && rng.random_range(0..4) > 0);
        let ready = rng.random_range(0..3) > 0;
        let mut set = |name: String, value: u64| engine.set_input(nets[&name], &[value]);
        for (k, port) in all.iter().enumerate() {
            let at = |signal: &str| format!("ports_{k}_{signal}");
            let offer = port.offer.unwrap_or(Request { word: 0, write: false, hint: false, lock: false, data: 0 });
            set(at("valid"), port.offer.is_some().into());
            set(at("address"), (8 * offer.word).into());
            set(at("write"), offer.write.into());
            set(at("hint"), offer.hint.into());
            set(at("data"), offer.data);
            set(at("strobes"), 0xff);
            set(format!("locks_{k}"), offer.lock.into());
        }
        set("ways_ready".into(), ready.into());
        set("ways_answer".into(), answer.is_some().into());
        set("ways_answer_data".into(), answer.map_or(0, |answer| answer.2));
        set("ways_answer_failed".into(), answer.is_some_and(|answer| answer.3).into());
        let mut get = |name: String| engine.low(nets[&name]);
        let takers: Vec<usize> = (0..ports).filter(|k| get(format!("ports_{k}_ready")) == 1).collect();
        let offered = get("ways_valid".into()) == 1;
        assert_eq!(takers.len(), usize::from(offered && ready), "seed {seed}, cycle {now}: one request a cycle");
        for (k, port) in all.iter_mut().enumerate() {
            let answered = get(format!("ports_{k}_answer")) == 1;
            assert_eq!(answered, answer.is_some_and(|answer| answer.0 == k), "seed {seed}, cycle {now}: port {k}");
            if answered {
                let (word, failed) = port.due.pop_front().expect("an answer is due");
                let is = (get(format!("ports_{k}_answer_data")), get(format!("ports_{k}_answer_failed")) == 1);
                assert_eq!(is, (word, failed), "seed {seed}, cycle {now}: port {k}");
                covered.failed[0] += u64::from(failed);
                if port.waits {
                    // An atomic operation writes one more than it has read, unless that has failed.
                    port.waits = false;
                    port.then =
                        port.then.filter(|_| !failed).map(|then| Request { data: word.wrapping_add(1), ..then });
                    if failed && locked.is_some_and(|locked| locked.0 == k) {
                        locked = None;
                        covered.failed[1] += 1;
                    }
                }
            }
        }
        if answer.is_some() {
            answers.pop_front();
        }
        if let Some(&k) = takers.first() {
            let request = all[k].offer.take().expect("it was offered");
            let shown = ["address", "write", "hint", "data"].map(|signal| get(format!("ways_{signal}")));
            let asked = [8 * u64::from(request.word), request.write.into(), request.hint.into(), request.data];
            assert_eq!(shown, asked, "seed {seed}, cycle {now}: port {k}");
            let mine = !closed(locked, k, &request);
            assert!(mine, "seed {seed}, cycle {now}: port {k} asks for {request:?}, locked {locked:?}");
            covered.taken[if request.hint { 2 } else { usize::from(request.write) }] += 1;
            if !request.hint {
                let old = memory.get(&request.word).copied().unwrap_or(0);
                let failed = rng.random_range(0..if request.lock { 6 } else { 30 }) == 0;
                if request.write && !failed {
                    memory.insert(request.word, request.data);
                }
                all[k].due.push_back((old, failed));
                let behind = answers.back().map_or(now, |answer| answer.1);
                answers.push_back((k, behind.max(now + rng.random_range(1..9)), old, failed));
                if request.lock {
                    (locked, all[k].waits) = (Some((k, request.word)), true);
                    covered.taken[3] += 1;
                } else if locked.is_some_and(|locked| locked.0 == k) {
                    locked = None;
                }
            }
            all[k].passed = 0;
            for (other, port) in all.iter_mut().enumerate().filter(|&(other, _)| other != k) {
                let Some(offer) = port.offer else { continue };
                let blocked = closed(locked, other, &offer);
                covered.waited += u64::from(blocked);
                port.passed = if blocked { 0 } else { port.passed + 1 };
                covered.passed = covered.passed.max(port.passed);
            }
        }
        engine.tick(false);
    }
    // A request that was offered before it came to be this port's turn may be in front.
    assert!(covered.passed <= ports as u64, "seed {seed}: a port waits for {} others", covered.passed);
    covered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use bitline_units::duality::blocks::duality_arbiter;

    #[test]
    fn duality_ports_share_the_ways() {
        for (ports, lines, seed) in
            [(2, false, 1), (3, false, 4), (5, false, 2), (9, false, 3), (4, true, 5), (10, true, 6)]
        {
            println!("{ports} ports, lines: {lines}: seed {seed}");
            let netlist = duality_arbiter(ports, lines).expect("legal");
            let covered = run(engine(&netlist), ports, lines, seed, 40_000);
            println!("{covered:?}");
            let counts =
                [&covered.taken[..], &covered.failed, &[covered.withdrawn, covered.waited, covered.passed]].concat();
            assert!(counts.iter().all(|&count| count > 0), "{covered:?}");
        }
    }
}
