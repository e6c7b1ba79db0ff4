//! The cache compute system behind AXI4-Lite, with main memory in block RAM, as wide as a line: all that a board needs
//! but a processor.
//!
//! ```text
//!  s_axil ◀─▶ bridge ◀─▶ system ◀── lines, words ──▶ memory
//!     irq ◀───────────────┘
//! ```

use crate::ccs::CcsGeometry;
use crate::ccs::blocks::bundles::{AckSink, CpuMaster, ReadMaster, ReplySink, WriteSource};
use crate::ccs::blocks::types::{Shape, describes};
use crate::ccs::blocks::{axil_bridge::CcsAxilBridge, core::Ccs, line_memory::CcsLineMemory};
use crate::kernel::prelude::*;
use crate::parts::bundles::AxilSlavePort;

hdl_block! {
    /// The system with its slave and its memory.
    pub CcsOnChip {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<32>>; /// Registers, as seen by their master.
        Out irq, runs: Bit; /// Interrupt line, active high while `interrupt.done` and its enable are 1. A command runs.
    } inside {
        Child bridge: CcsAxilBridge; // The slave.
        Child system: Ccs; // Cache, compute unit, control.
        Child memory: CcsLineMemory; // What is behind it.
        Value _g: Shape;
    }
}

impl CcsOnChip {
    /// The top of this geometry, with `lines` lines of memory, a power of two.
    pub fn new(geometry: &CcsGeometry, lines: usize) -> Self {
        let _shape = Shape::hold(geometry);
        CcsOnChip { system: Ccs::with_memory(geometry), memory: CcsLineMemory::new(lines), ..Self::default() }
    }
}

impl Logic for CcsOnChip {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bridge, system, memory);
        AxilSlavePort::<Bits<32>>::link(&mut self.s_axil, &mut self.bridge.s_axil);
        CpuMaster::join(&mut self.bridge.cpu, &mut self.system.cpu);
        self.irq.next = self.system.irq.val();
        self.runs.next = self.system.runs.val();
        ReadMaster::join(&mut self.system.read, &mut self.memory.read);
        ReplySink::join(&mut self.system.reply, &mut self.memory.reply);
        WriteSource::join(&mut self.system.write, &mut self.memory.write);
        AckSink::join(&mut self.system.ack, &mut self.memory.ack);
        for i in 0..self._g.more {
            ReadMaster::join(&mut self.system.more_read[i], &mut self.memory.more_read[i]);
            ReplySink::join(&mut self.system.more_reply[i], &mut self.memory.more_reply[i]);
        }
    }

    describes!(block: "ccs_on_chip", "Cache compute system behind AXI4-Lite, with memory in block RAM.", []);
}
