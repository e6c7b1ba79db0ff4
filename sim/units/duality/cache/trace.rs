//! Traces through the cache ways, beside a plain cache in software with as many ways: every access hits in both or in
//! none, and brings what flat memory has.
//!
//! The plain cache is a tree a set, of pairs down to its lines; it knows no time.

use std::collections::VecDeque;

use bitline_units::duality::CacheParams;
use bitline_units::duality::registers::PAGE_LOG;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::Engine;
use crate::lockstep::Divergence;
use crate::lockstep::duality::CacheLockstep;
use crate::model::duality::cache::{CacheInputs, CacheRequest};
use crate::units::array::memory::AxiMemory;

/// Lines of a set.
enum Node {
    /// A way.
    Leaf(Option<u32>),
    /// Two halves, and whether the right one was used longer ago.
    Pair(Box<Node>, Box<Node>, bool),
}

impl Node {
    /// The ways that there are, a bit each, under a tree for so many; a half without any is none.
    fn new(ways: u32, leaves: u32) -> Option<Node> {
        if leaves == 1 {
            return (ways & 1 == 1).then_some(Node::Leaf(None));
        }
        match (Node::new(ways, leaves / 2), Node::new(ways >> (leaves / 2), leaves / 2)) {
            (Some(left), Some(right)) => Some(Node::Pair(Box::new(left), Box::new(right), false)),
            (left, right) => left.or(right),
        }
    }

    /// Uses the way that has this, if there is one.
    fn touch(&mut self, has: Option<u32>) -> bool {
        match self {
            Node::Leaf(line) => *line == has,
            Node::Pair(left, right, older) => {
                let found = [left.touch(has), right.touch(has)];
                if found != [false; 2] {
                    *older = found[0];
                }
                found != [false; 2]
            }
        }
    }

    /// The first way without a line.
    fn empty(&mut self) -> Option<&mut Option<u32>> {
        match self {
            Node::Leaf(line) => Some(line).filter(|line| line.is_none()),
            Node::Pair(left, right, _) => left.empty().or_else(|| right.empty()),
        }
    }

    /// The way to which the pairs point.
    fn oldest(&mut self) -> &mut Option<u32> {
        match self {
            Node::Leaf(line) => line,
            Node::Pair(_, right, true) => right.oldest(),
            Node::Pair(left, _, false) => left.oldest(),
        }
    }

    /// A line is used; whether it was there.
    fn access(&mut self, line: u32) -> bool {
        let hit = self.touch(Some(line));
        if !hit {
            // As there is at most one way with it, it is the new one that is touched.
            let way = if self.empty().is_some() { self.empty().expect("just looked") } else { self.oldest() };
            *way = Some(line);
            self.touch(Some(line));
        }
        hit
    }
}

/// A synthetic trace over so many lines: what the name says, a word an access; `hints` ask for the next line ahead.
///
/// # Panics
/// If there is none of this name.
pub fn trace(name: &str, lines: u64, count: usize, hints: bool, seed: u64) -> Vec<CacheRequest> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let words = 8 * lines;
    let (pitch, mut at) = (words / 32 + 8, 0);
    let mut requests = vec![];
    for n in 0..count as u64 {
        let word = match name {
            "rows" => n,
            "columns" => n % 12 * (words / 12) + n / 12,
            "stencil" => n / 5 + [pitch, 0, pitch - 1, pitch + 1, 2 * pitch][(n % 5) as usize],
            "gather" => [n / 2, rng.random_range(0..words)][(n % 2) as usize],
            "chase" => {
                at = (at * 0x5851_f42d + 0x1405_7b7e) % words;
                at
            }
            "hot" => {
                let few = rng.random_range(0..6);
                rng.random_range(0..words >> few)
            }
            _ => panic!("there is no trace {name}"),
        };
        let address = (8 * (word % words)) as u32;
        let next = CacheRequest { address: (8 * ((word + 8) % words)) as u32, hint: true, ..CacheRequest::default() };
        requests.extend(Some(next).filter(|_| hints && n % 8 == 0));
        let write = (rng.random_range(0..4) == 0).then(|| rng.random());
        requests.push(CacheRequest { address, write, strobes: 255, hint: false, whole: false });
    }
    requests
}

/// Names of the traces.
pub const TRACES: [&str; 6] = ["rows", "columns", "stencil", "gather", "chase", "hot"];

/// Sends a trace through a cache of which these ways serve: hits and misses.
///
/// # Errors
/// The first difference between hardware and model.
///
/// # Panics
/// If an access hits in one of the caches only, or brings something else than flat memory has.
pub fn beside<E: Engine>(
    engine: E,
    params: &CacheParams,
    enabled: u32,
    trace: &[CacheRequest],
    seed: u64,
) -> Result<[u64; 2], Box<Divergence>> {
    let set = |_| Node::new(enabled, params.ways.next_power_of_two() as u32).expect("some way serves");
    let mut plain: Vec<Node> = (0..params.sets).map(set).collect();
    let lines = trace.iter().map(|request| request.line() as usize + 1).max().unwrap_or_default();
    let mut memory = AxiMemory::new(0, 64 * lines, 8, seed);
    (memory.latency, memory.pace) = (seed % 7 * 5, 1 + seed as u32 % 3);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.fill(&mut memory.bytes[..]);
    let mut flat = memory.bytes.clone();
    let mut cache = CacheLockstep::new(engine, params, seed);
    // Requests to be offered, without a decision, without an answer.
    let (mut next, mut undecided, mut open) = (0, VecDeque::new(), VecDeque::new());
    let mut counts = [0; 2];
    while next < trace.len() || !open.is_empty() || !undecided.is_empty() {
        let mut inputs = CacheInputs { request: trace.get(next).copied(), enabled, ..CacheInputs::default() };
        memory.drive(&mut inputs.bus);
        let outputs = cache.cycle(&inputs)?;
        memory.after(&inputs.bus, &outputs.bus);
        if outputs.hit || outputs.miss || outputs.merged {
            let request: CacheRequest = undecided.pop_front().expect("a decision is about a request");
            let line = request.line();
            let hit = plain[line as usize % params.sets].access(line);
            assert_eq!(hit, !outputs.miss, "seed {seed}: {request:?} of {next}");
            counts[usize::from(!hit)] += 1;
        }
        if let Some(word) = outputs.answer {
            let request: CacheRequest = open.pop_front().expect("an answer belongs to a request");
            let at = request.address as usize & !7;
            let bytes = &mut flat[at..at + 8];
            let expected = u64::from_le_bytes((&*bytes).try_into().expect("eight bytes"));
            assert_eq!(word, Some(expected), "seed {seed}: {request:?}");
            if let Some(data) = request.write {
                bytes.copy_from_slice(&request.merged(expected, data).to_le_bytes());
            }
        }
        if let Some(request) = inputs.request.filter(|_| outputs.ready) {
            undecided.push_back(request);
            open.extend(Some(request).filter(|request| !request.hint));
            next += 1;
        }
        assert!(cache.cycle_count() < 1000 * (1 + trace.len() as u64), "seed {seed}: no end");
    }
    Ok(counts)
}

