//! The tops of the cache compute system beside their model. Whoever drives the hardware says what went in and what came out.

use super::Divergence;
use super::axi_adapter::{self, Value};
use super::ccs::{CorePlaces, unseen};
use super::ccs_bridge::{self, SlavePins, same};
use super::compare::Difference;
use crate::ccs::CcsGeometry;
use crate::engine::{Engine, Lookup};
use crate::model::ccs::line_memory::LineMemory;
use crate::model::ccs::top::{Top, TopInputs, TopMemory, TopOutputs};

/// The model, and where the hardware keeps what it knows.
pub struct CcsTopLockstep {
    seed: u64,
    cycle: u64,
    /// The model.
    pub model: Top,
    slave: SlavePins,
    core: CorePlaces,
    /// Registers of slave, adapter and line memory.
    registers: Vec<usize>,
    /// The line memory's RAMs, one for each byte of a line.
    rams: Vec<usize>,
    /// Line of it that the last cycle has written.
    touched: Option<u32>,
}

/// Registers outside of the system, and their values.
fn registers(model: &Top) -> Vec<(String, Value)> {
    let within = |prefix: &str, all: Vec<(String, Value)>| -> Vec<(String, Value)> {
        all.into_iter().map(|(path, value)| (format!("{prefix}.{path}"), value)).collect()
    };
    let mut all = within("bridge", ccs_bridge::registers(&model.bridge));
    match &model.memory {
        TopMemory::Lines => {}
        TopMemory::Bus(adapter) => all.extend(within("adapter", axi_adapter::registers(adapter))),
        TopMemory::Inside(memory) => all.extend(within("memory", line_memory(memory))),
    }
    all
}

fn line_memory(memory: &LineMemory) -> Vec<(String, Value)> {
    let flag = |value: bool| vec![u64::from(value)];
    vec![
        ("there".into(), Some(flag(memory.reply.is_some()))),
        ("beyond".into(), memory.reply.as_ref().map(|reply| flag(reply.error))),
        ("written".into(), Some(flag(memory.ack.is_some()))),
        ("missed".into(), memory.ack.map(flag)),
    ]
}

impl CcsTopLockstep {
    /// Gives the hardware, out of reset, with all inputs 0, the model's values in everything that has no reset, and zeros in memories. `inside`: lines
    /// of memory that are part of it.
    ///
    /// # Panics
    /// If it is no top of this geometry.
    pub fn new<E: Engine>(engine: &mut E, geometry: &CcsGeometry, inside: Option<usize>, seed: u64) -> CcsTopLockstep {
        let mut model = Top::new(geometry, inside);
        let design = engine.design();
        let core = CorePlaces::find(design, &model.core, "system.");
        let find = |(path, _): (String, Value)| {
            design.find_register(&path).unwrap_or_else(|| panic!("the design has no register {path}"))
        };
        let registers: Vec<usize> = registers(&model).into_iter().map(find).collect();
        let ram = |byte| {
            let path = format!("memory.rams_{byte}");
            design.find_memory(&path).unwrap_or_else(|| panic!("the design has no memory {path}"))
        };
        let rams: Vec<usize> = (0..inside.map_or(0, |_| geometry.line_bytes())).map(ram).collect();
        core.clear(engine);
        for &ram in &rams {
            (0..inside.unwrap_or(0)).for_each(|line| engine.set_word(ram, line, &[0]));
        }
        engine.tick(true);
        for _ in 0..2 {
            core.settle(engine, &model.core);
            engine.tick(false);
            model.step(&TopInputs::default());
        }
        engine.forget_written();
        let slave = SlavePins::find(engine);
        CcsTopLockstep { seed, cycle: 0, model, slave, core, registers, rams, touched: None }
    }

    /// Registers and memories that are not compared. The adapter's buffers are known by what leaves them.
    pub fn unseen<'a, E: Engine>(&self, engine: &'a E) -> Vec<&'a str> {
        let (mut numbers, mut memories) = self.core.seen();
        numbers.extend(&self.registers);
        memories.extend(&self.rams);
        let buffers = engine.design().memories.iter().enumerate().filter(|(_, m)| m.path.starts_with("adapter."));
        memories.extend(buffers.map(|(number, _)| number));
        unseen(engine.design(), &numbers, &memories)
    }

    /// A cycle of the model; `shown` is what the hardware shows with these inputs, all but the slave's side.
    ///
    /// # Errors
    /// The first difference.
    pub fn outputs<E: Engine>(
        &mut self,
        engine: &mut E,
        inputs: &TopInputs,
        shown: &TopOutputs,
    ) -> Result<(), Box<Divergence>> {
        let expected = self.model.step(inputs);
        self.touched = None;
        if let TopMemory::Inside(memory) = &self.model.memory {
            let line = expected.lines.write.as_ref().map(|write| write.line);
            self.touched = line.filter(|&line| (line as usize) < memory.lines.len());
        }
        let mut compare = || {
            same("s_axil", &expected.slave, &self.slave.answer(engine)?)?;
            same("irq", &expected.irq, &shown.irq)?;
            match &self.model.memory {
                TopMemory::Lines => same("line port", &expected.lines, &shown.lines),
                TopMemory::Bus(_) => same("m_axi", &expected.bus, &shown.bus),
                TopMemory::Inside(_) => Ok(()),
            }
        };
        compare().map_err(|difference| self.diverged(*difference))
    }

    /// The hardware has passed the clock edge: compares what it holds.
    ///
    /// # Errors
    /// The first difference.
    pub fn state<E: Engine>(&mut self, engine: &mut E) -> Result<(), Box<Divergence>> {
        self.cycle += 1;
        let same = self.compare(engine);
        engine.forget_written();
        same.map_err(|difference| self.diverged(*difference))
    }

    fn compare<E: Engine>(&self, engine: &E) -> Result<(), Box<Difference>> {
        self.core.compare(engine, &self.model.core)?;
        for ((path, expected), &register) in registers(&self.model).into_iter().zip(&self.registers) {
            let Some(expected) = expected else { continue };
            let actual = engine.register(register);
            if actual != expected {
                return Err(Box::new(Difference::new(path, &expected, actual)));
            }
        }
        let (TopMemory::Inside(memory), Some(line)) = (&self.model.memory, self.touched) else { return Ok(()) };
        let bytes = self.model.core.geometry.element_bytes();
        for (byte, &ram) in self.rams.iter().enumerate() {
            let element = memory.lines[line as usize][byte / bytes];
            let expected = u64::from(element.to_le_bytes()[byte % bytes]);
            let actual = engine.memory(ram)[line as usize];
            if actual != expected {
                let path = format!("memory.rams_{byte}[{line}]");
                return Err(Box::new(Difference::new(path, &[expected], [actual])));
            }
        }
        Ok(())
    }

    fn diverged(&self, difference: Difference) -> Box<Divergence> {
        let Difference { path, expected, actual } = difference;
        Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
    }
}
