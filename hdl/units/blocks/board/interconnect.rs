//! Interconnect: one AXI4-Lite master, a slave for each part of the board's address map.
//!
//! ```text
//!  s_axil ─▶ address, data ─▶ part ─▶ m_axil_0 … m_axil_3
//!  s_axil ◀─ response ◀───────┴─ DECERR where there is nothing
//! ```
//!
//! | slave | from | bytes |
//! |---|---|---|
//! | 0, board registers | [`BOARD_BASE`] | 64 |
//! | 1, array's registers | [`ARRAY_BASE`] | 128 |
//! | 2, array's memory | [`ARRAY_MEMORY_BASE`] | that of the memory |
//! | 3, cache compute system | [`CCS_MEMORY_BASE`], [`CCS_BASE`] | that of its memory, 256 |
//!
//! Slaves share address and data, which are registers, and see the whole address; each has its own valids. One write and one read are under way at a time, each from the cycle in which its address
//! is taken to that in which its response is. Timing: address and data of a write, in any order, are taken into registers; in the cycle after the address its part is known, in the one after that a slave
//! sees it; a slave's response reaches the master a cycle late. No valid waits for a ready. Nothing is held after reset.

use crate::ccs::registers::SPAN;
use crate::kernel::prelude::*;
use crate::protocol::{ARRAY_BASE, ARRAY_MEMORY_BASE, BOARD_BASE, CCS_BASE, CCS_MEMORY_BASE};
use crate::registers::ADDRESS_BITS;

use super::board_registers::BOARD_ADDRESS_BITS;

/// Slaves.
pub const SLAVES: usize = 4;
const BOARD_BITS: u64 = BOARD_ADDRESS_BITS as u64;
const BOARD_PART: u64 = (BOARD_BASE >> BOARD_BITS) as u64;
const ARRAY_BITS: u64 = ADDRESS_BITS as u64;
const ARRAY_PART: u64 = (ARRAY_BASE >> ARRAY_BITS) as u64;
const CCS_BITS: u64 = SPAN.ilog2() as u64;
const CCS_PART: u64 = (CCS_BASE >> CCS_BITS) as u64;
/// DECERR.
const NOTHING: u64 = 3;

/// The interconnect.
#[derive(LogicBlock, Default)]
pub struct Interconnect {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Write address.
    pub s_axil_awaddr: Signal<In, Bits<32>>,
    /// It is offered.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// It is taken if offered.
    pub s_axil_awready: Signal<Out, Bit>,
    /// Write data, all bytes of them.
    pub s_axil_wdata: Signal<In, Bits<32>>,
    /// They are offered.
    pub s_axil_wvalid: Signal<In, Bit>,
    /// They are taken if offered.
    pub s_axil_wready: Signal<Out, Bit>,
    /// Write response.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    /// It is offered.
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub s_axil_bready: Signal<In, Bit>,
    /// Read address.
    pub s_axil_araddr: Signal<In, Bits<32>>,
    /// It is offered.
    pub s_axil_arvalid: Signal<In, Bit>,
    /// It is taken if offered.
    pub s_axil_arready: Signal<Out, Bit>,
    /// Read data.
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    /// Read response.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    /// They are offered.
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// They are taken if offered.
    pub s_axil_rready: Signal<In, Bit>,
    /// Write address of all slaves.
    pub m_axil_awaddr: Signal<Out, Bits<32>>,
    /// It is offered to this one.
    pub m_axil_awvalid: Vec<Signal<Out, Bit>>,
    /// It is taken if offered.
    pub m_axil_awready: Vec<Signal<In, Bit>>,
    /// Write data of all slaves.
    pub m_axil_wdata: Signal<Out, Bits<32>>,
    /// They are offered to this one.
    pub m_axil_wvalid: Vec<Signal<Out, Bit>>,
    /// They are taken if offered.
    pub m_axil_wready: Vec<Signal<In, Bit>>,
    /// Write response.
    pub m_axil_bresp: Vec<Signal<In, Bits<2>>>,
    /// It is offered.
    pub m_axil_bvalid: Vec<Signal<In, Bit>>,
    /// It is taken if offered.
    pub m_axil_bready: Vec<Signal<Out, Bit>>,
    /// Read address of all slaves.
    pub m_axil_araddr: Signal<Out, Bits<32>>,
    /// It is offered to this one.
    pub m_axil_arvalid: Vec<Signal<Out, Bit>>,
    /// It is taken if offered.
    pub m_axil_arready: Vec<Signal<In, Bit>>,
    /// Read data.
    pub m_axil_rdata: Vec<Signal<In, Bits<32>>>,
    /// Read response.
    pub m_axil_rresp: Vec<Signal<In, Bits<2>>>,
    /// They are offered.
    pub m_axil_rvalid: Vec<Signal<In, Bit>>,
    /// They are taken if offered.
    pub m_axil_rready: Vec<Signal<Out, Bit>>,
    /// A write address is here.
    pub write_held: Register<Bit>,
    /// The address.
    pub write_address: Pipe<Bits<32>>,
    /// Its slave is known.
    pub write_known: Register<Bit>,
    /// It goes to this one.
    pub write_part: Vec<Pipe<Bit>>,
    /// It goes nowhere.
    pub write_nowhere: Pipe<Bit>,
    /// The address is offered to this slave.
    pub aw_valid: Vec<Register<Bit>>,
    /// Write data are here.
    pub data_held: Register<Bit>,
    /// The data.
    pub data: Pipe<Bits<32>>,
    /// They are offered to this slave.
    pub w_valid: Vec<Register<Bit>>,
    /// They were offered.
    pub data_sent: Register<Bit>,
    /// A write response is offered.
    pub written: Register<Bit>,
    /// It.
    pub write_response: Pipe<Bits<2>>,
    /// A read address is here.
    pub read_held: Register<Bit>,
    /// The address.
    pub read_address: Pipe<Bits<32>>,
    /// Its slave is known.
    pub read_known: Register<Bit>,
    /// The address is offered to this slave.
    pub ar_valid: Vec<Register<Bit>>,
    /// Read data are offered.
    pub read: Register<Bit>,
    /// The data.
    pub read_data: Pipe<Bits<32>>,
    /// Their response.
    pub read_response: Pipe<Bits<2>>,
    writes: [Signal<Local, Bit>; SLAVES],
    reads: [Signal<Local, Bit>; SLAVES],
    write_some: Signal<Local, Bit>,
    read_some: Signal<Local, Bit>,
    _array_memory_bits: u64,
    _array_memory_part: u64,
    _ccs_memory_bits: u64,
    _ccs_memory_part: u64,
}

