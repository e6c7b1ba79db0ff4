//! A bitmap index: a bit for each record in each bitmap, and queries by AND, OR, NOT of whole bitmaps, all of them in
//! place.

use super::{BLOCK, suits};
use crate::compute_cache::{CacheInstruction, CacheOp, LARGEST};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::units::compute_cache::machine::CacheMachine;

/// A query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Records of a bitmap.
    Bitmap(usize),
    /// Records of both.
    And(Box<Query>, Box<Query>),
    /// Records of either.
    Or(Box<Query>, Box<Query>),
    /// All other records.
    Not(Box<Query>),
}

impl Query {
    /// Both.
    pub fn and(self, other: Query) -> Query {
        Query::And(Box::new(self), Box::new(other))
    }

    /// Either.
    pub fn or(self, other: Query) -> Query {
        Query::Or(Box::new(self), Box::new(other))
    }

    /// Neither.
    #[must_use]
    pub fn negated(self) -> Query {
        Query::Not(Box::new(self))
    }
}

/// Bitmaps in a compute cache.
pub struct BitmapIndex {
    records: usize,
    bitmaps: usize,
    size: u32,
    /// Bytes from one bitmap to the next: whole pages, so that all share their bitlines.
    stride: u32,
}

impl BitmapIndex {
    /// Loads bitmaps, a bit for each record, lowest bit first.
    ///
    /// # Errors
    /// [`Error::Parameter`] if they are not equally long, or do not fit; [`Error::Tool`] when hardware and model
    /// differ.
    pub fn load<E: Engine>(machine: &mut CacheMachine<E>, bitmaps: &[Vec<bool>]) -> Result<BitmapIndex> {
        let records = bitmaps.first().map_or(0, Vec::len);
        if records == 0 || bitmaps.iter().any(|bitmap| bitmap.len() != records) {
            return Err(Error::parameter("records", records, "must be as many, and some, in every bitmap"));
        }
        let size = (records.div_ceil(8) as u32).next_multiple_of(BLOCK);
        if size > LARGEST {
            return Err(Error::parameter("records", records, format!("must be at most {}", 8 * LARGEST)));
        }
        let stride = size.next_multiple_of(machine.geometry().page() as u32);
        suits(machine, stride * (bitmaps.len() as u32 + 1))?;
        for (number, bitmap) in bitmaps.iter().enumerate() {
            let mut bytes = vec![0; size as usize];
            bitmap.iter().enumerate().filter(|(_, bit)| **bit).for_each(|(i, _)| bytes[i / 8] |= 1 << (i % 8));
            machine.write(number as u32 * stride, &bytes)?;
        }
        Ok(BitmapIndex { records, bitmaps: bitmaps.len(), size, stride })
    }

    /// Numbers of the records that a query selects, and the cycles of its instructions.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it names a bitmap that is not there, or needs more room; [`Error::Tool`] when hardware
    /// and model differ.
    pub fn query<E: Engine>(&self, machine: &mut CacheMachine<E>, query: &Query) -> Result<(Vec<usize>, u64)> {
        let mut program = Vec::new();
        let result = self.compile(query, self.bitmaps as u32, &mut program)?;
        suits(machine, (self.highest(&program) + 1) * self.stride)?;
        let run = machine.run_legal(&program)?;
        let bytes = machine.read(result * self.stride, self.size as usize)?;
        let selected = (0..self.records).filter(|&i| bytes[i / 8] >> (i % 8) & 1 == 1).collect();
        Ok((selected, run.cycles()))
    }

    fn highest(&self, program: &[CacheInstruction]) -> u32 {
        program.iter().map(|instruction| instruction.d / self.stride).max().unwrap_or(0)
    }

    /// Appends instructions that leave the query's result in a bitmap, free ones beginning with `free`; returns its
    /// number.
    fn compile(&self, query: &Query, free: u32, program: &mut Vec<CacheInstruction>) -> Result<u32> {
        let (op, a, b) = match query {
            Query::Bitmap(number) if *number < self.bitmaps => return Ok(*number as u32),
            Query::Bitmap(number) => {
                return Err(Error::parameter("bitmap", number, format!("must be below {}", self.bitmaps)));
            }
            Query::Not(inner) => (CacheOp::Not, self.compile(inner, free, program)?, 0),
            Query::And(left, right) | Query::Or(left, right) => {
                let a = self.compile(left, free, program)?;
                let b = self.compile(right, free.max(a + 1), program)?;
                (if matches!(query, Query::And(..)) { CacheOp::And } else { CacheOp::Or }, a, b)
            }
        };
        let at = |number: u32| number * self.stride;
        program.push(CacheInstruction::new(op, at(a), at(b), at(free), self.size));
        Ok(free)
    }
}
