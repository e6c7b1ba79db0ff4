//! The cache compute system behind AXI4-Lite, with main memory in block RAM, as wide as a line: all that a board needs but a processor.
//!
//! ```text
//!  s_axil ◀─▶ bridge ◀─▶ system ◀── lines, words ──▶ memory
//!     irq ◀───────────────┘
//! ```

use super::axil_bridge::CcsAxilBridge;
use super::core::Ccs;
use super::line_memory::CcsLineMemory;
use super::types::Shape;
use crate::blocks::bundles::AxilSlavePort;
use crate::ccs::CcsGeometry;
use crate::kernel::prelude::*;

/// The system with its slave and its memory.
#[derive(LogicBlock, Default)]
pub struct CcsOnChip {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Registers, as seen by their master.
    pub s_axil: AxilSlavePort<Bits<32>>,
    /// Interrupt line, active high while `interrupt.done` and its enable are 1.
    pub irq: Signal<Out, Bit>,
    /// A command runs.
    pub runs: Signal<Out, Bit>,
    bridge: CcsAxilBridge, // The slave.
    system: Ccs,           // Cache, compute unit, control.
    memory: CcsLineMemory, // What is behind it.
    _g: Shape,
}

impl CcsOnChip {
    /// The top of this geometry, with `lines` lines of memory, a power of two.
    pub fn new(geometry: &CcsGeometry, lines: usize) -> Self {
        let _shape = Shape::hold(geometry);
        CcsOnChip { system: Ccs::new(geometry), memory: CcsLineMemory::new(lines), ..Self::default() }
    }
}

impl Logic for CcsOnChip {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bridge, system, memory);
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
        for k in 0..self._g.lanes {
            self.system.reply_data[k].next = self.memory.reply_data[k].val();
            self.memory.write_lanes[k].next = self.system.write_lanes[k].val();
            self.memory.write_data[k].next = self.system.write_data[k].val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        self._g.describe(
            "ccs_on_chip",
            "Cache compute system behind AXI4-Lite, with memory in block RAM.",
            constants![],
        )
    }
}
