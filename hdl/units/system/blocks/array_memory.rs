//! Array memory: block RAM between the compute array, as an AXI4 slave with 64 bits of data, and the host, as an
//! AXI4-Lite slave.
//!
//! ```text
//!  AW, W ─▶ beat ──┬─▶ ┌──────────────────────┐ ─┬─▶ beat ─▶ R
//!  AR ─────────────┼─▶ │ a RAM for every byte │  │
//!  s_axil ─▶ slave ┴─▶ └──────────────────────┘ ─┴─▶ word ─▶ slave
//! ```
//!
//! The Duality Cache of a board has such a memory, too ([`super::duality_on_chip`]).
//!
//! Every byte has a RAM of its own with one read and one write port, which is all that both sides need: a host's word
//! waits for the end of a burst, and goes before the next one. Bursts are INCR of full beats, and do not cross 4 KiB;
//! one of each direction is under way at a time.
//!
//! Timing: a beat a cycle in either direction. The first beat of a read is there three cycles after its address was
//! taken. A write is answered in the cycle after its last beat; reads that are taken from then on see it. Bursts beyond
//! the memory are answered with DECERR: such a write changes nothing, the data of such a read mean nothing. Words of
//! the host count modulo the memory's size. After reset nothing is on offer; words keep what they hold.

use crate::array::blocks::memory::types::{Chunk, MemoryAddress};
use crate::kernel::prelude::*;
use crate::parts::axil_slave::AxilSlaveOf;
use crate::parts::bundles::AxilSlavePort;

pub const HOST_ADDRESS_BITS: usize = 23; // Bits of a byte address of the host.
const NUMBER: usize = HOST_ADDRESS_BITS - 2; // Bits of a 32-bit word's number.
const INDEX: usize = NUMBER - 1; // Bits of a 64-bit word's number.
const BYTES: usize = 8; // Bytes of a beat.
const INDEX_LSB: usize = 3;
const NOTHING: u64 = 3; // DECERR.

hdl_block! {
    pub ArrayMemory {
        In clock: Domain; /// Clock and reset.
        In s_axi_awaddr: MemoryAddress; /// Write address.
        In s_axi_awvalid: Bit; /// It is offered.
        Out s_axi_awready: Bit; /// It is taken if offered.
        In s_axi_wdata: Chunk; /// Write data.
        In s_axi_wstrb: Word<8, 1>; /// Bytes of them that count.
        In s_axi_wlast, s_axi_wvalid: Bit; /// They are the burst's last. They are offered.
        Out s_axi_wready: Bit; /// They are taken if offered.
        Out s_axi_bresp: Bits<2>; /// Write response.
        Out s_axi_bvalid: Bit; /// It is offered.
        In s_axi_bready: Bit; /// It is taken if offered.
        In s_axi_araddr: MemoryAddress; /// Read address.
        In s_axi_arlen: Bits<8>; /// Beats less one.
        In s_axi_arvalid: Bit; /// It is offered.
        Out s_axi_arready: Bit; /// It is taken if offered.
        Out s_axi_rdata: Chunk; /// Read data.
        Out s_axi_rresp: Bits<2>; /// Read response.
        Out s_axi_rlast, s_axi_rvalid: Bit; /// They are the burst's last. They are offered.
        In s_axi_rready: Bit; /// They are taken if offered.
        Bus s_axil: AxilSlavePort<Bits<HOST_ADDRESS_BITS>>; /// Registers, as seen by their master.
    } inside {
        Child slave: AxilSlaveOf<HOST_ADDRESS_BITS, NUMBER>; // The host's slave.
        Child rams: Vec<Ram<Bits<8>, Bits<INDEX>>>; // Byte k of a word is in RAM k.
        Register writing: Bit; // A burst's data come.
        Pipe write_index: Bits<INDEX>; // Where the next of them goes.
        Pipe write_beyond: Bit; // Nowhere.
        Register beat: Bit; // A beat goes into the RAMs.
        Pipe beat_data: Chunk; // The beat.
        Pipe beat_strobes: Word<8, 1>; // Its bytes that count.
        Pipe beat_index: Bits<INDEX>; // Where it goes.
        Register written, reading: Bit; // A write response is offered. Beats are read.
        Pipe read_index: Bits<INDEX>; // Where the next one is.
        Pipe read_beyond: Bit; // Nowhere.
        Pipe read_left: Bits<8>; // Beats after it.
        Register shown: Bit; // The RAMs show a beat.
        Pipe shown_last, shown_beyond: Bit; // It is the burst's last. It means nothing.
        Register offered: Bit; // Read data are offered.
        Pipe offered_data: Chunk; // The data.
        Pipe offered_last, offered_beyond: Bit; // They are the burst's last. They mean nothing.
        Register host_shown, host_taken: Bit; // The RAMs show what the host reads. The slave takes it.
        Pipe host_word: Bits<32>; // The word.
        Local moves, issue, host_read, host_write: Bit;
        Local host_strobes, byte: Bits<8>;
        Local line: Chunk;
        Local unused_low: Bits<3>;
        Value _log2_bytes: u64;
    }
}

