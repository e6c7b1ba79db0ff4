//! The latches of a column, each declared once. Its bits in the control word, its word in micro-programs, what needs
//! it, its bit in the register `features`, its registers in every column, what becomes of it when a command starts, and
//! the state of the model follow from its row here. What its actions compute is written twice more, on purpose: in the
//! hardware (`blocks/column_peripheral.rs`) and in the model of the column, which must not be made from one another.

use serde::{Deserialize, Serialize};

use crate::array::isa::code::code;
use crate::array::isa::word::Field;
use crate::array::isa::word::control::ACTIONS_LSB;
use crate::array::params::Sensing;

/// What becomes of a latch when a command starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It takes the value that the command gives.
    Given,
    /// It becomes 0.
    Clear,
    /// It becomes 0 unless the command keeps it.
    ClearUnlessKept,
    /// It keeps what the command before has left.
    Keep,
}

/// What a table says of a latch; `L` is the list of those that are parameters.
#[derive(Clone, Copy, Debug)]
pub struct LatchEntry<L> {
    /// The letter it goes by.
    pub letter: &'static str,
    /// The parameter; `None` for latches that every column has.
    pub latch: Option<L>,
    /// Place in the control word.
    pub field: Field,
    /// When a command starts.
    pub start: Start,
    /// The action by which it becomes 0 then, if it does.
    pub clear: Option<u64>,
    /// Its actions: constants by their names.
    pub actions: &'static [(&'static str, u64)],
}

/// Bits of a field in the control word.
pub const fn mask(field: Field) -> u64 {
    ((1 << field.bits) - 1) << field.lsb
}

/// The bits in the control word of all latches with this start that a column has, and there the actions that clear
/// them.
pub fn cleared<L: Copy>(latches: &[LatchEntry<L>], start: Start, has: impl Fn(L) -> bool) -> (u64, u64) {
    let those = latches.iter().filter(|row| row.start == start && row.latch.is_none_or(&has));
    those.fold((0, 0), |(bits, actions), row| {
        let action = row.clear.expect("what is cleared has an action for it");
        (bits | mask(row.field), actions | action << row.field.lsb)
    })
}

/// Bits of the fields in front of a place, of fields given by their places and widths.
pub const fn bits_below(fields: &[(usize, usize)], place: usize) -> usize {
    let (mut at, mut bits) = (0, 0);
    while at < fields.len() {
        if fields[at].0 < place {
            bits += fields[at].1;
        }
        at += 1;
    }
    bits
}

/// Hands the table of latches to a macro, and behind them whatever further ones the caller has.
///
/// A row is its text and register, letter, place in the order of the control word's fields and the names of its field's
/// constants; for a latch that is a parameter, the parameter, the sensing without which it means nothing and its bit in
/// `features`; what becomes of it when a command starts ([`Start`]), and by which action; its actions. Rows stand in
/// the order of the registers in every column.
#[macro_export]
macro_rules! each_latch {
    ($then:ident $($more:tt)*) => {
        $then! {
            {
                /// Carry: the third input of the full adder.
                carry c, field 0 C C_LSB C_BITS; start Given;
                /// What the carry latch does at the end of the cycle.
                CarryAction {
                    /// Keep.
                    Hold = 0 => C_HOLD,
                    /// Clear.
                    Zero = 1 => C_ZERO,
                    /// Take the value chosen by [`Next`](crate::array::isa::uop::Next).
                    Load = 2 => C_LOAD,
                    /// The same in the last row of a pass: M is cleared (radix 4).
                    Last = 3 => C_LAST if Radix4,
                }
            }
            {
                /// Tag: predicate, multiplier bit, result of comparisons and searches.
                tag t, field 2 T T_LSB T_BITS; start ClearUnlessKept by Zero;
                /// What the tag latch does at the end of the cycle.
                TagAction {
                    /// Keep.
                    Hold = 0 => T_HOLD,
                    /// Clear.
                    Zero = 1 => T_ZERO,
                    /// Take w.
                    W = 2 => T_W,
                    /// `T + (w ⊕ y)`: y lost the comparison.
                    Differ = 3 => T_DIFFER,
                    /// Take a.
                    A = 4 => T_A,
                    /// `T · w`: search.
                    And = 5 => T_AND,
                    /// Take a ⊕ b (`AndNor`).
                    Xor = 6 => T_XOR if AndNor,
                    /// Take the multiplier's next bit, G in the top row of a pass, else b; or what was gathered.
                    Next = 7 => T_NEXT if Radix4,
                }
            }
            {
                /// Hold: a bit from an earlier row (products, minimum and maximum, shifts).
                hold h, field 1 H H_LSB H_BITS; parameter Hold, feature 4; start Clear by Zero;
                /// What the hold latch does at the end of the cycle.
                HoldAction {
                    /// Keep.
                    Hold = 0 => H_HOLD,
                    /// Clear.
                    Zero = 1 => H_ZERO,
                    /// Take the value chosen by [`Next`](crate::array::isa::uop::Next).
                    Load = 2 => H_LOAD,
                    /// `H + (w ⊕ x)`: x lost the comparison.
                    Differ = 3 => H_DIFFER,
                    /// Take a (`AndNor`).
                    A = 4 => H_A if AndNor,
                    /// H, or a 1 is in the first rows of a, M, G, K, E, F and V, as many as U, P and T say: what
                    /// [`X::Choice`](crate::array::isa::uop::X::Choice) shifts out in the last row of a chain; rows
                    /// that a chain has not had count as 0, and where the number is 7 nothing counts. From the other
                    /// end, in the third row of a chain, G, M and a, as many as P and T say (radix 4).
                    Lost = 5 => H_LOST if Radix4,
                }
            }
            {
                /// Predicate of a division step (`TwoPort`).
                predicate p, field 3 P P_LSB P_BITS; parameter Predicate if TwoPort, feature 5; start Keep;
                /// What the predicate latch does at the end of the cycle.
                PredicateAction {
                    /// Keep.
                    Hold = 0 => P_HOLD,
                    /// Take a.
                    A = 1 => P_A,
                }
            }
            {
                /// Delay: the multiplicand's bit one row late (`AndNor`).
                delay d, field 4 D D_LSB D_BITS; parameter Delay if AndNor, feature 6; start Clear by Zero;
                /// What the delay latch does at the end of the cycle.
                DelayAction {
                    /// Keep.
                    Hold = 0 => D_HOLD,
                    /// Clear.
                    Zero = 1 => D_ZERO,
                    /// Take a.
                    A = 2 => D_A,
                    /// `D + (w ⊕ x)`: x lost the comparison.
                    Differ = 3 => D_DIFFER,
                }
            }
            $($more)*
        }
    };
}

