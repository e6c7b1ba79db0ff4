//! Who takes a walk through a model's tables, and what it is given on the way.
//!
//! Most take it as a [`Visit`]. A walk of every cycle is a [`Walk`], which is handed from row to row by value: what it
//! has at hand stays in the processor's registers from one row to the next.

use std::any::Any;

use crate::state::{Contents, Path, Touched};

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

    /// Whether so many memories that come next may be left out, which the model writes at the same time: nothing has
    /// been written to any of them.
    #[inline(always)]
    fn rests(self, _memories: usize, _touched: Touched<'_>) -> (Self, bool) {
        (self, false)
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

    /// See [`Visit::memory`].
    fn memory(self, copies: &[Path<'_>], contents: &Contents<'_>) -> Self;
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
