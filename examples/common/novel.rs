//! The text that examples of the compute cache work on.

use std::path::Path;

use bitline::error::{Error, Result};
use bitline::sim::units::compute_cache::apps::words::split;

/// The words of the novel that `scripts/photos.sh` fetches, or else of its first chapter; and what to call it.
pub fn novel(words: usize) -> Result<(Vec<String>, &'static str)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let whole = root.join("target/data/novel.txt");
    let (path, name) = if whole.exists() {
        (whole, "the novel")
    } else {
        (root.join("examples/data/novel.txt"), "the novel's first chapter (`sh scripts/photos.sh` fetches all of it)")
    };
    let text = std::fs::read_to_string(&path).map_err(|e| Error::file(&path, e))?;
    let mut all = split(&text);
    all.truncate(words);
    Ok((all, name))
}
