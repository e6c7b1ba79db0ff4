//! Random accesses through the cache ways of a slice, against flat memory: any locality, hints, latencies, pauses and
//! errors of the bus; ways are drained, disabled and enabled meanwhile, and everything is reset or begun anew.

mod coverage;
mod mood;
pub mod trace;

use std::collections::VecDeque;

use bitline_units::duality::CacheParams;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::Engine;
use crate::lockstep::Divergence;
use crate::lockstep::duality::CacheLockstep;
use crate::model::duality::cache::{CacheInputs, CacheOutputs, CacheRequest, CacheStore};
pub use coverage::{CacheCoverage, Trouble};
use mood::Mood;

use crate::units::array::memory::{AxiMemory, DECODE_ERROR, OKAY, SLAVE_ERROR};

/// Bytes of a line.
const LINE: u64 = 64;
/// Cycles without an answer after which the cache is taken for dead.
const DEAD: u64 = 40_000;

/// A cache with its memory, and what memory is for whoever asks the cache.
struct Bench<E: Engine> {
    seed: u64,
    cache: CacheLockstep<E>,
    memory: AxiMemory,
    /// The bytes from the memory's base up, after the requests that were answered.
    flat: Vec<u8>,
    base: u64,
    /// Requests that were taken and have no answer, and what becomes of the lines of those that write whole ones.
    open: VecDeque<(CacheRequest, CacheStore)>,
    /// A line that was written as a whole was not there.
    missed: bool,
    /// Lines of write-backs without an answer.
    writes: VecDeque<u64>,
    /// Cycles since something was answered.
    quiet: u64,
    /// The word that was written in the cycle before.
    wrote: Option<u32>,
    /// A line as a whole was, by the last request that may be directly in front of the next.
    wrote_line: bool,
    rng: ChaCha8Rng,
    covered: CacheCoverage,
}

impl<E: Engine> Bench<E> {
    /// One cycle; with `reset` also of the reset.
    fn cycle(&mut self, mut inputs: CacheInputs, reset: bool) -> Result<CacheOutputs, Box<Divergence>> {
        self.memory.drive(&mut inputs.bus);
        if self.cache.model.lines_as_a_whole() {
            // What there is without such a request means nothing.
            let any = CacheStore { line: self.rng.random(), drop: self.rng.random() };
            inputs.store = Some(self.open.iter().find(|open| open.0.whole).map_or(any, |open| open.1));
        }
        let outputs = if reset {
            self.cache.reset(&inputs)?;
            self.memory.reset();
            self.open.clear();
            self.writes.clear();
            CacheOutputs::default()
        } else {
            let outputs = self.cache.cycle(&inputs)?;
            self.memory.after(&inputs.bus, &outputs.bus);
            self.judge(&inputs, &outputs);
            outputs
        };
        Ok(outputs)
    }

    fn judge(&mut self, inputs: &CacheInputs, outputs: &CacheOutputs) {
        let covered = &mut self.covered;
        covered.cycles += 1;
        for (count, happens) in [
            (&mut covered.hits, outputs.hit),
            (&mut covered.misses, outputs.miss),
            (&mut covered.merged, outputs.merged),
            (&mut covered.written_back, outputs.written_back),
        ] {
            *count += u64::from(happens);
        }
        covered.under_miss += u64::from(outputs.hit && self.cache.model.fetching() > 0);
        if let Some((address, _)) = outputs.bus.write_address.filter(|_| inputs.bus.write_address_ready) {
            self.writes.push_back(address);
        }
        if let Some(response) = inputs.bus.response {
            let line = self.writes.pop_front().expect("a response belongs to a burst");
            // Meanwhile it may have come anew, without a fetch.
            covered.lost += u64::from(response != OKAY);
            if response != OKAY && !self.cache.model.holds((line / LINE) as u32) {
                // The line is what memory still has.
                let at = (line - self.base) as usize..(line - self.base + LINE) as usize;
                self.flat[at.clone()].copy_from_slice(&self.memory.bytes[at]);
            }
        }
        self.missed |= outputs.miss && self.cache.model.writes_a_line();
        self.quiet += 1;
        if let Some(answer) = outputs.answer {
            let (request, store) = self.open.pop_front().expect("an answer belongs to a request");
            self.quiet = 0;
            covered.accesses += 1;
            let line = (u64::from(request.address) / LINE * LINE).wrapping_sub(self.base) as usize;
            match answer {
                Some(word) if request.whole => {
                    assert!(!store.drop && word == store.line[request.word()], "seed {}: a line's word", self.seed);
                    let to = self.flat.get_mut(line..line + LINE as usize).expect("lines are in memory");
                    to.chunks_mut(8).zip(store.line).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
                    covered.wholes[usize::from(self.missed)] += 1;
                    self.missed = false;
                }
                None if request.whole && store.drop => covered.wholes[2] += 1,
                Some(word) => {
                    let at = (u64::from(request.address & !7).wrapping_sub(self.base)) as usize;
                    let bytes = self.flat.get_mut(at..at + 8).expect("no answer is made up");
                    let expected = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
                    assert_eq!(word, expected, "seed {}: {:#x}", self.seed, request.address);
                    if let Some(data) = request.write {
                        bytes.copy_from_slice(&request.merged(expected, data).to_le_bytes());
                    }
                }
                None => covered.failed += 1,
            }
        }
        let taken = inputs.request.filter(|_| outputs.ready);
        if let Some(request) = taken {
            let word = request.address >> 3;
            covered.forwarded += u64::from(self.wrote == Some(word) && !request.hint);
            covered.accesses += u64::from(request.hint);
            self.quiet = 0;
            if !request.hint {
                let store = CacheStore { line: self.rng.random(), drop: self.rng.random_range(0..8) == 0 };
                self.open.push_back((request, store));
            }
        }
        if outputs.ready {
            self.wrote_line = taken.is_some_and(|request| request.whole);
        }
        self.wrote = taken.filter(|request| request.write.is_some()).map(|request| request.address >> 3);
        assert!(self.quiet < DEAD || self.open.is_empty(), "seed {}: no answer", self.seed);
    }
}

