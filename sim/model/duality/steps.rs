//! Steps of the words that a window does: passes over rows, and a command among them. Of words of several windows the
//! steps of one of them.

use bitline_units::array::isa::{Command, Opcode};
use bitline_units::duality::isa::codes::{Condition, Kind, MaskOp, Predicate, Source};
use bitline_units::duality::isa::compute::Shape;
use bitline_units::duality::isa::field::*;
use bitline_units::duality::isa::word::Word;
use bitline_units::duality::params::{ACTIVE_ROW, LAUNCH_ROW};
use bitline_units::duality::passes::{MemoryStep, Pass};

use super::row_unit::{ROWS, RowPass};
use super::rows::extend;

/// Whether a word is a jump that looks at a row.
pub fn looks(word: Word) -> bool {
    let codes = [Condition::Any, Condition::None].map(Condition::code);
    word.get(KIND) == Kind::Jump.code() && codes.contains(&word.get(CONDITION))
}

/// The windows of a word, bit k for window k, where a thread has so many arrays.
pub fn windows_of(word: Word, arrays: u64) -> u64 {
    let slot = 1 << word.get(SLOT);
    match word.kind() {
        Ok(Kind::Compute) => slot,
        Ok(Kind::Move) => slot | word.get(TARGETS),
        Ok(Kind::Memory) => slot | 1 << word.get(DATA_SLOT),
        Ok(Kind::Mask) => (1 << arrays) - 1,
        Ok(Kind::Jump) if looks(word) => slot,
        _ => 0,
    }
}

/// What the immediate or the scalar register of a compute word holds.
fn given(word: Word, scalar: Option<u32>) -> u64 {
    match word.get(SOURCE) == Source::Immediate.code() {
        true => word.get(IMMEDIATE),
        false => scalar.expect("it was written").into(),
    }
}

/// The same as a second source: extended, and as wide as the word.
fn shared_source(word: Word, scalar: Option<u32>) -> u64 {
    let value = extend(given(word, scalar), word.get(WIDTH_B) + 1, word.get(SIGN_B) == 1);
    extend(value, word.get(WIDTH) + 1, false)
}

/// The command of a compute word. A factor is what the immediate or the scalar register says, as wide as the word.
pub fn command(word: Word, scalar: Option<u32>, shape: &Shape) -> Command {
    let mut command = shape.command;
    if command.opcode == Opcode::MulConst {
        command.key = shared_source(word, scalar);
        // No operand b: the field goes along, and means nothing.
        command.b = word.get(B) as u16;
    }
    command
}

/// A step of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A pass; one of no rows is passed over.
    Pass(RowPass),
    /// The command.
    Command,
}

/// Cycles of those steps that are passes, one behind the other.
pub fn passes(steps: &[Step]) -> u64 {
    let cycles = |step: &Step| if let Step::Pass(pass) = step { pass.cycles() } else { 0 };
    steps.iter().map(cycles).sum()
}

/// The row that a field names.
pub fn row(word: Word, field: Field) -> Option<u16> {
    Some(word.get(field) as u16)
}

/// A pass of one row.
pub fn one(pass: Pass) -> RowPass {
    RowPass { pass, count: 1, given: None, from: None, to: None, extra: None, value: 0 }
}

/// A source in scratch rows: rows that are 0, those that it has, and those by which it is extended.
struct Prepared {
    zeros: Option<u64>,
    own: u64,
    all: u64,
    place: u16,
    sign: bool,
}

impl Prepared {
    fn steps(&self, own: RowPass, negative: Option<bool>) -> Vec<Step> {
        let shift = self.zeros.unwrap_or(0);
        let copied = self.own.min(self.all - shift);
        let at = |behind: u64| Some(self.place + behind as u16);
        let rows = |count: u64, to: u64, pass: RowPass| Step::Pass(RowPass { count: count as u32, to: at(to), ..pass });
        let more = match negative {
            Some(negative) => RowPass { value: if negative { u64::MAX } else { 0 }, ..one(Pass::Constant) },
            None if self.sign => RowPass { extra: own.from.map(|from| from + copied as u16 - 1), ..one(Pass::Fill) },
            None => one(Pass::Constant),
        };
        let zeros = self.zeros.map(|zeros| rows(zeros, 0, one(Pass::Constant)));
        let others = [rows(copied, shift, own), rows(self.all - shift - copied, shift + copied, more)];
        zeros.into_iter().chain(others).collect()
    }
}

