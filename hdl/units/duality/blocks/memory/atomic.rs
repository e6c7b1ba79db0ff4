//! What an atomic operation leaves in memory, sums of floating-point numbers apart. Combinational.
//!
//! Elements have 32 or 64 bits, in the low bits of all values; of 32-bit elements the high half of the result is
//! anything.

use crate::duality::blocks::memory::element::MemoryWord;
use crate::duality::isa::codes::MemoryOp;
use crate::kernel::prelude::*;

numbers! {
    ADD = MemoryOp::Add, MIN_U = MemoryOp::MinU, MIN_S = MemoryOp::MinS, MAX_U = MemoryOp::MaxU,
    MAX_S = MemoryOp::MaxS, AND = MemoryOp::And, OR = MemoryOp::Or, XOR = MemoryOp::Xor,
    EXCHANGE = MemoryOp::Exchange, COMPARE = MemoryOp::Compare
}

hdl_block! {
    /// The operations.
    pub DualityAtomic {
        In operation: Bits<4>; /// Which one.
        In wide: Bit; /// Elements have 64 bits.
        In old, b, s: MemoryWord; /// What is there, the data, and the second data.
        Out result: MemoryWord; /// What is left.
    } inside {
        Local key_old, key_b, flip: MemoryWord;
        Local less, same, signed: Bit;
    }
}

impl Logic for DualityAtomic {
    #[hdl_gen]
    fn update(&mut self) {
        // Keys that order as the elements do: at the top of a word, and signed ones with the sign turned over.
        self.key_old.next = self.old.val() << 32;
        self.key_b.next = self.b.val() << 32;
        if self.wide.val() {
            self.key_old.next = self.old.val();
            self.key_b.next = self.b.val();
        }
        self.same.next = self.key_old.val() == self.key_b.val();
        self.signed.next = (self.operation.val() == MIN_S) | (self.operation.val() == MAX_S);
        self.flip.next = 0.into();
        self.flip.next = self.flip.val().replace_bit(63, self.signed.val());
        self.less.next = (self.key_old.val() ^ self.flip.val()) < (self.key_b.val() ^ self.flip.val());
        self.result.next = self.old.val();
        if self.operation.val() == ADD {
            self.result.next = self.old.val() + self.b.val();
        } else if (self.operation.val() == MIN_U) | (self.operation.val() == MIN_S) {
            if !self.less.val() {
                self.result.next = self.b.val();
            }
        } else if (self.operation.val() == MAX_U) | (self.operation.val() == MAX_S) {
            if self.less.val() {
                self.result.next = self.b.val();
            }
        } else if self.operation.val() == AND {
            self.result.next = self.old.val() & self.b.val();
        } else if self.operation.val() == OR {
            self.result.next = self.old.val() | self.b.val();
        } else if self.operation.val() == XOR {
            self.result.next = self.old.val() ^ self.b.val();
        } else if self.operation.val() == EXCHANGE {
            self.result.next = self.b.val();
        } else if self.operation.val() == COMPARE {
            if self.same.val() {
                self.result.next = self.s.val();
            }
        }
    }

    described! {
        "duality_atomic", "What an atomic operation leaves in memory."; ADD, MIN_U, MIN_S, MAX_U, MAX_S, AND, OR, XOR,
        EXCHANGE, COMPARE
    }
}
