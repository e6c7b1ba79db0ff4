//! Compares all registers of an engine that keeps them together, without a branch for each: tells only whether one of
//! them is wrong, which is seldom.

use crate::engine::{Kept, Spot};
use crate::model::state::{Contents, Path, Visit};

/// Compares what a walk passes.
pub(super) struct Quick<'a> {
    kept: Kept<'a>,
    spots: std::slice::Iter<'a, (usize, Spot)>,
    whole: bool,
    /// Takes memories: how many copies, and what they hold.
    memory: &'a mut dyn FnMut(usize, &Contents<'_>),
    wrong: u64,
}

impl<'a> Quick<'a> {
    /// `spots`: the registers that the walk passes, in its order, and where they are. `whole`: those of which some bits
    /// are compared now and then are compared, too.
    pub fn new(
        kept: Kept<'a>,
        spots: &'a [(usize, Spot)],
        whole: bool,
        memory: &'a mut dyn FnMut(usize, &Contents<'_>),
    ) -> Quick<'a> {
        Quick { kept, spots: spots.iter(), whole, memory, wrong: 0 }
    }

    /// Whether all registers were as they must be.
    pub fn same(&self) -> bool {
        self.wrong == 0
    }

    #[inline(always)]
    fn next(&mut self) -> (usize, Spot) {
        *self.spots.next().expect("as many as were found")
    }
}

impl Visit for Quick<'_> {
    #[inline(always)]
    fn register(&mut self, _: &Path<'_>, value: Option<&[u64]>) {
        let (_, spot) = self.next();
        if let Some(value) = value {
            self.wrong |= self.kept.differs(spot, value);
        }
    }

    fn bits(&mut self, _: &Path<'_>, often: bool, bit: &dyn Fn(usize) -> Option<bool>) {
        let (register, _) = self.next();
        if often || self.whole {
            for number in 0..self.kept.width(register) {
                let Some(expected) = bit(number) else { continue };
                self.wrong |= u64::from(self.kept.bit(register, number) != expected);
            }
        }
    }

    #[inline]
    fn memory(&mut self, copies: &[Path<'_>], contents: &Contents<'_>) {
        (self.memory)(copies.len(), contents);
    }
}
