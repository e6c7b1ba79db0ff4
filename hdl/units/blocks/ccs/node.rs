//! A node of the reduction tree.

use crate::ccs::control::tree::*;
use crate::kernel::prelude::*;

/// Sum, OR, XOR or the greater of two numbers without signs; 0 is the identity of all of them. Combinational. Elements of fewer than
/// 32 bits have zeros above them.
#[derive(LogicBlock, Default)]
pub struct CcsNode {
    /// What it does.
    pub operation: Signal<In, Bits<2>>,
    /// First operand.
    pub a: Signal<In, Bits<32>>,
    /// Second operand.
    pub b: Signal<In, Bits<32>>,
    /// Result.
    pub value: Signal<Out, Bits<32>>,
    invert: Signal<Local, Word<33, 1>>,
    sum: Signal<Local, Word<33, 1>>,
    carry: Signal<Local, Bit>,
    _bits: u64,
    _ones: u64,
    _carry: u64,
    _inverted: u64,
}

impl CcsNode {
    /// A node for elements of so many bits.
    pub fn new(element_bits: usize) -> Self {
        let bits = element_bits as u64;
        CcsNode {
            _bits: bits,
            _ones: (1 << bits) - 1,
            _carry: 1 << bits,
            _inverted: (2 << bits) - 1,
            ..Self::default()
        }
    }
}

impl Logic for CcsNode {
    #[hdl_gen]
    fn update(&mut self) {
        // One adder: a + b, or a - b, whose highest bit is a < b.
        self.invert.next = bits_to::<Word<33, 1>, Bits<32>>(self.b.val());
        if self.operation.val() == MAX {
            self.invert.next = bits_to::<Word<33, 1>, Bits<32>>(self.b.val()) ^ self._inverted.into();
        }
        self.carry.next = self.operation.val() == MAX;
        self.sum.next = bits_to::<Word<33, 1>, Bits<32>>(self.a.val())
            + self.invert.val()
            + bits_to::<Word<33, 1>, Bit>(self.carry.val());
        self.value.next = bits_to::<Bits<32>, Word<33, 1>>(self.sum.val()) & self._ones;
        if self.operation.val() == OR {
            self.value.next = self.a.val() | self.b.val();
        }
        if self.operation.val() == XOR {
            self.value.next = self.a.val() ^ self.b.val();
        }
        if self.operation.val() == MAX {
            self.value.next = self.a.val();
            if (self.sum.val() & self._carry.into()).any() {
                self.value.next = self.b.val();
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let module = format!("ccs_node_{}", self._bits);
        describe(
            module,
            "Node of a reduction tree: sum, OR, XOR or the greater.",
            constants![OR, XOR, MAX; self._ones, self._carry, self._inverted],
        )
    }
}
