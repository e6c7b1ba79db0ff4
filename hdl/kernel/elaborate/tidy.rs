//! Puts a finished module into its final form: expressions that a net computes are referred to by the net's name,
//! constants are carried into the expressions that use them, registers get their enables, and what nothing uses is
//! dropped.

use std::collections::{HashMap, HashSet};

use crate::build::Builder;
use crate::netlist::{Direction, Driver, Expr, ExprId, ExprKind, Memory, Module, Net, NetId, Read, Register};

/// The module in its final form.
pub(super) fn tidy(module: Module) -> Module {
    prune(with_enables(rebuild(&module)))
}

/// Whether an expression is read more easily than the name of a net that happens to have its value.
fn is_cheap(module: &Module, e: ExprId) -> bool {
    match module.expr(e).kind {
        ExprKind::Slice(inner, _) => is_trivial(&module.expr(inner).kind),
        ref kind => is_trivial(kind),
    }
}

/// Copies a module's expressions into a new builder.
struct Rebuild<'a> {
    old: &'a Module,
    build: Builder,
    done: HashMap<ExprId, ExprId>,
    /// Expressions that a net computes.
    named: HashMap<ExprId, NetId>,
    /// Nets whose value is a constant or another net.
    same: HashMap<NetId, ExprId>,
}

fn rebuild(module: &Module) -> Module {
    let mut named = HashMap::new();
    for (index, net) in module.nets.iter().enumerate() {
        if let Driver::Expr(e) = net.driver
            && !is_cheap(module, e)
        {
            named.entry(e).or_insert(NetId(index as u32));
        }
    }
    let mut r = Rebuild { old: module, build: Builder::default(), done: HashMap::new(), named, same: HashMap::new() };
    let mut nets = module.nets.clone();
    for (index, net) in nets.iter_mut().enumerate() {
        if let Driver::Expr(e) = net.driver {
            net.driver = Driver::Expr(r.driver(NetId(index as u32), e));
        }
    }
    let registers = module
        .registers
        .iter()
        .map(|reg| Register { next: r.copy(reg.next), enable: reg.enable.map(|e| r.copy(e)), ..reg.clone() })
        .collect();
    let memories = module.memories.iter().map(|m| map_memory(m, &mut |e| r.copy(e))).collect();
    Module { nets, registers, memories, exprs: r.build.exprs, ..module.clone() }
}

impl Rebuild<'_> {
    /// The driver of a net: its own expression, not its own name.
    fn driver(&mut self, net: NetId, e: ExprId) -> ExprId {
        match self.named.get(&e) {
            Some(&owner) if owner == net => self.structure(e),
            _ => self.copy(e),
        }
    }

    fn copy(&mut self, e: ExprId) -> ExprId {
        if let Some(&id) = self.done.get(&e) {
            return id;
        }
        let id = match self.named.get(&e) {
            Some(&net) => self.named_net(net, e),
            None => self.structure(e),
        };
        self.done.insert(e, id);
        id
    }

    /// A reference to a net, unless its value turns out to be a constant.
    fn named_net(&mut self, net: NetId, e: ExprId) -> ExprId {
        let value = self.structure(e);
        if matches!(self.build.expr(value).kind, ExprKind::Const(_)) {
            return value;
        }
        let n = self.old.net(net);
        self.build.net(net, n.width, n.signed)
    }

    /// Follows nets that only carry a constant or another net's value.
    fn net(&mut self, net: NetId) -> ExprId {
        if let Some(&id) = self.same.get(&net) {
            return id;
        }
        let n = self.old.net(net);
        // Stops a chain of nets that leads back to itself: the loop is reported by the checks.
        let own = self.build.net(net, n.width, n.signed);
        self.same.insert(net, own);
        let id = match n.driver {
            Driver::Expr(e) => {
                let value = match self.old.expr(e).kind {
                    ExprKind::Net(other) => self.net(other),
                    _ => self.driver(net, e),
                };
                if is_trivial(&self.build.expr(value).kind) { value } else { own }
            }
            _ => own,
        };
        self.same.insert(net, id);
        id
    }

    fn structure(&mut self, e: ExprId) -> ExprId {
        let Expr { kind, width, signed } = self.old.expr(e).clone();
        match kind {
            ExprKind::Const(value) => self.build.constant(value, width, signed),
            ExprKind::Net(net) => self.net(net),
            ExprKind::Unary(op, a) => {
                let a = self.copy(a);
                self.build.unary(op, a)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.copy(a), self.copy(b));
                self.build.binary(op, a, b)
            }
            ExprKind::Mux(c, a, b) => {
                let (c, a, b) = (self.copy(c), self.copy(a), self.copy(b));
                self.build.mux(c, a, b)
            }
            ExprKind::Slice(a, low) => {
                let a = self.copy(a);
                self.build.slice(a, low, width)
            }
            ExprKind::Select(a, at) => {
                let (a, at) = (self.copy(a), self.copy(at));
                self.build.select(a, at, width)
            }
            ExprKind::Replace(a, part, low) => {
                let (a, part) = (self.copy(a), self.copy(part));
                self.build.replace(a, part, low)
            }
            ExprKind::ReplaceBit(a, bit, at) => {
                let (a, bit, at) = (self.copy(a), self.copy(bit), self.copy(at));
                self.build.replace_bit(a, bit, at)
            }
            ExprKind::Extend(a) => {
                let a = self.copy(a);
                self.build.resize(a, width)
            }
            ExprKind::Reinterpret(a) => {
                let a = self.copy(a);
                self.build.reinterpret(a, signed)
            }
        }
    }
}

