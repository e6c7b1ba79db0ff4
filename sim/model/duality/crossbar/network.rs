//! Model of the crossbar's network.

use super::Bits;

/// What the lowest `outputs` threads get of a row, each naming a thread; the others get 0.
pub fn picked(outputs: usize, row: &[bool], named: &[usize]) -> Bits {
    (0..row.len()).map(|thread| thread < outputs && row[named[thread]]).collect()
}
