//! What the campaigns have reached: every row of every ROM, both ways out of every branch and loop, every kind of
//! stall, every error. Fed from the model before each cycle; the model's state is the hardware's, as lock-step shows.

mod report;

use crate::isa::microcode::Microcode;
use crate::isa::row::Token;
use crate::isa::word::{Kind, SetupKind, Test, flow, setup};
use crate::model::compute_unit::{ComputeUnit, Inputs, Outputs};
use crate::model::sequencer::Sequencer;
use crate::params::Params;

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)+) => {
        /// Something that must happen now and then.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Event { $($(#[$doc])* $name),+ }
        impl Event {
            /// Every event.
            pub const ALL: &'static [Event] = &[$(Event::$name),+];
            /// In words.
            pub fn text(self) -> &'static str {
                match self { $(Event::$name => $text),+ }
            }
        }
    };
}

events! {
    /// A row waits for a write to the row on port A.
    HazardA = "stall: row A still to be written";
    /// A row waits for a write to the row on port B.
    HazardB = "stall: row B still to be written";
    /// A load waits for a row at the port.
    LoadEmpty = "stall: no row at the load port";
    /// A load waits for an earlier one.
    LoadInFlight = "stall: an earlier load on its way";
    /// A store waits for the port.
    StoreBusy = "stall: store port busy";
    /// A branch waits.
    BranchWait = "wait: branch on the wired-OR";
    /// A row waits for scan tokens.
    Drain = "wait: scan tokens on their way";
    /// A row waits for the key scanner.
    KeyWait = "wait: key scanner";
    /// A command is offered to a full queue.
    QueueFull = "command offered to a full queue";
    /// The queue holds as many commands as it can.
    Level = "queue full to the last slot";
    /// A command's first row issues right behind another's last.
    BackToBack = "commands without a gap between them";
    /// The next command starts in the cycle in which one ends.
    Chained = "next command ready when one ends";
    /// A command ends by the stop value.
    EarlyStop = "command stopped early";
    /// The scanner moves by one.
    ScanOne = "key scanner moves by 1";
    /// The scanner moves by four.
    ScanFour = "key scanner moves by 4";
    /// A key has no 1 left.
    KeyExhausted = "key exhausted";
    /// A width token comes back with a tag.
    WidthSet = "width scan finds a tag";
    /// A width token comes back without.
    WidthClear = "width scan finds none";
    /// A key token comes back with a tag.
    KeySet = "key scan finds a tag";
    /// A key token comes back without.
    KeyClear = "key scan finds none";
    /// A conditional part is skipped.
    ZeroTrips = "conditional loop with no trip";
    /// An inner loop runs once.
    InnerOnce = "inner loop with one trip";
    /// An inner loop runs more than once.
    InnerMany = "inner loop with more trips";
    /// An outer loop runs once.
    OuterOnce = "outer loop with one trip";
    /// An outer loop runs more than once.
    OuterMany = "outer loop with more trips";
    /// A row is loaded, its beats having waited.
    BeatWaits = "beat offered while a row waits";
    /// A stored beat waits.
    StoreWaits = "stored beat not taken";
    /// The last beat of a store.
    StoreLast = "last beat of a store";
    /// The setup unit waits for rows that still use its bank.
    SetupHeld = "wait: setup, its bank still in use";
    /// A guard holds.
    GuardHolds = "setup guard holds";
    /// A guard fails.
    GuardFails = "setup guard fails";
}

/// Counters of one bench.
#[derive(Clone, Debug)]
pub struct Coverage {
    params: Params,
    flow: Vec<u128>,
    setup: Vec<u128>,
    /// Micro-programs and their first rows.
    programs: Vec<(String, usize)>,
    /// Rows issued.
    rows: Vec<u64>,
    /// Rows that led back or into their conditional part, and rows that did not.
    ways: Vec<[u64; 2]>,
    /// Rows of loops that run once at every width.
    straight: Vec<bool>,
    /// Setup words executed.
    words: Vec<u64>,
    events: Vec<u64>,
    /// Refusals by code.
    refusals: [u64; 8],
    /// Passes of the loops under way.
    trips: [u64; 2],
    cycles: u64,
    latency: usize,
}

