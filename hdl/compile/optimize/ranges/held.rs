//! Which accesses may keep threads in loops, if their addresses are wrong.

use super::base;
use super::nodes::Nodes;
use super::sources::written;
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;

/// Accesses that may read what keeps a loop going, if their addresses are wrong.
pub(super) fn held(kernel: &Kernel, found: &Nodes) -> Vec<bool> {
    let sites = kernel.body.iter().zip(&found.last).filter(|one| one.1.is_some());
    let mut bases: Vec<RegisterId> = sites.filter_map(|(it, _)| base(kernel, it)).map(|base| base.0).collect();
    bases.sort_unstable_by_key(|base| base.0);
    bases.dedup();
    let guards = leaving(kernel);
    bases.retain(|base| {
        let read = if guards.is_empty() { Vec::new() } else { read_at(kernel, found, *base) };
        guards.iter().any(|guard| read[guard.0 as usize])
    });
    let holds = |it: &Instruction| base(kernel, it).is_some_and(|base| bases.contains(&base.0));
    kernel.body.iter().zip(&found.last).map(|(it, last)| last.is_some() && holds(it)).collect()
}

/// Predicates by which threads leave loops, or stay in them.
fn leaving(kernel: &Kernel) -> Vec<RegisterId> {
    let mut found = Vec::new();
    for (end, it) in kernel.body.iter().enumerate() {
        let Some(begin) = it.target().map(|label| kernel.labels[label].1).filter(|begin| *begin <= end) else {
            continue;
        };
        let leaves = |it: &&Instruction| {
            let outside = it.target().is_none_or(|label| !(begin + 1..=end).contains(&kernel.labels[label].1));
            !it.goes_on() && outside
        };
        let guards = kernel.body[begin..=end].iter().filter(leaves).filter_map(|it| it.guard);
        found.extend(guards.map(|guard| guard.register));
    }
    found.sort_unstable_by_key(|register| register.0);
    found.dedup();
    found
}

/// What comes of accesses at an address, and at those that are made of it.
fn read_at(kernel: &Kernel, found: &Nodes, address: RegisterId) -> Vec<bool> {
    let mut doubtful = vec![false; kernel.registers.len()];
    doubtful[address.0 as usize] = true;
    let mut read = vec![false; kernel.registers.len()];
    let mut changed = true;
    // What it is a number away from is as wrong.
    while changed {
        changed = false;
        let sums = |it: &&Instruction| matches!(it.opcode, Opcode::Mov | Opcode::Add | Opcode::Sub | Opcode::Cvta);
        for it in kernel.body.iter().filter(sums) {
            let made = written(&found.flow, it).is_some_and(|own| doubtful[own.0 as usize]);
            let from: Vec<RegisterId> = it.operands[1..].iter().flat_map(Operand::registers).collect();
            if let ([from], true) = (&from[..], made) {
                changed |= !std::mem::replace(&mut doubtful[from.0 as usize], true);
            }
        }
    }
    changed = true;
    while changed {
        changed = false;
        for it in &kernel.body {
            let any = |of: &[bool]| it.reads().iter().any(|one| of[one.0 as usize]);
            let at = base(kernel, it).is_some_and(|base| doubtful[base.0.0 as usize]);
            let (reads, makes) = (at || any(&read), written(&found.flow, it).filter(|_| any(&doubtful)));
            let mut mark = |of: &mut [bool], register: RegisterId| {
                changed |= !std::mem::replace(&mut of[register.0 as usize], true);
            };
            makes.into_iter().for_each(|register| mark(&mut doubtful, register));
            it.writes().into_iter().filter(|_| reads).for_each(|register| mark(&mut read, register));
        }
    }
    read
}
