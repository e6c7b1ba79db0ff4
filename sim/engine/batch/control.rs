//! Watches that what all sets share would do the same for each of them.
//!
//! Data enter a shared instance through its ports. A cycle in which a port has another value in some set is harmless as
//! long as no state inside would take another value for it: only that is divergence. Where a single bit enters, what
//! would happen with its complement is evaluated once; else, what happens in each set.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::taint::operands;
use super::widen::{Kept, Widen};
use crate::kernel::flat::{FlatDriver, FlatRegister};
use crate::kernel::netlist::{Binary, ExprId, ExprKind, NetId, Read, Unary};
use crate::lower::rebuilt;

/// Registers that say when sets diverged first, and where.
pub(super) struct Watch {
    /// A bit for each set.
    pub sets: usize,
    /// Clock edges before the one at which it happened, or all that there were.
    pub cycle: usize,
    /// A bit for each port that differed in some set.
    pub ports: usize,
    /// The ports.
    pub paths: Vec<String>,
}

/// The same expression under other circumstances.
type Other<'o> = dyn FnMut(&mut Widen, ExprId) -> ExprId + 'o;

/// Adds the registers; nothing if no data enter what is shared.
pub(super) fn watch(w: &mut Widen) -> Option<Watch> {
    let ports = entrances(w);
    if ports.is_empty() {
        return None;
    }
    let new = diverging(w, &ports);
    let happens = w.build.unary(Unary::Any, new);
    let differing: Vec<ExprId> = ports
        .iter()
        .map(|&port| {
            let sets = (1..w.sets).map(|set| differs(w, port, set)).collect();
            any(w, sets)
        })
        .collect();
    let differing = w.joined(&differing);
    let (set_net, sets) = register(w, "diverged", w.sets as u32);
    let (cycle_net, cycle) = register(w, "cycle", 64);
    let (port_net, noted) = register(w, "ports", ports.len() as u32);
    // What is noted first stays.
    let b = &mut w.build;
    let happened = b.unary(Unary::Any, sets);
    let sets = b.mux(happened, sets, new);
    let (over, one) = (b.binary(Binary::Or, happened, happens), b.constant(1u8.into(), 64, false));
    let later = b.binary(Binary::Add, cycle, one);
    let cycle = b.mux(over, cycle, later);
    let fresh = b.mux(happens, differing, noted);
    let noted = b.mux(happened, noted, fresh);
    // A reset does not undo what has diverged before it.
    let mut clocked = |net, next| w.clocked(FlatRegister { net, reset: None, enable: None, next });
    Some(Watch {
        sets: clocked(set_net, sets),
        cycle: clocked(cycle_net, cycle),
        ports: clocked(port_net, noted),
        paths: ports.iter().map(|&port| w.flat.net(port).path.clone()).collect(),
    })
}

/// A register's net and value; it is driven later.
fn register(w: &mut Widen, name: &str, width: u32) -> (NetId, ExprId) {
    let net = w.net(format!("batch.{name}"), width, FlatDriver::Input);
    (net, w.build.net(net, width, false))
}

/// A bit for each set: whether it diverges in this cycle.
fn diverging(w: &mut Widen, ports: &[NetId]) -> ExprId {
    if let [port] = *ports
        && w.flat.net(port).width == 1
    {
        let mut complement = Complement { port, exprs: HashMap::new(), nets: HashMap::new() };
        let sensitive = changed(w, &mut |w, e| complement.expr(w, e));
        let all = all_sets(w, port);
        let first = of_set(w, port, 0);
        let first = w.spread(first, w.sets);
        let other = w.build.binary(Binary::Xor, all, first);
        let none = w.build.constant(0u8.into(), w.sets as u32, false);
        return w.build.mux(sensitive, other, none);
    }
    let mut sets = vec![w.build.bit(false)];
    for set in 1..w.sets {
        let other = ports.iter().map(|&port| differs(w, port, set)).collect();
        let other = any(w, other);
        let changed = changed(w, &mut |w, e| w.single(e, set));
        let none = w.build.bit(false);
        sets.push(w.build.mux(other, changed, none));
    }
    w.joined(&sets)
}

/// Ports of shared instances through which data reach state.
fn entrances(w: &Widen) -> Vec<NetId> {
    let mut found = BTreeSet::new();
    let (mut seen, mut open) = (HashSet::new(), state(w));
    while let Some(e) = open.pop() {
        if !w.tainted.expr(e) || !seen.insert(e) {
            continue;
        }
        let kind = &w.flat.expr(e).kind;
        open.extend(kind.operands());
        let ExprKind::Net(mut net) = *kind else { continue };
        let inside = |net: NetId| w.region.holds(&w.flat.net(net).path);
        while let FlatDriver::Net(source) = w.flat.net(net).driver
            && inside(net)
            && inside(source)
        {
            net = source;
        }
        if !inside(net) || matches!(w.flat.net(net).driver, FlatDriver::Net(_)) {
            found.insert(net);
            continue;
        }
        match w.flat.net(net).driver {
            FlatDriver::Expr(e) => open.push(e),
            FlatDriver::Memory(m, p) => open.extend(operands(&w.flat.memories[m].reads[p].1)),
            _ => {}
        }
    }
    found.into_iter().collect()
}

/// Everything that decides what shared state becomes.
fn state(w: &Widen) -> Vec<ExprId> {
    let registers = w.flat.registers.iter().filter(|r| w.region.holds(&w.flat.net(r.net).path));
    let mut all: Vec<ExprId> = registers.flat_map(|r| [Some(r.next), r.enable]).flatten().collect();
    for memory in w.flat.memories.iter().filter(|m| w.region.holds(&m.path)) {
        let reads = memory.reads.iter().filter(|(_, read)| matches!(read, Read::Clocked { .. }));
        all.extend(reads.flat_map(|(_, read)| operands(read)));
        let write = memory.write.iter().flat_map(|x| [Some(x.address), Some(x.enable), Some(x.data), x.mask]);
        all.extend(write.flatten());
    }
    all
}

