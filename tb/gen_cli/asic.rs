//! The target for chips: RAMs are modules of their own, and everything else goes through yosys with them as black
//! boxes.

use std::fs;

use super::{bad, good, scratch, text, tree};
use crate::lint::shortened_copy;
use bitline::sim::external::tool::{deep, require, run};

/// Units, their parameters, and how many macros of how many bits in all they must have.
const UNITS: [(&[&str], usize, usize); 5] = [
    // Two mirrored memories of 32 rows of 8 columns.
    (&["--preset", "tiny"], 1, 2 * 32 * 8),
    // One array of 256 rows of 256 columns.
    (&["--preset", "paper"], 1, 256 * 256),
    // Two mirrors of 128 rows for each of 4 lanes of 32 bits.
    (&["--unit", "ccs", "--preset", "tiny"], 1, 2 * 128 * 4 * 32),
    // Its rows have 512 bits each: gates.
    (&["--unit", "compute-cache", "--preset", "tiny"], 0, 0),
    // Two banks of one sub-array of 16 rows of 64 bytes, mirrored for the second read.
    (&["--unit", "compute-cache", "--config", "cache.toml"], 1, 2 * 2 * 16 * 512),
];

#[test]
fn macros_are_black_boxes() {
    for (arguments, kinds, bits) in UNITS {
        let folder = scratch();
        fs::write(folder.path().join("cache.toml"), "base = \"l1\"\nbanks = 2\npartitions = 1\nrows = 16\n").unwrap();
        good(folder.path(), &[&["--target", "generic-asic", "--out", "out"], arguments].concat());
        let out = folder.path().join("out");
        let list: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(out.join("macros/macros.json")).unwrap()).unwrap();
        let list = list.as_array().unwrap();
        assert_eq!(list.len(), kinds, "{list:#?}");
        let number = |m: &serde_json::Value, key: &str| m[key].as_u64().unwrap() as usize;
        let total: usize = list.iter().map(|m| number(m, "words") * number(m, "bits") * number(m, "instances")).sum();
        assert_eq!(total, bits, "{list:#?}");
        let files = tree(&out);
        for m in list {
            let module = m["module"].as_str().unwrap();
            let model = text(&files[&format!("macros/{module}.v")]);
            for port in m["ports"].as_array().unwrap() {
                let kind = if port["input"] == true { "input " } else { "output" };
                let name = port["name"].as_str().unwrap();
                assert!(model.lines().any(|line| line.contains(kind) && line.contains(name)), "{name}: {model}");
            }
            assert!(text(&files["macros/README.md"]).contains(&format!("| `{module}` |")));
        }
        let verilog: Vec<String> = text(&files["bitline.f"]).lines().map(String::from).collect();
        let verilog: Vec<&str> = verilog.iter().map(String::as_str).collect();
        // What holds many bits is in the macros.
        for file in verilog.iter().filter(|f| f.starts_with("rtl/")) {
            assert!(!text(&files[*file]).contains("ram_style = \"block\""), "{file}");
        }
        let top = verilog.last().unwrap().trim_start_matches("rtl/").trim_end_matches(".v").to_string();
        let short = shortened_copy(&out);
        let quiet = |program: &str, arguments: &[&str]| {
            let said =
                run(program, &[arguments, &verilog[..]].concat(), short.path()).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(said.trim(), "", "{program}");
        };
        if require("verilator").is_some() {
            quiet("verilator", &["--lint-only", "-Wall", "--language", "1364-2005", "--top-module", &top]);
        }
        if require("iverilog").is_some() {
            quiet("iverilog", &["-Wall", "-g2005", "-t", "null", "-s", &top]);
        }
        // Gates of the large ones take minutes; with `BITLINE_DEEP=1` the small ones become gates, else cells.
        let small = arguments.contains(&"tiny") && (deep() || !arguments.contains(&"--unit"));
        if small && require("yosys").is_some() {
            let script = text(&files["asic/synth.ys"]);
            assert_eq!(script.matches("\nsynth -flatten ").count(), 1, "{script}");
            let kind = if deep() { "synth" } else { "prep" };
            fs::write(out.join("cells.ys"), script.replace("\nsynth ", &format!("\n{kind} "))).unwrap();
            let said = run("yosys", &["-s", "cells.ys"], &out).unwrap_or_else(|e| panic!("{e}"));
            for m in list {
                let row = format!(" {}", m["module"].as_str().unwrap());
                assert!(said.contains(&row), "black boxes are counted: {row}");
            }
        }
    }
}

#[test]
fn boards_have_no_macros() {
    let folder = scratch();
    bad(folder.path(), &["--target", "generic-asic", "--clock", "50"], &["clock = 50", "boards"]);
    bad(folder.path(), &["--target", "generic_asic"], &["target = generic_asic", "generic-asic"]);
}
