//! Addresses that are multiples of one register and differ by numbers are one multiple, and the numbers go to the words
//! of memory: of `a[n * (i + 1) + 3]` and `a[n * i]`, with n known, rows hold 4 n · i alone. What was computed on the way
//! there is left out where nobody else reads it.
//!
//! An address is looked at through sums, shifts and products by numbers, as long as what they read is still what it was:
//! written once and in no loop, or on the straight way. The arithmetic is modulo 2³² on either side.

use std::collections::HashMap;

use super::addresses::Places;
use super::{fresh, replaced};
use crate::ptx::ast::{Base, Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word, Words};
use crate::words::parameter;

/// `base · factor + plus`; without a base a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    base: Option<RegisterId>,
    factor: u32,
    plus: u32,
    /// The instruction that reads the base.
    read: usize,
}

impl Form {
    fn number(plus: u32) -> Form {
        Form { base: None, factor: 0, plus, read: 0 }
    }

    fn scaled(self, by: u32) -> Form {
        Form { factor: self.factor.wrapping_mul(by), plus: self.plus.wrapping_mul(by), ..self }
    }

    fn added(self, other: Form) -> Option<Form> {
        let plus = self.plus.wrapping_add(other.plus);
        match (self.base, other.base) {
            (_, None) => Some(Form { plus, ..self }),
            (None, _) => Some(Form { plus, ..other }),
            _ => None,
        }
    }

    fn as_number(self) -> Option<u32> {
        self.base.is_none().then_some(self.plus)
    }
}

struct Looks<'a> {
    kernel: &'a Kernel,
    places: Places,
    numbers: &'a [(u64, u32)],
}

impl Looks<'_> {
    /// The only write of a register, if that is sure to happen where it stands.
    fn write(&self, register: RegisterId) -> Option<usize> {
        let [at] = *self.places.writes(register) else { return None };
        self.kernel.body[at].guard.is_none().then_some(at)
    }

    /// Of what is written once: what an instruction writes, if it is a multiple.
    fn written(&self, at: usize, deep: usize) -> Option<Form> {
        let it = &self.kernel.body[at];
        let plain = ![Word::Hi, Word::Wide, Word::Sat, Word::Cc].iter().any(|word| it.words.has(*word));
        let integer = it.types.len() == 1 && it.ty().bits() == 32 && !it.ty().is_float();
        if !plain || !integer || it.results != 1 || !matches!(it.operands[0], Operand::Register(_)) {
            return None;
        }
        let of = |index: usize| self.read(at, &it.operands[index], deep);
        let product = || {
            let (a, b) = (of(1)?, of(2)?);
            b.as_number().map(|by| a.scaled(by)).or_else(|| Some(b.scaled(a.as_number()?)))
        };
        match it.opcode {
            Opcode::Mov => of(1),
            Opcode::Ld if it.space == Some(Space::Param) => {
                let offset = parameter(self.kernel, it)?;
                Some(Form::number(self.numbers.iter().find(|number| number.0 == offset)?.1))
            }
            Opcode::Add => of(1)?.added(of(2)?),
            Opcode::Sub => of(1)?.added(of(2)?.as_number().map(|by| Form::number(by.wrapping_neg()))?),
            Opcode::Mul => product(),
            Opcode::Mad => product()?.added(of(3)?),
            Opcode::Shl => Some(of(1)?.scaled(1_u32.checked_shl(of(2)?.as_number()?)?)),
            _ => None,
        }
    }

    /// What an instruction reads: looked through, or as it is.
    fn read(&self, at: usize, operand: &Operand, deep: usize) -> Option<Form> {
        let register = match operand {
            Operand::Immediate(bits) => return Some(Form::number(*bits as u32)),
            Operand::Register(register) if self.kernel.registers[register.0 as usize].ty.bits() == 32 => *register,
            _ => return None,
        };
        let own = Form { base: Some(register), factor: 1, plus: 0, read: at };
        let Some(write) = self.write(register).filter(|_| deep > 0) else { return Some(own) };
        let through = self.written(write, deep - 1);
        let there = self.places.stays(register) || self.places.straight(write, at);
        Some(through.filter(|form| form.base.is_none() || there).unwrap_or(own))
    }
}

