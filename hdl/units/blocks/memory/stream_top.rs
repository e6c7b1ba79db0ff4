//! Compute unit with register block and element streams: the way to memory for FIFOs.
//!
//! ```text
//!  s_axil ─▶ core ◀── words ── stream ends ◀── s_axis
//!     irq ◀─  └────── words ──────┘  └───────▶ m_axis
//! ```
//!
//! A beat is an element, in its lowest bits; bits above its width are ignored on the way in and 0 on the way out. `load_memory` takes as
//! many beats as it has elements, `store_memory` gives as many, the last one with `m_axis_tlast`; address and stride mean
//! nothing. Beats are taken when a load asks for them, not before.

use super::core::MemoryCore;
use super::stream_ends::StreamEnds;
use super::types::Chunk;
use crate::blocks::bundles::AxilSlavePort;
use crate::isa::microcode::Microcode;
use crate::kernel::prelude::*;
use crate::params::Params;
use crate::registers::ADDRESS_BITS;

/// The unit with its streams; `W` is a row.
#[derive(LogicBlock, Default)]
pub struct StreamTop<W: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Registers, as seen by their master.
    pub s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>,
    /// Interrupt line, active high.
    pub irq: Signal<Out, Bit>,
    /// A command waits or runs; as `status.busy`.
    pub busy: Signal<Out, Bit>,
    /// An error is recorded; as `status.error`.
    pub error: Signal<Out, Bit>,
    /// Wired-OR of the tags; as `status.tag_any`.
    pub tag_any: Signal<Out, Bit>,
    /// An element is offered.
    pub s_axis_tvalid: Signal<In, Bit>,
    /// It is taken if offered.
    pub s_axis_tready: Signal<Out, Bit>,
    /// The element.
    pub s_axis_tdata: Signal<In, Chunk>,
    /// An element is there.
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// It is taken if there.
    pub m_axis_tready: Signal<In, Bit>,
    /// The element.
    pub m_axis_tdata: Signal<Out, Chunk>,
    /// It is its command's last.
    pub m_axis_tlast: Signal<Out, Bit>,
    /// Registers, path and compute unit.
    pub core: MemoryCore<W>,
    /// What counts the elements.
    pub ends: StreamEnds,
    unused_fields: Signal<Local, Bit>,
}

impl<W: RowWord> StreamTop<W> {
    /// The unit that `params` describe.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        StreamTop { core: MemoryCore::new(params, code), ..Self::default() }
    }
}

impl<W: RowWord> Logic for StreamTop<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, core, ends);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.core.s_axil);
        self.irq.next = self.core.irq.val();
        self.busy.next = self.core.busy.val();
        self.error.next = self.core.error.val();
        self.tag_any.next = self.core.tag_any.val();
        self.ends.read_valid.next = self.core.read_valid.val();
        self.core.read_ready.next = self.ends.read_ready.val();
        self.ends.read_count.next = self.core.read_count.val();
        self.ends.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.s_axis_tready.next = self.ends.s_axis_tready.val();
        self.core.word_valid.next = self.ends.word_valid.val();
        self.ends.word_ready.next = self.core.word_ready.val();
        self.core.word_data.next = self.s_axis_tdata.val();
        self.core.word_last.next = self.ends.word_last.val();
        self.core.word_response.next = 0.into();
        self.core.word_address.next = 0.into();
        self.ends.write.next = self.core.write.val();
        self.core.write_busy.next = self.ends.write_busy.val();
        self.core.write_failed.next = 0.into();
        self.core.write_failed_address.next = 0.into();
        self.ends.out_last.next = self.core.out_valid.val() & self.m_axis_tready.val() & self.core.out_last.val();
        self.m_axis_tvalid.next = self.core.out_valid.val();
        self.core.out_ready.next = self.m_axis_tready.val();
        self.m_axis_tdata.next = self.core.out_data.val();
        self.m_axis_tlast.next = self.core.out_last.val();
        // A stream has no addresses.
        self.unused_fields.next = self.core.read_address.val().any()
            ^ self.core.read_size.val().any()
            ^ self.core.read_stride.val().any()
            ^ self.core.read_dense.val()
            ^ self.core.write_address.val().any()
            ^ self.core.write_count.val().any()
            ^ self.core.write_size.val().any()
            ^ self.core.write_stride.val().any()
            ^ self.core.write_dense.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("stream_top", "Compute unit with register block and element streams.", constants![])
    }
}
