//! What the examples on the array share: what they print with, their machine, and its cycles.

use bitline::error::Result;
use bitline::isa::{Command, Opcode};
use bitline::params::Params;
use bitline::sim::data::output::print;
use bitline::sim::machine::{Engine, Machine};

/// Prints a line. A reader that has gone away wants no more; where nothing can be written, the example ends.
macro_rules! say {
    ($($text:tt)*) => { $crate::common::line(&format!($($text)*)) };
}
pub(crate) use say;

/// Prints a line: see `say!`.
pub fn line(text: &str) {
    if let Err(error) = print(&format!("{text}\n")) {
        eprintln!("error: {error}");
        std::process::exit(2);
    }
}

/// An array, in lock step with its model.
pub fn machine(params: &Params) -> Result<Box<dyn Machine>> {
    Engine::DEFAULT.machine(params, 1)
}

/// Cycles of the commands run, by operation.
#[derive(Default)]
pub struct Cycles {
    by_opcode: Vec<(Opcode, u64, u64)>,
}

impl Cycles {
    /// Runs a command and counts its cycles.
    pub fn execute(&mut self, machine: &mut dyn Machine, command: Command) -> Result<()> {
        let timing = machine.execute(command)?;
        match self.by_opcode.iter_mut().find(|(opcode, ..)| *opcode == command.opcode) {
            Some((_, runs, cycles)) => {
                *runs += 1;
                *cycles += timing.rtl_cycles;
            }
            None => self.by_opcode.push((command.opcode, 1, timing.rtl_cycles)),
        }
        Ok(())
    }

    /// Prints the counts, and what they come to for one element.
    pub fn print(&self, machine: &dyn Machine, elements: usize) {
        let p = machine.params();
        say!("{} rows × {} columns, {} sensing, {} memory", p.rows, p.columns, p.sensing, p.memory);
        for (opcode, runs, cycles) in &self.by_opcode {
            say!("{:>12} × {runs:<6} {cycles:>10} cycles", opcode.mnemonic());
        }
        let total: u64 = self.by_opcode.iter().map(|(.., cycles)| cycles).sum();
        say!(
            "{:>12}   {:6} {total:>10} cycles, {:.2} for each of {elements} elements",
            "all",
            "",
            total as f64 / elements as f64
        );
        say!("{:>12}   {:6} {:>10} clock cycles with the time between commands", "", "", machine.cycle());
    }
}
