//! Buses that blocks of every unit have.
#![allow(missing_docs)] // The `join` that rust-hdl derives has no text.

use crate::kernel::prelude::*;

bundle! {
    /// AXI4-Lite with data of 32 bits, of a slave. `A` is an address, in bytes.
    pub AxilSlavePort "AxilMasterPort", AxilMasterPort "AxilSlavePort" <A: Packed> {
        /// Write address.
        In awaddr: A,
        /// It is offered.
        In awvalid: Bit,
        /// It is taken if offered.
        Out awready: Bit,
        /// Write data.
        In wdata: Bits<32>,
        /// Bytes that they reach.
        In wstrb: Bits<4>,
        /// They are offered.
        In wvalid: Bit,
        /// They are taken if offered.
        Out wready: Bit,
        /// Write response.
        Out bresp: Bits<2>,
        /// It is offered.
        Out bvalid: Bit,
        /// It is taken if offered.
        In bready: Bit,
        /// Read address.
        In araddr: A,
        /// It is offered.
        In arvalid: Bit,
        /// It is taken if offered.
        Out arready: Bit,
        /// Read data.
        Out rdata: Bits<32>,
        /// Read response.
        Out rresp: Bits<2>,
        /// They are offered.
        Out rvalid: Bit,
        /// They are taken if offered.
        In rready: Bit,
    }

    /// A stream without packets, at the end that takes it; valid never waits for ready.
    pub StreamSink "StreamSource", StreamSource "StreamSink" <T: Packed> {
        /// A beat is offered.
        In tvalid: Bit,
        /// It is taken if offered.
        Out tready: Bit,
        /// The beat.
        In tdata: T,
    }

    /// A stream of packets, at the end that takes it.
    pub PacketSink "PacketSource", PacketSource "PacketSink" <T: Packed> {
        /// A beat is offered.
        In tvalid: Bit,
        /// It is taken if offered.
        Out tready: Bit,
        /// The beat.
        In tdata: T,
        /// It is its packet's last.
        In tlast: Bit,
    }
}

bundle! {
    /// AXI4 with one identifier, of a master. `A` is an address, `D` a beat, `S` has a bit for each byte of it.
    pub AxiMasterPort "AxiSlavePort", AxiSlavePort "AxiMasterPort" <A: Packed, D: Packed, S: Packed> {
        /// Write address.
        Out awaddr: A,
        /// Beats less one.
        Out awlen: Bits<8>,
        /// log2 of a beat's bytes.
        Out awsize: Bits<3>,
        /// INCR.
        Out awburst: Bits<2>,
        /// Bufferable and modifiable.
        Out awcache: Bits<4>,
        /// Unprivileged, secure, data.
        Out awprot: Bits<3>,
        /// It is offered.
        Out awvalid: Bit,
        /// It is taken if offered.
        In awready: Bit,
        /// Write data.
        Out wdata: D,
        /// Bytes of them that count.
        Out wstrb: S,
        /// They are the burst's last.
        Out wlast: Bit,
        /// They are offered.
        Out wvalid: Bit,
        /// They are taken if offered.
        In wready: Bit,
        /// Write response.
        In bresp: Bits<2>,
        /// It is offered.
        In bvalid: Bit,
        /// It is taken if offered.
        Out bready: Bit,
        /// Read address.
        Out araddr: A,
        /// Beats less one.
        Out arlen: Bits<8>,
        /// log2 of a beat's bytes.
        Out arsize: Bits<3>,
        /// INCR.
        Out arburst: Bits<2>,
        /// Bufferable and modifiable.
        Out arcache: Bits<4>,
        /// Unprivileged, secure, data.
        Out arprot: Bits<3>,
        /// It is offered.
        Out arvalid: Bit,
        /// It is taken if offered.
        In arready: Bit,
        /// Read data.
        In rdata: D,
        /// Read response.
        In rresp: Bits<2>,
        /// They are the burst's last.
        In rlast: Bit,
        /// They are offered.
        In rvalid: Bit,
        /// They are taken if offered.
        Out rready: Bit,
    }
}

bundle! {
    /// A word on offer, at the end that takes it.
    pub OfferSink "OfferSource", OfferSource "OfferSink" <T: Packed> {
        In valid: Bit; /// A word is offered.
        Out ready: Bit; /// It is taken if offered.
        In data: T; /// The word.
    }

    /// Writes of numbered registers, at the end of the registers.
    pub WriteSink "WriteSource", WriteSource "WriteSink" <A: Packed, T: Packed> {
        In write: Bit; /// A register is written.
        In address: A; /// Its number.
        In data: T; /// Its value.
    }

    /// An ordinary write.
    pub MaskedSink "MaskedSource", MaskedSource "MaskedSink" <W: RowWord> {
        /// What it brings.
        In data: W,
        /// The bits of it that count.
        In mask: W,
    }
}
