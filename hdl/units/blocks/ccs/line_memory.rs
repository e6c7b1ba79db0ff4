//! Line memory: main memory of the cache compute system in block RAM, behind the line port.
//!
//! ```text
//!  read_line  ─▶ ┌──────────────────────┐─▶ reply_data
//!  write_line ─▶ │ a RAM for every byte │
//!  write_data ─▶ └──────────────────────┘
//! ```
//!
//! Source: Vieira et al., Exploiting Compute Caches for Memory Bound Vector Operations, §IV: main memory of block RAM, as wide as a line. Every byte
//! of every lane has a RAM of its own with one read and one write port, since a processor writes single bytes. A RAMB18 holds 2048 × 9
//! bits: up to 2048 lines cost one for each byte of a line, which is 256 of them (128 RAMB36) for 512 KiB in lines of 2048 bits.
//!
//! Timing: a read taken in cycle t is answered in t + 1; the answer stays until it is taken, and the next read is taken in the same cycle:
//! one a cycle. It sees the writes of the cycles before t. A write in cycle t is acknowledged in t + 1. Reads and writes beyond the
//! memory get an error; such a write changes nothing, the data of such a read mean nothing. After reset nothing is on offer; lines keep
//! what they hold.

use crate::ccs::CcsGeometry;
use crate::error::Result;
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

/// The memory.
#[derive(LogicBlock, Default)]
pub struct CcsLineMemory {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A read is asked for.
    pub read_valid: Signal<In, Bit>,
    /// It is taken if asked for.
    pub read_ready: Signal<Out, Bit>,
    /// Number of the line.
    pub read_line: Signal<In, Bits<30>>,
    /// A line is there.
    pub reply_valid: Signal<Out, Bit>,
    /// It is taken if there.
    pub reply_ready: Signal<In, Bit>,
    /// The line, an element in the low bits of each.
    pub reply_data: Vec<Signal<Out, Bits<32>>>,
    /// There is no such line.
    pub reply_error: Signal<Out, Bit>,
    /// A line is written.
    pub write_valid: Signal<In, Bit>,
    /// Its number.
    pub write_line: Signal<In, Bits<30>>,
    /// Lanes to write.
    pub write_lanes: Vec<Signal<In, Bit>>,
    /// Bytes of each 32 bits to write.
    pub write_bytes: Signal<In, Bits<4>>,
    /// `write_value` is written, in the lanes of its word; else `write_data`.
    pub write_word: Signal<In, Bit>,
    /// A word.
    pub write_value: Signal<In, Bits<32>>,
    /// What to write.
    pub write_data: Vec<Signal<In, Bits<32>>>,
    /// A write is done.
    pub ack_valid: Signal<Out, Bit>,
    /// There was no such line.
    pub ack_error: Signal<Out, Bit>,
    /// Byte k of a line is in RAM k.
    pub rams: Vec<Ram<Bits<8>, Bits<30>>>,
    /// A line is on offer.
    pub there: Register<Bit>,
    /// It was beyond.
    pub beyond: Pipe<Bit>,
    /// A write was there.
    pub written: Register<Bit>,
    /// It was beyond.
    pub missed: Pipe<Bit>,
    take: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    byte: Signal<Local, Bits<8>>,
    unused_high: Signal<Local, Bits<32>>,
    _lanes: usize,
    _bytes: usize,
    _byte_mask: usize,
    _line_bytes: usize,
    _line_bits: u64,
}

impl CcsLineMemory {
    /// A memory of `lines` lines, a power of two.
    pub fn new(geometry: &CcsGeometry, lines: usize) -> Self {
        CcsLineMemory {
            reply_data: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            write_lanes: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            write_data: (0..geometry.lanes).map(|_| Signal::default()).collect(),
            rams: (0..geometry.line_bytes()).map(|_| Ram::new(lines, RamStyle::Block)).collect(),
            _lanes: geometry.lanes,
            _bytes: geometry.element_bytes(),
            _byte_mask: geometry.element_bytes() - 1,
            _line_bytes: geometry.line_bytes(),
            _line_bits: lines.ilog2().into(),
            ..Self::default()
        }
    }
}

