//! Parameters of transpose memory units, and their netlists.

use crate::error::{Error, Result};
use crate::kernel::elaborate::elaborate;
use crate::kernel::mem::RamStyle;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;
use crate::parts::tmu::Tmu;

/// Tiles of a unit: one fills while the other empties.
pub const TILES: usize = 2;
/// Words that a unit can have in a tile.
pub const TILE_WORDS: [usize; 7] = [8, 16, 32, 64, 128, 256, 512];
/// Bits of a word at most.
pub const TILE_BITS: usize = 64;

/// How the tiles are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tiles {
    /// Registers: the reference.
    Flop,
    /// Memories with rotated bits.
    Rotated,
}

/// Parameters of a transpose memory unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TmuParams {
    /// Words of a tile, N: one of [`TILE_WORDS`].
    pub words: usize,
    /// Bits of a word, M: a power of two from 8 to [`TILE_BITS`], at most N.
    pub bits: usize,
    /// How the tiles are made.
    pub tiles: Tiles,
    /// Of what, if they are memories.
    pub style: RamStyle,
}

impl TmuParams {
    /// Checks them.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the first that breaks its rule.
    pub fn check(&self) -> Result<()> {
        if !TILE_WORDS.contains(&self.words) {
            return Err(Error::parameter("words", self.words, format!("must be one of {TILE_WORDS:?}")));
        }
        let most = TILE_BITS.min(self.words);
        if !self.bits.is_power_of_two() || !(8..=most).contains(&self.bits) {
            let rule = format!("must be a power of two from 8 to {most}, the words of a tile being {}", self.words);
            return Err(Error::parameter("bits", self.bits, rule));
        }
        Ok(())
    }
}

/// The netlist of a transpose memory unit.
///
/// # Errors
/// [`Error::Parameter`] if `params` break a rule; [`Error::Netlist`] if a block does.
pub fn transpose_unit(params: &TmuParams) -> Result<Netlist> {
    params.check()?;
    let _widths = Widths::keep().set::<Row>(params.words).set::<TileIndex>(params.words.ilog2() as usize);
    let mut top = Tmu::<Row>::new(params);
    top.connect_all();
    elaborate(&top)
}
