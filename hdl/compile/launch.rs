//! A launch as a user writes it: arguments of a kernel from text, results into files.
//!
//! | argument | meaning |
//! |---|---|
//! | `s32:-5`, `f32:1.5`, `u64:0x10` | a number |
//! | `zero:f32:1024` | a buffer of 1024 zeros |
//! | `steps:s32:1025:8` | 0, 8, 16 and so on, 1025 of them |
//! | `random:f32:1024:7`, `random:s32:1024:7:0..99` | random elements of seed 7; from 0 up to 1, or in a range |
//! | `csv:f32:a.csv` | a buffer with the numbers of a file, separated by commas or ends of lines |
//! | `raw:u8:a.bin` | a buffer with the bytes of a file, the lowest byte of an element first |
//! | `local:f32:64` | room in each block's shared memory: a pointer to `__local` in OpenCL |
//!
//! A structure that is handed over by itself gets a buffer's bytes, as many as it has: `csv:s32:a.csv`, `raw:u8:a.bin`.

mod argument;
mod buffer;
mod record;

pub use argument::Argument;
pub use buffer::{Buffer, Element, csv, raw};
pub use record::Record;
pub(crate) use record::pieces;

use crate::error::{Error, Result};
use crate::interpret::{self, Counts, Global, LIMIT, Launch};
use crate::ptx::ast::{Kernel, Module};
use crate::ptx::types::Space;

/// Of what the places of arguments in shared memory are multiples: the longest access has so many bytes.
const LOCAL_ALIGN: u64 = 16;

/// How a kernel is to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its name.
    pub kernel: String,
    /// Blocks: x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block: x, y, z.
    pub block: [u32; 3],
    /// Bytes of `extern` shared memory.
    pub shared: u64,
    /// What it is called with.
    pub arguments: Vec<Argument>,
    /// Instructions after which it is given up.
    pub limit: u64,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What ran.
    pub counts: Counts,
    /// What buffers hold; none for arguments that are numbers.
    pub buffers: Vec<Option<Buffer>>,
}

/// A launch that is about to begin.
pub(crate) struct Prepared<'m> {
    pub(crate) kernel: &'m Kernel,
    /// The parameter space.
    pub(crate) parameters: Vec<u8>,
    /// Global memory with the buffers.
    pub(crate) global: Global,
    /// The address of each argument that is a buffer.
    pub(crate) bases: Vec<Option<u64>>,
    /// Bytes of shared memory behind the kernel's variables, those of arguments included.
    pub(crate) shared: u64,
}

impl Plan {
    /// A plan for one block of one thread.
    #[must_use]
    pub fn new(kernel: impl Into<String>) -> Plan {
        Plan { kernel: kernel.into(), grid: [1; 3], block: [1; 3], shared: 0, arguments: Vec::new(), limit: LIMIT }
    }

    /// Runs it in the interpreter. `progress` hears how many blocks of all are done.
    ///
    /// # Errors
    ///
    /// Arguments that are not the kernel's, a launch that cannot be, or a thread that does what none may.
    pub fn interpret(&self, module: &Module, progress: &mut dyn FnMut(u64, u64)) -> Result<Outcome> {
        let Prepared { kernel, parameters, mut global, bases, shared } = self.prepare(module)?;
        let launch = Launch { grid: self.grid, block: self.block, shared, parameters, limit: self.limit };
        let counts = interpret::run(module, kernel, &launch, &mut global, progress)?;
        let after = |(argument, base): (&Argument, &Option<u64>)| match (argument, base) {
            (Argument::Buffer(buffer), Some(base)) => {
                let bytes = global.region(*base).map(|region| region.bytes.clone()).unwrap_or_default();
                Some(Buffer { element: buffer.element, bytes })
            }
            // A structure, which nobody writes.
            (Argument::Buffer(buffer), None) => Some(buffer.clone()),
            _ => None,
        };
        Ok(Outcome { counts, buffers: self.arguments.iter().zip(&bases).map(after).collect() })
    }

