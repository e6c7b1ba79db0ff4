//! The cache compute system behind AXI4-Lite, with main memory in block RAM, as wide as a line: all that a board needs but a processor.
//!
//! ```text
//!  s_axil ◀─▶ bridge ◀─▶ system ◀── lines, words ──▶ memory
//!     irq ◀───────────────┘
//! ```

use super::axil_bridge::CcsAxilBridge;
use super::core::Ccs;
use super::line_memory::CcsLineMemory;
use crate::ccs::CcsGeometry;
use crate::kernel::prelude::*;

/// The system with its slave and its memory.
#[derive(LogicBlock, Default)]
pub struct CcsOnChip {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Write address.
    pub s_axil_awaddr: Signal<In, Bits<32>>,
    /// It is offered.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// It is taken if offered.
    pub s_axil_awready: Signal<Out, Bit>,
    /// Write data.
    pub s_axil_wdata: Signal<In, Bits<32>>,
    /// Bytes that they reach.
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    /// They are offered.
    pub s_axil_wvalid: Signal<In, Bit>,
    /// They are taken if offered.
    pub s_axil_wready: Signal<Out, Bit>,
    /// Write response: OKAY.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    /// It is offered.
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub s_axil_bready: Signal<In, Bit>,
    /// Read address.
    pub s_axil_araddr: Signal<In, Bits<32>>,
    /// It is offered.
    pub s_axil_arvalid: Signal<In, Bit>,
    /// It is taken if offered.
    pub s_axil_arready: Signal<Out, Bit>,
    /// Read data.
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    /// Read response: OKAY, or SLVERR if memory has answered with an error.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    /// They are offered.
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// They are taken if offered.
    pub s_axil_rready: Signal<In, Bit>,
    /// Interrupt line, active high while `interrupt.done` and its enable are 1.
    pub irq: Signal<Out, Bit>,
    /// A command runs.
    pub runs: Signal<Out, Bit>,
    /// The slave.
    pub bridge: CcsAxilBridge,
    /// Cache, compute unit, control.
    pub system: Ccs,
    /// What is behind it.
    pub memory: CcsLineMemory,
    _lanes: usize,
}

impl CcsOnChip {
    /// The top of this geometry, with `lines` lines of memory, a power of two.
    pub fn new(geometry: &CcsGeometry, lines: usize) -> Self {
        CcsOnChip {
            system: Ccs::new(geometry),
            memory: CcsLineMemory::new(geometry, lines),
            _lanes: geometry.lanes,
            ..Self::default()
        }
    }
}

impl Logic for CcsOnChip {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bridge, system, memory);
        self.bridge.s_axil_awaddr.next = self.s_axil_awaddr.val();
        self.bridge.s_axil_awvalid.next = self.s_axil_awvalid.val();
        self.s_axil_awready.next = self.bridge.s_axil_awready.val();
        self.bridge.s_axil_wdata.next = self.s_axil_wdata.val();
        self.bridge.s_axil_wstrb.next = self.s_axil_wstrb.val();
        self.bridge.s_axil_wvalid.next = self.s_axil_wvalid.val();
        self.s_axil_wready.next = self.bridge.s_axil_wready.val();
        self.s_axil_bresp.next = self.bridge.s_axil_bresp.val();
        self.s_axil_bvalid.next = self.bridge.s_axil_bvalid.val();
        self.bridge.s_axil_bready.next = self.s_axil_bready.val();
        self.bridge.s_axil_araddr.next = self.s_axil_araddr.val();
        self.bridge.s_axil_arvalid.next = self.s_axil_arvalid.val();
        self.s_axil_arready.next = self.bridge.s_axil_arready.val();
        self.s_axil_rdata.next = self.bridge.s_axil_rdata.val();
        self.s_axil_rresp.next = self.bridge.s_axil_rresp.val();
        self.s_axil_rvalid.next = self.bridge.s_axil_rvalid.val();
        self.bridge.s_axil_rready.next = self.s_axil_rready.val();
        // Accesses.
        self.system.cpu_valid.next = self.bridge.cpu_valid.val();
        self.bridge.cpu_ready.next = self.system.cpu_ready.val();
        self.system.cpu_write.next = self.bridge.cpu_write.val();
        self.system.cpu_address.next = self.bridge.cpu_address.val();
        self.system.cpu_data.next = self.bridge.cpu_data.val();
        self.system.cpu_strobes.next = self.bridge.cpu_strobes.val();
        self.bridge.cpu_reply.next = self.system.cpu_reply.val();
        self.bridge.cpu_reply_data.next = self.system.cpu_reply_data.val();
        self.bridge.cpu_reply_error.next = self.system.cpu_reply_error.val();
        self.irq.next = self.system.irq.val();
        self.runs.next = self.system.runs.val();
        // Lines and words.
        self.memory.read_valid.next = self.system.read_valid.val();
        self.system.read_ready.next = self.memory.read_ready.val();
        self.memory.read_line.next = self.system.read_line.val();
        self.system.reply_valid.next = self.memory.reply_valid.val();
        self.memory.reply_ready.next = self.system.reply_ready.val();
        self.system.reply_error.next = self.memory.reply_error.val();
        self.memory.write_valid.next = self.system.write_valid.val();
        self.memory.write_line.next = self.system.write_line.val();
        self.memory.write_bytes.next = self.system.write_bytes.val();
        self.system.ack_valid.next = self.memory.ack_valid.val();
        self.system.ack_error.next = self.memory.ack_error.val();
        self.memory.write_word.next = self.system.write_word.val();
        self.memory.write_value.next = self.system.write_value.val();
        for k in 0..self._lanes {
            self.system.reply_data[k].next = self.memory.reply_data[k].val();
            self.memory.write_lanes[k].next = self.system.write_lanes[k].val();
            self.memory.write_data[k].next = self.system.write_data[k].val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "ccs_on_chip",
            "Cache compute system behind AXI4-Lite, with memory in block RAM.",
            constants![; self._lanes],
        )
    }
}
