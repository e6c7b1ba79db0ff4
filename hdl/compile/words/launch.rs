//! Launches of kernels as words: variables in their places, and the memory of a run.

use bitline_model::duality::memory::PAGE;
use bitline_model::duality::{self, FlatMemory};

use super::constants;
use super::memory::Addresses;
use super::run::{Compiled, Parameter, Words, word};
use crate::error::{Error, Result, of_units};
use crate::interpret::{self, Global};
use crate::launch::{Argument, Buffer, Plan, Prepared};
use crate::optimize::{Sizes, alignment, in_memory};
use crate::ptx::ast::{Base, Kernel, Module, Operand, Symbol};
use crate::ptx::lower::MOST;
use crate::ptx::types::Space;

/// What memory with parameters is called; no variable has such a name.
const PARAMETERS: &str = "kernel parameters";

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

/// Variables in their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// Where they are.
    pub(crate) addresses: Addresses,
    /// Bytes of a block's shared window.
    shared: u64,
    /// Whether the kernel's addresses have 64 bits.
    wide: bool,
}

/// Puts variables into global memory and the shared window; so it does parameters, of which the kernel takes addresses.
///
/// # Errors
///
/// No room for them.
pub(crate) fn variables(
    module: &Module,
    kernel: &Kernel,
    (dynamic, parameters): (u64, &[u8]),
    global: &mut Global,
) -> Result<Memory> {
    let mut addresses = Addresses { module: vec![0; module.variables.len()], ..Addresses::default() };
    let mut shared = 0_u64;
    // More than is allowed may add up here.
    let mut take = |align: u64, bytes: u64| {
        let at = shared.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX);
        shared = at.saturating_add(bytes);
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
    interpret::check_constants(module)?;
    let mut constants = Vec::new();
    let room = |name: &str, bytes: usize| Error::parameter(name, bytes, "bytes: global memory has no room for them");
    for (index, variable) in module.variables.iter().enumerate() {
        addresses.module[index] = match variable.space {
            Space::Const => {
                let at = (constants.len() as u64).next_multiple_of(variable.align.max(1));
                constants.resize(at as usize, 0);
                constants.extend(interpret::initial(variable));
                at
            }
            Space::Shared if variable.count.is_some() && named(index) => take(variable.align, variable.bytes()),
            Space::Shared => 0,
            _ => {
                let bytes = interpret::initial(variable);
                let size = bytes.len();
                global.add(&variable.name, bytes).ok_or_else(|| room(&variable.name, size))?
            }
        };
    }
    if !constants.is_empty() {
        let size = constants.len();
        let base = global.add("constant memory", constants).ok_or_else(|| room("constant memory", size))?;
        let those = module.variables.iter().zip(&mut addresses.module).filter(|(v, _)| v.space == Space::Const);
        those.for_each(|(_, address)| *address += base);
    }
    if in_memory(kernel) {
        let base = global.add(PARAMETERS, parameters.to_vec()).ok_or_else(|| room(PARAMETERS, parameters.len()))?;
        addresses.parameters = kernel.parameters.iter().map(|parameter| base + parameter.offset).collect();
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
        return Err(Error::parameter("shared", shared, rule));
    }
    addresses.frames = shared.next_multiple_of(alignment(kernel));
    Ok(Memory { addresses, shared, wide: module.address_size == 64 })
}

impl Memory {
    /// Bytes of a block's shared window, with frames of so many bytes for its threads.
    fn window(&self, frame: u64, asked: &interpret::Launch) -> Result<u64> {
        if frame == 0 {
            return Ok(self.shared);
        }
        let threads: u64 = asked.block.iter().map(|&count| u64::from(count)).product();
        let all = frame.saturating_mul(threads).saturating_add(self.addresses.frames);
        if all > interpret::MOST_SHARED {
            let rule = format!(
                "threads, of which each has {frame} bytes of local memory, take {all} bytes of shared memory with all \
                 else there: must be at most {}; use smaller blocks or arrays",
                interpret::MOST_SHARED
            );
            return Err(Error::parameter("block", threads, rule));
        }
        Ok(all)
    }
}