    /// The launch with what memory holds before it, to be repeated elsewhere.
    ///
    /// # Errors
    ///
    /// Arguments that are not the kernel's.
    pub fn record(&self, module: &Module) -> Result<Record> {
        let Prepared { kernel, parameters, global, shared, .. } = self.prepare(module)?;
        let of = |parameter: &crate::ptx::ast::Parameter| {
            let from = parameter.offset as usize;
            parameters[from..from + parameter.bytes() as usize].to_vec()
        };
        Ok(Record {
            kernel: self.kernel.clone(),
            grid: self.grid,
            block: self.block,
            shared,
            parameters: kernel.parameters.iter().map(of).collect(),
            memory: pieces(global.regions()),
            variables: Vec::new(),
        })
    }

    /// The kernel with its parameters, and buffers in global memory.
    pub(crate) fn prepare<'m>(&self, module: &'m Module) -> Result<Prepared<'m>> {
        let kernel = module.kernel(&self.kernel)?;
        self.fits(module, kernel)?;
        let end = kernel.parameters.last().map_or(0, |last| last.offset + last.bytes());
        let mut parameters = vec![0; end as usize];
        let mut global = Global::default();
        let mut bases = Vec::new();
        let dynamic = interpret::dynamic_from(module, kernel);
        let mut shared = self.shared;
        for (number, (argument, parameter)) in self.arguments.iter().zip(&kernel.parameters).enumerate() {
            let at = parameter.offset as usize;
            let count = parameter.bytes() as usize;
            let (base, value) = match argument {
                Argument::Buffer(buffer) if parameter.count.is_some() => {
                    parameters[at..at + count].copy_from_slice(&buffer.bytes);
                    bases.push(None);
                    continue;
                }
                Argument::Number { bits, .. } => (None, *bits),
                Argument::Buffer(buffer) => {
                    let base = global.add(format!("argument {number}"), buffer.bytes.clone()).ok_or_else(|| {
                        let rule = "bytes: must all lie below address 0xf0000000";
                        Error::parameter(format!("argument {number}"), buffer.bytes.len(), rule)
                    })?;
                    (Some(base), base)
                }
                Argument::Local { bytes } => {
                    // Every element of a vector has its place there.
                    let at = dynamic.saturating_add(shared).checked_next_multiple_of(LOCAL_ALIGN).unwrap_or(u64::MAX);
                    shared = (at - dynamic).saturating_add(*bytes);
                    (None, at)
                }
            };
            parameters[at..at + count].copy_from_slice(&value.to_le_bytes()[..count]);
            bases.push(base);
        }
        Ok(Prepared { kernel, parameters, global, bases, shared })
    }

    /// Whether the arguments are those that the kernel takes.
    fn fits(&self, module: &Module, kernel: &Kernel) -> Result<()> {
        let (given, wanted) = (self.arguments.len(), kernel.parameters.len());
        if given != wanted {
            let rule = format!("{} takes {wanted}", kernel.name);
            return Err(Error::parameter("number of arguments", given, rule));
        }
        for (number, (argument, parameter)) in self.arguments.iter().zip(&kernel.parameters).enumerate() {
            let name = format!("argument {number} ({})", parameter.name);
            if parameter.count.is_some() {
                let bytes = parameter.bytes();
                if matches!(argument, Argument::Buffer(buffer) if buffer.bytes.len() as u64 == bytes) {
                    continue;
                }
                let rule = format!("{} takes a structure of {bytes} bytes here: a buffer of as many", kernel.name);
                return Err(Error::parameter(name, argument, rule));
            }
            let pointer = parameter.ty.bits() == module.address_size && !parameter.ty.is_float();
            let fits = match argument {
                Argument::Number { element, .. } => {
                    let ty = element.ty();
                    ty.bits() == parameter.ty.bits() && parameter.ty.takes(ty, false)
                }
                Argument::Buffer(_) => pointer && parameter.space != Some(Space::Shared),
                Argument::Local { .. } => pointer && matches!(parameter.space, None | Some(Space::Shared)),
            };
            if !fits {
                let rule = match parameter.space {
                    Some(Space::Shared) => format!("{} takes shared memory here, such as local:f32:64", kernel.name),
                    _ => format!("{} takes a .{} here", kernel.name, parameter.ty.name()),
                };
                return Err(Error::parameter(name, argument, rule));
            }
        }
        Ok(())
    }
}
