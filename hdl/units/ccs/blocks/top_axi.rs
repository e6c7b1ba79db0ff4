//! The cache compute system behind AXI4-Lite, with memory behind AXI4.
//!
//! ```text
//!  s_axil ◀─▶ bridge ◀─▶ system ◀── lines, words ──▶ adapter ◀─▶ m_axi
//!     irq ◀───────────────┘
//! ```

use crate::ccs::CcsGeometry;
use crate::ccs::blocks::bundles::{AckSink, CpuMaster, ReadMaster, ReplySink, WriteSource};
use crate::ccs::blocks::types::{Shape, describes};
use crate::ccs::blocks::{axi_adapter::CcsAxiAdapter, axil_bridge::CcsAxilBridge, core::Ccs};
use crate::kernel::prelude::*;
use crate::parts::bundles::{AxiMasterPort, AxilSlavePort};

/// The system with its slave and its master; `D` is a beat, `S` has a bit for each byte of it.
#[derive(LogicBlock, Default)]
pub struct CcsAxiTop<D: RowWord, S: RowWord> {
    pub(super) clock: Signal<In, Domain>,
    pub(super) s_axil: AxilSlavePort<Bits<32>>, // Registers, as seen by their master.
    pub(super) irq: Signal<Out, Bit>, // Interrupt line, active high while `interrupt.done` and its enable are 1.
    pub(super) m_axi: AxiMasterPort<Bits<32>, D, S>, // Memory.
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
        CpuMaster::join(&mut self.bridge.cpu, &mut self.system.cpu);
        self.irq.next = self.system.irq.val();
        self.unused_runs.next = self.system.runs.val();
        AxiMasterPort::<Bits<32>, D, S>::link(&mut self.m_axi, &mut self.adapter.m_axi);
        ReadMaster::join(&mut self.system.read, &mut self.adapter.read);
        ReplySink::join(&mut self.system.reply, &mut self.adapter.reply);
        WriteSource::join(&mut self.system.write, &mut self.adapter.write);
        AckSink::join(&mut self.system.ack, &mut self.adapter.ack);
    }

    describes!(block: "ccs_axi_top", "Cache compute system behind AXI4-Lite, with AXI4 to memory.", []);
}
