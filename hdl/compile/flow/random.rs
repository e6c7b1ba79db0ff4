//! Random graphs for tests: every block can be reached from the first and reaches the last.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Successors, reached, reversed};

/// So many graphs of 3 to 14 blocks with any edges.
pub fn graphs(count: usize) -> Vec<Successors> {
    let seed = 11;
    println!("seed {seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let blocks = random.random_range(3..15);
        let mut graph: Successors = (0..blocks)
            .map(|block| {
                let mut to = vec![(block + 1).min(blocks - 1)];
                if random.random_bool(0.6) {
                    // Few edges lead back, or nearly all graphs were irreducible.
                    let back = random.random_bool(0.3);
                    to.push(if back { random.random_range(0..=block) } else { random.random_range(block..blocks) });
                }
                if random.random_bool(0.2) {
                    to.remove(0);
                }
                to.sort_unstable();
                to.dedup();
                to
            })
            .collect();
        graph[blocks - 1].clear();
        let there = reached(&graph, [0], None);
        let back = reached(&reversed(&graph), [blocks - 1], None);
        if there.iter().chain(&back).all(|reached| *reached) {
            found.push(graph);
        }
    }
    found
}
