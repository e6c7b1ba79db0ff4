//! Verilog with a C++ program around it, as one executable: what `verilator --exe --build` makes, in a third of the
//! time, since few translation units include Verilator's headers and nothing that runs once is optimised.

use std::path::{Path, PathBuf};

use super::Build;
use super::compiler::Compiler;
use super::library::runtime;
use super::units::Units;
use crate::error::{Error, Result};
use crate::external::tool::{build_once, content_folder, find, run, write_files};

/// What is built.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Its name, and that of its folder.
    pub name: &'a str,
    /// Arguments of Verilator: top module, source files, what is warned of.
    pub arguments: &'a str,
    /// Prefix of Verilator's classes, which the program includes.
    pub prefix: &'a str,
    /// The C++ file with `main`.
    pub main: &'a str,
    /// Flags of the C++ compiler, such as definitions.
    pub flags: &'a [&'a str],
    /// How much effort it spends on what runs in every cycle.
    pub effort: &'static str,
}

impl Program<'_> {
    /// Builds it of these files, given by name and text, below `cache`, or finds what was built of the same before.
    ///
    /// # Errors
    /// [`Error::Tool`] if Verilator or the C++ compiler is missing or has anything to say, [`Error::File`] if `cache`
    /// cannot be written.
    pub fn build(&self, cache: &Path, files: &[(String, String)]) -> Result<PathBuf> {
        let tool = |reason: String| Error::Tool { tool: "verilator".into(), reason };
        let version = find("verilator").ok_or_else(|| tool("is not installed".into()))?.version;
        let cache = &std::path::absolute(cache).map_err(|e| Error::file(cache, e))?;
        let compiler = Compiler::new(self.effort)?;
        let key = format!("{version} {self:?} {}", compiler.key());
        let target = content_folder(cache, self.name, files, &key);
        build_once(&target, |work| {
            write_files(work, files)?;
            let root = run("verilator", &["--getenv", "VERILATOR_ROOT"], work)?;
            let include = Path::new(root.trim()).join("include");
            let mut arguments = vec!["--cc", "--Mdir", "built", "--prefix", self.prefix];
            arguments.extend(compiler.verilator_flags());
            arguments.extend(self.arguments.split_whitespace());
            let said = run("verilator", &arguments, work)?;
            if !said.trim().is_empty() {
                return Err(tool(said));
            }
            let runtime = runtime(cache, &include, &version, Build::State, &compiler)?;
            let flags = [&["-I."], self.flags].concat();
            let link = ["-pthread", "-o", self.name];
            let units = Units {
                folder: "built",
                main: self.main,
                flags: &flags,
                compiler: &compiler,
                link: &link,
                written: false,
            };
            units.compile(work, &include, &runtime)
        })?;
        Ok(target.join(self.name))
    }
}
