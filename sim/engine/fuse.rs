//! Makes fewer and larger nodes: trees of one-bit logic become tables of up to five inputs, comparisons of a field with
//! a constant become one node.

use super::graph::{Graph, Id, Node, Op};

/// Inputs that a table may have.
pub(super) const INPUTS: usize = 5;

/// A function of a few one-bit nodes.
#[derive(Clone, Debug)]
struct Cut {
    inputs: Vec<Id>,
    /// Bit i is the result for the inputs that the bits of i are.
    table: u32,
}

/// Rewrites what clock edges need.
pub(super) fn fuse(g: &mut Graph) {
    let count = g.nodes.len();
    let uses = uses(g);
    let mut cuts: Vec<Option<Cut>> = Vec::with_capacity(count);
    for index in 0..count {
        let cut = if uses[index] > 0 { cut(g, index, &cuts, &uses) } else { None };
        cuts.push(cut);
    }
    let mut needed = vec![false; count];
    let mut roots = g.roots();
    roots.iter().for_each(|id| needed[id.0 as usize] = true);
    for index in (0..count).rev().filter(|&i| uses[i] > 0) {
        if needed[index] {
            let inputs = match &cuts[index] {
                Some(cut) => cut.inputs.clone(),
                None => whole(g, index).map_or_else(|| g.nodes[index].args.clone(), |(_, args)| args),
            };
            inputs.iter().for_each(|id| needed[id.0 as usize] = true);
        }
    }
    let mut new: Vec<Id> = (0..count as u32).map(Id).collect();
    for index in (0..count).filter(|&i| needed[i]) {
        let Node { op, args, width } = g.nodes[index].clone();
        let (op, args) = match (&cuts[index], whole(g, index)) {
            (Some(cut), _) if cut.inputs.is_empty() => (Op::Const(vec![u64::from(cut.table & 1)]), vec![]),
            (Some(cut), _) => (Op::Table(cut.table), cut.inputs.clone()),
            (None, Some(larger)) => larger,
            (None, None) => (op, args),
        };
        new[index] = g.push(op, args.iter().map(|a| new[a.0 as usize]).collect(), width);
    }
    roots.clear();
    g.map_roots(|id| new[id.0 as usize]);
}

/// How often each node is an operand of what clock edges need.
fn uses(g: &Graph) -> Vec<u32> {
    let mut uses = vec![0u32; g.nodes.len()];
    g.roots().iter().for_each(|id| uses[id.0 as usize] += 1);
    for index in (0..g.nodes.len()).rev() {
        if uses[index] > 0 {
            g.nodes[index].args.iter().for_each(|a| uses[a.0 as usize] += 1);
        }
    }
    uses
}

/// The node as a larger one.
fn whole(g: &Graph, index: usize) -> Option<(Op, Vec<Id>)> {
    choice(g, index).or_else(|| test(g, index))
}

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
        let Some((Op::Test { low, width, unequal }, compared)) = test(g, node.args[0].0 as usize) else { break };
        let (base, value) = (compared[0], g.constant_of(compared[1])?[0]);
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

/// A comparison of a field with a constant.
fn test(g: &Graph, index: usize) -> Option<(Op, Vec<Id>)> {
    let node = &g.nodes[index];
    let unequal = match node.op {
        Op::Eq => false,
        Op::Ne => true,
        _ => return None,
    };
    let (a, b) = (node.args[0], node.args[1]);
    let (a, b) = if g.constant_of(a).is_some() { (b, a) } else { (a, b) };
    g.constant_of(b).filter(|value| value.len() == 1)?;
    let field = g.node(a);
    let (low, width, base) = match field.op {
        Op::Bits(low) if low % 64 + field.width <= 64 => (low, field.width, field.args[0]),
        _ => (0, 64, a),
    };
    Some((Op::Test { low, width, unequal }, vec![base, b]))
}

/// The tree above a node as a function of few inputs.
fn cut(g: &Graph, index: usize, cuts: &[Option<Cut>], uses: &[u32]) -> Option<Cut> {
    let node = &g.nodes[index];
    let logic = matches!(node.op, Op::And | Op::Or | Op::Xor | Op::AndNot | Op::Eq | Op::Ne | Op::Mux);
    if !logic || node.width != 1 || node.args.iter().any(|&a| g.node(a).width != 1) {
        return None;
    }
    // Small trees are worth computing again for each of their users.
    let inner = |a: Id| {
        let at = a.0 as usize;
        let cut = cuts[at].as_ref().filter(|c| uses[at] == 1 || c.inputs.len() <= 2);
        cut.map(|cut| (a, cut))
    };
    let mut absorbed: Vec<(Id, &Cut)> = node.args.iter().filter_map(|&a| inner(a)).collect();
    absorbed.sort_by_key(|(_, cut)| cut.inputs.len());
    loop {
        let mut inputs: Vec<Id> = Vec::new();
        for &a in &node.args {
            let add: &[Id] = match absorbed.iter().find(|(id, _)| *id == a) {
                Some((_, cut)) => &cut.inputs,
                None if g.constant_of(a).is_some() => &[],
                None => &[a],
            };
            inputs.extend(add);
        }
        inputs.sort_unstable();
        inputs.dedup();
        if inputs.len() > INPUTS {
            absorbed.pop();
            continue;
        }
        let operand = |a: Id| match absorbed.iter().find(|(id, _)| *id == a) {
            Some((_, cut)) => rewired(cut, &inputs),
            None => match g.constant_of(a) {
                Some(value) => {
                    if value[0] == 0 {
                        0
                    } else {
                        u32::MAX
                    }
                }
                None => variable(inputs.iter().position(|&i| i == a).unwrap_or_default()),
            },
        };
        let args: Vec<u32> = node.args.iter().map(|&a| operand(a)).collect();
        let table = match node.op {
            Op::And => args[0] & args[1],
            Op::Or => args[0] | args[1],
            Op::Xor | Op::Ne => args[0] ^ args[1],
            Op::Eq => !(args[0] ^ args[1]),
            Op::AndNot => args[0] & !args[1],
            _ => args[0] & args[1] | !args[0] & args[2],
        };
        return Some(Cut { inputs, table });
    }
}

/// The table of an input itself.
fn variable(input: usize) -> u32 {
    (0..32).fold(0, |table, i| table | (i >> input & 1) << i)
}

/// A cut's table as a function of more inputs.
fn rewired(cut: &Cut, inputs: &[Id]) -> u32 {
    let position: Vec<usize> =
        cut.inputs.iter().map(|id| inputs.iter().position(|i| i == id).unwrap_or_default()).collect();
    (0..32u32).fold(0, |table, i| {
        let at = position.iter().enumerate().fold(0, |at, (own, &p)| at | (i >> p & 1) << own);
        table | (cut.table >> at & 1) << i
    })
}
