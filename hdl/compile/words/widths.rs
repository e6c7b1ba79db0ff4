//! How many rows values need: bounds on what integers can be, from the sizes of the launch, its numbers, the widths of
//! elements in memory, constants, and how far loops count, through sums, products, shifts and logic.
//!
//! A value has fewer rows than its type bits if none of its writes gives more, and all of them are instructions whose
//! lower bits depend on lower bits alone, so that a narrow word does the same. Rows that are not there hold 0: values
//! are bounded as unsigned numbers, and what may be negative has all rows.

use std::collections::HashMap;

use super::divergence::Analysis;
use super::turns::Counter;
use crate::optimize::Sizes;
use crate::ptx::ast::{Axis, Instruction, Kernel, Operand, Special};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Type, Word};

/// After so many rounds what still grows, grows by whole bits: what a loop adds to soon has all of them.
const ROUNDS: usize = 4;

/// The rows of each value; of one that may be anything the bits of its type.
pub fn of(kernel: &Kernel, analysis: &Analysis, sizes: &Sizes, numbers: &[Option<u64>]) -> Vec<u64> {
    let webs = &analysis.webs;
    let ty = |value: usize| kernel.registers[webs.registers[value].0 as usize].ty;
    let count = webs.registers.len();
    let bounded = |value: usize| !ty(value).is_float() && ty(value).bits() > 1 && !webs.undefined[value];
    let mut most: Vec<u64> = (0..count).map(|value| if bounded(value) { 0 } else { ty(value).mask() }).collect();
    let counter = |at: usize| Some((at, Counter::of(kernel, analysis, numbers, at)?));
    let counters: HashMap<usize, Counter> = webs.writers.iter().flatten().filter_map(|at| counter(*at)).collect();
    let mut round = 0;
    loop {
        let before = most.clone();
        for value in (0..count).filter(|value| bounded(*value)) {
            let of = |at: usize| {
                let own = |at: usize| Bounds { kernel, analysis, sizes, most: &before, at }.result();
                // What a loop adds to, as far as is known when the loop ends.
                let counted = |counter: &Counter| counter.most(counter.begins.iter().map(|at| own(*at)).max()?);
                counters.get(&at).and_then(counted).unwrap_or_else(|| own(at))
            };
            let written = || webs.writers[value].iter().map(|at| of(*at)).max().unwrap_or(u64::MAX);
            let found = numbers[value].unwrap_or_else(written).min(ty(value).mask());
            if found > before[value] {
                most[value] = if round < ROUNDS { found } else { ones(found) };
            }
        }
        if most == before {
            break;
        }
        round += 1;
    }
    let rows = |value: usize| {
        let bits = u64::from(ty(value).bits());
        let lower = webs.writers[value].iter().all(|at| lower_bits(&kernel.body[*at]));
        if lower { (64 - most[value].leading_zeros()).max(1).into() } else { bits }
    };
    (0..count).map(|value| if bounded(value) { rows(value) } else { ty(value).bits().into() }).collect()
}

/// Whether the lower bits of an instruction's result are those of the same instruction on fewer bits.
fn lower_bits(it: &Instruction) -> bool {
    let plain = ![Word::Hi, Word::Wide, Word::Sat, Word::Cc].iter().any(|word| it.words.has(*word));
    let one = matches!(it.operands[0], Operand::Register(_));
    let integer = it.types.first().is_some_and(|ty| !ty.is_float() && ty.bits() <= 32);
    one && integer
        && plain
        && match it.opcode {
            Opcode::Add | Opcode::Mul | Opcode::Mad | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Selp => true,
            Opcode::Mov => !matches!(it.operands[1], Operand::Vector(_)),
            Opcode::Shl | Opcode::Shr => matches!(it.operands[2], Operand::Immediate(_)),
            Opcode::Cvt => it.types.len() == 2 && it.types.iter().all(|ty| !ty.is_float() && ty.bits() <= 32),
            Opcode::Ld => it.space != Some(Space::Param) && !it.ty().is_signed(),
            _ => false,
        }
}

/// What an instruction's result can be at most.
struct Bounds<'a> {
    kernel: &'a Kernel,
    analysis: &'a Analysis,
    sizes: &'a Sizes,
    /// Of all values, as far as is known.
    most: &'a [u64],
    at: usize,
}

