//! The first level of a lane: adder and logic, and how the operands compare. Combinational.
//!
//! A bit takes one LUT before the carry chain: the sum is `addend` + (function ⊕ `addend`) + carry, so that the
//! function of a and b is what propagates carries. With `addend` = a the functions XOR and XNOR give sum and
//! difference; with `addend` = 0 every function gives itself. One more bit, above the element, is that of operands with
//! one more bit: signs or zeros.

use crate::ccs::blocks::types::{Shape, describes};
use crate::ccs::control::*;
use crate::kernel::prelude::*;

/// What it gets of the unit's control word: its lowest bits.
pub const FIRST_CONTROL_BITS: usize = SIGNED + 1;

const FUNCTION_XOR: u64 = function::XOR;
const FUNCTION_XNOR: u64 = function::XNOR;
const FUNCTION_AND: u64 = function::AND;
const FUNCTION_OR: u64 = function::OR;
const FUNCTION_NAND: u64 = function::NAND;
const FUNCTION_NOR: u64 = function::NOR;
const FUNCTION_B: u64 = function::B;

hdl_block! {
    /// The first level.
    pub CcsFirstLevel {
        In control: Bits<FIRST_CONTROL_BITS>; /// What it does; the addend's bit counts a stage before.
        In a, b, addend: Bits<32>; /// First operand. Second operand. a, or 0.
        Out sum: Word<33, 1>; /// Result, and above the element how a and b compare.
    } inside {
        Local logic: Bits<3>;
        Local function: Bits<32>;
        Local differ, propagate: Word<33, 1>;
        Local unused_choice: Bit;
        Value _g: Shape;
    }
}

impl Logic for CcsFirstLevel {
    #[hdl_gen]
    fn update(&mut self) {
        self.unused_choice.next = self.control.val().get_bit(ADD_A);
        self.logic.next = self.control.val().get_bits::<3>(LOGIC);
        self.function.next = self.a.val();
        if self.logic.val() == FUNCTION_XOR {
            self.function.next = self.a.val() ^ self.b.val();
        }
        if self.logic.val() == FUNCTION_XNOR {
            self.function.next = !(self.a.val() ^ self.b.val());
        }
        if self.logic.val() == FUNCTION_AND {
            self.function.next = self.a.val() & self.b.val();
        }
        if self.logic.val() == FUNCTION_OR {
            self.function.next = self.a.val() | self.b.val();
        }
        if self.logic.val() == FUNCTION_NAND {
            self.function.next = !(self.a.val() & self.b.val());
        }
        if self.logic.val() == FUNCTION_NOR {
            self.function.next = !(self.a.val() | self.b.val());
        }
        if self.logic.val() == FUNCTION_B {
            self.function.next = self.b.val();
        }
        self.differ.next = 0.into();
        if self.control.val().get_bit(SIGNED) {
            self.differ.next = bits_to::<Word<33, 1>, Bits<32>>(self.a.val() ^ self.b.val());
        }
        self.propagate.next = bits_to::<Word<33, 1>, Bits<32>>(self.function.val() & self._g.ones)
            | ((!(self.differ.val() << 1)) & self._g.carry.into());
        self.sum.next = (bits_to::<Word<33, 1>, Bits<32>>(self.addend.val())
            + (self.propagate.val() ^ bits_to::<Word<33, 1>, Bits<32>>(self.addend.val()))
            + bits_to::<Word<33, 1>, Bit>(self.control.val().get_bit(CARRY)))
            & self._g.wide_ones.into();
    }

    describes!(block: format!("ccs_first_level_{}", block._g.bits),
        "First level of a compute unit's lane: adder and logic.",
        [LOGIC, ADD_A, CARRY, SIGNED, FUNCTION_XOR, FUNCTION_XNOR, FUNCTION_AND, FUNCTION_OR, FUNCTION_NAND,
        FUNCTION_NOR, FUNCTION_B]);
}
