//! What has happened on every way to an instruction since a register was last written, and what will.

use std::collections::HashSet;

use super::starts;
use crate::ptx::ast::{Kernel, RegisterId};
use crate::ptx::table::Opcode;

/// Instructions, with registers that have been looked at on every way there, in what they hold now.
pub(super) struct Seen(HashSet<(usize, RegisterId)>);

impl Seen {
    /// Of these registers, at instructions that `ask` for them; `looks` tells which an instruction looks at before it
    /// writes, `made` which are looked at when it has written them.
    pub(super) fn of(
        kernel: &Kernel,
        registers: &[RegisterId],
        looks: impl Fn(usize) -> Option<RegisterId>,
        made: impl Fn(usize) -> bool,
        asks: impl Fn(usize) -> Vec<RegisterId>,
    ) -> Seen {
        let mut numbers = vec![None; kernel.registers.len()];
        registers.iter().enumerate().for_each(|(number, register)| numbers[register.0 as usize] = Some(number));
        let number = |register: &RegisterId| numbers[register.0 as usize];
        let starts = starts(kernel);
        // At each beginning all, until a way there says otherwise.
        let mut held: Vec<Option<Vec<bool>>> = vec![None; kernel.body.len() + 1];
        held[0] = Some(vec![false; registers.len()]);
        let mut found = Seen(HashSet::new());
        for last in [false, true] {
            let mut changed = true;
            while changed {
                changed = false;
                let mut meet = |held: &mut [Option<Vec<bool>>], at: usize, now: &[bool]| match &mut held[at] {
                    Some(own) => {
                        for (own, now) in own.iter_mut().zip(now).filter(|(own, now)| **own && !**now) {
                            *own = *now;
                            changed = true;
                        }
                    }
                    none => {
                        *none = Some(now.to_vec());
                        changed = true;
                    }
                };
                let mut now: Option<Vec<bool>> = None;
                for (at, it) in kernel.body.iter().enumerate() {
                    if starts[at] {
                        if let Some(before) = &now {
                            meet(&mut held, at, before);
                        }
                        now.clone_from(&held[at]);
                    }
                    let Some(own) = &mut now else { continue };
                    if last {
                        let asked = asks(at).into_iter();
                        found
                            .0
                            .extend(asked.filter(|one| number(one).is_some_and(|one| own[one])).map(|one| (at, one)));
                    }
                    if let Some(one) = looks(at).filter(|_| it.guard.is_none()).as_ref().and_then(number) {
                        own[one] = true;
                    }
                    it.writes().iter().filter_map(number).for_each(|one| own[one] = made(at));
                    if let Some(label) = it.target() {
                        meet(&mut held, kernel.labels[label].1, own);
                    }
                    if !it.goes_on() && it.guard.is_none() {
                        now = None;
                    }
                }
            }
        }
        found
    }

    /// Whether a register has been looked at on every way to this instruction.
    pub(super) fn has(&self, at: usize, register: RegisterId) -> bool {
        self.0.contains(&(at, register))
    }
}

/// Instructions behind which every way looks at what they have written, before that is written again.
pub(super) fn looked_at(
    kernel: &Kernel,
    registers: &[RegisterId],
    looks: impl Fn(usize) -> Option<RegisterId>,
) -> Vec<bool> {
    let mut numbers = vec![None; kernel.registers.len()];
    registers.iter().enumerate().for_each(|(number, register)| numbers[register.0 as usize] = Some(number));
    let number = |register: &RegisterId| numbers[register.0 as usize];
    let count = kernel.body.len();
    let starts = starts(kernel);
    // Before each beginning all, until a way from there says otherwise.
    let mut held = vec![Vec::new(); count + 1];
    (0..=count).filter(|at| starts[*at]).for_each(|at| held[at] = vec![true; registers.len()]);
    held[count] = vec![false; registers.len()];
    let mut found = vec![false; count];
    let mut changed = true;
    while changed {
        changed = false;
        let mut now = held[count].clone();
        for (at, it) in kernel.body.iter().enumerate().rev() {
            let passed = it.guard.is_some();
            let to = it.target().map(|label| kernel.labels[label].1);
            if to.is_some() || it.ends() {
                let there = to.map_or(&held[count], |to| &held[to]);
                now = now.iter().zip(there).map(|(now, there)| *there && (*now || !passed)).collect();
            }
            // Who stops there comes to nothing else.
            if it.opcode == Opcode::Trap {
                now.iter_mut().for_each(|now| *now = false);
            }
            let own = it.writes();
            found[at] = !own.is_empty() && !passed && own.iter().all(|own| number(own).is_some_and(|own| now[own]));
            own.iter().filter_map(number).for_each(|own| now[own] = false);
            if let Some(one) = looks(at).filter(|_| !passed).as_ref().and_then(number) {
                now[one] = true;
            }
            if starts[at] && held[at] != now {
                held[at].clone_from(&now);
                changed = true;
            }
        }
    }
    found
}
