//! Buses inside of a window.
#![allow(missing_docs)] // The `join` that rust-hdl derives has no text.

use crate::array::blocks::types::RowAddress;
use crate::kernel::prelude::*;

bundle! {
    /// What a compute word asks of its array beside the command, at the end that does it.
    pub ShapeSink "ShapeSource", ShapeSource "ShapeSink" {
        In prepares_a, prepares_b, chooses: Bit; /// A source goes to scratch rows first; a result is chosen behind.
        In zeros_a: Bits<8>; /// Rows of a that are 0 because it is shifted.
        In own_a, more_a: Bits<8>; /// Rows of a, and those by which it is extended.
        In own_b, more_b: Bits<8>; /// Rows or bits of b, and those by which it is extended.
        In rows_d, rows_e: Bits<8>; /// Rows of the results that are chosen.
        In place_a, place_b, place_d, place_e: RowAddress; /// Where they are meanwhile.
        In value: Bits<32>; /// The immediate or the scalar register.
        In negative: Bit; /// It is extended with ones.
        In by_row: Bit; /// b is in rows.
        In chooser: RowAddress; /// The row that chooses.
    }
}
