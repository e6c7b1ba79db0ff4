//! How fast the simulators run: the native engine without and with the model's check, and Verilator on the emitted
//! Verilog, in one run.
//!
//! Verilator is built with `-O3` (its makefile would append `-Os`), keeps no state but ports, and is clocked inside C++
//! where the inputs stay as they are. Runs alternate between the simulators, and each figure is the median of its runs:
//! the machines are noisy. Afterwards both must show the same outputs.

pub mod array;
mod board;
mod ccs;
mod picture;

use std::fmt::Display;
use std::time::Instant;

use serde::Serialize;

pub use self::picture::plot;
use crate::ccs::CcsGeometry;
use crate::engine::{Engine, engine};
use crate::error::{Error, Result};
use crate::external::verilator::{Build, Verilated};
use crate::kernel::netlist::Netlist;
use crate::presets::{PRESETS, preset};
use crate::system::SystemParams;

/// Designs that are measured unless others are named.
pub const DESIGNS: [&str; 5] = ["default", "tiny", "ccs-unit", "ccs-system", "board"];

/// A design on an engine, in the middle of its work.
pub trait Load {
    /// Lets cycles pass.
    fn run(&mut self, cycles: u64);

    /// The engine.
    fn engine(&mut self) -> &mut dyn Engine;
}

/// Runs so many cycles of a design in lock step with its model.
pub type Check = Box<dyn FnMut(u64) -> Result<()>>;

/// What is measured.
pub trait Design {
    /// The hardware.
    ///
    /// # Errors
    /// [`Error::Parameter`] and [`Error::Netlist`] as its unit has them.
    fn netlist(&self) -> Result<Netlist>;

    /// Resets the hardware on an engine and gives it its work.
    ///
    /// # Errors
    /// [`Error::Tool`] if it does not answer.
    fn load<'a, E: Engine + 'a>(&self, engine: E) -> Result<Box<dyn Load + 'a>>
    where
        Self: Sized;

    /// The hardware with the same work beside its model.
    ///
    /// # Errors
    /// As [`Design::load`].
    fn check(&self) -> Result<Check>;
}

/// Cycles of a model and its hardware, one at a time, as a [`Check`].
fn check<E: Display>(mut cycle: impl FnMut() -> std::result::Result<(), E> + 'static) -> Check {
    Box::new(move |cycles| {
        let lock_step = |e: E| Error::Tool { tool: "lock step".into(), reason: e.to_string() };
        (0..cycles).try_for_each(|_| cycle().map_err(lock_step))
    })
}

/// One design's speeds, in clock cycles a second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Speed {
    /// Name of the design.
    pub design: String,
    /// Native engine.
    pub native_cps: f64,
    /// Time that the native engine takes to compile the design.
    pub native_build_s: f64,
    /// Native engine, all state compared with the model after every cycle.
    pub native_checked_cps: f64,
    /// Verilator, if it is installed.
    pub verilator_cps: Option<f64>,
    /// Time that Verilator and the C++ compiler take.
    pub verilator_build_s: Option<f64>,
}

/// Cycles and repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Cycles of a run of a small design; larger ones take a part of them, checked runs less.
    pub cycles: u64,
    /// Runs of each simulator.
    pub runs: usize,
    /// Verilator takes part, if it is installed.
    pub verilator: bool,
}

/// Looks whether there is a design with this name: one of [`DESIGNS`], or a preset of an array.
///
/// # Errors
/// [`Error::Parameter`] for another name.
pub fn known(name: &str) -> Result<()> {
    let presets = PRESETS.iter().map(|preset| preset.name).filter(|name| !DESIGNS.contains(name));
    let names: Vec<_> = DESIGNS.into_iter().chain(presets).collect();
    if names.contains(&name) {
        return Ok(());
    }
    Err(Error::parameter("design", name, format!("must be one of {}", names.join(", "))))
}