impl Logic for CcsLineMemory {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, there, beyond, written, missed);
        self.ready.next = !self.there.q.val() | self.reply_ready.val();
        self.read_ready.next = self.ready.val();
        self.take.next = self.read_valid.val() & self.ready.val();
        if self.reply_ready.val() {
            self.there.d.next = false;
        }
        if self.take.val() {
            self.there.d.next = true;
            self.beyond.d.next = (self.read_line.val() >> self._line_bits) != 0;
        }
        self.write.next = self.write_valid.val() & ((self.write_line.val() >> self._line_bits) == 0);
        self.written.d.next = self.write_valid.val();
        self.missed.d.next = !self.write.val();
        for i in 0..self._line_bytes {
            self.rams[i].clock.next = self.clock.val();
            self.rams[i].read_address.next = self.read_line.val();
            self.rams[i].read_enable.next = self.take.val();
            self.rams[i].write_address.next = self.write_line.val();
            self.rams[i].write_enable.next =
                self.write.val() & self.write_lanes[i / self._bytes].val() & self.write_bytes.val().get_bit(i & 3);
            self.rams[i].write_data.next =
                self.write_data[i / self._bytes].val().get_bits::<8>(8 * (i & self._byte_mask));
            if self.write_word.val() {
                self.rams[i].write_data.next = self.write_value.val().get_bits::<8>(8 * (i & 3));
            }
        }
        self.unused_high.next = 0.into();
        for i in 0..self._lanes {
            self.unused_high.next = self.unused_high.val() ^ self.write_data[i].val();
            self.reply_data[i].next = 0.into();
            for j in 0..self._bytes {
                self.byte.next = self.rams[self._bytes * (i + 1) - 1 - j].read_data.val();
                self.reply_data[i].next = (self.reply_data[i].val() << 8) | bit_cast::<32, 8>(self.byte.val());
            }
        }
        self.reply_valid.next = self.there.q.val();
        self.reply_error.next = self.beyond.q.val();
        self.ack_valid.next = self.written.q.val();
        self.ack_error.next = self.missed.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("ccs_line_memory_{}x{}_{}", self._lanes, 8 * self._bytes, 1u64 << self._line_bits),
            "Main memory in block RAM, as wide as a line.",
            constants![; self._lanes, self._bytes, self._byte_mask, self._line_bytes, self._line_bits],
        )
    }
}

/// The netlist of a memory of `lines` lines alone.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if `geometry` breaks a rule or `lines` is no power of two up to 2^30.
pub fn ccs_line_memory(geometry: &CcsGeometry, lines: usize) -> Result<Netlist> {
    geometry.check()?;
    if !lines.is_power_of_two() || !(2..=1 << 30).contains(&lines) {
        let rule = "must be a power of two from 2 to 2^30";
        return Err(crate::error::Error::parameter("lines", lines, rule));
    }
    let mut memory = CcsLineMemory::new(geometry, lines);
    memory.connect_all();
    elaborate(&memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_elaborates() {
        let geometry =
            |lanes, element_bits| CcsGeometry { lanes, element_bits, ..CcsGeometry::preset("vc709").expect("named") };
        for (lanes, bits) in [(4, 32), (64, 32), (8, 8), (16, 16)] {
            let geometry = CcsGeometry { memory: crate::ccs::CcsMemory::Line, ..geometry(lanes, bits) };
            let netlist = ccs_line_memory(&geometry, 64).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(netlist.top().name, format!("bl_ccs_line_memory_{lanes}x{bits}_64"));
        }
        assert!(ccs_line_memory(&geometry(4, 32), 3).is_err());
    }
}
