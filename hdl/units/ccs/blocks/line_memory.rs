//! Line memory: main memory of the cache compute system in block RAM, behind the line port.
//!
//! ```text
//!  read_line  ─▶ ┌──────────────────────┐─▶ reply_data
//!  write_line ─▶ │ a RAM for every byte │
//!  write_data ─▶ └──────────────────────┘
//! ```
//!
//! Source: Vieira et al., Exploiting Compute Caches for Memory Bound Vector Operations, §IV: main memory of block RAM,
//! as wide as a line. Every byte of every lane has a RAM of its own with one read and one write port, since a processor
//! writes single bytes. A RAMB18 holds 2048 × 9 bits: up to 2048 lines cost one for each byte of a line, which is 256
//! of them (128 RAMB36) for 512 KiB in lines of 2048 bits.
//!
//! Timing: a read taken in cycle t is answered in t + 1; the answer stays until it is taken, and the next read is taken
//! in the same cycle: one a cycle. It sees the writes of the cycles before t. A write in cycle t is acknowledged in
//! t + 1. With two read ports there is a second set of RAMs, and the second port reads as the first does, at the same
//! time. Reads and writes beyond the memory get an error; such a write changes nothing, the data of such a read mean
//! nothing. After reset nothing is on offer; lines keep what they hold.

use crate::ccs::CcsGeometry;
use crate::ccs::blocks::bundles::{AckSource, ReadSlave, ReplySource, WriteSink};
use crate::ccs::blocks::elaborated;
use crate::ccs::blocks::types::{MORE, Shape, describes};
use crate::error::Result;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

/// The memory.
#[derive(LogicBlock, Default)]
pub struct CcsLineMemory {
    pub(super) clock: Signal<In, Domain>,
    pub(super) read: ReadSlave,                      // Lines that are asked for.
    pub(super) reply: ReplySource,                   // Lines that arrive.
    pub(super) write: WriteSink,                     // Lines and words that are written.
    pub(super) ack: AckSource,                       // Writes that are done.
    pub(super) more_read: Array<ReadSlave, MORE>,    // Lines that are asked for on the second port.
    pub(super) more_reply: Array<ReplySource, MORE>, // Lines that arrive there.
    rams: Vec<Ram<Bits<8>, Bits<30>>>,               // Byte k of a line is in RAM k.
    more_rams: Vec<Ram<Bits<8>, Bits<30>>>,          // The same for the second port.
    more_there: Array<Register<Bit>, MORE>,          // A line is on offer there.
    more_beyond: Array<Pipe<Bit>, MORE>,             // It was beyond.
    more_take: Array<Signal<Local, Bit>, MORE>,
    there: Register<Bit>,   // A line is on offer.
    beyond: Pipe<Bit>,      // It was beyond.
    written: Register<Bit>, // A write was there.
    missed: Pipe<Bit>,      // It was beyond.
    take: Signal<Local, Bit>,
    write_: Signal<Local, Bit>,
    byte: Signal<Local, Bits<8>>,
    unused_high: Signal<Local, Bits<32>>,
    _line_bits: u64,
    _g: Shape,
}

impl CcsLineMemory {
    /// A memory of `lines` lines, a power of two.
    pub fn new(lines: usize) -> Self {
        let g = Shape::default();
        CcsLineMemory {
            rams: (0..g.line_bytes).map(|_| Ram::new(lines, RamStyle::Block)).collect(),
            more_rams: (0..g.more * g.line_bytes).map(|_| Ram::new(lines, RamStyle::Block)).collect(),
            _line_bits: lines.ilog2().into(),
            ..Self::default()
        }
    }
}

