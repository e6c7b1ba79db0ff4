//! When words leave the dispatcher of a control block, begin in its windows, and end: a wave's words one behind the
//! other, each as a whole. The cycles between are those of the blocks' contracts.

use bitline_units::duality::isa::codes::{Condition, Kind, MaskOp, Predicate, Source};
use bitline_units::duality::isa::field::*;
use bitline_units::duality::isa::word::Word;
use bitline_units::duality::params::SLOTS;
use bitline_units::duality::passes::Pass;

use super::commands::Commands;
use super::trace::Executed;
use crate::duality::steps::{self, Step, looks, windows_of};

/// Cycles until a compute word has found its rows.
const SHAPE: u64 = 6;
/// Cycles until scalar registers can be read behind an operation of theirs.
const SCALAR: u64 = 3;
/// Cycles from a look at a row to its answer, the last included.
const ANSWER: u64 = 3;
/// Most words that wait in a window.
const DEPTH: usize = 8;

/// A window.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    /// From when on its next word can be looked at.
    ready: u64,
    /// From when on it could behind the word that came last, which does not compute.
    before: Option<u64>,
    /// From when on nothing runs on its arrays.
    free: u64,
    /// When its last command has its last row, and from when on the sequencer takes another.
    last: u64,
    takes: u64,
    /// When the last of its words has ended.
    ended: u64,
    /// When words have left its queue, the latest first.
    left: [u64; DEPTH],
}

/// A control block while a wave runs.
#[derive(Clone, Debug)]
pub struct Windows {
    windows: [Window; SLOTS],
    depth: usize,
    arrays: u64,
    lockstep: bool,
    /// When the last word has left the dispatcher.
    left: u64,
    /// From when on scalar registers can be read.
    scalars: u64,
    /// When the last word of memory has ended.
    memory_ended: u64,
    /// Windows of the bundle, while it can be joined.
    bundle: Option<u64>,
    /// Cycles in which commands run, summed over windows.
    pub computing: u64,
}

/// A word of memory that waits for its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Its windows.
    windows: u64,
    /// From when on they wait for it.
    pub from: u64,
}

/// What has become of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Went {
    /// It is on its way, or done.
    On,
    /// It is a word of memory: whoever does it tells when it has ended.
    Meets(Meeting),
    /// It is the end, at this time.
    Ends(u64),
}

/// Windows of a set.
fn of(set: u64) -> impl Iterator<Item = usize> {
    (0..SLOTS).filter(move |window| set >> window & 1 == 1)
}

impl Windows {
    /// A program begins at this time, for threads of so many arrays, in windows that hold so many words.
    pub fn new(at: u64, arrays: u64, depth: usize, lockstep: bool) -> Windows {
        let window = Window { ready: at, before: None, free: at, last: at, takes: at, ended: at, left: [at; DEPTH] };
        Windows {
            windows: [window; SLOTS],
            depth: depth.min(DEPTH),
            arrays,
            lockstep,
            left: at,
            scalars: at,
            memory_ended: at,
            bundle: None,
            computing: 0,
        }
    }

    /// When everything that has left has ended.
    fn quiet(&self) -> u64 {
        self.windows.iter().map(|window| window.ended.max(window.free)).fold(self.memory_ended, u64::max)
    }

    /// From when on the next word can leave, if it is there.
    pub fn next(&self) -> u64 {
        self.left + 1
    }

