//! Memory reader: an AXI4 read master that delivers a transfer's elements, one a cycle.
//!
//! ```text
//!  start ─┬─▶ burst generator ─▶ AR
//!         └─▶ waiting transfers ─▶ R ─▶ beat splitter ─▶ element unpacker ─▶ words
//! ```
//!
//! Addresses run ahead of data by up to [`AHEAD`] transfers. Bursts are INCR with full beats; bytes of a beat that no element
//! needs are dropped. A response other than OKAY or EXOKAY does not end a transfer: its words all come, and the last one tells.

use super::beat_splitter::BeatSplitter;
use super::burst_generator::BurstGenerator;
use super::element_unpacker::ElementUnpacker;
use super::types::{Chunk, Count, MemoryAddress, Stride};
use crate::blocks::queue::Queue;
use crate::kernel::prelude::*;

/// A transfer that waits: address, count, size, stride, dense.
pub type Transfer = Word<97, 2>;
/// Transfers that wait for their data.
pub const AHEAD: usize = 2;

const COUNT_AT: u64 = 64;
const SIZE_AT: u64 = 74;
const STRIDE_AT: u64 = 76;
const DENSE_AT: u64 = 96;
const COUNT_LSB: usize = COUNT_AT as usize;
const SIZE_LSB: usize = SIZE_AT as usize;
const STRIDE_LSB: usize = STRIDE_AT as usize;
const DENSE_LSB: usize = DENSE_AT as usize;

/// The reader; `D` is a beat.
#[derive(LogicBlock, Default)]
pub struct MemoryReader<D: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A transfer is offered.
    pub start_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub start_ready: Signal<Out, Bit>,
    /// Address of the first element.
    pub start_address: Signal<In, MemoryAddress>,
    /// Number of elements, at least 1.
    pub start_count: Signal<In, Count>,
    /// log2 of an element's bytes.
    pub start_size: Signal<In, Bits<2>>,
    /// Bytes from an element to the next.
    pub start_stride: Signal<In, Stride>,
    /// Elements follow each other without a gap.
    pub start_dense: Signal<In, Bit>,
    /// A word is there.
    pub word_valid: Signal<Out, Bit>,
    /// It is taken if there.
    pub word_ready: Signal<In, Bit>,
    /// An element in its low bits.
    pub word_data: Signal<Out, Chunk>,
    /// It is the transfer's last.
    pub word_last: Signal<Out, Bit>,
    /// The transfer's first error as a response, 0 for none; with the last word.
    pub word_response: Signal<Out, Bits<2>>,
    /// The first element that it concerns.
    pub word_address: Signal<Out, MemoryAddress>,
    /// A transfer is under way.
    pub busy: Signal<Out, Bit>,
    /// Read address.
    pub m_axi_araddr: Signal<Out, MemoryAddress>,
    /// Beats less one.
    pub m_axi_arlen: Signal<Out, Bits<8>>,
    /// It is offered.
    pub m_axi_arvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub m_axi_arready: Signal<In, Bit>,
    /// Read data.
    pub m_axi_rdata: Signal<In, D>,
    /// Read response.
    pub m_axi_rresp: Signal<In, Bits<2>>,
    /// They are offered.
    pub m_axi_rvalid: Signal<In, Bit>,
    /// They are taken if offered.
    pub m_axi_rready: Signal<Out, Bit>,
    /// Bursts.
    pub bursts: BurstGenerator,
    /// Transfers that wait for their data.
    pub waiting: Queue<Transfer>,
    /// Beats to chunks.
    pub splitter: BeatSplitter<D>,
    /// Chunks to elements.
    pub unpacker: ElementUnpacker,
    start: Signal<Local, Bit>,
    begin: Signal<Local, Bit>,
    unused_level: Signal<Local, Bits<5>>,
}

impl<D: RowWord> MemoryReader<D> {
    /// A reader.
    pub fn new() -> Self {
        MemoryReader {
            bursts: BurstGenerator::new(D::width()),
            waiting: Queue::new(AHEAD),
            splitter: BeatSplitter::new(),
            ..Self::default()
        }
    }
}

