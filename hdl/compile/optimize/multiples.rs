//! Addresses are taken apart into sums of multiples of registers, one register that is the same for all threads, and a
//! number: the last two go to the words of memory, and equal multiples and sums are computed once. Of
//! `a[n * (i + 1) + j]` and `b[n * i + j]`, with n known, rows hold 4 n · i + 4 · j alone, which has few bits. What was
//! computed on the way there is left out where nobody else reads it.
//!
//! An address is looked at through sums, shifts and products by numbers, as long as what they read is still what it
//! was: written once and in no loop, or on the straight way. The arithmetic is modulo 2³² on either side.

use std::collections::HashMap;

use super::addresses::Places;
use super::forms::{DEEP, Looks};
use super::uniform::uniform;
use super::{fresh, replaced};
use crate::ptx::ast::{Base, Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

use bitline_units::duality::isa::field::SCALE;

/// What an address becomes.
struct Stand {
    rows: RegisterId,
    common: Option<RegisterId>,
    plus: u32,
}

/// Sums of multiples that there are, and where.
#[derive(Default)]
struct Made {
    known: HashMap<Vec<(RegisterId, u32)>, (usize, RegisterId)>,
    /// What is put before instructions.
    steps: HashMap<usize, Vec<Instruction>>,
    registers: u32,
}

impl Made {
    /// The register that holds an address behind what is put before `at`. What a word of memory multiplies by itself is
    /// the last thing that is done.
    fn address(&mut self, looks: &Looks<'_>, at: usize, rows: &[(RegisterId, u32)]) -> RegisterId {
        let shared = rows.iter().map(|row| row.1.trailing_zeros()).min().unwrap_or(0).min(SCALE.most() as u32);
        self.register(looks, at, rows, shared)
    }

    /// The register that holds a sum of multiples, which is shifted by so many bits at the end.
    fn register(&mut self, looks: &Looks<'_>, at: usize, rows: &[(RegisterId, u32)], shared: u32) -> RegisterId {
        if let [(base, 1)] = *rows {
            return base;
        }
        let near = |one: &&(usize, RegisterId)| looks.near(one.0, at, rows);
        if let Some((_, register)) = self.known.get(rows).filter(near) {
            return *register;
        }
        let like = &looks.kernel.body[at];
        let (opcode, sources) = match rows {
            [(base, factor)] if shared == 0 || *factor == 1 << shared => scaled(*base, *factor),
            _ if shared > 0 => {
                let fewer: Vec<_> = rows.iter().map(|row| (row.0, row.1 >> shared)).collect();
                scaled(self.register(looks, at, &fewer, 0), 1 << shared)
            }
            [(_, factor), others @ ..] if *factor != 1 && others.iter().all(|other| other.1 == *factor) => {
                let sum: Vec<_> = rows.iter().map(|row| (row.0, 1)).collect();
                scaled(self.register(looks, at, &sum, 0), *factor)
            }
            [before @ .., last] => {
                let sources = [before, &[*last]].map(|rows| Operand::Register(self.register(looks, at, rows, 0)));
                (Opcode::Add, sources)
            }
            [] => unreachable!("an address has rows"),
        };
        let register = RegisterId(self.registers);
        self.registers += 1;
        let words = if opcode == Opcode::Mul { Words::default().with(Word::Lo) } else { Words::default() };
        let operands = [Operand::Register(register)].into_iter().chain(sources).collect();
        let (types, like) = (vec![if opcode == Opcode::Shl { Type::B32 } else { Type::U32 }], like.clone());
        let step = Instruction { opcode, words, types, space: None, guard: None, operands, results: 1, ..like };
        self.steps.entry(at).or_default().push(step);
        self.known.insert(rows.to_vec(), (at, register));
        register
    }
}

/// The operation that multiplies by a number, and its sources.
fn scaled(base: RegisterId, factor: u32) -> (Opcode, [Operand; 2]) {
    let (opcode, by) = match factor.is_power_of_two() {
        true => (Opcode::Shl, factor.trailing_zeros()),
        false => (Opcode::Mul, factor),
    };
    (opcode, [Operand::Register(base), Operand::Immediate(by.into())])
}

/// Takes addresses apart.
pub fn run(kernel: &mut Kernel, numbers: &[(u64, u32)]) {
    let looks = Looks { kernel, places: Places::of(kernel), numbers, uniform: uniform(kernel) };
    let mut made = Made { registers: kernel.registers.len() as u32, ..Made::default() };
    let mut stands = HashMap::<RegisterId, Stand>::new();
    for (at, it) in kernel.body.iter().enumerate().filter(|(_, it)| it.results == 1) {
        let Some(Operand::Register(index)) = it.operands.first() else { continue };
        let Some(parts) = looks.parts(*index, at) else { continue };
        // What the text has already serves others.
        if parts.common.is_none() && parts.plus == 0 {
            made.known.insert(parts.rows, (at, *index));
            continue;
        }
        // A register of the text that stands for the address has to stay what it is until then.
        let lasts = |register: RegisterId| {
            let read = parts.reads.iter().find(|one| one.0 == register).map_or(at, |one| one.1);
            looks
                .places
                .reads(*index)
                .iter()
                .all(|&(to, _)| looks.there(register, read, to) && !kernel.body[to].writes().contains(&register))
        };
        let alone = if let [(base, 1)] = parts.rows[..] { Some(base) } else { None };
        if !alone.into_iter().chain(parts.common).all(lasts) {
            continue;
        }
        // Of a pair that is added already, the one that is the same for all must be a number.
        let pairs = |to: usize| {
            kernel.body[to].operands.iter().all(|operand| match operand {
                Operand::Memory { base: Base::Sum(first, second), .. } if [first, second].contains(&index) => {
                    let other = Operand::Register(if first == index { *second } else { *first });
                    let number = looks.read(to, &other, DEEP).and_then(|form| form.as_number());
                    parts.common.is_none() || number.is_some()
                }
                _ => true,
            })
        };
        if looks.places.reads(*index).iter().all(|read| pairs(read.0)) {
            let rows = made.address(&looks, at, &parts.rows);
            stands.insert(*index, Stand { rows, common: parts.common, plus: parts.plus });
        }
    }
    // The addresses, with numbers among what is added.
    let numbers_of: Vec<Vec<Option<u32>>> = kernel
        .body
        .iter()
        .enumerate()
        .map(|(at, it)| {
            let number = |operand: &Operand| {
                let Operand::Memory { base: Base::Sum(first, _), .. } = operand else { return None };
                looks.read(at, &Operand::Register(*first), DEEP).and_then(|form| form.as_number())
            };
            it.operands.iter().map(number).collect()
        })
        .collect();
    while (kernel.registers.len() as u32) < made.registers {
        fresh(kernel, Type::B32);
    }
    for (it, numbers) in kernel.body.iter_mut().zip(numbers_of) {
        for (operand, number) in it.operands.iter_mut().zip(numbers) {
            let Operand::Memory { base, offset } = operand else { continue };
            match *base {
                Base::Register(index) => {
                    let Some(stand) = stands.get(&index) else { continue };
                    *base = stand.common.map_or(Base::Register(stand.rows), |common| Base::Sum(common, stand.rows));
                    *offset += i64::from(stand.plus as i32);
                }
                Base::Sum(first, index) => {
                    let Some(stand) = stands.get(&index) else { continue };
                    *base = match (stand.common, number) {
                        (Some(common), _) => Base::Sum(common, stand.rows),
                        (None, Some(_)) => Base::Register(stand.rows),
                        (None, None) => Base::Sum(first, stand.rows),
                    };
                    let first = number.unwrap_or(0);
                    *offset += i64::from(stand.plus.wrapping_add(first) as i32);
                }
                _ => {}
            }
        }
    }
    replaced(kernel, |at, it| {
        let mut steps = made.steps.remove(&at).unwrap_or_default();
        steps.push(it);
        steps
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    /// The addresses of accesses, as `register+offset`, and products as `register=base*factor`, for n = 40.
    fn found(body: &str) -> Vec<String> {
        let text = format!(
            ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 p, .param .u32 n)\n\
             {{ .reg .pred %p<2>; .reg .b32 %r<19>;\nld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n{body}\nret; }}"
        );
        let mut kernel = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}")).kernels.remove(0);
        let before = kernel.registers.len();
        run(&mut kernel, &[(4, 40)]);
        let name = |register: &RegisterId| match (register.0 as usize).checked_sub(before) {
            Some(own) => format!("own{own}"),
            None => kernel.registers[register.0 as usize].name[1..].to_string(),
        };
        let told = |it: &Instruction| match &it.operands[..] {
            [Operand::Register(to), Operand::Register(base), Operand::Immediate(by)] if to.0 as usize >= before => {
                let factor = if it.opcode == Opcode::Shl { 1 << by } else { *by };
                Some(format!("{}={}*{factor}", name(to), name(base)))
            }
            operands => operands.iter().find_map(|operand| match operand {
                Operand::Memory { base: Base::Register(register), offset } => {
                    Some(format!("{}+{offset}", name(register)))
                }
                _ => None,
            }),
        };
        kernel.body.iter().filter_map(told).collect()
    }

    #[test]
    fn numbers_go_to_the_words_of_memory() {
        // 4 · (40 · (t + 1) + 3), and 4 · (40 · t − 2), whose product there is already.
        let body = "add.s32 %r3, %r2, 1; mad.lo.s32 %r4, %r3, %r1, 3; shl.b32 %r5, %r4, 2; ld.global.u32 %r6, [%r5+8]; \
                    mul.lo.s32 %r7, %r1, %r2; sub.s32 %r8, %r7, 2; shl.b32 %r9, %r8, 2; st.global.u32 [%r9], %r6;";
        assert_eq!(found(body), ["own0=r2*20", "own1=own0*8", "own1+180", "own1+-8"]);
        // What is there in the text serves others, too; sums alone need no product.
        let body = "shl.b32 %r3, %r2, 2; ld.global.u32 %r4, [%r3]; add.s32 %r5, %r2, %r1; shl.b32 %r6, %r5, 2; \
                    st.global.u32 [%r6], %r4; add.s32 %r7, %r2, %r1; add.s32 %r8, %r7, 4; st.global.u32 [%r8], %r4;";
        assert_eq!(found(body), ["r3+0", "r3+160", "r2+44"]);
        // In a loop, on the straight way.
        let body = "A: add.s32 %r2, %r2, 8; add.s32 %r3, %r2, %r1; shl.b32 %r4, %r3, 2; ld.global.u32 %r5, [%r4]; \
                    setp.lt.s32 %p1, %r5, 9; @%p1 bra A;";
        assert_eq!(found(body), ["own0=r2*4", "own0+160"]);
    }

    #[test]
    fn what_may_have_changed_stays() {
        for (body, expected) in [
            // Somebody else reads the address; it is written twice, or under a predicate; two registers are in it.
            ("add.s32 %r3, %r2, 1; shl.b32 %r4, %r3, 2; st.global.u32 [%r4], %r4;", vec!["r4+0"]),
            ("add.s32 %r3, %r2, 1; shl.b32 %r4, %r3, 2; @%p1 mov.u32 %r4, 0; st.global.u32 [%r4], 1;", vec!["r4+0"]),
            ("add.s32 %r3, %r2, 1; @%p1 shl.b32 %r4, %r3, 2; st.global.u32 [%r4], 1;", vec!["r4+0"]),
            ("add.s32 %r3, %r2, %r5; shl.b32 %r4, %r3, 2; st.global.u32 [%r4], 1;", vec!["r4+0"]),
            // The base changes between what is looked through and the address.
            ("add.s32 %r3, %r2, 1; add.s32 %r2, %r2, 5; shl.b32 %r4, %r3, 2; st.global.u32 [%r4], 1;", vec!["r4+0"]),
            // A turn of the loop may find what an earlier one has left.
            (
                "A: setp.lt.s32 %p1, %r2, 9; @%p1 bra B; add.s32 %r3, %r2, 1; B: shl.b32 %r4, %r3, 2; \
                 st.global.u32 [%r4], 1; add.s32 %r2, %r2, 4; bra A;",
                vec!["r4+0"],
            ),
            // An access between the two wants the address of the turn before.
            (
                "A: add.s32 %r3, %r2, 8; @%p1 st.global.u32 [%r4], 7; add.s32 %r4, %r3, 4; st.global.u32 [%r4], 8; \
                 add.s32 %r2, %r2, 12; @%p1 bra A;",
                vec!["r4+0", "r4+0"],
            ),
            (
                "A: shl.b32 %r3, %r2, 2; st.global.u32 [%r3], 5; @%p1 st.global.u32 [%r4], 7; add.s32 %r5, %r2, 20; \
                 shl.b32 %r4, %r5, 2; st.global.u32 [%r4], 8; add.s32 %r2, %r2, 3; @%p1 bra A;",
                vec!["r3+0", "r4+0", "r4+0"],
            ),
            // The sum is still wanted when its term has changed.
            (
                "A: add.s32 %r3, %r2, 4; add.s32 %r4, %r3, 4; add.s32 %r2, %r2, 1; st.global.u32 [%r4], 1; bra A;",
                vec!["r4+0"],
            ),
        ] {
            assert_eq!(found(body), expected, "{body}");
        }
    }
}
