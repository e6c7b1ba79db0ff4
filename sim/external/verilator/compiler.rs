//! The C++ compiler of what Verilator writes.

use std::path::Path;

use crate::error::{Error, Result};
use crate::external::tool::{Tool, find, run};

/// Names of clang, which takes half of g++'s time for code that is little optimised.
const CLANG: [&str; 2] = ["clang++", "clang++-19"];

/// Flags that keep the libraries of different designs in one process apart; g++ has one more.
const APART: [&str; 3] = ["-fPIC", "-fvisibility=hidden", "-std=c++17"];

/// The order of instructions that clang chooses for this processor, before registers are given out, takes time that
/// grows with the square of a block of them: three quarters of all for the code of rows of 512 columns. This is the
/// order that it chooses for processors with few registers.
const CLANG_FLAGS: [&str; 2] = ["-mllvm", "-pre-RA-sched=list-burr"];

/// A compiler, and how much effort it spends.
pub(super) struct Compiler {
    tool: Tool,
    clang: bool,
    /// The effort that it spends on what runs in every cycle: `-O1`.
    pub effort: &'static str,
}

impl Compiler {
    /// For what is compiled more often than it runs long, with the effort `-O0` or `-O1`: clang where it is there. For
    /// the fastest code, `-O3`, g++, which benchmarks have always had.
    ///
    /// # Errors
    /// [`Error::Tool`] if there is none.
    pub fn new(effort: &'static str) -> Result<Compiler> {
        let clang = || CLANG.into_iter().filter(|_| effort != "-O3").find_map(find);
        let missing = || Error::Tool { tool: "g++".into(), reason: "is not installed, and no clang++ either".into() };
        let (tool, clang) = match clang() {
            Some(tool) => (tool, true),
            None => (find("g++").ok_or_else(missing)?, false),
        };
        Ok(Compiler { tool, clang, effort })
    }

    /// What tells it from others that compile otherwise.
    pub fn key(&self) -> String {
        format!("{} {} {}", self.tool.name, self.tool.version, self.effort)
    }

    /// Whether it takes headers that it has compiled before with `-include-pch`.
    pub fn precompiles(&self) -> bool {
        self.clang
    }

    /// Flags of Verilator: the fastest code has copies of modules that several instances share, and is much longer.
    pub fn verilator_flags(&self) -> &'static [&'static str] {
        if self.effort == "-O3" { &["-O3"] } else { &[] }
    }

    /// Calls it in a folder.
    ///
    /// # Errors
    /// [`Error::Tool`] if it refuses.
    pub fn run(&self, arguments: &[&str], folder: &Path) -> Result<()> {
        let own: &[&str] = if self.clang { &CLANG_FLAGS } else { &["-fno-gnu-unique"] };
        run(&self.tool.name, &[arguments, &APART, own].concat(), folder).map(drop)
    }
}
