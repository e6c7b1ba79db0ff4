//! Ways that change what they are while launches run, on the whole unit: when, by a seed; and the model of the modes
//! beside the hardware's, compared in every cycle.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use bitline_units::duality::registers::{REG_WAY_MODES, REG_WAY_STATES};

use super::UnitMachine;
use crate::engine::{Engine, Lookup};
use crate::error::{Error, Result};
use crate::kernel::netlist::NetId;
use crate::model::duality::modes::{Modes, ModesInputs, ModesOutputs, WayMode};

/// Ports of the modes, in the order in which they are read.
const INPUTS: [&str; 8] = ["write_ways", "write_modes", "data", "flush", "asked", "works", "drain_ready", "drained"];
const OUTPUTS: [&str; 13] = [
    "ways",
    "wanted",
    "states",
    "changed",
    "ready",
    "cut",
    "enabled",
    "serves",
    "drain_valid",
    "drain_ways",
    "flushing",
    "flushed",
    "used",
];
/// Bits of `way_states` that are 1 in a way that is on its way to what it is wanted to be.
const MOVES: u32 = 0x55;

/// The model beside the hardware.
pub(super) struct Beside {
    pub(super) model: Modes,
    inputs: [NetId; INPUTS.len()],
    outputs: [NetId; OUTPUTS.len()],
    /// Changes so far, by what a way became: a cache, a control block.
    became: [u64; 2],
}

/// Changes of modes.
pub(super) struct Changes {
    seed: u64,
    rng: ChaCha8Rng,
}

impl<E: Engine> UnitMachine<E> {
    /// From now on ways change what they are at random times while launches run: those of control blocks become caches
    /// and come back. No wave is cut off.
    pub fn modes_change(&mut self, seed: u64) {
        self.changes = Some(Changes { seed, rng: ChaCha8Rng::seed_from_u64(seed) });
    }

    /// Compares the modes with their model from now on, on an engine that shows nets inside. The machine has run
    /// nothing yet.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it has.
    ///
    /// # Panics
    /// If the design has no modes.
    pub fn compare_modes(&mut self) -> Result<()> {
        if self.now != 0 {
            return Err(Error::parameter("modes", self.now, "the unit has run already"));
        }
        let design = self.engine.design();
        let find = |name: &str| {
            let path = format!("front.modes.{name}");
            design.find_net(&path).unwrap_or_else(|| panic!("a unit has no {path}"))
        };
        let (inputs, outputs) = (INPUTS.map(find), OUTPUTS.map(find));
        self.beside = Some(Beside { model: Modes::new(&self.params), inputs, outputs, became: [0; 2] });
        Ok(())
    }

    /// How often a way became a cache, and a control block, since [`Self::compare_modes`].
    pub fn modes_changed(&self) -> [u64; 2] {
        self.beside.as_ref().map_or([0; 2], |beside| beside.became)
    }

    /// Now and then other ways are wanted: seldom before they are what was wanted last.
    pub(super) fn change_modes(&mut self) {
        let mut chance = |of: u32| self.changes.as_mut().is_some_and(|changes| changes.rng.random_range(0..of) == 0);
        let (now, hasty) = (chance(12), chance(40));
        if now && (hasty || self.read(REG_WAY_STATES) & MOVES == 0) {
            let changes = self.changes.as_mut().expect("just looked");
            let wanted = changes.rng.random::<u32>() & self.partition;
            self.must(REG_WAY_MODES, wanted);
        }
    }

    /// The hardware's modes are those of the model.
    pub(super) fn look_at_modes(&mut self) {
        let Some(beside) = &mut self.beside else { return };
        let engine = &mut self.engine;
        let [write_ways, write_modes, data, flush, asked, works, drain_ready, drained] =
            beside.inputs.map(|net| engine.low(net) as u32);
        let inputs = ModesInputs {
            ways: (write_ways == 1).then_some(data),
            modes: (write_modes == 1).then_some(data),
            flush: flush == 1,
            asked: asked == 1,
            works,
            drain_ready: drain_ready == 1,
            drained: drained == 1,
        };
        let [ways, wanted, states, changed, ready, cut, enabled, serves, valid, drain, flushing, flushed, used] =
            beside.outputs.map(|net| engine.low(net) as u32);
        let shown = ModesOutputs {
            ways,
            wanted,
            states,
            changed: changed == 1,
            ready,
            cut,
            enabled,
            serves: serves == 1,
            drain: (valid == 1).then_some(drain),
            flushing: flushing == 1,
            flushed: flushed == 1,
            used: used == 1,
        };
        let before = beside.model.modes.clone();
        let expected = beside.model.step(&inputs);
        let seed = self.changes.as_ref().map_or(0, |changes| changes.seed);
        assert_eq!(shown, expected, "seed {seed}, cycle {}: modes with {inputs:?}", self.now);
        for (_, now) in before.iter().zip(&beside.model.modes).filter(|(was, now)| was != now) {
            beside.became[0] += u64::from(*now == WayMode::Cache);
            beside.became[1] += u64::from(*now == WayMode::Accelerator);
        }
    }
}
