//! A board's files for Xilinx tools: board top with clock and reset, constraints, models of primitives, Vivado scripts.

mod clock;

use serde::Serialize;

pub use clock::{ClockManager, OSCILLATOR_MHZ};

use super::output::Files;
use super::package::CORE_PATH;
use super::render;
use crate::board::{Board, PinDirection, Signal};
use crate::error::{Error, Result};
use crate::kernel::netlist::{Direction, Module, Port};

/// The module at the top of the FPGA.
pub const BOARD_MODULE: &str = "bl_vc709_board";
/// The constraints' path below the output folder.
pub const CONSTRAINTS_PATH: &str = "constraints/vc709.xdc";
/// The self-checking bench around the whole board top; its module has the file's name.
pub const BENCH_PATH: &str = "sim/bl_vc709_bench.v";
/// Models of the primitives that the board top uses, for simulators.
pub const PRIMITIVES: [&str; 3] = ["sim/IBUFDS.v", "sim/MMCME2_BASE.v", "sim/BUFG.v"];

const BOARD_TOP: &str = include_str!("../../templates/vc709/bl_vc709_board.v.tera");
const TEMPLATES: [(&str, &str); 13] = [
    (CONSTRAINTS_PATH, include_str!("../../constraints/vc709.xdc.tera")),
    (PRIMITIVES[0], include_str!("../../templates/vc709/IBUFDS.v.tera")),
    (PRIMITIVES[1], include_str!("../../templates/vc709/MMCME2_BASE.v.tera")),
    (PRIMITIVES[2], include_str!("../../templates/vc709/BUFG.v.tera")),
    (BENCH_PATH, include_str!("../../templates/vc709/bl_vc709_bench.v.tera")),
    ("vivado/settings.tcl", include_str!("../../templates/vc709/settings.tcl.tera")),
    ("vivado/build.tcl", include_str!("../../templates/vc709/build.tcl.tera")),
    ("vivado/reports.tcl", include_str!("../../templates/vc709/reports.tcl.tera")),
    ("vivado/project.tcl", include_str!("../../templates/vc709/project.tcl.tera")),
    ("vivado/program.tcl", include_str!("../../templates/vc709/program.tcl.tera")),
    ("Makefile", include_str!("../../templates/vc709/Makefile.tera")),
    (CORE_PATH, include_str!("../../templates/board/bitline.core.tera")),
    ("README.md", include_str!("../../templates/vc709/README.md.tera")),
];

#[derive(Serialize)]
struct PortView {
    name: &'static str,
    direction: &'static str,
    range: String,
    bits: usize,
    drive: Option<(&'static str, u32)>,
    doc: &'static str,
    standard: &'static str,
    /// Port bit as Tcl writes it, and pin.
    pins: Vec<(String, &'static str)>,
}

impl PortView {
    fn new(signal: &Signal) -> PortView {
        let bits = signal.pins.len();
        let bit = |i: usize| if bits == 1 { signal.name.to_string() } else { format!("{}[{i}]", signal.name) };
        PortView {
            name: signal.name,
            direction: if signal.direction == PinDirection::Input { "input " } else { "output" },
            range: if bits == 1 { String::new() } else { format!("[{}:0] ", bits - 1) },
            bits,
            drive: signal.drive,
            doc: signal.doc,
            standard: signal.standard,
            pins: (0..bits).map(|i| (bit(i), signal.pins[i])).collect(),
        }
    }
}

/// What the board top is made around.
pub(super) struct Around<'a> {
    /// The design's top.
    pub(super) top: &'a Module,
    /// The board.
    pub(super) board: &'a Board,
    /// The design's clock in MHz.
    pub(super) clock_mhz: u32,
    /// What headers say, and what the bench has to know.
    pub(super) context: tera::Context,
    /// Verilog files of the design, children first.
    pub(super) sources: Vec<String>,
}

/// Adds board top, constraints, models of primitives and scripts. Returns every Verilog file of the FPGA, children first, the board top last.
///
/// # Errors
/// [`Error::Netlist`] if a port of the design has no pin on the board; [`Error::Parameter`] if the clock cannot be made.
pub(super) fn files(around: Around<'_>, files: &mut Files) -> Result<Vec<String>> {
    let Around { top, board, clock_mhz, mut context, mut sources } = around;
    let ports: Vec<PortView> = ports(top, board)?.into_iter().map(PortView::new).collect();
    let manager = ClockManager::new(board.clock.mhz, clock_mhz)?;
    let board_file = format!("rtl/{BOARD_MODULE}.v");
    sources.push(board_file.clone());
    context.insert("module", BOARD_MODULE);
    context.insert("top", &top.name);
    context.insert("clocked", &top.clocked);
    context.insert("resettable", &top.resettable);
    context.insert("ports", &ports);
    context.insert("board", board.name);
    context.insert("part", board.part);
    context.insert("device", board.device());
    context.insert("cfgbvs", board.cfgbvs);
    context.insert("config_voltage", board.config_voltage);
    context.insert("clock_ports", &board.clock.ports);
    context.insert("clock_pins", &board.clock.pins);
    context.insert("clock_standard", board.clock.standard);
    context.insert("clock_mhz", &board.clock.mhz);
    context.insert("clock_ns", &format!("{:.3}", 1000.0 / f64::from(board.clock.mhz)));
    context.insert("core_mhz", &clock_mhz);
    context.insert("divide_in", &manager.divide_in);
    context.insert("multiply", &ClockManager::text(manager.multiply));
    context.insert("divide", &ClockManager::text(manager.divide));
    context.insert("oscillator_low", &OSCILLATOR_MHZ.0);
    context.insert("oscillator_high", &OSCILLATOR_MHZ.1);
    context.insert("reset", &PortView::new(&board.reset));
    context.insert("constraints", CONSTRAINTS_PATH);
    context.insert("sources", &sources);
    context.insert("primitives", &PRIMITIVES);
    context.insert("bench", BENCH_PATH);
    files.add(board_file, render(BOARD_TOP, &context));
    for (path, template) in TEMPLATES {
        files.add(path, render(template, &context));
    }
    Ok(sources)
}

/// The board's signals behind the ports of the design's top.
fn ports(top: &Module, board: &Board) -> Result<Vec<&'static Signal>> {
    let find = |port: &Port| {
        let net = top.net(port.net);
        let wrong = |rule: String| Err(Error::netlist(&top.name, &net.name, rule));
        let Some(signal) = board.signal(&net.name) else {
            return wrong(format!("board {} has no signal of this name", board.name));
        };
        let direction = if port.direction == Direction::Input { PinDirection::Input } else { PinDirection::Output };
        if signal.direction != direction || signal.pins.len() != net.width as usize {
            return wrong(format!(
                "on board {} it is an {:?} of {} bits",
                board.name,
                signal.direction,
                signal.pins.len()
            ));
        }
        Ok(signal)
    };
    top.ports.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::VC709;
    use crate::kernel::netlist::{Driver, Net, NetId};

