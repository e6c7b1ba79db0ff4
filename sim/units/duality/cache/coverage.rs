//! What a run through the cache ways may have, and what it has had.

/// What may happen besides reads, writes and hints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trouble {
    /// Bus errors.
    pub errors: bool,
    /// Ways are drained, disabled and enabled.
    pub modes: bool,
    /// Resets and new beginnings.
    pub resets: bool,
}

/// What has happened in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCoverage {
    /// Answers, and hints.
    pub accesses: u64,
    /// Cycles.
    pub cycles: u64,
    /// Requests whose line was there, was not, and was on its way.
    pub hits: u64,
    /// Lines that were not there.
    pub misses: u64,
    /// Requests that were merged into a fetch.
    pub merged: u64,
    /// Lines written back.
    pub written_back: u64,
    /// Hits while a line was fetched.
    pub under_miss: u64,
    /// Requests that follow each other by a cycle and reach the same word, the first a write.
    pub forwarded: u64,
    /// Answers that told of an error.
    pub failed: u64,
    /// Lines lost on their way to memory.
    pub lost: u64,
    /// Times that ways were drained, and answers meanwhile.
    pub drained: [u64; 2],
    /// Resets, and new beginnings.
    pub restarts: [u64; 2],
    /// Lines written as a whole: that were there, that were not, that were told not to be.
    pub wholes: [u64; 3],
}

impl CacheCoverage {
    /// Whether everything has happened that there was to be.
    pub fn all(&self, trouble: Trouble, lines: bool) -> bool {
        let mut counts = vec![self.hits, self.misses, self.merged, self.written_back, self.under_miss, self.forwarded];
        counts.extend(trouble.errors.then_some([self.failed, self.lost]).into_iter().flatten());
        counts.extend(trouble.modes.then_some(self.drained).into_iter().flatten());
        counts.extend(lines.then_some(self.wholes).into_iter().flatten());
        counts.extend(trouble.resets.then_some(self.restarts).into_iter().flatten());
        counts.iter().all(|&count| count > 0)
    }
}
