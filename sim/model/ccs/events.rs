//! What a cycle model of the system counts while it runs: for coverage of campaigns, and for estimates.

/// How often something has happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// Steps whose operands a, b and results were in the cache.
    pub hits: [u64; 3],
    /// The same, that were not.
    pub misses: [u64; 3],
    /// Steps that waited for results.
    pub conflicts: u64,
    /// Steps with two lines to fetch.
    pub two_fetches: u64,
    /// Lines that the processor fetched while a command ran.
    pub fills_beside: u64,
    /// Lines that writes of parts of an element took out of the cache.
    pub drops: u64,
    /// Cycles in which a step waited because memory lagged behind.
    pub slow: u64,
    /// Cycles in which a line that arrives waited for a write.
    pub late: u64,
    /// Steps that went to the unit.
    pub steps: u64,
    /// Elements of them that count.
    pub elements: u64,
    /// What nodes of the tree and the accumulator did for steps of reductions.
    pub nodes: u64,
    /// Rows of the store that were written.
    pub rows_written: u64,
    /// Lines that arrived for steps.
    pub lines_read: u64,
    /// Result lines, and results of reductions, that went to memory.
    pub lines_written: u64,
    /// Most results on their way.
    pub most_results: usize,
    /// Most steps that waited for lines.
    pub most_waiting: usize,
}

impl Events {
    /// What has happened at steps and lines since then; the rest as it is.
    #[must_use]
    pub fn since(&self, before: &Events) -> Events {
        Events {
            steps: self.steps - before.steps,
            elements: self.elements - before.elements,
            nodes: self.nodes - before.nodes,
            rows_written: self.rows_written - before.rows_written,
            lines_read: self.lines_read - before.lines_read,
            lines_written: self.lines_written - before.lines_written,
            ..*self
        }
    }
}
