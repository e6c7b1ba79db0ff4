//! A launch as a folder, to be repeated on a GPU by `scripts/cuda-replay.py`, and compared.
//!
//! | file | |
//! |---|---|
//! | `kernel.ptx` | the module |
//! | `launch.txt` | a line each: kernel, grid, block, shared bytes, parameters, pieces of memory, variables |
//! | `before.bin`, `after.bin` | what pieces of memory and variables hold, one behind the other |
//!
//! A parameter is the bytes that it has, in hexadecimal digits, the lowest byte first; behind one that is an address of
//! a piece of memory stands `pointer`. A piece has its address and its bytes.

use std::fmt::Write;
use std::path::Path;

use crate::error::{Error, Result};
use crate::interpret::Region;

/// A launch that is about to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The kernel's name.
    pub kernel: String,
    /// Blocks: x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block: x, y, z.
    pub block: [u32; 3],
    /// Bytes of `extern` shared memory.
    pub shared: u64,
    /// The bytes of each parameter.
    pub parameters: Vec<Vec<u8>>,
    /// Pieces of memory: address, bytes.
    pub memory: Vec<(u64, Vec<u8>)>,
    /// Variables of the module: name, bytes.
    pub variables: Vec<(String, Vec<u8>)>,
}

/// The address and the bytes of each region.
pub(crate) fn pieces(regions: &[Region]) -> Vec<(u64, Vec<u8>)> {
    regions.iter().map(|region| (region.base, region.bytes.clone())).collect()
}

impl Record {
    /// Whether a parameter is as wide as an address, and lies in a piece of memory, or right behind it.
    fn points(&self, parameter: &[u8]) -> bool {
        let Ok(bytes) = <[u8; 8]>::try_from(parameter) else { return false };
        let address = u64::from_le_bytes(bytes);
        self.memory.iter().any(|(base, bytes)| (*base..=base + bytes.len() as u64).contains(&address))
    }

    /// The text of `launch.txt`.
    #[must_use]
    pub fn text(&self) -> String {
        let triple = |[x, y, z]: [u32; 3]| format!("{x} {y} {z}");
        let (grid, block) = (triple(self.grid), triple(self.block));
        let mut text = format!("kernel {}\ngrid {grid}\nblock {block}\nshared {}\n", self.kernel, self.shared);
        for parameter in &self.parameters {
            let digits: String = parameter.iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = writeln!(text, "parameter {digits}{}", if self.points(parameter) { " pointer" } else { "" });
        }
        for (base, bytes) in &self.memory {
            let _ = writeln!(text, "memory {base:#x} {}", bytes.len());
        }
        for (name, bytes) in &self.variables {
            let _ = writeln!(text, "variable {name} {}", bytes.len());
        }
        text
    }

    /// Writes the folder, with what memory and variables hold afterwards.
    ///
    /// # Errors
    ///
    /// A folder that is there already; a file that cannot be written.
    pub fn write(&self, folder: &Path, ptx: &str, after: &[&[u8]]) -> Result<()> {
        let before = self.memory.iter().map(|piece| &piece.1).chain(self.variables.iter().map(|one| &one.1));
        let before: Vec<u8> = before.flatten().copied().collect();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(|error| Error::file(&path, error))
        };
        std::fs::create_dir(folder).map_err(|error| Error::file(folder, error))?;
        write("kernel.ptx", ptx.as_bytes())?;
        write("launch.txt", self.text().as_bytes())?;
        write("before.bin", &before)?;
        write("after.bin", &after.concat())
    }
}
