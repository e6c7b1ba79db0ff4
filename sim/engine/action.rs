//! Actions: the pieces of work of a clock edge, and which may overwrite what they read.

use super::graph::{Graph, Id, Op};
use super::lanes::emit::shifted;
use crate::layout::Slot;

/// A piece of work.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Computes a node.
    Compute(Id),
    /// Copies limbs: a node's, or what is at a place.
    Move { id: Option<Id>, from: Slot, to: Slot, limbs: usize },
    /// Writes to a memory: number of the store.
    Store(usize),
    /// Looks which groups are due.
    Look,
    /// Nothing: both arms of a multiplexer are done.
    Join,
}

/// Whether a node's code reads every operand before it writes, or limb by limb.
pub(super) fn in_place(g: &Graph, id: Id) -> bool {
    let node = g.node(id);
    match &node.op {
        Op::And | Op::Or | Op::Xor | Op::AndNot | Op::Mux | Op::Add | Op::Sub | Op::Word(_) => true,
        Op::AllOf(_) | Op::NoneOf(_) => false,
        Op::Gather { from, .. } => shifted(g, &node.args, from).is_some(),
        // A row is the place of lanes of one size, so that what is read of it in a turn is what is written.
        Op::Each { op, .. } => !matches!(&**op, Op::Build(parts) if parts.len() > 1),
        Op::Build(parts) => parts.len() == 1 && g.limbs(id) == 1,
        _ => node.args.iter().all(|&a| g.limbs(a) == 1) && g.limbs(id) == 1,
    }
}
