//! Model of the AXI4-Lite slave with addresses of any width, that may let writes and reads wait, for masters that take
//! every answer at once.

/// What a master shows in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Master {
    /// A write address.
    pub write_address: Option<u32>,
    /// Write data.
    pub write_data: Option<u32>,
    /// A read address.
    pub read_address: Option<u32>,
    /// What is on the wires of addresses and data, valid or not.
    pub wires: [u32; 3],
}

/// What a slave shows in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
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

/// The slave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slave {
    /// A write address is here; its word.
    pub address: (bool, u32),
    /// Write data are here.
    pub data: (bool, u32),
    /// A write response is offered.
    pub written: bool,
    /// A read address is here; its word.
    pub read_address: (bool, u32),
    /// Read data are offered.
    pub read_data: (bool, u32),
    mask: u32,
}

impl Slave {
    /// A slave after reset, with so many bits of address.
    pub fn new(address_bits: usize) -> Slave {
        let nothing = (false, 0);
        Slave {
            address: nothing,
            data: nothing,
            written: false,
            read_address: nothing,
            read_data: nothing,
            mask: (1 << (address_bits - 2)) - 1,
        }
    }

    /// What the slave shows.
    pub fn answers(&self) -> Answers {
        Answers {
            write_address_ready: !self.address.0,
            write_data_ready: !self.data.0,
            response: self.written.then_some(0),
            read_address_ready: !self.read_address.0,
            data: self.read_data.0.then_some((self.read_data.1, 0)),
        }
    }

    /// The write that waits: word and data.
    pub fn write(&self) -> Option<(u32, u32)> {
        (self.address.0 && self.data.0 && !self.written).then_some((self.address.1, self.data.1))
    }

    /// The word whose read waits.
    pub fn read(&self) -> Option<u32> {
        (self.read_address.0 && !self.read_data.0).then_some(self.read_address.1)
    }

    /// One clock edge: whether the write is done, and what is read if the read is.
    pub fn step(&mut self, master: &Master, done: bool, read: Option<u32>) {
        let (write, reads) = (self.write().is_some() && done, self.read().and(read));
        let number = |address: u32| address >> 2 & self.mask;
        let taken = |held: (bool, u32), offered: bool, value: u32| if held.0 { held } else { (offered, value) };
        self.address = taken(self.address, master.write_address.is_some(), number(master.wires[0]));
        self.data = taken(self.data, master.write_data.is_some(), master.wires[1]);
        self.read_address = taken(self.read_address, master.read_address.is_some(), number(master.wires[2]));
        self.written = write;
        if write {
            (self.address.0, self.data.0) = (false, false);
        }
        self.read_data.0 = reads.is_some();
        if let Some(value) = reads {
            self.read_data.1 = value;
            self.read_address.0 = false;
        }
    }
}

state! {
    Slave(self) {
        address_held = self.address.0;
        address = self.address.1;
        data_held = self.data.0;
        data = self.data.1;
        // All bytes, always.
        strobes = 15u8;
        written = self.written;
        read_held = self.read_address.0;
        read_address = self.read_address.1;
        read_valid = self.read_data.0;
        read_data = self.read_data.1;
    }
}
