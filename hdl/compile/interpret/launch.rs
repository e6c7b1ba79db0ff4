//! A launch: its limits, the memory it takes, and blocks one after the other.
//!
//! The threads of a block run in order of their numbers, each to the next barrier, exchange in its warp, or its end;
//! then warps exchange what they have, and where none can, the barrier opens for all that wait. Atomic operations are
//! done in that order, too.

use super::memory::Global;
use super::parameters;
use super::thread::{Block, Stop, Thread};
use crate::error::{Error, Place, Result};
use crate::ptx::ast::{Base, Kernel, Module, Operand, Symbol, Variable};
use crate::ptx::types::Space;

/// Threads that a block may have.
pub const MOST_THREADS: u64 = 1024;

/// Shared bytes that a block may have.
pub const MOST_SHARED: u64 = 48 * 1024;

/// Local bytes that a thread may have.
pub const MOST_LOCAL: u64 = 64 * 1024;

/// Bytes of constant memory that a module may have.
pub const MOST_CONST: u64 = 64 * 1024;

/// Instructions of a launch after which it is given up, unless its caller says otherwise.
pub const LIMIT: u64 = 10_000_000_000;

/// How a kernel is launched.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Blocks: x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block: x, y, z.
    pub block: [u32; 3],
    /// Bytes of `extern` shared memory.
    pub shared: u64,
    /// The kernel's parameters in their space, as their offsets have them.
    pub parameters: Vec<u8>,
    /// Instructions after which it is given up.
    pub limit: u64,
}

/// What a launch did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// How often threads came to each instruction of the body with a guard that let them do it.
    pub executed: Vec<u64>,
    /// Barriers, counted once a block.
    pub barriers: u64,
    /// Threads that ran.
    pub threads: u64,
}

impl Counts {
    /// Instructions of all threads.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.executed.iter().sum()
    }
}

/// Where symbols are, and how much memory a block and a thread take.
pub(super) struct Places {
    module: Vec<u64>,
    own: Vec<u64>,
    pub(super) constants: Vec<u8>,
    pub(super) shared: u64,
    pub(super) local: u64,
}

impl Places {
    /// The address of a variable or parameter of the kernel, in its space.
    pub(super) fn of(&self, kernel: &Kernel, symbol: Symbol) -> u64 {
        match symbol {
            Symbol::Module(index) => self.module[index],
            Symbol::Kernel(index) => self.own[index],
            Symbol::Parameter(index) => parameters::address(kernel, index),
        }
    }
}

/// Module variables that a kernel names.
fn named(kernel: &Kernel) -> Vec<usize> {
    let operands = kernel.body.iter().flat_map(|instruction| &instruction.operands);
    let symbol = |operand: &Operand| match operand {
        Operand::Address(Symbol::Module(index), _) => Some(*index),
        Operand::Memory { base: Base::Symbol(Symbol::Module(index)), .. } => Some(*index),
        _ => None,
    };
    operands.filter_map(symbol).collect()
}

/// Refuses more constants than there may be, before there is memory for them.
pub(crate) fn check_constants(module: &Module) -> Result<()> {
    let constants = module.variables.iter().filter(|variable| variable.space == Space::Const);
    let bytes: u64 = constants.fold(0, |all, variable| all.saturating_add(variable.bytes()));
    match bytes > MOST_CONST {
        true => Err(Error::parameter("constant memory", bytes, format!("bytes: must be at most {MOST_CONST}"))),
        false => Ok(()),
    }
}

/// What a variable holds at first.
pub(crate) fn initial(variable: &Variable) -> Vec<u8> {
    let mut bytes = variable.initial.clone();
    bytes.resize(variable.bytes() as usize, 0);
    bytes
}

/// Puts every variable in its place; those of global memory become regions.
fn place(module: &Module, kernel: &Kernel, launch: &Launch, global: &mut Global) -> Result<Places> {
    let mut places =
        Places { module: vec![0; module.variables.len()], own: Vec::new(), constants: Vec::new(), shared: 0, local: 0 };
    check_constants(module)?;
    let named = named(kernel);
    let next = |end: &mut u64, align: u64, bytes: u64| {
        let at = end.next_multiple_of(align);
        *end = at + bytes;
        at
    };
    for variable in &kernel.variables {
        let end = if variable.space == Space::Local { &mut places.local } else { &mut places.shared };
        places.own.push(next(end, variable.align, variable.bytes()));
    }
    for (index, variable) in module.variables.iter().enumerate() {
        places.module[index] = match variable.space {
            Space::Const => {
                let mut end = places.constants.len() as u64;
                let at = next(&mut end, variable.align, 0);
                places.constants.resize(at as usize, 0);
                places.constants.extend(initial(variable));
                at
            }
            Space::Shared if variable.count.is_some() && named.contains(&index) => {
                next(&mut places.shared, variable.align, variable.bytes())
            }
            Space::Shared => 0,
            _ => global.add(&variable.name, initial(variable)).ok_or_else(|| {
                Error::parameter(&variable.name, variable.bytes(), "bytes: global memory has no room for them")
            })?,
        };
    }
    // What the launch gives its size lies behind all else; several such names are the same memory.
    let open = |index: &usize| module.variables[*index].count.is_none();
    let align = named.iter().filter(|index| open(index)).map(|index| module.variables[*index].align).max();
    let dynamic = dynamic_from(module, kernel);
    named.iter().filter(|index| open(index)).for_each(|index| places.module[*index] = dynamic);
    if launch.shared > 0 || align.is_some() {
        places.shared = dynamic.saturating_add(launch.shared);
    }
    if places.shared > MOST_SHARED {
        let rule = format!("bytes with the kernel's own: must be at most {MOST_SHARED}");
        return Err(Error::parameter("shared", places.shared, rule));
    }
    if places.local > MOST_LOCAL {
        return Err(Error::parameter("local memory", places.local, format!("bytes: must be at most {MOST_LOCAL}")));
    }
    Ok(places)
}

