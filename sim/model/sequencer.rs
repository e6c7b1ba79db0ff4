//! Model of the sequencer: setup unit, flow control, and the stages behind them.
//!
//! A row passes fetch (flow control), ROM (control word read), address (base and index), sum, row address, issue. A row that reads
//! what an earlier one has not yet written waits at issue, and everything before it with it.

use super::address_adder::{AddressAdder, Row};
use super::command_queue::Waiting;
use super::command_setup::{CommandSetup, Refusal, word_at};
use super::compute_array::Issue;
use super::flow_control::{Fetched, FlowControl, Starting};
use super::key_scanner::TokenReturn;
use super::sram_array::Wordlines;
use crate::isa::microcode::Microcode;
use crate::isa::row::{OffsetAction, OuterAction, Step};
use crate::isa::uop::{
    CarryAction, ColumnControl, DelayAction, HoldAction, Multi, Next, PredicateAction, TagAction, WriteBack, X, Y,
};
use crate::isa::word::{Field, IndexCode, control};
use crate::params::{Latch, Memory, Params, ROW_ADDRESS_BITS};

/// A row with its control word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Addressed {
    /// From the flow control.
    pub fetched: Fetched,
    /// The control word.
    pub word: u128,
}

/// A row ready to issue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// There is one.
    pub valid: bool,
    /// What the array is to do.
    pub issue: Issue,
    /// Use of the wired-OR.
    pub token: u8,
    /// First of its command.
    pub first: bool,
    /// Last of its command.
    pub last: bool,
}

impl From<Row> for Ready {
    fn from(row: Row) -> Ready {
        Ready { valid: row.valid, issue: row.issue, token: row.token, first: row.first, last: row.last }
    }
}

/// What the sequencer does in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// What the array gets.
    pub issue: Issue,
    /// A row of a micro-program was issued.
    pub issued: bool,
    /// It was the first of its command.
    pub first: bool,
    /// It was the last of its command.
    pub last: bool,
    /// The command at the head of the queue was taken.
    pub accepted: bool,
    /// A command was refused.
    pub refusal: Option<Refusal>,
}

/// State of the sequencer.
#[derive(Clone, Debug)]
pub struct Sequencer {
    memory: Memory,
    hold: bool,
    delay: bool,
    address_mask: u16,
    /// Setup unit.
    pub setup: CommandSetup,
    /// Flow control.
    pub flow: FlowControl,
    /// ROM stage.
    pub rom: Addressed,
    /// Address stage.
    pub address: Addressed,
    /// Banks that rows in these two stages were to read a cycle ago.
    pub used: [bool; 2],
    /// Sums of base and index.
    pub adder: AddressAdder,
    /// Issue stage.
    pub ready: Ready,
    /// Inner index.
    pub j: u16,
    /// Offset index.
    pub i: u16,
    /// Outer index.
    pub l: u16,
    /// Tokens between issue and the wired-OR, the latest issued first.
    pub tokens: [u8; 4],
    /// Block RAM: rows written by what was issued one and two cycles ago.
    pub writes: [Option<usize>; 2],
    /// Block RAM: rows of a micro-program were issued one and two cycles ago.
    pub flight: [bool; 2],
    /// A load row is on its way to the columns (one and two cycles ago).
    pub loads: [bool; 2],
}

impl Sequencer {
    /// Idle.
    pub fn new(params: &Params) -> Sequencer {
        Sequencer {
            memory: params.memory,
            hold: params.has(Latch::Hold),
            delay: params.has(Latch::Delay),
            address_mask: (1 << ROW_ADDRESS_BITS) - 1,
            setup: CommandSetup::new(params.rows),
            flow: FlowControl::default(),
            rom: Addressed::default(),
            address: Addressed::default(),
            used: [false; 2],
            adder: AddressAdder::default(),
            ready: Ready::default(),
            j: 0,
            i: 0,
            l: 0,
            tokens: [0; 4],
            writes: [None; 2],
            flight: [false; 2],
            loads: [false; 2],
        }
    }

    /// Cycles from a row's issue until the wired-OR of the T it leaves is known.
    pub fn tag_latency(memory: Memory) -> usize {
        match memory {
            Memory::Behavioural => 2,
            Memory::BlockRam => 4,
        }
    }

    /// Whether nothing runs, waits or is on its way in the sequencer.
    pub fn idle(&self) -> bool {
        let added = self.adder.sum.valid || self.adder.row.valid;
        let staged = self.rom.fetched.valid || self.address.fetched.valid || added || self.ready.valid;
        !self.setup.busy && !self.setup.ready && !self.flow.active && !staged && self.flight == [false; 2]
    }

