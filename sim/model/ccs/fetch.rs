//! Model of the fetch block: a step that is looked up, one that is held, and behind them what asks for lines and what
//! waits for them.

use super::conflicts::Conflicts;
use super::flight::Flight;
use super::generator::RowStep;
use super::requests::{Request, Requests};
use super::scoreboard::{Place, Places};
use super::unit::Step;
use super::waiting::{Waiting, WaitingStep};

/// Row of the constant.
pub const CONSTANT_ROW: u8 = 64;

/// What is known of a step a cycle after it was taken. It stays as it was when it has gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// The step.
    pub step: RowStep,
    /// Its lines that are in the cache.
    pub there: [bool; 3],
}

/// The step that is held. It stays as it was when it has gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// The step.
    pub step: RowStep,
    /// Rows of the operands that are in the cache.
    pub rows: [u8; 2],
    /// Operands that are to be fetched.
    pub misses: [bool; 2],
    /// The second operand's row is a fetched line's.
    pub second_comes: bool,
}

impl Held {
    /// Lines that are to be fetched, on each port: with two, b's on the first, a's on the second.
    pub fn lines(&self, two: bool) -> [u8; 2] {
        let [a, b] = self.misses.map(u8::from);
        if two { [b, a] } else { [a + b, 0] }
    }
}

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchInputs {
    /// A step, as it is even if it is none.
    pub step: RowStep,
    /// It is one.
    pub valid: bool,
    /// Operands that are vectors.
    pub vectors: [bool; 3],
    /// Results of a reduction go to memory.
    pub store: bool,
    /// The second operand is the constant row.
    pub second_constant: bool,
    /// The steps held are of a command that the unit does not do yet.
    pub fresh: bool,
    /// The one that it does is a map.
    pub map: bool,
    /// The step's lines are in the cache.
    pub hits: [bool; 3],
    /// Results on their way that may be a, then b.
    pub same: [Places; 2],
    /// The one that is written in the next cycle.
    pub going: Option<Place>,
    /// Those that are written in this cycle, or were before.
    pub gone: Places,
    /// Another result has room.
    pub results_room: bool,
    /// Memory lags behind.
    pub slow: bool,
    /// What has not gone to the unit is dropped.
    pub stop: bool,
    /// No step is taken from the next cycle on.
    pub hold: bool,
    /// No step goes to the unit in the next cycle.
    pub pause: bool,
    /// The processor fetches a line.
    pub filling: bool,
    /// The line of its access.
    pub fill_line: u32,
    /// A request is taken.
    pub read_ready: bool,
    /// A line has arrived.
    pub arrive: bool,
    /// It came with an error.
    pub failed: bool,
    /// With two read ports: a request is taken on that of a.
    pub more_ready: bool,
    /// A line has arrived there.
    pub more_arrive: bool,
    /// It came with an error.
    pub more_failed: bool,
    /// Lines to come are nobody's.
    pub forget: bool,
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
    /// Its result line is announced.
    pub push: bool,
    /// Rows that the store reads.
    pub rows: [u8; 2],
    /// A step goes to the unit.
    pub issue: Option<Step>,
}

/// The block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fetch {
    /// Rows of the cache.
    lines: u32,
    /// A line came with an error, a cycle ago, on each port.
    pub spoilt: [bool; 2],
    /// No step is taken.
    pub closed: bool,
    /// The processor fetched a line, a cycle ago.
    pub fills: bool,
    /// The step that is there has been there for a cycle and touches no row that the processor fetches.
    pub apart: bool,
    /// A step was looked up.
    pub looked_up: bool,
    /// Which.
    pub looked: Looked,
    /// A step is held.
    pub valid: bool,
    /// Which.
    pub held: Held,
    /// None was behind it or in the lanes.
    pub quiet: bool,
    /// Lines asked for.
    pub requests: Requests,
    /// With two read ports, those on that of a.
    pub more_requests: Option<Requests>,
    /// Steps that wait for lines.
    pub waiting: Waiting,
    /// Steps in the unit.
    pub flight: Flight,
    /// Results that steps wait for.
    pub conflicts: Conflicts,
}

