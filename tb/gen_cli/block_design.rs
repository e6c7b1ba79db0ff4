//! A block design as Vivado's IP integrator would have it, built from the calls of a script, and what must hold of it.

use std::collections::BTreeMap;
use std::path::Path;

use super::cell_kinds::Kind;
use super::packages::number;

/// Single lines, and who drives them.
const LINES: [(&str, &str); 14] = [
    ("pin signals/irq_ccs", "pin ccs/irq"),
    ("pin signals/irq_compute", "pin compute/irq"),
    ("pin signals/clk", "pin xdma/axi_aclk"),
    ("pin xdma/usr_irq_req", "pin signals/irq"),
    ("pin xdma/sys_clk", "pin pcie_clock_buffer/IBUF_OUT"),
    ("pin core_clock/clk_in1", "pin mig/ui_clk"),
    ("port fan_pwm", "pin signals/fan_pwm"),
    ("port led_link", "pin xdma/user_lnk_up"),
    ("port led_memory", "pin mig/init_calib_complete"),
    ("pin core_reset/ext_reset_in", "pin mig/ui_clk_sync_rst"),
    ("pin core_reset/aux_reset_in", "pin xdma/axi_aresetn"),
    ("pin core_reset/dcm_locked", "pin core_clock/locked"),
    ("pin memory_reset/aux_reset_in", "pin xdma/axi_aresetn"),
    ("pin memory_reset/dcm_locked", "pin mig/mmcm_locked"),
];

/// The design.
#[derive(Debug, Default)]
pub(super) struct BlockDesign {
    cells: BTreeMap<String, (String, Kind)>,
    properties: BTreeMap<String, BTreeMap<String, String>>,
    /// Ports of one bit: whether into the design, and its polarity if it is a reset.
    pub(super) ports: BTreeMap<String, (bool, String)>,
    /// Ports that are buses: whether master.
    bus_ports: BTreeMap<String, bool>,
    /// Pins with the number of their net.
    nets: BTreeMap<String, usize>,
    /// Master to slave.
    links: Vec<(String, String)>,
    /// Space, segment, offset, bytes if given.
    pub(super) placed: Vec<(String, String, u64, Option<u64>)>,
    excluded: Vec<(String, String)>,
}

fn bytes(text: &str) -> u64 {
    match text.split_at(text.len() - 1) {
        (kib, "K") => number(kib) << 10,
        (gib, "G") => number(gib) << 30,
        _ => number(text),
    }
}

impl BlockDesign {
    /// The design that these calls make. `folder` holds units and modules.
    pub(super) fn of(calls: &[Vec<String>], folder: &Path) -> Result<BlockDesign, String> {
        let mut design = BlockDesign::default();
        let after = |call: &[String], flag: &str| {
            call.iter().position(|a| a == flag).and_then(|i| call.get(i + 1)).cloned().unwrap_or_default()
        };
        for call in calls.iter().filter(|c| c[0] == "set_property") {
            let of = call.last().unwrap().clone();
            // One name and its value, or a list of them behind -dict.
            let pairs: Vec<&str> =
                call[1..call.len() - 1].iter().flat_map(|a| a.split(' ')).filter(|a| *a != "-dict").collect();
            for pair in pairs.chunks(2) {
                design.properties.entry(of.clone()).or_default().insert(pair[0].into(), pair[1..].concat());
            }
        }
        for call in calls {
            let last = call.last().unwrap();
            match call[0].as_str() {
                "create_bd_cell" if after(call, "-type") == "module" => {
                    let kind = Kind::module(&folder.join(format!("{}.v", after(call, "-reference"))));
                    design.cell(last, "module", kind)?;
                }
                "create_bd_cell" => {
                    let vlnv = after(call, "-vlnv");
                    let ip = vlnv.rsplit(':').next().unwrap_or_default().to_string();
                    let kind = match ip.strip_prefix("bitline_") {
                        Some(unit) => Kind::unit(&folder.join("units").join(unit)),
                        None => Kind::vendor(
                            &ip,
                            design.properties.get(&format!("cell {last}")).unwrap_or(&BTreeMap::new()),
                        )?,
                    };
                    design.cell(last, &ip, kind)?;
                }
                "create_bd_port" => {
                    let polarity =
                        design.properties.get(&format!("port {last}")).and_then(|p| p.get("CONFIG.POLARITY"));
                    let polarity = polarity.cloned().unwrap_or_default();
                    design.ports.insert(last.clone(), (after(call, "-dir") == "I", polarity));
                }
                "create_bd_intf_port" => {
                    design.bus_ports.insert(last.clone(), after(call, "-mode") == "Master");
                }
                "connect_bd_net" => design.net(&call[1], &call[2])?,
                "connect_bd_intf_net" => design.link(&call[1], &call[2])?,
                "assign_bd_address" => {
                    let range = Some(after(call, "-range")).filter(|r| !r.is_empty()).map(|r| bytes(&r));
                    let segment = call.iter().find_map(|a| a.strip_prefix("segment ")).unwrap_or_default();
                    let space = after(call, "-target_address_space").replace("space ", "");
                    design.placed.push((space, segment.into(), number(&after(call, "-offset")), range));
                }
                "exclude_bd_addr_seg" => {
                    let space = after(call, "-target_address_space").replace("space ", "");
                    design.excluded.push((space, call[1].replace("segment ", "")));
                }
                _ => {}
            }
        }
        Ok(design)
    }

