//! Compares all registers of an engine that keeps them together, in one pass over their words: tells only whether one
//! of them is wrong, which is seldom.
//!
//! What registers must hold is kept from cycle to cycle as an image of the engine's state. A walk writes it anew, but
//! for parts of the model that are as they were: their registers' values are there already, and are compared as all
//! others. Their memories are as they were, too, if the engine has noted no write to them.

use std::any::Any;

use super::places::Compare;
use crate::engine::{Engine, Image, Writer};
use crate::model::state::{Contents, Part, Path, Visit};

/// A part of the model that was passed before.
#[derive(Debug, Default)]
struct Known {
    was: Option<Box<dyn Any>>,
    from: Position,
    /// Behind it; nothing while it is being passed.
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
    /// Parts that are being passed.
    open: Vec<usize>,
}

impl Memo {
    /// Forgets everything if the engine keeps these registers elsewhere now.
    pub fn fit<E: Engine>(&mut self, engine: &E, registers: &[usize]) {
        if let Some(kept) = engine.kept().filter(|kept| !self.image.fits(kept, registers.len())) {
            let mut image = Image::new(&kept, registers);
            // Whatever the table always has a value for.
            let mut writer = image.writer();
            (0..registers.len()).for_each(|number| writer.matters(number, true));
            let widths = registers.iter().map(|&register| kept.width(register)).collect();
            *self = Memo { image, widths, ..Memo::default() };
        }
    }

    /// Whether the engine's registers hold what the last walk has said.
    pub fn same<E: Engine>(&mut self, engine: &E) -> bool {
        engine.kept().is_some_and(|kept| self.image.same(&kept))
    }
}

/// Takes a walk: says what registers must hold, and compares memories.
pub(super) struct Quick<'a, 'b, E: Engine> {
    at: Position,
    image: Writer<'a>,
    widths: &'a [usize],
    parts: &'a mut Vec<Known>,
    open: &'a mut Vec<usize>,
    /// Takes memories.
    words: &'a mut Compare<'b, E>,
    /// Everything is passed, and those registers of which some bits are compared now and then are compared, too.
    whole: bool,
}

impl<'a, 'b, E: Engine> Quick<'a, 'b, E> {
    /// `words` compares memories.
    pub fn new(memo: &'a mut Memo, words: &'a mut Compare<'b, E>, whole: bool) -> Self {
        let Memo { image, widths, parts, open } = memo;
        open.clear();
        Quick { at: Position::default(), image: image.writer(), widths, parts, open, words, whole }
    }
}

impl<E: Engine> Visit for Quick<'_, '_, E> {
    fn part(&mut self, part: &dyn Part) -> bool {
        let number = self.at.part;
        if number == self.parts.len() {
            self.parts.push(Known::default());
        }
        let known = &mut self.parts[number];
        if let (false, Some(to), Some(was)) = (self.whole, known.to, &known.was)
            && part.is(&**was)
            && self.words.untouched(known.from.memory..to.memory)
        {
            self.at = to;
            return false;
        }
        part.keep(&mut known.was);
        self.at.part += 1;
        (known.from, known.to) = (self.at, None);
        self.open.push(number);
        true
    }

    fn leave(&mut self) {
        if let Some(number) = self.open.pop() {
            self.parts[number].to = Some(self.at);
        }
    }

    #[inline(always)]
    fn matters(&mut self, matters: bool) {
        self.image.matters(self.at.register, matters);
    }

    #[inline(always)]
    fn register(&mut self, _: &Path<'_>, value: Option<&[u64]>) {
        if let Some(value) = value {
            self.image.put(self.at.register, value);
        }
        self.at.register += 1;
    }

    fn bits(&mut self, _: &Path<'_>, often: bool, bit: &dyn Fn(usize) -> Option<bool>) {
        let width = self.widths[self.at.register];
        self.image.put_bits(self.at.register, width, |number| bit(number).filter(|_| often || self.whole));
        self.at.register += 1;
    }

    #[inline(never)]
    fn memory(&mut self, copies: &[Path<'_>], contents: &Contents<'_>) {
        self.words.copies(self.at.memory, copies.len(), contents);
        self.at.memory += copies.len();
    }
}
