//! Models of the way between memory and the array, by contract: what leaves in which order with which data, and how
//! long it may take. When a handshake takes place they learn from the hardware.

pub mod core;
pub mod master;
pub mod path;
pub mod reader;
pub mod stream;
pub mod writer;

use std::ops::Range;

/// Bytes that a burst never leaves.
const PAGE: u64 = 4096;
/// Beats of a burst, at most.
const BEATS: u64 = 256;

/// A transfer as it goes to reader and writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements {
    /// Address of the first.
    pub address: u64,
    /// How many.
    pub count: u16,
    /// Bytes of one.
    pub bytes: u8,
    /// Bytes from one to the next.
    pub stride: i32,
}

/// A burst on a bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Address of its first beat.
    pub address: u64,
    /// For each beat, the bytes of it that are the transfer's.
    pub beats: Vec<Range<usize>>,
}

impl Elements {
    /// They follow each other without a gap.
    pub fn dense(&self) -> bool {
        self.stride == i32::from(self.bytes)
    }

    /// Those after the first.
    pub fn rest(self) -> Option<Elements> {
        let address = self.address.wrapping_add_signed(self.stride.into());
        (self.count > 1).then_some(Elements { address, count: self.count - 1, ..self })
    }

    /// Runs of bytes without a gap: first and last byte of each.
    fn runs(&self) -> Vec<(u64, u64)> {
        let bytes = u64::from(self.bytes);
        if self.dense() {
            return vec![(self.address, self.address + (bytes * u64::from(self.count) - 1))];
        }
        let elements = std::iter::successors(Some(*self), |elements| elements.rest());
        elements.map(|element| (element.address, element.address + (bytes - 1))).collect()
    }

    /// Their bursts on a bus with beats of `beat` bytes: of whole beats, as long as may be, those of a run after those
    /// of the one before.
    pub fn bursts(&self, beat: u64) -> Vec<Burst> {
        let window = (BEATS * beat).min(PAGE);
        let mut bursts = vec![];
        for (mut first, last) in self.runs() {
            loop {
                let end = last.min(first | (window - 1));
                let lanes = |number: u64| {
                    let from = number * beat;
                    (first.max(from) - from) as usize..(end.min(from + (beat - 1)) - from) as usize + 1
                };
                let beats = (first / beat..=end / beat).map(lanes).collect();
                bursts.push(Burst { address: first / beat * beat, beats });
                if end == last {
                    break;
                }
                first = end + 1;
            }
        }
        bursts
    }
}

/// The word and response channels' codes.
pub const OKAY: u8 = 0;
/// Bit that tells a response of an error.
pub const FAILED: u8 = 2;

/// Cycles in which a block moves what it can move.
const SOON: u32 = 16;
