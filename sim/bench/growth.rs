//! How the native engine's cost grows with the design: arrays side by side, each with commands and rows of its own, and
//! the compute unit of a cache compute system with ever more lanes.

use std::time::Instant;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::array::{Offered, drive, load};
use super::{Check, Design, Effort, Load, ccs, median, rate};
use crate::array::blocks::{Top, design};
use crate::ccs::CcsGeometry;
use crate::engine::{Engine, engine};
use crate::error::{Error, Result};
use crate::isa::Command;
use crate::kernel::netlist::{Direction, Driver, Instance, Module, ModuleId, Net, NetId, Netlist, Port};
use crate::params::Params;
use crate::plot::{COLOURS, HEIGHT, LEFT, Plot, TOP};
use crate::presets::preset;

/// Arrays side by side.
const ARRAYS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Lanes of a cache compute system.
const LANES: [usize; 5] = [8, 16, 32, 64, 128];
/// Presets of the arrays.
const PRESETS: [&str; 2] = ["default", "tiny"];

/// A design of some size on the native engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Growth {
    /// What grows.
    pub series: String,
    /// How many of them there are.
    pub size: usize,
    /// Time that the engine takes to compile the design.
    pub native_build_s: f64,
    /// Clock cycles a second.
    pub native_cps: f64,
    /// Time of a clock cycle.
    pub cycle_ns: f64,
    /// Its share for each of them.
    pub part_ns: f64,
}

/// Measures all series; `progress` hears how many sizes are done, of how many.
///
/// # Errors
/// [`Error::Netlist`] when a design cannot be elaborated.
pub fn measure(effort: Effort, progress: &mut dyn FnMut(usize, usize)) -> Result<Vec<Growth>> {
    let all = PRESETS.len() * ARRAYS.len() + LANES.len();
    let mut points = Vec::new();
    for name in PRESETS {
        for size in ARRAYS {
            let arrays = Arrays::new(&preset(name)?, size)?;
            points.push(point(&format!("arrays, {name}"), size, &arrays, effort)?);
            progress(points.len(), all);
        }
    }
    for lanes in LANES {
        let geometry = CcsGeometry { lanes, ..CcsGeometry::preset("vc709")? };
        points.push(point("lanes of the cache compute system", lanes, &ccs::Unit::new(&geometry), effort)?);
        progress(points.len(), all);
    }
    Ok(points)
}

fn point(series: &str, size: usize, design: &impl Design, effort: Effort) -> Result<Growth> {
    let netlist = design.netlist()?;
    let started = Instant::now();
    let native = engine(&netlist);
    let native_build_s = started.elapsed().as_secs_f64();
    let mut native = design.load(native)?;
    // Until the engine has seen what the design does, and has compiled it again.
    native.run(10_000);
    let cycles = (effort.cycles / size as u64).max(1);
    let native_cps = median((0..effort.runs).map(|_| rate(cycles, || native.run(cycles))).collect());
    let cycle_ns = 1e9 / native_cps;
    let part_ns = cycle_ns / size as f64;
    Ok(Growth { series: series.into(), size, native_build_s, native_cps, cycle_ns, part_ns })
}

/// Arrays that have nothing to do with each other.
struct Arrays {
    netlist: Netlist,
    count: usize,
    command: Command,
}

impl Arrays {
    fn new(params: &Params, count: usize) -> Result<Arrays> {
        let netlist = side_by_side(&design(params, Top::ComputeUnit)?, count);
        Ok(Arrays { netlist, count, command: load(params)? })
    }
}

impl Design for Arrays {
    fn netlist(&self) -> Result<Netlist> {
        Ok(self.netlist.clone())
    }

    fn load<'a, E: Engine + 'a>(&self, mut engine: E) -> Result<Box<dyn Load + 'a>> {
        engine.design().inputs.clone().into_iter().for_each(|input| engine.set_input(input, &[0]));
        engine.tick(true);
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let memories: Vec<(usize, usize, u32)> = (engine.design().memories.iter().enumerate())
            .filter(|(_, m)| m.contents.is_none() && m.path.contains(".array."))
            .map(|(number, m)| (number, m.depth, m.width))
            .collect();
        for (memory, depth, width) in memories {
            for word in 0..depth {
                let mut value: Vec<u64> = (0..width.div_ceil(64)).map(|_| random.random()).collect();
                value.last_mut().into_iter().for_each(|last| *last &= u64::MAX >> (63 - (width - 1) % 64));
                engine.set_word(memory, word, &value);
            }
        }
        (0..self.count).for_each(|number| drive(&mut engine, &self.command, &format!("_{number}")));
        Ok(Box::new(Offered(engine)))
    }

    fn check(&self) -> Result<Check> {
        Err(Error::parameter("check", "arrays side by side", "there is no model of them"))
    }
}

