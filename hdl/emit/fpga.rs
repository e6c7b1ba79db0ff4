//! A board's files for the tools of its FPGA: board top with clock and reset, constraints, models of primitives,
//! scripts.

mod mmcm;
mod pll;
mod ports;

use super::output::Files;
use super::package::CORE_PATH;
use super::render;
use crate::error::Result;
use crate::kernel::netlist::Module;
use bitline_units::boards::board::{Board, Family};
use mmcm::ClockManager;
use pll::ClockGenerator;
use ports::Pins;

const BOARD_TOP: &str = include_str!("templates/board/bl_board.v.tera");
const BENCH: &str = include_str!("templates/board/bl_board_bench.v.tera");
const SIMULATION: &str = include_str!("templates/board/simulation.mk.tera");
const COMMON: [(&str, &str); 2] = [
    (CORE_PATH, include_str!("templates/board/bitline.core.tera")),
    ("README.md", include_str!("templates/board/README.md.tera")),
];

/// What only one family of FPGAs has.
struct Tools {
    constraints: &'static str,
    /// Kind of the constraints' file.
    suffix: &'static str,
    /// Models of primitives: names, which are those of their files, and texts.
    primitives: &'static [(&'static str, &'static str)],
    others: &'static [(&'static str, &'static str)],
}

const XILINX: Tools = Tools {
    constraints: include_str!("constraints/xilinx.xdc.tera"),
    suffix: "xdc",
    primitives: &[
        ("IBUFDS", include_str!("templates/xilinx/IBUFDS.v.tera")),
        ("MMCME2_BASE", include_str!("templates/xilinx/MMCME2_BASE.v.tera")),
        ("BUFG", include_str!("templates/xilinx/BUFG.v.tera")),
    ],
    others: &[
        ("vivado/settings.tcl", include_str!("templates/xilinx/settings.tcl.tera")),
        ("vivado/build.tcl", include_str!("templates/xilinx/build.tcl.tera")),
        ("vivado/reports.tcl", include_str!("templates/xilinx/reports.tcl.tera")),
        ("vivado/project.tcl", include_str!("templates/xilinx/project.tcl.tera")),
        ("vivado/program.tcl", include_str!("templates/xilinx/program.tcl.tera")),
        ("Makefile", include_str!("templates/xilinx/Makefile.tera")),
    ],
};

const ECP5: Tools = Tools {
    constraints: include_str!("constraints/ecp5.lpf.tera"),
    suffix: "lpf",
    primitives: &[("EHXPLLL", include_str!("templates/ecp5/EHXPLLL.v.tera"))],
    others: &[("Makefile", include_str!("templates/ecp5/Makefile.tera"))],
};

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

/// Adds board top, constraints, models of primitives and scripts. Returns every Verilog file of the FPGA, children
/// first, the board top last.
///
/// # Errors
/// [`crate::error::Error::Netlist`] if a port of the design has no pin on the board; [`crate::error::Error::Parameter`]
/// if the clock cannot be made.
pub(super) fn files(around: Around<'_>, files: &mut Files) -> Result<Vec<String>> {
    let Around { top, board, clock_mhz, mut context, mut sources } = around;
    let (ports, connections) = ports::connect(top, board)?;
    let tools = clocks(board, clock_mhz, &mut context)?;
    let module = format!("bl_{}_board", board.identifier());
    let board_file = format!("rtl/{module}.v");
    let (constraints, bench) = (format!("constraints/{}.{}", board.name, tools.suffix), format!("{module}_bench"));
    let bench_file = format!("sim/{bench}.v");
    // One pin needs no buffer for two.
    let models = tools.primitives.iter().filter(|(name, _)| *name != "IBUFDS" || board.clock.ports.len() == 2);
    let primitives: Vec<(String, &str)> = models.map(|(name, text)| (format!("sim/{name}.v"), *text)).collect();
    sources.push(board_file.clone());
    context.insert("module", &module);
    context.insert("top", &top.name);
    context.insert("clocked", &top.clocked);
    context.insert("resettable", &top.resettable);
    context.insert("ports", &ports);
    context.insert("connections", &connections);
    context.insert("board", board.name);
    context.insert("part", board.part);
    context.insert("device", board.device);
    context.insert("uart_note", board.uart);
    context.insert("clock_ports", &board.clock.ports);
    context.insert("clock_pins", &board.clock.pins);
    context.insert("clock_standard", board.clock.standard);
    context.insert("clock_mhz", &board.clock.mhz);
    context.insert("clock_ns", &format!("{:.3}", 1000.0 / f64::from(board.clock.mhz)));
    context.insert("core_mhz", &clock_mhz);
    context.insert("reset", &Pins::new(&board.reset));
    context.insert("constraints", &constraints);
    context.insert("sources", &sources);
    context.insert("primitives", &primitives.iter().map(|(path, _)| path).collect::<Vec<_>>());
    context.insert("bench", &bench_file);
    context.insert("bench_module", &bench);
    context.insert("simulation", &render(SIMULATION, &context));
    files.add(board_file, render(BOARD_TOP, &context));
    files.add(constraints, render(tools.constraints, &context));
    files.add(bench_file, render(BENCH, &context));
    for (path, template) in primitives {
        files.add(path, render(template, &context));
    }
    for (path, template) in tools.others.iter().chain(&COMMON) {
        files.add(*path, render(template, &context));
    }
    Ok(sources)
}

