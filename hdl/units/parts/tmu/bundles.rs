//! Buses of the transpose memory unit.
#![allow(missing_docs)] // The `join` that rust-hdl derives has no text.

use crate::kernel::prelude::*;

bundle! {
    /// Which word or slice of which tile is read or written, at the tiles.
    pub PlaceSink "PlaceSource", PlaceSource "PlaceSink" {
        In enable: Bit; /// It is read or written.
        In slice: Bit; /// A slice, not a word.
        In tile: Bit; /// Of the second tile.
        In index: TileIndex; /// Number of the word or slice.
    }
}
