//! AXI4 adapter: the line port of the cache compute system as an AXI4 master with 128, 256 or 512 bits of data.
//!
//! ```text
//!  read, reply ◀─▶ reader ◀─▶ AR, R ┐
//!                    ▲ waits        ├ m_axi
//!                  order            │
//!                    ▲              │
//!  write, ack  ◀─▶ writer ◀─▶ AW, W, B ┘
//! ```
//!
//! Reads and writes go on at the same time, each as fast as the bus: line bits / bus bits cycles a line. A read is taken once no write before it
//! to the same line is on the way ([`CcsAxiOrder`](super::axi_order::CcsAxiOrder)), so that it sees all of them. It may see later ones too. Bursts are INCR with full
//! beats, one a line, and `m_axi` has one identifier, so it needs no ID signals. Timing: as of reader and writer.

use super::axi_order::CcsAxiOrder;
use super::axi_reader::CcsAxiReader;
use super::axi_writer::CcsAxiWriter;
use crate::ccs::{CcsGeometry, CcsMemory};
use crate::error::{Error, Result};
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

/// How lines and beats fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Lanes of a line.
    pub lanes: usize,
    /// Bits of a lane.
    pub element_bits: usize,
    /// All ones, in a lane.
    pub ones: u32,
    /// Bytes of a line.
    pub line_bytes: usize,
    /// Beats of a line.
    pub beats: usize,
    /// Lanes of a beat.
    pub in_beat: usize,
}

impl Shape {
    /// Lines of this geometry on a bus of so many bits.
    pub fn new(geometry: &CcsGeometry, bus_bits: usize) -> Shape {
        Shape {
            lanes: geometry.lanes,
            element_bits: geometry.element_bits,
            ones: geometry.ones(),
            line_bytes: geometry.line_bytes(),
            beats: 8 * geometry.line_bytes() / bus_bits,
            in_beat: bus_bits / geometry.element_bits,
        }
    }

    /// Numbers of the beats.
    pub(super) fn numbers(&self) -> Vec<Constant<Bits<5>>> {
        (0..self.beats as u64).map(|beat| Constant::new(beat.into())).collect()
    }
}

/// The adapter; `D` is a beat, `S` has a bit for each byte of it.
#[derive(LogicBlock, Default)]
pub struct CcsAxiAdapter<D: RowWord, S: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A read is asked for.
    pub read_valid: Signal<In, Bit>,
    /// It is taken if asked for.
    pub read_ready: Signal<Out, Bit>,
    /// Number of the line.
    pub read_line: Signal<In, Bits<30>>,
    /// A line is there.
    pub reply_valid: Signal<Out, Bit>,
    /// It is taken if there.
    pub reply_ready: Signal<In, Bit>,
    /// The line, an element in the low bits of each.
    pub reply_data: Vec<Signal<Out, Bits<32>>>,
    /// The bus has answered with an error.
    pub reply_error: Signal<Out, Bit>,
    /// A line is written.
    pub write_valid: Signal<In, Bit>,
    /// Its number.
    pub write_line: Signal<In, Bits<30>>,
    /// Lanes to write.
    pub write_lanes: Vec<Signal<In, Bit>>,
    /// Bytes of each 32 bits to write.
    pub write_bytes: Signal<In, Bits<4>>,
    /// `write_value` is written, in the lanes of its word; else `write_data`.
    pub write_word: Signal<In, Bit>,
    /// A word.
    pub write_value: Signal<In, Bits<32>>,
    /// What to write, zeros above the elements.
    pub write_data: Vec<Signal<In, Bits<32>>>,
    /// A write is done.
    pub ack_valid: Signal<Out, Bit>,
    /// The bus has answered with an error.
    pub ack_error: Signal<Out, Bit>,
    /// Write address.
    pub m_axi_awaddr: Signal<Out, Bits<32>>,
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
    /// It is taken if offered: always.
    pub m_axi_bready: Signal<Out, Bit>,
    /// Read address.
    pub m_axi_araddr: Signal<Out, Bits<32>>,
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
    /// Lines from bursts.
    pub reader: CcsAxiReader<D>,
    /// Bursts from lines.
    pub writer: CcsAxiWriter<D, S>,
    /// Which reads wait for writes.
    pub order: CcsAxiOrder,
    unused_last: Signal<Local, Bit>,
    _lanes: usize,
    _element: usize,
    _length: u64,
    _size: u64,
}

