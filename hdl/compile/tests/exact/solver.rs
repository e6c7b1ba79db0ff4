//! The shortest schedule of a piece, proved, by branch and bound; and what a schedule takes.
//!
//! Own, since the solvers of linear programs at hand do not do it: `good_lp` with `microlp`, in Rust, takes minutes for
//! ten words on two arrays, and HiGHS is built of C++ for as long.
//!
//! The model is that of [`Piece`]: windows do their steps one after the other, a step of several windows begins when
//! all of them are free, and memory does one word at a time. Each word is done once. A value that is there before the
//! piece is in one array, whichever suits best. Rows are enough for everything, and the dispatcher takes no time. So no
//! schedule of the control block that does these words and moves whole values is shorter.
//!
//! A state is what is done, where values are, and when windows are free. From each there is every word that may come
//! next, in every array, and every move to every set of arrays. States are left out that cannot end before the best
//! schedule found so far, by the longest chains behind them and by the work that is left; and those that are at no
//! place better than another one with the same words done and values in the same arrays, whichever those are.

use std::collections::HashMap;

use bitline_compile::words::{Piece, Step};

/// Most arrays of a thread.
const ARRAYS: usize = 4;
/// Most values of a piece that is searched.
const VALUES: usize = 128;
/// What has been done so far.
#[derive(Clone, Copy)]
pub struct State {
    /// Words that are done.
    done: u128,
    /// The arrays that have each value, bit k for array k. None: it was there before the piece, in an array that is
    /// still to be chosen, or its word is to come.
    places: [u8; VALUES],
    /// Of those, the ones that it was moved to and that nobody has used it in.
    idle: [u8; VALUES],
    /// When values that every array has are there.
    ready: [u64; VALUES],
    /// When each window is free.
    free: [u64; ARRAYS],
    /// When memory is.
    port: u64,
}

impl State {
    /// Nothing is done.
    pub fn new(piece: &Piece, arrays: usize) -> State {
        let mut places = [0; VALUES];
        let known = places.iter_mut().zip(&piece.values).filter(|(_, value)| value.everywhere);
        known.for_each(|(place, _)| *place = (1 << arrays) - 1);
        State { done: 0, places, idle: [0; VALUES], ready: [0; VALUES], free: [0; ARRAYS], port: 0 }
    }

    /// Whether a word is done.
    pub fn does(&self, word: usize) -> bool {
        self.done >> word & 1 == 1
    }

    /// When windows of a set are free.
    fn meet(&self, windows: u8) -> u64 {
        (0..ARRAYS).filter(|array| windows >> array & 1 == 1).map(|array| self.free[array]).max().unwrap_or(0)
    }

    /// Keeps windows for so long, from a time on; returns when that ends.
    fn keep(&mut self, windows: u8, from: u64, cycles: u64, memory: bool) -> u64 {
        let end = self.meet(windows).max(from).max(if memory { self.port } else { 0 }) + cycles;
        (0..ARRAYS).filter(|array| windows >> array & 1 == 1).for_each(|array| self.free[array] = end);
        self.port = if memory { end } else { self.port };
        end
    }

    /// When everything has ended.
    pub fn end(&self) -> u64 {
        self.free.into_iter().max().unwrap_or(0)
    }
}

/// Words that are done; for each array the values that it has and those that nobody has used there.
type Key = (u128, [(u128, u128); ARRAYS]);
/// When each window is free, and memory, and when values are there that every array has.
type Times = Vec<u64>;

/// Whether nothing is free later.
fn before(one: &Times, other: &Times) -> bool {
    one.iter().zip(other).all(|(one, other)| one <= other)
}

/// A piece on so many arrays.
pub struct Search<'p> {
    piece: &'p Piece,
    arrays: usize,
    /// The word that leaves each value.
    writer: Vec<Option<usize>>,
    /// Words that read each value.
    readers: Vec<u128>,
    /// Cycles from the begin of each word to the end, along the longest chain.
    rest: Vec<u64>,
    best: u64,
    /// When windows and memory are free, in states with the same words done and values in the same arrays.
    seen: HashMap<Key, Vec<Times>>,
    /// How many more states are looked at before it is given up.
    states: u64,
}

/// The cycles of the shortest schedule on so many arrays, if it takes less than `known`, that of a schedule that is
/// known already, else `known`; none if that takes looking at more than so many `states`.
pub fn shortest(piece: &Piece, arrays: usize, known: u64, states: u64) -> Option<u64> {
    let mut search = Search { best: known, states, ..Search::new(piece, arrays) };
    search.from(State::new(piece, arrays));
    (search.states > 0).then_some(search.best)
}

