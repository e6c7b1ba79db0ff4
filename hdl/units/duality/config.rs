//! Parameters of a slice from a TOML file.

use std::path::Path;

use serde::Deserialize;

use crate::array::isa::Set;
use crate::config_file::{self, Keys};
use crate::duality::params::DualityParams;
use crate::error::Result;

/// The preset whose values hold where a file gives none.
const BASE: &str = "small";

/// Keys of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    base: Option<String>,
    name: Option<String>,
    columns: Option<usize>,
    banks: Option<usize>,
    rows: Option<usize>,
    blocks: Option<usize>,
    ring: Option<usize>,
    window: Option<usize>,
    mshr: Option<usize>,
    cache_ways: Option<usize>,
    cache_sets: Option<usize>,
    float: Option<bool>,
    sets: Option<Vec<Set>>,
    radix: Option<u8>,
    crossbar: Option<usize>,
    line_operations: Option<bool>,
}

impl DualityParams {
    /// The parameters of a preset, or of a TOML file if the name ends in `.toml`.
    ///
    /// # Errors
    /// As [`DualityParams::preset`] and [`DualityParams::load`].
    pub fn named(name: &str) -> Result<DualityParams> {
        let path = Path::new(name);
        if path.extension().is_some_and(|extension| extension == "toml") {
            return DualityParams::load(path);
        }
        DualityParams::preset(name)
    }

    /// The parameters that a TOML file describes, checked: keys of [`DualityParams`], and `base`, the preset whose
    /// values hold for those that are not there (`small` if it is not there either). The design is called as the file
    /// unless it says so.
    ///
    /// # Errors
    /// [`Error::File`](crate::error::Error::File) if it cannot be read; the same or
    /// [`Error::Syntax`](crate::error::Error::Syntax) with the line if it is wrong.
    pub fn load(path: &Path) -> Result<DualityParams> {
        config_file::load(path, DualityParams::parse)
    }

    /// The same from the text of a file that messages call `origin`.
    ///
    /// # Errors
    /// As [`DualityParams::load`].
    pub fn parse(text: &str, origin: &str, stem: &str) -> Result<DualityParams> {
        let file: File = config_file::keys(text, origin)?;
        DualityParams::of(file, &Keys::of(text, origin), stem)
    }

    /// The parameters that these keys describe, which are those of a file or of a table in one.
    pub(crate) fn of(file: File, keys: &Keys<'_>, stem: &str) -> Result<DualityParams> {
        let placed = |e| keys.placed(e);
        let base = DualityParams::preset(file.base.as_deref().unwrap_or(BASE)).map_err(|e| placed(e.about("base")))?;
        let params = DualityParams {
            name: config_file::name(file.name, stem).map_err(placed)?,
            columns: file.columns.unwrap_or(base.columns),
            banks: file.banks.unwrap_or(base.banks),
            rows: file.rows.unwrap_or(base.rows),
            blocks: file.blocks.unwrap_or(base.blocks),
            ring: file.ring.unwrap_or(base.ring),
            window: file.window.unwrap_or(base.window),
            mshr: file.mshr.unwrap_or(base.mshr),
            cache_ways: file.cache_ways.unwrap_or(base.cache_ways),
            cache_sets: file.cache_sets.unwrap_or(base.cache_sets),
            float: file.float.unwrap_or(base.float),
            sets: file.sets.unwrap_or(base.sets),
            radix: file.radix.unwrap_or(base.radix),
            crossbar: file.crossbar.unwrap_or(base.crossbar),
            line_operations: file.line_operations.unwrap_or(base.line_operations),
        };
        params.check().map_err(placed)?;
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duality_files_change_a_preset() {
        let params = DualityParams::parse("base = \"tiny\"\ncache_sets = 64\n", "own.toml", "own").expect("legal");
        let tiny = DualityParams::preset("tiny").expect("it is there");
        assert_eq!(params, DualityParams { name: "own".into(), cache_sets: 64, ..tiny });
        // Names of arrays have no capital letters and no hyphens.
        let named = DualityParams::parse("base = \"tiny\"\n", "My-chip.toml", "My-chip").expect("legal");
        assert_eq!((&named.name[..], &named.array().name[..]), ("My-chip", "my_chip"));
        for (text, message) in [
            ("cache_sets = 3\n", "own.toml, line 1: cache_sets = 3: must be a power of two from 4 to 4096"),
            ("\nbase = \"huge\"\n", "own.toml, line 2: base = huge: must be one of tiny, pair, small, cb, slice"),
            ("radix = 8\n", "own.toml, line 1: radix = 8: must be 2 or 4"),
            (
                "base = \"tiny\"\ncrossbar = 9\n",
                "own.toml, line 2: crossbar = 9: must be 0 or a power of two of at most columns = 8",
            ),
            ("name = \"a b\"\n", "own.toml, line 1: name = a b: must be 1 to 32 letters, digits, _ and -"),
        ] {
            assert_eq!(DualityParams::parse(text, "own.toml", "own").expect_err(text).to_string(), message);
        }
        assert_eq!(DualityParams::named("tiny").expect("a preset"), DualityParams::preset("tiny").expect("a preset"));
        assert!(DualityParams::named("no/such.toml").expect_err("no file").to_string().contains("no/such.toml"));
        assert!(DualityParams::parse("bank = 2\n", "own.toml", "own").is_err(), "no such key");
    }
}
