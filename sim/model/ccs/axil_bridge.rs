//! Model of the AXI4-Lite slave of the cache compute system.

use super::processor::CpuAccess;
use crate::axil_slave::{Answer, Offer};

/// The slave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AxilBridge {
    /// A write address that is here.
    pub address: Option<u32>,
    /// Write data and strobes that are here.
    pub data: Option<(u32, u8)>,
    /// A write response is offered.
    pub written: bool,
    /// A read address that is here.
    pub read_address: Option<u32>,
    /// Its read was asked for and not taken.
    pub read_asked: bool,
    /// A read was taken; its reply is to come.
    pub reading: bool,
    /// Read data on offer, and whether memory has failed.
    pub read_data: Option<(u32, bool)>,
}

impl AxilBridge {
    /// What the slave shows.
    pub fn answer(&self) -> Answer {
        Answer {
            write_address_ready: self.address.is_none(),
            write_data_ready: self.data.is_none(),
            response: self.written.then_some(0),
            read_address_ready: self.read_address.is_none(),
            // SLVERR where memory has failed.
            data: self.read_data.map(|(data, failed)| (data, if failed { 2 } else { 0 })),
        }
    }

    /// The access that is asked for. A write waits for the response before it to be taken, a read for the data.
    pub fn access(&self) -> Option<CpuAccess> {
        if self.reading {
            return None;
        }
        if let (Some(address), Some(data), false, false) = (self.address, self.data, self.written, self.read_asked) {
            return Some(CpuAccess { address, data, write: true });
        }
        let address = self.read_address.filter(|_| self.read_data.is_none())?;
        Some(CpuAccess { address, data: (0, 0), write: false })
    }

    /// One clock edge; `ready`: the access is taken, `reply`: what was read is there, and whether memory has failed.
    pub fn step(&mut self, offer: &Offer, ready: bool, reply: Option<(u32, bool)>) {
        let access = self.access();
        let taken = access.filter(|_| ready);
        let (writes, reads) = (taken.is_some_and(|a| a.write), taken.is_some_and(|a| !a.write));
        self.address = if writes { None } else { self.address.or(offer.write_address) };
        self.data = if writes { None } else { self.data.or(offer.write_data) };
        self.written = writes || self.written && !offer.take_response;
        self.read_address = if reads { None } else { self.read_address.or(offer.read_address) };
        self.read_asked = access.is_some_and(|a| !a.write) && !reads;
        self.reading = (self.reading || reads) && reply.is_none();
        self.read_data = reply.or(self.read_data.filter(|_| !offer.take_data));
    }

    /// Reset.
    pub fn reset(&mut self) {
        *self = AxilBridge::default();
    }
}

state! {
    AxilBridge(self) {
        address_held = self.address.is_some();
        address = self.address;
        data_held = self.data.is_some();
        data = self.data.map(|data| data.0);
        strobes = self.data.map(|data| data.1);
        self => written, read_asked, reading;
        read_held = self.read_address.is_some();
        read_address = self.read_address;
        read_valid = self.read_data.is_some();
        read_data = self.read_data.map(|data| data.0);
        read_failed = self.read_data.map(|data| data.1);
    }
}
