//! Host bridge: from the UART's pins to an AXI4-Lite master.
//!
//! ```text
//!  rxd ─▶ uart_receiver ─▶ frame_receiver ─▶ bridge ◀─▶ m_axil
//!                               └─▶ frame_buffer ◀─┤
//!  txd ◀─ uart_transmitter ◀─ frame_sender ◀───────┘
//! ```
//!
//! Requests are taken, done and answered one at a time; [`crate::protocol`] has the rules. `frame_ok` or `frame_refused` = 1 for a cycle when a reply's last byte goes to
//! the transmitter. The line is high, and nothing is under way, after reset.

use super::bridge::Bridge;
use super::frame_buffer::FrameBuffer;
use super::frame_receiver::FrameReceiver;
use super::frame_sender::FrameSender;
use super::uart_receiver::UartReceiver;
use super::uart_transmitter::UartTransmitter;
use crate::kernel::prelude::*;

/// The bridge with what is on its way to the pins.
#[derive(LogicBlock, Default)]
pub struct HostBridge {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Line from the host; need not be in step with the clock.
    pub rxd: Signal<In, Bit>,
    /// Line to the host.
    pub txd: Signal<Out, Bit>,
    /// A request is under way.
    pub frame_busy: Signal<Out, Bit>,
    /// One was answered with status `ok`.
    pub frame_ok: Signal<Out, Bit>,
    /// One was answered with another.
    pub frame_refused: Signal<Out, Bit>,
    /// A byte had a wrong stop bit.
    pub wrong_byte: Signal<Out, Bit>,
    /// Write address.
    pub m_axil_awaddr: Signal<Out, Bits<32>>,
    /// It is offered.
    pub m_axil_awvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axil_awready: Signal<In, Bit>,
    /// Write data, all bytes of them.
    pub m_axil_wdata: Signal<Out, Bits<32>>,
    /// They are offered.
    pub m_axil_wvalid: Signal<Out, Bit>,
    /// They are taken if offered.
    pub m_axil_wready: Signal<In, Bit>,
    /// Write response.
    pub m_axil_bresp: Signal<In, Bits<2>>,
    /// It is offered.
    pub m_axil_bvalid: Signal<In, Bit>,
    /// It is taken if offered: always.
    pub m_axil_bready: Signal<Out, Bit>,
    /// Read address.
    pub m_axil_araddr: Signal<Out, Bits<32>>,
    /// It is offered.
    pub m_axil_arvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axil_arready: Signal<In, Bit>,
    /// Read data.
    pub m_axil_rdata: Signal<In, Bits<32>>,
    /// Read response.
    pub m_axil_rresp: Signal<In, Bits<2>>,
    /// They are offered.
    pub m_axil_rvalid: Signal<In, Bit>,
    /// They are taken if offered: always.
    pub m_axil_rready: Signal<Out, Bit>,
    /// Bytes from the line.
    pub uart_receiver: UartReceiver,
    /// Bytes to the line.
    pub uart_transmitter: UartTransmitter,
    /// Requests.
    pub receiver: FrameReceiver,
    /// Replies.
    pub sender: FrameSender,
    /// Their words.
    pub buffer: FrameBuffer,
    /// What they ask for.
    pub bridge: Bridge,
    good: Signal<Local, Bit>,
}

