//! A device for programs with host code: memory that stays, kernels by name, and a status for everything that programs
//! get wrong. It is what `scripts/cu` links programs to, by way of a process that speaks [`serve`]'s messages.
//!
//! ```text
//! program ── cuda_runtime.h, runtime.c ── pipe ──▶ serve ─▶ Device ─┬▶ interpret
//!                                                                    └▶ words ─▶ their interpreter, or hardware
//! ```
//!
//! A kernel runs to its end before its launch returns. One that does what no thread may leaves a status that stays
//! until the device is reset; every other error is told once. Time is cycles: of hardware where kernels run on it,
//! words otherwise, and instructions of all threads in the interpreter of PTX.
//!
//! ```
//! use bitline_compile::runtime::{Device, Engine, Status};
//!
//! let mut device = Device::new(bitline_units::duality::DualityParams::preset("tiny")?, Engine::Interpreter);
//! let place = device.allocate(64).expect("memory");
//! device.write(place, &[7; 64]).expect("its own bytes");
//! assert_eq!(device.write(place + 60, &[0; 8]), Err(Status::InvalidValue));
//! assert_eq!(device.free(place + 4), Err(Status::InvalidDevicePointer));
//! assert_eq!((device.free(place), device.free(place)), (Ok(()), Err(Status::InvalidDevicePointer)));
//! # Ok::<(), bitline_units::error::Error>(())
//! ```

mod launch;
mod serve;
mod status;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use bitline_model::duality::{self, FlatMemory};
use bitline_units::duality::DualityParams;

pub use launch::Asked;
pub use serve::serve;
pub use status::Status;

use crate::error::Result;
use crate::interpret::Global;
use crate::ptx::ast::Module;
use crate::ptx::types::Space;
use crate::words::Compiled;
use launch::Known;

/// Bytes that all buffers together may have.
pub const MEMORY: u64 = 1 << 30;

/// What runs a compiled kernel of a module on something else, and tells how many cycles it took.
pub type Hardware = dyn FnMut(&Module, &Compiled, &duality::Launch, &mut FlatMemory) -> Result<(duality::Outcome, u64)>;

/// What kernels run on.
pub enum Engine {
    /// PTX, thread by thread.
    Interpreter,
    /// Words, on their interpreter.
    Words,
    /// Words, on something else.
    Hardware(Box<Hardware>),
}

/// A call's result.
pub type Told<T> = std::result::Result<T, Status>;

/// A device.
pub struct Device {
    params: DualityParams,
    engine: Engine,
    modules: Vec<Module>,
    /// What their variables held at first.
    begun: Vec<Vec<Vec<u8>>>,
    /// Their texts, if launches are recorded.
    texts: Vec<String>,
    global: Global,
    used: u64,
    known: Vec<Known>,
    /// A status that stays.
    failed: Option<Status>,
    /// Cycles of all kernels so far.
    cycles: u64,
    /// What the last error was, in words.
    reason: String,
    /// Where launches are recorded, and how many are there.
    recorded: Option<(PathBuf, usize)>,
}

impl Device {
    /// A device whose memory is empty.
    #[must_use]
    pub fn new(params: DualityParams, engine: Engine) -> Device {
        Device {
            params,
            engine,
            modules: Vec::new(),
            begun: Vec::new(),
            texts: Vec::new(),
            global: Global::default(),
            used: 0,
            known: Vec::new(),
            failed: None,
            cycles: 0,
            reason: String::new(),
            recorded: None,
        }
    }

    /// From now on each launch that ends well is written to a folder of its own in this one: see
    /// [`crate::launch::Record`]. Modules are those that are loaded from now on.
    pub fn record(&mut self, folder: PathBuf) {
        self.recorded = Some((folder, 0));
    }

    /// Threads that it runs at once.
    #[must_use]
    pub fn threads(&self) -> u64 {
        self.params.threads(1) as u64
    }

    /// Cycles of all kernels so far.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// What the last error was, with place and value.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Bytes that are free.
    #[must_use]
    pub fn left(&self) -> u64 {
        MEMORY - self.used
    }

    fn fail<T>(&mut self, status: Status, reason: impl Into<String>) -> Told<T> {
        self.reason = reason.into();
        if status.stays() {
            self.failed = Some(status);
        }
        Err(status)
    }

    fn works(&self) -> Told<()> {
        self.failed.map_or(Ok(()), Err)
    }

