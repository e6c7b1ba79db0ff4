//! Sums that are nothing but addresses: a word of memory adds a scalar register or a number to rows by itself.
//!
//! `optimize/addresses.rs` does so on the text, where it is not known which values are scalar registers. Here it is, of
//! sums in the block of the access, between which and it neither of their parts is written, and which nothing else
//! reads: they are words no more. Rows that have their sign above them stay: an address is extended with zeros.

use std::collections::HashMap;

use bitline_units::array::isa::Opcode;
use bitline_units::duality::isa::codes::{Predicate, Space};

use super::code::{Code, Line, Name, Part, Second, Start};
use super::select::Select;

/// Bits of an address.
const ADDRESS: u64 = 32;

/// What a sum adds to its rows.
#[derive(Clone, Copy)]
enum Added {
    Scalar(Name),
    Number(u32),
}

/// The rows and what is added to them, of a word that makes an address of both.
fn sum(line: &Line) -> Option<(Name, Part, Added)> {
    let Code::Compute {
        opcode: Opcode::Add, format: 0, width: ADDRESS, modifier: 0, d, a: Some(a), b, predicate, ..
    } = &line.code
    else {
        return None;
    };
    let whole = d.rows == ADDRESS && d.from == 0 && a.name != d.name;
    let extended = a.signed && a.rows < ADDRESS;
    let added = match b {
        Second::Scalar(name, ADDRESS) => Added::Scalar(*name),
        Second::Number(bits, number, signed) if !signed || *bits == ADDRESS => Added::Number(*number as u32),
        _ => return None,
    };
    let plain = matches!(predicate, Predicate::All | Predicate::Active);
    (whole && plain && !extended).then_some((d.name, *a, added))
}

/// An access whose address is a sum: its line, that of the sum, and the sum.
struct Folded {
    access: usize,
    from: usize,
    address: Name,
    part: Part,
    added: Added,
}

impl Select<'_> {
    /// Puts sums that nothing reads but words of memory behind them into these, and takes them away.
    pub(super) fn fold_sums(&mut self) {
        let found = (0..self.lines.len()).filter_map(|access| self.folded(access));
        let mut found: Vec<Folded> = found.collect();
        let (mut reads, mut folded) = (HashMap::new(), HashMap::new());
        for name in self.lines.iter().flat_map(|line| line.reads(&self.classes)) {
            *reads.entry(name).or_insert(0) += 1;
        }
        found.iter().for_each(|one| *folded.entry(one.address).or_insert(0) += 1);
        found.retain(|one| reads.get(&one.address) == folded.get(&one.address));
        for one in &found {
            let Code::Memory { start, offset, .. } = &mut self.lines[one.access].code else { continue };
            match one.added {
                Added::Scalar(name) => *start = Start::Rows(one.part, Some(name)),
                Added::Number(number) => {
                    *start = Start::Rows(one.part, None);
                    *offset = offset.wrapping_add(number);
                }
            }
        }
        let lines = std::mem::take(&mut self.lines).into_iter().enumerate();
        let left = lines.filter(|(at, _)| !found.iter().any(|one| one.from == *at));
        self.lines = left.map(|(_, line)| line).collect();
        self.lines.iter_mut().enumerate().for_each(|(at, line)| line.origin = Some(at));
    }

    /// The access at a line, if its address is a sum.
    fn folded(&self, access: usize) -> Option<Folded> {
        let Code::Memory { start: Start::Rows(address, None), d, .. } = self.lines[access].code else { return None };
        // Of a thread's number only the rows that it has count.
        if matches!(self.lines[access].code, Code::Memory { space: Space::Bank, .. }) {
            return None;
        }
        let (from, part, added) = self.sum_before(access, address.name)?;
        // What is read may not have the rows of its address.
        let apart = d.is_none_or(|d| d.name != part.name);
        let whole = address.rows == ADDRESS && address.from == 0;
        (apart && whole).then_some(Folded { access, from, address: address.name, part, added })
    }

    /// The sum in the same block that makes an address, if its parts still are what they were.
    fn sum_before(&self, access: usize, address: Name) -> Option<(usize, Part, Added)> {
        let block = self.lines[access].block;
        let mut written = Vec::new();
        for at in (0..access).rev().take_while(|at| self.lines[*at].block == block) {
            let line = &self.lines[at];
            if matches!(line.code, Code::Label(_)) {
                return None;
            }
            let name = line.code.writes(&self.classes).map(|written| written.0);
            if name == Some(address) {
                let (_, part, added) = sum(line)?;
                let scalar = if let Added::Scalar(name) = added { Some(name) } else { None };
                let same = !written.contains(&part.name) && scalar.is_none_or(|name| !written.contains(&name));
                return same.then_some((at, part, added));
            }
            written.extend(name);
        }
        None
    }
}