    fn cell(&mut self, name: &str, ip: &str, kind: Kind) -> Result<(), String> {
        match self.cells.insert(name.into(), (ip.into(), kind)) {
            None => Ok(()),
            Some(_) => Err(format!("{name} is there twice")),
        }
    }

    fn of_pin(&self, pin: &str) -> Option<(&Kind, String)> {
        let (cell, name) = pin.strip_prefix("pin ")?.split_once('/')?;
        Some((&self.cells.get(cell)?.1, name.into()))
    }

    /// Whether a pin or port drives its net; an error if there is none.
    fn drives(&self, pin: &str) -> Result<bool, String> {
        if let Some(port) = pin.strip_prefix("port ").and_then(|name| self.ports.get(name)) {
            return Ok(port.0);
        }
        let (kind, name) = self.of_pin(pin).ok_or(format!("no cell has {pin}"))?;
        if kind.inputs.contains(&name) {
            return Ok(false);
        }
        if kind.outputs.contains(&name) { Ok(true) } else { Err(format!("there is no {pin}")) }
    }

    fn net(&mut self, a: &str, b: &str) -> Result<(), String> {
        self.drives(a)?;
        self.drives(b)?;
        let into = match (self.nets.get(a), self.nets.get(b)) {
            (Some(one), Some(other)) if one != other => return Err(format!("{a} and {b} are on nets of their own")),
            (Some(net), _) | (None, Some(net)) => *net,
            (None, None) => self.nets.len(),
        };
        self.nets.insert(a.into(), into);
        self.nets.insert(b.into(), into);
        Ok(())
    }

    /// Whether a bus is a master's, seen from inside of the design.
    fn is_master(&self, bus: &str) -> Result<bool, String> {
        if let Some(port) = bus.strip_prefix("bus port ") {
            return self.bus_ports.get(port).map(|master| !master).ok_or(format!("no {bus}"));
        }
        let (kind, name) = self.of_pin(&bus.replace("bus ", "pin ")).ok_or(format!("no cell has {bus}"))?;
        if kind.masters.contains_key(&name) {
            return Ok(true);
        }
        if kind.slaves.contains_key(&name) { Ok(false) } else { Err(format!("there is no {bus}")) }
    }

