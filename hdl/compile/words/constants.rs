//! Values that are numbers in the launch at hand, because they follow from its arguments: products by them are shifts
//! and sums, and what is bounded by them has few rows. So programs are specialised for a launch in everything but its
//! addresses.

use super::scalar::Relation;
use crate::flow::webs::Webs;
use crate::ptx::ast::{Base, Instruction, Kernel, Operand, Parameter, RegisterId, Symbol};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Class, Type, Word};

/// Arguments that are numbers: the offset of each in the parameter space, and its 32 bits.
pub type Numbers = Vec<(u64, u32)>;

/// Those of a launch: integers of 32 bits that are no addresses, as far as the kernel's text says. One that is taken
/// for a number does no harm but to who wants to launch the same program with another.
pub fn arguments(kernel: &Kernel, parameters: &[u8]) -> Numbers {
    let addresses = addresses(kernel);
    let number = |(index, parameter): (usize, &Parameter)| {
        let integer = parameter.count.is_none() && parameter.bytes() == 4 && !parameter.ty.is_float();
        let from = parameter.offset as usize;
        let bytes = parameters.get(from..from + 4).filter(|_| integer && !addresses[index])?;
        Some((parameter.offset, u32::from_le_bytes(bytes.try_into().ok()?)))
    };
    kernel.parameters.iter().enumerate().filter_map(number).collect()
}

/// Parameters that are an address, or are added to something that is.
fn addresses(kernel: &Kernel) -> Vec<bool> {
    let mut address = vec![false; kernel.registers.len()];
    for it in &kernel.body {
        let converts = it.opcode == Opcode::Cvta;
        for operand in &it.operands {
            match operand {
                Operand::Memory { base: Base::Register(register), .. } => address[register.0 as usize] = true,
                Operand::Register(register) if converts => address[register.0 as usize] = true,
                _ => {}
            }
        }
    }
    let sums = |it: &&Instruction| matches!(it.opcode, Opcode::Mov | Opcode::Add | Opcode::Sub | Opcode::Mad);
    loop {
        let before = address.clone();
        for it in kernel.body.iter().filter(sums) {
            if it.writes().iter().any(|register| address[register.0 as usize]) {
                let terms = if it.opcode == Opcode::Mad { &it.operands[3..] } else { &it.operands[1..] };
                let terms = terms.iter().flat_map(Operand::registers);
                terms.for_each(|register| address[register.0 as usize] = true);
            }
        }
        if address == before {
            break;
        }
    }
    let mut found = vec![false; kernel.parameters.len()];
    for it in &kernel.body {
        let written = |register: &RegisterId| address[register.0 as usize];
        for operand in &it.operands {
            if let Operand::Memory { base: Base::Symbol(Symbol::Parameter(index)), .. } = operand {
                found[*index] |= it.writes().iter().any(written);
            }
        }
    }
    found
}

/// The number that each value is, if it is one.
pub fn of(kernel: &Kernel, webs: &Webs, numbers: &[(u64, u32)]) -> Vec<Option<u64>> {
    let mut known = vec![None; webs.registers.len()];
    if numbers.is_empty() {
        return known;
    }
    loop {
        let before = known.clone();
        for value in (0..known.len()).filter(|value| webs.single(*value)) {
            let at = webs.writers[value][0];
            let bits = kernel.registers[webs.registers[value].0 as usize].ty.bits();
            if before[value].is_none() && matches!(bits, 1 | 32) {
                known[value] = Reads { kernel, webs, numbers, known: &before, at }.result();
            }
        }
        if known == before {
            return known;
        }
    }
}

/// What an instruction reads, as far as it is known.
struct Reads<'a> {
    kernel: &'a Kernel,
    webs: &'a Webs,
    numbers: &'a [(u64, u32)],
    known: &'a [Option<u64>],
    at: usize,
}