    /// Whether the row at issue has to wait for rows on their way, in this cycle and in the next.
    pub fn blocked(&self) -> [bool; 2] {
        let ready = &self.ready;
        let waits = |ages: &[usize]| {
            let written = |row: Option<usize>| row.is_some() && ages.iter().any(|&age| self.writes[age] == row);
            let lines = &ready.issue.lines;
            let loading = ready.issue.load && ages.iter().any(|&age| self.loads[age]);
            ready.valid && (written(lines.a) || written(lines.b) || loading)
        };
        [waits(&[0, 1]), waits(&[0])]
    }

    /// The row at issue has to wait.
    fn stalled(&self, load_ready: bool, store_ready: bool) -> bool {
        let issue = &self.ready.issue;
        let streams = (issue.load && !load_ready) || (issue.store && !store_ready);
        self.ready.valid && (self.blocked()[0] || streams)
    }

    /// One clock edge. `tag_any` is the array's wired-OR; `command` the head of the queue.
    pub fn step(
        &mut self,
        code: &Microcode,
        command: Option<&Waiting>,
        tag_any: bool,
        load_ready: bool,
        store_ready: bool,
    ) -> Activity {
        let uses = |at: &Addressed, bank: bool| at.fetched.valid && at.fetched.bank == bank;
        let using = [false, true].map(|bank| uses(&self.rom, bank) || uses(&self.address, bank));
        let used = std::mem::replace(&mut self.used, using);
        let stalled = self.stalled(load_ready, store_ready);
        let advance = !stalled;
        let latency = Sequencer::tag_latency(self.memory);
        let back = match self.tokens[latency - 1] {
            0 => TokenReturn::default(),
            token => TokenReturn { token, any: tag_any },
        };
        let issued = self.ready.valid && advance;
        let mut issue = if issued { self.ready.issue } else { Issue::default() };
        if advance && self.adder.row.valid && self.adder.row.first {
            self.preset(&mut issue.column);
        }
        let (first, last) = (issued && self.ready.first, issued && self.ready.last);
        // Tokens and hazards move with the array's pipeline, which never waits.
        self.tokens.rotate_right(1);
        self.tokens[0] = if issued { self.ready.token } else { 0 };
        if self.memory == Memory::BlockRam {
            self.writes = [issue.write, self.writes[0]];
            self.flight = [issued, self.flight[0]];
            self.loads = [issue.load, self.loads[0]];
        }
        let fetched = self.flow.fetch(&code.flow);
        let taken = self.setup.armed && self.flow.takes();
        let (start, n, bank) = (self.setup.start, self.setup.values.n, self.setup.bank);
        let starting = self.setup.armed.then_some(Starting { start: &start, n, bank });
        let bases = &self.setup.bases[usize::from(self.address.fetched.bank)];
        if advance {
            let indices = Indices { j: self.j, i: self.i, l: self.l, mask: self.address_mask };
            self.ready = Ready::from(self.adder.row);
            self.adder.step(indices.resolve(&self.address, bases));
            let next = if self.rom.fetched.valid && self.rom.fetched.first {
                Indices { j: 0, i: self.rom.fetched.i_start, l: 0, ..indices }
            } else if self.address.fetched.valid {
                indices.step(&self.address)
            } else {
                indices
            };
            (self.j, self.i, self.l) = (next.j, next.i, next.l);
            self.address = self.rom;
            self.rom = Addressed { fetched, word: word_at(&code.control, fetched.address) };
        }
        let counts = self.setup.counts;
        self.flow.step(&code.flow, &counts, starting, advance, back);
        let accepted = self.setup.accepts() && command.is_some();
        let refusal = self.setup.step(&code.setup, command, taken, used);
        Activity { issue, issued, first, last, accepted, refusal }
    }

    /// Latches take the values that the command after this cycle starts from.
    fn preset(&self, column: &mut ColumnControl) {
        let row = &self.adder.row;
        if row.carry {
            column.next = Next::One;
            column.c = CarryAction::Load;
        } else {
            column.c = CarryAction::Zero;
        }
        if self.hold {
            column.h = HoldAction::Zero;
        }
        if self.delay {
            column.d = DelayAction::Zero;
        }
        if !row.keep_tag {
            column.t = TagAction::Zero;
        }
    }
}

/// Index registers of the address stage.
#[derive(Clone, Copy)]
struct Indices {
    j: u16,
    i: u16,
    l: u16,
    mask: u16,
}

