//! A host: pushes commands through the registers, one access after the other, and waits for the unit.

use super::AxiMemory;
use crate::array::registers::*;
use crate::engine::Engine;
use crate::isa::Command;
use crate::isa::transfer::Transfer;
use crate::lockstep::Divergence;
use crate::lockstep::array::MemoryLockstep;
use crate::model::axil_slave::Offer;
use crate::model::memory::core::{MemoryInputs, MemoryOutputs};

/// What the unit was doing, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// All.
    pub cycles: u64,
    /// A command waits or runs.
    pub busy: u64,
    /// A burst was outstanding or a beat moved.
    pub bus: u64,
    /// The transpose memory unit took or gave a beat.
    pub transpose: u64,
    /// The array issued a row that neither loads nor stores.
    pub compute: u64,
    /// The array issued a row that loads or stores.
    pub rows: u64,
}

/// What a test wants to have seen, in cycles or times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    passed: u64,
    waited: u64,
    ahead: u64,
    ordered: u64,
    dropped: u64,
    together: u64,
    replaced: u64,
}

/// An error as the registers tell it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// Error code, 0 for none.
    pub code: u64,
    /// Operand.
    pub operand: u64,
    /// Pushes before the command.
    pub index: u32,
    /// Where in memory.
    pub address: u64,
}

/// A host with a unit and its memory.
pub struct Host<E: Engine> {
    /// The unit.
    pub unit: MemoryLockstep<E>,
    /// The memory.
    pub memory: AxiMemory,
    /// What the unit was doing.
    pub activity: Activity,
    /// Writes to `push` so far.
    pub pushes: u32,
    staged: [Option<u32>; 6],
    seen: Seen,
}

impl<E: Engine> Host<E> {
    /// A host for a unit out of reset.
    pub fn new(unit: MemoryLockstep<E>, memory: AxiMemory) -> Host<E> {
        Host { unit, memory, activity: Activity::default(), pushes: 0, staged: [None; 6], seen: Seen::default() }
    }

    /// One cycle with what the host offers.
    ///
    /// # Errors
    /// The first difference between hardware and model.
    pub fn cycle(&mut self, axil: Offer) -> Result<MemoryOutputs, Box<Divergence>> {
        let mut inputs = MemoryInputs { axil, ..MemoryInputs::default() };
        self.memory.drive(&mut inputs);
        let bus = self.memory.traffic.busy_cycles;
        let path = &self.unit.model.core.path;
        let (conflict, pending) = (path.conflict(), !path.pending.is_empty());
        let filling = path.pending.front().is_some_and(|front| front.fills);
        let before = (path.tmu.entering, path.tmu.leaving, path.tmu.read.is_some());
        let error = self.unit.model.core.registers.log.error;
        let outputs = self.unit.cycle(&inputs)?;
        self.memory.after(&inputs, &outputs);
        let issue = &outputs.core.unit.activity;
        let moves_rows = issue.issue.load || issue.issue.store;
        let path = &self.unit.model.core.path;
        let unasked = path.pending.front().is_some_and(|front| !front.asked && !front.transfer.store);
        self.seen.waited += u64::from(path.conflict() && !conflict);
        self.seen.passed += u64::from(path.seen.passes && pending);
        self.seen.ahead += u64::from(outputs.core.read.is_some() && filling);
        self.seen.ordered += u64::from(unasked && path.asks().is_none());
        self.seen.dropped += u64::from(path.seen.decides && path.seen.drops);
        self.seen.together += u64::from(self.memory.traffic.busy_cycles > bus && issue.issued && !moves_rows);
        let after = self.unit.model.core.registers.log.error;
        self.seen.replaced += u64::from(error.code != 0 && after.code != 0 && after != error);
        self.activity.cycles += 1;
        self.activity.busy += u64::from(outputs.core.busy);
        self.activity.bus += self.memory.traffic.busy_cycles - bus;
        self.activity.transpose += u64::from(before != (path.tmu.entering, path.tmu.leaving, path.tmu.read.is_some()));
        self.activity.compute += u64::from(issue.issued && !moves_rows);
        self.activity.rows += u64::from(issue.issued && moves_rows);
        Ok(outputs)
    }

