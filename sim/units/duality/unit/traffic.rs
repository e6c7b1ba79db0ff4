//! A processor at the word port of the whole unit: random reads, writes and hints in a page of its own, against flat
//! memory, while launches run and ways change.

use std::collections::{BTreeMap, HashMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{PAGE, UnitMachine};
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::duality::cache::CacheRequest;

/// The word port: what is offered, and what is shown.
const INPUTS: [&str; 6] = ["valid", "address", "write", "hint", "data", "strobes"];
const OUTPUTS: [&str; 4] = ["ready", "answer", "answer_data", "answer_failed"];
/// Words of the page that are used: few enough lines that some stay, and too many for all to stay.
const WORDS: u32 = 8 * 96;

/// The processor.
pub(super) struct Traffic {
    seed: u64,
    rng: ChaCha8Rng,
    inputs: [NetId; INPUTS.len()],
    outputs: [NetId; OUTPUTS.len()],
    /// It asks for words.
    active: bool,
    /// Where its page is.
    base: u32,
    /// What the page holds, by the number of the word.
    flat: HashMap<u32, u64>,
    offer: Option<CacheRequest>,
    /// Words of requests without an answer.
    due: VecDeque<u64>,
    /// Reads and writes so far.
    counts: [u64; 2],
}

impl<E: Engine> UnitMachine<E> {
    /// From now on a processor reads and writes words of a page that no launch has, while launches run.
    ///
    /// # Panics
    /// If the design has no word port.
    pub fn processor(&mut self, seed: u64) {
        let design = self.engine.design();
        let find = |name: &str| {
            let path = format!("word_{name}");
            design.find_net(&path).unwrap_or_else(|| panic!("a unit has no {path}"))
        };
        let (inputs, outputs) = (INPUTS.map(find), OUTPUTS.map(find));
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let (flat, due) = (HashMap::new(), VecDeque::new());
        let (active, base, offer, counts) = (false, 0, None, [0; 2]);
        self.traffic = Some(Traffic { seed, rng, inputs, outputs, active, base, flat, offer, due, counts });
    }

    /// Reads and writes of the processor.
    pub fn processed(&self) -> [u64; 2] {
        self.traffic.as_ref().map_or([0; 2], |traffic| traffic.counts)
    }

    /// A launch begins whose pages and program lie there. The processor's page is a free one, with zeros.
    pub(super) fn traffic_begins(&mut self, places: &BTreeMap<u32, u32>, code_at: u32) {
        let Some(traffic) = &mut self.traffic else { return };
        let code = code_at / PAGE;
        let free = |&page: &u32| !(code..code + 16).contains(&page) && places.values().all(|&place| place != page);
        traffic.base = PAGE * (0..1 << 16).find(free).expect("memory is not full");
        traffic.active = true;
    }

    /// The launch has ended: what was asked is answered.
    pub(super) fn traffic_ends(&mut self) {
        while self.traffic.as_mut().is_some_and(|traffic| {
            traffic.active = false;
            traffic.offer.is_some() || !traffic.due.is_empty()
        }) {
            self.tick();
        }
    }

    /// The ways are flushed: memory is what the processor has written.
    pub(super) fn traffic_is_in_memory(&mut self) {
        let Some(traffic) = &mut self.traffic else { return };
        for (word, value) in traffic.flat.drain() {
            let found = self.words.get(&(traffic.base / 8 + word)).copied().unwrap_or(0);
            assert_eq!(found, value, "seed {}: word {word} of the processor's page", traffic.seed);
        }
    }

    /// What the processor offers in this cycle.
    pub(super) fn offer_word(&mut self) {
        let Some(traffic) = &mut self.traffic else { return };
        let rng = &mut traffic.rng;
        if traffic.active && traffic.offer.is_none() && rng.random_range(0..6) == 0 {
            let (hint, writes) = (rng.random_range(0..8) == 0, rng.random_range(0..3) == 0);
            traffic.offer = Some(CacheRequest {
                address: traffic.base + rng.random_range(0..8 * WORDS),
                write: (writes && !hint).then(|| rng.random()),
                strobes: rng.random(),
                hint,
                whole: false,
            });
        }
        let offer = traffic.offer.unwrap_or_default();
        let values = [
            traffic.offer.is_some().into(),
            offer.address.into(),
            offer.write.is_some().into(),
            offer.hint.into(),
            offer.write.unwrap_or_default(),
            offer.strobes.into(),
        ];
        traffic.inputs.iter().zip(values).for_each(|(&net, value)| self.engine.set_input(net, &[value]));
    }

    /// What the word port shows.
    pub(super) fn look_at_word(&mut self) {
        let Some(traffic) = &mut self.traffic else { return };
        let engine = &mut self.engine;
        let [ready, answer, data, failed] = traffic.outputs.map(|net| engine.low(net));
        let told = (traffic.seed, self.now);
        if answer == 1 {
            let expected = traffic.due.pop_front();
            assert_eq!((Some(data), failed), (expected, 0), "seed and cycle {told:?}: an answer to the processor");
        }
        if let Some(request) = traffic.offer.take_if(|_| ready == 1).filter(|request| !request.hint) {
            let word = traffic.flat.entry((request.address - traffic.base) / 8).or_insert(0);
            traffic.due.push_back(*word);
            traffic.counts[usize::from(request.write.is_some())] += 1;
            if let Some(data) = request.write {
                *word = request.merged(*word, data);
            }
        }
    }
}
