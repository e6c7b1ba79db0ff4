//! Sums and shifts that are nothing but addresses: a word of memory shifts rows up and adds a scalar register or a
//! number to them by itself.
//!
//! `optimize/addresses.rs` does so on the text, where it is not known which values are scalar registers. Here it is, of
//! sums and shifts in the block of the access, between which and it nothing that they read is written, and which
//! nothing else reads: they are words no more. Rows that have their sign above them stay: an address is extended with
//! zeros. Sums go first: an index is shifted, and then its array's beginning is added.

use std::collections::HashMap;

use bitline_units::array::isa::Opcode;
use bitline_units::duality::isa::codes::{Predicate, Space};
use bitline_units::duality::isa::field::SCALE;

use super::code::{Code, Line, Name, Part, Second, Start};
use super::select::Select;

/// Bits of an address.
const ADDRESS: u64 = 32;

/// What is done to rows.
#[derive(Clone, Copy)]
enum Change {
    Scalar(Name),
    Number(u32),
    Shift(u64),
}

/// What a line leaves, the rows that it reads, and what it does to them, if a word of memory does that, too.
type Made = Option<(Part, Part, Change)>;

/// Whether all of a name is written, in all threads that go this way.
fn plain(d: &Part, width: u64, predicate: Predicate) -> bool {
    d.from == 0 && d.rows == width && width <= ADDRESS && matches!(predicate, Predicate::All | Predicate::Active)
}

/// A sum.
fn sum(line: &Line) -> Made {
    let Code::Compute {
        opcode: Opcode::Add, format: 0, width: ADDRESS, modifier: 0, d, a: Some(a), b, predicate, ..
    } = &line.code
    else {
        return None;
    };
    let change = match b {
        Second::Scalar(name, ADDRESS) => Change::Scalar(*name),
        Second::Number(bits, number, signed) if !signed || *bits == ADDRESS => Change::Number(*number as u32),
        _ => return None,
    };
    let extended = a.signed && a.rows < ADDRESS;
    (plain(d, ADDRESS, *predicate) && a.name != d.name && !extended).then_some((*d, *a, change))
}

/// A shift by a number: a copy of rows that are further down.
fn shift(line: &Line) -> Made {
    let Code::Compute {
        opcode: Opcode::Copy,
        format: 0,
        width,
        modifier,
        d,
        a: Some(a),
        b: Second::None,
        predicate,
        ..
    } = &line.code
    else {
        return None;
    };
    let left = width.checked_sub(*modifier).filter(|left| *left > 0 && (1..=SCALE.most()).contains(modifier))?;
    let extended = a.signed && a.rows < left;
    let legal = plain(d, *width, *predicate) && a.name != d.name && !extended;
    legal.then_some((*d, a.part(0, a.rows.min(left)), Change::Shift(*modifier)))
}

/// An access whose address is made by a line: its line, that one, the address, what it is made of, and how.
struct Folded {
    access: usize,
    from: usize,
    address: Name,
    part: Part,
    change: Change,
}

impl Select<'_> {
    /// Puts sums and shifts that nothing reads but words of memory behind them into these, and takes them away.
    pub(super) fn fold_addresses(&mut self) {
        self.fold(sum);
        self.fold(shift);
    }

    fn fold(&mut self, made: fn(&Line) -> Made) {
        let found = (0..self.lines.len()).filter_map(|access| self.folded(access, made));
        let mut found: Vec<Folded> = found.collect();
        let (mut reads, mut folded) = (HashMap::new(), HashMap::new());
        for name in self.lines.iter().flat_map(|line| line.reads(&self.classes)) {
            *reads.entry(name).or_insert(0) += 1;
        }
        found.iter().for_each(|one| *folded.entry(one.address).or_insert(0) += 1);
        found.retain(|one| reads.get(&one.address) == folded.get(&one.address));
        for one in &found {
            let Code::Memory { start, offset, .. } = &mut self.lines[one.access].code else { continue };
            let Start::Rows(part, scale, base) = start else { continue };
            *part = Part { signed: false, ..one.part };
            match one.change {
                Change::Scalar(name) => *base = Some(name),
                Change::Number(number) => *offset = offset.wrapping_add(number),
                Change::Shift(by) => *scale = by,
            }
        }
        let lines = std::mem::take(&mut self.lines).into_iter().enumerate();
        let left = lines.filter(|(at, _)| !found.iter().any(|one| one.from == *at));
        self.lines = left.map(|(_, line)| line).collect();
        self.lines.iter_mut().enumerate().for_each(|(at, line)| line.origin = Some(at));
    }

    /// The access at a line, if its address is made so.
    fn folded(&self, access: usize, made: fn(&Line) -> Made) -> Option<Folded> {
        let Code::Memory { start: Start::Rows(address, 0, base), d, .. } = self.lines[access].code else { return None };
        // Of a thread's number only the rows that it has count.
        if matches!(self.lines[access].code, Code::Memory { space: Space::Bank, .. }) {
            return None;
        }
        let (from, whole, part, change) = self.made_before(access, address.name, made)?;
        // What is read may not have the rows of its address.
        let apart = d.is_none_or(|d| d.name != part.name);
        let free = base.is_none() || matches!(change, Change::Shift(_));
        let whole = address.rows == whole.rows && address.from == 0;
        (apart && free && whole).then_some(Folded { access, from, address: address.name, part, change })
    }

    /// The line in the same block that makes an address, if what it reads still is what it was.
    fn made_before(
        &self,
        access: usize,
        address: Name,
        made: fn(&Line) -> Made,
    ) -> Option<(usize, Part, Part, Change)> {
        let block = self.lines[access].block;
        let mut written = Vec::new();
        for at in (0..access).rev().take_while(|at| self.lines[*at].block == block) {
            let line = &self.lines[at];
            if matches!(line.code, Code::Label(_)) {
                return None;
            }
            let name = line.code.writes(&self.classes).map(|written| written.0);
            if name == Some(address) {
                let (whole, part, change) = made(line)?;
                let scalar = if let Change::Scalar(name) = change { Some(name) } else { None };
                let same = !written.contains(&part.name) && scalar.is_none_or(|name| !written.contains(&name));
                return same.then_some((at, whole, part, change));
            }
            written.extend(name);
        }
        None
    }
}
