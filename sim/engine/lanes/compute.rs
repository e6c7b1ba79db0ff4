//! Functions of lanes as nodes: in how many bits their operands and their results are kept.

use super::super::graph::{Id, Node, Op};
use super::convert::{Convert, Side};
use super::element::element_bits;

impl Convert<'_> {
    /// Lanes that are kept in so many bits: more than there are get zeros, fewer lose what is above.
    pub(super) fn fitted(&mut self, side: Side, lanes: usize, bits: u32) -> Id {
        let width = bits * lanes as u32;
        match side {
            Side::Lanes(id, own) if own == bits => id,
            Side::Lanes(id, own) => match self.new.constant_of(id) {
                Some(value) => {
                    let value = unpacked(value, lanes, own);
                    self.constant(&value, bits)
                }
                None => {
                    let op = Op::Each { op: Box::new(Op::Bits(0)), width: own.min(bits), of: own, to: bits };
                    self.new.push(op, vec![id], width)
                }
            },
            Side::Same(id) => match self.new.constant_of(id) {
                Some(value) => {
                    let value = vec![value[0]; lanes];
                    self.constant(&value, bits)
                }
                None => self.new.push(Op::Gather { bits, from: vec![(0, 0); lanes] }, vec![id], width),
            },
        }
    }

    /// A constant for each lane.
    pub(super) fn constant(&mut self, values: &[u64], bits: u32) -> Id {
        self.new.constant(packed(values, bits), bits * values.len() as u32)
    }

    /// A function of operands of which some have lanes; the widest has `from` bits.
    pub(super) fn computed(&mut self, op: Op, args: Vec<Side>, lanes: usize, width: u32, from: u32) -> Side {
        let bits = element_bits(width, lanes);
        if let (&Op::Mux, &[Side::Same(c), a, b]) = (&op, &args[..]) {
            let (a, b) = (self.fitted(a, lanes, bits), self.fitted(b, lanes, bits));
            return Side::Lanes(self.new.mux(c, a, b, bits * lanes as u32), bits);
        }
        let (op, mut args) = self.bit(op, args, lanes);
        // A field of the lower half of words: often they are words only because of what is above it.
        if let (&Op::Bits(low), &[Side::Lanes(all, 64)]) = (&op, &args[..])
            && element_bits(32, lanes) == 32
            && low + width <= 32
            && let Some(half) = self.half(all, lanes)
        {
            if low == 0 && width == 32 {
                return Side::Lanes(half, 32);
            }
            args = vec![Side::Lanes(half, 32)];
        }
        let wide = element_bits(from, lanes);
        // Bits that the lanes of the operands and of the result are kept in.
        let (op, of, to) = match op {
            // Whatever is above the result's bits does not matter to it.
            Op::And | Op::Or | Op::Xor | Op::AndNot | Op::Add | Op::Sub | Op::Build(_) => (op, bits, bits),
            Op::Mul(None) if wide == 32 => (op, wide, bits.max(wide)),
            Op::Mul(Some((i, j))) if element_bits(i.max(j), lanes) == 32 => (op, 32, bits.max(32)),
            Op::Mul(Some((i, j))) => {
                (op, bits.max(element_bits(i.max(j), lanes)), bits.max(element_bits(i.max(j), lanes)))
            }
            Op::Eq | Op::Ne | Op::Lt(_) | Op::Le(_) | Op::Parity => (op, wide, bits),
            Op::Bits(_) => match args[..] {
                [Side::Lanes(_, own)] => (op, own, bits),
                _ => (op, wide, bits),
            },
            Op::Zext => (Op::Bits(0), wide, bits),
            Op::Mux => (op, element_bits(1, lanes), bits),
            // Shifts, signs and single bits.
            _ => (op, bits.max(wide), bits.max(wide)),
        };
        let place = |i: usize| if op == Op::Mux && i > 0 { to } else { of };
        let args: Vec<Id> = args.into_iter().enumerate().map(|(i, side)| self.fitted(side, lanes, place(i))).collect();
        let all = self.new.push(Op::Each { op: Box::new(op), width, of, to }, args, to * lanes as u32);
        Side::Lanes(self.fitted(Side::Lanes(all, to), lanes, bits), bits)
    }

    /// The lower halves of lanes that are kept in words, if they can be had from what is kept in less.
    fn half(&mut self, id: Id, lanes: usize) -> Option<Id> {
        if let Some(&known) = self.halves.get(&id) {
            return known;
        }
        let Node { op, args, .. } = self.new.node(id).clone();
        let all = 32 * lanes as u32;
        let half = match op {
            Op::Const(value) => {
                let values = unpacked(&value, lanes, 64);
                Some(self.constant(&values, 32))
            }
            Op::Mux => {
                let (a, b) = (self.half(args[1], lanes)?, self.half(args[2], lanes)?);
                Some(self.new.mux(args[0], a, b, all))
            }
            Op::Each { op, of: of @ (8 | 32), to: 64, .. } if *op == Op::Bits(0) => {
                Some(self.fitted(Side::Lanes(args[0], of), lanes, 32))
            }
            Op::Each { op, width, of, to: 64 } => self.half_of(*op, &args, lanes, width, of),
            _ => None,
        };
        self.halves.insert(id, half);
        half
    }

    fn half_of(&mut self, op: Op, args: &[Id], lanes: usize, width: u32, of: u32) -> Option<Id> {
        let halves = |c: &mut Self, args: &[Id]| args.iter().map(|&a| c.half(a, lanes)).collect::<Option<Vec<Id>>>();
        let (op, args, of) = match op {
            Op::And | Op::Or | Op::Xor | Op::AndNot | Op::Add | Op::Sub if of == 64 => (op, halves(self, args)?, 32),
            Op::Mul(None) if of == 32 => (op, args.to_vec(), 32),
            Op::Mux | Op::Choose { .. } => {
                let arms = halves(self, &args[1..])?;
                (op, [&args[..1], &arms].concat(), of)
            }
            Op::Build(parts) if of == 64 => {
                let below = parts.iter().zip(&args[1..]).filter(|((low, _), _)| *low < 32);
                let (parts, kept): (Vec<_>, Vec<Id>) =
                    below.map(|(&(low, width), &part)| ((low, width.min(32 - low)), part)).unzip();
                (Op::Build(parts), halves(self, &[&args[..1], &kept].concat())?, 32)
            }
            _ => return None,
        };
        let op = Op::Each { op: Box::new(op), width: width.min(32), of, to: 32 };
        Some(self.new.push(op, args, 32 * lanes as u32))
    }

    /// Whether one bit, which a mask leaves, is 1: that is a field.
    fn bit(&self, op: Op, args: Vec<Side>, lanes: usize) -> (Op, Vec<Side>) {
        if let (Op::Ne, &[Side::Lanes(all, bits), Side::Same(zero)]) = (&op, &args[..])
            && let Op::Each { op: and, .. } = &self.new.node(all).op
            && **and == Op::And
            && self.new.is_zero(zero)
            && let Some(masks) = self.new.constant_of(self.new.node(all).args[1])
        {
            let masks = unpacked(masks, lanes, bits);
            if masks[0].is_power_of_two() && masks.iter().all(|mask| *mask == masks[0]) {
                return (Op::Bits(masks[0].trailing_zeros()), vec![Side::Lanes(self.new.node(all).args[0], bits)]);
            }
        }
        (op, args)
    }
}

/// Lanes side by side, each in so many bits.
fn packed(values: &[u64], bits: u32) -> Vec<u64> {
    let many = (64 / bits) as usize;
    let word = |lanes: &[u64]| {
        lanes
            .iter()
            .rev()
            .fold(0, |word: u64, &lane| word.checked_shl(bits).unwrap_or(0) | lane & u64::MAX >> (64 - bits))
    };
    values.chunks(many).map(word).collect()
}

/// The lanes.
fn unpacked(value: &[u64], lanes: usize, bits: u32) -> Vec<u64> {
    let at = |bit: usize| value[bit / 64] >> (bit % 64) & u64::MAX >> (64 - bits);
    (0..lanes).map(|lane| at(lane * bits as usize)).collect()
}
