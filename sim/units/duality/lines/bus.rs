//! Memory behind the AXI4 master of the cache ways, lines that are read with an error among it.

use std::collections::{HashMap, VecDeque};

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::Nets;
use super::judge::Flat;
use crate::engine::Engine;

/// Memory and its bus.
#[derive(Clone, Debug, Default)]
pub struct Bus {
    /// What memory holds.
    pub memory: Flat,
    /// Lines, by number, that cannot be read.
    pub broken: HashMap<u32, ()>,
    /// Cycles from an address to the first beat.
    pub latency: u64,
    /// A channel moves in one cycle of so many.
    pub pace: u32,
    /// Bursts that are read: when they begin, the next word, beats left.
    reads: VecDeque<(u64, u32, u32)>,
    /// Bursts that are written, beats that have come, and answers.
    writes: VecDeque<u32>,
    beats: VecDeque<u64>,
    answers: VecDeque<u64>,
    shown: [bool; 5],
}

impl Bus {
    /// A memory of zeros.
    pub fn new(latency: u64) -> Bus {
        Bus { latency, pace: 1, ..Bus::default() }
    }

    /// What memory shows in a cycle.
    pub fn drive<E: Engine>(&mut self, engine: &mut E, nets: &Nets, rng: &mut ChaCha8Rng, now: u64) {
        let go: [bool; 5] = std::array::from_fn(|_| rng.random_range(0..self.pace) == 0);
        let read = self.reads.front().copied().filter(|read| read.0 <= now && go[0]);
        let answer = self.answers.front().is_some_and(|&when| when <= now) && go[1];
        let (_, word, left) = read.unwrap_or_default();
        let failed = read.is_some() && self.broken.contains_key(&(word / 8));
        for (name, value) in [
            ("m_axi_rvalid", read.is_some().into()),
            ("m_axi_rdata", if failed { rng.random() } else { self.memory.word(word) }),
            ("m_axi_rresp", if failed { 2 } else { 0 }),
            ("m_axi_rlast", (left == 1).into()),
            ("m_axi_bvalid", answer.into()),
            ("m_axi_bresp", 0),
            ("m_axi_arready", go[2].into()),
            ("m_axi_awready", go[3].into()),
            ("m_axi_wready", go[4].into()),
        ] {
            engine.set_input(nets.at(name), &[value]);
        }
        self.shown = [read.is_some(), answer, go[2], go[3], go[4]];
    }

    /// What moves in the cycle.
    pub fn after<E: Engine>(&mut self, engine: &mut E, nets: &Nets, now: u64) {
        let mut get = |name: &str| engine.low(nets.at(name));
        let [read, answer, ar, aw, w] = self.shown;
        if read && get("m_axi_rready") == 1 {
            let front = self.reads.front_mut().expect("it is there");
            (front.1, front.2) = (front.1 + 1, front.2 - 1);
            if front.2 == 0 {
                self.reads.pop_front();
            }
        }
        if answer {
            self.answers.pop_front();
        }
        if ar && get("m_axi_arvalid") == 1 {
            let from = self.reads.back().map_or(0, |read| read.0).max(now + 1 + self.latency);
            self.reads.push_back((from, get("m_axi_araddr") as u32 / 8, 8));
        }
        if aw && get("m_axi_awvalid") == 1 {
            self.writes.push_back(get("m_axi_awaddr") as u32 / 8);
        }
        if w && get("m_axi_wvalid") == 1 {
            self.beats.push_back(get("m_axi_wdata"));
        }
        while self.beats.len() >= 8 && !self.writes.is_empty() {
            let first = self.writes.pop_front().expect("just looked");
            for (k, word) in self.beats.drain(..8).enumerate() {
                self.memory.0.insert(first + k as u32, word);
            }
            self.answers.push_back(now + 1 + self.latency);
        }
    }
}
