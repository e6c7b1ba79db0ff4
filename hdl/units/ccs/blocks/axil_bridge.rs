//! AXI4-Lite slave of the cache compute system: accesses of 32-bit addresses, one at a time.
//!
//! ```text
//!  AW ─▶ address ┐
//!  W  ─▶ data    ┴─▶ write ─┐
//!  B  ◀─ taken              ├─▶ cpu_valid … ─▶ processor's side
//!  AR ─▶ address ────▶ read ┘        │
//!  R  ◀─ data ◀──────────────────────┴── cpu_reply
//! ```
//!
//! Address and data of a write may come in any order; both are kept. An access is asked for in the cycle after its last
//! part came, and stays until it is taken. A write goes before a read that waits, but not before one that is asked for
//! already, and not before its reply. Writes are posted: valid of B follows in the cycle after the write was taken,
//! always OKAY. Valid of R follows in the cycle after `cpu_reply`: SLVERR with `cpu_reply_error`, else OKAY. A read is
//! asked for once the data of the one before are taken. Nothing is held after reset.

use crate::ccs::blocks::bundles::CpuMaster;
use crate::ccs::blocks::types::describes;
use crate::kernel::prelude::*;
use crate::parts::bundles::AxilSlavePort;

/// Response of a read whose memory failed.
const SLAVE_ERROR: u64 = 2;

hdl_block! {
    /// The block.
    pub CcsAxilBridge {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<32>>; /// Registers, as seen by their master.
        Bus cpu: CpuMaster; /// The processor's accesses.
    } inside {
        Register address_held: Bit; // A write address is here.
        Pipe address: Bits<32>; // The address.
        Register data_held: Bit; // Write data are here.
        Pipe data: Bits<32>; // The data.
        Pipe strobes: Bits<4>; // Their strobes.
        Register written, read_held: Bit; // A write response is offered. A read address is here.
        Pipe read_address: Bits<32>; // The address.
        Register read_asked: Bit; // The read was asked for and not taken: it stays.
        Register reading, read_valid: Bit; // It was taken; its reply is to come. Read data are offered.
        Pipe read_data: Bits<32>; // The data.
        Pipe read_failed: Bit; // They mean nothing: memory failed.
        Local writes, reads: Bit;
    }
}

impl Logic for CcsAxilBridge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, address_held, address, data_held, data, strobes, written, read_held);
        dff_setup!(self, clock, read_address, read_asked, reading, read_valid, read_data, read_failed);
        self.s_axil.awready.next = !self.address_held.q.val();
        self.s_axil.wready.next = !self.data_held.q.val();
        self.s_axil.bvalid.next = self.written.q.val();
        self.s_axil.bresp.next = 0.into();
        self.s_axil.arready.next = !self.read_held.q.val();
        self.s_axil.rvalid.next = self.read_valid.q.val();
        self.s_axil.rdata.next = self.read_data.q.val();
        self.s_axil.rresp.next = 0.into();
        if self.read_failed.q.val() {
            self.s_axil.rresp.next = SLAVE_ERROR.into();
        }
        // Accesses.
        self.writes.next = self.address_held.q.val()
            & self.data_held.q.val()
            & !self.written.q.val()
            & !self.read_asked.q.val()
            & !self.reading.q.val();
        self.reads.next =
            self.read_held.q.val() & !self.read_valid.q.val() & !self.reading.q.val() & !self.writes.val();
        self.cpu.valid.next = self.writes.val() | self.reads.val();
        self.cpu.write.next = self.writes.val();
        self.cpu.address.next = self.read_address.q.val();
        if self.writes.val() {
            self.cpu.address.next = self.address.q.val();
        }
        self.cpu.data.next = self.data.q.val();
        self.cpu.strobes.next = self.strobes.q.val();
        // Writes.
        if !self.address_held.q.val() {
            self.address_held.d.next = self.s_axil.awvalid.val();
            self.address.d.next = self.s_axil.awaddr.val();
        }
        if !self.data_held.q.val() {
            self.data_held.d.next = self.s_axil.wvalid.val();
            self.data.d.next = self.s_axil.wdata.val();
            self.strobes.d.next = self.s_axil.wstrb.val();
        }
        if self.written.q.val() & self.s_axil.bready.val() {
            self.written.d.next = false;
        }
        if self.writes.val() & self.cpu.ready.val() {
            self.address_held.d.next = false;
            self.data_held.d.next = false;
            self.written.d.next = true;
        }
        // Reads.
        if !self.read_held.q.val() {
            self.read_held.d.next = self.s_axil.arvalid.val();
            self.read_address.d.next = self.s_axil.araddr.val();
        }
        if self.read_valid.q.val() & self.s_axil.rready.val() {
            self.read_valid.d.next = false;
        }
        self.read_asked.d.next = self.reads.val() & !self.cpu.ready.val();
        if self.reads.val() & self.cpu.ready.val() {
            self.read_held.d.next = false;
            self.reading.d.next = true;
        }
        if self.cpu.reply.val() {
            self.reading.d.next = false;
            self.read_valid.d.next = true;
            self.read_data.d.next = self.cpu.reply_data.val();
            self.read_failed.d.next = self.cpu.reply_error.val();
        }
    }

    describes!("ccs_axil_bridge", "AXI4-Lite channels to accesses, one at a time.", [SLAVE_ERROR]);
}
