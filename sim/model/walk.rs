//! Who takes a walk through a model's tables, and what it is given on the way.
//!
//! Most take it as a [`Visit`]. A walk of every cycle is a [`Walk`], which is handed from row to row by value: what it
//! has at hand stays in the processor's registers from one row to the next.

use std::any::Any;

use std::ops::BitOr;

use crate::state::{Contents, Path, Touched, Words};

/// A part of a model, on which alone the values of some places depend.
pub trait Part {
    /// Whether it is as it was.
    fn is(&self, was: &dyn Any) -> bool;

    /// Notes what it is.
    fn keep(&self, was: &mut Option<Box<dyn Any>>);
}

impl<T: Any + Clone + PartialEq> Part for T {
    #[inline]
    fn is(&self, was: &dyn Any) -> bool {
        was.downcast_ref::<T>().is_some_and(|was| was == self)
    }

    #[inline]
    fn keep(&self, was: &mut Option<Box<dyn Any>>) {
        match was.as_mut().and_then(|was| was.downcast_mut::<T>()) {
            Some(was) => was.clone_from(self),
            None => *was = Some(Box::new(self.clone())),
        }
    }
}

/// Takes a walk through places and their values.
pub trait Visit {
    /// A register or a port; without a value it does not matter in this cycle.
    fn register(&mut self, at: &Path<'_>, value: Option<&[u64]>);

    /// A register of which some bits do not matter; compared in every cycle if `often`, else now and then.
    fn bits(&mut self, at: &Path<'_>, often: bool, bit: &dyn Fn(usize) -> Option<bool>);

    /// A memory, and copies of it.
    fn memory(&mut self, copies: &[Path<'_>], contents: &Contents<'_>);
}

/// The same, by value. Of each place it is told whether it always has a value: a walk gets to it by the same function
/// in every cycle.
pub trait Walk: Sized {
    /// What follows depends on this part alone. Whether it is passed: whoever has passed it before and knows that
    /// neither the part nor the hardware's memories have changed may leave it out. [`Walk::leave`] ends it.
    #[inline(always)]
    fn part(self, _part: &impl Part) -> (Self, bool) {
        (self, true)
    }

    /// A part that was passed has ended.
    #[inline(always)]
    fn leave(self) -> Self {
        self
    }

    /// Memories of words of at most 64 bits that the model writes at the same time.
    #[inline(always)]
    fn bank<F: Fn(usize, usize) -> u64>(self, row: &Row<'_>, bank: &Bank<'_, F>) -> Self {
        (0..bank.count).fold(self, |to, number| row.memory(number, bank, to))
    }

    /// A register or a port of which the model says one word.
    fn word(self, at: &Path<'_>, value: u64) -> Self;

    /// The same; without a value it does not matter in this cycle.
    fn seldom(self, at: &Path<'_>, value: Option<u64>) -> Self;

    /// A register or a port of any size.
    fn words(self, at: &Path<'_>, value: &[u64]) -> Self;

    /// The same; without a value it does not matter in this cycle.
    fn seldom_words(self, at: &Path<'_>, value: Option<&[u64]>) -> Self;

    /// See [`Visit::bits`].
    fn bits(self, at: &Path<'_>, often: bool, bit: &dyn Fn(usize) -> Option<bool>) -> Self;

    /// A register or a port of at most 64 bits in each of several places, which always has a value: the first place's
    /// comes first. Whoever compares may compare them side by side.
    #[inline(always)]
    fn row<T: Element>(self, row: &Row<'_>, values: &[T]) -> Self {
        values.iter().enumerate().fold(self, |to, (number, &value)| row.pass(number, value.into(), to))
    }

    /// See [`Visit::memory`].
    fn memory(self, copies: &[Path<'_>], contents: &Contents<'_>) -> Self;
}

/// Memories as a model knows them that it writes at the same time.
#[derive(Clone, Copy)]
pub struct Bank<'a, F> {
    /// How many there are.
    pub count: usize,
    /// How many words each has.
    pub depth: usize,
    /// When they are compared.
    pub touched: Touched<'a>,
    /// A word: of this memory, with this number.
    pub word: F,
}

/// What a row's values are.
pub trait Element: Copy + Into<u64> + BitOr<Output = Self> {
    /// The largest one.
    const MOST: u64;
}

macro_rules! elements {
    ($($type:ty: $most:expr;)+) => {
        $(impl Element for $type {
            const MOST: u64 = $most;
        })+
    };
}

elements! { bool: 1; u8: 0xff; u32: 0xffff_ffff; u64: u64::MAX; }

/// Places of one name: in instances that have one, or with a number each.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    at: &'a Path<'a>,
    instances: Option<&'a str>,
    name: &'a str,
    number: Option<usize>,
    /// Number of the first one.
    first: usize,
}

impl<'a> Row<'a> {
    /// `name_0`, `name_1` and so on.
    pub fn new(at: &'a Path<'a>, name: &'a str) -> Row<'a> {
        Row { at, instances: None, name, number: None, first: 0 }
    }

    /// `name`, or `name_number`, in `instances_0`, `instances_1` and so on.
    pub fn inside(at: &'a Path<'a>, instances: &'a str, name: &'a str, number: Option<usize>) -> Row<'a> {
        Row { at, instances: Some(instances), name, number, first: 0 }
    }

    /// The same from this number on.
    #[must_use]
    pub fn from(self, first: usize) -> Row<'a> {
        Row { first, ..self }
    }

    /// Passes one memory of a bank.
    pub fn memory<W: Walk, F: Fn(usize, usize) -> u64>(&self, number: usize, bank: &Bank<'_, F>, to: W) -> W {
        let word = |word| Some((bank.word)(number, word));
        let contents = Contents { depth: bank.depth, words: Words::Narrow(&word), touched: bank.touched };
        to.memory(&[self.at.nth(self.name, number)], &contents)
    }

    fn pass<W: Walk>(&self, number: usize, value: u64, to: W) -> W {
        match self.instances {
            None => to.word(&self.at.nth(self.name, self.first + number), value),
            Some(instances) => {
                let instance = self.at.nth(instances, self.first + number);
                let path = self.number.map_or(instance.at(self.name), |number| instance.nth(self.name, number));
                to.word(&path, value)
            }
        }
    }
}

impl<V: Visit + ?Sized> Walk for &mut V {
    fn word(self, at: &Path<'_>, value: u64) -> Self {
        self.register(at, Some(&[value]));
        self
    }

    fn seldom(self, at: &Path<'_>, value: Option<u64>) -> Self {
        self.register(at, value.as_ref().map(std::slice::from_ref));
        self
    }

    fn words(self, at: &Path<'_>, value: &[u64]) -> Self {
        self.register(at, Some(value));
        self
    }

    fn seldom_words(self, at: &Path<'_>, value: Option<&[u64]>) -> Self {
        self.register(at, value);
        self
    }

    fn bits(self, at: &Path<'_>, often: bool, bit: &dyn Fn(usize) -> Option<bool>) -> Self {
        Visit::bits(self, at, often, bit);
        self
    }

    fn memory(self, copies: &[Path<'_>], contents: &Contents<'_>) -> Self {
        Visit::memory(self, copies, contents);
        self
    }
}

/// What a register or a port may hold.
pub trait Value {
    /// Passes it on.
    fn show<W: Walk>(&self, at: &Path<'_>, to: W) -> W;

    /// The same of a value that does not matter in this cycle if it is not there.
    fn show_seldom<W: Walk>(value: Option<&Self>, at: &Path<'_>, to: W) -> W;
}

macro_rules! values {
    ($($type:ty $(, for any $n:ident)?: $one:ident $seldom:ident, |$value:ident| $shown:expr;)+) => {$(
        impl $(<const $n: usize>)? Value for $type {
            #[inline(always)]
            fn show<W: Walk>(&self, at: &Path<'_>, to: W) -> W {
                let $value = self;
                to.$one(at, $shown)
            }

            #[inline(always)]
            fn show_seldom<W: Walk>(value: Option<&Self>, at: &Path<'_>, to: W) -> W {
                match value {
                    Some($value) => to.$seldom(at, Some($shown)),
                    None => to.$seldom(at, None),
                }
            }
        }
    )+};
}

values! {
    bool: word seldom, |value| (*value).into();
    u8: word seldom, |value| (*value).into();
    u16: word seldom, |value| (*value).into();
    u32: word seldom, |value| (*value).into();
    u64: word seldom, |value| *value;
    usize: word seldom, |value| *value as u64;
    u128: words seldom_words, |value| &[*value as u64, (*value >> 64) as u64];
    [u64]: words seldom_words, |value| value;
    [u64; N], for any N: words seldom_words, |value| value;
    Vec<u64>: words seldom_words, |value| value;
}

impl<T: Value + ?Sized> Value for &T {
    #[inline(always)]
    fn show<W: Walk>(&self, at: &Path<'_>, to: W) -> W {
        (**self).show(at, to)
    }

    #[inline(always)]
    fn show_seldom<W: Walk>(value: Option<&Self>, at: &Path<'_>, to: W) -> W {
        T::show_seldom(value.copied(), at, to)
    }
}

impl<T: Value> Value for Option<T> {
    #[inline(always)]
    fn show<W: Walk>(&self, at: &Path<'_>, to: W) -> W {
        T::show_seldom(self.as_ref(), at, to)
    }

    #[inline(always)]
    fn show_seldom<W: Walk>(value: Option<&Self>, at: &Path<'_>, to: W) -> W {
        T::show_seldom(value.and_then(Option::as_ref), at, to)
    }
}

/// A register or a port of which only some bits matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masked {
    /// What it holds.
    pub value: Vec<u64>,
    /// Bits that matter have a 1 here; those of limbs that are not there do not.
    pub mask: Vec<u64>,
}

impl Masked {
    /// Of at most 64 bits.
    pub fn low(value: u64, mask: u64) -> Masked {
        Masked { value: vec![value], mask: vec![mask] }
    }
}

impl Value for Masked {
    fn show<W: Walk>(&self, at: &Path<'_>, to: W) -> W {
        let limb = |limbs: &[u64], bit: usize| limbs.get(bit / 64).copied().unwrap_or(0) >> (bit % 64) & 1 == 1;
        to.bits(at, true, &|bit| limb(&self.mask, bit).then(|| limb(&self.value, bit)))
    }

    fn show_seldom<W: Walk>(value: Option<&Self>, at: &Path<'_>, to: W) -> W {
        match value {
            Some(value) => value.show(at, to),
            None => to.bits(at, true, &|_| None),
        }
    }
}
