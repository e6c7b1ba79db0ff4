//! Model of the flow control: which row of the micro-program runs next.

use super::command_setup::{CommandSetup, word_at};
use super::key_scanner::{KeyScanner, TokenReturn};
use super::loop_counters::{LoopCounters, Pass};
use super::start_registers::{Start, flagged, ones};
use crate::state::{Contents, Words};
use bitline_units::array::isa::row::Token;
use bitline_units::array::isa::word::{COUNTS, Kind, ROM_ADDRESS_BITS, flow};
use bitline_units::array::params::{Memory, Params};

/// The last row that an address has bits for.
const LAST: u16 = (1 << ROM_ADDRESS_BITS) - 1;

/// What the flow control hands on with each row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fetched {
    /// There is a row.
    pub valid: bool,
    /// Its address.
    pub address: u16,
    /// It leaves its inner loop.
    pub exit: bool,
    /// Its port A rests.
    pub rest_a: bool,
    /// The key's two lowest bits.
    pub key_bits: u8,
    /// It is the first of its command.
    pub first: bool,
    /// It is the last of its command.
    pub last: bool,
    /// Its bank of base registers.
    pub bank: bool,
    /// Its use of the wired-OR.
    pub token: u8,
    /// It is addressed by the key scanner.
    pub keyed: bool,
    /// The key scanner's position if keyed, else the effective width.
    pub position: u8,
    /// C starts at 1.
    pub carry: bool,
    /// T keeps its value.
    pub keep_tag: bool,
    /// I at the start.
    pub i_start: u16,
    /// Rows raised by multi-row sensing: the key, and the ones of its width.
    pub key: u64,
    /// As many ones as the command's width.
    pub ones: u64,
}

/// State of the flow control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowControl {
    /// X, Y, Z and the stride.
    pub counters: LoopCounters,
    /// Key and tokens.
    pub scanner: KeyScanner,
    /// A command runs.
    pub active: bool,
    /// Row address.
    pub pc: u16,
    /// Head of the inner loop that was entered last.
    pub head: u16,
    /// Its flow word.
    pub head_word: u128,
    /// The command may stop early.
    pub stop: bool,
    /// Waits for a branch token.
    pub waiting: bool,
    /// Bank of the command.
    pub bank: bool,
    /// The next row is the command's first.
    pub first: bool,
    /// C starts at 1.
    pub carry: bool,
    /// T keeps its value.
    pub keep_tag: bool,
    /// I at the start.
    pub i_start: u16,
}

/// A command that starts.
#[derive(Clone, Copy, Debug)]
pub struct Starting<'a> {
    /// What its micro-program starts from.
    pub start: &'a Start,
    /// Its width.
    pub n: u8,
    /// Its bank of base and count registers.
    pub bank: bool,
}

impl FlowControl {
    /// What is handed on in this cycle if the pipeline advances.
    pub fn fetch(&self, rom: &[u128]) -> Fetched {
        let word = word_at(rom, self.pc);
        let decision = self.decide(word);
        let scanner = &self.scanner;
        let keyed = flow::KEYED.get(word) == 1;
        let rest = (flow::A_UNLESS_DONE.get(word) == 1 && decision.done) || (keyed && !scanner.found());
        Fetched {
            valid: self.can_issue(word),
            address: self.pc,
            exit: !decision.inner_back,
            rest_a: rest,
            key_bits: (scanner.key & 3) as u8,
            first: self.first,
            last: decision.ends,
            bank: self.bank,
            token: flow::TOKEN.get(word) as u8,
            keyed,
            position: if keyed { scanner.position } else { scanner.width },
            carry: self.carry,
            keep_tag: self.keep_tag,
            i_start: self.i_start,
            key: scanner.key,
            ones: ones(self.counters.n),
        }
    }

    fn can_issue(&self, word: u128) -> bool {
        let drained = flow::DRAIN.get(word) == 0 || self.scanner.drained;
        let keyed = flow::KEYED.get(word) == 0 || self.scanner.found() || self.scanner.empty;
        self.active && !self.waiting && drained && keyed
    }

