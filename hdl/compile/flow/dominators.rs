//! Dominators: which blocks lie on every way from a root to a block. With edges reversed and the exit as the root they
//! are post-dominators.

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

use super::{Successors, edges};

/// The tree of dominators.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// The nearest one of each block; none of the root and of blocks that cannot be reached.
    immediate: Vec<Option<usize>>,
}

impl Dominators {
    /// Those of a graph whose ways begin at `root`.
    pub fn of(successors: &Successors, root: usize) -> Dominators {
        let mut graph = DiGraph::<(), ()>::new();
        for _ in successors {
            graph.add_node(());
        }
        graph.extend_with_edges(edges(successors).map(|(from, to)| (from as u32, to as u32)));
        let tree = simple_fast(&graph, NodeIndex::new(root));
        let immediate = |block| tree.immediate_dominator(NodeIndex::new(block)).map(NodeIndex::index);
        Dominators { immediate: (0..successors.len()).map(immediate).collect() }
    }

    /// The nearest dominator of a block.
    pub fn immediate(&self, block: usize) -> Option<usize> {
        self.immediate[block]
    }

    /// The dominators of a block, itself first, up to the root.
    pub fn chain(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(block), |block| self.immediate[*block])
    }

    /// Whether every way to `block` passes `by`; a block lies on all ways to itself.
    pub fn dominates(&self, by: usize, block: usize) -> bool {
        self.chain(block).any(|on_the_way| on_the_way == by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{random, reached, reversed};

    /// A block is a dominator if no way to the other one is left without it.
    #[test]
    fn agree_with_ways() {
        let mut seen = 0;
        for graph in random::graphs(300) {
            for (graph, root) in [(graph.clone(), 0), (reversed(&graph), graph.len() - 1)] {
                let found = Dominators::of(&graph, root);
                let all = reached(&graph, [root], None);
                for by in 0..graph.len() {
                    let without = reached(&graph, [root], Some(by));
                    for block in (0..graph.len()).filter(|block| all[*block] && all[by] && *block != by) {
                        assert_eq!(found.dominates(by, block), !without[block], "{by} {block} of {graph:?}");
                        seen += usize::from(!without[block]);
                    }
                }
                for block in (0..graph.len()).filter(|block| all[*block] && *block != root) {
                    let nearest = found.immediate(block).expect("it can be reached");
                    let others = (0..graph.len()).filter(|by| *by != block && all[*by] && found.dominates(*by, block));
                    assert!(others.into_iter().all(|by| found.dominates(by, nearest)));
                }
            }
        }
        assert!(seen > 2000, "{seen} pairs");
    }
}
