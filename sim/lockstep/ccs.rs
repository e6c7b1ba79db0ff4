//! The cache compute system in lock step with its model: its compute unit alone, the system without its memory, and
//! the tops.

use std::fmt::Debug;

use super::Divergence;
use super::driver::{Driver, Unit, WHOLE, quiet, unit};
use super::places::{Difference, Places, Table};
use super::ports::{Ports, Taps};
use crate::ccs::CcsGeometry;
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::axil_slave::Answer;
use crate::model::ccs::core::{Core, CoreInputs, CoreOutputs, CoreWrite};
use crate::model::ccs::top::{Top, TopInputs, TopMemory, TopOutputs};
use crate::model::ccs::unit::{Unit as ComputeUnit, UnitInputs, UnitOutputs};
use crate::model::seen::Broken;
use crate::model::state::{Path, Visit, Walk};

impl Table for Core {
    fn pass<W: Walk>(&self, to: W) -> W {
        self.state(&Path::TOP, to)
    }
}

impl Table for Top {
    fn pass<W: Walk>(&self, to: W) -> W {
        self.state(&Path::TOP, to)
    }
}

/// The compute unit and its model.
pub type UnitLockstep<E> = Driver<E, ComputeUnit>;

/// Cycles in which everything in the unit's pipeline leaves it, at most.
const DRAIN: usize = 32;

unit! {
    ComputeUnit, UnitInputs => UnitOutputs,
    |unit, inputs| {
        let zeros = vec![0; unit.lanes.count()];
        UnitInputs { mask: vec![false; unit.lanes.count()], a: zeros.clone(), b: zeros, ..UnitInputs::default() }
    },
    (), ();
}

impl<E: Engine> Driver<E, ComputeUnit> {
    /// Brings the hardware out of reset, and zeros into its pipeline.
    ///
    /// # Panics
    /// If it is no compute unit of this geometry.
    pub fn new(engine: E, geometry: &CcsGeometry, seed: u64) -> UnitLockstep<E> {
        let mut unit = Driver::around(engine, ComputeUnit::new(geometry), (), seed);
        let idle = unit.model.idle();
        for _ in 0..DRAIN {
            unit.engine.tick(false);
            unit.model.step(&idle);
        }
        unit
    }
}

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

/// The system and, unless it is left out for speed, its model.
pub struct CcsLockstep<E: Engine> {
    seed: u64,
    cycle: u64,
    lanes: usize,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: Option<Core>,
    inputs: Ports,
    outputs: [NetId; 13],
    write_lanes: Vec<NetId>,
    write_data: Vec<NetId>,
    /// On the second read port, if there is one: valid and line.
    more_read: Option<[NetId; 2]>,
    two: bool,
    places: Places,
}

impl<E: Engine> CcsLockstep<E> {
    /// Brings the hardware out of reset, everything that has none being set to 0.
    ///
    /// # Panics
    /// If it is no cache compute system of this geometry.
    pub fn new(mut engine: E, geometry: &CcsGeometry, seed: u64) -> CcsLockstep<E> {
        let (design, lanes) = (engine.design(), geometry.lanes);
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let all = |name: &str| (0..lanes).map(|k| net(&format!("{name}_{k}"))).collect::<Vec<_>>();
        let two = geometry.read_ports == 2;
        let more_read = two.then(|| ["more_read_0_valid", "more_read_0_line"].map(net));
        let inputs = Ports::find(design, |to| CoreInputs::default().state(lanes, two, &Path::TOP, to));
        let (outputs, write_lanes, write_data) = (OUTPUTS.map(net), all("write_lanes"), all("write_data"));
        let mut model = Core::new(geometry);
        let places = Places::find(design, |to| model.state(&Path::TOP, to));
        power_up(
            &mut engine,
            &places,
            &mut model,
            |model, to| model.state(&Path::TOP, to),
            |model| {
                model.step(&CoreInputs::default());
            },
        );
        let model = Some(model);
        CcsLockstep {
            seed,
            cycle: 0,
            lanes,
            engine,
            model,
            inputs,
            outputs,
            write_lanes,
            write_data,
            more_read,
            two,
            places,
        }
    }

    /// The hardware's interrupt line, in this cycle.
    pub fn irq(&mut self) -> bool {
        self.engine.low(self.outputs[IRQ]) == 1
    }

