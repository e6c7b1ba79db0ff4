//! The binary `sim` from outside: programs, waves, the cycle table, and what it does with bad input.

mod fuzz;
mod profile;
mod regress;
mod report;
mod run;
mod system;
mod verified;

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn sim(args: &[&str]) -> Output {
    let mut sim = Command::new(env!("CARGO_BIN_EXE_bitline"));
    // However long something takes here, it is not told.
    sim.arg("sim").args(args).env("BITLINE_PROGRESS", "100000").output().expect("the binary is built")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

fn program(name: &str) -> String {
    format!("{}/examples/programs/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("the folder can be written");
    path.display().to_string()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into()).collect();
    names.sort();
    names
}

#[test]
fn example_programs_hold() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("new/folder");
    for name in ["first.bl", "blend.bl", "search.bl", "score.toml"] {
        let output = sim(&["run", &program(name), "--out", &out.display().to_string()]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stderr));
        assert!(text(&output.stdout).contains("clock cycles"), "{name}");
        assert!(output.stderr.is_empty(), "no progress bar without a terminal");
    }
    assert_eq!(names(&out), ["blend.pgm", "scores.csv"]);
    let small = |name: &str| format!("{}/examples/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| std::fs::read(path).expect("the program wrote it");
    assert_eq!(read(&out.join("blend.pgm")), read(Path::new(&small("blend_160.pgm"))));

    // The scores, worked out from the text of the measurements.
    let scores = text(&read(&out.join("scores.csv")));
    let sensors = text(&read(Path::new(&small("sensors.csv"))));
    assert_eq!(scores.lines().count(), sensors.lines().count());
    for (score, sensor) in scores.lines().zip(sensors.lines()).skip(1) {
        // In millionths: no fraction has more digits, and all are positive.
        let millionths = |field: &str| {
            let (whole, fraction) = field.split_once('.').unwrap_or((field, ""));
            format!("{whole}{fraction:0<6}").parse::<i64>().expect("a number")
        };
        let fields: Vec<i64> = sensor.split(',').map(millionths).collect();
        let terms = [(0, 10, 60), (1, 10, 2), (2, 100, 190), (3, 100, 150)];
        let sum: i64 = terms.iter().map(|&(i, scale, weight)| (fields[i] * scale + 500_000) / 1_000_000 * weight).sum();
        assert_eq!(score, format!("{sum},{}", u8::from(sum < 55000)), "{sensor}");
    }
}

