//! How long vectors take from memory through the array and back: two loads, an addition and a store, measured on the
//! hardware's netlist in lock step with its model.

use std::fmt::Write as _;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::AxiMemory;
use super::host::{Activity, Fault, Host};
use crate::array::blocks::{Top, design};
use crate::engine::{Native, engine};
use crate::error::{Error, Result};
use crate::isa::transfer::{Transfer, element_bytes};
use crate::isa::{Command, Opcode};
use crate::lockstep::Divergence;
use crate::lockstep::array::MemoryLockstep;
use crate::params::{MemoryPort, Params};
use crate::presets::preset;

const BASE: u64 = 0x1000_0000;
/// Cycles of the simulated memory from an address to its data.
const LATENCY: u64 = 20;

/// What the vectors are and what moves them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Bits of an element.
    pub width: u8,
    /// Vectors of each operand, one after the other.
    pub vectors: u16,
    /// The way to memory.
    pub memory_port: MemoryPort,
}

/// One run, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// What was run.
    pub setting: Setting,
    /// Elements of a vector.
    pub elements: usize,
    /// From the first command to the last response.
    pub total: u64,
    /// In which a burst was outstanding or a beat moved.
    pub bus: u64,
    /// In which the transpose memory unit took or gave a beat.
    pub transpose: u64,
    /// In which the array issued a row of the addition.
    pub compute: u64,
    /// In which the array issued a row to load or store.
    pub rows: u64,
    /// The same commands, each after the one before has ended.
    pub one_by_one: u64,
}

impl Figures {
    /// What the parts would take one after the other.
    pub fn sum(&self) -> u64 {
        self.bus + self.transpose + self.compute + self.rows
    }
}

fn diverged(d: Box<Divergence>) -> Error {
    Error::Tool { tool: "simulation".into(), reason: d.to_string() }
}

fn host(params: &Params) -> Result<Host<Native>> {
    let netlist = design(params, Top::Registers)?;
    let mut memory = AxiMemory::new(BASE, 1 << 17, params.memory_port.bus_bits() as u64 / 8, 1);
    memory.latency = LATENCY;
    Ok(Host::new(MemoryLockstep::new(engine(&netlist), params, 1), memory))
}

/// Runs the commands of `setting` and checks the sums; `wait` lets each command end before the next. Returns what the
/// unit was doing.
fn run(params: &Params, setting: &Setting, wait: bool) -> Result<Activity> {
    let mut host = host(params)?;
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(setting.width));
    let (n, columns) = (setting.width, params.columns as u64);
    let bytes = element_bytes(n);
    let vector = columns * u64::from(bytes);
    let place = |operand: u64, number: u16| BASE + (3 * u64::from(number) + operand) * vector;
    let mask = u64::MAX >> (64 - u32::from(n));
    for number in 0..setting.vectors {
        for (operand, k) in (0..2).flat_map(|operand| (0..columns).map(move |k| (operand, k))) {
            host.memory.set_element(place(operand, number) + k * u64::from(bytes), bytes, rng.random::<u64>() & mask);
        }
    }
    host.activity = Activity::default();
    let rows = |number: u16| 3 * u16::from(n) * (number % 2);
    let transfer = |store, row, address| Transfer { store, width: n, row, count: columns as u16, address, stride: 0 };
    let mut steps: Vec<Step> = Vec::new();
    // The loads of a vector come before the addition of the one before: rows for two vectors take turns.
    for number in 0..=setting.vectors {
        if number < setting.vectors {
            let row = rows(number);
            steps.push(Step::Move(transfer(false, row, place(0, number))));
            steps.push(Step::Move(transfer(false, row + u16::from(n), place(1, number))));
        }
        if let Some(before) = number.checked_sub(1) {
            let row = rows(before);
            let (a, b, d) = (row, row + u16::from(n), row + 2 * u16::from(n));
            steps.push(Step::Add(Command { a, b, d, ..Command::new(Opcode::Add, n) }));
            steps.push(Step::Move(transfer(true, d, place(2, before))));
        }
    }
    for step in steps {
        match step {
            Step::Move(transfer) => host.transfer(&transfer).map_err(diverged)?,
            Step::Add(command) => host.push(&command, command.opcode as u8).map_err(diverged)?,
        }
        if wait {
            finish(&mut host)?;
        }
    }
    finish(&mut host)?;
    for number in 0..setting.vectors {
        for k in 0..columns {
            let at = |operand| host.memory.element(place(operand, number) + k * u64::from(bytes), bytes);
            let (sum, expected) = (at(2), at(0).wrapping_add(at(1)) & mask);
            if sum != expected {
                let reason = format!("vector {number}, element {k}: {sum} instead of {expected}");
                return Err(Error::Tool { tool: "simulation".into(), reason });
            }
        }
    }
    Ok(host.activity)
}

enum Step {
    Move(Transfer),
    Add(Command),
}

fn finish(host: &mut Host<Native>) -> Result<()> {
    let fault = host.finish().map_err(diverged)?;
    if fault == Fault::default() {
        return Ok(());
    }
    Err(Error::Tool { tool: "simulation".into(), reason: format!("the unit tells of {fault:?}") })
}

/// Measures a setting on the preset `default`.
///
/// # Errors
/// [`Error::Tool`] if hardware, model and plain integers do not agree.
pub fn measure(setting: &Setting) -> Result<Figures> {
    let params = Params { memory_port: setting.memory_port, ..preset("default")? };
    let activity = run(&params, setting, false)?;
    let one_by_one = run(&params, setting, true)?.busy;
    Ok(Figures {
        setting: *setting,
        elements: params.columns,
        total: activity.busy,
        bus: activity.bus,
        transpose: activity.transpose,
        compute: activity.compute,
        rows: activity.rows,
        one_by_one,
    })
}

/// Every setting that is measured.
pub fn settings() -> Vec<Setting> {
    let vectors = [1, 8];
    let one = |width, memory_port| vectors.map(|vectors| Setting { width, vectors, memory_port });
    [(32, MemoryPort::Axi64), (32, MemoryPort::Axi512), (8, MemoryPort::Axi64)]
        .into_iter()
        .flat_map(|(w, p)| one(w, p))
        .collect()
}

/// The figures as a Markdown table.
pub fn markdown(figures: &[Figures]) -> String {
    let mut text = String::from(
        "| vectors | bus | total | one by one | bus moves | transpose | compute | rows in and out | sum of the four |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for f in figures {
        let Setting { width, vectors, memory_port } = f.setting;
        let _ = writeln!(
            text,
            "| {vectors} × {} × {width} bits | {} bits | {} | {} | {} | {} | {} | {} | {} |",
            f.elements,
            memory_port.bus_bits(),
            f.total,
            f.one_by_one,
            f.bus,
            f.transpose,
            f.compute,
            f.rows,
            f.sum()
        );
    }
    let _ = writeln!(
        text,
        "\nload a, load b, add, store, for each vector; preset default; memory answers {LATENCY} cycles after an \
         address. Cycles."
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_overlap() {
        let setting = Setting { width: 8, vectors: 2, memory_port: MemoryPort::Axi64 };
        let figures = measure(&setting).unwrap_or_else(|e| panic!("{e}"));
        assert!(figures.total < figures.sum() && figures.total < figures.one_by_one, "{figures:?}");
        assert_eq!(figures.compute, 2 * 8);
        assert_eq!(figures.rows, 2 * 3 * 8);
        assert!(markdown(&[figures]).contains("2 × 256 × 8 bits"));
    }
}
