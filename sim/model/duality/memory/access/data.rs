//! What the accesses make of data: words that are written, and values of what was read.

use bitline_units::duality::isa::codes::MemoryOp;

use super::super::element;
use super::{Access, AccessInputs, Line};
use crate::duality::access::atomic;

impl Access {
    /// What a thread writes: its bytes of a word.
    pub(super) fn stored(&self, inputs: &AccessInputs, address: u32, data: u64) -> (u64, u8) {
        let (bits, log_bytes) = (8 << self.own_log_bytes, self.own_log_bytes);
        let compared = self.compared.unwrap_or_default();
        let (value, bits, signed) = match self.op {
            MemoryOp::Store => (data, u64::from(self.own_last) + 1, inputs.extends),
            MemoryOp::FAdd => (self.sums.result().into(), bits, false),
            MemoryOp::Compare => (atomic(self.op, bits, self.old_bits(bits), compared, data), bits, false),
            op => (atomic(op, bits, self.old_bits(bits), data, 0), bits, false),
        };
        element::placed(value, bits, signed, log_bytes, address)
    }

    /// What an atomic operation has read, without its sign.
    fn old_bits(&self, bits: u64) -> u64 {
        crate::duality::rows::extend(self.old, bits, false)
    }

    pub(super) fn element(&self, inputs: &AccessInputs, line: &Line, byte: u32) -> u64 {
        element::taken(line[(byte / 8 % 8) as usize], inputs.extends, self.own_log_bytes, byte)
    }
}
