//! The table of programs: the server, and for each program its kernels, launches, data and sizes (TOML).
//!
//! | key of `[[program]]` | |
//! |---|---|
//! | `name`, `file` | the program, and its PTX beside the table |
//! | `cpu` | C++ beside the table with its kernels for the CPU; without it they are those of the `.cu` file |
//! | `near` | how far results of the CPU may be from ours; without it they are the same, bit by bit |
//! | `size`, `quick` | names and numbers; `quick` has those that are others with `--quick` |
//! | `buffers` | names and contents, as `sim cuda` writes buffers |
//! | `first` | of some buffers, the number in place of their first element |
//! | `turns` | `{ name, from, to, step }`: launches are repeated, and the name is the number of the turn |
//! | `until` | a buffer: turns end when its first element is zero |
//! | `clear`, `swap` | buffers that are zero before each turn, and pairs that change places behind it |
//! | `launch` | `kernel`, `grid`, `block` and `arguments`: names of buffers, or numbers |
//!
//! `more` names tables beside it that have programs only. Programs are in the order of their names.
//!
//! Numbers of `grid` and `block`, and what stands in braces elsewhere, are [expressions](super::expression).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bitline_units::duality::DualityParams;
use serde::Deserialize;

use super::expression::Names;
use crate::data::source;
use crate::error::{Error, Result};
use crate::model::duality::system::Memory;
use crate::units::duality::system;

/// What the programs run on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Preset of a control block, and rows of its arrays and sets of its way as a cache in their place.
    pub preset: String,
    /// Rows of an array.
    pub rows: usize,
    /// Sets of a way.
    pub cache_sets: usize,
    /// Slices.
    pub slices: usize,
    /// Ways of each: a control block each, or a part of the cache.
    pub ways: usize,
    /// Memory of the server.
    pub memory: Banks,
    /// What Figure 7 has in its place.
    pub fast_memory: Banks,
    /// Ways of each slice that Figure 14 gives to the cache.
    pub shares: Vec<usize>,
}

/// Memory by name, and how often it is there.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Banks {
    /// A memory of the model of the system.
    pub name: String,
    /// How many times its bandwidth there is.
    pub times: u32,
}

impl Banks {
    /// As the model has it.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is none of this name.
    pub fn memory(&self) -> Result<Memory> {
        if !(1..=64).contains(&self.times) {
            return Err(Error::parameter("memory.times", self.times, "must be 1 to 64"));
        }
        let one = system::memory(&self.name, 0)?;
        Ok(Memory { bytes: one.bytes * f64::from(self.times), ..one })
    }
}

impl Server {
    /// A control block.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is no such thing.
    pub fn params(&self) -> Result<DualityParams> {
        let preset = DualityParams::preset(&self.preset)?;
        let params = DualityParams { rows: self.rows, cache_sets: self.cache_sets, ..preset };
        params.check()?;
        Ok(params)
    }

    /// Control blocks and ways of the cache of each slice, when so many waves want a control block: ways that nobody
    /// wants are a cache, and one always is.
    pub fn parted(&self, waves: u64) -> (usize, usize) {
        let blocks = usize::try_from(waves).unwrap_or(usize::MAX).clamp(1, self.most());
        (blocks, self.ways - blocks.div_ceil(self.slices))
    }

    /// Most control blocks at once.
    pub fn most(&self) -> usize {
        self.slices * (self.ways - 1)
    }

    fn check(&self) -> Result<()> {
        if !(1..=28).contains(&self.slices) {
            return Err(Error::parameter("server.slices", self.slices, "must be 1 to 28"));
        }
        if !(2..=20).contains(&self.ways) {
            return Err(Error::parameter("server.ways", self.ways, "must be 2 to 20"));
        }
        if let Some(share) = self.shares.iter().find(|share| !(1..self.ways).contains(*share)) {
            return Err(Error::parameter("server.shares", share, format!("must be 1 to {}", self.ways - 1)));
        }
        self.params()?;
        self.memory.memory()?;
        self.fast_memory.memory().map(|_| ())
    }
}

/// A launch of a kernel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launching {
    /// The kernel.
    pub kernel: String,
    /// Blocks, and threads of each: x, y, z as far as they are not 1.
    pub grid: Vec<String>,
    /// Threads of a block.
    pub block: Vec<String>,
    /// Names of buffers, or numbers.
    pub arguments: Vec<String>,
}

