//! Launches: the kernel, its arguments, what runs it, and the status of what goes wrong.

use super::{Device, Engine, Status, Told};
use crate::error::{Error, Result};
use crate::interpret::{self, LIMIT};
use crate::launch::{Record, pieces};
use crate::ptx::ast::{Kernel, Module, Variable};
use crate::ptx::inline::ASSERTION;
use crate::ptx::types::Space;
use crate::words::{Addresses, Compiled, Sizes, VERSIONS, Words, arguments, variables};

/// A kernel that is compiled: of which module, for variables, sizes and numbers of which launches.
pub(super) struct Known {
    module: usize,
    kernel: String,
    addresses: Addresses,
    sizes: Sizes,
    compiled: Compiled,
}

/// How a kernel is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The module, as [`Device::load`] has numbered it.
    pub module: usize,
    /// The kernel's name.
    pub kernel: String,
    /// Blocks: x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block: x, y, z.
    pub block: [u32; 3],
    /// Bytes of `extern` shared memory.
    pub shared: u64,
    /// Arguments, the bytes of each.
    pub arguments: Vec<Vec<u8>>,
}

impl Device {
    /// The index of a kernel in its module.
    fn kernel(&mut self, module: usize, name: &str) -> Told<usize> {
        let kernels = self.modules.get(module).map_or(&[][..], |module| &module.kernels);
        match kernels.iter().position(|kernel| kernel.name == name) {
            Some(index) => Ok(index),
            None => self.fail(Status::InvalidDeviceFunction, format!("{name}: no kernel of this name")),
        }
    }

