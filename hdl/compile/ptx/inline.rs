//! Functions become part of the kernels that call them, before anything else sees these.
//!
//! Each call gets a copy of the function's instructions, with registers, labels and variables of its own; `ret` is a
//! jump behind the copy. What is passed in `.param` is a variable in local memory, the same on both sides, which the
//! compiler to words turns into registers where it can ([`crate::optimize`]). A function that calls others has their
//! copies in it when it is copied, so that no function is looked through twice.
//!
//! ```text
//! st.param.b32 [param0], %r1;             st.local.b32 [param0], %r1;
//! call.uni (retval0), f, (param0);        ld.local.u32 %f$1$r1, [param0];  …  st.local.b32 [retval0], %f$1$r2;
//! ld.param.b32 %r2, [retval0];            ld.local.b32 %r2, [retval0];
//! ```

use std::collections::BTreeSet;
use std::rc::Rc;

use self::copy::Copy;
use super::ast::{Instruction, Kernel, Module, Operand, RegisterId};
use super::table::Opcode;
use super::types::{Space, Type};
use crate::error::{Error, Result};

mod copy;
mod tidy;

/// Instructions that a kernel with its functions may have.
pub(crate) const MOST_INSTRUCTIONS: usize = 1 << 16;
/// Instructions that are copied for all kernels of a module at most.
const MOST_COPIED: usize = 1 << 20;
/// Calls in calls.
const MOST_DEPTH: usize = 128;

/// A function that is called: what it takes and gives, and its body.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) results: Vec<Formal>,
    pub(super) inputs: Vec<Formal>,
    /// None for one that is only declared.
    pub(super) body: Option<Body>,
}

/// A parameter or result, as it is declared.
pub(super) struct Formal {
    pub(super) name: String,
    pub(super) ty: Type,
    /// Elements, for a structure.
    pub(super) count: Option<u64>,
    pub(super) align: u64,
    /// Whether it is in a register, and not in `.param`.
    pub(super) register: bool,
}

impl Formal {
    pub(super) fn bytes(&self) -> u64 {
        self.count.unwrap_or(1).saturating_mul(self.ty.bytes())
    }
}

/// What a function does.
pub(super) struct Body {
    /// Its instructions, registers, variables and labels; results and parameters are among the registers and variables.
    pub(super) kernel: Kernel,
    pub(super) calls: Vec<Call>,
    pub(super) results: Vec<Slot>,
    pub(super) inputs: Vec<Slot>,
}

/// Where a parameter or result is.
#[derive(Clone, Copy)]
pub(super) enum Slot {
    Register(RegisterId),
    /// Index into [`Kernel::variables`].
    Variable(usize),
}

/// A call. What is passed is a register, a constant, or the address of a variable in `.param`, which is meant itself.
pub(super) struct Call {
    /// Index of its instruction in the body.
    pub(super) at: usize,
    /// Index of its function.
    pub(super) function: usize,
    pub(super) results: Vec<Operand>,
    pub(super) inputs: Vec<Operand>,
}

impl Function {
    /// Whether another declaration of it says the same.
    pub(super) fn agrees(&self, other: &Function) -> bool {
        let same = |a: &[Formal], b: &[Formal]| {
            let pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.into_iter().all(|(a, b)| a.bytes() == b.bytes() && a.register == b.register)
        };
        same(&self.results, &other.results) && same(&self.inputs, &other.inputs)
    }
}

/// The module with all functions in its kernels.
///
/// # Errors
///
/// At a call: recursion, a function without a body, too many instructions.
pub(super) fn inlined(mut module: Module, functions: Vec<Function>, calls: &[Vec<Call>]) -> Result<Module> {
    let shared = module.variables.iter().map(|variable| variable.name.clone()).collect();
    let whole = functions.iter().map(|_| None).collect();
    let mut inliner = Inliner { origin: &module.origin, functions, whole, within: Vec::new(), shared, copied: 0 };
    for (kernel, calls) in module.kernels.iter_mut().zip(calls) {
        let parameters = kernel.variables.iter().any(|variable| variable.space == Space::Param);
        if !calls.is_empty() || parameters {
            tidy::padding(kernel, calls, &[]);
            inliner.expand(kernel, calls)?;
            tidy::parameters_are_local(kernel);
            tidy::order(kernel);
        }
        tidy::exchange(kernel);
    }
    Ok(module)
}

struct Inliner<'i> {
    origin: &'i str,
    functions: Vec<Function>,
    /// Functions whose calls are inlined already.
    whole: Vec<Option<Rc<Kernel>>>,
    /// The functions that are being looked through, from the outermost to the innermost.
    within: Vec<usize>,
    /// Names that a copy's variables must not have.
    shared: BTreeSet<String>,
    copied: usize,
}

