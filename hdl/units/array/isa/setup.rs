//! Setup words: what a command is checked against, and how its base rows and loop counts follow from its fields.
//!
//! A word of the directory ([`crate::array::isa::word::entry`]), by set and opcode, jumps to the operation's words:
//! width requirements, operand extents, overlaps, then for each variant of the micro-program its guards and values. A
//! [`SetupKind::Start`] word starts it.

use crate::array::isa::assemble::Assembled;
use crate::array::isa::command::ErrorCode;
use crate::array::isa::format::Format;
use crate::array::isa::linear::{Linear, N, Term};
use crate::array::isa::operation::{Condition, Operation};
use crate::array::isa::row::Operand;
use crate::array::isa::rows::{LONGEST, Rows};
use crate::array::isa::word::{
    Destination, MODE_TERM, START_CARRY, START_KEEP_TAG, START_SCAN, SetupKind, Test, setup,
};

/// A setup word before targets are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// What it does.
    pub kind: SetupKind,
    /// Operand whose first row enters the value.
    pub operand: Option<Operand>,
    /// The value.
    pub value: Linear,
    /// The mode is added to it.
    pub mode: bool,
    /// Destination, second operand, error code or start flags.
    pub to: u64,
    /// Test, or "same start allowed".
    pub test: u64,
    /// Target address.
    pub target: usize,
}

impl Step {
    fn new(kind: SetupKind) -> Step {
        Step { kind, operand: None, value: Linear::default(), mode: false, to: 0, test: 0, target: 0 }
    }

    /// A jump.
    pub fn jump(target: usize) -> Step {
        Step { target, ..Step::new(SetupKind::Jump) }
    }

    /// Refuses the command unless the test holds.
    pub fn require(value: Linear, test: Test, code: ErrorCode) -> Step {
        Step { value, to: code.code(), test: test as u64, ..Step::new(SetupKind::Require) }
    }

    fn value(operand: Option<Operand>, value: Linear, to: u64) -> Step {
        Step { operand, value, to, ..Step::new(SetupKind::Value) }
    }

    /// The encoding.
    pub fn encode(&self) -> u128 {
        let twos = |value: i64, bits: usize| (value as u64) & ((1 << bits) - 1);
        let range = |value: i64, bits: usize| (-(1i64 << (bits - 1))..1 << (bits - 1)).contains(&value);
        assert!((-2..=3).contains(&self.value.n), "coefficient of {} too large", self.value);
        assert!(range(self.value.constant.into(), setup::CONSTANT_BITS), "constant of {} too large", self.value);
        let mut bits = 0;
        setup::KIND.set(&mut bits, self.kind as u64);
        setup::OPERAND.set(&mut bits, self.operand.map_or(0, |o| o as u64));
        setup::N.set(&mut bits, twos(self.value.n.into(), setup::N_BITS));
        setup::TERM.set(&mut bits, if self.mode { MODE_TERM } else { self.value.term as u64 });
        setup::CONSTANT.set(&mut bits, twos(self.value.constant.into(), setup::CONSTANT_BITS));
        setup::SHIFT.set(&mut bits, self.value.shift.into());
        setup::TO.set(&mut bits, self.to);
        setup::TEST.set(&mut bits, self.test);
        setup::TARGET.set(&mut bits, self.target as u64);
        bits
    }
}

/// The words of one operation, to be placed at `origin`; `entries` are the micro-programs' addresses, one for each
/// variant.
pub fn steps(operation: &Operation, variants: &[Assembled], entries: &[usize], origin: usize) -> Vec<Step> {
    let mut steps = requirements(operation);
    if operation.formats {
        formats(operation, origin, &mut steps);
    }
    for extent in &operation.extents {
        if let Rows::Integers { longest, others } = extent.rows {
            steps.push(rows_of(extent.operand, Linear::constant(others.into())));
            // The last word that says it counts.
            steps.push(guard(Condition::Zero(N - LONGEST), origin + steps.len() + 2));
            steps.push(rows_of(extent.operand, Linear::constant(longest.into())));
        }
        let Some(rows) = extent.rows.linear() else { continue };
        // A halved value would halve the operand's first row with it.
        assert_eq!(rows.shift, 0, "{}: rows of {:?}", operation.opcode, extent.operand);
        steps.push(rows_of(extent.operand, rows));
    }
    if !operation.disjoint.is_empty() {
        // A word reads the operands' ends two cycles before the word ahead of it acts: two more have to stand between
        // the last extent and the first overlap test. These always hold.
        steps.extend(std::iter::repeat_n(Step::require(Linear::constant(0), Test::Zero, ErrorCode::Width), 2));
    }
    for rule in &operation.disjoint {
        steps.push(Step {
            operand: Some(rule.first),
            to: rule.second as u64,
            test: rule.same_start.into(),
            ..Step::new(SetupKind::Disjoint)
        });
    }
    let any_width = operation.variants.last().is_some_and(|last| last.when.is_empty());
    if operation.power_of_two && any_width {
        powers_of_two(operation, origin, &mut steps);
    }
    for (variant, (assembled, &entry)) in operation.variants.iter().zip(variants.iter().zip(entries)) {
        let body = values(assembled, entry);
        let next = origin + steps.len() + variant.when.len() + body.len();
        steps.extend(variant.when.iter().map(|&condition| guard(condition, next)));
        steps.extend(body);
    }
    // No variant applies: the width is not one that the operation has a program for.
    if !any_width {
        steps.push(Step::require(Linear::constant(0), Test::Never, ErrorCode::Width));
    }
    steps
}