impl Interconnect {
    /// An interconnect with memories of 2^`array_memory_bits` and 2^`ccs_memory_bits` bytes.
    pub fn new(array_memory_bits: usize, ccs_memory_bits: usize) -> Self {
        let inputs = || (0..SLAVES).map(|_| Signal::default()).collect();
        let outputs = || (0..SLAVES).map(|_| Signal::default()).collect();
        let registers = || (0..SLAVES).map(|_| Register::default()).collect();
        Interconnect {
            m_axil_awvalid: outputs(),
            m_axil_awready: inputs(),
            m_axil_wvalid: outputs(),
            m_axil_wready: inputs(),
            m_axil_bresp: (0..SLAVES).map(|_| Signal::default()).collect(),
            m_axil_bvalid: inputs(),
            m_axil_bready: outputs(),
            m_axil_arvalid: outputs(),
            m_axil_arready: inputs(),
            m_axil_rdata: (0..SLAVES).map(|_| Signal::default()).collect(),
            m_axil_rresp: (0..SLAVES).map(|_| Signal::default()).collect(),
            m_axil_rvalid: inputs(),
            m_axil_rready: outputs(),
            write_part: (0..SLAVES).map(|_| Pipe::default()).collect(),
            aw_valid: registers(),
            w_valid: registers(),
            ar_valid: registers(),
            _array_memory_bits: array_memory_bits as u64,
            _array_memory_part: u64::from(ARRAY_MEMORY_BASE) >> array_memory_bits,
            _ccs_memory_bits: ccs_memory_bits as u64,
            _ccs_memory_part: u64::from(CCS_MEMORY_BASE) >> ccs_memory_bits,
            ..Self::default()
        }
    }
}

