//! Requests to the cache ways: near each other or not, for a while.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::model::duality::cache::CacheRequest;

/// How requests and memory behave for a while.
#[derive(Clone, Copy, Debug)]
pub struct Mood {
    /// Requests in eight cycles, hints in eight requests, writes in eight.
    pub eighths: [u32; 3],
    /// Lines that requests are among, and from which on.
    lines: u64,
    first: u64,
    /// Lines from one to the next.
    stride: u64,
    /// Whether words follow each other.
    streams: bool,
}

impl Mood {
    /// Any, for a memory of so many lines.
    pub fn some(rng: &mut ChaCha8Rng, lines: u64, sets: u64) -> Mood {
        let few = rng.random_range(0..4) > 0;
        let stride = if rng.random_range(0..3) == 0 { sets } else { 1 };
        Mood {
            eighths: [rng.random_range(1..=8), rng.random_range(0..=5), rng.random_range(0..=8)],
            lines: if few { rng.random_range(1..40) } else { lines + 2 },
            first: rng.random_range(0..lines),
            stride,
            streams: rng.random_range(0..3) == 0,
        }
    }

    /// A request; `last` is the word of the one before, from the memory's base on.
    pub fn request(&self, rng: &mut ChaCha8Rng, base: u64, lines: u64, last: &mut u64) -> CacheRequest {
        // Two lines are beyond the memory.
        let place = if self.streams {
            *last += rng.random_range(0..2);
            *last
        } else if rng.random_range(0..6) == 0 {
            *last
        } else {
            8 * (self.first + self.stride * rng.random_range(0..self.lines)) + rng.random_range(0..8)
        };
        *last = place % (8 * (lines + 2));
        let hint = rng.random_range(0..8) < self.eighths[1];
        let writes = rng.random_range(0..8) < self.eighths[2];
        CacheRequest {
            address: (base + 8 * *last + rng.random_range(0..8)) as u32,
            write: (writes && (!hint || rng.random())).then(|| rng.random()),
            strobes: if rng.random() { 255 } else { rng.random() },
            hint,
            whole: false,
        }
    }
}
