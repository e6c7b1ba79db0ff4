//! The order in which blocks are written down: each after what leads to it but for edges back to headers, each loop in
//! one piece behind its header. Masks need both: who waits is found by blocks that are later, or by a jump to a header.

use super::Successors;
use super::loops::Loop;

/// The order: blocks by their place. Loops are inner ones first, as [`super::loops::natural`] gives them.
///
/// # Panics
///
/// If a loop came to lie in two pieces.
pub fn order(successors: &Successors, loops: &[Loop]) -> Vec<usize> {
    let count = successors.len();
    let all = vec![true; count];
    let found = within(successors, loops, &all, 0, None);
    assert_eq!(found.len(), count, "every block has its place");
    let mut places = vec![0; count];
    found.iter().enumerate().for_each(|(place, block)| places[*block] = place);
    for one in loops {
        let mut own: Vec<usize> = (0..count).filter(|block| one.inside[*block]).map(|block| places[block]).collect();
        own.sort_unstable();
        let whole = own.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        assert!(whole && own[0] == places[one.header], "a loop lies in pieces: {found:?}");
    }
    found
}

/// The blocks of a region from its first on, which is the header of loop `own` if the region is one; loops in it are
/// one piece each. Of blocks that may come next the one with the lowest number does.
fn within(successors: &Successors, loops: &[Loop], region: &[bool], first: usize, own: Option<usize>) -> Vec<usize> {
    let count = successors.len();
    // What stands for a block: the header of the outermost loop in the region that it is in.
    let strictly = |one: &&Loop| Some(one.header) != own && (0..count).all(|block| !one.inside[block] || region[block]);
    let piece: Vec<usize> = (0..count)
        .map(|block| {
            let outermost = loops.iter().filter(strictly).rfind(|one| one.inside[block]);
            outermost.map_or(block, |one| one.header)
        })
        .collect();
    let inner = |from: usize, to: usize| region[from] && region[to] && piece[from] != piece[to] && to != first;
    let mut waiting = vec![0; count];
    for (_, to) in super::edges(successors).filter(|(from, to)| inner(*from, *to)) {
        waiting[piece[to]] += 1;
    }
    let mut ready = std::collections::BTreeSet::from([first]);
    let mut found = Vec::new();
    while let Some(next) = ready.pop_first() {
        let own = loops.iter().filter(strictly).rfind(|one| one.header == next);
        let blocks = match own {
            Some(one) => within(successors, loops, &one.inside, next, Some(next)),
            None => vec![next],
        };
        for from in &blocks {
            for to in successors[*from].iter().filter(|to| inner(*from, **to)) {
                waiting[piece[*to]] -= 1;
                if waiting[piece[*to]] == 0 {
                    ready.insert(piece[*to]);
                }
            }
        }
        found.extend(blocks);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::dominators::Dominators;
    use crate::flow::{edges, loops, random};

    #[test]
    fn blocks_follow_what_leads_to_them() {
        let mut laid = 0;
        for graph in random::graphs(600) {
            let dominators = Dominators::of(&graph, 0);
            let Ok(loops) = loops::natural(&graph, &dominators) else { continue };
            let order = order(&graph, &loops);
            let place = |block| order.iter().position(|other| *other == block).expect("a place");
            for (from, to) in edges(&graph).filter(|(from, to)| !dominators.dominates(*to, *from)) {
                assert!(place(from) < place(to), "{from} {to} of {graph:?}: {order:?}");
            }
            assert_eq!((order[0], order[graph.len() - 1]), (0, graph.len() - 1));
            laid += 1;
        }
        assert!(laid > 300, "{laid}");
    }
}
