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
//! Reads and writes go on at the same time, each as fast as the bus: line bits / bus bits cycles a line. A read is
//! taken once no write before it to the same line is on the way
//! ([`CcsAxiOrder`]), so that it sees all of them. It may see later ones
//! too. Bursts are INCR with full beats, one a line, and `m_axi` has one identifier, so it needs no ID signals. Timing:
//! as of reader and writer.

use crate::ccs::blocks::bundles::{AckSource, ReadSlave, ReplySource, WriteSink};
use crate::ccs::blocks::types::{Shape, describes};
use crate::ccs::blocks::{axi_order::CcsAxiOrder, axi_reader::CcsAxiReader, axi_writer::CcsAxiWriter, elaborated};
use crate::ccs::{CcsGeometry, CcsMemory};
use crate::error::{Error, Result};
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;
use crate::parts::bundles::AxiMasterPort;

/// The adapter; `D` is a beat, `S` has a bit for each byte of it.
#[derive(LogicBlock, Default)]
pub struct CcsAxiAdapter<D: RowWord, S: RowWord> {
    pub(super) clock: Signal<In, Domain>,
    pub(super) read: ReadSlave,                      // Lines that are asked for.
    pub(super) reply: ReplySource,                   // Lines that arrive.
    pub(super) write: WriteSink,                     // Lines and words that are written.
    pub(super) ack: AckSource,                       // Writes that are done.
    pub(super) m_axi: AxiMasterPort<Bits<32>, D, S>, // Memory.
    reader: CcsAxiReader<D>,                         // Lines from bursts.
    writer: CcsAxiWriter<D, S>,                      // Bursts from lines.
    order: CcsAxiOrder,                              // Which reads wait for writes.
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
        ReadSlave::link(&mut self.read, &mut self.reader.read);
        ReplySource::link(&mut self.reply, &mut self.reader.reply);
        self.reader.waits.next = self.order.waits.val();
        self.order.read_line.next = self.read.line.val();
        self.m_axi.araddr.next = self.reader.m_axi_araddr.val();
        self.m_axi.arlen.next = self._g.last_beat.into();
        self.m_axi.arvalid.next = self.reader.m_axi_arvalid.val();
        self.reader.m_axi_arready.next = self.m_axi.arready.val();
        self.reader.m_axi_rdata.next = self.m_axi.rdata.val();
        self.reader.m_axi_rresp.next = self.m_axi.rresp.val();
        self.reader.m_axi_rvalid.next = self.m_axi.rvalid.val();
        self.m_axi.rready.next = self.reader.m_axi_rready.val();
        self.unused_last.next = self.m_axi.rlast.val();
        // Writes.
        WriteSink::link(&mut self.write, &mut self.writer.write);
        AckSource::link(&mut self.ack, &mut self.writer.ack);
        self.order.write.next = self.write.valid.val();
        self.order.write_line.next = self.write.line.val();
        self.order.ack.next = self.m_axi.bvalid.val();
        self.m_axi.awaddr.next = self.writer.m_axi_awaddr.val();
        self.m_axi.awlen.next = self.writer.m_axi_awlen.val();
        self.m_axi.awvalid.next = self.writer.m_axi_awvalid.val();
        self.writer.m_axi_awready.next = self.m_axi.awready.val();
        self.m_axi.wdata.next = self.writer.m_axi_wdata.val();
        self.m_axi.wstrb.next = self.writer.m_axi_wstrb.val();
        self.m_axi.wlast.next = self.writer.m_axi_wlast.val();
        self.m_axi.wvalid.next = self.writer.m_axi_wvalid.val();
        self.writer.m_axi_wready.next = self.m_axi.wready.val();
        self.writer.m_axi_bresp.next = self.m_axi.bresp.val();
        self.writer.m_axi_bvalid.next = self.m_axi.bvalid.val();
        self.m_axi.bready.next = true;
        // What never changes.
        self.m_axi.awsize.next = self._g.bus_log.into();
        self.m_axi.arsize.next = self._g.bus_log.into();
        self.m_axi.awburst.next = 1.into();
        self.m_axi.arburst.next = 1.into();
        self.m_axi.awcache.next = 3.into();
        self.m_axi.arcache.next = 3.into();
        self.m_axi.awprot.next = 0.into();
        self.m_axi.arprot.next = 0.into();
    }

    describes!(block: format!("ccs_axi_adapter_{}x{}_{}", block._g.lanes, block._g.bits, D::width()),
        "The line port as an AXI4 master.", []);
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
