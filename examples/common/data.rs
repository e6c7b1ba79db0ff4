//! Where the examples' data are.

use std::path::{Path, PathBuf};

use crate::common::say;

/// The real data of these names that `scripts/photos.sh` fetches, or else the small ones that come with the project.
pub fn data<const N: usize>(real: [&str; N], small: [&str; N]) -> [PathBuf; N] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = real.map(|name| root.join("target/data").join(name));
    if paths.iter().all(|path| path.exists()) {
        return paths;
    }
    say!("Real data are not there: `sh scripts/photos.sh` fetches them into target/data.");
    say!("Until then: small data made for this project, from examples/data.\n");
    small.map(|name| root.join("examples/data").join(name))
}
