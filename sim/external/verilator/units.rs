//! Verilator's C++ ─▶ object files ─▶ a library or a program, in as few translation units as are good.

use std::path::Path;

use super::compiler::Compiler;
use super::fill::tabled;
use super::inputs::{WRITTEN, asked};
use super::library::HEADERS;
use crate::error::{Error, Result};
use crate::external::tool::write_files;

/// How the names of files with start-up code end.
const SLOW: &str = "__Slow.cpp";
/// How that of the file ends that makes the tables of public variables.
const SYMBOLS: &str = "__Syms.cpp";

/// Bytes of C++ from which on a design is large.
const LARGE: u64 = 1 << 20;

/// What is compiled, and how.
pub(super) struct Units<'a> {
    /// The folder of Verilator's C++ below the working folder.
    pub folder: &'a str,
    /// The file that is put behind it, in the working folder.
    pub main: &'a str,
    /// Of every call of the compiler.
    pub flags: &'a [&'a str],
    /// By what, and with how much effort what runs in every cycle.
    pub compiler: &'a Compiler,
    /// What makes the library or the program of it.
    pub link: &'a [&'a str],
    /// Whether the file behind it says of each evaluation whether anything but the clock was written: [`WRITTEN`].
    pub written: bool,
}

impl Units<'_> {
    /// One translation unit: the C++ compiler spends most of its time on Verilator's headers. A large design is two:
    /// its start-up code and its tables of variables, which run once, are half of it and are compiled beside the rest
    /// without optimisation.
    ///
    /// # Errors
    /// [`Error::Tool`] if the C++ compiler is missing or refuses, [`Error::File`] for files.
    pub fn compile(&self, work: &Path, include: &Path, runtime: &Path) -> Result<()> {
        let folder = work.join(self.folder);
        let listed = std::fs::read_dir(&folder).map_err(|e| Error::file(&folder, e))?;
        let own = ["all.cpp", "once.cpp"];
        let mut sources: Vec<String> = listed
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".cpp") && !own.contains(&name.as_str()))
            .collect();
        sources.sort();
        for name in sources.iter().filter(|name| name.ends_with(SLOW)) {
            let path = folder.join(name);
            let text = std::fs::read_to_string(&path).map_err(|e| Error::file(&path, e))?;
            write_files(&folder, &[(name.clone(), tabled(&text))])?;
        }
        for name in sources.iter().filter(|name| self.written && !name.ends_with(SLOW)) {
            let path = folder.join(name);
            let text = std::fs::read_to_string(&path).map_err(|e| Error::file(&path, e))?;
            if let Some(text) = asked(&text) {
                write_files(&folder, &[(name.clone(), text)])?;
            }
        }
        let bytes = |name: &String| std::fs::metadata(folder.join(name)).map_or(0, |file| file.len());
        let large = sources.iter().map(bytes).sum::<u64>() >= LARGE;
        let start = |name: &str| name.ends_with(SLOW) || name.ends_with(SYMBOLS);
        let (once, often): (Vec<String>, Vec<String>) = sources.into_iter().partition(|name| large && start(name));
        let unit = |names: &[String]| names.iter().map(|name| format!("#include \"{name}\"\n")).collect::<String>();
        let all = format!("{WRITTEN}{}#include \"../{}\"\n", unit(&often), self.main);
        write_files(&folder, &[("all.cpp".into(), all), ("once.cpp".into(), unit(&once))])?;
        let headers = self.compiler.precompiles().then(|| runtime.with_file_name(HEADERS).display().to_string());
        let (runtime, all, start) =
            (runtime.display().to_string(), format!("{}/all.cpp", self.folder), format!("{}/once.cpp", self.folder));
        let folders = [vec![format!("-I{}", self.folder)], include_flags(include).into()].concat();
        let compile = |what: &[&str]| {
            let arguments = [what, self.flags, &folders.iter().map(String::as_str).collect::<Vec<_>>()].concat();
            self.compiler.run(&arguments, work)
        };
        let often = match &headers {
            Some(path) => vec![self.compiler.effort, "-include-pch", path, &all],
            None => vec![self.compiler.effort, &all],
        };
        if !large {
            return compile(&[self.link, &often, &[&runtime]].concat());
        }
        std::thread::scope(|scope| {
            let once = scope.spawn(|| compile(&["-c", "-O0", "-o", "once.o", &start]));
            let often = compile(&[&["-c", "-o", "all.o"], &often[..]].concat());
            once.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).and(often)
        })?;
        compile(&[self.link, &["all.o", "once.o", &runtime]].concat())
    }
}

/// Where Verilator's headers are.
pub(super) fn include_flags(include: &Path) -> [String; 2] {
    [format!("-I{}", include.display()), format!("-I{}/vltstd", include.display())]
}
