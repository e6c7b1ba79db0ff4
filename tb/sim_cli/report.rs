//! `sim cuda-report`: figures of Duality Cache, on small data.

use super::{sim, text, write};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/cuda/report.toml");

/// All programs of the table run on the model, for all figures but the CPU's; JSON has what the tables have.
#[test]
fn every_figure_has_every_program() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("new/report");
    let options = ["--quick", "--format", "json", "--figure", "6,7,8,9,11,13,14", "--out", &out.display().to_string()];
    let output = sim(&[&["cuda-report", TABLE], &options[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let written = |name: &str| std::fs::read_to_string(out.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&written("report.json")).expect("JSON"), report);
    assert_eq!((&report["quick"], &report["control_blocks"], &report["cpu"]), (&true.into(), &560.into(), &().into()));
    let programs = report["programs"].as_array().expect("programs");
    assert!(programs.len() >= 10, "{}", programs.len());
    let markdown = written("report.md");
    for figure in [6, 7, 8, 9, 11, 13, 14] {
        assert!(markdown.contains(&format!("## Figure {figure}: ")), "{figure}");
        let plot = written(&format!("figure{figure}.svg"));
        assert!(plot.starts_with("<svg ") && plot.trim_end().ends_with("</svg>") && !plot.contains("NaN"), "{figure}");
    }
    assert!(!markdown.contains("## Figure 10") && !out.join("figure10.svg").exists());
    for program in programs {
        let name = program["program"].as_str().expect("a name");
        let [cycles, compute] = ["cycles", "compute"].map(|of| program["cost"][of].as_u64().expect("a number"));
        assert!(0 < compute && compute < cycles, "{program}");
        // 2.6 GHz.
        let milliseconds = program["milliseconds"].as_f64().expect("a number");
        assert!((milliseconds * 2.6e6 - cycles as f64).abs() < 1.0, "{program}");
        let spans = program["launched"].as_array().expect("launches");
        let sum: u64 = spans.iter().map(|span| span["cycles"].as_u64().expect("cycles")).sum();
        assert_eq!((spans.len() as u64, sum), (program["launches"].as_u64().expect("launches"), cycles));
        let rows = markdown.lines().filter(|line| line.starts_with(&format!("| {name} |"))).count();
        assert!(rows >= 5, "{name} is in {rows} rows");
    }
}

/// The CPU's results are those of the interpreter of words, for kernels of the GPU's source and for loops of its own;
/// without a compiler the figure says so.
#[test]
fn the_cpu_stands_beside() {
    let programs = "bfs,blackscholes,dwt2d,gaussian,histogram,pathfinder";
    let args = ["cuda-report", TABLE, "--quick", "--figure", "10", "--program", programs, "--format"];
    let output = sim(&[&args[..], &["json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let times = report["programs"].as_array().expect("programs").iter().map(|one| one["cpu_milliseconds"].as_f64());
    if report["cpu"].is_null() {
        bitline::sim::external::tool::skip("no C++ compiler is installed");
    } else {
        let times: Vec<_> = times.collect();
        assert!(times.len() == 6 && times.iter().all(|time| time.is_some_and(|time| time > 0.0)), "{times:?}");
    }
    let mut none = std::process::Command::new(env!("CARGO_BIN_EXE_bitline"));
    let args = ["sim", "cuda-report", TABLE, "--quick", "--figure", "10", "--program", "vecadd"];
    let output = none.args(args).env("CXX", "/nowhere/a-compiler").output().expect("the binary is built");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("Not measured: there is no C++ compiler with OpenMP"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn what_the_report_cannot_be_is_status_2() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let original = std::fs::read_to_string(TABLE).expect("the table");
    let table = |name: &str, from: &str, to: &str| {
        assert!(original.contains(from), "{from}");
        write(folder.path(), name, original.replacen(from, to, 1))
    };
    // The tables that it names lie beside each.
    let more = "report-openacc.toml";
    let from = std::path::Path::new(TABLE).with_file_name(more);
    std::fs::copy(from, folder.path().join(more)).expect("copied");
    let moved = table("moved.toml", "ways = 20", "ways = 20");
    let broken = table("broken.toml", "[server]", "[server");
    let wide = table("wide.toml", "slices = 28", "slices = 1000");
    let named =
        table("named.toml", "file = \"backprop.ptx\"", &format!("file = \"{}/frob.ptx\"", folder.path().display()));
    let text_of = |args: &[&str]| {
        let output = sim(&[&["cuda-report", "--quick"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}: {}", text(&output.stdout));
        text(&output.stderr)
    };
    let cases: [(&[&str], &str); 9] = [
        (&[TABLE, "--figure", "5"], "figure = 5: must be 6 to 14"),
        (&[TABLE, "--figure", "x"], "invalid value 'x'"),
        (&[TABLE, "--program", "frob"], "program = frob: must be one of backprop, "),
        (&["/nowhere/at/all.toml"], "/nowhere/at/all.toml: "),
        (&[&broken], "broken.toml, line "),
        (&[&wide], "server.slices = 1000: must be 1 to 28"),
        (&[&named, "--program", "backprop"], "frob.ptx: "),
        (&[&moved, "--program", "vecadd"], "vecadd.ptx: "),
        (&[TABLE, "--program", "vecadd", "--out", "/proc/nowhere"], "/proc/nowhere: "),
    ];
    for (args, rule) in cases {
        let said = text_of(args);
        assert!(said.contains(rule), "{args:?}: {said}");
    }
}
