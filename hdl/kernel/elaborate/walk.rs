//! Collects a block's instances and signals through rust-hdl's probe.

use std::collections::HashMap;

use num_bigint::BigUint;
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::atom::{Atom as HdlAtom, AtomKind};
use rust_hdl_core::prelude::{Block, Probe, TypeDescriptor, TypeKind};

use crate::describe::Described;
use crate::error::{Error, Result};
use crate::netlist::Primitive;
use crate::nominal::bits_of;
use crate::reg::DOMAIN;

/// Direction of a signal, seen from its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Input,
    Output,
    Local,
    Constant,
}

/// A signal.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    /// Name in its block; parts of interfaces are joined by `$`.
    pub name: String,
    pub role: Role,
    pub width: u32,
    pub signed: bool,
    /// Clock and reset.
    pub domain: bool,
    /// Value of a constant.
    pub value: BigUint,
}

/// A block instance.
#[derive(Debug)]
pub(super) struct Scope {
    /// Field name in the parent, with indices joined by `$`.
    pub name: String,
    /// Names from the top, joined by dots.
    pub path: String,
    pub hdl: Verilog,
    pub primitive: Option<Primitive>,
    pub described: Option<Described>,
    pub atoms: Vec<Atom>,
    pub children: Vec<Scope>,
    /// The stage that the register is a part of, and the signal that it holds.
    pub stage: Option<(String, String)>,
    /// `Type$Variant` ─▶ value and width.
    pub variants: HashMap<String, (u64, u32, usize)>,
}

impl Scope {
    /// What a signal of this child is called in its parent's code.
    pub(super) fn signal(&self, atom: &str) -> String {
        match &self.stage {
            Some((stage, signal)) => format!("{stage}${atom}${signal}"),
            None => format!("{}${atom}", self.name),
        }
    }

    /// What its clock is called there.
    pub(super) fn clock(&self) -> Option<String> {
        let clock = &self.atoms.iter().find(|atom| atom.domain)?.name;
        let child = self.stage.as_ref().map_or(&self.name, |(stage, _)| stage);
        Some(format!("{child}${clock}"))
    }

    /// A stage as the registers of its signals.
    fn registers(self, reset: bool) -> Vec<Scope> {
        let clock = self.atoms.iter().find(|atom| atom.domain);
        let register = |d: &Atom| {
            let signal = d.name.strip_prefix("d$")?;
            let end = |name: &str, role| Atom { name: name.into(), role, ..d.clone() };
            Some(Scope {
                name: format!("{}${signal}", self.name),
                path: format!("{}${signal}", self.path),
                hdl: Verilog::Empty,
                primitive: Some(Primitive::Register { reset: reset.then(|| "0".into()) }),
                described: None,
                atoms: clock.cloned().into_iter().chain([end("d", Role::Input), end("q", Role::Output)]).collect(),
                children: vec![],
                stage: Some((self.name.clone(), signal.into())),
                variants: self.variants.clone(),
            })
        };
        self.atoms.iter().filter_map(register).collect()
    }
}

/// The instance tree of `top`.
pub(super) fn walk(top: &dyn Block) -> Result<Scope> {
    let mut walker = Walker::default();
    top.accept("top", &mut walker);
    if let Some(error) = walker.error {
        return Err(error);
    }
    walker.done.ok_or_else(|| Error::netlist("top", "block", "is not a LogicBlock: the probe found no scope"))
}

#[derive(Default)]
struct Walker {
    stack: Vec<Scope>,
    namespaces: Vec<Vec<String>>,
    done: Option<Scope>,
    error: Option<Error>,
}

impl Walker {
    fn fail(&mut self, signal: &str, rule: &str) {
        let path = self.stack.last().map_or("top", |s| s.path.as_str()).to_string();
        self.error.get_or_insert_with(|| Error::netlist(path, signal, rule));
    }
}

impl Probe for Walker {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let path = match self.stack.last() {
            Some(parent) => format!("{}.{name}", parent.path),
            None => name.to_string(),
        };
        let hdl = node.hdl();
        let primitive = match &hdl {
            Verilog::Custom(text) => Primitive::from_hdl(text),
            _ => None,
        };
        self.stack.push(Scope {
            name: name.into(),
            path,
            hdl,
            primitive,
            described: Described::from_timing(&node.timing()),
            atoms: vec![],
            children: vec![],
            stage: None,
            variants: HashMap::new(),
        });
        self.namespaces.push(vec![]);
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.namespaces.pop();
        let scope = self.stack.pop().expect("scopes are balanced");
        match self.stack.last_mut() {
            Some(parent) => match scope.primitive {
                Some(Primitive::Stage { reset }) => parent.children.extend(scope.registers(reset)),
                _ => parent.children.push(scope),
            },
            None => self.done = Some(scope),
        }
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        if let Some(names) = self.namespaces.last_mut() {
            names.push(name.into());
        }
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        if let Some(names) = self.namespaces.last_mut() {
            names.pop();
        }
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn HdlAtom) {
        let Some(names) = self.namespaces.last() else {
            return self.fail(name, "a signal outside of any block");
        };
        let full = names.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("$");
        let role = match atom.kind() {
            AtomKind::InputParameter => Role::Input,
            AtomKind::OutputParameter => Role::Output,
            AtomKind::LocalSignal => Role::Local,
            AtomKind::Constant => Role::Constant,
            _ => return self.fail(&full, "bidirectional and stub signals are not supported"),
        };
        let descriptor = atom.descriptor();
        let width = bits_of(&descriptor);
        if width == 0 {
            return self.fail(&full, "has no bits");
        }
        // `LogicStruct` makes constants of its fields' places.
        if matches!(descriptor.kind, TypeKind::Composite(_)) && atom.bits() != width as usize {
            let rule = "is a LogicStruct with a field whose width is set at run time, so that its fields' places are \
                        wrong: \
                        make it a bundle";
            return self.fail(&full, rule);
        }
        let mut value = BigUint::default();
        if role == Role::Constant {
            match literal(&atom.verilog().to_string()) {
                Some((constant, _)) => value = constant % (BigUint::from(1u8) << width),
                None => return self.fail(&full, "has a value that cannot be read"),
            }
        }
        let scope = self.stack.last_mut().expect("a namespace implies a scope");
        collect_variants(&descriptor, &mut scope.variants);
        scope.atoms.push(Atom {
            name: full,
            role,
            width,
            signed: matches!(descriptor.kind, TypeKind::Signed(_)),
            domain: descriptor.name == DOMAIN,
            value,
        });
    }
}

fn collect_variants(descriptor: &TypeDescriptor, into: &mut HashMap<String, (u64, u32, usize)>) {
    match &descriptor.kind {
        TypeKind::Enum(names) => {
            let width = usize::BITS - (names.len() - 1).leading_zeros();
            for (value, name) in (0..).zip(names) {
                into.insert(name.replace("::", "$"), (value, width, names.len()));
            }
        }
        TypeKind::Composite(fields) => fields.iter().for_each(|field| collect_variants(&field.kind, into)),
        TypeKind::Bits(_) | TypeKind::Signed(_) => {}
    }
}

/// Reads rust-hdl's text of a literal, such as `8'hff` or `3'b101`: the value and the width.
pub(super) fn literal(text: &str) -> Option<(BigUint, u32)> {
    let (width, digits) = text.split_once('\'')?;
    let radix = match digits.as_bytes().first()? {
        b'b' => 2,
        b'h' => 16,
        _ => return None,
    };
    Some((BigUint::parse_bytes(&digits.as_bytes()[1..], radix)?, width.parse().ok()?))
}
