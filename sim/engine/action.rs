//! Actions: the pieces of work of a clock edge, which of them become one instruction, and which may overwrite what they
//! read.

use super::code::Slot;
use super::graph::{Graph, Id, Op};
use super::lanes::emit::shifted;

/// A piece of work.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Computes a node.
    Compute(Id),
    /// Copies limbs.
    Move { from: Slot, to: Slot, limbs: usize },
    /// Writes to a memory: number of the store.
    Store(usize),
    /// Looks which groups are due: number of the stage.
    Look(usize),
    /// Nothing: both arms of a multiplexer are done.
    Join,
}

/// Number of kinds.
pub(super) const KINDS: usize = 12;

/// The kind of an action.
pub(super) fn kind(g: &Graph, action: &Action) -> usize {
    match *action {
        Action::Compute(id) => {
            let node = g.node(id);
            let small = node.args.iter().all(|&a| g.limbs(a) == 1) && g.limbs(id) == 1;
            match node.op {
                Op::Bits(_) if g.limbs(id) == 1 => 1,
                Op::Test { .. } => 2,
                Op::Choose { .. } if g.limbs(id) == 1 => 9,
                Op::Eq | Op::Ne if small => 2,
                Op::Word(_) if small => 8,
                Op::Mux if small => 3,
                Op::Mux => 10,
                Op::Word(_) => 11,
                Op::Add | Op::Sub if small => 4,
                Op::Table(_) if node.args.len() <= 3 => 5,
                Op::Table(_) => 6,
                _ => 0,
            }
        }
        Action::Move { limbs: 1, .. } => 7,
        _ => 0,
    }
}

/// Whether a node's code reads every operand before it writes, or limb by limb.
pub(super) fn in_place(g: &Graph, id: Id) -> bool {
    let node = g.node(id);
    match &node.op {
        Op::And | Op::Or | Op::Xor | Op::AndNot | Op::Mux | Op::Choose { .. } | Op::Add | Op::Sub | Op::Word(_) => true,
        Op::AllOf(_) | Op::NoneOf(_) => false,
        Op::Gather { from, .. } => shifted(g, &node.args, from).is_some(),
        // A row is the place of lanes of one size, so that what is read of it in a turn is what is written.
        Op::Each { op, .. } => !matches!(&**op, Op::Build(parts) if parts.len() > 1),
        Op::Build(parts) => parts.len() == 1 && g.limbs(id) == 1,
        _ => node.args.iter().all(|&a| g.limbs(a) == 1) && g.limbs(id) == 1,
    }
}
