//! Memory writer: an AXI4 write master that takes a transfer's elements, one a cycle.
//!
//! ```text
//!  start ─┬─▶ burst generator ─▶ address register ─▶ AW
//!         │                  ├─▶ burst lengths ─┐
//!         │                  └─▶ burst addresses│──▶ address of an error
//!         └─▶ element packer ─▶ beat joiner ◀───┘       ▲
//!  words ───────▲                   └─▶ W          B ───┘
//! ```
//!
//! One transfer at a time: the next one starts when the last response is in. Up to [`BURSTS`] bursts wait for theirs. Data do not wait for
//! their address to be taken. Every byte of every beat has a strobe, 0 for bytes that are not the transfer's. `failed` keeps the first
//! response that was not OKAY or EXOKAY until the next start, with the address of its burst. Idle after reset.

use super::beat_joiner::BeatJoiner;
use super::burst_generator::BurstGenerator;
use super::element_packer::ElementPacker;
use super::types::{Chunk, Count, MemoryAddress, Stride};
use crate::blocks::queue::Queue;
use crate::kernel::prelude::*;

/// Bursts whose responses may be outstanding.
pub const BURSTS: usize = 16;

/// The writer; `D` is a beat, `S` has a bit for each byte of it.
#[derive(LogicBlock, Default)]
pub struct MemoryWriter<D: RowWord, S: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A transfer starts; only while not `busy`.
    pub start: Signal<In, Bit>,
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
    /// A word is offered.
    pub word_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub word_ready: Signal<Out, Bit>,
    /// An element, zeros above it.
    pub word_data: Signal<In, Chunk>,
    /// A transfer is under way.
    pub busy: Signal<Out, Bit>,
    /// First error of the transfer as a response, 0 for none.
    pub failed: Signal<Out, Bits<2>>,
    /// Address of its burst.
    pub failed_address: Signal<Out, MemoryAddress>,
    /// Write address.
    pub m_axi_awaddr: Signal<Out, MemoryAddress>,
    /// Beats less one.
    pub m_axi_awlen: Signal<Out, Bits<8>>,
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
    /// Bursts.
    pub bursts: BurstGenerator,
    /// A write address is on offer.
    pub address_valid: Register<Bit>,
    /// The address.
    pub address: Pipe<MemoryAddress>,
    /// Its beats less one.
    pub length: Pipe<Bits<8>>,
    /// Lengths of bursts whose data are to come.
    pub lengths: Queue<Bits<8>>,
    /// Addresses of bursts whose responses are to come.
    pub addresses: Queue<MemoryAddress>,
    /// Elements to chunks.
    pub packer: ElementPacker,
    /// Chunks to beats.
    pub joiner: BeatJoiner<D, S>,
    /// First error.
    pub error: Register<Bits<2>>,
    /// Address of its burst.
    pub error_address: Pipe<MemoryAddress>,
    moves: Signal<Local, Bit>,
    unused_ready: Signal<Local, Bit>,
    unused_levels: Signal<Local, Bits<5>>,
}

impl<D: RowWord, S: RowWord> MemoryWriter<D, S> {
    /// A writer.
    pub fn new() -> Self {
        MemoryWriter {
            bursts: BurstGenerator::new(D::width()),
            lengths: Queue::new(BURSTS),
            addresses: Queue::new(BURSTS),
            joiner: BeatJoiner::new(),
            ..Self::default()
        }
    }
}

impl<D: RowWord, S: RowWord> Logic for MemoryWriter<D, S> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bursts, lengths, addresses, packer, joiner);
        dff_setup!(self, clock, address_valid, address, length, error, error_address);
        self.bursts.start_valid.next = self.start.val();
        self.bursts.start_address.next = self.start_address.val();
        self.bursts.start_count.next = self.start_count.val();
        self.bursts.start_size.next = self.start_size.val();
        self.bursts.start_stride.next = self.start_stride.val();
        self.bursts.start_dense.next = self.start_dense.val();
        self.packer.start.next = self.start.val();
        self.packer.start_offset.next = self.start_address.val().get_bits::<3>(0);
        self.packer.start_count.next = self.start_count.val();
        self.packer.start_size.next = self.start_size.val();
        self.packer.start_stride.next = self.start_stride.val();
        self.packer.start_dense.next = self.start_dense.val();
        self.joiner.start.next = self.start.val();
        self.joiner.start_offset.next = self.start_address.val().get_bits::<6>(0);
        self.joiner.start_stride.next = self.start_stride.val();
        self.unused_ready.next = self.bursts.start_ready.val();
        self.unused_levels.next = self.lengths.level.val() ^ self.addresses.level.val();
        // Addresses.
        self.moves.next = self.bursts.burst_valid.val()
            & (self.m_axi_awready.val() | !self.address_valid.q.val())
            & self.lengths.push_ready.val()
            & self.addresses.push_ready.val();
        self.bursts.burst_ready.next = self.moves.val();
        if self.m_axi_awready.val() {
            self.address_valid.d.next = false;
        }
        if self.moves.val() {
            self.address_valid.d.next = true;
            self.address.d.next = self.bursts.burst_address.val();
            self.length.d.next = self.bursts.burst_length.val();
        }
        self.m_axi_awvalid.next = self.address_valid.q.val();
        self.m_axi_awaddr.next = self.address.q.val();
        self.m_axi_awlen.next = self.length.q.val();
        self.lengths.push_valid.next = self.moves.val();
        self.lengths.push_data.next = self.bursts.burst_length.val();
        self.addresses.push_valid.next = self.moves.val();
        self.addresses.push_data.next = self.bursts.burst_address.val();
        // Data.
        self.packer.word_valid.next = self.word_valid.val();
        self.word_ready.next = self.packer.word_ready.val();
        self.packer.word_data.next = self.word_data.val();
        self.joiner.chunk_valid.next = self.packer.chunk_valid.val();
        self.packer.chunk_ready.next = self.joiner.chunk_ready.val();
        self.joiner.chunk_data.next = self.packer.chunk_data.val();
        self.joiner.chunk_strobes.next = self.packer.chunk_strobes.val();
        self.joiner.chunk_ends.next = self.packer.chunk_ends.val();
        self.joiner.length_valid.next = self.lengths.head_valid.val();
        self.joiner.length.next = self.lengths.head.val();
        self.lengths.pop.next = self.joiner.length_taken.val();
        self.m_axi_wvalid.next = self.joiner.beat_valid.val();
        self.joiner.beat_ready.next = self.m_axi_wready.val();
        self.m_axi_wdata.next = self.joiner.beat_data.val();
        self.m_axi_wstrb.next = self.joiner.beat_strobes.val();
        self.m_axi_wlast.next = self.joiner.beat_last.val();
        // Responses.
        self.m_axi_bready.next = true;
        self.addresses.pop.next = self.m_axi_bvalid.val() & self.addresses.head_valid.val();
        if self.start.val() {
            self.error.d.next = 0.into();
        } else if self.m_axi_bvalid.val()
            & self.addresses.head_valid.val()
            & self.m_axi_bresp.val().get_bit(1)
            & (self.error.q.val() == 0)
        {
            self.error.d.next = self.m_axi_bresp.val();
            self.error_address.d.next = self.addresses.head.val();
        }
        self.failed.next = self.error.q.val();
        self.failed_address.next = self.error_address.q.val();
        self.busy.next = self.bursts.busy.val()
            | !self.packer.idle.val()
            | !self.joiner.idle.val()
            | self.addresses.head_valid.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("memory_writer", "AXI4 write master that takes elements.", constants![])
    }
}
