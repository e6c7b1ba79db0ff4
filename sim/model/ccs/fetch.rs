//! Model of the fetch block: a step that is held until its lines are asked for, and a queue of steps that wait for them.

use std::collections::VecDeque;

use super::generator::RowStep;
use super::scoreboard::ResultLine;
use super::unit::Step;

/// First row of the store for lines that are fetched.
pub const STREAM_ROWS: u8 = 32;
/// Row of the constant.
pub const CONSTANT_ROW: u8 = 64;
/// Places for waiting steps.
pub const WAITING: usize = 8;

/// The step that is held. It stays as it was when it has gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// The step.
    pub step: RowStep,
    /// Rows of the operands.
    pub rows: [u8; 2],
    /// The second operand is the first one.
    pub same: bool,
    /// Operands that are in the cache, or no vectors.
    pub there: [bool; 2],
    /// Operands that have been asked for.
    pub asked: [bool; 2],
    /// An operand may be on its way.
    pub conflicts: bool,
    /// It has a result line.
    pub writes: bool,
    /// Which is in the cache.
    pub hit: bool,
}

impl Held {
    /// Operands that are still to be fetched.
    fn fetches(&self) -> [bool; 2] {
        [0, 1].map(|i| !self.there[i] && !self.asked[i])
    }

    /// Lines that were to be fetched.
    pub fn lines(&self) -> u8 {
        self.there.iter().map(|&there| u8::from(!there)).sum()
    }
}

/// A step that waits for its lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Rows of the operands.
    pub rows: [u8; 2],
    /// What the unit gets.
    pub step: Step,
    /// Lines that it waits for.
    pub lines: u8,
}

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchInputs {
    /// A step.
    pub step: Option<RowStep>,
    /// Operands that are vectors.
    pub vectors: [bool; 3],
    /// Results of a reduction go to memory.
    pub store: bool,
    /// The second operand is the constant row.
    pub second_constant: bool,
    /// The step's lines are in the cache.
    pub hits: [bool; 3],
    /// One of its operands may be on its way.
    pub conflict: bool,
    /// No result is on its way.
    pub results_empty: bool,
    /// Another one has room.
    pub results_room: bool,
    /// Memory lags behind.
    pub slow: bool,
    /// What has not gone to the unit is dropped.
    pub stop: bool,
    /// No step is taken.
    pub hold: bool,
    /// The processor fetches a line.
    pub filling: bool,
    /// The line of its access.
    pub fill_line: u32,
    /// A request is taken.
    pub read_ready: bool,
    /// A line has arrived.
    pub arrive: bool,
    /// A step leaves the lanes.
    pub retire: bool,
    /// A result leaves the tree.
    pub result: bool,
}

/// Outputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchOutputs {
    /// The step is taken.
    pub take: bool,
    /// A result line is announced.
    pub push: Option<ResultLine>,
    /// Rows that the store reads.
    pub rows: [u8; 2],
    /// A step goes to the unit.
    pub issue: Option<Step>,
}

/// The block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Rows of the cache.
    lines: u32,
    /// The step that is there has been there for a cycle and touches no row that the processor fetches.
    pub apart: bool,
    /// A step is held.
    pub valid: bool,
    /// Which.
    pub held: Held,
    /// Lines asked for, since reset.
    pub asked: u32,
    /// Lines that have arrived.
    pub arrived: u32,
    /// Lines that had arrived a cycle ago.
    pub there: u32,
    /// Lines that steps have taken.
    pub used: u32,
    /// A line was to arrive, a cycle ago.
    pub outstanding: bool,
    /// Waiting steps, the first one first.
    pub queue: VecDeque<Waiting>,
    /// Place of the first one in the ring.
    pub front: usize,
    /// Nearly as many waited as fit, a cycle ago.
    pub tight: bool,
    /// A step goes to the unit.
    pub issued: bool,
    /// Which; without one, what would have gone.
    pub out: Waiting,
    /// Steps in the lanes.
    pub flight: u32,
    /// Rows of a reduction in lanes and tree.
    pub reductions: u32,
}

impl Fetch {
    /// After reset.
    pub fn new(lines: usize) -> Fetch {
        Fetch {
            lines: lines as u32,
            apart: false,
            valid: false,
            held: Held::default(),
            asked: 0,
            arrived: 0,
            there: 0,
            used: 0,
            outstanding: false,
            queue: VecDeque::new(),
            front: 0,
            tight: false,
            issued: false,
            out: Waiting::default(),
            flight: 0,
            reductions: 0,
        }
    }

    /// A step or a reduction's row is in the lanes.
    pub fn flying(&self) -> bool {
        self.issued || self.flight > 0 || self.reductions > 0
    }

    /// Something is under way.
    pub fn busy(&self) -> bool {
        self.valid || !self.queue.is_empty() || self.flying() || self.outstanding
    }

    fn stream(number: u32) -> u8 {
        STREAM_ROWS + (number % u32::from(STREAM_ROWS)) as u8
    }

