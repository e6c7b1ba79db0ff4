//! Model of the setup unit: checks a command and derives the registers that its micro-program starts from.
//!
//! Setup words pass four stages (ROM, word register, partial sums, value register); a taken jump discards what follows it.

use super::command_queue::Waiting;
use crate::isa::command::ErrorCode;
use crate::isa::linear::{Term, ceil_log2};
use crate::isa::word::{
    BASES, COUNTS, Destination, OPCODES, START_CARRY, START_KEEP_TAG, START_SCAN, SetupKind, Test, setup,
};
use crate::params::ROW_ADDRESS_BITS;

/// What a command starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Width.
    pub n: u8,
    /// First row of the micro-program.
    pub entry: u16,
    /// X.
    pub x: u8,
    /// Y.
    pub y: u8,
    /// Z.
    pub z: u8,
    /// I (row-address bits).
    pub i: u16,
    /// Loop stride.
    pub stride: u8,
    /// Smallest effective width.
    pub min_width: u8,
    /// The command may stop early.
    pub stop: bool,
    /// Key.
    pub key: u64,
    /// C starts at 1.
    pub carry: bool,
    /// T keeps its value.
    pub keep_tag: bool,
    /// The key scanner starts at once.
    pub scan: bool,
}

/// A word on its way with its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// There is one.
    pub valid: bool,
    /// The word.
    pub word: u128,
    /// Operand's first row and constant (third stage).
    pub base: i32,
    /// Multiple of n and second term (third stage).
    pub linear: i32,
    /// One past the last rows of its two operands (last stage).
    pub ends: [u16; 2],
    /// Its value (last stage).
    pub value: i32,
}

/// A refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub code: u64,
    /// Operand it is about, or 0.
    pub operand: u64,
}

/// State of the setup unit.
#[derive(Clone, Debug)]
pub struct CommandSetup {
    rows: i32,
    address_mask: u16,
    /// A command is being worked on.
    pub busy: bool,
    /// Its start registers are complete and wait for the flow control.
    pub ready: bool,
    /// They have waited for a cycle.
    pub armed: bool,
    /// Which bank of base and count registers it writes.
    pub bank: bool,
    /// Fields of the command: width, second width, first rows of operands 1 to 5 (index 0 is 0).
    pub n: u8,
    /// Second width.
    pub m: u8,
    /// 3n, a cycle after n.
    pub triple: u16,
    /// As many ones as the width, a cycle late.
    pub width_rows: u64,
    /// ⌈log2 n⌉, a cycle after n.
    pub log2: u8,
    /// min(m, ⌈log2 n⌉), a cycle after both.
    pub stages: u8,
    /// First rows; entry 0 is 0.
    pub first: [u16; 8],
    /// One past the last rows.
    pub end: [u16; 8],
    /// Next setup address.
    pub address: u16,
    /// ROM output.
    pub rom: Stage,
    /// Word register.
    pub word: Stage,
    /// Partial sums.
    pub sums: Stage,
    /// Value register.
    pub act: Stage,
    /// What the command starts from.
    pub start: Start,
    /// Base registers, two banks.
    pub bases: [[u16; BASES]; 2],
    /// Count registers, two banks.
    pub counts: [[u8; COUNTS]; 2],
}

impl CommandSetup {
    /// Idle.
    pub fn new(rows: usize) -> CommandSetup {
        CommandSetup {
            rows: rows as i32,
            address_mask: (1 << ROW_ADDRESS_BITS) - 1,
            busy: false,
            ready: false,
            armed: false,
            bank: false,
            n: 0,
            m: 0,
            triple: 0,
            width_rows: 0,
            log2: 0,
            stages: 0,
            first: [0; 8],
            end: [0; 8],
            address: 0,
            rom: Stage::default(),
            word: Stage::default(),
            sums: Stage::default(),
            act: Stage::default(),
            start: Start::default(),
            bases: [[0; BASES]; 2],
            counts: [[0; COUNTS]; 2],
        }
    }

    /// Whether the unit takes a command in this cycle if there is one.
    pub fn accepts(&self) -> bool {
        !self.busy && !self.ready
    }

    /// One clock edge. `command` is what waits in the queue; `taken` tells that the flow control takes the start registers; `used`
    /// which banks are read by rows on their way to issue.
    pub fn step(&mut self, rom: &[u128], command: Option<&Waiting>, taken: bool, used: [bool; 2]) -> Option<Refusal> {
        self.stages = self.m.min(self.log2);
        self.width_rows = ones(self.n);
        (self.triple, self.log2) = (3 * u16::from(self.n), ceil_log2(self.n.min(64).into()) as u8);
        let accepts = self.accepts();
        self.armed = self.ready && !taken;
        if taken {
            self.ready = false;
            self.bank = !self.bank;
        }
        if let (true, Some(command)) = (accepts, command) {
            self.accept(command);
            return None;
        }
        if !self.busy {
            return None;
        }
        if self.n == 0 || self.n > 64 {
            self.busy = false;
            return Some(Refusal { code: ErrorCode::Width.code(), operand: 0 });
        }
        let act = self.act;
        if act.valid && used[usize::from(self.bank)] {
            return None;
        }
        let sum = self.sums.base + self.sums.linear;
        let end = |field: crate::isa::word::Field| self.end[field.get(self.sums.word) as usize & 7];
        let ends = [end(setup::OPERAND), end(setup::TO)];
        let value = Stage { value: sum >> setup::SHIFT.get(self.sums.word), ends, ..self.sums };
        let fetched = Stage { valid: true, word: word_at(rom, self.address), ..Stage::default() };
        (self.act, self.sums, self.word, self.rom) = (value, self.partial(self.word), self.rom, fetched);
        self.address = (self.address + 1) & 0x7ff;
        if act.valid { self.execute(act) } else { None }
    }

