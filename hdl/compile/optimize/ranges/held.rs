//! Which accesses may keep threads in loops, if their addresses are wrong: those whose address, or what is read there,
//! says when a loop ends, and those that write, where something read from memory does.

use super::base;
use super::nodes::Nodes;
use super::sources::written;
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::Space;

/// Accesses that may keep a loop going, if their addresses are wrong.
pub(super) fn held(kernel: &Kernel, found: &Nodes) -> Vec<bool> {
    let sites = kernel.body.iter().zip(&found.last).filter(|one| one.1.is_some());
    let mut bases: Vec<RegisterId> = sites.filter_map(|(it, _)| base(kernel, it)).map(|base| base.0).collect();
    bases.sort_unstable_by_key(|base| base.0);
    bases.dedup();
    let guards = leaving(kernel);
    if guards.is_empty() {
        return vec![false; kernel.body.len()];
    }
    let any = |hangs: &[bool]| guards.iter().any(|guard| hangs[guard.0 as usize]);
    bases.retain(|base| any(&hanging(kernel, found, Some(*base))));
    let memory = any(&hanging(kernel, found, None));
    let writes = |it: &Instruction| memory && matches!(it.opcode, Opcode::St | Opcode::Atom | Opcode::Red);
    let holds = |it: &Instruction| base(kernel, it).is_some_and(|base| bases.contains(&base.0)) || writes(it);
    kernel.body.iter().zip(&found.last).map(|(it, last)| last.is_some() && holds(it)).collect()
}

/// Predicates by which threads leave loops, or stay in them, and those that branches in loops have if what a loop ends
/// by hangs on the way that they take.
fn leaving(kernel: &Kernel) -> Vec<RegisterId> {
    let mut found = Vec::new();
    for (end, it) in kernel.body.iter().enumerate() {
        let Some(begin) = it.target().map(|label| kernel.labels[label].1).filter(|begin| *begin <= end) else {
            continue;
        };
        let turn = &kernel.body[begin..=end];
        let to = |it: &Instruction| it.target().map(|label| kernel.labels[label].1);
        let inside = |it: &&Instruction| to(it).is_some_and(|to| (begin + 1..=end).contains(&to));
        let jumps = || turn.iter().filter(|it| !it.goes_on());
        let own: Vec<RegisterId> = jumps().filter(|it| !inside(it)).filter_map(|it| Some(it.guard?.register)).collect();
        if jumps().any(|it| !inside(&it) && it.guard.is_none() && to(it) != Some(begin))
            || chosen(kernel, (begin, end), &own)
        {
            found.extend(jumps().filter_map(|it| Some(it.guard?.register)));
        }
        found.extend(own);
    }
    found.sort_unstable_by_key(|register| register.0);
    found.dedup();
    found
}

/// Whether a turn of a loop may pass by one of the instructions that make these registers in it.
fn chosen(kernel: &Kernel, (begin, end): (usize, usize), registers: &[RegisterId]) -> bool {
    let mut open = registers.to_vec();
    let mut seen = Vec::new();
    while let Some(register) = open.pop() {
        if seen.contains(&register) {
            continue;
        }
        seen.push(register);
        for at in (begin..=end).filter(|at| kernel.body[*at].writes().contains(&register)) {
            if passes_by(kernel, (begin, end), at) {
                return true;
            }
            open.extend(kernel.body[at].reads());
        }
    }
    false
}

/// Whether a way leads from the beginning of a loop to its end without one of its instructions.
fn passes_by(kernel: &Kernel, (begin, end): (usize, usize), without: usize) -> bool {
    let mut seen = vec![false; end + 1 - begin];
    let mut open = vec![begin];
    while let Some(at) = open.pop() {
        if !(begin..=end).contains(&at) || at == without || std::mem::replace(&mut seen[at - begin], true) {
            continue;
        }
        let it = &kernel.body[at];
        open.extend(it.target().map(|label| kernel.labels[label].1));
        if it.goes_on() || it.guard.is_some() {
            open.push(at + 1);
        }
    }
    seen[end - begin]
}

/// What is computed from an address, from those that it is a number away from, and from what is read there; without an
/// address, from all of memory that others may write.
fn hanging(kernel: &Kernel, found: &Nodes, address: Option<RegisterId>) -> Vec<bool> {
    let mut hangs = vec![false; kernel.registers.len()];
    address.into_iter().for_each(|address| hangs[address.0 as usize] = true);
    let mut changed = true;
    // What it is a number away from is as wrong.
    while changed {
        changed = false;
        let sums = |it: &&Instruction| matches!(it.opcode, Opcode::Mov | Opcode::Add | Opcode::Sub | Opcode::Cvta);
        for it in kernel.body.iter().filter(sums) {
            let made = written(&found.flow, it).is_some_and(|own| hangs[own.0 as usize]);
            let from: Vec<RegisterId> = it.operands[1..].iter().flat_map(Operand::registers).collect();
            if let ([from], true) = (&from[..], made) {
                changed |= !std::mem::replace(&mut hangs[from.0 as usize], true);
            }
        }
    }
    let memory = |it: &Instruction| {
        let loads = matches!(it.opcode, Opcode::Ld | Opcode::Ldu | Opcode::Atom);
        loads && !matches!(it.space, Some(Space::Param | Space::Const))
    };
    changed = true;
    while changed {
        changed = false;
        for it in &kernel.body {
            if it.reads().iter().any(|one| hangs[one.0 as usize]) || address.is_none() && memory(it) {
                let writes = it.writes().into_iter();
                writes.for_each(|own| changed |= !std::mem::replace(&mut hangs[own.0 as usize], true));
            }
        }
    }
    hangs
}
