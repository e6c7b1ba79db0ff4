//! A layer on rust-hdl that knows no block: packed words, registers and memories; the typed netlist, how it is recovered
//! from rust-hdl's syntax tree, and the checks on it.

pub mod bits;
pub(crate) mod build;
pub mod check;
pub mod describe;
pub mod elaborate;
pub mod flat;
pub mod macros;
pub mod mem;
pub mod names;
pub mod netlist;
pub mod packed;
pub mod product;
pub mod reg;

/// What a block file needs.
pub mod prelude {
    pub use super::bits::Word;
    pub use super::describe::{Described, constants, describe};
    pub use super::mem::{AsyncRam, AsyncRom, Ram, RamStyle, Rom, SearchRam};
    pub use super::packed::{Packed, RowWord, bits_to, packed_enum};
    pub use super::product::{Integer, signed_bit_cast_integer, signed_cast_word, unsigned_cast_integer};
    pub use super::reg::{Domain, Pipe, Register};
    pub use rust_hdl::prelude::*;
}