    fn accept(&mut self, waiting: &Waiting) {
        let command = &waiting.command;
        self.busy = true;
        self.n = command.width & 0x7f;
        self.m = command.second & 0x7f;
        self.first = [0, command.a, command.b, command.d, command.e, command.s, 0, 0];
        self.address = u16::from(waiting.set) * OPCODES as u16 + u16::from(waiting.opcode);
        self.discard();
        let start = Start { x: 1, y: 1, stride: 1, key: command.key, n: self.n, ..Start::default() };
        self.start = start;
    }

    /// Discards every word on its way.
    fn discard(&mut self) {
        for stage in [&mut self.rom, &mut self.word, &mut self.sums, &mut self.act] {
            stage.valid = false;
        }
    }

    fn partial(&self, at: Stage) -> Stage {
        let word = at.word;
        let signed = |field: crate::isa::word::Field| {
            let value = field.get(word) as i32;
            if value >> (field.bits - 1) & 1 == 1 { value - (1 << field.bits) } else { value }
        };
        let (n, m) = (i32::from(self.n), i32::from(self.m));
        let term = match setup::TERM.get(word) {
            1 => Term::M,
            2 => Term::MinusM,
            3 => Term::Stages,
            4 => Term::Excess,
            5 => Term::Log2,
            _ => Term::None,
        };
        let first = i32::from(self.first[setup::OPERAND.get(word) as usize]);
        let (base, linear) = (first + signed(setup::CONSTANT), signed(setup::N) * n + term.value(n, m));
        Stage { base, linear, ..at }
    }

    fn execute(&mut self, act: Stage) -> Option<Refusal> {
        let field = |field: crate::isa::word::Field| field.get(act.word);
        let (kind, operand, to) = (field(setup::KIND), field(setup::OPERAND) as usize, field(setup::TO) as usize);
        let test = match field(setup::TEST) {
            t if t == Test::Zero as u64 => act.value == 0,
            t if t == Test::AtLeastZero as u64 => act.value >= 0,
            t if t == Test::Even as u64 => act.value & 1 == 0,
            _ => false,
        };
        let refuse = |code: ErrorCode, operand: usize| Some(Refusal { code: code.code(), operand: operand as u64 });
        let mut refusal = None;
        let mut jump = false;
        match kind {
            k if k == SetupKind::Jump as u64 => jump = true,
            k if k == SetupKind::Value as u64 => self.store(to, act.value),
            k if k == SetupKind::Extent as u64 => {
                self.end[operand] = (act.value & 0x7ff) as u16;
                self.bases[usize::from(self.bank)][operand - 1] = self.first[operand] & self.address_mask;
                if act.value > self.rows {
                    refusal = refuse(ErrorCode::Rows, operand);
                }
            }
            k if k == SetupKind::Disjoint as u64 => {
                let (p, q) = (operand, to & 7);
                let apart = act.ends[0] <= self.first[q] || act.ends[1] <= self.first[p];
                let same = field(setup::TEST) & 1 == 1 && self.first[p] == self.first[q];
                if !apart && !same {
                    refusal = refuse(ErrorCode::Overlap, p);
                }
            }
            k if k == SetupKind::Guard as u64 => jump = !test,
            k if k == SetupKind::GuardSame as u64 => jump = self.first[operand] != self.first[to & 7],
            k if k == SetupKind::Require as u64 => {
                if !test {
                    refusal = Some(Refusal { code: to as u64 & 7, operand: 0 });
                }
            }
            _ => {
                self.start.entry = field(setup::TARGET) as u16;
                self.start.key &= ones(self.n);
                let flag = |bit: u64| to as u64 & bit != 0;
                self.start.carry = flag(START_CARRY);
                self.start.keep_tag = flag(START_KEEP_TAG);
                self.start.scan = flag(START_SCAN);
                self.busy = false;
                self.ready = true;
            }
        }
        if jump {
            self.address = field(setup::TARGET) as u16;
            self.discard();
        }
        if refusal.is_some() {
            self.busy = false;
        }
        refusal
    }

    fn store(&mut self, to: usize, value: i32) {
        let bank = usize::from(self.bank);
        let small = (value & 0x7f) as u8;
        match to {
            to if to < BASES => self.bases[bank][to] = value as u16 & self.address_mask,
            to if to < Destination::X as usize => self.counts[bank][to - Destination::Count as usize] = small,
            to if to == Destination::X as usize => self.start.x = small,
            to if to == Destination::Y as usize => self.start.y = small,
            to if to == Destination::Z as usize => self.start.z = small,
            to if to == Destination::I as usize => self.start.i = value as u16 & self.address_mask,
            to if to == Destination::Stride as usize => self.start.stride = small,
            to if to == Destination::MinWidth as usize => self.start.min_width = small,
            to if to == Destination::Stop as usize => self.start.stop = value == 0,
            _ => self.start.key = ones(small),
        }
    }
}

/// `count` ones.
pub fn ones(count: u8) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// ROM contents; addresses beyond the end hold 0.
pub fn word_at(rom: &[u128], address: u16) -> u128 {
    rom.get(usize::from(address)).copied().unwrap_or(0)
}
