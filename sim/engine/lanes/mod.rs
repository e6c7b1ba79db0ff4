//! Lanes: parts of a design that are there many times become one part whose values have a limb for each copy.
//!
//! Inputs, registers and read ports whose paths differ in one number are *rows*: they lie side by side in the state, a
//! lane in each limb, and are one leaf of many limbs. What the registers of a row take next is then followed backwards
//! through all lanes at the same time. As long as the nodes that it meets do the same, they become one [`Op::Each`],
//! which costs one loop for all lanes; what all lanes share stays as it is, so that a choice that all lanes make
//! alike is a branch around everything that only one side of it needs. Where lanes differ, a part of them may still be
//! alike; a [`Op::Gather`] puts together what was computed apart. It also takes lanes from other places of a row, as
//! the nodes of a tree do.
//!
//! Nothing but speed depends on the paths: they propose rows, the nodes decide. A leaf of a row keeps its number and
//! has a limb of its own, so that whatever looks at single registers finds them.

mod choice;
mod compute;
mod convert;
pub(super) mod each;
pub(super) mod element;
pub(super) mod emit;
mod functions;
pub(super) mod grid;
pub(super) mod reuse;
mod rows;

use super::context::price;
use super::graph::{Graph, Id};

/// Lanes that a row has at least.
const FEWEST: usize = 8;
/// What remains of the time must be at most this part: rows change what is evaluated only when it is due.
const SHARE: (u64, u64) = (3, 4);

/// What clock edges need, with lanes; nothing if that is not worth it.
pub(super) fn lanes(g: &Graph) -> Option<Graph> {
    let rows: Vec<_> = rows::rows(g, FEWEST).into_iter().filter(|row| rows::alike(g, row)).collect();
    if rows.is_empty() {
        return None;
    }
    let lanes = convert::convert(g, &rows, &rows::stores(g, FEWEST), FEWEST);
    (time(&lanes) * SHARE.1 <= time(g) * SHARE.0).then_some(lanes)
}

/// The same with as many lanes as possible, wherever that is right.
#[cfg(test)]
pub(super) fn all_lanes(g: &Graph, fewest: usize) -> Graph {
    convert::convert(g, &rows::rows(g, fewest), &rows::stores(g, fewest), fewest)
}

/// Time that a clock edge takes if everything is evaluated.
fn time(g: &Graph) -> u64 {
    let mut needed = vec![false; g.nodes.len()];
    g.roots().iter().for_each(|id| needed[id.0 as usize] = true);
    let mut time = 0;
    for index in (0..g.nodes.len()).rev() {
        if needed[index] {
            g.nodes[index].args.iter().for_each(|a| needed[a.0 as usize] = true);
            let limbs = g.limbs(Id(index as u32)) as u64;
            time += u64::from(price(g, Id(index as u32))).min(2 + limbs / 4);
        }
    }
    time
}
