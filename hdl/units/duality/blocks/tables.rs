//! Parameters and special registers of a launch: lists that the host writes, a copy for each control block, so that all
//! of them read at the same time.
//!
//! A write takes effect in the next cycle; reads are at once. A special register from number `specials` on is none: it
//! reads 0.

use crate::duality::blocks::scalar_unit::ScalarNumber;
use crate::duality::params::SCALARS;
use crate::duality::registers::MOST_SPECIALS;
use crate::kernel::prelude::*;

hdl_block! {
    /// The lists.
    pub DualityTables {
        In clock: Domain; /// Clock and reset.
        In parameter_write, special_write: Bit; /// An entry is written.
        In number: Bits<5>; /// Which one.
        In value: Bits<32>; /// What it holds then.
        In specials: Bits<4>; /// Special registers of the launch.
        Bus parameter_numbers: Array<Signal<In, ScalarNumber>, LANES>; /// Of each control block: what it asks for.
        Bus parameters: Array<Signal<Out, Bits<32>>, LANES>; /// Its value.
        Bus special_numbers: Array<Signal<In, Bits<3>>, LANES>; /// The special register that it asks for.
        Bus special_words: Array<Signal<Out, Bits<32>>, LANES>; /// Its word.
    } inside {
        Child listed: Vec<AsyncRam<Bits<32>, Bits<5>>>; // Parameters.
        Child placed: Vec<AsyncRam<Bits<32>, Bits<3>>>; // Special registers.
        Local asked: Bits<3>;
        Value _blocks: usize;
    }
}

impl DualityTables {
    /// For so many control blocks, which [`LANES`] stands for.
    pub fn new(blocks: usize) -> Self {
        DualityTables {
            listed: (0..blocks).map(|_| AsyncRam::new(SCALARS)).collect(),
            placed: (0..blocks).map(|_| AsyncRam::new(MOST_SPECIALS)).collect(),
            _blocks: blocks,
            ..Self::default()
        }
    }
}

impl Logic for DualityTables {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..self._blocks {
            self.listed[k].clock.next = self.clock.val();
            self.listed[k].write_enable.next = self.parameter_write.val();
            self.listed[k].write_address.next = self.number.val();
            self.listed[k].write_data.next = self.value.val();
            self.listed[k].read_address.next = self.parameter_numbers[k].val();
            self.parameters[k].next = self.listed[k].read_data.val();
            self.placed[k].clock.next = self.clock.val();
            self.placed[k].write_enable.next = self.special_write.val();
            self.placed[k].write_address.next = self.number.val().get_bits::<3>(0);
            self.placed[k].write_data.next = self.value.val();
            self.placed[k].read_address.next = self.special_numbers[k].val();
            self.special_words[k].next = 0.into();
            self.asked.next = self.special_numbers[k].val();
            if bit_cast::<4, 3>(self.asked.val()) < self.specials.val() {
                self.special_words[k].next = self.placed[k].read_data.val();
            }
        }
    }

    described!("duality_tables", "Parameters and special registers of a launch."; ; _blocks);
}
