//! The pins of a line port; and the line memory beside its model.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Divergence;
use super::compare::Difference;
use crate::ccs::CcsGeometry;
use crate::engine::{Engine, Lookup};
use crate::kernel::flat::Flat;
use crate::kernel::netlist::NetId;
use crate::model::ccs::line_memory::LineMemory;
use crate::model::ccs::line_port::{LineAnswers, LineRequests};

/// Nets of a line port on the side of the memory.
#[derive(Clone, Debug)]
pub struct LinePins {
    inputs: [NetId; 8],
    write_lanes: Vec<NetId>,
    write_data: Vec<NetId>,
    outputs: [(&'static str, NetId); 5],
    reply_data: Vec<NetId>,
}

impl LinePins {
    /// Finds them.
    ///
    /// # Panics
    /// If one is not there.
    pub fn find(design: &Flat, lanes: usize) -> LinePins {
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let all = |name: &str| (0..lanes).map(|lane| net(&format!("{name}_{lane}"))).collect();
        let inputs = [
            "read_valid",
            "read_line",
            "reply_ready",
            "write_valid",
            "write_line",
            "write_bytes",
            "write_word",
            "write_value",
        ];
        let outputs = ["read_ready", "reply_valid", "reply_error", "ack_valid", "ack_error"];
        LinePins {
            inputs: inputs.map(net),
            write_lanes: all("write_lanes"),
            write_data: all("write_data"),
            outputs: outputs.map(|name| (name, net(name))),
            reply_data: all("reply_data"),
        }
    }

    /// Puts what the master shows on the pins.
    pub fn drive<E: Engine>(&self, engine: &mut E, requests: &LineRequests) {
        let write = requests.write.as_ref();
        let values = [
            Some(requests.read.is_some().into()),
            requests.read.map(u64::from),
            Some(requests.take.into()),
            Some(write.is_some().into()),
            write.map(|w| w.line.into()),
            write.map(|w| w.bytes.into()),
            write.map(|w| w.word.is_some().into()),
            write.and_then(|w| w.word).map(u64::from),
        ];
        for (net, value) in self.inputs.into_iter().zip(values) {
            if let Some(value) = value {
                engine.set_input(net, &[value]);
            }
        }
        let Some(write) = write else { return };
        for lane in 0..self.write_data.len() {
            engine.set_input(self.write_lanes[lane], &[write.lanes[lane].into()]);
            engine.set_input(self.write_data[lane], &[write.data[lane].into()]);
        }
    }

    /// Every input 0.
    pub fn quiet<E: Engine>(&self, engine: &mut E) {
        for &net in self.inputs.iter().chain(&self.write_lanes).chain(&self.write_data) {
            engine.set_input(net, &[0]);
        }
    }

    /// Compares what memory shows with what it must show. Whether it is ready matters when a read is asked for.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare<E: Engine>(
        &self,
        engine: &mut E,
        requests: &LineRequests,
        answers: &LineAnswers,
    ) -> Result<(), Box<Difference>> {
        let values = [
            requests.read.map(|_| answers.ready),
            Some(answers.reply.is_some()),
            answers.reply.as_ref().map(|reply| reply.error),
            Some(answers.ack.is_some()),
            answers.ack,
        ];
        for ((path, net), expected) in self.outputs.into_iter().zip(values) {
            let Some(expected) = expected.map(u64::from) else { continue };
            let actual = engine.low(net);
            if actual != expected {
                return Err(Box::new(Difference::new(path, &[expected], [actual])));
            }
        }
        let data = answers.reply.as_ref().map_or(&[][..], |reply| &reply.data);
        for (lane, (&net, &expected)) in self.reply_data.iter().zip(data).enumerate() {
            let actual = engine.low(net);
            if actual != u64::from(expected) {
                return Err(Box::new(Difference::new(format!("reply_data_{lane}"), &[expected.into()], [actual])));
            }
        }
        Ok(())
    }
}

/// A line memory and its model. Its registers are what its outputs show, so these are compared; its lines at the end.
pub struct LineMemoryLockstep<E: Engine> {
    seed: u64,
    cycle: u64,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: LineMemory,
    pins: LinePins,
    /// A memory for each byte of a line.
    rams: Vec<usize>,
    bytes: usize,
}

impl<E: Engine> LineMemoryLockstep<E> {
    /// Brings the hardware out of reset, both memories filled from the seed.
    ///
    /// # Panics
    /// If it is no line memory of this geometry.
    pub fn new(mut engine: E, geometry: &CcsGeometry, lines: usize, seed: u64) -> LineMemoryLockstep<E> {
        let design = engine.design();
        let pins = LinePins::find(design, geometry.lanes);
        let ram = |byte| {
            let path = format!("rams_{byte}");
            design.find_memory(&path).unwrap_or_else(|| panic!("the design has no memory {path}"))
        };
        let rams: Vec<usize> = (0..geometry.line_bytes()).map(ram).collect();
        let mut model = LineMemory::new(geometry, lines);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let bytes = geometry.element_bytes();
        for (number, line) in model.lines.iter_mut().enumerate() {
            line.fill_with(|| rng.random::<u32>() & geometry.ones());
            for (byte, &ram) in rams.iter().enumerate() {
                let value = line[byte / bytes].to_le_bytes()[byte % bytes];
                engine.set_word(ram, number, &[value.into()]);
            }
        }
        pins.quiet(&mut engine);
        engine.tick(true);
        LineMemoryLockstep { seed, cycle: 0, engine, model, pins, rams, bytes }
    }

    /// One clock cycle of both; outputs are compared.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(&mut self, requests: &LineRequests) -> Result<LineAnswers, Box<Divergence>> {
        self.pins.drive(&mut self.engine, requests);
        let answers = self.model.step(requests);
        let compared = self.pins.compare(&mut self.engine, requests, &answers);
        compared.map_err(|d| self.diverged(*d))?;
        self.engine.tick(false);
        self.cycle += 1;
        Ok(answers)
    }

    /// One clock cycle of both with the reset on.
    pub fn reset(&mut self) {
        self.pins.drive(&mut self.engine, &LineRequests::default());
        self.model.reset();
        self.engine.tick(true);
        self.cycle += 1;
    }

    /// Compares all lines.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare_memory(&self) -> Result<(), Box<Divergence>> {
        for (byte, &ram) in self.rams.iter().enumerate() {
            for (number, &actual) in self.engine.memory(ram).iter().enumerate() {
                let element = self.model.lines[number][byte / self.bytes];
                let expected = u64::from(element.to_le_bytes()[byte % self.bytes]);
                if actual != expected {
                    let path = format!("rams_{byte}[{number}]");
                    return Err(self.diverged(Difference::new(path, &[expected], [actual])));
                }
            }
        }
        Ok(())
    }

    fn diverged(&self, difference: Difference) -> Box<Divergence> {
        let Difference { path, expected, actual } = difference;
        Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
    }
}
