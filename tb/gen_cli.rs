//! The program `gen` as its users meet it: what it writes, what it refuses, and what other tools make of its output.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use bitline::emit::manifest::{Manifest, hexadecimal};
use bitline::isa::transfer::Transfer;
use bitline::registers::fnv1a;
use bitline::tb::tool::{require, run};
use pretty_assertions::assert_eq;
use tempfile::{TempDir, tempdir};

fn generate(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gen")).args(arguments).current_dir(folder).output().expect("gen runs")
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
    for name in ["vc709", "verilator", "generic", "tiny", "default", "paper"] {
        assert!(list.lines().any(|l| l.trim_start().starts_with(&format!("{name} "))), "{name} in {list}");
    }
    assert!(good(folder.path(), &["--help"]).contains("--target"));
    assert!(tree(folder.path()).is_empty());
}

#[test]
fn every_target_is_complete_and_consistent() {
    let folder = scratch();
    for target in ["generic", "verilator", "vc709"] {
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
        let modules: Vec<String> = manifest.modules.iter().map(|m| format!("rtl/{m}.v")).collect();
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
        let script = format!("trap '' XFSZ; ulimit -f 8; exec \"$0\" {arguments}");
        let program = env!("CARGO_BIN_EXE_gen");
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

#[test]
fn the_c_header_compiles_and_stages_commands() {
    if require("cc").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "generic", "--preset", "default", "--out", "out"]);
    let program = r#"
        #include <string.h>
        #include "bitline.h"
        int main(void) {
            static uint32_t memory[BITLINE_SIZE / 4];
            struct bitline_command c;
            memset(&c, 0, sizeof c);
            c.opcode = BITLINE_OP_MUL_S; c.set = BITLINE_SET_SKIP; c.width = 64; c.second = 127;
            c.a = 1; c.b = 1023; c.d = 3; c.e = 4; c.s = 5; c.key = 0x0123456789abcdefu;
            if (bitline_push(memory, &c) != 0) return 1;
            if (memory[BITLINE_COMMAND / 4] != (36u | 1u << 8 | 64u << 16 | 127u << 24)) return 2;
            if (memory[BITLINE_COMMAND_AB / 4] != (1u | 1023u << 16)) return 3;
            if (memory[BITLINE_COMMAND_DE / 4] != (3u | 4u << 16) || memory[BITLINE_COMMAND_S / 4] != 5) return 4;
            if (memory[BITLINE_KEY_LOW / 4] != 0x89abcdefu || memory[BITLINE_KEY_HIGH / 4] != 0x01234567u) return 5;
            if (memory[BITLINE_PUSH / 4] != 1) return 6;
            memory[BITLINE_PUSH / 4] = 0;
            c.b = 1024;
            if (bitline_push(memory, &c) != -1 || memory[BITLINE_PUSH / 4] != 0) return 7;
            c.b = 0; c.width = 128;
            if (bitline_push(memory, &c) != -1) return 8;
            if (bitline_present(memory)) return 9;
            memcpy(memory, "BTLN", 4);
            if (!bitline_present(memory) || bitline_matches(memory)) return 10;
            memory[BITLINE_HASH_LOW / 4] = BITLINE_DESIGN_HASH_LOW_HASH;
            memory[BITLINE_HASH_HIGH / 4] = BITLINE_DESIGN_HASH_HIGH_HASH;
            if (!bitline_matches(memory)) return 11;
            memory[BITLINE_STATUS / 4] = 5u << 8;
            if (bitline_busy(memory) || bitline_free(memory) != 5) return 12;
            memory[BITLINE_ERROR / 4] = 3u << 8 | BITLINE_ERR_OVERLAP;
            if (bitline_error(memory) != BITLINE_ERR_OVERLAP) return 13;
            memory[BITLINE_CONTROL / 4] = BITLINE_CONTROL_DONE_ENABLE_MASK;
            bitline_clear_error(memory);
            if (memory[BITLINE_CONTROL / 4] != 0x101u) return 14;
            memory[BITLINE_CYCLES_LOW / 4] = 7; memory[BITLINE_CYCLES_HIGH / 4] = 1;
            if (bitline_cycles(memory) != 0x100000007u) return 15;
            if (BITLINE_DESIGN_GEOMETRY_ROWS != 512 || 1u << BITLINE_DESIGN_GEOMETRY_LOG2_COLUMNS != 256) return 16;
            return 0;
        }"#;
    fs::write(folder.path().join("main.c"), program).unwrap();
    let strict = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-Iout/software", "main.c", "-o", "main"];
    for language in [["-std=c99", "-xc"], ["-std=c++11", "-xc++"]] {
        run("cc", &[&language[..], &strict[..]].concat(), folder.path()).unwrap();
        run("./main", &[], folder.path()).unwrap();
    }
}

