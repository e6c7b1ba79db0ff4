//! The Duality Cache's control block, blocks of it, and its cache ways, in lock step with their models.

use bitline_units::duality::isa::codes::Kind;
use bitline_units::duality::isa::field::KIND;
use bitline_units::duality::params::{LAUNCH_ROW, SLOTS};
use bitline_units::duality::{CacheParams, DualityParams};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::driver::{Driver, Unit, unit};
use crate::engine::Engine;
use crate::model::duality::cache::{CacheInputs, CacheOutputs, CacheStore, CacheWays};
use crate::model::duality::control_block::{BlockInputs, BlockOutputs, ControlBlock};
use crate::model::duality::instruction_ring::{InstructionRing, RingInputs, RingOutputs};
use crate::model::duality::modes::{Modes, ModesInputs, ModesOutputs};
use crate::model::duality::scalar_unit::{ScalarInputs, ScalarOutputs, ScalarUnit};
use crate::model::duality::window::Window;
use crate::model::seen::{Broken, Source};
use crate::model::state::{Path, Walk};

mod beside;
mod lines;
mod memory;

pub use beside::{Beside, Inside};
pub use lines::LinesLockstep;
pub use memory::MemoryLockstep;

/// An instruction ring and its model.
pub type RingLockstep<E> = Driver<E, InstructionRing>;
/// A scalar unit and its model.
pub type ScalarLockstep<E> = Driver<E, ScalarUnit>;
/// The cache ways of a slice and their model.
pub type CacheLockstep<E> = Driver<E, CacheWays>;
/// The modes of a slice's ways and their model.
pub type ModesLockstep<E> = Driver<E, Modes>;
/// A control block and its model.
pub type BlockLockstep<E> = Driver<E, ControlBlock>;

unit! { InstructionRing, RingInputs => RingOutputs, |ring, inputs| RingInputs::default(), (), (); }
unit! { Modes, ModesInputs => ModesOutputs, |modes, inputs| ModesInputs::default(), (), (); }
unit! {
    ScalarUnit, ScalarInputs => ScalarOutputs, |unit, inputs| ScalarInputs::default(), (), ();

    fn judged(path: &str) -> bool {
        ScalarUnit::judged(path)
    }
}
unit! {
    CacheWays, CacheInputs => CacheOutputs,
    |cache, inputs| CacheInputs {
        store: cache.lines_as_a_whole().then(CacheStore::default),
        ..CacheInputs::default()
    },
    (), ();


    fn see(&mut self, hardware: &mut dyn Source) {
        self.see(hardware);
    }

    fn broken(&mut self) -> Option<Broken> {
        self.broken()
    }

    fn judged(_: &str) -> bool {
        true
    }
}
unit! {
    ControlBlock, BlockInputs => BlockOutputs, |block, inputs| BlockInputs::default(),
    (block.members.len()), (block.members.len());

    fn judged(path: &str) -> bool {
        ControlBlock::judged(path)
    }

    fn forget(&mut self) {
        self.members.iter_mut().for_each(|member| member.sram.written.fill(0));
    }
}

impl<E: Engine> Driver<E, InstructionRing> {
    /// Brings the hardware out of reset, both memories filled from the seed.
    ///
    /// # Panics
    /// If it is no ring of this depth.
    pub fn new(engine: E, depth: usize, seed: u64) -> RingLockstep<E> {
        Driver::around(engine, InstructionRing::new(words(depth, seed)), (), seed)
    }
}

impl<E: Engine> Driver<E, Modes> {
    /// Brings the hardware out of reset.
    ///
    /// # Panics
    /// If these are no modes of a design with these parameters.
    pub fn new(engine: E, params: &DualityParams, seed: u64) -> ModesLockstep<E> {
        Driver::around(engine, Modes::new(params), (), seed)
    }
}

impl<E: Engine> Driver<E, ScalarUnit> {
    /// Brings the hardware out of reset.
    ///
    /// # Panics
    /// If it is no scalar unit.
    pub fn new(engine: E, seed: u64) -> ScalarLockstep<E> {
        Driver::around(engine, ScalarUnit::default(), (), seed)
    }
}

impl<E: Engine> Driver<E, CacheWays> {
    /// Brings the hardware out of reset.
    ///
    /// # Panics
    /// If it is no cache with these parameters.
    pub fn new(engine: E, params: &CacheParams, seed: u64) -> CacheLockstep<E> {
        Driver::around(engine, CacheWays::new(params), (), seed)
    }
}

impl<E: Engine> Driver<E, ControlBlock> {
    /// Brings the hardware out of reset, rows and ring filled from the seed; the launch mask is the same in all arrays
    /// of a bank.
    ///
    /// # Panics
    /// If it is no control block with these parameters.
    pub fn new(engine: E, params: &DualityParams, seed: u64) -> BlockLockstep<E> {
        let mut block = ControlBlock::new(params, words(params.ring, seed));
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for member in &mut block.members {
            let limbs = params.columns.div_ceil(64);
            let top = u64::MAX >> (limbs * 64 - params.columns);
            let mut row = vec![0; limbs];
            for number in 0..params.rows {
                row.fill_with(|| rng.random());
                *row.last_mut().expect("a row has words") &= top;
                member.sram.write(number, &row, None);
            }
        }
        for bank in block.members.chunks_mut(SLOTS) {
            let mask = bank[0].sram.row(LAUNCH_ROW as usize).to_vec();
            bank.iter_mut().for_each(|member| member.sram.write(LAUNCH_ROW as usize, &mask, None));
        }
        Driver::around(engine, block, (), seed)
    }

    /// Puts a bit into a row of an array of the model; [`Self::take_rows`] hands all of them on.
    pub fn set_bit(&mut self, member: usize, row: usize, column: usize, bit: bool) {
        let mut words = self.model.members[member].sram.row(row).to_vec();
        let mask = 1 << (column % 64);
        words[column / 64] = words[column / 64] & !mask | if bit { mask } else { 0 };
        self.model.members[member].sram.write(row, &words, None);
    }

    /// The hardware's rows become what the model's are.
    pub fn take_rows(&mut self) {
        self.settle(false);
    }

    /// Whether an operation or a pass runs in some window, that of a word of memory apart.
    pub fn computes(&self) -> bool {
        self.model.windows.iter().any(|window| window.computes())
    }

    /// In how many windows a compute word runs: moves, masks and words of memory apart.
    pub fn computing(&self) -> u64 {
        let runs = |window: &Window| {
            let kind = window.words.head().map(|entry| entry.word.get(KIND));
            window.commands() || window.rows.busy() && kind == Some(Kind::Compute.code())
        };
        self.model.windows.iter().filter(|window| runs(window)).count() as u64
    }
}

fn words(depth: usize, seed: u64) -> Vec<u128> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..depth).map(|_| rng.random()).collect()
}