impl Bounds<'_> {
    fn it(&self) -> &Instruction {
        &self.kernel.body[self.at]
    }

    /// What an operand can be, of which so many bits are taken.
    fn of(&self, index: usize, ty: Type) -> u64 {
        let most = match &self.it().operands[index] {
            Operand::Register(register) => self.most[self.analysis.webs.read(self.at, *register)],
            Operand::Immediate(bits) => bits & ty.mask(),
            Operand::Special(special) => self.special(*special),
            _ => u64::MAX,
        };
        most.min(ty.mask())
    }

    fn special(&self, special: Special) -> u64 {
        let of = |sizes: &[u32; 3], axis: Axis| u64::from(sizes[axis as usize].max(1));
        match special {
            Special::Tid(axis) => of(&self.sizes.block, axis) - 1,
            Special::Ctaid(axis) => of(&self.sizes.grid, axis) - 1,
            Special::Ntid(axis) => of(&self.sizes.block, axis),
            Special::Nctaid(axis) => of(&self.sizes.grid, axis),
            Special::Lane | Special::Lanes(_) => u64::MAX,
        }
    }

    fn result(&self) -> u64 {
        let it = self.it();
        let Some(&ty) = it.types.first().filter(|ty| !ty.is_float() && ty.bits() <= 32) else { return u64::MAX };
        if [Word::Hi, Word::Sat, Word::Cc].iter().any(|word| it.words.has(*word)) || it.results != 1 {
            return u64::MAX;
        }
        // What does not fit is cut off, and may be anything.
        let fits = |most: u64, bits: u32| if bits < 64 && most >> bits != 0 { u64::MAX } else { most };
        let bits = if it.words.has(Word::Wide) { 2 * ty.bits() } else { ty.bits() };
        let of = |index: usize| self.of(index, ty);
        // Signed operands are extended with a sign unless they have none.
        let product = || {
            let wide = it.words.has(Word::Wide) && ty.is_signed();
            let signed = wide && [of(1), of(2)].iter().any(|most| most >> (ty.bits() - 1) != 0);
            if signed { u64::MAX } else { of(1).saturating_mul(of(2)) }
        };
        match it.opcode {
            Opcode::Mov if matches!(it.operands[0], Operand::Register(_)) => of(1),
            Opcode::Add => fits(of(1).saturating_add(of(2)), bits),
            Opcode::Mul => fits(product(), bits),
            Opcode::Mad => {
                let wider = if bits == 64 { Type::U64 } else { Type::U32 };
                let added = if it.words.has(Word::Wide) { self.of(3, wider) } else { of(3) };
                fits(product().saturating_add(added), bits)
            }
            Opcode::And => of(1).min(of(2)),
            Opcode::Or | Opcode::Xor => ones(of(1).max(of(2))),
            Opcode::Selp => of(1).max(of(2)),
            Opcode::Shl => match it.operands[2] {
                Operand::Immediate(by) if by < u64::from(ty.bits()) => fits(of(1) << by, bits),
                Operand::Immediate(_) => 0,
                _ => u64::MAX,
            },
            Opcode::Shr if !ty.is_signed() || of(1) >> (ty.bits() - 1) == 0 => match it.operands[2] {
                Operand::Immediate(by) => of(1).checked_shr(by.min(64) as u32).unwrap_or(0),
                _ => of(1),
            },
            Opcode::Div if !ty.is_signed() => of(1),
            Opcode::Rem if !ty.is_signed() => of(1),
            Opcode::Popc | Opcode::Clz => 32,
            Opcode::Cvt => match it.types[..] {
                [to, from] if !from.is_float() && from.bits() <= 32 => {
                    let most = self.of(1, from);
                    let negative = |ty: Type, most: u64| ty.is_signed() && most >> (ty.bits() - 1) != 0;
                    // What is cut off may leave anything; the sign goes as far as the register.
                    let most = if most > to.mask() { to.mask() } else { most };
                    let narrow = to.bits() <= from.bits();
                    if negative(if narrow { to } else { from }, most) { u64::MAX } else { most }
                }
                _ => u64::MAX,
            },
            Opcode::Ld if it.space != Some(Space::Param) && !ty.is_signed() => ty.mask(),
            _ => u64::MAX,
        }
    }
}

