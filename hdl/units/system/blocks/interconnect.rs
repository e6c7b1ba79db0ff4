//! Interconnect: one AXI4-Lite master, a slave for each part of the board's address map.
//!
//! ```text
//!  s_axil ─▶ address, data ─▶ part ─▶ m_axil_0, m_axil_1 …
//!  s_axil ◀─ response ◀───────┴─ DECERR where there is nothing
//! ```
//!
//! | slave | from | bytes |
//! |---|---|---|
//! | 0, board registers | [`BOARD_BASE`] | 64 |
//! | 1, array's registers | [`ARRAY_BASE`] | 128 |
//! | 2, array's memory | [`ARRAY_MEMORY_BASE`] | that of the memory |
//! | 3, cache compute system | [`CCS_MEMORY_BASE`], [`CCS_BASE`] | that of its memory, 256 |
//! | 4, Duality Cache's registers | [`DUALITY_BASE`] | 2,048 |
//! | 5, Duality Cache's memory | [`DUALITY_MEMORY_BASE`] | that of the memory |
//!
//! Slaves 4 and 5 are there if the system has a Duality Cache.
//!
//! Slaves share address and data, which are registers, and see the whole address; each has its own valids. One write
//! and one read are under way at a time, each from the cycle in which its address is taken to that in which its
//! response is. Timing: address and data of a write, in any order, are taken into registers; in the cycle after the
//! address its part is known, in the one after that a slave sees it; a slave's response reaches the master a cycle
//! late. No valid waits for a ready. Nothing is held after reset.

use crate::array::registers::ADDRESS_BITS;
use crate::ccs::registers::SPAN;
use crate::duality::registers::ADDRESS_BITS as DUALITY_ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::system::SystemParams;
use crate::system::protocol::{
    ARRAY_BASE, ARRAY_MEMORY_BASE, BOARD_BASE, CCS_BASE, CCS_MEMORY_BASE, DUALITY_BASE, DUALITY_MEMORY_BASE,
};

use crate::system::blocks::board_registers::BOARD_ADDRESS_BITS;
use crate::system::blocks::bundles::HostSlavePort;

/// Slaves of a system without a Duality Cache.
const FEWEST: usize = 4;
const DUALITY: usize = FEWEST;
const DUALITY_MEMORY: usize = FEWEST + 1;
const BOARD_BITS: u64 = BOARD_ADDRESS_BITS as u64;
const BOARD_PART: u64 = (BOARD_BASE >> BOARD_BITS) as u64;
const ARRAY_BITS: u64 = ADDRESS_BITS as u64;
const ARRAY_PART: u64 = (ARRAY_BASE >> ARRAY_BITS) as u64;
const CCS_BITS: u64 = SPAN.ilog2() as u64;
const CCS_PART: u64 = (CCS_BASE >> CCS_BITS) as u64;
const DUALITY_BITS: u64 = DUALITY_ADDRESS_BITS as u64;
const DUALITY_PART: u64 = (DUALITY_BASE >> DUALITY_BITS) as u64;
const NOTHING: u64 = 3; // DECERR.

