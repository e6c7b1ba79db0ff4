//! Model of the cache ways of a slice, by contract: which lines are where, what they hold, in which order they leave.
//! When a request is decided, a line leaves or a burst moves it learns from the hardware, and judges it.

mod bus;
mod lines;
mod ports;
mod table;
mod tree;

use std::collections::VecDeque;

use bitline_units::duality::cache_params::{CacheParams, LINE_WORDS};

use crate::seen::{Broken, Rules, Source, Tap};
use crate::state::Path;
use bus::CacheBus;
pub use ports::{CacheInputs, CacheOutputs, CacheRequest, CacheSeen, CacheStore};
use tree::Tree;

/// Cycles in which a request is decided, answered or put on the bus when nothing stands in its way.
const SOON: u32 = 24;
/// Cycles for which a request may still take a line for one that is fetched when its fetch has ended.
const STALE: u64 = 4;

/// A line in a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number.
    pub number: u32,
    /// It is still being fetched.
    pub pending: bool,
    /// It was written.
    pub dirty: bool,
    /// It was written back since; it leaves.
    saved: bool,
    /// It has a way, and will be written as a whole.
    blank: bool,
    /// Its words.
    words: [u64; LINE_WORDS],
}

/// A request that was taken, and when.
type Taken = (CacheRequest, u64);

/// The cache ways.
#[derive(Clone, Debug)]
pub struct CacheWays {
    params: CacheParams,
    cycle: u64,
    /// Lines: way by way, set by set.
    lines: Vec<Option<Line>>,
    /// What the tag memories hold, where it is known.
    tags: Vec<Option<u64>>,
    /// The trees of the sets, once they are known.
    trees: Option<Vec<Tree>>,
    /// When a fetch that failed has emptied the way.
    freed: Vec<u64>,
    /// Requests that are not decided yet.
    requests: VecDeque<Taken>,
    /// One that waits for its line.
    waiting: Option<CacheRequest>,
    /// Fetches that have ended lately: when, and of which line.
    ended: VecDeque<(u64, u32)>,
    /// The answer of this cycle: a word's place in its line, and the line.
    answer: Option<(usize, [u64; LINE_WORDS])>,
    /// The line of the last answer, where it is kept.
    kept: Option<[u64; LINE_WORDS]>,
    /// What becomes of lines that are written as a whole, in this cycle and in the one before.
    stores: [CacheStore; 2],
    /// Ways that are drained.
    drains: Option<u32>,
    /// Ways that were drained, or are, and may serve no more.
    gone: u32,
    /// Ways that could be used until some cycle, and those that can.
    servings: VecDeque<(u64, u32)>,
    serving: u32,
    /// A write-back has failed.
    write_failed: bool,
    /// Everything was forgotten, and lines under way are awaited.
    flushes: bool,
    bus: CacheBus,
    seen: CacheSeen,
    rules: Rules,
    touched: Vec<usize>,
}

impl CacheWays {
    /// After reset.
    pub fn new(params: &CacheParams) -> CacheWays {
        let frames = params.ways * params.sets;
        CacheWays {
            params: *params,
            cycle: 0,
            lines: vec![None; frames],
            tags: vec![None; frames],
            trees: None,
            freed: vec![0; frames],
            requests: VecDeque::new(),
            waiting: None,
            ended: VecDeque::new(),
            answer: None,
            kept: None,
            stores: [CacheStore::default(); 2],
            drains: None,
            gone: 0,
            servings: VecDeque::new(),
            serving: 0,
            write_failed: false,
            flushes: false,
            bus: CacheBus::default(),
            seen: CacheSeen::default(),
            rules: Rules::default(),
            touched: vec![],
        }
    }

    /// A clock edge with the reset on has passed. The bus was reset with it.
    pub fn reset(&mut self) {
        *self = CacheWays::new(&self.params);
    }

