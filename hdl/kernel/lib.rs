//! A layer on rust-hdl that knows no block: packed words, registers and memories; the typed netlist, how it is
//! recovered from rust-hdl's syntax tree, and the checks on it.

pub mod apart;
pub mod arms;
pub mod array;
pub mod bits;
pub mod boxed;
pub mod build;
pub mod bundle;
pub mod check;
pub mod declare;
pub mod describe;
pub mod elaborate;
pub mod error;
pub mod flat;
pub mod input;
pub mod macros;
pub mod mem;
pub mod names;
pub mod netlist;
pub mod nominal;
mod operands;
pub mod packed;
pub mod product;
pub mod reg;
pub mod verilog;

/// What a block file needs.
pub mod prelude {
    pub use crate::apart::Apart;
    pub use crate::array::{Array, LANES, Sizes};
    pub use crate::bits::Word;
    pub use crate::boxed::Boxed;
    pub use crate::bundle::bundle;
    pub use crate::declare::hdl_block;
    pub use crate::describe::{Described, constants, describe, described, numbers};
    pub use crate::mem::{AsyncRam, AsyncRom, Ram, RamStyle, Rom, SearchRam};
    pub use crate::nominal::{
        Beat, Bus, CacheBlock, CacheOrder, CachePorts, CacheTag, CacheWays, Nominal, Row, Snapshot, Strobe, TileIndex,
        Widths,
    };
    pub use crate::packed::{Packed, RowWord, bits_to, packed_enum};
    pub use crate::product::{Integer, signed_bit_cast_integer, signed_cast_word, unsigned_cast_integer};
    pub use crate::reg::{Domain, Pipe, Register, dff_setup};
    pub use rust_hdl_core::prelude::*;
}
