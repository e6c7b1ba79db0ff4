//! Which values a thread still needs where: backwards from uses to writes, as each thread goes by itself.

use fixedbitset::FixedBitSet;

use super::Successors;

/// What a block does with values: those that it reads before it writes them, and those that it writes.
#[derive(Clone, Debug)]
pub struct Effect {
    /// Read before any write.
    pub reads: FixedBitSet,
    /// Written in any case.
    pub writes: FixedBitSet,
}

/// Values that live at the beginning of each block.
pub fn live_in(successors: &Successors, effects: &[Effect], values: usize) -> Vec<FixedBitSet> {
    let mut live = vec![FixedBitSet::with_capacity(values); successors.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..successors.len()).rev() {
            let mut now = live_out(successors, &live, block, values);
            now.difference_with(&effects[block].writes);
            now.union_with(&effects[block].reads);
            if now != live[block] {
                (live[block], changed) = (now, true);
            }
        }
    }
    live
}

/// Values that live at the end of a block.
pub fn live_out(successors: &Successors, live_in: &[FixedBitSet], block: usize, values: usize) -> FixedBitSet {
    let mut live = FixedBitSet::with_capacity(values);
    successors[block].iter().for_each(|next| live.union_with(&live_in[*next]));
    live
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{random, reached};
    use rand::{Rng, SeedableRng};

    /// A value lives in a block if a way from there meets a read of it before a write.
    #[test]
    fn agree_with_ways() {
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        let mut alive = 0;
        for graph in random::graphs(200) {
            let mut set = |share: f64| {
                let mut set = FixedBitSet::with_capacity(4);
                (0..4).for_each(|value| set.set(value, random.random_bool(share)));
                set
            };
            let effects: Vec<Effect> = graph.iter().map(|_| Effect { reads: set(0.15), writes: set(0.25) }).collect();
            let found = live_in(&graph, &effects, 4);
            for value in 0..4 {
                // Ways end where the value is written.
                let kept = |from: usize| !effects[from].writes[value];
                let ways =
                    graph.iter().enumerate().map(|(b, to)| if kept(b) { to.clone() } else { Vec::new() }).collect();
                for block in 0..graph.len() {
                    let met = reached(&ways, [block], None);
                    let expected = (0..graph.len()).any(|other| met[other] && effects[other].reads[value]);
                    assert_eq!(found[block][value], expected, "{value} in {block} of {graph:?}");
                    alive += usize::from(expected);
                }
            }
        }
        assert!(alive > 500, "{alive}");
    }
}