fn map_memory(memory: &Memory, map: &mut dyn FnMut(ExprId) -> ExprId) -> Memory {
    let mut m = memory.clone();
    for (_, read) in &mut m.reads {
        match read {
            Read::Now { address } => *address = map(*address),
            Read::Clocked { address, enable } => (*address, *enable) = (map(*address), map(*enable)),
            Read::And { select } | Read::Nor { select } => *select = map(*select),
        }
    }
    if let Some(w) = &mut m.write {
        (w.address, w.enable, w.data) = (map(w.address), map(w.enable), map(w.data));
        w.mask = w.mask.map(&mut *map);
    }
    m
}

/// Next values of the form `condition ? value : register` become an enable, when nothing else needs the choice.
fn with_enables(mut module: Module) -> Module {
    for index in 0..module.registers.len() {
        let register = &module.registers[index];
        let ExprKind::Net(d) = module.expr(register.next).kind else {
            continue;
        };
        let Driver::Expr(e) = module.net(d).driver else {
            continue;
        };
        let ExprKind::Mux(condition, then, otherwise) = module.expr(e).kind else {
            continue;
        };
        if module.expr(otherwise).kind == ExprKind::Net(register.net) {
            let operands = module.exprs.iter().flat_map(|x| x.kind.operands());
            let roots = module.roots();
            let uses = operands.chain(roots).filter(|&used| used == register.next).count();
            // The register is one. A port or an instance may have the net, too.
            let leaves = module.ports.iter().any(|port| port.net == d)
                || module.instances.iter().any(|instance| instance.connections.contains(&d));
            if uses == 1 && !leaves {
                module.nets[d.0 as usize].driver = Driver::Expr(then);
                module.registers[index].enable = Some(condition);
            }
        }
    }
    module
}

/// Drops nets, registers, memories and expressions that no output, instance or memory needs. Instances stay.
fn prune(module: Module) -> Module {
    let mut live = Liveness { module: &module, nets: HashSet::new(), work: vec![] };
    for (index, net) in module.nets.iter().enumerate() {
        if net.name.contains("unused") {
            live.net(NetId(index as u32));
        }
    }
    for port in &module.ports {
        if port.direction == Direction::Output {
            live.net(port.net);
        }
    }
    for instance in &module.instances {
        for &net in &instance.connections {
            live.net(net);
        }
    }
    live.run();
    let keep: Vec<bool> = (0..module.nets.len())
        .map(|i| {
            let id = NetId(i as u32);
            live.nets.contains(&id) || module.ports.iter().any(|p| p.net == id)
        })
        .collect();
    compact(&module, &keep)
}

struct Liveness<'a> {
    module: &'a Module,
    nets: HashSet<NetId>,
    work: Vec<ExprId>,
}

