//! Words with names and words with rows.

use std::cell::RefCell;
use std::collections::HashMap;

use bitline_model::float::questions;
use bitline_units::array::isa::{Opcode, Set};
use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::{Kind, MaskOp, MemoryOp, Predicate, Source, Space, Trap};
use bitline_units::duality::isa::compute::Operations;
use bitline_units::duality::isa::field::*;
use bitline_units::duality::isa::word::Illegal;
use bitline_units::duality::params::{MASK_ROWS, MOST_ROWS};

use super::code::{Code, Name, Part, Row, Second, Start, Value};
use crate::ptx::ast::WARP;

/// Where names and masks are.
pub trait Places {
    /// The first row of a name, or the number of the scalar register.
    fn place(&self, name: Name) -> u64;
    /// The arrays that have it, bit k for array k: one, or more where all hold the same at the same rows.
    fn arrays(&self, name: Name) -> u8;
    /// The mask row of a block.
    fn mask(&self, block: usize) -> u64;
}

/// Places of one word by itself: its names one behind the other.
struct Apart(Vec<(Name, u64)>);

impl Places for Apart {
    fn place(&self, name: Name) -> u64 {
        self.0.iter().find(|place| place.0 == name).expect("its names have places").1
    }

    fn arrays(&self, _: Name) -> u8 {
        1
    }

    fn mask(&self, _: usize) -> u64 {
        MASK_ROWS
    }
}

/// Places of words that only their cycles and windows are asked of: everything at the same row, in arrays that are
/// known, or in the first.
pub struct Anywhere<'a>(pub &'a [u8]);

impl Places for Anywhere<'_> {
    fn place(&self, _: Name) -> u64 {
        MASK_ROWS
    }

    fn arrays(&self, name: Name) -> u8 {
        self.0.get(name).copied().unwrap_or(1)
    }

    fn mask(&self, _: usize) -> u64 {
        MASK_ROWS
    }
}

/// Encodes words, and says what they need.
#[derive(Clone)]
pub struct Encoder {
    operations: Operations,
    /// Scratch rows of words that were asked about.
    scratch: RefCell<HashMap<Word, Result<u64, Illegal>>>,
}

impl Encoder {
    /// That of a design. What a word needs does not depend on the number of rows, so that it has the most.
    pub fn new(params: &DualityParams) -> Encoder {
        let operations = Operations::new(&DualityParams { rows: MOST_ROWS, ..params.clone() });
        Encoder { operations, scratch: RefCell::default() }
    }

    /// Cycles of a product of n bits, modulo 2ⁿ.
    pub fn product(&self, n: u64) -> u64 {
        self.operations.operation(Opcode::MulLow, Set::Fast).cycles_with(n as i64, 0, 0).max(1) as u64
    }

    /// Scratch rows of a word.
    ///
    /// # Errors
    ///
    /// The rule that it breaks wherever its rows are.
    pub fn scratch(&self, code: &Code) -> Result<u64, Illegal> {
        let Code::Compute { .. } = code else { return Ok(0) };
        let (places, next) = apart(code, |name| name);
        self.shape(encode(code, &places, next))
    }

    /// Scratch rows of an encoded word; a word that needs none names none.
    fn shape(&self, word: Word) -> Result<u64, Illegal> {
        let found = || match self.operations.shape(word) {
            Ok(shape) => Ok(shape.scratch),
            Err(illegal) if illegal.code == Trap::Unused && illegal.field == S.name => {
                self.operations.shape(word.with(S, 0)).map(|shape| shape.scratch)
            }
            Err(illegal) => Err(illegal),
        };
        self.scratch.borrow_mut().entry(word).or_insert_with(found).clone()
    }

    /// Whether a word may run where operands of the same name have the same rows.
    pub fn allows(&self, code: &Code) -> bool {
        self.allows_as(code, |name| name)
    }

    /// Whether it may run where `one` and `other` begin at the same row.
    pub fn allows_together(&self, code: &Code, one: Name, other: Name) -> bool {
        self.allows_as(code, |name| if name == one { other } else { name })
    }

    fn allows_as(&self, code: &Code, stands: impl Fn(Name) -> Name) -> bool {
        let (places, next) = apart(code, stands);
        self.shape(encode(code, &places, next)).is_ok()
    }
}

