//! Parameters of a slice with control blocks: rules, presets, hash.

use serde::{Deserialize, Serialize};

use crate::array::isa::Set;
use crate::array::params::{Latch, Memory, MemoryPort, Params, Sensing, is_two, two};
use crate::array::presets::legal_name;
use crate::duality::cache_params::{CacheParams, is_false};
use crate::error::{Error, Result};
use crate::regmap::fnv1a;

/// Arrays of a bank, each with an issue window of its own.
pub const SLOTS: usize = 4;
/// Most rows of an array.
pub const MOST_ROWS: usize = 512;
/// Most words of an instruction ring.
pub const MOST_RING: usize = 512;
/// Registers of the scalar unit, 32 bits each.
pub const SCALARS: usize = 32;
/// Row of every array that holds the launch mask: 1 where there is a thread.
pub const LAUNCH_ROW: u64 = 0;
/// Row of every array that holds the active mask: 1 where a thread takes part.
pub const ACTIVE_ROW: u64 = 1;
/// Rows from 0 on that mask words alone write.
pub const MASK_ROWS: u64 = 2;

/// Control blocks of a slice at most.
pub const MOST_BLOCKS: usize = 4;
/// Bits of a control block's number.
pub const BLOCK_BITS: usize = 2;

/// Bits of a word's number.
pub const PC_BITS: usize = 18;
/// Words that a program may have.
pub const MOST_INDEX: u64 = 1 << 16;

/// Parameters of a slice: control blocks, and the ways that they are and share.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DualityParams {
    /// Name in headers and messages.
    pub name: String,
    /// Threads of a bank: a power of two from 8 to 256.
    pub columns: usize,
    /// Banks of a control block: 1 to 4.
    pub banks: usize,
    /// Rows of an array: 256 or 512.
    pub rows: usize,
    /// Control blocks of the slice: 1 to 4.
    pub blocks: usize,
    /// Words of the instruction ring: a power of two from 16 to 512.
    pub ring: usize,
    /// Words that wait in each issue window: 2, 4 or 8.
    pub window: usize,
    /// Lines that the memory side can wait for: 16, 32 or 64.
    pub mshr: usize,
    /// Ways of the slice: 2 to 20, and one more than control blocks at least. Way k is control block k's, if there is
    /// one: it is a cache or a control block.
    pub cache_ways: usize,
    /// Sets of each cache way, lines of 64 bytes: a power of two from 4 to 4096.
    pub cache_sets: usize,
    /// Arrays have floating-point operations.
    pub float: bool,
    /// Micro-program sets of the arrays.
    pub sets: Vec<Set>,
    /// Bits of a multiplier that their columns take in a cycle: 2 (one bit) or 4 (two bits). Designs with radix 2 are
    /// known by the same hash as ever.
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub radix: u8,
    /// Threads that the crossbar of each control block gives their bits in a cycle: a power of two, at most the
    /// columns, with which a row takes one cycle; 0 for a design without, which is known by the same hash as ever.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub crossbar: usize,
    /// Lines of the cache ways can be operands of Compute Cache operations.
    #[serde(default, skip_serializing_if = "is_false")]
    pub line_operations: bool,
}

/// Whether a design has no such part.
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Named parameters: name, what they are for, and columns, banks, blocks, rows, words of the ring, MSHR entries, cache
/// ways and their sets.
pub const DUALITY_PRESETS: [(&str, &str, [usize; 8]); 5] = [
    ("tiny", "8 threads in 1 bank: for tests and quick looks", [8, 1, 1, 256, 32, 16, 3, 16]),
    ("pair", "two control blocks of tiny's size", [8, 1, 2, 256, 32, 16, 6, 16]),
    ("small", "128 threads in 2 banks", [64, 2, 1, 256, 128, 16, 3, 64]),
    ("cb", "one control block of the paper: 1,024 threads in 4 banks", [256, 4, 1, 512, 512, 32, 5, 1024]),
    ("slice", "four control blocks of the paper", [256, 4, 4, 512, 512, 32, 12, 1024]),
];

