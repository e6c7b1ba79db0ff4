//! Flat designs written by hand: expressions that are brought to the width and sign they need.

use num_bigint::BigUint;

use crate::kernel::flat::{Flat, FlatDriver, FlatMemory, FlatNet, FlatRegister};
use crate::kernel::mem::RamStyle;
use crate::kernel::netlist::{Binary, Expr, ExprId, ExprKind, NetId, Read, Unary, Write};

/// A flat design under construction.
#[derive(Default)]
pub struct Design {
    pub flat: Flat,
}

impl Design {
    pub fn width(&self, e: ExprId) -> u32 {
        self.flat.expr(e).width
    }

    pub fn signed(&self, e: ExprId) -> bool {
        self.flat.expr(e).signed
    }

    pub fn push(&mut self, kind: ExprKind, width: u32, signed: bool) -> ExprId {
        self.flat.exprs.push(Expr { kind, width, signed });
        ExprId(self.flat.exprs.len() as u32 - 1)
    }

    pub fn net(&mut self, name: &str, width: u32, driver: FlatDriver) -> NetId {
        let path = format!("{name}_{}", self.flat.nets.len());
        self.flat.nets.push(FlatNet { path, width, driver });
        NetId(self.flat.nets.len() as u32 - 1)
    }

    pub fn read(&mut self, net: NetId, signed: bool) -> ExprId {
        let width = self.flat.net(net).width;
        self.push(ExprKind::Net(net), width, signed)
    }

    pub fn input(&mut self, width: u32) -> (NetId, ExprId) {
        let net = self.net("input", width, FlatDriver::Input);
        self.flat.inputs.push(net);
        (net, self.read(net, false))
    }

    /// A register; what it takes is set later.
    pub fn register(&mut self, width: u32, reset: Option<u64>) -> (usize, ExprId) {
        let number = self.flat.registers.len();
        let net = self.net("register", width, FlatDriver::Register(number));
        let value = self.read(net, false);
        self.flat.registers.push(FlatRegister { net, reset: reset.map(BigUint::from), enable: None, next: value });
        (number, value)
    }

    pub fn set(&mut self, register: usize, next: ExprId) {
        let width = self.flat.net(self.flat.registers[register].net).width;
        self.flat.registers[register].next = self.fit(next, width, false);
    }

    pub fn enable(&mut self, register: usize, enable: ExprId) {
        self.flat.registers[register].enable = Some(self.fit(enable, 1, false));
    }

    pub fn memory(&mut self, width: u32, depth: usize, contents: Option<Vec<BigUint>>) -> usize {
        let path = format!("memory_{}", self.flat.memories.len());
        let memory = FlatMemory { path, width, depth, style: RamStyle::Auto, contents, reads: vec![], write: None };
        self.flat.memories.push(memory);
        self.flat.memories.len() - 1
    }

    pub fn port(&mut self, memory: usize, read: Read) -> ExprId {
        let port = self.flat.memories[memory].reads.len();
        let width = self.flat.memories[memory].width;
        let net = self.net("port", width, FlatDriver::Memory(memory, port));
        self.flat.memories[memory].reads.push((net, read));
        self.read(net, false)
    }

    pub fn write(&mut self, memory: usize, address: ExprId, enable: ExprId, mask: Option<ExprId>, data: ExprId) {
        let width = self.flat.memories[memory].width;
        let enable = self.fit(enable, 1, false);
        let mask = mask.map(|m| self.fit(m, width, false));
        let data = self.fit(data, width, false);
        self.flat.memories[memory].write = Some(Write { address, enable, mask, data });
    }

    pub fn constant(&mut self, value: impl Into<BigUint>, width: u32) -> ExprId {
        self.push(ExprKind::Const(value.into()), width, false)
    }

    /// The value with this width and sign.
    pub fn fit(&mut self, e: ExprId, width: u32, signed: bool) -> ExprId {
        let mut e = e;
        if self.width(e) > width {
            e = self.push(ExprKind::Slice(e, 0), width, false);
        } else if self.width(e) < width {
            let sign = self.signed(e);
            e = self.push(ExprKind::Extend(e), width, sign);
        }
        if self.signed(e) == signed { e } else { self.push(ExprKind::Reinterpret(e), width, signed) }
    }

    pub fn unary(&mut self, op: Unary, a: ExprId) -> ExprId {
        let (width, signed) = match op {
            Unary::Not | Unary::Neg => (self.width(a), self.signed(a)),
            _ => (1, false),
        };
        self.push(ExprKind::Unary(op, a), width, signed)
    }

    pub fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        let (width, signed) = (self.width(a), self.signed(a));
        let b = match op {
            Binary::Shl | Binary::Shr => b,
            Binary::Mul => self.fit(b, self.width(b), signed),
            _ => self.fit(b, width, signed),
        };
        let (width, signed) = match op {
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le => (1, false),
            Binary::Mul => (width + self.width(b), signed),
            _ => (width, signed),
        };
        self.push(ExprKind::Binary(op, a, b), width, signed)
    }

    pub fn mux(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        let (c, b) = (self.fit(c, 1, false), self.fit(b, self.width(a), self.signed(a)));
        let (width, signed) = (self.width(a), self.signed(a));
        self.push(ExprKind::Mux(c, a, b), width, signed)
    }

    pub fn slice(&mut self, a: ExprId, low: u32, width: u32) -> ExprId {
        self.push(ExprKind::Slice(a, low), width, false)
    }

    pub fn name(&mut self, e: ExprId) -> ExprId {
        let net = self.net("net", self.width(e), FlatDriver::Expr(e));
        self.read(net, self.signed(e))
    }
}

/// The design as text, for messages.
pub fn text(flat: &Flat) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for (i, net) in flat.nets.iter().enumerate() {
        let _ = writeln!(text, "n{i}: {} [{}] = {:?}", net.path, net.width, net.driver);
    }
    for (i, e) in flat.exprs.iter().enumerate() {
        let _ = writeln!(text, "e{i}: {}{} = {:?}", if e.signed { "i" } else { "u" }, e.width, e.kind);
    }
    for (i, r) in flat.registers.iter().enumerate() {
        let _ = writeln!(text, "r{i}: {r:?}");
    }
    for (i, m) in flat.memories.iter().enumerate() {
        let _ = writeln!(text, "m{i}: {m:?}");
    }
    text
}
