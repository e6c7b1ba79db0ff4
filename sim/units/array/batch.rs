//! Many data sets on one array: rows of each set, one stream of commands, one simulation of the sequencer.
//!
//! The sequencer and the queue are shared; rows, latches and row ports are there for each set. The only way from data
//! to the sequencer is the wired-OR of the tags. A program that branches on it (those of the set `skip` do) runs as
//! long as all data sets would take the same branches, and ends with an error where they would not.

use crate::array::blocks::{Top, design};
use crate::engine::batch::{Batch, Divergence, Sharing};
use crate::engine::{Engine, Lookup, Native};
use crate::error::{Error, Result};
use crate::isa::Command;
use crate::isa::command::ErrorCode;
use crate::kernel::flat::Flat;
use crate::kernel::netlist::NetId;
use crate::machine::check;
use crate::params::Params;
use crate::vectors::Rows;

/// Cycles that no command takes.
const ENDLESS: u64 = 1_000_000;

/// Instances that all sets share.
const SHARED: [&str; 2] = ["commands", "sequencer"];
/// Where rows are kept, as far as a design has it.
const ROWS: [&str; 3] = ["array.sram_0.rows", "array.block_ram_0.rows", "array.block_ram_0.mirror"];
/// Beats of the load port.
const BEATS: &str = "s_axis_tdata";

/// Arrays under the same commands, each with a data set.
pub struct BatchArray<E: Engine = Native> {
    batch: Batch<E>,
    params: Params,
    memories: Vec<usize>,
    tags: usize,
}

impl BatchArray {
    /// So many arrays of these parameters on the native engine, out of reset. Rows hold 0.
    ///
    /// # Errors
    /// [`Error::Parameter`] if parameters break a rule, or for more sets than a batch has; [`Error::Netlist`] when
    /// the design cannot be elaborated.
    pub fn new(params: &Params, sets: usize) -> Result<BatchArray> {
        let flat = Flat::new(&design(params, Top::ComputeUnit)?);
        let memories: Vec<usize> = ROWS.iter().filter_map(|path| flat.find_memory(path)).collect();
        let tags = flat.find_register("array.peripheral.tag").expect("every design has tag latches");
        let sharing = Sharing { sets, data: &[&[BEATS], &present(&flat)[..]].concat(), shared: &SHARED };
        let batch = Batch::new(flat, sharing)?;
        let mut array = BatchArray { batch, params: params.clone(), memories, tags };
        array.batch.design().inputs.clone().into_iter().for_each(|input| array.batch.set_input(input, &[0]));
        array.batch.tick(true).map_err(|d| diverged(&d))?;
        Ok(array)
    }
}

/// The memories with rows that a design has.
fn present(flat: &Flat) -> Vec<&'static str> {
    ROWS.into_iter().filter(|path| flat.find_memory(path).is_some()).collect()
}

fn diverged(divergence: &Divergence) -> Error {
    Error::Tool { tool: "batch".into(), reason: divergence.to_string() }
}

impl<E: Engine> BatchArray<E> {
    /// Parameters of the arrays.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The batch, for whatever has no method here.
    pub fn batch(&mut self) -> &mut Batch<E> {
        &mut self.batch
    }

    /// Rows of a set.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is no such set; [`Error::Tool`] if data sets have diverged.
    pub fn set(&mut self, set: usize) -> Result<SetRows<'_, E>> {
        if set >= self.batch.sets() {
            return Err(Error::parameter("set", set, format!("must be below {}", self.batch.sets())));
        }
        self.batch.check().map_err(|d| diverged(&d))?;
        Ok(SetRows { array: self, set })
    }

    fn net(&self, path: &str) -> NetId {
        self.batch.design().find_net(path).expect("the unit has a command port")
    }

    /// Sets the fields of the command port; `valid` says whether there is a command.
    pub fn offer(&mut self, command: &Command, valid: bool) {
        for (path, value) in std::iter::once(("cmd_valid", valid.into())).chain(command.signals()) {
            let input = self.net(path);
            self.batch.set_input(input, &[value]);
        }
    }

    /// Runs one command to its end, on all sets. Returns its clock cycles, from the first in which it is offered.
    ///
    /// # Errors
    /// [`Error::Command`] when the command is refused, which leaves all sets as they were; [`Error::Tool`] if the data
    /// of some set lead elsewhere than those of set 0.
    pub fn execute(&mut self, command: &Command) -> Result<u64> {
        check(command, &self.params)?;
        let [ready, busy, refused, code] = ["cmd_ready", "busy", "refused", "refused_code"].map(|path| self.net(path));
        self.offer(command, true);
        let mut waits = true;
        for cycles in 0..ENDLESS {
            let batch = &mut self.batch;
            let mut shows = |net| batch.value(0, net).map(|value| value[0]).map_err(|d| diverged(&d));
            if !waits && shows(busy)? == 0 {
                return Ok(cycles);
            }
            if shows(refused)? == 1 {
                let code = ErrorCode::from_code(shows(code)?).unwrap_or(ErrorCode::Opcode);
                let reason = format!("refused by the sequencer: {}", code.description());
                self.offer(command, false);
                return Err(Error::Command { command: command.to_string(), code: code as u8, reason });
            }
            let taken = shows(ready)? == 1;
            self.batch.tick(false).map_err(|d| diverged(&d))?;
            if waits && taken {
                waits = false;
                self.offer(command, false);
            }
        }
        Err(Error::Tool { tool: "batch".into(), reason: format!("{command} does not end in {ENDLESS} cycles") })
    }
}

/// The rows of one set; the sets have not diverged.
pub struct SetRows<'a, E: Engine = Native> {
    array: &'a mut BatchArray<E>,
    set: usize,
}

impl<E: Engine> SetRows<'_, E> {
    /// The tag latches, column k in bit k.
    pub fn tags(&self) -> Vec<u64> {
        self.array.batch.register(self.set, self.array.tags).expect("no cycle has passed since somebody looked")
    }

    /// Replaces the tag latches.
    pub fn set_tags(&mut self, tags: &[u64]) {
        self.array.batch.set_register(self.set, self.array.tags, tags);
    }
}

impl<E: Engine> Rows for SetRows<'_, E> {
    fn columns(&self) -> usize {
        self.array.params.columns
    }

    fn row(&self, row: usize) -> Vec<u64> {
        let memory = self.array.memories[0];
        self.array.batch.word(self.set, memory, row).expect("no cycle has passed since somebody looked")
    }

    fn set_row(&mut self, row: usize, bits: &[u64]) {
        for &memory in &self.array.memories {
            self.array.batch.set_word(self.set, memory, row, bits);
        }
    }
}

#[cfg(test)]
mod tests;