/// Width rules beyond 1 ≤ n ≤ 64, which the hardware checks for every command.
fn requirements(operation: &Operation) -> Vec<Step> {
    let mut steps = Vec::new();
    let (low, high) = operation.widths;
    if low > 1 {
        steps.push(Step::require(N - i16::from(low), Test::AtLeastZero, ErrorCode::Width));
    }
    if high < 64 {
        steps.push(Step::require(N.negated() + i16::from(high), Test::AtLeastZero, ErrorCode::Width));
    }
    if let Some((low, high)) = operation.second {
        // m − low and high − m: bounds may be multiples of n.
        assert!(low.term == Term::None && high.term == Term::None, "a bound of m that depends on m");
        let above = Linear { n: -low.n, term: Term::M, constant: -low.constant, shift: 0 };
        let below = Linear { n: high.n, term: Term::MinusM, constant: high.constant, shift: 0 };
        steps.push(Step::require(above, Test::AtLeastZero, ErrorCode::SecondWidth));
        steps.push(Step::require(below, Test::AtLeastZero, ErrorCode::SecondWidth));
    }
    steps
}

/// Goes on only at widths that are powers of two: no test tells them, so the width is compared with each.
fn powers_of_two(operation: &Operation, origin: usize, steps: &mut Vec<Step>) {
    let (low, high) = (operation.widths.0, operation.widths.1.min(operation.largest));
    let powers: Vec<u8> = (0..7).rev().map(|k| 1 << k).filter(|power| (low..=high).contains(power)).collect();
    let body = origin + steps.len() + 2 * powers.len() + 1;
    for power in powers {
        let next = origin + steps.len() + 2;
        steps.push(guard(Condition::Zero(N - i16::from(power)), next));
        steps.push(Step::jump(body));
    }
    steps.push(Step::require(Linear::constant(0), Test::Never, ErrorCode::Width));
}

/// So many rows belong to an operand.
fn rows_of(operand: Operand, rows: Linear) -> Step {
    Step { operand: Some(operand), value: rows, ..Step::new(SetupKind::Extent) }
}

/// Goes on only with the two widths of one of the operation's formats, and says how many rows its operands have where
/// that is said of each. Of one format alone the first width's bounds are its width.
fn formats(operation: &Operation, origin: usize, steps: &mut Vec<Step>) {
    let own: Vec<Format> = operation.own_formats().collect();
    let known = |format: &Format| {
        let exponent = Linear { term: Term::M, ..Linear::constant(-i16::from(format.m())) };
        let mut known = vec![Step::require(exponent, Test::Zero, ErrorCode::SecondWidth)];
        for extent in &operation.extents {
            let rows = extent.rows.of_format(*format);
            // More than a constant is n and the rest.
            let linear =
                |rows: i16| if rows < 128 { Linear::constant(rows) } else { N + (rows - i16::from(format.n())) };
            known.extend(rows.map(|rows| rows_of(extent.operand, linear(rows as i16))));
        }
        known
    };
    if let [format] = &own[..] {
        steps.extend(known(format));
        return;
    }
    let each = own.iter().map(known).collect::<Vec<_>>();
    let body = origin + steps.len() + each.iter().map(|known| known.len() + 2).sum::<usize>() + 1;
    for (format, known) in own.iter().zip(each) {
        let next = origin + steps.len() + known.len() + 2;
        steps.push(guard(Condition::Zero(N - i16::from(format.n())), next));
        steps.extend(known);
        steps.push(Step::jump(body));
    }
    steps.push(Step::require(Linear::constant(0), Test::Never, ErrorCode::Width));
}

fn guard(condition: Condition, target: usize) -> Step {
    let on_value = |value, test: Test| Step { value, test: test as u64, target, ..Step::new(SetupKind::Guard) };
    match condition {
        Condition::Zero(value) => on_value(value, Test::Zero),
        Condition::AtLeastZero(value) => on_value(value, Test::AtLeastZero),
        Condition::Even(value) => on_value(value, Test::Even),
        Condition::Mode(mode) => Step { mode: true, ..on_value(Linear::constant(-(mode.key() as i16)), Test::Zero) },
        Condition::Same(first, second) => {
            Step { operand: Some(first), to: second as u64, target, ..Step::new(SetupKind::GuardSame) }
        }
    }
}

/// Base registers, counts and initial values, then the start.
fn values(assembled: &Assembled, entry: usize) -> Vec<Step> {
    let program = &assembled.program;
    let mut steps = Vec::new();
    for (slot, base) in (0..).zip(&assembled.bases).skip(Operand::ALL.len()) {
        assert_eq!(base.offset.shift, 0, "{}: an offset cannot be halved without its base", program.name);
        steps.push(Step::value(Some(base.operand), base.offset, slot));
    }
    for (slot, &count) in (0..).zip(&assembled.counts) {
        steps.push(Step::value(None, count, Destination::Count as u64 + slot));
    }
    let mut initial = |to: Destination, value: Linear, default: i16| {
        if value != Linear::constant(default) {
            steps.push(Step::value(None, value, to as u64));
        }
    };
    initial(Destination::X, assembled.first_x(), 1);
    initial(Destination::Y, assembled.first_y(), 1);
    initial(Destination::Z, program.z, 0);
    initial(Destination::I, program.i, 0);
    initial(Destination::Stride, program.stride, 1);
    initial(Destination::MinWidth, program.min_width, 0);
    initial(Destination::Stop, program.stop_if_zero, 1);
    if let Some(ones) = program.key_ones {
        steps.push(Step::value(None, ones, Destination::KeyOnes as u64));
    }
    let flags = [(program.carry, START_CARRY), (program.keep_tag, START_KEEP_TAG), (program.scan, START_SCAN)];
    let to = flags.iter().filter(|(set, _)| *set).map(|(_, bit)| bit).sum();
    steps.push(Step { to, target: entry, ..Step::new(SetupKind::Start) });
    steps
}
