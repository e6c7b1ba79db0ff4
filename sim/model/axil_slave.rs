//! Model of the AXI4-Lite slave.

/// What the master shows in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// A write address.
    pub write_address: Option<u8>,
    /// Write data and strobes.
    pub write_data: Option<(u32, u8)>,
    /// A write response would be taken.
    pub take_response: bool,
    /// A read address.
    pub read_address: Option<u8>,
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
    /// A write response is offered.
    pub response: bool,
    /// A read address is taken if offered.
    pub read_address_ready: bool,
    /// Read data are offered.
    pub data: Option<u32>,
}

/// A write of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The register's offset in words.
    pub number: u8,
    /// Data.
    pub data: u32,
    /// Bytes that take them.
    pub strobes: u8,
}

/// State of the slave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AxilSlave {
    /// Number of the register of a write address that is here.
    pub address: Option<u8>,
    /// Write data and strobes that are here.
    pub data: Option<(u32, u8)>,
    /// A write response is offered.
    pub written: bool,
    /// Number of the register of a read address that is here.
    pub read_address: Option<u8>,
    /// Read data on offer.
    pub read_data: Option<u32>,
}

impl AxilSlave {
    /// What the slave shows.
    pub fn answer(&self) -> Answer {
        Answer {
            write_address_ready: self.address.is_none(),
            write_data_ready: self.data.is_none(),
            response: self.written,
            read_address_ready: self.read_address.is_none(),
            data: self.read_data,
        }
    }

    /// The write that takes effect in this cycle.
    pub fn write(&self) -> Option<Write> {
        let (number, (data, strobes)) = (self.address?, self.data?);
        (!self.written).then_some(Write { number, data, strobes })
    }

    /// The register that is read in this cycle.
    pub fn read(&self) -> Option<u8> {
        self.read_address.filter(|_| self.read_data.is_none())
    }

    /// One clock edge; `value` is that of the register that is read.
    pub fn step(&mut self, offer: &Offer, value: u32) {
        let (write, read) = (self.write().is_some(), self.read().is_some());
        self.address = if write { None } else { self.address.or(offer.write_address.map(|a| a >> 2)) };
        self.data = if write { None } else { self.data.or(offer.write_data) };
        self.written = write || (self.written && !offer.take_response);
        self.read_data = if read { Some(value) } else { self.read_data.filter(|_| !offer.take_data) };
        self.read_address = if read { None } else { self.read_address.or(offer.read_address.map(|a| a >> 2)) };
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
        bvalid = self.response;
        bresp = 0u8;
        arready = self.read_address_ready;
        rvalid = self.data.is_some();
        rdata = self.data;
        rresp = 0u8;
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
