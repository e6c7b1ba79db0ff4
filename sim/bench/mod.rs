//! How fast the simulators run: the native engine without and with the model's check, and Verilator on the emitted
//! Verilog, in one run.
//!
//! Verilator is built with `-O3` (its makefile would append `-Os`), keeps no state but ports, and is clocked inside C++
//! where the inputs stay as they are. Runs alternate between the simulators, what counts is the time that they have a
//! processor, and each figure is the median of its runs: the machines are noisy. Afterwards both must show the same
//! outputs. A batch runs the same work on other data in each of its sets.

pub mod array;
mod board;
mod ccs;
pub mod growth;
mod picture;

use std::fmt::Display;
use std::path::Path;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};
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

    /// The same work on the model alone: what lock step cannot be faster than; nothing where the model follows what the
    /// hardware shows.
    ///
    /// # Errors
    /// As [`Design::load`].
    fn model(&self) -> Result<Option<Check>> {
        Ok(None)
    }

    /// So many data sets with the same work, in a batch; nothing if there is no batch of such hardware.
    ///
    /// # Errors
    /// As [`Design::netlist`].
    fn batch(&self, _sets: usize) -> Result<Option<Check>> {
        Ok(None)
    }

    /// The same work in lock step, with a wave of everything in this file if there is one; nothing if such hardware has
    /// no waves.
    ///
    /// # Errors
    /// As [`Design::netlist`]; [`Error::File`] when the wave cannot be written.
    fn traced(&self, _wave: Option<&Path>) -> Result<Option<Check>> {
        Ok(None)
    }
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
    /// The model alone, where it can be.
    pub model_cps: Option<f64>,
    /// Data sets of a batch, if there was one.
    pub batch_sets: Option<usize>,
    /// Native engine, all sets of the batch at once: clock cycles that each of them gets.
    pub batch_cps: Option<f64>,
    /// Native engine in lock step, with a wave of all rows and latches, if one was asked for.
    pub traced_cps: Option<f64>,
    /// Time of that, divided by the time without the wave.
    pub trace_cost: Option<f64>,
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
    /// Data sets of a batch, which is measured, too, where there is one.
    pub batch: Option<usize>,
    /// Waves are written, too, where there are any.
    pub trace: bool,
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
    let mut model = design.model()?;
    let mut batch = effort.batch.map(|sets| design.batch(sets)).transpose()?.flatten();
    let folder = tempfile::tempdir().map_err(|e| Error::file(std::env::temp_dir(), e))?;
    let wave = folder.path().join("wave.fst");
    let mut traces = match effort.trace {
        true => design.traced(None)?.zip(design.traced(Some(&wave))?),
        false => None,
    };
    let started = Instant::now();
    let verilated = if effort.verilator { verilated(&netlist)? } else { None };
    let verilator_build_s = verilated.is_some().then(|| started.elapsed().as_secs_f64());
    let mut verilated = verilated.map(|model| design.load(model)).transpose()?;
    let (mut plain, mut lockstep, mut many, mut other) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut without, mut traced, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.runs {
        if let Some((plain, wave)) = &mut traces {
            let (cycles, mut result) = ((effort.cycles / less).max(1), Ok(()));
            without.push(rate(cycles, || result = plain(cycles)));
            result?;
            let mut result = Ok(());
            traced.push(rate(cycles, || result = wave(cycles)));
            result?;
        }
        plain.push(rate(effort.cycles, || native.run(effort.cycles)));
        let (cycles, mut result) = ((effort.cycles / less).max(1), Ok(()));
        lockstep.push(rate(cycles, || result = checked(cycles)));
        result?;
        if let Some(run) = &mut model {
            let mut result = Ok(());
            alone.push(rate(cycles, || result = run(cycles)));
            result?;
        }
        if let Some(run) = &mut batch {
            let mut result = Ok(());
            many.push(rate(effort.cycles, || result = run(effort.cycles)));
            result?;
        }
        if let Some(model) = &mut verilated {
            other.push(rate(effort.cycles, || model.run(effort.cycles)));
        }
    }
    if let Some(model) = &mut verilated {
        same_outputs(native.engine(), model.engine())?;
    }
    let traced_cps = (!traced.is_empty()).then(|| median(traced));
    Ok(Speed {
        design: name.into(),
        traced_cps,
        trace_cost: traced_cps.map(|cps| median(without) / cps),
        native_cps: median(plain),
        native_build_s,
        native_checked_cps: median(lockstep),
        model_cps: (!alone.is_empty()).then(|| median(alone)),
        batch_sets: effort.batch.filter(|_| batch.is_some()),
        batch_cps: (!many.is_empty()).then(|| median(many)),
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
    let started = time();
    run();
    cycles as f64 / (time() - started).max(1e-9)
}

/// Seconds that this thread has had a processor.
fn time() -> f64 {
    let spent = clock_gettime(ClockId::ThreadCPUTime);
    spent.tv_sec as f64 + spent.tv_nsec as f64 * 1e-9
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The figures as a Markdown table, with those of batches if there were any.
pub fn markdown(speeds: &[Speed]) -> String {
    let mega = |cps: f64| format!("{:.2}", cps / 1e6);
    let batches = speeds.iter().any(|s| s.batch_sets.is_some());
    let (head, line) = if batches { (" sets, M cycles/s of each | sets / native |", "---|---|") } else { ("", "") };
    let mut text = format!(
        "| design | native, M cycles/s | checked, M cycles/s | native / checked | \
         model alone, M cycles/s | \
         Verilator -O3, M cycles/s | native / Verilator | native build, s | Verilator build, s |{head}\n\
         |---|---|---|---|---|---|---|---|---|{line}\n",
    );
    for s in speeds {
        let verilator = s.verilator_cps.map_or("–".into(), mega);
        let ratio = s.verilator_cps.map_or("–".into(), |v| format!("{:.2}", s.native_cps / v));
        let build = s.verilator_build_s.map_or("–".into(), |b| format!("{b:.1}"));
        let (native, checked) = (mega(s.native_cps), mega(s.native_checked_cps));
        let (own, model) = (s.native_build_s, s.model_cps.map_or("–".into(), mega));
        let price = s.native_cps / s.native_checked_cps;
        text += &format!(
            "| {} | {native} | {checked} | {price:.1} | {model} | {verilator} | {ratio} | {own:.3} | {build} |",
            s.design
        );
        match s.batch_sets.zip(s.batch_cps) {
            Some((sets, cps)) => {
                text += &format!(" {sets} × {} | {:.1} |", mega(cps), sets as f64 * cps / s.native_cps);
            }
            None if batches => text += " – | – |",
            None => {}
        }
        text.push('\n');
    }
    for s in speeds {
        if let Some((cps, cost)) = s.traced_cps.zip(s.trace_cost) {
            let (name, cps) = (&s.design, mega(cps));
            text += &format!(
                "\n{name}: {cps} M cycles/s in lock step with a wave (FST) of all rows, {cost:.2} × the time without.\n"
            );
        }
    }
    text
}