/// The driver's flags: what the issue of a warning is.
const STRICT: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion"];

/// The driver on plain memory in the place of registers: transfers are staged as the encoder in Rust says, bounds end waits, and what
/// does not fit is not pushed.
#[test]
fn the_c_driver_compiles_and_stages_transfers() {
    if require("gcc").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "generic", "--preset", "tiny", "--out", "out"]);
    let transfers = [
        Transfer { store: false, width: 17, row: 300, count: 256, address: 0x1234_5678_9abc_def0, stride: -524_288 },
        Transfer { store: true, width: 64, row: 1023, count: 1, address: u64::MAX, stride: 524_287 },
        Transfer { store: true, width: 1, row: 0, count: 1023, address: 0, stride: 0 },
        Transfer { store: false, width: 8, row: 5, count: 8, address: 3, stride: -1 },
    ];
    let mut checks = String::new();
    for (i, transfer) in (1..).zip(&transfers) {
        let Transfer { store, width, row, count, address, stride } = *transfer;
        let command = transfer.command();
        let (function, opcode) = (if store { "bitline_store" } else { "bitline_load" }, transfer.opcode());
        checks += &format!(
            "memory[BITLINE_PUSH / 4] = 0;
             if ({function}(&unit, {width}, {row}, {count}, {address}u, {stride}) != BITLINE_OK) return {i}0;
             if (memory[BITLINE_COMMAND / 4] != ({opcode}u | {}u << 16)) return {i}1;
             if (memory[BITLINE_COMMAND_AB / 4] != ({}u | {}u << 16)) return {i}2;
             if (memory[BITLINE_COMMAND_DE / 4] != ({}u | {}u << 16) || memory[BITLINE_COMMAND_S / 4] != {}u) return {i}3;
             if (memory[BITLINE_KEY_LOW / 4] != {}u || memory[BITLINE_KEY_HIGH / 4] != {}u) return {i}4;
             if (memory[BITLINE_PUSH / 4] != 1) return {i}5;\n",
            command.width,
            command.a,
            command.b,
            command.d,
            command.e,
            command.s,
            command.key as u32,
            command.key >> 32,
        );
    }
    let program = format!(
        r#"#include <string.h>
        #include "bitline.h"
        static uint32_t memory[BITLINE_SIZE / 4];
        static struct bitline unit;
        int main(void) {{
            struct bitline_fault fault;
            if (bitline_init(&unit, memory, 3) != BITLINE_ABSENT) return 200;
            memcpy(memory, "BTLN", 4);
            memory[BITLINE_HASH_LOW / 4] = BITLINE_DESIGN_HASH_LOW_HASH;
            memory[BITLINE_HASH_HIGH / 4] = BITLINE_DESIGN_HASH_HIGH_HASH;
            memory[BITLINE_STATUS / 4] = BITLINE_STATUS_BUSY_MASK;
            if (bitline_init(&unit, memory, 3) != BITLINE_TIMEOUT) return 201;
            memory[BITLINE_STATUS / 4] = BITLINE_STATUS_TAG_ANY_MASK;
            if (bitline_init(&unit, memory, 3) != BITLINE_OK || !bitline_tag_any(&unit)) return 202;
            {checks}
            memory[BITLINE_PUSH / 4] = 0;
            if (bitline_load(&unit, 65, 0, 1, 0, 0) != BITLINE_UNFIT) return 203;
            if (bitline_load(&unit, 8, 1024, 1, 0, 0) != BITLINE_UNFIT) return 204;
            if (bitline_store(&unit, 8, 1024, 1, 0, 0) != BITLINE_UNFIT) return 205;
            if (bitline_store(&unit, 8, 0, 1024, 0, 0) != BITLINE_UNFIT) return 206;
            if (bitline_load(&unit, 8, 0, 1, 0, 524288) != BITLINE_UNFIT) return 207;
            if (bitline_load(&unit, 8, 0, 1, 0, -524289) != BITLINE_UNFIT) return 208;
            memory[BITLINE_STATUS / 4] = BITLINE_STATUS_QUEUE_FULL_MASK | BITLINE_STATUS_BUSY_MASK;
            if (bitline_load(&unit, 8, 0, 1, 0, 0) != BITLINE_TIMEOUT || bitline_wait(&unit) != BITLINE_TIMEOUT) return 209;
            if (memory[BITLINE_PUSH / 4] != 0) return 210;
            memory[BITLINE_STATUS / 4] = 0;
            if (bitline_wait(&unit) != BITLINE_OK || bitline_take_error(&unit, &fault) != 0) return 211;
            memory[BITLINE_ERROR / 4] = 2u << 8 | BITLINE_ERR_DECODE;
            memory[BITLINE_ERROR_INDEX / 4] = 77;
            memory[BITLINE_ERROR_ADDRESS_LOW / 4] = 0x89abcdefu;
            memory[BITLINE_ERROR_ADDRESS_HIGH / 4] = 0x01234567u;
            if (bitline_wait(&unit) != BITLINE_REFUSED || bitline_take_error(&unit, &fault) != 1) return 212;
            if (fault.code != BITLINE_ERR_DECODE || fault.operand != 2 || fault.index != 77) return 213;
            if (fault.address != 0x0123456789abcdefu) return 214;
            bitline_interrupts(&unit, 1, 0);
            if (memory[BITLINE_CONTROL / 4] != BITLINE_CONTROL_DONE_ENABLE_MASK) return 215;
            memory[BITLINE_INTERRUPT / 4] = BITLINE_INTERRUPT_DONE_MASK;
            if (bitline_take_interrupts(&unit) != BITLINE_INTERRUPT_DONE_MASK) return 216;
            return 0;
        }}"#
    );
    fs::write(folder.path().join("main.c"), program).unwrap();
    let rest = ["-Iout/software", "main.c", "out/software/bitline.c", "-o", "main"];
    assert_eq!(run("gcc", &[&STRICT[..], &rest[..]].concat(), folder.path()).unwrap().trim(), "");
    run("./main", &[], folder.path()).unwrap();
    // C++ programs see the functions as what they are.
    let user = "#include \"bitline.h\"\nint main() { bitline unit; return bitline_init(&unit, nullptr, 1) + bitline_wait(&unit); }\n";
    fs::write(folder.path().join("user.cpp"), user).unwrap();
    let compile = ["-std=c99", "-Iout/software", "-c", "out/software/bitline.c", "-o", "driver.o"];
    run("gcc", &compile, folder.path()).unwrap();
    let link = [
        "-std=c++11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-Iout/software",
        "user.cpp",
        "driver.o",
        "-o",
        "user",
    ];
    assert_eq!(run("g++", &link, folder.path()).unwrap().trim(), "");
}