impl Coverage {
    /// Nothing seen.
    pub fn new(params: &Params, code: &Microcode) -> Coverage {
        Coverage {
            params: params.clone(),
            flow: code.flow.clone(),
            setup: code.setup.clone(),
            programs: code.programs.clone(),
            rows: vec![0; code.flow.len()],
            ways: vec![[0; 2]; code.flow.len()],
            straight: report::straight(params, code),
            words: vec![0; code.setup.len()],
            events: vec![0; Event::ALL.len()],
            refusals: [0; 8],
            trips: [0; 2],
            cycles: 0,
            latency: Sequencer::tag_latency(params.memory),
        }
    }

    fn hit(&mut self, event: Event) {
        self.events[event as usize] += 1;
    }

    fn when(&mut self, happens: bool, event: Event) {
        self.events[event as usize] += u64::from(happens);
    }

    /// The unit was reset.
    pub fn reset(&mut self) {
        self.trips = [0; 2];
    }

    /// What is about to happen in a cycle.
    pub fn before(&mut self, unit: &ComputeUnit, inputs: &Inputs) {
        self.cycles += 1;
        let s = &unit.sequencer;
        let full = !unit.queue.ready();
        self.when(full, Event::Level);
        self.when(full && inputs.command.is_some(), Event::QueueFull);
        self.when(unit.loader.full && inputs.beat.is_some(), Event::BeatWaits);
        if let Some((_, last)) = unit.storer.beat() {
            self.when(!inputs.take, Event::StoreWaits);
            self.when(last, Event::StoreLast);
        }
        let stalled = self.stalls(s, unit.loader.full, unit.storer.busy);
        let fetched = &s.address.fetched;
        if !stalled && fetched.valid {
            self.rows[usize::from(fetched.address)] += 1;
        }
        self.when(!stalled && s.adder.row.first && s.ready.valid && s.ready.last, Event::BackToBack);
        self.setup(unit);
        self.flow(unit, stalled);
    }

    /// What a cycle has shown.
    pub fn after(&mut self, outputs: &Outputs) {
        if let Some(refusal) = outputs.activity.refusal {
            self.refusals[refusal.code as usize & 7] += 1;
        }
    }

    fn stalls(&mut self, s: &Sequencer, load_ready: bool, store_busy: bool) -> bool {
        let ready = &s.ready;
        if !ready.valid {
            return false;
        }
        let lines = &ready.issue.lines;
        let hazard = |row: Option<usize>| row.is_some() && s.writes.contains(&row);
        let reasons = [
            (hazard(lines.a), Event::HazardA),
            (hazard(lines.b), Event::HazardB),
            (ready.issue.load && !load_ready, Event::LoadEmpty),
            (ready.issue.load && s.loads.contains(&true), Event::LoadInFlight),
            (ready.issue.store && store_busy, Event::StoreBusy),
        ];
        for (happens, event) in reasons {
            self.when(happens, event);
        }
        reasons.iter().any(|r| r.0)
    }

    fn setup(&mut self, unit: &ComputeUnit) {
        let s = &unit.sequencer.setup;
        let verdict = &s.verdict;
        if !s.busy || !verdict.valid {
            return;
        }
        if verdict.base().is_some() && unit.sequencer.used[usize::from(s.bank)] {
            self.hit(Event::SetupHeld);
            return;
        }
        // Five stages lie between the address and the word that acts; it would be discarded had there been a jump.
        let address = usize::from(s.address) - 5;
        self.words[address] += 1;
        let word = verdict.word;
        let kind = setup::KIND.get(word);
        if kind == SetupKind::Guard as u64 || kind == SetupKind::GuardSame as u64 {
            let operand = setup::OPERAND.get(word) as usize;
            let second = setup::TO.get(word) as usize & 7;
            let test = setup::TEST.get(word);
            let holds = if kind == SetupKind::GuardSame as u64 {
                s.values.first[operand] == s.values.first[second]
            } else if test == Test::Zero as u64 {
                verdict.value == 0
            } else if test == Test::AtLeastZero as u64 {
                verdict.value >= 0
            } else {
                verdict.value & 1 == 0
            };
            self.hit(if holds { Event::GuardHolds } else { Event::GuardFails });
        }
    }