/// Measures a design.
///
/// # Errors
/// As [`known`]; [`Error::Netlist`] when the design cannot be elaborated; [`Error::Tool`] when Verilator fails, or
/// hardware and model differ.
pub fn measure(name: &str, effort: Effort) -> Result<Speed> {
    known(name)?;
    let part = |of: u64| Effort { cycles: (effort.cycles / of).max(1), ..effort };
    match name {
        "ccs-unit" => race(name, &ccs::Unit::new(&CcsGeometry::preset("vc709")?), part(20), 20),
        "ccs-system" => race(name, &ccs::System::new(&CcsGeometry::preset("vc709")?), part(20), 20),
        "board" => race(name, &board::Board::new(&SystemParams::preset("vc709")?)?, part(10), 100),
        _ => race(name, &array::Array::new(&preset(name)?)?, effort, 10),
    }
}

/// Measures one design. Checked runs have 1/`less` of the cycles.
fn race(name: &str, design: &impl Design, effort: Effort, less: u64) -> Result<Speed> {
    let netlist = design.netlist()?;
    let started = Instant::now();
    let native = engine(&netlist);
    let native_build_s = started.elapsed().as_secs_f64();
    let mut native = design.load(native)?;
    let mut checked = design.check()?;
    let started = Instant::now();
    let verilated = if effort.verilator { verilated(&netlist)? } else { None };
    let verilator_build_s = verilated.is_some().then(|| started.elapsed().as_secs_f64());
    let mut verilated = verilated.map(|model| design.load(model)).transpose()?;
    let (mut plain, mut lockstep, mut other) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.runs {
        plain.push(rate(effort.cycles, || native.run(effort.cycles)));
        let (cycles, mut result) = ((effort.cycles / less).max(1), Ok(()));
        lockstep.push(rate(cycles, || result = checked(cycles)));
        result?;
        if let Some(model) = &mut verilated {
            other.push(rate(effort.cycles, || model.run(effort.cycles)));
        }
    }
    if let Some(model) = &mut verilated {
        same_outputs(native.engine(), model.engine())?;
    }
    Ok(Speed {
        design: name.into(),
        native_cps: median(plain),
        native_build_s,
        native_checked_cps: median(lockstep),
        verilator_cps: (!other.is_empty()).then(|| median(other)),
        verilator_build_s,
    })
}

/// Both simulators have run the same cycles from the same reset: they must be at the same place.
fn same_outputs(native: &mut dyn Engine, other: &mut dyn Engine) -> Result<()> {
    for &output in &native.design().outputs.clone() {
        let (here, there) = (native.value(output), other.value(output));
        if here != there {
            let path = &native.design().net(output).path;
            let reason = format!("{path}: native {here:x?}, Verilator {there:x?} after the same cycles");
            return Err(Error::Tool { tool: "verilator".into(), reason });
        }
    }
    Ok(())
}

/// The Verilator model, built afresh; nothing if Verilator is not installed.
fn verilated(netlist: &Netlist) -> Result<Option<Verilated>> {
    if crate::external::tool::find("verilator").is_none() {
        return Ok(None);
    }
    let folder = tempfile::tempdir().map_err(|e| Error::file(std::env::temp_dir(), e))?;
    Verilated::build_with(netlist, folder.path(), Build::Fast).map(Some)
}

fn rate(cycles: u64, run: impl FnOnce()) -> f64 {
    let started = Instant::now();
    run();
    cycles as f64 / started.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The figures as a Markdown table.
pub fn markdown(speeds: &[Speed]) -> String {
    let mega = |cps: f64| format!("{:.2}", cps / 1e6);
    let mut text = String::from(
        "| design | native, M cycles/s | checked, M cycles/s | Verilator -O3, M cycles/s | native / Verilator | \
         native build, s | Verilator build, s |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for s in speeds {
        let verilator = s.verilator_cps.map_or("–".into(), mega);
        let ratio = s.verilator_cps.map_or("–".into(), |v| format!("{:.2}", s.native_cps / v));
        let build = s.verilator_build_s.map_or("–".into(), |b| format!("{b:.1}"));
        let (native, checked) = (mega(s.native_cps), mega(s.native_checked_cps));
        let own = s.native_build_s;
        text += &format!("| {} | {native} | {checked} | {verilator} | {ratio} | {own:.3} | {build} |\n", s.design);
    }
    text
}
