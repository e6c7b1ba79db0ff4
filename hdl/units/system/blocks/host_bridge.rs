//! Host bridge: from the UART's pins to an AXI4-Lite master.
//!
//! ```text
//!  rxd ─▶ uart_receiver ─▶ frame_receiver ─▶ bridge ◀─▶ m_axil
//!                               └─▶ frame_buffer ◀─┤
//!  txd ◀─ uart_transmitter ◀─ frame_sender ◀───────┘
//! ```
//!
//! Requests are taken, done and answered one at a time; [`crate::system::protocol`] has the rules. `frame_ok` or
//! `frame_refused` = 1 for a cycle when a reply's last byte goes to the transmitter. The line is high, and nothing is
//! under way, after reset.

use crate::kernel::prelude::*;
use crate::system::blocks::bridge::Bridge;
use crate::system::blocks::bundles::*;
use crate::system::blocks::frame_buffer::FrameBuffer;
use crate::system::blocks::frame_receiver::FrameReceiver;
use crate::system::blocks::frame_sender::FrameSender;
use crate::system::blocks::uart_receiver::UartReceiver;
use crate::system::blocks::uart_transmitter::UartTransmitter;

/// The bridge with what is on its way to the pins.
#[derive(LogicBlock, Default)]
pub struct HostBridge {
    pub clock: Signal<In, Domain>,
    pub rxd: Signal<In, Bit>,         // Line from the host; need not be in step with the clock.
    pub txd: Signal<Out, Bit>,        // Line to the host.
    pub frame_busy: Signal<Out, Bit>, // A request is under way.
    pub outcome_: OutcomeSource,
    pub wrong_byte: Signal<Out, Bit>, // A byte had a wrong stop bit.
    pub m_axil: HostMasterPort,
    uart_receiver: UartReceiver,       // Bytes from the line.
    uart_transmitter: UartTransmitter, // Bytes to the line.
    receiver: FrameReceiver,           // Requests.
    sender: FrameSender,               // Replies.
    buffer: FrameBuffer,               // Their words.
    bridge: Bridge,                    // What they ask for.
    good: Signal<Local, Bit>,
}

impl HostBridge {
    /// A bridge for bits of so many cycles, with a time-out of so many bits within frames and of 2^`log2_bus_timeout`
    /// cycles on the bus.
    pub fn new(cycles_a_bit: u32, timeout_bits: u32, log2_bus_timeout: usize) -> Self {
        HostBridge {
            uart_receiver: UartReceiver::new(cycles_a_bit),
            uart_transmitter: UartTransmitter::new(cycles_a_bit),
            receiver: FrameReceiver::new(cycles_a_bit, timeout_bits),
            sender: FrameSender::new(),
            buffer: FrameBuffer::new(),
            bridge: Bridge::new(log2_bus_timeout),
            ..Self::default()
        }
    }
}

impl Logic for HostBridge {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, uart_receiver, uart_transmitter, receiver, sender, buffer, bridge);
        self.uart_receiver.rxd.next = self.rxd.val();
        self.txd.next = self.uart_transmitter.txd.val();
        ByteSource::join(&mut self.uart_receiver.byte, &mut self.receiver.byte);
        SentSource::join(&mut self.sender.byte, &mut self.uart_transmitter.byte);
        // Words.
        StoreSource::join(&mut self.receiver.store, &mut self.buffer.receiver);
        StoreSource::join(&mut self.bridge.store, &mut self.buffer.bridge);
        FetchSource::join(&mut self.bridge.fetch, &mut self.buffer.bridge_fetch);
        FetchSource::join(&mut self.sender.fetch, &mut self.buffer.sender);
        self.bridge.fetch_word.next = self.buffer.word.val();
        self.sender.fetch_word.next = self.buffer.word.val();
        // Requests.
        AskSource::join(&mut self.receiver.request.ask_, &mut self.bridge.request.ask_);
        SpanSource::join(&mut self.receiver.request.span_, &mut self.bridge.request.span_);
        // Replies.
        AnswerSource::join(&mut self.bridge.reply.answer_, &mut self.sender.reply.answer_);
        DoneSource::join(&mut self.bridge.reply.done_, &mut self.sender.reply.done_);
        self.sender.reply.tag.next = self.receiver.request.tag.val();
        self.good.next = self.bridge.reply.answer_.status.val() == 0;
        self.frame_busy.next = self.receiver.busy.val();
        self.outcome_.frame_ok.next = self.bridge.request.ask_.ready.val() & self.good.val();
        self.outcome_.frame_refused.next = self.bridge.request.ask_.ready.val() & !self.good.val();
        self.wrong_byte.next = self.uart_receiver.byte.wrong.val();
        // Bus.
        HostMasterPort::link(&mut self.m_axil, &mut self.bridge.m_axil);
    }

    described!("host_bridge", "From a UART to an AXI4-Lite master.");
}
