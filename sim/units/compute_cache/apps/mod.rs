//! Applications of the Compute Cache (§5 of the paper, and carry-less products): counting words, finding a word, bitmap
//! indices, products of bit matrices, GHASH.
//!
//! Each runs on a [`CacheMachine`], on any engine; what it computes is checked elsewhere, against plain Rust.

pub mod bitmaps;
pub mod ghash;
pub mod matrix;
pub mod words;

use crate::compute_cache::{CacheInstruction, CacheOp};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::units::compute_cache::machine::CacheMachine;

/// Bytes of a block that the applications need.
pub const BLOCK: u32 = 64;

/// The machine must have blocks of 64 bytes and hold so many bytes.
fn suits<E: Engine>(machine: &CacheMachine<E>, bytes: u32) -> Result<()> {
    let geometry = machine.geometry();
    if geometry.block_bytes != BLOCK as usize {
        return Err(Error::parameter("block_bytes", geometry.block_bytes, format!("must be {BLOCK} here")));
    }
    if geometry.bytes() < bytes as usize {
        let rule = format!("must hold {bytes} bytes, not {}", geometry.bytes());
        return Err(Error::parameter("geometry", &geometry.name, rule));
    }
    Ok(())
}

/// Copies a pattern of a block all over `size` bytes, a power of two: each copy doubles what is there.
fn spread(address: u32, size: u32) -> Vec<CacheInstruction> {
    let sizes = std::iter::successors(Some(BLOCK), |size| Some(2 * size)).take_while(|&half| half < size);
    sizes.map(|half| CacheInstruction::new(CacheOp::Copy, address, 0, address + half, half)).collect()
}

/// `bytes` over and over in a block.
fn repeated(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().cycle().take(BLOCK as usize).collect()
}
