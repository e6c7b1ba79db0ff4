//! The project behind PCI Express: its script run with stubs, the block design that comes of it, constraints, Verilog,
//! wrong requests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use bitline::boards::vc709::BOARD;
use bitline::sim::external::tool::{require, run};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::block_design::BlockDesign;
use super::packages::number;
use super::vivado::{names, tcl};
use super::{bad, good, scratch, text, tree};

/// IP integrator's commands: objects are kinds and names, calls are recorded.
const STUBS: &str = r#"
foreach c {update_ip_catalog create_bd_design validate_bd_design save_bd_design connect_bd_net connect_bd_intf_net assign_bd_address exclude_bd_addr_seg
           apply_bd_automation create_bd_port create_bd_intf_port launch_runs wait_on_run open_run} {
    proc $c {args} "told $c \$args"
}
proc create_bd_cell {args} { told create_bd_cell $args; return "cell [lindex $args end]" }
foreach {c kind} {get_bd_cells cell get_bd_ports port get_bd_pins pin get_bd_intf_pins bus get_bd_intf_ports {bus port} get_bd_addr_spaces space
                  get_bd_addr_segs segment get_files file} {
    proc $c {name} "return \"$kind \$name\""
}
proc current_project {} { return project }
proc make_wrapper {args} { told make_wrapper $args; return pcie_wrapper.v }
proc version {args} { return $::vivado }
proc get_board_parts {args} { return $::boards }
proc get_ipdefs {args} { if {[string match $::absent [lindex $args end]]} { return {} }; return [lindex $args end] }
proc get_property {name object} {
    array set of [list PROGRESS $::progress STATUS failed DIRECTORY . STATS.WNS $::setup STATS.WHS $::hold]
    return $of($name)
}
set vivado 2023.1_AR1; set boards {xilinx.com:vc709:part0:1.10 xilinx.com:vc709:part0:1.8}; set absent none; set progress 100%
"#;

fn made(arguments: &[&str]) -> (TempDir, PathBuf) {
    let folder = scratch();
    good(folder.path(), &[&["--target", "vc709", "--preset", "tiny", "--pcie", "--out", "out"], arguments].concat());
    let out = folder.path().join("out").canonicalize().unwrap();
    (folder, out)
}

fn script(out: &Path, settings: &str, arguments: &[&str]) -> (Vec<Vec<String>>, String, Option<i32>) {
    tcl(out, "pcie/build.tcl", &format!("{STUBS}{settings}"), arguments)
}

#[test]
fn the_block_design_is_whole() {
    if require("tclsh").is_none() {
        return;
    }
    let (_folder, out) = made(&[]);
    let (calls, told, exit) = script(&out, "", &["project"]);
    assert_eq!(exit, Some(0), "{told}");
    let design = BlockDesign::of(&calls, &out.join("pcie")).unwrap();
    design.check().unwrap_or_else(|e| panic!("{e}: {design:#?}"));
    let property = |name: &str| calls.iter().find(|c| c[0] == "set_property" && c[1] == name).map(|c| c[2].as_str());
    assert_eq!(property("board_part"), Some("xilinx.com:vc709:part0:1.10"), "the newest one");
    assert_eq!(property("top"), Some("pcie_wrapper"));
    assert!(property("ip_repo_paths").unwrap().ends_with("out/pcie/units"));
    assert!(told.contains("Board_Interface \"ddr3_sdram_socket_j1\""), "{told}");
    assert!(told.contains("CLKOUT1_REQUESTED_OUT_FREQ 100") && !names(&calls).contains(&"launch_runs"), "{told}");
    let order = [
        "create_project",
        "create_bd_design",
        "assign_bd_address",
        "validate_bd_design",
        "save_bd_design",
        "make_wrapper",
    ];
    let last: Vec<usize> = order.iter().map(|name| names(&calls).iter().rposition(|c| c == name).unwrap()).collect();
    assert!(last.is_sorted(), "{told}");
    // The header has the same addresses.
    let header = fs::read_to_string(out.join("pcie/bitline_pcie.h")).unwrap();
    let defined = |name: &str| {
        let line = header.lines().find(|l| l.starts_with(&format!("#define {name} "))).unwrap();
        number(line.rsplit(' ').next().unwrap().trim_end_matches(['u', 'l']))
    };
    for (unit, name) in [("ccs", "BITLINE_PCIE_CCS"), ("compute", "BITLINE_PCIE_COMPUTE")] {
        let segment = format!("{unit}/s_axil/registers");
        let place = design.placed.iter().find(|p| p.1 == segment).unwrap();
        assert_eq!(place.2, (1 << 31) + defined(name));
    }
    assert_eq!(defined("BITLINE_PCIE_MEMORY_BYTES"), 1 << 32);
    constraints(&out, &design);
}

