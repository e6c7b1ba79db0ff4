//! The cache's side of the bus: lines that are fetched and written back, in order.

use std::collections::VecDeque;

use bitline_units::duality::cache_params::{LINE_BYTES, LINE_WORDS};

use crate::memory::FAILED;
use crate::memory::core::MemoryInputs;
use crate::memory::master::MasterSeen;
use crate::memory::writer::Bytes;
use crate::seen::Rules;

use super::SOON;

/// Lines that may be written back at the same time.
const WRITE_BACKS: usize = 64;

/// What is on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheBus {
    /// Lines to be asked for, and where they go.
    fetches: VecDeque<(u32, usize)>,
    /// Lines that were asked for.
    asked: VecDeque<(u32, usize)>,
    /// Words that have come of the first of them, and whether one had an error.
    come: (usize, bool),
    /// Lines whose addresses go out.
    addresses: VecDeque<u32>,
    /// Words that go out, and whether they are a line's last.
    words: VecDeque<(u64, bool)>,
    /// Lines without an answer.
    unanswered: VecDeque<u32>,
    /// What was offered and not taken: addresses to read and to write, and a beat.
    offers: [Option<Vec<u64>>; 3],
}

impl CacheBus {
    /// Lines that are fetched.
    pub fn fetching(&self) -> usize {
        self.fetches.len() + self.asked.len()
    }

    /// One more line can be written back.
    pub fn write_room(&self) -> bool {
        self.unanswered.len() < WRITE_BACKS
    }

    /// All lines that were written back are answered.
    pub fn written(&self) -> bool {
        self.unanswered.is_empty()
    }

    /// The line was written back, and has no answer.
    pub fn writes(&self, line: u32) -> bool {
        self.unanswered.contains(&line)
    }

    /// Nothing is on its way.
    pub fn idle(&self) -> bool {
        self.fetching() == 0 && self.written()
    }

    /// A line is to be fetched.
    pub fn fetch(&mut self, line: u32, at: usize) {
        self.fetches.push_back((line, at));
    }

    /// A line is written back.
    pub fn write_back(&mut self, line: u32, words: [u64; LINE_WORDS]) {
        self.addresses.push_back(line);
        self.words.extend(words.iter().enumerate().map(|(k, &word)| (word, k + 1 == LINE_WORDS)));
        self.unanswered.push_back(line);
    }

    /// Lines that are not on offer are dropped.
    pub fn forget(&mut self) {
        let offered = self.offers[0].is_some();
        self.fetches.truncate(offered.into());
    }

    /// A word has come: its line and where it goes, its number, and whether it or one before had an error.
    pub fn beat(&mut self, response: u8) -> Option<(u32, usize, usize, bool)> {
        let &(line, at) = self.asked.front()?;
        let (number, failed) = (self.come.0, self.come.1 || response & FAILED != 0);
        self.come = (number + 1, failed);
        if self.come.0 == LINE_WORDS {
            self.asked.pop_front();
            self.come = (0, false);
        }
        Some((line, at, number, failed))
    }

    /// Bursts leave. Read data come after this. While everything is forgotten no line need be asked for.
    pub fn step(&mut self, shown: &MasterSeen, bus: &MemoryInputs, flushes: bool, rules: &mut Rules) {
        let burst = |line: &u32, len: u8| vec![u64::from(*line) * LINE_BYTES as u64, u64::from(len)];
        let last = LINE_WORDS as u8 - 1;
        // Reads.
        let read = shown.arvalid.then(|| vec![shown.araddr, shown.arlen.into()]);
        let write = shown.awvalid.then(|| vec![shown.awaddr, shown.awlen.into()]);
        let data = shown.wvalid.then(|| vec![shown.wdata[0], shown.wstrb, shown.wlast.into()]);
        let stays = |before: &Option<Vec<u64>>, offer: &Option<Vec<u64>>| before.is_none() || before == offer;
        for (before, offer) in self.offers.iter().zip([&read, &write, &data]) {
            rules.holds("what is offered on the bus stays until it is taken", stays(before, offer));
        }
        let next = self.fetches.front().copied();
        let soon = next.is_some() && self.unanswered.is_empty() && !flushes;
        rules.moves("a line is asked for", next.is_some() && (soon || read.is_some()), read.is_some(), SOON);
        if let Some(read) = &read {
            rules.same("the burst that is read", &next.map(|(line, _)| burst(&line, last)), &Some(read.clone()));
            let late = next.is_some_and(|(line, _)| self.unanswered.contains(&line));
            rules.holds("no fetch overtakes the write-back of its line", !late);
            if bus.read_address_ready {
                self.asked.extend(self.fetches.pop_front());
            }
        }
        // Writes.
        rules.moves("a line's address goes out", !self.addresses.is_empty(), write.is_some(), SOON);
        if let Some(write) = &write {
            let line = self.addresses.front().map(|line| burst(line, last));
            rules.same("the burst that is written", &line, &Some(write.clone()));
            self.addresses.drain(..usize::from(bus.write_address_ready).min(self.addresses.len()));
        }
        rules.moves("a line's words go out", !self.words.is_empty(), data.is_some(), SOON);
        if let Some(data) = &data {
            let whole = Bytes { data: data[0], strobes: data[1] as u8 }.counted();
            let word = self.words.front().copied();
            rules.same("the word that is written", &word, &Some((whole.data, data[2] == 1)));
            rules.same("its bytes", &255, &whole.strobes);
            self.words.drain(..usize::from(bus.write_data_ready).min(self.words.len()));
        }
        if bus.response.is_some() {
            let answered = self.unanswered.pop_front();
            rules.holds("answers come for lines that were written back", answered.is_some());
        }
        let kept = |offer: Option<Vec<u64>>, taken: bool| offer.filter(|_| !taken);
        self.offers = [
            kept(read, bus.read_address_ready),
            kept(write, bus.write_address_ready),
            kept(data, bus.write_data_ready),
        ];
    }
}
