//! The AXI4 adapter of the cache compute system beside its model.

use super::Divergence;
use super::compare::Difference;
use super::line_port::LinePins;
use crate::ccs::CcsGeometry;
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::ccs::axi_adapter::AxiAdapter;
use crate::model::ccs::line_port::{LineAnswers, LineRequests};
use crate::model::memory::core::{MemoryInputs, MemoryOutputs};
use crate::model::memory::writer::Bytes;

const INPUTS: [&str; 7] =
    ["m_axi_arready", "m_axi_rvalid", "m_axi_rresp", "m_axi_awready", "m_axi_wready", "m_axi_bvalid", "m_axi_bresp"];
const OUTPUTS: [&str; 12] = [
    "m_axi_arvalid",
    "m_axi_araddr",
    "m_axi_arlen",
    "m_axi_rready",
    "m_axi_awvalid",
    "m_axi_awaddr",
    "m_axi_awlen",
    "m_axi_wvalid",
    "m_axi_wlast",
    "m_axi_bready",
    "m_axi_awburst",
    "m_axi_arburst",
];

/// A register's value, if it matters.
pub type Value = Option<Vec<u64>>;

/// Hardware and model.
pub struct AxiAdapterLockstep<E: Engine> {
    seed: u64,
    cycle: u64,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: AxiAdapter,
    pins: LinePins,
    inputs: [NetId; 7],
    outputs: [NetId; 12],
    read_data: NetId,
    write_data: NetId,
    write_strobes: NetId,
    registers: Vec<usize>,
}

impl<E: Engine> AxiAdapterLockstep<E> {
    /// Brings the hardware out of reset.
    ///
    /// # Panics
    /// If it is no adapter of this geometry.
    pub fn new(mut engine: E, geometry: &CcsGeometry, seed: u64) -> AxiAdapterLockstep<E> {
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let pins = LinePins::find(design, geometry.lanes);
        let (inputs, outputs) = (INPUTS.map(net), OUTPUTS.map(net));
        let [read_data, write_data, write_strobes, last] =
            ["m_axi_rdata", "m_axi_wdata", "m_axi_wstrb", "m_axi_rlast"].map(net);
        let model = AxiAdapter::new(geometry);
        let find = |(path, _): (String, Value)| {
            design.find_register(&path).unwrap_or_else(|| panic!("the design has no register {path}"))
        };
        let registers = registers(&model).into_iter().map(find).collect();
        for input in inputs.into_iter().chain([read_data, last]) {
            engine.set_input(input, &[0; 8]);
        }
        pins.quiet(&mut engine);
        engine.tick(true);
        AxiAdapterLockstep {
            seed,
            cycle: 0,
            engine,
            model,
            pins,
            inputs,
            outputs,
            read_data,
            write_data,
            write_strobes,
            registers,
        }
    }

    /// Registers that are not compared.
    pub fn unseen(&self) -> Vec<&str> {
        let design = self.engine.design();
        let unseen = (0..design.registers.len()).filter(|register| !self.registers.contains(register));
        unseen.map(|register| design.net(design.registers[register].net).path.as_str()).collect()
    }

    fn drive(&mut self, requests: &LineRequests, bus: &MemoryInputs) {
        self.pins.drive(&mut self.engine, requests);
        let read = bus.read_data.as_ref();
        let values = [
            bus.read_address_ready.into(),
            read.is_some().into(),
            read.map_or(0, |(_, response)| (*response).into()),
            bus.write_address_ready.into(),
            bus.write_data_ready.into(),
            bus.response.is_some().into(),
            bus.response.unwrap_or(0).into(),
        ];
        for (net, value) in self.inputs.into_iter().zip(values) {
            self.engine.set_input(net, &[value]);
        }
        if let Some((data, _)) = read {
            self.engine.set_input(self.read_data, data);
        }
    }