/// All ones up to the highest one.
fn ones(most: u64) -> u64 {
    most.checked_ilog2().map_or(0, |top| u64::MAX >> (63 - top))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    /// Rows of the registers %r1, %r2 … in their last values, for four blocks of 256 threads.
    fn rows(body: &str, registers: usize) -> Vec<u64> {
        let text = format!(
            ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 p)\n\
             {{ .reg .pred %p<3>; .reg .b16 %h<4>; .reg .b32 %r<19>; .reg .f32 %f<2>;\n{body}\nret; }}"
        );
        let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
        let kernel = &module.kernels[0];
        let analysis = Analysis::of(&module, kernel, &[], None).unwrap_or_else(|error| panic!("{error}"));
        let numbers = vec![None; analysis.webs.registers.len()];
        let widths = of(kernel, &analysis, &Sizes { grid: [4, 1, 1], block: [256, 1, 1] }, &numbers);
        let webs = &analysis.webs;
        let named = |name: String| kernel.registers.iter().position(|register| register.name == name);
        let last = |register: usize| webs.registers.iter().rposition(|one| one.0 as usize == register);
        (1..=registers).map(|at| named(format!("%r{at}")).and_then(last).map_or(0, |value| widths[value])).collect()
    }

    #[test]
    fn bounds_follow_from_the_launch() {
        let index = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3; \
                     shl.b32 %r5, %r4, 2; ld.param.u32 %r6, [p]; add.s32 %r7, %r6, %r5;";
        assert_eq!(rows(index, 7), [2, 9, 8, 10, 12, 32, 32]);
    }

    #[test]
    fn bounds_of_operations() {
        let begin = "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [p];";
        let of = |body: &str, registers| rows(&format!("{begin} {body}"), registers)[2..].to_vec();
        assert_eq!(of("and.b32 %r3, %r2, 15; or.b32 %r4, %r3, 32; xor.b32 %r5, %r4, %r1;", 5), [4, 6, 8]);
        assert_eq!(of("ld.global.u8 %r3, [%r2]; ld.global.s8 %r4, [%r2]; ld.global.u32 %r5, [%r2];", 5), [8, 32, 32]);
        assert_eq!(of("shr.u32 %r3, %r1, 3; shr.u32 %r4, %r2, 24; shr.s32 %r5, %r2, 24;", 5), [5, 8, 32]);
        assert_eq!(of("mul.lo.s32 %r3, %r1, 7; mul.lo.s32 %r4, %r3, %r3; mul.lo.s32 %r5, %r4, %r4;", 5), [11, 22, 32]);
        // A result that may be negative, and one whose instruction wants all bits.
        assert_eq!(of("add.s32 %r3, %r1, -1; sub.s32 %r4, %r1, 3; min.u32 %r5, %r1, 7;", 5), [32, 32, 32]);
        assert_eq!(of("setp.lt.s32 %p1, %r1, 9; selp.b32 %r3, %r1, 1000, %p1; selp.b32 %r4, -1, 0, %p1;", 4), [10, 32]);
        assert_eq!(
            of("cvt.u16.u32 %h1, %r1; cvt.s32.s16 %r3, %h1; cvt.s32.s8 %r4, %h1; cvt.s8.u32 %r5, %r1;", 5),
            [8, 32, 32]
        );
    }

    /// What grows in a loop may be anything; what stays below a bound does not.
    #[test]
    fn bounds_in_loops() {
        let sum = "mov.u32 %r1, 0; mov.u32 %r2, 0;\nA: add.s32 %r1, %r1, 4; and.b32 %r2, %r1, 255; \
                   setp.lt.u32 %p1, %r1, 64; @%p1 bra A; st.global.u32 [%r2], %r1;";
        assert_eq!(rows(sum, 2), [7, 7]);
        let of = |begin: &str, test: &str| {
            let text = format!("{begin}\nA: add.s32 %r1, %r1, 1; {test}; st.global.u32 [%r1], %r1;");
            rows(&text, 1)[0]
        };
        let zero = "mov.u32 %r1, 0; ld.param.u32 %r2, [p];";
        for (begin, test, wanted) in [
            (zero, "setp.ne.s32 %p1, %r1, 15; @%p1 bra A", 4),
            (zero, "setp.eq.s32 %p1, %r1, 16; @!%p1 bra A", 5),
            (zero, "setp.ge.s32 %p1, %r1, 15; @!%p1 bra A", 4),
            ("mov.u32 %r1, %tid.x;", "setp.lt.u32 %p1, %r1, 15; @%p1 bra A", 9),
            // Past the end before it is looked at, other tests, and none that is a number.
            ("mov.u32 %r1, 15;", "setp.ne.s32 %p1, %r1, 15; @%p1 bra A", 32),
            ("mov.u32 %r1, -9;", "setp.lt.s32 %p1, %r1, 15; @%p1 bra A", 32),
            (zero, "setp.gt.s32 %p1, %r1, 15; @%p1 bra A", 32),
            (zero, "setp.lt.s32 %p1, %r1, -1; @%p1 bra A", 32),
            (zero, "setp.ne.s32 %p1, %r1, %r2; @%p1 bra A", 32),
            // It counts on where the loop is entered again, or is counted elsewhere, too.
            (zero, "setp.ne.s32 %p1, %r1, 15; @%p1 bra A; setp.eq.s32 %p2, %r2, 1; @%p2 bra A", 32),
            (zero, "setp.eq.s32 %p2, %r2, 1; @%p2 add.s32 %r1, %r1, 5; setp.ne.s32 %p1, %r1, 15; @%p1 bra A", 32),
        ] {
            assert_eq!(of(begin, test), wanted, "{begin} {test}");
        }
        // Read before it is written.
        let some = "ld.param.u32 %r2, [p]; setp.eq.u32 %p1, %r2, 1; @%p1 mov.u32 %r1, 5; st.global.u32 [%r1], %r1;";
        assert_eq!(rows(some, 1), [32]);
    }
}
