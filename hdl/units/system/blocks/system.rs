//! The system on a board: a compute array, a cache compute system and, if it is asked for, a Duality Cache, each with
//! its memory, and a UART in front of them.
//!
//! ```text
//!  uart_rxd, uart_txd ◀─▶ host bridge ◀─▶ interconnect ─┬─▶ board registers ─▶ status lights ─▶ led
//!                                                       ├─▶ compute array ◀─ 64 bits ─▶ ┐
//!                                                       ├─▶ array memory ◀──────────────┘
//!                                                       ├─▶ cache compute system with its memory
//!                                                       └─▶ Duality Cache with its memory
//! ```
//!
//! Addresses: [`crate::system::protocol`]. The cache compute system sees the host's address with bit 30 cleared, so
//! that both its parts lie where it expects them. Busy and interrupts of the Duality Cache are shown with those of the
//! cache compute system. `button` and `dip` must be in step with the clock: the board's
//! wrapper sees to that. `uart_cts` is low, "may send" for a UART whose flow-control pins are active low; the level of
//! `uart_rts` does not matter, since a host that has sent a request waits for its reply. `fan_pwm` is high: full speed.

use crate::array::blocks::memory::top::MemoryTop;
use crate::array::isa::microcode::Microcode;
use crate::array::registers::ADDRESS_BITS;
use crate::ccs::blocks::on_chip::CcsOnChip;
use crate::duality::registers::ADDRESS_BITS as DUALITY_ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::system::SystemParams;
use crate::system::blocks::array_memory::{ArrayMemory, HOST_ADDRESS_BITS};
use crate::system::blocks::board_registers::{BOARD_ADDRESS_BITS, BoardRegisters};
use crate::system::blocks::bundles::{HostMasterPort, LedSource, OutcomeSource};
use crate::system::blocks::duality_on_chip::DualityOnChip;
use crate::system::blocks::host_bridge::HostBridge;
use crate::system::blocks::interconnect::Interconnect;
use crate::system::blocks::status_lights::StatusLights;

// Number of a slave at the interconnect.
const BOARD: usize = 0;
const ARRAY: usize = 1;
const ARRAY_MEMORY: usize = 2;
const CCS: usize = 3;
const DUALITY: usize = 4;
const DUALITY_MEMORY: usize = 5;
const CCS_BIT: usize = 30; // The address bit that tells the two parts of the cache compute system from others.
const ALL: u64 = 15; // All bytes.

hdl_block! {
    /// The system, without what belongs to the board.
    pub SystemTop<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        In uart_rxd: Bit; /// Line from the host.
        Out uart_txd: Bit; /// Line to the host.
        In uart_rts: Bit; /// The host may receive, active low: not looked at.
        Out uart_cts: Bit; /// The host may send, active low: always.
        In button: Bits<5>; /// Push-buttons: up, left, down, right, centre.
        In dip: Bits<8>; /// DIP switches.
        Out led: Bits<8>; /// User LEDs.
        Out fan_pwm: Bit; /// Speed of the fan: full.
    } inside {
        Child host: Boxed<HostBridge>; // UART and bus master.
        Child bus: Boxed<Interconnect>; // Its bus.
        Child registers: Boxed<BoardRegisters>; // The board's registers.
        Child array: Boxed<MemoryTop<W, Bus, Strobe>>; // The compute array.
        Child memory: Boxed<ArrayMemory>; // Its memory.
        Child ccs: Boxed<CcsOnChip>; // The cache compute system.
        Child duality: Vec<Boxed<DualityOnChip>>; // The Duality Cache, or none.
        Child lights: Boxed<StatusLights>; // LEDs.
        Local unused_inputs: Bit;
        Local unused_master: Bits<8>;
        Local unused_attributes: Bits<4>;
        Value _dualities: usize;
    }
}

impl<W: RowWord> SystemTop<W> {
    /// The system that `params` describe; its bus may take 2^`log2_bus_timeout` cycles.
    pub fn new(params: &SystemParams, code: &Microcode, log2_bus_timeout: usize) -> Self {
        let bus = {
            let _sizes = Sizes::set(&[Interconnect::slaves(params)]);
            Boxed::new(|| Interconnect::new(params))
        };
        SystemTop {
            host: Boxed::new(|| HostBridge::new(params.cycles_a_bit(), params.timeout_bits, log2_bus_timeout)),
            bus,
            registers: Boxed::new(|| BoardRegisters::new(params)),
            array: Boxed::new(|| MemoryTop::new(&params.array, code)),
            memory: Boxed::new(|| ArrayMemory::new(params.array_memory_words)),
            ccs: Boxed::new(|| CcsOnChip::new(&params.ccs, params.ccs_memory_lines)),
            duality: params.duality.iter().map(|duality| Boxed::new(|| DualityOnChip::new(duality))).collect(),
            lights: Boxed::new(StatusLights::new),
            _dualities: params.duality.iter().count(),
            ..Self::default()
        }
    }
}

