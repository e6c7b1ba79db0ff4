//! Compute unit with register block and an AXI4 master: elements come from memory and go there.
//!
//! ```text
//!  s_axil ─▶ core ◀── words ── reader ◀─▶ AR, R ┐
//!     irq ◀─  └────── words ─▶ writer ◀─▶ AW, W, B ┴ m_axi
//! ```
//!
//! `m_axi` has one identifier, so it needs no ID signals. Bursts are INCR, of up to 256 full beats, and never cross 4
//! KiB.

use crate::array::blocks::memory::bundles::{
    AxiReadBeatSource, AxiReadBurstSource, AxiReadSource, AxiWriteBurstSource, AxiWriteSource, ElementSource, RunSource,
};
use crate::array::blocks::memory::core::MemoryCore;
use crate::array::blocks::memory::reader::MemoryReader;
use crate::array::blocks::memory::writer::MemoryWriter;
use crate::array::isa::microcode::Microcode;
use crate::array::params::Params;
use crate::array::registers::ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::AxilSlavePort;

hdl_block! {
    /// The unit with its master: `W` a row, `D` a beat, `S` a bit for each byte of it.
    pub MemoryTop<W: RowWord, D: RowWord, S: RowWord> {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Out irq: Bit; /// Interrupt line, active high.
        Out busy: Bit; /// A command waits or runs; as `status.busy`.
        Out error: Bit; /// An error is recorded; as `status.error`.
        Out tag_any: Bit; /// Wired-OR of the tags; as `status.tag_any`.
        Bus write_burst_: AxiWriteBurstSource; /// Write bursts.
        Out m_axi_awsize: Bits<3>; /// log2 of a beat's bytes.
        Out m_axi_awburst: Bits<2>; /// INCR.
        Out m_axi_awcache: Bits<4>; /// Bufferable and modifiable.
        Out m_axi_awprot: Bits<3>; /// Unprivileged, secure, data.
        Bus write_data_: AxiWriteSource<D, S>; /// Their data and responses.
        Bus read_burst_: AxiReadBurstSource; /// Read bursts.
        Out m_axi_arsize: Bits<3>; /// log2 of a beat's bytes.
        Out m_axi_arburst: Bits<2>; /// INCR.
        Out m_axi_arcache: Bits<4>; /// Bufferable and modifiable.
        Out m_axi_arprot: Bits<3>; /// Unprivileged, secure, data.
        Bus read_data_: AxiReadSource<D>; /// Their data.
        In m_axi_rlast: Bit; /// They are the burst's last; counted here too, so not looked at.
        Bus read_beat_: AxiReadBeatSource; /// Whose beats come.
    } inside {
        Child core: Boxed<MemoryCore<W>>; // Registers, path and compute unit.
        Child reader: Boxed<MemoryReader<D>>; // Elements from memory.
        Child writer: Boxed<MemoryWriter<D, S>>; // Elements to memory.
        Local unused_last: Bit;
        Value _size: u64;
    }
}

impl<W: RowWord, D: RowWord, S: RowWord> MemoryTop<W, D, S> {
    /// The unit that `params` describe.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        MemoryTop {
            core: Boxed::new(|| MemoryCore::new(params, code)),
            reader: Boxed::new(MemoryReader::new),
            writer: Boxed::new(MemoryWriter::new),
            _size: (D::width() / 8).ilog2().into(),
            ..Self::default()
        }
    }
}

impl<W: RowWord, D: RowWord, S: RowWord> Logic for MemoryTop<W, D, S> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, core, reader, writer);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.core.s_axil);
        self.irq.next = self.core.status_.irq.val();
        self.busy.next = self.core.status_.busy.val();
        self.error.next = self.core.status_.error.val();
        self.tag_any.next = self.core.tag_any.val();
        // Elements.
        self.reader.start_valid.next = self.core.read_valid.val();
        self.core.read_ready.next = self.reader.start_ready.val();
        RunSource::join(&mut self.core.read, &mut self.reader.start__);
        ElementSource::join(&mut self.reader.word, &mut self.core.word);
        self.writer.start.next = self.core.writer_.write.val();
        self.core.writer_.write_busy.next = self.writer.busy.val();
        self.core.writer_.write_failed.next = self.writer.failed.val();
        self.core.writer_.write_failed_address.next = self.writer.failed_address.val();
        RunSource::join(&mut self.core.write__, &mut self.writer.start__);
        self.writer.word.valid.next = self.core.out.valid.val();
        self.core.out.ready.next = self.writer.word.ready.val();
        self.writer.word.data.next = self.core.out.data.val();
        self.unused_last.next = self.core.out.last.val() ^ self.m_axi_rlast.val() ^ self.reader.busy.val();
        // Bus.
        AxiWriteBurstSource::link(&mut self.write_burst_, &mut self.writer.write_burst_);
        AxiWriteSource::<D, S>::link(&mut self.write_data_, &mut self.writer.write_data_);
        AxiReadBurstSource::link(&mut self.read_burst_, &mut self.reader.read_burst_);
        AxiReadSource::<D>::link(&mut self.read_data_, &mut self.reader.read_data_);
        AxiReadBeatSource::link(&mut self.read_beat_, &mut self.reader.read_beat_);
        self.m_axi_awsize.next = self._size.into();
        self.m_axi_arsize.next = self._size.into();
        self.m_axi_awburst.next = 1.into();
        self.m_axi_arburst.next = 1.into();
        self.m_axi_awcache.next = 3.into();
        self.m_axi_arcache.next = 3.into();
        self.m_axi_awprot.next = 0.into();
        self.m_axi_arprot.next = 0.into();
    }

    described! { "memory_top", "Compute unit with register block and AXI4 master."; ; _size }
}
