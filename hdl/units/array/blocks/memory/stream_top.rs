//! Compute unit with register block and element streams: the way to memory for FIFOs.
//!
//! ```text
//!  s_axil ─▶ core ◀── words ── stream ends ◀── s_axis
//!     irq ◀─  └────── words ──────┘  └───────▶ m_axis
//! ```
//!
//! A beat is an element, in its lowest bits; bits above its width are ignored on the way in and 0 on the way out.
//! `load_memory` takes as many beats as it has elements, `store_memory` gives as many, the last one with
//! `m_axis_tlast`; address and stride mean nothing. Beats are taken when a load asks for them, not before.

use crate::array::blocks::bundles::StatusSource;
use crate::array::blocks::memory::core::MemoryCore;
use crate::array::blocks::memory::stream_ends::StreamEnds;
use crate::array::blocks::memory::types::Chunk;
use crate::array::isa::microcode::Microcode;
use crate::array::params::Params;
use crate::array::registers::ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::{AxilSlavePort, PacketSource, StreamSink};

hdl_block! {
    /// The unit with its streams; `W` is a row.
    pub StreamTop<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Bus status_: StatusSource; /// Interrupt and status.
        Out tag_any: Bit; /// Wired-OR of the tags; as `status.tag_any`.
        Bus s_axis: StreamSink<Chunk>; /// Elements.
        Bus m_axis: PacketSource<Chunk>; /// Elements, a packet a command.
    } inside {
        Child core: Boxed<MemoryCore<W>>; // Registers, path and compute unit.
        Child ends: StreamEnds; // What counts the elements.
        Local unused_fields: Bit;
    }
}

impl<W: RowWord> StreamTop<W> {
    /// The unit that `params` describe.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        StreamTop { core: Boxed::new(|| MemoryCore::new(params, code)), ..Self::default() }
    }
}

impl<W: RowWord> Logic for StreamTop<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, core, ends);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.core.s_axil);
        StatusSource::link(&mut self.status_, &mut self.core.status_);
        self.tag_any.next = self.core.tag_any.val();
        self.ends.read_valid.next = self.core.read_valid.val();
        self.core.read_ready.next = self.ends.read_ready.val();
        self.ends.read_count.next = self.core.read.count.val();
        self.ends.s_axis_tvalid.next = self.s_axis.tvalid.val();
        self.s_axis.tready.next = self.ends.s_axis_tready.val();
        self.core.word.valid.next = self.ends.word_valid.val();
        self.ends.word_ready.next = self.core.word.ready.val();
        self.core.word.data.next = self.s_axis.tdata.val();
        self.core.word.last.next = self.ends.word_last.val();
        self.core.word.response.next = 0.into();
        self.core.word.address.next = 0.into();
        self.ends.write.next = self.core.writer_.write.val();
        self.core.writer_.write_busy.next = self.ends.write_busy.val();
        self.core.writer_.write_failed.next = 0.into();
        self.core.writer_.write_failed_address.next = 0.into();
        self.ends.out_last.next = self.core.out.valid.val() & self.m_axis.tready.val() & self.core.out.last.val();
        self.m_axis.tvalid.next = self.core.out.valid.val();
        self.core.out.ready.next = self.m_axis.tready.val();
        self.m_axis.tdata.next = self.core.out.data.val();
        self.m_axis.tlast.next = self.core.out.last.val();
        // A stream has no addresses.
        self.unused_fields.next = self.core.read.address.val().any()
            ^ self.core.read.size.val().any()
            ^ self.core.read.stride.val().any()
            ^ self.core.read.dense.val()
            ^ self.core.write__.address.val().any()
            ^ self.core.write__.count.val().any()
            ^ self.core.write__.size.val().any()
            ^ self.core.write__.stride.val().any()
            ^ self.core.write__.dense.val();
    }

    described! { "stream_top", "Compute unit with register block and element streams." }
}
