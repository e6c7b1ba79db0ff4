//! Compute unit with register block and an AXI4 master: elements come from memory and go there.
//!
//! ```text
//!  s_axil ─▶ core ◀── words ── reader ◀─▶ AR, R ┐
//!     irq ◀─  └────── words ─▶ writer ◀─▶ AW, W, B ┴ m_axi
//! ```
//!
//! `m_axi` has one identifier, so it needs no ID signals. Bursts are INCR, of up to 256 full beats, and never cross 4 KiB.

use super::core::MemoryCore;
use super::reader::MemoryReader;
use super::types::MemoryAddress;
use super::writer::MemoryWriter;
use crate::blocks::bundles::AxilSlavePort;
use crate::isa::microcode::Microcode;
use crate::kernel::prelude::*;
use crate::params::Params;
use crate::registers::ADDRESS_BITS;

/// The unit with its master: `W` a row, `D` a beat, `S` a bit for each byte of it.
#[derive(LogicBlock, Default)]
pub struct MemoryTop<W: RowWord, D: RowWord, S: RowWord> {
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
    /// Write address.
    pub m_axi_awaddr: Signal<Out, MemoryAddress>,
    /// Beats less one.
    pub m_axi_awlen: Signal<Out, Bits<8>>,
    /// log2 of a beat's bytes.
    pub m_axi_awsize: Signal<Out, Bits<3>>,
    /// INCR.
    pub m_axi_awburst: Signal<Out, Bits<2>>,
    /// Bufferable and modifiable.
    pub m_axi_awcache: Signal<Out, Bits<4>>,
    /// Unprivileged, secure, data.
    pub m_axi_awprot: Signal<Out, Bits<3>>,
    /// It is offered.
    pub m_axi_awvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axi_awready: Signal<In, Bit>,
    /// Write data.
    pub m_axi_wdata: Signal<Out, D>,
    /// Bytes of them that count.
    pub m_axi_wstrb: Signal<Out, S>,
    /// They are the burst's last.
    pub m_axi_wlast: Signal<Out, Bit>,
    /// They are offered.
    pub m_axi_wvalid: Signal<Out, Bit>,
    /// They are taken if offered.
    pub m_axi_wready: Signal<In, Bit>,
    /// Write response.
    pub m_axi_bresp: Signal<In, Bits<2>>,
    /// It is offered.
    pub m_axi_bvalid: Signal<In, Bit>,
    /// It is taken if offered.
    pub m_axi_bready: Signal<Out, Bit>,
    /// Read address.
    pub m_axi_araddr: Signal<Out, MemoryAddress>,
    /// Beats less one.
    pub m_axi_arlen: Signal<Out, Bits<8>>,
    /// log2 of a beat's bytes.
    pub m_axi_arsize: Signal<Out, Bits<3>>,
    /// INCR.
    pub m_axi_arburst: Signal<Out, Bits<2>>,
    /// Bufferable and modifiable.
    pub m_axi_arcache: Signal<Out, Bits<4>>,
    /// Unprivileged, secure, data.
    pub m_axi_arprot: Signal<Out, Bits<3>>,
    /// It is offered.
    pub m_axi_arvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axi_arready: Signal<In, Bit>,
    /// Read data.
    pub m_axi_rdata: Signal<In, D>,
    /// Read response.
    pub m_axi_rresp: Signal<In, Bits<2>>,
    /// They are the burst's last; counted here too, so not looked at.
    pub m_axi_rlast: Signal<In, Bit>,
    /// They are offered.
    pub m_axi_rvalid: Signal<In, Bit>,
    /// They are taken if offered.
    pub m_axi_rready: Signal<Out, Bit>,
    /// Registers, path and compute unit.
    pub core: MemoryCore<W>,
    /// Elements from memory.
    pub reader: MemoryReader<D>,
    /// Elements to memory.
    pub writer: MemoryWriter<D, S>,
    unused_last: Signal<Local, Bit>,
    _size: u64,
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
        self.irq.next = self.core.irq.val();
        self.busy.next = self.core.busy.val();
        self.error.next = self.core.error.val();
        self.tag_any.next = self.core.tag_any.val();
        // Elements.
        self.reader.start_valid.next = self.core.read_valid.val();
        self.core.read_ready.next = self.reader.start_ready.val();
        self.reader.start_address.next = self.core.read_address.val();
        self.reader.start_count.next = self.core.read_count.val();
        self.reader.start_size.next = self.core.read_size.val();
        self.reader.start_stride.next = self.core.read_stride.val();
        self.reader.start_dense.next = self.core.read_dense.val();
        self.core.word_valid.next = self.reader.word_valid.val();
        self.reader.word_ready.next = self.core.word_ready.val();
        self.core.word_data.next = self.reader.word_data.val();
        self.core.word_last.next = self.reader.word_last.val();
        self.core.word_response.next = self.reader.word_response.val();
        self.core.word_address.next = self.reader.word_address.val();
        self.writer.start.next = self.core.write.val();
        self.core.write_busy.next = self.writer.busy.val();
        self.core.write_failed.next = self.writer.failed.val();
        self.core.write_failed_address.next = self.writer.failed_address.val();
        self.writer.start_address.next = self.core.write_address.val();
        self.writer.start_count.next = self.core.write_count.val();
        self.writer.start_size.next = self.core.write_size.val();
        self.writer.start_stride.next = self.core.write_stride.val();
        self.writer.start_dense.next = self.core.write_dense.val();
        self.writer.word_valid.next = self.core.out_valid.val();
        self.core.out_ready.next = self.writer.word_ready.val();
        self.writer.word_data.next = self.core.out_data.val();
        self.unused_last.next = self.core.out_last.val() ^ self.m_axi_rlast.val() ^ self.reader.busy.val();
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

    fn timing(&self) -> Vec<TimingInfo> {
        describe("memory_top", "Compute unit with register block and AXI4 master.", constants![; self._size])
    }
}
