//! Energy and power of commands, estimated: what the cycle model counts while it runs beside the hardware, times
//! published constants (`energy.toml`). Nothing of it is measured: an order of magnitude, and which command takes more
//! than which.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ccs::CcsGeometry;
use crate::constant::{Constant, read};
use crate::error::Result;
use crate::model::ccs::core::Events;

const CONSTANTS: &str = include_str!("energy.toml");

/// The constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constants {
    /// Addition of 32 bits, pJ.
    pub adder: Constant,
    /// Multiplication of 32 bits, pJ.
    pub multiplier: Constant,
    /// Access of 64 bits to the store, pJ.
    pub store: Constant,
    /// Access of 64 bits to main memory, pJ.
    pub memory: Constant,
    /// How many times as much an FPGA takes.
    pub fpga: Constant,
    /// Clock, MHz.
    pub clock: Constant,
    /// Dynamic power of the paper's system, mW.
    pub paper_dynamic: Constant,
    /// Static power of its device, mW.
    pub paper_static: Constant,
}

/// What a command is estimated to take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Cycles in which it runs.
    pub cycles: u32,
    /// Elements that went through a lane.
    pub lane_operations: u64,
    /// Operations of the reduction tree's nodes and of the accumulator.
    pub tree_operations: u64,
    /// Rows of the store's copies that were read or written.
    pub store_rows: u64,
    /// Lines that were read from memory and written to it.
    pub memory_lines: u64,
    /// Dynamic energy as a circuit of its own in 45 nm, nJ.
    pub circuit_nj: f64,
    /// The same in an FPGA, nJ.
    pub fpga_nj: f64,
    /// Mean dynamic power of the latter, mW.
    pub fpga_mw: f64,
}

impl Constants {
    /// Reads them.
    ///
    /// # Errors
    /// [`Error::Tool`](crate::error::Error::Tool) if the file does not have what it must have.
    pub fn read() -> Result<Constants> {
        read(CONSTANTS)
    }

    /// The estimate for what was counted in so many cycles.
    pub fn estimate(&self, geometry: &CcsGeometry, events: &Events, cycles: u32) -> Estimate {
        // A step reads a row of each copy; what is written goes to both.
        let store_rows = 2 * events.steps + 2 * events.rows_written;
        let memory_lines = events.lines_read + events.lines_written;
        let words = geometry.line_bytes() as f64 / 8.0;
        let width = geometry.element_bits as f64 / 32.0;
        // Whatever a command does goes through adder and multiplier.
        let lane = (self.adder.value + self.multiplier.value) * width;
        let picojoules = events.elements as f64 * lane
            + events.nodes as f64 * self.adder.value * width
            + store_rows as f64 * words * self.store.value
            + memory_lines as f64 * words * self.memory.value;
        let circuit_nj = picojoules / 1000.0;
        let fpga_nj = circuit_nj * self.fpga.value;
        Estimate {
            cycles,
            lane_operations: events.elements,
            tree_operations: events.nodes,
            store_rows,
            memory_lines,
            circuit_nj,
            fpga_nj,
            // nJ in cycles of 1000 / clock ns.
            fpga_mw: fpga_nj * self.clock.value / f64::from(cycles.max(1)),
        }
    }

    /// What the paper's dynamic power takes in so many cycles, nJ.
    pub fn paper_nj(&self, cycles: u32) -> f64 {
        self.paper_dynamic.value / self.clock.value * f64::from(cycles)
    }

    /// What is estimated, and from what, in words.
    pub fn text(&self) -> String {
        let mut sources: BTreeMap<&str, ()> = BTreeMap::new();
        let all = [&self.adder, &self.multiplier, &self.store, &self.memory, &self.fpga, &self.clock];
        let listed: Vec<String> = all
            .into_iter()
            .filter(|constant| sources.insert(&constant.source, ()).is_none())
            .map(|constant| format!("- {}: {}", constant.value, constant.source))
            .collect();
        format!(
            "Energy and power are an ESTIMATE: elements in lanes, nodes of the tree, rows of the store and lines of \
             memory, as counted, times published energies (45 nm), times what an FPGA takes more. Clock, control, \
             wires and the processor are not in it; powers are at {} MHz. The paper's Table I, by Vivado for its own \
             design: {} mW dynamic, {} mW static of the device.\nConstants (pJ, times, MHz):\n{}\n",
            self.clock.value,
            self.paper_dynamic.value,
            self.paper_static.value,
            listed.join("\n")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_by_hand() {
        let constants = Constants::read().expect("complete");
        let geometry = CcsGeometry::preset("vc709").expect("named");
        let events = Events {
            steps: 1,
            elements: 64,
            nodes: 64,
            rows_written: 1,
            lines_read: 1,
            lines_written: 1,
            ..Events::default()
        };
        let found = constants.estimate(&geometry, &events, 20);
        // 64 · 3.2 + 64 · 0.1 + 4 · 32 · 10 + 2 · 32 · 100 pJ.
        assert!((found.circuit_nj - 7.8912).abs() < 1e-9, "{found:?}");
        assert!((found.fpga_nj - 7.8912 * 14.0).abs() < 1e-9);
        // Over 200 ns.
        assert!((found.fpga_mw - 7.8912 * 14.0 / 0.2).abs() < 1e-6);
        assert_eq!((found.store_rows, found.memory_lines), (4, 2));
        assert!((constants.paper_nj(20) - 158.6).abs() < 1e-9);
    }
}
