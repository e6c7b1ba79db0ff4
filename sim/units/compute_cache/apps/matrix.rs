//! Products of bit matrices over GF(2), by carry-less products: bit (i, j) of A·B is the parity of row i of A AND
//! column j of B.
//!
//! The columns of B lie in the cache one after the other; a row of A is spread beside them, as often as one instruction
//! has results.

use super::{repeated, spread, suits};
use crate::compute_cache::{CacheInstruction, CacheOp, RESULTS};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::units::compute_cache::machine::CacheMachine;

/// A square bit matrix; rows as 64-bit words, lowest bit first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitMatrix {
    /// Rows and columns: 64, 128 or 256.
    pub size: usize,
    /// The rows.
    pub rows: Vec<Vec<u64>>,
}

impl BitMatrix {
    /// A matrix from its bits, by row and column.
    pub fn from_bits(size: usize, mut bit: impl FnMut(usize, usize) -> bool) -> BitMatrix {
        let word = |bit: &mut dyn FnMut(usize, usize) -> bool, row: usize, word: usize| {
            (0..64).fold(0, |all, i| all | u64::from(bit(row, 64 * word + i)) << i)
        };
        let rows = (0..size).map(|row| (0..size / 64).map(|w| word(&mut bit, row, w)).collect()).collect();
        BitMatrix { size, rows }
    }

    /// A bit.
    pub fn bit(&self, row: usize, column: usize) -> bool {
        self.rows[row][column / 64] >> (column % 64) & 1 == 1
    }

    /// The transpose.
    #[must_use]
    pub fn transposed(&self) -> BitMatrix {
        BitMatrix::from_bits(self.size, |row, column| self.bit(column, row))
    }
}

/// A·B.
///
/// # Errors
/// [`Error::Parameter`] if the sizes differ or are not legal; [`Error::Tool`] when hardware and model differ.
pub fn multiply<E: Engine>(machine: &mut CacheMachine<E>, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    let size = a.size;
    if ![64, 128, 256].contains(&size) || b.size != size {
        return Err(Error::parameter("size", format!("{size} and {}", b.size), "must be 64, 128 or 256, and the same"));
    }
    let grain = (size / 64).ilog2() as u8;
    // What one instruction covers, in bytes; the columns of B in so many parts, each beginning with a page.
    let each = RESULTS * size as u32 / 8;
    let parts = (size / 64) as u32;
    let stride = each.next_multiple_of(machine.geometry().page() as u32);
    suits(machine, (parts + 1) * stride)?;
    let bytes = |row: &[u64]| row.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    for (part, columns) in b.transposed().rows.chunks(64).enumerate() {
        let columns: Vec<u8> = columns.iter().flat_map(|column| bytes(column)).collect();
        machine.write((part as u32 + 1) * stride, &columns)?;
    }
    let mut rows = Vec::with_capacity(size);
    for row in &a.rows {
        machine.write(0, &repeated(&bytes(row)))?;
        let products = (1..=parts)
            .map(|part| CacheInstruction { grain, ..CacheInstruction::new(CacheOp::Clmul, 0, part * stride, 0, each) });
        let program: Vec<_> = spread(0, each).into_iter().chain(products).collect();
        let run = machine.run_legal(&program)?;
        rows.push(run.masks().skip(program.len() - parts as usize).collect());
    }
    Ok(BitMatrix { size, rows })
}
