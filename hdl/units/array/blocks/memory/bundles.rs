//! Buses of the memory path.
#![allow(missing_docs)] // The `join` that rust-hdl derives has no text.

use crate::array::blocks::memory::dispatch::RowEnd;
use crate::array::blocks::memory::types::{Chunk, Count, MemoryAddress, Stride};
use crate::array::blocks::types::RowAddress;
use crate::kernel::prelude::*;

bundle! {
    /// Where a transfer's elements are, at the block that moves them.
    pub RunSink "RunSource", RunSource "RunSink" {
        In address: MemoryAddress; /// Address of the first element.
        In count: Count; /// Number of elements, at least 1.
        In size: Bits<2>; /// log2 of an element's bytes.
        In stride: Stride; /// Bytes from an element to the next.
        In dense: Bit; /// Elements follow each other without a gap.
    }

    /// A transfer's elements from memory, at the end that takes them.
    pub ElementSink "ElementSource", ElementSource "ElementSink" {
        In valid: Bit; /// An element is there.
        Out ready: Bit; /// It is taken if there.
        In data: Chunk; /// The element, in the low bits; bits above it are anything.
        In last: Bit; /// It is its transfer's last.
        In response: Bits<2>; /// The transfer's first error as a response, 0 for none; with the last element.
        In address: MemoryAddress; /// Address of the first element that it concerns.
    }

    /// A transfer's elements to memory, at the end that takes them.
    pub ResultSink "ResultSource", ResultSource "ResultSink" {
        In valid: Bit; /// An element is offered.
        Out ready: Bit; /// It is taken if offered.
        In data: Chunk; /// The element.
        In last: Bit; /// It is its transfer's last.
    }

    /// Start and end of a writer's work, at the writer.
    pub WriterSink "WriterSource", WriterSource "WriterSink" {
        In write: Bit; /// The writer starts.
        Out write_busy: Bit; /// It is at work.
        Out write_failed: Bits<2>; /// Its first error as a response, 0 for none.
        Out write_failed_address: MemoryAddress; /// The address.
    }

    /// Chunks of a transfer on their way to memory, at the end that takes them.
    pub ByteChunkSink "ByteChunkSource", ByteChunkSource "ByteChunkSink" {
        In valid: Bit; /// A chunk is offered.
        Out ready: Bit; /// It is taken if offered.
        In data: Chunk; /// The chunk.
        In strobes: Bits<8>; /// Its bytes that count.
        In ends: Bit; /// Its run of bytes ends.
    }

    /// Transfers that dispatch has checked, at the transfer stages.
    pub TransferSink "TransferSource", TransferSource "TransferSink" {
        In valid: Bit; /// A transfer is offered to the first stage.
        Out ready: Bit; /// It is taken if offered.
        In store: Bit; /// From rows to memory.
        In width: Bits<7>; /// Bits of an element.
        In row: RowAddress; /// First row.
        In end: RowEnd; /// The row behind the last.
        In count: Count; /// Elements.
        In address: MemoryAddress; /// Address of the first element.
        In size: Bits<2>; /// log2 of an element's bytes.
        In stride: Stride; /// Bytes from an element to the next.
        In dense: Bit; /// Elements follow each other without a gap.
        In low, high: MemoryAddress; /// Lowest and highest address that it touches.
    }

    /// Rows of a pending transfer, at the block that looks at them.
    pub PendingSink "PendingSource", PendingSource "PendingSink" {
        In valid: Bit; /// A transfer is in the stage.
        In row: RowAddress; /// Its first row.
        In end: RowEnd; /// The row behind its last.
    }

    /// A transfer in a stage.
    pub HeldSink "HeldSource", HeldSource "HeldSink", pipes HeldStage {
        In store: Bit; /// From rows to memory.
        In width: Bits<7>; /// Bits of an element.
        In row: RowAddress; /// First row.
        In behind: RowEnd; /// The row behind the last.
        In count: Count; /// Elements.
        In address: MemoryAddress; /// Address of the first element; once its tile is full, that of an error.
        In size: Bits<2>; /// log2 of an element's bytes.
        In stride: Stride; /// Bytes from an element to the next.
        In dense: Bit; /// Elements follow each other without a gap.
        In low, high: MemoryAddress; /// Lowest and highest address that it touches.
        In index: Bits<32>; /// Its command's index.
    }

    /// Where a write burst of an AXI4 master is, at the slave. What never changes of AW follows it in the whole port.
    pub AxiWriteBurstSink "AxiWriteBurstSource", AxiWriteBurstSource "AxiWriteBurstSink" {
        In m_axi_awaddr: MemoryAddress; /// Write address.
        In m_axi_awlen: Bits<8>; /// Beats less one.
    }

    /// The rest of AW, then W and B.
    pub AxiWriteSink "AxiWriteSource", AxiWriteSource "AxiWriteSink" <D: Packed, S: Packed> {
        In m_axi_awvalid: Bit; /// The address is offered.
        Out m_axi_awready: Bit; /// It is taken if offered.
        In m_axi_wdata: D; /// Write data.
        In m_axi_wstrb: S; /// Bytes of them that count.
        In m_axi_wlast: Bit; /// They are the burst's last.
        In m_axi_wvalid: Bit; /// They are offered.
        Out m_axi_wready: Bit; /// They are taken if offered.
        Out m_axi_bresp: Bits<2>; /// Write response.
        Out m_axi_bvalid: Bit; /// It is offered.
        In m_axi_bready: Bit; /// It is taken if offered: always.
    }

    /// Where a read burst is, likewise.
    pub AxiReadBurstSink "AxiReadBurstSource", AxiReadBurstSource "AxiReadBurstSink" {
        In m_axi_araddr: MemoryAddress; /// Read address.
        In m_axi_arlen: Bits<8>; /// Beats less one.
    }

    /// The rest of AR, and R up to where the whole port has `rlast`.
    pub AxiReadSink "AxiReadSource", AxiReadSource "AxiReadSink" <D: Packed> {
        In m_axi_arvalid: Bit; /// The address is offered.
        Out m_axi_arready: Bit; /// It is taken if offered.
        Out m_axi_rdata: D; /// Read data.
        Out m_axi_rresp: Bits<2>; /// Read response.
    }

    /// The handshake of R.
    pub AxiReadBeatSink "AxiReadBeatSource", AxiReadBeatSource "AxiReadBeatSink" {
        Out m_axi_rvalid: Bit; /// Read data are offered.
        In m_axi_rready: Bit; /// They are taken if offered.
    }
}
