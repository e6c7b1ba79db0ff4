//! Model of the board system around the compute array, the cache compute system and the Duality Cache.

use super::array_memory::{ArrayMemory, Bursts};
use super::board_registers::BoardRegisters;
use super::host_bridge::{HostBridge, HostSeen};
use super::interconnect::Interconnect;
use super::status_lights::{Machines, StatusLights};
use crate::axil_slave::Answer;
use crate::seen::{Source, Tap};
use crate::state::Path;
use bitline_units::system::SystemParams;

/// What the pins show in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemInputs {
    /// The line from the host.
    pub rxd: bool,
    /// Push-buttons.
    pub button: u8,
    /// DIP switches.
    pub dip: u8,
}

/// What the pins show to the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemOutputs {
    /// The line to the host.
    pub txd: bool,
    /// LEDs.
    pub led: u8,
}

seen! {
    /// What the host bridge, the array and the cache compute system show.
    SystemSeen {
        /// The host bridge.
        host: HostSeen = "host.";
        /// The array's registers on the bus.
        array: Answer = "array.s_axil_";
        /// The array to its memory.
        bursts: Bursts = "array.m_axi_";
        /// The cache compute system on the bus.
        ccs: Answer = "ccs.s_axil_";
        /// The array is busy.
        array_busy: bool = "array.busy";
        /// It holds an error.
        array_error: bool = "array.error";
        /// It interrupts.
        array_irq: bool = "array.irq";
        /// The cache compute system runs a command.
        ccs_busy: bool = "ccs.runs";
        /// It interrupts.
        ccs_irq: bool = "ccs.irq";
    }

    /// What the Duality Cache shows.
    DualitySeen {
        /// On the bus.
        registers: Answer = "duality_0.s_axil_";
        /// To its memory.
        bursts: Bursts = "duality_0.unit.m_axi_";
        /// A launch is under way.
        busy: bool = "duality_0.busy";
        /// It interrupts.
        irq: bool = "duality_0.irq";
    }
}

/// The Duality Cache's memory, and what the unit shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duality {
    /// The memory.
    pub memory: ArrayMemory,
    /// What the hardware shows.
    pub seen: DualitySeen,
}

/// The system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// UART and bus master.
    pub host: HostBridge,
    /// Its bus.
    pub interconnect: Interconnect,
    /// The board's registers.
    pub registers: BoardRegisters,
    /// The array's memory.
    pub memory: ArrayMemory,
    /// The Duality Cache, if there is one.
    pub duality: Option<Duality>,
    /// LEDs.
    pub lights: StatusLights,
    /// What the hardware shows.
    pub seen: SystemSeen,
}

impl System {
    /// The system after reset, memories full of zeros.
    pub fn new(params: &SystemParams, log2_bus_timeout: usize) -> System {
        System {
            host: HostBridge::new(params.cycles_a_bit(), params.timeout_bits, log2_bus_timeout),
            interconnect: Interconnect::new(params),
            registers: BoardRegisters::new(params),
            memory: ArrayMemory::new(params.array_memory_words),
            duality: params.duality.as_ref().map(|duality| Duality {
                memory: ArrayMemory::new(duality.memory_words),
                seen: DualitySeen::default(),
            }),
            lights: StatusLights::default(),
            seen: SystemSeen::default(),
        }
    }

    /// A reset.
    ///
    /// # Panics
    /// A board is reset once, before the first cycle.
    pub fn reset(&mut self) {
        unreachable!("a board is reset once, before the first cycle");
    }

    /// Takes what the hardware shows.
    pub fn see(&mut self, from: &mut dyn Source) {
        self.seen.tap(&Path::TOP, from);
        if let Some(duality) = &mut self.duality {
            duality.seen.tap(&Path::TOP, from);
        }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &SystemInputs) -> SystemOutputs {
        let shown = SystemOutputs { txd: self.host.uart_transmitter.line, led: self.lights.lights };
        let SystemSeen { array_busy, array_error, array_irq, ccs_busy, ccs_irq, .. } = self.seen;
        let shows = |what: fn(&DualitySeen) -> bool| self.duality.as_ref().is_some_and(|duality| what(&duality.seen));
        let (ccs_busy, ccs_irq) = (ccs_busy || shows(|seen| seen.busy), ccs_irq || shows(|seen| seen.irq));
        let machines = Machines { array_busy, array_error, array_irq, ccs_busy, ccs_irq };
        self.host.seen.clone_from(&self.seen.host);
        let (events, master) = (self.host.events(), self.host.master());
        let mut slaves =
            vec![self.registers.slave.answer(), self.seen.array, self.memory.slave.answer(), self.seen.ccs];
        if let Some(duality) = &self.duality {
            slaves.extend([duality.seen.registers, duality.memory.slave.answer()]);
        }
        let led = self.registers.led;
        let instead = (led >> 8 & 1 == 1).then_some(led as u8);
        self.lights.step(&events, &machines, instead);
        self.registers.step(&self.interconnect.master(0), &events, inputs.button, inputs.dip);
        self.memory.step(&self.interconnect.master(2), &self.seen.bursts);
        if let Some(duality) = &mut self.duality {
            duality.memory.step(&self.interconnect.master(5), &duality.seen.bursts);
        }
        self.host.step(inputs.rxd, &self.interconnect.answers());
        self.interconnect.step(&master, &slaves);
        shown
    }
}

state! {
    SystemInputs(self) {
        uart_rxd = self.rxd;
        self => button, dip;
    }

    SystemOutputs(self) {
        uart_txd = self.txd;
        self => led;
    }

    System(self) {
        in host = self.host;
        in bus = self.interconnect;
        in registers = self.registers;
        in memory = self.memory;
        if (let Some(duality) = &self.duality) {
            in duality_0 {
                in memory = duality.memory;
            }
        }
        in lights = self.lights;
    }
}
