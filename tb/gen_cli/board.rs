//! The target of the board: its folder is complete, every tool takes its Verilog, and the bench over the UART pins
//! passes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use bitline::boards::board::{Board, Family};
use bitline::boards::{self, BOARDS};
use bitline::emit::manifest::hexadecimal;
use bitline::emit::unit::UNITS;
use bitline::regmap::fnv1a;
use bitline::sim::external::tool::{deep, require, run};
use bitline::system::{DEFAULT_CLOCK_MHZ, SystemParams};
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::lint::shortened_copy;

use super::{bad, good, scratch, text, tree};

/// Few cycles a bit, so that simulators are soon through.
const FAST: [&str; 8] = ["--target", "vc709", "--preset", "tiny", "--baud", "12500000", "--out", "out"];

pub(super) fn json(out: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(out.join("manifest.json")).unwrap()).unwrap()
}

#[test]
fn the_board_s_folder_is_complete() {
    let folder = scratch();
    let summary = good(folder.path(), &["--target", "vc709", "--preset", "tiny"]);
    let out = folder.path().join("build/vc709");
    let manifest = json(&out);
    let hash = manifest["configuration"].as_str().unwrap();
    assert_eq!(hash, hexadecimal(SystemParams::preset("tiny").unwrap().hash()));
    assert!(summary.contains(hash), "{summary}");
    assert_eq!((&manifest["top"], &manifest["target"]), (&"bl_system".into(), &"vc709".into()));
    let files = tree(&out);
    let listed: BTreeSet<String> = files.keys().filter(|p| out.join(p).is_file()).cloned().collect();
    let expected = manifest["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap().to_string());
    assert_eq!(listed, expected.chain(["manifest.json".into()]).collect());
    for file in manifest["files"].as_array().unwrap() {
        let path = file["path"].as_str().unwrap();
        let bytes = &files[path];
        assert_eq!(file["hash"], hexadecimal(fnv1a(bytes)), "{path}");
        let text = text(bytes);
        assert!(!text.contains("{{ ") && !text.contains("{%"), "{path}: a template that is not filled in");
        if path != "bitline.f" {
            assert!(text.contains("MIT OR Apache-2.0") && text.contains("enerated by bitline"), "{path}");
        }
    }
    let list = text(&files["bitline.f"]);
    let modules: Vec<&str> = manifest["modules"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    let expected: Vec<String> =
        modules.iter().copied().chain(["bl_vc709_board"]).map(|m| format!("rtl/{m}.v")).collect();
    assert_eq!(list.lines().collect::<Vec<_>>(), expected, "one file for each module, children first, the board last");
    for path in [
        "software/bitline.h",
        "software/bitline_ccs.h",
        "software/bitline_board.h",
        "doc/array/registers.md",
        "doc/array/timing.svg",
        "doc/ccs/registers.html",
        "doc/ccs/timing.svg",
        "doc/board/registers.rdl",
        "doc/board/protocol.md",
        "doc/board/block_diagram.svg",
        "doc/limitations.md",
        "bitline.core",
    ] {
        assert!(files.contains_key(path), "{path} in {listed:?}");
    }
    // Links between the documents lead somewhere.
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".md")) {
        let text = text(bytes);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|l| !l.starts_with('#')) {
            let to = out.join(path).parent().unwrap().join(link);
            assert!(to.is_file(), "{path}: {link}");
        }
    }
}

