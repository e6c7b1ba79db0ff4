//! What depends on the data of a batch, and what of it can be kept side by side in one wide value.

use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{Binary, ExprId, ExprKind, NetId, Read, Unary};

/// Instances that all data sets share.
pub(super) struct Region(pub Vec<String>);

impl Region {
    /// Whether something with this path is inside.
    pub fn holds(&self, path: &str) -> bool {
        self.0.iter().any(|instance| path.strip_prefix(&**instance).is_some_and(|rest| rest.starts_with('.')))
    }
}

/// Where data come from.
#[derive(Default)]
pub(super) struct Sources {
    pub inputs: Vec<NetId>,
    pub registers: Vec<usize>,
    pub memories: Vec<usize>,
}

/// A flag for each part of a design.
#[derive(Clone, Default)]
pub(super) struct Flags {
    pub nets: Vec<bool>,
    pub exprs: Vec<bool>,
    pub registers: Vec<bool>,
    /// What they hold; for read ports see their nets.
    pub memories: Vec<bool>,
}

impl Flags {
    fn none(flat: &Flat) -> Flags {
        Flags {
            nets: vec![false; flat.nets.len()],
            exprs: vec![false; flat.exprs.len()],
            registers: vec![false; flat.registers.len()],
            memories: vec![false; flat.memories.len()],
        }
    }

    pub fn net(&self, net: NetId) -> bool {
        self.nets[net.0 as usize]
    }

    pub fn expr(&self, e: ExprId) -> bool {
        self.exprs[e.0 as usize]
    }

    fn any(&self, of: &[ExprId]) -> bool {
        of.iter().any(|&e| self.expr(e))
    }
}

/// Operands of a read port.
pub(super) fn operands(read: &Read) -> Vec<ExprId> {
    match *read {
        Read::Now { address } => vec![address],
        Read::Clocked { address, enable } => vec![address, enable],
        Read::And { select } | Read::Nor { select } => vec![select],
    }
}

/// What depends on data. State in the region does not: it is the same for all sets.
pub(super) fn taint(flat: &Flat, sources: &Sources, region: &Region) -> Flags {
    let shared_register: Vec<bool> = flat.registers.iter().map(|r| region.holds(&flat.net(r.net).path)).collect();
    let shared_memory: Vec<bool> = flat.memories.iter().map(|m| region.holds(&m.path)).collect();
    let mut t = Flags::none(flat);
    sources.inputs.iter().for_each(|net| t.nets[net.0 as usize] = true);
    sources.registers.iter().for_each(|&r| t.registers[r] = true);
    sources.memories.iter().for_each(|&m| t.memories[m] = true);
    loop {
        let before = count(&t);
        for (index, expr) in flat.exprs.iter().enumerate() {
            t.exprs[index] |= match expr.kind {
                ExprKind::Net(net) => t.net(net),
                ref kind => t.any(&kind.operands()),
            };
        }
        for (index, register) in flat.registers.iter().enumerate().filter(|(i, _)| !shared_register[*i]) {
            t.registers[index] |= t.expr(register.next) || register.enable.is_some_and(|e| t.expr(e));
        }
        for (index, memory) in flat.memories.iter().enumerate().filter(|(i, _)| !shared_memory[*i]) {
            let write = memory.write.iter().flat_map(|w| [Some(w.address), Some(w.enable), Some(w.data), w.mask]);
            t.memories[index] |= t.any(&write.flatten().collect::<Vec<_>>());
        }
        for (index, net) in flat.nets.iter().enumerate() {
            t.nets[index] |= match net.driver {
                FlatDriver::Input => false,
                FlatDriver::Expr(e) => t.expr(e),
                FlatDriver::Net(source) => t.net(source),
                FlatDriver::Register(r) => t.registers[r],
                FlatDriver::Memory(m, p) => {
                    let read = &flat.memories[m].reads[p].1;
                    let kept = shared_memory[m] && matches!(read, Read::Clocked { .. });
                    !kept && (t.memories[m] || t.any(&operands(read)))
                }
            };
        }
        if count(&t) == before {
            return t;
        }
    }
}

fn count(flags: &Flags) -> usize {
    let all = [&flags.nets, &flags.exprs, &flags.registers, &flags.memories];
    all.into_iter().flatten().filter(|flag| **flag).count()
}

/// Of what depends on data: what does the same to every bit, or with every set, so that the values of several sets can
/// lie side by side in one.
pub(super) fn together(flat: &Flat, t: &Flags) -> Flags {
    // Registers are, unless what they take turns out not to be.
    let steady = |e: Option<ExprId>| e.is_none_or(|e| !t.expr(e));
    let mut registers: Vec<bool> =
        flat.registers.iter().zip(&t.registers).map(|(r, tainted)| *tainted && steady(r.enable)).collect();
    let memories: Vec<bool> = (flat.memories.iter().zip(&t.memories))
        .map(|(memory, tainted)| {
            let reads = memory.reads.iter().all(|(_, read)| !t.any(&operands(read)));
            let write = memory.write.as_ref().is_none_or(|w| !t.any(&[w.address, w.enable]));
            *tainted && reads && write
        })
        .collect();
    loop {
        let mut p = Flags { registers: registers.clone(), memories: memories.clone(), ..Flags::none(flat) };
        loop {
            let before = count(&p);
            for (index, expr) in flat.exprs.iter().enumerate().filter(|(i, _)| t.exprs[*i]) {
                p.exprs[index] |= match expr.kind {
                    ExprKind::Net(net) => p.net(net),
                    ExprKind::Unary(Unary::Not, a) | ExprKind::Reinterpret(a) => p.expr(a),
                    ExprKind::Binary(Binary::And | Binary::Or | Binary::Xor, a, b) => p.any(&[a, b]),
                    ExprKind::Mux(c, a, b) => !t.expr(c) && p.any(&[a, b]),
                    _ => false,
                };
            }
            for (index, net) in flat.nets.iter().enumerate().filter(|(i, _)| t.nets[*i]) {
                p.nets[index] |= match net.driver {
                    FlatDriver::Input => false,
                    FlatDriver::Expr(e) => p.expr(e),
                    FlatDriver::Net(source) => p.net(source),
                    FlatDriver::Register(r) => p.registers[r],
                    FlatDriver::Memory(m, _) => p.memories[m],
                };
            }
            if count(&p) == before {
                break;
            }
        }
        let fits = |r: usize| {
            let next = flat.registers[r].next;
            registers[r] && (p.expr(next) || !t.expr(next))
        };
        let kept: Vec<bool> = (0..registers.len()).map(fits).collect();
        if kept == registers {
            return p;
        }
        registers = kept;
    }
}
