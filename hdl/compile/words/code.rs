//! Words with names in place of rows: what the selection makes, and the allotment of rows turns into words.

use bitline_units::array::isa::Opcode;
use bitline_units::duality::isa::codes::{Condition, Element, MaskOp, MemoryOp, Predicate, ScalarOp, Space};

/// Rows, or a scalar register, that have no place yet.
pub type Name = usize;

/// What stands behind a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// So many rows of the array.
    Rows(u64),
    /// A scalar register.
    Scalar,
}

/// Rows of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name.
    pub name: Name,
    /// The first of its rows.
    pub from: u64,
    /// How many.
    pub rows: u64,
    /// Extended with its sign where more are wanted.
    pub signed: bool,
}

impl Part {
    /// All rows of a name.
    pub fn all(name: Name, rows: u64) -> Part {
        Part { name, from: 0, rows, signed: false }
    }

    /// Some of these rows.
    pub fn part(self, from: u64, rows: u64) -> Part {
        Part { from: self.from + from, rows, ..self }
    }

    /// Extended with its sign, or with zeros.
    pub fn extended(self, signed: bool) -> Part {
        Part { signed, ..self }
    }
}

/// A second source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// There is none.
    None,
    /// Rows.
    Rows(Part),
    /// A number of so many bits, extended with its sign or with zeros.
    Number(u64, u64, bool),
    /// So many bits of a scalar register.
    Scalar(Name, u64),
}

/// The second source of the scalar unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A register.
    Register(Name),
    /// A number.
    Number(u32),
}

/// Where an address begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the number in these rows, shifted up by so many bits, or its sum with that of a scalar register.
    Rows(Part, u64, Option<Name>),
    /// At that of a scalar register.
    Scalar(Name),
    /// At 0.
    Zero,
}

/// A row that masks are made of, or jumps look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// The mask row of a block.
    Mask(usize),
    /// A predicate.
    Predicate(Name),
    /// A scalar register.
    Scalar(Name),
}

/// Where a jump leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// To the beginning of a block.
    Block(usize),
    /// Behind the words with which a masked block begins.
    Inside(usize),
    /// Behind a block's code, where it is decided how to go on.
    Tail(usize),
    /// Behind the last block of the loop with this header.
    Behind(usize),
    /// To a place of the block's own.
    Local(usize),
}

/// A word, or a label.
#[derive(Clone, Debug, PartialEq)]
pub enum Code {
    /// A label.
    Label(Label),
    /// An operation of the array.
    Compute {
        /// Which.
        opcode: Opcode,
        /// The number of the format, 0 of integers.
        format: u64,
        /// Bits that it works on.
        width: u64,
        /// Shift of the first source; mode of floating point.
        modifier: u64,
        /// Result.
        d: Part,
        /// First source.
        a: Option<Part>,
        /// Second source.
        b: Second,
        /// Third source, or row of a selection or predicate.
        e: Option<Part>,
        /// Threads that write.
        predicate: Predicate,
    },
    /// An access.
    Memory {
        /// What is done.
        op: MemoryOp,
        /// Where.
        space: Space,
        /// With how many bits.
        element: Element,
        /// Extended with its sign.
        signed: bool,
        /// What is read.
        d: Option<Part>,
        /// What is written.
        b: Option<Part>,
        /// What is written by a compare and swap.
        s: Option<Part>,
        /// The address.
        start: Start,
        /// Bytes from there.
        offset: u32,
        /// Threads that take part.
        predicate: Predicate,
    },
    /// Rows to memory, or from there, as they are.
    Spill {
        /// Whether they go to memory.
        store: bool,
        /// The rows.
        part: Part,
        /// The first spill row.
        slot: u64,
    },
    /// Rows go from their array to others of the same bank.
    Move {
        /// What goes.
        from: Part,
        /// Where to: the arrays are those of the name.
        to: Part,
    },
    /// An operation of the scalar unit.
    Scalar {
        /// Which.
        op: ScalarOp,
        /// Result.
        d: Name,
        /// First source.
        a: Option<Name>,
        /// Second source.
        b: Value,
        /// What a selection looks at.
        c: Option<Name>,
    },
    /// An operation on masks.
    Mask {
        /// Which.
        op: MaskOp,
        /// The block whose mask is written.
        d: Option<usize>,
        /// The row that is read.
        a: Option<Row>,
    },
    /// A jump, or the beginning of a loop.
    Jump {
        /// When.
        condition: Condition,
        /// What it looks at.
        on: Option<Row>,
        /// The array in which it looks at a mask row, which all of them have.
        array: u64,
        /// Where to.
        to: Label,
    },
    /// The program ends.
    End,
}

/// A word with the block and the line of the kernel that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The word.
    pub code: Code,
    /// The block.
    pub block: usize,
    /// The line.
    pub line: u32,
    /// Whether what it writes must hold its old value before, because not all of it is written.
    pub keeps: bool,
    /// Which line of the selection it is; none of what the compiler adds to bring values from place to place.
    pub origin: Option<usize>,
}

