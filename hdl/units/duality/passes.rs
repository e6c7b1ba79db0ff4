//! Passes over rows: what a window does with rows besides the micro-programs of operations. A source that a word
//! shifts, extends or takes from an immediate is written to scratch rows first; a result that only some threads get is
//! chosen row by row; moves and masks are passes of several windows at once.
//!
//! A pass is a micro-operation that makes the latches ready, and then one for each row, the number of the row counted
//! from 0 being k. The table here is all that tells the passes apart.

use crate::array::isa::uop::{CarryAction, ColumnControl, Next, TagAction, WriteBack, X, Y};
use crate::array::isa::word::{Field, layout};

/// The row that a port of the array works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Place {
    /// None.
    #[default]
    Nowhere = 0,
    /// Row `from` + k.
    From = 1,
    /// Row `to` + k.
    To = 2,
    /// Row `extra`.
    Extra = 3,
}

/// A micro-operation of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Action {
    /// What the columns do.
    pub column: ColumnControl,
    /// The row read on port A.
    pub a: Place,
    /// The row read on port B.
    pub b: Place,
    /// Row `to` + k is written.
    pub write: bool,
    /// The row comes from the load port.
    pub load: bool,
    /// Row A goes to the store port.
    pub store: bool,
}

layout! {
    /// A micro-operation of a pass as a word.
    action {
        /// What the columns do.
        COLUMN: crate::array::isa::word::control::PREDICATED_LSB + 1 => COLUMN_LSB, COLUMN_BITS;
        /// [`super::Place`] of port A.
        A: 2 => A_LSB, A_BITS;
        /// [`super::Place`] of port B.
        B: 2 => B_LSB, B_BITS;
        /// A row is written.
        WRITE: 1 => WRITE_LSB, WRITE_BITS;
        /// It comes from the load port.
        LOAD: 1 => LOAD_LSB, LOAD_BITS;
        /// Row A goes to the store port.
        STORE: 1 => STORE_LSB, STORE_BITS;
    }
}

impl Action {
    /// As a word.
    pub fn encode(&self) -> u64 {
        let mut word = 0;
        action::COLUMN.set(&mut word, self.column.encode());
        action::A.set(&mut word, self.a as u64);
        action::B.set(&mut word, self.b as u64);
        action::WRITE.set(&mut word, self.write.into());
        action::LOAD.set(&mut word, self.load.into());
        action::STORE.set(&mut word, self.store.into());
        word as u64
    }
}