/// Every port has a pin of the board, every pin a port; the lanes and the memory have theirs from Vivado.
fn constraints(out: &Path, design: &BlockDesign) {
    let (calls, told, _) = tcl(out, "pcie/pcie.xdc", "", &[]);
    let mut pins = BTreeMap::new();
    for call in calls.iter().filter(|c| c[0] == "set_property" && c[1] == "PACKAGE_PIN") {
        let port = call[3].strip_prefix("get_ports ").unwrap().to_string();
        assert!(pins.insert(port, call[2].as_str()).is_none(), "{told}");
    }
    let expected = design.ports.keys().cloned().chain(["pcie_clock_clk_p*".into(), "pcie_clock_clk_n*".into()]);
    assert_eq!(pins.keys().cloned().collect::<BTreeSet<_>>(), expected.collect());
    assert_eq!(pins.values().collect::<BTreeSet<_>>().len(), pins.len(), "no pin twice");
    for (port, pin) in [("pcie_clock_clk_p*", "AB8"), ("pcie_clock_clk_n*", "AB7"), ("pcie_reset_n", "AV35")] {
        assert_eq!(pins[port], pin);
    }
    for (port, signal, bit) in [("led_link", "led", 0), ("led_memory", "led", 1), ("fan_pwm", "fan_pwm", 0)] {
        assert_eq!(pins[port], BOARD.signal(signal).unwrap().pins[bit]);
    }
    assert_eq!(pins["cpu_reset"], BOARD.reset.pins[0]);
    let line = |words: &str| calls.iter().any(|c| c.join(" ") == words);
    assert!(line("set_property PULLUP true get_ports pcie_reset_n"), "{told}");
    assert!(line("create_clock -name pcie_clock -period 10.000 get_ports pcie_clock_clk_p*"), "{told}");
    for (port, (input, _)) in &design.ports {
        let way = if *input { "-from" } else { "-to" };
        assert!(line(&format!("set_false_path {way} get_ports {port}")), "{port}: {told}");
    }
    let verilog = fs::read_to_string(out.join("pcie/bl_pcie_signals.v")).unwrap();
    assert!(told.contains("*signals/*irq_meta_reg*/D") && verilog.contains("reg [1:0] irq_meta;"), "{told}");
}

