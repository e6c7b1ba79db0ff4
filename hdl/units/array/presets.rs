//! Named parameter sets, and configuration files that build on them.
//!
//! A configuration file is TOML. Its keys are those of [`Params`]; `base` names a preset that fills in what the file
//! leaves out, and without `name` the design is called after the file:
//!
//! ```toml
//! base = "default"
//! columns = 128
//! latches = ["hold", "predicate"]
//! ```

use std::path::Path;

use serde::Deserialize;

use crate::array::isa::{Set, custom};
use crate::array::params::{Latch, Memory, MemoryPort, Params, Sensing};
use crate::config_file::{self, Keys};
use crate::error::{Error, Result};

/// A named parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Name on the command line and in headers.
    pub name: &'static str,
    /// One line that says what it is for.
    pub summary: &'static str,
    rows: usize,
    columns: usize,
    sensing: Sensing,
    memory: Memory,
    latches: &'static [Latch],
    sets: &'static [Set],
    command_fifo: usize,
    memory_port: MemoryPort,
}

/// Every preset.
pub const PRESETS: [Preset; 3] = [
    Preset {
        name: "tiny",
        summary: "32 rows x 8 columns: the small twin of default, for quick looks and slow simulators",
        rows: 32,
        columns: 8,
        sensing: Sensing::TwoPort,
        memory: Memory::BlockRam,
        latches: &[Latch::Hold, Latch::Predicate],
        sets: &[Set::Fast, Set::Skip],
        command_fifo: 2,
        memory_port: MemoryPort::None,
    },
    Preset {
        name: "default",
        summary: "512 rows x 256 columns on block RAM, both bits of two rows visible: for FPGAs",
        rows: 512,
        columns: 256,
        sensing: Sensing::TwoPort,
        memory: Memory::BlockRam,
        latches: &[Latch::Hold, Latch::Predicate],
        sets: &[Set::Fast, Set::Skip],
        command_fifo: 8,
        memory_port: MemoryPort::None,
    },
    Preset {
        name: "paper",
        summary: "256 rows x 256 columns of 6T cells, AND and NOR sensing, with the papers' own algorithms",
        rows: 256,
        columns: 256,
        sensing: Sensing::AndNor,
        memory: Memory::Behavioural,
        latches: &[Latch::Hold, Latch::Delay],
        sets: &Set::ALL,
        command_fifo: 8,
        memory_port: MemoryPort::None,
    },
];

impl Preset {
    /// Its parameters.
    pub fn params(&self) -> Params {
        Params {
            name: self.name.into(),
            rows: self.rows,
            columns: self.columns,
            sensing: self.sensing,
            memory: self.memory,
            latches: self.latches.to_vec(),
            sets: self.sets.to_vec(),
            command_fifo: self.command_fifo,
            memory_port: self.memory_port,
            float: false,
            radix: 2,
            custom: Vec::new(),
            exception_flags: false,
            unpacked: false,
        }
    }
}

/// The parameters of a preset.
///
/// # Errors
/// [`Error::Parameter`] if there is no such preset.
pub fn preset(name: &str) -> Result<Params> {
    find("preset", name).map(|p| p.params())
}

fn find(key: &str, name: &str) -> Result<&'static Preset> {
    PRESETS.iter().find(|p| p.name == name).ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
        Error::parameter(key, name, format!("must be one of {}", names.join(", ")))
    })
}

/// Keys of a configuration file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    base: Option<String>,
    name: Option<String>,
    rows: Option<usize>,
    columns: Option<usize>,
    sensing: Option<Sensing>,
    memory: Option<Memory>,
    latches: Option<Vec<Latch>>,
    sets: Option<Vec<Set>>,
    command_fifo: Option<usize>,
    memory_port: Option<MemoryPort>,
    float: Option<bool>,
    radix: Option<u8>,
    exception_flags: Option<bool>,
    unpacked: Option<bool>,
    custom: Option<Vec<String>>,
}

/// The parameters that a configuration file describes, checked.
///
/// # Errors
/// [`Error::File`] if it cannot be read; [`Error::Syntax`] naming line, key, value and rule if it is wrong.
pub fn load(path: &Path) -> Result<Params> {
    config_file::load(path, parse)
}

/// The parameters that the text of a configuration file describes, checked. `origin` stands in messages; `stem` is what
/// the design is called if the text does not say.
///
/// # Errors
/// As [`load`].
pub fn parse(text: &str, origin: &str, stem: &str) -> Result<Params> {
    config_file::keys::<Config>(text, origin)?.params(&Keys::of(text, origin), stem, MemoryPort::None)
}

