//! Natural loops and their forest. A graph with a loop that has two ways in is irreducible, and refused: masks have no
//! place where the threads of such a loop meet.

use super::dominators::Dominators;
use super::{Successors, edges, reversed};

/// A natural loop: what reaches its header again without leaving it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The block through which it is entered.
    pub header: usize,
    /// Whether each block is in it.
    pub inside: Vec<bool>,
}

impl Loop {
    /// How many blocks it has.
    pub fn size(&self) -> usize {
        self.inside.iter().filter(|inside| **inside).count()
    }
}

/// The loops of a graph, inner ones first; one for each header.
///
/// # Errors
///
/// An edge that leads back into a loop at a block that is not its only way in.
pub fn natural(successors: &Successors, dominators: &Dominators) -> Result<Vec<Loop>, (usize, usize)> {
    let back = |(from, to): &(usize, usize)| dominators.dominates(*to, *from);
    if let Some(edge) = retreating(successors, |from, to| back(&(from, to))) {
        return Err(edge);
    }
    let before = reversed(successors);
    let mut found: Vec<Loop> = Vec::new();
    for (latch, header) in edges(successors).filter(back) {
        let at = found.iter().position(|one| one.header == header).unwrap_or_else(|| {
            let mut inside = vec![false; successors.len()];
            inside[header] = true;
            found.push(Loop { header, inside });
            found.len() - 1
        });
        let mut open = vec![latch];
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut found[at].inside[block], true) {
                open.extend(&before[block]);
            }
        }
    }
    found.sort_by_key(|one| (one.size(), one.header));
    Ok(found)
}

/// An edge of a circle that is left when edges to dominators are taken away.
fn retreating(successors: &Successors, back: impl Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
    // 0: not seen, 1: on the way, 2: done.
    let mut state = vec![0; successors.len()];
    let mut way = vec![(0, 0)];
    state[0] = 1;
    while let Some((block, next)) = way.last_mut() {
        let from = *block;
        match successors[from].get(*next).copied() {
            Some(to) => {
                *next += 1;
                match state[to] {
                    _ if back(from, to) => {}
                    0 => {
                        state[to] = 1;
                        way.push((to, 0));
                    }
                    1 => return Some((from, to)),
                    _ => {}
                }
            }
            None => {
                state[from] = 2;
                way.pop();
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{random, reached};

    /// By definition: blocks that the header dominates and from which a way leads back to it that stays among them.
    fn naive(graph: &Successors, header: usize) -> Option<Vec<bool>> {
        let without = reached(graph, [0], Some(header));
        let own: Vec<bool> = (0..graph.len()).map(|block| block == header || !without[block]).collect();
        let kept: Successors = graph
            .iter()
            .enumerate()
            .map(|(from, to)| to.iter().copied().filter(|to| own[from] && own[*to]).collect())
            .collect();
        let returns = |block: usize| reached(&kept, kept[block].iter().copied(), None)[header];
        // A way from the header that stays among its blocks and comes back.
        returns(header).then(|| (0..graph.len()).map(|block| own[block] && returns(block)).collect())
    }

    #[test]
    fn agree_with_their_definition() {
        let (mut loops, mut refused, mut nested) = (0, 0, 0);
        for graph in random::graphs(600) {
            let dominators = Dominators::of(&graph, 0);
            match natural(&graph, &dominators) {
                Ok(found) => {
                    loops += found.len();
                    for header in 0..graph.len() {
                        let one = found.iter().find(|one| one.header == header).map(|one| one.inside.clone());
                        assert_eq!(one, naive(&graph, header), "header {header} of {graph:?}");
                    }
                    for (at, inner) in found.iter().enumerate() {
                        for outer in &found[at + 1..] {
                            let both = (0..graph.len()).filter(|b| inner.inside[*b] && outer.inside[*b]).count();
                            assert!(both == 0 || both == inner.size(), "{graph:?}");
                            nested += usize::from(both > 0);
                        }
                    }
                }
                Err((from, to)) => {
                    refused += 1;
                    assert!(!dominators.dominates(to, from) && reached(&graph, [to], None)[from], "{graph:?}");
                }
            }
        }
        assert!(loops > 200 && refused > 20 && nested > 20, "{loops} {refused} {nested}");
    }
}
