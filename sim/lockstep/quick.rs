//! Compares all registers and outputs of an engine that keeps them together, in one pass over their words: tells only
//! whether one of them is wrong, which is seldom.
//!
//! What registers must hold is kept from cycle to cycle as an image of the engine's state. A walk writes it anew, but
//! for parts of the model that are as they were: their registers' values are there already, and are compared as all
//! others. Their memories are as they were, too, if the engine has noted no write to them.

use std::any::Any;
use std::ops::Range;

use super::places::Table;
use crate::engine::{self, Image, Kept, Writer};
use crate::model::state::{Bank, Contents, Element, Part, Path, Row, Walk};

/// A part of the model that was passed before.
#[derive(Debug, Default)]
struct Known {
    was: Option<Box<dyn Any>>,
    /// Its first memory, and where the engine notes what is written to its memories, if it has any.
    memory: usize,
    noted: Option<Range<usize>>,
    /// What comes behind it; nothing while it is being passed.
    to: Option<Position>,
}

/// Where a walk is: numbers of registers, memories and parts.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    register: usize,
    memory: usize,
    part: usize,
}

/// What is known from the cycles before.
#[derive(Debug, Default)]
pub(super) struct Memo {
    image: Image,
    /// Bits of each register.
    widths: Vec<usize>,
    parts: Vec<Known>,
    /// Memories that are compared together: the first one of each bank, and how many it has.
    banks: Vec<(Range<usize>, Option<engine::Bank>)>,
    /// Parts that are being passed.
    open: Vec<usize>,
}

impl Memo {
    /// Forgets everything if the engine keeps these registers elsewhere now.
    pub fn fit(&mut self, kept: &Kept<'_>, registers: &[usize]) {
        if !self.image.fits(kept, registers.len()) {
            let mut image = self.image.again(kept, registers);
            // Whatever the table always has a value for.
            image.matter();
            let widths = registers.iter().map(|&register| kept.width(register)).collect();
            *self = Memo { image, widths, ..Memo::default() };
        }
    }

    /// Whether registers hold what the last walk has said.
    pub fn same(&self, kept: &Kept<'_>) -> bool {
        self.image.same(kept)
    }

    /// Passes a table: its memories are compared with `words`, what its registers must hold is noted. Everything is
    /// passed if it is the `whole`, and those registers of which some bits are compared now and then are, too.
    pub fn walk(&mut self, table: &impl Table, words: &mut impl Memories, whole: bool) {
        let Memo { image, widths, parts, banks, open } = self;
        open.clear();
        let mut rest = Rest { memory: 0, part: 0, widths, parts, banks, open, words, whole };
        let open = table.pass(Quick { image: image.writer(), rest: &mut rest }).image.open();
        image.said(open);
    }
}

/// Takes the memories of a walk.
pub(super) trait Memories {
    /// Compares a memory and its copies, from the table's memory `first` up.
    fn copies(&mut self, first: usize, copies: usize, contents: &Contents<'_>);

    /// Where the engine notes which words of these memories are written, if it does: for [`Memories::untouched`].
    fn noted(&self, numbers: Range<usize>) -> Option<Range<usize>>;

    /// Whether the engine has noted there that no word was written since the last comparison.
    fn untouched(&self, noted: Range<usize>) -> bool;

    /// These memories as the engine looks at them together, if it does.
    fn bank(&self, numbers: Range<usize>) -> Option<engine::Bank>;

    /// Whether all words of a bank that either side may have written are what they must be.
    fn same<F: Fn(usize, usize) -> u64>(&self, held: &engine::Bank, bank: &Bank<'_, F>) -> bool;
}

/// Takes a walk: says what registers must hold, and compares memories.
struct Quick<'a, 'b, M> {
    image: Writer<'a>,
    rest: &'a mut Rest<'b, M>,
}

/// What few rows of a walk need.
struct Rest<'b, M> {
    /// Numbers of the memory and of the part that come next.
    memory: usize,
    part: usize,
    widths: &'b [usize],
    parts: &'b mut Vec<Known>,
    banks: &'b mut Vec<(Range<usize>, Option<engine::Bank>)>,
    open: &'b mut Vec<usize>,
    /// Takes memories.
    words: &'b mut M,
    whole: bool,
}

impl<M: Memories> Rest<'_, M> {
    /// A part begins; the register behind it, if it need not be passed.
    fn enter(&mut self, part: &impl Part) -> Option<usize> {
        let number = self.part;
        if number == self.parts.len() {
            self.parts.push(Known::default());
        }
        let known = &mut self.parts[number];
        if let (false, Some(to), Some(was)) = (self.whole, known.to, &known.was)
            && part.is(&**was)
            && (self.memory == to.memory || known.noted.clone().is_some_and(|at| self.words.untouched(at)))
        {
            (self.memory, self.part) = (to.memory, to.part);
            return Some(to.register);
        }
        part.keep(&mut known.was);
        (known.memory, known.to) = (self.memory, None);
        self.part += 1;
        self.open.push(number);
        None
    }