    /// Bytes of each parameter of a kernel.
    ///
    /// # Errors
    ///
    /// [`Status::InvalidDeviceFunction`] if there is none.
    pub fn parameters(&mut self, module: usize, name: &str) -> Told<Vec<u64>> {
        self.works()?;
        let kernel = self.kernel(module, name)?;
        Ok(self.modules[module].kernels[kernel].parameters.iter().map(|parameter| parameter.bytes()).collect())
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    ///
    /// A status by what is wrong; [`Device::reason`] has the rest.
    pub fn launch(&mut self, asked: &Asked) -> Told<()> {
        self.works()?;
        let (at, kernel) = (asked.module, self.kernel(asked.module, &asked.kernel)?);
        let module = self.modules[at].clone();
        let kernel = &module.kernels[kernel];
        let parameters = match parameters(kernel, &asked.arguments) {
            Ok(parameters) => parameters,
            Err(error) => return self.fail(Status::InvalidValue, error.to_string()),
        };
        let (grid, block, shared) = (asked.grid, asked.block, asked.shared);
        let launch = interpret::Launch { grid, block, shared, parameters, limit: LIMIT };
        if let Err(error) = interpret::check(kernel, &launch) {
            return self.fail(Status::InvalidConfiguration, error.to_string());
        }
        let record = self.recorded.as_ref().map(|_| self.before(asked, kernel));
        let before: Vec<u64> = self.global.regions().iter().map(|region| region.base).collect();
        let ran = self.run(at, &module, kernel, &launch);
        // Variables of the module, and parameters, were regions for the time of the launch.
        let own: Vec<u64> = self.global.regions().iter().map(|r| r.base).filter(|b| !before.contains(b)).collect();
        for base in own {
            let Some(region) = self.global.remove(base) else { continue };
            let variables = &mut self.modules[at].variables;
            if let Some(variable) = variables.iter_mut().find(|one| one.name == region.name && ran.is_ok()) {
                variable.initial = region.bytes;
            }
        }
        match ran {
            Ok(cycles) => {
                self.cycles += cycles;
                match record.map(|record| self.after(at, record)) {
                    Some(Err(error)) => self.fail(Status::InvalidValue, error.to_string()),
                    _ => Ok(()),
                }
            }
            Err(error) => self.fail(status_of(&error), error.to_string()),
        }
    }

    /// Names of a module's variables that stay, and what they hold.
    fn variables(&self, at: usize) -> Vec<(String, Vec<u8>)> {
        let stays = |variable: &&Variable| matches!(variable.space, Space::Global | Space::Const);
        let all = self.modules[at].variables.iter().filter(stays);
        all.map(|variable| (variable.name.clone(), interpret::initial(variable))).collect()
    }

    /// A launch with what is in memory before it.
    fn before(&self, asked: &Asked, kernel: &Kernel) -> Record {
        let sizes = kernel.parameters.iter().map(|parameter| parameter.bytes() as usize);
        Record {
            kernel: asked.kernel.clone(),
            grid: asked.grid,
            block: asked.block,
            shared: asked.shared,
            parameters: asked.arguments.iter().zip(sizes).map(|(bytes, size)| bytes[..size].to_vec()).collect(),
            memory: pieces(self.global.regions()),
            variables: self.variables(asked.module),
        }
    }

    /// Writes it, with what is in memory behind it.
    fn after(&mut self, at: usize, record: Record) -> Result<()> {
        let variables = self.variables(at);
        let memory = self.global.regions().iter().map(|region| &region.bytes[..]);
        let after: Vec<&[u8]> = memory.chain(variables.iter().map(|variable| &variable.1[..])).collect();
        let Some((folder, count)) = &mut self.recorded else { return Ok(()) };
        *count += 1;
        let path = folder.join(format!("{:04}-{}", *count - 1, record.kernel));
        std::fs::create_dir_all(&*folder).map_err(|error| Error::file(&*folder, error))?;
        record.write(&path, &self.texts[at], &after)
    }

    fn run(&mut self, at: usize, module: &Module, kernel: &Kernel, launch: &interpret::Launch) -> Result<u64> {
        if matches!(self.engine, Engine::Interpreter) {
            let counts = interpret::run(module, kernel, launch, &mut self.global, &mut |_, _| ())?;
            return Ok(counts.instructions());
        }
        let words = Words::new(&self.params);
        let placed = variables(module, kernel, (launch.shared, &launch.parameters), &mut self.global)?;
        let (addresses, sizes) = (&placed.addresses, Sizes { grid: launch.grid, block: launch.block });
        let alike = |one: &&Known| {
            one.module == at && one.kernel == kernel.name && one.addresses == *addresses && one.sizes == sizes
        };
        let same = || self.known.iter().filter(alike);
        let compiled = match same().find(|one| one.compiled.suits(&launch.parameters)) {
            Some(known) => known.compiled.clone(),
            None => {
                let own = if same().count() < VERSIONS { arguments(kernel, &launch.parameters) } else { Vec::new() };
                let compiled = words.compile_with((module, kernel), addresses, &sizes, &own, &launch.parameters)?;
                let (kernel, addresses) = (kernel.name.clone(), addresses.clone());
                self.known.push(Known { module: at, kernel, addresses, sizes, compiled: compiled.clone() });
                compiled
            }
        };
        let mut cycles = 0;
        let engine = &mut self.engine;
        words.launch(&compiled, &placed, launch, &mut self.global, &mut |compiled, on, memory| match engine {
            Engine::Hardware(run) => {
                let (outcome, took) = run(module, compiled, on, memory)?;
                cycles = took;
                Ok(outcome)
            }
            _ => {
                let outcome = words.run(module, compiled, on, memory, launch.limit)?;
                cycles = outcome.words.iter().sum();
                Ok(outcome)
            }
        })?;
        Ok(cycles)
    }
}

/// Arguments in their places; of pointers that are wider on the host than in the kernel the low bytes.
fn parameters(kernel: &Kernel, arguments: &[Vec<u8>]) -> Result<Vec<u8>> {
    if arguments.len() != kernel.parameters.len() {
        let rule = format!("{} takes {}", kernel.name, kernel.parameters.len());
        return Err(Error::parameter("number of arguments", arguments.len(), rule));
    }
    let end = kernel.parameters.last().map_or(0, |last| last.offset + last.bytes());
    let mut bytes = vec![0; end as usize];
    for (parameter, argument) in kernel.parameters.iter().zip(arguments) {
        let count = parameter.bytes() as usize;
        if argument.len() < count {
            let rule = format!("bytes: {} takes {count}", kernel.name);
            return Err(Error::parameter(&parameter.name, argument.len(), rule));
        }
        let from = parameter.offset as usize;
        bytes[from..from + count].copy_from_slice(&argument[..count]);
    }
    Ok(bytes)
}

/// The status of what stopped a kernel, or kept it from running.
fn status_of(error: &Error) -> Status {
    let text = error.to_string();
    let has = |part: &str| text.contains(part);
    match error {
        Error::Run { .. } | Error::Source { .. } if has(&format!(": `{ASSERTION}`: ")) => Status::Assert,
        Error::Run { .. } if has(": must be a multiple of") => Status::MisalignedAddress,
        Error::Run { .. } if has(" address ") => Status::IllegalAddress,
        Error::Run { .. } if has("instructions") => Status::LaunchTimeout,
        Error::Run { .. } => Status::LaunchFailure,
        Error::Source { .. } if has("trap misaligned") => Status::MisalignedAddress,
        Error::Source { .. } if has(": `trap`: ") => Status::LaunchFailure,
        Error::Source { .. } if has(": trap ") => Status::IllegalAddress,
        Error::Source { .. } if has("as many words as were allowed") => Status::LaunchTimeout,
        Error::Source { .. } => Status::NotSupported,
        Error::Parameter { parameter, .. } if parameter == "engine" => Status::LaunchFailure,
        Error::Parameter { parameter, .. } if parameter == "arguments" => Status::InvalidValue,
        _ => Status::LaunchOutOfResources,
    }
}