    /// A word that is in the ring from this time on is dealt with, with what its wave has seen of it.
    pub fn word(&mut self, commands: &mut Commands, (word, executed): (Word, Executed), there: u64) -> Went {
        let Ok(kind) = word.kind() else { return Went::Ends(self.quiet()) };
        let condition = (kind == Kind::Jump).then(|| Condition::from_code(word.get(CONDITION))).flatten();
        let slot = 1 << word.get(SLOT);
        let windows = windows_of(word, self.arrays);
        let named = match kind {
            Kind::Scalar => true,
            Kind::Compute => word.get(SOURCE) == Source::Scalar.code(),
            Kind::Memory => word.get(SOURCE) >= Source::Scalar.code(),
            _ => matches!(condition, Some(Condition::Zero | Condition::NotZero)),
        };
        let waits = word.get(WAIT) & ((1 << SLOTS) - 1);
        let joins = kind == Kind::Compute && waits == 0 && self.bundle.is_some_and(|used| used & slot == 0);
        let mut at = there.max(self.left + 1);
        at = of(windows).map(|window| self.windows[window].left[self.depth - 1] + 1).fold(at, u64::max);
        if named {
            at = at.max(self.scalars);
        }
        if kind == Kind::End || self.lockstep && !joins {
            at = at.max(self.quiet() + 1);
        }
        let held = of(waits).map(|window| self.windows[window].ended + 1).max().unwrap_or(0);
        let held = held.max(if word.get(WAIT) >> SLOTS == 1 { self.memory_ended + 1 } else { 0 });
        if windows == 0 {
            at = at.max(held);
        }
        self.left = at;
        self.bundle = (kind == Kind::Compute).then(|| self.bundle.filter(|_| joins).unwrap_or(0) | slot);
        // It is the oldest in its windows, and nothing holds it; a cycle later if something had not ended as it left.
        let late = u64::from(windows != 0 && held > at);
        let heads: [u64; SLOTS] =
            std::array::from_fn(|window| (at + 1).max(self.windows[window].ready).max(held) + late);
        let meets = of(windows).map(|window| (heads[window] + 1).max(self.windows[window].free)).max().unwrap_or(0);
        // A word of memory has its first step as soon as it is the oldest.
        let waits = of(windows).map(|window| heads[window].max(self.windows[window].free)).max().unwrap_or(0);
        match kind {
            Kind::Compute => self.compute(commands, (word, executed), [at + 1, heads[word.get(SLOT) as usize]]),
            Kind::Move => self.together(windows, slot, meets, Pass::Send.cycles(word.get(WIDTH) + 1)),
            Kind::Mask => match MaskOp::from_code(word.get(MASK_OP)) {
                Some(MaskOp::Taken | MaskOp::Other) => {
                    self.together(windows, slot, meets, Pass::SendTag.cycles(1) + Pass::Taken.cycles(1));
                }
                Some(op) => {
                    let cycles = steps::passes(&steps::alone(word, op));
                    of(windows).for_each(|window| {
                        let begin = (heads[window] + 1).max(self.windows[window].free);
                        self.ends(window, begin + cycles - 1);
                    });
                }
                None => {}
            },
            Kind::Jump if looks(word) => {
                let end = meets + Pass::Test.cycles(1) + ANSWER;
                of(windows).for_each(|window| self.ends(window, end));
                self.left = end;
            }
            Kind::Memory => return Went::Meets(Meeting { windows, from: waits.max(self.memory_ended + 1) }),
            Kind::Scalar => self.scalars = at + SCALAR,
            Kind::Jump => {}
            Kind::End => return Went::Ends(at),
        }
        Went::On
    }

    /// A word of memory has ended.
    pub fn memory(&mut self, meeting: Meeting, end: u64) {
        of(meeting.windows).for_each(|window| self.ends(window, end));
        self.memory_ended = end;
    }

    /// A word ends here, which was in work until then.
    fn ends(&mut self, window: usize, end: u64) {
        let window = &mut self.windows[window];
        (window.before, window.ready, window.ended) = (Some(window.ready), end + 1, end);
        window.free = window.free.max(end + 1);
        window.left.rotate_right(1);
        window.left[0] = end;
    }

    /// Windows that have met do their passes; those that receive, a cycle later.
    fn together(&mut self, windows: u64, source: u64, meets: u64, cycles: u64) {
        of(windows).for_each(|window| self.ends(window, meets + cycles + u64::from(source >> window & 1 == 0)));
    }

    /// A word that computes, from when on it is in its window, and from when on it is the oldest and may begin.
    fn compute(&mut self, commands: &mut Commands, (word, executed): (Word, Executed), [there, head]: [u64; 2]) {
        let scalar = executed.scalar;
        let Ok(shape) = commands.operations.asked(word) else { return };
        let number = word.get(SLOT) as usize;
        let window = &mut self.windows[number];
        // It is looked at behind another that does not compute, too.
        let shaped = there.max(window.before.unwrap_or(window.ready)) + SHAPE;
        let mut at = shaped.max(head + 1);
        let mut left = None;
        let all = steps::compute(word, Some(scalar), &shape);
        let chosen = word.get(PREDICATE) != Predicate::All.code();
        for step in &all {
            match step {
                Step::Pass(pass) if pass.count == 0 => at += 1,
                Step::Pass(pass) => {
                    at = at.max(window.free) + pass.cycles();
                    window.free = at;
                }
                Step::Command => {
                    let cost = commands.cost(&steps::command(word, Some(scalar), &shape), executed.answers);
                    // It is set up as soon as the sequencer takes another, and goes on a cycle behind its turn.
                    let (early, set_up) = (shaped.max(window.takes), cost.setup - 1);
                    at = at.max(early);
                    let goes = (early + set_up).max(at + u64::from(early < at));
                    let last = (goes + cost.alone - cost.setup).max(window.last + cost.behind);
                    self.computing += last.saturating_sub(window.last.max(at));
                    // The next is taken when this one has left the set-up.
                    window.takes = (goes + 1).max(window.last + 1);
                    (window.last, window.free) = (last, last + cost.settles);
                    left = Some(at);
                    at = if chosen { window.free + 1 } else { at + 1 };
                }
            }
        }
        let (last, free) = (window.last, window.free);
        let popped = if chosen { at - 1 } else { left.unwrap_or(at) };
        (window.before, window.ready) = (None, at);
        window.ended = if chosen { at - 1 } else { last };
        window.free = free.max(if chosen { at } else { 0 });
        window.left.rotate_right(1);
        window.left[0] = popped;
    }
}