/// The function that an assertion calls where it fails, with its text, file, line and function. Its body is the
/// device's: the kernel stops, as by a `trap` of this name.
pub const ASSERTION: &str = "__assertfail";

/// What is told of functions that are elsewhere.
fn elsewhere(name: &str) -> String {
    match name {
        "vprintf" => "printf needs a host that listens while the kernel runs: leave it out".into(),
        "malloc" | "free" => "there is no heap: hand over memory of cudaMalloc, or use an array of fixed size".into(),
        _ => format!("{name} has no body in this file: put it into the same .cu, and compile without -fgpu-rdc"),
    }
}

impl Inliner<'_> {
    fn error(&self, it: &Instruction, reason: &str) -> Error {
        Error::source(self.origin, it.place, format!("`{}`: {reason}", it.spelling))
    }

    /// A function with all that it calls; `it` is the call that asks for it.
    fn function(&mut self, index: usize, it: &Instruction) -> Result<Rc<Kernel>> {
        if let Some(known) = &self.whole[index] {
            return Ok(Rc::clone(known));
        }
        let name = &self.functions[index].name;
        if let Some(first) = self.within.iter().position(|other| *other == index) {
            let mut cycle: Vec<&str> = self.within[first..].iter().map(|f| self.functions[*f].name.as_str()).collect();
            cycle.push(name);
            let reason = format!(
                "recursion, {}: there is no stack; write a loop, with an array for what is still to do",
                cycle.join(" calls ")
            );
            return Err(self.error(it, &reason));
        }
        if self.within.len() == MOST_DEPTH {
            return Err(self.error(it, &format!("calls within calls: must be at most {MOST_DEPTH}")));
        }
        let reason = elsewhere(name);
        let Some(body) = &mut self.functions[index].body else { return Err(self.error(it, &reason)) };
        let (mut kernel, calls) = (body.kernel.clone(), std::mem::take(&mut body.calls));
        tidy::padding(&mut kernel, &calls, &body.inputs);
        tidy::addresses_are_local(&mut kernel);
        self.within.push(index);
        self.expand(&mut kernel, &calls)?;
        self.within.pop();
        let whole = Rc::new(kernel);
        self.whole[index] = Some(Rc::clone(&whole));
        Ok(whole)
    }

    /// Puts functions in place of their calls.
    fn expand(&mut self, kernel: &mut Kernel, calls: &[Call]) -> Result<()> {
        let names = kernel.registers.iter().map(|register| register.name.trim_start_matches('%'));
        let names = names.chain(kernel.labels.iter().map(|(name, _)| name.as_str()));
        let names = names.chain(kernel.variables.iter().map(|variable| variable.name.as_str()));
        let mut taken: BTreeSet<String> = names.map(String::from).chain(self.shared.iter().cloned()).collect();
        let own = kernel.labels.len();
        let mut calls = calls.iter().peekable();
        let (mut starts, mut body) = (Vec::new(), Vec::new());
        for (at, it) in std::mem::take(&mut kernel.body).into_iter().enumerate() {
            starts.push(body.len());
            let Some(call) = calls.next_if(|call| call.at == at) else {
                body.push(it);
                continue;
            };
            let called = &self.functions[call.function];
            if called.body.is_none() && called.name == ASSERTION {
                let (spelling, operands) = (ASSERTION.into(), Vec::new());
                body.push(Instruction { opcode: Opcode::Trap, spelling, operands, results: 0, ..it });
                continue;
            }
            let whole = self.function(call.function, &it)?;
            let function = &self.functions[call.function];
            self.copied += whole.body.len();
            if body.len() + whole.body.len() > MOST_INSTRUCTIONS || self.copied > MOST_COPIED {
                let reason = format!(
                    "with {} in it {} has more than {MOST_INSTRUCTIONS} instructions: call functions in loops, \
                     and not one after the other",
                    function.name, kernel.name
                );
                return Err(self.error(&it, &reason));
            }
            let mut copy = Copy { kernel, body: &mut body, call: &it, prefix: prefix(&function.name, &mut taken) };
            copy.function(&whole, function, call);
        }
        starts.push(body.len());
        kernel.body = body;
        kernel.labels[..own].iter_mut().for_each(|label| label.1 = starts[label.1]);
        Ok(())
    }
}

/// What the names of a copy begin with: that of its function, and the first number that none has yet.
fn prefix(name: &str, taken: &mut BTreeSet<String>) -> String {
    let free = |number: &u32| {
        let prefix = format!("{name}${number}$");
        taken.range(prefix.clone()..).next().is_none_or(|next| !next.starts_with(&prefix))
    };
    let prefix = (1..).find(free).map(|number| format!("{name}${number}$")).expect("names are fewer than numbers");
    taken.insert(prefix.clone());
    prefix
}