    /// Row for the next line that arrives.
    pub fn arrival_row(&self) -> u8 {
        Fetch::stream(self.arrived)
    }

    /// The step that is held need not wait for results.
    fn clear(&self, results_empty: bool) -> bool {
        self.valid && (!self.held.conflicts || results_empty)
    }

    /// The line that is asked for, and whether it is b's.
    pub fn request(&self, results_empty: bool) -> Option<(u32, usize)> {
        let operand = self.held.fetches().iter().position(|&fetch| fetch)?;
        self.clear(results_empty).then_some((self.held.step.lines[operand], operand))
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &FetchInputs) -> FetchOutputs {
        let was_outstanding = self.asked != self.arrived;
        let arrived = self.arrived;
        let clear = self.clear(inputs.results_empty);
        let accepted = self.request(inputs.results_empty).filter(|_| inputs.read_ready);
        let held = self.held;
        if let Some((_, operand)) = accepted {
            self.held.rows[operand] = Fetch::stream(self.asked);
            self.held.asked[operand] = true;
            self.asked += 1;
        }
        // Out of the held step: to the unit, or behind those that wait.
        let room = !self.tight && (inputs.results_room || !held.writes);
        let leaves = clear && room && self.held.fetches() == [false; 2];
        let empty = self.queue.is_empty();
        let direct = leaves && empty && held.lines() == 0 && !inputs.stop;
        let push = (leaves && held.writes && !inputs.stop).then_some(ResultLine {
            line: held.step.lines[2],
            hit: held.hit,
            place: held.step.place,
        });
        let front = self.queue.front().copied().unwrap_or(entry(&held));
        let here = self.there.wrapping_sub(self.used);
        let goes = !empty && u32::from(front.lines) <= here && !inputs.stop;
        self.tight = self.queue.len() >= WAITING - 2;
        self.used += if goes { front.lines.into() } else { 0 };
        if goes {
            self.queue.pop_front();
            self.front += 1;
        }
        if leaves && !direct && !inputs.stop {
            self.queue.push_back(entry(&self.held));
        }
        self.valid &= !leaves;
        let take = self.take(inputs, &held, leaves);
        if inputs.stop {
            self.front += self.queue.len();
            self.queue.clear();
            (self.valid, self.used) = (false, arrived);
        }
        self.front %= WAITING;
        self.outstanding = accepted.is_some() || was_outstanding;
        self.there = arrived;
        self.arrived += u32::from(inputs.arrive);
        self.flight = self.flight + u32::from(self.issued) - u32::from(inputs.retire);
        let ends = self.issued && self.out.step.last && !inputs.vectors[2];
        self.reductions = self.reductions + u32::from(ends) - u32::from(inputs.result);
        let outputs = FetchOutputs { take, push, rows: self.out.rows, issue: self.issued.then_some(self.out.step) };
        (self.issued, self.out) = (direct || goes, front);
        outputs
    }

    /// The next step into the place of the one that is held.
    fn take(&mut self, inputs: &FetchInputs, held: &Held, leaves: bool) -> bool {
        // Without a step, what the lines are does not matter.
        let Some(step) = inputs.step else {
            self.apart = false;
            return false;
        };
        let free = !self.valid;
        let waits = inputs.hold || inputs.filling && !self.apart || inputs.slow || inputs.stop;
        let take = free && !waits;
        let touches = |i: usize| inputs.vectors[i] || i == 2 && inputs.store;
        let meets = (0..3).any(|i| touches(i) && step.lines[i] % self.lines == inputs.fill_line % self.lines);
        self.apart = !take && !meets;
        if take {
            let own = |i: usize| inputs.vectors[i] && step.lines[i] == held.step.lines[2];
            // Its result may be what the step before makes, even if that leaves now.
            let behind = leaves && held.writes && (own(0) || own(1));
            let row = |i: usize| (step.lines[i] % self.lines) as u8;
            self.held = Held {
                step,
                rows: [row(0), if inputs.second_constant { CONSTANT_ROW } else { row(1) }],
                same: !inputs.vectors[1] && !inputs.second_constant,
                there: [0, 1].map(|i| inputs.hits[i] || !inputs.vectors[i]),
                asked: [false; 2],
                conflicts: inputs.conflict || behind,
                writes: inputs.vectors[2] || inputs.store && step.last,
                hit: inputs.hits[2],
            };
            self.valid = true;
        }
        take
    }

    /// Reset: the step that was held is no more.
    pub fn reset(&mut self) {
        *self = Fetch { held: self.held, out: self.out, ..Fetch::new(self.lines as usize) };
    }
}

fn entry(held: &Held) -> Waiting {
    let RowStep { low, high, first, last, .. } = held.step;
    let second = held.rows[if held.same { 0 } else { 1 }];
    Waiting { rows: [held.rows[0], second], step: Step { low, high, first, last }, lines: held.lines() }
}