#[test]
fn a_wrong_block_design_is_seen() {
    if require("tclsh").is_none() {
        return;
    }
    let (_folder, out) = made(&[]);
    let path = out.join("pcie/build.tcl");
    let right = fs::read_to_string(&path).unwrap();
    for (from, to, part) in [
        ("net core_clock/clk_out1 compute/aclk ccs/aclk", "net core_clock/clk_out1 compute/aclk", "ccs/aclk is open"),
        ("net core_clock/clk_out1 memory/aclk2", "net mig/ui_clk memory/aclk2", "no clock in common"),
        (
            "net core_reset/peripheral_aresetn compute",
            "net memory_reset/peripheral_aresetn compute",
            "of another clock",
        ),
        ("net ccs/irq signals/irq_ccs", "net ccs/interrupt signals/irq_ccs", "there is no pin ccs/interrupt"),
        ("bus ccs/m_axi memory/S02_AXI", "bus ccs/m_axi memory/S03_AXI", "there is no bus memory/S03_AXI"),
        ("bus ccs/m_axi memory/S02_AXI", "bus ccs/s_axil memory/S02_AXI", "are of one kind"),
        ("bus ccs/m_axi memory/S02_AXI", "", "bus ccs/m_axi is open"),
        ("place ccs/m_axi mig/memmap/memaddr 0x0 4G", "", "0 places in ccs/m_axi"),
        ("ccs/s_axil/registers 0x80000000", "ccs/s_axil/registers 0x00002000", "does not go to 0x2000"),
        ("compute/s_axil/registers 0x80001000", "compute/s_axil/registers 0x80000000", "overlaps another"),
        ("compute/s_axil/registers 0x80001000", "compute/s_axil/registers 0x80100000", "outside of the window"),
        ("exclude_bd_addr_seg", "# ", "ccs/s_axil/memory has 0 places"),
        ("net ccs/irq signals/irq_ccs", "net compute/irq signals/irq_ccs", "signals/irq_ccs is driven by"),
        ("net xdma/axi_aclk signals/clk", "net core_clock/clk_out1 signals/clk", "signals/clk is driven by"),
        ("port led_link O xdma/user_lnk_up", "port led_link O mig/init_calib_complete", "led_link is driven by"),
        ("net core_clock/locked core_reset", "net mig/mmcm_locked core_reset", "core_reset/dcm_locked is driven by"),
        ("net xdma/axi_aresetn core_reset/aux_reset_in", "net xdma/axi_aresetn", "core_reset/aux_reset_in is open"),
        ("CONFIG.xdma_num_usr_irq 2", "CONFIG.xdma_num_usr_irq 1", "2 interrupts"),
        (
            "memory_reset xilinx.com:ip:proc_sys_reset CONFIG.C_AUX_RESET_HIGH 0",
            "memory_reset xilinx.com:ip:proc_sys_reset",
            "active low",
        ),
        ("0x80001000 128", "0x80001000 8K", "does not go to 0x80001000"),
        ("xdma/sys_rst_n ACTIVE_LOW", "xdma/sys_rst_n ACTIVE_HIGH", "xdma/sys_rst_n is reset by"),
        ("net mig/mmcm_locked memory_reset/dcm_locked", "net mig/mmcm_locked mig/aresetn", "other than one driver"),
    ] {
        assert_eq!(right.matches(from).count(), 1, "{from}");
        fs::write(&path, right.replace(from, to)).unwrap();
        let (calls, told, exit) = script(&out, "", &["project"]);
        assert_eq!(exit, Some(0), "{told}");
        let message = BlockDesign::of(&calls, &out.join("pcie")).and_then(|design| design.check()).expect_err(from);
        assert!(message.contains(part), "{from}: {message}");
    }
}

#[test]
fn a_build_ends_with_a_bitstream_or_says_why_not() {
    if require("tclsh").is_none() {
        return;
    }
    let (_folder, out) = made(&["--clock", "125"]);
    let bitstream = out.join("pcie/out/bitline_pcie.bit");
    for (settings, arguments, part) in [
        ("set vivado 2019.2", &[][..], "version = 2019.2: must be 2020.1 or later"),
        ("set boards {}", &[], "xilinx.com:vc709:part0: Vivado has no files of this board"),
        ("set absent xilinx.com:ip:xdma:*", &[], "xilinx.com:ip:xdma: is not in Vivado's catalogue"),
        ("set absent *bitline_ccs*", &[], "bitline:compute:bitline_ccs: is not"),
        ("set progress 40%", &[], "failed: see ./runme.log"),
        ("set setup -0.1", &[], "timing is not met"),
        ("set hold -0.1", &[], "timing is not met"),
        ("", &["synth"], "goal = synth: must be project or build"),
    ] {
        let (_, told, exit) = script(&out, settings, arguments);
        assert!(exit == Some(1) && told.contains(&format!("ERROR: {part}")), "{settings}: {told}");
        assert!(!bitstream.exists());
    }
    fs::write(out.join("pcie_wrapper.bit"), "bits").unwrap();
    let (calls, told, exit) = script(&out, "", &[]);
    assert!(exit == Some(0) && told.contains("CLKOUT1_REQUESTED_OUT_FREQ 125"), "{told}");
    assert!(names(&calls).contains(&"report_timing_summary") && bitstream.exists(), "{told}");
    let makefile = fs::read_to_string(out.join("Makefile")).unwrap();
    assert!(
        makefile.contains("-source pcie/build.tcl") && makefile.contains("pcie/out/bitline_pcie.bit"),
        "{makefile}"
    );
}

