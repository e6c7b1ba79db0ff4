//! Ways that change what they are while launches run, on the whole unit: when, by a seed; and the model of the modes
//! beside the hardware's, compared in every cycle.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use bitline_units::duality::registers::REG_WAY_MODES;

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

/// Changes of modes.
pub(super) struct Changes {
    seed: u64,
    rng: ChaCha8Rng,
    /// Beside the hardware.
    pub(super) model: Modes,
    inputs: [NetId; INPUTS.len()],
    outputs: [NetId; OUTPUTS.len()],
    /// Changes so far, by what a way became: a cache, a control block.
    became: [u64; 2],
}

impl<E: Engine> UnitMachine<E> {
    /// From now on ways change what they are at random times while launches run: those of control blocks become caches
    /// and come back. Nothing is cut off. The machine has run nothing yet.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it has.
    ///
    /// # Panics
    /// If the design has no modes.
    pub fn modes_change(&mut self, seed: u64) -> Result<()> {
        if self.now != 0 {
            return Err(Error::parameter("modes", seed, "the unit has run already"));
        }
        let design = self.engine.design();
        let find = |name: &str| {
            let path = format!("front.modes.{name}");
            design.find_net(&path).unwrap_or_else(|| panic!("a unit has no {path}"))
        };
        let (inputs, outputs) = (INPUTS.map(find), OUTPUTS.map(find));
        let (rng, model) = (ChaCha8Rng::seed_from_u64(seed), Modes::new(&self.params));
        self.changes = Some(Changes { seed, rng, model, inputs, outputs, became: [0; 2] });
        Ok(())
    }

    /// How often a way became a cache, and a control block, since [`Self::modes_change`].
    pub fn modes_changed(&self) -> [u64; 2] {
        self.changes.as_ref().map_or([0; 2], |changes| changes.became)
    }

    /// Now and then other ways are wanted: seldom before they are what was wanted last.
    pub(super) fn change_modes(&mut self) {
        let Some(changes) = &mut self.changes else { return };
        let settled = |mode: &WayMode| matches!(mode, WayMode::Cache | WayMode::Accelerator);
        let seldom = if changes.model.modes.iter().all(settled) { 15 } else { 600 };
        if changes.rng.random_range(0..seldom) == 0 {
            let wanted = changes.rng.random::<u32>() & self.partition;
            self.must(REG_WAY_MODES, wanted);
        }
    }

    /// The hardware's modes are those of the model.
    pub(super) fn look_at_modes(&mut self) {
        let Some(changes) = &mut self.changes else { return };
        let engine = &mut self.engine;
        let [write_ways, write_modes, data, flush, asked, works, drain_ready, drained] =
            changes.inputs.map(|net| engine.low(net) as u32);
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
            changes.outputs.map(|net| engine.low(net) as u32);
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
        let before = changes.model.modes.clone();
        let expected = changes.model.step(&inputs);
        assert_eq!(shown, expected, "seed {}, cycle {}: modes with {inputs:?}", changes.seed, self.now);
        for (_, now) in before.iter().zip(&changes.model.modes).filter(|(was, now)| was != now) {
            changes.became[0] += u64::from(*now == WayMode::Cache);
            changes.became[1] += u64::from(*now == WayMode::Accelerator);
        }
    }
}
