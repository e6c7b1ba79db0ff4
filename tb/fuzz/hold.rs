//! How fuzzers try a property, and for how long.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use bitline::sim::external::tool::deep;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestCaseResult, TestError, TestRng, TestRunner};

/// Cases that a run in CI tries, and how long a deep one goes on.
pub struct Effort {
    /// Cases in CI.
    pub cases: u32,
}

/// Time that a deep run of one fuzzer takes.
const DEEP: Duration = Duration::from_secs(6 * 60);

/// Tries a property on random values, the same in every run of CI; a deep run draws a seed and prints it. A failure is
/// made as small as can be before it is told.
pub fn hold<S: Strategy>(effort: Effort, strategy: &S, property: impl Fn(S::Value) -> TestCaseResult)
where
    S::Value: Debug,
{
    let begin = Instant::now();
    let drawn: u64 = std::env::var("BITLINE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    for round in 0.. {
        let seed = drawn + round;
        println!("seed {seed} (BITLINE_SEED={seed} repeats it)");
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let config = ProptestConfig { cases: effort.cases, failure_persistence: None, ..ProptestConfig::default() };
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        match TestRunner::new_with_rng(config, rng).run(strategy, &property) {
            Ok(()) => {}
            Err(TestError::Fail(reason, value)) => panic!("seed {seed}: {reason}\n{value:#?}"),
            Err(error) => panic!("seed {seed}: {error}"),
        }
        if !deep() || begin.elapsed() > DEEP {
            return;
        }
    }
}