/// What templates must know of the family; its tools.
fn clocks(board: &Board, clock_mhz: u32, context: &mut tera::Context) -> Result<&'static Tools> {
    match board.family {
        Family::Xilinx7 { cfgbvs, config_voltage, oscillator_mhz } => {
            let manager = ClockManager::new(board.clock.mhz, clock_mhz, oscillator_mhz)?;
            context.insert("family", "xilinx7");
            context.insert("cfgbvs", cfgbvs);
            context.insert("config_voltage", config_voltage);
            context.insert("divide_in", &manager.divide_in);
            context.insert("multiply", &ClockManager::text(manager.multiply));
            context.insert("divide", &ClockManager::text(manager.divide));
            context.insert("oscillator_low", &oscillator_mhz.0);
            context.insert("oscillator_high", &oscillator_mhz.1);
            Ok(&XILINX)
        }
        Family::Ecp5 { device, package, speed } => {
            let generator = ClockGenerator::new(board.clock.mhz, clock_mhz)?;
            context.insert("family", "ecp5");
            context.insert("nextpnr_device", device);
            context.insert("nextpnr_package", package);
            context.insert("nextpnr_speed", &speed);
            context.insert("divide_in", &generator.divide_in);
            context.insert("multiply", &generator.multiply);
            context.insert("divide", &generator.divide);
            context.insert("oscillator", &generator.oscillator_mhz(clock_mhz));
            Ok(&ECP5)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::netlist::{Direction, Driver, Net, NetId, Port};
    use bitline_units::boards::{arty_a7, ecp5_evn, vc709};

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
        made_for(&vc709::BOARD, ports, clock_mhz)
    }

    fn made_for(board: &Board, ports: &[(&str, u32, Direction)], clock_mhz: u32) -> Result<Files> {
        let params = bitline_units::system::SystemParams::preset("tiny")?;
        let context = crate::system::context(&params);
        let sources = vec!["rtl/bl_a.v".into(), "rtl/bl_system.v".into()];
        let mut all = Files::default();
        let around = Around { top: &top(ports), board, clock_mhz, context, sources };
        files(around, &mut all).map(|_| all)
    }

    #[test]
    fn constraints_name_every_pin_that_is_used() {
        let all = made(&[("led", 8, Direction::Output), ("uart_rxd", 1, Direction::Input)], 200).unwrap();
        let xdc = all.get("constraints/vc709.xdc").unwrap();
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

    #[test]
    fn boards_with_fewer_pins_and_other_levels() {
        let ports = [
            ("led", 8, Direction::Output),
            ("button", 5, Direction::Input),
            ("uart_rxd", 1, Direction::Input),
            ("fan_pwm", 1, Direction::Output),
        ];
        let all = made_for(&arty_a7::BOARD, &ports, 50).unwrap();
        let top = all.get("rtl/bl_arty_a7_board.v").unwrap();
        for text in [".led({unused_led, led})", "~reset_n | ~locked", "clk_in = sys_clk;", ".fan_pwm(unused_fan_pwm)"] {
            assert!(top.contains(text), "{text} in {top}");
        }
        assert!(all.get("sim/IBUFDS.v").is_none() && all.get("constraints/arty-a7.xdc").is_some());
        let all = made_for(&ecp5_evn::BOARD, &ports, 60).unwrap();
        let top = all.get("rtl/bl_ecp5_evn_board.v").unwrap();
        for text in ["assign led = ~led_high;", "{4'd0, ~button_sync}", ".CLKFB_DIV(5)", ".CLKOP_DIV(13)"] {
            assert!(top.contains(text), "{text} in {top}");
        }
        let lpf = all.get("constraints/ecp5-evn.lpf").unwrap();
        for text in ["LOCATE COMP \"led[7]\" SITE \"B17\"", "FREQUENCY PORT \"sys_clk\" 12 MHZ"] {
            assert!(lpf.contains(text), "{text} in {lpf}");
        }
        let message = made_for(&ecp5_evn::BOARD, &ports, 50).unwrap_err().to_string();
        assert!(message.contains("clock_mhz = 50"), "{message}");
    }
}