impl Liveness<'_> {
    fn net(&mut self, net: NetId) {
        if !self.nets.insert(net) {
            return;
        }
        let module = self.module;
        match module.net(net).driver {
            Driver::Input | Driver::Instance(..) => {}
            Driver::Expr(e) => self.work.push(e),
            Driver::Register(r) => {
                self.work.push(module.registers[r].next);
                self.work.extend(module.registers[r].enable);
            }
            Driver::Memory(m, _) => {
                let mut roots = Vec::new();
                map_memory(&module.memories[m], &mut |e| {
                    roots.push(e);
                    e
                });
                self.work.extend(roots);
                for &(net, _) in &module.memories[m].reads {
                    self.nets.insert(net);
                }
            }
        }
    }

    fn run(&mut self) {
        let mut seen = HashSet::new();
        while let Some(e) = self.work.pop() {
            if !seen.insert(e) {
                continue;
            }
            match &self.module.expr(e).kind {
                ExprKind::Net(net) => self.net(*net),
                kind => self.work.extend(kind.operands()),
            }
        }
    }
}

/// Renumbers nets, registers, memories and expressions.
fn compact(module: &Module, keep: &[bool]) -> Module {
    let mut number = HashMap::new();
    for (index, _) in keep.iter().enumerate().filter(|(_, keep)| **keep) {
        number.insert(NetId(index as u32), NetId(number.len() as u32));
    }
    let mut exprs = Exprs { module, number: &number, build: Vec::new(), done: HashMap::new() };
    let mut registers = Vec::new();
    let mut register_number = HashMap::new();
    for (index, r) in module.registers.iter().enumerate().filter(|(_, r)| keep[r.net.0 as usize]) {
        register_number.insert(index, registers.len());
        let enable = r.enable.map(|e| exprs.copy(e));
        registers.push(Register { net: number[&r.net], next: exprs.copy(r.next), enable, ..r.clone() });
    }
    let mut memories = Vec::new();
    let mut memory_number = HashMap::new();
    for (index, m) in module.memories.iter().enumerate() {
        if m.reads.iter().all(|(net, _)| !keep[net.0 as usize]) {
            continue;
        }
        memory_number.insert(index, memories.len());
        let mut copy = map_memory(m, &mut |e| exprs.copy(e));
        copy.reads.iter_mut().for_each(|(net, _)| *net = number[net]);
        memories.push(copy);
    }
    let mut nets = Vec::new();
    for net in module.nets.iter().zip(keep).filter(|(_, keep)| **keep).map(|(net, _)| net) {
        let driver = match net.driver {
            Driver::Expr(e) => Driver::Expr(exprs.copy(e)),
            Driver::Register(r) => Driver::Register(register_number[&r]),
            Driver::Memory(m, p) => Driver::Memory(memory_number[&m], p),
            Driver::Input => Driver::Input,
            Driver::Instance(i, p) => Driver::Instance(i, p),
        };
        nets.push(Net { driver, ..net.clone() });
    }
    let mut ports = module.ports.clone();
    ports.iter_mut().for_each(|p| p.net = number[&p.net]);
    let mut instances = module.instances.clone();
    for instance in &mut instances {
        instance.connections.iter_mut().for_each(|net| *net = number[net]);
    }
    Module { ports, nets, registers, memories, instances, exprs: exprs.build, ..module.clone() }
}

struct Exprs<'a> {
    module: &'a Module,
    number: &'a HashMap<NetId, NetId>,
    build: Vec<Expr>,
    done: HashMap<ExprId, ExprId>,
}

impl Exprs<'_> {
    fn copy(&mut self, e: ExprId) -> ExprId {
        if let Some(&id) = self.done.get(&e) {
            return id;
        }
        let mut expr = self.module.expr(e).clone();
        expr.kind = match expr.kind {
            ExprKind::Net(net) => ExprKind::Net(self.number[&net]),
            kind => kind.mapped(&mut |operand| Some(self.copy(operand))).expect("every operand is copied"),
        };
        let id = ExprId(self.build.len() as u32);
        self.build.push(expr);
        self.done.insert(e, id);
        id
    }
}

/// Whether an expression is worth a name of its own.
fn is_trivial(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Const(_) | ExprKind::Net(_))
}