impl Logic for Interconnect {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_held, write_address, write_known, write_nowhere, data_held, data, data_sent);
        dff_setup!(self, clock, written, write_response, read_held, read_address, read_known);
        dff_setup!(self, clock, read, read_data, read_response);
        for i in 0..SLAVES {
            self.write_part[i].clock.next = self.clock.val();
            self.aw_valid[i].clock.next = self.clock.val();
            self.aw_valid[i].d.next = self.aw_valid[i].q.val();
            self.w_valid[i].clock.next = self.clock.val();
            self.w_valid[i].d.next = self.w_valid[i].q.val();
            self.ar_valid[i].clock.next = self.clock.val();
            self.ar_valid[i].d.next = self.ar_valid[i].q.val();
            self.m_axil_awvalid[i].next = self.aw_valid[i].q.val();
            self.m_axil_wvalid[i].next = self.w_valid[i].q.val();
            self.m_axil_bready[i].next = true;
            self.m_axil_arvalid[i].next = self.ar_valid[i].q.val();
            self.m_axil_rready[i].next = true;
        }
        self.s_axil_awready.next = !self.write_held.q.val();
        self.s_axil_wready.next = !self.data_held.q.val();
        self.s_axil_bvalid.next = self.written.q.val();
        self.s_axil_bresp.next = self.write_response.q.val();
        self.s_axil_arready.next = !self.read_held.q.val();
        self.s_axil_rvalid.next = self.read.q.val();
        self.s_axil_rdata.next = self.read_data.q.val();
        self.s_axil_rresp.next = self.read_response.q.val();
        self.m_axil_awaddr.next = self.write_address.q.val();
        self.m_axil_wdata.next = self.data.q.val();
        self.m_axil_araddr.next = self.read_address.q.val();
        // Parts.
        self.writes[0].next = (self.write_address.q.val() >> BOARD_BITS) == BOARD_PART;
        self.writes[1].next = (self.write_address.q.val() >> ARRAY_BITS) == ARRAY_PART;
        self.writes[2].next = (self.write_address.q.val() >> self._array_memory_bits) == self._array_memory_part;
        self.writes[3].next = ((self.write_address.q.val() >> self._ccs_memory_bits) == self._ccs_memory_part)
            | ((self.write_address.q.val() >> CCS_BITS) == CCS_PART);
        self.reads[0].next = (self.read_address.q.val() >> BOARD_BITS) == BOARD_PART;
        self.reads[1].next = (self.read_address.q.val() >> ARRAY_BITS) == ARRAY_PART;
        self.reads[2].next = (self.read_address.q.val() >> self._array_memory_bits) == self._array_memory_part;
        self.reads[3].next = ((self.read_address.q.val() >> self._ccs_memory_bits) == self._ccs_memory_part)
            | ((self.read_address.q.val() >> CCS_BITS) == CCS_PART);
        self.write_some.next = false;
        self.read_some.next = false;
        for i in 0..SLAVES {
            self.write_part[i].d.next = self.writes[i].val();
            self.write_some.next = self.write_some.val() | self.writes[i].val();
            self.read_some.next = self.read_some.val() | self.reads[i].val();
        }
        self.write_nowhere.d.next = !self.write_some.val();
        // Writes.
        for i in 0..SLAVES {
            if self.m_axil_awready[i].val() {
                self.aw_valid[i].d.next = false;
            }
            if self.m_axil_wready[i].val() {
                self.w_valid[i].d.next = false;
            }
        }
        if !self.write_held.q.val() {
            self.write_held.d.next = self.s_axil_awvalid.val();
            self.write_address.d.next = self.s_axil_awaddr.val();
        }
        if !self.data_held.q.val() {
            self.data_held.d.next = self.s_axil_wvalid.val();
            self.data.d.next = self.s_axil_wdata.val();
        }
        self.write_known.d.next = self.write_held.q.val();
        if self.write_held.q.val() & !self.write_known.q.val() {
            for i in 0..SLAVES {
                self.aw_valid[i].d.next = self.writes[i].val();
            }
        }
        if self.write_known.q.val() & self.data_held.q.val() & !self.data_sent.q.val() {
            self.data_sent.d.next = true;
            for i in 0..SLAVES {
                self.w_valid[i].d.next = self.write_part[i].q.val();
            }
            if self.write_nowhere.q.val() {
                self.written.d.next = true;
                self.write_response.d.next = NOTHING.into();
            }
        }
        for i in 0..SLAVES {
            if self.m_axil_bvalid[i].val() {
                self.written.d.next = true;
                self.write_response.d.next = self.m_axil_bresp[i].val();
            }
        }
        if self.written.q.val() & self.s_axil_bready.val() {
            self.written.d.next = false;
            self.write_held.d.next = false;
            self.write_known.d.next = false;
            self.data_held.d.next = false;
            self.data_sent.d.next = false;
        }
        // Reads.
        for i in 0..SLAVES {
            if self.m_axil_arready[i].val() {
                self.ar_valid[i].d.next = false;
            }
        }
        if !self.read_held.q.val() {
            self.read_held.d.next = self.s_axil_arvalid.val();
            self.read_address.d.next = self.s_axil_araddr.val();
        }
        self.read_known.d.next = self.read_held.q.val();
        if self.read_held.q.val() & !self.read_known.q.val() {
            for i in 0..SLAVES {
                self.ar_valid[i].d.next = self.reads[i].val();
            }
            if !self.read_some.val() {
                self.read.d.next = true;
                self.read_response.d.next = NOTHING.into();
                self.read_data.d.next = 0.into();
            }
        }
        for i in 0..SLAVES {
            if self.m_axil_rvalid[i].val() {
                self.read.d.next = true;
                self.read_data.d.next = self.m_axil_rdata[i].val();
                self.read_response.d.next = self.m_axil_rresp[i].val();
            }
        }
        if self.read.q.val() & self.s_axil_rready.val() {
            self.read.d.next = false;
            self.read_held.d.next = false;
            self.read_known.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("interconnect_{}_{}", self._array_memory_bits, self._ccs_memory_bits),
            "One AXI4-Lite master, a slave for each part of the address map.",
            constants![SLAVES, BOARD_BITS, BOARD_PART, ARRAY_BITS, ARRAY_PART, CCS_BITS, CCS_PART, NOTHING;
                self._array_memory_bits, self._array_memory_part, self._ccs_memory_bits, self._ccs_memory_part],
        )
    }
}
