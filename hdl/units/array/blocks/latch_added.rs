//! A latch and an operand code are added in one place: the table of latches with one row more, and a list of operand
//! codes with one more, which reads the latch. Everything else but the lines that compute with them follows.

#![allow(missing_docs)] // The `join` that rust-hdl derives has no text.

use serde::{Deserialize, Serialize};

use crate::array::blocks::bundles::latch_bundle;
use crate::array::isa::code::{bits, code};
use crate::array::isa::latch::{self as house, LatchEntry, Start, bits_below, cleared, latch_table};
use crate::array::isa::row::{latch_words, setters};
use crate::array::isa::second::{SECOND, SECOND_LSB};
use crate::array::isa::uop::{self, Next, WriteBack, column_control};
use crate::array::isa::word::{self, Field, layout};
use crate::array::params::{Columns, Sensing};
use crate::each_latch;
use crate::kernel::elaborate::elaborate;
use crate::kernel::prelude::*;

/// Hands on the table of latches with one row more.
macro_rules! with_guard {
    ($then:ident) => {
        each_latch!($then {
            /// Guard: what the test adds.
            guard g, field 5 G G_LSB G_BITS; parameter Guard if AndNor, feature 7; start Clear by Zero;
            /// What the guard latch does at the end of the cycle.
            GuardAction {
                /// Keep.
                Hold = 0 => G_HOLD,
                /// Clear.
                Zero = 1 => G_ZERO,
                /// Take a.
                A = 2 => G_A,
            }
        });
    };
}

code! {
    /// Operand x, with a code that the house does not have.
    X {
        /// The bit sensed on a.
        A = 0 => X_A,
        /// The guard latch.
        G = 14 => X_G reads Guard,
    }
}

code! {
    /// Operand y, as wide as ever.
    Y {
        /// The bit sensed on b.
        B = 0 => Y_B,
        /// `¬(T · D)` (`AndNor`).
        NotTD = 15 => Y_NOT_TD if AndNor reads Delay,
    }
}

code! {
    /// The second adder, which nothing here uses.
    Second {
        /// z = P · M; G and M keep.
        Off = 0 => SECOND_OFF,
    }
}

code! {
    /// Operand x with one code more than four bits hold.
    Wider {
        /// First.
        A = 0 => WIDER_A,
        /// Last of four bits.
        B = 15 => WIDER_B,
        /// One more.
        C = 16 => WIDER_C,
    }
}

layout! {
    /// The part of the control word that columns see.
    control {
        /// Operand x.
        X: super::X::WIDTH => X_LSB, X_BITS;
        /// Operand y.
        Y: super::Y::WIDTH => Y_LSB, Y_BITS;
        /// y becomes y + ¬P.
        GATE: 1 => GATE_LSB, GATE_BITS;
        /// What is written back.
        OUT: super::WriteBack::WIDTH => OUT_LSB, OUT_BITS;
        /// Data input of C and H.
        NEXT: super::Next::WIDTH => NEXT_LSB, NEXT_BITS;
        /// Actions of the latches.
        ACTIONS: super::ACTION_BITS => ACTIONS_LSB, ACTIONS_BITS;
        /// Only columns with T = 1 are written.
        PREDICATED: 1 => PREDICATED_LSB, PREDICATED_BITS;
    }
}
use control::ACTIONS_LSB;

with_guard!(latch_table);
with_guard!(column_control);
with_guard!(latch_bundle);

/// A row of a micro-program, as far as columns see it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    column: ColumnControl,
}

with_guard!(latch_words);

hdl_block! {
    /// Columns in which of all latches only the new one is at work: the lines that compute with it.
    pub Guarded<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        In action: Bits<G_BITS>; /// What the latch does.
        In x_code: Bits<4>; /// Code of operand x.
        In a: W; /// The bit sensed on a.
        Out x: W; /// Operand x.
    } inside {
        Child latches_: LatchStage<W>;
        Value _has: Present;
    }
}

impl<W: RowWord> Logic for Guarded<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, latches_);
        LatchSource::<W>::join(&mut self.latches_.q, &mut self.latches_.d);
        self.x.next = self.a.val();
        if self._has.guard {
            if self.x_code.val() == X_G {
                self.x.next = self.latches_.q.guard.val();
            }
            if self.action.val() == G_ZERO {
                self.latches_.d.guard.next = 0.into();
            } else if self.action.val() == G_A {
                self.latches_.d.guard.next = self.a.val();
            }
        }
    }

    described! { "guarded", "Columns with one more latch."; ; ; _has; X::CONSTANTS, actions() }
}

