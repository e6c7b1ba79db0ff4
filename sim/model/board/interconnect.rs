//! Model of the interconnect.

use super::slave::{Answers, Master};
use bitline_units::array::registers::ADDRESS_BITS;
use bitline_units::ccs::registers::SPAN;
use bitline_units::system::protocol::{ARRAY_BASE, ARRAY_MEMORY_BASE, BOARD_BASE, CCS_BASE, CCS_MEMORY_BASE};
use bitline_units::system::registers::ADDRESS_BITS as BOARD_ADDRESS_BITS;

/// Slaves.
pub const SLAVES: usize = 4;
/// DECERR.
const NOTHING: u8 = 3;

/// The interconnect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interconnect {
    /// A write address is here.
    pub write_address: (bool, u32),
    /// Where it goes is known; where that is.
    pub write_part: (bool, Option<usize>),
    /// Write data are here.
    pub data: (bool, u32),
    /// They were offered.
    pub data_sent: bool,
    /// A write response is offered.
    pub written: (bool, u8),
    /// A read address is here.
    pub read_address: (bool, u32),
    /// Where it goes is known.
    pub read_known: bool,
    /// Read data are offered, with their response.
    pub read: (bool, u32, u8),
    /// Offered to each slave: write address, write data, read address.
    pub offers: [[bool; 3]; SLAVES],
    parts: Vec<(u32, u64, usize)>,
}

impl Interconnect {
    /// An interconnect after reset, for memories of so many bytes, as powers of two.
    pub fn new(array_memory_bits: usize, ccs_memory_bits: usize) -> Interconnect {
        Interconnect {
            write_address: (false, 0),
            write_part: (false, None),
            data: (false, 0),
            data_sent: false,
            written: (false, 0),
            read_address: (false, 0),
            read_known: false,
            read: (false, 0, 0),
            offers: [[false; 3]; SLAVES],
            parts: vec![
                (BOARD_BASE, 1 << BOARD_ADDRESS_BITS, 0),
                (ARRAY_BASE, 1 << ADDRESS_BITS, 1),
                (ARRAY_MEMORY_BASE, 1 << array_memory_bits, 2),
                (CCS_MEMORY_BASE, 1 << ccs_memory_bits, 3),
                (CCS_BASE, SPAN, 3),
            ],
        }
    }

    /// The slave at an address.
    pub fn part(&self, address: u32) -> Option<usize> {
        let inside = |part: &&(u32, u64, usize)| address >= part.0 && u64::from(address - part.0) < part.1;
        self.parts.iter().find(inside).map(|part| part.2)
    }

    /// What the master sees.
    pub fn answers(&self) -> Answers {
        Answers {
            write_address_ready: !self.write_address.0,
            write_data_ready: !self.data.0,
            response: self.written.0.then_some(self.written.1),
            read_address_ready: !self.read_address.0,
            data: self.read.0.then_some((self.read.1, self.read.2)),
        }
    }

    /// What a slave sees.
    pub fn master(&self, slave: usize) -> Master {
        let [address, data, read] = self.offers[slave];
        Master {
            write_address: address.then_some(self.write_address.1),
            write_data: data.then_some(self.data.1),
            read_address: read.then_some(self.read_address.1),
            wires: [self.write_address.1, self.data.1, self.read_address.1],
        }
    }

    /// One clock edge: what the master and every slave show.
    pub fn step(&mut self, master: &Master, slaves: &[Answers; SLAVES]) {
        for (offers, slave) in self.offers.iter_mut().zip(slaves) {
            let ready = [slave.write_address_ready, slave.write_data_ready, slave.read_address_ready];
            offers.iter_mut().zip(ready).for_each(|(offer, ready)| *offer &= !ready);
        }
        let before = self.clone();
        // Writes.
        if !before.write_address.0 {
            self.write_address = (master.write_address.is_some(), master.wires[0]);
        }
        if !before.data.0 {
            self.data = (master.write_data.is_some(), master.wires[1]);
        }
        let part = self.part(before.write_address.1);
        self.write_part = (before.write_address.0, part);
        if let Some(slave) = part.filter(|_| before.write_address.0 && !before.write_part.0) {
            self.offers[slave][0] = true;
        }
        if before.write_part.0 && before.data.0 && !before.data_sent {
            self.data_sent = true;
            match before.write_part.1 {
                Some(slave) => self.offers[slave][1] = true,
                None => self.written = (true, NOTHING),
            }
        }
        if let Some(response) = slaves.iter().find_map(|slave| slave.response) {
            self.written = (true, response);
        }
        if before.written.0 {
            self.written.0 = false;
            (self.write_address.0, self.write_part.0, self.data.0, self.data_sent) = (false, false, false, false);
        }
        // Reads.
        if !before.read_address.0 {
            self.read_address = (master.read_address.is_some(), master.wires[2]);
        }
        self.read_known = before.read_address.0;
        if before.read_address.0 && !before.read_known {
            match self.part(before.read_address.1) {
                Some(slave) => self.offers[slave][2] = true,
                None => self.read = (true, 0, NOTHING),
            }
        }
        if let Some((data, response)) = slaves.iter().find_map(|slave| slave.data) {
            self.read = (true, data, response);
        }
        if before.read.0 {
            (self.read.0, self.read_address.0, self.read_known) = (false, false, false);
        }
    }
}

state! {
    Interconnect(self) {
        write_held = self.write_address.0;
        write_address = self.write_address.1;
        write_known = self.write_part.0;
        write_nowhere = self.write_part.1.is_none();
        write_part[] = (0..SLAVES).map(|slave| self.write_part.1 == Some(slave));
        data_held = self.data.0;
        data = self.data.1;
        data_sent = self.data_sent;
        written = self.written.0;
        write_response = self.written.1;
        read_held = self.read_address.0;
        read_address = self.read_address.1;
        read_known = self.read_known;
        read = self.read.0;
        read_data = self.read.1;
        read_response = self.read.2;
        aw_valid[] = self.offers.iter().map(|offers| offers[0]);
        w_valid[] = self.offers.iter().map(|offers| offers[1]);
        ar_valid[] = self.offers.iter().map(|offers| offers[2]);
    }
}
