//! The compute unit with element streams, hardware and cycle model side by side.

use super::core::CoreState;
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::lockstep::compare::{Difference, Registers};
use crate::lockstep::state::Visit;
use crate::lockstep::{Divergence, WHOLE};
use crate::model::axil_slave::Offer;
use crate::model::memory::stream::{StreamEnds, StreamInputs, StreamOutputs, StreamTop};
use crate::params::Params;
use crate::vectors::Rows;

const INPUTS: [&str; 12] = [
    "s_axil_awvalid",
    "s_axil_awaddr",
    "s_axil_wvalid",
    "s_axil_wdata",
    "s_axil_wstrb",
    "s_axil_bready",
    "s_axil_arvalid",
    "s_axil_araddr",
    "s_axil_rready",
    "s_axis_tvalid",
    "s_axis_tdata",
    "m_axis_tready",
];
const OUTPUTS: [&str; 14] = [
    "s_axil_awready",
    "s_axil_wready",
    "s_axil_bvalid",
    "s_axil_arready",
    "s_axil_rvalid",
    "s_axil_rdata",
    "irq",
    "busy",
    "error",
    "tag_any",
    "s_axis_tready",
    "m_axis_tvalid",
    "m_axis_tdata",
    "m_axis_tlast",
];

/// Hardware and model.
pub struct StreamLockstep<E: Engine> {
    params: Params,
    seed: u64,
    cycle: u64,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: StreamTop,
    inputs: [NetId; 12],
    outputs: [NetId; 14],
    core: CoreState,
    ends: Registers,
}

fn ends(ends: &StreamEnds, visit: &mut Visit<'_>) {
    let mut one = |path, value: Option<u64>| visit(path, value.as_ref().map(std::slice::from_ref));
    one("ends.reading", Some(ends.reading.is_some().into()));
    one("ends.count", ends.reading.map(|count| u64::from(count) - 1));
    one("ends.writing", Some(ends.writing.into()));
}

impl<E: Engine> StreamLockstep<E> {
    /// Brings the hardware out of reset, fills its memories and the model's from `seed`.
    ///
    /// # Panics
    /// If the design lacks a signal that the model knows: it is not the design of `params`.
    pub fn new(mut engine: E, params: &Params, seed: u64) -> StreamLockstep<E> {
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let (inputs, outputs) = (INPUTS.map(net), OUTPUTS.map(net));
        let mut model = StreamTop::new(params);
        let core = CoreState::find(design, params, &model.core);
        let ends = Registers::find(design, "", |visit| ends(&model.ends, visit));
        core.memories.fill(&mut engine, &mut model.core.unit, params, seed);
        inputs.iter().for_each(|&input| engine.set_input(input, &[0]));
        engine.tick(true);
        StreamLockstep { params: params.clone(), seed, cycle: 0, engine, model, inputs, outputs, core, ends }
    }

    /// Registers and memories of the hardware that are not compared with the model. Contents of ROMs cannot change.
    pub fn unseen(&self) -> Vec<&str> {
        let design = self.engine.design();
        let (mut registers, memories) = self.core.numbers();
        registers.extend(self.ends.numbers());
        let unseen = design.registers.iter().enumerate().filter(|(r, _)| !registers.contains(r));
        let unseen = unseen.map(|(_, register)| design.net(register.net).path.as_str());
        let rest = design.memories.iter().enumerate();
        let rest = rest.filter(|(m, memory)| memory.contents.is_none() && !memories.contains(m));
        unseen.chain(rest.map(|(_, memory)| memory.path.as_str())).collect()
    }

    fn drive(&mut self, inputs: &StreamInputs) {
        let Offer { write_address, write_data, take_response, read_address, take_data } = inputs.axil;
        let values = [
            Some(write_address.is_some().into()),
            write_address.map(u64::from),
            Some(write_data.is_some().into()),
            write_data.map(|d| d.0.into()),
            write_data.map(|d| d.1.into()),
            Some(take_response.into()),
            Some(read_address.is_some().into()),
            read_address.map(u64::from),
            Some(take_data.into()),
            Some(inputs.beat.is_some().into()),
            inputs.beat,
            Some(inputs.take.into()),
        ];
        for (net, value) in self.inputs.iter().zip(values) {
            if let Some(value) = value {
                self.engine.set_input(*net, &[value]);
            }
        }
    }

    /// One clock cycle of both; everything is compared.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(&mut self, inputs: &StreamInputs) -> Result<StreamOutputs, Box<Divergence>> {
        self.drive(inputs);
        let outputs = self.model.step(inputs);
        let compared = self.compare_outputs(&outputs);
        self.engine.tick(false);
        self.cycle += 1;
        let whole = outputs.core.unit.activity.last || self.cycle.is_multiple_of(WHOLE);
        compared.and_then(|()| self.compare_state(whole)).map_err(|d| self.diverged(*d))?;
        Ok(outputs)
    }

    /// One clock cycle of both with the reset on. Memories keep their words.
    ///
    /// # Errors
    /// The first difference.
    pub fn reset(&mut self, inputs: &StreamInputs) -> Result<(), Box<Divergence>> {
        self.drive(inputs);
        self.model.step(inputs);
        self.model.reset(&self.params);
        self.engine.tick(true);
        self.cycle += 1;
        self.compare_state(true).map_err(|d| self.diverged(*d))
    }

    fn diverged(&self, difference: Difference) -> Box<Divergence> {
        let Difference { path, expected, actual } = difference;
        Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
    }

    fn compare_outputs(&mut self, outputs: &StreamOutputs) -> Result<(), Box<Difference>> {
        let (axil, core) = (&outputs.core.axil, &outputs.core);
        let values = [
            Some(axil.write_address_ready.into()),
            Some(axil.write_data_ready.into()),
            Some(axil.response.into()),
            Some(axil.read_address_ready.into()),
            Some(axil.data.is_some().into()),
            axil.data.map(u64::from),
            Some(core.irq.into()),
            Some(core.busy.into()),
            Some(core.error.into()),
            Some(core.unit.tag_any.into()),
            Some(outputs.beat_ready.into()),
            Some(core.out.is_some().into()),
            core.out.map(|(word, _)| word),
            core.out.map(|(_, last)| last.into()),
        ];
        for ((path, net), expected) in OUTPUTS.iter().zip(self.outputs).zip(values) {
            let Some(expected) = expected else { continue };
            let actual = self.engine.low(net);
            if actual != expected {
                return Err(Box::new(Difference::new(*path, &[expected], [actual])));
            }
        }
        Ok(())
    }

    fn compare_state(&mut self, whole: bool) -> Result<(), Box<Difference>> {
        self.ends.compare(&self.engine, |visit| ends(&self.model.ends, visit))?;
        self.core.compare(&mut self.engine, &self.params, &mut self.model.core, whole)
    }
}

impl<E: Engine> Rows for StreamLockstep<E> {
    fn columns(&self) -> usize {
        self.params.columns
    }

    fn row(&self, row: usize) -> Vec<u64> {
        self.model.core.unit.array.sram.row(row).to_vec()
    }

    fn set_row(&mut self, row: usize, bits: &[u64]) {
        self.model.core.unit.array.sram.write(row, bits, None);
        for memory in self.core.memories.rows() {
            self.engine.set_word(memory, row, bits);
        }
    }
}
