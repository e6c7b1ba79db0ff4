//! Addresses in loops become a sum of rows that stay and a register that is the same for all threads and counts: of
//! `p = p + 4 * n` in each turn, where n is the same for all, rows hold what p begins with, and a scalar register how
//! far it has come. The sum of both is left to the words of memory (`multiples.rs`), which add scalar registers
//! themselves; so are pointers and numbers that are part of what stays. Rows are fewer then: those of an index, and
//! not of an address.
//!
//! Nothing is assumed of the flow: which values are scalar registers is decided when words are chosen, from masks.

use std::collections::HashMap;

use super::addresses::Places;
use super::forms::DEEP;
use super::steps::number;
use super::uniform::uniform;
use super::{fresh, rename, replaced};
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

/// What is the same for all threads in what stays: pointers, mostly.
const MOST: usize = 2;
/// Sums that are looked through on the way to an address.
const FURTHER: usize = 2;

/// Takes addresses in loops apart.
pub fn run(kernel: &mut Kernel) {
    count(kernel);
    part(kernel);
}

/// What differs from thread to thread, what does not, and a number.
type Split = (RegisterId, Vec<RegisterId>, u32);

/// A kernel with what is known of its registers.
struct Known<'a> {
    kernel: &'a Kernel,
    places: Places,
    uniform: Vec<bool>,
}

impl Known<'_> {
    fn of(kernel: &Kernel) -> Known<'_> {
        Known { kernel, places: Places::of(kernel), uniform: uniform(kernel) }
    }

    fn is_uniform(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Register(register) => self.uniform[register.0 as usize],
            Operand::Immediate(_) => true,
            _ => false,
        }
    }

    /// The two terms of a sum of 32 bits that is nothing but that.
    fn terms(&self, at: usize) -> Option<(RegisterId, [&Operand; 2])> {
        let it = &self.kernel.body[at];
        let plain = ![Word::Sat, Word::Cc].iter().any(|word| it.words.has(*word)) && it.guard.is_none();
        let [Operand::Register(sum), x, y] = &it.operands[..] else { return None };
        let own = it.opcode == Opcode::Add && plain && it.ty().bits() == 32 && !it.ty().is_float();
        own.then_some((*sum, [x, y]))
    }

    /// Whether all who read a register want it for addresses, perhaps with something added that is the same for all.
    fn leads_to_addresses(&self, register: RegisterId, deep: usize) -> bool {
        let reads = self.places.reads(register);
        !reads.is_empty() && reads.iter().all(|&(at, address)| address || self.leads_further(register, at, deep))
    }

    /// Whether an instruction adds to it something that is the same for all, and addresses are all that comes of that.
    fn leads_further(&self, register: RegisterId, at: usize, deep: usize) -> bool {
        let Some((sum, [x, y])) = self.terms(at) else { return false };
        let other = if *x == Operand::Register(register) { y } else { x };
        deep > 0
            && sum != register
            && self.is_uniform(other)
            && self.places.writes(sum).len() == 1
            && self.leads_to_addresses(sum, deep - 1)
    }

    /// The sum in a loop of a register that stays, and has parts, and one that is the same for all threads; the latter,
    /// and those parts.
    fn parted(&self, at: usize) -> Option<(RegisterId, RegisterId, Split)> {
        let (sum, terms) = self.terms(at).filter(|_| self.places.in_loop(at))?;
        let [Operand::Register(x), Operand::Register(y)] = terms else { return None };
        let (rows, counts) = match [x, y].map(|term| self.uniform[term.0 as usize]) {
            [true, false] => (*y, *x),
            [false, true] => (*x, *y),
            _ => return None,
        };
        let once = self.places.writes(sum).len() == 1 && self.places.stays(rows);
        let parts = self.split(rows);
        (once && parts.0 != rows && self.leads_to_addresses(sum, FURTHER)).then_some((sum, counts, parts))
    }

    /// A register that stays as what differs from thread to thread, what does not, and a number.
    fn split(&self, register: RegisterId) -> Split {
        let (mut rows, mut common, mut plus) = (register, Vec::new(), 0_u32);
        let stays = |register: &RegisterId| {
            let bits = self.kernel.registers[register.0 as usize].ty.bits();
            self.places.stays(*register) && bits == 32
        };
        for _ in 0..DEEP {
            let [at] = *self.places.writes(rows) else { break };
            let Some((_, [x, y])) = self.terms(at) else { break };
            let (next, other) = match [x, y].map(|term| self.is_uniform(term)) {
                [true, false] => (y, x),
                [false, true] => (x, y),
                _ => break,
            };
            let Operand::Register(next) = next else { break };
            match other {
                _ if !stays(next) => break,
                Operand::Immediate(bits) => plus = plus.wrapping_add(*bits as u32),
                Operand::Register(other) if stays(other) && common.len() < MOST => common.push(*other),
                _ => break,
            }
            rows = *next;
        }
        (rows, common, plus)
    }
}

