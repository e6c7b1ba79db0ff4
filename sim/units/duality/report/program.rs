//! A program's own side, as its host code has it: buffers, turns, launches one behind the other.

use std::collections::HashMap;

use bitline_compile::error::Error as CompileError;
use bitline_compile::interpret::LIMIT;
use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::ptx;
use bitline_compile::ptx::ast::Module;
use bitline_compile::words::{Compiled, VERSIONS, Words};
use bitline_units::duality::isa::Program as Coded;

use super::expression::{self, Names, filled};
use super::table::{Launching, Program, Table};
use crate::data::source;
use crate::error::{Error, Result};
use crate::model::duality::system::Traced;
use crate::model::duality::watch::Watch;
use crate::units::duality::kernel_errors::told;

/// Turns that a program may take.
const MOST_TURNS: i64 = 1 << 16;

/// What a program does, one behind the other, for somebody who repeats it.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A buffer, by its number, becomes zero.
    Clear(usize),
    /// A launch.
    Launch {
        /// The kernel.
        kernel: String,
        /// Blocks.
        grid: [u32; 3],
        /// Threads of each.
        block: [u32; 3],
        /// Arguments.
        slots: Vec<Slot>,
    },
}

/// An argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot {
    /// A buffer, by its number.
    Buffer(usize),
    /// Bits of a number.
    Number(u64),
}

/// A launch that has run by the judge.
pub struct Launched<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// Blocks.
    pub ctas: u64,
    /// The kernel as words.
    pub coded: &'a Coded,
    /// What it has executed.
    pub traced: &'a Traced,
}

/// A program that has run.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Names of its buffers.
    pub names: Vec<String>,
    /// What they held at first.
    pub before: Vec<Buffer>,
    /// What they hold in the end.
    pub after: Vec<Buffer>,
    /// What was done.
    pub steps: Vec<Step>,
}

/// An error of a program, with its name.
fn of_program<T>(program: &Program, what: &str, found: std::result::Result<T, String>) -> Result<T> {
    found.map_err(|rule| Error::parameter(format!("program.{what}"), &program.name, rule))
}

/// What a kernel is compiled for: its name, grid and block, and bytes of its arguments that are buffers.
type Compiling = (String, [u32; 3], [u32; 3], Vec<usize>);

/// A program while it runs.
struct Host<'a> {
    program: &'a Program,
    module: Module,
    names: Names,
    buffers: Vec<Buffer>,
    /// Which buffer has which name: they change places.
    called: Vec<(&'a str, usize)>,
    steps: Vec<Step>,
    compiled: HashMap<Compiling, Vec<Compiled>>,
}

