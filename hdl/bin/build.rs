//! Notes which sources the programs are built from: results of a regression belong to them.
//!
//! `BITLINE_COMMIT` is the commit; behind it, after a plus sign, a hash of what has been changed since, if anything
//! has; the version for sources without a repository, such as a published package.

use std::process::Command;

/// What programs are built from. Tests and documents do not count.
const SOURCES: [&str; 6] = ["hdl", "sim", "templates", "constraints", "Cargo.toml", "Cargo.lock"];

/// What git prints; nothing if it is not there or fails.
fn git(arguments: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then_some(output.stdout)
}

fn line(arguments: &[&str]) -> Option<String> {
    Some(String::from_utf8(git(arguments)?).ok()?.trim().to_string())
}

/// The commit, with a hash of what differs from it.
fn commit() -> Option<String> {
    let commit = line(&["rev-parse", "HEAD"])?;
    let among = |arguments: &[&'static str]| git(&[arguments, &["--"], &SOURCES].concat());
    let mut changed = among(&["diff", "HEAD", "--binary"])?;
    for path in String::from_utf8(among(&["ls-files", "--others", "--exclude-standard"])?).ok()?.lines() {
        changed.extend(path.as_bytes());
        changed.extend(std::fs::read(path).ok()?);
    }
    // 64-bit FNV-1a, as for configurations.
    let hash = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    Some(match changed.is_empty() {
        true => commit,
        false => format!("{commit}+{:016x}", changed.iter().fold(0xcbf2_9ce4_8422_2325, hash)),
    })
}

/// Goes to the root of the sources' repository. One that merely surrounds them is not theirs.
fn enter_repository() -> Option<()> {
    line(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    std::env::set_current_dir(line(&["rev-parse", "--show-toplevel"])?).ok()
}

fn main() {
    println!("cargo::rerun-if-changed=Cargo.toml");
    let mut built_from = format!("version {}", std::env::var("CARGO_PKG_VERSION").unwrap_or_default());
    if enter_repository().is_some() {
        let root = std::env::current_dir().unwrap_or_default();
        // The log grows with every commit and every change of branches.
        let log = line(&["rev-parse", "--git-path", "logs/HEAD"]).unwrap_or_default();
        for path in SOURCES.into_iter().chain([&*log]).map(|path| root.join(path)).filter(|path| path.exists()) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
        built_from = commit().unwrap_or(built_from);
    }
    println!("cargo::rustc-env=BITLINE_COMMIT={built_from}");
}
