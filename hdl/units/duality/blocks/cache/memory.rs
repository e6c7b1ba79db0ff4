//! The way between the cache and memory: lines that are fetched, lines that are written back, one AXI4 master.
//!
//! Reads and writes go on at the same time; a fetch waits for the write-back of its own line
//! ([`DualityCacheWriteBacks`]). Bursts are INCR, of eight full beats, one a line; with one identifier there are no ID
//! signals. Timing: as of the two. `idle`: no line is on its way, in either direction.

use super::fetches::DualityCacheFetches;
use super::write_backs::DualityCacheWriteBacks;
use super::{LineNumber, WordNumber};
use crate::duality::cache_params::{CacheParams, LINE_WORDS};
use crate::kernel::prelude::*;
use crate::parts::bundles::AxiMasterPort;

const LAST: u64 = LINE_WORDS as u64 - 1;

hdl_block! {
    /// Fetches and write-backs.
    pub DualityCacheMemory {
        In clock: Domain; /// Clock and reset.
        In take: Bit; /// A line is to be fetched.
        In take_line: LineNumber; /// Which.
        In take_way: CacheWays; /// Where to.
        Out fetch_room, write_room: Bit; /// It can be taken. A line that is written back can.
        In forget: Bit; /// Lines that are not asked for are dropped.
        Out idle, written_all: Bit; /// Nothing is on its way. No line waits to be written back.
        In hold: Bit; /// No word can be taken.
        Out fill: CacheWays; /// Ways that get a word.
        Out fill_at: WordNumber; /// Which word.
        Out fill_data: Word<64, 1>; /// The word.
        Out ends, failed: Bit; /// It is its line's last. A word of the line had an error.
        In word: Bit; /// A word of a line that is written back.
        In number: Bits<3>; /// Which one.
        In data: Word<64, 1>; /// The word.
        In note: Bit; /// The line is complete.
        In note_line: LineNumber; /// Which line it is.
        Out written, lost: Bit; /// A write-back was answered. It had an error.
        Bus m_axi: AxiMasterPort<Bits<32>, Word<64, 1>, Bits<8>>; /// Memory.
    } inside {
        Child fetches: DualityCacheFetches; // Lines on their way here.
        Child write_backs: DualityCacheWriteBacks; // Lines on their way to memory.
        Local unused_last: Bit;
        Value _entries: usize;
    }
}

impl DualityCacheMemory {
    /// For a cache with these parameters.
    pub fn new(params: &CacheParams) -> Self {
        DualityCacheMemory {
            fetches: DualityCacheFetches::new(params),
            write_backs: DualityCacheWriteBacks::new(),
            _entries: params.mshr,
            ..Self::default()
        }
    }
}

impl Logic for DualityCacheMemory {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, fetches, write_backs);
        // Lines that are fetched.
        self.fetches.take.next = self.take.val();
        self.fetches.take_line.next = self.take_line.val();
        self.fetches.take_way.next = self.take_way.val();
        self.fetch_room.next = self.fetches.room.val();
        self.fetches.forget.next = self.forget.val();
        self.fetches.hold.next = self.hold.val();
        self.fetches.waits.next = self.write_backs.waits.val();
        self.fill.next = self.fetches.fill.val();
        self.fill_at.next = self.fetches.fill_at.val();
        self.fill_data.next = self.fetches.fill_data.val();
        self.ends.next = self.fetches.ends.val();
        self.failed.next = self.fetches.failed.val();
        // Lines that are written back.
        self.write_room.next = self.write_backs.room.val();
        self.write_backs.read_line.next = self.fetches.next_line.val();
        self.write_backs.word.next = self.word.val();
        self.write_backs.number.next = self.number.val();
        self.write_backs.data.next = self.data.val();
        self.write_backs.note.next = self.note.val();
        self.write_backs.note_line.next = self.note_line.val();
        self.written.next = self.write_backs.written.val();
        self.lost.next = self.write_backs.failed.val();
        self.written_all.next = self.write_backs.idle.val();
        self.idle.next = self.fetches.idle.val() & self.write_backs.idle.val();
        // The bus.
        self.m_axi.araddr.next = self.fetches.m_axi_araddr.val();
        self.m_axi.arlen.next = LAST.into();
        self.m_axi.arvalid.next = self.fetches.m_axi_arvalid.val();
        self.fetches.m_axi_arready.next = self.m_axi.arready.val();
        self.fetches.m_axi_rdata.next = self.m_axi.rdata.val();
        self.fetches.m_axi_rresp.next = self.m_axi.rresp.val();
        self.fetches.m_axi_rvalid.next = self.m_axi.rvalid.val();
        self.m_axi.rready.next = self.fetches.m_axi_rready.val();
        self.unused_last.next = self.m_axi.rlast.val();
        self.m_axi.awaddr.next = self.write_backs.m_axi_awaddr.val();
        self.m_axi.awlen.next = LAST.into();
        self.m_axi.awvalid.next = self.write_backs.m_axi_awvalid.val();
        self.write_backs.m_axi_awready.next = self.m_axi.awready.val();
        self.m_axi.wdata.next = self.write_backs.m_axi_wdata.val();
        self.m_axi.wstrb.next = 255.into();
        self.m_axi.wlast.next = self.write_backs.m_axi_wlast.val();
        self.m_axi.wvalid.next = self.write_backs.m_axi_wvalid.val();
        self.write_backs.m_axi_wready.next = self.m_axi.wready.val();
        self.write_backs.m_axi_bresp.next = self.m_axi.bresp.val();
        self.write_backs.m_axi_bvalid.next = self.m_axi.bvalid.val();
        self.m_axi.bready.next = true;
        // What never changes.
        self.m_axi.awsize.next = 3.into();
        self.m_axi.arsize.next = 3.into();
        self.m_axi.awburst.next = 1.into();
        self.m_axi.arburst.next = 1.into();
        self.m_axi.awcache.next = 3.into();
        self.m_axi.arcache.next = 3.into();
        self.m_axi.awprot.next = 0.into();
        self.m_axi.arprot.next = 0.into();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("duality_cache_memory_{}x{}", CacheWays::width(), self._entries),
            "Lines of the cache on their way from and to memory.",
            constants![LAST],
        )
    }
}