/// Everything that follows from a table of latches by itself.
#[doc(hidden)]
#[macro_export]
macro_rules! latch_table {
    ($({
        #[doc = $doc:literal]
        $name:ident $letter:ident, field $place:literal $field:ident $lsb:ident $width:ident;
        $(parameter $latch:ident $(if $sensing:ident)?, feature $feature:literal;)?
        start $start:ident $(by $clear:ident)?;
        #[doc = $action_doc:literal]
        $action:ident { $($codes:tt)+ }
    })+) => {
        /// A column latch besides carry and tag, which every column has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Latch { $($(#[doc = $doc] $latch,)?)+ }

        impl Latch {
            /// Every one.
            pub const ALL: &'static [Latch] = &[$($(Latch::$latch,)?)+];

            /// The name in files.
            pub fn name(self) -> &'static str {
                match self { $($(Latch::$latch => stringify!($name),)?)+ }
            }

            /// Those that mean something with this sensing.
            pub fn of(sensing: Sensing) -> Vec<Latch> {
                Latch::ALL.iter().copied().filter(|latch| latch.suits(sensing)).collect()
            }

            /// What the register `features` says of it.
            const fn feature(self) -> &'static str {
                match self {
                    $($(Latch::$latch => concat!(" The columns have latch ", stringify!($field), "."),)?)+
                }
            }

            /// Whether it means something with this sensing.
            #[inline]
            pub fn suits(self, sensing: Sensing) -> bool {
                match self { $($(Latch::$latch => [$(Sensing::$sensing,)? sensing][0] == sensing,)?)+ }
            }
        }

        $(code! {
            #[doc = $action_doc]
            $action { $($codes)+ }
        })+

        /// A row of the table.
        pub type Entry = LatchEntry<Latch>;

        const FIELDS: &[(usize, usize)] = &[$(($place, $action::WIDTH)),+];
        /// Bits of all actions in the control word.
        pub const ACTION_BITS: usize = bits_below(FIELDS, usize::MAX);
        $(
            #[doc = concat!("Lowest bit of [`", stringify!($action), "`] in the control word.")]
            pub const $lsb: usize = ACTIONS_LSB + bits_below(FIELDS, $place);
            #[doc = concat!("Width of [`", stringify!($action), "`].")]
            pub const $width: usize = $action::WIDTH;
            #[doc = $doc]
            pub const $field: Entry = Entry {
                letter: stringify!($letter),
                latch: [$(Some(Latch::$latch),)? None][0],
                field: Field { lsb: $lsb, bits: $width },
                start: Start::$start,
                clear: [$(Some($action::$clear.code()),)? None][0],
                actions: $action::CONSTANTS,
            };
        )+
        /// Every latch of a column, in the order of its registers.
        pub const LATCHES: &[Entry] = &[$($field),+];
        /// Lowest bits of the fields, by the constants' names.
        pub const PLACES: &[(&str, u64)] = &[$((stringify!($lsb), $lsb as u64)),+];

        /// The constants of all actions by their names.
        pub fn actions() -> Vec<(&'static str, u64)> {
            LATCHES.iter().flat_map(|latch| latch.actions).copied().collect()
        }

        /// Bits of the register `features`: name, place, and what they say.
        pub const FEATURES: &[(&str, usize, &str)] =
            &[$($((stringify!($name), $feature, Latch::$latch.feature()),)?)+];

        /// Which latches columns have, of those that are parameters; a hardware description asks `self._has.hold`.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Present { $($(#[doc = concat!("[`Latch::", stringify!($latch), "`].")] pub $name: bool,)?)+ }

        impl Present {
            /// Those for which `has` holds.
            pub fn of(has: impl Fn(Latch) -> bool) -> Present {
                Present { $($($name: has(Latch::$latch),)?)+ }
            }

            /// Their names below that of the block's field, and 1 for those that there are.
            pub fn constants(&self, field: &str) -> Vec<(String, u64)> {
                let has = |latch: &Latch| match latch { $($(Latch::$latch => self.$name,)?)+ };
                Latch::ALL.iter().map(|latch| (format!("{field}${}", latch.name()), has(latch).into())).collect()
            }
        }
    };
}
#[doc(hidden)]
pub use latch_table;
each_latch!(latch_table);