    /// How many registers, memories and outputs are compared.
    pub fn counts(&self) -> [usize; 3] {
        let [registers, memories] = self.places.counts();
        [registers, memories, self.outputs.len() + self.write_lanes.len() + self.write_data.len()]
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
        let more = self.more_read.map(|nets| nets.map(|net| self.engine.low(net)));
        CoreOutputs {
            more_read: more.and_then(|[valid, line]| (valid == 1).then_some(line as u32)),
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
        self.inputs.drive(&mut self.engine, |to| inputs.state(self.lanes, self.two, &Path::TOP, to));
        let outputs = self.outputs();
        self.engine.tick(reset);
        self.cycle += 1;
        let Some(model) = &mut self.model else { return Ok(outputs) };
        let expected = model.step(inputs);
        if reset {
            model.reset();
        }
        let (engine, places, whole) = (&mut self.engine, &mut self.places, self.cycle.is_multiple_of(WHOLE));
        let same = matched(&expected, &outputs).and_then(|()| places.compare(engine, whole, &*model));
        same.map(|()| outputs).map_err(|difference| difference.at(self.seed, self.cycle))
    }

    /// Registers and memories of the hardware that are not compared with the model. Contents of ROMs cannot change.
    pub fn unseen(&self) -> Vec<&str> {
        self.places.unseen(self.engine.design(), |_| false)
    }
}

/// Gives the hardware, out of reset, the model's values in everything that has no reset. What is read then is read
/// from row 0.
fn power_up<E: Engine, M>(
    engine: &mut E,
    places: &Places,
    model: &mut M,
    state: impl for<'a> Fn(&M, &'a mut dyn Visit) -> &'a mut dyn Visit,
    step: impl Fn(&mut M),
) {
    quiet(engine);
    places.settle(engine, false, |to| state(model, to));
    engine.tick(true);
    for _ in 0..2 {
        places.settle(engine, true, |to| state(model, to));
        engine.tick(false);
        step(model);
    }
    engine.forget_written();
}

/// Compares what is shown; data of a reply that comes with an error do not matter.
fn matched(expected: &CoreOutputs, actual: &CoreOutputs) -> Result<(), Box<Difference>> {
    let counts = |outputs: &CoreOutputs| {
        let reply = outputs.reply.map(|(data, error)| (if error { 0 } else { data }, error));
        CoreOutputs { reply, ..outputs.clone() }
    };
    same("outputs", &counts(expected), &counts(actual))
}

/// Compares by value.
fn same<T: PartialEq + Debug>(what: &str, expected: &T, actual: &T) -> Result<(), Box<Difference>> {
    if expected == actual {
        return Ok(());
    }
    Err(Box::new(Difference::new(format!("{what}: {actual:?}, must be {expected:?}"), &[], [])))
}

/// What a slave shows.
struct Slave<'a>(&'a Answer);

impl Table for Slave<'_> {
    fn pass<W: Walk>(&self, to: W) -> W {
        self.0.state(&Path::TOP.bus("s_axil"), to)
    }
}

/// The model of a top, and where the hardware keeps what it knows. Whoever drives the hardware says what went in and
/// what came out.
pub struct CcsTopLockstep {
    seed: u64,
    cycle: u64,
    /// The model.
    pub model: Top,
    slave: Ports,
    places: Places,
    taps: Taps,
}

impl CcsTopLockstep {
    /// Gives the hardware, out of reset, with all inputs 0, the model's values in everything that has no reset, and
    /// zeros in memories. `inside`: lines of memory that are part of it.
    ///
    /// # Panics
    /// If it is no top of this geometry.
    pub fn new<E: Engine>(engine: &mut E, geometry: &CcsGeometry, inside: Option<usize>, seed: u64) -> CcsTopLockstep {
        let mut model = Top::new(geometry, inside);
        let places = Places::find(engine.design(), |to| model.state(&Path::TOP, to));
        let taps = Taps::find(engine.design(), |from| model.see(from));
        let answer = model.bridge.answer();
        let slave = Ports::find(engine.design(), |to| answer.state(&Path::TOP.bus("s_axil"), to));
        power_up(
            engine,
            &places,
            &mut model,
            |model, to| model.state(&Path::TOP, to),
            |model| {
                model.step(&TopInputs::default());
            },
        );
        // Until now the model has followed nothing.
        model.broken();
        CcsTopLockstep { seed, cycle: 0, model, slave, places, taps }
    }

    /// Registers and memories that are not compared. The adapter is judged by what leaves it.
    pub fn unseen<'a, E: Engine>(&self, engine: &'a E) -> Vec<&'a str> {
        self.places.unseen(engine.design(), |memory| memory.starts_with("adapter."))
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
        self.taps.read(engine, |from| self.model.see(from));
        let expected = self.model.step(inputs);
        let broken = self.model.broken();
        let compare = || {
            broken.map_or(Ok(()), |Broken(rule)| Err(Box::new(Difference::new(rule, &[], []))))?;
            self.slave.compare(engine, &Slave(&expected.slave))?;
            same("irq", &expected.irq, &shown.irq)?;
            match &self.model.memory {
                TopMemory::Lines => same("line port", &expected.lines, &shown.lines),
                TopMemory::Bus(_) | TopMemory::Inside(_) => Ok(()),
            }
        };
        compare().map_err(|difference| difference.at(self.seed, self.cycle))
    }

    /// The hardware has passed the clock edge: compares what it holds.
    ///
    /// # Errors
    /// The first difference.
    pub fn state<E: Engine>(&mut self, engine: &mut E) -> Result<(), Box<Divergence>> {
        self.cycle += 1;
        let whole = self.cycle.is_multiple_of(WHOLE);
        let same = self.places.compare(engine, whole, &self.model);
        same.map_err(|difference| difference.at(self.seed, self.cycle))
    }
}
