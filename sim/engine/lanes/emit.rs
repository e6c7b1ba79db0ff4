//! Instructions for nodes with lanes.

use super::super::code::Slot;
use super::super::emit::{Emitter, spare};
use super::super::graph::{Graph, Id, Op};
use super::super::wide::Rare;
use super::each::{Each, Function, padded};

/// Lanes from which on a run is worth an instruction.
const RUN: usize = 4;

impl Emitter {
    /// The same function of each lane.
    pub(in crate::sim::engine) fn each(&mut self, g: &Graph, id: Id, d: Slot, slot: impl Fn(Id) -> Slot) {
        let node = g.node(id);
        let Op::Each { op, width, from } = &node.op else { unreachable!("the caller looks") };
        let (places, lanes): (Vec<usize>, Vec<bool>) =
            node.args.iter().map(|&a| (slot(a) as usize, g.limbs(a) > 1)).unzip();
        let (d, n, mask) = (d as usize, padded(g.limbs(id)), u64::MAX >> spare(*width));
        let sign = |width: u32| 1u64 << (width - 1);
        let signed = |width: Option<u32>| (width.map_or(0, sign), 0);
        let mut operands = [0, 1, 2];
        let (function, numbers) = match **op {
            Op::And => (Function::And, (0, 0)),
            Op::Or => (Function::Or, (0, 0)),
            Op::Xor => (Function::Xor, (0, 0)),
            Op::AndNot => (Function::AndNot, (0, 0)),
            Op::Add => (Function::Add, (0, 0)),
            Op::Sub => (Function::Sub, (0, 0)),
            Op::Mul(None) if *from <= 32 => (Function::MulShort, (0, 0)),
            Op::Mul(None) => (Function::Mul, (0, 0)),
            Op::Mul(Some((i, j))) => (Function::MulSigned, (sign(i), sign(j))),
            Op::Eq => (Function::Eq, (0, 0)),
            Op::Ne => (Function::Ne, (0, 0)),
            Op::Lt(width) => (if *from < 64 { Function::LtShort } else { Function::Lt }, signed(width)),
            Op::Le(width) => {
                // a ≤ b is b ≥ a.
                operands = [1, 0, 2];
                (if *from < 64 { Function::GeShort } else { Function::Ge }, signed(width))
            }
            Op::Mux => (Function::Mux, (0, 0)),
            Op::Parity => (Function::Parity, (0, 0)),
            Op::Bits(low) => (Function::Bits, (low.into(), 0)),
            Op::Zext => (Function::Bits, (0, 0)),
            Op::Shl => (Function::Shl, (0, 0)),
            Op::Shr | Op::Select => (Function::Shr, (0, 0)),
            Op::SetBit => (Function::SetBit, ((*width).into(), 0)),
            Op::Sext(old) => (Function::Sext, (sign(old), 0)),
            Op::Build(ref parts) => {
                // The base first, then one part after the other.
                let (mut base, mut shape) = (places[0], u8::from(lanes[0]));
                for (i, &(low, width)) in parts.iter().enumerate() {
                    let numbers = (low.into(), (u64::MAX >> spare(width)) << low);
                    shape |= u8::from(lanes[i + 1]) << 1;
                    if shape == 0 {
                        // Neither has lanes yet.
                        self.rare(Rare::Run { d, a: base, step: 0, n });
                        (base, shape) = (d, 1);
                    }
                    self.rare(Rare::Each(Each::new(
                        Function::Insert,
                        shape,
                        (d, n),
                        [base, places[i + 1], 0],
                        mask,
                        numbers,
                    )));
                    (base, shape) = (d, 1);
                }
                return;
            }
            _ => unreachable!("no lanes have such nodes"),
        };
        let from = operands.map(|i| places.get(i).copied().unwrap_or_default());
        let shape = (0..3).map(|i| u8::from(lanes.get(operands[i]) == Some(&true)) << i).sum();
        self.rare(Rare::Each(Each::new(function, shape, (d, n), from, mask, numbers)));
    }

    /// Lanes from other places: in runs of places at equal distances; from the last to the first if `down`.
    pub(in crate::sim::engine) fn gather(&mut self, d: Slot, from: &[Slot], down: bool) {
        let (mut at, mut runs) = (0, vec![]);
        while at < from.len() {
            let step = |i: usize| i64::from(from[i + 1]) - i64::from(from[i]);
            let mut n = 1;
            while at + n < from.len() && step(at + n - 1) == step(at) {
                n += 1;
            }
            let (d, last) = (d + at as Slot, from[at + n - 1]);
            // What lies between the places is read, too: the result must not be there.
            let clear = n > 1 && (step(at) == 1 || last < d || from[at] >= d + n as Slot);
            if n < RUN || step(at) < 0 || !clear {
                n = 1;
            }
            runs.push((d, from[at], if n > 1 { step(at) as usize } else { 1 }, n));
            at += n;
        }
        if down {
            runs.reverse();
        }
        for (d, a, step, n) in runs {
            match n {
                1 => self.copy(d, a, 1),
                n if step == 1 && a.abs_diff(d) as usize >= n => {
                    self.rare(Rare::Each(Each::copy(d as usize, a as usize, n)));
                }
                _ => self.rare(Rare::Run { d: d as usize, a: a as usize, step, n }),
            }
        }
    }
}

/// Whether lanes are taken from rows in such a way that the result may be one of these rows: each from its own place or one before it, so
/// that the last ones go first, which is true, or from its own place or one behind it.
pub(in crate::sim::engine) fn shifted(g: &Graph, args: &[Id], from: &[(u32, u32)]) -> Option<bool> {
    let row = |arg: u32| matches!(g.node(args[arg as usize]).op, Op::Leaf(_));
    let mut rows = from.iter().zip(0..).filter(|((arg, _), _)| row(*arg));
    if rows.clone().all(|(&(_, limb), lane)| limb <= lane) {
        return Some(true);
    }
    rows.all(|(&(_, limb), lane)| limb >= lane).then_some(false)
}