impl HostBridge {
    /// A bridge for bits of so many cycles, with a time-out of so many bits within frames and of 2^`log2_bus_timeout` cycles on the bus.
    pub fn new(cycles_a_bit: u32, timeout_bits: u32, log2_bus_timeout: usize) -> Self {
        HostBridge {
            uart_receiver: UartReceiver::new(cycles_a_bit),
            uart_transmitter: UartTransmitter::new(cycles_a_bit),
            receiver: FrameReceiver::new(cycles_a_bit, timeout_bits),
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
        self.receiver.byte_valid.next = self.uart_receiver.byte_valid.val();
        self.receiver.byte_wrong.next = self.uart_receiver.byte_wrong.val();
        self.receiver.byte.next = self.uart_receiver.byte.val();
        self.uart_transmitter.byte_valid.next = self.sender.byte_valid.val();
        self.sender.byte_ready.next = self.uart_transmitter.byte_ready.val();
        self.uart_transmitter.byte.next = self.sender.byte.val();
        // Words.
        self.buffer.receiver_store.next = self.receiver.store.val();
        self.buffer.receiver_index.next = self.receiver.store_index.val();
        self.buffer.receiver_word.next = self.receiver.store_word.val();
        self.buffer.bridge_store.next = self.bridge.store.val();
        self.buffer.bridge_index.next = self.bridge.store_index.val();
        self.buffer.bridge_word.next = self.bridge.store_word.val();
        self.buffer.bridge_fetch.next = self.bridge.fetch.val();
        self.buffer.bridge_fetch_index.next = self.bridge.fetch_index.val();
        self.buffer.sender_fetch.next = self.sender.fetch.val();
        self.buffer.sender_index.next = self.sender.fetch_index.val();
        self.bridge.fetch_word.next = self.buffer.word.val();
        self.sender.fetch_word.next = self.buffer.word.val();
        // Requests.
        self.bridge.request_valid.next = self.receiver.request_valid.val();
        self.receiver.request_ready.next = self.bridge.request_ready.val();
        self.bridge.request_status.next = self.receiver.request_status.val();
        self.bridge.request_write.next = self.receiver.request_write.val();
        self.bridge.request_fixed.next = self.receiver.request_fixed.val();
        self.bridge.request_count.next = self.receiver.request_count.val();
        self.bridge.request_address.next = self.receiver.request_address.val();
        // Replies.
        self.sender.reply_valid.next = self.bridge.reply_valid.val();
        self.bridge.reply_ready.next = self.sender.reply_ready.val();
        self.sender.reply_status.next = self.bridge.reply_status.val();
        self.sender.reply_tag.next = self.receiver.request_tag.val();
        self.sender.reply_count.next = self.bridge.reply_count.val();
        self.sender.reply_words.next = self.bridge.reply_words.val();
        self.good.next = self.bridge.reply_status.val() == 0;
        self.frame_busy.next = self.receiver.busy.val();
        self.frame_ok.next = self.bridge.request_ready.val() & self.good.val();
        self.frame_refused.next = self.bridge.request_ready.val() & !self.good.val();
        self.wrong_byte.next = self.uart_receiver.byte_wrong.val();
        // Bus.
        self.m_axil_awaddr.next = self.bridge.m_axil_awaddr.val();
        self.m_axil_awvalid.next = self.bridge.m_axil_awvalid.val();
        self.bridge.m_axil_awready.next = self.m_axil_awready.val();
        self.m_axil_wdata.next = self.bridge.m_axil_wdata.val();
        self.m_axil_wvalid.next = self.bridge.m_axil_wvalid.val();
        self.bridge.m_axil_wready.next = self.m_axil_wready.val();
        self.bridge.m_axil_bresp.next = self.m_axil_bresp.val();
        self.bridge.m_axil_bvalid.next = self.m_axil_bvalid.val();
        self.m_axil_bready.next = self.bridge.m_axil_bready.val();
        self.m_axil_araddr.next = self.bridge.m_axil_araddr.val();
        self.m_axil_arvalid.next = self.bridge.m_axil_arvalid.val();
        self.bridge.m_axil_arready.next = self.m_axil_arready.val();
        self.bridge.m_axil_rdata.next = self.m_axil_rdata.val();
        self.bridge.m_axil_rresp.next = self.m_axil_rresp.val();
        self.bridge.m_axil_rvalid.next = self.m_axil_rvalid.val();
        self.m_axil_rready.next = self.bridge.m_axil_rready.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("host_bridge", "From a UART to an AXI4-Lite master.", constants![])
    }
}
