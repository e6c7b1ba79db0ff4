//! Finding and running external programs, and a folder that keeps what they built.

use std::collections::hash_map::DefaultHasher;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{Error, Result};

/// An external program that is there.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it says about its version, in one line.
    pub version: String,
}

/// Looks for a program. If it is missing, says so loudly and returns `None`; with `CI=true` in the environment it
/// panics instead, so that no regression passes without its tools.
pub fn require(name: &str) -> Option<Tool> {
    let tool = find(name);
    if tool.is_none() {
        skip(&format!("{name} is not installed"));
    }
    tool
}

/// Whether tests do all that they can, which takes hours: with `BITLINE_DEEP=1` in the environment.
pub fn deep() -> bool {
    std::env::var("BITLINE_DEEP").as_deref() == Ok("1")
}

/// How often a test repeats something random: so often with `BITLINE_DEEP=1`, else a part of it.
pub fn some_of(all: usize, parts: usize) -> usize {
    if deep() { all } else { all.div_ceil(parts) }
}

/// Says loudly that something is missing; with `CI=true` in the environment it panics instead.
pub fn skip(what: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{what}, and CI=true forbids to skip what needs it");
    eprintln!("\n######## SKIP: {what}; what needs it was NOT checked ########\n");
}

/// Looks for a program in silence.
pub fn find(name: &str) -> Option<Tool> {
    let flag = if name == "verilator" || name.contains("++") { "--version" } else { "-V" };
    let output = Command::new(name).arg(flag).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(Tool { name: name.into(), version: text.lines().next().unwrap_or_default().trim().into() })
}

/// Runs a program in a folder; returns what it printed on either output.
///
/// # Errors
/// [`Error::Tool`] if it cannot be started or fails, with what it printed.
pub fn run(program: &str, arguments: &[&str], folder: &Path) -> Result<String> {
    let fail = |reason: String| Error::Tool { tool: program.into(), reason };
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| fail(format!("cannot be started: {e}")))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        Ok(text)
    } else {
        Err(fail(format!("{} in {}: {text}", output.status, folder.display())))
    }
}

/// The folder below the build's target folder where simulators are built.
pub fn cache_folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    target.join("tb")
}

/// A folder for what `files` and `key` build, named by their contents, inside of `parent`.
pub fn content_folder(parent: &Path, name: &str, files: &[(String, String)], key: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (files, key).hash(&mut hasher);
    parent.join(format!("{name}-{:016x}", hasher.finish()))
}

/// Makes a folder's contents once, whoever comes first, also across processes: `build` fills a temporary folder that is
/// then renamed. Whoever comes while it is made waits for it.
pub fn build_once(folder: &Path, build: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if folder.exists() {
        return Ok(());
    }
    let parent = folder.parent().expect("a folder in the cache has a parent");
    let fail = |path: &Path, e: std::io::Error| Error::file(path, e);
    std::fs::create_dir_all(parent).map_err(|e| fail(parent, e))?;
    // Released when the file is closed, by the end of the process too.
    let path = folder.with_extension("lock");
    let lock = File::create(&path).map_err(|e| fail(&path, e))?;
    // Where a file system has no locks, both build, and the first to be done wins.
    let _ = lock.lock();
    if folder.exists() {
        return Ok(());
    }
    let temporary = tempfile::Builder::new().prefix("build-").tempdir_in(parent).map_err(|e| fail(parent, e))?;
    build(temporary.path())?;
    match std::fs::rename(temporary.path(), folder) {
        Ok(()) => {
            // Moved away: there is nothing left to remove.
            let _ = temporary.keep();
            Ok(())
        }
        // Another process was faster, with the same contents.
        Err(_) if folder.exists() => Ok(()),
        Err(e) => Err(fail(folder, e)),
    }
}

/// Writes files into a folder.
pub fn write_files(folder: &Path, files: &[(String, String)]) -> Result<()> {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| Error::file(&path, e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn whoever_comes_while_it_is_made_waits() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let (folder, lock) = (parent.path().join("made"), parent.path().join("made.lock"));
        let (start, times) = (Barrier::new(4), AtomicUsize::new(0));
        let build = |work: &Path| {
            times.fetch_add(1, Ordering::Relaxed);
            let other = File::open(&lock).expect("it is there while something is made");
            assert!(other.try_lock().is_err(), "others wait");
            write_files(work, &[("file".into(), "text".into())])
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    start.wait();
                    build_once(&folder, build).unwrap_or_else(|e| panic!("{e}"));
                    assert!(folder.join("file").exists());
                });
            }
        });
        assert_eq!(times.into_inner(), 1);
    }
}
