//! Operations for nodes with lanes.

use super::each::{Each, Function};
use super::grid::Grid;
use crate::graph::{Graph, Id, Op};
use crate::layout::Slot;
use crate::native::{called::Called, scalar::ones};

/// Lanes from which on a run is worth an operation.
const RUN: usize = 4;
/// Single lanes from which on a table is.
const MANY: usize = 4;

/// The same function of each lane.
pub(crate) fn each(g: &Graph, id: Id, d: Slot, slot: impl Fn(Id) -> Slot) -> Vec<Called> {
    let node = g.node(id);
    let Op::Each { op, width, of, to } = &node.op else { unreachable!("the caller looks") };
    let places: Vec<Slot> = node.args.iter().map(|&a| slot(a)).collect();
    let (lanes, mask) = ((node.width / to) as usize, ones(*width));
    let sign = |width: u32| 1u64 << (width - 1);
    let signed = |width: Option<u32>| (width.map_or(0, sign), 0);
    let mut operands = [0, 1, 2, 3, 4];
    let (function, numbers) = match **op {
        Op::And => (Function::And, (0, 0)),
        Op::Or => (Function::Or, (0, 0)),
        Op::Xor => (Function::Xor, (0, 0)),
        Op::AndNot => (Function::AndNot, (0, 0)),
        Op::Add => (Function::Add, (0, 0)),
        Op::Sub => (Function::Sub, (0, 0)),
        Op::Mul(None) => (Function::Mul, (0, 0)),
        Op::Mul(Some((i, j))) => (Function::MulSigned, (sign(i), sign(j))),
        Op::Eq => (Function::Eq, (0, 0)),
        Op::Ne => (Function::Ne, (0, 0)),
        Op::Lt(width) => (Function::Lt, signed(width)),
        Op::Le(width) => {
            // a ≤ b is b ≥ a.
            operands.swap(0, 1);
            (Function::Ge, signed(width))
        }
        Op::Mux => (Function::Mux, (0, 0)),
        Op::Choose { low, width, ref numbers } => {
            // The first operand is what most values choose; each of the others is for one value.
            let value = |operand: usize| numbers.iter().position(|&n| usize::from(n) == operand);
            let bytes = (0..3).map(|i| value(i + 2).unwrap_or(0xff) as u64 & 0xff);
            let bytes = bytes.rev().fold((1 << width) - 1, |all, byte| all << 8 | byte);
            (3..5).filter(|&i| i >= places.len()).for_each(|i| operands[i] = 1);
            (Function::Choose, (low.into(), bytes))
        }
        Op::Parity => (Function::Parity, (0, 0)),
        Op::Bits(low) => (Function::Bits, (low.into(), 0)),
        Op::Shl => (Function::Shl, (0, 0)),
        Op::Shr | Op::Select => (Function::Shr, (0, 0)),
        Op::SetBit => (Function::SetBit, ((*width).into(), 0)),
        Op::Sext(old) => (Function::Sext, (sign(old), 0)),
        Op::Build(ref parts) => {
            // The base first, then one part after the other.
            let mut base = places[0];
            let insert = |(&part, &(low, width)): (&Slot, &(u32, u32))| {
                let numbers = (low.into(), ones(width) << low);
                let from = [std::mem::replace(&mut base, d), part, 0, 0, 0];
                Called::Each(Each::new(Function::Insert, (lanes, *of, *to), d, from, mask, numbers))
            };
            return places[1..].iter().zip(parts).map(insert).collect();
        }
        _ => unreachable!("no lanes have such nodes"),
    };
    let from = operands.map(|i| places.get(i).copied().unwrap_or_default());
    vec![Called::Each(Each::new(function, (lanes, *of, *to), d, from, mask, numbers))]
}

/// Lanes that one operation moves: where they go, and from where.
enum Moved {
    Grid(Grid),
    /// Places at this distance, so many.
    Run(u32, u32, u32, usize),
}

/// Lanes from other places, all counted in lanes that are kept in so many bits: in blocks and runs of places at equal
/// distances; from the last to the first if `down`.
pub(crate) fn gather(bits: u32, d: u32, from: &[u32], down: bool) -> Vec<Called> {
    let (mut at, mut moved) = (0, vec![]);
    while at < from.len() {
        let (next, n) = first(bits, d + at as u32, &from[at..]);
        moved.push(next);
        at += n;
    }
    if down {
        moved.reverse();
    }
    let mut moved = moved.into_iter().peekable();
    let mut all = vec![];
    while let Some(next) = moved.next() {
        match next {
            Moved::Grid(grid) => all.push(Called::Grid(grid)),
            Moved::Run(d, a, _, 1) if bits == 64 && d == a => {}
            Moved::Run(d, a, _, 1) if bits == 64 => all.push(Called::Each(Each::copy(d, a, 1))),
            Moved::Run(d, a, _, 1) => {
                let mut lanes = vec![(d, a)];
                while let Some(Moved::Run(d, a, ..)) = moved.next_if(|next| matches!(next, Moved::Run(_, _, _, 1))) {
                    lanes.push((d, a));
                }
                match lanes[..] {
                    _ if lanes.len() >= MANY => all.push(Called::Pick { bits, lanes }),
                    _ => all.extend(lanes.iter().map(|&(d, a)| Called::Each(Each::run(bits, d, a, 1, 1)))),
                }
            }
            Moved::Run(d, a, 1, n) if bits == 64 && a.abs_diff(d) as usize >= n => {
                all.push(Called::Each(Each::copy(d, a, n)));
            }
            Moved::Run(d, a, step, n) => all.push(Called::Each(Each::run(bits, d, a, step, n))),
        }
    }
    all
}

/// What moves the first of these lanes and as many behind it as it can.
fn first(bits: u32, d: u32, from: &[u32]) -> (Moved, usize) {
    if let Some(grid) = Grid::first(bits, d, from) {
        return (Moved::Grid(grid), grid.count());
    }
    let step = |i: usize| i64::from(from[i + 1]) - i64::from(from[i]);
    let n = 1 + (1..from.len()).take_while(|&i| step(i - 1) == step(0)).count();
    // What lies between the places is read, too: the result must not be there.
    let clear = n > 1 && (step(0) == 1 || from[n - 1] < d || from[0] >= d + n as u32);
    if n < RUN || step(0) < 0 || !clear {
        return (Moved::Run(d, from[0], 1, 1), 1);
    }
    (Moved::Run(d, from[0], step(0) as u32, n), n)
}

/// Whether lanes are taken from rows in such a way that the result may be one of these rows: each from its own place or
/// one before it, so that the last ones go first, which is true, or from its own place or one behind it.
pub(crate) fn shifted(g: &Graph, args: &[Id], from: &[(u32, u32)]) -> Option<bool> {
    let row = |arg: u32| matches!(g.node(args[arg as usize]).op, Op::Leaf(_));
    let mut rows = from.iter().zip(0..).filter(|((arg, _), _)| row(*arg));
    if rows.clone().all(|(&(_, lane), own)| lane <= own) {
        return Some(true);
    }
    rows.all(|(&(_, lane), own)| lane >= own).then_some(false)
}
