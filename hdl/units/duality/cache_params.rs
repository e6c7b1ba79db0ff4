//! Parameters of the cache ways of a slice: rules and what follows from them.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Bytes of a line.
pub const LINE_BYTES: usize = 64;
/// Words of 64 bits of a line, each a beat of the bus.
pub const LINE_WORDS: usize = 8;
/// Bits of a line's number: an address without the byte in the line.
pub const LINE_BITS: usize = 26;
/// Bits of a word's number: an address without the byte in the word.
pub const AT_BITS: usize = LINE_BITS + 3;

/// Parameters of the cache ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheParams {
    /// Ways: 1 to 20.
    pub ways: usize,
    /// Sets of each way: a power of two from 4 to 4096.
    pub sets: usize,
    /// Lines that can be fetched at the same time: 16, 32 or 64.
    pub mshr: usize,
    /// Lines can be written as a whole, for operations on lines.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lines: bool,
}

/// Whether something that is left out where it is false is.
pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

impl CacheParams {
    /// Refuses parameters that no cache can have.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the first rule broken.
    pub fn check(&self) -> Result<()> {
        if !(1..=20).contains(&self.ways) {
            return Err(Error::parameter("ways", self.ways, "must be 1 to 20"));
        }
        if !self.sets.is_power_of_two() || !(4..=4096).contains(&self.sets) {
            return Err(Error::parameter("sets", self.sets, "must be a power of two from 4 to 4096"));
        }
        if ![16, 32, 64].contains(&self.mshr) {
            return Err(Error::parameter("mshr", self.mshr, "must be one of 16, 32, 64"));
        }
        Ok(())
    }

    /// log2 of the sets.
    pub fn set_bits(&self) -> usize {
        self.sets.ilog2() as usize
    }

    /// Bits of a tag.
    pub fn tag_bits(&self) -> usize {
        LINE_BITS - self.set_bits()
    }

    /// Leaves of the tree that knows the order of accesses to a set: a power of two, at least 2.
    pub fn leaves(&self) -> usize {
        self.ways.next_power_of_two().max(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_name_parameter_value_and_rule() {
        let params = CacheParams { ways: 4, sets: 256, mshr: 16, lines: false };
        params.check().expect("legal");
        assert_eq!((params.set_bits(), params.tag_bits(), params.leaves()), (8, 18, 4));
        for (params, message) in [
            (CacheParams { ways: 0, ..params }, "ways = 0: must be 1 to 20"),
            (CacheParams { ways: 21, ..params }, "ways = 21: must be 1 to 20"),
            (CacheParams { sets: 2, ..params }, "sets = 2: must be a power of two from 4 to 4096"),
            (CacheParams { sets: 96, ..params }, "sets = 96: must be a power of two from 4 to 4096"),
            (CacheParams { mshr: 8, ..params }, "mshr = 8: must be one of 16, 32, 64"),
        ] {
            assert_eq!(params.check().expect_err(message).to_string(), message);
        }
    }
}