impl Config {
    /// The parameters, checked, with this memory port unless file or preset name one that is another than none.
    pub(crate) fn params(self, keys: &Keys<'_>, stem: &str, port: MemoryPort) -> Result<Params> {
        let base = match &self.base {
            None => None,
            Some(name) => Some(find("base", name).map_err(|e| keys.placed(e))?.params()),
        };
        let given = base.as_ref();
        let missing = |key| move || keys.missing(key);
        let custom = self.custom.iter().flatten().map(|name| custom::named(name));
        let params = Params {
            name: self.name.unwrap_or_else(|| legal_name(stem)),
            rows: self.rows.or(given.map(|b| b.rows)).ok_or_else(missing("rows"))?,
            columns: self.columns.or(given.map(|b| b.columns)).ok_or_else(missing("columns"))?,
            sensing: self.sensing.or(given.map(|b| b.sensing)).ok_or_else(missing("sensing"))?,
            memory: self.memory.or(given.map(|b| b.memory)).ok_or_else(missing("memory"))?,
            latches: self.latches.or(given.map(|b| b.latches.clone())).ok_or_else(missing("latches"))?,
            sets: self.sets.or(given.map(|b| b.sets.clone())).ok_or_else(missing("sets"))?,
            command_fifo: self.command_fifo.or(given.map(|b| b.command_fifo)).ok_or_else(missing("command_fifo"))?,
            memory_port: self
                .memory_port
                .or(given.map(|b| b.memory_port).filter(|&preset| preset != MemoryPort::None))
                .unwrap_or(port),
            float: self.float.unwrap_or(given.is_some_and(|b| b.float)),
            radix: self.radix.or(given.map(|b| b.radix)).unwrap_or(2),
            exception_flags: self.exception_flags.unwrap_or(given.is_some_and(|b| b.exception_flags)),
            unpacked: self.unpacked.unwrap_or(given.is_some_and(|b| b.unpacked)),
            custom: custom.collect::<Result<_>>().map_err(|e| keys.placed(e))?,
        };
        params.check().map_err(|e| keys.placed(e))?;
        Ok(normal(params))
    }
}

/// The order of latches, sets and custom operations says nothing: equal designs have equal parameters.
fn normal(mut params: Params) -> Params {
    params.latches.sort_unstable();
    params.sets.sort_unstable();
    params.custom.sort_unstable();
    params
}

/// A file's stem, or the name of the design that has the array in it, as an array's name.
pub(crate) fn legal_name(stem: &str) -> String {
    let legal = |c: char| {
        if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }
    };
    stem.chars().take(32).map(legal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::isa::operation::{Context, Operation};

    #[test]
    fn presets_are_legal_and_have_the_latches_of_all_their_operations() {
        for preset in &PRESETS {
            let params = preset.params();
            params.check().expect(preset.name);
            assert_eq!(normal(params.clone()), params, "{}: in normal order", preset.name);
            for &set in &params.sets {
                for opcode in params.opcodes() {
                    for latch in Operation::of(opcode, Context::of(&params, set)).latches() {
                        assert!(params.has(*latch), "{}: {opcode}.{set} needs {latch:?}", preset.name);
                    }
                }
            }
        }
    }

    #[test]
    fn a_file_changes_what_it_names() {
        let params = parse("base = \"default\"\ncolumns = 64\n", "f", "My-Design").unwrap();
        assert_eq!(params, Params { name: "my_design".into(), columns: 64, ..preset("default").unwrap() });
        let text = "name = \"x\"\nrows = 12\ncolumns = 8\nsensing = \"and_nor\"\nmemory = \"behavioural\"\n\
                    latches = [\"delay\", \"hold\"]\nsets = [\"baseline\", \"fast\"]\ncommand_fifo = 4\n";
        let params = parse(text, "f", "s").unwrap();
        assert_eq!((params.rows, params.latches, params.sets[0]), (12, vec![Latch::Hold, Latch::Delay], Set::Fast));
    }

    #[test]
    fn errors_name_file_line_key_value_and_rule() {
        let cases: [(&str, &[&str]); 16] = [
            ("base = \"default\"\nrowz = 3\n", &["f, line 2", "rowz", "unknown field", "command_fifo"]),
            ("base = \"default\"\ncolumns = 7\n", &["f, line 2", "columns = 7", "must be one of"]),
            ("base = \"default\"\n\nrows = 0\n", &["f, line 3", "rows = 0", "8 to 1024"]),
            ("base = \"default\"\nrows = 100\n", &["f, line 2", "rows = 100", "power of two"]),
            ("base = \"default\"\nrows = -1\n", &["f, line 2", "rows = -1"]),
            ("base = \"dafault\"\n", &["f, line 1", "base = dafault", "tiny, default, paper"]),
            ("rows = 32\n", &["f", "columns: missing"]),
            ("base = \"tiny\"\nsensing = \"dual\"\n", &["f, line 2", "dual", "two_port"]),
            ("base = \"tiny\"\nsets = []\n", &["f, line 2", "sets", "at least one"]),
            ("base = \"tiny\"\nlatches = [\"hold\", \"hold\"]\n", &["f, line 2", "latches", "at most once"]),
            ("base = \"tiny\nrows = 3", &["f, line 1"]),
            ("base = \"tiny\"\nradix = 8\n", &["f, line 2", "radix = 8", "2 or 4"]),
            ("base = \"paper\"\nradix = 4\n", &["f, line 2", "radix = 4", "two_port"]),
            ("base = \"tiny\"\nexception_flags = true\n", &["f, line 2", "exception_flags = true", "float"]),
            ("base = \"tiny\"\nunpacked = true\n", &["f, line 2", "unpacked = true", "float"]),
            ("base = \"tiny\"\nradix = 4\nlatches = [\"delay\"]\n", &["f, line 3", "latches = delay", "second adder"]),
        ];
        for (text, parts) in cases {
            let message = parse(text, "f", "s").expect_err(text).to_string();
            assert!(!message.contains('\n'), "one line: {message}");
            for part in parts {
                assert!(message.contains(part), "{part:?} in {message:?}");
            }
        }
        // The value is the preset's, so there is no line to name.
        let text = "base = \"paper\"\nrows = 250\n";
        assert_eq!(parse(text, "f", "s").unwrap().rows, 250);
        let message = parse("base = \"default\"\nname = \"A b\"\n", "f", "s").unwrap_err().to_string();
        assert!(message.contains("f, line 2: name = A b"), "{message}");
    }
}