fn registers(has: bool) -> Vec<(String, u32)> {
    let _widths = Widths::keep().set::<crate::kernel::prelude::Row>(8);
    let mut block: Guarded<crate::kernel::prelude::Row> =
        Guarded { _has: Present::of(|latch| has && latch == Latch::Guard), ..Guarded::default() };
    block.connect_all();
    let netlist = elaborate(&block).unwrap_or_else(|e| panic!("{e}"));
    let net = |register: &crate::kernel::netlist::Register| netlist.top().net(register.net).clone();
    netlist
        .top()
        .registers
        .iter()
        .map(net)
        .map(|net| (net.name, net.width))
        .filter(|(name, _)| name == "guard")
        .collect()
}

#[test]
fn the_hardware_has_its_registers() {
    assert_eq!(registers(true), [("guard".to_string(), 8)]);
    assert_eq!(registers(false), []);
}

#[test]
fn the_control_word_has_its_bits() {
    let known = [(C_LSB, house::C_LSB), (H_LSB, house::H_LSB), (T_LSB, house::T_LSB), (D_LSB, house::D_LSB)];
    assert!(known.iter().all(|(here, there)| here == there));
    assert_eq!((G_LSB, G_BITS, ACTION_BITS), (ACTIONS_LSB + house::ACTION_BITS, 2, house::ACTION_BITS + 2));
    assert_eq!(control::PREDICATED_LSB, word::control::PREDICATED_LSB + 2);
    assert_eq!((LATCHES.len(), PLACES.last()), (house::LATCHES.len() + 1, Some(&("G_LSB", G_LSB as u64))));
    let row = Row::default().guard(GuardAction::A).hold(HoldAction::Differ);
    let column = ColumnControl { x: X::G, y: Y::NotTD, predicated: true, ..row.column };
    assert_eq!((column.encode() >> G_LSB & 3, column.encode() & 15), (G_A, X_G));
    assert_eq!(ColumnControl::decode(column.encode(), Columns::AndNor), Some(column));
    assert_eq!(ColumnControl::decode(3 << G_LSB, Columns::AndNor), None);
}

#[test]
fn what_needs_it_is_known() {
    let takes = Row::default().guard(GuardAction::Zero).column;
    let reads = ColumnControl { x: X::G, ..Default::default() };
    for column in [takes, reads] {
        let needs: Vec<Latch> = Latch::ALL.iter().copied().filter(|&latch| column.needs(latch)).collect();
        assert_eq!(needs, [Latch::Guard]);
        assert!(column.suits(Columns::AndNor) && !column.suits(Columns::TwoPort));
    }
    assert!(!ColumnControl::default().needs(Latch::Guard));
    assert_eq!(Latch::of(Sensing::AndNor), [Latch::Hold, Latch::Delay, Latch::Guard]);
}

#[test]
fn software_can_ask_for_it() {
    assert_eq!(FEATURES.last(), Some(&("guard", 7, " The columns have latch G.")));
    assert_eq!(serde_json::from_str::<Latch>("\"guard\"").ok(), Some(Latch::Guard));
}

#[test]
fn a_command_starts_with_it_clear() {
    let (bits, actions) = cleared(LATCHES, Start::Clear, |latch| latch == Latch::Guard);
    assert_eq!((bits, actions), (3 << G_LSB, G_ZERO << G_LSB));
    let mut column = Row::default().guard(GuardAction::A).column;
    column.clear(|row| row.start == Start::Clear);
    assert_eq!((column.g, column.d, column.t), (GuardAction::Zero, DelayAction::Zero, TagAction::Hold));
}

/// A code is added in one place: the field follows its list.
#[test]
fn fields_are_as_wide_as_their_lists() {
    assert_eq!((uop::X::WIDTH, word::control::X_BITS, word::control::X.bits), (4, 4, 4));
    assert_eq!((Wider::WIDTH, WIDER_C, WIDER_A, WIDER_B), (5, 16, 0, 15));
    assert_eq!(Wider::from_code(16), Some(Wider::C));
    assert_eq!(Wider::ALL.last().map(|code| code.code()), Some(16));
    assert_eq!((bits(&[0]), bits(&[1]), bits(&[2]), bits(&[3, 4])), (1, 1, 2, 3));
    assert_eq!(word::control::Y.lsb, word::control::X.lsb + uop::X::WIDTH);
}
