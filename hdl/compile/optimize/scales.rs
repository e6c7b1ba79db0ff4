//! Shifts that make addresses stand right before each access, where that is elsewhere than they are: a word of memory
//! shifts rows up by itself (`words/fold.rs` puts a shift into an access behind it on the straight way), and what stays
//! in rows is an index. Who reads nothing but copies needs the shift itself no longer.

use std::collections::BTreeMap;

use bitline_units::duality::isa::field::SCALE;

use super::addresses::Places;
use super::uniform::uniform;
use super::{fresh, rename, replaced};
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;

/// Puts shifts before accesses.
pub fn run(kernel: &mut Kernel) {
    let (places, uniform) = (Places::of(kernel), uniform(kernel));
    // In the order of the text: new registers are numbered, and programs must not depend on chance.
    let mut copies: BTreeMap<usize, Vec<(RegisterId, Instruction)>> = BTreeMap::new();
    for (at, it) in kernel.body.iter().enumerate() {
        let [Operand::Register(to), Operand::Register(base), Operand::Immediate(by)] = it.operands[..] else {
            continue;
        };
        let plain = it.opcode == Opcode::Shl && it.ty().bits() == 32 && it.guard.is_none();
        let scale = (1..=SCALE.most()).contains(&by);
        if !plain || !scale || to == base || uniform[base.0 as usize] || places.writes(to).len() != 1 {
            continue;
        }
        let there = |read: usize| places.stays(base) || places.keeps(base, at, read);
        let good = |&(read, address): &(usize, bool)| {
            address && read > at && there(read) && !kernel.body[read].writes().contains(&base)
        };
        if !places.reads(to).iter().all(good) {
            continue;
        }
        let near = |read: usize| places.straight(at, read) && kernel.body[at..read].iter().all(Instruction::goes_on);
        for &(read, _) in places.reads(to).iter().filter(|read| !near(read.0)) {
            copies.entry(read).or_default().push((to, it.clone()));
        }
    }
    for (read, shifts) in &mut copies {
        for (from, shift) in shifts {
            let own = fresh(kernel, kernel.registers[from.0 as usize].ty);
            shift.operands[0] = Operand::Register(own);
            kernel.body[*read].operands.iter_mut().for_each(|operand| rename(operand, *from, own));
        }
    }
    replaced(kernel, |at, it| {
        let shifts = copies.remove(&at).unwrap_or_default();
        shifts.into_iter().map(|(_, shift)| shift).chain([it]).collect()
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    /// Shifts right before accesses that read them, and those elsewhere.
    fn moved(body: &str) -> (usize, usize) {
        let text = format!(
            ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 p)\n\
             {{ .reg .pred %p<2>; .reg .b32 %r<19>;\nld.param.u32 %r1, [p]; mov.u32 %r2, %tid.x;\n{body}\nret; }}"
        );
        let mut kernel = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}")).kernels.remove(0);
        run(&mut kernel);
        let shifts = kernel.body.iter().enumerate().filter(|(_, it)| it.opcode == Opcode::Shl);
        let near = |&(at, it): &(usize, &Instruction)| {
            let reads = |operand: &Operand| {
                matches!(operand, Operand::Memory { .. }) && operand.registers().contains(&it.writes()[0])
            };
            kernel.body[at + 1].operands.iter().any(reads)
        };
        let (here, elsewhere): (Vec<_>, Vec<_>) = shifts.partition(near);
        (here.len(), elsewhere.len())
    }

    #[test]
    fn shifts_stand_before_accesses_of_other_blocks() {
        let behind = "@%p1 bra B; ld.global.u32 %r4, [%r3]; st.global.u32 [%r3+4], %r4;\nB:";
        assert_eq!(moved(&format!("shl.b32 %r3, %r2, 2; {behind}")), (2, 1));
        let around = "A: ld.global.u32 %r4, [%r3]; setp.lt.s32 %p1, %r4, 9; @%p1 bra A;";
        assert_eq!(moved(&format!("shl.b32 %r3, %r2, 3; {around}")), (1, 1));
        for stays in [
            // On the straight way, where others read it, by more than words of memory shift, of what counts.
            "shl.b32 %r3, %r2, 2; mov.u32 %r5, 1; ld.global.u32 %r4, [%r3];".to_string(),
            format!("shl.b32 %r3, %r2, 2; mov.u32 %r5, 1; mov.u32 %r6, %r3; {around}"),
            format!("shl.b32 %r3, %r2, 4; mov.u32 %r5, 1; {around}"),
            "A: shl.b32 %r3, %r2, 2; @%p1 bra B; add.s32 %r2, %r2, 1; ld.global.u32 %r4, [%r3]; bra A; B:".to_string(),
            format!("shl.b32 %r3, %r2, 2; @%p1 shl.b32 %r3, %r2, 1; mov.u32 %r5, 1; {around}"),
            // What is the same for all threads is shifted by the scalar unit.
            format!("shl.b32 %r3, %r1, 2; mov.u32 %r5, 1; {around}"),
        ] {
            assert_eq!(moved(&stays).0, 0, "{stays}");
        }
    }
}
