//! 64-bit integers of which nobody sees the upper half become 32-bit ones.
//!
//! The lower half of a sum, a product, a shift up or a logical operation depends on the lower halves of its operands
//! alone, and of an address words use the lower half. So a register stays wide only if some instruction reads its upper
//! half, or writes it from something whose lower half is not known by itself. That is asked for all registers at once:
//! all may be narrow until one cannot.

use super::{fresh, replaced};
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Class, Space, Type, Word};

/// What an instruction on 64-bit integers does with halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Halves {
    /// The lower half of its result is that of the same instruction on lower halves.
    Lower,
    /// Its operands have 32 bits, its result the lower half of what the instruction makes of them without `wide`.
    Widens,
    /// Its result has at most 32 bits, those of its operand's lower half.
    Takes,
    /// It is about all 64 bits.
    All,
}

fn whole(ty: Type) -> bool {
    ty.bits() == 64 && ty.class() != Class::Float
}

fn halves(it: &Instruction) -> Halves {
    if it.opcode == Opcode::Isspacep {
        return Halves::Takes;
    }
    let Some(&ty) = it.types.first() else { return Halves::All };
    let lower = whole(ty);
    let plain = !it.words.has(Word::Hi) && !it.words.has(Word::Wide) && !it.words.has(Word::Sat);
    match it.opcode {
        Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Mad if lower && plain => Halves::Lower,
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not | Opcode::Neg | Opcode::Shl | Opcode::Selp if lower => {
            Halves::Lower
        }
        Opcode::Cvta if lower => Halves::Lower,
        Opcode::Mov if lower && matches!(it.operands[1], Operand::Vector(_)) => match &it.operands[1] {
            Operand::Vector(parts) if parts.len() == 2 => Halves::Widens,
            _ => Halves::All,
        },
        Opcode::Mov if lower && !matches!(it.operands[0], Operand::Vector(_)) => Halves::Lower,
        Opcode::Ld if lower && !matches!(it.operands[0], Operand::Vector(_)) => match it.space {
            Some(Space::Param) => Halves::Lower,
            _ => Halves::All,
        },
        Opcode::Mul | Opcode::Mad if it.words.has(Word::Wide) && ty.bits() == 32 => Halves::Widens,
        Opcode::Cvt if !plain || it.types.iter().any(|ty| ty.is_float()) => Halves::All,
        Opcode::Cvt if lower && it.types[1].bits() <= 32 => Halves::Widens,
        Opcode::Cvt if lower => Halves::Lower,
        Opcode::Cvt if whole(it.types[1]) && ty.bits() <= 32 => Halves::Takes,
        _ => Halves::All,
    }
}

/// Registers of an operand, but not those of its address.
fn values(operand: &Operand) -> Vec<RegisterId> {
    match operand {
        Operand::Memory { .. } => Vec::new(),
        other => other.registers(),
    }
}

/// Narrows what can be.
pub fn run(kernel: &mut Kernel) {
    let mut narrow: Vec<bool> = kernel.registers.iter().map(|register| whole(register.ty)).collect();
    loop {
        let before = narrow.clone();
        for it in &kernel.body {
            let kind = halves(it);
            let own: Vec<usize> = it.writes().iter().map(|register| register.0 as usize).collect();
            let read: Vec<usize> =
                it.operands[it.results..].iter().flat_map(values).map(|one| one.0 as usize).collect();
            match kind {
                Halves::All => own.iter().chain(&read).for_each(|register| narrow[*register] = false),
                // A wide result takes all of its operands.
                Halves::Lower | Halves::Widens if own.iter().any(|register| !narrow[*register]) => {
                    read.iter().chain(&own).for_each(|register| narrow[*register] = false);
                }
                // Floating-point numbers whose bits are taken stay as they are, and nothing else is made of them.
                Halves::Lower if read.iter().any(|register| kernel.registers[*register].ty.is_float()) => {
                    own.iter().for_each(|register| narrow[*register] = false);
                }
                _ => {}
            }
        }
        if narrow == before {
            break;
        }
    }
    if !narrow.contains(&true) {
        return;
    }
    for (register, _) in kernel.registers.iter_mut().zip(&narrow).filter(|(_, narrow)| **narrow) {
        register.ty = half(register.ty);
    }
    let is = |register: &RegisterId| narrow.get(register.0 as usize).copied().unwrap_or(false);
    let mut halved = Vec::new();
    let written: Vec<bool> = kernel.body.iter().map(|it| it.writes().iter().any(is)).collect();
    let mut body = std::mem::take(&mut kernel.body);
    for (at, it) in body.iter_mut().enumerate() {
        let mut before = Vec::new();
        match halves(it) {
            Halves::Lower if written[at] => {
                // Of operands that stay wide the lower half.
                for index in it.results..it.operands.len() {
                    if let Operand::Register(register) = it.operands[index] {
                        let ty = kernel.registers[register.0 as usize].ty;
                        if whole(ty) {
                            let low = fresh(kernel, Type::B32);
                            before.push(lower_half(it, low, register));
                            it.operands[index] = Operand::Register(low);
                        }
                    }
                    if let (Operand::Immediate(bits), true) = (&mut it.operands[index], it.opcode != Opcode::Shl) {
                        *bits &= u64::from(u32::MAX);
                    }
                }
                it.types.iter_mut().for_each(|ty| *ty = half(*ty));
            }
            Halves::Widens if written[at] => widened(it),
            Halves::Takes if it.opcode == Opcode::Cvt && it.operands[1].registers().iter().any(is) => {
                it.types[1] = half(it.types[1]);
                if it.types[0].bits() == 32 {
                    copied(it);
                }
            }
            _ => {}
        }
        halved.push(before);
    }
    kernel.body = body;
    replaced(kernel, |at, it| halved[at].drain(..).chain([it]).collect());
}

