//! A netlist without hierarchy: one list of nets, registers and memories, named by their instance paths. Simulators and
//! the check for combinational loops read this form.

use num_bigint::BigUint;

use super::mem::RamStyle;
use super::netlist::{Direction, Driver, Expr, ExprId, ExprKind, ModuleId, NetId, Netlist, Read, Write};

/// A net of the whole design.
#[derive(Clone, Debug)]
pub struct FlatNet {
    /// Instance path and name, joined by dots.
    pub path: String,
    /// Width in bits.
    pub width: u32,
    /// Where its value comes from.
    pub driver: FlatDriver,
}

/// Where a net's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlatDriver {
    /// An input of the design.
    Input,
    /// An expression.
    Expr(ExprId),
    /// A register.
    Register(usize),
    /// A memory's read port.
    Memory(usize, usize),
    /// Another net: through a port.
    Net(NetId),
}

/// A register of the whole design.
#[derive(Clone, Debug)]
pub struct FlatRegister {
    /// The net with its value.
    pub net: NetId,
    /// Value during reset.
    pub reset: Option<BigUint>,
    /// Takes `next` only while this is 1.
    pub enable: Option<ExprId>,
    /// Next value.
    pub next: ExprId,
}

/// A memory of the whole design.
#[derive(Clone, Debug)]
pub struct FlatMemory {
    /// Instance path and name.
    pub path: String,
    /// Bits of a word.
    pub width: u32,
    /// Words.
    pub depth: usize,
    /// What synthesis should make of it.
    pub style: RamStyle,
    /// Contents of a ROM.
    pub contents: Option<Vec<BigUint>>,
    /// Read ports.
    pub reads: Vec<(NetId, Read)>,
    /// Write port.
    pub write: Option<Write>,
}

/// A design without hierarchy.
#[derive(Clone, Debug, Default)]
pub struct Flat {
    /// Nets.
    pub nets: Vec<FlatNet>,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Registers.
    pub registers: Vec<FlatRegister>,
    /// Memories.
    pub memories: Vec<FlatMemory>,
    /// Inputs besides clock and reset.
    pub inputs: Vec<NetId>,
    /// Outputs.
    pub outputs: Vec<NetId>,
    /// Instances of modules, the top first.
    pub instances: Vec<FlatInstance>,
}

/// An instance of a module.
#[derive(Clone, Debug)]
pub struct FlatInstance {
    /// Which module.
    pub module: ModuleId,
    /// Instance path; empty for the top.
    pub path: String,
    /// Number of its module's first net; the others follow.
    pub first_net: u32,
}

impl Flat {
    /// Flattens a netlist.
    pub fn new(netlist: &Netlist) -> Flat {
        let mut flat = Flat::default();
        let top = ModuleId(netlist.modules.len() as u32 - 1);
        let first = flat.module(netlist, top, "");
        for port in &netlist.top().ports {
            let net = NetId(first + port.net.0);
            match port.direction {
                Direction::Input => flat.inputs.push(net),
                Direction::Output => flat.outputs.push(net),
            }
        }
        flat
    }

    /// Adds a net for each arm of each instance's conditions, 1 in the cycles in which it is taken: as many for an
    /// instance as its module has arms, in their order.
    pub fn add_arms(&mut self, netlist: &Netlist) -> Vec<Vec<NetId>> {
        let mut added = Vec::new();
        for FlatInstance { module, path, first_net } in self.instances.clone() {
            let Some(arms) = netlist.arms.get(module.0 as usize) else {
                added.push(vec![]);
                continue;
            };
            let first_expr = self.exprs.len() as u32;
            let exprs = arms.exprs.iter().map(|e| Expr { kind: shift(&e.kind, first_net, first_expr), ..e.clone() });
            self.exprs.extend(exprs);
            let nets = arms.list.iter().map(|arm| {
                let driver = FlatDriver::Expr(ExprId(arm.taken.0 + first_expr));
                self.nets.push(FlatNet { path: format!("{path}.arm {} {}", arm.place, arm.number), width: 1, driver });
                NetId(self.nets.len() as u32 - 1)
            });
            added.push(nets.collect());
        }
        added
    }

    /// A net.
    pub fn net(&self, id: NetId) -> &FlatNet {
        &self.nets[id.0 as usize]
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The net at the other end of a chain of ports.
    pub fn source(&self, mut net: NetId) -> NetId {
        while let FlatDriver::Net(next) = self.net(net).driver {
            net = next;
        }
        net
    }

    /// Adds an instance of a module; returns the number of its first net.
    fn module(&mut self, netlist: &Netlist, id: ModuleId, path: &str) -> u32 {
        let module = netlist.module(id);
        let (first_net, first_expr) = (self.nets.len() as u32, self.exprs.len() as u32);
        let (first_register, first_memory) = (self.registers.len(), self.memories.len());
        self.instances.push(FlatInstance { module: id, path: path.into(), first_net });
        let net = |n: NetId| NetId(n.0 + first_net);
        let expr = |e: ExprId| ExprId(e.0 + first_expr);
        let join = |name: &str| {
            if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
        };
        for n in &module.nets {
            let driver = match n.driver {
                Driver::Input => FlatDriver::Input,
                Driver::Expr(e) => FlatDriver::Expr(expr(e)),
                Driver::Register(r) => FlatDriver::Register(r + first_register),
                Driver::Memory(m, p) => FlatDriver::Memory(m + first_memory, p),
                // Set below, when the instance is there.
                Driver::Instance(..) => FlatDriver::Input,
            };
            self.nets.push(FlatNet { path: join(&n.name), width: n.width, driver });
        }
        for e in &module.exprs {
            self.exprs.push(Expr { kind: shift(&e.kind, first_net, first_expr), ..e.clone() });
        }
        for r in &module.registers {
            self.registers.push(FlatRegister {
                net: net(r.net),
                reset: r.reset.clone(),
                enable: r.enable.map(expr),
                next: expr(r.next),
            });
        }
        for m in &module.memories {
            let read = |read: &Read| match *read {
                Read::Now { address } => Read::Now { address: expr(address) },
                Read::Clocked { address, enable } => Read::Clocked { address: expr(address), enable: expr(enable) },
                Read::And { select } => Read::And { select: expr(select) },
                Read::Nor { select } => Read::Nor { select: expr(select) },
            };
            self.memories.push(FlatMemory {
                path: join(&m.name),
                width: m.width,
                depth: m.depth,
                style: m.style,
                contents: m.contents.clone(),
                reads: m.reads.iter().map(|(n, r)| (net(*n), read(r))).collect(),
                write: m.write.as_ref().map(|w| Write {
                    address: expr(w.address),
                    enable: expr(w.enable),
                    mask: w.mask.map(expr),
                    data: expr(w.data),
                }),
            });
        }
        for instance in &module.instances {
            let inner = netlist.module(instance.module);
            let first = self.module(netlist, instance.module, &join(&instance.name));
            for (port, &outer) in inner.ports.iter().zip(&instance.connections) {
                let inside = NetId(first + port.net.0);
                let (to, from) = match port.direction {
                    Direction::Input => (inside, net(outer)),
                    Direction::Output => (net(outer), inside),
                };
                self.nets[to.0 as usize].driver = FlatDriver::Net(from);
            }
        }
        first_net
    }
}

fn shift(kind: &ExprKind, nets: u32, exprs: u32) -> ExprKind {
    match *kind {
        ExprKind::Net(net) => ExprKind::Net(NetId(net.0 + nets)),
        ref kind => kind.mapped(&mut |e| Some(ExprId(e.0 + exprs))).expect("every operand moves"),
    }
}
