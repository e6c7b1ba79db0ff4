//! A flat design in the form that code is made from: every expression refers to inputs, registers and memory read ports
//! only, equal expressions are one, and constants are carried across instances.

use std::collections::HashMap;

use crate::kernel::build::Builder;
use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{Expr, ExprId, ExprKind, NetId, Read, Write};

/// The lowered design.
pub(super) struct Lowered {
    pub exprs: Vec<Expr>,
    /// Next value and enable of each register.
    pub registers: Vec<(ExprId, Option<ExprId>)>,
    /// Read and write ports of each memory.
    pub memories: Vec<(Vec<Read>, Option<Write>)>,
    /// Value of every net.
    pub nets: Vec<ExprId>,
}

/// Lowers a design.
pub(super) fn lower(flat: &Flat) -> Lowered {
    let mut l = Lower { flat, build: Builder::default(), exprs: HashMap::new(), nets: HashMap::new() };
    let registers = flat.registers.iter().map(|r| (l.expr(r.next), r.enable.map(|e| l.expr(e)))).collect();
    let memories = (flat.memories.iter())
        .map(|m| {
            let reads = m.reads.iter().map(|(_, read)| l.read(read)).collect();
            let write = m.write.as_ref().map(|w| Write {
                address: l.expr(w.address),
                enable: l.expr(w.enable),
                mask: w.mask.map(|e| l.expr(e)),
                data: l.expr(w.data),
            });
            (reads, write)
        })
        .collect();
    let nets = (0..flat.nets.len()).map(|i| l.net(NetId(i as u32))).collect();
    Lowered { exprs: l.build.exprs, registers, memories, nets }
}

struct Lower<'a> {
    flat: &'a Flat,
    build: Builder,
    exprs: HashMap<ExprId, ExprId>,
    nets: HashMap<NetId, ExprId>,
}

impl Lower<'_> {
    fn read(&mut self, read: &Read) -> Read {
        match *read {
            Read::Now { address } => Read::Now { address: self.expr(address) },
            Read::Clocked { address, enable } => {
                Read::Clocked { address: self.expr(address), enable: self.expr(enable) }
            }
            Read::And { select } => Read::And { select: self.expr(select) },
            Read::Nor { select } => Read::Nor { select: self.expr(select) },
        }
    }

    fn net(&mut self, net: NetId) -> ExprId {
        if let Some(&e) = self.nets.get(&net) {
            return e;
        }
        let n = self.flat.net(net);
        let e = match n.driver {
            FlatDriver::Net(source) => self.net(source),
            FlatDriver::Expr(e) => self.expr(e),
            // Signs live in the expressions: a leaf is a bit pattern.
            FlatDriver::Input | FlatDriver::Register(_) | FlatDriver::Memory(..) => self.build.net(net, n.width, false),
        };
        self.nets.insert(net, e);
        e
    }

    fn expr(&mut self, e: ExprId) -> ExprId {
        if let Some(&id) = self.exprs.get(&e) {
            return id;
        }
        let expr = self.flat.expr(e).clone();
        let id = match expr.kind {
            ExprKind::Net(net) => {
                let value = self.net(net);
                self.build.reinterpret(value, expr.signed)
            }
            ref kind => {
                let operands: Vec<ExprId> = kind.operands().into_iter().map(|a| self.expr(a)).collect();
                rebuilt(&mut self.build, &expr, &operands)
            }
        };
        self.exprs.insert(e, id);
        id
    }
}

/// An expression with these operands in the place of its own, which are as wide.
pub(super) fn rebuilt(build: &mut Builder, expr: &Expr, operands: &[ExprId]) -> ExprId {
    let &Expr { width, signed, .. } = expr;
    match (&expr.kind, operands) {
        (ExprKind::Const(value), _) => build.constant(value.clone(), width, signed),
        (&ExprKind::Net(net), _) => build.net(net, width, signed),
        (&ExprKind::Unary(op, _), &[a]) => build.unary(op, a),
        (&ExprKind::Binary(op, ..), &[a, b]) => build.binary(op, a, b),
        (ExprKind::Mux(..), &[c, a, b]) => build.mux(c, a, b),
        (&ExprKind::Slice(_, low), &[a]) => build.slice(a, low, width),
        (ExprKind::Select(..), &[a, at]) => build.select(a, at, width),
        (&ExprKind::Replace(_, _, low), &[a, part]) => build.replace(a, part, low),
        (ExprKind::ReplaceBit(..), &[a, bit, at]) => build.replace_bit(a, bit, at),
        (ExprKind::Extend(_), &[a]) => build.resize(a, width),
        (ExprKind::Reinterpret(_), &[a]) => build.reinterpret(a, signed),
        _ => unreachable!("an expression has as many operands as it has"),
    }
}