    /// Takes what the hardware shows.
    pub fn see(&mut self, from: &mut dyn Source) {
        self.seen.tap(&Path::TOP, from);
    }

    /// The rule that the hardware broke in the last step, if it did.
    pub fn broken(&mut self) -> Option<Broken> {
        self.rules.broken()
    }

    /// Lines that are there or on their way.
    pub fn count(&self) -> usize {
        self.lines.iter().flatten().count()
    }

    /// Lines that are fetched.
    pub fn fetching(&self) -> usize {
        self.bus.fetching()
    }

    /// Ways that were drained, or are, and may serve no more.
    pub fn gone(&self) -> u32 {
        self.gone
    }

    /// Lines are written as a whole, too.
    pub fn lines_as_a_whole(&self) -> bool {
        self.params.lines
    }

    /// The request that is dealt with writes a line as a whole.
    pub fn writes_a_line(&self) -> bool {
        self.waiting.is_some_and(|request| request.whole)
    }

    /// The line is in a way or on its way to memory: what memory holds of it does not count.
    pub fn holds(&self, line: u32) -> bool {
        self.there(line) || self.bus.writes(line)
    }

    fn frame(&self, way: usize, set: usize) -> usize {
        way * self.params.sets + set
    }

    fn set(&self, line: u32) -> usize {
        line as usize % self.params.sets
    }

    /// The way that holds a line, or waits for it.
    fn find(&self, line: u32) -> Option<usize> {
        let set = self.set(line);
        (0..self.params.ways)
            .map(|way| self.frame(way, set))
            .find(|&at| self.lines[at].is_some_and(|l| l.number == line))
    }

    fn there(&self, line: u32) -> bool {
        self.find(line).is_some_and(|at| self.lines[at].is_some_and(|line| !line.pending))
    }

    fn write_tag(&mut self, at: usize, line: u32, state: u64) {
        self.tags[at] = Some(u64::from(line >> self.params.set_bits()) << 2 | state);
        self.touched.push(at);
    }

    /// What must happen soon.
    fn hurries(&mut self) {
        let CacheSeen { hit, miss, merged, answer, answer_failed, .. } = self.seen;
        let front = self.requests.front().filter(|_| self.waiting.is_none());
        let front = front.filter(|taken| !(taken.0.whole && self.stores[0].drop)).map(|taken| taken.0.line());
        let may = front.is_some_and(|line| self.there(line));
        self.rules.moves("a request whose line is there is decided", may, may && (hit || merged), SOON);
        let room = self.bus.fetching() < self.params.mshr && self.bus.write_room();
        let still = self.lines.iter().flatten().all(|line| !line.pending);
        let may = front.is_some_and(|line| self.find(line).is_none()) && room && still && self.serving != 0;
        self.rules.moves("a request whose line is not there is decided", may, may && miss, SOON);
        let may = self.waiting.is_some_and(|request| self.there(request.line()));
        self.rules.moves("a request that waits gets its line", may, false, SOON);
        let may = self.waiting.is_some_and(|request| self.find(request.line()).is_none());
        let fails = answer && answer_failed;
        self.rules.moves("a request whose line has failed is answered", may, may && fails, SOON);
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &CacheInputs) -> CacheOutputs {
        let seen = self.seen.clone();
        self.touched.clear();
        let serving = inputs.enabled & !self.gone;
        if serving != self.serving {
            self.servings.push_back((self.cycle, self.serving));
            self.serving = serving;
        }
        let oldest = self.requests.front().map_or(self.cycle, |request| request.1);
        while self.servings.front().is_some_and(|serving| serving.0 < oldest) {
            self.servings.pop_front();
        }
        while self.ended.front().is_some_and(|ended| ended.0 + STALE < self.cycle) {
            self.ended.pop_front();
        }
        let mut outputs = self.outputs(inputs);
        self.kept = outputs.answer_line.filter(|_| self.params.lines);
        self.stores = [inputs.store.unwrap_or_default(), self.stores[0]];
        if seen.answer && seen.answer_failed {
            self.fail();
            outputs.answer = Some(None);
        }
        self.answer = None;
        if seen.ready && self.trees.is_none() {
            self.trees = Some(vec![Tree::default(); self.params.sets]);
            self.tags.fill(Some(0));
            self.rules.holds("everything that was under way is awaited", !self.flushes || self.bus.idle());
            self.flushes = false;
        }
        if seen.note {
            self.note();
        }
        self.decide();
        if seen.drops {
            self.drop_line();
        }
        self.hurries();
        self.bus.step(&seen.bus, &inputs.bus, self.flushes, &mut self.rules);
        if let Some((data, response)) = inputs.bus.read_data.as_ref().filter(|_| seen.bus.rready) {
            self.beat(data[0], *response);
        }
        self.drain(inputs);
        if let Some(request) = inputs.request.filter(|_| seen.ready) {
            let serving = self.serving != 0;
            self.rules.holds("requests are taken while ways serve", serving && !inputs.restart);
            self.requests.push_back((request, self.cycle));
        }
        if inputs.restart {
            self.restart();
        }
        let fails = inputs.bus.response.is_some_and(|response| response & 2 != 0);
        self.write_failed = fails || self.write_failed && !inputs.clear_failed;
        self.cycle += 1;
        outputs
    }