macro_rules! passes {
    ($($(#[doc = $doc:literal])+ $pass:ident = $code:literal;)+) => {
        /// A pass.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Pass { $($(#[doc = $doc])+ $pass = $code),+ }

        impl Pass {
            /// Every one, in the order of the codes.
            pub const ALL: &'static [Pass] = &[$(Pass::$pass),+];
        }
    };
}

passes! {
    /// `to` ← `from`.
    Copy = 0;
    /// `to` ← row `extra`, in every row.
    Fill = 1;
    /// `to` ← the bits of a value, the same in all threads.
    Constant = 2;
    /// `to` ← `from` where row `extra` holds 1.
    Choose = 3;
    /// `to` ← `from` where row `extra` holds 0.
    ChooseOther = 4;
    /// `from` goes to other arrays.
    Send = 5;
    /// `to` ← what another array sends.
    Receive = 6;
    /// `from` goes to other arrays, and into T.
    SendTag = 7;
    /// T ← what another array sends.
    ReceiveTag = 8;
    /// `to` ← `to` + `extra` · T.
    Taken = 9;
    /// `to` ← `to` + `extra` · ¬T.
    Other = 10;
    /// `to` ← `to` + `extra`.
    Join = 11;
    /// T ← `from` · `extra`: the wired-OR of the tags is the answer.
    Test = 12;
    /// `to` ← what comes from memory, in the threads that it comes for.
    Merge = 13;
}

/// What the way to memory asks of the windows that hold a word of memory, one step at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum MemoryStep {
    /// The launch mask is sent.
    Launch = 1,
    /// The row that chooses threads is sent: that of the active mask, or the word's.
    Chooser = 2,
    /// The rows of addresses are sent.
    Address = 3,
    /// The rows of data are sent.
    Data = 4,
    /// The rows of second data are sent.
    Second = 5,
    /// The result's rows come.
    Result = 6,
    /// The word ends.
    End = 7,
}

/// Bits of a memory step's code; 0 asks nothing.
pub const MEMORY_STEP_BITS: usize = 3;

/// Bits of a pass's code.
pub const PASS_BITS: usize = 4;
/// Actions of a pass in the ROM: the first makes the latches ready, the second is that of a row, the third that of a
/// row where the value's bit is 1.
pub const ACTIONS: usize = 4;

impl Pass {
    /// The code.
    pub const fn code(self) -> u64 {
        self as u64
    }

    /// What makes the latches ready: C for the sum or the majority, T for a choice.
    pub fn first(self) -> Action {
        let carry = matches!(self, Pass::Taken | Pass::Other | Pass::Join);
        let mut action = Action::default();
        action.column.c = if carry { CarryAction::Load } else { CarryAction::Zero };
        action.column.next = if carry { Next::One } else { Next::default() };
        if matches!(self, Pass::Choose | Pass::ChooseOther) {
            action.a = Place::Extra;
            action.column.t = TagAction::A;
        }
        action
    }

    /// What is done in a row in which the value's bit is this.
    pub fn row(self, bit: bool) -> Action {
        let columns = |x, y, out| ColumnControl { x, y, out, ..ColumnControl::default() };
        let (sum, majority) = (WriteBack::Sum, WriteBack::Majority);
        let writes = |a, b, column| Action { column, a, b, write: true, ..Action::default() };
        let merges = |y| writes(Place::To, Place::Extra, columns(X::A, y, majority));
        let received = columns(X::Zero, Y::Zero, WriteBack::Load);
        match self {
            Pass::Copy => writes(Place::From, Place::Nowhere, columns(X::A, Y::Zero, sum)),
            Pass::Fill => writes(Place::Extra, Place::Nowhere, columns(X::A, Y::Zero, sum)),
            Pass::Constant => {
                let x = if bit { X::One } else { X::Zero };
                writes(Place::Nowhere, Place::Nowhere, columns(x, Y::Zero, sum))
            }
            Pass::Choose => writes(Place::From, Place::To, columns(X::Zero, Y::TSelect, sum)),
            Pass::ChooseOther => writes(Place::To, Place::From, columns(X::Zero, Y::TSelect, sum)),
            Pass::Send => Action { a: Place::From, store: true, ..Action::default() },
            Pass::Receive => Action { load: true, ..writes(Place::Nowhere, Place::Nowhere, received) },
            Pass::SendTag => {
                let column = ColumnControl { t: TagAction::A, ..ColumnControl::default() };
                Action { column, a: Place::From, store: true, ..Action::default() }
            }
            Pass::ReceiveTag => {
                let column = ColumnControl { t: TagAction::W, ..received };
                Action { column, load: true, ..Action::default() }
            }
            Pass::Taken => merges(Y::TB),
            // T ? d : E, and d: where T is 1 nothing is added.
            Pass::Other => merges(Y::TSelect),
            Pass::Join => merges(Y::B),
            // Row A is what threads keep that nothing comes for.
            Pass::Merge => Action { load: true, ..writes(Place::To, Place::Nowhere, received) },
            Pass::Test => {
                let column = ColumnControl { t: TagAction::W, ..columns(X::A, Y::B, majority) };
                Action { column, a: Place::From, b: Place::Extra, ..Action::default() }
            }
        }
    }

    /// The words of all passes: [`ACTIONS`] of each.
    pub fn words() -> Vec<u64> {
        let four = |pass: &Pass| [pass.first(), pass.row(false), pass.row(true), Action::default()];
        Pass::ALL.iter().flat_map(four).map(|action| action.encode()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::params::Columns;

    #[test]
    fn passes_mean_something_with_two_ports() {
        for (at, &pass) in Pass::ALL.iter().enumerate() {
            assert_eq!(pass.code(), at as u64);
            for action in [pass.first(), pass.row(false), pass.row(true)] {
                assert!(action.column.suits(Columns::TwoPort), "{pass:?}: {action:?}");
                assert!(action.encode() >> action::WIDTH == 0);
            }
            assert_eq!(pass.row(false) != pass.row(true), pass == Pass::Constant, "{pass:?}");
        }
        assert!(Pass::ALL.len() <= 1 << PASS_BITS);
    }
}