/// Whether shared state would take another value.
fn changed(w: &mut Widen, other: &mut Other) -> ExprId {
    let flat = w.flat;
    let mut all = vec![];
    for register in flat.registers.iter().filter(|r| w.region.holds(&flat.net(r.net).path)) {
        let width = flat.net(register.net).width;
        let old = w.build.net(register.net, width, w.flat.expr(register.next).signed);
        let [now, then] = [false, true].map(|otherwise| {
            let mut value = |w: &mut Widen, e| if otherwise { other(w, e) } else { w.single(e, 0) };
            let next = value(w, register.next);
            match register.enable {
                Some(enable) => {
                    let enable = value(w, enable);
                    w.build.mux(enable, next, old)
                }
                None => next,
            }
        });
        all.push(w.build.binary(Binary::Ne, now, then));
    }
    for memory in flat.memories.iter().filter(|m| w.region.holds(&m.path)) {
        let reads = memory.reads.iter().filter_map(|(_, read)| match *read {
            Read::Clocked { address, enable } => Some((enable, vec![address])),
            _ => None,
        });
        let writes = memory.write.iter().map(|x| (x.enable, [x.address, x.data].into_iter().chain(x.mask).collect()));
        for (enable, operands) in reads.chain(writes) {
            let mut unequal = |w: &mut Widen, e| {
                let (now, then) = (w.single(e, 0), other(w, e));
                w.build.binary(Binary::Ne, now, then)
            };
            let decides = unequal(w, enable);
            let operands = operands.into_iter().map(|e| unequal(w, e)).collect();
            let (operands, enable) = (any(w, operands), w.single(enable, 0));
            let acts = w.build.binary(Binary::And, enable, operands);
            all.push(w.build.binary(Binary::Or, decides, acts));
        }
    }
    any(w, all)
}

fn any(w: &mut Widen, bits: Vec<ExprId>) -> ExprId {
    let none = w.build.bit(false);
    bits.into_iter().fold(none, |all, bit| w.build.binary(Binary::Or, all, bit))
}

/// The value of a net for one set.
fn of_set(w: &mut Widen, net: NetId, set: usize) -> ExprId {
    let width = w.flat.net(net).width;
    let (new, place) = w.nets[net.0 as usize].of(set);
    let all = w.build.net(new, w.new.net(new).width, false);
    w.build.slice(all, place as u32 * width, width)
}

/// The values of a net for all sets side by side.
fn all_sets(w: &mut Widen, net: NetId) -> ExprId {
    match &w.nets[net.0 as usize] {
        Kept::Sets(each, nets) if *each == w.sets => {
            let net = nets[0];
            w.build.net(net, w.new.net(net).width, false)
        }
        _ => {
            let sets: Vec<ExprId> = (0..w.sets).map(|set| of_set(w, net, set)).collect();
            w.joined(&sets)
        }
    }
}

/// Whether a net has another value for this set than for set 0.
fn differs(w: &mut Widen, net: NetId, set: usize) -> ExprId {
    let (first, other) = (of_set(w, net, 0), of_set(w, net, set));
    w.build.binary(Binary::Ne, first, other)
}

/// Expressions inside the shared instances for the complement of what a port has for set 0.
struct Complement {
    port: NetId,
    exprs: HashMap<ExprId, ExprId>,
    nets: HashMap<NetId, ExprId>,
}

impl Complement {
    fn expr(&mut self, w: &mut Widen, e: ExprId) -> ExprId {
        if !w.tainted.expr(e) {
            return w.single(e, 0);
        }
        if let Some(&known) = self.exprs.get(&e) {
            return known;
        }
        let expr = w.flat.expr(e).clone();
        let value = match expr.kind {
            ExprKind::Net(net) => {
                let value = self.net(w, net);
                w.build.reinterpret(value, expr.signed)
            }
            ref kind => {
                let operands: Vec<ExprId> = kind.operands().into_iter().map(|a| self.expr(w, a)).collect();
                rebuilt(&mut w.build, &expr, &operands)
            }
        };
        self.exprs.insert(e, value);
        value
    }

    fn net(&mut self, w: &mut Widen, net: NetId) -> ExprId {
        if let Some(&known) = self.nets.get(&net) {
            return known;
        }
        let value = match w.flat.net(net).driver {
            _ if net == self.port => {
                let now = of_set(w, net, 0);
                w.build.unary(Unary::Not, now)
            }
            FlatDriver::Expr(e) if w.tainted.net(net) => self.expr(w, e),
            FlatDriver::Net(source) if w.tainted.net(net) => self.net(w, source),
            FlatDriver::Memory(m, p) if w.tainted.net(net) => {
                let width = w.flat.memories[m].width;
                let read = match w.flat.memories[m].reads[p].1 {
                    Read::Now { address } => Read::Now { address: self.expr(w, address) },
                    Read::And { select } => Read::And { select: self.expr(w, select) },
                    Read::Nor { select } => Read::Nor { select: self.expr(w, select) },
                    Read::Clocked { .. } => unreachable!("what is read into shared state is the same for all sets"),
                };
                let new = w.net(format!("batch.{}", w.flat.net(net).path), width, FlatDriver::Input);
                let (memory, _) = w.memories[m].of(0);
                w.reads(memory, new, read);
                w.build.net(new, width, false)
            }
            _ => of_set(w, net, 0),
        };
        let value = w.build.reinterpret(value, false);
        self.nets.insert(net, value);
        value
    }
}
