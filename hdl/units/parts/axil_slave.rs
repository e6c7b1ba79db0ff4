//! AXI4-Lite slave: the five channels, as single-cycle writes and reads of 32-bit registers.
//!
//! ```text
//!  AW ─▶ address ┐
//!  W  ─▶ data    ┴─▶ write, with number, data and strobes
//!  B  ◀─ one cycle later
//!  AR ─▶ address ──▶ read, with number ─▶ read_value ─▶ data ─▶ R
//! ```
//!
//! Address and data of a write may come in any order; both are kept, and `write` = 1 from the first cycle with both and
//! without a response that waits to the first of these with `write_ready` = 1. Valid of B follows in the next cycle.
//! `read` = 1 from the cycle after an address was taken, if no read data wait, to the first with `read_ready` = 1;
//! `read_value` is kept then, valid of R follows in the next cycle. Reads and writes do not wait for each other: one of
//! each every two cycles if both are always ready. No valid waits for a ready. Responses are OKAY. Nothing is held
//! after reset.

use crate::kernel::prelude::*;
use crate::parts::bundles::AxilSlavePort;

hdl_block! {
    /// A slave with `A` bits of address, and `N` = `A` - 2 bits of a register's number.
    pub AxilSlaveOf<const A: usize, const N: usize> {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<A>>; /// Registers, as seen by their master.
        Out write: Bit; /// A register is written.
        Out write_number: Bits<N>; /// Which one.
        Out write_data: Bits<32>; /// What.
        Out write_strobes: Bits<4>; /// Which bytes.
        In write_ready: Bit; /// The write can be done.
        Out read: Bit; /// A register is read.
        Out read_number: Bits<N>; /// Which one.
        In read_value: Bits<32>; /// Its value.
        In read_ready: Bit; /// It is there.
    } inside {
        Register address_held: Bit; // A write address is here.
        Pipe address: Bits<N>; // The number of its register.
        Register data_held: Bit; // Write data are here.
        Pipe data: Bits<32>; // The data.
        Pipe strobes: Bits<4>; // Their strobes.
        Register written, read_held: Bit; // A write response is offered. A read address is here.
        Pipe read_address: Bits<N>; // The number of its register.
        Register read_valid: Bit; // Read data are offered.
        Pipe read_data: Bits<32>; // The data.
        Local writes, reads: Bit;
        Local unused_address: Bits<2>;
    }
}

impl<const A: usize, const N: usize> Logic for AxilSlaveOf<A, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, address_held, address, data_held, data, strobes, written);
        dff_setup!(self, clock, read_held, read_address, read_valid, read_data);
        self.s_axil.awready.next = !self.address_held.q.val();
        self.s_axil.wready.next = !self.data_held.q.val();
        self.s_axil.bvalid.next = self.written.q.val();
        self.s_axil.bresp.next = 0.into();
        self.s_axil.arready.next = !self.read_held.q.val();
        self.s_axil.rvalid.next = self.read_valid.q.val();
        self.s_axil.rdata.next = self.read_data.q.val();
        self.s_axil.rresp.next = 0.into();
        self.unused_address.next =
            self.s_axil.awaddr.val().get_bits::<2>(0) ^ self.s_axil.araddr.val().get_bits::<2>(0);
        // Writes.
        self.writes.next = self.address_held.q.val() & self.data_held.q.val() & !self.written.q.val();
        self.write.next = self.writes.val();
        self.write_number.next = self.address.q.val();
        self.write_data.next = self.data.q.val();
        self.write_strobes.next = self.strobes.q.val();
        if !self.address_held.q.val() {
            self.address_held.d.next = self.s_axil.awvalid.val();
            self.address.d.next = self.s_axil.awaddr.val().get_bits::<N>(2);
        }
        if !self.data_held.q.val() {
            self.data_held.d.next = self.s_axil.wvalid.val();
            self.data.d.next = self.s_axil.wdata.val();
            self.strobes.d.next = self.s_axil.wstrb.val();
        }
        if self.written.q.val() & self.s_axil.bready.val() {
            self.written.d.next = false;
        }
        if self.writes.val() & self.write_ready.val() {
            self.address_held.d.next = false;
            self.data_held.d.next = false;
            self.written.d.next = true;
        }
        // Reads.
        self.reads.next = self.read_held.q.val() & !self.read_valid.q.val();
        self.read.next = self.reads.val();
        self.read_number.next = self.read_address.q.val();
        if !self.read_held.q.val() {
            self.read_held.d.next = self.s_axil.arvalid.val();
            self.read_address.d.next = self.s_axil.araddr.val().get_bits::<N>(2);
        }
        if self.read_valid.q.val() & self.s_axil.rready.val() {
            self.read_valid.d.next = false;
        }
        if self.reads.val() & self.read_ready.val() {
            self.read_held.d.next = false;
            self.read_valid.d.next = true;
            self.read_data.d.next = self.read_value.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(format!("axil_slave_{A}"), "AXI4-Lite channels to single-cycle writes and reads.", constants![])
    }
}