    /// Compares what may have been written to memories that come next, all together. Whether that has shown that they
    /// are what they must be.
    fn bank<F: Fn(usize, usize) -> u64>(&mut self, bank: &Bank<'_, F>) -> bool {
        let numbers = self.memory..self.memory + bank.count;
        if self.whole || bank.count == 0 {
            return false;
        }
        let known = self.banks.iter().position(|(of, _)| *of == numbers).unwrap_or_else(|| {
            self.banks.push((numbers.clone(), self.words.bank(numbers.clone())));
            self.banks.len() - 1
        });
        let same = self.banks[known].1.as_ref().is_some_and(|held| self.words.same(held, bank));
        if same {
            self.memory = numbers.end;
        }
        same
    }

    #[inline(never)]
    fn leave(&mut self, register: usize, open: bool) {
        if let Some(number) = self.open.pop() {
            let known = &mut self.parts[number];
            // What the image does not have is not known from it in the next cycle either.
            known.to = (!open).then_some(Position { register, memory: self.memory, part: self.part });
            if known.memory < self.memory {
                known.noted = self.words.noted(known.memory..self.memory);
            }
        }
    }

    #[inline(never)]
    fn memory(&mut self, copies: &[Path<'_>], contents: &Contents<'_>) {
        self.words.copies(self.memory, copies.len(), contents);
        self.memory += copies.len();
    }
}

impl<M: Memories> Walk for Quick<'_, '_, M> {
    #[inline(always)]
    fn part(mut self, part: &impl Part) -> (Self, bool) {
        let end = self.rest.enter(part);
        if let Some(register) = end {
            self.image.seek(register);
        }
        (self, end.is_none())
    }

    #[inline(always)]
    fn leave(self) -> Self {
        self.rest.leave(self.image.number(), self.image.open());
        self
    }

    #[inline(always)]
    fn bank<F: Fn(usize, usize) -> u64>(self, row: &Row<'_>, bank: &Bank<'_, F>) -> Self {
        if self.rest.bank(bank) {
            return self;
        }
        (0..bank.count).fold(self, |to, number| row.memory(number, bank, to))
    }

    #[inline(always)]
    fn word(mut self, _: &Path<'_>, value: u64) -> Self {
        self.image.put(value);
        self
    }

    #[inline(always)]
    fn seldom(mut self, _: &Path<'_>, value: Option<u64>) -> Self {
        self.image.put_seldom(value);
        self
    }

    #[inline(always)]
    fn words(mut self, _: &Path<'_>, value: &[u64]) -> Self {
        self.image.put_words(value);
        self
    }

    #[inline(always)]
    fn seldom_words(mut self, _: &Path<'_>, value: Option<&[u64]>) -> Self {
        self.image.put_words_seldom(value);
        self
    }

    #[inline(always)]
    fn row<T: Element>(mut self, _: &Row<'_>, values: &[T]) -> Self {
        self.image.put_row(values, T::MOST);
        self
    }

    fn bits(mut self, _: &Path<'_>, often: bool, bit: &dyn Fn(usize) -> Option<bool>) -> Self {
        let (width, whole) = (self.rest.widths[self.image.number()], self.rest.whole);
        self.image.put_bits(width, |number| bit(number).filter(|_| often || whole));
        self
    }

    #[inline(always)]
    fn memory(self, copies: &[Path<'_>], contents: &Contents<'_>) -> Self {
        self.rest.memory(copies, contents);
        self
    }
}