/// Runs accesses until so many have ended, then drains all ways and compares memory.
///
/// # Errors
/// The first difference between hardware and model.
///
/// # Panics
/// If an answer or memory is not what flat memory has.
pub fn run<E: Engine>(
    engine: E,
    params: &CacheParams,
    seed: u64,
    accesses: u64,
    trouble: Trouble,
) -> Result<CacheCoverage, Box<Divergence>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Three times as many lines as fit, at most: at either end of what can be addressed.
    let lines = (3 * params.ways * params.sets).min(16 * 1024) as u64;
    let base = if rng.random() { 0 } else { (1 << 32) - LINE * (lines + 2) };
    let mut memory = AxiMemory::new(base, (LINE * lines) as usize, 8, seed);
    rng.fill(&mut memory.bytes[..]);
    let flat = memory.bytes.clone();
    let mut bench = Bench {
        seed,
        cache: CacheLockstep::new(engine, params, seed),
        memory,
        flat,
        base,
        open: VecDeque::new(),
        writes: VecDeque::new(),
        quiet: 0,
        wrote: None,
        wrote_line: false,
        missed: false,
        rng: ChaCha8Rng::seed_from_u64(!seed),
        covered: CacheCoverage::default(),
    };
    let all = u32::MAX >> (32 - params.ways);
    let (mut mood, mut last) = (Mood::some(&mut rng, lines, params.sets as u64), 0);
    let mut inputs = CacheInputs { enabled: all, ..CacheInputs::default() };
    // Ways that were drained and may be disabled.
    let mut empty = 0;
    let mut draining = None;
    while bench.covered.accesses < accesses {
        if rng.random_range(0..400) == 0 {
            mood = Mood::some(&mut rng, lines, params.sets as u64);
            bench.memory.latency = [0, 1, 5, 30, 120][rng.random_range(0..5)];
            bench.memory.pace = [1, 1, 2, 5][rng.random_range(0..4)];
            bench.memory.one_side = rng.random_range(0..4) == 0;
        }
        if trouble.errors && rng.random_range(0..700) == 0 {
            let fault = |rng: &mut ChaCha8Rng| {
                let from = base + 8 * rng.random_range(0..8 * lines);
                let size = [8, 64, 64 * 20][rng.random_range(0..3)];
                (from..from + size, if rng.random() { SLAVE_ERROR } else { DECODE_ERROR })
            };
            bench.memory.faults = (0..rng.random_range(0..4)).map(|_| fault(&mut rng)).collect();
        }
        inputs.clear_failed = rng.random_range(0..50) == 0;
        // Ways change what they are.
        if trouble.modes {
            if draining.is_none() && inputs.drain.is_none() && rng.random_range(0..600) == 0 {
                inputs.drain = Some(if rng.random_range(0..4) == 0 { all } else { rng.random::<u32>() & all });
            }
            if draining.is_none() && inputs.drain.is_none() && rng.random_range(0..30) == 0 {
                inputs.enabled &= !empty;
                empty = 0;
            } else if empty == 0 && rng.random_range(0..100) == 0 {
                inputs.enabled |= rng.random::<u32>() & all;
            }
        }
        if trouble.resets && rng.random_range(0..4000) == 0 {
            let bus: bool = rng.random();
            bench.covered.restarts[usize::from(!bus)] += 1;
            (inputs.drain, inputs.request, draining, empty) = (None, None, None, 0);
            begin(&mut bench, &mut rng, &mut inputs, bus)?;
            continue;
        }
        if inputs.request.is_none() && rng.random_range(0..8) < mood.eighths[0] {
            let mut request = mood.request(&mut rng, base, lines, &mut last);
            let inside = |address: u32| u64::from(address) - base < LINE * lines;
            // What becomes of a line is known when the one before is answered, so such requests are apart by a cycle.
            let whole = params.lines && request.write.is_some() && !request.hint && !bench.wrote_line;
            request.whole = whole && inside(request.address) && rng.random();
            inputs.request = Some(request);
        }
        let outputs = bench.cycle(inputs.clone(), false)?;
        if outputs.ready {
            inputs.request = None;
        }
        bench.covered.drained[1] += u64::from(draining.is_some() && outputs.answer.is_some());
        if outputs.drained {
            bench.covered.drained[0] += 1;
            empty |= draining.take().expect("something is drained");
        }
        if outputs.drain_ready {
            draining = draining.or(inputs.drain.take());
        }
    }
    end(&mut bench, inputs, all, draining.is_some())?;
    assert_eq!(bench.cache.unseen(), Vec::<&str>::new(), "not compared");
    Ok(bench.covered)
}

