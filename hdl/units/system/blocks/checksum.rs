//! Checksum: CRC-16/IBM-3740 over bytes, as [`crate::system::protocol::checksum`].
//!
//! ```text
//!  byte ─▶ eight steps ─▶ sum
//!              ▲───────────┘
//! ```
//!
//! In a cycle with `add` = 1 the byte goes in: `sum` has it from the next cycle on. Else, with `clear` = 1, the sum
//! begins anew. Begun anew after reset.

use crate::kernel::prelude::*;
use crate::system::protocol::{CHECKSUM_POLYNOMIAL, CHECKSUM_START};

const START: u64 = CHECKSUM_START as u64;
const POLYNOMIAL: u64 = CHECKSUM_POLYNOMIAL as u64;
const TOP: usize = 15; // Top bit.

#[derive(LogicBlock, Default)]
pub struct Checksum {
    pub clock: Signal<In, Domain>,
    pub clear: Signal<In, Bit>,     // Begins anew.
    pub add: Signal<In, Bit>,       // The byte goes in.
    pub byte: Signal<In, Bits<8>>,  // The byte.
    pub sum: Signal<Out, Bits<16>>, // The sum.
    state: Register<Bits<16>>,      // The sum.
    step: Signal<Local, Bits<16>>,
}

impl Checksum {
    pub fn new() -> Self {
        Checksum { state: Register::new(START.into()), ..Self::default() }
    }
}

impl Logic for Checksum {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        self.step.next = self.state.q.val() ^ (bit_cast::<16, 8>(self.byte.val()) << 8);
        for _i in 0..8 {
            if self.step.val().get_bit(TOP) {
                self.step.next = (self.step.val() << 1) ^ POLYNOMIAL;
            } else {
                self.step.next = self.step.val() << 1;
            }
        }
        if self.add.val() {
            self.state.d.next = self.step.val();
        } else if self.clear.val() {
            self.state.d.next = START.into();
        }
        self.sum.next = self.state.q.val();
    }

    described!("checksum", "CRC-16/IBM-3740 over bytes."; TOP, POLYNOMIAL, START);
}