/// The README's programs in C.
#[test]
fn examples_in_c_compile() {
    if require("gcc").is_none() {
        return;
    }
    let folder = scratch();
    let readme = include_str!("../README.md");
    let examples: Vec<&str> = readme.split("```c\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty(), "the README has examples in C");
    good(folder.path(), &["--target", "generic", "--preset", "tiny", "--out", "unit"]);
    good(folder.path(), &["--unit", "compute-cache", "--target", "generic", "--preset", "tiny", "--out", "cache"]);
    for example in examples {
        fs::write(folder.path().join("example.c"), example).unwrap();
        let rest = ["-Iunit/software", "-Icache/software", "-c", "example.c", "-o", "example.o"];
        assert_eq!(run("gcc", &[&STRICT[..], &rest[..]].concat(), folder.path()).unwrap().trim(), "");
    }
}

#[test]
fn the_bench_passes_and_notices_a_wrong_row() {
    if require("verilator").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "verilator", "--preset", "tiny", "--out", "out"]);
    let out = folder.path().join("out");
    let told = run("make", &[], &out).unwrap();
    assert!(told.lines().any(|l| l.starts_with("PASS ")), "{told}");
    let told = run("make", &["STALLS=1"], &out).unwrap();
    assert!(told.lines().any(|l| l.starts_with("PASS ")), "{told}");
    // One bit of the last row expected of the last operation, and one error code.
    let vectors = fs::read_to_string(out.join("vectors/vectors.txt")).unwrap();
    let at = vectors.rfind("\nexpect ").unwrap() + 1;
    let end = at + vectors[at..].find('\n').unwrap();
    let flipped =
        char::from_digit(vectors[end - 1..end].chars().next().unwrap().to_digit(16).unwrap() ^ 1, 16).unwrap();
    let wrong_row = format!("{}{flipped}{}", &vectors[..end - 1], &vectors[end..]);
    let wrong_code = vectors.replacen("refused 3", "refused 4", 1);
    assert_ne!(wrong_code, vectors);
    for (name, wrong) in [("row", wrong_row), ("code", wrong_code), ("format", vectors.replace("case", "cas"))] {
        fs::write(out.join("wrong.txt"), wrong).unwrap();
        let error = run("make", &["VECTORS=wrong.txt"], &out).expect_err(name).to_string();
        assert!(error.contains(if name == "format" { "vectors, line" } else { "\nFAIL case" }), "{error}");
    }
}

