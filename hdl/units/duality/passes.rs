//! Passes over rows: what a window does with rows besides the micro-programs of operations. A source that a word
//! shifts, extends or takes from an immediate is written to scratch rows first; a result that only some threads get is
//! chosen row by row; moves and masks are passes of several windows at once.
//!
//! A simple operation whose second source is the same in all threads is a pass of its own: no rows hold that source.
//!
//! A pass is a micro-operation that makes the latches ready, unless its rows need none, and then one for each row, the
//! number of the row counted from 0 being k; the last row may have one of its own. The table here is all that tells the
//! passes apart.

use crate::array::isa::Opcode;
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
    /// `to` ← `from` + value.
    Add = 14;
    /// `to` ← `from` − value.
    Sub = 15;
    /// `to` ← `from` · value.
    And = 16;
    /// `to` ← `from` + value (logical).
    Or = 17;
    /// `to` ← `from` ⊕ value.
    Xor = 18;
    /// Row `to` + k of the last row ← `from` = value.
    Eq = 19;
    /// The same: `from` ≠ value.
    Ne = 20;
    /// The same: `from` < value.
    LtU = 21;
    /// The same of signed numbers.
    LtS = 22;
    /// The same: `from` ≤ value.
    LeU = 23;
    /// The same of signed numbers.
    LeS = 24;
    /// The same: `from` > value.
    GtU = 25;
    /// The same of signed numbers.
    GtS = 26;
    /// The same: `from` ≥ value.
    GeU = 27;
    /// The same of signed numbers.
    GeS = 28;
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
pub const PASS_BITS: usize = 5;
/// Actions of a pass in the ROM: the first makes the latches ready, the second is that of a row, the third that of a
/// row where the value's bit is 1, the fourth and fifth are those of the last row.
pub const ACTIONS: usize = 8;

impl Pass {
    /// The code.
    pub const fn code(self) -> u64 {
        self as u64
    }

    /// The pass that is an operation with a second source that all threads share; none if that takes a command.
    pub fn of(opcode: Opcode) -> Option<Pass> {
        Some(match opcode {
            Opcode::Add => Pass::Add,
            Opcode::Sub => Pass::Sub,
            Opcode::And => Pass::And,
            Opcode::Or => Pass::Or,
            Opcode::Xor => Pass::Xor,
            Opcode::Eq => Pass::Eq,
            Opcode::Ne => Pass::Ne,
            Opcode::LtU => Pass::LtU,
            Opcode::LtS => Pass::LtS,
            Opcode::LeU => Pass::LeU,
            Opcode::LeS => Pass::LeS,
            Opcode::GtU => Pass::GtU,
            Opcode::GtS => Pass::GtS,
            Opcode::GeU => Pass::GeU,
            Opcode::GeS => Pass::GeS,
            _ => return None,
        })
    }

    /// Whether it is a comparison: C collects what the rows say, and the last one writes it.
    fn compares(self) -> bool {
        self.code() >= Pass::Eq.code() && self.code() <= Pass::GeS.code()
    }

    /// Whether the latches are made ready before the first row: no latch that was set before has a say in rows that
    /// only leave the array, or come as they are.
    pub const fn prepares(self) -> bool {
        !matches!(self, Pass::Send | Pass::Receive | Pass::SendTag | Pass::ReceiveTag | Pass::Merge)
    }

    /// Cycles from its start to the first in which it runs no more, for so many rows.
    pub fn cycles(self, rows: u64) -> u64 {
        rows + 2 + u64::from(self.prepares())
    }

    /// The passes whose latches are made ready, a bit for each code.
    pub const fn preparing() -> u64 {
        let mut bits = 0;
        let mut at = 0;
        while at < Pass::ALL.len() {
            bits |= (Pass::ALL[at].prepares() as u64) << Pass::ALL[at].code();
            at += 1;
        }
        bits
    }

    /// What makes the latches ready: C for the sum, the majority or a comparison, T for a choice.
    pub fn first(self) -> Action {
        let merges = matches!(self, Pass::Taken | Pass::Other | Pass::Join | Pass::Or);
        let carry = merges || matches!(self, Pass::Eq | Pass::LeU | Pass::LeS | Pass::GeU | Pass::GeS);
        let mut action = Action::default();
        action.column.c = if carry { CarryAction::Load } else { CarryAction::Zero };
        action.column.next = if carry { Next::One } else { Next::default() };
        if matches!(self, Pass::Choose | Pass::ChooseOther) {
            action.a = Place::Extra;
            action.column.t = TagAction::A;
        }
        action
    }

