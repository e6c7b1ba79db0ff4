//! The wires of the bus of memory, which the AXI4 adapter of the cache compute system has too.

use super::core::{MemoryInputs, MemoryOutputs};
use super::writer::Bytes;

/// The bus of memory: what comes in over it.
#[derive(Clone, Copy, Debug)]
pub struct MasterInputs<'a>(pub &'a MemoryInputs);

/// The bus of memory: what goes out over it.
#[derive(Clone, Copy, Debug)]
pub struct MasterOutputs<'a>(pub &'a MemoryOutputs);

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

    MasterOutputs<'_>(self) {
        let bus = self.0;
        arvalid = bus.read_address.is_some();
        araddr = bus.read_address.map(|read| read.0);
        arlen = bus.read_address.map(|read| read.1 - 1);
        arburst = 1u8;
        rready = bus.read_data_ready;
        awvalid = bus.write_address.is_some();
        awaddr = bus.write_address.map(|write| write.0);
        awlen = bus.write_address.map(|write| write.1 - 1);
        awburst = 1u8;
        wvalid = bus.write_data.is_some();
        when (let Some((chunks, last)) = &bus.write_data) {
            wdata = Bytes::data(chunks);
            wstrb = Bytes::strobes(chunks);
            wlast = *last;
        }
        bready = true;
    }
}