/// A reset with the bus, or a new beginning without it, and its end.
fn begin<E: Engine>(
    bench: &mut Bench<E>,
    rng: &mut ChaCha8Rng,
    inputs: &mut CacheInputs,
    bus: bool,
) -> Result<(), Box<Divergence>> {
    if bus {
        bench.cycle(inputs.clone(), true)?;
    } else {
        bench.cycle(CacheInputs { restart: true, ..inputs.clone() }, false)?;
        bench.open.clear();
    }
    // It may come again before it has ended.
    while !bench.cycle(inputs.clone(), false)?.ready {
        if !bus && rng.random_range(0..100) == 0 {
            bench.cycle(CacheInputs { restart: true, ..inputs.clone() }, false)?;
        }
        inputs.enabled |= 1;
    }
    assert!(bench.memory.idle() && bench.open.is_empty(), "something is under way");
    bench.flat.clone_from(&bench.memory.bytes);
    Ok(())
}

/// Everything ends, all lines go to memory.
fn end<E: Engine>(
    bench: &mut Bench<E>,
    mut inputs: CacheInputs,
    all: u32,
    mut draining: bool,
) -> Result<(), Box<Divergence>> {
    inputs.drain = None;
    bench.memory.faults.clear();
    let mut ended = false;
    for _ in 0..DEAD * 4 {
        let outputs = bench.cycle(inputs.clone(), false)?;
        if outputs.ready {
            inputs.request = None;
        }
        draining &= !outputs.drained;
        if outputs.drain_ready && inputs.drain.take().is_some() {
            ended = true;
        } else if ended && outputs.drained {
            assert!(bench.open.is_empty() && bench.cache.model.count() == 0, "something is left");
            assert!(bench.memory.bytes == bench.flat, "seed {}: memory differs", bench.seed);
            return Ok(());
        }
        if !ended && !draining && inputs.request.is_none() && bench.open.is_empty() {
            inputs.drain = Some(all);
        }
        // Ways that were drained serve again once their bits have been 0.
        inputs.enabled = if draining || ended { inputs.enabled } else { all & !bench.cache.model.gone() };
    }
    panic!("seed {}: no end", bench.seed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engine;
    use crate::external::tool::some_of;
    use bitline_units::duality::blocks::duality_cache;

    /// Ways, sets and entries.
    const SHAPES: [[usize; 3]; 5] = [[1, 4, 16], [2, 16, 16], [4, 4, 32], [3, 8, 64], [5, 4, 16]];

    fn campaign(first: u64, accesses: usize, trouble: Trouble) {
        let accesses = some_of(accesses, 2) as u64;
        let shapes = SHAPES.into_iter().flat_map(|shape| [(shape, false), (shape, true)]);
        for (([ways, sets, mshr], lines), seed) in shapes.zip(first..) {
            let params = CacheParams { ways, sets, mshr, lines };
            println!("{params:?}, {trouble:?}: seed {seed}");
            let netlist = duality_cache(&params).unwrap_or_else(|e| panic!("{e}"));
            let covered = run(engine(&netlist), &params, seed, accesses, trouble).unwrap_or_else(|d| panic!("{d}"));
            println!("{covered:?}");
            assert!(covered.all(trouble, lines), "{covered:?}");
        }
    }

    #[test]
    fn caches_are_memory_natively() {
        campaign(1, 20_000, Trouble::default());
    }

    #[test]
    fn caches_are_memory_in_trouble_natively() {
        campaign(11, 20_000, Trouble { errors: true, ..Trouble::default() });
        campaign(21, 20_000, Trouble { modes: true, ..Trouble::default() });
        campaign(31, 20_000, Trouble { resets: true, ..Trouble::default() });
        campaign(41, 20_000, Trouble { errors: true, modes: true, resets: true });
    }
}
