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
        In byte: Bits<8>, // The byte.
    }

    /// Bytes to the UART.
    pub SentSink "SentSource", SentSource "SentSink" {
        In valid: Bit, // A byte is offered.
        Out ready: Bit, // It is taken if offered.
        In byte: Bits<8>, // The byte.
    }

    /// Words that go to the frame buffer.
    pub StoreSink "StoreSource", StoreSource "StoreSink" {
        In store: Bit, // A word goes there.
        In index: Bits<8>, // Its number.
        In word: Bits<32>, // The word.
    }

    /// Words that come from the frame buffer.
    pub FetchSink "FetchSource", FetchSource "FetchSink" {
        In fetch: Bit, // A word is fetched, and there a cycle later.
        In index: Bits<8>, // Its number.
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

    /// Whether there is a request, and of which kind; a part of others.
    pub AskSink "AskSource", AskSource "AskSink" {
        In valid: Bit, // A request is there.
        Out ready: Bit, // It is done with.
        In status: Bits<3>, // Status of a refused one, 0 for others.
        In write: Bit, // It writes.
        In fixed: Bit, // Every word at the same address.
    }

    /// The words that a request is about; a part of others.
    pub SpanSink "SpanSource", SpanSource "SpanSink" {
        In count: Bits<9>, // 1 to 256 unless the request is refused.
        In address: Bits<32>, // Of the first.
    }

    /// Requests as the bridge takes them.
    pub RequestSink "RequestSource", RequestSource "RequestSink" {
        Part ask_: AskSink | AskSource,
        Part span_: SpanSink | SpanSource,
    }

    /// Requests as they come; the tag goes to the reply at once.
    pub TaggedRequestSink "TaggedRequestSource", TaggedRequestSource "TaggedRequestSink" {
        Part ask_: AskSink | AskSource,
        In tag: Bits<8>,
        Part span_: SpanSink | SpanSource,
    }

    /// Whether there is a reply; a part of others.
    pub AnswerSink "AnswerSource", AnswerSource "AnswerSink" {
        In valid: Bit, // A reply is there.
        Out ready: Bit, // It is sent.
        In status: Bits<3>, // How the request ended.
    }

    /// What was done; a part of others.
    pub DoneSink "DoneSource", DoneSource "DoneSink" {
        In count: Bits<9>, // Words done.
        In words: Bit, // They follow.
    }

    /// Replies as the bridge gives them.
    pub ReplySink "ReplySource", ReplySource "ReplySink" {
        Part answer_: AnswerSink | AnswerSource,
        Part done_: DoneSink | DoneSource,
    }

    /// Replies as they go.
    pub TaggedReplySink "TaggedReplySource", TaggedReplySource "TaggedReplySink" {
        Part answer_: AnswerSink | AnswerSource,
        In tag: Bits<8>,
        Part done_: DoneSink | DoneSource,
    }
}
