//! Model of the accesses of a word of memory, from their contract: threads have their turns, and wait for answers in
//! their order.

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::codes::MemoryOp;

use super::answers::{Answers, AnswersInputs};
use super::float_add::{FloatAdd, FloatAddInputs};
use super::look::Place;
use super::store_merge::{StoreMerge, StoreMergeInputs};
use crate::head_queue::HeadQueue;
use crate::state::{Contents, Words};

mod data;
mod ports;

pub use ports::{AccessInputs, AccessOutputs, CachePorts, Line, Request, RequestPorts};

/// Accesses under way at most.
const FLIGHT: usize = 16;
/// Pieces of spill rows that a group has at most.
const MOST_PIECES: usize = 256;
/// Numbers of threads in a control block, at most.
const MOST_THREADS: u16 = 1 << 12;

/// A thread that has had its turn, or a word that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flying {
    /// Its byte in the line.
    byte: u8,
    /// It takes part.
    part: bool,
    /// It has an answer of its own.
    fresh: bool,
}

/// Where an atomic operation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// It is to read, and waits for what it has read.
    #[default]
    Read,
    Reads,
    /// It is to write, and waits until it has.
    Write,
    Writes,
}

/// The accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// What each thread asks for, and data that are kept; what was read of them.
    places: Vec<u64>,
    operands: Vec<u64>,
    place: u64,
    operand: u64,
    /// The thread whose turn it is.
    thread: u16,
    /// Threads under way, and lines that were read.
    order: HeadQueue<Flying>,
    answers: Answers,
    /// Stores: the word that is held, and what a thread writes that is added to it next: where, its data, and whether
    /// it is extended with ones.
    merge: StoreMerge,
    staged: Option<(u32, u64, bool)>,
    /// Sums of floating-point numbers.
    sums: FloatAdd,
    /// What is done, log2 of an element's bytes, and the highest bit of a thread's data, as they were told in the cycle
    /// before.
    op: MemoryOp,
    own_log_bytes: u8,
    own_last: u8,
    /// Bits above those of a thread's data.
    above: Option<u64>,
    /// What an atomic operation leaves is computed.
    computes: bool,
    phase: Phase,
    /// What an atomic operation has read.
    old: u64,
    /// The byte in its line, and its data, of the atomic operation that was seen last.
    kept: Option<(u8, u64)>,
    /// What it compares with.
    compared: Option<u64>,
    /// An answer has failed.
    bad: bool,
    /// A thread has asked for a line, while those behind it may share it.
    near: bool,
    /// The thread that came last has an answer of its own.
    last_fresh: bool,
}

/// What a turn does beside what is shown.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// The thread is under way then.
    pushes: Option<Flying>,
    /// What it writes waits; what waited before is added to the word that is held; that word leaves.
    stages: bool,
    puts: bool,
    sends: bool,
}

impl Access {
    /// For a control block with these parameters; what its memories hold: a place for each thread, and data for each
    /// of a group.
    ///
    /// # Panics
    /// If it is not as many.
    pub fn new(params: &DualityParams, places: Vec<u64>, operands: Vec<u64>) -> Access {
        assert_eq!(places.len(), Self::places(params), "places of threads, or of pieces");
        assert_eq!(operands.len(), params.columns, "data of a group's threads");
        Access {
            // The first edge reads them, too.
            place: places[0],
            operand: operands[0],
            places,
            operands,
            thread: 0,
            order: HeadQueue::new(FLIGHT),
            answers: Answers::default(),
            merge: StoreMerge::default(),
            staged: None,
            sums: FloatAdd::default(),
            op: MemoryOp::Load,
            own_log_bytes: 0,
            own_last: 0,
            above: None,
            computes: false,
            phase: Phase::Read,
            old: 0,
            kept: None,
            compared: None,
            bad: false,
            near: false,
            last_fresh: false,
        }
    }

    /// Places that are kept.
    pub fn places(params: &DualityParams) -> usize {
        params.threads(1).max(MOST_PIECES)
    }

    /// The thread that has its turn, if it can: whether it takes part, and where its place is.
    fn next(&self, inputs: &AccessInputs) -> Option<(bool, Place)> {
        let place = if inputs.direct {
            inputs.offered?
        } else {
            let waits = self.op != MemoryOp::Load && inputs.data.is_none();
            Some(Place::of(self.place)).filter(|_| inputs.active && !waits)?
        };
        Some((place.part && !self.bad, place))
    }

    /// The oldest thread under way that gets what it waits for.
    fn given(&self) -> Option<Flying> {
        self.order.head().copied().filter(|oldest| !oldest.fresh || self.there())
    }

    /// A line has been taken into use for the thread that is the oldest.
    fn there(&self) -> bool {
        self.answers.shown().there
    }

    /// The next line is wanted: by the oldest thread, unless it has what it waits for, or by the one behind it; an
    /// atomic operation is alone.
    fn wants(&self) -> bool {
        let atomic = self.op.is_atomic();
        match self.given() {
            Some(_) => self.order.second().is_some_and(|second| second.fresh),
            None => atomic || self.order.count > 0,
        }
    }

