//! Frame buffer: the words of a request or a reply, in block RAM.
//!
//! ```text
//!  frame receiver ─┐            ┌─▶ bridge
//!                  ├─▶ 256 words┤
//!  bridge ─────────┘            └─▶ frame sender
//! ```
//!
//! One request is under way at a time, so each side takes its turn: the receiver does not store while the bridge does,
//! the bridge does not fetch while the sender does. A word fetched in cycle t is there from t + 1, until the next
//! fetch. Words stay after reset.

use crate::kernel::prelude::*;
use crate::system::blocks::bundles::{FetchSink, StoreSink};
use crate::system::protocol::MAX_WORDS;

hdl_block! {
    pub FrameBuffer {
        In clock: Domain; /// Clock and reset.
        Bus receiver, bridge: StoreSink; /// Words that go to the frame buffer.
        Bus bridge_fetch, sender: FetchSink; /// Words that come from the frame buffer.
        Out word: Bits<32>; /// The word fetched.
    } inside {
        Child words: Ram<Bits<32>, Bits<8>>; // The words.
    }
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
        self.words.write_enable.next = self.receiver.store.val() | self.bridge.store.val();
        self.words.write_address.next = self.receiver.index.val();
        self.words.write_data.next = self.receiver.word.val();
        if self.bridge.store.val() {
            self.words.write_address.next = self.bridge.index.val();
            self.words.write_data.next = self.bridge.word.val();
        }
        self.words.read_enable.next = self.bridge_fetch.fetch.val() | self.sender.fetch.val();
        self.words.read_address.next = self.sender.index.val();
        if self.bridge_fetch.fetch.val() {
            self.words.read_address.next = self.bridge_fetch.index.val();
        }
        self.word.next = self.words.read_data.val();
    }

    described!("frame_buffer", "Words of a request or a reply.");
}
