//! Exchanges in warps for random kernels.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::random::Random;

impl Random {
    /// The same kernel as [`Random::kernel`] with exchanges in warps where all threads are still there, if it is
    /// structured.
    pub fn with_warps(seed: u64) -> String {
        Random::of(seed, Some(ChaCha8Rng::seed_from_u64(seed ^ 0x3a3a)), None)
    }
}

/// An exchange of all threads of a warp, with the lowest `registers` of `%r`, the size of a block in `%u1`, and `%t0`
/// to spare.
pub fn exchange(random: &mut impl Rng, registers: usize) -> String {
    let [d, a, b] = [(); 3].map(|()| format!("%r{}", random.random_range(0..registers)));
    let (p, q, amount) = (random.random_range(0..4), random.random_range(0..4), random.random_range(0..8_usize));
    match random.random_range(0..7) {
        0 => format!("rem.u32 %t0, {b}, %u1; shfl.sync.idx.b32 {d}, {a}, %t0, 31, -1;"),
        1 => format!("shfl.sync.up.b32 {d}|%p{p}, {a}, {amount}, {}, -1;", ["0", "6144"][amount % 2]),
        2 => format!("sub.s32 %t0, %u1, 1; shfl.sync.down.b32 {d}, {a}, {amount}, %t0, -1;"),
        3 => format!("vote.sync.{}.pred %p{p}, %p{q}, -1;", ["all", "any", "uni"][amount % 3]),
        6 => match amount {
            0..3 => format!("and.b32 %t0, {a}, 3; match.any.sync.b32 {d}, %t0, -1;"),
            3 => format!("match.all.sync.b32 {d}|%p{p}, {a}, -1;"),
            4 => format!("and.b32 %t0, {a}, 1; setp.lt.u32 %p{p}, %t0, 2; @%p{p} match.any.sync.b32 {d}, {a}, -1;"),
            _ => format!("add.u32 {d}, {a}, %lanemask_{};", ["lt", "ge", "gt"][amount - 5]),
        },
        4 => format!("vote.sync.ballot.b32 {d}, !%p{q}, -1;"),
        _ => {
            let what = ["add.u32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32"][amount];
            format!("redux.sync.{what} {d}, {a}, -1;")
        }
    }
}
