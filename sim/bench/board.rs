//! A whole board system over the pins of its UART: the cache compute system runs a command that does not end, while a
//! host pushes multiplications into the array's queue and reads its status.

use super::array::load;
use super::{Check, Design, Load, check};
use crate::array::registers::{REG_COMMAND, REG_STATUS};
use crate::ccs::registers::REG_START;
use crate::ccs::{CcsCommand, CcsGeometry};
use crate::engine::{Engine, engine};
use crate::error::Result;
use crate::host_link::array::staged_words;
use crate::host_link::simulated::{EnginePins, Pins};
use crate::isa::Command;
use crate::kernel::netlist::Netlist;
use crate::lockstep::board::BoardLockstep;
use crate::model::board::system::SystemInputs;
use crate::system::SystemParams;
use crate::system::blocks::{LOG2_BUS_TIMEOUT, system_top};
use crate::system::protocol::{ARRAY_BASE, CCS_BASE, CCS_MEMORY_BASE, Operation, Request};
use crate::units::ccs::machine::Launch;

/// Bytes that the line is quiet after a request, longer than a reply takes.
const QUIET: usize = 24;
/// Bits of a byte on the line.
const BITS: usize = 10;

/// A board's system.
pub struct Board {
    params: SystemParams,
    command: Command,
}

impl Board {
    /// The system of these parameters.
    ///
    /// # Errors
    /// As [`load`].
    pub fn new(params: &SystemParams) -> Result<Board> {
        Ok(Board { params: params.clone(), command: load(&params.array)? })
    }

    /// Levels of the line, a bit each: those before the measurement, and those that repeat in it.
    fn line(&self) -> [Vec<bool>; 2] {
        let geometry: &CcsGeometry = &self.params.ccs;
        let part = geometry.line_bytes() as u32;
        let code = CcsCommand::named("ADDVV").expect("a command").code;
        let launch = Launch { count: u32::MAX, ..Launch::new(code, [0, part, 2 * part], geometry.lanes as u32) };
        let mut first = Vec::new();
        for base in [0, part] {
            let words: Vec<u32> = (0..part / 4).map(|word| 0x9e37_79b9_u32.wrapping_mul(base + word + 1)).collect();
            first.extend(write(CCS_MEMORY_BASE + base, &words));
        }
        for (offset, value) in launch.writes() {
            first.extend(write(CCS_BASE + offset as u32, &[value]));
        }
        first.extend(write(CCS_BASE + REG_START as u32, &[0]));
        let mut pushed = staged_words(&self.command, self.command.opcode as u8).to_vec();
        // The register behind the staged ones pushes.
        pushed.push(0);
        let mut again = write(ARRAY_BASE + REG_COMMAND as u32, &pushed);
        let status = ARRAY_BASE + REG_STATUS as u32;
        let request =
            Request { operation: Operation::Read, fixed: false, tag: 2, address: status, count: 1, words: vec![] };
        again.extend(on_line(&request));
        [first, again]
    }
}

fn write(address: u32, words: &[u32]) -> Vec<bool> {
    let count = words.len() as u16;
    on_line(&Request { operation: Operation::Write, fixed: false, tag: 1, address, count, words: words.to_vec() })
}

/// Start bit, eight data bits and stop bit of each byte, and the pause in which the reply comes.
fn on_line(request: &Request) -> Vec<bool> {
    let bits = |byte: u8| (0..BITS).map(move |bit| (u16::from(byte) << 1 | 1 << (BITS - 1)) >> bit & 1 == 1);
    let mut line: Vec<bool> = request.encode().into_iter().flat_map(bits).collect();
    line.resize(line.len() + QUIET * BITS, true);
    line
}

/// What is on the line, cycle by cycle.
struct Line {
    levels: Vec<bool>,
    cycles_a_bit: u64,
    cycle: u64,
}

impl Line {
    /// The level, and how many cycles it stays for sure.
    fn now(&self) -> (bool, u64) {
        let bit = self.cycle / self.cycles_a_bit;
        (self.levels[bit as usize % self.levels.len()], (bit + 1) * self.cycles_a_bit - self.cycle)
    }

    fn pass(&mut self, pins: &mut impl Pins, cycles: u64) {
        let end = self.cycle + cycles;
        while self.cycle < end {
            let (level, left) = self.now();
            let cycles = left.min(end - self.cycle);
            pins.set_rxd(level);
            pins.run(cycles as u32);
            self.cycle += cycles;
        }
    }
}

impl Design for Board {
    fn netlist(&self) -> Result<Netlist> {
        system_top(&self.params)
    }

    fn load<'a, E: Engine + 'a>(&self, engine: E) -> Result<Box<dyn Load + 'a>> {
        let [first, levels] = self.line();
        let mut pins = EnginePins::new(engine, &self.params.name)?;
        let cycles_a_bit = self.params.cycles_a_bit().into();
        let cycles = first.len() as u64 * cycles_a_bit;
        Line { levels: first, cycles_a_bit, cycle: 0 }.pass(&mut pins, cycles);
        Ok(Box::new(Connected { pins, line: Line { levels, cycles_a_bit, cycle: 0 } }))
    }

    fn check(&self) -> Result<Check> {
        let [first, levels] = self.line();
        let mut checked = BoardLockstep::new(engine(&self.netlist()?), &self.params, LOG2_BUS_TIMEOUT, 1);
        let cycles_a_bit = self.params.cycles_a_bit().into();
        let before = first.len() as u64 * cycles_a_bit;
        let mut first = Line { levels: first, cycles_a_bit, cycle: 0 };
        let mut again = Line { levels, cycles_a_bit, cycle: 0 };
        let mut cycle = check(move || {
            let line = if first.cycle < before { &mut first } else { &mut again };
            let (rxd, _) = line.now();
            line.cycle += 1;
            checked.cycle(&SystemInputs { rxd, ..SystemInputs::default() }).map(drop)
        });
        cycle(before)?;
        Ok(cycle)
    }
}

/// The board and its line.
struct Connected<E: Engine> {
    pins: EnginePins<E>,
    line: Line,
}

impl<E: Engine> Load for Connected<E> {
    fn run(&mut self, cycles: u64) {
        self.line.pass(&mut self.pins, cycles);
    }

    fn engine(&mut self) -> &mut dyn Engine {
        &mut self.pins.engine
    }
}
