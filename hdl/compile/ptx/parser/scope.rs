//! What is known while a kernel or a function is read: names and what they stand for, braces within braces.

use std::collections::HashMap;

use crate::error::Place;
use crate::ptx::ast::{Kernel, Module, Register, RegisterId, Symbol, Variable};
use crate::ptx::inline::{Call, Function};
use crate::ptx::token::Token;
use crate::ptx::types::{Space, Type};

/// What is declared between two braces.
#[derive(Default)]
pub(super) struct Names {
    /// Declared registers: those of a family share the name before their number.
    pub(super) families: HashMap<String, (u64, Type)>,
    single: HashMap<String, Type>,
    known: HashMap<String, RegisterId>,
    variables: HashMap<String, usize>,
}

impl Names {
    /// The type of the register of this name.
    fn declared(&self, name: &str) -> Option<Type> {
        self.single.get(name).copied().or_else(|| {
            let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            // A family's own name may end in digits: `%rd<10>`, `%r1_<4>`.
            (1..=digits).find_map(|digits| {
                let (family, number) = name.split_at(name.len() - digits);
                let (count, ty) = self.families.get(family)?;
                let plain = number == "0" || !number.starts_with('0');
                (plain && number.parse::<u64>().ok()? < *count).then_some(*ty)
            })
        })
    }
}

/// What is known while a kernel or a function is read.
pub(super) struct Scope<'m> {
    pub(super) module: &'m Module,
    /// Functions declared so far.
    pub(super) functions: &'m [Function],
    pub(super) kernel: Kernel,
    /// Calls in the body.
    pub(super) calls: Vec<Call>,
    /// Variables that are the results of the function that is read, if it is one: they come first. Behind them come
    /// its parameters, which end at the second number.
    pub(super) formal: Option<[usize; 2]>,
    /// Those of the function, and of each brace that is open.
    pub(super) names: Vec<Names>,
    /// Names of registers and variables that are taken, and how many had to be told apart by a number.
    taken: HashMap<String, u32>,
    labels: HashMap<String, usize>,
    /// Where a label was asked for that has no place yet.
    pub(super) asked: Vec<(usize, Place)>,
    pub(super) source: Option<(u32, u32)>,
}

impl<'m> Scope<'m> {
    pub(super) fn new(module: &'m Module, functions: &'m [Function], name: Token<'_>) -> Scope<'m> {
        let kernel = Kernel {
            name: name.text.to_string(),
            parameters: Vec::new(),
            registers: Vec::new(),
            variables: Vec::new(),
            most_threads: None,
            exact_threads: None,
            body: Vec::new(),
            labels: Vec::new(),
            lower: Vec::new(),
            place: name.place,
        };
        Scope {
            module,
            functions,
            kernel,
            calls: Vec::new(),
            formal: None,
            names: vec![Names::default()],
            taken: HashMap::new(),
            labels: HashMap::new(),
            asked: Vec::new(),
            source: None,
        }
    }

    /// The name itself, or with a number behind it where it stands in another scope already.
    fn unique(&mut self, name: &str) -> String {
        let mut found = name.to_string();
        while let Some(count) = self.taken.get_mut(&found) {
            *count += 1;
            found = format!("{name}${count}");
        }
        self.taken.insert(found.clone(), 0);
        found
    }

    pub(super) fn innermost(&mut self) -> &mut Names {
        self.names.last_mut().expect("there is one for the function")
    }

    /// The register of this name; none if it was not declared.
    pub(super) fn register(&mut self, name: &str) -> Option<RegisterId> {
        for depth in (0..self.names.len()).rev() {
            if let Some(found) = self.names[depth].known.get(name) {
                return Some(*found);
            }
            if let Some(ty) = self.names[depth].declared(name) {
                let id = RegisterId(self.kernel.registers.len() as u32);
                let own = self.unique(name);
                self.kernel.registers.push(Register { name: own, ty });
                self.names[depth].known.insert(name.to_string(), id);
                return Some(id);
            }
        }
        None
    }

    /// A register of its own for a result that nobody wants.
    pub(super) fn sink(&mut self, ty: Type) -> RegisterId {
        let name = self.unique("%sink");
        self.kernel.registers.push(Register { name, ty });
        RegisterId(self.kernel.registers.len() as u32 - 1)
    }

    /// Variables that are parameters of the function that is read.
    pub(super) fn inputs(&self) -> std::ops::Range<usize> {
        self.formal.map_or(0..0, |[first, end]| first..end)
    }

    /// Declares a register by itself; tells whether its name is free.
    pub(super) fn declare(&mut self, name: &str, ty: Type) -> bool {
        self.innermost().single.insert(name.to_string(), ty).is_none()
    }

    /// Adds a variable; tells whether its name is free.
    pub(super) fn add(&mut self, variable: Variable) -> bool {
        let parameter = self.names.len() == 1 && self.kernel.parameters.iter().any(|p| p.name == variable.name);
        let index = self.kernel.variables.len();
        let free = self.innermost().variables.insert(variable.name.clone(), index).is_none();
        let name = self.unique(&variable.name);
        self.kernel.variables.push(Variable { name, ..variable });
        free && !parameter
    }

    /// The label of this name, which may get its place later.
    pub(super) fn label(&mut self, name: &str, place: Place) -> usize {
        let next = self.kernel.labels.len();
        let label = *self.labels.entry(name.to_string()).or_insert(next);
        if label == next {
            self.kernel.labels.push((name.to_string(), usize::MAX));
        }
        self.asked.push((label, place));
        label
    }

    /// The variable or parameter of this name.
    pub(super) fn symbol(&self, name: &str) -> Option<Symbol> {
        let own = self.names.iter().rev().find_map(|names| names.variables.get(name)).copied().map(Symbol::Kernel);
        let parameter = || self.kernel.parameters.iter().position(|p| p.name == name).map(Symbol::Parameter);
        let outside = || self.module.variables.iter().position(|v| v.name == name).map(Symbol::Module);
        own.or_else(parameter).or_else(outside)
    }

    /// The space that a symbol lies in.
    pub(super) fn space(&self, symbol: Symbol) -> Space {
        self.module.variable(&self.kernel, symbol).map_or(Space::Param, |variable| variable.space)
    }

    /// The type of a register.
    pub(super) fn ty(&self, register: RegisterId) -> Type {
        self.kernel.registers[register.0 as usize].ty
    }
}
