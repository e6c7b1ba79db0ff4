//! Model of the sequencer: setup unit, flow control, and the stages behind them.
//!
//! A row passes fetch (flow control), ROM (control word read), address (base and index), sum, row address, issue. A row
//! that reads what an earlier one has not yet written waits at issue, and everything before it with it.

use super::address_adder::{AddressAdder, Row};
use super::address_generator::Addressed;
use super::command_queue::Waiting;
use super::command_setup::{CommandSetup, Refusal, word_at};
use super::compute_array::Issue;
use super::exception_flags::ExceptionFlags;
use super::flow_control::{FlowControl, Starting};
use super::index_registers::IndexRegisters;
use super::key_scanner::TokenReturn;
use crate::state::{Contents, Words};
use bitline_units::array::isa::microcode::Microcode;
use bitline_units::array::isa::row::Token;
use bitline_units::array::isa::uop::{CarryAction, ColumnControl, Next, Start};
use bitline_units::array::isa::word::BASES;
use bitline_units::array::params::{Columns, Latch, Memory, Params};

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
    /// Code of the exception that the row issued reports; 0 if none.
    pub report: u8,
    /// Exception flags raised in this cycle.
    pub raised: u8,
    /// A command was refused.
    pub refusal: Option<Refusal>,
}

/// State of the sequencer.
#[derive(Clone, Debug)]
pub struct Sequencer {
    memory: Memory,
    columns: Columns,
    latches: Vec<Latch>,
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
    /// J, I and L.
    pub indices: IndexRegisters,
    /// Tokens between issue and the wired-OR, the latest issued first.
    pub tokens: [u8; 4],
    /// Block RAM: rows written by what was issued one and two cycles ago.
    pub writes: [Option<usize>; 2],
    /// Block RAM: rows of a micro-program were issued one and two cycles ago.
    pub flight: [bool; 2],
    /// What rows report.
    pub flags: ExceptionFlags,
    /// A load row is on its way to the columns (one and two cycles ago).
    pub loads: [bool; 2],
}

impl Sequencer {
    /// Idle.
    pub fn new(params: &Params) -> Sequencer {
        Sequencer {
            memory: params.memory,
            columns: params.kind(),
            latches: params.latches.clone(),
            setup: CommandSetup::new(params.rows, params.pages()),
            flow: FlowControl::default(),
            rom: Addressed::default(),
            address: Addressed::default(),
            used: [false; 2],
            adder: AddressAdder::default(),
            ready: Ready::default(),
            indices: IndexRegisters::default(),
            tokens: [0; 4],
            writes: [None; 2],
            flight: [false; 2],
            flags: ExceptionFlags::default(),
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
        !self.setup.busy && !self.setup.ready && self.rests()
    }

    /// The same but for a command that is set up, or has been.
    pub fn rests(&self) -> bool {
        let added = self.adder.sum.valid || self.adder.row.valid;
        let staged = self.rom.fetched.valid || self.address.fetched.valid || added || self.ready.valid;
        !self.flow.active && !staged && self.flight == [false; 2]
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

    /// Whether a branch hears of the wired-OR in this cycle.
    pub fn asks(&self) -> bool {
        self.tokens[Sequencer::tag_latency(self.memory) - 1] == Token::Branch as u8
    }

    /// One clock edge. `tag_any` is the array's wired-OR; `command` the head of the queue; the streams of loads and of
    /// stores are ready. What is `held` is set up and does not begin.
    pub fn step(
        &mut self,
        code: &Microcode,
        command: Option<&Waiting>,
        tag_any: bool,
        [load_ready, store_ready]: [bool; 2],
        held: bool,
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
        let [latest, second, third, _] = self.tokens;
        self.tokens = [if issued { self.ready.token } else { 0 }, latest, second, third];
        if self.memory == Memory::BlockRam {
            self.writes = [issue.write, self.writes[0]];
            self.flight = [issued, self.flight[0]];
            self.loads = [issue.load, self.loads[0]];
        }
        let fetched = self.flow.fetch(&code.flow);
        let raised = self.flags.raised(self.memory, tag_any);
        let reports = |address: usize| code.reports.get(address).map_or(0, |&code| code as u8);
        let report = self.flags.step(fetched.valid.then(|| reports(fetched.address.into())), advance, issued);
        let armed = self.setup.armed && !held;
        let taken = armed && self.flow.takes();
        let (start, n, bank) = (self.setup.start, self.setup.values.n, self.setup.bank);
        let starting = armed.then_some(Starting { start: &start, n, bank });
        let bases = &self.setup.bases[usize::from(self.address.fetched.bank)];
        if advance {
            self.ready = Ready::from(self.adder.row);
            self.adder.step(self.address.resolve(self.columns, &self.indices, bases));
            if self.rom.fetched.valid && self.rom.fetched.first {
                self.indices = IndexRegisters::start(self.rom.fetched.i_start);
            } else if self.address.fetched.valid {
                self.indices = self.indices.step(self.address.word, &self.address.fetched);
            }
            self.address = self.rom;
            self.rom = Addressed { fetched, word: word_at(&code.control, fetched.address) };
        }
        let counts = self.setup.counts;
        self.flow.step(&code.flow, &code.constants, &counts, starting, advance, back);
        let accepted = self.setup.accepts() && command.is_some();
        let refusal = self.setup.step(&code.setup, command, taken, used);
        Activity { issue, issued, first, last, accepted, report, raised, refusal }
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
        column.clear(|entry| match entry.start {
            Start::Clear => entry.latch.is_none_or(|latch| self.latches.contains(&latch)),
            Start::ClearUnlessKept => !row.keep_tag,
            Start::Given | Start::Keep => false,
        });
    }
}

state! {
    Sequencer(self, params: &Params, code: &Microcode) {
        still (self.setup) {
            in setup = self.setup;
            in start = self.setup.start;
        }
        in flow = self.flow, (&code.flow, &self.setup, !code.constants.is_empty());
        in addresses {
            bus rom = self.rom.fetched, (params);
            bus row = self.address.fetched, (params);
            when (self.rom.fetched.valid) {
                rom_i = self.rom.fetched.i_start;
            }
            when (self.address.fetched.valid) {
                word = self.address.word;
            }
            used[] = self.used;
            in indices = self.indices;
            still (self.setup.bases) {
                memory (a_bases, b_bases, write_bases) =
                    Contents::always(2 * BASES, Words::Narrow(&|k| Some(self.setup.bases.as_flattened()[k].into())));
            }
        }
        in adder = self.adder, (params);
        if (params.exception_flags) {
            in flags_0 = self.flags, (params);
        }
        in issue {
            let (ready, row, lines) = (&self.ready, &self.ready.issue, &self.ready.issue.lines);
            ready = ready.valid;
            bus ready {
                when (ready.valid) {
                    column = row.column.encode();
                    lines => merge, a, b;
                    a_enable = lines.a.is_some();
                    b_enable = lines.b.is_some();
                    write_enable = row.write.is_some();
                    row => write, load, store;
                    ready => token, first, last;
                    if (params.memory == Memory::Behavioural) {
                        multi = lines.multi.code();
                        multi_rows = lines.mask;
                    }
                }
            }
            let [blocked, again] = self.blocked();
            blocked = blocked;
            tokens[] = &self.tokens[..Sequencer::tag_latency(params.memory)];
            if (params.memory == Memory::BlockRam) {
                blocked_again = again;
                flight[] = self.flight;
                writes = self.writes[0].is_some();
                written = self.writes[0];
                loads = self.loads[0];
            }
        }
    }
}