/// The type of half the width.
fn half(ty: Type) -> Type {
    match ty {
        Type::U64 => Type::U32,
        Type::S64 => Type::S32,
        Type::B64 => Type::B32,
        other => other,
    }
}

/// `cvt.u32.u64`
fn lower_half(like: &Instruction, low: RegisterId, from: RegisterId) -> Instruction {
    Instruction {
        opcode: Opcode::Cvt,
        words: crate::ptx::types::Words::default(),
        types: vec![Type::U32, Type::U64],
        space: None,
        guard: None,
        operands: vec![Operand::Register(low), Operand::Register(from)],
        results: 1,
        ..like.clone()
    }
}

/// A conversion between integers of 32 bits as what it is.
fn copied(it: &mut Instruction) {
    it.opcode = Opcode::Mov;
    it.types = vec![Type::B32];
}

/// An instruction that widens, without that.
fn widened(it: &mut Instruction) {
    match it.opcode {
        Opcode::Cvt if it.types[1].bits() == 32 => copied(it),
        Opcode::Cvt => it.types[0] = half(it.types[0]),
        Opcode::Mov => {
            let Operand::Vector(parts) = &it.operands[1] else { return };
            (it.operands[1], it.types) = (parts[0].clone(), vec![Type::B32]);
        }
        _ => {
            // `wide` becomes `lo`.
            let words = Word::ALL.iter().copied().filter(|word| it.words.has(*word) && *word != Word::Wide);
            it.words =
                words.chain([Word::Lo]).fold(crate::ptx::types::Words::default(), |words, word| words.with(word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    fn narrowed(body: &str) -> Kernel {
        let text = format!(
            ".version 4.2\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n\
             {{ .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f64 %f<3>;\n{body}\nret; }}"
        );
        let mut kernel = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}")).kernels.remove(0);
        run(&mut kernel);
        kernel
    }

    fn registers(body: &str) -> String {
        let kernel = narrowed(body);
        let wide = kernel.registers.iter().filter(|register| whole(register.ty)).map(|register| register.name.as_str());
        wide.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn addresses_are_narrow_and_what_is_seen_is_wide() {
        let begin = "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mul.wide.s32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;";
        assert_eq!(registers(&format!("{begin} ld.global.u32 %r2, [%d3+8]; st.global.u32 [%d3], %r2;")), "");
        assert_eq!(registers(&format!("{begin} st.global.u64 [%d3], %d2;")), "%d2");
        assert_eq!(registers(&format!("{begin} setp.lt.s64 %p1, %d3, %d1;")), "%d1 %d2 %d3");
        assert_eq!(registers(&format!("{begin} cvt.u32.u64 %r3, %d3; shr.u64 %d4, %d2, 3;")), "%d2 %d4");
        assert_eq!(registers(&format!("{begin} mov.b64 %f1, %d1; cvt.u16.u64 %r4, %d2;")), "%d1");
        assert_eq!(
            registers("mov.b64 %d1, 5; mov.b64 %d2, %f0; and.b64 %d3, %d2, %d1; st.global.u32 [%d3], 1;"),
            "%d2"
        );
    }

    /// What takes the lower half of a register that is narrow only copies it, so that it may be a scalar register.
    #[test]
    fn lower_halves_are_copies() {
        let opcodes = |body: &str| narrowed(body).body.iter().map(|it| it.opcode).collect::<Vec<_>>();
        let begin = "ld.param.u64 %d1, [p];";
        let taken = opcodes(&format!("{begin} cvt.u32.u64 %r1, %d1; cvt.u16.u64 %r2, %d1;"));
        assert_eq!(taken, [Opcode::Ld, Opcode::Mov, Opcode::Cvt, Opcode::Ret]);
        let wide = opcodes(&format!("{begin} cvt.u32.u64 %r1, %d1; shr.u64 %d1, %d1, 3;"));
        assert_eq!(wide[1..3], [Opcode::Cvt, Opcode::Shr]);
    }

    /// In loops a register that is wide makes those wide that it comes from.
    #[test]
    fn wideness_goes_round_loops() {
        let text = "mov.b64 %d1, 0; mov.b64 %d2, 1;\nA: add.s64 %d1, %d1, %d2; mov.b64 %d2, %d3; \
                    setp.lt.s64 %p1, %d1, 9; @%p1 bra A;";
        assert_eq!(registers(text), "%d1 %d2 %d3");
    }
}