    /// Reads a module, and tells its number.
    ///
    /// # Errors
    ///
    /// [`Status::InvalidPtx`]; [`Device::reason`] has line and column.
    pub fn load(&mut self, origin: &str, text: &str) -> Told<usize> {
        match crate::ptx::parse(origin, text) {
            Ok(module) => {
                self.begun.push(module.variables.iter().map(|variable| variable.initial.clone()).collect());
                self.modules.push(module);
                self.texts.push(if self.recorded.is_some() { text.to_string() } else { String::new() });
                Ok(self.modules.len() - 1)
            }
            Err(error) => self.fail(Status::InvalidPtx, error.to_string()),
        }
    }

    /// So many bytes of memory, filled with zeros; their address.
    ///
    /// # Errors
    ///
    /// [`Status::MemoryAllocation`], [`Status::InvalidValue`] for none.
    pub fn allocate(&mut self, bytes: u64) -> Told<u64> {
        self.works()?;
        if bytes == 0 {
            return self.fail(Status::InvalidValue, "0 bytes: must be at least 1");
        }
        let room = bytes <= self.left();
        let base = if room { self.global.add("a buffer", vec![0; bytes as usize]) } else { None };
        match base {
            Some(base) => {
                self.used += bytes;
                Ok(base)
            }
            None => self.fail(Status::MemoryAllocation, format!("{bytes} bytes: there are {} left", self.left())),
        }
    }

    /// Gives memory back.
    ///
    /// # Errors
    ///
    /// [`Status::InvalidDevicePointer`] unless a buffer begins there.
    pub fn free(&mut self, base: u64) -> Told<()> {
        self.works()?;
        match self.global.remove(base) {
            Some(region) => {
                self.used -= region.bytes.len() as u64;
                Ok(())
            }
            None => self.fail(Status::InvalidDevicePointer, format!("{base:#x}: no buffer begins there")),
        }
    }

    fn bytes(&mut self, address: u64, count: u64) -> Told<&mut [u8]> {
        self.works()?;
        if let Err(reason) = self.global.at(address, count) {
            return self.fail(Status::InvalidValue, reason);
        }
        self.global.at(address, count).map_err(|_| Status::InvalidValue)
    }

    /// The bytes at an address, all in one buffer.
    ///
    /// # Errors
    ///
    /// [`Status::InvalidValue`] if they are not.
    pub fn read(&mut self, address: u64, count: u64) -> Told<Vec<u8>> {
        Ok(self.bytes(address, count)?.to_vec())
    }

    /// Puts bytes to an address, all in one buffer.
    ///
    /// # Errors
    ///
    /// As [`Device::read`].
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Told<()> {
        self.bytes(address, bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Fills bytes.
    ///
    /// # Errors
    ///
    /// As [`Device::read`].
    pub fn fill(&mut self, address: u64, value: u8, count: u64) -> Told<()> {
        self.bytes(address, count)?.fill(value);
        Ok(())
    }

    /// The bytes of a module's variable.
    ///
    /// # Errors
    ///
    /// [`Status::InvalidSymbol`] for none of this name, [`Status::InvalidValue`] for bytes beyond its end.
    pub fn symbol(&mut self, module: usize, name: &str, offset: u64, count: u64) -> Told<&mut [u8]> {
        self.works()?;
        let stays = |space| matches!(space, Space::Global | Space::Const);
        let found = self.modules.get(module).and_then(|module| {
            module.variables.iter().position(|variable| variable.name == name && stays(variable.space))
        });
        let Some(index) = found else {
            return self.fail(Status::InvalidSymbol, format!("{name}: no variable of this name"));
        };
        let size = self.modules[module].variables[index].bytes();
        if offset.checked_add(count).is_none_or(|end| end > size) {
            return self.fail(Status::InvalidValue, format!("{name}: bytes {offset} on, {count} of them: has {size}"));
        }
        let initial = &mut self.modules[module].variables[index].initial;
        initial.resize(size as usize, 0);
        Ok(&mut initial[offset as usize..(offset + count) as usize])
    }

    /// Everything as it was at the beginning, modules as they were loaded.
    pub fn reset(&mut self) {
        (self.global, self.used, self.failed) = (Global::default(), 0, None);
        for (module, begun) in self.modules.iter_mut().zip(&self.begun) {
            let variables = module.variables.iter_mut().zip(begun);
            variables.for_each(|(variable, begun)| variable.initial.clone_from(begun));
        }
    }
}
