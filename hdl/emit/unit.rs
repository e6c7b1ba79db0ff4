//! Units: what there is to build. A unit is a file with a [`Kind`] and an implementation of [`Unit`], and a line in
//! [`UNITS`]: programs, packages, tests and scripts loop over the list.

use std::path::Path;

use super::axi::wrapper;
use super::list::any_of;
use super::manifest::{MANIFEST, hexadecimal};
use super::output::Files;
use super::package::{self, Package};
pub use super::package::{Region, Scenario};
use super::software::{add_register_parts, register_view};
use super::verilog::Header;
use super::{FILE_LIST, Target, asic, ccs, compute_cache, compute_unit, duality, modules, render};
use crate::error::{Error, Result};
use crate::kernel::macros::with_macros;
use crate::kernel::netlist::Netlist;
use bitline_units::regmap::Register;

/// Every unit; the first is built unless another is asked for.
pub const UNITS: &[&Kind] = &[&compute_unit::KIND, &compute_cache::KIND, &ccs::KIND, &duality::KIND];

/// What a unit is, whatever its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Name on the command line and in manifests.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Name in the catalogues of other tools.
    pub ip: &'static str,
    /// Name for people, in documents.
    pub title: &'static str,
    /// The module with the clock and reset of an AXI system.
    pub axi_module: &'static str,
    /// What constants in C begin with.
    pub prefix: &'static str,
    /// Names and summaries of the presets.
    pub presets: fn() -> Vec<(&'static str, &'static str)>,
    /// The preset that is built unless another is asked for.
    pub default_preset: &'static str,
    /// The unit with the parameters of a preset.
    pub preset: fn(&str) -> Result<Box<dyn Unit>>,
    /// The unit with the parameters that a TOML file describes, checked.
    pub load: fn(&Path) -> Result<Box<dyn Unit>>,
    /// The register block's description.
    pub registers: &'static [Register],
    /// What the AXI4-Lite slave's addresses hold.
    pub regions: &'static [Region],
    /// What users should know before they rely on it, in Markdown.
    pub limitations: &'static [&'static str],
    /// Paths of software's files and documents, and the templates that they are made from.
    pub templates: &'static [(&'static str, &'static str)],
    /// Targets that it can be written for; a board takes a system of units.
    pub targets: &'static [Target],
    /// Small designs that other tools are tried on: a name, and a configuration file.
    pub samples: &'static [(&'static str, &'static str)],
    /// How its cost is found.
    pub cost: Cost,
    /// What is proven of it after synthesis.
    pub proof: Proof,
}

/// What `scripts/synth.sh` does to find a unit's cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Names of the modules to synthesise as patterns of the shell, those that a design has: parts first, the whole
    /// last.
    pub modules: &'static [&'static str],
    /// Options for yosys' `synth_xilinx` beside the usual ones.
    pub options: &'static [&'static str],
    /// What figures are compared with, to be printed below them.
    pub beside: &'static str,
    /// Designs in the table of costs.
    pub table: &'static [Costed],
}

/// A design in the table of costs.
#[derive(Clone, Copy, Debug)]
pub struct Costed {
    /// Its name: a preset, or that of the configuration.
    pub name: &'static str,
    /// A configuration file; empty for a preset.
    pub config: &'static str,
    /// What it is written for.
    pub target: Target,
}

/// What `scripts/equivalence.sh` proves: that modules of a small design, mapped to an FPGA's cells, do what their
/// Verilog does.
#[derive(Clone, Copy, Debug)]
pub struct Proof {
    /// The design, as a configuration file.
    pub config: &'static str,
    /// Its modules that are proven.
    pub modules: &'static [&'static str],
    /// Synthesis may drop no register, or some would have no partner.
    pub keep: bool,
}

/// A unit with its parameters.
pub trait Unit {
    /// What it is.
    fn kind(&self) -> &'static Kind;

    /// Name of the preset or of the configuration.
    fn name(&self) -> &str;

    /// Identifies the configuration.
    fn hash(&self) -> u64;

    /// Its netlist, registers included.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the parameters break a rule; [`Error::Netlist`] if a block does.
    fn netlist(&self) -> Result<Netlist>;

    /// What a register holds after reset.
    fn reset_value(&self, register: &Register) -> u32;

    /// Adds what its templates use, beside what those of every unit may: see [`context`]. `errors` has its error codes.
    fn describe(&self, context: &mut tera::Context);

    /// What software does in the run that the timing diagram shows.
    fn scenario(&self) -> Scenario;