impl ArrayMemory {
    /// A memory of `words` words of 8 bytes, a power of two up to 2^20.
    pub fn new(words: usize) -> Self {
        ArrayMemory {
            rams: (0..BYTES).map(|_| Ram::new(words, RamStyle::Block)).collect(),
            _log2_bytes: u64::from(words.ilog2()) + 3,
            ..Self::default()
        }
    }
}

impl Logic for ArrayMemory {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, slave);
        dff_setup!(self, clock, writing, write_index, write_beyond, beat, beat_data, beat_strobes, beat_index, written);
        dff_setup!(self, clock, reading, read_index, read_beyond, read_left, shown, shown_last, shown_beyond);
        dff_setup!(self, clock, offered, offered_data, offered_last, offered_beyond);
        dff_setup!(self, clock, host_shown, host_taken, host_word);
        AxilSlavePort::<Bits<HOST_ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.slave.s_axil);
        self.unused_low.next = self.s_axi_awaddr.val().get_bits::<3>(0) ^ self.s_axi_araddr.val().get_bits::<3>(0);
        // Bursts that write.
        self.s_axi_awready.next = !self.writing.q.val() & !self.written.q.val() & !self.slave.write.val();
        self.s_axi_wready.next = self.writing.q.val();
        if self.s_axi_awready.val() {
            self.writing.d.next = self.s_axi_awvalid.val();
            self.write_index.d.next = self.s_axi_awaddr.val().get_bits::<INDEX>(INDEX_LSB);
            self.write_beyond.d.next = (self.s_axi_awaddr.val() >> self._log2_bytes).any();
        }
        if self.written.q.val() & self.s_axi_bready.val() {
            self.written.d.next = false;
        }
        self.beat.d.next = self.writing.q.val() & self.s_axi_wvalid.val() & !self.write_beyond.q.val();
        self.beat_data.d.next = self.s_axi_wdata.val();
        self.beat_strobes.d.next = self.s_axi_wstrb.val();
        self.beat_index.d.next = self.write_index.q.val();
        if self.writing.q.val() & self.s_axi_wvalid.val() {
            self.write_index.d.next = self.write_index.q.val() + 1;
            if self.s_axi_wlast.val() {
                self.writing.d.next = false;
                self.written.d.next = true;
            }
        }
        self.s_axi_bvalid.next = self.written.q.val();
        self.s_axi_bresp.next = 0.into();
        if self.write_beyond.q.val() {
            self.s_axi_bresp.next = NOTHING.into();
        }
        // Words that the host writes.
        self.host_write.next = self.slave.write.val() & !self.writing.q.val() & !self.beat.q.val();
        self.slave.write_ready.next = self.host_write.val();
        self.host_strobes.next = bit_cast::<8, 4>(self.slave.write_strobes.val());
        if self.slave.write_number.val().get_bit(0) {
            self.host_strobes.next = bit_cast::<8, 4>(self.slave.write_strobes.val()) << 4;
        }
        for i in 0..BYTES {
            self.rams[i].clock.next = self.clock.val();
            self.rams[i].write_address.next = self.slave.write_number.val().get_bits::<INDEX>(1);
            self.rams[i].write_data.next = self.slave.write_data.val().get_bits::<8>(8 * (i & 3));
            self.rams[i].write_enable.next = self.host_write.val() & self.host_strobes.val().get_bit(i);
            if self.beat.q.val() {
                self.rams[i].write_address.next = self.beat_index.q.val();
                self.rams[i].write_data.next = self.beat_data.q.val().get_bits::<8>(8 * i);
                self.rams[i].write_enable.next = self.beat_strobes.q.val().get_bit(i);
            }
        }
        // Bursts that read.
        self.s_axi_arready.next = !self.reading.q.val() & !self.slave.read.val();
        if self.s_axi_arready.val() {
            self.reading.d.next = self.s_axi_arvalid.val();
            self.read_index.d.next = self.s_axi_araddr.val().get_bits::<INDEX>(INDEX_LSB);
            self.read_beyond.d.next = (self.s_axi_araddr.val() >> self._log2_bytes).any();
            self.read_left.d.next = self.s_axi_arlen.val();
        }
        self.moves.next = !self.offered.q.val() | self.s_axi_rready.val();
        self.issue.next = self.reading.q.val() & (!self.shown.q.val() | self.moves.val());
        if self.moves.val() {
            self.offered.d.next = self.shown.q.val();
            self.offered_last.d.next = self.shown_last.q.val();
            self.offered_beyond.d.next = self.shown_beyond.q.val();
            self.shown.d.next = false;
        }
        if self.issue.val() {
            self.read_index.d.next = self.read_index.q.val() + 1;
            self.read_left.d.next = self.read_left.q.val() - 1;
            self.reading.d.next = self.read_left.q.val() != 0;
            self.shown.d.next = true;
            self.shown_last.d.next = self.read_left.q.val() == 0;
            self.shown_beyond.d.next = self.read_beyond.q.val();
        }
        // Words that the host reads.
        self.host_read.next = self.slave.read.val()
            & !self.reading.q.val()
            & !self.shown.q.val()
            & !self.host_shown.q.val()
            & !self.host_taken.q.val();
        self.host_shown.d.next = self.host_read.val();
        self.host_taken.d.next = self.host_shown.q.val();
        self.slave.read_ready.next = self.host_taken.q.val();
        self.slave.read_value.next = self.host_word.q.val();
        for i in 0..BYTES {
            self.rams[i].read_enable.next = self.issue.val() | self.host_read.val();
            self.rams[i].read_address.next = self.slave.read_number.val().get_bits::<INDEX>(1);
            if self.reading.q.val() {
                self.rams[i].read_address.next = self.read_index.q.val();
            }
        }
        self.line.next = 0.into();
        for i in 0..BYTES {
            self.byte.next = self.rams[7 - i].read_data.val();
            self.line.next = (self.line.val() << 8) | bits_to::<Chunk, Bits<8>>(self.byte.val());
        }
        if self.moves.val() {
            self.offered_data.d.next = self.line.val();
        }
        self.host_word.d.next = self.line.val().get_bits::<32>(0);
        if self.slave.read_number.val().get_bit(0) {
            self.host_word.d.next = self.line.val().get_bits::<32>(32);
        }
        self.s_axi_rvalid.next = self.offered.q.val();
        self.s_axi_rdata.next = self.offered_data.q.val();
        self.s_axi_rlast.next = self.offered_last.q.val();
        self.s_axi_rresp.next = 0.into();
        if self.offered_beyond.q.val() {
            self.s_axi_rresp.next = NOTHING.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("array_memory_{}", 1u64 << self._log2_bytes),
            "Block RAM between the compute array and the host.",
            constants![BYTES, INDEX_LSB, NOTHING; self._log2_bytes],
        )
    }
}
