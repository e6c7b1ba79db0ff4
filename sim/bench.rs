//! How fast the simulators run: the native engine without and with the model's check, and Verilator on the emitted
//! Verilog, in one run.
//!
//! The load is the same everywhere: random operands are loaded over the row stream, then the command port offers one
//! 32-bit multiplication after the other, so that the queue is never empty. Verilator is built with `-O3` (its makefile
//! would append `-Os`), keeps no state but ports, and is clocked inside C++. Runs alternate between the simulators, and
//! each figure is the median of its runs: the machines are noisy.

use std::time::Instant;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::array::blocks::{Top, design};
use crate::engine::{Engine, Lookup, engine};
use crate::error::{Error, Result};
use crate::external::verilator::{Build, Verilated};
use crate::isa::operation::{Context, Operation};
use crate::isa::{Command, Opcode, Set};
use crate::kernel::netlist::Netlist;
use crate::lockstep::Lockstep;
use crate::model::compute_unit::Inputs;
use crate::params::Params;
use crate::vectors::Case;

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
    /// Cycles of a run.
    pub cycles: u64,
    /// Runs of each simulator.
    pub runs: usize,
}

/// Measures a design.
///
/// # Errors
/// [`Error::Netlist`] when the design cannot be elaborated; [`Error::Tool`] when Verilator fails, or hardware and model
/// differ.
pub fn measure(params: &Params, effort: Effort) -> Result<Speed> {
    let netlist = design(params, Top::ComputeUnit)?;
    let command = load(params)?;
    let started = Instant::now();
    let mut native = engine(&netlist);
    let native_build_s = started.elapsed().as_secs_f64();
    offer(&mut native, &command);
    let mut checked = Lockstep::new(engine(&netlist), params, 1);
    let started = Instant::now();
    let mut verilated = verilated(&netlist)?;
    let build = verilated.is_some().then(|| started.elapsed().as_secs_f64());
    if let Some(model) = &mut verilated {
        offer(model, &command);
    }
    let inputs = Inputs { command: Some(command), ..Inputs::default() };
    let (mut plain, mut lockstep, mut other) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.runs {
        plain.push(rate(effort.cycles, || native.run(effort.cycles)));
        let cycles = effort.cycles / 10;
        let mut difference = None;
        lockstep.push(rate(cycles, || {
            difference = (0..cycles).find_map(|_| checked.cycle(&inputs).err());
        }));
        if let Some(d) = difference {
            return Err(Error::Tool { tool: "lock step".into(), reason: d.to_string() });
        }
        if let Some(model) = &mut verilated {
            other.push(rate(effort.cycles, || model.run(effort.cycles)));
        }
    }
    // Both simulators have run the same cycles from the same reset: they must be at the same place.
    if let Some(model) = &mut verilated {
        for &output in &native.design().outputs.clone() {
            let (here, there) = (native.value(output), model.value(output));
            if here != there {
                let path = &native.design().net(output).path;
                let reason = format!("{path}: native {here:x?}, Verilator {there:x?} after the same cycles");
                return Err(Error::Tool { tool: "verilator".into(), reason });
            }
        }
    }
    Ok(Speed {
        design: params.name.clone(),
        native_cps: median(plain),
        native_build_s,
        native_checked_cps: median(lockstep),
        verilator_cps: (!other.is_empty()).then(|| median(other)),
        verilator_build_s: build,
    })
}

/// A 32-bit multiplication, or the widest that the design has rows for.
///
/// # Errors
/// [`Error::Parameter`] if it has rows for none.
pub fn load(params: &Params) -> Result<Command> {
    let set = if params.sets.contains(&Set::Fast) { Set::Fast } else { params.sets[0] };
    let operation = Operation::of(Opcode::MulU, Context::of(params, set));
    for width in [32, 16, 8, 4, 2] {
        let mut command = Command { set, ..Command::new(Opcode::MulU, width) };
        Case::place(&operation, &mut command, 0);
        if command.check(params).is_ok() {
            return Ok(command);
        }
    }
    Err(Error::parameter("rows", params.rows, "too few for a multiplication of 2 bits"))
}

/// Resets, fills the operands' rows from the seed, then offers the command for good.
///
/// # Panics
/// If the design is no compute unit.
pub fn offer(simulator: &mut dyn Engine, command: &Command) {
    let inputs = simulator.design().inputs.clone();
    inputs.iter().for_each(|&input| simulator.set_input(input, &[0]));
    simulator.tick(true);
    let net = |simulator: &dyn Engine, path: &str| simulator.design().find_net(path).expect("the unit has row ports");
    let [valid, ready] = ["s_axis_tvalid", "s_axis_tready"].map(|path| net(simulator, path));
    let [data, offered, command_ready] = ["s_axis_tdata", "cmd_valid", "cmd_ready"].map(|path| net(simulator, path));
    let [busy, finished] = ["busy", "finished"].map(|path| net(simulator, path));
    let mask = u64::MAX >> (64 - simulator.design().net(data).width);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for first in [command.a, command.b] {
        drive(simulator, &Command { set: command.set, d: first, ..Command::new(Opcode::Load, command.width) });
        simulator.set_input(valid, &[1]);
        let mut beat = random.random::<u64>() & mask;
        loop {
            simulator.set_input(data, &[beat]);
            let (taken, queued) = (simulator.value(ready)[0] == 1, simulator.value(command_ready)[0] == 1);
            let last = simulator.value(finished)[0] == 1;
            simulator.tick(false);
            if taken {
                beat = random.random::<u64>() & mask;
            }
            if queued {
                simulator.set_input(offered, &[0]);
            }
            if last {
                break;
            }
        }
        simulator.set_input(valid, &[0]);
        while simulator.value(busy)[0] == 1 {
            simulator.tick(false);
        }
    }
    drive(simulator, command);
}

/// Offers a command.
fn drive(simulator: &mut dyn Engine, command: &Command) {
    let fields = [
        ("cmd_valid", 1),
        ("cmd_op", command.opcode.code()),
        ("cmd_set", command.set as u64),
        ("cmd_width", command.width.into()),
        ("cmd_second", command.second.into()),
        ("cmd_a", command.a.into()),
        ("cmd_b", command.b.into()),
        ("cmd_d", command.d.into()),
        ("cmd_e", command.e.into()),
        ("cmd_s", command.s.into()),
    ];
    for (path, value) in fields {
        let input = simulator.design().find_net(path).expect("the unit has a command port");
        simulator.set_input(input, &[value]);
    }
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
