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
use super::elaborated;
use super::types::Shape;
use crate::ccs::{CcsGeometry, CcsMemory};
use crate::error::{Error, Result};
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

/// The adapter; `D` is a beat, `S` has a bit for each byte of it.
#[derive(LogicBlock, Default)]
pub struct CcsAxiAdapter<D: RowWord, S: RowWord> {
    pub(super) clock: Signal<In, Domain>,
    pub(super) read_valid: Signal<In, Bit>,     // A read is asked for.
    pub(super) read_ready: Signal<Out, Bit>,    // It is taken if asked for.
    pub(super) read_line: Signal<In, Bits<30>>, // Number of the line.
    pub(super) reply_valid: Signal<Out, Bit>,   // A line is there.
    pub(super) reply_ready: Signal<In, Bit>,    // It is taken if there.
    pub(super) reply_data: Array<Signal<Out, Bits<32>>, LANES>, // The line, an element in the low bits of each.
    pub(super) reply_error: Signal<Out, Bit>,   // The bus has answered with an error.
    pub(super) write_valid: Signal<In, Bit>,    // A line is written.
    pub(super) write_line: Signal<In, Bits<30>>, // Its number.
    pub(super) write_lanes: Array<Signal<In, Bit>, LANES>, // Lanes to write.
    pub(super) write_bytes: Signal<In, Bits<4>>, // Bytes of each 32 bits to write.
    pub(super) write_word: Signal<In, Bit>, // `write_value` is written, in the lanes of its word; else `write_data`.
    pub(super) write_value: Signal<In, Bits<32>>, // A word.
    pub(super) write_data: Array<Signal<In, Bits<32>>, LANES>, // What to write, zeros above the elements.
    pub(super) ack_valid: Signal<Out, Bit>, // A write is done.
    pub(super) ack_error: Signal<Out, Bit>, // The bus has answered with an error.
    pub(super) m_axi_awaddr: Signal<Out, Bits<32>>, // Write address.
    pub(super) m_axi_awlen: Signal<Out, Bits<8>>, // Beats less one.
    pub(super) m_axi_awsize: Signal<Out, Bits<3>>, // log2 of a beat's bytes.
    pub(super) m_axi_awburst: Signal<Out, Bits<2>>, // INCR.
    pub(super) m_axi_awcache: Signal<Out, Bits<4>>, // Bufferable and modifiable.
    pub(super) m_axi_awprot: Signal<Out, Bits<3>>, // Unprivileged, secure, data.
    pub(super) m_axi_awvalid: Signal<Out, Bit>, // It is offered.
    pub(super) m_axi_awready: Signal<In, Bit>, // It is taken if offered.
    pub(super) m_axi_wdata: Signal<Out, D>, // Write data.
    pub(super) m_axi_wstrb: Signal<Out, S>, // Bytes of them that count.
    pub(super) m_axi_wlast: Signal<Out, Bit>, // They are the burst's last.
    pub(super) m_axi_wvalid: Signal<Out, Bit>, // They are offered.
    pub(super) m_axi_wready: Signal<In, Bit>, // They are taken if offered.
    pub(super) m_axi_bresp: Signal<In, Bits<2>>, // Write response.
    pub(super) m_axi_bvalid: Signal<In, Bit>, // It is offered.
    pub(super) m_axi_bready: Signal<Out, Bit>, // It is taken if offered: always.
    pub(super) m_axi_araddr: Signal<Out, Bits<32>>, // Read address.
    pub(super) m_axi_arlen: Signal<Out, Bits<8>>, // Beats less one.
    pub(super) m_axi_arsize: Signal<Out, Bits<3>>, // log2 of a beat's bytes.
    pub(super) m_axi_arburst: Signal<Out, Bits<2>>, // INCR.
    pub(super) m_axi_arcache: Signal<Out, Bits<4>>, // Bufferable and modifiable.
    pub(super) m_axi_arprot: Signal<Out, Bits<3>>, // Unprivileged, secure, data.
    pub(super) m_axi_arvalid: Signal<Out, Bit>, // It is offered.
    pub(super) m_axi_arready: Signal<In, Bit>, // It is taken if offered.
    pub(super) m_axi_rdata: Signal<In, D>,  // Read data.
    pub(super) m_axi_rresp: Signal<In, Bits<2>>, // Read response.
    pub(super) m_axi_rlast: Signal<In, Bit>, // They are the burst's last; counted here too, so not looked at.
    pub(super) m_axi_rvalid: Signal<In, Bit>, // They are offered.
    pub(super) m_axi_rready: Signal<Out, Bit>, // They are taken if offered.
    reader: CcsAxiReader<D>,                // Lines from bursts.
    writer: CcsAxiWriter<D, S>,             // Bursts from lines.
    order: CcsAxiOrder,                     // Which reads wait for writes.
    unused_last: Signal<Local, Bit>,
    _g: Shape,
}

impl<D: RowWord, S: RowWord> CcsAxiAdapter<D, S> {
    /// The adapter of the geometry that holds.
    pub fn new() -> Self {
        CcsAxiAdapter {
            reader: CcsAxiReader::new(),
            writer: CcsAxiWriter::new(),
            order: CcsAxiOrder::new(),
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
        self.m_axi_arlen.next = self._g.last_beat.into();
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
        for i in 0..self._g.lanes {
            self.reply_data[i].next = self.reader.reply_data[i].val();
            self.writer.write_lanes[i].next = self.write_lanes[i].val();
            self.writer.write_data[i].next = self.write_data[i].val();
        }
        // What never changes.
        self.m_axi_awsize.next = self._g.bus_log.into();
        self.m_axi_arsize.next = self._g.bus_log.into();
        self.m_axi_awburst.next = 1.into();
        self.m_axi_arburst.next = 1.into();
        self.m_axi_awcache.next = 3.into();
        self.m_axi_arcache.next = 3.into();
        self.m_axi_awprot.next = 0.into();
        self.m_axi_arprot.next = 0.into();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        self._g.describe(
            format!("ccs_axi_adapter_{}x{}_{}", self._g.lanes, self._g.bits, D::width()),
            "The line port as an AXI4 master.",
            constants![],
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
            let _shape = Shape::hold(geometry);
            elaborated(CcsAxiAdapter::<Bus, Strobe>::new())
        }
    }
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