/// Places of a word's names one behind the other, those that stand for the same at the same row; and the row behind.
fn apart(code: &Code, stands: impl Fn(Name) -> Name) -> (Apart, u64) {
    let mut places = Vec::with_capacity(5);
    let mut next = MASK_ROWS;
    if let Code::Compute { d, a, b, e, .. } = code {
        let second = if let Second::Rows(part) = b { Some(*part) } else { None };
        let parts = [*a, *e, second, Some(*d)];
        let alike = |one: Name, other: Name| stands(one) == stands(other);
        for name in parts.iter().flatten().map(|part| part.name) {
            let first = places.iter().find(|place: &&(Name, u64)| alike(place.0, name)).map(|place| place.1);
            let first = first.unwrap_or_else(|| {
                let own = parts.iter().flatten().filter(|part| alike(part.name, name));
                let first = next;
                next += own.map(|part| part.from + part.rows).max().unwrap_or(1);
                first
            });
            places.push((name, first));
        }
        if let Second::Scalar(name, _) = b {
            places.push((*name, 0));
        }
    }
    (Apart(places), next)
}

/// The lowest array of a set.
fn lowest(arrays: u8) -> u64 {
    u64::from(arrays.trailing_zeros())
}

/// The arrays that a word of one or two windows works in: that of a computation, of the rows that go elsewhere or of
/// the address; and that of the data.
pub fn windows(code: &Code, places: &dyn Places) -> (u64, u64) {
    let of = |name: Name| places.arrays(name);
    let both = |array| (array, array);
    match code {
        Code::Compute { d, .. } => both(lowest(of(d.name))),
        Code::Memory { d, b, start, .. } => {
            let address = if let Start::Rows(part, ..) = start { of(part.name) } else { u8::MAX };
            let data = match (d, b) {
                (Some(d), _) => of(d.name),
                (None, Some(b)) if of(b.name) & address != 0 => of(b.name) & address,
                (None, Some(b)) => of(b.name),
                (None, None) => 1,
            };
            let data = lowest(data);
            (if address >> data & 1 == 1 { data } else { lowest(address) }, data)
        }
        Code::Spill { part, .. } => both(lowest(of(part.name))),
        Code::Move { from, .. } => both(lowest(of(from.name))),
        Code::Mask { op: MaskOp::Taken | MaskOp::Other, a: Some(Row::Predicate(name)), .. } => both(lowest(of(*name))),
        Code::Jump { on: Some(Row::Mask(_)), array, .. } => both(*array),
        _ => both(0),
    }
}

/// The set that an operation is taken from. What products and quotients skip only subnormal numbers need, so that it is
/// seldom wanted; of many sums some cancel, and to ask takes longer than what it saves.
fn set(opcode: Opcode) -> Set {
    let sums = matches!(opcode, Opcode::FAdd | Opcode::FSub);
    if questions::asks(opcode) && !sums { Set::Skip } else { Set::Fast }
}