impl Reads<'_> {
    fn operand(&self, index: usize) -> Option<u32> {
        match &self.kernel.body[self.at].operands[index] {
            Operand::Register(register) => self.known[self.webs.read(self.at, *register)].map(|number| number as u32),
            Operand::Immediate(bits) => Some(*bits as u32),
            _ => None,
        }
    }

    /// What it writes.
    fn result(&self) -> Option<u64> {
        let it = &self.kernel.body[self.at];
        let whole = ![Word::Hi, Word::Wide, Word::Sat, Word::Cc].iter().any(|word| it.words.has(*word));
        let integer =
            |ty: &Type| ty.bits() == 32 && matches!(ty.class(), Class::Signed | Class::Unsigned | Class::Bits);
        let ty = *it.types.first().filter(|ty| integer(ty))?;
        if it.guard.is_some() || !matches!(it.operands.first(), Some(Operand::Register(_))) || it.results != 1 {
            return None;
        }
        let (signed, of) = (ty.is_signed(), |index: usize| self.operand(index));
        if it.opcode == Opcode::Setp {
            let related = it.types.len() == 1 && it.operands.len() == 3;
            return if related { Some(compared(it, signed, of(1)?, of(2)?).into()) } else { None };
        }
        if !whole {
            return None;
        }
        let number = match it.opcode {
            Opcode::Ld => {
                let offset = self.kernel.loaded(it)?;
                self.numbers.iter().find(|number| number.0 == offset)?.1
            }
            Opcode::Mov => of(1)?,
            Opcode::Not => !of(1)?,
            Opcode::Neg => of(1)?.wrapping_neg(),
            Opcode::Add => of(1)?.wrapping_add(of(2)?),
            Opcode::Sub => of(1)?.wrapping_sub(of(2)?),
            Opcode::Mul => of(1)?.wrapping_mul(of(2)?),
            Opcode::Mad => of(1)?.wrapping_mul(of(2)?).wrapping_add(of(3)?),
            Opcode::And => of(1)? & of(2)?,
            Opcode::Or => of(1)? | of(2)?,
            Opcode::Xor => of(1)? ^ of(2)?,
            Opcode::Shl => of(1)?.checked_shl(of(2)?).unwrap_or(0),
            Opcode::Shr if signed => (of(1)? as i32 >> of(2)?.min(31)) as u32,
            Opcode::Shr => of(1)?.checked_shr(of(2)?).unwrap_or(0),
            _ => return None,
        };
        Some(number.into())
    }
}