hdl_block! {
    pub Interconnect {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: HostSlavePort; /// AXI4-Lite of a host that writes whole words, of a slave.
        Out m_axil_awaddr: Bits<32>; /// Write address of all slaves.
        Bus m_axil_awvalid: Array<Signal<Out, Bit>, LANES>; /// It is offered to this one.
        Bus m_axil_awready: Array<Signal<In, Bit>, LANES>; /// It is taken if offered.
        Out m_axil_wdata: Bits<32>; /// Write data of all slaves.
        Bus m_axil_wvalid: Array<Signal<Out, Bit>, LANES>; /// They are offered to this one.
        Bus m_axil_wready: Array<Signal<In, Bit>, LANES>; /// They are taken if offered.
        Bus m_axil_bresp: Array<Signal<In, Bits<2>>, LANES>; /// Write response.
        Bus m_axil_bvalid: Array<Signal<In, Bit>, LANES>; /// It is offered.
        Bus m_axil_bready: Array<Signal<Out, Bit>, LANES>; /// It is taken if offered.
        Out m_axil_araddr: Bits<32>; /// Read address of all slaves.
        Bus m_axil_arvalid: Array<Signal<Out, Bit>, LANES>; /// It is offered to this one.
        Bus m_axil_arready: Array<Signal<In, Bit>, LANES>; /// It is taken if offered.
        Bus m_axil_rdata: Array<Signal<In, Bits<32>>, LANES>; /// Read data.
        Bus m_axil_rresp: Array<Signal<In, Bits<2>>, LANES>; /// Read response.
        Bus m_axil_rvalid: Array<Signal<In, Bit>, LANES>; /// They are offered.
        Bus m_axil_rready: Array<Signal<Out, Bit>, LANES>; /// They are taken if offered.
    } inside {
        Register write_held: Bit; // A write address is here.
        Pipe write_address: Bits<32>; // The address.
        Register write_known: Bit; // Its slave is known.
        Child write_part: Vec<Pipe<Bit>>; // It goes to this one.
        Pipe write_nowhere: Bit; // It goes nowhere.
        Child aw_valid: Vec<Register<Bit>>; // The address is offered to this slave.
        Register data_held: Bit; // Write data are here.
        Pipe data: Bits<32>; // The data.
        Child w_valid: Vec<Register<Bit>>; // They are offered to this slave.
        Register data_sent, written: Bit; // They were offered. A write response is offered.
        Pipe write_response: Bits<2>; // It.
        Register read_held: Bit; // A read address is here.
        Pipe read_address: Bits<32>; // The address.
        Register read_known: Bit; // Its slave is known.
        Child ar_valid: Vec<Register<Bit>>; // The address is offered to this slave.
        Register read: Bit; // Read data are offered.
        Pipe read_data: Bits<32>; // The data.
        Pipe read_response: Bits<2>; // Their response.
        Child writes, reads: Vec<Signal<Local, Bit>>;
        Local write_some, read_some: Bit;
        Value _slaves, _dualities: usize;
        Value _array_memory_bits, _array_memory_part, _ccs_memory_bits, _ccs_memory_part: u64;
        Value _duality_memory_bits, _duality_memory_part: u64;
    }
}

impl Interconnect {
    /// The interconnect of a system, for as many slaves as [`LANES`] stands for: those of [`Interconnect::slaves`].
    pub fn new(params: &SystemParams) -> Self {
        let slaves = Interconnect::slaves(params);
        let part = |base: u32, bits: usize| u64::from(base) >> bits;
        let (array, ccs) = (params.array_memory_bits(), params.ccs_memory_bits());
        let duality = params.duality_memory_bits().unwrap_or(0);
        let registers = || (0..slaves).map(|_| Register::default()).collect();
        let signals = || (0..slaves).map(|_| Signal::default()).collect();
        Interconnect {
            write_part: (0..slaves).map(|_| Pipe::default()).collect(),
            aw_valid: registers(),
            w_valid: registers(),
            ar_valid: registers(),
            writes: signals(),
            reads: signals(),
            _slaves: slaves,
            _dualities: params.duality.iter().count(),
            _array_memory_bits: array as u64,
            _array_memory_part: part(ARRAY_MEMORY_BASE, array),
            _ccs_memory_bits: ccs as u64,
            _ccs_memory_part: part(CCS_MEMORY_BASE, ccs),
            _duality_memory_bits: duality as u64,
            _duality_memory_part: part(DUALITY_MEMORY_BASE, duality),
            ..Self::default()
        }
    }

    /// How many slaves a system has.
    pub fn slaves(params: &SystemParams) -> usize {
        if params.duality.is_some() { DUALITY_MEMORY + 1 } else { FEWEST }
    }
}