    fn link(&mut self, a: &str, b: &str) -> Result<(), String> {
        let (master, slave) = match (self.is_master(a)?, self.is_master(b)?) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            _ => return Err(format!("{a} and {b} are of one kind")),
        };
        if self.links.iter().any(|(m, s)| m == master || s == slave) {
            return Err(format!("{master} or {slave} has a partner already"));
        }
        self.links.push((master.into(), slave.into()));
        Ok(())
    }

    /// The nets of the clocks that a bus may belong to; none for what has no clock, such as a lane.
    fn clocks(&self, bus: &str) -> Vec<usize> {
        let Some((cell, name)) = bus.strip_prefix("bus ").and_then(|b| b.split_once('/')) else { return vec![] };
        let kind = &self.cells[cell].1;
        let clock = kind.masters.get(name).or(kind.slaves.get(name)).map_or("", String::as_str);
        let pins =
            kind.inputs.iter().chain(&kind.outputs).filter(|p| *p == clock || clock == "*" && p.starts_with("aclk"));
        pins.filter_map(|pin| self.nets.get(&format!("pin {cell}/{pin}"))).copied().collect()
    }

    /// Masters that reach this slave, through interconnects.
    fn reached_by(&self, slave: &str) -> Vec<String> {
        let Some((master, _)) = self.links.iter().find(|link| link.1 == slave) else { return vec![] };
        let cell = master.trim_start_matches("bus ").split('/').next().unwrap();
        if self.cells[cell].0 != "smartconnect" {
            return vec![master.trim_start_matches("bus ").into()];
        }
        self.cells[cell].1.slaves.keys().flat_map(|s| self.reached_by(&format!("bus {cell}/{s}"))).collect()
    }

    /// Everything is connected, once, within its clock domain, with a reset of that domain, and every segment has its
    /// place.
    pub(super) fn check(&self) -> Result<(), String> {
        let mut drivers: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for (pin, net) in &self.nets {
            if self.drives(pin)? {
                drivers.entry(*net).or_default().push(pin);
            }
        }
        for (pin, net) in &self.nets {
            if drivers.get(net).map_or(0, Vec::len) != 1 {
                return Err(format!("the net of {pin} has other than one driver: {:?}", drivers.get(net)));
            }
        }
        for (name, (_, kind)) in &self.cells {
            if let Some(pin) = kind.inputs.iter().find(|pin| !self.nets.contains_key(&format!("pin {name}/{pin}"))) {
                return Err(format!("{name}/{pin} is open"));
            }
            for bus in kind.masters.keys().chain(kind.slaves.keys()).map(|bus| format!("bus {name}/{bus}")) {
                if !self.links.iter().any(|(m, s)| *m == bus || *s == bus) {
                    return Err(format!("{bus} is open"));
                }
            }
        }
        if let Some(port) = self.ports.keys().find(|name| !self.nets.contains_key(&format!("port {name}"))) {
            return Err(format!("port {port} is open"));
        }
        for (master, slave) in &self.links {
            let (a, b) = (self.clocks(master), self.clocks(slave));
            if !a.is_empty() && !a.iter().any(|clock| b.contains(clock)) {
                return Err(format!("{master} and {slave} have no clock in common"));
            }
        }
        for (pin, expected) in LINES {
            let driver = self.nets.get(pin).map(|net| drivers[net][0]);
            if driver != Some(expected) {
                return Err(format!("{pin} is driven by {driver:?}, not by {expected}"));
            }
        }
        self.check_resets(&drivers)?;
        self.check_addresses()
    }

    /// Resets of cells with a clock come from a reset block of that clock; polarities of ports fit.
    fn check_resets(&self, drivers: &BTreeMap<usize, Vec<&str>>) -> Result<(), String> {
        for (name, (ip, kind)) in self.cells.iter().filter(|(_, cell)| cell.1.inputs.contains("aresetn")) {
            let source = drivers[&self.nets[&format!("pin {name}/aresetn")]][0];
            let (by, _) =
                source.trim_start_matches("pin ").split_once('/').ok_or(format!("{name}: reset by {source}"))?;
            let clock = if ip == "mig_7series" { "ui_clk" } else { "aclk" };
            let (own, its) =
                (self.nets.get(&format!("pin {name}/{clock}")), self.nets.get(&format!("pin {by}/slowest_sync_clk")));
            if self.cells[by].0 != "proc_sys_reset" || own != its || kind.inputs.is_empty() {
                return Err(format!("{name}/aresetn comes from {source}, of another clock"));
            }
        }
        for cell in ["cell core_reset", "cell memory_reset"] {
            if self.properties.get(cell).and_then(|p| p.get("CONFIG.C_AUX_RESET_HIGH")).is_none_or(|high| high != "0") {
                return Err(format!("{cell}: the link's reset is active low"));
            }
        }
        for (pin, polarity) in [("xdma/sys_rst_n", "ACTIVE_LOW"), ("mig/sys_rst", "ACTIVE_HIGH")] {
            let source = drivers[&self.nets[&format!("pin {pin}")]][0];
            if self.ports.get(source.trim_start_matches("port ")).is_none_or(|port| port.1 != polarity) {
                return Err(format!("{pin} is reset by {source}"));
            }
        }
        Ok(())
    }

    /// In every space: each segment that the master reaches, aligned, at addresses that its slave understands, and
    /// apart from the others.
    fn check_addresses(&self) -> Result<(), String> {
        let mut taken: BTreeMap<&str, Vec<(u64, u64)>> = BTreeMap::new();
        for (space, segment, offset, range) in &self.placed {
            let (cell, name) = segment.split_once('/').ok_or(format!("no segment {segment}"))?;
            let &(base, size) =
                self.cells.get(cell).and_then(|c| c.1.segments.get(name)).ok_or(format!("no segment {segment}"))?;
            let range = range.unwrap_or(size);
            if range > size || offset % range != 0 || offset & (base | (size - 1)) < base {
                return Err(format!("{segment} of {size:#x} bytes from {base:#x} on does not go to {offset:#x}"));
            }
            let places = taken.entry(space).or_default();
            if places.iter().any(|(o, r)| offset < &(o + r) && *o < offset + range) {
                return Err(format!("{segment} overlaps another in {space}"));
            }
            places.push((*offset, range));
        }
        for (cell, (ip, kind)) in &self.cells {
            for segment in kind.segments.keys() {
                let bus = if ip == "mig_7series" { "S_AXI" } else { segment.split('/').next().unwrap() };
                for space in self.reached_by(&format!("bus {cell}/{bus}")) {
                    let full = format!("{cell}/{segment}");
                    let times = self.placed.iter().filter(|p| p.0 == space && p.1 == full).count()
                        + self.excluded.iter().filter(|e| e.0 == space && e.1 == full).count();
                    if times != 1 {
                        return Err(format!("{full} has {times} places in {space}"));
                    }
                }
            }
        }
        let xdma = &self.properties["cell xdma"];
        if xdma["CONFIG.xdma_num_usr_irq"] != "2" {
            return Err("bl_pcie_signals has 2 interrupts".into());
        }
        let window = number(&xdma["CONFIG.pciebar2axibar_axil_master"]);
        let scale = if xdma["CONFIG.axilite_master_scale"] == "Megabytes" { 20 } else { 10 };
        let end = window + (number(&xdma["CONFIG.axilite_master_size"]) << scale);
        match taken.get("xdma/M_AXI_LITE").into_iter().flatten().find(|(o, r)| *o < window || o + r > end) {
            Some((offset, _)) => Err(format!("{offset:#x} is outside of the window")),
            None => Ok(()),
        }
    }
}
