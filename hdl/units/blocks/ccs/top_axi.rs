//! The cache compute system behind AXI4-Lite, with memory behind AXI4.
//!
//! ```text
//!  s_axil ◀─▶ bridge ◀─▶ system ◀── lines, words ──▶ adapter ◀─▶ m_axi
//!     irq ◀───────────────┘
//! ```

use super::axi_adapter::CcsAxiAdapter;
use super::axil_bridge::CcsAxilBridge;
use super::core::Ccs;
use super::types::Shape;
use crate::blocks::bundles::AxilSlavePort;
use crate::ccs::CcsGeometry;
use crate::kernel::prelude::*;

/// The system with its slave and its master; `D` is a beat, `S` has a bit for each byte of it.
#[derive(LogicBlock, Default)]
pub struct CcsAxiTop<D: RowWord, S: RowWord> {
    pub(super) clock: Signal<In, Domain>,
    pub(super) s_axil: AxilSlavePort<Bits<32>>, // Registers, as seen by their master.
    pub(super) irq: Signal<Out, Bit>, // Interrupt line, active high while `interrupt.done` and its enable are 1.
    pub(super) m_axi_awaddr: Signal<Out, Bits<32>>, // Write address.
    pub(super) m_axi_awlen: Signal<Out, Bits<8>>, // Beats less one.
    pub(super) m_axi_awsize: Signal<Out, Bits<3>>, // log2 of a beat's bytes.
    pub(super) m_axi_awburst: Signal<Out, Bits<2>>, // INCR.
    pub(super) m_axi_awcache: Signal<Out, Bits<4>>, // Bufferable and modifiable.
    pub(super) m_axi_awprot: Signal<Out, Bits<3>>, // Unprivileged, secure, data.
    pub(super) m_axi_awvalid: Signal<Out, Bit>, // It is offered.
    pub(super) m_axi_awready: Signal<In, Bit>, // It is taken if offered.
    pub(super) m_axi_wdata: Signal<Out, D>, // Write data.
    pub(super) m_axi_wstrb: Signal<Out, S>, // Bytes of them that count.
    pub(super) m_axi_wlast: Signal<Out, Bit>, // They are the burst's last.
    pub(super) m_axi_wvalid: Signal<Out, Bit>, // They are offered.
    pub(super) m_axi_wready: Signal<In, Bit>, // They are taken if offered.
    pub(super) m_axi_bresp: Signal<In, Bits<2>>, // Write response.
    pub(super) m_axi_bvalid: Signal<In, Bit>, // It is offered.
    pub(super) m_axi_bready: Signal<Out, Bit>, // It is taken if offered: always.
    pub(super) m_axi_araddr: Signal<Out, Bits<32>>, // Read address.
    pub(super) m_axi_arlen: Signal<Out, Bits<8>>, // Beats less one.
    pub(super) m_axi_arsize: Signal<Out, Bits<3>>, // log2 of a beat's bytes.
    pub(super) m_axi_arburst: Signal<Out, Bits<2>>, // INCR.
    pub(super) m_axi_arcache: Signal<Out, Bits<4>>, // Bufferable and modifiable.
    pub(super) m_axi_arprot: Signal<Out, Bits<3>>, // Unprivileged, secure, data.
    pub(super) m_axi_arvalid: Signal<Out, Bit>, // It is offered.
    pub(super) m_axi_arready: Signal<In, Bit>, // It is taken if offered.
    pub(super) m_axi_rdata: Signal<In, D>, // Read data.
    pub(super) m_axi_rresp: Signal<In, Bits<2>>, // Read response.
    pub(super) m_axi_rlast: Signal<In, Bit>, // They are the burst's last; counted here too, so not looked at.
    pub(super) m_axi_rvalid: Signal<In, Bit>, // They are offered.
    pub(super) m_axi_rready: Signal<Out, Bit>, // They are taken if offered.
    bridge: CcsAxilBridge,            // The slave.
    system: Ccs,                      // Cache, compute unit, control.
    adapter: CcsAxiAdapter<D, S>,     // What is behind it.
    unused_runs: Signal<Local, Bit>,
    _g: Shape,
}