    fn decide(&self, word: u128) -> Decision {
        let kind = flow::KIND.get(word);
        let is = |k: Kind| kind == k as u64;
        let found = self.scanner.found();
        let inner_back = (is(Kind::Inner) || is(Kind::InnerOuter)) && self.counters.x != 1;
        let outer = is(Kind::Outer) || is(Kind::InnerOuter);
        let outer_back = outer && !inner_back && self.counters.y != 1;
        let key = is(Kind::KeySkip) || is(Kind::KeyLoop);
        let stays = inner_back || outer_back || (key && found) || is(Kind::AnySkip);
        let end = flow::END.get(word) == 1 || (flow::MAY_STOP.get(word) == 1 && self.stop);
        let to_target = outer_back || (is(Kind::KeySkip) && !found) || (is(Kind::KeyLoop) && found);
        Decision {
            inner_back,
            outer_back,
            done: outer && !inner_back && !outer_back,
            waits: is(Kind::AnySkip),
            ends: !stays && end,
            next: if inner_back {
                if flow::HEAD.get(word) == 1 { self.pc } else { self.head }
            } else if to_target {
                flow::TARGET.get(word) as u16
            } else {
                (self.pc + 1) & LAST
            },
        }
    }

    /// Whether the flow control takes the start registers in this cycle, if they are ready.
    pub fn takes(&self) -> bool {
        !self.active
    }

    /// One clock edge. `starting` is the next command, if its start registers are ready; `counts` are the count
    /// registers.
    pub fn step(
        &mut self,
        rom: &[u128],
        constants: &[u64],
        counts: &[[u8; COUNTS]; 2],
        starting: Option<Starting<'_>>,
        advance: bool,
        back: TokenReturn,
    ) {
        let word = word_at(rom, self.pc);
        let now = *self;
        let issue = advance && self.can_issue(word);
        let decision = self.decide(word);
        self.scanner.step(constants, word, issue, now.active, back);
        let Decision { inner_back, outer_back, .. } = decision;
        let pass = issue.then_some(Pass { word, inner_back, outer_back, counts: &counts[usize::from(now.bank)] });
        self.counters.step(pass, now.scanner.width);
        if now.active && flow::HEAD.get(word) == 1 {
            (self.head, self.head_word) = (now.pc, word);
        }
        if issue {
            self.first = false;
            self.waiting = decision.waits;
            if !decision.waits {
                self.pc = decision.next;
            }
        }
        if now.waiting && back.token == Token::Branch as u8 {
            self.waiting = false;
            self.pc = if back.any { (now.pc + 1) & LAST } else { flow::TARGET.get(word) as u16 };
        }
        if issue && decision.ends {
            self.active = false;
        }
        if let (false, Some(starting)) = (now.active, starting) {
            self.begin(starting);
        }
    }

    fn begin(&mut self, Starting { start, n, bank }: Starting<'_>) {
        self.counters.begin(start, n);
        self.scanner.begin(start, n);
        *self = FlowControl {
            active: true,
            pc: start.entry,
            stop: start.stop,
            waiting: false,
            bank,
            first: true,
            carry: start.carry,
            keep_tag: start.keep_tag,
            i_start: start.i,
            ..*self
        };
    }
}

/// Where a row leads.
#[derive(Clone, Copy, Debug)]
struct Decision {
    inner_back: bool,
    outer_back: bool,
    done: bool,
    waits: bool,
    ends: bool,
    next: u16,
}

state! {
    Fetched(self, params: &Params) {
        self => valid;
        when (self.valid) {
            self => exit, rest_a, key_bits, first, last, bank, token, keyed, carry, keep_tag;
            at = self.position;
            if (params.memory == Memory::Behavioural) {
                key_rows = self.key;
                width_rows = self.ones;
            }
        }
    }

    FlowControl(self, rom: &[u128], setup: &CommandSetup, constants: bool) {
        when (self.active) {
            word = word_at(rom, self.pc) as u64;
        }
        when (setup.armed) {
            start_word = word_at(rom, setup.start.entry) as u64;
        }
        self => active, pc, head, stop, waiting, bank, first, carry, keep_tag;
        head_word = self.head_word as u64;
        i = self.i_start;
        in counters = self.counters;
        in counters {
            still (setup.counts) {
                memory (x_counts, y_counts) =
                    Contents::always(2 * COUNTS, Words::Narrow(&|k| Some(flagged(setup.counts.as_flattened()[k]))));
            }
        }
        still (self.scanner) {
            in scanner = self.scanner, (constants);
        }
    }
}