/// The word, its scratch rows from `scratch` on. Targets of jumps are put in later.
pub fn encode(code: &Code, places: &dyn Places, scratch: u64) -> Word {
    let row = |part: &Part| places.place(part.name) + part.from;
    // No word waits: those of one array follow each other in its window, what goes from array to array goes in a word
    // that is the oldest in the windows of both, and words of memory have their order.
    let (slot, data_slot) = windows(code, places);
    let word = |kind| if SLOT.is_of(kind) { Word::new(kind).with(SLOT, slot) } else { Word::new(kind) };
    let of_row = |on: &Row| match on {
        Row::Mask(block) => places.mask(*block),
        Row::Predicate(name) | Row::Scalar(name) => places.place(*name),
    };
    match code {
        Code::Label(_) => Word::default(),
        Code::Compute { opcode, format, width, modifier, d, a, b, e, predicate } => {
            let mut word = word(Kind::Compute)
                .with(OPCODE, opcode.code())
                .with(SET, set(*opcode) as u64)
                .with(FORMAT, *format)
                .with(WIDTH, width - 1)
                .with(MODIFIER, *modifier)
                .with(D, row(d))
                .with(S, scratch)
                .with(PREDICATE, predicate.code());
            if let Some(a) = a {
                word = word.with(A, row(a)).with(WIDTH_A, a.rows - 1).with(SIGN_A, a.signed.into());
            }
            if let Some(e) = e {
                word = word.with(E, row(e));
            }
            match b {
                Second::None => word,
                Second::Rows(b) => word.with(B, row(b)).with(WIDTH_B, b.rows - 1).with(SIGN_B, b.signed.into()),
                Second::Number(bits, number, signed) => word
                    .with(SOURCE, Source::Immediate.code())
                    .with(WIDTH_B, bits - 1)
                    .with(SIGN_B, (*signed).into())
                    .with(IMMEDIATE, *number),
                Second::Scalar(name, bits) => {
                    word.with(SOURCE, Source::Scalar.code()).with(WIDTH_B, bits - 1).with(B, places.place(*name))
                }
            }
        }
        Code::Memory { op, space, element, signed, d, b, s, start, offset, predicate } => {
            debug_assert!(matches!(predicate, Predicate::All | Predicate::Active), "no row of a predicate is encoded");
            let rows = d.or(*b).map_or(1, |part| part.rows);
            let mut word = word(Kind::Memory)
                .with(MEMORY_OP, op.code())
                .with(SPACE, space.code())
                .with(ELEMENT, element.code())
                .with(EXTEND, (*signed).into())
                .with(DATA_SLOT, data_slot)
                .with(WIDTH, rows - 1)
                .with(IMMEDIATE, (*offset).into())
                .with(PREDICATE, predicate.code());
            for (field, part) in [(D, d), (B, b), (S, s)] {
                if let Some(part) = part {
                    word = word.with(field, row(part));
                }
            }
            if *space == Space::Bank {
                word = word.with(S, WARP.ilog2().into());
            }
            match start {
                _ if word.reduces() => word,
                Start::Rows(part, scale, base) => {
                    let word = word.with(A, row(part)).with(WIDTH_A, part.rows - 1).with(SCALE, *scale);
                    let indexed = word.with(SOURCE, Source::Indexed.code());
                    base.map_or(word, |name| indexed.with(MODIFIER, places.place(name)))
                }
                Start::Scalar(name) => word.with(SOURCE, Source::Scalar.code()).with(A, places.place(*name)),
                Start::Zero => word.with(SOURCE, Source::Immediate.code()),
            }
        }
        Code::Spill { store, part, slot } => {
            let (op, field) = if *store { (MemoryOp::Store, B) } else { (MemoryOp::Load, D) };
            word(Kind::Memory)
                .with(MEMORY_OP, op.code())
                .with(SPACE, Space::Spill.code())
                .with(DATA_SLOT, data_slot)
                .with(WIDTH, part.rows - 1)
                .with(IMMEDIATE, *slot)
                .with(field, row(part))
        }
        Code::Move { from, to } => word(Kind::Move)
            .with(TARGETS, places.arrays(to.name).into())
            .with(WIDTH, from.rows - 1)
            .with(A, row(from))
            .with(D, row(to)),
        Code::Scalar { op, d, a, b, c } => {
            let mut word = word(Kind::Scalar).with(SCALAR_OP, op.code()).with(SCALAR_D, places.place(*d));
            if let Some(a) = a {
                word = word.with(SCALAR_A, places.place(*a));
            }
            if let Some(c) = c {
                word = word.with(SCALAR_C, places.place(*c));
            }
            match b {
                Value::Register(name) => word.with(SCALAR_B, places.place(*name)),
                Value::Number(number) => word.with(SOURCE, Source::Immediate.code()).with(IMMEDIATE, (*number).into()),
            }
        }
        Code::Mask { op, d, a } => {
            let mut word = word(Kind::Mask).with(MASK_OP, op.code());
            if let Some(block) = d {
                word = word.with(D, places.mask(*block));
            }
            if let Some(row) = a {
                word = word.with(A, of_row(row));
            }
            word
        }
        Code::Jump { condition, on, .. } => {
            let word = word(Kind::Jump).with(CONDITION, condition.code());
            on.as_ref().map_or(word, |on| word.with(A, of_row(on)))
        }
        Code::End => word(Kind::End),
    }
}