/// Copies of a design in one, each with ports of its own.
fn side_by_side(one: &Netlist, count: usize) -> Netlist {
    let inner = one.top();
    let (mut nets, mut ports, mut instances) = (vec![], vec![], vec![]);
    for number in 0..count {
        let mut connections = vec![];
        for (index, port) in inner.ports.iter().enumerate() {
            let net = inner.net(port.net);
            let driver = match port.direction {
                Direction::Input => Driver::Input,
                Direction::Output => Driver::Instance(number, index),
            };
            let id = NetId(nets.len() as u32);
            nets.push(Net { name: format!("{}_{number}", net.name), driver, ..net.clone() });
            ports.push(Port { direction: port.direction, net: id });
            connections.push(id);
        }
        let module = ModuleId(one.modules.len() as u32 - 1);
        instances.push(Instance { name: format!("copy_{number}"), module, connections });
    }
    let (name, summary) = ("bl_side_by_side".into(), "Copies of a design.".into());
    let (exprs, registers, memories) = (vec![], vec![], vec![]);
    let (clocked, resettable) = (inner.clocked, inner.resettable);
    let top = Module { name, summary, ports, nets, exprs, registers, memories, instances, clocked, resettable };
    Netlist { modules: one.modules.iter().cloned().chain([top]).collect() }
}

/// The points as a Markdown table.
pub fn markdown(points: &[Growth]) -> String {
    let mut text = String::from("| | number | native build, s | ns a cycle | ns for each |\n|---|---|---|---|---|\n");
    for p in points {
        let (build, cycle, part) = (p.native_build_s, p.cycle_ns, p.part_ns);
        text += &format!("| {} | {} | {build:.3} | {cycle:.0} | {part:.1} |\n", p.series, p.size);
    }
    text
}

/// The time of a cycle over the number of parts, SVG.
pub fn plot(points: &[Growth]) -> String {
    let mut names: Vec<&str> = points.iter().map(|p| p.series.as_str()).collect();
    names.dedup();
    let mut sizes: Vec<usize> = points.iter().map(|p| p.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let times = || points.iter().map(|p| p.cycle_ns);
    let (least, most) = (times().fold(f64::MAX, f64::min), times().fold(1.0, f64::max));
    let step = 70.0;
    let width = step * sizes.len() as f64;
    let mut plot = Plot::new("Time of a clock cycle as the design grows", "ns", width, 50.0, (least, most));
    let x = |size: usize| LEFT + step * (0.5 + sizes.iter().position(|&s| s == size).unwrap_or_default() as f64);
    let entries: Vec<(&str, &str)> = names.iter().copied().zip(COLOURS).collect();
    plot.legend(&entries);
    for (name, colour) in entries {
        let of = points.iter().filter(|p| p.series == name);
        let line: Vec<(f64, f64)> = of.map(|p| (x(p.size), plot.y(p.cycle_ns))).collect();
        plot.line(&line, colour, false);
    }
    for &size in &sizes {
        plot.label(x(size), TOP + HEIGHT + 18.0, "middle", 0.0, &size.to_string());
    }
    plot.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_compute_what_one_does() {
        let params = preset("tiny").expect("a preset");
        let arrays = Arrays::new(&params, 9).expect("a multiplication fits");
        let [alone, many] = [&Arrays::new(&params, 1).expect("as before"), &arrays].map(|arrays| {
            let mut load = arrays.load(engine(&arrays.netlist)).expect("no errors");
            load.run(700);
            let engine = load.engine();
            let rows = |copy: usize| {
                let path = format!("copy_{copy}.array.");
                let memories = engine.design().memories.iter().enumerate();
                let own = memories.filter(|(_, m)| m.path.starts_with(&path)).map(|(number, _)| number);
                own.flat_map(|number| engine.memory(number).to_vec()).collect::<Vec<u64>>()
            };
            (0..arrays.count).map(rows).collect::<Vec<_>>()
        });
        assert_eq!(alone[0], many[0]);
        assert!(many[1..].iter().all(|rows| rows.len() == alone[0].len() && *rows != alone[0]));
    }

    #[test]
    fn a_plot_has_a_line_for_each_series() {
        let point = |series: &str, size| Growth {
            series: series.into(),
            size,
            native_build_s: 0.1,
            native_cps: 1e6,
            cycle_ns: 100.0 * size as f64,
            part_ns: 100.0,
        };
        let points = [point("a", 1), point("a", 2), point("b", 2), point("b", 8)];
        let text = plot(&points);
        let document = roxmltree::Document::parse(&text).expect("SVG is XML");
        assert_eq!(document.descendants().filter(|n| n.has_tag_name("polyline")).count(), 2);
        assert!(markdown(&points).contains("| b | 8 | 0.100 | 800 | 100.0 |"));
    }
}
