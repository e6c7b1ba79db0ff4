//! The way of a square root's remainder: in each pass of `float_sqrt.rs` it goes down by two rows, and its top by one,
//! so that it leaves a row above itself.
//!
//! ```text
//!  down                             brought up again
//!  significand                      significand       ┌▶ remainder ─▶ … behind all passes
//!   └▶ remainder                     └▶ remainder     │
//!       └▶ … behind all passes           └▶ … ────────┘
//! ```
//!
//! In long formats a pass behind two thirds of them writes what it makes of the remainder above the rows that it reads,
//! which all have been left, so that the passes behind it end in about the row where that one began. That takes no
//! cycle.

use crate::array::isa::format::{F32, F64, Format};
use crate::array::isa::linear::{Linear, M, N, Term};
use crate::array::isa::row::Address;
use crate::array::isa::row::Operand::{D, S};
use crate::array::isa::ucode::float_rows::linear;
use crate::array::isa::ucode::float_sqrt::{REMAINDER, STAGES};

/// Where the remainder is. It goes down by two rows in each pass, and its top by one.
#[derive(Clone, Copy)]
pub(super) struct Way {
    /// Bits of the root behind those that a rounded one needs.
    pub(super) extra: i16,
    /// The significand's top row less 2n.
    top: i16,
    /// The pass that brings the remainder up again, into the rows above it that it has left.
    pub(super) again: Option<i16>,
    /// Passes of a way on which it is brought up.
    pub(super) passes: i16,
    /// Those behind the one that brings it up.
    pub(super) behind: Linear,
    /// How much lower the root is in d than where a rounded one is.
    pub(super) lower: i16,
}

impl Way {
    /// Down through as many rows as all passes take, with so many bits of the root beside those of a rounded one.
    pub(super) const fn down(extra: i16) -> Way {
        Way { extra, top: REMAINDER - 3 + 2 * extra, again: None, passes: 0, behind: Linear::constant(0), lower: 0 }
    }

    /// Brought up again behind two thirds of the passes, in long formats. There passes end where those of others do.
    pub(super) fn of(format: Format) -> Way {
        let n = i16::from(format.n());
        if format != F32 && format != F64 {
            return Way::down(0);
        }
        let passes = n - 2;
        let again = passes * 2 / 3;
        let top = REMAINDER - 2 + 2 * passes - again - 2 * n;
        let behind = Linear::constant(passes - again);
        Way { extra: 0, top, again: Some(again), passes, behind, lower: 0 }
    }

    /// That of a root of long formats that is divided by, with a bit more than a rounded one: brought up in front of
    /// the last m passes, over the flags, which are gone by then. The root is in the lowest rows of d.
    pub(super) fn divided_by(format: Format) -> Way {
        let passes = i16::from(format.n()) - 1;
        let again = Some(passes - i16::from(format.m()));
        Way { extra: 1, top: -9, again, passes, behind: M, lower: 2 }
    }

    /// Scratch rows: behind the top one there are four more for the pass that brings the remainder up.
    pub(super) fn rows(self, format: Format) -> i32 {
        let top = 2 * i32::from(format.n()) + i32::from(self.top);
        top + if self.again.is_some() { 5 } else { 2 }
    }

    /// The significand from its top row.
    pub(super) fn top(self, index: Address) -> Address {
        index.plus(linear(2, Term::None, self.top))
    }

    /// The fraction above zeros.
    pub(super) fn fraction(self) -> Address {
        // I is 1.
        S.k().plus(linear(1, Term::None, self.top + 2))
    }

    /// The same, a row further up: the fraction of an operand that is doubled above its zero.
    pub(super) fn above_zero(self) -> Address {
        S.k().plus(linear(1, Term::None, self.top + 3))
    }

    /// A row of zeros below it.
    pub(super) fn zeros(self, number: u8) -> Address {
        // A way on which it is brought up is that of one format.
        S.at((self.passes + 2 - self.extra + self.top + 1) as u8 + number)
    }

    /// What stages write, for J and for L.
    pub(super) fn stays(self) -> [Address; 2] {
        if self.lower > 0 {
            [D.j(), D.l()].map(|index| index.plus(N))
        } else {
            [S.j(), S.l()].map(|index| index.plus(STAGES))
        }
    }

    /// The remainder's rows in a pass, from the one with this number up, for I and J where they begin.
    pub(super) fn remainder(self, number: i16) -> Address {
        S.k().plus(linear(2, Term::None, self.top - 4 + number))
    }

    /// The same behind the pass that brings them up. They begin behind the rows that it reads.
    pub(super) fn above(self) -> Address {
        self.remainder(self.again.expect("it is brought up") + 3)
    }
}
