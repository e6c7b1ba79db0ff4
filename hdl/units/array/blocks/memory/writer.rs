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
//! One transfer at a time: the next one starts when the last response is in. Up to [`BURSTS`] bursts wait for theirs.
//! Data do not wait for their address to be taken. Every byte of every beat has a strobe, 0 for bytes that are not the
//! transfer's. `failed` keeps the first response that was not OKAY or EXOKAY until the next start, with the address of
//! its burst. Idle after reset.

use crate::array::blocks::memory::beat_joiner::BeatJoiner;
use crate::array::blocks::memory::bundles::{AxiWriteBurstSource, AxiWriteSource, ByteChunkSource, RunSink};
use crate::array::blocks::memory::burst_generator::BurstGenerator;
use crate::array::blocks::memory::element_packer::ElementPacker;
use crate::array::blocks::memory::types::{Chunk, MemoryAddress};
use crate::kernel::prelude::*;
use crate::parts::bundles::OfferSink;
use crate::parts::queue::Queue;

/// Bursts whose responses may be outstanding.
pub const BURSTS: usize = 16;

hdl_block! {
    /// The writer; `D` is a beat, `S` has a bit for each byte of it.
    pub MemoryWriter<D: RowWord, S: RowWord> {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// A transfer starts; only while not `busy`.
        Bus start__: RunSink; /// The transfer.
        Bus word: OfferSink<Chunk>; /// Elements, zeros above them.
        Out busy: Bit; /// A transfer is under way.
        Out failed: Bits<2>; /// First error of the transfer as a response, 0 for none.
        Out failed_address: MemoryAddress; /// Address of its burst.
        Bus write_burst_: AxiWriteBurstSource; /// Bursts.
        Bus write_data_: AxiWriteSource<D, S>; /// Their data and responses.
    } inside {
        Child bursts: BurstGenerator; // Bursts.
        Register address_valid: Bit; // A write address is on offer.
        Pipe address: MemoryAddress; // The address.
        Pipe length: Bits<8>; // Its beats less one.
        Child lengths: Queue<Bits<8>>; // Lengths of bursts whose data are to come.
        Child addresses: Queue<MemoryAddress>; // Addresses of bursts whose responses are to come.
        Child packer: ElementPacker; // Elements to chunks.
        Child joiner: BeatJoiner<D, S>; // Chunks to beats.
        Register error: Bits<2>; // First error.
        Pipe error_address: MemoryAddress; // Address of its burst.
        Local moves, unused_ready: Bit;
        Local unused_levels: Bits<5>;
    }
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
        RunSink::link(&mut self.start__, &mut self.bursts.start);
        self.packer.start.next = self.start.val();
        self.packer.start_offset.next = self.start__.address.val().get_bits::<3>(0);
        self.packer.start_count.next = self.start__.count.val();
        self.packer.start_size.next = self.start__.size.val();
        self.packer.start_stride.next = self.start__.stride.val();
        self.packer.start_dense.next = self.start__.dense.val();
        self.joiner.start.next = self.start.val();
        self.joiner.start_offset.next = self.start__.address.val().get_bits::<6>(0);
        self.joiner.start_stride.next = self.start__.stride.val();
        self.unused_ready.next = self.bursts.start_ready.val();
        self.unused_levels.next = self.lengths.level.val() ^ self.addresses.level.val();
        // Addresses.
        self.moves.next = self.bursts.burst_valid.val()
            & (self.write_data_.m_axi_awready.val() | !self.address_valid.q.val())
            & self.lengths.push_ready.val()
            & self.addresses.push_ready.val();
        self.bursts.burst_ready.next = self.moves.val();
        if self.write_data_.m_axi_awready.val() {
            self.address_valid.d.next = false;
        }
        if self.moves.val() {
            self.address_valid.d.next = true;
            self.address.d.next = self.bursts.burst_address.val();
            self.length.d.next = self.bursts.burst_length.val();
        }
        self.write_data_.m_axi_awvalid.next = self.address_valid.q.val();
        self.write_burst_.m_axi_awaddr.next = self.address.q.val();
        self.write_burst_.m_axi_awlen.next = self.length.q.val();
        self.lengths.push_valid.next = self.moves.val();
        self.lengths.push_data.next = self.bursts.burst_length.val();
        self.addresses.push_valid.next = self.moves.val();
        self.addresses.push_data.next = self.bursts.burst_address.val();
        // Data.
        OfferSink::<Chunk>::link(&mut self.word, &mut self.packer.word);
        ByteChunkSource::join(&mut self.packer.chunk__, &mut self.joiner.chunk__);
        self.joiner.length_valid.next = self.lengths.head_valid.val();
        self.joiner.length.next = self.lengths.head.val();
        self.lengths.pop.next = self.joiner.length_taken.val();
        self.write_data_.m_axi_wvalid.next = self.joiner.beat_valid.val();
        self.joiner.beat_ready.next = self.write_data_.m_axi_wready.val();
        self.write_data_.m_axi_wdata.next = self.joiner.beat_data.val();
        self.write_data_.m_axi_wstrb.next = self.joiner.beat_strobes.val();
        self.write_data_.m_axi_wlast.next = self.joiner.beat_last.val();
        // Responses.
        self.write_data_.m_axi_bready.next = true;
        self.addresses.pop.next = self.write_data_.m_axi_bvalid.val() & self.addresses.head_valid.val();
        if self.start.val() {
            self.error.d.next = 0.into();
        } else if self.write_data_.m_axi_bvalid.val()
            & self.addresses.head_valid.val()
            & self.write_data_.m_axi_bresp.val().get_bit(1)
            & (self.error.q.val() == 0)
        {
            self.error.d.next = self.write_data_.m_axi_bresp.val();
            self.error_address.d.next = self.addresses.head.val();
        }
        self.failed.next = self.error.q.val();
        self.failed_address.next = self.error_address.q.val();
        self.busy.next = self.bursts.busy.val()
            | !self.packer.idle.val()
            | !self.joiner.idle.val()
            | self.addresses.head_valid.val();
    }

    described! { "memory_writer", "AXI4 write master that takes elements." }
}