impl Indices {
    /// The row at the address stage, with its bases and indices.
    fn resolve(&self, at: &Addressed, bases: &[u16]) -> Row {
        let f = &at.fetched;
        if !f.valid {
            return Row::default();
        }
        let field = |field: Field| field.get(at.word);
        let flag = |field: Field| field.get(at.word) == 1;
        let l = if f.keyed { u16::from(f.position) } else { self.l };
        let index = |index: Field, immediate: Field| match field(index) {
            k if k == IndexCode::J as u64 => self.j,
            k if k == IndexCode::K as u64 => self.j.wrapping_add(self.i) & self.mask,
            k if k == IndexCode::L as u64 => l,
            k if k == IndexCode::I as u64 => self.i,
            _ => field(immediate) as u16,
        };
        let base = |base: Field| bases[field(base) as usize];
        let flip = |on_exit: Field| u64::from(f.exit && flag(on_exit));
        let steer = |steered: Field, bit: u8| u64::from(flag(steered) && f.key_bits >> bit & 1 == 0);
        let x = field(control::X) ^ flip(control::FLIP_X) ^ steer(control::STEER_X, 0);
        let y = field(control::Y) ^ flip(control::FLIP_Y) ^ steer(control::STEER_Y, 1);
        let out = field(control::OUT) ^ flip(control::FLIP_OUT) << 1;
        let multi = Multi::from_code(field(control::MULTI)).expect("2 bits");
        let column = ColumnControl {
            x: X::from_code(x).expect("an operand code"),
            y: Y::from_code(y).expect("an operand code"),
            gate: flag(control::GATE),
            out: WriteBack::from_code(out).expect("an output code"),
            next: Next::from_code(field(control::NEXT)).expect("a next code"),
            c: CarryAction::from_code(field(control::C)).expect("a carry action"),
            h: HoldAction::from_code(field(control::H)).expect("a hold action"),
            t: TagAction::from_code(field(control::T)).expect("a tag action"),
            p: PredicateAction::from_code(field(control::P)).expect("a predicate action"),
            d: DelayAction::from_code(field(control::D)).expect("a delay action"),
            predicated: flag(control::PREDICATED),
        };
        let lines = Wordlines {
            a: (flag(control::A_EN) && !f.rest_a).then_some(0),
            b: flag(control::B_EN).then_some(0),
            merge: flag(control::MERGE),
            multi,
            mask: match multi {
                Multi::Off => 0,
                Multi::And | Multi::Nor => f.key & f.ones,
                Multi::NorOfZeros => !f.key & f.ones,
            },
        };
        let writes = flag(control::W_EN) && (f.exit || !flag(control::W_ON_EXIT));
        let (load, store) = (flag(control::LOAD), flag(control::STORE));
        let issue = Issue { column, lines, write: writes.then_some(0), load, store };
        Row {
            valid: true,
            issue,
            bases: [control::A_BASE, control::B_BASE, control::W_BASE].map(base),
            indices: [
                index(control::A_INDEX, control::A_IMMEDIATE),
                index(control::B_INDEX, control::B_IMMEDIATE),
                index(control::W_INDEX, control::W_IMMEDIATE),
            ],
            token: f.token,
            first: f.first,
            last: f.last,
            carry: f.carry,
            keep_tag: f.keep_tag,
        }
    }

    /// The registers after the row at the address stage has passed.
    fn step(&self, at: &Addressed) -> Indices {
        let field = |field: Field| field.get(at.word);
        let exit = at.fetched.exit;
        let mut next = *self;
        next.j = if exit && field(control::J_ZERO) == 1 {
            0
        } else {
            match field(control::J) {
                s if s == Step::Up as u64 => self.j.wrapping_add(1),
                s if s == Step::Down as u64 => self.j.wrapping_sub(1),
                s if s == Step::UpTwo as u64 => self.j.wrapping_add(2),
                _ => self.j,
            }
        };
        if exit {
            next.l = match field(control::L) {
                s if s == OuterAction::Up as u64 => self.l.wrapping_add(1),
                s if s == OuterAction::Down as u64 => self.l.wrapping_sub(1),
                _ => self.l,
            };
            next.i = match field(control::I) {
                _ if at.fetched.keyed => u16::from(at.fetched.position),
                s if s == OffsetAction::Up as u64 => self.i.wrapping_add(1),
                s if s == OffsetAction::Down as u64 => self.i.wrapping_sub(1),
                s if s == OffsetAction::Double as u64 => self.i << 1,
                s if s == OffsetAction::Halve as u64 => self.i >> 1,
                s if s == OffsetAction::Width as u64 => u16::from(at.fetched.position).wrapping_sub(1),
                _ => self.i,
            };
        }
        next.j &= self.mask;
        next.i &= self.mask;
        next.l &= self.mask;
        next
    }
}
