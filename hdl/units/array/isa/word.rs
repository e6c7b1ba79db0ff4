//! The sequencer's ROM words: which bits say what.
//!
//! A micro-program row becomes two words at one address: the *flow word*, which decides what runs next and is read in
//! the fetch stage, and the *control word*, which the array and the address generator read two stages later. The
//! *setup words* check a command and derive its base rows and loop counts before it starts.

mod directory;

pub use directory::{OPCODES, PAGE, UNKNOWN_ENTRY, directory, entry};

/// Position of a field in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Lowest bit.
    pub lsb: usize,
    /// Number of bits.
    pub bits: usize,
}

impl Field {
    /// The field's value in `word`.
    #[inline]
    pub const fn get(self, word: u128) -> u64 {
        ((word >> self.lsb) & ((1u128 << self.bits) - 1)) as u64
    }

    /// Puts `value` into the field of `word`, which must hold 0 there.
    ///
    /// # Panics
    /// If the value does not fit: the assembler checks ranges before it encodes.
    #[inline]
    pub fn set(self, word: &mut u128, value: u64) {
        assert!(self.bits >= 64 || value < 1 << self.bits, "value {value} does not fit a field of {} bits", self.bits);
        *word |= u128::from(value) << self.lsb;
    }
}

/// Declares consecutive fields of a word from bit 0 up, as `Field` constants, plus plain `LSB` and `BITS` constants for
/// use inside hardware descriptions. A field that holds a code is as wide as the list of the codes asks for.
#[doc(hidden)]
#[macro_export]
macro_rules! layout {
    ($(#[$doc:meta])* $module:ident { $($(#[$fdoc:meta])* $field:ident : $bits:expr => $lsb:ident, $width:ident;)+ }) => {
        $(#[$doc])*
        pub mod $module {
            use super::Field;
            $crate::layout!(@fields (0) $($(#[$fdoc])* $field ($bits) $lsb $width;)+);
            /// Lowest bits of the fields, by the constants' names.
            pub const PLACES: &[(&str, u64)] = &[$((stringify!($lsb), $lsb as u64)),+];
        }
    };
    (@fields ($at:expr) $(#[$fdoc:meta])* $field:ident ($bits:expr) $lsb:ident $width:ident; $($rest:tt)*) => {
        $(#[$fdoc])*
        pub const $field: Field = Field { lsb: $at, bits: $bits };
        #[doc = concat!("Lowest bit of `", stringify!($field), "`.")]
        pub const $lsb: usize = $at;
        #[doc = concat!("Width of `", stringify!($field), "`.")]
        pub const $width: usize = $bits;
        $crate::layout!(@fields ($at + $bits) $($rest)*);
    };
    (@fields ($at:expr)) => {
        /// Width of the whole word.
        pub const WIDTH: usize = $at;
    };
}
#[doc(hidden)]
pub use layout;

layout! {
    /// The flow word.
    flow {
        /// One of [`super::Kind`].
        KIND: 3 => KIND_LSB, KIND_BITS;
        /// The command ends when the row is left.
        END: 1 => END_LSB, END_BITS;
        /// The command ends when the row is left and the stop value is 0.
        MAY_STOP: 1 => MAY_STOP_LSB, MAY_STOP_BITS;
        /// The row is the head of an inner loop; of its only row if the row is its end as well.
        HEAD: 1 => HEAD_LSB, HEAD_BITS;
        /// Address of the outer loop's head, or where a skip leads, or of a constant.
        TARGET: super::ROM_ADDRESS_BITS => TARGET_LSB, TARGET_BITS;
        /// What X takes when the row is left; one of [`super::XLoad`].
        X_LOAD: 4 => X_LOAD_LSB, X_LOAD_BITS;
        /// What Y takes when the outer loop is left (or the row, outside of one); one of [`super::YLoad`].
        Y_LOAD: 4 => Y_LOAD_LSB, Y_LOAD_BITS;
        /// [`crate::array::isa::row::TriangleAction`].
        Z: 2 => Z_LSB, Z_BITS;
        /// [`crate::array::isa::row::StrideAction`].
        STRIDE: 2 => STRIDE_LSB, STRIDE_BITS;
        /// Bits by which the key moves down when the row is issued.
        KEY_SHIFT: 2 => KEY_SHIFT_LSB, KEY_SHIFT_BITS;
        /// [`crate::array::isa::row::Token`].
        TOKEN: 2 => TOKEN_LSB, TOKEN_BITS;
        /// Waits until no scan token is on its way.
        DRAIN: 1 => DRAIN_LSB, DRAIN_BITS;
        /// Waits for the key scanner and addresses by it.
        KEYED: 1 => KEYED_LSB, KEYED_BITS;
        /// Port A rests in the pass that leaves the outer loop.
        A_UNLESS_DONE: 1 => A_UNLESS_DONE_LSB, A_UNLESS_DONE_BITS;
        /// The target is the address of a constant.
        POINT: 1 => POINT_LSB, POINT_BITS;
        /// The key takes the constant that is pointed at.
        TAKE: 1 => TAKE_LSB, TAKE_BITS;
    }
}

layout! {
    /// The control word.
    control {
        /// [`crate::array::isa::uop::X`].
        X: crate::array::isa::uop::X::WIDTH => X_LSB, X_BITS;
        /// [`crate::array::isa::uop::Y`].
        Y: crate::array::isa::uop::Y::WIDTH => Y_LSB, Y_BITS;
        /// y becomes y + ¬P.
        GATE: 1 => GATE_LSB, GATE_BITS;
        /// [`crate::array::isa::uop::WriteBack`].
        OUT: crate::array::isa::uop::WriteBack::WIDTH => OUT_LSB, OUT_BITS;
        /// [`crate::array::isa::uop::Next`].
        NEXT: crate::array::isa::uop::Next::WIDTH => NEXT_LSB, NEXT_BITS;
        /// Actions of the latches: [`crate::array::isa::latch`].
        ACTIONS: crate::array::isa::latch::ACTION_BITS => ACTIONS_LSB, ACTIONS_BITS;
        /// Only columns with T = 1 are written.
        PREDICATED: 1 => PREDICATED_LSB, PREDICATED_BITS;
        /// Row B is read for the merge only.
        MERGE: 1 => MERGE_LSB, MERGE_BITS;
        /// [`crate::array::isa::uop::Multi`].
        MULTI: crate::array::isa::uop::Multi::WIDTH => MULTI_LSB, MULTI_BITS;
        /// Port A reads.
        A_EN: 1 => A_EN_LSB, A_EN_BITS;
        /// Port B reads.
        B_EN: 1 => B_EN_LSB, B_EN_BITS;
        /// A row is written.
        W_EN: 1 => W_EN_LSB, W_EN_BITS;
        /// It is written only when the row leaves its loop.
        W_ON_EXIT: 1 => W_ON_EXIT_LSB, W_ON_EXIT_BITS;
        /// x is complemented when the row leaves its loop.
        FLIP_X: 1 => FLIP_X_LSB, FLIP_X_BITS;
        /// y is complemented when the row leaves its loop.
        FLIP_Y: 1 => FLIP_Y_LSB, FLIP_Y_BITS;
        /// Sum and complemented sum are exchanged when the row leaves its loop.
        FLIP_OUT: 1 => FLIP_OUT_LSB, FLIP_OUT_BITS;
        /// x is complemented where the key's lowest bit is 0.
        STEER_X: 1 => STEER_X_LSB, STEER_X_BITS;
        /// y is complemented where the key's second bit is 0.
        STEER_Y: 1 => STEER_Y_LSB, STEER_Y_BITS;
        /// Base register of row A.
        A_BASE: 4 => A_BASE_LSB, A_BASE_BITS;
        /// [`super::IndexCode`] of row A.
        A_INDEX: 3 => A_INDEX_LSB, A_INDEX_BITS;
        /// Literal index of row A.
        A_IMMEDIATE: 6 => A_IMMEDIATE_LSB, A_IMMEDIATE_BITS;
        /// Base register of row B.
        B_BASE: 4 => B_BASE_LSB, B_BASE_BITS;
        /// [`super::IndexCode`] of row B.
        B_INDEX: 3 => B_INDEX_LSB, B_INDEX_BITS;
        /// Literal index of row B.
        B_IMMEDIATE: 6 => B_IMMEDIATE_LSB, B_IMMEDIATE_BITS;
        /// Base register of the row written.
        W_BASE: 4 => W_BASE_LSB, W_BASE_BITS;
        /// [`super::IndexCode`] of the row written.
        W_INDEX: 3 => W_INDEX_LSB, W_INDEX_BITS;
        /// Literal index of the row written.
        W_IMMEDIATE: 6 => W_IMMEDIATE_LSB, W_IMMEDIATE_BITS;
        /// [`crate::array::isa::row::Step`].
        J: 2 => J_LSB, J_BITS;
        /// J is cleared when the row leaves its loop.
        J_ZERO: 1 => J_ZERO_LSB, J_ZERO_BITS;
        /// [`crate::array::isa::row::OffsetAction`].
        I: 3 => I_LSB, I_BITS;
        /// [`crate::array::isa::row::OuterAction`].
        L: 2 => L_LSB, L_BITS;
        /// The row written comes from the load port.
        LOAD: 1 => LOAD_LSB, LOAD_BITS;
        /// The row read goes to the store port.
        STORE: 1 => STORE_LSB, STORE_BITS;
    }
}

layout! {
    /// The setup word.
    setup {
        /// One of [`super::SetupKind`].
        KIND: 3 => KIND_LSB, KIND_BITS;
        /// [`crate::array::isa::row::Operand`] whose first row enters the value, or 0.
        OPERAND: 3 => OPERAND_LSB, OPERAND_BITS;
        /// Coefficient of n, two's complement, -2 to 3; the hardware takes -4 and -3 for -2.
        N: 3 => N_LSB, N_BITS;
        /// [`crate::array::isa::linear::Term`], or [`super::MODE_TERM`].
        TERM: 3 => TERM_LSB, TERM_BITS;
        /// Constant, two's complement.
        CONSTANT: 8 => CONSTANT_LSB, CONSTANT_BITS;
        /// Halvings.
        SHIFT: 2 => SHIFT_LSB, SHIFT_BITS;
        /// Destination ([`super::Destination`]), second operand, or error code.
        TO: 5 => TO_LSB, TO_BITS;
        /// [`super::Test`]; of an overlap test, whether the same first row is allowed.
        TEST: 2 => TEST_LSB, TEST_BITS;
        /// Setup address to go on at, or the micro-program's first row.
        TARGET: super::ROM_ADDRESS_BITS => TARGET_LSB, TARGET_BITS;
    }
}

layout! {
    /// A command, as it waits in the queue.
    command {
        /// [`crate::array::isa::Opcode`].
        OPCODE: 8 => OPCODE_LSB, OPCODE_BITS;
        /// [`crate::array::isa::Set`].
        SET: 2 => SET_LSB, SET_BITS;
        /// Width n.
        WIDTH_N: 7 => WIDTH_N_LSB, WIDTH_N_BITS;
        /// Second width m.
        SECOND: 7 => SECOND_LSB, SECOND_BITS;
        /// First row of the first source.
        A: 10 => A_LSB, A_BITS;
        /// First row of the second source.
        B: 10 => B_LSB, B_BITS;
        /// First row of the destination.
        D: 10 => D_LSB, D_BITS;
        /// First row of the second destination, or the tag row.
        E: 10 => E_LSB, E_BITS;
        /// First scratch row.
        S: 10 => S_LSB, S_BITS;
    }
}

/// Bits of a command with its key, which follows the fields of [`command`].
pub const COMMAND: usize = command::WIDTH + 64;

/// What decides where a row leads. A row is *left* when it does not lead back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The next row follows.
    #[default]
    Next = 0,
    /// Last row of an inner loop: back while X > 1.
    Inner = 1,
    /// Last row of an outer loop: to the target while Y > 1.
    Outer = 2,
    /// Last row of both.
    InnerOuter = 3,
    /// Next row if the key scanner has found a 1, else to the target.
    KeySkip = 4,
    /// To the target if the key scanner has found a 1.
    KeyLoop = 5,
    /// Next row if the wired-OR of T after this row is 1, else to the target.
    AnySkip = 6,
}

/// What X takes when a row is left. The codes from 8 are the count registers. The stride counts as it was before the
/// row: the assembler picks what suits the row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum XLoad {
    /// Nothing.
    #[default]
    Keep = 0,
    /// Z, before the row changes it.
    Triangle = 1,
    /// n less the stride.
    Rest = 2,
    /// n less twice the stride.
    RestDoubled = 3,
    /// The stride.
    Stride = 4,
    /// The stride less one.
    StrideLessOne = 5,
    /// A quarter of the stride.
    QuarterStride = 6,
    /// The effective width.
    Width = 7,
}

/// What Y takes. The codes from 8 are the count registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum YLoad {
    /// Nothing.
    #[default]
    Keep = 0,
    /// The effective width less two.
    WidthLessTwo = 1,
    /// The effective width less three.
    WidthLessThree = 2,
}

/// First code of the count registers in [`XLoad`] and [`YLoad`].
pub const COUNT_REGISTERS: u64 = 8;

/// Encoding of [`crate::array::isa::row::Index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum IndexCode {
    /// A literal.
    Immediate = 0,
    /// J.
    J = 1,
    /// I + J.
    K = 2,
    /// L.
    L = 3,
    /// I.
    I = 4,
}

/// What a setup word does with its value: operand's first row + n·N + term + constant, halved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SetupKind {
    /// Goes on at the target.
    Jump = 0,
    /// Writes the value to its destination.
    Value = 1,
    /// The value is the row after the operand's last: it must not exceed the rows, and is kept for overlap tests. The
    /// operand's first row goes to the base register of its number less one.
    Extent = 2,
    /// The two operands must not share rows.
    Disjoint = 3,
    /// Goes on at the target unless the test holds.
    Guard = 4,
    /// Goes on at the target unless both operands start at the same row.
    GuardSame = 5,
    /// Refuses the command with an error code unless the test holds.
    Require = 6,
    /// The command starts at the target.
    Start = 7,
}

/// A test of a setup word's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Test {
    /// It is 0.
    Zero = 0,
    /// It is not negative.
    AtLeastZero = 1,
    /// It is even.
    Even = 2,
    /// It never holds.
    Never = 3,
}

/// Code of a setup word's term beside those of [`Term`](crate::array::isa::linear::Term): the low bits of the command's
/// key, its [`Mode`](crate::array::isa::format::Mode).
pub const MODE_TERM: u64 = 6;

/// Destinations of setup values. 0 to 15 are the base registers, 16 to 23 the count registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Destination {
    /// First count register.
    Count = 16,
    /// X at the start.
    X = 24,
    /// Y at the start.
    Y = 25,
    /// Z at the start.
    Z = 26,
    /// I at the start.
    I = 27,
    /// The stride at the start.
    Stride = 28,
    /// The smallest effective width.
    MinWidth = 29,
    /// The stop value.
    Stop = 30,
    /// The key becomes this many ones.
    KeyOnes = 31,
}

/// Bit of `TO` in a [`SetupKind::Start`] word: C starts at 1.
pub const START_CARRY: u64 = 1;
/// Bit of `TO` in a [`SetupKind::Start`] word: T keeps its value.
pub const START_KEEP_TAG: u64 = 2;
/// Bit of `TO` in a [`SetupKind::Start`] word: the key scanner starts at once.
pub const START_SCAN: u64 = 4;
/// Base registers.
pub const BASES: usize = 16;
/// Count registers.
pub const COUNTS: usize = 8;
/// Bits of a ROM address.
pub const ROM_ADDRESS_BITS: usize = 15;
