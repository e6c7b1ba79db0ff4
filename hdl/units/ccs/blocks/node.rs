//! A node of the reduction tree.

use crate::ccs::blocks::types::{Shape, describes};
use crate::ccs::control::tree::*;
use crate::kernel::prelude::*;

hdl_block! {
    /// Sum, OR, XOR or the greater of two numbers without signs; 0 is the identity of all of them. Combinational.
    /// Elements of fewer than 32 bits have zeros above them.
    pub CcsNode {
        In operation: Bits<2>; /// What it does.
        In a, b: Bits<32>; /// First operand. Second operand.
        Out value: Bits<32>; /// Result.
    } inside {
        Local invert, sum: Word<33, 1>;
        Local carry: Bit;
        Value _g: Shape;
    }
}

impl Logic for CcsNode {
    #[hdl_gen]
    fn update(&mut self) {
        // One adder: a + b, or a - b, whose highest bit is a < b.
        self.invert.next = bits_to::<Word<33, 1>, Bits<32>>(self.b.val());
        if self.operation.val() == MAX {
            self.invert.next = bits_to::<Word<33, 1>, Bits<32>>(self.b.val()) ^ self._g.wide_ones.into();
        }
        self.carry.next = self.operation.val() == MAX;
        self.sum.next = bits_to::<Word<33, 1>, Bits<32>>(self.a.val())
            + self.invert.val()
            + bits_to::<Word<33, 1>, Bit>(self.carry.val());
        self.value.next = bits_to::<Bits<32>, Word<33, 1>>(self.sum.val()) & self._g.ones;
        if self.operation.val() == OR {
            self.value.next = self.a.val() | self.b.val();
        }
        if self.operation.val() == XOR {
            self.value.next = self.a.val() ^ self.b.val();
        }
        if self.operation.val() == MAX {
            self.value.next = self.a.val();
            if (self.sum.val() & self._g.carry.into()).any() {
                self.value.next = self.b.val();
            }
        }
    }

    describes!(block: format!("ccs_node_{}", block._g.bits),
        "Node of a reduction tree: sum, OR, XOR or the greater.", [OR, XOR, MAX]);
}