impl Fetch {
    /// After reset.
    pub fn new(lines: usize, ports: usize) -> Fetch {
        let more_requests = (ports == 2).then(Requests::default);
        Fetch { lines: lines as u32, more_requests, waiting: Waiting::new(ports), ..Fetch::default() }
    }

    /// A step or a reduction's row is in the unit.
    pub fn flying(&self) -> bool {
        self.flight.flying(self.waiting.issued)
    }

    /// A step is looked up or held.
    pub fn front(&self) -> bool {
        self.looked_up || self.valid
    }

    /// Something is under way.
    pub fn busy(&self) -> bool {
        self.looked_up || self.valid || self.waiting.busy() || self.flying() || self.outstanding()
    }

    /// A line was to arrive, a cycle ago.
    fn outstanding(&self) -> bool {
        self.requests.missing || self.more_requests.is_some_and(|more| more.missing)
    }

    /// There are two read ports.
    fn two(&self) -> bool {
        self.more_requests.is_some()
    }

    /// The held step leaves: no earlier result can be its operand, and what is behind it has room.
    fn clear(&self, fresh: bool) -> bool {
        let [lines, more] = self.held.lines(self.two());
        let more_waits = self.more_requests.is_some_and(|requests| requests.waits);
        let no_room = self.waiting.many || self.requests.waits && lines > 0 || more_waits && more > 0;
        !no_room && !self.conflicts.waits && !fresh
    }

    /// The held step's lines, and whether they come, on each port.
    fn requests(&self, fresh: bool, stop: bool) -> [(Request, bool); 2] {
        let ([a, b, _], [needs_a, needs_b]) = (self.held.step.lines, self.held.misses);
        let leaves = self.valid && self.clear(fresh) && !stop;
        let [lines, more] = self.held.lines(self.two());
        let first = Request { lines: [a, b], needs: [needs_a && !self.two(), needs_b] };
        let second = Request { lines: [a, b], needs: [needs_a, false] };
        [(first, leaves && lines > 0), (second, leaves && more > 0)]
    }

    /// The lines that are asked for, on each port.
    pub fn asks(&self, fresh: bool, stop: bool) -> [Option<u32>; 2] {
        let [(request, comes), (second, second_comes)] = self.requests(fresh, stop);
        let more = self.more_requests.and_then(|requests| requests.read(second, second_comes));
        [self.requests.read(request, comes), more]
    }

    /// Row for the next line that arrives on the port of a.
    pub fn more_row(&self) -> u8 {
        self.more_requests.map_or(0, |requests| requests.arrival_row())
    }

    /// The next one to arrive there is a step's.
    pub fn more_told(&self) -> bool {
        self.more_requests.is_some_and(|requests| requests.stale == 0)
    }

