//! Model of the setup unit: checks a command and derives the registers that its micro-program starts from.
//!
//! Setup words pass five stages (ROM, word register, partial sums, value, verdict); a taken jump discards what follows
//! it.

use super::command_queue::Waiting;
use super::setup_value::{SetupValue, Stage, twos};
use super::start_registers::Start;
use bitline_units::array::isa::command::ErrorCode;
use bitline_units::array::isa::word::{
    BASES, COUNTS, Destination, Field, OPCODES, PAGE, ROM_ADDRESS_BITS, SetupKind, Test, UNKNOWN_ENTRY, setup,
};
use bitline_units::array::params::ROW_ADDRESS_BITS;

/// A refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub code: u64,
    /// Operand it is about, or 0.
    pub operand: u64,
}

/// What a word will do, and the word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// There is a word.
    pub valid: bool,
    /// The word.
    pub word: u128,
    /// Its value.
    pub value: i32,
    /// It jumps.
    pub jump: bool,
    /// It refuses the command.
    pub refusal: Option<Refusal>,
}

impl Verdict {
    /// Whether the word is of a kind.
    pub fn is(&self, kind: SetupKind) -> bool {
        self.valid && setup::KIND.get(self.word) == kind as u64
    }

    /// The base register that the word writes, as a destination.
    pub fn base(&self) -> Option<usize> {
        let to = setup::TO.get(self.word) as usize;
        if self.is(SetupKind::Extent) {
            Some((setup::OPERAND.get(self.word) as usize).wrapping_sub(1) & (BASES - 1))
        } else {
            (self.is(SetupKind::Value) && to < BASES).then_some(to)
        }
    }
}

/// State of the setup unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSetup {
    rows: i32,
    /// Pages of the directory.
    pages: usize,
    /// A command is being worked on.
    pub busy: bool,
    /// Its width is illegal.
    pub illegal: bool,
    /// Its start registers are complete and wait for the flow control.
    pub ready: bool,
    /// They have waited for a cycle.
    pub armed: bool,
    /// Which bank of base and count registers it writes.
    pub bank: bool,
    /// Next setup address.
    pub address: u16,
    /// ROM output.
    pub rom: Stage,
    /// Value pipeline.
    pub values: SetupValue,
    /// What the word behind it does.
    pub verdict: Verdict,
    /// What the command starts from.
    pub start: Start,
    /// Base registers, two banks.
    pub bases: [[u16; BASES]; 2],
    /// Count registers, two banks.
    pub counts: [[u8; COUNTS]; 2],
}

impl CommandSetup {
    /// Idle.
    pub fn new(rows: usize, pages: usize) -> CommandSetup {
        CommandSetup {
            rows: rows as i32,
            pages,
            busy: false,
            illegal: false,
            ready: false,
            armed: false,
            bank: false,
            address: 0,
            rom: Stage::default(),
            values: SetupValue::default(),
            verdict: Verdict::default(),
            start: Start::default(),
            bases: [[0; BASES]; 2],
            counts: [[0; COUNTS]; 2],
        }
    }

    /// Whether the unit takes a command in this cycle if there is one.
    pub fn accepts(&self) -> bool {
        !self.busy && !self.ready
    }

    /// One clock edge. `command` is what waits in the queue; `taken` tells that the flow control takes the start
    /// registers; `used` which banks were to be read by rows on their way to issue a cycle ago.
    pub fn step(&mut self, rom: &[u128], command: Option<&Waiting>, taken: bool, used: [bool; 2]) -> Option<Refusal> {
        let n = self.values.n;
        let (accepts, illegal, bank) = (self.accepts(), self.illegal, self.bank);
        let width_rows = self.start.width_rows;
        self.start.settle(n);
        self.values.settle();
        self.illegal = self.busy && !illegal && (n == 0 || n > 64);
        self.armed = self.ready && !taken;
        if taken {
            self.ready = false;
            self.bank = !self.bank;
        }
        if let (true, Some(command)) = (accepts, command) {
            self.accept(command);
            return None;
        }
        let verdict = self.verdict;
        let mut refusal = None;
        let held = verdict.base().is_some() && used[usize::from(bank)];
        if self.busy && !held {
            self.advance(rom);
            refusal = self.execute(verdict, width_rows);
        }
        if illegal {
            refusal = Some(Refusal { code: ErrorCode::Width.code(), operand: 0 });
        }
        if refusal.is_some() {
            self.busy = false;
        }
        refusal
    }

    fn accept(&mut self, waiting: &Waiting) {
        let command = &waiting.command;
        self.busy = true;
        let first = [0, command.a, command.b, command.d, command.e, command.s, 0, 0];
        self.values.load(command.width, command.second, command.key, first);
        let (set, opcode) = (usize::from(waiting.set), usize::from(waiting.opcode));
        let (page, on_page) = (opcode / OPCODES, opcode % OPCODES);
        self.address = if page < self.pages { page * PAGE + set * OPCODES + on_page } else { UNKNOWN_ENTRY } as u16;
        self.rom.valid = false;
        self.verdict.valid = false;
        self.start.load(command.key);
    }

