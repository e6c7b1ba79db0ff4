//! Elements in words of memory: brings an element of 1, 2, 4 or 8 bytes to its place in a word of 64 bits, and one
//! that was read from its place to the low bits, extended. Combinational.

use crate::kernel::prelude::*;

/// A word of memory, or a value of a thread.
pub type MemoryWord = Word<64, 1>;

numbers! { BYTE = 0xffu64, HALF = 0xffffu64, SINGLE = 0xffff_ffffu64 }

hdl_block! {
    /// The shifters.
    pub DualityElement {
        In log_bytes: Bits<2>; /// log2 of the element's bytes.
        In signed: Bit; /// Elements that are read are extended with their sign.
        In value: MemoryWord; /// A value to be written, 0 above its bits.
        In above: MemoryWord; /// 1 above its bits.
        In negative: Bit; /// It is extended with ones.
        In to: Bits<3>; /// Its byte in the word.
        Out extended: MemoryWord; /// The value, extended.
        In stored: MemoryWord; /// What is to be written, of the element's bytes.
        Out data: MemoryWord; /// The word that is written.
        Out strobes: Bits<8>; /// Bytes of it.
        In word: MemoryWord; /// A word that was read.
        In from: Bits<3>; /// The element's byte in it.
        Out read: MemoryWord; /// The element, extended.
    } inside {
        Local ones, shifted, own: MemoryWord;
        Local bytes: Bits<8>;
        Local by_to, by_from: Bits<6>;
        Local sign: Bit;
    }
}

impl Logic for DualityElement {
    #[hdl_gen]
    fn update(&mut self) {
        self.ones.next = 0.into();
        self.ones.next = !self.ones.val();
        self.extended.next = self.value.val();
        if self.negative.val() {
            self.extended.next = self.value.val() | self.above.val();
        }
        self.bytes.next = 1.into();
        if self.log_bytes.val() == 1 {
            self.bytes.next = 3.into();
        } else if self.log_bytes.val() == 2 {
            self.bytes.next = 15.into();
        } else if self.log_bytes.val() == 3 {
            self.bytes.next = 255.into();
        }
        self.strobes.next = self.bytes.val() << self.to.val();
        self.by_to.next = bit_cast::<6, 3>(self.to.val()) << 3;
        self.by_from.next = bit_cast::<6, 3>(self.from.val()) << 3;
        self.data.next = self.stored.val() << self.by_to.val();
        self.shifted.next = self.word.val() >> self.by_from.val();
        self.sign.next = self.shifted.val().get_bit(7);
        self.own.next = BYTE.into();
        if self.log_bytes.val() == 1 {
            self.sign.next = self.shifted.val().get_bit(15);
            self.own.next = HALF.into();
        } else if self.log_bytes.val() == 2 {
            self.sign.next = self.shifted.val().get_bit(31);
            self.own.next = SINGLE.into();
        } else if self.log_bytes.val() == 3 {
            self.sign.next = self.shifted.val().get_bit(63);
            self.own.next = self.ones.val();
        }
        self.read.next = self.shifted.val() & self.own.val();
        if self.signed.val() & self.sign.val() {
            self.read.next = self.shifted.val() | !self.own.val();
        }
    }

    described! { "duality_element", "Brings elements to their place in words of memory, and back."; BYTE, HALF, SINGLE }
}
