//! Memory reader: an AXI4 read master that delivers a transfer's elements, one a cycle.
//!
//! ```text
//!  start ─┬─▶ burst generator ─▶ AR
//!         └─▶ waiting transfers ─▶ R ─▶ beat splitter ─▶ element unpacker ─▶ words
//! ```
//!
//! Addresses run ahead of data by up to [`AHEAD`] transfers. Bursts are INCR with full beats; bytes of a beat that no
//! element needs are dropped. A response other than OKAY or EXOKAY does not end a transfer: its words all come, and the
//! last one tells.

use crate::array::blocks::memory::beat_splitter::BeatSplitter;
use crate::array::blocks::memory::bundles::{
    AxiReadBeatSource, AxiReadBurstSource, AxiReadSource, ElementSource, RunSink,
};
use crate::array::blocks::memory::burst_generator::BurstGenerator;
use crate::array::blocks::memory::element_unpacker::ElementUnpacker;
use crate::array::blocks::memory::types::{Chunk, Count, MemoryAddress, Stride};
use crate::kernel::prelude::*;
use crate::parts::bundles::OfferSource;
use crate::parts::queue::Queue;

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

hdl_block! {
    /// The reader; `D` is a beat.
    pub MemoryReader<D: RowWord> {
        In clock: Domain; /// Clock and reset.
        In start_valid: Bit; /// A transfer is offered.
        Out start_ready: Bit; /// It is taken if offered.
        Bus start__: RunSink; /// The transfer.
        Bus word: ElementSource; /// Elements.
        Out busy: Bit; /// A transfer is under way.
        Bus read_burst_: AxiReadBurstSource; /// Bursts.
        Bus read_data_: AxiReadSource<D>; /// Their data.
        Bus read_beat_: AxiReadBeatSource; /// Whose beats come.
    } inside {
        Child bursts: BurstGenerator; // Bursts.
        Child waiting: Queue<Transfer>; // Transfers that wait for their data.
        Child splitter: BeatSplitter<D>; // Beats to chunks.
        Child unpacker: ElementUnpacker; // Chunks to elements.
        Local start, begin: Bit;
        Local unused_level: Bits<5>;
    }
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
        RunSink::link(&mut self.start__, &mut self.bursts.start);
        self.read_burst_.m_axi_araddr.next = self.bursts.burst_address.val();
        self.read_burst_.m_axi_arlen.next = self.bursts.burst_length.val();
        self.read_data_.m_axi_arvalid.next = self.bursts.burst_valid.val();
        self.bursts.burst_ready.next = self.read_data_.m_axi_arready.val();
        // Transfers whose data are to come.
        self.waiting.push_valid.next = self.start.val();
        self.waiting.push_data.next = bits_to::<Transfer, MemoryAddress>(self.start__.address.val())
            | (bits_to::<Transfer, Count>(self.start__.count.val()) << COUNT_AT)
            | (bits_to::<Transfer, Bits<2>>(self.start__.size.val()) << SIZE_AT)
            | (bits_to::<Transfer, Stride>(self.start__.stride.val()) << STRIDE_AT)
            | (bits_to::<Transfer, Bit>(self.start__.dense.val()) << DENSE_AT);
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
        self.unpacker.start__.address.next = bits_to::<MemoryAddress, Transfer>(self.waiting.head.val());
        self.unpacker.start__.count.next = self.waiting.head.val().get_bits::<10>(COUNT_LSB);
        self.unpacker.start__.size.next = self.waiting.head.val().get_bits::<2>(SIZE_LSB);
        self.unpacker.start__.stride.next = self.waiting.head.val().get_bits::<20>(STRIDE_LSB);
        self.unpacker.start__.dense.next = self.waiting.head.val().get_bit(DENSE_LSB);
        // Data.
        self.splitter.beat.valid.next = self.read_beat_.m_axi_rvalid.val();
        self.read_beat_.m_axi_rready.next = self.splitter.beat.ready.val();
        self.splitter.beat.data.next = self.read_data_.m_axi_rdata.val();
        OfferSource::<Chunk>::join(&mut self.splitter.chunk, &mut self.unpacker.chunk__);
        self.unpacker.chunk_response.next = self.read_data_.m_axi_rresp.val();
        ElementSource::link(&mut self.word, &mut self.unpacker.word__);
    }

    described! {
        "memory_reader", "AXI4 read master that delivers elements."; COUNT_AT, SIZE_AT, STRIDE_AT, DENSE_AT, COUNT_LSB,
        SIZE_LSB, STRIDE_LSB, DENSE_LSB
    }
}