    fn flow(&mut self, unit: &ComputeUnit, stalled: bool) {
        let s = &unit.sequencer;
        let now = &s.flow;
        let word = self.flow.get(usize::from(now.pc)).copied().unwrap_or(0);
        let flag = |field: crate::isa::word::Field| field.get(word) == 1;
        let back = s.tokens[self.latency - 1];
        let any = unit.array.tag_any;
        let is = |token: Token| back == token as u8;
        self.when(is(Token::Width) && any, Event::WidthSet);
        self.when(is(Token::Width) && !any, Event::WidthClear);
        self.when(is(Token::Key) && any, Event::KeySet);
        self.when(is(Token::Key) && !any, Event::KeyClear);
        if now.waiting {
            self.hit(Event::BranchWait);
            if is(Token::Branch) {
                self.ways[usize::from(now.pc)][usize::from(!any)] += 1;
                self.when(!any, Event::ZeroTrips);
            }
        }
        let (scanner, n) = (&now.scanner, now.counters.n);
        let found = scanner.key & 1 == 1 && scanner.position < n;
        let exhausted = scanner.key == 0 || scanner.position >= n;
        let fetched = now.fetch(&self.flow);
        let issue = fetched.valid && !stalled;
        if now.active && !now.waiting {
            self.when(flag(flow::DRAIN) && !scanner.drained, Event::Drain);
            self.when(flag(flow::KEYED) && !found && !exhausted, Event::KeyWait);
        }
        let taken = issue && flag(flow::KEYED);
        let moves = scanner.scanning && !exhausted && !found && !taken && !is(Token::Key);
        self.when(moves, if scanner.key & 15 == 0 { Event::ScanFour } else { Event::ScanOne });
        self.when(scanner.scanning && exhausted, Event::KeyExhausted);
        if !issue {
            return;
        }
        self.when(fetched.last && s.setup.armed, Event::Chained);
        self.when(fetched.last && !flag(flow::END), Event::EarlyStop);
        self.branch(usize::from(now.pc), word, fetched.exit, now.counters.y != 1, found);
    }

    /// Which way a row leads.
    fn branch(&mut self, pc: usize, word: u128, exit: bool, more: bool, found: bool) {
        let kind = flow::KIND.get(word);
        let is = |k: Kind| kind == k as u64;
        let way = |taken: bool| usize::from(!taken);
        if is(Kind::Inner) || is(Kind::InnerOuter) {
            let outer_back = exit && more && is(Kind::InnerOuter);
            if is(Kind::Inner) || !exit {
                self.ways[pc][way(!exit)] += 1;
            } else if !outer_back {
                self.ways[pc][1] += 1;
            }
            self.trips[0] += 1;
            if exit {
                self.hit(if self.trips[0] == 1 { Event::InnerOnce } else { Event::InnerMany });
                self.trips[0] = 0;
            }
        }
        if is(Kind::Outer) || (is(Kind::InnerOuter) && exit) {
            if is(Kind::Outer) {
                self.ways[pc][way(more)] += 1;
            }
            self.trips[1] += 1;
            if !more {
                self.hit(if self.trips[1] == 1 { Event::OuterOnce } else { Event::OuterMany });
                self.trips[1] = 0;
            }
        }
        if is(Kind::KeySkip) || is(Kind::KeyLoop) {
            self.ways[pc][way(found)] += 1;
            self.when(is(Kind::KeySkip) && !found, Event::ZeroTrips);
        }
    }
}