#[test]
fn the_units_are_complete_and_tools_are_quiet_about_them() {
    let (folder, out) = made(&[]);
    let files = tree(&out);
    for (unit, module, bus) in [("compute_unit", "bl_compute_axi", 64), ("ccs", "bl_ccs_axi", 128)] {
        let below = out.join("pcie/units").join(unit);
        let list = text(&files[&format!("pcie/units/{unit}/bitline.f")]);
        let xml = text(&files[&format!("pcie/units/{unit}/component.xml")]);
        for file in list.lines() {
            assert!(below.join(file).is_file() && xml.contains(file), "{file}");
        }
        let wrapper = text(&files[&format!("pcie/units/{unit}/rtl/{module}.v")]);
        assert!(wrapper.contains(&format!("[{}:0] m_axi_wdata", bus - 1)), "{wrapper}");
        let sources: Vec<&str> = list.lines().collect();
        quiet(&below, module, &sources);
    }
    quiet(&out.join("pcie"), "bl_pcie_signals", &["bl_pcie_signals.v"]);
    interrupts(&out.join("pcie"));
    // Units of one project have no module in common that is not the same.
    let rtl = |path: &&String| path.strip_prefix("pcie/units/ccs/").is_some_and(|p| p.ends_with(".v"));
    for path in files.keys().filter(rtl) {
        if let Some(other) = files.get(&path.replace("/ccs/", "/compute_unit/")) {
            let body =
                |bytes: &[u8]| text(bytes).lines().filter(|l| !l.contains("Generated")).collect::<Vec<_>>().join("\n");
            assert!(path.contains("/sim/") || body(other) == body(&files[path]), "{path}");
        }
    }
    // Without the flag it goes.
    good(folder.path(), &["--target", "vc709", "--preset", "tiny", "--out", "out"]);
    assert!(!out.join("pcie").exists());
    assert!(!fs::read_to_string(out.join("Makefile")).unwrap().contains("pcie"));
}

fn quiet(folder: &Path, top: &str, sources: &[&str]) {
    let lint = ["--lint-only", "-Wall", "--language", "1364-2005", "--top-module", top];
    for (program, arguments) in [("verilator", &lint[..]), ("iverilog", &["-g2005", "-Wall", "-tnull", "-s", top])] {
        if require(program).is_some() {
            let said = run(program, &[arguments, sources].concat(), folder).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(said.trim(), "", "{program}: {top}");
        }
    }
}

/// Levels arrive after two edges of the other clock, each on its own line.
fn interrupts(folder: &Path) {
    if require("iverilog").is_none() {
        return;
    }
    let bench = "module bench; reg clk = 0, a = 0, b = 0; wire [1:0] irq; wire fan;
        bl_pcie_signals signals (.clk(clk), .irq_ccs(a), .irq_compute(b), .irq(irq), .fan_pwm(fan));
        task edges(input integer n); repeat (n) begin #5 clk = 1; #5 clk = 0; end endtask
        initial begin
          edges(2); $write(\"%b %b \", irq, fan); a = 1; edges(1); $write(\"%b \", irq); edges(1); $write(\"%b \", irq);
          b = 1; a = 0; edges(2); $write(\"%b \", irq); b = 0; edges(2); $display(\"%b\", irq);
        end
      endmodule\n";
    let other = scratch();
    fs::write(other.path().join("bench.v"), bench).unwrap();
    let design = folder.join("bl_pcie_signals.v").display().to_string();
    run("iverilog", &["-g2005", "-o", "bench", "bench.v", &design], other.path()).unwrap();
    assert_eq!(run("vvp", &["-n", "bench"], other.path()).unwrap().trim(), "00 1 00 01 10 00");
}

#[test]
fn what_has_no_pci_express_is_refused() {
    let folder = scratch();
    let at = folder.path();
    bad(at, &["--target", "arty-a7", "--pcie"], &["pcie = true", "arty-a7", "no PCI Express"]);
    bad(at, &["--target", "generic", "--pcie"], &["pcie = true", "boards alone, with PCI Express: vc709"]);
    bad(at, &["--target", "generic", "--unit", "ccs", "--pcie"], &["pcie = true", "boards alone"]);
    fs::write(at.join("narrow.toml"), "base = \"tiny\"\n[ccs]\nbase = \"tiny\"\nelement_bits = 16\n").unwrap();
    good(at, &["--target", "vc709", "--config", "narrow.toml", "--dry-run"]);
    bad(
        at,
        &["--target", "vc709", "--config", "narrow.toml", "--pcie"],
        &["narrow.toml", "lanes * element_bits = 64", "at least 128"],
    );
}
