//! `manifest.json`: what an output folder holds, for which parameters, and what it costs in cycles.

use serde::{Deserialize, Serialize};

use super::output::Files;
use super::unit::Output;
use crate::kernel::netlist::Netlist;
use bitline_units::array::isa::format::FORMATS;
use bitline_units::array::isa::linear::{Linear, Term, ceil_log2};
use bitline_units::array::isa::microcode::Microcode;
use bitline_units::array::isa::operation::{Context, Operation};
use bitline_units::array::isa::{Opcode, Set, word};
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

/// Issue cycles of an operation, from its closed form. Stalls are not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycles {
    /// Operation.
    pub op: String,
    /// Two's-complement operands, of an operation that exists with others, too.
    pub signed: bool,
    /// Micro-program set.
    pub set: Set,
    /// Width n.
    pub width: u8,
    /// Second width m; 0 where the operation has none.
    pub second: u8,
    /// Cycles; the worst case where they depend on the data.
    pub formula_cycles: i64,
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
        ],
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

/// Cycle counts at widths 8, 16 and 32, or in every format, of every operation of the design's sets that its latches allow. A second width
/// is the one of most use: twice n for accumulators, ⌈log2 n⌉ for shift amounts.
pub fn cycles(params: &Params) -> Vec<Cycles> {
    let mut table = Vec::new();
    for &set in &params.sets {
        for opcode in params.opcodes() {
            let operation = Operation::of(opcode, Context::of(params, set));
            if operation.latches().iter().any(|&l| !params.has(l)) {
                continue;
            }
            let formats = FORMATS.map(|format| format.n());
            let widths = if operation.formats { formats.to_vec() } else { vec![8u8, 16, 32] };
            for width in widths.into_iter().filter(|n| (operation.widths.0..=operation.widths.1).contains(n)) {
                let second = usual_second(&operation, width);
                let formula_cycles = (operation.formula)(width.into(), second.into());
                let (op, signed) = (opcode.name().to_string(), is_twin(opcode));
                table.push(Cycles { op, signed, set, width, second, formula_cycles });
            }
        }
    }
    table
}

/// Whether it is the signed one of two operations of this name. What has one form only is told by its name.
fn is_twin(opcode: Opcode) -> bool {
    opcode.signed() && Opcode::ALL.iter().any(|other| other.name() == opcode.name() && !other.signed())
}

/// A second width for an operation of width n that people would choose; 0 if it has none.
pub fn usual_second(operation: &Operation, n: u8) -> u8 {
    let n = i32::from(n);
    let between = |(low, high): (Linear, Linear)| {
        let depends = low.n != 0 || low.term != Term::None;
        let wanted = if depends { low.value(n, 0) } else { ceil_log2(n) };
        wanted.clamp(low.value(n, 0), high.value(n, 0)) as u8
    };
    if operation.formats {
        operation.seconds(n as u8).map_or(0, |(m, _)| m as u8)
    } else {
        operation.second.map_or(0, between)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitline_units::array::isa::assemble::assemble;
    use bitline_units::array::isa::operation::{Condition, Variant};
    use bitline_units::array::presets::PRESETS;

    #[test]
    fn cycle_tables_are_what_the_micro_programs_take() {
        for preset in &PRESETS {
            let params = preset.params();
            let table = cycles(&params);
            for set in &params.sets {
                assert!(table.iter().any(|c| c.set == *set && c.op == "mul" && c.width == 32), "{}", preset.name);
            }
            let twin = |op: &str, signed| table.iter().any(|c| c.op == op && c.signed == signed);
            assert!(twin("lt", true) && twin("lt", false) && twin("neg", false) && !twin("neg", true));
            for row in &table {
                let opcode = Opcode::ALL.iter().find(|&&o| o.name() == row.op && is_twin(o) == row.signed).unwrap();
                let context = Context::of(&params, row.set);
                let operation = Operation::of(*opcode, context);
                let (n, m) = (i32::from(row.width), i32::from(row.second));
                let applies = |v: &&Variant| {
                    v.when.iter().all(|&c| match c {
                        Condition::Zero(l) => l.value(n, m) == 0,
                        Condition::AtLeastZero(l) => l.value(n, m) >= 0,
                        Condition::Even(l) => l.value(n, m) % 2 == 0,
                        Condition::Same(..) => true,
                    })
                };
                let variant = operation.variants.iter().find(applies).unwrap();
                let counted = assemble(&variant.program, context).cycles(n as u32, m as u32, n as u32);
                assert_eq!(row.formula_cycles, counted as i64, "{}: {row:?}", preset.name);
            }
        }
    }

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
