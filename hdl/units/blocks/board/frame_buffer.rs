//! Frame buffer: the words of a request or a reply, in block RAM.
//!
//! ```text
//!  frame receiver ─┐            ┌─▶ bridge
//!                  ├─▶ 256 words┤
//!  bridge ─────────┘            └─▶ frame sender
//! ```
//!
//! One request is under way at a time, so each side takes its turn: the receiver does not store while the bridge does, the bridge does not fetch while
//! the sender does. A word fetched in cycle t is there from t + 1, until the next fetch. Words stay after reset.

use crate::kernel::prelude::*;
use crate::protocol::MAX_WORDS;

#[derive(LogicBlock, Default)]
pub struct FrameBuffer {
    pub clock: Signal<In, Domain>,
    pub receiver_store: Signal<In, Bit>,         // The receiver stores a word.
    pub receiver_index: Signal<In, Bits<8>>,     // Its number.
    pub receiver_word: Signal<In, Bits<32>>,     // The word.
    pub bridge_store: Signal<In, Bit>,           // The bridge stores a word.
    pub bridge_index: Signal<In, Bits<8>>,       // Its number.
    pub bridge_word: Signal<In, Bits<32>>,       // The word.
    pub bridge_fetch: Signal<In, Bit>,           // The bridge fetches a word.
    pub bridge_fetch_index: Signal<In, Bits<8>>, // Its number.
    pub sender_fetch: Signal<In, Bit>,           // The sender fetches a word.
    pub sender_index: Signal<In, Bits<8>>,       // Its number.
    pub word: Signal<Out, Bits<32>>,             // The word fetched.
    words: Ram<Bits<32>, Bits<8>>,               // The words.
}

impl FrameBuffer {
    pub fn new() -> Self {
        FrameBuffer { words: Ram::new(MAX_WORDS, RamStyle::Block), ..Self::default() }
    }
}

impl Logic for FrameBuffer {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, words);
        self.words.write_enable.next = self.receiver_store.val() | self.bridge_store.val();
        self.words.write_address.next = self.receiver_index.val();
        self.words.write_data.next = self.receiver_word.val();
        if self.bridge_store.val() {
            self.words.write_address.next = self.bridge_index.val();
            self.words.write_data.next = self.bridge_word.val();
        }
        self.words.read_enable.next = self.bridge_fetch.val() | self.sender_fetch.val();
        self.words.read_address.next = self.sender_index.val();
        if self.bridge_fetch.val() {
            self.words.read_address.next = self.bridge_fetch_index.val();
        }
        self.word.next = self.words.read_data.val();
    }

    described!("frame_buffer", "Words of a request or a reply.");
}
