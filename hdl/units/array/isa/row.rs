//! A row of a micro-program: what one cycle does. Address and action types, and the words that tables are written with.
//!
//! Row addresses are a base register (operand + linear offset) plus an index. Index registers: J (inner), I (an offset:
//! loop-dependent base or power-of-two stride), L (outer), and K = I + J.

pub use crate::array::isa::action::*;
use crate::array::isa::linear::Linear;
use crate::array::isa::uop::*;
use crate::each_latch;

/// A row operand of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Operand {
    /// First source.
    A = 1,
    /// Second source.
    B = 2,
    /// Destination.
    D = 3,
    /// Second destination, or the tag row of a selection.
    E = 4,
    /// Scratch.
    S = 5,
}

impl Operand {
    /// Every operand.
    pub const ALL: [Operand; 5] = [Operand::A, Operand::B, Operand::D, Operand::E, Operand::S];

    /// The field's name in commands and messages.
    pub fn name(self) -> &'static str {
        ["a", "b", "d", "e", "s"][self as usize - 1]
    }

    /// A fixed row of the operand.
    pub fn row(self, offset: impl Into<Linear>) -> Address {
        Address { operand: self, offset: offset.into(), index: Index::Immediate(0) }
    }

    /// The row at a literal offset inside straight-line code.
    pub fn at(self, offset: u8) -> Address {
        Address { operand: self, offset: Linear::constant(0), index: Index::Immediate(offset) }
    }

    /// The row indexed by J.
    pub fn j(self) -> Address {
        Address { operand: self, offset: Linear::constant(0), index: Index::J }
    }

    /// The row indexed by I.
    pub fn i(self) -> Address {
        Address { operand: self, offset: Linear::constant(0), index: Index::I }
    }

    /// The row indexed by K = I + J.
    pub fn k(self) -> Address {
        Address { operand: self, offset: Linear::constant(0), index: Index::K }
    }

    /// The row indexed by L.
    pub fn l(self) -> Address {
        Address { operand: self, offset: Linear::constant(0), index: Index::L }
    }
}

/// What is added to a base register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Index {
    /// A literal, 0 to 127.
    Immediate(u8),
    /// The inner index.
    J,
    /// I + J.
    K,
    /// The outer index, or the key scanner's position in a keyed row.
    L,
    /// The offset index.
    I,
}

/// A row address: operand + offset + index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    /// The operand whose first row is the base.
    pub operand: Operand,
    /// Added to the base once, when the command starts.
    pub offset: Linear,
    /// Added every cycle.
    pub index: Index,
}

impl Address {
    /// The same, `offset` rows further.
    pub fn plus(self, offset: impl Into<Linear>) -> Address {
        assert!(self.offset == Linear::constant(0), "an address has one offset");
        Address { offset: offset.into(), ..self }
    }
}

/// One row of a micro-program: one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// What the columns do.
    pub column: ColumnControl,
    /// Where P is 0, T is 0: for those who make rows of `AndNor` columns of it.
    pub held_without_tag: bool,
    /// The row is for `AndNor` columns as it is: it sees two rows as they are raised.
    pub as_raised: bool,
    /// Row B is read for the write-back merge only and takes no part in sensing (`AndNor`).
    pub merge: bool,
    /// Multi-row sensing.
    pub multi: Multi,
    /// Row activated on port A.
    pub a: Option<Address>,
    /// Row activated on port B.
    pub b: Option<Address>,
    /// Row written.
    pub w: Option<Address>,
    /// Write only in the iteration that leaves the loop.
    pub write_on_exit: bool,
    /// Complement x (flip its code's lowest bit) in the iteration that leaves the loop.
    pub flip_x: bool,
    /// The same for y.
    pub flip_y: bool,
    /// Exchange sum and complemented sum in the iteration that leaves the loop.
    pub flip_out: bool,
    /// Complement x where the key's lowest bit is 0.
    pub steer_x: bool,
    /// Complement y where the key's second bit is 0.
    pub steer_y: bool,
    /// Bits by which the key moves down when the row is issued: 0, 1 or 2.
    pub key_shift: u8,
    /// Port A rests in the pass that leaves the outer loop.
    pub a_unless_done: bool,
    /// The key takes constants from this address of the constant ROM on.
    pub point: Option<u16>,
    /// The key takes the constant that is pointed at, and the pointer moves to the next one.
    pub take: bool,
    /// L is the key scanner's position here, and I takes it.
    pub keyed: bool,
    /// Step of J, each iteration.
    pub j: Step,
    /// J is cleared, not stepped, in the iteration that leaves the loop.
    pub j_zero: bool,
    /// I when the row is left.
    pub i: OffsetAction,
    /// L when the row is left.
    pub l: OuterAction,
    /// Z when the row is left.
    pub z: TriangleAction,
    /// The loop stride when the row is left.
    pub stride: StrideAction,
    /// The command ends when the row is left, if the program's
    /// [`stop_if_zero`](crate::array::isa::program::Program::stop_if_zero) is 0.
    pub may_stop: bool,
    /// Wired-OR.
    pub token: Token,
    /// Which exception the wired-OR reports.
    pub report: Report,
    /// The row written comes from the load port.
    pub load: bool,
    /// The row read on port A goes to the store port.
    pub store: bool,
}

/// An empty row: nothing is read or written, the latches keep.
pub fn row() -> Row {
    Row { column: ColumnControl { x: X::Zero, y: Y::Zero, ..Default::default() }, ..Default::default() }
}

