//! Model of the walk over the lines of an instruction, from its contract.

use super::check::LineKind;

/// Lines for which hints may be out.
const AHEAD: u16 = 8;
/// Bytes of a line.
const LINE: u32 = 64;

/// An operand, as a request or an answer is about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // What the schematic of the block calls them.
pub enum Operand {
    #[default]
    Key = 0,
    A = 1,
    B = 2,
    D = 3,
}

/// The request or the answer that is due: which operand of which line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Due {
    operand: Operand,
    line: u16,
}

/// The walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineWalk {
    /// An instruction is under way.
    pub active: bool,
    /// An answer has failed: that for the line at this address.
    pub fault: Option<u32>,
    /// The next request, and the next answer.
    asks: Due,
    answers: Due,
    /// Requests without an answer.
    pub flight: u8,
    /// Lines from the next one on all hints of which are out; that for a of the one behind them is, too.
    ahead: u16,
    half: bool,
    /// Hints are offered; how many were taken since a line was missed.
    pub eager: bool,
    quiet: u8,
    /// A line was missed since a request was taken.
    missed: bool,
}

/// What it gets in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkInputs {
    /// An instruction begins.
    pub start: bool,
    /// What it does with its operands, and where they are: a, b, d.
    pub kind: LineKind,
    /// See `kind`.
    pub at: [u32; 3],
    /// Lines of each, if that is known.
    pub lines: Option<u16>,
    /// The ways take a request.
    pub ready: bool,
    /// They answer; whether that has failed.
    pub answer: Option<bool>,
    /// Memory is asked for a line.
    pub missed: bool,
    /// What ports hold that mean nothing in this cycle.
    pub noise: u64,
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkRequest {
    /// Where the line is.
    pub address: u32,
    /// It is a hint.
    pub hint: bool,
    /// The line is written as a whole.
    pub write: bool,
    /// All lines are locked.
    pub lock: bool,
}

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkOutputs {
    /// What is on offer.
    pub request: Option<WalkRequest>,
    /// The line of this answer is kept.
    pub keeps: bool,
    /// It completes the operands of this line.
    pub gives: Option<u8>,
    /// An instruction is under way, and ends.
    pub busy: bool,
    /// See `busy`.
    pub ended: bool,
    /// An answer has failed, that for the line at this address.
    pub fault: Option<u32>,
}

impl WalkInputs {
    /// Operands of a line in their order.
    fn operands(&self) -> impl Iterator<Item = Operand> + use<> {
        let LineKind { a, b, d, .. } = self.kind;
        [(a, Operand::A), (b, Operand::B), (d, Operand::D)].into_iter().filter(|own| own.0).map(|own| own.1)
    }

    /// Whether this is the first one of a line, or the last.
    fn first(&self, operand: Operand) -> bool {
        self.operands().next() == Some(operand)
    }

    fn last(&self, operand: Operand) -> bool {
        self.operands().last() == Some(operand)
    }

    /// What follows an operand.
    fn behind(&self, due: Due) -> Due {
        let next = self.operands().find(|operand| *operand as u8 > due.operand as u8);
        match next {
            Some(operand) => Due { operand, ..due },
            None => Due { operand: self.operands().next().unwrap_or_default(), line: due.line + 1 },
        }
    }

    /// Where a line of an operand is.
    fn address(&self, Due { operand, line }: Due) -> u32 {
        let base = match operand {
            Operand::A => self.at[0],
            Operand::Key | Operand::B => self.at[1],
            Operand::D => self.at[2],
        };
        base.wrapping_add(LINE * u32::from(line))
    }

    fn lines(&self) -> u16 {
        self.lines.unwrap_or(0)
    }
}

impl LineWalk {
    /// The request on offer.
    fn offered(&self, inputs: &WalkInputs) -> Option<WalkRequest> {
        let Due { operand, line } = self.asks;
        let begins = operand == Operand::Key || inputs.first(operand);
        if !self.active || line == inputs.lines() || begins && self.fault.is_some() {
            return None;
        }
        let hinted = line + self.ahead;
        let more = self.ahead < AHEAD && hinted < inputs.lines();
        if inputs.first(operand) && inputs.kind.a && self.eager && more {
            let operand = if self.half { Operand::B } else { Operand::A };
            let address = inputs.address(Due { operand, line: hinted });
            return Some(WalkRequest { address, hint: true, write: false, lock: false });
        }
        Some(WalkRequest {
            address: inputs.address(self.asks),
            hint: false,
            write: operand == Operand::D,
            lock: operand != Operand::Key && !inputs.last(operand),
        })
    }