/// Runs a program by the interpreter of words; `hear` gets each launch, and `beside` what arrays compute.
///
/// # Errors
/// [`Error::Parameter`] for what the table says and cannot be; errors of the compiler; what stops a kernel.
pub fn run(
    table: &Table,
    program: &Program,
    quick: bool,
    words: &Words<'_>,
    beside: &mut dyn Watch,
    hear: &mut dyn FnMut(&Launched<'_>) -> Result<()>,
) -> Result<Ran> {
    let path = table.folder.join(&program.file);
    let module = ptx::parse(&path.display().to_string(), &source::text(&path)?).map_err(told)?;
    let names = program.sizes(quick);
    let mut buffers = vec![];
    for (name, text) in &program.buffers {
        let text = of_program(program, &format!("buffers.{name}"), filled(text, &names))?;
        let Argument::Buffer(mut buffer) = text.parse::<Argument>().map_err(told)? else {
            let rule = format!("{text} is a number, and no buffer");
            return Err(Error::parameter(format!("program.buffers.{name}"), &program.name, rule));
        };
        if let Some(first) = program.first.get(name) {
            let bits = filled(first, &names).and_then(|text| buffer.element.parse(&text));
            let bits = of_program(program, &format!("first.{name}"), bits)?;
            let bytes = buffer.element.bytes();
            buffer.bytes[..bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
        }
        buffers.push(buffer);
    }
    let called = program.buffers.keys().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let before = buffers.clone();
    let mut host = Host { program, module, names, buffers, called, steps: vec![], compiled: HashMap::new() };
    host.turns(words, beside, hear)?;
    let names = program.buffers.keys().cloned().collect();
    Ok(Ran { names, before, after: host.buffers, steps: host.steps })
}

impl Host<'_> {
    /// The number of the buffer that has this name now.
    fn buffer(&self, name: &str) -> Option<usize> {
        self.called.iter().find(|called| called.0 == name).map(|called| called.1)
    }

    fn number(&self, what: &str, text: &str) -> Result<i64> {
        of_program(self.program, what, expression::number(text, &self.names))
    }

    fn turns(
        &mut self,
        words: &Words<'_>,
        beside: &mut dyn Watch,
        hear: &mut dyn FnMut(&Launched<'_>) -> Result<()>,
    ) -> Result<()> {
        let program = self.program;
        let Some(turns) = &program.turns else { return self.turn(words, beside, hear) };
        let [from, to, step] = [&turns.from, &turns.to, &turns.step].map(|text| self.number("turns", text));
        let (from, to, step) = (from?, to?, step?);
        if step < 1 || to.saturating_sub(from) / step > MOST_TURNS {
            let rule = format!("{from} to {to} by {step}: must be steps from 1 on, and {MOST_TURNS} turns at most");
            return of_program(program, "turns", Err(rule));
        }
        for turn in (from..to).step_by(step as usize) {
            self.names.insert(turns.name.clone(), turn);
            for name in &program.clear {
                let number = self.buffer(name).expect("the table has been checked");
                self.buffers[number].bytes.fill(0);
                self.steps.push(Step::Clear(number));
            }
            self.turn(words, beside, hear)?;
            for [one, other] in &program.swap {
                let [one, other] = [one, other].map(|name| self.called.iter().position(|called| called.0 == name));
                let (one, other) = (one.expect("it was checked"), other.expect("it was checked"));
                let held = self.called[one].1;
                self.called[one].1 = self.called[other].1;
                self.called[other].1 = held;
            }
            let goes_on = |name: &String| {
                let number = self.buffer(name).expect("the table has been checked");
                self.buffers[number].bits().next() != Some(0)
            };
            if !program.until.as_ref().is_none_or(goes_on) {
                break;
            }
        }
        Ok(())
    }

    fn turn(
        &mut self,
        words: &Words<'_>,
        beside: &mut dyn Watch,
        hear: &mut dyn FnMut(&Launched<'_>) -> Result<()>,
    ) -> Result<()> {
        self.program.launch.iter().try_for_each(|launching| self.launch(launching, words, beside, hear))
    }

    /// One to three numbers of a launch.
    fn sizes(&self, what: &str, texts: &[String]) -> Result<[u32; 3]> {
        let mut sizes = [1; 3];
        if texts.is_empty() || texts.len() > 3 {
            return of_program(self.program, what, Err("must have one to three numbers".into()));
        }
        for (size, text) in sizes.iter_mut().zip(texts) {
            let number = self.number(what, text)?;
            let found = u32::try_from(number).map_err(|_| format!("{number}: must be a size"));
            *size = of_program(self.program, what, found)?;
        }
        Ok(sizes)
    }

    fn launch(
        &mut self,
        launching: &Launching,
        words: &Words<'_>,
        beside: &mut dyn Watch,
        hear: &mut dyn FnMut(&Launched<'_>) -> Result<()>,
    ) -> Result<()> {
        let kernel = &launching.kernel;
        let [grid, block] = [("grid", &launching.grid), ("block", &launching.block)]
            .map(|(what, texts)| self.sizes(&format!("launch.{kernel}.{what}"), texts));
        let (grid, block) = (grid?, block?);
        let (mut slots, mut arguments) = (vec![], vec![]);
        for text in &launching.arguments {
            if let Some(number) = self.buffer(text) {
                if slots.contains(&Slot::Buffer(number)) {
                    let rule = format!("{kernel} gets {text} twice");
                    return of_program(self.program, "launch.arguments", Err(rule));
                }
                slots.push(Slot::Buffer(number));
                arguments.push(Argument::Buffer(self.buffers[number].clone()));
                continue;
            }
            let text = of_program(self.program, "launch.arguments", filled(text, &self.names))?;
            match text.parse::<Argument>().map_err(told)? {
                Argument::Buffer(_) | Argument::Local { .. } => {
                    let rule = format!("{text}: must be a number or a name of a buffer");
                    return of_program(self.program, "launch.arguments", Err(rule));
                }
                number @ Argument::Number { bits, .. } => {
                    slots.push(Slot::Number(bits));
                    arguments.push(number);
                }
            }
        }
        let plan = Plan { grid, block, arguments, ..Plan::new(kernel.clone()) };
        let long = |slot: &Slot| match slot {
            Slot::Buffer(number) => self.buffers[*number].bytes.len(),
            Slot::Number(_) => 0,
        };
        let key = (kernel.clone(), grid, block, slots.iter().map(long).collect::<Vec<_>>());
        let made = self.compiled.entry(key).or_default();
        let at = match made.iter().position(|compiled| plan.suits(&self.module, compiled)) {
            Some(at) => at,
            None => {
                let words = Words { arguments: made.len() < VERSIONS, ..words.clone() };
                made.push(plan.compile(&self.module, &words).map_err(told)?);
                made.len() - 1
            }
        };
        let compiled = &made[at];
        let mut heard = Ok(());
        let ctas = grid.iter().map(|&count| u64::from(count)).product();
        let ran = plan.compiled_on(&self.module, words, compiled, &mut |compiled, launch, memory| {
            let refuse = |reason: String| CompileError::parameter("program", kernel, reason);
            let traced = Traced::of(words.params, &compiled.program, launch, memory, [words.seed, LIMIT], beside);
            let traced = traced.map_err(|error| refuse(error.to_string()))?.map_err(|stop| refuse(stop.to_string()))?;
            if !traced.outcome.left.is_empty() {
                return Err(refuse(format!("threads are left in mask rows {:?}", traced.outcome.left)));
            }
            heard = hear(&Launched { kernel, ctas, coded: &compiled.program, traced: &traced });
            Ok(traced.outcome)
        });
        let ran = ran.map_err(told)?;
        heard?;
        for (slot, after) in slots.iter().zip(ran.buffers) {
            if let (Slot::Buffer(number), Some(after)) = (slot, after) {
                self.buffers[*number] = after;
            }
        }
        self.steps.push(Step::Launch { kernel: kernel.clone(), grid, block, slots });
        Ok(())
    }
}
