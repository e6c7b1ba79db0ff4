//! Random words for the tests: some of every kind, most of them nearly legal.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::codes::{Kind, MemoryOp, Space};
use super::super::compute::names_format;
use super::super::field::*;
use super::super::legal::Rules;
use super::super::word::Word;
use crate::array::isa::format::{FORMATS, Format};
use crate::array::isa::opcode::Conversion;
use crate::array::isa::operation::Operation;
use crate::array::isa::row::Operand;
use crate::array::isa::{Opcode, Set};
use crate::duality::params::DualityParams;

/// Random numbers.
pub struct Random(ChaCha8Rng);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.random()
    }

    pub fn below(&mut self, most: u64) -> u64 {
        self.0.random_range(0..most)
    }

    pub fn one<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    pub fn word(&mut self) -> Word {
        Word(u128::from(self.next()) << 64 | u128::from(self.next()))
    }
}

/// The largest control block, with all that there is.
pub fn params() -> DualityParams {
    DualityParams { crossbar: 8, ..DualityParams::preset("cb").expect("it is there") }
}

/// A compute word that may well be legal.
pub fn compute(random: &mut Random, operation: impl Fn(Opcode, Set) -> std::sync::Arc<Operation>) -> Word {
    // Whatever a word has a code for.
    let coded: Vec<Opcode> = Opcode::ALL.iter().copied().filter(|opcode| opcode.code() <= OPCODE.most()).collect();
    let opcode = random.one(&coded);
    let set = random.one(&[Set::Fast, Set::Skip]);
    let operation = operation(opcode, set);
    let mut word = Word::new(Kind::Compute).with(OPCODE, opcode.code()).with(SET, set as u64);
    word = word.with(SLOT, random.below(4)).with(WAIT, random.below(32) & random.below(32));
    let n = if names_format(opcode) {
        let own: Vec<Format> = operation.own_formats().collect();
        let format = random.one(&own);
        let number = FORMATS.iter().position(|other| *other == format).expect("it is one of them");
        word = word.with(FORMAT, number as u64 + 1);
        format.bits().into()
    } else {
        {
            let any = 1 + random.below(64);
            random.one(&[1, 2, 4, 8, 16, 32, 64, any])
        }
    };
    let scratch = random.below(512);
    word = word.with(WIDTH, n - 1).with(D, random.below(512)).with(S, random.one(&[0, scratch]));
    let float = opcode.is_float();
    if operation.extent_of(Operand::A).is_some() {
        let number = match opcode.conversion() {
            Some(Conversion::ToInteger(format)) => Some(format.bits()),
            Some(Conversion::FromInteger(_)) => None,
            None => opcode.source_format().map(Format::bits).or(float.then_some(n as u32)),
        };
        let rows = if random.below(2) == 0 { n } else { 1 + random.below(n) };
        let rows = if opcode == Opcode::Fill { 1 } else { number.map_or(rows, u64::from) };
        word = word.with(A, random.below(512)).with(WIDTH_A, rows - 1);
        word = if number.is_some() { word } else { word.with(SIGN_A, random.below(2)) };
    }
    if float || random.below(4) == 0 {
        word = word.with(MODIFIER, random.below(16));
    }
    let second = operation.second.is_some();
    if operation.extent_of(Operand::B).is_some() || opcode == Opcode::MulConst {
        let most = if second { 7 } else { n };
        let bits = if float || !second && random.below(2) == 0 { n } else { 1 + random.below(most) };
        let source = if opcode == Opcode::MulConst { 1 + random.below(2) } else { random.below(3) };
        let bits = if source > 0 { bits.min(32) } else { bits };
        word = word.with(WIDTH_B, bits - 1).with(SOURCE, source);
        word = match source {
            0 => word.with(B, random.below(512)),
            1 => word.with(IMMEDIATE, random.next() & ((1 << bits) - 1)),
            _ => word.with(B, random.below(32)),
        };
        word = if float { word } else { word.with(SIGN_B, random.below(2)) };
    }
    if matches!(opcode, Opcode::DotU | Opcode::DotS) {
        word = word.with(IMMEDIATE, 2 * n + random.below(20)).with(WIDTH_B, n - 1).with(SOURCE, 0);
    }
    word = word.with(PREDICATE, random.below(4) * random.below(2));
    let e = operation.extent_of(Operand::E).is_some() || word.get(PREDICATE) > 1;
    if e { word.with(E, random.below(512)) } else { word }
}

/// Bits of the fields that a word of this kind has, few of them large.
pub fn other(random: &mut Random, kind: Kind) -> Word {
    let fields: Vec<&Field> = FIELDS.iter().filter(|field| field.is_of(kind) && **field != KIND).collect();
    let word = fields.into_iter().fold(Word::new(kind), |word, field| {
        let value = random.next() & field.most() & random.one(&[u64::MAX, 7, 1, 0, 0, 0x1f]);
        word.with(*field, value)
    });
    if kind != Kind::Memory || random.below(2) == 0 {
        return word;
    }
    // Of the crossbar: a shuffle, or a reduction, which has no address.
    let word = word.with(SPACE, Space::Bank.code()).with(ELEMENT, 0).with(EXTEND, 0).with(S, random.below(10));
    match random.below(2) {
        0 => word.with(MEMORY_OP, MemoryOp::Load.code()),
        _ => [A, WIDTH_A, SOURCE, MODIFIER, IMMEDIATE].into_iter().fold(word, |word, field| word.with(field, 0)),
    }
}

/// Legal words of every kind but jumps, in equal parts, and the operations among them.
pub fn legal_words(random: &mut Random, rules: &Rules, count: usize) -> Vec<Word> {
    let kinds = [Kind::Compute, Kind::Compute, Kind::Move, Kind::Memory, Kind::Scalar, Kind::Mask, Kind::End];
    let mut found = Vec::new();
    while found.len() < count {
        let kind = kinds[found.len() % kinds.len()];
        let word = match kind {
            Kind::Compute => compute(random, |opcode, set| rules.operations().operation(opcode, set)),
            kind => other(random, kind),
        };
        if rules.check(word).is_ok() {
            found.push(word);
        }
    }
    found
}
