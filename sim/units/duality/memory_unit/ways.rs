//! A stand-in for the cache ways: takes requests, answers late, and fails now and then.

use std::collections::{HashMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::model::duality::memory::access::{Line, Request};

/// The ways.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// Words of 8 bytes that were written, by their number.
    written: HashMap<u32, u64>,
    /// One in so many answers fails, if any does.
    fails: Option<u32>,
    /// How often a request is not taken, of 8 times, and cycles until its answer.
    stalls: u32,
    latency: u64,
    answers: VecDeque<(u64, Line, bool)>,
    now: u64,
}

/// A number that is hard to add to others: at an edge, near 1, or any.
pub fn float(rng: &mut ChaCha8Rng) -> u32 {
    let number: u32 = rng.random();
    match rng.random_range(0..8) {
        0 => number,
        1 => number & 0x807f_ffff,
        2 => number & 0x8000_0000 | [0x3f80_0000, 0, 1, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000][rng.random_range(0..6)],
        3 => number & 0x83ff_ffff,
        _ => number & 0x87ff_ffff | 0x3800_0000,
    }
}

impl Ways {
    /// Another pace.
    pub fn change(&mut self, rng: &mut ChaCha8Rng) {
        self.fails = rng.random_ratio(1, 8).then(|| rng.random_range(1..40));
        self.stalls = [0, 0, 4, 7][rng.random_range(0..4)];
        self.latency = [1, 1, 3, 20][rng.random_range(0..4)];
    }

    /// A reset: no answer is under way.
    pub fn reset(&mut self) {
        self.answers.clear();
    }

    /// A word; if nobody has written it, anything.
    pub fn word(&self, number: u32) -> u64 {
        self.written.get(&number).copied().unwrap_or_else(|| {
            let mut rng = ChaCha8Rng::seed_from_u64(number.into());
            u64::from(float(&mut rng)) | u64::from(float(&mut rng)) << 32
        })
    }

    /// What is shown in a cycle: whether a request is taken, and an answer.
    pub fn shown(&mut self, rng: &mut ChaCha8Rng) -> (bool, Option<(Line, bool)>) {
        let due = self.answers.front().is_some_and(|answer| answer.0 <= self.now);
        let answer = self.answers.pop_front_if(|_| due && (self.latency <= 1 || rng.random_range(0..4) > 0));
        (rng.random_range(0..8) >= self.stalls, answer.map(|(_, line, failed)| (line, failed)))
    }

    /// The cycle ends with a request that is taken. What it was: a hint, a read, one that locks, a write, or one of
    /// some bytes.
    pub fn take(&mut self, request: Option<Request>, rng: &mut ChaCha8Rng) -> Option<usize> {
        self.now += 1;
        let (kind, address) = match request? {
            Request::Hint(_) => return Some(0),
            Request::Read(address, locks) => (1 + usize::from(locks), address),
            Request::Write(address, bytes) => (if bytes.contains(&None) { 4 } else { 3 }, address),
        };
        let line: Line = std::array::from_fn(|at| self.word(address / 64 * 8 + at as u32));
        let failed = self.fails.is_some_and(|often| rng.random_ratio(1, often));
        if let (Some(Request::Write(_, bytes)), false) = (request, failed) {
            let mut word = self.word(address / 8).to_le_bytes();
            word.iter_mut().zip(bytes).for_each(|(held, byte)| *held = byte.unwrap_or(*held));
            self.written.insert(address / 8, u64::from_le_bytes(word));
        }
        let late = if self.latency > 1 { rng.random_range(0..self.latency) } else { 0 };
        self.answers.push_back((self.now + late, line, failed));
        Some(kind)
    }
}
