//! Model of the board system around the compute array and the cache compute system.

use super::array_memory::{ArrayMemory, Bursts};
use super::board_registers::BoardRegisters;
use super::host_bridge::HostBridge;
use super::interconnect::Interconnect;
use super::slave::Answers;
use super::status_lights::{Machines, StatusLights};
use bitline_units::system::SystemParams;

/// What the pins, the array and the cache compute system show in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemInputs {
    /// The line from the host.
    pub rxd: bool,
    /// Push-buttons.
    pub button: u8,
    /// DIP switches.
    pub dip: u8,
    /// The array's registers on the bus.
    pub array: Answers,
    /// The array to its memory.
    pub bursts: Bursts,
    /// The cache compute system on the bus.
    pub ccs: Answers,
    /// What both are doing.
    pub machines: Machines,
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
    /// LEDs.
    pub lights: StatusLights,
}

impl System {
    /// The system after reset, memories full of zeros.
    pub fn new(params: &SystemParams, log2_bus_timeout: usize) -> System {
        System {
            host: HostBridge::new(params.cycles_a_bit(), params.timeout_bits, log2_bus_timeout),
            interconnect: Interconnect::new(params.array_memory_bits(), params.ccs_memory_bits()),
            registers: BoardRegisters::new(params),
            memory: ArrayMemory::new(params.array_memory_words),
            lights: StatusLights::default(),
        }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &SystemInputs) {
        let (events, master) = (self.host.events(), self.host.master());
        let slaves = [self.registers.slave.answers(), inputs.array, self.memory.slave.answers(), inputs.ccs];
        let led = self.registers.led;
        let instead = (led >> 8 & 1 == 1).then_some(led as u8);
        self.lights.step(&events, &inputs.machines, instead);
        self.registers.step(&self.interconnect.master(0), &events, inputs.button, inputs.dip);
        self.memory.step(&self.interconnect.master(2), &inputs.bursts);
        let answers = self.interconnect.answers();
        self.host.step(inputs.rxd, &answers, self.interconnect.read.1);
        self.interconnect.step(&master, &slaves);
    }
}

state! {
    System(self) {
        in host = self.host;
        in bus = self.interconnect;
        in registers = self.registers;
        in memory = self.memory;
        in lights = self.lights;
    }
}