impl DualityParams {
    /// The parameters of a preset.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is none of this name.
    pub fn preset(name: &str) -> Result<DualityParams> {
        let Some((name, _, numbers)) = DUALITY_PRESETS.iter().find(|preset| preset.0 == name) else {
            let names = DUALITY_PRESETS.map(|preset| preset.0).join(", ");
            return Err(Error::parameter("preset", name, format!("must be one of {names}")));
        };
        let [columns, banks, blocks, rows, ring, mshr, cache_ways, cache_sets] = *numbers;
        let sets = vec![Set::Fast, Set::Skip];
        let name = name.to_string();
        let float = true;
        let window = 4;
        Ok(DualityParams {
            name,
            columns,
            banks,
            rows,
            blocks,
            ring,
            window,
            mshr,
            cache_ways,
            cache_sets,
            float,
            sets,
            radix: 2,
            crossbar: 0,
            line_operations: false,
        })
    }

    /// Refuses parameters that no design can have.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the first rule broken.
    pub fn check(&self) -> Result<()> {
        for (name, value, least, most) in [
            ("columns", self.columns, 8, 256),
            ("ring", self.ring, 16, MOST_RING),
            ("cache_sets", self.cache_sets, 4, 4096),
        ] {
            if !value.is_power_of_two() || !(least..=most).contains(&value) {
                return Err(Error::parameter(name, value, format!("must be a power of two from {least} to {most}")));
            }
        }
        for (name, value, least, most) in [
            ("banks", self.banks, 1, 4),
            ("blocks", self.blocks, 1, MOST_BLOCKS),
            ("cache_ways", self.cache_ways, 2, 20),
        ] {
            if !(least..=most).contains(&value) {
                return Err(Error::parameter(name, value, format!("must be {least} to {most}")));
            }
        }
        if self.cache_ways <= self.blocks {
            let rule = format!("must be more than blocks = {}: some way is a cache always", self.blocks);
            return Err(Error::parameter("cache_ways", self.cache_ways, rule));
        }
        for (name, value, legal) in [
            ("rows", self.rows, &[256, MOST_ROWS][..]),
            ("window", self.window, &[2, 4, 8]),
            ("mshr", self.mshr, &[16, 32, 64]),
        ] {
            if !legal.contains(&value) {
                let legal: Vec<String> = legal.iter().map(usize::to_string).collect();
                return Err(Error::parameter(name, value, format!("must be one of {}", legal.join(", "))));
            }
        }
        if self.crossbar > 0 && (!self.crossbar.is_power_of_two() || self.crossbar > self.columns) {
            let rule = format!("must be 0 or a power of two of at most columns = {}", self.columns);
            return Err(Error::parameter("crossbar", self.crossbar, rule));
        }
        self.array().check()
    }

    /// The member arrays.
    pub fn array(&self) -> Params {
        Params {
            name: legal_name(&self.name),
            rows: self.rows,
            columns: self.columns,
            sensing: Sensing::TwoPort,
            memory: Memory::BlockRam,
            latches: vec![Latch::Hold, Latch::Predicate],
            sets: self.sets.clone(),
            command_fifo: 2,
            memory_port: MemoryPort::None,
            float: self.float,
            radix: self.radix,
            custom: Vec::new(),
            exception_flags: false,
            unpacked: false,
        }
    }

    /// The cache ways.
    pub fn cache(&self) -> CacheParams {
        CacheParams { ways: self.cache_ways, sets: self.cache_sets, mshr: self.mshr, lines: self.line_operations }
    }

    /// Ports of the cache ways: those of memory units, of launch units, of a processor, and of operations on lines.
    pub fn ports(&self) -> usize {
        2 * self.blocks + 1 + usize::from(self.line_operations)
    }

