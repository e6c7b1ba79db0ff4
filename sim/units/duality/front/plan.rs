//! Launches for the front: what the host writes, and what the programs of their waves will do.

use bitline_units::duality::DualityParams;
use bitline_units::duality::params::SCALARS;
use bitline_units::duality::registers::*;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// How the program of a wave ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a code, at this word.
    Code(u32, u8),
    /// With a trap, before this word.
    Trap(u32, u8),
    /// It jumps behind its last word, so far.
    Past(u32),
}

/// A launch, and what its waves will do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The host feeds it.
    pub host_fed: bool,
    /// Where the program is.
    pub code_at: u32,
    /// Its words.
    pub words: Vec<u128>,
    /// The word of which memory cannot give a half.
    pub failing: Option<u32>,
    /// Parameters.
    pub parameters: usize,
    /// How each wave's program ends.
    pub waves: Vec<End>,
    /// CTAs of a wave, and of the grid.
    pub at_once: u32,
    pub grid: [u32; 3],
    /// The interrupt is enabled.
    pub interrupt: bool,
    /// Where shared windows and spill rows begin, and how far those of control blocks are apart.
    pub bases: [u32; 4],
    /// Words of special registers.
    pub specials: [u32; 3],
    counts: [u32; 3],
}

impl Plan {
    /// Any launch.
    pub fn random(rng: &mut ChaCha8Rng, params: &DualityParams) -> Plan {
        let length = rng.random_range(1..3 * params.ring as u32);
        let host_fed = rng.random_range(0..4) == 0;
        let code_at = rng.random::<u32>() & 0x3fff_fff0;
        // A kind other than 7, that of no word.
        let words = (0..length).map(|_| rng.random::<u128>() & !7 | rng.random_range(0..7)).collect();
        let failing = (!host_fed && rng.random_range(0..5) == 0).then(|| rng.random_range(0..length));
        let end = |rng: &mut ChaCha8Rng| {
            let at = rng.random_range(0..length);
            match rng.random_range(0..12) {
                0 => End::Trap(at, rng.random_range(2..20)),
                1 if !host_fed => End::Past(length + rng.random_range(0..2 * params.ring as u32)),
                _ => End::Code(at, if rng.random_range(0..2) == 0 { 0 } else { rng.random() }),
            }
        };
        let waves: Vec<End> = (0..rng.random_range(1..4 * params.blocks + 1)).map(|_| end(rng)).collect();
        // A grid that is as many waves.
        let (at_once, count) = (rng.random_range(1..20), waves.len() as u32);
        let grid = loop {
            let grid: [u32; 3] = [0; 3].map(|_| rng.random_range(1..20));
            if grid.iter().product::<u32>().div_ceil(at_once) == count {
                break grid;
            }
        };
        let parameters = rng.random_range(0..=SCALARS);
        let interrupt = rng.random_range(0..2) == 0;
        let counts = [13; 3].map(|bits| rng.random_range(1..1u32 << bits));
        let (bases, specials) = (rng.random::<[u32; 4]>().map(|base| base & !63), rng.random());
        Plan { host_fed, code_at, words, failing, parameters, waves, at_once, grid, interrupt, bases, specials, counts }
    }

    /// Registers and what goes into them.
    pub fn registers(&self) -> Vec<(u64, u32)> {
        let counts = [REG_BLOCK_X, REG_BLOCK_Y, REG_BLOCK_Z];
        let mut writes: Vec<(u64, u32)> = counts.into_iter().zip(self.counts).collect();
        writes.extend([REG_GRID_X, REG_GRID_Y, REG_GRID_Z].into_iter().zip(self.grid));
        writes.extend([REG_SHARED_BASE, REG_SHARED_STEP, REG_SPILL_BASE, REG_SPILL_STEP].into_iter().zip(self.bases));
        writes.push((REG_AT_ONCE, self.at_once));
        // The doorbell rings whenever it likes, so its interrupt is not enabled.
        writes.push((REG_INTERRUPT_ENABLE, u32::from(self.interrupt)));
        writes.push((REG_MODE, u32::from(self.host_fed) << MODE_HOST_FED_LSB | 1 << MODE_ARRAYS_LSB));
        writes.push((REG_CODE, self.code_at));
        writes.push((REG_WORDS, if self.host_fed { 0 } else { self.words.len() as u32 }));
        writes.push((REG_COUNTS, self.parameters as u32 | 3 << COUNTS_SPECIALS_LSB));
        writes
    }
}