impl Logic for Interconnect {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_held, write_address, write_known, write_nowhere, data_held, data, data_sent);
        dff_setup!(self, clock, written, write_response, read_held, read_address, read_known);
        dff_setup!(self, clock, read, read_data, read_response);
        for i in 0..self._slaves {
            dff_setup!(self, clock, write_part[i], aw_valid[i], w_valid[i], ar_valid[i]);
            self.m_axil_awvalid[i].next = self.aw_valid[i].q.val();
            self.m_axil_wvalid[i].next = self.w_valid[i].q.val();
            self.m_axil_bready[i].next = true;
            self.m_axil_arvalid[i].next = self.ar_valid[i].q.val();
            self.m_axil_rready[i].next = true;
        }
        self.s_axil.awready.next = !self.write_held.q.val();
        self.s_axil.wready.next = !self.data_held.q.val();
        self.s_axil.bvalid.next = self.written.q.val();
        self.s_axil.bresp.next = self.write_response.q.val();
        self.s_axil.arready.next = !self.read_held.q.val();
        self.s_axil.rvalid.next = self.read.q.val();
        self.s_axil.rdata.next = self.read_data.q.val();
        self.s_axil.rresp.next = self.read_response.q.val();
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
        for i in 0..self._dualities {
            self.writes[DUALITY + i].next = (self.write_address.q.val() >> DUALITY_BITS) == DUALITY_PART;
            self.writes[DUALITY_MEMORY + i].next =
                (self.write_address.q.val() >> self._duality_memory_bits) == self._duality_memory_part;
            self.reads[DUALITY + i].next = (self.read_address.q.val() >> DUALITY_BITS) == DUALITY_PART;
            self.reads[DUALITY_MEMORY + i].next =
                (self.read_address.q.val() >> self._duality_memory_bits) == self._duality_memory_part;
        }
        self.write_some.next = false;
        self.read_some.next = false;
        for i in 0..self._slaves {
            self.write_part[i].d.next = self.writes[i].val();
            self.write_some.next = self.write_some.val() | self.writes[i].val();
            self.read_some.next = self.read_some.val() | self.reads[i].val();
        }
        self.write_nowhere.d.next = !self.write_some.val();
        // Writes.
        for i in 0..self._slaves {
            if self.m_axil_awready[i].val() {
                self.aw_valid[i].d.next = false;
            }
            if self.m_axil_wready[i].val() {
                self.w_valid[i].d.next = false;
            }
        }
        if !self.write_held.q.val() {
            self.write_held.d.next = self.s_axil.awvalid.val();
            self.write_address.d.next = self.s_axil.awaddr.val();
        }
        if !self.data_held.q.val() {
            self.data_held.d.next = self.s_axil.wvalid.val();
            self.data.d.next = self.s_axil.wdata.val();
        }
        self.write_known.d.next = self.write_held.q.val();
        if self.write_held.q.val() & !self.write_known.q.val() {
            for i in 0..self._slaves {
                self.aw_valid[i].d.next = self.writes[i].val();
            }
        }
        if self.write_known.q.val() & self.data_held.q.val() & !self.data_sent.q.val() {
            self.data_sent.d.next = true;
            for i in 0..self._slaves {
                self.w_valid[i].d.next = self.write_part[i].q.val();
            }
            if self.write_nowhere.q.val() {
                self.written.d.next = true;
                self.write_response.d.next = NOTHING.into();
            }
        }
        for i in 0..self._slaves {
            if self.m_axil_bvalid[i].val() {
                self.written.d.next = true;
                self.write_response.d.next = self.m_axil_bresp[i].val();
            }
        }
        if self.written.q.val() & self.s_axil.bready.val() {
            self.written.d.next = false;
            self.write_held.d.next = false;
            self.write_known.d.next = false;
            self.data_held.d.next = false;
            self.data_sent.d.next = false;
        }
        // Reads.
        for i in 0..self._slaves {
            if self.m_axil_arready[i].val() {
                self.ar_valid[i].d.next = false;
            }
        }
        if !self.read_held.q.val() {
            self.read_held.d.next = self.s_axil.arvalid.val();
            self.read_address.d.next = self.s_axil.araddr.val();
        }
        self.read_known.d.next = self.read_held.q.val();
        if self.read_held.q.val() & !self.read_known.q.val() {
            for i in 0..self._slaves {
                self.ar_valid[i].d.next = self.reads[i].val();
            }
            if !self.read_some.val() {
                self.read.d.next = true;
                self.read_response.d.next = NOTHING.into();
                self.read_data.d.next = 0.into();
            }
        }
        for i in 0..self._slaves {
            if self.m_axil_rvalid[i].val() {
                self.read.d.next = true;
                self.read_data.d.next = self.m_axil_rdata[i].val();
                self.read_response.d.next = self.m_axil_rresp[i].val();
            }
        }
        if self.read.q.val() & self.s_axil.rready.val() {
            self.read.d.next = false;
            self.read_held.d.next = false;
            self.read_known.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let duality = if self._dualities > 0 { format!("_{}", self._duality_memory_bits) } else { String::new() };
        describe(
            format!("interconnect_{}_{}{duality}", self._array_memory_bits, self._ccs_memory_bits),
            "One AXI4-Lite master, a slave for each part of the address map.",
            constants![DUALITY, DUALITY_MEMORY, BOARD_BITS, BOARD_PART, ARRAY_BITS, ARRAY_PART, CCS_BITS, CCS_PART,
                DUALITY_BITS, DUALITY_PART, NOTHING; self._slaves, self._dualities, self._array_memory_bits,
                self._array_memory_part, self._ccs_memory_bits, self._ccs_memory_part, self._duality_memory_bits,
                self._duality_memory_part],
        )
    }
}