    /// Refuses a number of arrays that a launch cannot give to a thread.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check_arrays(arrays: usize) -> Result<()> {
        if [1, 2, SLOTS].contains(&arrays) {
            return Ok(());
        }
        Err(Error::parameter("arrays", arrays, "a thread has 1, 2 or 4 arrays"))
    }

    /// Threads of a control block when each has so many arrays: 1, 2 or 4.
    pub fn threads(&self, arrays: usize) -> usize {
        self.columns * self.banks * (SLOTS / arrays)
    }

    /// The configuration hash: what program files name the design by that they were made for. The name is no part of
    /// it, and neither is what programs cannot see.
    pub fn hash(&self) -> u64 {
        let mut seen = serde_json::json!({
            "columns": self.columns, "banks": self.banks, "rows": self.rows, "ring": self.ring,
            "float": self.float, "sets": self.sets,
        });
        if self.radix != 2 {
            seen["radix"] = self.radix.into();
        }
        // How many threads it serves at a time is nothing that programs see.
        if self.crossbar > 0 {
            seen["crossbar"] = true.into();
        }
        fnv1a(seen.to_string().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_legal() {
        for (name, _, _) in DUALITY_PRESETS {
            let params = DualityParams::preset(name).expect(name);
            params.check().expect(name);
            assert_eq!(params.threads(1), 4 * params.threads(4), "{name}");
        }
        let cb = DualityParams::preset("cb").expect("it is there");
        assert_eq!((cb.threads(4), cb.threads(2), cb.threads(1)), (1024, 2048, 4096), "the paper's 1,024");
        let slice = DualityParams::preset("slice").expect("it is there");
        assert_eq!(cb.hash(), slice.hash(), "programs run on either");
        assert_ne!(cb.hash(), DualityParams { rows: 256, ..cb.clone() }.hash());
        let [one, all] = [1, 256].map(|crossbar| DualityParams { crossbar, ..cb.clone() });
        assert_eq!(one.hash(), all.hash(), "programs run on either");
        assert_ne!(one.hash(), cb.hash());
    }

    #[test]
    fn rules_name_parameter_value_and_rule() {
        let tiny = DualityParams::preset("tiny").expect("it is there");
        for (params, message) in [
            (DualityParams { columns: 12, ..tiny.clone() }, "columns = 12: must be a power of two from 8 to 256"),
            (DualityParams { columns: 512, ..tiny.clone() }, "columns = 512: must be a power of two from 8 to 256"),
            (DualityParams { banks: 5, ..tiny.clone() }, "banks = 5: must be 1 to 4"),
            (DualityParams { blocks: 5, ..tiny.clone() }, "blocks = 5: must be 1 to 4"),
            (DualityParams { rows: 128, ..tiny.clone() }, "rows = 128: must be one of 256, 512"),
            (DualityParams { ring: 1024, ..tiny.clone() }, "ring = 1024: must be a power of two from 16 to 512"),
            (DualityParams { window: 3, ..tiny.clone() }, "window = 3: must be one of 2, 4, 8"),
            (DualityParams { mshr: 8, ..tiny.clone() }, "mshr = 8: must be one of 16, 32, 64"),
            (DualityParams { cache_ways: 21, ..tiny.clone() }, "cache_ways = 21: must be 2 to 20"),
            (
                DualityParams { blocks: 4, cache_ways: 4, ..tiny.clone() },
                "cache_ways = 4: must be more than blocks = 4: some way is a cache always",
            ),
            (DualityParams { cache_sets: 2, ..tiny.clone() }, "cache_sets = 2: must be a power of two from 4 to 4096"),
            (DualityParams { sets: vec![], ..tiny.clone() }, "sets = []: at least one micro-program set"),
            (
                DualityParams { crossbar: 3, ..tiny.clone() },
                "crossbar = 3: must be 0 or a power of two of at most columns = 8",
            ),
            (
                DualityParams { crossbar: 16, ..tiny.clone() },
                "crossbar = 16: must be 0 or a power of two of at most columns = 8",
            ),
        ] {
            assert_eq!(params.check().expect_err(message).to_string(), message);
        }
        let message = DualityParams::preset("big").expect_err("no such preset").to_string();
        assert_eq!(message, "preset = big: must be one of tiny, pair, small, cb, slice");
        assert!(DualityParams::check_arrays(3).is_err() && DualityParams::check_arrays(2).is_ok());
    }
}
