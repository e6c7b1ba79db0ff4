//! A short run of a top on the native engine, for its timing diagram: register accesses over AXI4-Lite as software
//! makes them, with a memory of zeros behind the top's memory port.
//!
//! The surroundings are simple on purpose: AXI slaves and the line port take everything at once and answer in the next
//! cycle.

use std::collections::{BTreeMap, VecDeque};

use crate::kernel::netlist::{Direction, NetId, Netlist};
use bitline_engine::{Engine, Lookup, engine};

/// Longest run.
const LIMIT: usize = 4000;
/// Cycles after the end.
const AFTER: usize = 2;

/// What software does.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What the diagram shows, for its title.
    pub title: String,
    /// Registers that are written one after the other: offset and value.
    pub writes: Vec<(u64, u32)>,
    /// How many of the last writes are drawn.
    pub drawn: usize,
    /// Then a run until this output is 1.
    pub until: &'static str,
    /// Ports to draw, if the top has them.
    pub show: Vec<&'static str>,
}

/// Signals, cycle by cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    /// Names and bits.
    pub(crate) signals: Vec<(String, u32)>,
    /// A value of each signal, low 64 bits.
    pub(crate) cycles: Vec<Vec<u64>>,
}

/// Runs it. The trace starts with the first write that is drawn and ends some cycles after `until`.
pub(crate) fn run(netlist: &Netlist, scenario: &Scenario) -> Trace {
    let mut bench = Bench::new(netlist);
    let top = netlist.top();
    let width = |name: &str| top.ports.iter().map(|p| top.net(p.net)).find(|net| net.name == name).map(|net| net.width);
    let mut trace = Trace::default();
    trace.signals.extend(scenario.show.iter().filter_map(|&name| Some((name.to_string(), width(name)?))));
    bench.set("s_axil_bready", 1);
    bench.set("s_axil_wstrb", 15);
    (0..4).for_each(|_| bench.engine.tick(true));
    let quiet = scenario.writes.len().saturating_sub(scenario.drawn);
    for (i, &(offset, value)) in scenario.writes.iter().enumerate() {
        let (mut address, mut data) = (true, true);
        bench.set("s_axil_awaddr", offset);
        bench.set("s_axil_wdata", value.into());
        for _ in 0..LIMIT {
            bench.set("s_axil_awvalid", address.into());
            bench.set("s_axil_wvalid", data.into());
            let answered = bench.low("s_axil_bvalid") == 1;
            (address, data) = (address && bench.low("s_axil_awready") == 0, data && bench.low("s_axil_wready") == 0);
            bench.cycle(if i >= quiet { Some(&mut trace) } else { None });
            if answered {
                break;
            }
        }
        bench.set("s_axil_awvalid", 0);
        bench.set("s_axil_wvalid", 0);
    }
    let mut left = AFTER;
    for _ in 0..LIMIT {
        left -= usize::from(bench.low(scenario.until) == 1);
        bench.cycle(Some(&mut trace));
        if left == 0 {
            break;
        }
    }
    trace
}

/// A top on the engine with what is around it.
struct Bench {
    engine: Box<dyn Engine>,
    ports: BTreeMap<String, (NetId, bool, u32)>,
    /// A line will be on offer.
    replies: usize,
    /// Bursts that were asked for: beats left.
    bursts: VecDeque<u64>,
    /// Answers to bursts that were written.
    written: usize,
}

impl Bench {
    fn new(netlist: &Netlist) -> Bench {
        let engine = engine(netlist);
        let top = netlist.top();
        let named = |port: &crate::kernel::netlist::Port| {
            let net = top.net(port.net);
            let found = engine.design().find_net(&net.name)?;
            Some((net.name.clone(), (found, port.direction == Direction::Input, net.width)))
        };
        let ports = top.ports.iter().filter_map(named).collect();
        let mut bench = Bench { engine: Box::new(engine), ports, replies: 0, bursts: VecDeque::new(), written: 0 };
        let inputs: Vec<String> = bench.ports.iter().filter(|(_, p)| p.1).map(|(name, _)| name.clone()).collect();
        inputs.iter().for_each(|name| bench.set(name, 0));
        for ready in ["read_ready", "m_axi_awready", "m_axi_wready", "m_axi_arready", "m_axis_tready"] {
            bench.set(ready, 1);
        }
        bench
    }

    /// Sets an input, if there is one of this name.
    fn set(&mut self, name: &str, value: u64) {
        if let Some(&(net, true, width)) = self.ports.get(name) {
            let mut words = vec![0; width.div_ceil(64) as usize];
            words[0] = value;
            self.engine.set_input(net, &words);
        }
    }

    /// Low bits of a port; 0 if there is none of this name.
    fn low(&mut self, name: &str) -> u64 {
        let net = self.ports.get(name).map(|port| port.0);
        net.map_or(0, |net| self.engine.low(net))
    }

    /// A sample, an edge, and what the surroundings make of it.
    fn cycle(&mut self, trace: Option<&mut Trace>) {
        if let Some(trace) = trace {
            let sample = trace.signals.iter().map(|(name, _)| self.low(name)).collect();
            trace.cycles.push(sample);
        }
        let both = |bench: &mut Bench, a: &str, b: &str| bench.low(a) == 1 && bench.low(b) == 1;
        // The line port.
        self.replies += usize::from(both(self, "read_valid", "read_ready"));
        self.replies -= usize::from(both(self, "reply_valid", "reply_ready"));
        let acknowledge = self.low("write_valid");
        // AXI4.
        if both(self, "m_axi_rvalid", "m_axi_rready") {
            if let Some(beats) = self.bursts.front_mut() {
                *beats -= 1;
            }
            if self.bursts.front() == Some(&0) {
                self.bursts.pop_front();
            }
        }
        if both(self, "m_axi_arvalid", "m_axi_arready") {
            let beats = self.low("m_axi_arlen") + 1;
            self.bursts.push_back(beats);
        }
        self.written -= usize::from(both(self, "m_axi_bvalid", "m_axi_bready"));
        self.written += usize::from(both(self, "m_axi_wvalid", "m_axi_wready") && self.low("m_axi_wlast") == 1);
        self.engine.tick(false);
        self.set("reply_valid", u64::from(self.replies > 0));
        self.set("ack_valid", acknowledge);
        let beats = self.bursts.front().copied().unwrap_or(0);
        self.set("m_axi_rvalid", u64::from(beats > 0));
        self.set("m_axi_rlast", u64::from(beats == 1));
        self.set("m_axi_bvalid", u64::from(self.written > 0));
    }
}
