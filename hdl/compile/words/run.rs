//! From a kernel to a program, and a run of it on the words' interpreter with the memory of a launch.

use bitline_model::duality::memory::PAGE;
use bitline_model::duality::{self, FlatMemory};
use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::field::TARGET;
use bitline_units::duality::isa::{Program, Word};
use bitline_units::duality::params::{MASK_ROWS, SCALARS};

use super::code::{Class, Code, Label, Line};
use super::encode::{Encoder, encode};
use super::memory::Addresses;
use super::rows::{Allotment, numbers};
use super::select::Select;
use super::{Analysis, Rule, spill};
use crate::error::{Error, Place, Result};
use crate::interpret::{self, Global};
use crate::launch::{Buffer, Plan, Prepared};
use crate::ptx::ast::{Base, Kernel, Module, Operand, Symbol};
use crate::ptx::types::Space;

/// What a launch puts into a scalar register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The four bytes of the kernel's parameters from this offset on.
    Word(u64),
    /// Threads of a block: x, y or z.
    Block(usize),
    /// Blocks of the grid: x, y or z.
    Grid(usize),
}

/// A kernel as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// What the launch puts into scalar registers, from 0 on.
    pub parameters: Vec<Parameter>,
    /// Rows of an array that it uses.
    pub rows: u64,
    /// Scalar registers that it uses.
    pub scalars: u64,
    /// Spill rows that it uses.
    pub spilled: u64,
}

/// The compiler for a design.
#[derive(Clone, Debug)]
pub struct Words<'p> {
    /// The design.
    pub params: &'p DualityParams,
    /// Seed of what rows hold at power-up.
    pub seed: u64,
    /// A rule that is left out, for tests.
    pub without: Option<Rule>,
}

/// What runs a kernel as words, for a launch, with what is in memory.
pub type Runner<'a> = dyn FnMut(&Compiled, &duality::Launch, &mut FlatMemory) -> Result<duality::Outcome> + 'a;

/// What a run of words did.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The kernel as words.
    pub compiled: Compiled,
    /// Words that were executed, waves, threads.
    pub outcome: duality::Outcome,
    /// What buffers hold; none for arguments that are numbers.
    pub buffers: Vec<Option<Buffer>>,
}

/// An error of the control block's crates among those of this one.
fn of_units(error: bitline_units::error::Error) -> Error {
    match error {
        bitline_units::error::Error::Parameter { parameter, value, rule } => {
            Error::Parameter { parameter, value, rule }
        }
        other => Error::parameter("program", "words", other.to_string()),
    }
}

/// A kernel's name as programs may have one.
fn name(kernel: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let name: String = kernel.chars().map(legal).take(32).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")[..name.len().min(32)].to_string()
    } else {
        name
    }
}

impl<'p> Words<'p> {
    /// The compiler for a design, with all its rules.
    #[must_use]
    pub fn new(params: &'p DualityParams) -> Words<'p> {
        Words { params, seed: 1, without: None }
    }

    /// A kernel as words.
    ///
    /// # Errors
    ///
    /// An instruction, or control flow, that words do not have, with its line; more rows, scalar registers or words of
    /// a loop than the design has, with how many it takes.
    pub fn compile(&self, module: &Module, kernel: &Kernel, addresses: &Addresses) -> Result<Compiled> {
        let encoder = Encoder::new(self.params);
        // Values that could be scalar registers, but for which there are none left.
        let mut in_rows = Vec::new();
        loop {
            let analysis = Analysis::of(module, kernel, &in_rows, self.without)?;
            let mut select = Select::new(module, kernel, &analysis, addresses, &encoder, self.without);
            select.kernel()?;
            let mut allotment = Allotment::of(&select, &encoder, self.without)?;
            if allotment.scalars > SCALARS as u64 {
                let Some(value) = select.longest(&analysis) else {
                    let rule = format!("{} needs so many; there are {SCALARS}", kernel.name);
                    return Err(Error::parameter("scalar registers", allotment.scalars, rule));
                };
                in_rows.push(value);
                continue;
            }
            let mut spilled = 0;
            while let Some(name) = allotment.spill.filter(|_| allotment.rows > self.params.rows as u64) {
                let Class::Rows(rows) = select.classes[name] else { break };
                spill::apply(&mut select, name, spilled);
                spilled += rows;
                allotment = Allotment::of(&select, &encoder, self.without)?;
            }
            if allotment.rows > self.params.rows as u64 {
                let rule = format!("{} needs {} rows of one array", kernel.name, allotment.rows);
                return Err(Error::parameter("rows", self.params.rows, rule));
            }
            let program = program(&select, &allotment, self.params)?;
            let parameters = select.parameters.iter().map(|parameter| parameter.0).collect();
            return Ok(Compiled { program, parameters, rows: allotment.rows, scalars: allotment.scalars, spilled });
        }
    }
}

impl Words<'_> {
    /// Runs a kernel as words on their interpreter, at most so many words.
    ///
    /// # Errors
    ///
    /// A trap, with the line of its word.
    pub fn run(
        &self,
        module: &Module,
        compiled: &Compiled,
        launch: &duality::Launch,
        memory: &mut FlatMemory,
        limit: u64,
    ) -> Result<duality::Outcome> {
        let at = |pc: usize, reason: String| {
            let line = compiled.program.lines.get(pc).copied().unwrap_or(0);
            Error::source(&module.origin, Place { line, column: 1 }, reason)
        };
        let ran = duality::run(self.params, &compiled.program, launch, memory, self.seed, limit);
        let outcome = ran.map_err(of_units)?.map_err(|stop| at(stop.pc, stop.to_string()))?;
        if !outcome.left.is_empty() {
            let reason = format!("threads are left in mask rows {:?}: the compiler is wrong", outcome.left);
            return Err(at(compiled.program.words.len() - 1, reason));
        }
        Ok(outcome)
    }
}

