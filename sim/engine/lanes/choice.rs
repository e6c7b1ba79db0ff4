//! Chains of multiplexers in which a narrow field chooses.

use crate::graph::{Graph, Id, Op};

/// Bits of a field that chooses.
const CHOICE_BITS: u32 = 5;
/// Multiplexers from which on a choice is worth a table.
const CHAIN: usize = 2;

/// A chain of multiplexers that compare the same field with constants.
pub(super) fn choice(g: &Graph, index: usize) -> Option<(Op, Vec<Id>)> {
    let mut rest = Id(index as u32);
    let mut field = None;
    let (mut args, mut numbers) = (vec![], vec![]);
    let mut length = 0;
    // Of values with lanes, only the one that is needed should be computed: they stay multiplexers, which become
    // branches.
    if g.rows.is_some() && g.limbs(rest) >= 8 {
        return None;
    }
    while g.node(rest).op == Op::Mux {
        let node = g.node(rest);
        let Some(Test { base, low, width, value, unequal }) = test(g, node.args[0]) else { break };
        let width = width.min(g.node(base).width.saturating_sub(low));
        if width > CHOICE_BITS || *field.get_or_insert((base, low, width)) != (base, low, width) {
            break;
        }
        if args.is_empty() {
            args.push(base);
            numbers = vec![0; 1 << width];
        }
        let (then, other) = if unequal { (node.args[2], node.args[1]) } else { (node.args[1], node.args[2]) };
        // The first comparison that holds decides.
        if let Some(number) = numbers.get_mut(value as usize).filter(|number| **number == 0) {
            *number = number_of(&mut args, then);
        }
        length += 1;
        rest = other;
    }
    let (_, low, width) = field?;
    if length < CHAIN {
        return None;
    }
    let default = if numbers.contains(&0) { number_of(&mut args, rest) } else { 0 };
    numbers.iter_mut().filter(|number| **number == 0).for_each(|number| *number = default);
    Some((Op::Choose { low, width, numbers }, args))
}

/// The number of an operand, which is added if it is new.
fn number_of(args: &mut Vec<Id>, id: Id) -> u8 {
    let known = args[1..].iter().position(|&a| a == id);
    (1 + known.unwrap_or_else(|| {
        args.push(id);
        args.len() - 2
    })) as u8
}

/// A comparison of a field of a value with a constant.
struct Test {
    base: Id,
    low: u32,
    width: u32,
    value: u64,
    unequal: bool,
}

fn test(g: &Graph, id: Id) -> Option<Test> {
    let node = g.node(id);
    let unequal = match node.op {
        Op::Eq => false,
        Op::Ne => true,
        _ => return None,
    };
    let (a, b) = (node.args[0], node.args[1]);
    let (a, b) = if g.constant_of(a).is_some() { (b, a) } else { (a, b) };
    let &[value] = g.constant_of(b)? else { return None };
    let field = g.node(a);
    let (low, width, base) = match field.op {
        Op::Bits(low) if low % 64 + field.width <= 64 => (low, field.width, field.args[0]),
        _ => (0, 64, a),
    };
    Some(Test { base, low, width, value, unequal })
}