    /// What has happened since this was last asked.
    pub fn seen(&mut self) -> [(&'static str, u64); 7] {
        let seen = std::mem::take(&mut self.seen);
        [
            ("a command passes a transfer", seen.passed),
            ("a command waits for a transfer's rows", seen.waited),
            ("a load asks while another fills", seen.ahead),
            ("a load waits for a store to its addresses", seen.ordered),
            ("rows are dropped", seen.dropped),
            ("an error takes the place of a later command's", seen.replaced),
            ("the array computes while the bus moves", seen.together),
        ]
    }

    /// Cycles without an access.
    ///
    /// # Errors
    /// As [`Host::cycle`].
    pub fn rest(&mut self, cycles: u64) -> Result<(), Box<Divergence>> {
        (0..cycles).try_for_each(|_| self.cycle(Offer::default()).map(|_| ()))
    }

    /// Writes a register.
    ///
    /// # Errors
    /// As [`Host::cycle`].
    pub fn write(&mut self, offset: u64, data: u32) -> Result<(), Box<Divergence>> {
        let mut offer = Offer {
            write_address: Some(offset as u32),
            write_data: Some((data, 15)),
            take_response: true,
            ..Offer::default()
        };
        loop {
            let outputs = self.cycle(offer)?;
            let axil = &outputs.core.axil;
            if axil.write_address_ready {
                offer.write_address = None;
            }
            if axil.write_data_ready {
                offer.write_data = None;
            }
            if axil.response.is_some() {
                return Ok(());
            }
        }
    }

    /// Reads a register.
    ///
    /// # Errors
    /// As [`Host::cycle`].
    pub fn read(&mut self, offset: u64) -> Result<u32, Box<Divergence>> {
        let mut offer = Offer { read_address: Some(offset as u32), take_data: true, ..Offer::default() };
        loop {
            let outputs = self.cycle(offer)?;
            if outputs.core.axil.read_address_ready {
                offer.read_address = None;
            }
            if let Some((data, _)) = outputs.core.axil.data {
                return Ok(data);
            }
        }
    }

    fn stage(&mut self, number: usize, value: u32) -> Result<(), Box<Divergence>> {
        if self.staged[number] != Some(value) {
            self.write(REG_COMMAND + 4 * number as u64, value)?;
            self.staged[number] = Some(value);
        }
        Ok(())
    }

    /// Pushes a command with this opcode as soon as the queue has room.
    ///
    /// # Errors
    /// As [`Host::cycle`].
    pub fn push(&mut self, command: &Command, opcode: u8) -> Result<(), Box<Divergence>> {
        let rows = |low: u16, low_at: usize, high: u16, high_at: usize| {
            u32::from(low & 0x3ff) << low_at | u32::from(high & 0x3ff) << high_at
        };
        let first = u32::from(opcode) << COMMAND_OPCODE_LSB
            | (command.set as u32) << COMMAND_SET_LSB
            | u32::from(command.width & 0x7f) << COMMAND_WIDTH_LSB
            | u32::from(command.second & 0x7f) << COMMAND_SECOND_LSB;
        self.stage(0, first)?;
        self.stage(1, rows(command.a, COMMAND_A_LSB, command.b, COMMAND_B_LSB))?;
        self.stage(2, rows(command.d, COMMAND_D_LSB, command.e, COMMAND_E_LSB))?;
        self.stage(3, u32::from(command.s & 0x3ff) << COMMAND_S_LSB)?;
        self.stage(4, command.key as u32)?;
        self.stage(5, (command.key >> 32) as u32)?;
        while self.read(REG_STATUS)? >> STATUS_QUEUE_FULL_LSB & 1 == 1 {}
        self.pushes += 1;
        self.write(REG_PUSH, 0)
    }

    /// Pushes a transfer.
    ///
    /// # Errors
    /// As [`Host::cycle`].
    pub fn transfer(&mut self, transfer: &Transfer) -> Result<(), Box<Divergence>> {
        self.push(&transfer.command(), transfer.opcode())
    }

    /// Waits until the unit is idle; then says what the error registers hold, and clears them.
    ///
    /// # Errors
    /// As [`Host::cycle`].
    ///
    /// # Panics
    /// If the unit does not become idle.
    pub fn finish(&mut self) -> Result<Fault, Box<Divergence>> {
        let mut idle = 0;
        for _ in 0..1_000_000 {
            idle = if self.cycle(Offer::default())?.core.busy { 0 } else { idle + 1 };
            if idle == 4 {
                return self.fault();
            }
        }
        panic!("the unit stays busy");
    }

    fn fault(&mut self) -> Result<Fault, Box<Divergence>> {
        let error = self.read(REG_ERROR)?;
        if error == 0 {
            return Ok(Fault::default());
        }
        let index = self.read(REG_ERROR_INDEX)?;
        let address =
            u64::from(self.read(REG_ERROR_ADDRESS_HIGH)?) << 32 | u64::from(self.read(REG_ERROR_ADDRESS_LOW)?);
        self.write(REG_CONTROL, 1 << CONTROL_ERROR_CLEAR_LSB)?;
        let code = u64::from(error >> ERROR_CODE_LSB & 15);
        Ok(Fault { code, operand: u64::from(error >> ERROR_OPERAND_LSB & 7), index, address })
    }

    /// A reset of unit and bus in the middle of whatever they do.
    ///
    /// # Errors
    /// As [`Host::cycle`].
    pub fn reset(&mut self) -> Result<(), Box<Divergence>> {
        let mut inputs = MemoryInputs::default();
        self.memory.drive(&mut inputs);
        self.unit.reset(&inputs)?;
        self.memory.reset();
        (self.pushes, self.staged) = (0, [None; 6]);
        Ok(())
    }
}
