//! Which registers addresses are made of.

use super::{base, whole};
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};
use crate::ptx::lower::Lower;
use crate::ptx::table::Opcode;
use crate::ptx::types::Word;

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

/// Which registers addresses are made of, and what they are taken for if they are parameters: addresses if they are
/// added to others as they are.
pub(super) fn flow(kernel: &Kernel) -> (Vec<bool>, Vec<Lower>) {
    let mut flow = vec![false; kernel.registers.len()];
    kernel.body.iter().filter_map(|it| base(kernel, it)).for_each(|base| flow[base.0.0 as usize] = true);
    let mut added = flow.clone();
    loop {
        let before = (flow.clone(), added.clone());
        for it in &kernel.body {
            let Some(written) = written(&before.0, it) else { continue };
            let scales = matches!(it.opcode, Opcode::Shl | Opcode::Mul);
            for register in sources(kernel, it) {
                flow[register.0 as usize] = true;
                added[register.0 as usize] |= !scales && before.1[written.0 as usize];
            }
        }
        if before == (flow.clone(), added.clone()) {
            break;
        }
    }
    let kinds = added.into_iter().map(|added| if added { Lower::Pointer } else { Lower::Number }).collect();
    (flow, kinds)
}
