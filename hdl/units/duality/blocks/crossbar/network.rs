//! Network of the crossbar: each of the lowest threads gets the bit of the thread that it names. Combinational.
//!
//! Thread t gets bit n of `row`, where bit j of n is bit t of `numbers[j]`; as many threads as the network has outputs
//! do, and bits of `picked` above them are 0. With an output for each thread it permutes, or spreads, a row at once;
//! with fewer, rows and numbers are turned by as many threads as there are outputs from one cycle to the next.
//!
//! Source: Duality Cache §3.3, the crossbar between transpose unit and banks; ours: fewer outputs than threads.

use crate::kernel::prelude::*;

/// Bits of a thread's number at most: a bank has up to 256 threads.
pub const NUMBER_BITS: usize = 8;

hdl_block! {
    /// The network.
    pub DualityCrossbarNetwork {
        In row: Row; /// A bit of each thread.
        Bus numbers: Vec<Signal<In, Row>>; /// The thread that each names: bits of its number, the lowest first.
        Out picked: Row; /// What the lowest threads get.
    } inside {
        Local number: Bits<NUMBER_BITS>;
        Local unused: Row;
        Value _outputs, _bits: usize;
    }
}

impl DualityCrossbarNetwork {
    /// With so many outputs, for a bank of so many threads.
    pub fn new(outputs: usize, columns: usize) -> Self {
        let bits = columns.ilog2() as usize;
        DualityCrossbarNetwork {
            numbers: (0..bits).map(|_| Signal::default()).collect(),
            _outputs: outputs,
            _bits: bits,
            ..Self::default()
        }
    }
}

impl Logic for DualityCrossbarNetwork {
    #[hdl_gen]
    fn update(&mut self) {
        // Threads beyond the outputs wait for their turn.
        self.unused.next = 0.into();
        for j in 0..self._bits {
            self.unused.next = self.unused.val() ^ self.numbers[j].val();
        }
        self.picked.next = 0.into();
        for t in 0..self._outputs {
            self.number.next = 0.into();
            for j in 0..self._bits {
                self.number.next = self.number.val().replace_bit(j, self.numbers[j].val().get_bit(t));
            }
            self.picked.next = self.picked.val().replace_bit(t, self.row.val().get_bit(self.number.val().index()));
        }
    }

    described! {
        "duality_crossbar_network", "The lowest threads get the bits of threads that they name."; ; _outputs, _bits
    }
}