/// A sum of 32 bits, beside an instruction.
fn sum(like: &Instruction, to: RegisterId, x: RegisterId, y: Operand) -> Instruction {
    let operands = vec![Operand::Register(to), Operand::Register(x), y];
    let (words, types) = (Words::default(), vec![Type::U32]);
    Instruction { opcode: Opcode::Add, words, types, space: None, guard: None, operands, results: 1, ..like.clone() }
}

/// A register that each turn adds the same to in all threads.
struct Stride {
    /// What it becomes: what stays in rows, and what counts.
    rows: RegisterId,
    counts: RegisterId,
    /// Whether `rows` has the first value already, and where it counts.
    there: bool,
    adds: Vec<usize>,
}

/// Registers of addresses that count become two, whose sum is made where it is read.
fn count(kernel: &mut Kernel) {
    let known = Known::of(kernel);
    let mut found: HashMap<RegisterId, Stride> = HashMap::new();
    let mut registers = kernel.registers.len() as u32;
    for register in (0..registers).map(RegisterId) {
        if let Some((begins, adds)) = counted(&known, register) {
            let copied = match (&begins[..], &kernel.body[begins[0]].operands[..]) {
                ([at], [_, Operand::Register(from)]) if kernel.body[*at].opcode == Opcode::Mov => Some(*from),
                _ => None,
            };
            let copied = copied.filter(|from| known.places.stays(*from));
            let counts = RegisterId(registers);
            let rows = copied.unwrap_or(RegisterId(registers + 1));
            registers += if copied.is_some() { 1 } else { 2 };
            found.insert(register, Stride { rows, counts, there: copied.is_some(), adds });
        }
    }
    if found.is_empty() {
        return;
    }
    // Sums that are there already, by register: where, and what they are.
    let mut made: HashMap<RegisterId, (usize, RegisterId)> = HashMap::new();
    let mut steps: Vec<Vec<Instruction>> = Vec::new();
    for (at, it) in kernel.body.iter().enumerate() {
        let (mut own, mut before) = (it.clone(), Vec::new());
        for register in it.reads() {
            let Some(stride) = found.get(&register).filter(|stride| !stride.adds.contains(&at)) else { continue };
            let near = |one: &&(usize, RegisterId)| known.places.keeps(register, one.0, at);
            let total = made.get(&register).filter(near).map(|one| one.1).unwrap_or_else(|| {
                registers += 1;
                let total = RegisterId(registers - 1);
                before.push(sum(it, total, stride.rows, Operand::Register(stride.counts)));
                total
            });
            made.insert(register, (at, total));
            own.operands[it.results..].iter_mut().for_each(|operand| rename(operand, register, total));
        }
        let written = it.writes().first().and_then(|register| found.get(register));
        if let Some(stride) = written {
            if stride.adds.contains(&at) {
                let Some((register, [x, y])) = known.terms(at) else { unreachable!("it is a sum") };
                let by = if *x == Operand::Register(register) { y } else { x };
                own = sum(it, stride.counts, stride.counts, by.clone());
            } else {
                let zero = vec![Operand::Register(stride.counts), number(0)];
                let (words, types) = (Words::default(), vec![Type::U32]);
                let opcode = Opcode::Mov;
                let zero = Instruction { opcode, words, types, space: None, operands: zero, results: 1, ..it.clone() };
                own.operands[0] = Operand::Register(stride.rows);
                before.push(zero);
                if stride.there {
                    steps.push(before);
                    continue;
                }
            }
        }
        before.push(own);
        steps.push(before);
    }
    while (kernel.registers.len() as u32) < registers {
        fresh(kernel, Type::B32);
    }
    replaced(kernel, |at, _| std::mem::take(&mut steps[at]));
}