/// The connections, from a list of slaves: name, number at the interconnect, and what it sees of an address; and a list
/// of ports of the Duality Cache.
macro_rules! connected {
    (
        $($slave:ident $number:ident sees $part:ident $(<$bits:ident>)? ($($argument:tt),+);)+
        [$($port:ident $at:ident sees $low:ident;)+]
    ) => {
        impl<W: RowWord> Logic for SystemTop<W> {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, host, bus, registers, array, memory, ccs, lights);
                self.host.rxd.next = self.uart_rxd.val();
                self.uart_txd.next = self.host.txd.val();
                self.uart_cts.next = false;
                self.fan_pwm.next = true;
                self.unused_inputs.next = self.uart_rts.val() ^ self.array.tag_any.val();
                // Host and interconnect.
                HostMasterPort::join(&mut self.host.m_axil, &mut self.bus.s_axil);
                // Interconnect and slaves.
                $(
                    self.$slave.s_axil.awaddr.next = self.bus.m_axil_awaddr.val().$part$(::<$bits>)?($($argument),+);
                    self.$slave.s_axil.awvalid.next = self.bus.m_axil_awvalid[$number].val();
                    self.bus.m_axil_awready[$number].next = self.$slave.s_axil.awready.val();
                    self.$slave.s_axil.wdata.next = self.bus.m_axil_wdata.val();
                    self.$slave.s_axil.wstrb.next = ALL.into();
                    self.$slave.s_axil.wvalid.next = self.bus.m_axil_wvalid[$number].val();
                    self.bus.m_axil_wready[$number].next = self.$slave.s_axil.wready.val();
                    self.bus.m_axil_bresp[$number].next = self.$slave.s_axil.bresp.val();
                    self.bus.m_axil_bvalid[$number].next = self.$slave.s_axil.bvalid.val();
                    self.$slave.s_axil.bready.next = self.bus.m_axil_bready[$number].val();
                    self.$slave.s_axil.araddr.next = self.bus.m_axil_araddr.val().$part$(::<$bits>)?($($argument),+);
                    self.$slave.s_axil.arvalid.next = self.bus.m_axil_arvalid[$number].val();
                    self.bus.m_axil_arready[$number].next = self.$slave.s_axil.arready.val();
                    self.bus.m_axil_rdata[$number].next = self.$slave.s_axil.rdata.val();
                    self.bus.m_axil_rresp[$number].next = self.$slave.s_axil.rresp.val();
                    self.bus.m_axil_rvalid[$number].next = self.$slave.s_axil.rvalid.val();
                    self.$slave.s_axil.rready.next = self.bus.m_axil_rready[$number].val();
                )+
                for k in 0..self._dualities {
                    self.duality[k].clock.next = self.clock.val();
                    $(
                        self.duality[k].$port.awaddr.next = self.bus.m_axil_awaddr.val().get_bits::<$low>(0);
                        self.duality[k].$port.awvalid.next = self.bus.m_axil_awvalid[$at].val();
                        self.bus.m_axil_awready[$at].next = self.duality[k].$port.awready.val();
                        self.duality[k].$port.wdata.next = self.bus.m_axil_wdata.val();
                        self.duality[k].$port.wstrb.next = ALL.into();
                        self.duality[k].$port.wvalid.next = self.bus.m_axil_wvalid[$at].val();
                        self.bus.m_axil_wready[$at].next = self.duality[k].$port.wready.val();
                        self.bus.m_axil_bresp[$at].next = self.duality[k].$port.bresp.val();
                        self.bus.m_axil_bvalid[$at].next = self.duality[k].$port.bvalid.val();
                        self.duality[k].$port.bready.next = self.bus.m_axil_bready[$at].val();
                        self.duality[k].$port.araddr.next = self.bus.m_axil_araddr.val().get_bits::<$low>(0);
                        self.duality[k].$port.arvalid.next = self.bus.m_axil_arvalid[$at].val();
                        self.bus.m_axil_arready[$at].next = self.duality[k].$port.arready.val();
                        self.bus.m_axil_rdata[$at].next = self.duality[k].$port.rdata.val();
                        self.bus.m_axil_rresp[$at].next = self.duality[k].$port.rresp.val();
                        self.bus.m_axil_rvalid[$at].next = self.duality[k].$port.rvalid.val();
                        self.duality[k].$port.rready.next = self.bus.m_axil_rready[$at].val();
                    )+
                }
                // The array's memory, to the array.
                self.memory.s_axi_awaddr.next = self.array.write_burst_.m_axi_awaddr.val();
                self.memory.s_axi_awvalid.next = self.array.write_data_.m_axi_awvalid.val();
                self.array.write_data_.m_axi_awready.next = self.memory.s_axi_awready.val();
                self.memory.s_axi_wdata.next = bits_to::<Word<64, 1>, Bus>(self.array.write_data_.m_axi_wdata.val());
                self.memory.s_axi_wstrb.next = bits_to::<Word<8, 1>, Strobe>(self.array.write_data_.m_axi_wstrb.val());
                self.memory.s_axi_wlast.next = self.array.write_data_.m_axi_wlast.val();
                self.memory.s_axi_wvalid.next = self.array.write_data_.m_axi_wvalid.val();
                self.array.write_data_.m_axi_wready.next = self.memory.s_axi_wready.val();
                self.array.write_data_.m_axi_bresp.next = self.memory.s_axi_bresp.val();
                self.array.write_data_.m_axi_bvalid.next = self.memory.s_axi_bvalid.val();
                self.memory.s_axi_bready.next = self.array.write_data_.m_axi_bready.val();
                self.memory.s_axi_araddr.next = self.array.read_burst_.m_axi_araddr.val();
                self.memory.s_axi_arlen.next = self.array.read_burst_.m_axi_arlen.val();
                self.memory.s_axi_arvalid.next = self.array.read_data_.m_axi_arvalid.val();
                self.array.read_data_.m_axi_arready.next = self.memory.s_axi_arready.val();
                self.array.read_data_.m_axi_rdata.next = bits_to::<Bus, Word<64, 1>>(self.memory.s_axi_rdata.val());
                self.array.read_data_.m_axi_rresp.next = self.memory.s_axi_rresp.val();
                self.array.m_axi_rlast.next = self.memory.s_axi_rlast.val();
                self.array.read_beat_.m_axi_rvalid.next = self.memory.s_axi_rvalid.val();
                self.memory.s_axi_rready.next = self.array.read_beat_.m_axi_rready.val();
                self.unused_master.next = self.array.write_burst_.m_axi_awlen.val()
                    ^ bit_cast::<8, 3>(self.array.m_axi_awsize.val() ^ self.array.m_axi_arsize.val())
                    ^ bit_cast::<8, 3>(self.array.m_axi_awprot.val() ^ self.array.m_axi_arprot.val())
                    ^ bit_cast::<8, 2>(self.array.m_axi_awburst.val() ^ self.array.m_axi_arburst.val());
                self.unused_attributes.next = self.array.m_axi_awcache.val() ^ self.array.m_axi_arcache.val();
                // What is seen and shown.
                OutcomeSource::join(&mut self.host.outcome_, &mut self.registers.outcome_);
                self.registers.wrong_byte.next = self.host.wrong_byte.val();
                self.registers.button.next = self.button.val();
                self.registers.dip.next = self.dip.val();
                self.lights.frame_busy.next = self.host.frame_busy.val();
                OutcomeSource::join(&mut self.host.outcome_, &mut self.lights.outcome_);
                self.lights.array_busy.next = self.array.busy.val();
                self.lights.array_error.next = self.array.error.val();
                self.lights.array_irq.next = self.array.irq.val();
                self.lights.ccs_busy.next = self.ccs.runs.val();
                self.lights.ccs_irq.next = self.ccs.irq.val();
                for k in 0..self._dualities {
                    self.lights.ccs_busy.next = self.ccs.runs.val() | self.duality[k].busy.val();
                    self.lights.ccs_irq.next = self.ccs.irq.val() | self.duality[k].irq.val();
                }
                LedSource::join(&mut self.registers.wanted_, &mut self.lights.wanted_);
                self.led.next = self.lights.led.val();
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let summary = match self._dualities {
                    0 => "Compute array and cache compute system with their memories behind a UART.",
                    _ => "Compute array, cache compute system and Duality Cache with their memories behind a UART.",
                };
                let constants = constants![BOARD, ARRAY, ARRAY_MEMORY, CCS, CCS_BIT, DUALITY, DUALITY_MEMORY, ALL;
                    self._dualities];
                describe("system", summary, constants)
            }
        }
    };
}

connected! {
    registers BOARD sees get_bits<BOARD_ADDRESS_BITS>(0);
    array ARRAY sees get_bits<ADDRESS_BITS>(0);
    memory ARRAY_MEMORY sees get_bits<HOST_ADDRESS_BITS>(0);
    ccs CCS sees replace_bit(CCS_BIT, false);
    [
        s_axil DUALITY sees DUALITY_ADDRESS_BITS;
        s_axil_memory DUALITY_MEMORY sees HOST_ADDRESS_BITS;
    ]
}
