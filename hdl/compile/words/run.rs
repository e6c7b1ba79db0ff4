//! From a kernel to a program, and a run of it on the words' interpreter.

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
use crate::optimize::{Sizes, optimized};
use crate::ptx::ast::{Kernel, Module};

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
    /// Programs are for launches of any size, and not for that of the launch at hand.
    pub general: bool,
    /// A rule that is left out, for tests.
    pub without: Option<Rule>,
}

/// An error of the control block's crates among those of this one.
pub(super) fn of_units(error: bitline_units::error::Error) -> Error {
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
        Words { params, seed: 1, general: false, without: None }
    }

    /// A kernel as words, for launches of these sizes if they are given and it is not to be for any.
    ///
    /// # Errors
    ///
    /// An instruction, or control flow, that words do not have, with its line; more rows, scalar registers or words of
    /// a loop than the design has, with how many it takes.
    pub fn compile(
        &self,
        module: &Module,
        kernel: &Kernel,
        addresses: &Addresses,
        sizes: Option<&Sizes>,
    ) -> Result<Compiled> {
        let encoder = Encoder::new(self.params);
        let sizes = sizes.filter(|_| !self.general);
        let kernel = &optimized(kernel, sizes);
        // Values that could be scalar registers, but for which there are none left.
        let mut in_rows = Vec::new();
        loop {
            let analysis = Analysis::of(module, kernel, &in_rows, self.without)?;
            let mut select = Select::new(module, kernel, &analysis, addresses, &encoder, self.without);
            select.sizes = sizes.copied();
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