    fn top(ports: &[(&str, u32, Direction)]) -> Module {
        let net = |&(name, width, _): &(&str, u32, Direction)| Net {
            name: name.into(),
            width,
            signed: false,
            driver: Driver::Input,
        };
        Module {
            name: "bl_system".into(),
            summary: "test".into(),
            ports: (0..).zip(ports).map(|(i, p)| Port { direction: p.2, net: NetId(i) }).collect(),
            nets: ports.iter().map(net).collect(),
            exprs: vec![],
            registers: vec![],
            memories: vec![],
            instances: vec![],
            clocked: true,
            resettable: true,
        }
    }

    fn made(ports: &[(&str, u32, Direction)], clock_mhz: u32) -> Result<Files> {
        let params = crate::system::SystemParams::preset("tiny")?;
        let context = crate::emit::system::context(&params);
        let sources = vec!["rtl/bl_a.v".into(), "rtl/bl_system.v".into()];
        let mut all = Files::default();
        let around = Around { top: &top(ports), board: &VC709, clock_mhz, context, sources };
        files(around, &mut all).map(|_| all)
    }

    #[test]
    fn constraints_name_every_pin_that_is_used() {
        let all = made(&[("led", 8, Direction::Output), ("uart_rxd", 1, Direction::Input)], 200).unwrap();
        let xdc = all.get(CONSTRAINTS_PATH).unwrap();
        for (port, pin) in [("led[0]", "AM39"), ("led[7]", "AU39"), ("uart_rxd", "AU33"), ("cpu_reset", "AV40")] {
            assert!(xdc.contains(&format!("PACKAGE_PIN {pin}")) && xdc.contains(&format!("{{{port}}}")), "{xdc}");
        }
        for text in ["CFGBVS GND", "CONFIG_VOLTAGE 1.8", "COMPRESS TRUE", "-period 5.000", "DIFF_SSTL15_DCI"] {
            assert!(xdc.contains(text), "{text} in {xdc}");
        }
        assert!(!xdc.contains("uart_txd"), "{xdc}");
        let settings = all.get("vivado/settings.tcl").unwrap();
        for text in ["rtl/bl_a.v", "rtl/bl_vc709_board.v", "xc7vx690tffg1761-2"] {
            assert!(settings.contains(text), "{text} in {settings}");
        }
        for (path, text) in all.iter() {
            assert!(!text.contains("{%") && !text.contains("{{ "), "{path}: {text}");
        }
    }

    #[test]
    fn the_clock_manager_makes_the_design_s_clock() {
        let all = made(&[("led", 8, Direction::Output)], 125).unwrap();
        let board = all.get("rtl/bl_vc709_board.v").unwrap();
        for setting in ["CLKIN1_PERIOD(5.000)", "CLKFBOUT_MULT_F(5.000)", "DIVCLK_DIVIDE(1)", "CLKOUT0_DIVIDE_F(8.000)"]
        {
            assert!(board.contains(setting), "{setting} in {board}");
        }
        let message = made(&[("led", 8, Direction::Output)], 3).unwrap_err().to_string();
        assert!(message.contains("clock_mhz = 3"), "{message}");
    }

    #[test]
    fn ports_without_a_pin_are_refused() {
        for (port, part) in [
            (("gpio", 1, Direction::Output), "has no signal"),
            (("led", 4, Direction::Output), "8 bits"),
            (("led", 8, Direction::Input), "Output"),
        ] {
            let message = made(&[port], 200).unwrap_err().to_string();
            assert!(message.contains(part) && message.contains("bl_system"), "{message}");
        }
    }
}
