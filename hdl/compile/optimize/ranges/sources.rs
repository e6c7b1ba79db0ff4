//! Which registers addresses are made of.

use super::{base, whole};
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};
use crate::ptx::lower::Lower;
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Word};

/// Registers that an instruction makes an address of, if it does so from other addresses and offsets.
pub(super) fn sources(kernel: &Kernel, it: &Instruction) -> Vec<RegisterId> {
    let plain = !it.words.has(Word::Hi) && !it.words.has(Word::Sat) && !it.words.has(Word::Cc);
    let wide = it.types.first().is_some_and(|ty| whole(*ty));
    let from = match it.opcode {
        Opcode::Mov | Opcode::Cvta | Opcode::Add | Opcode::Sub | Opcode::Shl | Opcode::Mul if wide => 1,
        // What leaves no more than lower bits has nothing of the upper ones.
        Opcode::And if wide && matches!(it.operands[2], Operand::Immediate(bits) if (bits as i64) < 0) => 1,
        Opcode::Selp | Opcode::Mad if wide => 1,
        Opcode::Cvt if wide && it.types.get(1).is_some_and(|ty| whole(*ty)) => 1,
        // What is added to a product of 32-bit numbers.
        Opcode::Mad if it.words.has(Word::Wide) => 3,
        _ => return Vec::new(),
    };
    let own = |operand: &Operand| match operand {
        Operand::Register(register) if whole(kernel.registers[register.0 as usize].ty) => Some(*register),
        _ => None,
    };
    it.operands.get(from..).filter(|_| plain).unwrap_or_default().iter().filter_map(own).collect()
}

/// The register that it writes, if that is an address or part of one.
pub(super) fn written(flow: &[bool], it: &Instruction) -> Option<RegisterId> {
    match it.operands.first() {
        Some(Operand::Register(register)) if it.results == 1 && flow[register.0 as usize] => Some(*register),
        _ => None,
    }
}

/// Which registers addresses are made of, and what they are in them.
pub(super) fn flow(kernel: &Kernel) -> (Vec<bool>, Vec<Lower>) {
    let mut flow = vec![false; kernel.registers.len()];
    let mut kinds = vec![Lower::Factor; flow.len()];
    for (register, _) in kernel.body.iter().filter_map(|it| base(kernel, it)) {
        (flow[register.0 as usize], kinds[register.0 as usize]) = (true, Lower::Offset);
    }
    loop {
        let before = (flow.clone(), kinds.clone());
        for it in &kernel.body {
            let Some(written) = written(&flow, it) else { continue };
            let scales = matches!(it.opcode, Opcode::Shl | Opcode::Mul);
            for register in sources(kernel, it) {
                flow[register.0 as usize] = true;
                if !scales && kinds[written.0 as usize] == Lower::Offset {
                    kinds[register.0 as usize] = Lower::Offset;
                }
            }
        }
        if before == (flow.clone(), kinds.clone()) {
            break;
        }
    }
    // What nothing else reads than `cvta` is what that says.
    let casts =
        |it: &Instruction| it.opcode == Opcode::Cvta && it.space == Some(Space::Global) && it.words.has(Word::To);
    let mut pointers = vec![false; flow.len()];
    kernel
        .body
        .iter()
        .filter(|it| casts(it))
        .flat_map(Instruction::reads)
        .for_each(|one| pointers[one.0 as usize] = true);
    let others = kernel.body.iter().filter(|it| !casts(it)).flat_map(Instruction::reads);
    others.for_each(|one| pointers[one.0 as usize] = false);
    kinds.iter_mut().zip(pointers).filter(|one| one.1).for_each(|(kind, _)| *kind = Lower::Pointer);
    (flow, kinds)
}

/// Whether an instruction gives what one of its operands is.
pub(super) fn copies(it: &Instruction) -> bool {
    matches!(it.opcode, Opcode::Mov | Opcode::Cvta | Opcode::Selp | Opcode::Cvt)
}

/// Registers of which nothing is made but addresses of accesses, so that they are not negative where all is right.
pub(super) fn final_ones(kernel: &Kernel, flow: &[bool]) -> Vec<bool> {
    let mut found = vec![false; flow.len()];
    let near = |base: (RegisterId, i64)| (i128::from(base.1).abs() < super::MARGIN).then_some(base.0);
    kernel.body.iter().filter_map(|it| base(kernel, it)).filter_map(near).for_each(|one| found[one.0 as usize] = true);
    let parts = || kernel.body.iter().filter_map(|it| Some((written(flow, it)?, it)));
    loop {
        let before = found.clone();
        for (to, it) in parts().filter(|(_, it)| copies(it)) {
            sources(kernel, it)
                .into_iter()
                .filter(|_| before[to.0 as usize])
                .for_each(|one| found[one.0 as usize] = true);
        }
        if before == found {
            break;
        }
    }
    // Nor is anything made of them on the way to others.
    loop {
        let before = found.clone();
        for (to, it) in parts() {
            let goes_on = !copies(it) || !before[to.0 as usize];
            sources(kernel, it).into_iter().filter(|_| goes_on).for_each(|one| found[one.0 as usize] = false);
        }
        if before == found {
            return found;
        }
    }
}
