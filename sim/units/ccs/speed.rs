//! How fast the simulators run the compute unit alone and a whole cache compute system: the native engine and Verilator
//! with `-O3`, in one run.
//!
//! The unit gets a step and new operands in every cycle, from the program. The system has its memory inside and runs
//! one command over lines in the cache, without an end.

use std::time::Instant;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::machine::Launch;
use super::top_machine::CcsTopMachine;
use crate::ccs::blocks::{ccs_on_chip, ccs_unit};
use crate::ccs::control::unit_control;
use crate::ccs::registers::{BASE, REG_START};
use crate::ccs::{CcsCommand, CcsGeometry, CcsMemory};
use crate::engine::{Engine, Lookup, engine};
use crate::error::{Error, Result};
use crate::external::tool::find;
use crate::external::verilator::{Build, Verilated};
use crate::kernel::netlist::{NetId, Netlist};

/// Lines of memory inside the system.
const LINES: usize = 64;

/// Clock cycles a second.
#[derive(Clone, Debug, Serialize)]
pub struct CcsSpeed {
    /// What runs.
    pub design: &'static str,
    /// The native engine.
    pub native_cps: f64,
    /// Verilator, if it is installed.
    pub verilator_cps: Option<f64>,
}

/// The unit with new operands in every cycle.
fn unit<E: Engine>(mut engine: E, geometry: &CcsGeometry, cycles: u64) -> f64 {
    let design = engine.design();
    let lanes = |name: &str| -> Vec<NetId> {
        (0..geometry.lanes).filter_map(|k| design.find_net(&format!("{name}_{k}"))).collect()
    };
    let operands = [lanes("a"), lanes("b")].concat();
    let control = unit_control(CcsCommand::named("ADDVV").expect("a command"), false);
    let fixed: Vec<(NetId, u64)> = [
        ("control", control),
        ("step", 1),
        ("step_high", geometry.lanes as u64 - 1),
        ("step_first", 1),
        ("step_last", 1),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((design.find_net(name)?, value)))
    .chain(lanes("mask").into_iter().map(|net| (net, 1)))
    .collect();
    engine.design().inputs.clone().into_iter().for_each(|net| engine.set_input(net, &[0]));
    engine.tick(true);
    fixed.into_iter().for_each(|(net, value)| engine.set_input(net, &[value]));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let values: Vec<Vec<u64>> =
        (0..64).map(|_| operands.iter().map(|_| u64::from(rng.random::<u32>() & geometry.ones())).collect()).collect();
    let started = Instant::now();
    for cycle in 0..cycles as usize {
        engine.set_inputs(&operands, &values[cycle % 64]);
        engine.tick(false);
    }
    cycles as f64 / started.elapsed().as_secs_f64()
}

/// The system in a command that does not end.
fn system<E: Engine>(engine: E, geometry: &CcsGeometry, cycles: u64) -> Result<f64> {
    let mut machine = CcsTopMachine::around(engine, geometry, 0, 1);
    let part = geometry.line_bytes() as u32;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for address in (0..2 * part).step_by(4) {
        machine.write(address, rng.random(), 15)?;
        machine.read(address)?;
    }
    let code = CcsCommand::named("ADDVV").expect("a command").code;
    let launch = Launch { count: u32::MAX, ..Launch::new(code, [0, part, 2 * part], geometry.lanes as u32) };
    for (offset, value) in launch.writes() {
        machine.write((BASE + offset) as u32, value, 15)?;
    }
    machine.write((BASE + REG_START) as u32, 0, 15)?;
    let started = Instant::now();
    machine.engine.run(cycles);
    Ok(cycles as f64 / started.elapsed().as_secs_f64())
}

/// The median of `runs` measurements.
fn median(runs: usize, mut measure: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut all: Vec<f64> = (0..runs).map(|_| measure()).collect::<Result<_>>()?;
    all.sort_by(f64::total_cmp);
    Ok(all[runs / 2])
}

/// Measures both, as medians of `runs` runs of `cycles` cycles.
///
/// # Errors
/// [`Error::Parameter`] if the geometry breaks a rule, or `runs` is 0; [`Error::Tool`] if Verilator fails.
pub fn speed(geometry: &CcsGeometry, cycles: u64, runs: usize) -> Result<Vec<CcsSpeed>> {
    if runs == 0 {
        return Err(Error::parameter("runs", runs, "must be at least 1"));
    }
    let geometry = CcsGeometry { memory: CcsMemory::Line, ..geometry.clone() };
    let (alone, whole) = (ccs_unit(&geometry)?, ccs_on_chip(&geometry, LINES)?);
    let unit_native = median(runs, || Ok(unit(engine(&alone), &geometry, cycles)))?;
    let system_native = median(runs, || system(engine(&whole), &geometry, cycles))?;
    let (unit_verilator, system_verilator) = if find("verilator").is_some() {
        let folder = tempfile::tempdir().map_err(|e| Error::file(std::env::temp_dir(), e))?;
        // Compiled once, and loaded again for each run.
        let model = |netlist: &Netlist| Verilated::build_with(netlist, folder.path(), Build::Fast);
        let of_unit = median(runs, || Ok(unit(model(&alone)?, &geometry, cycles)))?;
        (Some(of_unit), Some(median(runs, || system(model(&whole)?, &geometry, cycles))?))
    } else {
        (None, None)
    };
    Ok(vec![
        CcsSpeed { design: "unit", native_cps: unit_native, verilator_cps: unit_verilator },
        CcsSpeed { design: "system with memory", native_cps: system_native, verilator_cps: system_verilator },
    ])
}

/// As Markdown.
pub fn markdown(speeds: &[CcsSpeed]) -> String {
    let mega = |cps: f64| format!("{:.3}", cps / 1e6);
    let mut text = String::from("| simulated | native, M cycles/s | Verilator -O3, M cycles/s |\n|---|--:|--:|\n");
    for s in speeds {
        let other = s.verilator_cps.map_or("–".into(), mega);
        text += &format!("| {} | {} | {other} |\n", s.design, mega(s.native_cps));
    }
    text
}