impl Line {
    /// Names that it reads.
    pub fn reads(&self, classes: &[Class]) -> Vec<Name> {
        let mut found = self.code.reads(classes);
        found.extend(self.code.writes(classes).filter(|_| self.keeps).map(|written| written.0));
        found
    }

    /// The name that it writes, and whether nothing is left of what it held.
    pub fn writes(&self, classes: &[Class]) -> Option<(Name, bool)> {
        self.code.writes(classes).map(|(name, all)| (name, all && !self.keeps))
    }
}

impl Code {
    /// Names that it reads. What is written in part is read as well.
    pub fn reads(&self, classes: &[Class]) -> Vec<Name> {
        let mut found = Vec::new();
        match self {
            Code::Compute { d, a, b, e, predicate, .. } => {
                found.extend([a, e].into_iter().flatten().map(|part| part.name));
                match b {
                    Second::Rows(part) => found.push(part.name),
                    Second::Scalar(name, _) => found.push(*name),
                    _ => {}
                }
                let chosen = matches!(predicate, Predicate::Where | Predicate::Unless);
                if chosen || classes[d.name] != Class::Rows(d.rows) {
                    found.push(d.name);
                }
            }
            Code::Memory { d, b, s, start, .. } => {
                found.extend([b, s].into_iter().flatten().map(|part| part.name));
                match start {
                    Start::Rows(part, _, base) => found.extend([part.name].into_iter().chain(*base)),
                    Start::Scalar(name) => found.push(*name),
                    Start::Zero => {}
                }
                found.extend(d.iter().filter(|d| classes[d.name] != Class::Rows(d.rows)).map(|d| d.name));
            }
            Code::Scalar { a, b, c, .. } => {
                found.extend(a.iter().chain(c));
                if let Value::Register(name) = b {
                    found.push(*name);
                }
            }
            Code::Spill { store, part, .. } => found.extend(store.then_some(part.name)),
            Code::Move { from, to } => {
                found.push(from.name);
                found.extend((classes[to.name] != Class::Rows(to.rows)).then_some(to.name));
            }
            Code::Mask { a: Some(row), .. } | Code::Jump { on: Some(row), .. } => match row {
                Row::Predicate(name) | Row::Scalar(name) => found.push(*name),
                Row::Mask(_) => {}
            },
            Code::Label(_) | Code::Mask { .. } | Code::Jump { .. } | Code::End => {}
        }
        found
    }

    /// Names of rows that a word wants in its own array, those of an address apart.
    pub fn sources(&self) -> Vec<Name> {
        let mut found = match self {
            Code::Compute { a, b, e, .. } => {
                let second = if let Second::Rows(part) = b { Some(part) } else { None };
                [a.as_ref(), e.as_ref(), second].into_iter().flatten().map(|part| part.name).collect()
            }
            Code::Memory { b, s, .. } => [b, s].into_iter().flatten().map(|part| part.name).collect(),
            _ => Vec::new(),
        };
        found.dedup();
        found
    }

    /// The name that it writes, and whether all of it is written in the threads that go this way.
    pub fn writes(&self, classes: &[Class]) -> Option<(Name, bool)> {
        match self {
            Code::Compute { d, predicate, .. } => {
                let chosen = matches!(predicate, Predicate::Where | Predicate::Unless);
                Some((d.name, !chosen && classes[d.name] == Class::Rows(d.rows)))
            }
            Code::Memory { d: Some(d), .. } => Some((d.name, classes[d.name] == Class::Rows(d.rows))),
            Code::Spill { store: false, part, .. } => Some((part.name, true)),
            Code::Move { to, .. } => Some((to.name, classes[to.name] == Class::Rows(to.rows))),
            Code::Scalar { d, .. } => Some((*d, true)),
            _ => None,
        }
    }

    /// Puts another name in place of one.
    pub fn rename(&mut self, from_name: Name, to_name: Name) {
        let change = |name: &mut Name| {
            if *name == from_name {
                *name = to_name;
            }
        };
        let in_second = |b: &mut Second| match b {
            Second::Rows(part) => change(&mut part.name),
            Second::Scalar(name, _) => change(name),
            Second::None | Second::Number(..) => {}
        };
        match self {
            Code::Compute { d, a, b, e, .. } => {
                change(&mut d.name);
                [a, e].into_iter().flatten().for_each(|part| change(&mut part.name));
                in_second(b);
            }
            Code::Memory { d, b, s, start, .. } => {
                [d, b, s].into_iter().flatten().for_each(|part| change(&mut part.name));
                if let Start::Rows(part, ..) = start {
                    change(&mut part.name);
                }
            }
            Code::Spill { part, .. } => change(&mut part.name),
            Code::Move { from, to } => [from, to].into_iter().for_each(|part| change(&mut part.name)),
            Code::Mask { a: Some(Row::Predicate(name)), .. } | Code::Jump { on: Some(Row::Predicate(name)), .. } => {
                change(name);
            }
            _ => {}
        }
    }
}