#[test]
fn the_board_files_fit_together() {
    if require("yosys").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "vc709", "--preset", "tiny", "--out", "out"]);
    let out = folder.path().join("out");
    let sources = fs::read_to_string(out.join("bitline.f")).unwrap().replace('\n', " ");
    let check = format!(
        "read_verilog -lib +/xilinx/cells_sim.v; read_verilog -lib +/xilinx/cells_xtra.v; \
         read_verilog {sources} rtl/bl_vc709_board.v; hierarchy -check -top bl_vc709_board; proc; check -assert"
    );
    let told = run("yosys", &["-q", "-p", &check], &out).unwrap();
    assert!(!told.contains("Resizing") && !told.contains("Warning: Cell port"), "{told}");
    // The scripts run to their end with commands that only look at their arguments, and read every file.
    for script in ["build.tcl", "project.tcl"] {
        let stub = format!(
            "proc unknown args {{ puts \"call $args\"; foreach a $args {{ if {{[string match *.v $a] || [string match *.xdc $a]}} \
             {{ if {{![file exists $a]}} {{ error \"$a is missing\" }} }} }}; return 0.1 }}\n\
             foreach c {{read_verilog synth_design}} {{ catch {{rename $c {{}}}} }}\n\
             source vivado/{script}\nputs DONE\n"
        );
        fs::write(out.join("stub.tcl"), stub).unwrap();
        let told = run("yosys", &["-c", "stub.tcl"], &out).unwrap();
        assert!(told.contains("DONE") && told.contains("bl_vc709_board"), "{told}");
        let read = told.lines().filter(|l| l.starts_with("call") && l.contains(".v")).count();
        assert_eq!(read, sources.split_whitespace().count() + 1, "{told}");
    }
}

/// The compute cache's driver on plain memory in the place of registers.
const CACHE_DRIVEN: &str = r#"
    #include "bitline_cc.h"
    static uint32_t memory[(BITLINE_CC_WINDOW + BITLINE_CC_BYTES) / 4];
    static struct bitline_cc cache;
    static int is(uint32_t opcode, uint32_t grain, uint32_t a, uint32_t b, uint32_t d) {
        const uint32_t operation = opcode << BITLINE_CC_OPERATION_OPCODE_LSB | grain << BITLINE_CC_OPERATION_GRAIN_LSB;
        return memory[BITLINE_CC_OPERATION / 4] == operation && memory[BITLINE_CC_A / 4] == a && memory[BITLINE_CC_B / 4] == b &&
               memory[BITLINE_CC_D / 4] == d && memory[BITLINE_CC_SIZE / 4] == 64;
    }
    int main(void) {
        uint64_t mask = 0;
        uint32_t words[2] = {5, 6};
        if (bitline_cc_init(&cache, memory, 3) != BITLINE_CC_ABSENT) return 1;
        memory[BITLINE_CC_ID / 4] = 0x43435442u;
        if (bitline_cc_matches(memory)) return 2;
        cache.base = memory;
        cache.polls = 3;
        if (cc_buz(&cache, 0, 64) != BITLINE_CC_TIMEOUT) return 3;
        memory[BITLINE_CC_STATUS / 4] = BITLINE_CC_STATUS_READY_MASK;
        if (cc_buz(&cache, 0, 64) != BITLINE_CC_TIMEOUT) return 4;
        memory[BITLINE_CC_STATUS / 4] = BITLINE_CC_STATUS_READY_MASK | BITLINE_CC_STATUS_RESULT_MASK;
        memory[BITLINE_CC_RESULT / 4] = BITLINE_CC_RESULT_VALID_MASK;
        memory[BITLINE_CC_MASK_LOW / 4] = 0x89abcdefu;
        memory[BITLINE_CC_MASK_HIGH / 4] = 0x01234567u;
        if (cc_copy(&cache, 1, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_COPY, 0, 1, 0, 2)) return 5;
        if (cc_buz(&cache, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_BUZ, 0, 0, 0, 2)) return 6;
        if (cc_and(&cache, 1, 3, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_AND, 0, 1, 3, 2)) return 7;
        if (cc_or(&cache, 1, 3, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_OR, 0, 1, 3, 2)) return 8;
        if (cc_xor(&cache, 1, 3, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_XOR, 0, 1, 3, 2)) return 9;
        if (cc_not(&cache, 1, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_NOT, 0, 1, 0, 2)) return 10;
        if (mask != 0 || cc_cmp(&cache, 1, 3, 64, &mask) != BITLINE_CC_OK || !is(BITLINE_CC_OP_CMP, 0, 1, 3, 0)) return 11;
        if (mask != 0x0123456789abcdefu) return 12;
        if (cc_search(&cache, 1, 3, 64, 0) != BITLINE_CC_OK || !is(BITLINE_CC_OP_SEARCH, 0, 1, 3, 0)) return 13;
        if (cc_clmul(&cache, 1, 3, 64, 256, &mask) != BITLINE_CC_OK || !is(BITLINE_CC_OP_CLMUL, 2, 1, 3, 0)) return 14;
        if (cc_clmul(&cache, 1, 3, 64, 32, &mask) != BITLINE_CC_UNFIT) return 15;
        memory[BITLINE_CC_RESULT / 4] = BITLINE_CC_RESULT_VALID_MASK | BITLINE_CC_ERR_SIZE << BITLINE_CC_RESULT_CODE_LSB;
        memory[BITLINE_CC_FAULT / 4] = 7;
        mask = 1;
        if (cc_cmp(&cache, 1, 3, 64, &mask) != BITLINE_CC_REFUSED || mask != 1) return 16;
        if (cache.result.code != BITLINE_CC_ERR_SIZE || cache.result.fault != 7) return 17;
        if (bitline_cc_put(&cache, BITLINE_CC_BYTES - 8, words, 2) != BITLINE_CC_OK) return 18;
        if (memory[(BITLINE_CC_WINDOW + BITLINE_CC_BYTES) / 4 - 1] != 6) return 19;
        if (bitline_cc_put(&cache, BITLINE_CC_BYTES - 4, words, 2) != BITLINE_CC_UNFIT) return 20;
        if (bitline_cc_get(&cache, 2, words, 1) != BITLINE_CC_UNFIT) return 21;
        if (bitline_cc_get(&cache, BITLINE_CC_BYTES + 4, words, 0) != BITLINE_CC_UNFIT) return 22;
        return 0;
    }