#[test]
fn clock_and_baud_come_from_arguments_or_a_file() {
    let folder = scratch();
    let make = |arguments: &[&str]| {
        good(folder.path(), &[&["--target", "vc709", "--out", "out"], arguments].concat());
        let out = folder.path().join("out");
        (json(&out)["geometry"].clone(), fs::read_to_string(out.join("rtl/bl_vc709_board.v")).unwrap())
    };
    let (geometry, board) = make(&["--preset", "tiny", "--clock", "125", "--baud", "1000000"]);
    assert_eq!((&geometry["clock_mhz"], &geometry["baud"]), (&125.into(), &1_000_000.into()));
    for setting in ["CLKFBOUT_MULT_F(5.000)", "DIVCLK_DIVIDE(1)", "CLKOUT0_DIVIDE_F(8.000)"] {
        assert!(board.contains(setting), "{setting} in {board}");
    }
    fs::write(folder.path().join("my.toml"), "base = \"tiny\"\nclock_mhz = 50\nbaud = 115200\n").unwrap();
    let (geometry, _) = make(&["--config", "my.toml"]);
    assert_eq!(
        (&geometry["clock_mhz"], &geometry["baud"], &geometry["name"]),
        (&50.into(), &115_200.into(), &"my".into())
    );
    let (geometry, board) = make(&["--config", "my.toml", "--clock", "40"]);
    assert_eq!((&geometry["clock_mhz"], &geometry["baud"]), (&40.into(), &115_200.into()));
    assert!(board.contains("200 MHz in") && board.contains("40 MHz for the design"), "{board}");
    // Equal input, equal output.
    let before = tree(&folder.path().join("out"));
    assert!(
        good(folder.path(), &["--target", "vc709", "--config", "my.toml", "--clock", "40", "--out", "out"])
            .contains("(0 changed)")
    );
    assert_eq!(tree(&folder.path().join("out")), before);
}