#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($($arg:ident : $ty:ty),*) { $($field:tt).+ = $value:expr })+) => {
        $($(#[$doc])* #[must_use] pub fn $name(mut self $(, $arg: $ty)*) -> Row { self.$($field).+ = $value; self })+
    };
}

/// A word for each latch: its action.
#[doc(hidden)]
#[macro_export]
macro_rules! latch_words {
    ($({
        #[doc = $doc:literal]
        $name:ident $letter:ident, field $place:literal $field:ident $lsb:ident $width:ident;
        $(parameter $latch:ident $(if $sensing:ident)?, feature $feature:literal;)?
        start $start:ident $(by $clear:ident)?;
        #[doc = $action_doc:literal]
        $action:ident { $($codes:tt)+ }
    })+) => {
        impl Row {
            setters! { $(#[doc = $action_doc] $name(action: $action) { column.$letter = action })+ }
        }
    };
}
#[doc(hidden)]
pub use {latch_words, setters};
each_latch!(latch_words);

impl Row {
    setters! {
        /// Activates a row on port A.
        a(address: Address) { a = Some(address) }
        /// Activates a row on port B.
        b(address: Address) { b = Some(address) }
        /// Operand x.
        x(x: X) { column.x = x }
        /// Operand y.
        y(y: Y) { column.y = y }
        /// Columns with P = 0 hold.
        gate() { column.gate = true }
        /// Where P is 0, T is 0.
        held_without_tag() { held_without_tag = true }
        /// The majority is written back, not the sum.
        majority() { column.out = WriteBack::Majority }
        /// The majority is written back where T = 1, else 0 (`AndNor`).
        t_majority() { column.out = WriteBack::TMajority }
        /// The complemented sum is written back.
        not_sum() { column.out = WriteBack::NotSum }
        /// Row written.
        write(address: Address) { w = Some(address) }
        /// Writes only in the last iteration.
        on_exit() { write_on_exit = true }
        /// The write reaches only columns with T = 1.
        predicated() { column.predicated = true }
        /// Carry is cleared.
        clear_carry() { column.c = CarryAction::Zero }
        /// Multi-row sensing of the rows of port A's address.
        multi(multi: Multi) { multi = multi }
        /// J + 1.
        up() { j = Step::Up }
        /// J − 1.
        down() { j = Step::Down }
        /// J + 2.
        up_two() { j = Step::UpTwo }
        /// For `AndNor` columns as it is, though none of its codes says so.
        as_raised() { as_raised = true }
        /// J returns to 0 when the row is left.
        rewind() { j_zero = true }
        /// I when the row is left.
        i(action: OffsetAction) { i = action }
        /// L when the row is left.
        l(action: OuterAction) { l = action }
        /// Z when the row is left.
        z(action: TriangleAction) { z = action }
        /// The loop stride when the row is left.
        stride(action: StrideAction) { stride = action }
        /// The command ends when the row is left, if the program's `stop_if_zero` is 0.
        may_stop() { may_stop = true }
        /// Complements x in the last iteration.
        flip_x() { flip_x = true }
        /// Complements y in the last iteration.
        flip_y() { flip_y = true }
        /// Complements the sum written in the last iteration.
        flip_out() { flip_out = true }
        /// Port A rests in the last pass of the outer loop.
        a_unless_done() { a_unless_done = true }
        /// Points at a constant; the row is not the last one of a loop, and no row takes a constant in the next cycle.
        point(address: u16) { point = Some(address) }
        /// The key takes the constant that is pointed at, and the pointer moves to the next one.
        take() { take = true }
        /// The key moves down by `shift` when the row is issued.
        key_shift(shift: u8) { key_shift = shift }
        /// Addresses by the key scanner.
        keyed() { keyed = true }
        /// Wired-OR.
        token(token: Token) { token = token }
        /// The exception that the wired-OR reports.
        report(report: Report) { report = report }
    }

    /// Row B is read for the predicated write-back only.
    #[must_use]
    pub fn merge(self, address: Address) -> Row {
        Row { b: Some(address), merge: true, ..self }
    }

    /// Carry latch takes `next`.
    #[must_use]
    pub fn carry_next(mut self, next: Next) -> Row {
        self.column.next = next;
        self.column.c = CarryAction::Load;
        self
    }

    /// Hold latch takes `next`.
    #[must_use]
    pub fn hold_next(mut self, next: Next) -> Row {
        self.column.next = next;
        self.column.h = HoldAction::Load;
        self
    }

    /// x is complemented where the key's lowest bit is 0; the key then moves down by one.
    #[must_use]
    pub fn steer_x(self) -> Row {
        Row { steer_x: true, key_shift: 1, ..self }
    }

    /// x and y are complemented where the key's lowest and second bits are 0; the key then moves down by two.
    #[must_use]
    pub fn steer_both(self) -> Row {
        Row { steer_x: true, steer_y: true, key_shift: 2, ..self }
    }

    /// Writes the row waiting at the load port.
    #[must_use]
    pub fn load(mut self, address: Address) -> Row {
        self.load = true;
        self.column.out = WriteBack::Load;
        self.w = Some(address);
        self
    }

    /// Sends the row read on port A to the store port.
    #[must_use]
    pub fn store(self, address: Address) -> Row {
        Row { store: true, a: Some(address), ..self }
    }
}
