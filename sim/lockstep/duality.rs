//! Blocks of the Duality Cache's control block in lock step with their models.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::driver::{Driver, Unit, unit};
use crate::engine::Engine;
use crate::model::duality::instruction_ring::{InstructionRing, RingInputs, RingOutputs};
use crate::model::state::{Path, Visit};

/// An instruction ring and its model.
pub type RingLockstep<E> = Driver<E, InstructionRing>;

unit! { InstructionRing, RingInputs => RingOutputs, |ring, inputs| RingInputs::default(), (), (); }

impl<E: Engine> Driver<E, InstructionRing> {
    /// Brings the hardware out of reset, both memories filled from the seed.
    ///
    /// # Panics
    /// If it is no ring of this depth.
    pub fn new(engine: E, depth: usize, seed: u64) -> RingLockstep<E> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let words = (0..depth).map(|_| rng.random()).collect();
        Driver::around(engine, InstructionRing::new(words), (), seed)
    }
}