/// How many instructions are looked through, one behind the other.
const DEEP: usize = 16;

/// Takes numbers out of addresses, and makes equal multiples one.
pub fn run(kernel: &mut Kernel, numbers: &[(u64, u32)]) {
    let places = Places::of(kernel);
    let looks = Looks { kernel, places, numbers };
    let mut own = HashMap::<(RegisterId, u32), (usize, RegisterId)>::new();
    // Registers that addresses have in place of others, with what is added; products before instructions.
    let (mut stands, mut products) = (HashMap::<RegisterId, (RegisterId, u32)>::new(), HashMap::new());
    let mut fresh_ones = kernel.registers.len() as u32;
    for at in 0..kernel.body.len() {
        let Some(Operand::Register(index)) = kernel.body[at].operands.first().filter(|_| kernel.body[at].results == 1)
        else {
            continue;
        };
        let reads = looks.places.reads(*index);
        let only = !reads.is_empty() && reads.iter().all(|read| read.1) && looks.write(*index) == Some(at);
        let form = if only { looks.written(at, DEEP) } else { None };
        let Some((form, base)) =
            form.and_then(|form| Some((form, form.base?))).filter(|one| one.0.factor != 0 && one.0.factor >> 31 == 0)
        else {
            continue;
        };
        let there = |to: usize| {
            let places = &looks.places;
            places.stays(base) || form.read == to || places.keeps(base, form.read, to)
        };
        if !there(at) {
            continue;
        }
        if form.factor == 1 {
            let apart = |to: usize| !kernel.body[to].writes().contains(&base);
            if form.read != at && reads.iter().all(|read| there(read.0) && apart(read.0)) {
                stands.insert(*index, (base, form.plus));
            }
            continue;
        }
        let key = (base, form.factor);
        let near = |from: usize| {
            let between = &kernel.body[from..at];
            looks.places.straight(from, at)
                && between.iter().all(|it| it.target().is_none() && !matches!(it.opcode, Opcode::Ret | Opcode::Exit))
                && (looks.places.stays(base) || looks.places.keeps(base, from, at))
        };
        if let Some(&(_, register)) = own.get(&key).filter(|one| near(one.0)) {
            stands.insert(*index, (register, form.plus));
        } else if form.read == at && form.plus == 0 {
            own.insert(key, (at, *index));
        } else {
            let register = RegisterId(fresh_ones);
            fresh_ones += 1;
            products.insert(at, (register, base, form.factor));
            stands.insert(*index, (register, form.plus));
            own.insert(key, (at, register));
        }
    }
    while (kernel.registers.len() as u32) < fresh_ones {
        fresh(kernel, Type::B32);
    }
    for operand in kernel.body.iter_mut().flat_map(|it| &mut it.operands) {
        let Operand::Memory { base, offset } = operand else { continue };
        let registers = match base {
            Base::Register(index) => vec![index],
            Base::Sum(first, second) => vec![first, second],
            _ => vec![],
        };
        for index in registers {
            if let Some(&(register, plus)) = stands.get(index) {
                *index = register;
                *offset += i64::from(plus as i32);
            }
        }
    }
    replaced(kernel, |at, it| {
        let product = products.get(&at).map(|&(register, base, factor)| product(&it, register, base, factor));
        product.into_iter().chain([it]).collect()
    });
}

/// A multiple.
fn product(like: &Instruction, register: RegisterId, base: RegisterId, factor: u32) -> Instruction {
    let (opcode, by) = match factor.is_power_of_two() {
        true => (Opcode::Shl, factor.trailing_zeros()),
        false => (Opcode::Mul, factor),
    };
    let words = if opcode == Opcode::Mul { Words::default().with(Word::Lo) } else { Words::default() };
    let operands = vec![Operand::Register(register), Operand::Register(base), Operand::Immediate(by.into())];
    Instruction {
        opcode,
        words,
        types: vec![Type::B32],
        space: None,
        guard: None,
        operands,
        results: 1,
        ..like.clone()
    }
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
        assert_eq!(found(body), ["own0=r2*160", "own0+180", "own0+-8"]);
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