impl<D: RowWord> Logic for MemoryReader<D> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bursts, waiting, splitter, unpacker);
        self.start_ready.next = self.bursts.start_ready.val() & self.waiting.push_ready.val();
        self.start.next = self.start_valid.val() & self.bursts.start_ready.val() & self.waiting.push_ready.val();
        self.bursts.start_valid.next = self.start.val();
        self.bursts.start_address.next = self.start_address.val();
        self.bursts.start_count.next = self.start_count.val();
        self.bursts.start_size.next = self.start_size.val();
        self.bursts.start_stride.next = self.start_stride.val();
        self.bursts.start_dense.next = self.start_dense.val();
        self.m_axi_araddr.next = self.bursts.burst_address.val();
        self.m_axi_arlen.next = self.bursts.burst_length.val();
        self.m_axi_arvalid.next = self.bursts.burst_valid.val();
        self.bursts.burst_ready.next = self.m_axi_arready.val();
        // Transfers whose data are to come.
        self.waiting.push_valid.next = self.start.val();
        self.waiting.push_data.next = bits_to::<Transfer, MemoryAddress>(self.start_address.val())
            | (bits_to::<Transfer, Count>(self.start_count.val()) << COUNT_AT)
            | (bits_to::<Transfer, Bits<2>>(self.start_size.val()) << SIZE_AT)
            | (bits_to::<Transfer, Stride>(self.start_stride.val()) << STRIDE_AT)
            | (bits_to::<Transfer, Bit>(self.start_dense.val()) << DENSE_AT);
        self.begin.next = self.waiting.head_valid.val() & self.splitter.idle.val() & self.unpacker.idle.val();
        self.waiting.pop.next = self.begin.val();
        self.unused_level.next = self.waiting.level.val();
        self.busy.next = self.waiting.head_valid.val() | !self.unpacker.idle.val() | self.bursts.busy.val();
        self.splitter.start.next = self.begin.val();
        self.splitter.start_offset.next = self.waiting.head.val().get_bits::<6>(0);
        self.splitter.start_count.next = self.waiting.head.val().get_bits::<10>(COUNT_LSB);
        self.splitter.start_size.next = self.waiting.head.val().get_bits::<2>(SIZE_LSB);
        self.splitter.start_stride.next = self.waiting.head.val().get_bits::<20>(STRIDE_LSB);
        self.splitter.start_dense.next = self.waiting.head.val().get_bit(DENSE_LSB);
        self.unpacker.start.next = self.begin.val();
        self.unpacker.start_address.next = bits_to::<MemoryAddress, Transfer>(self.waiting.head.val());
        self.unpacker.start_count.next = self.waiting.head.val().get_bits::<10>(COUNT_LSB);
        self.unpacker.start_size.next = self.waiting.head.val().get_bits::<2>(SIZE_LSB);
        self.unpacker.start_stride.next = self.waiting.head.val().get_bits::<20>(STRIDE_LSB);
        self.unpacker.start_dense.next = self.waiting.head.val().get_bit(DENSE_LSB);
        // Data.
        self.splitter.beat_valid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.splitter.beat_ready.val();
        self.splitter.beat_data.next = self.m_axi_rdata.val();
        self.unpacker.chunk_valid.next = self.splitter.chunk_valid.val();
        self.splitter.chunk_ready.next = self.unpacker.chunk_ready.val();
        self.unpacker.chunk_data.next = self.splitter.chunk_data.val();
        self.unpacker.chunk_response.next = self.m_axi_rresp.val();
        self.word_valid.next = self.unpacker.word_valid.val();
        self.unpacker.word_ready.next = self.word_ready.val();
        self.word_data.next = self.unpacker.word_data.val();
        self.word_last.next = self.unpacker.word_last.val();
        self.word_response.next = self.unpacker.word_response.val();
        self.word_address.next = self.unpacker.word_address.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "memory_reader",
            "AXI4 read master that delivers elements.",
            constants![COUNT_AT, SIZE_AT, STRIDE_AT, DENSE_AT, COUNT_LSB, SIZE_LSB, STRIDE_LSB, DENSE_LSB],
        )
    }
}
