//! Geometries of compute caches: parameters, their rules, presets and files.

use std::path::Path;

use crate::compute_cache::{MOST_BANKS, MOST_BLOCKS, MOST_INSTRUCTIONS, MOST_LOCAL};
use crate::config_file::{self, Keys};
use crate::error::{Error, Result};

/// Keys of a file that describes a geometry.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    base: Option<String>,
    name: Option<String>,
    block_bytes: Option<usize>,
    banks: Option<usize>,
    sub_arrays: Option<usize>,
    partitions: Option<usize>,
    rows: Option<usize>,
    instructions: Option<usize>,
    issue: Option<usize>,
}

/// Parameters of a compute cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheGeometry {
    /// Name in headers and messages.
    #[serde(default)]
    pub name: String,
    /// Bytes of a block: 64, or 8 for small tests.
    pub block_bytes: usize,
    /// Banks: 1 to [`MOST_BANKS`].
    pub banks: usize,
    /// Sub-arrays of a bank: 1 to 16.
    pub sub_arrays: usize,
    /// Block partitions of a sub-array, which is blocks in a row: 1 to 16.
    pub partitions: usize,
    /// Rows of a sub-array.
    pub rows: usize,
    /// Instructions that the table holds: 2, 4 or 8.
    pub instructions: usize,
    /// Block operations that may start in one cycle, at most one in each bank.
    pub issue: usize,
}

/// Named geometries: name, what it is, and block bytes, banks, sub-arrays, partitions, rows, instructions, issue.
pub const CACHE_PRESETS: [(&str, &str, [usize; 7]); 4] = [
    ("l3_slice", "2 MiB: 16 banks of 4 sub-arrays, as the papers' slice of an L3", [64, 16, 4, 1, 512, 8, 16]),
    ("l2", "256 KiB: 8 banks of 2 sub-arrays", [64, 8, 2, 1, 256, 8, 8]),
    ("l1", "32 KiB: 2 banks of 1 sub-array of 2 partitions", [64, 2, 1, 2, 128, 8, 2]),
    ("tiny", "256 bytes in blocks of 8: for tests and quick looks", [8, 2, 2, 2, 4, 4, 2]),
];

impl CacheGeometry {
    /// The geometry of this name.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is none.
    pub fn preset(name: &str) -> Result<CacheGeometry> {
        let Some((name, _, sizes)) = CACHE_PRESETS.iter().find(|preset| preset.0 == name) else {
            let names = CACHE_PRESETS.map(|preset| preset.0).join(", ");
            return Err(Error::parameter("geometry", name, format!("must be one of {names}")));
        };
        let [block_bytes, banks, sub_arrays, partitions, rows, instructions, issue] = *sizes;
        let name = name.to_string();
        Ok(CacheGeometry { name, block_bytes, banks, sub_arrays, partitions, rows, instructions, issue })
    }

    /// The geometry that a TOML file describes, checked: keys of a [`CacheGeometry`], and `base`, the preset whose
    /// values hold for those that are not there (`l2` if it is not there either). It is called as the file unless it
    /// says so.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read; the same or [`Error::Syntax`] with the line if it is wrong.
    pub fn load(path: &Path) -> Result<CacheGeometry> {
        config_file::load(path, CacheGeometry::parse)
    }

    /// The same from the text of a file that messages call `origin`.
    ///
    /// # Errors
    /// As [`CacheGeometry::load`].
    pub fn parse(text: &str, origin: &str, stem: &str) -> Result<CacheGeometry> {
        let file: File = config_file::keys(text, origin)?;
        let placed = |e| Keys::of(text, origin).placed(e);
        let base = CacheGeometry::preset(file.base.as_deref().unwrap_or("l2")).map_err(|e| placed(e.about("base")))?;
        let geometry = CacheGeometry {
            name: config_file::name(file.name, stem).map_err(placed)?,
            block_bytes: file.block_bytes.unwrap_or(base.block_bytes),
            banks: file.banks.unwrap_or(base.banks),
            sub_arrays: file.sub_arrays.unwrap_or(base.sub_arrays),
            partitions: file.partitions.unwrap_or(base.partitions),
            rows: file.rows.unwrap_or(base.rows),
            instructions: file.instructions.unwrap_or(base.instructions),
            issue: file.issue.or(file.banks).unwrap_or(base.issue),
        };
        geometry.check().map_err(placed)?;
        Ok(geometry)
    }

    /// Checks it.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the first that breaks its rule.
    pub fn check(&self) -> Result<()> {
        if ![8, 64].contains(&self.block_bytes) {
            return Err(Error::parameter("block_bytes", self.block_bytes, "must be 8 or 64"));
        }
        let sizes = [
            ("banks", self.banks, 1, MOST_BANKS),
            ("sub_arrays", self.sub_arrays, 1, 16),
            ("partitions", self.partitions, 1, 16),
            ("rows", self.rows, 2, 1024),
            ("instructions", self.instructions, 2, MOST_INSTRUCTIONS),
            ("issue", self.issue, 1, self.banks),
        ];
        for (name, value, least, most) in sizes {
            if !value.is_power_of_two() || !(least..=most).contains(&value) {
                let rule = format!("must be a power of two from {least} to {most}");
                return Err(Error::parameter(name, value, rule));
            }
        }
        if self.blocks() > MOST_BLOCKS || self.rows * self.partitions > MOST_LOCAL {
            let rule = format!(
                "must leave at most {MOST_BLOCKS} blocks in all and {MOST_LOCAL} in a sub-array; {}",
                self.blocks()
            );
            return Err(Error::parameter("rows", self.rows, rule));
        }
        Ok(())
    }

    /// Block partitions in all.
    pub fn places(&self) -> usize {
        self.banks * self.sub_arrays * self.partitions
    }

    /// Blocks in all.
    pub fn blocks(&self) -> usize {
        self.places() * self.rows
    }

    /// Bytes in all.
    pub fn bytes(&self) -> usize {
        self.blocks() * self.block_bytes
    }

    /// Operands whose addresses agree modulo this many bytes share their block partitions.
    pub fn page(&self) -> usize {
        self.places() * self.block_bytes
    }

    /// 64-bit words of a block.
    pub fn words(&self) -> usize {
        self.block_bytes / 8
    }
}
