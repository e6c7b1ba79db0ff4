//! Nodes whose operations are called.

use super::called::Called;
use super::translate::Translator;
use crate::graph::{Id, Op};
use crate::lanes::emit::{each, gather, shifted};

impl Translator<'_, '_> {
    /// Calls an operation for a node.
    pub(crate) fn operation(&mut self, id: Id) {
        let g = self.edge.g;
        let node = g.node(id);
        let (d, width) = (self.slot(id), node.width);
        let slot = |t: &Self, i: usize| t.slot(node.args[i]) as usize;
        let at = |t: &Self, id: Id| t.slot(id);
        let (du, a) = (d as usize, slot(self, 0));
        let count = g.limbs(node.args[0]);
        let operation = match node.op {
            Op::Each { .. } => {
                for operation in each(g, id, d, |id| at(self, id)) {
                    self.call(operation);
                }
                return;
            }
            Op::Gather { bits, ref from } => {
                let down = shifted(g, &node.args, from) == Some(true);
                let many = 64 / bits;
                let places: Vec<u32> =
                    from.iter().map(|&(number, lane)| at(self, node.args[number as usize]) * many + lane).collect();
                for operation in gather(bits, d * many, &places, down) {
                    self.call(operation);
                }
                return;
            }
            Op::AllOf(m) | Op::NoneOf(m) => {
                let (nor, memory) = (matches!(node.op, Op::NoneOf(_)), self.edge.memories[m]);
                Called::Search { d: du, select: a, memory, width, nor }
            }
            Op::Add | Op::Sub => Called::Sum { d: du, a, b: slot(self, 1), width, subtract: node.op == Op::Sub },
            Op::Mul(signed) => {
                let b = (slot(self, 1), g.limbs(node.args[1]));
                Called::Product { d: du, a: (a, count), b, width, signed }
            }
            Op::Lt(signed) | Op::Le(signed) => {
                let or_equal = matches!(node.op, Op::Le(_));
                Called::Less { d: du, a, b: slot(self, 1), limbs: count, signed, or_equal }
            }
            Op::Bits(low) => Called::Bits { d: du, a, limbs: count, low, width },
            Op::Shl | Op::Shr | Op::Select => {
                let up = node.op == Op::Shl;
                Called::Shift { d: du, a, limbs: count, by: slot(self, 1), width, up }
            }
            Op::SetBit => Called::SetBit { d: du, a, bit: slot(self, 1), at: slot(self, 2), width },
            Op::Sext(old) => Called::Sext { d: du, a, old, width },
            _ => unreachable!("{:?} is computed in place", node.op),
        };
        self.call(operation);
    }
}
