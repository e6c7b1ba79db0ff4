//! What a top offers to its surroundings, read from its ports' names: buses, interrupt, other signals.
//!
//! Names follow one rule: role (`s` or `m`), bus (`axil`, `axi`, `axis`), the bus's own signal name in small letters.

use serde::Serialize;

use crate::kernel::netlist::{Direction, Module};

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// AXI4-Lite.
    AxiLite,
    /// AXI4.
    Axi,
    /// AXI4-Stream.
    Stream,
}

/// A port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pin {
    /// Name.
    pub name: String,
    /// Into the module.
    pub input: bool,
    /// Bits.
    pub width: u32,
    /// Highest bit.
    pub msb: u32,
    /// The bus's name for it in capitals; empty outside of buses.
    pub logical: String,
}

/// A bus: ports with a common prefix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bus {
    /// The prefix.
    pub name: String,
    /// Protocol.
    pub protocol: Protocol,
    /// Starts transfers, or sends a stream.
    pub master: bool,
    /// Its ports.
    pub pins: Vec<Pin>,
    /// Bits of data.
    pub data_bits: u32,
    /// Bits of an address; 0 for a stream.
    pub address_bits: u32,
}

/// A top's ports, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interface {
    /// Every port, in order. Clock and reset are not among them.
    pub pins: Vec<Pin>,
    /// Buses, in the order of their first ports.
    pub buses: Vec<Bus>,
    /// Interrupt lines.
    pub interrupts: Vec<Pin>,
    /// What is left.
    pub others: Vec<Pin>,
}

impl Interface {
    /// The ports of a module.
    pub fn of(module: &Module) -> Interface {
        let mut all = Interface { pins: vec![], buses: vec![], interrupts: vec![], others: vec![] };
        for port in &module.ports {
            let net = module.net(port.net);
            let input = port.direction == Direction::Input;
            let bus = net.name.rsplit_once('_').and_then(|(bus, signal)| Some((bus, protocol(bus)?, signal)));
            let logical = bus.map(|(_, _, signal)| signal.to_uppercase()).unwrap_or_default();
            let pin = Pin { name: net.name.clone(), input, width: net.width, msb: net.width - 1, logical };
            all.pins.push(pin.clone());
            match bus {
                Some((bus, (master, protocol), _)) => all.bus(bus, master, protocol).add(pin),
                None if pin.name == "irq" => all.interrupts.push(pin),
                None => all.others.push(pin),
            }
        }
        all
    }

    /// The bus of this name, new if need be.
    fn bus(&mut self, name: &str, master: bool, protocol: Protocol) -> &mut Bus {
        let at = self.buses.iter().position(|bus| bus.name == name).unwrap_or_else(|| {
            let new = Bus { name: name.into(), protocol, master, pins: vec![], data_bits: 0, address_bits: 0 };
            self.buses.push(new);
            self.buses.len() - 1
        });
        &mut self.buses[at]
    }
}

impl Bus {
    fn add(&mut self, pin: Pin) {
        match pin.logical.as_str() {
            "WDATA" | "TDATA" => self.data_bits = pin.width,
            "AWADDR" => self.address_bits = pin.width,
            _ => {}
        }
        self.pins.push(pin);
    }
}

/// Whether ports of this prefix are a master's, and of which protocol; none if the prefix is no bus.
fn protocol(prefix: &str) -> Option<(bool, Protocol)> {
    let (role, bus) = prefix.split_once('_')?;
    let master = match role {
        "m" => true,
        "s" => false,
        _ => return None,
    };
    let protocol = match bus {
        "axil" => Protocol::AxiLite,
        "axi" => Protocol::Axi,
        "axis" => Protocol::Stream,
        _ => return None,
    };
    Some((master, protocol))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::netlist::{Driver, Net, NetId, Port};

    #[test]
    fn ports_are_sorted_by_their_names() {
        let ports = [
            ("s_axil_awaddr", 7, Direction::Input),
            ("s_axil_awready", 1, Direction::Output),
            ("s_axil_wdata", 32, Direction::Input),
            ("m_axis_tdata", 64, Direction::Output),
            ("irq", 1, Direction::Output),
            ("read_line", 20, Direction::Output),
            ("busy", 1, Direction::Output),
        ];
        let net = |&(name, width, _): &(&str, u32, Direction)| Net {
            name: name.into(),
            width,
            signed: false,
            driver: Driver::Input,
        };
        let module = Module {
            name: "bl_test".into(),
            summary: "test".into(),
            ports: (0..).zip(&ports).map(|(i, p)| Port { direction: p.2, net: NetId(i) }).collect(),
            nets: ports.iter().map(net).collect(),
            exprs: vec![],
            registers: vec![],
            memories: vec![],
            instances: vec![],
            clocked: true,
            resettable: true,
        };
        let found = Interface::of(&module);
        let buses: Vec<_> =
            found.buses.iter().map(|b| (b.name.as_str(), b.protocol, b.master, b.data_bits, b.address_bits)).collect();
        assert_eq!(buses, [("s_axil", Protocol::AxiLite, false, 32, 7), ("m_axis", Protocol::Stream, true, 64, 0)]);
        assert_eq!(found.buses[0].pins[1].logical, "AWREADY");
        let names = |pins: &[Pin]| pins.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&found.interrupts), ["irq"]);
        assert_eq!(names(&found.others), ["read_line", "busy"]);
        assert_eq!(found.pins.len(), ports.len());
    }
}