/// Where a register that counts gets its first values, and where something is added that is the same for all threads.
fn counted(known: &Known<'_>, register: RegisterId) -> Option<(Vec<usize>, Vec<usize>)> {
    let own = Operand::Register(register);
    if known.uniform[register.0 as usize] || known.kernel.registers[register.0 as usize].ty.bits() != 32 {
        return None;
    }
    let adds = |at: &usize| {
        let Some((_, [x, y])) = known.terms(*at) else { return false };
        let by = if *x == own { y } else { x };
        (*x == own || *y == own) && known.is_uniform(by) && known.places.in_loop(*at)
    };
    let (adds, begins): (Vec<usize>, Vec<usize>) = known.places.writes(register).iter().partition(|at| adds(at));
    let whole = |at: &usize| {
        let it = &known.kernel.body[*at];
        it.guard.is_none() && it.results == 1 && it.operands[0] == own
    };
    let reads = known.places.reads(register).iter().filter(|read| !adds.contains(&read.0));
    let addresses = |&(at, address): &(usize, bool)| address || known.leads_further(register, at, FURTHER);
    let good = !adds.is_empty() && !begins.is_empty() && begins.iter().all(whole) && reads.clone().count() > 0;
    (good && reads.clone().all(addresses)).then_some((begins, adds))
}