#[test]
fn seeds_and_designs_do_not_change_results() {
    let first = |args: &[&str]| {
        let output = sim(&[&["run", &program("first.bl")], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        (printed.lines().take(5).map(String::from).collect::<Vec<_>>(), printed)
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = write(folder.path(), "wide.toml", "base = \"paper\"\ncolumns = 16\n");
    let (results, whole) = first(&[]);
    assert_eq!(results[0], "sum = 300 16 5 510 24 109 100 4");
    for args in [&["--seed", "77"][..], &["--preset", "paper"], &["--preset", "default"], &["--config", &config]] {
        assert_eq!(first(args).0, results, "{args:?}");
    }
    assert_eq!(first(&["--engine", "model"]).1, whole, "two runs are equal");
}

#[test]
fn waves_are_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["w.vcd", "w.fst"] {
        let path = folder.path().join(name);
        let output = sim(&["run", &program("first.bl"), "--wave", &path.display().to_string()]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let content = std::fs::read(&path).expect("a wave");
        assert!(content.len() > 1000, "{name}");
        if name.ends_with("vcd") {
            let content = text(&content);
            assert!(content.contains("$scope module compute_unit $end") && content.contains(" tag_any $end"));
            // The last time is the number of clock cycles, ten units each.
            let printed = text(&output.stdout);
            let cycles = printed.lines().find_map(|l| l.strip_prefix("clock cycles, with the time between commands: "));
            let last = content.lines().rev().find_map(|l| l.strip_prefix('#'));
            assert_eq!(last, cycles.map(|cycles| format!("{cycles}0")).as_deref());
        }
    }
}

#[test]
fn failed_expectations_write_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file =
        write(folder.path(), "p.bl", "vector x width=8\nload x list 1 2 3\nstore x csv x.csv\nexpect x list 1 5 3\n");
    let output = sim(&["run", &file]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("p.bl, line 4: expect x: element 1 = 2: must be 5 (1 of 3 elements differ)"));
    assert_eq!(names(folder.path()), ["p.bl"]);
}

#[test]
fn bad_input_is_status_2_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    write(here, "short.bin", [1, 2, 3]);
    write(here, "cut.csv", "a,b\n1,2\n3\n");
    write(here, "large.csv", "a\n1\n900\n");
    write(here, "cut.pgm", "P5\n4 4\n255\n1234");
    write(here, "old.csv", "as it was");
    std::fs::create_dir(here.join("taken.csv")).expect("the folder can be written");
    let start = "design preset=tiny\nvector x width=8\nload x value 1\nstore x csv old.csv\n";
    let cases = [
        ("load x raw short.bin bytes=2", "short.bin: length = 3 bytes: must be a multiple of 2"),
        ("load x raw short.bin bytes=5", "bytes = 5: must be 1, 2, 4 or 8"),
        ("load x csv cut.csv column=a", "cut.csv, line 3: 1 fields, but line 1 has 2"),
        ("load x csv large.csv column=a", "large.csv, line 3: element 1 = 900: must be 0 to 255"),
        ("load x csv large.csv column=c", "large.csv, line 1: column = \"c\": must be one of a"),
        ("load x csv none.csv", "none.csv: "),
        ("load x pgm cut.pgm", "cut.pgm: holds 4 of 4 × 4 pixels"),
        ("load y value 1", "vector = y: not declared"),
        ("vector y width=30", "y = 30 rows: no 30 free rows"),
        ("mul d=x a=x b=x", "mul: d = x has 8 rows: must be 16"),
        ("store x csv taken.csv", "taken.csv: is a folder"),
        ("store x csv missing/x.csv", "missing/x.csv: "),
    ];
    let before = names(here);
    for (line, wanted) in cases {
        let file = write(here, "p.bl", format!("{start}{line}\n"));
        let output = sim(&["run", &file]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {message}");
        assert!(message.starts_with("error: ") && message.contains(wanted), "{line}\n says {message}\n not  {wanted}");
        assert!(!message.contains("panicked"), "{message}");
        std::fs::remove_file(file).expect("it is there");
        assert_eq!(names(here), before, "{line}");
        assert_eq!(std::fs::read(here.join("old.csv")).expect("still there"), b"as it was", "{line}");
    }
}

#[test]
fn bad_arguments_are_status_2() {
    let first = program("first.bl");
    let cases: [(&[&str], &str); 17] = [
        (&["run", "nowhere.bl"], "nowhere.bl: "),
        (&["run", "Cargo.lock"], "must end in .bl or .toml, or be -"),
        (&["run", &first, "--preset", "huge"], "preset = huge: must be one of"),
        (&["run", &first, "--config", "nowhere.toml"], "nowhere.toml: "),
        (&["run", &first, "--preset", "tiny", "--config", "x"], "cannot be used with"),
        (&["run", &first, "--preset", "tiny"], "first.bl, line 9: difference = 8 rows: no 8 free rows in succession"),
        (&["run", &first, "--wave", "w.png"], "wave = w.png: must end in .fst or .vcd"),
        (&["run", &first, "--wave", "/nowhere/w.vcd"], "/nowhere/w.vcd: "),
        (&["run", &first, "--engine", "fast"], "engine = fast: must be"),
        (&["cycles", "--op", "sqrt"], "op = sqrt: must be one of copy zero"),
        (&["cycles", "--sensing", "three"], "must be and_nor or two_port"),
        (&["ccs", "--geometry", "huge"], "geometry = huge: must be one of vc709, small, tiny"),
        (&["ccs", "--geometry"], "a value is required for '--geometry <GEOMETRY>'"),
        (&["ccs", "--format", "xml"], "invalid value 'xml' for '--format <FORMAT>'"),
        (&["ccs", "--seed", "one"], "invalid value 'one' for '--seed <SEED>'"),
        (&["ccs", "ADDVV"], "unexpected argument 'ADDVV'"),
        (&["fly"], "unrecognized subcommand"),
    ];
    for (args, wanted) in cases {
        let output = sim(args);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
        assert!(message.contains(wanted), "{args:?}\n says {message}\n not  {wanted}");
        assert!(output.stdout.is_empty());
    }
}

/// A file that the disk has no room for.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_status_2() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = write(folder.path(), "p.bl", "vector x width=8\nload x value 1\nprint x\n");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has a full device");
    let status = Command::new(env!("CARGO_BIN_EXE_bitline"))
        .args(["sim", "run", &file])
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .expect("the binary is built");
    assert_eq!(status.code(), Some(2));
}

#[test]
fn cycles_as_json() {
    let output =
        sim(&["cycles", "--format", "json", "--op", "add,mul", "--sensing", "two_port", "--memory", "block_ram"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = rows.as_array().expect("an array");
    // add, mul, mul signed; three widths; three sets; with radix 4, products in sets that have other programs then.
    let of = |radix: u64| rows.iter().filter(|row| row["radix"] == radix).count();
    assert_eq!((of(2), of(4), rows.len()), (27, 9, 36));
    let fast = |row: &&serde_json::Value| row["op"] == "add" && row["set"] == "fast" && row["width"] == 32;
    let add = rows.iter().find(fast).expect("it was asked for");
    for key in ["rtl_cycles", "formula_cycles", "paper_cycles", "target_cycles"] {
        assert_eq!(add[key], 32, "{key}");
    }
    // Two rows read and one written for each bit; 256 columns of 467 / 512 pJ, and latches.
    assert_eq!((&add["rows_read"], &add["rows_written"]), (&64.into(), &32.into()));
    let energy = add["energy_pj"].as_f64().expect("a number");
    assert!((22_400.0..23_000.0).contains(&energy), "{energy}");
    let table = text(&sim(&["cycles", "--op", "add", "--width", "16", "--set", "baseline"]).stdout);
    assert!(table.contains("Energy is an ESTIMATE"), "{table}");
    assert_eq!(table.matches("| add | 16 | 0 | 16 |").count(), 4, "{table}");
}

/// Every command once, with all that is said about it, and the same as a table.
#[test]
fn ccs_figures_are_complete() {
    // Vectors of two lines each are in its cache together.
    let output = sim(&["ccs", "--geometry", "small", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&value["geometry"]["name"], &value["geometry"]["lanes"]), (&"small".into(), &16.into()));
    let estimate = &value["paper_cycles_per_line_estimate"];
    assert_eq!((estimate["map"].as_f64(), estimate["reduce"].as_f64()), (Some(3.0), Some(2.0)));
    let all = value["commands"].as_array().expect("an array");
    let field = |entry: &serde_json::Value, key: &str| entry[key].as_str().expect("text").to_string();
    let names: std::collections::BTreeSet<String> = all.iter().map(|entry| field(entry, "command")).collect();
    assert_eq!((all.len(), names.len()), (55, 55), "{names:?}");
    assert_eq!(all.iter().filter(|entry| field(entry, "kind") == "map").count(), 43);
    assert_eq!(all.iter().filter(|entry| field(entry, "kind") == "reduce").count(), 12);
    for entry in all {
        let operands = field(entry, "operands");
        assert!(
            ["VV", "VC", "V", "C"].contains(&&operands[..]) && field(entry, "command").ends_with(&operands),
            "{entry}"
        );
        assert_eq!(entry["correct"], true, "{entry}");
        assert_ne!(entry["correct_verilator"], false, "{entry}");
        // Lines that are in the cache: one in every cycle.
        let per_line = entry["cycles_per_line"].as_f64().expect("a number");
        assert!((0.99..1.01).contains(&per_line), "{entry}");
        let setup = entry["setup_cycles"].as_u64().expect("a number");
        assert!((5..60).contains(&setup), "{entry}");
        let cycles = ["64", "256", "1024", "4096"].map(|size| entry["cycles"][size].as_u64().expect("a number"));
        assert_eq!(entry["cycles"].as_object().expect("an object").len(), 4);
        for (cycles, size) in cycles.into_iter().zip([64, 256, 1024, 4096]) {
            assert!(cycles >= size / 16 + 5, "{entry}");
        }
    }
    let output = sim(&["ccs", "--geometry", "small"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.contains("Correct against plain integers: 55 of 55 on the native engine"), "{table}");
    for name in &names {
        let row = table.lines().find(|line| line.starts_with(&format!("| {name} | ")));
        assert!(row.is_some_and(|row| row.contains(" | yes | ") && row.matches('|').count() == 18), "{name}: {row:?}");
    }
}

#[test]
fn the_format_is_explained() {
    let output = sim(&["help-format"]);
    assert_eq!(output.status.code(), Some(0));
    let page = text(&output.stdout);
    assert!(page.starts_with("# Program files"));
    // What `dot` adds, and what adds over columns, was not said once.
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in ["nothing goes from column to column", "What adds over the elements of one vector is `sum`."] {
        assert!(page.contains(sentence), "{sentence}");
    }
}

#[test]
fn coverage_of_a_campaign() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = folder.path().join("coverage.html");
    let html = page.to_str().expect("a plain path");
    let small = ["coverage", "--campaign", "array.rules", "--format", "json", "--html", html];
    let output = sim(&small);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(value["native"]["campaigns"], serde_json::json!(["array.rules"]));
    let modules = value["native"]["modules"].as_array().expect("a list");
    let arms = |taken: bool| {
        let arms = modules.iter().flat_map(|module| module["arms"].as_array().expect("a list"));
        arms.filter(|arm| arm["taken"] == taken).count()
    };
    // Commands are refused and none runs to its end: some conditions are reached, others are not.
    assert!(arms(true) > 100 && arms(false) > 20, "{} taken, {} not", arms(true), arms(false));
    let page = std::fs::read_to_string(page).expect("it was written");
    assert!(page.contains("bl_sequencer") && page.contains("never: "), "{page}");
    for (arguments, wanted) in [
        (["coverage", "--unit", "stash"], "unit = stash: must be array"),
        (["coverage", "--preset", "huge"], "preset = huge: must be tiny"),
        (["coverage", "--campaign", "ccs.random"], "campaign = ccs.random: is no campaign on the unit array"),
    ] {
        let output = sim(&arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(wanted), "{}", text(&output.stderr));
    }
}
