//! Model of the board's registers.

use super::host_bridge::Events;
use crate::axil_slave::{AxilSlave, Offer};
use bitline_units::system::SystemParams;
use bitline_units::system::registers::*;

/// The registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardRegisters {
    /// The slave.
    pub slave: AxilSlave,
    /// Scratch.
    pub scratch: u32,
    /// LEDs.
    pub led: u32,
    /// Buttons and switches.
    pub inputs: u32,
    /// Requests answered with status `ok`, with another, bytes with a wrong stop bit.
    pub counts: [u32; 3],
    constants: Vec<(u64, u32)>,
}

impl BoardRegisters {
    /// The registers after reset.
    pub fn new(system: &SystemParams) -> BoardRegisters {
        let constants = REGISTERS.iter().map(|register| (register.offset, reset_value(system, register)));
        BoardRegisters {
            slave: AxilSlave::new(ADDRESS_BITS),
            scratch: 0,
            led: 0,
            inputs: 0,
            counts: [0; 3],
            constants: constants.collect(),
        }
    }

    /// What a read of a word gives.
    pub fn value(&self, number: u32) -> u32 {
        let offset = 4 * u64::from(number);
        match offset {
            REG_SCRATCH => self.scratch,
            REG_LED => self.led,
            REG_INPUTS => self.inputs,
            REG_FRAMES_OK => self.counts[0],
            REG_FRAMES_REFUSED => self.counts[1],
            REG_WRONG_BYTES => self.counts[2],
            _ => self.constants.iter().find(|constant| constant.0 == offset).map_or(0, |constant| constant.1),
        }
    }

    /// One clock edge: what the master shows, what happens, buttons and switches.
    pub fn step(&mut self, master: &Offer, events: &Events, button: u8, dip: u8) {
        let read = self.slave.read().map(|number| self.value(number));
        if let Some(write) = self.slave.write() {
            match 4 * u64::from(write.number) {
                REG_SCRATCH => self.scratch = write.data,
                REG_LED => self.led = write.data & 0x1ff,
                _ => {}
            }
        }
        for (count, event) in self.counts.iter_mut().zip([events.ok, events.refused, events.wrong_byte]) {
            *count = count.wrapping_add(event.into());
        }
        self.inputs = u32::from(button) | u32::from(dip) << INPUTS_SWITCHES_LSB;
        self.slave.step(master, true, read);
    }
}

state! {
    BoardRegisters(self) {
        in slave = self.slave;
        in scratch {
            bytes[] = self.scratch.to_le_bytes();
        }
        in led {
            bytes[] = self.led.to_le_bytes();
        }
        self => inputs;
        frames_ok = self.counts[0];
        frames_refused = self.counts[1];
        wrong_bytes = self.counts[2];
    }
}