/// Where the part of the shared window begins whose size the launch says: behind all variables of the kernel.
pub(crate) fn dynamic_from(module: &Module, kernel: &Kernel) -> u64 {
    let named = named(kernel);
    let shared = |variable: &&Variable| variable.space == Space::Shared;
    let of_module = module.variables.iter().enumerate().filter(|(index, _)| named.contains(index)).map(|(_, it)| it);
    let (open, sized): (Vec<&Variable>, Vec<&Variable>) =
        kernel.variables.iter().chain(of_module).filter(shared).partition(|variable| variable.count.is_none());
    // More than there are addresses for is refused where variables get theirs.
    let from = |end: u64, align: u64| end.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX);
    let end = sized.iter().fold(0, |end, it| from(end, it.align).saturating_add(it.bytes()));
    from(end, open.iter().map(|variable| variable.align).max().unwrap_or(16))
}

/// What a launch may be.
pub(crate) fn check(kernel: &Kernel, launch: &Launch) -> Result<()> {
    let text = |[x, y, z]: [u32; 3]| format!("{x},{y},{z}");
    let product = |numbers: [u32; 3]| numbers.iter().try_fold(1_u64, |all, n| all.checked_mul(u64::from(*n)));
    let threads = product(launch.block).unwrap_or(u64::MAX);
    if threads == 0 || threads > MOST_THREADS {
        let rule = format!("{threads} threads: a block must have from 1 to {MOST_THREADS}");
        return Err(Error::parameter("block", text(launch.block), rule));
    }
    if product(launch.grid).is_none_or(|blocks| blocks == 0 || blocks > 1 << 31) {
        return Err(Error::parameter("grid", text(launch.grid), "must be from 1 to 2147483648 blocks"));
    }
    if let Some(exact) = kernel.exact_threads.filter(|exact| *exact != launch.block) {
        let rule = format!("{} asks for {} by .reqntid", kernel.name, text(exact));
        return Err(Error::parameter("block", text(launch.block), rule));
    }
    let most = kernel.most_threads.map(|most| product(most).unwrap_or(u64::MAX));
    if let Some(most) = most.filter(|most| threads > *most) {
        let rule = format!("{threads} threads: {} has at most {most} by .maxntid", kernel.name);
        return Err(Error::parameter("block", text(launch.block), rule));
    }
    let bytes = kernel.parameters.last().map_or(0, |last| last.offset + last.bytes());
    if launch.parameters.len() as u64 != bytes {
        let rule = format!("bytes: {} takes {bytes}", kernel.name);
        return Err(Error::parameter("parameters", launch.parameters.len(), rule));
    }
    Ok(())
}

/// Runs a kernel to its end. `progress` hears how many blocks of all are done.
///
/// # Errors
///
/// A launch that cannot be, or a thread that does what none may: an access outside of memory or not aligned, a register
/// read before it is written, a barrier at which only some wait, more instructions than the limit. The message has
/// block, thread and line.
pub fn run(
    module: &Module,
    kernel: &Kernel,
    launch: &Launch,
    global: &mut Global,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Counts> {
    check(kernel, launch)?;
    let places = place(module, kernel, launch, global)?;
    let threads = launch.block.iter().map(|n| u64::from(*n)).product::<u64>();
    let blocks = launch.grid.iter().map(|n| u64::from(*n)).product::<u64>();
    let mut counts = Counts { executed: vec![0; kernel.body.len()], barriers: 0, threads: blocks * threads };
    let mut left = launch.limit;
    for number in 0..blocks {
        progress(number, blocks);
        let at = split(number, launch.grid);
        let mut block = Block::new(module, kernel, launch, &places, global, at);
        let mut all: Vec<Thread> =
            (0..threads).map(|number| Thread::new(kernel, split(number, launch.block), places.local)).collect();
        loop {
            for thread in all.iter_mut().filter(|thread| thread.running()) {
                block.run(thread, &mut counts.executed, &mut left)?;
            }
            if block.meet(&mut all)? {
                continue;
            }
            let mut waiting = all.iter_mut().filter(|thread| thread.running());
            let Some(first) = waiting.next() else { break };
            let Stop::Barrier(barrier) = first.stop else { break };
            if let Some(thread) = waiting.find(|thread| thread.stop != Stop::Barrier(barrier)) {
                let (here, there) = (kernel.body[barrier].place, thread.place(kernel));
                return Err(apart(module, at, thread.number, here, there));
            }
            block.open(&mut all, &kernel.body[barrier]);
            counts.barriers += 1;
        }
    }
    progress(blocks, blocks);
    Ok(counts)
}

/// Threads of a block wait at different barriers.
fn apart(module: &Module, block: [u32; 3], thread: [u32; 3], here: Place, there: Place) -> Error {
    let reason = format!("waits at this barrier, and others of its block at the one of line {}", here.line);
    Error::Run { origin: module.origin.clone(), place: there, block, thread, reason }
}

/// A number as coordinates, x first.
fn split(number: u64, size: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = size.map(u64::from);
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}