    /// An answer has failed: that of a request that has waited for a line, or of one that was dropped.
    fn fail(&mut self) {
        self.rules.holds("answers come one at a time", self.answer.is_none());
        if let Some(request) = self.waiting.take() {
            let gone = self.find(request.line()).is_none();
            self.rules.holds("a request fails with its line", gone);
        } else {
            let dropped = self.requests.pop_front().is_some_and(|(request, _)| request.whole);
            self.rules.holds("a request is dropped when it is told to be", dropped && self.stores[1].drop);
        }
    }

    /// What is shown in this cycle.
    fn outputs(&self, inputs: &CacheInputs) -> CacheOutputs {
        CacheOutputs {
            ready: self.seen.ready,
            answer: self.answer.map(|(word, line)| Some(line[word])),
            answer_line: self.answer.map(|(_, line)| line).or(self.kept),
            drain_ready: self.seen.drain_ready,
            drained: self.seen.drained,
            write_failed: self.write_failed,
            hit: self.seen.hit,
            miss: self.seen.miss,
            merged: self.seen.merged,
            written_back: inputs.bus.response.is_some(),
            bus: self.seen.bus.outputs(),
        }
    }

    /// Ways begin to be drained, or are empty.
    fn drain(&mut self, inputs: &CacheInputs) {
        if self.seen.drained {
            let ways = self.drains.take();
            let empty =
                |at: usize| self.lines[at].is_none() || ways.is_some_and(|w| w >> (at / self.params.sets) & 1 == 0);
            self.rules.holds("ways that are drained are empty", ways.is_some() && (0..self.lines.len()).all(empty));
            self.rules.holds("lines of ways that are drained are in memory", self.bus.written());
        }
        self.gone = self.gone & inputs.enabled | self.drains.unwrap_or(0);
        if let Some(ways) = inputs.drain.filter(|_| self.seen.drain_ready) {
            let quiet = self.requests.is_empty() && self.waiting.is_none() && self.drains.is_none();
            self.rules.holds("nothing is undecided when ways begin to be drained", quiet);
            self.drains = Some(ways);
            self.gone |= ways;
        }
    }

    /// Everything is forgotten but what the bus was asked for.
    fn restart(&mut self) {
        self.lines.fill(None);
        self.tags.fill(None);
        self.freed.fill(0);
        self.trees = None;
        self.requests.clear();
        (self.waiting, self.answer, self.drains, self.gone, self.flushes) = (None, None, None, 0, true);
        self.kept = None;
        self.ended.clear();
        self.rules.forget();
        self.bus.forget();
    }
}
