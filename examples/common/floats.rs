//! Numbers of binary32 on an array whose columns take two bits of a multiplier a cycle: rounded to nearest, subnormal
//! numbers kept, so that results are those of any processor, bit by bit.

use bitline::error::Result;
use bitline::isa::format::F32;
use bitline::isa::{Command, Opcode};
use bitline::presets;
use bitline::sim::machine::{Machine, MachineRows};
use bitline::sim::vectors::{read_elements, write_elements};

use crate::common::{self, Cycles};

/// Rows of a number.
pub const ROWS: u16 = F32.bits() as u16;
/// Scratch rows of operations are from here on.
const SCRATCH: u16 = 384;

/// An array of binary32 numbers: a number a column.
pub struct Floats {
    machine: Box<dyn Machine>,
    cycles: Cycles,
}

impl Floats {
    /// The `default` preset with floating point, radix 4 and 512 rows.
    pub fn new() -> Result<Floats> {
        let mut params = presets::preset("default")?;
        (params.float, params.radix, params.rows) = (true, 4, 512);
        Ok(Floats { machine: common::machine(&params)?, cycles: Cycles::default() })
    }

    /// How many numbers it takes at a time.
    pub fn columns(&self) -> usize {
        self.machine.params().columns
    }

    /// Writes elements of so many bits, one a column, from a row on.
    pub fn write(&mut self, row: u16, width: usize, elements: &[u128]) {
        write_elements(&mut MachineRows(self.machine.as_mut()), row.into(), width, elements);
    }

    /// Reads elements of all columns.
    pub fn read(&mut self, row: u16, width: usize) -> Vec<u128> {
        read_elements(&MachineRows(self.machine.as_mut()), row.into(), width)
    }

    /// Writes numbers, one a column; columns without one keep what they hold.
    pub fn write_numbers(&mut self, row: u16, numbers: &[f32]) {
        let bits: Vec<u128> = numbers.iter().map(|number| number.to_bits().into()).collect();
        self.write(row, ROWS.into(), &bits);
    }

    /// Writes the same number to every column.
    pub fn write_same(&mut self, row: u16, number: f32) {
        self.write_numbers(row, &vec![number; self.columns()]);
    }

    /// d ← what the operation makes of a and b, all of them numbers or, of comparisons, d a row.
    pub fn run(&mut self, opcode: Opcode, d: u16, a: u16, b: u16) -> Result<()> {
        self.execute(Command { a, b, d, second: F32.m(), ..Command::new(opcode, F32.n()) })
    }

    /// Any command; its scratch rows are given.
    pub fn execute(&mut self, command: Command) -> Result<()> {
        self.cycles.execute(self.machine.as_mut(), Command { s: SCRATCH, ..command })
    }

    /// Prints the cycles of what was run, and what they come to for one element.
    pub fn print(&self, elements: usize) {
        self.cycles.print(self.machine.as_ref(), elements);
    }
}
