//! Copies of a register that has just been set to a number become that number. clang sets one of several sums to zero
//! and copies it to the others; a counter among them would depend on the sum from then on, and be no scalar register.

use std::collections::{HashMap, HashSet};

use crate::ptx::ast::{Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;

/// Puts numbers in place of copies, in each piece without labels.
pub fn run(kernel: &mut Kernel) {
    let labels: HashSet<usize> = kernel.labels.iter().map(|label| label.1).collect();
    let mut known: HashMap<RegisterId, (u32, u64)> = HashMap::new();
    for (at, it) in kernel.body.iter_mut().enumerate() {
        if labels.contains(&at) {
            known.clear();
        }
        let bits = it.types.first().map_or(0, |ty| ty.bits());
        let copies = it.opcode == Opcode::Mov;
        if let (true, [_, from @ Operand::Register(_)]) = (copies, it.operands.as_mut_slice())
            && let Operand::Register(register) = from
            && let Some(&(_, number)) = known.get(register).filter(|one| one.0 == bits)
        {
            *from = Operand::Immediate(number);
        }
        for register in it.writes() {
            known.remove(&register);
        }
        if let (true, None, [Operand::Register(to), Operand::Immediate(number)]) = (copies, &it.guard, &it.operands[..])
        {
            known.insert(*to, (bits, *number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    #[test]
    fn copies_of_numbers_are_numbers() {
        let text = ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k() { .reg .pred %p<2>; \
                    .reg .b32 %r<9>; .reg .f32 %f<2>; mov.b32 %r0, 7; mov.u32 %r1, %r0; mov.b32 %f0, %r0; \
                    add.s32 %r0, %r0, 1; mov.u32 %r2, %r0; mov.u32 %r3, %r1; setp.eq.s32 %p0, %r0, 1; \
                    @%p0 mov.u32 %r1, 8; mov.u32 %r4, %r1; mov.u32 %r5, %r3;\nA: mov.u32 %r6, %r3; ret; }";
        let mut kernel = parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}")).kernels.remove(0);
        run(&mut kernel);
        let moves = kernel.body.iter().filter(|it| it.opcode == Opcode::Mov);
        let numbers = moves.map(|it| if let Operand::Immediate(number) = it.operands[1] { Some(number) } else { None });
        // The register itself, its copies; not behind a sum, a copy that only some threads make, or a label.
        let expected = [Some(7), Some(7), Some(7), None, Some(7), Some(8), None, Some(7), None];
        assert_eq!(numbers.collect::<Vec<_>>(), expected);
    }
}