/// Cycles in which no schedule on so many arrays ends, without a search.
pub fn least(piece: &Piece, arrays: usize) -> u64 {
    Search::new(piece, arrays).least(&State::new(piece, arrays))
}

/// The cycles of a schedule, if it can be done and does all words.
pub fn scheduled(piece: &Piece, arrays: usize, steps: &[Step]) -> Option<u64> {
    let search = Search::new(piece, arrays);
    let state = steps.iter().try_fold(State::new(piece, arrays), |state, step| search.next(&state, *step))?;
    search.ends(&state).then_some(state.end())
}

/// When so much work ends at the earliest that all windows share, each from its time on, which grow.
fn filled(times: &[u64], cycles: u64) -> u64 {
    let mut sum = cycles;
    let ends = times.iter().zip(1..).map(|(time, windows)| {
        sum += time;
        sum.div_ceil(windows)
    });
    ends.min().unwrap_or(0)
}

impl<'p> Search<'p> {
    /// Nothing looked for yet.
    pub fn new(piece: &'p Piece, arrays: usize) -> Search<'p> {
        assert!((1..=ARRAYS).contains(&arrays) && piece.values.len() <= VALUES && piece.words.len() <= VALUES);
        let (mut writer, mut readers) = (vec![None; piece.values.len()], vec![0; piece.values.len()]);
        for (at, word) in piece.words.iter().enumerate() {
            word.sources.iter().chain(&word.address).for_each(|value| readers[*value] |= 1 << at);
            word.result.iter().for_each(|value| writer[*value] = Some(at));
        }
        let mut rest = vec![0; piece.words.len()];
        for (at, word) in piece.words.iter().enumerate().rev() {
            rest[at] += word.cycles;
            let values = word.sources.iter().chain(&word.address);
            for earlier in values.filter_map(|value| writer[*value]).chain(word.behind.iter().copied()) {
                rest[earlier] = rest[earlier].max(rest[at]);
            }
        }
        let (seen, states) = (HashMap::new(), 0);
        Search { piece, arrays, writer, readers, rest, best: u64::MAX, seen, states }
    }

    /// The state behind a step; none if it cannot be done.
    pub fn next(&self, state: &State, step: Step) -> Option<State> {
        let mut next = *state;
        let known = |value: usize| self.writer[value].is_none_or(|word| state.does(word));
        // What is there already is in this array, or can be.
        let wants = |next: &mut State, value: usize, array: usize| {
            if next.places[value] == 0 && self.writer[value].is_none() {
                next.places[value] = 1 << array;
            }
            next.idle[value] &= !(1 << array);
            known(value) && next.places[value] >> array & 1 == 1
        };
        match step {
            Step::Word { word, array, address } => {
                let work = &self.piece.words[word];
                let can = !state.does(word)
                    && work.behind.iter().all(|earlier| state.does(*earlier))
                    && work.sources.iter().all(|value| wants(&mut next, *value, array))
                    && work.address.map_or(address == array, |value| wants(&mut next, value, address));
                if !can {
                    return None;
                }
                let values = work.sources.iter().chain(&work.address);
                let ready = values.map(|value| state.ready[*value]).max().unwrap_or(0);
                let end = next.keep(1 << array | 1 << address, ready, work.cycles, work.memory);
                next.done |= 1 << word;
                if let Some(value) = work.result {
                    next.places[value] |= 1 << array;
                    next.ready[value] = if self.piece.values[value].everywhere { end } else { 0 };
                }
            }
            Step::Move { value, from, to } => {
                if !wants(&mut next, value, from) || to == 0 || to >> self.arrays != 0 || to >> from & 1 == 1 {
                    return None;
                }
                next.keep(to | 1 << from, 0, self.piece.values[value].moving, false);
                next.places[value] |= to;
                next.idle[value] |= to;
            }
        }
        Some(next)
    }

    /// Whether all words are done.
    pub fn ends(&self, state: &State) -> bool {
        state.done.count_ones() as usize == self.piece.words.len()
    }

    /// Looks at all that can come behind a state.
    fn from(&mut self, state: State) {
        if self.ends(&state) {
            self.best = self.best.min(state.end());
            return;
        }
        self.states = self.states.saturating_sub(1);
        if self.states == 0 || self.worse(&state) {
            return;
        }
        let (key, times) = self.summary(&state);
        let seen = self.seen.entry(key).or_default();
        seen.retain(|one| !before(&times, one));
        seen.push(times);
        let steps = self.steps(&state);
        let states = steps.into_iter().filter_map(|step| self.next(&state, step)).filter(|next| !self.worse(next));
        let mut states: Vec<(u64, State)> = states.map(|next| (self.least(&next), next)).collect();
        states.sort_by_key(|(least, next)| (*least, std::cmp::Reverse(next.done.count_ones()), next.end()));
        for (least, next) in states {
            if least < self.best {
                self.from(next);
            }
        }
    }

    /// The values that words to come want in an array, those that it has and those that nobody has used there yet.
    fn column(&self, state: &State, array: usize) -> (u128, u128) {
        let (mut has, mut idle) = (0, 0);
        for value in (0..self.writer.len()).filter(|value| self.wanted(state, *value)) {
            has |= u128::from(state.places[value] >> array & 1) << value;
            idle |= u128::from(state.idle[value] >> array & 1) << value;
        }
        (has, idle)
    }

    /// What is done and where values are, whichever array is which; and when windows and memory are free.
    fn summary(&self, state: &State) -> (Key, Times) {
        let mut columns = [((0, 0), 0); ARRAYS];
        for (array, column) in columns.iter_mut().enumerate().take(self.arrays) {
            *column = (self.column(state, array), state.free[array]);
        }
        columns.sort_unstable();
        let ready = (0..self.writer.len()).filter(|value| state.ready[*value] > 0 && self.wanted(state, *value));
        let ready = ready.map(|value| state.ready[value]);
        let times = columns.iter().map(|column| column.1).chain([state.port]).chain(ready).collect();
        ((state.done, columns.map(|column| column.0)), times)
    }

    /// Whether a state was seen that is nowhere worse.
    fn worse(&self, state: &State) -> bool {
        let (key, times) = self.summary(state);
        self.seen.get(&key).is_some_and(|seen| seen.iter().any(|one| before(one, &times)))
    }

    /// Whether a word that is to come reads a value.
    fn wanted(&self, state: &State, value: usize) -> bool {
        self.readers.get(value).is_some_and(|readers| readers & !state.done != 0)
    }

    /// What may come next. Of arrays that have the same and are free at the same time the first ones are taken.
    fn steps(&self, state: &State) -> Vec<Step> {
        let columns: Vec<_> = (0..self.arrays).map(|array| (self.column(state, array), state.free[array])).collect();
        let first = |array: usize, used: u8| (0..array).all(|at| used >> at & 1 == 1 || columns[at] != columns[array]);
        let mut steps = Vec::new();
        let known = |value: &usize| self.writer[*value].is_none_or(|word| state.does(word));
        for (word, work) in self.piece.words.iter().enumerate().filter(|(word, _)| !state.does(*word)) {
            let mut values = work.sources.iter().chain(&work.address);
            if !values.all(known) || !work.behind.iter().all(|earlier| state.does(*earlier)) {
                continue;
            }
            for array in (0..self.arrays).filter(|array| first(*array, 0)) {
                let far = work.address.is_some_and(|value| state.places[value] >> array & 1 == 0);
                // An address that is there needs no other window.
                let addresses =
                    (0..self.arrays).filter(|address| *address == array || far && first(*address, 1 << array));
                steps.extend(addresses.map(|address| Step::Word { word, array, address }));
            }
        }
        for (value, places) in state.places.iter().enumerate().filter(|one| self.wanted(state, one.0)) {
            // A copy is used by a word, or goes on to another array that has it instead.
            let most = (self.readers[value] & !state.done).count_ones();
            let new = *places == 0;
            if new && (self.writer[value].is_some() || most < 2) {
                continue;
            }
            for from in (0..self.arrays).filter(|from| new || places >> from & 1 == 1) {
                let idle = state.idle[value] & !(1 << from);
                for to in (1..1_u8 << self.arrays).filter(|to| to & (places | 1 << from) == 0) {
                    let all = to | 1 << from;
                    let lowest = !new || u32::try_from(from) == Ok(all.trailing_zeros());
                    let canonical = (0..self.arrays).all(|array| all >> array & 1 == 0 || first(array, all));
                    if lowest && canonical && (idle | to).count_ones() <= most {
                        steps.push(Step::Move { value, from, to });
                    }
                }
            }
        }
        steps
    }

    /// Cycles in which no schedule from here ends.
    fn least(&self, state: &State) -> u64 {
        let begins = self.begins(state);
        let mut least = state.end();
        let left: Vec<usize> = (0..self.piece.words.len()).filter(|word| !state.does(*word)).collect();
        least = left.iter().fold(least, |least, word| least.max(begins[*word] + self.rest[*word]));
        if least >= self.best {
            return least;
        }
        let (free, work) = (&state.free[..self.arrays], |word: usize| &self.piece.words[word]);
        // Words that begin at some time or later, and behind which comes so much: all windows are at work on them.
        for &early in &left {
            let from = begins[early];
            let mut room: Vec<u64> = free.iter().map(|free| from.max(*free)).collect();
            room.sort_unstable();
            for &short in &left {
                let tail = self.rest[short] - work(short).cycles;
                let within = |word: &&usize| begins[**word] >= from && self.rest[**word] - work(**word).cycles >= tail;
                let (mut cycles, mut memory) = (0, 0);
                for word in left.iter().filter(within).map(|word| work(*word)) {
                    cycles += word.cycles;
                    memory += if word.memory { word.cycles } else { 0 };
                }
                least = least.max(if cycles > 0 { filled(&room, cycles) + tail } else { 0 });
                least = least.max(if memory > 0 { from.max(state.port) + memory + tail } else { 0 });
            }
        }
        for (value, idle) in state.idle.iter().enumerate().filter(|idle| *idle.1 != 0) {
            let readers = left.iter().filter(|word| self.readers[value] >> **word & 1 == 1);
            let rest = readers.map(|word| self.rest[*word]).min().unwrap_or(0);
            let copies = (0..self.arrays).filter(|array| idle >> array & 1 == 1);
            least = copies.fold(least, |least, array| least.max(if rest > 0 { free[array] + rest } else { 0 }));
        }
        least
    }

    /// When each word that is to come can begin at the earliest.
    fn begins(&self, state: &State) -> Vec<u64> {
        let mut begins = vec![0; self.piece.words.len()];
        let mut ends = vec![0; self.piece.words.len()];
        for (at, word) in self.piece.words.iter().enumerate().filter(|(at, _)| !state.does(*at)) {
            let coming = |value: usize| self.writer[value].filter(|word| !state.does(*word));
            let earlier = word.sources.iter().chain(&word.address).filter_map(|value| coming(*value));
            let earlier = earlier.chain(word.behind.iter().copied().filter(|word| !state.does(*word)));
            let chain = earlier.map(|earlier| ends[earlier]).max().unwrap_or(0);
            let begin = (0..self.arrays).map(|array| self.begin_in(state, at, array)).min().unwrap_or(0);
            let mut begin = begin.max(chain).max(if word.memory { state.port } else { 0 });
            // Of two sources that are in different arrays one has to be moved, and words of one array take turns.
            for (first, &one) in word.sources.iter().enumerate() {
                for &other in &word.sources[first + 1..] {
                    let moving = |value: usize| self.piece.values[value].moving;
                    let there = |value: usize| self.there(state, value);
                    let least = match (coming(one), coming(other)) {
                        (Some(a), Some(b)) => {
                            let cycles = |word: usize| self.piece.words[word].cycles;
                            let apart = (ends[a].max(ends[b] + moving(other))).min(ends[b].max(ends[a] + moving(one)));
                            apart.min(begins[a].min(begins[b]) + cycles(a) + cycles(b))
                        }
                        (Some(word), None) | (None, Some(word)) => {
                            let (new, old) = if coming(one).is_some() { (one, other) } else { (other, one) };
                            let Some(time) = there(old) else { continue };
                            let apart = (ends[word] + moving(new)).min(ends[word].max(time + moving(old)));
                            apart.min(begins[word].max(time) + self.piece.words[word].cycles)
                        }
                        (None, None) => 0,
                    };
                    begin = begin.max(least);
                }
            }
            (begins[at], ends[at]) = (begin, begin + word.cycles);
        }
        begins
    }

    /// When the first array is free that has a value; none if it can be anywhere.
    fn there(&self, state: &State, value: usize) -> Option<u64> {
        let has = (0..self.arrays).filter(|array| state.places[value] >> array & 1 == 1);
        has.map(|array| state.free[array]).min()
    }

    /// When a word can begin in an array at the earliest, as far as its sources are known.
    fn begin_in(&self, state: &State, word: usize, array: usize) -> u64 {
        let begin = |value: &usize| match self.there(state, *value) {
            Some(time) if state.places[*value] >> array & 1 == 0 => {
                time.max(state.free[array]) + self.piece.values[*value].moving
            }
            _ => state.ready[*value],
        };
        self.piece.words[word].sources.iter().map(begin).fold(state.free[array], u64::max)
    }
}