    /// What is shown in a cycle.
    pub fn shown(&self, inputs: &WalkInputs) -> WalkOutputs {
        let request = self.offered(inputs);
        let Due { operand, line } = self.answers;
        let fine = inputs.answer == Some(false) && self.fault.is_none();
        WalkOutputs {
            request,
            keeps: inputs.answer.is_some() && (operand == Operand::Key || operand == Operand::A && inputs.kind.b),
            gives: (fine && inputs.kind.gives && inputs.last(operand)).then_some(line as u8),
            busy: self.active,
            ended: self.active && request.is_none() && self.flight == 0,
            fault: self.fault,
        }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &WalkInputs) -> WalkOutputs {
        let shown = self.shown(inputs);
        if let Some(request) = shown.request.filter(|_| inputs.ready) {
            self.taken(request, inputs);
        }
        self.missed |= inputs.missed;
        if let Some(failed) = inputs.answer {
            if failed && self.fault.is_none() {
                self.fault = Some(inputs.address(self.answers));
            }
            self.answers = inputs.behind(self.answers);
            self.flight = self.flight.wrapping_sub(1);
        }
        self.active &= !shown.ended;
        if inputs.start {
            let first = if inputs.kind.key { Some(Operand::Key) } else { inputs.operands().next() };
            let due = Due { operand: first.unwrap_or_default(), line: 0 };
            let flight = self.flight;
            *self = LineWalk { active: true, asks: due, answers: due, eager: true, flight, ..LineWalk::default() };
        }
        shown
    }

    /// A request is taken.
    fn taken(&mut self, request: WalkRequest, inputs: &WalkInputs) {
        if request.hint {
            self.half = inputs.kind.b && !self.half;
            self.ahead += u16::from(!self.half);
            self.quiet += 1;
        } else {
            self.half = false;
            self.flight += 1;
            let line = self.asks.line;
            self.asks = inputs.behind(self.asks);
            self.ahead = self.ahead.saturating_sub(self.asks.line - line);
        }
        if self.missed {
            (self.eager, self.quiet) = (true, 0);
        } else if request.hint && u16::from(self.quiet) == AHEAD {
            (self.eager, self.quiet) = (false, 0);
        }
        self.missed = false;
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        *self = LineWalk::default();
    }
}

/// Requests at the cache ways' port.
#[derive(Clone, Copy, Debug)]
pub struct WalkPorts(pub Option<WalkRequest>);

state! {
    LineWalk(self) {
        self => active, flight;
        bad = self.fault.is_some();
        about = self.fault;
        // Without an instruction nothing of the next one is known.
        when (self.active) {
            step = self.asks.operand as u8;
            place = self.answers.operand as u8;
            asked = self.asks.line;
            answered = self.answers.line;
            self => ahead, half, eager, quiet;
            pulse = self.missed;
        }
    }

    WalkPorts(self) {
        cache_valid = self.0.is_some();
        cache_address = self.0.map(|request| request.address);
        cache_hint = self.0.map(|request| request.hint);
        cache_write = self.0.map(|request| request.write);
        cache_strobes = self.0.filter(|request| request.write).map(|_| 0u8);
        // Of no byte that is written.
        cache_data = None::<u64>;
        lock = self.0.filter(|request| !request.hint).map(|request| request.lock);
    }

    WalkInputs(self) {
        self => start, missed;
        bus kind = self.kind;
        a = self.at[0];
        b = self.at[1];
        d = self.at[2];
        lines = self.lines;
        cache_ready = self.ready;
        cache_answer = self.answer.is_some();
        cache_answer_data = self.noise;
        cache_answer_failed = self.answer.unwrap_or(self.noise & 1 == 1);
    }

    WalkOutputs(self) {
        with WalkPorts(self.request);
        whole = self.request.map(|request| request.write);
        self => keeps, busy, ended;
        gives = self.gives.is_some();
        number = self.gives;
        drop = self.fault.is_some();
        failed = self.fault.is_some();
        fault = self.fault;
    }
}
