//! A wrapper for AXI systems: the design's top with `aclk` and the active-low `aresetn` in the place of `clk` and
//! `rst`.
//!
//! Inside, a design knows one clock and one active-high reset; the inversion at its boundary is the wrapper's only
//! logic.

use std::collections::BTreeSet;

use serde::Serialize;

use super::output::Files;
use super::render;
use crate::kernel::netlist::{Direction, Netlist};

const WRAPPER: &str = include_str!("templates/axi/bl_compute_axi.v.tera");

#[derive(Serialize)]
struct PortView<'a> {
    name: &'a str,
    direction: &'static str,
    range: String,
}

/// Adds the wrapper `module` if the top has AXI4-Lite ports: `context` has what headers say. Returns its path.
pub fn wrapper(module: &str, netlist: &Netlist, mut context: tera::Context, files: &mut Files) -> Option<String> {
    let top = netlist.top();
    let names = || top.ports.iter().map(|p| top.net(p.net).name.as_str());
    if !names().any(|name| name.starts_with("s_axil_")) {
        return None;
    }
    let port = |p: &crate::kernel::netlist::Port| {
        let net = top.net(p.net);
        PortView {
            name: &net.name,
            direction: if p.direction == Direction::Input { "input " } else { "output" },
            range: if net.width == 1 { String::new() } else { format!("[{}:0] ", net.width - 1) },
        }
    };
    let ports: Vec<PortView<'_>> = top.ports.iter().map(port).collect();
    let buses: BTreeSet<&str> =
        names().filter(|n| n.contains("_axi")).filter_map(|n| n.rsplit_once('_')).map(|(bus, _)| bus).collect();
    context.insert("module", module);
    context.insert("top", &top.name);
    context.insert("ports", &ports);
    context.insert("buses", &buses.into_iter().collect::<Vec<_>>().join(":"));
    let path = format!("rtl/{module}.v");
    files.add(path.as_str(), render(WRAPPER, &context));
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::context;
    use bitline_units::array::blocks::{Top, design};
    use bitline_units::array::presets::preset;

    #[test]
    fn the_wrapper_has_every_port_of_the_top() {
        let params = preset("tiny").unwrap();
        let netlist = design(&params, Top::Registers).unwrap();
        let mut made = Files::default();
        let path = wrapper("bl_compute_axi", &netlist, context(&params), &mut made).unwrap();
        let text = made.get(&path).unwrap();
        for port in &netlist.top().ports {
            let name = &netlist.top().net(port.net).name;
            assert!(text.contains(&format!(".{name}({name})")), "{name} in {text}");
        }
        assert!(text.contains("ASSOCIATED_BUSIF m_axis:s_axil:s_axis,") && text.contains(".rst(~aresetn)"), "{text}");
        let unit = design(&params, Top::ComputeUnit).unwrap();
        assert_eq!(wrapper("bl_compute_axi", &unit, context(&params), &mut made), None);
    }
}
