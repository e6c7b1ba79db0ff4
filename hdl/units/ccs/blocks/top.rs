//! The cache compute system behind AXI4-Lite, with memory behind a port as wide as a line.
//!
//! ```text
//!  s_axil ◀─▶ bridge ◀─▶ system ◀── lines ── read, reply
//!     irq ◀───────────────┘  └─ lines, words ─▶ merge ─▶ write, ack
//! ```
//!
//! Addresses from 2^31 on are registers, those below are memory, through the cache. Timing of the memory's port: see
//! [`crate::ccs::blocks::core`]; words come on it as lines whose lanes and bytes say which count.

use crate::ccs::CcsGeometry;
use crate::ccs::blocks::bundles::{AckSink, CpuMaster, LineWriteSource, ReadMaster, ReplySink};
use crate::ccs::blocks::types::{MORE, Shape, describes};
use crate::ccs::blocks::{axil_bridge::CcsAxilBridge, core::Ccs, write_merge::CcsWriteMerge};
use crate::kernel::prelude::*;
use crate::parts::bundles::AxilSlavePort;

/// The system with its slave.
#[derive(LogicBlock, Default)]
pub struct CcsTop {
    pub(super) clock: Signal<In, Domain>,
    pub(super) s_axil: AxilSlavePort<Bits<32>>, // Registers, as seen by their master.
    pub(super) irq: Signal<Out, Bit>, // Interrupt line, active high while `interrupt.done` and its enable are 1.
    pub(super) read: ReadMaster,      // Lines that are asked for.
    pub(super) reply: ReplySink,      // Lines that arrive.
    pub(super) write: LineWriteSource, // Lines that are written.
    pub(super) ack: AckSink,          // Writes that are done.
    pub(super) more_read: Array<ReadMaster, MORE>, // Lines that are asked for on a second port.
    pub(super) more_reply: Array<ReplySink, MORE>, // Lines that arrive there.
    bridge: CcsAxilBridge,            // The slave.
    system: Ccs,                      // Cache, compute unit, control.
    merge: CcsWriteMerge,             // Words and lines.
    unused_runs: Signal<Local, Bit>,
    _g: Shape,
}

impl CcsTop {
    /// The top of this geometry, which holds.
    pub fn new(geometry: &CcsGeometry) -> Self {
        CcsTop { system: Ccs::new(geometry), ..Self::default() }
    }
}

impl Logic for CcsTop {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bridge, system);
        AxilSlavePort::<Bits<32>>::link(&mut self.s_axil, &mut self.bridge.s_axil);
        CpuMaster::join(&mut self.bridge.cpu, &mut self.system.cpu);
        self.irq.next = self.system.irq.val();
        self.unused_runs.next = self.system.runs.val();
        // Memory.
        ReadMaster::link(&mut self.read, &mut self.system.read);
        ReplySink::link(&mut self.reply, &mut self.system.reply);
        AckSink::link(&mut self.ack, &mut self.system.ack);
        for i in 0..self._g.more {
            ReadMaster::link(&mut self.more_read[i], &mut self.system.more_read[i]);
            ReplySink::link(&mut self.more_reply[i], &mut self.system.more_reply[i]);
        }
        self.write.valid.next = self.system.write.valid.val();
        self.write.line.next = self.system.write.line.val();
        self.write.bytes.next = self.system.write.bytes.val();
        self.merge.word.next = self.system.write.word.val();
        self.merge.value.next = self.system.write.value.val();
        for k in 0..self._g.lanes {
            self.write.lanes[k].next = self.system.write.lanes[k].val();
            self.merge.line[k].next = self.system.write.data[k].val();
            self.write.data[k].next = self.merge.data[k].val();
        }
    }

    describes!(block: "ccs_top", "Cache compute system behind AXI4-Lite.", []);
}
