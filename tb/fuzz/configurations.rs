//! Configuration files that are nearly right: what is accepted keeps all rules.

use bitline::ccs::CcsGeometry;
use bitline::compute_cache::CacheGeometry;
use bitline::presets;
use bitline::system::SystemParams;
use proptest::prelude::*;

use super::{Effort, edited, edits, hold, is_told};

/// A file of each kind with every key.
const ARRAY: &str = "name = \"mine\"\nbase = \"default\"\nrows = 128\ncolumns = 64\nsensing = \"and_nor\"\nmemory = \
                     \"behavioural\"\nlatches = [\"hold\", \"delay\"]\nsets = [\"fast\", \"skip\"]\ncommand_fifo = \
                     4\nmemory_port = \
                     \"none\"\n";
const SYSTEM: &str = "base = \"small\"\nname = \"mine\"\nclock_mhz = 150\nbaud = 1000000\ntimeout_bits = \
                      65536\narray_memory_words = 4096\nccs_memory_lines = 128\nduality_memory_words = \
                      2048\n\n[array]\nbase = \
                      \"default\"\ncolumns = 128\nrows = \
                      256\n\n[ccs]\nbase = \"tiny\"\nlanes = 8\n\n[duality]\nbase = \"tiny\"\ncolumns = 16\n";
const CCS: &str = "base = \"small\"\nname = \"mine\"\nlanes = 16\nelement_bits = 16\nlines = 8\n";
const CACHE: &str = "base = \"l2\"\nname = \"mine\"\nblock_bytes = 64\nbanks = 4\nsub_arrays = 2\npartitions = \
2\nrows = \
                     64\ninstructions = 4\nissue = 2\n";

#[test]
fn configurations_that_are_nearly_right() {
    let tried = std::cell::RefCell::new([[0; 2]; 4]);
    hold(Effort { cases: 60_000 }, &(0..4usize, edits(4)), |(kind, edits)| {
        let text = edited([ARRAY, SYSTEM, CCS, CACHE][kind], &edits);
        let read = match kind {
            0 => presets::parse(&text, "f.toml", "f").map(|params| params.check()),
            1 => SystemParams::parse(&text, "f.toml", "f").map(|params| {
                // Clock and baud may still come from elsewhere: what is wrong is told, and not more.
                let _ = params.check();
                Ok(())
            }),
            2 => CcsGeometry::parse(&text, "f.toml", "f").map(|geometry| geometry.check()),
            _ => CacheGeometry::parse(&text, "f.toml", "f").map(|geometry| geometry.check()),
        };
        tried.borrow_mut()[kind][usize::from(read.is_ok())] += 1;
        match read {
            Ok(checked) => prop_assert!(checked.is_ok(), "{checked:?}"),
            Err(error) => is_told(&error.to_string(), "f.toml")?,
        }
        Ok(())
    });
    let tried = tried.into_inner();
    assert!(tried.iter().flatten().all(|&count| count > 30), "refused and accepted of each kind: {tried:?}");
}
