//! Where operands lie: anywhere they fit, often sharing rows as far as the operation's table allows it.

use rand::Rng;
use rand::seq::SliceRandom;

use crate::isa::Command;
use crate::isa::operation::{Operation, Role};
use crate::isa::row::Operand;
use crate::params::Params;

/// Sets the first row of an operand.
pub fn set_row(command: &mut Command, operand: Operand, row: u16) {
    let field = match operand {
        Operand::A => &mut command.a,
        Operand::B => &mut command.b,
        Operand::D => &mut command.d,
        Operand::E => &mut command.e,
        Operand::S => &mut command.s,
    };
    *field = row;
}

/// Rows of each operand.
pub fn lengths(command: &Command, operation: &Operation) -> Vec<(Operand, Role, u16)> {
    let (n, m) = (command.width.into(), command.second.into());
    operation.extents.iter().map(|e| (e.operand, e.role, e.rows.value(n, m).max(0) as u16)).collect()
}

/// Places operands at random; false if they do not fit. What the operation does not use takes any value.
pub fn place(rng: &mut impl Rng, params: &Params, operation: &Operation, command: &mut Command) -> bool {
    let rows = params.rows as u16;
    for operand in Operand::ALL {
        set_row(command, operand, rng.random_range(0..1024));
    }
    if !operation.has_second() {
        command.second = rng.random_range(0..128);
    }
    let mut extents = lengths(command, operation);
    let total: u16 = extents.iter().map(|e| e.2).sum();
    for _ in 0..8 {
        extents.shuffle(rng);
        let mut next = 0;
        let mut slack = rows.saturating_sub(total);
        for &(operand, _, length) in &extents {
            let gap = if rng.random_range(0..3) == 0 { 0 } else { rng.random_range(0..=slack) };
            slack -= gap;
            set_row(command, operand, next + gap);
            next += gap + length;
        }
        if rng.random_range(0..3) > 0 || total > rows {
            share(rng, operation, &extents, command);
        }
        if command.check(params).is_ok() {
            return true;
        }
    }
    false
}

/// Puts an operand onto another, where that may be allowed.
fn share(rng: &mut impl Rng, operation: &Operation, extents: &[(Operand, Role, u16)], command: &mut Command) {
    for _ in 0..rng.random_range(1..3) {
        let pick = |rng: &mut dyn rand::RngCore| extents[rng.random_range(0..extents.len())];
        let (one, other) = (pick(rng), pick(rng));
        let both_read = one.1 == Role::Source && other.1 == Role::Source;
        let rule =
            operation.disjoint.iter().find(|d| [(d.first, d.second), (d.second, d.first)].contains(&(one.0, other.0)));
        let at = command.row(other.0);
        match rule {
            Some(rule) if rule.same_start => set_row(command, one.0, at),
            None if both_read => {
                let offset = rng.random_range(0..=other.2);
                set_row(command, one.0, at + offset);
            }
            None => set_row(command, one.0, at),
            _ => {}
        }
    }
}