/// Everything in its place.
fn program(select: &Select<'_>, allotment: &Allotment, params: &DualityParams) -> Result<Program> {
    let lines = &select.lines;
    let mut starts = Vec::new();
    let mut next = 0;
    for line in lines {
        starts.push(next);
        next += usize::from(!matches!(line.code, Code::Label(_)));
    }
    let words: Vec<Word> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !matches!(line.code, Code::Label(_)))
        .map(|(at, line)| {
            let word = encode(&line.code, allotment, allotment.scratch[at]);
            match &line.code {
                Code::Jump { to, .. } => word.with(TARGET, target(select, lines, &starts, line.block, *to) as u64),
                _ => word,
            }
        })
        .collect();
    let specials = select.specials.iter().map(|(special, name, rows)| {
        use super::encode::Places;
        (*special, 0, allotment.place(*name), *rows)
    });
    // What nobody reads has no rows.
    let specials = specials.filter(|&(_, _, row, _)| row >= MASK_ROWS);
    let program = Program {
        name: name(&select.kernel.name),
        arrays: 1,
        specials: specials.collect(),
        words,
        lines: numbers(lines),
    };
    program.check(params).map_err(of_units)?;
    Ok(program)
}

/// The number of the word that a label stands before.
fn target(select: &Select<'_>, lines: &[Line], starts: &[usize], from: usize, to: Label) -> usize {
    let shape = &select.analysis.shape;
    let at = |label: Label| {
        let found = lines.iter().position(|line| line.code == Code::Label(label));
        starts[found.expect("every label is there")]
    };
    match to {
        Label::Block(block) => {
            // From outside a loop is entered at the word with which it begins.
            let own = shape.outermost(block).filter(|one| one.header == block);
            let enters = own.is_some_and(|one| !one.inside[from]);
            at(to) - usize::from(enters)
        }
        Label::Behind(header) => {
            let inside = &shape.outermost(header).expect("a loop begins here").inside;
            let last = lines.iter().rposition(|line| inside[line.block]).expect("it has words");
            starts.get(last + 1).copied().unwrap_or(starts[last] + 1)
        }
        _ => at(to),
    }
}

/// Variables in their places.
struct Memory {
    addresses: Addresses,
    shared: u64,
}

/// Puts variables into global memory and the shared window.
fn variables(module: &Module, kernel: &Kernel, dynamic: u64, global: &mut Global) -> Result<Memory> {
    let mut addresses = Addresses { module: vec![0; module.variables.len()], kernel: Vec::new() };
    let mut shared = 0_u64;
    // More than is allowed may add up here, but not to more than a number holds.
    let mut take = |align: u64, bytes: u64| {
        let at = shared.next_multiple_of(align.max(1));
        shared = at + bytes.min(2 * interpret::MOST_SHARED);
        at
    };
    for variable in &kernel.variables {
        addresses.kernel.push(if variable.space == Space::Shared { take(variable.align, variable.bytes()) } else { 0 });
    }
    let operands = || kernel.body.iter().flat_map(|it| &it.operands);
    let named = |index: usize| {
        operands().any(|operand| match operand {
            Operand::Address(symbol, _) | Operand::Memory { base: Base::Symbol(symbol), .. } => {
                *symbol == Symbol::Module(index)
            }
            _ => false,
        })
    };
    let mut constants = Vec::new();
    let room = |name: &str, bytes: usize| Error::parameter(name, bytes, "bytes: global memory has no room for them");
    for (index, variable) in module.variables.iter().enumerate() {
        let mut bytes = variable.initial.clone();
        bytes.resize(variable.bytes() as usize, 0);
        addresses.module[index] = match variable.space {
            Space::Const => {
                let at = (constants.len() as u64).next_multiple_of(variable.align.max(1));
                constants.resize(at as usize, 0);
                constants.extend(bytes);
                at
            }
            Space::Shared if variable.count.is_some() && named(index) => take(variable.align, variable.bytes()),
            Space::Shared => 0,
            _ => {
                let size = bytes.len();
                global.add(&variable.name, bytes).ok_or_else(|| room(&variable.name, size))?
            }
        };
    }
    if !constants.is_empty() {
        let size = constants.len();
        let base = global.add("constants", constants).ok_or_else(|| room("constants", size))?;
        let those = module.variables.iter().zip(&mut addresses.module).filter(|(v, _)| v.space == Space::Const);
        those.for_each(|(_, address)| *address += base);
    }
    let open: Vec<usize> = (0..module.variables.len())
        .filter(|index| module.variables[*index].space == Space::Shared && module.variables[*index].count.is_none())
        .filter(|index| named(*index))
        .collect();
    let align = open.iter().map(|index| module.variables[*index].align).max().unwrap_or(16);
    let at = take(align, dynamic);
    open.iter().for_each(|index| addresses.module[*index] = at);
    if shared > interpret::MOST_SHARED {
        let rule = format!("bytes with the kernel's own: must be at most {}", interpret::MOST_SHARED);
        return Err(Error::parameter("shared", dynamic, rule));
    }
    Ok(Memory { addresses, shared })
}