    /// One clock cycle of both; outputs and registers are compared.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(
        &mut self,
        requests: &LineRequests,
        bus: &MemoryInputs,
    ) -> Result<(LineAnswers, MemoryOutputs), Box<Divergence>> {
        self.drive(requests, bus);
        let (answers, outputs) = self.model.step(requests, bus);
        let compared = self.pins.compare(&mut self.engine, requests, &answers);
        compared.map_err(|d| self.diverged(*d))?;
        self.compare_bus(&outputs).map_err(|d| self.diverged(*d))?;
        self.engine.tick(false);
        self.cycle += 1;
        self.compare_registers().map_err(|d| self.diverged(*d))?;
        Ok((answers, outputs))
    }

    /// One clock cycle of both with the reset on.
    ///
    /// # Errors
    /// The first difference.
    pub fn reset(&mut self) -> Result<(), Box<Divergence>> {
        self.drive(&LineRequests::default(), &MemoryInputs::default());
        self.model.reset();
        self.engine.tick(true);
        self.cycle += 1;
        self.compare_registers().map_err(|d| self.diverged(*d))
    }

    fn diverged(&self, difference: Difference) -> Box<Divergence> {
        let Difference { path, expected, actual } = difference;
        Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
    }

    fn compare_bus(&mut self, outputs: &MemoryOutputs) -> Result<(), Box<Difference>> {
        let (read, write) = (outputs.read_address, outputs.write_address);
        let values = [
            Some(read.is_some().into()),
            read.map(|(address, _)| address),
            read.map(|(_, beats)| u64::from(beats) - 1),
            Some(outputs.read_data_ready.into()),
            Some(write.is_some().into()),
            write.map(|(address, _)| address),
            write.map(|(_, beats)| u64::from(beats) - 1),
            Some(outputs.write_data.is_some().into()),
            outputs.write_data.as_ref().map(|(_, last)| (*last).into()),
            Some(1),
            Some(1),
            Some(1),
        ];
        for ((path, net), expected) in OUTPUTS.iter().zip(self.outputs).zip(values) {
            let Some(expected) = expected else { continue };
            let actual = self.engine.low(net);
            if actual != expected {
                return Err(Box::new(Difference::new(*path, &[expected], [actual])));
            }
        }
        let Some((words, _)) = &outputs.write_data else { return Ok(()) };
        let (data, strobes) = packed(words);
        for (path, net, expected) in
            [("m_axi_wdata", self.write_data, data), ("m_axi_wstrb", self.write_strobes, vec![strobes])]
        {
            let actual = self.engine.value(net);
            if actual != expected {
                return Err(Box::new(Difference::new(path, &expected, &actual)));
            }
        }
        Ok(())
    }

    fn compare_registers(&self) -> Result<(), Box<Difference>> {
        for ((path, expected), &register) in registers(&self.model).into_iter().zip(&self.registers) {
            let Some(expected) = expected else { continue };
            let actual = self.engine.register(register);
            if actual != expected {
                return Err(Box::new(Difference::new(path, &expected, actual)));
            }
        }
        Ok(())
    }
}

fn packed(words: &[Bytes]) -> (Vec<u64>, u64) {
    let strobes = words.iter().rev().fold(0, |all, word| all << 8 | u64::from(word.strobes));
    (words.iter().map(|word| word.data).collect(), strobes)
}

/// Every register of an adapter and its value.
pub fn registers(model: &AxiAdapter) -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> = vec![];
    let mut one = |path: &str, value: Option<u64>| all.push((path.into(), value.map(|value| vec![value])));
    let AxiAdapter { reader, writer, order } = model;
    one("reader.address_valid", Some(reader.address.is_some().into()));
    one("reader.address", reader.address.map(u64::from));
    one("reader.ahead", Some(reader.ahead.into()));
    one("reader.beat", Some(reader.beat as u64));
    one("reader.full", Some(reader.full.into()));
    one("reader.failed", reader.failed.map(u64::from));
    for (lane, element) in reader.line.iter().enumerate() {
        one(&format!("reader.line_{lane}"), element.map(u64::from));
    }
    one("writer.tail", Some(writer.tail as u64));
    one("writer.address_at", Some(writer.addresses.0 as u64));
    one("writer.address_count", Some(writer.addresses.1 as u64));
    one("writer.data_at", Some(writer.data.0 as u64));
    one("writer.data_count", Some(writer.data.1 as u64));
    one("writer.address_valid", Some(writer.address.is_some().into()));
    one("writer.address", writer.address.map(|(address, _)| address.into()));
    one("writer.length", writer.address.map(|(_, length)| length.into()));
    one("writer.there", Some(writer.there.is_some().into()));
    one("writer.fresh", Some(writer.fresh.into()));
    one("writer.beat", writer.beat.map(|beat| beat as u64));
    one("writer.beat_valid", Some(writer.out.is_some().into()));
    one("writer.strobes", writer.out.as_ref().map(|(words, _)| packed(words).1));
    one("writer.last", writer.out.as_ref().map(|(_, last)| (*last).into()));
    one("writer.acked", Some(writer.ack.is_some().into()));
    one("writer.failed", writer.ack.map(u64::from));
    one("order.next", Some(order.next.into()));
    one("order.oldest", Some(order.oldest.into()));
    let known = order.last.iter().rev().fold(0, |all, last| all << 1 | u64::from(last.is_some()));
    one("order.known", Some(known));
    all.push(("writer.data".into(), writer.out.as_ref().map(|(words, _)| packed(words).0)));
    all
}