/// Sums in loops of what stays and what is the same for all threads: what is the same for all is added first.
fn part(kernel: &mut Kernel) {
    let known = Known::of(kernel);
    let mut registers = kernel.registers.len() as u32;
    let mut fresh_one = || {
        registers += 1;
        RegisterId(registers - 1)
    };
    let mut made: HashMap<(RegisterId, Vec<RegisterId>), (usize, RegisterId)> = HashMap::new();
    let mut steps: Vec<Vec<Instruction>> = Vec::new();
    for (at, it) in kernel.body.iter().enumerate() {
        let Some((total, counts, (rows, common, plus))) = known.parted(at) else {
            steps.push(vec![it.clone()]);
            continue;
        };
        let mut own = Vec::new();
        let near = |one: &&(usize, RegisterId)| known.places.keeps(counts, one.0, at);
        let key = (counts, common.clone());
        let all = made.get(&key).filter(near).map(|one| one.1).unwrap_or_else(|| {
            common.into_iter().fold(counts, |all, one| {
                let next = fresh_one();
                own.push(sum(it, next, all, Operand::Register(one)));
                next
            })
        });
        made.insert(key, (at, all));
        if plus == 0 {
            own.push(sum(it, total, rows, Operand::Register(all)));
        } else {
            let before = fresh_one();
            own.push(sum(it, before, rows, Operand::Register(all)));
            own.push(sum(it, total, before, number(plus)));
        }
        steps.push(own);
    }
    while (kernel.registers.len() as u32) < registers {
        fresh(kernel, Type::B32);
    }
    replaced(kernel, |at, _| std::mem::take(&mut steps[at]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::{self, Global, LIMIT, Launch};
    use crate::ptx::ast::Module;
    use crate::ptx::parse;

    fn module(body: &str) -> Module {
        let text = format!(
            ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k(.param .u32 p, .param .u32 n)\n\
             {{ .reg .pred %p<3>; .reg .b32 %r<19>;\nld.param.u32 %r1, [p]; ld.param.u32 %r2, [n]; \
             mov.u32 %r3, %tid.x; mul.lo.u32 %r4, %r3, 4; shl.b32 %r5, %r2, 2; add.s32 %r6, %r1, %r4; \
             mov.b32 %r7, 0; mov.b32 %r8, 1;\n{body}\nadd.s32 %r0, %r4, %r1; st.global.u32 [%r0+512], %r7; ret; }}"
        );
        parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What is left of 1 KiB in which word k held k, after a launch of eight threads with n = 3.
    fn left(module: &Module, kernel: &Kernel) -> Vec<u8> {
        let mut global = Global::default();
        let base = global.add("p", (0..256_u32).flat_map(u32::to_le_bytes).collect()).expect("there is room");
        let parameters = [base as u32, 3].into_iter().flat_map(u32::to_le_bytes).collect();
        let launch = Launch { grid: [1; 3], block: [8, 1, 1], shared: 0, parameters, limit: LIMIT };
        interpret::run(module, kernel, &launch, &mut global, &mut |_, _| {}).unwrap_or_else(|error| panic!("{error}"));
        global.region(base).expect("it is there").bytes.clone()
    }

    /// Sums in the loop from the label A on that are no scalar registers, before and behind the pass.
    fn sums(body: &str) -> [usize; 2] {
        let module = module(body);
        let mut kernel = module.kernels[0].clone();
        let count = |kernel: &Kernel| {
            let uniform = uniform(kernel);
            let begin = kernel.labels.iter().find(|label| label.0 == "A").map_or(0, |label| label.1);
            let end = kernel.body.iter().rposition(|it| it.target().is_some()).unwrap_or(0);
            let sums = kernel.body[begin..end].iter().filter(|it| it.opcode == Opcode::Add && !it.ty().is_float());
            // Those that words of memory do themselves are none.
            let places = Places::of(kernel);
            let alone = |register: &RegisterId| places.reads(*register).iter().all(|read| read.1);
            let rows = sums.flat_map(Instruction::writes).filter(|register| !uniform[register.0 as usize]);
            rows.filter(|register| !alone(register) || places.writes(*register).len() > 1).count()
        };
        let before = count(&kernel);
        let expected = left(&module, &kernel);
        run(&mut kernel);
        assert_eq!(left(&module, &kernel), expected, "{body}");
        [before, count(&kernel)]
    }

    const TURN: &str = "add.s32 %r8, %r8, 1; setp.lt.s32 %p1, %r8, 6; @%p1 bra A;";

    #[test]
    fn what_counts_is_one_register_for_all() {
        for (body, expected) in [
            // What it begins with stays; it is the sum of an index and a pointer.
            ("mov.b32 %r9, %r6; A: ld.global.u32 %r10, [%r9]; xor.b32 %r7, %r7, %r10; add.s32 %r9, %r9, %r5;", [1, 0]),
            // It is computed for this; the step comes first, the address has a number, and is stored to as well.
            (
                "mad.lo.s32 %r9, %r3, 8, %r1; A: add.s32 %r9, 8, %r9; ld.global.u32 %r10, [%r9+4]; \
                 xor.b32 %r7, %r7, %r10; st.global.u32 [%r9+256], %r7;",
                [1, 0],
            ),
            // Two steps, and a look behind the loop.
            (
                "mov.b32 %r9, %r6; A: ld.global.u32 %r10, [%r9]; add.s32 %r9, %r9, 4; xor.b32 %r7, %r7, %r10; \
                 ld.global.u32 %r10, [%r9]; add.s32 %r9, %r9, %r5; xor.b32 %r7, %r7, %r10;",
                [2, 0],
            ),
            // A sum with it is an address; so it is with what counts for all.
            (
                "mov.b32 %r9, %r6; A: add.s32 %r11, %r9, %r5; ld.global.u32 %r10, [%r11]; xor.b32 %r7, %r7, %r10; \
                 add.s32 %r9, %r9, 4;",
                [1, 1],
            ),
            (
                "mov.b32 %r9, 0; add.s32 %r11, %r6, -4; A: add.s32 %r12, %r11, %r9; \
                 ld.global.u32 %r10, [%r12+4]; xor.b32 %r7, %r7, %r10; add.s32 %r9, %r9, 4;",
                // The number goes to the word of memory in `multiples`.
                [0, 1],
            ),
        ] {
            let behind = "ld.global.u32 %r10, [%r6]; xor.b32 %r7, %r7, %r10;";
            assert_eq!(sums(&format!("{body} {TURN} {behind}")), expected, "{body}");
        }
    }

    #[test]
    fn inner_loops_begin_again() {
        let body = "A: mov.b32 %r9, %r6; mov.b32 %r12, 0; B: ld.global.u32 %r10, [%r9]; xor.b32 %r7, %r7, %r10; \
                    add.s32 %r9, %r9, 8; add.s32 %r12, %r12, 1; setp.lt.s32 %p2, %r12, %r8; @%p2 bra B;";
        assert_eq!(sums(&format!("{body} {TURN}")), [1, 0]);
    }

    #[test]
    fn others_stay() {
        for body in [
            // Steps that differ from thread to thread, or that only some of them do.
            "mov.b32 %r9, %r6; A: ld.global.u32 %r10, [%r9]; xor.b32 %r7, %r7, %r10; add.s32 %r9, %r9, %r4;",
            "mov.b32 %r9, %r6; A: ld.global.u32 %r10, [%r9]; xor.b32 %r7, %r7, %r10; setp.lt.s32 %p2, %r10, 5; \
             @%p2 add.s32 %r9, %r9, 4;",
            // Somebody wants the number.
            "mov.b32 %r9, %r6; A: ld.global.u32 %r10, [%r9]; xor.b32 %r7, %r7, %r9; add.s32 %r9, %r9, 4;",
            // Another write in the loop.
            "mov.b32 %r9, %r6; A: ld.global.u32 %r10, [%r9]; xor.b32 %r7, %r7, %r10; add.s32 %r9, %r9, 4; \
             setp.lt.s32 %p2, %r10, 5; @%p2 mov.b32 %r9, %r6;",
        ] {
            let [before, behind] = sums(&format!("{body} {TURN}"));
            assert_eq!(before, behind, "{body}");
        }
    }
}