    /// What `manifest.json` says; [`super::manifest::text`] for a unit that has nothing to add.
    fn manifest(&self, output: Output<'_>, files: &Files) -> String;

    /// Adds files that only this unit has.
    ///
    /// # Errors
    /// [`Error::Netlist`] if the design lacks ports that they need.
    fn extra(&self, _output: Output<'_>, _files: &mut Files) -> Result<()> {
        Ok(())
    }
}

/// What of a unit is written.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// Its netlist as the target has it.
    pub netlist: &'a Netlist,
    /// The target.
    pub target: Target,
    /// Seed of test vectors.
    pub seed: u64,
}

impl Kind {
    /// The unit of this name.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is none.
    pub fn named(name: &str) -> Result<&'static Kind> {
        UNITS.iter().copied().find(|kind| kind.name == name).ok_or_else(|| {
            let names: Vec<&str> = UNITS.iter().map(|kind| kind.name).collect();
            Error::parameter("unit", name, format!("must be {}", any_of(&names)))
        })
    }

    /// The unit with the parameters of a file, or else of a preset.
    ///
    /// # Errors
    /// [`Error::Parameter`], [`Error::File`] or [`Error::Syntax`] with what is wrong.
    pub fn make(&self, preset: Option<&str>, config: Option<&Path>) -> Result<Box<dyn Unit>> {
        match config {
            Some(path) => (self.load)(path),
            None => (self.preset)(preset.unwrap_or(self.default_preset)).map_err(|e| e.about("preset")),
        }
    }
}

/// A unit in a box, as a [`Kind`] gives it.
///
/// # Errors
/// That of the unit.
pub fn boxed<U: Unit + 'static>(unit: Result<U>) -> Result<Box<dyn Unit>> {
    unit.map(|unit| Box::new(unit) as Box<dyn Unit>)
}

/// The configuration hash as headers print it.
pub fn hash(unit: &dyn Unit) -> String {
    hexadecimal(unit.hash())
}

/// Names that a unit's templates may use.
pub fn context(unit: &dyn Unit) -> tera::Context {
    let kind = unit.kind();
    let registers: Vec<_> = kind.registers.iter().map(|r| register_view(kind.prefix, r, unit.reset_value(r))).collect();
    let mut context = tera::Context::new();
    context.insert("version", env!("CARGO_PKG_VERSION"));
    context.insert("preset", unit.name());
    context.insert("hash", &hash(unit));
    context.insert("file_list", FILE_LIST);
    context.insert("registers", &registers);
    unit.describe(&mut context);
    add_register_parts(&mut context);
    context
}

/// Software's files and documents alone, which do not ask for the hardware.
pub fn software(unit: &dyn Unit) -> Files {
    let mut files = Files::default();
    add_templates(unit.kind(), &context(unit), &mut files);
    files
}

fn add_templates(kind: &Kind, context: &tera::Context, files: &mut Files) {
    for (path, template) in kind.templates {
        files.add(*path, render(template, context));
    }
}

/// A unit's netlist as a target has it.
///
/// # Errors
/// As [`Unit::netlist`].
pub fn netlist(unit: &dyn Unit, target: Target) -> Result<Netlist> {
    let netlist = unit.netlist()?;
    Ok(if target == Target::GenericAsic { with_macros(&netlist) } else { netlist })
}

/// Every file, the manifest included.
///
/// # Errors
/// As [`Unit::extra`].
pub fn files(unit: &dyn Unit, output: Output<'_>) -> Result<Files> {
    let (kind, Output { netlist, target, .. }) = (unit.kind(), output);
    let mut files = Files::default();
    let header = Header { preset: unit.name().into(), hash: hash(unit) };
    let context = context(unit);
    let mut list = modules(netlist, &header, &mut files);
    if let Some(path) = wrapper(kind.axi_module, netlist, context.clone(), &mut files) {
        list += &format!("{path}\n");
        // The bench for Verilator has the Makefile and the modules' ports to itself.
        if target != Target::Verilator {
            let sources = list.lines().collect();
            let scenario = unit.scenario();
            package::files(Package { kind, netlist, sources, scenario, context: context.clone() }, &mut files);
        }
    }
    if target == Target::GenericAsic {
        asic::files(netlist, &list, &header, &mut files);
    }
    files.add(FILE_LIST, list);
    add_templates(kind, &context, &mut files);
    unit.extra(output, &mut files)?;
    let text = unit.manifest(output, &files);
    files.add(MANIFEST, text);
    Ok(files)
}

#[cfg(test)]
mod tests;
