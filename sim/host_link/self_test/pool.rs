//! Operands in a memory, for any number of loads from any place.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::Tester;
use crate::host_link::bits::words;
use crate::host_link::error::Result;
use crate::host_link::place;
use crate::isa::transfer::{Transfer, element_bytes};
use crate::system::protocol::ARRAY_MEMORY_BASE;

/// Random bytes with runs of zeros, ones and edges; the upper half is the lower one with differences, so that equal
/// elements are found.
pub fn bytes(rng: &mut ChaCha8Rng, count: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..count).map(|_| rng.random()).collect();
    for _ in 0..count / 24 {
        let at = rng.random_range(0..count);
        let length = rng.random_range(1..=9).min(count - at);
        let value = [0, 0, 0xff, 0x80, 0x7f, 0x01][rng.random_range(0..6)];
        bytes[at..at + length].fill(value);
    }
    let half = count / 2;
    for i in 0..half {
        if rng.random_range(0..4) > 0 {
            bytes[half + i] = bytes[i];
        }
    }
    bytes
}

/// The array's memory: operands from address 0 on, room for results behind them.
pub struct Operands {
    /// The operands.
    pub bytes: Vec<u8>,
    /// Bytes of the whole memory.
    pub end: usize,
}

impl Operands {
    /// Puts new operands into the memory: enough for a vector with elements that overlap, in the full test for one
    /// whose elements do not.
    ///
    /// # Errors
    /// Anything about the line.
    pub fn new(t: &mut Tester) -> Result<Operands> {
        let columns = t.board.params.array.columns;
        let end = place::bytes(&t.board.params, "array-memory") as usize;
        let size = if t.full() { (16 * columns).max(256).min(end / 2) } else { (4 * columns).max(128) };
        let bytes = bytes(t.stimulus.rng(), size);
        t.board.session.write(ARRAY_MEMORY_BASE, &words(&bytes))?;
        Ok(Operands { bytes, end })
    }

    /// A load of one element for each column, from anywhere among the operands.
    pub fn load(&self, rng: &mut ChaCha8Rng, width: u8, row: u16, columns: usize) -> Transfer {
        let step = i32::from(element_bytes(width));
        let room = self.bytes.len() as i32 - step;
        let longest = room / (columns as i32 - 1);
        let strides: Vec<i32> = [0, 1, -1, 2, 3, -3, step, -step, step + 1]
            .into_iter()
            .filter(|s| s.abs().max(step * i32::from(*s == 0)) <= longest)
            .collect();
        // Overlapping elements always fit.
        let stride = strides.choose(rng).copied().unwrap_or(1);
        let span = (columns as i32 - 1) * if stride == 0 { step } else { stride };
        let lowest = rng.random_range(0..=room - span.abs());
        let address = lowest + span.min(0).abs();
        Transfer { store: false, width, row, count: columns as u16, address: address as u64, stride }
    }

    /// The elements that a transfer from the operands loads.
    pub fn elements(&self, transfer: &Transfer) -> Vec<u64> {
        let mask = u64::MAX >> (64 - u32::from(transfer.width));
        let element = |k: u16| {
            let at = (transfer.address as i64 + i64::from(k) * transfer.step()) as usize;
            let bytes = &self.bytes[at..at + usize::from(element_bytes(transfer.width))];
            bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)) & mask
        };
        (0..transfer.count).map(element).collect()
    }
}
