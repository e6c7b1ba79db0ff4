//! Model of the burst generator.

use super::Elements;

/// Bits of a distance.
const STRIDE: u32 = 0xf_ffff;

/// Bytes that are to be covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Address of the first.
    pub address: u64,
    /// How many are left of the run.
    pub bytes: u16,
    /// Where the run started.
    pub base: u64,
    /// Runs after it.
    pub runs: u16,
    /// Bytes of an element.
    pub element: u8,
    /// Bytes from a run to the next.
    pub stride: i32,
}

/// A burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Address of its first beat.
    pub address: u64,
    /// Beats.
    pub beats: u16,
}

/// The generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BurstGenerator {
    beat: u64,
    /// What is left to do.
    pub piece: Option<Piece>,
    /// The burst on offer.
    pub offered: Option<Burst>,
}

impl BurstGenerator {
    /// A generator for beats of `beat` bytes.
    pub fn new(beat: u64) -> BurstGenerator {
        BurstGenerator { beat, piece: None, offered: None }
    }

    /// Something is left to do.
    pub fn busy(&self) -> bool {
        self.piece.is_some() || self.offered.is_some()
    }

    /// One clock edge: a transfer that is offered, and whether the burst on offer is taken.
    pub fn step(&mut self, start: Option<&Elements>, ready: bool) {
        let piece = self.piece;
        if ready {
            self.offered = None;
        }
        if let (Some(piece), None) = (piece, self.offered) {
            let window = (256 * self.beat).min(4096);
            let room = window - piece.address % window;
            let bytes = room.min(piece.bytes.into());
            let (first, last) = (piece.address / self.beat, (piece.address + (bytes - 1)) / self.beat);
            self.offered = Some(Burst { address: first * self.beat, beats: (last - first + 1) as u16 });
            let left = u64::from(piece.bytes) - bytes;
            let next = piece.base.wrapping_add_signed(piece.stride.into());
            self.piece = if left > 0 {
                Some(Piece { address: piece.address.wrapping_add(bytes), bytes: left as u16, ..piece })
            } else if piece.runs > 0 {
                let bytes = piece.element.into();
                Some(Piece { address: next, base: next, bytes, runs: piece.runs - 1, ..piece })
            } else {
                None
            };
        }
        if let Some(start) = start.filter(|_| piece.is_none()) {
            let (runs, bytes) = start.runs();
            let Elements { address, bytes: element, stride, .. } = *start;
            self.piece = Some(Piece { address, bytes, base: address, runs: runs - 1, element, stride });
        }
    }
}

/// A distance as the hardware has it.
pub(super) fn stride(stride: i32) -> u64 {
    u64::from(stride as u32 & STRIDE)
}

state! {
    BurstGenerator(self) {
        active = self.piece.is_some();
        when (let Some(piece) = self.piece) {
            piece => address, base, runs;
            rest = u64::from(piece.bytes) - 1;
            run_rest = u64::from(piece.element) - 1;
            stride = stride(piece.stride);
        }
        offered = self.offered.is_some();
        when (let Some(burst) = self.offered) {
            offered_address = burst.address;
            offered_length = u64::from(burst.beats) - 1;
        }
    }
}
