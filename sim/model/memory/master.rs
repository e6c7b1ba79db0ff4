//! The wires of the bus of memory, which the AXI4 adapter of the cache compute system has too.

use super::core::{MemoryInputs, MemoryOutputs};
use super::writer::Bytes;

/// The bus of memory: what comes in over it.
#[derive(Clone, Copy, Debug)]
pub struct MasterInputs<'a>(pub &'a MemoryInputs);

/// What never changes of what goes out over it.
#[derive(Clone, Copy, Debug)]
pub struct MasterConstants;

seen! {
    /// The bus of memory: what goes out over it.
    MasterSeen {
        /// A read address is offered.
        arvalid: bool = "arvalid";
        /// Address of the burst's first beat.
        araddr: u64 = "araddr";
        /// Its beats less one.
        arlen: u8 = "arlen";
        /// Read data are taken if offered.
        rready: bool = "rready";
        /// A write address is offered.
        awvalid: bool = "awvalid";
        /// Address of the burst's first beat.
        awaddr: u64 = "awaddr";
        /// Its beats less one.
        awlen: u8 = "awlen";
        /// Write data are offered.
        wvalid: bool = "wvalid";
        /// The data.
        wdata: Vec<u64> = "wdata";
        /// Bytes of them that count.
        wstrb: u64 = "wstrb";
        /// They are the burst's last.
        wlast: bool = "wlast";
    }
}

impl MasterSeen {
    /// Write data with their strobes.
    pub fn words(&self) -> Vec<Bytes> {
        let word = |(k, &data)| Bytes { data, strobes: (self.wstrb >> (8 * k)) as u8 };
        self.wdata.iter().enumerate().map(word).collect()
    }

    /// What a memory gets to see.
    pub fn outputs(&self) -> MemoryOutputs {
        MemoryOutputs {
            read_address: self.arvalid.then_some((self.araddr, u16::from(self.arlen) + 1)),
            read_data_ready: self.rready,
            write_address: self.awvalid.then_some((self.awaddr, u16::from(self.awlen) + 1)),
            write_data: self.wvalid.then(|| (self.words(), self.wlast)),
            ..MemoryOutputs::default()
        }
    }
}

state! {
    MasterInputs<'_>(self) {
        let bus = self.0;
        arready = bus.read_address_ready;
        rvalid = bus.read_data.is_some();
        rdata = bus.read_data.as_ref().map(|read| &read.0);
        rresp = bus.read_data.as_ref().map(|read| read.1);
        awready = bus.write_address_ready;
        wready = bus.write_data_ready;
        bvalid = bus.response.is_some();
        bresp = bus.response;
    }

    MasterConstants(self) {
        arburst = 1u8;
        awburst = 1u8;
        bready = true;
    }
}
