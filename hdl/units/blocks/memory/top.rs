//! Compute unit with register block and an AXI4 master: elements come from memory and go there.
//!
//! ```text
//!  s_axil ─▶ core ◀── words ── reader ◀─▶ AR, R ┐
//!     irq ◀─  └────── words ─▶ writer ◀─▶ AW, W, B ┴ m_axi
//! ```
//!
//! `m_axi` has one identifier, so it needs no ID signals. Bursts are INCR, of up to 256 full beats, and never cross 4
//! KiB.

use super::bundles::{ElementSource, RunSource};
use super::core::MemoryCore;
use super::reader::MemoryReader;
use super::types::MemoryAddress;
use super::writer::MemoryWriter;
use crate::blocks::bundles::AxilSlavePort;
use crate::isa::microcode::Microcode;
use crate::kernel::prelude::*;
use crate::params::Params;
use crate::registers::ADDRESS_BITS;

hdl_block! {
    /// The unit with its master: `W` a row, `D` a beat, `S` a bit for each byte of it.
    pub MemoryTop<W: RowWord, D: RowWord, S: RowWord> {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Out irq: Bit; /// Interrupt line, active high.
        Out busy: Bit; /// A command waits or runs; as `status.busy`.
        Out error: Bit; /// An error is recorded; as `status.error`.
        Out tag_any: Bit; /// Wired-OR of the tags; as `status.tag_any`.
        Out m_axi_awaddr: MemoryAddress; /// Write address.
        Out m_axi_awlen: Bits<8>; /// Beats less one.
        Out m_axi_awsize: Bits<3>; /// log2 of a beat's bytes.
        Out m_axi_awburst: Bits<2>; /// INCR.
        Out m_axi_awcache: Bits<4>; /// Bufferable and modifiable.
        Out m_axi_awprot: Bits<3>; /// Unprivileged, secure, data.
        Out m_axi_awvalid: Bit; /// It is offered.
        In m_axi_awready: Bit; /// It is taken if offered.
        Out m_axi_wdata: D; /// Write data.
        Out m_axi_wstrb: S; /// Bytes of them that count.
        Out m_axi_wlast: Bit; /// They are the burst's last.
        Out m_axi_wvalid: Bit; /// They are offered.
        In m_axi_wready: Bit; /// They are taken if offered.
        In m_axi_bresp: Bits<2>; /// Write response.
        In m_axi_bvalid: Bit; /// It is offered.
        Out m_axi_bready: Bit; /// It is taken if offered.
        Out m_axi_araddr: MemoryAddress; /// Read address.
        Out m_axi_arlen: Bits<8>; /// Beats less one.
        Out m_axi_arsize: Bits<3>; /// log2 of a beat's bytes.
        Out m_axi_arburst: Bits<2>; /// INCR.
        Out m_axi_arcache: Bits<4>; /// Bufferable and modifiable.
        Out m_axi_arprot: Bits<3>; /// Unprivileged, secure, data.
        Out m_axi_arvalid: Bit; /// It is offered.
        In m_axi_arready: Bit; /// It is taken if offered.
        In m_axi_rdata: D; /// Read data.
        In m_axi_rresp: Bits<2>; /// Read response.
        In m_axi_rlast: Bit; /// They are the burst's last; counted here too, so not looked at.
        In m_axi_rvalid: Bit; /// They are offered.
        Out m_axi_rready: Bit; /// They are taken if offered.
    } inside {
        Child core: MemoryCore<W>; // Registers, path and compute unit.
        Child reader: MemoryReader<D>; // Elements from memory.
        Child writer: MemoryWriter<D, S>; // Elements to memory.
        Local unused_last: Bit;
        Value _size: u64;
    }
}

impl<W: RowWord, D: RowWord, S: RowWord> MemoryTop<W, D, S> {
    /// The unit that `params` describe.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        MemoryTop {
            core: MemoryCore::new(params, code),
            reader: MemoryReader::new(),
            writer: MemoryWriter::new(),
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
        self.m_axi_awaddr.next = self.writer.m_axi_awaddr.val();
        self.m_axi_awlen.next = self.writer.m_axi_awlen.val();
        self.m_axi_awvalid.next = self.writer.m_axi_awvalid.val();
        self.writer.m_axi_awready.next = self.m_axi_awready.val();
        self.m_axi_wdata.next = self.writer.m_axi_wdata.val();
        self.m_axi_wstrb.next = self.writer.m_axi_wstrb.val();
        self.m_axi_wlast.next = self.writer.m_axi_wlast.val();
        self.m_axi_wvalid.next = self.writer.m_axi_wvalid.val();
        self.writer.m_axi_wready.next = self.m_axi_wready.val();
        self.writer.m_axi_bresp.next = self.m_axi_bresp.val();
        self.writer.m_axi_bvalid.next = self.m_axi_bvalid.val();
        self.m_axi_bready.next = self.writer.m_axi_bready.val();
        self.m_axi_araddr.next = self.reader.m_axi_araddr.val();
        self.m_axi_arlen.next = self.reader.m_axi_arlen.val();
        self.m_axi_arvalid.next = self.reader.m_axi_arvalid.val();
        self.reader.m_axi_arready.next = self.m_axi_arready.val();
        self.reader.m_axi_rdata.next = self.m_axi_rdata.val();
        self.reader.m_axi_rresp.next = self.m_axi_rresp.val();
        self.reader.m_axi_rvalid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.reader.m_axi_rready.val();
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
