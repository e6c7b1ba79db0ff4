//! Where a launch lies in the Duality Cache's memory on a board, which may be smaller than a page.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::model::duality::FlatMemory;
use crate::model::duality::memory::Span;
use crate::units::duality::launching::PAGE;

/// Bytes of a line of the cache ways: nothing shares one with something else.
const LINE: u32 = 64;

/// Pages of memory that pages of a launch are, and where its program is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// For each page of the launch that has bytes the page of memory.
    pub frames: BTreeMap<u32, u16>,
    /// Address of the program.
    pub code: u32,
}

impl Layout {
    /// Places for the bytes of all pages and for a program of so many bytes in a memory of `size` bytes. Pages of a
    /// launch share a page of memory only if there are not enough, and if their bytes are apart: an access to bytes of
    /// a page that nobody has asked for may meet another's then.
    ///
    /// # Errors
    /// [`Error::Parameter`] if they do not fit.
    pub fn new(memory: &FlatMemory, program: u32, size: u64) -> Result<Layout> {
        let spans: Vec<Span> = memory.spans().collect();
        let mut largest = spans.clone();
        largest.sort_by_key(|span| Reverse(span.bytes.len()));
        // What is large has fewer places: it goes first where the first way finds none.
        let found = Layout::of(&spans, program, size, true).or_else(|| Layout::of(&largest, program, size, false));
        found.ok_or_else(|| {
            let all: usize = spans.iter().map(|span| span.bytes.len()).sum();
            let rule = format!(
                "bytes of buffers, and {program} of program: there is no room for them in the {size} bytes of the \
                 board's memory"
            );
            Error::parameter("memory", all, rule)
        })
    }

    /// The same for spans in this order, each in the first page of memory where it has room, or rather in one of its
    /// own.
    fn of(spans: &[Span], program: u32, size: u64, own: bool) -> Option<Layout> {
        // What is taken, from and to.
        let mut taken: Vec<Range<u64>> = Vec::new();
        let mut frames = BTreeMap::new();
        let free = |wanted: &Range<u64>, taken: &[Range<u64>]| {
            wanted.end <= size && taken.iter().all(|held| held.end <= wanted.start || wanted.end <= held.start)
        };
        for span in spans {
            let (from, to) = (span.bytes.start / LINE * LINE, span.bytes.end.next_multiple_of(LINE));
            let place = |frame: u64| {
                let base = frame * u64::from(PAGE);
                base + u64::from(from)..base + u64::from(to)
            };
            let shared = |frame: &u64| own && taken.iter().any(|held| held.start / u64::from(PAGE) == *frame);
            let fitting = (0..size.div_ceil(PAGE.into())).filter(|&frame| free(&place(frame), &taken));
            let frame = fitting.min_by_key(shared)?;
            taken.push(place(frame));
            frames.insert(span.page, frame as u16);
        }
        // The program goes behind everything, or else into a gap.
        let length = u64::from(program.next_multiple_of(LINE));
        let starts = [0].into_iter().chain(taken.iter().map(|held| held.end));
        let code = starts.filter(|&start| free(&(start..start + length), &taken)).max()?;
        Some(Layout { frames, code: code as u32 })
    }

    /// Where a page of the launch begins in memory.
    pub fn base(&self, page: u32) -> Option<u32> {
        self.frames.get(&page).map(|&frame| u32::from(frame) * PAGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(places: &[(u32, u32)]) -> FlatMemory {
        let mut memory = FlatMemory::default();
        places.iter().for_each(|&(at, bytes)| memory.map(at, bytes, true));
        memory
    }

    #[test]
    fn pages_have_their_own_as_long_as_there_are_enough() {
        let three = memory(&[(0x3_0000, 100), (0x5_0100, 100), (0x7_0000, 0x8000), (0x9_0000, 0)]);
        let layout = Layout::new(&three, 160, 1 << 20).expect("room");
        assert_eq!(layout, Layout { frames: [(3, 0), (5, 1), (7, 2)].into(), code: 0x2_8000 });
        assert_eq!((layout.base(5), layout.base(9)), (Some(0x1_0000), None), "a page without bytes has no place");
        // In a page and a half the large one has the first page, and all else shares the half.
        let layout = Layout::new(&three, 160, 0x1_8000).expect("room");
        assert_eq!(layout, Layout { frames: [(3, 1), (5, 1), (7, 0)].into(), code: 0x1_0180 });
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let two = memory(&[(0x3_0000, 100), (0x5_0000, 100)]);
        let message = Layout::new(&two, 64, 0x1_0000).expect_err("both begin a page").to_string();
        assert!(message.starts_with("memory = 200: bytes of buffers, and 64 of program"), "{message}");
        let apart = memory(&[(0x3_0000, 100), (0x5_0080, 100)]);
        assert!(Layout::new(&apart, 64, 0x1_0000).is_ok());
        assert!(Layout::new(&apart, 5000, 4096).is_err());
    }
}
