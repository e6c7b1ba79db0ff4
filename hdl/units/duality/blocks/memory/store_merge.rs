//! Stores of threads that follow each other in a word of memory, as one.
//!
//! A word is held with those of its bytes that threads have stored. `put` = 1 adds a thread's bytes, which replace
//! those that are there; only while `fits` = 1, or in a cycle with `sent`. `fits` = 1 while nothing is held, or while
//! the thread's word is the one that is. `sent` = 1 when the word that is held is taken; `drop` forgets it.

use crate::duality::blocks::memory::element::MemoryWord;
use crate::duality::cache_params::AT_BITS;
use crate::kernel::prelude::*;

const BYTES: usize = 8;
const LAST_BYTE: usize = BYTES - 1;

hdl_block! {
    /// The word.
    pub DualityStoreMerge {
        In clock: Domain; /// Clock and reset.
        In number: Bits<AT_BITS>; /// The number of a thread's word.
        In data: MemoryWord; /// What is stored in it.
        In strobes: Bits<8>; /// Bytes of it.
        Out fits: Bit; /// They can be added.
        In put: Bit; /// They are.
        Out held: Bit; /// A word is held.
        Out held_number: Bits<AT_BITS>; /// Its number.
        Out held_data: MemoryWord; /// What is written to it.
        Out held_strobes: Bits<8>; /// Bytes of it.
        In sent: Bit; /// It is taken.
        In drop: Bit; /// It is forgotten.
    } inside {
        Register some: Bit; // A word is held.
        Pipe at: Bits<AT_BITS>; // Its number.
        Pipe word: MemoryWord; // What is written to it.
        Pipe bytes: Bits<8>; // Bytes of it.
        Child parts: [Signal<Local, Bits<8>>; BYTES];
        Local part, kept: Bits<8>;
        Local merged: MemoryWord;
        Local same: Bit;
    }
}

impl Logic for DualityStoreMerge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, some, at, word, bytes);
        self.same.next = self.number.val() == self.at.q.val();
        self.fits.next = !self.some.q.val() | self.same.val();
        self.held.next = self.some.q.val();
        self.held_number.next = self.at.q.val();
        self.held_data.next = self.word.q.val();
        self.held_strobes.next = self.bytes.q.val();
        // Bytes of a word that leaves are not those of the next one.
        self.kept.next = 0.into();
        if self.some.q.val() & !self.sent.val() {
            self.kept.next = self.bytes.q.val();
        }
        self.merged.next = 0.into();
        for b in 0..BYTES {
            self.parts[b].next = self.word.q.val().get_bits::<8>(8 * b);
            if self.strobes.val().get_bit(b) {
                self.parts[b].next = self.data.val().get_bits::<8>(8 * b);
            }
        }
        for b in 0..BYTES {
            self.part.next = self.parts[LAST_BYTE - b].val();
            self.merged.next = (self.merged.val() << 8) | bits_to::<MemoryWord, Bits<8>>(self.part.val());
        }
        if self.sent.val() | self.drop.val() {
            self.some.d.next = false;
        }
        if self.put.val() {
            self.some.d.next = true;
            self.at.d.next = self.number.val();
            self.word.d.next = self.merged.val();
            self.bytes.d.next = self.kept.val() | self.strobes.val();
        }
    }

    described! { "duality_store_merge", "Stores of threads in the same word, as one."; BYTES, LAST_BYTE, AT_BITS }
}