/// Repetitions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    /// What the number of a turn is called.
    pub name: String,
    /// The first.
    pub from: String,
    /// The one that is no more.
    pub to: String,
    /// From one to the next.
    pub step: String,
}

/// A program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Its PTX.
    pub file: PathBuf,
    /// Kernels for the CPU.
    pub cpu: Option<PathBuf>,
    /// How far results of the CPU may be from ours.
    pub near: Option<f64>,
    /// Sizes.
    pub size: Names,
    /// Those that are others where there is little time.
    #[serde(default)]
    pub quick: Names,
    /// Buffers.
    pub buffers: BTreeMap<String, String>,
    /// First elements.
    #[serde(default)]
    pub first: BTreeMap<String, String>,
    /// Repetitions.
    pub turns: Option<Turns>,
    /// The buffer whose first element says whether there is another turn.
    pub until: Option<String>,
    /// Buffers that are zero before each turn.
    #[serde(default)]
    pub clear: Vec<String>,
    /// Buffers that change places behind each.
    #[serde(default)]
    pub swap: Vec<[String; 2]>,
    /// What is launched, one behind the other.
    pub launch: Vec<Launching>,
}

impl Program {
    /// Its sizes.
    pub fn sizes(&self, quick: bool) -> Names {
        let mut sizes = self.size.clone();
        if quick {
            sizes.extend(self.quick.clone());
        }
        sizes
    }

    fn check(&self) -> Result<()> {
        let refuse = |what: &str, value: &str, rule: &str| {
            Err(Error::parameter(format!("program.{what}"), format!("{}: {value}", self.name), rule))
        };
        let named = self.first.keys().chain(&self.until).chain(&self.clear).chain(self.swap.iter().flatten());
        for name in named {
            if !self.buffers.contains_key(name) {
                return refuse("buffers", name, "must be one of them");
            }
        }
        if let Some(name) = self.quick.keys().find(|name| !self.size.contains_key(*name)) {
            return refuse("quick", name, "must be one of size");
        }
        if self.launch.is_empty() {
            return refuse("launch", "none", "a program launches something");
        }
        if self.turns.is_none() && !(self.until.is_none() && self.swap.is_empty()) {
            return refuse("turns", "none", "until and swap are about turns");
        }
        Ok(())
    }
}

/// A table with programs only.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct More {
    program: Vec<Program>,
}

/// A file of TOML as what it should hold.
fn parsed<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let text = source::text(path)?;
    toml::from_str(&text).map_err(|e| {
        let line = e.span().map_or(1, |span| text[..span.start].lines().count().max(1));
        Error::Syntax { origin: path.display().to_string(), line, reason: e.message().to_string() }
    })
}

/// The table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What programs run on.
    pub server: Server,
    /// Tables beside it, with programs only.
    #[serde(default)]
    pub more: Vec<PathBuf>,
    /// The programs.
    pub program: Vec<Program>,
    /// The folder of the table, where its other files are.
    #[serde(skip)]
    pub folder: PathBuf,
}

impl Table {
    /// Reads a table, and those that it names.
    ///
    /// # Errors
    /// [`Error::File`] or [`Error::Syntax`] if one cannot be read; [`Error::Parameter`] for what cannot be.
    pub fn read(path: &Path) -> Result<Table> {
        let mut table: Table = parsed(path)?;
        table.folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        for file in &table.more {
            table.program.extend(parsed::<More>(&table.folder.join(file))?.program);
        }
        table.program.sort_by(|one, other| one.name.cmp(&other.name));
        table.server.check()?;
        table.program.iter().try_for_each(Program::check)?;
        match table.program.windows(2).find(|pair| pair[0].name == pair[1].name) {
            Some(pair) => Err(Error::parameter("program.name", &pair[0].name, "must be that of one program")),
            None => Ok(table),
        }
    }

    /// The programs of these names, in their order; all if there is no name.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a name that none has.
    pub fn chosen(&self, names: &[String]) -> Result<Vec<&Program>> {
        if let Some(name) = names.iter().find(|name| self.program.iter().all(|program| program.name != **name)) {
            let all: Vec<&str> = self.program.iter().map(|program| program.name.as_str()).collect();
            return Err(Error::parameter("program", name, format!("must be one of {}", all.join(", "))));
        }
        Ok(self.program.iter().filter(|program| names.is_empty() || names.contains(&program.name)).collect())
    }
}
