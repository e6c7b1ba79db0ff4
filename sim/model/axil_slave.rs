//! Model of the AXI4-Lite slave, and of the wires between it and its master.

use crate::seen::{Source, Tap};
use crate::state::Path;

/// What the master shows in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// A write address.
    pub write_address: Option<u32>,
    /// Write data and strobes.
    pub write_data: Option<(u32, u8)>,
    /// A write response would be taken.
    pub take_response: bool,
    /// A read address.
    pub read_address: Option<u32>,
    /// Read data would be taken.
    pub take_data: bool,
}

/// What the slave shows in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// A write address is taken if offered.
    pub write_address_ready: bool,
    /// Write data are taken if offered.
    pub write_data_ready: bool,
    /// A write response.
    pub response: Option<u8>,
    /// A read address is taken if offered.
    pub read_address_ready: bool,
    /// Read data with their response.
    pub data: Option<(u32, u8)>,
}

impl Tap for Answer {
    fn tap(&mut self, at: &Path<'_>, from: &mut dyn Source) {
        let names = ["awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp"];
        let [aw, w, b, written, ar, r, data, read] = names.map(|name| from.low(&at.prefix(name)));
        *self = Answer {
            write_address_ready: aw == 1,
            write_data_ready: w == 1,
            response: (b == 1).then_some(written as u8),
            read_address_ready: ar == 1,
            data: (r == 1).then_some((data as u32, read as u8)),
        };
    }
}

/// A write of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The register's offset in words.
    pub number: u32,
    /// Data.
    pub data: u32,
    /// Bytes that take them.
    pub strobes: u8,
}

/// State of the slave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxilSlave {
    /// Bits of an address that count.
    mask: u32,
    /// Number of the register of a write address that is here.
    pub address: Option<u32>,
    /// Write data and strobes that are here.
    pub data: Option<(u32, u8)>,
    /// A write response is offered.
    pub written: bool,
    /// Number of the register of a read address that is here.
    pub read_address: Option<u32>,
    /// Read data on offer.
    pub read_data: Option<u32>,
}

impl AxilSlave {
    /// A slave after reset, with so many bits of address.
    pub fn new(address_bits: usize) -> AxilSlave {
        let mask = (1 << address_bits) - 1;
        AxilSlave { mask, address: None, data: None, written: false, read_address: None, read_data: None }
    }

    /// What the slave shows.
    pub fn answer(&self) -> Answer {
        Answer {
            write_address_ready: self.address.is_none(),
            write_data_ready: self.data.is_none(),
            response: self.written.then_some(0),
            read_address_ready: self.read_address.is_none(),
            data: self.read_data.map(|data| (data, 0)),
        }
    }

    /// The write that is to take effect.
    pub fn write(&self) -> Option<Write> {
        let (number, (data, strobes)) = (self.address?, self.data?);
        (!self.written).then_some(Write { number, data, strobes })
    }

    /// The register that is to be read.
    pub fn read(&self) -> Option<u32> {
        self.read_address.filter(|_| self.read_data.is_none())
    }

    /// One clock edge: whether the write takes effect, and the value that is read, if it is there.
    pub fn step(&mut self, offer: &Offer, done: bool, value: Option<u32>) {
        let (write, value) = (self.write().is_some() && done, value.filter(|_| self.read().is_some()));
        let number = |address: u32| (address & self.mask) >> 2;
        self.address = if write { None } else { self.address.or(offer.write_address.map(number)) };
        self.data = if write { None } else { self.data.or(offer.write_data) };
        self.written = write || (self.written && !offer.take_response);
        self.read_address = self.read_address.or(offer.read_address.map(number)).filter(|_| value.is_none());
        self.read_data = value.or(self.read_data.filter(|_| !offer.take_data));
    }
}

state! {
    Offer(self) {
        awvalid = self.write_address.is_some();
        awaddr = self.write_address;
        wvalid = self.write_data.is_some();
        wdata = self.write_data.map(|data| data.0);
        wstrb = self.write_data.map(|data| data.1);
        bready = self.take_response;
        arvalid = self.read_address.is_some();
        araddr = self.read_address;
        rready = self.take_data;
    }

    Answer(self) {
        awready = self.write_address_ready;
        wready = self.write_data_ready;
        bvalid = self.response.is_some();
        bresp = self.response;
        arready = self.read_address_ready;
        rvalid = self.data.is_some();
        rdata = self.data.map(|data| data.0);
        rresp = self.data.map(|data| data.1);
    }

    AxilSlave(self) {
        address_held = self.address.is_some();
        address = self.address;
        data_held = self.data.is_some();
        data = self.data.map(|data| data.0);
        strobes = self.data.map(|data| data.1);
        written = self.written;
        read_held = self.read_address.is_some();
        read_address = self.read_address;
        read_valid = self.read_data.is_some();
        read_data = self.read_data;
    }
}
