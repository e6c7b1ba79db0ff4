//! The program `gen` as its users meet it: what it writes, what it refuses, and what other tools make of its output.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use bitline::boards::BOARDS;
use bitline::emit::manifest::{Manifest, hexadecimal};
use bitline::emit::unit::UNITS;
use bitline::regmap::fnv1a;
use bitline::sim::external::tool::{deep, require, run};
use pretty_assertions::assert_eq;
use tempfile::{TempDir, tempdir};

mod asic;
mod bench;
mod block_design;
mod board;
mod cell_kinds;
mod kills;
mod messages;
mod packages;
mod pcie;
mod promises;
mod software;
mod vivado;

fn generate(folder: &Path, arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_bitline"));
    program.arg("gen").args(arguments).current_dir(folder).output().expect("gen runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs gen, which must succeed.
fn good(folder: &Path, arguments: &[&str]) -> String {
    let output = generate(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs gen, which must fail with exit status 2 and a message with all `parts`, and must leave the folder alone.
fn bad(folder: &Path, arguments: &[&str], parts: &[&str]) {
    let before = tree(folder);
    let output = generate(folder, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(message.starts_with("error: ") && !message.contains("panicked"), "{message}");
    for part in parts {
        assert!(message.contains(part), "{arguments:?}: {part:?} in {message:?}");
    }
    assert_eq!(tree(folder), before, "{arguments:?} changed something");
}

fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut rest = vec![folder.to_path_buf()];
    while let Some(at) = rest.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if path.is_dir() {
                all.insert(name, vec![]);
                rest.push(path);
            } else {
                all.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    all
}

fn scratch() -> TempDir {
    tempdir().expect("a temporary folder")
}

fn manifest(out: &Path) -> Manifest {
    serde_json::from_str(&fs::read_to_string(out.join("manifest.json")).unwrap()).unwrap()
}

#[test]
fn lists_targets_and_presets() {
    let folder = scratch();
    let list = good(folder.path(), &["--list"]);
    for name in ["vc709", "verilator", "generic", "tiny", "small", "default", "paper"] {
        assert!(list.lines().any(|l| l.trim_start().starts_with(&format!("{name} "))), "{name} in {list}");
    }
    let facts = good(folder.path(), &["--list", "--facts"]);
    assert!(UNITS.iter().all(|unit| facts.contains(&format!("unit\t{}\t{}\t", unit.name, unit.ip))), "{facts}");
    bad(folder.path(), &["--target", "generic", "--facts"], &["--list"]);
    let help = good(folder.path(), &["--help"]);
    for board in BOARDS {
        assert!(help.contains(board.name), "{} in {help}", board.name);
    }
    assert!(tree(folder.path()).is_empty());
}

/// Path of a module's file.
fn path(module: &str) -> String {
    let folder = if module.starts_with("bl_sram_macro_") { "macros" } else { "rtl" };
    format!("{folder}/{module}.v")
}

#[test]
fn every_target_is_complete_and_consistent() {
    let folder = scratch();
    for target in ["generic", "verilator", "generic-asic"] {
        let summary = good(folder.path(), &["--target", target, "--preset", "tiny"]);
        let out = folder.path().join("build").join(target);
        let manifest = manifest(&out);
        assert!(summary.contains(&manifest.configuration), "{summary}");
        let files = tree(&out);
        let listed: Vec<&String> = files.iter().filter(|(p, _)| out.join(p).is_file()).map(|(p, _)| p).collect();
        let mut expected: Vec<&String> = manifest.files.iter().map(|f| &f.path).collect();
        let own = "manifest.json".to_string();
        expected.push(&own);
        expected.sort();
        assert_eq!(listed, expected);
        for file in &manifest.files {
            let bytes = &files[&file.path];
            assert_eq!((file.size, &file.hash), (bytes.len(), &hexadecimal(fnv1a(bytes))), "{}", file.path);
            let text = text(bytes);
            assert!(!text.contains("{{ ") && !text.contains("{%"), "{}: a template that is not filled in", file.path);
            if !file.path.ends_with(".f") && !file.path.ends_with(".json") {
                assert!(text.contains("MIT OR Apache-2.0") && text.contains(&manifest.configuration), "{}", file.path);
            }
        }
        let list: Vec<String> = text(&files["bitline.f"]).lines().map(String::from).collect();
        let modules: Vec<String> = manifest.modules.iter().map(|m| path(m)).collect();
        // Wrappers written by hand follow the generated modules.
        assert_eq!(list[..modules.len()], modules, "one file for each module, children first");
        assert_eq!(manifest.modules.last(), Some(&manifest.top));
        assert!(manifest.roms.iter().all(|r| r.words > 0) && !manifest.cycles.is_empty());
    }
}

#[test]
fn two_runs_are_equal_and_a_rerun_changes_nothing() {
    let folder = scratch();
    for out in ["one", "two"] {
        good(folder.path(), &["--target", "verilator", "--preset", "tiny", "--out", out]);
    }
    assert_eq!(tree(&folder.path().join("one")), tree(&folder.path().join("two")));
    let again = good(folder.path(), &["--target", "verilator", "--preset", "tiny", "--out", "one"]);
    assert!(again.contains("(0 changed)"), "{again}");
    let seeded = good(folder.path(), &["--target", "verilator", "--preset", "tiny", "--out", "one", "--seed", "2"]);
    assert!(seeded.contains("(2 changed)"), "vectors and manifest: {seeded}");
}

#[test]
fn a_rerun_for_another_target_leaves_a_tools_run_alone() {
    let folder = scratch();
    good(folder.path(), &["--target", "vc709", "--preset", "tiny", "--out", "out"]);
    let out = folder.path().join("out");
    fs::create_dir(out.join("vivado/out")).unwrap();
    fs::write(out.join("vivado/out/timing.rpt"), "met").unwrap();
    good(folder.path(), &["--target", "generic", "--preset", "tiny", "--out", "out"]);
    assert_eq!(fs::read_to_string(out.join("vivado/out/timing.rpt")).unwrap(), "met");
    assert!(!out.join("vivado/build.tcl").exists() && !out.join("constraints").exists());
}

#[test]
fn a_dry_run_tells_and_writes_nothing() {
    let folder = scratch();
    let told = good(folder.path(), &["--target", "generic", "--preset", "tiny", "--dry-run"]);
    assert!(told.contains("new      build/generic/manifest.json"), "{told}");
    assert!(tree(folder.path()).is_empty());
    fs::create_dir_all(folder.path().join("build/generic")).unwrap();
    fs::write(folder.path().join("build/generic/thesis.tex"), "mine").unwrap();
    bad(folder.path(), &["--target", "generic", "--dry-run"], &["build/generic", "manifest.json"]);
}

#[test]
fn wrong_arguments_are_refused() {
    let folder = scratch();
    let at = folder.path();
    bad(at, &[], &["--target"]);
    bad(at, &["--target", "vc707"], &["target = vc707", "generic, verilator, vc709"]);
    bad(at, &["--target", "generic", "--preset", "huge"], &["preset = huge", "tiny, default, paper"]);
    bad(at, &["--target", "generic", "--seed", "-1"], &["seed"]);
    for option in ["--clock", "--baud", "--seed"] {
        let output = generate(at, &["--target", "vc709", option, "fast"]);
        let message = text(&output.stderr);
        assert!(
            message.contains("must be a whole number from 0 to ") && !message.contains("invalid digit"),
            "{message}"
        );
    }
    bad(at, &["--target", "generic", "--presett", "tiny"], &["--presett"]);
    bad(at, &["--target", "generic", "--config", "none.toml"], &["none.toml"]);
    fs::write(at.join("good.toml"), "base = \"tiny\"\n").unwrap();
    bad(at, &["--target", "generic", "--preset", "tiny", "--config", "good.toml"], &["--preset", "--config"]);
}

#[test]
fn wrong_configurations_are_refused() {
    let folder = scratch();
    let file = folder.path().join("my.toml");
    let cases: [(&[u8], &[&str]); 12] = [
        (b"base = \"tiny\"\ncolumns = 0\n", &["line 2", "columns = 0", "must be one of"]),
        (b"base = \"tiny\"\ncolumns = 12\n", &["line 2", "columns = 12"]),
        (b"base = \"tiny\"\nrows = 0\n", &["line 2", "rows = 0"]),
        (b"base = \"tiny\"\nrows = 48\n", &["line 2", "rows = 48", "power of two"]),
        (b"base = \"tiny\"\nrows = 2048\n", &["line 2", "rows = 2048"]),
        (b"base = \"tiny\"\ncommand_fifo = 3\n", &["line 2", "command_fifo = 3"]),
        (b"base = \"tiny\"\ncolums = 16\n", &["line 2", "colums"]),
        (b"base = \"small\"\n", &["line 1", "base = small"]),
        (b"base = \"tiny\"\nrows = \"many\"\n", &["line 2", "rows", "many"]),
        (b"base = \"tiny\"\nname = \"../x\"\n", &["line 2", "name = ../x"]),
        (b"base = \"tiny\"\nrows = 99999999999999999999\n", &["line 2", "rows"]),
        (b"base = \"ti\xff", &["UTF-8"]),
    ];
    for (toml, parts) in cases {
        fs::write(&file, toml).unwrap();
        bad(folder.path(), &["--target", "generic", "--config", "my.toml"], &[parts, &["my.toml"]].concat());
    }
    fs::write(&file, "base = \"tiny\"\ncolumns = 16\n").unwrap();
    good(folder.path(), &["--target", "generic", "--config", "my.toml", "--out", "out"]);
    let made = manifest(&folder.path().join("out"));
    assert_eq!((made.preset.as_str(), made.params.columns), ("my", 16));
}

#[test]
fn folders_that_are_not_ours_are_refused() {
    let folder = scratch();
    let at = folder.path();
    fs::write(at.join("file"), "x").unwrap();
    fs::create_dir(at.join("thesis")).unwrap();
    fs::write(at.join("thesis/a.tex"), "x").unwrap();
    let to = |out| ["--target", "generic", "--preset", "tiny", "--out", out];
    bad(at, &to("file"), &["file", "not a folder"]);
    bad(at, &to("file/below"), &["file"]);
    bad(at, &to("thesis"), &["thesis", "not empty", "bitline did not make"]);
    bad(at, &to("."), &["not empty"]);
    bad(at, &to(""), &["--out"]);
    // Where not even root may make a folder.
    bad(at, &to("/proc/bitline/out"), &["/proc/bitline"]);
    good(at, &to("ours"));
    let manifest = at.join("ours/manifest.json");
    let whole = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, &whole[..whole.len() / 2]).unwrap();
    bad(at, &to("ours"), &["ours/manifest.json", "no manifest of ours"]);
    fs::write(&manifest, whole.replace("\"bitline\"", "\"other\"")).unwrap();
    bad(at, &to("ours"), &["ours/manifest.json", "other"]);
    fs::write(&manifest, whole.replace("rtl/bl_compute_unit.v", "../file")).unwrap();
    bad(at, &to("ours"), &["../file", "outside"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_output_whole() {
    let folder = scratch();
    good(folder.path(), &["--target", "generic", "--preset", "tiny", "--out", "out"]);
    // A limit on the size of files stands for the disk's end: writes fail in the middle of a file.
    let limited = |arguments: &str| {
        let script = format!("trap '' XFSZ; ulimit -f 8; exec \"$0\" gen {arguments}");
        let program = env!("CARGO_BIN_EXE_bitline");
        Command::new("sh").args(["-c", &script, program]).current_dir(folder.path()).output().expect("a shell")
    };
    for arguments in
        ["--target verilator --preset tiny --seed 9 --out out", "--target generic --preset tiny --out new/er"]
    {
        let before = tree(folder.path());
        let output = limited(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with("error: ") && message.contains("bitline-"), "names the file: {message}");
        assert_eq!(tree(folder.path()), before);
    }
}

/// Every unit under its name: files that agree, Verilog that lints.
#[test]
fn every_unit_is_complete() {
    for unit in UNITS {
        let folder = scratch();
        let (sample, config) = unit.samples[0];
        fs::write(folder.path().join("sample.toml"), config).unwrap();
        let summary = good(folder.path(), &["--target", "generic", "--unit", unit.name, "--config", "sample.toml"]);
        let out = folder.path().join("build").join(if unit.name == UNITS[0].name { "generic" } else { unit.name });
        let text = fs::read_to_string(out.join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(summary.contains(manifest["configuration"].as_str().unwrap()), "{sample}: {summary}");
        for file in manifest["files"].as_array().unwrap() {
            let contents = fs::read(out.join(file["path"].as_str().unwrap())).unwrap();
            assert_eq!(file["hash"], hexadecimal(fnv1a(&contents)));
        }
        let list = fs::read_to_string(out.join("bitline.f")).unwrap();
        if require("verilator").is_some() {
            let lint = ["--lint-only", "-Wall", "--language", "1364-2005", "--top-module", unit.axi_module];
            let arguments: Vec<&str> = lint.into_iter().chain(list.lines()).collect();
            assert_eq!(run("verilator", &arguments, &out).unwrap().trim(), "");
        }
        let with = |more: &[&'static str]| [&["--unit", unit.name, "--target"], more].concat();
        bad(folder.path(), &with(&["vc709"]), &["target = vc709", "generic"]);
        bad(folder.path(), &with(&["generic", "--preset", "huge"]), &["preset = huge", unit.default_preset]);
    }
    let folder = scratch();
    let names: Vec<&str> = UNITS.iter().map(|unit| unit.name).collect();
    bad(folder.path(), &["--unit", "cache", "--target", "generic"], &[&["unit = cache"], &names[..]].concat());
}
