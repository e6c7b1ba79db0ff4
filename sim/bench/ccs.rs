//! The compute unit of a cache compute system alone, with new operands in every cycle, and the whole system with its
//! memory inside, in a command over lines in the cache that does not end.

use std::hint::black_box;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::array::Offered;
use super::{Check, Design, Load, check};
use crate::ccs::blocks::{ccs_on_chip, ccs_unit};
use crate::ccs::control::unit_control;
use crate::ccs::registers::{BASE, REG_START};
use crate::ccs::{CcsCommand, CcsGeometry, CcsMemory};
use crate::engine::{Engine, Lookup, engine};
use crate::error::{Error, Result};
use crate::kernel::netlist::{NetId, Netlist};
use crate::lockstep::ccs::UnitLockstep;
use crate::model::ccs::unit::{self, Step, UnitInputs};
use crate::units::ccs::machine::Launch;
use crate::units::ccs::top_machine::CcsTopMachine;

/// Lines of memory inside the system.
const LINES: usize = 64;
/// Sets of operands.
const SETS: usize = 64;
/// What both do.
const COMMAND: &str = "ADDVV";

fn command() -> &'static CcsCommand {
    CcsCommand::named(COMMAND).expect("a command")
}

/// The compute unit.
pub struct Unit(CcsGeometry);

impl Unit {
    /// The unit of a geometry.
    pub fn new(geometry: &CcsGeometry) -> Unit {
        Unit(CcsGeometry { memory: CcsMemory::Line, ..geometry.clone() })
    }

    /// Operands a and b of all lanes, as often as they differ.
    fn operands(&self) -> Vec<[Vec<u32>; 2]> {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut lanes = || (0..self.0.lanes).map(|_| random.random::<u32>() & self.0.ones()).collect();
        (0..SETS).map(|_| [lanes(), lanes()]).collect()
    }

    /// What goes into a model, again and again.
    fn inputs(&self) -> Vec<UnitInputs> {
        let step = Step { low: 0, high: self.0.lanes as u8 - 1, first: true, last: true };
        let all = UnitInputs {
            control: unit_control(command(), false),
            mask: vec![true; self.0.lanes],
            step: Some(step),
            ..UnitInputs::default()
        };
        self.operands().into_iter().map(|[a, b]| UnitInputs { a, b, ..all.clone() }).collect()
    }
}

impl Design for Unit {
    fn netlist(&self) -> Result<Netlist> {
        ccs_unit(&self.0)
    }

    fn load<'a, E: Engine + 'a>(&self, mut engine: E) -> Result<Box<dyn Load + 'a>> {
        let design = engine.design();
        let lanes = |name: &str| -> Vec<NetId> {
            (0..self.0.lanes).filter_map(|k| design.find_net(&format!("{name}_{k}"))).collect()
        };
        let operands = [lanes("a"), lanes("b")].concat();
        let fixed: Vec<(NetId, u64)> = [
            ("control", unit_control(command(), false)),
            ("step", 1),
            ("step_high", self.0.lanes as u64 - 1),
            ("step_first", 1),
            ("step_last", 1),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((design.find_net(name)?, value)))
        .chain(lanes("mask").into_iter().map(|net| (net, 1)))
        .collect();
        engine.design().inputs.clone().into_iter().for_each(|net| engine.set_input(net, &[0]));
        engine.tick(true);
        fixed.into_iter().for_each(|(net, value)| engine.set_input(net, &[value]));
        let values = self.operands().into_iter().map(|sets| sets.concat().into_iter().map(u64::from).collect());
        Ok(Box::new(Fed { engine, operands, values: values.collect(), cycle: 0 }))
    }

    fn check(&self) -> Result<Check> {
        let mut checked = UnitLockstep::new(engine(&self.netlist()?), &self.0, 1);
        let (inputs, mut sets) = (self.inputs(), (0..SETS).cycle());
        Ok(check(move || checked.cycle(&inputs[sets.next().expect("a cycle has no end")]).map(drop)))
    }

    fn model(&self) -> Result<Option<Check>> {
        let (mut unit, inputs, mut sets) = (unit::Unit::new(&self.0), self.inputs(), (0..SETS).cycle());
        Ok(Some(check(move || {
            black_box(unit.step(&inputs[sets.next().expect("a cycle has no end")]));
            Ok::<(), Error>(())
        })))
    }
}

/// The unit with what goes into it.
struct Fed<E> {
    engine: E,
    operands: Vec<NetId>,
    values: Vec<Vec<u64>>,
    cycle: usize,
}

impl<E: Engine> Load for Fed<E> {
    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.engine.set_inputs(&self.operands, &self.values[self.cycle % SETS]);
            self.engine.tick(false);
            self.cycle += 1;
        }
    }

    fn engine(&mut self) -> &mut dyn Engine {
        &mut self.engine
    }
}

/// The system with its memory.
pub struct System(CcsGeometry);

impl System {
    /// The system of a geometry.
    pub fn new(geometry: &CcsGeometry) -> System {
        System(CcsGeometry { memory: CcsMemory::Line, ..geometry.clone() })
    }

    /// Operands into the cache, and the start.
    fn start<E: Engine>(&self, machine: &mut CcsTopMachine<E>) -> Result<()> {
        let part = self.0.line_bytes() as u32;
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for address in (0..2 * part).step_by(4) {
            machine.write(address, random.random(), 15)?;
            machine.read(address)?;
        }
        let bases = [0, part, 2 * part];
        let launch = Launch { count: u32::MAX, ..Launch::new(command().code, bases, self.0.lanes as u32) };
        for (offset, value) in launch.writes() {
            machine.write((BASE + offset) as u32, value, 15)?;
        }
        machine.write((BASE + REG_START) as u32, 0, 15)?;
        Ok(())
    }
}

impl Design for System {
    fn netlist(&self) -> Result<Netlist> {
        ccs_on_chip(&self.0, LINES)
    }

    fn load<'a, E: Engine + 'a>(&self, engine: E) -> Result<Box<dyn Load + 'a>> {
        let mut machine = CcsTopMachine::around(engine, &self.0, 0, 1);
        self.start(&mut machine)?;
        Ok(Box::new(Offered(machine.engine)))
    }

    fn check(&self) -> Result<Check> {
        let mut machine = CcsTopMachine::around(engine(&self.netlist()?), &self.0, 0, 1).checked(Some(LINES), 1);
        self.start(&mut machine)?;
        Ok(check(move || machine.cycle()))
    }
}
