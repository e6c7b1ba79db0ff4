//! A compute cache in lock step with its model.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::driver::{Driver, Unit};
use crate::compute_cache::CacheGeometry;
use crate::engine::{Engine, Lookup};
use crate::model::compute_cache::{CacheInputs, CacheOutputs, ComputeCache, place};
use crate::model::state::{Path, Visit};

/// Hardware and model.
pub type CacheLockstep<E> = Driver<E, ComputeCache>;

impl Unit for ComputeCache {
    type Params = ();
    type Inputs = CacheInputs;
    type Outputs = CacheOutputs;

    fn idle(&self) -> CacheInputs {
        CacheInputs::default()
    }

    fn inputs(&self, inputs: &CacheInputs, to: &mut dyn Visit) {
        inputs.state(&Path::TOP, to);
    }

    fn outputs(&self, inputs: &CacheInputs, outputs: &CacheOutputs, to: &mut dyn Visit) {
        outputs.state(inputs.word.is_some(), &Path::TOP, to);
    }

    fn state(&self, (): &(), to: &mut dyn Visit) {
        self.state(&Path::TOP, to);
    }

    fn step(&mut self, inputs: &CacheInputs) -> CacheOutputs {
        self.step(inputs)
    }

    fn reset(&mut self, (): &()) {
        self.reset();
    }

    fn forget(&mut self) {
        self.rows.written.clear();
    }
}

impl<E: Engine> Driver<E, ComputeCache> {
    /// Brings the hardware out of reset, both memories filled from the seed.
    ///
    /// # Panics
    /// If it is no compute cache of this geometry.
    pub fn new(engine: E, geometry: &CacheGeometry, seed: u64) -> CacheLockstep<E> {
        let mut model = ComputeCache::new(geometry);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        model.rows.bits.fill_with(|| rng.random());
        Driver::around(engine, model, (), seed)
    }

    /// Puts a block into both memories.
    pub fn set_block(&mut self, block: u32, words: &[u64]) {
        let (bank, sub, local) = place(&self.model.geometry, block);
        for copy in ["rows", "mirror"] {
            let memory = self.engine.design().find_memory(&format!("banks_{bank}.sub_arrays_{sub}.{copy}"));
            self.engine.set_word(memory.expect("found before"), local, words);
        }
        self.model.rows.write(block, words);
        self.model.rows.written.clear();
    }
}