impl<D: RowWord, S: RowWord> CcsAxiTop<D, S> {
    /// The top of this geometry, which holds.
    pub fn new(geometry: &CcsGeometry) -> Self {
        CcsAxiTop { system: Ccs::new(geometry), adapter: CcsAxiAdapter::new(), ..Self::default() }
    }
}

impl<D: RowWord, S: RowWord> Logic for CcsAxiTop<D, S> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bridge, system, adapter);
        AxilSlavePort::<Bits<32>>::link(&mut self.s_axil, &mut self.bridge.s_axil);
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
        self.unused_runs.next = self.system.runs.val();
        self.m_axi_awaddr.next = self.adapter.m_axi_awaddr.val();
        self.m_axi_awlen.next = self.adapter.m_axi_awlen.val();
        self.m_axi_awsize.next = self.adapter.m_axi_awsize.val();
        self.m_axi_awburst.next = self.adapter.m_axi_awburst.val();
        self.m_axi_awcache.next = self.adapter.m_axi_awcache.val();
        self.m_axi_awprot.next = self.adapter.m_axi_awprot.val();
        self.m_axi_awvalid.next = self.adapter.m_axi_awvalid.val();
        self.adapter.m_axi_awready.next = self.m_axi_awready.val();
        self.m_axi_wdata.next = self.adapter.m_axi_wdata.val();
        self.m_axi_wstrb.next = self.adapter.m_axi_wstrb.val();
        self.m_axi_wlast.next = self.adapter.m_axi_wlast.val();
        self.m_axi_wvalid.next = self.adapter.m_axi_wvalid.val();
        self.adapter.m_axi_wready.next = self.m_axi_wready.val();
        self.adapter.m_axi_bresp.next = self.m_axi_bresp.val();
        self.adapter.m_axi_bvalid.next = self.m_axi_bvalid.val();
        self.m_axi_bready.next = self.adapter.m_axi_bready.val();
        self.m_axi_araddr.next = self.adapter.m_axi_araddr.val();
        self.m_axi_arlen.next = self.adapter.m_axi_arlen.val();
        self.m_axi_arsize.next = self.adapter.m_axi_arsize.val();
        self.m_axi_arburst.next = self.adapter.m_axi_arburst.val();
        self.m_axi_arcache.next = self.adapter.m_axi_arcache.val();
        self.m_axi_arprot.next = self.adapter.m_axi_arprot.val();
        self.m_axi_arvalid.next = self.adapter.m_axi_arvalid.val();
        self.adapter.m_axi_arready.next = self.m_axi_arready.val();
        self.adapter.m_axi_rdata.next = self.m_axi_rdata.val();
        self.adapter.m_axi_rresp.next = self.m_axi_rresp.val();
        self.adapter.m_axi_rlast.next = self.m_axi_rlast.val();
        self.adapter.m_axi_rvalid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.adapter.m_axi_rready.val();
        // Lines and words.
        self.adapter.read_valid.next = self.system.read_valid.val();
        self.system.read_ready.next = self.adapter.read_ready.val();
        self.adapter.read_line.next = self.system.read_line.val();
        self.system.reply_valid.next = self.adapter.reply_valid.val();
        self.adapter.reply_ready.next = self.system.reply_ready.val();
        self.system.reply_error.next = self.adapter.reply_error.val();
        self.adapter.write_valid.next = self.system.write_valid.val();
        self.adapter.write_line.next = self.system.write_line.val();
        self.adapter.write_bytes.next = self.system.write_bytes.val();
        self.system.ack_valid.next = self.adapter.ack_valid.val();
        self.system.ack_error.next = self.adapter.ack_error.val();
        self.adapter.write_word.next = self.system.write_word.val();
        self.adapter.write_value.next = self.system.write_value.val();
        for k in 0..self._g.lanes {
            self.system.reply_data[k].next = self.adapter.reply_data[k].val();
            self.adapter.write_lanes[k].next = self.system.write_lanes[k].val();
            self.adapter.write_data[k].next = self.system.write_data[k].val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        self._g.describe("ccs_axi_top", "Cache compute system behind AXI4-Lite, with AXI4 to memory.", constants![])
    }
}
