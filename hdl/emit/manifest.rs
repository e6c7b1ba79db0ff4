//! `manifest.json`: what an output folder holds, for which parameters, and what it costs in cycles.

use serde::{Deserialize, Serialize};

use super::cycles::{Cycles, cycles};
use super::output::Files;
use super::unit::Output;
use crate::kernel::netlist::Netlist;
use bitline_units::array::isa::microcode::Microcode;
use bitline_units::array::isa::word;
use bitline_units::array::params::Params;
use bitline_units::array::registers::configuration_hash;
use bitline_units::regmap::fnv1a;

/// The manifest's name in an output folder.
pub const MANIFEST: &str = "manifest.json";
const TOOL: &str = "bitline";

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Path below the folder.
    pub path: String,
    /// Bytes.
    #[serde(default)]
    pub size: usize,
    /// 64-bit FNV-1a of the contents, in hexadecimal.
    #[serde(default)]
    pub hash: String,
}

/// What a manifest of any version says about whose the folder is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Listing {
    /// The program that made the folder.
    pub tool: String,
    /// Its files, without the manifest.
    pub files: Vec<Entry>,
}

impl Listing {
    /// Reads a manifest.
    ///
    /// # Errors
    /// Why it is not one of ours, in words.
    pub fn parse(text: &str) -> std::result::Result<Listing, String> {
        let listing: Listing = serde_json::from_str(text).map_err(|e| format!("is no manifest of ours ({e})"))?;
        if listing.tool == TOOL { Ok(listing) } else { Err(format!("was made by {:?}, not by {TOOL}", listing.tool)) }
    }

    /// A list of files of which only the paths are known.
    pub fn of<'a>(paths: impl Iterator<Item = &'a str>) -> Listing {
        let files = paths.map(|path| Entry { path: path.into(), size: 0, hash: String::new() }).collect();
        Listing { tool: TOOL.into(), files }
    }

    /// A list of files with the hashes of their contents.
    pub fn with_hashes<'a>(files: impl Iterator<Item = (&'a str, String)>) -> Listing {
        let files = files.map(|(path, hash)| Entry { path: path.into(), size: 0, hash }).collect();
        Listing { tool: TOOL.into(), files }
    }

    /// As text of a file.
    pub fn text(&self) -> String {
        pretty(self)
    }
}

/// Depth and width of one of the sequencer's ROMs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RomSize {
    /// Which.
    pub rom: String,
    /// Words.
    pub words: usize,
    /// Bits of a word.
    pub width: usize,
}

/// The manifest of a compute unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The program that made the folder.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// Kind of output.
    pub target: String,
    /// Name of the preset or configuration.
    pub preset: String,
    /// [`configuration_hash`] in hexadecimal.
    pub configuration: String,
    /// Parameters.
    pub params: Params,
    /// Seed of the test vectors.
    pub seed: u64,
    /// Verilog module at the top of what is emitted.
    pub top: String,
    /// Every Verilog module, children before parents.
    pub modules: Vec<String>,
    /// Sizes of the sequencer's ROMs.
    pub roms: Vec<RomSize>,
    /// Cycle counts.
    pub cycles: Vec<Cycles>,
    /// Every other file of the folder.
    pub files: Vec<Entry>,
}

/// The manifest of a compute unit's folder that holds `files`.
pub fn manifest(params: &Params, output: Output<'_>, files: &Files) -> Manifest {
    let rom = |rom: &str, words: usize, width: usize| RomSize { rom: rom.into(), words, width };
    let code = Microcode::assemble(params);
    Manifest {
        tool: TOOL.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        target: output.target.name().into(),
        preset: params.name.clone(),
        configuration: hexadecimal(configuration_hash(params)),
        params: params.clone(),
        seed: output.seed,
        top: output.netlist.top().name.clone(),
        modules: names(output.netlist),
        roms: vec![
            rom("flow", code.flow.len(), word::flow::WIDTH),
            rom("control", code.control.len(), word::control::WIDTH),
            rom("setup", code.setup.len(), word::setup::WIDTH),
        ]
        .into_iter()
        .chain((!code.constants.is_empty()).then(|| rom("constants", code.constants.len(), 64)))
        .collect(),
        cycles: cycles(params),
        files: entries(files),
    }
}

/// What the manifests of all other designs say.
#[derive(Serialize)]
struct Plain<'a, G> {
    tool: &'static str,
    version: &'static str,
    target: &'a str,
    configuration: String,
    geometry: &'a G,
    top: &'a str,
    modules: Vec<String>,
    files: Vec<Entry>,
}

/// The manifest of a folder that holds `files` for a `target`, or of a unit of this name; `geometry` are its
/// parameters.
pub fn text(target: &str, hash: u64, geometry: &impl Serialize, netlist: &Netlist, files: &Files) -> String {
    pretty(&Plain {
        tool: TOOL,
        version: env!("CARGO_PKG_VERSION"),
        target,
        configuration: hexadecimal(hash),
        geometry,
        top: &netlist.top().name,
        modules: names(netlist),
        files: entries(files),
    })
}

fn names(netlist: &Netlist) -> Vec<String> {
    netlist.modules.iter().map(|module| module.name.clone()).collect()
}

fn entries(files: &Files) -> Vec<Entry> {
    let entry = |(path, text): (&str, &str)| Entry {
        path: path.into(),
        size: text.len(),
        hash: hexadecimal(fnv1a(text.as_bytes())),
    };
    files.iter().map(entry).collect()
}

impl Manifest {
    /// As text of a file.
    pub fn text(&self) -> String {
        pretty(self)
    }
}

/// A 64-bit number as headers and manifests print it.
pub fn hexadecimal(value: u64) -> String {
    format!("{value:016x}")
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("numbers and strings always serialise") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_manifests_are_told_apart() {
        let listing = Listing::of(["a", "b/c"].into_iter());
        let read = Listing::parse(&listing.text()).unwrap();
        assert_eq!(read.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["a", "b/c"]);
        for (text, part) in [
            ("", "no manifest of ours"),
            ("{\"tool\":\"bitl", "no manifest of ours"),
            ("{\"files\":[]}", "tool"),
            ("{\"tool\":\"npm\",\"files\":[]}", "npm"),
            ("{\"tool\":\"bitline\",\"files\":3}", "no manifest of ours"),
        ] {
            let reason = Listing::parse(text).unwrap_err();
            assert!(reason.contains(part), "{reason}");
        }
    }
}