impl Plan {
    /// The kernel as words, as this launch has its variables.
    ///
    /// # Errors
    ///
    /// As [`Words::compile`]; arguments that are not the kernel's.
    pub fn compile(&self, module: &Module, words: &Words<'_>) -> Result<Compiled> {
        let mut prepared = self.prepare(module)?;
        let memory = variables(module, prepared.kernel, self.shared, &mut prepared.global)?;
        words.compile(module, prepared.kernel, &memory.addresses)
    }

    /// Runs it as words.
    ///
    /// # Errors
    ///
    /// As [`Plan::compile`]; a launch that the control block cannot have; a trap, with the line of its word.
    pub fn words(&self, module: &Module, words: &Words<'_>) -> Result<Ran> {
        self.words_on(module, words, &mut |compiled, launch, memory| {
            words.run(module, compiled, launch, memory, self.limit)
        })
    }

    /// Runs it as words on something else, which leaves the memory as the program does.
    ///
    /// # Errors
    ///
    /// As [`Plan::words`]; those of what runs it.
    pub fn words_on(&self, module: &Module, words: &Words<'_>, run: &mut Runner<'_>) -> Result<Ran> {
        let Prepared { kernel, parameters, mut global, bases } = self.prepare(module)?;
        let asked = interpret::Launch {
            grid: self.grid,
            block: self.block,
            shared: self.shared,
            parameters: parameters.clone(),
            limit: self.limit,
        };
        interpret::check(kernel, &asked)?;
        let variables = variables(module, kernel, self.shared, &mut global)?;
        let compiled = words.compile(module, kernel, &variables.addresses)?;
        let mut memory = FlatMemory::default();
        let mut end = 0;
        for region in global.regions() {
            memory.map(region.base as u32, region.bytes.len() as u32, true);
            for (at, byte) in (region.base as u32..).zip(&region.bytes) {
                memory.write(at, 1, (*byte).into());
            }
            end = region.base + region.bytes.len() as u64;
        }
        let word = |offset: u64| {
            let bytes = parameters.iter().skip(offset as usize).take(4).rev();
            bytes.fold(0, |value, byte| value << 8 | u32::from(*byte))
        };
        let value = |parameter: &Parameter| match *parameter {
            Parameter::Word(offset) => word(offset),
            Parameter::Block(axis) => self.block[axis],
            Parameter::Grid(axis) => self.grid[axis],
        };
        let shared_bytes = variables.shared.next_multiple_of(64) as u32;
        let launch = duality::Launch {
            grid: self.grid,
            block: self.block,
            parameters: compiled.parameters.iter().map(value).collect(),
            shared_bytes,
            shared_base: end.next_multiple_of(PAGE.into()) as u32,
            ..duality::Launch::default()
        };
        launch.check(words.params, 1).map_err(of_units)?;
        let windows = words.params.threads(1) as u64 / launch.cta() * u64::from(shared_bytes);
        memory.map(launch.shared_base, windows as u32, true);
        let spill_base = (u64::from(launch.shared_base) + windows).next_multiple_of(PAGE.into()) as u32;
        let spill_rows = compiled.spilled as u32;
        memory.map(spill_base, spill_rows * words.params.threads(1) as u32 / 8, true);
        let launch = duality::Launch { spill_base, spill_rows, ..launch };
        let outcome = run(&compiled, &launch, &mut memory)?;
        let bytes =
            |base: u64, count: usize| (0..count as u32).map(|i| memory.read(base as u32 + i, 1) as u8).collect();
        let buffers = bases
            .iter()
            .zip(&self.arguments)
            .map(|(base, argument)| {
                let (crate::launch::Argument::Buffer(buffer), Some(base)) = (argument, base) else { return None };
                Some(Buffer { element: buffer.element, bytes: bytes(*base, buffer.bytes.len()) })
            })
            .collect();
        Ok(Ran { compiled, outcome, buffers })
    }
}