impl Logic for CcsLineMemory {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, there, beyond, written, missed);
        for i in 0..self._g.more {
            self.more_there[i].clock.next = self.clock.val();
            self.more_there[i].d.next = self.more_there[i].q.val();
        }
        for i in 0..self._g.more {
            self.more_beyond[i].clock.next = self.clock.val();
            self.more_beyond[i].d.next = self.more_beyond[i].q.val();
        }
        self.read.ready.next = !self.there.q.val() | self.reply.ready.val();
        self.take.next = self.read.valid.val() & self.read.ready.val();
        if self.reply.ready.val() {
            self.there.d.next = false;
        }
        if self.take.val() {
            self.there.d.next = true;
            self.beyond.d.next = (self.read.line.val() >> self._line_bits) != 0;
        }
        self.write_.next = self.write.valid.val() & ((self.write.line.val() >> self._line_bits) == 0);
        self.written.d.next = self.write.valid.val();
        self.missed.d.next = !self.write_.val();
        for i in 0..self._g.line_bytes {
            self.rams[i].clock.next = self.clock.val();
            self.rams[i].read_address.next = self.read.line.val();
            self.rams[i].read_enable.next = self.take.val();
            self.rams[i].write_address.next = self.write.line.val();
            self.rams[i].write_enable.next =
                self.write_.val() & self.write.lanes[i / self._g.bytes].val() & self.write.bytes.val().get_bit(i & 3);
            self.rams[i].write_data.next =
                self.write.data[i / self._g.bytes].val().get_bits::<8>(8 * (i & self._g.byte_mask));
            if self.write.word.val() {
                self.rams[i].write_data.next = self.write.value.val().get_bits::<8>(8 * (i & 3));
            }
        }
        // The second port: RAMs of its own, which are written as the others are.
        for p in 0..self._g.more {
            self.more_read[p].ready.next = !self.more_there[p].q.val() | self.more_reply[p].ready.val();
            self.more_take[p].next = self.more_read[p].valid.val() & self.more_read[p].ready.val();
            if self.more_reply[p].ready.val() {
                self.more_there[p].d.next = false;
            }
            if self.more_take[p].val() {
                self.more_there[p].d.next = true;
                self.more_beyond[p].d.next = (self.more_read[p].line.val() >> self._line_bits) != 0;
            }
            self.more_reply[p].valid.next = self.more_there[p].q.val();
            self.more_reply[p].error.next = self.more_beyond[p].q.val();
            for i in 0..self._g.line_bytes {
                self.more_rams[i].clock.next = self.clock.val();
                self.more_rams[i].read_address.next = self.more_read[p].line.val();
                self.more_rams[i].read_enable.next = self.more_take[p].val();
                self.more_rams[i].write_address.next = self.write.line.val();
                self.more_rams[i].write_enable.next = self.write_.val()
                    & self.write.lanes[i / self._g.bytes].val()
                    & self.write.bytes.val().get_bit(i & 3);
                self.more_rams[i].write_data.next =
                    self.write.data[i / self._g.bytes].val().get_bits::<8>(8 * (i & self._g.byte_mask));
                if self.write.word.val() {
                    self.more_rams[i].write_data.next = self.write.value.val().get_bits::<8>(8 * (i & 3));
                }
            }
            for i in 0..self._g.lanes {
                self.more_reply[p].data[i].next = 0.into();
                for j in 0..self._g.bytes {
                    self.byte.next = self.more_rams[self._g.bytes * (i + 1) - 1 - j].read_data.val();
                    self.more_reply[p].data[i].next =
                        (self.more_reply[p].data[i].val() << 8) | bit_cast::<32, 8>(self.byte.val());
                }
            }
        }
        self.unused_high.next = 0.into();
        for i in 0..self._g.lanes {
            self.unused_high.next = self.unused_high.val() ^ self.write.data[i].val();
            self.reply.data[i].next = 0.into();
            for j in 0..self._g.bytes {
                self.byte.next = self.rams[self._g.bytes * (i + 1) - 1 - j].read_data.val();
                self.reply.data[i].next = (self.reply.data[i].val() << 8) | bit_cast::<32, 8>(self.byte.val());
            }
        }
        self.reply.valid.next = self.there.q.val();
        self.reply.error.next = self.beyond.q.val();
        self.ack.valid.next = self.written.q.val();
        self.ack.error.next = self.missed.q.val();
    }

    describes!(block: format!("ccs_line_memory_{}x{}_{}", block._g.lanes, 8 * block._g.bytes, 1u64 << block._line_bits),
        "Main memory in block RAM, as wide as a line.",
        [; block._line_bits]);
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
    let _shape = Shape::hold(geometry);
    elaborated(CcsLineMemory::new(lines))
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
