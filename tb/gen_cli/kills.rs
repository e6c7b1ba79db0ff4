//! Runs of `gen` that are killed: the next one leaves the folder as if nothing had been.

use std::process::{Command, Stdio};
use std::time::Instant;

use bitline::sim::external::tool::deep;
use pretty_assertions::assert_eq;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{good, scratch, tree};

#[cfg(unix)]
#[test]
fn fuzz_kills_of_gen() {
    let folder = scratch();
    let arguments = |seed: &'static str| ["--target", "verilator", "--preset", "tiny", "--out", "out", "--seed", seed];
    let run = |seed| {
        let mut gen_program = Command::new(env!("CARGO_BIN_EXE_bitline"));
        gen_program
            .arg("gen")
            .args(arguments(seed))
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("gen runs")
    };
    let fresh = ["1", "2"].map(|seed| {
        good(folder.path(), &arguments(seed));
        tree(&folder.path().join("out"))
    });
    let begin = Instant::now();
    assert!(run("1").wait().expect("it ends").success());
    let whole = begin.elapsed();
    let seed = 11;
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for round in 0..if deep() { 300 } else { 6 } {
        // The folder has what the seed before gave; what is wanted differs.
        let next = [1, 0][round % 2];
        let mut child = run(["1", "2"][next]);
        // Files are written at the end.
        std::thread::sleep(whole.mul_f64(rng.random_range(0.5..1.1)));
        child.kill().expect("it was ours");
        child.wait().expect("it has ended");
        good(folder.path(), &arguments(["1", "2"][next]));
        assert_eq!(tree(&folder.path().join("out")), fresh[next], "round {round}");
    }
}