"#;

/// The compute cache: files that agree, a header that compilers take without a warning, Verilog that lints.
#[test]
fn compute_cache_is_complete() {
    let folder = scratch();
    let config = "base = \"l1\"\nrows = 16\n";
    fs::write(folder.path().join("small.toml"), config).unwrap();
    let summary = good(folder.path(), &["--target", "generic", "--unit", "compute-cache", "--config", "small.toml"]);
    let out = folder.path().join("build/compute-cache");
    let text = fs::read_to_string(out.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(summary.contains(manifest["configuration"].as_str().unwrap()), "{summary}");
    assert_eq!(manifest["geometry"]["rows"], 16);
    for file in manifest["files"].as_array().unwrap() {
        let contents = fs::read(out.join(file["path"].as_str().unwrap())).unwrap();
        assert_eq!(file["hash"], hexadecimal(fnv1a(&contents)));
    }
    let list = fs::read_to_string(out.join("bitline.f")).unwrap();
    if require("verilator").is_some() {
        let mut arguments =
            vec!["--lint-only", "-Wall", "--language", "1364-2005", "--top-module", "bl_compute_cache_axi"];
        arguments.extend(list.lines());
        assert_eq!(run("verilator", &arguments, &out).unwrap().trim(), "");
    }
    let main = "#include \"software/bitline_cc.h\"\nint main(void) { return bitline_cc_present((void *)0) + \
                (int)bitline_cc_run((void *)0, BITLINE_CC_OP_CMP, 0, 0, 0, 0, 64).mask + (int)bitline_cc_cycles((void *)0); }\n";
    fs::write(out.join("main.c"), main).unwrap();
    if require("gcc").is_some() {
        for language in [["-std=c99", "-xc"], ["-std=c++11", "-xc++"]] {
            let arguments =
                ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", language[0], language[1], "main.c"];
            assert_eq!(run("gcc", &arguments, &out).unwrap().trim(), "");
        }
        fs::write(out.join("driven.c"), CACHE_DRIVEN).unwrap();
        let rest = ["-Isoftware", "driven.c", "software/bitline_cc.c", "-o", "driven"];
        assert_eq!(run("gcc", &[&STRICT[..], &rest[..]].concat(), &out).unwrap().trim(), "");
        run("./driven", &[], &out).unwrap();
    }
    let refused = ["--unit", "compute-cache", "--target", "vc709"];
    bad(folder.path(), &refused, &["target = vc709", "generic"]);
    bad(folder.path(), &["--unit", "cache", "--target", "generic"], &["unit = cache", "compute-cache"]);
    bad(
        folder.path(),
        &["--unit", "compute-cache", "--target", "generic", "--preset", "paper"],
        &["geometry = paper", "l3_slice"],
    );
}