    /// What is done in a row in which the value's bit is this, and in the last row.
    pub fn row(self, bit: bool, last: bool) -> Action {
        let columns = |x, y, out| ColumnControl { x, y, out, ..ColumnControl::default() };
        let (sum, majority) = (WriteBack::Sum, WriteBack::Majority);
        let writes = |a, b, column| Action { column, a, b, write: true, ..Action::default() };
        let merges = |y| writes(Place::To, Place::Extra, columns(X::A, y, majority));
        let received = columns(X::Zero, Y::Zero, WriteBack::Load);
        // The value's bit, and the bit of the row that is read on port B.
        let constant = |yes: bool| if yes { X::One } else { X::Zero };
        let own = |yes: bool| if yes { Y::B } else { Y::NotB };
        let carries = |column| ColumnControl { next: Next::Majority, c: CarryAction::Load, ..column };
        let writes_b = |column| writes(Place::Nowhere, Place::From, column);
        if self.compares() {
            // C is the borrow of a − value or of value − a, or the carry where equality counts, too; or whether all
            // bits are equal, or some differ. Of signed numbers the sign's row has its roles exchanged.
            let sign = last && matches!(self, Pass::LtS | Pass::LeS | Pass::GtS | Pass::GeS);
            let (x, y) = match self {
                Pass::Eq => (X::Zero, own(bit)),
                Pass::Ne => (X::One, own(!bit)),
                Pass::LtU | Pass::LtS | Pass::LeU | Pass::LeS => (constant(bit != sign), own(sign)),
                _ => (constant(bit == sign), own(!sign)),
            };
            return Action { write: last, ..writes_b(carries(columns(x, y, majority))) };
        }
        match self {
            Pass::Add => writes_b(carries(columns(constant(bit), Y::B, sum))),
            // The complement of ¬a + value.
            Pass::Sub => writes_b(carries(columns(constant(bit), Y::NotB, WriteBack::NotSum))),
            Pass::And | Pass::Or => writes_b(columns(constant(bit), Y::B, majority)),
            Pass::Xor => writes_b(columns(constant(bit), Y::B, sum)),
            Pass::Copy => writes(Place::From, Place::Nowhere, columns(X::A, Y::Zero, sum)),
            Pass::Fill => writes(Place::Extra, Place::Nowhere, columns(X::A, Y::Zero, sum)),
            Pass::Constant => writes(Place::Nowhere, Place::Nowhere, columns(constant(bit), Y::Zero, sum)),
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
            _ => unreachable!("{self:?} compares"),
        }
    }

    /// The words of all passes: [`ACTIONS`] of each.
    pub fn words() -> Vec<u64> {
        let actions = |pass: &Pass| {
            let rows = [(false, false), (true, false), (false, true), (true, true)];
            let rows = rows.map(|(bit, last)| pass.row(bit, last));
            let actions = std::iter::once(pass.first()).chain(rows).chain(std::iter::repeat_n(Action::default(), 3));
            actions.collect::<Vec<_>>()
        };
        Pass::ALL.iter().flat_map(actions).map(|action| action.encode()).collect()
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
            let rows = [false, true].map(|last| [false, true].map(|bit| pass.row(bit, last)));
            for action in rows.iter().flatten().chain([&pass.first()]) {
                assert!(action.column.suits(Columns::TwoPort), "{pass:?}: {action:?}");
                assert!(action.encode() >> action::WIDTH == 0);
            }
            let by_value = pass == Pass::Constant || pass.code() >= Pass::Add.code();
            assert_eq!(rows[0][0] != rows[0][1], by_value, "{pass:?}");
            assert_eq!(rows[0] != rows[1], pass.compares(), "{pass:?}");
            // Rows that nothing is made ready for write what comes, or nothing.
            let as_it_comes = |action: &Action| !action.write || action.column.out == WriteBack::Load;
            let read = |action: &Action| !as_it_comes(action) || action.column.t == TagAction::W && !action.load;
            assert!(pass.prepares() || !rows.iter().flatten().any(read), "{pass:?}");
            assert_eq!(Pass::preparing() >> pass.code() & 1 == 1, pass.prepares());
        }
        assert!(Pass::ALL.len() <= 1 << PASS_BITS);
        assert_eq!(Pass::words().len(), ACTIONS * Pass::ALL.len());
    }

    /// Operations that are passes, and what other passes have in their place.
    #[test]
    fn operations_that_are_passes() {
        let passes: Vec<Pass> = Opcode::ALL.iter().filter_map(|&opcode| Pass::of(opcode)).collect();
        assert_eq!(passes.len(), Pass::ALL.len() - Pass::Add as usize);
        assert!(passes.iter().all(|pass| pass.code() >= Pass::Add.code()));
    }
}
