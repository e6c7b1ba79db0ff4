//! Turns of words of memory: the windows of those that have left the dispatcher and not ended, in program order.
//!
//! `comes` = 1 in a cycle in which one leaves, with the window that gets its rows of addresses and the one of its data;
//! from the next cycle on it waits. `waits` = 1 while one does: `slot`, and a bit for each window in `slots` and
//! `held`, are those of the oldest, until `ends` = 1. As many may wait as the windows have room for.

use crate::duality::params::SLOTS;
use crate::kernel::prelude::*;
use crate::parts::head_queue::HeadQueue;

/// The number of the window of addresses, a bit for it, and a bit for that of data.
const TURN_BITS: usize = 2 + 2 * SLOTS;
const SLOTS_LSB: usize = 2;
const HELD_LSB: usize = SLOTS_LSB + SLOTS;
numbers! { TO_SLOTS = SLOTS_LSB, TO_HELD = HELD_LSB }

hdl_block! {
    /// The turns.
    pub DualityMemoryTurns {
        In clock: Domain; /// Clock and reset.
        In comes: Bit; /// A word of memory leaves the dispatcher.
        In new_slot, new_data_slot: Bits<2>; /// Windows of its addresses and of its data.
        In ends: Bit; /// The oldest one ends.
        Out waits: Bit; /// There is one.
        Out slot: Bits<2>; /// The window of its addresses.
        Out slots, held: Bits<SLOTS>; /// This one. The window of its data.
    } inside {
        Child words: HeadQueue<Bits<TURN_BITS>>; // Words that wait.
        Local new_slots, new_held: Bits<SLOTS>;
        Local unused: Bit;
        Local unused_words: Bits<TURN_BITS>;
    }
}

impl DualityMemoryTurns {
    /// For windows with room for so many words.
    pub fn new(depth: usize) -> Self {
        DualityMemoryTurns { words: HeadQueue::new(SLOTS * depth), ..Self::default() }
    }
}

impl Logic for DualityMemoryTurns {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, words);
        self.new_slots.next = 1.into();
        self.new_held.next = 1.into();
        self.new_slots.next = self.new_slots.val() << self.new_slot.val();
        self.new_held.next = self.new_held.val() << self.new_data_slot.val();
        self.words.push_valid.next = self.comes.val();
        self.words.push_data.next = bit_cast::<TURN_BITS, 2>(self.new_slot.val())
            | (bit_cast::<TURN_BITS, SLOTS>(self.new_slots.val()) << TO_SLOTS)
            | (bit_cast::<TURN_BITS, SLOTS>(self.new_held.val()) << TO_HELD);
        self.words.pop.next = self.ends.val();
        self.waits.next = self.words.head_valid.val();
        self.slot.next = self.words.head.val().get_bits::<2>(0);
        self.slots.next = self.words.head.val().get_bits::<SLOTS>(SLOTS_LSB);
        self.held.next = self.words.head.val().get_bits::<SLOTS>(HELD_LSB);
        self.unused_words.next = self.words.second.val() ^ self.words.coming.val();
        // There is room for all that the windows hold.
        self.unused.next = self.words.push_ready.val() & (self.words.level.val() == 0);
    }

    described! {
        "duality_memory_turns", "The windows of words of memory, in program order."; TURN_BITS, SLOTS, SLOTS_LSB,
        HELD_LSB, TO_SLOTS, TO_HELD
    }
}
