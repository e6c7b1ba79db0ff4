//! A test bench for Verilator that replays the vectors through a compute unit's ports.

use super::output::Files;
use super::vectors::VECTORS;
use super::{render, unit};
use crate::error::{Error, Result};
use crate::kernel::netlist::{Direction, Module, Netlist};
use bitline_units::array::params::Params;

const MAKEFILE: &str = include_str!("templates/verilator/Makefile.tera");
const BENCH: &str = include_str!("templates/verilator/bench.cpp.tera");

/// Ports through which a unit takes commands and rows. The bench is written against these names.
const UNIT: [(&str, Direction); 20] = [
    ("cmd_valid", Direction::Input),
    ("cmd_ready", Direction::Output),
    ("cmd_op", Direction::Input),
    ("cmd_set", Direction::Input),
    ("cmd_width", Direction::Input),
    ("cmd_second", Direction::Input),
    ("cmd_a", Direction::Input),
    ("cmd_b", Direction::Input),
    ("cmd_d", Direction::Input),
    ("cmd_e", Direction::Input),
    ("cmd_s", Direction::Input),
    ("cmd_key", Direction::Input),
    ("s_axis_tvalid", Direction::Input),
    ("s_axis_tready", Direction::Output),
    ("s_axis_tdata", Direction::Input),
    ("m_axis_tvalid", Direction::Output),
    ("m_axis_tready", Direction::Input),
    ("m_axis_tdata", Direction::Output),
    ("s_axis_tlast", Direction::Input),
    ("m_axis_tlast", Direction::Output),
];
/// The last of them may be missing.
const REQUIRED: usize = 18;

/// The module with a unit's ports: the outermost, if several have them.
///
/// # Errors
/// [`Error::Netlist`] if there is none.
pub fn unit(netlist: &Netlist) -> Result<&Module> {
    let missing = |m: &Module| UNIT[..REQUIRED].iter().find(|(name, direction)| !has(m, name, *direction));
    netlist.modules.iter().rev().find(|m| missing(m).is_none()).ok_or_else(|| {
        // The module that comes closest tells what to look at.
        let close = netlist.modules.iter().rev().find(|m| has(m, "cmd_valid", Direction::Input));
        let module = close.unwrap_or_else(|| netlist.top());
        let port = missing(module).map_or("cmd_valid", |p| p.0);
        Error::netlist(&module.name, port, "the test bench needs this port on a compute unit")
    })
}

fn has(module: &Module, name: &str, direction: Direction) -> bool {
    module.ports.iter().any(|p| p.direction == direction && module.net(p.net).name == name)
}

fn width(module: &Module, name: &str) -> u32 {
    module.ports.iter().map(|p| module.net(p.net)).find(|n| n.name == name).map_or(0, |n| n.width)
}

/// Adds bench and Makefile.
///
/// # Errors
/// [`Error::Netlist`] if the design has no unit to test.
pub fn files(params: &Params, netlist: &Netlist, files: &mut Files) -> Result<()> {
    let mut context = unit::context(params);
    let unit = unit(netlist)?;
    context.insert("unit", &unit.name);
    context.insert("top", &netlist.top().name);
    context.insert("vectors", VECTORS);
    context.insert("default_set", &(params.sets[0] as u8));
    context.insert("beat_bits", &width(unit, "s_axis_tdata"));
    context.insert("load_last", &has(unit, "s_axis_tlast", Direction::Input));
    context.insert("store_last", &has(unit, "m_axis_tlast", Direction::Output));
    let reports = |name: &str| has(unit, name, Direction::Output);
    context.insert("refusals", &(reports("refused") && reports("refused_code")));
    let fields = ["op", "set", "width", "second", "a", "b", "d", "e", "s", "key"];
    let widths: Vec<(&str, u32)> = fields.iter().map(|f| (*f, width(unit, &format!("cmd_{f}")))).collect();
    context.insert("fields", &widths);
    // Other inputs are tied to 0.
    let known = |name: &str| UNIT.iter().any(|(known, _)| *known == name);
    let inputs = unit.ports.iter().filter(|p| p.direction == Direction::Input);
    let tied: Vec<&str> =
        inputs.map(|p| unit.net(p.net)).filter(|n| n.width <= 64 && !known(&n.name)).map(|n| n.name.as_str()).collect();
    context.insert("tied", &tied);
    files.add("bench.cpp", render(BENCH, &context));
    files.add("Makefile", render(MAKEFILE, &context));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::netlist::{Driver, Net, NetId, Port};

    fn module(name: &str, ports: &[(&str, Direction)]) -> Module {
        let net = |name: &str| Net { name: name.into(), width: 1, signed: false, driver: Driver::Input };
        Module {
            name: name.into(),
            summary: "test".into(),
            ports: (0..).zip(ports).map(|(i, p)| Port { direction: p.1, net: NetId(i) }).collect(),
            nets: ports.iter().map(|p| net(p.0)).collect(),
            exprs: vec![],
            registers: vec![],
            memories: vec![],
            instances: vec![],
            clocked: true,
            resettable: true,
        }
    }

    #[test]
    fn the_unit_is_found_inside_of_a_larger_top() {
        let modules = vec![module("bl_unit", &UNIT[..REQUIRED]), module("bl_top", &[("led", Direction::Output)])];
        assert_eq!(unit(&Netlist { modules }).unwrap().name, "bl_unit");
    }

    #[test]
    fn a_missing_port_is_named() {
        let modules = vec![module("bl_unit", &UNIT[..5]), module("bl_top", &[])];
        let message = unit(&Netlist { modules }).unwrap_err().to_string();
        assert!(message.contains("bl_unit: cmd_second"), "{message}");
        let turned = [("cmd_valid", Direction::Output)];
        let message = unit(&Netlist { modules: vec![module("bl_top", &turned)] }).unwrap_err().to_string();
        assert!(message.contains("bl_top: cmd_valid"), "{message}");
    }
}
