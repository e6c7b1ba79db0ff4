//! A transpose memory unit in lock step with its model.

use super::driver::{Driver, Unit, unit};
use crate::engine::{Engine, Lookup};
use crate::kernel::flat::Flat;
use crate::model::state::{Path, Walk};
use crate::model::tmu::{Tiling, Tmu, TmuInputs, TmuOutputs};

/// Hardware and model.
pub type TmuLockstep<E> = Driver<E, Tmu>;

/// How a design keeps its tiles, below the instance path `prefix`, which is empty or ends in a dot.
pub(super) fn tiling(design: &Flat, prefix: &str) -> Tiling {
    let banked = design.find_memory(&format!("{prefix}rotated_0.banks_0.bits")).is_some();
    Tiling { banked, often: prefix.is_empty() }
}

unit! { Tmu, TmuInputs => TmuOutputs, |unit, inputs| TmuInputs::default(), (), (); }

impl<E: Engine> Driver<E, Tmu> {
    /// Brings the hardware, with tiles of `words` words of `bits` bits, out of reset.
    ///
    /// # Panics
    /// If it is no transpose memory unit of this size.
    pub fn new(engine: E, words: u16, bits: u16, seed: u64) -> TmuLockstep<E> {
        let mut model = Tmu::new(words, bits);
        model.tiling = tiling(engine.design(), "");
        Driver::around(engine, model, (), seed)
    }
}
