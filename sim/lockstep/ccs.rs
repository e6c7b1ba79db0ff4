//! A cache compute system without its memory, and its model side by side.

use super::Divergence;
use super::compare::Difference;
use crate::ccs::CcsGeometry;
use crate::kernel::netlist::NetId;
use crate::sim::engine::{Engine, Lookup};
use crate::sim::model::ccs::core::{Core, CoreInputs, CoreOutputs, CoreWrite};
use crate::sim::model::ccs::scoreboard::RESULTS;

mod registers;

use registers::registers;

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
/// Copies of the tags.
const LOOKUPS: usize = 4;
/// Places of the ring of waiting steps.
const WAITING: usize = 8;

/// Memories of the hardware.
#[derive(Clone, Debug)]
struct Memories {
    store: [Vec<usize>; 2],
    tags: [usize; LOOKUPS],
    waiting: [usize; 2],
    results: [usize; 2],
}

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
    registers: Vec<usize>,
    memories: Memories,
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
        let memory =
            |path: String| design.find_memory(&path).unwrap_or_else(|| panic!("the design has no memory {path}"));
        let memories = Memories {
            store: ["first", "second"]
                .map(|name| (0..geometry.lanes).map(|k| memory(format!("store.{name}_{k}"))).collect()),
            tags: std::array::from_fn(|i| memory(format!("tags.copies_{i}"))),
            waiting: ["rows", "rest"].map(|name| memory(format!("fetch.{name}"))),
            results: ["lines", "places"].map(|name| memory(format!("scoreboard.{name}"))),
        };
        let (inputs, outputs, reply_data) = (INPUTS.map(net), OUTPUTS.map(net), lanes("reply_data"));
        let (write_lanes, write_data) = (lanes("write_lanes"), lanes("write_data"));
        let mut model = Core::new(geometry);
        let numbers = design.registers.iter().enumerate().map(|(i, r)| (design.net(r.net).path.as_str(), i));
        let numbers: std::collections::HashMap<&str, usize> = numbers.collect();
        let (mut found, mut missing) = (vec![], vec![]);
        registers(&model, &mut |path, _| {
            let path = path.to_string();
            found.extend(numbers.get(&path[..]));
            if !numbers.contains_key(&path[..]) {
                missing.push(path);
            }
        });
        assert!(missing.is_empty(), "the design has no registers {missing:?}");
        for &input in inputs.iter().chain(&reply_data) {
            engine.set_input(input, &[0]);
        }
        for &lane in memories.store.iter().flatten() {
            (0..engine.design().memories[lane].depth).for_each(|row| engine.set_word(lane, row, &[0]));
        }
        engine.tick(true);
        // Row 0 is read from now on.
        for _ in 0..2 {
            let mut numbers = found.iter();
            registers(&model, &mut |_, value| {
                let number = *numbers.next().expect("as many as at the start");
                engine.set_register(number, &[value.unwrap_or(0)]);
            });
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
            registers: found,
            memories,
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
            self.compare_registers(&model).and_then(|()| self.compare_memories(&model))
        } else {
            Err(Box::new(Difference::new(format!("outputs {outputs:?}, expected {expected:?}"), &[], &[])))
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
        let design = self.engine.design();
        let registers = (0..design.registers.len()).filter(|register| !self.registers.contains(register));
        let registers = registers.map(|register| design.net(design.registers[register].net).path.as_str());
        let Memories { store, tags, waiting, results } = &self.memories;
        let seen: Vec<usize> = store.iter().flatten().chain(tags).chain(waiting).chain(results).copied().collect();
        let memories = design.memories.iter().enumerate();
        let unseen = memories.filter(|(number, memory)| memory.contents.is_none() && !seen.contains(number));
        registers.chain(unseen.map(|(_, memory)| memory.path.as_str())).collect()
    }

    fn compare_registers(&self, model: &Core) -> Result<(), Box<Difference>> {
        let mut numbers = self.registers.iter();
        let mut wrong = None;
        registers(model, &mut |path, expected| {
            let number = *numbers.next().expect("as many as at the start");
            let (Some(expected), None) = (expected, &wrong) else { return };
            let actual = self.engine.register(number);
            if actual != [expected] {
                wrong = Some(Box::new(Difference::new(path.to_string(), &[expected], actual)));
            }
        });
        wrong.map_or(Ok(()), Err)
    }

    fn word(&self, memory: usize, at: usize, expected: u64) -> Result<(), Box<Difference>> {
        let actual = self.engine.memory(memory)[at];
        if actual == expected {
            return Ok(());
        }
        let path = format!("{}[{at}]", self.engine.design().memories[memory].path);
        Err(Box::new(Difference::new(path, &[expected], &[actual])))
    }

    /// Rows of the store that were written, and what rings and tags hold.
    fn compare_memories(&self, model: &Core) -> Result<(), Box<Difference>> {
        for (k, lane) in model.store.lanes.iter().enumerate() {
            for memory in self.memories.store.iter().map(|copy| copy[k]) {
                let changed = self.engine.written(memory).is_none_or(|words| words.iter().any(|&word| word != 0));
                if changed || model.written.is_some() {
                    lane.iter().enumerate().try_for_each(|(row, &value)| self.word(memory, row, value.into()))?;
                }
            }
        }
        let lines = model.tags.rows.len() as u32;
        for (row, line) in model.tags.rows.iter().enumerate() {
            let Some(line) = line else { continue };
            self.memories.tags.iter().try_for_each(|&copy| self.word(copy, row, (line / lines).into()))?;
        }
        for (i, waiting) in model.fetch.queue.iter().enumerate() {
            let at = (model.fetch.front + i) % WAITING;
            let (rows, step) = (waiting.rows.map(u64::from), waiting.step);
            let flags = [step.first, step.last, waiting.lines > 0, waiting.lines == 2];
            let lanes = u64::from(step.low) | u64::from(step.high) << 7;
            let rest = flags.iter().enumerate().fold(lanes, |rest, (i, &flag)| rest | u64::from(flag) << (14 + i));
            self.word(self.memories.waiting[0], at, rows[0] | rows[1] << 7)?;
            self.word(self.memories.waiting[1], at, rest)?;
        }
        for (i, result) in model.scoreboard.queue.iter().enumerate() {
            let at = (model.scoreboard.front + i) % RESULTS;
            self.word(self.memories.results[0], at, result.line.into())?;
            self.word(self.memories.results[1], at, u64::from(result.place) | u64::from(result.hit) << 7)?;
        }
        Ok(())
    }
}

/// Data of a reply that comes with an error do not matter.
fn matched(expected: &CoreOutputs, actual: &CoreOutputs) -> bool {
    let reply = |outputs: &CoreOutputs| outputs.reply.map(|(data, error)| (if error { 0 } else { data }, error));
    let rest = |outputs: &CoreOutputs| (outputs.ready, outputs.irq, outputs.read, outputs.reply_ready);
    reply(expected) == reply(actual) && rest(expected) == rest(actual) && expected.write == actual.write
}
