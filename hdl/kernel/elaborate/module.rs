//! Blocks ─▶ modules: signals become nets, primitives registers and memories, other children instances.

use std::collections::{BTreeSet, HashMap, HashSet};

use rust_hdl_core::ast::Verilog;

use super::expr::Wanted;
use super::index::{Values, resolve};
use super::statement::{Environment, Held};
use super::walk::{Role, Scope};
use crate::arms::{Arms, Recorder};
use crate::build::Builder;
use crate::describe::Described;
use crate::error::{Error, Result};
use crate::names::{flat, legal};
use crate::netlist::{Direction, Driver, ExprId, ExprKind, Module, ModuleId, Net, NetId, Netlist, Port, Primitive};

/// A signal of a scope, its own or a child's.
pub(super) type SignalId = usize;

/// What a name in an expression stands for.
pub(super) enum Meaning {
    Expr(ExprId),
    Integer(i64),
}

#[derive(Clone, Debug)]
struct Signal {
    /// Name in the netlist.
    net_name: String,
    width: u32,
    signed: bool,
    role: Role,
    /// Index of the child it belongs to.
    child: Option<usize>,
    /// Name in its own scope.
    atom: String,
    /// Where it is read.
    mentioned: Mention,
}

/// Where a signal is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mention {
    /// Nowhere.
    #[default]
    Never,
    /// In code that runs.
    Live,
    /// In a branch that a constant rules out.
    Dead,
}

/// Elaborates scopes, one module for each distinct structure.
#[derive(Default)]
pub(super) struct Elaborator {
    modules: Vec<Module>,
    arms: Vec<Arms>,
    known: HashMap<Module, ModuleId>,
    names: HashMap<String, ModuleId>,
}

/// A scope under elaboration.
pub(super) struct Frame<'a> {
    pub(super) scope: &'a Scope,
    signals: Vec<Signal>,
    pub(super) by_name: HashMap<String, SignalId>,
    domain: Option<String>,
    /// The children whose clock has this name: one, or the registers of a stage.
    pub(super) clocks: HashMap<String, Vec<&'a Scope>>,
    clocked_children: BTreeSet<String>,
    pub(super) build: Builder,
    pub(super) environment: Environment,
    pub(super) values: Values,
    pub(super) dead: bool,
    pub(super) arms: Recorder,
}

impl Elaborator {
    pub(super) fn design(mut self, top: &Scope) -> Result<Netlist> {
        let id = self.scope(top)?;
        // The top is the last module: nothing else instantiates it.
        assert_eq!(id.0 as usize, self.modules.len() - 1);
        Ok(Netlist { modules: self.modules, arms: self.arms })
    }

    fn scope(&mut self, scope: &Scope) -> Result<ModuleId> {
        let Some(described) = &scope.described else {
            let rule = "the block has no description: answer `timing` with kernel::describe, or use the kernel's \
                        registers and memories";
            return Err(Error::netlist(&scope.path, "block", rule));
        };
        let mut children = Vec::new();
        for child in &scope.children {
            children.push(if child.primitive.is_some() { None } else { Some(self.scope(child)?) });
        }
        let mut frame = Frame::new(scope, described)?;
        match &scope.hdl {
            Verilog::Combinatorial(block) => {
                frame.arms = Recorder::new(block);
                frame.block(block)?;
            }
            Verilog::Empty => {}
            _ => return frame.fail("block".into(), "hand-written Verilog cannot be simulated or checked".into()),
        }
        let (module, arms) = frame.finish(&children, &self.modules, described)?;
        if let Some(&id) = self.known.get(&module) {
            return Ok(id);
        }
        if self.names.contains_key(&module.name) {
            let rule = "two different structures have this module name: name the parameters that make the difference";
            return Err(Error::netlist(&scope.path, module.name, rule));
        }
        let id = ModuleId(self.modules.len() as u32);
        self.names.insert(module.name.clone(), id);
        self.known.insert(module.clone(), id);
        self.modules.push(module);
        self.arms.push(arms);
        Ok(id)
    }
}

