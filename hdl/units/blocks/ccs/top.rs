//! The cache compute system behind AXI4-Lite, with memory behind a port as wide as a line.
//!
//! ```text
//!  s_axil ◀─▶ bridge ◀─▶ system ◀── lines ── read, reply
//!     irq ◀───────────────┘  └─ lines, words ─▶ merge ─▶ write, ack
//! ```
//!
//! Addresses from 2^31 on are registers, those below are memory, through the cache. Timing of the memory's port: see [`super::core`]; words come on it as
//! lines whose lanes and bytes say which count.

use super::axil_bridge::CcsAxilBridge;
use super::core::Ccs;
use super::types::{LineNumber, Shape};
use super::write_merge::CcsWriteMerge;
use crate::blocks::bundles::AxilSlavePort;
use crate::ccs::CcsGeometry;
use crate::kernel::prelude::*;

/// The system with its slave.
#[derive(LogicBlock, Default)]
pub struct CcsTop {
    pub(super) clock: Signal<In, Domain>,
    pub(super) s_axil: AxilSlavePort<Bits<32>>, // Registers, as seen by their master.
    pub(super) irq: Signal<Out, Bit>, // Interrupt line, active high while `interrupt.done` and its enable are 1.
    pub(super) read_valid: Signal<Out, Bit>, // A line is asked for.
    pub(super) read_ready: Signal<In, Bit>, // The request is taken.
    pub(super) read_line: Signal<Out, LineNumber>, // Which.
    pub(super) reply_valid: Signal<In, Bit>, // A line is there.
    pub(super) reply_ready: Signal<Out, Bit>, // It is taken.
    pub(super) reply_data: Array<Signal<In, Bits<32>>, LANES>, // Its lanes.
    pub(super) reply_error: Signal<In, Bit>, // It came with an error.
    pub(super) write_valid: Signal<Out, Bit>, // A line is written, or a word of it.
    pub(super) write_line: Signal<Out, LineNumber>, // Which.
    pub(super) write_lanes: Array<Signal<Out, Bit>, LANES>, // Which lanes.
    pub(super) write_bytes: Signal<Out, Bits<4>>, // Which bytes of each 32-bit word.
    pub(super) write_data: Array<Signal<Out, Bits<32>>, LANES>, // What is written, zeros above the elements.
    pub(super) ack_valid: Signal<In, Bit>, // The oldest write is done.
    pub(super) ack_error: Signal<In, Bit>, // With an error.
    bridge: CcsAxilBridge,            // The slave.
    system: Ccs,                      // Cache, compute unit, control.
    merge: CcsWriteMerge,             // Words and lines.
    unused_runs: Signal<Local, Bit>,
    _g: Shape,
}

impl CcsTop {
    /// The top of this geometry, which holds.
    pub fn new(geometry: &CcsGeometry) -> Self {
        CcsTop { system: Ccs::new(geometry), merge: CcsWriteMerge::new(), ..Self::default() }
    }
}

impl Logic for CcsTop {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bridge, system);
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
        // Memory.
        self.read_valid.next = self.system.read_valid.val();
        self.system.read_ready.next = self.read_ready.val();
        self.read_line.next = self.system.read_line.val();
        self.system.reply_valid.next = self.reply_valid.val();
        self.reply_ready.next = self.system.reply_ready.val();
        self.system.reply_error.next = self.reply_error.val();
        self.write_valid.next = self.system.write_valid.val();
        self.write_line.next = self.system.write_line.val();
        self.write_bytes.next = self.system.write_bytes.val();
        self.system.ack_valid.next = self.ack_valid.val();
        self.system.ack_error.next = self.ack_error.val();
        self.merge.word.next = self.system.write_word.val();
        self.merge.value.next = self.system.write_value.val();
        for k in 0..self._g.lanes {
            self.system.reply_data[k].next = self.reply_data[k].val();
            self.write_lanes[k].next = self.system.write_lanes[k].val();
            self.merge.line[k].next = self.system.write_data[k].val();
            self.write_data[k].next = self.merge.data[k].val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        self._g.describe("ccs_top", "Cache compute system behind AXI4-Lite.", constants![])
    }
}
