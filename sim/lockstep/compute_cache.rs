//! A compute cache in lock step with its model.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::driver::{Driver, Unit, unit};
use crate::compute_cache::CacheGeometry;
use crate::engine::{Engine, Lookup};
use crate::model::compute_cache::{CacheInputs, CacheOutputs, ComputeCache, place};
use crate::model::seen::{Broken, Source};
use crate::model::state::{Path, Walk};

/// Hardware and model.
pub type CacheLockstep<E> = Driver<E, ComputeCache>;

unit! {
    ComputeCache, CacheInputs => CacheOutputs, |cache, inputs| CacheInputs::default(), (), (inputs.word.is_some());

    fn see(&mut self, hardware: &mut dyn Source) {
        self.see(hardware);
    }

    fn broken(&mut self) -> Option<Broken> {
        self.rules.broken()
    }

    fn judged(path: &str) -> bool {
        // The rows are known; all else only moves them about.
        !path.ends_with(".rows") && !path.ends_with(".mirror")
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