#[test]
fn wrong_boards_are_refused() {
    let folder = scratch();
    let at = folder.path();
    let vc709 = |rest: &[&'static str]| [&["--target", "vc709"], rest].concat();
    bad(at, &vc709(&["--preset", "paper"]), &["preset = paper", "vc709, small, tiny, duality, duality-tiny"]);
    bad(at, &vc709(&["--preset", "tiny", "--clock", "9"]), &["clock_mhz = 9", "10 to 400"]);
    bad(at, &vc709(&["--preset", "tiny", "--clock", "401"]), &["clock_mhz = 401"]);
    bad(at, &vc709(&["--preset", "tiny", "--clock", "fast"]), &["--clock", "fast"]);
    bad(at, &vc709(&["--preset", "tiny", "--baud", "0"]), &["baud = 0"]);
    bad(
        at,
        &vc709(&["--preset", "tiny", "--clock", "100", "--baud", "40000000"]),
        &["baud = 40000000", "a quarter of the clock"],
    );
    bad(at, &vc709(&["--preset", "tiny", "--clock", "10", "--baud", "2200000"]), &["baud = 2200000", "within 2 %"]);
    bad(at, &vc709(&["--preset", "tiny", "--baud", "-1"]), &["-1"]);
    bad(at, &vc709(&["--preset", "tiny", "--seed", "3"]), &["seed = 3", "vc709"]);
    for unit in UNITS.iter().map(|unit| unit.name) {
        bad(at, &["--target", "vc709", "--unit", unit], &["target = vc709", "generic", unit]);
    }
    for target in ["generic", "verilator"] {
        bad(at, &["--target", target, "--clock", "100"], &["clock = 100", "vc709"]);
        bad(at, &["--target", target, "--baud", "9600"], &["baud = 9600", "vc709"]);
    }
    bad(at, &["--target", "generic", "--unit", "ccs", "--clock", "100"], &["clock = 100", "vc709"]);
    bad(at, &["--target", "verilator", "--unit", "ccs"], &["target = verilator", "generic"]);
    for (toml, parts) in [
        ("clock_mhz = 500\n", &["my.toml", "clock_mhz = 500"][..]),
        ("clok_mhz = 100\n", &["my.toml, line 1", "clok_mhz"]),
        ("array_memory_words = 1000\n", &["my.toml", "array_memory_words = 1000"]),
        ("[array]\nbase = \"tiny\"\nmemory_port = \"none\"\n", &["my.toml", "memory_port = none"]),
        ("[ccs]\nbase = \"small\"\nmemory = \"axi128\"\n", &["my.toml", "memory = 128 bits"]),
    ] {
        fs::write(at.join("my.toml"), toml).unwrap();
        bad(at, &["--target", "vc709", "--config", "my.toml"], parts);
    }
    bad(at, &vc709(&["--preset", "tiny", "--config", "my.toml"]), &["--preset", "--config"]);
}

/// Verilator, Icarus and yosys take a whole board top, and say nothing.
fn quiet(out: &Path, board: &Board) {
    let short = shortened_copy(out);
    let out = short.path();
    let top = &format!("bl_{}_board", board.identifier());
    let cells = match board.family {
        Family::Xilinx7 { .. } => ["xilinx/cells_sim.v", "xilinx/cells_xtra.v"],
        Family::Ecp5 { .. } => ["ecp5/cells_sim.v", "ecp5/cells_bb.v"],
    };
    if require("verilator").is_some() && require("iverilog").is_some() {
        let said = run("make", &["-s", "lint"], out).unwrap();
        assert_eq!(said.trim(), "", "{top}");
    }
    if require("yosys").is_some() {
        let sources = fs::read_to_string(out.join("bitline.f")).unwrap().replace('\n', " ");
        let check = format!(
            "read_verilog -lib +/{}; read_verilog -lib +/{}; read_verilog {sources}; \
             hierarchy -check -top {top}; proc; check -assert; select -assert-none t:$dlatch",
            cells[0], cells[1]
        );
        let said = run("yosys", &["-q", "-p", &check], out).unwrap();
        // yosys keeps numbers with a fraction as text, and says so of the clock manager's.
        let told = said.lines().filter(|line| !line.contains("Replacing floating point parameter clock_manager."));
        assert!(told.clone().all(|line| !line.contains("Resizing") && !line.contains("Warning")), "{top}: {said}");
    }
}

#[test]
fn tools_are_quiet_about_the_board_top() {
    let folder = scratch();
    good(folder.path(), &FAST);
    quiet(&folder.path().join("out"), &boards::vc709::BOARD);
}

/// Other boards: complete, quiet, and the bench passes in Icarus.
#[test]
fn other_boards_are_as_good() {
    for board in BOARDS.iter().filter(|board| board.name != "vc709") {
        let folder = scratch();
        let (target, mhz) = (board.name, board.design_mhz.unwrap_or(DEFAULT_CLOCK_MHZ));
        // 8 cycles a bit.
        let summary = good(folder.path(), &["--target", target, "--baud", &(mhz * 125_000).to_string()]);
        let out = folder.path().join("build").join(target);
        let manifest = json(&out);
        assert!(summary.contains(manifest["configuration"].as_str().unwrap()), "{summary}");
        let geometry = &manifest["geometry"];
        assert_eq!((&geometry["name"], &geometry["clock_mhz"]), (&board.preset.into(), &mhz.into()), "{target}");
        for (path, bytes) in tree(&out) {
            let text = text(&bytes);
            assert!(!text.contains("{{ ") && !text.contains("{%"), "{path}: a template that is not filled in");
            assert!(!text.contains("vc709") && !path.contains("vc709"), "{target}: {path} is about another board");
        }
        quiet(&out, board);
        if require("iverilog").is_some() {
            let told = run("make", &["sim-icarus"], &out).unwrap();
            assert!(told.lines().any(|line| line == "PASS"), "{target}: {told}");
        }
    }
    // 12 MHz make 60, but not 50.
    let folder = scratch();
    bad(folder.path(), &["--target", "ecp5-evn", "--clock", "50"], &["clock_mhz = 50", "12 MHz"]);
    bad(folder.path(), &["--target", "arty-a7", "--unit", "ccs"], &["target = arty-a7", "generic", "ccs"]);
}

/// The bench over the UART pins, around the whole board top, in Icarus (with `BITLINE_DEEP=1` under Verilator too); and
/// that it notices what is wrong.
#[test]
fn the_bench_talks_to_the_board_top() {
    let folder = scratch();
    good(folder.path(), &FAST);
    let out = folder.path().join("out");
    let passes = |told: &str| told.lines().any(|line| line == "PASS");
    if require("iverilog").is_some() {
        let told = run("make", &["sim-icarus"], &out).unwrap();
        assert!(passes(&told), "{told}");
        // Another hash than the design's, and a clock manager beyond its limits.
        let (bench, board) = ("sim/bl_vc709_board_bench.v", "rtl/bl_vc709_board.v");
        let hash = json(&out)["configuration"].as_str().unwrap()[8..].to_string();
        for (path, from, to, part) in [
            (bench, format!("= 32'h{hash}"), "= 32'h12345678".to_string(), "FAIL: step 0: word 2 is"),
            (board, "DIVCLK_DIVIDE(1)".into(), "DIVCLK_DIVIDE(4)".into(), "MMCME2_BASE: the oscillator"),
        ] {
            let right = fs::read_to_string(out.join(path)).unwrap();
            assert!(right.contains(&from), "{from} in {path}");
            fs::write(out.join(path), right.replace(&from, &to)).unwrap();
            let error = run("make", &["sim-icarus"], &out).expect_err(path).to_string();
            assert!(error.contains(part), "{part} in {error}");
            fs::write(out.join(path), right).unwrap();
        }
    }
    // Its C++ takes a compiler half a minute: `scripts/check-deep.sh` waits for that.
    if deep() && require("verilator").is_some() {
        let told = run("make", &["sim"], &out).unwrap();
        assert!(passes(&told), "{told}");
    }
    run("make", &["clean"], &out).unwrap();
    assert!(!out.join("sim/build").exists());
}

/// A board with a Duality Cache: its driver, documents and registers are there. With `BITLINE_DEEP=1` simulators are
/// quiet about the whole board top, and the bench reads the unit's identification over the pins: half a minute.
#[test]
fn a_board_may_have_a_duality_cache() {
    let folder = scratch();
    let arguments = ["--target", "ecp5-evn", "--preset", "duality-tiny", "--baud", "7500000", "--out", "out"];
    good(folder.path(), &arguments);
    let out = folder.path().join("out");
    let files = tree(&out);
    for path in [
        "rtl/bl_duality_top.v",
        "rtl/bl_duality_on_chip.v",
        "software/bitline_duality.h",
        "software/bitline_duality.c",
        "doc/duality/registers.md",
        "doc/duality/registers.html",
        "doc/duality/timing.svg",
        "doc/duality/block_diagram.svg",
    ] {
        assert!(files.contains_key(path), "{path}");
    }
    let read = |path: &str| text(&files[path]).to_string();
    assert!(read("doc/board/protocol.md").contains("| 0x28000000 | 65536 | the Duality Cache's memory"));
    assert!(read("software/bitline_board.h").contains("#define BITLINE_DUALITY_BASE 0x18000000u"));
    assert!(read("doc/limitations.md").contains("the Duality Cache in it"));
    if deep() && require("verilator").is_some() && require("iverilog").is_some() {
        assert_eq!(run("make", &["-s", "lint"], &out).unwrap().trim(), "");
        let told = run("make", &["sim-icarus"], &out).unwrap();
        assert!(told.lines().any(|line| line == "PASS"), "{told}");
    }
}

/// The header says what the protocol says, and compilers take it.
#[test]
fn the_board_s_header_compiles() {
    if require("gcc").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &FAST);
    let program = "#include \"bitline_board.h\"\n#include \"bitline.h\"\n#include \"bitline_ccs.h\"\n\
        int main(void) {\n\
        if (BITLINE_BOARD_BASE != 0 || BITLINE_ARRAY_BASE != 0x10000000u || BITLINE_CCS_BASE != 0xc0000000u) return \
        1;\n\
        if (BITLINE_BOARD_STATUS_SLOW != 7 || BITLINE_BOARD_SCRATCH != 0x1c || BITLINE_BOARD_MAX_WORDS != 256) return \
        2;\n\
        if (BITLINE_BOARD_LED_OVERRIDE_MASK != 0x100 || BITLINE_ARRAY_MEMORY_BASE_BYTES != 4096) return 3;\n\
        return BITLINE_BOARD_CONFIGURATION == 0;\n}\n";
    fs::write(folder.path().join("main.c"), program).unwrap();
    for language in [["-std=c99", "-xc"], ["-std=c++11", "-xc++"]] {
        let rest = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Iout/software", "main.c", "-o", "main"];
        assert_eq!(run("gcc", &[&language[..], &rest[..]].concat(), folder.path()).unwrap().trim(), "");
        run("./main", &[], folder.path()).unwrap();
    }
}

/// Ports of a Verilog module of ours as `(name, (direction, bits))`.
pub(super) fn ports(verilog: &str) -> BTreeMap<String, (String, usize)> {
    let header = verilog.split(");").next().unwrap_or_default();
    let mut found = BTreeMap::new();
    for line in header.lines() {
        let words: Vec<&str> = line.trim().trim_end_matches(',').split_whitespace().collect();
        let Some(at) = words.iter().position(|w| *w == "input" || *w == "output") else { continue };
        let range = words.iter().find_map(|w| w.strip_prefix('[')?.strip_suffix(":0]"));
        let bits = range.map_or(1, |msb| msb.parse::<usize>().unwrap() + 1);
        found.insert(words.last().unwrap().to_string(), (words[at].to_string(), bits));
    }
    found
}
