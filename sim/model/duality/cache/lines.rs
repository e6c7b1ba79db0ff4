//! What becomes of lines and requests: they are used, get a way, are written back, come from memory, leave.

use bitline_units::duality::cache_params::LINE_WORDS;

use super::tree::Tree;
use super::{CacheRequest, CacheSeen, CacheWays, Line, STALE};

impl CacheWays {
    /// The line of this request is used, and its way becomes the last that is replaced.
    pub(super) fn touch(&mut self, at: usize) {
        let (way, set) = (at / self.params.sets, at % self.params.sets);
        if let Some(trees) = &mut self.trees {
            trees[set].touch(way, self.params.leaves());
        }
        self.touched.push(at);
    }

    /// A request is done whose line is there.
    pub(super) fn serve(&mut self, request: &CacheRequest) {
        let Some(at) = self.find(request.line()) else {
            return self.rules.holds("a request is done when its line has a way", false);
        };
        self.touch(at);
        if request.hint {
            return;
        }
        let [store, _] = self.stores;
        self.rules.holds("what is dropped is not served", !(request.whole && store.drop));
        let line = self.lines[at].as_mut().expect("just found");
        self.rules.holds("a request is answered when its line is there", !line.pending);
        self.rules.holds("nobody but who writes it gets a line with nothing in it", !line.blank || request.whole);
        if request.whole {
            self.answer = Some((request.word(), store.line));
            (line.words, line.dirty, line.saved, line.blank) = (store.line, true, false, false);
            return;
        }
        self.answer = Some((request.word(), line.words));
        let word = &mut line.words[request.word()];
        if let Some(data) = request.write {
            *word = request.merged(*word, data);
            line.dirty = true;
            line.saved = false;
        }
    }

    /// The oldest request is decided.
    pub(super) fn decide(&mut self) {
        let CacheSeen { hit, miss, merged, serves, .. } = self.seen;
        if let Some(request) = self.waiting.filter(|_| serves) {
            self.waiting = None;
            self.rules.holds("one request is decided at a time", !hit && !miss && !merged);
            return self.serve(&request);
        }
        let decided = u32::from(hit) + u32::from(miss) + u32::from(merged);
        self.rules.holds("a request is a hit, a miss or merged", decided <= 1 && (!serves || decided == 1));
        if decided == 0 {
            return;
        }
        let Some((request, taken)) = self.requests.pop_front().filter(|_| self.waiting.is_none()) else {
            return self.rules.holds("a request is decided that was taken, in order", false);
        };
        let line = request.line();
        if hit {
            self.rules.holds("a hit's line is there", self.there(line));
            self.rules.holds("a hit is served at once", serves);
            self.serve(&request);
        } else if merged {
            let lately = self.ended.iter().any(|&(_, ended)| ended == line);
            let pending = self.find(line).is_some_and(|at| self.lines[at].is_some_and(|line| line.pending));
            self.rules.holds("a line that a request is merged into is being fetched", pending || lately);
            self.rules.same("a hint that is merged is done", &request.hint, &serves);
            if !request.hint {
                self.waiting = Some(request);
            } else if self.find(line).is_some() {
                self.serve(&request);
            } else if self.seen.way.is_power_of_two() {
                // The way that the line has just left counts as used.
                self.touch(self.frame(self.seen.way.trailing_zeros() as usize, self.set(line)));
            }
        } else {
            self.rules.holds("a line that misses is not there", self.find(line).is_none());
            self.take(&request, taken);
        }
    }

    /// A line gets a way.
    pub(super) fn take(&mut self, request: &CacheRequest, taken: u64) {
        let (line, set) = (request.line(), self.set(request.line()));
        let way = self.seen.way.trailing_zeros() as usize;
        if !self.seen.way.is_power_of_two() || way >= self.params.ways {
            return self.rules.holds("a line gets one way", false);
        }
        // It was chosen since the request came.
        let before = self.servings.iter().filter(|serving| serving.0 >= taken).map(|serving| serving.1);
        let right = before.chain([self.serving]).any(|serving| self.may_take(set, way, taken, serving));
        self.rules.holds("the way of a line is the first empty one, else the tree's", right);
        let at = self.frame(way, set);
        self.leaves(at);
        let (pending, blank) = (!request.whole, request.whole);
        self.lines[at] =
            Some(Line { number: line, pending, dirty: false, saved: false, blank, words: [0; LINE_WORDS] });
        self.write_tag(at, line, if pending { 3 } else { 1 });
        self.touch(at);
        if pending {
            self.rules.holds("as many lines are fetched as there are entries", self.bus.fetching() < self.params.mshr);
            self.bus.fetch(line, at);
        }
        if !request.hint {
            self.waiting = Some(*request);
        }
    }

    /// Whether a line of the set gets this way when these serve.
    pub(super) fn may_take(&self, set: usize, way: usize, taken: u64, serving: u32) -> bool {
        let free = |way: usize| serving >> way & 1 == 1 && self.lines[self.frame(way, set)].is_none();
        // A way that a failed fetch has emptied since the request came may not have been seen.
        let long = |way: usize| free(way) && self.freed[self.frame(way, set)] <= taken;
        let oldest = |trees: &Vec<Tree>| serving != 0 && trees[set].oldest(serving, self.params.leaves()) == way;
        if free(way) {
            !(0..way).any(long)
        } else {
            !(0..self.params.ways).any(long) && self.trees.as_ref().is_some_and(oldest)
        }
    }

    /// The line of a way leaves it, if there is one.
    pub(super) fn leaves(&mut self, at: usize) {
        if let Some(line) = self.lines[at].take() {
            self.rules.holds("no line leaves that is being fetched, or to be written", !line.pending && !line.blank);
            self.rules.holds("no line leaves that was written and not written back", !line.dirty || line.saved);
        }
    }

    /// A line is written back; it will leave.
    pub(super) fn note(&mut self) {
        let number = self.seen.note_line;
        let Some(at) = self.find(number) else {
            return self.rules.holds("a line that is written back is there", false);
        };
        let line = self.lines[at].as_mut().expect("just found");
        self.rules.holds("only what was written is written back, and once", line.dirty && !line.saved && !line.pending);
        line.saved = true;
        self.bus.write_back(number, line.words);
    }

    /// A word of a line that is fetched has come.
    pub(super) fn beat(&mut self, data: u64, response: u8) {
        let Some((line, at, number, failed)) = self.bus.beat(response) else {
            return self.rules.holds("beats come that were asked for", false);
        };
        if self.flushes {
            return;
        }
        let held = self.lines[at].as_mut().expect("a line that is fetched has a way");
        held.words[number] = data;
        self.touched.push(at);
        if number + 1 == LINE_WORDS {
            held.pending = false;
            self.ended.push_back((self.cycle, line));
            if failed {
                self.lines[at] = None;
                self.freed[at] = self.cycle;
            }
            self.write_tag(at, line, u64::from(!failed));
        }
    }

    /// A set of the ways that are drained is empty of one more line.
    pub(super) fn drop_line(&mut self) {
        let at = self.frame(self.seen.way.trailing_zeros() as usize, self.set(self.seen.place));
        let drained = self.drains.is_some_and(|ways| ways & self.seen.way != 0);
        if !self.seen.way.is_power_of_two() || !drained {
            return self.rules.holds("lines leave the ways that are drained", false);
        }
        // What it has waited for may just have failed.
        let lately = self.freed[at] + STALE > self.cycle;
        self.rules.holds("a line leaves that was there", self.lines[at].is_some() || lately);
        self.leaves(at);
        self.write_tag(at, self.seen.place, 0);
    }
}