impl<D: RowWord, S: RowWord> CcsAxiAdapter<D, S> {
    /// The adapter for this geometry.
    pub fn new(geometry: &CcsGeometry) -> Self {
        let shape = Shape::new(geometry, D::width());
        CcsAxiAdapter {
            reply_data: (0..shape.lanes).map(|_| Signal::default()).collect(),
            write_lanes: (0..shape.lanes).map(|_| Signal::default()).collect(),
            write_data: (0..shape.lanes).map(|_| Signal::default()).collect(),
            reader: CcsAxiReader::new(&shape),
            writer: CcsAxiWriter::new(&shape),
            _lanes: shape.lanes,
            _element: shape.element_bits,
            _length: shape.beats as u64 - 1,
            _size: S::width().ilog2().into(),
            ..Self::default()
        }
    }
}

impl<D: RowWord, S: RowWord> Logic for CcsAxiAdapter<D, S> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, reader, writer, order);
        // Reads.
        self.reader.read_valid.next = self.read_valid.val();
        self.reader.read_line.next = self.read_line.val();
        self.read_ready.next = self.reader.read_ready.val();
        self.reader.waits.next = self.order.waits.val();
        self.order.read_line.next = self.read_line.val();
        self.reply_valid.next = self.reader.reply_valid.val();
        self.reader.reply_ready.next = self.reply_ready.val();
        self.reply_error.next = self.reader.reply_error.val();
        self.m_axi_araddr.next = self.reader.m_axi_araddr.val();
        self.m_axi_arlen.next = self._length.into();
        self.m_axi_arvalid.next = self.reader.m_axi_arvalid.val();
        self.reader.m_axi_arready.next = self.m_axi_arready.val();
        self.reader.m_axi_rdata.next = self.m_axi_rdata.val();
        self.reader.m_axi_rresp.next = self.m_axi_rresp.val();
        self.reader.m_axi_rvalid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.reader.m_axi_rready.val();
        self.unused_last.next = self.m_axi_rlast.val();
        // Writes.
        self.writer.write_valid.next = self.write_valid.val();
        self.writer.write_line.next = self.write_line.val();
        self.writer.write_bytes.next = self.write_bytes.val();
        self.writer.write_word.next = self.write_word.val();
        self.writer.write_value.next = self.write_value.val();
        self.order.write.next = self.write_valid.val();
        self.order.write_line.next = self.write_line.val();
        self.order.ack.next = self.m_axi_bvalid.val();
        self.ack_valid.next = self.writer.ack_valid.val();
        self.ack_error.next = self.writer.ack_error.val();
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
        self.m_axi_bready.next = true;
        for i in 0..self._lanes {
            self.reply_data[i].next = self.reader.reply_data[i].val();
            self.writer.write_lanes[i].next = self.write_lanes[i].val();
            self.writer.write_data[i].next = self.write_data[i].val();
        }
        // What never changes.
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
        describe(
            format!("ccs_axi_adapter_{}x{}_{}", self._lanes, self._element, D::width()),
            "The line port as an AXI4 master.",
            constants![; self._lanes, self._length, self._size],
        )
    }
}

/// The netlist of the adapter alone, for the bus that the geometry names.
///
/// # Errors
/// [`Error::Parameter`] if `geometry` breaks a rule or has no bus.
pub fn ccs_axi_adapter(geometry: &CcsGeometry) -> Result<Netlist> {
    geometry.check()?;
    match geometry.memory {
        CcsMemory::Line => Err(Error::parameter("memory", "line", "must be a bus")),
        _ => {
            let _widths = Widths::keep().bus(geometry.memory.bus_bits());
            elaborated(CcsAxiAdapter::<Bus, Strobe>::new(geometry))
        }
    }
}

fn elaborated<T: Block>(mut top: T) -> Result<Netlist> {
    top.connect_all();
    elaborate(&top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bus_elaborates() {
        for (lanes, element_bits, memory) in [
            (4, 32, CcsMemory::Axi128),
            (64, 32, CcsMemory::Axi128),
            (64, 32, CcsMemory::Axi256),
            (64, 32, CcsMemory::Axi512),
            (32, 8, CcsMemory::Axi128),
            (16, 16, CcsMemory::Axi256),
        ] {
            let geometry = CcsGeometry { lanes, element_bits, memory, ..CcsGeometry::preset("vc709").expect("named") };
            let netlist = ccs_axi_adapter(&geometry).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
            let name = format!("bl_ccs_axi_adapter_{lanes}x{element_bits}_{}", memory.bus_bits());
            assert_eq!(netlist.top().name, name);
        }
    }
}
