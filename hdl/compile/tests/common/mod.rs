//! The example kernels, for every test of this crate.

pub mod c;
pub mod c_judge;
pub mod launches;
pub mod loops;
pub mod outline;
pub mod random;
pub mod rare;
pub mod threads;
pub mod warps;

use std::path::PathBuf;

use bitline_compile::ptx::ast::Module;
use bitline_compile::ptx::parse;

/// The folder with the examples.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/cuda"))
}

/// Names and texts of all `.ptx` files there, in order.
pub fn texts() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder()).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    paths.sort();
    let text = |path: &PathBuf| std::fs::read_to_string(path).expect("text");
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), text(path))).collect()
}

/// One of them, read.
pub fn module(name: &str) -> Module {
    let text = std::fs::read_to_string(folder().join(name)).expect("the example is there");
    parse(name, &text).unwrap_or_else(|error| panic!("{error}"))
}
