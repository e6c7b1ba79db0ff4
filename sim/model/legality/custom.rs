//! Operations of the library's user: nothing is known of them but their description, so this is no second opinion on
//! it. An operand that is written while it is still needed shows in the results, against the operation's arithmetic.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::{Region, Sharing, Use};
use bitline_units::array::isa::Command;
use bitline_units::array::isa::operation::{Context, Operation, Role};
use bitline_units::array::isa::row::Operand;
use bitline_units::array::params::{Latch, Params};

/// The description; none of operations that the design does not have.
fn described(command: &Command, params: &Params) -> Option<Arc<Operation>> {
    let there = params.knows(command.opcode) && params.sets.contains(&command.set);
    there.then(|| Operation::of(command.opcode, Context::of(params, command.set)))
}

/// An operand's name.
fn letter(operand: Operand) -> char {
    operand.name().chars().next().expect("operands have names")
}

/// Rows of every operand.
pub(super) fn regions(command: &Command, params: &Params) -> Vec<Region> {
    let Some(operation) = described(command, params) else { return Vec::new() };
    let regions = operation.extents.iter().map(|extent| {
        let first = u32::from(command.row(extent.operand));
        let rows = extent.rows.value(command.width.into(), command.second.into()).max(0) as u32;
        let used = match extent.role {
            Role::Source => Use::Read,
            Role::Result => Use::Written,
            Role::Accumulator => Use::Updated,
            Role::Scratch => Use::Scratch,
        };
        Region { operand: letter(extent.operand), rows: first..first + rows, used }
    });
    regions.filter(|region| !region.rows.is_empty()).collect()
}

/// What its rules say of two operands.
pub(super) fn sharing(command: &Command, params: &Params, one: &Region, other: &Region) -> Sharing {
    let operation = described(command, params);
    let rules = operation.iter().flat_map(|operation| &operation.disjoint);
    let pair = [one.operand, other.operand];
    let mut about = rules.filter(|rule| pair.contains(&letter(rule.first)) && pair.contains(&letter(rule.second)));
    match about.next() {
        Some(rule) if rule.same_start => Sharing::SameStart,
        Some(_) => Sharing::Never,
        None => Sharing::Free,
    }
}

/// Its widths; powers of two alone if the second part says so.
pub(super) fn widths(command: &Command, params: &Params) -> (RangeInclusive<u32>, bool) {
    match described(command, params) {
        Some(operation) => (operation.widths.0.into()..=operation.widths.1.into(), operation.power_of_two),
        None => (1..=64, false),
    }
}

/// Its second widths.
pub(super) fn seconds(command: &Command, params: &Params) -> Option<RangeInclusive<u32>> {
    let (low, high) = described(command, params)?.seconds(command.width)?;
    Some(low.max(0) as u32..=high.max(0) as u32)
}

/// Latches that it needs.
pub(super) fn latches(command: &Command, params: &Params) -> Vec<Latch> {
    described(command, params).map_or(Vec::new(), |operation| operation.latches().to_vec())
}
