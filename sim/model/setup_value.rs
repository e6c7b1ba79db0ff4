//! Model of the setup value pipeline: quantities of a command, and the value of each setup word.

use bitline_units::array::isa::linear::{Term, ceil_log2};
use bitline_units::array::isa::word::{Field, MODE_TERM, setup};

/// A word on its way with its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// There is one.
    pub valid: bool,
    /// The word.
    pub word: u128,
    /// Operand's first row and constant (second stage).
    pub base: i32,
    /// Multiple of n and term (second stage).
    pub linear: i32,
    /// One past the last rows of its two operands (third stage).
    pub ends: [u16; 2],
    /// Its value (third stage).
    pub value: i32,
}

/// State of the pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetupValue {
    /// Width.
    pub n: u8,
    /// Second width.
    pub m: u8,
    /// 3n, a cycle after n.
    pub triple: u16,
    /// −n, a cycle after n.
    pub minus_n: i32,
    /// −m, a cycle after m.
    pub minus_m: i32,
    /// ⌈log2 n⌉, a cycle after n.
    pub log2: u8,
    /// min(m, ⌈log2 n⌉), a cycle after both.
    pub stages: u8,
    /// m less the stages, a cycle after both.
    pub excess: u8,
    /// Low four bits of the key.
    pub mode: u8,
    /// First rows of operands 1 to 5; the other entries are 0.
    pub first: [u16; 8],
    /// One past their last rows.
    pub end: [u16; 8],
    /// Word register.
    pub word: Stage,
    /// Partial sums.
    pub sums: Stage,
    /// Value.
    pub act: Stage,
}

impl SetupValue {
    /// A command comes in.
    pub fn load(&mut self, n: u8, m: u8, key: u64, first: [u16; 8]) {
        (self.n, self.m, self.first) = (n & 0x7f, m & 0x7f, first);
        self.mode = (key & 15) as u8;
        self.discard();
    }

    /// Drops every word on its way.
    pub fn discard(&mut self) {
        for stage in [&mut self.word, &mut self.sums, &mut self.act] {
            stage.valid = false;
        }
    }

    /// One clock edge without a step of the pipeline.
    pub fn settle(&mut self) {
        self.excess = self.m.wrapping_sub(self.stages) & 0x7f;
        self.stages = self.m.min(self.log2);
        (self.minus_n, self.minus_m) = (-i32::from(self.n), -i32::from(self.m));
        (self.triple, self.log2) = (3 * u16::from(self.n), ceil_log2(self.n.min(64).into()) as u8);
    }

    /// A step of the pipeline: `word` enters.
    pub fn step(&mut self, word: Stage) {
        let sums = self.sums;
        let end = |field: Field| self.end[field.get(sums.word) as usize & 7];
        let ends = [end(setup::OPERAND), end(setup::TO)];
        let value = (sums.base + sums.linear) >> setup::SHIFT.get(sums.word);
        (self.act, self.sums, self.word) = (Stage { value, ends, ..sums }, self.partial(self.word), word);
    }

    fn partial(&self, at: Stage) -> Stage {
        let word = at.word;
        let signed = |field: Field| {
            let value = field.get(word) as i32;
            if value >> (field.bits - 1) & 1 == 1 { value - (1 << field.bits) } else { value }
        };
        let (n, m) = (i32::from(self.n), i32::from(self.m));
        let of_widths = |term: Term| term.value(n, m);
        let term = match setup::TERM.get(word) {
            1 => of_widths(Term::M),
            2 => of_widths(Term::MinusM),
            3 => of_widths(Term::Stages),
            4 => of_widths(Term::Excess),
            5 => of_widths(Term::Log2),
            MODE_TERM => self.mode.into(),
            _ => 0,
        };
        let first = i32::from(self.first[setup::OPERAND.get(word) as usize]);
        let (base, linear) = (first + signed(setup::CONSTANT), signed(setup::N).max(-2) * n + term);
        Stage { base, linear, ..at }
    }
}

/// A value in the hardware's two's complement.
pub fn twos(value: i32) -> u64 {
    (value & 0xfff) as u64
}

state! {
    SetupValue(self) {
        self => n, m, triple, log2, stages, excess, mode;
        minus_n = twos(self.minus_n);
        minus_m = twos(self.minus_m);
        first[] = &self.first[1..6];
        end[] = &self.end[1..6];
        let (word, sums, act) = (&self.word, &self.sums, &self.act);
        word_valid = word.valid;
        sums_valid = sums.valid;
        act_valid = act.valid;
        when (word.valid) {
            word = word.word as u64;
        }
        when (sums.valid) {
            sums_word = sums.word as u64;
            sums_base = twos(sums.base);
            sums_linear = twos(sums.linear);
        }
        when (act.valid) {
            act_word = act.word as u64;
            act_value = twos(act.value);
            act_first = self.first[setup::OPERAND.get(act.word) as usize & 7];
            act_second = self.first[setup::TO.get(act.word) as usize & 7];
            act_end = act.ends[0];
            act_second_end = act.ends[1];
        }
    }
}