    fn row(&self, line: u32) -> u8 {
        (line % self.lines) as u8
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &FetchInputs) -> FetchOutputs {
        let was = self.clone();
        let held = was.held;
        let clear = was.clear(inputs.fresh);
        let leaves = was.valid && clear && !inputs.stop;
        let moves = !was.valid || clear;
        let waits = was.closed || was.fills && !was.apart || inputs.stop;
        let take = inputs.valid && moves && !waits;
        let touches = |i: usize| inputs.vectors[i] || i == 2 && inputs.store;
        let meets = (0..3).any(|i| touches(i) && self.row(inputs.step.lines[i]) == self.row(inputs.fill_line));
        self.closed = inputs.hold || inputs.slow || !inputs.results_room;
        self.fills = inputs.filling;
        self.apart = inputs.valid && !take && !meets;
        let decided = was.decide(inputs);
        let asks = [decided, held].map(|step| step.misses.contains(&true));
        let new = [0, 1].map(|i| if inputs.vectors[i] { inputs.same[i] } else { Places::default() });
        self.conflicts.step(moves.then_some(new), inputs.going, inputs.gone, asks);
        if moves {
            (self.valid, self.held) = (was.looked_up, decided);
            self.looked_up = take;
            self.looked = Looked { step: inputs.step, there: inputs.hits };
        }
        if inputs.stop {
            (self.looked_up, self.valid) = (false, false);
        }
        let rows = was.requests.rows();
        let second = rows[usize::from(held.misses == [true; 2] && !was.two())];
        let first = was.more_requests.map_or(rows[0], |more| more.rows()[0]);
        let [lines, more_lines] = held.lines(was.two());
        let RowStep { low, high, first: is_first, last, .. } = held.step;
        let entry = WaitingStep {
            rows: [
                if held.misses[0] { first } else { held.rows[0] },
                if held.second_comes { second } else { held.rows[1] },
            ],
            step: Step { low, high, first: is_first, last },
            lines,
            more_lines,
        };
        let [(request, comes), (second_request, second_comes)] = was.requests(inputs.fresh, inputs.stop);
        let told = inputs.arrive && was.requests.stale == 0;
        self.requests.step(request, comes, inputs.read_ready, inputs.arrive, inputs.forget);
        let more_told = inputs.more_arrive && was.more_told();
        if let Some(more) = &mut self.more_requests {
            more.step(second_request, second_comes, inputs.more_ready, inputs.more_arrive, inputs.forget);
        }
        // A line that has failed is nobody's, nor is the one after it: the steps that wait are dropped then.
        let failed = [inputs.failed, inputs.more_failed];
        let arrives = [told, more_told];
        self.spoilt = [0, 1].map(|port| arrives[port] && failed[port]);
        let counts = [0, 1].map(|port| arrives[port] && !failed[port] && !was.spoilt[port]);
        self.waiting.step(entry, leaves, counts, inputs.pause, inputs.stop);
        let out = was.waiting.out;
        let issue = was.waiting.issued.then_some(out.step);
        self.flight.step(issue.is_some(), out.step.last && !inputs.map, inputs.retire, inputs.result);
        self.quiet = !leaves && !was.waiting.busy() && !was.flight.stepping(was.waiting.issued);
        let writes = inputs.vectors[2] || inputs.store && inputs.step.last;
        FetchOutputs { take, push: take && writes, rows: out.rows, issue }
    }

    /// What becomes of the step that was looked up.
    fn decide(&self, inputs: &FetchInputs) -> Held {
        let (Looked { step, there }, suspects) = (self.looked, self.conflicts.suspects());
        // With two ports the store need not get results.
        let misses = [0, 1].map(|i| inputs.vectors[i] && !there[i] || self.two() && suspects[i]);
        // Without b the second operand is a, or the constant, with two ports always.
        let second = usize::from(inputs.vectors[1]);
        let constant = inputs.second_constant || self.two() && !inputs.vectors[1];
        let row = if constant { CONSTANT_ROW } else { self.row(step.lines[second]) };
        Held { step, rows: [self.row(step.lines[0]), row], misses, second_comes: misses[second] && !constant }
    }

    /// Reset: steps stay visible.
    pub fn reset(&mut self) {
        let (mut requests, mut more_requests, mut waiting) = (self.requests, self.more_requests, self.waiting.clone());
        requests.reset();
        more_requests.iter_mut().for_each(Requests::reset);
        waiting.reset();
        *self = Fetch {
            looked: self.looked,
            held: self.held,
            conflicts: self.conflicts,
            requests,
            more_requests,
            waiting,
            lines: self.lines,
            ..Fetch::default()
        };
    }
}

state! {
    Fetch(self) {
        let (looked, held) = (&self.looked, &self.held);
        spoilt = self.spoilt[0];
        more_spoilt[] = self.more_requests.map(|_| self.spoilt[1]);
        self => closed, fills, apart, valid, quiet;
        held => second_comes;
        held.step => low, high, first, last;
        lines[] = held.step.lines.into_iter().take(2);
        misses[] = held.misses;
        let [lines, more_lines] = held.lines(self.two());
        waits = lines > 0;
        waits_two = lines == 2 || more_lines > 0;
        first_row = held.rows[0];
        second_row = held.rows[1];
        looked = self.looked_up;
        bus looked {
            looked.step => low, high, first, last;
            lines[] = looked.step.lines.into_iter().take(2);
        }
        there[] = looked.there;
        in conflicts = self.conflicts;
        in flight {
            self.flight => steps, reductions;
        }
        in requests = self.requests;
        in more_requests[] = &self.more_requests;
        in waiting = self.waiting;
    }
}