    /// What is shown in this cycle, and what the thread does whose turn it is.
    fn look(&self, inputs: &AccessInputs) -> (AccessOutputs, Turn) {
        let next = self.next(inputs);
        let mut shown = AccessOutputs {
            hint_ready: inputs.ready,
            empty: self.order.count == 0 && self.merge.held.is_none() && self.staged.is_none(),
            failed: self.bad,
            request: inputs.hint.map(Request::Hint),
            ..AccessOutputs::default()
        };
        let mut turn = Turn::default();
        let room = self.order.ready();
        match self.op {
            MemoryOp::Load => {
                if let Some((part, place)) = next.filter(|_| room) {
                    let shares = self.near && place.same;
                    let fresh = part && !shares;
                    if fresh && inputs.hint.is_none() {
                        shown.request = Some(Request::Read(place.address, false));
                    }
                    // Whether a place that is offered takes part is late.
                    let asks = if inputs.direct { inputs.asks && !self.bad } else { part };
                    if !asks || shares || inputs.ready {
                        shown.goes = Some(part);
                        turn.pushes = Some(Flying { byte: (place.address % 64) as u8, part, fresh });
                    }
                }
                shown.value = self.given().map(|oldest| {
                    let value = self.answers.line().map(|line| self.element(inputs, line, oldest.byte.into()));
                    if oldest.part { value.expect("some thread before it has read the line") } else { 0 }
                });
            }
            MemoryOp::Store => {
                let fits = self.staged.map(|(address, ..)| self.merge.shown(address / 8).fits);
                // A word leaves when a thread has come with another one, or no thread comes any more.
                let leaves = fits.map_or(!inputs.active, |fits| !fits);
                let held = self.merge.held.filter(|_| room && !self.bad && leaves);
                if let (Some((number, bytes)), None) = (held, inputs.hint) {
                    shown.request = Some(Request::Write(8 * number, bytes));
                    turn.sends = inputs.ready;
                    turn.pushes = inputs.ready.then_some(Flying { byte: 0, part: true, fresh: true });
                }
                turn.puts = !self.bad && fits.is_some_and(|fits| fits || turn.sends);
                if let Some((part, _)) = next
                    && (!part || fits.is_none() || turn.puts)
                {
                    shown.goes = Some(part);
                    turn.stages = part;
                }
            }
            _ => {
                if let Some((true, place)) = next {
                    let asks = match self.phase {
                        Phase::Read => Some(Request::Read(place.address, true)),
                        Phase::Write if !self.sums.busy() && !self.computes => {
                            let (word, strobes) = self.stored(inputs, place.address, inputs.data.unwrap_or_default());
                            let byte = |at: usize| (strobes >> at & 1 == 1).then(|| word.to_le_bytes()[at]);
                            Some(Request::Write(place.address, std::array::from_fn(byte)))
                        }
                        _ => None,
                    };
                    shown.request = shown.request.or(asks);
                    if self.phase == Phase::Writes && self.there() {
                        (shown.goes, shown.value) = (Some(true), Some(self.old));
                    }
                } else if next.is_some() {
                    (shown.goes, shown.value) = (Some(false), Some(0));
                }
            }
        }
        shown.reads = (self.op == MemoryOp::Load).then_some(shown.goes.is_some());
        shown.settles = self.op == MemoryOp::Load && next.is_none() && self.settles(inputs);
        (shown, turn)
    }

    /// All values but one are given behind this cycle, and that needs no answer, or has it.
    fn settles(&self, inputs: &AccessInputs) -> bool {
        let given = self.given();
        let left = self.order.count - u8::from(given.is_some());
        let comes = inputs.answer.is_some() || self.answers.waiting() > 0;
        let failing = inputs.answer.is_some_and(|(_, failed)| failed);
        !failing && (left == 0 || left == 1 && (!self.last_fresh || comes))
    }