/// The steps of a compute word.
pub fn compute(word: Word, scalar: Option<u32>, shape: &Shape) -> Vec<Step> {
    let mut steps = vec![];
    // Of floating point the modifier is a mode.
    let shifts = !shape.command.opcode.is_float();
    if let Some(((from, own), all)) = shape.a {
        let zeros = if shifts { word.get(MODIFIER) } else { 0 };
        if shape.prepared {
            let copy = RowPass { from: Some(from as u16), ..one(Pass::Copy) };
            let (place, sign) = (shape.command.a, word.get(SIGN_A) == 1);
            steps.extend(Prepared { zeros: Some(zeros), own, all, place, sign }.steps(copy, None));
        }
    }
    let by_rows = shape.direct.is_none() && shape.command.opcode != Opcode::MulConst;
    if let Some(all) = shape.b_wanted.filter(|_| by_rows) {
        let place = shape.command.b;
        let sign = word.get(SIGN_B) == 1;
        match shape.b {
            Some((_, own)) if own == all => {}
            Some((from, own)) => {
                let copy = RowPass { from: Some(from as u16), ..one(Pass::Copy) };
                steps.extend(Prepared { zeros: None, own, all, place, sign }.steps(copy, None));
            }
            None => {
                let value = given(word, scalar);
                let own = word.get(WIDTH_B) + 1;
                let negative = sign && value >> (own - 1) & 1 == 1;
                let constant = RowPass { value, ..one(Pass::Constant) };
                steps.extend(Prepared { zeros: None, own, all, place, sign }.steps(constant, Some(negative)));
            }
        }
    }
    steps.push(shape.direct.map_or(Step::Command, |pass| {
        let n = word.get(WIDTH) + 1;
        // A comparison writes its only row last.
        let to = (u64::from(shape.command.d) + shape.d.1).wrapping_sub(n) as u16 % ROWS;
        let own = shape.a.filter(|_| !shape.prepared).map_or(n, |((_, own), _)| own) as u32;
        let (from, to, value) = (Some(shape.command.a), Some(to), shared_source(word, scalar));
        Step::Pass(RowPass { count: n as u32, given: Some(own), from, to, value, ..one(pass) })
    }));
    let chooser = match Predicate::from_code(word.get(PREDICATE)).expect("words are legal") {
        Predicate::All => return steps,
        Predicate::Active => (Pass::Choose, ACTIVE_ROW as u16),
        Predicate::Where => (Pass::Choose, word.get(E) as u16),
        Predicate::Unless => (Pass::ChooseOther, word.get(E) as u16),
    };
    let choose = |(place, to, rows): (u16, u64, u64)| {
        let pass = RowPass { from: Some(place), to: Some(to as u16), extra: Some(chooser.1), ..one(chooser.0) };
        Step::Pass(RowPass { count: rows as u32, ..pass })
    };
    // A second result that is chosen is not where the word names it.
    let second = shape.e.filter(|&(row, _)| u64::from(shape.command.e) != row).unwrap_or((0, 0));
    steps.push(choose((shape.command.d, shape.d.0, shape.d.1)));
    steps.push(choose((shape.command.e, second.0, second.1)));
    steps
}

/// The steps of a word of several windows.
pub fn shared(word: Word, sends: bool) -> Vec<Step> {
    if word.get(KIND) == Kind::Move.code() {
        let count = word.get(WIDTH) as u32 + 1;
        let pass = if sends {
            RowPass { count, from: row(word, A), ..one(Pass::Send) }
        } else {
            RowPass { count, to: row(word, D), ..one(Pass::Receive) }
        };
        return vec![Step::Pass(pass)];
    }
    let tag = if sends { RowPass { from: row(word, A), ..one(Pass::SendTag) } } else { one(Pass::ReceiveTag) };
    let taken = word.get(MASK_OP) == MaskOp::Taken.code();
    let pass = if taken { Pass::Taken } else { Pass::Other };
    vec![Step::Pass(tag), Step::Pass(merge(word, pass))]
}

/// The active mask goes to another row.
fn merge(word: Word, pass: Pass) -> RowPass {
    RowPass { to: row(word, D), extra: Some(ACTIVE_ROW as u16), ..one(pass) }
}

/// The steps of a mask word that looks at no row of another array.
pub fn alone(word: Word, op: MaskOp) -> Vec<Step> {
    let active = Some(ACTIVE_ROW as u16);
    let to_active = |from| RowPass { from, to: active, ..one(Pass::Copy) };
    let passes = match op {
        MaskOp::Open => vec![to_active(Some(LAUNCH_ROW as u16))],
        MaskOp::Enter => vec![to_active(row(word, A)), RowPass { to: row(word, A), ..one(Pass::Constant) }],
        MaskOp::Clear => vec![RowPass { to: row(word, D), ..one(Pass::Constant) }],
        MaskOp::Join | MaskOp::Taken | MaskOp::Other => vec![merge(word, Pass::Join)],
    };
    passes.into_iter().map(Step::Pass).collect()
}

/// A step of a word of memory.
pub fn memory(word: Word, step: MemoryStep) -> Vec<Step> {
    let data = word.get(WIDTH) as u32 + 1;
    let send = |from: Option<u16>, count: u32| RowPass { from, count, ..one(Pass::Send) };
    let chosen = word.get(PREDICATE) != Predicate::Active.code();
    let pass = match step {
        MemoryStep::Launch => send(Some(LAUNCH_ROW as u16), 1),
        MemoryStep::Chooser => send(if chosen { row(word, E) } else { Some(ACTIVE_ROW as u16) }, 1),
        MemoryStep::Address => send(row(word, A), word.get(WIDTH_A) as u32 + 1),
        MemoryStep::Data => send(row(word, B), data),
        MemoryStep::Second => send(row(word, S), data),
        MemoryStep::Result => RowPass { to: row(word, D), count: data, ..one(Pass::Merge) },
        MemoryStep::End => return vec![],
    };
    vec![Step::Pass(pass)]
}