/// The pages of 64 KiB of a trace moved together, so that flat memory behind it is small. Ways whose sets fit into a
/// page see the same lines in the same sets.
pub fn compact(trace: &mut [CacheRequest]) {
    let mut pages: Vec<u32> = trace.iter().map(|request| request.address >> PAGE_LOG).collect();
    pages.sort_unstable();
    pages.dedup();
    for request in trace {
        let page = pages.binary_search(&(request.address >> PAGE_LOG)).expect("it is listed");
        request.address = (page as u32) << PAGE_LOG | request.address & ((1 << PAGE_LOG) - 1);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::engine::engine;
    use crate::external::tool::{deep, some_of};
    use crate::units::duality::kernels::KERNELS;
    use crate::units::duality::machine::Mode;
    use crate::units::duality::unit::{How, UnitMachine};
    use bitline_units::duality::DualityParams;
    use bitline_units::duality::blocks::duality_cache;
    use bitline_units::duality::isa::assemble::assemble;

    /// What kernels ask of the ways beside control blocks: a plain cache of as many ways hits as often as the unit has
    /// counted, and as the ways do, access by access. With `BITLINE_DEEP` all kernels, and two control blocks.
    #[test]
    fn caches_beside_control_blocks_hit_as_plain_ones() {
        for (preset, partition, ways) in [("tiny", 1, 0b110), ("pair", 1, 0b11_1110), ("pair", 3, 0b11_1100)] {
            if preset == "pair" && !deep() {
                continue;
            }
            let params = DualityParams { cache_sets: 4, ..DualityParams::preset(preset).expect("it is there") };
            let netlist = duality_cache(&params.cache()).unwrap_or_else(|e| panic!("{e}"));
            let mut unit = UnitMachine::native(&params, 1).expect("legal");
            unit.partition = partition;
            let (mut misses_of_all, mut lines_of_all) = (0, 0);
            for (seed, kernel) in KERNELS.iter().enumerate().take(if deep() { KERNELS.len() } else { 4 }) {
                let program = assemble(kernel.text, kernel.name, &params).expect("a program");
                let mut task = kernel.task(&params, seed as u64);
                let how =
                    How { mode: Mode::Decoupled, host_fed: false, latency: 3 + seed as u64, stalls: seed % 2 == 1 };
                unit.reset();
                unit.record();
                let ran = unit.run(&program, &task.launches[0], &mut task.memory, how);
                let (_, counts) = ran.unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
                let mut trace = unit.recorded();
                compact(&mut trace);
                let beside = beside(engine(&netlist), &params.cache(), ways, &trace, seed as u64);
                let [hits, misses] = beside.unwrap_or_else(|d| panic!("{d}"));
                println!("{preset}, ways {ways:#b}, {}: {hits} hits, {misses} misses", kernel.name);
                let [found, missed, merged] = counts.requests;
                assert_eq!([found + merged, missed], [hits, misses], "{}, ways {ways:#b}", kernel.name);
                misses_of_all += misses;
                lines_of_all += trace.iter().map(CacheRequest::line).collect::<HashSet<_>>().len() as u64;
            }
            assert!(misses_of_all > lines_of_all, "lines leave, and come again: {misses_of_all} of {lines_of_all}");
        }
    }

    #[test]
    fn caches_hit_as_plain_ones_natively() {
        for (sets, ways, enabled) in [(16, 4, 0b1111), (16, 4, 0b111), (16, 4, 0b1010), (8, 1, 1), (4, 6, 0b11_1111)] {
            let params = CacheParams { ways, sets, mshr: 16, lines: false };
            let netlist = duality_cache(&params).unwrap_or_else(|e| panic!("{e}"));
            let mut all = [0, 0];
            for (seed, name) in TRACES.into_iter().enumerate() {
                for hints in [false, true] {
                    let trace = trace(name, 3 * (sets * ways) as u64, some_of(3000, 2), hints, seed as u64);
                    let counts = beside(engine(&netlist), &params, enabled, &trace, seed as u64);
                    let [hits, misses] = counts.unwrap_or_else(|d| panic!("{d}"));
                    println!("{params:?}, ways {enabled:#b}, {name}, hints {hints}: {hits} hits, {misses} misses");
                    all = [all[0] + hits, all[1] + misses];
                }
            }
            assert!(all.iter().all(|&count| count > 0), "{all:?}");
        }
    }
}