    /// What is shown in this cycle.
    pub fn shown(&self, inputs: &AccessInputs) -> AccessOutputs {
        self.look(inputs).0
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &AccessInputs) -> AccessOutputs {
        let (shown, turn) = self.look(inputs);
        let atomic = self.op.is_atomic();
        let next = self.next(inputs);
        // Answers.
        let (given, wants, kept) = (self.given(), self.wants(), self.kept);
        let answered = self.answers.line().copied().filter(|_| self.there());
        self.near = if shown.goes == Some(true) && self.op == MemoryOp::Load {
            true
        } else {
            self.near && (inputs.active || inputs.direct)
        };
        let sum = self.kept.filter(|_| self.computes && self.op == MemoryOp::FAdd);
        let sum = sum.map(|(_, data)| (self.old as u32, data as u32));
        self.sums.step(&FloatAddInputs { start: sum, flush: next.is_some_and(|(_, place)| !place.window) });
        self.computes = false;
        if let (true, Some((true, place))) = (atomic, next) {
            self.kept = inputs.data.map(|data| ((place.address % 64) as u8, data));
            let taken = inputs.ready && shown.request.is_some();
            self.phase = match self.phase {
                Phase::Read if taken => Phase::Reads,
                Phase::Reads if answered.is_some() => {
                    let line = answered.expect("it is there");
                    self.old = self.element(inputs, &line, place.address);
                    self.computes = true;
                    Phase::Write
                }
                Phase::Write if taken => Phase::Writes,
                Phase::Writes if answered.is_some() => Phase::Read,
                phase => phase,
            };
        }
        self.order.step(turn.pushes, given.is_some());
        let comes = inputs.answer.map(|answer| answer.0);
        // The word of the thread that is the oldest next, or of an atomic operation.
        let byte = match atomic {
            true => kept.map(|kept| kept.0),
            false => self.order.head().map(|oldest| oldest.byte),
        };
        self.answers.step(&AnswersInputs { comes, wants, from: byte.map(|byte| byte / 8) });
        if let Some(pushed) = turn.pushes {
            self.last_fresh = pushed.fresh;
        }
        // Stores.
        let place = next.map_or(Place::default(), |(_, place)| place);
        let (address, data, _) = self.staged.unwrap_or_default();
        let (number, (data, strobes)) = match self.op {
            MemoryOp::Store => (address / 8, self.stored(inputs, address, data)),
            _ => (address / 8, (0, 0)),
        };
        let merge = StoreMergeInputs { number, data, strobes, put: turn.puts, sent: turn.sends, drop: self.bad };
        self.merge.step(&merge);
        self.staged = if turn.stages {
            let negative = |data: u64| inputs.extends && data >> self.own_last & 1 == 1;
            inputs.data.map(|data| (place.address, data, negative(data)))
        } else {
            self.staged.filter(|_| !turn.puts && !self.bad)
        };
        self.compared = Some(self.operand);
        (self.op, self.own_log_bytes, self.own_last) = (inputs.op, inputs.log_bytes, inputs.last);
        self.above = Some(u64::MAX << 1 << inputs.last);
        // Memories are read as they were.
        self.bad |= inputs.answer.is_some_and(|(_, failed)| failed);
        let mut column = inputs.column;
        if shown.goes.is_some() {
            self.thread = (self.thread + 1) % MOST_THREADS;
            column += 1;
        }
        if inputs.first {
            (self.thread, self.bad, self.phase) = (0, false, Phase::Read);
        }
        let depth = self.places.len();
        let at = usize::from(self.thread);
        self.place = if depth.is_power_of_two() { self.places[at % depth] } else { *self.places.get(at).unwrap_or(&0) };
        self.operand = self.operands[usize::from(column) % self.operands.len()];
        if let Some((thread, place)) = inputs.note {
            self.places[usize::from(thread)] = place.packed();
        }
        if let Some(data) = inputs.data.filter(|_| inputs.keep) {
            self.operands[usize::from(inputs.column)] = data;
        }
        shown
    }

    /// A clock edge with the reset on has passed: memories keep what they hold.
    pub fn reset(&mut self) {
        self.merge.reset();
        self.sums.reset();
        self.order.reset();
        self.answers.reset();
        (self.thread, self.phase, self.old, self.bad, self.near) = (0, Phase::Read, 0, false, false);
        (self.last_fresh, self.kept, self.compared) = (false, None, None);
        (self.staged, self.computes) = (None, false);
        (self.op, self.own_log_bytes, self.own_last) = (MemoryOp::Load, 0, 0);
    }
}

impl Access {
    /// Registers that are judged by what leaves the block.
    pub fn judged(path: &str) -> bool {
        // What an atomic operation leaves, and what it compares with, is judged as it is written.
        ["result", "compared"].contains(&path) || path.strip_prefix("sums.").is_some_and(FloatAdd::judged)
    }
}

impl Flying {
    fn packed(&self) -> [u64; 1] {
        [u64::from(self.byte) | u64::from(self.fresh) << 6 | u64::from(self.part) << 7]
    }
}

state! {
    Access(self) {
        memory (places) = Contents::always(self.places.len(), Words::Flat(&self.places));
        memory (operands) = Contents::always(self.operands.len(), Words::Flat(&self.operands));
        in order = self.order, (Flying::packed);
        in answers = self.answers;
        in merge = self.merge;
        in sums = self.sums;
        self => thread, old, bad, last_fresh, computes, own_log_bytes, own_last;
        phase = self.phase as u8;
        near_ = self.near;
        writes = self.op != MemoryOp::Load;
        stores = self.op == MemoryOp::Store;
        one_by_one = self.op.is_atomic();
        above = self.above;
        staged = self.staged.is_some();
        staged_address = self.staged.map(|staged| staged.0);
        staged_data = self.staged.map(|staged| staged.1);
        staged_negative = self.staged.map(|staged| staged.2);
        byte_at = self.kept.map(|kept| kept.0);
        kept = self.kept.map(|kept| kept.1);
    }
}
