//! What a model knows of the hardware, in tables: one beside each model, which names the register, the memory or the
//! port that each piece of its state stands for, with the value that it must have.
//!
//! A table is a walk: it passes each place with its value to a [`Visit`], or to a [`Walk`] of its own. Whoever looks
//! for the places in a design, compares values after a cycle or copies them takes the same walk and gets the same
//! places in the same order, so that only the first walk needs their names. A [`Path`] is a chain of names on the
//! stack: the walk of every cycle allocates nothing.

use std::fmt;

pub use crate::walk::{Bank, Element, Masked, Part, Row, Value, Visit, Walk};

/// A place in the flattened design.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    above: Option<&'a Path<'a>>,
    name: &'a str,
    number: Option<usize>,
    joint: &'static str,
}

impl<'a> Path<'a> {
    /// The design itself.
    pub const TOP: Path<'static> = Path { above: None, name: "", number: None, joint: "" };

    /// What has this name.
    pub fn at(&'a self, name: &'a str) -> Path<'a> {
        Path { above: Some(self), name, number: None, joint: "." }
    }

    /// One of those that have this name.
    pub fn nth(&'a self, name: &'a str, number: usize) -> Path<'a> {
        Path { number: Some(number), ..self.at(name) }
    }

    /// What has a name that begins with this, which says itself how it goes on.
    pub fn prefix(&'a self, name: &'a str) -> Path<'a> {
        Path { joint: "", ..self.at(name) }
    }

    /// A bus: the names of its signals start with its own.
    pub fn bus(&'a self, name: &'a str) -> Path<'a> {
        Path { joint: "_", ..self.at(name) }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(above) = self.above {
            write!(f, "{above}{}", above.joint)?;
        }
        f.write_str(self.name)?;
        self.number.map_or(Ok(()), |number| write!(f, "_{number}"))
    }
}

/// Hands the word of this number to whoever asks.
pub type WideWords<'a> = dyn Fn(usize, &mut dyn FnMut(&[u64])) + 'a;

/// Hands on the numbers of the words that the model has written.
pub type Written<'a> = dyn Fn(&mut dyn FnMut(usize)) + 'a;

/// Words of a memory.
#[derive(Clone, Copy)]
pub enum Words<'a> {
    /// All of them, one after the other.
    Flat(&'a [u64]),
    /// A word of at most 64 bits; `None` does not matter.
    Narrow(&'a dyn Fn(usize) -> Option<u64>),
    /// A word, for whoever asks; it gets none that does not matter.
    Wide(&'a WideWords<'a>),
}

/// When words are compared that nobody is known to have written.
#[derive(Clone, Copy)]
pub enum Touched<'a> {
    /// In every cycle.
    Always,
    /// Now and then; those that the model has written are passed on, and are compared at once. An engine that does
    /// not tell what the hardware has written has all of them compared in every cycle.
    These(&'a Written<'a>),
    /// The same, but with such an engine now and then.
    Seldom(&'a Written<'a>),
}

/// A memory as a model knows it.
#[derive(Clone, Copy)]
pub struct Contents<'a> {
    /// How many words it has.
    pub depth: usize,
    /// These.
    pub words: Words<'a>,
    /// When they are compared.
    pub touched: Touched<'a>,
}

