//! Instructions for nodes with lanes.

use super::super::code::Slot;
use super::super::emit::{Emitter, spare};
use super::super::graph::{Graph, Id, Op};
use super::super::wide::Rare;
use super::each::{Each, Function, Level, Operand};

/// Lanes from which on a run is worth an instruction.
const RUN: usize = 4;

impl Emitter {
    /// The same function of each lane.
    pub(in crate::sim::engine) fn each(&mut self, g: &Graph, id: Id, d: Slot, slot: impl Fn(Id) -> Slot) {
        let node = g.node(id);
        let Op::Each { op, width, from } = &node.op else { unreachable!("the caller looks") };
        let operand = |i: usize| {
            let at = node.args.get(i).map_or(0, |&a| slot(a)) as usize;
            if node.args.get(i).is_some_and(|&a| g.limbs(a) > 1) { Operand::Lanes(at) } else { Operand::One(at) }
        };
        let (d, n, mask) = (d as usize, g.limbs(id), u64::MAX >> spare(*width));
        let level = Level::best();
        let sign = |width: u32| 1u64 << (width - 1);
        let (mut a, mut b, c) = (operand(0), operand(1), operand(2));
        let function = match **op {
            Op::And => Function::And,
            Op::Or => Function::Or,
            Op::Xor => Function::Xor,
            Op::AndNot => Function::AndNot,
            Op::Add => Function::Add,
            Op::Sub => Function::Sub,
            Op::Mul(None) if *from <= 32 => Function::MulShort,
            Op::Mul(None) => Function::Mul,
            Op::Mul(Some((i, j))) => Function::MulSigned(sign(i), sign(j)),
            Op::Eq => Function::Eq,
            Op::Ne => Function::Ne,
            Op::Lt(signed) if *from < 64 => Function::LtShort(signed.map_or(0, sign)),
            Op::Lt(signed) => Function::Lt(signed.map_or(0, sign)),
            Op::Le(signed) if *from < 64 => Function::GeShort(signed.map_or(0, sign)),
            Op::Le(signed) => Function::Ge(signed.map_or(0, sign)),
            Op::Mux => Function::Mux,
            Op::Parity => Function::Parity,
            Op::Bits(low) => Function::Bits(low),
            Op::Zext => Function::Bits(0),
            Op::Shl => Function::Shl,
            Op::Shr | Op::Select => Function::Shr,
            Op::SetBit => Function::SetBit(*width),
            Op::Sext(old) => Function::Sext(sign(old)),
            Op::Build(ref parts) => {
                // The base first, then one part after the other.
                let mut base = a;
                for (i, &(low, width)) in parts.iter().enumerate() {
                    let function = Function::Insert(low, (u64::MAX >> spare(width)) << low);
                    self.rare(Rare::Each(Each { function, d, n, a: base, b: operand(i + 1), c, mask, level }));
                    base = Operand::Lanes(d);
                }
                return;
            }
            _ => unreachable!("no lanes have such nodes"),
        };
        if matches!(function, Function::Ge(_) | Function::GeShort(_)) {
            // a ≤ b is b ≥ a.
            (a, b) = (b, a);
        }
        self.rare(Rare::Each(Each { function, d, n, a, b, c, mask, level }));
    }

    /// Lanes from other places: in runs of places at equal distances.
    pub(in crate::sim::engine) fn gather(&mut self, d: Slot, from: &[Slot]) {
        let mut at = 0;
        while at < from.len() {
            let step = |i: usize| i64::from(from[i + 1]) - i64::from(from[i]);
            let mut n = 1;
            while at + n < from.len() && step(at + n - 1) == step(at) {
                n += 1;
            }
            let d = d + at as Slot;
            // What lies between the places is read, too: the result must not be there.
            let clear = from[at + n - 1] < d || from[at] >= d + n as Slot;
            if n >= RUN && step(at) >= 0 && clear {
                self.rare(Rare::Run { d: d as usize, a: from[at] as usize, step: step(at) as usize, n });
            } else {
                n = 1;
                self.copy(d, from[at], 1);
            }
            at += n;
        }
    }
}
