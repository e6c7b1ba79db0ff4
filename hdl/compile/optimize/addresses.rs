//! Sums that are nothing but addresses are left to the words of memory, which add a scalar register to rows themselves.
//!
//! A sum goes if one of its terms comes from parameters, constants and variables alone, the other does not, and nothing
//! reads the sum but addresses, at each of which the terms are still what they were: they are written once and in no
//! loop, or not between the sum and an access that nothing but the instructions between leads to.

use crate::ptx::ast::{Base, Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Word};

/// Where registers are written, and read.
pub(super) struct Places {
    writes: Vec<Vec<usize>>,
    /// Reads, and whether as an address of global or shared memory.
    reads: Vec<Vec<(usize, bool)>>,
    /// Instructions that are part of a loop, as far as the text says.
    loops: Vec<bool>,
    /// Instructions to which a jump leads.
    entered: Vec<bool>,
}

/// Takes sums into addresses.
pub fn run(kernel: &mut Kernel) {
    let places = Places::of(kernel);
    let sums: Vec<(RegisterId, RegisterId, RegisterId)> =
        (0..kernel.body.len()).filter_map(|at| places.sum(kernel, at)).collect();
    for (sum, x, y) in sums {
        for operand in kernel.body.iter_mut().flat_map(|it| &mut it.operands) {
            if let Operand::Memory { base, .. } = operand
                && *base == Base::Register(sum)
            {
                *base = Base::Sum(x, y);
            }
        }
    }
}

impl Places {
    pub(super) fn of(kernel: &Kernel) -> Places {
        let (registers, count) = (kernel.registers.len(), kernel.body.len());
        let (mut writes, mut reads) = (vec![Vec::new(); registers], vec![Vec::new(); registers]);
        let (mut loops, mut entered) = (vec![false; count], vec![false; count]);
        for (at, it) in kernel.body.iter().enumerate() {
            it.writes().iter().for_each(|register| writes[register.0 as usize].push(at));
            for operand in &it.operands[it.results..] {
                let address = matches!(operand, Operand::Memory { .. }) && accesses(it);
                operand.registers().iter().for_each(|register| reads[register.0 as usize].push((at, address)));
            }
            if let Some(guard) = it.guard {
                reads[guard.register.0 as usize].push((at, false));
            }
            for operand in &it.operands {
                if let Operand::Label(label) = operand {
                    let to = kernel.labels[*label].1;
                    if let Some(entered) = entered.get_mut(to) {
                        *entered = true;
                    }
                    (to..=at).for_each(|at| loops[at] = true);
                }
            }
        }
        Places { writes, reads, loops, entered }
    }

    pub(super) fn writes(&self, register: RegisterId) -> &[usize] {
        &self.writes[register.0 as usize]
    }

    /// Reads of a register, and whether as an address.
    pub(super) fn reads(&self, register: RegisterId) -> &[(usize, bool)] {
        &self.reads[register.0 as usize]
    }

    /// Whether a register has one value for all threads, as its only write says, which stands before this one.
    pub(super) fn common(&self, kernel: &Kernel, register: RegisterId, before: usize) -> bool {
        let [at] = *self.writes(register) else { return false };
        if at >= before {
            return false;
        }
        let it = &kernel.body[at];
        let of = |operand: &Operand| match operand {
            Operand::Register(register) => self.common(kernel, *register, at),
            Operand::Immediate(_) | Operand::Address(..) => true,
            _ => false,
        };
        it.guard.is_none()
            && match it.opcode {
                Opcode::Ld => it.space == Some(Space::Param),
                Opcode::Mov | Opcode::Cvta | Opcode::Add | Opcode::Sub => it.operands[1..].iter().all(of),
                _ => false,
            }
    }

    /// The sum that an instruction computes and that goes: its register, what all threads share, and the other term.
    fn sum(&self, kernel: &Kernel, at: usize) -> Option<(RegisterId, RegisterId, RegisterId)> {
        let it = &kernel.body[at];
        let plain = ![Word::Sat, Word::Cc].iter().any(|word| it.words.has(*word));
        let [Operand::Register(sum), Operand::Register(x), Operand::Register(y)] = it.operands[..] else { return None };
        if it.opcode != Opcode::Add || it.ty().bits() != 32 || it.ty().is_float() || !plain || it.guard.is_some() {
            return None;
        }
        let (base, index) = match [x, y].map(|term| self.common(kernel, term, at)) {
            [true, false] => (x, y),
            [false, true] => (y, x),
            _ => return None,
        };
        let reads = &self.reads[sum.0 as usize];
        let once = self.writes(sum).len() == 1 && index != sum && !reads.is_empty();
        let there = |term: RegisterId, read: usize| self.stays(term) || self.keeps(term, at, read);
        // Of a vector the first part must not be the address of the second.
        let apart = |read: usize| !kernel.body[read].writes().iter().any(|own| *own == base || *own == index);
        let good = |&(read, address): &(usize, bool)| address && there(base, read) && there(index, read) && apart(read);
        (once && reads.iter().all(good)).then_some((sum, base, index))
    }