impl Words<'_> {
    /// Runs a kernel that is compiled already, for a launch, with what is in global memory, and leaves there what it
    /// has done.
    ///
    /// # Errors
    ///
    /// A launch that the control block cannot have; those of what runs it.
    pub(crate) fn launch(
        &self,
        compiled: &Compiled,
        placed: &Memory,
        asked: &interpret::Launch,
        global: &mut Global,
        run: &mut Runner<'_>,
    ) -> Result<duality::Outcome> {
        let mut memory = FlatMemory::default();
        let mut end = 0;
        for region in global.regions() {
            memory.map(region.base as u32, region.bytes.len() as u32, true);
            for (at, byte) in (region.base as u32..).zip(&region.bytes) {
                memory.write(at, 1, (*byte).into());
            }
            end = region.base + region.bytes.len() as u64;
        }
        let word = |offset: u64| word(&asked.parameters, offset);
        if let Some((offset, number)) = compiled.numbers.iter().find(|(offset, number)| word(*offset) != *number) {
            let rule = format!("the argument at byte {offset}: the program was made for {number}");
            return Err(Error::parameter("arguments", word(*offset), rule));
        }
        if let Some(offset) = compiled.wider(&asked.parameters).next() {
            let rule = format!("the argument at byte {offset}: the program was made for no more than 32 bits");
            let bits = u64::from(word(offset + 4)) << 32 | u64::from(word(offset));
            return Err(Error::parameter("arguments", bits as i64, rule));
        }
        let value = |parameter: &Parameter| match *parameter {
            Parameter::Word(offset) => word(offset),
            Parameter::Block(axis) => asked.block[axis],
            Parameter::Grid(axis) => asked.grid[axis],
        };
        let shared_bytes = placed.window(compiled.frame, asked)?.next_multiple_of(64) as u32;
        let launch = duality::Launch {
            grid: asked.grid,
            block: asked.block,
            parameters: compiled.parameters.iter().map(value).collect(),
            shared_bytes,
            shared_base: end.next_multiple_of(PAGE.into()) as u32,
            ..duality::Launch::default()
        };
        let arrays = compiled.program.arrays;
        launch.check(self.params, arrays).map_err(of_units)?;
        let windows = self.params.threads(arrays) as u64 / launch.cta() * u64::from(shared_bytes);
        memory.map(launch.shared_base, windows as u32, true);
        let spill_base = (u64::from(launch.shared_base) + windows).next_multiple_of(PAGE.into()) as u32;
        let spill_rows = compiled.spilled as u32;
        let spilled = spill_rows * self.params.threads(arrays) as u32 / 8;
        let end = u64::from(spill_base) + u64::from(spilled);
        if placed.wide && end > MOST {
            let rule = format!("bytes with all buffers: must be at most {MOST} for kernels with addresses of 64 bits");
            return Err(Error::parameter("memory", end, rule));
        }
        memory.map(spill_base, spilled, true);
        let outcome = run(compiled, &duality::Launch { spill_base, spill_rows, ..launch }, &mut memory)?;
        for region in global.regions_mut() {
            for (at, byte) in (region.base as u32..).zip(&mut region.bytes) {
                *byte = memory.read(at, 1) as u8;
            }
        }
        Ok(outcome)
    }
}

impl Plan {
    /// The kernel as words, as this launch has its variables.
    ///
    /// # Errors
    ///
    /// As [`Words::compile`]; arguments that are not the kernel's.
    pub fn compile(&self, module: &Module, words: &Words<'_>) -> Result<Compiled> {
        let Prepared { kernel, parameters, mut global, shared, .. } = self.prepare(module)?;
        let asked = self.asked(parameters, shared);
        interpret::check(kernel, &asked)?;
        let memory = variables(module, kernel, (shared, &asked.parameters), &mut global)?;
        let sizes = Sizes { grid: self.grid, block: self.block };
        let numbers = constants::arguments(kernel, &asked.parameters);
        words.compile_with((module, kernel), &memory.addresses, &sizes, &numbers, &asked.parameters)
    }

    /// Whether a program that was compiled for another launch is one for the arguments of this one.
    #[must_use]
    pub fn suits(&self, module: &Module, compiled: &Compiled) -> bool {
        self.prepare(module).is_ok_and(|prepared| compiled.suits(&prepared.parameters))
    }

    /// The launch as the interpreter has it.
    fn asked(&self, parameters: Vec<u8>, shared: u64) -> interpret::Launch {
        interpret::Launch { grid: self.grid, block: self.block, shared, parameters, limit: self.limit }
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
        self.compiled_on(module, words, &self.compile(module, words)?, run)
    }

    /// The same with a kernel that has been compiled before, for a launch of these sizes with buffers as large as here
    /// and numbers that it [suits](Plan::suits).
    ///
    /// # Errors
    ///
    /// As [`Plan::words_on`].
    pub fn compiled_on(
        &self,
        module: &Module,
        words: &Words<'_>,
        compiled: &Compiled,
        run: &mut Runner<'_>,
    ) -> Result<Ran> {
        let Prepared { kernel, parameters, mut global, bases, shared } = self.prepare(module)?;
        let asked = self.asked(parameters, shared);
        interpret::check(kernel, &asked)?;
        let placed = variables(module, kernel, (shared, &asked.parameters), &mut global)?;
        let outcome = words.launch(compiled, &placed, &asked, &mut global, run)?;
        let after = |(base, argument): (&Option<u64>, &Argument)| {
            let Argument::Buffer(buffer) = argument else { return None };
            // A structure, which nobody writes, has no place.
            let Some(base) = base else { return Some(buffer.clone()) };
            Some(Buffer { element: buffer.element, bytes: global.region(*base)?.bytes.clone() })
        };
        let buffers = bases.iter().zip(&self.arguments).map(after).collect();
        Ok(Ran { compiled: compiled.clone(), outcome, buffers })
    }
}
