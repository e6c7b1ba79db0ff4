//! A cache compute system without its memory, and its model side by side.

use super::Divergence;
use super::compare::Difference;
use crate::ccs::CcsGeometry;
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::ccs::core::{Core, CoreInputs, CoreOutputs, CoreWrite};

mod places;
mod registers;

pub use places::{CorePlaces, unseen};

const INPUTS: [&str; 10] = [
    "cpu_valid",
    "cpu_write",
    "cpu_address",
    "cpu_data",
    "cpu_strobes",
    "read_ready",
    "reply_valid",
    "reply_error",
    "ack_valid",
    "ack_error",
];
const OUTPUTS: [&str; 13] = [
    "cpu_ready",
    "cpu_reply",
    "cpu_reply_data",
    "cpu_reply_error",
    "irq",
    "read_valid",
    "read_line",
    "reply_ready",
    "write_valid",
    "write_line",
    "write_bytes",
    "write_word",
    "write_value",
];
/// The interrupt line among the outputs.
const IRQ: usize = 4;

/// Hardware and, unless it is left out for speed, model.
pub struct CcsLockstep<E: Engine> {
    seed: u64,
    cycle: u64,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: Option<Core>,
    inputs: [NetId; 10],
    reply_data: Vec<NetId>,
    outputs: [NetId; 13],
    write_lanes: Vec<NetId>,
    write_data: Vec<NetId>,
    places: CorePlaces,
}

impl<E: Engine> CcsLockstep<E> {
    /// Brings the hardware out of reset, everything that has none being set to 0.
    ///
    /// # Panics
    /// If it is no cache compute system of this geometry.
    pub fn new(mut engine: E, geometry: &CcsGeometry, seed: u64) -> CcsLockstep<E> {
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let lanes = |name: &str| (0..geometry.lanes).map(|k| net(&format!("{name}_{k}"))).collect::<Vec<_>>();
        let (inputs, outputs, reply_data) = (INPUTS.map(net), OUTPUTS.map(net), lanes("reply_data"));
        let (write_lanes, write_data) = (lanes("write_lanes"), lanes("write_data"));
        let mut model = Core::new(geometry);
        let places = CorePlaces::find(design, &model, "");
        for &input in inputs.iter().chain(&reply_data) {
            engine.set_input(input, &[0]);
        }
        places.clear(&mut engine);
        engine.tick(true);
        // Row 0 is read from now on.
        for _ in 0..2 {
            places.settle(&mut engine, &model);
            engine.tick(false);
            model.step(&CoreInputs::default());
        }
        engine.forget_written();
        CcsLockstep {
            seed,
            cycle: 0,
            engine,
            model: Some(model),
            inputs,
            reply_data,
            outputs,
            write_lanes,
            write_data,
            places,
        }
    }

    fn drive(&mut self, inputs: &CoreInputs) {
        let access = inputs.access.unwrap_or_default();
        let values = [
            inputs.access.is_some().into(),
            access.write.into(),
            access.address.into(),
            access.data.0.into(),
            access.data.1.into(),
            inputs.read_ready.into(),
            inputs.reply.is_some().into(),
            inputs.reply.as_ref().is_some_and(|reply| reply.1).into(),
            inputs.ack.is_some().into(),
            u64::from(inputs.ack == Some(true)),
        ];
        for (net, value) in self.inputs.into_iter().zip(values) {
            self.engine.set_input(net, &[value]);
        }
        if let Some((data, _)) = &inputs.reply {
            for (&net, &value) in self.reply_data.iter().zip(data) {
                self.engine.set_input(net, &[value.into()]);
            }
        }
    }

    /// The hardware's interrupt line, in this cycle.
    pub fn irq(&mut self) -> bool {
        self.engine.low(self.outputs[IRQ]) == 1
    }

    /// What the hardware shows.
    fn outputs(&mut self) -> CoreOutputs {
        let [ready, reply, data, error, irq, read, line, reply_ready, write, write_line, bytes, word, value] =
            self.outputs.map(|net| self.engine.low(net));
        let write = (write == 1).then(|| CoreWrite {
            line: write_line as u32,
            lanes: self.write_lanes.iter().map(|&net| self.engine.low(net) == 1).collect(),
            bytes: bytes as u8,
            word: (word == 1).then_some(value as u32),
            data: if word == 1 {
                vec![]
            } else {
                self.write_data.iter().map(|&net| self.engine.low(net) as u32).collect()
            },
        });
        CoreOutputs {
            ready: ready == 1,
            reply: (reply == 1).then_some((data as u32, error == 1)),
            irq: irq == 1,
            read: (read == 1).then_some(line as u32),
            reply_ready: reply_ready == 1,
            write,
        }
    }

    /// One clock cycle of both, with the reset on if `reset`; everything is compared.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(&mut self, inputs: &CoreInputs, reset: bool) -> Result<CoreOutputs, Box<Divergence>> {
        self.drive(inputs);
        let outputs = self.outputs();
        self.engine.tick(reset);
        self.cycle += 1;
        let Some(mut model) = self.model.take() else { return Ok(outputs) };
        let expected = model.step(inputs);
        if reset {
            model.reset();
        }
        let same = if matched(&expected, &outputs) {
            self.places.compare(&self.engine, &model)
        } else {
            Err(Box::new(Difference::new(format!("outputs {outputs:?}, expected {expected:?}"), &[], [])))
        };
        self.model = Some(model);
        self.engine.forget_written();
        same.map(|()| outputs).map_err(|difference| {
            let Difference { path, expected, actual } = *difference;
            Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
        })
    }

    /// Registers and memories of the hardware that are not compared with the model. Contents of ROMs cannot change.
    pub fn unseen(&self) -> Vec<&str> {
        let seen = self.places.seen();
        unseen(self.engine.design(), &seen.0, &seen.1)
    }
}

/// Data of a reply that comes with an error do not matter.
fn matched(expected: &CoreOutputs, actual: &CoreOutputs) -> bool {
    let reply = |outputs: &CoreOutputs| outputs.reply.map(|(data, error)| (if error { 0 } else { data }, error));
    let rest = |outputs: &CoreOutputs| (outputs.ready, outputs.irq, outputs.read, outputs.reply_ready);
    reply(expected) == reply(actual) && rest(expected) == rest(actual) && expected.write == actual.write
}
