//! What registers are sums of: multiples of others, and a number, as far as the text of a kernel says for sure
//! (`multiples.rs`).

use super::addresses::Places;
use crate::ptx::ast::{Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Space, Word};

/// How many instructions are looked through, one behind the other.
pub(super) const DEEP: usize = 16;
/// Multiples that an address may have.
const MOST: usize = 3;

/// A multiple of a register.
#[derive(Clone, Copy, Debug)]
struct Term {
    base: RegisterId,
    factor: u32,
    /// The first instruction that reads the base.
    read: usize,
    /// The register is the same for all threads.
    common: bool,
}

/// A sum of multiples, and a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Form {
    terms: Vec<Term>,
    plus: u32,
}

impl Form {
    fn number(plus: u32) -> Form {
        Form { terms: Vec::new(), plus }
    }

    fn scaled(mut self, by: u32) -> Form {
        self.terms.iter_mut().for_each(|term| term.factor = term.factor.wrapping_mul(by));
        self.terms.retain(|term| term.factor != 0);
        Form { plus: self.plus.wrapping_mul(by), ..self }
    }

    fn added(mut self, other: Form) -> Form {
        for term in other.terms {
            match self.terms.iter_mut().find(|own| own.base == term.base) {
                Some(own) => {
                    own.factor = own.factor.wrapping_add(term.factor);
                    own.read = own.read.min(term.read);
                }
                None => self.terms.push(term),
            }
        }
        self.terms.retain(|term| term.factor != 0);
        Form { plus: self.plus.wrapping_add(other.plus), ..self }
    }

    pub(super) fn as_number(&self) -> Option<u32> {
        self.terms.is_empty().then_some(self.plus)
    }
}

/// An address in parts.
pub(super) struct Parts {
    /// What differs from thread to thread: registers with their factors, in order.
    pub(super) rows: Vec<(RegisterId, u32)>,
    /// What does not.
    pub(super) common: Option<RegisterId>,
    pub(super) plus: u32,
    /// The first instructions that read those registers.
    pub(super) reads: Vec<(RegisterId, usize)>,
}

/// A kernel, with what is known of the launch and of where registers are read and written.
pub(super) struct Looks<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) places: Places,
    pub(super) numbers: &'a [(u64, u32)],
    /// Registers whose values are the same for all threads that come by.
    pub(super) uniform: Vec<bool>,
}

impl Looks<'_> {
    /// The only write of a register, if that is sure to happen where it stands.
    fn write(&self, register: RegisterId) -> Option<usize> {
        let [at] = *self.places.writes(register) else { return None };
        self.kernel.body[at].guard.is_none().then_some(at)
    }

    /// What an instruction writes, if it is a sum of multiples.
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
            match (a.as_number(), b.as_number()) {
                (_, Some(by)) => Some(a.scaled(by)),
                (Some(by), _) => Some(b.scaled(by)),
                _ => None,
            }
        };
        match it.opcode {
            Opcode::Mov => of(1),
            Opcode::Ld if it.space == Some(Space::Param) => {
                let offset = self.kernel.loaded(it)?;
                Some(Form::number(self.numbers.iter().find(|number| number.0 == offset)?.1))
            }
            Opcode::Add => Some(of(1)?.added(of(2)?)),
            Opcode::Sub => Some(of(1)?.added(Form::number(of(2)?.as_number()?.wrapping_neg()))),
            Opcode::Mul => product(),
            Opcode::Mad => Some(product()?.added(of(3)?)),
            Opcode::Shl => Some(of(1)?.scaled(1_u32.checked_shl(of(2)?.as_number()?)?)),
            _ => None,
        }
        .filter(|form| form.terms.len() <= MOST + 1)
    }

    /// What an instruction reads: looked through, or as it is.
    pub(super) fn read(&self, at: usize, operand: &Operand, deep: usize) -> Option<Form> {
        let register = match operand {
            Operand::Immediate(bits) => return Some(Form::number(*bits as u32)),
            Operand::Register(register) if self.kernel.registers[register.0 as usize].ty.bits() == 32 => *register,
            _ => return None,
        };
        let constant = self.places.common(self.kernel, register, at);
        let common = constant || self.uniform[register.0 as usize];
        let own = Form { terms: vec![Term { base: register, factor: 1, read: at, common }], plus: 0 };
        let Some(write) = self.write(register).filter(|_| deep > 0) else { return Some(own) };
        let there = self.places.stays(register) || self.places.straight(write, at);
        let once = self.places.reads(register).len() == 1;
        // A sum that others read is there anyway, and is one register instead of several; what is computed before a
        // loop is not computed in it.
        let enters = self.places.in_loop(at) && !self.places.in_loop(write);
        let good = |form: &Form| {
            let rows = form.terms.iter().filter(|term| !term.common).count();
            let there = there && !(enters && (rows > 1 || form.terms.iter().any(|term| term.factor != 1)));
            // What counts in a loop is the same for all, and so is all that it is made of: it is one register already.
            form.terms.is_empty() || (constant || !common) && there && (rows <= 1 || once)
        };
        Some(self.written(write, deep - 1).filter(good).unwrap_or(own))
    }

    /// The parts of an address that is written by the instruction at `at` and read as nothing else.
    pub(super) fn parts(&self, index: RegisterId, at: usize) -> Option<Parts> {
        // Who reads it before it is written wants what an earlier turn of a loop has left.
        let address = |&(read, address): &(usize, bool)| address && read > at;
        let reads = self.places.reads(index);
        if reads.is_empty() || !reads.iter().all(address) || self.write(index) != Some(at) {
            return None;
        }
        let form = self.written(at, DEEP)?;
        let (common, rows): (Vec<Term>, Vec<Term>) = form.terms.iter().partition(|term| term.common);
        let small = |factor: u32| factor >> 31 == 0;
        let simple = common.len() <= 1 && common.iter().all(|term| term.factor == 1);
        let there = form.terms.iter().all(|term| self.there(term.base, term.read, at));
        if !simple || !there || rows.is_empty() || rows.len() > MOST || !rows.iter().all(|term| small(term.factor)) {
            return None;
        }
        let reads = form.terms.iter().map(|term| (term.base, term.read)).collect();
        let mut rows: Vec<(RegisterId, u32)> = rows.iter().map(|term| (term.base, term.factor)).collect();
        rows.sort_by_key(|row| (row.0.0, row.1));
        Some(Parts { rows, common: common.first().map(|term| term.base), plus: form.plus, reads })
    }

    /// Whether a register is at `to` what an instruction at `read` reads.
    pub(super) fn there(&self, register: RegisterId, read: usize, to: usize) -> bool {
        read == to || self.places.stays(register) || self.places.keeps(register, read, to)
    }

    /// Whether who comes from `from` comes to `to`, and nowhere else, and finds these registers as they were.
    pub(super) fn near(&self, from: usize, to: usize, rows: &[(RegisterId, u32)]) -> bool {
        let same = |row: &(RegisterId, u32)| self.places.stays(row.0) || self.places.keeps(row.0, from, to);
        from == to
            || self.places.straight(from, to)
                && self.kernel.body[from..to].iter().all(Instruction::goes_on)
                && rows.iter().all(same)
    }
}
