//! The compute unit of an array: one multiplication after the other, so that the queue is never empty.

use std::hint::black_box;
use std::path::Path;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Check, Design, Load, check};
use crate::array::blocks::{Top, design};
use crate::engine::{Engine, Lookup, engine};
use crate::error::{Error, Result};
use crate::isa::operation::{Context, Operation};
use crate::isa::{Command, Opcode, Set};
use crate::kernel::netlist::Netlist;
use crate::lockstep::Lockstep;
use crate::machine::{self, WaveView};
use crate::model::compute_unit::{ComputeUnit, Inputs};
use crate::params::Params;
use crate::units::array::batch::BatchArray;
use crate::vectors::{Case, write_elements};
use crate::wave::{Wave, WaveWriter, Window};

/// An array and its multiplication.
pub struct Array {
    params: Params,
    command: Command,
}

impl Array {
    /// The array of these parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] if they break a rule, or have rows for no multiplication.
    pub fn new(params: &Params) -> Result<Array> {
        Ok(Array { command: load(params)?, params: params.clone() })
    }
}

impl Design for Array {
    fn netlist(&self) -> Result<Netlist> {
        design(&self.params, Top::ComputeUnit)
    }

    fn load<'a, E: Engine + 'a>(&self, mut engine: E) -> Result<Box<dyn Load + 'a>> {
        offer(&mut engine, &self.command);
        Ok(Box::new(Offered(engine)))
    }

    fn check(&self) -> Result<Check> {
        let mut checked = Lockstep::new(engine(&self.netlist()?), &self.params, 1);
        let inputs = Inputs { command: Some(self.command), ..Inputs::default() };
        Ok(check(move || checked.cycle(&inputs).map(drop)))
    }

    fn model(&self) -> Result<Option<Check>> {
        let mut unit = ComputeUnit::new(&self.params);
        unit.fill(1);
        let inputs = Inputs { command: Some(self.command), ..Inputs::default() };
        Ok(Some(check(move || {
            black_box(unit.step(&inputs));
            Ok::<(), Error>(())
        })))
    }

    fn batch(&self, sets: usize) -> Result<Option<Check>> {
        let mut array = BatchArray::new(&self.params, sets)?;
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for set in 0..sets {
            let mut rows = array.set(set)?;
            for first in [self.command.a, self.command.b] {
                let elements: Vec<u128> = (0..self.params.columns).map(|_| random.random()).collect();
                write_elements(&mut rows, first.into(), self.command.width.into(), &elements);
            }
        }
        array.offer(&self.command, true);
        Ok(Some(Box::new(move |cycles| {
            array.batch().run(cycles).map_err(|d| Error::Tool { tool: "batch".into(), reason: d.to_string() })
        })))
    }

    fn traced(&self, wave: Option<&Path>) -> Result<Option<Check>> {
        let mut machine = machine::Engine::Native.machine(&self.params, 1)?;
        if let Some(path) = wave {
            let view = WaveView { all_rows: true, ..WaveView::default() };
            let writer = WaveWriter::create(path, &machine.wave_signals(&view))?;
            machine.record(Wave::new(writer, Window::default())?, &view);
        }
        let command = self.command;
        Ok(Some(Box::new(move |cycles| {
            let end = machine.cycle() + cycles;
            while machine.cycle() < end {
                machine.execute(command)?;
            }
            Ok(())
        })))
    }
}

/// Inputs that stay as they are.
pub(super) struct Offered<E>(pub(super) E);

impl<E: Engine> Load for Offered<E> {
    fn run(&mut self, cycles: u64) {
        self.0.run(cycles);
    }

    fn engine(&mut self) -> &mut dyn Engine {
        &mut self.0
    }
}

/// A 32-bit multiplication, or the widest that the design has rows for.
///
/// # Errors
/// [`Error::Parameter`] if it has rows for none.
pub fn load(params: &Params) -> Result<Command> {
    let set = if params.sets.contains(&Set::Fast) { Set::Fast } else { params.sets[0] };
    let operation = Operation::of(Opcode::MulU, Context::of(params, set));
    for width in [32, 16, 8, 4, 2] {
        let mut command = Command { set, ..Command::new(Opcode::MulU, width) };
        Case::place(&operation, &mut command, 0);
        if command.check(params).is_ok() {
            return Ok(command);
        }
    }
    Err(Error::parameter("rows", params.rows, "too few for a multiplication of 2 bits"))
}

/// Resets, fills the operands' rows from the seed, then offers the command for good.
///
/// # Panics
/// If the design is no compute unit.
pub fn offer(simulator: &mut dyn Engine, command: &Command) {
    let inputs = simulator.design().inputs.clone();
    inputs.iter().for_each(|&input| simulator.set_input(input, &[0]));
    simulator.tick(true);
    let net = |simulator: &dyn Engine, path: &str| simulator.design().find_net(path).expect("the unit has row ports");
    let [valid, ready] = ["s_axis_tvalid", "s_axis_tready"].map(|path| net(simulator, path));
    let [data, offered, command_ready] = ["s_axis_tdata", "cmd_valid", "cmd_ready"].map(|path| net(simulator, path));
    let [busy, finished] = ["busy", "finished"].map(|path| net(simulator, path));
    let mask = u64::MAX >> (64 - simulator.design().net(data).width);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for first in [command.a, command.b] {
        drive(simulator, &Command { set: command.set, d: first, ..Command::new(Opcode::Load, command.width) }, "");
        simulator.set_input(valid, &[1]);
        let mut beat = random.random::<u64>() & mask;
        loop {
            simulator.set_input(data, &[beat]);
            let (taken, queued) = (simulator.value(ready)[0] == 1, simulator.value(command_ready)[0] == 1);
            let last = simulator.value(finished)[0] == 1;
            simulator.tick(false);
            if taken {
                beat = random.random::<u64>() & mask;
            }
            if queued {
                simulator.set_input(offered, &[0]);
            }
            if last {
                break;
            }
        }
        simulator.set_input(valid, &[0]);
        while simulator.value(busy)[0] == 1 {
            simulator.tick(false);
        }
    }
    drive(simulator, command, "");
}

/// Offers a command at the ports with this ending.
pub(super) fn drive(simulator: &mut dyn Engine, command: &Command, ending: &str) {
    for (path, value) in std::iter::once(("cmd_valid", 1)).chain(command.signals()) {
        let input = simulator.design().find_net(&format!("{path}{ending}")).expect("the unit has a command port");
        simulator.set_input(input, &[value]);
    }
}
