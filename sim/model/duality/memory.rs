//! Flat memory in DC-pages of 64 KiB, as threads see it. Beside it the models of the memory unit and its blocks.

pub mod access;
pub mod answers;
pub mod chosen;
mod element;
pub mod float_add;
pub mod look;
pub mod sequence;
pub mod spill;
pub mod states;
pub mod store_merge;
pub mod threads;
pub mod translate;
pub mod unit;

use std::collections::BTreeMap;
use std::ops::Range;

use bitline_units::duality::isa::codes::Trap;

/// Bytes of a DC-page.
pub const PAGE: u32 = 1 << 16;

/// Pages by their number; what is in no page cannot be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlatMemory {
    pages: BTreeMap<u32, Page>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Page {
    bytes: Vec<u8>,
    writable: bool,
    /// From the first to the last byte that was mapped.
    mapped: Range<u32>,
}

/// Bytes of a page that were mapped, and all between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The page.
    pub page: u32,
    /// Offsets in it.
    pub bytes: Range<u32>,
    /// Whether threads may write them.
    pub writable: bool,
}

impl FlatMemory {
    /// Maps the pages that hold these bytes, filled with zeros where they were not mapped before.
    pub fn map(&mut self, address: u32, bytes: u32, writable: bool) {
        let last = address.saturating_add(bytes.saturating_sub(1));
        for number in address / PAGE..=last / PAGE {
            let page = self.pages.entry(number).or_insert_with(|| Page {
                bytes: vec![0; PAGE as usize],
                writable,
                mapped: 0..0,
            });
            page.writable = writable;
            let from = if number == address / PAGE { address % PAGE } else { 0 };
            let to = if number == last / PAGE { last % PAGE + 1 } else { PAGE };
            if bytes > 0 {
                let held = page.mapped.clone();
                page.mapped = if held.is_empty() { from..to } else { held.start.min(from)..held.end.max(to) };
            }
        }
    }

    /// What was mapped of each page; pages of which nothing was are left out.
    pub fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        let pages = self.pages.iter().filter(|(_, page)| !page.mapped.is_empty());
        pages.map(|(&number, page)| Span { page: number, bytes: page.mapped.clone(), writable: page.writable })
    }

    /// The numbers of the pages that are there, and whether they can be written.
    pub fn pages(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.pages.iter().map(|(&number, page)| (number, page.writable))
    }

    /// Whether an access of so many bytes may be made, which lie in one page.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, address: u32, bytes: u32, write: bool) -> Result<(), Trap> {
        if !address.is_multiple_of(bytes) {
            return Err(Trap::Misaligned);
        }
        match self.pages.get(&(address / PAGE)) {
            None => Err(Trap::Unmapped),
            Some(page) if write && !page.writable => Err(Trap::ReadOnly),
            Some(_) => Ok(()),
        }
    }

    /// The little-endian number at an address; bytes that are in no page read 0.
    pub fn read(&self, address: u32, bytes: u32) -> u64 {
        (0..bytes).fold(0, |value, i| value | u64::from(self.byte(address.wrapping_add(i))) << (8 * i))
    }

    /// Puts the low bytes of a number to an address, also where threads may only read; bytes that are in no page are
    /// lost.
    pub fn write(&mut self, address: u32, bytes: u32, value: u64) {
        for i in 0..bytes {
            let at = address.wrapping_add(i);
            if let Some(page) = self.pages.get_mut(&(at / PAGE)) {
                page.bytes[(at % PAGE) as usize] = (value >> (8 * i)) as u8;
            }
        }
    }

    fn byte(&self, address: u32) -> u8 {
        self.pages.get(&(address / PAGE)).map_or(0, |page| page.bytes[(address % PAGE) as usize])
    }

    /// Maps the pages of a vector of words and writes it.
    pub fn place(&mut self, address: u32, words: &[u32]) {
        self.map(address, 4 * words.len() as u32, true);
        for (at, &word) in (address..).step_by(4).zip(words) {
            self.write(at, 4, word.into());
        }
    }

    /// So many words from an address on.
    pub fn words(&self, address: u32, count: usize) -> Vec<u32> {
        (address..).step_by(4).take(count).map(|at| self.read(at, 4) as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_know_what_was_mapped_of_them() {
        let mut memory = FlatMemory::default();
        memory.map(0x2_0000, 0, true);
        assert_eq!((memory.pages().count(), memory.spans().count()), (1, 0));
        memory.map(0x2_0100, 16, true);
        memory.map(0x2_0080, 4, true);
        memory.map(0x4_fff8, 16, false);
        let spans: Vec<_> = memory.spans().map(|span| (span.page, span.bytes, span.writable)).collect();
        assert_eq!(spans, [(2, 0x80..0x110, true), (4, 0xfff8..0x1_0000, false), (5, 0..8, false)]);
        // The last page ends with the address space.
        memory.map(0xffff_fff0, 0x100, true);
        assert_eq!(memory.spans().last().map(|span| span.bytes), Some(0xfff0..0x1_0000));
    }
}