/// Whether two numbers are as an instruction asks.
fn compared(it: &Instruction, signed: bool, a: u32, b: u32) -> bool {
    let order = if signed { (a as i32).cmp(&(b as i32)) } else { a.cmp(&b) };
    let (relation, inverted) = Relation::of(it);
    let holds = match relation {
        Relation::Equal => order.is_eq(),
        Relation::Less => order.is_lt(),
        Relation::Greater => order.is_gt(),
    };
    holds != inverted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::graph::Graph;
    use crate::ptx::ast::Module;
    use crate::ptx::parse;

    fn module(body: &str) -> Module {
        let text = format!(
            ".version 4.2\n.target sm_50\n.address_size 32\n\
             .visible .entry k(.param .u32 p, .param .u32 n, .param .f32 x, .param .s32 m, \
             .param .u64 w)\n{{ .reg .pred %p<4>; .reg .b32 %r<19>; .reg .f32 %f<3>; .reg .b64 %d<2>;\n\
             ld.param.u32 %r1, [p]; ld.param.u32 %r2, [n]; ld.param.s32 %r3, [m]; {body} ret; }}"
        );
        parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What each register is, with n = 7 and m = -3.
    fn known(body: &str, registers: &[&str]) -> Vec<Option<u64>> {
        let module = module(body);
        let kernel = &module.kernels[0];
        let webs = Webs::of(kernel, &Graph::of(&module, kernel).unwrap_or_else(|error| panic!("{error}")));
        let known = of(kernel, &webs, &[(4, 7), (12, -3_i32 as u32)]);
        let last = |name: &&str| {
            let register = |one: &RegisterId| kernel.registers[one.0 as usize].name == **name;
            webs.registers.iter().rposition(register).and_then(|value| known[value])
        };
        registers.iter().map(last).collect()
    }

    #[test]
    fn numbers_follow_from_arguments() {
        let s = |number: i32| Some(u64::from(number as u32));
        assert_eq!(
            known("st.global.u32 [%r1], %r2; st.global.u32 [%r1], %r3;", &["%r1", "%r2", "%r3"]),
            [None, s(7), s(-3)]
        );
        let body = "add.s32 %r4, %r2, %r3; sub.s32 %r5, %r3, %r2; mul.lo.s32 %r6, %r2, %r3; \
                    mad.lo.s32 %r7, %r6, %r6, 1; not.b32 %r8, %r2; neg.s32 %r9, %r3; shl.b32 %r10, %r3, 30; \
                    shr.s32 %r11, %r3, 1; shr.u32 %r12, %r3, 31; \
                    shl.b32 %r13, %r2, 32; shr.s32 %r14, %r3, 99; xor.b32 %r15, %r3, %r2;";
        let reads: String = (4..16).map(|register| format!("st.global.u32 [%r1], %r{register};")).collect();
        let names: Vec<String> = (4..16).map(|register| format!("%r{register}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let expected = [4, -10, -21, 442, -8, 3, 1 << 30, -2, 1, 0, -1, -3 ^ 7].map(s);
        assert_eq!(known(&format!("{body}{reads}"), &names), expected);
        // Signed and unsigned; what is read and written in turns, or guarded, or of another width, is none.
        let body = "setp.lt.s32 %p0, %r3, %r2; setp.lt.u32 %p1, %r3, %r2; setp.hi.u32 %p2, %r3, %r2; \
                    setp.ne.s32 %p3, %r2, 7; \
                    @%p0 st.global.u32 [%r1], 1; @%p1 st.global.u32 [%r1], 1; @%p2 st.global.u32 [%r1], 1; \
                    @%p3 st.global.u32 [%r1], 1;";
        assert_eq!(known(body, &["%p0", "%p1", "%p2", "%p3"]), [s(1), s(0), s(1), s(0)]);
        let body = "mov.u32 %r4, 1; A: add.s32 %r4, %r4, %r2; mul.hi.u32 %r5, %r3, %r2; mov.u32 %r6, %r2; \
                    setp.lt.s32 %p0, %r4, 99; @%p0 mov.u32 %r6, 5; st.global.u32 [%r1], %r5; st.global.u32 [%r1], %r6; \
                    @%p0 bra A;";
        assert_eq!(known(body, &["%r4", "%r5", "%r6", "%p0"]), [None; 4]);
    }

    #[test]
    fn addresses_are_no_numbers() {
        let words: Vec<u8> = [0x10000_u32, 7, 1, 9, 5, 6].into_iter().flat_map(u32::to_le_bytes).collect();
        let of = |body: &str| arguments(&module(body).kernels[0], &words);
        assert_eq!(of("st.global.u32 [%r1], %r2;"), [(4, 7), (12, 9)]);
        assert_eq!(of("cvta.to.global.u32 %r4, %r1;"), [(4, 7), (12, 9)]);
        // Whatever is added to an address may be one.
        assert_eq!(of("add.s32 %r4, %r1, %r2; mov.u32 %r5, %r4; st.global.u32 [%r5], 1;"), [(12, 9)]);
        assert_eq!(of("mad.lo.s32 %r4, %r2, %r3, %r1; st.global.u32 [%r4], 1;"), [(4, 7), (12, 9)]);
        assert_eq!(of("mul.lo.s32 %r4, %r2, 4; add.s32 %r4, %r1, %r4; st.global.u32 [%r4], 1;"), [(4, 7), (12, 9)]);
    }
}
