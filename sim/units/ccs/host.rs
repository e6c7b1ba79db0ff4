//! A processor's view of a cache compute system: words of memory and registers, whatever carries them.

use std::ops::Range;

use super::machine::{CcsMachine, Launch};
use super::top_machine::{Behind, CcsTopMachine};
use crate::ccs::registers::{self, BASE};
use crate::ccs::{CcsError, CcsGeometry};
use crate::engine::Engine;
use crate::error::Result;
use crate::units::array::memory::SLAVE_ERROR;

/// Something that runs commands.
pub trait CcsHost {
    /// Its geometry.
    fn geometry(&self) -> &CcsGeometry;

    /// Writes a word, or bytes of it.
    ///
    /// # Errors
    /// [`crate::error::Error::Tool`] if the hardware does not answer.
    fn write(&mut self, address: u32, data: u32, strobes: u8) -> Result<()>;

    /// Reads a word; with whether memory has answered with an error.
    ///
    /// # Errors
    /// As [`CcsHost::write`].
    fn read(&mut self, address: u32) -> Result<(u32, bool)>;

    /// The bytes of memory, which caches nothing that is not there too.
    fn bytes(&mut self) -> &mut [u8];

    /// Cycles that memory takes for an access, and that one of its channels moves in one cycle of `pace` on average.
    fn set_pace(&mut self, latency: u64, pace: u32);

    /// Addresses whose lines memory answers with an error, in place of those that did.
    fn set_faults(&mut self, faults: Option<Range<u32>>);

    /// Memory has nothing outstanding.
    fn settled(&self) -> bool;

    /// The interrupt line, in this cycle.
    fn irq(&mut self) -> bool;

    /// Cycles without an access.
    ///
    /// # Errors
    /// [`crate::error::Error::Tool`] when hardware and model differ.
    fn idle(&mut self, cycles: u64) -> Result<()>;

    /// Reads a register.
    ///
    /// # Errors
    /// As [`CcsHost::write`].
    fn register(&mut self, offset: u64) -> Result<u32> {
        self.read((BASE + offset) as u32).map(|(value, _)| value)
    }

    /// Writes a register.
    ///
    /// # Errors
    /// As [`CcsHost::write`].
    fn set_register(&mut self, offset: u64, value: u32) -> Result<()> {
        self.write((BASE + offset) as u32, value, 15)
    }

    /// Sets a command up, starts it and waits for its end.
    ///
    /// # Errors
    /// As [`CcsHost::write`].
    fn run(&mut self, launch: &Launch) -> Result<Option<CcsError>> {
        for (offset, value) in launch.writes() {
            self.set_register(offset, value)?;
        }
        self.set_register(registers::REG_START, 0)?;
        let code = self.register(registers::REG_WAIT)?;
        Ok(CcsError::from_code(code as u8))
    }
}

impl<E: Engine> CcsHost for CcsMachine<E> {
    fn geometry(&self) -> &CcsGeometry {
        &self.geometry
    }

    fn write(&mut self, address: u32, data: u32, strobes: u8) -> Result<()> {
        CcsMachine::write(self, address, data, strobes)
    }

    fn read(&mut self, address: u32) -> Result<(u32, bool)> {
        CcsMachine::read(self, address)
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory.bytes
    }

    fn set_pace(&mut self, latency: u64, pace: u32) {
        (self.memory.latency, self.memory.pace) = (latency, pace);
    }

    fn set_faults(&mut self, faults: Option<Range<u32>>) {
        self.memory.faults = faults.into_iter().collect();
    }

    fn settled(&self) -> bool {
        self.memory.idle()
    }

    fn irq(&mut self) -> bool {
        self.system.irq()
    }

    fn idle(&mut self, cycles: u64) -> Result<()> {
        (0..cycles).try_for_each(|_| self.cycle(None).map(|_| ()))
    }
}

impl<E: Engine> CcsHost for CcsTopMachine<E> {
    fn geometry(&self) -> &CcsGeometry {
        &self.geometry
    }

    fn write(&mut self, address: u32, data: u32, strobes: u8) -> Result<()> {
        CcsTopMachine::write(self, address, data, strobes)
    }

    fn read(&mut self, address: u32) -> Result<(u32, bool)> {
        CcsTopMachine::read(self, address)
    }

    fn bytes(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Behind::Lines(memory) => &mut memory.bytes,
            Behind::Bus(memory) => &mut memory.bytes,
            Behind::Inside => &mut [],
        }
    }

    fn set_pace(&mut self, latency: u64, pace: u32) {
        match &mut self.memory {
            Behind::Lines(memory) => (memory.latency, memory.pace) = (latency, pace),
            Behind::Bus(memory) => (memory.latency, memory.pace) = (latency, pace),
            Behind::Inside => {}
        }
    }

    fn set_faults(&mut self, faults: Option<Range<u32>>) {
        match &mut self.memory {
            Behind::Lines(memory) => memory.faults = faults.into_iter().collect(),
            Behind::Bus(memory) => {
                let fault = |range: &Range<u32>| (range.start.into()..range.end.into(), SLAVE_ERROR);
                memory.faults = faults.iter().map(fault).collect();
            }
            Behind::Inside => {}
        }
    }

    fn settled(&self) -> bool {
        match &self.memory {
            Behind::Lines(memory) => memory.idle(),
            Behind::Bus(memory) => memory.idle(),
            Behind::Inside => true,
        }
    }

    fn irq(&mut self) -> bool {
        CcsTopMachine::irq(self)
    }

    fn idle(&mut self, cycles: u64) -> Result<()> {
        (0..cycles).try_for_each(|_| self.cycle())
    }
}
