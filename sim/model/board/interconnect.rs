//! Model of the interconnect. A write and a read are under way at a time: an address that was taken reaches its slave
//! two cycles later, with the data if they are there; the slave's response reaches the master a cycle late.

use crate::axil_slave::{Answer, Offer};
use bitline_units::array::registers::ADDRESS_BITS;
use bitline_units::ccs::registers::SPAN;
use bitline_units::duality::registers::ADDRESS_BITS as DUALITY_ADDRESS_BITS;
use bitline_units::system::SystemParams;
use bitline_units::system::protocol::{
    ARRAY_BASE, ARRAY_MEMORY_BASE, BOARD_BASE, CCS_BASE, CCS_MEMORY_BASE, DUALITY_BASE, DUALITY_MEMORY_BASE,
};
use bitline_units::system::registers::ADDRESS_BITS as BOARD_ADDRESS_BITS;

/// DECERR.
const NOTHING: u8 = 3;

/// The interconnect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interconnect {
    /// A write address that is here, and whether it has been for a cycle.
    pub write_address: Option<(u32, bool)>,
    /// Write data that are here, and whether they went to a slave.
    pub data: Option<(u32, bool)>,
    /// A write response on offer.
    pub written: Option<u8>,
    /// A read address that is here, and whether it has been for a cycle.
    pub read_address: Option<(u32, bool)>,
    /// Read data on offer, with their response.
    pub read: Option<(u32, u8)>,
    /// Offered to each slave: write address, write data, read address.
    pub offers: Vec<[bool; 3]>,
    parts: Vec<(u32, u64, usize)>,
}

impl Interconnect {
    /// The interconnect of a system after reset. A Duality Cache has slaves 4 and 5.
    pub fn new(params: &SystemParams) -> Interconnect {
        let mut parts = vec![
            (BOARD_BASE, 1 << BOARD_ADDRESS_BITS, 0),
            (ARRAY_BASE, 1 << ADDRESS_BITS, 1),
            (ARRAY_MEMORY_BASE, 1 << params.array_memory_bits(), 2),
            (CCS_MEMORY_BASE, 1 << params.ccs_memory_bits(), 3),
            (CCS_BASE, SPAN, 3),
        ];
        if let Some(bits) = params.duality_memory_bits() {
            parts.push((DUALITY_BASE, 1 << DUALITY_ADDRESS_BITS, 4));
            parts.push((DUALITY_MEMORY_BASE, 1 << bits, 5));
        }
        let slaves = parts.iter().map(|part| part.2 + 1).max().unwrap_or(0);
        Interconnect { parts, offers: vec![[false; 3]; slaves], ..Interconnect::default() }
    }

    /// The slave at an address.
    pub fn part(&self, address: u32) -> Option<usize> {
        let inside = |part: &&(u32, u64, usize)| address >= part.0 && u64::from(address - part.0) < part.1;
        self.parts.iter().find(inside).map(|part| part.2)
    }

    /// What the master sees.
    pub fn answers(&self) -> Answer {
        Answer {
            write_address_ready: self.write_address.is_none(),
            write_data_ready: self.data.is_none(),
            response: self.written,
            read_address_ready: self.read_address.is_none(),
            data: self.read,
        }
    }

    /// What a slave sees.
    pub fn master(&self, slave: usize) -> Offer {
        let [address, data, read] = self.offers[slave];
        Offer {
            write_address: self.write_address.filter(|_| address).map(|held| held.0),
            write_data: self.data.filter(|_| data).map(|held| (held.0, 15)),
            take_response: true,
            read_address: self.read_address.filter(|_| read).map(|held| held.0),
            take_data: true,
        }
    }

    /// One clock edge: what the master and every slave show.
    pub fn step(&mut self, master: &Offer, slaves: &[Answer]) {
        for (offers, slave) in self.offers.iter_mut().zip(slaves) {
            let ready = [slave.write_address_ready, slave.write_data_ready, slave.read_address_ready];
            offers.iter_mut().zip(ready).for_each(|(offer, ready)| *offer &= !ready);
        }
        // Writes.
        let ended = self.written.is_some();
        let mut written = slaves.iter().find_map(|slave| slave.response);
        match &mut self.write_address {
            None => self.write_address = master.write_address.map(|address| (address, false)),
            Some((address, known)) => {
                let address = *address;
                let fresh = !std::mem::replace(known, true);
                let part = self.part(address);
                if let (true, Some(slave)) = (fresh, part) {
                    self.offers[slave][0] = true;
                }
                if let (false, Some((_, sent @ false))) = (fresh, &mut self.data) {
                    *sent = true;
                    match part {
                        Some(slave) => self.offers[slave][1] = true,
                        None => written = Some(NOTHING),
                    }
                }
            }
        }
        self.data = self.data.or(master.write_data.map(|data| (data.0, false)));
        self.written = written;
        if ended {
            (self.write_address, self.data) = (None, None);
        }
        // Reads.
        let ended = self.read.is_some();
        let mut read = slaves.iter().find_map(|slave| slave.data);
        match &mut self.read_address {
            None => self.read_address = master.read_address.map(|address| (address, false)),
            Some((address, known)) => {
                let address = *address;
                if !std::mem::replace(known, true) {
                    match self.part(address) {
                        Some(slave) => self.offers[slave][2] = true,
                        None => read = Some((0, NOTHING)),
                    }
                }
            }
        }
        self.read = read;
        if ended {
            self.read_address = None;
        }
    }
}

state! {
    Interconnect(self) {
        write_held = self.write_address.is_some();
        write_address = self.write_address.map(|held| held.0);
        data_held = self.data.is_some();
        data = self.data.map(|held| held.0);
        data_sent = self.data.is_some_and(|held| held.1);
        written = self.written.is_some();
        write_response = self.written;
        read_held = self.read_address.is_some();
        read_address = self.read_address.map(|held| held.0);
        read = self.read.is_some();
        read_data = self.read.map(|read| read.0);
        read_response = self.read.map(|read| read.1);
        aw_valid[] = self.offers.iter().map(|offers| offers[0]);
        w_valid[] = self.offers.iter().map(|offers| offers[1]);
        ar_valid[] = self.offers.iter().map(|offers| offers[2]);
    }
}
