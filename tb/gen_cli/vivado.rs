//! Vivado's scripts without Vivado: `tclsh` runs them with commands that only record how they were called.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use bitline::boards::vc709::BOARD;
use bitline::sim::external::tool::{require, run};
use pretty_assertions::assert_eq;

use super::board::ports;
use super::{good, scratch};

/// Vivado's commands that the scripts may use. Any other unknown command is an error. Checkpoints and bitstreams become
/// files; a file that is read must be there.
const STUBS: &str = r#"
proc told {name arguments} { puts "CALL\t$name\t[join $arguments \t]" }
proc reads {arguments} {
    foreach a $arguments {
        if {[string match */* $a] && ![file exists $a]} { error "$a is missing" }
    }
}
foreach c {synth_design opt_design place_design phys_opt_design route_design report_utilization report_timing_summary report_clock_interaction
           report_cdc report_drc report_methodology report_power report_incremental_reuse create_project set_property update_compile_order open_hw_manager
           connect_hw_server current_hw_target open_hw_target close_hw_target disconnect_hw_server close_hw_manager current_hw_device
           program_hw_devices create_clock create_generated_clock set_false_path} {
    proc $c {args} "told $c \$args"
}
foreach c {read_verilog read_xdc add_files open_checkpoint read_checkpoint} { proc $c {args} "told $c \$args; reads \$args" }
foreach c {write_checkpoint write_bitstream} { proc $c {args} "told $c \$args; close \[open \[lindex \$args end\] w\]" }
foreach c {get_ports get_pins get_filesets get_runs} { proc $c {args} "return \"$c \[lindex \$args end\]\"" }
proc current_design {} { return design }
proc get_timing_paths {args} { return [lindex $args 1] }
proc get_property {name path} { if {$path eq "min"} { return $::hold }; return $::setup }
proc get_hw_targets {} { return {other/1 cable/2} }
proc get_hw_devices {args} { incr ::asked; if {$::asked < $::board_at} { return {} }; return xc7vx690t_0 }
proc exit {{code 0}} { puts "EXIT\t$code"; flush stdout; leave 0 }
set setup 0.25; set hold 0.05; set board_at 2; set asked 0
"#;

/// Runs a script; gives its calls, what it says, and its exit status if it ends by itself.
pub(super) fn tcl(
    out: &Path,
    script: &str,
    settings: &str,
    arguments: &[&str],
) -> (Vec<Vec<String>>, String, Option<i32>) {
    let main =
        format!("rename exit leave\n{STUBS}\n{settings}\nset argv [list {}]\nsource {script}\n", arguments.join(" "));
    fs::write(out.join("stub.tcl"), main).unwrap();
    let told = run("tclsh", &["stub.tcl"], out).unwrap_or_else(|e| panic!("{script}: {e}"));
    fs::remove_file(out.join("stub.tcl")).unwrap();
    let fields = |line: &str| line.split('\t').map(String::from).collect::<Vec<_>>();
    let calls = told.lines().filter(|l| l.starts_with("CALL\t")).map(|l| fields(l)[1..].to_vec()).collect();
    let exit = told.lines().find_map(|l| l.strip_prefix("EXIT\t")).map(|code| code.parse().unwrap());
    (calls, told, exit)
}

pub(super) fn names(calls: &[Vec<String>]) -> Vec<&str> {
    calls.iter().map(|call| call[0].as_str()).collect()
}

/// What was read, as paths below the folder.
fn sources(calls: &[Vec<String>], command: &str, extension: &str) -> BTreeSet<String> {
    let paths = calls.iter().filter(|c| c[0] == command).flat_map(|c| &c[1..]).filter(|a| a.ends_with(extension));
    paths.map(|path| path.split("/out/").last().unwrap().to_string()).collect()
}

#[test]
fn a_build_runs_to_its_end_and_the_next_starts_from_it() {
    if require("tclsh").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "vc709", "--preset", "tiny", "--out", "out"]);
    let out = folder.path().join("out").canonicalize().unwrap();
    let list = fs::read_to_string(out.join("bitline.f")).unwrap();
    let expected: BTreeSet<String> = list.lines().map(String::from).collect();

    let (calls, told, exit) = tcl(&out, "vivado/build.tcl", "", &["synth"]);
    assert_eq!(exit, Some(0), "{told}");
    assert_eq!(sources(&calls, "read_verilog", ".v"), expected);
    assert_eq!(sources(&calls, "read_xdc", ".xdc"), ["constraints/vc709.xdc".to_string()].into());
    assert!(!names(&calls).contains(&"place_design"), "{told}");
    let synth = calls.iter().find(|c| c[0] == "synth_design").unwrap().join(" ");
    assert!(synth.contains("-top bl_vc709_board") && synth.contains("-part xc7vx690tffg1761-2"), "{synth}");

    // Timing is not met: no bitstream, no start for the next build.
    for slack in ["set setup -0.1", "set hold -0.01"] {
        let (calls, told, exit) = tcl(&out, "vivado/build.tcl", slack, &[]);
        assert_eq!(exit, Some(1), "{told}");
        assert!(told.contains("ERROR: timing is not met") && !names(&calls).contains(&"write_bitstream"), "{told}");
        assert!(!out.join("vivado/out/reference.dcp").exists());
    }

    let (calls, told, exit) = tcl(&out, "vivado/build.tcl", "", &["build"]);
    assert_eq!(exit, Some(0), "{told}");
    let done = names(&calls);
    let order = ["synth_design", "opt_design", "place_design", "route_design", "write_bitstream"];
    let places: Vec<usize> = order.iter().map(|name| done.iter().position(|d| d == name).unwrap()).collect();
    assert!(places.is_sorted(), "{done:?}");
    for report in ["utilization", "timing_summary", "clock_interaction", "drc", "methodology", "power"]
        .map(|r| format!("report_{r}"))
    {
        let last = done.iter().rposition(|d| *d == report).unwrap_or_else(|| panic!("{report} in {done:?}"));
        assert!(last > places[3], "{report} after routing");
    }
    assert!(!done.contains(&"read_checkpoint") && !done.contains(&"report_incremental_reuse"), "{done:?}");

    let (calls, told, exit) = tcl(&out, "vivado/build.tcl", "", &[]);
    assert_eq!(exit, Some(0), "{told}");
    let done = names(&calls);
    let (read, place) =
        (done.iter().position(|d| *d == "read_checkpoint"), done.iter().position(|d| *d == "place_design"));
    assert!(read.is_some() && read < place && done.contains(&"report_incremental_reuse"), "{done:?}");

    let (_, told, exit) = tcl(&out, "vivado/build.tcl", "", &["bitstream"]);
    assert!(exit == Some(1) && told.contains("goal = bitstream: must be synth or build"), "{told}");
    let (calls, told, exit) = tcl(&out, "vivado/reports.tcl", "", &["again"]);
    assert!(
        exit == Some(0) && names(&calls).contains(&"open_checkpoint") && names(&calls).contains(&"report_power"),
        "{told}"
    );

    programming(&out);
}

/// The bitstream of the build before, on boards that are there or not.
fn programming(out: &Path) {
    let (calls, told, exit) = tcl(out, "vivado/program.tcl", "", &[]);
    assert!(exit == Some(0) && told.contains("programmed xc7vx690t_0"), "{told}");
    let file = calls.iter().find(|c| c[0] == "set_property" && c[1] == "PROGRAM.FILE").unwrap();
    assert!(file[2].ends_with("out/vivado/out/bl_vc709_board.bit"), "{file:?}");
    assert_eq!(names(&calls).iter().filter(|c| **c == "open_hw_target").count(), 2, "the board is on the second cable");
    let (calls, told, exit) =
        tcl(out, "vivado/program.tcl", "set board_at 9", &["vivado/out/bl_vc709_board.bit", "lab:3121"]);
    assert!(
        exit == Some(1) && told.contains("on any cable of lab:3121") && !names(&calls).contains(&"program_hw_devices"),
        "{told}"
    );
    fs::remove_file(out.join("vivado/out/bl_vc709_board.bit")).unwrap();
    let (calls, told, exit) = tcl(out, "vivado/program.tcl", "", &[]);
    assert!(exit == Some(1) && told.contains("run build.tcl first") && calls.is_empty(), "{told}");
}

#[test]
fn the_project_has_every_file() {
    if require("tclsh").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "vc709", "--preset", "tiny", "--out", "out"]);
    let out = folder.path().join("out").canonicalize().unwrap();
    let (calls, told, _) = tcl(&out, "vivado/project.tcl", "", &[]);
    assert!(calls.last().is_some_and(|c| c[0] == "update_compile_order"), "{told}");
    let list = fs::read_to_string(out.join("bitline.f")).unwrap();
    let models = fs::read_dir(out.join("sim")).unwrap().map(|e| format!("sim/{}", e.unwrap().file_name().display()));
    assert_eq!(sources(&calls, "add_files", ".v"), list.lines().map(String::from).chain(models).collect());
    assert_eq!(sources(&calls, "add_files", ".xdc").len(), 1);
    assert!(told.contains("-part\txc7vx690tffg1761-2") && told.contains("top\tbl_vc709_board"), "{told}");
}

/// Every port has a pin with its standard, every pin a port, none is used twice; and the clocks are there.
#[test]
fn constraints_fit_ports_and_board() {
    if require("tclsh").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "vc709", "--preset", "tiny", "--clock", "125", "--out", "out"]);
    let out = folder.path().join("out");
    let verilog = fs::read_to_string(out.join("rtl/bl_vc709_board.v")).unwrap();
    let mut bits = BTreeSet::new();
    for (name, (_, width)) in ports(&verilog) {
        bits.extend((0..width).map(|i| if width == 1 { name.clone() } else { format!("{name}[{i}]") }));
    }
    let (calls, told, _) = tcl(&out, "constraints/vc709.xdc", "", &[]);
    let (mut pins, mut standards) = (BTreeMap::new(), BTreeSet::new());
    for call in calls.iter().filter(|c| c[0] == "set_property") {
        let of: Vec<&str> = call[3].strip_prefix("get_ports ").unwrap_or_default().split(' ').collect();
        match call[1].as_str() {
            "PACKAGE_PIN" => {
                assert!(bits.contains(of[0]), "{} is no port", of[0]);
                assert!(pins.insert(of[0].to_string(), call[2].clone()).is_none(), "{} has two pins", of[0]);
            }
            "IOSTANDARD" => standards.extend(of.iter().map(|s| s.to_string())),
            _ => {}
        }
    }
    assert_eq!(pins.keys().cloned().collect::<BTreeSet<_>>(), bits);
    assert_eq!(standards, bits);
    let used: BTreeSet<&String> = pins.values().collect();
    assert_eq!(used.len(), pins.len(), "no pin twice");
    let signals = BOARD.signals.iter().chain([&BOARD.reset]);
    let board: BTreeSet<&str> = signals.flat_map(|s| s.pins).chain(BOARD.clock.pins).copied().collect();
    assert!(used.iter().all(|pin| board.contains(pin.as_str())), "{used:?}");
    let clock = calls.iter().find(|c| c[0] == "create_clock").unwrap().join(" ");
    assert!(clock.contains("-period 5.000") && clock.ends_with("get_ports sys_clk_p"), "{clock}");
    let clock = calls.iter().find(|c| c[0] == "create_generated_clock").unwrap().join(" ");
    assert!(clock.ends_with("get_pins clock_manager/CLKOUT0") && verilog.contains(") clock_manager ("), "{clock}");
    // Every input but the clock, and every output, is told not to be timed.
    let untimed: String = calls.iter().filter(|c| c[0] == "set_false_path").map(|c| c.join(" ") + "\n").collect();
    for (name, (direction, width)) in ports(&verilog) {
        let way = if direction == "input" { "-from" } else { "-to" };
        let port = if width == 1 { name.clone() } else { format!("{name}[*]") };
        assert_eq!(
            untimed.contains(&format!("{way} get_ports {port}\n")),
            !name.starts_with("sys_clk"),
            "{name}: {told}"
        );
    }
}
