//! Board systems from TOML files.
//!
//! ```toml
//! base = "small"            # the preset whose values hold for what is not here; "vc709" if it is not here either
//! name = "mine"             # else the file's name
//! clock_mhz = 150
//! baud = 1000000
//! timeout_bits = 65536
//! array_memory_words = 4096
//! ccs_memory_lines = 128
//! ccs = "tiny"              # a preset of the cache compute system, or a table of its keys
//! duality = "tiny"          # a Duality Cache, too: a preset of it, or a table of its keys
//! duality_memory_words = 8192
//!
//! [array]                   # keys of an array's configuration file, or the name of a preset
//! base = "default"
//! columns = 128
//! ```

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use crate::array::params::{MemoryPort, Params};
use crate::array::presets;
use crate::ccs::{CcsGeometry, geometry};
use crate::config_file::{self, Choice, Keys};
use crate::duality::{DualityParams, config};
use crate::error::{Error, Result};
use crate::system::{SystemDuality, SystemParams};

/// Words of 8 bytes in the Duality Cache's memory unless a file or its base says how many.
const DUALITY_MEMORY_WORDS: usize = 1 << 13;

/// Keys of a file that describes a board system.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    base: Option<String>,
    name: Option<String>,
    array: Option<Spanned<Choice<presets::Config>>>,
    array_memory_words: Option<usize>,
    ccs: Option<Spanned<Choice<geometry::File>>>,
    ccs_memory_lines: Option<usize>,
    duality: Option<Spanned<Choice<config::File>>>,
    duality_memory_words: Option<usize>,
    clock_mhz: Option<u32>,
    baud: Option<u32>,
    timeout_bits: Option<u32>,
}

impl SystemParams {
    /// The system that a TOML file describes; see the head of this file. It is not checked yet: clock and baud may
    /// still come from elsewhere.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read; [`Error::Syntax`] or [`Error::Parameter`] if it is wrong.
    pub fn load(path: &Path) -> Result<SystemParams> {
        config_file::load(path, SystemParams::parse)
    }

    /// The same from the text of a file that messages call `origin`; `stem` is its name if the text gives none.
    ///
    /// # Errors
    /// As [`SystemParams::load`].
    pub fn parse(text: &str, origin: &str, stem: &str) -> Result<SystemParams> {
        let file: File = config_file::keys(text, origin)?;
        let keys = Keys::of(text, origin);
        let placed = |e| keys.placed(e);
        let base =
            SystemParams::preset(file.base.as_deref().unwrap_or("vc709")).map_err(|e| placed(e.about("base")))?;
        let name = config_file::name(file.name, stem).map_err(placed)?;
        Ok(SystemParams {
            array: file.array.map_or(Ok(base.array), |unit| array(unit, keys, &name))?,
            array_memory_words: file.array_memory_words.unwrap_or(base.array_memory_words),
            ccs: file.ccs.map_or(Ok(base.ccs), |unit| ccs(unit, keys, &name))?,
            ccs_memory_lines: file.ccs_memory_lines.unwrap_or(base.ccs_memory_lines),
            duality: with_memory(file.duality, base.duality, file.duality_memory_words, keys, &name)?,
            clock_mhz: file.clock_mhz.unwrap_or(base.clock_mhz),
            baud: file.baud.unwrap_or(base.baud),
            timeout_bits: file.timeout_bits.unwrap_or(base.timeout_bits),
            name,
        })
    }
}

fn array(unit: Spanned<Choice<presets::Config>>, keys: Keys<'_>, name: &str) -> Result<Params> {
    let keys = keys.below("array", unit.span().start);
    match unit.into_inner() {
        Choice::Preset(name) => {
            let preset = presets::preset(&name).map_err(|e| keys.placed(e))?;
            Ok(Params { memory_port: MemoryPort::Axi64, ..preset })
        }
        Choice::Keys(config) => config.params(&keys, name, MemoryPort::Axi64),
    }
}

fn ccs(unit: Spanned<Choice<geometry::File>>, keys: Keys<'_>, name: &str) -> Result<CcsGeometry> {
    let keys = keys.below("ccs", unit.span().start);
    match unit.into_inner() {
        Choice::Preset(name) => CcsGeometry::preset(&name).map_err(|e| keys.placed(e)),
        Choice::Keys(file) => CcsGeometry::of(file, &keys, name),
    }
}

/// The Duality Cache that a file or its base has, if one of them has any.
fn with_memory(
    unit: Option<Spanned<Choice<config::File>>>,
    base: Option<SystemDuality>,
    memory_words: Option<usize>,
    keys: Keys<'_>,
    name: &str,
) -> Result<Option<SystemDuality>> {
    let unit = unit.map(|unit| duality(unit, keys, name)).transpose()?;
    let base_words = base.as_ref().map_or(DUALITY_MEMORY_WORDS, |base| base.memory_words);
    match (unit.or(base.map(|base| base.unit)), memory_words) {
        (Some(unit), words) => Ok(Some(SystemDuality { unit, memory_words: words.unwrap_or(base_words) })),
        (None, None) => Ok(None),
        (None, Some(words)) => {
            let rule = "is the memory of a Duality Cache: give `duality`, or `base` with a preset that has one";
            Err(keys.placed(Error::parameter("duality_memory_words", words, rule)))
        }
    }
}

