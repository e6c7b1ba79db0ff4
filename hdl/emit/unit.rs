//! The files of a unit that a geometry describes: Verilog, software, documents, manifest.

use serde::Serialize;

use super::axi::wrapper;
use super::manifest::{Entry, MANIFEST, hexadecimal};
use super::output::Files;
use super::package::{self, Package, Region, Scenario};
use super::verilog::Header;
use super::{FILE_LIST, Target, asic, modules, render};
use crate::kernel::netlist::Netlist;
use bitline_units::registers::fnv1a;

/// What `manifest.json` says.
#[derive(Clone, Debug, Serialize)]
pub struct UnitManifest<G> {
    /// The program that made the folder.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// Kind of output.
    pub target: String,
    /// The configuration hash in hexadecimal.
    pub configuration: String,
    /// Parameters.
    pub geometry: G,
    /// Verilog module at the top of what is emitted.
    pub top: String,
    /// Every Verilog module, children before parents.
    pub modules: Vec<String>,
    /// Every other file of the folder.
    pub files: Vec<Entry>,
}

/// The manifest of a folder that holds `files`, as text.
pub(super) fn manifest<G: Serialize>(
    target: &str,
    hash: &str,
    geometry: &G,
    netlist: &Netlist,
    files: &Files,
) -> String {
    let entry = |(path, text): (&str, &str)| Entry {
        path: path.into(),
        size: text.len(),
        hash: hexadecimal(fnv1a(text.as_bytes())),
    };
    let manifest = UnitManifest {
        tool: "bitline".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        target: target.into(),
        configuration: hash.into(),
        geometry,
        top: netlist.top().name.clone(),
        modules: netlist.modules.iter().map(|m| m.name.clone()).collect(),
        files: files.iter().map(entry).collect(),
    };
    serde_json::to_string_pretty(&manifest).expect("numbers and strings always serialise") + "\n"
}

/// A unit to write.
pub(super) struct Unit<'a> {
    /// Its name in the manifest.
    pub(super) name: &'static str,
    /// Its geometry's name.
    pub(super) preset: &'a str,
    /// Its configuration hash.
    pub(super) hash: String,
    /// The module with the clock and reset of an AXI system.
    pub(super) axi_module: &'static str,
    /// Names that templates may use.
    pub(super) context: tera::Context,
    /// Paths of files, and the templates that they are made from.
    pub(super) templates: &'a [(&'static str, &'static str)],
    /// Name in catalogues, and for people.
    pub(super) names: (&'static str, &'static str),
    /// What the AXI4-Lite slave's addresses hold.
    pub(super) regions: Vec<Region>,
    /// For the timing diagram.
    pub(super) scenario: Scenario,
    /// Known limitations.
    pub(super) limitations: &'static [&'static str],
}

impl Unit<'_> {
    /// Every file, the manifest included.
    pub(super) fn files<G: Serialize>(&self, geometry: &G, netlist: &Netlist, target: Target) -> Files {
        let mut files = Files::default();
        let header = Header { preset: self.preset.into(), hash: self.hash.clone() };
        let mut list = modules(netlist, &header, &mut files);
        if let Some(path) = wrapper(self.axi_module, netlist, self.context.clone(), &mut files) {
            list += &format!("{path}\n");
        }
        package::files(
            Package {
                ip: self.names.0,
                title: self.names.1,
                module: self.axi_module,
                netlist,
                sources: list.lines().collect(),
                regions: self.regions.clone(),
                scenario: self.scenario.clone(),
                limitations: self.limitations,
                context: self.context.clone(),
            },
            &mut files,
        );
        if target == Target::GenericAsic {
            asic::files(netlist, &list, &header, &mut files);
        }
        files.add(FILE_LIST, list);
        self.add_templates(&mut files);
        let text = manifest(self.name, &self.hash, geometry, netlist, &files);
        files.add(MANIFEST, text);
        files
    }

    /// The files that are made from templates.
    pub(super) fn add_templates(&self, files: &mut Files) {
        for (path, template) in self.templates {
            files.add(*path, render(template, &self.context));
        }
    }
}
