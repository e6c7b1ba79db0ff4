//! Arguments of any kind for the three programs, and runs that are killed: no panic, no other status than 0, 1 and 2,
//! and never half a result.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bitline::sim::external::tool::deep;
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{names, text, write};
use crate::fuzz::hold::{Effort, hold};

/// A program with arguments. None of the words below starts something that takes long, or that writes elsewhere.
fn command(program: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bitline"));
    command.arg(program);
    command
}

/// What arguments are made of.
const WORDS: [&str; 56] = [
    "run",
    "help-format",
    "help-operations",
    "scaling",
    "info",
    "read",
    "write",
    "load",
    "store",
    "launch",
    "ports",
    "help",
    "--help",
    "--version",
    "--preset",
    "tiny",
    "paper",
    "huge",
    "--config",
    "p.bl",
    "bad.bl",
    "my.toml",
    "/dev/zero",
    ".",
    "-",
    "--out",
    "new",
    "--wave",
    "w.vcd",
    "w.fst",
    "--all-rows",
    "--format",
    "json",
    "text",
    "--seed",
    "0x10",
    "-1",
    "99999999999999999999",
    "--engine",
    "model",
    "--target",
    "generic",
    "vc709",
    "--unit",
    "ccs",
    "--dry-run",
    "--clock",
    "100",
    "--baud",
    "--port",
    "/dev/ttyNONE7",
    "array-memory",
    "ADDVV",
    "--length",
    "--constant",
    "\u{1b}[2J",
];

#[test]
fn fuzz_arguments() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "p.bl", "design preset=tiny\nvector x width=4\nload x value 3\nadd d=x a=x b=x\nprint x\n");
    write(folder.path(), "bad.bl", "design preset=tiny\nvector x width=4\nprint x\n");
    write(folder.path(), "my.toml", "base = \"tiny\"\ncolumns = 16\n");
    let words = prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..7);
    let statuses = std::cell::RefCell::new([0; 3]);
    hold(Effort { cases: 80 }, &(prop::sample::select(vec!["sim", "gen", "host"]), words), |(name, words)| {
        let mut command = command(name);
        // A design is only looked at: writing it is for other tests.
        if name == "gen" {
            command.arg("--dry-run");
        }
        let begin = Instant::now();
        let output = command.args(words).current_dir(folder.path()).stdin(Stdio::null()).output().expect("it is built");
        let message = text(&output.stderr);
        let status = output.status.code().filter(|status| (0..3).contains(status));
        prop_assert!(status.is_some(), "{:?}: {message}", output.status);
        prop_assert!(!message.contains("panicked") && !message.contains("RUST_BACKTRACE"), "{message}");
        prop_assert!(status == Some(0) || !message.is_empty(), "a failure that nobody is told of");
        prop_assert!(begin.elapsed() < Duration::from_secs(120), "it hangs");
        statuses.borrow_mut()[status.unwrap_or(0) as usize] += 1;
        Ok(())
    });
    let [good, _, bad] = statuses.into_inner();
    assert!(good > 0 && bad > 10, "{good} went well, {bad} were refused");
}

/// Killed at any moment, a run leaves each of its files as it was, or complete.
#[cfg(unix)]
#[test]
fn fuzz_kills_of_sim_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lines = "design preset=tiny\nvector x width=8\nload x csv in.csv\nadd d=x a=x b=x\nstore x csv one.csv\nstore \
    x raw two.bin\n";
    let file = write(folder.path(), "p.bl", lines);
    write(folder.path(), "in.csv", "1\n2\n3\n".repeat(2000));
    let new = [format!("x\n{}", "2\n4\n6\n".repeat(2000)).into_bytes(), [2, 4, 6].repeat(2000)];
    let old = [b"old".to_vec(), b"older".to_vec()];
    let paths = ["one.csv", "two.bin"].map(|name| folder.path().join(name));
    let run = || command("sim").args(["run", &file]).stdout(Stdio::null()).spawn().expect("it is built");
    let begin = Instant::now();
    assert!(run().wait().expect("it ends").success());
    let whole = begin.elapsed();
    let seed = 7;
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut ended = 0;
    for _ in 0..if deep() { 2000 } else { 15 } {
        paths.iter().zip(&old).for_each(|(path, old)| std::fs::write(path, old).expect("the folder can be written"));
        let mut child = run();
        std::thread::sleep(whole.mul_f64(rng.random_range(0.0..1.2)));
        child.kill().expect("it was ours");
        ended += usize::from(child.wait().expect("it has ended").success());
        for ((path, old), new) in paths.iter().zip(&old).zip(&new) {
            let content = std::fs::read(path).expect("it is there in any case");
            assert!(content == *old || content == *new, "{}: half a file", path.display());
        }
    }
    println!("{ended} runs had ended before");
    // What is left besides has no name that a user gives.
    let left = names(folder.path()).into_iter().filter(|name| !name.starts_with(".bitline-")).collect::<Vec<_>>();
    assert_eq!(left, ["in.csv", "one.csv", "p.bl", "two.bin"]);
}
