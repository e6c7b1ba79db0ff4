//! Rules that a netlist must keep. What the elaborator cannot let through at all (undriven, driven from the wrong side,
//! latches, width mismatches) it refuses itself; here are the rules on finished modules: nothing unused, no
//! combinational loop.

use std::collections::HashMap;

use super::elaborate::Mention;
use super::flat::{Flat, FlatDriver};
use super::netlist::{Direction, Driver, ExprId, ExprKind, Module, NetId, Netlist, Read};
use petgraph::algo::{astar, toposort};
use petgraph::graph::{DiGraph, NodeIndex};

use crate::error::{Error, Result};

/// Checks a whole design.
///
/// # Errors
/// [`Error::Netlist`] with the first rule broken.
pub fn check(netlist: &Netlist) -> Result<()> {
    combinational_loops(&Flat::new(netlist))
}

/// Refuses signals, or bits of them, that nothing reads, unless their name contains `unused`. `mentioned` tells for
/// each net whether the block's source reads it, be it in a branch that a constant rules out: such nets are dropped in
/// silence.
pub(super) fn unused(path: &str, module: &Module, mentioned: &[Mention]) -> Result<()> {
    let read = bits_read(module);
    for (index, net) in module.nets.iter().enumerate() {
        let id = NetId(index as u32);
        let output = module.ports.iter().any(|p| p.net == id && p.direction == Direction::Output);
        // What enters a primitive or an instance is read there.
        let enters =
            matches!(net.driver, Driver::Expr(_)) && module.instances.iter().any(|i| i.connections.contains(&id));
        if output || enters || net.name.contains("unused") {
            continue;
        }
        match read.get(&id) {
            None if mentioned[index] == Mention::Never => {
                let rule = "is not used: drop it, or assign it to a signal whose name contains `unused`";
                return Err(Error::netlist(path, &net.name, rule));
            }
            Some(bits) if bits.contains(&false) && mentioned[index] != Mention::Dead => {
                let rule = format!(
                    "bits {} are not used: drop them, or assign them to a signal whose name contains `unused`",
                    runs(bits)
                );
                return Err(Error::netlist(path, &net.name, rule));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The positions of the zeros as text: `0, 4 to 7`.
fn runs(bits: &[bool]) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut at = 0;
    while at < bits.len() {
        let length = bits[at..].iter().take_while(|&&bit| bit == bits[at]).count();
        match (bits[at], length) {
            (true, _) => {}
            (false, 1) => texts.push(at.to_string()),
            (false, _) => texts.push(format!("{at} to {}", at + length - 1)),
        }
        at += length;
    }
    texts.join(", ")
}

/// For every net that is read: which bits.
pub fn bits_read(module: &Module) -> HashMap<NetId, Vec<bool>> {
    let mut read: HashMap<NetId, Vec<bool>> = HashMap::new();
    let mut mark = |net: NetId, low: u32, width: u32| {
        let bits = read.entry(net).or_insert_with(|| vec![false; module.net(net).width as usize]);
        bits[low as usize..(low + width) as usize].fill(true);
    };
    let mut visit = |id: ExprId| match module.expr(id).kind {
        ExprKind::Net(net) => mark(net, 0, module.net(net).width),
        ExprKind::Slice(a, low) => {
            if let ExprKind::Net(net) = module.expr(a).kind {
                mark(net, low, module.expr(id).width);
            }
        }
        _ => {}
    };
    // An operand that is a bare net counts as read in full, except below a slice.
    for (index, expr) in module.exprs.iter().enumerate() {
        visit_slice_only(ExprId(index as u32), &expr.kind, &mut visit);
    }
    for root in module.roots() {
        visit(root);
    }
    read
}

fn visit_slice_only(id: ExprId, kind: &ExprKind, visit: &mut dyn FnMut(ExprId)) {
    match kind {
        ExprKind::Slice(..) => visit(id),
        _ => kind.operands().into_iter().for_each(visit),
    }
}

/// Refuses a value that depends on itself within a cycle, with the nets on the shortest way.
fn combinational_loops(flat: &Flat) -> Result<()> {
    let edges =
        (0..flat.nets.len() as u32).flat_map(|net| depends(flat, NetId(net)).into_iter().map(move |on| (net, on.0)));
    let graph = DiGraph::<(), (), u32>::from_edges(edges);
    let Err(cycle) = toposort(&graph, None) else { return Ok(()) };
    let start = cycle.node_id();
    let back = |from| astar(&graph, from, |net| net == start, |_| 1, |_| 0);
    let way = graph.neighbors(start).filter_map(back).min_by_key(|(length, _)| *length);
    let (_, mut way) = way.expect("a net of a cycle leads back to itself");
    // Told from the net that is nearest to the top.
    let path = |net: NodeIndex| flat.net(NetId(net.index() as u32)).path.as_str();
    let nearest = (0..way.len()).min_by_key(|&at| (path(way[at]).matches('.').count(), way[at]));
    way.rotate_left(nearest.expect("a way has a net"));
    way.push(way[0]);
    let names: Vec<&str> = way.into_iter().map(path).collect();
    let (instance, signal) = names[0].rsplit_once('.').unwrap_or(("top", names[0]));
    Err(Error::netlist(instance, signal, format!("combinational loop: {}", names.join(" <- "))))
}

/// Nets that a net's value depends on within a cycle.
fn depends(flat: &Flat, net: NetId) -> Vec<NetId> {
    let mut roots: Vec<ExprId> = Vec::new();
    match flat.net(net).driver {
        FlatDriver::Input | FlatDriver::Register(_) => return vec![],
        FlatDriver::Net(other) => return vec![other],
        FlatDriver::Expr(e) => roots.push(e),
        FlatDriver::Memory(m, port) => match flat.memories[m].reads[port].1 {
            Read::Now { address } => roots.push(address),
            Read::And { select } | Read::Nor { select } => roots.push(select),
            Read::Clocked { .. } => return vec![],
        },
    }
    let mut nets = Vec::new();
    let mut seen = std::collections::HashSet::new();
    while let Some(e) = roots.pop() {
        if !seen.insert(e) {
            continue;
        }
        match &flat.expr(e).kind {
            ExprKind::Net(n) => nets.push(*n),
            kind => roots.extend(kind.operands()),
        }
    }
    nets
}