    /// Words move on.
    fn advance(&mut self, rom: &[u128]) {
        self.verdict = self.decide(self.values.act);
        self.values.step(self.rom);
        self.rom = Stage { valid: true, word: word_at(rom, self.address), ..Stage::default() };
        self.address = (self.address + 1) & ((1 << ROM_ADDRESS_BITS) - 1);
    }

    /// What a word will do.
    fn decide(&self, act: Stage) -> Verdict {
        let field = |field: Field| field.get(act.word);
        let (operand, to) = (field(setup::OPERAND) as usize, field(setup::TO) as usize);
        let first = self.values.first;
        let test = match field(setup::TEST) {
            t if t == Test::Zero as u64 => act.value == 0,
            t if t == Test::AtLeastZero as u64 => act.value >= 0,
            t if t == Test::Even as u64 => act.value & 1 == 0,
            _ => false,
        };
        let refuse = |code: u64, operand: usize| Some(Refusal { code, operand: operand as u64 });
        let word = Verdict { valid: act.valid, word: act.word, value: act.value, jump: false, refusal: None };
        let jump = word.is(SetupKind::Jump)
            || (word.is(SetupKind::Guard) && !test)
            || (word.is(SetupKind::GuardSame) && first[operand] != first[to & 7]);
        let refusal = if word.is(SetupKind::Extent) && act.value > self.rows {
            refuse(ErrorCode::Rows.code(), operand)
        } else if word.is(SetupKind::Disjoint) {
            let apart = act.ends[0] <= first[to & 7] || act.ends[1] <= first[operand];
            let same = field(setup::TEST) & 1 == 1 && first[operand] == first[to & 7];
            if apart || same { None } else { refuse(ErrorCode::Overlap.code(), operand) }
        } else if word.is(SetupKind::Require) && !test {
            refuse(to as u64 & 7, 0)
        } else {
            None
        };
        Verdict { jump, refusal, ..word }
    }

    fn execute(&mut self, verdict: Verdict, width_rows: u64) -> Option<Refusal> {
        if !verdict.valid {
            return None;
        }
        let field = |field: Field| field.get(verdict.word);
        let (operand, to) = (field(setup::OPERAND) as usize, field(setup::TO) as usize);
        let bank = usize::from(self.bank);
        let row = |value: u16| value & ((1 << ROW_ADDRESS_BITS) - 1);
        if verdict.is(SetupKind::Extent) {
            self.values.end[operand] = (verdict.value & 0x7ff) as u16;
        }
        if let Some(base) = verdict.base() {
            let extent = verdict.is(SetupKind::Extent);
            self.bases[bank][base] = row(if extent { self.values.first[operand] } else { verdict.value as u16 });
        }
        if verdict.is(SetupKind::Value) {
            let count = to.wrapping_sub(Destination::Count as usize);
            if count < COUNTS {
                self.counts[bank][count] = (verdict.value & 0x7f) as u8;
            }
            self.start.store(to, verdict.value);
        }
        if verdict.is(SetupKind::Start) {
            self.start.complete(field(setup::TARGET) as u16, to as u64, width_rows);
            self.busy = false;
            self.ready = true;
        }
        if verdict.jump {
            self.address = field(setup::TARGET) as u16;
            self.rom.valid = false;
            self.verdict.valid = false;
            self.values.discard();
        }
        verdict.refusal
    }
}

/// ROM contents: filled with zeros to a power of two, modulo which addresses count.
pub fn word_at(rom: &[u128], address: u16) -> u128 {
    let depth = rom.len().next_power_of_two();
    rom.get(usize::from(address) & (depth - 1)).copied().unwrap_or(0)
}

state! {
    Verdict(self, values: &SetupValue) {
        let (to, operand) = (setup::TO.get(self.word), setup::OPERAND.get(self.word));
        let (extent, value, start) = (self.is(SetupKind::Extent), self.is(SetupKind::Value), self.is(SetupKind::Start));
        jump = self.valid && self.jump;
        refuse = self.valid && self.refusal.is_some();
        complete = start;
        base = self.base().is_some();
        extent = extent;
        count = value && (16..24).contains(&to);
        store = value;
        when (self.valid) {
            when (let Some(refusal) = self.refusal) {
                refusal => code, operand;
            }
            when (self.jump || start) {
                target = setup::TARGET.get(self.word);
            }
            when (let Some(base) = self.base()) {
                base_number = base as u64;
                base_value = if extent { values.first[operand as usize].into() } else { self.value as u64 & 0x3ff };
            }
            when (extent) {
                extent_operand = operand;
            }
            when (value || start) {
                to = to;
            }
            when (value || extent) {
                value = twos(self.value);
            }
            when (value) {
                is_one = self.value & 0x7f == 1;
                is_two = self.value & 0x7f == 2;
                is_zero = self.value == 0;
            }
        }
    }

    CommandSetup(self) {
        self => busy, illegal, ready, armed, bank, address;
        rom_valid = self.rom.valid;
        with self.verdict, (&self.values);
        in values = self.values;
    }
}
