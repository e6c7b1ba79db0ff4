//! Buses between the blocks of a board. Sinks take what the bus brings.
#![allow(missing_docs)] // The `join` that rust-hdl derives has no text.

use crate::kernel::prelude::*;

bundle! {
    /// AXI4-Lite of a host that writes whole words, of a slave: as `AxilSlavePort`, without strobes.
    pub HostSlavePort "HostMasterPort", HostMasterPort "HostSlavePort" {
        In awaddr: Bits<32>,
        In awvalid: Bit,
        Out awready: Bit,
        In wdata: Bits<32>,
        In wvalid: Bit,
        Out wready: Bit,
        Out bresp: Bits<2>,
        Out bvalid: Bit,
        In bready: Bit,
        In araddr: Bits<32>,
        In arvalid: Bit,
        Out arready: Bit,
        Out rdata: Bits<32>,
        Out rresp: Bits<2>,
        Out rvalid: Bit,
        In rready: Bit,
    }

    /// Bytes from the UART.
    pub ByteSink "ByteSource", ByteSource "ByteSink" {
        In valid: Bit, // A byte is there, for a cycle.
        In wrong: Bit, // A byte with a wrong stop bit was there, for a cycle.
        In value_: Bits<8>, // The byte.
    }

    /// Bytes to the UART.
    pub SentSink "SentSource", SentSource "SentSink" {
        In valid: Bit, // A byte is offered.
        Out ready: Bit, // It is taken if offered.
        In value_: Bits<8>, // The byte.
    }

    /// Words that go to the frame buffer.
    pub StoreSink "StoreSource", StoreSource "StoreSink" {
        In now_: Bit, // A word goes there.
        In index: Bits<8>, // Its number.
        In word: Bits<32>, // The word.
    }

    /// Words that come from the frame buffer.
    pub FetchSink "FetchSource", FetchSource "FetchSink" {
        In now_: Bit, // A word is fetched.
        In index: Bits<8>, // Its number.
        Out word: Bits<32>, // The word, a cycle later.
    }

    /// How a request ended, for a cycle.
    pub OutcomeSink "OutcomeSource", OutcomeSource "OutcomeSink" {
        In frame_ok: Bit, // It was answered with status `ok`.
        In frame_refused: Bit, // It was answered with another.
    }

    /// What the host wants to see on the LEDs.
    pub LedSink "LedSource", LedSource "LedSink" {
        In led_value: Bits<8>, // What they show if `led_override` is 1.
        In led_override: Bit,
    }
}