    /// Whether a register is written once and in no loop: whoever reads it finds the same.
    pub(super) fn stays(&self, register: RegisterId) -> bool {
        matches!(self.writes(register), [at] if !self.loops[*at])
    }

    /// Whether an instruction is part of a loop, as far as the text says.
    pub(super) fn in_loop(&self, at: usize) -> bool {
        self.loops[at]
    }

    /// Whether who comes to `to` has come from `from`, which is before it, on the straight way.
    pub(super) fn straight(&self, from: usize, to: usize) -> bool {
        from < to && !self.entered[from + 1..=to].contains(&true)
    }

    /// Whether who comes to `to` has come from `from` on the straight way, on which the register is not written.
    pub(super) fn keeps(&self, register: RegisterId, from: usize, to: usize) -> bool {
        self.straight(from, to) && !self.writes(register).iter().any(|at| (from..to).contains(at))
    }
}

/// Whether an instruction's address is one of global, shared or constant memory.
fn accesses(it: &Instruction) -> bool {
    let memory = matches!(it.opcode, Opcode::Ld | Opcode::Ldu | Opcode::St | Opcode::Atom | Opcode::Red);
    memory && matches!(it.space, None | Some(Space::Global | Space::Shared | Space::Const))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    /// The accesses that add two registers, by their places in the text.
    fn added(body: &str) -> Vec<usize> {
        let text = format!(
            ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 p, .param .u32 q)\n\
             {{ .reg .pred %p<2>; .reg .b32 %r<19>;\nld.param.u32 %r1, [p]; mov.u32 %r2, %tid.x;\n{body}\nret; }}"
        );
        let mut kernel = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}")).kernels.remove(0);
        run(&mut kernel);
        let sums = |it: &Instruction| {
            it.operands.iter().any(|operand| matches!(operand, Operand::Memory { base: Base::Sum(..), .. }))
        };
        let own = kernel.body.iter().enumerate().filter(|(_, it)| sums(it));
        own.map(|(at, _)| at - 2).collect()
    }

    #[test]
    fn sums_of_parameters_and_others_go() {
        assert_eq!(added("add.s32 %r3, %r1, %r2; ld.global.u32 %r4, [%r3+4]; st.global.u32 [%r3], %r4;"), [1, 2]);
        // In a loop, as long as nothing comes between.
        assert_eq!(
            added(
                "A: add.s32 %r2, %r2, 4; add.s32 %r3, %r2, %r1; ld.global.u32 %r4, [%r3]; \
                 setp.lt.s32 %p1, %r4, 9; @%p1 bra A;"
            ),
            [2]
        );
        // Terms that stay, and an access in a loop.
        assert_eq!(
            added("add.s32 %r3, %r1, %r2; A: ld.global.u32 %r4, [%r3]; setp.lt.s32 %p1, %r4, 9; @%p1 bra A;"),
            [1]
        );
    }

    #[test]
    fn others_stay() {
        for body in [
            // Somebody else reads the sum.
            "add.s32 %r3, %r1, %r2; st.global.u32 [%r3], %r3;",
            "add.s32 %r3, %r1, %r2; ld.global.u32 %r4, [%r3]; setp.lt.s32 %p1, %r3, 9;",
            // A term changes before the access.
            "add.s32 %r3, %r1, %r2; add.s32 %r2, %r2, 4; ld.global.u32 %r4, [%r3];",
            "A: add.s32 %r3, %r1, %r2; ld.global.u32 %r4, [%r3+4]; add.s32 %r2, %r2, 4; st.global.u32 [%r3], %r4; \
             bra A;",
            // The access is reached from elsewhere, when the term has changed.
            "add.s32 %r3, %r1, %r2; A: ld.global.u32 %r4, [%r3]; add.s32 %r2, %r2, 4; bra A;",
            // Another write of the sum, one under a predicate, one that is its own term.
            "add.s32 %r3, %r1, %r2; @%p1 mov.u32 %r3, 5; ld.global.u32 %r4, [%r3];",
            "@%p1 add.s32 %r3, %r1, %r2; ld.global.u32 %r4, [%r3];",
            "A: add.s32 %r3, %r1, %r3; ld.global.u32 %r4, [%r3]; bra A;",
            // Both terms are the same for all threads, or neither.
            "ld.param.u32 %r5, [q]; add.s32 %r3, %r1, %r5; ld.global.u32 %r4, [%r3];",
            "add.s32 %r3, %r2, %r2; ld.global.u32 %r4, [%r3];",
        ] {
            assert_eq!(added(body), [0; 0], "{body}");
        }
    }
}