impl<'a> Frame<'a> {
    fn new(scope: &'a Scope, described: &Described) -> Result<Frame<'a>> {
        let mut frame = Frame {
            scope,
            signals: vec![],
            by_name: HashMap::new(),
            domain: None,
            clocks: HashMap::new(),
            clocked_children: BTreeSet::new(),
            build: Builder::default(),
            environment: Environment::new(),
            values: described.constants.iter().map(|(name, &value)| (name.clone(), value as i64)).collect(),
            dead: false,
            arms: Recorder::default(),
        };
        let mut taken: BTreeSet<String> = ["clk".to_string(), "rst".to_string()].into();
        let mut unique = |wanted: String| {
            let mut name = legal(&wanted);
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            name
        };
        let mut ports = BTreeSet::new();
        for atom in scope.atoms.iter().filter(|a| a.role != Role::Constant) {
            if atom.domain {
                if atom.role != Role::Input || frame.domain.is_some() {
                    let rule = "a block has one clock domain, an input: derived and gated clocks are not supported";
                    return Err(Error::netlist(&scope.path, &atom.name, rule));
                }
                frame.domain = Some(atom.name.clone());
                continue;
            }
            if atom.role != Role::Local && !ports.insert(flat(&atom.name)) {
                return Err(Error::netlist(&scope.path, &atom.name, "has another port's name in Verilog"));
            }
            // A local signal and a bundle whose names would be the same: the signal has an underscore behind.
            let own = if atom.role == Role::Local { atom.name.trim_end_matches('_') } else { &atom.name };
            frame.add(atom.name.clone(), unique(flat(own)), atom, None);
        }
        for (index, child) in scope.children.iter().enumerate() {
            if let Some(clock) = child.clock() {
                frame.clocks.entry(clock).or_default().push(child);
            }
            let register = matches!(child.primitive, Some(Primitive::Register { .. }));
            for atom in child.atoms.iter().filter(|a| a.role != Role::Constant && !a.domain) {
                if atom.role == Role::Local {
                    continue;
                }
                let short = flat(&child.name);
                let net = match (register, atom.name.as_str()) {
                    (true, "q") => short,
                    (true, _) => format!("{short}_next"),
                    _ => format!("{short}_{}", flat(&atom.name)),
                };
                let net = unique(net);
                frame.add(child.signal(&atom.name), net, atom, Some(index));
            }
        }
        Ok(frame)
    }

    fn add(&mut self, name: String, net_name: String, atom: &super::walk::Atom, child: Option<usize>) {
        self.by_name.insert(name, self.signals.len());
        self.signals.push(Signal {
            net_name,
            width: atom.width,
            signed: atom.signed,
            role: atom.role,
            child,
            atom: atom.name.clone(),
            mentioned: Mention::Never,
        });
    }

    pub(super) fn fail<T>(&self, signal: String, rule: String) -> Result<T> {
        Err(Error::netlist(&self.scope.path, signal, rule))
    }

    pub(super) fn resolved(&self, name: &str) -> Result<String> {
        resolve(name, &self.values).or_else(|rule| self.fail(name.replace('$', "."), rule))
    }

    pub(super) fn type_of_signal(&self, signal: SignalId) -> Wanted {
        let s = &self.signals[signal];
        Wanted { width: s.width, signed: s.signed }
    }

    /// The signal that an assignment means.
    pub(super) fn assignable(&mut self, name: &str) -> Result<SignalId> {
        let full = self.resolved(name)?;
        let Some(&signal) = self.by_name.get(&full) else {
            return self.fail(full.replace('$', "."), "no signal of this name".to_string());
        };
        let s = &self.signals[signal];
        match (s.role, s.child.is_some()) {
            (Role::Input, true) | (Role::Output | Role::Local, false) => Ok(signal),
            (Role::Input, false) => self.fail(full.replace('$', "."), "an input is driven from inside".to_string()),
            _ => self.fail(full.replace('$', "."), "a child's output is driven from outside".to_string()),
        }
    }

    /// Handles `child.clock.next = clock.val()`. False if the names are not domains.
    pub(super) fn domain_assignment(&mut self, target: &str, source: &str) -> Result<bool> {
        let full = self.resolved(target)?;
        let Some(children) = self.clocks.get(&full) else { return Ok(false) };
        if self.domain.as_deref() != Some(self.resolved(source)?.as_str()) {
            let rule = "takes a clock that is not the block's own: derived and gated clocks are not supported";
            return self.fail(full.replace('$', "."), rule.to_string());
        }
        self.clocked_children.extend(children.iter().map(|child| child.name.clone()));
        Ok(true)
    }

    /// What a name in an expression stands for.
    pub(super) fn meaning(&mut self, name: &str) -> Result<Meaning> {
        if let Some(&value) = self.values.get(name) {
            return Ok(Meaning::Integer(value));
        }
        let full = self.resolved(name)?;
        if let Some(&signal) = self.by_name.get(&full) {
            return self.read(signal).map(Meaning::Expr);
        }
        let scope = self.scope;
        if let Some(atom) = scope.atoms.iter().find(|a| a.name == full && a.role == Role::Constant) {
            return Ok(Meaning::Expr(self.build.constant(atom.value.clone(), atom.width, atom.signed)));
        }
        let variant = |s: &Scope| s.variants.get(&full).copied();
        if let Some((value, width, _)) = variant(scope).or_else(|| scope.children.iter().find_map(variant)) {
            return Ok(Meaning::Expr(self.build.constant(value.into(), width, false)));
        }
        let rule = "is neither a signal, a loop variable, an enum value nor a constant of the block \
                    (const generics and paths have no value here: name them in `describe`)";
        self.fail(full.replace('$', "."), rule.to_string())
    }

    pub(super) fn typed_signal(&mut self, name: &str) -> Result<ExprId> {
        match self.meaning(name)? {
            Meaning::Expr(id) => Ok(id),
            Meaning::Integer(_) => self.fail(name.to_string(), "is a number, not a signal".to_string()),
        }
    }

    /// Notes that code which never runs reads a signal; names that need a loop variable are passed over.
    pub(super) fn mention_dead(&mut self, name: &str) {
        let signal = resolve(name, &self.values).ok().and_then(|full| self.by_name.get(&full).copied());
        if let Some(signal) = signal {
            self.signals[signal].mentioned = Mention::Dead;
        }
    }

    fn read(&mut self, signal: SignalId) -> Result<ExprId> {
        let mention = if self.dead { Mention::Dead } else { Mention::Live };
        let s = &mut self.signals[signal];
        s.mentioned = s.mentioned.max(mention);
        let s = &self.signals[signal];
        // Inputs read their settled value; outputs and locals what was assigned last.
        if s.role != Role::Input {
            match self.environment.get(signal) {
                Some(Held::Value(value)) => return Ok(value),
                Some(Held::Partly | Held::Parts(..)) => {
                    let rule = "is read where it is not assigned on all paths, or not all of its bits (latch)";
                    return self.fail(s.atom.clone(), rule.to_string());
                }
                None => {}
            }
        }
        let (width, signed) = (s.width, s.signed);
        Ok(self.build.net(NetId(signal as u32), width, signed))
    }

    fn finish(
        mut self,
        children: &[Option<ModuleId>],
        modules: &[Module],
        described: &Described,
    ) -> Result<(Module, Arms)> {
        for child in &self.scope.children {
            let wants = child.atoms.iter().any(|atom| atom.domain);
            if wants && !self.clocked_children.contains(&child.name) {
                return self.fail(format!("{}.clock", child.name), "is not driven".to_string());
            }
        }
        let assigned = std::mem::take(&mut self.environment).finish();
        let mut drivers: Vec<Option<Driver>> = vec![None; self.signals.len()];
        for (index, signal) in self.signals.iter().enumerate() {
            let name = || {
                let name = match signal.child {
                    Some(child) => format!("{}.{}", self.scope.children[child].name, signal.atom),
                    None => signal.atom.clone(),
                };
                name.replace('$', ".")
            };
            let driven_inside = (signal.role == Role::Input) == signal.child.is_some();
            match assigned.get(&index) {
                Some(Held::Value(value)) => {
                    if signal.child.is_none() && self.reads(*value, NetId(index as u32)) {
                        let rule = "keeps its own value on some path: it would be a latch";
                        return self.fail(name(), rule.to_string());
                    }
                    drivers[index] = Some(Driver::Expr(*value));
                }
                Some(Held::Partly) => {
                    return self.fail(name(), "is assigned on some paths only: it would be a latch".to_string());
                }
                Some(Held::Parts(..)) => {
                    return self.fail(name(), "has bits that are never assigned, or on some paths only".to_string());
                }
                None if driven_inside => return self.fail(name(), "is not driven".to_string()),
                None if signal.child.is_none() && signal.role != Role::Input => {
                    return self.fail(name(), "is not driven".to_string());
                }
                None => {}
            }
        }
        let mut module = Module {
            name: format!("bl_{}", described.module),
            summary: described.summary.clone(),
            ports: vec![],
            nets: vec![],
            exprs: vec![],
            registers: vec![],
            memories: vec![],
            instances: vec![],
            clocked: false,
            resettable: false,
        };
        for (index, signal) in self.signals.iter().enumerate() {
            let net = NetId(index as u32);
            let own_port = signal.child.is_none() && signal.role != Role::Local;
            if own_port {
                let direction = if signal.role == Role::Input { Direction::Input } else { Direction::Output };
                module.ports.push(Port { direction, net });
            }
            if own_port && signal.role == Role::Input {
                drivers[index] = Some(Driver::Input);
            }
        }
        self.children(children, modules, &mut module, &mut drivers)?;
        module.nets = (self.signals.iter().zip(drivers))
            .map(|(signal, driver)| Net {
                name: signal.net_name.clone(),
                width: signal.width,
                signed: signal.signed,
                driver: driver.expect("every signal has a role that drives it"),
            })
            .collect();
        module.exprs = std::mem::take(&mut self.build.exprs);
        let mentioned: Vec<Mention> = self.signals.iter().map(|s| s.mentioned).collect();
        super::super::check::unused(&self.scope.path, &module, &mentioned)?;
        let tidy = super::tidy::tidy(module.clone());
        let arms = self.arms.finish(&module, &tidy, described.source.clone());
        Ok((tidy, arms))
    }

    /// Whether an expression reads a net directly.
    fn reads(&self, root: ExprId, net: NetId) -> bool {
        let (mut work, mut seen) = (vec![root], HashSet::new());
        while let Some(e) = work.pop() {
            if self.build.expr(e).kind == ExprKind::Net(net) {
                return true;
            }
            if seen.insert(e) {
                work.extend(self.build.expr(e).kind.operands());
            }
        }
        false
    }

    /// The net of a child's signal.
    pub(super) fn child_net(&self, child: usize, atom: &str) -> NetId {
        NetId(self.by_name[&self.scope.children[child].signal(atom)] as u32)
    }
}
