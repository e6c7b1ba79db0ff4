//! Figure 8: energy, estimated. What the model counts is taken times published powers and energies (`energy.toml`);
//! nothing of it is measured.

use serde::{Deserialize, Serialize};

use super::measure::Cost;
use crate::constant::{Constant, read};
use crate::error::Result;

const CONSTANTS: &str = include_str!("energy.toml");

/// The constants, with units in their names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constants {
    /// Power of the peripherals of all arrays of a die, W.
    pub peripheral_watts: Constant,
    /// Power of its controllers, W.
    pub controller_watts: Constant,
    /// Power of what moves data between arrays and cache ways, W.
    pub transfer_watts: Constant,
    /// Control blocks of a die.
    pub die_blocks: Constant,
    /// Arrays of a bank that compute at once, for these powers.
    pub parallelism: Constant,
    /// Part of the cycles in which they do.
    pub activity: Constant,
    /// Rows of an array in a cycle of computing, pJ.
    pub array_picojoules: Constant,
    /// A line of a cache way with its way there, pJ.
    pub line_picojoules: Constant,
    /// A bit of memory, pJ.
    pub memory_picojoules_a_bit: Constant,
    /// A core of the host, W.
    pub core_watts: Constant,
}

/// What a program takes by the estimate, in mJ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Energy {
    /// A core of the host, which is active all the time.
    pub core: f64,
    /// Memory.
    pub memory: f64,
    /// Loads and stores: cache ways, transpose memory units, what keeps track of misses.
    pub accesses: f64,
    /// Arrays and controllers.
    pub compute: f64,
}

/// Banks of four arrays in a control block of the paper.
const BANKS: f64 = 4.0;
/// Bytes of a line, and of a word that a request is for.
const LINE: f64 = 64.0;
const WORD: f64 = 8.0;

impl Constants {
    /// Reads them.
    ///
    /// # Errors
    /// [`Error::Tool`](crate::error::Error::Tool) if the file does not have what it must have.
    pub fn read() -> Result<Constants> {
        read(CONSTANTS)
    }

    /// Energy of an array's periphery in a cycle of computing at this clock, Hz, in J.
    pub fn peripheral(&self, clock: f64) -> f64 {
        let at_work = self.die_blocks.value * BANKS * self.parallelism.value * self.activity.value;
        self.peripheral_watts.value / at_work / clock
    }

    /// The estimate for what programs took at this clock, Hz.
    pub fn estimate(&self, cost: &Cost, clock: f64) -> Energy {
        let a_block = |watts: &Constant| watts.value / self.die_blocks.value / clock;
        let array = self.peripheral(clock) + self.array_picojoules.value * 1e-12;
        let lines = (cost.requests.misses + cost.requests.written_back) as f64;
        let line = self.line_picojoules.value * 1e-12;
        let core = self.core_watts.value * cost.cycles as f64 / clock;
        let memory = lines * LINE * 8.0 * self.memory_picojoules_a_bit.value * 1e-12;
        let accesses = cost.asked() as f64 * line * WORD / LINE
            + lines * line
            + cost.words_of_memory as f64 * a_block(&self.transfer_watts);
        let compute = cost.arrays as f64 * array + cost.control_blocks as f64 * a_block(&self.controller_watts);
        let [core, memory, accesses, compute] = [core, memory, accesses, compute].map(|joules| joules * 1e3);
        Energy { core, memory, accesses, compute }
    }

    /// The constants with their sources, a line each.
    pub fn text(&self) -> String {
        let named = [
            ("peripherals of a die, W", &self.peripheral_watts),
            ("controllers of a die, W", &self.controller_watts),
            ("transfers in a die, W", &self.transfer_watts),
            ("control blocks of a die", &self.die_blocks),
            ("arrays of a bank at work, for these", &self.parallelism),
            ("part of the cycles, for these", &self.activity),
            ("rows of an array in a cycle, pJ", &self.array_picojoules),
            ("a line of a cache way, pJ", &self.line_picojoules),
            ("a bit of memory, pJ", &self.memory_picojoules_a_bit),
            ("a core, W", &self.core_watts),
        ];
        let line =
            |(name, constant): (&str, &Constant)| format!("| {name} | {} | {} |\n", constant.value, constant.source);
        format!("| constant | value | source |\n|---|--:|---|\n{}", named.map(line).concat())
    }
}

impl Energy {
    /// All of it.
    pub fn all(&self) -> f64 {
        self.core + self.memory + self.accesses + self.compute
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::duality::hardware::Requests;

    #[test]
    fn an_estimate_by_hand() {
        let constants = Constants::read().expect("complete");
        let clock = 2.6e9;
        // 2.96 W over 280 · 4 · 1.25 · 0.1 arrays at 2.6 GHz.
        assert!((constants.peripheral(clock) - 8.13e-12).abs() < 0.01e-12, "{}", constants.peripheral(clock));
        let requests = Requests { hits: 700_000, misses: 100_000, merges: 200_000, written_back: 100_000 };
        let cost =
            Cost { cycles: 2_600_000, control_blocks: 28_000_000, arrays: 1_000_000, requests, ..Cost::default() };
        let found = constants.estimate(&cost, clock);
        // A millisecond of 10.4 W; 200,000 lines of 512 bits.
        assert!((found.core - 10.4).abs() < 1e-9, "{found:?}");
        assert!((found.memory - 200_000.0 * 512.0 * 20.3e-9).abs() < 1e-9, "{found:?}");
        // A million words, an eighth of a line each, and the lines that come and go.
        assert!((found.accesses - (125_000.0 + 200_000.0) * 2452e-9).abs() < 1e-9, "{found:?}");
        // A million cycles of arrays, and 0.33 W of 280 blocks for 28 million.
        let compute = 1e3 * (1e6 * (8.0e-12 + constants.peripheral(clock)) + 0.33 / 280.0 * 28e6 / 2.6e9);
        assert!((found.compute - compute).abs() < 1e-9, "{found:?}");
        assert!((found.all() - found.core - found.memory - found.accesses - found.compute).abs() < 1e-12);
    }
}
