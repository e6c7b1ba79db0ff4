//! Control flow: blocks of a kernel, and what graphs of blocks say.
//!
//! ```text
//! Kernel ─▶ graph: blocks, one exit ─▶ dominators, both ways ─▶ loops ─▶ layout: an order of blocks
//!                     └ webs: registers by the uses that their writes reach ─▶ liveness
//! ```
//! Blocks are numbers; the entry is 0, the exit the last one. A graph is the list of each block's successors.

pub mod dominators;
pub mod graph;
pub mod layout;
pub mod liveness;
pub mod loops;
pub mod webs;

#[cfg(test)]
pub mod random;

/// Successors of each block.
pub type Successors = Vec<Vec<usize>>;

/// The same edges the other way.
pub fn reversed(successors: &Successors) -> Successors {
    let mut found = vec![Vec::new(); successors.len()];
    for (from, to) in edges(successors) {
        found[to].push(from);
    }
    found
}

/// All edges, each once.
pub fn edges(successors: &Successors) -> impl Iterator<Item = (usize, usize)> + '_ {
    successors.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from, *to)))
}

/// Blocks that a walk from these meets, `stop` neither entered nor passed.
pub fn reached(successors: &Successors, from: impl IntoIterator<Item = usize>, stop: Option<usize>) -> Vec<bool> {
    let mut seen = vec![false; successors.len()];
    let mut open: Vec<usize> = from.into_iter().collect();
    while let Some(block) = open.pop() {
        if Some(block) != stop && !std::mem::replace(&mut seen[block], true) {
            open.extend(&successors[block]);
        }
    }
    seen
}
