//! What an operation takes, estimated: rows that it reads and writes and latches that it updates, as counted, times
//! published energies. Sequencer, ROMs, drivers and clock are not in it, and nothing of it is measured.

use serde::{Deserialize, Serialize};

use crate::constant::{Constant, read};
use crate::error::Result;
use crate::machine::Accesses;
use crate::units::duality::report::energy::Constants as Power;

const CONSTANTS: &str = include_str!("energy.toml");

/// The constants of this table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Constants {
    /// An access to a line of a cache, pJ.
    access_picojoules: Constant,
    /// Bits of that line.
    access_bits: Constant,
    /// Of the power of the periphery, GHz.
    clock: Constant,
    /// Columns of an array.
    columns: Constant,
}

/// Energies of one column.
#[derive(Clone, Debug, PartialEq)]
pub struct Energies {
    constants: Constants,
    power: Power,
}

impl Energies {
    /// Reads the constants.
    ///
    /// # Errors
    /// [`Error::Tool`](crate::error::Error::Tool) if a file does not have what it must have.
    pub fn read() -> Result<Energies> {
        Ok(Energies { constants: read(CONSTANTS)?, power: Power::read()? })
    }

    /// Columns of the array for which energies of whole rows are.
    pub fn columns(&self) -> f64 {
        self.constants.columns.value
    }

    /// A row, read or written, in one column, pJ.
    pub fn row(&self) -> f64 {
        self.constants.access_picojoules.value / self.constants.access_bits.value
    }

    /// An update of a latch, pJ: the periphery of a column in a cycle, in which an addition updates one.
    pub fn latch(&self) -> f64 {
        1e12 * self.power.peripheral(1e9 * self.constants.clock.value) / self.columns()
    }

    /// What the accesses take in every column of an array, pJ, to a hundredth.
    pub fn estimate(&self, accesses: &Accesses) -> f64 {
        let rows = (accesses.rows_read + accesses.rows_written) as f64;
        let column = rows * self.row() + accesses.latch_updates as f64 * self.latch();
        (100.0 * column * self.columns()).round() / 100.0
    }

    /// What an estimate for the whole array is for each bit of its elements, pJ, to a thousandth.
    pub fn per_bit(&self, energy: f64, width: u8) -> f64 {
        (1000.0 * energy / self.columns() / f64::from(width)).round() / 1000.0
    }

    /// What is estimated, and from what, in words.
    pub fn text(&self) -> String {
        let own = &self.constants;
        let table = [
            ("an access to a line, pJ", &own.access_picojoules),
            ("bits of the line", &own.access_bits),
            ("power of the periphery of a die's arrays, W", &self.power.peripheral_watts),
            ("control blocks of the die", &self.power.die_blocks),
            ("arrays of a bank at work, for this power", &self.power.parallelism),
            ("part of the cycles, for this power", &self.power.activity),
            ("clock, GHz", &own.clock),
            ("columns of an array", &own.columns),
        ];
        let lines = table.map(|(name, constant)| format!("| {name} | {} | {} |\n", constant.value, constant.source));
        format!(
            "Energy is an ESTIMATE, in pJ for an array of {} columns: {:.3} for each bit of a row that is read or \
             written, {:.4} for each update of a latch. Sequencer, ROMs, drivers and clock are not in it.\n\n\
             | constant | value | source |\n|---|--:|---|\n{}",
            self.columns(),
            self.row(),
            self.latch(),
            lines.concat()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_by_hand() {
        let energies = Energies::read().expect("complete");
        // 467 pJ for 512 bits; 2.96 W over 280 · 4 · 1.25 · 0.1 arrays of 256 columns at 2.6 GHz.
        assert!((energies.row() - 0.912_11).abs() < 1e-5, "{}", energies.row());
        assert!((energies.latch() - 0.031_765).abs() < 1e-6, "{}", energies.latch());
        // Eight additions of a bit: 256 · (24 · 0.912109375 + 10 · 0.0317651) = 5604.00 + 81.32.
        let found = energies.estimate(&Accesses { rows_read: 16, rows_written: 8, latch_updates: 10 });
        assert!((found - 5685.32).abs() < 0.011, "{found}");
        assert!((energies.per_bit(found, 8) - 2.776).abs() < 1e-9);
        for source in ["Fujiki", "Duality Cache"] {
            assert!(energies.text().contains(source), "{}", energies.text());
        }
    }
}
