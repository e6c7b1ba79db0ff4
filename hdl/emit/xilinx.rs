//! A board's files for Xilinx tools: board top with clock and reset, constraints, Vivado scripts.

use std::fmt::Write as _;

use serde::Serialize;

use super::output::Files;
use super::{FILE_LIST, Project, render};
use crate::board::{Board, PinDirection, Signal};
use crate::error::{Error, Result};
use crate::kernel::netlist::{Direction, Module};

const BOARD_TOP: &str = include_str!("../../templates/vc709/bl_vc709_board.v.tera");
const CONSTRAINTS: &str = include_str!("../../constraints/vc709.xdc.tera");
const BUILD: &str = include_str!("../../templates/vc709/build.tcl.tera");
const PROJECT: &str = include_str!("../../templates/vc709/project.tcl.tera");

/// The module at the top of the FPGA.
pub const BOARD_MODULE: &str = "bl_vc709_board";
/// Lowest frequency of the clock manager's oscillator at this speed grade that divides well, in MHz.
const OSCILLATOR_MHZ: u32 = 1000;

#[derive(Serialize)]
struct PortView {
    name: &'static str,
    direction: &'static str,
    range: String,
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
            drive: signal.drive,
            doc: signal.doc,
            standard: signal.standard,
            pins: (0..bits).map(|i| (bit(i), signal.pins[i])).collect(),
        }
    }
}

/// Adds board top, constraints and scripts.
///
/// # Errors
/// [`Error::Netlist`] if a port of the design has no pin on the board.
pub fn files(project: &Project, board: &Board, files: &mut Files) -> Result<()> {
    let top = project.netlist.top();
    let ports: Vec<PortView> = ports(top, board)?.into_iter().map(PortView::new).collect();
    let mut context = project.context();
    context.insert("module", BOARD_MODULE);
    context.insert("top", &top.name);
    context.insert("clocked", &top.clocked);
    context.insert("resettable", &top.resettable);
    context.insert("ports", &ports);
    context.insert("board", board.name);
    context.insert("part", board.part);
    context.insert("cfgbvs", board.cfgbvs);
    context.insert("config_voltage", board.config_voltage);
    context.insert("clock_ports", &board.clock.ports);
    context.insert("clock_pins", &board.clock.pins);
    context.insert("clock_standard", board.clock.standard);
    context.insert("clock_mhz", &board.clock.mhz);
    context.insert("clock_ns", &format!("{:.3}", 1000.0 / f64::from(board.clock.mhz)));
    context.insert("core_mhz", &board.core_mhz);
    context.insert("multiply", &format!("{:.3}", f64::from(OSCILLATOR_MHZ) / f64::from(board.clock.mhz)));
    context.insert("divide", &format!("{:.3}", f64::from(OSCILLATOR_MHZ) / f64::from(board.core_mhz)));
    context.insert("reset", &PortView::new(&board.reset));
    let board_file = format!("rtl/{BOARD_MODULE}.v");
    let mut sources = String::new();
    let list = files.get(FILE_LIST).unwrap_or_default();
    for path in list.lines().chain([board_file.as_str()]) {
        let _ = writeln!(sources, "    {path}");
    }
    context.insert("sources", sources.trim_end());
    files.add(board_file, render(BOARD_TOP, &context));
    files.add("constraints/vc709.xdc", render(CONSTRAINTS, &context));
    files.add("vivado/build.tcl", render(BUILD, &context));
    files.add("vivado/project.tcl", render(PROJECT, &context));
    Ok(())
}

/// The board's signals behind the ports of the design's top.
fn ports(top: &Module, board: &Board) -> Result<Vec<&'static Signal>> {
    let find = |port: &crate::kernel::netlist::Port| {
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
    use crate::kernel::netlist::{Driver, Net, NetId, Netlist, Port};
    use crate::presets::preset;

    fn top(ports: &[(&str, u32, Direction)]) -> Netlist {
        let net = |&(name, width, _): &(&str, u32, Direction)| Net {
            name: name.into(),
            width,
            signed: false,
            driver: Driver::Input,
        };
        let module = Module {
            name: "bl_top_vc709".into(),
            summary: "test".into(),
            ports: (0..).zip(ports).map(|(i, p)| Port { direction: p.2, net: NetId(i) }).collect(),
            nets: ports.iter().map(net).collect(),
            exprs: vec![],
            registers: vec![],
            memories: vec![],
            instances: vec![],
            clocked: true,
            resettable: true,
        };
        Netlist { modules: vec![module] }
    }

    fn made(netlist: &Netlist) -> Result<Files> {
        let params = preset("tiny").unwrap();
        let mut all = Files::default();
        all.add(FILE_LIST, "rtl/bl_a.v\nrtl/bl_top_vc709.v\n");
        files(&Project::new(&params, netlist, 1), &VC709, &mut all).map(|()| all)
    }

    #[test]
    fn constraints_name_every_pin_that_is_used() {
        let netlist = top(&[("led", 8, Direction::Output), ("uart_rxd", 1, Direction::Input)]);
        let all = made(&netlist).unwrap();
        let xdc = all.get("constraints/vc709.xdc").unwrap();
        for (port, pin) in [("led[0]", "AM39"), ("led[7]", "AU39"), ("uart_rxd", "AU33"), ("cpu_reset", "AV40")] {
            assert!(xdc.contains(&format!("PACKAGE_PIN {pin}")) && xdc.contains(&format!("{{{port}}}")), "{xdc}");
        }
        for text in ["CFGBVS GND", "CONFIG_VOLTAGE 1.8", "COMPRESS TRUE", "-period 5.000", "DIFF_SSTL15_DCI"] {
            assert!(xdc.contains(text), "{text} in {xdc}");
        }
        assert!(!xdc.contains("uart_txd") && !xdc.contains("{%") && !xdc.contains("{{ "), "{xdc}");
        let build = all.get("vivado/build.tcl").unwrap();
        for text in ["rtl/bl_a.v", "rtl/bl_vc709_board.v", "xc7vx690tffg1761-2", "write_bitstream"] {
            assert!(build.contains(text), "{text} in {build}");
        }
    }

    #[test]
    fn ports_without_a_pin_are_refused() {
        for (port, part) in [
            (("gpio", 1, Direction::Output), "has no signal"),
            (("led", 4, Direction::Output), "8 bits"),
            (("led", 8, Direction::Input), "Output"),
        ] {
            let message = made(&top(&[port])).unwrap_err().to_string();
            assert!(message.contains(part) && message.contains("bl_top_vc709"), "{message}");
        }
    }
}