impl<'a> Contents<'a> {
    /// Words that are compared in every cycle.
    pub fn always(depth: usize, words: Words<'a>) -> Contents<'a> {
        Contents { depth, words, touched: Touched::Always }
    }
}

/// The table of a model: where the hardware keeps what.
///
/// ```text
/// Type(self, argument: Given) {       `argument` is what else the table depends on
///     self => a, b;                   registers a and b hold the fields of their names
///     name = value;                   a register and its value, or `None` where that does not matter
///     name[] = values;                name_0, name_1 ...; also name[k in numbers] = value
///     row name[] = values;            the same of a slice: whoever compares may do so side by side; also
///                                     row name[] = values, (n): so many at a time
///     across name { rows }            registers of instances name_0, name_1 ..., a slice for each with all instances'
///                                     values: self => a, b; or name[] = arrays of slices
///     let pattern = value;            for the rows below
///     if (condition) { rows }         registers that only some designs have
///     when (condition) { rows }       values that matter in some cycles; the condition may be `let pattern = value`
///     still (part) { rows }           rows that depend on this part of the model alone: passed if it has changed
///     in name { rows }                registers of an instance
///     in name = part, (argument);     the same, with the part's own table; in name[] = parts: of each in turn
///     bus name = part;                ports whose names start with that of the bus; also bus name { rows }
///     with part;                      the part's own table, in this instance
///     memory (name, copy) = contents; a memory and its copies; (name, copy)[k in 0..n] = contents: name_0, copy_0 ...
///     memories (name)[n], (touched, depth) = |k, word| value; name_0 ..., of which the model writes the same words at
///                                     a time
/// }
/// ```
macro_rules! state {
    (@rows $at:ident $to:ident $when:tt) => {};
    (@rows $at:ident $to:ident $when:tt let $name:pat = $value:expr; $($rest:tt)*) => {
        let $name = $value;
        state!(@rows $at $to $when $($rest)*);
    };
    (@rows $at:ident $to:ident $when:tt if ($($condition:tt)*) { $($rows:tt)* } $($rest:tt)*) => {
        if $($condition)* {
            state!(@rows $at $to $when $($rows)*);
        }
        state!(@rows $at $to $when $($rest)*);
    };
    (@rows $at:ident $to:ident $when:tt still ($part:expr) { $($rows:tt)* } $($rest:tt)*) => {
        let (walk, passed) = $to.part(&$part);
        $to = walk;
        if passed {
            state!(@rows $at $to $when $($rows)*);
            $to = $to.leave();
        }
        state!(@rows $at $to $when $($rest)*);
    };
    (@rows $at:ident $to:ident [$($when:tt)*] when $condition:tt { $($rows:tt)* } $($rest:tt)*) => {
        state!(@rows $at $to [$($when)* $condition] $($rows)*);
        state!(@rows $at $to [$($when)*] $($rest)*);
    };
    (@rows $at:ident $to:ident $when:tt in $name:ident { $($rows:tt)* } $($rest:tt)*) => {
        {
            let below = &$at.at(stringify!($name));
            state!(@rows below $to $when $($rows)*);
        }
        state!(@rows $at $to $when $($rest)*);
    };
    (@rows $at:ident $to:ident [] in $name:ident = $part:expr $(, ($($given:expr),*))?; $($rest:tt)*) => {
        $to = $part.state($($($given,)*)? &$at.at(stringify!($name)), $to);
        state!(@rows $at $to [] $($rest)*);
    };
    (@rows $at:ident $to:ident [] in $name:ident [] = $parts:expr $(, ($($given:expr),*))?; $($rest:tt)*) => {
        for (number, part) in ($parts).into_iter().enumerate() {
            $to = part.state($($($given,)*)? &$at.nth(stringify!($name), number), $to);
        }
        state!(@rows $at $to [] $($rest)*);
    };
    (
        @rows $at:ident $to:ident []
        in $name:ident [$number:ident, $part:ident] = $parts:expr, ($($given:expr),*); $($rest:tt)*
    ) => {
        for ($number, $part) in ($parts).into_iter().enumerate() {
            $to = $part.state($($given,)* &$at.nth(stringify!($name), $number), $to);
        }
        state!(@rows $at $to [] $($rest)*);
    };
    (@rows $at:ident $to:ident [] bus $name:ident = $part:expr $(, ($($given:expr),*))?; $($rest:tt)*) => {
        $to = $part.state($($($given,)*)? &$at.bus(stringify!($name)), $to);
        state!(@rows $at $to [] $($rest)*);
    };
    (@rows $at:ident $to:ident $when:tt bus $name:ident { $($rows:tt)* } $($rest:tt)*) => {
        {
            let below = &$at.bus(stringify!($name));
            state!(@rows below $to $when $($rows)*);
        }
        state!(@rows $at $to $when $($rest)*);
    };
    (@rows $at:ident $to:ident [] with $part:expr $(, ($($given:expr),*))?; $($rest:tt)*) => {
        $to = $part.state($($($given,)*)? $at, $to);
        state!(@rows $at $to [] $($rest)*);
    };
    (@rows $at:ident $to:ident [] memory ($($name:ident),+) = $memory:expr; $($rest:tt)*) => {
        $to = $to.memory(&[$($at.at(stringify!($name))),+], &$memory);
        state!(@rows $at $to [] $($rest)*);
    };
    (
        @rows $at:ident $to:ident []
        memory ($($name:ident),+) [$number:ident in $numbers:expr] = $memory:expr; $($rest:tt)*
    ) => {
        for $number in $numbers {
            $to = $to.memory(&[$($at.nth(stringify!($name), $number)),+], &$memory);
        }
        state!(@rows $at $to [] $($rest)*);
    };
    (
        @rows $at:ident $to:ident []
        memories ($name:ident) [$count:expr], ($touched:expr, $depth:expr) = $word:expr; $($rest:tt)*
    ) => {
        let bank = $crate::state::Bank { count: $count, depth: $depth, touched: $touched, word: $word };
        $to = $to.bank(&$crate::state::Row::new($at, stringify!($name)), &bank);
        state!(@rows $at $to [] $($rest)*);
    };
    (@rows $at:ident $to:ident [] row $name:ident [] = $values:expr; $($rest:tt)*) => {
        $to = $to.row(&$crate::state::Row::new($at, stringify!($name)), $values);
        state!(@rows $at $to [] $($rest)*);
    };
    (@rows $at:ident $to:ident [] row $name:ident [] = $values:expr, ($size:expr); $($rest:tt)*) => {
        let size = $size;
        for (number, values) in $values.chunks(size).enumerate() {
            $to = $to.row(&$crate::state::Row::new($at, stringify!($name)).from(number * size), values);
        }
        state!(@rows $at $to [] $($rest)*);
    };
    (@rows $at:ident $to:ident [] across $instances:ident { $($rows:tt)* } $($rest:tt)*) => {
        state!(@across $at $to $instances $($rows)*);
        state!(@rows $at $to [] $($rest)*);
    };
    (@across $at:ident $to:ident $instances:ident) => {};
    (@across $at:ident $to:ident $instances:ident $name:ident [] = $arrays:expr; $($rest:tt)*) => {
        for (number, values) in ($arrays).into_iter().enumerate() {
            let (instances, name) = (stringify!($instances), stringify!($name));
            $to = $to.row(&$crate::state::Row::inside($at, instances, name, Some(number)), &values[..]);
        }
        state!(@across $at $to $instances $($rest)*);
    };
    (@across $at:ident $to:ident $instances:ident $from:expr => $($name:ident),+; $($rest:tt)*) => {
        $(
            let (instances, name) = (stringify!($instances), stringify!($name));
            $to = $to.row(&$crate::state::Row::inside($at, instances, name, None), &$from.$name[..]);
        )+
        state!(@across $at $to $instances $($rest)*);
    };
    (@rows $at:ident $to:ident $when:tt $name:ident [] = $values:expr; $($rest:tt)*) => {
        for (number, value) in ($values).into_iter().enumerate() {
            $to = $crate::state::Value::show(&value, &$at.nth(stringify!($name), number), $to);
        }
        state!(@rows $at $to $when $($rest)*);
    };
    (@rows $at:ident $to:ident $when:tt $name:ident [$number:ident in $numbers:expr] = $value:expr; $($rest:tt)*) => {
        for $number in $numbers {
            $to = $crate::state::Value::show(&state!(@value $when $value), &$at.nth(stringify!($name), $number), $to);
        }
        state!(@rows $at $to $when $($rest)*);
    };
    (@rows $at:ident $to:ident $when:tt $name:ident = $value:expr; $($rest:tt)*) => {
        $to = $crate::state::Value::show(&state!(@value $when $value), &$at.at(stringify!($name)), $to);
        state!(@rows $at $to $when $($rest)*);
    };
    (@rows $at:ident $to:ident $when:tt $from:expr => $($name:ident),+; $($rest:tt)*) => {
        $($to = $crate::state::Value::show(&state!(@value $when $from.$name), &$at.at(stringify!($name)), $to);)+
        state!(@rows $at $to $when $($rest)*);
    };
    (@value [] $value:expr) => { $value };
    (@value [($($condition:tt)*) $($rest:tt)*] $value:expr) => {
        if $($condition)* { Some(state!(@value [$($rest)*] $value)) } else { None }
    };
    ($($type:ident $(<$life:lifetime>)? ($me:ident $(, $argument:ident: $given:ty)*) { $($rows:tt)* })+) => {$(
        impl $type $(<$life>)? {
            /// Passes on every place of the hardware that this stands for, with its value.
            #[allow(unused_variables)] // A row under a condition need not use what the condition binds.
            #[inline]
            pub fn state<W: $crate::state::Walk>(
                &$me $(, $argument: $given)*,
                at: &$crate::state::Path<'_>,
                to: W,
            ) -> W {
                // An argument is in the caller's memory; a variable is in the processor's registers.
                let mut to = to;
                state!(@rows at to [] $($rows)*);
                to
            }
        }
    )+};
}