fn duality(unit: Spanned<Choice<config::File>>, keys: Keys<'_>, name: &str) -> Result<DualityParams> {
    let keys = keys.below("duality", unit.span().start);
    match unit.into_inner() {
        Choice::Preset(name) => DualityParams::preset(&name).map_err(|e| keys.placed(e)),
        Choice::Keys(file) => DualityParams::of(file, &keys, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_changes_what_it_names() {
        let base = SystemParams::preset("vc709").unwrap();
        let made = SystemParams::parse("", "f.toml", "My system").unwrap();
        assert_eq!(made, SystemParams { name: "My_system".into(), ..base });
        let text = "base = \"tiny\"\nname = \"x\"\nclock_mhz = 100\nbaud = 1000000\ntimeout_bits = \
                    128\narray_memory_words = 1024\n\
                    ccs = \"small\"\nccs_memory_lines = 32\n[array]\nbase = \"tiny\"\ncolumns = 16\n";
        let made = SystemParams::parse(text, "f.toml", "f").unwrap();
        made.check().unwrap();
        assert_eq!((made.array.columns, made.array.rows, made.array.memory_port), (16, 32, MemoryPort::Axi64));
        assert_eq!((made.ccs.lanes, made.ccs_memory_lines, made.array_memory_words), (16, 32, 1024));
        assert_eq!((made.name.as_str(), made.clock_mhz, made.baud, made.timeout_bits), ("x", 100, 1_000_000, 128));
        assert_eq!(made.duality, None);
        let text = "base = \"tiny\"\n[duality]\nbase = \"tiny\"\ncache_sets = 32\n";
        let duality = SystemParams::parse(text, "f.toml", "f").unwrap().duality.unwrap();
        assert_eq!((duality.unit.cache_sets, duality.unit.columns, duality.memory_words), (32, 8, 8192));
        assert_eq!(duality.unit.name, "f");
        let text = "base = \"duality\"\nduality = \"tiny\"\n";
        let duality = SystemParams::parse(text, "f.toml", "f").unwrap().duality.unwrap();
        assert_eq!((duality.unit.columns, duality.memory_words), (8, 1 << 17));
        let made = SystemParams::parse("base = \"duality-tiny\"\nduality_memory_words = 1024\n", "f.toml", "f");
        assert_eq!(made.unwrap().duality_memory_bits(), Some(13));
        let made = SystemParams::parse("array = \"tiny\"\n[ccs]\nlanes = 8\n", "f.toml", "f").unwrap();
        assert_eq!((made.array.columns, made.ccs.lanes), (8, 8));
    }

    #[test]
    fn errors_name_file_key_value_and_rule() {
        let cases: [(&str, &[&str]); 16] = [
            ("clock = 3\n", &["f.toml, line 1", "clock", "unknown field", "clock_mhz"]),
            ("\nclock_mhz = \"fast\"\n", &["f.toml, line 2", "fast"]),
            ("clock_mhz = -1\n", &["f.toml, line 1", "-1"]),
            ("base = \"paper\"\n", &["f.toml", "base = paper", "vc709, small, tiny"]),
            ("name = \"a b\"\n", &["f.toml", "name = a b"]),
            ("\narray = \"small\"\n", &["f.toml, line 2: ", "array: ", "preset = small", "tiny, default"]),
            (
                "name = \"columns\"\n[array]\nbase = \"tiny\"\ncolumns = 7\n",
                &["f.toml, line 4: array: ", "columns = 7", "must be one of"],
            ),
            ("[array]\nbase = \"tiny\"\n[ccs]\nlanes = 5\n", &["f.toml, line 4: ccs: lanes = 5"]),
            ("ccs = { lanes = 5 }\n", &["f.toml, line 1: ccs: lanes = 5"]),
            ("\n[array]\nrows = 32\n", &["f.toml, line 2: array: columns: missing"]),
            ("[array]\n\ncolums = 8\n", &["f.toml, line 3: ", "unknown field `colums`", "`columns`"]),
            ("\narray = 7\n", &["f.toml, line 2: ", "expected the name of a preset, or a table of keys"]),
            ("ccs = \"large\"\n", &["f.toml", "ccs: ", "geometry = large"]),
            ("\nduality = \"large\"\n", &["f.toml, line 2: duality: preset = large", "tiny, pair"]),
            ("[duality]\n\nbanks = 9\n", &["f.toml, line 3: duality: banks = 9: must be 1 to 4"]),
            ("duality_memory_words = 512\n", &["f.toml, line 1: duality_memory_words = 512: is the memory of a Dual"]),
        ];
        for (text, parts) in cases {
            let message = SystemParams::parse(text, "f.toml", "f").expect_err(text).to_string();
            assert!(!message.contains('\n'), "one line: {message}");
            for part in parts {
                assert!(message.contains(part), "{part:?} in {message:?}");
            }
        }
        let message = SystemParams::load(Path::new("/nonexistent/x.toml")).unwrap_err().to_string();
        assert!(message.contains("/nonexistent/x.toml"), "{message}");
    }
}
